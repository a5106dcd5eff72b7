"""3.1, 3.2, 3.4 Stacking, zones of control, control of cities."""

from tests.rules.typhoon.battles import SURROUNDED, battle, fought
from tests.rules.typhoon.bench import INF, INF2, INF3, PZ, RIFLE, Bench, board_t, column, place
from tests.rules.typhoon.marches import RING_SIDES, left, mover
from warledger.engine.games.typhoon.losses import Eliminated
from warledger.engine.games.typhoon.victory import CityTaken

# --- 3.1 ------------------------------------------------------------------------------------------


def test_3_1_two_units_a_hex() -> None:
    """3.1, 3.1(1) Two units may end in a hex, HQs included, a third may not; 3.1(3), R-08 passing
    through is free."""
    bench = Bench()
    bench.stand({INF: "1010", INF2: "1011", "ax.hq.2a": "1011", PZ: "1012"}, reduced=(INF2,))
    bench.activate("axis", INF, PZ)

    assert (
        bench.refused("axis", "move", INF, "1011").key == "refusal.typhoon.two_units"
    )  # it may go on from there, not stop
    assert bench.refused("axis", "move", INF, "1011", "1012", "1011", "1011").rule == "9.2(1)"
    bench.do("axis", "move", PZ, "1009")
    bench.do("axis", "move", INF, "1011", "1012")
    assert bench.hexes(INF) == ("1012",)


def test_3_1_1_a_stack_of_two_does_not_fit_beside_one() -> None:
    """3.1(1), 9.1(1) Two units going together may not end with a third, one of them may."""
    bench = mover({INF: "1010", INF2: "1010", INF3: "1009"}, INF, INF2)
    assert bench.refused("axis", "move", INF2, INF, "1009").key == "refusal.typhoon.two_units"
    bench.do("axis", "move", INF, "1009")
    assert bench.hexes(INF, INF2) == ("1009", "1010")


def test_3_1_2_never_with_enemies() -> None:
    """3.1(2) A hex with enemy units cannot be entered."""
    bench = Bench()
    bench.stand({INF: "1010", RIFLE: "1009"})
    bench.activate("axis", INF)

    assert bench.refused("axis", "move", INF, "1009").rule == "3.1(2)"


def test_3_1_3_the_river_crossing_must_find_room() -> None:
    """3.1(3), 9.2(3)1 The move ends across an unbridged major river: with two friends there it is
    no move at all, though passing through full hexes is free elsewhere."""
    bench = mover({INF: "1010", INF2: "1009", INF3: "1009"}, INF, rivers={"major": RING_SIDES})
    assert "1009" not in bench.reach("axis", "move", INF)
    assert bench.refused("axis", "move", INF, "1009").rule == "3.1(1)"


# --- 3.2 ------------------------------------------------------------------------------------------


def test_3_2_every_unit_has_a_zone_of_six_hexes() -> None:
    """3.2, 3.2(1), 3.2(2), R-49 Every unit and HQ has a zone in its six neighbours, over a major
    river too, not into a lake; several units make one zone."""
    bench = Bench(
        board_t(rows={"1009": "L"}, rivers={"major": "1010-1011"}, impassable="0910-1010")
    )
    bench.stand({"ax.hq.2a": "1010", INF: "1010"})
    zone = bench.state.field.zones("axis")
    names = {bench.state.data.name(i) for i in zone.hexes()}

    assert names == {"1110", "1111", "1011", "0911"}
    assert max(zone.count) == 1


def test_3_2_1_an_impassable_side_keeps_the_zone_off() -> None:
    """3.2(1), 10.1(5) Beside an enemy behind an impassable hexside a unit is in no EZOC (1 point to
    come, not 3) and cannot attack."""
    bench = mover({INF: "1011", RIFLE: "1110"}, INF, impassable="1010-1110")
    assert left(bench, "axis", "move", INF, "1010") == "4"
    bench.stand({INF: "1010", RIFLE: "1110"})
    bench.activate("axis", INF, segment="declaration")
    assert bench.asked() == {"soviet": "prompt.typhoon.set_up"}


