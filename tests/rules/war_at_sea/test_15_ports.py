"""15.1-15.5 Ports and repair."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.rules.war_at_sea.charts import NA, NS, chart, happened, pass_on, place, quiet, seas
from warledger.engine.games.war_at_sea.movement import Repaired
from warledger.engine.games.war_at_sea.turns import FranceClosed
from warledger.engine.games.war_at_sea.victory import Scored
from warledger.protocol.board.choices import Choices

# --- 15.1 -----------------------------------------------------------------------------------------


def test_15_1_no_repair_after_a_failed_roll_and_none_in_south_america() -> None:
    """15.1, R9, R38 (E60) A failed mover is not repaired; the neutral port repairs nothing."""
    rig = chart(
        "allied_sail",
        {"repulse": "england", "hood": "south_america", "renown": "england"},
        damage={"repulse": 1, "hood": 1},
        changes={"repulse": {"failed": True, "path": ("north_sea", "barents_sea")}},
    )

    assert rig.refused("allied", "repair").key == "refusal.war_at_sea.none_to_repair"
    assert "repair" not in rig.options("allied")


def test_15_1_repair_comes_before_the_marker_strikes() -> None:
    """15.1, 9.1, R38 (E60) Repaired to zero, then struck from the air in port: the new damage
    stays."""
    rig = chart("axis_sail", {"scharnhorst": "germany"}, turn=2, damage={"scharnhorst": 2})
    rig.do("axis", "repair", "scharnhorst", 2)
    assert happened(rig, Repaired) == [Repaired("scharnhorst", "germany", 2)]
    rig.do("axis", "done")
    rig.do("allied", "place", "germany")
    rig.do("axis", "pass")
    rig.dice(6, 3)
    rig.do("allied", "strike", "scharnhorst")

    assert rig.state.ships["scharnhorst"].damage == 3
    assert place(rig, "scharnhorst") == "germany"


def test_15_1_repair_and_sailing_from_one_port() -> None:
    """15.1, 15.2 England repairs Nelson by five and Hood by three, eight in all; undamaged Rodney
    and damaged Renown sail."""
    fleet = ("nelson", "rodney", "hood", "renown")
    rig = chart(
        "allied_sail",
        dict.fromkeys(fleet, "england"),
        turn=2,
        damage={"nelson": 5, "hood": 4, "renown": 1},
    )
    rig.do("allied", "repair", "nelson", 5, "hood", 3)

    assert rig.refused("allied", "repair", "renown", 1).rule == "15.1"
    assert rig.refused("allied", "sail", "hood", NS).rule == "15.1"
    rig.do("allied", "sail", "rodney", "renown", NS)
    assert [rig.state.ships[ship].damage for ship in fleet] == [0, 0, 1, 1]


def test_15_1_a_repaired_ship_stays_and_a_moved_one_is_not_repaired() -> None:
    """15.1, R38 Only ships that do not move this turn are repaired; damaged ships may sail."""
    rig = chart(
        "allied_sail", {"hood": "england", "renown": "england"}, damage={"hood": 2, "renown": 1}
    )

    rig.do("allied", "repair", "hood", 1)
    assert rig.refused("allied", "sail", "hood").rule == "15.1"
    rig.do("allied", "sail", "renown", "north_sea")
    assert rig.refused("allied", "repair", "renown").rule == "15.1"
    rig.do("allied", "repair", "hood", 1)
    assert rig.state.ships["hood"].damage == 0


# --- 15.2 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "repairs",
    [
        (("bismarck", 3),),
        (("bismarck", 2), ("lutzow", 1)),
        (("bismarck", 1), ("lutzow", 1)),
        (("lutzow", 1),),
    ],
)
def test_15_2_repairs_are_split_freely(repairs: tuple[tuple[str, int], ...]) -> None:
    """15.1, 15.2, R59 (E60) France removes three points a turn, split freely; points may go
    unused."""
    rig = chart(
        "axis_sail",
        {"bismarck": "france", "lutzow": "france"},
        turn=3,
        damage={"bismarck": 4, "lutzow": 1},
    )

    rig.do("axis", "repair", *(pick for pair in repairs for pick in pair))
    assert happened(rig, Repaired) == [Repaired(ship, "france", points) for ship, points in repairs]
    for ship, points in repairs:
        assert rig.state.ships[ship].damage == {"bismarck": 4, "lutzow": 1}[ship] - points


def test_15_2_not_more_than_the_port_can() -> None:
    """15.2, R59 (E60) 3 + 1 is too much, in one command or two; so is more than the ship's
    damage."""
    rig = chart(
        "axis_sail",
        {"bismarck": "france", "lutzow": "france"},
        turn=3,
        damage={"bismarck": 4, "lutzow": 1},
    )

    assert rig.refused("axis", "repair", "bismarck", 4).rule == "15.2"
    assert rig.refused("axis", "repair", "bismarck", 3, "lutzow").rule == "15.2"
    assert rig.refused("axis", "repair", "lutzow", 2).rule == "15.2"
    rig.do("axis", "repair", "bismarck", 2)
    rig.do("axis", "repair", "bismarck", 1)
    assert rig.refused("axis", "repair").rule == "15.1", "nothing is left to repair with"


def test_15_2_each_port_has_its_own_value_and_it_is_fresh_every_turn() -> None:
    """15.2 England 8, Malta 2; what one port used does not touch the other, and next turn all of it
    is there again."""
    rig = chart(
        "allied_sail",
        {"nelson": "england", "rodney": "england", "warspite": "malta", "hood": "south_america"},
        turn=2,
        damage={"nelson": 5, "rodney": 5, "warspite": 4, "hood": 1},
    )
    assert rig.refused("allied", "repair", "hood").rule == "15.2"
    assert rig.refused("allied", "repair", "nelson", 5, "rodney", 4).rule == "15.2"
    rig.do("allied", "repair", "nelson", 5, "rodney", 3, "warspite", 2)
    assert [rig.state.ships[name].damage for name in ("nelson", "rodney", "warspite")] == [0, 2, 2]
    rig.do("allied", "sail", "hood", "south_atlantic")
    quiet(rig, 3)

    rig.do("allied", "repair", "rodney", 2, "warspite", 2)
    assert [rig.state.ships[name].damage for name in ("rodney", "warspite")] == [0, 0]


@pytest.mark.parametrize(
    ("ship", "port", "damage", "most"),
    [
        ("nelson", "england", 5, 5),
        ("nelson", "malta", 5, 2),
        ("nelson", "russia", 5, 1),
        ("nelson", "usa", 5, 5),
        ("marat", "leningrad", 3, 1),
        ("convoy_1a", "usa", 4, 4),
        ("bismarck", "germany", 9, 8),
        ("bismarck", "france", 9, 3),
        ("bismarck", "italy", 9, 4),
        ("littorio", "italy", 6, 4),
    ],
)
def test_15_2_what_each_port_can_repair(ship: str, port: str, damage: int, most: int) -> None:
    """15.1, 15.2, 15.3 From one point to the lesser of damage and repair value; one more is refused
    with the clause."""
    seat = "axis" if ship in ("bismarck", "littorio") else "allied"
    rig = chart(f"{seat}_sail", {ship: port}, turn=5, damage={ship: damage})
    offered = rig.choices(seat, "repair", ship)

    assert isinstance(offered, Choices) and offered.span == (1, most)
    assert rig.refused(seat, "repair", ship, most + 1).rule == "15.2"
    rig.do(seat, "repair", ship, most)
    assert happened(rig, Repaired) == [Repaired(ship, port, most)]
    assert rig.state.ships[ship].damage == damage - most


def test_15_2_a_crippled_bismarck_takes_two_turns() -> None:
    """7.6, 10.5, 15.1 Nine points: gunnery 1, speed 1. Eight repaired: gunnery 4, speed 5, still no
    bonus, and it stays. Next turn the ninth."""
    rig = chart("axis_sail", {"bismarck": "germany"}, turn=3, damage={"bismarck": 9})
    ship = rig.state.ships["bismarck"]
    assert (ship.gunnery_now, ship.speed_now, ship.bonus_now) == (1, 1, 0)
    rig.do("axis", "repair", "bismarck", 8)
    ship = rig.state.ships["bismarck"]
    assert (ship.gunnery_now, ship.speed_now, ship.bonus_now) == (4, 5, 0)
    assert rig.refused("axis", "sail", "bismarck").rule == "15.1"
    rig.do("axis", "done")
    rig.dice(*[1] * 12)
    pass_on(rig, "sail")
    if "allied" in rig.asked():
        rig.do("allied", "done")

    rig.do("axis", "repair", "bismarck", 1)
    assert rig.state.ships["bismarck"].bonus_now == 1


# --- 15.3 -----------------------------------------------------------------------------------------


def test_15_3_the_usa_is_open_from_turn_1() -> None:
    """15.3 British ships may enter the USA and be repaired there before the Americans join."""
    rig = chart("allied_sail", {"hood": "usa"}, turn=2, damage={"hood": 1})

    rig.do("allied", "repair", "hood", 1)
    assert rig.state.ships["hood"].damage == 0


def test_15_3_16_3_seas_of_every_nation() -> None:
    """6.4, 13.1, 16.1 – 16.3 Every end of movement of one ship of each nation, from its own country
    on turn 4 without markers."""
    allied = chart(
        "allied_sail",
        {"hood": "england", "texas": "usa", "marat": "leningrad", "convoy_1a": "usa"},
        turn=4,
        changes={"marat": {"may_sail": True}},
    )
    axis = chart(
        "axis_sail", {"scharnhorst": "germany", "littorio": "italy", "zara": "italy"}, turn=4
    )

    assert seas(allied, "allied", "hood") == {
        "england",
        "north_sea",
        "north_atlantic",
        "south_atlantic",
        "barents_sea",
        "mediterranean",
    }
    assert seas(allied, "allied", "texas") == {"usa", "north_atlantic"}
    assert seas(allied, "allied", "marat") == {"leningrad", "baltic_sea"}
    assert seas(allied, "allied", "convoy_1a") == {"usa", "north_atlantic"}
    assert seas(axis, "axis", "scharnhorst") == {
        "germany",
        "baltic_sea",
        "north_sea",
        "barents_sea",
        "north_atlantic",
        "south_atlantic",
    }
    assert seas(axis, "axis", "littorio") == {"italy", "mediterranean"}
    assert seas(axis, "axis", "zara") == {"italy", "mediterranean", "south_atlantic"}


@pytest.mark.parametrize(
    ("turn", "options", "ports"),
    [
        (1, {}, {"england", "usa"}),
        (3, {}, {"england", "usa"}),
        (4, {"v18_5_usa_closed_before_t4": True}, {"england", "usa"}),
    ],
)
def test_15_3_18_5_returns_from_the_north_atlantic(
    turn: int, options: Mapping[str, Any], ports: set[str]
) -> None:
    """15.3, 18.5 (E72) The USA is open from turn 1, or with the variant from turn 4."""
    rig = chart(
        "axis_return_without_choice", {"hood": "north_atlantic"}, turn=turn, options=options
    )

    assert set(rig.options("allied", "return")) - {"hood"} == ports


def test_15_3_a_crippled_british_ship_goes_to_the_usa() -> None:
    """7.6, 15.1, 15.2, 15.3 Nelson, crippled, returns from the North Atlantic to the USA on turn 1
    and is repaired there on turn 2."""
    rig = chart("control", {"nelson": NA}, turn=1, damage={"nelson": 5})
    rig.do("allied", "return", "usa")
    assert rig.state.turn == 2
    offered = rig.choices("allied", "repair", "nelson")
    assert isinstance(offered, Choices) and offered.span == (1, 5)
    rig.do("allied", "repair", "nelson", 5)

    ship = rig.state.ships["nelson"]
    assert (ship.damage, ship.gunnery_now, ship.speed_now) == (0, 5, 3)


# --- 15.4 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turn", "open_"), [(1, False), (2, True), (6, True), (7, False), (8, False)]
)
def test_15_4_when_france_is_open(turn: int, open_: bool) -> None:
    """15.4, R36 (E61) Axis warships may use France on turns 2 to 6."""
    rig = chart("deploy", {"scharnhorst": "north_atlantic"}, turn=turn)

    assert rig.state.may_enter_port(rig.state.ships["scharnhorst"], "france") is open_


def test_15_4_france_closes_on_turn_7() -> None:
    """15.4, R36 (E61) Axis warships there, Italians too, are removed before anything moves."""
    rig = chart(
        "begin_turn", {"scharnhorst": "france", "zara": "france", "lutzow": "germany"}, turn=6
    )

    assert happened(rig, FranceClosed) == [FranceClosed(("scharnhorst", "zara"))]
    assert (place(rig, "scharnhorst"), place(rig, "lutzow")) == ("removed", "germany")


def test_15_4_what_returns_to_france_on_turn_6_is_lost() -> None:
    """15.4, R30, R36 A German ship in the North Atlantic may still choose France on turn 6, and is
    removed when turn 7 begins."""
    rig = chart("control", {"scharnhorst": "north_atlantic", "lutzow": "north_sea"}, turn=6)
    rig.do("axis", "return", "scharnhorst", "france")

    assert happened(rig, FranceClosed) == [FranceClosed(("scharnhorst",))]
    assert (place(rig, "scharnhorst"), place(rig, "lutzow")) == ("removed", "germany")


@pytest.mark.parametrize(("turn", "place_then"), [(6, "removed"), (7, "removed"), (5, "france")])
def test_15_4_an_italian_cruiser_far_from_home(turn: int, place_then: str) -> None:
    """12.3, 15.4, 17.1, R30, R36 Zara holds the North Atlantic for three points in any case. On
    turn 5 France takes it; on turn 6 too, and it is removed when turn 7 begins; on turn 7 it has no
    port."""
    rig = chart("control", {"zara": NA}, turn=turn)

    assert happened(rig, Scored) == [Scored(turn, (0, 0, 0), (3, 0, 0), 3)]
    assert [event.ships for event in happened(rig, FranceClosed)] == (
        [("zara",)] if turn == 6 else []
    )
    assert place(rig, "zara") == place_then
