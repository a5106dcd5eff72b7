"""OCS 10.0: a barrage in progress, as the position keeps it between two commands."""

from warledger.engine.kernel.change import unguarded

UNITS, BASE, RAILWAY = "units", "base", "railway"
"""OCS 10.0d What a barrage is aimed at: combat units, an air base, or what moves on rails and roads
(trainbusting, 14.8)."""

ARTILLERY, AIR = "artillery", "air"
"""OCS 10.0 Kinds of barrage, which never combine."""


@unguarded
class Fire:
    """OCS 10.0 One barrage, from its declaration until its losses are taken.

    `units`     who fires: artillery, or aircraft
    `aim`       UNITS, BASE or RAILWAY
    `column`    the column before shifts, which sets the cost; the owner may have chosen a lower one
                than the strength gives (the option `lower_column`)
    `owed`      steps that the target still has to lose
    """

    side: str
    kind: str
    units: tuple[str, ...]
    aim: str
    target: int
    column: int
    owed: int = 0
