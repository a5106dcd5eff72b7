"""7.3 HQs: whom they activate, and their command range."""

import pytest

from tests.rules.victory_lost.battles import GERMAN, ITALIAN, TANK
from tests.rules.victory_lost.bench import Bench, board_t
from tests.rules.victory_lost.commands import MANSTEINS, with_cup
from tests.rules.victory_lost.marches import moving
from warledger.engine.games.victory_lost.command import in_range


def test_7_3_2_enemies_do_not_block_range() -> None:
    """7.3.2 (E38): Enemy units and zones on the way do not matter; units stacked with the HQ are in
    range."""
    bench = Bench()
    enemies = {"ax.inf.62": "1110", "ax.inf.294": "1111", "ax.inf.298": "1109"}
    bench.stand({"su.hq.6a": "1010", "su.rifle.1": "1310", "su.rifle.153": "1010", **enemies})

    assert in_range(bench.state, "su.hq.6a") == ("su.rifle.1", "su.rifle.153")


def test_7_3_2_R07_manstein_activates_only_an_hq_on_the_map() -> None:
    """R-07: Any Axis HQ on the map, not 1st Panzer Army in its box; with none on the map and
    nothing to decline the chit is used up."""
    bench = Bench()
    bench.stand({"ax.hq.r3a": "1010", "ax.ro.5": "1010"}, boxes={"ax.hq.1pza": "box.1pza"})
    with_cup(bench, MANSTEINS[:1], ())
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    assert bench.options("axis", "activate") == ("ax.hq.r3a",)
    assert bench.refused("axis", "activate", "ax.hq.1pza").rule == "7.2.2"

    bench.stand({}, turn=2)
    with_cup(bench, MANSTEINS[:1], ())
    bench.draws(0, 0)
    bench.jump("set_up_first", "command_phase", "executions")
    assert set(bench.options("axis")) == {"pass", "decline"}
    events = bench.do("axis", "decline")
    assert [event.tag for event in events][:3] == ["returned", "drawn", "used"]


def test_7_3_2_R07_manstein_activates_an_hq_that_was_activated_already() -> None:
    """R-07, 7.3.2: 4PzA's own chit, then Manstein on 4PzA: the same division moves twice in one
    turn."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "ax.panzer.6": "1011"}, turn=3)
    with_cup(bench, ("chit.ax.4pza", MANSTEINS[0]), ())
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("axis", "move", "ax.panzer.6", "1014")
    bench.draws(0)
    bench.do("axis", "done")
    assert bench.asked() == {"axis": "prompt.victory_lost.manstein"}
    bench.do("axis", "activate", "ax.hq.4pza")
    bench.do("axis", "move", "ax.panzer.6", "1018")

    assert bench.hexes("ax.panzer.6") == ("1018",)


def test_7_3_2_a_unit_may_be_activated_twice() -> None:
    """7.2.1, 7.3.1 (E40): 7.3.2: A unit in range of 1GdA is activated by its chit, and again by
    STAVKA, and may move both times."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1011"})
    with_cup(bench, (), ("chit.su.1gda", "chit.su.stavka"))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("soviet", "move", "su.rifle.1", "1012")
    bench.draws(0)
    bench.do("soviet", "done")
    assert bench.state.cup.in_hand == "chit.su.stavka"
    bench.do("soviet", "move", "su.rifle.1", "1013")

    assert bench.hexes("su.rifle.1") == ("1013",)


def test_7_3_3_range_4_reaches_four_hexes() -> None:
    """7.3.3 (E36): Range 4 reaches units 4 hexes away and no further."""
    bench = Bench()
    bench.stand(
        {
            "su.hq.6a": "1010",
            "su.rifle.1": "1014",
            "su.rifle.153": "1410",
            "su.rifle.195": "1406",
            "su.rifle.127": "1508",
        }
    )

    assert in_range(bench.state, "su.hq.6a") == ("su.rifle.1", "su.rifle.153")


