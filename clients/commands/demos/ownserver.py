"""A server of a demonstration's own: a process beside it, so that whoever plays and whoever serves
have a processor each, and what is shown has gone through two programs."""

import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import trio
from attrs import frozen

from warledger.clients.commands.demos.childprocesses import watched
from warledger.engine.serve.serversecrets import TOKEN_FILE

HOST: Final = "127.0.0.1"
STOP_SECONDS: Final = 20.0
"""How long the server may take to end once it is asked to; then it is killed."""


class DidNotStart(Exception):
    """The server ended before it could be reached; the message is the last that it said."""


@frozen
class OwnServer:
    """A server on loopback: its port, and the host's token."""

    port: int
    token: str


@asynccontextmanager
async def own_server(data: Path, log: Path) -> AsyncIterator[OwnServer]:
    """Run a server without accounts on a data directory; what it logs is written to `log`. It is
    asked to end when the block is left, and has ended after it; it ends with this process, too,
    however that ends. Raises DidNotStart."""
    with watched() as group:
        process = _started(data, log, group)
        try:
            assert process.stdout is not None
            with process.stdout as told:
                first = await trio.to_thread.run_sync(told.readline, abandon_on_cancel=True)
                yield _reached(first.decode(errors="replace"), data, log)
                process.terminate()
                with trio.move_on_after(STOP_SECONDS):
                    await trio.to_thread.run_sync(process.wait, abandon_on_cancel=True)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def _started(data: Path, log: Path, group: int | None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "warledger.clients.cli", "serve", "--data", str(data)]
    command += ["--tcp", f"{HOST}:0", "--accounts", "off", "--log-level", "error"]
    command += ["--lang", "en", "--plain"]
    with log.open("wb") as errors:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            # Ctrl-C ends us first: else the players would try to reach it again.
            process_group=group,
        )


def _reached(first: str, data: Path, log: Path) -> OwnServer:
    """What a server's first line tells of it; without an address it has failed."""
    found = re.search(rf"{re.escape(HOST)}:(\d+)", first)
    if found is None:
        said = log.read_text(errors="replace").splitlines()
        raise DidNotStart(said[-1] if said else first.strip())
    return OwnServer(int(found[1]), (data / TOKEN_FILE).read_text(encoding="ascii").strip())
