"""OCS 9.2: a combat or overrun in progress, as the position keeps it between two commands."""

from collections.abc import Mapping

import attrs

from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch09_combat.results import Result
from warledger.engine.kernel.change import unguarded


@unguarded
class Battle:
    """OCS 9.2 One combat. Steps of the sequence fill it in from the top down.

    `row`        OCS 9.8 "overrun" or "regular"; 21.8 "empty"
    `side`       the attacking side
    `target`     the hex attacked
    `attackers`  the attacking units by their hex at the start
    `defenders`  combat units in the target at the start (9.1d)
    `shut`       OCS 9.12f side -> hexes that held combat units of its enemy at the start
    `leaders`    OCS 9.6 the AR units by side
    `pays`       whether the defender wants to pay (9.5)
    `paid`       OCS 9.5 what each side fights with: "supply", "stocks" or "none"; a side that has
                 not been asked yet is not in it
    `unpaid`     OCS 9.5, R-03 units for whom neither supply nor stocks have paid
    `terrain`    OCS 9.4b what the defender chose for each attacking hex: a terrain, or the class of
                 the river crossed
    `ground`     OCS 9.4c what the defender chose for the defending hex, which sets the row
    `column`     the column of the table after surprise, -1 before
    `result`     the cell, once rolled
    `hard`, `options`   side -> steps and options still to be taken (9.10)
    `doubled`    losses still to be taken by units that lose double (9.11)
    `taken`      unit -> losses that it has taken (9.11c)
    `hexes`      side -> hexes that its units retreat (9.12)
    `fallen_back`  units that have retreated, or have taken losses in place of it
    `fled`       sides of which a unit has retreated a hex
    `tolls`      OCS 9.12e steps still to be lost on the way, each with the units to choose from
    """

    row: str
    side: str
    target: int
    attackers: Mapping[int, tuple[str, ...]]
    defenders: tuple[str, ...]
    shut: Mapping[str, Hexes] = attrs.field(factory=dict)
    leaders: Mapping[str, str] = attrs.field(factory=dict)
    pays: bool = False
    paid: Mapping[str, str] = attrs.field(factory=dict)
    unpaid: frozenset[str] = frozenset()
    terrain: Mapping[int, str] = attrs.field(factory=dict)
    ground: str = ""
    column: int = -1
    result: Result | None = None
    hard: Mapping[str, int] = attrs.field(factory=dict)
    options: Mapping[str, int] = attrs.field(factory=dict)
    doubled: int = 0
    taken: Mapping[str, int] = attrs.field(factory=dict)
    hexes: Mapping[str, int] = attrs.field(factory=dict)
    fallen_back: frozenset[str] = frozenset()
    fled: frozenset[str] = frozenset()
    tolls: tuple[tuple[str, ...], ...] = ()

    @property
    def units(self) -> tuple[str, ...]:
        """All attackers, in order of ids."""
        return tuple(sorted(unit for stack in self.attackers.values() for unit in stack))

    def of(self, side: str) -> tuple[str, ...]:
        """All units of a side that fight, in order of ids."""
        return self.units if side == self.side else self.defenders

    def start_of(self, unit: str) -> int:
        """The hex from which a unit fights."""
        return next((i for i, stack in self.attackers.items() if unit in stack), self.target)
