"""HR 3.4a, 3.5a, 3.5c: who spots for whom, and which artillery fires together."""

from collections.abc import Sequence

from warledger.engine.games.ocs.charts import Charts
from warledger.engine.games.ocs.state import State

SOVIET_NATIONS = ("soviet", "romanian")
"""HR 3.4a Nations for which their own units alone spot."""

SOVIET = "soviet"


def spots(charts: Charts, name: str, firer: str) -> bool:
    """HR 3.4a Only Soviet units spot for Soviet artillery and aircraft, only Romanian ones for
    Romanian; ruling 35: Czechs for neither. HR 3.5c Partisans and the Czech 2nd Para spot for no
    aircraft. HR 2.3a Axis nations spot for one another."""
    counter = charts.units[name]
    plane = charts.printed.planes.get(firer)
    if plane is not None and counter.traits.get("partisan_supply"):
        return False
    nation = plane.nation if plane is not None else charts.units[firer].nation
    return nation not in SOVIET_NATIONS or counter.nation == nation


def fire_together(state: State, names: Sequence[str]) -> bool:
    """HR 3.5a Soviet artillery fires together only from one hex; ruling 36: Romanian need not."""
    hexes = {state.units[name].at for name in names if state.counter(name).nation == SOVIET}
    return len(hexes) <= 1
