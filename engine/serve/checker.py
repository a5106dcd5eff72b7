"""A process that checks signatures beside the server: `python -m warledger.engine.serve.checker
FD`, started by the server (`ahead`) with one end of a socket pair as file FD.

A packet that arrives is a series of checks, each: length of the message (u32), key, signature,
message. A packet that is sent is the number of the first check that it answers (u32, counted from
the very first one, modulo 2^32) and one byte for each check from there on: 1 if the signature is
valid, else 0. The process ends when the server closes its end, or is gone.
"""

import os
import signal
import socket
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from warledger.protocol import acts
from warledger.protocol.limits import KEY_BYTES, SIGNATURE_BYTES

PACKET_BYTES_MAX: Final = 65536
ANSWERED_AT_ONCE: Final = 4
"""How many checks are answered in one packet, so that the server can go on with these while the
next ones are made."""
LENGTH: Final = struct.Struct(">I")
NUMBER: Final = struct.Struct(">I")
NUMBERS: Final = 2**32

Item = tuple[bytes, bytes, bytes]
"""A key, a message, its signature."""


def packed(items: Iterable[Item]) -> bytes:
    """A packet that asks for checks."""
    return b"".join(
        [LENGTH.pack(len(message)) + key + signature + message for key, message, signature in items]
    )


def unpacked(packet: bytes) -> Iterator[Item]:
    """The checks that a packet asks for."""
    at = 0
    while at < len(packet):
        key = at + LENGTH.size
        signature = key + KEY_BYTES
        message = signature + SIGNATURE_BYTES
        end = message + LENGTH.unpack_from(packet, at)[0]
        yield packet[key:signature], packet[message:end], packet[signature:message]
        at = end


def check(line: socket.socket) -> None:
    """Answer checks until the other end is closed."""
    number = 0
    while packet := line.recv(PACKET_BYTES_MAX):
        found = bytearray()
        for item in unpacked(packet):
            found.append(acts.verify(*item))
            if len(found) == ANSWERED_AT_ONCE:
                line.sendall(NUMBER.pack(number) + found)
                number = (number + len(found)) % NUMBERS
                found.clear()
        if found:
            line.sendall(NUMBER.pack(number) + found)
            number = (number + len(found)) % NUMBERS


def give_way() -> None:
    """Do not push the server aside. What wakes up on a core that is busy runs there at once by
    default, in the middle of the server's send; a process of SCHED_BATCH does not (sched(7)), and
    begins on a core that has nothing to do as before."""
    with suppress(AttributeError, OSError):  # a system without it, or where it is not allowed
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def main() -> None:
    """The process."""
    give_way()
    for told in (signal.SIGINT, signal.SIGTERM):
        signal.signal(told, signal.SIG_IGN)  # the server gets them, too, and closes its end
    with socket.socket(fileno=int(sys.argv[1])) as line, suppress(OSError):  # the server is gone
        check(line)


if __name__ == "__main__":
    main()
