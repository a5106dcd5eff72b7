"""Odd games and ledgers, as a stranger with keys of his own writes them, before all verifiers.

    python -m tests.audit.odd [--seed N] [--count N] [--kind games|ledgers] [--all] [--page]

Stops at the first disagreement (with --all goes on, and counts them), writes the file beside, and
says which seed gives it again with --count 1.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.audit.odd.judges import JUDGES, Judge
from tests.audit.odd.page import opened
from tests.audit.odd.trials import KINDS, trial
from tests.browser.conftest import ARGUMENTS, browser_path

WRITTEN = Path("odd.wlog")


def main() -> int:
    """Try as many as asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.audit.odd", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many files")
    parser.add_argument("--kind", choices=KINDS, action="append", help="games or ledgers; both")
    parser.add_argument("--all", action="store_true", help="go on behind a disagreement")
    parser.add_argument("--page", action="store_true", help="games, by the page as well")
    given = parser.parse_args()
    kinds = tuple(given.kind or (("games",) if given.page else KINDS))
    with judges(given.page) as all_judges:
        return _tried(given, kinds, all_judges)


@contextmanager
def judges(page: bool) -> Iterator[Mapping[str, Judge]]:
    """Those that need nothing but Python, and the page, which needs a browser."""
    if not page:
        yield JUDGES
        return
    from playwright.sync_api import sync_playwright  # only those who ask for it have it

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=browser_path(), args=list(ARGUMENTS))
        with opened(browser) as third:
            yield {**JUDGES, "page": third}
        browser.close()


def _tried(
    given: argparse.Namespace, kinds: tuple[str, ...], all_judges: Mapping[str, Judge]
) -> int:
    found: Counter[str] = Counter()
    begun, sound = time.monotonic(), 0
    for seed in range(given.seed, given.seed + given.count):
        for kind in kinds:
            one = trial(kind, seed, all_judges)
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
