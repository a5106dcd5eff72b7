"""Games over months on one server, from one seed, in seconds: with days off, nights, pauses,
claims, an arbiter who comes by now and then, notifications, and a server that is killed.

Time is trio's mock clock. The store is a disk in memory, of which a kill leaves what was synced;
the accounts are a real SQLite file. Afterwards every game's file audits sound, no flag fell in or
by an outage, every ruling stands whole, and no matter was sent under two keys.
"""

from __future__ import annotations

import hashlib
import random
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import trio
import trio.testing
from attrs import define, field

from tests.serve.games.test_clocks import Kept, assert_sound, logged
from tests.serve.rig import HOST_TOKEN, Client, Server, server, show_nonce, take
from tests.simulate.world import Crashed, _Gone, _Killer, _was_crash
from warledger.engine.desk import accounts, database, notificationpreferences
from warledger.engine.desk.outbox import Message
from warledger.engine.desk.webhook import NotPosted
from warledger.engine.runtime import metrics
from warledger.engine.runtime.supervisor import Tending
from warledger.engine.serve import hub
from warledger.engine.serve.people.notifications import Notifier
from warledger.engine.store.files.wal import open_store
from warledger.engine.testing.fakeambient import SeededAmbient
from warledger.engine.testing.faulty import Delayed, FaultyDisk
from warledger.engine.testing.memorydisk import MemoryDisk
from warledger.protocol.clocks.clockcontrol import DAY_MS, HOUR_MS
from warledger.protocol.clocks.clockfold import Fold
from warledger.protocol.log import bodies, deskbodies, docket, records
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
SEATS: Final = ("a", "b")
HANDLES: Final = {"a": "Pia", "b": "Quin"}
ONCE: Final = ("decision", "ask", "claim", "ruling", "over")
"""Kinds of matters that are notified once; low time may be notified again once it was not low."""

PACES: Final[tuple[dict[str, Any], ...]] = (
    {"clock": {"bank": 2 * DAY_MS, "turn": 6 * HOUR_MS, "cap": 3 * DAY_MS, "fall": "loss"}},
    {
        "clock": {
            "bank": 2 * DAY_MS,
            "each": 8 * HOUR_MS,
            "cap": 5 * DAY_MS,
            "free": HOUR_MS,
            "free_turn": 4 * HOUR_MS,
            "fall": "claim",
            "nights": 10,
            "leave_days": 14,
        },
        "desk": [[], {"stop": "claim"}],
        "protest_ms": 2 * DAY_MS,
    },
    {
        "clock": {"bank": 2 * DAY_MS, "turn": 8 * HOUR_MS, "fall": "freeze", "nights": 8},
        "desk": [["Ann"], {"stop": "heard"}],
    },
)


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return {key: _frozen(one) for key, one in value.items()}
    return value


