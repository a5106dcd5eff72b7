"""9.2-9.5 Airstrikes."""

from typing import Any

import pytest

from tests.rules.war_at_sea.charts import CONVOY, NA, chart, happened, place
from tests.rules.war_at_sea.waters import battle, port_rig, wounds_of
from warledger.engine.games.war_at_sea.airstrikes import (
    AirReturned,
    air_targets,
    airstrike_strength,
)
from warledger.engine.games.war_at_sea.volley import ShipDamaged, ShipDisabled, ShipSunk, Shot

ITALIANS = (
    "littorio",
    "vittorio_veneto",
    "andrea_doria",
    "caio_duilio",
    "conte_di_cavour",
    "giulio_cesare",
)


# --- 9.2 ------------------------------------------------------------------------------------------


def test_9_2_marker_and_carrier_together() -> None:
    """9.2, R20 (E26) Marker 3 and Eagle 1 in the Mediterranean against six Italians: four different
    targets, four dice."""
    rig = battle("mediterranean", ["eagle"], ITALIANS, air={"allied": "mediterranean"})

    refusal = rig.refused("allied", "strike", *ITALIANS[:5])
    assert (refusal.rule, refusal.key) == ("9.3", "refusal.war_at_sea.strength_spent")
    rig.dice(1, 1, 1, 1)
    rig.do("allied", "strike", *ITALIANS[:4])
    assert [shot.target for shot in happened(rig, Shot)] == list(ITALIANS[:4])


def test_9_2_earlier_loss_counts() -> None:
    """7.1, R16 (E28) Ark Royal took 2 from a U-boat this turn: it adds nothing to the airstrike."""
    rig = battle("north_sea", ["ark_royal"], ["scharnhorst"], boats=1)

    rig.do("allied", "hold_fire")
    rig.dice(6, 2)
    rig.do("axis", "torpedo", "ark_royal")
    assert airstrike_strength(rig.state, "allied", "north_sea") == 0
    assert rig.asked() == {"axis": "prompt.war_at_sea.name_targets"}


def test_9_2_no_protection_in_the_air() -> None:
    """9.2, R20 A convoy and a carrier are ordinary targets of an airstrike."""
    rig = battle(
        "barents_sea", ["norfolk", "ark_royal", "convoy_1a"], [], air={"axis": "barents_sea"}
    )

    assert rig.options("axis", "strike") == ("norfolk", "ark_royal", "convoy_1a")


def test_9_2_R43_hidden_ships_may_be_carriers() -> None:
    """18.2, R43 Whether face-down ships hold a carrier shows neither in the places due nor before
    the place is fought."""
    seen = []
    for ship in ("ark_royal", "nelson"):
        rig = battle(
            "north_sea",
            [ship],
            ["scharnhorst"],
            options={"v18_2_hidden_allied_movement": True},
            changes={
                ship: {"down": True},
                "littorio": {"place": "mediterranean"},
                "warspite": {"place": "mediterranean", "down": True},
            },
        )
        assert rig.state.ships[ship].down
        seen.append((rig.asked(), rig.options("axis")))
    assert seen == [({"axis": "prompt.war_at_sea.air_order"}, ("north_sea", "mediterranean"))] * 2
    rig.do("axis", "north_sea")
    assert not rig.state.ships["nelson"].down


def test_9_2_graf_zeppelin_and_the_marker_together() -> None:
    """9.2, R20 (E27) Strength 2 and 3 in one sea make five targets; elsewhere each has its own."""
    british = ["hood", "renown", "repulse", "nelson", "rodney", "norfolk"]
    rig = battle("north_sea", british, ["graf_zeppelin"], turn=4, air={"axis": "north_sea"})

    assert airstrike_strength(rig.state, "axis", "north_sea") == 5
    assert rig.refused("axis", "strike", *british).rule == "9.3"
    rig.dice(1, 1, 1, 1, 1)
    rig.do("axis", "strike", *british[:5])
    assert [shot.plus for shot in happened(rig, Shot)] == [0] * 5


