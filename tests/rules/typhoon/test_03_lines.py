"""3.3 Lines of communication."""

import random

import pytest

from tests.rules.chit_bench import source
from tests.rules.typhoon.battles import INFANTRY, RIFLES3
from tests.rules.typhoon.bench import INF, RIFLE, RIFLE2, Bench, board_t, column, real_pack
from tests.rules.typhoon.campaign import loc, north_south
from tests.rules.typhoon.second_reading import FAR, MAP, Board, crowd, line
from warledger.engine.games.typhoon.checks import check_thoroughly


def test_3_3_by_another_method() -> None:
    """3.3 LOCs and ways home on random positions of the real map agree with a search hex by hex."""
    bench = Bench(real_pack(), off_map_line=True)
    rng = random.Random(5)
    names = sorted(bench.state.data.types)
    land = [i for i in range(len(bench.state.data.board.grid)) if i not in bench.state.data.water]
    for _ in range(6):
        hexes = rng.sample(land, 90)
        bench.stand(
            {
                name: bench.state.data.name(i)
                for name, i in zip(rng.sample(names, 90), hexes, strict=True)
            },
            turn=3,
        )
        check_thoroughly(bench.state)


@pytest.mark.parametrize("seed", range(3))
def test_3_3_lines_by_a_second_reading(seed: int) -> None:
    """3.3, R-09, R-10, R-25 LOCs, their lengths (D1) and the ways that heed neither zones nor the
    limit (D2), hex by hex from the unit's end."""
    bench, rng = crowd(40 + seed, 1)
    board, data, field = Board(bench), bench.state.data, bench.state.field
    for side in ("axis", "soviet"):
        own = sorted(board.units[side])
        for h in {*rng.sample(own, 20), *rng.sample(MAP.land, 15)}:
            i = data.hex(h)
            d1, d2 = line(board, side, h), line(board, side, h, heed=False)
            assert (field.ways_home(side).distance(i) if d1 < FAR else FAR) == d1, (side, h)
            assert field.ways_home(side).distance(i) == (d1 if d1 < FAR else -1), (side, h)
            assert field.ways_back(side).distance(i) == (d2 if d2 < FAR else -1), (side, h)
            if h in board.units[side]:
                assert field.has_loc(side, i) == (d1 < FAR), (side, h)


def test_3_3_1_through_a_zone_only_with_a_friend() -> None:
    """3.3(1), R-09 A LOC passes an EZOC hex that holds a friendly unit (example 76), ends in one
    without, never passes an enemy."""
    walls = {f"{c:02}08": "L" for c in range(1, 21) if c != 10}
    bench = north_south(rows={**walls, **{f"{c:02}09": "L" for c in range(1, 21) if c != 10}})
    bench.stand({RIFLE: "1010", RIFLE2: "1009", INF: "1110"})
    assert loc(bench, "soviet", "1010")

    bench.stand({RIFLE: "1010", INF: "1110"})
    assert not loc(bench, "soviet", "1010")
    assert loc(bench, "soviet", "1009")
    assert not loc(bench, "soviet", "1110")


def test_3_3_1_R10_an_enemy_in_a_zone_hex_with_a_friend_does_not_cut_the_rail() -> None:
    """3.3(1), R-09 The railway runs on through an EZOC hex that holds a friendly unit, and ends in
    one that does not."""
    rails = (column(10, 20, 5),)
    for held_hex in (True, False):
        bench = Bench(
            board_t(sources=(source("axis", "1020"), source("soviet", "1001")), rails=rails)
        )
        placed = {RIFLES3[0]: "1115", RIFLES3[1]: "0915"}
        if held_hex:
            placed |= dict(zip(INFANTRY, ("1014", "1015", "1016"), strict=False))
        bench.stand(placed)
        assert bench.state.field.has_loc("axis", bench.state.data.hex("1005")) is held_hex


def test_3_3_1_a_line_may_end_beside_the_enemy_on_the_sixth_hex() -> None:
    """3.3(1), 3.3(3) The sixth hex off the railway may lie in an EZOC; a fifth that lies in one
    without a friend is the end of the line."""
    bench = Bench(
        board_t(sources=(source("axis", "0110"), source("soviet", "2010")), rails=("0110 0210",))
    )
    bench.stand({RIFLE: "0910"})
    field, data = bench.state.field, bench.state.data
    assert field.has_loc("axis", data.hex("0810"))  # six from 0210, next to the enemy
    walls = {
        f"{c:02}{r:02}": "L"
        for c in range(3, 10)
        for r in range(1, 21)
        if not (r == 10 or (r == 11 and c % 2))
    }
    tight = Bench(
        board_t(
            sources=(source("axis", "0110"), source("soviet", "2010")),
            rails=("0110 0210",),
            rows=walls,
        )
    )
    tight.stand({RIFLE: "0810", INF: "0610"})
    assert tight.state.field.has_loc("axis", tight.state.data.hex("0710"))  # 5 off, in the EZOC
    assert not tight.state.field.has_loc("axis", tight.state.data.hex("0810"))


