"""What a server withstands: strangers, nonsense, faults, failing disks, restarts."""

import errno
import random
from contextlib import suppress

import pytest
import trio
import trio.testing

from tests.serve.rig import HOST_TOKEN, TITLES, Client, gapless, new_game, server, started, take
from tests.toys import counting
from warledger.engine.kernel.change import replace
from warledger.engine.runtime.supervisor import Tending
from warledger.engine.runtime.titles import Title
from warledger.engine.serve.config import ServerLimits
from warledger.engine.store.files.disk import Disk
from warledger.engine.store.files.wal import at_once, open_store
from warledger.engine.store.port import FRAME_RECORD, Frame
from warledger.engine.testing.faulty import FaultyDisk
from warledger.engine.testing.memory import MemoryStore
from warledger.engine.testing.memorydisk import MemoryDisk
from warledger.protocol import canon
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.session import frame

MockClock = trio.testing.MockClock


def store_on(disk: Disk, seed: int = 1):  # type: ignore[no-untyped-def]
    """The real store on a disk in memory."""
    return open_store(disk, run=at_once, random_bytes=random.Random(seed).randbytes)


# --- strangers and nonsense -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        (2**31).to_bytes(4, "big"),
        (4097).to_bytes(4, "big"),
        b"\0\0\0\0",
        frame(b"\xc1"),
        frame(canon.pack(("nonsense", 1))),
        frame(canon.pack(("hello", 1))),
        frame(canon.pack(("hello", 0, 1, "x"))),
        frame(canon.pack(("hello", 1, "1", "x"))),
        frame(canon.pack(("login", 1, "", ""))),
        frame(canon.pack(("welcome", 1, 1, "x", bytes(32), {}, ()))),
        frame(b"\x93\xa5hello\xcb" + bytes(8) + b"\x01"),
        frame(b"\x91" * 2000),
        frame(canon.pack(("hello", 1, 3, "x"))) * 2,
    ],
)
async def test_nonsense_ends_its_connection_with_an_error(
    sent: bytes, autojump_clock: MockClock
) -> None:
    """Malformed, oversized, unknown and out-of-order messages get an Error that says so and an end;
    the server serves on."""
    async with server() as s:
        client = Client(s.pipe())
        await client.stream.send_all(sent)
        client.session.state = "HELLO_SENT"
        client.session.open[1] = m.Hello
        answer = await client.hear()
        if type(answer) is m.Welcome:
            answer = await client.hear()
        assert (type(answer), answer.code, answer.fatal) == (m.Error, "malformed", True)
        assert await client.hear() is None
        assert type(await (await s.client()).ask(m.Ping)) is m.Pong


async def test_a_truncated_message_ends_quietly(autojump_clock: MockClock) -> None:
    """A connection that ends in the middle of a message harms nobody."""
    async with server() as s:
        stream = s.pipe()
        await stream.send_all(frame(canon.pack(("hello", 1, 1, "x")))[:7])
        await stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        assert not s.hub.connections
        assert s.hub.metrics.faults == 0


async def test_another_version_is_told_so(autojump_clock: MockClock) -> None:
    """A client of another protocol version gets a clear error."""
    async with server() as s:
        client = Client(s.pipe())
        answer = await client.ask(m.Hello, 99, "future")
        assert (answer.code, answer.fatal, dict(answer.say.args)["ours"]) == (
            "version",
            True,
            m.VERSION,
        )


async def test_silence_is_ended_by_the_login_time(autojump_clock: MockClock) -> None:
    """A connection that does not log in is closed; one that has, and follows a game, may be silent
    for ever."""
    async with server(limits=ServerLimits(login_seconds=10)) as s:
        game, _ = await new_game(s)
        quiet = await s.client()
        await quiet.ask(m.Subscribe, game, -1, "public")
        stranger = Client(s.pipe())
        await trio.sleep(11)
        assert (await stranger.hear()).code == "timeout"
        await trio.sleep(1_000)
        assert type(await quiet.ask(m.Ping)) is m.Pong


