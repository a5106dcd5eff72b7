"""Telling people what happens in their games and tournaments: by webhook, by mail, and to their
browsers.

Rules of this file:
- It looks at the games that are kept here, and sends. Neither holds a game: it reads the profiles
  that are there anyway, and what is to be sent is in `accounts.db` alone.
- A person is notified of a matter once, if it is open after its patience and nobody signed in to
  their account follows the game. What happens while they follow it they have seen.
- A notice has the title, the opponents and a link; never anything about the position.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from functools import partial
from typing import Any, Final, Protocol

import trio
from attrs import define, field, frozen

from warledger.engine.desk import letters, notificationpreferences, outbox, push
from warledger.engine.desk.budgets import asker_of
from warledger.engine.desk.hosting import Hosting
from warledger.engine.desk.letters import Letter
from warledger.engine.desk.mail import Postman, letter
from warledger.engine.desk.noticetexts import (
    confirmation,
    link_letter,
    notice_letter,
    pushed,
    sentence,
)
from warledger.engine.desk.notificationpreferences import OF_TOURNAMENTS
from warledger.engine.desk.outbox import Message, Notice, Row, Seated
from warledger.engine.desk.people import NotDone, People
from warledger.engine.desk.push import Pusher
from warledger.engine.desk.webhook import NotPosted, Poster, body_of, host_of, signature
from warledger.engine.runtime.faults import contained, note
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.metrics import Metrics
from warledger.engine.runtime.supervisor import Supervisor
from warledger.engine.serve.people import tournamentnews
from warledger.engine.serve.people.gamenews import (
    LIVE_PATIENCE_MS,
    LOW,
    OPEN,
    Matter,
    frozen_question,
    matters,
    others_of,
)
from warledger.engine.serve.wire.admission import Connected

LOOK_SECONDS: Final = 10.0
SEND_SECONDS: Final = 5.0
LETTERS_AT_A_TIME: Final = 8
HOSTS_MAX: Final = 64
"""Hosts that something is sent to at a time, …"""
STRANGE_HOSTS_MAX: Final = 32
"""… and how many of them may be such as did not take what they were last sent."""
LANE_MAX: Final = 32
"""Messages to one host that are sent one after the other, before others are looked at."""


class Told(Protocol):
    """What a notifier needs of a hub."""

    people: People
    supervisor: Supervisor
    log: Any
    connections: set[Connected]
    hosting: Hosting | None

    @property
    def metrics(self) -> Metrics:
        """The server's figures."""


def _lane(way: str, address: str) -> str:
    """What a message shares its way with: the mail server, or the host of its address."""
    return way if way == notificationpreferences.MAIL else host_of(address)


@define(eq=False)
class _Turn:
    """Whose turn it is. Hosts that are slow or new can take a part of the places only."""

    poster: Poster
    busy: frozenset[str]
    _taken: Counter[str] = field(factory=Counter)

    def takes(self, account: str, way: str, address: str) -> bool:
        """Whether the message to this address is sent now."""
        lane = _lane(way, address)
        if lane in self.busy or self._taken[lane] >= LANE_MAX:
            return False
        if lane not in self._taken and lane != notificationpreferences.MAIL:
            lanes = (*self.busy, *self._taken)
            if len(lanes) >= HOSTS_MAX or (
                self._is_strange(lane) and sum(map(self._is_strange, lanes)) >= STRANGE_HOSTS_MAX
            ):
                return False
        self._taken[lane] += 1
        return True

    def _is_strange(self, lane: str) -> bool:
        return lane != notificationpreferences.MAIL and not self.poster.knows(lane)


