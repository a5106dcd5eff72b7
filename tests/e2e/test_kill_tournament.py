"""A real server process is killed (SIGKILL) at random moments of a tournament over TCP: while
people enter, check in and bid, while a round is paired and its games are made, while games end and
are reported.

Afterwards each board has one game, each game one report, no entrant sits twice in a round, every
act that was acknowledged stands once, and the ledger audits sound with all its games. A run is
chosen by a seed, which is printed when it fails.
"""

import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
import trio
from attrs import define, field

from tests.e2e.test_kill import SECONDS_MAX, Server
from tests.verdicts import findings_of, is_clean
from warledger.clients.audit.audit import installed
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.bots.seated import play_bot
from warledger.clients.commands.server.servercommands import exported
from warledger.clients.link import Disconnected, Link, OutcomeUnknown, ServerError, connect, sit
from warledger.clients.link.tournament import TournamentLink, open_tournament
from warledger.engine.store.files.datadir import all_games
from warledger.protocol import tournaments as forms
from warledger.protocol.log import chain, wlog
from warledger.protocol.wire import tournamentmessages as tm

ID = "cup"
CHARTER = """
name = "Killed"
title = "war_at_sea"
[[stage]]
system = "record"
rounds = {rounds}
tiebreaks = ["direct", "sos_pooled", "lots"]
[sides]
by = "bid"
bid = {{ minutes = 600 }}
[absence]
check_in_minutes = 15
"""
T = TypeVar("T")


async def surely(call: Callable[[], Awaitable[T]]) -> T:
    """What no link sends twice by itself, since it may have been carried out: it does no harm."""
    for _ in range(50):
        try:
            return await call()
        except (OutcomeUnknown, ServerError):
            await trio.sleep(0.1)
    return await call()


@asynccontextmanager
async def reached(to: Callable[[], AbstractAsyncContextManager[Link]]) -> AsyncIterator[Link]:
    """A connection of one's own. A link that was never made is not made again by itself, so while
    the server is down it is tried again, as a player would: however long that takes on a busy
    machine, which the run's own time bounds."""
    async with AsyncExitStack() as stack:
        while True:
            try:
                link = await stack.enter_async_context(to())
                break
            except Disconnected:
                await trio.sleep(0.1)
        yield link


