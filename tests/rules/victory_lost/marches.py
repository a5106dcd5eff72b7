"""Helpers for movement: chapter 8."""

from tests.rules.victory_lost.bench import Bench
from warledger.engine.games.chitpull import ways
from warledger.engine.games.victory_lost.reach import mover_of

ROAD = " ".join(f"{c:02}10" if c % 2 else f"{c:02}09" for c in range(1, 20))
"""A road along row 10, from 0110 to 1910."""
DON = (
    " ".join(f"10{row:02}-11{row:02} 10{row:02}-11{row + 1:02}" for row in range(1, 20))
    + " 1020-1120"
)
"""A river from north to south between columns 10 and 11."""


def cost(bench: Bench, name: str, *path: str) -> int | None:
    """Half points that a counter pays along a path of neighbours, None when it cannot go there."""
    state = bench.state
    mover = mover_of(state, (name,), "")
    assert mover is not None
    index = state.data.board.grid.index
    route = ways.follow(state.field, mover, [index[hex_id] for hex_id in path], lambda i: False)
    return None if route.failed >= 0 else mover.points - route.left


def moving(bench: Bench, *counters: str, side: str = "soviet") -> Bench:
    """The Movement Step with these counters activated."""
    bench.activate(side, *counters)
    return bench
