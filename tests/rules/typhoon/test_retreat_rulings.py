"""10.6(6) and 3.4(2) as the original has them, worked by hand; and each earlier reading, which games that were begun with it keep."""

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from engine.games.typhoon.events import CityTaken, Eliminated, Reduced, Retreated
from engine.games.typhoon.retreat import begin, next_hexes, onward, rests
from engine.games.typhoon.rules import RULES, SWITCHES
from engine.games.typhoon.state import Battle
from engine.kernel.rulings import in_force, resolve, unnamed
from protocol.records import Genesis
from tests.rules.typhoon.bench import Bench, board_t, column, place
from tests.rules.typhoon.test_10_retreat import EAST, INF, INF2, NORTH, PZ, R3, R3B, R3C, R3D, SURROUNDED

EARLIER = ("retreat_hex_by_hex", "retreat_off_the_line", "fallen_takes_city")
"""What games were played by before 10.6(6) and 3.4(2) were read again: all of them on."""

RAILS = (column(10, 20, 15), "0110 0210")


def ways_of(places: Mapping[str, str], length: int, *, sources: Any = EAST, rivers: Any = None, **options: bool) -> set[str]:
    """The ways of R3 out of 1010, hexes joined; one that falls or is stuck ends with "dead"."""
    bench = Bench(board_t(sources=sources, rails=RAILS, **({"rivers": rivers} if rivers else {})), **options)
    bench.stand({R3: "1010", **places})
    state = bench.state
    battle = Battle(state.at(R3), (), (R3,), retreat=length, retreating=(R3,), ground=state.field)
    found = set()
    front = [begin(state, R3)]
    while front:
        flight = front.pop()
        following = () if rests(state, battle, flight) else next_hexes(state, battle, flight)
        front.extend(onward(state, flight, i) for i in following)
        if not following:
            names = state.data.board.grid.names(flight.path)
            lives = flight.steps > 0 and rests(state, battle, flight)
            found.add(" ".join(names if lives else (*names, "dead")))
    return found


def fought(
    places: Mapping[str, str], die: int, *, sources: Any = EAST, reduced: tuple[str, ...] = (), towns: Any = (), **options: bool
) -> Bench:
    """An attack on 1010 by the panzer division alone."""
    bench = Bench(board_t(sources=sources, rails=RAILS, places=towns), **options)
    bench.stand(places, reduced=reduced)
    bench.activate("axis", PZ, segment="declaration")
    bench.dice(die)
    bench.attack("axis", ("1010", PZ))
    return bench


# --- 10.6(6) along the line -----------------------------------------------------------------------------------------------------


def test_10_6_6_along_the_line_before_into_a_zone() -> None:
    """10.6(6), 3.3(1), R-25: Attacked from 0910, source 1001. The line may not pass 1009, in the attacker's zone: it goes by 1110, and so
    does the unit, without loss. By the earlier reading 1009, as the crow flies nearest home, costs a step."""
    places = {PZ: "0910", R3: "1010"}
    bench = fought(places, 4, sources=NORTH)
    assert bench.happened(Retreated) == [Retreated(R3, ("1010", "1110"))]
    assert not bench.happened(Reduced)

    bench = fought(places, 4, sources=NORTH, retreat_off_the_line=True)
    assert bench.happened(Retreated) == [Retreated(R3, ("1010", "1009"))]
    assert bench.happened(Reduced) == [Reduced(R3, "zone")]


def test_10_6_6_along_the_line_for_two_hexes() -> None:
    """10.6(6): RR in the same position: 1109 is the next hex of the line; earlier 1008, after the step lost in 1009."""
    assert ways_of({PZ: "0910"}, 2, sources=NORTH) == {"1110 1109"}
    assert ways_of({PZ: "0910"}, 2, sources=NORTH, retreat_off_the_line=True) == {"1009 1008"}


def test_10_6_6_a_friend_keeps_the_line_open_and_the_zone_costs_all_the_same() -> None:
    """3.3(1), 10.6(4), R-27: A division in 1009 lets the line pass there: it is nearest home again, and the zone costs its step."""
    assert ways_of({PZ: "0910", R3B: "1009"}, 1, sources=NORTH) == {"1009"}
    bench = fought({PZ: "0910", R3: "1010", R3B: "1009"}, 4, sources=NORTH)
    assert bench.happened(Reduced) == [Reduced(R3, "zone")]


def test_10_6_6_the_line_leads_round_a_zone() -> None:
    """10.6(6), 3.3(1): Attacked from 0911, another enemy in 1111, source 2010 in the east: 1110 is in a zone, so the line goes round by
    1009."""
    assert ways_of({PZ: "0911", INF: "1111"}, 1) == {"1009"}
    assert ways_of({PZ: "0911", INF: "1111"}, 1, retreat_off_the_line=True) == {"1110"}


def test_10_6_6_who_has_no_line_goes_as_before() -> None:
    """10.6(6), R-25 D2: Without a line nothing is gained by 3.3: both hexes nearer home are in zones and cost a step, as they did."""
    assert ways_of(SURROUNDED, 1) == ways_of(SURROUNDED, 1, retreat_off_the_line=True) == {"1110", "1111"}


def test_10_6_6_into_a_zone_rather_than_to_destruction() -> None:
    """10.6(6), 10.6(3): The line goes by 1110, whence every second hex lies across an unbridged major river; 1111, in a zone, is as near
    and saves the unit, so it goes there."""
    river = {"major": "1110-1209 1110-1210"}
    assert ways_of({PZ: "0910", INF: "1112"}, 2, rivers=river) == {"1111 1210"}
    assert ways_of({PZ: "0910", INF: "1112"}, 1, rivers=river) == {"1110"}


