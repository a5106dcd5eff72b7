"""To whom a right belongs: to the account or the key that it was given to, and never to a name."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.serve.people.test_accounts import PASSWORD, desk, id_of, later, person, quick
from tests.serve.rig import HOST_TOKEN, Client, Server
from tests.serve.tournaments.test_tournament_people import called, mine, signed_up
from tests.serve.tournaments.test_tournaments import CHARTER, TITLES, Table
from warledger.engine.desk import accounts
from warledger.engine.desk.people import People
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.limits import CODES_MAX
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import tournamentmessages as tm

__all__ = ["quick"]  # a fixture

NAME, ALIKE = "Capa", "\u0421\u0430\u0440\u0430"
"""A name, and another that looks like it."""
JUDGED = '[unfinished]\nby = "panel"\npanel = 1\n'
COMMITTEE = '[appeals]\ncommittee = ["Capa"]\n'
GRANTED = ("director", "arbiter", "caster")
IN_THE_CUP = (*GRANTED, "entrant", "panel", "committee")
OF_THE_SERVER = ("owner", "host", "arbiter", "caster")


async def rights(s: Server, handle: str) -> tuple[str, ...]:
    """As whom somebody who signs in acts in the cup, and what they may do in games."""
    client = await person(s, handle)
    signed = await client.ask(
        m.Login, (await client.ask(am.SignIn, am.PASSWORD, handle, PASSWORD, "", True)).token, ""
    )
    roles = (f"{role} {game}" for role, game, _ in signed.roles if role not in ("account", "seat"))
    return (*(await mine(client)), *roles)


async def given(at: Table, right: str, whom: str) -> None:
    """Give somebody who has an account a right in the cup."""
    if right in GRANTED:
        await at.direct("grant", right, whom)
    elif right == "entrant":
        await at.direct("enter", "B", whom, 0)
    elif right == "panel":
        for number in (1, 2):
            await at.direct("enter", f"P{number}", "-", 0)
        await at.direct("pair")
        await at.direct("publish")
        await at.opened(1)
        await at.direct("panel", 1, whom)


async def after(s: Server, people: People, id: str) -> dict[str, tuple[str, ...]]:
    """What the holder of a right may do, then under another handle, and then without an account.
    What others may do who come by the name, or one like it, is looked at after each."""
    found = {"holder": await rights(s, NAME)}
    await called(people, id, "Zenon")
    await signed_up(people, NAME)
    found |= {"renamed": await rights(s, "Zenon"), "next": await rights(s, NAME)}
    next_of_name = await id_of(people, NAME)
    await people.write(lambda db: accounts.forget(db, next_of_name))
    await people.write(lambda db: accounts.forget(db, id))
    await signed_up(people, ALIKE)
    found["alike"] = await rights(s, ALIKE)
    like_that = await id_of(people, ALIKE)
    await people.write(lambda db: accounts.forget(db, like_that))
    await signed_up(people, NAME)
    found["next after all"] = await rights(s, NAME)
    return found


@pytest.mark.parametrize("right", IN_THE_CUP)
async def test_a_right_in_a_tournament_stays_with_the_account(
    tmp_path: Path, autojump_clock: Any, right: str
) -> None:
    """Under any handle, and with nobody else: not with the next person of the name, one who looks
    like them, or a token, which is made for no account. Once it is forgotten nobody has it."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        id = await signed_up(people, NAME)
        await at.open(CHARTER + JUDGED + (COMMITTEE if right == "committee" else ""))
        await given(at, right, NAME)
        who = {"director": f"d:{id}", "entrant": "e:1", "caster": "caster cup"}.get(
            right, f"a:{id}"
        )
        for asks in (at.host, at.director) if right != "caster" else ():
            token = await asks.ask(tm.TournamentToken, "cup", who)
            assert (type(token), token.code) == (m.Error, "not_allowed"), token
        found = await after(s, people, id)
        assert found == {
            "holder": (who,),
            "renamed": (who,),
            "next": (),
            "alike": (),
            "next after all": (),
        }


@pytest.mark.parametrize("right", OF_THE_SERVER)
async def test_a_role_of_the_server_stays_with_the_account(
    tmp_path: Path, autojump_clock: Any, right: str
) -> None:
    """As rights in a tournament do."""
    role = {"caster": ("caster", "g", "a")}.get(right, (right, "", ""))
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        id = await signed_up(people, NAME)
        await at.open()
        await people.write(lambda db: accounts.grant(db, people.world, id, role))
        found = await after(s, people, id)
        assert found["holder"] == found["renamed"] != ()
        assert [found[one] for one in ("next", "alike", "next after all")] == [(), (), ()]


# --- codes ----------------------------------------------------------------------------------------


async def code_of(client: Client, role: str) -> str:
    """A new code for a role in the cup."""
    made = await client.ask(tm.TournamentCode, "cup", role)
    assert type(made) is am.Invitation, made
    return str(made.code)


async def use(client: Client, code: str) -> Any:
    """The answer to whoever uses a code, signed in."""
    return await client.ask(am.ChangeAccount, "invitation", code, "")


