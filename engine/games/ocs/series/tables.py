"""OCS Charts and Tables: every table of the series as a record that is asked in words.

The numbers come from a pack's `[series]`; nothing here rolls. OCS 4.1 A strength between two
columns is rounded to the nearest whole first, halves up.
"""

from bisect import bisect_right
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts.rounding import rounded
from warledger.engine.games.ocs.ch09_combat.results import (
    Damage,
    Result,
    Shelling,
    barrage_result,
    combat_result,
    facility_result,
)

OPEN, CLOSE, VERY_CLOSE, EXTREMELY_CLOSE = "open", "close", "very_close", "extremely_close"
TERRAIN_ROWS = (OPEN, CLOSE, VERY_CLOSE, EXTREMELY_CLOSE)
"""OCS 9.3 The kinds of terrain of the Combat Table, from the easiest to the hardest."""

ALL_STEPS = -1
"""OCS 12.8b The attrition result that takes every step."""

OVERRUN, REGULAR = "overrun", "regular"
"""OCS 9.8 The two rows of the Surprise Table."""

ATTACKER, DEFENDER, NOBODY = "attacker", "defender", ""
"""OCS 9.8 Who is surprised in whose favour."""


@frozen
class CombatTable:
    """OCS 9.7, 9.9 Columns by terrain, each an attack:defence ratio, and rows 1 (and less) to 15
    (and more)."""

    columns: Mapping[str, tuple[Fraction, ...]]
    heads: Mapping[str, tuple[str, ...]]
    rows: tuple[tuple[Result, ...], ...]

    @property
    def last(self) -> int:
        """The index of the rightmost column."""
        return len(self.rows[0]) - 1

    def result(self, modified: int, column: int) -> Result:
        """OCS 9.9 The cell for modified dice; dice off the table read its first or last row."""
        row = min(max(modified, 1), len(self.rows))
        return self.rows[row - 1][min(max(column, 0), self.last)]


@frozen
class Columns:
    """Columns by strength, as barrages have them: the least strength of each, and its cost in T."""

    low: tuple[int, ...]
    heads: tuple[str, ...]
    cost: tuple[int, ...]

    def column(self, strength: Fraction | int) -> int:
        """OCS 4.1, 4.2 [E] The column of a strength: fractions are summed first and rounded
        here."""
        return max(bisect_right(self.low, rounded(strength)) - 1, 0)

    def shifted(self, column: int, shift: int) -> int:
        """OCS 10.0a, R-04 The column after shifts: past either end the last one stands."""
        return min(max(column + shift, 0), len(self.low) - 1)


@frozen
class BarrageTable(Columns):
    """OCS 10.0a Barrage against combat units."""

    rows: Mapping[int, tuple[Shelling, ...]]
    density: tuple[tuple[int, int], ...]
    """(quarters of an RE up to, shift)."""
    density_above: int
    density_unit_cap: int
    shifts: Mapping[str, int]
    half_loses_on: frozenset[int]

    def density_shift(self, re: int) -> int:
        """OCS 10.0a The shift for a target of `re` quarters of an RE, unrounded."""
        return next((shift for most, shift in self.density if re <= most), self.density_above)

    def result(self, dice: int, column: int) -> Shelling:
        """OCS 10.0a The cell for unmodified 2d6 (2 to 12) in the column of that index. Raises
        KeyError or IndexError off the table."""
        return self.rows[dice][column]


@frozen
class FacilityTable(Columns):
    """OCS 10.0c Barrage against air bases and railways; no shifts."""

    rows: Mapping[int, tuple[Damage, ...]]

    def result(self, die: int, column: int) -> Damage:
        """OCS 10.0c The cell for an unmodified die (1 to 6) in the column of that index. Raises
        KeyError or IndexError off the table."""
        return self.rows[die][column]


