"""3.2, 3.3 What stands in each hex, and what follows from positions alone: zones of control, what
stands in a mover's way, lines of communication.

3.3 Lines are traced in chitpull/lines.py, 3.3(3), R-10 those of the Axis along the railways and off
them, too. 3.2(2) Several units in a hex have one zone, which chitpull/field.py counts.
"""

from collections.abc import Mapping
from functools import lru_cache

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.paths import Conditions
from warledger.engine.games.chitpull import field, lines, ways
from warledger.engine.games.chitpull.lines import Levels, LevelsOff
from warledger.engine.games.chitpull.sides import AXIS, ENEMY, SIDES, SOVIET
from warledger.engine.games.typhoon.data import DATA_MAX, Data, Weather
from warledger.engine.kernel.memo import remembered


@frozen(eq=False, slots=False)
class Field(field.Field[Data]):
    """The positions of all units. 3.2 Every unit has a zone, HQs too."""

    def conditions(self, side: str, weather: Weather, *, zones_closed: bool = False) -> Conditions:
        """9.2(2), 3.2(3) What stands in the way of a side's mover: enemy units, and what an EZOC
        costs in this weather (14.1.3). `zones_closed`: no EZOC may be entered (9.3(1)2)."""
        enemy = self.zones(ENEMY[side])
        return ways.in_the_way(
            (
                (enemy.count, ways.AS_CLOSED_ZONE if zones_closed else ways.AS_ZONE),
                (enemy.pieces, ways.AS_NO_ENTRY),
            ),
            weather.enter[side],
            weather.leave[side],
        )

    def sources(self, side: str) -> int:
        """3.3, R-09 A side's LOC sources that no enemy holds; 15.4, R-44 with the east edge joined
        off the map for the Soviets."""
        data = self.data
        enemy = self.zones(ENEMY[side]).pieces
        hexes = [i for i in data.sources[side] if not enemy[i]]
        if side == SOVIET and data.options["off_map_line"] and any(i in data.edge for i in hexes):
            hexes.extend(i for i in data.edge if not enemy[i] and i not in data.water)
        return hexsets.of(hexes)

    def through(self, side: str) -> int:
        """3.3(1) Hexes through which a side's LOC may pass: no enemy unit, and no EZOC without a
        friendly unit (R-09)."""
        enemy, mine = self.zones(ENEMY[side]), self.zones(side)
        return lines.empty_of(enemy.pieces) & (
            lines.empty_of(enemy.count) | lines.hexes_of(mine.pieces)
        )

    @remembered()
    def loc(self, side: str) -> int:
        """3.3, R-10 Every hex that a side's LOC reaches, as a set of `lines`; it may end in an EZOC
        (3.3(1))."""
        data = self.data
        through, into = self.through(side), lines.empty_of(self.zones(ENEMY[side]).pieces)
        if side == AXIS:
            starts = self.sources(side) & _on_railways(data)
            return lines.reached_off(
                data.rail_spread, data.land_spread, starts, through, into, data.off_rail
            )
        return lines.reached(data.land_spread, self.sources(side), through, into)

    def has_loc(self, side: str, i: int) -> bool:
        """3.3 Whether a LOC of the side reaches a hex."""
        return bool(self.loc(side) >> i & 1)

    @remembered()
    def ways_home(self, side: str) -> Levels | LevelsOff:
        """R-25 D1: the length of the shortest LOC from each hex, the hex itself taken as
        passable."""
        data = self.data
        through, into = self.through(side), lines.empty_of(self.zones(ENEMY[side]).pieces)
        starts = self.sources(side)
        # a source that is itself no way through is still no step from itself
        if side == AXIS:
            starts &= _on_railways(data)
            return LevelsOff(
                data.rail_spread,
                data.land_spread,
                starts,
                through,
                into,
                data.off_rail,
                starts & into,
            )
        made = lines.levels(data.land_spread, starts, through, into)
        return Levels((made.at[0] | starts & into, *made.at[1:]))

    @remembered()
    def ways_back(self, side: str) -> Levels:
        """R-25 D2: the same ignoring EZOCs and the limit off the railway."""
        into = lines.empty_of(self.zones(ENEMY[side]).pieces)
        return lines.levels(self.data.land_spread, self.sources(side), into, into)


@lru_cache(maxsize=DATA_MAX)
def _on_railways(data: Data) -> int:
    """R-10 The hexes of sources that lie on a railway."""
    return hexsets.of(i for side in SIDES for i in data.sources[side] if data.rail[i])


def field_of(data: Data, places: Mapping[str, int]) -> Field:
    """The field of units in the hexes given."""
    return Field(data, {}).laid(places)
