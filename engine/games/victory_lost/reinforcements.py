"""11.0 Reinforcements: received, placed along the railways, or waiting in a box; and the removal of
HQs without units in range (11.3).

11.1.1 Railways joined to a source are followed in engine/games/chitpull/rail.py.
"""

from collections.abc import Iterable, Mapping
from itertools import islice

from attrs import frozen

from warledger.engine.board.tracing import PASS
from warledger.engine.games.chitpull.pack import HQ_CHIT
from warledger.engine.games.chitpull.rail import railheads
from warledger.engine.games.chitpull.sides import AXIS, ENEMY, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP, hex_at
from warledger.engine.games.victory_lost.command import in_range, on_map
from warledger.engine.games.victory_lost.data import MANSTEIN
from warledger.engine.games.victory_lost.draw import put_chit, put_piece
from warledger.engine.games.victory_lost.headquarters import HqSetAside
from warledger.engine.games.victory_lost.losses import Eliminated
from warledger.engine.games.victory_lost.stacking import may_stop, why_not_stacked
from warledger.engine.games.victory_lost.state import (
    ARRIVING,
    ASIDE,
    REMOVED,
    State,
    changed,
    relocated,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, phase, take, tell

# --- events ---------------------------------------------------------------------------------------


@event("arrived")
class Arrived:
    """11.1, 11.2.1 Counters are received: to be placed by rail now ("arriving") or waiting in a
    box."""

    side: str
    counters: tuple[str, ...]
    where: str


@event("placed")
class Placed:
    """11.1.1 A reinforcement is placed on a railway hex."""

    counter: str
    hex: str


@event("chits_gained")
class ChitsGained:
    """11.1.2 Axis chits go to the Unused box."""

    side: str
    chits: tuple[str, ...]


@event("hq_removed")
class HqRemoved:
    """11.3 An HQ without a unit in range leaves the game with its chit."""

    hq: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(Arrived)
def _arrived(state: State, event: Arrived) -> State:
    for name in event.counters:
        state = relocated(state, name, OFF_MAP, event.where)
    return state


@after(Placed)
def _placed(state: State, event: Placed) -> State:
    aside = {hq: turn for hq, turn in state.aside.items() if hq != event.counter}
    return changed(relocated(state, event.counter, state.data.hex(event.hex)), aside=aside)


@after(ChitsGained)
def _chits_gained(state: State, event: ChitsGained) -> State:
    stock = {
        **state.cup.stock,
        event.side: tuple(sorted((*state.cup.stock.get(event.side, ()), *event.chits))),
    }
    return changed(state, cup=replace(state.cup, stock=stock))


@after(HqRemoved)
def _hq_removed(state: State, event: HqRemoved) -> State:
    gone = tuple(
        sorted(
            chit.id
            for chit in state.data.chits.values()
            if chit.kind == HQ_CHIT and chit.hq == event.hq
        )
    )
    cup = state.cup
    stock = {
        side: tuple(chit for chit in chits if chit not in gone) for side, chits in cup.stock.items()
    }
    cup = replace(cup, stock=stock, removed=(*cup.removed, *gone))
    return changed(relocated(state, event.hq, OFF_MAP, REMOVED), cup=cup)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Arrived)
def _draw_arrived(before: State, event: Arrived, after: State) -> Iterable[Effect]:
    for name in event.counters:
        yield put_piece(after, name)
    if event.where in after.data.boxes:
        yield tell(
            "victory_lost.arrived_in_box",
            "11.2.1",
            side=event.side,
            counters=event.counters,
            box=event.where,
        )
    else:
        yield tell("victory_lost.arrived", "11.1", side=event.side, counters=event.counters)


@draws(Placed)
def _draw_placed(before: State, event: Placed, after: State) -> Iterable[Effect]:
    yield put_piece(after, event.counter)
    yield tell("victory_lost.placed", "11.1.1", counter=event.counter, hex=event.hex)


