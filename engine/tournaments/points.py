"""Results and their points: from a game's score, handicap and the charter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import frozen

from warledger.engine.tournaments.charter import Late, Points
from warledger.engine.tournaments.crosstable import Line, Manner, Result

TURNED: Final[Mapping[Result, Result]] = {
    "win": "loss",
    "close_win": "close_loss",
    "draw": "draw",
    "close_loss": "close_win",
    "loss": "win",
}
"""A result as the other entrant has it."""


@frozen
class Handicap:
    """Half units that a seat gives away: they are taken from its margin. 0: none."""

    seat: int = 0
    half: int = 0

    def of(self, seat: int) -> int:
        """What the handicap adds to the margin of a seat of a board of two."""
        return -self.half if seat == self.seat else self.half


def of_margin(half: int, points: Points) -> Result:
    """The result of a margin in half units, after the handicap: a draw at 0, close below the
    charter's bound."""
    if half == 0:
        return "draw"
    if half > 0:
        return "close_win" if half < points.close else "win"
    return "close_loss" if -half < points.close else "loss"


def worth(result: Result, points: Points) -> int:
    """The points of a game with this result."""
    return {
        "win": points.win,
        "close_win": points.close_win,
        "draw": points.draw,
        "close_loss": points.close_loss,
        "loss": points.loss,
    }[result]


def half_units(difference: int, points_a_unit: int) -> int:
    """A difference of scores in half units of the title's margin, of which `points_a_unit` points
    make one; what is less than a half is dropped. Raises ValueError for no positive number."""
    if points_a_unit < 1:
        raise ValueError("a unit is at least one point")
    half = 2 * abs(difference) // points_a_unit
    return half if difference >= 0 else -half


def lines_of_game(
    entrants: Sequence[int],
    margin: int | None,
    winner: int | None,
    handicap: Handicap,
    points: Points,
    *,
    board: int = 0,
    manner: Manner = "played",
) -> dict[int, Line]:
    """The lines of the two entrants of a board that was played.

    Args:
        entrants: starting numbers in seat order.
        margin: by how many half units the first seat won, negative if it lost, before the handicap;
            None where the title has no score, or the game ended before its end.
        winner: seat index of who won by the rules, None for a draw.
        handicap: what a seat gave for its side.
        points: of the charter's stage.

    With a handicap, what is left of the margin decides. Without one who won by the rules has won,
    and the margin only tells how close it was: outright where there is none (a resignation, a flag,
    a title without a score) or where it speaks for the loser, close where the rule book gives a
    score that is level to somebody.

    Raises ValueError for a board that is not of two.
    """
    first, second = entrants
    half = 0
    if margin is not None and handicap.half:
        half = margin + handicap.of(0)
        result = of_margin(half, points)
    elif winner is None:
        result = "draw"
    else:
        ahead = margin if winner == 0 or margin is None else -margin
        won: Result = "win"
        if ahead is not None and 0 <= ahead < points.close:
            won = "close_win"
        if ahead is not None and ahead > 0:
            half = ahead if winner == 0 else -ahead
        result = won if winner == 0 else TURNED[won]
    turned = TURNED[result]
    return {
        first: Line(manner, worth(result, points), result, (second,), 0, half, board),
        second: Line(manner, worth(turned, points), turned, (first,), 1, -half, board),
    }


def lines_of_forfeit(
    entrants: Sequence[int], winner: int | None, points: Points, *, board: int = 0
) -> dict[int, Line]:
    """The lines of a board that was paired and not played: `winner` is the seat index of who was
    there, None if nobody was."""
    made = {}
    for seat, number in enumerate(entrants):
        won = seat == winner
        made[number] = Line(
            "forfeit",
            points.forfeit_win if won else points.forfeit_loss,
            "win" if won else "loss",
            tuple(other for other in entrants if other != number),
            seat,
            0,
            board,
        )
    return made


def line_of_bye(manner: Manner, points: Points) -> Line:
    """The line of a bye or an absence. Raises ValueError for another manner."""
    if manner == "pairing_bye":
        return Line(manner, points.bye)
    if manner == "full_bye":
        return Line(manner, points.full_bye)
    if manner == "half_bye":
        return Line(manner, points.half_bye)
    if manner in ("zero_bye", "absent"):
        return Line(manner, points.zero_bye)
    raise ValueError(f"{manner!r} is no bye")


def missed(count: int, late: Late, points: Points) -> tuple[Line, ...]:
    """The lines of the first `count` rounds for who enters after them: half-point byes up to the
    charter's number, the latest rounds first, and absences."""
    halves = min(count, late.halves) if late.missed == "half" else 0
    return tuple(
        line_of_bye("half_bye" if n >= count - halves else "absent", points) for n in range(count)
    )
