"""`warledger fleet`: from an empty folder to a fleet, and what is changed in it later."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.nats.rig import free_ports, serving
from warledger.clients.cli import main
from warledger.engine.store import fleet
from warledger.engine.store.ring import read_ring


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

    monkeypatch.setattr(fleet, "REACHED_SECONDS", 0.2)
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
