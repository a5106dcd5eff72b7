"""The frames of the games that were read whole a moment ago.

A node that takes a game reads it several times within one command: to find whose it is, for what it
knows of the game, for its state, and for what spectators have not got. The engine is asked once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import trio
from attrs import define, field

from warledger.engine.store.port import Frame

RECENT_SECONDS: Final = 10.0
"""For how long what was read counts. Whatever the engine loses is found by the next real read."""

RECENT_BYTES: Final = 16 * 1024 * 1024
"""How much is kept in all. A game that is larger is read each time."""

FRAME_BYTES: Final = 100
"""What a frame costs on top of its payload."""


@define(eq=False)
class _Whole:
    """A game's frames up to the message with the sequence `last`."""

    last: int
    at: float
    frames: list[Frame] = field(factory=list)
    size: int = 0

    def add(self, last: int, frames: Sequence[Frame]) -> None:
        self.last = last
        self.frames += frames
        self.size += sum(len(frame.payload) + FRAME_BYTES for frame in frames)


@define(eq=False)
class Recent:
    """Of each game that was read whole its frames, the newest last."""

    _games: OrderedDict[str, _Whole] = field(factory=OrderedDict)
    _size: int = 0

    def take(self, game: str, behind: int, last: int, frames: Sequence[Frame]) -> None:
        """These frames stand in a game behind the message with the sequence `behind` (0: they begin
        it), and end with the message `last`."""
        now = trio.current_time()
        known = self.forget(game)
        if behind == 0:
            known = _Whole(0, now)
        if known is None or known.last != behind or now - known.at >= RECENT_SECONDS:
            return
        known.add(last, frames)
        self._games[game] = known
        self._size += known.size
        while self._games:
            name, oldest = next(iter(self._games.items()))
            if self._size <= RECENT_BYTES and now - oldest.at < RECENT_SECONDS:
                break
            self.forget(name)

    def extend(self, game: str, behind: int, last: int, frames: Sequence[Frame]) -> None:
        """Take frames of an append of this node's, if the game was read lately: most were not."""
        if game in self._games:
            self.take(game, behind, last, frames)

    def whole(self, game: str, last: int) -> list[Frame] | None:
        """All frames of a game whose newest message has the sequence `last`; None if they have to
        be read. Whoever gets them changes nothing in them."""
        known = self._games.get(game)
        if known is None or known.last != last:
            return None
        return None if trio.current_time() - known.at >= RECENT_SECONDS else known.frames

    def forget(self, game: str) -> _Whole | None:
        """Nothing is known of a game."""
        known = self._games.pop(game, None)
        if known is not None:
            self._size -= known.size
        return known
