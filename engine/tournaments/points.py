"""Results and their points: from a game's score, its handicap and the charter.

Margins are half units of the title's score, and count after the handicap.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from warledger.engine.tournaments.charter import Points
from warledger.engine.tournaments.crosstable import Result

PLAYED_OUT: Final = ("rules", "adjudicated", "")
"""How a game ended whose score tells the margin. One that was resigned, lost on time or ruled upon
is won outright, whatever its score was."""

_OTHER: Final[Mapping[str, Result]] = {
    "win": "loss",
    "close_win": "close_loss",
    "draw": "draw",
    "close_loss": "close_win",
    "loss": "win",
}
_RESULTS: Final[Mapping[str, Result]] = {one: one for one in _OTHER.values()}
HALVES: Final[Mapping[str, int]] = {
    "win": 2,
    "close_win": 2,
    "draw": 1,
    "close_loss": 0,
    "loss": 0,
}
"""What a result counts in a match of several games: in halves of a game."""


def result(name: str) -> Result:
    """A result by its name. Raises KeyError."""
    return _RESULTS[name]


def other_way(name: str) -> Result:
    """The result as the other of two has it."""
    return _OTHER[name]


def result_of(margin: int, close: int) -> Result:
    """The result of a margin in half units: one below `close` is a close one."""
    if margin == 0:
        return "draw"
    if margin > 0:
        return "close_win" if margin < close else "win"
    return "close_loss" if -margin < close else "loss"


def worth(points: Points, manner: str, name: str) -> int:
    """The points of a result."""
    if manner == "forfeit":
        return points.forfeit_win if name == "win" else points.forfeit_loss
    value: int = getattr(points, name)
    return value


def half_units(difference: int, points_a_unit: int) -> int:
    """A difference of scores in half units of the title's margin, of which `points_a_unit` points
    make one; what is less than a half is dropped. Raises ValueError for no positive number."""
    if points_a_unit < 1:
        raise ValueError("a unit is at least one point")
    half = 2 * abs(difference) // points_a_unit
    return half if difference >= 0 else -half


def outcome(
    seats: int,
    handicap: tuple[int, int],
    winner: int | None,
    scores: Sequence[int],
    by: str,
    close: int,
    unit: int = 1,
    draw: int = 0,
) -> tuple[tuple[Result, ...], tuple[int, ...]]:
    """Results and margins of a game, by seat.

    With a handicap, what is left of the margin decides. Without one who won by the rules has won,
    and the margin tells how close it was: nothing where it speaks for the loser, or where the game
    was not played out (a resignation, a flag). Of more than two who is named has won, the others
    have lost, and nobody has a margin.

    Args:
        seats: how many the title has.
        handicap: index of the seat that gets it, half units.
        winner: index of the seat that won by the rules, None for a draw.
        scores: by seat; empty where the title keeps none.
        by: how the game ended.
        close: a margin below it is a close one.
        unit: how many points of the score make a unit.
        draw: a margin below it is a draw where the game was judged by its score.
    """
    if seats != 2:
        if winner is None:
            return (result("draw"),) * seats, (0,) * seats
        named = tuple(result("win" if seat == winner else "loss") for seat in range(seats))
        return named, (0,) * seats
    gets, units = handicap
    if by in PLAYED_OUT and len(scores) == 2:
        margin = half_units(scores[0] - scores[1], unit) + (units if gets == 0 else -units)
        if by == "adjudicated" and abs(margin) < draw:
            return ("draw", "draw"), (0, 0)
        if units or margin or winner is None:
            if margin and not units and winner is not None and (margin > 0) != (winner == 0):
                margin = 0  # the rules name a winner against the score: no margin tells how far
            else:
                first = result_of(margin, close)
                return (first, other_way(first)), (margin, -margin)
    if winner is None:
        return ("draw", "draw"), (0, 0)
    return (("win", "loss") if winner == 0 else ("loss", "win")), (0, 0)
