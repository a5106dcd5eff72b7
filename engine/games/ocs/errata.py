"""Errata: clauses that were first carried out otherwise, and the option by which a game goes on as
it began.

A game is played to its end by the errata that it began with. It lists those of the series and its
own by number, in the order in which they were made (`Game.errata`, and a module of its own); its
option `errata` says how many are in force, and games older than the option have none. A game of the
series that has no such option has all of them. Whoever carries out a clause asks `mended` where it
was otherwise before.

[R] Before `SECOND_READING`:

- OCS 4.5a-A a Truck unit that comes back into the hex in which it began does not stop there for an
  enemy zone, and one that has only loaded or unloaded there does;
- OCS 4.5a-K units are rebuilt in enemy zones;
- OCS 6.1g supply sent by rail, or by truck capacity (HR 3.1d), does not end the move in progress;
- OCS 12.5e an HQ that moves on its own fuel throws fuel from where it began, and not from where it
  ends;
- OCS 13.2 transport that has moved feeds no combat and no barrage in that phase;
- OCS 13.6c transport other than organic trucks arrives empty.

[R] Before `THIRD_READING`:

- OCS 6.1g, 13.2 transport that has paused goes on after others have moved, whether it fed anybody
  or not;
- OCS 12.5c units that do not move any more in the phase are fuelled singly;
- OCS 12.3 the canonical payment empties an organic truck before supply that lies farther away;
- OCS 21.3 independent units use internal stocks for an attack that a divisional unit takes part in;
- OCS 21.12a of an escort both bases lie within its range of its own, whatever lies between them.
"""

from warledger.engine.games.ocs.charts import Charts
from warledger.engine.games.ocs.game import rules

OPTION = "errata"
"""The option: how many of a game's errata are in force, counted from the first."""

FIRST_READING = "first_reading"
"""A retired option: games that name it are without `SECOND_READING`, or have it, by its value."""

NOT_NAMED = ""
"""Its value for games that do not name it."""

SECOND_READING, THIRD_READING = "second_reading", "third_reading"
"""The errata of the series."""


def mended(charts: Charts, erratum: str) -> bool:
    """Whether an erratum of the series is in force."""
    if erratum == SECOND_READING:
        first = charts.options.get(FIRST_READING, NOT_NAMED)
        if first != NOT_NAMED:
            return not first
    return in_force(charts, rules(charts).errata.get(erratum, 0))


def in_force(charts: Charts, number: int) -> bool:
    """Whether the first `number` errata of the game's list are in force."""
    return int(charts.options.get(OPTION, number)) >= number
