"""OCS 0-3: the pack of a game, indexed once: map, counters, charts, turns, scenario and options.

OCS 1 A hex is 5 miles (8 km), a turn half a week, a unit a company to a division. Built by `charts`
when a game begins or is loaded and kept in the state, so that no rule ever parses. What depends on
the pack alone is worked out once for a pack; what depends on weather is compiled when it is first
asked for. Hexes are grid indices here, the log speaks of printed ids. OCS 3.3a, 12.1 Supply is
counted in tokens: 1 SP is 4T. RE are in quarters, points of movement in `parts` (as many to a point
as make every printed cost whole), strengths are exact.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from attrs import field, frozen

from warledger.engine.board.going import Compiled
from warledger.engine.board.mobility import (
    Cost,
    Costs,
    Over,
    added,
    cheaper,
    compile_costs,
    cost_of,
    entries,
    parts_of,
    patched,
)
from warledger.engine.games.ocs.ch03_counters import counters
from warledger.engine.games.ocs.ch03_counters.counters import (
    LEG,
    MOBILITIES,
    Counter,
    Marker,
    Plane,
)
from warledger.engine.games.ocs.series import board as maps
from warledger.engine.games.ocs.series.board import Board
from warledger.engine.games.ocs.series.scenario import Scenario, scenario
from warledger.engine.games.ocs.series.tables import Tables, tables
from warledger.engine.kernel.change import replace
from warledger.protocol import canon
from warledger.protocol.board import scenarios

TRACK_PATH, ROAD_PATH, RAIL_PATH = "track", "road", "rail"


@frozen
class Terrain:
    """OCS 6.2, 9.3, 9.4 One row of the Terrain Effects Chart: a terrain, place or class of hexside.

    `move` is by mobility; `row` its kind on the Combat Table, "" for one that has none. `by_class`
    is what armor, mech and other units are multiplied by; `attack_only` marks [x2]. `either` names
    two terrains that lie in the hex at once, of which the defender chooses (OCS 6.2d: `move` is the
    costlier); `replaces`: a place whose cost stands instead of the terrain's.
    """

    name: str
    move: Mapping[str, Cost]
    row: str
    by_class: Mapping[str, Fraction]
    attack_only: bool
    either: tuple[str, ...]
    replaces: bool
    traits: Mapping[str, Any]


@frozen
class Weather:
    """OCS 17 What ground or flight conditions do, as the game's table says."""

    name: str
    kind: str
    off_road_add: Mapping[str, int]
    off_road_times: Mapping[str, int]
    road: Cost
    track_as: str
    terrain_as: Mapping[str, str]
    hexside: Mapping[str, Mapping[str, Cost]]
    hip_shoots: bool
    missions: tuple[str, ...]
    max_aircraft: int
    traits: Mapping[str, Any]


@frozen
class Turn:
    """A turn of the calendar: its number, first day, and the game's fields for it."""

    number: int
    start: str
    traits: Mapping[str, Any]


@frozen(eq=False, repr=False)
class Printed:
    """Everything that depends on the pack alone. Compared by identity, shared by all games of a
    pack."""

    title: str
    sides: tuple[str, str]
    board: Board
    units: Mapping[str, Counter]
    planes: Mapping[str, Plane]
    markers: Mapping[str, Marker]
    mufs: Mapping[str, tuple[str, ...]]
    """OCS 3.1c Formations: the ids of their units."""
    parts: int
    """How many parts a movement point is counted in, so that every cost is whole."""
    terrain: Mapping[str, Terrain]
    place: Mapping[str, Terrain]
    hexside: Mapping[str, Terrain]
    path: Mapping[str, Mapping[str, int]]
    """OCS 6.2a Cost along a kind of path by mobility."""
    weather: Mapping[str, Weather]
    turns: tuple[Turn, ...]
    tables: Tables
    chart: Mapping[str, Any]
    """The tables of the pack as they stand: what is the game's alone is read here by its title."""
    scenarios: Mapping[str, Mapping[str, Any]]

    def turn(self, number: int) -> Turn:
        """A turn by its number, which counts from 1."""
        return self.turns[number - 1]


