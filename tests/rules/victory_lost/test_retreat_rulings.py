"""9.5.2 and 9.5.4 as the original has them, worked by hand; and each earlier reading, which games that were begun with it keep."""

from attrs import evolve

from engine.games.victory_lost.rules import RULES, SWITCHES
from engine.kernel.rulings import in_force, resolve, unnamed
from protocol.records import Genesis
from tests.rules.victory_lost.battles import GERMAN, ITALIAN, PANZER, TANKS, attack, combat
from tests.rules.victory_lost.bench import Bench, board_t
from tests.rules.victory_lost.test_09_retreat import EAST, HQ, _source, paths, stood

EARLIER = ("retreat_distance", "retreat_distance_first", "cut_off_retreats_anywhere", "retreat_closed_is_full", "retreat_hex_by_hex")
"""What games were played by before 9.5.2 was read again: all of them on."""

RIFLES = [name for name in Bench().state.data.types if name.startswith("su.rifle.")]
RING = dict(zip(RIFLES, ("0606", "0609", "0612", "0914", "1214", "1412", "1409", "1406", "1105", "0805"), strict=False))
"""Rifle units whose zones close round 1010 at a distance; the Axis source is 0110, nine hexes to the west."""


def ways_of(places: dict[str, str], *names: str, length: int = 1, **options: bool) -> set[str]:
    """The ways of counters out of 1010, hexes joined."""
    return paths(stood(places, Bench(**options)), *(names or (PANZER,)), length=length)


# --- 9.5.2(1) who is cut off ------------------------------------------------------------------------------------------------


def test_9_5_2_1_who_is_cut_off_falls_back_towards_his_source() -> None:
    """9.5.2(1), R-26: Ringed and attacked from 1009, no hex has a line: of 0911, 1011 and 1111, which are in no zone, 0911 alone is
    straight nearer 0110."""
    places = {PANZER: "1010", TANKS[0]: "1009", **RING}
    bench = stood(places)
    assert not any(bench.state.field.supply("axis").reached(bench.state.data.hex(i)) for i in ("1010", "0911", "1011", "1111"))
    assert ways_of(places) == {"0911"}
    assert ways_of(places, cut_off_retreats_anywhere=True) == {"0911", "1011", "1111"}


def test_9_5_2_1_in_play() -> None:
    """9.5.2(1): The panzer division attacked in the ring goes to 0911 by itself; with the earlier reading its owner is asked."""
    for anywhere in (False, True):
        places = {PANZER: "1010", TANKS[0]: "1009", TANKS[1]: "1009", **RING}
        bench = combat(places, cut_off_retreats_anywhere=anywhere)
        attack(bench, 6, "1010", *TANKS[:2])
        if anywhere:
            assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
        else:
            assert bench.hexes(PANZER) == ("0911",)


def test_9_5_2_1_each_of_two_hexes() -> None:
    """9.5.2(1): DR2 in the ring: the second hex, too, leads towards 0110, which both 0810 and 0811 do."""
    assert ways_of({PANZER: "1010", TANKS[0]: "1009", **RING}, length=2) == {"0911 0810", "0911 0811"}


def test_9_5_2_1_losses_come_before_the_source() -> None:
    """9.5.2, 9.5.2(1): A unit in 0811 puts 0911 in a zone: who is cut off goes to the free hexes away from the source rather than there."""
    assert ways_of({PANZER: "1010", TANKS[0]: "1009", TANKS[1]: "0811", **RING}) == {"1011", "1111"}


def test_9_5_2_1_of_several_sources_the_nearest_counts() -> None:
    """9.5.2(1): Sources in 0110 and 1001, nine hexes off both: nearer either will do, until the enemy stands on one of them."""
    board = board_t(sources=[_source("axis", "1001"), _source("axis", "0110"), _source("soviet", "2010")])
    places = {PANZER: "1010", TANKS[0]: "1111", **RING}
    assert paths(stood(places, Bench(board)), PANZER) == {"1009", "0910", "0911"}
    assert paths(stood({**places, TANKS[1]: "0110"}, Bench(board)), PANZER) == {"1009"}
    assert paths(stood({**places, TANKS[1]: "1001"}, Bench(board)), PANZER) == {"0910", "0911"}


