"""Whom an entrant of a large field may be paired with: the nearest in the order of points.

Over all pairs of a field of a thousand a matching takes ten times as long and comes out the same.
So the rule itself names the candidates: by points, and of equals by lot, the sixty nearest whom the
entrant may meet. They are twice as many whenever not everybody can be paired so.
"""

from collections.abc import Callable, Iterator, Sequence

from warledger.engine.tournaments.swiss.descent import Edge, matchable
from warledger.engine.tournaments.swiss.paired import Matcher

NEAREST = 60
"""So many candidates each, as long as they suffice."""


def candidates(
    count: int, fits: Callable[[int, int], bool], matcher: Matcher
) -> tuple[Edge, ...] | None:
    """The pairs that are considered, by position in the order; None if not all can be paired.

    Args:
        count: how many there are.
        fits: whether the entrants at two positions may meet.
    """
    most = NEAREST
    while True:
        found = {
            (min(a, b), max(a, b)) for a in range(count) for b in _nearest(a, count, fits, most)
        }
        edges = tuple(sorted(found))
        if matchable(matcher, range(count), lambda a, b, known=found: (a, b) in known):  # type: ignore[misc]
            return edges
        if most >= count:
            return None
        most *= 2


def _nearest(
    position: int, count: int, fits: Callable[[int, int], bool], most: int
) -> Sequence[int]:
    """The nearest whom one may meet; of two at the same distance the one with fewer points."""
    found: list[int] = []
    for other in _outwards(position, count):
        if fits(position, other):
            found.append(other)
            if len(found) == most:
                break
    return found


def _outwards(position: int, count: int) -> Iterator[int]:
    for distance in range(1, count):
        if position + distance < count:
            yield position + distance
        if position >= distance:
            yield position - distance
