"""What pairing a round gives, and why a round cannot be paired."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from attrs import field, frozen

Block = Literal["nobody", "absolute", "bye"]
"""Why nobody can pair the round: fewer than two are there; the absolute rules leave somebody
without an opponent; nobody who could be left over may have the bye."""


class Matcher(Protocol):
    """Finds a matching of greatest weight in a general graph: the one thing that is handed in.

    The pairing never depends on which of several best matchings comes back.
    """

    def __call__(
        self, vertices: int, edges: Sequence[tuple[int, int, int]], perfect: bool
    ) -> Sequence[int]:
        """The partner of each vertex, -1 for none.

        Args:
            vertices: how many there are; they are 0 to `vertices` - 1.
            edges: each pair once, with its weight, 0 or more and below 2**`BITS`.
            perfect: first as many pairs as possible, then the weight; else the weight alone.
        """


BITS = 120
"""No weight that a matcher is given reaches 2**BITS, so that one with whole numbers of 128 bits
serves."""


@frozen
class Paired:
    """A round as it is paired.

    Attributes:
        boards: for each board in its order the numbers of its entrants in the order of seats.
        bye: who is left over, None where the number is even.
        eliminator: who plays a second board, None without one; only where the charter has it.
        downfloats: who meets an entrant with fewer points, or has the bye.
        upfloats: who meets an entrant with more points.
    """

    boards: tuple[tuple[int, int], ...]
    bye: int | None = None
    eliminator: int | None = None
    downfloats: tuple[int, ...] = field(default=())
    upfloats: tuple[int, ...] = field(default=())


class CannotPair(Exception):
    """The absolute rules leave no pairing; the director may relax one by name.

    Attributes:
        why: what kind of obstacle it is.
        entrants: those whom the rules leave without an opponent, by number: as few as there
            can be, and of those the lowest ranked, so that everybody gets the same names.
    """

    def __init__(self, why: Block, entrants: tuple[int, ...]) -> None:
        names = ", ".join(map(str, entrants))
        super().__init__(
            {
                "nobody": "fewer than two entrants are there to be paired",
                "absolute": f"no pairing keeps the absolute rules: nobody is left for {names}",
                "bye": f"everybody who could be left over has had a bye: {names}",
            }[why]
        )
        self.why: Block = why
        self.entrants = entrants


def left_over(matcher: Matcher, count: int, fits: Callable[[int, int], bool]) -> tuple[int, ...]:
    """Whom no matching can take besides all others: as few as possible, and the last in order.

    The sets that a matching can take are the independent sets of a matroid. So with a different
    weight for each vertex one set is best, whatever the matcher.
    """
    edges = [(a, b, 2 * count - a - b) for b in range(count) for a in range(b) if fits(a, b)]
    mates = matcher(count, edges, True)
    return tuple(v for v in range(count) if mates[v] < 0)
