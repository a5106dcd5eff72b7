"""Examples worked out by hand from the rule book, chapters 10 and 14.1-14.2: ratios, losses, retreats, advances, weather and forts."""

from typing import Any

import pytest

from engine.games.typhoon.events import Advanced, Eliminated, FallBack, Fought, LossesTaken, Reduced, Retreated
from engine.games.typhoon.odds import assess, attack_strength
from tests.rules.typhoon.bench import Bench, board_t, column, place, real_pack, source
from tests.rules.typhoon.test_10_combat import INF, PZ, PZ9, R2, R3, R4, odds_of, stood
from tests.rules.typhoon.test_10_combat import column as head
from tests.rules.typhoon.test_10_retreat import EAST, NORTH, battle

TANK, CAV, HQ22, HQ2A = "su.tank.127", "su.cav.50", "su.hq.22a", "ax.hq.2a"

# --- 10.3


@pytest.mark.parametrize(
    ("turn", "attackers", "defenders", "board", "final"),
    [
        (8, R4[:2], INF[:1], {"places": (place("1010", kind="big_city", owner="axis"),)}, "1.5-1"),  # 8 to 5, -2 +2
        (12, (*R4[:5], *R3[:1]), ("ax.sec.221",), {}, "10-1"),  # 23 to 2, +1 beyond the last column
        (8, R4[:1], ("ax.sec.221",), {"rows": {"1010": "F"}}, "2-1"),  # 4 to 2, -2 +2
        (5, PZ[:2], R3[:1], {"rows": {"1010": "F"}}, "2-1"),  # 16 to 3 is 5-1, -2 -1
        (6, PZ[:2], R3[:1], {"rows": {"1010": "s"}, "places": (place("1010"),)}, "2-1"),  # 5-1, -1 -1 -1
        (3, R4[:2], INF[:1], {}, "illegal"),  # mud hinders the Soviets as well: 1.5-1, -2
        (8, PZ[:1], R2[:1], {"rows": {"1010": "F"}}, "1-1"),  # 4-1, -2 -2: four columns, 1.5-1 being one of them
        (8, PZ[:1], R2[:1], {"rows": {"1010": "F"}, "places": (place("1010"),)}, "illegal"),  # 4-1, five left
        (2, (*PZ, *PZ9), R2[:1], {"rows": {"1010": "F"}, "places": (place("1010"),)}, "7-1"),  # 50 to 2: 10-1, three left
        (12, R3[:1], (HQ2A,), {}, "2-1"),  # 3 to 2 against an HQ: 1.5-1 and one right
    ],
)
def test_columns_in_all_weathers(turn: int, attackers: Any, defenders: Any, board: dict[str, Any], final: str) -> None:
    """10.3(2)-10.3(4), 14.1.1-14.1.3, R-22, R-37, R-38 Terrain, town and weather make one net shift after the cap."""
    assert head(odds_of(attackers, defenders, turn=turn, **board)) == final


def test_kaluga_stormed_in_mud() -> None:
    """14.2, R-03, R-39, R-02, R-38 Four panzer divisions (32) from dry hexes and two of 9 over the river (18 halved) against 3 + 3 in the
    fortified big city: 41 to 10 is 4-1; two left in the clear, 2-1; three in mud and frost, 1.5-1; four in snow, 1-1."""
    bench = Bench(real_pack())
    standing = dict.fromkeys(PZ[:2], "2319") | dict.fromkeys(PZ[2:], "2419") | dict.fromkeys(PZ9, "2321") | dict.fromkeys(R3[:2], "2320")
    for turn, final in ((2, "2-1"), (3, "1.5-1"), (6, "1.5-1"), (8, "1-1")):
        bench.stand(standing, turn=turn)
        found = assess(bench.state, "axis", (*PZ, *PZ9), bench.state.data.hex("2320"))
        assert (found.attack, found.defence, head(found)) == (41, 10, final), turn


