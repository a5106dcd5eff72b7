"""15.0 Optional rules; R-46 they are off by default."""

import pytest

from tests.rules.chit_bench import source
from tests.rules.typhoon.battles import INFANTRY, PANZERS, RIFLES3, RIFLES4
from tests.rules.typhoon.bench import Bench, board_t, column, real_pack
from tests.rules.typhoon.campaign import POOL, intake, supplied
from tests.rules.typhoon.commands import GUDERIAN, HQ2, draw, go, table
from tests.rules.typhoon.marches import left, mover
from warledger.engine.games.typhoon.activation import Activated, ReserveRolled, out_of_range
from warledger.engine.games.typhoon.command import (
    DismissalRolled,
    available,
    may_hold_guderian,
    needed,
)
from warledger.engine.games.typhoon.losses import Reduced
from warledger.engine.games.typhoon.reinforcements import Converted
from warledger.engine.games.typhoon.supply import SupplyChecked

RIFLES = (
    "su.rifle.133",
    "su.rifle.174",
    "su.rifle.179",
    "su.rifle.186",
    "su.rifle.256",
    "su.rifle.246",
)


# --- 15.0 -----------------------------------------------------------------------------------------


def test_15_0_R46_all_off_by_default() -> None:
    """R-46 No optional rule is in force unless the players agree."""
    options = Bench().state.data.options
    assert not any(
        options[name]
        for name in ("reserve_okh", "guards", "chits_barred", "off_map_line", "guderian_dismissed")
    )


# --- 15.1 -----------------------------------------------------------------------------------------


def test_15_1_chits_come_with_the_rule() -> None:
    """15.1, 2.23-3 RESERVE and OKH may be chosen in place of other chits."""
    assert "chit.su.reserve" not in available(Bench().state, "soviet")
    assert "chit.su.reserve" in available(Bench(reserve_okh=True).state, "soviet")
    assert "chit.ax.okh" in available(Bench(reserve_okh=True).state, "axis")


@pytest.mark.parametrize("may", [True, False])
def test_15_1_R42_they_may_attack(may: bool) -> None:
    """R-42 Such a unit may attack at normal strength, unless the option forbids it."""
    bench = Bench(board_t(), reserve_out_of_range_may_attack=may)
    bench.stand({"su.rifle.178": "1010", "su.rifle.243": "1010", "ax.sec.221": "1011"})
    bench.activate("soviet", "su.rifle.178", halved=("su.rifle.178",), segment="declaration")
    assert bench.asked() == {"soviet": "prompt.typhoon.combat" if may else "prompt.typhoon.set_up"}


def test_15_1_reserve_and_okh_count_among_the_chits() -> None:
    """15.1, 6.2, 2.22-1, 2.23, R-06 They replace other chits: eleven Axis and twenty Soviet ones to
    choose from, the numbers stay those of the track."""
    bench = Bench(real_pack(), reserve_okh=True)
    bench.stand({}, turn=8)
    assert (len(available(bench.state, "axis")), len(available(bench.state, "soviet"))) == (11, 20)
    assert (needed(bench.state, "axis"), needed(bench.state, "soviet")) == (5, 9)


@pytest.mark.parametrize(("die", "units"), [(1, 3), (4, 3), (5, 4), (6, 5)])
def test_15_1_1_R42_the_die_says_how_many_act(die: int, units: int) -> None:
    """15.1(1), 7.2-3, R-42 1-4 activates three units, 5 four, 6 five (example 85); fewer may be
    named."""
    places = dict(zip(RIFLES, ("1505", "1506", "1507", "1508", "1509", "1510"), strict=True))
    bench = table((), ("chit.su.reserve",), places=places, reserve_okh=True)
    draw(bench, "chit.su.reserve")
    bench.dice(die)
    go(bench)
    assert bench.happened(ReserveRolled) == [ReserveRolled("soviet", die, units)]
    names = sorted(RIFLES)[:units]
    assert bench.options("soviet", "name", *names) == ()
    bench.do("soviet", "name", *names[:2])
    (event,) = bench.happened(Activated)
    assert event.units == tuple(names[:2]) and event.hq == ""


