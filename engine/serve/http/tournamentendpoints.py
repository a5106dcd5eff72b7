"""What HTTP serves of tournaments: lists, everything public as JSON, files, and the ledger itself.

Rules of this file:
- Everybody is a spectator here: all of it is shown as far as `Hosted.shown`, which the charter's
  delay binds. What is made is kept under the newest record that it was made from, and tagged by it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from warledger.engine.desk import papers
from warledger.engine.desk.hosted import Hosted
from warledger.engine.desk.papers import NoPaper
from warledger.engine.runtime.game.answers import Failed
from warledger.engine.serve.http import feeds
from warledger.engine.serve.http.endpoints import WLOG, Exits, in_json
from warledger.engine.serve.http.http1 import BadRequest, Request, Resource, resource
from warledger.engine.serve.tournaments.tournamentrequests import explained
from warledger.engine.store.port import StoreError
from warledger.protocol.audience import PUBLIC
from warledger.protocol.lang import languages, phrases
from warledger.protocol.texts.phrases import LANGUAGES

Answer = Callable[..., Awaitable[Resource | None]]
"""It takes what Exits keeps, the request, the tournament and what else the path names."""
NUMBER_DIGITS: Final = 6
"""A million entrants are more than a tournament has."""
SHORT: Final = {
    "standings": "standings.json",
    "pairings": "pairings.json",
    "crosstable": "crosstable.json",
    "calendar": "rounds.ics",
    "trf": "report.trf26",
}
"""Files by the words that stand for them in an address."""


def of_tournament(answer: Answer) -> Callable[..., Awaitable[Resource | None]]:
    """What serves an answer about the tournament that a path names. It raises BadRequest."""

    async def serve(
        exits: Exits, request: Request, tournament: str, **named: str
    ) -> Resource | None:
        if exits.hub.hosting is None:
            return None
        found = await exits.hub.hosting.find(tournament)
        if found is None:
            raise BadRequest(404, "There is no such tournament.")
        if isinstance(found, Failed):
            raise BadRequest(503, "This tournament's file cannot be read.")
        return await answer(exits, request, found, **named)

    return serve


async def listed(exits: Exits, request: Request) -> Resource | None:
    """All tournaments, the newest first."""
    if exits.hub.hosting is None:
        return None
    rows = []
    for hosted in await exits.hub.hosting.listed():
        row = papers.summary(hosted.id, hosted.shown)
        rows.append({**row, "delay_s": hosted.delay_s, "seq": hosted.shown_record.seq})
    return in_json({"tournaments": rows})


async def head(exits: Exits, request: Request, hosted: Hosted) -> Resource:
    """The signed head of the newest record that is shown."""
    found = hosted.head(PUBLIC)
    return in_json(
        {
            "tournament": hosted.id,
            "seq": found.seq,
            "hash": found.hash.hex(),
            "signature": found.signature.hex(),
        }
    )


async def everything(exits: Exits, request: Request, hosted: Hosted) -> Resource:
    """All that is public about a tournament."""
    at, record = hosted.shown, hosted.shown_record
    tag = record.hash.hex()[:32]

    def make() -> Resource:
        told = {**papers.public(hosted.id, at), "delay_s": hosted.delay_s}
        return in_json(told, tag)

    key = f"tournament/{hosted.id}/{record.seq}"
    return await exits.kept.get(key, partial(exits.blocking, make))


async def explain(exits: Exits, request: Request, hosted: Hosted, number: str) -> Resource | None:
    """How the place of an entrant came about."""
    if not (number.isascii() and number.isdigit()):
        return None
    # A number of a thousand digits is not parsed, and nobody has it.
    if len(number) > NUMBER_DIGITS:
        raise BadRequest(404, "There is no such entrant.")
    at = hosted.shown

    def make() -> Resource:
        return in_json({"says": [told.as_array() for told in explained(at, int(number))]})

    return await exits.blocking(make)


async def paper(exits: Exits, request: Request, hosted: Hosted, kind: str) -> Resource:
    """One of the files of `papers`."""
    language = request.query.get("lang", LANGUAGES[0])
    if language not in languages():
        raise BadRequest(400, f"lang is one of {', '.join(languages())}.")
    round = feeds.number(request.query, "round", 0, 0, 10_000)
    at, record = hosted.shown, hosted.shown_record

    def make() -> Resource:
        spoken = phrases(language, at.charter.title)
        body = papers.write(hosted.id, at, kind, round or None, spoken, exits.hub.url)
        ending = kind.rpartition(".")[2]
        # What is to be printed has its own style, which a page from here may not.
        named = (("Content-Disposition", f'attachment; filename="{hosted.id}-{kind}"'),)
        headers = () if ending == "json" else named
        return resource(body, papers.TYPES[ending], headers=headers)

    key = f"tournament/{hosted.id}/{record.seq}/{kind}/{round}/{language}"
    try:
        return await exits.kept.get(key, partial(exits.blocking, make))
    except NoPaper as error:
        raise BadRequest(409, str(error)) from None


async def file(exits: Exits, request: Request, hosted: Hosted) -> Resource:
    """The ledger as far as it is shown."""
    record = hosted.shown_record

    async def make() -> Resource:
        body = await hosted.tournament.export(records_max=record.seq + 1)
        headers = (("Content-Disposition", f'attachment; filename="{hosted.id}.wlog"'),)
        return resource(body, WLOG, tag=record.hash.hex(), headers=headers, ranges=True)

    try:
        return await exits.kept.get(f"tournament/{hosted.id}/{record.seq}/wlog", make)
    except StoreError as error:
        raise BadRequest(503, "This tournament's file cannot be read.") from error
