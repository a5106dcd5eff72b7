"""10.7 Advance after combat."""

import pytest

from tests.rules.typhoon.battles import (
    EAST,
    INFANTRY,
    NORTH,
    PANZERS,
    RIFLES3,
    RIFLES4,
    advance_after,
    battle,
    driven,
)
from tests.rules.typhoon.bench import (
    CAV,
    INF,
    PZ,
    PZ2,
    RIFLE,
    RIFLE2,
    Bench,
    board_t,
    column,
    place,
)
from warledger.engine.games.typhoon.advance import Advanced
from warledger.engine.games.typhoon.losses import LossesTaken


def test_10_7_advance_takes_control() -> None:
    """R-30 An advance takes control of a town."""
    bench = battle(
        {PZ: "1011", RIFLE: "1010"}, (PZ,), 6, places=(place("1010"),)
    )  # 2-1, one shift: 1.5-1, R
    bench.do("axis", "advance", PZ, "1010")
    assert bench.state.control[bench.state.data.hex("1010")] == "axis"


def test_10_7_R30_a_road_and_a_bridge_do_not_help() -> None:
    """R-30 A bridged river ends the advance like any other; a road does not lift a forest's
    limit."""
    road = ("1011 1010 1009",)
    assert (
        driven(rivers={"minor": "1010-1011"}, bridges="1010-1011", roads=road).options(
            "axis", "advance", PZ, "1010"
        )
        == ()
    )
    assert "1009" not in driven(rows={"1009": "f"}, roads=road).options(
        "axis", "advance", PZ, "1010"
    )


