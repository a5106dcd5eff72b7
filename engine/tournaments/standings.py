"""Standings: entrants by points, then by the charter's tie-breaks in their order."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby

from attrs import frozen

from warledger.engine.tournaments import encounters, tiebreaknames, tiebreaks
from warledger.engine.tournaments.crosstable import Crosstable
from warledger.engine.tournaments.encounters import Encounter
from warledger.engine.tournaments.tiebreaknames import AMONG_TIED, TieBreak
from warledger.engine.tournaments.tiebreaks import Scores, Terms, Value


@frozen
class StandingsRow:
    """An entrant's place.

    Attributes:
        place: from 1; those whom nothing parts share it.
        number: the starting number.
        points: in the charter's unit.
        values: one for each tie-break of the list: a Value, an Encounter for "direct", or None
            where it does not apply: "shared", and "direct" for who was tied with nobody.
    """

    place: int
    number: int
    points: int
    values: tuple[Value | Encounter | None, ...]


def standings(
    table: Crosstable,
    names: Sequence[str],
    terms: Terms,
    among: Sequence[int] | None = None,
) -> tuple[StandingsRow, ...]:
    """The standings of a table.

    Args:
        table: all entrants and rounds so far.
        names: the tie-breaks, as the charter lists them.
        terms: points, seats and lots.
        among: the starting numbers to rank, such as one group's; None: all.

    Raises BadTieBreak for a name that is none.
    """
    kinds = [tiebreaknames.parse(name) for name in names]
    scores = Scores(table, terms)
    numbers = [one.number for one in table.entrants] if among is None else list(among)
    values: dict[int, list[Value | Encounter | None]] = {
        number: [
            None if kind.kind in AMONG_TIED else tiebreaks.value(kind, scores, number)
            for kind in kinds
        ]
        for number in numbers
    }
    ordered = sorted(numbers, key=lambda number: (-scores.score[number], number))
    made: list[StandingsRow] = []
    for _, tied in groupby(ordered, key=scores.score.__getitem__):
        for same in _parted(list(tied), kinds, 0, scores, values):
            place = len(made) + 1
            made.extend(
                StandingsRow(place, number, scores.score[number], tuple(values[number]))
                for number in same
            )
    return tuple(made)


def _parted(
    tied: list[int],
    kinds: Sequence[TieBreak],
    at: int,
    scores: Scores,
    values: dict[int, list[Value | Encounter | None]],
) -> list[list[int]]:
    """Tied entrants, best first; those who stay tied together, by starting number."""
    if len(tied) == 1 or at == len(kinds) or kinds[at].kind == "shared":
        return [sorted(tied)]
    if kinds[at].kind == "direct":
        ranked = encounters.rank(tied, scores)
        for same in ranked:
            for one in same:
                values[one.number][at] = one
        parts = [[one.number for one in same] for same in ranked]
    else:

        def key(number: int) -> tuple[int, int]:
            given = values[number][at]
            assert isinstance(given, Value)
            return given.number.numerator, given.number.denominator

        by_value: dict[tuple[int, int], list[int]] = {}
        for number in tied:
            by_value.setdefault(key(number), []).append(number)
        best_first = sorted(by_value, key=lambda one: Fraction(*one), reverse=True)
        parts = [by_value[one] for one in best_first]
    return [same for part in parts for same in _parted(part, kinds, at + 1, scores, values)]
