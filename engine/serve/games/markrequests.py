"""Marks over a game: who may draw and remove them.

Rules of this file:
- Casters of a game draw, and whoever may give out its seats. Nobody does who holds a seat while the
  game is played: what it says would come from a player.
- A mark is about a record that its maker may see, with the delay that binds a caster.
- How often somebody may draw is limited, and so is how much is kept.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from attrs import evolve as replace

from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.serve.games import markfiles
from warledger.engine.serve.games.chat import is_line, is_played
from warledger.engine.serve.games.markfiles import Mark
from warledger.engine.serve.people import viewtokens
from warledger.engine.serve.tournaments.officials import casts_at
from warledger.engine.serve.wire.client import Client, Denied, game_of
from warledger.engine.serve.wire.viewer import shown_to
from warledger.protocol.board.choices import say
from warledger.protocol.limits import MARK_CHARS_MAX
from warledger.protocol.wire import markmessages as mm
from warledger.protocol.wire.fields import is_name

HOST: Final = "host"
BURST: Final = 20
EACH_SECONDS: Final = 0.5
"""So many marks may be drawn or removed at once, and another each so many seconds."""


def _not_marked(key: str, /, **args: object) -> Failed:
    return Failed("mark", say(key, **args))


def maker_of(client: Client, game: Game) -> str:
    """Who they are when they draw over the game; "" if they may not."""
    if is_played(game) and any(client.holds(game, seat) for seat in game.profile.genesis.seats):
        return ""
    if client.hosts(game.id):
        return HOST
    if client.person is not None and (_casts(client.own, game.id) or casts_at(client, game)):
        return f"account {client.person.id}"
    found = (digest for digest, rows in client.granted.items() if _casts(rows, game.id))
    digest = next(found, None)
    return "" if digest is None else f"token {digest.hex()}"


def name_of(client: Client, maker: str) -> str:
    """Under which name somebody draws: their account's, or that which the operator gave their
    token. A name that anybody may choose at a login is not shown over a game."""
    if client.person is not None:
        return client.person.handle
    kind, _, shown = maker.partition(" ")
    name = client.hub.grants.names.get(bytes.fromhex(shown)) if kind == "token" else ""
    return name or (HOST if maker == HOST else viewtokens.CASTER)


def _casts(rows: tuple[viewtokens.Row, ...], game: str) -> bool:
    return any(kind == viewtokens.CASTER and of == game for kind, of, _ in rows)


async def _drawing(client: Client, id: str) -> tuple[Game, str]:
    game = await game_of(client, id)
    maker = maker_of(client, game)
    if not maker:
        raise Denied(_not_marked("error.mark_not_you"))
    wait = client.hub.speaking.take_turn(f"{id} marks", maker, BURST, EACH_SECONDS)
    if wait:
        raise Denied(failed("error.slow_down", seconds=wait))
    return game, maker


async def _changed(
    client: Client, game: Game, change: Callable[[tuple[Mark, ...]], tuple[Mark, ...]]
) -> None:
    """Change the marks of a game, one client after the other."""
    hub = client.hub
    data = hub.data
    if data is None:
        raise Denied(failed("error.not_saved", why=markfiles.FOLDER))

    def made() -> None:
        before = markfiles.read(data, game.id)
        after = change(before)
        if after != before:
            markfiles.write(data, game.id, after)

    async with hub.marking:
        try:
            await hub.supervisor.ambient.blocking(made)
        except OSError as error:
            hub.log.error("marks not written", game=game.id, what=str(error))
            raise Denied(failed("error.not_saved", why=markfiles.FOLDER)) from None


async def _mark(client: Client, message: mm.Mark) -> None:
    game, maker = await _drawing(client, message.game)
    places = tuple(place for (place,) in message.places)
    last = shown_to(client, game).seq
    if message.at > last:
        raise Denied(failed("error.no_such_record", seq=message.at, last=last))
    wrong = len(places) != mm.PLACES_OF[message.kind] or not all(map(is_name, places))
    text = message.text
    if wrong or (text and not is_line(text)) or (not text and message.kind == mm.NOTE):
        raise Denied(_not_marked("error.mark_form", most=MARK_CHARS_MAX))
    made = Mark(0, message.at, message.kind, places, text, name_of(client, maker), maker)
    number = 0

    def add(before: tuple[Mark, ...]) -> tuple[Mark, ...]:
        nonlocal number
        if len(before) >= markfiles.MARKS_MAX:
            raise Denied(_not_marked("error.mark_many", most=markfiles.MARKS_MAX))
        number = max((one.n for one in before), default=0) + 1
        return (*before, replace(made, n=number))

    await _changed(client, game, add)
    client.connection.send(mm.Marked(message.request, number))


async def _unmark(client: Client, message: mm.Unmark) -> None:
    game, maker = await _drawing(client, message.game)

    def remove(before: tuple[Mark, ...]) -> tuple[Mark, ...]:
        if not message.n:
            return tuple(one for one in before if one.maker != maker)
        gone = next((one for one in before if one.n == message.n), None)
        if gone is None:
            raise Denied(_not_marked("error.mark_none", n=message.n))
        if maker not in (gone.maker, HOST):
            raise Denied(_not_marked("error.mark_others", n=message.n))
        return tuple(one for one in before if one is not gone)

    await _changed(client, game, remove)
    client.connection.send(mm.Marked(message.request, message.n))


MARKING: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    mm.Mark: _mark,
    mm.Unmark: _unmark,
}
