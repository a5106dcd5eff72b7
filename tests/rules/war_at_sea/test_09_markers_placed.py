"""9.1 Where airstrike markers are placed, and in which order."""

from engine.games.war_at_sea.data import build
from engine.games.war_at_sea.events import AirPlaced
from tests.rules.war_at_sea.charts import PACK, chart, happened


def test_9_1_the_allies_place_first() -> None:
    """9.1, R4, R18 First the Allies, then the Axis; each on its own aircraft; placing is optional."""
    rig = chart("allied_air", {})

    assert rig.asked() == {"allied": "prompt.war_at_sea.air"}
    assert set(rig.options("allied", "place")) == {"north_sea", "mediterranean", "germany", "italy", "france"}
    assert rig.refused("allied", "place", "barents_sea").rule == "9.1"
    rig.do("allied", "place", "mediterranean")
    assert rig.state.air == {"allied": "mediterranean", "axis": ""}
    assert set(rig.options("axis", "place")) == {"north_sea", "barents_sea", "baltic_sea", "mediterranean", "malta", "leningrad", "russia"}
    assert rig.refused("axis", "place", "england").rule == "9.1"
    rig.do("axis", "pass")
    assert AirPlaced("axis", "") in happened(rig, AirPlaced)


def test_9_1_e29_no_marker_on_the_neutral_port() -> None:
    """9.1, 15.5 (E29) No aircraft is printed in South America."""
    rig = chart("allied_air", {"scharnhorst": "south_america"})

    assert rig.refused("allied", "place", "south_america").rule == "15.5"


def test_9_1_the_places_agree_with_what_is_printed() -> None:
    """9.1 The list of places is that of the areas and ports with the symbol."""
    data = build(PACK)

    for side, places in data.air_places.items():
        printed = [name for group in (data.areas, data.ports) for name, entry in group.items() if entry.air[side]]
        assert sorted(places) == sorted(printed)


def test_9_1_r53_markers_are_no_targets() -> None:
    """R53 A marker alone in an area can be struck by nobody: no airstrike is fought over it."""
    rig = chart("allied_air", {})

    rig.do("allied", "place", "north_sea")
    rig.do("axis", "place", "north_sea")
    assert not [event for event in rig.events if type(event).__name__ == "CombatOpened"]
