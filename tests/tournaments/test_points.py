"""Results of games: from scores, handicaps and how they ended, with margins in half units."""

import pytest

from tests.tournaments.bench import WARGAME
from warledger.engine.tournaments import points
from warledger.engine.tournaments.points import outcome

ALLIES, AXIS = 0, 1
NONE = (0, 0)


def test_e11_points_with_close_wins() -> None:
    """Wins by 3, 5 and 2 and a loss by 1 with close below 2: 32 points."""
    got = [points.result_of(2 * margin, WARGAME.close) for margin in (3, 5, 2, -1)]

    assert got == ["win", "win", "win", "close_loss"]
    assert sum(points.worth(WARGAME, "played", one) for one in got) == 32


def test_e08_the_handicap_decides_a_level_game() -> None:
    """The Allies gave 1.5 and the marker ends on 0: a close win of the Axis by 1.5, 8 to 2."""
    told, margins = outcome(2, (AXIS, 3), None, (0, 0), "rules", WARGAME.close)

    assert told == ("close_loss", "close_win") and margins == (-3, 3)
    assert [points.worth(WARGAME, "played", one) for one in told] == [2, 8]


def test_e09_the_handicap_can_make_a_draw() -> None:
    """The Allies gave 2 and win by 2: margin 0, 5 to 5."""
    told, margins = outcome(2, (AXIS, 4), ALLIES, (2, 0), "rules", WARGAME.close)

    assert told == ("draw", "draw") and margins == (0, 0)


@pytest.mark.parametrize(
    ("scores", "winner", "by", "result", "left"),
    [
        ((20, 0), ALLIES, "rules", "win", 20),
        ((3, 0), ALLIES, "rules", "close_win", 3),
        ((0, 3), AXIS, "rules", "close_loss", -3),
        ((0, 0), AXIS, "rules", "loss", 0),
        ((0, 0), None, "rules", "draw", 0),
        ((), AXIS, "rules", "loss", 0),
        ((0, 8), ALLIES, "rules", "win", 0),
        ((9, 0), AXIS, "resign", "loss", 0),
        ((0, 9), ALLIES, "flag", "win", 0),
    ],
)
def test_without_a_handicap_the_rules_name_the_winner(
    scores: tuple[int, ...], winner: int | None, by: str, result: str, left: int
) -> None:
    """The margin tells how close it was; one that speaks for the loser tells nothing, nor does that
    of a game that was not played out."""
    told, margins = outcome(2, NONE, winner, scores, by, WARGAME.close, 2)

    assert (told[0], margins[0]) == (result, left) and margins[1] == -left


def test_a_game_judged_by_its_score() -> None:
    """The handicap counts here too; a margin below the charter's bound is a draw."""
    level = outcome(2, (AXIS, 3), None, (6, 0), "adjudicated", WARGAME.close, 2, 4)
    ahead = outcome(2, (AXIS, 3), None, (7, 0), "adjudicated", WARGAME.close, 2, 4)
    ended = outcome(2, (AXIS, 3), None, (6, 0), "rules", WARGAME.close, 2, 4)

    assert level == (("draw", "draw"), (0, 0))
    assert ahead == (("win", "loss"), (4, -4))
    assert ended == (("close_win", "close_loss"), (3, -3))


def test_of_more_than_two_who_is_named_has_won() -> None:
    """The others have lost; nobody named is a draw of all."""
    assert outcome(3, NONE, 1, (5, 9, 2), "rules", 0) == (("loss", "win", "loss"), (0, 0, 0))
    assert outcome(3, NONE, None, (), "rules", 0)[0] == ("draw", "draw", "draw")


def test_scores_become_half_units() -> None:
    """War at Sea counts halves of a POC; less than a half unit is dropped."""
    assert points.half_units(3, 2) == 3
    assert points.half_units(-4, 1) == -8
    assert points.half_units(-5, 3) == -3
    with pytest.raises(ValueError, match="at least one point"):
        points.half_units(1, 0)


def test_forfeits_bring_what_the_charter_says() -> None:
    """Who was there wins by forfeit, nobody if neither was."""
    assert points.worth(WARGAME, "forfeit", "win") == 9
    assert points.worth(WARGAME, "forfeit", "loss") == 0
