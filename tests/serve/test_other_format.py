"""A data directory with games of another format: the server starts, says that it does not read
them, and touches nothing of theirs."""

from __future__ import annotations

from pathlib import Path

from trio.testing import MockClock

from tests.older import OLDER, older_frames
from tests.serve.rig import HOST_TOKEN, server, started
from warledger.engine.store.files.wal import open_store
from warledger.protocol.log.wlog import MAGIC
from warledger.protocol.wire import messages as m


def files_of(data: Path, game: str) -> dict[str, bytes]:
    """Every file of a game in a data directory."""
    found = sorted(path for path in data.rglob("*") if game in path.name)
    return {path.name: path.read_bytes() for path in found}


async def test_games_of_another_format_are_listed_and_left_alone(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Beside a game of today that goes on: the old ones are told as not read, refuse every request
    with one sentence, and their files stay as they are; nothing is quarantined."""
    async with open_store(tmp_path) as store, server(store) as s:
        game, _, _ = await started(s)
        frames = store.read(game)
    async with open_store(tmp_path) as store:
        await store.create("old", older_frames(frames))
    file = tmp_path / "games" / "old.wlog"
    data = file.read_bytes()
    file.write_bytes(MAGIC[:-1] + bytes([OLDER]) + data[len(MAGIC) :])
    before = {
        path: path.read_bytes() for path in (tmp_path / "games").iterdir() if "old" in path.name
    }

    async with open_store(tmp_path) as store, server(store) as s:
        host = await s.client(HOST_TOKEN)
        rows = {row["game"]: row for row in (await host.ask(m.Games, "", "", 9)).games}
        assert rows[game]["stage"] == "playing"
        assert rows["old"]["reason"][0] == "error.other_format"
        for request in (
            (m.Subscribe, "old", -1, "public"),
            (m.Head, "old"),
            (m.NewToken, "old", "a"),
            (m.View, "old", "public", -1),
        ):
            answer = await host.ask(*request)
            assert (type(answer), answer.code) == (m.Error, "other_format"), request
        assert type((await host.ask(m.Head, game)).head) is not None
        assert s.hub.metrics.quarantined == 0 and s.hub.metrics.faults == 0
    after = {
        path: path.read_bytes() for path in (tmp_path / "games").iterdir() if "old" in path.name
    }
    assert after == before and set(after) == {file}
