"""The pack of Typhoon, indexed once: map, counters, chits, turns, tables and the options in force.

1.0 The game is for two: the Axis attacks towards Moscow from September 1941 on, the Soviets defend.
A hex is 16 km across (10 miles), a turn ten to fifteen days, a combat unit one division.

Hexes, hexsides, bridges and 3.4(1) owners come from `map.toml`, set-up areas from `setup.toml`.

Built by `game_data` when a game begins or is loaded and kept in the state, so that no rule ever
parses. What does not hang on options is worked out once for a pack. Hexes are grid indices here;
the log speaks of printed ids. Movement is in half points.
"""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from attrs import field, frozen

from warledger.engine.board import hexsets
from warledger.engine.board.going import Compiled, compile_going, going_from_tables, halves
from warledger.engine.board.hexmap import HexMap, hex_map
from warledger.engine.board.odds import Ladder, ResultsTable, ladder_from_tables, results_table
from warledger.engine.board.stacking import Piece, StackLimits, limits_from_tables
from warledger.engine.board.tracing import Net, land_net, link_net
from warledger.engine.board.zones import Ground, ground
from warledger.engine.games.chitpull import pack
from warledger.engine.games.chitpull.lines import Levels, Spread, levels, spread_of
from warledger.engine.games.chitpull.pack import (
    BadCounters,
    Charts,
    Printed,
    areas,
    deployment,
    listed,
    no_going,
    of_classes,
    printed,
)
from warledger.engine.games.chitpull.sides import AXIS, MECH, OTHER, SIDES, SOVIET
from warledger.engine.kernel.change import replace
from warledger.protocol import canon

GUDERIAN, REINFORCEMENT, RESERVE, OKH, SUPPLY = (
    "guderian",
    "reinforcement",
    "reserve",
    "okh",
    "supply",
)
"""2.23 The kinds of command chits beside those of HQs; SUPPLY is common to both sides (2.23-5)."""

TOWN, BIG_CITY = "town", "big_city"
PLAIN = "plain"
RIFLE = "rifle"


@frozen
class Type(Printed):
    """What is printed on a unit or HQ, and the `service` it belongs to. `reduced` is None for a
    one-step unit (2.21(3), R-05)."""

    service: str


@frozen
class Chit(pack.Chit):
    """2.23 A command chit: `hq` is the HQ that it activates (2.23-1), "" for the others; `optional`
    ones come with rule 15.1."""

    optional: bool


@frozen
class Turn:
    """A box of the turn track (2.1(2)1): weather (14.1), chits to choose (6.2) and reinforcements
    (12.2) by side, garrison units (14.3)."""

    number: int
    weather: str
    chits: Mapping[str, int]
    reinforcements: Mapping[str, int]
    garrison: int


@frozen
class Weather:
    """14.1 What the weather of a turn does. Shifts are columns in the attacker's favour; half
    points for entering and leaving an EZOC by side; `shifts` and `open` by hex: columns that
    terrain shifts to the left, and whether two hexes may be advanced there."""

    name: str
    attack_shift: Mapping[str, int]
    enter: Mapping[str, int]
    leave: Mapping[str, int]
    normal: Mapping[str, Compiled]
    """9.2(4) Costs of every step, by column of the TEC."""
    march: Compiled | None
    shifts: tuple[int, ...]
    open: bytes


