"""What clients are told of a game of the series: map, counters, where each datum comes from."""

import gzip
import json
import tomllib

import pytest

from tests.rules.hungarian_rhapsody.bench import FOLDER, SCENARIOS, pack
from tests.rules.hungarian_rhapsody.table import described
from warledger.engine.games.hungarian_rhapsody.describe import description
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.display import describe as shared
from warledger.engine.testing import laws
from warledger.protocol import canon
from warledger.protocol.board import description as forms

CAMPAIGN_BYTES = 512 * 1024


"""What the whole campaign's description may weigh: it travels to every client once."""


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_description_is_of_its_form(scenario: str) -> None:
    """Each scenario's description reads, with every unit and base that its file lays out."""
    read = described(scenario)
    doc = tomllib.loads((FOLDER / f"scenario_{scenario}.toml").read_text(encoding="utf-8"))
    pieces = {piece.id for piece in read.pieces}
    places = {place.id for place in read.places} | {box.id for box in read.boxes}

    assert {name for names in doc["on_map"].values() for name in names.split()} <= pieces
    assert set(doc["on_map"]) <= places
    assert {one["at"] for one in doc["air"]} <= places
    assert {name for one in doc["air"] for name in one["active"].split()} <= pieces


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_all_that_a_scenario_draws_is_described(scenario: str) -> None:
    """In the open, where all is drawn for everybody: what is laid out, and a few commands more. The
    law plays on with the long tests."""
    options = {"scenario": scenario, "fog": "open"}
    laws.all_that_is_drawn_is_described(laws.Case(RULES, pack(), options=options, commands=12))


def test_the_campaign_is_the_whole_map() -> None:
    """The campaign is told with all 4,340 hexes, 528 units and 57 aircraft, within bounds."""
    value = forms.write(description(pack(), {"scenario": "campaign"}))
    read = forms.read(value)

    assert len(read.places) == 4340
    assert len(read.pieces) == 528 + 57
    assert {river.kind for river in read.rivers} == {"danube", "major", "minor", "very_minor"}
    assert {line.kind for line in read.lines} == {"rail", "rail_multi", "road", "track"}
    assert len(canon.pack(canon.ordered(value))) <= CAMPAIGN_BYTES


def test_a_part_of_the_map_keeps_its_neighbours() -> None:
    """What is left of the map around a scenario has the neighbours, rivers and paths that it has on
    the whole one."""
    part, whole = described("sudwind"), described("campaign")
    near = {place.id: [whole.places[n].id for n in place.near if n >= 0] for place in whole.places}
    kept = {place.id for place in part.places}

    assert len(kept) < 500
    for place in part.places:
        assert [part.places[n].id for n in place.near if n >= 0] == [
            name for name in near[place.id] if name in kept
        ]
    sides = {
        frozenset((whole.places[n].id, whole.places[whole.places[n].near[d]].id))
        for river in whole.rivers
        for n, d, _ in river.sides
    }
    assert {
        frozenset((part.places[n].id, part.places[part.places[n].near[d]].id))
        for river in part.rivers
        for n, d, _ in river.sides
    } == {side for side in sides if side <= kept}


def test_nothing_reconstructed_passes_for_published() -> None:
    """Every counter says where its values come from, and every word for that is explained."""
    read = described("campaign")

    assert all(piece.origin for piece in read.pieces)
    assert [p.id for p in read.pieces if p.origin not in read.origins and " " not in p.origin] == []
    assert all(place.origin for place in read.places if place.site), (
        "each town says how its hex was found"
    )
    assert read.origins["scenario.victory"]


def test_every_type_and_size_has_its_symbol() -> None:
    """Whatever type, size and kind of aircraft a counter of the pack has, it has a symbol."""
    counters = pack()["counters"]

    assert {one["type"] for one in counters["units"]} <= set(shared.ENTITIES)
    assert {one["size"] for one in counters["units"]} <= set(shared.SIZES)
    assert {one["type"] for one in counters["aircraft"]} <= set(shared.AIRCRAFT)
    read = described("campaign")
    assert {piece.symbol for piece in read.pieces} == {symbol.id for symbol in read.symbols}


def test_the_largest_map_is_small_on_the_wire() -> None:
    """What a page fetches of the campaign, compressed as the server does it, is 90 KB at most."""
    body = json.dumps(forms.write(described("campaign")), separators=(",", ":"))

    assert len(gzip.compress(body.encode(), 9)) <= 90 * 1024
