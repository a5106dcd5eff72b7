"""11.0 Reinforcements: received, placed along the railways, or waiting in a box; and the removal of HQs without units in range (11.3)."""

from collections.abc import Mapping
from itertools import islice

from engine.board.tracing import PASS
from engine.games.chitpull.rail import railheads
from engine.games.chitpull.sides import AXIS, ENEMY, SIDES
from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost.command import in_range, on_map
from engine.games.victory_lost.data import MANSTEIN
from engine.games.victory_lost.events import Arrived, ChitsGained, Eliminated, HqRemoved, HqSetAside, Placed
from engine.games.victory_lost.stacking import may_stop, stacking_refusal
from engine.games.victory_lost.state import ARRIVING, ASIDE, REMOVED, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say
from protocol.effects import phase


class Receive(Step[State]):
    """11.1, 11.2.1 Both sides receive what the turn track says, and the HQs set aside on an earlier turn (R-19)."""

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
                hq for hq, turn in state.aside.items() if turn < state.turn and state.counters[hq].where == ASIDE
                and state.data.types[hq].side == side
            )
            if due:
                table.emit(Arrived(side, tuple(sorted(due)), ARRIVING))
        table.done()


def usable_railways(state: State, side: str) -> tuple[int, ...]:
    """11.1.1, R-35 Railway hexes joined to a friendly source by hexes without enemy counters or zones; friends cancel no zone here."""
    memo = state.field.memo
    key = ("rail", side)
    found = memo.get(key)
    if found is None:
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
        sources = [i for i in state.data.sources(side, state.turn, rail=True) if state.data.board.has_link(i, "rail")]
        found = memo[key] = railheads(net, sources, bytes(access))
    return found


def arriving(state: State, side: str) -> tuple[str, ...]:
    """The counters of a side that are still to be placed."""
    types = state.data.types
    return tuple(name for name, counter in state.counters.items() if counter.where == ARRIVING and types[name].side == side)


def entry_hexes(state: State, name: str) -> tuple[int, ...]:
    """11.1.1, 5.0.4 The hexes where a reinforcement may be placed."""
    return tuple(i for i in usable_railways(state, state.data.types[name].side) if may_stop(state, (name,), i))


def can_enter(state: State, name: str) -> bool:
    """Whether a reinforcement can be placed anywhere."""
    return any(may_stop(state, (name,), i) for i in usable_railways(state, state.data.types[name].side))


class Place(Step[State]):
    """11.1.1 One side places its reinforcements; what cannot enter is eliminated (11.1.3), but an HQ that was set aside waits on (R-19)."""

    def __init__(self, side: str) -> None:
        self.side = side

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, while it has something to place and a choice where."""
        due = tuple(islice((name for name in arriving(at.state, self.side) if can_enter(at.state, name)), 2))
        if not due or (len(due) == 1 and len(entry_hexes(at.state, due[0])) == 1):
            return {}
        return {self.side: Decision(say("prompt.victory_lost.place", "11.1.1"))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """A counter, then a railway hex. R-36: placing is not voluntary."""
        state = at.state
        if not picks:
            return offer("victory_lost.verb", ("place",))
        if len(picks) == 1:
            return offer("victory_lost.counter", (name for name in arriving(state, seat) if can_enter(state, name)))
        if len(picks) == 2:
            return offer("victory_lost.rail_hex", state.data.board.grid.names(entry_hexes(state, str(picks[1]))))
        return WHOLE

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """11.1.1 Not on a usable railway, or no room."""
        state = at.state
        pick = str(picks[-1])
        if len(picks) < 3:
            return refuse("11.1.1", "refusal.victory_lost.not_arriving", pick=pick)
        i = state.data.board.grid.index.get(pick, OFF_MAP)
        if i != OFF_MAP and i in usable_railways(state, seat):
            full = stacking_refusal(state, (str(picks[1]),), i)
            if full is not None:
                return full
        return refuse("11.1.1", "refusal.victory_lost.no_railway", hex=pick)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Place one counter."""
        table.emit(Placed(str(picks[1]), str(picks[2])))

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
    """11.1.2 After the Axis placement the chits of arriving HQs and the Manstein chits go to the Unused box."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The chits of this turn; not those of an HQ that is out of the game, nor Manstein if he came at once (15.0.2(a))."""
        state = table.state
        gain(
            table,
            tuple(
                chit
                for chit in chits_due(state)
                if not (state.option("manstein_at_once") and state.data.chits[chit].kind == MANSTEIN)
                and (not state.data.chits[chit].hq or state.counters[state.data.chits[chit].hq].where != REMOVED)
            ),
        )
        table.done()


def chits_due(state: State) -> tuple[str, ...]:
    """The chits that the turn track gives this turn."""
    return tuple(
        sorted(chit for arrival in state.data.turn(state.turn).arrivals if arrival.at == "chits" for chit in arrival.pieces)
    )


def gain(table: Table[State], chits: tuple[str, ...]) -> None:
    """Put chits in the Axis Unused box."""
    if chits:
        table.emit(ChitsGained(AXIS, chits))


class HqRemoval(Step[State]):
    """11.3, 12.6 An HQ with no unit in range that it commands leaves the game with its chit. R-38: not while in a box or set aside."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Test both sides on one position."""
        state = table.state
        alone = [hq for side in SIDES for hq in on_map(state, side) if not in_range(state, hq)]
        for hq in alone:
            table.emit(HqRemoved(hq))
        table.done()
