"""What the ground floor of the Operational Combat Series costs, on the campaign's set-up: pack and
first position, reach of every unit, who can be supplied after a move, memory of positions.

The floor is a bare Dijkstra by heapq over dicts with the same starts and costs, but no zones, whole
allowances or canonical ways. Times are this process's share of a processor. Run: `python
ops/bench/ocs.py [repeats]`.
"""

from __future__ import annotations

import gc
import random
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from ops.bench.board import bare_dijkstra
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch12_supply import sources, supply_search
from warledger.engine.games.ocs.series.charts import Charts, charts, printed_of
from warledger.engine.games.ocs.series.events import Moved
from warledger.engine.games.ocs.series.evolve import evolve
from warledger.engine.games.ocs.series.setup import first_position
from warledger.engine.games.ocs.series.state import STRAT, State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.packfiles import pack_bytes, read_pack_folder

SCENARIO = "campaign"
FOLDER = Path(__file__).parents[2] / "engine" / "games" / "hungarian_rhapsody" / "pack"
Graph = list[dict[int, int]]


def timed(act: Callable[[], object], repeats: int = 1) -> float:
    """Milliseconds, the best of the repeats."""
    best = 1e9
    for _ in range(repeats):
        begin = time.process_time()
        act()
        best = min(best, time.process_time() - begin)
    return best * 1000


def share(values: list[float], part: float) -> float:
    """A percentile."""
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


def line(what: str, values: list[float]) -> None:
    """One line of the report."""
    print(
        f"{what:44} p50 {share(values, 0.5):8.3f}  p95 {share(values, 0.95):8.3f}  "
        f"worst {max(values):8.3f} ms  ({len(values)})"
    )


def reaches(state: State, repeats: int) -> None:
    """Reach of all units of the mover, as they stand and in Strat mode, beside the floor."""
    of = state.charts
    graphs: dict[int, Graph] = {}
    found: dict[str, list[float]] = {"reach, all units": [], "reach, Strat": [], "bare floor": []}
    for side in of.sides:
        now = replace(state, phasing=side, segment="c2")
        for name, unit in now.units.items():
            counter = of.units[name]
            if unit.at < 0 or counter.side != side:
                continue
            movement_range.can_go(now, name)
            found["reach, all units"].append(
                timed(lambda n=name, s=now: movement_range.can_go(s, n), repeats)
            )
            ground = movement_range.ground(now, name)
            graph = graphs.setdefault(id(ground), [dict(row) for row in ground.plain])
            budget = movement_range.modes.left(now, name)
            found["bare floor"].append(
                timed(lambda g=graph, a=unit.at, b=budget: bare_dijkstra(g, a, b), repeats)
            )
            if counter.combat_unit and counter.move is not None:
                strat = changed(now, {name: replace(unit, marker=STRAT, move_side=True)})
                movement_range.can_go(strat, name)
                found["reach, Strat"].append(
                    timed(lambda n=name, s=strat: movement_range.can_go(s, n), repeats)
                )
    for what, values in found.items():
        line(what, values)


def supplied(state: State, moves: int) -> None:
    """Who can be supplied out of every dump after each of a row of random moves."""
    of, chance = state.charts, random.Random(11)
    print("seed 11")
    values: list[float] = []
    first = {
        side: timed(lambda s=side: supply_search.supply(state, s, sources.sources(state, s)))
        for side in of.sides
    }
    print("all HQs anew:", {side: round(ms, 1) for side, ms in first.items()}, "ms")
    now = state
    for k in range(moves):
        side = of.sides[k % 2]
        now = replace(now, phasing=side, segment="c2")
        name = chance.choice(
            [n for n, u in now.units.items() if u.at >= 0 and of.units[n].side == side]
        )
        goals = movement_range.can_go(now, name).hexes()
        if not goals:
            continue
        goal = chance.choice(goals)
        cost = movement_range.can_go(now, name).cost(goal)
        now = evolve(now, Moved((name,), (of.board.name(goal),), (cost,)))
        dumps = sum(1 << i for i in now.supply[side] if isinstance(i, int))
        values.append(timed(lambda s=now, a=side, d=dumps: supply_search.supply(s, a, d)))
    line("who can be supplied, after a move", values)


def memory(of: Charts, moves: int) -> None:
    """A first position beside its pack, and that many positions of one phase kept."""
    chance = random.Random(12)
    gc.collect()
    tracemalloc.start()
    state = replace(first_position(of), phasing=of.sides[1], segment="c2")
    idle = tracemalloc.get_traced_memory()[0]
    kept = [state]
    while len(kept) <= moves:
        now = kept[-1]
        name = chance.choice(
            [n for n, u in now.units.items() if u.at >= 0 and of.units[n].side == of.sides[1]]
        )
        goals = of.board.map.grid.adjacent[now.units[name].at]
        goal = of.board.name(chance.choice(goals))
        made = evolve(now, Moved((name,), (goal,), (1,)))
        assert made.field.zones
        kept.append(made)
    all_of_it = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    print(
        f"memory: idle {idle / 1e6:.2f} MB, {moves} positions {all_of_it / 1e6:.1f} MB "
        f"({(all_of_it - idle) / moves / 1e3:.0f} KB each)"
    )


def main() -> None:
    """Print the report."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    pack = pack_bytes(read_pack_folder(FOLDER))
    cold = timed(lambda: first_position(charts(pack, SCENARIO, GAME)))
    warm = timed(lambda: first_position(charts(pack, SCENARIO, GAME)), repeats)
    print(f"pack and first position: cold {cold:.0f} ms, next game {warm:.2f} ms")
    of = charts(pack, SCENARIO, GAME)
    assert printed_of(pack) is of.printed
    state = first_position(of)
    reaches(state, repeats)
    supplied(state, 200)
    memory(of, 200)


if __name__ == "__main__":
    main()