def test_9_2_graf_zeppelin_damaged_but_not_crippled() -> None:
    """7.6, 10.5 One point of damage: it still strikes with 2, and its gun has lost the bonus."""
    rig = battle("north_sea", ["hood"], ["graf_zeppelin"], turn=4, damage={"graf_zeppelin": 1})
    ship = rig.state.ships["graf_zeppelin"]

    assert (ship.airstrike_now, ship.gunnery_now, ship.speed_now, ship.bonus_now) == (2, 1, 6, 0)


@pytest.mark.parametrize(("damage", "strength"), [(0, 2), (1, 2), (2, 2), (3, 0)])
def test_9_2_only_a_crippled_carrier_loses_its_strike(damage: int, strength: int) -> None:
    """7.6, 9.2 Formidable, armor 3, strikes with 2 until its damage equals its armor."""
    rig = battle("north_sea", ["formidable"], ["lutzow"], damage={"formidable": damage})

    assert airstrike_strength(rig.state, "allied", "north_sea") == strength
    assert (rig.asked().get("allied") == "prompt.war_at_sea.airstrike") is (strength > 0)


def test_9_2_a_carrier_strikes_only_its_own_area() -> None:
    """9.2 A carrier elsewhere adds nothing, and one in port neither."""
    rig = battle(
        "north_sea",
        ["hood"],
        ["scharnhorst"],
        changes={"ark_royal": {"place": "north_atlantic"}, "courageous": {"place": "england"}},
    )

    assert airstrike_strength(rig.state, "allied", "north_sea") == 0
    assert airstrike_strength(rig.state, "allied", "england") == 0
    assert rig.asked() == {"allied": "prompt.war_at_sea.name_targets"}


def test_9_2_a_crippled_carrier_with_a_marker_leaves_the_marker() -> None:
    """7.6, 9.2 Graf Zeppelin crippled adds nothing to the marker's three, and fires one die without
    the bonus."""
    rig = battle(
        "north_sea",
        ["hood", "nelson"],
        ["graf_zeppelin"],
        turn=4,
        air={"axis": "north_sea"},
        damage={"graf_zeppelin": 2},
    )
    ship = rig.state.ships["graf_zeppelin"]

    assert airstrike_strength(rig.state, "axis", "north_sea") == 3
    assert (ship.airstrike_now, ship.gunnery_now, ship.speed_now, ship.bonus_now) == (0, 1, 5, 0)


# --- 9.3 allies strike first, then the Axis -------------------------------------------------------


def test_9_3_excess_strength_is_wasted() -> None:
    """9.2, 9.3 (E25) Strength 5 against three ships: three dice at most, one a ship; naming one
    twice is refused."""
    rig = battle(
        "north_sea", ["ark_royal", "courageous"], ["scharnhorst", "gneisenau", "admiral_hipper"]
    )

    assert airstrike_strength(rig.state, "allied", "north_sea") == 5
    refusal = rig.refused("allied", "strike", "scharnhorst", "scharnhorst")
    assert (refusal.rule, refusal.key) == ("9.3", "refusal.war_at_sea.one_die_each_target")
    assert rig.options("allied", "strike", "scharnhorst", "gneisenau", "admiral_hipper") == ()
    rig.dice(1, 1, 1)
    rig.do("allied", "strike", "scharnhorst", "gneisenau", "admiral_hipper")
    assert len(happened(rig, Shot)) == 3


def test_9_3_an_airstrike_may_strike_fewer_and_each_side_strikes_what_was_there() -> None:
    """9.3, 9.4, R20 Both strikes are named on the ships as they were; then all takes effect, and
    survivors fight on the surface."""
    rig = battle("north_sea", ["ark_royal", "hood"], ["graf_zeppelin", "admiral_hipper"], turn=4)
    rig.dice(5, 6, 2)
    rig.do("allied", "strike", "graf_zeppelin", "admiral_hipper")
    rig.dice(6, 1)
    rig.do("axis", "strike", "ark_royal")

    assert happened(rig, ShipDisabled) == [ShipDisabled("graf_zeppelin", "germany")]
    assert happened(rig, ShipDamaged) == [
        ShipDamaged("admiral_hipper", 2),
        ShipDamaged("ark_royal", 1),
    ]
    assert rig.state.ships["ark_royal"].place == "north_sea"
    assert rig.asked() == {"allied": "prompt.war_at_sea.name_targets"}


# --- 9.4 one round only ---------------------------------------------------------------------------


