"""Following a game: no gap, no repeat, nothing that is not meant for the one who looks."""

import random

import trio
import trio.testing

from tests.serve.rig import HOST_TOKEN, Client, gapless, server, started
from tests.toys import counting
from warledger.engine.runtime.watch import fanout
from warledger.engine.runtime.watch.outgoing import WAITING_BYTES_MAX
from warledger.protocol.chance.seal import seals_of, unpack_openings, verify
from warledger.protocol.log import records
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock
WORD = counting.WORDS[1]


async def test_a_stream_resumes_after_a_broken_connection(autojump_clock: MockClock) -> None:
    """A spectator whose connection breaks again and again gets every record once, wherever he left
    off."""
    rng = random.Random(3)
    async with server() as s:
        game, _, player = await started(s, turns=50)
        got: list[tuple[int, bytes, bytes]] = []
        watcher: Client | None = None
        for step in range(60):
            if watcher is None:
                watcher = await s.client()
                await watcher.ask(m.Subscribe, game, len(got) - 1, "public")
            answer = await player.submit(game, "ab"[step % 2], "add", rng.randint(1, 6))
            if rng.random() < 0.3:
                got += (await watcher.until((game, "public"), answer.head.seq - rng.randint(0, 1)))[
                    :
                ]
                await watcher.stream.aclose()
                watcher = None
            await trio.testing.wait_all_tasks_blocked()
        fresh = await s.client()
        await fresh.ask(m.Subscribe, game, -1, "public")
        whole = await fresh.until((game, "public"), answer.head.seq)
        assert gapless(got)
        assert got == whole[: len(got)]


async def test_a_late_subscriber_gets_old_and_new_without_a_seam(autojump_clock: MockClock) -> None:
    """Whoever subscribes while records are being written, from any record on, misses none and gets
    none twice."""
    async with server() as s:
        game, _, player = await started(s, turns=50)
        watchers = []
        for step in range(40):
            watcher = await s.client()
            after = random.Random(step).randint(
                -1, s.hub.supervisor.games[game].profile.progress.seq
            )
            await watcher.say(m.Subscribe, game, after, "public")
            watchers.append((watcher, after))
            await player.submit(game, "ab"[step % 2], "roll")
        last = s.hub.supervisor.games[game].profile.progress.seq
        for watcher, after in watchers:
            got = await watcher.until((game, "public"), last)
            assert got[0][0] == after + 1
            assert gapless(got, after + 1)


async def test_a_slow_client_loses_nothing_and_holds_up_nobody(autojump_clock: MockClock) -> None:
    """A subscriber that reads nothing for a long time costs bounded memory; when it reads, every
    record is there, once."""
    async with server() as s:
        game, _, player = await started(s, turns=50)
        slow = await s.client()
        await slow.ask(m.Subscribe, game, -1, "public")
        [cursor] = s.hub.supervisor.games[game].channel("public").cursors.values()
        # A memory stream takes whatever is sent: let it take nothing for a while.
        gate = trio.Event()
        pipe = cursor.out._pipe
        send_all = pipe.send_all

        async def send_when_open(data: bytes) -> None:
            await gate.wait()
            await send_all(data)

        pipe.send_all = send_when_open  # type: ignore[method-assign]
        for step in range(90):
            answer = await player.submit(game, "ab"[step % 2], "add", 1)
            assert type(answer) is m.Accepted
            assert cursor.out.waiting_bytes <= 2 * fanout.CHUNK_BYTES
        assert not cursor.live
        gate.set()
        assert gapless(await slow.until((game, "public"), answer.head.seq))
        await player.submit(game, "a", "pass")
        assert gapless(await slow.until((game, "public"), answer.head.seq + 1))


