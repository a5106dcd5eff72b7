"""What the passing of time requires of a game: flags that fall, and the end of a game whose end was
held. When, the log alone says; a game looks here before it hears a request, and when the calendar
wakes it."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.position import PLAYING
from warledger.engine.runtime.game.live import Live
from warledger.protocol.board.choices import Refusal
from warledger.protocol.log import docket

LATER_MS: Final = 1_000
"""Milliseconds until a flag that was due and could not be written is tried again."""


def nothing_due(live: Live, now_ms: int) -> bool:
    """Whether the passing of time requires nothing to be written now: the quick check, for each
    request. An end that is held is left to `due_now`."""
    position = live.ledger.position
    if position.docket.over_ms:
        return False
    first = None if position.clocks is None else position.clocks.next_deadline
    return first is None or now_ms < first


def due_now(live: Live, now_ms: int) -> tuple[int, Callable[[Live], Batch[Any] | Refusal]] | None:
    """What the passing of time requires to be written now, and since when: a flag, or an end that
    was held. None where it requires nothing."""
    clocks, ledger = live.position.clocks, live.ledger
    flags = () if clocks is None else clocks.due(now_ms)
    if flags:
        return flags[0].deadline or 0, partial(_fall, now_ms)
    at_ms = max(now_ms, ledger.last.at_ms)
    if docket.held(ledger.desk, live.position.docket, ledger.genesis.seats, at_ms) is None:
        return docket.held_until(ledger.desk, live.position.docket), partial(_end, now_ms)
    return None


def next_change(live: Live, now_ms: int) -> int | None:
    """When to look at the time next; None if a record must come first."""
    position, ledger = live.position, live.ledger
    change = None if position.clocks is None else position.clocks.next_change(now_ms)
    if not position.docket.over_ms:
        return change
    until = docket.held_until(ledger.desk, position.docket)
    seats = ledger.genesis.seats
    if not until or docket.held(ledger.desk, position.docket, seats, until) is not None:
        return change
    return until if change is None else min(until, change)


def next_look(live: Live, tried_ms: int | None) -> int | None:
    """When a game wants to look at its clocks again; None if a record must come first. `tried_ms`
    is the moment until which it has written what it could: whatever is due by then could not be
    written, or may not be while the time is in doubt."""
    position = live.ledger.position
    if position.stage != PLAYING:
        return None
    clocks = position.clocks
    if tried_ms is None and clocks is not None and clocks.calm and not position.docket.over_ms:
        return clocks.next_deadline  # as nearly always
    since_ms = live.ledger.last.at_ms if tried_ms is None else tried_ms
    at_ms = next_change(live, since_ms)
    if tried_ms is not None and at_ms is not None and at_ms <= tried_ms:
        return tried_ms + LATER_MS
    return at_ms


def _fall(now_ms: int, live: Live) -> Batch[Any] | Refusal:
    return live.ledger.propose_flag(now_ms)


def _end(now_ms: int, live: Live) -> Batch[Any] | Refusal:
    return live.ledger.propose_end(now_ms)


def was_away(start: int, end: int, now_ms: int, live: Live) -> Batch[Any] | Refusal:
    """Nobody is charged for the time in which the server was away."""
    return live.ledger.propose_outage(start, end, max(now_ms, end))
