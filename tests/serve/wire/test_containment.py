"""A bug of ours that is met on behalf of one client, game, message or tournament is counted and
logged, and nobody else is touched: the tasks that serve everybody go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from tests.serve.people.test_accounts import begin, desk, later, person
from tests.serve.people.test_accounts import new_game as opened
from tests.serve.people.test_accounts import quick as quick
from tests.serve.people.test_notices import URL, Hooks, decision
from tests.serve.rig import HOST_TOKEN, Server, new_game, on_the_clock, server, started
from tests.serve.tournaments.test_tournaments import TITLES, table
from warledger.engine.desk import accounts, hosting, notificationpreferences, outbox
from warledger.engine.desk.director import Director
from warledger.engine.runtime import profile
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.jobs import Job
from warledger.engine.runtime.supervisor import Supervisor, Tending
from warledger.engine.runtime.watch.outgoing import Outgoing
from warledger.engine.serve.config import ServerLimits
from warledger.engine.serve.people import notifications
from warledger.engine.serve.wire.client import Client as Inside
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.board.choices import refuse
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m


class Bug(Exception):
    """What no code of ours expects."""


def buggy(monkeypatch: pytest.MonkeyPatch, kind: Any, name: str, concerns: Any = None) -> list[Any]:
    """From now on this method has a bug, the first time or whenever it `concerns` its object; whom
    it met."""
    right = getattr(kind, name)
    met: list[Any] = []

    def wrong(self: Any, *args: Any, **named: Any) -> Any:
        if concerns(self) if concerns is not None else not met:
            met.append(self)
            raise Bug
        return right(self, *args, **named)

    monkeypatch.setattr(kind, name, wrong)
    return met


async def well(running: Server, faults: int = 1) -> None:
    """The server serves, and has noted `faults` bugs."""
    assert type(await (await running.client()).ask(m.Ping)) is m.Pong
    assert running.hub.metrics.faults == faults
    assert running.log.getvalue().count("Bug at") == faults


async def test_a_game_that_cannot_look_at_its_clock_delays_no_other(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other's flag falls."""
    async with server() as s:
        ill, _, _ = await on_the_clock(s)
        game, _, _ = await on_the_clock(s)
        met = buggy(monkeypatch, Game, "look_at_clocks", lambda one: one.id == ill)
        await trio.sleep(61)
        assert met
        assert s.hub.supervisor.games[game].profile.progress.stage == "ended"
        assert s.hub.supervisor.games[ill].profile.progress.stage == "playing"
        await well(s)


