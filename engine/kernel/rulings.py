"""Switches: variants, options and rulings that a host may set, each with a default, recorded in the
genesis and never changed after."""

from collections.abc import Iterable, Mapping
from typing import Any

from warledger.engine.kernel.types import Switch


class BadOption(ValueError):
    """An option that the title does not have, or a value it cannot take. `args` say which and what
    is allowed."""


_YES_OR_NO = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def offered(switches: Iterable[Switch]) -> tuple[Switch, ...]:
    """The switches that a new game may set: all but the retired."""
    return tuple(switch for switch in switches if not switch.retired)


def resolve(switches: Iterable[Switch], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The value of every switch of a new game, by name. Text for a switch of numbers or yes/no is
    converted.

    Raises BadOption for an unknown name or value.
    """
    known = {switch.name: switch for switch in offered(switches)}
    for name in chosen:
        if name not in known:
            raise BadOption(
                f"there is no option {name!r}; known are: {', '.join(sorted(known)) or 'none'}"
            )
    return {
        name: _value(switch, chosen[name]) if name in chosen else switch.default
        for name, switch in sorted(known.items())
    }


def in_force(switches: Iterable[Switch], named: Mapping[str, Any]) -> dict[str, Any]:
    """The value of every switch in a game, by name, from the options that its genesis names.

    A genesis older than a switch does not name it: its game continues with the value that it was
    played with (`Switch.before`), whatever the default is now. Raises BadOption for an unknown name
    or value.
    """
    listed = {switch.name: switch for switch in switches}
    for name, value in named.items():
        if name not in listed:
            raise BadOption(
                f"there is no option {name!r}; known are: {', '.join(sorted(listed)) or 'none'}"
            )
        if not any(
            value == allowed and type(value) is type(allowed) for allowed in listed[name].choices
        ):
            raise BadOption(f"option {name} cannot be {value!r}")
    older = {
        name: switch.default if switch.before is None else switch.before
        for name, switch in sorted(listed.items())
    }
    return older | dict(named)


def unnamed(switches: Iterable[Switch], named: Mapping[str, Any]) -> tuple[str, ...]:
    """The switches that every genesis of the title must name but this one does not: its options are
    incomplete."""
    return tuple(
        switch.name for switch in switches if switch.before is None and switch.name not in named
    )


def _value(switch: Switch, value: Any) -> Any:
    if isinstance(value, str):
        text = value.strip().lower()
        if isinstance(switch.default, bool):
            value = _YES_OR_NO.get(text, value)
        elif isinstance(switch.default, int) and text.lstrip("-").isdigit():
            value = int(text)
    for allowed in switch.choices:
        if value == allowed and type(value) is type(allowed):
            return value
    values = ", ".join(
        str(choice).lower() if isinstance(choice, bool) else str(choice)
        for choice in switch.choices
    )
    raise BadOption(f"option {switch.name} cannot be {value!r}; it may be: {values}")
