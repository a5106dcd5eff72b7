"""The matcher in a process of its own."""

import os
import random
import signal
import threading

import pytest

from tests.tournaments.desk import Desk, charter_of
from tests.tournaments.matchers import networkx_matcher, rustworkx_matcher
from warledger.engine.desk import matching
from warledger.engine.desk.matching import (
    MatchingFailed,
    MatchingProcess,
    matched,
)
from warledger.engine.tournaments.tournamentledger import Batch, Submission

HARD = [(a, b, 1) for b in range(2000) for a in range(max(0, b - 300), b)]


def test_the_process_finds_what_the_library_finds() -> None:
    """Weights up to 120 bits, perfect or not, many graphs by one process; networkx agrees on the
    weight."""
    rng = random.Random(7)
    with MatchingProcess() as matcher:
        for _ in range(20):
            count = rng.randint(2, 12)
            edges = [
                (a, b, rng.getrandbits(118))
                for b in range(count)
                for a in range(b)
                if rng.random() < 0.7
            ]
            perfect = rng.random() < 0.5
            weights = {(a, b): weight for a, b, weight in edges}
            found, other = (
                sum(weights.get((a, b), 0) for a, b in enumerate(mates) if a < b)
                for mates in (
                    matcher(count, edges, perfect),
                    networkx_matcher(count, edges, perfect),
                )
            )
            assert found == other, "seed 7"


@pytest.mark.parametrize("system", ["record", "dutch", "double_elimination"])
def test_the_process_pairs_a_round_as_it_is_paired_here(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same record of the same act, with its lots and its bye; what is known of titles is handed
    over with it, in parts however many there are."""
    monkeypatch.setattr(matching, "PART", 4)
    rounds = {} if system == "double_elimination" else {"rounds": 3}
    stage = {"system": system, "tiebreaks": ["lots"], "seeds": "lots", **rounds}
    desk = Desk(charter_of(stage=[stage]))
    desk.enter(11)
    desk.check_in(range(1, 9))
    with MatchingProcess() as process:
        for _ in range(2):
            told = Submission("d:dora", ("pair",), b"once", desk.ledger.last.hash)
            here, there = (
                desk.ledger.propose(told, desk.at_ms, pairs) for pairs in (matched, process)
            )
            assert isinstance(here, Batch) and isinstance(there, Batch)
            assert here.records == there.records and here.position == there.position
            desk.play_round()


def test_a_process_that_is_killed_is_a_refusal() -> None:
    """A sentence for the director, and no process is left."""
    with MatchingProcess() as matcher:
        assert matcher(2, [(0, 1, 5)], True) == [1, 0]
        os.kill(matcher.pid, signal.SIGKILL)
        with pytest.raises(MatchingFailed, match="the same pairing comes out"):
            matcher(2, [(0, 1, 5)], True)


def test_what_takes_too_long_is_stopped() -> None:
    """At its limit the process is killed, whatever it does."""
    with (
        MatchingProcess(limit_s=0.05) as matcher,
        pytest.raises(MatchingFailed, match=r"longer than 0\.05 seconds"),
    ):
        while True:
            matcher(2000, HARD, True)


def test_the_process_ends_with_its_round() -> None:
    """Also when pairing fails in the middle."""
    with pytest.raises(ZeroDivisionError), MatchingProcess() as matcher:
        pid = matcher.pid
        raise ZeroDivisionError
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert threading.active_count() < 20


def test_weights_beyond_the_promise_are_refused() -> None:
    """Rather than overflow in silence."""
    with MatchingProcess() as matcher, pytest.raises(MatchingFailed, match="larger than"):
        matcher(2, [(0, 1, 1 << 125)], True)
    assert rustworkx_matcher(2, [(0, 1, 1)], False) == [1, 0]
