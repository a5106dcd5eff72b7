"""What a tournament on a server must withstand: secrets that are planted and looked for in all the
bytes that anybody else gets, a game that can no longer be read in the middle of a round, a whole
hall that checks in at the same moment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
import trio
import trio.testing

from tests.gateway.rig import Web, web
from tests.serve.rig import Client, Server, server
from tests.serve.tournaments.test_tournaments import CHARTER, PUBLIC_KEY, TITLES, Table, table
from tests.verdicts import findings_of
from warledger.clients.audit.audit import installed as rulebook
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.engine.desk import papers
from warledger.engine.desk.tournament import WAITING_MAX
from warledger.engine.runtime import profile
from warledger.engine.serve.http import tournamentendpoints
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol import canon
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import tournamentmessages as tm

AMOUNT, PER_CENT = 3777, 97


class Unreadable(Exception):
    """A record that does not fold."""


class Tapped:
    """A stream, and every byte that came by it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.got = bytearray()

    async def receive_some(self, most: int) -> bytes:
        """What arrives; it is kept."""
        data = bytes(await self.stream.receive_some(most))
        self.got += data
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def tap(client: Client) -> Tapped:
    """Keep all that a client receives from here on."""
    made = Tapped(client.stream)
    client.stream = cast(trio.abc.Stream, made)
    return made


def bid_and_panel(at: Table) -> dict[str, Callable[[], Awaitable[Any]]]:
    """What is handed in under seal, by the needle that is planted with it."""
    return {
        "a bid": lambda: at.do(at.entrants[0], "e:1", "bid", "axis", AMOUNT),
        "a percentage": lambda: at.do(at.entrants[2], at.who("a:ida"), "judge", 1, PER_CENT),
    }


@pytest.mark.parametrize("secret", ["a bid", "a percentage"])
async def test_nothing_that_is_sealed_is_in_anybody_elses_bytes(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, secret: str
) -> None:
    """A bid and a panel's percentage that occur nowhere else: not in what the opponent, the
    director, the other judges or a spectator receive by their streams or ask for, nor in any page,
    list, calendar or file, until they are opened. Whoever handed it in and an arbiter's stream have
    it."""
    sides = 'by = "bid"\nbid = { minutes = 60, most = 4000 }'
    judged = '[unfinished]\nby = "panel"\n'
    async with web(tmp_path, titles=TITLES, tournaments=MemoryStore()) as w:
        at = Table(w.up)
        at.pause = partial(trio.sleep, 0.1)  # of the clock that jumps
        await at.open(CHARTER.replace('by = "balance"', sides) + judged)
        await at.enter(2)
        await at.direct("pair")
        await at.direct("publish")
        if secret == "a percentage":
            for client, number in zip(at.entrants[:2], (1, 2), strict=True):
                await at.do(client, f"e:{number}", "bid", "axis", number)
            await at.opened(1)
            await at.direct("panel", 1, "ida", "ike", "ina")
        judges = [await w.up.client() for _ in range(3)] if secret == "a percentage" else []
        for judge, name in zip(judges, ("ida", "ike", "ina"), strict=False):
            token = (await at.host.ask(tm.TournamentToken, "cup", at.who(f"a:{name}"))).token
            assert type(await judge.ask(m.Login, token, name)) is m.LoggedIn
        at.entrants += judges
        own = judges[0] if judges else at.entrants[0]
        others = [one for one in (at.director, *at.entrants) if one is not own]
        others.append(await w.up.client())
        taps = [tap(one) for one in others]
        mine, arbiter = tap(own), tap(at.host)
        needle = canon.pack(AMOUNT if secret == "a bid" else ("judge", 1, PER_CENT))
        words = b"3777" if secret == "a bid" else b'"judge",1,97'

        assert type(await own.ask(m.Subscribe, "cup", -1, _audience(at, secret))) is m.Subscribed
        assert type(await at.host.ask(m.Subscribe, "cup", -1, "arbiter")) is m.Subscribed
        for client, audience in zip(others, _audiences(at, secret), strict=True):
            answer = await client.ask(m.Subscribe, "cup", -1, audience)
            assert type(answer) is m.Subscribed, (audience, answer)
        done = await bid_and_panel(at)[secret]()
        assert type(done) is m.Accepted, done
        await own.until(("cup", _audience(at, secret)), done.seq)
        await at.host.until(("cup", "arbiter"), done.seq)
        for client, audience in zip(others, _audiences(at, secret), strict=True):
            await client.until(("cup", audience), done.seq)
            await _ask_for_everything(client)
        assert needle in mine.got and needle in arbiter.got
        for audience, one in zip(_audiences(at, secret), taps, strict=True):
            assert needle not in one.got and words not in one.got, audience
        for body in await _everything_by_http(w):
            assert needle not in body and words not in body.replace(b" ", b"")

        if secret == "a bid":
            await at.do(at.entrants[1], "e:2", "bid", "axis", 12)
            await at.opened(1)
        else:
            for judge, name in zip(judges[1:], ("ike", "ina"), strict=True):
                await at.do(judge, at.who(f"a:{name}"), "judge", 1, 50)
            await at.reported(1)
        ledger = await _file(others[-1])
        assert needle in ledger  # opened, it is there for all


