"""The sending side of a connection: answers, errors, and how it ends. The receiving side is
`connection`."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio

from warledger.engine.runtime.watch.outgoing import Outgoing
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.wire.admission import Guest
from warledger.engine.serve.wire.tcp import Pipe
from warledger.protocol.board.choices import Say, say
from warledger.protocol.wire.messages import SERVER, Error, Goodbye, Subscribe
from warledger.protocol.wire.session import CLOSED, READY, LocalFault, Session, frame

_OWN: Final = 1 << 40
"""Requests from this number on are the server's own. A peer that uses them gets no answer to one
while the server waits for its own."""

LAST_WORD_SECONDS: Final = 2.0
"""Seconds that a connection that ends may take to send its last message."""


class Answering:
    """The sending half of a connection. `client` is the peer."""

    client: Guest

    def __init__(self, hub: Hub, pipe: Pipe) -> None:
        self.hub = hub
        self.pipe = pipe
        self.address = pipe.peer
        self.session = Session(SERVER)
        self.log = hub.log.bind(peer=pipe.peer)
        self.out: Outgoing
        self.heard_at = trio.current_time()
        self.has_begun = False
        self._scope = trio.CancelScope()
        self._login = trio.CancelScope()
        self._start: Callable[..., None]
        self.handle: Callable[[Any], Awaitable[None]]
        """Carries a request of the peer out, which has been received already."""
        self._own: set[int] = set()

    def start(self, task: Callable[[], Awaitable[None]]) -> None:
        """Start a task that ends with the connection."""
        self._start(task)

    def send(self, message: Any) -> None:
        """Send a message. It is dropped if the connection is over."""
        if self._own and self._is_own(message):
            return
        try:
            data = self.session.send(message)
        except LocalFault as error:
            if self.session.state != CLOSED:
                self._own_fault(message, error)
            return
        self.out.write(data)
        if self.session.state == READY and self._login.deadline != math.inf:
            self._login.deadline = math.inf

    def send_packed(self, message: Any, payload: bytes) -> None:
        """Send a message that was encoded elsewhere (a long one, in a thread)."""
        if self._own and self._is_own(message):
            return
        try:
            self.session.note_sent(message, len(payload))
        except LocalFault as error:
            if self.session.state != CLOSED:
                self._own_fault(message, error)
            return
        self.out.write(frame(payload))

    async def resubscribe(self, game: str, audience: str, after_seq: int) -> None:
        """Follow what the peer follows already, from where it comes now. The peer hears nothing of
        it but the records."""
        request = _OWN + len(self._own)
        while request in self._own:
            request += 1
        self._own.add(request)
        await self.handle(Subscribe(request, game, after_seq, audience))

    def _is_own(self, message: Any) -> bool:
        """Whether it is the answer to something that the peer did not ask."""
        request = getattr(message, "request", 0)
        if request not in self._own:
            return False
        self._own.discard(request)
        if isinstance(message, Error):
            # It cannot be followed just now: the peer comes again, and finds out why.
            self.evict("stopping", say("error.stopping"))
        return True

    def _own_fault(self, message: Any, error: LocalFault) -> None:
        self.hub.metrics.faults += 1
        self.log.error("fault", answer=message.tag, what=str(error))
        request = getattr(message, "request", 0)
        if request in self.session.open:
            self.out.write(
                self.session.send(Error(request, "fault", say("error.fault", game=""), False))
            )

    def end(self, code: str, why: Say) -> None:
        """End the connection with an error."""
        if self.session.state != CLOSED and self.has_begun:
            self.out.write(self.session.send(Error(0, code, why, True)))
            self.out.flush()

    async def hang_up(self, code: str, why: Say) -> None:
        """End the connection with an error, wait until it has been sent, and stop reading."""
        self.end(code, why)
        with trio.move_on_after(LAST_WORD_SECONDS):
            await self.out.empty()
        self._scope.cancel()

    def evict(self, code: str, why: Say) -> None:
        """End the connection with an error because its place is needed. A stranger gets as much of
        the message as can be sent without waiting."""
        if self.session.state == READY:
            self._start(self.hang_up, code, why)
            return
        self.end(code, why)
        self._scope.cancel()

    async def goodbye(self, why: Say, links_seconds: float = 0) -> None:
        """Say goodbye, wait until it has been sent, and end. What other nodes are still doing
        for the peer is finished first."""
        with trio.move_on_after(links_seconds):
            await self.client.links_ended()
        if self.session.state != CLOSED and not self.out.closed:
            self.out.write(self.session.send(Goodbye(0, why)))
            self.out.flush()
            await self.out.empty()
        self._scope.cancel()
