"""Every benchmark runs, and prints figures: once, as small as it goes. What the figures are is no
matter here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HELPERS = {"figures", "fleetfaults", "fleetsite", "load", "recorded"}
"""Modules of ops/bench that are no benchmarks themselves."""

QUICK = {
    "heads": ("--batches", "1,5", "--rounds", "2"),
    "pairing": ("--players", "20", "--rounds", "2"),
}
"""Those that every run of the tests can afford, with what makes them small."""
SLOW = {
    "against": ("HEAD", "--games", "1", "--rounds", "1"),
    "balance": ("--games", "1", "--player", "random"),
    "board": ("1",),
    "campaign": ("--scenario", "sudwind", "--commands", "60"),
    "clocks": ("--rounds", "1", "--games", "2", "--seconds", "0.2"),
    "cup": ("--players", "6", "--rounds", "3", "--late", "0", "--leave", "0"),
    "desk": ("--games", "5"),
    "fleet": ("--small",),
    "games": ("--games", "1"),
    "gateway": ("--spectators", "2", "--games", "1", "--seconds", "1"),
    "growth": (),
    "logins": ("--tries", "30", "--games", "2", "--seconds", "1", "--addresses", "5"),
    "lists": ("--games", "300", "--pages", "1"),
    "ocs": ("1",),
    "page": ("--scrubs", "3"),
    "rounds": ("--players", "20", "--rounds", "1"),
    "selfplay": ("--show",),
    "server": (
        *("--games", "2", "--each", "20", "--seconds", "1"),
        *("--subscribers", "2", "--restart", "2", "--workers", "2"),
    ),
    "simulation": ("--runs", "1"),
    "snapshots": ("--records", "1200", "--looks", "2"),
    "standings": (),
    "store": (),
}


def runs(name: str, tmp_path: Path) -> str:
    """What a benchmark prints."""
    arguments = list({**QUICK, **SLOW}[name])
    if name == "store":
        arguments = [str(tmp_path)]
    if name == "selfplay":
        arguments = [str(tmp_path / "games.jsonl"), *arguments]
    found = subprocess.run(
        [sys.executable, "-m", f"ops.bench.{name}", *arguments],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-2000:]
    return found.stdout


def test_every_benchmark_is_run_here() -> None:
    """A new benchmark must be named above, or nobody would notice when it breaks."""
    there = {path.stem for path in (ROOT / "ops" / "bench").glob("[!_]*.py")}
    assert there - HELPERS == {*QUICK, *SLOW}


@pytest.mark.parametrize("name", sorted(QUICK))
def test_a_quick_benchmark_prints_figures(name: str, tmp_path: Path) -> None:
    """It ends well, and has something to say."""
    assert any(char.isdigit() for char in runs(name, tmp_path))


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(SLOW))
def test_a_benchmark_prints_figures(name: str, tmp_path: Path) -> None:
    """The same for those that take seconds."""
    assert any(char.isdigit() for char in runs(name, tmp_path))


@pytest.mark.long
def test_self_play_of_every_scenario_is_sound(tmp_path: Path) -> None:
    """A game of each kind that the proof of Hungarian Rhapsody asks for, by chance and by captains,
    to its end; a second run finds them all there."""
    file, command = tmp_path / "games.jsonl", [sys.executable, "-m", "ops.bench.selfplay"]
    for _ in range(2):
        subprocess.run([*command, str(file), "--small"], cwd=ROOT, check=True)
        games = [json.loads(line) for line in file.read_text().splitlines()]
        assert len({(game["scenario"], game["player"]) for game in games}) == len(games) == 16
        assert {game["verdict"] for game in games} == {"sound"}
