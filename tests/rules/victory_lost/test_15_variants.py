"""Chapter 15: the variants, and rulings as options."""

import pytest

from tests.rules.victory_lost.battles import AROUND, GERMAN, PANZER, TANKS, attack, combat
from tests.rules.victory_lost.bench import RIFLE, Bench, board_t, real_pack
from tests.rules.victory_lost.commands import MANSTEINS, STAVKA, started
from tests.rules.victory_lost.marches import ROAD, moving
from warledger.engine.games.victory_lost.command import AheadShown, available, contents
from warledger.engine.games.victory_lost.rules import RULES, SWITCHES
from warledger.engine.games.victory_lost.state import changed
from warledger.engine.kernel.change import replace
from warledger.protocol.chance.seal import Secret
from warledger.protocol.log.records import Genesis


def test_15_0_rulings_that_rest_on_common_sense_can_be_switched() -> None:
    """R-02, R-03, R-19, R-23, R-26, R-31, R-34, R-37, R-40, R-41, R-43: each has a switch, the
    ruling being its default."""
    defaults = {switch.name: switch.default for switch in SWITCHES}

    assert {
        "reset_distance": "straight",
        "set_up_first": "axis",
        "reset_retry": True,
        "attack_of_nothing": False,
        "retreat_distance": False,
        "cavalry_advance": False,
        "reset_first": "axis",
        "entry_zone_cost": True,
        "automatic_lead": 30,
        "hq_takes_city": False,
        "tie": "draw",
    }.items() <= defaults.items()


def test_15_0_a_log_older_than_a_switch_plays_by_its_default() -> None:
    """15.0: A genesis that does not name a switch, since its release did not have it, is played by
    the ruling that was in force."""
    genesis = Genesis.from_record(Bench().records[0])
    older = replace(
        genesis,
        options={
            name: value for name, value in genesis.options.items() if name != "reset_distance"
        },
    )

    assert RULES.initial(older).option("reset_distance") == "straight"


def test_15_0_1_a_five_points_for_panzers() -> None:
    """15.0.1: With the variant a German mechanized unit is worth five."""
    types = Bench(panzer_points=5).state.data.types

    assert types["ax.panzer.6"].points == 5
    assert types["ax.inf.62"].points == 1
    assert types["ax.it.pada"].points == 0


def test_15_0_1_a_five_points_wherever_a_panzer_division_falls() -> None:
    """15.0.1(a): Without a way out: 5 points; cut off at the end: 5; an infantry division 1 as
    ever."""
    ring = dict(zip((*TANKS, RIFLE, "su.rifle.107"), AROUND, strict=True))
    bench = combat({PANZER: "1010", **ring}, bench=Bench(panzer_points=5))
    attack(bench, 4, "1010", *TANKS)
    assert bench.state.score["soviet"] == 5

    bench = Bench(panzer_points=5)
    bench.stand({PANZER: "1010", GERMAN: "1011"}, turn=9, supply={PANZER: 1, GERMAN: 1})
    bench.change(score={"axis": 20, "soviet": 15})
    bench.jump("set_up_first", "turn_advance")
    assert bench.state.score == {"axis": 20, "soviet": 21}


def test_15_0_1_b_a_command_march_gets_a_point_more() -> None:
    """15.0.1: A counter clear of enemy zones gets one point more, also for strategic movement."""
    road = " ".join(f"{c:02}10" if c % 2 else f"{c:02}09" for c in range(1, 20))
    bench = Bench(board_t(roads=(road,)), command_march=True)
    bench.stand({"su.rifle.1": "0110", "ax.inf.62": "1510"})
    bench.activate("soviet", "su.rifle.1")

    assert len(bench.reach("soviet", "move", "su.rifle.1", "road")) == 10
    grid = bench.state.data.board.grid
    swift = bench.reach("soviet", "move", "su.rifle.1", "swift")
    assert max(grid.distance(grid.at("0110"), grid.at(hex_id)) for hex_id in swift) == 5
    normal = bench.reach("soviet", "move", "su.rifle.1")
    assert max(grid.distance(grid.at("0110"), grid.at(hex_id)) for hex_id in normal) == 4

    bench.stand({"su.rifle.1": "0110", "ax.inf.62": "0209"})
    bench.activate("soviet", "su.rifle.1")
    assert bench.refused("soviet", "move", "su.rifle.1", "swift").rule == "15.0.1"


