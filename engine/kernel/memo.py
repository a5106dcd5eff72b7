"""Caching of answers: a decorator for functions of a state, or of a part of one.

    @frozen(slots=False)
    class Field(Remembering):
        stacks: Mapping[int, tuple[str, ...]]

        @remembered()
        def supply(self, side: str) -> Lines:
            ...                                  # runs once for each side of these positions

    @remembered(of=lambda state, activation: state.field,
                by=lambda state, activation: (activation.side, activation.units))
    def attackable(state: State, activation: Activation) -> Mapping[int, tuple[str, ...]]:
        ...

The answers are stored with the value that they are about (`of`: by default the first argument), not
in the module, and are not carried over to a changed copy of it. So they may depend only on that
value and on the key: whatever else the function looks at must be in `by`. Without `by` the key is
all arguments after the first, which must then be hashable. Callers must not modify an answer.
"""

from collections.abc import Callable, Hashable
from functools import cached_property, wraps
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

ANSWERS_MAX = 1024
"""The answers of one function that are stored with one value."""


class Remembering:
    """A value that stores answers about itself. For records declared `@frozen(slots=False)`."""

    @cached_property
    def memo(self) -> dict[Any, dict[Any, Any]]:
        """Function -> key -> answer. Not part of the value: a changed copy starts without any."""
        return {}


class _Make(Protocol):
    """What `remembered` returns: a decorator that preserves the function's type."""

    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]: ...


def remembered(
    *,
    of: Callable[..., Any] | None = None,
    by: Callable[..., Hashable] | None = None,
    most: int = ANSWERS_MAX,
) -> _Make:
    """Make a function work out each answer only once.

    `of` returns the `Remembering` value that stores the answers, `by` what else they depend on,
    both from the function's arguments. Once a value stores `most` answers of the function, they are
    dropped before the next one is added.
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
    """Drop the answers that a state and its parts store about themselves, once `after` has replaced
    it. Parts that both have in common keep their answers.

    Hundreds of old states are kept for takebacks, and would otherwise keep their answers too.
    """
    cls = type(before)
    if before is after or not hasattr(cls, "__attrs_attrs__"):
        return
    held = getattr(before, "__dict__", None)
    if held is None:
        return
    held.pop("memo", None)
    if type(after) is cls:
        # Both have their fields in the order of the class; most of them are the same, and this is
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
