"""The Swiss system `record`."""

import hashlib
import itertools
import random

import pytest

from tests.tournaments.fields import entrants, played, tournament
from tests.tournaments.matchers import MATCHERS, rustworkx_matcher
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line
from warledger.engine.tournaments.swiss import candidates as candidates_module
from warledger.engine.tournaments.swiss.candidates import candidates
from warledger.engine.tournaments.swiss.paired import CannotPair, Paired
from warledger.engine.tournaments.swiss.playercards import Card, Scale, card
from warledger.engine.tournaments.swiss.record import lots_from, record

LOTS = lots_from(b"a seed")


def pairs(table: Crosstable, present: list[int]) -> Paired:
    """A round by the lots of its number."""
    return record(table, present, rustworkx_matcher, lots_from(bytes([len(table.rounds)])))


def every(left: list[Card]) -> list[list[tuple[Card, Card]]]:
    """All pairings of a few, the higher in points first."""
    if not left:
        return [[]]
    found = []
    for place, other in enumerate(left[1:], 1):
        one = left[0]
        owed = one.absolute and other.absolute and one.due == other.due
        if other.number in one.met or owed:
            continue
        rest = left[1:place] + left[place + 1 :]
        found += [[(one, other), *more] for more in every(rest)]
    return found


def worth(pairing: list[tuple[Card, Card]], scores: list[int]) -> tuple[object, ...]:
    """What clauses 2 to 4 of 7.2 make of a pairing, read literally: less is better."""
    value: list[object] = []
    for bound in scores[:-1]:
        going = sorted(one.score for one, other in pairing if one.score >= bound > other.score)
        value += [len(going), going[::-1]]
    value.append(sum(one.imbalance * other.imbalance > 0 for one, other in pairing))
    value.append(sum(one.score > other.score and one.floats[0] == "down" for one, other in pairing))
    lots = lots_from(bytes([len(pairing[0][0].sides) + pairing[0][0].unplayed]))
    value.append(
        sum(lots(min(p[0].number, p[1].number), max(p[0].number, p[1].number)) for p in pairing)
    )
    return tuple(value)


@pytest.mark.parametrize("seed", range(8))
def test_every_pairing_there_is_says_the_same(seed: int) -> None:
    """Groups, sides, floats and lots, against a list of all pairings of eight."""
    for table, present, paired in tournament(seed, 8, 5, pairs, away=0.0):
        cards = sorted((card(table, n, Scale()) for n in present), key=lambda one: -one.score)
        all_there_are = every(cards)
        if paired is None:
            assert all_there_are == []
            return
        scores = sorted({one.score for one in cards}, reverse=True)
        chosen = min(all_there_are, key=lambda one: worth(one, scores))
        expected = {frozenset((a.number, b.number)) for a, b in chosen}
        assert set(map(frozenset, paired.boards)) == expected, f"seed {seed}"


@pytest.mark.parametrize("seed", range(3))
def test_matcher_and_order_of_entry_change_nothing(seed: int) -> None:
    """Three matchers and another order of entrants give one pairing; nobody meets again."""
    rng = random.Random(seed)
    for table, present, paired in tournament(seed, rng.randint(9, 30), 5, pairs):
        assert paired is not None
        mixed = sorted(table.entrants, key=lambda _: rng.random())
        other = Crosstable(tuple(mixed), table.rounds, table.planned)
        lots = lots_from(bytes([len(table.rounds)]))
        for matcher in MATCHERS:
            assert record(other, present[::-1], matcher, lots) == paired, f"seed {seed}"
        for a, b in paired.boards:
            assert b not in table.met(a)
        seen = [n for board in paired.boards for n in board] + [paired.bye] * bool(paired.bye)
        assert sorted(seen, key=lambda n: n or 0) == present


def test_the_first_round_by_lots_halves_or_ends() -> None:
    """Top half against bottom half, first against last, and lots that are the seed's."""
    table = Crosstable(entrants(6))
    who = [1, 2, 3, 4, 5, 6]

    def meets(how: str, seed: bytes = b"1") -> set[frozenset[int]]:
        made = record(table, who, rustworkx_matcher, lots_from(seed), first=how)  # type: ignore[arg-type]
        return set(map(frozenset, made.boards))

    assert meets("halves") == {frozenset(p) for p in ((1, 4), (2, 5), (3, 6))}
    assert meets("ends") == {frozenset(p) for p in ((1, 6), (2, 5), (3, 4))}
    drawn = {frozenset(meets("lots", bytes([seed]))) for seed in range(12)}
    assert len(drawn) > 4


