"""11.2 Entry from the off-map boxes."""

from tests.rules.victory_lost.battles import attack, column
from tests.rules.victory_lost.bench import RIFLE, Bench, board_t
from tests.rules.victory_lost.campaign import RAIL, entering
from tests.rules.victory_lost.commands import with_cup


def test_11_2_1_armies_go_to_their_boxes() -> None:
    """11.2.1: 1st Panzer Army is received in its box on turn 4 with its chit."""
    bench = Bench(board_t(rails=(RAIL, "2010 1910 1810")))
    bench.stand({"ax.inf.62": "0510"}, turn=4)
    bench.jump("set_up_first", "reinforcement_segment", "receive")

    assert bench.hexes("ax.hq.1pza", "ax.panzer.3", "ax.inf.50") == ("box.1pza",) * 3


def test_11_2_2_the_box_enters_at_the_first_activation() -> None:
    """11.2.2: Each counter must enter; the entry hex is paid by its terrain, then the counter moves
    on (R-37)."""
    bench = Bench()
    box = dict.fromkeys(("su.hq.28a", "su.rifle.34g"), "box.28a")
    bench.stand({"su.rifle.1": "1010"}, turn=2, boxes=box)
    bench.activate("soviet", "su.hq.28a", "su.rifle.34g", box="box.28a")
    assert set(bench.options("soviet", "move", "su.rifle.34g")) == {"1720", "1820"}
    assert bench.refused("soviet", "done").rule == "11.2.2"
    events = bench.do("soviet", "move", "su.rifle.34g", "1720", "1718")
    assert events[0].path == ("box.28a", "1720", "1719", "1718")
    assert events[0].left == 2
    assert bench.refused("soviet", "move", "su.hq.28a", "1010").rule == "11.2.2"
    bench.do("soviet", "move", "su.hq.28a", "1820")

    assert bench.hexes("su.rifle.34g", "su.hq.28a") == ("1718", "1820")


def test_11_2_2_strategic_entry_by_a_road() -> None:
    """11.2.2: With a road in the entry hex a counter may enter at the strategic rate."""
    bench = Bench(board_t(roads=("1720 1719 1718 1717",)))
    bench.stand({}, turn=2, boxes={"su.rifle.34g": "box.28a"})
    bench.activate("soviet", "su.rifle.34g", box="box.28a")
    events = bench.do("soviet", "move", "su.rifle.34g", "road", "1720", "1717")

    assert events[0].left == 4


def test_11_2_2_R37_what_cannot_enter_from_the_box_is_eliminated() -> None:
    """R-37: Enemy units in every entry hex: the unit is eliminated, the HQ removed with its
    chit."""
    bench = Bench()
    box = dict.fromkeys(("su.hq.28a", "su.tank.12"), "box.28a")
    bench.stand({"ax.inf.62": "1720", "ax.inf.294": "1820"}, turn=2, boxes=box)
    bench.activate("soviet", "su.hq.28a", "su.tank.12", box="box.28a")

    assert bench.hexes("su.hq.28a", "su.tank.12") == ("removed", "eliminated")
    assert bench.state.score["axis"] == 26


def test_11_2_2_R37_entry_into_a_zone() -> None:
    """R-37, 8.2.1: 1720 is in a German's zone: 1 + 2 of 4 points, and the one left does not leave
    it; 1820 costs 1, three are left."""
    bench = entering(ax_inf_62="1719")
    assert bench.options("soviet", "move", "su.rifle.34g", "1720") == ()
    assert bench.refused("soviet", "move", "su.rifle.34g", "1720", "1820").rule == "8.1.2"
    events = bench.do("soviet", "move", "su.rifle.34g", "1820")

    assert (events[0].path, events[0].left) == (("box.28a", "1820"), 6)


def test_11_2_2_after_the_entry_hex_refusals_speak_of_the_way() -> None:
    """11.2.2: A hex beside no box is no entry; a hex beyond one's points after a good entry is
    refused for the points (8.1.2)."""
    bench = entering()

    assert bench.refused("soviet", "move", "su.rifle.34g", "1710").rule == "11.2.2"
    assert bench.refused("soviet", "move", "su.rifle.34g", "1720", "1710").rule == "8.1.2"
    assert bench.refused("soviet", "move", "su.rifle.34g", "road", "1720").rule == "8.3.1"


def test_11_2_2_an_enemy_in_an_entry_hex() -> None:
    """5.0.2: An enemy unit in the entry hex bars it: the refusal is about him, not about the
    box."""
    bench = entering(ax_inf_62="1720")

    assert bench.refused("soviet", "move", "su.rifle.34g", "1720").rule == "5.0.2"


def test_11_2_2_strategic_entry_and_on_along_the_road() -> None:
    """11.2.2, 8.3.1: By road into 1820 for half a point and on, 8 hexes in all: to the road's end,
    7 of them on it."""
    bench = entering()
    events = bench.do("soviet", "move", "su.rifle.34g", "road", "1820", "1814")

    assert (events[0].path[-1], events[0].left) == ("1814", 1)


def test_11_2_2_R37_the_box_fights_on_the_turn_it_enters() -> None:
    """R-37: Having entered, the division attacks in the Combat Step of the same activation."""
    bench = entering(ax_it_rav="1718")
    bench.do("soviet", "move", "su.rifle.34g", "1720", "1719")
    bench.do("soviet", "move", "su.hq.28a", "1820")
    assert bench.asked() == {"soviet": "prompt.victory_lost.combat"}
    attack(bench, 1, "1718", "su.rifle.34g")

    assert column(bench) == "2-1"


def test_11_2_2_R37_no_entry_but_through_the_enemy() -> None:
    """R-37, R-36: Both entry hexes in zones and held: the panzer divisions of the box score as
    lost, 1PzA is removed with its chit."""
    bench = Bench()
    box = dict.fromkeys(("ax.hq.1pza", "ax.panzer.3", "ax.inf.50"), "box.1pza")
    bench.stand({RIFLE: "0320", "su.rifle.153": "0420"}, turn=5, boxes=box)
    bench.activate("axis", *box, box="box.1pza", chit="chit.ax.1pza")

    assert bench.hexes(*box) == ("removed", "eliminated", "eliminated")
    assert bench.state.score["soviet"] == 4


def test_11_2_3_the_hq_in_the_box_commands_nobody_on_the_map() -> None:
    """11.2.3: Units beside the entry hexes are not activated when 28A is in its box; on a later
    turn, on the map, it activates them."""
    box = dict.fromkeys(("su.hq.28a", "su.rifle.34g"), "box.28a")
    bench = Bench()
    bench.stand({"su.rifle.1": "1720", "su.hq.1gda": "1010"}, turn=2, boxes=box)
    with_cup(bench, (), ("chit.su.28a",))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    assert bench.state.activation is not None
    assert (bench.state.activation.hqs, bench.state.activation.units) == (
        ("su.hq.28a",),
        ("su.rifle.34g",),
    )

    bench.stand(
        {"su.rifle.1": "1720", "su.hq.1gda": "1010", "su.hq.28a": "1718", "su.rifle.34g": "1717"},
        turn=3,
    )
    with_cup(bench, (), ("chit.su.28a",))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    assert bench.state.activation is not None
    assert bench.state.activation.units == ("su.rifle.1", "su.rifle.34g")
