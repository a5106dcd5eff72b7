"""10.6(6) Which way a unit retreats."""

from tests.rules.chit_bench import source
from tests.rules.typhoon.battles import (
    EAST,
    INFANTRY,
    NORTH,
    PANZERS,
    RIFLES3,
    RIFLES4,
    SURROUNDED,
    battle,
    fought,
    retreat_ways,
)
from tests.rules.typhoon.bench import (
    INF,
    INF2,
    PZ,
    RIFLE,
    RIFLE2,
    RIFLE3,
    RIFLE4,
    Bench,
    board_t,
    column,
)
from warledger.engine.games.typhoon.losses import Reduced
from warledger.engine.games.typhoon.retreat import Retreated, begin, compass, next_hexes, onward
from warledger.engine.games.typhoon.state import Battle


def test_10_6_6_R25_at_the_source_it_goes_where_it_can() -> None:
    """R-25 Where no neighbour is nearer the source any legal hex will do, but not one it has
    left."""
    sources = (source("axis", "1020"), source("soviet", "1010"))
    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 4, sources=sources)
    assert bench.asked() == {"soviet": "prompt.typhoon.retreat"}
    assert set(bench.options("soviet", "retreat", RIFLE)) == {
        "1009",
        "1110",
        "0910",
    }  # 1111 and 0911 are in EZOC


def test_10_6_6_R25_without_any_way_as_the_crow_flies() -> None:
    """R-25 D3: cut off even without zones, it retreats by plain distance."""
    walls = dict.fromkeys((f"{c:02}05" for c in range(1, 21)), "L") | dict.fromkeys(
        (f"{c:02}04" for c in range(1, 21)), "L"
    )
    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 4, rows=walls)
    assert bench.hexes(RIFLE) == ("1009",)


def test_10_6_6_axis_line_of_retreat() -> None:
    """10.6(6), R-25 Axis units retreat along their own LOC, railway and six hexes."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15), "0110 0210")))
    bench.stand(
        {INF: "1010", "su.rifle.178": "1009", "su.rifle.243": "1009", "su.rifle.91": "1110"}
    )
    bench.activate("soviet", "su.rifle.178", "su.rifle.243", "su.rifle.91", segment="declaration")
    bench.dice(4)  # 12 to 5: 2-1, R
    bench.attack("soviet", ("1010", "su.rifle.178", "su.rifle.243", "su.rifle.91"))
    assert bench.hexes(INF) == ("1011",)


def test_10_6_6_R25_it_never_goes_back_where_it_came_from() -> None:
    """R-25 From the source itself RR leads two hexes away: the attacked hex, though nearer home, is
    not entered again."""
    sources = (source("axis", "1020"), source("soviet", "1010"))
    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 6, sources=sources)
    for first in bench.options("soviet", "retreat", RIFLE):
        assert bench.options("soviet", "retreat", RIFLE, first)
        assert "1010" not in bench.options("soviet", "retreat", RIFLE, first)
    bench.do("soviet", "retreat", RIFLE, "1009", "1008")
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}


def test_10_6_6_R25_by_the_first_distance_that_exists() -> None:
    """R-25 D1 along the LOC; with the LOC cut, D2 through EZOC; walled in, D3 as the crow flies,
    with 15.4 to the edge of the map."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    bench.stand({RIFLE: "1010", INF: "0908", INF2: "1108"})
    data = bench.state.data
    here = data.hex("1010")
    way = Battle(here, (INF,), (RIFLE,), retreat=1, ground=bench.state.field)
    first = compass(bench.state, way, "soviet").distance(here)
    assert first > 9  # round the zones
    cut = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    cut.stand({RIFLE: "1010", INF: "0909", INF2: "1110", "ax.inf.8": "0912"})
    assert not cut.state.field.has_loc("soviet", here)
    way = Battle(here, (INF,), (RIFLE,), retreat=1, ground=cut.state.field)
    assert compass(cut.state, way, "soviet").distance(here) == 9

    lakes = {f"{c:02}0{r}": "L" for c in range(1, 21) for r in (4, 5)}
    for joined, distance in ((False, 9), (True, 9)):
        bench = Bench(
            board_t(sources=NORTH, rails=(column(10, 20, 15),), rows=lakes), off_map_line=joined
        )
        bench.stand({RIFLE: "1010"})
        way = Battle(here, (INF,), (RIFLE,), retreat=1, ground=bench.state.field)
        assert compass(bench.state, way, "soviet").distance(here) == distance


