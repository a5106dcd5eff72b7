"""Signatures of commands that are checked ahead by a process beside the server (`checker`), while
the rules work on the commands.

Rules of this file:
- What the other process has not answered when it is needed, once other tasks have had their turn,
  is checked in place: nobody ever waits for it. If it is slow, or gone, this costs time and nothing
  else.
- An answer counts only at its own place in the order of the requests. Anything else is a fault, and
  nothing from the other process is read any more.
- The process is started when enough commands come at the same time to make it worthwhile. A quiet
  server has none.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections import deque
from contextlib import suppress
from typing import Any, Final

import trio
from attrs import define, field

from warledger.engine.serve import checker, line
from warledger.protocol import acts

TOGETHER: Final = 8
"""How many checks are handed to the other process at once, as soon as they are there."""
LEAST: Final = 3
"""How many are handed over when the first of them is needed; fewer are made in place, since handing
over a single one costs almost as much as making it."""
ASKED_MAX: Final = 64
"""How many checks may wait for an answer. While there are more, others are made in place."""
BYTES_MAX: Final = 2048
"""Bytes. A longer message is checked in place; a command's is about 200 bytes."""


def spare_core() -> bool:
    """Whether this machine lets us use a core beside the one that runs the event loop."""
    count = getattr(os, "sched_getaffinity", None)
    return (len(count(0)) if count is not None else os.cpu_count() or 1) > 1


@define(eq=False)
class Check:
    """A signature to be checked. `good` is None until it is known whether the signature is
    valid."""

    by: Ahead
    key: bytes
    message: bytes
    signature: bytes
    good: bool | None = None
    is_asked: bool = False

    def is_awaited(self) -> bool:
        """Whether the other process has been asked, and has not answered yet. It is asked now if
        enough other checks can be handed over together with this one."""
        if self.good is None:
            if self.is_asked:
                self.by.hear(self)
            else:
                self.by.ask(LEAST)
        return self.good is None and self.is_asked and not self.by.lost

    def holds(self) -> bool:
        """Whether the signature is valid: as was found, or as is found now."""
        if self.good is None and self.is_asked:
            self.by.hear(self)
        if self.good is None:
            self.good = acts.verify(self.key, self.message, self.signature)
        return self.good


@define(eq=False)
class Ahead:
    """Checks signatures ahead. `begun` is set once the other process is running; `lost` is true
    once it is gone for good, and then nothing is checked here."""

    log: Any
    lost: bool = False
    begun: trio.Event = field(factory=trio.Event)
    _line: socket.socket | None = None
    _wanted: trio.Event = field(factory=trio.Event)
    _gathered: list[Check] = field(factory=list)
    _asked: deque[Check] = field(factory=deque)
    _number: int = 0

    def begin(self, key: bytes, message: bytes, signature: bytes) -> Check:
        """Begin a check. The caller has made sure that key and signature have their lengths."""
        check = Check(self, key, message, signature)
        if len(message) <= BYTES_MAX:
            self._gathered.append(check)
            if len(self._gathered) >= TOGETHER:
                self.ask(TOGETHER)
        return check

    async def heard(self) -> None:
        """Return once there are answers that have not been looked at."""
        if self._line is not None:
            await trio.lowlevel.wait_readable(self._line)

    async def run(self) -> None:
        """Start the other process when it is wanted, and end it when this is cancelled."""
        await self._wanted.wait()
        try:
            ours, theirs = line.pair()
        except OSError as error:  # a system without such sockets
            self._lose(str(error))
            return
        inside = os.pathsep.join(path for path in sys.path if path)
        with ours:
            with theirs:
                try:
                    process = await trio.lowlevel.open_process(
                        # Started in the same way as the processes of `workers`.
                        [
                            sys.executable,
                            "-P",
                            "-m",
                            "warledger.engine.serve.checker",
                            str(theirs.fileno()),
                        ],
                        pass_fds=[theirs.fileno()],
                        stdin=subprocess.DEVNULL,
                        env={**os.environ, "PYTHONPATH": inside},
                        process_group=0,
                    )
                except OSError as error:
                    self._lose(str(error))
                    return
            ours.setblocking(False)
            self._line = ours
            self.begun.set()
            self.log.info("signatures are checked ahead", process=process.pid)
            try:
                code = await process.wait()
                self._lose(f"it has ended (code {code})")
            finally:
                self._line = None
                self._asked.clear()
                if process.returncode is None:
                    process.kill()
                    with trio.CancelScope(shield=True):
                        await process.wait()

    def ask(self, least: int) -> None:
        """Hand over the checks that have been gathered and are not done yet, if there are at least
        `least`."""
        self._gathered = gathered = [check for check in self._gathered if check.good is None]
        if len(gathered) < least:
            return
        if self._line is None:
            if least == TOGETHER:
                self._wanted.set()
            gathered.clear()
            return
        if len(self._asked) > ASKED_MAX - TOGETHER:
            self.hear(None)
        if self._line is not None and len(self._asked) <= ASKED_MAX - TOGETHER:
            packet = checker.packed(
                [(check.key, check.message, check.signature) for check in gathered]
            )
            try:
                self._line.send(packet)
                self._asked.extend(gathered)
                for check in gathered:
                    check.is_asked = True
            except BlockingIOError:
                pass
            except OSError as error:
                self._lose(str(error))
        self._gathered = []

    def hear(self, wanted: Check | None) -> None:
        """Read answers until this check has its own."""
        while self._line is not None and (wanted is None or wanted.good is None):
            try:
                packet = self._line.recv(checker.PACKET_BYTES_MAX)
            except BlockingIOError:
                return
            except OSError as error:
                self._lose(str(error))
                return
            if not self._take(packet):
                self._lose("it answers what it was not asked")

    def _take(self, packet: bytes) -> bool:
        """Read one packet of answers; False if there is none."""
        found = packet[checker.NUMBER.size :]
        if (
            not found
            or len(found) > len(self._asked)
            or max(found) > 1
            or checker.NUMBER.unpack_from(packet)[0] != self._number
        ):
            return False
        for good in found:
            check = self._asked.popleft()
            if check.good is None:
                check.good = good == 1
        self._number = (self._number + len(found)) % checker.NUMBERS
        return True

    def _lose(self, why: str) -> None:
        if not self.lost:
            self.lost = True
            self.log.warning("signatures are no longer checked ahead", why=why)
        if self._line is not None:
            with suppress(OSError):
                self._line.shutdown(socket.SHUT_RDWR)
        self._line = None
        self._asked.clear()
        self._gathered.clear()
