"""Whether the rules or the server have become slower than an older revision, beside what the same
code makes of itself.

    python -m ops.bench.against REVISION [--title T] [--games N] [--rounds N] [--minutes N] [--json]

The revision is checked out into a temporary folder. Each side is measured by its own
`ops.bench.games` and `ops.bench.server`, in processes of their own, so it plays games of its own
format: whole ones between captains for the rules, and commands at random for the server. A round
measures three sides by turns, and each round begins with another: the old revision (`old`), this
checkout (`new`), and this checkout once more (`again`).

A ratio tells how good the second side is beside the first, whatever the unit: 0.9 is a tenth less
done in a second, or 11 % more time or memory for each. The ratios of `again` to `new` (A/A) say
what the machine does to the same code. The rounds make two runs, the earlier half and the later
half. A row is *worse* if in both runs the median of `new` to `old` lies below that run's A/A
spread. It is *better* if it lies above in both, and otherwise *the same*, as far as this machine
can tell. The spread is taken both ways round, so that 1 always lies within it.

A row that one side lacks, or that has another unit there, is an error. After `--minutes` no round
is begun that would not end in time, and what is under way is stopped. Each run must have two whole
rounds; with `--rounds 1` it has one, which is enough to see that all of it works.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from attrs import asdict, frozen

ROOT = Path(__file__).resolve().parents[2]
SIDES = ("old", "new", "again")
RULES = """
from ops.bench import games
games.timed.__kwdefaults__["rounds"] = 3
games.memory.__defaults__ = (3,)
games.SLOPE_RECORDS = 500
games.main()
"""
"""The benchmark of the rules with fewer repetitions than it makes by itself, since the rounds here
repeat it. There are no options for them in revisions of before, so it is told from within."""
SERVER = (
    *("-m", "ops.bench.server", "--json"),
    *("--games", "4", "--each", "60", "--seconds", "5"),
    *("--subscribers", "0", "--restart", "0"),
)
"""Few commands in few games, and nothing else that the benchmark of the server can do."""
ACKNOWLEDGED = {
    "submit → acknowledged, median": ("p50_ms", "ms"),
    "submit → acknowledged, processor time of the server": ("server_cpu_us_each", "µs"),
}
"""Rows from what the benchmark of the server says of commands."""
NO_RATIO = "%"
"""A rise, which may be nothing or less: such a row must be there, but is not compared."""

Row = tuple[str, str]
"""A row's name and unit."""
Measured = Mapping[Row, float]
Round = Mapping[str, Measured]
"""What each side came to."""


class Unequal(Exception):
    """The sides do not have the same rows."""


# --- measuring ------------------------------------------------------------------------------------


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """A revision of the repository in a folder that is gone afterwards. Raises CalledProcessError
    for one that there is not."""
    with tempfile.TemporaryDirectory(prefix="warledger-against-") as folder:
        place = Path(folder) / "old"
        add = ("git", "worktree", "add", "--quiet", "--detach", str(place), revision)
        subprocess.run(add, cwd=ROOT, check=True)
        try:
            yield place
        finally:
            remove = ("git", "worktree", "remove", "--force", str(place))
            subprocess.run(remove, cwd=ROOT, check=True)


def said(root: Path, arguments: Sequence[str], until: float) -> Any:
    """What Python says in a checkout with these arguments, from JSON. Raises CalledProcessError
    where it fails, and TimeoutExpired when it has not ended by `until` (`time.monotonic`): it is
    stopped with all that it has started."""
    command = (sys.executable, *arguments)
    process = subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        output, _ = process.communicate(timeout=max(0, until - time.monotonic()))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return json.loads(output.splitlines()[-1])


def measured(root: Path, title: str, games: int, until: float) -> dict[Row, float]:
    """The rows of a checkout. Raises as `said`."""
    of_title = ("--title", title)
    of_rules = said(root, ("-c", RULES, "--json", *of_title, "--games", str(games)), until)
    of_server = said(root, (*SERVER, *of_title), until)
    return rows(of_rules, of_server)


def rows(of_rules: Sequence[Mapping[str, Any]], of_server: Mapping[str, Any]) -> dict[Row, float]:
    """The rows among what the benchmarks of the rules and of the server say."""
    found = {(one["name"], one["unit"]): float(one["value"]) for one in of_rules}
    commands = of_server.get("commands", {})
    return found | {
        (name, unit): commands[key] for name, (key, unit) in ACKNOWLEDGED.items() if key in commands
    }


