"""How fast one unit's reach is computed on the real maps, against a raw floor.

The floor is a bare Dijkstra by heapq over dicts with the same costs and budget, but no zones, river
rules or canonical ways. The ratio says what those cost (below 1: reach is faster). Run: `python
ops/bench/board.py [repeats]`.
"""

from __future__ import annotations

import heapq
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

from warledger.engine.board import tracing, zones
from warledger.engine.board.going import Compiled, compile_going, going_from_tables
from warledger.engine.board.hexmap import HexMap, hex_map
from warledger.engine.board.paths import Conditions, reach

GAMES = Path(__file__).parents[2] / "engine" / "games"
Graph = dict[int, dict[int, int]]


def load(title: str) -> tuple[HexMap, dict[str, object], dict[str, object]]:
    """A pack's map, its tables and its set-up."""
    read = {
        f: tomllib.loads((GAMES / title / "pack" / f"{f}.toml").read_text("utf-8"), parse_float=str)
        for f in ("map", "tables", "setup")
    }
    return hex_map(read["map"], read["tables"]), read["tables"], read["setup"]


def bare_dijkstra(graph: Graph, start: int, budget: int) -> dict[int, int]:
    """The floor: costs only."""
    best = {start: 0}
    heap = [(0, start)]
    while heap:
        paid, u = heapq.heappop(heap)
        if paid > best[u]:
            continue
        for v, cost in graph[u].items():
            new = paid + cost
            if new <= budget and new < best.get(v, budget + 1):
                best[v] = new
                heapq.heappush(heap, (new, v))
    return best


def timed(act: Callable[[int], object], starts: list[int], repeats: int) -> list[float]:
    """Milliseconds for each start, the best of the repeats, sorted."""
    found = []
    for i in starts:
        best = 1e9
        for _ in range(repeats):
            begin = time.perf_counter()
            act(i)
            best = min(best, time.perf_counter() - begin)
        found.append(best * 1000)
    return sorted(found)


def show(name: str, ms: list[float]) -> None:
    print(
        f"  {name:34} median {ms[len(ms) // 2]:7.3f} ms   p99 "
        f"{ms[int(len(ms) * 0.99)]:7.3f} ms   worst {ms[-1]:7.3f} ms"
    )


def measure(title: str, points: int, repeats: int) -> None:
    """One title: every land hex as a start, `points` movement points, enemy pieces where the set-up
    has one side's."""
    board, tables, setup = load(title)
    begin = time.perf_counter()
    compiled: Compiled = compile_going(board, going_from_tables(tables, "mech"))
    march = compile_going(board, going_from_tables(tables, "mech", march=True))
    print(
        f"{title}: {compiled.hexes} hexes, two kinds of going compiled in "
        f"{(time.perf_counter() - begin) * 1000:.0f} ms"
    )
    over = zones.ground(board)
    on_map: dict[str, str] = setup["on_map"]  # type: ignore[assignment]
    enemies = [
        board.grid.at(h) for h, ids in on_map.items() for i in ids.split() if i.startswith("su.")
    ]
    enemy = zones.zones(over, enemies)
    contact = Conditions(zones.mover_flags(enemy, closed=enemies), 4, 4)
    empty = Conditions(bytes(compiled.hexes))
    graph: Graph = {
        u: dict(steps) | {v: c for v, c, _ in compiled.special[u]}
        for u, steps in enumerate(compiled.plain)
    }
    starts = [i for i in range(compiled.hexes) if compiled.plain[i]]
    floor = timed(lambda i: bare_dijkstra(graph, i, 2 * points), starts, repeats)
    free = timed(lambda i: reach(compiled, i, 2 * points, empty), starts, repeats)
    show(f"floor: bare heapq, {points} points", floor)
    show(f"reach, empty map, {points} points", free)
    show(
        "reach, zones and pieces",
        timed(lambda i: reach(compiled, i, 2 * points, contact), starts, repeats),
    )
    show("reach, along roads", timed(lambda i: reach(march, i, 2 * points, empty), starts, repeats))
    print(f"  ratio reach / floor: {sum(free) / sum(floor):.2f}")
    show(
        "flags of a mover",
        timed(lambda i: zones.mover_flags(enemy, closed=enemies), [0] * 100, repeats),
    )
    show(
        "a piece moves: its side's zones",
        timed(lambda i: enemy.moved(over, enemies[0], i), starts, repeats),
    )
    net = tracing.land_net(board, closed_classes=["major"])
    open_to = tracing.access(compiled.hexes, closed=enemies, zone=enemy.count)
    sources = [s.hex for s in board.sources if s.side == "axis"]
    show(
        "supply of one side, whole map",
        timed(lambda i: tracing.flood(net, sources, open_to), [0] * 20, repeats),
    )
    rail = tracing.link_net(board)
    show(
        "railway and six hexes off it",
        timed(lambda i: tracing.flood_off(rail, net, sources, open_to, 6), [0] * 20, repeats),
    )
    ranges = tracing.range_net(board, last_only_classes=["major"])
    show("command range 4", timed(lambda i: tracing.command_range(ranges, i, 4), starts, repeats))


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    measure("victory_lost", 7, count)
    measure("typhoon", 8, count)
