"""Close readings with numbers: what stands between the worked examples, on ratios, lines, rails, boxes, chits and victory."""

from typing import Any

import pytest

from engine.board.odds import odds
from engine.games.typhoon.activation import in_range
from engine.games.typhoon.command import available, needed
from engine.games.typhoon.events import Activated, ChitsChosen, DismissalRolled, Eliminated, GameOver, GateReached, Interrupted, Reduced
from engine.games.typhoon.headquarters import home_of
from engine.games.typhoon.odds import assess
from engine.games.typhoon.state import AVAILABLE, EVACUATED
from engine.games.typhoon.victory import held
from engine.kernel.position import Frame
from tests.rules.typhoon.bench import Bench, board_t, column, place, real_pack, source
from tests.rules.typhoon.test_06_command import GUDERIAN, HQ2, draw, go, table
from tests.rules.typhoon.test_09_movement import left, mover
from tests.rules.typhoon.test_10_combat import INF, PZ, R2, R3, R4, odds_of
from tests.rules.typhoon.test_10_combat import column as head
from tests.rules.typhoon.test_11_supply import POOL, RIFLE, RIFLE2, RING, intake, supply
from tests.rules.typhoon.test_14_special import EIGHT, GARRISON, TEN, end_of, garrison

# --- 10.3


@pytest.mark.parametrize(
    ("attack", "defence", "shift", "name"),
    [
        (12, 7, 0, "1.5-1"),
        (2, 3, 0, ""),
        (149, 100, 0, "1-1"),
        (199, 100, 0, "1.5-1"),
        (100, 10, 0, "10-1"),
        (120, 10, -2, "8-1"),
        (300, 10, -1, "9-1"),
        (90, 10, 2, "10-1"),
        (10, 10, 1, "1.5-1"),
        (10, 10, -1, ""),
        (15, 10, -1, "1-1"),
        (99, 100, 2, ""),
        (5, 0, -3, "7-1"),
        (0, 3, 2, ""),
    ],
)
def test_10_3_columns_R22_R23(attack: int, defence: int, shift: int, name: str) -> None:
    """10.3(2)-10.3(4), R-21, R-22, R-23 Rounded down, capped at 10-1, all shifts at once, capped again; below 1-1 illegal, before shifts
    and after."""
    data = Bench().state.data
    found = odds(data.ladder, attack, defence, shift)
    assert (data.ladder.names[found.column] if found.column is not None else "") == name


def test_14_1_3_snow_lifts_a_deep_forest_R23() -> None:
    """R-23 1-1 in a deep forest attacked by the Soviets in snow: -2 +2 = 0, legal; 1-1 against a town in it, -1, is not."""
    deep: dict[str, Any] = {"rows": {"1010": "F"}}
    assert head(odds_of(R4[:3], INF[:2], turn=9, **deep)) == "1-1"
    assert head(odds_of(R4[:3], INF[:2], turn=9, places=(place("1010", owner="axis"),), **deep)) == "illegal"


def test_14_1_1_mud_shifts_for_the_defender_whoever_attacks_R38() -> None:
    """14.1.1, 14.1.2, R-38 In mud and frost a Soviet attack is shifted left as well; in clear weather nobody's is."""
    assert [odds_of(R4[:3], INF[:1], turn=turn).shift for turn in (2, 3, 7, 8)] == [0, -2, -2, 1]
    assert [odds_of(PZ, R3[:1], turn=turn).shift for turn in (2, 3, 7, 8)] == [0, -2, -2, -3]


def test_R02_halves_are_dropped_hex_by_hex() -> None:
    """1.0(2), R-02 Three hexes across a river with 5, 5 + 5 and 5: 2 + 5 + 2; a lone 1 halves to nothing and cannot attack."""
    bench = Bench(board_t(rivers={"minor": "1010-1011 0911-1010 1010-1111"}))
    names = (*INF[:4],)
    bench.stand(dict(zip(names, ("1011", "0911", "0911", "1111"), strict=True)) | {R2[0]: "1010"})
    assert assess(bench.state, "axis", names, bench.state.data.hex("1010")).attack == 9