def test_within_moscow_the_river_still_halves() -> None:
    """10.3(1)1, R-04 Two panzer divisions in Moscow West attack the centre across the Moskva: 16 halved; the same from Moscow East, with
    no river between, 16."""
    bench = Bench(real_pack())
    bench.stand({PZ[0]: "2911", PZ[1]: "2911", PZ[2]: "3111", PZ[3]: "3111", R4[0]: "3011"}, turn=2)
    centre = bench.state.data.hex("3011")
    assert attack_strength(bench.state, PZ[:2], centre) == 8
    assert attack_strength(bench.state, PZ[2:], centre) == 16
    assert attack_strength(bench.state, PZ, centre) == 24


def test_reduced_faces_and_halves() -> None:
    """2.21(3), R-02 A reduced 3 and a full 4 across a river from one hex: 7 halved is 3; a reduced panzer's 4 dry: 7 in all, against a
    reduced rifle division's 2 of 4: 3-1."""
    bench = Bench(board_t(rivers={"minor": "1010-1011"}))
    bench.stand(
        {INF[0]: "1011", "ax.inf.251": "1011", PZ[0]: "0911", R4[0]: "1010"},
        reduced=(INF[0], PZ[0], R4[0]),
    )
    found = assess(bench.state, "axis", (INF[0], "ax.inf.251", PZ[0]), bench.state.data.hex("1010"))
    assert (found.attack, found.defence, head(found)) == (7, 2, "3-1")


def test_an_hq_attacks_and_defends() -> None:
    """13.0, 2.22-4 A panzer army HQ (3) and a panzer division (8) attack an army HQ (2) with a rifle division (3): 11 to 5, 2-1."""
    found = odds_of(("ax.hq.2pza", PZ[0]), (HQ22, R3[0]))
    assert (found.attack, found.defence, head(found)) == (11, 5, "2-1")


def test_the_same_hex_in_the_next_command() -> None:
    """10.1(3), 10.3(1)2 A hex is attacked once a segment, but again by the next chit; and who retreated then defends at strength now."""
    bench = battle({PZ[0]: "1011", R3[0]: "1010", R3[1]: "1009"}, PZ[:1], 4)
    assert bench.hexes(R3[0]) == ("1009",)
    bench.do("axis", "advance", PZ[0], "1010")
    bench.activate("axis", PZ[0], chit="chit.ax.3pza.2", segment="declaration")
    assert assess(bench.state, "axis", PZ[:1], bench.state.data.hex("1009")).defence == 6


def test_a_fort_with_one_who_stands_and_one_who_fled() -> None:
    """14.2(1), R-21, R-39 The fugitive adds nothing, the other his 3 and the fort 4: 7."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),), fort="1009"))
    bench.stand({PZ[0]: "1011", PZ[1]: "0910", PZ[2]: "0910", R3[0]: "1010", R3[1]: "1009"})
    bench.activate("axis", *PZ[:3], segment="declaration")
    bench.do("axis", "attack", "1010", PZ[0])
    bench.do("axis", "attack", "1009", PZ[1], PZ[2])
    bench.dice(4, 3)
    bench.do("axis", "resolve", "1010")
    bench.do("axis", "done")
    fought = [event for event in bench.events if type(event) is Fought]
    assert [(event.attack, event.defence, event.column, event.result) for event in fought] == [(16, 7, "2-1", "-")]
    assert bench.hexes(R3[0], R3[1]) == ("1009", "1009")


def test_losses_may_be_put_on_the_fugitive() -> None:
    """R-21, R-24 2RR on a hex with a unit that stands and one that fled there: the owner may take both steps from the fugitive."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    bench.stand({PZ[0]: "1011", PZ9[0]: "0910", PZ9[1]: "0910", R4[0]: "1010", R3[0]: "1009"})
    bench.activate("axis", PZ[0], *PZ9, segment="declaration")
    bench.do("axis", "attack", "1010", PZ[0])
    bench.do("axis", "attack", "1009", *PZ9)
    bench.dice(4, 6)  # 2-1: R into the EZOC, a step; then 18 to 3: 6-1, 2RR
    bench.do("axis", "resolve", "1010")
    assert bench.hexes(R4[0]) == ("1009",) and bench.state.units[R4[0]].reduced
    bench.do("axis", "done")
    assert bench.asked() == {"soviet": "prompt.typhoon.losses"}
    bench.do("soviet", "lose", R4[0], R3[0])
    assert bench.hexes(R4[0]) == ("box.available.soviet",)
    assert bench.happened(Reduced)[0] == Reduced(R3[0], "losses")


