"""The pack of A Victory Lost, indexed once: map, counters, chits, turns, tables and the options in
force.

Built by `game_data` when a game begins or is loaded and kept in the state, so that no rule ever
parses. Hexes are grid indices here; the log speaks of printed ids. Movement is in half points.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from attrs import field, frozen

from warledger.engine.board import hexsets
from warledger.engine.board.going import Compiled, compile_going, going_from_tables, halves
from warledger.engine.board.hexmap import HexMap, hex_map
from warledger.engine.board.odds import Ladder, ResultsTable, ladder_from_tables, results_table
from warledger.engine.board.paths import NO_ENTRY
from warledger.engine.board.stacking import Piece, StackLimits, limits_from_tables
from warledger.engine.board.tracing import (
    Net,
    RangeNet,
    command_range,
    land_net,
    link_net,
    range_net,
)
from warledger.engine.board.zones import Ground, ground
from warledger.engine.games.chitpull.lines import Spread, spread_of
from warledger.engine.games.chitpull.pack import (
    Charts,
    Chit,
    Printed,
    areas,
    deployment,
    listed,
    no_going,
    of_classes,
    printed,
)
from warledger.engine.games.chitpull.sides import AXIS, MECH, OTHER, SOVIET
from warledger.protocol.texts.words import words_of

GERMAN = "german"

STAVKA, MANSTEIN = "stavka", "manstein"
"""The kinds of command chits beside those of HQs."""


@frozen
class Type(Printed):
    """What is printed on a counter, unit or HQ; `points` are what
    the enemy scores for it (14.0.1)."""

    nation: str
    points: int


@frozen
class Arrival:
    """What a side receives in one Reinforcement Segment: `at` is "rail", "chits", or the box where
    it waits."""

    side: str
    at: str
    pieces: tuple[str, ...]


@frozen
class Turn:
    """One box of the turn track: chits to select by side, and what arrives."""

    number: int
    chits: Mapping[str, int]
    arrivals: tuple[Arrival, ...]
    special_combat: str


@frozen(eq=False, repr=False)
class Data(Charts):
    """Everything that never changes during a game. Compared by identity. 3.0 `groups` are the
    set-up colours.

    2.1, 2.1.1 The map; 2.1.3 a river hexside that a road or railway crosses is bridged; R-48
    hexsides may be impassable.
    """

    types: Mapping[str, Type]
    chits: Mapping[str, Chit]
    turns: tuple[Turn, ...]
    historical: Mapping[str, int]
    """The pack's example set-up: counter -> hex."""
    historical_five: tuple[str, ...]
    chits_at_start: Mapping[str, tuple[str, ...]]
    five: int
    start_score: Mapping[str, int]
    cities: Mapping[int, str]
    """Strategic cities: hex -> who holds it at start."""
    city_points: int
    pocket: frozenset[int]
    pocket_until: int
    pocket_mask: int
    """Every bit of the pocket's hexes in a table of one byte a hex, read as one number;
    `closed_mask`: NO_ENTRY in every hex."""
    closed_mask: int
    boxes: Mapping[str, tuple[int, ...]]
    """Off-map boxes: id -> entry hexes."""
    box_of_hq: Mapping[str, str]
    """HQs that wait in a box -> that box (11.2)."""
    limits: StackLimits
    ladder: Ladder
    crt: ResultsTable
    shifts: tuple[int, ...]
    """For each hex, the columns its terrain shifts in the defender's favour (9.3.3)."""
    river_divisor: bytes
    """For each hexside slot, what an attack across it is divided by (9.3.1)."""
    major: bytes
    """For each hexside slot, 1 on a major river, bridged or not: what holds up a crossing (9.5.6,
    9.6.5)."""
    zone_enter: int
    """8.2, 8.2.1 Half points for entering an enemy zone; `zone_leave` for leaving one. They add
    up."""
    zone_leave: int
    divisors: Mapping[str, int]
    """out_of_supply_attack, surrounded_attack, surrounded_defence, surrounded_move."""
    reset_distance: int
    zones: Ground
    """6.0.1 Into which hexes a unit in each hex exerts its zone: not into water, not across
    impassable hexsides, over any river."""
    supply_net: Net
    supply_net_closed: Net
    """The net of supply without the pocket, for turns on which it is closed (13.0)."""
    supply_spread: Spread
    supply_spread_closed: Spread
    pocket_set: int
    """The pocket as a set of bits, one a hex."""
    land: Net
    """Hexes that touch by land: what a distance over land counts (R-02); empty without that
    option."""
    rail_net: Net
    rail_net_closed: Net
    command_net: RangeNet
    normal: Mapping[str, Compiled]
    march: Mapping[str, Compiled]
    """8.3.1 Roads at half cost; railways give none."""
    entry: Mapping[str, bytes]
    """Half points for entering each hex by its terrain alone, from a box say (11.2); 0 where there
    is no entry."""
    water: frozenset[int]
    road: int
    march_road: int
    options: Mapping[str, Any] = field()
    ranges: dict[tuple[int, int], tuple[int, ...]] = field(factory=dict)
    """7.3.3 The hexes in range of a hex, by (hex, range): worked out when first asked for, a
    function of the map alone."""

    def sources(self, side: str, turn: int, *, rail: bool = False) -> tuple[int, ...]:
        """2.1.2 A side's supply sources in force on a turn; with `rail`, those at which
        reinforcements may come in."""
        return tuple(
            source.hex
            for source in self.board.sources
            if source.side == side and source.from_turn <= turn and (source.rail or not rail)
        )

    def in_range(self, i: int, reach: int) -> tuple[int, ...]:
        """7.3.3, 7.3.4 The hexes within a command range of a hex, its own included."""
        found = self.ranges.get((i, reach))
        if found is None:
            found = self.ranges[i, reach] = tuple(command_range(self.command_net, i, reach))
        return found

    def turn(self, number: int) -> Turn:
        """The box of the turn track."""
        return self.turns[number - 1]

    @property
    def last_turn(self) -> int:
        """1.1 The number of the last turn, about ten days each."""
        return len(self.turns)


