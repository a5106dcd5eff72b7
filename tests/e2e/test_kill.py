"""A real server process is killed (SIGKILL) at random moments of bot games over TCP, and started
again on the same directory.

Afterwards every acknowledged command is in its game's file exactly once, every file audits sound by
both levels, and what every spectator was sent is the whole log without a gap or a repeat. A run is
chosen by a seed, which is printed when it fails.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar, TextIO

import pytest
import trio
from attrs import define, field

from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit, installed
from warledger.clients.bots.seated import play_bot
from warledger.clients.commands.server.servercommands import exported
from warledger.clients.link import Link, Watch, connect, read_receipts, sit
from warledger.engine.store.files.datadir import read_game
from warledger.protocol.log import records, wlog
from warledger.protocol.log.bodies import closes_log
from warledger.protocol.log.chain import Head
from warledger.protocol.wire.messages import Created

SEATS = ("allied", "axis")
SECONDS_MAX = 600
"""A run that takes longer hangs. Players wait as long for a server that comes back on a busy
machine."""


@define
class Server:
    """A `warledger serve` process that can be killed and started again; its port stays the same."""

    data: Path
    port: int = 0
    kills: int = 0
    process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start it, and wait until it serves."""
        with self.log.open("a") as log:
            self.process = self._started(log)
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)", first)
        assert found is not None, first + self.process.stdout.read()
        self.port = int(found[1])

    def _started(self, log: TextIO) -> subprocess.Popen[str]:
        where = [
            "--data",
            str(self.data),
            "--tcp",
            f"127.0.0.1:{self.port}",
        ]
        return subprocess.Popen(
            [sys.executable, *self.program(), "serve", *where],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, "WARLEDGER_LANGUAGE": "en", "PYTHONUNBUFFERED": "1"},
        )

    def program(self) -> tuple[str, ...]:
        """What Python runs."""
        return ("-m", "warledger.clients.cli")

    @property
    def log(self) -> Path:
        """What the server wrote to standard error, all its lives together."""
        return self.data.with_name("server.log")

    def kill(self) -> None:
        """Kill it."""
        self.stop(signal.SIGKILL)

    def stop(self, number: signal.Signals) -> int:
        """Send a signal and wait for the end."""
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(30)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code


@define
class Match:
    """A game of a run: its two bots' tokens, how many commands each had acknowledged, and what its
    spectator saw."""

    game: str
    tokens: dict[str, str]
    commands: dict[str, int] = field(factory=dict)
    seen: Watch | None = field(default=None, repr=False)
    breaks: int = 0


