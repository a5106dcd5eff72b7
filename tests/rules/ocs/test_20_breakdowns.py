"""OCS 20, HR 2.5c, 3.5e, 1.2a: breakdowns."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, names, put, stand
from tests.rules.hungarian_rhapsody.table import at, at_table, fed
from warledger.engine.games.hungarian_rhapsody import lines
from warledger.engine.games.ocs.ch04_concepts import stacking
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch20_breakdowns import breakdowns
from warledger.engine.games.ocs.series.state import DG, LOW, RESERVE
from warledger.engine.testing.rig import Rig

DIVISION, RIFLES, TIGERS, WHITE = "ax.inf.44", "su.gd.81", "ax.tgr.503", "ax.w.254"
HONVEDS = "ax.hu.20"
HERE = "A26.10"
GERMAN = tuple(f"ax.brk.ge{n}" for n in range(1, 7))
HUNGARIAN = tuple(f"ax.brk.hu{n}" for n in range(1, 5))


def moving(*units: str, fog: str = "open", **changes: Any) -> Rig[Any]:
    """These units in one hex, in the Axis Movement Phase."""
    state = fed(stand(dict.fromkeys(units, HERE)))
    for name in units:
        state = put(state, name, **changes)
    return at_table(state, "moving", fog=fog)


def absorbed(rig: Rig[Any]) -> tuple[Any, ...]:
    """The events of the end of a phase."""
    return rig.jump("game", "turns", "moving", breakdowns.ABSORBING)


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_20_0_a_division_detaches_a_step(fog: str) -> None:
    """OCS 20.0 As it starts a move a division detaches a step as a generic unit of 1 RE, which
    stands in its hex and moves by itself; the hex holds as much as before."""
    rig = moving(DIVISION, fog=fog)
    there = rig.state.units[DIVISION].at
    before = stacking.re_in(rig.state, there)
    rig.do(AXIS, "detach", DIVISION, GERMAN[2])
    assert at(rig, GERMAN[2]) == HERE and rig.state.units[DIVISION].lost == 1
    assert stacking.re_in(rig.state, there) == before
    rig.do(AXIS, "move", GERMAN[2], "A26.09")
    assert (at(rig, GERMAN[2]), at(rig, DIVISION)) == ("A26.09", HERE)


def test_20_0_mode_markers_and_stocks_are_the_units() -> None:
    """OCS 20.0 A breakdown is in the mode of its unit, under its markers and with its stocks."""
    rig = moving(DIVISION, marker=DG, oos=True, stocks=LOW)
    rig.do(AXIS, "detach", DIVISION, GERMAN[2])
    unit = rig.state.units[GERMAN[2]]
    assert (unit.marker, unit.oos, unit.stocks, unit.lost) == (DG, True, LOW, 0)


def test_20_0_never_the_last_step() -> None:
    """OCS 20.0 A unit keeps a step, and detaches no breakdown of a higher AR."""
    rig = moving(DIVISION, lost=1)
    steps = rig.state.counter(DIVISION).steps - 1
    offered = rig.options(AXIS, "detach", DIVISION)
    own = rig.state.face(DIVISION).ar
    assert offered == tuple(n for n in GERMAN if rig.state.face(n).ar <= own)
    parts = offered[: steps - 1]
    rig.do(AXIS, "detach", DIVISION, *parts)
    assert rig.state.units[DIVISION].lost == rig.state.counter(DIVISION).steps - 1
    assert rig.refused(AXIS, "detach", DIVISION).rule == "OCS 20.0"


@pytest.mark.parametrize("unit", [TIGERS, RIFLES, "ax.art.403", "ax.109pz"])
def test_20_0_who_does_not_break_down(unit: str) -> None:
    """OCS 20.0, HR 3.5e Armour, artillery, units of one step and the Soviets do not."""
    rig = moving(DIVISION, unit) if unit != RIFLES else moving(DIVISION)
    assert rig.refused(AXIS, "detach", unit).rule == "OCS 20.0"
    assert not breakdowns.breaks_down(rig.state.charts, unit)


def test_20_0g_each_nation_has_its_pool() -> None:
    """OCS 20.0g, HR 2.5c German units take German breakdowns, Hungarian ones Hungarian, as far as
    the ten counters go."""
    rig = moving(DIVISION, HONVEDS)
    assert set(rig.options(AXIS, "detach", DIVISION)) <= set(GERMAN)
    assert set(rig.options(AXIS, "detach", HONVEDS)) <= set(HUNGARIAN)
    assert len(breakdowns.pool(rig.state.charts, AXIS)) == 10
    state = rig.state
    for name in GERMAN:
        state = put(state, name, at=state.charts.board.hex("A26.05"), where="")
    rig.state = state
    assert rig.refused(AXIS, "detach", DIVISION).rule == "OCS 20.0g"


def test_20_0_who_has_moved_detaches_nothing() -> None:
    """OCS 20.0 It is done as a unit starts its move, not on the way."""
    rig = moving(DIVISION)
    rig.do(AXIS, "move", DIVISION, "A26.09")
    assert rig.refused(AXIS, "detach", DIVISION).rule == "OCS 20.0"


@pytest.mark.parametrize(
    ("changes", "taken"), [({}, True), ({"marker": RESERVE}, False), ({"oos": True}, False)]
)
def test_20_0_taken_up_at_the_end_of_a_phase(changes: dict[str, Any], taken: bool) -> None:
    """OCS 20.0 A unit that has lost steps takes up a breakdown that stands with it in its mode,
    under its markers and of at least its AR."""
    own = moving(DIVISION).state.face(DIVISION).ar
    rig = moving(DIVISION)
    part = next(n for n in GERMAN if rig.state.face(n).ar <= own)
    rig.do(AXIS, "detach", DIVISION, part)
    rig.state = put(rig.state, part, **changes)
    equal = rig.state.face(part).ar >= own
    absorbed(rig)
    assert (rig.state.units[DIVISION].lost == 0) is (taken and equal)
    assert (rig.state.units[part].where == breakdowns.POOL) is (taken and equal)


def test_20_0_a_lower_ar_is_not_taken_up() -> None:
    """OCS 20.0 A breakdown of a lower AR than the unit's stays what it is."""
    rig = moving("ax.jg.8")
    parts = [n for n in GERMAN if rig.state.face(n).ar < rig.state.face("ax.jg.8").ar]
    rig.do(AXIS, "detach", "ax.jg.8", parts[0])
    absorbed(rig)
    assert rig.state.units["ax.jg.8"].lost == 1 and at(rig, parts[0]) == HERE


