"""Tournaments on the server: opened, entered, directed and followed over messages, played in the
server's own games, and found again after a stop."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import trio
import trio.testing
from attrs import evolve as replace

from tests.gateway.rig import web
from tests.serve.people.test_accounts import device_of
from tests.serve.rig import HOST_TOKEN, SERVER_KEY, Client, Server, key_of, nonce_of, server, take
from tests.verdicts import findings_of
from warledger.clients.audit.audit import installed as rulebook
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.commands.tournament.lines import who_of
from warledger.engine.desk import papers
from warledger.engine.desk.director import Ended, Match
from warledger.engine.desk.hosted import Hosted
from warledger.engine.runtime import titles as title_list
from warledger.engine.serve.http import tournamentendpoints
from warledger.engine.testing.memory import MemoryStore
from warledger.engine.tournaments import rated, ratingslog
from warledger.protocol.chance import dice
from warledger.protocol.log import records
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import tournamentmessages as tm
from warledger.protocol.wire.jsonform import to_json

TITLES = {"war_at_sea": title_list.installed()["war_at_sea"]}
PUBLIC_KEY = SERVER_KEY.verify_key.encode()
CHARTER = """
name = "Harbour Cup"
title = "war_at_sea"
[[stage]]
system = "round_robin"
tiebreaks = ["direct", "lots"]
[sides]
by = "balance"
"""


class Table:
    """A server with a tournament in it, its host, its director, and its entrants."""

    def __init__(self, served: Server) -> None:
        self.served = served
        self.host: Client
        self.director: Client
        self.entrants: list[Client] = []
        self.tokens: list[str] = []
        self.token = ""
        self.showing = True
        self.pause: Any = trio.lowlevel.checkpoint

    async def open(self, charter: str = CHARTER, id: str = "cup") -> None:
        """Announce it."""
        self.host = await self.served.client(HOST_TOKEN)
        device = await device_of(self.served.hub.people, "dora")
        made = await self.host.ask(tm.OpenTournament, id, "dora", charter)
        assert type(made) is tm.TournamentOpened and bool(made.token) != bool(device), made
        self.token = made.token or device
        self.director = await self.served.client(self.token)

    async def enter(self, count: int) -> None:
        """So many entrants, each with a token of their own and a nonce."""
        for _ in range(count):
            number = len(self.entrants) + 1
            client = await self.served.client()
            token = f"cup:{number:043d}"
            genesis = (await client.ask(m.HeadOf, "cup", 0)).head.hash
            hashed = dice.bound_nonce_hash(genesis, f"e:{number}", nonce(number))
            digest = hashlib.sha256(token.encode()).digest()
            fields = ("cup", f"P{number}", 2000 - number, number, hashed, digest)
            answer = await client.ask(tm.EnterTournament, *fields)
            assert type(answer) is tm.Entered and answer.number == number, answer
            assert type(await client.ask(m.Login, token, f"P{number}")) is m.LoggedIn
            self.entrants.append(client)
            self.tokens.append(token)

    async def do(self, client: Client, who: str, *picks: Any) -> Any:
        """An act by somebody who has seen everything."""
        seen = (await client.ask(m.Head, "cup")).head.hash
        return await client.ask(m.Submit, "cup", who, 0, seen, picks, os.urandom(8))

    async def direct(self, *picks: Any) -> Any:
        """An act of the director, which must be accepted."""
        answer = await self.do(self.director, self.who("d:dora"), *picks)
        assert type(answer) is m.Accepted, answer
        lots = (await self.told())["lots"]
        if lots is None or not self.showing:
            return answer
        for number in lots["missing"]:
            shown = await self.host.ask(tm.ShowNonce, "cup", number, nonce(number))
            assert type(shown) is m.Accepted, shown
        cup = (await self.served.hub.hosting.find("cup")).tournament  # type: ignore[union-attr]
        while cup.at.asked:
            await self.pause()
        return m.Accepted(answer.request, "cup", cup.ledger.last.seq, cup.head, False)

    def who(self, typed: str) -> str:
        """As whom a director or an arbiter acts who is called so."""
        at = self.served.hub.hosting.all["cup"].at  # type: ignore[union-attr]
        return who_of({"officials": papers.official_rows(at)}, typed)

    async def told(self, client: Client | None = None) -> dict[str, Any]:
        """The tournament as somebody sees it."""
        answer = await (client or self.director).ask(tm.Tournament, "cup")
        assert type(answer) is tm.TournamentIs, answer
        told: dict[str, Any] = answer.told
        return told

    async def opened(self, round: int) -> list[dict[str, Any]]:
        """The boards of a round once each has its game."""
        while True:
            boards = list((await self.told())["rounds"][round - 1]["boards"])
            if all(board["game"] or board["results"] for board in boards):
                return boards
            await self.pause()

    async def resign(self, round: int, board: dict[str, Any], loser: int) -> None:
        """Both sit down at a board, and this entrant resigns."""
        game, seats = board["game"], (await self.told())["rounds"][round - 1]["seats"]
        held: dict[str, tuple[Client, str]] = {}
        for number, seat in zip(board["entrants"], seats, strict=True):
            client = self.entrants[number - 1]
            fields = ("cup", f"e:{number}", round, board["board"])
            given = await client.ask(tm.TournamentSeat, *fields)
            assert type(given) is m.Token and given.game == game and given.seat == seat
            login = await client.ask(m.Login, given.token, f"P{number}")
            assert type(login) is m.LoggedIn
            assert type(await take(client, game, seat, f"P{number}")) is m.Accepted
            held[seat] = (client, f"P{number}")
        genesis = (await self.director.ask(m.HeadOf, game, 0)).head.hash
        entries = [
            (
                seat,
                client.account,
                name,
                key_of(game, seat).verify_key.encode(),
                dice.bound_nonce_hash(genesis, seat, nonce_of(seat)),
            )
            for seat, (client, name) in held.items()
        ]
        roster = acts.roster_hash(genesis, entries)
        for seat, (client, _) in held.items():
            shown = await client.act(game, seat, acts.NONCE, (nonce_of(seat), roster))
            assert type(shown) is m.Accepted, shown
        where = seats[board["entrants"].index(loser)]
        answer = await held[where][0].ask_for(game, where, "resign")
        assert type(answer) is m.Accepted, answer

    async def reported(self, round: int) -> list[dict[str, Any]]:
        """The boards of a round once each has its result."""
        while True:
            boards = list((await self.told())["rounds"][round - 1]["boards"])
            if all(board["results"] for board in boards):
                return boards
            await self.pause()


def nonce(number: int) -> bytes:
    """The nonce of an entrant."""
    return hashlib.sha256(f"nonce {number}".encode()).digest()


@asynccontextmanager
async def table(store: Any = None, tournaments: Any = None, **more: Any) -> AsyncIterator[Table]:
    """A server that hosts tournaments."""
    kept = tournaments or MemoryStore()
    async with server(store, titles=TITLES, tournaments=kept, **more) as served:
        yield Table(served)


async def test_a_seat_is_taken_under_the_name_of_its_entrant_alone() -> None:
    """Whoever has the token sits down as the entrant whose seat it is: another name is refused, and
    theirs is taken; the game's terms name both by number."""
    async with table() as at:
        await at.open()
        await at.enter(2)
        await at.direct("pair")
        await at.direct("publish")
        (board,) = await at.opened(1)
        number = board["entrants"][0]
        client = at.entrants[number - 1]
        given = await client.ask(tm.TournamentSeat, "cup", f"e:{number}", 1, 1)
        await client.ask(m.Login, given.token, f"P{number}")
        refused = await take(client, board["game"], given.seat, "Somebody Strong")
        assert type(refused) is m.Error and refused.say.key == "error.not_the_entrant"
        assert type(await take(client, board["game"], given.seat, f"P{number}")) is m.Accepted
        game = await at.served.hub.supervisor.game(board["game"])
        assert tuple(game.profile.genesis.entrants.values()) == tuple(board["entrants"])


