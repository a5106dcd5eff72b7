"""Examples worked out by hand from the rule book, chapters 11 to 15: supply, boxes, reinforcements, garrison, victory, optional rules."""

from typing import Any

import pytest

from engine.games.typhoon.activation import out_of_range
from engine.games.typhoon.command import available, needed
from engine.games.typhoon.events import (
    Activated,
    Converted,
    DismissalRolled,
    Eliminated,
    Evacuated,
    GameOver,
    GateReached,
    IntakeClosed,
    IntakeOpened,
    Reduced,
    ReserveRolled,
    SupplyChecked,
)
from engine.games.typhoon.headquarters import home_of
from engine.games.typhoon.state import AVAILABLE, EVACUATED
from engine.games.typhoon.victory import held
from engine.kernel.position import Frame
from tests.rules.typhoon.bench import Bench, board_t, column, place, real_pack, source
from tests.rules.typhoon.test_06_command import draw, go, table
from tests.rules.typhoon.test_10_combat import INF, PZ, R3, R4
from tests.rules.typhoon.test_10_retreat import NORTH, battle
from tests.rules.typhoon.test_11_supply import RAIL, intake
from tests.rules.typhoon.test_14_special import EIGHT, GARRISON, TEN, end_of, garrison

LANE = {f"{c:02}{r:02}": "L" for c in (9, 11) for r in range(1, 11)}
"""Only column 10 leads north from 1010."""


def supply(standing: dict[str, str], *, reduced: tuple[str, ...] = (), turn: int = 3, **board: Any) -> Bench:
    """The SUPPLY chit is executed; the Soviet source is 1001, the Axis source 1020 unless given."""
    options = {key: board.pop(key) for key in ("off_map_line",) if key in board}
    board.setdefault("sources", NORTH)
    board.setdefault("rails", (column(10, 20, 15),))
    bench = Bench(board_t(**board), **options)
    bench.stand(standing, reduced=reduced, turn=turn)
    bench.jump("set_up_first", "supply", "supply_losses")
    return bench


# --- 11.0


def test_the_blocker_falls_with_the_blocked() -> None:
    """11.1(1), R-31 A reduced German division at 1005 cuts the one line of a rifle division at 1010 and has none itself: one position, both
    lose a step, the German is out for good."""
    bench = supply({R3[0]: "1010", INF[0]: "1005"}, rows=LANE, reduced=(INF[0],))
    assert bench.happened(SupplyChecked)[0].units == (INF[0], R3[0])
    assert Eliminated(INF[0], "supply", "eliminated") in bench.events and Reduced(R3[0], "supply") in bench.events


def test_evacuation_is_judged_after_the_losses() -> None:
    """11.2, R-32 With the blocker gone the rifle division has a LOC and may be lifted, reduced as it is."""
    bench = supply({R3[0]: "1010", INF[0]: "1005"}, rows=LANE, reduced=(INF[0],))
    assert bench.asked() == {"soviet": "prompt.typhoon.evacuate"}
    bench.do("soviet", "evacuate", R3[0])
    assert bench.happened(Evacuated) == [Evacuated(R3[0])]
    assert bench.state.units[R3[0]].reduced and bench.hexes(R3[0]) == ("box.evacuated.soviet",)


def test_the_axis_lifts_first_and_opens_the_line() -> None:
    """11.2, R-32 The Axis lifts the division whose zone cut the Soviet line; the Soviets, second, may then lift what was cut off."""
    rows = {k: v for k, v in LANE.items() if k != "1105"}
    bench = supply(
        {R3[0]: "1010", INF[0]: "1105"}, rows=rows, sources=(source("axis", "1605"), source("soviet", "1001")), rails=("1605 1505",)
    )
    assert bench.happened(SupplyChecked)[0].units == (R3[0],)
    assert bench.options("axis", "evacuate") == (INF[0],)
    bench.do("axis", "evacuate", INF[0])
    assert bench.options("soviet", "evacuate") == (R3[0],)


def test_supply_of_one_step_units_and_hqs() -> None:
    """11.1(1), R-05, 13.0(5), R-40 Cut off, a garrison unit is gone at once, an HQ flips; nobody removed so returns, of whatever kind."""
    bench = supply({"su.moscow.1": "1010", "su.hq.22a": "1010", INF[0]: "1005"}, rows=LANE)
    assert bench.hexes("su.moscow.1", "su.hq.22a") == ("eliminated", "1010")
    for name in ("su.moscow.1", "su.hq.22a", "ax.hq.2pza", "su.rifle.133", "su.cav.50"):
        assert home_of(bench.state, name, "supply") == "eliminated"


