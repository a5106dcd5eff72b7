"""11 – 18 Escapes and whole turns worked out with the rule book in hand: from the markers to the score, exact to the point."""

from collections.abc import Mapping
from typing import Any

import pytest

from engine.games.war_at_sea.combat_events import GroupsFormed, PursuitBrokenOff
from engine.games.war_at_sea.events import AmericanRolled, ConvoyArrived, FranceClosed, ItalianRolled, Scored, ShipsEscaped, SovietRolled
from engine.games.war_at_sea.state import POOL, State
from engine.kernel.rig import Rig
from protocol.choices import Choices
from tests.rules.war_at_sea.charts import chart, happened, pass_on, place
from tests.rules.war_at_sea.waters import battle, write_escape

NS, NA, SA, BAR, BAL, MED = "north_sea", "north_atlantic", "south_atlantic", "barents_sea", "baltic_sea", "mediterranean"


def hold(rig: Rig[State], *seats: str) -> None:
    """These seats do not attack."""
    for seat in seats:
        rig.do(seat, "hold_fire")


def at_combat(places: Mapping[str, str], turn: int, **more: Any) -> Rig[State]:
    """The rig at the first fight of a turn, without airstrike markers."""
    rig: Rig[State] = chart("allied_air", places, turn=turn, **more)
    rig.do("allied", "pass")
    rig.do("axis", "pass")
    return rig


# --- 11 escape --------------------------------------------------------------------------------------------------------------------


def test_11_6_a_convoy_run_down_and_not_sunk_reaches_england() -> None:
    """11.3 – 11.6, 13.2, 17.1 Hood and a convoy flee apart; Scharnhorst catches the convoy, cripples it and breaks off. The Axis controls
    the North Atlantic, three points; the convoy goes into England, one."""
    rig = at_combat({"hood": NA, "convoy_1a": NA, "scharnhorst": NA}, 4)
    hold(rig, "allied", "axis")
    write_escape(rig, allied="escape")
    rig.do("allied", "apart")
    assert happened(rig, GroupsFormed)[0].speeds == (7, 2)
    rig.do("axis", "pursue", "scharnhorst", "group_2")
    rig.dice(5, 3, 3, 4)
    rig.do("axis", "fire", "scharnhorst", "convoy_1a")
    rig.do("axis", "break_off_all")
    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("convoy_1a",), NA)]
    rig.do("allied", "into_england")
    rig.do("axis", "return", "france")
    rig.do("allied", "return", "england")

    assert happened(rig, Scored) == [Scored(4, (0, 1, 0), (3, 0, 0), 2)]


def test_11_2_a_pursuer_sunk_and_another_that_stayed() -> None:
    """11.2, 11.6, 13.3, R28 In the Barents Sea Hipper pursues Norfolk and is sunk; Lützow stayed out and controls for two; the convoy that
    escaped goes to Russia for three. Net one to the Allies."""
    rig = at_combat({"norfolk": BAR, "convoy_1a": BAR, "admiral_hipper": BAR, "lutzow": BAR}, 4)
    hold(rig, "allied", "axis")
    write_escape(rig, allied="escape")
    rig.do("allied", "apart")
    rig.do("axis", "pursue", "admiral_hipper", "group_1")
    rig.dice(6, 3)
    rig.do("allied", "fire", "norfolk", "admiral_hipper")
    rig.do("axis", "hold_fire")

    assert happened(rig, ConvoyArrived) == [ConvoyArrived("convoy_1a", BAR, "russia", 3)]
    assert happened(rig, Scored) == [Scored(4, (0, 3, 0), (2, 0, 0), -1)]
    assert (place(rig, "norfolk"), place(rig, "lutzow")) == ("russia", "germany")


