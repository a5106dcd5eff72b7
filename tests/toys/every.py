"""All toys by their names."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.toys import counting, fog, kiev, losses, luga, recall, retreat
from warledger.engine.kernel.types import Rules, Seat

TOYS: Mapping[str, Rules[Any]] = {
    "counting": counting.RULES,
    "fog": fog.RULES,
    "kiev": kiev.RULES,
    "losses": losses.RULES,
    "luga": luga.RULES,
    "recall": recall.RULES,
    "retreat": retreat.RULES,
}
"""The rules of every toy by name: a registry in the form of `warledger.engine.games.titles()`."""

PACKS: Mapping[str, dict[str, Any]] = {
    "counting": counting.PACK,
    "fog": fog.PACK,
    "kiev": kiev.PACK,
    "losses": losses.PACK,
    "luga": luga.PACK,
    "recall": recall.PACK,
    "retreat": retreat.PACK,
}
"""Their packs, as `warledger.engine.packfiles.read_pack` gives those of a title."""

ALTERNATIVES: Mapping[str, Callable[[Any, Seat], Iterable[Any]]] = {
    "counting": counting.alternatives,
    "fog": fog.alternatives,
    "kiev": kiev.alternatives,
    "losses": losses.alternatives,
    "recall": recall.alternatives,
    "retreat": retreat.alternatives,
}
"""For a state and a seat: states that differ only in what that seat may not know."""