def test_20_0_the_enemy_cannot_tell_what_is_taken_up() -> None:
    """OCS 4.9, 20.0 Under fog, from the first breakdown on, the end of every phase sounds alike."""
    rig = moving(DIVISION, fog="strict")
    assert not any(isinstance(one, breakdowns.Absorbed) for one in absorbed(rig))
    rig.do(AXIS, "detach", DIVISION, GERMAN[2])
    rig.do(AXIS, "move", GERMAN[2], "A26.09")
    (one,) = [one for one in absorbed(rig) if isinstance(one, breakdowns.Absorbed)]
    assert one.pairs.value == ()


def test_20_0_hr_1_2a_breakdowns_of_white_units_stay_north() -> None:
    """HR 1.2a, OCS 20.0 A breakdown of a white-bordered unit may not cross the white line, one of
    another unit may."""
    state = stand({WHITE: "B14.10", DIVISION: "B14.10"})
    state = fed(state, where="B14.10")
    rig = at_table(state, "moving")
    rig.do(AXIS, "detach", WHITE, rig.options(AXIS, "detach", WHITE)[0])
    white = next(n for n in GERMAN if rig.state.units[n].at >= 0)
    rig.do(AXIS, "detach", DIVISION, rig.options(AXIS, "detach", DIVISION)[0])
    other = next(n for n in GERMAN if rig.state.units[n].at >= 0 and n != white)
    assert "B20.10" in names(rig.state, lines.barred(rig.state, white))
    assert "B20.10" not in names(rig.state, lines.barred(rig.state, other))


