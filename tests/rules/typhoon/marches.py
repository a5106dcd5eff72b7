"""Helpers for movement: chapter 9."""

from typing import Any

from tests.rules.typhoon.bench import Bench, board_t
from warledger.protocol.board.choices import Say

RING_SIDES = "1008-1009 1009-1109 1009-1110 1009-1010 0910-1009 0909-1009"
"""All six sides of 1009."""


def said_of(bench: Bench, seat: str, *picks: str) -> tuple[Say, ...]:
    said = bench.preview(seat, *picks)
    assert isinstance(said, tuple), said
    return said


def left(bench: Bench, seat: str, *picks: str) -> str:
    """Movement points left after a move, as the preview says."""
    said: dict[str, Any] = {
        key: value for item in said_of(bench, seat, *picks) for key, value in item.args
    }
    return str(said["left"])


def mover(
    placed: dict[str, str], *units: str, turn: int = 1, side: str = "axis", **board: Any
) -> Bench:
    """A movement segment on board T."""
    bench = Bench(board_t(**board))
    bench.stand(placed, turn=turn)
    bench.activate(side, *units)
    return bench
