"""What a program and the process of an archived release say to each other.

Over a socket pair: four bytes of length, big-endian, then a canonical array. A request is `[what,
argument …]`, and each gets one answer, in order:

    ["hello"]                               ["hello", VERSION, release, [title …]]
    ["title", name]                         ["title", digest, version, seats, switches]
    ["open", handle, title, keys, log]      ["done"]
    ["drop", handle]                        ["done"]
    ["propose", handle, head, name, arguments, named arguments]
                                            ["batch", [[record, openings] …]] or
                                            ["refused", refusal]
    ["choices", handle, head, seq, seat, picks]
                                            ["choices", offer or null, refusal or null, question]
    ["preview", handle, head, seq, seat, picks]
                                            ["told", [sentence …]] or ["refused", refusal]
    ["describe", title, pack, options]      ["description", description]

`keys` is `["whole", SECRETS payload]`, or `["opened", hidden, salts, [[epoch, link] …], known]` for
a file that opens only part of them. `log` holds `[record, openings]` of every record, as files have
them, and `head` is the hash of the last record that is durable: that of the batch which was
proposed last means that it is committed. `["behind"]` answers a head that is neither that nor the
game's own; the game must then be opened again. Anything may be answered with `["sealed", why]` (the
log does not open what is needed) or `["fault", why]`.

The version of this protocol is that of `hello`. What is here is what every later release must
be able to say: a change is a new version, spoken beside this one.
"""

import socket
import time
from typing import Any, Final

from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.position import Position
from warledger.protocol import canon
from warledger.protocol.chance.seal import Opening, pack_openings, unpack_openings
from warledger.protocol.log import deskbodies
from warledger.protocol.log.bodies import By, read_by

VERSION: Final = 2
FRAME_BYTES_MAX: Final = 256 * 1024 * 1024
"""The largest request or answer: a long game's whole log."""

PROPOSALS: Final = (
    *("seat", "device", "revocation", "replacement", "nonce"),
    *("takeback", "draw", "pause", "answer", "resignation"),
    *("command", "orders", "expiry", "rotation", "reveal"),
    *("time", "flag", "outage", "clock"),
    *("note", "end", "ruling"),
)
"""What a ledger proposes: `propose_…`."""


class PipeBroken(Exception):
    """The other side has gone, takes too long, or says what it must not."""


def send(sock: socket.socket, message: tuple[Any, ...]) -> None:
    """Raises PipeBroken if the other side has gone or does not take it."""
    data = canon.pack(message)
    if len(data) > FRAME_BYTES_MAX:
        raise PipeBroken(f"{len(data)} bytes are more than {FRAME_BYTES_MAX}")
    try:
        sock.sendall(len(data).to_bytes(4, "big") + data)
    except OSError as error:
        raise PipeBroken(f"{type(error).__name__}: {error}") from error


def receive(sock: socket.socket, seconds: float | None = None) -> tuple[Any, ...]:
    """The next message, awaited for so long at most. Raises PipeBroken."""
    ends = None if seconds is None else time.monotonic() + seconds
    size = int.from_bytes(_exactly(sock, 4, ends), "big")
    if size > FRAME_BYTES_MAX:
        raise PipeBroken(f"{size} bytes are more than {FRAME_BYTES_MAX}")
    try:
        message = canon.unpack_trusted(_exactly(sock, size, ends))
    except ValueError as error:
        raise PipeBroken(f"not a message: {error}") from error
    if type(message) is not tuple or not message or type(message[0]) is not str:
        raise PipeBroken("a message is an array that begins with a word")
    return message


def _exactly(sock: socket.socket, size: int, ends: float | None) -> bytes:
    data = bytearray()
    while len(data) < size:
        try:
            if ends is not None:
                sock.settimeout(max(0.001, ends - time.monotonic()))
            part = sock.recv(min(size - len(data), 1 << 20))
        except OSError as error:
            raise PipeBroken(f"{type(error).__name__}: {error}") from error
        if not part:
            raise PipeBroken("it has ended")
        data += part
        if ends is not None and time.monotonic() > ends:
            raise PipeBroken("it takes too long")
    return bytes(data)


# --- arguments of proposals -----------------------------------------------------------------------


def told(value: Any) -> tuple[Any, ...]:
    """An argument of a proposal as the pipe has it. A position is named by its record: each side
    has its own."""
    match value:
        case By():
            return ("by", value.as_array())
        case Position():
            return ("position", value.seq)
        case Submission():
            by = value.by
            return (
                "command",
                (
                    *(value.seat, value.decision, value.picks, value.id),
                    by.as_array() if isinstance(by, By) else by,
                    *(value.blind, value.digest),
                ),
            )
        case deskbodies.Told():
            kind = "clock" if isinstance(value, _CLOCK) else "ruling"
            return (kind, value.write())
        case _ if isinstance(value, list | tuple) and value and isinstance(value[0], Opening):
            return ("openings", pack_openings(value))
        case list():
            return ("plain", tuple(value))  # the picks of corrections
        case _:
            return ("plain", value)


def heard(kind: str, value: Any) -> Any:
    """The argument again, but for a position."""
    if kind == "by":
        return read_by(value)
    if kind == "command":
        return Submission(*value)
    if kind == "clock":
        return deskbodies.read_clock(value)
    if kind == "ruling":
        return deskbodies.read_ruling(value)
    if kind == "openings":
        return unpack_openings(value)
    return value


_CLOCK: Final = (
    *(deskbodies.Flag, deskbodies.Pause, deskbodies.Resume, deskbodies.Credit),
    *(deskbodies.Outage, deskbodies.Leave, deskbodies.Night),
)
