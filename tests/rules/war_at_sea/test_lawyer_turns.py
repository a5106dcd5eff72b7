"""5, 13 – 18 Close readings of whole turns: what lasts from one turn into the next, the nations' dice, scoring, and variants together."""

from collections.abc import Mapping
from typing import Any

import pytest
from attrs import evolve

from engine.games.war_at_sea import RULES
from engine.games.war_at_sea.events import (
    AmericanRolled,
    ControlPlaced,
    ConvoyArrived,
    FranceClosed,
    Interned,
    ItalianRolled,
    Reinforced,
    Repaired,
    ReplenishmentRolled,
    Scored,
    ShipDisabled,
    SovietRolled,
    UBoatsArrived,
)
from engine.games.war_at_sea.state import POOL, State
from engine.kernel.rig import Rig
from tests.rules.war_at_sea.charts import PACK, chart, happened, pass_on, place, seas

QUIET = ("done", "pass", "hold_fire", "stay", "carriers_silent", "break_off_all", "let_go", "together")


def quiet(rig: Rig[State], turn: int) -> list[Any]:
    """Everybody does as little as possible until a turn begins or the game ends; returns the events on the way."""
    found: list[Any] = []
    while rig.state.turn < turn and rig.position.outcome is None:
        seat = next(iter(rig.asked()))
        offered = rig.options(seat)
        verb = next((verb for verb in QUIET if verb in offered), offered[0])
        picks: tuple[Any, ...] = (verb,)
        if verb in ("return", "put_back", "retire"):
            picks = (verb, rig.options(seat, verb)[0])
        found.extend(rig.do(seat, *picks))
    return found


def scores(events: list[Any]) -> list[tuple[int, int]]:
    """(Allied, Axis) penalty of each turn scored."""
    return [(event.allied[2], event.axis[2]) for event in events if type(event) is Scored]


# --- 13 convoys -------------------------------------------------------------------------------------------------------------------


def test_13_1_a_convoy_waits_for_the_other_to_make_room() -> None:
    """13.1, R32 (E55) 2B may follow into the North Atlantic only when 1A has gone into England or must go on."""
    rig = chart("control", {"convoy_1a": "north_atlantic", "convoy_2b": "usa"}, turn=4)
    rig.do("allied", "into_england")
    assert rig.state.turn == 5
    rig.do("allied", "sail", "convoy_2b", "north_atlantic")
    pass_on(rig, "convoy")
    rig.do("allied", "stay")

    rig.do("allied", "done")
    assert place(rig, "convoy_2b") == "barents_sea", "13.2: it must go on, told or not"
    events = quiet(rig, 7)
    assert [event for event in events if type(event) is ConvoyArrived] == [ConvoyArrived("convoy_2b", "barents_sea", "russia", 3)]


def test_13_3_two_convoys_score_in_one_turn() -> None:
    """13.2, 13.3, 17.1 One reaches England while another reaches Russia: four points."""
    rig = chart("control", {"convoy_1a": "barents_sea", "convoy_2b": "north_atlantic"}, turn=4)
    rig.do("allied", "into_england")

    assert happened(rig, Scored)[0].allied == (2, 4, 0)
    assert (place(rig, "convoy_1a"), place(rig, "convoy_2b")) == ("scored", "scored")


@pytest.mark.parametrize("damage", [0, 4])
def test_13_2_a_damaged_convoy_scores_as_well(damage: int) -> None:
    """13.2, 13.3 Alive is enough, whatever its damage."""
    rig = chart("control", {"convoy_1a": "barents_sea"}, turn=4, damage={"convoy_1a": damage})

    assert [event for event in rig.events if type(event) is ConvoyArrived] == [ConvoyArrived("convoy_1a", "barents_sea", "russia", 3)]


def test_13_3_a_convoy_counts_for_control_before_it_leaves() -> None:
    """12.1, 13.3, R29 The Barents Sea is controlled by the convoy that then goes to Russia; a U-boat there cancels the control alone."""
    alone = chart("control", {"convoy_1a": "barents_sea"}, turn=4)
    hunted = chart("control", {"convoy_1a": "barents_sea"}, turn=4, boats={"barents_sea": 1})

    assert [happened(rig, Scored)[0].allied for rig in (alone, hunted)] == [(1, 3, 0), (0, 3, 0)]


