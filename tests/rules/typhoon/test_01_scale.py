"""1.0 Introduction, 2.0 components: scale, halving, map, counters, chits."""

from collections import Counter

import pytest

from tests.rules.typhoon.bench import CAV, INF, PZ, RIFLE, TANK, Bench, board_t, real_pack
from tests.rules.typhoon.commands import GUDERIAN, HQ2, draw, go, table
from tests.rules.typhoon.marches import mover
from warledger.engine.games.typhoon.activation import Activated
from warledger.engine.games.typhoon.odds import attack_strength

# --- 1.0 ------------------------------------------------------------------------------------------


def test_1_0_two_sides_and_the_seats() -> None:
    """1.0, 4.0(1) Two seats, Axis and Soviet, are all that the game has."""
    assert Bench().rules.seats == ("axis", "soviet")


def test_1_0_1_1_R01_a_hex_is_16_km() -> None:
    """1.0(1)1, R-01 A hex is 16 km across; 1.0(1)2 a turn about ten to fifteen days, 1.0(1)3 a unit
    one division, as the pack says."""
    pack = real_pack()

    data = Bench(pack).state.data
    assert pack["map"]["grid"]["hex_km"] == "16.0"
    assert data.last_turn == 12
    assert pack["turns"]["turn"][0]["note"] == "1941-09-30 to 1941-10-09"
    assert len(pack["turns"]["turn"]) == 12


def test_1_0_2_halves_drop_the_fraction() -> None:
    """1.0(2), R-02 Half of 5 is 2; half of a movement allowance of 5 is 2 (example 38)."""
    bench = Bench(board_t(rivers={"minor": "1009-1010"}))
    bench.stand({INF: "1009", "su.rifle.103": "1010"})
    assert attack_strength(bench.state, (INF,), bench.state.data.hex("1010")) == 2

    bench.activate("axis", INF, halved=(INF,))
    assert bench.state.allowance(INF) == 4  # half points


@pytest.mark.parametrize(
    ("name", "half"), [(RIFLE, 2), (CAV, 3), (TANK, 3), ("su.hq.22a", 2), ("su.mot.107", 3)]
)
def test_1_0_2_half_an_allowance_is_whole_points(name: str, half: int) -> None:
    """1.0(2), 15.1(2) Half of 4, 6, 7 and 5 points is 2, 3, 3 and 2: the half point is dropped, not
    marched."""
    bench = Bench()
    bench.stand({name: "1010"})
    bench.activate("soviet", name, halved=(name,))
    assert bench.state.allowance(name) == 2 * half


# --- 2.0 ------------------------------------------------------------------------------------------


def test_2_0_the_pack_holds_252_counters() -> None:
    """2.0-1, 2.0-2, 2.0-3, 2.2 One map, 252 counters: units, HQs, chits and markers; the rules are
    the title itself."""
    counters = real_pack()["counters"]

    data = Bench(real_pack()).state.data
    assert sum(len(counters[kind]) for kind in ("units", "hqs", "chits", "markers")) == 252
    assert len(data.types) == len(counters["units"]) + len(counters["hqs"])


# --- 2.1 ------------------------------------------------------------------------------------------


def test_2_1_R49_nobody_enters_a_lake() -> None:
    """R-49 Nobody enters a lake."""
    assert (
        mover({INF: "1010"}, INF, rows={"1009": "L"}).refused("axis", "move", INF, "1009").rule
        == "TEC"
    )


def test_2_1_1_map_facts() -> None:
    """2.1(1), 2.1(1)1 Distances and neighbours on the map (examples 88, 89, 90)."""
    grid = Bench(real_pack()).state.data.board.grid

    assert grid.distance(grid.at("0417"), grid.at("3011")) == 26
    assert grid.distance(grid.at("3022"), grid.at("3011")) == 11
    assert set(grid.names(grid.adjacent[grid.at("3011")])) == {
        "3010",
        "3111",
        "3112",
        "3012",
        "2912",
        "2911",
    }
    assert set(grid.names(grid.adjacent[grid.at("2911")])) == {
        "2910",
        "3010",
        "3011",
        "2912",
        "2811",
        "2810",
    }


def test_2_1_1_3_sources_and_bridges() -> None:
    """2.1(1)3 Each side has its LOC sources; 2.1(1)4, R-11 a river hexside is bridged where a road
    or railway crosses it; 2.1(1)2 every formation has its set-up hexes."""
    data = Bench(real_pack()).state.data
    board = data.board

    assert all(data.sources[side] for side in ("axis", "soviet"))
    for at, river in enumerate(board.sides.river):
        if river:
            linked = bool(board.links["road"][at] or board.links["rail"][at])
            assert bool(board.sides.bridged[at]) == linked
            assert not (linked and data.no_second_retreat[at])
    assert any(data.no_second_retreat)
    assert all(group.hexes for group in data.groups)