def game_data(pack: Mapping[str, Any], options: Mapping[str, Any]) -> Data:
    """1.2, 2.0 Index a pack: all that the game comes with but the rules. Raises BadPack (map) or
    BadCounters (counters, turns, set-up) with the entry that is wrong."""
    tables = pack["tables"]
    board = _bridged(hex_map(pack["map"], tables))
    types = printed(pack["counters"], partial(_type, victory=tables["victory"], options=options))
    # 2.4
    chits = {
        entry["id"]: Chit(entry["id"], entry["side"], entry["kind"], entry.get("hq", ""))
        for entry in pack["counters"]["chits"]
    }
    turns = tuple(_turn(entry, types, chits) for entry in pack["turns"]["turn"])
    turns = _turns_with_options(turns, options)
    scenario = pack["setup"]["scenario"]
    pocket = next((area for area in board.areas.values() if area.kind == "closed"), None)
    closed = frozenset(pocket.hexes) if pocket else frozenset()
    water_names = no_going(tables)
    no_zone = [name for name, entry in tables["terrain"].items() if entry.get("blocks_zoc")]
    no_command = [name for name, entry in tables["terrain"].items() if entry.get("blocks_command")]
    sides = tables["hexside"]
    supply = {
        "closed_terrain": water_names,
        "closed_classes": [name for name, entry in sides.items() if entry.get("blocks_supply")],
        "closed_even_bridged": [
            name for name, entry in sides.items() if entry.get("blocks_supply_bridged")
        ],
    }
    supply_net, supply_net_closed = (
        land_net(board, **supply),
        land_net(board, **supply, closed_hexes=closed),
    )
    movement, combat = tables["movement"], tables["combat"]
    victory = tables["victory"]
    boxes = {box.id: box.entry for box in board.boxes.values()}
    return Data(
        board=board,
        types=types,
        chits=chits,
        turns=turns,
        groups=areas(pack["setup"], board, types),
        historical=deployment(pack["setup"], board, types),
        historical_five=tuple(words_of(scenario["soviet_picks_historical"])),
        chits_at_start={
            side: tuple(words_of(chits))
            for side, chits in sorted(scenario["chits_at_start"].items())
        },
        five=scenario["soviet_picks_hq_chits"],
        start_score=dict(scenario["score"]),
        cities={
            place.hex: place.owner or AXIS
            for place in board.places.values()
            if tables["place"][place.kind].get("points")
        },
        city_points=victory["strategic_city"],
        pocket=closed,
        pocket_until=pocket.data["until_turn"] if pocket else 0,
        pocket_mask=int.from_bytes(
            bytes(255 if i in closed else 0 for i in range(len(board.grid))), "big"
        ),
        closed_mask=int.from_bytes(bytes([NO_ENTRY]) * len(board.grid), "big"),
        boxes=boxes,
        box_of_hq={
            piece: arrival.at
            for turn in turns
            for arrival in turn.arrivals
            if arrival.at in boxes
            for piece in arrival.pieces
            if types[piece].hq
        },
        limits=limits_from_tables(tables),
        ladder=ladder_from_tables(tables),
        crt=results_table(tables["crt"]),
        shifts=_shifts(board, tables),
        river_divisor=of_classes(board, sides, "attack_divisor", 1),
        major=of_classes(board, sides, "needs_start_adjacent", 0),
        zone_enter=halves(movement["ezoc_enter"]),
        zone_leave=halves(movement["ezoc_leave"]),
        divisors={
            "out_of_supply_attack": combat["out_of_supply_attack_divisor"],
            "surrounded_attack": combat["surrounded_attack_divisor"],
            "surrounded_defence": combat["surrounded_defence_divisor"],
            "surrounded_move": combat["surrounded_move_divisor"],
        },
        reset_distance=tables["special"]["hq_reset"]["distance"],
        zones=ground(board, blocked_terrain=no_zone),
        supply_net=supply_net,
        supply_net_closed=supply_net_closed,
        supply_spread=spread_of(supply_net),
        supply_spread_closed=spread_of(supply_net_closed),
        pocket_set=hexsets.of(closed),
        land=land_net(board, closed_terrain=water_names)
        if options.get("reset_distance") == "over_land"
        else (),
        rail_net=link_net(board),
        rail_net_closed=link_net(board, closed_hexes=closed),
        command_net=range_net(
            board,
            closed_terrain=no_command,
            last_only_classes=[
                name for name, entry in sides.items() if entry.get("command_stops_beyond")
            ],
        ),
        # 8.1.3, R-11 what rivers cost and forbid; R-10 there is no minimum move
        normal={
            name: compile_going(board, going_from_tables(tables, name)) for name in (MECH, OTHER)
        },
        # 8.3.2 along roads, not along railways
        march={
            name: compile_going(board, going_from_tables(tables, name, march=True))
            for name in (MECH, OTHER)
        },
        entry={name: _entry(board, tables, f"move_{name}") for name in (MECH, OTHER)},
        road=halves(movement["road"]),
        march_road=halves(movement["march_road"]),
        water=frozenset(i for i in range(len(board.grid)) if board.terrain_at(i) in water_names),
        options=dict(options),
    )


