"""OCS 12.7: extenders, transport points that carry trace supply on.

OCS 12.7 Five ordinary transport points of one kind in a hex, unloaded, form an extender in their
own Movement Phase, for half their MA. It stands still, and for half its MA it is five transport
points again. Trace ends at it, as far as it reaches a source or another extender that does: a truck
extender within 20 Truck points, a wagon extender within 10 Leg points, both as supply paths are
counted, adjacency included (12.3c). It carries railways on: trace goes on by rail from its hex. OCS
12.7d It is not formed where it does not connect. OCS 9.14d Where an enemy enters its hex it
collapses to a hex in its range that is in trace supply, transport again. Where there is none it is
captured as transport is. Instead of moving it may collapse so of its own will.

[R] A hex has one extender of each kind at most. The points that form one are those with the lowest
ids. Where it collapses under attack it goes to the nearest such hex, one with its side's combat
units before others, the lowest index of equals. Its range is then counted as if no enemy were near,
since the zones of those who have come upon it would bar every way.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import LEG, TRUCK
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch06_movement.movement import interrupted, movable
from warledger.engine.games.ocs.ch12_supply import sources, supply_search
from warledger.engine.games.ocs.ch13_special_units.arrivals import in_trace
from warledger.engine.games.ocs.series.events import Put
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, event
from warledger.protocol.board.choices import refuse

POINTS = 5
"""OCS 12.7 Transport points that make an extender."""

TRUCKS, WAGONS = fog.TRUCKS, fog.WAGONS
KINDS = (TRUCKS, WAGONS)
"""The words for the two kinds."""


@event("ocs.extended")
class Extended:
    """OCS 12.7 Transport points in a hex form an extender, or (not `stands`) are transport again,
    for parts of their movement, by unit. Which and where is hidden."""

    side: str
    units: Any
    spent: Any
    stands: Any


@event("ocs.collapsed")
class Collapsed:
    """OCS 9.14d An extender of a side collapses of its owner's will to a hex, and its points have
    moved. Which and where is hidden."""

    side: str
    units: Any
    to: Any


after = ByEvent()


@after(Extended)
def _extended(state: State, event: Extended) -> State:
    names, spent, stands = map(fog.plain, (event.units, event.spent, event.stands))
    made = {}
    for name, parts in zip(names, spent, strict=True):
        unit = state.units[name]
        made[name] = replace(
            unit, extender=stands, spent=unit.spent + parts, finished=unit.finished or stands
        )
    return changed(state, made)


@after(Collapsed)
def _collapsed(state: State, event: Collapsed) -> State:
    at = state.charts.board.hex(fog.plain(event.to))
    return changed(
        state,
        {
            name: replace(state.units[name], at=at, extender=False, finished=True)
            for name in fog.plain(event.units)
        },
    )


# --- what stands ----------------------------------------------------------------------------------


def kind_of(state: State, name: str) -> str:
    """OCS 12.7 The kind of extender that a transport point makes, "" for none: organic trucks make
    none."""
    counter = state.counter(name)
    if counter.combat_unit or counter.organic or not counter.points or counter.move is None:
        return ""
    return WAGONS if counter.move.mobility == LEG else TRUCKS


def on_map(state: State, side: str) -> Mapping[tuple[int, str], tuple[str, ...]]:
    """OCS 12.7 The extenders of a side: hex and kind -> the points that they are made of."""
    found: dict[tuple[int, str], tuple[str, ...]] = {}
    for name in sources.transport_of(state.charts.printed, side):
        unit = state.units[name]
        if unit.extender and unit.at >= 0:
            key = (unit.at, kind_of(state, name))
            found[key] = (*found.get(key, ()), name)
    return dict(sorted(found.items()))


def extent(
    state: State, side: str, i: int, kind: str, *, freely: bool = False
) -> supply_search.Extent:
    """OCS 12.7 What an extender of a kind in a hex reaches; `freely`: as if no enemy were near."""
    mobility = LEG if kind == WAGONS else TRUCK
    return sources.extender_extent(state, side, i, mobility, freely=freely)


# --- forming and unforming ------------------------------------------------------------------------


def half(state: State, name: str) -> int:
    """OCS 12.7 Parts of movement that forming and unforming cost a transport point."""
    return -(-modes.allowance(state, name) // 2)


def _in_time(state: State, side: str) -> bool:
    return state.segment == "c2" and state.phasing == side


def _joins(state: State, name: str) -> bool:
    """OCS 12.7e Whether a transport point has half its MA left to form an extender: points may come
    from different hexes. So one whose move has ended in this phase still can, unless something has
    carried it or an enemy zone has stopped it."""
    unit = state.units[name]
    open_ = replace(state.units[name], finished=False) if not unit.carried else unit
    return movable(
        changed(state, {name: open_}) if open_ is not unit else state, name
    ) and modes.left(state, name) >= half(state, name)


def _five(state: State, names: Sequence[str]) -> tuple[str, ...]:
    """The first of these transport points that make up five, none where no choice does."""

    def pick(left: Sequence[str], room: int) -> tuple[str, ...] | None:
        if not room:
            return ()
        for n, name in enumerate(left):
            size = state.counter(name).points
            if size <= room and (rest := pick(left[n + 1 :], room - size)) is not None:
                return (name, *rest)
        return None

    return pick(names, POINTS) or ()


def free_counters(state: State, side: str, kind: str) -> bool:
    """OCS 12.7 Whether the counter mix has another extender of a kind for a side."""
    marker = state.charts.printed.markers.get(f"marker.extender.{kind.removesuffix('s')}")
    if marker is None:
        return True
    if marker.side not in (side, "both"):
        return False
    return sum(one == kind for _, one in on_map(state, side)) < marker.count


@remembered()
def formable(state: State, side: str) -> Mapping[tuple[int, str], tuple[str, ...]]:
    """OCS 12.7, 12.7d Hex and kind -> the points that can form an extender there now: unloaded,
    with half their MA left, where it connects."""
    if not _in_time(state, side) or not rules(state.charts).extends(state.charts, side):
        return {}
    there: dict[tuple[int, str], list[str]] = {}
    for name in sources.transport_of(state.charts.printed, side):
        unit, kind = state.units[name], kind_of(state, name)
        if unit.at < 0 or unit.load or not kind:
            continue
        if _joins(state, name):
            there.setdefault((unit.at, kind), []).append(name)
    stand = on_map(state, side)
    usable = sources.usable(state, side)
    found = {}
    for (i, kind), names in sorted(there.items()):
        five = _five(state, sorted(names))
        if (
            five
            and (i, kind) not in stand
            and hexsets.has(usable, i)
            and free_counters(state, side, kind)
            and extent(state, side, i, kind).touching & sources.sources(state, side)
        ):
            found[i, kind] = five
    return found


@remembered()
def foldable(state: State, side: str) -> Mapping[tuple[int, str], tuple[str, ...]]:
    """OCS 12.7 Extenders of a side that can be transport again now: those that were not formed in
    this phase."""
    if not _in_time(state, side):
        return {}
    return {
        key: names
        for key, names in on_map(state, side).items()
        if not any(state.units[name].finished for name in names)
        and all(modes.left(state, name) >= half(state, name) for name in names)
    }


@remembered()
def refuges(state: State, side: str, i: int, kind: str, *, entered: bool = False) -> Hexes:
    """OCS 9.14d Hexes to which an extender can collapse: in its range, in trace supply, without
    enemies. Its own hex is none of them. `entered`: an enemy is in its hex."""
    charts = state.charts
    open_ = charts.scenario.play & ~state.field.occupied[charts.enemy(side)] & ~(1 << i)
    return in_trace(state, side, extent(state, side, i, kind, freely=entered).inside & open_)


# --- under attack ---------------------------------------------------------------------------------


def collapse(table: Table[State], side: str, i: int) -> tuple[tuple[str, ...], ...]:
    """OCS 9.14d An enemy has entered a hex: the extenders of a side there collapse to where there
    is trace supply. Those that cannot are transport where they stand, to be captured as such.
    Returns the points of those that have collapsed."""
    gone = []
    for kind in KINDS:
        state = table.state
        names = on_map(state, side).get((i, kind), ())
        if not names:
            continue
        # What the extender itself carries on does not save it. Everybody sees it go, as they see
        # transport that escapes (9.14c).
        table.emit(Extended(side, names, (0,) * len(names), False))
        state = table.state
        open_ = refuges(state, side, i, kind, entered=True)
        if open_:
            to = refuge(state, side, i, open_)
            table.emit(Put(names, state.charts.board.name(to)))
            gone.append(names)
    return tuple(gone)


def refuge(state: State, side: str, i: int, open_: Hexes) -> int:
    """OCS 9.14d [R] The nearest of these hexes, one with combat units of the side before others."""
    friends = open_ & state.field.combat[side]
    distance = state.charts.board.map.grid.distance
    return min(hexsets.listed(friends or open_), key=lambda h: (distance(i, h), h))


def _extend(table: Table[State], side: str, names: tuple[str, ...], *, stands: bool) -> None:
    """OCS 12.7 Points form an extender or are transport again, for half their MA."""
    state = table.state
    parts = tuple(half(state, name) for name in names)

    def hide(value: object) -> Any:
        return fog.hidden(state, side, value)

    table.emit(Extended(side, hide(names), hide(parts), hide(stands)))


# --- commands -------------------------------------------------------------------------------------


@frozen
class Extending:
    """OCS 12.7 The hex and the kind."""

    hex: str = ""
    kind: str = ""


@frozen
class Withdrawing(Extending):
    """OCS 9.14d The hex, the kind, and the hex to which it collapses."""

    to: str = ""


def commands() -> Commands[State]:
    """OCS 12.7 extend HEX KIND, fold HEX KIND, collapse HEX KIND HEX: for the step in which a side
    moves."""
    return (
        _command("extend", formable, _form, "refusal.ocs.nothing_to_extend"),
        _command("fold", foldable, _fold, "refusal.ocs.no_extender"),
        _command(
            "collapse", withdrawable, _withdraw, "refusal.ocs.no_extender", Withdrawing, _to()
        ),
    )


def _command(
    verb: str,
    which: Any,
    apply: Any,
    none: str,
    order: type[Extending] = Extending,
    *more: Slot[State, Any],
) -> Command[State, Any]:
    def hexes(asked: Asked[State], order: Extending) -> Iterable[str]:
        name = asked.state.charts.board.name
        return dict.fromkeys(name(i) for i, _ in which(asked.state, asked.seat))

    def kinds(asked: Asked[State], order: Extending) -> Iterable[str]:
        i = asked.state.charts.board.hex(order.hex)
        return [kind for at, kind in which(asked.state, asked.seat) if at == i]

    return Command(
        verb,
        order,
        Slot("hex", "ocs.extender", hexes, _why_not),
        Slot("kind", "ocs.extender_kind", kinds, _why_not),
        *more,
        apply=apply,
        when=lambda asked: bool(which(asked.state, asked.seat)),
        why=lambda asked: refuse("OCS 12.7", none),
    )


def withdrawable(state: State, side: str) -> Mapping[tuple[int, str], tuple[str, ...]]:
    """OCS 9.14d Extenders that can collapse of their owner's will, instead of moving."""
    return {
        (i, kind): names
        for (i, kind), names in foldable(state, side).items()
        if refuges(state, side, i, kind)
    }