def _audience(at: Table, secret: str) -> str:
    return "e:1" if secret == "a bid" else at.who("a:ida")


def _audiences(at: Table, secret: str) -> tuple[str, ...]:
    if secret == "a bid":
        return (at.who("d:dora"), "e:2", "public")
    return (at.who("d:dora"), "e:1", "e:2", at.who("a:ike"), at.who("a:ina"), "public")


async def _file(client: Client) -> bytes:
    made = await client.ask(tm.TournamentPaper, "cup", "tournament.wlog", 0, "en")
    assert type(made) is tm.PaperIs
    body: bytes = made.body
    return body


async def _ask_for_everything(client: Client) -> None:
    await client.ask(tm.Tournaments)
    await client.ask(tm.Tournament, "cup")
    await client.ask(m.View, "cup", "public", -1)
    for kind in (*papers.KINDS, *papers.REPORTS, "tournament.wlog"):
        await client.ask(tm.TournamentPaper, "cup", kind, 0, "en")


async def _everything_by_http(w: Web) -> list[bytes]:
    paths = ["", "/cup", "/cup/head", "/cup.wlog"]
    paths += [
        f"/cup/{kind}" for kind in (*papers.KINDS, *papers.REPORTS, *tournamentendpoints.SHORT)
    ]
    found = [(await w.get("/api/tournaments" + path)).body for path in paths]
    return [*found, (await w.get("/metrics")).body, (await w.get("/api/games")).body]


async def test_a_game_that_can_no_longer_be_read_holds_nothing_else_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a restart one game of a round does not read: the other board reports itself, the
    director gives the lost one a result with a reason, the next round is paired, and the ledger
    audits sound."""
    games, ledgers = MemoryStore(), MemoryStore()
    async with table(games, ledgers) as at:
        await at.open()
        await at.enter(4)
        await at.direct("pair")
        await at.direct("publish")
        ill, well = await at.opened(1)
        tokens, token = at.tokens, at.token
    right = profile.read

    def read(frames: Any, now_ms: int, *further: Any) -> Any:
        found = right(frames, now_ms, *further)
        if found.game == ill["game"]:
            raise Unreadable
        return found

    monkeypatch.setattr(profile, "read", read)
    async with server(games, titles=TITLES, tournaments=ledgers, seed=2) as served:
        again = await _back(served, tokens, token)
        answer = await again.director.ask(m.Head, ill["game"])
        assert (type(answer), answer.code) == (m.Error, "quarantined")
        await again.resign(1, well, well["entrants"][0])
        while not (await again.told())["rounds"][0]["boards"][1]["results"]:
            await again.pause()
        assert (await again.told())["rounds"][0]["boards"][0]["results"] is None
        await again.direct("result", 1, 1, "draw", "adjudicated", "its file was lost")
        await again.direct("pair")
        await again.direct("publish")
        assert all(board["game"] for board in await again.opened(2))
        ledger = await _file(again.director)
    report = audit_tournament(ledger, key=PUBLIC_KEY, rulebook=rulebook())
    assert findings_of(report) == (), findings_of(report)


async def _back(served: Server, tokens: list[str], token: str) -> Table:
    """The people of a tournament on a server that has started again."""
    at = Table(served)
    at.tokens, at.token = tokens, token
    at.director = await served.client(token)
    at.entrants = [await served.client(one) for one in tokens]
    return at


async def test_a_whole_hall_checks_in_at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand check-ins that are sent before the first is answered are all taken, each once, in
    a few appends to the store; the round is paired with everybody."""
    store = MemoryStore()
    charter = CHARTER.replace('"round_robin"', '"record"\nrounds = 1')
    async with table(tournaments=store) as at:
        await at.open(charter + "[absence]\ncheck_in_minutes = 15\n")
        hosting = at.served.hub.hosting
        assert hosting is not None
        cup = hosting.all["cup"].tournament
        count = 1_000
        async with trio.open_nursery() as nursery:
            for number in range(1, count + 1):
                nursery.start_soon(cup.submit, at.who("d:dora"), ("enter", f"P{number}", "-", 0))
        assert len(cup.at.entrants) == count <= WAITING_MAX
        appends = 0
        right = store.append

        async def append(*args: Any) -> None:
            nonlocal appends
            appends += 1
            await right(*args)

        monkeypatch.setattr(store, "append", append)
        answers: list[Any] = []

        async def check_in(number: int) -> None:
            answers.append(await at.do(at.director, at.who("d:dora"), "check_in", number))

        before = cup.at.seq
        async with trio.open_nursery() as nursery:
            for number in range(1, count + 1):
                nursery.start_soon(cup.submit, f"e:{number}", ("check_in", number))
        assert cup.at.seq == before + count and appends < count / 10, appends
        assert all(1 in person.checked for person in cup.at.entrants.values())
        await check_in(1)
        assert type(answers[0]) is m.Refused  # the same act again changes nothing
        await at.direct("pair")
        await at.direct("publish")
        assert len(cup.at.rounds[0].boards) == count // 2


