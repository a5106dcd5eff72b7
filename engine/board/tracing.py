"""Tracing lines: supply, lines of communication, command range, rail entry.

All of it is breadth-first search over a `Net` (hexsides a line may cross, computed once a map) and
an access byte a hex: BLOCKED, END (a line may end there but not go on) or PASS. Distances are in
hexes, -1 where no line leads. Lines run from the sources outwards; since nets are symmetric that is
the same as inwards.
"""

from collections.abc import Collection, Iterable

from attrs import frozen

from warledger.engine.board.hexmap import HexMap

Net = tuple[tuple[int, ...], ...]

BLOCKED = 0
END = 1
PASS = 2

NONE = -1


@frozen
class RangeNet:
    """Hexsides that a range may cross: freely, or only with its last hex."""

    free: Net
    last_only: Net


@frozen(eq=False)
class Trace:
    """The outcome of a flood: the fewest hexes to a source, how many of them are off the free net,
    and the canonical line.

    Without a limit `off` equals `distance`.
    """

    distance: tuple[int, ...]
    off: tuple[int, ...]
    _labels: tuple[tuple[tuple[int, int, int], ...], ...]

    def reached(self, i: int) -> bool:
        return self.distance[i] != NONE

    def line(self, i: int) -> tuple[int, ...]:
        """The canonical shortest line from hex i to its source, both included; empty if there is
        none."""
        if not self.reached(i):
            return ()
        found = [i]
        labels = self._labels
        total, _, came = labels[i][0]
        while total:
            i = came
            found.append(i)
            total, _, came = next(x for x in labels[i] if x[0] == total - 1)
        return tuple(found)


def land_net(
    board: HexMap,
    *,
    closed_terrain: Collection[str] = (),
    closed_classes: Collection[str] = (),
    closed_even_bridged: Collection[str] = (),
    closed_hexes: Collection[int] = (),
) -> Net:
    """Neighbours between which a line over land may run: not across impassable hexsides or
    unbridged rivers of the closed classes (for `closed_even_bridged` not across bridged ones
    either), and not through closed terrain or hexes."""
    shut = _shut(board, closed_terrain, closed_hexes)
    sides = board.sides
    river, impassable = sides.river, sides.impassable
    result: list[tuple[int, ...]] = []
    for a, around in enumerate(board.grid.neighbours):
        row = []
        at = a * 6 - 1
        for b in around:
            at += 1
            if b < 0 or shut[b] or impassable[at]:
                continue
            if river[at]:
                kind = sides.river_class(at)
                if kind in closed_even_bridged or (
                    kind in closed_classes and not sides.bridged[at]
                ):
                    continue
            row.append(b)
        result.append(() if shut[a] else tuple(row))
    return tuple(result)


def link_net(
    board: HexMap, kinds: Collection[str] = ("rail",), *, closed_hexes: Collection[int] = ()
) -> Net:
    """Neighbours joined by a railway (or other links). Two rail hexes that are only adjacent are
    not joined."""
    shut = _shut(board, (), closed_hexes)
    tables = [board.links[k] for k in sorted(kinds) if k in board.links]
    result: list[tuple[int, ...]] = []
    for a, around in enumerate(board.grid.neighbours):
        begin = a * 6
        if shut[a] or not any(any(t[begin : begin + 6]) for t in tables):
            result.append(())
            continue
        result.append(
            tuple(
                b
                for d, b in enumerate(around)
                if b >= 0 and not shut[b] and any(t[begin + d] for t in tables)
            )
        )
    return tuple(result)


def range_net(
    board: HexMap, *, closed_terrain: Collection[str] = (), last_only_classes: Collection[str] = ()
) -> RangeNet:
    """For command ranges: rivers of `last_only_classes`, bridged or not, may be crossed only with
    the last hex."""
    every = land_net(board, closed_terrain=closed_terrain)
    free = land_net(board, closed_terrain=closed_terrain, closed_even_bridged=last_only_classes)
    last = tuple(tuple(b for b in row if b not in free[a]) for a, row in enumerate(every))
    return RangeNet(free, last)


