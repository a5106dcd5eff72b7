"""JetStream, modelled at its edges: what `tests/nats/test_beliefs.py` holds of the real one, with
faults from a seed at any message, under whatever clock runs.

A model of what a store can see: a leader with the fence, appends in process that are crossed off
after they were answered, changes of leader in which each proposal is kept or lost by chance,
answers that are lost, messages that arrive long after they were given up, replicas that lag.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from random import Random
from typing import Any

import trio
from attrs import define, field, frozen

from warledger.engine.nats import wire
from warledger.engine.nats.natsport import NoResponders, NotSent, Unknown


@frozen
class Entry:
    """A message that is stored. `at` is when."""

    sequence: int
    subject: str
    headers: Mapping[str, str]
    payload: bytes
    at: float


@define
class Model:
    """One engine. `mutant` names a promise that it breaks, to see that this is found."""

    nursery: trio.Nursery
    rng: Random
    faults: float = 0.1
    mutant: str = ""
    entries: list[Entry] = field(factory=list)
    term: int = 1
    has_leader: bool = True
    in_process: set[str] = field(factory=set)
    batches: dict[str, list[tuple[str, Mapping[str, str], bytes]]] = field(factory=dict)
    log: list[str] = field(factory=list)

    def newest(self, subject: str) -> int:
        """The sequence of a subject's newest message."""
        return max((one.sequence for one in self.entries if one.subject == subject), default=0)

    async def elect(self) -> None:
        """The leader goes. For some seconds there is none."""
        self.has_leader = False
        self.term += 1
        self.in_process.clear()
        self.batches.clear()
        self.note("election")
        await trio.sleep(self.rng.uniform(4, 9))
        self.has_leader = True

    def note(self, what: str) -> None:
        self.log.append(f"{trio.current_time():.3f} {what}")

    async def append(self, subject: str, headers: Mapping[str, str], payload: bytes) -> Any:
        """What the leader does with an append, and what it answers."""
        batch = headers.get("Nats-Batch-Id")
        pieces = [(subject, headers, payload)]
        if batch:
            number = int(headers["Nats-Batch-Sequence"])
            opened = self.batches.setdefault(batch, []) if number == 1 else self.batches.get(batch)
            if opened is None or len(opened) != number - 1:
                self.batches.pop(batch, None)
                return _error(10176, "atomic publish batch is incomplete")
            opened.append(pieces[0])
            if "Nats-Batch-Commit" not in headers:
                return b""
            pieces = self.batches.pop(batch)
        expected = pieces[0][1].get("Nats-Expected-Last-Subject-Sequence")
        if subject in self.in_process:
            return _error(10164, "an append of this subject is in process")
        newest = self.newest(subject)
        if expected is not None and int(expected) != newest and self.mutant != "no fence":
            return _error(10071, f"wrong last sequence: {newest}")
        self.in_process.add(subject)
        term = self.term
        await trio.sleep(self.rng.uniform(0.001, 0.01))
        if term != self.term:
            if self.rng.random() < 0.5 and self.newest(subject) == newest:
                self._store(pieces)  # it had reached a quorum before the leader went
            return None
        sequence = self._store(pieces)
        if self.mutant == "loses" and self.rng.random() < 0.1:
            self.entries.pop()
        self.nursery.start_soon(self._cross_off, subject, term)
        return json.dumps({"stream": "WG0", "seq": sequence}).encode()

    def _store(self, pieces: list[tuple[str, Mapping[str, str], bytes]]) -> int:
        for subject, headers, payload in pieces:
            sequence = self.entries[-1].sequence + 1 if self.entries else 1
            self.entries.append(Entry(sequence, subject, headers, payload, trio.current_time()))
            self.note(f"{sequence} {subject} {headers.get('Nats-Msg-Id', '')}")
        return self.entries[-1].sequence

    async def _cross_off(self, subject: str, term: int) -> None:
        await trio.sleep(self.rng.choice((0, 0, 0.004)))
        if term == self.term:
            self.in_process.discard(subject)

    def seen(self, lag: float) -> list[Entry]:
        """What a replica has that is so far behind."""
        return [one for one in self.entries if one.at <= trio.current_time() - lag]


