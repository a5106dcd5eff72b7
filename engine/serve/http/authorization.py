"""What a request over HTTP shows of whoever sends it: one reading of `Authorization`, for every
path."""

from __future__ import annotations

from warledger.engine.desk import accounts
from warledger.engine.runtime import tokens
from warledger.engine.runtime.game.actor import Game
from warledger.engine.serve.http.http1 import BadRequest, Request
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.people import viewtokens
from warledger.engine.serve.wire.client import rows_of
from warledger.engine.serve.wire.viewer import Viewer


async def viewer_of(hub: Hub, request: Request, game: Game | None = None) -> Viewer:
    """Whoever sends a request: the host, an arbiter or a caster, somebody signed in to an account,
    or the holder of a seat's token in `game`. Without the header it is a stranger. Raises
    BadRequest (401) for a token that is nobody's."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    viewer, token = Viewer(), token.strip()
    if not scheme:
        return viewer
    owner = tokens.owner_of(token) if scheme.lower() == "bearer" else ""
    digest = tokens.digest(token)
    seat = _seat_of(game, digest)
    if owner == tokens.HOST and tokens.fits(token, hub.host_digest):
        viewer.is_host = True
    elif owner in viewtokens.KINDS and (given := hub.grants.of_token(token)) is not None:
        viewer.granted[given[0]] = given[1]
    elif owner == accounts.DEVICE and (person := await hub.people.of_token(token)) is not None:
        viewer.own = rows_of(person)
        viewer.digests = {(id, seat): kept for id, seat, kept in person.seats}
        viewer.is_host = any(role == accounts.OWNER for role, _, _ in person.roles)
    elif owner and game is not None and seat:
        viewer.digests[game.id, seat] = digest
    else:
        raise BadRequest(401, "This token is not known here.", ("WWW-Authenticate", "Bearer"))
    return viewer


def seat_held(viewer: Viewer, game: Game) -> str:
    """The first seat of a game that they hold, "" for none."""
    return next((seat for seat in game.profile.genesis.seats if viewer.holds(game, seat)), "")


def _seat_of(game: Game | None, digest: bytes) -> str:
    kept = {} if game is None else game.profile.tokens
    return next((seat for seat, own in kept.items() if own == digest), "")