def test_2_1_1_5_only_the_map_is_in_play() -> None:
    """2.1(1)5 A hex outside the frame does not exist; 2.1(2)1 the displays are boxes and tables of
    the pack."""
    bench = Bench()
    bench.stand({INF: "0101"})
    bench.activate("axis", INF)

    assert bench.refused("axis", "move", INF, "2101").rule == "2.1(1)5"
    assert {"box.available.axis", "box.available.soviet", "box.gd_convert"} <= set(
        bench.state.data.board.boxes
    )


# --- 2.21 -----------------------------------------------------------------------------------------


def test_2_21_1_what_is_printed() -> None:
    """2.21(1) owners, 2.21(2)1 branches, 2.21(2)2 formations, 2.21(2)3 names, 2.21(2)4 arrival,
    2.21(2)5 strengths, 2.21(2)6 movement."""
    types = Bench(real_pack()).state.data.types
    panzer, rifle = types["ax.panzer.1"], types["su.rifle.133"]

    assert (panzer.side, panzer.kind, panzer.group, panzer.full, panzer.move) == (
        "axis",
        "panzer",
        "3pza",
        (8, 6),
        16,
    )
    assert panzer.mech and not rifle.mech
    assert rifle.full[0] == rifle.full[1]


def test_2_21_3_faces_R05() -> None:
    """2.21(3), R-05 A full unit has two steps, a reduced one or one without a reduced face has
    one."""
    bench = Bench()
    bench.stand(
        {"ax.inf.5": "0505", "ax.inf.35": "0506", "su.tank.127": "1505"}, reduced=("ax.inf.35",)
    )

    assert [bench.state.steps(name) for name in ("ax.inf.5", "ax.inf.35", "su.tank.127")] == [
        2,
        1,
        1,
    ]


# --- 2.22 -----------------------------------------------------------------------------------------


def test_2_22_an_hq_has_range_strength_and_movement() -> None:
    """2.22 An HQ is not mechanised; 2.22-1 army and panzer army HQs, 2.22-3 range, 2.22-4 strength
    and movement."""
    types = Bench(real_pack()).state.data.types
    hqs = [type_ for type_ in types.values() if type_.hq]

    assert {type_.kind for type_ in hqs} == {"army", "panzer_army"}
    assert all(
        type_.range == 4 and not type_.mech and type_.full > (0, 0) and type_.move for type_ in hqs
    )


def test_2_22_1_R06_R07_a_panzer_army_has_two_chits() -> None:
    """2.22-1, 2.23, 2.23-1, R-06, R-07 Two chits for a panzer army (one of 2PzA's is Guderian), one
    for an army, SUPPLY common to both."""
    chits = Bench(real_pack()).state.data.chits.values()
    per_hq = Counter(chit.hq for chit in chits if chit.hq)

    assert {hq: n for hq, n in per_hq.items() if n == 2} == {
        "ax.hq.2pza": 2,
        "ax.hq.3pza": 2,
        "ax.hq.4pza": 2,
    }
    assert sum(chit.side == "axis" and not chit.optional for chit in chits) == 10
    assert sum(chit.side == "soviet" and not chit.optional for chit in chits) == 19
    assert [chit.id for chit in chits if chit.kind == "supply"] == ["chit.supply"]


def test_2_22_1_two_commands_of_one_panzer_army() -> None:
    """2.22-1, 5.0(2), 5.0(3), 5.0(4), 7.3(2), 8.1(2), 8.1(3) Guderian against 2PzA's own chit: the
    same division moves on each of the two activations."""
    bench = table(("chit.ax.2pza", GUDERIAN), kept=True, places={PZ: "0304"})
    draw(bench, "chit.ax.2pza")
    go(bench)
    bench.do("axis", "use")
    bench.do("axis", "move", PZ, "0303")
    assert bench.refused("axis", "move", PZ, "0302").rule == "8.1(3)"
    draw(bench, "chit.ax.2pza")
    bench.do("axis", "done")
    assert [event.hq for event in bench.happened(Activated)] == [HQ2]
    bench.do("axis", "move", PZ, "0302")
    assert bench.hexes(PZ) == ("0302",)


# --- 2.24 -----------------------------------------------------------------------------------------


def test_2_24_1_turn_marker() -> None:
    """2.24-1, 4.0(8) The turn marker is the track "turn"."""
    bench = Bench(set_up="preset")

    assert bench.state.turn == 1
    assert bench.board.tracks["turn"] == 1