def test_3_2_3_zones_matter_elsewhere() -> None:
    """3.2(3) A zone counts for movement: entering costs two points."""
    bench = Bench()
    bench.stand({INF: "1012", RIFLE: "1009"})
    bench.activate("axis", INF)
    said = bench.preview("axis", "move", INF, "1011", "1010")

    assert isinstance(said, tuple) and ("left", "1") in said[0].args


# --- 3.4 ------------------------------------------------------------------------------------------


def test_3_4_1_control_goes_to_the_last_that_passed() -> None:
    """3.4(1) At start a place belongs to the side of the start line; 3.4(2), R-12 then to the last
    that passed through; a zone takes none."""
    bench = Bench(board_t(places=(place("1010"), place("1012", owner="axis"), place("1007"))))
    assert bench.state.control == {
        bench.state.data.hex(h): s
        for h, s in (("1010", "soviet"), ("1012", "axis"), ("1007", "soviet"))
    }

    bench.stand({INF: "1011"})
    bench.activate("axis", INF)
    bench.do("axis", "move", INF, "1010", "1009", "1008")
    assert bench.state.control[bench.state.data.hex("1010")] == "axis"
    assert bench.state.control[bench.state.data.hex("1007")] == "soviet"


def test_3_4_2_R12_a_retreat_takes_control() -> None:
    """R-12 The last that passed through a town holds it, in retreat too."""
    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 4, places=(place("1009", owner="axis"),))
    assert bench.state.control[bench.state.data.hex("1009")] == "soviet"


def test_3_4_2_it_has_taken_the_town_on_its_way() -> None:
    """3.4(2), R-12: RR: reduced in the first town, eliminated in the second: the first is taken,
    the second is not."""
    towns = tuple(place(i, owner="axis") for i in ("1110", "1111", "1209", "1210", "1211"))
    bench = fought(SURROUNDED, 6, towns=towns)
    first = str(bench.options("soviet", "retreat", RIFLE)[0])
    second = str(bench.options("soviet", "retreat", RIFLE, first)[0])
    bench.do("soviet", "retreat", RIFLE, first, second)
    assert bench.happened(Eliminated) == [Eliminated(RIFLE, "zone", "box.available.soviet")]
    assert bench.happened(CityTaken) == [CityTaken(first, "soviet")]
    assert bench.state.control[bench.state.data.hex(second)] == "axis"


def test_3_4_2_who_lives_takes_it() -> None:
    """3.4(2), R-12: A full division loses its step in the zone and lives: the town is the
    Soviets'."""
    bench = fought(SURROUNDED, 4, towns=(place("1110", owner="axis"), place("1111", owner="axis")))
    bench.do("soviet", "retreat", RIFLE, "1111")
    assert bench.happened(CityTaken) == [CityTaken("1111", "soviet")]


def test_3_4_2_a_march_takes_the_towns_it_passes() -> None:
    """3.4(2), R-12, R-18 An enemy's empty towns may be marched through, and change hands in order,
    the last as well as the first."""
    towns = (place("1009"), place("1007"), place("1005"))
    bench = mover({INF: "1010"}, INF, roads=(column(10, 12, 3),), places=towns)
    bench.do("axis", "move", INF, "march", "1005")
    assert bench.happened(CityTaken) == [
        CityTaken(name, "axis") for name in ("1009", "1007", "1005")
    ]


def test_3_4_2_a_unit_that_falls_on_entering_a_town_does_not_take_it() -> None:
    """3.4(2), R-12: A reduced division driven into a zone falls in the town: it stays the
    Axis's."""
    towns = tuple(place(i, owner="axis") for i in ("1110", "1111"))
    bench = fought(SURROUNDED, 1, reduced=(RIFLE,), towns=towns)
    bench.do("soviet", "retreat", RIFLE, "1110")
    town = bench.state.data.hex("1110")
    assert bench.happened(Eliminated) == [Eliminated(RIFLE, "zone", "box.available.soviet")]
    assert bench.state.control[town] == "axis"
    assert not bench.happened(CityTaken)
