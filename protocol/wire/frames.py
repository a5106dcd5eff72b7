"""Frames on a byte stream, sans-IO: four bytes of length (big-endian), then that many bytes of one
message.

Two rules. A length is checked as soon as its four bytes have arrived, so nothing oversized is ever
buffered. The bound may change between two frames (a stranger's is small), so it is applied when a
frame is taken, not when its bytes arrive.
"""

from typing import Final

LENGTH_BYTES: Final = 4


class FrameFault(ValueError):
    """The peer's bytes are not a valid frame. Nothing after them can be read."""


class FrameTooBig(FrameFault):
    """A frame longer than the bound in force."""

    def __init__(self, length: int, bytes_max: int) -> None:
        super().__init__(f"a frame of {length} bytes; {bytes_max} is the most here")
        self.length = length
        self.bytes_max = bytes_max


_HTTP = (
    "this is HTTP, not Warledger's protocol: browsers use the server's address for HTTP, all other "
    "clients the one that it serves on"
)
_TLS = "this is TLS: use --tls on both sides, or on neither"
_OTHERS: Final = (
    *((word, _HTTP) for word in (b"HTTP", b"GET ", b"HEAD", b"POST", b"OPTI", b"PRI ")),
    (b"\x15\x03", _TLS),
    (b"\x16\x03", _TLS),
)
"""How other protocols begin, and what to tell a client that uses one of them. Read as a length,
each is far above every bound."""


def frame(payload: bytes) -> bytes:
    """The bytes of one frame. Raises ValueError for an empty payload."""
    if not payload:
        raise ValueError("a frame cannot be empty")
    return len(payload).to_bytes(LENGTH_BYTES, "big") + payload


class FrameReader:
    """Cuts a stream into frames. `bytes_max` bounds the next one and may be set at any time."""

    def __init__(self, bytes_max: int) -> None:
        self.bytes_max = bytes_max
        self._buffer = bytearray()
        self._at = 0

    def receive_data(self, data: bytes) -> None:
        """Take bytes that have arrived."""
        if self._at:
            del self._buffer[: self._at]
            self._at = 0
        self._buffer += data

    @property
    def unread(self) -> int:
        """Bytes that have arrived and belong to no frame taken yet."""
        return len(self._buffer) - self._at

    def next_frame(self) -> bytes | None:
        """The payload of the next complete frame, or None until more has arrived. Raises
        FrameFault."""
        start = self._at + LENGTH_BYTES
        if len(self._buffer) < start:
            return None
        length = int.from_bytes(self._buffer[self._at : start], "big")
        if length == 0:
            raise FrameFault("a frame cannot be empty")
        if length > self.bytes_max:
            first = bytes(self._buffer[self._at : start])
            for begins, told in _OTHERS:
                if first.startswith(begins):
                    raise FrameFault(told)
            raise FrameTooBig(length, self.bytes_max)
        end = start + length
        if len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[start:end])
        self._at = end
        return payload
