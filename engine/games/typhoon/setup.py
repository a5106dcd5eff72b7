"""4.0 Setting up: the map laid out, both sides' formations in their hexes.

R-13 The Soviet player sets up first, openly, then the Axis. HQs with a printed hex stand there already; a unit may be placed anew until its
side is ready; "preset" puts a whole side where the pack's own deployment has it. 4.0(1) Who plays which side is settled by the seats.
"""

from collections.abc import Mapping

from engine.games.chitpull.sides import ENEMY
from engine.games.typhoon.data import Data, Group
from engine.games.typhoon.events import BoardLaid, Deployed, SetUpDone
from engine.games.typhoon.movement import has_room, stacking_refusal
from engine.games.typhoon.state import OFF_MAP, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say


class LayOut(Step[State]):
    """4.0(3), 4.0(4) The boxes, 4.0(5) the HQs with a printed hex, 4.0(6) all on their full face, 4.0(7) the chits at hand, 4.0(8) the turn
    marker before box 1."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Lay everything out."""
        table.emit(BoardLaid())
        table.done()


def set_up_side(state: State, index: int) -> str:
    """R-13 The side that sets up first (0) or second (1)."""
    first = str(state.option("set_up_first"))
    return first if index == 0 else ENEMY[first]


def group_of(data: Data, name: str) -> Group | None:
    """2.21(2)4, 2.22-2 The formation of a unit, None for what waits in a box."""
    mark = data.types[name].group
    return next((group for group in data.groups if group.id == mark), None) if mark else None


def to_set_up(data: Data, side: str) -> tuple[str, ...]:
    """4.0(2) The units that a side sets up, in order of ids."""
    return tuple(sorted(name for group in data.groups if group.side == side for name in group.units))


def free_hexes(state: State, name: str) -> tuple[int, ...]:
    """4.0(2) The hexes of its formation where a unit may be set up now, other than its own: at most two units a hex, HQs included."""
    group = group_of(state.data, name)
    if group is None:
        return ()
    here = state.at(name)
    return tuple(i for i in group.hexes if i != here and has_room(state, (name,), i))


def bare_hexes(state: State, side: str) -> tuple[int, ...]:
    """4.0(2) Set-up hexes of a side that hold no unit yet: each must receive one."""
    stacks = state.field.stacks
    return tuple(i for group in state.data.groups if group.side == side and group.every_hex for i in group.hexes if i not in stacks)


class SetUp(Step[State]):
    """4.0(2) One side sets up its units."""

    def __init__(self, index: int) -> None:
        self.index = index

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, unless the game was made with the preset deployment."""
        side = set_up_side(at.state, self.index)
        if at.state.option("set_up") == "preset" or side in at.state.ready:
            return {}
        return {side: Decision(say("prompt.typhoon.set_up", "4.0(2)"))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Place a unit, take the preset deployment, or be ready once all are placed and no set-up hex is empty."""
        state = at.state
        mine = to_set_up(state.data, seat)
        if not picks:
            whole = all(state.at(name) != OFF_MAP for name in mine) and not bare_hexes(state, seat)
            other = any(state.at(name) != state.data.preset.get(name, OFF_MAP) for name in mine)
            return offer("typhoon.verb", ("place", *(("preset",) if other else ()), *(("ready",) if whole else ())))
        if picks[0] != "place" or len(picks) == 3:
            return WHOLE
        if len(picks) == 1:
            return offer("typhoon.unit", (name for name in mine if free_hexes(state, name)))
        return offer("typhoon.set_up_hex", state.data.board.grid.names(free_hexes(state, str(picks[1]))))

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """What keeps the unit from the hex, or the side from being ready."""
        state = at.state
        pick = str(picks[-1])
        if len(picks) == 1:
            bare = bare_hexes(state, seat)
            if pick == "ready" and all(state.at(name) != OFF_MAP for name in to_set_up(state.data, seat)) and bare:
                return refuse("4.0(2)", "refusal.typhoon.bare_hex", hex=state.data.name(bare[0]))
            if pick == "ready":
                return refuse("4.0(2)", "refusal.typhoon.not_ready")
            return refuse("4.0(2)", "refusal.typhoon.verb", pick=pick)
        if len(picks) == 2:
            return refuse("4.0(2)", "refusal.typhoon.not_in_set_up", pick=pick)
        i = state.data.board.grid.index.get(pick, OFF_MAP)
        group = group_of(state.data, str(picks[1]))
        if i == OFF_MAP:
            return refuse("2.1(1)5", "refusal.typhoon.no_such_hex", hex=pick)
        if group is None or i not in group.hexes:
            return refuse("4.0(2)", "refusal.typhoon.wrong_formation", hex=pick, unit=str(picks[1]))
        return stacking_refusal(state, (str(picks[1]),), i) or refuse("4.0(2)", "refusal.typhoon.there_already", hex=pick)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Carry out one step of the set-up."""
        if picks[0] == "place":
            table.emit(Deployed(str(picks[1]), str(picks[2])))
        elif picks[0] == "preset":
            _take_preset(table, seat)
        else:
            table.emit(SetUpDone(seat))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The side is ready, or the option sets it up."""
        side = set_up_side(table.state, self.index)
        if side not in table.state.ready:
            _take_preset(table, side)
            table.emit(SetUpDone(side))
        table.done()


def _take_preset(table: Table[State], side: str) -> None:
    state = table.state
    for name in to_set_up(state.data, side):
        i = state.data.preset.get(name, OFF_MAP)
        if i != OFF_MAP and state.at(name) != i:
            table.emit(Deployed(name, state.data.name(i)))
