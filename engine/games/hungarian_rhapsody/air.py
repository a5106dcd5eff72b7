"""HR 1.2a, 1.3, 2.2, 3.2: the game's own rules for aircraft: where white ones and the Long Range
Air Force fly, who flies hip shoots, tank busters and Rudel, how many Soviet aircraft are active.

[R] HR 1.3c Air areas are bases; a box lies north of the white line if all hexes by which it is left
do. HR 1.2a Axis aircraft with a white border fly and land north of the line as Soviet ones do. HR
2.2a Fighters are the escorts that may join tank busters; busters fly nothing but tank-busting
barrages, hip shoots and transfers.
"""

from collections.abc import Sequence

from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody.lines import NORTH
from warledger.engine.games.ocs.ch03_counters.counters import ARMOR, MECH
from warledger.engine.games.ocs.ch04_concepts import zones
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch14_air.mission_in_progress import BARRAGE, HIP_SHOOT, TRANSFER
from warledger.engine.games.ocs.ch15_air_bases import air_bases
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.scenario import Place
from warledger.engine.games.ocs.series.state import State

ARMY_BOX, LONG_RANGE_BOX = "box.air.8aa", "box.air.lraf"
"""HR 1.3c, 3.2b The boxes of the 8th Air Army and of the Long Range Air Force."""

BUSTING = (BARRAGE, HIP_SHOOT)
"""HR 2.2a Missions in which tanks are busted."""

ROMANIAN = "romanian"


def has(charts: Charts, name: str, trait: str) -> bool:
    """Whether an aircraft has one of the game's own marks."""
    return bool(charts.printed.planes[name].traits.get(trait))


def rudel(charts: Charts, name: str) -> bool:
    """HR 2.2b Rudel's aircraft ignores losses by flak, and aborts instead of entering air
    combat."""
    return has(charts, name, "rudel")


def hip_shoots(charts: Charts, name: str) -> bool:
    """HR 1.3d Only German aircraft and Soviet Il-2s."""
    return has(charts, name, "hip_shoot")


def _north(state: State, place: Place) -> bool:
    board = state.charts.board
    north = board.areas[NORTH]
    if isinstance(place, int):
        return hexsets.has(north, place)
    return all(
        hexsets.has(north, i)
        for area in board.boxes[place].flights
        for i in board.entries[area].hexes
    )


def flies(state: State, name: str, kind: str) -> bool:
    """HR 2.2a Tank busters bust tanks. HR 3.2b The Long Range Air Force flies in the Soviet
    Movement Phase, and stays in its box."""
    charts = state.charts
    if has(charts, name, "tank_buster") and kind not in (*BUSTING, TRANSFER):
        return False
    if not has(charts, name, "lraf"):
        return True
    return state.segment in (*zones.MOVEMENT, "c3") and kind != TRANSFER


def flies_over(state: State, name: str, i: int) -> bool:
    """HR 1.2a White aircraft fly missions only north of the white line."""
    return not has(state.charts, name, "white") or _north(state, i)


def lands_at(state: State, name: str, place: Place) -> bool:
    """HR 1.2a, 1.3c Only white aircraft use the box of the 8th Air Army; from 29 October they may
    also land elsewhere north of the line. HR 3.2b The Long Range Air Force stays in its box, which
    nobody else uses."""
    charts = state.charts
    if has(charts, name, "lraf") or place == LONG_RANGE_BOX:
        return has(charts, name, "lraf") and place == LONG_RANGE_BOX
    if not has(charts, name, "white"):
        return place != ARMY_BOX
    if place == ARMY_BOX:
        return True
    soviet = charts.printed.planes[name].side == charts.sides[1]
    if soviet and state.turn < charts.printed.chart["capacity"]["air_8aa_bases_from_turn"]:
        return False
    return _north(state, place)


def fly_together(state: State, kind: str, names: Sequence[str]) -> bool:
    """HR 2.2a Other bombers do not join tank busters where these bust tanks, escorts may."""
    charts = state.charts
    if kind not in BUSTING or not hunts(charts, names):
        return True
    planes = charts.printed.planes
    return all(has(charts, name, "tank_buster") or planes[name].fighter for name in names)


def hunts(charts: Charts, names: Sequence[str]) -> bool:
    """HR 2.2a Whether a mission busts tanks."""
    return any(has(charts, name, "tank_buster") for name in names)


def bombers(charts: Charts, names: Sequence[str]) -> Sequence[str]:
    """HR 2.2a, R-21 Where tank busters fly, only they count."""
    busters = tuple(name for name in names if has(charts, name, "tank_buster"))
    return busters or names


def hunted(state: State, i: int) -> Sequence[str]:
    """HR 2.2a, R-20 Tank busters hit the strongest yellow or red unit of a hex, by its attack
    strength now; its owner chooses among equals."""
    strength = {
        name: modes.strength(state, name, attacking=True)
        for name in state.combat_units(i)
        if state.counter(name).cls in (ARMOR, MECH)
    }
    most = max(strength.values(), default=None)
    return tuple(name for name, value in strength.items() if value == most)


def may_rest(charts: Charts, side: str) -> bool:
    """HR 1.3e, R-11 In its Refit Phase the Axis side may declare any of its aircraft inactive."""
    return side == charts.sides[0]


def too_many_active(state: State, side: str) -> tuple[int, Sequence[str]]:
    """HR 3.2a From 12 to 29 October and from 1 January at most ten Soviet aircraft are active after
    their Refit Phase, those in boxes included. Romanian, white-bordered ones and the Long Range Air
    Force do not count. HR R-32: it is checked at no other time."""
    charts = state.charts
    if side != charts.sides[1]:
        return 0, ()
    limit = _active_limit(state)
    if limit is None:
        return 0, ()
    planes = charts.printed.planes
    counted = tuple(
        name
        for name, plane in state.aircraft.items()
        if plane.active
        and plane.base is not None
        and planes[name].side == side
        and planes[name].nation != ROMANIAN
        and not has(charts, name, "white")
        and not has(charts, name, "lraf")
    )
    return max(len(counted) - limit, 0), counted


def _active_limit(state: State) -> int | None:
    """HR 1.7, 3.2a The most Soviet aircraft that may be active in this turn, by the scenario if it
    names turns, else by the chart. None: any number."""
    doc = state.charts.scenario.doc
    own = doc.get("special", {}).get("soviet_active_aircraft_from_turn", {})
    if own:
        since = [int(turn) for turn in own if int(turn) <= state.turn]
        return int(own[str(max(since))] if since else doc["scenario"]["soviet_active_aircraft"])
    chart = state.charts.printed.chart["capacity"]["soviet_active_aircraft"]
    if any(first <= state.turn <= last for first, last in chart["turns"]):
        return int(chart["limit"])
    return None


def may_refit(state: State, name: str) -> bool:
    """HR 3.2b The Long Range Air Force is refitted twice in a month."""
    charts = state.charts
    if not has(charts, name, "lraf"):
        return True
    most = charts.printed.chart["capacity"]["lraf_refits_per_month"]
    return air_bases.refits_in_month(state, LONG_RANGE_BOX) < int(most)
