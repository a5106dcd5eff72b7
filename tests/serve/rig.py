"""A server inside the test, its clients over memory streams; and a plain client that speaks messages."""

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

from engine.runtime import tokens
from engine.runtime.ambient import SeededAmbient
from engine.runtime.answers import Signer
from engine.runtime.supervisor import Tending
from engine.runtime.titles import Title
from engine.serve import logs
from engine.serve.app import make_hub, stop_gracefully
from engine.serve.config import Config, Limits
from engine.serve.connection import Connection
from engine.serve.hub import Hub
from engine.serve.tcp import StreamPipe
from engine.store.memory import MemoryStore
from protocol import dice
from protocol import messages as m
from protocol.messages import CLIENT
from protocol.session import Session
from tests.toys import counting

HOST_TOKEN = "host:" + "h" * 43
TITLES = {"counting": Title(counting.RULES, counting.PACK, bytes(32))}


class Server:
    """A hub that runs. `log` gathers its own log."""

    def __init__(self, hub: Hub, nursery: trio.Nursery, log: io.StringIO) -> None:
        self.hub = hub
        self.log = log
        self._nursery = nursery
        self._peers = 0

    def pipe(self, peer: str = "memory") -> trio.abc.Stream:
        """A client's end of a new connection."""
        ours, theirs = trio.testing.memory_stream_pair()
        self._nursery.start_soon(Connection(self.hub, StreamPipe(theirs, peer)).run)
        return ours

    async def client(self, token: str = "", name: str = "") -> Client:
        """A client that has said hello and logged in."""
        client = Client(self.pipe())
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
    limits: Limits | None = None,
    tending: Tending | None = None,
    titles: Mapping[str, Title] | None = None,
    data: Path = Path("/nonexistent"),
) -> AsyncIterator[Server]:
    """A server on a store (one in memory by default); `data` is where its roles are kept."""
    log = io.StringIO()
    config = Config(data, limits=limits or Limits(), tending=tending or Tending())
    signer = Signer(SigningKey(hashlib.sha256(b"key").digest()))
    hub = make_hub(
        store if store is not None else MemoryStore(),
        titles or TITLES,
        SeededAmbient(seed),
        signer,
        tokens.digest(HOST_TOKEN),
        config,
        logs.logger("debug", log),
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(hub.supervisor.run)
        nursery.start_soon(hub.flusher.run)
        nursery.start_soon(hub.watch_grants)
        nursery.start_soon(hub.tend)
        yield Server(hub, nursery, log)
        nursery.cancel_scope.cancel()


class Client:
    """Speaks messages, one request after the other. Records that come in between are kept in `records` by (game, audience)."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.session = Session(CLIENT)
        self.records: dict[tuple[str, str], list[tuple[int, bytes, bytes]]] = {}
        self.request = 0
        self.over = False

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
                got.extend((message.first_seq + index, *item) for index, item in enumerate(message.items))
            return message

    async def until(self, key: tuple[str, str], seq: int) -> list[tuple[int, bytes, bytes]]:
        """Wait until the record of this number is there."""
        while not (self.records.get(key) and self.records[key][-1][0] >= seq):
            assert await self.hear() is not None
        return self.records[key]

    async def submit(self, game: str, seat: str, *picks: Any, id: bytes = b"", decision: int | None = None) -> Any:
        """Submit a command for the decision that is open."""
        if decision is None:
            choices = await self.ask(m.Choices, game, seat, ())
            if type(choices) is not m.ChoicesAre:
                return choices
            decision = choices.decision
        return await self.ask(m.Submit, game, seat, decision, b"", picks, id or f"{seat}{decision}".encode())


async def new_game(server: Server, *, delay_s: int = 0, turns: int = 10) -> tuple[str, dict[str, str]]:
    """A game that waits for its players: its id and tokens."""
    host = await server.client(HOST_TOKEN)
    created = await host.ask(m.CreateGame, "counting", {"turns": turns}, delay_s)
    assert type(created) is m.Created, created
    return created.game, dict(created.tokens)


async def started(server: Server, *, delay_s: int = 0, turns: int = 10) -> tuple[str, dict[str, str], Client]:
    """A game under way, with one client in both seats."""
    game, given = await new_game(server, delay_s=delay_s, turns=turns)
    client = await server.client(given["a"], "Anna")
    assert type(await client.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
    await sit_down(client, game)
    return game, given, client


async def sit_down(client: Client, game: str) -> None:
    """Take both seats and go through the ceremony."""
    for seat in counting.SEATS:
        nonce = hashlib.sha256(seat.encode()).digest()
        answer = await client.ask(m.TakeSeat, game, seat, dice.nonce_hash(game, seat, nonce))
        assert type(answer) is m.Seated, answer
    for seat in counting.SEATS:
        answer = await client.ask(m.Nonce, game, seat, hashlib.sha256(seat.encode()).digest())
        assert type(answer) is m.Accepted, answer


def gapless(records: list[tuple[int, bytes, bytes]], first: int = 0) -> bool:
    """Whether each record comes once and in order."""
    return [seq for seq, _, _ in records] == list(range(first, first + len(records)))


def offer() -> Mapping[str, Title]:
    """The tests' titles, for processes that make their own."""
    return TITLES


def certified(folder: Path) -> ssl.SSLContext:
    """Write a certificate for localhost and its key into the folder, as cert.pem and key.pem; the context of a client that trusts it."""
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    for blob in issued.cert_chain_pems:
        blob.write_to_path(folder / "cert.pem", append=True)
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context