async def test_a_game_that_cannot_be_tended_or_read_stops_no_other(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart: the one that does not read is closed to whoever asks for it, the one that
    cannot be tended is tended again in the next round, and a third one's flag falls."""
    store = MemoryStore()
    async with server(store) as s:
        made = [(await on_the_clock(s))[0] for _ in range(2)]
        made.append((await new_game(s))[0])
    ill, game, untended = made
    right = profile.read

    def read(frames: Any, now_ms: int, *further: Any) -> Any:
        found = right(frames, now_ms, *further)
        if found.game == ill:
            raise Bug
        return found

    monkeypatch.setattr(profile, "read", read)
    tend = Supervisor._tend_one
    met: list[str] = []

    async def tend_one(self: Supervisor, one: Game) -> None:
        if one.id == untended and not met:
            met.append(one.id)
            raise Bug
        await tend(self, one)

    monkeypatch.setattr(Supervisor, "_tend_one", tend_one)
    async with server(store, seed=2, tending=Tending(every=1.0)) as s:
        await trio.sleep(70)
        assert met and s.hub.supervisor.games[game].profile.progress.stage == "ended"
        client = await s.client()
        answer = await client.ask(m.Head, ill)
        assert type(answer) is m.Error and answer.code == "quarantined"
        assert type(await client.ask(m.Head, untended)) is m.HeadIs
        assert "Bug" in s.log.getvalue() and s.hub.metrics.faults > 2


@pytest.mark.parametrize("late", [False, True])
async def test_a_follower_who_cannot_be_sent_to_ends_alone(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """As records are written to it, or as they are sent: the move is answered, and the other
    follower has it."""
    async with server() as s:
        game, _, client = await started(s)
        before = set(s.hub.connections)
        ill = await s.client()
        (inside,) = s.hub.connections - before
        other = await s.client()
        for one in (ill, other):
            assert type(await one.ask(m.Subscribe, game, -1, "public")) is m.Subscribed
        await trio.testing.wait_all_tasks_blocked()
        name = "flush" if late else "write_later"
        buggy(monkeypatch, Outgoing, name, lambda out: out is inside.out)  # type: ignore[attr-defined]
        moved = await client.submit(game, "a", "add", 1)
        assert type(moved) is m.Accepted
        await other.until((game, "public"), moved.seq)
        while await ill.hear() is not None:
            pass
        await well(s)


async def test_who_cannot_be_answered_costs_the_game_nothing(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request whose answer meets a bug is carried out, and the game's task goes on."""
    async with server() as s:
        game, _, client = await started(s)
        inside = s.hub.supervisor.games[game]

        def done(_: Any) -> None:
            raise Bug

        inside.post(Job(lambda _: refuse("", "refusal.no_flag_due"), done))
        assert type(await client.submit(game, "a", "add", 1)) is m.Accepted
        assert s.hub.metrics.loads == 1
        await well(s)


async def test_rights_that_cannot_be_told_to_one_are_told_to_the_others(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of tokens that only look, those of accounts, and the end of idle connections."""
    limits = ServerLimits(idle_seconds=40)
    async with desk(tmp_path, limits=limits) as (running, _):
        here, there = await person(running), await person(running)
        met = buggy(monkeypatch, Inside, "see_rights")
        monkeypatch.setattr(type(running.hub.grants), "look", lambda _: True)
        looked = buggy(monkeypatch, Inside, "look_again")
        devices = (await here.ask(am.Account)).account["devices"]
        (other,) = [one["id"] for one in devices if not one["here"]]
        await here.ask(am.ChangeAccount, "drop_device", other, "")
        running.hub.people_came = True
        await running.hub.look_at_people()
        running.hub.people_came = True
        await running.hub.look_at_people()
        assert met and type(await there.hear()) is m.Error
        await trio.sleep(3)
        assert looked
        evicted = buggy(monkeypatch, type(next(iter(running.hub.connections))), "evict")
        for _ in range(2):
            await running.client()
        await trio.sleep(60)
        assert len(evicted) == 1
        await well(running, 3)


async def test_a_connection_that_has_ended_gets_no_place_again(autojump_clock: Any) -> None:
    """A request of it that is answered late takes nobody's place for ever."""
    async with server() as s:
        client = await s.client()
        (gone,) = s.hub.connections
        await client.stream.aclose()
        while s.hub.connections:
            await trio.testing.wait_all_tasks_blocked()
        s.hub.known(gone)
        assert s.hub.places.watching == 0 and not s.hub.places.spectators


async def test_a_message_that_cannot_be_sent_holds_up_no_other(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts as not taken, is tried again, and its person finds that in their account; a game
    that cannot be looked at keeps nobody from being told of another."""
    async with desk(tmp_path) as (running, people):
        hooks = Hooks()
        running.hub.notifier.poster = hooks.poster()
        anna = await person(running)
        await anna.ask(am.ChangeAccount, "channel", (URL, "json"), "")
        told = (await anna.ask(am.Account)).account["id"]
        world = people.world
        bert = await people.write(lambda at: accounts.create(at, world, "rig", "Bert"))
        await people.write(
            lambda at: notificationpreferences.set_way(
                at, world, bert, notificationpreferences.WEBHOOK, URL, "json"
            )
        )
        for whose, game in ((told, "g1"), (bert, "g2")):
            await people.write(
                lambda at, whose=whose, game=game: outbox.note(  # type: ignore[misc]
                    at, whose, decision(game, 7), world.now_ms()
                )
            )
        right = notifications.sentence

        def sentence(language: str, one: Any, url: str, form: str) -> str:
            if one.game == "g1":
                raise Bug
            return right(language, one, url, form)

        monkeypatch.setattr(notifications, "sentence", sentence)
        for tries in range(1, 4):
            await running.hub.notifier.send()
            assert len(hooks.got) == 1
            assert (await anna.ask(am.Account)).account["channel"]["error"] == "fault"
            await well(running, tries)
            later(people, 1)


async def test_a_game_that_cannot_be_looked_at_hides_no_other(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever keeps seats in two games is told of the one, though the other meets a bug; what was
    kept of that one stays."""
    async with desk(tmp_path) as (running, people):
        hooks = Hooks()
        running.hub.notifier.poster = hooks.poster()
        anna = await person(running)
        await anna.ask(am.ChangeAccount, "channel", (URL, "json"), "")
        games = []
        for _ in range(2):
            made = await opened(running)
            other = await running.client()
            await anna.ask(m.Login, dict(made.tokens)["a"], "")
            await other.ask(m.Login, dict(made.tokens)["b"], "")
            await begin(anna, other, made.game)
            games.append(made.game)
        right = notifications.matters

        def matters(game: Game, *rest: Any) -> Any:
            if game.id == games[0]:
                raise Bug
            return right(game, *rest)

        await running.hub.notifier.look()
        monkeypatch.setattr(notifications, "matters", matters)
        later(people, 1)
        await running.hub.notifier.look()
        assert running.hub.metrics.faults == 1
        await running.hub.notifier.send()
        ((_, body),) = hooks.got
        assert all(game.encode() in body for game in games)
        await well(running)


async def test_a_tournament_that_meets_a_bug_stops_no_other(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tended again later; one that cannot be read is closed, and the rest are there."""
    store = MemoryStore()
    right = Director.tend
    met: list[str] = []

    async def tend(self: Director, now_ms: int) -> Any:
        if self.tournament.id == "cup" and len(met) < 2:
            met.append("cup")
            raise Bug
        return await right(self, now_ms)

    monkeypatch.setattr(Director, "tend", tend)
    async with table(tournaments=store) as t:
        await t.open()
        await t.open(id="bowl")
        await trio.sleep(200)
        assert len(met) == 2
        await well(t.served, 2)
    load = hosting.desks.load

    async def unreadable(kept: Any, world: Any, signer: Any, id: str, *rest: Any) -> Any:
        if id == "cup":
            raise Bug
        return await load(kept, world, signer, id, *rest)

    monkeypatch.setattr(hosting.desks, "load", unreadable)
    async with server(titles=TITLES, tournaments=store, seed=2) as s:
        host = await s.client(HOST_TOKEN)
        assert type(await host.ask(m.Head, "bowl")) is m.HeadIs
        assert (await host.ask(m.Head, "cup")).code == "quarantined"
        await well(s)
