"""OCS 9.14b-f: what units capture that enter a hex of enemy things without combat units.

`enter` is called whenever units come into a hex, by movement, retreat or advance. In this order:
the hedgehog (9.14e), extenders (9.14d), transport by kind (9.14c, trucks first), the dump (9.14b),
the air base (9.14f). What is captured is rolled in the open, so both sides know it (OCS R-20).

Of mixed transport the owner says what is captured, and of all that escapes where it goes:
`escaping` asks them, and says what stands until they have answered. OCS 13.2 Captured points become
counters of the captor's own, as far as the mix holds; the rest is destroyed, its load left on the
ground. Points that escape take the whole rest of the load with them (example 29), each first what
it carried. What they cannot carry is put down where they come to.
"""

from collections.abc import Sequence

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch03_counters.counters import Counter
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.concepts import attack_capable
from warledger.engine.games.ocs.ch04_concepts.rounding import half_up
from warledger.engine.games.ocs.ch09_combat import escapes, losses
from warledger.engine.games.ocs.ch09_combat.escapes import BASE, EXTENDER, TRUCKS, WAGONS, take_off
from warledger.engine.games.ocs.ch12_supply import extenders
from warledger.engine.games.ocs.ch13_special_units import control
from warledger.engine.games.ocs.ch14_air.aircraft import based, put
from warledger.engine.games.ocs.series.events import (
    BaseSet,
    HedgehogSet,
    LoadChanged,
    Put,
    SupplyChanged,
    TakenOff,
)
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import NOT_ARRIVED, State
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event

DUMP = "dump"
"""OCS 9.14b A column of the capture table; the others are `escaping.TRUCKS` and `WAGONS`."""

CAPTURE = "capture"
"""Why an aircraft on a captured base loses a step."""

MOST = 100
"""Per cent."""


@event("ocs.capture_rolled")
class CaptureRolled:
    """OCS 9.14b, 9.14c A side has entered a hex of enemy supply or transport: the die, and per cent
    captured."""

    side: str
    hex: str
    what: str
    die: int
    percent: int


@event("ocs.base_rolled")
class BaseRolled:
    """OCS 9.14f Two dice, modified, for an aircraft on a captured base."""

    aircraft: str
    dice: tuple[int, int]
    modified: int


def enter(table: Table[State], units: Sequence[str], hex: int, *, by_advance: bool = False) -> None:
    """OCS 9.14 Units have entered a hex and capture what lies there. OCS 4.4c Only attack-capable
    units do, and only where no enemy combat unit stands. `by_advance`: after combat (9.14f)."""
    state = table.state
    charts = state.charts
    if not any(attack_capable(charts.units[name], state.units[name]) for name in units):
        return
    side = state.side(units[0])
    enemy = state.enemy(side)
    if hexsets.has(state.field.combat[enemy], hex):
        return
    control.take(table, side, hex)
    _hedgehog(table, side, enemy, hex)
    for points in extenders.collapse(table, enemy, hex):
        escapes.ask(table, enemy, hex, EXTENDER, points)
    for what in (TRUCKS, WAGONS):
        _transport(table, side, enemy, hex, what)
    _dump(table, side, enemy, hex)
    _base(table, side, enemy, hex, by_advance=by_advance)


def _hedgehog(table: Table[State], side: str, enemy: str, i: int) -> None:
    """OCS 9.14e The hedgehog is the captor's, at the level that the game leaves."""
    state = table.state
    works = state.hedgehogs.get(i)
    if works is None or works.side != enemy:
        return
    left = rules(state.charts).entered_hedgehog(state.charts, works.level)
    table.emit(HedgehogSet(side, state.charts.board.name(i), left))


def _roll(table: Table[State], side: str, i: int, what: str) -> int:
    die = table.roll(6, f"capture_{what}")
    percent = table.state.charts.tables.capture.share(what, die)
    table.emit(CaptureRolled(side, table.state.charts.board.name(i), what, die, percent))
    return percent


def _dump(table: Table[State], side: str, enemy: str, i: int) -> None:
    """OCS 9.14b A share of the dump, to the nearest T, is captured; the rest is destroyed."""
    tokens = table.state.supply[enemy].get(i, 0)
    if not tokens:
        return
    percent = _roll(table, side, i, DUMP)
    taken = half_up(tokens * percent, MOST)
    name = table.state.charts.board.name(i)
    if taken:
        table.emit(SupplyChanged(enemy, name, -taken, "captured"))
        table.emit(SupplyChanged(side, name, taken, "captured"))
    if tokens > taken:
        table.emit(SupplyChanged(enemy, name, taken - tokens, "lost"))


def _column(state: State, counter: Counter) -> str:
    face = counter.move
    return state.charts.tables.capture.kind(face.ma if face is not None else 0)


