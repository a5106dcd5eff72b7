"""Supply lines, rail entry and command range against every simple line on small boards."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.board import boards
from tests.board.boards import Docs
from warledger.engine.board import tracing
from warledger.engine.board.hexmap import HexMap
from warledger.engine.board.tracing import BLOCKED, END, NONE, PASS

masks = st.lists(st.sampled_from([PASS, PASS, PASS, END, BLOCKED]), min_size=9, max_size=9).map(
    bytes
)
small = boards.maps(size=3)


def crossings(docs: Docs, board: HexMap, kind: str) -> set[frozenset[int]]:
    """Hexsides with a river of a class, from the documents."""
    at = board.grid.at
    return {
        frozenset(map(at, s))
        for r in docs[0]["river"]
        if r["class"] == kind
        for s in boards.side_set(r)
    }


def chains(board: HexMap, docs: Docs) -> set[frozenset[int]]:
    return {frozenset(map(board.grid.at, r["hexes"].split())) for r in docs[0]["rail"]}


def simple_lines(board: HexMap, start: int) -> Iterator[tuple[int, ...]]:
    """Every line from a hex without a hex twice, by adjacency alone."""

    def go(way: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        yield way
        for n in board.grid.adjacent[way[-1]]:
            if n not in way:
                yield from go((*way, n))

    return go((start,))


def pairs(line: tuple[int, ...]) -> list[frozenset[int]]:
    return [frozenset(x) for x in pairwise(line)]


@given(small, masks, st.data())
@settings(max_examples=100, deadline=None)
def test_supply_lines_over_land(docs: Docs, where: bytes, data: st.DataObject) -> None:
    """A hex is supplied at the length of the shortest line of passable hexes over open hexsides
    from a passable source."""
    board = boards.built(docs)
    n, at = len(board.grid), board.grid.at
    shut = crossings(docs, board, "major")
    bridged = {frozenset(map(at, s)) for s in boards.side_set(docs[0]["bridges"])}
    walls = {frozenset(map(at, s)) for s in boards.side_set(docs[0]["impassable"])} | crossings(
        docs, board, "wide"
    )
    net = tracing.land_net(
        board, closed_terrain=["lake"], closed_classes=["major"], closed_even_bridged=["wide"]
    )
    sources = data.draw(st.sets(st.integers(0, n - 1), max_size=2))
    got = tracing.flood(net, sources, where)
    best = dict.fromkeys(range(n), NONE)
    for s in sources:
        for line in simple_lines(board, s) if where[s] == PASS else ():
            if (
                all(where[i] == PASS for i in line[:-1])
                and where[line[-1]]
                and (len(line) == 1 or all(board.terrain_at(i) != "lake" for i in line))
                and not any(p in walls or (p in shut and p not in bridged) for p in pairs(line))
                and (best[line[-1]] == NONE or len(line) - 1 < best[line[-1]])
            ):
                best[line[-1]] = len(line) - 1
    assert got.distance == got.off == tuple(best.values())
    check_lines(got, n, sources, where)


def check_lines(got: tracing.Trace, n: int, sources: set[int], where: bytes) -> None:
    for i in range(n):
        line = got.line(i)
        assert len(line) == got.distance[i] + 1
        if line:
            assert line[0] == i and line[-1] in sources
            assert all(where[x] == PASS for x in line[1:])


@given(small, masks, st.integers(0, 3), st.data())
@settings(max_examples=100, deadline=None)
def test_lines_by_rail_and_then_few_hexes(
    docs: Docs, where: bytes, limit: int, data: st.DataObject
) -> None:
    """A line runs along linked railway from the source, then at most `limit` hexes over land; the
    shortest of all counts."""
    board = boards.built(docs)
    n, rails = len(board.grid), chains(board, docs)
    rail, land = tracing.link_net(board), tracing.land_net(board)
    assert {frozenset((a, b)) for a in range(n) for b in rail[a]} == rails
    sources = data.draw(st.sets(st.integers(0, n - 1), max_size=2))
    got = tracing.flood_off(rail, land, sources, where, limit)
    best: dict[int, tuple[int, int]] = {}
    for s in sources:
        for line in simple_lines(board, s) if where[s] == PASS else ():
            if not all(where[i] == PASS for i in line[:-1]) or not where[line[-1]]:
                continue
            for off in range(min(limit, len(line) - 1) + 1):
                cut = len(line) - 1 - off
                steps = pairs(line)
                if all(p in rails for p in steps[:cut]) and all(
                    max(p) in land[min(p)] for p in steps[cut:]
                ):
                    best[line[-1]] = min(best.get(line[-1], (99, 99)), (len(line) - 1, off))
    assert got.distance == tuple(best.get(i, (NONE, NONE))[0] for i in range(n))
    assert got.off == tuple(best.get(i, (NONE, NONE))[1] for i in range(n))
    check_lines(got, n, sources, where)


@given(small, st.integers(0, 4), st.data())
@settings(max_examples=100, deadline=None)
def test_command_range(docs: Docs, reach: int, data: st.DataObject) -> None:
    """A range may cross a major river, bridged or not, only with its last hex, and enters no
    lake."""
    board = boards.built(docs)
    majors = crossings(docs, board, "major")
    walls = {frozenset(map(board.grid.at, s)) for s in boards.side_set(docs[0]["impassable"])}
    start = data.draw(st.integers(0, len(board.grid) - 1))
    net = tracing.range_net(board, closed_terrain=["lake"], last_only_classes=["major"])
    best: dict[int, int] = {}
    for line in simple_lines(board, start):
        steps = pairs(line)
        if (
            len(line) - 1 <= reach
            and not any(p in majors for p in steps[:-1])
            and not any(p in walls for p in steps)
            and (len(line) == 1 or not any(board.terrain_at(i) == "lake" for i in line))
        ):
            best[line[-1]] = min(best.get(line[-1], 99), len(line) - 1)
    got = tracing.command_range(net, start, reach)
    assert got == best
    assert list(got) == sorted(got, key=lambda i: (got[i], i))


def test_a_longer_line_with_fewer_hexes_off_the_railway_reaches_further() -> None:
    """Where the railway makes a detour, the line by rail is kept beside the shorter one over
    land."""
    rail = ((2,), (3,), (0, 3), (2, 1), ())
    land = ((1,), (0, 4), (), (), (1,))
    got = tracing.flood_off(rail, land, [0], bytes([PASS] * 5), 1)
    assert got.distance == (0, 1, 1, 2, 4)
    assert got.off == (0, 1, 0, 0, 1)
    assert got.line(4) == (4, 1, 3, 2, 0)


def test_access() -> None:
    """Closed hexes shut a line out, zones too unless a friend stands there; with `zone_ends` a line
    may end in a zone."""
    zone = bytes([0, 1, 2, 1])
    assert tracing.access(4, closed=[0, 3], zone=zone, friends=[2, 3]) == bytes(
        [BLOCKED, BLOCKED, PASS, BLOCKED]
    )
    assert tracing.access(4, closed=[0], zone=zone, friends=[3], zone_ends=True) == bytes(
        [BLOCKED, END, END, PASS]
    )
