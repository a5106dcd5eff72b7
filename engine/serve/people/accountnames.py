"""Who somebody is in the records of a game: the id of the account that they are signed in to, and a
name that is not somebody else's handle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warledger.engine.desk import accounts
from warledger.engine.desk.people import bad
from warledger.engine.runtime import tokens
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed
from warledger.engine.serve.wire.client import Client, Denied
from warledger.protocol.board.choices import say
from warledger.protocol.clocks.clockcontrol import DESK
from warledger.protocol.log.records import TOURNAMENT


def own_account(client: Client, account: str) -> None:
    """Raise Denied unless an act names the account that the client is signed in to, or none where
    it is signed in to none."""
    own = "" if client.person is None else client.person.id
    if account != own:
        raise Denied(bad("error.not_own_account", account=account, own=own))


def entrants_name(client: Client, game: Game, seat: str, name: str) -> None:
    """Raise Denied where the seat is an entrant's of a tournament, and the name is not theirs."""
    genesis, hosting = game.profile.genesis, client.hub.hosting
    number = genesis.entrants.get(seat)
    if number is None or hosting is None:
        return
    hosted = hosting.all.get(genesis.terms[TOURNAMENT][1])
    entrant = None if hosted is None else hosted.at.entrants.get(number)
    if entrant is not None and entrant.name != name:
        raise Denied(bad("error.not_the_entrant", name=name, entrant=entrant.name))


async def own_name(client: Client, game: Game, seat: str, name: str) -> None:
    """Raise Denied where a name is the handle of another account than the client's. Whoever has the
    seat under that name already keeps it, also if they say so again: a log does not change because
    somebody makes an account."""
    if dict(game.profile.progress.holders).get(seat) != name:
        await not_anothers(client, name)


async def not_anothers(client: Client, name: str) -> None:
    """Raise Denied where a name is the handle of another account than the client's, whatever its
    case. A name that only looks like a handle is another person's."""
    people = client.hub.people
    if not people.are_there or (client.person is not None and client.person.handle == name):
        return
    found = await people.look(lambda at: accounts.named(at, name))
    if found is not None and (client.person is None or client.person.id != found.id):
        raise Denied(bad("error.handle_taken", handle=name))


async def with_ids(client: Client, terms: Mapping[str, Any]) -> Mapping[str, Any]:
    """The terms of a game as its genesis has them, from those that a host gives, who calls its
    arbiters by name: [id, name] for each, and the ids of those who are recused. What has another
    form is left as it is, for the kernel to refuse. Raises Denied where nobody is called so."""
    match terms.get(DESK):
        case (tuple(arbiters), dict(rules)):
            pass
        case _:
            return terms
    recused = rules.get("recused", ())
    if type(recused) is tuple:
        ids = [(await _person(client, one))[0] if type(one) is str else one for one in recused]
        rules = {**rules, "recused": tuple(ids)} if "recused" in rules else rules
    people = [await _person(client, one) if type(one) is str else one for one in arbiters]
    return {**terms, DESK: (tuple(people), rules)}


async def _person(client: Client, name: str) -> tuple[str, str]:
    """The id and the name of whoever has an account of this handle or id, or a token to which the
    operator gave this name. Or they logged in under it with the token that opens the game. Where a
    name may mean two of them nobody is chosen."""
    people, grants = client.hub.people, client.hub.grants
    meant: dict[str, str] = {}
    if people.are_there:
        known = await people.look(lambda at: accounts.of_id(at, name) or accounts.named(at, name))
        if known is not None and name in (known.id, known.handle):
            meant[known.id] = known.handle
    called = dict(grants.called())
    if client.is_host and client.person is None:
        called[client.hub.host_digest] = client.principal
    by_id = {tokens.person_id_of(one, people.giver): its for one, its in called.items() if its}
    meant |= {id: its for id, its in by_id.items() if name in (id, its)}
    if not meant:
        raise Denied(Failed("bad_option", say("error.nobody_called", name=name)))
    if len(meant) > 1:
        several = say("error.several_called", name=name, ids=tuple(meant))
        raise Denied(Failed("bad_option", several))
    return next(iter(meant.items()))
