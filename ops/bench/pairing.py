"""How long pairing a round takes: `record` and the Dutch system, by the size of the field.

    python -m ops.bench.pairing [--players 300,1000] [--rounds 5] [--json]

Processor seconds of pairing and of the matcher, which works in a process of its own. The floor of
the machine is one perfect matching of the same field with nothing to weigh, over forty candidates
each.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Callable

from ops.bench.figures import show
from warledger.engine.desk.matching import MatchingProcess, matched
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line
from warledger.engine.tournaments.swiss.dutch import dutch
from warledger.engine.tournaments.swiss.paired import Matcher, Paired
from warledger.engine.tournaments.swiss.record import lots_from, record

Pairs = Callable[[Crosstable, list[int], Matcher], Paired]

SYSTEMS: dict[str, Pairs] = {
    "record": lambda table, who, matcher: record(
        table, who, matcher, lots_from(len(table.rounds).to_bytes(4, "big"))
    ),
    "dutch": lambda table, who, matcher: dutch(table, who, matcher, initial=0),
}


def children_s() -> float:
    """Processor seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def floor_s(players: int) -> float:
    """One perfect matching in which everything is equally good."""
    edges = [(a, b, 0) for a in range(players) for b in range(a + 1, min(a + 41, players))]
    start = time.process_time()
    matched(players, edges, True)
    return time.process_time() - start


def measured(pairs: Pairs, players: int, rounds: int) -> dict[str, float]:
    """The longest and the mean of the rounds of one tournament."""
    rng = random.Random(players)
    people = tuple(Entrant(n, str(n), 2400 - n) for n in range(1, players + 1))
    table = Crosstable(people, (), rounds)
    here: list[float] = []
    there: list[float] = []
    for _ in range(rounds):
        present = [one.number for one in people if rng.random() > 0.02]
        start, before = time.process_time(), children_s()
        with MatchingProcess() as matcher:
            paired = pairs(table, present, matcher)
        here.append(time.process_time() - start)
        there.append(children_s() - before)
        lines = {one.number: Line("zero_bye") for one in people}
        for white, black in paired.boards:
            points = rng.choices((2, 1, 0), (4, 2, 3))[0]
            result = ("loss", "draw", "win")
            lines[white] = Line("played", points, result[points], (black,), 0)  # type: ignore[arg-type]
            lines[black] = Line("played", 2 - points, result[2 - points], (white,), 1)  # type: ignore[arg-type]
        if paired.bye:
            lines[paired.bye] = Line("pairing_bye", 2)
        table = Crosstable(people, (*table.rounds, lines), rounds)
    both = [a + b for a, b in zip(here, there, strict=True)]
    return {
        "longest round, s": max(both),
        "mean round, s": sum(both) / rounds,
        "of it the matcher, s": sum(there) / rounds,
        "floor: one matching, s": floor_s(players),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", default="300,1000", help="sizes, separated by commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = {
        f"{name}, {players} players": measured(SYSTEMS[name], players, given.rounds)
        for players in map(int, given.players.split(","))
        for name in given.systems.split(",")
    }
    show(figures, machine=given.json)


if __name__ == "__main__":
    main()
