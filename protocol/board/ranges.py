"""Lists of hexes in a pack, with ranges: "A1.01..07 B2.05" is hexes 01 to 07 of row 1 of sheet A,
both ends included, and B2.05.

A range runs along one row of ids: the part before the last dot is the same, and the part after it
counts up. Ranges are expanded before a map is read, so readers of maps only ever see single ids.
"""

from __future__ import annotations

from warledger.protocol.limits import HEXES_MAX
from warledger.protocol.texts.words import words_of

DOTS = ".."


def is_digits(text: str) -> bool:
    """Whether a text is a whole number in the digits 0 to 9. (Python counts digits of every script
    as such.)"""
    return text.isascii() and text.isdecimal()


class BadRange(ValueError):
    """A range that names no hexes; the message says how to write one."""


def expand(text: str) -> tuple[str, ...]:
    """The ids of a list, ranges written out, in the order given. Raises BadRange."""
    found: list[str] = []
    for word in words_of(text):
        first, dots, last = word.partition(DOTS)
        if not dots:
            found.append(word)
            continue
        row, dot, start = first.rpartition(".")
        if not dot or not is_digits(start) or not is_digits(last) or int(last) <= int(start):
            raise BadRange(f"{word!r} is not a range of hexes; write one row's ids as in A1.01..07")
        if len(found) + int(last) - int(start) >= HEXES_MAX:
            raise BadRange(f"{word!r} makes the list longer than any map")
        width = len(start)
        found += [f"{row}.{k:0{width}}" for k in range(int(start), int(last) + 1)]
    return tuple(found)