def test_11_5_slowed_disabled_and_left_behind() -> None:
    """11.3 – 11.6, 12.1 Scharnhorst at 4 and Lützow flee at 4. Nelson cannot pursue, Warspite can; struck once it must break off. Hood
    disables Lützow and is disabled: Scharnhorst has escaped, and Nelson and Warspite hold the North Sea."""
    rig = battle(NS, ["nelson", "warspite", "hood"], ["scharnhorst", "lutzow"], damage={"scharnhorst": 3})
    hold(rig, "allied", "axis")
    write_escape(rig, axis="escape")
    rig.do("axis", "together")
    assert rig.refused("allied", "pursue", "nelson", "group_1").rule == "11.4"
    rig.do("allied", "pursue", "rest", "group_1")
    hold(rig, "allied")
    rig.dice(6, 1, 1, 1, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "warspite", "lutzow", "hood")
    assert happened(rig, PursuitBrokenOff) == [PursuitBrokenOff(("warspite",), True)]
    rig.do("allied", "pursue_on")
    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "lutzow")
    rig.dice(5, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "hood")

    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("scharnhorst",), NS)]
    ships = rig.state.ships
    assert {name: ships[name].place for name in ("hood", "lutzow", "warspite")} == {"hood": "england", "lutzow": "germany", "warspite": NS}
    assert rig.state.control[NS] == "allied"


def test_11_5_who_broke_off_keeps_control_and_may_not_come_back() -> None:
    """11.5, 11.7, R28 Prinz Eugen breaks off, Hipper goes on and is sunk: the Axis controls by Prinz Eugen, which may not fire again."""
    rig = battle(NS, ["norfolk", "exeter"], ["admiral_hipper", "prinz_eugen"])
    hold(rig, "allied", "axis")
    write_escape(rig, allied="escape")
    rig.do("allied", "together")
    rig.do("axis", "pursue", "rest", "group_1")
    hold(rig, "allied", "axis")
    rig.do("axis", "break_off", "prinz_eugen")
    rig.dice(6, 1, 3)
    rig.do("allied", "fire", "rest", "admiral_hipper")
    assert rig.refused("axis", "fire", "prinz_eugen", "norfolk").rule == "11.7"
    rig.do("axis", "hold_fire")

    assert rig.state.ships["norfolk"].escaped and rig.state.ships["exeter"].escaped
    assert rig.state.control[NS] == "axis"


@pytest.mark.parametrize(("damage", "caught"), [(0, False), (1, True), (4, True)])
def test_11_4_a_crippled_hunter_and_a_convoy(damage: int, caught: bool) -> None:
    """7.6, 11.4, R55 Bismarck with eight points makes speed 1: it may pursue a convoy slowed to 1, not one at 2."""
    rig = battle(NA, ["convoy_1a"], ["bismarck"], damage={"bismarck": 8, "convoy_1a": damage})
    hold(rig, "axis")
    write_escape(rig, allied="escape")

    assert (rig.asked() == {"axis": "prompt.war_at_sea.pursue"}) is caught
    assert rig.state.ships["convoy_1a"].escaped is not caught
    if not caught:
        assert rig.state.control[NA] == "axis"


@pytest.mark.parametrize("variant", [False, True])
def test_11_8_after_a_double_escape(variant: bool) -> None:
    """11.8, 14.1, 18.4, A.2 Both escape on turn 1: nobody scores. Scharnhorst may not replenish and goes to Germany by itself, France being
    closed; with the variant it may try, and on a 5 may stay."""
    rig = at_combat({"hood": NA, "scharnhorst": NA}, 1, options={"v18_4_escaped_may_replenish": variant})
    hold(rig, "allied", "axis")
    write_escape(rig, "escape", "escape")
    if variant:
        rig.dice(5)
        rig.do("axis", "replenish", "scharnhorst")
        rig.do("axis", "done")
    assert rig.asked() == {"allied": "prompt.war_at_sea.return"}
    rig.do("allied", "return", "england")

    assert happened(rig, Scored) == [Scored(1, (0, 0, 0), (0, 0, 0), 0)]
    assert place(rig, "scharnhorst") == (NA if variant else "germany")


def test_11_1_escape_and_the_boats() -> None:
    """8.5, 11.1, 12.1 The Allies escape from Lützow while a boat is there: the Axis controls by Lützow; with Lützow escaping instead nobody
    does, since the boat cancels the Allies' control."""
    holders = []
    for who in ("allied", "axis"):
        rig = battle(NS, ["nelson"], ["lutzow"], boats=1)
        hold(rig, "allied", "axis", "allied", "axis")
        write_escape(rig, **{who: "escape"})
        if "axis" in rig.asked() and rig.asked()["axis"] == "prompt.war_at_sea.pursue":
            rig.do("axis", "let_go")
        holders.append(rig.state.control[NS])

    assert holders == ["axis", ""]