@frozen(eq=False, repr=False)
class Data(Charts):
    """Everything that never changes during a game. Compared by identity. 4.0(2) `groups` are the
    starting formations."""

    types: Mapping[str, Type]
    chits: Mapping[str, Chit]
    turns: tuple[Turn, ...]
    weather: Mapping[str, Weather]
    """14.1 note: the shift of plain as forest and that of the weather add up."""
    preset: Mapping[str, int]
    """The pack's own deployment: unit -> hex. HQs with a printed hex stand there in any set-up
    (4.0(5))."""
    boxes: Mapping[str, str]
    """Pieces that begin in a box -> that box (4.0(3), 4.0(4))."""
    limits: StackLimits
    stack: int
    ladder: Ladder
    crt: ResultsTable
    river_divisor: bytes
    """For each hexside slot, what an attack across it is divided by (10.3(1)1)."""
    river: bytes
    """For each hexside slot, whether any river runs there."""
    no_second_retreat: bytes
    """For each hexside slot, whether only the first hex of a retreat may cross it (10.6(3)4)."""
    fortified: frozenset[int]
    fortified_defence: int
    zones: Ground
    """3.2(1) Where a unit's zone reaches: not into lakes nor over impassable hexsides, but over
    major rivers."""
    land: Net
    """3.3(2) Where a LOC may run: not through lakes nor over impassable hexsides, but over major
    rivers."""
    rail: Net
    land_spread: Spread
    rail_spread: Spread
    around: Spread
    """Every hex and its neighbours, whatever lies there: command range (8.2) and plain
    distances."""
    water: frozenset[int]
    places: Mapping[int, str]
    """Towns and big cities -> who controls them at start (3.4(1))."""
    big_cities: tuple[int, ...]
    moscow: tuple[int, ...]
    prize: frozenset[int]
    """The hexes of Moscow and Tula (14.4)."""
    sources: Mapping[str, tuple[int, ...]]
    """2.1(1)3 A side's LOC sources."""
    edge: tuple[int, ...]
    """15.4 The hexes of the east edge."""
    straight: Mapping[str, Levels]
    """R-25 D3: for each hex the plain distance to a side's nearest source."""
    straight_edge: Levels
    """R-25 D3 for the Soviets when the east edge is joined off the map (15.4)."""
    off_rail: int
    reserve_units: tuple[int, ...]
    guards: tuple[int, int]
    """15.2 (turn, units)."""
    dismissal: tuple[int, tuple[int, ...]]
    """15.5 (first turn, pips)."""
    barred: tuple[str, ...]
    """15.3 Chits barred on turn 2."""
    early_victory: tuple[int, int]
    """14.4(1) (big cities, of Moscow and Tula)."""
    late_victory: tuple[int, int]
    """14.4(2) (of Moscow and Tula at one time, big cities at the end)."""
    chits_by_kind: Mapping[tuple[str, str], tuple[str, ...]]
    """2.23 (side, kind) -> the chits; those common to both sides under the side that the pack
    gives."""
    supply: tuple[str, ...]
    """2.23-5 The chits that go into the cup every turn."""
    options: Mapping[str, Any] = field(factory=dict)

    def turn(self, number: int) -> Turn:
        """The box of the turn track."""
        return self.turns[max(number, 1) - 1]

    @property
    def last_turn(self) -> int:
        """The number of the last turn."""
        return len(self.turns)

    def chit_of(self, side: str, kind: str) -> str:
        """The chit of that kind, "" when the pack has none."""
        found = self.chits_by_kind.get((side, kind))
        return found[0] if found else ""


DATA_MAX = 64
"""Games with other packs or options for which a table that follows from these alone is kept."""


def game_data(pack: bytes, options: Mapping[str, Any]) -> Data:
    """Index a pack. Raises BadPack (map) or BadCounters (counters, turns, set-up) with the entry
    that is wrong."""
    base = _charts(pack, int(options["big_city_shift"]))
    return replace(base, options=dict(options))


