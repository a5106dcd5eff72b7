"""How often a seat may sign acts that nothing in the game limits, so that nobody can fill the disk
with them."""

from __future__ import annotations

from typing import Final

from warledger.engine.runtime.ambient import loop_seconds
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.runtime.game.live import Live
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act

CHANGES_AT_ONCE: Final = 20
CHANGES_SECONDS: Final = 10.0
"""How often a seat may change its keys at once, and in the long run once in how many seconds. (For
its orders see `warledger.engine.runtime.game.changelimits`.)"""
ASKS_AT_ONCE: Final = 60
ASKS_SECONDS: Final = 2.0
"""How often a seat may ask for a takeback or offer a draw at once, and in the long run once in how
many seconds: a command and its takeback could follow each other for ever."""
KEYS_EVER_MAX: Final = 64
"""How many keys a seat may declare in the course of a game, and how many consents to hand it over
are stored: each stays in the game's file."""

LIMITED: Final = {
    acts.DEVICE: ("keys", CHANGES_AT_ONCE, CHANGES_SECONDS),
    acts.HANDED: ("keys", CHANGES_AT_ONCE, CHANGES_SECONDS),
    acts.ASK: ("asks", ASKS_AT_ONCE, ASKS_SECONDS),
    acts.CLOCK: ("clock", ASKS_AT_ONCE, ASKS_SECONDS),
    acts.RULING: ("claims", CHANGES_AT_ONCE, CHANGES_SECONDS),
}
"""Kinds of acts that nothing in the game limits: group, how many at once, seconds until one more. A
key can only be revoked after it was declared, a request only answered after it was made, and a seat
resigns only once."""


def _limit(act: Act) -> tuple[str, int, float] | None:
    return None if act.kind == acts.ASK and act.body[0] == "resign" else LIMITED.get(act.kind)


def why_too_often(game: Game, live: Live, act: Act) -> Failed | None:
    """Why a seat may make no more changes of this kind now; the act may be sent again later.
    Declined acts do not count, or else somebody who has the seat's token and none of its keys could
    keep its holder from acting."""
    limit = _limit(act)
    if limit is None:
        return None
    group, at_once, seconds = limit
    if group == "keys" and _keys_ever(game, live, act) >= KEYS_EVER_MAX:
        return failed("error.too_many", most=KEYS_EVER_MAX)
    times, now = live.change_times.setdefault((act.seat, group), []), loop_seconds()
    times[:] = [at for at in times if at > now - at_once * seconds]
    return (
        failed("error.slow_down", seconds=int(times[0] + at_once * seconds - now) + 1)
        if len(times) >= at_once
        else None
    )


def _keys_ever(game: Game, live: Live, act: Act) -> int:
    if act.kind == acts.DEVICE:
        return sum(seat == act.seat for _, seat in live.position.shown_keys)
    return sum(seat == act.seat for seat, _, _ in game.profile.handed)


def note_change(live: Live, act: Act) -> None:
    """Count a change that was accepted."""
    limit = _limit(act)
    if limit is not None:
        live.change_times.setdefault((act.seat, limit[0]), []).append(loop_seconds())
