"""9.5.2 Which way a unit retreats."""

import random

import pytest

from tests.rules.chit_bench import source
from tests.rules.victory_lost.battles import (
    EAST,
    GERMAN,
    ITALIAN,
    PANZER,
    PANZER_HQ,
    TANKS,
    attack,
    combat,
    fought,
    literal,
    paths,
    stood,
    ways_of,
)
from tests.rules.victory_lost.bench import Bench, board_t, real_pack

RIFLES = [name for name in Bench().state.data.types if name.startswith("su.rifle.")]
RING = dict(
    zip(
        RIFLES,
        ("0606", "0609", "0612", "0914", "1214", "1412", "1409", "1406", "1105", "0805"),
        strict=False,
    )
)
"""Rifle units whose zones close round 1010 at a distance; the Axis source is 0110, nine hexes to
the west."""


def test_9_5_2_out_of_the_zones_and_towards_the_source() -> None:
    """9.5.2 (E54): DR: only 0910 and 0911; 1009 and 1011 are in enemy zones."""
    bench = fought({PANZER: "1010", **EAST}, 6, *TANKS[:2])
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    assert set(bench.options("axis", "retreat", PANZER)) == {"0910", "0911"}
    assert (
        bench.refused("axis", "retreat", PANZER, "1009").key == "refusal.victory_lost.retreat_zone"
    )
    bench.do("axis", "retreat", PANZER, "0911")
    assert bench.hexes(PANZER) == ("0911",)


def test_9_5_2_two_hexes_go_nearer_the_source() -> None:
    """9.5.2 (E55): DR2: two hexes away, each nearer the source; E54 with a second hex."""
    bench = stood({GERMAN: "1010", **EAST})
    assert paths(bench, GERMAN, length=2) == {"0910 0809", "0910 0810", "0911 0810", "0911 0811"}


def test_9_5_2_towards_the_source() -> None:
    """9.5.2: Among hexes without a zone those nearer the source come first: with the Axis source in
    the north the way is north."""
    bench = stood(
        {GERMAN: "1010", TANKS[0]: "1012"},
        Bench(board_t(sources=[source("axis", "1001"), source("soviet", "1020")])),
    )
    assert paths(bench, GERMAN) == {"1009"}


def test_9_5_2_full_hexes_are_avoided() -> None:
    """9.5.2: Of two ways that are equal otherwise the one that crosses no full hex is taken; nearer
    the source comes before that."""
    full = {GERMAN: "0910", "ax.inf.294": "0910"}
    assert paths(stood({PANZER: "1010", **EAST, **full}), PANZER) == {"0911"}

    # To the north-east there is room and no zone, but it is away from the source.
    both = {**full, "ax.inf.336": "0911", "ax.inf.298": "0911"}
    found = paths(stood({PANZER: "1010", TANKS[0]: "1012", TANKS[1]: "1211", **both}), PANZER)
    assert found and all(way.split()[0] in ("0910", "0911") for way in found)


@pytest.mark.long
def test_9_5_2_agrees_with_the_rule_read_word_for_word() -> None:
    """9.5.2: Scattered Soviet units and single Germans on the real map: the same ways by another
    method."""
    seed = 952
    dice = random.Random(seed)
    bench = Bench(real_pack())
    data = bench.state.data
    grid = data.board.grid
    soviets = [
        name for name, type_ in data.types.items() if type_.side == "soviet" and not type_.hq
    ]
    germans = [
        name for name, type_ in data.types.items() if type_.nation == "german" and not type_.hq
    ]
    compared = 0
    for _ in range(60):
        left, top = dice.randrange(2, 56), dice.randrange(2, 31)
        area = [
            i for i in range(len(grid)) if left <= i % 65 < left + 8 and top <= i // 65 < top + 7
        ]
        area = [i for i in area if i not in data.water and i not in data.pocket]
        if len(area) < 30:
            continue
        spots = dice.sample(area, 22)
        places = {
            name: grid.ids[i] for name, i in zip(dice.sample(soviets, 14), spots[:14], strict=True)
        }
        axis = {
            name: grid.ids[i] for name, i in zip(dice.sample(germans, 8), spots[14:], strict=True)
        }
        bench.stand({**places, **axis})
        for name, hex_id in axis.items():
            for length in (1, 2):
                expected = literal(bench, name, hex_id, length)
                if expected is not None:
                    found = {
                        tuple(way.split())
                        for way in paths(bench, name, start=hex_id, length=length)
                    }
                    assert found == expected, (
                        f"seed {seed}: {name} in {hex_id} by {length} among {places} and {axis}"
                    )
                    compared += len(expected) > 0
    assert compared > 200