def test_13_4_a_convoy_back_in_the_usa_is_repaired_and_sails_again() -> None:
    """13.4, 15.1, R33 Disabled with damage on turn 4; on turn 5 it is repaired and stays, on turn 6 it sails."""
    rig = chart("allied_sail", {"convoy_1a": "usa", "hood": "england"}, turn=5, damage={"convoy_1a": 3})
    rig.do("allied", "repair", "convoy_1a", 3)
    assert rig.refused("allied", "sail", "convoy_1a").rule == "15.1"
    quiet(rig, 6)

    rig.do("allied", "sail", "convoy_1a", "north_atlantic")
    assert rig.state.ships["convoy_1a"].damage == 0


# --- 15.6 the neutral port --------------------------------------------------------------------------------------------------------


def test_15_6_the_price_of_the_neutral_port_turn_by_turn() -> None:
    """15.6, R37 (E59) It arrives on turn 1 at no cost, stays on turns 2 and 3 for a point each, and leaves on turn 4."""
    rig = chart("replenish", {"lutzow": "north_atlantic"}, turn=1)
    rig.dice(6)
    rig.do("axis", "replenish", "lutzow")
    events = list(rig.events)
    events += quiet(rig, 4)
    rig.do("axis", "sail", "lutzow", "south_atlantic")
    events += quiet(rig, 5)

    assert scores(events) == [(0, 0), (0, 1), (0, 1), (0, 0)]
    assert place(rig, "lutzow") != "removed"


def test_15_6_a_failed_roll_into_another_port_costs_nothing() -> None:
    """15.6, R37 It left, failed and went to Germany: no penalty."""
    rig = chart("axis_sail", {"lutzow": "south_america"}, turn=2)
    rig.do("axis", "sail", "lutzow", "south_atlantic", "north_sea")
    rig.dice(5)
    rig.do("axis", "done")
    rig.do("axis", "put_back", "germany")

    assert scores(quiet(rig, 3)) == [(0, 0)]
    assert place(rig, "lutzow") == "germany"


def test_15_6_a_failed_roll_into_the_neutral_port_from_elsewhere_is_an_arrival() -> None:
    """15.6, R37 A ship from Germany that fails into South America has not stayed there; the next turn it has."""
    rig = chart("axis_sail", {"lutzow": "germany"}, turn=1)
    rig.do("axis", "sail", "lutzow", "north_sea", "south_atlantic")
    rig.dice(5)
    rig.do("axis", "done")
    rig.do("axis", "put_back", "south_america")

    assert scores(quiet(rig, 3)) == [(0, 0), (0, 1)]


def test_15_6_a_ship_disabled_back_into_the_neutral_port_is_an_arrival() -> None:
    """15.5, 15.6, R37 It left, fought in the South Atlantic, and was sent back by a 5: no penalty this turn."""
    rig = chart("axis_sail", {"lutzow": "south_america", "hood": "south_atlantic"}, turn=4)
    rig.do("axis", "sail", "lutzow", "south_atlantic")
    pass_on(rig, "name_targets")
    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "lutzow")
    rig.do("axis", "hold_fire")

    assert happened(rig, ShipDisabled) == [ShipDisabled("lutzow", "south_america")]
    assert scores([*rig.events, *quiet(rig, 5)]) == [(0, 0)]


def test_15_6_a_ship_of_each_side_may_lie_there_in_peace() -> None:
    """2.3, 15.5, 15.6 No combat in the port; each that stays costs its own side a point, which cancel in the net (17.2)."""
    rig = chart("allied_sail", {"hood": "south_america", "lutzow": "south_america"}, turn=4)

    assert scores(quiet(rig, 5)) == [(1, 1)]
    assert rig.state.score == 0


# --- 15 repair, France ------------------------------------------------------------------------------------------------------------


def test_15_2_each_port_has_its_own_value_and_it_is_fresh_every_turn() -> None:
    """15.2 England 8, Malta 2; what one port used does not touch the other, and next turn all of it is there again."""
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


def test_15_1_repair_comes_before_the_marker_strikes() -> None:
    """15.1, 9.1, R38 (E60) Repaired to zero, then struck from the air in port: the new damage stays."""
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


def test_15_4_what_returns_to_france_on_turn_6_is_lost() -> None:
    """15.4, R30, R36 A German ship in the North Atlantic may still choose France on turn 6, and is removed when turn 7 begins."""
    rig = chart("control", {"scharnhorst": "north_atlantic", "lutzow": "north_sea"}, turn=6)
    rig.do("axis", "return", "scharnhorst", "france")

    assert happened(rig, FranceClosed) == [FranceClosed(("scharnhorst",))]
    assert (place(rig, "scharnhorst"), place(rig, "lutzow")) == ("removed", "germany")


