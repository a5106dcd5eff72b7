"""The titles, one folder each: the only list of them is `titles`."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from engine.kernel.types import Rules

NAMES: tuple[str, ...] = ("war_at_sea", "victory_lost", "typhoon")
"""Titles that can be played, in the order in which they are shown."""


@cache
def titles() -> Mapping[str, Rules[Any]]:
    """The rules of every title by name."""
    return {name: rules_of(name) for name in NAMES}


def rules_of(name: str) -> Rules[Any]:
    """The rules of a title. Raises KeyError for one that is not known."""
    if name not in NAMES:
        raise KeyError(name)
    rules: Rules[Any] = import_module(f"engine.games.{name}").RULES
    return rules
