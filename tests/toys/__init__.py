"""Tiny titles that fix the kernel's shapes, and that laws, servers, auditors and benchmarks are tested with."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.kernel.types import Rules, Seat
from tests.toys import counting, kiev, losses, recall, retreat

TOYS: Mapping[str, Rules[Any]] = {
    "counting": counting.RULES,
    "kiev": kiev.RULES,
    "losses": losses.RULES,
    "recall": recall.RULES,
    "retreat": retreat.RULES,
}
"""The rules of every toy by name: a registry in the form of `engine.games.titles()`."""

PACKS: Mapping[str, dict[str, Any]] = {
    "counting": counting.PACK,
    "kiev": kiev.PACK,
    "losses": losses.PACK,
    "recall": recall.PACK,
    "retreat": retreat.PACK,
}
"""Their packs, as `engine.packfiles.read_pack` gives those of a title."""

ALTERNATIVES: Mapping[str, Callable[[Any, Seat], Iterable[Any]]] = {
    "counting": counting.alternatives,
    "kiev": kiev.alternatives,
    "losses": losses.alternatives,
    "recall": recall.alternatives,
    "retreat": retreat.alternatives,
}
"""For a state and a seat: states that differ only in what that seat may not know."""
