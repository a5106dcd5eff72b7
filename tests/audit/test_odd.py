"""Odd games and ledgers, as a stranger with keys of his own writes them: all verifiers say the same
of each. `python -m tests.audit.odd` tries as many as one likes."""

import json

import pytest

from tests.audit.odd.judges import JUDGES
from tests.audit.odd.log import made
from tests.audit.odd.taken_apart import taken_apart
from tests.audit.odd.trials import KINDS, bases, trial
from tests.fixtures.vectors import LOGS

COUNT = 400


def compared(kind: str, first: int, count: int) -> list[str]:
    """The trials of these seeds in which the verifiers differ."""
    trials = (trial(kind, seed, JUDGES) for seed in range(first, first + count))
    return [one.told() for one in trials if not one.agrees]


@pytest.mark.parametrize("kind", KINDS)
def test_all_verifiers_agree_on_what_is_odd(kind: str) -> None:
    """On a few hundred files, the same every time."""
    assert compared(kind, 1, COUNT) == []


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
@pytest.mark.parametrize("kind", KINDS)
def test_all_verifiers_agree_on_very_many(kind: str, part: int, any_seed: int) -> None:
    """On thousands, which are others in every long run; the seed that is shown gives them again."""
    first = 1_000_000 * any_seed + 1_000 * part
    found = compared(kind, first, 1_000)
    assert found == [], f"python -m tests.audit.odd --kind {kind} --seed {first} --count 1000"


def test_a_log_that_is_taken_apart_and_written_anew_is_judged_the_same() -> None:
    """By the keys of the stranger: what is odd then is only what he makes so."""
    index = json.loads((LOGS / "index.json").read_text())
    reserved = {f"logs/{case['file']}": case["reservations"] for case in index[1:]}
    for name, _ in bases("games"):
        log = taken_apart((LOGS.parent / name).read_bytes())
        data, key = made(log), log.frames[0].body[12]
        for judge in JUDGES.values():
            (found,) = judge([(data, key)])
            assert [one for one, _ in found.reserved] == reserved[name], (name, found)  # type: ignore[union-attr]
