"""Points: what a game, a forfeit or a bye brings, with margins and handicaps in half units."""

import pytest

from tests.tournaments.bench import CHESS, WARGAME
from warledger.engine.tournaments import points
from warledger.engine.tournaments.charter import Late
from warledger.engine.tournaments.points import Handicap

ALLIES, AXIS = 0, 1


def test_e11_points_with_close_wins() -> None:
    """Wins by 3, 5 and 2 and a loss by 1 with close below 2: 32 points."""
    got = [points.of_margin(2 * margin, WARGAME) for margin in (3, 5, 2, -1)]

    assert got == ["win", "win", "win", "close_loss"]
    assert sum(points.worth(one, WARGAME) for one in got) == 32


def test_e08_the_handicap_decides_a_level_game() -> None:
    """The Allies gave 1.5 and the marker ends on 0: a close win of the Axis by 1.5, 8 to 2."""
    lines = points.lines_of_game((7, 3), 0, None, Handicap(ALLIES, 3), WARGAME, board=4)

    assert (lines[3].result, lines[3].points, lines[3].margin) == ("close_win", 8, 3)
    assert (lines[7].result, lines[7].points, lines[7].margin) == ("close_loss", 2, -3)
    assert (lines[7].seat, lines[7].opponents, lines[7].board) == (ALLIES, (3,), 4)


def test_e09_the_handicap_can_make_a_draw() -> None:
    """The Allies gave 2 and win by 2: margin 0, 5 to 5."""
    lines = points.lines_of_game((1, 2), 4, ALLIES, Handicap(ALLIES, 4), WARGAME)

    assert [(lines[n].result, lines[n].points, lines[n].margin) for n in (1, 2)] == [
        ("draw", 5, 0),
        ("draw", 5, 0),
    ]


@pytest.mark.parametrize(
    ("margin", "winner", "result", "left"),
    [
        (20, ALLIES, "win", 20),
        (3, ALLIES, "close_win", 3),
        (-3, AXIS, "close_loss", -3),
        (0, AXIS, "close_loss", 0),
        (0, None, "draw", 0),
        (None, AXIS, "loss", 0),
        (-8, ALLIES, "win", 0),
    ],
)
def test_without_a_handicap_the_rules_name_the_winner(
    margin: int | None, winner: int | None, result: str, left: int
) -> None:
    """The margin tells how close it was; one that speaks for the loser tells nothing."""
    line = points.lines_of_game((1, 2), margin, winner, Handicap(), WARGAME)[1]

    assert (line.result, line.margin) == (result, left)


def test_scores_become_half_units() -> None:
    """War at Sea counts halves of a POC; less than a half unit is dropped."""
    assert points.half_units(3, 2) == 3
    assert points.half_units(-4, 1) == -8
    assert points.half_units(-5, 3) == -3
    with pytest.raises(ValueError, match="at least one point"):
        points.half_units(1, 0)


def test_forfeits_and_byes() -> None:
    """Who was there wins by forfeit, nobody if neither was; byes bring what the charter says."""
    lines = points.lines_of_forfeit((1, 2), AXIS, WARGAME)
    both = points.lines_of_forfeit((1, 2), None, WARGAME)

    assert [(lines[n].result, lines[n].points) for n in (1, 2)] == [("loss", 0), ("win", 9)]
    assert [both[n].result for n in (1, 2)] == ["loss", "loss"]
    assert not lines[1].played and lines[1].opponents == (2,)
    assert points.line_of_bye("pairing_bye", WARGAME).points == 5
    assert points.line_of_bye("full_bye", CHESS).points == 2
    with pytest.raises(ValueError, match="no bye"):
        points.line_of_bye("played", CHESS)


def test_rounds_missed_before_a_late_entry() -> None:
    """As many halves as the charter gives, for the last of them; the rest are absences."""
    late = points.missed(3, Late(4, "half", 2), CHESS)

    assert [(one.manner, one.points) for one in late] == [
        ("absent", 0),
        ("half_bye", 1),
        ("half_bye", 1),
    ]
    assert [one.manner for one in points.missed(2, Late(4, "zero"), CHESS)] == ["absent", "absent"]
