"""Laws of every system in a ledger, on fields, absences and corrections that hypothesis finds."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.desk import Desk, charter_of
from tests.tournaments.matchers import MATCHERS
from tests.tournaments.played import Played, audited, named_inputs
from tests.verdicts import findings_of
from warledger.engine.tournaments.swiss.playercards import Scale, card
from warledger.engine.tournaments.systems import MATCHED, needs_matcher, rounds_left
from warledger.engine.tournaments.tally import crosstable
from warledger.engine.tournaments.tournamentledger import Batch, Submission
from warledger.engine.tournaments.tournamentposition import ELIMINATOR, Position
from warledger.protocol.board.choices import Refusal

SYSTEMS: dict[str, dict[str, Any]] = {
    "record": {"rounds": 4},
    "record with volunteers": {"rounds": 4, "eliminator": True},
    "dutch": {"rounds": 4},
    "round_robin": {},
    "groups": {"group_size": 3},
    "league": {"group_size": 3},
    "knockout": {"tie": "higher"},
    "knockout with consolation": {"tie": "higher", "consolation": True},
    "double_elimination": {"tie": "higher", "draws_out": 2},
    "heats": {"rounds": 3},
    "ladder": {"share": 3},
}
NEVER_AGAIN = (
    *("record", "record with volunteers", "dutch"),
    *("round_robin", "groups", "league", "knockout"),
)
"""Where nobody meets again; in a double elimination only where it cannot be helped."""


def charter(name: str, **more: Any) -> Any:
    """A charter of one stage of a system, with late entry where it has a place for it."""
    system = name.split(" ")[0]
    late = {"until_round": 2} if system in ("record", "dutch", "heats", "ladder") else {}
    stage = {"system": system, "tiebreaks": ["wins", "lots"], **SYSTEMS[name]}
    return charter_of({"stage": [stage], "late": late, **more})


def named(at: Position, round: int = -1) -> list[tuple[str, ...]]:
    """The boards of a round by the names of who sits there, and who is free."""
    one = at.rounds[round]
    boards = [tuple(at.entrants[n].name for n in board.entrants) for board in one.boards]
    return [*boards, *sorted((at.entrants[n].name, kind) for n, kind in one.byes)]


class Restless(Played):
    """Entrants who leave, return and come late, and a director who corrects."""

    def __init__(self, name: str, count: int, seed: int) -> None:
        self.random = random.Random(seed)
        self.desk = Desk(charter(name), seed=seed)
        self.desk.enter(count)

    def stir(self) -> None:
        """Something that happens between two rounds."""
        desk, at = self.desk, self.desk.at
        number = self.random.choice(sorted(at.entrants))
        done = [
            (one.number, board.number)
            for one in at.rounds
            for board in one.boards
            if board.verdict is not None
        ]
        match self.random.randrange(6):
            case 0 if (
                at.entrants[number].present and sum(one.present for one in at.entrants.values()) > 3
            ):
                desk.do(f"e:{number}", "withdraw", number)
            case 1 if not at.entrants[number].present:
                desk.do(f"e:{number}", "return", number)
            case 2 if done:
                round, board = self.random.choice(done)
                sat = at.rounds[round - 1].boards[board - 1].entrants
                desk.do(
                    "d:dora",
                    *("correct", round, board, "win", self.random.choice(sat), "played", 4, "-"),
                )
            case 3 if isinstance(
                desk.propose(f"e:{len(at.entrants) + 1}", "enter", f"L{len(at.entrants)}", "-", 0),
                Batch,
            ):
                desk.do(f"e:{len(at.entrants) + 1}", "enter", f"L{len(at.entrants)}", "-", 0)

    def paired(self) -> bool:
        """Stir and pair the next round; False where that is refused, which names somebody."""
        self.stir()
        at = self.desk.at
        for number in sorted(at.entrants):
            if self.random.random() < 0.4:
                self.some(number, "volunteer", "challenge")
        answer = self.desk.propose("d:dora", "pair")
        if isinstance(answer, Refusal):
            if answer.key.startswith("refusal.tournament.cannot_pair"):
                names = dict(answer.args)["names"]
                assert names or answer.key.endswith("nobody")
            return False
        self.desk.do("d:dora", "pair")
        return True


def keeps_its_laws(at: Position, name: str) -> None:
    """Of the newest round: nobody twice, nobody against themself, nobody who is away, no second
    bye, no two who are owed the same side absolutely, nobody met before."""
    last = at.rounds[-1]
    twice = [number for number, kind in last.byes if kind == ELIMINATOR]
    sat = Counter(number for board in last.boards for number in board.entrants)
    assert all(times == 1 + twice.count(number) for number, times in sat.items()), name
    free = [number for number, kind in last.byes if kind == "pairing_bye"]
    assert not set(free) & set(sat), name
    fixed = name.startswith(("round_robin", "groups", "league", "knockout"))
    if not fixed:
        assert set(sat) <= set(at.field_of(last.number)), name
    table = crosstable(at, rounds=len(at.stage_pairings) - 1)
    start = {number: place for place, number in enumerate(at.order, start=1)}
    if name.startswith(("record", "dutch")):
        cards = {n: card(table, start[n], Scale(2, 0)) for n in at.field_of(last.number)}
        assert all(cards[number].bye for number in free), name
        for board in last.boards:
            one, other = (cards[number] for number in board.entrants)
            clash = one.absolute and other.absolute and one.due == other.due
            assert not clash or one.topscorer or other.topscorer, name
    if name in NEVER_AGAIN:
        for board in last.boards:
            for a, b in combinations(board.entrants, 2):
                assert start[b] not in table.met(start[a]), name
                assert start[a] not in table.met(start[b]), name


LAWS = settings(max_examples=25, deadline=None, derandomize=True)


@LAWS
@given(st.sampled_from(sorted(SYSTEMS)), st.integers(2, 9), st.integers(0, 10_000))
def test_every_system_keeps_its_laws(name: str, count: int, seed: int) -> None:
    """Whoever leaves, returns, comes late or has a result corrected: each round keeps the laws,
    what was paired stays as it was, the audit decides every act again, and each pairing names the
    inputs that the protocol's page describes."""
    field = Restless(name, count, seed)
    before: list[list[tuple[str, ...]]] = []
    for _ in range(5):
        at = field.desk.at
        assert [named(at, n) for n in range(len(at.rounds))] == before
        if rounds_left(at) == 0 or not field.paired():
            break
        keeps_its_laws(field.desk.at, name)
        before = [named(field.desk.at, n) for n in range(len(field.desk.at.rounds))]
        field.desk.do("d:dora", "publish")
        field.sides()
        field.desk.open_games()
        field.results()
    assert findings_of(audited(field.desk)) == () and named_inputs(field.desk)


