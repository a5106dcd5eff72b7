"""What people are told beside their decisions: requests, low clocks, claims, rulings, the end, new
devices; each as its person wishes, and once."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.serve.games.test_rulings import arbiter, claim, rule
from tests.serve.people.test_accounts import PASSWORD, desk, later, person, sign_in
from tests.serve.people.test_accounts import quick as quick
from tests.serve.people.test_notices import URL, Hooks
from tests.serve.rig import HOST_TOKEN, NAMES, Client, Server, on_the_clock
from warledger.engine.desk import accounts, notificationpreferences, outbox, passwords
from warledger.engine.desk.database import Database
from warledger.engine.desk.outbox import Notice
from warledger.engine.desk.people import People
from warledger.engine.runtime import profile
from warledger.engine.runtime import titles as title_list
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol import canon
from warledger.protocol.seats import acts
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import tournamentmessages as tm

HOUR = 3600_000


class Table:
    """A game in which Anna's account keeps seat a and has a webhook; `anna` is signed in and
    follows nothing, `both` acts for both seats without an account."""

    def __init__(
        self, s: Server, people: People, hooks: Hooks, anna: Client, both: Client, game: str
    ) -> None:
        self.server, self.people, self.hooks = s, people, hooks
        self.anna, self.both, self.game = anna, both, game

    async def kinds(self) -> list[str]:
        """What was sent since this was last asked, after the longest patience."""
        notifier = self.server.hub.notifier
        await notifier.look()
        later(self.people, 0.1)
        await notifier.look()
        await notifier.send()
        sent = [json.loads(body)["kind"] for _, body in self.hooks.got]
        self.hooks.got.clear()
        return sent

    async def wish(self, **kinds: str) -> Any:
        """What Anna wants to be told when."""
        return await self.anna.ask(am.ChangeAccount, "telling", (canon.ordered(kinds), 0, 0), "")

    async def move(self) -> int:
        """Both seats move; the last record."""
        assert type(await self.both.submit(self.game, "a", "add", 1)) is m.Accepted
        moved = await self.both.submit(self.game, "b", "add", 1)
        return int(moved.seq)


@pytest.fixture(autouse=True)
def other_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever plays for Anna in these games has no account, and so may not be called Anna."""
    monkeypatch.setitem(NAMES, "a", "Alma")


@asynccontextmanager
async def table(tmp_path: Path, **control: Any) -> AsyncIterator[Table]:
    async with desk(tmp_path) as (running, people):
        hooks = Hooks()
        running.hub.notifier.poster = hooks.poster()
        anna = await person(running)
        clock = {"bank": 200 * HOUR, **control}
        game, given, both = await on_the_clock(running, **clock)
        assert type(await anna.ask(m.Login, given["a"], "")) is m.LoggedIn
        await anna.ask(am.ChangeAccount, "channel", (URL, "json"), "")
        yield Table(running, people, hooks, anna, both, game)


CUP = """
name = "Harbour Cup"
title = "war_at_sea"
[[stage]]
system = "knockout"
[sides]
by = "bid"
bid = { minutes = 600 }
[absence]
check_in_minutes = 15
"""