def test_7_5_damage_lasts_over_turns_and_disablement_does_not() -> None:
    """7.3, 7.5 A ship disabled with damage may sail again next turn, still damaged and slower."""
    rig = chart("control", {"hood": "england"}, turn=2, damage={"hood": 2}, changes={"hood": {"disabled": True}})

    assert rig.state.turn == 3
    ship = rig.state.ships["hood"]
    assert (ship.disabled, ship.damage, ship.speed_now) == (False, 2, 5)
    rig.do("allied", "sail", "hood", "north_sea")


# --- 16 the nations' dice ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("turn", "needed"), [(1, 7), (2, 7), (3, 7), (4, 6), (5, 5), (6, 4), (7, 3), (8, 2)])
def test_16_2_the_die_that_joins_by_turn(turn: int, needed: int) -> None:
    """16.2 (E63) No roll before turn 4; then 6, 5, 4, 3, 2 or more."""
    for die in range(1, 7):
        rig = chart("american_rolls", {"augusta": POOL, "hood": "england"}, turn=turn, dice=(die,) if needed < 7 else ())
        assert [event.joins for event in happened(rig, AmericanRolled)] == ([die >= needed] if needed < 7 else [])
        assert place(rig, "augusta") == ("usa" if needed < 7 and die >= needed else POOL)


def test_16_1_the_soviets_roll_every_turn_from_the_third_on() -> None:
    """16.1, R42 Nothing before turn 3; each ship has its own die; the one that returned from the Baltic rolls again."""
    rig = Rig(RULES, PACK, seed=3)
    rig.do("allied", "done")
    events: list[Any] = list(rig.events)
    rolls = []
    for turn in (2, 3, 4):
        events = quiet(rig, turn)
        rolls.append([event.ship for event in events if type(event) is SovietRolled])
    assert rolls == [[], ["marat", "oktyabrskaya_revolutsiya"], ["marat", "oktyabrskaya_revolutsiya"]]


def test_16_1_a_soviet_ship_that_may_leave_need_not() -> None:
    """16.1 On 5 or 6 it may stay, and be repaired; repaired it stays (15.1)."""
    rig = chart("soviet_rolls", {"marat": "leningrad"}, turn=3, damage={"marat": 1}, dice=(6,))
    rig.do("allied", "repair", "marat", 1)

    assert rig.refused("allied", "sail", "marat").rule == "15.1"


@pytest.mark.parametrize(
    ("where", "die", "fate", "ends"),
    [
        ("italy", 1, "uk", "malta"),
        ("italy", 2, "uk", "malta"),
        ("italy", 3, "scuttled", "removed"),
        ("italy", 4, "scuttled", "removed"),
        ("italy", 5, "de", "italy"),
        ("italy", 6, "de", "italy"),
        ("south_america", 2, "uk", "south_america"),
        ("south_america", 4, "scuttled", "removed"),
        ("south_america", 5, "de", "south_america"),
    ],
)
def test_16_4_every_outcome_of_the_italian_check(where: str, die: int, fate: str, ends: str) -> None:
    """16.4, R40 1–2 Allied, 3–4 scuttled, 5–6 German; an Allied ship cannot lie in Italy, in South America it can."""
    rig = chart("begin_turn", {"zara": where, "hood": "england"}, turn=7, damage={"zara": 1}, dice=(die,))

    assert [event.fate for event in happened(rig, ItalianRolled)] == [fate]
    assert place(rig, "zara") == ends
    assert rig.state.ships["zara"].damage == 1


def test_16_4_a_ship_taken_over_in_the_neutral_port_still_has_to_leave() -> None:
    """15.6, 16.4, R37, R40 It began the turn there: if its new owner leaves it, he pays."""
    rig = chart("begin_turn", {"zara": "south_america", "hood": "england"}, turn=7, dice=(1,))
    rig.do("allied", "done")
    events = quiet(rig, 9)

    assert scores(events) == [(1, 0)]


def test_16_5_zara_in_british_hands_goes_where_british_ships_go() -> None:
    """16.3, 16.5 No Italian limit binds it any more: the Barents Sea by way of the North Atlantic, and not the Baltic."""
    rig = chart("allied_sail", {"zara": "england"}, turn=8, changes={"zara": {"nation": "uk"}})

    assert seas(rig, "allied", "zara") == {"england", "north_sea", "north_atlantic", "south_atlantic", "barents_sea", "mediterranean"}


