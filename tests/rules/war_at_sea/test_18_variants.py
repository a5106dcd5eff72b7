"""18 Variants: options of the genesis, off by default. 18.3-18.6 also stand with the chapters that
they change."""

import pytest

from tests.rules.war_at_sea.charts import (
    NA,
    PACK,
    SA,
    SHIP,
    chart,
    happened,
    pass_on,
    place,
    quiet,
    scores,
)
from tests.rules.war_at_sea.hidden import FLEET, HIDDEN, every_choice, hidden, seen
from warledger.engine.games.war_at_sea import RULES
from warledger.engine.games.war_at_sea.convoys import ConvoyArrived
from warledger.engine.games.war_at_sea.hidden import TurnedUp
from warledger.engine.games.war_at_sea.movement import RepairedFaceDown, Sailed
from warledger.engine.games.war_at_sea.speed import PutBack, SpeedRolled
from warledger.engine.games.war_at_sea.state import Options
from warledger.engine.games.war_at_sea.turns import UBoatsArrived
from warledger.engine.games.war_at_sea.victory import Interned, Scored
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.rulings import BadOption
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.effects import Board
from warledger.protocol.chance.seal import Secret

# --- 18 -------------------------------------------------------------------------------------------


def test_18_every_variant_is_off_by_default() -> None:
    """18 A game without options is the game of the rule book."""
    assert Rig(RULES, PACK).state.options == Options()
    assert [
        switch.name for switch in RULES.switches if switch.default not in (False, "by_type")
    ] == []


@pytest.mark.parametrize(("text", "value"), [("true", True), ("on", True), ("no", False)])
def test_18_options_may_be_given_as_words(text: str, value: bool) -> None:
    """18 What a host types on a command line is read as yes or no."""
    assert Rig(RULES, PACK, options={"v18_6_internment": text}).state.options.internment is value


# --- 18.1 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("option", "armor"), [(False, 9), (True, 7)])
def test_18_1_weaker_bismarck_class(option: bool, armor: int) -> None:
    """18.1 Bismarck and Tirpitz have armor 7 instead of 9; nobody else changes."""
    rig = Rig(RULES, PACK, options={"v18_1_weaker_bismarck_class": option})

    assert [rig.state.ships[name].armor for name in ("bismarck", "tirpitz", "scharnhorst")] == [
        armor,
        armor,
        5,
    ]


def test_18_1_bismarck_sinks_at_eight() -> None:
    """7.6, 18.1 (E71) Seven damage cripples it, eight sinks it; without the variant eight leaves it
    with gunnery 4."""
    for option, armor in ((True, 7), (False, 9)):
        rig = Rig(RULES, PACK, options={"v18_1_weaker_bismarck_class": option})
        ship = rig.state.ships["bismarck"]
        assert ship.armor == armor
        assert [replace(ship, damage=points).gunnery_now for points in (6, armor)] == [4, 1]


def test_18_all_variants_together_play_to_the_end() -> None:
    """18.1 – 18.6 With every variant and both options on, a quiet game ends after turn 8."""
    options = {switch.name: switch.choices[-1] for switch in RULES.switches}
    rig = Rig(RULES, PACK, options=options, seed=2)
    rig.do("allied", "done")
    quiet(rig, 9)

    assert rig.position.outcome is not None
    assert rig.state.turn == 8


# --- 18.2 -----------------------------------------------------------------------------------------


def test_18_2_the_axis_sees_numbers_only() -> None:
    """18.2, R43 Ships sail face down: the event holds a secret of the Allies, the board a number in
    each place."""
    rig = Rig(RULES, PACK, options=HIDDEN)
    rig.do("allied", "done")

    (sailed,) = [
        event
        for event in rig.do("allied", "sail", "hood", "nelson", "north_sea")
        if type(event) is Sailed
    ]
    assert sailed.ships == (Secret("hood", ("allied",)), Secret("nelson", ("allied",)))
    assert (rig.board.counts["england"], rig.board.counts["north_sea"]) == (25, 2)
    assert not any(name in rig.board.pieces for name in FLEET)
    assert "hood" not in repr(seen(rig)[-1])


