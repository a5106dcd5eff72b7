"""Helpers for chits and command: chapters 6 to 8."""

from typing import Any

from tests.rules.typhoon.bench import Bench, board_t
from warledger.engine.games.typhoon.command import contents

GUDERIAN = "chit.ax.guderian"
HQ2 = "ax.hq.2pza"


def table(
    axis: tuple[str, ...],
    soviet: tuple[str, ...] = (),
    *,
    kept: bool = False,
    places: dict[str, str] | None = None,
    **more: Any,
) -> Bench:
    """Chits are chosen; play stands before the next draw. Only HQ 2PzA (and what `places` adds) is
    on the map."""
    turn = more.pop("turn", 3)
    drawn = more.pop("drawn", ())
    bench = Bench(board_t(), seed=7, **more)
    bench.stand(
        {HQ2: "0305", **(places or {})}, turn=turn, boxes={"su.hq.5a": "box.available.soviet"}
    )
    bench.chits(axis, soviet, kept=kept, drawn=drawn)
    return bench


def selecting(turn: int = 3, **options: Any) -> Bench:
    """Both sides are about to choose."""
    bench = Bench(board_t(), **options)
    bench.stand({HQ2: "0305"}, turn=turn)
    bench.jump("turn", "command_selection")
    return bench


def draw(bench: Bench, chit: str) -> None:
    """The next chit drawn is this one."""
    bench.draws(contents(bench.state).index(chit))


def go(bench: Bench) -> None:
    """Let the executions run."""
    bench.jump("set_up_first", "executions")
