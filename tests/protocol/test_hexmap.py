"""The one reader of hex maps: what a map may leave out, what it may not hold, and how far it may
go."""

import tracemalloc
from typing import Any

import pytest

from warledger.engine.board import hexmap as compiled
from warledger.protocol.board.findings import BadPack
from warledger.protocol.board.hexmap import has_map, hex_map

GRID: dict[str, Any] = {
    "orientation": "flat",
    "shifted": "odd",
    "columns": 10,
    "rows": 10,
    "id": "{col:02}{row:02}",
}
BOUNDLESS: dict[str, dict[str, Any]] = {
    "millions of hexes": {"columns": 5000, "rows": 5000},
    "no columns": {"columns": 0},
    "a long template": {"id": "{col:02}{row:02}" * 4000},
    "a wide template": {"id": "{col:04}{row:04}" * 6},
    "a long sheet": {
        "id": "{sheet}{col:02}{row:02}",
        "sheet": ({"name": "x" * 60_000, "first_column": 1},),
    },
    "a thousand sheets": {"sheet": tuple({"name": "x", "first_column": n} for n in range(1, 1001))},
    "a template that reaches into objects": {"id": "{col.__class__}"},
}
TABLES = {"terrain": {"clear": {"move_foot": 1}}, "hexside": {"minor": {}}}


def doc(**change: Any) -> dict[str, Any]:
    """A map of ten by ten clear hexes, and what a test adds to it."""
    return {
        "sides": ("a", "b"),
        "grid": GRID,
        "terrain": {"legend": {".": "clear"}, "rows": ("." * 10,) * 10},
        **change,
    }


@pytest.mark.parametrize("name", BOUNDLESS)
def test_a_map_has_bounds(name: str) -> None:
    """A few bytes that ask for more hexes or longer ids than any map has are refused before
    anything is made."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError):
            hex_map(doc(grid={**GRID, **BOUNDLESS[name]}))
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert used < 2_000_000, used


def test_a_map_may_leave_out_the_template_of_ids_and_the_places() -> None:
    """Without `grid.id` hexes are called by column and row in two digits each; without `[places]`
    there are none. Clients and engine read it alike."""
    grid = {key: value for key, value in GRID.items() if key != "id"}
    bare = doc(grid=grid)
    read, made = hex_map(bare), compiled.hex_map(bare, TABLES)

    assert read.grid.ids == hex_map(doc()).grid.ids == made.grid.ids
    assert read.grid.ids[0] == "0101"
    assert read.places == made.places == {}


def test_rivers_lines_and_bridges_are_seen_from_both_sides() -> None:
    """A hexside's river and bridge are found from either bank, a line's links from either end, and
    the compiled tables hold the same."""
    river = {"name": "Don", "class": "minor", "hexsides": "0101-0102 0102-0202"}
    document = doc(
        river=[river], bridges={"hexsides": "0101-0102"}, rail=[{"hexes": "0101 0102 0103"}]
    )
    read, made = hex_map(document), compiled.hex_map(document, TABLES)
    a, b, c = (read.grid.at(id) for id in ("0101", "0102", "0103"))
    across = read.grid.direction(a, b)

    assert read.classes[a, across] == read.classes[b, (across + 3) % 6] == "minor"
    assert {(a, across), (b, (across + 3) % 6)} == read.bridged
    assert read.links["rail"][b] == {a, c}
    slots = {i * 6 + d for i, d in read.classes}
    assert slots == {at for at, kind in enumerate(made.sides.river) if kind}
    assert {i * 6 + d for i, d in read.bridged} == {
        at for at, yes in enumerate(made.sides.bridged) if yes
    }
    assert made.linked(a, b, "rail")


def test_every_error_is_named_at_once() -> None:
    """One reading names all that is wrong, each with its place."""
    wrong = doc(
        river=[{"name": "Don", "class": "minor", "hexsides": "0101-0303"}],
        rail=[{"name": "main", "hexes": "0101 0303"}],
        places={"list": [{"hex": "9999", "name": "Nowhere", "kind": "town"}]},
    )
    with pytest.raises(BadPack) as caught:
        hex_map(wrong)
    told = str(caught.value)
    assert all(place in told for place in ("[[river]] Don", "[[rail]] main", "[places] Nowhere"))


def test_a_pack_has_a_map_or_not() -> None:
    """Only a table with grid and terrain is a hex map."""
    assert has_map({"map": doc()})
    assert not any(has_map(pack) for pack in ({}, {"map": 3}, {"map": {"grid": GRID}}))
