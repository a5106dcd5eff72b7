"""One archived release in a process of its own.

Nothing of the release is imported here: its process receives requests and answers them (`pipe`),
within a time, a size of message and, on Linux, a size of memory. It runs as this user and is not a
sandbox: an archived wheel is trusted as installed code is. Calls block, so a server makes them in
threads.
"""

import itertools
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from warledger.engine.archive import pipe
from warledger.engine.archive.pipe import PipeBroken

CALL_SECONDS: Final = 10.0
"""How long a process may take for one answer."""
OPEN_SECONDS: Final = 120.0
"""How long a process may take to begin, or to take up a game."""
WORKER: Final = "warledger.engine.archive.worker"
MEMORY_BYTES: Final = 4 * 1024**3
"""How much address space a process may have (Linux)."""


class ReleaseLost(Exception):
    """The process of an archived release has ended, or was ended since it did not answer in time.
    The next call starts another."""


class ReleaseFault(Exception):
    """An archived release could not do what it was asked: says what it said."""


class Sealed(Exception):
    """The log does not open what would be needed."""


class Release:
    """The process of a release whose code lies in `folder`. It is started by the first call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.generation = 0
        self.forgotten: list[int] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._sock: socket.socket | None = None
        self._lock = threading.RLock()
        self._handles = itertools.count(1)

    @property
    def pid(self) -> int:
        """The number of the process, 0 if none is running."""
        return 0 if self._process is None else self._process.pid

    def handle(self) -> int:
        """A number for a game that no other game of this release has."""
        return next(self._handles)

    def call(self, *message: Any, seconds: float = CALL_SECONDS) -> tuple[Any, ...]:
        """The answer to a request. Raises ReleaseLost, ReleaseFault or Sealed."""
        with self._lock:
            sock = self._begun()
            try:
                while self.forgotten:
                    sock.settimeout(CALL_SECONDS)
                    pipe.send(sock, ("drop", self.forgotten.pop()))
                    pipe.receive(sock, CALL_SECONDS)
                sock.settimeout(seconds)
                pipe.send(sock, message)
                answer = pipe.receive(sock, seconds)
            except PipeBroken as error:
                self.close()
                raise ReleaseLost(f"the archived release did not answer: {error}") from error
        if answer[0] == "sealed":
            raise Sealed(str(answer[1]))
        if answer[0] == "fault":
            raise ReleaseFault(str(answer[1]))
        return answer

    def ensure(self, known: int, opening: Callable[[], tuple[Any, ...]]) -> int:
        """Have a game taken up by the process that is running, unless it was taken up by this one
        (`known`). Returns the number of the process. Raises as `call`."""
        with self._lock:
            self._begun()
            if known != self.generation:
                self.call("open", *opening(), seconds=OPEN_SECONDS)
            return self.generation

    def _begun(self) -> socket.socket:
        if self._sock is not None:
            return self._sock
        ours, theirs = socket.socketpair()
        with theirs:
            paths = [str(self.folder), *(path for path in sys.path if path)]
            self._process = subprocess.Popen(
                # -P: what is in the folder that we were started in must not be imported.
                [sys.executable, "-P", "-m", WORKER, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                start_new_session=True,  # Ctrl-C in the terminal is meant for us
            )
        _limit_memory(self._process.pid)
        self._sock = ours
        self.generation += 1
        return ours

    def close(self) -> None:
        """End the process."""
        with self._lock:
            sock, self._sock = self._sock, None
            process, self._process = self._process, None
            if sock is not None:
                sock.close()
            if process is not None:
                process.kill()
                process.wait()


def _limit_memory(pid: int) -> None:
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
