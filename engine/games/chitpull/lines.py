"""Lines of communication and distances over sets of hexes kept as whole numbers, one bit a hex: a
whole frontier in a few operations.

The rule is that of warledger.engine.board.tracing (which tests and invariants hold this against): a
line starts at sources and runs through hexes that can be passed, and may end in one that can only
be entered. VL 10.1, TY 3.3.
"""

from functools import lru_cache

from attrs import frozen

from warledger.engine.board.tracing import Net

NONE = -1

TABLES_MAX = 64
"""Tables of one byte a hex whose sets are remembered. While one side moves, the other side's tables
stay as they are, and several lines are traced over the same ones."""

LINES_MAX = 128
"""Results of tracing that are remembered: a counter that moves or is lifted seldom changes where
the lines of its own side may run."""

RANGES_MAX = 512
"""Command ranges that are remembered: headquarters are asked again and again from the hexes
in which they stand."""

_BITS = bytes([ord("0")] + [ord("1")] * 255)
_EMPTY = bytes([ord("1")] + [ord("0")] * 255)


@frozen(eq=False)
class Spread:
    """A net as (hexes that have a neighbour at this offset, offset) pairs: one step of a
    frontier is a shift for each."""

    hexes: int
    up: tuple[tuple[int, int], ...]
    down: tuple[tuple[int, int], ...]

    def step(self, frontier: int) -> int:
        """All hexes that a frontier's hexes lead to."""
        found = 0
        for mask, by in self.up:
            found |= (frontier & mask) << by
        for mask, by in self.down:
            found |= (frontier & mask) >> by
        return found


def spread_of(net: Net) -> Spread:
    """A net in the form that spreads frontiers."""
    masks: dict[int, int] = {}
    for i, row in enumerate(net):
        for n in row:
            masks[n - i] = masks.get(n - i, 0) | (1 << i)
    ordered = sorted(masks.items())
    return Spread(
        len(net),
        tuple((mask, by) for by, mask in ordered if by > 0),
        tuple((mask, -by) for by, mask in ordered if by < 0),
    )


@lru_cache(maxsize=TABLES_MAX)
def hexes_of(table: bytes) -> int:
    """The set of hexes whose byte is not 0."""
    return int(table[::-1].translate(_BITS), 2)


@lru_cache(maxsize=TABLES_MAX)
def empty_of(table: bytes) -> int:
    """The set of hexes whose byte is 0."""
    return int(table[::-1].translate(_EMPTY), 2)


@frozen(eq=False)
class Levels:
    """Hexes by distance: `at[k]` is the set of those k hexes from a source."""

    at: tuple[int, ...]

    def distance(self, i: int) -> int:
        """Hexes from hex i to the nearest source, NONE where no line leads."""
        return _first_with(self.at, i)


def _first_with(levels: tuple[int, ...], i: int) -> int:
    bit = 1 << i
    for k, level in enumerate(levels):
        if level & bit:
            return k
    return NONE


def levels(net: Spread, sources: int, through: int, into: int) -> Levels:
    """Distances of lines that run `through` some hexes and may end in `into` (which holds those
    too)."""
    frontier = sources & through
    left = into & ~frontier
    found = [frontier]
    while frontier:
        frontier = net.step(frontier & through) & left
        left &= ~frontier
        if frontier:
            found.append(frontier)
    return Levels(tuple(found))


@lru_cache(maxsize=LINES_MAX)
def reached(net: Spread, sources: int, through: int, into: int) -> int:
    """Every hex that a line reaches."""
    frontier = seen = sources & through
    while frontier:
        frontier = net.step(frontier & through) & into & ~seen
        seen |= frontier
    return seen


@lru_cache(maxsize=RANGES_MAX)
def within(net: Spread, i: int, most: int) -> int:
    """VL 7.2.1; TY 8.2 Every hex at most `most` steps from hex i, itself among them."""
    frontier = seen = 1 << i
    for _ in range(most):
        frontier = net.step(frontier) & ~seen
        seen |= frontier
    return seen


@lru_cache(maxsize=LINES_MAX)
def reached_off(
    free: Spread, land: Spread, sources: int, through: int, into: int, limit: int
) -> int:
    """TY 3.3(3), R-10 Every hex that a line reaches which runs any distance along the free net,
    then at most `limit` hexes over land."""
    seen = reached(free, sources, through, into)
    frontier = seen
    for _ in range(limit):
        frontier = land.step(frontier & through) & into & ~seen
        seen |= frontier
    return seen


Fronts = tuple[int, list[int], list[int]]
"""How far lines have come: every hex reached. By how many hexes of a line lie off the free net,
those where it has come now, and those where it has been."""


class LevelsOff:
    """TY R-25 Hexes by distance along lines that run any distance along the free net and at most
    `limit` hexes over land: whole lengths, on and off the net. `within` are hexes at no distance
    whatever leads from them.

    Who asks is mostly near the sources, so distances are worked out no further than they are asked
    for.
    """

    def __init__(
        self,
        free: Spread,
        land: Spread,
        sources: int,
        through: int,
        into: int,
        limit: int,
        within: int = 0,
    ) -> None:
        self._free = free
        self._land = land
        self._through = through
        self._into = into
        first = sources & through
        # The levels so far and what follows from there are put in place together, whoever else asks
        # at the same time.
        self._found: tuple[tuple[int, ...], Fronts] = (
            (first | within,),
            (first, [first] + [0] * limit, [first] * (limit + 1)),
        )

    def distance(self, i: int) -> int:
        """Hexes from hex i to the nearest source, NONE where no line leads."""
        levels, fronts = self._found
        k = _first_with(levels, i)
        while k == NONE and any(fronts[1]):
            level, fronts = self._further(fronts)
            if level >> i & 1:
                k = len(levels)
            levels = (*levels, level)
            self._found = levels, fronts
        return k

    def _further(self, fronts: Fronts) -> tuple[int, Fronts]:
        """The hexes one further on, and what follows from there."""
        free, land, through, into = self._free, self._land, self._through, self._into
        every, frontiers, seen = fronts
        # seen[k]: hexes that a line has reached with at most k hexes off the net; a later one with
        # no fewer is of no use
        going = [frontier & through for frontier in frontiers]
        following = [free.step(going[0]) & into & ~seen[0] if going[0] else 0]
        following.extend(
            [
                land.step(going[k - 1]) & into & ~seen[k] if going[k - 1] else 0
                for k in range(1, len(going))
            ]
        )
        gained = 0
        now_seen = []
        for k, frontier in enumerate(following):
            frontier &= ~gained
            following[k] = frontier
            gained |= frontier
            now_seen.append(seen[k] | gained)
        return gained & ~every, (every | gained, following, now_seen)
