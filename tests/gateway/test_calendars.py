"""A calendar of one's own at a secret address: who reads it, what is in it, and how it is
revoked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from rich.console import Console

from tests.clients.table import link
from tests.gateway.rig import Web, web
from tests.gateway.test_feeds import a_tournament
from tests.serve.rig import HOST_TOKEN, Client, on_the_clock, sit_down
from warledger.clients.commands.play.account import calendar
from warledger.clients.commands.play.online import Where
from warledger.clients.link import Link
from warledger.clients.terminal.screen import Screen
from warledger.engine.desk import accounts
from warledger.engine.runtime import tokens
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock


async def anna(w: Web, language: str = "en") -> tuple[Client, str]:
    """A client that is signed in to Anna's account, and the account's id."""
    client, id, _ = await on_a_device(w, language)
    return client, id


async def on_a_device(w: Web, language: str = "en") -> tuple[Client, str, str]:
    """The same with the device's token."""
    people = w.up.hub.people

    def made(at: Any) -> tuple[str, str]:
        id = accounts.create(at, people.world, "rig", "Anna", "", language=language)
        return id, accounts.make_link(at, people.world, id)

    id, code = await people.write(made)
    client = await w.up.client()
    signed = await client.ask(am.SignIn, am.LINK, "", code, "laptop", True)
    assert type(signed) is am.SignedIn, signed
    assert type(await client.ask(m.Login, signed.token, "")) is m.LoggedIn
    return client, id, signed.token


async def address_of(client: Client) -> str:
    """The path of a calendar that is made now."""
    told = await client.ask(am.ChangeAccount, "calendar", True, "")
    assert type(told) is am.AccountIs, told
    found: str = told.account["calendar_address"]
    assert found.startswith("/api/calendars/") and found.endswith(".ics")
    assert told.account["calendar"] is True
    return found


async def has_seat(w: Web, id: str, game: str, token: str, seat: str = "a") -> None:
    """The account holds a seat from now on."""
    people = w.up.hub.people
    shown = tokens.digest(token)
    await people.write(lambda at: accounts.keep_seat(at, people.world, id, game, seat, shown))


async def test_the_flag_of_ones_own_question_stands_in_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """As long as one is asked, with the moment and the account's words; no other seat's, and no
    cache keeps it."""
    async with web(tmp_path, data=tmp_path) as w:
        game, given, both = await on_the_clock(w.up)
        client, id = await anna(w, "zh-Hant")
        where = await address_of(client)
        empty = await w.get(where)
        assert empty.status == 200 and b"BEGIN:VEVENT" not in empty.body
        await has_seat(w, id, game, given["a"])
        answer = await w.get(where)
        assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
        assert answer.headers["cache-control"] == "private, no-store"
        text = answer.body.replace(b"\r\n ", b"").decode()
        assert text.count("BEGIN:VEVENT") == 1 and f"UID:{game}-a-flag@warledger" in text
        assert "的時間用盡" in text
        assert type(await both.submit(game, "a", "pass")) is m.Accepted
        assert b"BEGIN:VEVENT" not in (await w.get(where)).body, "b is asked now"


async def test_an_address_is_secret_and_can_be_revoked(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """A new address makes the old one worthless, and so do dropping it and forgetting the account;
    what is no code finds nothing. The code is told once, and is in no log and no figure."""
    async with web(tmp_path, data=tmp_path) as w:
        client, id = await anna(w)
        first = await address_of(client)
        shown = await client.ask(am.Account)
        assert shown.account["calendar"] is True and shown.account["calendar_address"] == ""
        second = await address_of(client)
        assert ((await w.get(first)).status, (await w.get(second)).status) == (404, 200)
        for bad in ("x", "", "cal.x", "x" * 5_000, "%00", "../accounts"):
            assert (await w.get(f"/api/calendars/{bad}.ics")).status in (400, 404, 414, 431), bad
        assert (await w.get(second.removesuffix(".ics"))).status == 404
        metrics = await w.get("/metrics", headers={"Authorization": f"Bearer {HOST_TOKEN}"})
        told = w.up.log.getvalue() + metrics.body.decode()
        for path in (first, second):
            code = path.removeprefix("/api/calendars/").removesuffix(".ics")
            assert code.rpartition(".")[2] not in told, "the address is secret"
        dropped = await client.ask(am.ChangeAccount, "calendar", False, "")
        assert dropped.account["calendar"] is False
        assert (await w.get(second)).status == 404
        assert (await client.ask(am.ChangeAccount, "calendar", None, "")).code == "bad_account"
        third = await address_of(client)
        await w.up.hub.people.write(lambda at: accounts.forget(at, id))
        assert (await w.get(third)).status == 404


async def test_what_spectators_see_late_is_not_in_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """A calendar may be read by whoever its program tells: a game with a delay is left out."""
    async with web(tmp_path, data=tmp_path) as w:
        host = await w.up.client(HOST_TOKEN)
        terms = {"clock": {"bank": 60_000, "fall": "loss"}}
        created = await host.ask(
            m.OpenGame, "counting", {"turns": 10}, {**terms, "delay": (600, 0)}
        )
        given = dict(created.tokens)
        both = await w.up.client(given["a"], "Anna")
        assert type(await both.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
        await sit_down(both, created.game)
        client, id = await anna(w)
        where = await address_of(client)
        await has_seat(w, id, created.game, given["a"])
        body = (await w.get(where)).body
        assert b"BEGIN:VCALENDAR" in body and created.game.encode() not in body


async def test_the_rounds_of_ones_tournaments_stand_in_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Of a tournament in which the account has an entrant's token, as everybody sees them; not of
    one in which the token is no longer in force."""
    async with web(tmp_path, data=tmp_path, tournaments=MemoryStore()) as w:
        await a_tournament(w.up.hub)
        assert w.up.hub.hosting is not None
        hosted = await w.up.hub.hosting.find("cup")
        client, id = await anna(w)
        where = await address_of(client)
        await has_seat(w, id, "cup", "a token of nobody", "e:1")
        assert b"BEGIN:VEVENT" not in (await w.get(where)).body
        hosted.digests["e:1"] = tokens.digest("an entrant's token")  # type: ignore[union-attr]
        await has_seat(w, id, "cup", "an entrant's token", "e:1")
        body = (await w.get(where)).body
        assert b"UID:cup-r1-round@warledger" in body


async def test_the_terminal_makes_and_drops_it(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It shows the address, says that it is secret, and drops it when asked to."""
    async with web(tmp_path, data=tmp_path) as w:
        _, _, token = await on_a_device(w)

        @asynccontextmanager
        async def linking(where: Where) -> AsyncIterator[Link]:
            async with link(w.up, token=token) as linked:
                yield linked

        monkeypatch.setattr(Where, "link", linking)
        out = StringIO()
        screen = Screen(plain=True, console=Console(file=out, width=1000))
        assert await calendar(Where(), screen, drop=False)
        first, how = out.getvalue().splitlines()
        where = first.removeprefix("Your calendar: ")
        assert "nobody else" in how and (await w.get(where)).status == 200
        assert await calendar(Where(), screen, drop=True)
        assert (await w.get(where)).status == 404
