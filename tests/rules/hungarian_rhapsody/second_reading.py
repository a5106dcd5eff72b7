"""The pack as the witness reads it, and positions as the witness sees them."""

from functools import cache

from tests.rules.hungarian_rhapsody.bench import (
    AXIS,
    SOVIET,
    start,
)
from tests.rules.hungarian_rhapsody.witness import Pack, Scenario
from warledger.engine.games.ocs.ch13_special_units import bridges
from warledger.engine.games.ocs.series.state import State


@cache
def pack() -> Pack:
    """The witness's reading of the pack."""
    return Pack()


@cache
def scene(name: str) -> Scenario:
    """The witness's reading of a scenario."""
    return Scenario(pack(), name)


def at_witness(name: str) -> State:
    """A set-up as the witness sees it: clear weather, no HQ bridges, in nobody's movement."""
    state = start(name, ground="dry")
    hqs = {hq for side in (AXIS, SOVIET) for hq in bridges.hqs_of(state.charts.printed, side)}
    assert hqs
    return state
