"""HR 2.1b, 3.1b: the supply that arrives each turn, and where.

HR 2.1b The Axis rolls two dice on its supply table; Komárom and Kassa in Soviet hands reduce what
it gives. HR 3.1b One roll of the Soviets brings points by the North entries, by the East entries or
Sibiu, and by the South entries. A scenario may name fixed points by turn instead, let columns not
arrive, send them elsewhere, or give only a part. HR 1.3a What the table brings may also go to an
air box, for transport or drop by air.

[R] Where no entry of a column lies in play its points come in at any open source. Fixed points
whose place is not open any more come in at the nearest source that is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch04_concepts.rounding import half_up
from warledger.engine.games.ocs.ch12_supply import sources
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_of
from warledger.engine.games.ocs.series.state import State
from warledger.protocol.texts.words import words_of

FIXED, TABLE = "fixed", "table"
"""The scenario's words for how much arrives."""

ALL = "all"
"""The shipment that comes in by one set of places: fixed points, and those of the Axis table."""

ENTRIES: Mapping[str, str] = {
    "north": "entry.soviet_north",
    "east": "entry.soviet_east",
    "south": "entry.soviet_south",
}
"""HR 3.1b Column of the Soviet table -> its entries."""

SIBIU = "source.su.sibiu"
"""HR 3.1b The source that serves the East column too."""

TWO_DICE = 2


def terms(state: State, side: str) -> Mapping[str, Any]:
    """The scenario's `[supply]` for a side."""
    found: Mapping[str, Any] = state.charts.scenario.doc["supply"].get(side, {})
    return found


def dice(state: State, side: str) -> int:
    """HR 2.1b Two where the table is rolled."""
    return TWO_DICE if terms(state, side).get("kind") == TABLE else 0


def arriving(state: State, side: str, rolled: Sequence[int]) -> Mapping[str, int]:
    """HR 2.1b, 3.1b T that arrive now, by shipment."""
    asked = terms(state, side)
    per_point = state.charts.tables.costs["sp_in_t"]
    if asked.get("kind") == FIXED:
        return {ALL: per_point * asked["sp"].get(str(state.turn), 0)}
    if asked.get("kind") != TABLE:
        return {}
    band = band_of(state, sum(rolled))
    chart = state.charts.printed.chart["supply"]
    if side == state.charts.sides[0]:
        return {ALL: per_point * parted(chart[side][band] + modifier(state), asked)}
    month = state.charts.printed.turn(state.turn).traits["weather_table"]
    row = dict(zip(chart["soviet_columns"], chart[side][month][band], strict=True))
    return {name: per_point * parted(row[name], asked) for name in asked["columns"]}


def band_of(state: State, total: int) -> int:
    """HR 2.1b The number of the band of the table that two dice fall in."""
    bands = state.charts.printed.chart["supply"]["bands"]
    return next(number for number, (low, high) in enumerate(bands) if low <= total <= high)


def modifier(state: State) -> int:
    """HR 2.1b Points that the Axis loses for places in Soviet hands."""
    board = state.charts.board
    found = sum(
        one["sp"]
        for one in state.charts.printed.chart["supply"]["axis_modifiers"]
        if state.controls(one["if_held_by"], board.hex(one["hex"]))
    )
    return int(found)


def parted(points: int, asked: Mapping[str, Any]) -> int:
    """The part of the table's points that arrives in a scenario, never less than none."""
    points = max(points, 0)
    by = int(asked.get("divide", 1))
    if asked.get("round") == "up":
        return -(-points // by)
    return half_up(points, by)


# --- where ----------------------------------------------------------------------------------------


def places(state: State, side: str, shipment: str) -> tuple[Place, ...]:
    """HR 1.3a, 2.1a, 3.1b Where a shipment may be put."""
    asked = terms(state, side)
    if asked["kind"] == FIXED:
        return _fixed(state, side, asked)
    return (*_by_table(state, side, shipment, asked), *_boxes(state, side))


def _boxes(state: State, side: str) -> tuple[str, ...]:
    """HR 1.3a A side's air boxes."""
    boxes = state.charts.board.boxes
    return tuple(
        name for name, box in sorted(boxes.items()) if box.kind == "air" and box.side == side
    )


def _open(state: State, side: str) -> Hexes:
    """HR 2.1a, 3.1a Sources of a side that are open: neither the enemy nor an enemy zone stops
    them."""
    return rules(state.charts).sources(state, side) & sources.usable(state, side)


def _fixed(state: State, side: str, asked: Mapping[str, Any]) -> tuple[Place, ...]:
    board = state.charts.board
    wanted = [place_of(board, name) for name in words_of(asked["at"])]
    enemy = state.enemy(side)
    found: list[Place] = [
        place
        for place in wanted
        if not isinstance(place, int)
        or (state.controls(side, place) and not hexsets.has(state.field.combat[enemy], place))
    ]
    if asked.get("or_detrainable"):
        found += [i for i in hexsets.listed(rail.stations(state, side)) if i not in found]
    if found:
        return tuple(found)
    goals = hexsets.of(i for i in wanted if isinstance(i, int))
    return hexsets.listed(hexsets.nearest(goals, _open(state, side), board.near))


def _by_table(
    state: State, side: str, shipment: str, asked: Mapping[str, Any]
) -> tuple[Place, ...]:
    charts = state.charts
    open_ = _open(state, side)
    elsewhere = asked.get("columns_at", {}).get(shipment, "")
    if elsewhere:
        return tuple(place for place in state.markers.get(elsewhere, ()) if isinstance(place, int))
    if shipment not in ENTRIES:
        return hexsets.listed(open_)
    own = hexsets.of(charts.board.entries[ENTRIES[shipment]].hexes)
    if shipment == "east":
        own |= hexsets.of(one.hex for one in charts.board.sources if one.id == SIBIU)
    return hexsets.listed(own & open_ or open_)


def is_free(state: State, side: str, shipment: str) -> bool:
    """HR 2.1b Whether the owner may have a choice, as far as both sides can tell: stations that an
    HQ makes are theirs to know."""
    asked = terms(state, side)
    return asked["kind"] == TABLE or bool(asked.get("or_detrainable"))