@frozen(eq=False, repr=False, slots=False)
class Charts:
    """What never changes during a game: the pack, its scenario, the game's own rules, the
    options."""

    printed: Printed
    scenario: Scenario
    game: object
    """The title's `Game`, which `game.rules` returns as such: what it alters or completes."""
    options: Mapping[str, Any] = field(factory=dict)

    @cached_property
    def board(self) -> Board:
        """The map."""
        return self.printed.board

    @cached_property
    def units(self) -> Mapping[str, Counter]:
        """Every unit's counter by id."""
        return self.printed.units

    @cached_property
    def tables(self) -> Tables:
        """The tables of the series."""
        return self.printed.tables

    @cached_property
    def parts(self) -> int:
        """How many parts a movement point is counted in, so that every cost is whole."""
        return self.printed.parts

    @cached_property
    def sides(self) -> tuple[str, str]:
        """Both sides, in the order of the seats."""
        return self.printed.sides

    def enemy(self, side: str) -> str:
        """The other of the two sides."""
        a, b = self.printed.sides
        return b if side == a else a

    def option(self, name: str) -> Any:
        """The value of one of the title's options. Raises KeyError for a name that it does not
        have."""
        return self.options[name]


def charts(
    pack: bytes, name: str, game: object, options: Mapping[str, Any] | None = None
) -> Charts:
    """The charts of one game: a pack's, with the scenario of that name. Raises KeyError for an
    unknown scenario; BadPack, BadRange, BadCounter or BadCell for a pack that is not whole."""
    printed = printed_of(pack)
    return Charts(printed, _scenario(printed, name), game, dict(options or {}))


@lru_cache(maxsize=32)
def _scenario(printed: Printed, name: str) -> Scenario:
    return scenario(printed.scenarios[name], printed.board, printed.sides)


@lru_cache(maxsize=4)
def printed_of(pack: bytes) -> Printed:
    """A function of the pack alone, kept for the next game of it."""
    source = canon.unpack_trusted(pack)
    chart = source["tables"]
    parts = parts_of(_amounts(chart))
    units = counters.units(source["counters"])
    mufs: dict[str, tuple[str, ...]] = {}
    for name, counter in units.items():
        if counter.muf:
            mufs[counter.muf] = (*mufs.get(counter.muf, ()), name)
    first, second = source["map"]["sides"]
    return Printed(
        title=source["map"]["title"],
        sides=(first, second),
        board=maps.board(source["map"], chart),
        units=units,
        planes=counters.planes(source["counters"]),
        markers=counters.markers(source["counters"]),
        mufs=dict(sorted(mufs.items())),
        parts=parts,
        terrain=_terrains(chart["terrain"], "move", parts, entry=True),
        place=_terrains(chart.get("place", {}), "move", parts, entry=True),
        hexside=_terrains(chart.get("hexside", {}), "extra", parts, entry=False),
        path={
            name: {mobility: _points(row[f"move_{mobility}"], parts) for mobility in MOBILITIES}
            for name, row in chart["path"].items()
        },
        weather={name: _weather(name, row, parts) for name, row in chart["weather_effect"].items()},
        turns=tuple(Turn(row["number"], row["start"], row) for row in source["turns"]["turn"]),
        tables=tables(chart["series"]),
        chart=chart,
        scenarios={name: scenarios.scenario(source, name) for name in scenarios.names(source)},
    )


# --- costs ----------------------------------------------------------------------------------------


def costs(printed: Printed, ground: str, mobility: str) -> Costs:
    """OCS 6.2, 17 What one mobility class pays in some ground conditions.

    Weather adds to or multiplies the cost of every hex entered off roads and tracks, railways among
    them. Entries for hexes and hexsides replace the chart's. OCS 6.1d What cannot be entered cannot
    be left, but along a path. A supply path does not ask that of the hex in which it begins.
    """
    weather = printed.weather[ground]
    add = weather.off_road_add.get(mobility, 0)
    times = weather.off_road_times.get(mobility, 1)

    def off_road(cost: Cost) -> Cost:
        return cost if cost is None or cost < 0 else cost * times + add

    def terrain(name: str) -> Cost:
        return off_road(printed.terrain[weather.terrain_as.get(name, name)].move[mobility])

    path = {kind: row[mobility] for kind, row in printed.path.items()}
    if weather.road is not None and ROAD_PATH in path:
        path[ROAD_PATH] = weather.road
    if weather.track_as and TRACK_PATH in path:
        cost = printed.terrain[weather.track_as].move[mobility]
        path[TRACK_PATH] = path[TRACK_PATH] if cost is None or cost < 0 else cost
    if RAIL_PATH in path:
        path[RAIL_PATH] = path[RAIL_PATH] * times + add
    return Costs(
        terrain={name: terrain(name) for name in printed.terrain},
        place={
            name: off_road(row.move[mobility])
            for name, row in printed.place.items()
            if row.replaces
        },
        hexside={
            name: weather.hexside[name][mobility] if name in weather.hexside else row.move[mobility]
            for name, row in printed.hexside.items()
        },
        path=path,
        unlifted=frozenset(printed.board.printed_bridges),
        both_ways=True,
    )


