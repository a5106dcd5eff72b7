"""The chances of an attack and of a barrage, by the tables of the pack."""

from collections.abc import Mapping
from functools import cache

from attrs import define, field, frozen

from warledger.clients.bots.captains.ocs.ground import Cell, Ground

ROLLS = tuple((pips, (6 - abs(7 - pips)) / 36) for pips in range(2, 13))
"""Two dice: what they show, and how likely that is."""


@frozen
class Fight:
    """The expected effect of an attack: steps lost by both sides, the chance that the defending hex
    empties, that it falls into DG, and that attackers may exploit."""

    lost: float
    killed: float
    cleared: float
    shaken: float
    exploit: float


@frozen
class Shells:
    """The expected effect of a barrage."""

    shaken: float
    killed: float


@define(eq=False)
class Chances:
    """The tables of one pack, with a cache of what has been worked out."""

    ground: Ground
    _spreads: dict[tuple[int, int, int, bool], tuple[tuple[float, Cell], ...]] = field(factory=dict)
    _fights: dict[tuple[int, int, int, bool, int, bool, int], Fight] = field(factory=dict)
    _shells: dict[tuple[int, int, bool], Shells] = field(factory=dict)

    def spread(
        self, column: int, drm: int, level: int, overrun: bool
    ) -> tuple[tuple[float, Cell], ...]:
        """Every cell that an attack may come to, with its chance."""
        key = (column, drm, level, overrun)
        found = self._spreads.get(key)
        if found is None:
            found = self._spreads[key] = tuple(self._spread(*key))
        return found

    def _spread(self, column: int, drm: int, level: int, overrun: bool) -> list[tuple[float, Cell]]:
        surprise = self.ground.surprise
        bounds = surprise["overrun" if overrun else "regular"]
        modifier = drm + (int(surprise["hedgehog"]) if level else 0)
        last = len(self.ground.cells[0]) - 1
        columns: dict[int, float] = {}
        for pips, chance in ROLLS:
            if pips + modifier >= int(bounds["attacker_at_least"]):
                shifts = range(1, 7)
            elif pips + modifier <= int(bounds["defender_at_most"]):
                shifts = range(-6, 0)
            else:
                shifts = range(1)
            for shift in shifts:
                to = min(max(column + shift, 0), last)
                columns[to] = columns.get(to, 0.0) + chance / len(shifts)
        found: dict[Cell, float] = {}
        rows = len(self.ground.cells)
        for to, likely in columns.items():
            for pips, chance in ROLLS:
                row = min(max(pips + drm - level, 1), rows)
                cell = self.ground.cells[row - 1][to]
                found[cell] = found.get(cell, 0.0) + likely * chance
        return [(chance, cell) for cell, chance in found.items()]

    def starved(self, ar: int, steps: int) -> float:
        """What share of a stack's steps a turn out of supply takes, by its highest AR (12.8b)."""
        table = self.ground.tables["series"]["attrition"]
        rows = table["by_ar"]
        row = rows[str(min(max(ar, 0), len(rows) - 1))]
        more = int(table["many_steps_drm"]) if steps >= int(table["many_steps"]) else 0
        total = 0.0
        for pips, chance in ROLLS:
            for least, most, lost in row:
                if least <= pips + more <= most:
                    total += chance * (1.0 if lost == "all" else min(int(lost) / steps, 1.0))
        return total

    def fight(
        self,
        column: int,
        drm: int,
        level: int,
        steps: int,
        *,
        overrun: bool = False,
        trapped: bool = False,
        ar: int = 0,
    ) -> Fight:
        """What an attack on `steps` steps comes to. `trapped`: the defender cannot retreat."""
        key = (column, drm, level, overrun, steps, trapped, ar)
        found = self._fights.get(key)
        if found is None:
            found = self._fights[key] = self._fight(*key)
        return found

    def _fight(
        self,
        column: int,
        drm: int,
        level: int,
        overrun: bool,
        steps: int,
        trapped: bool,
        ar: int,
    ) -> Fight:
        lost = killed = cleared = shaken = exploit = 0.0
        for chance, cell in self.spread(column, drm, level, overrun):
            lost += chance * (cell.attacker + cell.attacker_option)
            hit = float(min(cell.defender, steps))
            left = steps - min(cell.defender, steps)
            gone = 1.0 if not left else 0.0
            if left and cell.defender_option:
                if trapped or left <= cell.defender_option:
                    more = min(cell.defender_option, left)
                    gone = 1.0 if more >= left else 0.0
                    hit += more * (1.0 if trapped else 0.5)
                else:
                    # A side that may choose loses a step as often as it leaves.
                    gone = 0.5 if cell.defender_option == 1 else 0.7
                    hit += 0.5 * min(cell.defender_option, left)
            killed += chance * hit
            cleared += chance * gone
            shaken += chance * (cell.dg or cell.defender_option > 1)
            if cell.exploit and ar >= cell.exploit:
                exploit += chance
        return Fight(lost, killed, cleared, shaken, exploit)

    def shells(self, strength: float, shift: int, *, air: bool = False) -> Shells:
        """What a barrage of a strength does after shifts."""
        key = (self.barrage_column(strength), shift, air)
        found = self._shells.get(key)
        if found is None:
            found = self._shells[key] = self._shell(*key)
        return found

    def barrage_column(self, strength: float) -> int:
        """The column of a barrage."""
        low = self.ground.barrages["low"]
        whole = int(strength + 0.5)
        return max(sum(1 for least in low if whole >= int(least)) - 1, 0)

    def barrage_cost(self, strength: float) -> int:
        """What it costs in T."""
        return int(self.ground.barrages["cost_t"][self.barrage_column(strength)])

    def _shell(self, column: int, shift: int, air: bool) -> Shells:
        rows: Mapping[str, tuple[str, ...]] = self.ground.barrages["rows"]
        column = min(max(column + shift, 0), len(self.ground.barrages["low"]) - 1)
        shaken = killed = 0.0
        for pips, chance in ROLLS:
            cell = str(rows[str(pips)][column])
            if cell == "-":
                continue
            shaken += chance
            killed += chance * _steps(cell, air)
        return Shells(shaken, killed)

    def density(self, re: int) -> int:
        """The shift for a target of `re` quarters of an RE."""
        for most, shift in self.ground.barrages["density"]:
            if re <= int(most):
                return int(shift)
        return int(self.ground.barrages["density_above"])


@cache
def _steps(cell: str, air: bool) -> float:
    if cell.isdecimal():
        return float(cell)
    if cell == "1/2" or (cell == "[1/2]" and not air):
        return 0.5
    return 0.0
