"""Sockets between the nodes of a fleet: what is written at one end comes out at the other. It goes
in numbered chunks over the engine, each acknowledged before the next is sent.

A bridge lasts as long as both nodes do. It loses nothing while it lasts and says nothing more once
it is broken: whoever uses it begins anew at the game's next owner. A node that changes its server
of the engine cannot be reached for a moment. So one end may hold the other for gone and be wrong.
Each node asks the others every second which bridges they still have: an end that only listens would
wait for ever.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any, Final

import msgpack
import trio
from attrs import define, field

from warledger.engine.serve.fleet.peers import Admit, PeerGone
from warledger.engine.store.fleet.nodemessages import NodeGone, Nodes, NodeSilent

CHUNK_BYTES: Final = 128 * 1024
CHUNK_SECONDS: Final = 2.0
"""How long a chunk may take to be taken before its node is asked whether it is there."""

LOOK_SECONDS: Final = 0.2
HEARD_SECONDS: Final = 0.8
"""How often, and after how much silence, a node at the other end of a bridge is asked the same."""

HAVE_SECONDS: Final = 1.0
"""How often another node is asked which bridges it still has."""

OPEN: Final = "open"
HAVE: Final = "have"
CHUNK: Final = "chunk"
ENDED: Final = "ended"
_TAKEN: Final = b"taken"
_BROKEN: Final = b"broken"
_NUMBER: Final = 8


@define(eq=False)
class _Bridge:
    """This node's end of one. `taken` counts the chunks that came."""

    nodes: Nodes
    node: str
    id: str
    sock: trio.socket.SocketType
    taken: int = 0
    is_open: bool = True
    scope: trio.CancelScope = field(factory=trio.CancelScope)
    _turn: trio.Lock = field(factory=trio.Lock)
    _ended: trio.Event = field(factory=trio.Event)

    async def run(self) -> None:
        """Send what is written here, until both sides have ended, or the other node is gone. If
        it ends before, the other side is told, which may hear it."""
        is_whole = False
        try:
            with self.scope:
                number = 0
                data = b"?"
                while data:
                    try:
                        data = await self.sock.recv(CHUNK_BYTES)
                    except OSError:
                        data = b""
                    await self._send(number, data)
                    number += 1
                await self._ended.wait()
            is_whole = not self.scope.cancelled_caught
        except NodeGone:
            pass
        finally:
            self.sock.close()
            if not is_whole:
                self.nodes.tell(self.node, f"{ENDED}.{self.id}")

    async def _send(self, number: int, data: bytes) -> None:
        chunk = number.to_bytes(_NUMBER, "big") + data
        while True:
            try:
                told = await self.nodes.ask(
                    self.node, f"{CHUNK}.{self.id}", chunk, seconds=CHUNK_SECONDS
                )
            except NodeSilent:
                if await self.nodes.is_dead(self.node):
                    raise NodeGone(self.node) from None
                continue  # the other end takes each number once
            if told != _TAKEN:
                raise NodeGone(self.node)
            return

    async def take(self, number: int, data: bytes) -> bytes:
        """A chunk of the other end."""
        async with self._turn:
            if number < self.taken:
                return _TAKEN
            if number > self.taken:
                self.scope.cancel()
                return _BROKEN
            try:
                if data:
                    at = 0
                    while at < len(data):
                        at += await self.sock.send(data[at:])
                else:
                    self.sock.shutdown(socket.SHUT_WR)
                    self._ended.set()
            except OSError:
                self.scope.cancel()
                return _BROKEN
            self.taken += 1
            return _TAKEN


class Bridges:
    """All bridges of this node. `admit` is called with sockets that other nodes open to it."""

    def __init__(self, nodes: Nodes, admit: Admit, start: Callable[..., None]) -> None:
        self._nodes = nodes
        self._admit = admit
        self._start = start
        self._all: dict[str, _Bridge] = {}
        nodes.acts[OPEN] = self._opened
        nodes.acts[CHUNK] = self._chunk
        nodes.acts[HAVE] = self._have
        nodes.acts[ENDED] = self._has_ended

    async def open(self, node: str, what: str, state: tuple[Any, ...], sock: socket.socket) -> None:
        """Let another node have what is said on this socket; the caller still has to close it.
        Raises PeerGone."""
        id = os.urandom(12).hex()
        ours = trio.socket.from_stdlib_socket(sock.dup())
        bridge = self._all[id] = _Bridge(self._nodes, node, id, ours, is_open=False)
        # Nodes of earlier releases, which a fleet may still have, read five fields.
        said = msgpack.packb((id, self._nodes.name, what, state, b""))
        try:
            told = await self._nodes.ask(node, OPEN, said, seconds=CHUNK_SECONDS)
        except (NodeGone, NodeSilent):
            told = _BROKEN
        if told != _TAKEN:
            del self._all[id]
            ours.close()
            raise PeerGone
        bridge.is_open = True
        self._start(self._run, bridge)

    async def _opened(self, _: str, said: bytes) -> bytes:
        id, node, what, state, *_ = msgpack.unpackb(said, use_list=False)
        if id not in self._all:
            ours, theirs = socket.socketpair()
            end = trio.socket.from_stdlib_socket(ours)
            bridge = self._all[id] = _Bridge(self._nodes, node, id, end)
            self._start(self._run, bridge)
            self._admit(what, state, theirs)
        return _TAKEN

    async def _chunk(self, id: str, said: bytes) -> bytes:
        bridge = self._all.get(id)
        if bridge is None:
            return _BROKEN
        number = int.from_bytes(said[:_NUMBER], "big")
        return await bridge.take(number, said[_NUMBER:])

    async def _run(self, bridge: _Bridge) -> None:
        try:
            await bridge.run()
        finally:
            self._all.pop(bridge.id, None)

    async def _have(self, _: str, said: bytes) -> bytes:
        """Which of these bridges are not here any more."""
        return bytes(msgpack.packb([id for id in msgpack.unpackb(said) if id not in self._all]))

    async def _has_ended(self, id: str, _: bytes) -> bytes:
        """The other node has broken a bridge."""
        await trio.lowlevel.checkpoint()
        if (bridge := self._all.get(id)) is not None:
            bridge.scope.cancel()
        return b""

    async def watch(self) -> None:
        """Break, for ever, what leads to nodes that are gone, or that have broken it: nobody
        notices otherwise where nothing is said."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._compare)
            await self._look()

    async def _compare(self) -> None:
        while True:
            await trio.sleep(HAVE_SECONDS)
            ends: dict[str, list[str]] = {}
            for bridge in self._all.values():
                if bridge.is_open:
                    ends.setdefault(bridge.node, []).append(bridge.id)
            async with trio.open_nursery() as nursery:
                for node, ids in ends.items():
                    nursery.start_soon(self._compare_with, node, ids)

    async def _compare_with(self, node: str, ids: list[str]) -> None:
        try:
            gone = msgpack.unpackb(await self._nodes.ask(node, HAVE, msgpack.packb(ids)))
        except (NodeGone, NodeSilent, ValueError):
            return  # whether it is dead is seen elsewhere
        for id in gone:
            if (bridge := self._all.get(id)) is not None:
                bridge.scope.cancel()

    async def _look(self) -> None:
        while True:
            await trio.sleep(LOOK_SECONDS)
            for node in dict.fromkeys(bridge.node for bridge in self._all.values()):
                if self._nodes.silence_of(node) > HEARD_SECONDS and await self._nodes.is_dead(node):
                    for bridge in list(self._all.values()):
                        if bridge.node == node:
                            bridge.scope.cancel()
