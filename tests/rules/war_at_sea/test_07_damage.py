"""Chapter 7: what dice do to ships."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from tests.rules.war_at_sea.charts import BAR, MED, NA, NS, SA, chart, happened, place
from tests.rules.war_at_sea.waters import battle, fleet, hold, hold_fire, wounds_of, write_escape
from warledger.engine.games.war_at_sea.damage import (
    AFLOAT,
    DISABLED,
    SUNK,
    Toll,
    chances,
    disables,
    fate,
    hits,
    toll,
    total,
)
from warledger.engine.games.war_at_sea.homing import Returned
from warledger.engine.games.war_at_sea.ports import disabled_destinations, return_destinations
from warledger.engine.games.war_at_sea.volley import (
    FireHeld,
    ShipDamaged,
    ShipDisabled,
    ShipSunk,
    Shot,
)

HOME: list[tuple[str, str, int, set[str], set[str], Mapping[str, Any]]] = [
    ("hood", "barents_sea", 1, {"england"}, {"england"}, {}),
    ("hood", "barents_sea", 2, {"england"}, {"england"}, {}),
    ("hood", "barents_sea", 3, {"russia"}, {"russia"}, {}),
    ("hood", "barents_sea", 8, {"russia"}, {"russia"}, {}),
    ("scharnhorst", "barents_sea", 3, {"germany"}, {"germany"}, {}),
    ("scharnhorst", "north_atlantic", 1, {"germany"}, {"germany"}, {}),
    ("scharnhorst", "north_atlantic", 2, {"germany", "france"}, {"germany", "france"}, {}),
    ("scharnhorst", "north_atlantic", 6, {"germany", "france"}, {"germany", "france"}, {}),
    ("scharnhorst", "north_atlantic", 7, {"germany"}, {"germany"}, {}),
    ("hood", "north_atlantic", 1, {"england", "usa"}, {"england", "usa"}, {}),
    ("malaya", "south_atlantic", 1, {"england", "south_america"}, {"south_america"}, {}),
    ("scharnhorst", "south_atlantic", 1, {"south_america"}, {"south_america"}, {}),
    ("scharnhorst", "south_atlantic", 4, {"france", "south_america"}, {"south_america"}, {}),
    ("zara", "south_atlantic", 1, {"south_america"}, {"south_america"}, {}),
    ("zara", "north_atlantic", 3, {"france"}, {"france"}, {}),
    ("zara", "north_atlantic", 7, set(), set(), {}),
    ("eagle", "mediterranean", 1, {"england", "malta"}, {"malta"}, {}),
    ("scharnhorst", "mediterranean", 1, {"italy"}, {"italy"}, {}),
    ("littorio", "mediterranean", 1, {"italy"}, {"italy"}, {}),
    ("scharnhorst", "north_sea", 1, {"germany"}, {"germany"}, {}),
    ("scharnhorst", "baltic_sea", 1, {"germany"}, {"germany"}, {}),
    ("hood", "north_sea", 1, {"england"}, {"england"}, {}),
    ("marat", "baltic_sea", 3, {"leningrad"}, {"leningrad"}, {}),
    ("texas", "north_atlantic", 4, {"usa"}, {"usa"}, {}),
    ("hood", "north_atlantic", 3, {"england"}, {"england"}, {"v18_5_usa_closed_before_t4": True}),
    (
        "hood",
        "north_atlantic",
        4,
        {"england", "usa"},
        {"england", "usa"},
        {"v18_5_usa_closed_before_t4": True},
    ),
    ("littorio", "mediterranean", 8, {"england", "malta"}, {"malta"}, {"taken": "uk"}),
    ("littorio", "north_atlantic", 8, {"germany"}, {"germany"}, {"taken": "de"}),
]

STRUCK: list[tuple[str, str, int, Mapping[str, Any], str]] = [
    ("malaya", SA, 3, {}, "south_america"),
    ("malaya", MED, 3, {}, "malta"),
    ("malaya", NS, 3, {}, "england"),
    ("malaya", BAR, 2, {}, "england"),
    ("malaya", BAR, 3, {}, "russia"),
    ("augusta", NA, 5, {}, "usa"),
    ("malaya", NA, 3, {"v18_5_usa_closed_before_t4": True}, "england"),
    ("convoy_1a", NA, 3, {"v18_5_usa_closed_before_t4": True}, "usa"),
]


# --- 7.2 combat runs in rounds --------------------------------------------------------------------


def test_7_2_a_side_may_hold_its_fire() -> None:
    """7.2 The Allies attack first, then the Axis, and either may choose not to; no die is rolled
    then."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])

    rig.do("allied", "hold_fire")
    assert happened(rig, FireHeld) == [FireHeld("allied", "surface")]
    assert rig.asked() == {"axis": "prompt.war_at_sea.name_targets"}
    rig.do("axis", "hold_fire")
    assert rig.asked().keys() == {"allied", "axis"}


