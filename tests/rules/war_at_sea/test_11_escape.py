"""11.1-11.3, 11.8 Escape: who writes what, and the groups."""

import pytest

from tests.rules.war_at_sea.charts import BAR, CONVOY, NA, NS, happened, place
from tests.rules.war_at_sea.waters import (
    at_combat,
    battle,
    fleet,
    hold,
    hold_fire,
    lone_hunter,
    quiet_round,
    write_escape,
)
from warledger.engine.games.war_at_sea.convoys import ConvoyArrived
from warledger.engine.games.war_at_sea.escape import (
    EscapeShown,
    EscapeWritten,
    GroupsFormed,
    ShipsEscaped,
)
from warledger.engine.games.war_at_sea.pursuit import PursuitAssigned
from warledger.engine.games.war_at_sea.state import State
from warledger.engine.games.war_at_sea.victory import Scored
from warledger.engine.games.war_at_sea.volley import ShipSunk
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.choices import Choices
from warledger.protocol.canon import Seal
from warledger.protocol.log import records

# --- 11.1 -----------------------------------------------------------------------------------------


def test_11_1_both_write_at_once_and_sealed() -> None:
    """11.1, 11.8, R26 After a round both sides are asked at once; what the first wrote is sealed
    until the second has written."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])
    quiet_round(rig)

    assert rig.asked().keys() == {"allied", "axis"}
    offered = rig.choices("allied")
    assert isinstance(offered, Choices) and offered.sealed
    rig.do("allied", "escape")
    body = rig.records[-1].body
    assert type(body[records.PICKS]) is Seal
    assert [type(field) for field in body[records.EVENTS][0]] == [str, str, Seal]
    written = happened(rig, EscapeWritten)[0]
    assert written.choice.readers == ("allied",)
    assert rig.asked().keys() == {"axis"}
    rig.do("axis", "stay")
    assert happened(rig, EscapeShown) == [EscapeShown("escape", "stay")]
    assert len(rig.records[-1].body[records.OPENED]) == 2


def test_11_1_none_escapes_next_round() -> None:
    """11.1, R26 Both stay: the next round."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])
    quiet_round(rig)
    write_escape(rig)

    assert rig.state.combat.round == 2
    assert rig.asked() == {"allied": "prompt.war_at_sea.name_targets"}


def test_11_1_every_side_is_asked() -> None:
    """11.1, R57 A side with only a convoy is asked like any other."""
    rig = battle("north_atlantic", ["convoy_1a"], ["scharnhorst"])
    quiet_round(rig)

    assert rig.asked().keys() == {"allied", "axis"}


def test_11_1_one_escapes_without_pursuit() -> None:
    """11.1, 11.6, 12.1 (E46) The Allies escape, the Axis lets them go: the Axis controls, the ships
    are still in the area."""
    rig = battle("north_sea", ["hood", "norfolk"], ["scharnhorst"])
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("allied", "together")

    rig.do("axis", "let_go")
    assert happened(rig, PursuitAssigned) == [PursuitAssigned("axis", ((),))]
    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("hood", "norfolk"), "north_sea")]
    assert rig.state.control["north_sea"] == "axis"
    assert fleet(rig, "north_sea") == ("hood", "norfolk", "scharnhorst")


def test_11_1_boats_cancel_the_allies_control() -> None:
    """11.1, 12.1 The Axis escapes, but a U-boat is there: nobody controls."""
    rig = battle("north_sea", ["nelson"], ["scharnhorst"], boats=1)
    rig.do("allied", "hold_fire")
    rig.do("axis", "hold_fire")
    quiet_round(rig)
    write_escape(rig, axis="escape")

    assert rig.state.ships["scharnhorst"].escaped
    assert rig.state.control["north_sea"] == ""


def test_11_1_the_axis_escapes_and_the_allies_control() -> None:
    """11.1, 11.4 The Allied convoy and Nelson are too slow to pursue Scharnhorst: it has escaped
    and the Allies control."""
    rig = battle("north_atlantic", ["nelson", CONVOY], ["scharnhorst"])
    hold(rig)
    write_escape(rig, axis="escape")

    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("scharnhorst",), "north_atlantic")]
    assert rig.state.control["north_atlantic"] == "allied"


