"""OCS 0: units that begin beyond the play area and must come into it.

[R] They move like any other (`ways.out_of_play`), by the turn that their scenario names. Those that
are still outside when the Movement Segment of that turn ends come in together, in the nearest hex
that has room for them.
"""

from collections.abc import Mapping

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog, stacking
from warledger.engine.games.ocs.ch13_special_units import control
from warledger.engine.games.ocs.ch13_special_units.arrivals import blocked
from warledger.engine.games.ocs.ch13_special_units.reinforcements import Reinforced
from warledger.engine.games.ocs.series.state import OFF_MAP, State
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step

APPROACH = "approach"
"""The name of the step."""


def late(state: State, side: str) -> Mapping[int, tuple[str, ...]]:
    """OCS 0 Units of a side that have to be in play by now and are not, by the hex where they
    stand."""
    scenario = state.charts.scenario
    found: dict[int, tuple[str, ...]] = {}
    if state.turn >= scenario.must_enter_turn:
        for name in scenario.must_enter:
            at = state.units[name].at
            if at != OFF_MAP and hexsets.has(scenario.beyond, at) and state.side(name) == side:
                found[at] = (*found.get(at, ()), name)
    return found


def way_in(state: State, names: tuple[str, ...], start: int) -> int:
    """OCS 0 The nearest hex of the play area in which these units may be together; OFF_MAP where
    there is none."""
    charts = state.charts
    left = charts.scenario.play
    for name in names:
        left &= ~blocked(state, name)
    while near := hexsets.nearest(1 << start, left, charts.board.near):
        for i in hexsets.listed(near):
            if stacking.fits(state, names, i):
                return i
        left &= ~near
    return OFF_MAP


class Approach(Step[State]):
    """OCS 0 The end of a Movement Segment: whoever has to be in play comes into it."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 0 The units of each hex outside, one hex after the other."""
        table.done()
        side = table.state.phasing
        for start, names in late(table.state, side).items():
            to = way_in(table.state, names, start)
            if to == OFF_MAP:
                continue
            _bring(table, side, names, to)
            control.settle(table)


def _bring(table: Table[State], side: str, names: tuple[str, ...], to: int) -> None:
    """OCS 0 These units come into a hex, each in the mode that it is in."""
    state = table.state
    alike: dict[tuple[str, bool], list[str]] = {}
    for name in names:
        unit = state.units[name]
        alike.setdefault((unit.marker, unit.move_side), []).append(name)
    for (marker, moving), together in alike.items():

        def hide(value: object) -> object:
            return fog.hidden(state, side, value)

        table.emit(
            Reinforced(
                side,
                hide(tuple(together)),
                state.charts.board.name(to),
                hide(marker),
                hide(moving),
                hide(tuple(state.units[name].lost for name in together)),
            )
        )


STEPS: Mapping[str, Step[State]] = {APPROACH: Approach()}
