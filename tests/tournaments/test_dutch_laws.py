"""FIDE C.04.3 on random tournaments: what always holds, and what every pairing there is says."""

import random

import pytest

from tests.tournaments.fields import tournament
from tests.tournaments.matchers import MATCHERS, reversed_matcher, rustworkx_matcher
from tests.tournaments.second_opinion import best
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line
from warledger.engine.tournaments.swiss.dutch import dutch
from warledger.engine.tournaments.swiss.paired import CannotPair, Paired
from warledger.engine.tournaments.swiss.playercards import Scale, card


def paired_by(table: Crosstable, present: list[int]) -> Paired:
    """The chapter's pairing."""
    return dutch(table, present, rustworkx_matcher, initial=0)


def sets(paired: Paired) -> frozenset[frozenset[int]]:
    """Who meets whom."""
    return frozenset(map(frozenset, paired.boards)) | (
        {frozenset({paired.bye})} if paired.bye else frozenset()
    )


def agree(seed: int) -> None:
    """The chapter and the list of all pairings, over a tournament of up to nine."""
    rng = random.Random(seed)
    for table, present, paired in tournament(
        seed, rng.randint(5, 9), rng.randint(3, 6), paired_by, away=0.08
    ):
        if len(present) > 1:
            expected = best(table, present)
            assert (sets(paired) if paired else None) == expected, f"seed {seed}"


@pytest.mark.parametrize("part", range(4))
def test_every_pairing_there_is_says_the_same(part: int) -> None:
    """C1 to C21 and the order of generation, against a search that lists all pairings."""
    for seed in range(part * 6, part * 6 + 6):
        agree(seed)


@pytest.mark.long
def test_every_pairing_there_is_says_the_same_of_many_fields() -> None:
    """The same for four hundred tournaments."""
    for seed in range(1000, 1400):
        agree(seed)


@pytest.mark.parametrize("seed", range(6))
def test_what_always_holds(seed: int) -> None:
    """Nobody is paired twice or meets again, nobody has a second bye, two who are owed a side
    absolutely do not meet, and who is there is paired or has the bye."""
    count = random.Random(seed).randint(10, 60)
    for table, present, paired in tournament(seed, count, 7, paired_by):
        if paired is None:
            continue
        seen = [n for board in paired.boards for n in board] + [paired.bye] * bool(paired.bye)
        assert sorted(seen, key=lambda n: n or 0) == sorted(present), f"seed {seed}"
        cards = {n: card(table, n, Scale()) for n in present}
        for white, black in paired.boards:
            one, other = cards[white], cards[black]
            assert black not in one.met, f"seed {seed}"
            owed = one.absolute and other.absolute and one.due == other.due
            assert not owed or one.topscorer or other.topscorer, f"seed {seed}"
        assert paired.bye is None or cards[paired.bye].bye, f"seed {seed}"


@pytest.mark.parametrize("seed", range(3))
def test_the_matcher_and_the_order_of_entry_change_nothing(seed: int) -> None:
    """Three matchers, and entrants and rounds listed in another order, give one pairing."""
    rng = random.Random(seed)
    for table, present, paired in tournament(seed, rng.randint(8, 30), 5, paired_by):
        mixed = list(table.entrants)
        rng.shuffle(mixed)
        rounds = tuple(
            dict(sorted(one.items(), key=lambda _: rng.random())) for one in table.rounds
        )
        other = Crosstable(tuple(mixed), rounds, table.planned)
        away = sorted(present, key=lambda _: rng.random())
        for matcher in MATCHERS:
            if paired is None:
                with pytest.raises(CannotPair):
                    dutch(other, away, matcher, initial=0)
            else:
                assert dutch(other, away, matcher, initial=0) == paired, f"seed {seed}"


def met(count: int, pairs: list[tuple[int, int]]) -> Crosstable:
    """A table in which these pairs have met, a round each, with draws."""
    people = tuple(Entrant(n, str(n)) for n in range(1, count + 1))
    rounds = []
    for a, b in pairs:
        lines = {one.number: Line("zero_bye") for one in people}
        lines[a] = Line("played", 1, "draw", (b,), 0)
        lines[b] = Line("played", 1, "draw", (a,), 1)
        rounds.append(lines)
    return Crosstable(people, tuple(rounds), 9)


def test_a_round_that_cannot_be_paired_names_who_blocks() -> None:
    """C4 cannot be kept: a refusal with the entrants that the rules leave over, the same for any
    matcher; a director's ban counts like a meeting."""
    table = met(4, [(4, 1), (4, 2)])
    for matcher in (rustworkx_matcher, reversed_matcher):
        with pytest.raises(CannotPair) as caught:
            dutch(table, [1, 2, 3, 4], matcher, forbidden=[(3, 4)])
        assert (caught.value.why, caught.value.entrants) == ("absolute", (3, 4))
    assert sets(dutch(table, [1, 2, 3, 4], rustworkx_matcher)) == {
        frozenset({3, 4}),
        frozenset({1, 2}),
    }


def test_nobody_left_for_the_bye_and_nobody_to_pair() -> None:
    """C2 for everybody, and a field of one."""
    people = tuple(Entrant(n, str(n)) for n in (1, 2, 3))
    byes = {one.number: Line("pairing_bye", 2) for one in people}
    with pytest.raises(CannotPair) as caught:
        dutch(Crosstable(people, (byes,), 5), [1, 2, 3], rustworkx_matcher)
    assert (caught.value.why, caught.value.entrants) == ("bye", (1, 2, 3))
    with pytest.raises(CannotPair) as caught:
        dutch(Crosstable(people, (), 5), [2], rustworkx_matcher)
    assert (caught.value.why, caught.value.entrants) == ("nobody", (2,))
