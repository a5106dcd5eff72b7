"""Backups of an archive, and what can be done with one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trio
from click.testing import CliRunner, Result

from tests.e2e.test_command_line import process
from tests.fleet.chained import Chain
from tests.fleet.test_archive import engine, fleet_store, following, grow, has
from tests.fleet.test_edges import acted, table
from tests.fleet.test_nodes import Engine, fleet_engine, frames_of
from tests.nats.rig import Nats
from warledger.clients.cli import main
from warledger.engine.store.files import datadir
from warledger.engine.store.files.backup import backup
from warledger.engine.store.files.check import check
from warledger.engine.store.files.datadir import all_games, read_game
from warledger.engine.store.fleet.fleetadmin import PUBLIC_KEYS
from warledger.engine.store.port import FRAME_RECORD
from warledger.protocol.log.wlog import parse

__all__ = ["engine"]


async def test_an_archive_from_a_backup_follows_without_a_gap(
    engine: Nats, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy is made while the archive goes on: whatever comes to it between the games' being read
    and the rest's being copied, an archive that begins with the copy gets it again, also of a game
    in which nothing happens afterwards."""
    data, copy = tmp_path / "archive", tmp_path / "copy"
    games = {name: Chain(name) for name in ("quiet", "played")}
    recover = datadir.recover
    async with fleet_store(engine) as (store, js):
        for name, chain in games.items():
            await grow(store, name, chain)
            await grow(store, name, chain)
        async with following(js, data) as (_, kept):
            for name, chain in games.items():
                await has(kept, name, chain.frames)

            async def go_on() -> None:
                for name, chain in games.items():
                    await grow(store, name, chain)
                    await store.append(name, chain.count, chain.claimed(f"{name} is claimed"))
                    await has(kept, name, chain.frames)
                place = data / "archive.json"
                ends = [(await js.describe(name))["state"]["last_seq"] for name in ("WG0", "WG1")]
                while list(json.loads(place.read_text())["streams"].values()) != ends:
                    await trio.lowlevel.checkpoint()

            def recovered(*args: Any, **how: Any) -> Any:
                found = recover(*args, **how)
                trio.from_thread.run(go_on)
                return found

            with monkeypatch.context() as patched:
                patched.setattr(datadir, "recover", recovered)
                await trio.to_thread.run_sync(backup, data, copy)
        assert check(copy) == []
        async with following(js, copy) as (archive, kept):
            await grow(store, "played", games["played"])
            for name, chain in games.items():
                await has(kept, name, chain.frames)
            assert archive.stopped == {}
    assert check(copy) == []


def test_what_is_said_of_an_archives_directory_is_true(tmp_path: Path) -> None:
    """While `archive` runs and a game is being played, its directory is checked, copied and checked
    again; a file that is exported from it, and one from the copy, is the game as the engine has it,
    and the audit by the fleet's public keys finds it sound. Ctrl-C ends the archive, and all of it
    holds afterwards."""
    data, copy = tmp_path / "archive", tmp_path / "copy"

    def run(*args: Any, code: int = 0) -> Result:
        found = CliRunner().invoke(main, list(map(str, args)))
        assert found.exit_code == code, found.output
        return found

    def whole(of: Path, engine: Engine, game: str, records: list[bytes]) -> None:
        assert json.loads(run("check", of, "--json").output)["sound"] is True
        file = tmp_path / f"{of.name}.wlog"
        run("export", game, "--data", of, "-o", file, "--force")
        keys = (engine.keys / PUBLIC_KEYS).read_text().split()
        audited = run("audit", file, "--chain-only", "--key", keys[0], "--json").output
        assert json.loads(audited)["findings"] == []
        run("audit", file, "--key", "ab" * 32, "--json", code=1)
        assert list(parse(file.read_bytes()).records) == records

    async def played(engine: Engine, following: Any) -> tuple[str, list[bytes]]:
        with engine.nodes(tmp_path / "a", tmp_path / "b") as (a, b):
            game, _, player = await table(a, b, turns=10)
            for step in range(20):
                await acted(player, game, step, "pass")
                if step == 8:
                    while not ((data / "archive.json").exists() and game in all_games(data)):
                        await trio.lowlevel.checkpoint()
                    run("check", data)
                    told = json.loads(run("backup", data, copy, "--json").output)
                    assert told["games"] == 1 and told["damaged"] == []
            frames = await frames_of(engine, game)
        records = [payload for kind, payload in frames if kind == FRAME_RECORD]
        while True:
            found = await trio.to_thread.run_sync(read_game, data, game)
            if [one.payload for one in found if one.kind == FRAME_RECORD] == records:
                break
            assert following.poll() is None
        return game, records

    with fleet_engine(tmp_path / "keys") as engine:
        at = ("--store", engine.url, "--keys", str(engine.keys))
        with process("archive", *at, "--data", str(data)) as following:

            async def play() -> tuple[str, list[bytes]]:
                with trio.fail_after(90):
                    return await played(engine, following)

            game, records = trio.run(play)
            whole(data, engine, game, records)
            following.send_signal(2)
            assert following.wait(20) == 130
        whole(data, engine, game, records)
        assert json.loads(run("check", copy, "--json").output)["sound"] is True
        kept = [one.payload for one in read_game(copy, game) if one.kind == FRAME_RECORD]
        assert 0 < len(kept) < len(records) and kept == records[: len(kept)]
        # An archive that begins with the copy has all of it again.
        with process("archive", *at, "--data", str(copy)) as following:
            while len(kept) < len(records):
                kept = [one.payload for one in read_game(copy, game) if one.kind == FRAME_RECORD]
                assert following.poll() is None
            following.send_signal(2)
            assert following.wait(20) == 130
        whole(copy, engine, game, records)