def test_10_6_6_a_retreat_of_one_flight_step_by_step() -> None:
    """R-25 The offered hexes of a flight are those of its last hex."""
    bench = battle({PZ: "0910", RIFLE: "1010"}, (PZ,), 6, sources=EAST)
    state = bench.state
    assert state.battle is not None
    flight = begin(state, RIFLE)
    for i in next_hexes(state, state.battle, flight):
        further = next_hexes(state, state.battle, onward(state, flight, i))
        assert further and all(state.data.board.grid.distance(i, n) == 1 for n in further)


def test_10_6_6_along_the_line_before_into_a_zone() -> None:
    """10.6(6), 3.3(1), R-25: Attacked from 0910, source 1001. The line may not pass 1009, in the
    attacker's zone, though it is nearest home as the crow flies: it goes by 1110, and so does the
    unit, without loss."""
    places = {PZ: "0910", RIFLE: "1010"}
    bench = fought(places, 4, sources=NORTH)
    assert bench.happened(Retreated) == [Retreated(RIFLE, ("1010", "1110"))]
    assert not bench.happened(Reduced)


def test_10_6_6_along_the_line_for_two_hexes() -> None:
    """10.6(6): RR in the same position: 1109 is the next hex of the line."""
    assert retreat_ways({PZ: "0910"}, 2, sources=NORTH) == {"1110 1109"}


def test_10_6_6_the_line_leads_round_a_zone() -> None:
    """10.6(6), 3.3(1): Attacked from 0911, another enemy in 1111, source 2010 in the east: 1110 is
    in a zone, so the line goes round by 1009."""
    assert retreat_ways({PZ: "0911", INF: "1111"}, 1) == {"1009"}


def test_10_6_6_who_has_no_line_goes_nearer_home() -> None:
    """10.6(6), R-25 D2: Without a line it goes to the hexes nearer home all the same: both are in
    zones and cost a step."""
    assert retreat_ways(SURROUNDED, 1) == {"1110", "1111"}


def test_10_6_6_into_a_zone_rather_than_to_destruction() -> None:
    """10.6(6), 10.6(3): The line goes by 1110, whence every second hex lies across an unbridged
    major river; 1111, in a zone, is as near and saves the unit, so it goes there."""
    river = {"major": "1110-1209 1110-1210"}
    assert retreat_ways({PZ: "0910", INF: "1112"}, 2, rivers=river) == {"1111 1210"}
    assert retreat_ways({PZ: "0910", INF: "1112"}, 1, rivers=river) == {"1110"}


def test_10_6_6_steps_are_counted_along_the_whole_way() -> None:
    """10.6(6), 10.6(4), R-25: RR, attacked from 1011, enemies in 0909 and 1209. 1110 and 1111 cost
    a step each; after 1110 the next does too, after 1111 the hex 1211 is free. By 1110 the
    unit would fall."""
    places = {PZ: "1011", INF: "0909", INF2: "1209"}
    assert retreat_ways(places, 2) == {"1111 1211"}
    assert retreat_ways(places, 1) == {"1110", "1111"}  # with R the second hex does not matter


def test_10_6_6_steps_along_the_whole_way_in_play() -> None:
    """10.6(4), R-25: The same in play: nobody is asked, and one step is lost."""
    places = {PZ: "1011", INF: "0909", INF2: "1209", RIFLE: "1010"}
    bench = fought(places, 6)
    assert bench.happened(Retreated) == [Retreated(RIFLE, ("1010", "1111", "1211"))]
    assert bench.happened(Reduced) == [Reduced(RIFLE, "zone")]


def test_10_6_6_over_stacking_is_looked_for_along_the_whole_way() -> None:
    """10.6(6), 10.6(5), R-25: RR, attacked from 0910, 1210 and 1211 full: by 1111 the unit would be
    driven on, by 1110 it finds room in 1209."""
    full = {RIFLE2: "1210", RIFLE3: "1210", RIFLE4: "1211", "su.rifle.178": "1211"}
    assert retreat_ways({PZ: "0910", **full}, 2) == {"1110 1209"}


