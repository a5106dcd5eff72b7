"""15.0 Optional rules; R-46 they are off by default."""

import pytest

from engine.games.typhoon.activation import out_of_range
from engine.games.typhoon.command import available, may_hold_guderian
from engine.games.typhoon.events import Activated, Converted, DismissalRolled, ReserveRolled
from tests.rules.typhoon.bench import Bench, board_t, source
from tests.rules.typhoon.test_06_command import GUDERIAN, draw, go, table
from tests.rules.typhoon.test_11_supply import intake

RIFLES = ("su.rifle.133", "su.rifle.174", "su.rifle.179", "su.rifle.186", "su.rifle.256", "su.rifle.246")


def test_R46_all_off_by_default() -> None:
    """R-46 No optional rule is in force unless the players agree."""
    options = Bench().state.data.options
    assert not any(options[name] for name in ("reserve_okh", "guards", "chits_barred", "off_map_line", "guderian_dismissed"))


def test_15_1_chits_come_with_the_rule() -> None:
    """15.1, 2.23-3 RESERVE and OKH may be chosen in place of other chits."""
    assert "chit.su.reserve" not in available(Bench().state, "soviet")
    assert "chit.su.reserve" in available(Bench(reserve_okh=True).state, "soviet")
    assert "chit.ax.okh" in available(Bench(reserve_okh=True).state, "axis")


@pytest.mark.parametrize(("die", "units"), [(1, 3), (4, 3), (5, 4), (6, 5)])
def test_15_1_1_the_die_R42(die: int, units: int) -> None:
    """15.1(1), 7.2-3, R-42 1-4 activates three units, 5 four, 6 five (example 85); fewer may be named."""
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


def test_15_1_2_outside_every_range() -> None:
    """15.1(2), R-42 Outside own command ranges: half the allowance, normal movement only (example 86); inside it all is as usual."""
    bench = Bench(board_t(roads=("1505 1506 1507 1508",)))
    bench.stand({RIFLES[0]: "1505", RIFLES[1]: "0805", "su.hq.22a": "0705"}, turn=1)
    assert out_of_range(bench.state, "soviet", RIFLES[:2]) == (RIFLES[0],)
    bench.activate("soviet", *RIFLES[:2], halved=(RIFLES[0],))
    assert bench.state.allowance(RIFLES[0]) == 4 and bench.state.allowance(RIFLES[1]) == 8
    assert bench.refused("soviet", "move", RIFLES[0], "march").rule == "15.1(2)"


@pytest.mark.parametrize("may", [True, False])
def test_R42_they_may_attack(may: bool) -> None:
    """R-42 Such a unit may attack at normal strength, unless the option forbids it."""
    bench = Bench(board_t(), reserve_out_of_range_may_attack=may)
    bench.stand({"su.rifle.178": "1010", "su.rifle.243": "1010", "ax.sec.221": "1011"})
    bench.activate("soviet", "su.rifle.178", halved=("su.rifle.178",), segment="declaration")
    assert bench.asked() == {"soviet": "prompt.typhoon.combat" if may else "prompt.typhoon.set_up"}


def test_15_1_2_okh_has_no_limit() -> None:
    """15.1(2), 15.1(3) OKH's units move normally wherever they are; an HQ named activates nobody."""
    bench = table(("chit.ax.okh",), places={"ax.inf.5": "1510", "ax.hq.2a": "1012"}, reserve_okh=True)
    draw(bench, "chit.ax.okh")
    bench.dice(6)
    go(bench)
    bench.do("axis", "name", "ax.hq.2a", "ax.inf.5")
    (event,) = bench.happened(Activated)
    assert event.halved == () and event.units == ("ax.hq.2a", "ax.inf.5")


def test_15_2_guards_R43() -> None:
    """15.2, 15.2(1), 15.2(2), R-43, 4.0(3) On turn 8 up to three rifle divisions with a LOC become Guards on their full face."""
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


def test_15_3_barred_chits() -> None:
    """15.3 With the rule on, 33A may not be chosen on turn 2 (example 73); on turn 3 it may."""
    bench = Bench(board_t(), chits_barred=True)
    bench.stand({}, turn=2)
    bench.jump("turn", "command_selection")
    assert bench.refused("soviet", "choose", "chit.su.33a").rule == "15.3"
    bench.stand({}, turn=3)
    assert "chit.su.33a" in available(bench.state, "soviet")


def test_15_4_off_map_line_R44() -> None:
    """15.4, R-44 With the rule on every free hex of the east edge is a Soviet source while one printed east-edge source is free; it
    makes no reinforcement railway."""
    sources = (source("axis", "0110"), source("soviet", "2010"))
    walls = {f"{c:02}05": "L" for c in range(1, 21)} | {f"{c:02}04": "L" for c in range(1, 21)}
    for on in (False, True):
        bench = Bench(board_t(sources=sources, rows=walls), off_map_line=on)
        bench.stand({RIFLES[0]: "1902"})
        assert bench.state.field.has_loc("soviet", bench.state.data.hex("1902")) is on
        bench.stand({RIFLES[0]: "1902", "ax.inf.5": "2010"})
        assert not bench.state.field.has_loc("soviet", bench.state.data.hex("1902"))


@pytest.mark.parametrize(("die", "gone"), [(4, False), (5, True), (6, True)])
def test_15_5_dismissed_R45(die: int, gone: bool) -> None:
    """15.5(1), 15.5(2), R-45 From turn 9 on a die each turn: 5 or 6 dismisses Guderian, whose chit then cannot be kept in hand."""
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


def test_15_5_only_from_turn_9_and_once() -> None:
    """R-45 No die before turn 9, none once he is dismissed, none without the rule."""
    bench = Bench(board_t(), guderian_dismissed=True)
    bench.stand({}, turn=7)
    assert not any(type(event) is DismissalRolled for event in bench.jump("turn", "turn_start"))
    bench.stand({}, turn=9)
    bench.change(cup=type(bench.state.cup)(dismissed=True))
    assert not any(type(event) is DismissalRolled for event in bench.jump("turn", "turn_start"))
