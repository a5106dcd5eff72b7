"""`demo --fleet`, as `ops/cluster` runs it: a fleet on this machine, parts of which are killed."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.running import running_in
from tests.e2e.test_command_line import process, warledger
from tests.nats.rig import program
from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit
from warledger.clients.commands.demos.fleetdemo import free_ports
from warledger.clients.commands.server.servercommands import exported
from warledger.engine.store.fleet.natsconf import ROUTES_ABOVE
from warledger.protocol.log.wlog import parse

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what runs is read from /proc")


def test_no_port_of_a_fleet_is_another_s_route() -> None:
    """Of 100 ports drawn at once none is where another's routes listen: a server that finds its
    routes' port taken ends at its start, and the rest wait for it in vain."""
    for _ in range(10):
        ports = free_ports(100)
        routes = {port + ROUTES_ABOVE for port in ports}
        assert len({*ports, *routes}) == 200


FAST_SECONDS = 45.0
"""How long `--fast` may take on a machine that does little else."""

STORY = (
    r"Killing node (?P<node>\d) in the middle of the first game\. "
    r"node (?P=node) owned the game\. It stood still for (?P<node_s>[\d.]+) s; "
    r"node (?P<node_heir>\d) took over\. Starting node (?P=node) again\.",
    r"Killing NATS server (?P<server>\d) in the middle of the first game\. "
    r"NATS server (?P=server) led the game's stream\. The game stood still for "
    r"(?P<server_s>[\d.]+) s; NATS server (?P<server_heir>\d) leads it now\. "
    r"Starting NATS server (?P=server) again\.",
    r"Killing the edge in the middle of the first game\. The edge was started again\. "
    r"Its spectators saw nothing for (?P<edge_s>[\d.]+) s and then went on where they were; "
    r"the game went on meanwhile, by (?P<went_on>\d+) records\.",
    r"Played: 3 games, (?P<commands>\d+) commands, (?P<seconds>\d+) s in all\.",
    r"Sound: the evidence is valid, and all (?P<records>\d+) records were decided again",
    r"All 3 files from the archive audit sound, and all 4 spectators saw every record of their "
    r"game, with the same hashes\.",
)
LATE = r"A late spectator joins at the edge in turn (\d+) and reads the game from the beginning\. "
"""This is told at any time between."""


@pytest.mark.long
def test_the_demonstration_of_a_fleet(tmp_path: Path) -> None:
    """A node, the server that leads the game's stream and the edge are killed while three games are
    played. It says which, for how long the game stood still and who took over, and that is another;
    every file from the archive audits sound, every spectator saw the same, one of whom joined
    late; it is over in time, and nothing is left running."""
    program()
    keep = tmp_path / "fleet"
    began = time.monotonic()
    with process("demo", "--fleet", "--fast", "--keep", str(keep)) as running:
        said, _ = running.communicate(timeout=300)
    took, load = time.monotonic() - began, os.getloadavg()[0]
    print(f"{took:.0f} s, load {load:.1f}")
    said = " ".join(said.split())
    assert running.returncode == 0, said
    late = re.search(LATE, said)
    assert late is not None and int(late.group(1)) >= 3
    rest = said.replace(late.group(), "")
    told: dict[str, str] = {}
    for sentence in STORY:
        found = re.search(sentence, rest)
        assert found is not None, f"not told: {sentence}"
        told |= found.groupdict()
    assert told["node_heir"] != told["node"] and told["server_heir"] != told["server"]
    assert float(told["node_s"]) > 0 and float(told["server_s"]) > 0 and float(told["edge_s"]) > 0
    assert int(told["went_on"]) > 0 and int(told["commands"]) > 100
    files = {one.stem: one.read_bytes() for one in keep.glob("*.wlog")}
    assert len(files) == 3
    for game, data in files.items():
        assert exported(keep / "archive", game) == data
        assert is_clean(audit(data)[0])
    assert int(told["records"]) in [len(parse(data).records) for data in files.values()]
    assert running_in(keep) == []
    # What else wants the processor makes it longer.
    most = FAST_SECONDS * max(1.0, load / (os.cpu_count() or 1))
    assert took <= most, f"it took {took:.0f} s, at a load of {load:.1f}; {most:.0f} s are allowed"


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