def test_11_1_escape_is_decided_after_the_round() -> None:
    """11.1 A side that would escape instead of firing is told when it may."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])

    assert rig.refused("allied", "escape").rule == "11.1"


def test_11_1_escape_and_the_boats() -> None:
    """8.5, 11.1, 12.1 The Allies escape from Lützow while a boat is there: the Axis controls by
    Lützow; with Lützow escaping instead nobody does, since the boat cancels the Allies' control."""
    holders = []
    for who in ("allied", "axis"):
        rig = battle(NS, ["nelson"], ["lutzow"], boats=1)
        hold_fire(rig, "allied", "axis", "allied", "axis")
        write_escape(rig, **{who: "escape"})
        if "axis" in rig.asked() and rig.asked()["axis"] == "prompt.war_at_sea.pursue":
            rig.do("axis", "let_go")
        holders.append(rig.state.control[NS])

    assert holders == ["axis", ""]


# --- 11.2 -----------------------------------------------------------------------------------------


def test_11_2_nobody_fast_enough_is_not_asked() -> None:
    """11.2, 11.4 Where no ship could catch the slowest of them the escape succeeds without a
    question."""
    rig = battle("north_sea", ["nelson", "rodney"], ["scharnhorst"])
    quiet_round(rig)
    write_escape(rig, axis="escape")

    assert rig.state.fight is None
    assert rig.state.ships["scharnhorst"].escaped
    assert rig.state.control["north_sea"] == "allied"


def test_11_2_pursuing_side_wiped_out() -> None:
    """11.2, R28 (E48) Hipper is sunk and no other Axis ship is there: nobody controls. Had Scheer
    stayed out: the Axis."""
    assert lone_hunter(("admiral_hipper",)).state.control["north_sea"] == ""
    assert lone_hunter(("admiral_hipper", "admiral_scheer")).state.control["north_sea"] == "axis"


def test_11_2_the_whole_group_destroyed_gives_the_pursuer_control() -> None:
    """11.2, R28 Every fleeing ship is sunk: the pursuer controls."""
    rig = battle("north_sea", ["norfolk"], ["scharnhorst"])
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "scharnhorst", "group_1")
    rig.do("allied", "hold_fire")
    rig.dice(5, 1, 1, 2)
    rig.do("axis", "fire", "scharnhorst", "norfolk")

    assert rig.state.control["north_sea"] == "axis"


def test_11_2_R28_pursuers_wiped_out_beside_a_u_boat() -> None:
    """11.2, 12.1 The only pursuer is disabled and the Allied ship has escaped: nobody controls,
    U-boat or not."""
    rig = battle("north_sea", ["hood"], ["admiral_hipper"], boats=1)
    hold(rig)
    hold(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "admiral_hipper", "group_1")
    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "admiral_hipper")
    hold(rig, "axis")

    assert rig.state.control["north_sea"] == ""


def test_11_2_a_pursuer_sunk_and_another_that_stayed() -> None:
    """11.2, 11.6, 13.3, R28 In the Barents Sea Hipper pursues Norfolk and is sunk; Lützow stayed
    out and controls for two; the convoy that escaped goes to Russia for three. Net one to the
    Allies."""
    rig = at_combat({"norfolk": BAR, "convoy_1a": BAR, "admiral_hipper": BAR, "lutzow": BAR}, 4)
    hold_fire(rig, "allied", "axis")
    write_escape(rig, allied="escape")
    rig.do("allied", "apart")
    rig.do("axis", "pursue", "admiral_hipper", "group_1")
    rig.dice(6, 3)
    rig.do("allied", "fire", "norfolk", "admiral_hipper")
    rig.do("axis", "hold_fire")

    assert happened(rig, ConvoyArrived) == [ConvoyArrived("convoy_1a", BAR, "russia", 3)]
    assert happened(rig, Scored) == [Scored(4, (0, 3, 0), (2, 0, 0), -1)]
    assert (place(rig, "norfolk"), place(rig, "lutzow")) == ("russia", "germany")


# --- 11.3 -----------------------------------------------------------------------------------------


def test_11_3_groups_and_their_speed() -> None:
    """11.3, R55 All ships go into groups; a group's escape speed is that of its slowest ship,
    damage counted."""
    rig = battle("north_sea", ["hood", "norfolk", "nelson"], ["scharnhorst"], damage={"hood": 1})
    quiet_round(rig)
    write_escape(rig, allied="escape")

    assert rig.asked() == {"allied": "prompt.war_at_sea.form_groups"}
    rig.do("allied", "groups", "norfolk", "hood", "next_group", "nelson")
    assert happened(rig, GroupsFormed) == [
        GroupsFormed("allied", (("norfolk", "hood"), ("nelson",)), (6, 3))
    ]


