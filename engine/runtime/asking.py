"""Asking a game's rules: those installed here, or those of an archived release, whose process is
asked in a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from warledger.engine.archive.ledger import ReleasedLedger, ReleasedRules
from warledger.engine.kernel import door
from warledger.engine.kernel.position import Position
from warledger.engine.runtime import live as live_games
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.live import Live, split
from warledger.engine.store.port import Frame
from warledger.protocol.choices import Choices, Decision, Picks, Refusal, Say
from warledger.protocol.records import Record
from warledger.protocol.seal import pack_openings
from warledger.protocol.secrets import Keys

T = TypeVar("T")


def is_elsewhere(live: Live | None) -> bool:
    """Whether the game is played by an archived release."""
    return live is not None and isinstance(live.ledger, ReleasedLedger)


async def thought(live: Live, ambient: Ambient, call: Callable[[], T]) -> T:
    """What a call makes that may ask the rules: here, or in a thread where an archived release is
    asked. Nothing else is done in this game meanwhile."""
    return await ambient.blocking(call) if is_elsewhere(live) else call()


def load(rules: ReleasedRules, read: Callable[[], list[Frame]], keys: Keys) -> Live:
    """A game that an archived release plays. Raises as `live.load` and `Release.call`."""

    def log() -> Iterator[tuple[bytes, bytes]]:
        payloads, openings = split(read())
        for seq, data in enumerate(payloads):
            beside = openings.get(seq)
            yield data, pack_openings(beside) if beside else b""

    told = ("whole", keys.as_payload())

    def make(genesis: Record) -> ReleasedLedger:
        return ReleasedLedger(rules, genesis, keys, told, log)

    live = live_games.load(rules, keys, read(), make=make)
    assert isinstance(live.ledger, ReleasedLedger)
    live.ledger.begin()
    return live


def choices(
    live: Live, at: Position[Any], seat: str, picks: Picks
) -> tuple[Choices | Refusal, Decision | None]:
    """What may follow the picks at a position of a game, and the seat's open question."""
    ledger = live.ledger
    if isinstance(ledger, ReleasedLedger):
        return ledger.offered(at.seq, seat, picks)
    offered = door.choices(ledger.rules, at, seat, picks)
    refused = isinstance(offered, Refusal)
    return offered, None if refused else door.pending(ledger.rules, at, seat)


def preview(live: Live, at: Position[Any], seat: str, picks: Picks) -> tuple[Say, ...] | Refusal:
    """What a client may show beside the picks."""
    ledger = live.ledger
    if isinstance(ledger, ReleasedLedger):
        return ledger.previewed(at.seq, seat, picks)
    return door.preview(ledger.rules, at, seat, picks)


def pending(live: Live, seat: str) -> Decision | None:
    """The open question of a seat."""
    ledger, at = live.ledger, live.position
    if isinstance(ledger, ReleasedLedger):
        return None if at.opened(seat) is None else ledger.offered(at.seq, seat, ())[1]
    return door.pending(ledger.rules, at, seat)
