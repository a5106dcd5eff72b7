"""The figures of the rules beside those of an older revision, by turns in one run.

    python -m ops.bench.against REVISION [--title T] [--games N] [--rounds N] [--json]

The revision is checked out into a temporary folder, and `ops.bench.games` runs there and here by
turns, each in a process of its own, so that whatever else the machine does slows both alike. Of the
rounds the median of the ratios counts, new to old. Figures that one of the two does not have are
left out.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from ops.bench.figures import show

ROOT = Path(__file__).resolve().parents[2]


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


def figures_of(root: Path, arguments: Sequence[str]) -> dict[str, float]:
    """Name -> value of what the benchmark of the games says in a checkout. Raises
    CalledProcessError where it fails."""
    command = (sys.executable, "-m", "ops.bench.games", "--json", *arguments)
    done = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    return {one["name"]: one["value"] for one in json.loads(done.stdout.splitlines()[-1])}


def ratios(
    rounds: Sequence[tuple[Mapping[str, float], Mapping[str, float]]],
) -> dict[str, dict[str, float]]:
    """Name -> the medians of the old and the new figure, and of their ratio in each round."""
    old_first, new_first = rounds[0]
    return {
        name: {
            "old": median(old[name] for old, _ in rounds),
            "new": median(new[name] for _, new in rounds),
            "new to old": median(new[name] / old[name] for old, new in rounds),
        }
        for name in new_first
        if name in old_first and all(old[name] for old, _ in rounds)
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision")
    parser.add_argument("--title", default="war_at_sea")
    parser.add_argument("--games", default="5")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    arguments = ("--title", given.title, "--games", given.games)
    with checked_out(given.revision) as old:
        found = [
            (figures_of(old, arguments), figures_of(ROOT, arguments)) for _ in range(given.rounds)
        ]
    show(ratios(found), machine=given.json)


if __name__ == "__main__":
    main()
