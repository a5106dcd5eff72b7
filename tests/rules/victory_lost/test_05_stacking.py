"""Chapters 5 and 6: stacking and zones of control."""

import pytest

from tests.rules.victory_lost.battles import (
    EAST,
    GERMAN,
    ITALIAN,
    TANK,
    TANKS,
    attack,
    combat,
    lost,
)
from tests.rules.victory_lost.bench import RIFLE, Bench, board_t
from tests.rules.victory_lost.campaign import printed
from tests.rules.victory_lost.marches import ROAD, cost, moving
from warledger.engine.board.stacking import breach
from warledger.engine.games.victory_lost.reinforcements import entry_hexes

# --- 5.0 stacking ---------------------------------------------------------------------------------


def test_5_0_1_two_hqs_may_pass_but_not_end_together() -> None:
    """5.0.1 (E73): A hex with two units and an HQ is no place for another HQ to end, but it may
    pass through."""
    bench = Bench()
    bench.stand(
        {"su.rifle.1": "1011", "su.rifle.153": "1011", "su.hq.1gda": "1011", "su.hq.6a": "1010"}
    )
    bench.activate("soviet", "su.hq.6a")

    assert not bench.choices("soviet", "move", "su.hq.6a", "1011").complete
    assert bench.refused("soviet", "move", "su.hq.6a", "1011").key == "refusal.victory_lost.one_hq"
    assert "1012" in bench.reach("soviet", "move", "su.hq.6a")
    bench.do("soviet", "move", "su.hq.6a", "1013")
    assert bench.hexes("su.hq.6a") == ("1013",)


def test_5_0_1_R25_a_group_with_an_hq_goes_on_past_another_hq() -> None:
    """R-25, 5.0.1: The panzer division with 4PzA retreats by 0910, where R3A stands: one hex
    further; an HQ does not make it stop."""
    water = dict.fromkeys(("1009", "1011", "0911"), "~")
    places = {"ax.panzer.17": "1010", "ax.hq.4pza": "1010", "ax.hq.r3a": "0910", **EAST}
    bench = combat(places, bench=Bench(board_t(rows=water)))
    attack(bench, 5, "1010", *TANKS[:2])
    bench.do("axis", "retreat", "ax.panzer.17", "0910", "0809")

    assert bench.hexes("ax.panzer.17", "ax.hq.4pza", "ax.hq.r3a") == ("0809", "0809", "0910")


def test_5_0_1_an_hq_does_not_count_among_the_two_units() -> None:
    """5.0.1, 5.0.3: A Hungarian HQ may end with two Germans, not with a Romanian; two units may end
    with an HQ."""
    bench = Bench()
    bench.stand({"ax.hq.h2a": "1010", GERMAN: "1011", "ax.inf.294": "1011", "ax.ro.5": "1009"})
    moving(bench, "ax.hq.h2a", side="axis")
    assert bench.refused("axis", "move", "ax.hq.h2a", "1009").key == "refusal.victory_lost.nations"
    bench.do("axis", "move", "ax.hq.h2a", "1011")

    assert bench.hexes("ax.hq.h2a") == ("1011",)


def test_5_0_1_R12_past_a_full_hex_on_the_road() -> None:
    """R-12, 5.0.1: Passing friends is free; a strategic move does not end where two units stand."""
    bench = Bench(board_t(roads=(ROAD,)))
    bench.stand({TANK: "0110", RIFLE: "0510", "su.rifle.153": "0510"})
    moving(bench, TANK)

    assert (
        bench.refused("soviet", "move", TANK, "road", "0510").key
        == "refusal.victory_lost.two_units"
    )
    bench.do("soviet", "move", TANK, "road", "0609")
    assert bench.hexes(TANK) == ("0609",)


def test_5_0_1_a_third_unit_may_pass_but_not_end() -> None:
    """5.0.1: Two units fill a hex; a third may go through it."""
    bench = Bench()
    bench.stand({"su.rifle.1": "1011", "su.rifle.153": "1011", "su.rifle.195": "1010"})
    bench.activate("soviet", "su.rifle.195")

    assert not bench.choices("soviet", "move", "su.rifle.195", "1011").complete
    bench.do("soviet", "move", "su.rifle.195", "1011", "1012")
    assert bench.hexes("su.rifle.195") == ("1012",)


