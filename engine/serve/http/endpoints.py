"""What HTTP serves, other than the page: titles, games, boards, symbols, phrases, archives, health
and figures.

Rules of this file:
- Everybody is a spectator here. Whatever depends on how far a game has got is read from `shown`. A
  game's file is served once spectators have seen its end. Figures that would reveal when somebody
  acted in a delayed game are only for whoever shows the host's token.
- What takes more than a moment is made off the loop, once, however many ask for it together, and
  the newest results are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from email.utils import formatdate
from functools import partial
from pathlib import Path
from subprocess import SubprocessError
from typing import Any, Final

import trio
from attrs import evolve as replace
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from warledger.engine.desk import handles
from warledger.engine.runtime import titles
from warledger.engine.runtime.game import live as live_games
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.runtime.metrics import figures, merged, public_figures
from warledger.engine.runtime.titles import Title
from warledger.engine.runtime.watch.watchedgames import NotSigned
from warledger.engine.serve.config import HttpLimits
from warledger.engine.serve.games import analyses, luckstatistics, markfiles
from warledger.engine.serve.games.delayedboards import may_know_of
from warledger.engine.serve.games.gamelists import NOBODY, listed, scored
from warledger.engine.serve.http import feeds, gamepage, linkpreviews, symbols
from warledger.engine.serve.http.authorization import viewer_of
from warledger.engine.serve.http.http1 import (
    JSON,
    SVG,
    BadRequest,
    Feed,
    Request,
    Resource,
    Response,
    denser,
    of_resource,
    plain,
    resource,
)
from warledger.engine.serve.http.pagefiles import OFTEN, TYPES
from warledger.engine.serve.http.responsecache import Kept
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.wire.ratelimits import Bill
from warledger.engine.store.port import StoreError
from warledger.protocol import canon, fortune
from warledger.protocol.board import description
from warledger.protocol.lang import languages
from warledger.protocol.log import records
from warledger.protocol.log.records import Genesis
from warledger.protocol.log.twoparts import cut
from warledger.protocol.texts.phrases import LANGUAGES

KEPT_BYTES_MAX: Final = 64 * 1024 * 1024
LIST_MOST: Final = 1000
PLAYER_MAX: Final = 200
LIST_SECONDS: Final = 1.0
"""Seconds for which a list is kept, however many ask for it."""
STAGES: Final = ("", "gathering", "playing", "ended")
SHEET: Final = "symbols.svg"
WLOG: Final = "application/octet-stream"


Made = tuple[Mapping[str, Any], Mapping[str, Any]]
"""What a description is made from: a pack and options."""

BILL: Final[ContextVar[Bill]] = ContextVar("bill")
"""Whom the request that is being answered is charged to."""


class Exits:
    """Makes what HTTP serves of titles and games, and keeps it; `routes` says which path names
    what."""

    def __init__(self, hub: Hub, limits: HttpLimits) -> None:
        self.hub = hub
        self._followers = feeds.Followers(limits.feeds, limits.feeds_per_address)
        self.kept = Kept(KEPT_BYTES_MAX, _size, OFTEN)
        self._fortunes = luckstatistics.Fortunes()
        self._draughtsman = symbols.Draughtsman()
        self._packs: dict[str, str] = {}
        self._lists: dict[tuple[str, str, int], tuple[float, Resource]] = {}

    def due(self) -> list[str]:
        """What has been asked for often since this was asked last, and is worth compressing
        better."""
        return [key for key in self.kept.due() if _is_squeezable(self.kept.look(key))]

    async def squeeze(self, key: str, limiter: trio.CapacityLimiter) -> None:
        """Compress something that is kept as well as can be, in a thread."""
        found = self.kept.look(key)
        if found is not None:
            dense = await trio.to_thread.run_sync(
                denser, found, limiter=limiter, abandon_on_cancel=True
            )
            self.kept.change(key, found, dense)

    async def elsewhere(self, id: str) -> Callable[[Request], Awaitable[Response]] | None:
        """The node to ask instead, if another one keeps this game."""
        hub = self.hub
        if hub.peers is None or hub.supervisor.keeps(id):
            return None
        to = await hub.peers.keeper(id)
        return None if to == hub.peers.name else partial(hub.peers.fetch, to)

    async def blocking(self, make: Callable[[], Resource]) -> Resource:
        """Make something off the loop, at the cost of whoever asks."""
        return await BILL.get().made(self.hub.supervisor.ambient, make)

    # --- the server -------------------------------------------------------------------------------

    async def health(self, request: Request) -> Response:
        """Whether all is well, with the reason where it is not."""
        peers = self.hub.peers
        why = self.hub.why_not_well or (peers.why_not_well if peers is not None else "")
        sure = self.hub.supervisor.ambient.time_is_sure()
        body = json.dumps({"ok": not why, "why": why, "time_sure": sure}).encode()
        return Response(
            503 if why else 200, (("Content-Type", JSON), ("Cache-Control", "no-store")), body
        )

    async def metrics(self, request: Request) -> Response:
        """Figures for Prometheus: all for the host, for others those that reveal nothing."""
        whole = (await viewer_of(self.hub, request)).is_host
        metrics = self.hub.metrics
        registry: Any = metrics.registry
        if not whole and request.headers.get("authorization"):
            return plain(401, "This is not the host's token.", ("WWW-Authenticate", "Bearer"))
        if not whole and self.hub.edge is None:
            registry = public_figures(metrics)
        peers = self.hub.peers
        if peers is not None and request.query.get("own") != "1":
            own = peers.name, figures(registry)
            registry = merged([own, *await peers.figures(whole=whole)])
        body = generate_latest(registry)
        return Response(
            200, (("Content-Type", CONTENT_TYPE_PLAIN_0_0_4), ("Cache-Control", "no-store")), body
        )

    async def server(self, request: Request) -> Resource:
        """The server, its key and its limits."""
        supervisor, practice = self.hub.supervisor, self.hub.practice
        told = {
            "server": self.hub.name,
            "key": supervisor.signer.public.hex(),
            "languages": tuple(languages()),
            "limits": self.hub.limits.announced(),
            **({} if self.hub.edge is None else {"edge": self.hub.edge.nodes}),
            "now_ms": supervisor.ambient.now_ms(),
            "unicode": handles.version(),
            "practice": sorted(practice.players) if practice is not None else [],
            "titles": [[title.name, title.rules.version] for title in self.hub.titles.values()],
        }
        return in_json(told)

    async def described(self, request: Request) -> Resource:
        """What HTTP serves, as an OpenAPI description."""
        return await self.kept.get("openapi", partial(self.blocking, _openapi))

    async def languages(self, request: Request) -> Resource:
        """The languages, each with what it calls itself."""
        return in_json(dict(languages()))

    async def phrases(self, request: Request, language: str) -> Resource | None:
        """All sentences of a language."""
        if language not in languages():
            return None

        def make() -> Resource:
            return in_json(dict(self.hub.catalogue(language)))

        return await self.kept.get(f"phrases/{language}", partial(self.blocking, make))

    async def phrases_of(self, request: Request, game: str, language: str) -> Resource | None:
        """The sentences that the page says while a game of this title is looked at."""
        if language not in languages():
            return None
        hub, title = self.hub, (await self.game(game)).profile.genesis.title

        def make() -> Resource:
            others = gamepage.others_than(title, hub.titles)
            return in_json(gamepage.of_one_title(hub.catalogue(language), others))

        return await self.kept.get(f"phrases/{language}/{title}", partial(self.blocking, make))

    async def prepare(self) -> None:
        """Make what the page will ask for next, so that its first visitor does not wait long for
        the symbols. Never raises."""
        try:
            for title in self.hub.titles.values():
                BILL.set(Bill(self.hub.meter, ""))
                await self._of_title(title, SHEET)
        except (OSError, SubprocessError) as error:
            self.hub.log.error("symbols not drawn", what=type(error).__name__)

    # --- titles and boards ------------------------------------------------------------------------

    async def titles(self, request: Request) -> Resource:
        """What can be played."""

        def make() -> Resource:
            return in_json([title.about for title in self.hub.titles.values()])

        return await self.kept.get("titles", partial(self.blocking, make))

    async def of_title(self, request: Request, title: str, what: str) -> Resource | None:
        """What an installed title is drawn from: its board or its symbols."""
        found = self.hub.titles.get(title)
        return None if found is None else await self._of_title(found, what)

    async def _of_title(self, title: Title, what: str) -> Resource:
        digest = _digest(title.pack_bytes, title.options)
        return await self._of_pack(title.name, digest, what, lambda: (title.pack, title.options))

    async def of_game(self, request: Request, game: Game, what: str) -> Resource:
        """What a game is drawn from, by its pack and options: its board or its symbols."""
        read = partial(self._pack, game)
        digest = self._packs.get(game.id, "")
        if not digest:
            digest = (await self.hub.supervisor.ambient.blocking(read))[0]
            if len(self._packs) >= _PACKS_MAX:
                self._packs.clear()
            self._packs[game.id] = digest
        return await self._of_pack(game.profile.genesis.title, digest, what, lambda: read()[1])

    def _pack(self, game: Game) -> tuple[str, Made]:
        payloads, _ = live_games.split(self.hub.supervisor.store.read(game.id, 0, 1)[:1])
        genesis = Genesis.from_record(records.read(payloads[0], trusted=True))
        made = (canon.unpack_trusted(genesis.pack), genesis.options)
        return _digest(genesis.pack, genesis.options), made

    async def _of_pack(
        self, title: str, digest: str, what: str, made_from: Callable[[], Made]
    ) -> Resource:
        """A part of a description, which games of one pack with the same options share."""
        make = self._sheet if what == SHEET else _board
        known = self.hub.titles.get(title)

        def described() -> Resource:
            pack, options = made_from()
            rules = None if known is None else known.rules
            return make(title, titles.description(rules, pack, options))

        return await self.kept.get(f"{what}/{title}/{digest}", partial(self.blocking, described))

    def _sheet(self, title: str, told: Mapping[str, Any]) -> Resource:
        sheet = symbols.sheet(description.read(told).symbols, self._draughtsman.draw)
        return resource(sheet.encode(), SVG)

    # --- games ------------------------------------------------------------------------------------

    async def game(self, id: str) -> Game:
        """The game that spectators may know of. Raises BadRequest."""
        found = await self.hub.supervisor.game(id)
        if isinstance(found, Failed):
            told = {"unknown_game": (404, _NO_GAME), "archive_silent": (503, _ARCHIVED)}
            raise BadRequest(*told.get(found.code, (503, "This game's file cannot be read.")))
        if not may_know_of(self.hub, NOBODY, found):
            raise BadRequest(404, _NO_GAME)
        return found

    async def games(self, request: Request) -> Response:
        """A list, and the server's time beside it, since rows tell when flags fall."""
        found = of_resource(request, await self._games_asked(request))
        date = formatdate(self.hub.supervisor.ambient.now_ms() // 1000, usegmt=True)
        return Response(found.status, (*found.headers, ("Date", date)), found.body)

    async def _games_asked(self, request: Request) -> Resource:
        stage, after = request.query.get("stage", ""), request.query.get("after", "")
        asked = request.query.get("most", "100")
        if stage not in STAGES:
            raise BadRequest(
                400,
                f"There is no stage {stage[:40]!r}; use {', '.join(STAGES[1:])} or leave it out.",
            )
        # Checked for its length first: a number of a thousand digits must not be parsed, and one
        # that was cut off is another number.
        if not (
            asked.isascii()
            and asked.isdigit()
            and len(asked) <= len(str(LIST_MOST))
            and 1 <= int(asked) <= LIST_MOST
        ):
            raise BadRequest(400, f"most is a number from 1 to {LIST_MOST}.")
        key = (stage, after[:64], int(asked))
        while True:
            now = trio.current_time()
            made = self._lists.get(key)
            if made is not None and now - made[0] < LIST_SECONDS:
                return made[1]
            if not await self.kept.waited(f"games/{key}"):
                break
        if len(self._lists) >= _LISTS_MAX:
            self._lists.clear()
        found = await self.kept.make(f"games/{key}", partial(self._list, *key))
        self._lists[key] = (now, found)
        return found

    async def _list(self, stage: str, after: str, most: int) -> Resource:
        shown, more = await listed(self.hub, NOBODY, after, most, stage)
        return await self.blocking(
            lambda: in_json(
                {"games": shown, "more": more, "after": shown[-1]["game"] if more else ""}
            )
        )

    async def entry(self, request: Request, game: Game) -> Resource:
        """One game as lists tell it."""
        return in_json(await scored(self.hub, game.id, game, NOBODY))

    async def head(self, request: Request, game: Game) -> Resource:
        """The signed head of the newest record that spectators may see."""
        try:
            return feeds.head(game)
        except NotSigned:
            raise BadRequest(503, "The head is not here yet.", ("Retry-After", "1")) from None

    async def records(self, request: Request, game: str) -> Response | Feed:
        """A piece of a game's records, or with `follow` all of them as they come."""
        most = feeds.number(request.query, "most", feeds.RECORDS_MOST, 1, feeds.RECORDS_MOST)
        after = feeds.number(request.query, "after", -1, -1, feeds.SEQ_MOST)
        wait = feeds.number(request.query, "wait", 0, 0, feeds.WAIT_MOST)
        follow = request.query.get("follow", "")
        if follow not in ("", "0", "1"):
            raise BadRequest(400, "follow is 0 or 1.")
        bill = BILL.get()
        there = await self.elsewhere(game)

        async def ask(after: int, wait: int = wait) -> Response:
            if there is not None:
                query = f"after={after}&most={most}&wait={wait}"
                return await there(replace(request, target=f"{request.path}?{query}".encode()))
            found, store = await self.game(game), self.hub.supervisor.store
            try:
                return await feeds.piece(found, after, most, wait, bill, store)
            except StoreError as error:
                raise BadRequest(503, "This game's file cannot be read.") from error

        if not wait and follow != "1":
            return await ask(after)
        waiting = self._followers.seat(bill.key)
        if waiting is None:
            raise BadRequest(
                429, "Too many requests wait for records already.", ("Retry-After", "30")
            )
        if follow != "1":
            with waiting:
                return await ask(after)
        try:
            first = await ask(after, 0)
        except BaseException:
            waiting.close()
            raise
        if first.status != 200:
            waiting.close()
            return first
        pieces = feeds.feed(partial(ask, wait=feeds.FEED_SECONDS), first)
        return Feed(
            (("Content-Type", feeds.NDJSON), ("Cache-Control", "no-store")),
            feeds.seated(pieces, waiting),
        )

    async def file(self, request: Request, game: Game) -> Response:
        """The file as far as spectators may see it; with all openings once they have seen the
        end."""
        if game.shown.whole:
            return await self.archive(request, game)
        store, shown = self.hub.supervisor.store, game.shown

        def make() -> Resource:
            body = feeds.file_of(store, game.id, shown.seq)
            return resource(body, WLOG, tag=shown.hash.hex(), ranges=True)

        try:
            found = await self.kept.get(f"wlog/{game.id}/{shown.seq}", partial(self.blocking, make))
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def page(self, request: Request, game: Game) -> Response:
        """The game as a page in one file, as far as spectators may see it."""
        store, shown = self.hub.supervisor.store, game.shown
        stamp = analyses.stamp(self.hub.data, game.id) if shown.whole else 0
        drawn = markfiles.stamp(self.hub.data, game.id)

        def make() -> Resource:
            frames = list(store.read(game.id))
            made = gamepage.of_frames(
                game.id,
                frames,
                shown.seq + 1,
                self.hub.titles,
                self._draughtsman,
                self.hub.catalogue,
                self.hub.data if stamp else None,
                marks=markfiles.read(self.hub.data, game.id),
            )
            named = (("Content-Disposition", f'attachment; filename="{game.id}.html"'),)
            return resource(made, gamepage.HTML, compress=False, headers=named)

        try:
            found = await self.kept.get(
                f"page/{game.id}/{shown.seq}/{stamp}/{drawn}", partial(self.blocking, make)
            )
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def picture(self, request: Request, game: Game) -> Response:
        """The picture of one record, no newer than spectators may see."""
        store, shown = self.hub.supervisor.store, game.shown
        asked = feeds.number(request.query, "at", shown.seq, 0, feeds.SEQ_MOST)
        at = min(asked, shown.seq)
        known = self.hub.titles.get(game.profile.genesis.title)

        def make() -> Resource:
            payloads, _ = live_games.split(store.read(game.id, 0, at + 1))
            log = [records.read(one, trusted=True) for one in payloads[: at + 1]]
            genesis = Genesis.from_record(log[0])
            pack = canon.unpack_trusted(genesis.pack)
            rules = None if known is None else known.rules
            told = description.read(titles.description(rules, pack, genesis.options))
            made = linkpreviews.of_log(told, log, self.hub.catalogue(LANGUAGES[0]))
            return resource(made, TYPES["png"], compress=False)

        try:
            found = await self.kept.get(f"picture/{game.id}/{at}", partial(self.blocking, make))
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def analysis(self, request: Request, game: Game) -> Response:
        """Who would win, once spectators know everything."""
        data, store = self.hub.data, self.hub.supervisor.store
        stamp = analyses.stamp(data, game.id)
        if data is None or not stamp or not game.shown.whole:
            return of_resource(request, in_json(analyses.NOTHING))

        def make() -> Resource:
            return in_json(analyses.shown(data, game.id, store.read(game.id)))

        try:
            found = await self.kept.get(f"analysis/{game.id}/{stamp}", partial(self.blocking, make))
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def marks(self, request: Request, game: Game) -> Resource:
        """What casters have drawn over the records that spectators may see."""
        data, last = self.hub.data, game.shown.seq
        stamp = markfiles.stamp(data, game.id)
        if not stamp:
            return in_json(markfiles.shown((), last))

        def make() -> Resource:
            return in_json(markfiles.shown(markfiles.read(data, game.id), last))

        return await self.kept.get(f"marks/{game.id}/{last}/{stamp}", partial(self.blocking, make))

    async def luck(self, request: Request, game: Game) -> Response:
        """The dice and combats up to the record that spectators may see."""
        store, shown = self.hub.supervisor.store, game.shown
        known = self.hub.titles.get(game.profile.genesis.title)

        def make() -> Resource:
            payloads, _ = live_games.split(store.read(game.id, 0, shown.seq + 1))
            log = [records.read(one, trusted=True) for one in payloads[: shown.seq + 1]]
            genesis = Genesis.from_record(log[0])
            pack = canon.unpack_trusted(genesis.pack)
            rules = None if known is None else known.rules
            told = description.read(titles.description(rules, pack, genesis.options))
            return in_json(fortune.of_game(told, log))

        try:
            found = await self.kept.get(f"luck/{game.id}/{shown.seq}", partial(self.blocking, make))
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def luck_of_all(self, request: Request) -> Resource:
        """The luck of everybody, or of one player, in all games that are over."""
        player = request.query.get("player", "")
        if len(player) > PLAYER_MAX:
            raise BadRequest(400, f"A player's name has at most {PLAYER_MAX} characters.")
        over = await self._fortunes.look(self.hub, BILL.get())
        return await self.blocking(lambda: in_json(self._fortunes.told(over, player)))

    async def archive(self, request: Request, game: Game) -> Response:
        """The file of a game whose end spectators have seen, with all openings."""
        if not game.shown.whole:
            raise BadRequest(409, "This game has not ended yet; its file is given when it has.")
        store, count = self.hub.supervisor.store, game.shown.seq + 1
        headers = (("Content-Disposition", f'attachment; filename="{game.id}.wlog"'),)

        def make() -> Resource:
            body = export_game(store.read(game.id), records_max=count)
            tag = game.shown.hash.hex()
            return resource(body, WLOG, tag=tag, headers=headers, ranges=True)

        try:
            found = await self.kept.get(f"archive/{game.id}/{count}", partial(self.blocking, make))
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def parts(self, request: Request, game: Game) -> Response:
        """The file of a finished game in two parts, as the page reads it."""
        if not game.shown.whole:
            return _IN_RECORDS
        store, count = self.hub.supervisor.store, game.shown.seq + 1

        def make() -> Resource:
            return resource(cut(export_game(store.read(game.id), records_max=count)), WLOG)

        try:
            found = await self.kept.get(f"parts/{game.id}/{count}", partial(self.blocking, make))
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found) if found.body else _IN_RECORDS


def _openapi() -> Resource:
    return resource((Path(__file__).parent / "openapi.json").read_bytes(), JSON)


def _is_squeezable(made: Resource | None) -> bool:
    return made is not None and made.brotli is not None and not made.ranges


def _size(made: Resource) -> int:
    return len(made.body) + len(made.gzip or b"") + len(made.brotli or b"")


def in_json(value: Any, tag: str = "") -> Resource:
    """A resource that is this value."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return resource(body, JSON, tag=tag)


def _digest(pack: bytes, options: Mapping[str, Any]) -> str:
    """Identifies what a description is made from."""
    return hashlib.sha256(canon.pack((pack, canon.ordered(options)))).hexdigest()


def _board(title: str, told: Mapping[str, Any]) -> Resource:
    return in_json({"title": title, "description": told})


_IN_RECORDS: Final = Response(204, (("Cache-Control", "no-store"),), b"")
"""What comes over the connection: a page cannot know that before it has asked for its file."""
_NO_GAME: Final = "There is no such game."
_ARCHIVED: Final = (
    "This game is in the fleet's archive alone, which does not give it just now. Try again later."
)
_PACKS_MAX: Final = 10_000
_LISTS_MAX: Final = 256
