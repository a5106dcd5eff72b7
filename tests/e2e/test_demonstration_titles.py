"""The demonstration of each hex title over real sockets: played, told, exported, audited."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SECONDS_MAX = 30


@pytest.mark.long
@pytest.mark.parametrize(
    ("title", "turn", "told"),
    [("victory_lost", "Turn 2", "attack"), ("typhoon", "Turn 12", "Attack declared")],
)
def test_the_demonstration_of_a_hex_title(title: str, turn: str, told: str, tmp_path: Path) -> None:
    """`demo --title TITLE --fast` plays, watches, exports and audits a whole match within half a
    minute on a machine that is free."""
    started = time.perf_counter()
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "warledger.clients.cli",
            "demo",
            "--title",
            title,
            "--fast",
            "--plain",
            "--lang",
            "en",
            "--keep",
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    seconds = time.perf_counter() - started

    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    assert (
        turn in run.stdout
        or "the lead is large enough" in run.stdout
        or "at the end of turn 10" in run.stdout
    )
    assert told in run.stdout
    assert "Both spectators saw all" in run.stdout
    assert "Sound" in run.stdout
    assert "⟨" not in run.stdout
    if os.getloadavg()[0] < (os.cpu_count() or 1):
        assert seconds < SECONDS_MAX, f"{seconds:.1f} s"