@define
class Cup:
    """A tournament on one server. It crashes `kills_left` times, each a random moment after one of
    the acts that were acknowledged, and the last time before the tournament is finished."""

    folder: Path
    chance: random.Random
    kills_left: int
    server: Server = field(init=False)
    accepted: list[int] = field(factory=list)
    directs: str = ""
    ledger: bytes = b""
    key: bytes = b""
    acted: trio.Event = field(factory=trio.Event)
    has_crashed: trio.Event = field(factory=trio.Event)

    def __attrs_post_init__(self) -> None:
        self.server = Server(self.folder / "data")

    async def play(self, entrants: int, rounds: int) -> None:
        """All of it, through the crashes."""
        await trio.to_thread.run_sync(self.server.start)
        try:
            with trio.fail_after(SECONDS_MAX):
                await self._play(entrants, rounds)
        finally:
            if self.server.process is not None and self.server.process.poll() is None:
                self.server.stop(signal.SIGKILL)

    async def _play(self, entrants: int, rounds: int) -> None:
        token = (self.server.data / "host.token").read_text().strip()
        to = partial(connect, "127.0.0.1", self.server.port, patience_s=SECONDS_MAX)
        async with to(token=token) as host:
            made = await open_tournament(host, ID, "dora", CHARTER.format(rounds=rounds))
            assert isinstance(made, tm.TournamentOpened) and host.welcome is not None
            self.key = host.welcome.key
        self.directs = made.seat
        async with trio.open_nursery() as nursery, to(token=made.token) as link:
            nursery.start_soon(self._kill, entrants + rounds * (2 * entrants + 2))
            director = TournamentLink(link, ID)
            for number in range(1, entrants + 1):
                await self.do(director, self.directs, "enter", f"P{number}", "-", 0)
            for _ in range(rounds):
                await self._round(director, to, entrants)
            await self.has_crashed.wait()
            await self.do(director, self.directs, "finish")
            self.ledger = await director.paper("tournament.wlog")
            nursery.cancel_scope.cancel()

    async def do(self, at: TournamentLink, who: str, *picks: Any) -> None:
        """An act, sent until it is acknowledged."""
        self.accepted.append((await at.must(who, *picks)).seq)
        self.acted.set()
        self.acted = trio.Event()

    async def _round(self, director: TournamentLink, to: Any, entrants: int) -> None:
        async with trio.open_nursery() as nursery:
            for number in range(1, entrants + 1):
                nursery.start_soon(self.do, director, self.directs, "check_in", number)
        await self.do(director, self.directs, "pair")
        await self.do(director, self.directs, "publish")
        one = (await director.told())["rounds"][-1]
        async with trio.open_nursery() as nursery:
            for board in one["boards"]:
                for number in board["entrants"]:
                    nursery.start_soon(self._entrant, director, to, one["round"], board, number)
        await self._boards(director, "results")

    async def _boards(self, director: TournamentLink, what: str) -> tuple[dict[str, Any], ...]:
        while True:
            boards: tuple[dict[str, Any], ...] = (await director.told())["rounds"][-1]["boards"]
            if all(board[what] for board in boards):
                return boards
            await trio.sleep(0.05)

    async def _entrant(
        self, director: TournamentLink, to: Any, round: int, board: dict[str, Any], number: int
    ) -> None:
        """Bid for a side, fetch the seat, and play."""
        who = f"e:{number}"
        token = await surely(lambda: director.token(who))
        receipts = self.folder / "receipts" / f"{round}-{number}"
        async with reached(partial(to, token=token, receipts=receipts)) as link:
            at = TournamentLink(link, ID)
            await self.do(at, who, "bid", self.chance.choice(("allied", "axis")), number % 3)
            await self._boards(director, "game")
            game, seat, own = await surely(lambda: at.seat(who, round, board["board"]))
            await link.login(own, f"P{number}")
            await self._sit(link, game, seat)

    async def _sit(self, link: Link, game: str, seat: str) -> None:
        held = await sit(link, game, seat)
        await play_bot(held, "random", f"{game} {seat}")

    async def _kill(self, acts: int) -> None:
        """Of `acts` acts, those after which it crashes are drawn."""
        for after in sorted(self.chance.choices(range(2, acts), k=self.kills_left)):
            while len(self.accepted) < after:
                await self.acted.wait()
            await trio.sleep(self.chance.uniform(0.02, 0.8))
            await trio.to_thread.run_sync(self.server.kill)
            self.server.kills += 1
            await trio.to_thread.run_sync(self.server.start)
        self.has_crashed.set()

    def check(self) -> None:
        """After the last crash."""
        games = self.folder / "games"
        games.mkdir()
        found = wlog.parse(self.ledger, sealed=True).records
        log = list(chain.follow(found, kinds=forms.KINDS))
        told = [
            event
            for record in log
            if record.kind == forms.ACT
            for event in forms.Act.from_record(record).events
        ]
        opened = Counter(event[1:3] for event in told if event[0] == "opened")
        reported = Counter(event[1:3] for event in told if event[0] == "reported")
        assert set(opened.values()) == set(reported.values()) == {1}
        assert opened.keys() == reported.keys()
        ids = all_games(self.server.data)
        for game in ids:
            (games / f"{game}.wlog").write_bytes(exported(self.server.data, game))
        for event in told:
            if event[0] == "paired":
                sitting = [number for numbers, _ in event[5] for number in numbers]
                assert len(sitting) == len(set(sitting)), "somebody sits twice in a round"
        assert len(ids) == len(opened), "each board has one game, and there is no other"
        assert len(set(self.accepted)) == len(self.accepted) and max(self.accepted) < len(log)
        report = audit_tournament(self.ledger, key=self.key, rulebook=installed(), games=games)
        assert is_clean(report) and report.verdict.games == len(ids), findings_of(report)


def killed(folder: Path, seed: int, *, entrants: int, rounds: int, kills: int) -> None:
    """One run from one seed."""
    cup = Cup(folder, random.Random(f"cups {seed}"), kills)
    try:
        trio.run(cup.play, entrants, rounds)
        cup.check()
    except BaseException:
        print(f"seed {seed}, after {cup.server.kills} kills, in {folder}")
        raise
    assert cup.server.kills == kills


def test_a_killed_server_goes_on_with_its_tournament(tmp_path: Path) -> None:
    """A board through two kills."""
    killed(tmp_path, 1, entrants=2, rounds=1, kills=2)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 20))
def test_killed_servers_go_on_with_their_tournaments(tmp_path: Path, seed: int) -> None:
    """Ten times three rounds of four boards, a dozen kills each time."""
    killed(tmp_path, seed, entrants=8, rounds=3, kills=12)
