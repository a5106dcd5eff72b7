"""The data pack of War at Sea as an immutable, indexed value: areas, ports, counters, turn track.

Built once from the genesis and kept in the state, so that no step parses anything. Everything keeps
the order of the pack's file, which is also the order in which things that happen at once are
written down. Units: turns count from 1; points are points of control.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from attrs import frozen

from warledger.engine.board.areas import AreaMap, area_map
from warledger.protocol.board.choices import Option
from warledger.protocol.limits import BOARD_PIECES_MAX

ALLIED, AXIS = "allied", "axis"
SEATS = (ALLIED, AXIS)

SIDE_OF_NATION: Mapping[str, str] = MappingProxyType(
    {"uk": ALLIED, "us": ALLIED, "su": ALLIED, "convoy": ALLIED, "de": AXIS, "it": AXIS}
)
"""2.2, 3.1, 3.3 The side of each nationality; a convoy counts as a nationality of its own."""

CARRIER, CONVOY = "CV", "convoy"
"""Classes of counters that a rule singles out; the others are BB, BC and PB."""

NEUTRAL = "neutral"


def other(side: str) -> str:
    """The opposing side."""
    return AXIS if side == ALLIED else ALLIED


@frozen
class Area:
    """2.1 A sea area, what control of it scores for each side, and what is printed in it."""

    id: str
    poc: Mapping[str, int]
    air: Mapping[str, bool]
    replenish: bool


@frozen
class Port:
    """2.2, 15.2 A port: owner (a side or "neutral"), repair value, and the turns in which it is
    open."""

    id: str
    owner: str
    repair: int
    open_from: int
    closed_from: int
    air: Mapping[str, bool]

    def is_open(self, turn: int) -> bool:
        """15.4, 16.1 Whether ships may enter it in this turn."""
        return self.open_from <= turn < self.closed_from


@frozen
class Counter:
    """3.2, 3.3 What is printed on a ship's counter, and the turn in which it comes (4.2)."""

    id: str
    nation: str
    kind: str
    gunnery: int
    armor: int
    speed: int
    airstrike: int
    arrival: int
    start: tuple[str, ...]


@frozen
class TurnEntry:
    """4.2 One box of the turn track: what comes, and the numbers that change by turn (14.3,
    16.2)."""

    n: int
    ships: tuple[str, ...]
    uboats: int
    replenish_max: int
    join_min: int


@frozen
class ReturnRule:
    """A.1 – A.4, 15.5 A note printed in an area: where ships of some nations go from it, instead of
    the adjacent ports."""

    id: str
    area: str
    nations: tuple[str, ...]
    turns: tuple[int, ...]
    applies_to: tuple[str, ...]
    ports: tuple[str, ...]


@frozen
class Limits:
    """6.4, 16.1 – 16.3 Areas and ports that ships of a nation (and class) may enter, the calendar
    apart."""

    areas: tuple[str, ...]
    ports: tuple[str, ...]


@frozen(eq=False)
class Data:
    """The whole pack. Two states of one game share it, so it is compared by identity.

    limits    by nation (the present one) and class; reach: by the same, place -> areas next to it
              that are open to such a ship
    starters  ships whose owner chooses where they start (4.3)
    """

    map: AreaMap
    areas: Mapping[str, Area]
    ports: Mapping[str, Port]
    counters: Mapping[str, Counter]
    turns: Mapping[int, TurnEntry]
    last_turn: int
    track_min: int
    track_max: int
    uboat_ids: tuple[str, ...]
    uboat_home: str
    convoys_per_area: int
    convoy_start: str
    convoy_exits: Mapping[str, tuple[str, int]]
    air_strength: Mapping[str, int]
    air_places: Mapping[str, tuple[str, ...]]
    return_rules: tuple[ReturnRule, ...]
    limits: Mapping[tuple[str, str], Limits]
    sea_links: Mapping[str, tuple[str, ...]]
    ports_beside: Mapping[str, tuple[str, ...]]
    start_control: Mapping[str, str]
    reach: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]]
    order: Mapping[str, int]
    starters: tuple[str, ...]
    options: Mapping[str, Option]

    def offer(self, ids: Iterable[str]) -> list[Option]:
        """Ids of this pack as options, which are made once and shared."""
        options = self.options
        return [options[name] for name in ids]

    def limits_of(self, nation: str, kind: str) -> Limits:
        """6.4, 16.1 – 16.3 Where ships of this nation and class may be at all."""
        return self.limits[nation, kind]


CLOSED_FOREVER = 1_000_000
"""A turn that no game reaches: a port without a closing turn is closed from then."""