async def test_a_refused_entry_leaves_no_token_for_whoever_enters_next() -> None:
    """A stranger whose entry is refused (a nonce that is none, a number that another took at the
    same moment) acts for nobody, before and after somebody else has that number."""
    async with table() as at:
        await at.open()
        stranger = await at.served.client()
        token = "cup:" + "x" * 43
        digest = hashlib.sha256(token.encode()).digest()
        entry = ("cup", "Mal", 0, 1, b"x", digest)
        assert type(await stranger.ask(tm.EnterTournament, *entry)) is m.Refused
        assert type(await stranger.ask(m.Login, token, "")) is m.Error
        await at.direct("enter", "Bob", "-", 0)
        assert type(await stranger.ask(m.Login, token, "")) is m.Error
        again = await stranger.ask(tm.EnterTournament, "cup", "Mal", 0, 2, b"", digest)
        assert type(again) is tm.Entered and again.number == 2
        assert type(await stranger.ask(tm.EnterTournament, *entry)) is tm.Entered
        denied = await stranger.ask(m.Choices, "cup", "e:1", ())
        assert (type(denied), denied.code) == (m.Error, "not_allowed")


async def test_a_tournament_is_opened_entered_and_directed_over_messages() -> None:
    """A host announces a tournament; people enter it; choices, submit, subscribe and head work on
    it as on a game; a published round makes games that name it; results report themselves."""
    async with table() as at:
        await at.open()
        await at.enter(3)
        follower = await at.served.client()
        assert type(await follower.ask(m.Subscribe, "cup", -1, "public")) is m.Subscribed
        rows = await follower.until(("cup", "public"), 4)
        items = tuple(row[1:] for row in rows)
        copied = json.loads(to_json(m.Records("cup", "public", 0, items)))["items"]
        kinds = [item["record"]["kind"] for item in copied]
        assert kinds[0] == "charter" and kinds.count("act") == 4, "in JSON records are decoded"
        offered = await at.director.ask(m.Choices, "cup", at.who("d:dora"), ())
        assert "pair" in [option.id for option in offered.choices.options]
        await at.direct("pair")
        assert (await at.told())["drafted"]["round"] == 1
        assert (await at.told(follower))["rounds"] == ()
        await at.direct("publish")
        boards = await at.opened(1)
        assert [board["game"] for board in boards] == ["cup-r1-b1"]
        game = await at.served.hub.supervisor.game("cup-r1-b1")
        closed = await at.host.ask(m.CloseGame, "cup-r1-b1")
        assert closed.refusal.key == "refusal.board_of_tournament"
        names = game.profile.genesis.terms[records.TOURNAMENT]
        at.served.hub.url = "https://war.example"
        slips = (await follower.ask(tm.TournamentPaper, "cup", "slips.html", 0, "en")).body.decode()
        for number in boards[0]["entrants"]:
            place = f"https://war.example/tournament/cup#as=e:{number}&amp;play=1.1"
            assert slips.count(place) == 1 and slips.count("<svg") == 2
        assert names[1] == "cup" and names[3:5] == (1, 1)
        await at.resign(1, boards[0], boards[0]["entrants"][1])
        (done,) = await at.reported(1)
        assert done["results"] == ("win", "loss")
        told = await at.told(follower)
        points = {row["number"]: row["points"] for row in told["standings"]}
        assert [points[number] for number in done["entrants"]] == [2, 0]
        says = (await follower.ask(m.Preview, "cup", "", ("explain", done["entrants"][0]))).says
        assert says[0].key == "tournament.why.place"
        assert m.Preview.tag in at.served.hub.meter._lately, "nobody is charged for it"
        for round in (2, 3):
            await at.direct("pair")
            await at.direct("publish")
            (board,) = await at.opened(round)
            await at.resign(round, board, board["entrants"][0])
            await at.reported(round)
        await at.direct("finish")
        last = (await follower.ask(m.Head, "cup")).head
        got = await follower.until(("cup", "public"), last.seq)
        assert [seq for seq, _, _ in got] == list(range(last.seq + 1))
        listed = (await follower.ask(tm.Tournaments)).tournaments
        assert [(row["id"], row["state"]) for row in listed] == [("cup", "finished")]


