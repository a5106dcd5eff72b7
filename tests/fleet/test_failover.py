"""Games whose node is gone: who takes them, without being asked and only where they can go on."""

from __future__ import annotations

import signal
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import trio
import trio.testing

from tests.serve.rig import Client, sit_down
from tests.serve.wire.test_sockets import client_of
from warledger.engine.serve.fleet.failover import Orphans
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.cards import Cards
from warledger.protocol.wire import messages as m

from .test_nodes import Engine, engine, frames_of, listed, moved, new_game, owners

__all__ = ["engine"]


async def test_what_is_due_is_adopted_and_only_by_a_node_that_has_the_title(
    engine: Engine, tmp_path: Path
) -> None:
    """A game with a running clock whose node was killed falls to a node that has its title, though
    nobody asks for it; one without stays as it is. Of two nodes the one that lacks the title claims
    neither, and has the other take what its client plays on; a seat's token that was replaced
    before is worth nothing there."""
    with engine.nodes(tmp_path / "a") as [a]:
        with trio.fail_after(180):
            idle, given = await new_game(a)
            player = await client_of(a, given["a"])
            assert type(await player.ask(m.Login, given["b"], "")) is m.LoggedIn
            await sit_down(player, idle)
            host = await client_of(a, "host:secret")
            again = await host.ask(m.NewToken, idle, "a")
            assert type(again) is m.Token, again
            assert type(await player.ask(m.Login, again.token, "")) is m.LoggedIn
            told = [await moved(player, idle, step) for step in range(3)]
            terms = {"clock": {"bank": 2_000, "fall": "loss"}}
            timed = await host.ask(m.OpenGame, "counting", {"turns": 50}, terms)
            assert type(timed) is m.Created, timed
            for _, token in timed.tokens:
                assert type(await player.ask(m.Login, token, "")) is m.LoggedIn
            await sit_down(player, timed.game)
            await moved(player, timed.game, 0)
            await _carded(engine, idle, told[-1].seq)
            a.process.send_signal(signal.SIGKILL)
            with (
                engine.nodes(tmp_path / "b", without=("counting",)) as [b],
                engine.nodes(tmp_path / "c") as [c],
            ):
                watcher = await client_of(b)
                while await _stage(watcher, timed.game) != "ended":
                    await trio.lowlevel.checkpoint()
                assert len(owners(await frames_of(engine, timed.game))) == 2
                assert len(owners(await frames_of(engine, idle))) == 1
                old = await client_of(b)
                refused = await old.ask(m.Login, given["a"], "")
                assert type(refused) is m.Error, refused
                there = await client_of(b, again.token)
                assert type(await there.ask(m.Login, given["b"], "")) is m.LoggedIn
                there.hands = player.hands
                await moved(there, idle, 3)
                taken = owners(await frames_of(engine, idle))
                assert taken[1] == owners(await frames_of(engine, timed.game))[1]
                assert f"-{c.process.pid}-" in taken[1]
                status, figures = await b.get("/metrics", "host:secret")
                assert status == 200 and figures.count("warledger_fleet_probe_age_seconds{") == 2
                for name in ("append_seconds", "tries_total", "fenced_total", "claims_total"):
                    assert f"warledger_fleet_{name}" in figures, name
                assert f'warledger_fleet_claims_total{{node="{taken[1]}"}} 2.0' in figures
                assert given["a"] not in figures and again.token not in figures


async def test_a_game_whose_owner_died_before_it_had_a_card_falls_to_a_node_that_has_its_rules(
    engine: Engine, tmp_path: Path
) -> None:
    """Of many such games each one ends by its clock, whichever of two nodes comes first for it:
    the one that has the title finds it without a card."""
    with engine.nodes(tmp_path / "a", without=["cards"]) as [a], trio.fail_after(120):
        host, player, games = await client_of(a, "host:secret"), await client_of(a), []
        for _ in range(6):
            terms = {"clock": {"bank": 100, "fall": "loss"}}
            timed = await host.ask(m.OpenGame, "counting", {"turns": 50}, terms)
            assert type(timed) is m.Created, timed
            for _, token in timed.tokens:
                assert type(await player.ask(m.Login, token, "")) is m.LoggedIn
            await sit_down(player, timed.game)
            games.append(timed.game)
        a.process.send_signal(signal.SIGKILL)
        with (
            engine.nodes(tmp_path / "b", without=("counting",)) as [b],
            engine.nodes(tmp_path / "c") as [c],
        ):
            watcher = await client_of(b)
            for game in games:
                while await _stage(watcher, game) != "ended":
                    await trio.lowlevel.checkpoint()
                assert f"-{c.process.pid}-" in owners(await frames_of(engine, game))[-1]


async def test_games_are_read_one_after_the_other_while_it_is_found_out_whose_owners_are_dead() -> (
    None
):
    """Whoever asks for a game waits for one that is being adopted, and not for all of them; an
    owner that hangs holds up no game of another's. One whose owner lives after all is not read."""
    at_it: list[str] = []
    read: list[str] = []
    answers = trio.Event()

    async def game_of(game: str) -> None:
        at_it.append(game)
        await trio.testing.wait_all_tasks_blocked()
        assert at_it.pop() == game and not at_it
        read.append(game)
        if len(read) == 9:
            answers.set()

    async def is_dead(owner: str) -> bool:
        if owner == "hangs":
            await answers.wait()
        return owner != "lives"

    async def take(game: str) -> bool:
        return False

    owner_of = {"g0": "hangs", "g1": "lives"}
    hub = SimpleNamespace(
        titles={}, supervisor=SimpleNamespace(game=game_of), contained=lambda what: nullcontext()
    )
    orphans = Orphans(
        cast(Any, hub),
        cast(Any, SimpleNamespace(owner_of=lambda game: owner_of.get(game, "gone"))),
        cast(Any, SimpleNamespace(is_dead=is_dead, name="n")),
        cast(Any, SimpleNamespace(of=lambda game: None)),
        take,
        cast(Any, None),
    )
    games = [f"g{number}" for number in range(11)]
    with trio.fail_after(9):
        async with trio.open_nursery() as nursery:
            limit = trio.CapacityLimiter(4)
            for game in games:
                nursery.start_soon(orphans._adopt, game, limit)
    assert sorted(read) == sorted([*games[2:], "g0"]) and read[-1] == "g0"


async def _carded(engine: Engine, game: str, seq: int) -> None:
    """Return once a game's card says that it has come so far."""
    where = fleetadmin.Where.of(engine.url, keys=engine.keys)
    async with fleetadmin.reached(where) as js, trio.open_nursery() as nursery:
        cards = Cards(js.engine)
        await nursery.start(cards.run)
        while (card := cards.of(game)) is None or card.row["seq"] < seq:
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()


async def _stage(client: Client, game: str) -> str:
    """How far a game is, as lists tell it."""
    row = await listed(client, game)
    return "" if row is None else str(row["stage"])