def supply_costs(printed: Printed, ground: str, mobility: str) -> Costs:
    """OCS 12.3d What a supply path pays: weather's increases are ignored, its decreases may be
    used; only a Leg path may spend all of its length on one hex."""
    clear, now = costs(printed, clear_ground(printed), mobility), costs(printed, ground, mobility)

    def best(a: Mapping[str, Cost], b: Mapping[str, Cost]) -> dict[str, Cost]:
        both = {name: cheaper(a[name], b[name]) for name in a}
        if mobility == LEG:
            return both
        return {
            name: None if cost is not None and cost < 0 else cost for name, cost in both.items()
        }

    return Costs(
        best(clear.terrain, now.terrain),
        best(clear.place, now.place),
        best(clear.hexside, now.hexside),
        {name: min(clear.path[name], now.path[name]) for name in clear.path},
        clear.unlifted,
    )


@lru_cache(maxsize=4)
def clear_ground(printed: Printed) -> str:
    """The ground conditions that change nothing: the first of the chart's that have no effect."""
    return next(
        name
        for name, row in printed.weather.items()
        if row.kind == "ground"
        and not (row.off_road_add or row.off_road_times or row.terrain_as or row.hexside)
        and row.road is None
        and not row.track_as
    )


Bridging = frozenset[tuple[int, Over]]
"""Hexside slots that are not crossed as printed, each with what it counts as."""


def without_rates(printed: Printed, paid: Costs) -> Costs:
    """Costs where a path costs no less than a point a hex; it still lifts other terrain."""
    path = {kind: max(cost, printed.parts) for kind, cost in paid.path.items()}
    return replace(paid, path=path)


@lru_cache(maxsize=64)
def _paid(
    printed: Printed, ground: str, mobility: str, supply: bool, rates: bool
) -> tuple[Costs, tuple[Cost, ...]]:
    """The costs of a mobility class, of a supply path or of moving, and what each hex costs."""
    chosen = (supply_costs if supply else costs)(printed, ground, mobility)
    if not rates:
        chosen = without_rates(printed, chosen)
    return chosen, entries(printed.board.map, chosen)


_Table = tuple[tuple[str, Cost], ...]


@lru_cache(maxsize=48)
def _compiled_once(
    printed: Printed,
    terrain: _Table,
    place: _Table,
    hexside: _Table,
    path: tuple[tuple[str, int], ...],
    unlifted: frozenset[str],
    both_ways: bool,
) -> Compiled:
    chosen = Costs(dict(terrain), dict(place), dict(hexside), dict(path), unlifted, both_ways)
    return compile_costs(printed.board.map, chosen)


def compiled(printed: Printed, chosen: Costs) -> Compiled:
    """Every step at these costs. Ground conditions under which a mobility class pays the same share
    one answer. So a pack's map is compiled once for each chart of costs there is."""
    return _compiled_once(
        printed,
        tuple(chosen.terrain.items()),
        tuple(chosen.place.items()),
        tuple(chosen.hexside.items()),
        tuple(chosen.path.items()),
        chosen.unlifted,
        chosen.both_ways,
    )


@lru_cache(maxsize=64)
def steps(
    printed: Printed, ground: str, mobility: str, supply: bool = False, rates: bool = True
) -> Compiled:
    """Every step of a mobility class in some ground conditions, as printed: no bridge stands over a
    river that no path lifts by itself. With `supply` the steps of a supply path; without `rates`
    those of a mover for whom no path costs less than a point."""
    return compiled(printed, _paid(printed, ground, mobility, supply, rates)[0])


@lru_cache(maxsize=256)
def one_bridging(bridging: Bridging) -> Bridging:
    """One object for equal bridgings, so that what is looked up by them need not compare each
    hexside: different engineers often bridge the same ones."""
    return bridging