# --- 7.3 each 5 disables the target ---------------------------------------------------------------


def test_7_3_the_owner_chooses_among_several_ports_at_once() -> None:
    """7.3, R12 A ship with more than one port open to it asks its owner, before anything else
    happens."""
    rig = battle("north_atlantic", ["norfolk", "suffolk"], ["scharnhorst"])

    rig.do("allied", "hold_fire")
    rig.dice(4, 4, 4)
    rig.do("axis", "fire", "scharnhorst", "norfolk")

    assert rig.asked() == {"allied": "prompt.war_at_sea.choose_port"}
    assert rig.options("allied", "retire") == ("england", "usa")
    refusal = rig.refused("allied", "retire", "malta")
    assert (refusal.rule, refusal.key) == ("7.3", "refusal.war_at_sea.not_a_port_for_disabled")
    rig.do("allied", "retire", "usa")
    assert rig.state.ships["norfolk"].place == "usa"
    assert rig.asked().keys() == {"allied", "axis"}


def test_7_3_both_sides_choose_ports_the_allies_first() -> None:
    """7.3, A.2, R4 With disabled ships of both sides waiting for a port, the Allied player chooses
    first."""
    rig = battle("north_atlantic", ["norfolk", "hood"], ["scharnhorst", "gneisenau"])

    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.dice(4, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "norfolk")

    assert rig.asked() == {"allied": "prompt.war_at_sea.choose_port"}
    rig.do("allied", "retire", "england")
    assert rig.asked() == {"axis": "prompt.war_at_sea.choose_port"}
    assert rig.options("axis", "retire") == ("germany", "france")
    rig.do("axis", "retire", "france")
    assert fleet(rig, "north_atlantic") == ("hood", "gneisenau")


@pytest.mark.parametrize(("ship", "area", "turn", "normal", "disabled", "special"), HOME)
def test_7_3_a_where_ships_go_home(
    ship: str,
    area: str,
    turn: int,
    normal: set[str],
    disabled: set[str],
    special: Mapping[str, Any],
) -> None:
    """7.3, 12.3, 15.3 – 15.5, 18.5, A.1 – A.4, R10 – R13 (E50, E52, E53, E72) Ports of a returning
    and of a disabled ship."""
    changes = {ship: {"nation": special["taken"]}} if "taken" in special else {}
    options = {key: value for key, value in special.items() if key != "taken"}
    rig = chart("deploy", {ship: area}, turn=turn, changes=changes, options=options)
    record = rig.state.ships[ship]

    assert set(return_destinations(rig.state, record)) == normal
    assert set(disabled_destinations(rig.state, record)) == disabled


def test_7_3_R46_a_disabled_ship_in_port_counts_for_nothing() -> None:
    """R46 In port it controls nothing, keeps its damage, and does not return a second time."""
    rig = chart(
        "control",
        {"hood": "england", "nelson": "north_sea"},
        damage={"hood": 2},
        changes={"hood": {"disabled": True}},
    )

    assert (place(rig, "hood"), rig.state.ships["hood"].damage) == ("england", 2)
    assert rig.state.control["north_sea"] == "allied"
    assert happened(rig, Returned) == [Returned(("nelson",), "north_sea", "england")]