def test_16_5_littorio_in_german_hands_enters_the_baltic() -> None:
    """6.4, 16.5 German limits: from Italy two areas; a ship of speed 6 in Germany would reach the Baltic."""
    rig = chart("axis_sail", {"littorio": "germany"}, turn=8, changes={"littorio": {"nation": "de"}})

    assert "baltic_sea" in seas(rig, "axis", "littorio")


def test_16_4_four_turns_of_axis_control_are_counted_by_play() -> None:
    """16.4, R39 Littorio alone in the Mediterranean on turns 4 to 7: no dice on turn 8. On turns 5 to 7 only: one."""
    for first, spared in ((4, True), (5, False)):
        rig = chart("begin_turn", {"littorio": "italy"}, turn=first - 1)
        for turn in range(first, 8):
            rig.do("axis", "sail", "littorio", "mediterranean")
            if turn == 7 and not spared:
                rig.dice(6)
            quiet(rig, turn + 1)
        assert rig.state.turn == 8
        assert rig.state.med_held is spared
        assert rig.state.ships["littorio"].nation == ("it" if spared else "de")


# --- 8.6 boats --------------------------------------------------------------------------------------------------------------------


def test_8_6_boats_over_all_eight_turns() -> None:
    """8.6, R17 With no losses: 3, 4, 5, 7, and then all reinforcements are lost."""
    rig = Rig(RULES, PACK, seed=1)
    rig.do("allied", "done")
    alive = [rig.state.boats_alive]
    for turn in range(2, 9):
        quiet(rig, turn)
        alive.append(rig.state.boats_alive)
    assert alive == [3, 4, 5, 7, 7, 7, 7, 7]
    assert rig.state.backlog == 0


def test_18_3_the_backlog_grows_and_comes_as_room_is_made() -> None:
    """18.3 Seven alive on turn 4 with two due: two wait. A boat is lost; on turn 5 one enters and three wait."""
    rig = chart("reinforce", {"hood": "england"}, turn=4, boats={"germany": 7}, options={"v18_3_uboat_backlog": True})
    assert rig.state.backlog == 2
    rig.change(uboats={**rig.state.uboats, "uboat_3": "track"})
    events = quiet(rig, 5)

    assert [event for event in events if type(event) is UBoatsArrived] == [UBoatsArrived(("uboat_3",), 0, 3)]


# --- 17 scoring -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "allied", "axis", "convoys", "idle", "after"),
    [
        (0, ("north_sea",), ("mediterranean",), 3, ("lutzow",), -3),
        (0, (), ("north_sea",), 0, ("hood", "lutzow", "zara"), 3),
        (10, (), (), 0, ("lutzow",), 9),
        (-10, (), (), 0, ("hood",), -9),
        (10, ("north_sea",), ("north_atlantic",), 0, (), 10),
    ],
)
def test_17_1_e67_net_of_control_convoys_and_penalties(
    before: int, allied: tuple[str, ...], axis: tuple[str, ...], convoys: int, idle: tuple[str, ...], after: int
) -> None:
    """15.6, 17.1, 17.2, R41, R62 (E67) One net move, Axis less Allied; a penalty moves the marker towards the other side."""
    rig = chart(
        "score",
        dict.fromkeys(idle, "south_america"),
        control={**dict.fromkeys(allied, "allied"), **dict.fromkeys(axis, "axis")},
        convoy_points=convoys,
        score=before,
    )

    assert rig.state.score == after


def test_12_2_old_markers_do_not_score_again() -> None:
    """6.3, 12.2, 17.3 A sea held last turn and left alone this turn scores nothing."""
    rig = chart("allied_sail", {"hood": "england"}, turn=3, control={"north_sea": "allied", "mediterranean": "axis"})
    rig.do("allied", "done")
    events = [*rig.events, *quiet(rig, 4)]

    (scored,) = [event for event in events if type(event) is Scored]
    assert (scored.allied, scored.axis) == ((0, 0, 0), (0, 0, 0))
    (placed,) = [event for event in events if type(event) is ControlPlaced]
    assert set(dict(placed.areas).values()) == {""}


# --- 18 variants together ---------------------------------------------------------------------------------------------------------


def test_18_1_bismarck_sinks_at_eight() -> None:
    """7.6, 18.1 (E71) Seven damage cripples it, eight sinks it; without the variant eight leaves it with gunnery 4."""
    for option, armor in ((True, 7), (False, 9)):
        rig = Rig(RULES, PACK, options={"v18_1_weaker_bismarck_class": option})
        ship = rig.state.ships["bismarck"]
        assert ship.armor == armor
        assert [evolve(ship, damage=points).gunnery_now for points in (6, armor)] == [4, 1]


