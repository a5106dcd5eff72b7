"""Setting up, one side after the other: a unit may be placed again until its side is ready; one
verb puts a whole side where the pack has it.

A command is ("place", unit, hex), (the pack's deployment by its name,) or ("ready",). A title
derives its step from `SetUp`. VL 3.0, R-03; TY 4.0(2), R-13.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from attrs import frozen

from warledger.engine.games.chitpull.pack import Charts, Group
from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.chitpull.states import OFF_MAP, MapState, hex_at
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.lazy import Lazy
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step
from warledger.protocol.board.choices import Say

S = TypeVar("S", bound=MapState)


def set_up_side(state: MapState, index: int) -> str:
    """VL R-03; TY R-13 The side that sets up first (0) or second (1)."""
    first = str(state.option("set_up_first"))
    return first if index == 0 else ENEMY[first]


def group_of(data: Charts, name: str) -> Group | None:
    """VL 3.0; TY 2.21(2)4, 2.22-2 The set-up area of a counter, None for what comes later."""
    mark = data.types[name].group if name in data.types else ""
    return next((group for group in data.groups if group.id == mark), None) if mark else None


def to_set_up(data: Charts, side: str) -> tuple[str, ...]:
    """VL 3.0; TY 4.0(2) What a side sets up, in order of ids."""
    return tuple(
        sorted(name for group in data.groups if group.side == side for name in group.units)
    )


def all_placed(state: MapState, side: str) -> bool:
    """VL 3.0; TY 4.0(2) Whether everything that a side sets up stands on the map."""
    return all(state.at(name) != OFF_MAP for name in to_set_up(state.data, side))


def area_of(data: Charts, name: str) -> tuple[int, ...]:
    """VL 3.0; TY 4.0(2) The hexes where a counter may be set up."""
    group = group_of(data, name)
    if group is None:
        return ()
    return group.hq_hexes if data.types[name].hq else group.hexes


class LayOut(Step[S]):
    """VL 3.0; TY 4.0(3), 4.0(4), 4.0(5), 4.0(6), 4.0(7), 4.0(8) The map is laid out, every counter
    where it waits: `laid` is the event."""

    def __init__(self, laid: Callable[[], Any]) -> None:
        self.laid = laid

    def advance(self, table: Table[S], frame: Frame) -> None:
        """Lay everything out."""
        table.emit(self.laid())
        table.done()


@frozen
class Deploying:
    """A unit that is set up, and where."""

    unit: str = ""
    hex: str = ""


class SetUp(Asking[S]):
    """VL 3.0, R-03; TY 4.0(2), R-13 One side sets up its units: the first (`index` 0) or the second
    (1).

    `preset`    the pack's deployment: value of the option "set_up" and verb at once
    `prompt`    the question
    `unit_slot`, `hex_slot`   what is picked
    `placed`, `done`   the events: (unit, printed hex) placed, (side) ready
    """

    preset: str
    prompt: Say
    unit_slot: str
    hex_slot: str
    placed: type[Any]
    done: type[Any]

    def __init__(self, index: int) -> None:
        self.index = index

    @abstractmethod
    def places(self, state: S) -> Mapping[str, int]:
        """The hexes of the pack's deployment."""

    @abstractmethod
    def room(self, state: S, name: str, i: int) -> bool:
        """Whether a unit may be put in a hex of its area now."""

    def whole(self, state: S, side: str) -> bool:
        """Whether a side that has placed all its units may be ready."""
        return True

    @abstractmethod
    def why_not_unit(self, asked: Asked[S], order: Deploying, pick: Pick) -> Refusal | None:
        """Why a unit is not set up."""

    @abstractmethod
    def why_not_hex(self, asked: Asked[S], order: Deploying, pick: Pick) -> Refusal | None:
        """Why the unit is not put there."""

    @abstractmethod
    def why_not_ready(self, asked: Asked[S]) -> Refusal | None:
        """Why the side is not ready."""

    def free_hexes(self, state: S, name: str) -> tuple[int, ...]:
        """VL 3.0, 5.0.4; TY 4.0(2) The hexes where a unit may be set up now, other than its own."""
        here = state.at(name)
        return tuple(
            i for i in area_of(state.data, name) if i != here and self.room(state, name, i)
        )

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, unless the game was made with the pack's deployment."""
        side = set_up_side(at.state, self.index)
        if at.state.option("set_up") == self.preset or side in at.state.ready:
            return {}
        return {side: Decision(self.prompt)}

    def commands(self) -> Commands[S]:
        """Place a unit, take the pack's deployment where it differs, or be ready once all is
        placed."""
        return (
            Command(
                "place",
                Deploying,
                Slot("unit", self.unit_slot, self._units, self.why_not_unit),
                Slot("hex", self.hex_slot, self._hexes, self.why_not_hex),
                apply=lambda table, asked, order: table.emit(self.placed(order.unit, order.hex)),
                beyond=lambda asked, order, pick: self.no_verb(asked, pick),
            ),
            word(
                self.preset,
                lambda table, asked: self._take_preset(table, asked.seat),
                when=self._differs,
                beyond=self.no_verb,
            ),
            word(
                "ready",
                lambda table, asked: table.emit(self.done(asked.seat)),
                when=self._may_be_ready,
                why=self.why_not_ready,
                beyond=self.no_verb,
            ),
        )

    def _has_free_hex(self, state: S, name: str) -> bool:
        here = state.at(name)
        return any(i != here and self.room(state, name, i) for i in area_of(state.data, name))

    def _units(self, asked: Asked[S], order: Deploying) -> Lazy:
        state, side = asked.state, asked.seat

        def every() -> Iterator[Pick]:
            return (name for name in to_set_up(state.data, side) if self._has_free_hex(state, name))

        def has(pick: Pick) -> bool:
            if type(pick) is not str:
                return False
            group = group_of(state.data, pick)
            return (
                group is not None
                and group.side == side
                and pick in group.units
                and self._has_free_hex(state, pick)
            )

        return Lazy(every, has)

    def _hexes(self, asked: Asked[S], order: Deploying) -> Lazy:
        state, name = asked.state, order.unit

        def every() -> Iterable[Pick]:
            return state.data.board.grid.names(self.free_hexes(state, name))

        def has(pick: Pick) -> bool:
            i = hex_at(state, pick) if type(pick) is str else OFF_MAP
            return (
                i not in (OFF_MAP, state.at(name))
                and i in area_of(state.data, name)
                and self.room(state, name, i)
            )

        return Lazy(every, has)

    def _differs(self, asked: Asked[S]) -> bool:
        """Whether any unit stands elsewhere than in the pack's deployment."""
        state = asked.state
        places = self.places(state)
        return any(
            state.at(name) != places.get(name, OFF_MAP)
            for name in to_set_up(state.data, asked.seat)
        )

    def _may_be_ready(self, asked: Asked[S]) -> bool:
        return all_placed(asked.state, asked.seat) and self.whole(asked.state, asked.seat)

    def advance(self, table: Table[S], frame: Frame) -> None:
        """The side is ready, or the option sets it up."""
        side = set_up_side(table.state, self.index)
        if side not in table.state.ready:
            self._take_preset(table, side)
            table.emit(self.done(side))
        table.done()

    def _take_preset(self, table: Table[S], side: str) -> None:
        state = table.state
        places = self.places(state)
        for name in to_set_up(state.data, side):
            i = places.get(name, OFF_MAP)
            if i != OFF_MAP and state.at(name) != i:
                table.emit(self.placed(name, state.data.name(i)))
