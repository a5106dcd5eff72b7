"""The house's bots: how many there are, when they end and begin again, and what is kept of them."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
import trio
import trio.testing

from tests.serve.rig import Server, server, take
from warledger.engine.serve.games import practice
from warledger.engine.serve.games.practice import Practice
from warledger.protocol.wire import messages as m


class Bot:
    """A process that does nothing until it is ended."""

    all: ClassVar[list[Bot]] = []

    def __init__(self, command: list[str], **settings: Any) -> None:
        self.command = command
        self.token = settings["env"]["WARLEDGER_TOKEN"]
        self.code: int | None = None
        Bot.all.append(self)

    def poll(self) -> int | None:
        return self.code

    def terminate(self) -> None:
        self.code = 0

    def wait(self, timeout: float = 0) -> int:
        assert self.code is not None
        return self.code


@pytest.fixture
def bots(monkeypatch: pytest.MonkeyPatch) -> list[Bot]:
    """Those that were started, in place of processes."""
    Bot.all = []
    monkeypatch.setattr(practice.subprocess, "Popen", Bot)
    return Bot.all


def house_of(s: Server, data: Path, most: int = 2) -> Practice:
    house = Practice(
        s.hub.supervisor,
        data,
        most,
        {"counting": "random"},
        s.hub.log,
        partial(s.hub.contained, "practice"),
    )
    house.server = "127.0.0.1:1"
    s.hub.practice = house
    return house


async def test_so_many_and_no_more(
    tmp_path: Path, bots: list[Bot], autojump_clock: trio.testing.MockClock
) -> None:
    """Anybody is given one seat and the house the other; the token is on no command line. Beyond
    what the operator allows, for an unknown title or seat, and where there is no house, it is
    refused with why."""
    async with server(data=tmp_path) as s, trio.open_nursery() as nursery:
        client = await s.client()
        off = await client.ask(m.Practice, "counting", "a")
        assert (off.code, off.say.key) == ("practice", "error.practice_off")
        house = house_of(s, tmp_path)
        await nursery.start(house.run)
        made = await client.ask(m.Practice, "counting", "a")
        assert [seat for seat, _ in made.tokens] == ["a"]
        [bot] = bots
        assert bot.token not in bot.command and made.game in bot.command
        assert bot.token != made.tokens[0][1]
        assert type(await client.ask(m.Login, made.tokens[0][1], "")) is m.LoggedIn
        assert (await client.ask(m.Practice, "chess", "a")).say.key == "error.practice_title"
        assert (await client.ask(m.Practice, "counting", "z")).code == "no_such_seat"
        assert len(bots) == 1
        assert type(await house.open("counting", "b", "elsewhere")) is tuple
        full = await house.open("counting", "b", "yet another")
        assert not isinstance(full, tuple) and full.say.key == "error.practice_full"
        house.most = 9
        assert (await client.ask(m.Practice, "counting", "a")).tag == "created"
        yours = await client.ask(m.Practice, "counting", "a")
        assert yours.say.key == "error.practice_yours"
        mode = (tmp_path / practice.FOLDER / practice.FILE).stat().st_mode
        assert stat.S_IMODE(mode) == 0o600
        nursery.cancel_scope.cancel()
    assert all(bot.code == 0 for bot in bots)


async def test_a_bot_goes_when_nothing_happens_and_returns(
    tmp_path: Path, bots: list[Bot], autojump_clock: trio.testing.MockClock
) -> None:
    """Its place is then another's; it takes its seat up again once its opponent has done something,
    also after the server was started anew, and one that ended by itself is not started again at
    once."""
    async with server(data=tmp_path) as s:
        async with trio.open_nursery() as nursery:
            house = house_of(s, tmp_path, most=1)
            await nursery.start(house.run)
            client = await s.client()
            made = await client.ask(m.Practice, "counting", "a")
            bots[0].code = 1
            await trio.sleep(practice.AGAIN_SECONDS / 2)
            assert len(bots) == 1
            await trio.sleep(practice.AGAIN_SECONDS)
            assert len(bots) == 2
            await trio.sleep(practice.IDLE_SECONDS + 10)
            assert bots[1].code == 0
            other = await house.open("counting", "a", "elsewhere")
            assert type(other) is tuple and len(bots) == 3
            await trio.sleep(practice.IDLE_SECONDS + 10)
            client = await s.client(made.tokens[0][1], "Ann")
            assert type(await take(client, made.game, "a")) is m.Accepted
            await trio.sleep(5)
            assert len(bots) == 4 and made.game in bots[3].command
            nursery.cancel_scope.cancel()
        async with trio.open_nursery() as nursery:
            again = house_of(s, tmp_path)
            await nursery.start(again.run)
            await trio.sleep(1)
            assert {bot.token for bot in bots[4:]} == {bots[0].token, bots[2].token}
            nursery.cancel_scope.cancel()
    os.unlink(tmp_path / practice.FOLDER / practice.FILE)
