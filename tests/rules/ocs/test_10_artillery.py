"""OCS 10.0, 10.1: artillery barrages, from the shifts to the losses."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.ocs.play import bench
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch10_barrage import barrage, bombardment
from warledger.engine.games.ocs.ch10_barrage.barrage_in_progress import UNITS
from warledger.engine.games.ocs.ch12_supply import bills, payment
from warledger.engine.games.ocs.series.state import (
    Base,
    Hedgehog,
    State,
    with_supply,
)
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

CORPS, WERFER = "ax.art.403", "ax.werf.13"
SPOTTER, RIFLES, OTHERS = "ax.inf.44", "su.gd.81", "su.gd.93"


def opened(state: State, **options: Any) -> State:
    """The same position under some options."""
    made = replace(state.charts, options={**state.charts.options, **options})
    return replace(state, charts=made, field=replace(state.field, charts=made))


def sudwind(**where: str) -> State:
    """Example 69: two Axis artillery units in A26.09, a spotter in A26.10, and a rifle division
    with a hedgehog in A26.11, in the Axis Combat Phase; 20T under the guns."""
    stood = {CORPS: "A26.09", WERFER: "A26.09", SPOTTER: "A26.10", RIFLES: "A26.11", **where}
    state = stand(stood, phasing=AXIS, segment="f1", turn=42)
    board = state.charts.board
    state = replace(state, hedgehogs={board.hex("A26.11"): Hedgehog(SOVIET, 1)})
    return with_supply(state, AXIS, board.hex("A26.09"), 20)


def at_guns(state: State, fog: str = "strict") -> Rig[State]:
    """A rig at the artillery's segment."""
    rig = bench(opened(state, fog=fog), bills, payment, losses, barrage, bombardment)
    rig.jump("idle", bombardment.SEGMENT)
    return rig


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_10_0a_example_69(fog: str) -> None:
    """OCS 10.0a, 10.1b Example 69: 78 points cost 8T, a hedgehog shifts to 41-68; 7 is a bracketed
    half, which counts because there is a spotter; 4 takes a step, and the hex is in DG."""
    rig = at_guns(sudwind(), fog)

    rig.do(AXIS, "barrage", "A26.11", CORPS, WERFER)
    rig.dice(3, 4, 4)
    rig.do(AXIS, "auto")

    (shells,) = [one for one in rig.events if isinstance(one, barrage.ShellsFallen)]
    assert (shells.strength, shells.column, shells.shifted) == ("78", "69-116", "41-68")
    assert shells.shifts == (("hedgehog", -1),)
    assert (shells.result, shells.die, shells.steps) == ("[1/2]", 4, 1)
    if fog == "strict":
        assert rig.asked() == {SOVIET: "prompt.ocs.shelled"}
        rig.do(SOVIET, "lose", RIFLES)
    assert rig.state.units[RIFLES].lost == 1
    assert rig.state.units[RIFLES].marker == "dg"
    assert rig.state.spent_sp[AXIS] == 8
    assert rig.state.fire is None and rig.state.bill is None
    assert rig.state.units[CORPS].barraged and rig.state.units[WERFER].barraged


def test_10_0e_once_a_unit_and_once_a_hex() -> None:
    """OCS 10.0e A unit fires once a phase, and a hex is barraged once, whoever fires."""
    rig = at_guns(sudwind())
    rig.do(AXIS, "barrage", "A26.11", WERFER)
    rig.dice(1, 1)
    rig.do(AXIS, "auto")

    assert rig.refused(AXIS, "barrage", "A26.11", CORPS).rule == "OCS 10.0e"
    rig.do(AXIS, "done")
    two = at_guns(sudwind(**{OTHERS: "A25.10"}))
    two.do(AXIS, "barrage", "A26.11", WERFER)
    two.dice(1, 1)
    two.do(AXIS, "auto")

    assert two.options(AXIS, "barrage") == ("A25.10",)
    assert two.refused(AXIS, "barrage", "A25.10", WERFER).rule == "OCS 10.0e"


def test_10_1a_range_is_what_is_printed() -> None:
    """OCS 10.1a From 1 hex to the range printed: the Werfer reach 2 hexes, the corps artillery 3;
    what is in no range of any gun is refused."""
    rig = at_guns(sudwind(**{RIFLES: "A26.12"}))

    assert rig.options(AXIS, "barrage", "A26.12") == (CORPS,)
    assert rig.refused(AXIS, "barrage", "A26.12", WERFER).rule == "OCS 10.1a"
    far = at_guns(sudwind(**{RIFLES: "A26.13"}))
    assert "barrage" not in far.options(AXIS)
    assert far.refused(AXIS, "barrage", "A26.13").rule == "OCS 10.1"


