"""Who somebody is in a tournament of a server: by the id of their account, or of their token."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from tests.serve.people.test_accounts import PASSWORD, desk, id_of, person, quick
from tests.serve.rig import HOST_TOKEN, Client, server
from tests.serve.tournaments.test_tournaments import CHARTER, TITLES, Table, nonce, table
from warledger.engine.desk import accounts, passwords
from warledger.engine.desk.hosting import ENTRIES_AT_ONCE
from warledger.engine.desk.people import People
from warledger.engine.runtime import tokens
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.limits import PERSON_ID_CHARS_MAX
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import tournamentmessages as tm

__all__ = ["quick"]  # a fixture


async def signed_up(people: People, handle: str) -> str:
    """The id of a new account."""
    kept = passwords.hashed(PASSWORD)
    return await people.write(lambda at: accounts.create(at, people.world, "rig", handle, kept))


async def called(people: People, id: str, handle: str) -> None:
    """An account has another handle."""
    set_to = (handle, accounts.handles.sign_in_key(handle), id)

    def change(at: Any) -> None:
        at.execute("UPDATE accounts SET handle = ?, found_by = ? WHERE id = ?", set_to)
        at.execute("DELETE FROM compared")

    await people.write(change)


async def mine(client: Client) -> tuple[str, ...]:
    """As whom a client may act."""
    answer = await client.ask(tm.Tournament, "cup")
    return tuple(who for (who,) in answer.mine)


async def enter(client: Client, name: str, number: int) -> Any:
    """Enter by oneself."""
    digest = hashlib.sha256(f"{name}{number}".encode()).digest()
    return await client.ask(tm.EnterTournament, "cup", name, 0, number, nonce(number), digest)


async def test_who_changes_their_handle_stays_the_same(tmp_path: Path, autojump_clock: Any) -> None:
    """With their role and their entry; whoever has the handle then is somebody else, who may have
    neither, and may enter with it."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        await at.open()
        anna = await id_of(people, "Anna")
        await at.direct("grant", "arbiter", "Anna")
        assert type(await enter(await person(s), "Anna A", 1)) is tm.Entered
        own = (f"a:{anna}", "e:1")
        assert await mine(await person(s)) == own
        await called(people, anna, "Hanna")
        other = await signed_up(people, "Anna")
        assert await mine(await person(s, "Hanna")) == own
        stranger = await person(s, "Anna")
        assert await mine(stranger) == () and other != anna
        denied = await at.do(stranger, f"a:{anna}", "result", 1, 1, "both", "-")
        assert (type(denied), denied.code) == (m.Error, "not_allowed")
        assert type(await enter(stranger, "Anna B", 2)) is tm.Entered
        entrants = s.hub.hosting.all["cup"].at.entrants  # type: ignore[union-attr]
        assert {one.account for one in entrants.values()} == {anna, other}


