"""Clauses that were first read otherwise, and the option by which a game goes on as it began.

[R] By the option `first_reading`, which games older than it have:

- OCS 4.5a-A a Truck unit that comes back into the hex in which it began does not stop there for an
  enemy zone, and one that has only loaded or unloaded there does;
- OCS 4.5a-K units are rebuilt in enemy zones;
- OCS 6.1g supply sent by rail, or by truck capacity (HR 3.1d), does not end the move in progress;
- OCS 12.5e an HQ that moves on its own fuel throws fuel from where it began, and not from where it
  ends;
- OCS 13.2 transport that has moved feeds no combat and no barrage in that phase;
- OCS 13.6c transport other than organic trucks arrives empty.
"""

from warledger.engine.games.ocs.state import State

FIRST_READING = "first_reading"
"""The option."""


def first(state: State) -> bool:
    """Whether the game goes by the first reading."""
    return bool(state.charts.options.get(FIRST_READING))
