"""Three NATS servers with JetStream, modelled at their edges, for all nodes of a fleet: what
`tests/nats/test_beliefs.py` holds of real ones, under whatever clock runs.

Everything that a node can see of the engine is here: a leader for each stream with the fence,
appends in process that are crossed off after they were answered, identities, terms, leaders that do
not know that they lead no more, changes of leader that keep some proposals and lose the others,
answers that are lost, bytes that arrive long after their connection broke, replicas that lag,
interest that outlives a cut, no responders, and what is republished. The clock of the run
carries all messages, each at its instant; those of one connection never overtake each other.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from random import Random
from typing import Any, Final, Protocol

from attrs import define, field, frozen

from tests.simulate.clockwork import Clock
from warledger.engine.nats import wire
from warledger.engine.nats.natsport import NoResponders

LINGERS_SECONDS: Final = 2.0
"""How long interest in what is behind a cut is still believed in: `ping_interval` and `ping_max` of
the routes."""

DELUDED_SECONDS: Final = 10.0
"""How long a leader that is cut off holds itself for one."""

WINDOW_SECONDS: Final = 120.0
TICK_SECONDS: Final = 0.0005
"""Instants are rounded up to this, so that what happens together costs one step."""

Headers = Mapping[str, str]
Answer = Callable[[wire.Message | Exception], None]


class Linked(Protocol):
    """A node's connection to one of the servers (`reaching.Link`)."""

    connection: Any
    server: int

    def inward(self, call: Callable[[], None]) -> None: ...

    def drop(self) -> None: ...


class Hearing(Protocol):
    """A node's subscription (`reaching.Heard`)."""

    connection: Any

    def matches(self, tokens: list[str]) -> bool: ...

    def put(self, message: wire.Message | None) -> None: ...


@frozen
class Entry:
    """A message that is stored: when, behind which one of its subject, and who sent it."""

    sequence: int
    subject: str
    headers: Headers
    payload: bytes
    at: float
    before: int
    by: str


@frozen
class Proposal:
    """An append that its leader took, and that is not stored yet."""

    term: int
    pieces: Sequence[tuple[str, Headers, bytes]]
    by: str
    answer: Answer


@define(eq=False)
class Stream:
    """A stream: what it stores, and who leads it (None: nobody)."""

    name: str
    leader: int | None = 0
    most: int = 0
    term: int = 1
    sequence: int = 0
    entries: list[Entry] = field(factory=list)
    of: dict[str, list[Entry]] = field(factory=dict)
    ids: dict[str, tuple[float, int]] = field(factory=dict)
    in_process: set[str] = field(factory=set)
    proposals: list[Proposal] = field(factory=list)
    batches: dict[str, list[tuple[str, Headers, bytes]]] = field(factory=dict)
    deluded: tuple[int, int, float] | None = None
    is_full: bool = False

    def newest(self, subject: str, until: int | None = None) -> int:
        """The sequence of a subject's newest message (up to one of the stream)."""
        for one in reversed(self.of.get(subject, ())):
            if until is None or one.sequence <= until:
                return one.sequence
        return 0


@define(eq=False)
class Machine:
    """A server of the engine. `cut` is since when no other hears it."""

    is_up: bool = True
    cut: float | None = None


