"""Work is dealt out by address: who asks for much waits, is turned away in words, and holds up
nobody else."""

import time
from typing import Any

import pytest
import trio
import trio.testing

from tests.serve.rig import Client, Server, server, started
from warledger.engine.kernel.ledger import Ledger
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.runtime.snapshots import snapshotloads
from warledger.engine.serve.games import playrequests
from warledger.engine.serve.http.responsecache import Kept
from warledger.engine.serve.wire.ratelimits import (
    QUICK_ANSWERS,
    SLOW_SECONDS,
    Bill,
    Meter,
    SlowGames,
)
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock


async def spectator(s: Server, peer: str, token: str = "") -> Client:
    """A client from an address."""
    client = Client(s.pipe(peer))
    await client.greet(token)
    return client


async def seconds(client: Client, *asked: Any) -> tuple[Any, float]:
    """The answer, and how long it took."""
    began = trio.current_time()
    answer = await client.ask(*asked)
    return answer, trio.current_time() - began


async def test_an_address_has_its_share_and_no_more(autojump_clock: MockClock) -> None:
    """What it may have at once is free; after that a second of work takes as long as the share
    says, whatever connection asks, and whoever would wait too long is told the seconds, after which
    he is let in. Another address waits for nothing."""
    meter = Meter(share=0.25, burst=2.0, wait=10.0)
    mine, yours = Bill(meter, "address a"), Bill(meter, "address b")
    for _ in range(100):
        meter.learn("view", 0.5)
    began = trio.current_time()
    assert [await mine.admit("view") for _ in range(4)] == [None] * 4
    assert trio.current_time() == began
    assert await Bill(meter, "address a").admit("view") is None
    assert trio.current_time() - began == pytest.approx(2, abs=0.1)
    meter.add("address a", 10)
    failure = await mine.admit("view")
    assert failure is not None and failure.code == "slow_down"
    before = trio.current_time()
    assert await yours.admit("view") is None
    assert trio.current_time() == before
    await trio.sleep(dict(failure.say.args)["seconds"])
    assert await mine.admit("view") is None


async def test_what_was_guessed_is_put_right_by_what_was_measured(
    autojump_clock: MockClock,
) -> None:
    """Charged is what a request has cost in truth, and the next guess is nearer to it."""
    meter = Meter(share=0.25, burst=2.0, wait=10.0)
    bill = Bill(meter, "address a")
    await bill.admit("view")
    bill.spent("view", 1.0)
    assert meter.debt("address a") == pytest.approx(1.0)
    assert meter.guess("view") > 0.1
    await trio.sleep(4)
    assert meter.debt("address a") == 0


async def test_addresses_without_number_are_not_kept(autojump_clock: MockClock) -> None:
    """However many addresses ask, what is kept of them is bounded; those that owe most are kept."""
    meter = Meter(share=0.25, burst=2.0, wait=10.0)
    meter.add("big", 100)
    for n in range(30_000):
        meter.add(f"address {n}", 0.1)
    assert len(meter._debts) <= 10_000 and meter.debt("big") > 99


async def test_a_spectator_who_asks_for_everything_holds_up_himself(
    autojump_clock: MockClock,
) -> None:
    """Views of every record, boards and whole games, asked for without end from one address, are
    dealt out and at last refused; a spectator elsewhere and a player at the same address are
    answered at once."""
    async with server() as s:
        game, given, player = await started(s, turns=50)
        for _ in range(20):
            for seat in "ab":
                assert type(await player.submit(game, seat, "pass")) is m.Accepted
        last = (await player.ask(m.Head, game)).head.seq
        s.hub.meter = Meter(share=0.001, burst=0.02, wait=0)
        greedy = await spectator(s, "greedy")
        codes = set()
        for n in range(400):
            answer = await greedy.ask(m.View, game, "public", n % last)
            codes.add(getattr(answer, "code", ""))
        assert "slow_down" in codes
        for asked in (
            (m.Board, game),
            (m.Subscribe, game, -1, "public"),
            (m.Games, "", "", 10),
            (m.Catalogue, "en"),
        ):
            answer = await (await spectator(s, "greedy")).ask(*asked)
            assert getattr(answer, "code", "") == "slow_down", asked
        other = await spectator(s, "elsewhere")
        assert type((await seconds(other, m.View, game, "public", m.NOW))[0]) is m.ViewIs
        neighbour = await spectator(s, "greedy", given["a"])
        answer, took = await seconds(neighbour, m.Choices, game, "a", ())
        assert (type(answer), took) == (m.ChoicesAre, 0)
        before = trio.current_time()
        assert (
            type(await neighbour.submit(game, "a", "pass", decision=answer.decision)) is m.Accepted
        )
        assert trio.current_time() == before


