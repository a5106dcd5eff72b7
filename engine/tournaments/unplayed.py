"""Rounds that were not played, as FIDE C.07 art. 15 and 16 count them (edition from March 2026).

The articles are about Swiss tournaments. Where pairings are fixed beforehand (all play all), art.
15.2 takes forfeits as games, and nothing else can be unplayed.
"""

from collections.abc import Sequence
from typing import Final

from warledger.engine.tournaments.crosstable import Line

REQUESTED: Final = frozenset({"half_bye", "zero_bye", "absent"})
"""Art. 16.1.1: byes that were asked for. Who is absent, has withdrawn or comes late has asked for a
zero-point bye, whatever the charter gives."""


def requested(line: Line) -> bool:
    """Whether a round is a requested bye (art. 16.1.1)."""
    return line.manner in REQUESTED


def voluntary(line: Line) -> bool:
    """Whether a round is a voluntary unplayed round (art. 16.1.2): a requested bye, or a loss by
    forfeit."""
    return line.manner in REQUESTED or (line.manner == "forfeit" and line.result != "win")


def late_requests(lines: Sequence[Line]) -> frozenset[int]:
    """The rounds, from 0, that are requested byes followed by voluntary unplayed rounds only, or
    in the last round (art. 16.2.5)."""
    found = []
    for n in range(len(lines) - 1, -1, -1):
        if not voluntary(lines[n]):
            break
        if requested(lines[n]):
            found.append(n)
    return frozenset(found)


def adjusted(lines: Sequence[Line], draw: int) -> int:
    """An entrant's score as their opponents' tie-breaks see it (art. 16.3): rounds of category
    16.2.5 count as draws, all others what they brought."""
    late = late_requests(lines)
    if not late:
        return sum(line.points for line in lines)
    return sum(draw if n in late else line.points for n, line in enumerate(lines))


def dummy(score: int, *, rounds: int, draw: int, scheduled: int | None) -> int:
    """The score of the dummy against which an unplayed round counts for the entrant's own
    tie-breaks (art. 16.4).

    Args:
        score: the entrant's own.
        rounds: of the tournament.
        draw: what a draw brings.
        scheduled: for a forfeit, the scheduled opponent's adjusted score (16.4.1); None for all
            other unplayed rounds (16.4.2).
    """
    return min(score, rounds * draw if scheduled is None else scheduled)
