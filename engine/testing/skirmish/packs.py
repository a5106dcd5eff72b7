"""What a pack of Skirmish must hold. `warledger pack check` asks this, and says it in words that
the author of a map understands."""

from collections.abc import Mapping
from typing import Any

from warledger.engine.board import boardchecks
from warledger.engine.board.boardchecks import Docs, Family
from warledger.engine.testing.skirmish.data import SIDES
from warledger.protocol.board.findings import Inspection, nearest

FILES = ("map", "tables", "counters", "setup")


def recognises(docs: Docs) -> bool:
    """A pack that says that it is one of Skirmish."""
    return any(isinstance(doc, Mapping) and doc.get("pack") == "skirmish" for doc in docs.values())


def check(docs: Docs, out: Inspection) -> None:
    """The map by the common parts; the units and their places here."""
    doc = boardchecks.files(docs, FILES, out)
    boardchecks.headers(docs, out)
    board = boardchecks.hex_board(doc, out)
    boardchecks.ids(doc, {"counters": ("units",)}, out)
    units = {
        str(unit.get("id")): unit for unit in out.rows(doc["counters"], "units", "counters.toml")
    }
    for name, unit in units.items():
        _unit(unit, f"counters.toml {name}", out)
    placed: list[str] = []
    for hex, names in out.table(doc["setup"], "on_map", "setup.toml").items():
        place = f"setup.toml [on_map] {hex}"
        if board is not None and hex not in board.grid.index:
            out.error(place, "there is no such hex", nearest(hex, board.grid.index))
        for name in str(names).split():
            if name not in units:
                out.error(place, f"{name} is not a unit", nearest(name, units))
            placed.append(name)
        if len(str(names).split()) > 1:
            out.error(place, "two units in a hex (1)", "Give each a hex of its own")
    for name in units:
        if placed.count(name) != 1:
            out.error(
                f"counters.toml {name}",
                f"it is set up {placed.count(name)} times",
                "Put it into one hex of setup.toml [on_map]",
            )
    if board is not None and not out.failed:
        boardchecks.sense(board, doc, out)


def _unit(unit: Mapping[str, Any], place: str, out: Inspection) -> None:
    if unit.get("side") not in SIDES:
        out.error(place, f"side is {unit.get('side')!r}", nearest(str(unit.get("side")), SIDES))
    for face in ("full", "reduced"):
        value = unit.get(face, [0, 0] if face == "reduced" else None)
        if not (isinstance(value, list | tuple) and [type(n) for n in value] == [int, int]):
            out.error(place, f"{face} is {value!r}", f"Write {face} = [attack, defence]")
    if not isinstance(unit.get("mech"), bool):
        out.error(place, f"mech is {unit.get('mech')!r}", "Write mech = true or false")
    out.whole(unit, "move", place)


FAMILY = Family("Skirmish", recognises, check)
