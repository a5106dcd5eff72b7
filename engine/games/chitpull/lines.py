"""Lines of communication and distances over sets of hexes kept as whole numbers, one bit a hex: a
whole frontier in a few operations.

The rule is that of warledger.engine.board.tracing (which tests and invariants hold this against): a
line starts at sources that can be passed, runs through hexes that can be passed, and may end in a
hex that can only be entered. VL 10.1, TY 3.3.
"""

from functools import lru_cache

from attrs import frozen

from warledger.engine.board.tracing import Net

NONE = -1

TABLES_MAX = 64
"""Tables of one byte a hex whose sets are remembered. While one side moves, the other side's tables
stay as they are, and several lines are traced over the same ones."""

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
    """The same net for frontiers."""
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
        bit = 1 << i
        for k, level in enumerate(self.at):
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


def levels_off(
    free: Spread, land: Spread, sources: int, through: int, into: int, limit: int
) -> Levels:
    """TY R-25 Distances of such lines: whole lengths, on and off the free net."""
    frontiers = [sources & through] + [0] * limit
    # seen[k]: hexes that a line has reached with at most k hexes off the net; a later one with no
    # fewer is of no use
    seen = [frontiers[0]] * (limit + 1)
    every = frontiers[0]
    found = [every]
    while any(frontiers):
        going = [frontier & through for frontier in frontiers]
        following = [free.step(going[0]) & into & ~seen[0]] if going[0] else [0]
        following.extend(
            land.step(going[k - 1]) & into & ~seen[k] if going[k - 1] else 0
            for k in range(1, limit + 1)
        )
        gained = 0
        for k, frontier in enumerate(following):
            frontier &= ~gained
            following[k] = frontier
            gained |= frontier
            seen[k] |= gained
        frontiers = following
        new = gained & ~every
        every |= new
        found.append(new)
    while found and not found[-1]:
        found.pop()
    return Levels(tuple(found))
