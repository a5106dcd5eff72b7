"""What HTTP serves of ratings: the logs of the server, the players of one, and its file, which
anybody can compute again."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

from warledger.engine.desk.ratinglogs import SUFFIX, RatingLogs
from warledger.engine.serve.http.endpoints import Exits, in_json
from warledger.engine.serve.http.http1 import BadRequest, Request, Resource, resource
from warledger.engine.tournaments import ratingslog
from warledger.engine.tournaments.charter import Named, apart
from warledger.engine.tournaments.ratings import Book
from warledger.engine.tournaments.ratingslog import BadLog, Log

NDJSON = "application/x-ndjson"


def of_ratings(answer: Callable[..., Resource]) -> Callable[..., Awaitable[Resource | None]]:
    """What serves an answer made from the logs, and from the one that a path names. It raises
    BadRequest."""

    async def serve(exits: Exits, request: Request, **named: str) -> Resource | None:
        hosting = exits.hub.hosting
        if hosting is None:
            return None
        try:
            return await exits.blocking(lambda: answer(hosting.ratings, **named))
        except (BadLog, OSError) as error:
            raise BadRequest(503, "These ratings cannot be read.") from error

    return serve


def listed(logs: RatingLogs) -> Resource:
    """A log for each title and pace."""
    found = [(name, logs.read(name)) for name in logs.names()]
    return in_json({"ratings": [_summary(name, log) for name, log in found if log is not None]})


def _summary(name: str, log: Log) -> dict[str, Any]:
    return {
        "log": name,
        "title": log.title,
        "pace": log.pace,
        "last": log.last.hex(),
        "periods": [
            {"name": one.name, "month": _month(one.month), "games": len(one.games)}
            for one in log.periods
        ],
    }


def players(logs: RatingLogs, ratings: str) -> Resource:
    """The players of a log."""
    log = _there(logs.read(ratings))
    book, _ = ratingslog.book(log)
    rated = [_player(book, one) for one in book.players]
    return in_json({**_summary(ratings, log), "players": rated}, log.last.hex())


def _player(book: Book, player: Named) -> dict[str, Any]:
    (id, name), (rating, month) = player, book.of(player)
    return {
        "player": name,
        "id": id,
        "shown": apart(player, book.players),
        "rating": rating.points,
        "deviation": rating.deviation,
        "volatility": rating.volatility,
        "month": _month(month),
    }


def file(logs: RatingLogs, ratings: str) -> Resource:
    """A log, which anybody can compute again."""
    data = logs.file(ratings)
    if data is None:
        raise BadRequest(404, "There are no such ratings.")
    headers = (("Content-Disposition", f'attachment; filename="{ratings}{SUFFIX}"'),)
    tag = hashlib.sha256(data).hexdigest()
    return resource(data, NDJSON, tag=tag, headers=headers, ranges=True)


def _there(log: Log | None) -> Log:
    if log is None:
        raise BadRequest(404, "There are no such ratings.")
    return log


def _month(month: int) -> str:
    return f"{month // 12:04}-{month % 12 + 1:02}"
