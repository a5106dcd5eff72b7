"""Sockets between nodes, over nodes that cannot always reach each other."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import trio
import trio.testing
from attrs import define, field

from warledger.engine.serve.fleet.bridges import CHUNK, ENDED, HAVE_SECONDS, Bridges
from warledger.engine.store.fleet.nodemessages import NodeGone


@define(eq=False)
class _Node:
    """What a bridge needs of a node: who answers it, and whom it cannot reach now."""

    name: str
    others: dict[str, _Node]
    acts: dict[str, Callable[[str, bytes], Awaitable[bytes]]] = field(factory=dict)
    misses: set[str] = field(factory=set)
    told: list[tuple[str, str]] = field(factory=list)

    async def ask(self, node: str, what: str, data: bytes = b"", *, seconds: float = 1.0) -> bytes:
        await trio.lowlevel.checkpoint()
        first, _, rest = what.partition(".")
        if first in self.misses:
            raise NodeGone(node)
        return await self.others[node].acts[first](rest, data)

    def tell(self, node: str, what: str) -> None:
        self.told.append((node, what))

    def silence_of(self, node: str) -> float:
        return 0.0

    async def is_dead(self, node: str) -> bool:
        return False


async def test_an_end_that_only_listens_learns_that_the_other_has_given_up(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """One node cannot reach the other for a moment, and breaks the bridge; the other, which has
    nothing to say, hears of it all the same, and a bridge that stands is left."""
    nodes: dict[str, _Node] = {}
    for name in ("a", "b"):
        nodes[name] = _Node(name, nodes)
    there: list[socket.socket] = []

    def admit(what: str, state: Any, sock: socket.socket) -> None:
        there.append(sock)

    async with trio.open_nursery() as nursery:
        made = {name: Bridges(one, admit, nursery.start_soon) for name, one in nodes.items()}  # type: ignore[arg-type]
        for one in made.values():
            nursery.start_soon(one.watch)
        ours, theirs = socket.socketpair()
        await made["a"].open("b", "link", (), theirs)
        theirs.close()
        listens = trio.socket.from_stdlib_socket(ours)
        far = trio.socket.from_stdlib_socket(there[0])
        await far.send(b"one")
        assert await listens.recv(10) == b"one"
        await trio.sleep(3 * HAVE_SECONDS)
        await far.send(b"two")
        assert await listens.recv(10) == b"two"
        nodes["b"].misses = {CHUNK}
        await far.send(b"lost")
        with trio.fail_after(3 * HAVE_SECONDS):
            assert await listens.recv(10) == b""
        nursery.cancel_scope.cancel()


async def test_a_node_that_stops_breaks_its_bridges_at_once(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Whoever is at the other end of them hears of it without waiting for anything."""
    nodes: dict[str, _Node] = {}
    for name in ("a", "b"):
        nodes[name] = _Node(name, nodes)
    stopped = trio.CancelScope()
    async with trio.open_nursery() as nursery:

        async def within(call: Callable[..., Awaitable[None]], *args: Any) -> None:
            with stopped:
                await call(*args)

        def admit(what: str, state: Any, sock: socket.socket) -> None:
            sock.detach()

        near = Bridges(nodes["a"], admit, nursery.start_soon)  # type: ignore[arg-type]
        Bridges(nodes["b"], admit, partial(nursery.start_soon, within))  # type: ignore[arg-type]
        ours, theirs = socket.socketpair()
        await near.open("b", "link", (), theirs)
        theirs.close()
        listens = trio.socket.from_stdlib_socket(ours)
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        stopped.cancel()
        while not nodes["b"].told:
            await trio.lowlevel.checkpoint()
        [(to, what)] = nodes["b"].told
        first, _, rest = what.partition(".")
        assert (to, first) == ("a", ENDED)
        await nodes["a"].acts[first](rest, b"")
        assert await listens.recv(10) == b"" and trio.current_time() == began
        nursery.cancel_scope.cancel()
