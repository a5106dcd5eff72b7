"""When a node leaves the NATS server that it is connected to."""

from __future__ import annotations

from typing import Any

import trio
import trio.testing

from warledger.engine.nats.natsport import NoResponders
from warledger.engine.nats.wire import Message
from warledger.engine.store.fleet.nodemessages import PROBE_SECONDS, Nodes


class Silent:
    """An engine that acknowledges commits, or none. `left` is when the node left its server."""

    def __init__(self) -> None:
        self.acknowledges = True
        self.left: list[float] = []

    async def request(self, subject: str, payload: bytes = b"", *, seconds: float) -> Message:
        await trio.sleep(0.01)
        if not self.acknowledges:
            raise NoResponders(subject)
        return Message(subject, 1, "", b'{"stream":"WPROBE", "seq":1}')

    def leave(self, why: str) -> None:
        self.left.append(trio.current_time())


async def test_a_cut_server_is_left_at_once_and_an_election_is_waited_for(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """A server that acknowledges nothing is left within three seconds, also the second time; while
    the engine elects for nine seconds a node changes its server twice and not every two seconds."""
    engine: Any = Silent()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Nodes(engine, "one").probe)
        for _ in range(2):
            await trio.sleep(30)
            assert engine.left == []
            engine.acknowledges = False
            since = trio.current_time()
            await trio.sleep(9)
            first, *others = (at - since for at in engine.left)
            assert PROBE_SECONDS - 1 <= first <= PROBE_SECONDS + 1
            assert len(others) == 1
            engine.acknowledges = True
            engine.left.clear()
        nursery.cancel_scope.cancel()
