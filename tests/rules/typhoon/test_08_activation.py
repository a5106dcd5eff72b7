"""8.0 Activation and range."""

from tests.rules.typhoon.battles import INFANTRY, RIFLES3, RIFLES4
from tests.rules.typhoon.bench import INF, PZ, RIFLE, Bench, board_t
from tests.rules.typhoon.commands import HQ2, draw, go, table
from tests.rules.typhoon.marches import RING_SIDES
from warledger.engine.games.typhoon.activation import Activated, in_range
from warledger.engine.games.typhoon.combat import Fought

# --- 8.1 ------------------------------------------------------------------------------------------


def test_8_1_everybody_in_range_R16() -> None:
    """8.0, 8.1(1), 8.1(2), 8.1(4), 8.2, 8.2(1), 8.2(2), R-16, 13.0(1), 2.22-3 The HQ and every
    friendly unit within four hexes, but no other HQ (example 68): over lakes, through enemies and
    EZOC."""
    bench = Bench(board_t(rows={"0810": "L", "0710": "L", "0711": "L"}))
    bench.stand(
        {
            HQ2: "0610",
            "ax.hq.2a": "0611",
            "ax.inf.5": "1010",
            "ax.inf.35": "1110",
            "su.rifle.133": "0910",
            "ax.panzer.1": "0606",
        }
    )
    bench.chits(("chit.ax.2pza",), ())
    draw(bench, "chit.ax.2pza")
    go(bench)
    (event,) = bench.happened(Activated)
    assert event.units == ("ax.hq.2pza", "ax.inf.5", "ax.panzer.1")
    assert bench.refused("axis", "move", "ax.hq.2a").rule == "8.1(4)"
    assert bench.refused("axis", "move", "ax.inf.35").rule == "8.2(2)"


# --- 8.2 ------------------------------------------------------------------------------------------


def test_8_2_range_four_reaches_the_fourth_hex() -> None:
    """8.2, 8.2(4) Four hexes away is in range, five is not; the HQ itself is activated, another HQ
    is not (R-16)."""
    bench = Bench(board_t(rows={"1008": "L", "1007": "L"}))
    bench.stand(
        {
            HQ2: "1010",
            INFANTRY[0]: "1006",
            INFANTRY[1]: "1005",
            "ax.hq.2a": "1009",
            RIFLES3[0]: "1011",
        }
    )
    assert in_range(bench.state, HQ2) == tuple(sorted((HQ2, INFANTRY[0])))


def test_8_2_1_activated_units_fight_beyond_the_range() -> None:
    """8.2(1), 8.2(3), 10.1(2) A panzer division four hexes from its HQ moves three more and attacks
    there; one out of range when the chit came neither moves nor joins the attack, though it stands
    beside the target."""
    bench = table(("chit.ax.2pza",), places={PZ: "0705", INF: "1103", RIFLE: "1104"}, turn=1)
    draw(bench, "chit.ax.2pza")
    go(bench)
    assert bench.refused("axis", "move", INF, "1102").rule == "8.2(2)"
    bench.do("axis", "move", PZ, "0804", "0904", "1004")
    bench.do("axis", "done")
    assert bench.refused("axis", "attack", "1104", INF).rule == "10.1(2)"
    bench.dice(3)
    draw(bench, "chit.supply")
    bench.do("axis", "attack", "1104", PZ)
    assert [(event.column, event.result) for event in bench.happened(Fought)] == [("2-1", "-")]


def test_8_2_3_range_is_measured_once() -> None:
    """8.2(1), 8.2(3), 8.1(3) Who is activated stays so when the HQ has moved away; each moves once
    and fights once."""
    bench = table(("chit.ax.2pza",), places={"ax.inf.5": "0705"})
    draw(bench, "chit.ax.2pza")
    go(bench)
    bench.do("axis", "move", HQ2, "0103")
    bench.do("axis", "move", "ax.inf.5", "0706")
    assert bench.hexes("ax.inf.5") == ("0706",)


def test_8_2_4_nothing_stops_a_range() -> None:
    """8.2, 8.2(4) Across an unbridged major river, a deep forest, a lake, enemies and their zones,
    and without a LOC, four hexes are in range; five are not."""
    board = board_t(
        rivers={"major": RING_SIDES + " 1010-1110 1010-1111 0911-1010 0910-1010"},
        rows={"1108": "F", "1008": "L", "1007": "F"},
    )
    bench = Bench(board)
    bench.stand(
        {
            HQ2: "1010",
            INFANTRY[0]: "1006",
            INFANTRY[1]: "1005",
            RIFLES3[0]: "1009",
            RIFLES3[1]: "1109",
            RIFLES3[2]: "0908",
            RIFLES4[0]: "1107",
            RIFLES4[1]: "0907",
        }
    )
    assert not bench.state.field.has_loc("axis", bench.state.at(INFANTRY[0]))
    assert in_range(bench.state, HQ2) == tuple(sorted((HQ2, INFANTRY[0])))
