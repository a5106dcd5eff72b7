"""2, 5, 9, 10, 14 What an arbiter may set right on the board, through the door as commands are."""

import random

from tests.rules.correcting import (
    case,
    changes_hands,
    correct,
    corrected,
    ids,
    offered,
    on_map,
    shows_the_other_face,
    stands_where_it_may,
    verbs,
)
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost.rules import RULES
from warledger.engine.games.victory_lost.state import ELIMINATED, SURROUNDED
from warledger.engine.packfiles import read_pack
from warledger.engine.testing.randomgames import begin, play_on
from warledger.protocol.board.choices import Refusal

TITLE = "victory_lost"
RIFLE = "su.rifle.1"


def test_5_0_a_counter_stands_where_it_should_and_nowhere_it_may_not() -> None:
    """Never with an enemy, in water, in the closed pocket, in an enemy city or in a full hex."""
    stands_where_it_may(case(TITLE), "soviet", lambda state, i: not state.field.closed(i))


def test_9_4_2_a_unit_is_removed_and_no_points_change() -> None:
    """Points are corrected by themselves; who lies among the eliminated may be put back."""
    played = case(TITLE)
    state = played.position.state
    unit = on_map(played, "soviet")
    gone = corrected(played, "remove", unit)
    assert gone.at(unit) == OFF_MAP and gone.counters[unit].where == ELIMINATED
    assert gone.score == state.score
    assert unit in ids(played, "move") and unit not in ids(played, "face")


def test_2_2_3_a_unit_shows_the_other_face() -> None:
    """Only units with a reduced face have another; an HQ has none."""
    played = case(TITLE)
    assert not any("hq" in name for name in ids(played, "face"))
    shows_the_other_face(played, "axis", lambda state, unit: state.counters[unit].reduced)


def test_10_2_a_counter_is_in_the_state_of_supply_that_it_should_be_in() -> None:
    """One of the other two."""
    played = case(TITLE)
    unit = on_map(played, "axis")
    assert set(ids(played, "status", unit)) == {"out_of_supply", "surrounded"}
    assert corrected(played, "status", unit, "surrounded").counters[unit].supply == SURROUNDED


def test_14_0_1_control_and_points_are_corrected_one_by_one() -> None:
    """A city changes hands without its points, where nobody stands who would hold it."""
    played = case(TITLE)
    assert changes_hands(played).score == played.position.state.score


def test_14_0_1_a_side_has_the_points_that_it_should_have() -> None:
    """A whole number, not below nothing."""
    played = case(TITLE)
    assert offered(played, "points", "axis").span is not None
    assert isinstance(correct(played, "points", "axis", -1), Refusal)
    assert corrected(played, "points", "axis", 17).score["axis"] == 17


def test_9_2_nothing_is_corrected_in_a_combat_or_before_the_first_turn() -> None:
    """What is in progress goes on only from what the rules made of it."""
    rng = random.Random(3)
    played = play_on(begin(RULES, read_pack(TITLE), seed=3), rng, commands=1)
    assert played.position.state.turn == 0 and not verbs(played)
    while played.position.state.battle is None:
        play_on(played, rng, commands=1)
    assert not verbs(played)
