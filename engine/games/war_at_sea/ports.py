"""Which ports would take a ship: after a failed speed roll (6.2), disabled (7.3), or returning
(12.3), with the notes of appendix A.

Rules: every answer is a tuple of port ids in the order of the pack. An empty one means that the
ship is out of the game (12.3).
"""

from types import MappingProxyType

from warledger.engine.games.war_at_sea.data import Data, ReturnRule, other
from warledger.engine.games.war_at_sea.state import Ship, State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.types import Refusal
from warledger.protocol.board.choices import refuse

NORMAL, DISABLED = "normal", "disabled"
NEUTRAL_PORT = "south_america"

NOTE_CLAUSES = MappingProxyType(
    {"barents_sea": "A.1", "north_atlantic": "A.2", "south_atlantic": "A.3", "mediterranean": "A.4"}
)
"""The clause of the note printed in an area."""

CALENDAR_CLAUSES = MappingProxyType({"france": "15.4", "russia": "A.1", "leningrad": "16.1"})
"""R13 The clause that closes a port for some turns."""


def beside(state: State, ship: Ship, area: str) -> tuple[str, ...]:
    """2.2, 2.3, 15.3, 15.4, R11, R13 Friendly and neutral ports next to an area that are open and
    that the ship's nation may enter."""
    return tuple(port for port in state.data.ports_beside[area] if state.may_enter_port(ship, port))


def failed_destinations(state: State, ship: Ship) -> tuple[str, ...]:
    """6.2, R8 After a failed speed roll: the port it left, or one next to the second area; the
    notes of A.1 – A.4 do not widen this."""
    near = beside(state, ship, ship.path[-1])
    return (
        near
        if ship.origin in near
        else tuple(sorted((ship.origin, *near), key=state.data.order.__getitem__))
    )


def disabled_destinations(state: State, ship: Ship) -> tuple[str, ...]:
    """7.3, 13.4, 15.5, R12 Where a disabled ship may go; empty: nowhere, it is out of the game
    (12.3).

    13.4, R33 A convoy goes to the USA, whatever 18.5 says of other ships. A ship struck in port
    (9.1) stays in that port.
    """
    if ship.place in state.data.ports:
        return (ship.place,)
    if ship.is_convoy:
        return (state.data.convoy_start,)
    return _home(state, ship, DISABLED)


def return_destinations(state: State, ship: Ship) -> tuple[str, ...]:
    """5.7, 12.3, R30 Where a warship may return after control has been decided; empty: nowhere, it
    is out of the game."""
    return _home(state, ship, NORMAL)


def _home(state: State, ship: Ship, how: str) -> tuple[str, ...]:
    """A.1, A.2, A.3, A.4, R10 The note in the area stands instead of the adjacent ports; calendar
    and nation bind either way."""
    note = note_for(state.data, ship, state.turn, how)
    if note is None:
        return beside(state, ship, ship.place)
    return tuple(port for port in note.ports if state.may_enter_port(ship, port))


def note_for(data: Data, ship: Ship, turn: int, how: str) -> ReturnRule | None:
    """A.1 – A.4, 15.5 The note printed in the ship's area that speaks of its nation in this turn,
    if there is one."""
    for rule in data.return_rules:
        if (
            rule.area == ship.place
            and ship.nation in rule.nations
            and turn in rule.turns
            and how in rule.applies_to
        ):
            return rule
    return None


def port_refusal(state: State, ship: Ship, port: str, how: str, otherwise: Refusal) -> Refusal:
    """2.2, 15.4, 16.2, 18.5, A.1 – A.4, R13 Why a ship may not go into a port: an enemy's, closed
    now, or not the one that the note in its area names for ships that are NORMAL or DISABLED.
    `otherwise` when it is none of these. With `how` "" no note counts (6.2, R8)."""
    entry = state.data.ports[port]
    if entry.owner == other(ship.side):
        return refuse("2.2", "refusal.war_at_sea.enemy_port", port=port)
    if ship.nation == "us" and port not in state.data.limits_of(ship.nation, ship.kind).ports:
        return refuse("16.2", "refusal.war_at_sea.american_limits", ship=ship.id, area=port)
    if port in CALENDAR_CLAUSES and not entry.is_open(state.turn):
        return refuse(CALENDAR_CLAUSES[port], "refusal.war_at_sea.port_closed", port=port)
    if port == "usa" and state.options.usa_closed and not state.may_enter_port(ship, port):
        return refuse("18.5", "refusal.war_at_sea.port_closed", port=port)
    note = note_for(state.data, ship, state.turn, how)
    return otherwise if note is None else replace(otherwise, rule=NOTE_CLAUSES[note.area])
