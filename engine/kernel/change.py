"""A changed copy of a frozen record: what `attrs.evolve` does, but several times as fast, since
replay spends most of its time on it.

Records that change with every event (a state, a piece, a fight) are declared
`@frozen(slots=False)`: their copy is then one update of a dictionary. Slotted records work too, by
their constructor. Fields have no converters or validators, so none are skipped.

`unguarded` declares a record of which a replay makes thousands. Type checkers see a frozen class;
at run time nothing prevents an assignment. In return the constructor takes a third of a frozen
class's time, and a changed copy a sixth.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from attrs import define, frozen

from warledger.engine.kernel.memo import Memo

if TYPE_CHECKING:
    from attrs import frozen as unguarded
else:
    unguarded = partial(define, unsafe_hash=True)
T = TypeVar("T")

_new = object.__new__


@frozen
class _Shape:
    """A record class: its number of fields, what it caches beside them, and how a copy's dictionary
    is set (None for a slotted class). A slotted class has what copies a record (None where its
    fields are guarded) and reads all fields at once."""

    fields: int
    fill: Callable[[Any, dict[str, Any]], None] | None
    copy: Callable[[Any], Any] | None
    remembered: tuple[str, ...]
    read: Callable[[Any], tuple[Any, ...]]
    place: Mapping[str, int]


class _Shapes(dict[type[Any], _Shape]):
    """The shapes of the classes seen so far: they depend on the classes alone, so they may be
    cached."""

    def __missing__(self, cls: type[Any]) -> _Shape:
        shape = self[cls] = _shape_of(cls)
        return shape


_SHAPES = _Shapes()


def _shape_of(cls: type[Any]) -> _Shape:
    names = [field.name for field in attrs.fields(cls)]
    if not all(field.init and not field.kw_only for field in attrs.fields(cls)):
        raise TypeError(f"{cls.__name__} has fields that its constructor does not take by position")
    remembered = tuple(
        name
        for base in cls.__mro__
        for name, value in vars(base).items()
        if isinstance(value, cached_property | Memo)
    )
    read = attrgetter(*names) if len(names) > 1 else lambda record: (getattr(record, names[0]),)
    fill = next(
        (vars(base)["__dict__"].__set__ for base in cls.__mro__ if "__dict__" in vars(base)), None
    )
    guard: Any = cls.__setattr__
    slotted = fill is None and guard is object.__setattr__
    return _Shape(
        len(names),
        fill,
        _copying(cls, names) if slotted else None,
        remembered,
        read,
        {name: place for place, name in enumerate(names)},
    )


def _copying(cls: type[Any], names: Sequence[str]) -> Callable[[Any], Any]:
    """A function that copies a slotted record. It is written out for its class, as attrs writes
    constructors: the interpreter then carries each field over in one step."""
    lines = ["def copy(record):", "    made = new(cls)"]
    lines += [f"    made.{name} = record.{name}" for name in names]
    scope: dict[str, Any] = {"new": _new, "cls": cls}
    exec("\n".join((*lines, "    return made")), scope)
    copy: Callable[[Any], Any] = scope["copy"]
    return copy


def replace(record: T, /, **changes: Any) -> T:
    """The record with some fields changed. Raises TypeError for a field that it does not have."""
    cls: type[Any] = type(record)
    shape = _SHAPES[cls]
    fill = shape.fill
    if fill is None:
        if shape.copy is not None:
            made: T = shape.copy(record)
            for name, value in changes.items():
                try:
                    setattr(made, name, value)
                except AttributeError as error:
                    raise TypeError(f"{cls.__name__} has no field {name}") from error
            return made
        values = list(shape.read(record))
        try:
            for name, value in changes.items():
                values[shape.place[name]] = value
        except KeyError as error:
            raise TypeError(f"{cls.__name__} has no field {error}") from None
        new: T = cls(*values)
        return new
    values_by_name = record.__dict__ | changes
    if len(values_by_name) != shape.fields:
        # What the old record has cached does not hold for the new one.
        for name in shape.remembered:
            values_by_name.pop(name, None)
        if len(values_by_name) != shape.fields:
            raise TypeError(
                f"{cls.__name__} has no field "
                f"{', '.join(sorted(changes.keys() - shape.place.keys()))}"
            )
    copy: T = _new(cls)
    fill(copy, values_by_name)
    return copy


def blank(cls: type[Any]) -> Callable[[Sequence[Any]], Any]:
    """What makes a record of a class from the values of its fields, in their order, without its
    constructor."""
    names = [field.name for field in attrs.fields(cls)]
    fill = _SHAPES[cls].fill

    def make(values: Sequence[Any]) -> Any:
        made: Any = _new(cls)
        if len(values) != len(names):
            raise TypeError(f"{cls.__name__} has {len(names)} fields, not {len(values)}")
        if fill is not None:
            fill(made, dict(zip(names, values, strict=True)))
        else:
            for name, value in zip(names, values, strict=True):
                object.__setattr__(made, name, value)
        return made

    return make


__all__ = ["blank", "replace", "unguarded"]
