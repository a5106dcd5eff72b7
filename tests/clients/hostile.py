"""A server that lies: streams in memory around a real ledger of the counting game, with hooks for
whatever an operator might try.

The client under test plays seat "a"; seat "b" is the server's own, played with a key that it holds.
Where nothing is hooked it is honest.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
import trio.testing
from nacl.signing import SigningKey

from tests.toys import counting
from warledger.clients.link import Link, linked
from warledger.engine.kernel import door
from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.ledger import Batch, Keys, Ledger, genesis_record
from warledger.engine.kernel.unsealing import left_sealed, portions
from warledger.protocol import canon
from warledger.protocol.audience import entitled
from warledger.protocol.board.choices import Refusal, refuse, say
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, pack_openings
from warledger.protocol.log import chain, records
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act, Hand
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.messages import SERVER
from warledger.protocol.wire.session import Session

GAME = "lies"
ADDRESS = "there:7470"
Items = list[tuple[Record, tuple[Opening, ...]]]
Hook = Callable[[m.Act, Act], Awaitable[Any]]


def secret(what: str) -> bytes:
    """32 bytes that its name gives."""
    return hashlib.sha256(what.encode()).digest()


class Hostile:
    """One game of the counting title. `log` is what it shows; a hook changes what it does.

    on_act   answers an act in the place of the honest answer (None: goes on honestly)
    rewrite makes the record that is shown of one that the ledger made, before it is hashed into the
    chain
    """

    def __init__(
        self,
        *,
        genesis: str = "first",
        server: str = "server",
        terms: dict[str, Any] | None = None,
    ) -> None:
        self.key = SigningKey(secret(server))
        keys = Keys(
            secret(f"{genesis} root"), secret(f"{genesis} hidden"), secret(f"{genesis} salts")
        )
        first = genesis_record(
            counting.RULES,
            game=GAME,
            options={"turns": 3},
            pack=canon.pack(counting.PACK),
            digest=bytes(32),
            keys=keys,
            server_key=self.key.verify_key.encode(),
            at_ms=1000,
            terms=terms,
        )
        self.keys = keys
        self.ledger: Ledger[Any] = Ledger(counting.RULES, first, keys)
        self.genesis = first.hash
        self.log: Items = [(first, ())]
        self.other = Hand(first.hash, "b", SigningKey(secret("b's key")))
        self.nonce = secret("b's nonce")
        self.heard: list[m.Act] = []
        self.witnessed: list[m.Witness] = []
        self.on_act: Hook | None = None
        self.rewrite: Callable[[Record], tuple[Any, ...] | None] | None = None
        self.open_for: Callable[[Record, tuple[Opening, ...]], tuple[Opening, ...]] | None = None
        self._acts: dict[bytes, int] = {}
        self.opens_the_rest = True
        """Whether it opens what was hidden once a game has ended."""
        self._subscribers: list[tuple[Callable[[Any], Awaitable[None]], str]] = []
        self._nursery: trio.Nursery | None = None

    # --- the log ----------------------------------------------------------------------------------

    async def commit(self, batch: Batch[Any] | Refusal) -> None:
        """Carry something out, and show it."""
        assert isinstance(batch, Batch), batch
        ledger, count = self.ledger, len(batch.records)
        ledger.commit(batch)
        for place, (record, openings) in enumerate(zip(batch.records, batch.openings, strict=True)):
            body = self.rewrite(record) if self.rewrite is not None else None
            ledger.last = await self.show(
                record.actor, record.kind, record.body if body is None else body, openings
            )
            ledger._recent[place - count] = ledger.last.hash  # so that what is rewritten chains on
        if batch.records[-1].kind == records.END and self.opens_the_rest:
            await self.open_the_rest()

    async def open_the_rest(self) -> None:
        """After the end, show everybody what was hidden."""
        kept = {record.seq: openings for record, openings in self.log}
        log = [record for record, _ in self.log]
        for portion, last in list(portions(left_sealed(log, kept))):
            await self.commit(self.ledger.propose_reveal(portion, 1000, last=last))

    async def show(
        self,
        actor: records.Actor,
        kind: str,
        body: tuple[Any, ...],
        openings: tuple[Opening, ...] = (),
    ) -> Record:
        """Put a record of whatever content behind the log, chained as it should be."""
        last = self.log[-1][0]
        record = records.make(last.seq + 1, 1000, actor, kind, body, last.hash)
        self.log.append((record, openings))
        for tell, audience in list(self._subscribers):
            await tell(self._records(audience, record.seq))
        return record

    def _records(self, audience: str, first: int) -> m.Records:
        items = []
        for record, openings in self.log[first:]:
            mine = entitled(openings, audience)
            if self.open_for is not None:
                mine = self.open_for(record, mine)
            items.append((record.data, pack_openings(mine) if mine else b""))
        return m.Records(GAME, audience, first, tuple(items))

    def head(self, seq: int = -1) -> chain.Head:
        """The signed head of a record."""
        record = self.log[seq][0]
        return chain.sign_head(self.key, GAME, record.seq, record.hash)

    def declined(
        self, request: int, act: Act, why: str, *, key: SigningKey | None = None
    ) -> m.Declined:
        """A refusal under the server's signature (or another key's)."""
        last = self.log[-1][0]
        signature = (
            (key or self.key).sign(acts.refusal_bytes(act.hash, last.seq, last.hash)).signature
        )
        return m.Declined(request, refuse("", why), act.hash, last.seq, last.hash, signature)

    # --- the other seat ---------------------------------------------------------------------------

    async def other_takes(self) -> None:
        """Seat b sits down."""
        hashed = dice.bound_nonce_hash(self.genesis, "b", self.nonce)
        act = self.other.sign(acts.TAKEN, self.log[-1][0].hash, ("", "Bert", hashed, "test"))
        await self.commit(
            self.ledger.propose_seat("b", "Bert", hashed, 1000, by=act.by, client="test")
        )

    async def other_shows(self) -> None:
        """Seat b shows its nonce."""
        act = self.other.sign(acts.NONCE, self.log[-1][0].hash, (self.nonce, self.ledger.roster))
        await self.commit(
            self.ledger.propose_nonce("b", self.nonce, 1000, by=act.by, roster=self.ledger.roster)
        )

    async def other_plays(self, *picks: Any) -> None:
        """Seat b gives a command."""
        decision = self.ledger.position.opened("b") or 0
        id, blind = secret(f"id {decision}")[:16], secret("blind")
        digest = acts.picks_digest(self.genesis, "b", decision, id, blind, picks)
        by = self.other.sign(acts.COMMAND, self.log[-1][0].hash, (decision, id, digest)).by
        command = Submission("b", decision, picks, id, by=by.as_array(), blind=blind, digest=digest)
        await self.commit(self.ledger.propose_command(command, 1000))

    # --- answering --------------------------------------------------------------------------------

    async def act(self, message: m.Act) -> Any:
        """What is answered to an act, after it was carried out or not."""
        act = Act(
            self.genesis,
            message.key,
            message.seat,
            message.kind,
            message.n,
            message.seen,
            message.body,
            message.signature,
        )
        self.heard.append(message)
        if self.on_act is not None:
            answer = await self.on_act(message, act)
            if answer is not None:
                return answer
        return await self.honest(message, act)

    async def honest(self, message: m.Act, act: Act) -> Any:
        """Carry the act out, or decline it."""
        assert act.holds
        known = self._acts.get(act.hash)
        if known is None:
            batch = self.propose(act, message.private)
            if isinstance(batch, Refusal):
                return self.declined(message.request, act, batch.key)
            known = self._acts[act.hash] = len(self.log)
            await self.commit(batch)
        return m.Accepted(message.request, GAME, known, self.head(known), False)

    def propose(self, act: Act, private: Any) -> Batch[Any] | Refusal:
        """What the ledger says to an act."""
        ledger, body, by = self.ledger, act.body, act.by
        if act.kind == acts.TAKEN:
            account, name, hashed, client = body
            return ledger.propose_seat(
                act.seat, name, hashed, 1000, by=by, account=account, client=client
            )
        if act.kind == acts.NONCE:
            return ledger.propose_nonce(act.seat, body[0], 1000, by=by, roster=body[1])
        if act.kind == acts.COMMAND:
            command = Submission(
                act.seat,
                body[0],
                private[0],
                body[1],
                by=by.as_array(),
                blind=private[1],
                digest=body[2],
            )
            return ledger.propose_command(command, 1000)
        if act.kind == acts.ORDERS:
            return ledger.propose_orders(act.seat, private[0], private[1], body[0], 1000, by=by)
        assert act.kind == acts.ASK and body[0] == "resign"
        return ledger.propose_resignation(act.seat, 1000, by=by)

    async def answer(self, message: Any) -> Any:
        """What is answered to anything else."""
        number = message.request
        if type(message) is m.Hello:
            return m.Welcome(
                number, m.VERSION, "liar", self.key.verify_key.encode(), {}, (("counting", "1"),)
            )
        if type(message) is m.Login:
            roles = (("seat", GAME, message.token),) if message.token else ()
            return m.LoggedIn(number, message.name or "somebody", roles)
        if type(message) is m.Head:
            return m.HeadIs(number, self.head())
        if type(message) is m.HeadOf:
            return m.HeadIs(number, self.head(message.seq))
        if type(message) is m.Choices:
            found = door.choices(counting.RULES, self.ledger.position, message.seat, message.picks)
            if isinstance(found, Refusal):
                return m.Refused(number, found)
            asked = door.pending(counting.RULES, self.ledger.position, message.seat)
            assert asked is not None
            return m.ChoicesAre(number, GAME, asked.id, asked.prompt, found)
        if type(message) is m.Witness:
            self.witnessed.append(message)
            return m.Witnessed(number, GAME)
        if type(message) is m.Witnesses:
            items = tuple((w.seat, w.key, w.seq, w.hash, w.signature) for w in self.witnessed)
            return m.WitnessesAre(number, GAME, items)
        raise AssertionError(f"nobody should have sent {message}")

    # --- streams ----------------------------------------------------------------------------------

    async def dial(self) -> trio.abc.Stream:
        """A client's end of a new connection."""
        ours, theirs = trio.testing.memory_stream_pair()
        assert self._nursery is not None
        self._nursery.start_soon(self._serve, theirs)
        return ours

    async def _serve(self, stream: trio.abc.Stream) -> None:
        session, sending = Session(SERVER), trio.Lock()

        async def tell(message: Any) -> None:
            async with sending:
                try:
                    await stream.send_all(session.send(message))
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    self._subscribers[:] = [
                        item for item in self._subscribers if item[0] is not tell
                    ]

        while True:
            message = session.next_message()
            if message is None:
                try:
                    data = await stream.receive_some(65536)
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    data = b""
                if not data:
                    self._subscribers[:] = [
                        item for item in self._subscribers if item[0] is not tell
                    ]
                    return
                session.receive_data(bytes(data))
            elif type(message) is m.Subscribe:
                if message.after_seq >= len(self.log):
                    told = say(
                        "error.no_such_record", seq=message.after_seq, last=len(self.log) - 1
                    )
                    await tell(m.Error(message.request, "no_such_record", told, False))
                    continue
                await tell(m.Subscribed(message.request, GAME, message.audience, len(self.log) - 1))
                self._subscribers.append((tell, message.audience))
                if message.after_seq + 1 < len(self.log):
                    await tell(self._records(message.audience, message.after_seq + 1))
            elif type(message) is not m.Goodbye:
                await tell(
                    await (self.act(message) if type(message) is m.Act else self.answer(message))
                )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Hostile]:
        """The server while it runs."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            yield self
            nursery.cancel_scope.cancel()

    @asynccontextmanager
    async def link(
        self, receipts: Path | None = None, *, accept_new_key: bool = False
    ) -> AsyncIterator[Link]:
        """A link to it that holds seat a."""
        async with linked(
            self.dial,
            token="a",
            name="Anna",
            receipts=receipts,
            patience_s=1,
            address=ADDRESS,
            accept_new_key=accept_new_key,
        ) as made:
            yield made
