"""What a run of events may change in place, where nobody asks for the positions between.

A position is frozen, so an event that moves one unit of five hundred copies a mapping of five
hundred. While a run of records is folded at once (`runs`) nobody sees the positions between them: a
title whose rules have `drafted` and `fair` is given such a position with `Draft`s in it. Its
functions change those through `with_items` and `without`, which copy every other mapping. So there
is one function for each event, and both ways lead to equal positions.

    drafted(state)   the same position with drafts of its own, for `evolve` alone
    fair(state)      what has become of it, as a position that can be kept

A function that has changed a drafted position goes on with what it got and no longer asks the one
that it was given.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Draft(dict[K, V]):
    """A mapping that one run of events alone holds. `put` are the keys of what was put in since
    `put_since` last asked, in order, or None before it has."""

    __slots__ = ("put",)

    def __init__(self, mapping: Mapping[K, V]) -> None:
        super().__init__(mapping)
        self.put: dict[K, Any] | None = None


def with_items(mapping: Mapping[K, V], changes: Mapping[K, V]) -> Mapping[K, V]:
    """The mapping with these items put in or replaced: itself if it is a draft, else a copy."""
    if type(mapping) is Draft:
        mapping.update(changes)
        if mapping.put is not None:
            mapping.put.update(changes)
        return mapping
    return {**mapping, **changes}


def put_since(mapping: Mapping[K, V]) -> Collection[K]:
    """The keys of a mapping whose values may be others than when this was last asked: all but for a
    draft that was asked before. Only one function may ask of one mapping."""
    if type(mapping) is not Draft:
        return mapping.keys()
    put, mapping.put = mapping.put, {}
    return mapping.keys() if put is None else put.keys()


def without(mapping: Mapping[K, V], key: K) -> Mapping[K, V]:
    """The mapping without one key, if it has it: itself if it is a draft, else a copy."""
    made = mapping if type(mapping) is Draft else dict(mapping)
    made.pop(key, None)
    return made


def drafting(rules: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """What makes a draft of a title's position and what makes a position of that: nothing is
    changed in place for a title without them."""
    drafted, fair = getattr(rules, "drafted", None), getattr(rules, "fair", None)
    return (_same, _same) if drafted is None or fair is None else (drafted, fair)


def _same(state: Any) -> Any:
    return state
