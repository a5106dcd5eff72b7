"""Further examples between the worked ones: every column by fractions, quarters, minor HQs, six enemies around, the reset's very hexes, the
bridgehead and Rostov on the map."""

from fractions import Fraction

import pytest

from engine.board.odds import odds
from engine.games.victory_lost.combat_events import AttackResolved, Retreated
from engine.games.victory_lost.command import in_range
from engine.games.victory_lost.events import Eliminated, Overrun
from tests.rules.victory_lost.battles import GERMAN, ITALIAN, PANZER, TANK, TANKS, attack, column, combat, declared, happened, lost
from tests.rules.victory_lost.bench import Bench, board_t, city, real_pack
from tests.rules.victory_lost.test_08_movement import cost
from tests.rules.victory_lost.test_09_ratio import strengths
from tests.rules.victory_lost.test_09_retreat import AROUND, EAST

RIFLE = "su.rifle.1"
BRIDGEHEAD = {"su.tank.18": "3909", "su.tank.25": "3909", "su.rifle.41g": "4009", "su.rifle.44g": "4009"}


# --- 9.3 ratio, 1.3 halves and quarters -------------------------------------------------------------------------------------


@pytest.mark.parametrize("defence", range(1, 14))
def test_9_3_2_9_3_3_9_3_4_every_column_against_fractions(defence: int) -> None:
    """9.3.2-9.3.4, R-21, R-22: 1-1, 1.5-1, 2-1, 3-1 … without end; shifted down as often as the ground says; over 10-1 is 10-1, under 1-1
    is no attack."""
    ladder = Bench().state.data.ladder
    for strength in range(1, 16 * defence):
        ratio = Fraction(strength, defence)
        whole = ratio.numerator // ratio.denominator
        # places on the open ladder: 0 is 1-1, 1 is 1.5-1, n is n-1
        start = -1 if ratio < 1 else (1 if ratio >= Fraction(3, 2) else 0) if whole == 1 else whole
        for down in range(6):
            at = start - down if start >= 0 else -1
            expected = None if at < 0 else ("1-1", "1.5-1")[at] if at < 2 else f"{min(at, 10)}-1"
            found = odds(ladder, strength, defence, -down).column
            assert (None if found is None else ladder.names[found]) == expected, (strength, defence, down)


@pytest.mark.parametrize(
    ("places", "supply", "expected"),
    [
        ({RIFLE: "1110", "su.rifle.14g": "1110"}, {RIFLE: 1, "su.rifle.14g": 1}, 1),  # 7/4
        ({RIFLE: "1110", "su.rifle.14g": "1111"}, {RIFLE: 1, "su.rifle.14g": 1}, 1),  # 3/4 + 4/4
        ({"su.mech.1g": "1110", TANK: "1110"}, {"su.mech.1g": 2, TANK: 2}, 3),  # 13/4
        ({"su.mech.1g": "1110", TANK: "1111"}, {"su.mech.1g": 2, TANK: 2}, 2),  # 7/4 + 6/4
        ({"su.mech.1g": "1110", TANK: "1009"}, {"su.mech.1g": 1, TANK: 1}, 4),  # 7/4 across, 6/2 not
        ({"su.mech.1g": "1009", TANK: "1009"}, {"su.mech.1g": 1, TANK: 2}, 6),  # 13/2, no river
        ({"su.mech.1g": "1110", TANK: "1110", RIFLE: "1111"}, {}, 7),  # 13/2 + 3/2
        ({"su.mech.1g": "1110", TANK: "1110"}, {TANK: 1}, 4),  # 7/2 + 6/4
    ],
)
def test_1_3_9_3_1_halves_and_quarters(places: dict[str, str], supply: dict[str, int], expected: int) -> None:
    """1.3, 9.3.1, 10.2.2, 10.2.3, R-20: Across a river in the east, out of supply, surrounded: added by hex, divided by 2 or 4 once."""
    assert strengths(places, "1010-1110 1010-1111", supply) == expected


