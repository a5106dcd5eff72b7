"""Railways at the edge of the map."""

from tests.rules.hungarian_rhapsody.bench import AXIS, charts_of, start
from warledger.engine.games.ocs.series.state import State

BOARD = charts_of("campaign").board
WEST = ("A30.01", "A29.01", "A25.01", "A20.01")
"""Rail entries of the west edge, from south to north."""


def campaign() -> State:
    """The campaign's set-up in the Axis Movement Phase."""
    return start("campaign", ground="dry", phasing=AXIS, segment="c2")


def at(*names: str) -> int:
    """A set of hexes."""
    return sum(1 << BOARD.hex(name) for name in names)