def test_R39_a_fortified_hex_under_two_stacks() -> None:
    """14.2(1), R-39, R-21 +4 once though one of two defenders has fallen back; never for an Axis stack."""
    assert odds_of(PZ, R3[:2], fort="1010").defence == 10
    assert odds_of(R4[:4], INF[:2], fort="1010").defence == 10


def test_8_2_range_four_reaches_the_fourth_hex() -> None:
    """8.2, 8.2(4) Four hexes away is in range, five is not; the HQ itself is activated, another HQ is not (R-16)."""
    bench = Bench(board_t(rows={"1008": "L", "1007": "L"}))
    bench.stand({HQ2: "1010", INF[0]: "1006", INF[1]: "1005", "ax.hq.2a": "1009", R3[0]: "1011"})
    assert in_range(bench.state, HQ2) == tuple(sorted((HQ2, INF[0])))


# --- 3.3


def test_R10_the_seventh_hex_is_too_far() -> None:
    """3.3(3), R-10 Six hexes off the last connected railway hex, the unit's own counted, make a LOC; a seventh does not (example 75)."""
    bench = Bench(board_t(sources=(source("axis", "0110"), source("soviet", "2010")), rails=("0110 0210",)))
    bench.stand({INF[0]: "0810", INF[1]: "0910"})
    at = {name: bench.state.field.has_loc("axis", bench.state.at(name)) for name in INF[:2]}
    assert at == {INF[0]: True, INF[1]: False}


def test_R10_a_source_without_a_railway_serves_nobody() -> None:
    """R-10 The Axis LOC begins at sources that lie on a railway; the Soviets' may begin anywhere."""
    bench = Bench(board_t(sources=(source("axis", "0101"), source("axis", "0110"), source("soviet", "2001")), rails=("0110 0210",)))
    bench.stand({})
    field, data = bench.state.field, bench.state.data
    assert not field.has_loc("axis", data.hex("0101")) and field.has_loc("soviet", data.hex("2001"))


def test_R10_an_enemy_in_a_zone_hex_with_a_friend_does_not_cut_the_rail() -> None:
    """3.3(1), R-09 The railway runs on through an EZOC hex that holds a friendly unit, and ends in one that does not."""
    rails = (column(10, 20, 5),)
    for held_hex in (True, False):
        bench = Bench(board_t(sources=(source("axis", "1020"), source("soviet", "1001")), rails=rails))
        standing = {R3[0]: "1115", R3[1]: "0915"}
        if held_hex:
            standing |= dict(zip(INF, ("1014", "1015", "1016"), strict=False))
        bench.stand(standing)
        assert bench.state.field.has_loc("axis", bench.state.data.hex("1005")) is held_hex


def test_R44_the_edge_serves_while_a_printed_source_is_free() -> None:
    """15.4, R-44 With every printed east-edge source held by the Axis the edge serves nobody; an edge hex in an EZOC without a friend does
    not either."""
    walls = {f"{c:02}{r:02}": "L" for c in range(1, 21) for r in (5, 6)}
    bench = Bench(board_t(rows=walls), off_map_line=True)
    for standing, supplied in (({}, True), ({INF[0]: "2010"}, False)):
        bench.stand({R3[0]: "1502", **standing})
        assert bench.state.field.has_loc("soviet", bench.state.data.hex("1502")) is supplied
    bench.stand({R3[0]: "1502", INF[0]: "1901"})
    sources = bench.state.field.sources("soviet") & bench.state.field.through("soviet")
    assert not sources >> bench.state.data.hex("2001") & 1 and sources >> bench.state.data.hex("2004") & 1


# --- 11.0, 12.0, 13.0