@frozen
class Surprise:
    """OCS 9.8 (attacker at least, defender at most) for overruns and regular attacks, and the
    modifier for any hedgehog."""

    bounds: Mapping[str, tuple[int, int]]
    hedgehog: int

    def who(self, row: str, modified: int) -> str:
        """OCS 9.8 ATTACKER, DEFENDER or NOBODY has surprise on modified 2d6; `row` is "overrun" or
        "regular", as the table calls them. Raises KeyError for another."""
        attacker, defender = self.bounds[row]
        if modified >= attacker:
            return ATTACKER
        return DEFENDER if modified <= defender else NOBODY


@frozen
class Attrition:
    """OCS 12.8b Steps lost by a stack out of supply, by the best AR there."""

    by_ar: Mapping[int, tuple[tuple[int, int, int], ...]]
    many_steps: int
    many_steps_drm: int

    def steps(self, ar: int, modified: int) -> int:
        """OCS 12.8b Steps lost on modified 2d6, or ALL_STEPS. An AR off the table reads its nearest
        column."""
        bands = self.by_ar[min(max(ar, min(self.by_ar)), max(self.by_ar))]
        return next((lost for low, high, lost in bands if low <= modified <= high), bands[0][2])


@frozen
class Capture:
    """OCS 9.14b, 9.14c Per cent captured by a die of 1 to 6, by what is entered."""

    percent: Mapping[str, tuple[int, ...]]
    truck_ma_over: int
    displacement: Mapping[str, int]

    def share(self, what: str, die: int) -> int:
        """OCS 9.14b, 9.14c Per cent captured, of what `percent` names, by an unmodified die of 1 to
        6. Raises KeyError for anything else."""
        return self.percent[what][die - 1]

    def kind(self, ma: int) -> str:
        """OCS 9.14c Which column transport of that MA uses: "trucks" or "wagons"."""
        return "trucks" if ma > self.truck_ma_over else "wagons"


@frozen
class AirCombat:
    """OCS 14.3 2d6 + attacker's rating - defender's: who aborts; and the die on which an aborting
    aircraft loses a step."""

    attacker_at_most: int
    both: int
    defender_at_least: int
    loss_die: frozenset[int]

    def aborts(self, modified: int) -> tuple[bool, bool]:
        """OCS 14.3 (whether the attacker aborts, whether the defender does) on modified 2d6."""
        return (
            modified <= self.attacker_at_most or modified == self.both,
            modified >= self.defender_at_least or modified == self.both,
        )


@frozen
class Flak:
    """OCS 14.4 The roll that costs a mission a step, its modifiers, and which aircraft it hits."""

    hit_at_least: int
    always: frozenset[str]
    only_in_patrol_zone: frozenset[str]
    never: frozenset[str]
    modifiers: Mapping[str, int]
    loss: Mapping[int, tuple[str, ...]]

    def hit(self, modified: int) -> bool:
        """OCS 14.4 Whether modified 2d6 cost the mission a step."""
        return modified >= self.hit_at_least

    def victim(self, aircraft: int, die: int) -> str:
        """OCS 14.4 Which of a mission's aircraft is hit, by an unmodified die of 1 to 6:
        its number in the mission, "weakest" or "strongest"; a single aircraft is number 1."""
        return "1" if aircraft == 1 else self.loss[aircraft][die - 1]


@frozen
class AirDrop:
    """OCS 14.10d 2d6 at least, by the ground; and modifiers by name."""

    at_least: Mapping[str, int]
    drm: Mapping[str, int]


@frozen
class AirBaseCapture:
    """OCS 9.14f A roll for each aircraft on a base that is captured."""

    loss_at_most: int
    active_drm: int
    by_advance_drm: int


@frozen
class Tables:
    """All tables of the series, and its costs by name (`[series.costs]`)."""

    combat: CombatTable
    barrage: BarrageTable
    facility: FacilityTable
    surprise: Surprise
    combat_supply: Mapping[str, int]
    attrition: Attrition
    capture: Capture
    blowing: tuple[int, ...]
    """OCS 12.11a Per cent of a dump that is blown, by a die of 1 to 6."""
    base_capture: AirBaseCapture
    air_combat: AirCombat
    flak: Flak
    drop: AirDrop
    costs: Mapping[str, int]


