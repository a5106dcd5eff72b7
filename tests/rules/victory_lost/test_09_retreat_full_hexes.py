"""9.5.4, 9.5.5 Retreats into and through full hexes."""

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
    lost,
    paths,
    stood,
    ways_of,
)
from tests.rules.victory_lost.bench import Bench, board_t

BESIDE = {
    PANZER: "1010",
    **EAST,
    GERMAN: "0911",
    "ax.inf.294": "0911",
    "su.rifle.1": "0910",
    "su.rifle.111": "1011",
}
"""Free of enemies round 1010: 1009, in a zone, and 0911, in a zone and full."""


def test_9_5_4_full_hexes_force_one_further() -> None:
    """9.5.4, R-28 (E59): 0910 and 0911 are full: the unit goes on to a hex two away; those who
    stand there stay."""
    full = {GERMAN: "0910", "ax.inf.294": "0910", "ax.inf.336": "0911", "ax.inf.298": "0911"}
    bench = fought({PANZER: "1010", **EAST, **full}, 6, *TANKS[:2])
    assert set(bench.options("axis", "retreat", PANZER)) == {"0910", "0911"}
    assert bench.refused("axis", "retreat", PANZER, "0910").rule == "9.5.4"
    assert set(bench.options("axis", "retreat", PANZER, "0910")) == {"0809", "0810"}
    bench.do("axis", "retreat", PANZER, "0910", "0810")
    assert bench.hexes(PANZER, GERMAN) == ("0810", "0910")


