"""Chapters 1 and 2: scale, calculation, and what is on map and counters."""

import pytest

from tests.rules.chit_bench import source
from tests.rules.victory_lost.battles import GERMAN, ITALIAN, TANK, combat, strengths
from tests.rules.victory_lost.bench import NORTH_EAST, RIFLE, Bench, board_t, real_pack
from tests.rules.victory_lost.marches import cost
from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.games.victory_lost.odds import assess, attack_strength, defence_strength
from warledger.engine.games.victory_lost.rules import RULES
from warledger.engine.games.victory_lost.supply import in_supply

# --- 1.0 introduction -----------------------------------------------------------------------------


def test_1_0_both_sides_are_the_seats() -> None:
    """1.0: Two players, the Axis and the Soviets."""
    assert RULES.seats == SIDES == ("axis", "soviet")


# --- 1.1 scale ------------------------------------------------------------------------------------


def test_1_1_a_hex_is_13_km_and_a_game_nine_turns() -> None:
    """1.0, 1.1: two sides, 13 km a hex, nine turns; Soviet mechanized and cavalry units are
    corps."""
    pack = real_pack()
    data = Bench(pack).state.data

    assert pack["map"]["grid"]["hex_km"] == "13.0"
    assert data.last_turn == 9
    assert {type_.side for type_ in data.types.values()} == {"axis", "soviet"}
    assert all(
        "Corps" in unit["long_name"]
        for unit in pack["counters"]["units"]
        if unit["side"] == "soviet" and unit["type"] != "rifle"
    )


# --- 1.2 components -------------------------------------------------------------------------------


def test_1_2_the_pack_holds_every_component() -> None:
    """1.2: The pack holds 156 units, 17 HQs and 20 chits on a map of 65 by 39 hexes."""
    data = Bench(real_pack()).state.data

    assert sum(not type_.hq for type_ in data.types.values()) == 156
    assert sum(type_.hq for type_ in data.types.values()) == 17
    assert len(data.chits) == 20
    assert len(data.board.grid) == 65 * 39


# --- 1.3 calculation ------------------------------------------------------------------------------


def test_1_3_halves_and_quarters_round_down() -> None:
    """1.3 (E14): Half of 5 is 2, a quarter of 3 is 0."""
    assert strengths({"su.tank.1": "1110"}, "1010-1110") == 2
    assert strengths({"su.rifle.1": "1110"}, "1010-1110", {"su.rifle.1": 1}) == 0


def test_1_3_add_before_dividing() -> None:
    """1.3, 9.3.1 (E15): Two surrounded defenders of 5 and 4 defend with 4, not with 2 + 2 and never
    with 5."""
    bench = combat(
        {"ax.inf.336": "1010", GERMAN: "1010", TANK: NORTH_EAST},
        supply={"ax.inf.336": 2, GERMAN: 2},
    )

    assert defence_strength(bench.state, ("ax.inf.336", GERMAN)) == 4


@pytest.mark.parametrize(
    ("places", "supply", "expected"),
    [
        ({RIFLE: "1110", "su.rifle.14g": "1110"}, {RIFLE: 1, "su.rifle.14g": 1}, 1),  # 7/4
        ({RIFLE: "1110", "su.rifle.14g": "1111"}, {RIFLE: 1, "su.rifle.14g": 1}, 1),  # 3/4 + 4/4
        ({"su.mech.1g": "1110", TANK: "1110"}, {"su.mech.1g": 2, TANK: 2}, 3),  # 13/4
        ({"su.mech.1g": "1110", TANK: "1111"}, {"su.mech.1g": 2, TANK: 2}, 2),  # 7/4 + 6/4
        (
            {"su.mech.1g": "1110", TANK: "1009"},
            {"su.mech.1g": 1, TANK: 1},
            4,
        ),  # 7/4 across, 6/2 not
        ({"su.mech.1g": "1009", TANK: "1009"}, {"su.mech.1g": 1, TANK: 2}, 6),  # 13/2, no river
        ({"su.mech.1g": "1110", TANK: "1110", RIFLE: "1111"}, {}, 7),  # 13/2 + 3/2
        ({"su.mech.1g": "1110", TANK: "1110"}, {TANK: 1}, 4),  # 7/2 + 6/4
    ],
)
def test_1_3_9_3_1_halves_and_quarters(
    places: dict[str, str], supply: dict[str, int], expected: int
) -> None:
    """1.3, 9.3.1, 10.2.2, 10.2.3, R-20: Across a river in the east, out of supply, surrounded:
    added by hex, divided by 2 or 4 once."""
    assert strengths(places, "1010-1110 1010-1111", supply) == expected


# --- 2.1 map --------------------------------------------------------------------------------------


def test_2_1_1_the_map_has_set_up_hexes_boxes_and_a_turn_track() -> None:
    """2.0, 2.1, 2.1.1: every colour has its hexes, both armies their boxes, and waiting counters
    stand on the turn track."""
    bench = Bench(real_pack())
    data = bench.state.data

    assert all(group.hexes and group.units for group in data.groups)
    assert set(data.boxes) == {"box.1pza", "box.28a"}
    assert bench.board.pieces["ax.inf.302"].place == "turn.2"


def test_2_1_2_sources_by_turn() -> None:
    """2.1.2: A source counts from its turn on."""
    bench = Bench(board_t(sources=(source("axis", "0110", from_turn=5), source("soviet", "2010"))))
    bench.stand({"ax.inf.62": "1010"}, turn=4)
    assert not in_supply(bench.state, "ax.inf.62")

    bench.stand({"ax.inf.62": "1010"}, turn=5)
    assert in_supply(bench.state, "ax.inf.62")


