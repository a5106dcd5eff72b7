"""A reader of games in two parts for authors of others, written from `protocol/twoparts.md`."""

from typing import Any

import msgpack

from tests.audit.mini_files import END, RECORD, File
from tests.audit.mini_values import Unsound, need, pack, sha, unpack

WHOLE, BY_FIELDS = 0, 1
VALUES = {"command": 12, "open": 2, "reveal": 2}
LATER = {"command": (0, 2, 3, 4, 6, 9, 11), "open": (1,), "reveal": ()}
OPENINGS = {"command": 8, "open": None, "reveal": 0}


def together(parts: bytes, game: str) -> bytes:
    """The file of a game from its two parts. Raises Unsound unless they are those of the game."""
    try:
        return put_together(parts, game)
    except (LookupError, TypeError, ValueError) as error:
        raise Unsound(f"another form: {error}") from error


def put_together(parts: bytes, game: str) -> bytes:
    """The same, which raises whatever values of another form raise."""
    size = int.from_bytes(parts[:4], "big")
    one, two = parts[4 : 4 + size], parts[4 + size :]
    need(len(one) == size, "part one is cut short")
    (named, last, last_hash, digest), *told = values(one)
    need(named == game and digest == sha(two) and len(told) % 2 == 0, "other parts")
    file, at = bytes.fromhex("89574c4f470d0a03"), 0

    def take(length: Any) -> bytes:
        nonlocal at
        need(type(length) is int and 0 <= length <= len(two) - at, "a length")
        at += length
        return two[at - length : at]

    for mark, value in zip(told[::2], told[1::2], strict=True):
        need(type(mark) is int and 0 <= mark <= END, "a mark")
        crc, payload = take(4), value
        if mark == BY_FIELDS:
            record = filled(value, lambda length: unpack(take(length)))
            need(record[3] != "command" or len(record[4][4]) == 4, "nobody acted")
            payload = pack(record)
        elif mark != WHOLE:
            payload = take(value)
        file += len(payload).to_bytes(4, "big") + bytes([mark or RECORD]) + crc + payload
    read = File(file)
    read.check_end()
    records = [payload for kind, payload, _ in read.frames if kind == RECORD]
    need(at == len(two) and len(records) == last + 1 and sha(records[-1]) == last_hash, "the end")
    return file


def filled(record: Any, put: Any) -> Any:
    """A record with what was left out of it in place of the lengths, in order."""
    seq, at_ms, actor, kind, body, previous = record
    need(len(body) == VALUES[kind], "the form of a body")
    for place, value in enumerate(body):
        if place == OPENINGS[kind]:
            for opening in value:
                need(len(opening) == 4, "the form of an opening")
                opening[2] = put(opening[2])
        elif place in LATER[kind]:
            body[place] = put(value)
    return [seq, at_ms, actor, kind, body, put(previous)]


def values(data: bytes) -> list[Any]:
    """Canonical values that stand one after the other."""
    unpacker = msgpack.Unpacker(strict_map_key=True, max_buffer_size=len(data))
    unpacker.feed(data)
    found, at = [], 0
    while at < len(data):
        try:
            unpacker.skip()
        except (ValueError, msgpack.UnpackException) as error:
            raise Unsound(f"not values: {error}") from error
        found.append(unpack(data[at : unpacker.tell()]))
        at = unpacker.tell()
    return found