def test_7_3_3_out_of_range_it_still_fights() -> None:
    """7.3.3: A unit that has moved out of its HQ's range is still activated in the Combat Step."""
    bench = Bench()
    bench.stand({TANK: "1010", "su.hq.6a": "1110", ITALIAN: "0409"})
    moving(bench, TANK)
    bench.do("soviet", "move", TANK, "0510")
    bench.jump("set_up_first", "activation", "combat_step")

    assert bench.options("soviet", "attack") == ("0409",)


def test_7_3_3_the_hqs_own_hex_and_its_range() -> None:
    """7.3.3, R-09 (E35): Units with the HQ and up to its range are activated, one hex further not;
    other HQs never."""
    bench = Bench()
    bench.stand(
        {
            "su.hq.6a": "1010",
            "su.rifle.1": "1010",
            "su.rifle.153": "1014",
            "su.rifle.195": "1015",
            "su.hq.1gda": "1011",
            GERMAN: "1009",
        },
        turn=1,
    )
    bench.jump("set_up_first", "special_combat")
    events = bench.do("soviet", "activate", "su.hq.6a")

    assert events[0].tag == "activated"
    assert (events[0].hqs, events[0].units) == (("su.hq.6a",), ("su.rifle.1", "su.rifle.153"))


def test_7_3_4_range_ends_beyond_a_major_river() -> None:
    """7.3.4 (E37): R-09: the far bank is in range, the hex behind it is not; a bridge makes no
    difference."""
    line = (
        " ".join(f"12{row:02}-13{row:02} 12{row:02}-13{row + 1:02}" for row in range(1, 20))
        + " 1220-1320"
    )
    for bridges in ("", line):
        bench = Bench(board_t(rivers={"major": line}, bridges=bridges))
        bench.stand({"su.hq.6a": "1010", "su.rifle.1": "1311", "su.rifle.153": "1411"})

        assert in_range(bench.state, "su.hq.6a") == ("su.rifle.1",)


def test_7_3_4_range_goes_round_a_lake() -> None:
    """7.3.4: Water in 1009, 0910 and 1110: the way from 1010 to 1008 is 0911 0810 0809 0909 1008,
    five hexes: range 5, not 4."""
    bench = Bench(board_t(rows=dict.fromkeys(("1009", "0910", "1110"), "~")))
    bench.stand({"su.hq.6a": "1010", "su.rifle.1": "1008"})
    assert in_range(bench.state, "su.hq.6a") == ()

    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1008"})
    assert in_range(bench.state, "su.hq.1gda") == ("su.rifle.1",)


def test_7_3_4_range_not_across_an_impassable_hexside() -> None:
    """7.3.4, R-48: The hexside between 1010 and 1110 is barred: 1110 is two hexes away, by 1009 or
    1111."""
    bench = Bench(board_t(impassable="1010-1110"))
    bench.stand({"su.hq.6a": "1010"})
    data = bench.state.data

    assert data.hex("1110") not in data.in_range(data.hex("1010"), 1)
    assert data.hex("1110") in data.in_range(data.hex("1010"), 2)


def test_7_3_4_R09_an_hq_in_a_bend_of_the_don() -> None:
    """R-09: 1010 has the river on all six sides: whatever its range, only its own hex and the six
    next to it are in range."""
    ring = "1009-1010 1010-1110 1010-1111 1010-1011 0911-1010 0910-1010"
    bench = Bench(board_t(rivers={"major": ring}, bridges=ring))
    places = {
        "su.hq.2gda": "1010",
        "su.rifle.1": "1010",
        "su.rifle.153": "1110",
        "su.rifle.195": "1210",
        TANK: "1012",
    }
    bench.stand(places)

    assert in_range(bench.state, "su.hq.2gda") == ("su.rifle.1", "su.rifle.153")


def test_7_3_4_R09_from_outside_the_bend_only_its_hex_and_not_through_it() -> None:
    """R-09: A unit in the bend is in range of an HQ next to it; one behind the bend is reached
    round it, a hex further than straight."""
    ring = "1009-1010 1010-1110 1010-1111 1010-1011 0911-1010 0910-1010"
    bench = Bench(board_t(rivers={"major": ring}))
    data = bench.state.data
    start = data.hex("1110")

    assert data.hex("1010") in data.in_range(start, 1)
    # straight 1110 1010 0911 is two hexes; round the bend 1110 1111 1011 0911 is three
    assert data.hex("0911") not in data.in_range(start, 2)
    assert data.hex("0911") in data.in_range(start, 3)


