"""The titles that come with Warledger, one folder each.

A title's package has `RULES`, the rules as the kernel runs them, and `FAMILY`, what its packs must
hold. Titles of others stand beside these: `warledger.engine.registry` knows all.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from warledger.engine.kernel.types import Rules

NAMES: tuple[str, ...] = ("war_at_sea", "victory_lost", "typhoon", "hungarian_rhapsody")
"""Titles that can be played, in the order in which they are shown."""


@cache
def titles() -> Mapping[str, Rules[Any]]:
    """The rules of every title by name."""
    return {name: rules_of(name) for name in NAMES}


def rules_of(name: str) -> Rules[Any]:
    """The rules of a title. Raises KeyError for one that is not known."""
    if name not in NAMES:
        raise KeyError(name)
    rules: Rules[Any] = import_module(f"warledger.engine.games.{name}").RULES
    return rules
