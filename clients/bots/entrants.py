"""Entrants of a tournament on a server whom a program plays: what the demonstration and the
benchmark of a whole tournament have in common."""

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any

import trio
from attrs import define

from warledger.clients.link import Link, Seat, sit
from warledger.clients.link.tournament import Entry, TournamentLink


@define
class Entrant:
    """An entrant: their connection, the tournament over it, and what they keep."""

    link: Link
    at: TournamentLink
    entry: Entry
    name: str

    async def act(self, verb: str, *picks: Any) -> None:
        """Act as themselves. Raises CannotSit with the server's reason."""
        await self.at.must(self.entry.who, verb, *picks)

    async def check_in(self) -> None:
        """Check in for the next round, and commit anew to a nonce while the lots still wait for
        it: the ledger need not have kept what was committed to at the entry."""
        await self.at.commit(self.entry.number)
        await self.act("check_in", self.entry.number)

    async def show_nonce(self) -> None:
        """Take part in the lots, if they wait for it."""
        await self.at.show_nonce(self.entry.number)

    async def take_seat(self, round: int, board: int, game: str) -> Seat:
        """Fetch their seat in the game of a board, and sit down in it."""
        _, seat, token = await self.at.seat(self.entry.who, round, board)
        await self.link.login(token, self.name)
        return await sit(self.link, game, seat, client="bot", number=self.entry.number)


async def enter(
    link: AbstractAsyncContextManager[Link],
    id: str,
    name: str,
    rating: int,
    entrants: dict[int, Entrant],
    gone: trio.Event,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Enter a tournament over a connection of one's own, which is kept until all is `gone`. The
    task has started when the entrant stands among `entrants`."""
    async with link as mine:
        at = TournamentLink(mine, id)
        entry = await at.enter(name, rating)
        await mine.login(entry.token, name)
        entrants[entry.number] = Entrant(mine, at, entry, name)
        task_status.started()
        await gone.wait()


async def until_paired(at: TournamentLink, look_s: float) -> None:
    """Wait until the pairing that was asked for stands."""
    while not (await at.told())["drafted"]:  # noqa: ASYNC110 (it is another program's)
        await trio.sleep(look_s)


async def boards_that(
    director: TournamentLink, ready: Callable[[dict[str, Any]], bool], look_s: float
) -> tuple[dict[str, Any], ...]:
    """The boards of the newest round, once all of them are `ready`; looked at every so often."""
    while True:
        boards: tuple[dict[str, Any], ...] = (await director.told())["rounds"][-1]["boards"]
        if all(map(ready, boards)):
            return boards
        await trio.sleep(look_s)


async def seated_at(
    entrants: Iterable[Entrant], round: int, board: dict[str, Any]
) -> dict[str, Seat]:
    """Seat -> whoever sits in it, once all these entrants sit at a board of a round."""
    seated: dict[str, Seat] = {}

    async def sit_down(entrant: Entrant) -> None:
        taken = await entrant.take_seat(round, board["board"], board["game"])
        seated[taken.seat] = taken

    async with trio.open_nursery() as nursery:
        for entrant in entrants:
            nursery.start_soon(sit_down, entrant)
    return seated