def test_9_5_2_first_free_then_zone_before_first_zone_then_free() -> None:
    """9.5.2, R-26: Both ways of two hexes touch one zone; the one whose first hex is free leaves
    the zones earlier: by 0911 to 0811."""
    water = dict.fromkeys(("1011", "0810", "0912"), "~")
    places = {
        PANZER: "1010",
        TANKS[0]: "1009",
        TANKS[1]: "1110",
        TANKS[2]: "1111",
        "su.rifle.153": "0712",
    }
    bench = stood(places, Bench(board_t(rows=water)))
    zones = {
        hex_id: bench.state.field.in_enemy_zone("axis", bench.state.data.hex(hex_id))
        for hex_id in ("0910", "0809", "0911", "0811")
    }

    assert zones == {"0910": True, "0809": False, "0911": False, "0811": True}
    assert paths(bench, PANZER, length=2) == {"0911 0811"}


def test_9_5_2_fewer_zones_before_everything() -> None:
    """9.5.2, R-26: Away from the source and into a full hex rather than through a zone: of 0910
    (zone, nearer the source) and 1011 (free, full, no nearer) it is 1011, and on from there."""
    water = dict.fromkeys(("1009", "0911"), "~")
    places = {
        PANZER: "1010",
        TANKS[0]: "1110",
        TANKS[1]: "0909",
        GERMAN: "1011",
        "ax.inf.294": "1011",
    }
    bench = stood({**places, TANKS[0]: "1110"}, Bench(board_t(rows=water, impassable="1010-1111")))

    assert bench.state.field.in_enemy_zone("axis", bench.state.data.hex("0910"))
    found = paths(bench, PANZER)
    assert found and all(way.startswith("1011 ") for way in found)


def test_9_5_2_R26_the_original_knows_no_distance() -> None:
    """9.5.2, R-26: Full 0810, enemies in 1009, 0812 and 0711. After 0911 every second hex costs a
    loss; only 0910 is then nearer the source, since the line runs by 0809. So back beside the
    combat hex; with the option to 0811 or 0912, two hexes off, not nearer."""
    full = {GERMAN: "0810", "ax.inf.294": "0810"}
    places = {
        PANZER: "1010",
        **EAST,
        **full,
        "su.rifle.1": "0812",
        "su.rifle.107": "0711",
        "su.rifle.111": "1009",
    }
    assert ways_of(places, length=2) == {"0911 0910"}
    assert ways_of(places, length=2, retreat_distance=True) == {"0911 0811", "0911 0912"}


def test_9_5_2_R26_where_it_is_asked_for_distance_ranks_after_losses() -> None:
    """9.5.2, R-26: Every hex two away is in a zone, 0910 and 0911 are not: the unit doubles back
    beside the combat hex without a loss, with the option and without it."""
    ring = {
        "su.rifle.1": "0908",
        "su.rifle.107": "0710",
        "su.rifle.111": "0712",
        "su.rifle.119": "0913",
    }
    places = {GERMAN: "1010", **EAST, **ring}
    for asked in (False, True):
        found = ways_of(places, GERMAN, length=2, retreat_distance=asked)
        assert found == {"0910 0911", "0911 0910"}


def test_9_5_2_1_who_is_cut_off_falls_back_towards_his_source() -> None:
    """9.5.2(1), R-26: Ringed and attacked from 1009, no hex has a line: of 0911, 1011 and 1111,
    which are in no zone, 0911 alone is straight nearer 0110."""
    places = {PANZER: "1010", TANKS[0]: "1009", **RING}
    bench = stood(places)
    assert not any(
        bench.state.field.supply("axis").reached(bench.state.data.hex(i))
        for i in ("1010", "0911", "1011", "1111")
    )
    assert ways_of(places) == {"0911"}


def test_9_5_2_1_the_only_way_is_taken_by_itself() -> None:
    """9.5.2(1): The panzer division attacked in the ring goes to 0911 by itself."""
    bench = combat({PANZER: "1010", TANKS[0]: "1009", TANKS[1]: "1009", **RING})
    attack(bench, 6, "1010", *TANKS[:2])
    assert bench.hexes(PANZER) == ("0911",)


