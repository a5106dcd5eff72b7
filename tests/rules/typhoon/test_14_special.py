"""14.0 Weather, fortified zones, the Moscow garrison, victory."""

from typing import Any

import pytest

from engine.games.typhoon.events import GameOver, GateReached, IntakeOpened
from engine.games.typhoon.odds import assess
from engine.games.typhoon.victory import held
from engine.kernel.position import Frame
from tests.rules.typhoon.bench import Bench, place, real_pack
from tests.rules.typhoon.test_09_movement import left, mover
from tests.rules.typhoon.test_10_combat import INF, PZ, PZ9, R3, R4, column, odds_of, stood

GARRISON = {f"su.moscow.{n}": "box.available.soviet" for n in range(1, 13)}

# --- 14.1


def test_14_1_weather_by_turn() -> None:
    """14.1, 14.1.1, 14.1.2, 14.1.3 Turns 1-2 are clear, 3-5 mud, 6-7 frost, 8-12 snow."""
    data = Bench(real_pack()).state.data
    assert [data.turn(n).weather for n in range(1, 13)] == ["clear"] * 2 + ["mud"] * 3 + ["frost"] * 2 + ["snow"] * 5


@pytest.mark.parametrize(
    ("attackers", "defenders", "turn", "start", "final"),
    [
        (PZ[:3], R3[:2], 3, "4-1", "2-1"),  # example 54: forest and mud
        (PZ[:3], R3[:2], 6, "4-1", "2-1"),  # frost
        ((*PZ[:2], PZ9[0], INF[0]), R3[:2], 9, "5-1", "2-1"),  # example 56: forest and snow against the Axis
        (R4[:3], INF[:2], 9, "1-1", "1.5-1"),  # example 57
    ],
)
def test_14_1_shifts_R38(attackers: tuple[str, ...], defenders: tuple[str, ...], turn: int, start: str, final: str) -> None:
    """14.1.1, 14.1.2, 14.1.3, 14.1 note, R-38, R-22, R-23 Weather and terrain shifts add up (examples 54, 56, 57)."""
    found = odds_of(attackers, defenders, turn=turn)
    names = Bench().state.data.ladder.names
    assert (names[found.start], column(found)) == (start, final)


def test_14_1_3_snow_on_a_town_in_a_forest() -> None:
    """14.1.3 Soviet 20 to 10 on a town in a deep forest: -3 +2 = -1 (example 58)."""
    assert column(odds_of(R4[:5], INF[:2], turn=9, rows={"1010": "F"}, places=(place("1010", owner="axis"),))) == "1.5-1"


def test_14_1_roads_are_lost_in_mud_and_snow_R38() -> None:
    """14.1.1, 14.1.3, R-37 In mud a panzer pays 2 along a road into plain (example 61), in snow too; in frost 1 (example 62)."""
    road: dict[str, Any] = {"roads": ("1010 1009",)}
    panzer = {PZ[0]: "1010"}
    assert [left(mover(panzer, PZ[0], turn=turn, **road), "axis", "move", PZ[0], "1009") for turn in (1, 3, 6, 8)] == ["7", "6", "7", "6"]


def test_14_1_march_and_weather_R18() -> None:
    """9.3(1), 14.1.1, 14.1.2, R-18 No march in mud (example 33) or snow, but in frost (example 34)."""
    for turn, marches in ((4, False), (6, True), (9, False)):
        bench = mover({INF[0]: "1010"}, INF[0], turn=turn, roads=("1010 1009 1008",))
        assert ("march" in bench.options("axis", "move", INF[0])) is marches
        if not marches:
            assert bench.refused("axis", "move", INF[0], "march").rule == "14.1"


def test_14_1_bridges_remain() -> None:
    """14.1.1, 14.1.3 Bridges carried by roads remain in mud: no extra point for the river."""
    bench = mover({PZ[0]: "1010"}, PZ[0], turn=3, roads=("1010 1009",), rivers={"minor": "1009-1010"}, bridges="1009-1010")
    assert left(bench, "axis", "move", PZ[0], "1009") == "6"