def test_R31_two_draws_end_a_pocket() -> None:
    """11.1(1), R-31, 12.3(2), 13.0(5) The first SUPPLY flips the pocket, the second removes it for good, its HQ too; a one-step unit goes
    at once (R-05)."""
    pocket = {RIFLE: "1010", "su.hq.22a": "1010"}
    bench = supply({**pocket, **RING})
    assert {event.unit for event in bench.happened(Reduced)} >= set(pocket)
    bench.jump("set_up_first", "supply", "supply_losses")
    assert {(event.unit, event.where) for event in bench.happened(Eliminated) if event.unit in pocket} == {
        (name, "eliminated") for name in pocket
    }
    tank = supply({"su.tank.127": "1010", **RING})
    assert Eliminated("su.tank.127", "supply", "eliminated") in tank.events


def test_R32_what_returns_keeps_its_face_and_obeys_12_1() -> None:
    """11.2, R-32 A reduced unit comes back reduced, by rail only; it may stay in its box."""
    bench = Bench(board_t(sources=(source("axis", "0120"), source("soviet", "1001")), rails=(column(10, 1, 12), "0120 0220")))
    bench.stand({INF[0]: "1106"}, turn=3, boxes={RIFLE: "box.evacuated.soviet"})
    lifted = type(bench.state.units[RIFLE])(-1, EVACUATED["soviet"], True)
    bench.change(evacuated={RIFLE: 2}, units={**bench.state.units, RIFLE: lifted})
    bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    assert bench.reach("soviet", "place", RIFLE) == {"1001", "1002", "1003", "1004"}
    bench.do("soviet", "place", RIFLE, "1004")
    assert bench.state.units[RIFLE].reduced and RIFLE not in bench.state.evacuated


def test_R33_a_source_in_a_zone_brings_nobody() -> None:
    """12.1(2), R-33 An EZOC on the source hex closes the railway behind it, with a friend there too; so does an enemy on it."""
    assert intake({INF[0]: "1102"}, POOL).asked() == {"soviet": "prompt.typhoon.set_up"}
    assert intake({INF[0]: "1102", RIFLE: "1001"}, POOL).asked() == {"soviet": "prompt.typhoon.set_up"}
    assert intake({INF[0]: "1001"}, POOL).asked() == {"soviet": "prompt.typhoon.set_up"}


def test_R33_the_edge_makes_no_railway() -> None:
    """R-33, 15.4 With the edge joined reinforcements still come from printed sources alone."""
    bench = intake({}, POOL, off_map_line=True, rails=(column(10, 1, 4), "2010 1910"))
    assert bench.reach("soviet", "place", "su.rifle.32") == {f"10{row:02}" for row in range(1, 5)}


def test_R35_who_comes_back_when() -> None:
    """12.3(1), 12.3(2), R-35, R-36 A rifle division lost in combat may come back with the next SOVIET REINF, a tank brigade never, the
    Guards' motorised division neither; an Axis HQ may, Axis infantry may not."""
    bench = Bench(real_pack())
    out, soviet, axis = "eliminated", AVAILABLE["soviet"], AVAILABLE["axis"]
    homes = {"su.rifle.133": soviet, "su.tank.11": out, "su.mot.1gds": out, "ax.hq.9a": axis, "ax.cav.1": out, "ax.sec.221": out}
    assert {name: home_of(bench.state, name, "losses") for name in homes} == homes


def test_R36_an_evacuated_hq_leaves_its_chit_void() -> None:
    """13.0(2), R-36, R-15 With HQ 2PzA lifted off the map its chit is void and Guderian cannot interrupt."""
    bench = table(("chit.ax.2pza", GUDERIAN), ("chit.su.20a",), kept=True)
    bench.stand({"su.hq.20a": "1505"}, turn=3, boxes={HQ2: "box.evacuated.axis"})
    bench.change(evacuated={HQ2: 3})
    draw(bench, "chit.ax.2pza")
    bench.draws(0, 0)
    go(bench)
    assert "prompt.typhoon.interrupt" not in bench.asked().values()
    assert not bench.happened(Activated) or bench.happened(Activated)[0].side == "soviet"
    assert not bench.happened(Interrupted)


# --- 6.2, 15.3, 15.5


