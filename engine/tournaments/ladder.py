"""Ladders and leagues: who stands where after a round, and who may challenge whom."""

from collections.abc import Collection, Mapping, Sequence

from attrs import frozen


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
    """Whether an entrant may challenge another: who stands above them by at most `within`, or
    anywhere above them where that is 0."""
    distance = order.index(who) - order.index(whom)
    return distance > 0 and (not within or distance <= within)


def by_rating(ratings: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """The ladder *rating*: entrants by rating, of equals the smaller number first.

    Args:
        ratings: pairs of number and rating.
    """
    return tuple(number for number, _ in sorted(ratings, key=lambda one: (-one[1], one[0])))


def may_count(opponents: Sequence[int], opponent: int, share: int = 3) -> bool:
    """Whether one more game against that opponent counts: at most one in `share` of one's games is
    against one opponent, and the first game against anybody counts; 0: every game does.

    Args:
        opponents: of the games that counted so far.
    """
    same = sum(one == opponent for one in opponents)
    return same == 0 or share * (same + 1) <= (len(opponents) + 1 if share else 0)


@frozen
class LadderRound:
    """A round of a ladder: pairs, who stands higher first, and who is left over."""

    boards: tuple[tuple[int, int], ...]
    free: tuple[int, ...]


def meetings(
    order: Sequence[int],
    here: Collection[int],
    met: Mapping[int, Sequence[int]],
    challenges: Sequence[tuple[int, int]] = (),
    within: int = 0,
    share: int = 0,
) -> LadderRound:
    """Who meets whom: challenges first, in the order in which they were made. Then from the top
    everybody meets the nearest below whom they did not meet last; then who is left the nearest.

    Args:
        order: the ladder from the top.
        here: who plays.
        met: for each the opponents of their games, the newest last.
        challenges: who challenges whom.
        within: no two meet who stand further apart; 0: no bound.
        share: at most one game in this number is against the same opponent; 0: no bound.
    """
    left = [one for one in order if one in here]
    boards: list[tuple[int, int]] = []

    def may(one: int, other: int) -> bool:
        near = not within or abs(order.index(one) - order.index(other)) <= within
        return (
            near
            and may_count(met.get(one, ()), other, share)
            and may_count(met.get(other, ()), one, share)
        )

    def last(one: int) -> int | None:
        return met[one][-1] if met.get(one) else None

    def sit(one: int, other: int) -> None:
        boards.append((one, other) if order.index(one) < order.index(other) else (other, one))
        left.remove(one)
        left.remove(other)

    for who, whom in challenges:
        if who in left and whom in left and may(who, whom):
            sit(who, whom)
    for fresh in (True, False):
        for one in tuple(left):
            if one not in left:
                continue
            below = left[left.index(one) + 1 :]
            found = [other for other in below if may(one, other)]
            if fresh:
                found = [other for other in found if last(one) != other and last(other) != one]
            if found:
                sit(one, found[0])
    boards.sort(key=lambda pair: order.index(pair[0]))
    return LadderRound(tuple(boards), tuple(left))


def season(groups: Sequence[Sequence[int]], promoted: int) -> tuple[tuple[int, ...], ...]:
    """The next season's groups of a league: `promoted` go up from each, and as many come down.

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