def test_10_7_advance_happens_before_the_next_combat() -> None:
    """R-30 (a), 10.2(1) An advance comes at once, before the next combat is resolved; a unit that
    still has to fight stays."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    bench.stand({PZ: "1011", PZ2: "1211", RIFLE: "1010", RIFLE2: "1210"})
    bench.activate("axis", PZ, PZ2, segment="declaration")
    bench.dice(4, 4)
    bench.do("axis", "attack", "1010", PZ)
    bench.attack("axis", ("1210", PZ2))
    bench.do("axis", "resolve", "1010")
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}
    assert bench.refused("axis", "advance", PZ2).rule == "10.7(2)"
    bench.do("axis", "advance", PZ, "1010")
    assert Advanced(PZ, ("1011", "1010")) in bench.events


def test_10_7_1_mechanised_two_hexes_others_one_R30() -> None:
    """10.7(1), 10.7(4), 10.7(5), R-30 Over plain in clear weather a panzer division advances two
    hexes, infantry one (example 49)."""
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
    """10.7(1) Into a light forest everybody advances one hex (example 50), nor does a panzer go on
    into one, a swamp or a town."""
    assert advance_after("f").options("axis", "advance", PZ, "1010") == ()
    for sign in "fFs":
        bench = advance_after(second=sign)
        assert "1009" not in bench.options("axis", "advance", PZ, "1010")
        assert (
            bench.refused("axis", "advance", PZ, "1010", "1009").key
            == "refusal.typhoon.advance_halts"
        )
    assert "1009" not in advance_after(places=(place("1009"),)).options(
        "axis", "advance", PZ, "1010"
    )
    assert advance_after(places=(place("1010"),)).options("axis", "advance", PZ, "1010") == ()


def test_10_7_1_rivers_halt_R30() -> None:
    """R-30 Neither step of a two-hex advance may cross a river, bridged or not."""
    assert advance_after(rivers={"minor": "1010-1011"}).options("axis", "advance", PZ, "1010") == ()
    assert "1009" not in advance_after(rivers={"minor": "1009-1010"}).options(
        "axis", "advance", PZ, "1010"
    )


def test_10_7_1_in_frost_one_hex_R37() -> None:
    """R-30, R-37 Plain counts as forest in frost: one hex (example 52)."""
    assert advance_after(turn=7).options("axis", "advance", PZ, "1010") == ()


def test_10_7_1_R30_cavalry_and_hqs_advance_one_hex() -> None:
    """10.7(1), R-30 An HQ and cavalry are not mechanised: one hex."""
    bench = driven()
    assert bench.options("axis", "advance", "ax.hq.2a", "1010") == ()
    types = bench.state.data.types
    assert not any(type_.mech for type_ in types.values() if type_.kind == "cavalry" or type_.hq)


def test_10_7_1_R30_no_second_hex_in_any_weather_but_clear() -> None:
    """R-30, 14.1 In mud, frost and snow plain counts as forest: one hex for everybody."""
    for turn, two in ((2, True), (3, False), (6, False), (8, False)):
        bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
        bench.stand({PZ: "1011", PZ2: "1011", RIFLE: "1010"}, turn=turn, reduced=(RIFLE,))
        assert bool(bench.state.weather.open[bench.state.data.hex("1010")]) is two


def test_10_7_1_one_panzer_makes_room_for_the_others() -> None:
    """10.7(1), 10.7(4), 10.7(6)4 Three attackers: the panzer division goes two hexes, so both
    infantry divisions find room in the first."""
    bench = battle(
        {PANZERS[0]: "1011", INFANTRY[0]: "1011", INFANTRY[1]: "0911", RIFLES3[0]: "1010"},
        (PANZERS[0], *INFANTRY[:2]),
        5,
        rows={"1109": "L"},
    )
    # 18 to 3: 6-1, 1RR
    assert bench.happened(LossesTaken) == [LossesTaken("soviet", (RIFLES3[0],))]
    bench.do("axis", "advance", PANZERS[0], "1010", "1009")
    bench.do("axis", "advance", INFANTRY[0], "1010")
    bench.do("axis", "advance", INFANTRY[1], "1010")
    assert bench.hexes(PANZERS[0], *INFANTRY[:2]) == ("1009", "1010", "1010")


def test_10_7_1_soviet_tanks_advance_in_the_clear_only() -> None:
    """10.7(1), R-30 (e) A Soviet motorised division goes two hexes over plain on turn 2, one in
    snow; cavalry with it one each time."""
    for turn, two in ((2, True), (9, False)):
        bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 5),)))
        bench.stand(
            {"su.mot.107": "1009", "su.mot.101": "1009", CAV: "1110", "ax.sec.221": "1010"},
            turn=turn,
        )
        bench.activate("soviet", "su.mot.107", "su.mot.101", CAV, segment="declaration")
        bench.dice(1)
        bench.attack(
            "soviet", ("1010", "su.mot.107", "su.mot.101")
        )  # 10 to 2: 5-1 R, in snow 6-1 R
        assert bool(bench.options("soviet", "advance", "su.mot.107", "1010")) is two
        assert bench.refused("soviet", "advance", CAV).rule == "10.7(2)"
        bench.do("soviet", "advance", "su.mot.101", "1010")
        assert bench.happened(Advanced) == [Advanced("su.mot.101", ("1009", "1010"))]


@pytest.mark.parametrize("kind", ["minor", "major"])
@pytest.mark.parametrize("bridged", [False, True])
def test_10_7_1_2_any_river_ends_an_advance(kind: str, bridged: bool) -> None:
    """10.7(1)2, R-30 (b) Having attacked across a river a panzer division advances one hex; before
    one it stops; a bridge is no help."""
    road = ("1011 1010 1009",) if bridged else ()
    first = advance_after(
        rivers={kind: "1010-1011"}, bridges="1010-1011" if bridged else "", roads=road
    )
    assert first.options("axis", "advance", PANZERS[0], "1010") == ()
    assert first.refused("axis", "advance", PANZERS[0], "1010", "1009").rule == "10.7(1)"
    second = advance_after(
        rivers={kind: "1009-1010"}, bridges="1009-1010" if bridged else "", roads=road
    )
    beyond = second.options("axis", "advance", PANZERS[0], "1010")
    assert "1009" not in beyond and "1110" in beyond


def test_10_7_1_2_a_fort_does_not_halt_an_advance() -> None:
    """10.7(1)2, 14.2(2) A fortified hex is what its terrain is: over plain the panzer division goes
    on."""
    bench = battle(
        {
            PANZERS[0]: "1011",
            PANZERS[1]: "1011",
            PANZERS[2]: "0911",
            PANZERS[3]: "0911",
            RIFLES3[0]: "1010",
        },
        PANZERS,
        4,
        fort="1010",
    )  # 32 to 7: 4-1, RR
    assert "1009" in bench.options("axis", "advance", PANZERS[0], "1010")


def test_10_7_1_2_a_big_city_halts_before_and_after() -> None:
    """10.7(1)2, R-03 Into a big city one hex; from plain a second hex that is a big city is not
    entered."""
    into = battle(
        {PANZERS[0]: "1011", PANZERS[1]: "1011", RIFLES3[0]: "1010"},
        PANZERS[:2],
        6,
        places=(place("1010", kind="big_city"),),
    )  # 5-1, -2: 3-1, RR
    assert into.options("axis", "advance", PANZERS[0], "1010") == ()
    beyond = battle(
        {PANZERS[0]: "1011", RIFLES3[0]: "1010"},
        PANZERS[:1],
        6,
        places=(place("1110", kind="big_city"),),
    )
    assert "1110" not in beyond.options("axis", "advance", PANZERS[0], "1010")
    assert beyond.refused("axis", "advance", PANZERS[0], "1010", "1110").rule == "10.7(1)"


def test_10_7_2_nobody_has_to() -> None:
    """10.7(2) Any or none may advance."""
    bench = advance_after()
    bench.do("axis", "done")
    assert bench.hexes(PZ, INF) == ("1011", "1011")


def test_10_7_3_zones_do_not_matter() -> None:
    """10.7(3) An advance goes into another enemy's EZOC (example 53), and costs no movement
    points."""
    bench = battle({PZ: "1011", RIFLE: "1010", RIFLE2: "1109"}, (PZ,), 4)
    bench.do("axis", "advance", PZ, "1010")
    assert bench.hexes(PZ) == ("1010",)


def test_10_7_4_the_second_hex_may_be_one_just_left() -> None:
    """10.7(4), R-30 (c) The second hex may lie beside, in an EZOC, or be the hex from which the
    unit came."""
    bench = battle({PZ: "1011", RIFLE: "1010", RIFLE2: "1208"}, (PZ,), 4)
    beyond = set(bench.options("axis", "advance", PZ, "1010"))
    assert {"1011", "1110", "1111", "0910", "0911"} <= beyond


def test_10_7_6_stacking_binds_at_the_end() -> None:
    """10.7(6) A third unit may not end in the hex, but a mechanised one may pass through it; not
    into lakes, enemies or off the map."""
    bench = battle(
        {PZ: "1011", INF: "1011", PZ2: "0911", RIFLE: "1010"},
        (PZ, INF, PZ2),
        5,
        rows={"1009": "L"},
        reduced=(RIFLE,),
        sources=EAST,
    )
    while bench.asked() == {"soviet": "prompt.typhoon.retreat"}:
        picks = ["retreat", RIFLE]
        while options := bench.options("soviet", *picks):
            picks.append(str(options[0]))
        bench.do("soviet", *picks)
    bench.do("axis", "advance", INF, "1010")
    bench.do("axis", "advance", PZ2, "1010")
    assert "1009" not in bench.options("axis", "advance", PZ, "1010")
    assert bench.options("axis", "advance", PZ, "1010")
    choices = bench.choices("axis", "advance", PZ, "1010")
    assert not getattr(choices, "complete", True)


def test_10_7_6_1_what_an_advance_may_never_enter() -> None:
    """10.7(6)1-10.7(6)3, 3.1(2) A second hex beyond an impassable hexside, in a lake or off the map
    is refused with 10.7(6), one with enemies with 3.1(2)."""
    bench = battle(
        {PANZERS[0]: "1011", RIFLES3[0]: "1010", RIFLES4[0]: "0910"},
        PANZERS[:1],
        6,
        rows={"1110": "L"},
        impassable="1010-1111",
    )
    beyond = set(bench.options("axis", "advance", PANZERS[0], "1010"))
    assert not beyond & {"1110", "1111", "0910"} and {"1009", "0911"} <= beyond
    assert bench.refused("axis", "advance", PANZERS[0], "1010", "1110").rule == "10.7(6)"
    assert bench.refused("axis", "advance", PANZERS[0], "1010", "1111").rule == "10.7(6)"
    assert bench.refused("axis", "advance", PANZERS[0], "1010", "2110").rule == "10.7(6)"
    assert bench.refused("axis", "advance", PANZERS[0], "1010", "0910").rule == "3.1(2)"
