"""What two processes of one server say to each other: whole messages over a socket pair, sometimes
with a socket beside one.

The other end is always a process of ours on the same machine, started by us: what arrives is not
checked, and nobody else can reach it.
"""

from __future__ import annotations

import array
import socket
import sys
from typing import Any, Final

import msgpack
import trio

_BUFFER_BYTES: Final = 1024 * 1024
"""Bytes that a socket's buffer should hold. If the system grants less it is about 200 KB, and
messages stay below that."""

CONNECTION: Final = "connection"
HTTP: Final = "http"
"""What a socket that is handed over speaks: the protocol, or HTTP."""


class LineBroken(Exception):
    """The other process is gone."""


def pair() -> tuple[socket.socket, socket.socket]:
    """Both ends of a new line."""
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in ends:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
    return ends


class Line:
    """One end of a line. Several tasks may send; one receives."""

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._end = end
        self._sending = trio.Lock()

    async def send(self, message: tuple[Any, ...], sock: socket.socket | None = None) -> None:
        """Send a message, and a socket beside it, which the caller still has to close. Raises
        LineBroken."""
        packet = msgpack.packb(message)
        beside = (
            []
            if sock is None
            else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [sock.fileno()]))]
        )
        async with self._sending:
            while True:
                try:
                    self._end.sendmsg([packet], beside)
                    return
                except BlockingIOError:
                    await trio.lowlevel.wait_writable(self._end)
                except OSError as error:
                    raise LineBroken from error

    async def receive(self) -> tuple[Any, socket.socket | None]:
        """The next message, and the socket that came with it. Raises LineBroken once the other
        process has gone."""
        while True:
            await trio.lowlevel.wait_readable(self._end)
            try:
                packet, beside, _, _ = self._end.recvmsg(
                    _BUFFER_BYTES, socket.CMSG_SPACE(4), socket.MSG_CMSG_CLOEXEC
                )
            except BlockingIOError:
                continue
            except OSError as error:
                raise LineBroken from error
            if not packet:
                raise LineBroken
            sock = None
            for _, _, data in beside:
                sock = socket.socket(fileno=int.from_bytes(data[:4], sys.byteorder))
            return msgpack.unpackb(packet, use_list=False, strict_map_key=False), sock

    def close(self) -> None:
        """Close this end."""
        if self._end.fileno() >= 0:
            trio.lowlevel.notify_closing(self._end)
            self._end.close()
