"""Helpers for lines, supply, reinforcements, the garrison and victory: chapters 3 and 11 to 14."""

from typing import Any

from tests.rules.chit_bench import source
from tests.rules.typhoon.battles import NORTH
from tests.rules.typhoon.bench import Bench, board_t, column, real_pack
from warledger.engine.kernel.position import Frame


def north_south(**more: Any) -> Bench:
    """Board T with the Axis source in the south and the Soviet one in the north."""
    return Bench(
        board_t(
            sources=(source("axis", "1020"), source("soviet", "1001")),
            rails=(column(10, 20, 15),),
            **more,
        )
    )


def loc(bench: Bench, side: str, hex_id: str) -> bool:
    """Whether a LOC reaches a hex."""
    return bench.state.field.has_loc(side, bench.state.data.hex(hex_id))


POOL = dict.fromkeys(
    ("su.rifle.32", "su.rifle.78", "su.rifle.93", "su.hq.5a"), "box.available.soviet"
)
RAIL = (source("axis", "0120"), source("soviet", "1001"))


def supply(places: dict[str, str], *, reduced: tuple[str, ...] = (), **more: Any) -> Bench:
    """The SUPPLY chit is executed."""
    bench = Bench(board_t(**more))
    bench.stand(places, reduced=reduced, turn=3)
    bench.jump("set_up_first", "supply", "supply_losses")
    return bench


def intake(
    placed: dict[str, str],
    boxes: dict[str, str],
    *,
    side: str = "soviet",
    turn: int = 3,
    control: dict[str, str] | None = None,
    **board: Any,
) -> Bench:
    """A reinforcement command. The Soviet railway runs down column 10 from the north."""
    board.setdefault("sources", RAIL)
    board.setdefault("rails", (column(10, 1, 12), "0120 0220"))
    options = {key: board.pop(key) for key in ("guards", "off_map_line") if key in board}
    bench = Bench(board_t(**board), **options)
    bench.stand(placed, turn=turn, boxes=boxes, control=control)
    bench.jump("set_up_first", Frame("reinforcements", (side,)))
    return bench


GARRISON = {f"su.moscow.{n}": "box.available.soviet" for n in range(1, 13)}


def garrison(turn: int, *, places: dict[str, str] | None = None, **changes: Any) -> Bench:
    """SOVIET REINF on the real map."""
    bench = Bench(real_pack())
    bench.stand(
        places or {},
        turn=turn,
        boxes={**GARRISON, "su.rifle.32": "box.available.soviet"},
        control=changes.pop("control", None),
    )
    bench.change(**changes)
    bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    return bench


def end_of(
    turn: int, control: dict[str, str], *, places: dict[str, str] | None = None, latch: bool = False
) -> Bench:
    """The end of a turn with these cities in Axis hands."""
    bench = Bench(real_pack())
    bench.stand(places or {}, turn=turn, control=control)
    bench.change(latch=latch)
    bench.jump("play", "turn", "end_of_turn")
    return bench


LANE = {f"{c:02}{r:02}": "L" for c in (9, 11) for r in range(1, 11)}
"""Only column 10 leads north from 1010."""


def supplied(
    placed: dict[str, str], *, reduced: tuple[str, ...] = (), turn: int = 3, **board: Any
) -> Bench:
    """The SUPPLY chit is executed; the Soviet source is 1001, the Axis source 1020 unless given."""
    options = {key: board.pop(key) for key in ("off_map_line",) if key in board}
    board.setdefault("sources", NORTH)
    board.setdefault("rails", (column(10, 20, 15),))
    bench = Bench(board_t(**board), **options)
    bench.stand(placed, reduced=reduced, turn=turn)
    bench.jump("set_up_first", "supply", "supply_losses")
    return bench