def test_15_0_1_b_a_command_march_stops_before_zones() -> None:
    """15.0.1(b): With the extra point a rifle division goes five hexes clear of zones; into one it
    has its 4 points only."""
    bench = Bench(command_march=True)
    bench.stand({RIFLE: "1010", GERMAN: "1610"})
    moving(bench, RIFLE)

    assert "1410" in bench.reach("soviet", "move", RIFLE)
    assert not {"1509", "1510", "1511"} & bench.reach("soviet", "move", RIFLE)
    refusal = bench.refused("soviet", "move", RIFLE, "swift", "1510")
    assert (refusal.rule, refusal.key) == ("15.0.1", "refusal.victory_lost.road_zone")


def test_15_0_1_b_not_from_a_zone() -> None:
    """15.0.1(b): A unit that begins in an enemy zone has no extra point; the refusal names the
    variant."""
    bench = Bench(command_march=True)
    bench.stand({PANZER: "1010", RIFLE: "1110"})
    moving(bench, PANZER, side="axis")

    assert "swift" not in bench.options("axis", "move", PANZER)
    assert bench.refused("axis", "move", PANZER, "swift").rule == "15.0.1"


def test_15_0_1_b_command_march_out_of_a_box() -> None:
    """15.0.1, 11.2.2: A counter that enters from its box clear of enemy zones gets the point more
    as well."""
    bench = Bench(command_march=True)
    bench.stand({}, turn=2, boxes={"su.rifle.34g": "box.28a"})
    bench.activate("soviet", "su.rifle.34g", box="box.28a")
    assert "swift" in bench.options("soviet", "move", "su.rifle.34g")
    events = bench.do("soviet", "move", "su.rifle.34g", "swift", "1720", "1716")
    assert (events[0].mode, events[0].left) == ("swift", 0)

    plain = Bench()
    plain.stand({}, turn=2, boxes={"su.rifle.34g": "box.28a"})
    plain.activate("soviet", "su.rifle.34g", box="box.28a")
    assert "swift" not in plain.options("soviet", "move", "su.rifle.34g")
    assert "1716" not in plain.reach("soviet", "move", "su.rifle.34g", "1720")


def test_15_0_1_c_first_panzer_army_a_turn_later() -> None:
    """15.0.1: Its counters and chit come on turn 5."""
    data = Bench(late_1pza=True).state.data
    both = {"ax.hq.1pza", "chit.ax.1pza"}
    due = {
        turn.number
        for turn in data.turns
        for arrival in turn.arrivals
        if both & set(arrival.pieces)
    }

    assert due == {5}


def test_15_0_1_c_first_panzer_army_on_turn_5() -> None:
    """15.0.1(c): Turn 4 brings neither its counters nor its chit; turn 5 both."""
    for turn, where, chit in ((4, "to_come", False), (5, "box.1pza", True)):
        bench = Bench(board_t(rails=(ROAD,)), late_1pza=True, seed=1)
        bench.stand({GERMAN: "1010"}, turn=turn)
        bench.jump("set_up_first", "reinforcement_segment", "receive")
        while bench.asked() == {"axis": "prompt.victory_lost.place"}:
            name = bench.options("axis", "place")[0]
            bench.do("axis", "place", name, bench.options("axis", "place", name)[0])
        assert bench.hexes("ax.hq.1pza") == (where,)
        assert ("chit.ax.1pza" in bench.state.cup.stock["axis"]) is chit


def test_15_0_2_a_manstein_at_once() -> None:
    """15.0.2: The chit of turn 3 is there for the selection of turn 3, and is not received
    twice."""
    bench = Bench(manstein_at_once=True)
    bench.stand({"ax.inf.62": "1010"}, turn=2)
    bench.jump("turn", "turn_start")
    assert bench.state.turn == 3
    assert bench.state.cup.stock["axis"].count("chit.ax.manstein.1") == 1

    bench.jump("set_up_first", "reinforcement_segment", "gain_chits")
    assert bench.state.cup.stock["axis"].count("chit.ax.manstein.1") == 1