async def test_a_flood_is_read_slowly(autojump_clock: MockClock) -> None:
    """Frames beyond the rate wait; nothing is lost."""
    async with server(limits=ServerLimits(frames_per_second=100, frames_burst=50)) as s:
        client = await s.client()
        began = trio.current_time()
        for _ in range(200):
            await client.ask(m.Ping)
        assert 1.3 < trio.current_time() - began < 1.7


async def fuzz(frames: int, seed: int) -> None:
    """Random frames, some of them real messages with bytes changed, before and after a login."""
    rng = random.Random(seed)
    real = [
        m.Hello(1, m.VERSION, "x"),
        m.Login(2, "", ""),
        m.Subscribe(3, "g", -1, "public"),
        m.Submit(4, "g", "a", 3, b"", ("add", 3), b"i"),
        m.CreateGame(5, "counting", {"turns": 3}, 0),
        m.Games(6, "", "", 5),
        m.Standing(7, "g", "a"),
        m.Act(
            8,
            "g",
            "a",
            "command",
            bytes(32),
            3,
            bytes(32),
            (5, b"i", bytes(32)),
            bytes(64),
            (("add", 3), bytes(32)),
        ),
        m.OpenGame(9, "counting", {"turns": 3}, {"unsigned_seats": True}),
        m.HeadOf(10, "g", 0),
        m.Witness(11, "g", "a", bytes(32), 3, bytes(32), bytes(64)),
        m.Witnesses(12, "g"),
    ]
    async with server(limits=ServerLimits(frames_burst=10**6)) as s:
        game, _, player = await started(s)
        stream, sent = s.pipe(), 0
        while sent < frames:
            if rng.random() < 0.4:
                await stream.send_all(frame(m.encode(real[0])) + frame(m.encode(real[1])))
            for _ in range(rng.randint(1, 4)):
                if rng.random() < 0.5:
                    payload = bytearray(m.encode(rng.choice(real)))
                    for _ in range(rng.randint(1, 4)):
                        payload[rng.randrange(len(payload))] = rng.randrange(256)
                else:
                    payload = bytearray(rng.randbytes(rng.randint(1, 60)))
                data = (
                    frame(bytes(payload))
                    if rng.random() < 0.9
                    else rng.randbytes(rng.randint(1, 20))
                )
                with suppress(trio.BrokenResourceError):  # the server has hung up already
                    await stream.send_all(data)
                sent += 1
            await trio.testing.wait_all_tasks_blocked()
            await stream.aclose()
            stream = s.pipe()
        await stream.aclose()
        assert s.hub.metrics.faults == 0, f"seed {seed}"
        assert type(await player.submit(game, "a", "pass")) is m.Accepted, f"seed {seed}"


async def test_random_frames_harm_nobody(autojump_clock: MockClock) -> None:
    """A few hundred random frames: no fault, and the game goes on."""
    await fuzz(400, 1)


@pytest.mark.long
async def test_ten_thousand_random_frames_harm_nobody(autojump_clock: MockClock) -> None:
    """The same with ten thousand."""
    await fuzz(10_000, 2)


# --- bugs and damage ------------------------------------------------------------------------------


class Buggy(counting.Counting):
    """A roll is a bug, with a secret in its words."""

    def effects(self, before, event, after):  # type: ignore[no-untyped-def]
        if type(event) is counting.Rolled:
            raise RuntimeError("the secret word is zebra")
        return super().effects(before, event, after)


async def test_a_bug_refuses_one_command_and_changes_nothing(autojump_clock: MockClock) -> None:
    """A command that meets a bug is refused as a fault; the game goes on; the log says where, not
    what."""
    async with server(titles={"counting": Title(Buggy(), counting.PACK, bytes(32))}) as s:
        game, _, client = await started(s)
        before = (await client.ask(m.Head, game)).head
        answer = await client.submit(game, "a", "roll")
        assert (type(answer), answer.code) == (m.Error, "fault")
        assert (await client.ask(m.Head, game)).head == before
        assert type(await client.submit(game, "a", "add", 1)) is m.Accepted
        assert s.hub.metrics.faults == 1
        assert "RuntimeError at " in s.log.getvalue()
        assert "zebra" not in s.log.getvalue()


