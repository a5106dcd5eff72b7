"""Every game of a fleet as a line of the lobby: what its owner last wrote of it for everybody.

A card is a message of `card.GAME` in the stream WCARDS, which keeps the newest of each game. It
holds nothing but what spectators may see by now. So whoever may read that stream alone (an edge)
has every list as nodes have it. The stream is read once and then followed on `cardlive.>`. Each
message is one behind the last of the stream, so a gap shows, and is read.

A node knows most games by their cards alone: they are kept as they came, some 500 bytes each.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from collections.abc import Set as AbstractSet
from hashlib import sha256
from typing import Any, Final

import trio
from attrs import frozen

from warledger.engine.nats.jetstreamapi import NO_LEADER, JetStream, Kept, Rejected
from warledger.engine.nats.natsport import (
    Engine,
    EngineError,
    Missed,
    NoResponders,
    NotSent,
    Unknown,
)
from warledger.engine.store.fleet.gamefolds import republished
from warledger.engine.store.port import StoreError
from warledger.protocol import canon

STREAM: Final = "WCARDS"
SUBJECTS: Final = "card.>"
LIVE: Final = "cardlive.>"

FORM: Final = 1
"""Of the cards: raised when a reader of the last one would misread it."""

LOOK_SECONDS: Final = 5.0
"""After so much silence it is looked whether a last message was lost on the way."""

AGAIN_SECONDS: Final = 0.05
BEHIND_SECONDS: Final = 0.01
BEHIND_TRIES: Final = 100
"""Pauses where nobody answers, and where a replica lags; and how often it is waited for one."""

READ_CARDS: Final = 500
READ_BYTES: Final = 8 * 1024 * 1024

OWNER_DIGITS: Final = 16
CODE_BYTES: Final = 8


@frozen
class Card:
    """A game as everybody may know it. `row` is its line in lists; `owner` is who wrote it
    (`owner_mark`). `due` says that something may happen in the game without anybody's asking.
    `code` is the beginning of the digest of its title's sources. `archived` says that only archives
    have it now, or soon."""

    row: Mapping[str, Any]
    owner: str = ""
    due: bool = False
    code: bytes = b""
    archived: bool = False

    def packed(self) -> bytes:
        """The bytes of the card. `row` must be in canonical order."""
        return canon.pack((FORM, self.row, self.owner, self.due, self.code, self.archived))

    @classmethod
    def read(cls, data: bytes) -> Card | None:
        """None if it is not one that this release can read."""
        try:
            match canon.unpack_trusted(data):
                case (int(form), dict(row), str(owner), bool(due), bytes(code), bool(archived)):
                    return cls(row, owner, due, code, archived) if form == FORM else None
        except canon.NotCanonical:
            pass
        return None


class NotWritten(StoreError):
    """A card could not be written, or nobody knows whether it was."""


def owner_mark(incarnation: str) -> str:
    """A node as cards name it: everybody may read them, and the machine's name is nobody's
    business."""
    return sha256(incarnation.encode()).hexdigest()[:OWNER_DIGITS]


def card_subject(game: str) -> str:
    """The subject of a game's card."""
    return f"card.{game}"


async def is_archived(
    js: JetStream, game: str, pause: Callable[[float], Awaitable[None]] = trio.sleep
) -> bool:
    """Whether a game's card, as the leader has it, says that only archives have the game. Waits for
    the engine; where nobody keeps cards nothing is archived."""
    while True:
        try:
            kept = await js.last(STREAM, card_subject(game), from_leader=True)
        except (Unknown, NotSent, NoResponders):
            await pause(AGAIN_SECONDS)
        except Rejected as error:
            if error.number not in NO_LEADER:
                return False
            await pause(AGAIN_SECONDS)
        else:
            card = None if kept is None else Card.read(kept.payload)
            return card is not None and card.archived


