"""Table talk: who may read and say what.

Rules of this file:
- Players talk among themselves; host and arbiters read it, and so nobody else. Spectators, who see
  the game late, talk among themselves: while the game is played nobody who sees it as it is says
  anything there, and no player reads it.
- A line is text of one line. It is shown to people and to nothing else: clients make its control
  characters visible.
- How often somebody may say something is limited (`chatstore`), and so is what is kept.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any, Final

from warledger.engine.desk import talk
from warledger.engine.kernel.position import ENDED
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.serve.wire.client import Client, Denied, game_of
from warledger.engine.serve.wire.ratelimits import BYTE_SECONDS, LIGHT_SECONDS
from warledger.engine.serve.wire.viewer import Viewer, sees_live
from warledger.protocol.board.choices import say
from warledger.protocol.limits import LINE_CHARS_MAX
from warledger.protocol.texts import typed
from warledger.protocol.wire import talkmessages as tm

ROW_BYTES: Final = 64
"""What a line has beside its text, about."""


def _not_said(key: str, /, **args: object) -> Failed:
    return Failed("talk", say(key, **args))


def is_played(game: Game) -> bool:
    """Whether it is still being played, or spectators have not seen its end yet."""
    return game.profile.progress.stage != ENDED or game.shown.stage != ENDED


def may_read(viewer: Viewer, game: Game, room: str) -> bool:
    """Whether they may read what is said in a room. Whoever plays reads no spectators while the
    game is played, even as its host."""
    plays = any(viewer.holds(game, seat) for seat in game.profile.genesis.seats)
    if room != tm.PLAYERS:
        return not plays or not is_played(game)
    return plays or viewer.arbitrates(game) or viewer.hosts(game.id)


def may_rule(viewer: Viewer, game: Game) -> bool:
    """Whether they may remove lines, mute somebody, and shut a room."""
    return viewer.hosts(game.id) or viewer.arbitrates(game)


def speaker(client: Client, game: Game, room: str, seat: str) -> tuple[str, str, str] | None:
    """Who says something: seat or account, name, account; None if they may not."""
    account = "" if client.person is None else client.person.id
    if room == tm.PLAYERS:
        if not client.holds(game, seat):
            return None
        return seat, dict(game.profile.progress.holders).get(seat) or seat, account
    if client.person is None or (is_played(game) and sees_live(client, game)):
        return None
    return account, client.person.handle, account


def is_line(text: str) -> bool:
    """Whether it may be said: something to see, without line breaks."""
    return bool(text.strip()) and typed.refused(text, typed.LINE) is None


async def _room(client: Client, id: str, room: str) -> Game:
    game = await game_of(client, id)
    if not may_read(client, game, room):
        raise Denied(_not_said("error.talk_elsewhere"))
    return game


async def _talk(client: Client, message: tm.Talk) -> None:
    game = await _room(client, message.game, message.room)
    speaking, room = client.hub.speaking, message.room
    found = talk.Room(False, (), ())
    if speaking.db.is_there:
        rules = may_rule(client, game)
        found = await speaking.look(
            lambda at: talk.room(at, game.id, room, message.after, reported=rules)
        )
    seats = game.profile.genesis.seats if room == tm.PLAYERS else ("",)
    may = ["say"] if any(speaker(client, game, room, seat) for seat in seats) else []
    may += ["rule"] if may_rule(client, game) else []
    lines = tuple(
        (one.n, one.at_ms, one.who, one.name, one.text, one.reported) for one in found.lines
    )
    size = sum(ROW_BYTES + len(one.text.encode()) for one in found.lines)
    client.bill.spent(message.tag, LIGHT_SECONDS + size * BYTE_SECONDS)
    client.connection.send(
        tm.TalkIs(
            message.request,
            game.id,
            room,
            found.shut,
            tuple((one,) for one in may),
            lines,
            tuple((n,) for n in found.removed),
        )
    )


async def _say(client: Client, message: tm.SayLine) -> None:
    game = await _room(client, message.game, message.room)
    speaking, room, text = client.hub.speaking, message.room, message.text
    who = speaker(client, game, room, message.seat)
    if who is None:
        raise Denied(_not_said("error.talk_not_you"))
    if not is_line(text):
        raise Denied(_not_said("error.talk_line", most=LINE_CHARS_MAX))
    wait = speaking.take_turn(game.id, who[0])
    if wait:
        raise Denied(failed("error.slow_down", seconds=wait))
    now = speaking.world.now_ms()

    def keep(at: sqlite3.Connection) -> int:
        if talk.is_shut(at, game.id, room) or talk.is_muted(at, game.id, room, who[0]):
            return 0
        return talk.add(at, game.id, room, now, who, text)

    n = await speaking.write(keep)
    if not n:
        raise Denied(_not_said("error.talk_shut"))
    client.connection.send(tm.Said(message.request, n))


async def _act(client: Client, message: tm.TalkAct) -> None:
    game = await _room(client, message.game, message.room)
    speaking, what, n, room = client.hub.speaking, message.what, message.n, message.room
    if what != tm.REPORT and not may_rule(client, game):
        raise Denied(failed("error.host_only"))
    wait = speaking.take_turn(f"{game.id} {what}", client.bill.key) if what == tm.REPORT else 0
    if wait:
        raise Denied(failed("error.slow_down", seconds=wait))
    is_news = True

    def act(at: sqlite3.Connection) -> bool:
        nonlocal is_news
        if what in (tm.SHUT, tm.OPEN):
            talk.set_shut(at, game.id, room, shut=what == tm.SHUT)
            return True
        who = talk.said_by(at, game.id, room, n)
        if who is None:
            return False
        if what == tm.REPORT:
            is_news = talk.report(at, game.id, room, n)
        elif what == tm.REMOVE:
            talk.remove(at, game.id, room, n)
        else:
            talk.mute(at, game.id, room, who, muted=what == tm.MUTE)
        return True

    if not await speaking.write(act):
        raise Denied(_not_said("error.talk_no_line", n=n))
    # The line itself is in no log.
    if is_news:
        client.connection.log.info("talk", what=what, game=game.id, room=room, n=n)
    client.connection.send(tm.Said(message.request, n))


TALKING: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    tm.Talk: _talk,
    tm.SayLine: _say,
    tm.TalkAct: _act,
}