def access(
    hexes: int,
    *,
    closed: Iterable[int] = (),
    zone: bytes = b"",
    friends: Iterable[int] = (),
    zone_ends: bool = False,
) -> bytes:
    """What a line may do in each hex: nothing in `closed` ones (enemy pieces, out of play). In
    hexes with a non-zero `zone` byte it may not go either, or may only end there if `zone_ends`.
    Friends in a hex cancel the zone there."""
    table = bytearray([PASS]) * hexes
    in_zone = END if zone_ends else BLOCKED
    cancelled = frozenset(friends)
    for i, n in enumerate(zone):
        if n and i not in cancelled:
            table[i] = in_zone
    for i in closed:
        table[i] = BLOCKED
    return bytes(table)


def flood(net: Net, sources: Iterable[int], where: bytes) -> Trace:
    """Lines of any length from the sources that can be passed. A source that is BLOCKED or END
    supplies nothing."""
    distance = [NONE] * len(net)
    came = [NONE] * len(net)
    frontier = sorted({i for i in sources if where[i] == PASS})
    for i in frontier:
        distance[i], came[i] = 0, i
    far = 0
    while frontier:
        far += 1
        found = []
        for i in frontier:
            for n in net[i]:
                if distance[n] == NONE and where[n]:
                    distance[n], came[n] = far, i
                    if where[n] == PASS:
                        found.append(n)
        frontier = sorted(found)
    spread = tuple(distance)
    return Trace(
        spread,
        spread,
        tuple(((d, d, c),) if d != NONE else () for d, c in zip(distance, came, strict=True)),
    )


def flood_off(free: Net, land: Net, sources: Iterable[int], where: bytes, limit: int) -> Trace:
    """Lines that run any distance along the free net (railways joined to the sources) and then at
    most `limit` hexes over land.

    Off the net a line counts every hex, including those that are on a railway again.
    """
    labels: list[list[tuple[int, int, int]]] = [[] for _ in land]
    frontier = sorted((i, 0, i) for i in {i for i in sources if where[i] == PASS})
    far = 0
    while frontier:
        entered = []
        # ascending (hex, off, came): of two lines as long, the one with fewer hexes off the net is
        # kept, then the lower origin
        for i, off, came in frontier:
            if labels[i] and labels[i][-1][1] <= off:
                continue
            labels[i].append((far, off, came))
            if where[i] == PASS:
                entered.append((i, off))
        far += 1
        following: set[tuple[int, int, int]] = set()
        for i, off in entered:
            if off == 0:
                following.update((n, 0, i) for n in free[i] if where[n])
            if off < limit:
                following.update((n, off + 1, i) for n in land[i] if where[n])
        frontier = sorted(following)
    best = [row[0] if row else (NONE, NONE, NONE) for row in labels]
    return Trace(
        tuple(x[0] for x in best), tuple(x[1] for x in best), tuple(tuple(row) for row in labels)
    )


def command_range(net: RangeNet, start: int, reach: int) -> dict[int, int]:
    """Hexes within command range and their distances, nearest first; the start has distance 0."""
    inside = {start: 0}
    beyond: dict[int, int] = {}
    frontier = [start]
    for k in range(1, reach + 1):
        found = []
        for i in frontier:
            for n in net.free[i]:
                if n not in inside:
                    inside[n] = k
                    found.append(n)
            for n in net.last_only[i]:
                beyond.setdefault(n, k)
        frontier = found
    both = {n: min(inside.get(n, k), k) for n, k in beyond.items()}
    return dict(sorted((inside | both).items(), key=lambda x: (x[1], x[0])))


def _shut(board: HexMap, terrain: Collection[str], hexes: Collection[int]) -> bytes:
    table = bytearray(1 if board.terrain_at(i) in terrain else 0 for i in range(len(board.grid)))
    for i in hexes:
        table[i] = 1
    return bytes(table)