@pytest.mark.parametrize(
    ("turn", "ship", "area", "port"),
    [
        (1, "scharnhorst", "north_atlantic", "germany"),
        (7, "scharnhorst", "north_atlantic", "germany"),
        (3, "scharnhorst", "south_atlantic", "south_america"),
        (3, "scharnhorst", "mediterranean", "italy"),
        (3, "zara", "north_atlantic", "france"),
        (1, "zara", "north_atlantic", ""),
        (3, "zara", "south_atlantic", "south_america"),
        (3, "littorio", "mediterranean", "italy"),
    ],
)
def test_7_3_R12_a_disabled_axis_ship_without_a_choice(
    turn: int, ship: str, area: str, port: str
) -> None:
    """7.3, 12.3, 15.4, 15.5, R12 The one port it has, at once; with none it is out of the game."""
    rig = battle(area, ["hood"], [ship], turn=turn)
    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", ship)
    hold(rig, "axis")

    assert happened(rig, ShipDisabled) == [ShipDisabled(ship, port)]
    assert rig.state.ships[ship].place == (port or "removed")


@pytest.mark.parametrize(("ship", "area", "turn", "options", "port"), STRUCK)
def test_7_3_struck_by_a_u_boat(
    ship: str, area: str, turn: int, options: Mapping[str, Any], port: str
) -> None:
    """7.3, 12.3, 13.4, 15.5, 18.5, A.1, A.3, A.4, R12 The one port that a 5 sends each to, at once
    and without a question."""
    rig = chart("allied_air", {ship: area}, turn=turn, boats={area: 1}, options=options)
    rig.do("allied", "pass")
    rig.do("axis", "pass")
    rig.do("allied", "hold_fire")
    rig.dice(5)
    rig.do("axis", "torpedo", ship)

    assert happened(rig, ShipDisabled) == [ShipDisabled(ship, port)]


def test_7_3_a_five_sends_to_port_at_once() -> None:
    """7.3 A ship struck by a 5 leaves for an adjacent port, undamaged, and the fight is over when
    it was the last."""
    rig = battle("north_sea", ["renown"], ["scharnhorst"])

    rig.do("allied", "hold_fire")
    rig.dice(4, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "renown")

    assert happened(rig, ShipDisabled) == [ShipDisabled("renown", "england")]
    ship = rig.state.ships["renown"]
    assert (ship.place, ship.damage, ship.disabled) == ("england", 0, True)


def test_7_3_a_ship_struck_in_port_stays_there() -> None:
    """7.3, R19 A ship disabled by an airstrike in port does not leave it."""
    rig = chart("deploy", {"scharnhorst": "germany"})

    assert disabled_destinations(rig.state, rig.state.ships["scharnhorst"]) == ("germany",)


@pytest.mark.parametrize(
    ("port", "rule"), [("england", "2.2"), ("italy", "A.2"), ("germany", ""), ("france", "")]
)
def test_7_3_a_wrong_port_for_a_disabled_ship_names_its_clause(port: str, rule: str) -> None:
    """2.2, 7.3, A.2, R12 Scharnhorst, disabled in the North Atlantic on turn 3, goes to Germany or
    France."""
    rig = battle("north_atlantic", ["hood"], ["scharnhorst"])
    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    hold(rig, "axis")

    if rule:
        assert rig.refused("axis", "retire", port).rule == rule
    else:
        rig.do("axis", "retire", port)
        assert rig.state.ships["scharnhorst"].place == port


# --- 7.4 ------------------------------------------------------------------------------------------


def test_7_4_each_six_adds_one_damage_die() -> None:
    """7.4 Four dice 3, 2, 6, 6 and two damage dice 3 and 4 make seven points."""
    rig = battle("north_sea", ["hood"], ["bismarck"])

    rig.dice(3, 2, 6, 6, 3, 4)
    rig.do("allied", "fire", "hood", "bismarck")
    assert happened(rig, Shot) == [Shot("gun", "hood", "bismarck", (3, 2, 6, 6), 0, (3, 4))]
    rig.do("axis", "hold_fire")
    assert happened(rig, ShipDamaged) == [ShipDamaged("bismarck", 7)]
    assert rig.state.ships["bismarck"].damage == 7


def test_7_4_readings_of_dice() -> None:
    """7.3, 7.4 Sixes hit, fives disable, and several attacks on one target add up."""
    assert hits((6, 5, 6, 1)) == 2
    assert disables((1, 5)) and not disables((6, 4))
    assert toll((3, 2, 6, 6), (3, 4)) == Toll(7, False)
    assert total((Toll(1, False), Toll(2, True))) == Toll(3, True)


