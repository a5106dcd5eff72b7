"""Chapter 11: escape and pursuit."""

from engine.games.war_at_sea.combat_events import (
    EscapeShown,
    EscapeWritten,
    GroupsFormed,
    PursuitAssigned,
    PursuitBrokenOff,
    PursuitOpened,
)
from engine.games.war_at_sea.events import ShipsEscaped, ShipSunk
from engine.games.war_at_sea.state import State
from engine.kernel.rig import Rig
from protocol import records
from protocol.canon import Seal
from protocol.choices import Choices
from tests.rules.war_at_sea.waters import battle, fleet, happened, write_escape


def quiet_round(rig: Rig[State]) -> None:
    """Both sides hold their fire, where they could fire."""
    for seat in ("allied", "axis"):
        if seat in rig.asked():
            rig.do(seat, "hold_fire")


def test_11_1_both_write_at_once_and_sealed() -> None:
    """11.1, 11.8, R26 After a round both sides are asked at once; what the first wrote is sealed until the second has written."""
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


def test_11_3_a_partial_escape_is_illegal() -> None:
    """11.3, R26 All ships of the side escape: naming some is refused with the clause."""
    rig = battle("north_sea", ["hood", "norfolk"], ["scharnhorst"])
    quiet_round(rig)

    refusal = rig.refused("allied", "escape", "hood")
    assert (refusal.rule, refusal.key) == ("11.3", "refusal.war_at_sea.all_escape_or_none")


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


def test_11_1_e46_one_escapes_without_pursuit() -> None:
    """11.1, 11.6, 12.1 (E46) The Allies escape, the Axis lets them go: the Axis controls, the ships are still in the area."""
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


def test_11_2_nobody_fast_enough_is_not_asked() -> None:
    """11.2, 11.4 Where no ship could catch the slowest of them the escape succeeds without a question."""
    rig = battle("north_sea", ["nelson", "rodney"], ["scharnhorst"])
    quiet_round(rig)
    write_escape(rig, axis="escape")

    assert rig.state.fight is None
    assert rig.state.ships["scharnhorst"].escaped
    assert rig.state.control["north_sea"] == "allied"


def test_11_3_groups_and_their_speed() -> None:
    """11.3, R55 All ships go into groups; a group's escape speed is that of its slowest ship, damage counted."""
    rig = battle("north_sea", ["hood", "norfolk", "nelson"], ["scharnhorst"], damage={"hood": 1})
    quiet_round(rig)
    write_escape(rig, allied="escape")

    assert rig.asked() == {"allied": "prompt.war_at_sea.form_groups"}
    rig.do("allied", "groups", "norfolk", "hood", "next_group", "nelson")
    assert happened(rig, GroupsFormed) == [GroupsFormed("allied", (("norfolk", "hood"), ("nelson",)), (6, 3))]


def test_11_3_ships_that_are_not_named_form_the_last_group() -> None:
    """11.3 No ship stays behind: those that are not named form one more group; the shorthands make the usual ones."""

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


def chase(*, damage: dict[str, int] | None = None) -> Rig[State]:
    """Hood alone and Norfolk with Nelson flee from Scharnhorst, Hipper and Scheer."""
    rig = battle("north_sea", ["hood", "norfolk", "nelson"], ["scharnhorst", "admiral_hipper", "admiral_scheer"], damage=damage)
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("allied", "groups", "hood", "next_group", "norfolk", "nelson")
    return rig


