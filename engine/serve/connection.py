"""One connection: bytes in, requests out to `requests`, answers back. All transports end here.

Rules of this file:
- What the peer does wrong ends its connection with an Error that says so, and harms nobody else.
- Requests are taken one at a time; those on a game are answered when the game gets to them, so later ones may be answered first.
- A peer that asks but does not read is not read from either.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio

from engine.runtime.outgoing import Outgoing
from engine.serve.client import Client
from engine.serve.hub import Hub
from engine.serve.moving import State, restore
from engine.serve.requests import handle
from engine.serve.tcp import Pipe, SocketPipe
from protocol.choices import Say, say
from protocol.frames import frame
from protocol.messages import SERVER, Error, Goodbye
from protocol.session import CLOSED, READY, LocalFault, PeerFault, Session

_FRAMES_PER_TURN: Final = 32
"""Frames of one connection taken before others get their turn."""


_LAST_WORD_SECONDS: Final = 2.0


class Connection:
    """A peer's connection. `run` lasts as long as it does."""

    def __init__(self, hub: Hub, pipe: Pipe, wire: Callable[[bytes], bytes] | None = None) -> None:
        self.hub = hub
        self.pipe = pipe
        self._wire = wire
        self.address = pipe.peer
        self.session = Session(SERVER)
        self.client = Client(hub=hub, connection=self)
        self.log = hub.log.bind(peer=pipe.peer)
        self.out: Outgoing
        self.moved = False
        self.heard_at = trio.current_time()
        self.has_begun = False
        self._scope = trio.CancelScope()
        self._login = trio.CancelScope()
        self._start: Callable[..., None]

    def resume(self, state: State, data: bytes) -> None:
        """Take up, before it runs, a connection that another process of the server has served so far; `data` is what it has not read."""
        self.session = Session(SERVER, state[1])
        self.session.receive_data(data)
        restore(self.client, state)

    def start(self, task: Callable[[], Awaitable[None]]) -> None:
        """Start a task that lasts no longer than the connection."""
        self._start(task)

    async def run(self) -> None:
        """Serve the peer until it goes, errs, or the server stops. Never raises for what the peer does."""
        hub = self.hub
        hub.enter(self)
        try:
            async with trio.open_nursery() as nursery:
                self._start = nursery.start_soon
                with self._scope:
                    # What a link is slow to take is judged where the peer itself is.
                    stall = math.inf if self.client.is_link else hub.limits.stall_seconds
                    self.out = Outgoing(self.pipe, hub.flusher, nursery.start_soon, self._scope.cancel, hub.metrics, stall, self._wire)
                    self.has_begun = True
                    if self.session.state != READY:
                        self._login.deadline = trio.current_time() + hub.limits.login_seconds
                    try:
                        await self._talk()
                    except PeerFault as fault:
                        hub.metrics.peer_faults += 1
                        self.log.info("peer fault", what=str(fault), principal=self.client.principal)
                        self.end(fault.code, say("error.malformed", what=str(fault)))
                    except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                        self.out.closed = True
                    with trio.move_on_after(_LAST_WORD_SECONDS):
                        await self.out.empty()
                nursery.cancel_scope.cancel()
        finally:
            self.client.close()
            hub.leave(self)
            self.out.closed = True
            if self.moved and isinstance(self.pipe, SocketPipe):
                self.pipe.release()
            else:
                with trio.CancelScope(shield=True):
                    await self.pipe.aclose()

    async def _talk(self) -> None:
        session, limits = self.session, self.hub.limits
        with self._login:
            bucket = float(limits.frames_burst)
            filled = trio.current_time()
            taken = 0
            while session.state != CLOSED:
                message = session.next_message()
                if message is None:
                    data = await self.pipe.receive()
                    if not data:
                        session.receive_eof()
                        return
                    session.receive_data(data)
                    self.heard_at = trio.current_time()
                    continue
                await handle(self.client, message)
                if self.moved:
                    return
                if self.out.writing:
                    await self.out.room()
                taken += 1
                bucket -= 1
                if taken >= _FRAMES_PER_TURN or bucket < 1:
                    taken = 0
                    await trio.lowlevel.checkpoint()
                    now = trio.current_time()
                    bucket = min(bucket + (now - filled) * limits.frames_per_second, limits.frames_burst)
                    filled = now
                    if bucket < 1:
                        await trio.sleep((1 - bucket) / limits.frames_per_second)
        if self._login.cancelled_caught:
            self.end("timeout", say("error.timeout", seconds=int(limits.login_seconds)))

    # --- answering ----------------------------------------------------------------------------------------------------------

    def send(self, message: Any) -> None:
        """Send a message. One that may not be sent any more (its connection is over) is dropped."""
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
        try:
            self.session.note_sent(message, len(payload))
        except LocalFault as error:
            if self.session.state != CLOSED:
                self._own_fault(message, error)
            return
        self.out.write(frame(payload))

    def _own_fault(self, message: Any, error: LocalFault) -> None:
        self.hub.metrics.faults += 1
        self.log.error("fault", answer=message.tag, what=str(error))
        request = getattr(message, "request", 0)
        if request in self.session.open:
            self.out.write(self.session.send(Error(request, "fault", say("error.fault", game=""), False)))

    def end(self, code: str, why: Say) -> None:
        """End the connection with an error."""
        if self.session.state != CLOSED and self.has_begun:
            self.out.write(self.session.send(Error(0, code, why, True)))
            self.out.flush()

    async def hang_up(self, code: str, why: Say) -> None:
        """End the connection with an error, see that it leaves, and stop reading."""
        self.end(code, why)
        with trio.move_on_after(_LAST_WORD_SECONDS):
            await self.out.empty()
        self._scope.cancel()

    def evict(self, code: str, why: Say) -> None:
        """End the connection with an error: its place is needed. A stranger hears of it as far as that goes at once."""
        if self.session.state == READY:
            self._start(self.hang_up, code, why)
            return
        self.end(code, why)
        self._scope.cancel()

    async def goodbye(self, why: Say, links_seconds: float = 0) -> None:
        """Say goodbye, see that it leaves, and end. What other processes finish for the peer meanwhile comes before it."""
        with trio.move_on_after(links_seconds):
            for link in list(self.client.links.values()):
                await link.ended.wait()
        if self.session.state != CLOSED and not self.out.closed:
            self.out.write(self.session.send(Goodbye(0, why)))
            self.out.flush()
            await self.out.empty()
        self._scope.cancel()