def test_the_last_hex_of_the_line_off_the_railway() -> None:
    """11.1(1), 3.3(3) Axis divisions six and seven hexes from the railway's end: the seventh loses a step; a Soviet one forty hexes from
    its source does not."""
    bench = supply({INF[0]: "1009", INF[1]: "1008", R3[0]: "0120"})
    assert bench.happened(SupplyChecked)[0].units == (INF[1],)


# --- 12.0


def test_the_lifted_come_besides_the_full_number() -> None:
    """11.2, 12.2(1), R-32 On turn 3 six of seven waiting divisions come; the seventh is refused, a lifted one still comes."""
    pool = ("su.rifle.32", "su.rifle.78", "su.rifle.93", "su.rifle.238", "su.rifle.239", "su.rifle.312", "su.rifle.316")
    bench = Bench(board_t(sources=RAIL, rails=(column(10, 1, 12), "0120 0220")))
    bench.stand({}, turn=3, boxes={**dict.fromkeys(pool, AVAILABLE["soviet"]), R3[0]: EVACUATED["soviet"]})
    bench.change(evacuated={R3[0]: 2})
    bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    for index, name in enumerate(pool[:6]):
        bench.do("soviet", "place", name, f"10{index + 1:02}")
    assert bench.options("soviet", "place") == (R3[0],)
    assert bench.refused("soviet", "place", pool[6]).rule == "12.2(1)"
    bench.do("soviet", "place", R3[0], "1007")
    assert bench.state.intake is None and bench.hexes(pool[6]) == (AVAILABLE["soviet"],)


def test_lifted_this_turn_stays_in_its_box() -> None:
    """11.2 SUPPLY before SOVIET REINF on the same turn: what was lifted may not come back yet, and the refusal says so."""
    bench = Bench(board_t(sources=RAIL, rails=(column(10, 1, 12), "0120 0220")))
    bench.stand({}, turn=4, boxes={"su.rifle.32": AVAILABLE["soviet"], R3[0]: EVACUATED["soviet"], R3[1]: EVACUATED["soviet"]})
    bench.change(evacuated={R3[0]: 4, R3[1]: 3})
    bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    assert set(bench.options("soviet", "place")) == {"su.rifle.32", R3[1]}
    assert bench.refused("soviet", "place", R3[0]).rule == "11.2"


def test_lost_in_combat_and_back_the_same_turn() -> None:
    """12.3(1), R-35 A division destroyed in combat comes back with the next SOVIET REINF, of the same turn, whole; it counts."""
    bench = battle({PZ[0]: "1011", PZ[1]: "1011", R3[0]: "1010"}, PZ[:2], 6, reduced=(R3[0],))  # 16 to 1: 10-1, 4RR
    assert bench.hexes(R3[0]) == (AVAILABLE["soviet"],)
    railway = Bench(board_t(sources=RAIL, rails=(column(10, 1, 12), "0120 0220")))
    railway.stand({}, turn=2, boxes={R3[0]: AVAILABLE["soviet"]})
    railway.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    assert IntakeOpened("soviet", 6, 0, 0) in railway.events
    railway.do("soviet", "place", R3[0], "1003")
    assert not railway.state.units[R3[0]].reduced


def test_an_hq_counts_among_the_number() -> None:
    """12.2(1), 13.0(4) Turn 11 brings four: an HQ and three divisions, then it is over."""
    pool = ("su.hq.5a", "su.rifle.32", "su.rifle.78", "su.rifle.93", "su.rifle.238")
    bench = intake({}, dict.fromkeys(pool, AVAILABLE["soviet"]), turn=11)
    for index, name in enumerate(pool[:4]):
        bench.do("soviet", "place", name, f"10{index + 1:02}")
    assert IntakeClosed("soviet", 0) in bench.events and bench.hexes(pool[4]) == (AVAILABLE["soviet"],)