async def test_a_record_that_does_not_fold_quarantines_its_game_alone(
    autojump_clock: MockClock,
) -> None:
    """The game takes nothing more and says so; its log can still be read; other games go on."""
    store = MemoryStore()
    async with server(store) as s:
        game, given, client = await started(s)
        other, _, _second = await started(s)
        await client.submit(game, "a", "pass")
        seq = (await client.ask(m.Head, game)).head.seq
    frames = store._games[game].frames
    last = max(index for index, item in enumerate(frames) if item.kind == FRAME_RECORD)
    array = list(canon.unpack(frames[last].payload))
    body = list(array[4])
    body[6] = (("unheard_of", 1),)
    array[4] = tuple(body)
    frames[last] = Frame(FRAME_RECORD, canon.pack(tuple(array)))
    async with server(store) as s:
        client = await s.client(given["b"])
        assert (await client.ask(m.Choices, game, "b", ())).code == "quarantined"
        assert (await client.ask(m.Preview, game, "b", ("pass",))).code == "quarantined"
        assert (await client.ask(m.Subscribe, game, -1, "public")).last_seq == seq
        assert gapless(await client.until((game, "public"), seq))
        rows = {row["game"]: row["stage"] for row in (await client.ask(m.Games, "", "", 9)).games}
        assert rows == {game: "quarantined", other: "playing"}
        assert "does not fold" in s.log.getvalue() or "unheard_of" in s.log.getvalue()


async def test_a_game_of_a_title_that_is_gone_is_kept(autojump_clock: MockClock) -> None:
    """Without its rules a game cannot go on, but can be watched."""
    store = MemoryStore()
    async with server(store) as s:
        game, given, _ = await started(s)
    other = Title(
        type("Other", (counting.Counting,), {"title": "other"})(), counting.PACK, bytes(32)
    )
    async with server(store, titles={"other": other}) as s:
        client = await s.client(given["a"])
        assert (await client.ask(m.Choices, game, "a", ())).code == "quarantined"
        assert type(await client.ask(m.View, game, "a", m.NOW)) is m.ViewIs


async def test_when_the_disk_fails_watching_goes_on(autojump_clock: MockClock) -> None:
    """Submits are told "not saved" (or that it is not known), with a reason; reading, listing and
    logging in go on; nothing is shown that was not saved; after a restart the same command id is
    still one command."""
    disk = MemoryDisk()
    faulty = FaultyDisk(disk, error=errno.ENOSPC, forever=True)
    async with store_on(faulty) as store, server(store) as s:
        game, given, client = await started(s)
        sender = client
        await client.ask(m.Subscribe, game, -1, "a")
        saved = await client.submit(game, "a", "add", 2, id=b"one")
        decision = (await client.ask(m.Choices, game, "b", ())).decision
        faulty.fail_at = len(faulty.calls) + 1
        lost = await client.submit(game, "b", "add", 3, decision=decision, id=b"two")
        assert (type(lost), lost.code) == (m.Error, "unknown_outcome")
        again = await client.submit(game, "b", "add", 3, decision=decision, id=b"two")
        assert again.code == "not_saved"
        assert "No space left" in dict(again.say.args)["why"]
        watcher = await s.client(given["b"])
        await watcher.ask(m.Subscribe, game, -1, "b")
        assert [seq for seq, _, _ in await watcher.until((game, "b"), saved.head.seq)][
            -1
        ] == saved.head.seq
        assert type(await watcher.ask(m.View, game, "b", m.NOW)) is m.ViewIs
        assert (await watcher.ask(m.Games, "", "", 5)).games[0]["seq"] == saved.head.seq
        host = await s.client(HOST_TOKEN)
        assert (await host.ask(m.CreateGame, "counting", {}, 0)).code == "not_saved"
    async with store_on(disk.after_kill(), 2) as store, server(store) as s:
        client = await s.client(given["b"])
        client.sent.update(sender.sent)
        first = await client.submit(game, "b", "add", 3, decision=decision, id=b"two")
        assert type(first) is m.Accepted
        assert (await client.submit(game, "b", "add", 3, decision=decision, id=b"two")).again


