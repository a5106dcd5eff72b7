"""Ladders and leagues: who stands where after a round, and who may challenge whom."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def passing(
    order: Sequence[int], winners: Collection[int], losers: Collection[int]
) -> tuple[int, ...]:
    """The ladder *pass* after a round: winners pass all above them who lost, and nobody else; a
    leader who loses falls half way.

    Args:
        order: the ladder from the top; who did not play, or drew, is neither winner nor loser.
    """
    both = [one for one in order if one in winners and one in losers]
    if both:
        raise ValueError(f"{both[0]} cannot have won and lost the same round")
    last = max((place for place, one in enumerate(order) if one in winners), default=-1)
    above = order[: last + 1]
    passed = [one for one in above if one in losers]
    found = [one for one in above if one not in losers] + passed + list(order[last + 1 :])
    if order and order[0] in losers:
        found.remove(order[0])
        found.insert(len(order) // 2, order[0])
    return tuple(found)


def may_challenge(order: Sequence[int], who: int, whom: int, within: int) -> bool:
    """Whether an entrant may challenge another: who stands above them by at most `within`."""
    distance = order.index(who) - order.index(whom)
    return 0 < distance <= within


def by_rating(ratings: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """The ladder *rating*: entrants by rating, of equals the smaller number first.

    Args:
        ratings: pairs of number and rating.
    """
    return tuple(number for number, _ in sorted(ratings, key=lambda one: (-one[1], one[0])))


def may_count(opponents: Sequence[int], opponent: int) -> bool:
    """Whether one more game against that opponent counts: at most a third of one's games are
    against one opponent, and the first game against anybody counts.

    Args:
        opponents: of the games that counted so far.
    """
    same = sum(one == opponent for one in opponents)
    return same == 0 or 3 * (same + 1) <= len(opponents) + 1


def season(groups: Sequence[Sequence[int]], promoted: int) -> tuple[tuple[int, ...], ...]:
    """The next season's groups of a league: so many go up from each, and as many come down.

    Args:
        groups: from the highest group, each in its final order.
    """
    smallest = min(map(len, groups), default=0)
    if promoted and len(groups) > 2 and smallest < 2 * promoted:
        raise ValueError(f"a group of {smallest} cannot send {promoted} up and {promoted} down")
    if promoted > smallest:
        raise ValueError(f"a group of {smallest} cannot send {promoted} up")
    found: list[tuple[int, ...]] = []
    for level, group in enumerate(groups):
        top = 0 if level == 0 else promoted
        bottom = len(group) - (promoted if level < len(groups) - 1 else 0)
        down = groups[level - 1][len(groups[level - 1]) - promoted :] if level else ()
        up = groups[level + 1][:promoted] if level < len(groups) - 1 else ()
        found.append((*(down if promoted else ()), *group[top:bottom], *up))
    return tuple(found)
