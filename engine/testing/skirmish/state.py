"""The state: everything that a game has come to. Only events lead from one to the next."""

from collections.abc import Mapping

from attrs import field, frozen

from warledger.engine.testing.skirmish.data import Data, Printed
from warledger.protocol.chance.seal import Secret


@frozen(slots=False)
class Unit:
    """A unit on the map: its hex, and whether it has lost a step."""

    hex: int
    reduced: bool = False


@frozen(slots=False)
class State:
    """A position of the game.

    units     those on the map, in the order of the pack
    held      5.1 town -> the side that holds it; towns that nobody has entered are missing
    turn      1 for the first, 0 before it
    chosen    2.1 side -> its chit in the cup; only that side may know which
    acted     units that have moved or attacked since the last chit was drawn
    """

    data: Data = field(eq=False, repr=False)
    units: Mapping[str, Unit]
    held: Mapping[int, str] = field(factory=dict)
    turn: int = 0
    chosen: Mapping[str, Secret] = field(factory=dict)
    acted: tuple[str, ...] = ()

    def printed(self, unit: str) -> Printed:
        """What is printed on a unit's counter."""
        return self.data.units[unit]

    def of(self, side: str) -> tuple[str, ...]:
        """The units of a side."""
        return tuple(unit for unit in self.units if self.printed(unit).side == side)

    def occupied(self) -> Mapping[int, str]:
        """Hex -> the unit in it (1)."""
        return {unit.hex: name for name, unit in self.units.items()}

    def strength(self, unit: str) -> tuple[int, int]:
        """(attack, defence) of the face that shows."""
        printed = self.printed(unit)
        return printed.reduced if self.units[unit].reduced and printed.reduced else printed.full

    def ready(self, side: str) -> tuple[str, ...]:
        """The units of a side that have not acted yet."""
        return tuple(unit for unit in self.of(side) if unit not in self.acted)


def other(side: str) -> str:
    """The other side."""
    return "blue" if side == "red" else "red"
