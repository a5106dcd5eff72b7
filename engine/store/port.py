"""The store's contract: what the runtime may count on, whatever the backend; and every error a
store raises.

Rules of this file:
- It contains no detail of any backend. A new backend is one that passes `tests/contract/`.
- An append is *atomic* (all its frames or none), *durable* when it returns, and *ordered* as
  appended within its game.
- Reads see durable frames only: what a reader has seen can never be taken back.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Container, Sequence
from typing import Final, Literal, Protocol

from attrs import frozen

from warledger.protocol.limits import PAYLOAD_BYTES_MAX as PAYLOAD_BYTES_MAX
from warledger.protocol.log.wlog import FRAME_HEAD as FRAME_HEAD
from warledger.protocol.log.wlog import FRAME_META as FRAME_META
from warledger.protocol.log.wlog import FRAME_OPENINGS as FRAME_OPENINGS
from warledger.protocol.log.wlog import FRAME_RECORD as FRAME_RECORD
from warledger.protocol.log.wlog import FRAME_SECRETS as FRAME_SECRETS
from warledger.protocol.log.wlog import Frame as Frame

APPEND_BYTES_MAX: Final = 32 * 1024 * 1024
"""The most bytes one append may hold, frame heads included."""

_GAME_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class StoreError(Exception):
    """Anything that a store refuses or fails to do."""


class StoreFailed(StoreError):
    """A write or a sync failed. The store accepts no more submits until the server is restarted;
    reads go on.

    `outcome` is "unknown" for an append whose bytes may or may not be on the disk. After a restart
    they are there completely or not at all; the client resubmits by command id. It is "not saved"
    for one that was never written.
    """

    def __init__(self, reason: str, outcome: Literal["unknown", "not saved"]) -> None:
        super().__init__(
            f"{outcome if outcome == 'not saved' else 'not known to be saved'}: {reason}"
        )
        self.reason = reason
        self.outcome = outcome


class StoreClosed(StoreError):
    """The store is closed or closing; nothing was written."""


class UnknownGame(StoreError, KeyError):
    """There is no game with this id here."""

    def __init__(self, game: str) -> None:
        super().__init__(game)
        self.game = game

    def __str__(self) -> str:
        return f"there is no game {self.game!r}"


class GameExists(StoreError):
    """A game with this id exists already; nothing was written."""

    def __init__(self, game: str) -> None:
        super().__init__(f"there is already a game {game!r}")
        self.game = game


class Conflict(StoreError):
    """The number of the game's records is not what the caller expected; nothing was written. Read
    again, and decide again."""

    def __init__(self, game: str, expected: int, actual: int) -> None:
        super().__init__(f"game {game!r} holds {actual} records, not the {expected} expected")
        self.game = game
        self.expected = expected
        self.actual = actual


class Fenced(Conflict):
    """Somebody else has appended to the game meanwhile, who may be its owner now; nothing was
    written. Let go of the game, read again, and decide again."""

    def __init__(self, game: str, expected: int) -> None:
        super().__init__(game, expected, expected + 1)
        self.args = (f"somebody else has appended to game {game!r} after record {expected - 1}",)


class Damaged(StoreError):
    """One game's file is damaged: this game stops, every other continues.

    `place` is the file's name, `offset` the byte where it begins to be wrong, `what` the finding.
    """

    def __init__(self, game: str, place: str, offset: int, what: str) -> None:
        super().__init__(f"game {game!r} is damaged: {place}, at byte {offset}: {what}")
        self.game = game
        self.place = place
        self.offset = offset
        self.what = what


class Held(Damaged):
    """The game can be read, but accepts nothing more: records of it that were acknowledged may be
    lost, and an operator has to decide."""

    def __init__(self, game: str, place: str, offset: int, what: str) -> None:
        super().__init__(game, place, offset, what)
        self.args = (f"game {game!r} takes no commands: {what}",)


class DataDirError(StoreError):
    """A data directory that cannot be opened; the message says what to do next."""


class DataDirForeign(DataDirError):
    """The directory contains something that is not Warledger's."""


class DataDirNewer(DataDirError):
    """The directory was written by a later release."""


class DataDirLocked(DataDirError):
    """Another server is using the directory."""


class DataDirDamaged(DataDirError):
    """What all games share is damaged so that no game can be told from it: the checkpoint, or a
    whole segment of the log.

    `place` is the file, `offset` the byte, `what` the finding.
    """

    def __init__(self, place: str, offset: int, what: str) -> None:
        super().__init__(
            f"the data directory is damaged: {place}, at byte {offset}: {what}. Nothing "
            "was changed. "
            "Keep a copy of the directory as it is, look at `warledger check`, and go "
            "back to the latest backup"
        )
        self.place = place
        self.offset = offset
        self.what = what


