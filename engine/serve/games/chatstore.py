"""What a process keeps of table talk: the file, and how often each speaker may say something."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import trio
from attrs import define, field

from warledger.engine.desk import talk
from warledger.engine.desk.database import BadDatabase, Database
from warledger.engine.desk.people import NotDone
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.game.answers import failed

BURST: Final = 5
EACH_SECONDS: Final = 4.0
"""Somebody may say this many lines at once, and one more every EACH_SECONDS."""
SPEAKERS_MAX: Final = 10_000

T = TypeVar("T")


@define(eq=False)
class Speaking:
    """The talk of a process's games. `rates` says when each who spoke lately may speak again."""

    db: Database
    world: Ambient
    log: Any
    rates: dict[tuple[str, str], float] = field(factory=dict)

    async def write(self, call: Callable[[sqlite3.Connection], T]) -> T:
        """One transaction that writes. Raises NotDone where the file cannot be used."""
        return await self._made(lambda: self.db.run(call))

    async def look(self, call: Callable[[sqlite3.Connection], T]) -> T:
        """One that reads."""
        return await self._made(lambda: self.db.look(call))

    async def _made(self, call: Callable[[], T]) -> T:
        try:
            made: Awaitable[T] = self.world.blocking(call)
            return await made
        except BadDatabase as error:
            self.log.error("talk cannot be used", what=str(error))
            raise NotDone(failed("error.not_saved", why=talk.FILE)) from None

    def take_turn(
        self, game: str, who: str, burst: int = BURST, each_seconds: float = EACH_SECONDS
    ) -> int:
        """Say a line now: 0, or the seconds to wait."""
        now = trio.current_time()
        if len(self.rates) > SPEAKERS_MAX:
            self.rates = {key: free for key, free in self.rates.items() if free > now}
        free = max(self.rates.get((game, who), 0.0), now)
        wait = free - now - (burst - 1) * each_seconds
        if wait > 0:
            return int(wait) + 1
        self.rates[game, who] = free + each_seconds
        return 0

    async def forget(self, account: str) -> None:
        """Leave nothing of what an account said."""
        if self.db.is_there:
            await self.write(lambda at: talk.forget(at, account))
            await self._made(self.db.forget_log)
