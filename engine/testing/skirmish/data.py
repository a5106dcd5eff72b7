"""The pack as an indexed value: map, units, charts. Made once from the genesis and kept in the
state, so that no rule reads text."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from warledger.engine.board.going import Compiled, compile_going, going_from_tables
from warledger.engine.board.hexmap import HexMap, hex_map
from warledger.engine.board.odds import Ladder, ResultsTable, ladder_from_tables, results_table

RED, BLUE = "red", "blue"
SIDES = (RED, BLUE)

FOOT, WHEELS = "foot", "wheels"


@frozen
class Printed:
    """1 What is printed on a unit: strengths are (attack, defence), `reduced` those of its other
    face, None for a unit of one step. `move` is in half points, as the board counts."""

    id: str
    side: str
    going: str
    full: tuple[int, int]
    reduced: tuple[int, int] | None
    move: int


@frozen(eq=False)
class Data:
    """The whole pack. States of one game share it, so it is compared by identity.

    going     by mobility, what each step on the map costs
    towns     the hexes of towns; hexes are numbers, the map knows their printed ids
    shifts    for a defender in a hex, columns to the left
    starts    where each unit stands at first
    """

    map: HexMap
    going: Mapping[str, Compiled]
    units: Mapping[str, Printed]
    starts: Mapping[str, int]
    towns: tuple[int, ...]
    shifts: tuple[int, ...]
    ladder: Ladder
    crt: ResultsTable
    last_turn: int

    def name(self, hex: int) -> str:
        """The printed id of a hex."""
        return self.map.grid.ids[hex]

    def hex(self, name: str) -> int:
        """The hex of a printed id."""
        return self.map.grid.at(name)


def game_data(pack: Mapping[str, Any], *, long_game: bool) -> Data:
    """Index a pack. Raises KeyError or ValueError for one that is not whole; the check in packs.py
    says more."""
    tables = pack["tables"]
    board = hex_map(pack["map"], tables)
    towns = tuple(sorted(board.places))
    shifts = tuple(
        tables["terrain"][board.terrain_at(i)]["shift"]
        + (tables["place"][board.places[i].kind]["shift"] if i in board.places else 0)
        for i in range(len(board.grid))
    )
    return Data(
        map=board,
        going={
            mobility: compile_going(board, going_from_tables(tables, mobility))
            for mobility in (FOOT, WHEELS)
        },
        units={entry["id"]: _printed(entry) for entry in pack["counters"]["units"]},
        starts={
            unit: board.grid.at(hex)
            for hex, units in pack["setup"]["on_map"].items()
            for unit in units.split()
        },
        towns=towns,
        shifts=shifts,
        ladder=ladder_from_tables(tables),
        crt=results_table(tables["crt"]),
        last_turn=tables["turns"]["long" if long_game else "short"],
    )


def _printed(entry: Mapping[str, Any]) -> Printed:
    full, reduced = entry["full"], entry.get("reduced")
    return Printed(
        id=entry["id"],
        side=entry["side"],
        going=WHEELS if entry["mech"] else FOOT,
        full=(full[0], full[1]),
        reduced=(reduced[0], reduced[1]) if reduced is not None else None,
        move=2 * entry["move"],
    )
