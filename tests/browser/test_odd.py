"""Odd games, as a stranger with keys of his own writes them: the page says the same of each as the
audit and the small auditor. `python -m tests.audit.odd --page` tries as many as one likes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.audit.odd.judges import JUDGES
from tests.audit.odd.page import opened
from tests.audit.odd.trials import trial

COUNT = 500


def compared(chromium: Any, first: int, count: int) -> list[str]:
    """The trials of these seeds in which the verifiers differ."""
    with opened(chromium) as page:
        judges = {**JUDGES, "page": page}
        trials = (trial("games", seed, judges) for seed in range(first, first + count))
        return [one.told() for one in trials if not one.agrees]


def test_the_page_agrees_on_what_is_odd(chromium: Any) -> None:
    """On a few hundred games, the same every time."""
    assert compared(chromium, 1, COUNT) == []


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_the_page_agrees_on_very_many(chromium: Any, part: int, any_seed: int) -> None:
    """On thousands, which are others in every long run; the seed that is shown gives them again."""
    first = 1_000_000 * any_seed + 1_000 * part
    found = compared(chromium, first, 1_000)
    assert found == [], f"python -m tests.audit.odd --page --seed {first} --count 1000"
