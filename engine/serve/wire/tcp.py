"""Sockets. A plain one is used directly, without waiting if that is possible; TLS and any other
stream go through a task of their own.

A connection is given a `Pipe`, which hides which of them it is.
"""

import errno
import resource
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol

import trio

from warledger.engine.serve.config import BadConfig

RECEIVE_BYTES: Final = 65536
LINGER_SECONDS: Final = 1.0
BACKLOG: Final = 1024


class Pipe(Protocol):
    """Both halves of a transport. If it breaks, they raise OSError or trio's resource errors."""

    peer: str

    def send_now(self, data: bytes) -> int:
        """Send what can be sent without waiting."""

    async def send_all(self, data: bytes) -> None:
        """Send everything."""

    async def receive(self) -> bytes:
        """Some bytes, or b"" at the end."""

    async def aclose(self) -> None:
        """Close, giving the peer a moment to read what was sent."""


class SocketPipe:
    """A plain TCP socket."""

    def __init__(self, sock: socket.socket, peer: str) -> None:
        sock.setblocking(False)
        self._sock = sock
        self.peer = peer

    def send_now(self, data: bytes) -> int:
        try:
            return self._sock.send(data)
        except BlockingIOError:
            return 0

    async def send_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._sock.send(rest) :]
            except BlockingIOError:
                await trio.lowlevel.wait_writable(self._sock)

    async def receive(self) -> bytes:
        # Wait first: a peer mostly has nothing more to say until it is answered, and a recv that
        # fails costs more than it seems.
        while True:
            await trio.lowlevel.wait_readable(self._sock)
            try:
                return self._sock.recv(RECEIVE_BYTES)
            except BlockingIOError:
                continue

    async def aclose(self) -> None:
        # If bytes from the peer are unread, closing would reset the connection and our last message
        # would be lost.
        try:
            self._sock.shutdown(socket.SHUT_WR)
            with trio.move_on_after(LINGER_SECONDS):
                while await self.receive():
                    pass
        except OSError:
            pass
        finally:
            trio.lowlevel.notify_closing(self._sock)
            self._sock.close()

    def half_close(self) -> None:
        """Tell the peer that nothing more comes from here."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)

    def release(self) -> None:
        """Close the socket at once."""
        trio.lowlevel.notify_closing(self._sock)
        self._sock.close()


class StreamPipe:
    """Any trio stream: TLS, or the memory stream of a test."""

    def __init__(self, stream: trio.abc.Stream, peer: str) -> None:
        self._stream = stream
        self.peer = peer

    def send_now(self, data: bytes) -> int:
        return 0

    async def send_all(self, data: bytes) -> None:
        await self._stream.send_all(data)

    async def receive(self) -> bytes:
        return bytes(await self._stream.receive_some(RECEIVE_BYTES))

    async def aclose(self) -> None:
        with trio.move_on_after(LINGER_SECONDS), suppress(OSError, trio.BrokenResourceError):
            await self._stream.aclose()


def listen(host: str, port: int, option: str = "--tcp") -> list[socket.socket]:
    """Listening sockets on every address of a host. Raises BadConfig, naming the option, if the
    address cannot be used."""
    try:
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        raise BadConfig(f"the address {host!r} is not known: {error.strerror or error}") from error
    sockets: list[socket.socket] = []
    for family, kind, proto, _, where in dict.fromkeys(found):
        sock = socket.socket(family, kind, proto)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            if port == 0 and sockets:
                where = (where[0], sockets[0].getsockname()[1], *where[2:])
            sock.bind(where)
            sock.listen(BACKLOG)
            sock.setblocking(False)
        except OSError as error:
            sock.close()
            if sockets and error.errno == errno.EADDRNOTAVAIL:
                continue
            for other in sockets:
                other.close()
            raise BadConfig(
                f"cannot listen on {host}:{port}: {error.strerror or error}; choose "
                f"another with {option}"
            ) from error
        sockets.append(sock)
    return sockets


def tls_context(cert: Path, key: Path) -> ssl.SSLContext:
    """A server's TLS context. Raises BadConfig."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(cert, key)
    except (OSError, ssl.SSLError) as error:
        raise BadConfig(
            f"the certificate {cert} or its key {key} cannot be used: {error}"
        ) from error
    return context


async def accept(sock: socket.socket, handle: Callable[[socket.socket, str], None]) -> None:
    """Accept connections for ever; `handle` is given each socket and its peer's address."""
    while True:
        try:
            accepted, where = sock.accept()
        except BlockingIOError:
            await trio.lowlevel.wait_readable(sock)
            continue
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                await trio.sleep(0.1)  # too many files are open: others have to be closed first
            continue
        try:
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            handle(accepted, _peer(where))
        except OSError:
            accepted.close()


def _peer(where: Any) -> str:
    return str(where[0])


def secured(sock: socket.socket, peer: str, context: ssl.SSLContext) -> StreamPipe:
    """A TLS pipe over an accepted socket. The handshake happens in the first receive, and so within
    the time for a login."""
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(sock))
    return StreamPipe(
        trio.SSLStream(stream, context, server_side=True, https_compatible=True), peer
    )


def open_files_max(wanted: int) -> int:
    """Raise this process's limit on open files as far as possible, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < target:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
    return max(soft, target)
