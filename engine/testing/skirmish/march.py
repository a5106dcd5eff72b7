"""Chapter 3: units march."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.board.paths import NO_ENTRY, Conditions, Reach, reach
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.engine.testing.skirmish.state import State, other
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, closing, mark, move, tell

after = ByEvent()
draws = ByEvent()


# --- what happens ---------------------------------------------------------------------------------


@event("marched")
class Marched:
    """3 A unit has moved along a path of hexes, its own first."""

    unit: str
    path: tuple[str, ...]


@after(Marched)
def _marched(state: State, event: Marched) -> State:
    hex = state.data.hex(event.path[-1])
    side = state.printed(event.unit).side
    entered = {state.data.hex(name) for name in event.path[1:]}
    taken = {town: side for town in state.data.towns if town in entered}
    return replace(
        state,
        units={**state.units, event.unit: replace(state.units[event.unit], hex=hex)},
        held=dict(sorted({**state.held, **taken}.items())),
        acted=(*state.acted, event.unit),
    )


@draws(Marched)
def _draw_marched(before: State, event: Marched, state: State) -> Iterable[Effect]:
    yield move(event.unit, *event.path)
    yield mark(event.unit, "acted", 1)
    yield tell("skirmish.marched", "3", unit=event.unit, path=event.path)
    for town, side in state.held.items():
        if before.held.get(town) != side:
            name = state.data.name(town)
            yield mark(name, "held", side)
            yield tell("skirmish.taken", "5.1", side=side, hex=name)


def picture(state: State) -> Iterable[Effect]:
    """The towns that are held, on an empty board."""
    for town, side in state.held.items():
        yield mark(state.data.name(town), "held", side)


# --- the rule -------------------------------------------------------------------------------------


def reached(state: State, unit: str) -> Reach:
    """3.1, 3.2 Where a unit can go: through its own units, never through the enemy's."""
    printed = state.printed(unit)
    enemies = {state.units[name].hex for name in state.of(other(printed.side))}
    flags = bytes(NO_ENTRY if i in enemies else 0 for i in range(len(state.data.map.grid)))
    going = state.data.going[printed.going]
    return reach(going, state.units[unit].hex, printed.move, Conditions(flags))


def ends(state: State, unit: str) -> tuple[str, ...]:
    """3.2 The hexes in which its move may end: those without a unit."""
    occupied = state.occupied()
    found = reached(state, unit)
    return tuple(state.data.name(hex) for hex in found.hexes() if hex not in occupied)


# --- the step -------------------------------------------------------------------------------------


@frozen
class Marching:
    """move UNIT HEX."""

    unit: str = ""
    hex: str = ""


class March(Asking[State]):
    """3 The side that has drawn *March* moves its units, one after another. Frame arguments: the
    side."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, while it has a unit that can move."""
        side = frame.args[0]
        able = any(ends(at.state, unit) for unit in at.state.ready(side))
        return {side: Decision(say("prompt.skirmish.march", "3"))} if able else {}

    def commands(self) -> Commands[State]:
        """Move a unit, or be done."""
        return (
            Command(
                "move",
                Marching,
                Slot("unit", "skirmish.unit", _movers, _why_not_unit),
                Slot("hex", "skirmish.hex", _hexes, _why_not_hex),
                apply=_move,
            ),
            word("done", lambda table, asked: _finish(table)),
        )

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nobody is left to move."""
        _finish(table)


def _movers(asked: Asked[State], order: Marching) -> Iterable[str]:
    state = asked.state
    return [unit for unit in state.ready(asked.seat) if ends(state, unit)]


def _why_not_unit(asked: Asked[State], order: Marching, pick: Pick) -> Refusal | None:
    if pick in asked.state.acted:
        return refuse("3", "refusal.skirmish.acted", unit=pick)
    return None


def _hexes(asked: Asked[State], order: Marching) -> Iterable[str]:
    return ends(asked.state, order.unit)


def _why_not_hex(asked: Asked[State], order: Marching, pick: Pick) -> Refusal | None:
    state = asked.state
    hex = state.data.map.grid.index.get(str(pick))
    if hex is None:
        return None
    if hex in state.occupied():
        return refuse("3.2", "refusal.skirmish.occupied", hex=pick)
    return refuse("3.1", "refusal.skirmish.too_far", unit=order.unit, hex=pick)


def _move(table: Table[State], asked: Asked[State], order: Marching) -> None:
    state = table.state
    start, goal = state.units[order.unit].hex, state.data.hex(order.hex)
    way = (start, *reached(state, order.unit).way(goal))
    table.emit(Marched(order.unit, tuple(state.data.name(hex) for hex in way)))


def _finish(table: Table[State]) -> None:
    table.tell(closing("activation"))
    table.done()


STEPS: Mapping[str, Step[State]] = {"march": March()}
