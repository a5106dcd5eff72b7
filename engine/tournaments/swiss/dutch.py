"""The Dutch system, FIDE C.04.3 in the edition in force from 1 February 2026.

The chapter reads as the articles do: who may meet (2.1), the brackets from the top (1.3, 3), what
makes one candidate better than another (2.4, in `criteria`), and which of equals comes first (3.6,
3.7, 4). Each bracket is paired with the next in view (C8) and only so that everybody below can
still be paired (C4). Candidates are not generated one by one: each criterion, and then each step of
the order in which they would be generated, is a cost that is minimised in its turn (`descent`). So
the first best candidate comes out, and no field is too large to be searched whole.
"""

from collections.abc import Collection, Sequence

from attrs import define, field
from attrs import evolve as replace

from warledger.engine.tournaments.crosstable import Crosstable
from warledger.engine.tournaments.swiss import criteria
from warledger.engine.tournaments.swiss.descent import Cost, Descent, matchable
from warledger.engine.tournaments.swiss.paired import CannotPair, Matcher, Paired, left_over
from warledger.engine.tournaments.swiss.playercards import (
    WHITE,
    Card,
    Scale,
    Virtual,
    allocate,
    card,
    numbering,
)

LOOSE_FROM = 24
"""From this number below the next bracket on they stay out of the graph as long as that does."""


def dutch(
    table: Crosstable,
    present: Collection[int],
    matcher: Matcher,
    *,
    scale: Scale | None = None,
    initial: int | None = None,
    forbidden: Collection[tuple[int, int]] = (),
    virtual: Virtual | None = None,
) -> Paired:
    """Pairs the next round.

    Args:
        table: the rounds so far; `planned` says which is the last (1.8).
        present: the numbers of those who are to be paired.
        matcher: finds a matching of greatest weight.
        scale: what a win and a loss are worth.
        initial: the initial colour (5.1), 0 for white; None reads it off the first round.
        forbidden: pairs that may not meet, in addition to those who have met.
        virtual: virtual points, where rounds are accelerated.

    Raises:
        CannotPair: the absolute criteria leave no pairing.
    """
    scale = scale or Scale()
    cards = sorted(
        (card(table, one, scale, virtual) for one in set(present)), key=lambda one: one.order
    )
    if len(cards) < 2:
        raise CannotPair("nobody", tuple(one.number for one in cards))
    field_ = _Field(cards, matcher, {frozenset(pair) for pair in forbidden})
    pairs = field_.pair()
    colour = initial_colour(table) if initial is None else initial
    numbers = numbering(table, {one.number for one in cards})
    boards = sorted(pairs, key=lambda pair: _board_order(*pair))
    playing = {one.number for pair in pairs for one in pair}
    bye = [one.number for one in cards if one.number not in playing]
    floats = [
        sorted(pair, key=lambda one: -one.score) for pair in pairs if pair[0].score != pair[1].score
    ]
    return Paired(
        boards=tuple(allocate(*pair, colour, numbers) for pair in boards),
        bye=bye[0] if bye else None,
        downfloats=tuple(sorted([high.number for high, _ in floats] + bye)),
        upfloats=tuple(sorted(low.number for _, low in floats)),
    )


def _board_order(first: Card, second: Card) -> tuple[int, int, int]:
    """Boards go by the higher score, the lower score, the number of the higher ranked (C.04.2)."""
    higher, lower = sorted((first, second), key=lambda one: one.order)
    return (-higher.score, -lower.score, higher.number)


def initial_colour(table: Crosstable) -> int:
    """The initial colour as the first games show it (5.1, 5.2.5); white before any game."""
    for index, one in enumerate(table.rounds):
        numbers = numbering(replace(table, rounds=table.rounds[: index + 1]), ())
        for number, line in sorted(one.items()):
            if line.played and line.seat is not None:
                return line.seat if numbers[number] % 2 else 1 - line.seat
    return WHITE


