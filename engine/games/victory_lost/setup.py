"""3.0 Set-up: the map laid out, both sides' forces in the hexes of their colours, and the secret five.

R-03: one side sets up after the other. A counter may be placed anew until its side is ready; "historical" puts the whole side where the
pack's example has it.
"""

from collections.abc import Mapping

from engine.board.stacking import fits
from engine.games.chitpull import chits as cups
from engine.games.chitpull.sides import ENEMY, SOVIET
from engine.games.victory_lost.data import HQ_CHIT, Data, Group
from engine.games.victory_lost.events import BoardLaid, Deployed, FiveChosen, SetUpDone
from engine.games.victory_lost.stacking import stacking_refusal
from engine.games.victory_lost.state import OFF_MAP, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say
from protocol.seal import Secret


class LayOut(Step[State]):
    """3.0 The map, the markers, and every counter where it waits."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Lay everything out."""
        table.emit(BoardLaid())
        table.done()


def set_up_side(state: State, index: int) -> str:
    """R-03 The side that sets up first (0) or second (1)."""
    first = str(state.option("set_up_first"))
    return first if index == 0 else ENEMY[first]


def group_of(data: Data, name: str) -> Group | None:
    """The set-up colour of a counter, None for reinforcements."""
    colour = data.types[name].group
    return next((group for group in data.groups if group.id == colour), None) if colour else None


def to_set_up(data: Data, side: str) -> tuple[str, ...]:
    """The counters that a side sets up, in order of ids."""
    return tuple(sorted(name for group in data.groups if group.side == side for name in group.counters))


def free_hexes(state: State, name: str) -> tuple[int, ...]:
    """3.0, 5.0.4 The hexes of its colour where a counter may be set up now, other than its own."""
    group = group_of(state.data, name)
    if group is None:
        return ()
    types = state.data.types
    here = state.at(name)
    found = []
    for i in group.hq_hexes if types[name].hq else group.hexes:
        if i == here or state.field.closed(i):
            continue
        friends = [types[other].piece for other in state.field.stacks.get(i, ())]
        if not friends or fits(state.data.limits, friends, types[name].piece):
            found.append(i)
    return tuple(found)


class SetUp(Step[State]):
    """3.0 One side sets up its forces."""

    def __init__(self, index: int) -> None:
        self.index = index

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, unless the game was made with the historical set-up."""
        side = set_up_side(at.state, self.index)
        if at.state.option("set_up") == "historical" or side in at.state.ready:
            return {}
        return {side: Decision(say("prompt.victory_lost.set_up", "3.0"))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Place a counter, take the example set-up, or be ready once all are placed."""
        state = at.state
        mine = to_set_up(state.data, seat)
        if not picks:
            whole = all(state.at(name) != OFF_MAP for name in mine)
            example = any(state.at(name) != state.data.historical.get(name, OFF_MAP) for name in mine)
            return offer("victory_lost.verb", ("place", *(("historical",) if example else ()), *(("ready",) if whole else ())))
        if picks[0] != "place" or len(picks) == 3:
            return WHOLE
        if len(picks) == 1:
            return offer("victory_lost.counter", (name for name in mine if free_hexes(state, name)))
        return offer("victory_lost.set_up_hex", state.data.board.grid.names(free_hexes(state, str(picks[1]))))

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """What keeps the counter from the hex, or the side from being ready."""
        state = at.state
        pick = str(picks[-1])
        if len(picks) == 1:
            if pick == "ready":
                return refuse("3.0", "refusal.victory_lost.set_up_first")
            return refuse("3.0", "refusal.victory_lost.verb", pick=pick)
        if len(picks) == 2:
            return refuse("3.0", "refusal.victory_lost.not_in_set_up", pick=pick)
        i = state.data.board.grid.index.get(pick, OFF_MAP)
        group = group_of(state.data, str(picks[1]))
        if i == OFF_MAP:
            return refuse("3.0", "refusal.victory_lost.no_such_hex", hex=pick)
        if group is None or i not in (group.hq_hexes if state.data.types[str(picks[1])].hq else group.hexes):
            return refuse("3.0", "refusal.victory_lost.wrong_colour", hex=pick, counter=str(picks[1]))
        return stacking_refusal(state, (str(picks[1]),), i) or refuse("3.0", "refusal.victory_lost.there_already", hex=pick)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Carry out one step of the set-up."""
        if picks[0] == "place":
            table.emit(Deployed(str(picks[1]), str(picks[2])))
        elif picks[0] == "historical":
            _take_example(table, seat)
        else:
            table.emit(SetUpDone(seat))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The side is ready, or the option sets it up."""
        side = set_up_side(table.state, self.index)
        if side not in table.state.ready:
            _take_example(table, side)
            table.emit(SetUpDone(side))
        table.done()


def _take_example(table: Table[State], side: str) -> None:
    state = table.state
    for name in to_set_up(state.data, side):
        i = state.data.historical.get(name, OFF_MAP)
        if i != OFF_MAP and state.at(name) != i:
            table.emit(Deployed(name, state.data.name(i)))


class SecretFive(Step[State]):
    """3.0 The Soviet player secretly picks the HQ chits of the whole game, or the option takes the historical ones."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Soviet player."""
        if at.state.cup.five is not None or at.state.option("soviet_five") == "historical":
            return {}
        return {SOVIET: Decision(say("prompt.victory_lost.five", "3.0", n=at.state.data.five))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """So many of all Soviet HQ chits, in rising order; also of HQs that arrive later."""
        if not picks:
            return offer("victory_lost.verb", ("choose",))
        data = at.state.data
        return cups.selection(soviet_hq_chits(data), min(data.five, len(soviet_hq_chits(data))), picks[1:], "victory_lost.chit")

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """Only Soviet HQ chits, each once."""
        return refuse("3.0", "refusal.victory_lost.five", pick=str(picks[-1]), n=at.state.data.five)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Keep them, sealed."""
        table.emit(FiveChosen(Secret(tuple(picks[1:]), (SOVIET,))))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Chosen, or taken as history had them."""
        if table.state.cup.five is None:
            table.emit(FiveChosen(Secret(tuple(sorted(table.state.data.historical_five)), (SOVIET,))))
        table.done()


def soviet_hq_chits(data: Data) -> tuple[str, ...]:
    """Every Soviet HQ chit, in order of ids."""
    return tuple(sorted(chit.id for chit in data.chits.values() if chit.side == SOVIET and chit.kind == HQ_CHIT))
