"""How long standings take: 1,000 players, 9 rounds, every tie-break.

    python -m ops.bench.standings

The time is the process's own, so that what else runs on the machine does not count. The floor
beside it is one pass over the same table that only adds up the points.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line
from warledger.engine.tournaments.standings import standings
from warledger.engine.tournaments.tiebreaknames import KINDS
from warledger.engine.tournaments.tiebreaks import Terms

PLAYERS = 1_000
ROUNDS = 9
TIMES = 5
"""The best of this number of runs is reported: the others shared their core."""

TARGET_S = 0.5


def table(size: int = PLAYERS, rounds: int = ROUNDS, seed: int = 1) -> Crosstable:
    """A field that is paired by score, with one round in twenty not played."""
    rng = random.Random(seed)
    score = dict.fromkeys(range(1, size + 1), 0)
    made = []
    for _ in range(rounds):
        order = sorted(score, key=lambda n: (score[n], rng.random()))
        lines: dict[int, Line] = {}
        while order:
            first = order.pop()
            if not order or rng.random() < 0.05:
                lines[first] = Line("half_bye", 1)
                continue
            second = order.pop()
            got = rng.choice((0, 1, 2))
            words = ("loss", "draw", "win")
            lines[first] = Line("played", got, words[got], (second,), 0, 6 * got - 6)
            lines[second] = Line("played", 2 - got, words[2 - got], (first,), 1, 6 - 6 * got)
        for number, line in lines.items():
            score[number] += line.points
        made.append({number: lines[number] for number in sorted(lines)})
    entrants = tuple(Entrant(n, f"Player {n}", 2600 - n) for n in range(1, size + 1))
    return Crosstable(entrants, tuple(made), rounds)


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> int:
    """Print the figures; 1 if the target is missed."""
    field = table()
    names = [kind for kind in KINDS if kind not in ("lots", "shared")]
    names = ["direct", *names[1:], "buchholz:cut1", "sonneborn_berger:cut1", "lots"]
    terms = Terms(lots={one.number: one.number for one in field.entrants})
    floor = min(
        _seconds(lambda: [field.points(one.number) for one in field.entrants]) for _ in range(TIMES)
    )
    took = min(_seconds(lambda: standings(field, names, terms)) for _ in range(TIMES))
    print(f"{PLAYERS} players, {ROUNDS} rounds, {len(names)} tie-breaks: {took:.3f} s")
    print(f"floor, adding up the points: {floor:.3f} s; target: {TARGET_S} s")
    return int(took >= TARGET_S)


if __name__ == "__main__":
    sys.exit(main())