def tables(doc: Mapping[str, Any]) -> Tables:
    """Read a pack's `[series]`. Raises KeyError or BadCell for a table that is not whole."""
    barrage, facility = doc["barrage_table"], doc["barrage_vs_facility"]
    surprise, attrition = doc["surprise"], doc["attrition"]
    capture, base, air = doc["capture"], doc["air_base_capture"], doc["air_combat"]
    flak, drop, combat = doc["flak"], doc["air_drop"], doc["combat_table"]
    return Tables(
        combat=CombatTable(
            {name: tuple(_ratio(head) for head in row) for name, row in combat["columns"].items()},
            {name: tuple(row) for name, row in combat["columns"].items()},
            tuple(
                tuple(combat_result(cell) for cell in combat["rows"][str(number)])
                for number in range(1, len(combat["rows"]) + 1)
            ),
        ),
        barrage=BarrageTable(
            tuple(barrage["low"]),
            tuple(barrage["columns"]),
            tuple(barrage["cost_t"]),
            {
                int(dice): tuple(barrage_result(cell) for cell in row)
                for dice, row in sorted(barrage["rows"].items(), key=lambda item: int(item[0]))
            },
            tuple((most, shift) for most, shift in barrage["density"]),
            barrage["density_above"],
            barrage["density_unit_cap"],
            dict(barrage["shifts"]),
            frozenset(barrage["half_die_loses_on"]),
        ),
        facility=FacilityTable(
            tuple(facility["low"]),
            tuple(facility["columns"]),
            tuple(facility["cost_t"]),
            {
                int(die): tuple(facility_result(cell) for cell in row)
                for die, row in sorted(facility["rows"].items(), key=lambda item: int(item[0]))
            },
        ),
        surprise=Surprise(
            {
                row: (surprise[row]["attacker_at_least"], surprise[row]["defender_at_most"])
                for row in (OVERRUN, REGULAR)
            },
            surprise["hedgehog"],
        ),
        combat_supply=_numbers(doc["combat_supply"]),
        attrition=Attrition(
            {
                int(ar): tuple((a, b, ALL_STEPS if c == "all" else c) for a, b, c in bands)
                for ar, bands in sorted(attrition["by_ar"].items())
            },
            attrition["many_steps"],
            attrition["many_steps_drm"],
        ),
        capture=Capture(
            {what: tuple(row) for what, row in capture["percent"].items()},
            capture["truck_ma_over"],
            dict(capture["displacement"]),
        ),
        blowing=tuple(doc["dump_blowing"]["percent"]),
        base_capture=AirBaseCapture(
            base["loss_at_most"], base["active_drm"], base["by_advance_drm"]
        ),
        air_combat=AirCombat(
            air["attacker_aborts_at_most"],
            air["both_abort"],
            air["defender_aborts_at_least"],
            frozenset(air["loss_die"]),
        ),
        flak=Flak(
            flak["hit_at_least"],
            frozenset(flak["always"]),
            frozenset(flak["only_in_patrol_zone"]),
            frozenset(flak["never"]),
            dict(flak["modifiers"]),
            {int(count): tuple(row) for count, row in sorted(flak["mission_loss"].items())},
        ),
        drop=AirDrop(dict(drop["success_at_least"]), dict(drop["drm"])),
        costs=_numbers(doc["costs"]),
    )


def _ratio(head: str) -> Fraction:
    attack, _, defence = head.partition(":")
    return Fraction(int(attack), int(defence))


def _numbers(doc: Mapping[str, Any]) -> dict[str, int]:
    """The whole numbers of a table by name; those of a table in it as "outer_inner"."""
    found: dict[str, int] = {}
    for name, value in sorted(doc.items()):
        if isinstance(value, int):
            found[name] = value
        elif isinstance(value, Mapping):
            found.update({f"{name}_{inner}": n for inner, n in sorted(value.items())})
    return found
