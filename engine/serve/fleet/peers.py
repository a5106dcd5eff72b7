"""The other nodes of a fleet, as one of them sees them."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from warledger.engine.serve.http.http1 import Request, Response

CONNECTION: Final = "connection"
HTTP: Final = "http"
"""What a socket that leads to another node speaks: the protocol, or HTTP."""

Admit = Callable[[str, tuple[Any, ...], socket.socket], None]
"""Serves a socket that leads to another node: what it speaks, and what is known of its peer."""


class PeerGone(Exception):
    """The node that is asked is gone, or does not answer."""


class Peers(Protocol):
    """The other nodes of a fleet, as one of them sees them. Whatever asks them raises PeerGone."""

    name: str
    """What this node is called."""

    async def keeper(self, game: str) -> str:
        """The node that keeps a game; this one if none does."""

    async def bridge(self, to: str, what: str, state: tuple[Any, ...], sock: socket.socket) -> None:
        """Let another node have what is said on this socket, with what it must know of its peer.
        The caller still has to close it."""

    async def revoked(self, game: str, seat: str) -> None:
        """A seat of a game that this node keeps has a new token, which nobody knows yet: the
        others forget the old one."""

    async def figures(self, *, whole: bool) -> Sequence[tuple[str, str]]:
        """The figures of the others as text, of as many as answer, by name."""

    @property
    def why_not_well(self) -> str:
        """Why no command can be saved in the fleet; "" if they can."""

    async def fetch(self, to: str, request: Request) -> Response:
        """What another node answers to an HTTP request."""
