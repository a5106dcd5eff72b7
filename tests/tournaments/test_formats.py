"""Round robin, knock-out, double elimination, heats, ladders and leagues."""

import random
from collections import Counter

import pytest

from tests.tournaments.fields import entrants
from tests.tournaments.matchers import MATCHERS, rustworkx_matcher
from warledger.engine.tournaments.berger import berger
from warledger.engine.tournaments.brackets import (
    Heat,
    advance,
    double_elimination,
    heats,
    losses,
    places,
    still_in,
)
from warledger.engine.tournaments.crosstable import Crosstable, Line
from warledger.engine.tournaments.ladder import (
    by_rating,
    may_challenge,
    may_count,
    passing,
    season,
)
from warledger.engine.tournaments.swiss.paired import CannotPair
from warledger.engine.tournaments.swiss.record import lots_from


def test_six_play_by_the_table_of_berger() -> None:
    """The table of FIDE C.05's annex."""
    table = "1-6 2-5 3-4; 6-4 5-3 1-2; 2-6 3-1 4-5; 6-5 1-4 2-3; 3-6 4-2 5-1"
    assert "; ".join(" ".join(f"{a}-{b}" for a, b in r.boards) for r in berger(6)) == table


@pytest.mark.parametrize("count", range(2, 18))
def test_everybody_meets_everybody_once_a_cycle(count: int) -> None:
    """Once as white and once as black in two cycles, nobody twice in a round, and with an odd
    number everybody is free as often."""
    rounds = berger(count, 2)
    meetings = Counter(board for one in rounds for board in one.boards)
    assert set(meetings.values()) == {1} and len(meetings) == count * (count - 1)
    for one in rounds:
        seen = [n for board in one.boards for n in board] + ([one.free] if one.free else [])
        assert sorted(seen) == list(range(1, count + 1))
    half = len(rounds) // 2
    first = {frozenset(board) for one in rounds[:half] for board in one.boards}
    assert len(first) == count * (count - 1) // 2


def test_the_last_two_rounds_of_the_first_cycle_are_exchanged() -> None:
    """Otherwise somebody would have the same side three times running where the cycles meet."""
    single, double = berger(6), berger(6, 2)
    assert double[3:5] == (single[4], single[3])
    for number in range(1, 7):
        sides = "".join("w" if any(n == number for n, _ in r.boards) else "b" for r in double)
        assert "www" not in sides and "bbb" not in sides
    with pytest.raises(ValueError, match="at least 2"):
        berger(1)


@pytest.mark.parametrize("seed", range(4))
def test_double_elimination_ends_with_one(seed: int) -> None:
    """Nobody plays after a second loss, everybody else plays or has the bye, one is left; the
    matcher changes nothing."""
    rng = random.Random(seed)
    table = Crosstable(entrants(rng.randint(5, 16)))
    for number in range(40):
        left = still_in(table)
        if len(left) < 2:
            break
        lots = lots_from(bytes([number]))
        made = double_elimination(table, rustworkx_matcher, lots, free_at=(3, 5))
        assert all(double_elimination(table, m, lots, free_at=(3, 5)) == made for m in MATCHERS)
        seen = [n for board in made.boards for n in board] + ([made.bye] if made.bye else [])
        assert sorted(seen) == list(left), f"seed {seed}"
        lines = {n: Line("absent") for n in range(1, len(table.entrants) + 1)}
        for a, b in made.boards:
            halves = rng.choice((2, 2, 0, 0, 1))
            for n, o, seat, points in ((a, b, 0, halves), (b, a, 1, 2 - halves)):
                result = ("loss", "draw", "win")[points]
                lines[n] = Line("played", points, result, (o,), seat)  # type: ignore[arg-type]
        if made.bye:
            lines[made.bye] = Line("pairing_bye", 2)
        table = Crosstable(table.entrants, (*table.rounds, lines))
    assert len(still_in(table)) <= 1, f"seed {seed}"
    with pytest.raises(CannotPair):
        double_elimination(table, rustworkx_matcher, lots_from(b""))


