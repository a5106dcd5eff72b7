"""10.6(5) Retreats into full hexes."""

from tests.rules.typhoon.battles import EAST, INFANTRY, NORTH, PANZERS, RIFLES3, RIFLES4, battle
from tests.rules.typhoon.bench import PZ, RIFLE, RIFLE2, RIFLE3, RIFLE4, Bench, board_t, column
from tests.rules.typhoon.campaign import LANE
from warledger.engine.games.typhoon.losses import Eliminated
from warledger.engine.games.typhoon.retreat import Retreated


def test_10_6_5_over_stacking_drives_on_R28() -> None:
    """10.6(5), R-28, 3.1(3) The hex behind is full: the unit goes one further (example 45)."""
    bench = battle(
        {PZ: "1011", RIFLE: "1010", RIFLE2: "1009", RIFLE3: "1009", RIFLE4: "1008"}, (PZ,), 4
    )
    assert bench.happened(Retreated) == [Retreated(RIFLE, ("1010", "1009", "1008"))]


def test_10_6_5_room_is_preferred() -> None:
    """R-25 Of two hexes as near, both clear, the one that is not full is taken."""
    bench = battle(
        {PZ: "0910", RIFLE: "1010", RIFLE2: "1110", RIFLE3: "1110"}, (PZ,), 4, sources=EAST
    )
    assert bench.hexes(RIFLE) == ("1111",)


def test_10_6_5_R29_a_further_hex_may_not_cross_either() -> None:
    """R-29, 10.6(5) R into a full hex: the overflow hex beyond an unbridged major river
    eliminates."""
    placed = {PZ: "1011", RIFLE: "1010", RIFLE2: "1009", RIFLE3: "1009"}
    over = {"major": "1008-1009 1009-1109 1009-1110 0910-1009 0909-1009"}
    bench = battle(placed, (PZ,), 4, rivers=over)
    assert bench.happened(Eliminated) == [Eliminated(RIFLE, "no_retreat", "box.available.soviet")]
    bench = battle(placed, (PZ,), 4, rivers={"minor": over["major"]})
    assert bench.hexes(RIFLE) == ("1008",)


def test_10_6_5_R28_nobody_is_displaced() -> None:
    """R-28 Units that stand in the way stay: the retreating one goes on, hex by hex."""
    placed = {
        PZ: "1011",
        RIFLE: "1010",
        RIFLE2: "1009",
        RIFLE3: "1009",
        RIFLE4: "1008",
        "su.rifle.178": "1008",
    }
    bench = battle(placed, (PZ,), 4)
    assert bench.hexes(RIFLE, RIFLE2, RIFLE3, RIFLE4) == ("1007", "1009", "1009", "1008")


def test_10_6_5_R28_a_packed_pocket_is_decided_at_once() -> None:
    """10.6(5), R-28 In a pocket of full stacks walled in by lakes nobody finds room: the unit is
    eliminated, and that is worked out in a moment, not by trying every way round."""
    inside = [f"{c:02}{row:02}" for c in range(8, 13) for row in range(6, 10)]
    lakes = {
        f"{c:02}{row:02}": "L"
        for c in range(7, 14)
        for row in range(4, 12)
        if f"{c:02}{row:02}" not in inside
    }
    lakes = {name: sign for name, sign in lakes.items() if name not in ("1010", "1011")}
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),), rows=lakes))
    rifles = [
        name
        for name, type_ in bench.state.data.types.items()
        if type_.side == "soviet" and not type_.hq and name != RIFLE
    ]
    placed = {name: inside[index // 2] for index, name in enumerate(rifles[: 2 * len(inside)])}
    bench.stand({**placed, RIFLE: "1010", PZ: "1011"})
    bench.activate("axis", PZ, segment="declaration")
    bench.dice(4)
    bench.attack("axis", ("1010", PZ))
    state = bench.state
    assert state.battle is not None
    assert bench.asked() == {"soviet": "prompt.typhoon.retreat"}
    picks: tuple[str, ...] = ("retreat", RIFLE)
    while hexes := bench.options("soviet", *picks):
        picks = (*picks, str(hexes[0]))
    assert len(picks) > 10
    bench.do("soviet", *picks)
    assert bench.happened(Eliminated) == [Eliminated(RIFLE, "no_retreat", "box.available.soviet")]


def test_10_6_5_RR_through_a_full_hex() -> None:
    """10.6(5) Only the last hex must have room: RR passes over two friends in the first and stops
    in the second."""
    bench = battle(
        {PANZERS[0]: "1011", RIFLES3[0]: "1010", RIFLES4[0]: "1009", RIFLES4[1]: "1009"},
        PANZERS[:1],
        6,
        rows=LANE,
    )
    assert bench.happened(Retreated) == [Retreated(RIFLES3[0], ("1010", "1009", "1008"))]


def test_10_6_5_RR_two_full_hexes_in_a_row_and_a_zone_beyond() -> None:
    """10.6(5), 10.6(4), R-28 RR, second and third hex full, the fourth in an EZOC: the unit goes
    four hexes and loses a step."""
    lane = {k: v for k, v in LANE.items() if k != "1106"}
    full = dict(zip((*RIFLES4[:4],), ("1008", "1008", "1007", "1007"), strict=True))
    bench = battle(
        {PANZERS[0]: "1011", RIFLES3[0]: "1010", INFANTRY[0]: "1106", **full},
        PANZERS[:1],
        6,
        rows=lane,
    )
    assert bench.happened(Retreated) == [
        Retreated(RIFLES3[0], ("1010", "1009", "1008", "1007", "1006"))
    ]
    assert bench.state.units[RIFLES3[0]].reduced
