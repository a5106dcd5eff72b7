"""The other processes of a server, as one of them sees them."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from warledger.engine.runtime.answers import Failed
from warledger.engine.serve.http import Request, Response
from warledger.engine.serve.viewer import Viewer

Listed = tuple[list[dict[str, Any]], bool]
"""Games in order of their ids, each in the form of `listing.told_of`; and whether there are
more."""


class Peers(Protocol):
    """The other processes of a server, as one of them sees them.

    Whatever asks them raises LineBroken if they are gone or do not answer, and NotDone if they met
    a bug.
    """

    number: int
    """The number of this process."""

    hands_over: bool
    """Whether a client's own socket may go to another of them. If not, links that break are made
    again to the game's next owner."""

    @property
    def unsafe(self) -> tuple[str, ...]:
        """Once the others have ended: why not all of their games are known to be safe."""

    async def keeper(self, game: str) -> int:
        """The process that keeps a game; this one if none does."""

    async def hand_over(
        self, to: int, what: str, state: tuple[Any, ...], data: bytes, sock: socket.socket
    ) -> None:
        """Hand a socket over to another process, with what it must know and what has already been
        read. The caller still has to close it."""

    async def create(
        self, title: str, options: Mapping[str, Any], terms: Mapping[str, Any]
    ) -> tuple[str, dict[str, str]] | Failed:
        """A new game in one of the processes: its id, and a token for each seat."""

    async def games(self, viewer: Viewer, after: str, most: int, stage: str) -> Listed:
        """A page of the others' games."""

    async def rows(self, viewer: Viewer, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Those of these games, in any process, of which the viewer holds a seat."""

    async def revoked(self, game: str, seat: str) -> None:
        """A seat of a game that this process keeps has a new token, which nobody knows yet: the
        others forget the old one."""

    async def figures(self, *, whole: bool) -> Sequence[tuple[int | str, str]]:
        """The figures of the others as text, of as many as answer, by number or by name."""

    async def why_not_well(self) -> list[str]:
        """For each of the others, why it accepts no commands; "" if it does."""

    async def fetch(self, to: int, request: Request) -> Response:
        """What another process answers to an HTTP request."""