def test_11_4_pursuers_must_be_fast_enough() -> None:
    """11.4 Some or all pursue, each one group, at least as fast as its escape speed; a convoy never (R56)."""
    rig = chase()

    assert rig.asked() == {"axis": "prompt.war_at_sea.pursue"}
    assert rig.options("axis", "pursue", "admiral_scheer") == ("group_2",)
    refusal = rig.refused("axis", "pursue", "admiral_scheer", "group_1")
    assert (refusal.rule, refusal.key) == ("11.4", "refusal.war_at_sea.too_slow_for_group")
    refusal = rig.refused("axis", "pursue", "scharnhorst", "group_1", "scharnhorst", "group_2")
    assert (refusal.rule, refusal.key) == ("11.4", "refusal.war_at_sea.pursues_already")
    rig.do("axis", "pursue", "scharnhorst", "group_1", "rest", "group_2")
    assert happened(rig, PursuitAssigned) == [PursuitAssigned("axis", (("scharnhorst",), ("admiral_scheer", "admiral_hipper")))]
    assert rig.asked() == {"axis": "prompt.war_at_sea.pursuit_order"}
    rig.do("axis", "group_2")
    assert happened(rig, PursuitOpened) == [PursuitOpened(1)]
    assert rig.state.combat.allied == ("norfolk", "nelson")
    assert rig.asked() == {"allied": "prompt.war_at_sea.name_targets"}


def test_11_4_convoys_cannot_pursue() -> None:
    """11.4, R56 The Axis escapes at speed 1: the warship may pursue, the convoy may not."""
    rig = battle("north_atlantic", ["nelson", "convoy_1a"], ["scharnhorst"], damage={"scharnhorst": 5})
    quiet_round(rig)
    write_escape(rig, axis="escape")

    assert rig.options("allied", "pursue") == ("nelson",)
    refusal = rig.refused("allied", "pursue", "convoy_1a", "group_1")
    assert (refusal.rule, refusal.key) == ("11.4", "refusal.war_at_sea.convoy_pursues")


def test_11_4_groups_that_nobody_pursues_have_escaped() -> None:
    """11.4, 11.6 Hood's group is not pursued: it has escaped at once; the other group fights on."""
    rig = chase()
    rig.do("axis", "pursue", "admiral_hipper", "group_2")

    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("hood",), "north_sea")]
    assert (rig.state.combat.allied, rig.state.combat.axis) == (("norfolk", "nelson"), ("admiral_hipper",))


def test_11_4_carrier_protection_counts_only_the_group() -> None:
    """10.6, R27 In the pursuit of a group only its own ships protect a carrier."""
    rig = battle("north_sea", ["hood", "ark_royal"], ["scharnhorst"])
    rig.do("allied", "hold_fire")
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("allied", "apart")
    rig.do("axis", "pursue", "scharnhorst", "group_2")

    assert rig.options("axis", "fire", "scharnhorst") == ("ark_royal",)


def test_11_5_e44_escape_speed_is_fixed() -> None:
    """11.3, 11.5 (E44) Hood is slowed to 5, its group's escape speed stays 7; Scharnhorst, slowed to 6, must break off."""
    rig = battle("north_sea", ["hood"], ["scharnhorst", "gneisenau"])
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "rest", "group_1")

    rig.dice(6, 1, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.dice(5, 1, 1, 2)
    rig.do("axis", "fire", "gneisenau", "hood")
    assert rig.state.ships["hood"].speed_now == 5
    assert rig.state.combat.groups[0].speed == 7
    assert happened(rig, PursuitBrokenOff) == [PursuitBrokenOff(("scharnhorst",), True)]
    assert rig.state.combat.axis == ("gneisenau",)
    assert rig.asked() == {"axis": "prompt.war_at_sea.break_off"}


def test_11_5_pursuers_may_break_off() -> None:
    """11.5, 11.6 After a round some or all pursuers break off; when none is left the group has escaped."""
    rig = battle("north_sea", ["hood"], ["scharnhorst", "gneisenau"])
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "rest", "group_1")
    quiet_round(rig)

    refusal = rig.refused("axis", "break_off", "hood")
    assert (refusal.rule, refusal.key) == ("11.5", "refusal.war_at_sea.not_pursuing")
    rig.do("axis", "break_off", "gneisenau")
    rig.dice(1, 1, 1, 1, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.do("axis", "fire", "scharnhorst", "hood")
    assert rig.options("axis") == ("pursue_on", "break_off_all")
    rig.do("axis", "break_off_all")
    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("hood",), "north_sea")]
    assert rig.state.control["north_sea"] == "axis"