def test_20_0g_hr_2_5c_a_lost_breakdown_goes_back_to_its_box() -> None:
    """HR 2.5c A breakdown that is lost lies in its box, from which it may be detached again."""
    rig = moving(DIVISION)
    rig.do(AXIS, "detach", DIVISION, GERMAN[2])
    rig.run(lambda table: losses.lose(table, GERMAN[2], why="combat"))
    assert rig.state.units[GERMAN[2]].where == breakdowns.POOL
    rig.jump("game", "turns", "moving")
    assert GERMAN[2] in rig.options(AXIS, "detach", DIVISION)


def test_20_0a_a_division_detaches_a_step_to_advance() -> None:
    """OCS 20.0a After combat a division detaches a step that advances while it stays."""
    state = fed(stand({DIVISION: HERE, RIFLES: "A26.11"}))
    state = put(fed(state, 40, "A26.11", SOVIET), RIFLES, lost=2)
    rig = at_table(state, "ocs.attacking", segment="f2", seed=1)
    rig.do(AXIS, "attack", "A26.11", DIVISION)
    rig.do(AXIS, "auto")
    rig.do(AXIS, "lead", DIVISION)
    rig.dice(3, 4, 6, 6, 6)
    rig.do(SOVIET, "defend", "decline", RIFLES, rig.options(SOVIET, "defend", "decline", RIFLES)[0])
    while rig.asked().get(AXIS) != "prompt.ocs.advance":
        side = next(iter(rig.asked()))
        rig.do(side, *_first(rig, side))
    rig.do(AXIS, "detach", DIVISION, GERMAN[2])
    rig.do(AXIS, "advance", GERMAN[2])
    assert (at(rig, GERMAN[2]), at(rig, DIVISION)) == ("A26.11", HERE)


def test_20_0a_a_division_detaches_a_step_in_retreat() -> None:
    """OCS 20.0a A division that must retreat detaches a step, and each goes its own way."""
    state = fed(stand({DIVISION: HERE, RIFLES: "A26.11"}))
    state = fed(state, 40, "A26.11", SOVIET)
    rig = at_table(state, "ocs.attacking", phasing=SOVIET, segment="f2", seed=1)
    rig.do(SOVIET, "attack", HERE, RIFLES)
    rig.do(SOVIET, "auto")
    rig.do(SOVIET, "lead", RIFLES)
    rig.dice(3, 4, 6, 6, 6)
    rig.do(AXIS, "defend", "decline", DIVISION, rig.options(AXIS, "defend", "decline", DIVISION)[0])
    rig.do(SOVIET, "lose", RIFLES)
    rig.do(AXIS, "retreat")
    assert rig.asked() == {AXIS: "prompt.ocs.retreat"}
    lost = rig.state.units[DIVISION].lost
    rig.do(AXIS, "detach", DIVISION, GERMAN[2])
    rig.do(AXIS, "retreat", GERMAN[2], "A26.09")
    assert GERMAN[2] not in rig.options(AXIS, "retreat")
    rig.do(AXIS, "retreat", DIVISION, "A25.10")
    assert (at(rig, GERMAN[2]), at(rig, DIVISION)) == ("A26.09", "A25.10")
    assert rig.state.units[DIVISION].lost == lost + 1


def _first(rig: Rig[Any], side: str) -> tuple[Any, ...]:
    """The first order on offer."""
    picks: tuple[Any, ...] = (rig.options(side)[0],)
    while offered := rig.options(side, *picks):
        picks = (*picks, offered[0])
    return picks