async def test_a_forgotten_account_leaves_its_id_behind(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """In the ledger, with the name under which it acted; a new account of that handle is nobody
    there, and does not come by a role that names somebody of that name."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        await at.open()
        anna = await id_of(people, "Anna")
        await at.direct("grant", "arbiter", "Anna")
        await at.direct("enter", "Anna A", "Anna", 0)
        await people.write(lambda db: accounts.forget(db, anna))
        again = await signed_up(people, "Anna")
        assert again != anna and await mine(await person(s)) == ()
        (arbiter,) = (one for one in (await at.told())["officials"] if one["role"] == "arbiter")
        assert (arbiter["id"], arbiter["name"]) == (anna, "Anna")
        several = await at.do(at.director, at.who("d:dora"), "grant", "director", "Anna")
        assert several.refusal.key == "refusal.tournament.several"
        assert set(dict(several.refusal.args)["ids"]) == {anna, again}
        await at.direct("grant", "director", again)
        assert await mine(await person(s)) == (f"d:{again}",)
        shown = {one["shown"] for one in (await at.told())["officials"]}
        assert shown == {"dora", f"Anna ({anna[-6:]})", f"Anna ({again[-6:]})"}
        await at.direct("end_grant", "arbiter", anna)
        paper = await at.director.ask(tm.TournamentPaper, "cup", "tournament.wlog", 0, "en")
        assert anna.encode() in paper.body


async def test_a_token_without_an_account_has_an_id(tmp_path: Path) -> None:
    """A director who is named when a tournament is opened has the id of their token; an arbiter who
    is named later a new one. It is theirs under any name of a login, and of nobody who only has the
    name."""
    async with server(titles=TITLES, tournaments=MemoryStore()) as s:
        at = Table(s)
        await at.open()
        (who,) = await mine(at.director)
        giver = s.hub.people.giver
        assert who == f"d:{tokens.person_id_of(tokens.digest(at.token), giver)}"
        assert who == at.who("d:dora") and len(who) <= 2 + PERSON_ID_CHARS_MAX
        await at.direct("grant", "arbiter", "arno")
        arno = at.who("a:arno")
        assert tokens.is_person_id(arno[2:]) and arno[2:] != who[2:]
        given = await at.director.ask(tm.TournamentToken, "cup", arno)
        under = await s.client()
        assert type(await under.ask(m.Login, given.token, "dora")) is m.LoggedIn
        assert await mine(under) == (arno,)
        named = await s.client()
        assert type(await named.ask(m.Login, given.token[:-1] + "x", "arno")) is m.Error
        assert await mine(named) == ()
        for close in (arno.upper(), arno + "x", arno[:-1], "a:arno", "a:"):
            refused = await at.director.ask(tm.TournamentToken, "cup", close)
            assert (type(refused), refused.code) == (m.Error, "no_such_seat"), close


async def test_a_charter_names_its_committee_by_id(tmp_path: Path, autojump_clock: Any) -> None:
    """By the accounts that its text means at that moment. Where nobody has one the tournament is
    not opened: a charter cannot be changed by a code that is used later."""
    committee = '[appeals]\ncommittee = ["Anna", "kai", "zoe"]\n'
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        await signed_up(people, "kai")
        host = await s.client(HOST_TOKEN)
        refused = await host.ask(tm.OpenTournament, "cup", "dora", CHARTER + committee)
        assert refused.say.key == "refusal.tournament.nobody_called"
        await signed_up(people, "zoe")
        await at.open(CHARTER + committee)
        anna = await id_of(people, "Anna")
        told = await at.told()
        named = told["charter"]["appeals"]["committee"]
        assert [name for _, name in named] == ["Anna", "kai", "zoe"] and named[0][0] == anna
        assert all(map(tokens.is_person_id, (id for id, _ in named)))
        assert await mine(await person(s)) == (f"a:{anna}",)
        await called(people, anna, "Hanna")
        await signed_up(people, "Anna")
        assert await mine(await person(s)) == ()


async def test_people_who_look_alike_enter_and_are_told_apart() -> None:
    """Nobody is refused for what they are called. Names that look alike are shown with the number
    of the entrant, to everybody and on paper, and the director is told. From one address only a
    few strangers enter at once."""
    names = (
        "Jan Jansen",
        "Jan Jansen",
        "\u0421\u0430\u0440\u0430",
        "Capa",
        "'t Hart",
        "\u5c71\u7530\u3000\u592a\u90ce",
        "Jos\u00e9",
        "Jose",
    )
    async with table() as at:
        await at.open()
        for name in names:
            await at.direct("enter", name, "-", 0)
        told = await at.told()
        shown = [one["shown"] for one in told["entrant_list"]]
        assert [one["name"] for one in told["entrant_list"]] == list(names)
        assert shown == [
            *("Jan Jansen (1)", "Jan Jansen (2)", "\u0421\u0430\u0440\u0430 (3)", "Capa (4)"),
            *names[4:],
        ]
        assert told["alike"] == ((1, 2), (3, 4))
        await at.direct("enter", "Jan Jansen (2)", "-", 0)
        told = await at.told()
        assert told["entrant_list"][-1]["shown"] == "Jan Jansen (2) (9)"
        await at.direct("pair")
        await at.direct("publish")
        for kind in ("pairings.html", "pairings.txt", "slips.html"):
            paper = (await at.director.ask(tm.TournamentPaper, "cup", kind, 1, "en")).body.decode()
            assert all(paper.count(name) == 1 for name in ("Jan Jansen (1)", "Capa (4)")), kind
        client = await at.served.client()

        async def enter(number: int) -> Any:
            digest = hashlib.sha256(f"{number}".encode()).digest()
            return await client.ask(tm.EnterTournament, "cup", "x", 0, number, b"", digest)

        for _ in range(ENTRIES_AT_ONCE + 1):
            answer = await enter(3)
        assert (answer.code, type(answer)) == ("slow_down", m.Error)


async def test_a_director_who_plays_gets_no_opponents_token() -> None:
    """A director who has shown an entrant's token too renews that one, and no other entrant's: with
    it they would read sealed bids and fetch seats. The old token stays in force."""
    async with table() as at:
        await at.open()
        await at.enter(2)
        both = await at.served.client(at.token)
        assert type(await both.ask(m.Login, at.tokens[0], "")) is m.LoggedIn
        assert (await both.ask(tm.TournamentToken, "cup", "e:2")).code == "not_allowed"
        assert type(await at.served.client(at.tokens[1])) is Client
        assert type(await both.ask(tm.TournamentToken, "cup", "e:1")) is m.Token
        assert type(await at.director.ask(tm.TournamentToken, "cup", "e:2")) is m.Token
