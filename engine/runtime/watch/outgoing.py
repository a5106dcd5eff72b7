"""What leaves a connection: one writer, never waited for by whoever writes.

Rules of this file:
- `write` only gathers. All that one tick of the event loop gathers for a connection leaves in one
  send, by the Flusher, without waiting. What a socket does not take at once becomes the *tail*, and
  a task of the connection's own writes it.
- While that task runs nobody else sends, so bytes never overtake each other.
- What goes to many, and nobody waits for (`write_later`), leaves after everything else, a slice at
  a time: a player hears before those who look on, whichever games they are in.
- What is gathered stands as the transport carries it: `wire` turns frames of the byte stream into
  the transport's own, where it has some.
- Cursors that fell behind are served by that same task, one chunk after another, each only when the
  one before has gone: a slow client costs one chunk of memory, however far behind it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final, Protocol

import trio

from warledger.engine.runtime.metrics import Metrics

FLUSH_SLICE: Final = 256
"""How many connections are flushed before other tasks get a turn."""

WAITING_BYTES_MAX: Final = 256 * 1024
"""Bytes. A connection with more than this waiting to be sent is not read from."""


class Pipe(Protocol):
    """The sending half of a transport."""

    def send_now(self, data: bytes) -> int:
        """Send what can be sent without waiting, and return how many bytes that was. Raises OSError
        if the transport is broken."""

    async def send_all(self, data: bytes) -> None:
        """Send everything. Raises OSError or trio's BrokenResourceError / ClosedResourceError."""


class Source(Protocol):
    """A cursor that is behind, and is served chunk by chunk."""

    async def next_chunk(self) -> bytes | None:
        """The next bytes, or None if nothing is left; from then on its channel serves it."""


class Flusher:
    """Sends what has been gathered, once a tick. `run` is a task that lives as long as the
    server; `fault` is called with a bug that a connection met."""

    def __init__(self, fault: Callable[[Exception], None] = lambda _: None) -> None:
        self.fault = fault
        self._dirty: list[Outgoing] = []
        self._later: deque[Outgoing] = deque()
        self._task: trio.lowlevel.Task | None = None

    def add(self, outgoing: Outgoing) -> None:
        """This connection has something to send."""
        self._dirty.append(outgoing)
        self._wake()

    def add_later(self, outgoing: Outgoing) -> None:
        """This connection has something to send once the others have sent theirs."""
        self._later.append(outgoing)
        self._wake()

    def _wake(self) -> None:
        if self._task is not None:
            trio.lowlevel.reschedule(self._task)
            self._task = None

    async def run(self) -> None:
        """Flush connections for ever."""
        later = self._later
        while True:
            if not self._dirty and not later:
                self._task = trio.lowlevel.current_task()
                await trio.lowlevel.wait_task_rescheduled(self._abort)
            dirty, self._dirty = self._dirty, []
            for start in range(0, len(dirty), FLUSH_SLICE):
                for outgoing in dirty[start : start + FLUSH_SLICE]:
                    _flush(outgoing)
                if start + FLUSH_SLICE < len(dirty):
                    await trio.lowlevel.checkpoint()
            for _ in range(min(FLUSH_SLICE, len(later))):
                _flush(later.popleft())
            if later:
                await trio.lowlevel.checkpoint()

    def _abort(self, _: Any) -> trio.lowlevel.Abort:
        self._task = None
        return trio.lowlevel.Abort.SUCCEEDED


def _flush(outgoing: Outgoing) -> None:
    try:
        outgoing.flush()
    except Exception as error:
        # A bug of ours with one connection ends that connection; everybody's flusher goes on.
        outgoing.fault(error)


