"""What the family's functions ask of a title's state: where counters stand, and the tables they
were printed from."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from warledger.engine.board.zones import Zones
from warledger.engine.games.chitpull.pack import Charts
from warledger.protocol.board.choices import Pick

OFF_MAP = -1
"""The hex of a counter that is not on the map."""


class Piece(Protocol):
    """A counter as a state keeps it: its hex, or OFF_MAP and where it is instead, and the face it
    shows."""

    @property
    def at(self) -> int:
        """Its hex, OFF_MAP when it is not on the map."""

    @property
    def where(self) -> str:
        """Where it is off the map, "" on it."""

    @property
    def reduced(self) -> bool:
        """Whether it shows its reduced face."""


class Positions(Protocol):
    """What stands in each hex at one moment."""

    @property
    def stacks(self) -> Mapping[int, tuple[str, ...]]:
        """The counters in each occupied hex."""

    def zones(self, side: str) -> Zones:
        """A side's units by hex and its zones of control."""


class MapState(Protocol):
    """A state with counters on the map, as far as the family knows one."""

    @property
    def data(self) -> Charts:
        """The charts of the game."""

    @property
    def field(self) -> Positions:
        """What stands where."""

    @property
    def ready(self) -> frozenset[str]:
        """Sides that have finished their set-up."""

    def at(self, name: str) -> int:
        """The hex of a counter, OFF_MAP when it is not on the map."""

    def enemies_in(self, side: str, i: int) -> tuple[str, ...]:
        """The units of the side's enemy in a hex."""

    def option(self, name: str) -> Any:
        """The value of a switch in force."""


class Active(Protocol):
    """What is activated."""

    @property
    def side(self) -> str:
        """Whose it is."""

    @property
    def units(self) -> tuple[str, ...]:
        """The counters, in order of ids."""


class Fight(Protocol):
    """A combat in progress."""

    @property
    def target(self) -> int:
        """The attacked hex."""

    @property
    def attackers(self) -> tuple[str, ...]:
        """Who attacks it, in order of ids."""

    @property
    def advanced(self) -> frozenset[str]:
        """Who has advanced after it."""


A_co = TypeVar("A_co", bound=Active, covariant=True)
B_co = TypeVar("B_co", bound=Fight, covariant=True)
A = TypeVar("A", bound=Active)
B = TypeVar("B", bound=Fight)


class Fighting(MapState, Protocol[A_co, B_co]):
    """A state in which counters are activated and fight."""

    @property
    def activation(self) -> A_co | None:
        """What is activated, None while nothing is."""

    @property
    def battle(self) -> B_co | None:
        """The combat in progress, None between combats."""


def active(state: Fighting[A, Any]) -> A:
    """What is activated, while something is."""
    assert state.activation is not None, "nothing is activated"
    return state.activation


def in_progress(state: Fighting[A, B]) -> tuple[A, B]:
    """The activation and the combat in progress."""
    assert state.activation is not None and state.battle is not None, "no combat is in progress"
    return state.activation, state.battle


def hex_at(state: MapState, pick: Pick) -> int:
    """The hex of a printed id, OFF_MAP when there is none: what a player typed may be anything."""
    return state.data.board.grid.index.get(str(pick), OFF_MAP)


def check_places(
    pieces: Mapping[str, Piece], data: Charts, stacks: Mapping[int, tuple[str, ...]]
) -> dict[int, list[str]]:
    """Who stands in each hex, in order of ids. Raises AssertionError where pieces and stacks
    differ, or a piece is what it cannot be."""
    where: dict[int, list[str]] = {}
    for name, piece in pieces.items():
        assert (piece.at == OFF_MAP) == bool(piece.where), f"{name} is both on and off the map"
        assert not piece.reduced or data.types[name].reduced is not None, (
            f"{name} has no reduced face"
        )
        if piece.at != OFF_MAP:
            where.setdefault(piece.at, []).append(name)
    assert {i: sorted(names) for i, names in stacks.items()} == where, "stacks and pieces differ"
    return where