# --- 12 – 14 control, convoys, replenishment ----------------------------------------------------------------------------------------


def test_12_1_a_turn_of_control_with_a_boat_in_it() -> None:
    """2.1, 8.5, 12.1, 17.2 Allies in the North Sea (with a boat), North and South Atlantic: two points. Axis in the Barents Sea and the
    Mediterranean: four. The marker moves two to the Axis."""
    ships = {"hood": NS, "nelson": NA, "rodney": SA, "admiral_hipper": BAR, "littorio": MED}
    rig = chart("control", ships, turn=5, boats={NS: 1, BAR: 1})
    rig.do("allied", "return", "england")

    assert happened(rig, Scored) == [Scored(5, (2, 0, 0), (4, 0, 0), 2)]
    assert rig.state.control == {NA: "allied", SA: "allied", NS: "", BAR: "axis", BAL: "", MED: "axis"}
    assert rig.state.boats_at("germany") == tuple(boat for boat, where in rig.state.uboats.items() if where == "germany")
    assert place(rig, "rodney") == "england"


@pytest.mark.parametrize(("verb", "allied", "score"), [("into_england", (1, 1, 0), -2), ("stay", (1, 0, 0), -1)])
def test_13_2_the_last_turn_of_a_convoy(verb: str, allied: tuple[int, int, int], score: int) -> None:
    """13.2, 17.4, R33 A convoy in the North Atlantic on turn 8 holds it for a point, and scores only if it goes into England."""
    rig = chart("control", {"convoy_3c": NA}, turn=8)
    rig.do("allied", verb)

    assert happened(rig, Scored) == [Scored(8, allied, (0, 0, 0), score)]
    assert rig.position.outcome is not None and rig.position.outcome.winner == "allied"


def test_14_2_three_ships_replenish_three_ways() -> None:
    """14.1 – 14.4, A.2 Turn 1: Scharnhorst rolls 5 and may stay; Lützow in the South Atlantic rolls 6 and goes to South America; Gneisenau
    does not try and goes to Germany. Both areas had counted already: six points."""
    rig = chart("control", {"scharnhorst": NA, "gneisenau": NA, "lutzow": SA}, turn=1)
    rig.dice(5)
    rig.do("axis", "replenish", "scharnhorst")
    rig.dice(6)
    rig.do("axis", "replenish", "lutzow")
    assert place(rig, "lutzow") == "south_america"
    assert rig.options("axis", "replenish") == ("gneisenau",)
    rig.do("axis", "done")
    assert place(rig, "gneisenau") == "germany"
    assert set(rig.options("axis")) == {"return", "done"}
    rig.do("axis", "done")

    assert happened(rig, Scored) == [Scored(1, (0, 0, 0), (6, 0, 0), 6)]
    assert rig.state.ships["scharnhorst"].free


def test_14_4_a_replenished_ship_may_go_home_after_all() -> None:
    """14.4 It may stay, it need not: in the South Atlantic on turn 2 it may still choose France or South America."""
    rig = chart("control", {"gneisenau": SA}, turn=2)
    rig.dice(4)
    rig.do("axis", "replenish", "gneisenau")
    assert set(rig.options("axis", "return", "gneisenau")) == {"france", "south_america"}
    rig.do("axis", "return", "gneisenau", "france")

    assert place(rig, "gneisenau") == "france"
    assert not rig.state.ships["gneisenau"].free


# --- 15 ports ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("turn", "place_then"), [(6, "removed"), (7, "removed"), (5, "france")])
def test_15_4_an_italian_cruiser_far_from_home(turn: int, place_then: str) -> None:
    """12.3, 15.4, 17.1, R30, R36 Zara holds the North Atlantic for three points in any case. On turn 5 France takes it; on turn 6 too, and
    it is removed when turn 7 begins; on turn 7 it has no port."""
    rig = chart("control", {"zara": NA}, turn=turn)

    assert happened(rig, Scored) == [Scored(turn, (0, 0, 0), (3, 0, 0), 3)]
    assert [event.ships for event in happened(rig, FranceClosed)] == ([("zara",)] if turn == 6 else [])
    assert place(rig, "zara") == place_then


