"""OCS 9.14d, 12.7: extenders carry trace supply on."""

from types import SimpleNamespace

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, names, put, stand
from tests.rules.hungarian_rhapsody.table import at_table
from tests.rules.ocs.play import bench
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.ch06_movement import movement, movement_step
from warledger.engine.games.ocs.ch09_combat import captures, escapes, losses
from warledger.engine.games.ocs.ch12_supply import extenders, fuel, payment, sources, trace
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.series.board import RAIL
from warledger.engine.games.ocs.series.state import State, taken_by
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step
from warledger.engine.testing.rig import Rig

FIVE = tuple(f"ax.truck.{n}" for n in range(1, 6))
WAGONS = tuple(f"su.wagon.{n}" for n in range(1, 6))
SIXTH, INFANTRY, RIFLES, TIGERS = "ax.truck.6", "ax.inf.44", "su.gd.81", "ax.tgr.503"
SOURCE, HERE, FAR, BUDA = "A30.01", "A30.06", "A31.09", "A31.18"


def afield(where: dict[str, str] | None = None, held: str = f"{SOURCE} {HERE} {BUDA}") -> State:
    """Five trucks some way from the only Axis source, a division farther on."""
    state = stand(dict.fromkeys(FIVE, HERE) | {INFANTRY: FAR} | (where or {}))
    state = replace(state, phasing=AXIS, segment="c2")
    board = state.charts.board
    return taken_by(taken_by(state, SOVIET, board.every), AXIS, board.set_of(held))


def formed(state: State, units: tuple[str, ...] = FIVE) -> State:
    """The same with an extender made of these points."""
    for name in units:
        state = put(state, name, extender=True)
    return state


def moving(state: State) -> Rig[State]:
    """A rig that asks for moves, those of extenders among them."""
    steps = {movement.MOVING: movement_step.Moving(more=extenders.commands())}
    rig = bench(state, payment, fuel, movement, extenders, SimpleNamespace(STEPS=steps))
    rig.jump("idle", movement.MOVING)
    return rig


def test_12_7_it_carries_trace_on() -> None:
    """OCS 12.7, 12.6a(3) Who draws at an extender that reaches a source is in trace; without it
    they are not."""
    state = afield()
    assert trace.traced(state, AXIS)[INFANTRY] is None
    assert trace.traced(formed(state), AXIS)[INFANTRY] == "direct"
    assert names(state, sources.sources(formed(state), AXIS)) == {SOURCE, HERE}


def test_12_7_it_must_reach_a_source() -> None:
    """OCS 12.6b, 12.7 Not where its source is the enemy's, nor where an enemy stands or has a zone
    in its hex, nor in a hex that is not controlled."""
    assert not sources.sources(formed(afield(held=HERE)), AXIS)
    assert names(afield(), sources.sources(formed(afield({RIFLES: "A30.07"})), AXIS)) == {SOURCE}
    assert names(afield(), sources.sources(formed(afield(held=SOURCE)), AXIS)) == {SOURCE}


def test_12_7_one_hangs_on_another() -> None:
    """OCS 12.7 An extender that reaches no source, but another extender that reaches one, carries
    trace on."""
    state = stand({}, turn=2)
    board = state.charts.board
    state = replace(state, markers={}, closed=frozenset(board.entries))
    state = taken_by(state, SOVIET, board.every)
    sibiu = board.hex("B49.34")

    def reach(i: int) -> int:
        return sources.extender_extent(state, SOVIET, i, "leg").touching

    far_off = sorted(hexsets.listed(reach(sibiu)), key=lambda i: -board.map.grid.distance(sibiu, i))
    middle, far = next(
        (m, f)
        for m in far_off
        if hexsets.has(reach(m), sibiu)
        for f in hexsets.listed(reach(m))
        if hexsets.has(reach(f), m) and not hexsets.has(reach(f), sibiu)
    )
    for name in WAGONS:
        state = put(state, name, at=far, where="", extender=True)
    assert not hexsets.has(sources.sources(state, SOVIET), far)
    chained = replace(state, markers={"marker.swe": (middle,)})
    assert hexsets.has(sources.sources(chained, SOVIET), far)


