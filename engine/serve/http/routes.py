"""What HTTP serves, other than the page: each path with what serves it, and what is said of it in
/api/openapi.json (`ops/openapi.py`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Final

from attrs import field, frozen

from warledger.engine.desk import papers
from warledger.engine.desk.ratinglogs import SUFFIX
from warledger.engine.runtime.game.actor import Game
from warledger.engine.serve.http import (
    branchendpoints,
    calendarendpoints,
    feeds,
    gamepage,
    ratingendpoints,
    tournamentendpoints,
)
from warledger.engine.serve.http.endpoints import (
    BILL,
    LIST_MOST,
    PLAYER_MAX,
    SHEET,
    STAGES,
    WLOG,
    Exits,
)
from warledger.engine.serve.http.http1 import JSON, SVG, TEXT, Feed, Request, Resource, Response
from warledger.engine.serve.http.pagefiles import TYPES
from warledger.engine.serve.http.ratingendpoints import of_ratings
from warledger.engine.serve.http.tournamentendpoints import of_tournament
from warledger.engine.serve.wire.ratelimits import Bill
from warledger.protocol.texts.phrases import LANGUAGES

Found = Resource | Response | Feed | None
Serve = Callable[..., Awaitable[Found]]
"""It takes what Exits keeps, the request, and by name what stands for the braces of the path."""
Schema = Mapping[str, Any]

OBJECT: Final[Schema] = {"type": "object"}
STRING: Final[Schema] = {"type": "string"}
BINARY: Final[Schema] = {"type": "string", "format": "binary"}
STRINGS: Final[Schema] = {"type": "object", "additionalProperties": STRING}


@frozen
class Query:
    """A parameter of a query."""

    name: str
    what: str
    schema: Schema = STRING


@frozen
class Route:
    """A path and what serves it. A name in braces stands for any part of a path, with what follows
    it there."""

    path: str
    serve: Serve
    summary: str = ""
    """What it is; "" for what no program should look for."""
    answer: str = ""
    """What a client gets with status 200; "" if the summary says so."""
    type: str = JSON
    schema: Schema | str = OBJECT
    """Of the answer; or the name of one that is told once."""
    statuses: Mapping[int, str] = field(factory=dict)
    """What other statuses mean; 429 comes with every path."""
    query: tuple[Query, ...] = ()
    headers: Mapping[str, tuple[str, Schema]] = field(factory=dict)
    alike: tuple[int, ...] = ()
    """Those of them whose answer has the same form as that with 200."""

    pattern: tuple[tuple[str, str], ...] = field(init=False)
    """Each part of the path: the name in braces ("" if none), and what is there literally."""

    @pattern.default
    def _parts(self) -> tuple[tuple[str, str], ...]:
        split = (part.removeprefix("{").rpartition("}") for part in self.path.split("/")[1:])
        return tuple((name, literal) for name, _, literal in split)

    def names(self, parts: Sequence[str]) -> dict[str, str] | None:
        """What stands for the braces in a path of as many parts; None if it is another path."""
        found = {}
        for (name, literal), part in zip(self.pattern, parts, strict=True):
            if not (part.endswith(literal) if name else part == literal):
                return None
            if name:
                found[name] = part.removesuffix(literal)
        return found


def of_game(answer: Serve) -> Serve:
    """What serves an answer about the game that a path names. It raises BadRequest."""

    async def serve(exits: Exits, request: Request, game: str) -> Found:
        return await answer(exits, request, await exits.game(game))

    return serve


async def _whatif(exits: Exits, request: Request, game: Game) -> Found:
    return await branchendpoints.find(exits.hub, request, game, BILL.get())


async def _calendar(exits: Exits, request: Request, code: str) -> Found:
    return await calendarendpoints.find(exits.hub, code, BILL.get())


def _parts_of(route: Route) -> int:
    return len(route.pattern)


def _integer(least: int, most: int | None = None, default: int | None = None) -> Schema:
    told = {"type": "integer", "minimum": least, "maximum": most, "default": default}
    return {key: value for key, value in told.items() if value is not None}


_UNREADABLE: Final = {400: "the request cannot be read"}
_GAME: Final = {404: "there is no such thing", 503: "not available at the moment"}
_RANGE: Final = {206: "a range of its bytes", 416: "no such bytes"}
_TITLE: Final = {404: "there is no such thing"}
_RATINGS: Final = {404: "there are no such ratings", 503: "not available at the moment"}
_TOURNAMENT: Final = {404: "there is no such tournament", 503: "not available at the moment"}
_PAPER: Final = {**_UNREADABLE, **_TOURNAMENT, 409: "there is nothing to write yet"}
_OF_ROUND: Final = (
    Query("round", "a round of the stage in progress; 0 the newest", _integer(0, 10_000, 0)),
    Query("lang", "the language of what has words", {**STRING, "enum": LANGUAGES}),
)
_PAPERS: Final = {
    "standings": "Standings, each tie-break with what makes it up",
    "pairings": "The boards of a round",
    "crosstable": "Who met whom",
    "entrants.csv": "Entrants for a spreadsheet",
    "pairings.csv": "Pairings for a spreadsheet",
    "results.csv": "Results for a spreadsheet",
    "standings.csv": "Standings for a spreadsheet",
    "rounds.ics": "Rounds and deadlines as a calendar",
    "report.trf16": "The stage in progress as a FIDE tournament report of 2016",
    "report.trf26": "The stage in progress as a FIDE tournament report of 2026",
    "pairings.html": "Pairings by board, to print",
    "names.html": "Pairings by name, to print",
    "slips.html": "Result slips, to print",
    "pairings.txt": "Pairings as text",
}
"""What the files of a tournament are; those that have another name besides are told once."""


def _paper(name: str, kind: str) -> Route:
    ending = kind.rpartition(".")[2]
    return Route(
        f"/api/tournaments/{{tournament}}/{name}",
        of_tournament(partial(tournamentendpoints.paper, kind=kind)),
        _PAPERS.get(name, ""),
        type=papers.TYPES[ending],
        schema=OBJECT if ending == "json" else STRING,
        query=_OF_ROUND,
        statuses=_PAPER,
    )


ROUTES: Final = (
    Route("/api/server", Exits.server, "The server, its key and its limits", "the server"),
    Route(
        "/api/titles",
        Exits.titles,
        "What can be played",
        "titles with their options",
        schema={"type": "array", "items": OBJECT},
    ),
    Route(
        "/api/titles/{title}/board",
        partial(Exits.of_title, what="board"),
        "What an installed title is drawn from",
        "a description",
        statuses=_TITLE,
    ),
    Route(
        f"/api/titles/{{title}}/{SHEET}",
        partial(Exits.of_title, what=SHEET),
        "The symbols of an installed title",
        "a sheet of symbols",
        SVG,
        STRING,
        _TITLE,
    ),
    Route(
        "/api/games",
        Exits.games,
        "Games in order of their ids",
        "games",
        JSON,
        "List",
        _UNREADABLE,
        query=(
            Query("stage", "leave out for all", {**STRING, "enum": STAGES[1:]}),
            Query("after", "the id to continue from"),
            Query("most", "how many", _integer(1, LIST_MOST, 100)),
        ),
    ),
    Route(
        "/api/games/{game}.wlog",
        of_game(Exits.file),
        "The file as far as spectators may see it",
        "the file",
        WLOG,
        BINARY,
        {**_GAME, **_RANGE},
        alike=(206,),
    ),
    Route(
        "/api/games/{game}.html",
        of_game(Exits.page),
        "The game as a page in one file",
        "HTML that plays and checks the game without a server, as far as spectators may see it",
        gamepage.HTML,
        STRING,
        _GAME,
    ),
    Route("/api/games/{game}", of_game(Exits.entry), "One game", "its entry", JSON, "Entry", _GAME),
    Route(
        "/api/games/{game}/head",
        of_game(Exits.head),
        "The signed head of the newest record",
        "the head",
        JSON,
        "Head",
        _GAME,
    ),
    Route(
        "/api/games/{game}/analysis",
        of_game(Exits.analysis),
        "Who would win from the beginning of each turn, as bots played on",
        "the analysis that the host has put beside the game, once nothing in it is hidden; no "
        "points where there is none",
        JSON,
        "Analysis",
        _GAME,
    ),
    Route(
        "/api/games/{game}/marks",
        of_game(Exits.marks),
        "What casters have drawn over the game",
        "the marks over the records that spectators may see",
        JSON,
        "Marks",
        _GAME,
    ),
    Route(
        "/api/games/{game}/whatif",
        of_game(_whatif),
        "The game played on from one of its records; docs/gateway.md describes it",
        "the answer in the canonical form of logs",
        branchendpoints.CANONICAL,
        BINARY,
        {
            400: "a parameter that has no form of ours",
            401: "a token that is no seat's of this game",
            403: "the host does not allow it",
            404: "there is no such game",
            503: "too many ask",
        },
        query=(
            Query("at", "the record to play on from", _integer(0)),
            Query("seed", "text that the dice follow from"),
            Query("steps", "what is done in it, as JSON"),
            Query("ask", "what is asked of it, as JSON"),
        ),
    ),
    Route(
        "/api/games/{game}/luck",
        of_game(Exits.luck),
        "What was rolled against what was to be expected",
        "the dice and combats up to the record that spectators may see",
        JSON,
        "Luck",
        _GAME,
    ),
    Route(
        "/api/luck",
        Exits.luck_of_all,
        "What was rolled against what was to be expected, in all games that are over",
        "by title, the newest 5,000 games; while `counted` is below `games`, a later answer has "
        "more",
        JSON,
        "LuckOfAll",
        _UNREADABLE,
        query=(
            Query(
                "player",
                "only the seats that this player held at the end",
                {**STRING, "maxLength": PLAYER_MAX},
            ),
        ),
    ),
    Route(
        "/api/games/{game}/records",
        Exits.records,
        "Records as lines of JSON",
        "a line for each record; empty lines mean nothing",
        feeds.NDJSON,
        "Record",
        {**_UNREADABLE, **_GAME},
        query=(
            Query("after", "the last record that you have; -1 for none", _integer(-1, None, -1)),
            Query(
                "most",
                "how many in one answer",
                _integer(1, feeds.RECORDS_MOST, feeds.RECORDS_MOST),
            ),
            Query(
                "wait",
                "seconds to wait if there is no record yet",
                _integer(0, feeds.WAIT_MOST, 0),
            ),
            Query(
                "follow",
                "1: go on with records as they come, until the log is closed",
                {**STRING, "enum": ("0", "1")},
            ),
        ),
        headers={
            feeds.LAST_SEQ: (
                "the newest record of the answer; not sent with follow",
                {"type": "integer"},
            ),
            feeds.ENDED: (
                "yes when no record will follow; not sent with follow",
                {**STRING, "enum": ("yes", "no")},
            ),
        },
    ),
    Route(
        "/api/games/{game}/picture.png",
        of_game(Exits.picture),
        "The picture of one record, 1200 by 630 pixels",
        "PNG",
        TYPES["png"],
        BINARY,
        {**_UNREADABLE, **_GAME},
        query=(
            Query(
                "at",
                "the record; the newest that spectators may see by default, and at most",
                _integer(0),
            ),
        ),
    ),
    Route(
        "/api/games/{game}/board",
        of_game(partial(Exits.of_game, what="board")),
        "What a game is drawn from",
        "a description",
        statuses=_GAME,
    ),
    Route(
        f"/api/games/{{game}}/{SHEET}",
        of_game(partial(Exits.of_game, what=SHEET)),
        "The symbols of a game",
        "a sheet of symbols",
        SVG,
        STRING,
        _GAME,
    ),
    Route(
        "/api/languages",
        Exits.languages,
        "The languages, each with what it calls itself",
        "tag to name",
        JSON,
        STRINGS,
    ),
    Route(
        "/api/phrases/{language}",
        Exits.phrases,
        "All sentences of a language",
        "key to sentence",
        JSON,
        STRINGS,
        _TITLE,
    ),
    Route(
        "/api/games/{game}/phrases/{language}",
        Exits.phrases_of,
        "The sentences that the page says while a game is looked at",
        "key to sentence",
        JSON,
        STRINGS,
        _GAME,
    ),
    Route("/api/openapi.json", Exits.described, "This description", "OpenAPI 3.1"),
    Route(
        "/archive/{game}.wlog",
        of_game(Exits.archive),
        "The file of a game that has ended, with all openings",
        "the file",
        WLOG,
        BINARY,
        {**_GAME, **_RANGE, 409: "not yet"},
        alike=(206,),
    ),
    Route(
        "/archive/{game}.parts",
        of_game(Exits.parts),
        "The same file in two parts; protocol/twoparts.md describes them",
        "what is seen of the game, then what proves it",
        WLOG,
        BINARY,
        {**_GAME, 204: "not yet, or the file is beyond the bounds of this form"},
    ),
    Route(
        "/health",
        Exits.health,
        "Whether the server is well",
        "it is",
        statuses={503: "it is not; why says what"},
        alike=(503,),
    ),
    Route(
        "/metrics",
        Exits.metrics,
        "Figures for Prometheus",
        "all with the host's token (Bearer), else those that reveal nothing about any game",
        TEXT,
        STRING,
        {401: "a token that is not the host's"},
        query=(Query("own", "1: of this node of a fleet alone"),),
    ),
    Route(
        "/api/ratings",
        of_ratings(ratingendpoints.listed),
        "Ratings: a log for each title and pace",
        "",
        JSON,
        "Ratings",
        {503: "not available at the moment"},
    ),
    Route(
        f"/api/ratings/{{ratings}}{SUFFIX}",
        of_ratings(ratingendpoints.file),
        "The log, which anybody can compute again",
        "",
        ratingendpoints.NDJSON,
        STRING,
        {**_RATINGS, **_RANGE},
        alike=(206,),
    ),
    Route(
        "/api/ratings/{ratings}",
        of_ratings(ratingendpoints.players),
        "The players of a log, the highest first; ratings and deviations in hundredths of a point, "
        "volatility in millionths",
        "",
        JSON,
        "RatingsLog",
        _RATINGS,
    ),
    Route(
        "/api/tournaments",
        tournamentendpoints.listed,
        "Tournaments, the newest first",
        "",
        JSON,
        "Tournaments",
    ),
    Route(
        "/api/tournaments/{tournament}.wlog",
        of_tournament(tournamentendpoints.file),
        "The tournament's ledger as far as it is shown, for an audit",
        "",
        WLOG,
        BINARY,
        {**_TOURNAMENT, **_RANGE},
        alike=(206,),
    ),
    Route(
        "/api/tournaments/{tournament}",
        of_tournament(tournamentendpoints.everything),
        "Everything public about a tournament",
        "",
        JSON,
        "Tournament",
        _TOURNAMENT,
    ),
    Route(
        "/api/tournaments/{tournament}/head",
        of_tournament(tournamentendpoints.head),
        "The signed head of the newest record that is shown",
        "",
        JSON,
        "TournamentHead",
        _TOURNAMENT,
    ),
    Route(
        "/api/tournaments/{tournament}/explain/{number}",
        of_tournament(tournamentendpoints.explain),
        "How the place of an entrant came about, in sentences",
        statuses=_TOURNAMENT,
    ),
    *(_paper(name, tournamentendpoints.SHORT.get(name, name)) for name in _PAPERS),
    *(
        _paper(name, kind)
        for name, kind in tournamentendpoints.SHORT.items()
        if name not in _PAPERS
    ),
    *(_paper(kind, kind) for kind in papers.KINDS if kind not in _PAPERS),
    Route(f"{calendarendpoints.FOLDER}{{code}}{calendarendpoints.ENDING}", _calendar),
)
"""Of two that fit a path, the first counts."""
_BY_PARTS: Final = {
    count: tuple(routes) for count, routes in groupby(sorted(ROUTES, key=_parts_of), _parts_of)
}


async def find(exits: Exits, request: Request, bill: Bill) -> Found:
    """What a path names, None if there is no such path. What has to be made for it is charged.
    Raises BadRequest."""
    BILL.set(bill)
    parts = request.path.split("/")[1:]
    for route in _BY_PARTS.get(len(parts), ()):
        named = route.names(parts)
        if named is not None:
            there = None
            # A piece of records is asked for again and again, by what serves them itself.
            if "game" in named and route.serve is not Exits.records:
                there = await exits.elsewhere(named["game"])
            return await (route.serve(exits, request, **named) if there is None else there(request))
    return None
