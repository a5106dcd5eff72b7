"""The criteria of FIDE C.04.3 article 2 for one bracket, each as a cost that a matching has.

Vertices are the players of the bracket in order, moved-down ones first, then those of the next
bracket, then, where it is weighed, the bye. A pair of the bracket is an edge between two players
of the bracket; every other edge of one of its players makes a downfloater.
"""

from collections.abc import Callable, Sequence

from attrs import frozen

from warledger.engine.tournaments.swiss.descent import Cost, Edge
from warledger.engine.tournaments.swiss.playercards import Card


def clash(one: Card, other: Card) -> bool:
    """C3: two who are owed the same side absolutely, neither of them a topscorer."""
    return (
        one.absolute
        and other.absolute
        and one.due == other.due
        and not one.topscorer
        and not other.topscorer
    )


def _same_side(one: Card, other: Card) -> bool:
    """Whether one of the two does not get the side due to them (C12)."""
    return one.due is not None and one.due == other.due


def _imbalanced(one: Card, other: Card) -> bool:
    """C10: one of the two gets a colour difference beyond 2."""
    return _same_side(one, other) and abs(one.imbalance) > 1 and abs(other.imbalance) > 1


def _third(one: Card, other: Card) -> bool:
    """C11: one of the two gets the same colour three times in a row."""
    if not (_same_side(one, other) and one.absolute and other.absolute):
        return False
    mine, theirs = abs(one.imbalance), abs(other.imbalance)
    if mine == theirs:
        return one.repeated is not None and one.repeated == other.repeated
    yields = other if mine > theirs else one
    return yields.due is not None and yields.repeated == 1 - yields.due


def _strong(one: Card, other: Card) -> bool:
    """C13: one of the two does not get the side strongly due to them."""
    return (
        _same_side(one, other)
        and one.strength != "mild"
        and other.strength != "mild"
        and not (one.absolute and other.absolute)
    )


_COLOURS: tuple[tuple[str, Callable[[Card, Card], bool]], ...] = (
    ("C10", _imbalanced),
    ("C11", _third),
    ("C12", _same_side),
    ("C13", _strong),
)


@frozen
class Bracket:
    """The players of a bracket and of the next one.

    Attributes:
        cards: those of the bracket in order (1.2), then those of the next.
        moved: how many of the bracket were moved down to it.
        end: how many are in the bracket.
        bye: whether who has the bye is a resident of this bracket; the vertex past the last
            card is the bye then.
    """

    cards: Sequence[Card]
    moved: int
    end: int
    bye: bool

    def within(self, vertex: int, mate: int) -> bool:
        """Whether these two are a pair of the bracket."""
        return 0 <= mate < self.end and vertex < self.end

    def _floating(self, name: str, values: dict[int, int], edges: Sequence[Edge]) -> Cost:
        """What players of the bracket cost when they float down."""
        crossing = {(a, b): values[a] for a, b in edges if b >= self.end > a and values.get(a)}
        return Cost(name, crossing, values)

    def floats(self, vertex: int, edges: Sequence[Edge]) -> Cost:
        """What it costs when that moved-down player is not paired in the bracket."""
        return self._floating(f"{vertex} floats", {vertex: 1}, edges)

    def downfloaters(self, edges: Sequence[Edge]) -> list[Cost]:
        """C6 to C8: number and scores of the downfloaters, of this bracket and of the next."""
        scores = sorted({one.score for one in self.cards[: self.end]}, reverse=True)
        costs = [self._floating("C6", dict.fromkeys(range(self.end), 1), edges)]
        for score in scores[:-1]:
            who = [v for v in range(self.end) if self.cards[v].score == score]
            costs.append(self._floating(f"C7 {score}", dict.fromkeys(who, 1), edges))
        every = range(len(self.cards))
        bye = [(a, b) for a, b in edges if b == len(self.cards)]
        costs.append(Cost("C8", dict.fromkeys(bye, 1), dict.fromkeys(every, 1)))
        scores = sorted({one.score for one in self.cards}, reverse=True)
        for score in scores[:-1]:
            alone = {v: 1 for v in every if self.cards[v].score == score}
            edge = {(a, b): 1 for a, b in bye if a in alone}
            costs.append(Cost(f"C8 {score}", edge, alone))
        return costs

    def single_downfloater(self, mates: Sequence[int]) -> bool:
        """Whether only who has the bye leaves the bracket unpaired."""
        left = [v for v in range(self.end) if not self.within(v, mates[v])]
        return len(left) == 1 and mates[left[0]] == len(self.cards)

    def bye_assignee(self, edges: Sequence[Edge]) -> Cost:
        """C9: the unplayed games of who has the bye."""
        return Cost(
            "C9",
            {(a, b): self.cards[a].unplayed for a, b in edges if b == len(self.cards)},
        )

    def quality(self, edges: Sequence[Edge]) -> list[Cost]:
        """C10 to C21: colours, then floats."""
        inside = [(a, b) for a, b in edges if b < self.end]
        costs = []
        for name, breaks in _COLOURS:
            broken = {(a, b): 1 for a, b in inside if breaks(self.cards[a], self.cards[b])}
            costs.append(Cost(name, broken))
        for back, (down, up) in enumerate((("C14", "C15"), ("C16", "C17"))):
            residents = {
                v: 1 for v in range(self.moved, self.end) if self.cards[v].floats[back] == "down"
            }
            costs.append(self._floating(down, residents, edges))
            costs.append(Cost(up, dict.fromkeys(self._upfloats(inside, back), 1)))
        scores = sorted({one.score for one in self.cards[: self.moved]}, reverse=True)
        for back, (down, up) in enumerate((("C18", "C19"), ("C20", "C21"))):
            for score in scores:
                again = {
                    v: 1
                    for v in range(self.moved)
                    if self.cards[v].score == score and self.cards[v].floats[back] == "down"
                }
                costs.append(self._floating(f"{down} {score}", again, edges))
            for score in scores:
                against = {
                    (a, b): 1
                    for a, b in self._upfloats(inside, back)
                    if self.cards[a].score == score
                }
                costs.append(Cost(f"{up} {score}", against))
        return [cost for cost in costs if cost.edge or cost.alone]

    def _upfloats(self, inside: Sequence[Edge], back: int) -> list[Edge]:
        """The pairs in which a resident has the upfloat again that they had so long ago."""
        return [(a, b) for a, b in inside if a < self.moved and self.cards[b].floats[back] == "up"]
