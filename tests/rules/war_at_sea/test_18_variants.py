"""18 Variants: options of the genesis, off by default. 18.3 – 18.6 also stand with the chapters that they change."""

from typing import Any

import pytest

from engine.games.war_at_sea import RULES
from engine.games.war_at_sea.events import ConvoyArrived, PutBack, RepairedFaceDown, Sailed, SpeedRolled, TurnedUp
from engine.games.war_at_sea.state import Options, State
from engine.kernel.audience import entitled
from engine.kernel.rig import Rig
from protocol import records
from protocol.canon import Seal
from protocol.choices import Choices
from protocol.effects import Board, unpack
from protocol.seal import Secret
from tests.rules.war_at_sea.charts import PACK, chart, happened, pass_on, place

HIDDEN = {"v18_2_hidden_allied_movement": True}


def test_18_every_variant_is_off_by_default() -> None:
    """18 A game without options is the game of the rule book."""
    assert Rig(RULES, PACK).state.options == Options()
    assert [switch.name for switch in RULES.switches if switch.default not in (False, "by_type")] == []


@pytest.mark.parametrize(("option", "armor"), [(False, 9), (True, 7)])
def test_18_1_weaker_bismarck_class(option: bool, armor: int) -> None:
    """18.1 Bismarck and Tirpitz have armor 7 instead of 9; nobody else changes."""
    rig = Rig(RULES, PACK, options={"v18_1_weaker_bismarck_class": option})

    assert [rig.state.ships[name].armor for name in ("bismarck", "tirpitz", "scharnhorst")] == [armor, armor, 5]


def test_18_5_the_usa_is_closed_until_turn_4() -> None:
    """18.5 (E72) A ship that fails its roll into the North Atlantic on turn 3 may not go to the USA; on turn 4 it may."""
    for turn, ports in ((3, {"malta", "england"}), (4, {"malta", "england", "usa"})):
        rig = chart("allied_sail", {"nelson": "malta"}, turn=turn, options={"v18_5_usa_closed_before_t4": True})
        ship = rig.state.ships["nelson"]
        assert rig.state.may_enter_port(ship, "usa") is ("usa" in ports)


# --- 18.2 hidden movement ---------------------------------------------------------------------------------------------------------


def masked(value: Any) -> Any:
    """A record's body with every seal blanked and hashes left out."""
    if type(value) is Seal:
        return "sealed"
    if type(value) is tuple:
        return tuple(masked(item) for item in value)
    return "bytes" if type(value) is bytes else value


def seen(rig: Rig[State]) -> list[Any]:
    """All that the Axis can see of the game's records so far: bodies, effects, and its own openings."""
    out: list[Any] = []
    for record in rig.records[1:]:
        body = list(record.body)
        if record.kind == records.COMMAND:
            body[records.EFFECTS] = unpack(record.body[records.EFFECTS])
        mine = [(item.seq, item.path, item.value) for item in entitled(rig.openings[record.seq], "axis")]
        out.append((record.seq, record.actor, record.kind, masked(tuple(body)), mine))
    return out


def every_choice(rig: Rig[State], seat: str, depth: int = 3, picks: tuple[Any, ...] = ()) -> list[Any]:
    """The choices of a seat, to a depth."""
    found = rig.choices(seat, *picks)
    assert isinstance(found, Choices)
    ids = [option.id for option in found.options]
    out: list[Any] = [(picks, ids, found.span, found.complete, found.sealed)]
    if len(picks) < depth:
        for pick in ids:
            out.extend(every_choice(rig, seat, depth, (*picks, pick)))
    return out


FLEET = {"hood": "england", "nelson": "england", "renown": "england", "repulse": "england", "ark_royal": "england", "eagle": "malta"}


def hidden(**more: Any) -> Rig[State]:
    """Six British ships and a few Germans, hidden movement, at the beginning of Allied movement."""
    places = {**FLEET, "scharnhorst": "germany", "lutzow": "germany"}
    return chart("turn_down", places, turn=2, boats={"germany": 2}, options=HIDDEN, seed=5, damage={"hood": 1, "nelson": 1}, **more)


def test_18_2_the_axis_sees_numbers_only() -> None:
    """18.2, R43 Ships sail face down: the event holds a secret of the Allies, the board a number in each place."""
    rig = Rig(RULES, PACK, options=HIDDEN)
    rig.do("allied", "done")

    (sailed,) = [event for event in rig.do("allied", "sail", "hood", "nelson", "north_sea") if type(event) is Sailed]
    assert sailed.ships == (Secret("hood", ("allied",)), Secret("nelson", ("allied",)))
    assert (rig.board.counts["england"], rig.board.counts["north_sea"]) == (25, 2)
    assert not any(name in rig.board.pieces for name in FLEET)
    assert "hood" not in repr(seen(rig)[-1])


def test_18_2_nothing_tells_which_ships_sailed_or_were_repaired() -> None:
    """18.2 Two games that differ only in which ships sailed, and whether any was repaired, look the same to the Axis: records, effects,
    openings, what it is asked and what it is offered."""
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
    """18.2, R43 The dice are open, whose they are is not; the order comes from the hidden seed, whatever the order of sailing."""
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
    assert one.asked() == {"allied": "prompt.war_at_sea.put_back"}, "asked even about a single refuge, so that the origin stays hidden"
    failed = happened(one, SpeedRolled)[0].ship.value
    one.do("allied", "put_back", failed, "england")
    assert happened(one, PutBack)[0].port == "england"
    assert failed not in repr(seen(one)[-1])
    assert (one.board.counts["barents_sea"], one.board.counts["england"]) == (1, 4)


def test_18_2_repairs_are_one_secret_at_the_end() -> None:
    """18.2 Repairs follow `done`; there is no verb for them before, and the event is there in any case."""
    rig = hidden()

    assert rig.options("allied") == ("sail", "done")
    rig.do("allied", "done", "hood", 1, "nelson", 1)
    (event,) = happened(rig, RepairedFaceDown)
    assert event.repairs.value == (("hood", "england", 1), ("nelson", "england", 1))
    assert rig.state.ships["hood"].damage == 0


def test_18_2_combat_turns_ships_up() -> None:
    """18.2, R43 An area where combat begins is turned up, anti-submarine combat too; the rest when control has been decided."""
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
    """18.2 With his openings filled in, the board of the Allied player shows every ship where it is."""
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
