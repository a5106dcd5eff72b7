"""`demo --fleet`, as `ops/cluster` runs it: a fleet on this machine, parts of which are killed."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.running import running_in
from tests.e2e.test_command_line import process, warledger
from tests.nats.rig import program
from warledger.clients.commands.fleetdemo import free_ports
from warledger.engine.store.natsconf import ROUTES_ABOVE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what runs is read from /proc")


def test_no_port_of_a_fleet_is_another_s_route() -> None:
    """Of 100 ports drawn at once none is where another's routes listen: a server that finds its
    routes' port taken ends at its start, and the rest wait for it in vain."""
    for _ in range(10):
        ports = free_ports(100)
        routes = {port + ROUTES_ABOVE for port in ports}
        assert len({*ports, *routes}) == 200


@pytest.mark.long
def test_the_demonstration_of_a_fleet(tmp_path: Path) -> None:
    """A node, the server that leads the game's stream and the edge are killed while three games are
    played; it tells who took over and for how long the game stood still, every file from the
    archive audits sound, every spectator saw the same, and nothing is left running."""
    program()
    keep = tmp_path / "fleet"
    began = time.monotonic()
    with process("demo", "--fleet", "--fast", "--keep", str(keep)) as running:
        said, _ = running.communicate(timeout=300)
    print(f"{time.monotonic() - began:.0f} s, load {os.getloadavg()[0]:.1f}")
    said = " ".join(said.split())
    assert running.returncode == 0, said
    for told in ("took over", "leads it now", "The edge was started again", "A late spectator"):
        assert told in said
    assert "All 3 files from the archive audit sound, and all 4 spectators" in said
    assert len(list(keep.glob("*.wlog"))) == 3
    assert running_in(keep) == []


def test_ctrl_c_leaves_nothing_of_a_fleet_running(tmp_path: Path) -> None:
    """One sentence, 130, at once, and no process is left."""
    program()
    keep = tmp_path / "fleet"
    with process("demo", "--fleet", "--keep", str(keep)) as running:
        assert running.stdout is not None
        assert "Starting a fleet" in running.stdout.readline()
        while not (keep / "node-1").exists():
            assert running.poll() is None
            os.sched_yield()
        assert len(running_in(keep)) > 4
        began = time.monotonic()
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said.rstrip().endswith("Interrupted.") and "Traceback" not in said
    assert time.monotonic() - began < 10
    assert running_in(keep) == []


def test_what_is_killed_with_9_leaves_nothing_of_a_fleet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its processes and its folder go with it, though it can end nothing any more."""
    program()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with process("demo", "--fleet") as running:
        while not any(tmp_path.glob("warledger-fleet-*/node-1")):
            assert running.poll() is None
            os.sched_yield()
        assert len(running_in(tmp_path)) > 4
        running.kill()
        running.wait()
    began = time.monotonic()
    while running_in(tmp_path) or any(tmp_path.glob("warledger-fleet-*")):
        assert time.monotonic() - began < 20
        os.sched_yield()


def test_a_folder_with_something_in_it_is_not_used(tmp_path: Path) -> None:
    """It says so, and touches nothing; the demonstration of a fleet plays War at Sea alone."""
    (tmp_path / "mine").write_text("")
    assert warledger("demo", "--fleet", "--keep", str(tmp_path)).exit_code == 2
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]
    assert warledger("demo", "--fleet", "--title", "typhoon").exit_code == 2
