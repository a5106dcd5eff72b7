"""A server inside the test, its clients over memory streams; and a plain client that speaks
messages."""

from __future__ import annotations

import hashlib
import io
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
import trio.testing
import trustme
from nacl.signing import SigningKey

from tests.serve.offered import TITLES as TITLES
from tests.toys import counting
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.clock.deadlines import Pulse
from warledger.engine.runtime.snapshots.snapshots import Snapshots
from warledger.engine.runtime.supervisor import Tending
from warledger.engine.runtime.titles import Title
from warledger.engine.serve import logs
from warledger.engine.serve.app import host, make_hub, stop_gracefully
from warledger.engine.serve.config import Config, ServerLimits
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.wire.connection import Connection
from warledger.engine.serve.wire.tcp import StreamPipe
from warledger.engine.testing.fakeambient import SeededAmbient
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.chance import dice
from warledger.protocol.log.bodies import closes_log
from warledger.protocol.log.chain import Signer
from warledger.protocol.log.records import read
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.messages import CLIENT
from warledger.protocol.wire.session import Session

HOST_TOKEN = "host:" + "h" * 43
SERVER_KEY = SigningKey(hashlib.sha256(b"key").digest())


class Server:
    """A hub that runs. `log` gathers its own log, `seated` the accounts of whoever takes a seat."""

    def __init__(self, hub: Hub, nursery: trio.Nursery, log: io.StringIO) -> None:
        self.hub = hub
        self.log = log
        self.seated: dict[tuple[str, str], str] = {}
        self._nursery = nursery
        self._peers = 0

    def pipe(self, peer: str = "memory") -> trio.abc.Stream:
        """A client's end of a new connection."""
        ours, theirs = trio.testing.memory_stream_pair()
        self._nursery.start_soon(Connection(self.hub, StreamPipe(theirs, peer)).run)
        return ours

    async def client(self, token: str = "", name: str = "") -> Client:
        """A client that has said hello and logged in."""
        client = Client(self.pipe(), self.seated)
        await client.greet(token, name)
        return client

    async def stop(self) -> None:
        """Stop gracefully."""
        await stop_gracefully(self.hub, 5)


@asynccontextmanager
async def server(
    store: Any = None,
    *,
    seed: int = 1,
    limits: ServerLimits | None = None,
    tending: Tending | None = None,
    titles: Mapping[str, Title] | None = None,
    ambient: Ambient | None = None,
    data: Path = Path("/nonexistent"),
    signer: Signer | None = None,
    pulse: Pulse | None = None,
    tournaments: Any = None,
    snapshots: Snapshots | None = None,
) -> AsyncIterator[Server]:
    """A server on a store (one in memory by default); `data` is where its roles are kept, and
    `tournaments` the store of its tournaments (None for a process that has none), `snapshots` those
    beside its games."""
    log = io.StringIO()
    config = Config(data, limits=limits or ServerLimits(), tending=tending or Tending())
    signer = signer or Signer(SERVER_KEY)
    hub = make_hub(
        store if store is not None else MemoryStore(),
        titles or TITLES,
        ambient or SeededAmbient(seed),
        signer,
        tokens.digest(HOST_TOKEN),
        config,
        logs.logger("debug", log),
        pulse,
        snapshots=snapshots,
        giver="rig",
    )
    if tournaments is not None:
        host(hub, tournaments)
    async with trio.open_nursery() as nursery:
        await nursery.start(hub.supervisor.run)
        if hub.hosting is not None:
            await nursery.start(hub.hosting.run)
        nursery.start_soon(hub.flusher.run)
        nursery.start_soon(hub.watch_grants)
        nursery.start_soon(hub.tend)
        yield Server(hub, nursery, log)
        nursery.cancel_scope.cancel()


