"""Lists of a server with many games: the rows of those that nobody uses are looked up, and are
those that would be told from their files."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from tests.serve.rig import Client, Server, new_game, on_the_clock, server, sit_down, started
from warledger.engine.runtime.supervisor import Supervisor
from warledger.engine.serve.games import gamelists
from warledger.engine.serve.games.lobbyindex import FORM, Row, Rows
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol import canon
from warledger.protocol.wire import messages as m


async def told(up: Server, stage: str = "", most: int = 100, after: str = "") -> Any:
    """What a spectator is told."""
    return await gamelists.listed(up.hub, gamelists.NOBODY, after, most, stage)


@pytest.mark.parametrize("kept", ["memory", "file", "damaged", "removed", "another release"])
async def test_rows_of_finished_games_are_those_of_their_files(tmp_path: Path, kept: str) -> None:
    """From memory, from a file, and when the file is damaged, gone or of another release; also page
    by page and by stage."""
    file = tmp_path / "lobby.cache"
    async with server() as up:
        games = [await started(up, turns=2) for _ in range(3)]
        for game, _, both in games[:2]:
            await over(both, game)
        plain = await told(up)
        if kept != "memory":
            up.hub.rows = Rows(file)
            assert await told(up) == plain
            up.hub.rows.close()
        if kept == "damaged":
            file.write_bytes(b"SQLite format 3\0" + bytes(500))
        elif kept == "removed":
            file.unlink()
        form = "0" if kept == "another release" else str(FORM)
        up.hub.rows = Rows(None if kept == "memory" else file, form)
        for _ in range(2):
            assert await told(up) == plain
            ended = [row for row in plain[0] if row["stage"] == "ended"]
            assert (await told(up, "ended"))[0] == ended
            playing = [row for row in plain[0] if row["stage"] == "playing"]
            assert (await told(up, "playing"))[0] == playing
            one, more = await told(up, most=1)
            assert (one, more) == (plain[0][:1], True)
            assert (await told(up, after=one[0]["game"]))[0] == plain[0][1:]


KILLED = """
import os, sys
from pathlib import Path
from tests.serve.games.test_gamelists import Told, rows_of
from warledger.engine.serve.games.lobbyindex import Rows
rows, ticks = Rows(Path(sys.argv[1])), [0]
def tick():
    ticks[0] += 1
    if ticks[0] == int(sys.argv[2]):
        os._exit(9)
rows._opened().set_progress_handler(tick, 100)
rows.keep(Told(), rows_of("playing"))
"""
IDS = [f"g{n:05}" for n in range(6000)]


class Told:
    """A store with games of ten bytes each."""

    def games(self) -> list[str]:
        return IDS

    def length(self, game: str) -> int:
        return 10

    def keeps(self, game: str) -> bool:
        return game in IDS


def rows_of(stage: str) -> dict[str, Row]:
    return {id: Row({"game": id, "stage": stage, "reason": "x" * 600}, 10) for id in IDS}


def test_a_server_that_is_killed_as_it_writes_rows_has_those_of_before(tmp_path: Path) -> None:
    """Wherever in the write that is: each game is told once, and none has to be read again."""
    file = tmp_path / "lobby.cache"
    rows = Rows(file)
    rows.keep(Told(), rows_of("gathering"))
    rows.close()
    for ticks in (200, 1000, 1800):
        program = [sys.executable, "-c", KILLED, str(file), str(ticks)]
        assert subprocess.run(program, check=False).returncode == 9
        rows = Rows(file)
        assert rows.doubtful(Told()) == set()
        assert list(rows.page(Told(), "gathering", "", 7000)[0]) == IDS
        assert rows.page(Told(), "playing", "", 7000)[0] == {}
        rows.close()


async def test_rows_that_somebody_wrote_by_hand_are_not_told(tmp_path: Path) -> None:
    """What is no row is taken for damage."""
    file = tmp_path / "lobby.cache"
    async with server() as up:
        game, _, both = await started(up, turns=2)
        await over(both, game)
        plain = await told(up)
        for blob in (None, 7, "text", b"", canon.pack({"game": game}), canon.pack(1)):
            up.hub.rows = Rows(file)
            assert await told(up) == plain
            up.hub.rows.close()
            with closing(sqlite3.connect(file)) as at, at:
                at.execute("UPDATE rows SET row = ?", (blob,))
            up.hub.supervisor.games.clear()
            up.hub.rows = Rows(file)
            assert await told(up) == plain
            up.hub.rows.close()


async def test_a_finished_game_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many lists are made, and although the server has forgotten it."""
    async with server() as up:
        up.hub.rows = Rows()
        game, _, both = await started(up, turns=2)
        await over(both, game)
        first = await told(up, "ended")
        assert [row["game"] for row in first[0]] == [game]
        reads = []
        read = Supervisor.game

        async def counted(self: Supervisor, id: str) -> Any:
            reads.append(id)
            return await read(self, id)

        monkeypatch.setattr(Supervisor, "game", counted)
        up.hub.supervisor.games.clear()
        assert await told(up, "ended") == first
        assert await told(up, "playing") == ([], False)
        assert reads == []


