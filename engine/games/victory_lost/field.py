"""6.0 What stands in each hex on one turn, and what follows from positions alone: zones of control,
what stands in a mover's way, supply lines.

Several units in a hex have one zone (6.0.3), which chitpull/field.py counts; 10.1 supply lines are
traced in chitpull/lines.py.
"""

from collections.abc import Mapping
from functools import cached_property

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.paths import Conditions
from warledger.engine.board.tracing import Net
from warledger.engine.games.chitpull import field, lines, ways
from warledger.engine.games.chitpull.sides import AXIS, ENEMY
from warledger.engine.games.victory_lost.data import Data
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.memo import remembered


@frozen(eq=False)
class SupplyLines:
    """The supply lines of one side at one moment: where they reach, how far they are, and each
    hex's canonical line."""

    net: Net
    levels: lines.Levels
    within: int

    def reached(self, i: int) -> bool:
        """Whether a supply line leads to a hex."""
        return bool(self.within >> i & 1)

    def distance(self, i: int) -> int:
        """Fewest hexes to a source, -1 where no line leads."""
        return self.levels.distance(i)

    def line(self, i: int) -> tuple[int, ...]:
        """The canonical shortest line from hex i to its source, both included; of equal ways the
        one by the lowest hexes."""
        found = [i]
        for k in range(self.distance(i) - 1, -1, -1):
            level = self.levels.at[k]
            i = min(n for n in self.net[i] if level >> n & 1)
            found.append(i)
        return tuple(found)


@frozen(eq=False, slots=False)
class Field(field.Field[Data]):
    """The positions of all counters on one turn: sources and the pocket may open with the next.
    Units stand before HQs in a stack, each in order of ids."""

    turn: int = 0

    def has_zone(self, name: str) -> bool:
        """6.0.1 Units have a zone, HQs have none."""
        return not self.data.types[name].hq

    def rank(self, name: str) -> tuple[bool, str]:
        """Units before HQs."""
        return self.data.types[name].hq, name

    @cached_property
    def pocket_closed(self) -> bool:
        """13.0 Whether the pocket is out of play on this turn."""
        return self.turn <= self.data.pocket_until

    def hqs(self, side: str) -> bytes:
        """How many HQs of a side stand in each hex."""
        return self.zoneless[0 if side == AXIS else 1]

    def in_enemy_zone(self, side: str, i: int) -> bool:
        """6.0, 6.0.2, R-47 Whether a hex lies in a zone of control of the side's enemy: that bears
        on supply, movement, retreat and reinforcement. R-39: pocket hexes know no zones while they
        are closed."""
        return self.zones(ENEMY[side]).count[i] != 0 and not self.closed(i)

    def closed(self, i: int) -> bool:
        """13.0 Whether a hex is in the pocket and the pocket is out of play."""
        return self.pocket_closed and i in self.data.pocket

    def lone_hq(self, side: str, i: int) -> str:
        """12.1 The HQ of a side that stands in a hex without a unit of its side, or ""."""
        if self.hqs(side)[i] and not self.zones(side).pieces[i]:
            return next(
                name
                for name in self.stacks[i]
                if self.data.types[name].hq and self.data.types[name].side == side
            )
        return ""

    def on_turn(self, turn: int) -> "Field":
        """A field with these positions on another turn."""
        counted = self.__dict__.get("both")
        if counted is None:
            return replace(self, turn=turn)
        return replace(self, turn=turn, known=counted, since=())

    def conditions(self, side: str, *, hq: bool, zones_closed: bool = False) -> Conditions:
        """8.0 What stands in the way of a side's mover. Units stop in the hex of a lone enemy HQ
        (12.1: an overrun interrupts the move), HQs may not enter it (R-16). `zones_closed`: enemy
        zones may not be entered (8.3.1)."""
        enemy = self.zones(ENEMY[side])
        data = self.data
        return ways.in_the_way(
            (
                (enemy.count, ways.AS_CLOSED_ZONE if zones_closed else ways.AS_ZONE),
                (enemy.pieces, ways.AS_NO_ENTRY),
                (self.hqs(ENEMY[side]), ways.AS_NO_ENTRY if hq else ways.AS_STOP),
            ),
            data.zone_enter,
            data.zone_leave,
            also=data.pocket_mask & data.closed_mask if self.pocket_closed else 0,
        )

    @remembered()
    def supply(self, side: str) -> SupplyLines:
        """10.1 Every hex's supply line to the nearest friendly source, on this turn (R-18).

        10.1.2: it may not pass enemy counters (R-33: a lone HQ too), nor enemy zones without a
        friendly unit or HQ.
        """
        data = self.data
        enemy, mine = self.zones(ENEMY[side]), self.zones(side)
        through = (
            lines.empty_of(enemy.count)
            | lines.hexes_of(mine.pieces)
            | lines.hexes_of(self.hqs(side))
        )
        through &= ~(lines.hexes_of(enemy.pieces) | lines.hexes_of(self.hqs(ENEMY[side])))
        if self.pocket_closed:
            through &= ~data.pocket_set
        net = data.supply_net_closed if self.pocket_closed else data.supply_net
        spread = data.supply_spread_closed if self.pocket_closed else data.supply_spread
        levels = lines.levels(spread, hexsets.of(data.sources(side, self.turn)), through, through)
        return SupplyLines(net, levels, sum(levels.at))


def field_of(data: Data, turn: int, places: Mapping[str, int]) -> Field:
    """The field of counters in the hexes given."""
    return Field(data, {}, turn=turn).laid(places)
