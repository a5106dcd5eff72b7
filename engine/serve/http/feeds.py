"""A game's public records over HTTP: the newest signed head, the file as spectators may have it,
and the records as lines of JSON, which go on with the game.

Rules of this file:
- Whoever asks is a spectator: nothing beyond `shown` leaves, and a wait ends when `shown` moves.
- One answer holds a bounded piece. A feed is one such piece after another. So it costs no memory
  however long the game is, and works the same when another node keeps the game.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Final

import trio

from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.serve.http.http1 import (
    JSON,
    BadRequest,
    Resource,
    Response,
    resource,
)
from warledger.engine.serve.wire.ratelimits import Bill
from warledger.engine.store.port import FRAME_RECORD, Frame, Store
from warledger.protocol.audience import PUBLIC
from warledger.protocol.log import plainform, records

NDJSON: Final = "application/x-ndjson; charset=utf-8"
RECORDS_MOST: Final = 500
PIECE_BYTES: Final = 512 * 1024
"""A piece of records ends once it is as large as this."""
WAIT_MOST: Final = 25
"""Seconds that a request may wait for a record."""
FEED_SECONDS: Final = 15
"""Seconds after which a feed shows that it lives, and notices that nobody reads it."""
SEQ_MOST: Final = 2**53 - 1
LAST_SEQ: Final = "X-Last-Seq"
"""Header: the newest record that the piece holds."""
ENDED: Final = "X-Log-Closed"
"""Header: "yes" when no record will follow those of the piece."""
LIVING: Final = b"\n"
"""What a feed sends while nothing happens: an empty line, which readers of NDJSON skip."""


def number(query: Mapping[str, str], key: str, default: int, least: int, most: int) -> int:
    """A whole number of the query. Raises BadRequest."""
    text = query.get(key, "")
    if not text:
        return default
    digits = text.removeprefix("-")
    # A number of a thousand digits must not be parsed.
    if digits.isascii() and digits.isdigit() and len(digits) <= len(str(SEQ_MOST)):
        found = int(text)
        if least <= found <= most:
            return found
    raise BadRequest(400, f"{key} is a whole number from {least} to {most}.")


def head(game: Game) -> Resource:
    """The signed head of the newest record that spectators may see."""
    found = game.head(audience_is_public=True)
    told = {
        "game": found.game,
        "seq": found.seq,
        "hash": found.hash.hex(),
        "signature": found.signature.hex(),
    }
    return resource(json.dumps(told, separators=(",", ":")).encode(), JSON)


def file_of(store: Store, game: str, seq: int) -> bytes:
    """The `.wlog` file of a game up to a record, as spectators may have it."""
    return export_game(store.read(game), PUBLIC, records_max=seq + 1)


async def piece(
    game: Game, after: int, most: int, wait: float, bill: Bill, store: Store
) -> Response:
    """The records after `after`, at most `most`, as far as spectators may see them; if there is
    none, whatever comes within `wait` seconds."""
    channel = game.channel(PUBLIC)
    if game.shown.seq <= after and not game.shown.whole and wait > 0:
        with trio.move_on_after(wait):
            while game.shown.seq <= after and not game.shown.whole:
                await channel.moved()
    shown = game.shown
    body, last = b"", min(after, shown.seq)
    if shown.seq > after:
        await bill.turn()
        make = partial(_lines, store, game.id, after + 1, min(most, shown.seq - after))
        body, last = await bill.made(game.services.ambient, make)
    closed = shown.whole and last >= shown.seq
    return Response(
        200,
        (
            ("Content-Type", NDJSON),
            ("Cache-Control", "no-store"),
            (LAST_SEQ, str(last)),
            (ENDED, "yes" if closed else "no"),
        ),
        body,
    )


def _lines(store: Store, game: str, first: int, count: int) -> tuple[bytes, int]:
    found: list[Frame] = store.read(game, first, count)
    lines: list[bytes] = []
    size, last = 0, first - 1
    for frame in found:
        if frame.kind != FRAME_RECORD:
            continue
        record = records.read(frame.payload, trusted=True)
        lines.append(plainform.line_of(record))
        size += len(lines[-1])
        last = record.seq
        if size >= PIECE_BYTES:
            break
    return b"".join(lines), last


async def feed(
    ask: Callable[[int], Awaitable[Response]], first: Response
) -> AsyncGenerator[bytes, None]:
    """The pieces of a game from the first on, until its log is closed, or until there is none to be
    had: `ask` gives the one after a record."""
    answer = first
    while answer.status == 200:
        headers = {name.lower(): value for name, value in answer.headers}
        yield answer.body or LIVING
        if headers[ENDED.lower()] == "yes":
            return
        try:
            answer = await ask(int(headers[LAST_SEQ.lower()]))
        except BadRequest:
            return


class Seat:
    """The place of one request among those that wait for records. It is given back once, at the end
    of the block or by `close`."""

    def __init__(self, followers: Followers, key: str) -> None:
        self._followers: Followers | None = followers
        self._key = key

    def close(self) -> None:
        """Give the place back."""
        if self._followers is not None:
            self._followers.leave(self._key)
            self._followers = None

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.close()


class Followers:
    """How many requests wait for records, in all and for each address."""

    def __init__(self, most: int, most_per_address: int) -> None:
        self._most = most
        self._most_per_address = most_per_address
        self._waiting: Counter[str] = Counter()

    def seat(self, key: str) -> Seat | None:
        """A place for a request, or None if there is none left."""
        if self._waiting.total() >= self._most or self._waiting[key] >= self._most_per_address:
            return None
        self._waiting[key] += 1
        return Seat(self, key)

    def leave(self, key: str) -> None:
        """A request of this address waits no longer."""
        self._waiting[key] -= 1
        if self._waiting[key] <= 0:
            del self._waiting[key]


async def seated(pieces: AsyncGenerator[bytes, None], seat: Seat) -> AsyncGenerator[bytes, None]:
    """The pieces; the place is given back when they end or nobody wants them any more."""
    with seat:
        async with aclosing(pieces):
            async for found in pieces:
                yield found