@draws(ChitsGained)
def _draw_chits_gained(before: State, event: ChitsGained, after: State) -> Iterable[Effect]:
    for chit in event.chits:
        yield put_chit(after, chit)
    yield tell("victory_lost.chits_gained", "11.1.2", side=event.side, chits=event.chits)


@draws(HqRemoved)
def _draw_hq_removed(before: State, event: HqRemoved, after: State) -> Iterable[Effect]:
    yield take(event.hq, REMOVED)
    for chit in after.cup.removed[len(before.cup.removed) :]:
        if chit in before.cup.shown or any(chit in chits for chits in before.cup.stock.values()):
            yield take(chit)
    yield tell("victory_lost.hq_removed", "11.3", hq=event.hq)


class Receive(Step[State]):
    """11.1, 11.2.1 Both sides receive what the turn track says, and the HQs set aside on an earlier
    turn (R-19)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Counters to be placed, and counters that go to their box."""
        table.tell(phase("phase.victory_lost.reinforcements"))
        state = table.state
        for side in SIDES:
            due: list[str] = []
            for arrival in state.data.turn(state.turn).arrivals:
                if arrival.side != side or arrival.at == "chits":
                    continue
                if arrival.at == "rail":
                    due.extend(arrival.pieces)
                else:
                    table.emit(Arrived(side, tuple(sorted(arrival.pieces)), arrival.at))
            due.extend(
                hq
                for hq, turn in state.aside.items()
                if turn < state.turn
                and state.counters[hq].where == ASIDE
                and state.data.types[hq].side == side
            )
            if due:
                table.emit(Arrived(side, tuple(sorted(due)), ARRIVING))
        table.done()


@remembered(of=lambda state, side: state.field)
def usable_railways(state: State, side: str) -> tuple[int, ...]:
    """11.1.1, R-35 Railway hexes joined to a friendly source by hexes without enemy counters or
    zones; friends cancel no zone here."""
    field = state.field
    enemy, hqs = field.zones(ENEMY[side]), field.hqs(ENEMY[side])
    access = bytearray(enemy.count.translate(bytes([PASS] + [0] * 255)))
    for i in field.stacks:
        if enemy.pieces[i] or hqs[i]:
            access[i] = 0
    if field.pocket_closed:
        for i in state.data.pocket:
            access[i] = 0
    net = state.data.rail_net_closed if field.pocket_closed else state.data.rail_net
    sources = [
        i
        for i in state.data.sources(side, field.turn, rail=True)
        if state.data.board.has_link(i, "rail")
    ]
    return railheads(net, sources, bytes(access))


def arriving(state: State, side: str) -> tuple[str, ...]:
    """11.0 The counters of a side that are still to be placed."""
    types = state.data.types
    return tuple(
        name
        for name, counter in state.counters.items()
        if counter.where == ARRIVING and types[name].side == side
    )


def entry_hexes(state: State, name: str) -> tuple[int, ...]:
    """11.1.1, 5.0.4 The hexes where a reinforcement may be placed."""
    return tuple(
        i
        for i in usable_railways(state, state.data.types[name].side)
        if may_stop(state, (name,), i)
    )


def can_enter(state: State, name: str) -> bool:
    """Whether a reinforcement can be placed anywhere."""
    return any(
        may_stop(state, (name,), i) for i in usable_railways(state, state.data.types[name].side)
    )


@frozen
class Placing:
    """A counter that is placed, and its hex."""

    counter: str = ""
    hex: str = ""


