"""Setting up, one side after the other: a unit is placed anew until its side is ready; one verb puts a whole side where the pack has it.

A command is ("place", unit, hex), (the pack's deployment by its name,) or ("ready",). VL 3.0, R-03; TY 4.0(2), R-13.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

from attrs import frozen

from engine.games.chitpull.pack import Charts, Group
from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import OFF_MAP, Standing, hex_at
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, Say, offer

S = TypeVar("S", bound=Standing)


class Misplaced(Enum):
    """What is wrong with a pick: see `SetUp.refusal`."""

    VERB = "no such verb"
    NOT_READY = "not everything is set up"
    UNIT = "nothing that can be set up"
    NO_HEX = "no such hex"
    AREA = "outside the unit's area"
    HEX = "the unit stands there, or may not be added"


@frozen
class Deployment(Generic[S]):
    """How a title sets up.

    `preset`    the pack's deployment: value of the option "set_up" and verb at once; `places` has its hexes
    `room`      whether a unit may be put in a hex of its area now
    `whole`     whether a side that has placed all its units may be ready
    `laid`, `placed`, `done`   the events: the board is laid out, (unit, hex) placed, (side) ready
    """

    preset: str
    places: Callable[[S], Mapping[str, int]]
    room: Callable[[S, str, int], bool]
    whole: Callable[[S, str], bool]
    prompt: Say
    verb_slot: str
    unit_slot: str
    hex_slot: str
    against: Callable[[S, str, Misplaced, Picks], Refusal]
    laid: Callable[[], Any]
    placed: Callable[[str, str], Any]
    done: Callable[[str], Any]


def set_up_side(state: Standing, index: int) -> str:
    """The side that sets up first (0) or second (1). VL R-03; TY R-13."""
    first = str(state.option("set_up_first"))
    return first if index == 0 else ENEMY[first]


def group_of(data: Charts, name: str) -> Group | None:
    """The set-up area of a counter, None for what comes later. VL 3.0; TY 2.21(2)4, 2.22-2."""
    mark = data.types[name].group if name in data.types else ""
    return next((group for group in data.groups if group.id == mark), None) if mark else None


def to_set_up(data: Charts, side: str) -> tuple[str, ...]:
    """What a side sets up, in order of ids. VL 3.0; TY 4.0(2)."""
    return tuple(sorted(name for group in data.groups if group.side == side for name in group.units))


def all_placed(state: Standing, side: str) -> bool:
    """Whether everything that a side sets up stands on the map."""
    return all(state.at(name) != OFF_MAP for name in to_set_up(state.data, side))


def area_of(data: Charts, name: str) -> tuple[int, ...]:
    """The hexes where a counter may be set up. VL 3.0; TY 4.0(2)."""
    group = group_of(data, name)
    if group is None:
        return ()
    return group.hq_hexes if data.types[name].hq else group.hexes


def free_hexes(how: Deployment[S], state: S, name: str) -> tuple[int, ...]:
    """The hexes where a counter may be set up now, other than its own. VL 3.0, 5.0.4; TY 4.0(2)."""
    here = state.at(name)
    return tuple(i for i in area_of(state.data, name) if i != here and how.room(state, name, i))


class LayOut(Step[S]):
    """The map is laid out, every counter where it waits. VL 3.0; TY 4.0(3), 4.0(4), 4.0(5), 4.0(6), 4.0(7), 4.0(8)."""

    def __init__(self, how: Deployment[S]) -> None:
        self.how = how

    def advance(self, table: Table[S], frame: Frame) -> None:
        """Lay everything out."""
        table.emit(self.how.laid())
        table.done()


class SetUp(Step[S]):
    """One side sets up its units. VL 3.0, R-03; TY 4.0(2), R-13."""

    def __init__(self, how: Deployment[S], index: int) -> None:
        self.how = how
        self.index = index

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, unless the game was made with the pack's deployment."""
        side = set_up_side(at.state, self.index)
        if at.state.option("set_up") == self.how.preset or side in at.state.ready:
            return {}
        return {side: Decision(self.how.prompt)}

    def choices(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Place a unit, take the pack's deployment where it differs, or be ready once all is placed."""
        state, how = at.state, self.how
        mine = to_set_up(state.data, seat)
        if not picks:
            whole = all_placed(state, seat) and how.whole(state, seat)
            places = how.places(state)
            other = any(state.at(name) != places.get(name, OFF_MAP) for name in mine)
            return offer(how.verb_slot, ("place", *((how.preset,) if other else ()), *(("ready",) if whole else ())))
        if picks[0] != "place" or len(picks) == 3:
            return WHOLE
        if len(picks) == 1:
            return offer(how.unit_slot, (name for name in mine if free_hexes(how, state, name)))
        return offer(how.hex_slot, state.data.board.grid.names(free_hexes(how, state, str(picks[1]))))

    def refusal(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """What keeps the unit from the hex, or the side from being ready."""
        return self.how.against(at.state, seat, self._misplaced(at.state, picks), picks)

    def _misplaced(self, state: S, picks: Picks) -> Misplaced:
        if len(picks) == 1:
            return Misplaced.NOT_READY if picks[0] == "ready" else Misplaced.VERB
        if len(picks) == 2:
            return Misplaced.UNIT
        i = hex_at(state, picks[2])
        if i == OFF_MAP:
            return Misplaced.NO_HEX
        return Misplaced.HEX if i in area_of(state.data, str(picks[1])) else Misplaced.AREA

    def decide(self, table: Table[S], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Carry out one step of the set-up."""
        if picks[0] == "place":
            table.emit(self.how.placed(str(picks[1]), str(picks[2])))
        elif picks[0] == self.how.preset:
            self._take_preset(table, seat)
        else:
            table.emit(self.how.done(seat))

    def advance(self, table: Table[S], frame: Frame) -> None:
        """The side is ready, or the option sets it up."""
        side = set_up_side(table.state, self.index)
        if side not in table.state.ready:
            self._take_preset(table, side)
            table.emit(self.how.done(side))
        table.done()

    def _take_preset(self, table: Table[S], side: str) -> None:
        state = table.state
        places = self.how.places(state)
        for name in to_set_up(state.data, side):
            i = places.get(name, OFF_MAP)
            if i != OFF_MAP and state.at(name) != i:
                table.emit(self.how.placed(name, state.data.name(i)))