async def test_a_delayed_game_is_kept_once_spectators_have_seen_its_end(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Before that, nothing of its end is in the rows."""
    async with server() as up:
        up.hub.rows = Rows()
        game, _, both = await started(up, delay_s=60, turns=2)
        await over(both, game)
        (row,), _ = await told(up)
        assert (row["stage"], up.hub.rows.over()) == ("gathering", set())
        await trio.sleep(61)
        (row,), _ = await told(up)
        assert (row["stage"], up.hub.rows.over()) == ("ended", {game})


async def over(both: Client, game: str) -> None:
    """Play a game to its end."""
    while type(await both.ask(m.Choices, game, "a", ())) is m.ChoicesAre or (
        type(await both.ask(m.Choices, game, "b", ())) is m.ChoicesAre
    ):
        await both.submit(game, "a", "pass")
        await both.submit(game, "b", "pass")


@pytest.mark.parametrize("seed", range(4))
async def test_rows_are_those_of_a_server_that_has_none(
    tmp_path: Path, seed: int, autojump_clock: trio.testing.MockClock
) -> None:
    """Whatever was played, forgotten, kept or lost: every page of every stage is that of a server
    which reads every game anew."""
    print("seed", seed)
    rng = random.Random(seed)
    file = tmp_path / "lobby.cache"
    async with server(seed=seed) as up:
        hub, supervisor = up.hub, up.hub.supervisor
        hub.rows = Rows(file)
        games: list[tuple[str, Client | None]] = []
        compared = 0
        for _ in range(60):
            match rng.randrange(7):
                case 0:
                    delay_s = rng.choice((0, 0, 60))
                    if rng.random() < 0.3:
                        games.append(((await new_game(up, delay_s=delay_s))[0], None))
                    else:
                        game, _, both = await started(up, delay_s=delay_s, turns=2)
                        games.append((game, both))
                case 1 | 2 if games:
                    game, client = rng.choice(games)
                    if client is not None:
                        await client.submit(game, rng.choice("ab"), "pass")
                case 3:
                    quiet = [one for one in supervisor.games.values() if one.is_idle]
                    forgotten = rng.sample(quiet, rng.randint(0, len(quiet)))
                    for one in forgotten:
                        del supervisor.games[one.id]
                    hub.rows.doubt([one.id for one in forgotten])
                    if rng.random() < 0.7:
                        await gamelists.keep(hub, forgotten)
                case 4:
                    # Killed: what rows were not kept is not known.
                    hub.rows.close()
                    hub.rows = Rows(file)
                case 5:
                    await trio.sleep(rng.choice((1, 61)))
                case _:
                    stage = rng.choice(("", "gathering", "playing", "ended"))
                    most = rng.randint(1, 4)
                    after = rng.choice(["", *(game for game, _ in games)])
                    found = await told(up, stage, most, after)
                    kept, hub.rows = hub.rows, Rows()
                    assert found == await told(up, stage, most, after), seed
                    hub.rows = kept
                    compared += bool(found[0])
        assert compared > 2


async def test_after_a_start_only_what_may_happen_by_itself_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    """A server that begins anew over many games reads those that gather or have clocks, and no
    list reads any that is being played."""
    store = MemoryStore()
    async with server(store, data=tmp_path) as up:
        playing = [(await started(up))[0] for _ in range(3)]
        gathering, _ = await new_game(up)
        timed, *_ = await on_the_clock(up)
        first = await told(up)
        await up.stop()
    reads = set()
    read = Supervisor._profile

    async def counted(self: Supervisor, id: str) -> Any:
        reads.add(id)
        return await read(self, id)

    monkeypatch.setattr(Supervisor, "_profile", counted)
    async with server(store, data=tmp_path) as up:
        found = await told(up, "playing")
        assert [row["game"] for row in found[0]] == sorted((*playing, timed))
        await trio.sleep(1)
        assert (await told(up))[0] == first[0]
        await trio.sleep(100)
        assert reads == {gathering, timed}


async def test_a_row_of_before_a_crash_does_not_count(tmp_path: Path) -> None:
    """A game that went on after its row was kept is read again, and stands in the stage that it has
    reached."""
    store = MemoryStore()
    async with server(store, data=tmp_path) as up:
        game, given = await new_game(up)
        await gamelists.keep(up.hub, list(up.hub.supervisor.games.values()))
        client = await up.client(given["a"], "Anna")
        assert type(await client.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
        await sit_down(client, game)
    async with server(store, data=tmp_path) as up:
        assert (await told(up, "gathering"))[0] == []
        ((row,), _) = await told(up, "playing")
        assert (row["game"], row["stage"]) == (game, "playing")