# --- 8.0 movement -----------------------------------------------------------------------------------------------------------


def test_8_2_1_from_zone_to_zone_takes_five_points() -> None:
    """8.2.1, R-10: 1 + 2 + 2 = 5: a tank corps goes one such hex and has 2 points left, too few for anything; a rifle division with 4
    stays; cavalry with 6 has 1 left."""
    bench = Bench()
    places = {TANK: "1010", "su.cav.8": "1010", RIFLE: "1011", GERMAN: "0910", "ax.inf.294": "0912"}
    bench.stand(places)
    zones = [bench.state.field.in_enemy_zone("soviet", bench.state.data.hex(name)) for name in ("1010", "1009", "0911", "1011")]
    assert zones == [True, True, True, True]
    assert (cost(bench, TANK, "1009"), cost(bench, "su.cav.8", "1009")) == (10, 10)
    bench.activate("soviet", TANK, "su.cav.8", RIFLE)
    assert bench.options("soviet", "move", TANK, "1009") == ()
    assert bench.refused("soviet", "move", TANK, "1009", "1008").rule == "8.1.2"
    refusal = bench.refused("soviet", "move", RIFLE, "1010")
    assert (refusal.rule, "1010" in bench.reach("soviet", "move", RIFLE)) == ("8.1.2", False)


# --- 7.3.5 ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hq", "own"),
    [
        ("ax.hq.it8a", ("ax.it.cos",)),
        ("ax.hq.h2a", ("ax.hu.6",)),
        ("ax.hq.r3a", ("ax.ro.5",)),
        ("ax.hq.sspz", ("ax.hu.6", "ax.it.cos", "ax.ro.5")),
    ],
)
def test_7_3_5_each_nation(hq: str, own: tuple[str, ...]) -> None:
    """7.3.5, 7.3.2: Italian, Hungarian and Romanian HQs activate their own and Germans, a German one everybody; no HQ another HQ."""
    bench = Bench()
    others = {"ax.it.cos": "1009", "ax.hu.6": "0910", "ax.ro.5": "1011", GERMAN: "1012", "ax.hq.kempf": "1110"}
    bench.stand({hq: "1010", **others})

    assert in_range(bench.state, hq) == tuple(sorted((*own, GERMAN)))


# --- 9.4, 9.5 losses and retreats -------------------------------------------------------------------------------------------