def test_the_bye_goes_to_the_fewest_points_and_once() -> None:
    """Over six rounds of seven nobody has two byes, and each goes to the fewest points there."""
    for table, present, paired in tournament(3, 7, 6, pairs, away=0.0):
        assert paired is not None and paired.bye is not None
        cards = {n: card(table, n, Scale()) for n in present}
        assert cards[paired.bye].bye
        assert cards[paired.bye].score == min(one.score for one in cards.values() if one.bye)


def test_an_eliminator_plays_a_second_board() -> None:
    """A volunteer meets who is left over, whom they have not met, on the last board."""
    table = Crosstable(entrants(7))
    made = record(table, list(range(1, 8)), rustworkx_matcher, LOTS, volunteers=[2, 3])
    seats = list(itertools.chain(*made.boards))
    assert made.bye is None and made.eliminator in (2, 3)
    assert len(made.boards) == 4 and made.eliminator in made.boards[-1]
    assert sorted(seats) == sorted([*range(1, 8), made.eliminator])
    assert played(table, made, random.Random(1)).rounds[0].keys() == set(range(1, 8))


def test_sides_fall_away_where_they_are_bid_for() -> None:
    """Two who are owed the same side may meet then, and boards name the smaller number first."""
    lines = {n: Line("played", 1, "draw", (n + 2,), 0) for n in (1, 2)}
    lines |= {n: Line("played", 1, "draw", (n - 2,), 1) for n in (3, 4)}
    table = Crosstable(entrants(4), (lines, lines))
    with pytest.raises(CannotPair) as caught:
        record(table, [1, 2], rustworkx_matcher, LOTS)
    assert caught.value.entrants == (1, 2)
    assert record(table, [2, 1], rustworkx_matcher, LOTS, sides=False).boards == ((1, 2),)


def test_two_may_meet_again_where_the_charter_says_so() -> None:
    """After a number of rounds, or never."""
    people = (Entrant(1, "a"), Entrant(2, "b"))
    met = {1: Line("played", 2, "win", (2,), 0), 2: Line("played", 0, "loss", (1,), 1)}
    away = {1: Line("zero_bye"), 2: Line("zero_bye")}
    with pytest.raises(CannotPair):
        record(Crosstable(people, (met, away)), [1, 2], rustworkx_matcher, LOTS)
    with pytest.raises(CannotPair):
        record(Crosstable(people, (met, away)), [1, 2], rustworkx_matcher, LOTS, again_after=2)
    made = record(Crosstable(people, (met, away)), [1, 2], rustworkx_matcher, LOTS, again_after=1)
    assert made.boards == ((2, 1),)


def test_lots_are_those_of_the_seed() -> None:
    """Forty bits of SHA-256, as anybody can compute them."""
    text = b"warledger/pairing/1" + b"s" + bytes([0, 0, 0, 3, 0, 0, 1, 1])
    expected = int(hashlib.sha256(text).hexdigest()[:10], 16)
    assert lots_from(b"s")(3, 257) == expected
    assert lots_from(b"x")(1, 2) != lots_from(b"y")(1, 2)
    assert all(0 <= LOTS(1, n) < 1 << 40 for n in range(2, 50))


def test_candidates_are_the_nearest_and_twice_as_many_if_need_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two candidates each do where they suffice; where the last two have met all but the first two,
    the circle grows until all can be paired."""
    monkeypatch.setattr(candidates_module, "NEAREST", 2)
    near = candidates(8, lambda a, b: True, rustworkx_matcher)
    assert near is not None and max(b - a for a, b in near) <= 2

    def fits(a: int, b: int) -> bool:
        return max(a, b) < 6 or min(a, b) < 2

    wide = candidates(8, fits, rustworkx_matcher)
    assert wide is not None and (0, 7) in wide
    assert candidates(4, lambda a, b: 0 in (a, b), rustworkx_matcher) is None