async def test_a_seats_takebacks_are_dealt_out_too(autojump_clock: MockClock) -> None:
    """Requests to go back to records long past cost the seat that asks, and not the other."""
    async with server() as s:
        game, given, player = await started(s, turns=50)
        for _ in range(20):
            for seat in "ab":
                await player.submit(game, seat, "pass")
        s.hub.meter = Meter(share=0.001, burst=0.02, wait=0)
        asking, other = await s.client(given["a"]), await s.client(given["b"])
        codes = set()
        for _ in range(400):
            answer = await asking.act(game, "a", acts.ASK, ("takeback", 7))
            codes.add(getattr(answer, "code", ""))
        assert "slow_down" in codes
        answer = await other.act(game, "b", acts.ANSWER, (1, False))
        assert type(answer) in (m.Accepted, m.Declined)


async def test_boards_and_views_are_made_once_and_sent_as_they_are_kept(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many ask, a view of a record is folded once, also for those who ask at the same time;
    each gets it under his own number, and it is what was sent the first time. A seat's view is not
    the public one."""
    made = 0
    view = snapshotloads.view

    def counted(*args: Any) -> Any:
        nonlocal made
        made += 1
        return view(*args)

    monkeypatch.setattr(snapshotloads, "view", counted)
    async with server() as s:
        game, given, player = await started(s)
        await player.submit(game, "a", "hide", "rubicon")
        clients = [await spectator(s, "there") for _ in range(10)]
        answers: list[Any] = []

        async def look(client: Client) -> None:
            for _ in range(3):
                answers.append(await client.ask(m.View, game, "public", m.NOW))
                answers.append(await client.ask(m.Board, game))

        async with trio.open_nursery() as nursery:
            for client in clients:
                nursery.start_soon(look, client)
        assert made == 1
        shown = {
            str((answer.tag, getattr(answer, "effects", None) or answer.description))
            for answer in answers
        }
        assert len(shown) == 2 and len(answers) == 60
        mine = await (await s.client(given["a"])).ask(m.View, game, "a", m.NOW)
        assert made == 2 and type(mine) is m.ViewIs


async def test_what_is_kept_has_a_size() -> None:
    """The newest used are kept up to a number of bytes, and nothing that would take a quarter of
    them."""
    kept: Kept[bytes] = Kept(1000, len)

    async def make(size: int) -> bytes:
        return bytes(size)

    for n in range(100):
        assert len(await kept.get(n, lambda: make(100))) == 100
    assert await kept.get("big", lambda: make(300)) == bytes(300)
    assert (
        kept._bytes <= 1000
        and "big" not in kept._found
        and list(kept._found) == list(range(90, 100))
    )


async def test_what_is_asked_for_often_is_due_once() -> None:
    """What has been asked for so often is named once as long as it is kept; what takes its place is
    counted by its own size, and takes it only from what was there."""
    kept: Kept[bytes] = Kept(1000, len, often=3)

    async def make() -> bytes:
        return bytes(100)

    for _ in range(3):
        await kept.get("a", make)
    assert kept.due() == []
    await kept.get("a", make)
    assert kept.due() == ["a"]
    for _ in range(9):
        await kept.get("a", make)
    assert kept.due() == []
    old = kept.look("a")
    assert old is not None
    kept.change("a", old, bytes(40))
    assert (kept.look("a"), kept._bytes) == (bytes(40), 40)
    kept.change("a", old, bytes(10))
    kept.change("b", old, bytes(10))
    assert (kept.look("a"), kept.look("b"), kept._bytes) == (bytes(40), None, 40)


def test_a_game_whose_answers_are_quick_again_needs_no_thread() -> None:
    """One answer that was much work sends a game's questions to threads; only as many quick ones in
    a row as are asked for bring it back, and other games have nothing to do with it."""
    games = SlowGames()
    games.took("quick", SLOW_SECONDS / 2)
    games.took("slow", SLOW_SECONDS * 2)
    for _ in range(QUICK_ANSWERS - 1):
        games.took("slow", SLOW_SECONDS / 2)
    games.took("slow", SLOW_SECONDS * 2)
    for _ in range(QUICK_ANSWERS - 1):
        games.took("slow", SLOW_SECONDS / 2)
    assert "slow" in games and "quick" not in games
    games.took("slow", SLOW_SECONDS / 2)
    assert "slow" not in games


async def test_questions_come_back_from_threads_when_their_answers_are_quick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One answer that is much work puts the game's next questions into threads; after enough quick
    answers they are asked on the loop again."""
    offered, elsewhere = Ledger.offered, playrequests.asked_elsewhere
    asked, in_threads = 0, 0

    def first_is_slow(*args: Any) -> Any:
        nonlocal asked
        asked += 1
        worked = time.thread_time() + (2 * SLOW_SECONDS if asked == 1 else 0)
        while time.thread_time() < worked:
            pass
        return offered(*args)

    async def counted(*args: Any) -> Any:
        nonlocal in_threads
        in_threads += 1
        return await elsewhere(*args)

    monkeypatch.setattr(Ledger, "offered", first_is_slow)
    monkeypatch.setattr(playrequests, "asked_elsewhere", counted)
    async with server(MemoryStore(), ambient=SystemAmbient()) as running:
        game, _, client = await started(running)
        for _ in range(QUICK_ANSWERS + 5):
            assert type(await client.ask(m.Choices, game, "a", ())) is m.ChoicesAre
    assert (asked, in_threads) == (QUICK_ANSWERS + 5, QUICK_ANSWERS)