def test_18_2_nothing_tells_which_ships_sailed_or_were_repaired() -> None:
    """18.2 Two games that differ only in which ships sailed, and whether any was repaired, look the
    same to the Axis: records, effects, openings, what it is asked and what it is offered."""
    one, two = hidden(), hidden()
    one.do("allied", "sail", "hood", "renown", "north_sea")
    two.do("allied", "sail", "nelson", "ark_royal", "north_sea")
    one.do("allied", "sail", "repulse", "north_atlantic")
    two.do("allied", "sail", "hood", "north_atlantic")
    one.do("allied", "done", "nelson", 1)
    two.do("allied", "done")

    assert seen(one) == seen(two)
    assert one.asked() == two.asked() == {"axis": "prompt.war_at_sea.sail"}
    assert every_choice(one, "axis") == every_choice(two, "axis")
    for rig in (one, two):
        rig.do("axis", "sail", "scharnhorst", "barents_sea")
        rig.do("axis", "done")
    assert every_choice(one, "axis") == every_choice(two, "axis")
    for rig in (one, two):
        rig.do("axis", "place", "south_atlantic", 1)
        rig.do("allied", "pass")
    assert every_choice(one, "axis") == every_choice(two, "axis")
    assert seen(one) == seen(two)


def test_18_2_speed_rolls_name_only_the_area() -> None:
    """18.2, R43 The dice are open, whose they are is not; the order comes from the hidden seed,
    whatever the order of sailing."""
    one, two = hidden(), hidden()
    one.do("allied", "sail", "renown", "repulse", "north_sea", "barents_sea")
    two.do("allied", "sail", "repulse", "renown", "north_sea", "barents_sea")
    for rig in (one, two):
        rig.dice(6, 5)
        rig.do("allied", "done")

    assert [(event.area, event.die, event.holds) for event in happened(one, SpeedRolled)] == [
        ("barents_sea", 6, False),
        ("barents_sea", 5, True),
    ]
    assert seen(one) == seen(two)
    assert one.asked() == {"allied": "prompt.war_at_sea.put_back"}, (
        "asked even about a single refuge, so that the origin stays hidden"
    )
    failed = happened(one, SpeedRolled)[0].ship.value
    one.do("allied", "put_back", failed, "england")
    assert happened(one, PutBack)[0].port == "england"
    assert failed not in repr(seen(one)[-1])
    assert (one.board.counts["barents_sea"], one.board.counts["england"]) == (1, 4)


def test_18_2_repairs_are_one_secret_at_the_end() -> None:
    """18.2 Repairs follow `done`; there is no verb for them before, and the event is there in any
    case."""
    rig = hidden()

    assert rig.options("allied") == ("sail", "done")
    rig.do("allied", "done", "hood", 1, "nelson", 1)
    (event,) = happened(rig, RepairedFaceDown)
    assert event.repairs.value == (("hood", "england", 1), ("nelson", "england", 1))
    assert rig.state.ships["hood"].damage == 0


def test_18_2_combat_turns_ships_up() -> None:
    """18.2, R43 An area where combat begins is turned up, anti-submarine combat too; the rest when
    control has been decided."""
    rig = Rig(RULES, PACK, options=HIDDEN)
    rig.do("allied", "done")
    rig.do("allied", "sail", "hood", "nelson", "north_sea")
    rig.do("allied", "sail", "renown", "north_atlantic")
    rig.do("allied", "done")
    rig.do("axis", "done")
    rig.do("axis", "place", "north_sea", 1)
    rig.do("allied", "pass")
    rig.do("axis", "pass")

    assert happened(rig, TurnedUp) == [TurnedUp((("nelson", "north_sea"), ("hood", "north_sea")))]
    assert rig.board.pieces["hood"].place == "north_sea"
    assert rig.board.counts["north_sea"] == 0
    assert rig.state.ships["renown"].down
    assert "renown" not in rig.board.pieces
    pass_on(rig, "return")
    assert not any(ship.down for ship in rig.state.ships.values())
    assert rig.board.pieces["renown"].place == "north_atlantic"
    assert rig.board.pieces["ark_royal"].place == "england"


