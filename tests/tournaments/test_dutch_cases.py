"""FIDE C.04.3 pairs the rounds that are handed over as the endorsed program does."""

from pathlib import Path

import pytest

from tests.tournaments.matchers import reversed_matcher, rustworkx_matcher
from warledger.engine.tournaments import trf
from warledger.engine.tournaments.swiss.dutch import dutch

FOLDER = Path(__file__).parents[1] / "fixtures" / "pairings"
CASES = sorted(path.stem for path in FOLDER.glob("*.trf"))


@pytest.mark.parametrize("name", CASES)
def test_a_round_is_paired_as_expected(name: str) -> None:
    """Pairs, sides, order of boards and bye, whichever best matching the matcher finds."""
    report = trf.read((FOLDER / f"{name}.trf").read_bytes())
    expected = [
        tuple(map(int, line.split()))
        for line in (FOLDER / f"{name}.expected").read_text(encoding="utf-8").splitlines()[1:]
    ]
    for matcher in (rustworkx_matcher, reversed_matcher):
        paired = dutch(
            report.table,
            report.present,
            matcher,
            scale=report.scale,
            initial=report.initial,
            forbidden=report.forbidden,
        )
        assert [*paired.boards, *([(paired.bye, 0)] if paired.bye else [])] == expected


def test_there_are_cases() -> None:
    """An empty folder would pass."""
    assert len(CASES) == 24
