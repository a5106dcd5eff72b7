"""2, 7, 12, 17, 18 What an arbiter may set right on the board, through the door as commands are."""

from __future__ import annotations

import random

import pytest

from tests.rules.correcting import case, correct, corrected
from warledger.engine.testing.randomgames import play_on
from warledger.protocol.board.choices import Refusal

TITLE = "war_at_sea"


def test_17_2_the_marker_of_the_score_is_set_where_it_belongs() -> None:
    """An arbiter sets the marker of the score within the track, and the game goes on."""
    played = case(TITLE)
    most = played.position.state.data.track_max
    assert isinstance(correct(played, "score", most + 1), Refusal)
    assert corrected(played, "score", 3).score == 3
    play_on(played, random.Random(1), commands=5)


def test_7_6_a_ship_has_the_damage_that_it_should_have() -> None:
    """An arbiter sets a ship's damage, at most to what leaves it afloat."""
    played = case(TITLE)
    ship = played.position.state.ships["hood"]
    assert isinstance(correct(played, "damage", "hood", ship.armor + 1), Refusal)
    assert corrected(played, "damage", "hood", ship.armor).ships["hood"].damage == ship.armor


def test_12_2_an_area_has_the_control_marker_that_it_should_have() -> None:
    """An arbiter gives an area the control marker of a side, or of nobody."""
    for side, expected in (("axis", "axis"), ("nobody", "")):
        assert corrected(case(TITLE), "control", "north_sea", side).control["north_sea"] == expected


def test_2_2_a_ship_lies_where_it_should_lie_and_nowhere_it_may_not_be() -> None:
    """An arbiter puts a ship where its nation may be, or into a port of its side."""
    played = case(TITLE)
    state = played.position.state
    offered = played.ledger.corrections_of(("move", "bismarck"))
    assert not isinstance(offered, Refusal)
    ids = [option.id for option in offered.options]
    assert state.ships["bismarck"].place not in ids
    for place in ids:
        there = case(TITLE)
        made = correct(there, "move", "bismarck", place)
        if isinstance(made, Refusal):
            assert made.key in ("refusal.correction_question", "refusal.correction_breaks")
        else:
            assert corrected(there, "move", "bismarck", place).ships["bismarck"].place == place
    assert isinstance(correct(played, "move", "bismarck", "england"), Refusal)


@pytest.mark.parametrize("verb", ["move", "damage"])
def test_18_2_a_ship_that_lies_face_down_is_not_corrected(verb: str) -> None:
    """An arbiter's correction hides nothing."""
    played = case(TITLE, v18_2_hidden_allied_movement=True)
    offered = played.ledger.corrections_of((verb,))
    assert not isinstance(offered, Refusal)
    down = {ship.id for ship in played.position.state.ships.values() if ship.down}
    assert not down & {option.id for option in offered.options}
