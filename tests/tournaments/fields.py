"""Random tournaments for tests: made round by round with absences, forfeits and byes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from warledger.engine.desk.matching import matched
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line
from warledger.engine.tournaments.swiss.dutch import dutch
from warledger.engine.tournaments.swiss.paired import CannotPair, Paired
from warledger.engine.tournaments.swiss.record import lots_from, record

Pairs = Callable[[Crosstable, list[int]], Paired]


def entrants(count: int) -> tuple[Entrant, ...]:
    """So many, numbered by rating."""
    return tuple(Entrant(n, f"Player {n}", 2400 - 10 * n) for n in range(1, count + 1))


def played(table: Crosstable, paired: Paired, rng: random.Random) -> Crosstable:
    """The table with a round of random results; who is not paired has a bye or is absent."""
    lines: dict[int, Line] = {}
    for board, (white, black) in enumerate(paired.boards, 1):
        if rng.random() < 0.05:
            halves, manner = rng.choice((2, 0)), "forfeit"
        else:
            halves, manner = rng.choices((2, 1, 0), (4, 3, 3))[0], "played"
        for number, other, seat, points in (
            (white, black, 0, halves),
            (black, white, 1, 2 - halves),
        ):
            if number == paired.eliminator and number in lines:
                continue
            lines[number] = Line(
                manner,  # type: ignore[arg-type]
                points,
                ("loss", "draw", "win")[points],  # type: ignore[arg-type]
                (other,),
                seat,
                0,
                board,
            )
    if paired.bye:
        lines[paired.bye] = Line("pairing_bye", 2)
    for one in table.entrants:
        if one.number not in lines:
            lines[one.number] = rng.choice((Line("zero_bye"), Line("half_bye", 1), Line("absent")))
    return Crosstable(table.entrants, (*table.rounds, lines), table.planned)


def tournament(
    seed: int, count: int, rounds: int, pair: Pairs, away: float = 0.05
) -> Iterator[tuple[Crosstable, list[int], Paired | None]]:
    """Each round's table, who is there, and the pairing; None ends it: it cannot be paired."""
    rng = random.Random(seed)
    table = Crosstable(entrants(count), (), rounds)
    for _ in range(rounds):
        present = [one.number for one in table.entrants if rng.random() >= away]
        try:
            paired = pair(table, present)
        except CannotPair:
            yield table, present, None
            return
        yield table, present, paired
        table = played(table, paired, rng)


def both() -> str:
    """A second round of twenty by both Swiss systems, in words."""
    lines: dict[int, Line] = {}
    for n in range(1, 11):
        points = n % 3
        lines[n] = Line("played", points, "win", (n + 10,), n % 2)
        lines[n + 10] = Line("played", 2 - points, "loss", (n,), 1 - n % 2)
    table = Crosstable(entrants(20), (lines,), 5)
    who = range(1, 21)
    return f"{dutch(table, who, matched)} {record(table, who, matched, lots_from(b''))}"