def test_9_4_no_bonus_in_the_air() -> None:
    """9.4, 10.5 (E30) Graf Zeppelin, undamaged, rolls 4 and 5 on two targets: a miss and a
    disable."""
    rig = battle("north_sea", ["hood", "renown"], ["graf_zeppelin"], turn=4)

    rig.dice(4, 5)
    rig.do("axis", "strike", "hood", "renown")
    assert happened(rig, ShipDisabled) == [ShipDisabled("renown", "england")]
    assert rig.state.ships["hood"].place == "north_sea"


def test_9_4_both_strikes_are_simultaneous() -> None:
    """9.4, R20 A carrier sunk by the Allied strike still strikes back; then everything takes
    effect."""
    rig = battle("north_sea", ["ark_royal"], ["graf_zeppelin"], turn=4)

    rig.dice(6, 6)
    rig.do("allied", "strike", "graf_zeppelin")
    assert rig.state.ships["graf_zeppelin"].place == "north_sea"
    assert rig.asked() == {"axis": "prompt.war_at_sea.airstrike"}
    rig.dice(6, 6)
    rig.do("axis", "strike", "ark_royal")
    assert {event.ship for event in happened(rig, ShipSunk)} == {"graf_zeppelin", "ark_royal"}


def test_9_4_the_marker_returns_after_its_strike() -> None:
    """9.4 The marker goes back to its owner, also when the strike was withheld (R18) or had no
    target."""
    rig = battle(
        "mediterranean", [], ["littorio"], air={"allied": "mediterranean", "axis": "barents_sea"}
    )

    rig.do("allied", "hold_fire")
    assert happened(rig, AirReturned) == [AirReturned("allied"), AirReturned("axis")]
    assert dict(rig.state.air) == {"allied": "", "axis": ""}


def test_9_4_carriers_that_sink_each_other() -> None:
    """9.2 – 9.4, R20 3 + 2 + 3 against two targets: two dice. Both are sunk; Graf Zeppelin's two
    dice still cripple one carrier and drive off the other. Ark Royal is left, and controls."""
    rig = battle(
        "north_sea",
        ["ark_royal", "courageous"],
        ["scharnhorst", "graf_zeppelin"],
        turn=4,
        air={"allied": "north_sea"},
    )
    assert airstrike_strength(rig.state, "allied", "north_sea") == 8
    rig.dice(6, 6, 6, 3)
    rig.do("allied", "strike", "scharnhorst", "graf_zeppelin")
    rig.dice(6, 5, 2)
    rig.do("axis", "strike", "ark_royal", "courageous")

    assert wounds_of(rig) == {
        "ark_royal": ("north_sea", 2),
        "courageous": ("england", 0),
        "scharnhorst": ("sunk", 6),
        "graf_zeppelin": ("sunk", 3),
    }
    assert rig.state.control["north_sea"] == "allied"


def test_9_4_an_airstrike_that_empties_the_sea() -> None:
    """7.5, 10.1, A.3 Ark Royal strikes Scheer and Spee in the South Atlantic: one is disabled and
    must go to South America though France is open, one is sunk and disabled by nobody. No surface
    combat follows."""
    rig = battle("south_atlantic", ["ark_royal"], ["admiral_scheer", "graf_spee"], turn=3)
    rig.dice(5, 6, 3)
    rig.do("allied", "strike", "admiral_scheer", "graf_spee")

    assert wounds_of(rig) == {"admiral_scheer": ("south_america", 0), "graf_spee": ("sunk", 3)}
    assert rig.state.control["south_atlantic"] == "allied"


# --- 9.5 what is no target for an airstrike -------------------------------------------------------


def test_9_5_protected_targets_are_not_struck() -> None:
    """9.5, R19 (E29) In Germany only Scharnhorst, which stayed, may be struck: not the failed
    mover, the disabled ship, the boats."""
    rig = port_rig()

    assert rig.options("allied", "strike") == ("scharnhorst",)
    for ship in ("lutzow", "admiral_hipper"):
        refusal = rig.refused("allied", "strike", ship)
        assert (refusal.rule, refusal.key) == ("9.5", "refusal.war_at_sea.back_in_port")
    refusal = rig.refused("allied", "strike", "uboat_1")
    assert (refusal.rule, refusal.key) == ("9.5", "refusal.war_at_sea.uboat_no_air_target")
    rig.dice(6, 2)
    rig.do("allied", "strike", "scharnhorst")
    assert rig.state.ships["scharnhorst"].damage == 2


