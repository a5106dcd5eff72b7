"""Which field of a frame a byte belongs to, or is the first that does not read: walked over the
packed bytes, damaged or not."""

import msgpack

from warledger.clients.audit.report import LEDGER_END, place
from warledger.protocol import canon
from warledger.protocol.limits import NESTING_LEVELS_MAX
from warledger.protocol.log import records, wlog

_RECORD_FIELDS = ("seq", "at_ms", "actor", "kind", "body", "previous")
_HEAD_FIELDS = ("game", "seq", "hash", "signature")
_WITNESS_FIELDS = ("seat", "key", "seq", "hash", "signature")
_OPENING_FIELDS = ("seq", "path", "salt", "value", "readers")
_PLAIN_FIELDS = {wlog.FRAME_SECRETS: "secrets", wlog.FRAME_META: "meta", wlog.FRAME_END: "end"}


def named(kind: int, payload: bytes, path: tuple[int, ...], *, ledger: bool = False) -> str:
    """A place in a frame's payload in words: "events[2][1]", "private openings[0].salt",
    "head.hash". `ledger`: it is that of a tournament."""
    if kind in _PLAIN_FIELDS:
        return _PLAIN_FIELDS[kind]
    if kind == wlog.FRAME_RECORD:
        if not path:
            return "bytes"
        if path[0] == _RECORD_FIELDS.index("body"):
            record_kind, act = _kind_of(payload)
            if ledger and record_kind == records.END:
                record_kind = LEDGER_END
            return place(record_kind, path[1:], act)
        return _member(_RECORD_FIELDS, path[0])
    if kind == wlog.FRAME_HEAD:
        return f"head.{_member(_HEAD_FIELDS, path[0])}" if path else "head"
    if kind == wlog.FRAME_WITNESS:
        return f"witness.{_member(_WITNESS_FIELDS, path[0])}" if path else "witness"
    if not path:
        return "private openings"
    rest = f".{_member(_OPENING_FIELDS, path[1])}" if len(path) > 1 else ""
    return f"private openings[{path[0]}]{rest}"


def _member(names: tuple[str, ...], index: int) -> str:
    return names[index] if index < len(names) else f"[{index}]"


def _kind_of(payload: bytes) -> tuple[str, str]:
    """The kind that a record's bytes name and the act of a `seat`, `clock` or `ruling` record, each
    "" if they do not get so far."""
    kind = act = ""
    unpacker = msgpack.Unpacker(raw=False, max_buffer_size=0)
    unpacker.feed(payload)
    try:
        unpacker.read_array_header()
        for _ in range(_RECORD_FIELDS.index("kind")):
            unpacker.skip()
        kind = unpacker.unpack()
        if kind in (records.SEAT, records.CLOCK, records.RULING):
            unpacker.read_array_header()
            act = unpacker.unpack()
    except Exception:
        return (kind if type(kind) is str else ""), ""
    return (kind if type(kind) is str else ""), (act if type(act) is str else "")


def path_in(payload: bytes, offset: int | None = None) -> tuple[int, ...]:
    """The path to the value that the byte at `offset` belongs to; without, to the first that does
    not read as canonical."""
    path: tuple[int, ...] = ()
    at = 0
    while len(path) < NESTING_LEVELS_MAX:
        inner = _inside(payload[at:], None if offset is None else offset - at)
        if inner is None:
            break
        index, begin = inner
        path, at = (*path, index), at + begin
    return path


def _inside(data: bytes, offset: int | None) -> tuple[int, int] | None:
    """The item of the array that begins `data` which holds the byte at `offset`, or is the first
    not to read: its index and beginning."""
    unpacker = msgpack.Unpacker(max_buffer_size=0)
    unpacker.feed(data)
    try:
        count = unpacker.read_array_header()
    except Exception:
        return None
    begin = unpacker.tell()
    if offset is not None and offset < begin:
        return None
    for index in range(count):
        try:
            unpacker.skip()
        except Exception:
            return index, begin
        end = unpacker.tell()
        if (begin <= offset < end) if offset is not None else not _reads(data[begin:end]):
            return index, begin
        begin = end
    return None


def _reads(data: bytes) -> bool:
    try:
        canon.unpack(data)
    except canon.NotCanonical:
        return False
    return True