async def test_entrants_are_told_of_check_in_round_and_bids(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Each once, with the tournament's name and a link to it, and never of a pairing that is not
    published; whoever has checked in or bid in time is not told, nor who is out."""
    titles = {"war_at_sea": title_list.installed()["war_at_sea"]}
    async with desk(tmp_path, titles=titles, tournaments=MemoryStore()) as (running, people):
        hooks, notifier = Hooks(), running.hub.notifier
        notifier.poster, notifier.url = hooks.poster(), "https://war.example"
        anna, host = await person(running), await running.client(HOST_TOKEN)
        await anna.ask(am.ChangeAccount, "channel", (URL, "json"), "")
        kept = passwords.hashed(PASSWORD)
        await people.write(lambda at: accounts.create(at, people.world, "rig", "dora", kept))
        made = await host.ask(tm.OpenTournament, "cup", "dora", CUP)
        director = await person(running, "dora")
        at = Cup(running, people, hooks)

        async def do(client: Client, who: str, *picks: Any) -> None:
            seen = (await client.ask(m.Head, "cup")).head.hash
            answer = await client.ask(m.Submit, "cup", who, 0, seen, picks, os.urandom(8))
            assert type(answer) is m.Accepted, answer

        entered = await anna.ask(tm.EnterTournament, "cup", "Anna", 0, 1, b"", b"t" * 32)
        assert type(entered) is tm.Entered
        for name in ("Bea", "Cy", "Di"):
            await do(director, made.seat, "enter", name, "-", 0)
        (told,) = await at.told()
        assert (told["kind"], told["tournaments"], told["games"]) == ("check_in", ["cup"], [])
        assert "https://war.example/tournament/cup" in told["text"]
        assert await at.told() == []
        for number in range(1, 5):
            await do(director, made.seat, "check_in", number)
        await do(director, made.seat, "pair")
        assert await at.told() == []
        await do(director, made.seat, "publish")
        (both,) = await at.told()
        assert both["kind"] == "several" and both["tournaments"] == ["cup"]
        boards = (await director.ask(tm.Tournament, "cup")).told["rounds"][0]["boards"]
        mine = next(board for board in boards if 1 in board["entrants"])
        other = next(number for number in mine["entrants"] if number != 1)
        assert both["text"].count(("", "Anna", "Bea", "Cy", "Di")[other]) == 2
        await do(anna, "e:1", "bid", "axis", 0)
        assert await at.told() == []
        for board in boards:
            number = board["board"]
            winner = other if number == mine["board"] else board["entrants"][0]
            await do(director, made.seat, "result", 1, number, "win", winner, "played", 6, "slip")
        assert await at.told() == [], "who is out does not check in"


class Cup:
    """A tournament instead of a game."""

    def __init__(self, running: Server, people: People, hooks: Hooks) -> None:
        self.server, self.people, self.hooks = running, people, hooks

    async def told(self) -> list[Any]:
        """What was sent since this was last asked."""
        notifier = self.server.hub.notifier
        await notifier.look()
        later(self.people, 0.1)
        await notifier.look()
        await notifier.send()
        sent = [json.loads(body) for _, body in self.hooks.got]
        self.hooks.got.clear()
        return sent


async def test_an_opponents_request_is_told_once(tmp_path: Path, autojump_clock: Any) -> None:
    """While it is open; what Anna asks for herself, or has answered, is not."""
    async with table(tmp_path) as t:
        await t.wish(decision="off")
        asked = await t.both.ask_for(t.game, "b", "draw")
        assert await t.kinds() == ["ask"]
        assert await t.kinds() == []
        await t.both.consent(t.game, "a", asked.seq, False)
        await t.both.ask_for(t.game, "a", "draw")
        assert await t.kinds() == []


async def test_a_request_that_was_answered_in_time_is_not_told(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """It was found, and is gone before its patience is over."""
    async with table(tmp_path) as t:
        await t.wish(decision="off")
        asked = await t.both.ask_for(t.game, "b", "draw")
        await t.server.hub.notifier.look()
        await t.both.consent(t.game, "a", asked.seq, False)
        assert await t.kinds() == []


async def test_low_time_is_told_at_a_half_and_at_a_tenth(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Each once, and again only after the bank has recovered."""
    async with table(tmp_path) as t:
        await t.wish(decision="off", half="now")
        assert await t.kinds() == []
        later(t.people, 101)
        assert await t.kinds() == ["half"]
        later(t.people, 20)
        assert await t.kinds() == []
        later(t.people, 60)
        assert await t.kinds() == ["tenth"]
        assert await t.kinds() == []
        ann = await arbiter(t.server)
        claimed = await claim(t.both, t.game, "a", await t.move())
        assert type(claimed) is m.Accepted
        assert type(await rule(ann, t.game, "heard", 1)) is m.Accepted
        given = ("ruled", 1, "upheld", "9.2", "Yes.", (("time", "a", 190 * HOUR),))
        assert type(await rule(ann, t.game, *given)) is m.Accepted
        assert await t.kinds() == ["ruling"]
        later(t.people, 130)
        assert await t.kinds() == ["half"]


async def test_claims_rulings_and_the_end_are_told(tmp_path: Path, autojump_clock: Any) -> None:
    """A claim to the other seat alone, the rest to both; each once, the end also after a claim."""
    async with table(tmp_path) as t:
        await t.wish(decision="off")
        ann = await arbiter(t.server)
        assert type(await claim(t.both, t.game, "b", await t.move())) is m.Accepted
        assert await t.kinds() == ["claim"]
        assert type(await rule(ann, t.game, "heard", 1)) is m.Accepted
        ruled = ("ruled", 1, "rejected", "9.2", "No.", (("stand",),))
        assert type(await rule(ann, t.game, *ruled)) is m.Accepted
        assert await t.kinds() == ["ruling"]
        await t.both.act(t.game, "b", acts.ASK, ("resign", 0))
        assert await t.kinds() == ["over"]
        assert await t.kinds() == []


async def test_what_happens_while_one_looks_on_is_not_told(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """They have seen it, and are not told later either."""
    async with table(tmp_path) as t:
        await t.anna.ask(m.Subscribe, t.game, -1, "a")
        await t.both.act(t.game, "b", acts.ASK, ("resign", 0))
        assert await t.kinds() == []
        await t.anna.ask(m.Unsubscribe, t.game, "a")
        assert await t.kinds() == []


async def test_nobody_is_told_of_the_past(tmp_path: Path, autojump_clock: Any) -> None:
    """Who names a webhook two days after the end hears nothing of it."""
    async with table(tmp_path) as t:
        await t.anna.ask(am.ChangeAccount, "channel", None, "")
        await t.both.act(t.game, "b", acts.ASK, ("resign", 0))
        later(t.people, 48)
        await t.anna.ask(am.ChangeAccount, "channel", (URL, "json"), "")
        assert await t.kinds() == []


async def test_a_decision_that_a_takeback_opens_anew_is_not_told_again(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Its seat has not acted in between."""
    async with table(tmp_path, epoch_turns=100) as t:
        asked = t.server.hub.supervisor.games[t.game].profile.progress.asked
        assert dict(asked).keys() == {"a"}, "the test begins with Anna's decision"
        assert type(await t.both.submit(t.game, "a", "add", 1)) is m.Accepted
        back = t.server.hub.supervisor.games[t.game].profile.progress.seq
        assert type(await t.both.submit(t.game, "b", "add", 1)) is m.Accepted
        assert await t.kinds() == ["decision"]
        done = await t.both.ask_for(t.game, "b", "takeback", back)
        assert type(done) is m.Accepted
        assert type(await t.both.submit(t.game, "b", "add", 2)) is m.Accepted
        assert await t.kinds() == ["decision"]
        ask = await t.both.ask_for(t.game, "b", "draw")
        assert type(ask) is m.Accepted


async def test_a_kind_that_is_off_is_never_sent_and_a_daily_one_in_the_morning(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Together with the others of that morning, as one message."""
    async with table(tmp_path) as t:
        told = (await t.wish(decision="daily", ask="daily", over="off")).account["telling"]
        assert told["kinds"]["over"] == "off" and told["kinds"]["claim"] == "now"
        await t.both.ask_for(t.game, "b", "draw")
        assert await t.kinds() == []
        later(t.people, 24)
        assert await t.kinds() == ["several"]
        await t.both.act(t.game, "b", acts.ASK, ("resign", 0))
        assert await t.kinds() == []
        later(t.people, 24)
        assert await t.kinds() == []


@pytest.mark.parametrize(
    "value",
    [
        *(None, (), ({}, 0), ({}, 0, 1440), ({}, -1, 0), ({"decision": "often"}, 0, 0)),
        *(({"birthday": "now"}, 0, 0), ({"decision": 1}, 0, 0), ((), 0, 0), ({}, "0", "0")),
    ],
)
async def test_what_is_no_wish_is_refused(tmp_path: Path, autojump_clock: Any, value: Any) -> None:
    """And nothing changes."""
    async with desk(tmp_path) as (running, _people):
        anna = await person(running)
        before = (await anna.ask(am.Account)).account["telling"]
        answer = await anna.ask(am.ChangeAccount, "telling", value, "")
        assert answer.code == "bad_account"
        assert (await anna.ask(am.Account)).account["telling"] == before


async def test_a_new_device_is_told(tmp_path: Path, autojump_clock: Any) -> None:
    """With the name that it gave itself."""
    async with table(tmp_path) as t:
        await t.wish(decision="off")
        await sign_in(await t.server.client())
        await t.server.hub.notifier.send()
        ((_, body),) = t.hooks.got
        assert json.loads(body)["kind"] == "device" and "laptop" in json.loads(body)["text"]


async def test_every_kind_has_its_sentence(tmp_path: Path, autojump_clock: Any) -> None:
    """Those of tournaments too, which others write; in every language, without a hole left."""
    from warledger.engine.desk.noticetexts import sentence
    from warledger.protocol.texts.phrases import LANGUAGES

    for kind in notificationpreferences.KINDS:
        for what in ("takeback", "draw", "pause", "adjourn") if kind == "ask" else (None,):
            words = {"against": "Bert", "device": "phone", **({"what": what} if what else {})}
            notice = Notice(kind, "g", "a", 3, "war_at_sea", words)
            for language in LANGUAGES:
                text = sentence(language, notice, "https://x.example")
                assert "notice." not in text and "{" not in text, (language, kind, text)


async def test_a_restart_knows_who_is_asked_after_a_clocks_record(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """The newest records need not be those that say it: outages and claims may follow."""
    async with table(tmp_path) as t:
        assert type(await claim(t.both, t.game, "b", await t.move())) is m.Accepted
        supervisor = t.server.hub.supervisor
        known = supervisor.games[t.game].profile.progress
        frames = list(supervisor.store.read(t.game))
        again = profile.read(frames, supervisor.ambient.now_ms()).progress
        assert again == known
        assert again.awaits and again.claim is not None


async def test_a_file_of_the_first_servers_with_notices_is_brought_up_to_date(
    tmp_path: Path,
) -> None:
    """The webhook, quiet hours, the daily message, and what was sent are kept."""
    path = tmp_path / accounts.FILE
    old = Database(path, accounts.SCHEMA[:3])

    def fill(at: sqlite3.Connection) -> None:
        at.execute("INSERT INTO accounts VALUES ('i', 'Anna', 'anna', 'en', '', 1, '', '')")
        at.execute("INSERT INTO channels VALUES ('i', ?, 'json', 's', 1, 60, 120, '')", (URL,))
        at.execute(
            "INSERT INTO notices VALUES ('i', 'g', 'a', 7, 'counting', 'Bert', 5, 'k', 1, 1)"
        )

    old.run(fill)
    old.close()
    new = Database(path, accounts.SCHEMA, accounts.FUNCTIONS)
    told = new.look(lambda at: notificationpreferences.told_of(at, "i"))
    assert told["channel"] == {"url": URL, "form": "json", "secret": "s", "error": ""}
    assert told["telling"]["kinds"]["decision"] == "daily" and told["telling"]["quiet"] == (60, 120)
    assert new.look(outbox.waiting) == {("i", "decision", "g", "a", 7): True}
    new.close()
