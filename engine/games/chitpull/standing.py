"""What the family's functions ask of a title's state: where counters stand, and the tables they were printed from."""

from collections.abc import Mapping
from typing import Any, Protocol

from engine.board.zones import Zones
from engine.games.chitpull.pack import Charts
from protocol.choices import Pick

OFF_MAP = -1
"""The hex of a counter that is not on the map."""


class Positions(Protocol):
    """What stands in each hex at one moment."""

    @property
    def stacks(self) -> Mapping[int, tuple[str, ...]]:
        """The counters in each occupied hex."""

    @property
    def memo(self) -> dict[Any, Any]:
        """Answers already worked out for these positions."""

    def zones(self, side: str) -> Zones:
        """A side's units by hex and its zones of control."""


class Standing(Protocol):
    """A state, as far as the family knows one."""

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


def hex_at(state: Standing, pick: Pick) -> int:
    """The hex of a printed id, OFF_MAP when there is none: what a player typed may be anything."""
    return state.data.board.grid.index.get(str(pick), OFF_MAP)
