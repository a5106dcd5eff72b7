"""The deadlines of all games with clocks, and the periods in which the server was away.

One task sleeps until the next deadline and then has that game let its flags fall, after whatever
had arrived before. It also wakes up in between: an event loop that stood still while clocks ran was
as good as away, and so was a server that was down. Nobody pays for either: a game writes these
outages before anything else.

Rules of this file:
- A deadline here may be older than the game's own. The game decides by its log, and says when to
  look again.
- What is kept here may be lost. A deadline is known again once its game is loaded.
- While the time is in doubt no flag falls.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any, Final, Protocol

import trio
import trio.lowlevel
from attrs import define, field

from warledger.engine.runtime.ambient import Ambient

STILL_MS: Final = 500
"""An event loop that wakes up later than this, in milliseconds, counts as having stood still."""
BEAT_MS: Final = 5_000
"""Milliseconds between two signs of life."""
OUTAGES_MAX: Final = 4_096
AT_A_TIME: Final = 4
"""Games that are woken before others have their turn."""


class Pulse(Protocol):
    """Where a server keeps its signs of life, for the server that starts after it."""

    def last_ms(self) -> int:
        """The last sign of life of the previous server in milliseconds; 0 if it is not known."""

    def beat(self, now_ms: int) -> None:
        """Record that this server is alive. Raises OSError."""


class NoPulse:
    """Keeps nothing. A server that does not know since when it was away charges it to nobody."""

    def last_ms(self) -> int:
        """It is not known."""
        return 0

    def beat(self, now_ms: int) -> None:
        """Nothing is kept."""


@define(eq=False)
class Calendar:
    """`wake` has a game look at its clocks; `look_seconds` is how often the task wakes up in
    between."""

    ambient: Ambient
    wake: Callable[[str], None]
    log: Any
    pulse: Pulse = field(factory=NoPulse)
    look_seconds: float = 0.25
    _heap: list[tuple[int, str]] = field(factory=list)
    _known: dict[str, int] = field(factory=dict)
    _queued: dict[str, int] = field(factory=dict)
    _outages: list[tuple[int, int]] = field(factory=list)
    _slack_ms: int = field(init=False)
    _looked_ms: int = 0
    _changed: trio.Event = field(factory=trio.Event)
    _looked: trio.Event = field(factory=trio.Event)

    def __attrs_post_init__(self) -> None:
        self._slack_ms = STILL_MS + int(1000 * self.look_seconds)

    def begin(self) -> None:
        """The server starts now, and was away since its last sign of life."""
        now = self.ambient.now_ms()
        self._outages = [(min(self.pulse.last_ms(), now), now)]
        self._looked_ms = now

    def note(self, game: str, at_ms: int | None) -> None:
        """The game wants to look at its clocks at this moment, or not at all (None)."""
        if at_ms is None:
            self._known.pop(game, None)
            return
        if not self._known:
            self._changed.set()
        self._known[game] = at_ms
        # Most deadlines move later with each command. The task finds them when the old one comes.
        if at_ms < self._queued.get(game, at_ms + 1):
            self._queue(at_ms, game)

    def _queue(self, at_ms: int, game: str) -> None:
        self._queued[game] = at_ms
        heappush(self._heap, (at_ms, game))

    def next_of(self, game: str) -> int | None:
        """When the game wants to look at its clocks again, if that is known."""
        return self._known.get(game)

    def outages_since(self, at_ms: int) -> list[tuple[int, int]]:
        """The periods after a moment in which the server was away, in order."""
        first = bisect_left(self._outages, at_ms + 1, key=lambda away: away[1])
        return [(max(start, at_ms), end) for start, end in self._outages[first:]]

    def is_awake(self, since_ms: int, now_ms: int) -> bool:
        """Whether the task has woken up of late, and the server has not been away since a
        moment."""
        away_ms = self._outages[-1][1] if self._outages else 0
        return away_ms <= since_ms and now_ms - self._looked_ms <= self._slack_ms

    async def looked_up(self, now_ms: int) -> bool:
        """Wait until the task has woken up after a moment, so that a loop that stood still has been
        noticed. Returns False while the time is in doubt."""
        while self._known and now_ms - self._looked_ms > self._slack_ms:
            await self._looked.wait()
        return self.ambient.time_is_sure()

    @property
    def count(self) -> int:
        """The games whose deadlines are known."""
        return len(self._known)

    async def run(self) -> None:
        """Run the calendar until cancelled."""
        beaten_ms = 0
        while True:
            if not self._known:
                self._looked_ms = self.ambient.now_ms()
                self._changed = trio.Event()
                await self._changed.wait()
                # The task was not waited for, so it has not missed anything.
                self._look(self.ambient.now_ms())
            before = self._looked_ms
            due_s = self._seconds_to_next()
            began = trio.current_time()
            await trio.sleep(min(self.look_seconds, due_s))
            late_ms = int(1000 * (trio.current_time() - began - min(self.look_seconds, due_s)))
            now = self.ambient.now_ms()
            if late_ms > STILL_MS and now > before:
                self._away(before, now)
            self._look(now)
            if now - beaten_ms >= BEAT_MS:
                beaten_ms = now
                await self._beat(now)
            for n, game in enumerate(self._due(now), 1):
                self.wake(game)
                if n % AT_A_TIME == 0:
                    # A thousand flags in one second are written one after the other, and whoever
                    # plays meanwhile is not kept waiting for all of them.
                    await trio.lowlevel.checkpoint()

    def _look(self, now: int) -> None:
        self._looked_ms = now
        self._looked.set()
        self._looked = trio.Event()

    def _first(self) -> int | None:
        """The first moment at which a game wants to look at its clocks; it is that of the heap's
        first entry."""
        while self._heap:
            at_ms, game = self._heap[0]
            known = self._known.get(game)
            if known == at_ms:
                return at_ms
            self._unqueue()
            if known is not None and game not in self._queued:
                self._queue(known, game)
        return None

    def _unqueue(self) -> str:
        at_ms, game = heappop(self._heap)
        if self._queued.get(game) == at_ms:
            del self._queued[game]
        return game

    def _seconds_to_next(self) -> float:
        first = self._first()
        if first is None:
            return self.look_seconds
        return max(0.0, (first - self.ambient.now_ms()) / 1000)

    def _away(self, start: int, end: int) -> None:
        self._outages.append((start, end))
        self.log.warning("the loop stood still", ms=end - start)
        if len(self._outages) > OUTAGES_MAX:
            del self._outages[0]

    async def end(self) -> None:
        """The server stops now, as planned."""
        await self._beat(self.ambient.now_ms())

    async def _beat(self, now: int) -> None:
        try:
            await self.ambient.blocking(lambda: self.pulse.beat(now))
        except OSError as error:
            self.log.warning("no sign of life can be kept", why=error.strerror)

    def _due(self, now: int) -> list[str]:
        due = []
        while (first := self._first()) is not None and first <= now:
            game = self._unqueue()
            del self._known[game]
            due.append(game)
        if len(self._heap) > 2 * len(self._known) + 64:
            self._heap = [(at_ms, game) for game, at_ms in self._known.items()]
            heapify(self._heap)
            self._queued = dict(self._known)
        return due
