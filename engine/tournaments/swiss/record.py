"""The Swiss system `record`: what most wargame tournaments do, made exact.

1. The first round by lots, the top half against the bottom half, or the first against the last.
2. Later, groups of equal points from the top. In each as many pairs as possible, so long as
   everybody below can still be paired. Who is left joins the next group and plays there first.
3. Of these pairings the one with the fewest who must take the side they had more often, then the
   fewest who go down twice running. Nobody meets somebody owed the same side absolutely. (The sum
   of the differences in points is the same for all of them: it follows from 2.)
4. Of these the one with the least sum of lots, 40 bits a pair. So one pairing is right, whoever
   computes it.
5. With an odd number a bye for who has the fewest points and none yet, by lots; or an eliminator:
   a volunteer plays a second board, against them.

Where sides are bid for, the sides in 3 fall away.
"""

import hashlib
from collections.abc import Callable, Collection, Sequence
from typing import Literal

from attrs import define

from warledger.engine.tournaments.crosstable import Crosstable
from warledger.engine.tournaments.swiss.candidates import candidates
from warledger.engine.tournaments.swiss.descent import Cost, Descent, Edge, matchable
from warledger.engine.tournaments.swiss.paired import CannotPair, Matcher, Paired, left_over
from warledger.engine.tournaments.swiss.playercards import WHITE, Card, Scale, card, settled

Lots = Callable[[int, int], int]
"""The lot of two entrants by number, the smaller first, of one entrant's place (0 and the number),
and of the bye (the number twice): 0 to 2**40 - 1."""

First = Literal["lots", "halves", "ends"]
"""How the first round is paired: by lots, the top half against the bottom half in order, or the
first against the last."""


def lots_from(seed: bytes) -> Lots:
    """The lots of a round from its seed: the first 40 bits of the SHA-256 of
    `"warledger/pairing/1"`, the seed and both numbers, 4 bytes each, big-endian."""

    def lot(a: int, b: int) -> int:
        text = b"warledger/pairing/1" + seed + a.to_bytes(4, "big") + b.to_bytes(4, "big")
        return int.from_bytes(hashlib.sha256(text).digest()[:5], "big")

    return lot


def record(
    table: Crosstable,
    present: Collection[int],
    matcher: Matcher,
    lots: Lots,
    *,
    first: First = "lots",
    sides: bool = True,
    scale: Scale | None = None,
    forbidden: Collection[tuple[int, int]] = (),
    volunteers: Collection[int] | None = None,
    again_after: int = 0,
    bye_again: bool = False,
) -> Paired:
    """Pairs the next round.

    Args:
        table: the rounds so far.
        present: the numbers of those who are to be paired.
        matcher: finds a matching of greatest weight.
        lots: the round's lots.
        first: how the first round is paired.
        sides: whether sides are balanced; False where they are bid for or chosen. Boards then have
            the smaller number first.
        scale: what a win and a loss are worth.
        forbidden: pairs that may not meet, in addition to those who have met.
        volunteers: who would play a second board; None where the charter gives a bye instead.
        again_after: two may meet again after this number of rounds; 0 for never, -1 for at once.
        bye_again: whether somebody may have a second bye where everybody has had one.

    Raises:
        CannotPair: the rules leave no pairing.
    """
    scale = scale or Scale()
    cards = [card(table, one, scale) for one in sorted(set(present))]
    if len(cards) < 2:
        raise CannotPair("nobody", tuple(one.number for one in cards))
    cards.sort(key=lambda one: (-one.score, lots(0, one.number)))
    met = _met(table, again_after)
    barred = {frozenset(pair) for pair in forbidden}
    field = _Field(cards, matcher, lots, sides, met, barred)
    alone: Card | None = None
    second: Card | None = None
    if len(cards) % 2:
        alone, second = field.left_over(volunteers, bye_again)
        cards.remove(alone)
    pairs = field.first(first) if not table.rounds else field.later()
    pairs.sort(key=lambda pair: (-pair[0].score, -pair[1].score, *field.lot_key(*pair)))
    boards = [field.seated(*pair) for pair in pairs]
    if alone and second:
        boards.append(field.seated(second, alone))
    floats = [pair for pair in pairs if pair[0].score != pair[1].score]
    bye = alone.number if alone and not second else None
    return Paired(
        boards=tuple(boards),
        bye=bye,
        eliminator=second.number if second else None,
        downfloats=tuple(sorted([high.number for high, _ in floats] + ([bye] if bye else []))),
        upfloats=tuple(sorted(low.number for _, low in floats)),
    )


def _met(table: Crosstable, again_after: int) -> dict[int, set[int]]:
    """Whom each entrant has met too lately to meet again."""
    rounds = table.rounds if not again_after else table.rounds[-again_after:]
    if again_after < 0:
        rounds = ()
    met: dict[int, set[int]] = {one.number: set() for one in table.entrants}
    for one in rounds:
        for number, line in one.items():
            if line.played:
                met.setdefault(number, set()).update(line.opponents)
                for other in line.opponents:
                    # Who played a second board has no line of it.
                    met.setdefault(other, set()).add(number)
    return met


