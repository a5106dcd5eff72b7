"""2 – 4 Map, pieces and setup."""

from tests.rules.war_at_sea.charts import PACK
from warledger.engine.games.war_at_sea import RULES
from warledger.engine.games.war_at_sea.data import SEATS, build
from warledger.engine.testing.rig import Rig

# --- 2.1 six sea areas ----------------------------------------------------------------------------


def test_2_1_six_areas_with_two_numbers_each() -> None:
    """2.1 Six sea areas, each worth something to either side."""
    data = build(PACK)

    assert {
        area: (entry.poc["axis"], entry.poc["allied"]) for area, entry in data.areas.items()
    } == {
        "north_atlantic": (3, 1),
        "south_atlantic": (3, 1),
        "north_sea": (4, 1),
        "barents_sea": (2, 1),
        "baltic_sea": (1, 1),
        "mediterranean": (2, 1),
    }


# --- 2.3 ------------------------------------------------------------------------------------------


def test_2_3_south_america_is_neutral_and_germany_is_one_port() -> None:
    """2.2, 2.3 The one neutral port; Norway is no port of its own."""
    data = build(PACK)

    assert [port for port, entry in data.ports.items() if entry.owner == "neutral"] == [
        "south_america"
    ]
    assert "norway" not in data.ports
    assert data.sea_links["germany"] == ("north_sea", "barents_sea", "baltic_sea")


# --- 3.1 colours show the nationality -------------------------------------------------------------


def test_3_1_every_ship_is_of_one_nation() -> None:
    """3.1 Every ship is of one of the five nations or a convoy, and its nation says whose it is."""
    rig = Rig(RULES, PACK)

    owners = {ship.nation: ship.side for ship in rig.state.ships.values()}
    assert owners == {
        "uk": "allied",
        "us": "allied",
        "su": "allied",
        "convoy": "allied",
        "de": "axis",
        "it": "axis",
    }


# --- 3.2 ------------------------------------------------------------------------------------------


def test_3_2_the_pieces_are_those_of_the_book() -> None:
    """3.2, 3.3 Three convoys, seven boats, one air unit a side; only carriers have an airstrike
    value; all ships but convoys are warships."""
    data = build(PACK)

    assert [name for name, counter in data.counters.items() if counter.kind == "convoy"] == [
        "convoy_1a",
        "convoy_2b",
        "convoy_3c",
    ]
    assert len(data.uboat_ids) == 7
    assert [data.air_strength[side] for side in SEATS] == [3, 3]
    assert all(
        (counter.airstrike > 0) == (counter.kind == "CV") for counter in data.counters.values()
    )
    ships = Rig(RULES, PACK).state.ships.values()
    kinds = {"convoy": "convoy", "CV": "carrier"}
    for ship in ships:
        kind = kinds.get(data.counters[ship.id].kind, "")
        assert ship.is_convoy == (kind == "convoy")
        assert ship.is_warship == (kind != "convoy")
        assert ship.is_carrier == (kind == "carrier")


# --- 4.1 the score marker starts on zero ----------------------------------------------------------


def test_4_1_4_2_the_counters_are_set_up() -> None:
    """4.1 – 4.3 The marker on zero; starting ships in their ports, reinforcements on the track, and
    the board shows it."""
    rig = Rig(RULES, PACK)

    assert rig.state.score == 0
    assert rig.board.pieces["bismarck"].place == "turn_2"
    assert rig.board.pieces["scharnhorst"].place == "germany"
    assert rig.board.pieces["littorio"].place == "italy"
    assert rig.board.pieces["hood"].place == "england"
    assert rig.board.pieces["scharnhorst"].face == "de BC 3-5-7+"
    assert rig.board.pieces["eagle"].face == "uk CV 1-2-4(1)"
    assert rig.board.tracks["score"] == 0
    assert rig.asked() == {"allied": "prompt.war_at_sea.deploy"}, "R2: the Axis has no choice"


# --- 4.3 ------------------------------------------------------------------------------------------


def test_4_3_british_ships_in_england_or_malta() -> None:
    """4.3, R2 The Allied player divides the starting British ships; nothing else can be chosen."""
    rig = Rig(RULES, PACK)

    rig.do("allied", "deploy", "warspite", "eagle", "hood", "malta")
    rig.do("allied", "deploy", "hood", "england")
    assert [rig.state.ships[name].place for name in ("warspite", "eagle", "hood")] == [
        "malta",
        "malta",
        "england",
    ]
    assert rig.refused("allied", "deploy", "king_george_v").rule == "4.2"
    assert rig.refused("allied", "deploy", "scharnhorst").rule == "4.3"
    assert rig.refused("allied", "deploy", "nelson", "usa").rule == "4.3"
    assert rig.refused("allied", "deploy", "nelson", "eagle").rule == "4.3"
    rig.do("allied", "done")
    assert rig.state.turn == 1
    assert rig.state.ships["eagle"].origin == "malta"