# --- 9.5.2(2) full hexes in passing -------------------------------------------------------------------------------------------


def test_9_5_2_2_another_nation_is_no_full_hex_in_passing() -> None:
    """9.5.2(2), 9.5.5, R-28: 1DR2 on the Italian division in 1010, one Romanian in 0910: the ways over 0910 are as good as those over 0911;
    with two Romanians it is full and is avoided."""
    places = {ITALIAN: "1010", "ax.ro.5": "0910", **EAST}
    over = {"0910 0809", "0910 0810", "0911 0810", "0911 0811"}
    assert ways_of(places, ITALIAN, length=2) == over
    assert ways_of(places, ITALIAN, length=2, retreat_closed_is_full=True) == {"0911 0810", "0911 0811"}
    assert ways_of({**places, "ax.ro.7": "0910"}, ITALIAN, length=2) == {"0911 0810", "0911 0811"}

    bench = combat(places)
    attack(bench, 4, "1010", *TANKS[:2])
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    assert {f"{first} {second}" for first in bench.options("axis", "retreat", ITALIAN)
            for second in bench.options("axis", "retreat", ITALIAN, first)} == over  # fmt: skip


def test_9_5_2_2_an_hq_is_no_full_hex_in_passing() -> None:
    """9.5.2(2), R-25, R-28: DR2 for a division with 4PzA: Hollidt's hex may be passed as well as another."""
    places = {PANZER: "1010", HQ: "1010", **EAST, "ax.hq.hollidt": "0910"}
    assert ways_of(places, PANZER, HQ, length=2) == {"0910 0809", "0910 0810", "0911 0810", "0911 0811"}
    assert ways_of(places, PANZER, HQ, length=2, retreat_closed_is_full=True) == {"0911 0810", "0911 0811"}


def test_9_5_5_a_closed_hex_at_the_end_drives_on_and_counts() -> None:
    """9.5.5, 9.5.2(2), R-28: DR: at the end of the way the Romanian's hex does force the Italian on, so 0911 with its room is better."""
    assert ways_of({ITALIAN: "1010", "ax.ro.5": "0910", **EAST}, ITALIAN) == {"0911"}


# --- 9.5.4 ways ranked whole --------------------------------------------------------------------------------------------------

BESIDE = {PANZER: "1010", **EAST, GERMAN: "0911", "ax.inf.294": "0911", "su.rifle.1": "0910", "su.rifle.111": "1011"}
"""Free of enemies round 1010: 1009, in a zone, and 0911, in a zone and full."""


def test_9_5_4_a_full_hex_that_leads_into_another_zone_costs_two() -> None:
    """9.5.4, R-28, 9.5.3: With a unit in 0712 every hex beyond 0911 is in a zone: two losses that way, one in 1009; today's reading of the
    first hex alone leads by 0911, since it is nearer the source."""
    places = {**BESIDE, "su.rifle.107": "0712"}
    assert ways_of(places) == {"1009"}
    assert ways_of(places, retreat_hex_by_hex=True) == {"0911 0810", "0911 0811"}


def test_9_5_4_a_full_hex_that_leads_out_of_the_zones_costs_no_more() -> None:
    """9.5.4, 9.5.2(1): Without that unit 0811 is free: one loss on either way, and 0911 and 0811 are nearer the source."""
    assert ways_of(BESIDE) == ways_of(BESIDE, retreat_hex_by_hex=True) == {"0911 0811"}


def test_9_5_4_of_two_full_hexes_the_one_with_a_free_way_on() -> None:
    """9.5.4, R-28: 1009 and 0910 are full, 0911 has room but is no end for DR2 ahead of both: every whole way is weighed, and the way by
    0910 to 0911 passes one full hex and costs nothing, the one by 0911 and 0910 is driven on into a zone."""
    full = {GERMAN: "1009", "ax.inf.294": "1009", "ax.inf.336": "0910", "ax.inf.298": "0910"}
    walls = {"su.rifle.1": "0913", "su.rifle.107": "0608", "su.rifle.111": "0808", "su.rifle.119": "0711"}
    places = {PANZER: "1010", **EAST, **full, **walls}
    assert ways_of(places, length=2) == {"0910 0911"}
    assert ways_of(places, length=2, retreat_hex_by_hex=True) == {"0911 0910 0909"}


