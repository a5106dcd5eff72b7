"""The pack, indexed."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from warledger.engine.board.going import Compiled, compile_going, going_from_tables, halves
from warledger.engine.board.hexmap import hex_map
from warledger.engine.board.stacking import Piece
from warledger.engine.board.tracing import Net, RangeNet, land_net, link_net
from warledger.engine.board.zones import Ground, ground
from warledger.engine.games.chitpull import lines
from warledger.engine.games.chitpull.pack import Charts, Printed, areas, deployment, printed
from warledger.engine.games.chitpull.sides import SIDES


@frozen(eq=False, repr=False)
class Data(Charts):
    """The pack, compiled once."""

    preset: Mapping[str, int]
    going: Mapping[str, Compiled]
    zones: Ground
    land: lines.Spread
    rail: Net
    command: RangeNet
    sources: Mapping[str, tuple[int, ...]]
    options: Mapping[str, Any]


def _type(
    entry: Mapping[str, Any], full: tuple[int, int], reduced: tuple[int, int] | None
) -> Printed:
    hq = "range" in entry
    return Printed(
        entry["id"],
        entry["side"],
        entry["type"],
        hq,
        entry["mech"],
        halves(entry["move"]),
        full,
        reduced,
        entry.get("range", 0),
        entry["group"],
        Piece(entry["side"], entry["side"], hq),
    )


def data_of(pack: Mapping[str, Any], options: Mapping[str, Any]) -> Data:
    """Index a pack: all of it by functions of engine.board and chitpull.pack."""
    board = hex_map(pack["map"], pack["tables"])
    types = printed(pack["counters"], _type)
    return Data(
        board,
        types,
        areas(pack["setup"], board, types),
        deployment(pack["setup"], board, types),
        {
            column: compile_going(board, going_from_tables(pack["tables"], column))
            for column in ("mech", "other")
        },
        ground(board),
        lines.spread_of(land_net(board)),
        link_net(board),
        RangeNet(board.grid.adjacent, tuple(() for _ in board.grid.adjacent)),
        {
            side: tuple(source.hex for source in board.sources if source.side == side)
            for side in SIDES
        },
        options,
    )