class Cards:
    """All cards, from when `run` has begun: complete at once, and kept so."""

    def __init__(self, engine: Engine) -> None:
        self._js = JetStream(engine)
        self._kept: dict[str, bytes] = {}
        self._due: dict[str, str] = {}
        self._archived: set[str] = set()
        self.when_archived: Callable[[str], None] = lambda game: None
        self.when_back: Callable[[str], None] = lambda game: None
        self._ids: list[str] | None = None
        self._last = 0
        self.reads = self.gaps = 0

    def __contains__(self, game: str) -> bool:
        return game in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def ids(self, stage: str = "") -> list[str]:
        """The ids of all games that have a card, sorted; with `stage` of those that may be at it,
        without reading the cards. Not to be changed."""
        if self._ids is None:
            self._ids = sorted(self._kept)
        if not stage:
            return self._ids
        sign = canon.pack("stage") + canon.pack(stage)
        return [id for id in self._ids if sign in self._kept[id]]

    def of(self, game: str) -> Card | None:
        """A game's card."""
        data = self._kept.get(game)
        return None if data is None else Card.read(data)

    def due(self) -> Mapping[str, str]:
        """The games in which something may happen without anybody's asking, each with who wrote
        its card."""
        return self._due

    def archived(self) -> AbstractSet[str]:
        """The games whose cards say that only archives have them."""
        return self._archived

    # --- by the owner -----------------------------------------------------------------------------

    async def newest(self, game: str) -> tuple[int, Card | None]:
        """The sequence of a game's newest card, as the leader has it (0: there is none), and the
        card. Raises NotWritten."""
        try:
            kept = await self._js.last(STREAM, card_subject(game), from_leader=True)
        except EngineError as error:
            raise NotWritten(str(error)) from None
        return (0, None) if kept is None else (kept.sequence, Card.read(kept.payload))

    async def write(self, game: str, packed: bytes, expected: int) -> int:
        """Write a game's card behind its last one. Returns the new one's sequence. Raises
        NotWritten: another has written, or nobody knows whether it is written."""
        try:
            stored = await self._js.append(
                card_subject(game), packed, identity="", expected=expected
            )
        except EngineError as error:
            raise NotWritten(str(error)) from None
        return stored.sequence

    # --- by everybody -----------------------------------------------------------------------------

    async def run(self, *, task_status: Any = trio.TASK_STATUS_IGNORED) -> None:
        """Read all cards, then follow them for ever."""
        heard = self._js.engine.subscribe(LIVE)
        try:
            await self._read()
            task_status.started()
            while True:
                live: Kept | None = None
                missed = False
                try:
                    with trio.move_on_after(LOOK_SECONDS):
                        said = await heard.receive()
                        game = said.subject.partition(".")[2]
                        live = republished(said, STREAM, card_subject(game))
                except Missed:
                    missed = True
                if live is not None and live.sequence == self._last + 1:
                    self._take(live)
                elif live is None or live.sequence > self._last:
                    self.gaps += live is not None or missed
                    await self._read(live)
        finally:
            heard.close()

    async def _read(self, until: Kept | None = None) -> None:
        """Read what is missing: as the replica that answers has it, and at least up to a message
        that was heard."""
        tries = 0
        while True:
            self.reads += 1
            try:
                found, more = await self._js.read(
                    STREAM, SUBJECTS, self._last, most=READ_CARDS, most_bytes=READ_BYTES
                )
            except (Unknown, NotSent, NoResponders, Rejected):
                await trio.sleep(AGAIN_SECONDS)
                continue
            for kept in found:
                self._take(kept)
            if more:
                continue
            if until is None or until.sequence <= self._last:
                return
            tries += 1
            if tries > BEHIND_TRIES:
                # Nobody has what lies between any more; this one counts all the same.
                self._take(until)
                return
            await trio.sleep(BEHIND_SECONDS)

    def _take(self, kept: Kept) -> None:
        self._last = kept.sequence
        game = kept.subject.partition(".")[2]
        card = Card.read(kept.payload)
        if game not in self._kept:
            self._ids = None
        self._kept[game] = kept.payload
        if card is not None and card.due:
            self._due[game] = sys.intern(card.owner)
        else:
            self._due.pop(game, None)
        if card is None or not card.archived:
            if game in self._archived:
                self._archived.discard(game)
                self.when_back(game)
        elif game not in self._archived:
            self._archived.add(game)
            self.when_archived(game)