@lru_cache(maxsize=4)
def _charts(pack_bytes: bytes, big_city_shift: int) -> Data:
    """All that does not hang on options, but for R-03's number: a function of its arguments alone,
    kept for the next game of the pack. 2.1(1), 2.1(1)1 The map is the pack's, hex by hex and
    hexside by hexside. 1.0(1)1, R-01 Its hexes are 16 km across; 2.0-1 map, 2.0-2 counters and
    2.0-3 rules."""
    source = canon.unpack_trusted(pack_bytes)
    tables, setup = source["tables"], source["setup"]
    board = hex_map(source["map"], tables)
    types = printed(source["counters"], _type)
    chits = {
        entry["id"]: Chit(
            entry["id"],
            entry["side"],
            entry["kind"],
            entry.get("hq", ""),
            bool(entry.get("optional", False)),
        )
        for entry in source["counters"]["chits"]
    }
    water_names = no_going(tables)
    sides, special, victory = tables["hexside"], tables["special"], tables["victory"]
    land = land_net(board, closed_terrain=water_names)
    rail = link_net(board)
    grid = board.grid
    sources = {
        side: tuple(sorted({source.hex for source in board.sources if source.side == side}))
        for side in SIDES
    }
    around = spread_of(grid.adjacent)
    edge = tuple(i for i in range(len(grid)) if grid.column_row(i)[0] == grid.columns)
    second_retreat = of_classes(board, sides, "second_retreat_hex_forbidden", 0)
    early, late = victory["axis_turn_10"], victory["axis_turn_12"]
    return Data(
        board=board,
        types=types,
        chits=dict(sorted(chits.items())),
        turns=tuple(_turn(entry) for entry in source["turns"]["turn"]),
        weather=_weathers(board, tables, big_city_shift),
        # 2.1(1)2 the set-up areas
        groups=areas(setup, board, types),
        preset=deployment(setup, board, types),
        boxes=_boxes(setup, board, types),
        limits=limits_from_tables(tables),
        stack=tables["stacking"]["units"],
        ladder=ladder_from_tables(tables),
        # CRT
        crt=results_table(tables["crt"]),
        river_divisor=of_classes(board, sides, "attack_divisor", 1),
        river=bytes(1 if k else 0 for k in board.sides.river),
        no_second_retreat=bytes(
            1 if yes and not _bridged(board, at) else 0 for at, yes in enumerate(second_retreat)
        ),
        fortified=frozenset(
            i for area in board.areas.values() if area.kind == "fortified" for i in area.hexes
        ),
        fortified_defence=tables["combat"]["fortified_defence"],
        zones=ground(
            board,
            blocked_terrain=[
                name for name, entry in tables["terrain"].items() if entry.get("blocks_zoc")
            ],
        ),
        land=land,
        rail=rail,
        land_spread=spread_of(land),
        rail_spread=spread_of(rail),
        around=around,
        water=frozenset(i for i in range(len(grid)) if board.terrain_at(i) in water_names),
        places={i: place.owner or SOVIET for i, place in sorted(board.places.items())},
        big_cities=tuple(i for i, place in sorted(board.places.items()) if place.kind == BIG_CITY),
        moscow=tuple(
            i
            for i, place in sorted(board.places.items())
            if place.group == special["moscow_garrison"]["place_group"]
        ),
        prize=frozenset(
            i for i, place in board.places.items() if place.kind == BIG_CITY and place.group
        ),
        sources=sources,
        edge=edge,
        straight={side: _straight(around, sources[side]) for side in SIDES},
        straight_edge=_straight(around, (*sources[SOVIET], *edge)),
        off_rail=tables["supply"]["axis_off_rail"],
        reserve_units=tuple(special["reserve_units"]),
        guards=(special["guards_conversion"]["turn"], special["guards_conversion"]["units"]),
        dismissal=(
            special["guderian_dismissed"]["from_turn"],
            tuple(special["guderian_dismissed"]["on"]),
        ),
        barred=tuple(special["soviet_chits_barred_on_turn_2"]),
        early_victory=(early["big_cities"], early["of_moscow_and_tula"]),
        late_victory=(late["ever_held_of_moscow_and_tula"], late["big_cities"]),
        chits_by_kind=_by_kind(chits),
        supply=tuple(name for name, chit in sorted(chits.items()) if chit.kind == SUPPLY),
    )


