"""Codes of one use: an invitation that gives a right in a tournament to whoever uses it.

Rules of this file:
- A right is given to an account, by its id. Who grants it to a name that nobody has gets a code,
  which is bound to the role and the tournament, and which expires.
- Nothing of it is in the tournament's ledger before the code is used. Then the record is the
  granter's act, and names the id of the account that used the code. So a code is worth nothing once
  its granter's own role has ended.
- The act's id follows from the code: the ledger itself takes a code once.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import Final

from warledger.engine.desk import accounts
from warledger.engine.desk.accounts import OFFICE, Role
from warledger.engine.desk.people import NotDone, bad
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.serve.wire.client import Client, Denied
from warledger.engine.tournaments.entering import NONE
from warledger.engine.tournaments.tournamentposition import Position
from warledger.protocol.board.choices import Picks, Refusal, Say
from warledger.protocol.limits import ACT_ID_BYTES_MAX, CODES_MAX
from warledger.protocol.tournaments import ENTRANT_ROLE

DAYS: Final = 14
"""For how many days a code is good."""


async def made(client: Client, tournament: str, granter: str, role: str) -> tuple[str, int]:
    """A new code by which one person has this role in a tournament, and until when it is good.
    Raises Denied."""
    people = client.hub.people
    if not people.are_there:
        raise Denied(failed("error.accounts_off"))
    office = (OFFICE, tournament, f"{role} {granter}")
    note = f"{OFFICE} {tournament}"

    def invite(at: sqlite3.Connection) -> tuple[str, int]:
        if accounts.open_invitations(at, note, people.world.now_ms()) >= CODES_MAX:
            raise accounts.BadAccount("error.too_many", most=CODES_MAX)
        return accounts.invite(at, people.world, note=note, days=DAYS, roles=(office,))

    return await people.write(invite)


async def accept(client: Client, code: str) -> None:
    """Whoever is signed in uses an invitation: their account has the roles that come with it.
    Raises Denied."""
    people, person = client.hub.people, client.person
    assert person is not None
    now = people.world.now_ms()
    _, roles = await people.look(lambda at: accounts.invited(at, code, now))
    if not roles:
        raise Denied(bad("error.invitation_plain"))
    if not any(role[0] == OFFICE for role in roles):
        await people.write(lambda at: accounts.accept(at, people.world, person.id, code))
        return
    await take_office(client, code, roles, person.id, person.handle)
    with suppress(NotDone):  # shown twice at once: the ledger took it from one of them
        await people.write(lambda at: accounts.use_invitation(at, code, now))


async def take_office(
    client: Client, code: str, roles: tuple[Role, ...], id: str, handle: str
) -> None:
    """Write what a code grants into the tournament. Raises Denied."""
    hosting = client.hub.hosting
    for _, tournament, what in (role for role in roles if role[0] == OFFICE):
        role, _, granter = what.partition(" ")
        found = None if hosting is None else await hosting.find(tournament)
        if found is None or isinstance(found, Failed):
            raise Denied(found or failed("error.unknown_tournament", game=tournament))
        picks: Picks = ("grant", role, id, handle)
        if role == ENTRANT_ROLE:
            picks = ("enter", handle, id, 0, NONE)
        act = accounts.digest(code)[:ACT_ID_BYTES_MAX]
        answer = await found.tournament.submit(granter, picks, act)
        if isinstance(answer, Failed):
            raise Denied(answer)
        if isinstance(answer, Refusal):
            raise Denied(Failed("bad_account", Say(answer.key, answer.args, answer.rule)))
        if answer.again and not _has(found.at, role, id):
            raise Denied(bad("error.invitation"))
        client.connection.log.info("code used", account=id, tournament=tournament, role=role)


def _has(at: Position, role: str, id: str) -> bool:
    """Whether the tournament has this account in this role."""
    if role == ENTRANT_ROLE:
        return any(one.account == id for one in at.entrants.values())
    return (role, id) in at.roles