@define(eq=False)
class Connection:
    """A node's way to the engine: the port, over the model."""

    model: Model
    name: str
    inboxes: dict[str, Inbox] = field(factory=dict)
    connections: int = 1

    def publish(
        self,
        subject: str,
        payload: bytes,
        *,
        reply: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if reply:
            self.model.nursery.start_soon(self._read_batch, payload, reply)
        else:
            self.model.nursery.start_soon(self._carry, subject, payload, headers or {}, 0.001)

    async def request(
        self,
        subject: str,
        payload: bytes = b"",
        *,
        headers: Mapping[str, str] | None = None,
        seconds: float,
        shield: bool = False,
    ) -> wire.Message:
        with trio.CancelScope(shield=shield):
            return await self._asked(subject, payload, headers or {}, seconds)

    async def _asked(
        self, subject: str, payload: bytes, headers: Mapping[str, str], seconds: float
    ) -> wire.Message:
        model, rng = self.model, self.model.rng
        if rng.random() < model.faults / 4:
            await trio.sleep(0.001)
            raise NotSent("no connection")
        late = rng.choice((0.5, 5, 30)) if rng.random() < model.faults else 0.0
        answered, done = [], trio.Event()

        async def carry() -> None:
            answer = await self._carry(subject, payload, headers, late or rng.uniform(0, 0.02))
            if rng.random() < model.faults:
                return  # the answer is lost
            answered.append(answer)
            done.set()

        model.nursery.start_soon(carry)
        with trio.move_on_after(seconds):
            await done.wait()
        if not answered or answered[0] is None:
            raise Unknown(f"{subject}: no answer")
        if isinstance(answered[0], Exception):
            raise answered[0]
        return wire.Message(subject, 1, "", answered[0])

    async def _carry(
        self, subject: str, payload: bytes, headers: Mapping[str, str], delay: float
    ) -> Any:
        await trio.sleep(delay)
        model = self.model
        if not model.has_leader:
            return NoResponders(subject)
        if subject.startswith("wg."):
            return await model.append(subject, headers, payload)
        asks = json.loads(payload)
        of = asks.get("last_by_subj") or asks["next_by_subj"]
        found = [one for one in model.entries if one.subject == of]
        found = (
            found[-1:]
            if "last_by_subj" in asks
            else [one for one in found if one.sequence >= asks["seq"]]
        )
        if not found:
            return _error(10037, "no message found")
        return json.dumps({"message": _shown(found[0])}).encode()

    async def _read_batch(self, payload: bytes, reply: str) -> None:
        model, asks = self.model, json.loads(payload)
        await trio.sleep(model.rng.uniform(0, 0.01))
        inbox = self.inboxes.get(reply)
        if inbox is None or model.rng.random() < model.faults:
            return
        lag = model.rng.choice((0, 0, 0.05))
        found = [
            one
            for one in model.seen(lag)
            if one.subject == asks["next_by_subj"] and one.sequence >= asks["seq"]
        ]
        for one in found[: asks["batch"]]:
            headers = dict(one.headers) | {
                "Nats-Subject": one.subject,
                "Nats-Sequence": str(one.sequence),
            }
            inbox.put(wire.Message(reply, 1, "", one.payload, headers))
        inbox.put(wire.Message(reply, 1, "", b"", {"Nats-Num-Pending": "0"}, 204))

    def subscribe(self, subject: str, *, queue: str = "") -> Inbox:
        inbox = self.inboxes[subject] = Inbox(self, subject)
        return inbox

    def inbox(self) -> str:
        return f"_INBOX.{self.name}.{self.model.rng.getrandbits(48):x}"

    def leave(self, why: str) -> None:
        self.model.note(f"{self.name} leaves: {why}")


@define(eq=False)
class Inbox:
    """A subscription."""

    connection: Connection
    subject: str
    _send: Any = field(init=False)
    _receive: Any = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._send, self._receive = trio.open_memory_channel[wire.Message](10_000)

    def put(self, message: wire.Message) -> None:
        self._send.send_nowait(message)

    async def receive(self) -> wire.Message:
        received: wire.Message = await self._receive.receive()
        return received

    def close(self) -> None:
        self.connection.inboxes.pop(self.subject, None)


def _shown(one: Entry) -> dict[str, Any]:
    head = wire.write_headers(one.headers)
    return {
        "subject": one.subject,
        "seq": one.sequence,
        "hdrs": base64.b64encode(head).decode(),
        "data": base64.b64encode(one.payload).decode(),
    }


def _error(number: int, what: str) -> bytes:
    return json.dumps({"error": {"code": 400, "err_code": number, "description": what}}).encode()
