"""What HTTP serves of ratings: the logs of the server, the players of one, and its file, which
anybody can compute again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from warledger.engine.desk.hosting import Hosting
from warledger.engine.desk.ratinglogs import SUFFIX, RatingLogs
from warledger.engine.serve.http import JSON, BadRequest, Resource, resource
from warledger.engine.tournaments import ratingslog
from warledger.engine.tournaments.charter import Named, apart
from warledger.engine.tournaments.ratings import Book
from warledger.engine.tournaments.ratingslog import BadLog, Log

NDJSON = "application/x-ndjson"
Blocking = Callable[[Callable[[], Resource]], Awaitable[Resource]]


async def find(hosting: Hosting | None, parts: list[str], blocking: Blocking) -> Resource | None:
    """What the parts of a path after /api/ratings name. Raises BadRequest."""
    if hosting is None:
        return None
    logs = hosting.ratings
    try:
        match parts:
            case []:
                return await blocking(lambda: _all(logs))
            case [file] if file.endswith(SUFFIX):
                return await blocking(lambda: _file(logs, file.removesuffix(SUFFIX)))
            case [name]:
                return await blocking(lambda: _players(logs, name))
    except (BadLog, OSError) as error:
        raise BadRequest(503, "These ratings cannot be read.") from error
    return None


def _all(logs: RatingLogs) -> Resource:
    found = [(name, logs.read(name)) for name in logs.names()]
    return _json({"ratings": [_summary(name, log) for name, log in found if log is not None]})


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


def _players(logs: RatingLogs, name: str) -> Resource:
    log = _there(logs.read(name))
    book, _ = ratingslog.book(log)
    players = [_player(book, one) for one in book.players]
    return _json({**_summary(name, log), "players": players}, log.last.hex())


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


def _file(logs: RatingLogs, name: str) -> Resource:
    data = logs.file(name)
    if data is None:
        raise BadRequest(404, "There are no such ratings.")
    headers = (("Content-Disposition", f'attachment; filename="{name}{SUFFIX}"'),)
    tag = hashlib.sha256(data).hexdigest()
    return resource(data, NDJSON, tag=tag, headers=headers, ranges=True)


def _there(log: Log | None) -> Log:
    if log is None:
        raise BadRequest(404, "There are no such ratings.")
    return log


def _month(month: int) -> str:
    return f"{month // 12:04}-{month % 12 + 1:02}"


def _json(value: Any, tag: str = "") -> Resource:
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return resource(body, JSON, tag=tag)


__all__ = ["find"]
