"""Games that are not over when their round is: by score, by a panel, by the director.

A panel's members see the board and the clocks, each seals a percentage for the first seat, and all
are opened together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from attrs import frozen

from warledger.engine.tournaments.charter import Points, Unfinished
from warledger.engine.tournaments.crosstable import Line, Result
from warledger.engine.tournaments.points import TURNED, Handicap, of_margin, worth


@frozen
class Judged:
    """How a board was judged: the first seat's result, its margin in half units after the handicap
    (0 where none was counted), and the panel's mean percentage."""

    result: Result
    half: int = 0
    mean: Fraction | None = None


class BadJudgement(ValueError):
    """Percentages that are none, or not of the whole panel."""


def by_score(margin: int, handicap: Handicap, rules: Unfinished, points: Points) -> Judged:
    """By the score as it stood at the last whole turn, or the last record: `margin` is the first
    seat's in half units. A margin below the charter's bound, after the handicap, is a draw."""
    half = margin + (handicap.of(0) if handicap.half else 0)
    if abs(half) < rules.draw:
        return Judged("draw")
    return Judged(of_margin(half, points), half)


def by_panel(percentages: Sequence[int], rules: Unfinished) -> Judged:
    """By the mean of the panel's percentages for the first seat: up to `loss_to` it has lost, from
    `win_from` on won, between the two it is a draw. Raises BadJudgement."""
    if len(percentages) != rules.panel:
        raise BadJudgement(f"the panel has {rules.panel} members, each gives one percentage")
    if any(type(one) is not int or not 0 <= one <= 100 for one in percentages):
        raise BadJudgement("a percentage is a whole number from 0 to 100")
    mean = Fraction(sum(percentages), len(percentages))
    result: Result = "draw"
    if mean <= rules.loss_to:
        result = "loss"
    elif mean >= rules.win_from:
        result = "win"
    return Judged(result, 0, mean)


def lines(
    entrants: Sequence[int], judged: Judged, points: Points, board: int = 0
) -> dict[int, Line]:
    """The lines of the two entrants of a board that was judged, in seat order."""
    first, second = entrants
    turned = TURNED[judged.result]
    return {
        first: Line(
            "adjudicated",
            worth(judged.result, points),
            judged.result,
            (second,),
            0,
            judged.half,
            board,
        ),
        second: Line(
            "adjudicated", worth(turned, points), turned, (first,), 1, -judged.half, board
        ),
    }


def share_of_time(used_ms: Mapping[str, int]) -> dict[str, Fraction]:
    """What part of the time that all seats used each of them used: a fact of the log, shown beside
    a judgement. Empty if nobody has used any."""
    total = sum(used_ms.values())
    return {seat: Fraction(used, total) for seat, used in used_ms.items()} if total else {}
