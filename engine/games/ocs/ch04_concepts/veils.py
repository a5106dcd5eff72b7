"""OCS 4.9: whose veil stands in the record of an event.

A veil must not tell anything by being there: it stands wherever an event may change what is hidden
from the enemy, whether it does or not.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import attrs

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series import events as e
from warledger.engine.games.ocs.series.state import State
from warledger.protocol.chance.seal import Secret

_BOTH = (e.SetUp,)


def veiled_sides(before: State, event: Any, after: State) -> tuple[str, ...]:
    """The sides that have a veil in the record of an event, whether it holds anything or not: those
    that may read a hidden field of it, and those whose hidden things such an event may change."""
    sides = after.charts.sides
    if isinstance(event, _BOTH) or (isinstance(event, e.SegmentBegun) and event.phase):
        return sides
    if isinstance(event, e.CleanedUp):
        return (event.side,)
    if isinstance(event, fog.TopShown):
        name = event.unit or before.tops.get(after.charts.board.hex(event.hex), "")
        return (after.side(name),) if name else ()
    readers: set[str] = set()
    kind: Any = type(event)
    for name in _named(kind):
        value = getattr(event, name)
        if isinstance(value, Secret | tuple):
            readers.update(_readers(value))
    return tuple([side for side in sides if side in readers])


@cache
def _named(kind: Any) -> tuple[str, ...]:
    """The fields of a class of events."""
    return tuple([field.name for field in attrs.fields(kind)])


def _readers(value: Any) -> Iterator[str]:
    if isinstance(value, Secret):
        yield from value.readers
    elif isinstance(value, tuple):
        for item in value:
            yield from _readers(item)
