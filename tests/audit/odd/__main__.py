"""Odd games and ledgers, as a stranger with keys of his own writes them, before all verifiers.

    python -m tests.audit.odd [--seed N] [--count N] [--kind games|ledgers] [--all]

Stops at the first disagreement (with --all goes on, and counts them), writes the file beside, and
says which seed gives it again with --count 1.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tests.audit.odd.judges import JUDGES
from tests.audit.odd.trials import KINDS, trial

WRITTEN = Path("odd.wlog")


def main() -> int:
    """Try as many as asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.audit.odd", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many files")
    parser.add_argument("--kind", choices=KINDS, action="append", help="games or ledgers; both")
    parser.add_argument("--all", action="store_true", help="go on behind a disagreement")
    given = parser.parse_args()
    kinds = tuple(given.kind or KINDS)
    found: Counter[str] = Counter()
    begun, sound = time.monotonic(), 0
    for seed in range(given.seed, given.seed + given.count):
        for kind in kinds:
            one = trial(kind, seed, JUDGES)
            sound += one.is_sound
            if one.agrees:
                continue
            found[one.sort] += 1
            print(one.told(), flush=True)
            if not given.all:
                WRITTEN.write_bytes(one.data)
                print(f"written to {WRITTEN}")
                return 1
    took = time.monotonic() - begun
    print(
        f"{given.count * len(kinds)} files, {sound} sound, {took:.0f} s: {found.total()} disagree"
    )
    for sort, count in found.most_common():
        print(f"{count:6}  {sort}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
