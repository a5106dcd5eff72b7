"""What lets an arbiter see what seats hide: they have had no seat of the game, and the look is a
record of the game before anything is shown."""

from __future__ import annotations

from warledger.engine.desk import accounts
from warledger.engine.kernel.position import PLAYING
from warledger.engine.runtime.actor import Game
from warledger.engine.runtime.answers import Failed
from warledger.engine.serve.client import Client, Denied
from warledger.engine.serve.naming import not_anothers
from warledger.protocol import deskbodies
from warledger.protocol.audience import ARBITER
from warledger.protocol.choices import Refusal, Say, refuse


def name_of(client: Client) -> str:
    """The name under which an arbiter writes: the handle of the account that they are signed in to,
    else the name that the operator gave their token, else that of their login."""
    if client.person is not None:
        return client.person.handle
    names = client.hub.grants.names
    return next((names[one] for one in client.granted if names.get(one)), client.principal)


async def plays(client: Client, game: Game) -> Refusal | None:
    """Why a client who holds a seat of the game, or whose account has ever held one, is not an
    arbiter of it: under which name they sat down makes no difference. Raises Denied where the name
    under which they would write is that of somebody else's account."""
    await not_anothers(client, name_of(client))
    held = any(client.holds(game, seat) for seat in game.profile.genesis.seats)
    person = client.person
    if not held and person is not None:
        held = await client.hub.people.look(lambda at: accounts.has_sat(at, person.id, game.id))
    return refuse("", "refusal.arbiter_plays", arbiter=name_of(client)) if held else None


async def look(client: Client, game: Game, audience: str, first: int, last: int) -> None:
    """Write down that an arbiter looks at what everybody could see, in records of a game in
    progress from `first` on; what comes while they follow it belongs to the look. Once a
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
        actor, now_ms = name_of(client), client.hub.supervisor.ambient.now_ms
        body = deskbodies.Looked(actor, audience, min(first, last), last)
        answer = await game.ask(
            lambda live: live.ledger.propose_note(actor, body, now_ms()), principal=actor
        )
        if isinstance(answer, Failed):
            raise Denied(answer)
        refused = answer if isinstance(answer, Refusal) else None
    if refused is not None and profile.progress.stage == PLAYING:
        raise Denied(Failed("not_allowed", Say(refused.key, refused.args, refused.rule)))
    client.looked[game.id] = first


async def look_at_seat(client: Client, game: Game, seat: str) -> None:
    """The same for what a seat is asked now, unless the client holds that seat. Raises Denied."""
    if not client.holds(game, seat):
        now = game.profile.progress.seq
        await look(client, game, ARBITER, now, now)