def test_10_1b_nothing_is_offered_that_cannot_be_paid() -> None:
    """OCS 10.1b, HR 4.0g One HQ or one dump pays all of it: two dumps of 4T pay for either unit's
    6T at no time, and for what costs 4T only with the lower column of the option."""
    state = sudwind()
    board = state.charts.board
    a, b = board.hex("A26.09"), board.hex("A26.08")
    state = replace(state, supply={AXIS: {a: 4, b: 4}, SOVIET: {}})

    rig = at_guns(state)
    assert rig.options(AXIS, "barrage", "A26.11") == (CORPS,)
    assert rig.refused(AXIS, "barrage", "A26.11", WERFER).rule == "OCS 10.1b"
    assert rig.refused(AXIS, "barrage", "A26.11", CORPS, WERFER).rule == "OCS 10.1b"

    lower = at_guns(opened(state, lower_column=True))
    assert lower.options(AXIS, "barrage", "A26.11") == (CORPS, WERFER)
    assert lower.options(AXIS, "barrage", "A26.11", CORPS, WERFER) == (25, 17, 12, 8, 5, 3, 2, 1)
    assert lower.refused(AXIS, "barrage", "A26.11", CORPS, WERFER).rule == "OCS 10.1b"
    lower.do(AXIS, "barrage", "A26.11", CORPS, WERFER, 25)
    lower.dice(1, 1)
    lower.do(AXIS, "auto")
    assert lower.state.spent_sp[AXIS] == 4


def test_10_1b_an_unpaid_barrage_has_not_been_fired() -> None:
    """OCS 10.1b Where the cost is not paid the barrage does not take place: its units may fire
    again, and the hex may be barraged."""
    rig = at_guns(sudwind())
    rig.do(AXIS, "barrage", "A26.11", CORPS)
    rig.do(AXIS, "unpaid")

    assert rig.state.fire is None
    assert not rig.state.units[CORPS].barraged
    assert rig.options(AXIS, "barrage", "A26.11") == (CORPS, WERFER)


@pytest.mark.parametrize("segment", ["c3", "e2", "g2", "f2"])
def test_10_0e_artillery_fires_in_its_segments(segment: str) -> None:
    """OCS 10.0e, 11.0 Artillery fires in the Combat Phase's barrage segment; in Reaction and
    Exploitation only when it was released from Reserve; never in the Movement Phase."""
    state = replace(sudwind(), segment=segment, phasing=SOVIET if segment == "e2" else AXIS)
    assert barrage.gunners(state, AXIS) == ()
    released = put(state, CORPS, released=True)
    assert barrage.gunners(released, AXIS) == ((CORPS,) if segment in ("e2", "g2") else ())


def test_10_1_modes_of_artillery() -> None:
    """OCS 5.10b, 10.1b(B) DG halves, OOS takes nothing, Reserve and Strat do not fire."""
    state = sudwind()
    assert barrage.strength(state, (CORPS,)) == 36
    assert barrage.strength(put(state, CORPS, marker="dg"), (CORPS,)) == 18
    assert barrage.strength(put(state, CORPS, oos=True), (CORPS,)) == 36
    for marker in ("reserve", "strat"):
        assert CORPS not in barrage.gunners(put(state, CORPS, marker=marker), AXIS)


def test_10_0b_without_a_spotter() -> None:
    """OCS 10.0a, 10.0b Without a friendly combat unit next to the target three columns to the left,
    and a bracketed result is DG alone."""
    state = sudwind(**{SPOTTER: "A40.10"})
    target = state.charts.board.hex("A26.11")

    assert not barrage.spotted(state, (CORPS,), target)
    assert barrage.spotted(sudwind(), (CORPS,), target)
    assert barrage.shifts(state, target, spotter=False) == (("hedgehog", -1), ("unspotted", -3))
    half = state.charts.tables.barrage.result(7, 8)
    assert half.text == "[1/2]"
    assert barrage.half_is_rolled(half, level=1, air=False, spotter=True)
    assert not barrage.half_is_rolled(half, level=3, air=False, spotter=True)
    assert not barrage.half_is_rolled(half, level=1, air=True, spotter=True)
    assert not barrage.half_is_rolled(half, level=1, air=False, spotter=False)


