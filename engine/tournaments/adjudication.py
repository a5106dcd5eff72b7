"""Games that are not over when their round is, judged by a panel; one judged by its score is
`points.outcome`'s.

A panel's members see the board and the clocks, each seals a percentage for the first seat, and all
are opened together.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from attrs import frozen

from warledger.engine.tournaments.charter import Unfinished
from warledger.engine.tournaments.crosstable import Result


@frozen
class Judged:
    """How a board was judged: the first seat's result, and the panel's mean percentage."""

    result: Result
    mean: Fraction


class BadJudgement(ValueError):
    """Percentages that are none, or not of the whole panel."""


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
    return Judged(result, mean)


def share_of_time(used_ms: Mapping[str, int]) -> dict[str, Fraction]:
    """What part of the time that all seats used each of them used: a fact of the log, shown beside
    a judgement. Empty if nobody has used any."""
    total = sum(used_ms.values())
    return {seat: Fraction(used, total) for seat, used in used_ms.items()} if total else {}