def test_the_axis_brings_a_lost_hq_back() -> None:
    """12.2(1), 13.0(3), 13.0(4), R-36 GER Reinf is 2 on turn 10: an HQ lost in combat and a security division."""
    bench = intake({}, dict.fromkeys(("ax.hq.2pza", "ax.sec.221", "ax.sec.286"), AVAILABLE["axis"]), side="axis", turn=10)
    bench.do("axis", "place", "ax.hq.2pza", "0220")
    bench.do("axis", "place", "ax.sec.286", "0220")
    assert bench.state.intake is None and bench.hexes("ax.sec.221") == (AVAILABLE["axis"],)


def test_a_branch_line_and_a_neighbouring_railway() -> None:
    """12.1(1), R-33 Along the branch, too; not onto a railway hex next door that no railway joins, nor onto a road."""
    rails = (column(10, 1, 5), "1003 1103 1203", "1204 1305", "0120 0220")
    bench = intake({}, {"su.rifle.32": AVAILABLE["soviet"]}, rails=rails, roads=("1005 1006",))
    assert bench.reach("soviet", "place", "su.rifle.32") == {"1001", "1002", "1003", "1004", "1005", "1103", "1203"}
    for name in ("1204", "1006"):
        assert bench.refused("soviet", "place", "su.rifle.32", name).rule == "12.1(1)"


def test_a_zone_over_a_junction_leaves_the_other_way_round() -> None:
    """12.1(2), R-33 An EZOC on the main line is passed by a loop that lies outside it, and ends only what hangs on it."""
    rails = (column(10, 1, 8), "1002 0903 0803 0804 0805 0806 0907 1007", "0120 0220")
    bench = intake({INF[0]: "1105"}, {"su.rifle.32": AVAILABLE["soviet"]}, rails=rails)
    found = bench.reach("soviet", "place", "su.rifle.32")
    assert {"1007", "1006", "1008", "0806"} <= found and not found & {"1004", "1005"}


# --- 14.3


def test_four_more_and_two_carried_over() -> None:
    """14.3(1), 14.3(3), R-40 On turn 6 with two carried over from turn 5 six garrison units come, two a hex; the seventh waits."""
    bench = garrison(6, garrison=2)
    assert IntakeOpened("soviet", 5, 4, 0) in bench.events and bench.state.garrison == 6
    hexes = ("3011", "3011", "3010", "3010", "2911", "2911")
    for index, hex_id in enumerate(hexes):
        bench.do("soviet", "place", f"su.moscow.{index + 1}", hex_id)
    assert bench.refused("soviet", "place", "su.moscow.7").rule == "14.3(1)"


def test_moscow_full_but_for_one_place() -> None:
    """14.3(3), 3.1(1), R-40 Seven units stand in the four Moscow hexes: one of four garrison units finds room, three are carried over."""
    names = (*R3[:3], *R4[:4])
    standing = dict(zip(names, ("3011", "3011", "3010", "3010", "2911", "2911", "3111"), strict=True))
    bench = garrison(5, places=standing)
    bench.do("soviet", "place", "su.moscow.12", "3111")
    bench.do("soviet", "done")
    assert IntakeClosed("soviet", 3) in bench.events and bench.state.garrison == 3


def test_ordinary_units_get_no_exception_in_moscow() -> None:
    """14.3(3), 12.1(2) In the same command a rifle division may not be put in a Moscow hex in an EZOC, a garrison unit may; a Moscow hex
    under Axis control takes neither."""
    bench = garrison(7, places={"ax.inf.5": "2810"}, control={"3010": "axis"})
    assert bench.refused("soviet", "place", "su.rifle.32", "2911").rule == "12.1(2)"
    assert bench.refused("soviet", "place", "su.rifle.32", "3010").rule == "12.1(2)"
    assert bench.refused("soviet", "place", "su.moscow.1", "3010").rule == "14.3(3)"
    bench.do("soviet", "place", "su.moscow.1", "2911")


def test_the_garrison_never_goes_by_rail_at_first() -> None:
    """14.3(3), R-40 With all of Moscow in Axis hands four are received and carried over; none may be put on a railway elsewhere."""
    lost = dict.fromkeys(("3011", "3010", "2911", "3111"), "axis")
    bench = garrison(5, control=lost)
    assert not any(str(name).startswith("su.moscow") for name in bench.options("soviet", "place"))
    bench.do("soviet", "done")
    assert bench.state.garrison == 4
    later = garrison(11, control={**lost, "3111": "soviet"}, garrison=4)
    assert later.reach("soviet", "place", "su.moscow.4") == {"3111"}


# --- 14.4