def test_14_1_3_soviet_zones_in_snow() -> None:
    """14.1.3 From EZOC to EZOC over plain a rifle division pays 1 + 1 + 1, a German one 1 + 2 + 2 (example 60); not before the snow."""
    rifle = mover({R3[0]: "1010", INF[0]: "1110"}, R3[0], turn=8, side="soviet")
    assert left(rifle, "soviet", "move", R3[0], "1009") == "1"
    german = mover({INF[0]: "1010", R3[0]: "1110"}, INF[0], turn=8)
    assert left(german, "axis", "move", INF[0], "1009") == "0"
    frost = mover({R3[0]: "1010", INF[0]: "1110"}, R3[0], turn=7, side="soviet")
    assert frost.refused("soviet", "move", R3[0], "1009").rule == "9.2(1)"


def test_R37_only_plain_changes() -> None:
    """R-37 Plain under a town counts as light forest, a big city does not change."""
    assert odds_of(PZ, R3[:1], turn=6, places=(place("1010"),)).shift == -3
    assert odds_of(PZ, R3[:1], turn=6, places=(place("1010", kind="big_city"),)).shift == -3  # 2 and the frost


# --- 14.2


def test_14_2_fortified_zones_R39() -> None:
    """14.2(1), 14.2(2), R-39 +4 for a Soviet defence: 21 to 7 is 3-1 (example 64); once a hex, other terrain as usual: 21 to 10 on a light
    forest is 1.5-1 (example 65); never for the Axis (example 66)."""
    one = odds_of((*PZ[:2], INF[0]), R3[:1], fort="1010")
    assert (one.attack, one.defence, column(one)) == (21, 7, "3-1")
    two = odds_of((*PZ[:2], INF[0]), R3[:2], fort="1010", rows={"1010": "f"})
    assert (two.defence, column(two)) == (10, "1.5-1")
    assert odds_of(R4[:5], INF[:1], fort="1010").defence == 5


def test_R21_fort_without_standing_defenders() -> None:
    """R-21 With only units that retreated there the fortification adds nothing."""
    bench = stood(PZ[:1], R3[:1], fort="1010")
    bench.activate("axis", *PZ[:1], segment="declaration")
    from attrs import evolve

    assert bench.state.activation is not None
    bench.change(activation=evolve(bench.state.activation, fallen_back=frozenset(R3[:1])))
    assert assess(bench.state, "axis", PZ[:1], bench.state.data.hex("1010")).defence == 0


# --- 14.3


def garrison(turn: int, *, places: dict[str, str] | None = None, **changes: Any) -> Bench:
    """SOVIET REINF on the real map."""
    bench = Bench(real_pack())
    bench.stand(places or {}, turn=turn, boxes={**GARRISON, "su.rifle.32": "box.available.soviet"}, control=changes.pop("control", None))
    bench.change(**changes)
    bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    return bench


def test_14_3_four_units_besides_R40() -> None:
    """14.3(1), 14.3(2), 14.3(3), R-40 On turns 5, 6, 7 four garrison units besides the others, in Moscow hexes, without LOC and in EZOC
    too, two a hex (example 80)."""
    bench = garrison(6, places={"ax.inf.5": "2810", "ax.inf.35": "2912"})
    assert IntakeOpened("soviet", 5, 4, 0) in bench.events
    assert bench.reach("soviet", "place", "su.moscow.3") == {"2911", "3010", "3011", "3111"}
    assert bench.refused("soviet", "place", "su.moscow.3", "3012").rule == "14.3(3)"
    for name, hex_id in (("su.moscow.3", "2911"), ("su.moscow.1", "2911")):
        bench.do("soviet", "place", name, hex_id)
    assert bench.refused("soviet", "place", "su.moscow.2", "2911").rule == "3.1(1)"
    bench.do("soviet", "place", "su.moscow.2", "3011")
    bench.do("soviet", "place", "su.moscow.4", "3011")
    assert "su.moscow.5" not in bench.options("soviet", "place")
    assert bench.state.intake is not None and bench.state.intake.left == 5


