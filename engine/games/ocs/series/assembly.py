"""How the chapters of a game of the series are put together.

A title lists the modules that it is made of, the series' and its own, and says which steps fill the
segments of a turn. `assembled` makes of that what the kernel asks of `Rules`. A chapter that is not
listed is not in the game.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from warledger.engine.games.ocs.ch02_sequence.segments import sequences
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.dispatch import joined
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step

Trigger = Callable[[Table[State], Any], None]
"""What the rules do by themselves after an event."""


@frozen
class Assembled:
    """What a title's `Rules` hand to the kernel: its steps and sequences by name, its events, what
    each event does to the position, and the sentences about each (the story modules)."""

    steps: Mapping[str, Step[State]]
    sequences: Mapping[str, tuple[str, ...]]
    events: tuple[type[Any], ...]
    table: Mapping[type[Any], Callable[[State, Any], State]]
    stories: Mapping[type[Any], Any]

    def evolve(self, state: State, event: Any) -> State:
        """The position after an event."""
        return self.table[type(event)](state, event)


def assembled(
    chapters: Sequence[Any],
    segments: Mapping[str, Iterable[str]],
    *,
    stacking: str = "",
    own_steps: Mapping[str, Step[State]] | None = None,
) -> Assembled:
    """Put chapters together. Each module may bring `after` and `tells` (event -> function), `STEPS`
    and `SEQUENCES`. `own_steps` are those that a title takes in a form of its own, in place of a
    chapter's. `segments` and `stacking` are those of `segments.sequences`. Raises TypeError where
    two chapters bring a step, a sequence or an event of the same name."""
    table = joined(chapters, "after")
    return Assembled(
        {**joined(chapters, "STEPS"), **(own_steps or {})},
        joined(chapters, "SEQUENCES", sequences(segments, stacking)),
        tuple(table),
        table,
        joined(chapters, "tells"),
    )