@define(eq=False)
class Months:
    """One simulated run in a folder for its accounts. `days` bounds it: what is not over by then is
    looked at as it stands."""

    seed: int
    folder: Path
    days: float = 60
    disk: MemoryDisk = field(factory=MemoryDisk)
    pulse: Kept = field(factory=Kept)
    server: Server | None = None
    up: trio.Event = field(factory=trio.Event)
    tokens: dict[str, dict[str, str]] = field(factory=dict)
    devices: dict[str, str] = field(factory=dict)
    hands: dict[tuple[str, str], Any] = field(factory=dict)
    keys: dict[tuple[Any, ...], set[str]] = field(factory=dict)
    sent: list[str] = field(factory=list)
    away: list[tuple[int, int]] = field(factory=list)
    logs: dict[str, list[records.Record]] = field(factory=dict)
    kills: int = 0
    rng: random.Random = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def _fork(self) -> random.Random:
        return random.Random(self.rng.random())

    async def run(self) -> None:
        """Play until everything is over or the time is; then look at what is left."""
        lives, host, arbiter = self._fork(), self._fork(), self._fork()
        players = {(n, seat): self._fork() for n in range(len(PACES)) for seat in SEATS}
        with trio.fail_after(400 * DAY):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._serve, lives, False)
                await self._begin(host)
                for n, game in enumerate(self.tokens):
                    for seat in SEATS:
                        nursery.start_soon(self._play, game, seat, players[n, seat])
                nursery.start_soon(self._arbiter, arbiter)
                await trio.sleep(self.days * DAY)
                nursery.cancel_scope.cancel()
        self.server = None
        self.up = trio.Event()
        await self._serve(lives, True)

    # --- the server -------------------------------------------------------------------------------

    async def _serve(self, rng: random.Random, last: bool) -> None:
        """Start the server; when it is killed, start it again on what the disk holds. The `last`
        life is only looked at."""
        while True:
            killer = _Killer(10**9)
            faulty = FaultyDisk(self.disk, on_call=killer)
            fell = self.pulse.at_ms
            try:
                async with open_store(
                    faulty,
                    run=Delayed(lambda: 0.0),
                    random_bytes=random.Random(rng.random()).randbytes,
                    segment_bytes=30_000,
                ) as store:
                    ambient = SeededAmbient(rng.randrange(10**6))
                    tending = Tending(every=DAY, look=HOUR / 4)
                    async with server(
                        store, data=self.folder, ambient=ambient, tending=tending, pulse=self.pulse
                    ) as running:
                        if fell:
                            self.away.append((fell, ambient.now_ms()))
                        await self._live(running, killer, rng, last)
                        return
            except BaseException as error:
                if not _was_crash(error):
                    raise
            self.server = None
            if self.up.is_set():
                self.up = trio.Event()
            self.kills += 1
            self.disk = self.disk.after_kill()
            await trio.sleep(rng.choice((5, 600, 9 * HOUR, 30 * HOUR)) * rng.random())

    async def _live(self, running: Server, killer: _Killer, rng: random.Random, last: bool) -> None:
        if last:
            await trio.sleep(HOUR)
            await self._check(running)
            return
        notifier = running.hub.notifier = Recording(running.hub)
        notifier.posted = lambda message, lines, now_ms: self._posted(rng, message, lines, now_ms)
        async with trio.open_nursery() as nursery:

            async def tell() -> None:
                while True:
                    await trio.sleep(HOUR)
                    await notifier.look()
                    await notifier.send()

            nursery.start_soon(tell)
            self.server = running
            self.up.set()
            await trio.sleep(rng.uniform(1, 8) * DAY)
            killer.calls_left = 0  # the dead write nothing
            raise Crashed

    async def _posted(
        self, rng: random.Random, message: Message, lines: list[str], now_ms: int
    ) -> None:
        """A webhook that is slow, so that a kill may come meanwhile, and sometimes refuses."""
        for one in message.notices:
            if one.kind in ONCE:
                row = (message.account, one.kind, one.game, one.seat, one.number)
                self.keys.setdefault(row, set()).add(message.key)
        self.sent.append(f"{message.key} {now_ms} {lines}")
        await trio.sleep(rng.random() * 2 * HOUR)
        if rng.random() < 0.1:
            raise NotPosted("refused")

    async def _begin(self, rng: random.Random) -> None:
        await self.up.wait()
        running = self.server
        assert running is not None
        people = running.hub.people
        for seat, handle in HANDLES.items():
            id = await people.write(
                lambda at, h=handle: accounts.create(at, people.world, "rig", h)
            )
            self.devices[seat] = await people.write(
                lambda at, id=id: accounts.add_device(at, people.world, id, "sim", kept=True)
            )
            await people.write(
                lambda at, id=id: notificationpreferences.set_way(
                    at,
                    people.world,
                    id,
                    notificationpreferences.WEBHOOK,
                    "https://hooks.example.org/x",
                    "json",
                )
            )
        host = await running.client(HOST_TOKEN, "Ann")
        for terms in PACES:
            made = await host.ask(m.OpenGame, "counting", {"turns": 50}, _frozen(terms))
            assert type(made) is m.Created, made
            self.tokens[made.game] = dict(made.tokens)
        for game, given in self.tokens.items():
            for step in (take, show_nonce):
                for seat in SEATS:
                    client = await self._client(game, seat, given[seat])
                    assert type(await step(client, game, seat)) is m.Accepted
                    await client.stream.aclose()

    async def _client(self, game: str, seat: str, token: str, name: str = "") -> Client:
        """A client of somebody, once the server is there."""
        while True:
            await self.up.wait()
            await trio.sleep(0.1)
            running = self.server
            if running is None:
                continue
            try:
                client = Client(running.pipe(), running.seated)
                await client.greet(token, name)
                if seat in SEATS:
                    answer = await client.ask(m.Login, self.devices[seat], HANDLES[seat])
                    assert type(answer) is m.LoggedIn, answer
                    client.hands = self.hands
            except (trio.BrokenResourceError, trio.ClosedResourceError, RuntimeError):
                await trio.sleep(60)
                continue
            return client

    # --- people -----------------------------------------------------------------------------------

    async def _play(self, game: str, seat: str, rng: random.Random) -> None:
        """Come by every few hours, sometimes after days, and do one thing or two."""
        night = False
        while True:
            await trio.sleep(
                rng.choice((2, 8, 16, 24, 24, 160 * rng.random())) * HOUR * rng.random()
            )
            with suppress(_Gone, trio.BrokenResourceError, trio.ClosedResourceError, Dead):
                client = await self._client(game, seat, self.tokens[game][seat])
                if not night:
                    night = type(await self._clock(client, game, seat, "night", 1320, 480)) is (
                        m.Accepted
                    )
                await self._once(client, game, seat, rng)
                await client.stream.aclose()

    async def _once(self, client: Client, game: str, seat: str, rng: random.Random) -> None:
        running = self.server
        if running is None:
            return
        log = logged(running, game)
        now, what = running.hub.supervisor.ambient.now_ms(), rng.random()
        if what < 0.05:
            await self._clock(
                client, game, seat, "leave", now + HOUR_MS, now + rng.randint(1, 3) * DAY_MS
            )
        elif what < 0.1:
            await self._heard(client.ask_for(game, seat, "pause", now + DAY_MS))
        elif what < 0.2:
            n = 1 + sum(one.kind == records.RULING and one.body[0] == "claim" for one in log)
            body = ("claim", n, seat, log[-1].seq, "9.2", "Look at that.")
            await self._heard(client.act(game, seat, acts.RULING, body))
        elif what < 0.24:
            await self._heard(client.act(game, seat, acts.RULING, ("withdrawn", 1)))
        elif what < 0.28:
            await self._heard(client.ask_for(game, seat, "flag"))
        asks = [one for one in log if one.kind == records.ASK]
        if asks:
            await self._heard(client.consent(game, seat, asks[-1].seq, rng.random() < 0.7))
        picks = rng.choice((("pass",), ("add", 3), ("roll",)))
        await self._heard(client.submit(game, seat, *picks))

    async def _clock(self, client: Client, game: str, seat: str, *body: Any) -> Any:
        return await self._heard(client.act(game, seat, acts.CLOCK, (body[0], seat, *body[1:])))

    async def _heard(self, asked: Any) -> Any:
        """What the server answers, unless it dies meanwhile."""
        answer = None
        with trio.move_on_after(HOUR):
            answer = await asked
        if answer is None:
            raise Dead
        return answer

    async def _arbiter(self, rng: random.Random) -> None:
        """Ann looks at the docket of each game now and then, and rules."""
        while True:
            await trio.sleep(rng.uniform(4, 40) * HOUR)
            for game in self.tokens:
                with suppress(_Gone, trio.BrokenResourceError, trio.ClosedResourceError, Dead):
                    client = await self._client(game, "", HOST_TOKEN, "Ann")
                    await self._rule(client, game, rng)
                    await client.stream.aclose()

    async def _rule(self, client: Client, game: str, rng: random.Random) -> None:
        running = self.server
        if running is None:
            return
        live = running.hub.supervisor.games[game].profile.progress.docket
        for case in live.cases:
            n = case.n

            async def writes(*body: Any) -> Any:
                return await self._heard(client.ask(m.Rule, game, body, ()))

            if case.frozen and not case.open:
                await writes("thawed", n)
                continue
            if not case.open or rng.random() < 0.3:
                continue
            await writes("heard", n)
            if rng.random() < 0.3:
                await writes("frozen", n)
            remedies: list[tuple[Any, ...]] = [("stand",)]
            if rng.random() < 0.5:
                remedies = [("time", rng.choice(SEATS), rng.randint(1, 40) * HOUR_MS)]
            if rng.random() < 0.3 and case.at_seq > 8:
                remedies.insert(0, ("back", case.at_seq - 1))
            await writes("ruled", n, "upheld", "9.2", "So it is.", tuple(remedies))
            await writes("thawed", n)

    # --- what must hold ---------------------------------------------------------------------------

    async def _check(self, running: Server) -> None:
        twice = {row: keys for row, keys in self.keys.items() if len(keys) > 1}
        assert not twice, f"sent under two keys: {twice}"
        for game in self.tokens:
            await assert_sound(running, game)
            log = self.logs[game] = logged(running, game)
            self._flags_are_due(log)
            self._rulings_are_whole(log)

    def _flags_are_due(self, log: list[records.Record]) -> None:
        """No flag fell before its deadline, and none whose deadline lay in a time in which the
        server was away: that was credited first."""
        genesis = records.Genesis.from_record(log[0])
        fold = Fold(genesis)
        for record in log[1:]:
            body = deskbodies.read_clock(record.body) if record.kind == records.CLOCK else None
            if isinstance(body, deskbodies.Flag):
                assert fold.clocks is not None
                deadline = fold.clocks.of(body.seat).deadline
                assert deadline is not None and record.at_ms >= deadline == body.deadline_ms
                fallen = [(start, end) for start, end in self.away if start < deadline <= end]
                assert not fallen, f"record {record.seq} fell by the outage {fallen}"
            fold.take(record)

    def _rulings_are_whole(self, log: list[records.Record]) -> None:
        """What a ruling asks for stands right behind it: a kill leaves all of it or nothing."""
        genesis = records.Genesis.from_record(log[0])
        control = Fold(genesis).control
        now = docket.Docket()
        for record in log[1:]:
            body = bodies.read(record)
            now = docket.after(now, record.seq, record.at_ms, record.actor, body, control)
        assert not now.due, f"{log[-1].seq} is the last record, and {now.due} is still owed"

    @property
    def digest(self) -> str:
        """A fingerprint of everything that was written and sent."""
        total = hashlib.sha256()
        for log in self.logs.values():
            for record in log:
                total.update(record.data)
        for line in self.sent:
            total.update(line.encode())
        return total.hexdigest()


class Recording(Notifier):
    """A notifier whose messages go to the simulation."""

    posted: Callable[[Message, list[str], int], Awaitable[None]]

    async def post(self, message: Message, lines: list[str], now_ms: int) -> None:
        """Hand a message over."""
        await self.posted(message, lines, now_ms)


class Dead(Exception):
    """The server has not answered within an hour."""


def seldom(monkeypatch: Any) -> None:
    """What a server does each second it does each hour: a mock clock runs through each of them."""
    monkeypatch.setattr(hub, "LOOK_SECONDS", HOUR)
    monkeypatch.setattr(metrics, "LAG_PROBE_SECONDS", HOUR)
    connect = database._connect

    def unsynced(path: Path) -> sqlite3.Connection:
        """What a commit costs the disk is not the simulation's."""
        connection = connect(path)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    monkeypatch.setattr(database, "_connect", unsynced)