def test_15_1_1_reserve_names_what_may_act() -> None:
    """15.1(1), 7.2-3 A die of 5 names four at most, on the map only; what was not named neither
    moves nor fights, for want of 15.1(1)."""
    places = {
        RIFLES3[0]: "1505",
        RIFLES3[1]: "1506",
        "su.hq.22a": "1507",
        RIFLES3[2]: "1508",
        RIFLES4[0]: "1509",
    }
    bench = table((), ("chit.su.reserve",), places=places, reserve_okh=True)
    draw(bench, "chit.su.reserve")
    bench.dice(5)
    go(bench)
    assert bench.happened(ReserveRolled) == [ReserveRolled("soviet", 5, 4)]
    assert bench.refused("soviet", "name", "su.hq.5a").rule == "15.1(1)"  # in its box
    bench.do("soviet", "name", "su.hq.22a", RIFLES3[0])
    (event,) = bench.happened(Activated)
    assert event.units == ("su.hq.22a", RIFLES3[0]) and event.halved == ()
    assert bench.refused("soviet", "move", RIFLES3[1], "1406").rule == "15.1(1)"
    bench.do("soviet", "move", "su.hq.22a", "1407")


def test_15_1_2_outside_every_range() -> None:
    """15.1(2), R-42 Outside own command ranges: half the allowance, normal movement only (example
    86); inside it all is as usual."""
    bench = Bench(board_t(roads=("1505 1506 1507 1508",)))
    bench.stand({RIFLES[0]: "1505", RIFLES[1]: "0805", "su.hq.22a": "0705"}, turn=1)
    assert out_of_range(bench.state, "soviet", RIFLES[:2]) == (RIFLES[0],)
    bench.activate("soviet", *RIFLES[:2], halved=(RIFLES[0],))
    assert bench.state.allowance(RIFLES[0]) == 4 and bench.state.allowance(RIFLES[1]) == 8
    assert bench.refused("soviet", "move", RIFLES[0], "march").rule == "15.1(2)"


def test_15_1_2_okh_has_no_limit() -> None:
    """15.1(2), 15.1(3) OKH's units move normally wherever they are; an HQ named activates
    nobody."""
    bench = table(
        ("chit.ax.okh",), places={"ax.inf.5": "1510", "ax.hq.2a": "1012"}, reserve_okh=True
    )
    draw(bench, "chit.ax.okh")
    bench.dice(6)
    go(bench)
    bench.do("axis", "name", "ax.hq.2a", "ax.inf.5")
    (event,) = bench.happened(Activated)
    assert event.halved == () and event.units == ("ax.hq.2a", "ax.inf.5")


def test_15_1_2_R42_half_of_an_odd_allowance() -> None:
    """15.1(2), R-02, R-42 Five points halve to two: a river into plain takes them all, a deep
    forest too."""
    bench = mover({INFANTRY[0]: "1010"}, rivers={"minor": "1009-1010"}, rows={"0910": "F"})
    bench.activate("axis", INFANTRY[0], halved=(INFANTRY[0],))
    assert left(bench, "axis", "move", INFANTRY[0], "1009") == "0"
    assert left(bench, "axis", "move", INFANTRY[0], "0910") == "0"
    assert bench.refused("axis", "move", INFANTRY[0], "1009", "1008").rule == "9.2(1)"


def test_15_1_2_reserve_is_in_range_of_any_hq() -> None:
    """15.1(2), R-42 Four hexes from any Soviet HQ is in range, five is not; an HQ named stands in
    its own range; an Axis HQ is no help."""
    bench = Bench()
    bench.stand(
        {
            "su.hq.5a": "0505",
            RIFLES3[0]: "0905",
            RIFLES3[1]: "1005",
            RIFLES3[2]: "1805",
            "ax.hq.2a": "1605",
            "su.hq.22a": "1515",
        }
    )
    names = (*RIFLES3, "su.hq.22a")
    assert set(out_of_range(bench.state, "soviet", names)) == {RIFLES3[1], RIFLES3[2]}