class Outgoing:
    """The sending side of one connection. `start_soon` starts its writer task; `on_broken` is
    called once if the transport fails or stalls."""

    __slots__ = (
        "_behind",
        "_flusher",
        "_metrics",
        "_on_broken",
        "_out",
        "_pipe",
        "_queued",
        "_room",
        "_stall",
        "_start",
        "_tail",
        "_wire",
        "closed",
        "writing",
    )

    def __init__(
        self,
        pipe: Pipe,
        flusher: Flusher,
        start_soon: Callable[..., None],
        on_broken: Callable[[], None],
        metrics: Metrics,
        stall_seconds: float,
        wire: Callable[[bytes], bytes] | None = None,
    ) -> None:
        self._pipe = pipe
        self._wire = wire
        self._flusher = flusher
        self._start = start_soon
        self._on_broken = on_broken
        self._metrics = metrics
        self._stall = stall_seconds
        self._out: list[bytes] = []
        self._tail = b""
        self._behind: list[Source] = []
        self._queued = 0
        self._room: trio.Event | None = None
        self.writing = False
        self.closed = False

    @property
    def waiting_bytes(self) -> int:
        """The number of bytes that the peer has not accepted yet."""
        return len(self._tail) + sum(map(len, self._out))

    def write(self, data: bytes) -> None:
        """Send these frames soon."""
        self.write_raw(data if self._wire is None else self._wire(data))

    def write_raw(self, data: bytes) -> None:
        """Send bytes soon that are already in the transport's own framing."""
        if self.closed:
            return
        self._out.append(data)
        if self._queued != _NOW and not self.writing:
            self._queued = _NOW
            self._flusher.add(self)

    def write_later(self, data: bytes) -> None:
        """Send these frames once others have been sent what they wait for."""
        if self.closed:
            return
        self._out.append(data if self._wire is None else self._wire(data))
        if not self._queued and not self.writing:
            self._queued = _LATER
            self._flusher.add_later(self)

    def flush(self) -> None:
        """Send what has been gathered, as far as possible without waiting."""
        self._queued = 0
        out = self._out
        if not out or self.writing or self.closed:
            return
        data = out[0] if len(out) == 1 else b"".join(out)
        out.clear()
        try:
            sent = self._pipe.send_now(data)
        except OSError:
            self.fail()
            return
        if sent < len(data):
            self._tail = data[sent:] if sent else data
            self._start_writing()

    def serve(self, source: Source) -> None:
        """Send a source that is behind everything that it lacks."""
        self._behind.append(source)
        self._start_writing()

    def drop(self, source: Source) -> None:
        """Stop serving a source."""
        if source in self._behind:
            self._behind.remove(source)

    def fail(self) -> None:
        """The transport is broken, or the connection is over: nothing more is sent."""
        if not self.closed:
            self.closed = True
            self._out.clear()
            self._behind.clear()
            self._tail = b""
            self._tell_room()
            self._on_broken()

    def fault(self, error: Exception) -> None:
        """A bug of ours was met in sending: it is noted, and nothing more is sent."""
        self._flusher.fault(error)
        self.fail()

    def _start_writing(self) -> None:
        if not self.writing and not self.closed:
            self.writing = True
            self._start(self._write)

    async def _write(self) -> None:
        try:
            while not self.closed:
                if self._tail or self._out:
                    data = b"".join((self._tail, *self._out))
                    self._tail = b""
                    self._out.clear()
                    await self._send(data)
                    if not self._out:
                        self._tell_room()
                elif self._behind:
                    source = self._behind[0]
                    chunk = await source.next_chunk()
                    if chunk is not None:
                        # What was written meanwhile (an answer, say) came after what the chunk
                        # holds.
                        self._out.insert(0, chunk if self._wire is None else self._wire(chunk))
                        if len(self._behind) > 1 and self._behind[0] is source:
                            self._behind.append(self._behind.pop(0))
                    elif self._behind and source in self._behind:
                        self._behind.remove(source)
                else:
                    return
        except (
            OSError,
            trio.BrokenResourceError,
            trio.ClosedResourceError,
            trio.BusyResourceError,
        ):
            self.fail()
        finally:
            self.writing = False
            self._tell_room()

    async def _send(self, data: bytes) -> None:
        """Send everything, in pieces. Each has to be sent within the stall time."""
        for start in range(0, len(data), _PIECE):
            with trio.move_on_after(self._stall) as scope:
                await self._pipe.send_all(data[start : start + _PIECE])
            if scope.cancelled_caught:
                self._metrics.slow_clients_closed += 1
                self.fail()
                return

    async def room(self) -> None:
        """Return once the peer has accepted everything but the newest bytes. This holds back a
        client that sends requests and does not read."""
        while not self.closed and self.waiting_bytes > WAITING_BYTES_MAX:
            if self._room is None:
                self._room = trio.Event()
            await self._room.wait()

    async def empty(self) -> None:
        """Return once everything written has been sent, or the connection has failed."""
        while not self.closed and (self.waiting_bytes or self.writing):
            if self._room is None:
                self._room = trio.Event()
            await self._room.wait()

    def _tell_room(self) -> None:
        if self._room is not None:
            self._room.set()
            self._room = None


_PIECE: Final = 64 * 1024
_LATER, _NOW = 1, 2  # how a connection is queued with its flusher
