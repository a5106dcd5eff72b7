"""Setting up: a scenario's file as the first position.

OCS 5.2 Units that no mode names begin in Combat mode. OCS 13.6c Organic trucks begin loaded;
ordinary transport begins empty, its supply lies on the ground. [R] A hedgehog belongs to the side
that stands in its hex; a trainbusting marker hinders the side that controls its hex (14.8).
"""

from warledger.engine.games.ocs.ch03_counters.counters import MOVE
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import (
    MARKERS,
    NOT_ARRIVED,
    OFF_MAP,
    Aircraft,
    Base,
    Hedgehog,
    State,
    Unit,
    field_of,
)

TRAINBUSTING = "marker.trainbusting"
"""OCS 14.8 The counter that a scenario may lay out."""


def first_position(charts: Charts) -> State:
    """The position before the first turn of the charts' scenario."""
    scenario, sides = charts.scenario, charts.sides
    units = _units(charts)
    aircraft = {name: Aircraft() for name in charts.printed.planes}
    bases: dict[int, Base] = {}
    for one in scenario.bases:
        if isinstance(one.at, int):
            bases[one.at] = Base(one.side, one.level)
        for name in (*one.active, *one.inactive):
            aircraft[name] = Aircraft(one.at, "", name in one.active)
    laid = State(
        charts=charts,
        units=units,
        aircraft=aircraft,
        field=field_of(charts, units),
        turn=scenario.first_turn,
        first=scenario.first_player,
        phasing=scenario.first_player,
        segment="",
        ground=scenario.ground,
        flight=scenario.flight,
        control=scenario.control,
        supply=scenario.supply_at,
        hedgehogs={
            i: Hedgehog(
                next(
                    (charts.units[name].side for name, at in scenario.at.items() if at == i),
                    sides[0] if scenario.control[sides[0]] >> i & 1 else sides[1],
                ),
                level,
            )
            for i, level in scenario.hedgehogs.items()
        },
        bases=bases,
        markers={name: at for name, at in scenario.markers.items() if name != TRAINBUSTING},
        trainbusting={
            i: next(side for side in sides if not scenario.control[side] >> i & 1)
            for i in scenario.markers.get(TRAINBUSTING, ())
            if isinstance(i, int)
        },
        marker_count=scenario.marker_count,
        spent_sp=dict.fromkeys(sides, 0),
    )
    return points.opened(rules(charts).set_up(laid))


def _units(charts: Charts) -> dict[str, Unit]:
    scenario = charts.scenario
    pools = {name: box for box, names in scenario.pools.items() for name in names}
    units = {}
    for name, counter in charts.units.items():
        at = scenario.at.get(name, OFF_MAP)
        if at == OFF_MAP:
            where = pools.get(name, NOT_ARRIVED)
            units[name] = Unit(
                where=where, move_side=counter.combat is None, load=_loaded(charts, name)
            )
            continue
        mode = scenario.modes.get(name, "")
        units[name] = Unit(
            at=at,
            where="",
            move_side=counter.combat is None or mode in (MOVE, "strat"),
            marker=mode if mode in MARKERS else "",
            lost=scenario.steps_lost.get(name, 0),
            load=_loaded(charts, name),
        )
    return units


def _loaded(charts: Charts, name: str) -> int:
    counter = charts.units[name]
    return counter.points * charts.tables.costs["sp_in_t"] if counter.organic else 0