def test_15_1_2_okh_marches_far_from_any_hq() -> None:
    """15.1(2) OKH has no range: infantry without an HQ on the map marches ten road hexes."""
    board = Bench(board_t(roads=(column(18, 15, 3),)), reserve_okh=True, seed=5)
    board.stand({INFANTRY[0]: "1815"}, turn=2)
    board.chits(("chit.ax.okh",), ())
    draw(board, "chit.ax.okh")
    board.dice(1)
    go(board)
    board.do("axis", "name", INFANTRY[0])
    assert "1805" in board.reach("axis", "move", INFANTRY[0], "march")


# --- 15.2 -----------------------------------------------------------------------------------------


def test_15_2_R43_three_divisions_become_guards() -> None:
    """15.2, 15.2(1), 15.2(2), R-43, 4.0(3) On turn 8 up to three rifle divisions with a LOC become
    Guards on their full face."""
    boxes = {f"su.guards.{n}": "box.gd_convert" for n in (7, 8, 9)}
    boxes["su.rifle.32"] = "box.available.soviet"
    places = {RIFLES[0]: "1005", RIFLES[1]: "1006", "su.cav.50": "1007", "su.tank.127": "1008"}
    bench = intake(places, boxes, turn=8, guards=True)
    assert bench.options("soviet", "convert") == tuple(sorted(RIFLES[:2]))
    assert bench.refused("soviet", "convert", "su.cav.50").rule == "15.2(2)"
    bench.do("soviet", "convert", RIFLES[0])
    assert bench.happened(Converted) == [Converted(RIFLES[0], "su.guards.7")]
    assert bench.hexes(RIFLES[0], "su.guards.7") == ("eliminated", "1005")
    assert "convert" not in intake(places, boxes, turn=7, guards=True).options("soviet")
    assert "convert" not in intake(places, boxes, turn=8).options("soviet")


def test_15_2_2_R43_reduced_divisions_become_full_guards() -> None:
    """15.2(2), R-43 A reduced division in an EZOC with a LOC becomes a full Guards division; three
    at most; garrison, militia and units without a LOC do not qualify (example 87)."""
    boxes = {f"su.guards.{n}": "box.gd_convert" for n in (7, 8, 9)}
    names = (*RIFLES4[:4], "su.moscow.1")
    bench = intake(
        dict(zip(names, ("1005", "1006", "1007", "1008", "1009"), strict=True))
        | {"ax.inf.5": "1106"},
        boxes,
        turn=8,
        guards=True,
    )
    bench.run(lambda table: table.emit(Reduced(RIFLES4[0], "losses")))
    assert set(bench.options("soviet", "convert")) == set(RIFLES4[:4])
    for name in RIFLES4[:3]:
        bench.do("soviet", "convert", name)
    assert not any(
        bench.state.units[name].reduced for name in ("su.guards.7", "su.guards.8", "su.guards.9")
    )
    assert bench.hexes(*RIFLES4[:3]) == ("eliminated",) * 3
    assert bench.state.at(RIFLES4[3]) >= 0 and bench.state.intake is None


def test_15_2_2_guards_only_while_the_box_holds_them() -> None:
    """15.2(2), R-43 Two divisions qualify and two Guards wait: two are made, in the very hexes, a
    stack stays a stack."""
    boxes = {"su.guards.8": "box.gd_convert", "su.guards.9": "box.gd_convert"}
    bench = intake(
        {RIFLES3[0]: "1005", RIFLES4[0]: "1005", RIFLES4[1]: "1006"}, boxes, turn=8, guards=True
    )
    bench.do("soviet", "convert", RIFLES3[0])
    bench.do("soviet", "convert", RIFLES4[0])
    assert bench.happened(Converted)[-1] == Converted(RIFLES4[0], "su.guards.9")
    assert bench.hexes("su.guards.8", "su.guards.9") == ("1005", "1005")
    assert bench.state.intake is None and bench.hexes(RIFLES4[1]) == ("1006",)


