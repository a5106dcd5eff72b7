"""2, 3, 10, 12, 14 What an arbiter may set right on the board, through the door as commands are."""

import random

from tests.rules.correcting import (
    case,
    changes_hands,
    corrected,
    ids,
    on_map,
    shows_the_other_face,
    stands_where_it_may,
    verbs,
)
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.typhoon.headquarters import home_of
from warledger.engine.testing.randomgames import play_on

TITLE = "typhoon"


def test_3_1_a_unit_stands_where_it_should_and_nowhere_it_may_not() -> None:
    """Never with an enemy, in a lake, in an enemy city or in a full hex."""
    stands_where_it_may(
        case(TITLE),
        "soviet",
        lambda state, i: len(state.field.stacks.get(i, ())) < state.data.stack,
    )


def test_12_3_what_is_removed_lies_where_a_combat_would_send_it() -> None:
    """In the box of those that may return, or out of the game; and may be put back."""
    played = case(TITLE)
    unit = on_map(played, "soviet")
    home = home_of(played.position.state, unit, "losses")
    gone = corrected(played, "remove", unit)
    assert gone.at(unit) == OFF_MAP and gone.units[unit].where == home
    assert unit in ids(played, "move")


def test_2_21_a_unit_shows_the_other_face() -> None:
    """Only units with a reduced face have another."""
    shows_the_other_face(case(TITLE), "axis", lambda state, unit: state.units[unit].reduced)


def test_3_4_a_place_is_controlled_by_who_should_control_it() -> None:
    """Where nobody stands, who would hold it."""
    changes_hands(case(TITLE))


def test_14_4_whether_moscow_and_tula_were_held_is_set_right() -> None:
    """The other of the two."""
    played = case(TITLE)
    assert not played.position.state.latch and ids(played, "gate") == ("reached",)
    assert corrected(played, "gate", "reached").latch
    assert ids(played, "gate") == ("not_reached",)


def test_10_2_nothing_is_corrected_while_attacks_are_declared_or_fought() -> None:
    """What is in progress goes on only from what the rules made of it."""
    played = case(TITLE)
    rng = random.Random(3)
    while not (played.position.state.activation and played.position.state.activation.attacks):
        play_on(played, rng, commands=1)
    assert not verbs(played)
