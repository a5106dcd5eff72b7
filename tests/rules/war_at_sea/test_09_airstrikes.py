"""9.2-9.5 Airstrikes."""

from engine.games.war_at_sea.airstrikes import air_targets, airstrike_strength
from engine.games.war_at_sea.combat_events import Shot
from engine.games.war_at_sea.events import AirReturned, ShipDisabled, ShipSunk
from tests.rules.war_at_sea.waters import battle, happened

ITALIANS = ("littorio", "vittorio_veneto", "andrea_doria", "caio_duilio", "conte_di_cavour", "giulio_cesare")


def test_9_3_e25_excess_strength_is_wasted() -> None:
    """9.2, 9.3 (E25) Strength 5 against three ships: three dice at most, one a ship; naming one twice is refused."""
    rig = battle("north_sea", ["ark_royal", "courageous"], ["scharnhorst", "gneisenau", "admiral_hipper"])

    assert airstrike_strength(rig.state, "allied", "north_sea") == 5
    refusal = rig.refused("allied", "strike", "scharnhorst", "scharnhorst")
    assert (refusal.rule, refusal.key) == ("9.3", "refusal.war_at_sea.one_die_each_target")
    assert rig.options("allied", "strike", "scharnhorst", "gneisenau", "admiral_hipper") == ()
    rig.dice(1, 1, 1)
    rig.do("allied", "strike", "scharnhorst", "gneisenau", "admiral_hipper")
    assert len(happened(rig, Shot)) == 3


def test_9_2_e26_marker_and_carrier_together() -> None:
    """9.2, R20 (E26) Marker 3 and Eagle 1 in the Mediterranean against six Italians: four different targets, four dice."""
    rig = battle("mediterranean", ["eagle"], ITALIANS, air={"allied": "mediterranean"})

    refusal = rig.refused("allied", "strike", *ITALIANS[:5])
    assert (refusal.rule, refusal.key) == ("9.3", "refusal.war_at_sea.strength_spent")
    rig.dice(1, 1, 1, 1)
    rig.do("allied", "strike", *ITALIANS[:4])
    assert [shot.target for shot in happened(rig, Shot)] == list(ITALIANS[:4])


def test_9_2_a_carrier_strikes_only_its_own_area() -> None:
    """9.2 A carrier elsewhere adds nothing, and one in port neither."""
    rig = battle(
        "north_sea", ["hood"], ["scharnhorst"], changes={"ark_royal": {"place": "north_atlantic"}, "courageous": {"place": "england"}}
    )

    assert airstrike_strength(rig.state, "allied", "north_sea") == 0
    assert airstrike_strength(rig.state, "allied", "england") == 0
    assert rig.asked() == {"allied": "prompt.war_at_sea.name_targets"}


def test_9_2_e28_earlier_loss_counts() -> None:
    """7.1, R16 (E28) Ark Royal took 2 from a U-boat this turn: it adds nothing to the airstrike."""
    rig = battle("north_sea", ["ark_royal"], ["scharnhorst"], boats=1)

    rig.do("allied", "hold_fire")
    rig.dice(6, 2)
    rig.do("axis", "torpedo", "ark_royal")
    assert airstrike_strength(rig.state, "allied", "north_sea") == 0
    assert rig.asked() == {"axis": "prompt.war_at_sea.name_targets"}


def port_rig(**options: bool):  # type: ignore[no-untyped-def]
    """The position of E29."""
    return battle(
        "germany",
        [],
        ["scharnhorst"],
        boats=2,
        air={"allied": "germany"},
        changes={
            "lutzow": {"place": "germany", "failed": True, "rolled": True},
            "admiral_hipper": {"place": "germany", "disabled": True},
        },
        options=options,
    )


def test_9_5_e29_protected_targets() -> None:
    """9.5, R19 (E29) In Germany only Scharnhorst, which stayed, may be struck: not the failed mover, the disabled ship, the boats."""
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
    """9.5, R19 With the option a ship back from a failed move is a target; a disabled one never is."""
    rig = port_rig(opt_airstrike_failed_movers=True)

    assert rig.options("allied", "strike") == ("scharnhorst", "lutzow")


def test_9_5_no_strike_in_the_neutral_port() -> None:
    """15.5 No airstrike happens in the neutral port."""
    rig = battle("south_america", ["hood"], ["scharnhorst"])

    assert air_targets(rig.state, "allied", "south_america") == ()
    assert rig.state.fight is None


def test_9_4_e30_no_bonus_in_the_air() -> None:
    """9.4, 10.5 (E30) Graf Zeppelin, undamaged, rolls 4 and 5 on two targets: a miss and a disable."""
    rig = battle("north_sea", ["hood", "renown"], ["graf_zeppelin"], turn=4)

    rig.dice(4, 5)
    rig.do("axis", "strike", "hood", "renown")
    assert happened(rig, ShipDisabled) == [ShipDisabled("renown", "england")]
    assert rig.state.ships["hood"].place == "north_sea"


def test_9_4_both_strikes_are_simultaneous() -> None:
    """9.4, R20 A carrier sunk by the Allied strike still strikes back; then everything takes effect."""
    rig = battle("north_sea", ["ark_royal"], ["graf_zeppelin"], turn=4)

    rig.dice(6, 6)
    rig.do("allied", "strike", "graf_zeppelin")
    assert rig.state.ships["graf_zeppelin"].place == "north_sea"
    assert rig.asked() == {"axis": "prompt.war_at_sea.airstrike"}
    rig.dice(6, 6)
    rig.do("axis", "strike", "ark_royal")
    assert {event.ship for event in happened(rig, ShipSunk)} == {"graf_zeppelin", "ark_royal"}


def test_9_4_the_marker_returns_after_its_strike() -> None:
    """9.4 The marker goes back to its owner, also when the strike was withheld (R18) or had no target."""
    rig = battle("mediterranean", [], ["littorio"], air={"allied": "mediterranean", "axis": "barents_sea"})

    rig.do("allied", "hold_fire")
    assert happened(rig, AirReturned) == [AirReturned("allied"), AirReturned("axis")]
    assert dict(rig.state.air) == {"allied": "", "axis": ""}


def test_9_2_no_protection_in_the_air() -> None:
    """9.2, R20 A convoy and a carrier are ordinary targets of an airstrike."""
    rig = battle("barents_sea", ["norfolk", "ark_royal", "convoy_1a"], [], air={"axis": "barents_sea"})

    assert rig.options("axis", "strike") == ("norfolk", "ark_royal", "convoy_1a")


def test_9_1_an_area_with_only_boats_has_no_targets() -> None:
    """9.5, R51 A marker over U-boats alone strikes nothing."""
    rig = battle("north_sea", [], [], boats=2, air={"allied": "north_sea"})

    assert happened(rig, Shot) == []
    assert rig.state.fight is None


def test_9_2_r43_hidden_ships_may_be_carriers() -> None:
    """18.2, R43 Whether face-down ships hold a carrier shows neither in the places due nor before the place is fought."""
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