def _transport(table: Table[State], side: str, enemy: str, i: int, what: str) -> None:
    """OCS 9.14c A share of the points and, alike, of their loads is captured; the rest escapes with
    its load, as far as it holds."""
    state = table.state
    there = [
        name
        for name in state.stack(i)
        if state.side(name) == enemy
        and not state.counter(name).combat_unit
        and _column(state, state.counter(name)) == what
    ]
    if not there:
        return
    there.sort(key=lambda name: (state.counter(name).organic, name))
    percent = _roll(table, side, i, what)
    points = sum(state.counter(name).points for name in there)
    load = sum(state.units[name].load for name in there)
    wanted, booty = half_up(points * percent, MOST), half_up(load * percent, MOST)
    lost: list[str] = []
    held = 0
    for name in there:
        if held + state.counter(name).points <= wanted:
            lost.append(name)
            held += state.counter(name).points
    escaped = tuple(name for name in there if name not in lost)
    hex_name = state.charts.board.name(i)
    gained = _own_counters(state, side, what, held)
    unsaved = _unloaded(table, lost, load)
    surplus = unsaved - booty
    if surplus < 0:
        _unloaded(table, escaped, -surplus)
    take_off(table, lost)
    if gained:
        table.emit(Put(gained, hex_name))
    left = _loaded(table, gained, booty)
    if left:
        table.emit(SupplyChanged(side, hex_name, left, "captured"))
    _displace(table, escaped, enemy, i, what)
    alive = tuple(name for name in escaped if table.state.units[name].at >= 0)
    surplus = _loaded(table, alive, max(surplus, 0))
    if surplus:
        # It was in points that are gone: it goes with those that escape, else it is destroyed.
        # Only what lies on the ground can be struck off.
        to = state.charts.board.name(table.state.units[alive[0]].at) if alive else hex_name
        table.emit(SupplyChanged(enemy, to, surplus, "captured"))
        if not alive:
            table.emit(SupplyChanged(enemy, to, -surplus, "lost"))
    escapes.ask(table, enemy, i, what, alive, lost)


def _unloaded(table: Table[State], names: Sequence[str], tokens: int) -> int:
    """OCS 9.14c Take `tokens` T from transport, one after the other; returns what it carried of
    them."""
    taken = 0
    for name in names:
        part = min(table.state.units[name].load, tokens - taken)
        if part:
            table.emit(LoadChanged(name, -part, "captured"))
            taken += part
    return taken


def _own_counters(state: State, side: str, what: str, points: int) -> tuple[str, ...]:
    """OCS 13.2 Ordinary points of the captor's that are not in use, for `points` points."""
    found: list[str] = []
    held = 0
    for name, unit in state.units.items():
        counter = state.counter(name)
        if (
            unit.at < 0
            and unit.where == NOT_ARRIVED
            and counter.side == side
            and not counter.combat_unit
            and not counter.organic
            and _column(state, counter) == what
            and held + counter.points <= points
        ):
            found.append(name)
            held += counter.points
    return tuple(found)


def _loaded(table: Table[State], names: Sequence[str], tokens: int) -> int:
    """OCS 13.2 Load transport with `tokens` T, one after the other; returns what did not fit."""
    state = table.state
    per_point = state.charts.tables.costs["sp_in_t"]
    for name in names:
        room = state.counter(name).points * per_point - table.state.units[name].load
        taken = min(room, tokens)
        if taken > 0:
            table.emit(LoadChanged(name, taken, "captured"))
            tokens -= taken
    return tokens


def _displace(table: Table[State], names: tuple[str, ...], side: str, i: int, what: str) -> None:
    """OCS 9.14c Points that escape are displaced; where they cannot be they are destroyed."""
    if not names:
        return
    state = table.state
    to = escapes.refuge(state, side, i, state.charts.tables.capture.displacement[what])
    if to < 0:
        for name in names:
            table.emit(TakenOff((name,), rules(state.charts).pile(state.charts, name)))
    else:
        table.emit(Put(names, state.charts.board.name(to)))


def _base(table: Table[State], side: str, enemy: str, i: int, *, by_advance: bool) -> None:
    """OCS 9.14f The base is captured, usable at once; aircraft there lose steps and flee."""
    state = table.state
    base = state.bases.get(i)
    if base is None or base.side != enemy:
        return
    name = state.charts.board.name(i)
    table.emit(BaseSet(side, name, base.level))
    if fog.strict(state):
        # That no aircraft lay there is told by the dice that are not rolled (OCS R-20).
        table.learn()
    roll = state.charts.tables.base_capture
    fled = []
    for aircraft in based(state, i):
        dice = (table.roll(6, "base_capture"), table.roll(6, "base_capture"))
        modified = sum(dice)
        if state.aircraft[aircraft].active:
            modified += roll.active_drm
        if by_advance:
            modified += roll.by_advance_drm
        table.emit(BaseRolled(aircraft, dice, modified))
        if modified <= roll.loss_at_most:
            losses.lose_plane(table, aircraft, why=CAPTURE)
        if table.state.aircraft[aircraft].base is not None and _flee(table, aircraft, i):
            fled.append(aircraft)
    escapes.ask(table, enemy, i, BASE, fled)


def _flee(table: Table[State], aircraft: str, i: int) -> bool:
    """OCS 9.14f A surviving aircraft goes to a base or box of its side within twice its range,
    inactive; without one it is destroyed. Whether it gets away."""
    state = table.state
    within = escapes.landing(state, aircraft, i)
    if within:
        put(table, aircraft, min(within, key=lambda base: within[base]), active=False)
    else:
        losses.lose_plane(table, aircraft, state.charts.printed.planes[aircraft].steps, why=CAPTURE)
    return bool(within)


after = ByEvent()
after.unchanged(CaptureRolled, BaseRolled)
