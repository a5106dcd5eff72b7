"""Close readings of retreat and advance: the direction home, what eliminates, what the attacker may follow up with."""

from typing import Any

from engine.games.typhoon.events import Advanced, Eliminated, Reduced, Retreated
from engine.games.typhoon.retreat import begin, compass, next_hexes, onward
from engine.games.typhoon.state import Battle
from tests.rules.typhoon.bench import Bench, board_t, column, place, real_pack, source
from tests.rules.typhoon.test_10_retreat import EAST, INF, INF2, NORTH, PZ, PZ2, R3, R3B, R3C, R3D, battle


def test_R25_it_never_goes_back_where_it_came_from() -> None:
    """R-25 From the source itself RR leads two hexes away: the attacked hex, though nearer home, is not entered again."""
    sources = (source("axis", "1020"), source("soviet", "1010"))
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 6, sources=sources)
    for first in bench.options("soviet", "retreat", R3):
        assert bench.options("soviet", "retreat", R3, first)
        assert "1010" not in bench.options("soviet", "retreat", R3, first)
    bench.do("soviet", "retreat", R3, "1009", "1008")
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}


def test_10_6_6_a_way_that_eliminates_comes_last() -> None:
    """10.6(6), 10.6(3), R-25 Of two ways as short, RR takes the one whose second hex does not lie across an unbridged major river, even
    into an EZOC."""
    river = {"major": "1110-1209 1110-1210"}
    bench = battle({PZ: "0910", R3: "1010"}, (PZ,), 6, sources=EAST)
    assert set(bench.options("soviet", "retreat", R3)) == {"1110", "1111"}
    bench = battle({PZ: "0910", R3: "1010"}, (PZ,), 6, sources=EAST, rivers=river)
    assert bench.options("soviet", "retreat", R3) == ("1111",)

    bench = battle({PZ: "0910", INF: "1112", R3: "1010"}, (PZ,), 6, sources=EAST, rivers=river)
    assert bench.happened(Retreated) == [Retreated(R3, ("1010", "1111", "1210"))]
    assert bench.happened(Reduced) == [Reduced(R3, "zone")]
    bench = battle({PZ: "0910", INF: "1112", R3: "1010"}, (PZ,), 4, sources=EAST, rivers=river)
    assert bench.hexes(R3) == ("1110",)  # with R the river does not matter


def test_R29_the_shortest_way_is_not_left_for_a_longer_one() -> None:
    """10.6(3), 10.6(6), R-29 The one hex that is nearer home lies across an unbridged major river: the second hex eliminates, though other
    hexes lie open."""
    walls = {f"{c:02}08": "L" for c in range(1, 21) if c != 10}
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 6, rows=walls, rivers={"major": "1008-1009"})
    assert bench.happened(Retreated) == [Retreated(R3, ("1010", "1009"))]
    assert bench.happened(Eliminated) == [Eliminated(R3, "no_retreat", "box.available.soviet")]


def test_R29_a_further_hex_may_not_cross_either() -> None:
    """R-29, 10.6(5) R into a full hex: the overflow hex beyond an unbridged major river eliminates."""
    standing = {PZ: "1011", R3: "1010", R3B: "1009", R3C: "1009"}
    over = {"major": "1008-1009 1009-1109 1009-1110 0910-1009 0909-1009"}
    bench = battle(standing, (PZ,), 4, rivers=over)
    assert bench.happened(Eliminated) == [Eliminated(R3, "no_retreat", "box.available.soviet")]
    bench = battle(standing, (PZ,), 4, rivers={"minor": over["major"]})
    assert bench.hexes(R3) == ("1008",)


def test_R04_big_city_hexes_are_bridged_for_a_retreat_too() -> None:
    """R-04, R-11, R-29 Between two big-city hexes a major river counts as bridged: the second hex of a retreat may cross it."""
    cities = (place("1009", kind="big_city", group="moscow"), place("1008", kind="big_city", group="moscow"))
    over = {"major": "1008-1009"}
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 6, rivers=over, places=cities)
    assert bench.hexes(R3) == ("1008",)
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 6, rivers=over, places=cities[:1])
    assert bench.hexes(R3) == ("box.available.soviet",)


def test_R04_moscow_on_the_map() -> None:
    """R-04 The Moskva between Moscow West and Moscow North stops no second retreat hex."""
    data = Bench(real_pack()).state.data
    west, north = data.hex("2911"), data.hex("3010")
    at = west * 6 + data.board.grid.direction(west, north)
    assert data.river[at] and not data.board.sides.bridged[at]
    assert not data.no_second_retreat[at]


