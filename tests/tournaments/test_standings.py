"""Standings: points, then the tie-breaks of the charter, direct encounters within what is tied."""

import random
from fractions import Fraction

import pytest

from tests.tournaments.bench import read_trf, table_of
from warledger.engine.tournaments import encounters
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line
from warledger.engine.tournaments.encounters import Encounter
from warledger.engine.tournaments.standings import standings
from warledger.engine.tournaments.tiebreaknames import KINDS, BadTieBreak
from warledger.engine.tournaments.tiebreaks import Scores, Terms, Value


def ranked(rows: dict[int, str], group: list[int] | None = None) -> list[list[int]]:
    """The direct encounters among a group of a table."""
    scores = Scores(table_of(rows), Terms())
    return [[one.number for one in same] for same in encounters.rank(group or [*rows], scores)]


def test_6_1_who_scored_most_among_the_tied_is_first() -> None:
    """If all have met, their own table ranks them, whatever they did against others."""
    rows = {1: "2b0 3w0 4b1", 2: "1w1 4b0 3b1", 3: "4w= 1b1 2w0", 4: "3b= 2w1 1w0"}

    assert ranked(rows, [1, 2, 3]) == [[2], [3], [1]]


def test_6_1_1_forfeits_are_no_encounters() -> None:
    """A forfeit between the tied does not part them; where pairings are fixed it does."""
    rows = {1: "2-+", 2: "1--"}
    fixed = Scores(table_of(rows), Terms(fixed=True))

    assert ranked(rows) == [[1, 2]]
    assert [[one.number for one in same] for same in encounters.rank([1, 2], fixed)] == [[1], [2]]


def test_6_1_2_several_meetings_count_by_their_average() -> None:
    """Three games between two weigh as one."""
    rows = {1: "2w1 2b1 2w0 3b1", 2: "1b0 1w0 1b1 0-Z", 3: "0-Z 0-Z 0-Z 1w0"}
    scores = Scores(table_of(rows), Terms())
    (first,), (second,) = encounters.rank([1, 2], scores)

    assert (first.points, second.points) == (Fraction(4, 3), Fraction(2, 3))


def test_6_2_it_is_applied_again_to_those_still_tied() -> None:
    """Two who are equal among four are parted by their own game."""
    rows = {
        1: "4w1 3b1 2w1",
        2: "3w1 4b0 1b0",
        3: "2b0 1w0 4w1",
        4: "1b0 2w1 3b0",
    }
    # 1 has three wins; 2, 3 and 4 have one each, in a circle: they stay tied.
    assert ranked(rows) == [[1], [2, 3, 4]]
    # 2 and 3 level behind 1 are parted by the game that 2 won.
    rows = {1: "4w= 3b1 2w1", 2: "3w1 4b= 1b0", 3: "2b0 1w0 4w1", 4: "1b= 2w= 3b0"}
    scores = Scores(table_of(rows), Terms())

    assert ranked(rows)[0] == [1]
    assert [one.place for same in encounters.rank([*rows], scores) for one in same] == [1, 2, 3, 4]


def test_6_3_missing_games_may_leave_one_alone_on_top() -> None:
    """Who is ahead of all others whatever the missing games bring is first; the rest stay tied."""
    rows = {
        1: "2w1 3b1 0-Z 0-Z",
        2: "1b0 0-Z 0-Z 0-Z",
        3: "0-Z 1w0 0-Z 0-Z",
    }
    # 2 and 3 have not met: each could reach 2 of 1's 4.
    assert ranked(rows) == [[1], [2, 3]]


def test_6_3_a_lead_that_missing_games_could_undo_decides_nothing() -> None:
    """Two points ahead with a game to play are not enough."""
    rows = {1: "2w1 0-Z", 2: "1b0 3w1", 3: "0-Z 2b0"}

    assert ranked(rows) == [[1, 2, 3]]


def test_6_3_then_the_second_in_the_same_table() -> None:
    """After the first, the second of the same table, and art. 6 again for the rest."""
    rows = {
        1: "2w1 3b1 4w1",
        2: "1b0 4w1 3b1",
        3: "4b0 1w0 2w0",
        4: "3w1 2b0 1b0",
    }
    assert ranked(rows) == [[1], [2], [4], [3]]
    missing = {
        1: "2w1 3b1 4w1 5b1",
        2: "1b0 4w1 3b1 0-Z",
        3: "0-Z 1w0 2w0 0-Z",
        4: "0-Z 2b0 1b0 0-Z",
        5: "0-Z 0-Z 0-Z 1w0",
    }
    # 2 could still lose to 5 and 5 beat all others: only 1 is safe; 3, 4 and 5 have not met.
    assert ranked(missing) == [[1], [2, 3, 4, 5]]