@define
class _Field:
    """Who is to be paired, in the order of points and of equals by lot."""

    cards: list[Card]
    matcher: Matcher
    lots: Lots
    sides: bool
    met: dict[int, set[int]]
    barred: Collection[frozenset[int]]

    def fit(self, one: Card, other: Card) -> bool:
        """Whether two may meet."""
        return (
            other.number not in self.met[one.number]
            and frozenset((one.number, other.number)) not in self.barred
            and not (self.sides and one.absolute and other.absolute and one.due == other.due)
        )

    def fits(self, a: int, b: int) -> bool:
        """Whether those at two positions may meet."""
        return self.fit(self.cards[a], self.cards[b])

    def lot(self, one: Card, other: Card) -> int:
        """The lot of a pair."""
        a, b = sorted((one.number, other.number))
        return self.lots(a, b)

    def lot_key(self, one: Card, other: Card) -> tuple[int, int]:
        """Orders boards that are equal: by the places that lots gave their entrants."""
        a, b = sorted((self.lots(0, one.number), self.lots(0, other.number)))
        return a, b

    def left_over(
        self, volunteers: Collection[int] | None, bye_again: bool
    ) -> tuple[Card, Card | None]:
        """Who is left over, and who plays a second board against them, if anybody does."""
        by_lot = sorted(self.cards, key=lambda one: (one.score, self.lots(one.number, one.number)))
        again = bye_again and not any(one.bye for one in self.cards)
        refused: list[Card] = []
        for one in by_lot:
            second = self._eliminator(one, volunteers)
            if second is None and not one.bye and not again:
                continue
            refused.append(one)
            rest = [v for v, other in enumerate(self.cards) if other is not one]
            if matchable(self.matcher, rest, self.fits):
                return one, second
        if not refused:
            raise CannotPair("bye", tuple(sorted(one.number for one in self.cards)))
        raise self._refusal()

    def _eliminator(self, alone: Card, volunteers: Collection[int] | None) -> Card | None:
        """The volunteer nearest in points, of equals by lot."""
        able = [
            one
            for one in self.cards
            if one is not alone and one.number in (volunteers or ()) and self.fit(one, alone)
        ]
        return min(
            able,
            key=lambda one: (abs(one.score - alone.score), self.lot(one, alone)),
            default=None,
        )

    def _refusal(self) -> CannotPair:
        cards = sorted(self.cards, key=lambda one: one.order)
        left = left_over(self.matcher, len(cards), lambda a, b: self.fit(cards[a], cards[b]))
        return CannotPair("absolute", tuple(sorted(cards[v].number for v in left)))

    def _descent(self) -> Descent:
        edges = candidates(len(self.cards), self.fits, self.matcher)
        if edges is None:
            raise self._refusal()
        return Descent(
            matcher=self.matcher,
            inside=len(self.cards),
            outside=0,
            edges=list(edges),
            fits=self.fits,
            loose=False,
        )

    def _result(self, descent: Descent) -> list[tuple[Card, Card]]:
        return [(self.cards[a], self.cards[b]) for a, b in enumerate(descent.mates) if a < b]

    def _lots(self, edges: Sequence[Edge]) -> Cost:
        return Cost("lots", {(a, b): self.lot(self.cards[a], self.cards[b]) for a, b in edges})

    def first(self, how: First) -> list[tuple[Card, Card]]:
        """The first round."""
        if how == "lots":
            return self.later()
        self.cards.sort(key=lambda one: one.number)
        descent = self._descent()
        count = len(self.cards)

        def away(a: int, b: int) -> int:
            """How far a pair is from the one that the order asks for."""
            return abs(b - a - count // 2) if how == "halves" else abs(a + b - count + 1)

        descent.minimise([Cost(how, {(a, b): away(a, b) for a, b in descent.edges})])
        descent.minimise([self._lots(descent.edges)])
        return self._result(descent)

    def later(self) -> list[tuple[Card, Card]]:
        """A later round: groups from the top, sides, floats, lots."""
        descent = self._descent()
        descent.minimise(self._groups(descent.edges))
        descent.minimise(self._merits(descent.edges))
        descent.minimise([self._lots(descent.edges)])
        return self._result(descent)

    def _groups(self, edges: Sequence[Edge]) -> list[Cost]:
        """Below each group in turn: how many go on from it, and of those, from the top, how many
        had come to it already."""
        scores = sorted({one.score for one in self.cards}, reverse=True)
        level = {score: depth for depth, score in enumerate(scores)}
        going: dict[int, dict[int, dict[Edge, int]]] = {g: {} for g in range(len(scores) - 1)}
        every: dict[int, dict[Edge, int]] = {g: {} for g in range(len(scores) - 1)}
        for a, b in edges:
            start, end = level[self.cards[a].score], level[self.cards[b].score]
            for g in range(start, end):
                every[g][a, b] = 1
                if start < g:
                    going[g].setdefault(start, {})[a, b] = 1
        costs: list[Cost] = []
        for g in range(len(scores) - 1):
            costs.append(Cost(f"below {scores[g]}", every[g]))
            costs += [
                Cost(f"below {scores[g]} again from {scores[start]}", going[g][start])
                for start in sorted(going[g])
            ]
        return [cost for cost in costs if cost.edge]

    def _merits(self, edges: Sequence[Edge]) -> list[Cost]:
        """Sides had more often, and going down twice running."""
        often: dict[Edge, int] = {}
        down: dict[Edge, int] = {}
        for a, b in edges:
            one, other = self.cards[a], self.cards[b]
            if self.sides and one.imbalance * other.imbalance > 0:
                often[a, b] = 1
            if one.score > other.score and one.floats[0] == "down":
                down[a, b] = 1
        return [Cost("sides", often), Cost("down again", down)]

    def seated(self, one: Card, other: Card) -> tuple[int, int]:
        """A pair in the order of seats: the side due, else by the lot of the pair."""
        if not self.sides:
            return min(one.number, other.number), max(one.number, other.number)
        one, other = sorted((one, other), key=lambda each: each.number)
        side = settled(one, other)
        if side is None:
            side = self.lot(one, other) & 1
        return (one.number, other.number) if side == WHITE else (other.number, one.number)
