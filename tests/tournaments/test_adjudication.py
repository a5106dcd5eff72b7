"""Unfinished games: by a panel of sealed percentages."""

from fractions import Fraction

import pytest

from warledger.engine.tournaments import adjudication
from warledger.engine.tournaments.adjudication import BadJudgement
from warledger.engine.tournaments.charter import Unfinished

PANEL = Unfinished(by="panel")


@pytest.mark.parametrize(
    ("given", "mean", "result"),
    [
        ((70, 55, 50), Fraction(175, 3), "draw"),
        ((80, 60, 40), Fraction(60), "win"),
        ((50, 40, 30), Fraction(40), "loss"),
    ],
)
def test_e16_a_panel_of_three(given: tuple[int, ...], mean: Fraction, result: str) -> None:
    """The mean decides: up to 40 a loss, from 60 a win, between them a draw."""
    judged = adjudication.by_panel(given, PANEL)

    assert (judged.mean, judged.result) == (mean, result)


def test_a_panel_is_whole() -> None:
    """A missing or impossible percentage is refused."""
    with pytest.raises(BadJudgement, match="3 members"):
        adjudication.by_panel((50, 50), PANEL)
    with pytest.raises(BadJudgement, match="0 to 100"):
        adjudication.by_panel((50, 50, 101), PANEL)


def test_the_share_of_the_time_is_shown_beside() -> None:
    """Exact, and nothing where no time was used."""
    assert adjudication.share_of_time({"a": 30, "b": 15}) == {
        "a": Fraction(2, 3),
        "b": Fraction(1, 3),
    }
    assert adjudication.share_of_time({"a": 0}) == {}