def test_10_6_6_steps_outrank_over_stacking() -> None:
    """10.6(6): (4) before (5): with an enemy in 1309 the hex 1209 is in a zone; being driven on
    over a full hex costs no step, so that way is taken."""
    full = {RIFLE2: "1210", RIFLE3: "1210", RIFLE4: "1211", "su.rifle.178": "1211"}
    found = retreat_ways({PZ: "0910", INF: "1309", **full}, 2)
    assert found and all(
        len(way.split()) == 3 and way.split()[1] in ("1210", "1211") for way in found
    )


def test_10_6_6_a_full_hex_before_a_zone() -> None:
    """10.6(6) Of two hexes as near, one in an EZOC and one full of friends: (4) comes before (5),
    the unit goes by the full one and on."""
    placed = {
        PANZERS[0]: "0910",
        INFANTRY[0]: "1109",
        RIFLES3[0]: "1010",
        RIFLES4[0]: "1111",
        RIFLES4[1]: "1111",
    }
    bench = battle(placed, PANZERS[:1], 4, sources=EAST)
    assert set(bench.options("soviet", "retreat", RIFLES3[0])) == {"1111"}
    assert set(bench.options("soviet", "retreat", RIFLES3[0], "1111")) == {"1210", "1211"}
    bench.do("soviet", "retreat", RIFLES3[0], "1111", "1211")
    assert not bench.happened(Reduced)


def test_10_6_6_the_axis_retreats_along_its_railway() -> None:
    """10.6(6), 3.3(3), R-25 An Axis division on the railway goes back along it, hex by hex; without
    snow's shift it would be the same."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 5), "0110 0210")))
    bench.stand(
        {INFANTRY[0]: "1008", RIFLES4[0]: "1007", RIFLES4[1]: "1007", RIFLES4[2]: "1108"}, turn=9
    )
    bench.activate("soviet", *RIFLES4[:3], segment="declaration")
    bench.dice(6)
    bench.attack("soviet", ("1008", *RIFLES4[:3]))  # 12 to 5: 2-1, +1: 3-1, die 6: RR
    assert bench.happened(Retreated) == [Retreated(INFANTRY[0], ("1008", "1009", "1010"))]


def test_10_6_6_a_way_that_eliminates_comes_last() -> None:
    """10.6(6), 10.6(3), R-25 Of two ways as short, RR takes the one whose second hex does not lie
    across an unbridged major river, even into an EZOC."""
    river = {"major": "1110-1209 1110-1210"}
    bench = battle({PZ: "0910", RIFLE: "1010"}, (PZ,), 6, sources=EAST)
    assert set(bench.options("soviet", "retreat", RIFLE)) == {"1110", "1111"}
    bench = battle({PZ: "0910", RIFLE: "1010"}, (PZ,), 6, sources=EAST, rivers=river)
    assert bench.options("soviet", "retreat", RIFLE) == ("1111",)

    bench = battle({PZ: "0910", INF: "1112", RIFLE: "1010"}, (PZ,), 6, sources=EAST, rivers=river)
    assert bench.happened(Retreated) == [Retreated(RIFLE, ("1010", "1111", "1210"))]
    assert bench.happened(Reduced) == [Reduced(RIFLE, "zone")]
    bench = battle({PZ: "0910", INF: "1112", RIFLE: "1010"}, (PZ,), 4, sources=EAST, rivers=river)
    assert bench.hexes(RIFLE) == ("1110",)  # with R the river does not matter


def test_10_6_6_a_friend_keeps_the_line_open_and_the_zone_costs_all_the_same() -> None:
    """3.3(1), 10.6(4), R-27: A division in 1009 lets the line pass there: it is nearest home again,
    and the zone costs its step."""
    assert retreat_ways({PZ: "0910", RIFLE2: "1009"}, 1, sources=NORTH) == {"1009"}
    bench = fought({PZ: "0910", RIFLE: "1010", RIFLE2: "1009"}, 4, sources=NORTH)
    assert bench.happened(Reduced) == [Reduced(RIFLE, "zone")]
