"""One connection: bytes in, requests out to `requests`, answers back. All transports end here.

Rules of this file:
- If the peer breaks the protocol its connection ends with an Error that says how, and nobody else
  is affected.
- Requests are taken one at a time. Those about a game are answered when the game gets to them, so
  later requests may be answered first.
- A peer that sends requests and does not read the answers is not read from.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import trio

from warledger.engine.runtime.watch.outgoing import Outgoing
from warledger.engine.serve.fleet.links import State, restore
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.wire.client import Client
from warledger.engine.serve.wire.requests import handle
from warledger.engine.serve.wire.responses import LAST_WORD_SECONDS, Answering
from warledger.engine.serve.wire.tcp import Pipe
from warledger.protocol.board.choices import say
from warledger.protocol.wire.fields import BadMessage
from warledger.protocol.wire.messages import SERVER, Error
from warledger.protocol.wire.session import CLOSED, READY, Malformed, PeerFault, Session

_FRAMES_PER_TURN: Final = 32
"""How many frames of one connection are handled before others get a turn."""


class Connection(Answering):
    """A peer's connection. `run` lasts as long as the connection does."""

    def __init__(self, hub: Hub, pipe: Pipe, wire: Callable[[bytes], bytes] | None = None) -> None:
        super().__init__(hub, pipe)
        self._wire = wire
        self.client: Client = Client(hub=hub, connection=self)
        self.handle = partial(handle, self.client)

    def resume(self, state: State) -> None:
        """Make it, before it runs, the other end of a link from another node."""
        self.session = Session(SERVER, state[1])
        restore(self.client, state)

    async def run_alone(self) -> None:
        """Run in a task of its own. A bug of ours in one connection ends that connection alone."""
        with self.hub.contained("connection"):
            await self.run()

    async def run(self) -> None:
        """Serve the peer until it leaves, breaks the protocol, or the server stops. Never raises
        because of what the peer does."""
        hub = self.hub
        hub.enter(self)
        try:
            async with trio.open_nursery() as nursery:
                self._start = nursery.start_soon
                try:
                    with self._scope:
                        await self._converse(nursery.start_soon)
                finally:
                    # Nobody may begin to write in a nursery that is about to close.
                    self.out.closed = True
                nursery.cancel_scope.cancel()
        finally:
            # Whoever still has this connection in hand, as one that looks at everybody's rights
            # does, may end it once more.
            self._start = _nothing
            self.client.close()
            hub.leave(self)
            with trio.CancelScope(shield=True):
                await self.pipe.aclose()

    async def _converse(self, start_soon: Callable[..., None]) -> None:
        """Talk with the peer, and let the last words reach it."""
        hub = self.hub
        # If a link is slow, this is judged where the peer itself is connected.
        stall = math.inf if self.client.is_link else hub.limits.stall_seconds
        self.out = Outgoing(
            self.pipe,
            hub.flusher,
            start_soon,
            self._scope.cancel,
            hub.metrics,
            stall,
            self._wire,
        )
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
        with trio.move_on_after(LAST_WORD_SECONDS):
            await self.out.empty()

    def refuse(self, error: BadMessage) -> None:
        """Answer what is not a message, where it can be answered. Raises PeerFault where not."""
        self._refuse(self.session.refuse(error))

    def _refuse(self, request: Malformed) -> None:
        what = say("error.malformed", what=request.what)
        self.send(Error(request.request, "malformed", what, False))

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
                if type(message) is Malformed:
                    self._refuse(message)
                else:
                    await handle(self.client, message)
                if self.out.writing:
                    await self.out.room()
                taken += 1
                bucket -= 1
                if taken >= _FRAMES_PER_TURN or bucket < 1:
                    taken = 0
                    await trio.lowlevel.checkpoint()
                    now = trio.current_time()
                    bucket = min(
                        bucket + (now - filled) * limits.frames_per_second, limits.frames_burst
                    )
                    filled = now
                    if bucket < 1:
                        await trio.sleep((1 - bucket) / limits.frames_per_second)
        if self._login.cancelled_caught:
            self.end("timeout", say("error.timeout", seconds=int(limits.login_seconds)))


def _nothing(*_: Any) -> None:
    """Start nothing: the connection is over."""
