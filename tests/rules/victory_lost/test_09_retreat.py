"""9.5 Retreat: losses in zones, major rivers, HQs on both sides, and who has no way."""

import pytest

from tests.rules.chit_bench import source
from tests.rules.victory_lost.battles import (
    AROUND,
    EAST,
    GERMAN,
    ITALIAN,
    PANZER,
    PANZER_HQ,
    RIVER_BEHIND,
    TANK,
    TANKS,
    attack,
    column,
    combat,
    fought,
    happened,
    lost,
    paths,
    previewed,
    stood,
    walled,
)
from tests.rules.victory_lost.bench import RIFLE, Bench, board_t, city
from warledger.engine.games.victory_lost.combat import AttackResolved
from warledger.engine.games.victory_lost.headquarters import Overrun
from warledger.engine.games.victory_lost.losses import Eliminated
from warledger.engine.games.victory_lost.retreat import Retreated, RetreatInterrupted


def test_9_5_what_leaves_no_choice_is_not_asked() -> None:
    """9.5: One way: the unit goes by itself; two units with one common way that holds both:
    likewise; one that holds one of them: asked."""
    north = [source("axis", "1001"), source("soviet", "1020")]
    south = {TANKS[0]: "1011", TANKS[1]: "1011", TANKS[2]: "1111", TANKS[3]: "1111"}
    bench = fought({PANZER: "1010", **south}, 3, *TANKS, bench=Bench(board_t(sources=north)))
    assert bench.hexes(PANZER) == ("1009",)
    assert [event.path for event in happened(bench, Retreated)] == [("1010", "1009")]

    bench = fought(
        {PANZER: "1010", GERMAN: "1010", **south}, 5, *TANKS, bench=Bench(board_t(sources=north))
    )
    assert bench.hexes(PANZER, GERMAN) == ("1009", "1009")

    places = {PANZER: "1010", GERMAN: "1010", "ax.inf.294": "1009", **south}
    bench = fought(places, 5, *TANKS, bench=Bench(board_t(sources=north)))
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}


def test_9_5_1_units_of_one_hex_may_part() -> None:
    """9.5.1: Each goes its own way, in the order that the owner likes."""
    bench = fought(
        {PANZER: "1010", GERMAN: "1010", **EAST, TANKS[2]: "1110", TANKS[3]: "1111"}, 5, *TANKS
    )
    assert lost(bench) == ([], [])
    assert bench.options("axis", "retreat") == (GERMAN, PANZER)
    bench.do("axis", "retreat", PANZER, "0910")
    assert set(bench.options("axis", "retreat", GERMAN)) == {"0910", "0911"}
    assert bench.refused("axis", "retreat", PANZER).key == "refusal.victory_lost.not_retreating"
    bench.do("axis", "retreat", GERMAN, "0911")
    assert bench.hexes(PANZER, GERMAN) == ("0910", "0911")


def test_9_5_3_forced_into_a_zone() -> None:
    """9.5.3, R-27, R-47 (E56): all free neighbours are in zones: the unit goes there and is
    reduced; friends do not cancel the zone."""
    places = {PANZER: "1010", **EAST, "su.rifle.1": "0911", "su.rifle.107": "0910"}
    bench = fought(places, 6, *TANKS[:2])
    assert set(bench.options("axis", "retreat", PANZER)) == {"1009", "1011"}
    assert "retreat_losses" in previewed(bench, "retreat", PANZER, "1009", side="axis")
    bench.do("axis", "retreat", PANZER, "1009")
    assert lost(bench) == ([PANZER], [])

    bench = fought({**places, GERMAN: "1009"}, 6, *TANKS[:2])
    assert set(bench.options("axis", "retreat", PANZER)) == {"1009", "1011"}
    bench.do("axis", "retreat", PANZER, "1009")
    assert lost(bench) == ([PANZER], [])


def test_9_5_3_two_zones_on_the_way() -> None:
    """9.5.3, R-27: DR2 with one way, both hexes in zones: a full panzer division is reduced in the
    first and lost in the second; the Italian with it, reduced in the combat, is lost in the first.
    3 points, the Italian is worth nothing."""
    water = dict.fromkeys(("1011", "0911", "0910", "0909", "0908", "1007", "1107", "1108"), "~")
    places = {
        "ax.panzer.23": "1010",
        ITALIAN: "1010",
        TANKS[0]: "1110",
        TANKS[1]: "1110",
        TANKS[2]: "1111",
        TANKS[3]: "1111",
    }
    bench = combat({**places, RIFLE: "1109"}, bench=Bench(board_t(rows=water)))
    attack(bench, 6, "1010", *TANKS)
    # 24 to 7 is 3-1; a 6 is 1DR2
    bench.do("axis", "lose", ITALIAN)
    bench.do("axis", "retreat", "ax.panzer.23", "1009", "1008")

    assert bench.hexes("ax.panzer.23", ITALIAN) == ("eliminated", "eliminated")
    assert bench.state.score["soviet"] == 3