def test_9_5_4_R28_again_and_again() -> None:
    """9.5.4: Full hexes behind full hexes: three hexes for a DR; without any continuation the hexes
    are no way at all."""
    full = ("0910", "0911", "0809", "0810", "0811")
    germans = [name for name in Bench().state.data.types if name.startswith("ax.inf.")]
    places = {name: full[index // 2] for index, name in enumerate(germans[:10])}
    bench = stood({PANZER: "1010", **EAST, **places})
    assert all(len(way.split()) == 3 for way in paths(bench, PANZER))

    crammed = board_t(
        rows={f"{c:02}{r:02}": "~" for c in range(1, 8) for r in range(1, 21)}
        | {f"08{r:02}": "~" for r in range(1, 21)}
    )
    crammed_bench = Bench(crammed)
    shut = {
        name: ("0910", "0911", "0909", "0912", "1009", "1011")[index // 2]
        for index, name in enumerate(germans[:12])
    }
    walls = {
        "su.rifle.1": "1008",
        "su.rifle.107": "1012",
        "su.rifle.111": "0908",
        "su.rifle.119": "0913",
        "su.rifle.126": "1109",
    }
    walls["su.rifle.127"] = "1112"
    assert paths(stood({PANZER: "1010", **EAST, **shut, **walls}, crammed_bench), PANZER) == set()


def test_9_5_4_R25_the_owner_chooses_with_whom() -> None:
    """R-25: two units that part: the HQ goes with the one that takes it."""
    for take in (True, False):
        bench = fought(
            {
                PANZER: "1010",
                GERMAN: "1010",
                PANZER_HQ: "1010",
                **EAST,
                TANKS[2]: "1110",
                TANKS[3]: "1111",
            },
            5,
            *TANKS,
        )
        assert bench.options("axis", "retreat", PANZER)[0] == PANZER_HQ
        bench.do("axis", "retreat", PANZER, *((PANZER_HQ,) if take else ()), "0910")
        bench.do("axis", "retreat", GERMAN, "0911")
        assert bench.hexes(PANZER_HQ) == (("0910",) if take else ("0911",))


def test_9_5_4_R25_another_hq_makes_a_hex_full() -> None:
    """9.5.4: A group with an HQ cannot stay where an HQ stands."""
    bench = stood({PANZER: "1010", PANZER_HQ: "1010", **EAST, "ax.hq.hollidt": "0910"})
    assert paths(bench, PANZER) == {"0910", "0911"}
    assert paths(bench, PANZER, PANZER_HQ) == {"0911"}


def test_9_5_4_R25_dying_on_the_way_resets_the_hq() -> None:
    """9.5.4: The last unit falls in a zone: its HQ resets, unhurt."""
    places = {
        "ax.panzer.22": "1010",
        PANZER_HQ: "1010",
        **EAST,
        "su.rifle.1": "0911",
        "su.rifle.107": "0910",
    }
    bench = fought(places, 2, *TANKS[:2])
    bench.do("axis", "retreat", "ax.panzer.22", "1009")
    assert lost(bench) == ([], ["ax.panzer.22"])
    if bench.asked() == {"axis": "prompt.victory_lost.reset"}:
        bench.do("axis", "reset", str(bench.options("axis", "reset")[0]))
    assert bench.hexes(PANZER_HQ)[0] not in ("1010", "1009")
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_9_5_4_R25_the_hq_goes_with_the_one_that_lives() -> None:
    """9.5.4: Of two units one would fall on the way: the HQ goes with the other, unasked."""
    places = {
        PANZER: "1010",
        "ax.panzer.22": "1010",
        PANZER_HQ: "1010",
        **EAST,
        "su.rifle.1": "0911",
        "su.rifle.107": "0910",
    }
    bench = fought({**places, TANKS[2]: "1110", TANKS[3]: "1111"}, 5, *TANKS)
    assert PANZER_HQ not in bench.options("axis", "retreat", "ax.panzer.22")
    assert PANZER_HQ not in bench.options("axis", "retreat", PANZER)
    bench.do("axis", "retreat", PANZER, "1011")
    assert bench.hexes(PANZER_HQ) == ("1011",)
    bench.do("axis", "retreat", "ax.panzer.22", "1009")
    assert bench.hexes(PANZER_HQ, "ax.panzer.22") == ("1011", "eliminated")


def test_9_5_4_the_second_unit_finds_the_hex_filled_by_the_first() -> None:
    """9.5.4, R-28: One way, 0910, with one division in it: the first to retreat stays there, the
    second goes one further."""
    water = dict.fromkeys(("1009", "1011", "0911"), "~")
    places = {
        PANZER: "1010",
        GERMAN: "1010",
        "ax.inf.294": "0910",
        TANKS[0]: "1110",
        TANKS[1]: "1110",
        TANKS[2]: "1111",
        TANKS[3]: "1111",
    }
    bench = combat(places, bench=Bench(board_t(rows=water)))
    attack(bench, 5, "1010", *TANKS)
    # 24 to 7 + 4 is 2-1; a 5 is DR
    bench.do("axis", "retreat", GERMAN, "0910")
    assert bench.refused("axis", "retreat", PANZER, "0910").rule == "9.5.4"
    bench.do("axis", "retreat", PANZER, "0910", "0809")

    assert bench.hexes(GERMAN, "ax.inf.294", PANZER) == ("0910", "0910", "0809")


def test_9_5_4_forced_on_into_a_zone() -> None:
    """9.5.4, 9.5.3: 0910 is full and everything beyond it lies in zones: one hex more, and one
    loss."""
    water = dict.fromkeys(("1009", "1011", "0911"), "~")
    ring = {"su.rifle.107": "0708", "su.rifle.153": "0710", "su.rifle.195": "0808"}
    full = {GERMAN: "0910", "ax.inf.294": "0910"}
    bench = combat(
        {"ax.panzer.17": "1010", **full, **EAST, **ring}, bench=Bench(board_t(rows=water))
    )
    attack(bench, 4, "1010", *TANKS[:2])
    # 12 to 5 is 2-1; a 4 is nothing
    assert bench.hexes("ax.panzer.17") == ("1010",)

    bench = combat(
        {"ax.panzer.17": "1010", **full, **EAST, **ring}, bench=Bench(board_t(rows=water))
    )
    attack(bench, 5, "1010", *TANKS[:2])
    # DR
    while bench.asked() == {"axis": "prompt.victory_lost.retreat"}:
        bench.do(
            "axis",
            "retreat",
            "ax.panzer.17",
            "0910",
            bench.options("axis", "retreat", "ax.panzer.17", "0910")[0],
        )
    grid = bench.state.data.board.grid
    assert grid.distance(grid.at("1010"), bench.state.at("ax.panzer.17")) == 2
    assert bench.state.counters["ax.panzer.17"].reduced
    assert bench.state.field.in_enemy_zone("axis", bench.state.at("ax.panzer.17"))


def test_9_5_4_of_two_full_hexes_the_one_with_a_free_way_on() -> None:
    """9.5.4, R-28: 1009 and 0910 are full, 0911 has room but is no end for DR2 ahead of both: every
    whole way is weighed, and the way by 0910 to 0911 passes one full hex and costs nothing, the one
    by 0911 and 0910 is driven on into a zone."""
    full = {GERMAN: "1009", "ax.inf.294": "1009", "ax.inf.336": "0910", "ax.inf.298": "0910"}
    walls = {
        "su.rifle.1": "0913",
        "su.rifle.107": "0608",
        "su.rifle.111": "0808",
        "su.rifle.119": "0711",
    }
    places = {PANZER: "1010", **EAST, **full, **walls}
    assert ways_of(places, length=2) == {"0910 0911"}


def test_9_5_4_crowds_of_full_hexes_are_decided_at_once() -> None:
    """9.5.4: Full hexes all round, walled in by water, and one way out, away from the source:
    worked out without trying every way round."""
    germans = [
        name
        for name, type_ in Bench().state.data.types.items()
        if type_.nation == "german" and not type_.hq and name != PANZER
    ]
    inside = [
        f"{c:02}{r:02}"
        for c in range(9, 13)
        for r in range(8, 13)
        if f"{c:02}{r:02}" not in ("1010", "1110")
    ]
    dry = {*inside, "1010", "1110", "1313"}
    lakes = {
        f"{c:02}{r:02}": "~"
        for c in range(6, 15)
        for r in range(6, 15)
        if f"{c:02}{r:02}" not in dry
    }
    places = {name: inside[index // 2] for index, name in enumerate(germans[: 2 * len(inside)])}
    bench = stood({**places, PANZER: "1010", TANKS[0]: "1110"}, Bench(board_t(rows=lakes)))
    found = paths(bench, PANZER)
    assert found and {way.split()[-1] for way in found} == {"1313"}
    assert all(set(way.split()[:-1]) <= set(inside) for way in found)
    assert len({len(way) for way in found}) == 1


def test_9_5_4_a_full_hex_that_leads_into_another_zone_costs_two() -> None:
    """9.5.4, R-28, 9.5.3: With a unit in 0712 every hex beyond 0911 is in a zone: two losses that
    way, though it leads nearer the source, and one in 1009."""
    places = {**BESIDE, "su.rifle.107": "0712"}
    assert ways_of(places) == {"1009"}


def test_9_5_4_a_full_hex_that_leads_out_of_the_zones_costs_no_more() -> None:
    """9.5.4, 9.5.2(1): Without that unit 0811 is free: one loss on either way, and 0911 and 0811
    are nearer the source."""
    assert ways_of(BESIDE) == {"0911 0811"}


def test_9_5_5_an_italian_retreats_past_romanians() -> None:
    """9.5.5 (E60): an Italian cannot stay with Romanians: one hex further. A German could."""
    romanians = {"ax.ro.5": "0910", "ax.ro.7": "0911"}
    bench = fought({ITALIAN: "1010", **EAST, **romanians}, 2, TANKS[0])
    assert bench.asked() != {"axis": "prompt.victory_lost.retreat"}

    bench = fought({ITALIAN: "1010", **EAST, **romanians}, 3, TANKS[0])
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    assert bench.refused("axis", "retreat", ITALIAN, "0910").rule == "9.5.5"
    assert set(bench.options("axis", "retreat", ITALIAN, "0911")) == {"0810", "0811"}
    assert paths(stood({GERMAN: "1010", **EAST, **romanians}), GERMAN) == {"0910", "0911"}


def test_9_5_5_a_german_stays_where_an_italian_may_not() -> None:
    """9.5.5, 5.0.3: One Romanian in 0910 and one in 0911: the German may stay with either, the
    Italian goes on from both."""
    places = {
        GERMAN: "1010",
        ITALIAN: "1010",
        "ax.ro.5": "0910",
        "ax.ro.7": "0911",
        TANKS[0]: "1110",
        TANKS[1]: "1110",
    }
    bench = combat({**places, TANKS[2]: "1111", TANKS[3]: "1111"})
    attack(bench, 2, "1010", *TANKS)
    # 24 to 6 is 4-1; a 2 is DR
    assert set(bench.options("axis", "retreat", GERMAN)) == {"0910", "0911"}
    assert bench.refused("axis", "retreat", ITALIAN, "0910").rule == "9.5.5"
    bench.do("axis", "retreat", GERMAN, "0910")
    assert set(bench.options("axis", "retreat", ITALIAN, "0910")) == {"0809", "0810"}
    bench.do("axis", "retreat", ITALIAN, "0911", "0811")

    assert bench.hexes(GERMAN, ITALIAN, "ax.ro.5") == ("0910", "0811", "0910")


def test_9_5_5_a_closed_hex_at_the_end_drives_on_and_counts() -> None:
    """9.5.5, 9.5.2(2), R-28: DR: at the end of the way the Romanian's hex does force the Italian
    on, so 0911 with its room is better."""
    assert ways_of({ITALIAN: "1010", "ax.ro.5": "0910", **EAST}, ITALIAN) == {"0911"}
