"""Positions of Hungarian Rhapsody for the rule tests."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.series.charts import Charts, charts
from warledger.engine.games.ocs.series.setup import first_position
from warledger.engine.games.ocs.series.state import (
    NOT_ARRIVED,
    OFF_MAP,
    Aircraft,
    State,
    Unit,
    changed,
    field_of,
)
from warledger.engine.kernel.change import replace
from warledger.engine.packfiles import pack_bytes, read_pack_folder

SCENARIOS = ("campaign", "debrecen", "konrad1", "konrad2", "konrad3", "siege", "sudwind")
"""Those with a set-up of their own."""

PLAYED = (*SCENARIOS, "konrad12")
"""All that can be chosen."""

AXIS, SOVIET = "axis", "soviet"

FOLDER = Path(__file__).parents[3] / "engine" / "games" / "hungarian_rhapsody" / "pack"


@cache
def pack() -> Mapping[str, Any]:
    """The title's own pack as read from its files."""
    return read_pack_folder(FOLDER)


@cache
def packed() -> bytes:
    """The same as it stands in a genesis."""
    return pack_bytes(dict(pack()))


@cache
def charts_of(name: str) -> Charts:
    """The charts of a scenario, no option in force."""
    return charts(packed(), name, GAME)


def start(name: str = "sudwind", **changes: Any) -> State:
    """The first position of a scenario, with some fields changed."""
    return replace(first_position(charts_of(name)), **changes)


def names(state: State, hexes: int) -> set[str]:
    """The printed ids of a set of hexes."""
    return {state.charts.board.name(i) for i in hexsets.listed(hexes)}


def stand(where: Mapping[str, str], name: str = "campaign", **changes: Any) -> State:
    """A position with these units alone on the map (unit -> hex), in Combat mode where they can be,
    in clear weather; all hexes are in play. Transport shows its Move side."""
    state = start(name, ground="dry", supply={AXIS: {}, SOVIET: {}}, hedgehogs={}, bases={})
    board = state.charts.board
    units = {
        unit: Unit(
            board.hex(where[unit]) if unit in where else OFF_MAP,
            "" if unit in where else NOT_ARRIVED,
            move_side=state.counter(unit).combat is None,
        )
        for unit in state.units
    }
    made = replace(
        state,
        units=units,
        field=field_of(state.charts, units),
        aircraft={name: Aircraft() for name in state.aircraft},
        bridges_down=frozenset(),
    )
    return replace(made, **changes)


def put(state: State, unit: str, **changes: Any) -> State:
    """The same with one unit changed: its marker, side, losses."""
    return changed(state, {unit: replace(state.units[unit], **changes)})
