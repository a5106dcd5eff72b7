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

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property, wraps
from types import UnionType
from typing import (
    Any,
    Final,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import attrs

P = ParamSpec("P")
R = TypeVar("R")

ANSWERS_MAX = 1024
"""The answers of one function that are stored with one value."""


Answers: TypeAlias = dict[Any, dict[Any, Any]]
"""Function -> key -> answer."""


class Memo:
    """Gives a value the dictionary of its answers when it is first asked for one. A
    `cached_property` would do the same, but under a lock."""

    def __get__(self, holder: Any, owner: Any = None) -> Answers:
        none: Answers = {}
        found: Answers = holder.__dict__.setdefault("memo", none)
        return found


class Remembering:
    """A value that stores answers about itself. For records declared `@frozen(slots=False)`."""

    memo: Final = Memo()
    """Not part of the value: a changed copy starts without any."""


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
        if of is None and by is None:
            return _of_first(function, most)

        @wraps(function)
        def answer(*args: P.args, **kwargs: P.kwargs) -> R:
            holder: Any
            key: Any
            if kwargs:
                holder = args[0] if of is None else of(*args, **kwargs)
                key = (args[1:], tuple(kwargs.items())) if by is None else by(*args, **kwargs)
            else:  # as nearly always
                holder = args[0] if of is None else of(*args)
                key = args[1:] if by is None else by(*args)
            memo = holder.memo
            answers = memo.get(function)
            if answers is None:
                answers = memo[function] = {}
            found: R = answers.get(key, _NOTHING)
            if found is _NOTHING:
                found = function(*args, **kwargs)
                if len(answers) >= most:
                    answers.clear()
                answers[key] = found
            return found

        return answer

    return make


def _of_first(function: Callable[P, R], most: int) -> Callable[P, R]:
    """The plain case of `remembered`: answers about the first argument, by all others. Most are
    asked for again and again, so little may stand between the question and the answer."""
    work: Any = function

    def answer(holder: Any, /, *key: Any, **named: Any) -> R:
        asked = (key, tuple(named.items())) if named else key
        memo = holder.memo
        answers = memo.get(function)
        if answers is None:
            answers = memo[function] = {}
        found: R = answers.get(asked, _NOTHING)
        if found is _NOTHING:
            found = work(holder, *key, **named)
            if len(answers) >= most:
                answers.clear()
            answers[asked] = found
        return found

    made: Any = wraps(function)(answer)
    return made  # type: ignore[no-any-return]


def forget(before: Any, after: Any) -> None:
    """Drop the answers that a state and its parts store about themselves, once `after` has replaced
    it. Parts that `after` holds too, in whatever place, keep their answers.

    Hundreds of old states are kept for takebacks, and would otherwise keep their answers too.
    """
    if before is after:
        return
    inside = getattr(before, "__dict__", None)
    if inside is not None:
        inside.pop("memo", None)  # no value is a part of what replaces it
    old = _holders(before, after)
    if old:
        kept = _holders(after)
        for holder in old:
            for other in kept:
                if other is holder:
                    break
            else:
                holder.__dict__.pop("memo", None)


def _holders(value: Any, beside: Any = None) -> list[Any]:
    """The parts of a value that store answers, the value itself included. What `beside`, another
    value of its kind, has in the same place is left out."""
    found, left = [], [(value, beside)]
    while left:
        value, beside = left.pop()
        inside = getattr(value, "__dict__", None)
        if inside is not None:
            if "memo" in inside:
                found.append(value)
            others = getattr(beside, "__dict__", _EMPTY)
            for name in _HOLDING[type(value)]:
                part = inside.get(name)
                if part is not None:
                    other = others.get(name)
                    if part is not other:
                        left.append((part, other))
    return found


_EMPTY: Final[Mapping[str, Any]] = {}


class _Holding(dict[type[Any], tuple[str, ...]]):
    """The fields that may lead to stored answers, for each class seen so far. These are facts about
    the classes, read from their annotations, so they may be remembered."""

    def __missing__(self, cls: type[Any]) -> tuple[str, ...]:
        names = self[cls] = tuple(
            [name for name, hint in _hints(cls).items() if _may_hold(hint, (cls,))]
        )
        return names


_HOLDING = _Holding()


def _hints(cls: type[Any]) -> dict[str, Any]:
    """The types of a record class's fields and cached properties. A field whose annotation cannot
    be resolved may be anything."""
    if not attrs.has(cls):
        return {}
    try:
        told = get_type_hints(cls)
    except NameError:  # of a name that only type checkers import
        told = {}
    found = {field.name: told.get(field.name, Any) for field in attrs.fields(cls)}
    for base in cls.__mro__:
        for name, value in vars(base).items():
            if isinstance(value, cached_property):
                found[name] = value.func.__annotations__.get("return", Any)
    return found


def _may_hold(hint: Any, within: tuple[type[Any], ...]) -> bool:
    """Whether a value of that type may store answers, or have parts that do. `within` are the
    classes whose fields are being examined. Collections are not searched."""
    origin = get_origin(hint)
    if origin is Union or origin is UnionType:
        return any(_may_hold(part, within) for part in get_args(hint))
    cls = hint if origin is None else origin
    if not isinstance(cls, type) or cls is object or getattr(cls, "_is_protocol", False):
        return True  # Any, a type variable, a name in quotes: only the value itself tells
    if issubclass(cls, Remembering):
        return True
    if cls in within or not attrs.has(cls):
        return False
    return any(_may_hold(part, (*within, cls)) for part in _hints(cls).values())


_NOTHING: Any = object()
