"""HR 4.0e: Kampfgruppe Pape."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, stand
from tests.rules.hungarian_rhapsody.gathering import HERE, JANUARY, RIFLES, THERE, moving
from tests.rules.hungarian_rhapsody.table import at, at_table
from warledger.engine.games.hungarian_rhapsody.battle_group import MARKER, OPTION
from warledger.engine.games.ocs.ch09_combat.attacks import divisional
from warledger.engine.games.ocs.ch10_barrage import barrage
from warledger.engine.games.ocs.ch12_supply import fuel, trace
from warledger.engine.games.ocs.series.events import CleanedUp
from warledger.engine.games.ocs.series.evolve import evolve

PANZERS, GRENADIERS, TIGERS, GUNS = "ax.fhh.pz2", "ax.fhh.pga", "ax.tgr.503", "ax.ag.228"
LORRIES, TRUCK, HQ, LEGS = "ax.fhh.pgb", "ax.fhh.truck", "ax.hq.iv", "ax.inf.44"


@pytest.mark.parametrize("fog", ["open", "strict"])
def test_4_0e_1_sp_moves_the_battle_group(fog: str) -> None:
    """HR 4.0e, OCS 13.7, 12.5c What the marker has taken up is a formation: 1 SP fuels units of two
    divisions and of none, which move as the marker does."""
    rig = moving(PANZERS, TIGERS, GUNS, fog=fog)
    rig.do(AXIS, "gather", MARKER, PANZERS, TIGERS, GUNS)
    rig.do(AXIS, "fuel", MARKER)
    rig.do(AXIS, "auto")
    assert [fuel.fuelled_by(rig.state, name) for name in (PANZERS, TIGERS, GUNS)] == [MARKER] * 3
    rig.do(AXIS, "move", MARKER, THERE)
    assert {at(rig, name) for name in (PANZERS, TIGERS, GUNS)} == {THERE}
    assert rig.state.spent_sp[AXIS] == 4
    assert rig.state.gathered[MARKER].at == rig.state.units[TIGERS].at


def test_4_0e_whom_it_takes_up() -> None:
    """HR 4.0e Tracked and Truck units of its hex; neither Leg units nor HQs, nor transport, nor the
    enemy's."""
    rig = moving(PANZERS, LORRIES, TIGERS, LEGS, HQ, TRUCK)
    assert set(rig.options(AXIS, "gather", MARKER)) == {PANZERS, LORRIES, TIGERS}
    for name in (LEGS, HQ, TRUCK):
        assert rig.refused(AXIS, "gather", MARKER, name).key == "refusal.ocs.not_of_formation"
    assert rig.refused(AXIS, "gather", MARKER, RIFLES).key == "refusal.ocs.not_your_unit"


@pytest.mark.parametrize(("turn", "on"), [(JANUARY - 1, True), (JANUARY, False)])
def test_4_0e_is_an_option_with_a_date(turn: int, on: bool) -> None:
    """HR 4.0e Without the option, or before 1 January 1945, there is no such marker."""
    rig = moving(PANZERS, TIGERS, turn=turn, on=on)
    assert MARKER not in rig.options(AXIS, "gather")
    assert rig.refused(AXIS, "gather", MARKER, TIGERS).rule == "OCS 13.7"


def test_4_0e_the_soviets_do_not_have_it() -> None:
    """HR 4.0e The marker is the Axis side's."""
    state = stand({PANZERS: HERE, "su.2gmc.su": "A26.16"}, turn=JANUARY)
    rig = at_table(state, "moving", phasing=SOVIET, on=(OPTION,))
    assert MARKER not in rig.options(SOVIET, "gather")


def test_4_0e_its_units_are_of_no_other_formation() -> None:
    """HR 4.0e, OCS 3.1c, 3.2f, 12.6f Units in the group are neither independent nor of the division
    that they came from, whose own marker may stand for the rest; who leaves is what it was."""
    rig = moving(PANZERS, GRENADIERS, TIGERS)
    assert rig.state.independent(TIGERS) and divisional(rig.state, (TIGERS,)) == ()
    rig.do(AXIS, "gather", MARKER, PANZERS, TIGERS)
    rig.do(AXIS, "gather", "fhh", GRENADIERS)
    state = rig.state
    assert [state.formation(n) for n in (PANZERS, TIGERS, GRENADIERS)] == [MARKER, MARKER, "fhh"]
    assert not state.independent(TIGERS) and divisional(state, (TIGERS,)) == (TIGERS,)
    assert set(trace.formations(state, AXIS)[MARKER]) == {PANZERS, TIGERS}
    assert "fhh" not in trace.formations(state, AXIS)
    rig.do(AXIS, "leave", MARKER, TIGERS, PANZERS)
    assert rig.state.independent(TIGERS) and rig.state.formation(PANZERS) == "fhh"
    assert set(trace.formations(rig.state, AXIS)["fhh"]) == {PANZERS, GRENADIERS}


def test_4_0e_a_barrage_finds_one_formation() -> None:
    """HR 4.0e, OCS 10.0a Of the group at most 3 RE count for a barrage's density."""
    units = (GRENADIERS, LORRIES, TIGERS, GUNS, "ax.ag.239", "ax.ag.303", "ax.ag.325")
    rig = moving(*units)
    here = rig.state.units[TIGERS].at
    loose = barrage.density(rig.state, here)
    assert loose == 4 + 4 + 5 * 2
    rig.do(AXIS, "gather", MARKER, *units)
    assert barrage.density(rig.state, here) == 12


def test_4_0e_an_hq_does_not_fuel_it() -> None:
    """HR 4.0e, OCS 12.5c(B) A fuelled HQ fuels independents; a unit in the group is none."""
    rig = moving(TIGERS, GUNS, HQ)
    rig.do(AXIS, "fuel", HQ)
    rig.do(AXIS, "auto")
    assert fuel.fuelled_by(rig.state, TIGERS) == HQ
    rig.do(AXIS, "gather", MARKER, TIGERS)
    assert fuel.fuelled_by(rig.state, TIGERS) is None
    assert fuel.fuelled_by(rig.state, GUNS) == HQ


def test_4_0e_its_fuel_goes_with_the_clean_up() -> None:
    """HR 4.0e, OCS 12.5c(A) The group's fuel lasts until the own next Clean Up, whether the marker
    is still on the map or not."""
    rig = moving(PANZERS, TIGERS)
    rig.do(AXIS, "gather", MARKER, PANZERS, TIGERS)
    rig.do(AXIS, "fuel", MARKER)
    rig.do(AXIS, "auto")
    rig.do(AXIS, "leave", MARKER, PANZERS, TIGERS)
    assert rig.state.fuelled_formations == {MARKER}
    assert evolve(rig.state, CleanedUp(SOVIET)).fuelled_formations == {MARKER}
    assert not evolve(rig.state, CleanedUp(AXIS)).fuelled_formations
