"""What lets an arbiter see what seats hide: they have had no seat of the game, and the look is a
record of the game before anything is shown."""

from __future__ import annotations

from warledger.engine.desk import accounts
from warledger.engine.kernel.position import PLAYING
from warledger.engine.runtime import tokens
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed
from warledger.engine.serve.people.accountnames import not_anothers
from warledger.engine.serve.people.viewtokens import sees_all
from warledger.engine.serve.tournaments.officials import official_of
from warledger.engine.serve.wire.client import Client, Denied
from warledger.protocol.audience import ARBITER
from warledger.protocol.board.choices import Refusal, Say, refuse
from warledger.protocol.log import deskbodies


def identity_of(client: Client, game: Game) -> tuple[str, str]:
    """The id and the name under which an arbiter writes: those of the account that they are signed
    in to, else those of the token that makes them an arbiter. The token's name is that which the
    operator gave it, or else that of their login. A token has one id, whoever shows it."""
    id, name, _ = _identity(client, game)
    return id, name


def _identity(client: Client, game: Game) -> tuple[str, str, bool]:
    """An arbiter's id and name, and whether they chose the name themself at their login."""
    if client.person is not None:
        return client.person.id, client.person.handle, False
    giver, grants = client.hub.people.giver, client.hub.grants
    for digest, rows in client.granted.items():
        if sees_all(rows, game.id):
            name = grants.names.get(digest, "")
            return tokens.person_id_of(digest, giver), name or client.principal, not name
    official = None if client.is_host else official_of(client, game)
    if official is not None:
        return *official, False
    host = tokens.person_id_of(client.hub.host_digest, giver)
    return host, client.principal or tokens.HOST, True


async def plays(client: Client, game: Game) -> Refusal | None:
    """Why a client who holds a seat of the game, or whose account has ever held one, is not an
    arbiter of it: under which name they sat down makes no difference. Raises Denied where the name
    that they chose at their login is that of somebody else's account."""
    _, name, is_chosen = _identity(client, game)
    if is_chosen:
        await not_anothers(client, name)
    held = any(client.holds(game, seat) for seat in game.profile.genesis.seats)
    person = client.person
    if not held and person is not None:
        held = await client.hub.people.look(lambda at: accounts.has_sat(at, person.id, game.id))
    return refuse("", "refusal.arbiter_plays", arbiter=name) if held else None


async def look(client: Client, game: Game, audience: str, first: int, last: int) -> None:
    """Write down that an arbiter looks at what everybody could see, in records of a game in
    progress from `first` on. What comes while they follow it belongs to the look. Once a
    connection.

    Raises Denied if they may not look: they play in the game, or its terms name other arbiters.
    """
    profile = game.profile
    if audience != ARBITER or profile.progress.stage != PLAYING:
        return
    if client.looked.get(game.id, first + 1) <= first:
        return
    refused = await plays(client, game)
    if refused is None:
        actor, now_ms = identity_of(client, game), client.hub.supervisor.ambient.now_ms
        body = deskbodies.Looked(audience, min(first, last), last)
        answer = await game.ask(
            lambda live: live.ledger.propose_note(actor, body, now_ms()), principal=actor[1]
        )
        if isinstance(answer, Failed):
            raise Denied(answer)
        refused = answer if isinstance(answer, Refusal) else None
    if refused is not None and profile.progress.stage == PLAYING:
        raise Denied(Failed("not_allowed", Say(refused.key, refused.args, refused.rule)))
    client.looked[game.id] = first


async def look_at_seat(client: Client, game: Game, seat: str) -> None:
    """Write down that an arbiter looks at what a seat is asked now, unless they hold that seat.
    Raises Denied."""
    if not client.holds(game, seat):
        now = game.profile.progress.seq
        await look(client, game, ARBITER, now, now)