def test_R25_by_the_first_distance_that_exists() -> None:
    """R-25 D1 along the LOC; with the LOC cut, D2 through EZOC; walled in, D3 as the crow flies, with 15.4 to the edge of the map."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    bench.stand({R3: "1010", INF: "0908", INF2: "1108"})
    data = bench.state.data
    here = data.hex("1010")
    way = Battle(here, (INF,), (R3,), retreat=1, ground=bench.state.field)
    first = compass(bench.state, way, "soviet").distance(here)
    assert first > 9  # round the zones
    cut = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    cut.stand({R3: "1010", INF: "0909", INF2: "1110", "ax.inf.8": "0912"})
    assert not cut.state.field.has_loc("soviet", here)
    way = Battle(here, (INF,), (R3,), retreat=1, ground=cut.state.field)
    assert compass(cut.state, way, "soviet").distance(here) == 9

    lakes = {f"{c:02}0{r}": "L" for c in range(1, 21) for r in (4, 5)}
    for joined, distance in ((False, 9), (True, 9)):
        bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),), rows=lakes), off_map_line=joined)
        bench.stand({R3: "1010"})
        way = Battle(here, (INF,), (R3,), retreat=1, ground=bench.state.field)
        assert compass(bench.state, way, "soviet").distance(here) == distance


def test_R25_D3_counts_the_joined_edge_only_by_option() -> None:
    """R-25, 15.4 Plain distances count the east edge as sources when it is joined off the map."""
    data = Bench(board_t(sources=(source("axis", "0110"), source("soviet", "2001")))).state.data
    here = data.hex("1910")
    assert data.straight["soviet"].distance(here) > 5
    assert data.straight_edge.distance(here) == 1
    grid = data.board.grid
    for i in range(0, len(grid), 7):
        assert data.straight["soviet"].distance(i) == grid.distance(i, data.hex("2001"))


def test_R27_each_unit_loses_for_itself_and_the_attacked_hex_is_free() -> None:
    """10.6(4), R-27 Each of two units loses its own step on entering an EZOC; the attacked hex, an EZOC too, costs nothing."""
    standing = {PZ: "0910", PZ2: "0911", INF: "1109", INF2: "1112", "ax.inf.8": "1311", R3: "1010", R3B: "1010"}
    bench = battle(standing, (PZ, PZ2), 4, sources=EAST)
    while bench.asked() == {"soviet": "prompt.typhoon.retreat"}:
        unit = bench.options("soviet", "retreat")[0]
        bench.do("soviet", "retreat", unit, bench.options("soviet", "retreat", unit)[0])
    assert all(bench.state.units[name].reduced for name in (R3, R3B))


def test_R27_a_reduced_unit_falls_in_the_first_zone_hex() -> None:
    """R-27 A reduced unit dies in the first EZOC hex; it is combat that removed it, so a rifle division returns (R-35)."""
    standing = {PZ: "0910", PZ2: "0911", INF: "1109", INF2: "1112", R3: "1010"}
    bench = battle(standing, (PZ,), 6, sources=EAST, reduced=(R3,))  # 8 to the reduced strength
    if bench.asked() == {"soviet": "prompt.typhoon.retreat"}:
        first = bench.options("soviet", "retreat", R3)[0]
        bench.do("soviet", "retreat", R3, first)
    assert bench.hexes(R3) == ("box.available.soviet",)


def test_R21_a_hex_with_only_fallen_back_units_is_fought_at_10_1() -> None:
    """10.3(1), R-21, R-12 A division driven into a hex that is attacked next adds nothing there: alone it is fought at 10-1, and retreats
    again."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    bench.stand({PZ: "1011", INF: "0910", "ax.inf.251": "0910", R3: "1010", R3B: "1009"}, reduced=(R3B,))
    bench.activate("axis", PZ, INF, "ax.inf.251", segment="declaration")
    bench.dice(4, 1)
    bench.do("axis", "attack", "1010", PZ)
    bench.attack("axis", ("1009", INF, "ax.inf.251"))
    bench.do("axis", "resolve", "1010")
    assert bench.hexes(R3) == ("1009",)
    activation = bench.state.activation
    assert activation is not None and activation.fallen_back == {R3}
    bench.do("axis", "done")  # no advance; the second combat follows by itself
    fought = [event for event in bench.events if type(event).__name__ == "Fought"]
    assert fought[0].defenders == (R3, R3B) and fought[0].defence == bench.state.data.types[R3B].reduced[1]  # type: ignore[index]


def test_R28_the_owner_says_who_goes_first() -> None:
    """R-28, 10.6(2), 10.6(5) Room for one behind: whoever goes first takes it, the other is driven on; the owner orders them."""
    standing = {PZ: "1011", PZ2: "1011", R3: "1010", R3B: "1010", R3C: "1009"}
    bench = battle(standing, (PZ, PZ2), 4)
    assert bench.asked() == {"soviet": "prompt.typhoon.retreat"}
    assert bench.options("soviet", "retreat") == (R3, R3B)
    bench.do("soviet", "retreat", R3B, "1009")
    assert (bench.hexes(R3B), bench.state.at(R3)) == (("1009",), bench.state.data.hex("1008"))


def test_R28_nobody_is_displaced() -> None:
    """R-28 Units that stand in the way stay: the retreating one goes on, hex by hex."""
    standing = {PZ: "1011", R3: "1010", R3B: "1009", R3C: "1009", R3D: "1008", "su.rifle.178": "1008"}
    bench = battle(standing, (PZ,), 4)
    assert bench.hexes(R3, R3B, R3C, R3D) == ("1007", "1009", "1009", "1008")