def test_10_0a_strat_and_density_shifts() -> None:
    """OCS 10.0a Any unit in Strat shifts three columns to the right; a division counts for 3 RE at
    most."""
    state = stand({RIFLES: "A26.11", OTHERS: "A26.11"})
    target = state.charts.board.hex("A26.11")
    own = state.counter(RIFLES).re, state.counter(OTHERS).re

    assert barrage.density(state, target) == sum(min(re, 12) for re in own)
    strat = put(state, RIFLES, marker="strat", move_side=True)
    assert ("strat_target", 3) in barrage.shifts(strat, target, spotter=True)


def test_10_0a_example_38_reserve_marker() -> None:
    """OCS 5.7d, 10.0a Example 38: DG takes the place of a Reserve marker."""
    rig = at_guns(put(sudwind(), RIFLES, marker="reserve"))
    rig.do(AXIS, "barrage", "A26.11", CORPS, WERFER)
    rig.dice(3, 3)
    rig.do(AXIS, "auto")

    assert rig.state.units[RIFLES].marker == "dg"
    assert rig.state.units[RIFLES].lost == 0
    assert rig.asked() == {AXIS: "prompt.ocs.artillery"}


def test_10_0c_an_air_base() -> None:
    """OCS 10.0c, 10.0d Example 42: 24 points at a base cost 4T; 5 takes two levels, none below the
    first, and each aircraft there, active or not, loses a step on 4 and more."""
    state = put(sudwind(), CORPS, lost=0)
    board = state.charts.board
    i = board.hex("A26.11")
    first, second = "su.air.il2.1", "su.air.il2.2"
    planes = {
        first: replace(state.aircraft[first], base=i, where="", active=True),
        second: replace(state.aircraft[second], base=i, where="", active=False),
    }
    others = {
        name: replace(plane, base=None) if plane.base == i else plane
        for name, plane in state.aircraft.items()
    }
    state = replace(state, bases={i: Base(SOVIET, 2)}, aircraft={**others, **planes})
    rig = at_guns(state)
    rig.do(AXIS, "base", "A26.11", CORPS)
    rig.dice(5, 4, 3)
    rig.do(AXIS, "auto")

    (shells,) = [one for one in rig.events if isinstance(one, barrage.ShellsFallen)]
    assert (shells.result, shells.shifts) == ("2 * (4)", ())
    assert rig.state.bases[i].level == 1
    assert [rig.state.aircraft[name].lost for name in (first, second)] == [1, 0]
    assert rig.state.spent_sp[AXIS] == 4
    assert rig.refused(AXIS, "barrage", "A26.11", WERFER).rule == "OCS 10.0e"


def test_10_0_nothing_to_fire_passes_by_in_the_open_alone() -> None:
    """OCS 4.9, 10.0 Where the side can fire nothing it is not asked, unless its silence would tell
    the enemy that it has no artillery."""
    state = sudwind(**{RIFLES: "A40.30"})

    assert at_guns(state, "strict").asked() == {AXIS: "prompt.ocs.artillery"}
    rig = at_guns(state, "open")
    assert rig.position.top.name == "idle"


def test_10_0a_the_owner_chooses_and_the_excess_is_ignored() -> None:
    """OCS 10.0a, 9.11a The targeted player chooses freely; steps beyond those in the hex are
    ignored."""
    rig = at_guns(put(sudwind(), RIFLES, lost=2))
    rig.do(AXIS, "barrage", "A26.11", CORPS, WERFER)
    rig.dice(6, 6)
    rig.do(AXIS, "auto")
    assert rig.refused(SOVIET, "lose", CORPS).rule == "OCS 10.0a"
    rig.do(SOVIET, "lose", RIFLES)
    assert rig.state.fire is None


def test_ruling_18_the_units_that_fire_are_sealed() -> None:
    """OCS R-18 Strength and shifts are told, the units are their owner's alone."""
    rig = at_guns(sudwind())
    (declared,) = rig.do(AXIS, "barrage", "A26.11", CORPS, WERFER)[:1]
    assert isinstance(declared, barrage.BarrageDeclared)
    assert declared.units.readers == (AXIS,)
    assert declared.aim == UNITS