def test_direct_encounter_is_applied_within_what_is_tied_so_far() -> None:
    """Behind another tie-break it ranks only those whom that left equal, and the next goes on."""
    rows = {1: "2w0 3b1 4w1", 2: "1b1 4w0 3w1", 3: "4b1 1w0 2b0", 4: "3w0 2b1 1b0"}
    table = table_of(rows)
    terms = Terms(lots={1: 4, 2: 3, 3: 2, 4: 1})

    assert [one.number for one in standings(table, ("direct", "lots"), terms)] == [2, 1, 3, 4]
    first, second, third, fourth = standings(table, ("wins", "direct", "shared"), terms)
    assert isinstance(first.values[1], Encounter) and first.values[1].tied == 2
    assert first.values[1].against == ((1, Fraction(2)),)
    assert [one.place for one in (first, second, third, fourth)] == [1, 2, 3, 4]


def test_places_are_shared_where_nothing_parts() -> None:
    """The next place is left out; "direct" is not told for who is tied with nobody."""
    rows = {1: "2w=", 2: "1b=", 3: "0-Z"}
    made = standings(table_of(rows), ("direct", "shared"), Terms())

    assert [(one.place, one.number, one.points) for one in made] == [
        (1, 1, 1),
        (1, 2, 1),
        (3, 3, 0),
    ]
    assert made[2].values == (None, None)


def test_lots_part_the_rest() -> None:
    """With lots at the end every place is one entrant's."""
    terms = Terms(lots={1: 2, 2: 1, 3: 3})
    made = standings(table_of({1: "0-U", 2: "0-U", 3: "0-Z"}), ("wins", "lots"), terms)

    assert [(one.place, one.number) for one in made] == [(1, 2), (2, 1), (3, 3)]


def test_groups_are_ranked_by_themselves() -> None:
    """Only those of a group are in its standings."""
    made = standings(table_of({1: "0-U", 2: "0-U", 3: "0-Z"}), ("lots",), Terms(), among=(3, 2))

    assert [one.number for one in made] == [2, 3]


def test_an_unknown_tie_break_is_refused() -> None:
    """Rather than left out."""
    with pytest.raises(BadTieBreak, match="bucholz"):
        standings(table_of({1: "0-U"}), ("bucholz",), Terms())


@pytest.mark.parametrize("seed", range(8))
def test_laws_of_standings(seed: int) -> None:
    """Any list of tie-breaks on any table ranks everybody once, places never skip below an entry,
    each part adds up to its value, and the order of entry changes nothing."""
    rng = random.Random(seed)
    table = played(24, 7, rng)
    names = [*rng.sample([kind for kind in KINDS if kind not in ("lots", "shared")], 6), "shared"]
    terms = Terms(fixed=bool(seed % 2))

    made = standings(table, names, terms)
    shuffled = Crosstable(
        tuple(rng.sample(table.entrants, len(table.entrants))), table.rounds, table.planned
    )

    assert sorted(one.number for one in made) == [one.number for one in table.entrants]
    assert standings(shuffled, names, terms) == made
    for n, one in enumerate(made):
        assert one.place == n + 1 or one.place == made[n - 1].place, seed
        for given in one.values:
            if isinstance(given, Value) and given.parts and given.divided == 1:
                assert sum(part.value for part in given.parts) == given.number


def played(size: int, rounds: int, rng: random.Random) -> Crosstable:
    """A random table: pairs, forfeits, byes and absences."""
    made = []
    for _ in range(rounds):
        order = rng.sample(range(1, size + 1), size)
        lines: dict[int, Line] = {}
        while order:
            first = order.pop()
            if not order or rng.random() < 0.1:
                manner = rng.choice(("pairing_bye", "half_bye", "zero_bye", "absent"))
                lines[first] = Line(manner, {"pairing_bye": 2, "half_bye": 1}.get(manner, 0))
                continue
            second = order.pop()
            if rng.random() < 0.08:
                lines[first] = Line("forfeit", 2, "win", (second,))
                lines[second] = Line("forfeit", 0, "loss", (first,))
                continue
            got = rng.choice((0, 1, 2))
            results = ("loss", "draw", "win")
            lines[first] = Line("played", got, results[got], (second,), 0, got - 1)
            lines[second] = Line("played", 2 - got, results[2 - got], (first,), 1, 1 - got)
        made.append({number: lines[number] for number in sorted(lines)})
    entrants = tuple(Entrant(n, f"Player {n}", 1000 + n) for n in range(1, size + 1))
    return Crosstable(entrants, tuple(made), rounds)


def test_the_exercise_ranks_as_its_file() -> None:
    """The order of the exercise by Buchholz Cut-1, Buchholz and Sonneborn-Berger."""
    made = standings(
        read_trf("tie_breaks.trf"),
        ("buchholz:cut1", "buchholz", "sonneborn_berger", "lots"),
        Terms(),
    )

    assert [one.number for one in made][:6] == [2, 3, 4, 1, 16, 6]
