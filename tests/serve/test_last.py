"""Which game is told to the store as the last of its turn of the event loop: see `jobs.Afoot`."""

from __future__ import annotations

from functools import partial
from typing import Any

import trio
import trio.testing

from tests.serve.rig import Server, new_game, server
from warledger.engine.runtime.actor import Game
from warledger.engine.runtime.jobs import Job, ignore, nothing
from warledger.engine.runtime.live import Live
from warledger.engine.store.port import StoreFailed
from warledger.engine.testing.memory import MemoryStore


class Noting(MemoryStore):
    """Notes which appends are said to be the last, and keeps them waiting while the test wants
    it."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[tuple[str, bool]] = []
        self.free = trio.Event()
        self.free.set()
        self.fails = False

    async def append(
        self, game: str, expected_records: int, frames: Any, *, is_last: bool = False
    ) -> None:
        self.noted.append((game, is_last))
        await self.free.wait()
        if self.fails:
            raise StoreFailed("no space", "not saved")
        await super().append(game, expected_records, frames)


async def loaded(s: Server) -> Game:
    """A game that waits for its players, in memory and asleep."""
    id, _ = await new_game(s)
    game = await s.hub.supervisor.game(id)
    assert isinstance(game, Game)
    await game.position()
    await trio.testing.wait_all_tasks_blocked()
    return game


def new_key(number: int, live: Live) -> Any:
    """Have the server sign with another key from now on."""
    return live.ledger.propose_rotation(bytes((number,)) * 32, bytes(64), 1)


def write(game: Game, number: int = 1) -> None:
    """Have a record written."""
    game.post(Job(partial(new_key, number), ignore))


async def test_the_last_game_of_a_turn_is_told_to_the_store() -> None:
    """Of games that are woken in one turn the last to reach the store is the last; one alone is the
    last, also after others were refused, failed or fell asleep without a record."""
    store = Noting()
    async with server(store) as s:
        games = [await loaded(s) for _ in range(6)]
        assert s.hub.supervisor.afoot.awake == 0
        store.noted.clear()
        for game in games[:3]:
            write(game)
        await trio.testing.wait_all_tasks_blocked()
        assert [is_last for _, is_last in store.noted] == [False, False, True]
        games[3].post(Job(nothing, ignore))
        games[4].passivate()
        await trio.testing.wait_all_tasks_blocked()
        write(games[3])
        await trio.testing.wait_all_tasks_blocked()
        assert store.noted[3:] == [(games[3].id, True)]
        store.fails = True
        write(games[5])
        await trio.testing.wait_all_tasks_blocked()
        assert store.noted[4:] == [(games[5].id, True)]
        assert s.hub.supervisor.afoot.awake == 0


async def test_a_game_that_goes_on_is_not_the_last_again() -> None:
    """Further requests that have come meanwhile are carried out without a sleep, and must not hold
    up the other games one after the other."""
    store = Noting()
    async with server(store) as s:
        game = await loaded(s)
        store.noted.clear()
        store.free = trio.Event()
        for number in (1, 2):
            write(game, number)
        await trio.testing.wait_all_tasks_blocked()
        assert store.noted == [(game.id, True)]
        store.free.set()
        await trio.testing.wait_all_tasks_blocked()
        assert store.noted == [(game.id, True), (game.id, False)]
