"""`warledger fleet`: from an empty folder to a fleet, and what is changed in it later."""

import json
import os
import signal
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import trio
from click.testing import CliRunner, Result

from tests.e2e.test_command_line import process
from tests.fleet.chained import Chain
from tests.nats.rig import serving
from warledger.clients.cli import main
from warledger.clients.commands.demos.fleetdemo import free_ports
from warledger.engine.store.files.datadir import all_games, read_game
from warledger.engine.store.files.gamefile import encode_addition
from warledger.engine.store.files.wal import open_store
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.fleetstreams import Fleet
from warledger.engine.store.fleet.jetstream import SHARDS
from warledger.engine.store.fleet.keyring import read_ring
from warledger.engine.store.fleet.receipts import Receipt
from warledger.engine.store.fleet.streamends import subject_of
from warledger.engine.store.port import Frame


def test_a_fleet_from_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`init` writes the files, says how to start the servers, and makes the streams once they run;
    then its state, keys, host's token and release are shown and changed, and a ring that others
    can read stops each command."""
    [port] = free_ports(1)
    keys, url = tmp_path / "keys", f"nats://127.0.0.1:{port}"
    at = ["--store", url, "--keys", str(keys)]

    def run(*args: Any, code: int = 0) -> Result:
        found = CliRunner().invoke(main, ["fleet", *map(str, args)])
        assert found.exit_code == code, found.output
        return found

    monkeypatch.setattr(fleetadmin, "REACHED_SECONDS", 0.2)
    own = ["init", *at, "--room", "200MB", "--nats-data", "js"]
    assert "nats-server -c nats.conf" in run(*own, "--lang", "en", code=1).output
    before = read_ring(keys)
    assert (keys / "host.token").read_text().startswith("host:")
    monkeypatch.undo()
    with serving(keys / "nats-1"):
        assert json.loads(run(*own, "--json").output)["made"] is True
        assert json.loads(run(*own, "--json").output)["made"] is False
        again = run("init", *at, "--room", "300MB", "--lang", "en", code=1).output
        assert "max_bytes" in " ".join(again.split()) and "WG0" in again
        told = json.loads(run("status", *at, "--json").output)
        assert told["current"] and len(told["streams"]) == 15 and told["nodes"] == {}
        [server] = told["servers"]
        assert server["name"] == "nats-1" and server["version"] and told["edges"] == []
        assert "WPROBE" in run("status", *at, "--wait").output

        token = (keys / "host.token").read_text()
        run("host-token", *at)
        assert (keys / "host.token").read_text() != token
        run("release", 1, *at)
        run("release", 2, *at, code=1)

        run("rotate-key", "--keys", keys, "--use", code=2)
        run("rotate-key", *at, "--use", code=1)
        run("rotate-key", "--keys", keys)
        assert read_ring(keys).public == before.public
        run("rotate-key", "--keys", keys, code=1)
        run("rotate-key", *at, "--use")
        listed = (keys / "server.pub").read_text().split()
        assert listed[1:] == list(before.public) and tuple(listed) == read_ring(keys).public
        assert (keys / "fleet.keys").stat().st_mode & 0o777 == 0o600
        assert json.loads(run(*own, "--json").output)["made"] is False

        (keys / "fleet.keys").chmod(0o644)
        assert "chmod 600" in " ".join(run("rotate-key", "--keys", keys, code=1).output.split())
    for wrong in (("--room", "20"), ("--room", "1MB"), ("--replicas", "2")):
        run("init", *at, *wrong, code=2)
    run("status", "--store", "http://x", "--keys", keys, code=2)


async def keep(data: Path, chain: Chain) -> None:
    async with open_store(data) as store:
        await store.create(chain.name, chain.frames)


def test_games_go_into_a_fleet_and_come_out_in_its_archive(tmp_path: Path) -> None:
    """`import` first adds the server's key to the ring, since its games go on by it, and then
    brings the games; `archive` has them in a data directory with the same frames, which `check`
    finds sound, and Ctrl-C ends it; with neither a fleet nor a command it says what to name."""
    [port] = free_ports(1)
    keys, own, url = tmp_path / "keys", tmp_path / "own", f"nats://127.0.0.1:{port}"
    at = ["--store", url, "--keys", str(keys)]
    chain = Chain("game")
    chain.grown()
    chain.grown(600_000)
    trio.run(keep, own, chain)
    (own / "server.key").write_text("ab" * 32)

    def run(*args: Any, code: int = 0) -> Result:
        found = CliRunner().invoke(main, list(map(str, args)))
        assert found.exit_code == code, found.output
        return found

    run("archive", code=2)
    fleetadmin.prepare(
        keys,
        url,
        Fleet(replicas=1, room=200_000_000),
        store="js",
        random_bytes=os.urandom,
        token=lambda: "host:x",
        now=datetime.now(UTC),
    )
    with serving(keys / "nats-1"):
        run("fleet", "init", *at, "--room", "200MB")
        run("import", tmp_path, *at, code=2)
        assert "fleet.keys" in " ".join(run("import", own, *at, code=1).output.split())
        assert "other 1 " + "ab" * 32 in (keys / "fleet.keys").read_text()
        assert len((keys / "server.pub").read_text().split()) == 2
        # What lies there is no game, which the audit says; every byte is brought in all the same.
        for new in (2, 0):
            told = json.loads(run("import", own, *at, "--json", code=1).output)
            assert told["brought"] == {"game": new} and "genesis" in told["unsound"]["game"]
        missing = json.loads(run("import", own, *at, "--game", "no", "--json", code=1).output)
        assert list(missing["failed"]) == ["no"]

        node = tmp_path / "node"
        node.mkdir()
        heal = ["fleet", "heal", *at, "--data", node, "--json"]
        assert json.loads(run(*heal).output) == {"mended": {}, "failed": {}}
        ring = read_ring(keys).data_keys
        [message] = ring.seal("lost", 0, encode_addition(chain.frames[:3], new_file=False).data)
        (node / "receipts").mkdir()
        (node / "receipts" / "000000000001.receipts").write_bytes(
            Receipt(1, subject_of("lost", SHARDS), "lost.1", 0, (message,)).framed()
            + Receipt(2, subject_of("lost", SHARDS), "lost.1", 7, ()).framed()
        )
        assert json.loads(run(*heal).output) == {"mended": {"lost": 1}, "failed": {}}

        data = tmp_path / "archive"
        found: list[Frame] = []
        with process("archive", *at, "--data", str(data)) as following:
            deadline = time.monotonic() + 20
            while found != chain.frames:
                assert following.poll() is None and time.monotonic() < deadline
                if (data / "archive.json").exists() and "game" in all_games(data):
                    found = read_game(data, "game")
                os.sched_yield()
            following.send_signal(signal.SIGINT)
            assert following.wait(20) == 130
        run("check", data)
        assert read_game(data, "game") == chain.frames
