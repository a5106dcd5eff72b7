"""Tournaments on the server: opened, entered, directed and followed over messages, played in the
server's own games, and found again after a stop."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

from tests.serve.rig import HOST_TOKEN, SERVER_KEY, Client, Server, key_of, nonce_of, server, take
from warledger.engine.runtime import titles as title_list
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol import acts, dice, records
from warledger.protocol import messages as m
from warledger.protocol import tournamentmessages as tm

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
    """A server with a tournament in it, and who takes part: the host, its director, its
    entrants."""

    def __init__(self, served: Server) -> None:
        self.served = served
        self.host: Client
        self.director: Client
        self.entrants: list[Client] = []
        self.tokens: list[str] = []
        self.token = ""

    async def open(self, charter: str = CHARTER, id: str = "cup") -> None:
        """Announce it."""
        self.host = await self.served.client(HOST_TOKEN)
        made = await self.host.ask(tm.OpenTournament, id, "dora", charter)
        assert type(made) is tm.TournamentOpened, made
        self.token = made.token
        self.director = await self.served.client(made.token)

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
        answer = await self.do(self.director, "d:dora", *picks)
        assert type(answer) is m.Accepted, answer
        return answer

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
            await trio.lowlevel.checkpoint()

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
                name,
                key_of(game, seat).verify_key.encode(),
                dice.bound_nonce_hash(genesis, seat, nonce_of(seat)),
            )
            for seat, (_, name) in held.items()
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
            await trio.lowlevel.checkpoint()


def nonce(number: int) -> bytes:
    """The nonce of an entrant."""
    return hashlib.sha256(f"nonce {number}".encode()).digest()


@asynccontextmanager
async def table(store: Any = None, tournaments: Any = None, **more: Any) -> AsyncIterator[Table]:
    """A server that hosts tournaments."""
    async with server(
        store, titles=TITLES, tournaments=tournaments or MemoryStore(), **more
    ) as served:
        yield Table(served)


async def test_a_tournament_is_opened_entered_and_directed_over_messages() -> None:
    """A host announces a tournament; people enter it; choices, submit, subscribe and head work on
    it as on a game; a published round makes games that name it; results report themselves."""
    async with table() as at:
        await at.open()
        await at.enter(3)
        follower = await at.served.client()
        assert type(await follower.ask(m.Subscribe, "cup", -1, "public")) is m.Subscribed
        offered = await at.director.ask(m.Choices, "cup", "d:dora", ())
        assert "pair" in [option.id for option in offered.choices.options]
        await at.direct("pair")
        assert (await at.told())["drafted"]["round"] == 1
        assert (await at.told(follower))["rounds"] == ()
        await at.direct("publish")
        boards = await at.opened(1)
        assert [board["game"] for board in boards] == ["cup-r1-b1"]
        game = await at.served.hub.supervisor.game("cup-r1-b1")
        names = game.profile.genesis.terms[records.TOURNAMENT]
        assert names[1] == "cup" and names[3:5] == (1, 1)
        await at.resign(1, boards[0], boards[0]["entrants"][1])
        (done,) = await at.reported(1)
        assert done["results"] == ("win", "loss")
        told = await at.told(follower)
        points = {row["number"]: row["points"] for row in told["standings"]}
        assert [points[number] for number in done["entrants"]] == [2, 0]
        says = (await follower.ask(m.Preview, "cup", "", ("explain", done["entrants"][0]))).says
        assert says[0].key == "tournament.why.place"
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
