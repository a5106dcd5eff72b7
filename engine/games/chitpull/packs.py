"""What the packs of chit-pull games on a hex map must hold: the family's check.

Five files; a game of several scenarios has one set-up a file, `setup_NAME.toml`, beside or in place
of `setup.toml`. engine/board/README.md describes the format.
"""

from collections.abc import Mapping
from typing import Any

from warledger.engine.board import boardchecks
from warledger.engine.board.boardchecks import Docs, Family
from warledger.engine.games.chitpull.packpieces import check_pieces
from warledger.protocol.board.findings import Inspection

FILES = ("map", "counters", "setup", "turns", "tables")

LISTS = {
    "map": ("source", "area", "box"),
    "counters": ("units", "hqs", "chits", "markers"),
}
"""Where ids are defined, beside the groups of each set-up."""

SCENARIO = "setup_"
"""How the names of further scenarios' files begin."""


def recognises(docs: Docs) -> bool:
    """A hex map, or any file that only this family has. Not scenarios in files of their own without
    a set-up: those are of the Operational Combat Series."""
    if "setup" not in docs and any(name.startswith("scenario_") for name in docs):
        return False
    grid = isinstance(docs.get("map"), Mapping) and "grid" in docs["map"]
    return grid or any(name in docs for name in ("counters", "turns", "setup"))


def check(docs: Docs, out: Inspection) -> None:
    """Map, tables, turn track, counters and every set-up, each against the others."""
    scenarios = tuple(name for name in docs if name.startswith(SCENARIO))
    if "setup" in docs or not scenarios:
        scenarios = ("setup", *scenarios)
    names = tuple(name for name in FILES if name != "setup" or "setup" in scenarios)
    doc: dict[str, Mapping[str, Any]] = {**docs, **boardchecks.files(docs, names, out)}
    boardchecks.headers(docs, out)
    board = boardchecks.hex_board(doc, out)
    boardchecks.ids(doc, {**LISTS, scenarios[0]: ("group",)}, out)
    for scenario in scenarios[1:]:
        boardchecks.ids(doc, {scenario: ("group",)}, out)
    if "turns" in docs:
        boardchecks.turns(doc, scenarios, out)
    if board is not None and not out.failed:
        boardchecks.sense(board, doc, out)
    if board is not None and "counters" in docs and docs.keys() & set(scenarios):
        check_pieces(board, doc, scenarios, out)


FAMILY = Family("chit-pull games on a hex map", recognises, check)
