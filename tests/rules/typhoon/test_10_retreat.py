"""10.6 Retreat and 10.7 advance after combat, on a board whose Soviet source lies in the north and whose Axis source lies in the south."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.games.typhoon.events import Advanced, Eliminated, Reduced, Retreated
from tests.rules.typhoon.bench import Bench, board_t, column, place, source

PZ, PZ2, INF, INF2 = "ax.panzer.1", "ax.panzer.6", "ax.inf.5", "ax.inf.35"
R3, R3B, R3C, R3D = "su.rifle.133", "su.rifle.174", "su.rifle.179", "su.rifle.186"
NORTH = (source("axis", "1020"), source("soviet", "1001"))
EAST = (source("axis", "0110"), source("soviet", "2010"))


def battle(
    standing: Mapping[str, str],
    attackers: Sequence[str],
    die: int,
    *,
    turn: int = 1,
    sources: Any = NORTH,
    reduced: Sequence[str] = (),
    **more: Any,
) -> Bench:
    """An Axis attack of these units on 1010, with this die."""
    options = {key: more.pop(key) for key in tuple(more) if key.startswith("friendly")}
    bench = Bench(board_t(sources=sources, rails=(column(10, 20, 15), "0110 0210"), **more), **options)
    bench.stand(standing, turn=turn, reduced=reduced)
    bench.activate("axis", *attackers, segment="declaration")
    bench.dice(die)
    bench.attack("axis", ("1010", *attackers))
    return bench


# 8 against 3 is 2-1: die 4 gives R, die 6 gives RR.


def test_10_6_along_the_line_R25() -> None:
    """10.6, 10.6(1), 10.6(6), R-25 A retreat goes one hex nearer the source along the LOC, by itself where there is one way only."""
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 4)
    assert bench.happened(Retreated) == [Retreated(R3, ("1010", "1009"))]
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}


def test_10_6_owner_chooses_among_equal_ways() -> None:
    """10.6(2), 10.6(6), R-25 Towards a source in the east two hexes are as near: the owner chooses, for each unit."""
    bench = battle({PZ: "0910", PZ2: "0910", R3: "1010", R3B: "1010"}, (PZ, PZ2), 4, sources=EAST)
    assert bench.asked() == {"soviet": "prompt.typhoon.retreat"}
    assert bench.options("soviet", "retreat") == (R3, R3B)
    assert set(bench.options("soviet", "retreat", R3)) == {"1110", "1111"}
    assert bench.refused("soviet", "retreat", R3, "1009").rule == "10.6(6)"
    bench.do("soviet", "retreat", R3, "1110")
    bench.do("soviet", "retreat", R3B, "1111")
    assert bench.hexes(R3, R3B) == ("1110", "1111")


def test_10_6_4_zones_are_shunned() -> None:
    """10.6(4), R-25 Of two hexes as near the one outside EZOC must be taken, by itself."""
    bench = battle({PZ: "0910", INF: "1109", R3: "1010"}, (PZ,), 4, sources=EAST)
    assert bench.hexes(R3) == ("1111",)
    assert not bench.happened(Reduced)

    bench = battle({PZ: "0910", PZ2: "0910", INF: "1109", R3: "1010", R3B: "1010", R3C: "1111", R3D: "1111"}, (PZ, PZ2), 4, sources=EAST)
    assert bench.refused("soviet", "retreat", R3, "1110").rule == "10.6(4)"


SURROUNDED = {PZ: "0910", PZ2: "0911", INF: "1109", INF2: "1112", "ax.inf.8": "1311", R3: "1010"}


def test_10_6_4_a_step_for_each_zone_hex_R27() -> None:
    """10.6(4), R-27 RR through two EZOC hexes: flipped in the first, eliminated in the second (example 44); R-25 D2, for it has no LOC."""
    bench = battle(SURROUNDED, (PZ,), 6, sources=EAST)
    (unit, first), second = (R3, bench.options("soviet", "retreat", R3)[0]), None
    second = bench.options("soviet", "retreat", unit, first)[0]
    bench.do("soviet", "retreat", unit, first, second)
    assert bench.happened(Reduced) == [Reduced(R3, "zone")]
    assert bench.happened(Eliminated) == [Eliminated(R3, "zone", "box.available.soviet")]


def test_R27_a_friend_may_count_by_option() -> None:
    """R-27 By option a friendly unit in the hex saves the step; by default not."""
    standing = {**SURROUNDED, R3B: "1110"}
    bench = battle(standing, (PZ,), 4, sources=EAST)
    bench.do("soviet", "retreat", R3, "1110")
    assert bench.state.units[R3].reduced

    bench = battle(standing, (PZ,), 4, sources=EAST, friendly_unit_negates_retreat_ezoc=True)
    assert bench.hexes(R3) == ("1110",)
    assert not bench.state.units[R3].reduced


def test_10_6_5_over_stacking_drives_on_R28() -> None:
    """10.6(5), R-28, 3.1(3) The hex behind is full: the unit goes one further (example 45)."""
    bench = battle({PZ: "1011", R3: "1010", R3B: "1009", R3C: "1009", R3D: "1008"}, (PZ,), 4)
    assert bench.happened(Retreated) == [Retreated(R3, ("1010", "1009", "1008"))]


def test_10_6_5_room_is_preferred() -> None:
    """R-25 Of two hexes as near, both clear, the one that is not full is taken."""
    bench = battle({PZ: "0910", R3: "1010", R3B: "1110", R3C: "1110"}, (PZ,), 4, sources=EAST)
    assert bench.hexes(R3) == ("1111",)


RIVER = {"major": "1008-1009 1009-1109 1009-1110 0910-1009 0909-1009"}


def test_10_6_3_second_hex_over_a_major_river_R29() -> None:
    """10.6(3), R-29 RR, and every second hex lies across an unbridged major river: eliminated (example 46); R stops before it."""
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 6, rivers=RIVER)
    assert bench.happened(Eliminated) == [Eliminated(R3, "no_retreat", "box.available.soviet")]

    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 4, rivers=RIVER)
    assert bench.hexes(R3) == ("1009",)


def test_10_6_3_first_hex_may_cross_and_bridges_do_not_matter() -> None:
    """R-29 The first hex of a retreat crosses a major river freely; a bridged one may be crossed by the second."""
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 4, rivers={"major": "1009-1010"})
    assert bench.hexes(R3) == ("1009",)
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 6, rivers=RIVER, bridges="1008-1009", roads=("1009 1008",))
    assert bench.hexes(R3) == ("1008",)


def test_10_6_3_nowhere_to_go_R26() -> None:
    """10.6(3), R-26 With enemies or lakes all round the unit is eliminated."""
    around = dict(zip(("ax.inf.8", "ax.inf.28", "ax.inf.87"), ("1009", "1110", "0910"), strict=True))
    bench = battle({PZ: "1011", INF: "0911", R3: "1010", **around}, (PZ,), 4, rows={"1111": "L"})
    assert bench.happened(Eliminated) == [Eliminated(R3, "no_retreat", "box.available.soviet")]


def test_R25_at_the_source_it_goes_where_it_can() -> None:
    """R-25 Where no neighbour is nearer the source any legal hex will do, but not one it has left."""
    sources = (source("axis", "1020"), source("soviet", "1010"))
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 4, sources=sources)
    assert bench.asked() == {"soviet": "prompt.typhoon.retreat"}
    assert set(bench.options("soviet", "retreat", R3)) == {"1009", "1110", "0910"}  # 1111 and 0911 are in EZOC


def test_R25_without_any_way_as_the_crow_flies() -> None:
    """R-25 D3: cut off even without zones, it retreats by plain distance."""
    walls = dict.fromkeys((f"{c:02}05" for c in range(1, 21)), "L") | dict.fromkeys((f"{c:02}04" for c in range(1, 21)), "L")
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 4, rows=walls)
    assert bench.hexes(R3) == ("1009",)


def test_10_6_axis_line_of_retreat() -> None:
    """10.6(6), R-25 Axis units retreat along their own LOC, railway and six hexes."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15), "0110 0210")))
    bench.stand({INF: "1010", "su.rifle.178": "1009", "su.rifle.243": "1009", "su.rifle.91": "1110"})
    bench.activate("soviet", "su.rifle.178", "su.rifle.243", "su.rifle.91", segment="declaration")
    bench.dice(4)  # 12 to 5: 2-1, R
    bench.attack("soviet", ("1010", "su.rifle.178", "su.rifle.243", "su.rifle.91"))
    assert bench.hexes(INF) == ("1011",)


