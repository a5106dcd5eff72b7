"""Lists of a server with many finished games: their rows are looked up, and are those that would be
told from their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from tests.serve.rig import Client, Server, server, started
from warledger.engine.runtime.supervisor import Supervisor
from warledger.engine.serve import listing
from warledger.engine.serve.finished import FORM, Finished
from warledger.protocol import messages as m


async def told(up: Server, stage: str = "", most: int = 100, after: str = "") -> Any:
    """What a spectator is told."""
    return await listing.listed(up.hub, listing.NOBODY, after, most, stage)


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
            up.hub.finished = Finished(file)
            assert await told(up) == plain
            up.hub.finished.close()
        if kept == "damaged":
            file.write_bytes(b"SQLite format 3\0" + bytes(500))
        elif kept == "removed":
            file.unlink()
        form = "0" if kept == "another release" else str(FORM)
        up.hub.finished = Finished(None if kept == "memory" else file, form)
        for _ in range(2):
            assert await told(up) == plain
            ended = [row for row in plain[0] if row["stage"] == "ended"]
            assert (await told(up, "ended"))[0] == ended
            playing = [row for row in plain[0] if row["stage"] == "playing"]
            assert (await told(up, "playing"))[0] == playing
            one, more = await told(up, most=1)
            assert (one, more) == (plain[0][:1], True)
            assert (await told(up, after=one[0]["game"]))[0] == plain[0][1:]


async def test_a_finished_game_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many lists are made, and although the server has forgotten it."""
    async with server() as up:
        up.hub.finished = Finished()
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
        up.hub.finished = Finished()
        game, _, both = await started(up, delay_s=60, turns=2)
        await over(both, game)
        (row,), _ = await told(up)
        assert (row["stage"], up.hub.finished.known()) == ("gathering", set())
        await trio.sleep(61)
        (row,), _ = await told(up)
        assert (row["stage"], up.hub.finished.known()) == ("ended", {game})


async def over(both: Client, game: str) -> None:
    """Play a game to its end."""
    while type(await both.ask(m.Choices, game, "a", ())) is m.ChoicesAre or (
        type(await both.ask(m.Choices, game, "b", ())) is m.ChoicesAre
    ):
        await both.submit(game, "a", "pass")
        await both.submit(game, "b", "pass")