@define
class _Field:
    """All who are to be paired, in order (1.2), and one more vertex for the bye if need be."""

    cards: list[Card]
    matcher: Matcher
    forbidden: Collection[frozenset[int]]
    bye_score: int = 0
    _barred: list[set[int]] = field(factory=list)

    def pair(self) -> list[tuple[Card, Card]]:
        """The pairs of all brackets from the top (3.1)."""
        self._barred = [
            {
                j
                for j, other in enumerate(self.cards)
                if other.number in one.met
                or frozenset((one.number, other.number)) in self.forbidden
            }
            for one in self.cards
        ]
        self._completion()
        groups: list[list[int]] = []
        for index, one in enumerate(self.cards):
            if not groups or self.cards[groups[-1][0]].score != one.score:
                groups.append([])
            groups[-1].append(index)
        pairs: list[tuple[int, int]] = []
        moved: list[int] = []
        for depth, residents in enumerate(groups):
            following = groups[depth + 1] if depth + 1 < len(groups) else []
            below = [index for group in groups[depth + 2 :] for index in group]
            made = self._bracket(moved, residents, following, below)
            pairs += made
            done = {index for pair in made for index in pair}
            moved = [index for index in moved + residents if index not in done]
        return [(self.cards[a], self.cards[b]) for a, b in pairs]

    @property
    def odd(self) -> bool:
        """Whether somebody is left over."""
        return len(self.cards) % 2 == 1

    def fits(self, a: int, b: int) -> bool:
        """Whether two may meet: C1, C3 and the charter; the vertex past the last is the bye."""
        if a > b:
            a, b = b, a
        if b == len(self.cards):
            one = self.cards[a]
            return one.bye and one.score <= self.bye_score
        return b not in self._barred[a] and not criteria.clash(self.cards[a], self.cards[b])

    def _completion(self) -> None:
        """C4 and C5: that everybody can be paired, with the least score that the bye can have."""
        every = list(range(len(self.cards) + self.odd))
        if not self.odd:
            if not matchable(self.matcher, every, self.fits):
                raise self._refusal()
            return
        for score in sorted({one.score for one in self.cards if one.bye}):
            self.bye_score = score
            if matchable(self.matcher, every, self.fits):
                return
        raise self._refusal()

    def _refusal(self) -> CannotPair:
        """Who is left without an opponent: as few as possible, and of those the lowest ranked."""
        if self.odd and not any(one.bye for one in self.cards):
            return CannotPair("bye", tuple(sorted(one.number for one in self.cards)))
        self.bye_score = max(one.score for one in self.cards)
        count = len(self.cards) + self.odd
        left = [v for v in left_over(self.matcher, count, self.fits) if v < len(self.cards)]
        names = [self.cards[v].number for v in left]
        return CannotPair("absolute", tuple(sorted(names)))

    def _bracket(
        self, moved: list[int], residents: list[int], following: list[int], below: list[int]
    ) -> list[tuple[int, int]]:
        """Pairs one bracket: moved-down players and residents, with the next one in view."""
        inside = moved + residents + following
        score = self.cards[residents[0]].score
        with_bye = self.odd and (score == self.bye_score or not following)
        if with_bye:  # C9 weighs who has the bye: it stands in the graph
            inside.append(len(self.cards))
        outside = list(below)
        if self.odd and not with_bye:
            outside.append(len(self.cards))
        bracket = criteria.Bracket(
            cards=[self.cards[v] for v in moved + residents + following],
            moved=len(moved),
            end=len(moved) + len(residents),
            bye=self.odd and score == self.bye_score,
        )
        names = inside + outside
        edges = [
            (a, b)
            for b in range(bracket.moved, len(inside))
            for a in range(b)
            if self.fits(names[a], names[b])
        ]
        descent = Descent(
            matcher=self.matcher,
            inside=len(inside),
            outside=len(outside),
            edges=edges,
            fits=lambda a, b: self.fits(names[a], names[b]),
            loose=len(outside) >= LOOSE_FROM and not with_bye,
        )
        return [(names[a], names[b]) for a, b in _candidate(descent, bracket)]


def _candidate(descent: Descent, bracket: criteria.Bracket) -> list[tuple[int, int]]:
    """The best candidate of a bracket, and of equals the first (3.8)."""
    if not any(b < bracket.end for _, b in descent.edges):
        return []
    descent.minimise(bracket.downfloaters(descent.edges))
    if bracket.bye and bracket.single_downfloater(descent.mates):
        descent.minimise([bracket.bye_assignee(descent.edges)])
    if all(bracket.within(v, descent.mates[v]) for v in range(bracket.end)):
        descent = _alone(descent, bracket)
    descent.minimise(bracket.quality(descent.edges))
    moved = _moved_down(descent, bracket)
    _opponents(descent, moved, range(bracket.moved, bracket.end))
    taken = {descent.mates[v] for v in moved}
    remainder = [v for v in range(bracket.moved, bracket.end) if v not in taken]
    first = _exchange(descent, bracket, remainder)
    _opponents(descent, first, [v for v in remainder if v not in first])
    return [(v, descent.mates[v]) for v in (*moved, *first)]


def _alone(descent: Descent, bracket: criteria.Bracket) -> Descent:
    """The bracket without the next one: when nobody floats down, how it is paired changes nothing
    below it."""
    return Descent(
        matcher=descent.matcher,
        inside=bracket.end,
        outside=0,
        edges=[(a, b) for a, b in descent.edges if b < bracket.end],
        fits=descent.fits,
        loose=False,
        mates=descent.mates[: bracket.end],
    )


BATCH = 16
"""So many yes-or-no choices are made with one matching."""


