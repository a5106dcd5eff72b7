"""Whose name is whose: nobody plays or rules under what somebody else's account is called."""

from __future__ import annotations

from warledger.engine.desk import accounts
from warledger.engine.desk.people import bad
from warledger.engine.runtime.actor import Game
from warledger.engine.serve.client import Client, Denied


async def own_name(client: Client, game: Game, seat: str, name: str) -> None:
    """Raise Denied where a name, or one that looks like it, is the handle of another account than
    the client's. Whoever has the seat under that name already keeps it, also if they say so
    again: a log does not change because somebody makes an account."""
    if dict(game.profile.progress.holders).get(seat) != name:
        await not_anothers(client, name)


async def not_anothers(client: Client, name: str) -> None:
    """Raise Denied where a name, or one that looks like it, is the handle of another account than
    the client's."""
    people = client.hub.people
    if not people.are_there or (client.person is not None and client.person.handle == name):
        return
    found = await people.look(lambda at: accounts.named(at, name))
    if found is not None and (client.person is None or client.person.id != found.id):
        raise Denied(bad("error.handle_taken", handle=name))
