"""FIDE C.04.3 by looking at every pairing there is: for small fields, and only for tests.

It shares nothing with the chapter it checks but the cards. All complete pairings are listed; then
bracket after bracket from the top those stay whose candidate is best by 2.4, and of these the one
that is generated first (3.6, 3.7, 4).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from warledger.engine.tournaments.crosstable import Crosstable
from warledger.engine.tournaments.swiss.playercards import Card, Scale, card

Whole = tuple[tuple[int, int], ...]
"""Pairs of places in the order, the second -1 for the bye."""


def _every(
    left: tuple[int, ...], cards: list[Card], free: bool, barred: Collection[frozenset[int]]
) -> Iterator[Whole]:
    if not left:
        yield ()
        return
    first, rest = left[0], left[1:]
    if free and cards[first].bye:
        for more in _every(rest, cards, False, barred):
            yield ((first, -1), *more)
    for other in rest:
        one, two = cards[first], cards[other]
        owed = one.strength == two.strength == "absolute" and one.due == two.due
        if frozenset((one.number, two.number)) in barred:
            continue
        if two.number in one.met or (owed and not one.topscorer and not two.topscorer):
            continue
        for more in _every(tuple(v for v in rest if v != other), cards, free, barred):
            yield ((first, other), *more)


def best(
    table: Crosstable, present: Collection[int], forbidden: Collection[tuple[int, int]] = ()
) -> frozenset[frozenset[int]] | None:
    """The pairs by starting number, a bye alone in its set; None where there is no pairing."""
    barred = [frozenset(pair) for pair in forbidden]
    cards = sorted((card(table, n, Scale()) for n in present), key=lambda c: (-c.score, c.number))
    wholes = list(_every(tuple(range(len(cards))), cards, len(cards) % 2 == 1, barred))
    if not wholes:
        return None

    def bye_score(whole: Whole) -> int:  # C5
        return next((cards[a].score for a, b in whole if b < 0), 0)

    least = min(map(bye_score, wholes))
    wholes = [whole for whole in wholes if bye_score(whole) == least]
    scores = sorted({one.score for one in cards}, reverse=True)
    moved: list[int] = []
    done: list[tuple[int, int]] = []
    for depth, score in enumerate(scores):
        residents = [v for v, one in enumerate(cards) if one.score == score]
        following = [
            v
            for v, one in enumerate(cards)
            if depth + 1 < len(scores) and one.score == scores[depth + 1]
        ]
        bracket = _Bracket(cards, moved, residents, following, least)
        # Pairs are made by a resident and somebody of the bracket.
        chosen = min(wholes, key=bracket.value)
        pairs = bracket.pairs(chosen)
        wholes = [whole for whole in wholes if set(bracket.pairs(whole)) == set(pairs)]
        done += pairs
        paired = {v for pair in pairs for v in pair}
        moved = [v for v in moved + residents if v not in paired]
    (whole,) = {tuple(sorted(whole)) for whole in wholes}
    return frozenset(frozenset(cards[v].number for v in pair if v >= 0) for pair in whole)


class _Bracket:
    def __init__(
        self,
        cards: list[Card],
        moved: list[int],
        residents: list[int],
        following: list[int],
        bye_score: int,
    ) -> None:
        self.cards, self.moved, self.residents = cards, moved, residents
        self.following, self.bye_score = following, bye_score
        self.members = set(moved) | set(residents)

    def pairs(self, whole: Whole) -> list[tuple[int, int]]:
        """The candidate: pairs of the bracket that have a resident."""
        there = set(self.residents)
        return [
            (a, b)
            for a, b in whole
            if a in self.members and b in self.members and (a in there or b in there)
        ]

    def _floating(self, pairs: list[tuple[int, int]], members: set[int]) -> list[int]:
        paired = {v for pair in pairs for v in pair}
        return sorted(members - paired)

    def value(self, whole: Whole) -> tuple[object, ...]:
        """Less is better: C6 to C21, then the order of generation."""
        cards, pairs = self.cards, self.pairs(whole)
        down = self._floating(pairs, self.members)
        value: list[object] = [len(down), [cards[v].score for v in down]]
        beyond = set(down) | set(self.following)
        nexts = [
            (a, b)
            for a, b in whole
            if a in beyond and b in beyond and (a in self.following or b in self.following)
        ]
        left = self._floating(nexts, beyond)
        value += [len(left), [cards[v].score for v in left]]
        bye = next((a for a, b in whole if b < 0), None)
        alone = down == [bye] and bye is not None and cards[bye].score == self.bye_score
        alone = alone and bye in self.residents
        value.append(cards[bye].unplayed if alone and bye is not None else 0)
        value += [sum(rule(cards[a], cards[b]) for a, b in pairs) for rule in (c10, c11, c12, c13)]
        for back in (0, 1):
            value.append(sum(cards[v].floats[back] == "down" for v in down if v in self.residents))
            value.append(sum(cards[self._low(p)].floats[back] == "up" for p in self._mixed(pairs)))
        low = cards[self.residents[0]].score
        for back in (0, 1):
            value.append(
                sorted(
                    (
                        cards[v].score - low + (1000 if v in down else 0)
                        for v in self.moved
                        if cards[v].floats[back] == "down"
                    ),
                    reverse=True,
                )
            )
            value.append(
                sorted(
                    (
                        cards[self._high(p)].score - low
                        for p in self._mixed(pairs)
                        if cards[self._low(p)].floats[back] == "up"
                    ),
                    reverse=True,
                )
            )
        return (*value, *self._order(pairs))

    def _low(self, pair: tuple[int, int]) -> int:
        return max(pair)

    def _high(self, pair: tuple[int, int]) -> int:
        return min(pair)

    def _mixed(self, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        return [pair for pair in pairs if pair[0] in self.moved or pair[1] in self.moved]

    def _order(self, pairs: list[tuple[int, int]]) -> tuple[object, ...]:
        """When the candidate is generated."""
        mate = dict(pairs) | {b: a for a, b in pairs}
        moved = sorted(v for v in self.moved if v in mate)
        remainder = [v for v in self.residents if mate.get(v) not in self.moved]
        number = {v: place for place, v in enumerate(sorted(remainder))}
        first = sorted(v for v in remainder if v in mate and mate[v] > v)
        size = len(first)
        original, now = set(sorted(remainder)[:size]), set(first)
        out = sorted((number[v] for v in original - now), reverse=True)
        came = sorted(number[v] for v in now - original)
        return (
            moved,
            [mate[v] for v in moved],
            len(out),
            sum(came) - sum(out),
            [-n for n in out],
            came,
            [mate[v] for v in first],
        )


def c12(one: Card, two: Card) -> bool:
    """A preference is not met."""
    return one.due is not None and one.due == two.due


def c13(one: Card, two: Card) -> bool:
    """A strong one is not met."""
    kinds = {one.strength, two.strength}
    return c12(one, two) and kinds in ({"strong"}, {"strong", "absolute"})


def c10(one: Card, two: Card) -> bool:
    """A difference goes beyond two."""
    return c12(one, two) and min(abs(one.imbalance), abs(two.imbalance)) > 1


def c11(one: Card, two: Card) -> bool:
    """A side comes three times running."""
    if not c12(one, two) or one.strength != "absolute" or two.strength != "absolute":
        return False
    if abs(one.imbalance) == abs(two.imbalance):
        return one.repeated is not None and one.repeated == two.repeated
    loser = min((one, two), key=lambda c: abs(c.imbalance))
    return loser.repeated is not None and loser.due != loser.repeated
