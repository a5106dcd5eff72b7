"""OCS 4.8a: at the end of every segment but Reinforcement the owner eliminates the excess in a hex.

[R] By the option `breakout_stacking` that holds after the Breakout Segment, too. Nobody enters a
hex in it. So without the option what 13.6a lets arrive too many to a hex has its owner's Movement
Segment to move on.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch03_counters.counters import ONE_RE
from warledger.engine.games.ocs.ch04_concepts import fog, stacking
from warledger.engine.games.ocs.ch04_concepts.rounding import mixed
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat
from warledger.protocol.board.choices import say

BREAKOUT_STACKING = "breakout_stacking"
BREAKOUT = "c1"

RE, STRAT, ALONE = "re", "strat", "alone"
ASKED: Mapping[str, str] = {
    RE: "prompt.ocs.overstacked",
    STRAT: "prompt.ocs.overstacked_strat",
    ALONE: "prompt.ocs.overstacked_alone",
}
WARNED: Mapping[str, str] = {
    RE: "preview.ocs.warning.overstacked",
    STRAT: "preview.ocs.warning.overstacked_strat",
    ALONE: "preview.ocs.warning.overstacked_alone",
}
"""OCS 4.8a, 21.12c What the owner of a hex is asked, and told before, by what is wrong there."""

Lose = Callable[[Table[State], str], None]
"""What takes a step from a unit, and the unit off the map with its last one."""


@frozen
class Eliminating:
    """OCS 4.8a The unit that loses a step."""

    unit: str = ""


class Overstacked(Asking[State]):
    """OCS 4.8a Sides with overstacked hexes remove the excess step by step, one side after the
    other. Nobody is asked where all hexes hold what they may. `lose` takes a step."""

    verb_slot = "ocs.stacking"

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS 4.9, R-17 Who is eliminated is the owner's to know."""
        return fog.strict(asked.state)

    def __init__(self, lose: Lose) -> None:
        self._lose = lose

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The first side with a hex over the limit."""
        if _waits(at.state):
            return {}
        for side in at.state.charts.sides:
            found = stacking.overstacked(at.state, side)
            if found:
                return {side: Decision(_told(ASKED, at.state, found[0]))}
        return {}

    def commands(self) -> Commands[State]:
        """eliminate UNIT."""
        return (
            Command(
                "eliminate",
                Eliminating,
                Slot("unit", "ocs.unit", _in_excess, _why_not),
                apply=lambda table, asked, order: self._lose(table, order.unit),
            ),
        )


def warned(state: State, side: str) -> tuple[Say, ...]:
    """OCS 4.8a What a side that ends its segment now would have to eliminate in: each hex with what
    stands there and what may."""
    return tuple(_told(WARNED, state, i) for i in stacking.overstacked(state, side))


def _told(keys: Mapping[str, str], state: State, i: int) -> Say:
    """OCS 4.8a, 21.12c Why a hex is overstacked: by how much, or by what stands together there."""
    name = state.charts.board.name(i)
    if stacking.excess(state, i):
        held, limit = stacking.re_in(state, i), stacking.limit(state)
        return say(
            keys[RE],
            "OCS 4.8a",
            hex=name,
            re=mixed(Fraction(held, ONE_RE)),
            limit=mixed(Fraction(limit, ONE_RE)),
        )
    if stacking.in_strat(state, i):
        return say(keys[STRAT], "OCS 21.12c", hex=name)
    return say(keys[ALONE], "OCS 4.8a", hex=name)


def _waits(state: State) -> bool:
    """OCS 4.8a, 13.6a Whether what is too many to a hex may still move on."""
    return state.segment == BREAKOUT and not state.charts.options.get(BREAKOUT_STACKING)


def _in_excess(asked: Asked[State], order: Eliminating) -> Iterable[str]:
    state = asked.state
    return [
        name
        for i in stacking.overstacked(state, asked.seat)
        for name in stacking.to_eliminate(state, i)
    ]


def _why_not(asked: Asked[State], order: Eliminating, pick: Pick) -> Refusal:
    state = asked.state
    where = hexsets.of(stacking.overstacked(state, asked.seat))
    hexes = " ".join(state.charts.board.name(i) for i in hexsets.listed(where))
    return Refusal("OCS 4.8a", "refusal.ocs.not_overstacked", (("pick", pick), ("hexes", hexes)))
