"""The description that clients draw from: its form, its bounds, and that a map is read into it as
the shared vectors say (`protocol/vectors/maps.json`, which the page is held to as well)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients.games import captains_game
from warledger.engine.board import hexmap as compiled
from warledger.engine.runtime.titles import description as described
from warledger.engine.runtime.titles import installed
from warledger.protocol import canon
from warledger.protocol.board import description
from warledger.protocol.board import effects as fx
from warledger.protocol.board.effects import Board
from warledger.protocol.board.hexmap import hex_map
from warledger.protocol.limits import FRAME_BYTES_MAX
from warledger.protocol.log.bodies import effects_of

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(description.__file__).parents[1] / "vectors" / "maps.json").read_text(encoding="utf-8")
)


def named(key: str) -> Any:
    """A test for each vector of a kind."""
    return pytest.mark.parametrize("vector", VECTORS[key], ids=lambda vector: vector["name"])


@named("maps")
def test_a_map_is_read_as_the_vectors_say(vector: dict[str, Any]) -> None:
    """Places, coordinates, neighbours, rivers and lines of each map are those of its vector; in the
    message neighbours are left out."""
    told = description.plain({"map": vector["map"]})
    written = json.loads(json.dumps(description.write(told)))
    assert not any("near" in place for place in written["places"])
    for place, near in zip(written["places"], told.places, strict=True):
        place["near"] = list(near.near)
    assert written == {
        **vector["description"],
        **({"names": dict(told.names)} if told.names else {}),
    }


@named("maps")
def test_neighbours_follow_from_the_grid(vector: dict[str, Any]) -> None:
    """A hex that comes without neighbours has those in the six cells around it, gaps in the map
    left out; neighbours that are named stand, though the grid has others."""
    whole = vector["description"]
    places = [{k: v for k, v in place.items() if k != "near"} for place in whole["places"]]
    assert description.read({**whole, "places": places}) == description.read(whole)
    first = {**places[0], "near": [-1] * 6}
    gap = description.read({**whole, "places": [first, *places[1:]]})
    assert gap.places[0].near == (-1,) * 6
    assert "near" in description.write(gap)["places"][0] or set(whole["places"][0]["near"]) == {-1}


@named("maps")
def test_the_engine_reads_the_same_map(vector: dict[str, Any]) -> None:
    """Hexes, neighbours and terrain of the tables that rules look at are those of the vector."""
    read = hex_map(vector["map"])
    tables = {
        "terrain": {name: {} for name in read.letters},
        "place": {place.kind: {} for place in read.places.values()},
        "hexside": {river.kind: {} for river in read.rivers},
    }
    made = compiled.hex_map(vector["map"], tables)
    places = vector["description"]["places"]
    assert [place["id"] for place in places] == list(made.grid.ids)
    assert [tuple(place["near"]) for place in places] == list(made.grid.neighbours)
    assert [place["terrain"] for place in places] == [
        made.terrain_at(i) for i in range(len(made.grid))
    ]


@named("right")
def test_a_description_of_this_form_is_read(vector: dict[str, Any]) -> None:
    """What is within form and bounds is taken, and fields that are not known are passed over."""
    told = description.read(vector["description"])
    assert description.read(description.write(told)) == told


@named("wrong")
def test_another_form_is_refused(vector: dict[str, Any]) -> None:
    """A description of another form, or beyond its bounds, is refused before anything is drawn."""
    with pytest.raises(description.BadDescription):
        description.read(vector["description"])


@pytest.mark.parametrize(
    "title",
    [
        "war_at_sea",
        pytest.param("victory_lost", marks=pytest.mark.long),
        pytest.param("typhoon", marks=pytest.mark.long),
    ],
)
def test_a_title_describes_all_that_it_puts_on_a_board(title: str) -> None:
    """Each place, piece, face and track of a whole game is in the description, and that fits a
    message."""
    one = installed()[title]
    value = described(one.rules, one.pack, one.options)
    assert len(canon.pack(value)) < FRAME_BYTES_MAX // 8
    told = description.read(value)
    assert described(None, one.pack, one.options)["kind"] == told.kind
    places = {part.id for part in (*told.places, *told.boxes)}
    pieces = {piece.id: piece for piece in told.pieces}
    symbols = {symbol.id for symbol in told.symbols}
    tracks = {track.id for track in told.tracks}
    assert all(piece.symbol in symbols or not piece.symbol for piece in told.pieces)

    board = Board()
    seen = 0
    for record in captains_game(title).records:
        for effect in effects_of(record, ()):
            board.apply(effect)
            if effect[0] == fx.PUT:
                _, id, place, face, _ = effect
                seen += 1
                if isinstance(id, str):
                    assert pieces[id].face(face) is not None or not isinstance(face, str), effect
                assert not isinstance(place, str) or place in places, effect
    assert seen
    assert {piece.place for piece in board.pieces.values() if type(piece.place) is str} <= places
    assert set(board.tracks) <= tracks
    assert set(board.counts) <= places


def test_options_change_what_is_printed() -> None:
    """With the weaker Bismarck class (18.1) the description has the weaker values."""
    one = installed()["war_at_sea"]

    def armour(weaker: bool) -> int | None:
        told = one.rules.describe(one.pack, {**one.options, "v18_1_weaker_bismarck_class": weaker})
        return (
            next(piece for piece in told.pieces if piece.id == "bismarck").faces[0].value("armour")
        )

    assert (armour(False), armour(True)) == (9, 7)


def test_a_pack_that_its_title_does_not_read_is_told_plainly() -> None:
    """A pack of another form, or of a title nobody has, is described by its map, and without one as
    a list: never an error."""
    rules = installed()["victory_lost"].rules
    for pack, kind in (
        ({}, "list"),
        ({"map": 3}, "list"),
        ({"map": VECTORS["maps"][1]["map"]}, "hexes"),
    ):
        assert described(rules, pack, {})["kind"] == kind
        assert described(None, pack, {})["kind"] == kind