def test_9_5_4_crowds_of_full_hexes_are_decided_at_once() -> None:
    """9.5.4: Full hexes all round, walled in by water, and one way out, away from the source: worked out without trying every way round."""
    germans = [name for name, type_ in Bench().state.data.types.items() if type_.nation == "german" and not type_.hq and name != PANZER]
    inside = [f"{c:02}{r:02}" for c in range(9, 13) for r in range(8, 13) if f"{c:02}{r:02}" not in ("1010", "1110")]
    dry = {*inside, "1010", "1110", "1313"}
    lakes = {f"{c:02}{r:02}": "~" for c in range(6, 15) for r in range(6, 15) if f"{c:02}{r:02}" not in dry}
    places = {name: inside[index // 2] for index, name in enumerate(germans[: 2 * len(inside)])}
    bench = stood({**places, PANZER: "1010", TANKS[0]: "1110"}, Bench(board_t(rows=lakes)))
    found = paths(bench, PANZER)
    assert found and {way.split()[-1] for way in found} == {"1313"}
    assert all(set(way.split()[:-1]) <= set(inside) for way in found)
    assert len({len(way) for way in found}) == 1


# --- R-26 the distance ----------------------------------------------------------------------------------------------------------


def test_R_26_the_original_knows_no_distance() -> None:
    """9.5.2, R-26: Full 0810, enemies in 1009, 0812 and 0711. After 0911 every second hex costs a loss; only 0910 is then nearer the
    source, since the line runs by 0809. So back beside the combat hex; with the option to 0811 or 0912, two hexes off, not nearer."""
    full = {GERMAN: "0810", "ax.inf.294": "0810"}
    places = {PANZER: "1010", **EAST, **full, "su.rifle.1": "0812", "su.rifle.107": "0711", "su.rifle.111": "1009"}
    assert ways_of(places, length=2) == {"0911 0910"}
    assert ways_of(places, length=2, retreat_distance=True) == {"0911 0811", "0911 0912"}


def test_R_26_where_it_is_asked_for_distance_ranks_after_losses() -> None:
    """9.5.2, R-26: Every hex two away is in a zone, 0910 and 0911 are not: with the option too the unit stays beside the combat hex without
    a loss; games of the earlier reading keep the distance first."""
    ring = {"su.rifle.1": "0908", "su.rifle.107": "0710", "su.rifle.111": "0712", "su.rifle.119": "0913"}
    places = {GERMAN: "1010", **EAST, **ring}
    assert ways_of(places, GERMAN, length=2, retreat_distance=True) == {"0910 0911", "0911 0910"}
    before = {"0910 0809", "0910 0810", "0911 0810", "0911 0811"}
    assert ways_of(places, GERMAN, length=2, retreat_distance=True, retreat_distance_first=True) == before


# --- which games are played by what -------------------------------------------------------------------------------------------


def test_new_games_are_played_by_the_original() -> None:
    """9.5.2, 9.5.4: A genesis made now names every one of these rulings, and all are off."""
    options = resolve(SWITCHES, {})
    assert [options[name] for name in EARLIER] == [False] * len(EARLIER)
    assert unnamed(SWITCHES, options) == ()


def test_a_genesis_older_than_the_rulings_keeps_what_it_was_played_by() -> None:
    """9.5.2, 9.5.4: Options of an older genesis, without these names: the earlier readings are in force."""
    genesis = Genesis.from_record(Bench().records[0])
    named = {name: value for name, value in genesis.options.items() if name not in EARLIER} | {"retreat_distance": True}
    older = evolve(genesis, options=named)
    state = RULES.initial(older)
    assert [state.option(name) for name in EARLIER] == [True] * len(EARLIER)
    assert in_force(SWITCHES, named) == {**named, **dict.fromkeys(EARLIER, True)}
    assert unnamed(SWITCHES, named) == ()