@lru_cache(maxsize=64)
def bridged(
    printed: Printed,
    ground: str,
    mobility: str,
    bridging: Bridging,
    supply: bool = False,
    rates: bool = True,
) -> Compiled:
    """Every step of a mobility class in some ground conditions, with bridges as they stand now
    (13.8b). `supply` and `rates` mean what they do for `steps`."""
    chosen, enter = _paid(printed, ground, mobility, supply, rates)
    return patched(
        steps(printed, ground, mobility, supply, rates),
        printed.board.map,
        chosen,
        enter,
        dict(bridging),
    )


@lru_cache(maxsize=16)
def widest(printed: Printed, ground: str, mobility: str) -> Compiled:
    """The steps of a supply path if every river were bridged that anything can bridge: no bridging
    leads further, so what lies beyond cannot matter to a path."""
    chosen, _ = _paid(printed, ground, mobility, True, True)
    dry: dict[str, Cost] = dict.fromkeys(chosen.hexside, 0)
    return compiled(printed, replace(chosen, hexside=dry, unlifted=frozenset()))


def across(printed: Printed, mobility: str, ground: str, a: int, b: int, over: Over | None) -> Cost:
    """OCS 6.1d, 6.2b, 8.1c The cost from a to the neighbour b off every path and bridge, hex and
    hexside together: what an overrun pays."""
    chosen, entering = _paid(printed, ground, mobility, False, True)
    if entering[a] is None:
        return None
    board, enter = printed.board, entering[b]
    if board.map.sides.impassable[board.slot(a, b)]:
        return None
    kind = board.river_class(board.slot(a, b)) if over is None else over.counts_as
    return added(enter, chosen.hexside[kind]) if kind else enter


# --- reading --------------------------------------------------------------------------------------


def _terrains(
    doc: Mapping[str, Any], column: str, parts: int, *, entry: bool
) -> dict[str, Terrain]:
    """`entry`: 0 in a column of costs of entering says that there is no entry."""
    return {
        name: Terrain(
            name,
            {
                mobility: _entry(row[f"{column}_{mobility}"], parts, entry)
                for mobility in MOBILITIES
                if f"{column}_{mobility}" in row
            },
            row.get("row", ""),
            {cls: Fraction(row[cls]) for cls in ("armor", "mech", "other") if cls in row},
            bool(row.get("attack_only", False)),
            tuple(row.get("either", ())),
            row.get("mode") == "replaces",
            row,
        )
        for name, row in doc.items()
    }


def _entry(amount: object, parts: int, entry: bool) -> Cost:
    cost = cost_of(amount, parts)
    return None if entry and cost == 0 else cost


def _points(amount: object, parts: int) -> int:
    cost = cost_of(amount, parts)
    if cost is None or cost < 0:
        raise ValueError(f'{amount!r} is not a cost along a path; write points as 2 or "1/2"')
    return cost


def _weather(name: str, row: Mapping[str, Any], parts: int) -> Weather:
    return Weather(
        name,
        row["kind"],
        {mobility: _points(cost, parts) for mobility, cost in row.get("off_road_add", {}).items()},
        dict(row.get("off_road_times", {})),
        cost_of(row["road"], parts) if "road" in row else None,
        row.get("track_as", ""),
        dict(row.get("terrain_as", {})),
        {
            kind: {mobility: cost_of(cost, parts) for mobility, cost in by.items()}
            for kind, by in row.get("hexside", {}).items()
        },
        bool(row.get("hip_shoots", True)),
        tuple(row.get("missions", ())),
        row.get("max_aircraft", 0),
        row,
    )


def _amounts(chart: Mapping[str, Any]) -> list[object]:
    """Every cost of movement in a chart, weather's among them."""
    found: list[object] = []
    for table, column in (
        ("terrain", "move"),
        ("place", "move"),
        ("hexside", "extra"),
        ("path", "move"),
    ):
        for row in chart.get(table, {}).values():
            found += [row[f"{column}_{m}"] for m in MOBILITIES if f"{column}_{m}" in row]
    for row in chart.get("weather_effect", {}).values():
        found += [row[key] for key in ("road",) if key in row]
        found += list(row.get("off_road_add", {}).values())
        for by in row.get("hexside", {}).values():
            found += list(by.values())
    return found


def with_options(of: Charts, options: Mapping[str, Any]) -> Charts:
    """A copy of the charts under other options."""
    return replace(of, options=dict(options))