@frozen
class StoreHealth:
    """How the store fares, for metrics and the operator.

    `ok` is false once submits are refused, `reason` says why. `waiting` appends are not yet
    durable. `log_bytes` have been written since the last checkpoint. `appends` and `syncs` count
    since opening: their ratio is the size of a group commit. `damaged` names games found damaged so
    far, `held` those that can be read but take no commands (`Held`).
    """

    ok: bool
    reason: str = ""
    games: int = 0
    waiting: int = 0
    log_bytes: int = 0
    appends: int = 0
    syncs: int = 0
    checkpoints: int = 0
    damaged: tuple[str, ...] = ()
    held: tuple[str, ...] = ()


class Store(Protocol):
    """Games as append-only sequences of frames.

    Coroutines belong to the trio thread. `read`, `keeps`, `games`, `length` and `health` are plain
    calls, safe from any thread. `read` may read from a disk, so a live server calls it in a thread.
    """

    async def create(self, game: str, frames: Sequence[Frame]) -> None:
        """Store a new game that begins with these frames; returns when it is durable.

        Raises GameExists, StoreFailed, StoreClosed; ValueError for an id or a frame that cannot be
        stored.
        """
        ...

    async def append(self, game: str, expected_records: int, frames: Sequence[Frame]) -> None:
        """Append frames to a game; returns when they are durable.

        `expected_records` is the number of FRAME_RECORD frames the game holds, appends still under
        way included. Cancellation is seen before anything is queued or not at all: once queued, the
        call waits for the outcome, so nobody is ever left not knowing. Raises Conflict,
        UnknownGame, Damaged, Held, StoreFailed, StoreClosed; ValueError for frames that cannot be
        kept.
        """
        ...

    def read(
        self, game: str, after_records: int = 0, records_max: int | None = None
    ) -> list[Frame]:
        """The game's durable frames: all of them for 0, else from the record with that index
        (counting from 0) on. With `records_max` it is those of only that many records, with what
        stands beside them, and costs no more than they do.

        So a cursor that has seen n records, and what stands beside them, asks with n and gets
        neither a repeat nor a gap. With n at or past the end it gets an empty list. Raises
        UnknownGame and Damaged.
        """
        ...

    def follow(self, game: str, after_records: int = 0) -> AsyncGenerator[list[Frame], None]:
        """What `read` gives for `after_records`, unless that is nothing, then whatever is appended,
        as it becomes durable and whoever appends it: in order, without gap or repeat, at least one
        frame at a time. An append comes whole; several may come together.

        Close it (`aclose`) when it is no longer needed. Frames that hold no record and were added
        behind record `after_records` - 1 before the first step belong to what was seen. Raises
        UnknownGame and Damaged.
        """
        ...

    async def claim(self, game: str, dead: Container[str] = ()) -> bool:
        """Become the one who appends to a game; whether this store is that one now. True at once
        where nobody else can be.

        Where several nodes share a store, the game is left to its owner, if it has another, unless
        that one's name is in `dead`. What was read of the game before may be out of date: read
        again after a claim. Raises UnknownGame, Damaged, StoreFailed and StoreClosed.
        """
        ...

    async def release(self, game: str) -> bool:
        """Leave a game to whoever claims it next; whether it was this store's. True at once where
        nobody else can have it. Raises what `claim` raises."""
        ...

    def keeps(self, game: str) -> bool:
        """Whether there is a game with this id."""
        ...

    def games(self) -> list[str]:
        """The ids of all games, sorted."""
        ...

    def length(self, game: str) -> int:
        """How many durable bytes there are of a game, which grows with every append. 0 if there is
        no such game, or others append, too, so that nobody knows without asking."""
        ...

    async def checkpoint(self) -> None:
        """Bring every game's file up to date, and drop the log before it. Raises StoreFailed,
        StoreClosed."""
        ...

    async def aclose(self) -> None:
        """Finish what was appended, make a checkpoint, and release the directory. Later appends
        raise StoreClosed. Safe to call twice."""
        ...

    def health(self) -> StoreHealth:
        """The current state of the store."""
        ...


class Unmeasured:
    """A store to which others append, too."""

    def length(self, game: str) -> int:
        return 0


def check_after(records: int) -> None:
    """Raise ValueError unless a number of records already seen can be one: 0 or more."""
    if records < 0:
        raise ValueError(f"after_records is {records}; it counts records already seen, 0 or more")


def check_game_id(game: str) -> None:
    """Raise ValueError unless the id can be a file's name everywhere: letters, digits, '-' and '_',
    at most 64."""
    if not _GAME_ID.fullmatch(game):
        raise ValueError(
            f"{game[:80]!r} cannot name a game: use 1 to 64 letters, digits, '-' or '_', "
            "the first a letter or digit"
        )
