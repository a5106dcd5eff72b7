"""Runs the tests in as many pytest processes as there are cores: `python -m ops.parts [pytest
arguments]`, called by `ops/test --long`.

Which test runs where is a rule and not a matter of luck, so that a failure comes again. Of the
tests left after -m and -k, long ones are dealt out by their parameters (every law looks at the same
games). The rest are dealt out by files (whose tests share what is dear to set up). `python -m
pytest -p ops.parts --part 2/2` runs one part alone. Tests that hold for any seed get a new one,
which is drawn once a run and shown where each part begins. `--seed N` gives it again. Each test is
a line as it ends, with the number of its part before it. Nothing stops at a failure; the failures
are listed again at the end.
"""

import os
import subprocess
import sys
import threading
from argparse import ArgumentTypeError
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from random import SystemRandom

import pytest

PARTS_MAX = 4
"""More at once than this, and tests with servers of their own begin to wait for each other."""

_NOTHING_RUN = 5
"""pytest's exit code when there was no test."""


# --- the rule, a pytest plugin --------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """--part K/N."""
    parser.addoption("--part", metavar="K/N", type=_part, help="run only part K of N of the tests")


def _part(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise ArgumentTypeError("a part is K/N, with K from 1 to N")
    return int(part), int(parts)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of this part."""
    chosen = config.getoption("part")
    if chosen is None:
        return
    part, parts = chosen
    places = dealt([_key(item) for item in items], parts)
    here = [item for item, place in zip(items, places, strict=True) if place == part]
    config.hook.pytest_deselected(
        items=[item for item, place in zip(items, places, strict=True) if place != part]
    )
    items[:] = here


def _key(item: pytest.Item) -> tuple[bool, str]:
    """Whether a test is long, and what it must stay together with: a long one with those of the
    same parameters, others with their file."""
    if item.get_closest_marker("long") is None:
        return False, str(item.path)
    called = getattr(item, "callspec", None)
    return True, str(called.id) if called is not None else item.nodeid


def dealt(keys: Sequence[tuple[bool, str]], parts: int) -> list[int]:
    """The part, from 1, of each test. Long tests and others are dealt out apart, each key once and
    in turn."""
    places: dict[bool, dict[str, int]] = {False: {}, True: {}}
    return [
        places[is_long].setdefault(key, len(places[is_long])) % parts + 1 for is_long, key in keys
    ]


# --- the processes --------------------------------------------------------------------------------


def run(arguments: Sequence[str], parts: int) -> int:
    """Run every part side by side. Returns pytest's exit code, the worst of them."""
    failures: list[list[str]] = [[] for _ in range(parts)]
    processes = []
    readers = []
    for part in range(1, parts + 1):
        command = [
            sys.executable,
            "-u",
            "-m",
            "pytest",
            "-vv",
            "-p",
            "ops.parts",
            "--part",
            f"{part}/{parts}",
        ]
        command += ["-o", f"cache_dir=.pytest_cache/part{part}", *arguments]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        processes.append(process)
        readers.append(threading.Thread(target=_tell, args=(process, part, failures[part - 1])))
        readers[-1].start()
    try:
        codes = [process.wait() for process in processes]
    except KeyboardInterrupt:  # the terminal has told the processes too: they say what they were at
        codes = [process.wait() for process in processes]
    for reader in readers:
        reader.join()
    for failure in chain.from_iterable(failures):
        print(failure)
    ran = [code for code in codes if code != _NOTHING_RUN]
    return max((abs(code) for code in ran), default=_NOTHING_RUN)


def _tell(process: "subprocess.Popen[str]", part: int, failures: list[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        print(f"[{part}] {line}", end="", flush=True)
        if line.startswith(("FAILED ", "ERROR ")):
            failures.append(line.rstrip())


def main() -> None:
    """The command line."""
    os.chdir(Path(__file__).resolve().parent.parent)
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    seed = str(SystemRandom().randrange(1 << 30))
    sys.exit(run(["--seed", seed, *sys.argv[1:]], max(1, min(cores, PARTS_MAX))))


if __name__ == "__main__":
    main()