def test_14_3_not_on_other_turns() -> None:
    """14.3(1), R-40 On turn 4 none come, and those of a turn without the command are lost."""
    assert not any(str(name).startswith("su.moscow") for name in garrison(4).options("soviet", "place"))


def test_14_3_3_no_room_is_carried_over_R40() -> None:
    """14.3(3), R-40 Those that found no room come later, on turn 8 too; those that had room and were not taken are lost."""
    full = garrison(5, control={"2911": "axis", "3010": "axis", "3111": "axis"})
    full.do("soviet", "place", "su.moscow.1", "3011")
    full.do("soviet", "place", "su.moscow.2", "3011")
    full.do("soviet", "done")
    assert full.state.garrison == 2

    later = garrison(8, garrison=2)
    assert later.state.garrison == 2 and "su.moscow.7" in later.options("soviet", "place")

    idle = garrison(5)
    idle.do("soviet", "done")
    assert idle.state.garrison == 0


def test_14_3_4_afterwards_ordinary_units() -> None:
    """14.3(4) A garrison unit once deployed comes back as an ordinary reinforcement, by rail."""
    bench = garrison(9, deployed=frozenset({"su.moscow.1"}))
    assert "su.moscow.2" not in bench.options("soviet", "place")
    assert "4110" in bench.reach("soviet", "place", "su.moscow.1")


# --- 14.4

TEN = dict.fromkeys(("0417", "1515", "1508", "1529", "2331", "2339", "2320", "2203", "3022", "2911"), "axis")


def end_of(turn: int, control: dict[str, str], *, places: dict[str, str] | None = None, latch: bool = False) -> Bench:
    """The end of a turn with these cities in Axis hands."""
    bench = Bench(real_pack())
    bench.stand(places or {}, turn=turn, control=control)
    bench.change(latch=latch)
    bench.jump("play", "turn", "end_of_turn")
    return bench


def test_14_4_1_ten_cities_on_turn_10_R41() -> None:
    """14.4(1), R-41, R-50, 3.4(1) Ten big-city hexes with LOC, two of them of Moscow and Tula: the Axis wins at once (example 81)."""
    bench = end_of(10, TEN)
    assert bench.happened(GameOver) == [GameOver("axis", "early")]
    assert bench.position.outcome is not None and bench.position.outcome.winner == "axis"


def test_14_4_1_without_a_line_R41() -> None:
    """14.4(1), R-09 The same with Moscow West cut off: nine, the game goes on (example 82)."""
    around = dict(
        zip(
            ("su.rifle.133", "su.rifle.174", "su.rifle.179", "su.rifle.186", "su.rifle.256", "su.rifle.246"),
            ("2910", "3010", "3011", "2912", "2811", "2810"),
            strict=True,
        )
    )
    bench = end_of(10, TEN, places=around)
    assert len(held(bench.state)) == 9
    assert not bench.happened(GameOver) and bench.state.turn == 11


def test_14_4_1_other_turns_do_not_count() -> None:
    """14.4(1), R-41 Only the end of turn 10 is looked at."""
    assert not end_of(9, TEN).happened(GameOver)


EIGHT = {name: side for name, side in TEN.items() if name not in ("3022", "2911")}


@pytest.mark.parametrize(("latch", "winner", "how"), [(True, "axis", "late"), (False, "soviet", "held")])
def test_14_4_2_the_latch_on_turn_12(latch: bool, winner: str, how: str) -> None:
    """14.4(2), 14.4(3), R-41 Eight with LOC at the end of turn 12 win only if two of Moscow and Tula were held at one time (example 84)."""
    assert end_of(12, EIGHT, latch=latch).happened(GameOver) == [GameOver(winner, how)]


def test_14_4_2_the_latch_is_set_at_once() -> None:
    """14.4(2), R-41 The latch is set by the move that takes the second hex, and stays when it is lost again."""
    bench = Bench(real_pack())
    bench.stand({"ax.inf.5": "3021"}, turn=9, control={"2911": "axis"})
    bench.activate("axis", "ax.inf.5")
    bench.do("axis", "move", "ax.inf.5", "3022")
    assert bench.happened(GateReached) and bench.state.latch
