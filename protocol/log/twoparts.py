"""A finished game's file in two parts: what is seen of the game, and what only proves it. So a page
shows a game before most of its bytes are here (`protocol/twoparts.md` is for whoever reads them).

Signatures, blinds, ids, digests, salts and hashes look like noise: they are most of a compressed
file, and nothing that is seen depends on them. Nor does anything on a command's picks and events,
since its effects say the same. All this comes last, byte for byte and in order, and a length stands
where it was. Nothing is computed: the two parts together are the file.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

from attrs import frozen

from warledger.protocol import canon
from warledger.protocol.limits import PARTS_BYTES_MAX, PARTS_FRAMES_MAX
from warledger.protocol.log import wlog
from warledger.protocol.log.records import hash_of

LENGTH_BYTES: Final = 4
"""Before part one stands how many bytes it has."""
WHOLE: Final = 0
"""The mark of a record that stands in part one as it is."""
BY_FIELDS: Final = 1
"""The mark of a record with lengths in place of what stands in part two."""
_CRC_AT: Final = 5
_FIELDS: Final = 6
_BY: Final = 4
_SIGNED: Final = 4
"""What is told of a seat that acted: key, number, record seen and signature."""
_OPENING: Final = 4


@frozen
class _Shape:
    """A kind of records that stand by their fields: how many values the body has, which of them
    stand in part two, and which, if any, is an array of openings, whose salts do."""

    values: int
    later: frozenset[int]
    openings: int = -1


_SHAPES: Final = {
    # Decision, picks, command id, by, events, flow and digest.
    "command": _Shape(12, frozenset((0, 2, 3, _BY, 6, 9, 11)), 8),
    "open": _Shape(2, frozenset((1,))),
    "reveal": _Shape(2, frozenset(), 0),
}


def cut(file: bytes) -> bytes:
    """Both parts of a game's file, one behind the other; no bytes at all for a file beyond the
    bounds of this form. Raises CorruptFile for a damaged file."""
    one: list[bytes] = []
    two: list[bytes] = []
    records: list[bytes] = []
    wlog.check_magic(file)
    for offset, kind, payload in wlog.walk(file, len(wlog.MAGIC)):
        two.append(file[offset + _CRC_AT : offset + wlog.FRAME_HEAD_BYTES])
        if kind == wlog.FRAME_RECORD:
            records.append(payload)
            told = _by_fields(payload, two)
            mark, value = (WHOLE, payload) if told is None else (BY_FIELDS, told)
        else:
            mark, value = kind, len(payload)
            two.append(payload)
        one.append(canon.pack(mark) + canon.pack(value))
    game = canon.unpack(records[0])[4][1]
    later = b"".join(two)
    about = (game, len(records) - 1, hash_of(records[-1]), hashlib.sha256(later).digest())
    first = canon.pack(about) + b"".join(one)
    if LENGTH_BYTES + len(first) + len(later) > PARTS_BYTES_MAX or len(one) > PARTS_FRAMES_MAX:
        return b""
    return len(first).to_bytes(LENGTH_BYTES, "big") + first + later


def _by_fields(payload: bytes, later: list[bytes]) -> Any:
    """A record with lengths in place of what is added to `later`; None if it stands whole."""
    try:
        record = canon.unpack(payload)
    except canon.NotCanonical:
        return None
    if not _has_shape(record):
        return None
    seq, at_ms, actor, kind, body, previous = record
    shape = _SHAPES[kind]

    def length(value: Any) -> int:
        later.append(canon.pack(value))
        return len(later[-1])

    told: list[Any] = []
    for place, value in enumerate(body):
        if place == shape.openings:
            told.append(tuple((of, path, length(salt), what) for of, path, salt, what in value))
        else:
            told.append(length(value) if place in shape.later else value)
    return seq, at_ms, actor, kind, told, length(previous)


def _has_shape(record: Any) -> bool:
    """Whether a record has one of the shapes, a command with the act of a seat."""
    if not _is_array(record, _FIELDS) or type(record[3]) is not str or record[3] not in _SHAPES:
        return False
    kind, body = record[3:5]
    shape = _SHAPES[kind]
    if not _is_array(body, shape.values):
        return False
    openings = body[shape.openings] if shape.openings >= 0 else ()
    return (
        (_BY not in shape.later or _is_array(body[_BY], _SIGNED))
        and type(openings) is tuple
        and all(_is_array(one, _OPENING) for one in openings)
    )


def _is_array(value: Any, length: int) -> bool:
    return type(value) is tuple and len(value) == length
