"""OCS 5.7g: no unit is in Reserve in a hedgehog.

OCS 5.7g Units in Reserve mode that stand in a hex with a hedgehog of their side's when a movement
segment ends lose their marker. Under fog it is said of every side with combat units in hedgehogs,
whether any of them was in Reserve or not.
"""

from collections.abc import Mapping

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch16_hedgehogs.hedgehogs import level
from warledger.engine.games.ocs.series.events import ModeChanged
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import RESERVE, State
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step

RESERVES = "reserves"
"""The name of the step."""


def entrenched(state: State, side: str) -> tuple[int, ...]:
    """OCS 5.7g Hexes with combat units of a side in a hedgehog."""
    return tuple(i for i in hexsets.listed(state.field.combat[side]) if level(state, side, i))


def bare(state: State, side: str) -> tuple[str, ...]:
    """OCS 5.7g Units of a side that lose their Reserve marker."""
    return tuple(
        name
        for i in entrenched(state, side)
        for name in state.stack(i)
        if state.units[name].marker == RESERVE
        and not rules(state.charts).reserves_anywhere(state, name)
    )


class Reserves(Step[State]):
    """OCS 5.7g The end of a movement segment, for the side that has moved."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Markers in hedgehogs go; organic trucks among them."""
        table.done()
        state = table.state
        side = zones.mover(state)
        units = tuple((name, "", state.units[name].move_side) for name in bare(state, side))
        if units:
            modes.change(table, units)
        elif fog.strict(state) and entrenched(state, side):
            table.emit(ModeChanged(side, fog.hidden(state, side, ())))


STEPS: Mapping[str, Step[State]] = {RESERVES: Reserves()}
