"""9.1 Where airstrike markers are placed, and in which order."""

from tests.rules.war_at_sea.charts import PACK, chart, happened
from tests.rules.war_at_sea.waters import battle, wounds_of
from warledger.engine.games.war_at_sea.airstrikes import airstrike_strength
from warledger.engine.games.war_at_sea.data import build
from warledger.engine.games.war_at_sea.placement import AirPlaced
from warledger.engine.games.war_at_sea.volley import ShipSunk, Shot


def test_9_1_an_area_with_only_boats_has_no_targets() -> None:
    """9.5, R51 A marker over U-boats alone strikes nothing."""
    rig = battle("north_sea", [], [], boats=2, air={"allied": "north_sea"})

    assert happened(rig, Shot) == []
    assert rig.state.fight is None


def test_9_1_the_allies_place_first() -> None:
    """3.4, 9.1, R4, R18 First the Allies, then the Axis, one marker each, on its own aircraft;
    placing is optional."""
    rig = chart("allied_air", {})

    assert rig.asked() == {"allied": "prompt.war_at_sea.air"}
    assert set(rig.options("allied", "place")) == {
        "north_sea",
        "mediterranean",
        "germany",
        "italy",
        "france",
    }
    assert rig.refused("allied", "place", "barents_sea").rule == "9.1"
    rig.do("allied", "place", "mediterranean")
    assert rig.state.air == {"allied": "mediterranean", "axis": ""}
    assert set(rig.options("axis", "place")) == {
        "north_sea",
        "barents_sea",
        "baltic_sea",
        "mediterranean",
        "malta",
        "leningrad",
        "russia",
    }
    assert rig.refused("axis", "place", "england").rule == "9.1"
    rig.do("axis", "pass")
    assert AirPlaced("axis", "") in happened(rig, AirPlaced)


def test_9_1_no_marker_on_the_neutral_port() -> None:
    """9.1, 15.5 (E29) No aircraft is printed in South America."""
    rig = chart("allied_air", {"scharnhorst": "south_america"})

    assert rig.refused("allied", "place", "south_america").rule == "15.5"


def test_9_1_the_places_agree_with_what_is_printed() -> None:
    """9.1 The list of places is that of the areas and ports with the symbol."""
    data = build(PACK)

    for side, places in data.air_places.items():
        printed = [
            name
            for group in (data.areas, data.ports)
            for name, entry in group.items()
            if entry.air[side]
        ]
        assert sorted(places) == sorted(printed)


def test_9_1_R53_markers_are_no_targets() -> None:
    """R53 A marker alone in an area can be struck by nobody: no airstrike is fought over it."""
    rig = chart("allied_air", {})

    rig.do("allied", "place", "north_sea")
    rig.do("axis", "place", "north_sea")
    assert not [event for event in rig.events if type(event).__name__ == "CombatOpened"]


def test_9_1_graf_zeppelin_in_port_is_a_target_and_does_not_reply() -> None:
    """9.2, R19 The Allied marker on Germany strikes it; a carrier in port has no airstrike, so the
    Axis is not asked."""
    rig = battle("germany", [], ["graf_zeppelin", "scharnhorst"], turn=4, air={"allied": "germany"})

    assert airstrike_strength(rig.state, "axis", "germany") == 0
    rig.dice(6, 3, 3)
    rig.do("allied", "strike", "graf_zeppelin", "scharnhorst")
    assert happened(rig, ShipSunk) == [ShipSunk("graf_zeppelin", 3)]
    assert rig.asked() == {"axis": "prompt.halt"}


def test_9_1_the_axis_marker_on_malta() -> None:
    """7.3, 7.6, 9.2, 9.5, R19 Hood failed and is no target. Nelson disabled stays in Malta,
    Warspite is crippled, Eagle sunk; Eagle in port does not strike back."""
    rig = battle(
        "malta",
        ["nelson", "warspite", "hood", "eagle"],
        air={"axis": "malta"},
        changes={"hood": {"path": ("x", "y"), "failed": True}},
    )
    assert rig.asked() == {"axis": "prompt.war_at_sea.airstrike"}
    assert rig.options("axis", "strike") == ("nelson", "warspite", "eagle")
    assert rig.refused("axis", "strike", "hood").rule == "9.5"
    rig.dice(5, 6, 6, 4, 3)
    rig.do("axis", "strike", "nelson", "warspite", "eagle")

    assert wounds_of(rig) == {
        "nelson": ("malta", 0),
        "warspite": ("malta", 4),
        "eagle": ("sunk", 3),
    }


def test_9_1_the_switch_makes_failed_movers_targets() -> None:
    """9.5, R19 With the option Hood, back by a failed roll, may be struck; Nelson, back disabled,
    may not."""
    rig = battle(
        "malta",
        ["nelson", "hood"],
        air={"axis": "malta"},
        changes={"hood": {"failed": True}, "nelson": {"disabled": True}},
        options={"opt_airstrike_failed_movers": True},
    )
    assert rig.options("axis", "strike") == ("hood",)