async def test_a_restart_changes_nothing_for_players(autojump_clock: MockClock) -> None:
    """After a restart tokens, seats, decisions, command ids, standing answers and secrets are as
    before; the first command is quick."""
    disk = MemoryDisk()
    async with store_on(disk) as store, server(store) as s:
        game, given, client = await started(s, turns=10)
        await client.submit(game, "a", "hide", counting.WORDS[2])
        done = await client.submit(game, "b", "add", 6, id=b"kept")
        decision = (await client.ask(m.Choices, game, "a", ())).decision
        await client.order(game, "b", ("prompt.counting.act", (("pass",),), "game"))
        sent = client.sent
    async with store_on(disk.after_kill(), 2) as store, server(store, seed=2) as s:
        client = await s.client(given["a"])
        await client.ask(m.Login, given["b"], "")
        repeated = await client.send_act(game, *sent[game, "b", b"kept"])
        assert (repeated.again, repeated.seq) == (True, done.seq)
        assert (await client.ask(m.HeadOf, game, done.head.seq)).head.hash == done.head.hash
        assert (await client.ask(m.Standing, game, "b")).orders == (
            ("prompt.counting.act", (("pass",),), "game"),
        )
        assert (await client.ask(m.Choices, game, "a", ())).decision == decision
        assert type(await client.submit(game, "a", "show")) is m.Accepted
        view = await client.ask(m.View, game, "public", m.NOW)
        assert any(effect[:2] == ("put", "card_a") for effect in view.effects)
        # b's standing answer was given, so that a is asked again.
        assert type(await client.submit(game, "a", "pass")) is m.Accepted


# --- tending --------------------------------------------------------------------------------------


async def test_a_game_that_never_begins_expires_with_a_reason(autojump_clock: MockClock) -> None:
    """An empty seat, or a nonce that is not shown, ends the game after its time, and the record
    says why; a restart does not forget."""
    store = MemoryStore()
    tending = Tending(seats=2000, nonces=500, every=10)
    async with server(store, tending=tending) as s:
        waiting, given = await new_game(s)
        empty, _ = await new_game(s)
        client = await s.client(given["a"])
        await client.ask(m.Login, given["b"], "")
        for seat in ("a", "b"):
            await take(client, waiting, seat)
        await trio.sleep(400)
        assert [row["stage"] for row in (await client.ask(m.Games, "", "", 9)).games] == [
            "gathering"
        ] * 2
        await trio.sleep(200)
        rows = {row["game"]: row for row in (await client.ask(m.Games, "", "", 9)).games}
        assert (rows[waiting]["stage"], rows[waiting]["reason"][:2]) == (
            "ended",
            ("outcome.lapsed", (("seats", ("a", "b")),)),
        )
        assert rows[empty]["stage"] == "gathering"
    async with server(store, tending=tending) as s:
        s.hub.supervisor.ambient._started_ms += 2_000_000
        await trio.sleep(20)
        rows = {
            row["game"]: row for row in (await (await s.client()).ask(m.Games, "", "", 9)).games
        }
        assert (rows[waiting]["stage"], rows[empty]["stage"], rows[empty]["reason"][0]) == (
            "ended",
            "ended",
            "outcome.expired",
        )