def test_3_3_2_lakes_block_a_line_and_rivers_do_not() -> None:
    """3.3(2), R-49 Lakes block a LOC, a major river does not."""
    bench = north_south(
        rivers={"major": "1009-1010 1010-1110 1010-1111 1010-1011 0911-1010 0910-1010"}
    )
    bench.stand({RIFLE: "1010"})
    assert loc(bench, "soviet", "1010")

    bench = north_south(rows=dict.fromkeys(["1009", "1110", "1111", "1011", "0911", "0910"], "L"))
    bench.stand({RIFLE: "1010"})
    assert not loc(bench, "soviet", "1010")


def test_3_3_3_axis_six_hexes_off_the_railway_R10() -> None:
    """3.3(3), R-10 The Axis LOC runs along railway links without limit, then at most six hexes, its
    own counted; a rail hex that is only near, or reached again, does not restart the count. The
    Soviets have no limit."""
    bench = north_south()
    bench.stand({INF: "1009", RIFLE: "0120"})

    assert loc(bench, "axis", "1009") and not loc(bench, "axis", "1008")
    assert loc(bench, "soviet", "0120")

    broken = Bench(
        board_t(
            sources=(source("axis", "1020"), source("soviet", "2001")),
            rails=(column(10, 20, 15), column(10, 11, 5)),
        )
    )
    broken.stand({})
    assert loc(broken, "axis", "1009") and not loc(broken, "axis", "1005")


def test_3_3_3_an_interrupted_railway() -> None:
    """3.3(3) An EZOC on the railway cuts it; behind the cut the hexes count."""
    bench = north_south()
    bench.stand({RIFLE: "1118", RIFLE2: "0918"})

    assert loc(bench, "axis", "1018")
    assert not loc(bench, "axis", "1015")


def test_3_3_3_R10_the_seventh_hex_is_too_far() -> None:
    """3.3(3), R-10 Six hexes off the last connected railway hex, the unit's own counted, make a
    LOC; a seventh does not (example 75)."""
    bench = Bench(
        board_t(sources=(source("axis", "0110"), source("soviet", "2010")), rails=("0110 0210",))
    )
    bench.stand({INFANTRY[0]: "0810", INFANTRY[1]: "0910"})
    at = {name: bench.state.field.has_loc("axis", bench.state.at(name)) for name in INFANTRY[:2]}
    assert at == {INFANTRY[0]: True, INFANTRY[1]: False}


def test_3_3_3_R10_a_source_without_a_railway_serves_nobody() -> None:
    """R-10 The Axis LOC begins at sources that lie on a railway; the Soviets' may begin
    anywhere."""
    bench = Bench(
        board_t(
            sources=(source("axis", "0101"), source("axis", "0110"), source("soviet", "2001")),
            rails=("0110 0210",),
        )
    )
    bench.stand({})
    field, data = bench.state.field, bench.state.data
    assert not field.has_loc("axis", data.hex("0101")) and field.has_loc("soviet", data.hex("2001"))


def test_3_3_3_round_a_cut_in_the_railway() -> None:
    """3.3(3), R-10 A rifle division at 1115 closes the line at 1015 and 1014. Round it by 0916,
    0915, 0914, 0913, 1012 the sixth hex off the railway is 1011; 1010, on the railway again, is the
    seventh."""
    bench = Bench(
        board_t(
            sources=(source("axis", "1020"), source("soviet", "2001")), rails=(column(10, 20, 5),)
        )
    )
    bench.stand({RIFLE: "1115"})
    reached = [
        row
        for row in range(5, 21)
        if bench.state.field.has_loc("axis", bench.state.data.hex(f"10{row:02}"))
    ]
    assert reached == list(range(11, 21))


def test_3_3_a_line_from_a_source_R09() -> None:
    """3.3, R-09 A source held by an enemy, or in an EZOC without a friend, serves nobody."""
    bench = north_south()
    bench.stand({RIFLE: "1010"})
    assert loc(bench, "soviet", "1010")

    bench.stand({RIFLE: "1010", INF: "1001"})
    assert not loc(bench, "soviet", "1010")

    bench.stand({RIFLE: "1010", INF: "1002"})
    assert not loc(bench, "soviet", "1010")

    bench.stand({RIFLE: "1010", INF: "1002", RIFLE2: "1001"})
    assert loc(bench, "soviet", "1001")