class Place(Asking[State]):
    """11.1.1 One side places its reinforcements; what cannot enter is eliminated (11.1.3), but an
    HQ that was set aside waits on (R-19)."""

    verb_slot = "victory_lost.verb"

    def __init__(self, side: str) -> None:
        self.side = side

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, while it has something to place and a choice where."""
        due = tuple(
            islice((name for name in arriving(at.state, self.side) if can_enter(at.state, name)), 2)
        )
        if not due or (len(due) == 1 and len(entry_hexes(at.state, due[0])) == 1):
            return {}
        return {self.side: Decision(say("prompt.victory_lost.place", "11.1.1"))}

    def commands(self) -> Commands[State]:
        """11.1.1 A counter, then a railway hex. R-36: placing is not voluntary."""
        return (
            Command(
                "place",
                Placing,
                Slot("counter", "victory_lost.counter", self._counters, self._why_not_counter),
                Slot("hex", "victory_lost.rail_hex", self._hexes, self._why_not_hex),
                apply=lambda table, asked, order: table.emit(Placed(order.counter, order.hex)),
                beyond=self._why_not_hex,
            ),
        )

    def _counters(self, asked: Asked[State], order: Placing) -> list[str]:
        state = asked.state
        return [name for name in arriving(state, asked.seat) if can_enter(state, name)]

    def _hexes(self, asked: Asked[State], order: Placing) -> tuple[str, ...]:
        state = asked.state
        return state.data.board.grid.names(entry_hexes(state, order.counter))

    def _why_not_counter(self, asked: Asked[State], order: Placing, pick: Pick) -> Refusal:
        return self.no_verb(asked, pick)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """11.1.1 Only counters that have arrived and can enter."""
        return refuse("11.1.1", "refusal.victory_lost.not_arriving", pick=str(verb))

    def _why_not_hex(self, asked: Asked[State], order: Placing, pick: Pick) -> Refusal:
        """11.1.1 Not on a usable railway, or no room."""
        state, i = asked.state, hex_at(asked.state, pick)
        full = (
            why_not_stacked(state, (order.counter,), i)
            if i in usable_railways(state, asked.seat)
            else None
        )
        return full or refuse("11.1.1", "refusal.victory_lost.no_railway", hex=str(pick))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """A single counter with a single hex is placed; what is left cannot enter."""
        for name in arriving(table.state, self.side):
            state = table.state
            type_ = state.data.types[name]
            places = entry_hexes(state, name)
            if places:
                table.emit(Placed(name, state.data.name(places[0])))
            elif type_.hq and name in state.aside and state.option("reset_retry"):
                table.emit(HqSetAside(name))
            elif type_.hq:
                table.emit(HqRemoved(name))
            else:
                table.emit(Eliminated(name, "no_entry", type_.points))
        table.done()


class GainChits(Step[State]):
    """11.1.2 After the Axis placement the chits of arriving HQs and the Manstein chits go to the
    Unused box."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The chits of this turn; not those of an HQ that is out of the game, nor Manstein if he
        came at once (15.0.2(a))."""
        state = table.state
        gain(
            table,
            tuple(
                chit
                for chit in chits_due(state)
                if not (
                    state.option("manstein_at_once") and state.data.chits[chit].kind == MANSTEIN
                )
                and (
                    not state.data.chits[chit].hq
                    or state.counters[state.data.chits[chit].hq].where != REMOVED
                )
            ),
        )
        table.done()


def chits_due(state: State) -> tuple[str, ...]:
    """11.1.2 The chits that the turn track gives this turn."""
    return tuple(
        sorted(
            chit
            for arrival in state.data.turn(state.turn).arrivals
            if arrival.at == "chits"
            for chit in arrival.pieces
        )
    )


def gain(table: Table[State], chits: tuple[str, ...]) -> None:
    """11.1.2 Put chits in the Axis Unused box."""
    if chits:
        table.emit(ChitsGained(AXIS, chits))


class HqRemoval(Step[State]):
    """11.3, 12.6 An HQ with no unit in range that it commands leaves the game with its chit. R-38:
    not while in a box or set aside."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Test both sides on one position."""
        state = table.state
        alone = [hq for side in SIDES for hq in on_map(state, side) if not in_range(state, hq)]
        for hq in alone:
            table.emit(HqRemoved(hq))
        table.done()


STEPS: Mapping[str, Step[State]] = {
    "receive": Receive(),
    "place_axis": Place(AXIS),
    "gain_chits": GainChits(),
    "place_soviet": Place(SOVIET),
    "hq_removal": HqRemoval(),
}