def test_15_0_2_a_the_second_manstein_is_chosen_on_the_turn_it_comes() -> None:
    """15.0.2(a): On turn 5 the second Manstein chit is among those the Axis chooses from; without
    the variant it is not."""
    for option, there in ((True, True), (False, False)):
        bench = Bench(manstein_at_once=option)
        bench.stand({GERMAN: "1010"}, turn=4)
        bench.jump("turn", "turn_start")
        assert (MANSTEINS[1] in available(bench.state, "axis")) is there


def test_15_0_2_b_chits_a_turn_ahead() -> None:
    """15.0.2: On turn 1 the Soviet player chooses, then writes down turn 2 in secret; on turn 2 it
    is shown and he writes down turn 3."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical", chits_ahead=True)
    first = ("chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    bench.do("soviet", "choose", *first)
    assert bench.asked()["soviet"] == "prompt.victory_lost.chits_ahead"
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.popov", "chit.su.stavka")
    assert b"chit.su.popov" not in bench.records[-1].data
    assert bench.asked() == {"axis": "prompt.victory_lost.chits"}

    bench.jump("turn", "turn_start")
    assert bench.state.turn == 2
    assert bench.state.cup.chosen["soviet"] is not None
    assert "chit.su.popov" in bench.state.cup.chosen["soviet"].value
    assert bench.asked() == {
        "axis": "prompt.victory_lost.chits",
        "soviet": "prompt.victory_lost.chits_ahead",
    }


def test_15_0_2_b_a_chit_written_down_whose_hq_has_gone() -> None:
    """15.0.2(b), 11.3: Written down on turn 1 and removed with its HQ at the end of it: it is
    neither shown nor in the cup."""
    bench = started(chits_ahead=True)
    ahead = Secret(
        ("chit.su.1gda", "chit.su.2gda", "chit.su.popov", STAVKA), ("soviet",), (1, (6, 0, 2))
    )
    cup = bench.state.cup
    bench.state = changed(
        bench.state,
        turn=2,
        cup=type(cup)(five=cup.five, stock=cup.stock, ahead=ahead, removed=("chit.su.2gda",)),
    )
    events = bench.jump("command_phase", "show_ahead")

    assert [event.chits for event in events if isinstance(event, AheadShown)] == [
        ("chit.su.1gda", "chit.su.popov", STAVKA)
    ]
    assert contents(bench.state) == ("chit.su.1gda", "chit.su.popov", STAVKA)


@pytest.mark.parametrize(("option", "offered"), [("known", False), ("any", True)])
def test_15_0_2_c_the_axis_names_the_first_chit(option: str, offered: bool) -> None:
    """15.0.2: After the special combat the Axis names a chit that it knows to be in the cup (or
    any); it is drawn first."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical", first_chit=option)
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    bench.do("soviet", "pass")
    assert bench.asked() == {"axis": "prompt.victory_lost.first_chit"}
    assert ("chit.su.1gda" in bench.options("axis", "name")) is offered
    bench.do("axis", "name", "chit.ax.hollidt")

    assert bench.state.cup.in_hand == "chit.ax.hollidt"


def test_15_0_2_c_a_chit_named_that_is_not_in_the_cup() -> None:
    """15.0.2(c): Named at a venture and not there, the first chit is left to chance."""
    bench = started(first_chit="any")
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", STAVKA)
    bench.do("soviet", "pass")
    bench.draws(5)
    bench.do("axis", "name", "chit.su.5tka")

    assert bench.state.cup.in_hand == STAVKA


def test_15_0_2_c_naming_is_voluntary() -> None:
    """15.0.2(c): The Axis may name the first chit; it may as well leave it to chance."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical", first_chit="known")
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    bench.do("soviet", "pass")
    bench.draws(2)
    bench.do("axis", "pass")

    assert bench.state.cup.in_hand == "chit.su.1gda"
