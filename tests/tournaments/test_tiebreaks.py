"""Tie-breaks by FIDE C.07 and by the habits of wargamers; tests are named by article."""

import csv
from fractions import Fraction

import pytest

from tests.tournaments.bench import CASES, CHESS, WARGAME, read_trf, table_of
from warledger.engine.tournaments import tiebreaknames, unplayed
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line
from warledger.engine.tournaments.tiebreaks import Scores, Terms, Value, value

COLUMNS = {
    "buchholz": ("buchholz", 2),
    "buchholz_cut1": ("buchholz:cut1", 2),
    "sonneborn_berger": ("sonneborn_berger", 4),
    "games_won": ("games_won", 1),
    "wins": ("wins", 1),
}
"""Column of the exercise -> our name, and by what doubled points multiply it."""


def values(table: Crosstable, name: str, terms: Terms | None = None) -> list[Fraction]:
    """Every entrant's value."""
    scores = Scores(table, terms or Terms())
    of = tiebreaknames.parse(name)
    return [value(of, scores, one.number).number for one in table.entrants]


def one(rows: dict[int, str], name: str, number: int = 1, terms: Terms | None = None) -> Value:
    """One entrant's value with its parts."""
    scores = Scores(table_of(rows), terms or Terms())
    return value(tiebreaknames.parse(name), scores, number)


