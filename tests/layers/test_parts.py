"""How the tests are dealt out to processes: `ops/test --long` must run each of them once."""

import subprocess
import sys
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from ops.parts import _part, dealt

ROOT = Path(__file__).resolve().parents[2]


def test_what_belongs_together_stays_together() -> None:
    """Keys are dealt in turn, long tests apart from the others, and whatever has the same key goes
    to the same part."""
    keys = [
        (False, "a"),
        (True, "x"),
        (False, "a"),
        (False, "b"),
        (True, "y"),
        (True, "z"),
        (True, "x"),
        (False, "c"),
    ]

    assert dealt(keys, 2) == [1, 1, 1, 2, 2, 1, 1, 1]
    assert dealt(keys, 1) == [1] * len(keys)


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "a/b", "-1/2"])
def test_a_part_that_makes_no_sense_is_refused(text: str) -> None:
    """K/N, with K from 1 to N."""
    with pytest.raises(ArgumentTypeError):
        _part(text)


def test_every_test_is_in_one_part() -> None:
    """The parts together collect what one process does, and nothing twice."""

    def collected(*more: str) -> list[str]:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "--collect-only",
            "-p",
            "no:cacheprovider",
            *more,
        ]
        command += [
            "tests/layers/test_parts.py",
            "tests/layers/test_locks.py",
            "tests/contract/test_wlog.py",
        ]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        return [line for line in run.stdout.splitlines() if "::" in line]

    parts = [collected("-p", "ops.parts", "--part", f"{part}/3") for part in (1, 2, 3)]
    assert all(parts)
    assert sorted(name for part in parts for name in part) == sorted(collected())