# --- 10.4, 10.5


def fight(attackers: tuple[str, ...], defenders: tuple[str, ...], die: int, *, reduced: tuple[str, ...] = (), **more: Any) -> Bench:
    """One attack of all on 1010, with this die."""
    bench = stood(attackers, defenders, **more)
    bench.stand({name: bench.hexes(name)[0] for name in (*attackers, *defenders)}, reduced=reduced, turn=more.get("turn", 1))
    side = bench.state.data.types[attackers[0]].side
    bench.activate(side, *attackers, segment="declaration")
    bench.dice(die)
    bench.attack(side, ("1010", *attackers))
    return bench


def test_A2_on_one_full_division() -> None:
    """10.4(2)1, R-24 A2 against a lone full attacker takes both its steps: it is gone, with no question, and an Axis division for good."""
    bench = fight(INF[:1], R4[:1], 1)  # 5 to 4: 1-1
    assert bench.happened(LossesTaken) == [LossesTaken("axis", (INF[0], INF[0]))]
    assert bench.hexes(INF[0]) == ("eliminated",)


def test_A2_among_a_full_and_a_reduced_one() -> None:
    """10.5(2) A2 among a full 5 and a reduced 3: one step each, or both from the full one; not two from the reduced one."""
    bench = fight(INF[:2], (*R4[:1], R3[0]), 1, reduced=(INF[1],))  # 5 + 3 to 7: 1-1
    assert bench.asked() == {"axis": "prompt.typhoon.losses"}
    assert bench.refused("axis", "lose", INF[1], INF[1]).rule == "10.5(1)"
    bench.do("axis", "lose", INF[0], INF[0])
    assert bench.hexes(INF[0]) == ("eliminated",) and bench.state.at(INF[1]) >= 0


def test_A1_hits_participants_only() -> None:
    """10.4(2)1, R-24 A stack mate that did not attack cannot bear the loss."""
    bench = Bench()
    bench.stand({INF[0]: "1011", INF[1]: "1011", PZ[0]: "0911", R4[0]: "1010", R4[1]: "1010"})
    bench.activate("axis", INF[0], INF[1], PZ[0], segment="declaration")
    bench.dice(2)
    bench.attack("axis", ("1010", INF[0], PZ[0]))  # 13 to 8: 1.5-1, A1
    assert bench.refused("axis", "lose", INF[1]).rule == "10.5(2)"
    bench.do("axis", "lose", PZ[0])


def test_3RR_on_a_division_and_an_hq() -> None:
    """10.5, R-24, 13.0(3) 3RR on a full rifle division and a full HQ: three of four steps; the HQ may go entirely, into the box; the
    division, flipped, retreats two hexes."""
    bench = fight((*PZ, *PZ9), (R3[0], HQ22), 4, sources=NORTH, rails=(column(10, 20, 15),))  # 50 to 5: 10-1, die 4: 3RR
    bench.do("soviet", "lose", HQ22, HQ22, R3[0])
    assert bench.hexes(HQ22) == ("box.available.soviet",)
    assert bench.state.units[R3[0]].reduced
    assert bench.happened(FallBack) == [FallBack((R3[0],), 2)]