def test_12_7_it_carries_a_railway_on() -> None:
    """OCS 12.7 Trace goes on by rail from an extender's hex: a station of a railway that no source
    feeds is fed by it."""
    state = afield()
    board = state.charts.board
    reach = sources.extender_extent(state, AXIS, board.hex(SOURCE), "truck").inside
    stations = sources.detrainable(state, AXIS) & ~board.near[board.hex(SOURCE)]
    entries = hexsets.of(i for one in board.entries.values() for i in one.hexes)
    near = sources.joined(board, RAIL, frozenset())
    start, between, station = next(
        (a, b, c)
        for a in hexsets.listed(reach & board.linked[RAIL] & ~stations & ~entries)
        for b in near[a]
        for c in near[b]
        if c != a and hexsets.has(stations & ~entries, c) and not hexsets.has(entries, b)
    )
    line = hexsets.of((start, between, station, board.hex(SOURCE)))
    state = taken_by(taken_by(state, SOVIET, board.every), AXIS, line)
    for name in FIVE:
        state = put(state, name, at=start)
    assert not hexsets.has(sources.sources(state, AXIS), station)
    assert hexsets.has(sources.sources(formed(state), AXIS), station)


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_12_7_five_points_form_one(fog: str) -> None:
    """OCS 12.7 Five unloaded points with half their MA left form one, move no more, and are
    transport again in a later phase for half their MA."""
    rig = at_table(afield({SIXTH: HERE}), "moving", fog=fog)
    rig.do(AXIS, "extend", HERE, "trucks")
    assert [name for name in (*FIVE, SIXTH) if rig.state.units[name].extender] == list(FIVE)
    assert not movement.awaiting(rig.state, FIVE[0])
    assert rig.refused(AXIS, "move", FIVE[0]).rule.startswith("OCS")
    assert rig.refused(AXIS, "fold", HERE).key == "refusal.ocs.no_extender"
    later = moving(formed(afield()))
    later.do(AXIS, "fold", HERE, "trucks")
    unit = later.state.units[FIVE[0]]
    assert not unit.extender
    assert 2 * unit.spent == 45 * later.state.charts.parts + 45 * later.state.charts.parts % 2
    later.do(AXIS, "move", FIVE[0], "A30.05")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"load": 1}, "loaded"),
        ({"spent": 10**6}, "no movement left"),
        ({"finished": True, "carried": "rail"}, "came by rail"),
        ({"at": -1}, "only four"),
    ],
)
def test_12_7_what_forms_none(changes: dict[str, object], why: str) -> None:
    """OCS 12.7 Not loaded ones, not after more than half a move, not four."""
    assert extenders.formable(afield(), AXIS)
    assert not extenders.formable(put(afield(), FIVE[0], **changes), AXIS), why


def test_12_7_not_everybody_everywhere() -> None:
    """OCS 12.7d, HR 3.1e Not where it does not connect, not in another phase, not two of a kind
    in a hex; the Soviets form none. Organic trucks count for nothing."""
    assert not extenders.formable(afield(held=HERE), AXIS)
    assert not extenders.formable(afield(held=SOURCE), AXIS)
    assert not extenders.formable(replace(afield(), segment="g1"), AXIS)
    assert not GAME.extends(afield().charts, SOVIET)
    assert extenders.kind_of(afield(), "ax.fhh.truck") == ""
    wagons = dict.fromkeys((f"su.wagon.{n}" for n in range(1, 6)), "B49.34")
    soviet = replace(stand(wagons), phasing=SOVIET, segment="c2")
    assert not extenders.formable(soviet, SOVIET)


def test_12_7_one_of_a_kind_in_a_hex(monkeypatch: pytest.MonkeyPatch) -> None:
    """OCS 12.7 [R] Where an extender stands no second one of its kind is formed."""
    monkeypatch.setattr(extenders, "POINTS", 3)
    state = afield({SIXTH: HERE})
    assert extenders.formable(state, AXIS)
    assert not extenders.formable(formed(state, FIVE[:3]), AXIS)