def test_R12_a_retreat_takes_control() -> None:
    """R-12 The last that passed through a town holds it, in retreat too."""
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 4, places=(place("1009", owner="axis"),))
    assert bench.state.control[bench.state.data.hex("1009")] == "soviet"


# --- 10.7 advance


def advance_after(target: str = "", second: str = "", *, turn: int = 1, die: int = 6, **more: Any) -> Bench:
    """A panzer and an infantry division (13 to 3: 4-1, RR with 5) have driven a division from 1010."""
    rows = {name: sign for name, sign in (("1010", target), ("1009", second)) if sign}
    return battle({PZ: "1011", INF: "1011", R3: "1010"}, (PZ, INF), die, turn=turn, rows=rows, reduced=(R3,), **more)


def test_10_7_1_mechanised_two_hexes_others_one_R30() -> None:
    """10.7(1), 10.7(4), 10.7(5), R-30 Over plain in clear weather a panzer division advances two hexes, infantry one (example 49)."""
    bench = advance_after()
    assert bench.options("axis", "advance", PZ) == ("1010",)
    assert "1009" in bench.options("axis", "advance", PZ, "1010")
    assert bench.options("axis", "advance", INF, "1010") == ()
    assert bench.refused("axis", "advance", INF, "1010", "1009").rule == "10.7(1)"
    assert bench.refused("axis", "advance", PZ, "1009").rule == "10.7(5)"
    bench.do("axis", "advance", PZ, "1010", "1009")
    assert bench.happened(Advanced) == [Advanced(PZ, ("1011", "1010", "1009"))]
    bench.do("axis", "advance", INF, "1010")
    assert bench.hexes(PZ, INF) == ("1009", "1010")


