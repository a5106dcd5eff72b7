"""OCS 13.3h: control of hexes.

OCS 13.3h The side controls a hex whose attack-capable unit stands there or was the last to enter
it. Before anybody has, the scenario's front line says who does. `captures.enter` asks this for
every hex that attack-capable units enter on their way; `settle` is for those that stand in a hex.
"""

from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch04_concepts.concepts import attack_capable
from warledger.engine.games.ocs.series.events import ControlTaken
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table


def take(table: Table[State], side: str, i: int) -> None:
    """OCS 13.3h A side's attack-capable unit has entered a hex, which is the side's from now on."""
    state = table.state
    if hexsets.has(state.charts.scenario.play, i) and not state.controls(side, i):
        table.emit(ControlTaken(side, (state.charts.board.name(i),)))


def held(state: State, side: str, i: int) -> bool:
    """OCS 13.3h Whether an attack-capable unit of a side stands in a hex."""
    return any(
        state.side(name) == side and attack_capable(state.counter(name), state.units[name])
        for name in state.stack(i)
    )


def disputed(state: State, side: str) -> tuple[int, ...]:
    """OCS 13.3h Hexes in play that a side holds with attack-capable units and does not control."""
    outside = state.field.combat[side] & ~state.control[side] & state.charts.scenario.play
    return _held(state, side, outside) if outside else ()


@remembered(of=lambda state, side, hexes: state.field, by=lambda state, side, hexes: (side, hexes))
def _held(state: State, side: str, hexes: Hexes) -> tuple[int, ...]:
    """Those of some hexes that a side holds. Who stands where, and in which mode, is the field's:
    while it stays, who holds a hex does too."""
    return tuple([i for i in hexsets.listed(hexes) if held(state, side, i)])


def settle(table: Table[State]) -> None:
    """OCS 13.3h Hexes where attack-capable units stand are theirs, however they came to be there,
    or to be attack-capable: a unit released from Reserve takes the hex in which it stands."""
    for side in table.state.charts.sides:
        found = disputed(table.state, side)
        if found:
            name = table.state.charts.board.name
            table.emit(ControlTaken(side, tuple(name(i) for i in found)))


def on_event(table: Table[State], event: Any) -> None:
    """OCS 13.3h Settle control after an event."""
    if not isinstance(event, ControlTaken):
        settle(table)