def test_2_1_3_a_road_or_railway_over_a_river_is_a_bridge() -> None:
    """2.1.3: just those river hexsides are bridged that a road or railway crosses."""
    board = Bench(real_pack()).state.data.board

    crossed = {
        at
        for at, river in enumerate(board.sides.river)
        if river and (board.links["road"][at] or board.links["rail"][at])
    }
    assert crossed == {at for at, bridged in enumerate(board.sides.bridged) if bridged}


def test_2_1_3_a_road_or_railway_over_a_river_is_a_bridge_without_saying_so() -> None:
    """2.1.3, 8.1.3: A minor river under a road, and under a railway, costs nothing more; a Don
    under a railway does not stop."""
    rivers = {"minor": "1010-1110 1012-1112", "major": "1014-1114"}
    bench = Bench(board_t(rivers=rivers, roads=("1010 1110",), rails=("1012 1112", "1014 1114")))
    bench.stand({TANK: "1010"})
    assert cost(bench, TANK, "1110") == 2
    bench.stand({TANK: "1012"})
    assert cost(bench, TANK, "1112") == 2
    bench.stand({TANK: "1014"})
    assert cost(bench, TANK, "1114", "1214") == 4


# --- 2.2 units ------------------------------------------------------------------------------------


def test_2_2_1_units_show_nation_and_factors() -> None:
    """2.2.1, 2.2.2, 2.2.3: nation by colour; mechanized units may differ in attack and defence,
    others do not; one face or two."""
    data = Bench(real_pack()).state.data
    units = [type_ for type_ in data.types.values() if not type_.hq]

    assert {type_.nation for type_ in units} == {
        "german",
        "italian",
        "hungarian",
        "romanian",
        "soviet",
    }
    assert all(type_.full[0] == type_.full[1] for type_ in units if not type_.mech)
    assert data.types["ax.lw.7"].reduced is None
    assert data.types["su.tank.18"].reduced == (3, 2)


def test_2_2_2_mechanized_units_have_two_strengths() -> None:
    """2.2.2 (E22): A mechanized [6,4] and a non-mechanized [3,3] together attack with 9 and defend
    with 7; reduced ones show the other face."""
    bench = Bench()
    stack = (TANK, "su.rifle.1")
    bench.stand({**dict.fromkeys(stack, "1010"), ITALIAN: "1110"})
    found = assess(bench.state, stack, bench.state.data.hex("1110"), (ITALIAN,))
    assert (found.attack, defence_strength(bench.state, stack)) == (9, 7)
    bench.stand({**dict.fromkeys(stack, "1010"), ITALIAN: "1110"}, reduced=stack)
    assert (
        attack_strength(bench.state, stack, bench.state.data.hex("1110")),
        defence_strength(bench.state, stack),
    ) == (4, 3)


def test_2_2_3_all_units_enter_full() -> None:
    """2.2.3: every unit begins on its full face, and a reduced one shows its other strengths."""
    bench = Bench()
    assert not any(counter.reduced for counter in bench.state.counters.values())

    bench.stand({"su.tank.18": "1010"}, reduced=("su.tank.18",))
    assert bench.state.strength("su.tank.18") == (3, 2)


# --- 2.3 hQs --------------------------------------------------------------------------------------


def test_2_3_1_hqs_do_not_attack() -> None:
    """R-15: an HQ is not a unit."""
    bench = combat({ITALIAN: "1010", TANK: "1110", "su.hq.1gda": "1110"})
    assert bench.options("soviet", "attack", "1010") == (TANK,)
    assert (
        bench.refused("soviet", "attack", "1010", "su.hq.1gda").key
        == "refusal.victory_lost.hq_attacks"
    )


def test_2_3_2_hqs_have_a_range_and_no_strength() -> None:
    """2.3, 2.3.1, 2.3.2: an HQ has a command range and an allowance, but neither strength nor
    points."""
    data = Bench(real_pack()).state.data

    hqs = [type_ for type_ in data.types.values() if type_.hq]
    assert all(
        type_.range and type_.move and type_.full == (0, 0) and not type_.points for type_ in hqs
    )


# --- 2.4 command chits ----------------------------------------------------------------------------


def test_2_4_one_chit_for_each_hq() -> None:
    """2.4: one chit an HQ, two Manstein chits and STAVKA."""
    data = Bench(real_pack()).state.data

    assert sorted(chit.hq for chit in data.chits.values() if chit.kind == "hq") == sorted(
        n for n, type_ in data.types.items() if type_.hq
    )
    assert sorted(chit.kind for chit in data.chits.values() if chit.kind != "hq") == [
        "manstein",
        "manstein",
        "stavka",
    ]


# --- 2.5 markers ----------------------------------------------------------------------------------


def test_2_5_markers_are_shown_to_all() -> None:
    """2.5: turn, control, supply and what is activated are shown to all."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical")
    assert bench.board.tracks["turn"] == 1
    assert bench.board.marks["1110", "control.axis"] == 1

    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    bench.draws(0)
    bench.do("soviet", "pass")
    assert bench.state.activation is not None
    marked = {name for name, marker in bench.board.marks if marker == "activated"}
    assert marked == {*bench.state.activation.hqs, *bench.state.activation.units}
