"""What the nodes of a fleet say to each other, on plain subjects of the engine: that they are
there, and requests to one of them. Nothing of it is stored.

Who is dead is judged by each node's own monotonic clock: whoever is gone has no responder, whoever
hangs is silent. A mistake costs time and nothing else, since a node that is held for dead and is
not is fenced by the game's log.
"""

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import trio
from attrs import define, field

from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.nats.natsport import (
    Engine,
    EngineError,
    Missed,
    NoResponders,
)

BEAT_SECONDS: Final = 0.5
"""How often a node says that it is there."""

SILENT_SECONDS: Final = 2.5
"""A node that neither answers nor is heard for so long is dead to the others."""

ASK_SECONDS: Final = 1.0
"""How long a node may take to answer what it can answer at once."""

PROBE_SECONDS: Final = 2.0
"""A server that has acknowledged no commit for so long is left."""

PROBE_SECONDS_MAX: Final = 8.0
"""The most that the next ones are given, each twice as long as the one before it: where the engine
elects a leader no server acknowledges anything, and to go round all of them helps nobody."""

FOR_EDGES: Final = "live.-"
"""Where nodes say for edges, too, that they are there: no game is called so. An edge can ask for no
commit, and by this it sees that its server is cut off."""

GONE_SECONDS: Final = 0.1
"""Between two questions to a node that has no responder: the second settles that it is gone."""

FORGET_SECONDS: Final = 3600.0
"""After so much silence what a node said is forgotten: it has another name when it comes again."""

HOST_SECONDS: Final = 30.0
"""How often it is looked whether the host's token is another, should that not have been heard."""

PING: Final = "ping"


class NodeGone(Exception):
    """Nobody answers for this node: it has ended, or its connection broke."""


class NodeSilent(Exception):
    """The node may have done what it was asked for, and did not say so in time."""