def test_11_5_a_pursuit_without_a_shot_is_given_up() -> None:
    """R25, 11.6 Two rounds of a pursuit without a die end it; the group has escaped and the pursuer keeps control."""
    rig = battle("north_sea", ["ark_royal"], ["scharnhorst"])
    rig.do("allied", "hold_fire")
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "scharnhorst", "group_1")

    for _ in range(2):
        rig.do("axis", "hold_fire")
        rig.do("axis", "pursue_on")
    assert rig.state.ships["ark_royal"].escaped
    assert rig.state.control["north_sea"] == "axis"


def test_11_6_disabled_pursuers_let_the_group_go() -> None:
    """11.6 The only pursuer is disabled: the group has escaped; with nobody left there nobody controls (11.2)."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "scharnhorst", "group_1")

    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.do("axis", "hold_fire")
    assert rig.state.ships["hood"].escaped
    assert rig.state.control["north_sea"] == ""


def lone_hunter(axis: tuple[str, ...]) -> Rig[State]:
    """E48: Hipper alone pursues Norfolk and is sunk."""
    rig = battle("north_sea", ["norfolk"], axis)
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "admiral_hipper", "group_1")
    rig.dice(6, 3)
    rig.do("allied", "fire", "norfolk", "admiral_hipper")
    rig.do("axis", "hold_fire")
    assert happened(rig, ShipSunk) == [ShipSunk("admiral_hipper", 3)]
    return rig


def test_11_2_e48_pursuing_side_wiped_out() -> None:
    """11.2, R28 (E48) Hipper is sunk and no other Axis ship is there: nobody controls. Had Scheer stayed out: the Axis."""
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


def test_11_7_e49_no_switching() -> None:
    """11.7 (E49) The pursuers of group 1 destroy it: they may not attack group 2, and ships that stayed out may not start."""
    rig = chase()
    rig.do("axis", "pursue", "scharnhorst", "group_1", "admiral_hipper", "group_2")
    rig.do("axis", "group_1")
    rig.do("allied", "hold_fire")
    rig.dice(5, 5, 1, 3, 3)
    rig.do("axis", "fire", "scharnhorst", "hood")

    assert happened(rig, ShipSunk) == [ShipSunk("hood", 6)]
    assert (rig.state.combat.allied, rig.state.combat.axis) == (("norfolk", "nelson"), ("admiral_hipper",))
    rig.do("allied", "hold_fire")
    for ship in ("scharnhorst", "admiral_scheer"):
        refusal = rig.refused("axis", "fire", ship, "norfolk")
        assert (refusal.rule, refusal.key) == ("11.7", "refusal.war_at_sea.not_in_pursuit")
    rig.do("axis", "hold_fire")
    refusal = rig.refused("axis", "pursue", "scharnhorst", "group_2")
    assert (refusal.rule, refusal.key) == ("11.7", "refusal.war_at_sea.no_switching")


def test_11_8_e45_both_escape() -> None:
    """11.8 (E45) Both write escape: both succeed, nobody controls."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])
    quiet_round(rig)
    write_escape(rig, "escape", "escape")

    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("hood", "scharnhorst"), "north_sea")]
    assert rig.state.control["north_sea"] == ""
    assert fleet(rig, "north_sea") == ("hood", "scharnhorst")


def test_11_8_what_the_other_wrote_changes_nothing_that_is_offered() -> None:
    """11.8 Whether the first paper says stay or escape, the second seat is offered and asked the same."""
    seen = []
    for word in ("stay", "escape"):
        rig = battle("north_sea", ["hood"], ["scharnhorst"])
        quiet_round(rig)
        rig.do("allied", word)
        seen.append((rig.asked(), rig.choices("axis"), rig.choices("axis", "stay"), len(rig.records[-1].data)))
    assert seen[0] == seen[1]