def _moved_down(descent: Descent, bracket: criteria.Bracket) -> list[int]:
    """Which moved-down players are paired in the bracket: of equals the first ones (4.4)."""
    for start in range(0, bracket.moved, BATCH):
        part = range(start, min(start + BATCH, bracket.moved))
        costs = [bracket.floats(v, descent.edges) for v in part]
        descent.minimise(costs)
        descent.forget(costs)
        paired = {v for v in part if bracket.within(v, descent.mates[v])}
        descent.require(paired)
        descent.keep(
            lambda a, b, part=part, paired=paired: (  # type: ignore[misc]
                a not in part or (b < bracket.end) == (a in paired)
            )
        )
    return [v for v in range(bracket.moved) if bracket.within(v, descent.mates[v])]


def _opponents(descent: Descent, first: Sequence[int], second: Sequence[int]) -> None:
    """Gives each of S1 in order the highest possible opponent in S2 (3.6, 4.2)."""
    rank = {v: position for position, v in enumerate(second)}
    bits = len(rank).bit_length() + 1
    left = list(first)
    while left:
        options: dict[int, list[int]] = {v: [] for v in left}
        for a, b in descent.edges:
            if a in options and b in rank:
                options[a].append(b)
        # Mostly each can have the first who is free; then there is nothing to search for.
        natural: dict[int, int] = {}
        used: set[int] = set()
        for v in left:
            free = [b for b in options[v] if b not in used]
            if not free:
                break
            natural[v] = min(free)
            used.add(natural[v])
        if len(natural) == len(left) and descent.try_these(natural):
            _fix(descent, left)
            return
        fixed: list[int] = []
        gone: set[int] = set()
        for v in left:
            best = min(rank[b] for b in options[v] if b not in gone)
            if rank[descent.mates[v]] != best:
                break
            fixed.append(v)
            gone.add(descent.mates[v])
        if len(fixed) < len(left):
            if fixed:
                _fix(descent, fixed)
            left = left[len(fixed) :]
            part = left[: max(1, descent.room // bits)]
            costs = [
                Cost(f"opponent of {v}", {(v, b): rank[b] for b in options[v] if rank[b]})
                for v in part
            ]
            descent.minimise(costs)
            descent.forget(costs)
            fixed = part
        _fix(descent, fixed)
        left = [v for v in left if v not in fixed]


def _fix(descent: Descent, vertices: Sequence[int]) -> None:
    """These keep the partners that they have."""
    pairs = {v: descent.mates[v] for v in vertices}
    pairs |= {mate: v for v, mate in pairs.items()}
    descent.require(pairs)
    descent.keep(lambda a, b: pairs.get(a, b) == b and pairs.get(b, a) == a)


def _exchange(descent: Descent, bracket: criteria.Bracket, remainder: Sequence[int]) -> list[int]:
    """S1 of a homogeneous bracket or a remainder: as it stands, or after the first exchange that
    serves (3.6, 4.3): few players, a small difference of their numbers, the lowest of S1, the
    highest of S2."""
    rank = {v: position for position, v in enumerate(remainder)}

    def is_pair(a: int, b: int) -> bool:
        return a in rank and b in rank

    def upper() -> list[int]:
        """Those who are the higher ranked of a pair."""
        return [v for v in remainder if descent.mates[v] in rank and descent.mates[v] > v]

    size = len(upper())
    edges = [(a, b) for a, b in descent.edges if is_pair(a, b)]
    number = Cost("exchanged", {(a, b): 1 for a, b in edges if rank[a] >= size})
    descent.minimise([number])
    if any(rank[v] >= size for v in upper()):
        costs = [Cost("difference", {(a, b): rank[a] for a, b in edges if rank[a]})]
        descent.minimise(costs)
        for v in reversed(remainder[:size]):
            stays = Cost(f"{v} stays in S1", {(a, b): 1 for a, b in edges if a == v})
            descent.minimise([stays])
            descent.forget([stays])
            _to(descent, rank, v, v in upper())
        for v in remainder[size:]:
            stays = Cost(
                f"{v} stays in S2",
                {(a, b): 1 for a, b in descent.edges if (b == v) or (a == v and not is_pair(a, b))},
                {v: 1},
            )
            descent.minimise([stays])
            descent.forget([stays])
            _to(descent, rank, v, v in upper())
        descent.forget([number, *costs])
    first = upper()
    chosen = set(first)
    descent.require(first)
    descent.keep(
        lambda a, b: (
            (a in chosen and b in rank and b not in chosen)
            if a in chosen or b in chosen
            else not is_pair(a, b)
        )
    )
    return first


def _to(descent: Descent, rank: dict[int, int], v: int, first: bool) -> None:
    """Puts a player into S1, as the higher ranked of a pair, or into S2."""
    if first:
        descent.require([v])
        descent.keep(lambda a, b: b != v and (a != v or b in rank))
    else:
        descent.keep(lambda a, b: a != v or b not in rank)
