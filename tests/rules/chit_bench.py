"""Board T, on which both chit-pull titles are tried: 20 x 20 open hexes with what a test adds to
them, in place of the title's own map."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict, TypeVar, Unpack

from warledger.engine.games.chitpull.pack import Charts
from warledger.engine.games.chitpull.states import OFF_MAP, Piece
from warledger.engine.testing.rig import Rig
from warledger.protocol import canon

S = TypeVar("S")

COLUMNS = ROWS = 20


class Ground(TypedDict, total=False):
    """What a test adds to the open board."""

    rows: Mapping[str, str] | None
    """Hex -> terrain sign where it is not open."""
    rivers: Mapping[str, str] | None
    """Class -> hexsides."""
    bridges: str
    impassable: str
    roads: Sequence[str]
    rails: Sequence[str]
    places: Sequence[Mapping[str, Any]]
    sources: Sequence[Mapping[str, Any]]
    """Without any the Axis has 0110 and the Soviets 2010."""


def with_board(
    pack: Mapping[str, Any],
    areas: Sequence[Mapping[str, Any]],
    boxes: Sequence[Mapping[str, Any]],
    **ground: Unpack[Ground],
) -> dict[str, Any]:
    """The pack with board T in place of its map, and nobody deployed. Raises TypeError for an
    option that `Ground` does not have: a misspelt one would leave the board open, unnoticed."""
    unknown = sorted(ground.keys() - Ground.__annotations__.keys())
    if unknown:
        raise TypeError(
            f"board T has no {', '.join(unknown)}; it has {', '.join(Ground.__annotations__)}"
        )
    grid = [["."] * COLUMNS for _ in range(ROWS)]
    for hex_id, sign in (ground.get("rows") or {}).items():
        grid[int(hex_id[2:]) - 1][int(hex_id[:2]) - 1] = sign
    made = dict(pack)
    made["map"] = {
        "title": "board T",
        "sides": ["axis", "soviet"],
        "grid": {
            "orientation": "flat",
            "shifted": "even",
            "columns": COLUMNS,
            "rows": ROWS,
            "id": "{col:02}{row:02}",
        },
        "terrain": {
            "legend": dict(pack["map"]["terrain"]["legend"]),
            "rows": ["".join(row) for row in grid],
        },
        "places": {"list": list(ground.get("places", ()))},
        "river": [
            {"name": kind, "class": kind, "hexsides": sides}
            for kind, sides in (ground.get("rivers") or {}).items()
        ],
        "bridges": {"hexsides": ground.get("bridges", "")},
        "impassable": {"hexsides": ground.get("impassable", "")},
        "road": [
            {"name": f"road {index}", "hexes": chain}
            for index, chain in enumerate(ground.get("roads", ()))
        ],
        "rail": [
            {"name": f"rail {index}", "hexes": chain}
            for index, chain in enumerate(ground.get("rails", ()))
        ],
        "source": list(ground.get("sources") or (source("axis", "0110"), source("soviet", "2010"))),
        "area": list(areas),
        "box": list(boxes),
    }
    made["setup"] = {**pack["setup"], "on_map": {}}
    canon.check(canon.ordered(made["map"]))  # the rest was checked when the pack was read
    return made


def source(side: str, hex_id: str, *, rail: bool = True, from_turn: int = 1) -> dict[str, Any]:
    """A source of supply."""
    return {
        "id": f"source.{side}.{hex_id}",
        "side": side,
        "hex": hex_id,
        "name": hex_id,
        "from_turn": from_turn,
        "rail": rail,
    }


def spots(data: Charts, pieces: Iterable[Piece]) -> tuple[str, ...]:
    """Where counters are: printed ids, or the box."""
    return tuple(data.name(piece.at) if piece.at != OFF_MAP else piece.where for piece in pieces)


class ChitRig(Rig[S]):
    """A rig with the questions that the tests of both titles ask."""

    def reach(self, seat: str, *picks: str) -> set[str]:
        """The hexes offered after these picks."""
        return {str(pick) for pick in self.options(seat, *picks) if str(pick)[:2].isdigit()}
