"""Zones of control at one moment: which hexes lie in the zone of at least one piece of a side.

`ground` is computed once for a map: the hexes into which a piece in each hex would project its
zone. `Zones` counts, for each hex, the *occupied hexes* that project into it. So adding or removing
a piece is a small step, and zones are never counted from the start. Immutable: `placed` and `taken`
return new values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import frozen

from warledger.engine.board.hexmap import HexMap
from warledger.engine.board.paths import NO_ENTRY, ZONE

Ground = tuple[tuple[int, ...], ...]


def ground(
    board: HexMap,
    *,
    blocked_terrain: Collection[str] = (),
    blocked_classes: Collection[str] = (),
    blocked_hexes: Collection[int] = (),
) -> Ground:
    """For each hex the neighbours into which a zone extends: not across impassable hexsides, river
    classes named in `blocked_classes`, nor into blocked terrain or hexes (nor out of blocked
    hexes)."""
    closed = bytearray(
        1 if board.terrain_at(i) in blocked_terrain else 0 for i in range(len(board.grid))
    )
    out_of_play = frozenset(blocked_hexes)
    for i in sorted(out_of_play):
        closed[i] = 1
    sides = board.sides
    result = []
    for a, around in enumerate(board.grid.neighbours):
        reached = []
        for d, b in enumerate(around):
            at = a * 6 + d
            if b < 0 or closed[b] or a in out_of_play or sides.impassable[at]:
                continue
            if sides.river[at] and sides.river_class(at) in blocked_classes:
                continue
            reached.append(b)
        result.append(tuple(reached))
    return tuple(result)


@frozen(eq=True)
class Zones:
    """One side's zones: `pieces[i]` are its pieces with a zone in hex i, `count[i]` the occupied
    hexes that project into hex i."""

    pieces: bytes
    count: bytes

    def __getitem__(self, i: int) -> bool:
        """Whether hex i lies in a zone."""
        return self.count[i] != 0

    def placed(self, over: Ground, i: int) -> Zones:
        """The zones with one more piece in hex i. Raises ValueError beyond 255 pieces in one
        hex."""
        pieces = bytearray(self.pieces)
        pieces[i] += 1
        return Zones(
            bytes(pieces), self.count if self.pieces[i] else _shifted(self.count, over[i], 1)
        )

    def taken(self, over: Ground, i: int) -> Zones:
        """The zones with one piece fewer in hex i. Raises ValueError if there is none."""
        if not self.pieces[i]:
            raise ValueError(f"no piece with a zone of control stands in hex number {i}")
        pieces = bytearray(self.pieces)
        pieces[i] -= 1
        return Zones(bytes(pieces), self.count if pieces[i] else _shifted(self.count, over[i], -1))

    def moved(self, over: Ground, a: int, b: int) -> Zones:
        """The zones after one piece has gone from a to b. Raises ValueError if none is in a. This
        is done in one pass, since moves are what happens most."""
        if a == b:
            return self
        pieces = bytearray(self.pieces)
        if not pieces[a]:
            raise ValueError(f"no piece with a zone of control stands in hex number {a}")
        pieces[a] -= 1
        pieces[b] += 1
        if pieces[a] and pieces[b] > 1:
            return Zones(bytes(pieces), self.count)
        count = bytearray(self.count)
        if not pieces[a]:
            for i in over[a]:
                count[i] -= 1
        if pieces[b] == 1:
            for i in over[b]:
                count[i] += 1
        return Zones(bytes(pieces), bytes(count))

    def hexes(self) -> tuple[int, ...]:
        """The hexes in a zone, by index."""
        return tuple(i for i, n in enumerate(self.count) if n)


def zones(over: Ground, positions: Iterable[int]) -> Zones:
    """The zones of pieces in the given hexes, one entry a piece."""
    pieces, count = bytearray(len(over)), bytearray(len(over))
    for i in positions:
        if not pieces[i]:
            for n in over[i]:
                count[n] += 1
        pieces[i] += 1
    return Zones(bytes(pieces), bytes(count))


def mover_flags(
    enemy: Zones,
    closed: Iterable[int] = (),
    negated: Iterable[int] = (),
    also: Iterable[tuple[int, int]] = (),
) -> bytes:
    """The flag bytes of paths.Conditions: ZONE from the enemy's zones except in `negated` hexes,
    NO_ENTRY in `closed` (enemy pieces, hexes out of play), and further (hex, flag) pairs."""
    flags = bytearray(enemy.count.translate(_AS_FLAG))
    for i in negated:
        flags[i] = 0
    for i in closed:
        flags[i] |= NO_ENTRY
    for i, flag in also:
        flags[i] |= flag
    return bytes(flags)


_AS_FLAG = bytes([0] + [ZONE] * 255)


def _shifted(count: bytes, at: tuple[int, ...], by: int) -> bytes:
    changed = bytearray(count)
    for i in at:
        changed[i] += by
    return bytes(changed)