async def test_a_host_closes_a_game_opened_by_mistake(autojump_clock: MockClock) -> None:
    """Whoever opened it, while a seat is empty: it ends as one that never began. Not a player, not
    once every seat is taken, not twice."""
    async with server() as s:
        game, given = await new_game(s)
        host, player = await s.client(HOST_TOKEN), await s.client(given["a"])
        denied = await player.ask(m.CloseGame, game)
        assert (type(denied), denied.code) == (m.Error, "host_only")
        assert type(await take(player, game, "a")) is m.Accepted
        assert type(await host.ask(m.CloseGame, game)) is m.Accepted
        again = await host.ask(m.CloseGame, game)
        assert (type(again), again.refusal.key) == (m.Refused, "refusal.game_over")
        row = (await host.ask(m.Games, "", "", 9)).games[0]
        assert (row["stage"], row["reason"][0]) == ("ended", "outcome.expired")

        other, given = await new_game(s)
        players = await s.client(given["a"])
        await players.ask(m.Login, given["b"], "Bert")
        for seat in "ab":
            assert type(await take(players, other, seat)) is m.Accepted
        refused = await host.ask(m.CloseGame, other)
        assert (type(refused), refused.refusal.key) == (m.Refused, "refusal.seats_taken")
        game, _, _ = await started(s)
        assert (await host.ask(m.CloseGame, game)).refusal.key == "refusal.started"


async def test_an_idle_game_lets_its_state_go_but_not_its_followers(
    autojump_clock: MockClock,
) -> None:
    """After the idle time the state is gone; subscribers stay, and the next command finds
    everything as it was."""
    async with server(tending=Tending(idle=100, every=10)) as s:
        game, _, client = await started(s)
        await client.ask(m.Subscribe, game, -1, "a")
        await client.submit(game, "a", "pass")
        live = s.hub.supervisor.games[game]
        assert live.live is not None
        await trio.sleep(150)
        assert live.live is None
        answer = await client.submit(game, "b", "pass")
        assert gapless(await client.until((game, "a"), answer.head.seq))
        assert s.hub.metrics.passivations == 1


async def test_a_graceful_stop_loses_nothing_and_says_goodbye(autojump_clock: MockClock) -> None:
    """What was submitted before the stop is answered and safe; every client is told; what comes
    later is refused."""
    disk = MemoryDisk()
    async with store_on(disk) as store, server(store) as s:
        game, given, client = await started(s)
        watcher = await s.client()
        await watcher.ask(m.Subscribe, game, -1, "public")
        decision = (await client.ask(m.Choices, game, "a", ())).decision
        act, private = await client.command(game, "a", "add", 5, id=b"last", decision=decision)
        number = await client.say(
            m.Act, game, "a", act.kind, act.key, act.n, act.seen, act.body, act.signature, private
        )
        await trio.testing.wait_all_tasks_blocked()
        await s.stop()
        heard = [await client.hear() for _ in range(3)]
        assert (type(heard[0]), heard[0].request) == (m.Accepted, number)
        assert type(heard[1]) is m.Goodbye
        assert heard[2] is None
        got = await watcher.until((game, "public"), heard[0].head.seq)
        assert gapless(got)
        assert type(await watcher.hear()) is m.Goodbye
        assert not s.hub.connections
    async with store_on(disk.after_kill(), 2) as store, server(store) as s:
        assert (await (await s.client(given["a"])).ask(m.Head, game)).head.hash == heard[
            0
        ].head.hash


async def test_profiles_of_unused_games_are_let_go(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server remembers a bounded number of games that nobody uses."""
    monkeypatch.setattr("warledger.engine.runtime.supervisor.KNOWN_MAX", 8)
    async with server() as s:
        host = await s.client(HOST_TOKEN)
        for _ in range(30):
            await host.ask(m.CreateGame, "counting", {}, 0)
            await trio.sleep(1)
        assert len(s.hub.supervisor.games) <= 9
        assert len((await host.ask(m.Games, "", "", 100)).games) == 30


def test_limits_are_announced() -> None:
    """Welcome tells a client the bounds that concern it."""
    limits = replace(ServerLimits(), subscriptions=3)
    assert limits.announced()["subscriptions"] == 3
    assert set(TITLES) == {"counting"}
