"""Server, clients, store and network in one process from one seed, under trio's mock clock, with
crashes.

A run plays games between bots while the server is killed again and again at a random call to the
disk: between append, sync and publish. What the disk then holds is what a kill or a power failure
leaves. Bots and spectators reconnect and resume. Afterwards nothing that was acknowledged may be
missing and every audience's chain must verify; and the same seed must give the same logs.
"""

from __future__ import annotations

import hashlib
import random
from contextlib import suppress
from typing import Any

import trio
import trio.testing
from attrs import define, field
from nacl.signing import SigningKey

from tests.serve.rig import HOST_TOKEN, SERVER_KEY, Client, Server, gapless, server
from tests.toys import counting
from warledger.engine.kernel import replay
from warledger.engine.runtime.game.live import split
from warledger.engine.store.files.wal import open_store
from warledger.engine.testing.faulty import Call, Delayed, FaultyDisk
from warledger.engine.testing.memorydisk import MemoryDisk
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import unpack_openings
from warledger.protocol.log import chain
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act, Hand
from warledger.protocol.wire import messages as m

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
    """What players were told is safe: record number and head by game and act's hash; and what was
    declined, by act's hash."""

    accepted: dict[tuple[str, bytes], m.Accepted] = field(factory=dict)
    declined: dict[bytes, m.Declined] = field(factory=dict)


@define(eq=False)
class _Seat:
    """What a seat's player keeps through every crash: its key, its nonce, what is left of the
    ceremony, the act whose fate is unknown."""

    game: str
    seat: str
    seed: int
    hand: Hand | None = None
    pending: tuple[Act, Any] | None = None
    number: int = 0
    ceremony: list[Any] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.ceremony = [self.show_nonce, self.take]

    @property
    def key(self) -> SigningKey:
        """What the seat signs with."""
        return _key(self.game, self.seat)

    def nonce(self, seat: str) -> bytes:
        """A seat's part of the dice."""
        return hashlib.sha256(f"{self.seed}{self.game}{seat}".encode()).digest()

    def take(self, hand: Hand, seen: bytes) -> Act:
        """Take the seat."""
        return hand.sign(
            acts.TAKEN,
            seen,
            (
                "",
                self.seat,
                dice.bound_nonce_hash(hand.genesis, self.seat, self.nonce(self.seat)),
                "sim",
            ),
        )

    def show_nonce(self, hand: Hand, seen: bytes) -> Act:
        """Show the nonce."""
        entries = [
            (
                seat,
                "",
                seat,
                _key(self.game, seat).verify_key.encode(),
                dice.bound_nonce_hash(hand.genesis, seat, self.nonce(seat)),
            )
            for seat in SEATS
        ]
        return hand.sign(
            acts.NONCE, seen, (self.nonce(self.seat), acts.roster_hash(hand.genesis, entries))
        )

    def command(self, seen: bytes, decision: int, picks: tuple[Any, ...]) -> tuple[Act, Any]:
        """Sign a command; with it goes what the server alone hears."""
        assert self.hand is not None
        self.number += 1
        id = f"{self.seat}{self.number}".encode()
        blind = hashlib.sha256(id).digest()
        digest = acts.picks_digest(self.hand.genesis, self.seat, decision, id, blind, picks)
        return self.hand.sign(acts.COMMAND, seen, (decision, id, digest)), (picks, blind)