def test_9_5_3_reduced_in_combat_lost_in_the_zone() -> None:
    """9.5.3, 9.4.2: 1DR: the loss of the combat and the loss of the zone together finish a full
    division."""
    ring = {RIFLE: "0911", "su.rifle.107": "0910"}
    bench = combat(
        {"ax.panzer.17": "1010", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111", **ring}
    )
    attack(bench, 5, "1010", *TANKS[:3])
    # 18 to 5 is 3-1; a 5 is 1DR
    bench.do("axis", "retreat", "ax.panzer.17", "1009")

    assert bench.hexes("ax.panzer.17") == ("eliminated",)
    assert bench.state.score["soviet"] == 3


def test_9_5_3_R41_a_unit_that_falls_has_taken_the_city_on_its_way() -> None:
    """R-41, 9.5.3, 14.0.1: A reduced panzer division retreats through a city into a zone and falls
    there: the city passed is the Axis's, the one in the last hex is not."""
    cities = (city("0910", owner="soviet"), city("0809", owner="soviet"))
    places = {
        PANZER: "1010",
        TANK: "1110",
        "su.tank.25": "1110",
        "su.tank.24": "1111",
        "su.rifle.1": "1111",
        "su.rifle.195": "0709",
    }
    water = dict.fromkeys(("1009", "1011", "0911", "0909", "0810"), "~")
    bench = combat(places, bench=Bench(board_t(rows=water, places=cities)))
    bench.change(score={"axis": 10, "soviet": 10})
    attack(bench, 6, "1010", TANK, "su.tank.25", "su.tank.24", "su.rifle.1")
    control = {bench.state.data.name(i): side for i, side in bench.state.control.items()}

    assert column(bench) == "3-1"
    assert bench.hexes(PANZER) == ("eliminated",)
    assert control == {"0910": "axis", "0809": "soviet"}
    assert bench.state.score == {"axis": 15, "soviet": 8}


def test_9_5_3_a_retreat_ends_where_the_unit_falls() -> None:
    """9.5.3.a: DR2 through a zone: nothing is picked beyond the hex where a one-faced unit is
    eliminated."""
    ring = {"su.rifle.1": "0911", "su.rifle.107": "0910"}
    places = {
        "ax.panzer.22": "1010",
        PANZER: "1010",
        **ring,
        **EAST,
        TANKS[2]: "1110",
        TANKS[3]: "1111",
    }
    bench = fought(places, 6, *TANKS, reduced=[PANZER])
    assert bench.asked() == {"axis": "prompt.victory_lost.losses"}
    bench.do("axis", "lose", PANZER)
    for first in bench.options("axis", "retreat", "ax.panzer.22"):
        assert bench.options("axis", "retreat", "ax.panzer.22", str(first)) == ()
    bench.do(
        "axis", "retreat", "ax.panzer.22", str(bench.options("axis", "retreat", "ax.panzer.22")[0])
    )
    assert lost(bench)[1] == ["ax.panzer.22"]
    assert [len(event.path) for event in happened(bench, Retreated)] == [2]


def test_9_5_6_eliminated_in_play() -> None:
    """9.5.6: The whole of E61: an attack, DR2, and the unit is gone."""
    bench = walled({})
    bench.stand(
        {PANZER: "1010", **dict.fromkeys(TANKS[:2], "1110"), **dict.fromkeys(TANKS[2:], "1111")}
        | {"su.rifle.1": "1009", "su.rifle.107": "1011"}
        | {"su.rifle.111": "0909", "su.rifle.119": "0911"}
    )
    bench.activate("soviet", *TANKS, "su.rifle.1", "su.rifle.107")
    bench.jump("chit_selection", "activation", "combat_step")
    attack(bench, 6, "1010", *TANKS)
    assert [event.why for event in happened(bench, Eliminated)] == ["no_retreat"]


def test_9_5_6_zones_on_both_banks() -> None:
    """9.5.6 (E62): A major river behind the unit with enemy zones on both banks is not crossed,
    bridge or not."""
    for bridges in ("", "0910-1010"):
        bench = Bench(board_t(rivers={"major": "0910-1010"}, bridges=bridges))
        bench.stand({PANZER: "1010", **EAST, "su.rifle.1": "0809"})
        assert not any(way.startswith("0910") for way in paths(bench, PANZER))
        bench.stand({PANZER: "1010", **EAST})
        assert any(way.startswith("0910") for way in paths(bench, PANZER))


def test_9_5_6_R29_a_river_crossed_first_does_not_stop() -> None:
    """9.5.6, R-29 (E63): an unbridged major river is crossed with the first hex, and the retreat
    goes on to its full length."""
    bench = Bench(board_t(rivers={"major": "0910-1010 0911-1010"}))
    bench.stand({PANZER: "1010", **EAST})
    assert paths(bench, PANZER, length=2) == {"0910 0809", "0910 0810", "0911 0810", "0911 0811"}


def test_9_5_6_the_refusal_names_the_river() -> None:
    """9.5.6: The refusal names the river."""
    bench = Bench(board_t(rivers={"major": "0810-0911"}))
    bench = fought(
        {PANZER: "1010", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111", TANKS[3]: "1111"},
        6,
        *TANKS,
        bench=bench,
    )
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    refusal = bench.refused("axis", "retreat", PANZER, "0911", "0810")
    assert refusal.rule == "9.5.6"


def test_9_5_6_over_the_don_with_the_first_hex_and_on() -> None:
    """9.5.6, R-29: DR2 from a hex on the river bank: across with the first hex, and one further,
    though movement would have stopped."""
    bench = combat(
        {ITALIAN: "1010", **EAST, TANKS[2]: "1110"},
        bench=Bench(board_t(rivers={"major": "0910-1010 0911-1010 1009-1010 1010-1011"})),
    )
    attack(bench, 6, "1010", *TANKS[:3])
    # 18 to 2 is 9-1; a 6 is 4DR2: too many losses for a retreat, so a weaker attack
    assert lost(bench)[1] == [ITALIAN]

    bench = combat(
        {GERMAN: "1010", **EAST},
        bench=Bench(board_t(rivers={"major": "0910-1010 0911-1010 1009-1010 1010-1011"})),
    )
    attack(bench, 6, "1010", *TANKS[:2])
    # 12 to 4 is 3-1; a 6 is 1DR2
    bench.do("axis", "retreat", GERMAN, "0910", "0810")
    assert bench.hexes(GERMAN) == ("0810",)
    assert bench.state.counters[GERMAN].reduced


def test_9_5_6_a_major_river_one_hex_behind() -> None:
    """9.5.6.a (E61): DR2: the start is not next to the river, so it may not be crossed: no way,
    eliminated. A bridge opens it, if zones allow."""
    assert paths(walled({}), PANZER, length=2) == set()
    assert paths(walled({}), PANZER, length=1) == {"0910"}
    # 0910 and both hexes beyond are in Soviet zones, so the bridge does not help (E62); without the
    # zones it does.
    assert paths(walled({}, bridges=RIVER_BEHIND), PANZER, length=2) == set()

    bench = Bench(board_t(rivers={"major": RIVER_BEHIND}, bridges="0810-0910"))
    bench.stand({PANZER: "1010", TANKS[0]: "1110", TANKS[1]: "1111"})
    assert "0910 0810" in paths(bench, PANZER, length=2)
    assert "0910 0809" not in paths(bench, PANZER, length=2)


def test_9_5_7_an_overrun_interrupts_the_retreat() -> None:
    """9.5.7: DR2 over a lone Soviet HQ: its owner resets it, then the unit goes on from there with
    the hexes it has left."""
    places = {
        PANZER: "1010",
        **EAST,
        TANKS[2]: "1110",
        TANKS[3]: "1111",
        "su.hq.1gda": "0910",
        "su.rifle.1": "1709",
    }
    bench = fought(places, 6, *TANKS)
    assert [event.result for event in bench.events if hasattr(event, "result")] == ["1DR2"]
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    assert "0910" in bench.options("axis", "retreat", PANZER)
    bench.do("axis", "retreat", PANZER, "0910")
    assert [event.hq for event in happened(bench, Overrun)] == ["su.hq.1gda"]
    assert len(happened(bench, RetreatInterrupted)) == 1
    if bench.asked() == {"soviet": "prompt.victory_lost.reset"}:
        bench.do("soviet", "reset", str(bench.options("soviet", "reset")[0]))
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat_on"}
    assert set(bench.options("axis", "retreat")) == {"0809", "0810"}
    bench.do("axis", "retreat", "0810")
    assert bench.hexes(PANZER) == ("0810",)
    assert bench.state.battle is None or bench.state.battle.flight is None


def test_9_5_7_through_a_lone_hq_and_its_reset_does_not_bar_the_way() -> None:
    """9.5.7, 12.7: The retreating division overruns 6A in its last hex; the HQ resets nearer its
    own source, at least four hexes away."""
    bench = combat({GERMAN: "1010", **EAST, "su.hq.6a": "0910"})
    attack(bench, 4, "1010", *TANKS[:2])
    bench.do("axis", "retreat", GERMAN, "0910")
    assert [event.hq for event in happened(bench, Overrun)] == ["su.hq.6a"]
    grid = bench.state.data.board.grid
    choices = bench.options("soviet", "reset")

    assert all(grid.distance(grid.at("0910"), grid.at(str(hex_id))) == 4 for hex_id in choices)
    assert all(
        grid.distance(grid.at("2010"), grid.at(str(hex_id)))
        < grid.distance(grid.at("2010"), grid.at("0910"))
        for hex_id in choices
    )


def test_9_5_7_out_of_a_ring_through_a_lone_hq() -> None:
    """9.5.7, 9.5.3: Five neighbours hold units, the sixth a lone HQ in their zones: a full panzer
    division goes there, is reduced, and overruns it; a reduced one falls there and does not."""
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


def test_9_5_7_a_unit_that_falls_overruns_nothing() -> None:
    """9.5.7.a (E57): A one-faced unit is eliminated on entering the zone; the lone HQ there is not
    overrun."""
    places = {
        "ax.panzer.22": "1010",
        **EAST,
        "su.rifle.1": "0911",
        "su.rifle.107": "0910",
        "su.hq.1gda": "1009",
    }
    bench = fought(places, 2, *TANKS[:2])
    assert set(bench.options("axis", "retreat", "ax.panzer.22")) == {"1009", "1011"}
    assert "retreat_falls" in previewed(bench, "retreat", "ax.panzer.22", "1009", side="axis")
    bench.do("axis", "retreat", "ax.panzer.22", "1009")
    assert lost(bench) == ([], ["ax.panzer.22"])
    assert happened(bench, Overrun) == []
    assert bench.hexes("su.hq.1gda", "ax.panzer.22") == ("1009", "eliminated")
    assert bench.state.score["soviet"] == 3


def test_9_5_7_a_last_hex_may_hold_an_hq() -> None:
    """9.5.7.a: DR into the hex of a lone HQ: overrun, and the retreat is over."""
    bench = fought({PANZER: "1010", **EAST, "su.hq.1gda": "0910"}, 6, *TANKS[:2])
    bench.do("axis", "retreat", PANZER, "0910")
    assert happened(bench, Overrun)
    assert not happened(bench, RetreatInterrupted)
    if bench.asked() == {"soviet": "prompt.victory_lost.reset"}:
        bench.do("soviet", "reset", str(bench.options("soviet", "reset")[0]))
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_9_5_8_no_way_out() -> None:
    """9.5.8 (E58): All six neighbours hold enemy units: the panzer division is eliminated for 3
    points, without a question."""
    ring = dict(zip((*TANKS, "su.rifle.1", "su.rifle.107"), AROUND, strict=True))
    bench = fought({PANZER: "1010", **ring}, 4, *TANKS)
    assert [event.why for event in happened(bench, Eliminated)] == ["no_retreat"]
    assert bench.state.score["soviet"] == 3
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_9_5_8_water_and_the_edge_are_no_way() -> None:
    """R-30, 9.5.8: neither is on any way."""
    bench = stood(
        {PANZER: "0110", TANKS[0]: "0209", TANKS[1]: "0210"}, Bench(board_t(rows={"0109": "~"}))
    )
    assert paths(bench, PANZER, start="0110") == {"0111"}


def test_9_5_8_12_2_no_way_for_the_last_unit() -> None:
    """9.5.8.12.2: The unit is eliminated, the HQ left alone resets, then the attackers may
    advance."""
    ring = dict(zip((*TANKS, "su.rifle.1", "su.rifle.107"), AROUND, strict=True))
    bench = fought({PANZER: "1010", PANZER_HQ: "1010", **ring}, 4, *TANKS)
    assert [event.why for event in happened(bench, Eliminated)] == ["no_retreat"]
    if bench.asked() == {"axis": "prompt.victory_lost.reset"}:
        bench.do("axis", "reset", str(bench.options("axis", "reset")[0]))
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


@pytest.mark.parametrize(
    ("unit", "die", "points"),
    [(TANK, 5, 1), ("su.mech.5", 6, 1), (RIFLE, 3, 0), ("su.cav.8", 3, 0)],
)
def test_9_5_8_a_ring_of_axis_units(unit: str, die: int, points: int) -> None:
    """9.5.8, 14.0.1, R-30: Six Axis units round a Soviet one, and it must retreat: eliminated; 1
    point for a mechanized corps, none for rifles and cavalry."""
    ring = dict(
        zip(
            ("ax.panzer.6", GERMAN, "ax.inf.294", ITALIAN, "ax.ro.5", "ax.hu.6"),
            AROUND,
            strict=True,
        )
    )
    bench = combat({unit: "1010", **ring}, side="axis")
    attack(bench, die, "1010", "ax.panzer.6", side="axis")

    assert "DR" in happened(bench, AttackResolved)[0].result
    assert bench.hexes(unit) == ("eliminated",)
    assert bench.state.score["axis"] == 25 + points
