"""Values that do not belong where they stand, or lie at the edge of what may stand there."""

import random
from typing import Any, Final

from tests.audit.odd.follows import Packed, Sealed
from tests.audit.odd.log import Raw, Seal
from warledger.protocol import limits

DAY: Final = 86_400_000
BOUNDS: Final = sorted(
    {
        value
        for name in dir(limits)
        if name.isupper() and type(value := getattr(limits, name)) is int
    }
)
"""Every bound that there is."""
NUMBERS: Final = sorted(
    {
        near
        for bound in (*BOUNDS, 0, 1, 2, 127, 255, 256, 65_535, 2**31, 2**32, 2**53, 2**63, 400)
        for near in (bound - 1, bound, bound + 1, -bound)
        if -(2**63) <= near < 2**64
    }
)
LENGTHS: Final = (0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65)
TEXTS: Final = (
    *(
        "",
        " ",
        "a",
        "A",
        "b",
        "server",
        "Server",
        "a\x00b",
        "a\nb",
        "\r\n",
        "\t",
        "\x1b[2J",
        "\x7f",
    ),
    *("\ud800", "\udfff", "\ud83d\ude00"),
    *("e\u0301", "\u00e9", "\ufeffa", "\ufeff", "\ufdd0", "\ue000", "\U0010ffff", "\U000105d2"),
    *("\u202ea", "\u2066a", "\u200f", "\u05d0\u05d1", "ß", "ſ", "İ", "K", "\u0131"),
    *("\u2028", "\u2029", "\u0085", "{x}", "__proto__", "constructor", "null", "0", "-1"),
    *("outcome.resigned", "outcome.flag", "credit.ruling", "rules", "flag", "ruling"),
)
RAWS: Final = (
    b"\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00",  # a float
    b"\xca\x3f\x80\x00\x00",
    b"\xcc\x05",  # numbers in a longer form
    b"\xd0\x05",
    b"\xcd\x00\x80",
    b"\xd3\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\xcf\x00\x20\x00\x00\x00\x00\x00\x00",
    b"\xd9\x01a",  # text
    b"\xa2\xc0\x80",
    b"\xa1\xff",
    b"\xc5\x00\x01a",
    b"\xdc\x00\x01\x05",  # arrays and maps
    b"\xde\x00\x01\xa1a\x05",
    b"\x82\xa1b\x01\xa1a\x02",
    b"\x82\xa1a\x01\xa1a\x02",
    b"\x81\x01\x02",
    b"\x81\xc4\x01a\x02",
    b"\xc1",
    b"\xd6\xff\x00\x00\x00\x00",  # extension types
    b"\xd4\x01\x00",
    b"\xc7\x20\x02" + bytes(32),
    b"\xc7\x1f\x01" + bytes(31),
    b"\xd8\x01" + bytes(16),
    b"\xc8\x00\x20\x01" + bytes(32),
    b"\x91" * 16 + b"\x90",
    b"\x91" * 17 + b"\x90",
    b"\x91" * 2000 + b"\x90",
    b"",
    b"\x90\x90",
)


def strange(rng: random.Random) -> Any:
    """A value of some type."""
    kind = rng.randrange(12)
    if kind == 0:
        return rng.choice((None, True, False))
    if kind in (1, 2):
        return rng.choice(NUMBERS)
    if kind in (3, 4):
        return odd_text(rng)
    if kind == 5:
        return rng.randbytes(rng.choice(LENGTHS))
    if kind == 6:
        return [strange(rng) for _ in range(rng.randrange(4))]
    if kind == 7:
        return {name: strange(rng) for name in sorted(rng.sample(("a", "b", "é", ""), 2))}
    if kind == 8:
        return Raw(rng.choice(RAWS))
    if kind == 9:
        return Seal(rng.randbytes(rng.choice((32, 32, 32, 31))))
    if kind == 10:
        return Packed(strange(rng))
    return Sealed(strange(rng))


def odd_text(rng: random.Random) -> str:
    """Text that is rarely met, or as long as it may be, or longer."""
    if rng.random() < 0.7:
        return rng.choice(TEXTS)
    letter = rng.choice(("x", "é", "\U0001f600", "e\u0301"))
    length = rng.choice([*BOUNDS[:40], 59, 60, 64, 65, 200, 201, 2000, 2001, 4096, 4097])
    return letter * min(max(length + rng.choice((-1, 0, 1)), 0), 5000)


def near(rng: random.Random, value: Any) -> Any:
    """A value of the same type that lies at an edge."""
    if type(value) is bool:
        return rng.choice((not value, int(value), None))
    if type(value) is int:
        if rng.random() < 0.5:
            return value + rng.choice((-1, 1, 2, -2))
        return rng.choice(NUMBERS)
    if type(value) is str:
        if rng.random() < 0.3:
            return rng.choice((value.upper(), value + " ", value[:-1], value + "\u0301", value * 2))
        return odd_text(rng)
    if type(value) is bytes:
        changed = bytes([value[0] ^ 1, *value[1:]]) if value else b"\1"
        length = rng.choice(LENGTHS)
        return rng.choice((value[:-1], value + b"\0", b"", changed, bytes(length)))
    if type(value) is list:
        return other_array(rng, value)
    return strange(rng)


def other_array(rng: random.Random, value: list[Any]) -> Any:
    """An array with something lost, doubled, moved or put in."""
    kind, at = rng.randrange(6), rng.randrange(len(value) + 1)
    if kind == 0:
        return value[:at] + value[at + 1 :]
    if kind == 1:
        return value[:at] + value[max(at - 1, 0) : at] + value[at:]
    if kind == 2:
        return value[::-1]
    if kind == 3:
        return [*value[:at], strange(rng), *value[at:]]
    if kind == 4:
        return value * rng.choice((2, 3, 65, 513)) if len(value) < 20 else value[1:]
    return []
