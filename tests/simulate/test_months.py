"""Months of correspondence in seconds."""

from pathlib import Path

import pytest
import trio
import trio.testing

from tests.simulate.correspondence import Months, seldom
from tests.simulate.test_crashes import _deterministic
from warledger.protocol.log import records


def simulate(seed: int, folder: Path, days: float) -> Months:
    """One run from one seed."""
    folder.mkdir()
    world = Months(seed, folder, days)
    try:
        _deterministic(seed)
        trio.run(world.run, clock=trio.testing.MockClock(autojump_threshold=0))
    except BaseException:
        print(f"seed {seed}, after {world.kills} kills")
        raise
    return world


def test_months_of_correspondence_are_told_again_by_their_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through kills, nights, leave, claims and rulings every file is sound, nobody falls by an
    outage, no ruling is half done and nothing is sent under two keys; and the same seed gives the
    same logs and messages, byte for byte."""
    seldom(monkeypatch)
    world = simulate(1, tmp_path / "1", 12)
    kinds = {record.kind for log in world.logs.values() for record in log}
    assert {records.CLOCK, records.RULING, records.COMMAND} <= kinds
    assert world.kills >= 2 and len(world.sent) > 10
    assert simulate(1, tmp_path / "2", 12).digest == world.digest


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 134))
def test_many_months_of_correspondence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The same for three games each of many seeds: a hundred games with clocks and claims."""
    seldom(monkeypatch)
    simulate(seed, tmp_path / "run", 90)