def _to() -> Slot[State, Withdrawing]:
    def hexes(asked: Asked[State], order: Withdrawing) -> Iterable[str]:
        board = asked.state.charts.board
        open_ = refuges(asked.state, asked.seat, board.hex(order.hex), order.kind)
        return map(board.name, hexsets.listed(open_))

    return Slot("to", "ocs.hex", hexes, _why_not_to)


def _key(asked: Asked[State], order: Extending) -> tuple[int, str]:
    return asked.state.charts.board.hex(order.hex), order.kind


def _form(table: Table[State], asked: Asked[State], order: Extending) -> None:
    names = formable(asked.state, asked.seat)[_key(asked, order)]
    interrupted(table, names)
    _extend(table, asked.seat, names, stands=True)


def _fold(table: Table[State], asked: Asked[State], order: Extending) -> None:
    names = foldable(asked.state, asked.seat)[_key(asked, order)]
    interrupted(table, ())
    _extend(table, asked.seat, names, stands=False)


def _withdraw(table: Table[State], asked: Asked[State], order: Withdrawing) -> None:
    state, side = asked.state, asked.seat
    names = foldable(state, side)[_key(asked, order)]
    interrupted(table, ())
    table.emit(Collapsed(side, fog.hidden(state, side, names), fog.hidden(state, side, order.to)))


def _why_not(asked: Asked[State], order: Extending, pick: Pick) -> Refusal:
    return refuse("OCS 12.7", "refusal.ocs.no_extender_there", pick=pick)


def _why_not_to(asked: Asked[State], order: Extending, pick: Pick) -> Refusal:
    return refuse("OCS 9.14d", "refusal.ocs.no_refuge_there", pick=pick)
