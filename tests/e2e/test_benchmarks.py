"""Every benchmark runs, and prints figures: once, as small as it goes. What the figures are is no
matter here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ops.bench import against

ROOT = Path(__file__).parents[2]
HELPERS = {"figures", "fleetfaults", "fleetsite", "load", "recorded"}
"""Modules of ops/bench that are no benchmarks themselves."""

QUICK = {
    "heads": ("--batches", "1,5", "--rounds", "2"),
    "pairing": ("--players", "20", "--rounds", "2"),
}
"""Those that every run of the tests can afford, with what makes them small."""
SLOW = {
    "against": ("HEAD", "--rounds", "1"),
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
        *("--subscribers", "2", "--restart", "2"),
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


# --- against an older revision --------------------------------------------------------------------

WORK = ("work", "events/s")
WAIT = ("wait", "ms")


def a_round(old: float, new: float, again: float) -> against.Round:
    """One in which the sides did so much in a second, and waited accordingly."""
    sides = {"old": old, "new": new, "again": again}
    return {side: {WORK: done, WAIT: 1000 / done} for side, done in sides.items()}


@pytest.mark.parametrize(
    ("rounds", "verdict"),
    [
        ([(100, 80, 84), (100, 81, 79)], "worse"),
        ([(100, 121, 118), (100, 120, 124)], "better"),
        ([(100, 80, 84), (100, 98, 95)], "the same"),
        ([(100, 80, 84), (100, 121, 118)], "the same"),
        ([(100, 90, 80), (100, 90, 102)], "the same"),
    ],
)
def test_a_row_is_worse_outside_the_spread_of_the_same_code_in_two_runs(
    rounds: list[tuple[float, float, float]], verdict: str
) -> None:
    """And better likewise, whether its figure is work done in a second or a time; not if one of the
    runs says otherwise, and not if the same code differs from itself as much, in either
    direction."""
    found = against.compared([a_round(*one) for one in rounds])
    assert [line["verdict"] for line in found] == [verdict, verdict]
    assert all(line["A/A"][0].least <= line["A/A"][0].most for line in found)


def test_least_median_and_most_are_those_of_a_run() -> None:
    """The earlier and the later half of the rounds are a run each."""
    news = (90, 120, 100, 50, 50, 80)
    found = against.compared([a_round(100, new, new) for new in news])
    for line in found:
        spreads = [(one.least, one.median, one.most) for one in line["new to old"]]
        assert spreads == [
            pytest.approx((0.9, 1.0, 1.2)),
            pytest.approx((0.5, 0.5, 0.8)),
        ]


@pytest.mark.parametrize(
    ("row", "value"), [(("wait", "s"), 1.0), (("work anew", "events/s"), 1.0), (WORK, 0.0)]
)
def test_a_row_that_one_side_lacks_is_no_silent_loss(row: tuple[str, str], value: float) -> None:
    """A row with another name or unit, or with nothing to compare, is an error that names it."""
    made = a_round(100, 100, 100)
    against.all_there(made)
    with pytest.raises(against.Unequal, match=f"{row[0]} .*{row[1]}"):
        against.all_there({**made, "old": {**made["old"], row: value}})


def test_the_rows_are_what_both_benchmarks_say() -> None:
    """Those of the rules by name and unit, and two of the server's; one that the server does not
    say is not made up."""
    rules = [{"name": "work", "value": 3, "unit": "events/s", "floor": None}]
    server = {"commands": {"p50_ms": 2.5, "p99_ms": 9.0}, "floor": {"echo_per_second": 1.0}}
    assert against.rows(rules, server) == {
        WORK: 3.0,
        ("submit → acknowledged, median", "ms"): 2.5,
    }


def test_no_benchmark_outlasts_its_time() -> None:
    """It is stopped, and nothing is said of it."""
    with pytest.raises(subprocess.TimeoutExpired):
        against.said(ROOT, ("-m", "ops.bench.games"), time.monotonic() + 0.1)
