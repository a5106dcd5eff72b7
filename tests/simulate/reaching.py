"""How the nodes of a simulated fleet reach the modelled engine: connections, requests and
subscriptions, with what befalls them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import trio
from attrs import define

from tests.simulate.cluster import Answer, Cluster, Headers
from warledger.engine.nats import wire
from warledger.engine.nats.natsport import Missed, NotSent, Unknown


class Killed(BaseException):
    """The simulated process is dead: nothing of it goes on."""


@define(eq=False)
class Link:
    """A connection between a node and a server, as long as it lasts. What was on its way when it
    broke may still arrive, late."""

    connection: Connection
    server: int
    is_alive: bool = True
    late: float | None = None
    out_at: float = 0.0
    in_at: float = 0.0

    def outward(self, call: Callable[[], None]) -> None:
        """Towards the server."""
        cluster = self.connection.cluster

        def arrives() -> None:
            if self.is_alive:
                call()
            elif self.late is not None:
                cluster.at(cluster.clock.now + self.late, call)

        now = cluster.clock.now
        delay = 0.3 if cluster.rng.random() < cluster.faults else cluster.rng.uniform(0.0002, 0.002)
        self.out_at = cluster.at(max(now + delay, self.out_at), arrives)

    def inward(self, call: Callable[[], None]) -> None:
        """Towards the node."""
        cluster = self.connection.cluster

        def arrives() -> None:
            if self.is_alive and not self.connection.is_dead:
                self.connection.hear(call)

        now = cluster.clock.now
        self.in_at = cluster.at(max(now + cluster.rng.uniform(0.0002, 0.002), self.in_at), arrives)

    def drop(self) -> None:
        """It breaks."""
        if self.is_alive:
            self.is_alive = False
            rng = self.connection.cluster.rng
            self.late = rng.choice((None, 0.0, rng.uniform(0, 5)))
            self.connection.cluster.links.remove(self)
            self.connection.lost()


class Connection:
    """A node's way to the engine: the port, over the model. A node that is stopped says and hears
    nothing until it goes on; what it decided meanwhile is said then."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster = cluster
        self.name = name
        self.link: Link | None = None
        self.connections = 0
        self.heard: list[Heard] = []
        self.waiting: dict[str, _Waiting] = {}
        self.is_dead = False
        self.is_stopped = False
        self.has_missed = False
        self._held_in: deque[Callable[[], None]] = deque()
        self._held_out: deque[tuple[Link, Callable[[], None]]] = deque()
        self._changed = trio.Event()
        self.reconnect(None)

    # --- what befalls it --------------------------------------------------------------------------

    def kill(self) -> None:
        """The node is dead. Its connection is closed at once."""
        self.is_dead = True
        if self.link is not None:
            self.link.drop()
        for one in list(self.heard):
            one.close()
            one.wake()
        for waiting in self.waiting.values():
            waiting.end()
        self._stir()

    def stop(self) -> None:
        self.is_stopped = True

    def go_on(self) -> None:
        self.is_stopped = False
        while self._held_in and not self.is_stopped:
            self._held_in.popleft()()
        while self._held_out:
            link, call = self._held_out.popleft()
            link.outward(call)
        self._stir()

    async def awake(self) -> None:
        """Return once the node runs. Raises Killed if it never will."""
        while self.is_stopped and not self.is_dead:
            await self._changed.wait()
        if self.is_dead:
            raise Killed

    async def connected(self) -> None:
        while self.link is None:
            await self._changed.wait()
            self._check()

    def _stir(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    def lost(self) -> None:
        """The connection broke."""
        left = self.link
        self.link = None
        if self.is_dead:
            return
        self.has_missed = True
        for waiting in self.waiting.values():
            waiting.end()
        self.reconnect(left.server if left else None)

    def reconnect(self, left: int | None) -> None:
        """Go to a server, to another than the one left if there is one."""
        cluster = self.cluster

        def connect() -> None:
            if self.is_dead or self.link is not None:
                return
            up = [n for n, one in enumerate(cluster.machines) if one.is_up]
            up = [n for n in up if n != left] or up
            if not up:
                cluster.soon(0.1, 0.4, connect)
                return
            self.link = Link(self, cluster.rng.choice(up))
            cluster.links.append(self.link)
            self.connections += 1
            if self.has_missed:
                self.has_missed = False
                for one in self.heard:
                    one.put(None)
            self._stir()

        cluster.soon(0.01, 0.3, connect)

    # --- the port ---------------------------------------------------------------------------------

    def publish(
        self, subject: str, payload: bytes, *, reply: str = "", headers: Headers | None = None
    ) -> None:
        self._send(subject, payload, headers, self._answers(reply), reply)

    async def request(
        self,
        subject: str,
        payload: bytes = b"",
        *,
        headers: Headers | None = None,
        seconds: float,
        shield: bool = False,
    ) -> wire.Message:
        cluster = self.cluster
        reply = f"_R.{next(cluster.numbers)}"
        waiting = self.waiting[reply] = _Waiting()
        link = self.link

        def answer(said: wire.Message | Exception) -> None:
            if link is None or cluster.rng.random() < cluster.faults:
                return  # it is lost
            link.inward(lambda: waiting.take(said))

        cluster.asked[reply] = answer
        try:
            self._send(subject, payload, headers, answer, reply)
            # As the real client, which gives up without a scope for each request.
            late = cluster.clock.call_at(trio.current_time() + seconds, waiting.end)
            try:
                await waiting.ends(shield)
            finally:
                late.call_off()
            self._check()
        finally:
            del cluster.asked[reply], self.waiting[reply]
        if waiting.said is None:
            raise Unknown(f"{subject}: no answer")
        if isinstance(waiting.said, Exception):
            raise waiting.said
        return waiting.said

    def subscribe(self, subject: str, *, queue: str = "") -> Heard:
        self._check()
        return Heard(self, subject)

    def inbox(self) -> str:
        return f"_INBOX.{self.name}.{next(self.cluster.numbers)}"

    def leave(self, why: str) -> None:
        self._check()
        self.cluster.note(f"{self.name} leaves its server: {why}")
        if self.link is not None:
            self.link.drop()

    # --- within -----------------------------------------------------------------------------------

    def hear(self, call: Callable[[], None]) -> None:
        if self.is_stopped:
            self._held_in.append(call)
        else:
            call()

    def _check(self) -> None:
        if self.is_dead:
            raise Killed

    def _send(
        self, subject: str, payload: bytes, headers: Headers | None, answer: Answer, reply: str
    ) -> None:
        self._check()
        link = self.link
        if link is None:
            raise NotSent("no connection")

        def arrives() -> None:
            self.cluster.arrive(link, subject, headers or {}, payload, answer, reply)

        if self.is_stopped:
            self._held_out.append((link, arrives))
        else:
            link.outward(arrives)

    def _answers(self, reply: str) -> Answer:
        """Answers that come as messages to an inbox."""
        link = self.link

        def answer(said: wire.Message | Exception) -> None:
            if link is None or isinstance(said, Exception):
                return
            for one in self.cluster.exact.get(reply, ()):
                link.inward(lambda one=one: one.put(said))  # type: ignore[misc]

        return answer


@define(eq=False)
class _Waiting:
    """A request that waits for its answer."""

    said: wire.Message | Exception | None = None
    is_over: bool = False
    _task: trio.lowlevel.Task | None = None

    def take(self, said: wire.Message | Exception) -> None:
        if not self.is_over:
            self.said = said
            self.end()

    def end(self) -> None:
        """Nobody waits for it any longer."""
        self.is_over = True
        if self._task is not None:
            trio.lowlevel.reschedule(self._task)
            self._task = None

    async def ends(self, shield: bool) -> None:
        """Return once it is over."""

        def cancelled(_: object) -> trio.lowlevel.Abort:
            if shield:
                return trio.lowlevel.Abort.FAILED
            self._task = None
            return trio.lowlevel.Abort.SUCCEEDED

        if self.is_over:
            await trio.lowlevel.checkpoint_if_cancelled()
            return
        self._task = trio.lowlevel.current_task()
        await trio.lowlevel.wait_task_rescheduled(cancelled)


class Heard:
    """A subscription."""

    def __init__(self, connection: Connection, subject: str) -> None:
        self.connection = connection
        self.subject = subject
        self._tokens = subject.split(".")
        self._messages: deque[wire.Message | None] = deque()
        self._more = trio.Event()
        cluster = connection.cluster
        # Nobody listens to everything.
        assert self._tokens[0] not in ("*", ">")
        self._among = (
            cluster.wild.setdefault(self._tokens[0], [])
            if {"*", ">"} & set(self._tokens)
            else cluster.exact.setdefault(subject, [])
        )
        self._among.append(self)
        connection.heard.append(self)

    def matches(self, tokens: list[str]) -> bool:
        for number, token in enumerate(self._tokens):
            if token == ">":
                return len(tokens) > number
            if number >= len(tokens) or token not in ("*", tokens[number]):
                return False
        return len(tokens) == len(self._tokens)

    def put(self, message: wire.Message | None) -> None:
        """A message has come, or with None some may be missing."""
        self._messages.append(message)
        self.wake()

    def wake(self) -> None:
        self._more.set()

    async def receive(self) -> wire.Message:
        while not self._messages or self.connection.is_dead:
            if self.connection.is_dead:
                raise Killed
            self._more = trio.Event()
            await self._more.wait()
        message = self._messages.popleft()
        if message is None:
            raise Missed(self.subject)
        return message

    def close(self) -> None:
        if self in self.connection.heard:
            self.connection.heard.remove(self)
            self._among.remove(self)
            if not self._among and self.connection.cluster.exact.get(self.subject) is self._among:
                del self.connection.cluster.exact[self.subject]