def test_11_3_ships_that_are_not_named_form_the_last_group() -> None:
    """11.3 No ship stays behind: those that are not named form one more group; the shorthands make
    the usual ones."""

    def escaping() -> Rig[State]:
        rig = battle("north_sea", ["nelson", "hood", "norfolk"], ["scharnhorst"])
        quiet_round(rig)
        write_escape(rig, allied="escape")
        return rig

    made = {}
    for picks in (("groups", "hood"), ("together",), ("apart",), ("by_speed",)):
        rig = escaping()
        rig.do("allied", *picks)
        made[picks[0]] = happened(rig, GroupsFormed)[0].groups
    assert made == {
        "groups": (("hood",), ("nelson", "norfolk")),
        "together": (("nelson", "hood", "norfolk"),),
        "apart": (("nelson",), ("hood",), ("norfolk",)),
        "by_speed": (("hood", "norfolk"), ("nelson",)),
    }
    rig = escaping()
    refusal = rig.refused("allied", "groups", "hood", "hood")
    assert (refusal.rule, refusal.key) == ("11.3", "refusal.war_at_sea.grouped_already")
    refusal = rig.refused("allied", "groups", "next_group")
    assert (refusal.rule, refusal.key) == ("11.3", "refusal.war_at_sea.empty_group")


def test_11_3_a_partial_escape_is_illegal() -> None:
    """11.3, R26 All ships of the side escape: naming some is refused with the clause."""
    rig = battle("north_sea", ["hood", "norfolk"], ["scharnhorst"])
    quiet_round(rig)

    refusal = rig.refused("allied", "escape", "hood")
    assert (refusal.rule, refusal.key) == ("11.3", "refusal.war_at_sea.all_escape_or_none")


def test_11_3_a_convoy_flees_at_its_own_speed() -> None:
    """11.3, R27 (E47) Each in a group of its own: Lützow cannot catch Norfolk at 7, but the convoy
    at 2, and sinks it."""
    rig = battle("north_atlantic", ["norfolk", CONVOY], ["lutzow", "scharnhorst"])
    hold(rig)
    write_escape(rig, allied="escape")
    rig.do("allied", "apart")
    assert happened(rig, GroupsFormed) == [
        GroupsFormed("allied", (("norfolk",), (CONVOY,)), (7, 2))
    ]

    assert rig.refused("axis", "pursue", "lutzow", "group_1").rule == "11.4"
    rig.do("axis", "pursue", "lutzow", "group_2")
    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("norfolk",), "north_atlantic")]
    rig.dice(5, 1, 6)
    rig.do("axis", "fire", "lutzow", CONVOY)
    assert happened(rig, ShipSunk) == [ShipSunk(CONVOY, 6)]
    assert rig.state.control["north_atlantic"] == "axis"


# --- 11.8 -----------------------------------------------------------------------------------------


def test_11_8_if_both_escape_nobody_controls() -> None:
    """11.8 (E45) Both write escape: both succeed, nobody controls."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])
    quiet_round(rig)
    write_escape(rig, "escape", "escape")

    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("hood", "scharnhorst"), "north_sea")]
    assert rig.state.control["north_sea"] == ""
    assert fleet(rig, "north_sea") == ("hood", "scharnhorst")


def test_11_8_what_the_other_wrote_changes_nothing_that_is_offered() -> None:
    """11.8 Whether the first paper says stay or escape, the second seat is offered and asked the
    same."""
    seen = []
    for word in ("stay", "escape"):
        rig = battle("north_sea", ["hood"], ["scharnhorst"])
        quiet_round(rig)
        rig.do("allied", word)
        seen.append(
            (
                rig.asked(),
                rig.choices("axis"),
                rig.choices("axis", "stay"),
                len(rig.records[-1].data),
            )
        )
    assert seen[0] == seen[1]


@pytest.mark.parametrize("variant", [False, True])
def test_11_8_after_a_double_escape(variant: bool) -> None:
    """11.8, 14.1, 18.4, A.2 Both escape on turn 1: nobody scores. Scharnhorst may not replenish and
    goes to Germany by itself, France being closed; with the variant it may try, and on a 5 may
    stay."""
    rig = at_combat(
        {"hood": NA, "scharnhorst": NA}, 1, options={"v18_4_escaped_may_replenish": variant}
    )
    hold_fire(rig, "allied", "axis")
    write_escape(rig, "escape", "escape")
    if variant:
        rig.dice(5)
        rig.do("axis", "replenish", "scharnhorst")
        rig.do("axis", "done")
    assert rig.asked() == {"allied": "prompt.war_at_sea.return"}
    rig.do("allied", "return", "england")

    assert happened(rig, Scored) == [Scored(1, (0, 0, 0), (0, 0, 0), 0)]
    assert place(rig, "scharnhorst") == (NA if variant else "germany")