# --- 10.6(6) ways compared as ways ----------------------------------------------------------------------------------------------


def test_10_6_6_steps_are_counted_along_the_whole_way() -> None:
    """10.6(6), 10.6(4), R-25: RR, attacked from 1011, enemies in 0909 and 1209. 1110 and 1111 cost a step each; after 1110 the next does
    too, after 1111 the hex 1211 is free. Hex by hex, the unit may go by 1110 and fall."""
    places = {PZ: "1011", INF: "0909", INF2: "1209"}
    assert ways_of(places, 2) == {"1111 1211"}
    assert ways_of(places, 2, retreat_hex_by_hex=True) == {"1110 1210 dead", "1111 1211"}
    assert ways_of(places, 1) == {"1110", "1111"}  # with R the second hex does not matter


def test_10_6_6_steps_along_the_whole_way_in_play() -> None:
    """10.6(4), R-25: The same in play: with whole ways nobody is asked, and one step is lost."""
    places = {PZ: "1011", INF: "0909", INF2: "1209", R3: "1010"}
    bench = fought(places, 6)
    assert bench.happened(Retreated) == [Retreated(R3, ("1010", "1111", "1211"))]
    assert bench.happened(Reduced) == [Reduced(R3, "zone")]
    assert fought(places, 6, retreat_hex_by_hex=True).asked() == {"soviet": "prompt.typhoon.retreat"}


def test_10_6_6_over_stacking_is_looked_for_along_the_whole_way() -> None:
    """10.6(6), 10.6(5), R-25: RR, attacked from 0910, 1210 and 1211 full: by 1111 the unit would be driven on, by 1110 it finds room in
    1209. Hex by hex, 1111 is as good as 1110."""
    full = {R3B: "1210", R3C: "1210", R3D: "1211", "su.rifle.178": "1211"}
    assert ways_of({PZ: "0910", **full}, 2) == {"1110 1209"}
    assert {way.split()[0] for way in ways_of({PZ: "0910", **full}, 2, retreat_hex_by_hex=True)} == {"1110", "1111"}


def test_10_6_6_steps_outrank_over_stacking() -> None:
    """10.6(6): (4) before (5): with an enemy in 1309 the hex 1209 is in a zone; being driven on over a full hex costs no step, so that way
    is taken."""
    full = {R3B: "1210", R3C: "1210", R3D: "1211", "su.rifle.178": "1211"}
    found = ways_of({PZ: "0910", INF: "1309", **full}, 2)
    assert found and all(len(way.split()) == 3 and way.split()[1] in ("1210", "1211") for way in found)


# --- 3.4(2) cities ---------------------------------------------------------------------------------------------------------------


def test_3_4_2_a_unit_that_falls_on_entering_a_town_does_not_take_it() -> None:
    """3.4(2), R-12: A reduced division driven into a zone falls in the town: it stays the Axis's. By the earlier reading it was taken."""
    towns = tuple(place(i, owner="axis") for i in ("1110", "1111"))
    for takes in (False, True):
        bench = fought(SURROUNDED, 1, reduced=(R3,), towns=towns, fallen_takes_city=takes)
        if bench.asked() == {"soviet": "prompt.typhoon.retreat"}:
            bench.do("soviet", "retreat", R3, "1110")
        town = bench.state.data.hex("1110")
        assert bench.happened(Eliminated) == [Eliminated(R3, "zone", "box.available.soviet")]
        assert bench.state.control[town] == ("soviet" if takes else "axis")
        assert bool(bench.happened(CityTaken)) is takes


def test_3_4_2_it_has_taken_the_town_on_its_way() -> None:
    """3.4(2), R-12: RR: reduced in the first town, eliminated in the second: the first is taken, the second is not."""
    towns = tuple(place(i, owner="axis") for i in ("1110", "1111", "1209", "1210", "1211"))
    bench = fought(SURROUNDED, 6, towns=towns)
    first = str(bench.options("soviet", "retreat", R3)[0])
    second = str(bench.options("soviet", "retreat", R3, first)[0])
    bench.do("soviet", "retreat", R3, first, second)
    assert bench.happened(Eliminated) == [Eliminated(R3, "zone", "box.available.soviet")]
    assert bench.happened(CityTaken) == [CityTaken(first, "soviet")]
    assert bench.state.control[bench.state.data.hex(second)] == "axis"


def test_3_4_2_who_lives_takes_it() -> None:
    """3.4(2), R-12: A full division loses its step in the zone and lives: the town is the Soviets'."""
    bench = fought(SURROUNDED, 4, towns=(place("1110", owner="axis"), place("1111", owner="axis")))
    bench.do("soviet", "retreat", R3, "1111")
    assert bench.happened(CityTaken) == [CityTaken("1111", "soviet")]


# --- which games are played by what ---------------------------------------------------------------------------------------------


def test_new_games_are_played_by_the_original() -> None:
    """10.6(6), 3.4(2): A genesis made now names every one of these rulings, and all are off."""
    options = resolve(SWITCHES, {})
    assert [options[name] for name in EARLIER] == [False] * len(EARLIER)
    assert unnamed(SWITCHES, options) == ()


def test_a_genesis_older_than_the_rulings_keeps_what_it_was_played_by() -> None:
    """10.6(6), 3.4(2): Options of an older genesis, without these names: the earlier readings are in force."""
    genesis = Genesis.from_record(Bench().records[0])
    named = {name: value for name, value in genesis.options.items() if name not in EARLIER}
    state = RULES.initial(evolve(genesis, options=named))
    assert [state.option(name) for name in EARLIER] == [True] * len(EARLIER)
    assert in_force(SWITCHES, named) == {**named, **dict.fromkeys(EARLIER, True)}
    assert unnamed(SWITCHES, named) == ()
