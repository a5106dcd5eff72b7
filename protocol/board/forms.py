"""What a field of a description may hold: checks that read a value, or say which field is wrong and
what it may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import attrs

from warledger.protocol.limits import HEXES_MAX, NAME_CHARS_MAX, TEXT_CHARS_MAX

T = TypeVar("T")
Check = Callable[[Any, str], Any]


class BadDescription(ValueError):
    """A description of another form, or beyond its bounds. The message says which field, and what
    it may be."""


def text(most: int, pattern: str = "") -> Check:
    def check(value: Any, what: str) -> str:
        if type(value) is not str or len(value) > most:
            raise BadDescription(f"{what} must be text of at most {most} characters")
        if pattern and not re.fullmatch(pattern, value):
            raise BadDescription(f"{what} is {value[:40]!r}, which is not of the form {pattern}")
        return value

    return check


def one_of(*allowed: str) -> Check:
    def check(value: Any, what: str) -> str:
        if value not in allowed:
            raise BadDescription(f"{what} must be one of {', '.join(map(repr, allowed))}")
        return str(value)

    return check


def whole(least: int, most: int) -> Check:
    def check(value: Any, what: str) -> int:
        if type(value) is not int or not least <= value <= most:
            raise BadDescription(f"{what} must be a whole number from {least} to {most}")
        return value

    return check


def flag(value: Any, what: str) -> bool:
    if type(value) is not bool:
        raise BadDescription(f"{what} must be true or false")
    return value


def array(of: Check, most: int, least: int = 0) -> Check:
    def check(value: Any, what: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or not least <= len(value) <= most:
            raise BadDescription(f"{what} must be an array of {least} to {most}")
        return tuple(of(item, f"{what}[{number}]") for number, item in enumerate(value))

    return check


def row(*of: Check) -> Check:
    def check(value: Any, what: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or len(value) != len(of):
            raise BadDescription(f"{what} must be an array of {len(of)}")
        return tuple(
            each(item, f"{what}[{number}]")
            for number, (each, item) in enumerate(zip(of, value, strict=True))
        )

    return check


def fields(cls: type[T]) -> Check:
    parts = [(field, field.metadata["check"]) for field in attrs.fields(cls)]  # type: ignore[arg-type]

    def check(value: Any, what: str) -> T:
        if not isinstance(value, Mapping):
            raise BadDescription(f"{what} must be a map")
        found = {}
        for field, each in parts:
            if field.name in value:
                found[field.name] = each(value[field.name], f"{what}.{field.name}")
            elif field.default is attrs.NOTHING:
                raise BadDescription(f"{what} lacks {field.name}")
        return cls(**found)

    return check


def names_of(most: int) -> Check:
    def check(value: Any, what: str) -> dict[str, str]:
        if not isinstance(value, Mapping) or len(value) > most:
            raise BadDescription(f"{what} must be a map of at most {most} names")
        return {ID(id, what): NAME(name, f"{what}.{id}") for id, name in value.items()}

    return check


def texts_of(most: int) -> Check:
    told = text(TEXT_CHARS_MAX)

    def check(value: Any, what: str) -> dict[str, str]:
        if not isinstance(value, Mapping) or len(value) > most:
            raise BadDescription(f"{what} must be a map of at most {most} texts")
        return {ID(id, what): told(text, f"{what}.{id}") for id, text in value.items()}

    return check


def part(check: Check, default: Any = attrs.NOTHING) -> Any:
    return attrs.field(default=default, metadata={"check": check})


ID = text(NAME_CHARS_MAX)
NAME = text(NAME_CHARS_MAX * 2)
NUMBER = whole(-1_000_000, 1_000_000)
PLACE = whole(0, HEXES_MAX - 1)