def test_15_3_a_crippled_british_ship_goes_to_the_usa() -> None:
    """7.6, 15.1, 15.2, 15.3 Nelson, crippled, returns from the North Atlantic to the USA on turn 1 and is repaired there on turn 2."""
    rig = chart("control", {"nelson": NA}, turn=1, damage={"nelson": 5})
    rig.do("allied", "return", "usa")
    assert rig.state.turn == 2
    offered = rig.choices("allied", "repair", "nelson")
    assert isinstance(offered, Choices) and offered.span == (1, 5)
    rig.do("allied", "repair", "nelson", 5)

    ship = rig.state.ships["nelson"]
    assert (ship.damage, ship.gunnery_now, ship.speed_now) == (0, 5, 3)


@pytest.mark.parametrize(("interned", "cost", "where"), [(False, 1, "south_america"), (True, 0, "removed")])
def test_18_6_back_in_the_neutral_port_by_a_failed_roll(interned: bool, cost: int, where: str) -> None:
    """6.2, 15.6, 18.6, R37 Lützow left South America, failed, and chose to go back though France was open: a point, or interned."""
    rig = chart("axis_sail", {"lutzow": "south_america"}, turn=2, options={"v18_6_internment": interned})
    rig.do("axis", "sail", "lutzow", SA, NA)
    rig.dice(5)
    rig.do("axis", "done")
    assert set(rig.options("axis", "put_back")) == {"france", "south_america", "lutzow"}
    rig.do("axis", "put_back", "south_america")
    rig.do("allied", "pass")
    rig.do("axis", "pass")

    assert happened(rig, Scored) == [Scored(2, (0, 0, 0), (0, 0, cost), -cost)]
    assert place(rig, "lutzow") == where


def test_15_6_penalty_and_cap_in_one_move() -> None:
    """15.6, 17.2, R41, R62 Axis four for the North Sea less one for Scheer, that stayed in South America: nine and three stop at ten."""
    rig = chart("control", {"admiral_hipper": NS, "admiral_scheer": "south_america"}, turn=4, score=9)

    assert happened(rig, Scored) == [Scored(4, (0, 0, 0), (4, 0, 1), 10)]


# --- 16 nations -------------------------------------------------------------------------------------------------------------------


def test_16_1_marat_takes_the_baltic() -> None:
    """16.1, 12.1, R42 Turn 3: Marat rolls 5 and sails, its sister 4 and may not. A point for the Baltic; back to Leningrad, and both roll
    again on turn 4."""
    sister = "oktyabrskaya_revolutsiya"
    rig = chart("soviet_rolls", {"marat": "leningrad", sister: "leningrad"}, turn=3, dice=(5, 4, 1, 2))
    assert happened(rig, SovietRolled) == [SovietRolled("marat", 5, True), SovietRolled(sister, 4, False)]
    assert rig.options("allied", "sail") == ("marat",)
    assert rig.refused("allied", "sail", sister).rule == "16.1"
    rig.do("allied", "sail", "marat", BAL)
    rig.do("allied", "done")
    rig.do("allied", "pass")
    rig.do("axis", "pass")

    assert happened(rig, Scored) == [Scored(3, (1, 0, 0), (0, 0, 0), -1)]
    assert happened(rig, SovietRolled) == [SovietRolled("marat", 1, False), SovietRolled(sister, 2, False)]
    assert place(rig, "marat") == "leningrad"