def build(pack: Mapping[str, Any], *, weaker_bismarck: bool = False) -> Data:
    """The indexed pack. `weaker_bismarck` is variant 18.1. Raises KeyError, ValueError or BadPack
    when the pack is not of this title."""
    doc = pack["data"]
    chart = area_map(doc, file="data.toml")
    areas = {entry["id"]: _area(entry) for entry in doc["area"]}
    ports = {entry["id"]: _port(entry) for entry in doc["port"]}
    convoys, uboats, meta = doc["convoys"], doc["uboats"], doc["meta"]
    counters = {entry["id"]: _counter(entry, weaker_bismarck) for entry in doc["ship"]}
    arrival = {ship: int(turn[1:]) for turn, ships in convoys["arrivals"].items() for ship in ships}
    for convoy in convoys["ids"]:
        counters[convoy] = Counter(
            convoy,
            "convoy",
            CONVOY,
            convoys["gunnery"],
            convoys["armor"],
            convoys["speed"],
            0,
            arrival[convoy],
            (convoys["start"],),
        )
    turns = {
        entry["n"]: TurnEntry(
            entry["n"],
            (*entry["allied"], *entry["convoys"], *entry["axis"]),
            entry["uboats"],
            entry["replenish_max_roll"],
            entry["us_join_min_roll"],
        )
        for entry in doc["turn"]
    }
    if meta["max_uboats"] > BOARD_PIECES_MAX:
        raise ValueError(
            f"data.toml [meta]: max_uboats is {meta['max_uboats']}; a board has at most "
            f"{BOARD_PIECES_MAX} pieces"
        )
    air = doc["air_symbols"]
    limits = {
        (entry["nation"], entry.get("ship_class", "")): Limits(
            tuple(entry["areas_allowed"]), tuple(entry["ports_allowed"])
        )
        for entry in doc["nation_rule"]
    }
    kinds = dict.fromkeys((counter.nation, counter.kind) for counter in counters.values())
    taken_over = ((nation, kind) for nation in ("uk", "de") for old, kind in kinds if old == "it")
    classes = {pair: limits.get(pair) or limits[pair[0], ""] for pair in (*kinds, *taken_over)}
    sea_links = {place: chart.neighbours(place, "area") for place in (*areas, *ports)}
    return Data(
        map=chart,
        areas=MappingProxyType(areas),
        ports=MappingProxyType(ports),
        counters=MappingProxyType(counters),
        turns=MappingProxyType(turns),
        last_turn=meta["turns"],
        track_min=meta["poc_marker_min"],
        track_max=meta["poc_marker_max"],
        uboat_ids=tuple(f"uboat_{n}" for n in range(1, meta["max_uboats"] + 1)),
        uboat_home=uboats["home"],
        convoys_per_area=meta["max_convoys_per_area"],
        convoy_start=convoys["start"],
        convoy_exits=MappingProxyType(
            {
                "north_atlantic": ("england", convoys["poc_england"]),
                "barents_sea": ("russia", convoys["poc_russia"]),
            }
        ),
        air_strength=MappingProxyType({side: doc["land_air"][side]["airstrike"] for side in SEATS}),
        air_places=MappingProxyType({side: tuple(air[side]) for side in SEATS}),
        return_rules=tuple(
            _return_rule(entry) for entry in doc["return_rule"] if "nations" in entry
        ),
        limits=MappingProxyType(classes),
        sea_links=MappingProxyType(sea_links),
        ports_beside=MappingProxyType({area: chart.neighbours(area, "port") for area in areas}),
        start_control=MappingProxyType(
            {area: "" if (side := doc["start_control"][area]) == "none" else side for area in areas}
        ),
        reach=MappingProxyType(
            {
                pair: {
                    place: tuple(area for area in links if area in limit.areas)
                    for place, links in sea_links.items()
                }
                for pair, limit in classes.items()
            }
        ),
        order=MappingProxyType(
            {key: index for index, key in enumerate((*areas, *ports, *counters))}
        ),
        starters=tuple(
            name
            for name, counter in counters.items()
            if counter.arrival == 1 and len(counter.start) > 1
        ),
        options=MappingProxyType({key: Option(key) for key in (*areas, *ports, *counters)}),
    )


def _area(entry: Mapping[str, Any]) -> Area:
    return Area(
        entry["id"],
        MappingProxyType({ALLIED: entry["poc_allied"], AXIS: entry["poc_axis"]}),
        MappingProxyType({ALLIED: entry["allied_air_symbol"], AXIS: entry["axis_air_symbol"]}),
        entry["replenish_at_sea"],
    )


def _port(entry: Mapping[str, Any]) -> Port:
    return Port(
        entry["id"],
        entry["owner"],
        entry["repair"],
        entry.get("open_from_turn", 1),
        entry.get("closed_from_turn", CLOSED_FOREVER),
        MappingProxyType({ALLIED: entry["allied_air_symbol"], AXIS: entry["axis_air_symbol"]}),
    )


WEAKER = ("bismarck", "tirpitz")
WEAKER_ARMOR = 7


def _counter(entry: Mapping[str, Any], weaker_bismarck: bool) -> Counter:
    """18.1 With the variant, Bismarck and Tirpitz have armor 7 instead of 9."""
    armor = WEAKER_ARMOR if weaker_bismarck and entry["id"] in WEAKER else entry["armor"]
    return Counter(
        entry["id"],
        entry["nation"],
        entry["class"],
        entry["gunnery"],
        armor,
        entry["speed"],
        entry["airstrike"],
        entry["arrival"],
        tuple(entry["start"]),
    )


def _return_rule(entry: Mapping[str, Any]) -> ReturnRule:
    return ReturnRule(
        entry["id"],
        entry["area"],
        tuple(entry["nations"]),
        tuple(entry["turns"]),
        tuple(entry["applies_to"]),
        tuple(entry.get("must") or entry["may"]),
    )
