"""Server, clients, store and network in one process from one seed, under trio's mock clock, with crashes.

A run plays games between bots while the server is killed again and again at a random call to the disk: between append, sync and publish.
What the disk then holds is what a kill or a power failure leaves. Bots and spectators reconnect and resume. Afterwards nothing that was
acknowledged may be missing and every audience's chain must verify; and the same seed must give the same logs.
"""

from __future__ import annotations

import hashlib
import random
from contextlib import suppress
from typing import Any

import trio
import trio.testing
from attrs import define, field

from engine.kernel import replay
from engine.runtime.live import split
from engine.store.faulty import Call, Delayed, FaultyDisk
from engine.store.memorydisk import MemoryDisk
from engine.store.wal import open_store
from protocol import chain, dice
from protocol import messages as m
from protocol.seal import unpack_openings
from tests.serve.rig import HOST_TOKEN, Client, Server, gapless, server
from tests.toys import counting

SEATS = ("a", "b")


class Crashed(BaseException):
    """The simulated process has died."""


@define(eq=False)
class _Killer:
    """Kills the process at a call to the disk, and at any later one: the dead write nothing."""

    calls_left: int

    def __call__(self, call: Call) -> None:
        self.calls_left -= 1
        if self.calls_left <= 0:
            raise Crashed


@define(eq=False)
class Acknowledged:
    """What players were told is safe: record number and head by command id."""

    accepted: dict[tuple[str, bytes], m.Accepted] = field(factory=dict)