def test_7_4_four_dice_two_hits_seven_points() -> None:
    """7.4, 7.6 The rule book's dice 3, 2, 6, 6, then 3 and 4: Bismarck carries seven points,
    gunnery 4, speed 1, and no bonus next round: a 5 only disables."""
    rig = battle("north_sea", ["hood"], ["bismarck"])
    rig.dice(3, 2, 6, 6, 3, 4)
    rig.do("allied", "fire", "hood", "bismarck")
    rig.dice(1, 1, 1, 1)
    rig.do("axis", "fire", "bismarck", "hood")
    ship = rig.state.ships["bismarck"]
    assert (ship.damage, ship.gunnery_now, ship.speed_now) == (7, 4, 1)
    write_escape(rig)
    hold_fire(rig, "allied")
    rig.dice(5, 4, 4, 4)
    rig.do("axis", "fire", "bismarck", "hood")

    assert wounds_of(rig) == {"bismarck": ("north_sea", 7), "hood": ("england", 0)}


# --- 7.5 hits are applied before disabling --------------------------------------------------------


def test_7_5_sunk_and_disabled_is_sunk() -> None:
    """7.5 A target both sunk and disabled is sunk."""
    assert fate(3, 0, Toll(4, True)).end == SUNK
    rig = battle("north_sea", ["renown"], ["scharnhorst", "gneisenau"])

    rig.do("allied", "hold_fire")
    rig.dice(4, 5, 1, 1, 1, 1, 4)
    rig.do("axis", "fire", "rest", "renown")
    assert happened(rig, ShipSunk) == [ShipSunk("renown", 4)]
    assert happened(rig, ShipDisabled) == []


def test_7_5_damaged_and_disabled_carries_damage_to_port() -> None:
    """7.5 A target both damaged and disabled takes its damage to port."""
    rig = battle("north_sea", ["renown"], ["scharnhorst"])

    rig.do("allied", "hold_fire")
    rig.dice(4, 5, 1, 2)
    rig.do("axis", "fire", "scharnhorst", "renown")
    assert (rig.state.ships["renown"].place, rig.state.ships["renown"].damage) == ("england", 2)


def test_7_5_several_fives_disable_once() -> None:
    """7.3, R45 (E16) Struck by 5, 5, 5: disabled once, no damage."""
    rig = battle("north_sea", ["renown"], ["scharnhorst"], damage={"scharnhorst": 1})

    rig.do("allied", "hold_fire")
    rig.dice(5, 5, 5)
    rig.do("axis", "fire", "scharnhorst", "renown")
    assert len(happened(rig, ShipDisabled)) == 1
    assert rig.state.ships["renown"].damage == 0