@pytest.mark.parametrize("escaped", [False, True])
def test_18_4_with_14_3_turn_4_stays_closed(escaped: bool) -> None:
    """14.3, 18.4 The variant lets the escaped try, not anybody later than turn 3."""
    options = {"v18_4_escaped_may_replenish": True}
    for turn, asked in ((3, True), (4, False)):
        rig = chart("replenish", {"gneisenau": "north_atlantic"}, turn=turn, changes={"gneisenau": {"escaped": escaped}}, options=options)
        assert (rig.asked() == {"axis": "prompt.war_at_sea.replenish"}) is asked


def test_18_6_a_ship_is_interned_when_it_stays_not_when_it_arrives() -> None:
    """15.6, 18.6 Arrived on turn 1 it is safe; staying on turn 2 it is out of the game at no cost."""
    rig = chart("replenish", {"lutzow": "north_atlantic"}, turn=1, options={"v18_6_internment": True})
    rig.dice(6)
    rig.do("axis", "replenish", "lutzow")
    assert place(rig, "lutzow") == "south_america"
    events = quiet(rig, 3)

    assert [event for event in events if type(event) is Interned] == [Interned(("lutzow",))]
    assert scores(events) == [(0, 0)]
    assert place(rig, "lutzow") == "removed"


@pytest.mark.parametrize(
    ("turn", "options", "ports"),
    [
        (1, {}, {"england", "usa"}),
        (3, {}, {"england", "usa"}),
        (4, {"v18_5_usa_closed_before_t4": True}, {"england", "usa"}),
    ],
)
def test_15_3_18_5_returns_from_the_north_atlantic(turn: int, options: Mapping[str, Any], ports: set[str]) -> None:
    """15.3, 18.5 (E72) The USA is open from turn 1, or with the variant from turn 4."""
    rig = chart("axis_return_without_choice", {"hood": "north_atlantic"}, turn=turn, options=options)

    assert set(rig.options("allied", "return")) - {"hood"} == ports


def test_18_5_convoys_start_from_the_usa_all_the_same() -> None:
    """13.1, 18.5 Convoy 1A sails on turn 3 with the variant."""
    rig = chart("allied_sail", {"convoy_1a": "usa"}, turn=3, options={"v18_5_usa_closed_before_t4": True})

    rig.do("allied", "sail", "convoy_1a", "north_atlantic")
    assert place(rig, "convoy_1a") == "north_atlantic"


def test_18_all_variants_together_play_to_the_end() -> None:
    """18.1 – 18.6 With every variant and both options on, a quiet game ends after turn 8."""
    options = {switch.name: switch.choices[-1] for switch in RULES.switches}
    rig = Rig(RULES, PACK, options=options, seed=2)
    rig.do("allied", "done")
    quiet(rig, 9)

    assert rig.position.outcome is not None
    assert rig.state.turn == 8


def test_14_1_german_warships_of_any_class_may_try() -> None:
    """14.1 – 14.3, R34 Battleship or cruiser, undamaged or crippled; each has one die."""
    rig = chart("replenish", {"bismarck": "north_atlantic", "prinz_eugen": "south_atlantic"}, turn=2, damage={"prinz_eugen": 2})
    rig.dice(4, 5)
    rig.do("axis", "replenish", "prinz_eugen")
    rig.do("axis", "replenish", "bismarck")

    assert happened(rig, ReplenishmentRolled) == [ReplenishmentRolled("bismarck", 5, False, "south_america")]
    assert place(rig, "prinz_eugen") == "south_atlantic"


def test_5_1_what_comes_and_where_over_the_game() -> None:
    """4.2, 4.3, 5.1, 16.2 Each turn's reinforcements go to their own country, the Americans into their pool."""
    rig = Rig(RULES, PACK, seed=4)
    rig.do("allied", "done")
    homes = {"uk": "england", "us": POOL, "su": "leningrad", "de": "germany", "it": "italy", "convoy": "usa"}
    arrivals: dict[int, int] = {}
    for turn in range(2, 9):
        for event in quiet(rig, turn):
            if type(event) is Reinforced:
                for name, where in event.ships:
                    assert where == homes[rig.state.data.counters[name].nation]
                    assert rig.state.data.counters[name].arrival == turn
                arrivals[turn] = len(event.ships)
    assert arrivals == {2: 5, 3: 6, 4: 11, 5: 2}