# --- 15.3 -----------------------------------------------------------------------------------------


def test_15_3_barred_chits_are_not_chosen_on_turn_2() -> None:
    """15.3 With the rule on, 33A may not be chosen on turn 2 (example 73); on turn 3 it may."""
    bench = Bench(board_t(), chits_barred=True)
    bench.stand({}, turn=2)
    bench.jump("turn", "command_selection")
    assert bench.refused("soviet", "choose", "chit.su.33a").rule == "15.3"
    bench.stand({}, turn=3)
    assert "chit.su.33a" in available(bench.state, "soviet")


def test_15_3_bars_six_on_turn_2_only() -> None:
    """15.3 The six armies are barred on turn 2 alone, and only with the rule."""
    six = {f"chit.su.{army}a" for army in (31, 49, 32, 33, 5, 10)}
    for on, turn, barred in ((True, 2, six), (True, 1, set()), (True, 3, set()), (False, 2, set())):
        bench = Bench(real_pack(), chits_barred=on)
        bench.stand({}, turn=turn)
        assert six - set(available(bench.state, "soviet")) == barred


# --- 15.4 -----------------------------------------------------------------------------------------


def test_15_4_off_map_line_R44() -> None:
    """15.4, R-44 With the rule on every free hex of the east edge is a Soviet source while one
    printed east-edge source is free; it makes no reinforcement railway."""
    sources = (source("axis", "0110"), source("soviet", "2010"))
    walls = {f"{c:02}05": "L" for c in range(1, 21)} | {f"{c:02}04": "L" for c in range(1, 21)}
    for on in (False, True):
        bench = Bench(board_t(sources=sources, rows=walls), off_map_line=on)
        bench.stand({RIFLES[0]: "1902"})
        assert bench.state.field.has_loc("soviet", bench.state.data.hex("1902")) is on
        bench.stand({RIFLES[0]: "1902", "ax.inf.5": "2010"})
        assert not bench.state.field.has_loc("soviet", bench.state.data.hex("1902"))


def test_15_4_R44_the_edge_serves_while_a_printed_source_is_free() -> None:
    """15.4, R-44 With every printed east-edge source held by the Axis the edge serves nobody; an
    edge hex in an EZOC without a friend does not either."""
    walls = {f"{c:02}{r:02}": "L" for c in range(1, 21) for r in (5, 6)}
    bench = Bench(board_t(rows=walls), off_map_line=True)
    for placed, in_supply in (({}, True), ({INFANTRY[0]: "2010"}, False)):
        bench.stand({RIFLES3[0]: "1502", **placed})
        assert bench.state.field.has_loc("soviet", bench.state.data.hex("1502")) is in_supply
    bench.stand({RIFLES3[0]: "1502", INFANTRY[0]: "1901"})
    sources = bench.state.field.sources("soviet") & bench.state.field.through("soviet")
    assert (
        not sources >> bench.state.data.hex("2001") & 1
        and sources >> bench.state.data.hex("2004") & 1
    )


def test_15_4_R33_the_edge_makes_no_railway() -> None:
    """R-33, 15.4 With the edge joined reinforcements still come from printed sources alone."""
    bench = intake({}, POOL, off_map_line=True, rails=(column(10, 1, 4), "2010 1910"))
    assert bench.reach("soviet", "place", "su.rifle.32") == {f"10{row:02}" for row in range(1, 5)}


def test_15_4_R25_D3_counts_the_joined_edge_only_by_option() -> None:
    """R-25, 15.4 Plain distances count the east edge as sources when it is joined off the map."""
    data = Bench(board_t(sources=(source("axis", "0110"), source("soviet", "2001")))).state.data
    here = data.hex("1910")
    assert data.straight["soviet"].distance(here) > 5
    assert data.straight_edge.distance(here) == 1
    grid = data.board.grid
    for i in range(0, len(grid), 7):
        assert data.straight["soviet"].distance(i) == grid.distance(i, data.hex("2001"))