class Client:
    """Speaks messages, one request after the other. Records that come in between are kept in
    `records` by (game, audience). `account` is the id of the one that it is signed in to, and
    `seated` those of whoever has taken a seat, by (game, seat)."""

    def __init__(
        self, stream: trio.abc.Stream, seated: dict[tuple[str, str], str] | None = None
    ) -> None:
        self.stream = stream
        self.account = ""
        self.seated = {} if seated is None else seated
        self.session = Session(CLIENT)
        self.records: dict[tuple[str, str], list[tuple[int, bytes, bytes]]] = {}
        self.request = 0
        self.over = False
        self.hands: dict[tuple[str, str], Hand] = {}
        self.sent: dict[tuple[str, str, bytes], tuple[acts.Act, Any]] = {}

    async def greet(self, token: str = "", name: str = "") -> None:
        """Hello and Login."""
        assert type(await self.ask(m.Hello, m.VERSION, "test")) is m.Welcome
        assert type(await self.ask(m.Login, token, name)) is m.LoggedIn

    async def say(self, kind: Any, *fields: Any) -> int:
        """Send a request; returns its number."""
        self.request += 1
        await self.stream.send_all(self.session.send(kind(self.request, *fields)))
        return self.request

    async def ask(self, kind: Any, *fields: Any) -> Any:
        """Send a request and wait for its answer."""
        number = await self.say(kind, *fields)
        while True:
            message = await self.hear()
            assert message is not None, "the connection has ended"
            if getattr(message, "request", None) == number:
                if type(message) is m.LoggedIn:
                    own = [id for kind, id, _ in message.roles if kind == "account"]
                    self.account = own[0] if own else ""
                return message

    async def hear(self) -> Any:
        """The next message; records are noted as well. None at the end."""
        while True:
            message = self.session.next_message()
            if message is None:
                data = await self.stream.receive_some(65536)
                if not data:
                    self.over = True
                    return None
                self.session.receive_data(bytes(data))
                continue
            if type(message) is m.Records:
                got = self.records.setdefault((message.game, message.audience), [])
                got.extend(
                    (message.first_seq + index, *item) for index, item in enumerate(message.items)
                )
            return message

    async def until(self, key: tuple[str, str], seq: int) -> list[tuple[int, bytes, bytes]]:
        """Wait until the record of this number is there."""
        while not (self.records.get(key) and self.records[key][-1][0] >= seq):
            assert await self.hear() is not None
        return self.records[key]

    async def until_whole(self, key: tuple[str, str]) -> list[tuple[int, bytes, bytes]]:
        """Wait until the record is there that nothing follows."""
        while not closes_log(read(self.records[key][-1][1])):
            assert await self.hear() is not None
        return self.records[key]

    async def submit(
        self, game: str, seat: str, *picks: Any, id: bytes = b"", decision: int | None = None
    ) -> Any:
        """Submit a command for the decision that is open; one that was sent before goes out again
        byte for byte."""
        if decision is None:
            choices = await self.ask(m.Choices, game, seat, ())
            if type(choices) is not m.ChoicesAre:
                return choices
            decision = choices.decision
        id = id or f"{seat}{decision}".encode()
        act, private = self.sent.get((game, seat, id), (None, None))
        if act is None or act.body[0] != decision or private[0] != picks:
            act, private = await self.command(game, seat, *picks, id=id, decision=decision)
        return await self.send_act(game, act, private)

    async def command(
        self, game: str, seat: str, *picks: Any, id: bytes, decision: int
    ) -> tuple[acts.Act, Any]:
        """A signed command and what goes with it, not sent yet."""
        blind = hashlib.sha256(id).digest()
        hand = await self.hand(game, seat)
        digest = acts.picks_digest(hand.genesis, seat, decision, id, blind, picks)
        made = self.sent[game, seat, id] = (
            await self.sign(game, seat, acts.COMMAND, (decision, id, digest)),
            (picks, blind),
        )
        return made

    async def hand(self, game: str, seat: str) -> Hand:
        """What signs for a seat of a game: a key that its names give, so that any client of a test
        may sign for it."""
        found = self.hands.get((game, seat))
        if found is None:
            head = await self.ask(m.HeadOf, game, 0)
            found = self.hands[game, seat] = Hand(head.head.hash, seat, key_of(game, seat))
        return found

    async def act(
        self, game: str, seat: str, kind: str, body: tuple[Any, ...], private: Any = None
    ) -> Any:
        """Sign an act, having seen the newest record, and send it."""
        return await self.send_act(game, await self.sign(game, seat, kind, body), private)

    async def sign(self, game: str, seat: str, kind: str, body: tuple[Any, ...]) -> acts.Act:
        """Sign an act, having seen the newest record."""
        hand = await self.hand(game, seat)
        head = await self.ask(m.Head, game)
        assert type(head) is m.HeadIs, head
        # Whoever signed for the seat before did it with lower numbers: a record brings one act or
        # two.
        hand.n = max(hand.n, NUMBERS * head.head.seq)
        return hand.sign(kind, head.head.hash, body)

    async def ask_for(self, game: str, seat: str, what: str, to: int = 0) -> Any:
        """Ask for a takeback or a draw, or resign."""
        return await self.act(game, seat, acts.ASK, (what, to))

    async def consent(self, game: str, seat: str, ask: int, consents: bool = True) -> Any:
        """Answer the request that stands in record `ask`."""
        return await self.act(game, seat, acts.ANSWER, (ask, consents))

    async def order(self, game: str, seat: str, *orders: tuple[Any, ...]) -> Any:
        """Leave standing answers, in place of those there were."""
        hand = await self.hand(game, seat)
        blind = hashlib.sha256(f"orders {hand.n}".encode()).digest()
        digest = acts.orders_digest(hand.genesis, seat, blind, orders)
        return await self.act(game, seat, acts.ORDERS, (digest,), (orders, blind))

    async def send_act(self, game: str, act: acts.Act, private: Any = None) -> Any:
        """Send an act, signed before."""
        return await self.ask(
            m.Act,
            game,
            act.seat,
            act.kind,
            act.key,
            act.n,
            act.seen,
            act.body,
            act.signature,
            private,
        )