def test_9_5_2_1_each_of_two_hexes() -> None:
    """9.5.2(1): DR2 in the ring: the second hex, too, leads towards 0110, which both 0810 and 0811
    do."""
    assert ways_of({PANZER: "1010", TANKS[0]: "1009", **RING}, length=2) == {
        "0911 0810",
        "0911 0811",
    }


def test_9_5_2_1_losses_come_before_the_source() -> None:
    """9.5.2, 9.5.2(1): A unit in 0811 puts 0911 in a zone: who is cut off goes to the free hexes
    away from the source rather than there."""
    assert ways_of({PANZER: "1010", TANKS[0]: "1009", TANKS[1]: "0811", **RING}) == {"1011", "1111"}


def test_9_5_2_1_of_several_sources_the_nearest_counts() -> None:
    """9.5.2(1): Sources in 0110 and 1001, nine hexes off both: nearer either will do, until the
    enemy stands on one of them."""
    board = board_t(
        sources=[
            source("axis", "1001"),
            source("axis", "0110"),
            source("soviet", "2010"),
        ]
    )
    places = {PANZER: "1010", TANKS[0]: "1111", **RING}
    assert paths(stood(places, Bench(board)), PANZER) == {"1009", "0910", "0911"}
    assert paths(stood({**places, TANKS[1]: "0110"}, Bench(board)), PANZER) == {"1009"}
    assert paths(stood({**places, TANKS[1]: "1001"}, Bench(board)), PANZER) == {"0910", "0911"}


def test_9_5_2_2_of_two_equal_hexes_the_one_with_room() -> None:
    """9.5.2(2): As E54, but 0910 is full: 0911 is the only hex, and the division goes there
    unasked."""
    bench = combat({PANZER: "1010", GERMAN: "0910", "ax.inf.294": "0910", **EAST})
    attack(bench, 6, "1010", *TANKS[:2])

    assert bench.hexes(PANZER) == ("0911",)


def test_9_5_2_2_another_nation_is_no_full_hex_in_passing() -> None:
    """9.5.2(2), 9.5.5, R-28: 1DR2 on the Italian division in 1010, one Romanian in 0910: the ways
    over 0910 are as good as those over 0911; with two Romanians it is full and is avoided."""
    places = {ITALIAN: "1010", "ax.ro.5": "0910", **EAST}
    over = {"0910 0809", "0910 0810", "0911 0810", "0911 0811"}
    assert ways_of(places, ITALIAN, length=2) == over
    assert ways_of({**places, "ax.ro.7": "0910"}, ITALIAN, length=2) == {"0911 0810", "0911 0811"}

    bench = combat(places)
    attack(bench, 4, "1010", *TANKS[:2])
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    assert {f"{first} {second}" for first in bench.options("axis", "retreat", ITALIAN)
            for second in bench.options("axis", "retreat", ITALIAN, first)} == over  # fmt: skip


def test_9_5_2_2_an_hq_is_no_full_hex_in_passing() -> None:
    """9.5.2(2), R-25, R-28: DR2 for a division with 4PzA: Hollidt's hex may be passed as well as
    another."""
    places = {PANZER: "1010", PANZER_HQ: "1010", **EAST, "ax.hq.hollidt": "0910"}
    assert ways_of(places, PANZER, PANZER_HQ, length=2) == {
        "0910 0809",
        "0910 0810",
        "0911 0810",
        "0911 0811",
    }


def test_9_5_2_a_full_hex_costs_more_than_nothing_and_less_than_a_zone() -> None:
    """9.5.2(1), 9.5.2(2), 9.5.3: 0910 and 0911 full and free, 1009 and 1011 empty and in zones:
    through a full hex and one further, without a loss."""
    full = {GERMAN: "0910", "ax.inf.294": "0910", "ax.inf.336": "0911", "ax.inf.298": "0911"}
    bench = combat({PANZER: "1010", **EAST, **full})
    attack(bench, 6, "1010", *TANKS[:2])
    assert bench.refused("axis", "retreat", PANZER, "1009").rule == "9.5.2"
    bench.do("axis", "retreat", PANZER, "0911", "0811")

    assert not bench.state.counters[PANZER].reduced
