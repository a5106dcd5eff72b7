"""Whom people mean who type a handle, an id or a name: their id, and the name beside it, as a
tournament's records hold them.

Rules of this file:
- Records hold ids, and nothing that reads a record comes here: it compares ids byte by byte.
- On a server with accounts a right is an account's: a name that nobody has is refused, and who
  shall have it uses a code (`warledger.engine.serve.people.invitations`). Elsewhere whoever has no
  account is given an id, as an account is.
- Whoever is named twice in one tournament is meant again, if they still have their account. An
  entrant who chose their name themself is never taken for an official.
- Where a text may mean two people nobody is chosen.
"""

import sqlite3
from collections.abc import Awaitable, Callable
from typing import Final

from attrs import evolve as replace
from attrs import frozen

from warledger.engine.desk import accounts
from warledger.engine.desk.database import Database
from warledger.engine.desk.people import People
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.tournaments.charter import Charter, Named
from warledger.engine.tournaments.deeds import officials
from warledger.engine.tournaments.entering import NONE
from warledger.engine.tournaments.tournamentposition import Position
from warledger.protocol.board.choices import Pick, Picks, Refusal, refuse

_FIRST: Final = 2
"""Where an act begins to name people: behind its verb and a name, a role or a board."""


class Unclear(Exception):
    """A text may mean any of these people, or means nobody; `refusal` says so."""

    def __init__(self, name: str, found: tuple[Named, ...]) -> None:
        super().__init__(name)
        ids = tuple(id for id, _ in found)
        self.refusal = (
            refuse("", "refusal.tournament.several", name=name, ids=ids)
            if found
            else refuse("", "refusal.tournament.nobody_called", name=name)
        )


@frozen
class Persons:
    """Who there is beside a tournament. `find` looks an account up by its id or handle, and is None
    where nobody has one. `fresh` makes an id for somebody new, and is None where only accounts have
    rights."""

    find: Callable[[str], Awaitable[Named | None]] | None
    fresh: Callable[[], str] | None

    async def known(self, text: str, named: tuple[Named, ...]) -> Named | None:
        """Whom a text means: one of those who are named already, by id or name, or an account.
        Raises Unclear."""
        by_id = [one for one in named if one[0] == text]
        if by_id:
            return by_id[-1]
        account = None if self.find is None else await self.find(text)
        found = dict(one for one in named if one[1] == text)
        if account is not None:
            found[account[0]] = account[1]
        elif self.fresh is None and self.find is not None:
            # Who has given up their account has left the name, and the right, behind.
            found = {id: name for id, name in found.items() if await self.find(id) is not None}
        if len(found) > 1:
            raise Unclear(text, tuple(found.items()))
        return next(iter(found.items()), None)

    async def person(self, text: str, named: tuple[Named, ...]) -> Named:
        """Whom a text means, or somebody new, called so, where it means nobody and that may be.
        Raises Unclear."""
        return await self.known(text, named) or (self._id(text), text)

    def _id(self, text: str) -> str:
        """The id of somebody whom nobody here knows: the text, if it is one. Raises Unclear."""
        if tokens.is_person_id(text):
            return text
        if self.fresh is None:
            raise Unclear(text, ())
        return self.fresh()

    async def announced(self, charter: Charter) -> Charter:
        """A charter that names everybody by id. Raises Unclear."""
        committee = tuple(
            [one if one[0] else await self.person(one[1], ()) for one in charter.appeals.committee]
        )
        return replace(charter, appeals=replace(charter.appeals, committee=committee))

    async def meant(self, at: Position, picks: Picks) -> Picks | Refusal:
        """An act's picks as the ledger holds them, from those in which each person is one text."""
        try:
            return await self._meant(at, picks)
        except Unclear as error:
            return error.refusal

    async def _meant(self, at: Position, picks: Picks) -> Picks | Refusal:
        verb, before, told = picks[:1], picks[:_FIRST], picks[_FIRST:]
        named = tuple(officials(at))
        entered = tuple((one.account, one.name) for one in at.entrants.values() if one.account)
        if self.find is None:
            # Then it is a director who gave every id, and means those whom they entered.
            named = (*entered, *named)
        match verb:
            case ("enter",) if told and told[0] != NONE:
                return await self._entering(before, told, named)
            case ("grant",) if told:
                return (*before, *await self.person(str(told[0]), named), *told[1:])
            case ("end_grant",) if told:
                held = tuple(
                    (id, name) for (role, id), name in at.roles.items() if role == picks[1]
                )
                one = await replace(self, find=None).known(str(told[0]), held)
                return picks if one is None else (*before, one[0], *told[1:])
            case ("panel",):
                people: list[Pick] = []
                for text in told:
                    people += await self.person(str(text), named)
                return (*before, *people)
        return picks

    async def _entering(
        self, before: Picks, told: Picks, named: tuple[Named, ...]
    ) -> Picks | Refusal:
        text = str(told[0])
        if self.find is None:
            one = await self.known(text, named)
            return (*before, one[0] if one else self._id(text), *told[1:])
        one = await self.find(text)
        if one is None:
            return refuse("entry", "refusal.tournament.unknown_account", account=text)
        return (*before, one[0], *told[1:])


def _account(at: sqlite3.Connection, text: str) -> Named | None:
    found = accounts.of_id(at, text) or accounts.named(at, text)
    return None if found is None else (found.id, found.handle)


def of_server(people: People) -> Persons:
    """Those whom a server knows. Looking somebody up may raise NotDone."""

    async def find(text: str) -> Named | None:
        return await people.look(lambda at: _account(at, text))

    if people.are_there:
        return Persons(find, None)
    return Persons(None, lambda: tokens.new_person_id(people.world, people.giver))


def of_desk(db: Database, world: Ambient, giver: str) -> Persons:
    """Those whom a desk without a server knows: the accounts of its data directory, if there are
    any. Looking somebody up may raise BadDatabase."""

    async def find(text: str) -> Named | None:
        return await world.blocking(lambda: db.look(lambda at: _account(at, text)))

    return Persons(find if db.is_there else None, lambda: tokens.new_person_id(world, giver))
