"""What a single error did to a frame, computed from its checksum: one byte changed, one missing, or
a run of bytes inserted.

CRC-32 can be run forwards from a frame's first byte and backwards from its checksum. If the two
meet except for one byte, that byte is known; a frame of n bytes takes about 2 n steps. Pure: bytes
in, values out. It detects accidents: a forger would write a matching checksum, and the chain
reveals that.
"""

from collections.abc import Iterator
from itertools import chain, islice
from zlib import crc32

from attrs import frozen

from warledger.protocol.log.wlog import FRAME_HEAD_BYTES, KIND_NAMES, Frame

MENDED_BYTES_MAX = 1 << 19
"""Longer frames are not searched. A genesis with its pack is a fifth of this."""

WAYS_MAX = 16
"""At most this many ways are reported. An accident has one or two; a part that was made to have
thousands would cost a frame each."""

_EXTRA_IN_HEAD_MAX = 16
_COVERED = 5
"""Bytes of a frame's head that its checksum covers, as it does the payload: length and kind."""

_ONES = 0xFFFFFFFF
_TABLE = tuple(crc32(bytes([byte]), _ONES) ^ _ONES for byte in range(256))
_TOP = {entry >> 24: byte for byte, entry in enumerate(_TABLE)}


@frozen
class Mended:
    """A way to make a stretch of bytes one sound frame: at `at` (counted in the stretch) the bytes
    `found` must be `right`."""

    at: int
    found: bytes
    right: bytes
    frame: Frame


def mended(stretch: bytes) -> Iterator[Mended]:
    """The ways in which a single error explains the damaged part: usually one, rarely several (the
    frame's content must then decide)."""
    if len(stretch) <= MENDED_BYTES_MAX:
        yield from islice(chain(_in_head(stretch), _in_payload(stretch)), WAYS_MAX)


def _in_head(stretch: bytes) -> Iterator[Mended]:
    """Errors before the payload: with its length and kind supposed, the nine bytes of the head are
    known."""
    for extra in range(-1, _EXTRA_IN_HEAD_MAX + 1):
        payload = stretch[FRAME_HEAD_BYTES + extra :]
        if FRAME_HEAD_BYTES + extra > len(stretch):
            return
        found = stretch[: FRAME_HEAD_BYTES + extra]
        length = len(payload).to_bytes(4, "big")
        # All but one of the nine bytes are right: the first four, or else the last five, which
        # begin with the kind.
        kinds = (
            KIND_NAMES
            if found.startswith(length)
            else [kind for kind in KIND_NAMES if kind == found[-5]]
        )
        for kind in kinds:
            covered = length + bytes([kind])
            right = covered + crc32(payload, crc32(covered)).to_bytes(4, "big")
            at = _slip(found, right)
            if at is not None:
                wrong = found[at : at + max(1, extra)] if extra >= 0 else b""
                yield Mended(
                    at, wrong, right[at : at + 1] if extra <= 0 else b"", Frame(kind, payload)
                )


def _slip(found: bytes, right: bytes) -> int | None:
    """The place of the single error that turns `right` into `found`; None if there is more than one
    error, or none."""
    extra = len(found) - len(right)
    at = next(
        (at for at, (one, other) in enumerate(zip(found, right, strict=False)) if one != other),
        min(len(found), len(right)),
    )
    fits = (
        found[at + extra :] == right[at:]
        if extra > 0
        else found[at + 1 + extra :] == right[at + 1 :]
    )
    return at if fits and found != right else None


def _in_payload(stretch: bytes) -> Iterator[Mended]:
    """Errors in the payload, whose length is in the head."""
    if len(stretch) < FRAME_HEAD_BYTES or stretch[_COVERED - 1] not in KIND_NAMES:
        return
    payload = stretch[FRAME_HEAD_BYTES:]
    extra = len(payload) - int.from_bytes(stretch[:4], "big")
    if not -1 <= extra <= len(payload):
        return
    kind = stretch[_COVERED - 1]
    forwards = _forwards(crc32(stretch[:_COVERED]) ^ _ONES, payload)
    backwards = _backwards(
        int.from_bytes(stretch[_COVERED:FRAME_HEAD_BYTES], "big") ^ _ONES, payload
    )
    for at, before in enumerate(forwards):
        if extra > 0:
            if at + extra <= len(payload) and before == backwards[at + extra]:
                frame = Frame(kind, payload[:at] + payload[at + extra :])
                yield Mended(FRAME_HEAD_BYTES + at, payload[at : at + extra], b"", frame)
            continue
        behind = at + 1 + extra  # one byte stands, or must be put, between the two
        if behind > len(payload):
            continue
        step = _TOP[backwards[behind] >> 24]
        if before >> 8 ^ _TABLE[step] == backwards[behind]:
            right = bytes([(step ^ before) & 0xFF])
            yield Mended(
                FRAME_HEAD_BYTES + at,
                payload[at:behind],
                right,
                Frame(kind, payload[:at] + right + payload[behind:]),
            )


def _forwards(state: int, payload: bytes) -> list[int]:
    """The checksum's register before each byte, and after the last."""
    states = [state]
    for byte in payload:
        state = _TABLE[(state ^ byte) & 0xFF] ^ state >> 8
        states.append(state)
    return states


def _backwards(state: int, payload: bytes) -> list[int]:
    """What the register must be before each byte, and after the last, for the checksum to come
    out."""
    states = [state]
    for byte in reversed(payload):
        step = _TOP[state >> 24]
        state = (state ^ _TABLE[step]) << 8 & _ONES | step ^ byte
        states.append(state)
    states.reverse()
    return states
