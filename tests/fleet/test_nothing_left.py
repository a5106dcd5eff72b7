"""Nothing is left of what the rigs of tests/nats and tests/fleet start, however a test ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.layers.test_imports import ROOT
from tests.nats.rig import program

MODULE = """
import os, signal, sys
from pathlib import Path
import pytest, trio
from tests.fleet.test_edges import edge
from tests.fleet.test_nodes import own_engine, process
from tests.nats.rig import cluster, nats

from tests.fleet.test_nothing_left import listening

def told(*servers):
    open_now = listening()
    with open(os.environ["PORTS"], "a") as file:
        for one in servers:
            print(*(inode for inode, port in open_now.items() if port == one.port), file=file)

async def end(*stopped):
    # Whoever is to be killed goes on for ever, the others fail.
    for one in stopped:
        one.send_signal(signal.SIGSTOP)
    if os.environ["HOW"] == "fails":
        raise AssertionError("as it should")
    Path(os.environ["PORTS"]).with_name("ready").touch()
    await trio.sleep_forever()

@pytest.fixture
def broken(tmp_path):
    with nats(tmp_path / "n") as one:
        told(one)
        raise RuntimeError("as it should")

def test_whose_fixture_fails(broken):
    pass

def test_whose_third_server_does_not_start(tmp_path, monkeypatch):
    import tests.nats.rig
    started = tests.nats.rig.nats
    def third_fails(folder, config=None):
        if folder.name == "n2":
            config = {**config, "cluster": {**config["cluster"], "listen": "nonsense"}}
        return started(folder, config)
    monkeypatch.setattr(tests.nats.rig, "nats", third_fails)
    with cluster(tmp_path) as servers:
        told(*servers)

async def test_that_fails_among_all_of_them(tmp_path, own_engine):
    engine = own_engine
    with (
        cluster(tmp_path / "three") as servers,
        engine.nodes(tmp_path / "a") as [a],
        edge(engine, tmp_path / "e") as e,
    ):
        archive = [sys.executable, "-m", "warledger.clients.cli", "archive", "--store", engine.url]
        archive += ["--keys", str(engine.keys), "--data", str(tmp_path / "archive")]
        with process(archive, "archive") as following:
            told(*servers, engine.nats, a, e)
            await end(servers[1].process, engine.nats.process, a.process, following)
"""

WAYS = {
    "fails": None,
    "is interrupted": signal.SIGINT,
    "is told to end": signal.SIGTERM,
    "is killed": signal.SIGKILL,
}
LONG = pytest.mark.long  # they end as the others do, and a whole fleet is begun for each


def listening() -> dict[str, int]:
    """The sockets that listen on this machine, and their ports."""
    found = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A":
                found[words[9]] = int(words[1].rpartition(":")[2], 16)
    return found


def there(marker: str) -> list[str]:
    """The processes that have this in their environment, as they were begun."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (folder / "environ").read_bytes():
                found.append(f"{folder.name} {(folder / 'cmdline').read_bytes()!r}")
        except OSError:
            continue  # it has just gone, or is nobody's business
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(
    "how",
    [
        "fails",
        "is killed",
        pytest.param("is interrupted", marks=LONG),
        pytest.param("is told to end", marks=LONG),
    ],
)
def test_nothing_is_left_of_a_test_that_goes_wrong(how: str, tmp_path: Path) -> None:
    """A run of tests in which a fixture fails, a server does not start, and one with NATS servers,
    nodes, an edge and an archive, some of them stopped, fails, or is interrupted, told to end or
    killed: no process is left, no port, and no folder but the run's own."""
    program()  # or there is nothing to be tried
    marker = f"WARLEDGER_LEFT={os.urandom(8).hex()}"
    name, _, value = marker.partition("=")
    module, ports, base = tmp_path / "test_inner.py", tmp_path / "ports", tmp_path / "base"
    module.write_text(MODULE)
    (tmp_path / "tmp").mkdir()
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(module)),
            *("-k", "test_" if WAYS[how] is None else "among"),
            *("-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "--basetemp", str(base)),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={
            **os.environ,
            name: value,
            "PORTS": str(ports),
            "HOW": "fails" if WAYS[how] is None else "waits",
            "TMPDIR": str(tmp_path / "tmp"),
        },
    ) as run:
        try:
            if WAYS[how] is not None:
                while not (tmp_path / "ready").exists():
                    assert run.poll() is None, run.communicate()[0]
                assert len(there(marker)) > 8
                run.send_signal(WAYS[how])
            said, _ = run.communicate(timeout=120)
        finally:
            run.kill()
    if WAYS[how] is None:
        assert run.returncode == 1, said
        assert (said.count("\nFAILED "), said.count("\nERROR ")) == (2, 1), said
        assert said.count("as it should") >= 2 and "does not start" in said, said
    # Whoever was killed with the run is gone a moment later, and their sockets another.
    until = time.monotonic() + 20
    sockets = {*ports.read_text().split()}
    assert len(sockets) >= 6
    while (left := there(marker)) or sockets & listening().keys():
        assert time.monotonic() < until, left or listening()
    assert list((tmp_path / "tmp").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} <= {
        "base", "ports", "ready", "tmp", "test_inner.py", "__pycache__"
    }  # fmt: skip
