"""`/api/games/GAME/whatif`: a game played on from one of its records, for nobody but who asks.

    at      the record to play on from, no newer than the asker may see
    seed    where its dice come from
    steps   what is done in it: [[seat, picks] or a number of captains' commands …] as JSON
    ask     what is asked of it (`clients/bots/whatif.py`)

The answer is in the canonical form. Who holds a seat by what `Authorization: Bearer …` shows plays
on from what that seat knows. All others play on from what spectators know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import trio

from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.serve.games import branches
from warledger.engine.serve.http import feeds
from warledger.engine.serve.http.authorization import seat_held, viewer_of
from warledger.engine.serve.http.http1 import BadRequest, Request, Response
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.wire.ratelimits import Bill
from warledger.engine.store.port import StoreError
from warledger.protocol import canon
from warledger.protocol.audience import PUBLIC

CANONICAL: Final = "application/octet-stream"


def _told(*answer: str) -> Response:
    return Response(
        200, (("Content-Type", CANONICAL), ("Cache-Control", "no-store")), canon.pack(answer)
    )


async def find(hub: Hub, request: Request, game: Game, bill: Bill) -> Response:
    """The answer of a branch; without a query, whether the host allows any. Raises BadRequest."""
    live = not game.shown.whole
    refused = ""
    if hub.whatif == branches.OFF:
        refused = "The host of this server lets nobody play on from a game."
    elif live and hub.whatif != branches.LIVE:
        refused = "The host of this server lets nobody play on from a game that is being played."
    if not request.query:
        return _told("refused", refused) if refused else _told("allowed")
    if refused:
        raise BadRequest(403, refused)
    seat = seat_held(await viewer_of(hub, request, game), game) if live else ""
    last = game.profile.progress.seq if seat else game.shown.seq
    at = feeds.number(request.query, "at", last, 0, last)
    seed = request.query.get("seed", "")[: branches.SEED_MAX]
    try:
        steps = branches.read(request.query.get("steps", "[]"))
        asked = branches.read(request.query.get("ask", '["show",-1]'))
    except branches.BadSteps as error:
        raise BadRequest(400, f"{error}.") from error
    if not isinstance(steps, Sequence) or not isinstance(asked, Sequence):
        raise BadRequest(400, "steps and ask are lists.")
    whole = game.shown.whole
    key = canon.pack((game.id, 0 if whole else last, seat))
    store = hub.supervisor.store

    def file() -> bytes:
        audience = None if whole else seat or PUBLIC
        return export_game(store.read(game.id), audience, records_max=last + 1)

    try:
        made = await trio.to_thread.run_sync(
            lambda: hub.branches.ask(bill.key, key, file, at, seed, tuple(steps), tuple(asked)),
            abandon_on_cancel=True,
            limiter=hub.branching,
        )
    except StoreError as error:
        raise BadRequest(503, "This game's file cannot be read.") from error
    except (branches.Busy, OSError) as error:
        raise _BUSY from error
    return Response(200, (("Content-Type", CANONICAL), ("Cache-Control", "no-store")), made)


_BUSY: Final = BadRequest(
    503, "Too much is being played on from here; try again.", ("Retry-After", "5")
)
