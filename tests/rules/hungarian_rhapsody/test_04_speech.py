"""HR 4.0b: the Regent's bad speech."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, stand
from tests.rules.hungarian_rhapsody.regent import DIVISION, GUN, begun, dice, opened
from tests.rules.hungarian_rhapsody.table import at, fed
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import speech
from warledger.engine.games.ocs.ch04_concepts import staying, zones
from warledger.engine.games.ocs.ch10_barrage import barrage
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.kernel.change import replace

TANKS, GERMANS = "ax.hu1a.pz1", "ax.inf.44"
RIFLES = "su.gd.81"
OCTOBER_12, OCTOBER_15, OCTOBER_19 = 3, 4, 5


@pytest.mark.parametrize(("die", "acts"), [(3, False), (4, True)])
def test_4_0b_who_rolls_low_does_nothing(die: int, acts: bool) -> None:
    """HR 4.0b Example 62: on 15 October a Hungarian division with a 3 may not move, attack or
    change mode, with a 4 it may; Germans always may."""
    state = fed(stand({DIVISION: "A26.10", GERMANS: "A26.10", RIFLES: "A26.12"}))
    rig = opened(state, OCTOBER_15, *dice(state, division=die))
    assert (DIVISION in rig.options(AXIS, "move")) == acts
    assert GERMANS in rig.options(AXIS, "move")
    if not acts:
        assert rig.refused(AXIS, "move", DIVISION, "A26.11").rule == "HR 4.0b"
        assert rig.refused(AXIS, "move", DIVISION, "move").rule == "HR 4.0b"

    near = fed(stand({DIVISION: "A26.10", GERMANS: "A26.10", RIFLES: "A26.11"}), 40, "A26.09")
    rig = opened(near, OCTOBER_15, *dice(near, division=die))
    rig.state = replace(rig.state, segment="f2")
    rig.jump("game", "turns", "ocs.attacking")
    assert GERMANS in rig.options(AXIS, "attack", "A26.11")
    assert (DIVISION in rig.options(AXIS, "attack", "A26.11")) == acts
    if not acts:
        assert rig.refused(AXIS, "attack", "A26.11", DIVISION).rule == "HR 4.0b"


@pytest.mark.parametrize(("die", "acts"), [(3, False), (4, True)])
def test_4_0b_who_cannot_move_negates(die: int, acts: bool) -> None:
    """HR 4.0b, OCS 4.5b A division that may not move spends nothing later in the phase, so that
    nothing that relies on it holds it; one that may still move would be held."""
    state = fed(stand({DIVISION: "A26.10", RIFLES: "A26.11"}))
    rig = opened(state, OCTOBER_15, *dice(state, division=die))
    here = rig.state.units[DIVISION].at
    assert hexsets.has(zones.negated(rig.state, AXIS), here)
    assert (here in staying.free(rig.state, AXIS)) == acts


@pytest.mark.parametrize(("die", "acts"), [(1, False), (6, True)])
def test_4_0b_guns_and_trains(die: int, acts: bool) -> None:
    """HR 4.0b Artillery that rolls low does not fire; a formation rolls once for all of its units,
    and none of them goes by rail."""
    state = fed(stand({GUN: "A26.10", TANKS: "A26.09", RIFLES: "A26.11"}))
    rig = opened(state, OCTOBER_15, *dice(state, gun=die, tanks=die))
    fire = replace(rig.state, segment=barrage.COMBAT_PHASE)
    assert (GUN in barrage.gunners(fire, AXIS)) == acts
    assert bool(speech.holds_back(rig.state, "ax.hu1a.art")) != acts
    if not acts:
        assert not rail.entrains(rig.state, TANKS)
    assert not speech.holds_back(rig.state, "ax.hu2a.pz1")


def test_4_0b_it_is_over_with_the_turn() -> None:
    """HR 4.0b "This turn": in the next one all act again, and no speech is held twice."""
    state = fed(stand({DIVISION: "A26.10"}))
    rig = opened(state, OCTOBER_15, *dice(state, division=1))
    assert speech.holds_back(rig.state, DIVISION) == "HR 4.0b"
    begun(rig, OCTOBER_19)
    assert not speech.holds_back(rig.state, DIVISION)
    rig.do(AXIS, "move", DIVISION, "A26.11")
    assert at(rig, DIVISION) == "A26.11"


@pytest.mark.parametrize(
    ("turn", "die", "held"),
    [
        (OCTOBER_12, 2, True),
        (OCTOBER_12, 3, False),
        (OCTOBER_15, 4, True),
        (OCTOBER_15, 5, False),
        (OCTOBER_19, 0, True),
        (6, 0, False),
    ],
)
def test_4_0b_the_variant_has_its_own_days(turn: int, die: int, held: bool) -> None:
    """HR 4.0b On 12 October it is held on 1-2, on 15 October on 1-4, on 19 October it is; not on
    any other day."""
    state = stand({DIVISION: "A26.10"})
    rolled = (die,) if die else ()
    rig = opened(
        state, turn, *rolled, *(dice(state, division=1) if held else ()), how=speech.ROLLED
    )
    assert bool(speech.holds_back(rig.state, DIVISION)) == held


def test_4_0b_is_an_option() -> None:
    """HR 4.0b Without it no die is rolled on any of these days."""
    for turn in (OCTOBER_12, OCTOBER_15, OCTOBER_19):
        rig = opened(stand({DIVISION: "A26.10"}), turn, how=speech.OFF)
        assert not speech.holds_back(rig.state, DIVISION)


def test_4_0b_dice_do_not_tell_who_is_left() -> None:
    """HR 4.0b, OCS 4.9 As many dice are rolled whoever stands on the map; none for Soviets."""
    one, other = stand({DIVISION: "A26.10"}), stand({GERMANS: "A26.10", RIFLES: "A26.12"})
    assert speech.rollers(one.charts) == speech.rollers(other.charts)
    for state in (one, other):
        rig = opened(state, OCTOBER_15, *dice(state))
        assert not any(unit.tagged for unit in rig.state.units.values())
        assert rig.state.flags[speech.HELD] == OCTOBER_15
    assert SOVIET not in {one.side(n) for n in speech.rollers(one.charts) if n in one.units}
