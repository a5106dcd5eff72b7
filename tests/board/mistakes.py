"""Mistakes in packs, for the tests of the checks: those with a name, and junk in any place."""

import copy
import random
from collections.abc import Callable, Iterable
from typing import Any

from warledger.protocol.board.findings import Finding

Docs = dict[str, Any]

Mistake = tuple[Callable[[Docs], Any], str]
"""What makes a mistake in the documents of a pack, and a part of the finding about it."""

JUNK: tuple[Any, ...] = (
    None,
    0,
    -1,
    10**9,
    "",
    "x",
    "0101-0102",
    [],
    ["x"],
    {},
    [{}],
    {"x": 1},
    True,
    1.5,
)


def found(
    check: Callable[[Docs], Iterable[Finding]], docs: Docs, mistake: Mistake
) -> list[Finding]:
    """The findings about a copy of the documents with a mistake; one of them must be about it."""
    change, message = mistake
    wrong = copy.deepcopy(docs)
    change(wrong)
    findings = list(check(wrong))
    assert any(message in one.text for one in findings), [one.text for one in findings][:6]
    return findings


def mangled(docs: Docs, rng: random.Random, times: int) -> Docs:
    """A copy of the documents with junk in random places, or without what was there."""
    made: Any = copy.deepcopy(docs)
    for _ in range(times):
        at, depth = made, rng.randint(1, 5)
        for _ in range(depth):
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            key = rng.choice(keys)
            if not isinstance(at[key], dict | list) or not at[key]:
                break
            parent, at = at, at[key]
        else:
            at = parent
        if rng.random() < 0.3 and isinstance(at, dict):
            at.pop(key)
        else:
            at[key] = copy.deepcopy(rng.choice(JUNK))
    return made