def test_10_7_1_forest_halts() -> None:
    """10.7(1) Into a light forest everybody advances one hex (example 50), nor does a panzer go on into one, a swamp or a town."""
    assert advance_after("f").options("axis", "advance", PZ, "1010") == ()
    for sign in "fFs":
        bench = advance_after(second=sign)
        assert "1009" not in bench.options("axis", "advance", PZ, "1010")
        assert bench.refused("axis", "advance", PZ, "1010", "1009").key == "refusal.typhoon.advance_halts"
    assert "1009" not in advance_after(places=(place("1009"),)).options("axis", "advance", PZ, "1010")
    assert advance_after(places=(place("1010"),)).options("axis", "advance", PZ, "1010") == ()


def test_10_7_1_rivers_halt_R30() -> None:
    """R-30 Neither step of a two-hex advance may cross a river, bridged or not."""
    assert advance_after(rivers={"minor": "1010-1011"}).options("axis", "advance", PZ, "1010") == ()
    assert "1009" not in advance_after(rivers={"minor": "1009-1010"}).options("axis", "advance", PZ, "1010")


def test_10_7_1_in_frost_one_hex_R37() -> None:
    """R-30, R-37 Plain counts as forest in frost: one hex (example 52)."""
    assert advance_after(turn=7).options("axis", "advance", PZ, "1010") == ()


def test_10_7_2_nobody_has_to() -> None:
    """10.7(2) Any or none may advance."""
    bench = advance_after()
    bench.do("axis", "done")
    assert bench.hexes(PZ, INF) == ("1011", "1011")


def test_10_7_3_zones_do_not_matter() -> None:
    """10.7(3) An advance goes into another enemy's EZOC (example 53), and costs no movement points."""
    bench = battle({PZ: "1011", R3: "1010", R3B: "1109"}, (PZ,), 4)
    bench.do("axis", "advance", PZ, "1010")
    assert bench.hexes(PZ) == ("1010",)


def test_10_7_6_stacking_binds_at_the_end() -> None:
    """10.7(6) A third unit may not end in the hex, but a mechanised one may pass through it; not into lakes, enemies or off the map."""
    bench = battle({PZ: "1011", INF: "1011", PZ2: "0911", R3: "1010"}, (PZ, INF, PZ2), 5, rows={"1009": "L"}, reduced=(R3,), sources=EAST)
    while bench.asked() == {"soviet": "prompt.typhoon.retreat"}:
        picks = ["retreat", R3]
        while options := bench.options("soviet", *picks):
            picks.append(str(options[0]))
        bench.do("soviet", *picks)
    bench.do("axis", "advance", INF, "1010")
    bench.do("axis", "advance", PZ2, "1010")
    assert "1009" not in bench.options("axis", "advance", PZ, "1010")
    assert bench.options("axis", "advance", PZ, "1010")
    choices = bench.choices("axis", "advance", PZ, "1010")
    assert not getattr(choices, "complete", True)


def test_10_7_advance_takes_control() -> None:
    """R-30 An advance takes control of a town."""
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 6, places=(place("1010"),))  # 2-1, one shift: 1.5-1, R
    bench.do("axis", "advance", PZ, "1010")
    assert bench.state.control[bench.state.data.hex("1010")] == "axis"