@define
class Run:
    """Games on one server. `kills_left` bounds the crashes; a crash comes after a random number of
    further records. `HOST` is the name under which the host opens them."""

    HOST: ClassVar[str] = ""

    folder: Path
    chance: random.Random
    kills_left: int
    server: Server = field(init=False)
    matches: list[Match] = field(factory=list)
    until_kill: int = 0
    kill_now: trio.Event = field(factory=trio.Event)

    def __attrs_post_init__(self) -> None:
        self.server = Server(self.folder / "data")

    async def play(self, games: int, seed: int) -> None:
        """Play the games side by side through the crashes."""
        await trio.to_thread.run_sync(self.server.start)
        try:
            host = (self.folder / "data" / "host.token").read_text().strip()
            async with connect("127.0.0.1", self.server.port, token=host, name=self.HOST) as link:
                for _ in range(games):
                    made = await self.create(link)
                    self.matches.append(Match(made.game, dict(made.tokens)))
            self.until_kill = self.chance.randint(1, 40)
            with trio.fail_after(SECONDS_MAX):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._kill)
                    async with trio.open_nursery() as players:
                        for number, match in enumerate(self.matches):
                            players.start_soon(self._spectate, match)
                            nursery.start_soon(self.beside, match)
                            for seat in SEATS:
                                players.start_soon(
                                    self._player, match, seat, f"{seed} {number} {seat}"
                                )
                    nursery.cancel_scope.cancel()
            self.server.stop(signal.SIGKILL)
        finally:
            if self.server.process is not None and self.server.process.poll() is None:
                self.server.stop(signal.SIGKILL)

    async def create(self, link: Link) -> Created:
        """A game of the run."""
        return await link.create("war_at_sea")

    async def beside(self, match: Match) -> None:
        """What somebody else does in a game while it is played."""

    def was_away(self, start_ms: int, end_ms: int) -> None:
        """The server was down from then to then, in milliseconds since 1970."""

    async def _player(self, match: Match, seat: str, seed: str) -> None:
        # A folder a seat: a client's receipts are its own.
        receipts = self.folder / "receipts" / seat
        async with connect(
            "127.0.0.1",
            self.server.port,
            token=match.tokens[seat],
            receipts=receipts,
            patience_s=SECONDS_MAX,
        ) as link:
            at = await sit(link, match.game, seat)
            match.commands[seat] = await play_bot(at, "random", seed)

    async def _spectate(self, match: Match) -> None:
        async with connect("127.0.0.1", self.server.port, patience_s=SECONDS_MAX) as link:
            match.seen = await link.watch(match.game)
            async for _ in match.seen:
                self.until_kill -= 1
                if self.until_kill == 0:
                    self.kill_now.set()
            match.breaks = link.connections - 1

    async def _kill(self) -> None:
        """Kill and restart, as often as is left. Between them, what had been acknowledged must be
        there."""
        while self.kills_left:
            await self.kill_now.wait()
            self.kill_now = trio.Event()
            await trio.sleep(self.chance.uniform(0, 0.02))
            self.kills_left -= 1
            await trio.to_thread.run_sync(self.server.kill)
            fell_ms = int(time.time() * 1000)
            self.server.kills += 1
            self.check_acknowledged()
            await trio.to_thread.run_sync(self.server.start)
            self.was_away(fell_ms, int(time.time() * 1000))
            # The fewer games go on, the fewer records are still to come.
            going = sum(match.seen is None or not match.seen.ended for match in self.matches)
            self.until_kill = self.chance.randint(1, 15 * max(1, going))

    # --- what must hold ---------------------------------------------------------------------------

    def receipts(self, seat: str) -> list[Head]:
        """The heads that came with the acknowledgements a seat got."""
        folder = self.folder / "receipts" / seat
        return read_receipts(folder) if folder.exists() else []

    def check_acknowledged(self) -> None:
        """Every acknowledged record is in the directory as the crash left it. Reading changes
        nothing in it."""
        for seat in SEATS:
            newest: dict[str, Head] = {}
            for head in self.receipts(seat):
                newest[head.game] = head
            for game, head in newest.items():
                log = [
                    records.read(frame.payload)
                    for frame in read_game(self.server.data, game)
                    if frame.kind == wlog.FRAME_RECORD
                ]
                assert len(log) > head.seq, (
                    f"{game}: record {head.seq} was acknowledged to {seat} and is not there"
                )
                assert log[head.seq].hash == head.hash

    def check(self) -> None:
        """After the last crash: receipts, audits and spectators agree with the files."""
        heads = [head for seat in SEATS for head in self.receipts(seat)]
        said = self.server.log.read_text()
        assert "fault" not in {json.loads(line)["event"] for line in said.splitlines()}, said
        assert not any(token in said for match in self.matches for token in match.tokens.values())
        assert "north_sea" not in said, "a pick stands in the log"
        for match in self.matches:
            data = exported(self.server.data, match.game)
            report, evidence = audit(
                data,
                receipts=[head for head in heads if head.game == match.game],
                rulebook=installed(),
            )
            assert (is_clean(report), report.verdict.level) == (True, 2), report
            log = evidence.records
            assert closes_log(log[-1])
            for seat in SEATS:
                carried_out = sum(
                    record.kind == records.COMMAND and record.body[records.COMMAND_SEAT] == seat
                    for record in log
                )
                assert match.commands[seat] == carried_out, (
                    "a command was lost, or carried out twice"
                )
            assert match.seen is not None
            assert [seen.record.data for seen in match.seen.seen] == [record.data for record in log]


def killed(folder: Path, seed: int, *, games: int, kills: int) -> Run:
    """One run from one seed."""
    run = Run(folder, random.Random(f"kills {seed}"), kills)
    try:
        trio.run(run.play, games, seed)
        run.check()
    except BaseException:
        print(f"seed {seed}, after {run.server.kills} kills, in {folder}")
        raise
    assert run.server.kills > kills // 2
    assert all(match.breaks for match in run.matches), (
        "every spectator must have come back at least once"
    )
    return run


def test_a_killed_server_loses_nothing(tmp_path: Path) -> None:
    """Two games through two kills: every acknowledged command is there, once; every file is
    sound; every spectator saw all."""
    killed(tmp_path, 1, games=2, kills=2)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 110))
def test_a_killed_server_loses_nothing_in_200_games(tmp_path: Path, seed: int) -> None:
    """Ten times twenty games, a dozen kills each time."""
    killed(tmp_path, seed, games=20, kills=12)