def test_16_2_the_americans_of_turn_5_roll_before_the_soviets() -> None:
    """16.1, 16.2, R3, R42 Turn 5 needs 5: Washington joins and may sail, Augusta on 4 does not and is nowhere; Marat rolls after them."""
    rig = chart("american_rolls", {"washington": POOL, "augusta": POOL, "marat": "leningrad"}, turn=5, dice=(5, 4, 6))

    assert happened(rig, AmericanRolled) == [AmericanRolled("washington", 5, True), AmericanRolled("augusta", 4, False)]
    assert happened(rig, SovietRolled) == [SovietRolled("marat", 6, True)]
    assert set(rig.options("allied", "sail")) == {"washington", "marat"}
    assert rig.refused("allied", "sail", "augusta").rule == "16.2"
    rig.do("allied", "sail", "washington", NA)
    rig.do("allied", "done")
    rig.do("allied", "pass")
    rig.dice(6, 1)
    rig.do("axis", "pass")
    assert happened(rig, Scored) == [Scored(5, (1, 0, 0), (0, 0, 0), -1)]
    assert place(rig, "washington") == "usa"
    assert happened(rig, AmericanRolled) == [AmericanRolled("augusta", 6, True)], "who has joined rolls no more"


def test_16_4_the_spoils_of_turn_8() -> None:
    """15.1, 15.6, 16.4, 17.4, R40 Andrea Doria, damaged, falls to the Allies, lies in Malta and is repaired by two; Zara is scuttled; Pola
    in South America falls to them too, and left there costs them a point: the Axis wins by one."""
    ships = {"andrea_doria": "italy", "zara": "italy", "pola": "south_america"}
    rig = chart("italian_check", ships, turn=8, damage={"andrea_doria": 3}, dice=(1, 4, 2))
    assert happened(rig, ItalianRolled) == [
        ItalianRolled("andrea_doria", 1, "uk", "malta"),
        ItalianRolled("zara", 4, "scuttled", ""),
        ItalianRolled("pola", 2, "uk", "south_america"),
    ]
    assert rig.refused("allied", "repair", "pola").rule == "15.1"
    rig.do("allied", "repair", "andrea_doria", 2)
    assert rig.state.ships["andrea_doria"].damage == 1
    pass_on(rig)

    assert happened(rig, Scored) == [Scored(8, (0, 0, 1), (0, 0, 0), 1)]
    assert rig.position.outcome is not None and rig.position.outcome.winner == "axis"


def test_16_5_a_cruiser_taken_by_germany_leaves_the_mediterranean_for_the_north_sea() -> None:
    """16.3, 16.4, 16.5 Zara in South America falls to Germany on turn 8: it may now sail into the North Sea, holds it, and goes home to
    Germany."""
    rig = chart("italian_check", {"zara": "south_america"}, turn=8, dice=(6,))
    rig.do("axis", "sail", "zara", SA, NS)
    rig.dice(6)
    rig.do("axis", "done")
    rig.do("axis", "pass")
    rig.do("allied", "pass")
    rig.do("axis", "pass")

    assert happened(rig, Scored) == [Scored(8, (0, 0, 0), (4, 0, 0), 4)]
    assert place(rig, "zara") == "germany"


# --- 17 the end ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "winner"), [(2, -3, "allied"), (5, 0, None), (6, 1, "axis"), (10, 5, "axis"), (-8, -10, "allied")]
)
def test_17_4_five_points_on_the_last_turn(before: int, after: int, winner: str | None) -> None:
    """13.3, 17.1, 17.2, 17.4, R63 Hood holds the North Sea, convoy 3C the Barents Sea and goes to Russia: five points decide turn 8."""
    rig = chart("control", {"hood": NS, "convoy_3c": BAR}, turn=8, score=before)

    assert happened(rig, Scored) == [Scored(8, (2, 3, 0), (0, 0, 0), after)]
    assert rig.position.outcome is not None and rig.position.outcome.winner == winner


# --- 5 out of turn ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "seat", "verb", "rule"),
    [
        ("place_uboats", "axis", "sail", "8.1"),
        ("allied_air", "allied", "sail", "9.1"),
        ("allied_sail", "allied", "place", "6.3"),
        ("convoy_in_atlantic", "allied", "sail", "13.2"),
        ("deploy", "allied", "sail", "4.3"),
    ],
)
def test_5_a_verb_of_another_step(step: str, seat: str, verb: str, rule: str) -> None:
    """5.1 – 5.8 What belongs to another step of the turn is refused with the clause of what is asked now."""
    rig = chart(step, {"hood": "england", "convoy_1a": NA}, turn=4, boats={"germany": 1})

    refusal = rig.refused(seat, verb)
    assert (refusal.rule, refusal.key) == (rule, "refusal.not_offered")