def test_two_prizes_one_after_the_other_set_no_latch() -> None:
    """14.4(2), R-41 Moscow West lost again before Tula falls: never two at one time."""
    bench = Bench(real_pack())
    bench.stand({R3[0]: "2910", "ax.inf.5": "3021"}, turn=8, control={"2911": "axis"})
    bench.activate("soviet", R3[0])
    bench.do("soviet", "move", R3[0], "2911")
    bench.activate("axis", "ax.inf.5")
    bench.do("axis", "move", "ax.inf.5", "3022")
    assert not bench.state.latch
    assert bench.state.control[bench.state.data.hex("3022")] == "axis"


PRIZES = (place("1010", kind="big_city", group="moscow"), place("0505", kind="big_city", owner="axis", group="tula"))


def test_an_advance_sets_the_latch() -> None:
    """14.4(2), R-41, R-30 (g) The second prize is taken by an advance after combat, no LOC asked."""
    bench = battle({PZ[0]: "1011", PZ[1]: "1011", R3[0]: "1010"}, PZ[:2], 6, places=PRIZES)  # 5-1, -2: 3-1, RR
    assert not bench.state.latch
    bench.do("axis", "advance", PZ[0], "1010")
    assert bench.happened(GateReached) and bench.state.latch


def test_a_retreat_sets_the_latch() -> None:
    """14.4(2), R-12, R-41 An Axis division driven back into an empty Soviet prize holds it: with another one the latch is set."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 5),), places=PRIZES))
    bench.stand({INF[0]: "1009", R4[0]: "1008", R4[1]: "1008", R4[2]: "0909"}, turn=2)
    bench.activate("soviet", *R4[:3], segment="declaration")
    bench.dice(4)
    bench.attack("soviet", ("1009", *R4[:3]))  # 12 to 5: 2-1, R
    assert bench.hexes(INF[0]) == ("1010",)
    assert bench.happened(GateReached) and bench.state.latch


def test_two_of_moscow_serve_without_tula() -> None:
    """14.4(1) Ten hexes, two of them of Moscow and none Tula: the Axis wins on turn 10."""
    cities = {**{name: side for name, side in TEN.items() if name != "3022"}, "3011": "axis"}
    assert end_of(10, cities).happened(GameOver) == [GameOver("axis", "early")]


def test_a_city_cut_off_on_the_last_day() -> None:
    """14.4(2), 14.4(3) Latch set, eight cities, but Kursk ringed: seven with a LOC, the Soviets win."""
    ring = dict(zip((*R3[:3], *R4[:3]), ("2338", "2438", "2439", "2340", "2239", "2238"), strict=True))
    bench = end_of(12, EIGHT, places=ring, latch=True)
    assert len(held(bench.state)) == 7
    assert bench.happened(GameOver) == [GameOver("soviet", "held")]


# --- 15.0


def test_reserve_ranges() -> None:
    """15.1(2), R-42 Four hexes from any Soviet HQ is in range, five is not; an HQ named stands in its own range; an Axis HQ is no help."""
    bench = Bench()
    bench.stand({"su.hq.5a": "0505", R3[0]: "0905", R3[1]: "1005", R3[2]: "1805", "ax.hq.2a": "1605", "su.hq.22a": "1515"})
    names = (*R3, "su.hq.22a")
    assert set(out_of_range(bench.state, "soviet", names)) == {R3[1], R3[2]}


def test_reserve_names_what_may_act() -> None:
    """15.1(1), 7.2-3 A die of 5 names four at most, on the map only; what was not named neither moves nor fights, for want of 15.1(1)."""
    places = {R3[0]: "1505", R3[1]: "1506", "su.hq.22a": "1507", R3[2]: "1508", R4[0]: "1509"}
    bench = table((), ("chit.su.reserve",), places=places, reserve_okh=True)
    draw(bench, "chit.su.reserve")
    bench.dice(5)
    go(bench)
    assert bench.happened(ReserveRolled) == [ReserveRolled("soviet", 5, 4)]
    assert bench.refused("soviet", "name", "su.hq.5a").rule == "15.1(1)"  # in its box
    bench.do("soviet", "name", "su.hq.22a", R3[0])
    (event,) = bench.happened(Activated)
    assert event.units == ("su.hq.22a", R3[0]) and event.halved == ()
    assert bench.refused("soviet", "move", R3[1], "1406").rule == "15.1(1)"
    bench.do("soviet", "move", "su.hq.22a", "1407")


def test_okh_marches_far_from_any_hq() -> None:
    """15.1(2) OKH has no range: infantry without an HQ on the map marches ten road hexes."""
    board = Bench(board_t(roads=(column(18, 15, 3),)), reserve_okh=True, seed=5)
    board.stand({INF[0]: "1815"}, turn=2)
    board.chits(("chit.ax.okh",), ())
    draw(board, "chit.ax.okh")
    board.dice(1)
    go(board)
    board.do("axis", "name", INF[0])
    assert "1805" in board.reach("axis", "move", INF[0], "march")


def test_reserve_and_okh_count_among_the_chits() -> None:
    """15.1, 6.2 They replace other chits: eleven Axis and twenty Soviet ones to choose from, the numbers stay those of the track."""
    bench = Bench(real_pack(), reserve_okh=True)
    bench.stand({}, turn=8)
    assert (len(available(bench.state, "axis")), len(available(bench.state, "soviet"))) == (11, 20)
    assert (needed(bench.state, "axis"), needed(bench.state, "soviet")) == (5, 9)


def test_guards_only_while_the_box_holds_them() -> None:
    """15.2(2), R-43 Two divisions qualify and two Guards wait: two are made, in the very hexes, a stack stays a stack."""
    boxes = {"su.guards.8": "box.gd_convert", "su.guards.9": "box.gd_convert"}
    bench = intake({R3[0]: "1005", R4[0]: "1005", R4[1]: "1006"}, boxes, turn=8, guards=True)
    bench.do("soviet", "convert", R3[0])
    bench.do("soviet", "convert", R4[0])
    assert bench.happened(Converted)[-1] == Converted(R4[0], "su.guards.9")
    assert bench.hexes("su.guards.8", "su.guards.9") == ("1005", "1005")
    assert bench.state.intake is None and bench.hexes(R4[1]) == ("1006",)


def test_the_joined_edge_feeds_and_draws_the_retreat() -> None:
    """15.4, R-44, 10.6(6), 11.1(1) With every line to the printed source under lakes a division near the edge keeps its steps by the rule;
    without it, it loses one. A retreat goes to the nearest edge hex."""
    walls = {f"{c:02}{r:02}": "L" for c in range(1, 21) for r in (4, 5)}
    for on, lost in ((True, ()), (False, (R3[0],))):
        bench = supply(
            {R3[0]: "1910"}, rows=walls, sources=(source("axis", "0110"), source("soviet", "2001")), rails=("0110 0210",), off_map_line=on
        )
        assert bench.happened(SupplyChecked)[0].units == lost
    for on, ways in ((True, {"2009", "2010"}), (False, {"1909", "2009"})):
        bench = Bench(board_t(sources=(source("axis", "0110"), source("soviet", "2001"))), off_map_line=on)
        bench.stand({R3[0]: "1910", PZ[0]: "1810"})
        bench.activate("axis", PZ[0], segment="declaration")
        bench.dice(4)
        bench.attack("axis", ("1910", PZ[0]))
        assert set(bench.options("soviet", "retreat", R3[0])) == ways


def test_guderian_is_diced_for_every_turn() -> None:
    """15.5(1), R-45 Turn 9: a 4, he stays; turn 10: a 5, he goes; turn 11: no more dice."""
    bench = Bench(board_t(), guderian_dismissed=True)
    seen = []
    for turn, dice in ((8, (4,)), (9, (5,)), (10, ())):
        bench.stand({"ax.hq.2pza": "0305"}, turn=turn)
        bench.dice(*dice)
        bench.jump("turn", "turn_start")
        seen += bench.happened(DismissalRolled)
    assert seen == [DismissalRolled(4, False), DismissalRolled(5, True)]
    assert bench.state.cup.dismissed


@pytest.mark.parametrize("turn", [5, 6, 7])
def test_any_of_the_twelve_may_come(turn: int) -> None:
    """R-40 On a garrison turn the four may be any of the twelve, and do not use up the ordinary number."""
    bench = garrison(turn)
    before = bench.state.intake
    assert before is not None
    assert {name for name in bench.options("soviet", "place") if str(name).startswith("su.moscow")} == set(GARRISON)
    bench.do("soviet", "place", "su.moscow.9", "3111")
    assert bench.state.intake is not None and bench.state.intake.left == before.left