def _by_kind(chits: Mapping[str, Chit]) -> Mapping[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for name, chit in sorted(chits.items()):
        found[chit.side, chit.kind] = (*found.get((chit.side, chit.kind), ()), name)
    return found


def _type(entry: Mapping[str, Any], full: tuple[int, int], reduced: tuple[int, int] | None) -> Type:
    """2.2, 1.0(1)3 A counter. 2.21(2)1 branch (`kind`), 2.21(2)2 and 2.21(2)4 starting formation
    (`group`), 2.21(2)3 name, 2.21(2)5 strength, two factors where it is mechanised, 2.21(2)6
    movement allowance, 2.22-3 command range. 13.0, 2.22-4 An HQ has strength and movement like a
    combat unit."""
    return Type(
        id=entry["id"],
        side=entry["side"],
        kind=entry["type"],
        service=entry.get("service", ""),
        hq="range" in entry,
        mech=bool(entry.get("mech", False)),  # 2.22 an HQ is not mechanised
        move=halves(entry["move"]),
        full=full,
        reduced=reduced,
        range=entry.get("range", 0),
        group=entry.get("group", ""),
        piece=Piece(entry["side"], entry["side"], "range" in entry),
    )


def _turn(entry: Mapping[str, Any]) -> Turn:
    """2.1(2)1, 1.0(1)2 A box of the turn track, ten to fifteen days."""
    return Turn(
        entry["number"],
        entry["weather"],
        dict(entry["chits"]),
        dict(entry["reinforcements"]),
        entry.get("moscow_garrison", 0),
    )


def _weathers(board: HexMap, tables: Mapping[str, Any], big_city_shift: int) -> dict[str, Weather]:
    """Weathers in which plain counts as the same and roads are the same share what moving costs and
    where it shifts."""

    @cache
    def going(column: str, plain: str, roads: bool, march: bool) -> Compiled:
        return compile_going(
            board,
            going_from_tables(
                tables, column, march=march, counts_as=_counts_as(plain), roads=roads
            ),
        )

    @cache
    def ground_of(plain: str) -> tuple[tuple[int, ...], bytes]:
        hexes, counts_as = range(len(board.grid)), _counts_as(plain)
        shifts = tuple(_shift(board, tables, i, counts_as, big_city_shift) for i in hexes)
        return shifts, bytes(_is_open(board, tables, i, counts_as) for i in hexes)

    return {
        name: _weather(name, entry, tables["movement"], going, ground_of)
        for name, entry in tables["weather"].items()
    }


def _counts_as(plain: str) -> dict[str, str]:
    return {} if plain == PLAIN else {PLAIN: plain}


def _weather(
    name: str,
    entry: Mapping[str, Any],
    movement: Mapping[str, Any],
    going: Callable[[str, str, bool, bool], Compiled],
    ground_of: Callable[[str], tuple[tuple[int, ...], bytes]],
) -> Weather:
    """14.1.1-14.1.3, R-37 plain counts as light forest for movement, shifts and advance; R-38 roads
    may be lost, bridges never."""
    plain = entry.get("plain_counts_as", PLAIN)
    roads = bool(entry.get("roads", True))
    left, soviet = entry.get("shift_left", 0), entry.get("soviet_shift", 0)
    enter, leave = movement["ezoc_enter"], movement["ezoc_leave"]
    shifts, is_open = ground_of(plain)
    return Weather(
        name=name,
        attack_shift={AXIS: -left - soviet, SOVIET: -left + soviet},
        enter={AXIS: halves(enter), SOVIET: halves(entry.get("soviet_ezoc_enter", enter))},
        leave={AXIS: halves(leave), SOVIET: halves(entry.get("soviet_ezoc_leave", leave))},
        normal={column: going(column, plain, roads, False) for column in (MECH, OTHER)},
        # half a point a hex whoever marches, so one column does (9.3(1))
        march=going(OTHER, plain, True, True) if roads else None,
        shifts=shifts,
        open=is_open,
    )


def _shift(
    board: HexMap,
    tables: Mapping[str, Any],
    i: int,
    counts_as: Mapping[str, str],
    big_city_shift: int,
) -> int:
    """TEC The columns that a hex shifts to the left: terrain and town added up, or the big city's
    alone (R-03)."""
    terrain = board.terrain_at(i)
    shift = int(tables["terrain"][counts_as.get(terrain, terrain)]["shift"])
    place = board.places.get(i)
    if place is None:
        return shift
    if place.kind == BIG_CITY:
        return big_city_shift
    return shift + int(tables["place"][place.kind].get("shift", 0))


def _is_open(board: HexMap, tables: Mapping[str, Any], i: int, counts_as: Mapping[str, str]) -> int:
    """TEC Whether the advance limit of a hex is two (10.7(1))."""
    terrain = board.terrain_at(i)
    place = board.places.get(i)
    limit = tables["terrain"][counts_as.get(terrain, terrain)]["advance"]
    if place is not None:
        limit = min(limit, tables["place"][place.kind].get("advance", limit))
    return 1 if limit > 1 else 0


def _straight(around: Spread, sources: tuple[int, ...]) -> Levels:
    every = hexsets.of(range(around.hexes))
    return levels(around, hexsets.of(sources), every, every)


def _bridged(board: HexMap, at: int) -> bool:
    """2.1(1)4, R-11 Whether a road or railway crosses a hexside; R-04 between two big-city hexes it
    counts as crossed."""
    here, d = divmod(at, 6)
    there = board.grid.neighbours[here][d]
    ends = (board.places.get(here), board.places.get(there))
    return bool(board.sides.bridged[at]) or all(
        place is not None and place.kind == BIG_CITY for place in ends
    )


def _boxes(setup: Mapping[str, Any], board: HexMap, types: Mapping[str, Type]) -> dict[str, str]:
    found = {}
    for box, words in sorted(setup.get("off_map", {}).items()):
        if box not in board.boxes:
            raise BadCounters(
                f"setup.toml [off_map]: map.toml has no box {box}; name one that it has"
            )
        found.update(dict.fromkeys(listed(words, types, f"setup.toml [off_map] {box}"), box))
    return dict(sorted(found.items()))
