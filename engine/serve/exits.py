"""What HTTP serves, other than the page: titles, games, boards, symbols, phrases, archives, health
and figures.

Rules of this file:
- Everybody is a spectator here. Whatever depends on how far a game has got is read from `shown`; a
  game's file is served once spectators have seen its end. Figures that would reveal when somebody
  acted in a delayed game are only for whoever shows the host's token.
- What takes more than a moment is made off the loop, once, however many ask for it at the same
  time, and the newest results are kept.
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

from warledger.engine.runtime import live as live_games
from warledger.engine.runtime import titles, tokens
from warledger.engine.runtime.actor import Game
from warledger.engine.runtime.answers import Failed
from warledger.engine.runtime.export import export_game
from warledger.engine.runtime.metrics import figures, merged, public_figures
from warledger.engine.runtime.titles import Title
from warledger.engine.runtime.watching import NotSigned
from warledger.engine.serve import (
    analyses,
    branchexits,
    calendarexits,
    feeding,
    fortunes,
    marks,
    postcard,
    ratingexits,
    sharing,
    symbols,
    tournamentexits,
)
from warledger.engine.serve.boards import may_know_of
from warledger.engine.serve.config import HttpLimits
from warledger.engine.serve.cost import Bill
from warledger.engine.serve.files import OFTEN, TYPES
from warledger.engine.serve.http import (
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
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.kept import Kept
from warledger.engine.serve.listing import NOBODY, listed, scored
from warledger.engine.store.port import StoreError
from warledger.engine.tournaments import fortune
from warledger.protocol import canon, description, records
from warledger.protocol.lang import languages
from warledger.protocol.phrases import LANGUAGES
from warledger.protocol.records import Genesis
from warledger.protocol.twoparts import cut

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

_BILL: ContextVar[Bill] = ContextVar("bill")
"""Whom the request that is being answered is charged to."""


class Exits:
    """Finds what a path names."""

    def __init__(self, hub: Hub, limits: HttpLimits) -> None:
        self._hub = hub
        self._followers = feeding.Followers(limits.feeds, limits.feeds_per_address)
        self._kept = Kept(KEPT_BYTES_MAX, _size, OFTEN)
        self._fortunes = fortunes.Fortunes()
        self._draughtsman = symbols.Draughtsman()
        self._packs: dict[str, str] = {}
        self._lists: dict[tuple[str, str, int], tuple[float, Resource]] = {}

    async def find(self, request: Request, bill: Bill) -> Resource | Response | Feed | None:
        """The resource, or None if there is no such path. What has to be made for it is charged.
        Raises BadRequest."""
        _BILL.set(bill)
        parts = request.path.split("/")[1:]
        if parts[:2] == ["api", "games"] and parts[3:] == ["records"]:
            return await self._records(request, parts[2])
        there = await self._elsewhere(parts)
        if there is not None:
            return await there(request)
        match parts:
            case ["health"]:
                return await self._health()
            case ["metrics"]:
                return await self._metrics(request)
            case ["api", "server"]:
                return _json(self._server())
            case ["api", "titles"]:
                return await self._kept.get("titles", partial(self._blocking, self._titles))
            case ["api", "titles", name, what] if name in self._hub.titles:
                return await self._of_title(self._hub.titles[name], what)
            case ["api", "languages"]:
                return _json(dict(languages()))
            case ["api", "phrases", language] if language in languages():
                return await self._kept.get(
                    f"phrases/{language}", partial(self._blocking, partial(self._phrases, language))
                )
            case ["api", "games"]:
                return await self._games(request)
            case ["api", "tournaments", *rest]:
                return await tournamentexits.find(
                    self._hub.hosting, request, rest, self._kept, self._blocking, self._hub.url
                )
            case ["api", "ratings", *rest]:
                return await ratingexits.find(self._hub.hosting, rest, self._blocking)
            case ["api", "calendars", file] if file.endswith(calendarexits.ENDING):
                code = file.removesuffix(calendarexits.ENDING)
                return await calendarexits.find(self._hub, code, bill)
            case ["api", "luck"]:
                return await self._luck_of_all(request, bill)
            case ["api", "openapi.json"]:
                return await self._kept.get("openapi", partial(self._blocking, _openapi))
            case ["api", "games", file] if file.endswith(".wlog"):
                return await self._file(request, await self._game(file.removesuffix(".wlog")))
            case ["api", "games", file] if file.endswith(".html"):
                return await self._page(request, await self._game(file.removesuffix(".html")))
            case ["api", "games", id, "picture.png"]:
                return await self._picture(request, await self._game(id))
            case ["api", "games", id, "head"]:
                return self._head(await self._game(id))
            case ["api", "games", id, "analysis"]:
                return await self._analysis(request, await self._game(id))
            case ["api", "games", id, "marks"]:
                return await self._marks(await self._game(id))
            case ["api", "games", id, "phrases", language] if language in languages():
                return await self._phrases_of(await self._game(id), language)
            case ["api", "games", id, "whatif"]:
                return await branchexits.find(self._hub, request, await self._game(id), bill)
            case ["api", "games", id, "luck"]:
                return await self._luck(request, await self._game(id))
            case ["api", "games", id]:
                return _json(await scored(self._hub, id, await self._game(id), NOBODY))
            case ["api", "games", id, what]:
                return await self._of_game(await self._game(id), what)
            case ["archive", file] if file.endswith(".parts"):
                return await self._parts(request, await self._game(file.removesuffix(".parts")))
            case ["archive", file] if file.endswith(".wlog"):
                return await self._archive(request, await self._game(file.removesuffix(".wlog")))
        return None

    def due(self) -> list[str]:
        """What has been asked for often since this was asked last, and is worth compressing
        better."""
        return [key for key in self._kept.due() if _is_squeezable(self._kept.look(key))]

    async def squeeze(self, key: str, limiter: trio.CapacityLimiter) -> None:
        """Compress something that is kept as well as can be, in a thread."""
        found = self._kept.look(key)
        if found is not None:
            dense = await trio.to_thread.run_sync(
                denser, found, limiter=limiter, abandon_on_cancel=True
            )
            self._kept.change(key, found, dense)

    async def _elsewhere(self, parts: list[str]) -> Callable[[Request], Awaitable[Response]] | None:
        """The process to ask instead, if the path names a game that another process keeps."""
        match parts:
            case ["api", "games", id, *_] | ["archive", id]:
                id = id.removesuffix(".wlog").removesuffix(".html").removesuffix(".parts")
            case _:
                return None
        hub = self._hub
        if hub.peers is None or hub.supervisor.keeps(id):
            return None
        to = await hub.peers.keeper(id)
        return None if to == hub.peers.number else partial(hub.peers.fetch, to)

    async def _blocking(self, make: Callable[[], Resource]) -> Resource:
        return await _BILL.get().made(self._hub.supervisor.ambient, make)

    # --- the server -------------------------------------------------------------------------------

    async def _health(self) -> Response:
        peers = self._hub.peers
        why = [self._hub.why_not_well, *(await peers.why_not_well() if peers is not None else ())]
        well = not any(why)
        sure = self._hub.supervisor.ambient.time_is_sure()
        body = json.dumps(
            {"ok": well, "why": next((found for found in why if found), ""), "time_sure": sure}
        ).encode()
        return Response(
            200 if well else 503, (("Content-Type", JSON), ("Cache-Control", "no-store")), body
        )

    async def _metrics(self, request: Request) -> Response:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        metrics = self._hub.metrics
        registry: Any = metrics.registry
        if scheme:
            if scheme.lower() != "bearer" or not tokens.fits(token.strip(), self._hub.host_digest):
                return plain(401, "This is not the host's token.", ("WWW-Authenticate", "Bearer"))
        elif self._hub.edge is None:
            registry = public_figures(metrics)
        if self._hub.peers is not None and request.query.get("own") != "1":
            registry = merged(
                [(0, figures(registry)), *await self._hub.peers.figures(whole=bool(scheme))]
            )
        body = generate_latest(registry)
        return Response(
            200, (("Content-Type", CONTENT_TYPE_PLAIN_0_0_4), ("Cache-Control", "no-store")), body
        )

    def _server(self) -> dict[str, Any]:
        supervisor, practice = self._hub.supervisor, self._hub.practice
        return {
            "server": self._hub.name,
            "key": supervisor.signer.public.hex(),
            "languages": tuple(languages()),
            "limits": self._hub.limits.announced(),
            **({} if self._hub.edge is None else {"edge": self._hub.edge.nodes}),
            "now_ms": supervisor.ambient.now_ms(),
            "practice": sorted(practice.players) if practice is not None else [],
            "titles": [[title.name, title.rules.version] for title in self._hub.titles.values()],
        }

    def _phrases(self, language: str) -> Resource:
        return _json(dict(self._hub.catalogue(language)))

    async def _phrases_of(self, game: Game, language: str) -> Resource:
        """The sentences that the page says while a game of this title is looked at."""
        hub, title = self._hub, game.profile.genesis.title

        def make() -> Resource:
            others = sharing.others_than(title, hub.titles)
            return _json(sharing.of_one_title(hub.catalogue(language), others))

        return await self._kept.get(f"phrases/{language}/{title}", partial(self._blocking, make))

    async def prepare(self) -> None:
        """Make what the page will ask for next, so that its first visitor does not wait long for
        the symbols. Never raises."""
        try:
            for title in self._hub.titles.values():
                _BILL.set(Bill(self._hub.meter, ""))
                await self._of_title(title, SHEET)
        except (OSError, SubprocessError) as error:
            self._hub.log.error("symbols not drawn", what=type(error).__name__)

    # --- titles and boards ------------------------------------------------------------------------

    def _titles(self) -> Resource:
        return _json([title.about for title in self._hub.titles.values()])

    async def _of_title(self, title: Title, what: str) -> Resource | None:
        digest = _digest(title.pack_bytes, title.options)
        return await self._of_pack(title.name, digest, what, lambda: (title.pack, title.options))

    async def _of_game(self, game: Game, what: str) -> Resource | None:
        read = partial(self._pack, game)
        digest = self._packs.get(game.id, "")
        if not digest and (what == SHEET or what in _PACK_PARTS):
            digest = (await self._hub.supervisor.ambient.blocking(read))[0]
            if len(self._packs) >= _PACKS_MAX:
                self._packs.clear()
            self._packs[game.id] = digest
        return await self._of_pack(game.profile.genesis.title, digest, what, lambda: read()[1])

    def _pack(self, game: Game) -> tuple[str, Made]:
        payloads, _ = live_games.split(self._hub.supervisor.store.read(game.id, 0, 1)[:1])
        genesis = Genesis.from_record(records.read(payloads[0], trusted=True))
        made = (canon.unpack_trusted(genesis.pack), genesis.options)
        return _digest(genesis.pack, genesis.options), made

    async def _of_pack(
        self, title: str, digest: str, what: str, made_from: Callable[[], Made]
    ) -> Resource | None:
        """A part of a description, which games of one pack with the same options share."""
        make = self._sheet if what == SHEET else _PACK_PARTS.get(what)
        if make is None:
            return None
        known = self._hub.titles.get(title)

        def described() -> Resource:
            pack, options = made_from()
            rules = None if known is None else known.rules
            return make(title, titles.description(rules, pack, options))

        return await self._kept.get(f"{what}/{title}/{digest}", partial(self._blocking, described))

    def _sheet(self, title: str, told: Mapping[str, Any]) -> Resource:
        sheet = symbols.sheet(description.read(told).symbols, self._draughtsman.draw)
        return resource(sheet.encode(), SVG)

    # --- games ------------------------------------------------------------------------------------

    async def _game(self, id: str) -> Game:
        found = await self._hub.supervisor.game(id)
        if isinstance(found, Failed):
            told = {"unknown_game": (404, _NO_GAME), "archive_silent": (503, _ARCHIVED)}
            raise BadRequest(*told.get(found.code, (503, "This game's file cannot be read.")))
        if not may_know_of(self._hub, NOBODY, found):
            raise BadRequest(404, _NO_GAME)
        return found

    async def _games(self, request: Request) -> Response:
        """A list, and the server's time beside it, since rows tell when flags fall."""
        found = of_resource(request, await self._games_asked(request))
        date = formatdate(self._hub.supervisor.ambient.now_ms() // 1000, usegmt=True)
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
            if not await self._kept.waited(f"games/{key}"):
                break
        if len(self._lists) >= _LISTS_MAX:
            self._lists.clear()
        found = await self._kept.make(f"games/{key}", partial(self._list, *key))
        self._lists[key] = (now, found)
        return found

    async def _list(self, stage: str, after: str, most: int) -> Resource:
        shown, more = await listed(self._hub, NOBODY, after, most, stage)
        return await self._blocking(
            lambda: _json(
                {"games": shown, "more": more, "after": shown[-1]["game"] if more else ""}
            )
        )

    def _head(self, game: Game) -> Resource:
        try:
            return feeding.head(game)
        except NotSigned:
            raise BadRequest(503, "The head is not here yet.", ("Retry-After", "1")) from None

    async def _records(self, request: Request, id: str) -> Response | Feed:
        """A piece of a game's records, or with `follow` all of them as they come."""
        most = feeding.number(request.query, "most", feeding.RECORDS_MOST, 1, feeding.RECORDS_MOST)
        after = feeding.number(request.query, "after", -1, -1, feeding.SEQ_MOST)
        wait = feeding.number(request.query, "wait", 0, 0, feeding.WAIT_MOST)
        follow = request.query.get("follow", "")
        if follow not in ("", "0", "1"):
            raise BadRequest(400, "follow is 0 or 1.")
        bill = _BILL.get()
        there = await self._elsewhere(request.path.split("/")[1:])

        async def ask(after: int, wait: int = wait) -> Response:
            if there is not None:
                query = f"after={after}&most={most}&wait={wait}"
                return await there(replace(request, target=f"{request.path}?{query}".encode()))
            game, store = await self._game(id), self._hub.supervisor.store
            try:
                return await feeding.piece(game, after, most, wait, bill, store)
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
        pieces = feeding.feed(partial(ask, wait=feeding.FEED_SECONDS), first)
        return Feed(
            (("Content-Type", feeding.NDJSON), ("Cache-Control", "no-store")),
            feeding.seated(pieces, waiting),
        )

    async def _file(self, request: Request, game: Game) -> Response:
        """The file as far as spectators may see it; with all openings once they have seen the
        end."""
        if game.shown.whole:
            return await self._archive(request, game)
        store, shown = self._hub.supervisor.store, game.shown

        def make() -> Resource:
            body = feeding.file_of(store, game.id, shown.seq)
            return resource(body, WLOG, tag=shown.hash.hex(), ranges=True)

        try:
            found = await self._kept.get(
                f"wlog/{game.id}/{shown.seq}", partial(self._blocking, make)
            )
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def _page(self, request: Request, game: Game) -> Response:
        """The game as a page in one file, as far as spectators may see it."""
        store, shown = self._hub.supervisor.store, game.shown
        stamp = analyses.stamp(self._hub.data, game.id) if shown.whole else 0
        drawn = marks.stamp(self._hub.data, game.id)

        def make() -> Resource:
            frames = list(store.read(game.id))
            made = sharing.of_frames(
                game.id,
                frames,
                shown.seq + 1,
                self._hub.titles,
                self._draughtsman,
                self._hub.catalogue,
                self._hub.data if stamp else None,
                marks=marks.read(self._hub.data, game.id),
            )
            named = (("Content-Disposition", f'attachment; filename="{game.id}.html"'),)
            return resource(made, sharing.HTML, compress=False, headers=named)

        try:
            found = await self._kept.get(
                f"page/{game.id}/{shown.seq}/{stamp}/{drawn}", partial(self._blocking, make)
            )
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def _picture(self, request: Request, game: Game) -> Response:
        """The picture of one record, no newer than spectators may see."""
        store, shown = self._hub.supervisor.store, game.shown
        asked = feeding.number(request.query, "at", shown.seq, 0, feeding.SEQ_MOST)
        at = min(asked, shown.seq)
        known = self._hub.titles.get(game.profile.genesis.title)

        def make() -> Resource:
            payloads, _ = live_games.split(store.read(game.id, 0, at + 1))
            log = [records.read(one, trusted=True) for one in payloads[: at + 1]]
            genesis = Genesis.from_record(log[0])
            pack = canon.unpack_trusted(genesis.pack)
            rules = None if known is None else known.rules
            told = description.read(titles.description(rules, pack, genesis.options))
            made = postcard.of_log(told, log, self._hub.catalogue(LANGUAGES[0]))
            return resource(made, TYPES["png"], compress=False)

        try:
            found = await self._kept.get(f"picture/{game.id}/{at}", partial(self._blocking, make))
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def _analysis(self, request: Request, game: Game) -> Response:
        """Who would win, once spectators know everything."""
        data, store = self._hub.data, self._hub.supervisor.store
        stamp = analyses.stamp(data, game.id)
        if data is None or not stamp or not game.shown.whole:
            return of_resource(request, _json(analyses.NOTHING))

        def make() -> Resource:
            return _json(analyses.shown(data, game.id, store.read(game.id)))

        try:
            found = await self._kept.get(
                f"analysis/{game.id}/{stamp}", partial(self._blocking, make)
            )
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def _marks(self, game: Game) -> Resource:
        """What casters have drawn over the records that spectators may see."""
        data, last = self._hub.data, game.shown.seq
        stamp = marks.stamp(data, game.id)
        if not stamp:
            return _json(marks.shown((), last))

        def make() -> Resource:
            return _json(marks.shown(marks.read(data, game.id), last))

        return await self._kept.get(
            f"marks/{game.id}/{last}/{stamp}", partial(self._blocking, make)
        )

    async def _luck(self, request: Request, game: Game) -> Response:
        """The dice and combats up to the record that spectators may see."""
        store, shown = self._hub.supervisor.store, game.shown
        known = self._hub.titles.get(game.profile.genesis.title)

        def make() -> Resource:
            payloads, _ = live_games.split(store.read(game.id, 0, shown.seq + 1))
            log = [records.read(one, trusted=True) for one in payloads[: shown.seq + 1]]
            genesis = Genesis.from_record(log[0])
            pack = canon.unpack_trusted(genesis.pack)
            rules = None if known is None else known.rules
            told = description.read(titles.description(rules, pack, genesis.options))
            return _json(fortune.of_game(told, log))

        try:
            found = await self._kept.get(
                f"luck/{game.id}/{shown.seq}", partial(self._blocking, make)
            )
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def _luck_of_all(self, request: Request, bill: Bill) -> Resource:
        """The luck of everybody, or of one player, in all games that are over."""
        player = request.query.get("player", "")
        if len(player) > PLAYER_MAX:
            raise BadRequest(400, f"A player's name has at most {PLAYER_MAX} characters.")
        over = await self._fortunes.look(self._hub, bill)
        return await self._blocking(lambda: _json(self._fortunes.told(over, player)))

    async def _archive(self, request: Request, game: Game) -> Response:
        if not game.shown.whole:
            raise BadRequest(409, "This game has not ended yet; its file is given when it has.")
        store, count = self._hub.supervisor.store, game.shown.seq + 1
        headers = (("Content-Disposition", f'attachment; filename="{game.id}.wlog"'),)

        def make() -> Resource:
            body = export_game(store.read(game.id), records_max=count)
            tag = game.shown.hash.hex()
            return resource(body, WLOG, tag=tag, headers=headers, ranges=True)

        try:
            found = await self._kept.get(
                f"archive/{game.id}/{count}", partial(self._blocking, make)
            )
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found)

    async def _parts(self, request: Request, game: Game) -> Response:
        """The file of a finished game in two parts, as the page reads it."""
        if not game.shown.whole:
            return _IN_RECORDS
        store, count = self._hub.supervisor.store, game.shown.seq + 1

        def make() -> Resource:
            return resource(cut(export_game(store.read(game.id), records_max=count)), WLOG)

        try:
            found = await self._kept.get(f"parts/{game.id}/{count}", partial(self._blocking, make))
        except StoreError as error:
            raise BadRequest(503, "This game's file cannot be read.") from error
        return of_resource(request, found) if found.body else _IN_RECORDS