def test_7_3_4_minor_rivers_do_not_matter() -> None:
    """R-09: A minor river on every side of the HQ takes nothing from its range."""
    ring = "1009-1010 1010-1110 1010-1111 1010-1011 0911-1010 0910-1010"
    bench = Bench(board_t(rivers={"minor": ring}))
    bench.stand({"su.hq.6a": "1010", "su.rifle.1": "1014"})

    assert in_range(bench.state, "su.hq.6a") == ("su.rifle.1",)


def test_7_3_5_minor_hqs_command_their_own_and_germans() -> None:
    """7.3.5: A Romanian HQ activates Romanians and Germans; a German HQ all; HQs activate no
    HQs."""
    bench = Bench()
    bench.stand(
        {
            "ax.hq.r3a": "1010",
            "ax.hq.4pza": "1011",
            "ax.ro.5": "1009",
            "ax.it.cos": "1110",
            "ax.inf.62": "0910",
        }
    )

    assert in_range(bench.state, "ax.hq.r3a") == ("ax.inf.62", "ax.ro.5")
    assert in_range(bench.state, "ax.hq.4pza") == ("ax.inf.62", "ax.it.cos", "ax.ro.5")


def test_7_3_5_R07_manstein_with_an_italian_hq() -> None:
    """R-07, 7.3.5: Manstein on It8A: Italians and Germans in range, not the Romanian that stands
    with the German, nor another HQ."""
    bench = Bench()
    places = {
        "ax.hq.it8a": "1010",
        ITALIAN: "1012",
        GERMAN: "1011",
        "ax.ro.5": "1011",
        "ax.hu.6": "0910",
        "ax.hq.hollidt": "1009",
    }
    bench.stand(places, turn=3)
    with_cup(bench, MANSTEINS[:1], ())
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("axis", "activate", "ax.hq.it8a")

    assert bench.options("axis", "move") == ("ax.hq.it8a", GERMAN, ITALIAN)
    assert bench.refused("axis", "move", "ax.ro.5").rule == "7.3.2"
    assert bench.refused("axis", "move", "ax.hq.hollidt").rule == "7.3.2"


def test_7_3_5_minor_hqs_activate_their_own_and_germans() -> None:
    """7.3.5 (E39): A Romanian HQ under Manstein activates Romanians and Germans, no Italians and
    Hungarians; a German one all."""
    from warledger.engine.games.victory_lost.command import in_range

    bench = Bench()
    units = {"ax.ro.5": "1011", "ax.inf.62": "1012", "ax.it.cos": "1009", "ax.hu.6": "0910"}
    bench.stand({"ax.hq.r3a": "1010", **units})
    assert in_range(bench.state, "ax.hq.r3a") == ("ax.inf.62", "ax.ro.5")

    bench.stand({"ax.hq.4pza": "1010", **units})
    assert in_range(bench.state, "ax.hq.4pza") == tuple(sorted(units))


@pytest.mark.parametrize(
    ("hq", "own"),
    [
        ("ax.hq.it8a", ("ax.it.cos",)),
        ("ax.hq.h2a", ("ax.hu.6",)),
        ("ax.hq.r3a", ("ax.ro.5",)),
        ("ax.hq.sspz", ("ax.hu.6", "ax.it.cos", "ax.ro.5")),
    ],
)
def test_7_3_5_each_hq_activates_its_nation_and_germans(hq: str, own: tuple[str, ...]) -> None:
    """7.3.5, 7.3.2: Italian, Hungarian and Romanian HQs activate their own and Germans, a German
    one everybody; no HQ another HQ."""
    bench = Bench()
    others = {
        "ax.it.cos": "1009",
        "ax.hu.6": "0910",
        "ax.ro.5": "1011",
        GERMAN: "1012",
        "ax.hq.kempf": "1110",
    }
    bench.stand({hq: "1010", **others})

    assert in_range(bench.state, hq) == tuple(sorted((*own, GERMAN)))