def test_R26_an_impassable_side_is_no_way() -> None:
    """10.6(3), R-26 Impassable hexsides close a way like a lake."""
    bench = battle({PZ: "1011", R3: "1010"}, (PZ,), 4, impassable="1009-1010")
    assert set(bench.options("soviet", "retreat", R3)) == {"0910", "1110"}


def test_a_retreat_of_one_flight_step_by_step() -> None:
    """R-25 The offered hexes of a flight are those of its last hex."""
    bench = battle({PZ: "0910", R3: "1010"}, (PZ,), 6, sources=EAST)
    state = bench.state
    assert state.battle is not None
    flight = begin(state, R3)
    for i in next_hexes(state, state.battle, flight):
        further = next_hexes(state, state.battle, onward(state, flight, i))
        assert further and all(state.data.board.grid.distance(i, n) == 1 for n in further)


# --- 10.7


def driven(**more: Any) -> Bench:
    """A panzer and an HQ have driven a reduced division from 1010."""
    return battle({PZ: "1011", "ax.hq.2a": "1011", R3: "1010"}, (PZ, "ax.hq.2a"), 6, reduced=(R3,), **more)


def test_R30_cavalry_and_hqs_advance_one_hex() -> None:
    """10.7(1), R-30 An HQ and cavalry are not mechanised: one hex."""
    bench = driven()
    assert bench.options("axis", "advance", "ax.hq.2a", "1010") == ()
    types = bench.state.data.types
    assert not any(type_.mech for type_ in types.values() if type_.kind == "cavalry" or type_.hq)


def test_R30_a_road_and_a_bridge_do_not_help() -> None:
    """R-30 A bridged river ends the advance like any other; a road does not lift a forest's limit."""
    road = ("1011 1010 1009",)
    assert driven(rivers={"minor": "1010-1011"}, bridges="1010-1011", roads=road).options("axis", "advance", PZ, "1010") == ()
    assert "1009" not in driven(rows={"1009": "f"}, roads=road).options("axis", "advance", PZ, "1010")


def test_R30_no_second_hex_in_any_weather_but_clear() -> None:
    """R-30, 14.1 In mud, frost and snow plain counts as forest: one hex for everybody."""
    for turn, two in ((2, True), (3, False), (6, False), (8, False)):
        bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
        bench.stand({PZ: "1011", PZ2: "1011", R3: "1010"}, turn=turn, reduced=(R3,))
        assert bool(bench.state.weather.open[bench.state.data.hex("1010")]) is two


def test_10_7_4_the_second_hex_may_be_one_just_left() -> None:
    """10.7(4), R-30 (c) The second hex may lie beside, in an EZOC, or be the hex from which the unit came."""
    bench = battle({PZ: "1011", R3: "1010", R3B: "1208"}, (PZ,), 4)
    beyond = set(bench.options("axis", "advance", PZ, "1010"))
    assert {"1011", "1110", "1111", "0910", "0911"} <= beyond


def test_10_7_advance_happens_before_the_next_combat() -> None:
    """R-30 (a), 10.2(1) An advance comes at once, before the next combat is resolved; a unit that still has to fight stays."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    bench.stand({PZ: "1011", PZ2: "1211", R3: "1010", R3B: "1210"})
    bench.activate("axis", PZ, PZ2, segment="declaration")
    bench.dice(4, 4)
    bench.do("axis", "attack", "1010", PZ)
    bench.attack("axis", ("1210", PZ2))
    bench.do("axis", "resolve", "1010")
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}
    assert bench.refused("axis", "advance", PZ2).rule == "10.7(2)"
    bench.do("axis", "advance", PZ, "1010")
    assert Advanced(PZ, ("1011", "1010")) in bench.events


def test_R28_a_packed_pocket_is_decided_at_once() -> None:
    """10.6(5), R-28 In a pocket of full stacks walled in by lakes nobody finds room: the unit is eliminated, and that is worked out in a
    moment, not by trying every way round."""
    inside = [f"{c:02}{row:02}" for c in range(8, 13) for row in range(6, 10)]
    lakes = {f"{c:02}{row:02}": "L" for c in range(7, 14) for row in range(4, 12) if f"{c:02}{row:02}" not in inside}
    lakes = {name: sign for name, sign in lakes.items() if name not in ("1010", "1011")}
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),), rows=lakes))
    rifles = [name for name, type_ in bench.state.data.types.items() if type_.side == "soviet" and not type_.hq and name != R3]
    standing = {name: inside[index // 2] for index, name in enumerate(rifles[: 2 * len(inside)])}
    bench.stand({**standing, R3: "1010", PZ: "1011"})
    bench.activate("axis", PZ, segment="declaration")
    bench.dice(4)
    bench.attack("axis", ("1010", PZ))
    state = bench.state
    assert state.battle is not None
    assert bench.asked() == {"soviet": "prompt.typhoon.retreat"}
    picks: tuple[str, ...] = ("retreat", R3)
    while hexes := bench.options("soviet", *picks):
        picks = (*picks, str(hexes[0]))
    assert len(picks) > 10
    bench.do("soviet", *picks)
    assert bench.happened(Eliminated) == [Eliminated(R3, "no_retreat", "box.available.soviet")]