def test_9_5_option_failed_movers_may_be_struck() -> None:
    """9.5, R19 With the option a ship back from a failed move is a target; a disabled one never
    is."""
    rig = port_rig(opt_airstrike_failed_movers=True)

    assert rig.options("allied", "strike") == ("scharnhorst", "lutzow")


def test_9_5_no_strike_in_the_neutral_port() -> None:
    """15.5 No airstrike happens in the neutral port."""
    rig = battle("south_america", ["hood"], ["scharnhorst"])

    assert air_targets(rig.state, "allied", "south_america") == ()
    assert rig.state.fight is None


@pytest.mark.parametrize(
    ("side", "place", "ship", "changes", "struck"),
    [
        ("allied", "germany", "scharnhorst", {}, True),
        ("allied", "germany", "scharnhorst", {"repaired": True}, True),
        ("allied", "germany", "scharnhorst", {"path": ("germany",)}, True),
        ("allied", "germany", "scharnhorst", {"failed": True}, False),
        ("allied", "germany", "scharnhorst", {"disabled": True}, False),
        ("allied", "italy", "lutzow", {}, True),
        ("allied", "france", "zara", {}, True),
        ("axis", "malta", "eagle", {}, True),
        ("axis", "malta", "eagle", {"failed": True}, False),
        ("axis", "leningrad", "marat", {}, True),
        ("axis", "russia", "hood", {"disabled": True}, False),
    ],
)
def test_9_5_who_is_struck_in_port(
    side: str, place: str, ship: str, changes: dict[str, Any], struck: bool
) -> None:
    """9.1, 9.5, R19 (E29, E31) All that lie there, whatever their nation, but those back by a
    failed move or disabled."""
    rig = battle(
        place, [], [], turn=4, air={side: place}, changes={ship: {"place": place, **changes}}
    )

    assert air_targets(rig.state, side, place) == ((ship,) if struck else ())
    assert (rig.asked() == {side: "prompt.war_at_sea.airstrike"}) is struck


def test_9_5_disabled_at_sea_by_a_u_boat_is_safe_from_the_marker_in_its_port() -> None:
    """7.3, 9.5 Nelson, sent to Malta by a U-boat this turn, cannot be struck there."""
    rig = battle(
        "mediterranean",
        ["nelson"],
        boats=1,
        air={"axis": "malta"},
        changes={"eagle": {"place": "malta"}},
    )
    rig.do("allied", "hold_fire")
    rig.dice(5)
    rig.do("axis", "torpedo", "nelson")

    assert rig.options("axis", "strike") == ("eagle",)
    assert rig.refused("axis", "strike", "nelson").rule == "9.5"


def test_9_5_a_marker_alone_contests_nothing() -> None:
    """9.4, 12.1 The Axis marker drives the convoy off and misses Hood: Hood controls the Barents
    Sea, aircraft cancel nothing."""
    rig = battle("barents_sea", ["hood", CONVOY], turn=4, air={"axis": "barents_sea"})
    rig.dice(2, 5)
    rig.do("axis", "strike", "hood", CONVOY)

    assert wounds_of(rig) == {CONVOY: ("usa", 0)}
    assert rig.state.control["barents_sea"] == "allied"
    assert rig.state.air == {"allied": "", "axis": ""}


def test_9_5_a_ship_that_sailed_into_port_is_a_target() -> None:
    """9.5, 14.4 Lützow came from the sea into Germany by its own movement: it neither failed nor
    was disabled, and may be struck."""
    rig = chart(
        "axis_sail", {"lutzow": NA, "hood": "england"}, turn=2, changes={"lutzow": {"free": True}}
    )
    rig.do("axis", "sail", "lutzow", "germany")
    rig.do("axis", "done")
    rig.do("allied", "place", "germany")
    rig.do("axis", "pass")
    assert rig.options("allied", "strike") == ("lutzow",)
    rig.dice(6, 2)
    rig.do("allied", "strike", "lutzow")

    assert (place(rig, "lutzow"), rig.state.ships["lutzow"].damage) == ("germany", 2)
