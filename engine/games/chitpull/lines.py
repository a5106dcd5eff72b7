"""Lines of communication and distances over sets of hexes kept as whole numbers, one bit a hex: a whole front in a few operations.

The rule is that of engine.board.tracing (which tests and invariants hold this against): a line starts at sources that can be passed, runs
through hexes that can be passed, and may end in a hex that can only be entered. VL 10.1, TY 3.3.
"""

from collections.abc import Iterable

from attrs import frozen

from engine.board.tracing import Net

NONE = -1

_BITS = bytes([ord("0")] + [ord("1")] * 255)
_EMPTY = bytes([ord("1")] + [ord("0")] * 255)


@frozen(eq=False)
class Spread:
    """A net as (hexes that have a neighbour at this offset, offset) pairs: one step of a front is a shift for each."""

    hexes: int
    up: tuple[tuple[int, int], ...]
    down: tuple[tuple[int, int], ...]

    def step(self, front: int) -> int:
        """All hexes that a front's hexes lead to."""
        found = 0
        for mask, by in self.up:
            found |= (front & mask) << by
        for mask, by in self.down:
            found |= (front & mask) >> by
        return found


def spread_of(net: Net) -> Spread:
    """The same net for fronts."""
    masks: dict[int, int] = {}
    for i, row in enumerate(net):
        for n in row:
            masks[n - i] = masks.get(n - i, 0) | (1 << i)
    ordered = sorted(masks.items())
    return Spread(len(net), tuple((mask, by) for by, mask in ordered if by > 0), tuple((mask, -by) for by, mask in ordered if by < 0))


def hexes_of(table: bytes) -> int:
    """The set of hexes whose byte is not 0."""
    return int(table[::-1].translate(_BITS), 2)


def empty_of(table: bytes) -> int:
    """The set of hexes whose byte is 0."""
    return int(table[::-1].translate(_EMPTY), 2)


def set_of(hexes: Iterable[int]) -> int:
    """The set of some hexes by index."""
    found = 0
    for i in hexes:
        found |= 1 << i
    return found


def listed(hexes: int) -> tuple[int, ...]:
    """The hexes of a set in rising order."""
    found = []
    while hexes:
        low = hexes & -hexes
        found.append(low.bit_length() - 1)
        hexes ^= low
    return tuple(found)


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
    """Distances of lines that run `through` some hexes and may end in `into` (which holds those too)."""
    front = sources & through
    left = into & ~front
    found = [front]
    while front:
        front = net.step(front & through) & left
        left &= ~front
        if front:
            found.append(front)
    return Levels(tuple(found))


def reached(net: Spread, sources: int, through: int, into: int) -> int:
    """Every hex that a line reaches."""
    front = seen = sources & through
    while front:
        front = net.step(front & through) & into & ~seen
        seen |= front
    return seen


def within(net: Spread, i: int, most: int) -> int:
    """Every hex at most so many steps from hex i, itself among them. VL 7.2.1, TY 8.2."""
    front = seen = 1 << i
    for _ in range(most):
        front = net.step(front) & ~seen
        seen |= front
    return seen


def reached_off(free: Spread, land: Spread, sources: int, through: int, into: int, limit: int) -> int:
    """Every hex that a line reaches which runs any distance along the free net, then at most `limit` hexes over land. TY 3.3(3), R-10."""
    seen = reached(free, sources, through, into)
    front = seen
    for _ in range(limit):
        front = land.step(front & through) & into & ~seen
        seen |= front
    return seen


def levels_off(free: Spread, land: Spread, sources: int, through: int, into: int, limit: int) -> Levels:
    """Distances of such lines: whole lengths, on and off the free net. TY R-25."""
    fronts = [sources & through] + [0] * limit
    # seen[k]: hexes that a line has reached with at most k hexes off the net; a later one with no fewer is of no use
    seen = [fronts[0]] * (limit + 1)
    every = fronts[0]
    found = [every]
    while any(fronts):
        going = [front & through for front in fronts]
        following = [free.step(going[0]) & into & ~seen[0]] if going[0] else [0]
        following.extend(land.step(going[k - 1]) & into & ~seen[k] if going[k - 1] else 0 for k in range(1, limit + 1))
        gained = 0
        for k, front in enumerate(following):
            front &= ~gained
            following[k] = front
            gained |= front
            seen[k] |= gained
        fronts = following
        new = gained & ~every
        every |= new
        found.append(new)
    while found and not found[-1]:
        found.pop()
    return Levels(tuple(found))