def test_4RR_clears_the_hex() -> None:
    """10.4(2)5, R-24, 12.3 4RR on two full units: no question, no retreat; the rifle division goes to the box, the motorised one for good;
    the attackers may advance."""
    bench = fight((*PZ, *PZ9), (R3[0], "su.mot.107"), 6, sources=NORTH, rails=(column(10, 20, 15),))  # 50 to 7 is 7-1, 2RR with 6
    assert bench.asked() == {"soviet": "prompt.typhoon.losses"}
    bench = fight((*PZ, *PZ9), (R2[0], R2[1]), 6, sources=NORTH, rails=(column(10, 20, 15),))  # 50 to 4: 10-1, 4RR
    assert bench.hexes(*R2) == ("box.available.soviet",) * 2
    assert not bench.happened(FallBack) and bench.asked() == {"axis": "prompt.typhoon.advance"}


def test_losses_come_before_the_zones() -> None:
    """10.5, 10.6(4), R-24, R-27, R-35 1RR on a lone full rifle division with its one way through an EZOC: flipped by the loss, dead in the
    zone; removed by combat, it waits in the box, on its full face."""
    walls = {f"{c:02}09": "L" for c in range(1, 21) if c != 10} | {f"{c:02}10": "L" for c in (9, 11)}
    bench = fight(PZ, R3[:1], 1, sources=NORTH, rails=(column(10, 20, 15),), rows=walls)  # 32 to 3: 10-1, 1RR; no EZOC yet on the way
    assert bench.hexes(R3[0]) == ("1008",) and bench.state.units[R3[0]].reduced
    board = board_t(sources=NORTH, rails=(column(10, 20, 15),), rows={k: v for k, v in walls.items() if k != "1109"})
    bench = Bench(board)
    bench.stand({PZ[0]: "1011", PZ[1]: "1011", PZ[2]: "0911", PZ[3]: "0911", INF[0]: "1109", R3[0]: "1010"})
    bench.activate("axis", *PZ, segment="declaration")
    bench.dice(1)
    bench.attack("axis", ("1010", *PZ))
    assert [type(event) for event in bench.events if type(event) in (Reduced, Eliminated)] == [Reduced, Eliminated]
    assert bench.hexes(R3[0]) == ("box.available.soviet",) and not bench.state.units[R3[0]].reduced


# --- 10.6

LANE = {f"{c:02}{r:02}": "L" for c in (9, 11) for r in range(1, 11)}
"""Only column 10 leads north from 1010."""


def test_a_tank_brigade_dies_in_a_zone_for_good() -> None:
    """10.6(4), R-05, R-35 R with the one way through an EZOC: the one-step brigade is lost on entering, and mechanised units stay out."""
    lane = {k: v for k, v in LANE.items() if k != "1109"}
    bench = battle({PZ[0]: "1011", INF[0]: "1109", TANK: "1010"}, PZ[:1], 3, rows=lane)  # 8 to 2: 4-1, R
    assert bench.hexes(TANK) == ("eliminated",)


def test_an_hq_driven_through_a_zone() -> None:
    """13.0, 10.6(4) An HQ loses a step in the EZOC hex and none in the clear one behind it."""
    lane = {k: v for k, v in LANE.items() if k != "1110"}
    bench = battle({PZ[0]: "1011", INF[0]: "1110", HQ22: "1010"}, PZ[:1], 5, rows=lane)  # 8 to 2: 4-1, RR
    assert bench.happened(Retreated) == [Retreated(HQ22, ("1010", "1009", "1008"))]
    assert bench.happened(Reduced) == [Reduced(HQ22, "zone")]


def test_RR_through_a_full_hex() -> None:
    """10.6(5) Only the last hex must have room: RR passes over two friends in the first and stops in the second."""
    bench = battle({PZ[0]: "1011", R3[0]: "1010", R4[0]: "1009", R4[1]: "1009"}, PZ[:1], 6, rows=LANE)
    assert bench.happened(Retreated) == [Retreated(R3[0], ("1010", "1009", "1008"))]