async def test_games_are_behind_by_turns_where_the_charter_says_so() -> None:
    """A board's game is as many turns behind for spectators as the charter says, and its row says
    so; its result is known as soon as it is over."""
    late = CHARTER + "[spectators]\ndelay_turns = 2\n"
    async with table() as at:
        await at.open(late)
        await at.enter(2)
        await at.direct("pair")
        await at.direct("publish")
        (board,) = await at.opened(1)
        looker = await at.served.client()
        [row] = (await looker.ask(m.Games, "", "", 10)).games
        assert (row["game"], row["delay_turns"], row["delay_s"]) == (board["game"], 2, 0)
        await at.resign(1, board, board["entrants"][0])
        await at.reported(1)
        [row] = (await looker.ask(m.Games, "", "", 10)).games
        assert row["stage"] == "ended"


async def test_who_may_do_what() -> None:
    """Whoever shows no token for it acts as nobody; an entrant acts for themself alone; a director
    who has not seen the newest pairing is told to look; the same act twice is one; a new token ends
    the old one; a host gives roles and directs nothing."""
    async with table() as at:
        await at.open()
        await at.enter(4)
        stranger, one = await at.served.client(), at.entrants[0]
        for client, who in (
            (stranger, at.who("d:dora")),
            (one, "e:2"),
            (one, at.who("d:dora")),
            (one, "server"),
        ):
            answer = await at.do(client, who, "withdraw", 2)
            assert (type(answer), answer.code) == (m.Error, "not_allowed"), who
        answer = await at.do(one, "e:1", "enter", "Again", "-", 0)
        assert answer.code == "not_allowed"
        assert (await at.do(one, "e:1", "withdraw", 2)).refusal.key == "refusal.tournament.pick"
        assert type(await stranger.ask(m.Subscribe, "cup", -1, "e:1")) is m.Error
        assert type(await stranger.ask(m.Subscribe, "cup", -1, "arbiter")) is m.Error

        second = await at.served.client(at.token)
        seen = (await second.ask(m.Head, "cup")).head.hash
        await at.direct("pair")
        late = await second.ask(
            m.Submit, "cup", at.who("d:dora"), 0, seen, ("unpair", "no"), b"late"
        )
        assert late.refusal.key == "refusal.tournament.stale"
        seen = (await second.ask(m.Head, "cup")).head.hash
        fields = ("cup", at.who("d:dora"), 0, seen, ("publish",), b"once")
        first, again = await second.ask(m.Submit, *fields), await second.ask(m.Submit, *fields)
        assert (first.again, again.again, first.seq) == (False, True, again.seq)

        assert (await one.ask(tm.TournamentToken, "cup", "e:2")).code == "not_allowed"
        assert (
            await at.director.ask(tm.TournamentToken, "cup", at.who("d:dora"))
        ).code == "not_allowed"
        given = await at.director.ask(tm.TournamentToken, "cup", "e:1")
        fresh = await at.served.client(given.token)
        assert (await at.do(one, "e:1", "withdraw", 1)).code == "not_allowed"
        assert type(await at.do(fresh, "e:1", "withdraw", 1)) is m.Accepted

        offered = (await at.host.ask(m.Choices, "cup", "server", ())).choices.options
        assert sorted(option.id for option in offered) == ["end_grant", "grant"]
        assert (await at.do(at.host, "server", "publish")).code == "not_allowed"
        answer = await at.do(at.host, "server", "end_grant", "director", "dora")
        assert type(answer) is m.Accepted
        assert (await at.do(at.director, at.who("d:dora"), "announce", "x")).code == "not_allowed"