async def test_who_judges_without_a_role_acts_and_sees_no_more_than_entrants() -> None:
    """A member of a panel gets a token from the director, one of the committee from the host alone.
    Without a role they act as that, and follow as entrants do: a pairing that is not published is
    not for them. Once the panel is over they are nobody; a director whose role has ended sees what
    spectators see."""
    judged = '[unfinished]\nby = "panel"\npanel = 1\n[appeals]\ncommittee = ["kai"]\n'
    async with table() as at:
        await at.open(CHARTER + judged)
        await at.enter(4)
        kais = at.who("a:kai")
        denied = await at.director.ask(tm.TournamentToken, "cup", kais)
        assert (type(denied), denied.code) == (m.Error, "not_allowed")
        given = await at.host.ask(tm.TournamentToken, "cup", kais)
        kai = await at.served.client(given.token)
        assert (
            await at.host.ask(tm.TournamentToken, "cup", at.who("a:ida"))
        ).code == "no_such_seat"
        await at.direct("pair")
        await at.direct("publish")
        await at.opened(1)
        await at.direct("panel", 1, "ida")
        judge, director = at.who("a:ida"), at.who("d:dora")
        ida = await at.served.client(await _token(at, judge))
        assert type(await ida.ask(m.Subscribe, "cup", -1, judge)) is m.Subscribed
        offered = (await ida.ask(m.Choices, "cup", judge, ())).choices.options
        assert [option.id for option in offered] == ["judge"]
        assert type(await at.do(ida, judge, "judge", 1, 70)) is m.Accepted
        assert (await at.do(ida, judge, "result", 1, 2, "both", "-")).refusal is not None
        while not (await at.told())["rounds"][0]["boards"][0]["results"]:
            await at.pause()
        await at.direct("result", 1, 2, "draw", "played", "-")

        await at.direct("pair")
        for client in (ida, kai, at.entrants[0]):
            told = await at.told(client)
            assert told["drafted"] is None and len(told["rounds"]) == 1
        assert (await at.told())["drafted"] is not None
        assert type(await kai.ask(m.Choices, "cup", at.who("a:kai"), ())) is not m.Error
        assert (await ida.ask(m.Choices, "cup", judge, ())).code == "not_allowed"
        stream = ida.records["cup", judge]
        assert stream[-1][0] < (await at.director.ask(m.Head, "cup")).head.seq

        assert type(await at.director.ask(m.Subscribe, "cup", -1, director)) is m.Subscribed
        await at.do(at.host, "server", "end_grant", "director", "dora")
        assert (await at.told())["drafted"] is None
        shown = len(at.director.records["cup", director])
        other = await at.do(at.host, "server", "grant", "director", "dirk")
        assert type(other) is m.Accepted
        assert len(at.director.records["cup", director]) == shown


async def _token(at: Table, who: str) -> str:
    made = await at.director.ask(tm.TournamentToken, "cup", who)
    assert type(made) is m.Token, made
    return str(made.token)