def test_15_4_the_joined_edge_feeds_and_draws_the_retreat() -> None:
    """15.4, R-44, 10.6(6), 11.1(1) With every line to the printed source under lakes a division
    near the edge keeps its steps by the rule; without it, it loses one. A retreat goes to the
    nearest edge hex."""
    walls = {f"{c:02}{r:02}": "L" for c in range(1, 21) for r in (4, 5)}
    for on, lost in ((True, ()), (False, (RIFLES3[0],))):
        bench = supplied(
            {RIFLES3[0]: "1910"},
            rows=walls,
            sources=(source("axis", "0110"), source("soviet", "2001")),
            rails=("0110 0210",),
            off_map_line=on,
        )
        assert bench.happened(SupplyChecked)[0].units == lost
    for on, ways in ((True, {"2009", "2010"}), (False, {"1909", "2009"})):
        bench = Bench(
            board_t(sources=(source("axis", "0110"), source("soviet", "2001"))), off_map_line=on
        )
        bench.stand({RIFLES3[0]: "1910", PANZERS[0]: "1810"})
        bench.activate("axis", PANZERS[0], segment="declaration")
        bench.dice(4)
        bench.attack("axis", ("1910", PANZERS[0]))
        assert set(bench.options("soviet", "retreat", RIFLES3[0])) == ways


# --- 15.5 -----------------------------------------------------------------------------------------


def test_15_5_only_from_turn_9_and_once() -> None:
    """R-45 No die before turn 9, none once he is dismissed, none without the rule."""
    bench = Bench(board_t(), guderian_dismissed=True)
    bench.stand({}, turn=7)
    assert not any(type(event) is DismissalRolled for event in bench.jump("turn", "turn_start"))
    bench.stand({}, turn=9)
    bench.change(cup=type(bench.state.cup)(dismissed=True))
    assert not any(type(event) is DismissalRolled for event in bench.jump("turn", "turn_start"))


@pytest.mark.parametrize(("die", "gone"), [(4, False), (5, True), (6, True)])
def test_15_5_1_R45_a_five_dismisses_guderian(die: int, gone: bool) -> None:
    """15.5(1), 15.5(2), R-45 From turn 9 on a die each turn: 5 or 6 dismisses Guderian, whose chit
    then cannot be kept in hand."""
    bench = Bench(board_t(), guderian_dismissed=True)
    bench.stand({"ax.hq.2pza": "0305"}, turn=8)
    bench.dice(die)
    bench.jump("turn", "turn_start")
    assert bench.happened(DismissalRolled) == [DismissalRolled(die, gone)]
    picks = sorted((GUDERIAN, "chit.ax.2a", "chit.ax.2pza", "chit.ax.4a", "chit.ax.9a"))
    assert bench.options("axis", "choose", *picks) == (() if gone else ("cup", "hand"))
    if gone:
        assert bench.refused("axis", "choose", *picks, "hand").rule == "15.5(2)"
        bench.chits(picks, ())
        assert not may_hold_guderian(bench.state)


def test_15_5_1_guderian_is_diced_for_every_turn() -> None:
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


def test_15_5_a_dismissed_guderian_is_a_plain_chit_R45() -> None:
    """15.5(2), R-45 Dismissed, his chit goes in the cup like any other and activates 2PzA when
    drawn."""
    bench = table((GUDERIAN, "chit.ax.2a"), turn=10, guderian_dismissed=True)
    bench.change(cup=type(bench.state.cup)(**{**vars(bench.state.cup), "dismissed": True}))
    draw(bench, GUDERIAN)
    go(bench)
    assert [event.hq for event in bench.happened(Activated)] == [HQ2]
    assert not bench.happened(DismissalRolled)
