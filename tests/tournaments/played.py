"""Whole tournaments of any charter, played to their end by chance."""

from __future__ import annotations

import random
from typing import Any

from tests.audit.mini_pairings import inputs_of
from tests.tournaments.desk import PUBLIC, Desk, charter_of
from warledger.clients.audit.audit import installed
from warledger.clients.audit.report import Report
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.engine.tournaments.sides import unsettled
from warledger.engine.tournaments.systems import OPEN_ENDED, rounds_left
from warledger.protocol.board.choices import Choices, Picks

LADDER_ROUNDS = 4
ROUNDS_MAX = 60
DRAWS = (2, 2, 2, 0, 0, 0, 1)


class Played:
    """A tournament played by chance: entrants who bid, speak, choose, challenge and volunteer, and
    results of which one in seven is a draw."""

    def __init__(self, doc: dict[str, Any], count: int, seed: int = 1) -> None:
        self.random = random.Random(seed)
        self.desk = Desk(charter_of(doc), seed=seed)
        self.desk.enter(count)

    def to_the_end(self) -> Desk:
        """Every round of every stage, and the finish."""
        for _ in range(ROUNDS_MAX):
            self.round()
            at = self.desk.at
            left = rounds_left(at)
            if left > 0 or (left == OPEN_ENDED and len(at.stage_pairings) < LADDER_ROUNDS):
                continue
            if at.stage + 1 == len(at.charter.stages):
                self.desk.do("d:dora", "finish")
                return self.desk
            self.desk.do("d:dora", "advance")
        raise AssertionError("the tournament never ends")

    def round(self) -> None:
        """Check in, volunteer and challenge, pair, publish, settle the sides, play."""
        desk, at = self.desk, self.desk.at
        if at.charter.absence.check_in_minutes:
            here = [number for number, one in at.entrants.items() if one.present]
            desk.check_in(n for n in here if at.next_round not in at.entrants[n].checked)
        for number in desk.at.order:
            if self.random.random() < 0.5:
                self.some(number, "volunteer", "challenge")
        desk.start_round()
        self.sides()
        desk.open_games()
        self.results()

    def sides(self) -> None:
        """Until the sides of every board are settled."""
        desk = self.desk
        last = desk.at.last
        assert last is not None
        for _ in range(200):
            if all(board.seated or board.verdict for board in last.boards):
                return
            for board in last.boards:
                for number in board.entrants:
                    self.some(number, "bid", "wish", "accept", "offer", "choose")
            for number in unsettled(desk.at, desk.at_ms):
                desk.do("server", "sides", number)
            last = desk.at.last
            assert last is not None
        raise AssertionError("an auction never ends")

    def some(self, number: int, *verbs: str) -> None:
        """The first of these acts that is on offer to an entrant, with picks by chance."""
        for verb in verbs:
            if verb == "accept" and self.random.random() < 0.5:
                continue
            picks: Picks = (verb,)
            found = self.desk.ledger.choices(f"e:{number}", picks)
            while isinstance(found, Choices) and not found.complete:
                if found.span is not None:
                    picks = (*picks, self.random.randint(*found.span))
                else:
                    picks = (*picks, self.random.choice(found.options).id)
                found = self.desk.ledger.choices(f"e:{number}", picks)
            if isinstance(found, Choices):
                self.desk.do(f"e:{number}", *picks)
                return

    def results(self) -> None:
        """A report for every board that has none."""
        last = self.desk.at.last
        assert last is not None
        seats = self.desk.at.seats(last.number)
        for board in last.boards:
            if board.verdict is not None:
                continue
            halves = self.random.choice(DRAWS)
            winner = {2: seats[0], 1: "-", 0: seats[-1]}[halves]
            if len(seats) != 2:
                self.desk.report(board, self.random.choice(seats))
            elif halves == 1:
                # Level after the handicap, whatever it is.
                seat, units = board.handicap
                self.desk.report(board, winner, *((0, units) if seat == 0 else (units, 0)))
            else:
                won = 2 * self.random.randint(11, 20)
                self.desk.report(board, winner, *((won, 0) if halves == 2 else (0, won)))


def audited(desk: Desk) -> Report:
    """The report at level 2 of the whole file."""
    return audit_tournament(desk.file(), key=PUBLIC, rulebook=installed())


def named_inputs(desk: Desk) -> bool:
    """Whether every pairing names the inputs that follow from the file by the protocol's page."""
    found = inputs_of(desk.file())
    return bool(found) == bool(desk.at.rounds) and all(mine == told for _, mine, told in found)


def heads() -> str:
    """The hashes of the last records of a few small tournaments, one of each kind of pairing."""
    lots = {"tiebreaks": ["lots"]}
    stages: list[list[dict[str, Any]]] = [
        [
            {"system": "groups", "group_size": 3, "advance": {"most": 1}, **lots},
            {"system": "knockout", "seeds": "standings", "best_of": 3},
        ],
        [{"system": "double_elimination", "tie": "another", **lots}],
        [{"system": "heats", "rounds": 2, **lots}],
        [{"system": "ladder", **lots}],
        [{"system": "record", "rounds": 2, "eliminator": True, **lots}],
    ]
    return " ".join(
        Played({"stage": stage}, 4).to_the_end().log[-1].hash.hex()[:16] for stage in stages
    )


__all__ = ["Played", "audited", "heads", "named_inputs"]