def test_6_2_numbers_of_the_track() -> None:
    """6.2, R-14 The number is that of the turn; turn 1 gives the Soviets none, and every chit of an absent HQ may be chosen."""
    bench = Bench(real_pack())
    for turn, axis, soviet in ((1, 9, 0), (2, 8, 5), (8, 5, 9), (12, 5, 7)):
        bench.stand({}, turn=turn)
        assert (needed(bench.state, "axis"), needed(bench.state, "soviet")) == (axis, soviet)
    assert {"chit.su.5a", "chit.su.10a"} <= set(available(bench.state, "soviet"))


def test_15_3_bars_six_on_turn_2_only() -> None:
    """15.3 The six armies are barred on turn 2 alone, and only with the rule."""
    six = {f"chit.su.{army}a" for army in (31, 49, 32, 33, 5, 10)}
    for on, turn, barred in ((True, 2, six), (True, 1, set()), (True, 3, set()), (False, 2, set())):
        bench = Bench(real_pack(), chits_barred=on)
        bench.stand({}, turn=turn)
        assert six - set(available(bench.state, "soviet")) == barred


def test_15_5_a_dismissed_guderian_is_a_plain_chit_R45() -> None:
    """15.5(2), R-45 Dismissed, his chit goes in the cup like any other and activates 2PzA when drawn."""
    bench = table((GUDERIAN, "chit.ax.2a"), turn=10, guderian_dismissed=True)
    bench.change(cup=type(bench.state.cup)(**{**vars(bench.state.cup), "dismissed": True}))
    draw(bench, GUDERIAN)
    go(bench)
    assert [event.hq for event in bench.happened(Activated)] == [HQ2]
    assert not bench.happened(DismissalRolled)


def test_14_the_soviets_choose_nothing_on_turn_1() -> None:
    """R-14 They are not asked, and an empty choice is recorded for them."""
    bench = Bench(real_pack(), set_up="preset", seed=3)
    assert set(bench.asked()) == {"axis"}
    picks = available(bench.state, "axis")[:9]
    bench.do("axis", "choose", *picks, *(("cup",) if GUDERIAN in picks else ()))
    assert [(event.side, event.count) for event in bench.happened(ChitsChosen)] == [("axis", 9), ("soviet", 0)]


# --- 14.3, 14.4, 15.2


def test_R40_a_garrison_lost_in_combat_comes_back_by_rail_and_counts() -> None:
    """14.3(4), R-40 Once deployed it is an ordinary reinforcement: it counts, goes by rail, and never to a Moscow hex in an EZOC."""
    bench = garrison(6, deployed=frozenset({"su.moscow.1"}), places={"ax.inf.5": "2810"})
    assert bench.state.intake is not None
    before = bench.state.intake.left
    assert "2911" not in bench.reach("soviet", "place", "su.moscow.1")
    bench.do("soviet", "place", "su.moscow.1", "4110")
    assert bench.state.intake is not None and bench.state.intake.left == before - 1
    assert bench.state.garrison == 4


def test_R40_twelve_in_all() -> None:
    """R-40 Four on each of turns 5, 6 and 7; with two left in the box two come."""
    two = {name: box for name, box in GARRISON.items() if name in ("su.moscow.1", "su.moscow.2")}
    bench = Bench(real_pack())
    bench.stand({}, turn=7, boxes=two)
    bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    assert bench.state.garrison == 2
    assert [Bench(real_pack()).state.data.turn(n).garrison for n in (4, 5, 6, 7, 8)] == [0, 4, 4, 4, 0]


def test_R41_the_city_itself_may_lie_in_a_zone() -> None:
    """14.4(1), R-09 (e), R-41 An EZOC on a controlled, empty big city does not break its LOC; held are ten all the same."""
    bench = end_of(10, TEN, places={"su.rifle.133": "2319"})
    assert bench.state.field.in_enemy_zone("axis", bench.state.data.hex("2320"))
    assert bench.happened(GameOver) == [GameOver("axis", "early")]


