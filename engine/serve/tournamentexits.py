"""What HTTP serves of tournaments: lists, everything public as JSON, files, and the ledger itself.

Rules of this file:
- Everybody is a spectator here: all of it is shown as far as `Hosted.shown`, which the charter's
  delay binds. What is made is kept under the newest record that it was made from, and tagged by it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from warledger.engine.desk import papers
from warledger.engine.desk.hosted import Hosted
from warledger.engine.desk.hosting import Hosting
from warledger.engine.desk.papers import NoPaper
from warledger.engine.runtime.answers import Failed
from warledger.engine.serve import feeding
from warledger.engine.serve.directing import explained
from warledger.engine.serve.http import JSON, BadRequest, Request, Resource, resource
from warledger.engine.serve.kept import Kept
from warledger.engine.store.port import StoreError
from warledger.protocol.audience import PUBLIC
from warledger.protocol.lang import languages, phrases
from warledger.protocol.phrases import LANGUAGES

WLOG: Final = "application/octet-stream"
Blocking = Callable[[Callable[[], Resource]], Awaitable[Resource]]
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


def _json(value: Any, tag: str = "") -> Resource:
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return resource(body, JSON, tag=tag)


async def find(
    hosting: Hosting | None,
    request: Request,
    parts: list[str],
    kept: Kept[Resource],
    blocking: Blocking,
    url: str,
) -> Resource | None:
    """What the parts of a path after /api/tournaments name; `url` is the page's address. Raises
    BadRequest."""
    if hosting is None:
        return None
    match parts:
        case []:
            rows = []
            for hosted in await hosting.listed():
                row = papers.summary(hosted.id, hosted.shown)
                rows.append({**row, "delay_s": hosted.delay_s, "seq": hosted.shown_record.seq})
            return _json({"tournaments": rows})
        case [id, "head"]:
            return _head(await _hosted(hosting, id))
        case [id, "explain", number] if number.isascii() and number.isdigit():
            # A number of a thousand digits is not parsed, and nobody has it.
            if len(number) > NUMBER_DIGITS:
                raise BadRequest(404, "There is no such entrant.")
            return await _explained(await _hosted(hosting, id), int(number), blocking)
        case [file] if file.endswith(".wlog"):
            return await _file(await _hosted(hosting, file.removesuffix(".wlog")), kept)
        case [id]:
            return await _all(await _hosted(hosting, id), kept, blocking)
        case [id, kind]:
            kind = SHORT.get(kind, kind)
            if kind in papers.KINDS or kind in papers.REPORTS:
                found = await _hosted(hosting, id)
                return await _paper(found, kind, request, kept, blocking, url)
    return None


async def _hosted(hosting: Hosting, id: str) -> Hosted:
    found = await hosting.find(id)
    if found is None:
        raise BadRequest(404, "There is no such tournament.")
    if isinstance(found, Failed):
        raise BadRequest(503, "This tournament's file cannot be read.")
    return found


def _head(hosted: Hosted) -> Resource:
    head = hosted.head(PUBLIC)
    return _json(
        {
            "tournament": hosted.id,
            "seq": head.seq,
            "hash": head.hash.hex(),
            "signature": head.signature.hex(),
        }
    )


async def _all(hosted: Hosted, kept: Kept[Resource], blocking: Blocking) -> Resource:
    at, record = hosted.shown, hosted.shown_record
    tag = record.hash.hex()[:32]

    def make() -> Resource:
        told = {**papers.public(hosted.id, at), "delay_s": hosted.delay_s}
        return _json(told, tag)

    return await kept.get(f"tournament/{hosted.id}/{record.seq}", partial(blocking, make))


async def _explained(hosted: Hosted, number: int, blocking: Blocking) -> Resource:
    at = hosted.shown
    says = explained

    def make() -> Resource:
        return _json({"says": [told.as_array() for told in says(at, number)]})

    return await blocking(make)


async def _paper(
    hosted: Hosted,
    kind: str,
    request: Request,
    kept: Kept[Resource],
    blocking: Blocking,
    url: str,
) -> Resource:
    language = request.query.get("lang", LANGUAGES[0])
    if language not in languages():
        raise BadRequest(400, f"lang is one of {', '.join(languages())}.")
    round = feeding.number(request.query, "round", 0, 0, 10_000)
    at, record = hosted.shown, hosted.shown_record

    def make() -> Resource:
        spoken = phrases(language, at.charter.title)
        body = papers.write(hosted.id, at, kind, round or None, spoken, url)
        ending = kind.rpartition(".")[2]
        # What is to be printed has its own style, which a page from here may not.
        named = (("Content-Disposition", f'attachment; filename="{hosted.id}-{kind}"'),)
        headers = () if ending == "json" else named
        return resource(body, papers.TYPES[ending], headers=headers)

    key = f"tournament/{hosted.id}/{record.seq}/{kind}/{round}/{language}"
    try:
        return await kept.get(key, partial(blocking, make))
    except NoPaper as error:
        raise BadRequest(409, str(error)) from None


async def _file(hosted: Hosted, kept: Kept[Resource]) -> Resource:
    record = hosted.shown_record

    async def make() -> Resource:
        body = await hosted.tournament.export(records_max=record.seq + 1)
        headers = (("Content-Disposition", f'attachment; filename="{hosted.id}.wlog"'),)
        return resource(body, WLOG, tag=record.hash.hex(), headers=headers, ranges=True)

    try:
        return await kept.get(f"tournament/{hosted.id}/{record.seq}/wlog", make)
    except StoreError as error:
        raise BadRequest(503, "This tournament's file cannot be read.") from error


__all__ = ["find"]
