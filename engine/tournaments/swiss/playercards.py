"""The card of each entrant: what FIDE C.04.3 articles 1.4 to 1.8 read off the rounds so far.

Colour is a side: seat 0 is white.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from attrs import frozen

from warledger.engine.tournaments.crosstable import Crosstable, Line

WHITE, BLACK = 0, 1

Strength = Literal["none", "mild", "strong", "absolute"]
"""How strongly a side is due (1.7)."""

Float = Literal["", "down", "up"]


@frozen
class Scale:
    """What a round is worth, in the charter's unit of points.

    Attributes:
        win: for a won game; who got as much without playing may not have the bye (C2).
        loss: for a lost one; who got more without playing has a downfloat (1.4).
    """

    win: int = 2
    loss: int = 0


@frozen
class Card:
    """An entrant as the pairing sees them.

    Attributes:
        number: the starting number, the pairing number of FIDE's rules.
        score: points so far, with the virtual ones of an accelerated round.
        sides: the sides of the games played, in order.
        met: whom they have played.
        bye: whether they may have the pairing-allocated bye (C2).
        unplayed: rounds without a game over the board.
        floats: of the last round and of the one before.
        due: the side that is due, None without a game (1.7).
        strength: how strongly it is due.
        imbalance: games as white less games as black (1.6).
        repeated: the side of the last two games or more, None where they differ.
        topscorer: more than half of the most possible, in the last round (1.8).
    """

    number: int
    score: int
    sides: tuple[int, ...]
    met: frozenset[int]
    bye: bool
    unplayed: int
    floats: tuple[Float, Float]
    due: int | None
    strength: Strength
    imbalance: int
    repeated: int | None
    topscorer: bool

    @property
    def absolute(self) -> bool:
        """Whether the side is owed absolutely (1.7.1)."""
        return self.strength == "absolute"

    @property
    def order(self) -> tuple[int, int]:
        """Sorts by score, then by number (1.2)."""
        return (-self.score, self.number)


Virtual = Mapping[int, Sequence[int]]
"""Virtual points of accelerated rounds: for each entrant those that count for pairing a round, from
the first on, in the charter's unit."""


def floated(
    table: Crosstable, number: int, index: int, scale: Scale, virtual: Virtual | None = None
) -> Float:
    """The float of an entrant in the round with that index (1.4).

    A downfloat has who met an entrant with fewer points, or got more than a loss without playing.
    An upfloat has who met one with more points. Who lost by forfeit has neither. Points are those
    by which that round was paired, with virtual ones where it was accelerated.
    """
    line = table.rounds[index][number]
    if not line.played:
        return "down" if line.points > scale.loss else ""
    own = _before(table, number, index, virtual)
    other = _before(table, line.opponents[0], index, virtual)
    return "down" if own > other else "up" if own < other else ""


def _before(table: Crosstable, number: int, index: int, virtual: Virtual | None) -> int:
    points = sum(one[number].points for one in table.rounds[:index])
    return points + _virtual(virtual, number, index)


def _virtual(virtual: Virtual | None, number: int, index: int) -> int:
    given = (virtual or {}).get(number, ())
    return given[index] if index < len(given) else 0


def _sides(lines: Collection[Line]) -> tuple[int, ...]:
    return tuple(line.seat for line in lines if line.played and line.seat is not None)


def preference(sides: tuple[int, ...]) -> tuple[int | None, Strength, int, int | None]:
    """The side due, how strongly, the imbalance, and the side of the last two games (1.6, 1.7)."""
    imbalance = sides.count(WHITE) - sides.count(BLACK)
    repeated = sides[-1] if len(sides) > 1 and sides[-1] == sides[-2] else None
    if abs(imbalance) > 1:
        return (BLACK if imbalance > 0 else WHITE), "absolute", imbalance, repeated
    if repeated is not None:
        return 1 - repeated, "absolute", imbalance, repeated
    if imbalance:
        return (BLACK if imbalance > 0 else WHITE), "strong", imbalance, repeated
    if sides:
        return 1 - sides[-1], "mild", imbalance, repeated
    return None, "none", imbalance, repeated


def card(table: Crosstable, number: int, scale: Scale, virtual: Virtual | None = None) -> Card:
    """The card of one entrant before the round to be paired. Who is a topscorer (1.8) follows from
    the points that were scored."""
    lines = table.of(number)
    sides = _sides(lines)
    due, strength, imbalance, repeated = preference(sides)
    score = table.points(number)
    done = len(lines)
    return Card(
        number=number,
        score=score + _virtual(virtual, number, done),
        sides=sides,
        met=table.met(number),
        bye=not any(
            line.manner == "pairing_bye" or (not line.played and line.points >= scale.win)
            for line in lines
        ),
        unplayed=sum(not line.played for line in lines),
        floats=(
            floated(table, number, done - 1, scale, virtual) if done else "",
            floated(table, number, done - 2, scale, virtual) if done > 1 else "",
        ),
        due=due,
        strength=strength,
        imbalance=imbalance,
        repeated=repeated,
        topscorer=bool(table.planned)
        and done >= table.planned - 1
        and score * 2 > done * scale.win,
    )


def numbering(table: Crosstable, present: Collection[int]) -> dict[int, int]:
    """The pairing number of everybody who has one: who has not arrived yet has none (C.04.2).

    Those who are to be paired or have been paired before, with or without playing, are numbered
    from 1 in the order of their starting numbers.
    """
    arrived = [
        one.number
        for one in table.entrants
        if one.number in present
        or any(line.opponents or line.manner == "pairing_bye" for line in table.of(one.number))
    ]
    return {number: place for place, number in enumerate(sorted(arrived), 1)}


def allocate(
    first: Card, second: Card, initial: int, numbers: Mapping[int, int] | None = None
) -> tuple[int, int]:
    """Who of a pair is white and who is black (article 5), as (white, black).

    Args:
        initial: the initial colour, drawn by lot before the first round (5.1).
        numbers: pairing numbers by starting number, where they differ (`numbering`).
    """
    higher, lower = sorted((first, second), key=lambda one: one.order)
    side = settled(higher, lower)
    if side is None:
        if higher.due is not None:  # 5.2.4
            side = higher.due
        else:  # 5.2.5
            number = (numbers or {}).get(higher.number, higher.number)
            side = initial if number % 2 else 1 - initial
    return (higher.number, lower.number) if side == WHITE else (lower.number, higher.number)


def settled(higher: Card, lower: Card) -> int | None:
    """The side of the first as what both have played settles it (5.2.1 to 5.2.3), else None."""
    if higher.due is None:  # 5.2.1
        return None if lower.due is None else 1 - lower.due
    if lower.due is None or higher.due != lower.due:
        return higher.due
    ranks = {"mild": 0, "strong": 1, "absolute": 2}
    mine, theirs = ranks[higher.strength], ranks[lower.strength]
    if mine == theirs == 2:  # 5.2.2: two absolute ones by the wider difference
        mine, theirs = abs(higher.imbalance), abs(lower.imbalance)
    if mine != theirs:
        return higher.due if mine > theirs else 1 - lower.due
    for own, other in zip(reversed(higher.sides), reversed(lower.sides), strict=False):  # 5.2.3
        if own != other:
            return other
    return None
