"""Telling people that a game waits for them.

Rules of this file:
- Each process looks at the games that it keeps; the first one sends. Neither holds a game: the
  profiles are read that are there anyway, and what is sent is in `accounts.db` alone until then.
- A person is told of a decision once, if it is still open after the game's patience and nobody who
  is signed in to their account follows the game.
- What is told is the title, the opponents and a link; never what the position is.
"""

from __future__ import annotations

import sqlite3
from typing import Any, Final, Protocol

import trio
from attrs import define, field

from warledger.engine.desk import outbox
from warledger.engine.desk.outbox import Message, Seated
from warledger.engine.desk.people import NotDone, People
from warledger.engine.desk.webhook import NotPosted, Poster, body_of, signature
from warledger.engine.kernel.position import PLAYING
from warledger.engine.runtime.actor import Game
from warledger.engine.runtime.metrics import Metrics
from warledger.engine.runtime.supervisor import Supervisor
from warledger.engine.serve.places import Connected
from warledger.protocol import lang
from warledger.protocol.clockcontrol import CLOCK

LOOK_SECONDS: Final = 10.0
SEND_SECONDS: Final = 5.0
AT_A_TIME: Final = 8
PATIENCE_MS: Final = 5 * 60_000
LIVE_PATIENCE_MS: Final = 20_000
"""After how long an open decision is worth a message: in games over days, and in live ones."""
LIVE_BANK_MS: Final = 3 * 3600_000
"""A clock that begins with less than this is a live game's."""

Row = tuple[str, str, str, int]


class Told(Protocol):
    """What a notifier needs of a hub."""

    people: People
    supervisor: Supervisor
    log: Any
    connections: set[Connected]

    @property
    def metrics(self) -> Metrics:
        """The server's figures."""


@define(eq=False)
class Notifier:
    """The notifications of one process. `url` is the page's address for links, "" if none is
    known."""

    hub: Told
    url: str = ""
    poster: Poster = field(factory=Poster)

    async def run(self, *, sends: bool) -> None:
        """Look, and `sends` where this process does, for ever."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._repeat, LOOK_SECONDS, self.look)
            if sends:
                nursery.start_soon(self._repeat, SEND_SECONDS, self.send)

    async def _repeat(self, seconds: float, what: Any) -> None:
        while True:
            await trio.sleep(seconds)
            try:
                if self.hub.people.are_there:
                    await what()
            except NotDone:
                pass  # it has been logged, and is tried again
            except Exception as error:
                self.hub.metrics.faults += 1
                self.hub.log.error("fault", where="notifying", what=type(error).__name__)

    # --- looking ----------------------------------------------------------------------------------

    async def look(self) -> None:
        """Keep what is to be told of the games of this process, and delete what no longer is."""
        people = self.hub.people
        known = await people.look(lambda at: (outbox.seated(at), outbox.waiting(at)))
        seated, kept = known
        open_now: dict[Row, tuple[Seated, Game]] = {}
        here: set[str] = set()
        for game_id in dict.fromkeys(one.game for one in seated):
            game = await self._own(game_id)
            if game is None:
                continue
            here.add(game_id)
            if game.profile.progress.stage != PLAYING:
                continue
            asked = dict(game.profile.progress.asked)
            for one in seated:
                holds = game.profile.tokens.get(one.seat) == one.digest
                if one.game == game_id and one.seat in asked and holds:
                    open_now[one.account, game_id, one.seat, asked[one.seat]] = (one, game)
        gone = [row for row in kept if row[1] in here and row not in open_now]
        new = {row: found for row, found in open_now.items() if row not in kept}
        followed = self._followed()
        seen = [row for row in open_now if (row[0], row[1]) in followed]
        if not (gone or new or seen):
            return
        now = people.world.now_ms()

        def write(at: sqlite3.Connection) -> None:
            outbox.drop(at, gone)
            for (account, game, seat, decision), (_, found) in new.items():
                title = found.profile.genesis.title
                due = now + patience_ms(found)
                outbox.note(at, account, game, seat, decision, title, _against(found, seat), due)
            outbox.put_off(at, seen, now + LIVE_PATIENCE_MS)

        await people.write(write)

    async def _own(self, id: str) -> Game | None:
        """The game, if this process keeps it."""
        supervisor = self.hub.supervisor
        if id not in supervisor.games and not supervisor.store.keeps(id):
            return None
        game = await supervisor.game(id)
        return game if isinstance(game, Game) and not game.quarantine else None

    def _followed(self) -> set[tuple[str, str]]:
        """The accounts that follow a game at this moment, with the game."""
        return {
            (one.client.person.id, game)
            for one in self.hub.connections
            if one.client.person is not None
            for game in one.client.games_followed
        }

    # --- sending ----------------------------------------------------------------------------------

    async def send(self) -> None:
        """Send what is due, a few at a time."""
        people = self.hub.people
        if not await people.look(lambda at: outbox.is_any_due(at, people.world.now_ms())):
            return
        due = await people.write(lambda at: outbox.due(at, people.world, AT_A_TIME))
        async with trio.open_nursery() as nursery:
            for message in due:
                nursery.start_soon(self._send, message)

    async def _send(self, message: Message) -> None:
        people = self.hub.people
        now = people.world.now_ms()
        try:
            await self.post(message, self._lines(message), now)
        except NotPosted as error:
            why = error.word
            await people.write(lambda at: outbox.was_not_sent(at, message, why, now))
            self.hub.log.info("notice not taken", account=message.account, why=why)
        else:
            await people.write(lambda at: outbox.was_sent(at, message))

    async def post(self, message: Message, lines: list[str], now_ms: int) -> None:
        """Post these lines to a channel. Raises NotPosted."""
        games = [game for game, _, _ in message.games]
        content_type, body = body_of(message.form, message.key, lines, games)
        await self.poster.post(
            message.url,
            content_type,
            body,
            ("Warledger-Id", message.key),
            ("Warledger-Signature", signature(message.secret, now_ms // 1000, body)),
        )

    def _lines(self, message: Message) -> list[str]:
        lines = []
        for game, title, against in message.games:
            spoken = lang.phrases(message.language, title)
            text = spoken.text("notice.decision", title=title, against=against or "–", game=game)
            lines.append(f"{text} {self.url}/game/{game}" if self.url else text)
        return lines


def patience_ms(game: Game) -> int:
    """How long a decision of this game may be open before its player is told."""
    clock = game.profile.genesis.terms.get(CLOCK) if game.profile.genesis.signed else None
    live = clock is not None and clock.get("bank", 0) < LIVE_BANK_MS
    return LIVE_PATIENCE_MS if live else PATIENCE_MS


def _against(game: Game, seat: str) -> str:
    others = (name for other, name in game.profile.progress.holders if other != seat and name)
    return ", ".join(others)[:128]