def test_the_undefeated_rest_where_the_charter_says_so() -> None:
    """An only undefeated entrant of three has the bye; two draws are one loss."""
    rows = {
        1: [("win", 2, 2), ("win", 3, 2)],
        2: [("loss", 1, 0), ("draw", 3, 1)],
        3: [("draw", 2, 1), ("loss", 1, 0)],
    }
    rounds = tuple(
        {
            n: Line("played", row[index][2], row[index][0], (row[index][1],), index)  # type: ignore[arg-type]
            for n, row in rows.items()
        }
        for index in (0, 1)
    )
    table = Crosstable(entrants(3), rounds)
    assert [losses(table, n) for n in (1, 2, 3)] == [0, 3, 3]
    assert double_elimination(table, rustworkx_matcher, lots_from(b"")).bye != 1
    made = double_elimination(table, rustworkx_matcher, lots_from(b""), free_at=[3])
    assert made.bye == 1 and set(made.boards[0]) == {2, 3}


def test_heats_hold_everybody_or_name_alternates() -> None:
    """Boards of three or four for eleven; five cannot sit at boards of four, so one waits."""
    boards, alternates = heats(range(1, 12), 4, 3)
    assert boards == ((1, 4, 7, 10), (2, 5, 8, 11), (3, 6, 9)) and alternates == ()
    boards, alternates = heats(range(1, 6), 4, 4)
    assert boards == ((1, 2, 3, 4),) and alternates == (5,)
    assert heats([1], 4, 2) == ((), (1,))
    with pytest.raises(ValueError, match="2 seats or more"):
        heats([1, 2], 4, 1)


def test_who_goes_on_from_the_heats() -> None:
    """Winners only, most wins, or winners and the best of the others; the number by entrants."""
    stand = [Heat(1, 1, 4), Heat(2, 0, 1), Heat(3, 2, 3), Heat(4, 0, 2)]
    assert advance(stand, "winners", 4) == (3, 1)
    assert advance(stand, "wins", 3) == (3, 1, 2)
    assert advance(stand, "best", 3) == (3, 1, 2)
    assert [places(n, {8: 4, 16: 8}) for n in (7, 8, 15, 40)] == [0, 4, 4, 8]


def test_winners_pass_all_above_them_who_lost() -> None:
    """And not those who won or did not play; a leader who loses falls half way."""
    assert "".join(map(str, passing([*range(8)], [1, 2, 5, 7], [0, 3, 4, 6]))) == "12570346"
    assert passing([1, 2, 3, 4, 5], [4], [2]) == (1, 3, 4, 2, 5)
    assert passing([1, 2, 3, 4, 5, 6], [2], [1]) == (2, 3, 4, 1, 5, 6)
    assert passing([1, 2, 3], [], []) == (1, 2, 3)
    with pytest.raises(ValueError, match="won and lost"):
        passing([1, 2], [1], [1])


def test_challenges_and_leagues() -> None:
    """Within a number of places upwards, a third of one's games, and promotion."""
    assert may_challenge([1, 2, 3, 4], 4, 2, 2) and not may_challenge([1, 2, 3, 4], 4, 1, 2)
    assert not may_challenge([1, 2, 3, 4], 2, 4, 2)
    assert by_rating([(1, 1500), (2, 1600), (3, 1500)]) == (2, 1, 3)
    assert may_count([], 5) and not may_count([5], 5) and may_count([5, 1, 2, 3, 4], 5)
    assert not may_count([5, 5, 1, 2, 3, 4], 5) and may_count([5, 1, 2, 3, 4, 6, 7], 5)
    assert season([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 1) == ((1, 2, 4), (3, 5, 7), (6, 8, 9))
    assert season([[1, 2], [3]], 0) == ((1, 2), (3,))
    with pytest.raises(ValueError, match="1 up and 1 down"):
        season([[1], [2], [3]], 1)