def test_RR_two_full_hexes_in_a_row_and_a_zone_beyond() -> None:
    """10.6(5), 10.6(4), R-28 RR, second and third hex full, the fourth in an EZOC: the unit goes four hexes and loses a step."""
    lane = {k: v for k, v in LANE.items() if k != "1106"}
    full = dict(zip((*R4[:4],), ("1008", "1008", "1007", "1007"), strict=True))
    bench = battle({PZ[0]: "1011", R3[0]: "1010", INF[0]: "1106", **full}, PZ[:1], 6, rows=lane)
    assert bench.happened(Retreated) == [Retreated(R3[0], ("1010", "1009", "1008", "1007", "1006"))]
    assert bench.state.units[R3[0]].reduced


def test_a_full_hex_before_a_zone() -> None:
    """10.6(6) Of two hexes as near, one in an EZOC and one full of friends: (4) comes before (5), the unit goes by the full one and on."""
    standing = {PZ[0]: "0910", INF[0]: "1109", R3[0]: "1010", R4[0]: "1111", R4[1]: "1111"}
    bench = battle(standing, PZ[:1], 4, sources=EAST)
    assert set(bench.options("soviet", "retreat", R3[0])) == {"1111"}
    assert set(bench.options("soviet", "retreat", R3[0], "1111")) == {"1210", "1211"}
    bench.do("soviet", "retreat", R3[0], "1111", "1211")
    assert not bench.happened(Reduced)


def test_off_the_map_in_the_corner() -> None:
    """10.6(3)1, R-26 In the corner with the neighbours held or under a lake there is only the edge: eliminated."""
    bench = Bench(board_t(sources=(source("axis", "0110"), source("soviet", "2010")), rows={"1901": "L"}))
    bench.stand({R3[0]: "2001", PZ[0]: "2002", INF[0]: "1902"})
    assert set(bench.state.data.board.grid.names(bench.state.data.board.grid.adjacent[bench.state.data.hex("2001")])) == {
        "1901",
        "1902",
        "2002",
    }
    bench.activate("axis", PZ[0], segment="declaration")
    bench.dice(4)
    bench.attack("axis", ("2001", PZ[0]))
    assert bench.happened(Eliminated) == [Eliminated(R3[0], "no_retreat", "box.available.soviet")]