def _bridged(board: HexMap) -> HexMap:
    """2.1.3 A river hexside is bridged where the map says so, and wherever a road or railway
    crosses it."""
    sides, links = board.sides, board.links
    crossed = zip(sides.river, sides.bridged, links["road"], links["rail"], strict=True)
    return board.with_bridges(
        bytes(
            int(bool(bridge or (river and (road or rail)))) for river, bridge, road, rail in crossed
        )
    )


def _type(
    entry: Mapping[str, Any],
    full: tuple[int, int],
    reduced: tuple[int, int] | None,
    *,
    victory: Mapping[str, int],
    options: Mapping[str, Any],
) -> Type:
    """2.2, 2.2.1, 2.2.2, 2.3, 2.3.2 A counter as it is printed."""
    hq = "range" in entry
    return Type(
        id=entry["id"],
        side=entry["side"],
        nation=entry["nation"],
        kind=entry["type"],
        hq=hq,
        mech=bool(entry.get("mech", hq)),
        move=halves(entry["move"]),
        full=full,
        reduced=reduced,
        range=entry.get("range", 0),
        group=entry.get("group", ""),
        points=0 if hq else _worth(entry, victory, options),
        piece=Piece(entry["side"], entry["nation"], hq),
    )


def _worth(entry: Mapping[str, Any], victory: Mapping[str, int], options: Mapping[str, Any]) -> int:
    """14.0.1 What the enemy scores for a unit; 15.0.1(a) may raise it for German mechanized units.
    R-44: all others nothing."""
    if entry["side"] == SOVIET:
        return victory["soviet_mechanised"] if entry["mech"] else victory["other"]
    if entry["nation"] != GERMAN:
        return victory["other"]
    if entry["mech"]:
        return options["panzer_points"] or victory["german_mechanised"]
    return victory["german_other"]


