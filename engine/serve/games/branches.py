"""What could have been: games played on from one of their records, for whoever looks at them on the
page, in a process of their own.

Rules of this file:
- A branch is named by what was done in it, and is written nowhere: the process
  (`clients/bots/whatif.py`) keeps the newest ones in memory and makes others again.
- One process for everybody, which computes with low priority and for one request at a time. Those
  who find too many before them are told to come again. One that takes too long is ended, and so is
  one that nobody has asked for a while.
- Nothing but a game's file goes to the process: what its reader may not know is not in the file, so
  it cannot be in what comes back.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from attrs import define, field

from warledger.protocol import canon
from warledger.protocol.limits import CLIENT_FRAME_BYTES_MAX

PROGRAM: Final = "warledger.clients.bots.whatif"
OFF, ENDED, LIVE = "off", "ended", "live"
ALLOWED: Final = (OFF, ENDED, LIVE)
"""What a host may allow: nothing, games that have ended, and those that are being played too."""

SECONDS_MAX: Final = 60.0
IDLE_SECONDS: Final = 300.0
WAITING_MAX: Final = 16
WAITING_PER_ADDRESS: Final = 8
ANSWER_BYTES_MAX: Final = 64 * 1024 * 1024
SEED_MAX: Final = 40
"""Characters."""


class Busy(Exception):
    """Too many wait already, or it took too long."""


class BadSteps(ValueError):
    """What was asked has no form of ours; the message says what is wrong with it."""


def read(query: str, most: int = CLIENT_FRAME_BYTES_MAX) -> Any:
    """Steps or a question as JSON has them, with tuples in place of lists. Raises BadSteps."""
    try:
        if len(query) > most:
            raise BadSteps("it is too long")
        return _tuples(json.loads(query), 4)
    except (ValueError, RecursionError) as error:
        raise BadSteps("steps and questions are JSON lists of text and whole numbers") from error


def _tuples(value: Any, deep: int) -> Any:
    kind = type(value)
    if kind is list and deep:
        return tuple(_tuples(one, deep - 1) for one in value)
    if kind is str or (kind is int and abs(value) < 2**53):
        return value
    raise ValueError(kind.__name__)


@define(eq=False)
class Branches:
    """Branches of games, made by a process that is started when the first is asked for. Its methods
    may be called in threads."""

    _process: subprocess.Popen[bytes] | None = None
    _lock: threading.Lock = field(factory=threading.Lock)
    _waiting: Counter[str] = field(factory=Counter)
    _counting: threading.Lock = field(factory=threading.Lock)
    _idle: threading.Timer | None = None

    def ask(
        self,
        who: str,
        key: bytes,
        file: Callable[[], bytes],
        at: int,
        seed: str,
        steps: tuple[Any, ...],
        asked: tuple[Any, ...],
    ) -> bytes:
        """The answer to somebody at the address `who`, in the canonical form. `file` gives the
        game's file where the process does not know it; it may raise StoreError. Raises Busy, and
        OSError if no process can be started."""
        with self._counting:
            mine = self._waiting[who]
            if self._waiting.total() >= WAITING_MAX or mine >= WAITING_PER_ADDRESS:
                raise Busy
            self._waiting[who] = mine + 1
        try:
            with self._lock:
                made = self._asked((key, b"", at, seed, steps, asked))
                if made == _NEED:
                    made = self._asked((key, file(), at, seed, steps, asked))
                return made
        finally:
            with self._counting:
                self._waiting[who] -= 1
                self._waiting += Counter()

    def _rest(self) -> None:
        with self._lock:
            self._end()

    def _asked(self, request: tuple[Any, ...]) -> bytes:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        if self._idle is not None:
            self._idle.cancel()
        late = threading.Timer(SECONDS_MAX, process.kill)
        late.daemon = True
        late.start()
        try:
            assert process.stdin is not None and process.stdout is not None
            data = canon.pack(request)
            process.stdin.write(len(data).to_bytes(4, "big") + data)
            process.stdin.flush()
            head = process.stdout.read(4)
            length = int.from_bytes(head, "big")
            made = process.stdout.read(length) if length <= ANSWER_BYTES_MAX else b""
            if len(head) < 4 or len(made) < length:
                raise Busy
            return made
        except (OSError, Busy) as error:
            self._end()
            raise Busy from error
        finally:
            late.cancel()
            self._idle = threading.Timer(IDLE_SECONDS, self._rest)
            self._idle.daemon = True
            self._idle.start()

    def _end(self) -> None:
        process, self._process = self._process, None
        if self._idle is not None:
            self._idle.cancel()
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        process.wait()


_NEED: Final = canon.pack(("need",))