def test_12_7_its_points_come_from_different_hexes() -> None:
    """OCS 12.7e, 6.1f Trucks that have come together one after the other form an extender, though
    the moves of all but the last are over; not one that a train brought, nor with less than half
    its MA left."""
    state = put(afield(), FIVE[0], at=afield().charts.board.hex("A30.05"))
    rig = moving(state)
    rig.do(AXIS, "move", FIVE[0], HERE)
    came = put(rig.state, FIVE[0], finished=True)
    assert list(extenders.formable(came, AXIS).values()) == [FIVE]
    assert not extenders.formable(put(came, FIVE[0], carried="rail"), AXIS)
    assert not extenders.formable(put(came, FIVE[0], spent=23 * state.charts.parts), AXIS)


def test_12_7_it_does_not_go_by_rail() -> None:
    """OCS 12.7 It is immobile."""
    state = put(afield(), FIVE[0], at=afield().charts.board.hex(SOURCE))
    state = taken_by(state, AXIS, state.charts.board.every)
    assert rail.entrains(state, FIVE[0])
    assert not rail.entrains(put(state, FIVE[0], extender=True), FIVE[0])


class Entering(Step[State]):
    """A Soviet division has come into the extender's hex."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """It captures what lies there."""
        table.done()
        captures.enter(table, (RIFLES,), table.state.units[RIFLES].at)


def entered(state: State, *dice: int) -> Rig[State]:
    """The game once the division is in the hex."""
    rig = bench(state, captures, escapes, losses, extenders)
    rig.dice(*dice)
    rig.rules.steps["entering"] = Entering()  # type: ignore[index]
    rig.jump("idle", "entering")
    return rig


def test_9_14d_it_collapses_to_where_there_is_trace() -> None:
    """OCS 9.14d An extender that an enemy comes upon goes to the nearest hex in its range that is
    in trace supply, transport again; nothing of it is captured."""
    rig = entered(put(formed(afield()), RIFLES, at=afield().charts.board.hex(HERE)))
    board = rig.state.charts.board
    assert {rig.state.units[name].extender for name in FIVE} == {False}
    (to,) = {rig.state.units[name].at for name in FIVE}
    assert to >= 0 and board.name(to) != HERE
    assert hexsets.has(trace_around(rig.state), to)


def test_9_14d_its_owner_says_where_it_collapses_to() -> None:
    """OCS 9.14d All five points go together to any hex in range that is in trace supply, not only
    to the nearest, and once."""
    rig = entered(put(formed(afield()), RIFLES, at=afield().charts.board.hex(HERE)))
    board = rig.state.charts.board
    open_ = rig.options(AXIS, "displace", FIVE[0])
    assert HERE not in open_ and len(open_) > 1
    traced = trace_around(rig.state)
    assert all(hexsets.has(traced, board.hex(name)) for name in open_)
    assert rig.refused(AXIS, "displace", FIVE[0], "B1.01").rule == "OCS 9.14d"
    rig.do(AXIS, "displace", FIVE[0], open_[-1])
    assert {rig.state.units[name].at for name in FIVE} == {board.hex(open_[-1])}
    assert rig.position.flow[-1].name == "idle"


def trace_around(state: State) -> int:
    """Hexes in which the Axis is in trace."""
    return extenders.in_trace(state, AXIS, state.charts.board.every)


def test_9_14d_where_there_is_none_it_is_captured_as_transport() -> None:
    """OCS 9.14d, 9.14c Without such a hex it is transport where it stands: a die of 6 takes 75% of
    the trucks, four points of five."""
    rig = entered(put(formed(afield(held=HERE)), RIFLES, at=afield().charts.board.hex(HERE)), 6)
    assert sum(rig.state.units[name].at < 0 for name in FIVE) == 4
    assert not any(rig.state.units[name].extender for name in FIVE)


def test_9_14d_it_may_collapse_instead_of_moving() -> None:
    """OCS 9.14d Of its owner's will, in the own Movement Phase, to a hex in range that is in
    trace."""
    rig = moving(formed(afield({TIGERS: "A30.02"})))
    assert rig.refused(AXIS, "collapse", HERE, "trucks", "B1.01").rule == "OCS 9.14d"
    rig.do(AXIS, "collapse", HERE, "trucks", "A30.02")
    unit = rig.state.units[FIVE[0]]
    assert (unit.at, unit.extender, unit.finished) == (
        rig.state.charts.board.hex("A30.02"),
        False,
        True,
    )