def _turn(entry: Mapping[str, Any], types: Mapping[str, Type], chits: Mapping[str, Chit]) -> Turn:
    arrivals = []
    for item in entry.get("arrivals", ()):
        known: Mapping[str, Any] = chits if item["at"] == "chits" else types
        arrivals.append(
            Arrival(
                item["side"],
                item["at"],
                tuple(listed(item["pieces"], known, f"turns.toml, turn {entry['number']}")),
            )
        )
    return Turn(
        entry["number"], dict(entry["chits"]), tuple(arrivals), entry.get("special_combat_step", "")
    )


def _turns_with_options(turns: tuple[Turn, ...], options: Mapping[str, Any]) -> tuple[Turn, ...]:
    """15.0.1(c) 1st Panzer Army, its chit and its box one turn later. 15.0.2(a) Manstein chits in
    their turn's own selection."""
    made = list(turns)
    if options["late_1pza"]:
        for index, turn in enumerate(turns[:-1]):
            late = tuple(
                a
                for a in turn.arrivals
                if any("1pza" in piece for piece in a.pieces) or a.at == "box.1pza"
            )
            if late:
                made[index] = Turn(
                    turn.number,
                    turn.chits,
                    tuple(a for a in turn.arrivals if a not in late),
                    turn.special_combat,
                )
                after = made[index + 1]
                made[index + 1] = Turn(
                    after.number, after.chits, (*late, *after.arrivals), after.special_combat
                )
                break
    return tuple(made)


def _shifts(board: HexMap, tables: Mapping[str, Any]) -> tuple[int, ...]:
    """9.3.3 The shifts of terrain and place, added up (or the place's alone where the pack says
    that it replaces)."""
    found = []
    for i in range(len(board.grid)):
        shift = tables["terrain"][board.terrain_at(i)]["shift"]
        place = board.places.get(i)
        if place is not None:
            entry = tables["place"][place.kind]
            shift = entry.get("shift", 0) + (0 if entry.get("mode") == "replaces" else shift)
        found.append(shift)
    return tuple(found)


def _entry(board: HexMap, tables: Mapping[str, Any], column: str) -> bytes:
    costs = bytearray(
        halves(tables["terrain"][board.terrain_at(i)][column]) for i in range(len(board.grid))
    )
    for i, place in board.places.items():
        entry = tables["place"][place.kind]
        if entry.get("mode") == "replaces" and column in entry:
            costs[i] = halves(entry[column])
    return bytes(costs)
