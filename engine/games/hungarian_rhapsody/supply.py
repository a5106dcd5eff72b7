"""HR 3.1, 3.4a, 4.0f: the game's own rules for supply: who uses whose HQs, what supply costs,
Jansen fuel."""

from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import fortress
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.game import Sparing
from warledger.engine.games.ocs.series.state import State

OWN_HQS = ("romanian", "yugoslav")
"""HR 3.4a Nations that use their own HQs and whose HQs nobody else uses."""


def serves(charts: Charts, hq: str, unit: str) -> bool:
    """HR 2.3a, 3.4a Axis nations use any Axis HQ; Romanians and Yugoslavs use only their own, and
    nobody else uses theirs. HR 4.0d Option: Gorshkov and Pliev serve no rifle divisions."""
    one, other = charts.units[hq], charts.units[unit]
    if one.side != other.side:
        return False
    a, b = one.nation, other.nation
    if (a in OWN_HQS or b in OWN_HQS) and a != b:
        return False
    if charts.options.get("cavalry_hqs") and one.traits.get("mobile_only"):
        return other.independent or bool(other.muf)
    return True


JANSEN = "jansen_fuel"
"""The option of 4.0f."""


def sparing_fuel(charts: Charts) -> Sparing | None:
    """HR 4.0f (option) In its own Movement Phase 1T fuels a formation whose units stay in Combat
    mode and are never next to enemy units. They pay a point at least for a hex of road."""
    if not charts.options.get(JANSEN):
        return None
    return Sparing(charts.printed.chart["capacity"]["jansen_fuel_t"], "HR 4.0f")


WEST_OF_YELLOW = "area.west_of_yellow"

FIGHTING = ("attack", "defence")


def cost_factor(state: State, side: str, what: str | int, purpose: str) -> int:
    """HR 3.1f, R-29, R-30 Everything that Soviet units use west of the yellow line, or against
    a hex there, costs four times as much. HR 3.5c Slovak partisans and the Czech 2nd Para fight
    without supply, 3.5d Romanian mountain groups and HR 2.4 units
    in a Budapest Fortress defend without."""
    charts = state.charts
    at = what
    if isinstance(what, str):
        if what not in state.units:
            return 1
        counter = charts.units[what]
        if purpose in FIGHTING and counter.traits.get("partisan_supply"):
            return 0
        if purpose == "defence" and counter.nation == "romanian" and counter.traits.get("no_stack"):
            return 0
        if purpose == "defence" and fortress.holds(state, what):
            return 0
        at = state.units[what].at
    if side == charts.sides[0] or not isinstance(at, int) or at < 0:
        return 1
    if hexsets.has(charts.board.areas[WEST_OF_YELLOW], at):
        return int(charts.printed.chart["capacity"]["yellow_line_factor"])
    return 1


def rail_points(state: State, side: str) -> int:
    """HR 2.1c Rail capacity of a side in this turn, by the scenario or the calendar; the Soviets
    have none."""
    return _points(state, "rail_cap", "axis_rail") if side == state.charts.sides[0] else 0


def truck_points(state: State, side: str) -> int:
    """HR 3.1d Truck capacity of a side in this turn; the Axis has none."""
    if side == state.charts.sides[0]:
        return 0
    return _points(state, "truck_points", "soviet_trucks")


def _points(state: State, own: str, calendar: str) -> int:
    found = state.charts.scenario.doc.get("supply", {}).get(own)
    if found is None:
        found = state.charts.printed.turn(state.turn).traits[calendar]
    return int(found)