def test_18_2_the_allied_player_sees_his_own_ships() -> None:
    """18.2 With his openings filled in, the board of the Allied player shows every ship where it
    is."""
    rig = hidden()
    rig.do("allied", "sail", "hood", "nelson", "north_sea")
    board = Board()
    for effect in RULES.picture(rig.state):
        board.apply(tuple(item.value if type(item) is Secret else item for item in effect))

    assert board.pieces["hood"].place == "north_sea"
    assert board.marks["hood", "damage"] == 1
    assert board.pieces["renown"].place == "england"


def test_18_2_a_convoy_sails_hidden_and_scores_in_the_open() -> None:
    """18.2, 13.2 A convoy is one of the face-down ships; what it does after combat is seen."""
    rig = chart("turn_down", {"convoy_1a": "usa", "hood": "usa"}, turn=3, options=HIDDEN)
    rig.do("allied", "sail", "convoy_1a", "hood", "north_atlantic")
    pass_on(rig, "convoy")

    rig.do("allied", "into_england")
    assert happened(rig, ConvoyArrived)[0].convoy == "convoy_1a"
    assert place(rig, "convoy_1a") == "scored"


# --- 18.3 -----------------------------------------------------------------------------------------


def test_18_3_the_backlog_fills_later_gaps() -> None:
    """18.3 (E24) Two boats wait and two are due on turn 5: with five alive two come, and two wait
    on."""
    rig = chart(
        "reinforce",
        {"hood": "england"},
        turn=5,
        boats={"germany": 5},
        options={"v18_3_uboat_backlog": True},
        backlog=2,
    )

    assert happened(rig, UBoatsArrived) == [UBoatsArrived(("uboat_6", "uboat_7"), 0, 2)]
    assert rig.state.boats_alive == 7


def test_18_3_the_backlog_grows_and_comes_as_room_is_made() -> None:
    """18.3 Seven alive on turn 4 with two due: two wait. A boat is lost; on turn 5 one enters and
    three wait."""
    rig = chart(
        "reinforce",
        {"hood": "england"},
        turn=4,
        boats={"germany": 7},
        options={"v18_3_uboat_backlog": True},
    )
    assert rig.state.backlog == 2
    rig.change(uboats={**rig.state.uboats, "uboat_3": "track"})
    events = quiet(rig, 5)

    assert [event for event in events if type(event) is UBoatsArrived] == [
        UBoatsArrived(("uboat_3",), 0, 3)
    ]


# --- 18.4 -----------------------------------------------------------------------------------------


def test_18_4_escaped_ships_may_try() -> None:
    """18.4 (E57) With the variant they may."""
    rig = chart(
        "replenish",
        {SHIP: "south_atlantic"},
        changes={SHIP: {"escaped": True}},
        options={"v18_4_escaped_may_replenish": True},
    )

    assert rig.options("axis", "replenish") == (SHIP,)


@pytest.mark.parametrize("escaped", [False, True])
def test_18_4_with_14_3_turn_4_stays_closed(escaped: bool) -> None:
    """14.3, 18.4 The variant lets the escaped try, not anybody later than turn 3."""
    options = {"v18_4_escaped_may_replenish": True}
    for turn, asked in ((3, True), (4, False)):
        rig = chart(
            "replenish",
            {"gneisenau": "north_atlantic"},
            turn=turn,
            changes={"gneisenau": {"escaped": escaped}},
            options=options,
        )
        assert (rig.asked() == {"axis": "prompt.war_at_sea.replenish"}) is asked


# --- 18.5 -----------------------------------------------------------------------------------------