def _openapi() -> Resource:
    return resource((Path(__file__).parent / "openapi.json").read_bytes(), JSON)


def _is_squeezable(made: Resource | None) -> bool:
    return made is not None and made.brotli is not None and not made.ranges


def _size(made: Resource) -> int:
    return len(made.body) + len(made.gzip or b"") + len(made.brotli or b"")


def _json(value: Any) -> Resource:
    return resource(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), JSON)


def _digest(pack: bytes, options: Mapping[str, Any]) -> str:
    """Identifies what a description is made from."""
    return hashlib.sha256(canon.pack((pack, canon.ordered(options)))).hexdigest()


def _board(title: str, told: Mapping[str, Any]) -> Resource:
    return _json({"title": title, "description": told})


_PACK_PARTS: Final[dict[str, Callable[[str, Mapping[str, Any]], Resource]]] = {"board": _board}
_IN_RECORDS: Final = Response(204, (("Cache-Control", "no-store"),), b"")
"""What comes over the connection: a page cannot know that before it has asked for its file."""
_NO_GAME: Final = "There is no such game."
_ARCHIVED: Final = (
    "This game is in the fleet's archive alone, which does not give it just now. Try again later."
)
_PACKS_MAX: Final = 10_000
_LISTS_MAX: Final = 256
