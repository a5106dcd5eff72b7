"""Mending the end of a game that the engine has lost, by the receipts of those who wrote it.

What is appended is what stood there: the frames of a receipt whose first record names the hash of
the engine's newest record, with the fence, in their order. Nothing else is touched: a game stays as
it is if it is whole, has gone on otherwise since, or has a hole in its middle. Frames without a
record (tokens) come back only among records that do, for others may have replaced them since.
Claims never do. And an append comes back only if the engine is known to have kept it: by its
answer, or because another was built on it.
"""

from collections.abc import Container, Iterable, Sequence
from typing import Any

import trio
from attrs import frozen

from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.store.fleet.cards import is_archived
from warledger.engine.store.fleet.gamefolds import OWNER
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.receipts import Receipt
from warledger.engine.store.fleet.sealedmessages import BadMessage, DataKeys
from warledger.engine.store.port import FRAME_META, FRAME_RECORD, Frame, StoreError
from warledger.protocol import canon
from warledger.protocol.log.records import NO_HASH, CorruptLog, hash_of, read
from warledger.protocol.log.wlog import CorruptFile, walk


@frozen
class Healed:
    """What was done for a game: how many records were put back, or why none could be."""

    game: str
    records: int
    what: str = ""


@frozen
class _Append:
    """An append as a receipt holds it."""

    first: int
    frames: tuple[Frame, ...]
    records: tuple[bytes, ...]
    is_stored: bool

    @property
    def follows(self) -> bytes:
        """The hash that its first record goes on from."""
        return read(self.records[0]).previous

    @property
    def hash(self) -> bytes:
        """The hash of its last record."""
        return hash_of(self.records[-1])


async def heal(store: JetStreamStore, keys: DataKeys, receipts: Iterable[Receipt]) -> list[Healed]:
    """Mend every game of which the receipts know more than the engine. Returns those games alone
    for which something was done, or could not be. `store` must be one that claims nothing."""
    known: dict[str, dict[str, Receipt]] = {}
    stored: set[str] = set()
    for receipt in receipts:
        if receipt.messages:
            known.setdefault(receipt.game, {})[receipt.name] = receipt
        else:
            stored.add(receipt.name)
    done: list[Healed] = []
    for game, found in sorted(known.items()):
        if not store.keeps(game) and await is_archived(JetStream(store.engine), game):
            continue  # it has left the engine on purpose
        try:
            healed = await _mend(store, game, _appends(game, keys, found.values(), stored))
        except (StoreError, CorruptLog) as error:
            healed = Healed(game, 0, str(error))
        if healed.records or healed.what:
            done.append(healed)
    return done


def _appends(
    game: str, keys: DataKeys, receipts: Iterable[Receipt], stored: Container[str]
) -> list[_Append]:
    """What the receipts hold that the engine had, in their order; those that do not open are left
    out."""
    made: list[_Append] = []
    for receipt in receipts:
        try:
            pieces = [keys.open(message) for message in receipt.messages]
            data = b"".join(piece.data for piece in pieces)
            frames = tuple(Frame(kind, payload) for _, kind, payload in walk(data, 0))
        except (BadMessage, CorruptFile):
            continue
        if all(piece.game == game for piece in pieces):
            records = tuple(frame.payload for frame in frames if frame.kind == FRAME_RECORD)
            made.append(_Append(pieces[0].first, frames, records, receipt.name in stored))
    # From the last to the first: what something that was stored goes on from was stored, too.
    built_on: set[bytes] = set()
    kept: list[_Append] = []
    for one in sorted(made, key=lambda one: -one.first):
        if one.is_stored or (one.records and one.hash in built_on):
            kept.append(one)
            if one.records:
                built_on.add(one.follows)
    order = {id(one): at for at, one in enumerate(made)}
    return sorted(kept, key=lambda one: order[id(one)])


async def _mend(store: JetStreamStore, game: str, appends: Sequence[_Append]) -> Healed:
    kept: list[Frame] = []
    if store.keeps(game):
        kept = await trio.to_thread.run_sync(store.read, game)
    records = [frame.payload for frame in kept if frame.kind == FRAME_RECORD]
    count, hash = len(records), hash_of(records[-1]) if records else NO_HASH
    before = count
    while (at := _next(appends, count, hash)) is not None:
        # Bookkeeping that was written between the last record that is put back and this one.
        beside = _beside(appends, count, at) if count > before else ()
        for one in (*beside, appends[at]):
            frames = [frame for frame in one.frames if not _is_claim(frame)]
            if not frames:
                continue
            if count or kept:
                await store.append(game, count, frames)
            else:
                await store.create(game, frames)
            for payload in one.records:
                count, hash = count + 1, hash_of(payload)
        kept = kept or list(appends[at].frames)
    return Healed(game, count - before)


def _next(appends: Sequence[_Append], count: int, hash: bytes) -> int | None:
    """Which append goes on from a record with this hash."""
    for at, one in enumerate(appends):
        if one.first == count and one.records and one.follows == hash:
            return at
    return None


def _beside(appends: Sequence[_Append], count: int, at: int) -> Sequence[_Append]:
    """The appends without a record that were made between the append before `at` and it."""
    return [one for one in appends[:at] if one.first == count and not one.records]


def _is_claim(frame: Frame) -> bool:
    """Whether it says whose the game is."""
    if frame.kind != FRAME_META:
        return False
    try:
        said: Any = canon.unpack(frame.payload)
    except canon.NotCanonical:
        return False
    return isinstance(said, tuple) and said[:1] == (OWNER,)
