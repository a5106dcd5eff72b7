"""What the player of a seat may want to know about a game, as it is at this moment.

Rules of this file:
- Nothing that only some may see is sent: a notice has the kind, the title, names, and no position.
- A question, a request and a clock stay open until they are not. What happens once (a claim, a
  ruling, the end) is sent for a day, so that nobody is notified of the past.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from attrs import frozen

from warledger.engine.kernel.position import ENDED, PLAYING
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.profile import Event, Progress
from warledger.protocol.clocks import clock
from warledger.protocol.clocks.clockcontrol import CLOCK, control_of
from warledger.protocol.log.bodies import DRAW, TAKEBACK
from warledger.protocol.log.deskbodies import ADJOURN, PAUSE

OPEN: Final = ("decision", "ask", "half", "tenth", "bids", "check_in", "nonce")
"""Kinds of matters that are open until they are settled."""
LOW: Final = (("half", 2), ("tenth", 10))
"""Of a seat's bank at the start: what is left when a notice is due."""
RECOVERED: Final = 2
"""A bank must have this many times as much as that before its owner is notified again."""
EVENT_MS: Final = 24 * 3600_000
PATIENCE_MS: Final = 5 * 60_000
LIVE_PATIENCE_MS: Final = 20_000
"""After how long an open question is worth a message: in games over days, and in live ones."""
LIVE_BANK_MS: Final = 3 * 3600_000
"""A clock that begins with less than this is a live game's."""
_ASKS: Final = (TAKEBACK, DRAW, PAUSE, ADJOURN)


@frozen
class Matter:
    """One matter. `number` tells it from others of its kind. `what` is a word of its sentence, ""
    for none. `patience_ms` is how long it may wait for its person to see it by themselves."""

    kind: str
    number: int
    patience_ms: int
    what: str = ""


def matters(game: Game, seat: str, now_ms: int, told: Collection[str]) -> Iterator[Matter]:
    """What there is to tell the player of a seat. `told` are the kinds of `LOW` that they were
    told and that are open still."""
    progress, wait = game.profile.progress, patience_ms(game)
    if progress.stage == PLAYING:
        number = dict(progress.asked).get(seat)
        if number is not None and not progress.docket.frozen:
            yield Matter("decision", number, wait)
        request = progress.request
        if (
            request is not None
            and request.what in _ASKS
            and seat not in (request.seat, *request.consents)
        ):
            yield Matter("ask", request.seq, wait, request.what)
        yield from _low(game, seat, now_ms, told)
    elif progress.stage == ENDED and _is_new(progress.ended, now_ms):
        assert progress.ended is not None
        yield Matter("over", progress.ended.seq, LIVE_PATIENCE_MS)
    yield from _rulings(progress, seat, now_ms)


def frozen_question(game: Game, seat: str) -> int | None:
    """The number of the decision that a seat has in a game that is frozen: nothing to tell of, but
    still the same decision once the game is thawed."""
    progress = game.profile.progress
    if progress.stage != PLAYING or not progress.docket.frozen:
        return None
    return dict(progress.asked).get(seat)


def _rulings(progress: Progress, seat: str, now_ms: int) -> Iterator[Matter]:
    for kind, event in (("claim", progress.claim), ("ruling", progress.ruled)):
        if event is not None and event.seat != seat and _is_new(event, now_ms):
            yield Matter(kind, event.seq, LIVE_PATIENCE_MS)


def _is_new(event: Event | None, now_ms: int) -> bool:
    return event is not None and now_ms - event.at_ms < EVENT_MS


def _low(game: Game, seat: str, now_ms: int, told: Collection[str]) -> Iterator[Matter]:
    control = control_of(game.profile.genesis) if game.profile.has_clocks else None
    if control is None:
        return
    left = time_left(game, seat, now_ms)
    bank = control.of(seat, "bank")
    for kind, part in LOW:
        if left is None:
            if kind in told:
                yield Matter(kind, 0, 0)
        elif left * part <= bank * (RECOVERED if kind in told else 1):
            yield Matter(kind, 0, 0)


def time_left(game: Game, seat: str, now_ms: int) -> int | None:
    """What a seat's clock shows, in milliseconds; at most that, where the game is not in memory and
    only its next deadline is known. None where nothing is known."""
    progress = game.profile.progress
    control = control_of(game.profile.genesis) if game.profile.has_clocks else None
    if control is None:
        return None
    if game.live is not None and game.live.position.clocks is not None:
        at = max(now_ms, progress.at_ms)
        return clock.reading(control, game.live.position.clocks, seat, at).left
    deadline = game.deadline_ms
    if deadline is None or progress.awaits != (seat,):
        return None
    return deadline - now_ms


def patience_ms(game: Game) -> int:
    """How long a decision of this game may be open before its player is notified."""
    terms = game.profile.genesis.terms.get(CLOCK)
    live = terms is not None and terms.get("bank", 0) < LIVE_BANK_MS
    return LIVE_PATIENCE_MS if live else PATIENCE_MS


def others_of(game: Game, seat: str) -> str:
    """The names of a seat's opponents."""
    others = (name for other, name in game.profile.progress.holders if other != seat and name)
    return ", ".join(others)[:128]