def _key(game: str, seat: str) -> SigningKey:
    return SigningKey(hashlib.sha256(f"{game} {seat}".encode()).digest())


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

    # --- the server -------------------------------------------------------------------------------

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
                    open_store(
                        faulty,
                        run=delayed,
                        random_bytes=random.Random(rng.random()).randbytes,
                        segment_bytes=30_000,
                    ) as store,
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
            self.disk = (
                self.disk.after_power_loss(rng) if rng.random() < 0.6 else self.disk.after_kill()
            )
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
                assert type(await _ask(client, m.Hello, m.VERSION, "sim")) is m.Welcome
                assert type(await _ask(client, m.Login, token, "")) is m.LoggedIn
            except (_Gone, RuntimeError):  # the server died while we came
                await trio.sleep(0.2)
                continue
            return client

    # --- players ----------------------------------------------------------------------------------

    async def _play(self, game: str, seat: str, rng: random.Random) -> None:
        """Play a seat to the end; an act whose fate is unknown is sent again byte for byte."""
        player = _Seat(game, seat, self.seed)
        while game not in self.ended:
            client = await self._connect(self.tokens[game][seat], rng)
            try:
                while game not in self.ended:
                    await trio.sleep(rng.random() * 0.05)
                    if player.pending is None and not await self._next(client, player, rng):
                        await trio.sleep(0.05)
                        continue
                    await self._send(client, player)
                    if rng.random() < 0.05:
                        await client.stream.aclose()
                        raise _Gone
            except _Gone:
                await trio.sleep(rng.random())

    async def _next(self, client: Client, player: _Seat, rng: random.Random) -> bool:
        """Sign what the seat does next. False when there is nothing to do now."""
        head = (await _ask(client, m.Head, player.game)).head
        if player.hand is None:
            genesis = (await _ask(client, m.HeadOf, player.game, 0)).head.hash
            player.hand = Hand(genesis, player.seat, player.key)
        if player.ceremony:
            player.pending = player.ceremony.pop()(player.hand, head.hash), None
            return True
        picked = await self._pick(client, player.game, player.seat, rng)
        if picked is None:
            return False
        # What is signed has seen the question.
        head = (await _ask(client, m.Head, player.game)).head
        player.pending = player.command(head.hash, *picked)
        return True

    async def _send(self, client: Client, player: _Seat) -> None:
        assert player.pending is not None
        game, (act, private) = player.game, player.pending
        answer = await _ask(
            client,
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
        if type(answer) is m.Accepted:
            assert act.hash not in self.told.declined, "a declined act stands"
            before = self.told.accepted.setdefault((game, act.hash), answer)
            assert before.seq == answer.seq, "one act became two"
            player.pending = None
        elif type(answer) is m.Declined:
            assert (game, act.hash) not in self.told.accepted, "an act that stands was declined"
            signed = acts.refusal_bytes(act.hash, answer.seq, answer.hash)
            assert answer.act == act.hash and acts.verify(
                SERVER_KEY.verify_key.encode(), signed, answer.signature
            )
            self.told.declined[act.hash] = answer
            player.pending = None
            # Declined as early and then, sent again after a crash, because its number is spent: it
            # is signed anew.
            if act.kind == acts.NONCE and answer.refusal.key in (
                "refusal.nonce_early",
                "refusal.act_number",
            ):
                player.ceremony.append(player.show_nonce)
            else:
                assert answer.refusal.key in (
                    "refusal.stale",
                    "refusal.not_asked",
                    "refusal.game_over",
                ), answer

    async def _pick(
        self, client: Client, game: str, seat: str, rng: random.Random
    ) -> tuple[int, tuple[Any, ...]] | None:
        picks: tuple[Any, ...] = ()
        while True:
            found = await _ask(client, m.Choices, game, seat, picks)
            if type(found) is not m.ChoicesAre:
                if type(found) is m.Refused and found.refusal.key == "refusal.game_over":
                    self.ended.add(game)
                return None
            if found.choices.is_end:
                return found.decision, picks
            picks = (
                *picks,
                rng.randint(*found.choices.span)
                if found.choices.span
                else rng.choice(found.choices.options).id,
            )

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

    # --- afterwards -------------------------------------------------------------------------------

    async def _check(self) -> None:
        async with open_store(
            self.disk.after_kill(),
            run=Delayed(lambda: 0.0),
            random_bytes=random.Random(1).randbytes,
        ) as store:
            for game in self.tokens:
                payloads, openings = split(store.read(game))
                log = list(chain.follow(payloads))
                replayed = replay.fold(counting.RULES, log, openings)
                assert replayed.position.outcome is not None
                stands = {
                    act.hash: record
                    for record in log[1:]
                    for act in acts.acts_of(log[0].hash, record)
                }
                assert not stands.keys() & self.told.declined.keys(), (
                    "a declined act stands in the log"
                )
                for (name, act), answer in self.told.accepted.items():
                    if name == game:
                        assert stands[act].seq == answer.seq, "an acknowledged act is missing"
                        assert log[answer.head.seq].hash == answer.head.hash
                        assert chain.head_is_signed_by(bytes(log[0].body[12]), answer.head)
                for audience in ("public", *SEATS):
                    got = self.seen[game, audience]
                    assert gapless(got)
                    assert [data for _, data, _ in got] == payloads, (
                        f"{audience} has {len(got)} of {len(payloads)}"
                    )
                    for seq, _, blob in got:
                        mine = tuple(
                            opening
                            for opening in openings.get(seq, ())
                            if audience in opening.readers
                        )
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
