"""`warledger analyse`, and the branches of which an analysis is made."""

from __future__ import annotations

import json
import math
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve as replace
from click.testing import CliRunner

from tests.played import game_file
from warledger.clients.audit.commands import replay_command
from warledger.clients.audit.examine import examine
from warledger.clients.bots import analyst, branch
from warledger.clients.bots.analyst import Task
from warledger.clients.bots.branch import NoBranch
from warledger.clients.commands.figures.analyse import analyse_command
from warledger.engine.kernel.position import ENDED
from warledger.engine.registry import rules_of
from warledger.protocol import analysis
from warledger.protocol.analysis import ASTRAY, BadAnalysis


def run(*args: object) -> Any:
    return CliRunner().invoke(analyse_command, [str(arg) for arg in (*args, "--lang", "en")])


@pytest.fixture(scope="module")
def found() -> Any:
    """The game of the fixture, examined."""
    return examine(game_file().read_bytes())


@pytest.fixture(scope="module")
def last(found: Any) -> branch.Origin:
    """The beginning of its last turn."""
    seq = branch.turns(found.records)[-1][0]
    return analyst.origins_of(found, [seq])[seq]


def test_a_branch_is_the_game_until_there_and_touches_nothing(
    found: Any, last: branch.Origin
) -> None:
    """It begins with the board that each seat saw, ends by the rules, is the same for the same seed
    and another for another, and leaves the origin as it was."""
    seq = last.record.seq
    before = {audience: board.copy() for audience, board in last.boards.items()}
    made = [branch.begin(last, seed) for seed in ("a", "a", "b", "c")]
    assert made[0].ledger.position.state == last.position.state
    assert made[0].views["axis"].board.pieces == before["axis"].pieces
    for one in made:
        one.play_out()
        assert one.ledger.position.stage == ENDED and one.outcome is not None
        assert one.told[0][0].seq == seq + 1
        assert one.told[0][0].previous == found.records[seq].hash
    logs = [[record.data for record, _ in one.told] for one in made]
    assert logs[0] == logs[1]
    assert len({tuple(log) for log in logs}) == 3
    assert last.boards == before


def test_what_is_sealed_is_not_played_on(found: Any) -> None:
    """A file in which something before the record is still hidden has no branch there."""
    (seq, _), *rest = branch.turns(found.records)
    with pytest.raises(NoBranch, match="record 3"):
        branch.origins(rules_of("war_at_sea"), found.records, {}, [seq, rest[-1][0]], [3])


def test_an_analysis_goes_on_where_it_was(found: Any, tmp_path: Path) -> None:
    """A larger N plays only what is missing; what is there is kept; and any game of it can be made
    again from the record and its number."""
    made = analyst.begun(found)
    made = replace(made, points=made.points[-2:])
    todo = analyst.tasks(made, 2)
    assert todo == [Task(p.seq, n) for n in (0, 1) for p in made.points]
    made = analyst.with_result(made, todo[0], "axis")
    made = analyst.with_result(made, todo[3], ASTRAY)
    assert analyst.tasks(made, 2) == [todo[1], todo[2]]
    assert (made.points[0].played, made.points[1].played) == (1, 0)
    again = analysis.read(json.loads(json.dumps(made.as_data())))
    assert again == made and again.fits(found.records)
    assert not again.fits(found.records[:-200])


def test_the_command_keeps_the_curve_beside_the_file(
    found: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says how often each side wins and what that is worth, `replay` says it too, an analysis of
    another course of the game is not written over, and an interrupted one is not lost."""
    file = tmp_path / "game.wlog"
    shutil.copy(game_file(), file)
    beside = tmp_path / "game.analysis.json"
    every = branch.turns(found.records)
    monkeypatch.setattr("warledger.clients.bots.analyst.turns", lambda log: every[-2:])
    done: list[Task] = []
    real = analyst.result_of

    def interrupted(origin: branch.Origin, n: int) -> str:
        if len(done) == 1:
            raise KeyboardInterrupt
        done.append(Task(origin.record.seq, n))
        return real(origin, n)

    monkeypatch.setattr(analyst, "result_of", interrupted)
    run(file, "--processes", "1", "--rollouts", "2")
    (first, second) = json.loads(beside.read_text())["points"]
    assert len(first["results"]) == 1 and second["results"] == []
    monkeypatch.setattr(analyst, "result_of", real)
    result = run(file, "--processes", "1", "--rollouts", "2")
    assert result.exit_code == 0, result.output
    assert "What this is worth" in result.output and "2 games: Allies" in result.output
    assert json.loads(beside.read_text())["points"][0]["results"][0] == first["results"][0]
    told = CliRunner().invoke(replay_command, [str(file), "--plain", "--lang", "en"])
    assert f"(record {second['seq']}), 2 games: Allies" in told.output
    other = json.loads(beside.read_text())
    other["genesis"] = "00" * 32
    beside.write_text(json.dumps(other))
    result = run(file, "--processes", "1")
    assert result.exit_code == 1 and "another game" in result.output
    assert json.loads(beside.read_text()) == other


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {"analysis": 2},
        {"points": [{"seq": 1, "hash": "", "args": [], "results": ["nobody"]}]},
        {"points": [{"seq": -1, "hash": "", "args": [], "results": []}]},
        {"points": [{"seq": 1, "hash": "zz", "args": [], "results": []}]},
        {"points": [{"seq": 1, "hash": "", "args": [], "results": []}] * 2},
        {"seats": "axis"},
    ],
)
def test_what_is_no_analysis_is_refused(found: Any, wrong: Any) -> None:
    """Whatever form a stranger's file has, nothing but BadAnalysis is raised."""
    whole = analyst.begun(found).as_data()
    with pytest.raises(BadAnalysis):
        analysis.read({**whole, **wrong} if wrong else wrong)


def test_the_interval_is_that_of_wilson() -> None:
    """Against the formula in floats, to a thousandth; and it always holds the share."""
    rng = random.Random(3)
    for _ in range(300):
        n = rng.randrange(1, 400)
        won = rng.randrange(n + 1)
        p, z = won / n, 1.96
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        odds = analysis.odds(won, n)
        assert abs(odds.low - 1000 * max(0, middle - half)) <= 1.01
        assert abs(odds.high - 1000 * min(1, middle + half)) <= 1.01
        assert odds.low <= odds.share <= odds.high
    assert analysis.odds(0, 0) == analysis.Odds(0, 0, 1000)