@pytest.mark.parametrize("role", [*GRANTED, "entrant"])
async def test_a_name_that_nobody_has_gets_a_code(
    tmp_path: Path, autojump_clock: Any, role: str
) -> None:
    """Granted to a name, a right is refused and written nowhere, and whoever signs up under the
    name has none. Whoever uses the code has it, by their id, once: shown again it is worth nothing,
    to them and to others."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        await at.open()
        name = ("enter", "B", NAME, 0) if role == "entrant" else ("grant", role, NAME)
        refused = await at.do(at.director, at.who("d:dora"), *name)
        known = "unknown_account" if role == "entrant" else "nobody_called"
        assert refused.refusal.key == f"refusal.tournament.{known}"
        code = await code_of(at.director, role)
        paper = await at.director.ask(tm.TournamentPaper, "cup", "tournament.wlog", 0, "en")
        assert NAME.encode() not in paper.body and code.encode() not in paper.body
        await signed_up(people, NAME)
        assert await rights(s, NAME) == ()
        anna, id = await person(s), await id_of(people, "Anna")
        assert type(await use(anna, code)) is am.AccountIs
        who = {"director": f"d:{id}", "entrant": "e:1", "caster": "caster cup"}.get(role, f"a:{id}")
        assert await rights(s, "Anna") == (who,)
        for client in (anna, await person(s, NAME)):
            again = await use(client, code)
            assert (type(again), again.code) == (m.Error, "invitation")
        assert await rights(s, NAME) == ()


async def test_a_code_makes_an_account_that_has_the_role(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Whoever has none makes one with it; a second account cannot be made with it."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        await at.open()
        code = await code_of(at.host, "director")
        new = await s.client()
        fields = (PASSWORD, "en", "laptop", True)
        assert type(await new.ask(am.SignUp, code, "Cora", *fields)) is am.SignedIn
        assert await rights(s, "Cora") == (f"d:{await id_of(people, 'Cora')}",)
        again = await (await s.client()).ask(am.SignUp, code, "Carl", *fields)
        assert (type(again), again.code) == (m.Error, "invitation")


async def test_a_tournament_whose_director_nobody_knows_waits_for_them(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """It is opened without a director. Who signs up under the name directs nothing; whoever uses
    the host's code does."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        host = await s.client(HOST_TOKEN)
        made = await host.ask(tm.OpenTournament, "cup", "cora", CHARTER)
        assert (type(made), made.seat, made.token) == (tm.TournamentOpened, "", "")
        await signed_up(people, "cora")
        assert await rights(s, "cora") == ()
        code = await code_of(host, "director")
        await use(await person(s), code)
        assert await rights(s, "Anna") == (f"d:{await id_of(people, 'Anna')}",)
        assert s.hub.hosting is not None
        assert [name for _, name in s.hub.hosting.all["cup"].at.roles.items()] == ["Anna"]


async def test_a_code_ends(tmp_path: Path, autojump_clock: Any) -> None:
    """After a fortnight, with its granter's role, and with their account; and only so many are good
    at a time."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        await at.open()
        anna = await person(s)
        for name in ("Dan", "Deb", "Don"):
            await signed_up(people, name)
            await at.direct("grant", "director", name)
        dan, deb = await person(s, "Dan"), await person(s, "Deb")
        dans, debs, old = [await code_of(one, "arbiter") for one in (dan, deb, at.director)]
        await at.direct("end_grant", "director", "Dan")
        refused = await use(anna, dans)
        assert (refused.code, refused.say.key) == ("bad_account", "refusal.tournament.role")
        deb_id = await id_of(people, "Deb")
        await people.write(lambda db: accounts.forget(db, deb_id))
        assert (await use(anna, debs)).code == "invitation"
        later(people, 24 * 14 + 1)
        assert (await use(anna, old)).code == "invitation"
        assert await rights(s, "Anna") == ()
        for _ in range(CODES_MAX):
            await code_of(at.director, "caster")
        assert (await at.director.ask(tm.TournamentCode, "cup", "caster")).code == "too_many"


async def test_who_may_not_grant_makes_no_code(tmp_path: Path, autojump_clock: Any) -> None:
    """An arbiter, an entrant and a stranger make none; a host makes none for an entry, which a host
    cannot write."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        await at.open()
        await at.direct("grant", "arbiter", "Anna")
        bert = await signed_up(people, "Bert")
        await at.direct("enter", "B", bert, 0)
        for client in (await person(s), await person(s, "Bert"), await s.client()):
            for role in GRANTED:
                assert (await client.ask(tm.TournamentCode, "cup", role)).code == "not_allowed"
        assert (await at.host.ask(tm.TournamentCode, "cup", "entrant")).code == "not_allowed"


async def test_a_host_by_account_makes_codes_for_what_they_opened(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """And for no tournament of another host."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        hosts = ("host", "", "")
        for name in ("Hal", "Hob"):
            grant = partial(accounts.grant, world=people.world, role=hosts)
            id = await signed_up(people, name)
            await people.write(partial(grant, account=id))
        hal, hob = await person(s, "Hal"), await person(s, "Hob")
        assert (await hal.ask(tm.OpenTournament, "cup", "cora", CHARTER)).seat == ""
        assert (await hob.ask(tm.TournamentCode, "cup", "director")).code == "not_allowed"
        assert type(await use(await person(s), await code_of(hal, "director"))) is am.AccountIs
        assert await rights(s, "Anna") == (f"d:{await id_of(people, 'Anna')}",)


async def test_an_invitation_with_a_role_is_for_accounts_that_are_there_too(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Whoever is signed in has the role by it, at once; one without a role is not used up by them,
    and what is no code at all is refused."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        await at.open()
        anna = await person(s)
        role = ("arbiter", "", "")
        code, _ = await people.write(lambda db: accounts.invite(db, people.world, roles=(role,)))
        plain, _ = await people.write(lambda db: accounts.invite(db, people.world))
        assert (await use(anna, plain)).say.key == "error.invitation_plain"
        answer = await use(anna, code)
        assert (type(answer), answer.account["roles"]) == (am.AccountIs, (role,))
        new = await s.client()
        fields = (PASSWORD, "en", "laptop", True)
        assert type(await new.ask(am.SignUp, plain, "Bert", *fields)) is am.SignedIn
        for wrong in (code, "inv:x", "", 7, None):
            assert type(await use(anna, wrong)) is m.Error