@pytest.mark.parametrize(("points", "damage", "end"), [(1, 4, AFLOAT), (2, 5, SUNK)])
def test_7_5_damage_adds_up(points: int, damage: int, end: str) -> None:
    """7.5, 7.6 (E17) Hood with 3 damage takes one more: crippled; two more: sunk."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"], damage={"hood": 3})
    ship = rig.state.ships["hood"]

    result = fate(ship.armor, ship.damage, Toll(points))
    assert (result.damage, result.end) == (damage, end)
    rig.do("allied", "hold_fire")
    rig.dice(6, 1, 1, points)
    rig.do("axis", "fire", "scharnhorst", "hood")
    assert rig.state.ships["hood"].crippled is (end == AFLOAT)
    assert (rig.state.ships["hood"].place == "sunk") is (end == SUNK)


def test_7_5_damage_lasts_over_turns_and_disablement_does_not() -> None:
    """7.3, 7.5 A ship disabled with damage may sail again next turn, still damaged and slower."""
    rig = chart(
        "control",
        {"hood": "england"},
        turn=2,
        damage={"hood": 2},
        changes={"hood": {"disabled": True}},
    )

    assert rig.state.turn == 3
    ship = rig.state.ships["hood"]
    assert (ship.disabled, ship.damage, ship.speed_now) == (False, 2, 5)
    rig.do("allied", "sail", "hood", "north_sea")


# --- 7.6 ------------------------------------------------------------------------------------------


def test_7_6_equal_to_armor() -> None:
    """7.6 (E12) Scharnhorst 3-5-7 takes 5: afloat, gunnery 1, speed 2, no +1; one more point sinks
    it."""
    rig = battle("north_sea", ["hood", "nelson"], ["scharnhorst"])

    rig.dice(6, 1, 1, 1, 5)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.do("axis", "hold_fire")
    ship = rig.state.ships["scharnhorst"]
    assert (ship.place, ship.gunnery_now, ship.speed_now, ship.bonus_now) == ("north_sea", 1, 2, 0)
    write_escape(rig)
    rig.dice(6, 1, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.do("axis", "hold_fire")
    assert happened(rig, ShipSunk) == [ShipSunk("scharnhorst", 1)]


def test_7_6_crippled_carriers_have_no_airstrike() -> None:
    """7.6, 8.2 (E13, E14) Ark Royal crippled: airstrike 0, gunnery 0, speed 5, still 3 ASW. Eagle:
    airstrike 0, gunnery 1, speed 2."""
    rig = battle("north_sea", ["ark_royal", "eagle"], damage={"ark_royal": 2, "eagle": 2})
    ark, eagle = rig.state.ships["ark_royal"], rig.state.ships["eagle"]

    assert (ark.airstrike_now, ark.gunnery_now, ark.speed_now, ark.asw) == (0, 0, 5, 3)
    assert (eagle.airstrike_now, eagle.gunnery_now, eagle.speed_now) == (0, 1, 2)


def test_7_6_speed_never_drops_below_one() -> None:
    """7.6 Each point takes one from speed, never below 1."""
    rig = battle("north_sea", ["royal_oak"], damage={"royal_oak": 4})

    assert rig.state.ships["royal_oak"].speed_now == 1


@pytest.mark.parametrize(
    ("plain", "bonus", "armor", "damage"), [(2, 0, 2, 0), (1, 1, 1, 0), (0, 2, 4, 2), (2, 0, 1, 1)]
)
def test_7_6_chances_agree_with_counting_every_case(
    plain: int, bonus: int, armor: int, damage: int
) -> None:
    """7.3-7.6 The chances shown are those that counting all results of all dice gives, in per
    mille."""
    count = dict.fromkeys(("sunk", "disabled", "damaged", "crippled", "all", "hits"), 0)
    for dice in product(range(1, 7), repeat=plain + bonus):
        plus = [0] * plain + [1] * bonus
        scored = sum(hits((die,), more) for die, more in zip(dice, plus, strict=True))
        struck = any(disables((die,), more) for die, more in zip(dice, plus, strict=True))
        rest = 6 ** (plain + bonus - scored)
        for wounds in product(range(1, 7), repeat=scored):
            result = fate(armor, damage, Toll(sum(wounds), struck))
            count["all"] += rest
            count["hits"] += rest * scored
            count["sunk"] += rest * (result.end == SUNK)
            count["disabled"] += rest * (result.end == DISABLED)
            count["damaged"] += rest * (result.end == AFLOAT and scored > 0)
            count["crippled"] += rest * (
                result.end != SUNK and result.damage == armor and scored > 0
            )
    found = chances(plain, bonus, armor, damage)

    for name in ("hits", "sunk", "disabled", "damaged", "crippled"):
        assert abs(getattr(found, name) * count["all"] - 1000 * count[name]) * 2 <= count["all"], (
            name
        )


@pytest.mark.parametrize(
    ("options", "pips", "place", "damage", "gunnery"),
    [
        ({}, (5, 4), "north_sea", 9, 1),
        ({}, (5, 5), "sunk", 10, 4),
        ({"v18_1_weaker_bismarck_class": True}, (4, 3), "north_sea", 7, 1),
        ({"v18_1_weaker_bismarck_class": True}, (4, 4), "sunk", 8, 4),
    ],
)
def test_7_6_two_ships_add_up_on_tirpitz(
    options: Mapping[str, Any], pips: tuple[int, int], place: str, damage: int, gunnery: int
) -> None:
    """7.6, 10.2, 18.1 Nelson and Hood hit once each: equal to armor cripples, one more sinks; the
    variant takes two off the armor."""
    rig = battle("north_sea", ["nelson", "hood"], ["tirpitz"], options=options)
    rig.dice(6, 1, 1, 1, 1, 6, 1, 1, 1, *pips)
    rig.do("allied", "fire", "rest", "tirpitz")
    hold_fire(rig, "axis")

    ship = rig.state.ships["tirpitz"]
    assert (ship.place, ship.damage, ship.gunnery_now) == (place, damage, gunnery)