def test_the_exercise_in_tie_breaking() -> None:
    """The technical commission's exercise: every score and every tie-break as published."""
    table = read_trf("tie_breaks.trf")
    with (CASES / "tie_breaks.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    scores = Scores(table, Terms())

    assert [int(row["player"]) for row in rows] == [one.number for one in table.entrants]
    assert [2 * Fraction(row["score"]) for row in rows] == list(scores.score.values())
    assert [2 * Fraction(row["adjusted_score"]) for row in rows] == list(scores.adjusted.values())
    for column, (name, times) in COLUMNS.items():
        assert [times * Fraction(row[column]) for row in rows] == values(table, name), column


def test_7_1_wins_count_what_brought_as_much() -> None:
    """A full bye and a forfeit count as wins, but not as games won (7.2) or games."""
    rows = {1: "2w1 0-U 3-+ 4b=", 2: "1b0 4w1 0-H 0-Z", 3: "4w1 0-U 1-- 0-Z", 4: "3b0 2b0 0-U 1w="}

    assert [one(rows, name).number for name in ("wins", "games_won", "games")] == [3, 1, 2]


def test_7_2_close_wins_are_wins() -> None:
    """A close win, and a forfeit that brings less than a win, count as won."""
    close = Line("played", 8, "close_win", (2,), 0)
    forfeit = Line("forfeit", 9, "win", (2,))
    loss = Line("played", 2, "close_loss", (1,), 1)
    table = Crosstable(
        (Entrant(1, "a"), Entrant(2, "b")),
        ({1: close, 2: loss}, {1: forfeit, 2: Line("forfeit", 0, "loss", (1,))}),
    )

    assert values(table, "wins", Terms(WARGAME)) == [2, 0]
    assert values(table, "games_won", Terms(WARGAME)) == [1, 0]


def test_7_3_7_4_games_and_wins_by_seat() -> None:
    """Games and wins over the board as one seat; a seat the title lacks counts nothing."""
    terms = Terms(seats=("allies", "axis"))
    rows = {1: "2w1 3b1 4b=", 2: "1b0 4w1 3w1", 3: "4w1 1w0 2b0", 4: "3b0 2b0 1w="}

    assert one(rows, "games:axis", terms=terms).number == 2
    assert one(rows, "games_won:axis", terms=terms).number == 1
    assert one(rows, "wins:allies", terms=terms).number == 1
    assert one(rows, "wins:german", terms=terms).number == 0


def test_7_5_progressive_scores() -> None:
    """The scores after each round, added; Cut-1 leaves out the first."""
    rows = {1: "2w1 2b= 2w0", 2: "1b0 1w= 1b1"}

    assert one(rows, "progressive").number == 2 + 3 + 3
    assert one(rows, "progressive:cut1").number == 3 + 3


def test_7_6_rounds_that_one_chose_to_play() -> None:
    """Half- and zero-point byes, absences and forfeit losses are rounds not played by choice."""
    rows = {1: "2w1 0-H 0-Z 2-- 2-+ 0-U", 2: "1b0 0-U 0-U 1-+ 1-- 0-Z"}

    assert one(rows, "rounds_played").number == 3
    assert one(rows, "rounds_played", 2).number == 4


def test_7_7_standard_points() -> None:
    """A point a win and half a point a draw, whatever the charter gives for them."""
    lines = (
        Line("played", 8, "close_win", (2,), 0),
        Line("played", 5, "draw", (2,), 1),
        Line("pairing_bye", 5),
        Line("full_bye", 10),
        Line("zero_bye", 0),
    )
    table = Crosstable((Entrant(1, "a"),), tuple({1: line} for line in lines))

    assert values(table, "standard_points", Terms(WARGAME)) == [Fraction(3)]


def test_8_2_average_of_the_opponents_buchholz() -> None:
    """Over the opponents met over the board only."""
    rows = {1: "2w1 0-U", 2: "1b0 3w1", 3: "0-U 2b0"}
    scores = Scores(table_of(rows), Terms())
    of_two = sum(part.score for part in scores.against[2])

    assert one(rows, "average_buchholz").number == of_two == 4 + 2


def test_8_3_fore_buchholz_takes_the_last_round_as_drawn() -> None:
    """Forfeits of the last round count as drawn games, byes as they were."""
    rows = {1: "2w1 3b1", 2: "1b0 0-U", 3: "0-U 1w0"}
    forfeits = {1: "2w1 3-+", 2: "1b0 0-U", 3: "0-U 1--"}

    assert one(rows, "fore_buchholz").number == 2 + 3
    assert one(forfeits, "fore_buchholz").number == 2 + 3


def test_9_1_sonneborn_berger_cut_1() -> None:
    """Cut-1 takes out the product with the opponent of the lowest score, not the lowest product
    (14.1.1)."""
    rows = {
        1: "2w1 3w0",
        2: "1b0 4w0",
        3: "4b1 1b1",
        4: "3w0 2b1",
    }

    assert one(rows, "sonneborn_berger").number == 2 * 0 + 0 * 4
    assert one(rows, "sonneborn_berger", 3).number == 2 * 2 + 2 * 2
    assert [part.opponent for part in one(rows, "sonneborn_berger:cut1").cut] == [2]


def test_9_2_koya() -> None:
    """Points against those who have at least half of what they could have."""
    terms = Terms(fixed=True)
    rows = {1: "2w1 3w1 4w=", 2: "1b0 4w1 3b1", 3: "4w0 1b0 2w0", 4: "3b1 2b0 1b="}

    assert one(rows, "koya", terms=terms).number == 2 + 1


def test_10_1_average_rating_of_opponents() -> None:
    """Rounded to the nearest whole number, a half upwards; the unrated and forfeits left out."""
    rows = {1: "2w1 3w1 4b1 5-+", 2: "1b0 5w1 3w1 4b1", 3: "4w1 1b0 2b0 0-Z"}
    rows |= {4: "3b0 0-U 1w0 2w0", 5: "0-U 2b0 0-Z 1--"}
    table = table_of(rows, ratings=(1500, 1600, 1701, 0, 2000))

    assert values(table, "rating_opponents")[0] == 1651
    assert values(table, "rating_opponents:cut1")[0] == 1701
    assert values(table, "rating") == [1500, 1600, 1701, 0, 2000]
    assert values(table, "number") == [-1, -2, -3, -4, -5]


def test_14_3_median_cuts_the_least_then_the_most() -> None:
    """Median-1 leaves out the lowest and the highest score, Median-2 two of each."""
    rows = {1: "2w1 3w1 4w1 5w1"}
    rows |= {2: "1b0 3w1 4b1 0-Z", 3: "0-Z 1b0 5w1 0-Z", 4: "0-Z 0-Z 1b0 0-Z", 5: "0-U 0-U 0-U 1b0"}
    scores = Scores(table_of(rows), Terms())
    seen = sorted(part.score for part in scores.against[1])

    assert one(rows, "buchholz:median1").number == sum(seen[1:-1])
    assert one(rows, "buchholz:median2").number == 0
    assert one(rows, "buchholz:cut2").number == sum(seen[2:])


def test_15_2_forfeits_are_games_where_all_play_all() -> None:
    """With fixed pairings a forfeit counts against the opponent as it stands; a forfeit loss is
    still no game of one's own, and a free round is nothing."""
    rows = {1: "2-+ 3w1 0-Z", 2: "1-- 0-Z 3b1", 3: "0-Z 1b0 2w0"}
    fixed = Terms(fixed=True)

    assert one(rows, "sonneborn_berger", terms=fixed).number == 2 * 2 + 2 * 0
    assert [one(rows, "games", n, fixed).number for n in (1, 2, 3)] == [2, 1, 2]
    assert one(rows, "games").number == 1


@pytest.mark.parametrize(
    ("row", "late"),
    [
        ("2w1 0-Z 0-H", {1, 2}),
        ("0-Z 2w1 0-H", {2}),
        ("0-H 2-- 0-Z", {0, 2}),
        ("0-Z 0-U 2--", set()),
        ("0-Z 2-+ 2--", set()),
        ("0-Z 0-F 0-Z", {2}),
    ],
)
def test_16_2_5_byes_followed_by_nothing_played(row: str, late: set[int]) -> None:
    """Requested byes count as draws for opponents when only voluntary rounds follow; a forfeit
    loss is voluntary but no bye."""
    table = table_of({1: row, 2: "0-Z 0-Z 0-Z"})

    assert unplayed.late_requests(table.of(1)) == late


def test_16_3_2_opponents_see_late_byes_as_draws() -> None:
    """Who withdraws after a win has drawn the rest, for opponents; their own score stays."""
    rows = {1: "2w1 0-Z 0-Z", 2: "1b0 3w1 3b1", 3: "0-U 2b0 2w0"}
    scores = Scores(table_of(rows), Terms())

    assert (scores.score[1], scores.adjusted[1]) == (2, 4)
    assert [part.score for part in scores.against[2]] == [4, 2, 2]


def test_16_4_1_a_forfeits_dummy_is_capped_by_the_scheduled_opponent() -> None:
    """Who wins by forfeit against somebody weak gains no more than that opponent's score."""
    rows = {1: "2w1 3w1 4-+", 2: "1b0 4w1 3b1", 3: "4b1 1b0 2w0", 4: "3w0 2b0 1--"}
    parts = one(rows, "buchholz").parts

    assert [(part.score, part.how) for part in parts] == [
        (4, "opponent"),
        (2, "opponent"),
        (0, "forfeit"),
    ]


def test_16_4_2_other_dummies_are_capped_by_a_draw_a_round() -> None:
    """A bye of somebody who wins everything counts as half of all rounds, planned ones too."""
    rows = {1: "0-U 2w1", 2: "0-U 1b0"}
    scores = Scores(table_of(rows, planned=2), Terms())
    longer = Scores(table_of(rows, planned=9), Terms())

    assert scores.against[1][0].score == 2
    assert longer.against[1][0].score == 4
    assert scores.against[2][0].score == 2


def test_16_5_voluntary_rounds_are_cut_first() -> None:
    """A voluntary unplayed round goes before a lower score of a real opponent; a pairing's bye does
    not; a second cut takes the next."""
    rows = {1: "2w1 0-H 3w1", 2: "1b0 3b0 0-U", 3: "0-H 2w1 1b0"}
    kept = one(rows, "buchholz:cut1")

    assert [(part.round, part.score) for part in kept.cut] == [(2, 3)]
    assert [part.round for part in one(rows, "buchholz:cut2").cut] == [2, 1]


def test_16_5_1_the_higher_of_the_two_is_cut_for_sonneborn_berger() -> None:
    """A voluntary round worth less than the least significant value is not cut before it."""
    rows = {1: "2w1 0-Z 3w1", 2: "1b0 3b= 0-Z", 3: "0-U 2w= 1b0"}
    cut = one(rows, "sonneborn_berger:cut1").cut

    # Against 2, who has 2 for opponents: 4. The zero-point bye: 3 times 0.
    assert [(part.round, part.value) for part in cut] == [(1, 4)]


def test_e12_strength_of_schedule() -> None:
    """Opponents scored 30 in 4 games, 18 in 4, 10 in 2, 40 in 5: pooled 98/15, mean 25/4."""
    records = {2: (30, 4), 3: (18, 4), 4: (10, 2), 5: (40, 5)}
    entrants = tuple(Entrant(n, str(n)) for n in range(1, 7))
    rounds = []
    played = {2: range(4), 3: range(4), 4: range(2, 4), 5: range(5)}
    for k in range(5):
        line: dict[int, Line] = {6: Line("absent"), 1: Line("absent")}
        for n, (points, games) in records.items():
            got = points - 5 * (games - 1) if k == played[n][0] else 5
            # What an absence brings is no part of anybody's record over the board.
            line[n] = Line("played", got, "draw", (6,), 0) if k in played[n] else Line("absent", 7)
        if k < 4:
            line[1] = Line("played", 5, "draw", (k + 2,), 0)
        rounds.append(line)
    table = Crosstable(entrants, tuple(rounds))

    assert values(table, "sos_pooled")[0] == Fraction(98, 15)
    assert values(table, "sos_mean")[0] == Fraction(25, 4)


def test_margins_are_capped_one_by_one() -> None:
    """Margins are told in units; a cap binds each game, not the sum."""
    lines = (
        Line("played", 10, "win", (2,), 0, 9),
        Line("played", 0, "loss", (2,), 0, -30),
        Line("forfeit", 9, "win", (2,), None, 40),
    )
    table = Crosstable((Entrant(1, "a"),), tuple({1: line} for line in lines))

    assert values(table, "margin") == [Fraction(-21, 2)]
    assert values(table, "margin:4") == [Fraction(0)]


def test_lots_are_the_last_resort() -> None:
    """The lower lot comes first."""
    assert one({1: "0-Z", 2: "0-Z"}, "lots", 2, Terms(lots={1: 9, 2: 4})).number == -4


def test_rounds_without_a_result_count_for_nobody() -> None:
    """A game that is still going on is neither an opponent nor a dummy."""
    pending = Line("pending", 0, None, (2,), 0)
    table = Crosstable((Entrant(1, "a"), Entrant(2, "b")), ({1: pending, 2: pending},), 5)

    assert values(table, "buchholz") == [0, 0]
    assert values(table, "rounds_played") == [0, 0]


def test_boards_of_three() -> None:
    """On a board with more seats each opponent counts."""
    rounds = (
        {
            1: Line("played", 2, "win", (2, 3), 0),
            2: Line("played", 1, "draw", (1, 3), 1),
            3: Line("played", 0, "loss", (1, 2), 2),
        },
    )
    table = Crosstable(tuple(Entrant(n, str(n)) for n in (1, 2, 3)), rounds)

    assert values(table, "buchholz") == [1, 2, 3]


def test_chess_points_are_the_default() -> None:
    """Two points for a win keep halves whole."""
    assert (CHESS.win, CHESS.draw, CHESS.loss) == (2, 1, 0)
