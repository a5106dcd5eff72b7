"""What a pack of War at Sea must hold: `data.toml` and `layout.toml`."""

from collections.abc import Mapping, Sequence
from typing import Any

from warledger.engine.board import areas, boardchecks
from warledger.engine.board.boardchecks import Docs, Family
from warledger.engine.games.war_at_sea.data import SIDE_OF_NATION
from warledger.protocol.board.findings import Inspection, nearest

FILES = ("data", "layout")
SHIP_NUMBERS = ("gunnery", "armor", "speed", "airstrike", "arrival")


def recognises(docs: Docs) -> bool:
    """Ships on a map of areas."""
    data = docs.get("data")
    return isinstance(data, Mapping) and "ship" in data and "area" in data


def check(docs: Docs, out: Inspection) -> None:
    """Map, counters, turn track, and the drawing of the board, each against the others."""
    doc = boardchecks.files(docs, FILES, out)
    if "data" in docs:
        data = doc["data"]
        board = areas.inspect(data, out, file="data.toml")
        ships = out.rows(data, "ship", "data.toml")
        for ship in ships:
            _ship(ship, board, out)
        _turns(data, [str(ship.get("id")) for ship in ships], out)
        if "layout" in docs:
            _layout(doc["layout"], board, out)
    boardchecks.ids(doc, {"data": ("area", "port", "ship")}, out)


def _ship(ship: Mapping[str, Any], board: areas.AreaMap, out: Inspection) -> None:
    place = f"data.toml [[ship]] {ship.get('id')}"
    nation = ship.get("nation")
    if nation not in SIDE_OF_NATION:
        out.error(place, f"nation is {nation!r}", nearest(str(nation), SIDE_OF_NATION))
    for name in SHIP_NUMBERS:
        out.whole(ship, name, place)
    for port in out.names(ship, "start", place, required=False):
        if port not in board.spots:
            out.error(
                place,
                f"it starts in {port!r}, which is not an area or port",
                nearest(port, board.spots),
            )


def _turns(data: Mapping[str, Any], ships: Sequence[str], out: Inspection) -> None:
    turns = out.rows(data, "turn", "data.toml")
    numbers = [turn.get("n") for turn in turns]
    if numbers != list(range(1, len(numbers) + 1)):
        out.error(
            "data.toml [[turn]]",
            f"turns are numbered {numbers}",
            "Number them from 1, without a gap",
        )
    for turn in turns:
        place = f"data.toml [[turn]] {turn.get('n')}"
        for side in ("allied", "axis"):
            for name in out.names(turn, side, place):
                if name not in ships:
                    out.error(place, f"{name} is not a ship", nearest(name, ships))


def _layout(layout: Mapping[str, Any], board: areas.AreaMap, out: Inspection) -> None:
    rows = out.table(layout, "grid", "layout.toml").get("rows")
    drawn: Sequence[Any] = rows if isinstance(rows, list | tuple) else ()
    shown = [id for row in drawn if isinstance(row, list | tuple) for id in row if id != ""]
    for id in shown:
        if id not in board.spots:
            out.error(
                "layout.toml [grid]",
                f"{id!r} is not an area or port",
                nearest(str(id), board.spots),
            )
    missing = [spot for spot in board.spots if spot not in shown]
    if missing:
        out.error(
            "layout.toml [grid]",
            f"it lacks {', '.join(missing)}",
            "Give every area and port its box",
        )


FAMILY = Family("War at Sea", recognises, check)
