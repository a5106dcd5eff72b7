"""Sets of hexes as whole numbers: bit i is hex i.

Union, intersection and difference of two sets of a whole map are then one operation each. A set is
a key of a cache, and positions with the same sets are found equal at once.
"""

from collections.abc import Iterable, Sequence

Hexes = int
"""A set of hexes."""

EMPTY: Hexes = 0

FEW = 16
"""Fewer hexes than this are taken off a set one by one; more are faster found in its digits."""


def of(hexes: Iterable[int]) -> Hexes:
    """The set of these hexes."""
    found = 0
    for i in hexes:
        found |= 1 << i
    return found


def listed(hexes: Hexes) -> tuple[int, ...]:
    """The hexes of a set in rising order."""
    found = []
    if hexes.bit_count() < FEW:
        while hexes:
            low = hexes & -hexes
            found.append(low.bit_length() - 1)
            hexes ^= low
        return tuple(found)
    digits = bin(hexes)[:1:-1]
    i = digits.find("1")
    while i >= 0:
        found.append(i)
        i = digits.find("1", i + 1)
    return tuple(found)


def has(hexes: Hexes, i: int) -> bool:
    """Whether a hex is in the set."""
    return hexes >> i & 1 == 1


def around(adjacent: Sequence[Sequence[int]]) -> tuple[Hexes, ...]:
    """For each hex the set of its neighbours, without itself."""
    return tuple(of(near) for near in adjacent)


def widened(hexes: Hexes, near: Sequence[Hexes]) -> Hexes:
    """The set and every neighbour of it."""
    found = hexes
    for i in listed(hexes):
        found |= near[i]
    return found


def nearest(wanted: Hexes, left: Hexes, near: Sequence[Hexes]) -> Hexes:
    """Those of `left` that lie nearest to a hex of `wanted`; none where one of the two is empty."""
    frontier = found = wanted
    while frontier and left:
        if found & left:
            return found & left
        frontier = widened(frontier, near) & ~found
        found |= frontier
    return EMPTY


def table(hexes: Hexes, size: int, value: int = 1) -> bytes:
    """One byte a hex: `value` for those of the set, 0 for the rest."""
    text = format(hexes, f"0{size}b")[::-1].encode()
    return text.translate(_BITS[value] if value in _BITS else _bits(value))


def overlaid(*tables: bytes) -> bytes:
    """Tables of one byte a hex, the bits of all of them together."""
    found = 0
    for one in tables:
        found |= int.from_bytes(one, "little")
    return found.to_bytes(len(tables[0]), "little")


def _bits(value: int) -> bytes:
    made = bytearray(256)
    made[ord("1")] = value
    return bytes(made)


_BITS = {value: _bits(value) for value in (1, 2, 4, 8)}
