"""`warledger talk`, `account notify`, `mail` and `forgot`: what they send and say, over a link to a
server in the test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.serve.games.test_chat import read, table
from tests.serve.people.test_accounts import desk, person
from tests.serve.people.test_accounts import quick as quick
from tests.serve.people.test_mail import ADDRESS, Post
from tests.serve.rig import HOST_TOKEN, Client, server
from warledger.clients.commands.play import account, talk
from warledger.clients.commands.play.account import Notify
from warledger.clients.commands.play.talk import Wish
from warledger.clients.link import ServerError
from warledger.clients.terminal.screen import Screen
from warledger.protocol.wire import messages as m


class Near:
    """A server that is reached by a client of the test's rig."""

    def __init__(self, client: Client, *roles: tuple[str, str, str]) -> None:
        self.client = client
        self.roles = roles

    @asynccontextmanager
    async def link(self) -> AsyncIterator[Near]:
        """The client, as a link."""
        yield self

    async def request(self, make: Callable[[int], Any], *, again: bool = True) -> Any:
        """As a link's."""
        answer = await self.client.ask(lambda number: make(number))
        if type(answer) is m.Error:
            raise ServerError(answer.code, answer.say)
        return answer


def near(client: Client, *roles: tuple[str, str, str]) -> Any:
    return Near(client, *roles)


async def test_talk_in_a_terminal(
    tmp_path: Path, autojump_clock: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is said comes from the seat that is held; a line's controls are shown, not obeyed; a
    room that is shut says so."""
    async with server(data=tmp_path) as s:
        game, anna, bert = await table(s)
        screen = Screen(plain=True)
        there = near(anna, ("seat", game, "a"))
        host = near(await s.client(HOST_TOKEN))
        assert await talk.talk(there, screen, game, Wish("players"), machine=False)
        assert "Nothing has been said" in capsys.readouterr().out
        said = Wish("players", say=" Good \u200bgame. ")
        assert await talk.talk(there, screen, game, said, machine=False)
        assert [line[4] for line in (await read(bert, game)).lines] == ["Good \u200bgame."]
        await talk.talk(near(bert), screen, game, Wish("players", act="report", n=1), machine=False)
        await talk.talk(host, screen, game, Wish("players", act="shut"), machine=False)
        capsys.readouterr()
        await talk.talk(host, screen, game, Wish("players"), machine=False)
        told = capsys.readouterr().out
        assert "Anna: Good " in told and "\u200b" not in told
        assert "(reported)" in told and "Nobody may say anything" in told
        await talk.talk(host, screen, game, Wish("players", without=("Anna",)), machine=False)
        assert "Good" not in capsys.readouterr().out


async def test_notices_and_mail_are_set_in_a_terminal(
    tmp_path: Path, autojump_clock: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The address is confirmed by the code in the letter; kinds that are not named stay; a link is
    asked for without an account; nothing shows a webhook's address."""
    async with desk(tmp_path) as (s, _people):
        s.hub.notifier.postman = post = Post()
        screen, anna = Screen(plain=True), near(await person(s))
        assert await account.mail(anna, screen, ADDRESS)
        await s.hub.notifier.send_letters()
        assert await account.by_mail(near(await s.client()), screen, "confirm", post.code())
        hook = "https://hooks.example.org/planted"
        kinds = (("decision", "daily"), ("half", "now"))
        await account.notify(anna, screen, Notify(hook, "ntfy", kinds, (60, 120), None, "", False))
        told = capsys.readouterr().out
        assert "decision: it is your decision: once a day" in told
        assert "over: a game is over: at once" in told
        assert f"notified by mail: {ADDRESS}" in told and "quiet from 01:00 to 02:00" in told
        assert "hooks.example" not in told
        await account.notify(anna, screen, Notify("", "json", (), None, None, "", True))
        assert "You are not notified anywhere" in capsys.readouterr().out
        with pytest.raises(ServerError):
            wrong = Notify("", "json", (("birthday", "now"),), None, None, "", False)
            await account.notify(anna, screen, wrong)
        assert await account.by_mail(near(await s.client()), screen, "link", "Anna")
        await s.hub.notifier.send_letters()
        assert post.code().startswith("link:")