def test_9_4_2_one_face_and_a_retreat_to_come() -> None:
    """9.4.2, 2.2.3, R-31: "1DR2" on a Luftwaffe division: its one face is lost, nothing is left to retreat, 1 point; the attackers may
    advance."""
    bench = combat({"ax.lw.7": "1010", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111"})
    attack(bench, 4, "1010", *TANKS[:3])

    assert (column(bench), happened(bench, AttackResolved)[0].result) == ("6-1", "1DR2")
    assert lost(bench) == ([], ["ax.lw.7"])
    assert not happened(bench, Retreated)
    assert bench.state.score["soviet"] == 1
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_R_47_who_is_eliminated_has_no_zone_any_more() -> None:
    """R-47: "A2" finishes a lone tank corps: the hexes around it are free at once for what happens later in the step."""
    bench = combat({"ax.inf.336": "1010", TANK: "1110", RIFLE: "1510", ITALIAN: "1610"})
    assert bench.state.field.in_enemy_zone("axis", bench.state.data.hex("1109"))
    attack(bench, 1, "1010", TANK)

    assert lost(bench)[1] == [TANK]
    assert not bench.state.field.in_enemy_zone("axis", bench.state.data.hex("1109"))


@pytest.mark.parametrize(("unit", "die", "points"), [(TANK, 5, 1), ("su.mech.5", 6, 1), (RIFLE, 3, 0), ("su.cav.8", 3, 0)])
def test_9_5_8_a_ring_of_axis_units(unit: str, die: int, points: int) -> None:
    """9.5.8, 14.0.1, R-30: Six Axis units round a Soviet one, and it must retreat: eliminated; 1 point for a mechanized corps, none for
    rifles and cavalry."""
    ring = dict(zip(("ax.panzer.6", GERMAN, "ax.inf.294", ITALIAN, "ax.ro.5", "ax.hu.6"), AROUND, strict=True))
    bench = combat({unit: "1010", **ring}, side="axis")
    attack(bench, die, "1010", "ax.panzer.6", side="axis")

    assert "DR" in happened(bench, AttackResolved)[0].result
    assert bench.hexes(unit) == ("eliminated",)
    assert bench.state.score["axis"] == 25 + points


def test_9_5_7_out_of_a_ring_through_a_lone_hq() -> None:
    """9.5.7, 9.5.3: Five neighbours hold units, the sixth a lone HQ in their zones: a full panzer division goes there, is reduced, and
    overruns it; a reduced one falls there and does not."""
    ring = dict(zip((*TANKS, RIFLE, "su.hq.1gda"), AROUND, strict=True))
    bench = combat({PANZER: "1010", **ring})
    attack(bench, 4, "1010", *TANKS)  # 24 to 7: 3-1, DR
    assert [event.hq for event in happened(bench, Overrun)] == ["su.hq.1gda"]
    assert bench.hexes(PANZER) == ("0910",)
    assert bench.state.counters[PANZER].reduced
    assert bench.asked() == {"soviet": "prompt.victory_lost.reset"}

    bench = combat({"ax.panzer.22": "1010", **ring})
    attack(bench, 2, "1010", TANKS[0], TANKS[1])  # 12 to 3: 4-1, DR
    assert not happened(bench, Overrun)
    assert bench.hexes("ax.panzer.22", "su.hq.1gda") == ("eliminated", "0910")
    assert bench.state.score["soviet"] == 3


def test_12_3_the_hq_goes_both_hexes() -> None:
    """12.3, 12.2: "1DR2": the division is reduced, its HQ takes no loss, both go two hexes."""
    bench = combat({GERMAN: "1010", "ax.hq.hollidt": "1010", TANKS[0]: "1110", TANKS[1]: "1111"})
    attack(bench, 6, "1010", *TANKS[:2])  # 12 to 4: 3-1, 1DR2
    bench.do("axis", "retreat", GERMAN, "0911", "0811")

    assert bench.hexes(GERMAN, "ax.hq.hollidt") == ("0811", "0811")
    assert bench.state.counters[GERMAN].reduced
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_9_5_2_a_full_hex_costs_more_than_nothing_and_less_than_a_zone() -> None:
    """9.5.2(1), 9.5.2(2), 9.5.3: 0910 and 0911 full and free, 1009 and 1011 empty and in zones: through a full hex and one further, without
    a loss."""
    full = {GERMAN: "0910", "ax.inf.294": "0910", "ax.inf.336": "0911", "ax.inf.298": "0911"}
    bench = combat({PANZER: "1010", **EAST, **full})
    attack(bench, 6, "1010", *TANKS[:2])
    assert bench.refused("axis", "retreat", PANZER, "1009").rule == "9.5.2"
    bench.do("axis", "retreat", PANZER, "0911", "0811")

    assert not bench.state.counters[PANZER].reduced


# --- 12.7 reset -------------------------------------------------------------------------------------------------------------


def test_12_7_the_eleven_hexes_by_name() -> None:
    """12.7, R-17, R-18: An HQ overrun in 1010, source in 0110: four hexes away and nearer the source than 9 are these eleven; 1006 and 1014
    are 9 away themselves."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", TANK: "1210"})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "1010")
    expected = {"0608", "0609", "0610", "0611", "0612", "0708", "0713", "0807", "0813", "0907", "0914"}

    assert set(bench.options("axis", "reset")) == expected
    for hex_id in ("1006", "1014", "0809", "0510"):
        assert bench.refused("axis", "reset", hex_id).rule == "12.7"


# --- 11.1.1, 14.0.1 cities --------------------------------------------------------------------------------------------------


def test_11_1_1_an_axis_reinforcement_takes_a_soviet_city() -> None:
    """11.1.1, R-35, 14.0.1: A city that the Soviets hold and nobody stands in: an Axis division placed there brings 5 points back."""
    bench = Bench(board_t(rails=("0110 0209 0310",), places=(city("0209", owner="soviet"),)))
    bench.stand({}, turn=8, boxes={"ax.inf.39": "arriving"})
    bench.change(score={"axis": 20, "soviet": 5})
    bench.jump("set_up_first", "reinforcement_segment", "place_axis")
    bench.do("axis", "place", "ax.inf.39", "0209")

    assert bench.state.score == {"axis": 25, "soviet": 0}


def test_14_0_1_rostov_falls() -> None:
    """14.0.1: The rule book's example on the map: Axis 26, Soviet 8; Rostov (3433) falls: 21 and 13. Five such cities made the 25."""
    bench = Bench(real_pack())
    data = bench.state.data
    assert {data.name(i) for i, side in bench.state.control.items() if side == "axis"} == {"0423", "0428", "1110", "2227", "3433"}
    bench.stand({TANK: "3432"}, turn=5)
    bench.change(score={"axis": 26, "soviet": 8})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "3433")

    assert bench.state.score == {"axis": 21, "soviet": 13}


# --- the bridgehead on the map ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attackers", "defenders", "strengths_", "expected"),
    [
        (tuple(BRIDGEHEAD), ("ax.inf.298",), (16, 4), "4-1"),
        (("su.tank.18", "su.tank.25"), (ITALIAN,), (12, 2), "6-1"),
        (("su.rifle.41g", "su.rifle.44g"), (ITALIAN,), (4, 2), "2-1"),  # 8/2 across the Don
        (("su.tank.18", "su.rifle.41g"), (ITALIAN,), (8, 2), "4-1"),  # 6 + 4/2
        (("su.tank.18", "su.tank.25"), (ITALIAN, "ax.inf.298"), (12, 6), "2-1"),
        (("su.tank.18", "su.rifle.41g"), (ITALIAN, "ax.inf.298"), (8, 6), "1-1"),
    ],
)
def test_9_3_1_the_bridgehead_by_parts(
    attackers: tuple[str, ...], defenders: tuple[str, ...], strengths_: tuple[int, int], expected: str
) -> None:
    """9.3.1, 9.3.2: From 3909 on the near bank in full, from 4009 across the Don at half."""
    bench = combat({**BRIDGEHEAD, **dict.fromkeys(defenders, "3910")}, bench=Bench(real_pack()))
    attack(bench, 4, "3910", *attackers)

    assert (declared(bench).attack, declared(bench).defence) == strengths_
    assert column(bench) == expected


def test_9_6_5_out_of_the_bridgehead() -> None:
    """9.6.1, 9.6.5: The Italians gone, the tanks from 3909 may go two hexes, not over the Don to 4009; the Guards from across it one."""
    bench = combat({**BRIDGEHEAD, ITALIAN: "3910"}, bench=Bench(real_pack()))
    attack(bench, 6, "3910", *BRIDGEHEAD)
    assert [event.unit for event in happened(bench, Eliminated)] == [ITALIAN]
    assert bench.options("soviet", "advance", "su.rifle.41g", "3910") == ()
    bench.do("soviet", "advance", "su.rifle.41g", "3910")
    beyond = bench.options("soviet", "advance", "su.tank.18", "3910")

    assert "3909" in beyond and "4009" not in beyond  # there is room in 4009 now
    assert bench.refused("soviet", "advance", "su.tank.18", "3910", "4009").rule == "9.6.5"
