"""How the messages of a game become what is known of it, and whose it is."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import trio
from attrs import define, field

from warledger.engine.nats.jetstreamapi import Kept
from warledger.engine.nats.wire import Message
from warledger.engine.store.fleet.sealedmessages import BadMessage, DataKeys
from warledger.engine.store.port import (
    FRAME_HEAD,
    FRAME_META,
    FRAME_RECORD,
    Damaged,
    Frame,
    StoreError,
)
from warledger.protocol import canon
from warledger.protocol.log.wlog import FRAME_WITNESS, CorruptFile, walk

PUBLIC: Final = (FRAME_RECORD, FRAME_HEAD, FRAME_WITNESS)
"""The kinds of frames that everybody may have: a game's file has no others for the public."""


Lent = Callable[[str], Awaitable[list[Frame] | None]]
"""Gives the frames of a game that has left the engine, from an archive. None if there is no such
game, or it cannot be had."""


Appended = Callable[[str, int, int, Sequence[Frame]], None]
"""Told of each append of a store, once it is durable: the game, how many records it stands behind,
how many public frames behind the last of them, and the frames."""


async def nobody_lends(game: str) -> list[Frame] | None:
    """Where no archive is asked."""
    await trio.lowlevel.checkpoint()
    return None


class Opens(Protocol):
    """What opens messages, and closes a game of which something is wrong."""

    keys: DataKeys

    def damage(self, game: str, sequence: int, what: str) -> Damaged:
        """Close a game: this is what is wrong with it."""


def owner_meta(owner: str, at_ms: int) -> Frame:
    """The frame by which a node claims a game, or with no name releases it."""
    return Frame(FRAME_META, canon.pack((OWNER, owner, at_ms)))


OWNER: Final = "owner"
"""The name of that frame. It is bookkeeping: chain, heads and exports do not change."""

ARCHIVED: Final = "(archived)"
"""Whose a game is that is leaving the engine: nobody appends behind this claim any more."""

_OWNER_HEAD: Final = canon.pack((OWNER, "", 0))[: 2 + len(OWNER)]
"""How such a frame begins."""


def claimed_in(frames: Sequence[Frame]) -> str | None:
    """Whose the game is after these frames, if they say so."""
    for frame in reversed(frames):
        if frame.kind == FRAME_META and frame.payload.startswith(_OWNER_HEAD):
            match canon.unpack_trusted(frame.payload):
                case (str(), str(owner), int()):
                    return owner
    return None


def beside_after(beside: int, frames: Sequence[Frame]) -> int:
    """How many public frames stand behind a game's last record, after these more."""
    for frame in frames:
        if frame.kind == FRAME_RECORD:
            beside = 0
        elif frame.kind in PUBLIC:
            beside += 1
    return beside


@define(eq=False)
class FoldedGame:
    """What is known of a game: for each message its sequence and the index of its first record.

    `last` is the newest message's sequence, `records` how many records there are, `queued` with
    those of appends under way. `beside` is how many public frames stand behind the last record.
    `owner` is the incarnation of the newest claim, `claimed` the one in the append that is being
    sent. `failure` ends the appends that wait behind one that failed. `missed` is since when
    leaders have answered with less than `last`.
    """

    name: str
    records: int = 0
    last: int = 0
    queued: int = 0
    beside: int = 0
    owner: str = ""
    claimed: str | None = None
    sequences: list[int] = field(factory=list)
    firsts: list[int] = field(factory=list)
    turn: trio.StrictFIFOLock = field(factory=trio.StrictFIFOLock)
    failure: StoreError | None = None
    missed: float | None = None

    async def take_turn(self) -> None:
        """Wait for the turn to append, also where the task was cancelled. One that nobody has costs
        no step of the loop."""
        if self.turn.locked():
            with trio.CancelScope(shield=True):
                await self.turn.acquire()
        else:
            self.turn.acquire_nowait()

    def add(self, sequence: int, records: int) -> None:
        """A message of this sequence followed, with this number of records."""
        self.sequences.append(sequence)
        self.firsts.append(self.records)
        self.records += records
        self.last = sequence
        self.missed = None


def republished(message: Message, stream: str, subject: str) -> Kept | None:
    """A message as the engine republishes it when this stream has stored it under this subject.

    None for anything else: whoever may read a stream can have the answer sent to any subject of
    their account. So an edge can make other edges hear the engine's answers as news.
    """
    headers = message.headers
    if message.status or (headers.get("Nats-Stream"), headers.get("Nats-Subject")) != (
        stream,
        subject,
    ):
        return None
    try:
        # An answer to a read may lack the second.
        sequence, _ = int(headers["Nats-Sequence"]), int(headers["Nats-Last-Sequence"])
    except (KeyError, ValueError):
        return None
    return Kept(subject, sequence, headers, message.payload)


def predecessor(kept: Kept) -> int:
    """The sequence of the message before it on its subject; 0 if it is the first."""
    return int(kept.headers.get("Nats-Last-Sequence", "0"))


@define(eq=False)
class Fold:
    """Turns the messages of a game into its frames. With `takes` they become what is known of the
    game. `pieces` are those of an append that is not yet whole, which begins at record `first`.
    """

    _opens: Opens
    game: FoldedGame
    takes: bool = False
    pieces: list[bytes] = field(factory=list)
    first: int = 0

    def take(self, kept: Kept) -> list[Frame] | None:
        """The frames of an append, once its last piece is here. Raises Damaged."""
        game, store = self.game, self._opens
        try:
            piece = store.keys.open(kept.payload)
        except BadMessage as error:
            raise store.damage(game.name, kept.sequence, str(error)) from None
        if piece.piece == 0:
            self.first = piece.first
            if self.takes and self.first != game.records:
                raise store.damage(
                    game.name,
                    kept.sequence,
                    f"record {self.first} stands where record {game.records} should",
                )
        if (piece.game, piece.first, piece.piece) != (game.name, self.first, len(self.pieces)):
            raise store.damage(game.name, kept.sequence, "the message belongs to another place")
        self.pieces.append(piece.data)
        if len(self.pieces) < piece.pieces:
            if self.takes:
                game.add(kept.sequence, 0)
            return None
        whole = self._frames(kept.sequence, b"".join(self.pieces))
        self.pieces.clear()
        if self.takes:
            game.add(kept.sequence, sum(frame.kind == FRAME_RECORD for frame in whole))
            game.beside = beside_after(game.beside, whole)
            owner = claimed_in(whole)
            if owner is not None:
                game.owner = owner
        return whole

    def _frames(self, sequence: int, data: bytes) -> list[Frame]:
        try:
            return [Frame(kind, payload) for _, kind, payload in walk(data, 0)]
        except CorruptFile as error:
            raise self._opens.damage(self.game.name, sequence, str(error)) from None