class Cluster:
    """The engine. `mutant` names a promise that it breaks, to see that this is found."""

    def __init__(
        self, rng: Random, shards: int, clock: Clock, *, faults: float = 0.0, mutant: str = ""
    ) -> None:
        self.rng = rng
        self.clock = clock
        self.faults = faults
        self.mutant = mutant
        self.machines = [Machine() for _ in range(3)]
        self.streams = {
            f"{kind}{shard}": Stream(f"{kind}{shard}", rng.randrange(3))
            for kind in ("WG", "WP")
            for shard in range(shards)
        }
        self.streams["WCARDS"] = Stream("WCARDS", rng.randrange(3), most=1)
        self.streams["WFLEET"] = Stream("WFLEET", rng.randrange(3), most=1)
        self.streams["WPROBE"] = Stream("WPROBE", rng.randrange(3), most=1)
        self.links: list[Linked] = []
        self.exact: dict[str, list[Hearing]] = {}
        self.wild: dict[str, list[Hearing]] = {}
        self.asked: dict[str, Answer] = {}
        self.numbers = count(1)
        self.log: list[str] = []
        self._lurking: list[Callable[[Stream], None]] = []

    def lurk(self, call: Callable[[Stream], None]) -> None:
        """Make a call when the next append to a game comes to its leader, which has then taken it
        and not stored it: chance alone seldom meets that instant."""
        self._lurking.append(call)

    def note(self, what: str) -> None:
        """Write down what happened, for whoever looks into a run."""
        self.log.append(f"{self.clock.now:.4f} {what}")

    # --- time -------------------------------------------------------------------------------------

    def at(self, when: float, call: Callable[[], None]) -> float:
        """Do something at an instant; which one it is after rounding."""
        when = -(-when // TICK_SECONDS) * TICK_SECONDS
        self.clock.call_at(when, call)
        return when

    def soon(self, low: float, high: float, call: Callable[[], None]) -> None:
        """Do something within so many seconds."""
        self.at(self.clock.now + self.rng.uniform(low, high), call)

    # --- servers ----------------------------------------------------------------------------------

    def apart(self, one: int, other: int) -> bool:
        """Whether nothing passes between two servers."""
        if one == other:
            return not self.machines[one].is_up
        return not all(
            self.machines[n].is_up and self.machines[n].cut is None for n in (one, other)
        )

    def lingers(self, server: int, other: int) -> bool:
        """Whether a server that is out of reach is still believed to be there."""
        since = [cut for n in (server, other) if (cut := self.machines[n].cut) is not None]
        return bool(since) and self.clock.now - max(since) < LINGERS_SECONDS

    @property
    def majority(self) -> list[int]:
        """The servers that make a quorum, if there are any."""
        found = [n for n, one in enumerate(self.machines) if one.is_up and one.cut is None]
        return found if len(found) > 1 else []

    def kill(self, server: int) -> None:
        """A server is gone, with the connections of its clients."""
        self.machines[server].is_up = False
        self.note(f"server {server} is killed")
        for link in [link for link in self.links if link.server == server]:
            link.drop()
        self._without(server, deluded=False)

    def start(self, server: int) -> None:
        """It is there again."""
        self.machines[server].is_up = True
        self.note(f"server {server} starts")
        self._recover()

    def cut(self, server: int) -> None:
        """A server hears no other, and does not know it; its clients stay."""
        if self.machines[server].cut is None:
            self.machines[server].cut = self.clock.now
            self.note(f"server {server} is cut off")
            self._without(server, deluded=True)

    def mend(self, server: int) -> None:
        """The cut is over."""
        self.machines[server].cut = None
        self.note(f"server {server} is heard again")
        for stream in self.streams.values():
            if stream.deluded is not None and stream.deluded[0] == server:
                stream.deluded = None
        self._recover()

    def _without(self, server: int, *, deluded: bool) -> None:
        enough = len(self.majority) > 1
        for stream in self.streams.values():
            if stream.leader == server or (stream.leader is not None and not enough):
                self._lose_leader(stream, stream.leader if deluded or not enough else None)
                self.soon(4, 9, lambda stream=stream: self._elect(stream))  # type: ignore[misc]

    def _recover(self) -> None:
        for stream in self.streams.values():
            if stream.leader is None:
                self.soon(0.5, 2, lambda stream=stream: self._elect(stream))  # type: ignore[misc]

    def step_down(self, name: str) -> None:
        """A stream's leader is told to leave it to another."""
        stream = self.streams[name]
        if stream.leader is not None:
            self.note(f"{name} steps down")
            self._lose_leader(stream, None)
            self.soon(0.05, 0.3, lambda: self._elect(stream))

    def _lose_leader(self, stream: Stream, deluded: int | None) -> None:
        """Of what was in process some was stored by a quorum: a first part of it, as it stood in
        the leader's log."""
        kept = self.rng.randint(0, len(stream.proposals))
        if deluded is not None:
            until = self.clock.now + DELUDED_SECONDS
            stream.deluded = deluded, stream.sequence, until
        stream.leader = None
        stream.term += 1
        stream.in_process.clear()
        stream.batches.clear()
        proposals, stream.proposals = stream.proposals, []
        for number, one in enumerate(proposals):
            if number < kept:
                self._store(stream, one)
            elif self.mutant == "an older leadership":
                self._haunt(stream, one)

    def _haunt(self, stream: Stream, proposal: Proposal) -> None:
        """What the leader before had checked is stored by the next, unseen: as servers did before
        2.15."""
        if stream.leader is None:
            self.soon(0.02, 0.2, lambda: self._haunt(stream, proposal))
        else:
            self._store(stream, proposal)

    def _elect(self, stream: Stream) -> None:
        if stream.leader is None and self.majority:
            stream.leader = self.rng.choice(self.majority)
            stream.term += 1
            self.note(f"{stream.name} is led by {stream.leader}")

    # --- what comes in ----------------------------------------------------------------------------

    def arrive(
        self,
        link: Linked,
        subject: str,
        headers: Headers,
        payload: bytes,
        answer: Answer,
        reply: str,
    ) -> None:
        """A message has come to a server."""
        server = link.server
        if not self.machines[server].is_up:
            return
        kind, _, rest = subject.partition(".")
        if kind in ("wg", "wp"):
            self._append(
                f"{kind.upper()}{rest.partition('.')[0]}", link, subject, headers, payload, answer
            )
        elif kind == "card":
            self._append("WCARDS", link, subject, headers, payload, answer)
        elif kind == "probe":
            self._append("WPROBE", link, subject, headers, payload, answer)
        elif kind == "$JS":
            *call, name = subject.removeprefix("$JS.API.").split(".")
            self._call(
                ".".join(call),
                self.streams[name],
                link,
                json.loads(payload or b"{}"),
                answer,
                reply,
            )
        elif kind == "_R":
            to = self.asked.get(subject)
            if to is not None:
                to(wire.Message(subject, 1, "", payload))
        else:
            self._say(server, subject, headers, payload, answer, reply)

    def _say(
        self,
        server: int,
        subject: str,
        headers: Headers,
        payload: bytes,
        answer: Answer,
        reply: str,
    ) -> None:
        heard = list(self.exact.get(subject, ()))
        tokens = subject.split(".")
        heard += [one for one in self.wild.get(tokens[0], ()) if one.matches(tokens)]
        lingers = False
        reached = False
        for one in heard:
            link = one.connection.link
            if link is None:
                continue
            if self.apart(server, link.server):
                lingers = lingers or self.lingers(server, link.server)
                continue
            reached = True
            message = wire.Message(subject, 1, reply, payload, dict(headers))
            link.inward(lambda one=one, message=message: one.put(message))  # type: ignore[misc]
        if reply and not reached and not lingers:
            answer(NoResponders(subject))

    def _to_leader(self, stream: Stream, server: int, answer: Answer) -> tuple[bool, int | None]:
        """Whether a leader hears, and if it is one that leads no more, up to which message it
        knows."""
        if stream.deluded is not None and stream.deluded[0] == server:
            _, known, until = stream.deluded
            if self.clock.now < until and self.machines[server].cut is not None:
                return True, known
        if stream.leader is not None and not self.apart(server, stream.leader):
            return True, None
        if self.machines[server].cut is None or not self.lingers(server, server):
            answer(NoResponders(stream.name))
        return False, None

    # --- appends ----------------------------------------------------------------------------------

    def _append(
        self,
        name: str,
        link: Linked,
        subject: str,
        headers: Headers,
        payload: bytes,
        answer: Answer,
    ) -> None:
        stream = self.streams[name]
        hears, known = self._to_leader(stream, link.server, answer)
        if not hears:
            return

        def refuse(number: int, what: str) -> None:
            answer(wire.Message(subject, 1, "", _error(number, what)))

        pieces = [(subject, headers, payload)]
        batch = headers.get("Nats-Batch-Id")
        if batch:
            number = int(headers["Nats-Batch-Sequence"])
            begun = (
                stream.batches.setdefault(batch, []) if number == 1 else stream.batches.get(batch)
            )
            if begun is None or len(begun) != number - 1:
                stream.batches.pop(batch, None)
                refuse(10176, "atomic publish batch is incomplete")
                return
            begun.append(pieces[0])
            if "Nats-Batch-Commit" not in headers:
                answer(wire.Message(subject, 1, "", b""))
                return
            pieces = stream.batches.pop(batch)
        identity = headers.get("Nats-Msg-Id", "")
        if identity in stream.ids:
            at, sequence = stream.ids[identity]
            if self.clock.now - at < WINDOW_SECONDS and (known is None or sequence <= known):
                old = {"stream": name, "seq": sequence, "duplicate": True}
                answer(wire.Message(subject, 1, "", json.dumps(old).encode()))
                return
        if stream.is_full:
            refuse(10077, "maximum bytes exceeded")
            return
        if subject in stream.in_process:
            refuse(10164, "an append of this subject is in process")
            return
        expected = pieces[0][1].get("Nats-Expected-Last-Subject-Sequence")
        newest = stream.newest(subject, known)
        if expected is not None and int(expected) != newest and self.mutant != "no fence":
            refuse(10071, f"wrong last sequence: {newest}")
            return
        if known is not None:
            return  # it waits for a quorum that it has not
        proposal = Proposal(stream.term, pieces, link.connection.name, answer)
        stream.in_process.add(subject)
        stream.proposals.append(proposal)
        if name.startswith("WG") and self._lurking:
            lurking, self._lurking = self._lurking, []
            for call in lurking:
                call(stream)
        self.soon(0.001, 0.01, lambda: self._commit(stream, proposal))

    def _commit(self, stream: Stream, proposal: Proposal) -> None:
        if proposal not in stream.proposals:
            return  # the leader went meanwhile
        # A log is committed in its order.
        while stream.proposals:
            one = stream.proposals.pop(0)
            sequence = self._store(stream, one)
            stored = {"stream": stream.name, "seq": sequence}
            one.answer(wire.Message("", 1, "", json.dumps(stored).encode()))
            subject = one.pieces[0][0]
            if self.rng.random() < 0.3:
                self.soon(0.001, 0.004, partial(self._cross_off, stream, subject, one.term))
            else:
                stream.in_process.discard(subject)
            if self.mutant == "loses" and stream.name[:2] == "WG" and self.rng.random() < 0.02:
                self._lose(stream, stream.entries[-1])
            if one is proposal:
                return

    @staticmethod
    def _cross_off(stream: Stream, subject: str, term: int) -> None:
        if term == stream.term:
            stream.in_process.discard(subject)

    @staticmethod
    def _lose(stream: Stream, entry: Entry) -> None:
        stream.entries.remove(entry)
        stream.of[entry.subject].remove(entry)

    def _store(self, stream: Stream, proposal: Proposal) -> int:
        for subject, headers, payload in proposal.pieces:
            stream.sequence += 1
            before = stream.newest(subject)
            entry = Entry(
                stream.sequence, subject, headers, payload, self.clock.now, before, proposal.by
            )
            kept = stream.of.setdefault(subject, [])
            if stream.most:
                for old in kept:
                    stream.entries.remove(old)
                kept.clear()
            stream.entries.append(entry)
            kept.append(entry)
            if stream.name == "WPROBE":
                continue
            identity = headers.get("Nats-Msg-Id", "")
            if identity:
                stream.ids[identity] = self.clock.now, stream.sequence
            self.note(f"{stream.name} {stream.sequence} {subject} {len(payload)} {proposal.by}")
            self._republish(stream, entry)
        return stream.sequence

    def _republish(self, stream: Stream, entry: Entry) -> None:
        kind, _, rest = entry.subject.partition(".")
        to = {
            "wg": f"follow.{rest}",
            "wp": f"live.{rest.partition('.')[2]}",
            "card": f"cardlive.{rest}",
        }[kind]
        server = stream.leader
        if server is None:  # kept by the last leader's quorum: some server of it says so
            server = next(iter(self.majority), None)
        if server is not None:
            self._say(server, to, _placed(entry, stream), entry.payload, _nobody, "")

    # --- reads ------------------------------------------------------------------------------------

    def _call(
        self,
        call: str,
        stream: Stream,
        link: Linked,
        asks: dict[str, Any],
        answer: Answer,
        reply: str,
    ) -> None:
        if call == "DIRECT.GET":
            self._direct(stream, link, asks, answer, reply)
            return
        hears, known = self._to_leader(stream, link.server, answer)
        if not hears:
            return
        if call == "STREAM.INFO":
            subjects = {subject: len(found) for subject, found in stream.of.items() if found}
            page = dict(sorted(subjects.items())[asks.get("offset", 0) :])
            said = {"state": {"subjects": page}, "total": len(subjects)}
            answer(wire.Message("", 1, "", json.dumps(said).encode()))
            return
        found = _found(stream, asks, stream.sequence if known is None else known)
        text = (
            json.dumps({"message": _shown(found[0])}).encode()
            if found
            else _error(10037, "no message found")
        )
        answer(wire.Message("", 1, "", text))

    def _direct(
        self, stream: Stream, link: Linked, asks: dict[str, Any], answer: Answer, reply: str
    ) -> None:
        replica = self.rng.randrange(3)
        if self.apart(link.server, replica):
            if self.machines[replica].is_up and self.lingers(link.server, replica):
                return
            replica = link.server
        known = stream.sequence
        if (cut := self.machines[replica].cut) is not None:
            known = max((one.sequence for one in stream.entries if one.at <= cut), default=0)
        elif self.rng.random() < 0.2:
            lag = self.clock.now - 0.05
            while known and known > 0 and stream.entries and stream.entries[-1].at > lag:
                known = next((one.sequence for one in reversed(stream.entries) if one.at <= lag), 0)
                break
        found = _found(stream, asks, known)
        found = found[: asks.get("batch", len(found) if "multi_last" in asks else 1)]
        if "batch" not in asks and "multi_last" not in asks:
            answer(
                _direct(found[0], stream, reply)
                if found
                else wire.Message(reply, 1, "", b"", {}, 404)
            )
            return
        for one in found:
            answer(_direct(one, stream, reply))
        end = (204, {"Nats-Num-Pending": "0"}) if found else (404, {})
        answer(wire.Message(reply, 1, "", b"", end[1], end[0]))


def _nobody(said: wire.Message | Exception) -> None:
    """Nobody waits for the answer."""


def _found(stream: Stream, asks: Mapping[str, Any], known: int) -> list[Entry]:
    """What a read finds among the messages up to one."""
    if "multi_last" in asks:
        newest = (_found(stream, {"last_by_subj": one}, known) for one in asks["multi_last"])
        return [entry for found in newest for entry in found]
    if "last_by_subj" in asks:
        found = [one for one in stream.of.get(asks["last_by_subj"], ()) if one.sequence <= known]
        return found[-1:]
    first, subject = asks["seq"], asks["next_by_subj"]
    among = stream.entries if subject.endswith(".>") else stream.of.get(subject, ())
    return [one for one in among if first <= one.sequence <= known]


def _placed(entry: Entry, stream: Stream) -> dict[str, str]:
    return dict(entry.headers) | {
        "Nats-Stream": stream.name,
        "Nats-Subject": entry.subject,
        "Nats-Sequence": str(entry.sequence),
        "Nats-Last-Sequence": str(entry.before),
    }


def _direct(entry: Entry, stream: Stream, reply: str) -> wire.Message:
    return wire.Message(reply, 1, "", entry.payload, _placed(entry, stream))


def _shown(one: Entry) -> dict[str, Any]:
    return {
        "subject": one.subject,
        "seq": one.sequence,
        "hdrs": base64.b64encode(wire.write_headers(one.headers)).decode(),
        "data": base64.b64encode(one.payload).decode(),
    }


def _error(number: int, what: str) -> bytes:
    return json.dumps({"error": {"code": 400, "err_code": number, "description": what}}).encode()