@define(eq=False)
class Notifier:
    """The notifications of one process. `url` is the page's address for links, "" if none is known.
    `postman` hands letters over, and `pusher` seals messages to browsers, None where the operator
    has set up no mail or no push."""

    hub: Told
    url: str = ""
    postman: Postman | None = None
    poster: Poster = field(factory=Poster)
    pusher: Pusher | None = None
    _stirred: trio.Event = field(factory=trio.Event)
    _asked: dict[str, str] = field(factory=dict)
    _lanes: set[str] = field(factory=set)
    _choosing: trio.Lock = field(factory=trio.Lock)

    @property
    def served(self) -> dict[str, Any]:
        """By which ways this server can reach people, beside webhooks: whether by mail, and the key
        to which browsers subscribe, empty where there is none."""
        key = b"" if self.pusher is None else self.pusher.public
        return {"mail": self.postman is not None, "push": key}

    async def run(self) -> None:
        """Look and send for ever."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._repeat, LOOK_SECONDS, self.look)
            nursery.start_soon(self._send_for_ever)
            nursery.start_soon(self._repeat, SEND_SECONDS, self.send_letters)

    def ask_link(self, address: str, whom: str) -> None:
        """Somebody at an address wants a link that signs in to be sent to a handle or a mailbox. Of
        one network the newest wish counts."""
        self._asked[asker_of(address).who] = whom
        self._stirred.set()

    async def _repeat(self, seconds: float, what: Any) -> None:
        while True:
            with trio.move_on_after(seconds):
                if what == self.send_letters:
                    await self._stirred.wait()
                    self._stirred = trio.Event()
                else:
                    await trio.sleep_forever()
            await self._guarded(what)

    async def _guarded(self, what: Any) -> None:
        try:
            if self.hub.people.are_there:
                await what()
        except NotDone:
            pass  # it has been logged, and is tried again
        except Exception as error:
            note(self.hub.metrics, self.hub.log, error, "notifying")

    # --- looking ----------------------------------------------------------------------------------

    async def look(self) -> None:
        """Keep the notices about the games that are kept here, and delete what no longer is."""
        people = self.hub.people
        seated, kept, listening = await people.look(
            lambda at: (outbox.seated(at), outbox.waiting(at), outbox.listening(at))
        )
        now = people.world.now_ms()
        found: dict[Row, _Found] = {}
        looked_at: set[tuple[str, str, str]] = set()
        held: set[Row] = set()
        for one, game in await self._games(seated):
            with contained(self.hub.metrics, self.hub.log, "notifying", game=one.game):
                told = {
                    kind for kind, _ in LOW if (one.account, kind, one.game, one.seat, 0) in kept
                }
                at_hand = list(matters(game, one.seat, now, told))
                number = frozen_question(game, one.seat)
                title, reopened = game.profile.genesis.title, game.profile.progress.reopened
                for matter in at_hand:
                    row = (one.account, matter.kind, one.game, one.seat, matter.number)
                    found[row] = _Found(matter, title, others_of(game, one.seat), reopened)
                if number is not None:
                    held.add((one.account, "decision", one.game, one.seat, number))
                # Only what was looked at is known to be open no more.
                looked_at.add((one.account, one.game, one.seat))
        hosting = self.hub.hosting
        for hosted in () if hosting is None else tuple(hosting.all.values()):
            with contained(self.hub.metrics, self.hub.log, "notifying", game=hosted.id):
                called = list(tournamentnews.calls(hosted, listening, now))
                for call in called:
                    account, matter = call.account, call.matter
                    row = (account, matter.kind, hosted.id, call.seat, matter.number)
                    found[row] = _Found(matter, hosted.at.charter.title, call.against)
                looked_at |= {
                    (person.account, hosted.id, f"e:{person.number}")
                    for person in hosted.at.entrants.values()
                    if person.account in listening
                }
        again = _asked_anew(found, kept)
        moved = {row for row, _ in again}
        gone = [
            row
            for row in kept
            if row[1] in OPEN
            and (row[0], row[2], row[3]) in looked_at
            and row not in found
            and row not in moved
            and row not in held
        ]
        renewed = {(*row[:4], number) for row, number in again}
        new = {row: it for row, it in found.items() if row not in kept and row not in renewed}
        followed = self._followed()
        seen = [row for row in found if row[1] in OPEN and (row[0], row[2]) in followed]
        # What is frozen is kept, so that nobody is notified again once it is thawed.
        seen += [row for row, sent in kept.items() if row in held and not sent]
        if not (gone or new or seen or again):
            return

        def write(at: sqlite3.Connection) -> None:
            outbox.drop(at, gone)
            outbox.renumber(at, again)
            for (account, kind, game, seat, number), one in new.items():
                words = {"against": one.against}
                if one.matter.what:
                    words["what"] = one.matter.what
                notice = Notice(kind, game, seat, number, one.title, words)
                outbox.note(
                    at,
                    account,
                    notice,
                    now + one.matter.patience_ms,
                    seen=kind not in OPEN and (account, game) in followed,
                )
            outbox.put_off(at, seen, now + LIVE_PATIENCE_MS)
            outbox.drop_old(at, now)

        await people.write(write)

    async def _games(self, seated: list[Seated]) -> list[tuple[Seated, Game]]:
        """The seats of games that this process keeps, where the token that is kept is the one in
        force."""
        games: dict[str, Game | None] = {}
        for id in dict.fromkeys(one.game for one in seated):
            games[id] = None
            with contained(self.hub.metrics, self.hub.log, "notifying", game=id):
                games[id] = await self._own(id)
        return [
            (one, game)
            for one in seated
            if (game := games[one.game]) is not None
            and game.profile.tokens.get(one.seat) == one.digest
        ]

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

    async def _send_for_ever(self) -> None:
        """Look for notices that are due again and again, whoever still has not taken an earlier
        one."""
        async with trio.open_nursery() as nursery:
            while True:
                await trio.sleep(SEND_SECONDS)
                nursery.start_soon(self._guarded, self.send)

    async def send(self) -> None:
        """Send the notices that are due, each host's one after the other, and the hosts at the same
        time. A host to which something is being sent already gets nothing more meanwhile."""
        people = self.hub.people
        if not await people.look(lambda at: outbox.is_any_due(at, people.world.now_ms())):
            return
        async with self._choosing:
            turn = _Turn(self.poster, frozenset(self._lanes))
            due = await people.write(lambda at: outbox.due(at, people.world, turn.takes))
            lanes: dict[str, list[Message]] = {}
            for message in due:
                lanes.setdefault(_lane(message.way, message.address), []).append(message)
            self._lanes |= lanes.keys()
        async with trio.open_nursery() as nursery:
            for lane, messages in lanes.items():
                nursery.start_soon(self._send_lane, lane, messages)

    async def _send_lane(self, lane: str, messages: list[Message]) -> None:
        """Send to one host; where it is slow, what is left stays due."""
        try:
            for message in messages:
                if await self._send(message) == "slow":
                    return
        except NotDone:
            pass  # what is not noted as sent is sent again, under the same key
        finally:
            self._lanes.discard(lane)

    async def _send(self, message: Message) -> str:
        """Send a message; returns why it was not taken, "" where it was."""
        people = self.hub.people
        now, later_ms = people.world.now_ms(), 0
        try:
            # A click on a push leads to the game; everything else says where it is.
            url = "" if message.way.startswith(notificationpreferences.PUSH) else self.url
            lines = [sentence(message.language, one, url, message.form) for one in message.notices]
            await self.post(message, lines, now)
        except NotPosted as error:
            why, later_ms = error.word, error.later_s * 1000
            self.hub.log.info("notice not taken", account=message.account, why=why)
        except Exception as error:
            # A bug of ours with one message: it counts as not taken, and the others are sent.
            why = "fault"
            note(self.hub.metrics, self.hub.log, error, "notifying", account=message.account)
        else:
            await people.write(lambda at: outbox.was_sent(at, message))
            return ""
        await people.write(lambda at: outbox.was_not_sent(at, message, why, now, later_ms))
        return why

    async def post(self, message: Message, lines: list[str], now_ms: int) -> None:
        """Send these lines on the message's way. Raises NotPosted."""
        if message.way == notificationpreferences.MAIL:
            await self._mail(message, lines, now_ms)
            return
        if message.way.startswith(notificationpreferences.PUSH):
            await self._push(message, lines, now_ms)
            return
        kinds = {one.kind for one in message.notices}
        kind = kinds.pop() if len(kinds) == 1 else "several" if kinds else "test"
        about = dict.fromkeys((one.kind in OF_TOURNAMENTS, one.game) for one in message.notices)
        games = [id for is_tournament, id in about if id and not is_tournament]
        cups = [id for is_tournament, id in about if is_tournament]
        content_type, body = body_of(message.form, message.key, kind, lines, games, cups)
        await self.poster.post(
            message.address,
            content_type,
            body,
            ("Warledger-Id", message.key),
            ("Warledger-Signature", signature(message.secret, now_ms // 1000, body)),
        )

    async def _push(self, message: Message, lines: list[str], now_ms: int) -> None:
        """Send these lines to a browser."""
        pusher, people = self.pusher, self.hub.people
        if pusher is None:
            raise NotPosted("no_push")
        body = pusher.sealed(message.form, pushed(message, lines))
        headers = pusher.headers(message.address, message.key, now_ms)
        try:
            await self.poster.post(message.address, "application/octet-stream", body, *headers)
        except NotPosted as error:
            if error.status not in push.GONE:
                raise
            # The browser has given it up; it asks its person again when they want notices there.
            await people.write(
                lambda at: notificationpreferences.drop_way(at, message.account, message.way)
            )
            raise NotPosted("gone", error.status) from None

    async def _mail(self, message: Message, lines: list[str], now_ms: int) -> None:
        people = self.hub.people
        if self.postman is None:
            raise NotPosted("no_mail")
        to = await people.look(lambda at: letters.address_of(at, message.account))
        if not to:
            raise NotPosted("no_mailbox")
        server = self.postman.server
        written = notice_letter(message, lines, server.sender, self.url)
        await self.postman.send(to, letter(server, to, message.key, now_ms, written))

    async def send_letters(self) -> None:
        """Send the letters that are due, where there is a mail server."""
        people = self.hub.people
        asked, self._asked = self._asked, {}
        for whom in dict.fromkeys(asked.values()):
            await people.write(partial(letters.ask_link, world=people.world, whom=whom))
        if self.postman is None:
            return
        if not await people.look(lambda at: letters.is_any_due(at, people.world.now_ms())):
            return
        due = await people.write(lambda at: letters.due(at, people.world, LETTERS_AT_A_TIME))
        async with trio.open_nursery() as nursery:
            for one in due:
                nursery.start_soon(self._guarded, partial(self._send_letter, self.postman, one))

    async def _send_letter(self, postman: Postman, one: Letter) -> None:
        people = self.hub.people
        now = people.world.now_ms()
        write = link_letter if one.kind == letters.LINK else confirmation
        try:
            made = letter(postman.server, one.address, one.key, now, write(one, self.url))
            await postman.send(one.address, made)
        except NotPosted as error:
            self.hub.log.info("letter not taken", account=one.account, why=error.word)
        except Exception as error:
            note(self.hub.metrics, self.hub.log, error, "notifying", account=one.account)
        else:
            await people.write(lambda at: letters.was_sent(at, one))
            return
        await people.write(lambda at: letters.was_not_sent(at, one, now))


@frozen
class _Found:
    """A matter, and what its sentence names."""

    matter: Matter
    title: str
    against: str
    reopened: int | None = None


def _asked_anew(found: dict[Row, _Found], kept: dict[Row, bool]) -> list[tuple[Row, int]]:
    """Decisions that a takeback has opened anew, with their new number: whoever knew of one has
    not acted since."""
    new = {
        row[:4]: row[4]
        for row, one in found.items()
        if row[1] == "decision" and row not in kept and one.reopened == row[4]
    }
    return [(row, new[row[:4]]) for row in kept if row[:4] in new and row not in found]