async def test_a_client_that_asks_but_never_reads_is_held_back_and_closed(
    autojump_clock: MockClock,
) -> None:
    """It is not read from while its answers wait, and closed when it takes nothing for the stall
    time; others do not notice."""
    async with server() as s:
        game, _, player = await started(s)
        rude = await s.client()
        [connection] = [one for one in s.hub.connections if one.client.principal == "spectator"]

        async def never(data: bytes) -> None:
            await trio.sleep_forever()

        connection.pipe.send_all = never  # type: ignore[method-assign]
        for _ in range(100):
            await rude.say(m.Catalogue, "en")
        await trio.testing.wait_all_tasks_blocked()
        assert connection.out.waiting_bytes < 2 * WAITING_BYTES_MAX
        assert type(await player.submit(game, "a", "pass")) is m.Accepted
        await trio.sleep(s.hub.limits.stall_seconds + 5)
        assert connection not in s.hub.connections
        assert s.hub.metrics.slow_clients_closed == 1


async def test_openings_go_to_those_entitled_and_fit_their_seals(autojump_clock: MockClock) -> None:
    """The same public bytes for all; what a seat hid is opened to that seat (and to the host as
    arbiter) alone, in records and views."""
    async with server() as s:
        game, given, player = await started(s)
        host = await s.client(HOST_TOKEN)
        watchers = {
            "a": await s.client(given["a"]),
            "b": await s.client(given["b"]),
            "public": await s.client(),
            "arbiter": host,
        }
        for audience, watcher in watchers.items():
            assert type(await watcher.ask(m.Subscribe, game, -1, audience)) is m.Subscribed
        await player.submit(game, "a", "hide", WORD)
        last = (await player.submit(game, "b", "draw")).head.seq
        late = {
            audience: await s.client(given.get(audience, HOST_TOKEN))
            for audience in ("a", "b", "arbiter")
        }
        got = {}
        for audience, watcher in watchers.items():
            got[audience] = await watcher.until((game, audience), last)
        for audience, watcher in late.items():
            await watcher.ask(m.Subscribe, game, -1, audience)
            seen = await watcher.until((game, audience), last)
            # An arbiter's look is a record.
            assert [one for one in seen if one[0] <= last] == got[audience]
        assert len({tuple(data for _, data, _ in found) for found in got.values()}) == 1
        hidden = next(seq for seq, data, _ in got["public"] if seals_of(records.read(data)))
        body = records.read(got["a"][hidden][1]).body
        openings = {audience: found[hidden][2] for audience, found in got.items()}
        assert openings["public"] == openings["b"] == b""
        assert openings["a"] == openings["arbiter"] != b""
        for opening in unpack_openings(openings["a"]):
            if opening.path[0] != records.EFFECTS:
                place = body
                for index in opening.path:
                    place = place[index]
                verify(game, opening, place)
        for audience, knows in (("a", True), ("b", False), ("public", False), ("arbiter", True)):
            view = await watchers[audience].ask(m.View, game, audience, m.NOW)
            [card] = [effect for effect in view.effects if effect[:2] == ("put", "card_a")]
            assert (card[3] == WORD) is knows, audience
        assert WORD not in s.log.getvalue()


async def test_views_of_the_past_are_folds_up_to_that_record(autojump_clock: MockClock) -> None:
    """A view names its record; one beyond the end is an error."""
    async with server() as s:
        game, _, player = await started(s)
        first = (await player.submit(game, "a", "add", 5)).head.seq
        last = (await player.submit(game, "b", "add", 2)).head.seq
        then = await player.ask(m.View, game, "public", first)
        now = await player.ask(m.View, game, "public", m.NOW)
        assert ("track", "score_b", 0) in then.effects
        assert ("track", "score_b", 2) in now.effects
        assert (then.seq, now.seq) == (first, last)
        assert (await player.ask(m.View, game, "public", now.seq + 1)).code == "no_such_record"
        assert (await player.ask(m.Subscribe, game, now.seq + 5, "public")).code == "no_such_record"