@pytest.mark.long
@settings(max_examples=600, deadline=None)
@given(st.sampled_from(sorted(SYSTEMS)), st.integers(2, 14), st.integers(0, 10**9))
def test_every_system_keeps_its_laws_many_times(name: str, count: int, seed: int) -> None:
    """The same, many times."""
    test_every_system_keeps_its_laws.hypothesis.inner_test(name, count, seed)  # type: ignore[attr-defined]


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    st.sampled_from(sorted(name for name in SYSTEMS if name.split(" ")[0] in MATCHED)),
    st.integers(2, 9),
    st.integers(0, 10_000),
)
def test_no_pairing_depends_on_the_matcher(name: str, count: int, seed: int) -> None:
    """The same record, whichever of three finds the matchings."""
    field = Restless(name, count, seed)
    for _ in range(3):
        desk = field.desk
        if rounds_left(desk.at) == 0 or not desk.at.entrants:
            break
        told = Submission("d:dora", ("pair",), b"once", desk.ledger.last.hash)
        answers = [desk.ledger.propose(told, desk.at_ms, matcher) for matcher in MATCHERS]
        if isinstance(answers[0], Refusal):
            assert answers == [answers[0]] * len(answers), name
            break
        made = [one.records[0].hash for one in answers if isinstance(one, Batch)]
        assert needs_matcher(desk.at) and len(made) == 3 and len(set(made)) == 1, name
        field.round()


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    st.sampled_from(sorted(SYSTEMS)), st.permutations(range(1, 8)), st.integers(0, 3), st.booleans()
)
def test_no_pairing_depends_on_the_order_of_entry(
    name: str, order: list[int], gone: int, draws: bool
) -> None:
    """Entrants with different ratings, entered in any order: the same boards by name, round after
    round."""
    rounds: list[list[list[tuple[str, ...]]]] = []
    for entering in (sorted(order), order):
        desk = Desk(charter(name), seed=5)
        for place, one in enumerate(entering, start=1):
            desk.do(f"e:{place}", "enter", f"P{one}", f"acc{one}", 2000 - one)
        by_name = {person.name: number for number, person in desk.at.entrants.items()}
        told = []
        for turn in range(3):
            if rounds_left(desk.at) == 0:
                break
            if turn == 1 and gone:
                desk.do("d:dora", "withdraw", by_name[f"P{gone}"])
            desk.do("d:dora", "pair")
            told.append(named(desk.at))
            desk.do("d:dora", "publish")
            assert desk.at.last is not None
            for board in desk.at.last.boards:
                if board.verdict is None:
                    sat = sorted(board.entrants, key=lambda n: desk.at.entrants[n].name)
                    what = (
                        ("draw", "played") if draws and turn == 1 else ("win", sat[0], "played", 4)
                    )
                    desk.do("d:dora", "result", desk.at.last.number, board.number, *what, "-")
        rounds.append(told)
    assert rounds[0] == rounds[1], name


def test_families_are_never_paired_where_the_charter_keeps_them_apart() -> None:
    """In a Swiss and a double elimination; where nothing else is left, a refusal with names."""
    for name in ("record", "dutch", "double_elimination"):
        desk = Desk(charter(name, entry={"apart": True}))
        for number, family in enumerate("aabbcc", start=1):
            desk.do(f"e:{number}", "enter", f"P{number}", "-", 2000 - number, "-", family)
        while rounds_left(desk.at) and len(desk.at.rounds) < 4:
            answer = desk.propose("d:dora", "pair")
            if isinstance(answer, Refusal):
                assert dict(answer.args)["names"], name
                break
            desk.play_round()
            for board in desk.at.rounds[-1].boards:
                one, other = (desk.at.entrants[number].groups for number in board.entrants)
                assert one != other, name
