"""OCS 4.6, 4.8, 5.2, 12.1, 12.8, 12.10, 13.3h: what an arbiter may set right, through the door."""

import random

import pytest

from tests.rules.correcting import case, correct, corrected, ids, verbs
from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch13_special_units.control import held
from warledger.engine.games.ocs.series.checks import supply_is_conserved
from warledger.engine.games.ocs.series.corrections import CONTROL
from warledger.engine.games.ocs.series.state import DG, EXHAUSTED, OFF_MAP, State
from warledger.engine.testing.randomgames import Played, play_on
from warledger.protocol.board.choices import Refusal

TITLE = "hungarian_rhapsody"


@pytest.fixture
def played() -> Played:
    """A game in the open, between two moves."""
    return case(TITLE, fog="open")


def test_4_8_a_unit_stands_where_it_should_and_nowhere_it_may_not(played: Played) -> None:
    """In play, within the limit, not with an enemy; the hex is its side's then."""
    state: State = played.position.state
    unit = next(name for name in ids(played, "place") if state.units[name].at != OFF_MAP)
    found = ids(played, "place", unit)
    enemy = state.field.occupied[state.enemy(state.side(unit))]
    numbers = [state.charts.board.hex(name) for name in found]
    assert not any(hexsets.has(enemy, i) for i in numbers) and state.units[unit].at not in numbers
    foe = state.charts.board.name(hexsets.listed(enemy)[0])
    assert isinstance(correct(played, "place", unit, foe), Refusal)
    for name in found:
        if not isinstance(correct(played, "place", unit, name), Refusal):
            after = corrected(played, "place", unit, name)
            assert after.units[unit].at == state.charts.board.hex(name)
            return
    raise AssertionError("nowhere at all")


def test_4_6_a_unit_has_the_steps_that_it_should_have(played: Played) -> None:
    """One at least, all at most."""
    unit = ids(played, "steps")[0]
    most = played.position.state.counter(unit).steps
    assert isinstance(correct(played, "steps", unit, most + 1), Refusal)
    assert isinstance(correct(played, "steps", unit, 0), Refusal)
    assert corrected(played, "steps", unit, 1).units[unit].lost == most - 1


def test_5_2_a_unit_is_in_the_mode_that_it_should_be_in(played: Played) -> None:
    """One of the printed sides, or DG over it."""
    unit = next(name for name in ids(played, "mode") if DG in ids(played, "mode", name))
    assert corrected(played, "mode", unit, DG).units[unit].mode == DG


def test_12_8_12_10_marks_of_supply_are_set_right() -> None:
    """Out of supply or not; stocks full, low or exhausted."""
    played = case(TITLE, fog="open")
    unit = ids(played, "trace")[0]
    assert corrected(played, "trace", unit, "out_of_supply").units[unit].oos
    other = case(TITLE, fog="open")
    assert corrected(other, "stocks", unit, "exhausted").units[unit].stocks == EXHAUSTED


def test_12_1_supply_on_the_ground_is_set_right_and_the_sum_with_it(played: Played) -> None:
    """So much lies there; what was laid or taken counts as having come."""
    state: State = played.position.state
    i = state.charts.board.hex(ids(played, "lying", "axis")[0])
    for tokens in (13, 0):
        board = case(TITLE, fog="open")
        after = corrected(board, "lying", "axis", state.charts.board.name(i), tokens)
        assert after.supply["axis"].get(i, 0) == tokens
        supply_is_conserved(after)


def test_13_3h_a_hex_is_controlled_by_who_should_control_it(played: Played) -> None:
    """Where no enemy stands who would take it at once."""
    state: State = played.position.state
    for name in ids(played, "control", "axis"):
        assert not held(state, "soviet", state.charts.board.hex(name))
    name = ids(played, "control", "axis")[0]
    assert corrected(played, "control", "axis", name).controls("axis", state.charts.board.hex(name))


def test_4_9_under_fog_nothing_is_corrected_that_somebody_may_not_see() -> None:
    """Control of a hex is known to all; everything else is taken back."""
    assert verbs(case(TITLE, fog="strict")) == (CONTROL,)


def test_9_3_nothing_is_corrected_in_a_combat_or_while_something_is_paid(played: Played) -> None:
    """What is in progress goes on only from what the rules made of it."""
    rng = random.Random(3)
    seen = set()
    while len(seen) < 2:
        play_on(played, rng, commands=1)
        state: State = played.position.state
        busy = {"battle"} if state.battle is not None else set()
        busy |= {"bill"} if state.bill is not None else set()
        if busy:
            assert not verbs(played), busy
        seen |= busy
