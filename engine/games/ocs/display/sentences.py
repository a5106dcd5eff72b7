"""How the series tells of events: sentences for everybody, sentences for one side alone, and how
amounts are written."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.state import State
from warledger.protocol.board.effects import Effect, tell

SP = 4
"""OCS 12.1 T to an SP."""


@frozen
class Own:
    """A sentence for one side alone. Under open fog everybody is told it."""

    side: str
    effect: Effect


Told = Iterator[Effect | Own]
Story = Callable[[State, Any, State], Iterable[Effect | Own]]


def untold(before: State, event: Any, after: State) -> Told:
    """Nothing is told of an event: what it changes is drawn, or another sentence speaks of it."""
    yield from ()


def own(side: str, key: str, rule: str = "", /, **args: Any) -> Own:
    """A sentence that one side alone sees."""
    return Own(side, tell(key, rule, **args))


def carried(state: State, event: Any, key: str, rule: str) -> Own:
    """Supply that a side's capacity has carried from one place to another, which it alone is
    told."""
    return own(
        event.side,
        key,
        rule,
        amount=supply_text(fog.plain(event.tokens)),
        start=fog.plain(event.start),
        hex=fog.plain(event.hex),
    )


def supply_text(tokens: int) -> str:
    """OCS 12.1 An amount of supply in short: "2 SP 1T"."""
    whole, rest = divmod(abs(tokens), SP)
    parts = ([f"{whole} SP"] if whole else []) + ([f"{rest}T"] if rest or not whole else [])
    return " ".join(parts)


def points_text(charts: Charts, parts: int) -> str:
    """OCS 6.1 Movement in points: "3", "3 1/2"."""
    whole, rest = divmod(parts, charts.printed.parts)
    if not rest:
        return str(whole)
    return f"{whole or ''} {rest}/{charts.printed.parts}".strip(" ")


def side_of(state: State, units: Any) -> str:
    """The side of units that an event names, hidden or not."""
    named = fog.plain(units)
    name = named if isinstance(named, str) else (named[0] if named else "")
    return state.side(name) if name else ""