async def test_unsubscribing_ends_the_records(autojump_clock: MockClock) -> None:
    """After Unsubscribed nothing of that game comes; it can be subscribed to again, once at a
    time."""
    async with server() as s:
        game, _, player = await started(s)
        watcher = await s.client()
        await watcher.ask(m.Subscribe, game, 0, "public")
        assert (await watcher.ask(m.Subscribe, game, 0, "public")).code == "subscribed"
        await watcher.ask(m.Unsubscribe, game, "public")
        before = len(watcher.records[game, "public"])
        await player.submit(game, "a", "pass")
        assert type(await watcher.ask(m.Ping)) is m.Pong
        assert len(watcher.records[game, "public"]) == before
        assert type(await watcher.ask(m.Subscribe, game, 0, "public")) is m.Subscribed


async def test_a_spectators_delay_binds_every_exit(autojump_clock: MockClock) -> None:
    """With a delay, spectators get records, views, lists and heads only when their time has come;
    seats see at once, restarts included."""
    async with server() as s:
        game, given, player = await started(s, delay_s=60)
        await trio.sleep(61)
        watcher = await s.client()
        await watcher.ask(m.Subscribe, game, -1, "public")
        shown = (await watcher.ask(m.Head, game)).head.seq
        await watcher.until((game, "public"), shown)
        answer = await player.submit(game, "a", "add", 4)
        await trio.sleep(30)

        async def spectator_sees() -> set[int]:
            head = (await watcher.ask(m.Head, game)).head.seq
            view = (await watcher.ask(m.View, game, "public", m.NOW)).seq
            [row] = (await watcher.ask(m.Games, "", "", 10)).games
            other = await s.client()
            subscribed = (await other.ask(m.Subscribe, game, -1, "public")).last_seq
            return {head, view, row["seq"], subscribed, watcher.records[game, "public"][-1][0]}

        assert await spectator_sees() == {shown}
        assert (await watcher.ask(m.View, game, "public", answer.head.seq)).code == "no_such_record"
        seat = await s.client(given["b"])
        assert (await seat.ask(m.Subscribe, game, -1, "b")).last_seq == answer.head.seq
        [row] = (await seat.ask(m.Games, "", "", 10)).games
        assert row["awaits"] == ("b",)
        # The object made anew from the store knows what may not be shown yet.
        async with server(s.hub.supervisor.store) as other:
            other.hub.supervisor.ambient._started_ms = s.hub.supervisor.ambient.now_ms() - int(
                trio.current_time() * 1000
            )
            late = await other.client()
            assert (await late.ask(m.Head, game)).head.seq == shown
            await late.ask(m.Subscribe, game, -1, "public")
            await trio.sleep(31)
            await late.until((game, "public"), answer.head.seq)
        assert await spectator_sees() == {answer.head.seq}
        assert gapless(watcher.records[game, "public"])


async def test_a_replaced_token_closes_the_seats_stream_at_once(autojump_clock: MockClock) -> None:
    """Who came in by the old token gets no further private record, and is told; the new one's
    holder gets all."""
    async with server() as s:
        game, given, _ = await started(s)
        old = await s.client(given["a"])
        await old.ask(m.Subscribe, game, -1, "a")
        host = await s.client(HOST_TOKEN)
        token = (await host.ask(m.NewToken, game, "a")).token
        new = await s.client(token)
        answer = await new.submit(game, "a", "hide", WORD)
        told = await old.hear()
        while type(told) is m.Records:
            told = await old.hear()
        assert (type(told), told.code, told.request) == (m.Error, "not_allowed", 0)
        assert type(await old.ask(m.Ping)) is m.Pong
        assert old.records[game, "a"][-1][0] < answer.seq
        assert (await old.ask(m.Subscribe, game, -1, "a")).code == "not_allowed"
        await new.ask(m.Subscribe, game, -1, "a")
        assert (await new.until((game, "a"), answer.head.seq))[answer.seq][2] != b""