def test_R41_nine_or_one_prize_do_not_suffice() -> None:
    """14.4(1) Ten hexes with one of Moscow and Tula only, or nine with two: no win on turn 10."""
    one = {**{name: side for name, side in TEN.items() if name != "2911"}, "4019": "axis"}
    assert not end_of(10, one).happened(GameOver)
    nine = {name: side for name, side in TEN.items() if name != "2339"}
    bench = end_of(10, nine)
    assert len(held(bench.state)) == 9 and not bench.happened(GameOver)


@pytest.mark.parametrize(("cities", "winner"), [(8, "axis"), (7, "soviet")])
def test_R41_eight_at_the_end_with_the_latch(cities: int, winner: str) -> None:
    """14.4(2) The latch and eight hexes win; seven do not."""
    assert end_of(12, dict(list(EIGHT.items())[:cities]), latch=True).happened(GameOver)[0].winner == winner


def test_R41_one_move_through_two_moscow_hexes_sets_the_latch() -> None:
    """14.4(2), R-41 Passing through two of them in one move holds both at once, without a LOC."""
    bench = Bench(real_pack())
    bench.stand({"ax.panzer.1": "2810"}, turn=9)
    bench.activate("axis", "ax.panzer.1")
    bench.do("axis", "move", "ax.panzer.1", "2911", "3011")
    assert bench.happened(GateReached) and bench.state.latch


def test_R43_reduced_divisions_become_full_guards() -> None:
    """15.2(2), R-43 A reduced division in an EZOC with a LOC becomes a full Guards division; three at most; garrison, militia and units
    without a LOC do not qualify (example 87)."""
    boxes = {f"su.guards.{n}": "box.gd_convert" for n in (7, 8, 9)}
    names = (*R4[:4], "su.moscow.1")
    bench = intake(
        dict(zip(names, ("1005", "1006", "1007", "1008", "1009"), strict=True)) | {"ax.inf.5": "1106"}, boxes, turn=8, guards=True
    )
    bench.run(lambda table: table.emit(Reduced(R4[0], "losses")))
    assert set(bench.options("soviet", "convert")) == set(R4[:4])
    for name in R4[:3]:
        bench.do("soviet", "convert", name)
    assert not any(bench.state.units[name].reduced for name in ("su.guards.7", "su.guards.8", "su.guards.9"))
    assert bench.hexes(*R4[:3]) == ("eliminated",) * 3
    assert bench.state.at(R4[3]) >= 0 and bench.state.intake is None


# --- 9.0


def test_R42_half_of_an_odd_allowance() -> None:
    """15.1(2), R-02, R-42 Five points halve to two: a river into plain takes them all, a deep forest too."""
    bench = mover({INF[0]: "1010"}, rivers={"minor": "1009-1010"}, rows={"0910": "F"})
    bench.activate("axis", INF[0], halved=(INF[0],))
    assert left(bench, "axis", "move", INF[0], "1009") == "0"
    assert left(bench, "axis", "move", INF[0], "0910") == "0"
    assert bench.refused("axis", "move", INF[0], "1009", "1008").rule == "9.2(1)"


def test_R11_railway_bridges_serve_the_major_river() -> None:
    """9.2(3)3, R-11 A railway bridge lifts every limit of a major river, though the railway is no road (example 27 without it)."""
    river = {"major": "1009-1010"}
    zone = {INF[0]: "1010", RIFLE: "1110", RIFLE2: "1108"}
    assert mover(zone, INF[0], rivers=river).refused("axis", "move", INF[0], "1009").rule == "9.2(3)"
    bridged = mover(zone, INF[0], rivers=river, bridges="1009-1010", rails=("0110 0210", "1010 1009"))
    assert left(bridged, "axis", "move", INF[0], "1009") == "0"


def test_14_1_march_in_snow_is_refused() -> None:
    """9.3, 14.1.3, R-38 In snow roads are lost: no march (example 35); in clear weather it goes."""
    road = {"roads": ("1010 1009 1008",)}
    assert "march" in mover({INF[0]: "1010"}, INF[0], turn=2, **road).options("axis", "move", INF[0])  # type: ignore[arg-type]
    assert "march" not in mover({INF[0]: "1010"}, INF[0], turn=8, **road).options("axis", "move", INF[0])  # type: ignore[arg-type]
