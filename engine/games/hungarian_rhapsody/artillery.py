"""HR 3.4a, 3.5a, 3.5c: who spots for whom, and which artillery fires together."""

from collections.abc import Sequence

from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.state import State

SOVIET, GUARDS, ROMANIAN = "soviet", "guards", "romanian"


def army(nation: str) -> str:
    """HR 3.4a, 3.5a The army of a counter's nation: Guards are Soviet."""
    return SOVIET if nation == GUARDS else nation


def spots(charts: Charts, name: str, firer: str) -> bool:
    """HR 3.4a Only Soviet units spot for Soviet artillery and aircraft, only Romanian ones for
    Romanian; HR R-35: Czechs for neither. HR 3.5c Partisans and the Czech 2nd Para spot for no
    aircraft. HR 2.3a Axis nations spot for one another."""
    counter = charts.units[name]
    plane = charts.printed.planes.get(firer)
    if plane is not None and counter.traits.get("partisan_supply"):
        return False
    nation = army(plane.nation if plane is not None else charts.units[firer].nation)
    return nation not in (SOVIET, ROMANIAN) or army(counter.nation) == nation


def fire_together(state: State, names: Sequence[str]) -> bool:
    """HR 3.5a Soviet artillery fires together only from one hex; HR R-36: Romanian need not."""
    hexes = {state.units[name].at for name in names if army(state.counter(name).nation) == SOVIET}
    return len(hexes) <= 1
