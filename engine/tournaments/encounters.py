"""Direct encounter (FIDE C.07 art. 6): those who are tied are ranked by the games among them."""

from collections.abc import Sequence
from fractions import Fraction

from attrs import frozen

from warledger.engine.tournaments.tiebreaks import Scores


@frozen
class Encounter:
    """An entrant in the table of those who are tied.

    Attributes:
        number: the entrant.
        points: from the games among them, the average where two met more than once.
        most: what they could have at most if the games that are missing were played.
        place: among those tied, from 1; equal for those whom the encounters do not part.
        tied: how many were tied.
        against: (opponent, points) of the games among them.
    """

    number: int
    points: Fraction
    most: Fraction
    place: int
    tied: int
    against: tuple[tuple[int, Fraction], ...]


def rank(group: Sequence[int], scores: Scores) -> list[list[Encounter]]:
    """The tied entrants of a group, best first, those who stay tied together.

    If all of them have met, their table ranks them. Art. 6 is applied again to those of them who
    are still tied (6.2). Otherwise whoever is alone on top whatever the missing games would bring
    is ranked first, then the second in the same table, and so on. Art. 6 is applied again to the
    rest (6.3).
    """
    return _ranked(group, scores, 1)


def _ranked(group: Sequence[int], scores: Scores, first: int) -> list[list[Encounter]]:
    table = _table(group, scores, first)
    if len(group) == 1:
        return [table]
    if all(one.points == one.most for one in table) and _all_met(group, scores):
        parts: list[list[Encounter]] = []
        for one in table:
            if parts and parts[-1][0].points == one.points:
                parts[-1].append(one)
            else:
                parts.append([one])
        if len(parts) == 1:
            return [table]
        made: list[list[Encounter]] = []
        place = first
        for part in parts:
            if len(part) == 1:
                made.append([_at(part[0], place)])
            else:
                made.extend(_ranked([one.number for one in part], scores, place))
            place += len(part)
        return made
    made = []
    rest = list(table)
    while len(rest) > 1:
        best = max(rest, key=lambda one: one.points)
        if any(other.most >= best.points for other in rest if other is not best):
            break
        made.append([_at(best, first + len(made))])
        rest.remove(best)
    if not made:
        return [table]
    return [*made, *_ranked([one.number for one in rest], scores, first + len(made))]


def _at(one: Encounter, place: int) -> Encounter:
    return Encounter(one.number, one.points, one.most, place, one.tied, one.against)


def _all_met(group: Sequence[int], scores: Scores) -> bool:
    inside = set(group)
    return all(
        sum(other in inside for other in scores.meetings[one]) == len(inside) - 1 for one in group
    )


def _table(group: Sequence[int], scores: Scores, place: int) -> list[Encounter]:
    """The table of a group, the most points first, then by starting number."""
    inside = set(group)
    win = scores.terms.points.win
    made = []
    for number in group:
        against = tuple(
            (other, Fraction(points, games))
            for other, (points, games) in sorted(scores.meetings[number].items())
            if other in inside
        )
        points = sum((one for _, one in against), Fraction(0))
        missing = len(group) - 1 - len(against)
        made.append(Encounter(number, points, points + missing * win, place, len(group), against))
    return sorted(made, key=lambda one: (-one.points, one.number))
