"""Answers that are worked out once: a decorator for functions of a state, or of a part of one.

    @frozen(slots=False)
    class Field(Remembering):
        stacks: Mapping[int, tuple[str, ...]]

        @remembered()
        def supply(self, side: str) -> Lines:
            ...                                  # runs once for each side of these positions

    @remembered(of=lambda state, activation: state.field,
                by=lambda state, activation: (activation.side, activation.units))
    def front(state: State, activation: Activation) -> Mapping[int, tuple[str, ...]]:
        ...

The answers lie with the value that they are about (`of`: by default the first argument), not in
the module, and never go over to a changed copy of it. So they may depend on that value and on the
key alone: whatever else the function looks at belongs into `by`. Without `by` the key is all
arguments after the first, which must then be hashable. An answer must not be changed by whoever
gets it.
"""

from collections.abc import Callable, Hashable
from functools import cached_property, wraps
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

ANSWERS_MAX = 1024
"""Answers of one function that are kept with one value."""


class Remembering:
    """A value that keeps answers about itself. For records declared `@frozen(slots=False)`."""

    @cached_property
    def memo(self) -> dict[Any, dict[Any, Any]]:
        """Function -> key -> answer. Not part of the value: a changed copy begins without any."""
        return {}


class _Make(Protocol):
    """What `remembered` gives: a decorator that leaves the function's type as it is."""

    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]: ...


def remembered(
    *,
    of: Callable[..., Any] | None = None,
    by: Callable[..., Hashable] | None = None,
    most: int = ANSWERS_MAX,
) -> _Make:
    """Make a function work out each answer once.

    `of` gives the `Remembering` value that keeps the answers, `by` what they depend on besides it,
    both from the function's arguments. Once a value keeps `most` answers of the function, the next
    one takes their place.
    """

    def make(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def answer(*args: P.args, **kwargs: P.kwargs) -> R:
            holder: Any = args[0] if of is None else of(*args, **kwargs)
            key: Any
            if by is not None:
                key = by(*args, **kwargs)
            elif kwargs:
                key = (args[1:], tuple(kwargs.items()))
            else:
                key = args[1:]
            answers = holder.memo.get(function)
            if answers is None:
                answers = holder.memo[function] = {}
            found: R = answers.get(key, _NOTHING)
            if found is _NOTHING:
                found = function(*args, **kwargs)
                if len(answers) >= most:
                    answers.clear()
                answers[key] = found
            return found

        return answer

    return make


def forget(before: Any, after: Any) -> None:
    """Let go of the answers that a state, and what it is made of, keep about themselves once
    `after` has come in its place. What both have in common keeps its answers.

    Old states are kept for takebacks, by the hundred; their answers would be kept with them.
    """
    cls = type(before)
    if before is after or not hasattr(cls, "__attrs_attrs__"):
        return
    held = getattr(before, "__dict__", None)
    if held is None:
        return
    held.pop("memo", None)
    if type(after) is cls:
        # Fields stand in the order of the class in both: most are the same in both, and this is
        # done for every command.
        for value, same in zip(held.values(), after.__dict__.values(), strict=False):
            if value is not same and hasattr(value, "__dict__"):
                forget(value, same)
    else:
        for value in held.values():
            if hasattr(value, "__dict__"):
                forget(value, None)


_NOTHING: Any = object()

__all__ = ["ANSWERS_MAX", "Remembering", "forget", "remembered"]
