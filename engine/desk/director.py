"""The director's errands that need nobody: settling sides, opening games, taking their results.

Each errand looks at where the tournament stands and does what is missing. So after a crash anywhere
the next one makes up for it: a game's id follows from its board, a game that is there already is as
good as made, and a report is taken once.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import trio
from attrs import frozen

from warledger.engine.desk.tournament import Tournament
from warledger.engine.runtime.game.answers import Done, Failed
from warledger.engine.tournaments.judging import judged
from warledger.engine.tournaments.playing import game_id, terms_of
from warledger.engine.tournaments.sides import unsettled
from warledger.engine.tournaments.tournamentposition import Board, RoundState
from warledger.protocol.board.choices import Refusal


@frozen
class Match:
    """A game that is to be made: its id, title, options and terms, and who plays which seat, as
    (seat, entrant's number, id of their account, name)."""

    game: str
    title: str
    options: Mapping[str, Any]
    terms: Mapping[str, Any]
    players: tuple[tuple[str, int, str, str], ...]


@frozen
class Ended:
    """A game that is over: the signed head of its last record, and its result."""

    seq: int
    hash: bytes
    signature: bytes
    by: str
    winner: str | None
    scores: tuple[int, ...]


class Hall(Protocol):
    """Where the games of a tournament are played."""

    async def opened(self, match: Match) -> bytes | None:
        """Make a game, unless it is there, and return the hash of its first record; None if it
        cannot be made now."""

    async def ended(self, game: str) -> Ended | None:
        """How a game ended; None while it is being played."""


class Director:
    """Does for a tournament what follows from where it stands."""

    def __init__(self, tournament: Tournament, hall: Hall) -> None:
        self.tournament = tournament
        self.hall = hall

    async def tend(self, now_ms: int) -> list[Refusal | Failed]:
        """End the wait for nonces that is over, and carry out what was asked for before it. Settle
        the sides that can be settled, open the games that are not open, and take the reports of
        those that have ended. Returns what could not be done, and why."""
        trouble: list[Refusal | Failed] = []
        tournament = self.tournament
        if tournament.at.waits and now_ms >= tournament.at.lots_until_ms:
            await self._do(trouble, "end_wait")
        if not tournament.at.waits:
            if tournament.at.asked:
                await self._do(trouble, *tournament.at.asked)
            for number in unsettled(tournament.at, now_ms):
                await self._do(trouble, "sides", number)
        for number in judged(tournament.at):
            await self._do(trouble, "adjudicate", number)
        last = tournament.at.last
        if last is None or not last.published or tournament.at.finished:
            return trouble
        title, _ = tournament.at.played_in(last.number)
        pack = tournament.at.title_of(title).pack.hex()
        for board in last.boards:
            if board.seated and not board.game and board.verdict is None:
                if tournament.at.charter.packs.get(title) != pack:
                    await self._do(trouble, "repack", title, pack)
                genesis = await self.hall.opened(self._match(last, board))
                if genesis is not None:
                    game = game_id(tournament.at, last.number, board.number)
                    await self._do(trouble, "opened", board.number, game, genesis.hex())
        # Games that have ended together are reported together.
        async with trio.open_nursery() as nursery:
            for one in tournament.at.rounds:
                for board in one.boards:
                    if board.game and board.proof is None:
                        nursery.start_soon(self._report, trouble, one, board)
        return trouble

    async def _report(self, trouble: list[Refusal | Failed], one: RoundState, board: Board) -> None:
        ended = await self.hall.ended(board.game)
        if ended is None:
            return
        await self._do(
            trouble,
            "report",
            one.number,
            board.number,
            ended.seq,
            ended.hash.hex(),
            ended.signature.hex(),
            ended.by,
            ended.winner or "-",
            *ended.scores,
        )

    def _match(self, one: RoundState, board: Board) -> Match:
        at = self.tournament.at
        title, options = at.played_in(one.number)
        seats = at.seats(one.number)
        terms = terms_of(at, one, board, self.tournament.ledger.last.hash)
        players = tuple(
            (seat, number, at.entrants[number].account, at.entrants[number].name)
            for seat, number in zip(seats, board.entrants, strict=True)
        )
        game = game_id(at, one.number, board.number)
        return Match(game, title, options, terms, players)

    async def _do(self, trouble: list[Refusal | Failed], *picks: str | int) -> None:
        # What the server does for a board it does once: the id says so, also after a crash.
        name = ":".join(map(str, picks[:3]))
        last = self.tournament.at.last
        if picks[0] == "sides" and last is not None:
            # In an auction a board is settled twice: when both have wished, and after a silence.
            board = last.board(int(picks[1]))
            name += ":silence" if board is not None and board.auction is not None else ""
        round = len(self.tournament.at.rounds)
        act_id = f"{round}:{name}".encode()[:32]
        answer = await self.tournament.submit("server", picks, act_id)
        if not isinstance(answer, Done):
            trouble.append(answer)