def test_the_axis_retreats_along_its_railway() -> None:
    """10.6(6), 3.3(3), R-25 An Axis division on the railway goes back along it, hex by hex; without snow's shift it would be the same."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 5), "0110 0210")))
    bench.stand({INF[0]: "1008", R4[0]: "1007", R4[1]: "1007", R4[2]: "1108"}, turn=9)
    bench.activate("soviet", *R4[:3], segment="declaration")
    bench.dice(6)
    bench.attack("soviet", ("1008", *R4[:3]))  # 12 to 5: 2-1, +1: 3-1, die 6: RR
    assert bench.happened(Retreated) == [Retreated(INF[0], ("1008", "1009", "1010"))]


def test_two_units_two_ways_and_a_city_between() -> None:
    """10.6(2), R-12 Each unit of a stack picks its way; a town on the way is theirs again."""
    towns = (place("1110", owner="axis"), place("1111", owner="axis"))
    bench = battle({PZ[0]: "0910", PZ[1]: "0910", R3[0]: "1010", R3[1]: "1010"}, PZ[:2], 4, sources=EAST, places=towns)
    bench.do("soviet", "retreat", R3[1], "1111")
    assert {bench.state.control[bench.state.data.hex(name)] for name in ("1111",)} == {"soviet"}
    bench.do("soviet", "retreat", R3[0], "1110")
    assert bench.state.control[bench.state.data.hex("1110")] == "soviet"


# --- 10.7


def test_one_panzer_makes_room_for_the_others() -> None:
    """10.7(1), 10.7(4), 10.7(6)4 Three attackers: the panzer division goes two hexes, so both infantry divisions find room in the first."""
    bench = battle({PZ[0]: "1011", INF[0]: "1011", INF[1]: "0911", R3[0]: "1010"}, (PZ[0], *INF[:2]), 5, rows={"1109": "L"})
    # 18 to 3: 6-1, 1RR
    assert bench.happened(LossesTaken) == [LossesTaken("soviet", (R3[0],))]
    bench.do("axis", "advance", PZ[0], "1010", "1009")
    bench.do("axis", "advance", INF[0], "1010")
    bench.do("axis", "advance", INF[1], "1010")
    assert bench.hexes(PZ[0], *INF[:2]) == ("1009", "1010", "1010")


def test_a_fort_does_not_halt_an_advance() -> None:
    """10.7(1)2, 14.2(2) A fortified hex is what its terrain is: over plain the panzer division goes on."""
    bench = battle({PZ[0]: "1011", PZ[1]: "1011", PZ[2]: "0911", PZ[3]: "0911", R3[0]: "1010"}, PZ, 4, fort="1010")  # 32 to 7: 4-1, RR
    assert "1009" in bench.options("axis", "advance", PZ[0], "1010")


def test_a_big_city_halts_before_and_after() -> None:
    """10.7(1)2, R-03 Into a big city one hex; from plain a second hex that is a big city is not entered."""
    into = battle({PZ[0]: "1011", PZ[1]: "1011", R3[0]: "1010"}, PZ[:2], 6, places=(place("1010", kind="big_city"),))  # 5-1, -2: 3-1, RR
    assert into.options("axis", "advance", PZ[0], "1010") == ()
    beyond = battle({PZ[0]: "1011", R3[0]: "1010"}, PZ[:1], 6, places=(place("1110", kind="big_city"),))
    assert "1110" not in beyond.options("axis", "advance", PZ[0], "1010")
    assert beyond.refused("axis", "advance", PZ[0], "1010", "1110").rule == "10.7(1)"


def test_what_an_advance_may_never_enter() -> None:
    """10.7(6)1-10.7(6)3, 3.1(2) A second hex beyond an impassable hexside, in a lake or off the map is refused with 10.7(6), one with
    enemies with 3.1(2)."""
    bench = battle({PZ[0]: "1011", R3[0]: "1010", R4[0]: "0910"}, PZ[:1], 6, rows={"1110": "L"}, impassable="1010-1111")
    beyond = set(bench.options("axis", "advance", PZ[0], "1010"))
    assert not beyond & {"1110", "1111", "0910"} and {"1009", "0911"} <= beyond
    assert bench.refused("axis", "advance", PZ[0], "1010", "1110").rule == "10.7(6)"
    assert bench.refused("axis", "advance", PZ[0], "1010", "1111").rule == "10.7(6)"
    assert bench.refused("axis", "advance", PZ[0], "1010", "2110").rule == "10.7(6)"
    assert bench.refused("axis", "advance", PZ[0], "1010", "0910").rule == "3.1(2)"


def test_soviet_tanks_advance_in_the_clear_only() -> None:
    """10.7(1), R-30 (e) A Soviet motorised division goes two hexes over plain on turn 2, one in snow; cavalry with it one each time."""
    for turn, two in ((2, True), (9, False)):
        bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 5),)))
        bench.stand({"su.mot.107": "1009", "su.mot.101": "1009", CAV: "1110", "ax.sec.221": "1010"}, turn=turn)
        bench.activate("soviet", "su.mot.107", "su.mot.101", CAV, segment="declaration")
        bench.dice(1)
        bench.attack("soviet", ("1010", "su.mot.107", "su.mot.101"))  # 10 to 2: 5-1 R, in snow 6-1 R
        assert bool(bench.options("soviet", "advance", "su.mot.107", "1010")) is two
        assert bench.refused("soviet", "advance", CAV).rule == "10.7(2)"
        bench.do("soviet", "advance", "su.mot.101", "1010")
        assert bench.happened(Advanced) == [Advanced("su.mot.101", ("1009", "1010"))]
