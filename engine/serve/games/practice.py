"""Practice: whoever comes to the page may play the house's bot, where the operator allows it.

Rules of this file:
- A bot is a process of its own, `warledger bot`, which plays over a socket of this machine as any
  bot does. It has its seat's token and nothing else of the server.
- What it costs is bounded: so many bots at a time, so many games of an address. A bot whose
  opponent has done nothing for a while ends, and another takes its seat up when they come back.
- Which seats the house plays is kept beside the games, so that it goes on after a restart.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, Final

import trio
from attrs import define, field

from warledger.engine.kernel.position import ENDED
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.runtime.supervisor import Supervisor
from warledger.engine.store.files.disk import UNFINISHED
from warledger.protocol.board.choices import say

FOLDER: Final = "practice"
FILE: Final = "games.json"
IDLE_SECONDS: Final = 20 * 60
"""A bot whose game has had no new record for so long ends."""
FORGOTTEN_SECONDS: Final = 30 * 24 * 3600
"""A game that has had none for so long is left to lapse."""
AN_ADDRESS_MAX: Final = 2
"""Games of one address that are not over and not idle."""
LOOK_SECONDS: Final = 2.0
AGAIN_SECONDS: Final = 30.0
"""A bot that ended by itself is not started again sooner."""
TERMS: Final[Mapping[str, Any]] = {"rated": False, "unsigned_seats": True}
"""A browser over plain http cannot sign, and nothing is at stake."""


@define(eq=False)
class PracticeGame:
    """A game against the house: the seat that it plays and its token, who opened it, the newest
    record, and since when (trio's clock) there has been no other."""

    game: str
    seat: str
    token: str = field(repr=False)
    player: str
    address: str = ""
    seq: int = -1
    since: float = 0.0
    process: subprocess.Popen[bytes] | None = None
    begun: float = float("-inf")

    @property
    def runs(self) -> bool:
        """Whether its bot runs."""
        return self.process is not None and self.process.poll() is None


@define(eq=False)
class Practice:
    """The house's bots: at most `most` at a time, for these titles, each by the kind of player that
    plays it. A bug on behalf of one game is `contained`. `server` is where they connect, set before
    `run`."""

    supervisor: Supervisor
    data: Path
    most: int
    players: Mapping[str, str]
    log: Any
    contained: Callable[[], AbstractContextManager[Any]]
    server: str = ""
    tables: dict[str, PracticeGame] = field(factory=dict)

    async def open(self, title: str, seat: str, address: str) -> tuple[str, str] | Failed:
        """A game in which somebody at this address plays `seat` against the house: its id, and the
        seat's token."""
        known = self.supervisor.titles.get(title)
        if known is None or title not in self.players:
            return Failed("practice", say("error.practice_title", title=title))
        now = trio.current_time()
        awake = [one for one in self.tables.values() if now - one.since < IDLE_SECONDS]
        if sum(one.address == address for one in awake) >= AN_ADDRESS_MAX:
            return Failed("practice", say("error.practice_yours", most=AN_ADDRESS_MAX))
        if len(awake) >= self.most:
            return Failed("practice", say("error.practice_full", most=self.most))
        seats = tuple(known.about["seats"])
        if seat not in seats:
            return failed("error.no_such_seat", seat=seat, known=seats)
        # Its place is taken before anything is waited for: others may ask meanwhile.
        place = f"?{len(self.tables)} {now}"
        self.tables[place] = PracticeGame("", "", "", "", address, since=now)
        try:
            made = await self.supervisor.created(title, {}, TERMS)
            if isinstance(made, Failed):
                return made
            game, tokens = made
            for other in seats:
                if other != seat:
                    key = f"{game} {other}"
                    self.tables[key] = PracticeGame(
                        game, other, tokens[other], self.players[title], address, since=now
                    )
        finally:
            del self.tables[place]
        await self._keep()
        self._start_all(now)
        return game, tokens[seat]

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Look after the bots until cancelled, and end them then."""
        now = trio.current_time()
        for row in await self.supervisor.ambient.blocking(self._read):
            kept = PracticeGame(row["game"], row["seat"], row["token"], row["player"], since=now)
            self.tables[f"{kept.game} {kept.seat}"] = kept
        task_status.started()
        try:
            while True:
                await self._look()
                await trio.sleep(LOOK_SECONDS)
        finally:
            self._stop_all()

    async def _look(self) -> None:
        now = trio.current_time()
        for key, table in list(self.tables.items()):
            if table.game:
                with self.contained():
                    await self._look_at(key, table, now)
        with self.contained():
            self._start_all(now)

    async def _look_at(self, key: str, table: PracticeGame, now: float) -> None:
        game = await self.supervisor.game(table.game)
        over = not isinstance(game, Game) or game.profile.progress.stage == ENDED
        if isinstance(game, Game) and game.profile.progress.seq != table.seq:
            table.seq, table.since = game.profile.progress.seq, now
        if over or now - table.since > FORGOTTEN_SECONDS:
            self.tables.pop(key, None)
            self._stop(table)
            await self._keep()
        elif now - table.since > IDLE_SECONDS:
            self._stop(table)

    def _start_all(self, now: float) -> None:
        """Start the bots of games in which something happens, as many as there is room for."""
        running = sum(table.runs for table in self.tables.values())
        for table in self.tables.values():
            awake = table.game and now - table.since <= IDLE_SECONDS
            if running >= self.most or table.runs or not awake or now < table.begun + AGAIN_SECONDS:
                continue
            table.begun = now
            self._start(table)
            running += 1

    def _start(self, table: PracticeGame) -> None:
        folder = self.data / FOLDER
        command = [
            *(sys.executable, "-m", "warledger.clients.cli", "bot", table.game),
            *("--seat", table.seat, "--player", table.player, "--server", self.server),
            *("--receipts", str(folder / "receipts"), "--name", table.player, "--plain"),
            "--accept-new-key",
            "--takebacks",
        ]
        try:
            table.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "WARLEDGER_TOKEN": table.token},
            )
        except OSError as error:
            self.log.error("no bot for practice", game=table.game, what=str(error))

    def _stop(self, table: PracticeGame) -> None:
        if table.process is not None and table.process.poll() is None:
            table.process.terminate()

    def _stop_all(self) -> None:
        for table in self.tables.values():
            self._stop(table)
        for table in self.tables.values():
            if table.process is not None:
                try:
                    table.process.wait(_LAST_SECONDS)
                except subprocess.TimeoutExpired:
                    table.process.kill()
                    table.process.wait()

    # --- what is kept -----------------------------------------------------------------------------

    async def _keep(self) -> None:
        rows = [
            {"game": one.game, "seat": one.seat, "token": one.token, "player": one.player}
            for one in self.tables.values()
            if one.game
        ]
        try:
            await self.supervisor.ambient.blocking(lambda: self._write(rows))
        except OSError as error:
            self.log.error("practice not kept", what=str(error))

    def _write(self, rows: list[dict[str, str]]) -> None:
        folder = self.data / FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        unfinished = self.data / f"{FOLDER}{UNFINISHED}"
        with suppress(FileNotFoundError):
            unfinished.unlink()
        fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            json.dump(rows, file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(folder / FILE)

    def _read(self) -> list[dict[str, str]]:
        try:
            rows = json.loads((self.data / FOLDER / FILE).read_text(encoding="utf-8"))
            return [{name: str(row[name]) for name in _ROW} for row in rows]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            self.log.error("practice cannot be read", what=type(error).__name__)
            return []


_ROW: Final = ("game", "seat", "token", "player")
_LAST_SECONDS: Final = 5.0
