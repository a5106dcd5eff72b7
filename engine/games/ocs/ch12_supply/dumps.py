"""OCS 12.11: blowing up dumps.

OCS 12.11a In a movement segment of its own a side may try once a phase to blow up each of its
dumps: a die says what part of it, to the nearest T, is destroyed. OCS 12.1 A dump is all the supply
of a side in a hex, loaded or not; the transport itself survives. [R] What lies on the ground goes
first, then loads of ordinary transport, then those of organic trucks.
"""

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.ch04_concepts.rounding import half_up
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, event

MOST = 100
"""Per cent."""

SEGMENTS = (*zones.MOVEMENT[1:], *zones.REACTION, *zones.EXPLOITATION)
"""OCS 12.11a Movement segments, in which the side that moves may blow up dumps."""


@event("ocs.dump_blown")
class DumpBlown:
    """OCS 12.11a A side tries to blow up a dump: the die, and per cent destroyed. What that is, as
    (nobody, where it lay or what carried it, T), is hidden (OCS R-15)."""

    side: str
    hex: str
    die: int
    percent: int
    destroyed: Any


after = ByEvent()


@after(DumpBlown)
def _blown(state: State, event: DumpBlown) -> State:
    use = state.phase_use
    at = 1 << state.charts.board.hex(event.hex)
    made = points.spent(state, event.side, fog.plain(event.destroyed))
    return replace(made, phase_use=replace(use, blown=use.blown | at))


def loads_at(state: State, side: str, i: int) -> tuple[str, ...]:
    """OCS 12.1 Loaded transport of a side in a hex, ordinary before organic."""
    loaded = (
        name for name in state.stack(i) if state.units[name].load and state.side(name) == side
    )
    return tuple(sorted(loaded, key=lambda name: (state.counter(name).organic, name)))


def size(state: State, side: str, i: int) -> int:
    """OCS 12.1 T of a side in a hex, loaded or not."""
    carried = sum(state.units[name].load for name in loads_at(state, side, i))
    return points.lying(state, side, i) + carried


def to_blow(state: State) -> tuple[int, ...]:
    """OCS 12.11a Hexes with a dump of the side that moves, not tried in this phase."""
    if state.segment not in SEGMENTS:
        return ()
    side = zones.mover(state)
    lying = {place for place in state.supply[side] if isinstance(place, int)}
    carried = {place for place in points.loads(state, side) if isinstance(place, int)}
    return tuple(i for i in sorted(lying | carried) if not state.phase_use.blown >> i & 1)


def blow(table: Table[State], i: int) -> None:
    """OCS 12.11a The die is rolled, and that much of the dump is gone."""
    state = table.state
    side = zones.mover(state)
    die = table.roll(6, "blow_dump")
    percent = state.charts.tables.blowing[die - 1]
    left = half_up(size(state, side, i) * percent, MOST)
    name = state.charts.board.name(i)
    destroyed: list[points.Pick] = []
    for what in (name, *loads_at(state, side, i)):
        tokens = min(points.amount(state, side, what), left)
        if tokens:
            destroyed.append(("", what, tokens))
            left -= tokens
    table.emit(DumpBlown(side, name, die, percent, fog.hidden(state, side, tuple(destroyed))))


@frozen
class Blowing:
    """OCS 12.11a The dump's hex."""

    hex: str = ""


def commands() -> Commands[State]:
    """OCS 12.11a blow HEX: for the step in which a side moves."""
    return (
        Command(
            "blow",
            Blowing,
            Slot("hex", "ocs.dump", _offers, _why_not),
            apply=lambda table, asked, order: blow(table, asked.state.charts.board.hex(order.hex)),
            when=lambda asked: bool(to_blow(asked.state)),
            why=lambda asked: Refusal("OCS 12.11a", "refusal.ocs.no_dump"),
        ),
    )


def _offers(asked: Asked[State], order: Blowing) -> Iterable[str]:
    name = asked.state.charts.board.name
    return [name(i) for i in to_blow(asked.state)]


def _why_not(asked: Asked[State], order: Blowing, pick: Pick) -> Refusal:
    """OCS 12.11a"""
    state = asked.state
    tried = {state.charts.board.name(i) for i in _tried(state)}
    key = "dump_tried" if pick in tried else "no_dump_there"
    return Refusal("OCS 12.11a", f"refusal.ocs.{key}", (("hex", pick),))


def _tried(state: State) -> Iterable[int]:
    return (i for i in range(state.charts.board.size) if state.phase_use.blown >> i & 1)