@define(eq=False)
class Nodes:
    """The other nodes of a fleet, as one of them, `name`, hears them. `acts` are what it does for
    others, by the first word of the request. `tells` is what its heartbeat says of it. `probed` is
    when the engine last acknowledged a commit of it."""

    _engine: Engine
    name: str
    acts: dict[str, Callable[[str, bytes], Awaitable[bytes]]] = field(factory=dict)
    tells: Callable[[], Mapping[str, Any]] = dict
    _heard: dict[str, float] = field(factory=dict)
    _said: dict[str, Mapping[str, Any]] = field(factory=dict)
    _gone: set[str] = field(factory=set)
    probed: float | None = None
    _began: float = field(factory=trio.current_time)

    def silence_of(self, node: str) -> float:
        """For how many seconds nothing was heard of it."""
        return trio.current_time() - self._heard.get(node, self._began)

    def said_of(self, node: str) -> Mapping[str, Any]:
        """What a node last said of itself."""
        return self.tells() if node == self.name else self._said.get(node, {})

    def alive(self) -> list[str]:
        """The incarnations that are heard, this one included, sorted."""
        heard = (node for node in self._heard if self.silence_of(node) < SILENT_SECONDS)
        return sorted({self.name, *heard})

    async def ask(
        self, node: str, what: str, data: bytes = b"", *, seconds: float = ASK_SECONDS
    ) -> bytes:
        """A node's answer. Raises NodeGone if nobody was there to hear the request, and NodeSilent
        if that is not known."""
        try:
            answer = await self._engine.request(f"n.{node}.{what}", data, seconds=seconds)
        except NoResponders:
            self._heard[node] = -math.inf
            raise NodeGone(node) from None
        except EngineError as error:
            raise NodeSilent(f"{node}: {error}") from None
        self._lives(node)
        return answer.payload

    def _lives(self, node: str) -> None:
        self._heard[node] = trio.current_time()
        self._gone.discard(node)

    async def is_dead(self, node: str) -> bool:
        """Whether a node is gone, or hangs for longer than it may. Takes as long as that takes to
        find out; one that was found dead, and was not heard since, takes none."""
        if node in self._gone:
            return True
        refused = 0
        began = trio.current_time()
        while True:
            try:
                await self.ask(node, PING, seconds=SILENT_SECONDS / 5)
                return False
            except NodeGone:
                refused += 1
                if refused == 2:
                    self._gone.add(node)
                    return True
                await trio.sleep(GONE_SECONDS)
            except NodeSilent:
                last = max(self._heard.get(node, self._began), self._began)
                if trio.current_time() - last >= SILENT_SECONDS:
                    self._gone.add(node)
                    return True
                if trio.current_time() - began > 2 * SILENT_SECONDS:
                    return False  # it is heard, and does not answer: it is busy
                await trio.sleep(GONE_SECONDS)

    async def run(self, *, task_status: Any = trio.TASK_STATUS_IGNORED) -> None:
        """Say for ever that this node is there, hear the others, and do what they ask."""
        beats = self._engine.subscribe("beat.*")
        asked = self._engine.subscribe(f"n.{self.name}.>")
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._beat)
                nursery.start_soon(self._hear, beats)
                task_status.started()
                while True:
                    try:
                        message = await asked.receive()
                    except Missed:
                        continue  # whoever asked hears that nobody knows, and asks again
                    _, _, what = message.subject.removeprefix("n.").partition(".")
                    nursery.start_soon(self._do, what, message.payload, message.reply)
        finally:
            asked.close()  # a node that stops is gone to whoever asks it from here on
            beats.close()

    async def _do(self, what: str, data: bytes, reply: str) -> None:
        first, _, rest = what.partition(".")
        act = self.acts.get(first)
        answer = b""
        try:
            if act is not None:
                answer = await act(rest, data)
        finally:
            # Also where this node stops meanwhile: nobody waits for what it will not answer.
            if reply:
                with suppress(EngineError):  # whoever asked hears nothing, and asks again
                    self._engine.publish(reply, answer)

    def tell(self, node: str, what: str) -> None:
        """Say something to a node, without waiting; it may not hear it."""
        with suppress(EngineError):
            self._engine.publish(f"n.{node}.{what}", b"")

    async def _beat(self) -> None:
        while True:
            said = json.dumps(dict(self.tells()), sort_keys=True)
            with suppress(EngineError):
                self._engine.publish(f"beat.{self.name}", said.encode())
                self._engine.publish(FOR_EDGES, b"")
            await trio.sleep(BEAT_SECONDS)

    async def probe(self) -> None:
        """Leave, for ever, a server that acknowledges no commit: one that is cut off answers
        everything else, and holds itself for the leader for ten seconds more."""
        stored, patience = trio.current_time(), PROBE_SECONDS
        while True:
            try:
                answer = await self._engine.request(
                    f"probe.{self.name}", b"", seconds=PROBE_SECONDS
                )
            except EngineError:
                answer = None
            if answer is not None and b'"seq"' in answer.payload:
                stored = self.probed = trio.current_time()
                patience = PROBE_SECONDS
            if trio.current_time() - stored >= patience:
                self._engine.leave("it acknowledges no commit")
                stored = trio.current_time()
                patience = min(2 * patience, PROBE_SECONDS_MAX)
            await trio.sleep(PROBE_SECONDS / 2)

    async def follow_host(self, take: Callable[[bytes], None]) -> None:
        """Call this for ever with the digest of the host's token, whenever it may be another."""
        heard = self._engine.subscribe("fleet.host")
        js = JetStream(self._engine)
        while True:
            try:
                kept = await js.last("WFLEET", "fleet.host", from_leader=True)
            except EngineError:
                await trio.sleep(ASK_SECONDS)
                continue
            if kept is not None:
                take(bytes.fromhex(json.loads(kept.payload)))
            with suppress(Missed), trio.move_on_after(HOST_SECONDS):
                await heard.receive()
                # It is said before it is stored.
                await trio.sleep(ASK_SECONDS)

    async def _hear(self, beats: Any) -> None:
        while True:
            try:
                message = await beats.receive()
            except Missed:
                continue
            node = message.subject.partition(".")[2]
            self._lives(node)
            try:
                said = json.loads(message.payload or b"{}")
            except ValueError:
                continue
            if isinstance(said, dict):
                self._said[node] = said
            for old in [one for one in self._said if self.silence_of(one) > FORGET_SECONDS]:
                del self._said[old], self._heard[old]