def test_5_0_2_no_hex_with_enemy_units() -> None:
    """5.0.2: A hex with an enemy unit cannot be entered."""
    bench = Bench()
    bench.stand({"su.rifle.1": "1010", "ax.inf.62": "1110"})
    bench.activate("soviet", "su.rifle.1")

    assert bench.refused("soviet", "move", "su.rifle.1", "1110").rule == "5.0.2"


def test_5_0_2_R31_cavalry_with_the_option_is_refused_for_the_enemy_not_for_the_distance() -> None:
    """R-31, 5.0.2: With the option cavalry may go two hexes; where an enemy unit stands the refusal
    is about him."""
    for option, rule in ((True, "5.0.2"), (False, "9.6.1")):
        places = {ITALIAN: "1010", GERMAN: "0910", "su.cav.3g": "1110", TANK: "1110"}
        bench = combat(places, reduced=[ITALIAN], cavalry_advance=option)
        attack(bench, 6, "1010", "su.cav.3g", TANK)
        assert bench.refused("soviet", "advance", "su.cav.3g", "1010", "0910").rule == rule


def test_5_0_2_a_lone_hq_is_the_only_enemy_ever_entered() -> None:
    """5.0.2 (E91): A hex with an enemy unit is closed to movement even when an HQ stands there too;
    with the HQ alone it is open."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", GERMAN: "1010", TANK: "1210"})
    bench.activate("soviet", TANK)
    assert "1010" not in bench.reach("soviet", "move", TANK)
    bench.stand({"ax.hq.4pza": "1010", TANK: "1210"})
    bench.activate("soviet", TANK)
    assert "1010" in bench.reach("soviet", "move", TANK)


@pytest.mark.parametrize(
    ("first", "second", "legal"),
    [
        ("ax.inf.62", "ax.it.cos", True),
        ("ax.it.cos", "ax.ro.5", False),
        ("ax.ro.5", "ax.ro.7", True),
        ("ax.hu.6", "ax.it.cos", False),
    ],
)
def test_5_0_3_axis_nations_stack_with_germans_alone(first: str, second: str, legal: bool) -> None:
    """5.0.3 (E92): Germans stack with all; Italians, Hungarians and Romanians with their own and
    Germans only."""
    data = Bench().state.data

    assert (
        breach(data.limits, [data.types[first].piece, data.types[second].piece]) is None
    ) == legal


def test_5_0_3_5_0_4_an_italian_passes_romanians_and_may_end_with_a_german() -> None:
    """5.0.3, 5.0.4: Through a hex of a Romanian it may go, not stay; where a German stands alone it
    may stay; with a German and a Romanian there are two units already (5.0.1)."""
    bench = Bench()
    bench.stand(
        {
            ITALIAN: "1010",
            "ax.ro.5": "1011",
            GERMAN: "1012",
            "ax.inf.294": "1013",
            "ax.ro.7": "1013",
        }
    )
    moving(bench, ITALIAN, side="axis")

    assert bench.refused("axis", "move", ITALIAN, "1011").key == "refusal.victory_lost.nations"
    assert "1012" in bench.options("axis", "move", ITALIAN, "1011")
    assert bench.refused("axis", "move", ITALIAN, "1013").key == "refusal.victory_lost.two_units"
    bench.do("axis", "move", ITALIAN, "1011", "1012")
    assert bench.hexes(ITALIAN) == ("1012",)


def test_5_0_3_a_move_may_not_end_with_another_minor_nation() -> None:
    """5.0.3: Nowhere to go on to behind a Romanian: the hex is not offered, and the refusal names
    the clause."""
    around = dict.fromkeys(("1012", "1111", "1112", "0911", "0912"), "~") | {"1011": "^"}
    bench = Bench(board_t(rows=around))
    bench.stand({"ax.it.cos": "1010", "ax.ro.5": "1011"}, supply={"ax.it.cos": 2})
    bench.activate("axis", "ax.it.cos")

    assert "1011" not in bench.reach("axis", "move", "ax.it.cos")
    assert bench.refused("axis", "move", "ax.it.cos", "1011").rule == "5.0.3"


def test_5_0_4_stacking_at_placement() -> None:
    """5.0.4, 5.0.1, 5.0.3: On the rails stand a Romanian, two Germans, and an HQ: which hexes are
    left for whom."""
    bench = Bench(board_t(rails=("0110 0209 0310 0409",)))
    places = {"ax.ro.5": "0110", GERMAN: "0209", "ax.inf.294": "0209", "ax.hq.r3a": "0310"}
    arriving = {"ax.panzer.19": "arriving", "ax.hq.kempf": "arriving", "ax.hu.6": "arriving"}
    bench.stand(places, turn=5, boxes=arriving)

    assert printed(bench, entry_hexes(bench.state, "ax.panzer.19")) == {"0110", "0310", "0409"}
    assert printed(bench, entry_hexes(bench.state, "ax.hq.kempf")) == {"0110", "0209", "0409"}
    assert printed(bench, entry_hexes(bench.state, "ax.hu.6")) == {"0409"}


# --- 6.0 zones of control -------------------------------------------------------------------------


def test_6_0_1_zones_cover_the_six_neighbours() -> None:
    """6.0.2: 6.0.1: A unit exerts a zone around it, over rivers too, not into water nor across
    impassable hexsides; an HQ has none."""
    bench = Bench(
        board_t(rows={"1009": "~"}, rivers={"major": "1010-1110"}, impassable="1010-1011")
    )
    bench.stand({"su.rifle.1": "1010", "su.hq.1gda": "0510"})
    field, data = bench.state.field, bench.state.data

    in_zone = {data.name(i) for i in range(len(data.board.grid)) if field.in_enemy_zone("axis", i)}
    assert in_zone == {"1110", "1111", "0911", "0910"}


def test_6_0_1_R39_no_zone_reaches_into_the_pocket_nor_out_of_play() -> None:
    """R-39, 6.0.1: A unit beside the pocket has no zone in it through turn 4, and from turn 5 it
    has."""
    for turn, zone in ((4, False), (5, True)):
        bench = Bench(board_t(pocket="1110"))
        bench.stand({GERMAN: "1010"}, turn=turn)
        assert bench.state.field.in_enemy_zone("soviet", bench.state.data.hex("1110")) is zone


def test_6_0_1_R47_who_is_eliminated_has_no_zone_any_more() -> None:
    """R-47: "A2" finishes a lone tank corps: the hexes around it are free at once for what happens
    later in the step."""
    bench = combat({"ax.inf.336": "1010", TANK: "1110", RIFLE: "1510", ITALIAN: "1610"})
    assert bench.state.field.in_enemy_zone("axis", bench.state.data.hex("1109"))
    attack(bench, 1, "1010", TANK)

    assert lost(bench)[1] == [TANK]
    assert not bench.state.field.in_enemy_zone("axis", bench.state.data.hex("1109"))


def test_6_0_1_a_lone_hq_has_no_zone_but_stops_a_column_only_by_its_hex() -> None:
    """6.0.1, 8.2.1: Past a lone HQ a unit moves at 1 point a hex."""
    bench = Bench()
    bench.stand({RIFLE: "1110", "ax.hq.4pza": "1010"})

    assert cost(bench, RIFLE, "1009", "0910", "0911", "1011") == 8


def test_6_0_3_zones_count_once() -> None:
    """6.0.3: Two units next to a hex make it no dearer than one."""
    bench = Bench()
    bench.stand({"su.tank.18": "1010", "ax.inf.62": "1210", "ax.inf.294": "1209"})
    bench.activate("soviet", "su.tank.18")
    events = bench.do("soviet", "move", "su.tank.18", "1110")

    assert events[0].left == 14 - 6