async def test_officials_rule_on_games_at_which_they_do_not_play() -> None:
    """A director of the tournament sees a game of it as an arbiter does; who plays at the board, or
    directs nothing, does not; and no game elsewhere."""
    async with table() as at:
        await at.open()
        await at.enter(4)
        await at.direct("pair")
        await at.direct("publish")
        board = (await at.opened(1))[0]
        game = board["game"]
        number = board["entrants"][0]
        assert type(await at.director.ask(m.Subscribe, game, -1, "arbiter")) is m.Subscribed
        assert type(await at.entrants[number - 1].ask(m.Subscribe, game, -1, "arbiter")) is m.Error
        both = await at.served.client(at.token)
        assert type(await both.ask(m.Login, at.tokens[number - 1], "")) is m.LoggedIn
        assert type(await both.ask(m.Subscribe, game, -1, "arbiter")) is m.Error
        own = await at.host.ask(m.CreateGame, "war_at_sea", {}, 0)
        assert type(await at.director.ask(m.Subscribe, own.game, -1, "arbiter")) is m.Error


PLANTED = "planted-7731"


async def test_with_a_delay_no_exit_tells_a_result_early(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """A result, with a word planted in its reason, changes nothing that a spectator gets before the
    delay is over: messages, stream, lists, JSON, CSV, reports, calendar, ratings, metrics, the
    ledger. Pairings are there."""
    charter = CHARTER + "[spectators]\ndelay_s = 300\n"
    async with web(tmp_path, titles=TITLES, tournaments=MemoryStore()) as w:
        at = Table(w.up)
        at.pause = partial(trio.sleep, 0.1)  # of the clock that jumps
        await at.open(charter)
        await at.enter(2)
        await at.direct("pair")
        await at.direct("publish")
        board = (await at.opened(1))[0]
        looker = await w.up.client()
        assert type(await looker.ask(m.Subscribe, "cup", -1, "public")) is m.Subscribed
        assert (await at.told(looker))["rounds"][0]["boards"][0]["entrants"] == board["entrants"]
        winner = board["entrants"][1]

        async def seen() -> list[bytes]:
            asked: list[tuple[Any, ...]] = [(tm.Tournaments,), (tm.Tournament, "cup")]
            asked.append((m.Preview, "cup", "", ("explain", winner)))
            answers = [await looker.ask(*one) for one in asked]
            found = [m.encode(replace(one, request=1)) for one in answers]
            for kind in (*papers.KINDS, *papers.REPORTS, "tournament.wlog"):
                made = await looker.ask(tm.TournamentPaper, "cup", kind, 0, "en")
                found.append(made.body if type(made) is tm.PaperIs else b"")
            paths = ("", "/cup", "/cup/head", f"/cup/explain/{winner}", "/cup.wlog")
            found += [(await w.get("/api/tournaments" + path)).body for path in paths]
            for kind in (*papers.KINDS, *papers.REPORTS, *tournamentendpoints.SHORT):
                if kind != "slips.html":
                    answer = await w.get(f"/api/tournaments/cup/{kind}")
                    assert answer.status == 200, kind
                    found.append(answer.body)
            head = (await looker.ask(m.Head, "cup")).head
            assert type(await looker.ask(m.HeadOf, "cup", head.seq + 1)) is m.Error
            stream = looker.records["cup", "public"]
            assert stream[-1][0] == head.seq
            found.extend(data for _, data, _ in stream)
            for path in ("games", "luck", "ratings", "ratings/war_at_sea:untimed"):
                found.append((await w.get(f"/api/{path}")).body)
            figures = (await w.get("/metrics")).body.splitlines()
            # What this test itself asks is counted there.
            found += [line for line in figures if not re.match(rb".*(_lag_|_http_requests_)", line)]
            return found

        before = await seen()
        await at.direct("result", 1, 1, "win", winner, "played", 6, PLANTED)
        assert (await at.told())["rounds"][0]["boards"][0]["results"] == ("loss", "win")
        early = await seen()
        assert early == before
        told = json.loads((await w.get("/api/tournaments/cup")).body)
        assert not any(PLANTED.encode() in one for one in early)
        assert told["rounds"][0]["boards"][0]["results"] is None
        assert {row["points"] for row in told["standings"]} == {0}
        await trio.sleep(301)
        later = await seen()
        assert any(PLANTED.encode() in one for one in later)
        changed = [n for n, (a, b) in enumerate(zip(early, later, strict=False)) if a != b]
        assert len(changed) > 10
        tag = (await w.get("/api/tournaments/cup")).headers["etag"]
        same = await w.get("/api/tournaments/cup", headers={"If-None-Match": tag})
        assert same.status == 304


async def test_after_a_restart_what_was_left_is_made_up_for() -> None:
    """Stopped with a round published and no game made, and again with a game over and not reported:
    the next server makes each game once and takes each report once, and all of it audits sound."""
    games, ledgers = MemoryStore(), MemoryStore()
    async with table(games, ledgers) as at:
        await at.open()
        await at.enter(4)
        hosted = at.served.hub.hosting
        assert hosted is not None
        for one in hosted.all.values():
            one.director.hall = Nowhere()
        await at.direct("pair")
        await at.direct("publish")
        tokens, token, clients = at.tokens, at.token, len(at.entrants)
    for again in range(2):
        async with table(games, ledgers) as at:
            at.tokens, at.token = tokens, token
            at.director = await at.served.client(token)
            at.entrants = [await at.served.client(one) for one in tokens]
            assert len(at.entrants) == clients
            boards = await at.opened(1)
            assert [board["game"] for board in boards] == ["cup-r1-b1", "cup-r1-b2"]
            assert at.served.hub.hosting is not None
            hosted = at.served.hub.hosting.all["cup"]
            if not again:
                hosted.director.hall = Nowhere()
                for board in boards:
                    await at.resign(1, board, board["entrants"][1])
                assert all(
                    board["results"] is None for board in (await at.told())["rounds"][0]["boards"]
                )
                continue
            done = await at.reported(1)
            assert [board["results"] for board in done] == [("win", "loss")] * 2
            ledger = await hosted.tournament.export()
    report = audit_tournament(ledger, key=PUBLIC_KEY, rulebook=rulebook())
    assert findings_of(report) == (), findings_of(report)
    assert games.games() == ["cup-r1-b1", "cup-r1-b2"]


class Nowhere:
    """A hall that is never reached: the server is killed before."""

    async def opened(self, match: Match) -> bytes | None:
        """No game is made."""
        return None

    async def ended(self, game: str) -> Ended | None:
        """No end is known."""
        return None


async def test_a_bid_is_in_nobody_elses_stream() -> None:
    """Until both bids are opened, only their own bidder and an arbiter's file have them: no other
    entrant, no director, no spectator gets an opening."""
    async with table() as at:
        await at.open(CHARTER.replace('by = "balance"', 'by = "bid"\nbid = { minutes = 60 }'))
        await at.enter(2)
        await at.direct("pair")
        await at.direct("publish")
        followers = {
            "e:1": at.entrants[0],
            "e:2": at.entrants[1],
            at.who("d:dora"): at.director,
            "public": await at.served.client(),
            "arbiter": at.host,
        }
        for audience, client in followers.items():
            assert type(await client.ask(m.Subscribe, "cup", -1, audience)) is m.Subscribed
        made = await at.do(at.entrants[0], "e:1", "bid", "allied", 3)
        assert type(made) is m.Accepted, made
        openings = {}
        for audience, client in followers.items():
            _, record, opening = (await client.until(("cup", audience), made.seq))[made.seq]
            openings[audience] = opening
            assert b"allied" not in record
        assert {audience for audience, opening in openings.items() if opening} == {
            "e:1",
            "arbiter",
        }
        assert (await at.told())["rounds"][0]["boards"][0]["bids"] == 1
        assert type(await at.do(at.entrants[1], "e:2", "bid", "allied", 1)) is m.Accepted
        (board,) = await at.opened(1)
        assert board["seated"] and board["handicap"][1] == 3


async def test_a_pairing_is_shown_to_officials_alone_before_it_is_published() -> None:
    """From `pair` to `publish`, also over a restart, the director's stream, file and head have the
    pairing; an entrant's, a spectator's and HTTP's have not, nor what follows it; then all have
    all of it."""
    games, ledgers = MemoryStore(), MemoryStore()
    async with table(games, ledgers) as at:
        await at.open()
        await at.enter(2)
        drafted = await at.direct("pair")
        tokens, token = at.tokens, at.token
    async with table(games, ledgers) as at:
        at.director, looker = await at.served.client(token), await at.served.client()
        at.entrants = [await at.served.client(one) for one in tokens]
        await at.direct("announce", PLANTED)

        async def seen(client: Client, audience: str) -> tuple[int, bytes]:
            head = (await client.ask(m.Head, "cup")).head.seq
            file = await client.ask(tm.TournamentPaper, "cup", "tournament.wlog", 0, "en")
            told = await client.ask(tm.Tournament, "cup")
            assert told.seq == told.told["head"] == head
            if ("cup", audience) not in client.records:
                assert type(await client.ask(m.Subscribe, "cup", -1, audience)) is m.Subscribed
            beyond = await client.ask(m.HeadOf, "cup", head + 1)
            assert type(beyond) is m.Error
            rows = await client.until(("cup", audience), head)
            assert rows[-1][0] == head
            return head, file.body

        last, whole = await seen(at.director, at.who("d:dora"))
        assert last > drafted.seq and PLANTED.encode() in whole
        for client, audience in ((at.entrants[0], "e:1"), (looker, "public")):
            head, file = await seen(client, audience)
            assert head < drafted.seq and PLANTED.encode() not in file
        published = (await at.direct("publish")).seq
        for client, audience in ((at.entrants[0], "e:1"), (looker, "public")):
            rows = await client.until(("cup", audience), published)
            assert [row[0] for row in rows] == list(range(rows[-1][0] + 1))
            assert PLANTED.encode() in (await seen(client, audience))[1]


async def test_what_follows_a_pairing_that_is_not_published_is_in_no_value_of_it() -> None:
    """Until it is published entrants and spectators have the tournament's values as they were, with
    the number of the newest record that they may have; a pairing that is withdrawn shows then, and
    one that stands once it is published."""
    async with table() as at:
        await at.open()
        await at.enter(3)
        await at.direct("number", "rating")
        for withdrawn in (False, True):
            looker = await at.served.client()
            before = [await at.told(one) for one in (at.entrants[0], looker)]
            await at.direct("pair")
            await at.direct("announce", PLANTED)
            for client, known in zip((at.entrants[0], looker), before, strict=True):
                assert await at.told(client) == known
            if not withdrawn:
                await at.direct("unpair", "one more is coming")
        await at.direct("publish")
        assert [(await at.told(one))["round"] for one in (at.entrants[0], looker)] == [1, 1]


async def test_a_board_is_not_there_for_strangers_before_its_round_is_shown(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """With a delay a knock-out's next board tells who has won. Until the round is shown, lists,
    addresses and messages know no such game, whoever asks for it by name; entrants and the director
    have it."""
    charter = CHARTER.replace("round_robin", "knockout") + "[spectators]\ndelay_s = 300\n"
    async with web(tmp_path, titles=TITLES, tournaments=MemoryStore()) as w:
        at = Table(w.up)
        at.pause = partial(trio.sleep, 0.1)  # of the clock that jumps
        await at.open(charter)
        await at.enter(4)
        await at.direct("pair")
        await at.direct("publish")
        for board in await at.opened(1):
            number, winner = board["board"], board["entrants"][0]
            await at.direct("result", 1, number, "win", winner, "played", 6, "slip")
        await at.direct("pair")
        await at.direct("publish")
        (final,) = await at.opened(2)
        game = final["game"]
        looker = await w.up.client()
        paths = ("", "/head", "/board", "/records", ".wlog")

        async def found(client: Client) -> list[bool]:
            listed = await client.ask(m.Games, "", "", 100)
            answers = [
                await client.ask(m.Head, game),
                await client.ask(m.HeadOf, game, 0),
                await client.ask(m.Board, game),
                await client.ask(m.View, game, "public", -1),
                await client.ask(m.Subscribe, game, -1, "public"),
            ]
            known = [type(answer) is not m.Error for answer in answers]
            return [any(row["game"] == game for row in listed.games), *known]

        async def fetched() -> list[bool]:
            there = [(await w.get(f"/api/games/{game}{path}")).status == 200 for path in paths]
            return [game.encode() in (await w.get("/api/games")).body, *there]

        assert not any(await found(looker)) and not any(await fetched())
        for client in (at.director, at.entrants[0], at.host):
            assert all(await found(client))
        await trio.sleep(302)
        assert all(await found(looker)) and all(await fetched())
        (row,) = [
            row for row in (await looker.ask(m.Games, "", "", 100)).games if row["game"] == game
        ]
        assert tuple(row["round"]) == ("cup", 2)


def is_rated(file: Path) -> bool:
    """Whether a log has a period."""
    return file.exists() and file.read_bytes().count(b"\n") > 1


async def rated_by_now(served: Server, file: Path) -> None:
    """What is being rated is done: it is audited and written off the loop."""
    assert served.hub.hosting is not None
    hosted = await served.hub.hosting.find("cup")
    assert isinstance(hosted, Hosted)
    await hosted.rated.wait()
    assert is_rated(file), served.log.getvalue()[-2000:]


async def test_a_tournament_is_rated_once_everybody_has_seen_its_end(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """Its games between entrants with accounts become a period of the title's log, which anybody
    computes again from the file; not before the delay is over, not a second time after a restart,
    and again, to the byte, after a crash has cut the line."""
    games, ledgers = MemoryStore(), MemoryStore()
    charter = CHARTER + "[spectators]\ndelay_s = 300\n"
    file = tmp_path / "ratings" / "war_at_sea.ratings"
    async with web(tmp_path, store=games, data=tmp_path, titles=TITLES, tournaments=ledgers) as w:
        at = Table(w.up)
        at.pause = partial(trio.sleep, 0.1)  # of the clock that jumps
        await at.open(charter)
        for number, account in enumerate(("ann", "bob"), 1):
            await at.direct("enter", f"P{number}", account, 0)
            given = await at.director.ask(tm.TournamentToken, "cup", f"e:{number}")
            at.entrants.append(await w.up.client(given.token))
        assert (await w.get("/api/ratings")).json == {"ratings": []}
        await at.direct("pair")
        await at.direct("publish")
        (board,) = await at.opened(1)
        await at.resign(1, board, board["entrants"][1])
        await at.reported(1)
        await at.direct("finish")
        await trio.sleep(250)
        assert not file.exists() and (await w.get("/api/ratings")).json == {"ratings": []}
        await trio.sleep(60)
        await rated_by_now(w.up, file)
        told = (await w.get("/api/ratings/war_at_sea")).json
        kept = (await w.get("/api/ratings/war_at_sea.ratings")).body
        assert (await w.get("/api/ratings/war_at_sea-live")).status == 404
    assert kept == file.read_bytes()
    (period,) = (log := ratingslog.read(kept)).periods
    assert ratingslog.book(log)[1] == ()
    players = [one for game in period.games for one in (game.first, game.second)]
    assert period.name == "cup" and period.games[0].half == 2
    assert sorted(players) == sorted((one["id"], one["player"]) for one in told["players"])
    for cut in (0, 7):
        file.write_bytes(kept[: len(kept) - cut])
        async with server(games, data=tmp_path, titles=TITLES, tournaments=ledgers) as served:
            await trio.sleep(301)
            await rated_by_now(served, file)
            assert served.hub.hosting is not None
            hosted = await served.hub.hosting.find("cup")
            assert isinstance(hosted, Hosted) and hosted.over.is_set()
            at_end = hosted.shown
            assert served.hub.hosting.ratings.rate(at_end, ()) == []
        assert file.read_bytes() == kept
    nobody = {number: replace(one, account="") for number, one in at_end.entrants.items()}
    assert rated.games_of(replace(at_end, entrants=nobody)) == {}