def rounds_of(
    places: Mapping[str, Path], title: str, games: int, most: int, until: float
) -> list[Round]:
    """Up to `most` rounds, as many as end in time. Raises as `said`, but for TimeoutExpired, and
    Unequal."""
    found: list[Round] = []
    longest = 0.0
    while len(found) < most and (began := time.monotonic()) + longest < until:
        first = len(found) % len(SIDES)
        try:
            made = {
                side: measured(places[side], title, games, until)
                for side in (*SIDES[first:], *SIDES[:first])
            }
        except subprocess.TimeoutExpired:
            break
        all_there(made)
        found.append(made)
        longest = max(longest, time.monotonic() - began)
        print(f"round {len(found)}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return found


# --- judging --------------------------------------------------------------------------------------


def all_there(made: Round) -> None:
    """Raises Unequal where a side lacks a row, or has nothing there to compare."""
    every = {row for side in made.values() for row in side}
    lacking = [
        f"{name} ({unit}) is not in {side}"
        for name, unit in sorted(every)
        for side, found in made.items()
        if (name, unit) not in found
    ]
    lacking += [
        f"{row[0]} ({row[1]}) is {value} in {side}"
        for side, found in made.items()
        for row, value in sorted(found.items())
        if row[1] != NO_RATIO and value <= 0
    ]
    if lacking:
        raise Unequal("; ".join(lacking))


@frozen
class Spread:
    """Least, median and most of the ratios of a run."""

    least: float
    median: float
    most: float

    @classmethod
    def of(cls, ratios: Sequence[float]) -> "Spread":
        """That of some ratios."""
        return cls(min(ratios), median(ratios), max(ratios))

    def side_of(self, ratio: float) -> int:
        """Whether a ratio lies below (-1), within (0) or above (1) the spread taken both ways
        round."""
        least = min(self.least, 1 / self.most)
        return (ratio > 1 / least) - (ratio < least)

    def __str__(self) -> str:
        return f"{self.least:.2f} {self.median:.2f} {self.most:.2f}"


def ratios(run: Sequence[Round], row: Row, first: str, second: str) -> Spread:
    """How good the second side is beside the first in each round of a run."""
    more_is_better = row[1].endswith("/s")
    return Spread.of(
        [
            one[second][row] / one[first][row]
            if more_is_better
            else one[first][row] / one[second][row]
            for one in run
        ]
    )


def verdict(against: Sequence[Spread], same: Sequence[Spread]) -> str:
    """Of a row whose ratios and A/A ratios these are, a spread a run."""
    lies = {aa.side_of(one.median) for one, aa in zip(against, same, strict=True)}
    return {frozenset((-1,)): "worse", frozenset((1,)): "better"}.get(frozenset(lies), "the same")


def compared(found: Sequence[Round]) -> list[dict[str, Any]]:
    """Each row with its figures and what is said of it. `found` has two rounds at least."""
    half = len(found) // 2
    runs = (found[:half], found[half:])
    lines = []
    for row in found[0]["new"]:
        name, unit = row
        if unit == NO_RATIO:
            continue
        against = [ratios(run, row, "old", "new") for run in runs]
        same = [ratios(run, row, "new", "again") for run in runs]
        lines.append(
            {
                "row": name,
                "unit": unit,
                "old": median(one["old"][row] for one in found),
                "new": median(one["new"][row] for one in found),
                "new to old": against,
                "A/A": same,
                "verdict": verdict(against, same),
            }
        )
    return lines


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("revision")
    parser.add_argument("--title", default="war_at_sea")
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3, help="of each of the two runs, at most")
    parser.add_argument("--minutes", type=float, default=30, help="how long all of it may take")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    until = time.monotonic() + 60 * given.minutes
    with checked_out(given.revision) as old:
        places = {"old": old, "new": ROOT, "again": ROOT}
        try:
            found = rounds_of(places, given.title, given.games, 2 * given.rounds, until)
        except Unequal as unequal:
            sys.exit(f"not compared: {unequal}")
    least = 2 * min(2, given.rounds)
    if len(found) < least:
        sys.exit(f"not compared: {len(found)} of {least} rounds in {given.minutes:g} minutes")
    lines = compared(found)
    if given.json:
        print(json.dumps(lines, default=asdict, ensure_ascii=False))
        return
    print(f"{given.title}, {len(found)} rounds; least, median and most of each of two runs")
    for line in lines:
        against, same = (" | ".join(map(str, line[key])) for key in ("new to old", "A/A"))
        print(
            f"{line['row']:52} {line['old']:12,.2f} → {line['new']:12,.2f} {line['unit']:10} "
            f"{against}   A/A {same}   {line['verdict']}"
        )


if __name__ == "__main__":
    main()