def test_18_5_the_usa_is_closed_until_turn_4() -> None:
    """18.5 (E72) A ship that fails its roll into the North Atlantic on turn 3 may not go to the
    USA; on turn 4 it may."""
    for turn, ports in ((3, {"malta", "england"}), (4, {"malta", "england", "usa"})):
        rig = chart(
            "allied_sail",
            {"nelson": "malta"},
            turn=turn,
            options={"v18_5_usa_closed_before_t4": True},
        )
        ship = rig.state.ships["nelson"]
        assert rig.state.may_enter_port(ship, "usa") is ("usa" in ports)


def test_18_5_convoys_start_from_the_usa_all_the_same() -> None:
    """13.1, 18.5 Convoy 1A sails on turn 3 with the variant."""
    rig = chart(
        "allied_sail", {"convoy_1a": "usa"}, turn=3, options={"v18_5_usa_closed_before_t4": True}
    )

    rig.do("allied", "sail", "convoy_1a", "north_atlantic")
    assert place(rig, "convoy_1a") == "north_atlantic"


def test_18_5_a_failed_roll_beside_the_closed_usa() -> None:
    """6.2, 18.5 On turn 3 the USA is no refuge; with England alone left the ship goes there without
    a question."""
    rig = chart(
        "allied_sail", {"nelson": "england"}, turn=3, options={"v18_5_usa_closed_before_t4": True}
    )

    rig.do("allied", "sail", "nelson", "south_atlantic", "north_atlantic")
    rig.dice(3)
    rig.do("allied", "done")
    assert place(rig, "nelson") == "england"


# --- 18.6 -----------------------------------------------------------------------------------------


def test_18_6_ships_in_the_neutral_port_are_interned() -> None:
    """18.6 Ships that stay in the neutral port are removed, at no cost."""
    rig = chart(
        "score",
        {"hood": "south_america", "zara": "south_america"},
        options={"v18_6_internment": True},
    )

    assert (place(rig, "hood"), place(rig, "zara")) == ("removed", "removed")
    assert happened(rig, Scored)[0].allied == (0, 0, 0)


@pytest.mark.parametrize(
    ("interned", "cost", "where"), [(False, 1, "south_america"), (True, 0, "removed")]
)
def test_18_6_back_in_the_neutral_port_by_a_failed_roll(
    interned: bool, cost: int, where: str
) -> None:
    """6.2, 15.6, 18.6, R37 Lützow left South America, failed, and chose to go back though France
    was open: a point, or interned."""
    rig = chart(
        "axis_sail", {"lutzow": "south_america"}, turn=2, options={"v18_6_internment": interned}
    )
    rig.do("axis", "sail", "lutzow", SA, NA)
    rig.dice(5)
    rig.do("axis", "done")
    assert set(rig.options("axis", "put_back")) == {"france", "south_america", "lutzow"}
    rig.do("axis", "put_back", "south_america")
    rig.do("allied", "pass")
    rig.do("axis", "pass")

    assert happened(rig, Scored) == [Scored(2, (0, 0, 0), (0, 0, cost), -cost)]
    assert place(rig, "lutzow") == where


def test_18_6_a_ship_is_interned_when_it_stays_not_when_it_arrives() -> None:
    """15.6, 18.6 Arrived on turn 1 it is safe; staying on turn 2 it is out of the game at no
    cost."""
    rig = chart(
        "replenish", {"lutzow": "north_atlantic"}, turn=1, options={"v18_6_internment": True}
    )
    rig.dice(6)
    rig.do("axis", "replenish", "lutzow")
    assert place(rig, "lutzow") == "south_america"
    events = quiet(rig, 3)

    assert [event for event in events if type(event) is Interned] == [Interned(("lutzow",))]
    assert scores(events) == [(0, 0)]
    assert place(rig, "lutzow") == "removed"


# --- 18.a -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [("v18_7", True), ("opt_combat_order", "by_port"), ("v18_6_internment", "perhaps")],
)
def test_18_a_wrong_option_is_told_what_is_allowed(name: str, value: object) -> None:
    """18 An unknown name or value is refused, with the names or values there are."""
    with pytest.raises(BadOption) as caught:
        Rig(RULES, PACK, options={name: value})
    assert "opt_combat_order" in str(caught.value) or "may be" in str(caught.value)
