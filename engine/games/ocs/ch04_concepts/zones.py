"""OCS 4.5: zones of control, their negation, and what they prevent.

OCS 4.5 A zone covers the unit's hex and all six around it, whatever the terrain; who exerts one is
`state.exerts`. OCS 4.5a's table is here as `BARS`: each letter is a question with a name, and
whether a friendly unit in the hex lifts the bar (4.5b).
"""

from collections.abc import Mapping
from types import MappingProxyType

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import EXPLOIT, RESERVE, State, Unit
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.memo import remembered

TRUCK_MOVE = "truck_move"
TRUCK_SUPPLY = "truck_supply"
RAIL_MOVE = "rail_move"
RAIL_SUPPLY = "rail_supply"
RAIL_CONVERSION = "rail_conversion"
PORT_TRACE = "port_trace"
PORT_LITERAL = "port_literal"
REFIT = "refit"
ENTER_RESERVE = "enter_reserve"
STRAT = "strat"
REBUILDING = "rebuilding"

BARS: Mapping[str, tuple[str, bool]] = MappingProxyType(
    {
        TRUCK_MOVE: ("A", True),
        TRUCK_SUPPLY: ("B", True),
        RAIL_MOVE: ("C", False),
        RAIL_SUPPLY: ("D", True),
        RAIL_CONVERSION: ("E", False),
        PORT_TRACE: ("F", True),
        PORT_LITERAL: ("G", False),
        REFIT: ("H", True),
        ENTER_RESERVE: ("I", False),
        STRAT: ("J", False),
        REBUILDING: ("K", False),
    }
)
"""OCS 4.5a What an enemy zone prevents -> its letter, and whether negation lifts it.

A a Truck unit that enters must stop (or overrun). B a supply path in Truck points into or out of
the hex. C rail transport. D a rail path for trace. E rail conversion. F, G ports. H refit at a
base. I entering Reserve mode. J entering Strat mode, and any entry in it. K rebuilding.
"""

MOVEMENT, REACTION, EXPLOITATION = ("c1", "c2"), ("e1",), ("g1",)
"""OCS 2.3 Segments at or before which units may still spend movement in the phase."""


def mover(state: State) -> str:
    """OCS 2.3, 7.0 The side that acts in this segment: the non-phasing side in the Reaction Phase,
    else the phasing side."""
    return state.enemy(state.phasing) if state.segment[:1] == "e" else state.phasing


def in_movement(state: State) -> bool:
    """OCS 2.3 Whether units may still spend movement in the phase."""
    return state.segment in (*MOVEMENT, *REACTION, *EXPLOITATION)


def may_still_move(state: State, name: str, unit: Unit) -> bool:
    """OCS 4.5b Whether a unit may spend movement later in the current phase: not if something
    relies on its staying."""
    if unit.finished or unit.worked or state.side(name) != mover(state):
        return False
    if name in state.phase_use.held:
        return False
    if rules(state.charts).holds_back(state, name):
        return False
    if state.segment in MOVEMENT:
        face = state.charts.units[name].face(unit.move_side)
        other = state.charts.units[name].face(not unit.move_side)
        return any(side is not None and side.ma > 0 for side in (face, other))
    if state.segment in REACTION:
        return unit.released or unit.marker == RESERVE
    if state.segment in EXPLOITATION:
        return unit.released or unit.marker in (RESERVE, EXPLOIT)
    return False


@remembered()
def negated(state: State, side: str) -> Hexes:
    """OCS 4.5b Hexes where a combat unit of a side negates enemy zones: one that stands there now
    and will not spend movement later in the phase. It need not have a zone itself. [R] In its own
    side's movement a unit is taken to stay, unless it is on its way or about to go (`staying`)."""
    hexes = state.field.combat[side]
    if side != mover(state) or not in_movement(state):
        return hexes
    gone = going(state)
    if not gone:
        return hexes
    left = hexsets.of(state.units[name].at for name in sorted(gone) if state.units[name].at >= 0)
    for i in hexsets.listed(left):
        if all(name in gone for name in state.combat_units(i)):
            hexes &= ~(1 << i)
    return hexes


def going(state: State) -> frozenset[str]:
    """OCS 4.5b, 6.1 Units on their way, and those that are about to go."""
    gone = state.phase_use.leaving
    if state.move is None:
        return gone
    units = state.units
    return gone.union(name for name in state.move.units if not units[name].finished)


def leaving(state: State, names: tuple[str, ...]) -> State:
    """OCS 4.5b The position in which these units are about to go, so that they negate nothing; the
    same one where they would negate nothing anyhow."""
    side = mover(state)
    if not in_movement(state):
        return state
    zoned = enemy_zones(state, side)
    gone = frozenset(
        name
        for name in names
        if state.charts.units[name].combat_unit
        and state.units[name].at >= 0
        and hexsets.has(zoned, state.units[name].at)
        and may_still_move(state, name, state.units[name])
    )
    # What a position remembers must not be itself, or it would wait for the collector.
    return state if gone <= state.phase_use.leaving else _leaving(state, gone)


@remembered()
def _leaving(state: State, gone: frozenset[str]) -> State:
    use = state.phase_use
    return replace(state, phase_use=replace(use, leaving=use.leaving | gone))


@remembered()
def enemy_zones(state: State, side: str) -> Hexes:
    """OCS 4.5 Hexes in the zones of a side's enemy, negated or not."""
    return state.field.zones[state.enemy(side)]


def barred(state: State, side: str, what: str) -> Hexes:
    """OCS 4.5a Hexes where enemy zones prevent a side from doing `what`, one of BARS."""
    hexes = enemy_zones(state, side)
    return hexes & ~negated(state, side) if BARS[what][1] else hexes


def bars(state: State, side: str, what: str, i: int) -> bool:
    """OCS 4.5a Whether enemy zones prevent a side from doing `what` in one hex."""
    return hexsets.has(barred(state, side, what), i)