@define(eq=False)
class World:
    """One simulated run."""

    seed: int
    games: int = 3
    crashes: int = 6
    turns: int = 10
    disk: MemoryDisk = field(factory=MemoryDisk)
    server: Server | None = None
    up: trio.Event = field(factory=trio.Event)
    told: Acknowledged = field(factory=Acknowledged)
    seen: dict[tuple[str, str], list[tuple[int, bytes, bytes]]] = field(factory=dict)
    ended: set[str] = field(factory=set)
    tokens: dict[str, dict[str, str]] = field(factory=dict)
    crashed: int = 0
    done: bool = False
    rng: random.Random = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    async def run(self) -> None:
        """Play all games to their end through the crashes, then one more start and the checks."""
        with trio.fail_after(50_000):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._serve)
                for _ in range(self.games):
                    await self._new_game()
                for game in self.tokens:
                    for seat in SEATS:
                        nursery.start_soon(self._play, game, seat, self._fork())
                    for audience in ("public", *SEATS):
                        nursery.start_soon(self._watch, game, audience, self._fork())
                while len(self.ended) < len(self.tokens):  # noqa: ASYNC110 - the mock clock makes polling free
                    await trio.sleep(1)
                await trio.sleep(30)
                nursery.cancel_scope.cancel()
            self.done = True
        await self._check()

    def _fork(self) -> random.Random:
        return random.Random(self.rng.random())

    # --- the server ---------------------------------------------------------------------------------------------------------

    async def _serve(self) -> None:
        """Start the server; when it is killed, start it again on what the disk holds."""
        rng = self._fork()
        while True:
            calls_left = rng.randint(12, 60) if self.crashed < self.crashes else 10**9
            faulty = FaultyDisk(self.disk, on_call=_Killer(calls_left))
            delays = random.Random(rng.random())
            delayed = Delayed(lambda delays=delays: delays.choice((0.0, 0.001, 0.02)))  # type: ignore[misc]
            try:
                async with (
                    open_store(faulty, run=delayed, random_bytes=random.Random(rng.random()).randbytes, segment_bytes=30_000) as store,
                    server(store, seed=rng.randrange(10**6)) as running,
                ):
                    self.server = running
                    self.up.set()
                    await trio.sleep_forever()
            except BaseException as error:
                if not _was_crash(error):
                    raise
            self.server = None
            if self.up.is_set():
                self.up = trio.Event()
            self.crashed += 1
            self.disk = self.disk.after_power_loss(rng) if rng.random() < 0.6 else self.disk.after_kill()
            await trio.sleep(rng.random() * 3)

    async def _new_game(self) -> None:
        while True:
            with suppress(_Gone):
                host = await self._connect(HOST_TOKEN, self.rng)
                created = await _ask(host, m.CreateGame, "counting", {"turns": self.turns}, 0)
                if type(created) is m.Created:
                    self.tokens[created.game] = dict(created.tokens)
                    return
            await trio.sleep(0.5)

    async def _connect(self, token: str, rng: random.Random) -> Client:
        while True:
            await self.up.wait()
            await trio.sleep(rng.random() * 0.1)
            running = self.server
            if running is None:
                continue
            try:
                client = Client(running.pipe())
                assert type(await _ask(client, m.Hello, 1, "sim")) is m.Welcome
                assert type(await _ask(client, m.Login, token, "")) is m.LoggedIn
            except (_Gone, RuntimeError):  # the server died while we came
                await trio.sleep(0.2)
                continue
            return client

    # --- players ------------------------------------------------------------------------------------------------------------

    async def _play(self, game: str, seat: str, rng: random.Random) -> None:
        """Play a seat to the end; a command whose fate is unknown is sent again with the same id."""
        nonce = hashlib.sha256(f"{self.seed}{game}{seat}".encode()).digest()
        pending: tuple[int, tuple[Any, ...], bytes] | None = None
        number = 0
        while game not in self.ended:
            client = await self._connect(self.tokens[game][seat], rng)
            try:
                await _ask(client, m.TakeSeat, game, seat, dice.nonce_hash(game, seat, nonce))
                while type(await _ask(client, m.Nonce, game, seat, nonce)) is not m.Accepted and game not in self.ended:
                    head = (await _ask(client, m.Head, game)).head
                    if head.seq > 4:
                        break
                    await trio.sleep(0.3)
                while game not in self.ended:
                    await trio.sleep(rng.random() * 0.05)
                    if pending is None:
                        picked = await self._pick(client, game, seat, rng)
                        if picked is None:
                            await trio.sleep(0.05)
                            continue
                        number += 1
                        pending = (*picked, f"{seat}{number}".encode())
                    decision, picks, id = pending
                    answer = await _ask(client, m.Submit, game, seat, decision, b"", picks, id)
                    if type(answer) is m.Accepted:
                        before = self.told.accepted.setdefault((game, id), answer)
                        assert before.seq == answer.seq, "one command became two"
                        pending = None
                    elif type(answer) is m.Refused:
                        assert (game, id) not in self.told.accepted
                        assert answer.refusal.key in ("refusal.stale", "refusal.not_asked", "refusal.game_over"), answer
                        pending = None
                    if rng.random() < 0.05:
                        await client.stream.aclose()
                        raise _Gone
            except _Gone:
                await trio.sleep(rng.random())

    async def _pick(self, client: Client, game: str, seat: str, rng: random.Random) -> tuple[int, tuple[Any, ...]] | None:
        picks: tuple[Any, ...] = ()
        while True:
            found = await _ask(client, m.Choices, game, seat, picks)
            if type(found) is not m.ChoicesAre:
                if type(found) is m.Refused and found.refusal.key == "refusal.game_over":
                    self.ended.add(game)
                return None
            if found.choices.is_end:
                return found.decision, picks
            picks = (*picks, rng.randint(*found.choices.span) if found.choices.span else rng.choice(found.choices.options).id)

    async def _watch(self, game: str, audience: str, rng: random.Random) -> None:
        """Follow a game, dropping the connection at random, resuming where it broke."""
        got = self.seen.setdefault((game, audience), [])
        token = self.tokens[game].get(audience, "")
        while True:
            client = await self._connect(token, rng)
            client.records[game, audience] = got
            try:
                subscribed = await _ask(client, m.Subscribe, game, len(got) - 1, audience)
                if type(subscribed) is m.Error:
                    assert subscribed.code != "no_such_record", "a record that was shown has gone"
                    raise _Gone
                patience = rng.random() * 20
                with trio.move_on_after(patience):
                    while await _hear(client) is not None:
                        pass
                await client.stream.aclose()
            except _Gone:
                pass
            await trio.sleep(rng.random())

    # --- afterwards ---------------------------------------------------------------------------------------------------------

    async def _check(self) -> None:
        async with open_store(self.disk.after_kill(), run=Delayed(lambda: 0.0), random_bytes=random.Random(1).randbytes) as store:
            for game in self.tokens:
                payloads, openings = split(store.read(game))
                log = list(chain.follow(payloads))
                replayed = replay.fold(counting.RULES, log, openings)
                assert replayed.position.outcome is not None
                for (name, id), answer in self.told.accepted.items():
                    if name == game:
                        record = log[answer.seq]
                        assert (record.kind, record.body[3]) == ("command", id), "an acknowledged command is missing"
                        assert log[answer.head.seq].hash == answer.head.hash
                        assert chain.head_is_signed_by(bytes(log[0].body[12]), answer.head)
                for audience in ("public", *SEATS):
                    got = self.seen[game, audience]
                    assert gapless(got)
                    assert [data for _, data, _ in got] == payloads, f"{audience} has {len(got)} of {len(payloads)}"
                    for seq, _, blob in got:
                        mine = tuple(opening for opening in openings.get(seq, ()) if audience in opening.readers)
                        assert (unpack_openings(blob) if blob else ()) == mine

    @property
    def digest(self) -> str:
        """A fingerprint of all that was seen."""
        total = hashlib.sha256()
        for key in sorted(self.seen):
            for _, data, blob in self.seen[key]:
                total.update(data + blob)
        return total.hexdigest()


class _Gone(Exception):
    """The connection is over."""


async def _hear(client: Client) -> Any:
    try:
        return await client.hear()
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        raise _Gone from None


async def _ask(client: Client, kind: Any, *fields: Any) -> Any:
    try:
        number = await client.say(kind, *fields)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        raise _Gone from None
    while True:
        message = await _hear(client)
        if message is None or type(message) is m.Goodbye:
            raise _Gone
        if getattr(message, "request", None) == number:
            return message


def _was_crash(error: BaseException) -> bool:
    """Whether the simulated death is all that happened."""
    if isinstance(error, BaseExceptionGroup):
        return error.split(Crashed)[1] is None
    return isinstance(error, Crashed)
