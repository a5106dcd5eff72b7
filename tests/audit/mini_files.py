"""Frames of a file, as the small auditor reads them."""

import zlib

import msgpack

from tests.audit.mini_values import NotRead, need, sha

HEADER, FORMAT = bytes.fromhex("89574c4f470d0a"), 3


RECORD, OPENINGS, HEAD, SECRETS, META, WITNESS, END = 1, 2, 3, 4, 5, 6, 9


def frames(data: bytes) -> list[tuple[int, bytes]]:
    """The frames of a sealed file."""
    if is_of_another_format(data):
        raise NotRead
    need(data[:8] == HEADER + bytes([FORMAT]), "header")
    found: list[tuple[int, bytes]] = []
    at, ended = 8, False
    while at < len(data):
        need(not ended, "bytes behind the end")
        need(at + 9 <= len(data), "cut")
        length, kind, crc = (
            int.from_bytes(data[at : at + 4], "big"),
            data[at + 4],
            int.from_bytes(data[at + 5 : at + 9], "big"),
        )
        payload = data[at + 9 : at + 9 + length]
        need(
            len(payload) == length and zlib.crc32(payload, zlib.crc32(data[at : at + 5])) == crc,
            "frame",
        )
        if kind == END:
            need(
                int.from_bytes(payload[:4], "big") == len(found) and payload[4:] == sha(data[:at]),
                "end frame",
            )
            ended = True
        else:
            need(kind in (1, 2, 3, 4, 5, 6), "kind of frame")
            need(kind == RECORD or bool(found), "a frame before record 0")
            found.append((kind, payload))
        at += 9 + length
    return found


def is_of_another_format(data: bytes) -> bool:
    """Whether the header or the first record names another format, and neither names ours."""
    header = data[7] if data[:7] == HEADER and len(data) > 7 else None
    if header == FORMAT:
        return False
    try:
        named = msgpack.unpackb(data[17 : 17 + int.from_bytes(data[8:12], "big")])[4][0]
    except Exception:
        named = None
    return named != FORMAT and (header is not None or type(named) is int)
