"""Games that a fleet's archive lends: they are over, and can be read as ever; nothing is decided in
them."""

from __future__ import annotations

from typing import Any

from attrs import define

from warledger.engine.kernel.position import Position
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.runtime.game.jobs import Job


@define(eq=False)
class BorrowedGame(Game):
    """A game that has left the engine. Its log is read from the archive, through the store."""

    def post(self, job: Job) -> None:
        """Nothing is decided here."""
        job.done(failed("error.archived", game=self.id))

    async def position(self) -> Position[Any] | Failed:
        """There is nothing to choose any more."""
        return failed("error.archived", game=self.id)
