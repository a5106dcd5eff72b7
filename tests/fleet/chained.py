"""Games whose records follow each other by their hashes, as a store keeps them."""

from __future__ import annotations

from warledger.engine.store.port import (
    FRAME_HEAD,
    FRAME_META,
    FRAME_OPENINGS,
    FRAME_RECORD,
    Frame,
)
from warledger.protocol.log.records import NO_HASH, SEAT, make


class Chain:
    """A game's frames, append by append."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.count = 0
        self.hash = NO_HASH
        self.frames: list[Frame] = []

    def grown(self, size: int = 0) -> list[Frame]:
        """One more append: a record of at least `size` bytes, openings and a head."""
        made = make(self.count, self.count, self.name, SEAT, ("." * size,), self.hash)
        self.count, self.hash = self.count + 1, made.hash
        return self._kept(
            Frame(FRAME_RECORD, made.data),
            Frame(FRAME_OPENINGS, b"a secret opening"),
            Frame(FRAME_HEAD, b"head"),
        )

    def claimed(self, name: str) -> list[Frame]:
        """An append without any record."""
        return self._kept(Frame(FRAME_META, name.encode()))

    def _kept(self, *frames: Frame) -> list[Frame]:
        self.frames += frames
        return list(frames)
