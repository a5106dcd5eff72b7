"""Frames of a file, as the small auditor reads them."""

import zlib
from typing import Any

from tests.audit.mini_values import NotRead, Unsound, need, sha, unpack

HEADER, FORMAT = bytes.fromhex("89574c4f470d0a"), 3


KINDS = RECORD, OPENINGS, HEAD, SECRETS, META, WITNESS = range(1, 7)
END = 9


PAYLOAD_MOST = 16_777_216


class File:
    """The frames of a file, each as (kind, payload, the byte at which it begins)."""

    def __init__(self, data: bytes) -> None:
        if is_of_another_format(data):
            raise NotRead
        right = HEADER + bytes([FORMAT])
        same = [data[at : at + 1] == right[at : at + 1] for at in range(8)]
        need(all(same), "header", byte=None if all(same) else same.index(False))
        self.frames: list[tuple[int, bytes, int]] = []
        self.end: tuple[bytes, int] | None = None
        self.data = data
        at = 8
        while at < len(data):
            need(self.end is None, "bytes behind the end", byte=at)
            at += self.frame(at)

    def frame(self, at: int) -> int:
        """Read a frame. Returns how long it is."""
        head = self.data[at : at + 9]
        length, kind = int.from_bytes(head[:4], "big"), head[4:5]
        payload = self.data[at + 9 : at + 9 + length]
        need(len(head) == 9 and len(payload) == length <= PAYLOAD_MOST, "cut", byte=at)
        crc = zlib.crc32(payload, zlib.crc32(head[:5]))
        need(int.from_bytes(head[5:], "big") == crc, "check sum", byte=at)
        need(kind[0] in (*KINDS, END), "kind of frame", byte=at)
        if kind[0] == END:
            self.end = payload, at
        else:
            need(bool(self.frames) or kind[0] == RECORD, "a frame before record 0", byte=at)
            self.frames.append((kind[0], payload, at))
        return 9 + length

    def check_end(self) -> None:
        """The end frame counts the frames and the bytes before it, where there is one."""
        if self.end is not None:
            payload, at = self.end
            right = len(self.frames).to_bytes(4, "big") + sha(self.data[:at])
            need(payload == right, "end frame", byte=at)


def is_of_another_format(data: bytes) -> bool:
    """Whether the header or the first record names another format, and neither names ours. That
    record is in the first frame whose check sum holds."""
    header = data[7] if data[:7] == HEADER and len(data) > 7 else None
    if header == FORMAT:
        return False
    value = readable(first_frame(data))
    body = value[4] if type(value) is list and len(value) > 4 else None
    named = body[0] if type(body) is list and body else None
    return named != FORMAT and (header is not None or type(named) is int)


def first_frame(data: bytes) -> bytes:
    """The payload of the first frame whose check sum holds, if it is of a record."""
    for kind, payload in sound_frames(data):
        return payload if kind == RECORD else b""
    return b""


def sound_frames(data: bytes) -> Any:
    """The kind and payload of each frame whose check sum holds, wherever it begins."""
    at = 0
    while at < len(data) - 8:
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4]
        payload = data[at + 9 : at + 9 + length]
        good = kind in (*KINDS, END) and len(payload) == length <= PAYLOAD_MOST
        crc = int.from_bytes(data[at + 5 : at + 9], "big")
        good = good and crc == zlib.crc32(payload, zlib.crc32(data[at : at + 5]))
        if good:
            yield kind, payload
        at += 9 + length if good else 1


def kind_of_log(data: bytes) -> str:
    """The kind that the first record names that can be read."""
    for kind, payload in sound_frames(data):
        if kind == RECORD:
            value = readable(payload)
            if value is not None:
                named = value[3] if type(value) is list and len(value) > 3 else None
                return named if type(named) is str else ""
    return ""


def readable(data: bytes) -> Any:
    """A value from canonical bytes, nil for others."""
    try:
        return unpack(data)
    except Unsound:
        return None
