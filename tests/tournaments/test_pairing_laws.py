"""Laws of pairing on whatever hypothesis thinks of, and what must not change it."""

import os
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.fields import both, entrants
from tests.tournaments.matchers import MATCHERS, networkx_matcher, rustworkx_matcher
from tests.tournaments.played import heads
from tests.tournaments.second_opinion import best
from warledger.engine.tournaments import trf
from warledger.engine.tournaments.crosstable import Crosstable, Line
from warledger.engine.tournaments.swiss.descent import Cost, Descent, NoMatching
from warledger.engine.tournaments.swiss.dutch import dutch
from warledger.engine.tournaments.swiss.paired import CannotPair, Paired
from warledger.engine.tournaments.swiss.record import lots_from, record

BYES = [
    Line("zero_bye"),
    Line("half_bye", 1),
    Line("full_bye", 2),
    Line("pairing_bye", 2),
    Line("absent"),
]


@st.composite
def tables(draw: st.DrawFn) -> Crosstable:
    """Rounds that nobody paired: any boards, results, forfeits and byes."""
    count = draw(st.integers(2, 8))
    rounds = []
    for _ in range(draw(st.integers(0, 4))):
        order = draw(st.permutations(range(1, count + 1)))
        boards = draw(st.integers(0, count // 2))
        lines = {number: draw(st.sampled_from(BYES)) for number in order[2 * boards :]}
        for one, other in zip(order[: 2 * boards : 2], order[1 : 2 * boards : 2], strict=True):
            points = draw(st.sampled_from((0, 1, 2)))
            manner = draw(st.sampled_from(("played", "played", "played", "forfeit")))
            for number, opponent, seat, own in (
                (one, other, 0, points),
                (other, one, 1, 2 - points),
            ):
                result = "win" if own == 2 else "draw" if own and manner == "played" else "loss"
                lines[number] = Line(manner, own, result, (opponent,), seat)  # type: ignore[arg-type]
        rounds.append(lines)
    return Crosstable(entrants(count), tuple(rounds), draw(st.integers(1, 6)))


def keeps_the_rules(table: Crosstable, made: Paired) -> None:
    """Everybody once, nobody against somebody met."""
    seen = [n for board in made.boards for n in board] + ([made.bye] if made.bye else [])
    assert sorted(seen) == [one.number for one in table.entrants]
    assert all(b not in table.met(a) for a, b in made.boards)


@settings(max_examples=40, deadline=None)
@given(tables())
def test_the_dutch_system_on_any_table(table: Crosstable) -> None:
    """Also on tables that no pairing made: the search through all pairings agrees, and refuses
    where the chapter does."""
    who = [one.number for one in table.entrants]
    expected = best(table, who)
    try:
        made = dutch(table, who, rustworkx_matcher, initial=0)
    except CannotPair as refused:
        assert expected is None and refused.entrants
        return
    keeps_the_rules(table, made)
    alone = {frozenset({made.bye})} if made.bye else set()
    assert frozenset(map(frozenset, made.boards)) | alone == expected
    assert all(dutch(table, who, matcher, initial=0) == made for matcher in MATCHERS)


@settings(max_examples=40, deadline=None)
@given(tables(), st.binary(max_size=4), st.booleans())
def test_record_on_any_table(table: Crosstable, seed: bytes, sides: bool) -> None:
    """One pairing whatever the matcher, or a refusal with names."""
    who = [one.number for one in table.entrants]
    found: list[object] = []
    for matcher in MATCHERS:
        try:
            made = record(table, who, matcher, lots_from(seed), sides=sides)
            keeps_the_rules(table, made)
            found.append(made)
        except CannotPair as refused:
            assert refused.entrants
            found.append((refused.why, refused.entrants))
    assert found[0] == found[1] == found[2]


@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from([16, 26]))
def test_any_table_is_read_back_equal(table: Crosstable, form: trf.Form) -> None:
    """Through a file of either edition."""
    assert trf.read(trf.compose(table, form=form)).table == table


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_costs_are_minimised_in_their_order(data: st.DataObject) -> None:
    """Against all matchings: with vertices inside and outside, in the loose way and the strict."""
    inside, outside = data.draw(st.integers(2, 4)), data.draw(st.sampled_from((0, 1, 2)))
    count = inside + outside
    every = [(a, b) for b in range(count) for a in range(b)]
    there = set(data.draw(st.lists(st.sampled_from(every), unique=True)))
    edges = [edge for edge in every if edge in there and edge[1] < inside]
    costs = [
        Cost(
            f"{name}",
            {edge: data.draw(st.integers(0, 3)) for edge in edges},
            {v: data.draw(st.integers(0, 3)) for v in range(inside)},
        )
        for name in range(3)
    ]

    def matchings(left: tuple[int, ...]) -> list[dict[int, int]]:
        if not left:
            return [{}]
        return [
            {**more, left[0]: other, other: left[0]}
            for other in left[1:]
            if (left[0], other) in there
            for more in matchings(tuple(v for v in left[1:] if v != other))
        ]

    def value(mates: list[int]) -> list[int]:
        return [cost.total(mates, inside) for cost in costs]

    possible = [[one[v] for v in range(count)] for one in matchings(tuple(range(count)))]
    for loose in (False, True):
        descent = Descent(
            matcher=networkx_matcher,
            inside=inside,
            outside=outside,
            edges=list(edges),
            fits=lambda a, b: (min(a, b), max(a, b)) in there,
            loose=loose,
        )
        try:
            descent.minimise(costs)
        except NoMatching:
            assert possible == []
            continue
        assert value(descent.mates) == min(map(value, possible))


def test_another_process_pairs_the_same() -> None:
    """Nothing depends on PYTHONHASHSEED: neither a round of the Swiss systems nor the last records
    of tournaments of the others."""
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            "from tests.tournaments.fields import both\n"
            "from tests.tournaments.played import heads\n"
            "print(both(), heads())",
        ],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "77"},
    )
    assert run.stdout.strip() == f"{both()} {heads()}"