async def new_game(
    server: Server, *, delay_s: int = 0, turns: int = 10
) -> tuple[str, dict[str, str]]:
    """A game that waits for its players: its id and tokens."""
    host = await server.client(HOST_TOKEN)
    created = await host.ask(m.CreateGame, "counting", {"turns": turns}, delay_s)
    assert type(created) is m.Created, created
    return created.game, dict(created.tokens)


async def started(
    server: Server, *, delay_s: int = 0, turns: int = 10
) -> tuple[str, dict[str, str], Client]:
    """A game under way, with one client in both seats."""
    game, given = await new_game(server, delay_s=delay_s, turns=turns)
    client = await server.client(given["a"], "Anna")
    assert type(await client.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
    await sit_down(client, game)
    return game, given, client


async def on_the_clock(
    server: Server, *, turns: int = 10, epoch_turns: int = 1, **control: Any
) -> tuple[str, dict[str, str], Client]:
    """The same with clocks: a minute for each seat unless the control says otherwise."""
    host = await server.client(HOST_TOKEN)
    terms = {"clock": {"bank": 60_000, "fall": "loss", **control}}
    options = {"turns": turns, "epoch_turns": epoch_turns}
    created = await host.ask(m.OpenGame, "counting", options, terms)
    assert type(created) is m.Created, created
    given = dict(created.tokens)
    client = await server.client(given["a"], "Anna")
    assert type(await client.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
    await sit_down(client, created.game)
    return created.game, given, client


async def sit_down(client: Client, game: str) -> None:
    """Take both seats and go through the ceremony."""
    for seat in counting.SEATS:
        answer = await take(client, game, seat)
        assert type(answer) is m.Accepted, answer
    for seat in counting.SEATS:
        answer = await show_nonce(client, game, seat)
        assert type(answer) is m.Accepted, answer


NAMES = {"a": "Anna", "b": "Bert"}
"""What the players of the counting game are called in its log."""
NUMBERS = 16
"""Acts that one record can have seen signed for a seat before the next."""


def key_of(game: str, seat: str) -> SigningKey:
    """The key of a seat of a game in these tests."""
    return SigningKey(hashlib.sha256(f"{game} {seat}".encode()).digest())


def nonce_of(seat: str) -> bytes:
    """The nonce of a seat in these tests."""
    return hashlib.sha256(seat.encode()).digest()


async def take(client: Client, game: str, seat: str, name: str = "") -> Any:
    """Take a seat."""
    hand = await client.hand(game, seat)
    hashed = dice.bound_nonce_hash(hand.genesis, seat, nonce_of(seat))
    client.seated[game, seat] = client.account
    body = client.account, name or NAMES.get(seat, seat), hashed, "test"
    return await client.act(game, seat, acts.TAKEN, body)


async def show_nonce(client: Client, game: str, seat: str) -> Any:
    """Show a seat's nonce."""
    hand = await client.hand(game, seat)
    entries = [
        (
            other,
            client.seated.get((game, other), ""),
            NAMES[other],
            key_of(game, other).verify_key.encode(),
            dice.bound_nonce_hash(hand.genesis, other, nonce_of(other)),
        )
        for other in counting.SEATS
    ]
    return await client.act(
        game, seat, acts.NONCE, (nonce_of(seat), acts.roster_hash(hand.genesis, entries))
    )


def gapless(records: list[tuple[int, bytes, bytes]], first: int = 0) -> bool:
    """Whether each record comes once and in order."""
    return [seq for seq, _, _ in records] == list(range(first, first + len(records)))


def certified(folder: Path) -> ssl.SSLContext:
    """Write a certificate for localhost and its key into the folder, as cert.pem and key.pem; the
    context of a client that trusts it."""
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    for blob in issued.cert_chain_pems:
        blob.write_to_path(folder / "cert.pem", append=True)
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context
