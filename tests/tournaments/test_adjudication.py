"""Unfinished games: by score, by a panel of sealed percentages."""

from fractions import Fraction

import pytest

from tests.tournaments.bench import WARGAME
from warledger.engine.tournaments import adjudication
from warledger.engine.tournaments.adjudication import BadJudgement
from warledger.engine.tournaments.charter import Unfinished
from warledger.engine.tournaments.points import Handicap

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


def test_by_score_with_a_handicap() -> None:
    """The handicap counts here too; a margin below the charter's bound is a draw."""
    rules = Unfinished(draw=4)
    level = adjudication.by_score(6, Handicap(0, 3), rules, WARGAME)
    ahead = adjudication.by_score(7, Handicap(0, 3), Unfinished(draw=4), WARGAME)
    close = adjudication.by_score(-3, Handicap(), Unfinished(), WARGAME)

    assert (level.result, level.half) == ("draw", 0)
    assert (ahead.result, ahead.half) == ("win", 4)
    assert (close.result, close.half) == ("close_loss", -3)


def test_judged_lines_count_as_played() -> None:
    """Both entrants have their line, as a game that was played."""
    judged = adjudication.by_score(-9, Handicap(), Unfinished(), WARGAME)
    lines = adjudication.lines((4, 2), judged, WARGAME, board=3)

    assert [(lines[n].result, lines[n].points, lines[n].margin) for n in (4, 2)] == [
        ("loss", 0, -9),
        ("win", 10, 9),
    ]
    assert lines[4].played and lines[2].seat == 1 and lines[2].board == 3


def test_the_share_of_the_time_is_shown_beside() -> None:
    """Exact, and nothing where no time was used."""
    assert adjudication.share_of_time({"a": 30, "b": 15}) == {
        "a": Fraction(2, 3),
        "b": Fraction(1, 3),
    }
    assert adjudication.share_of_time({"a": 0}) == {}
