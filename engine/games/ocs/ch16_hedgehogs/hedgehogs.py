"""OCS 16: hedgehogs.

OCS 16.0 A hedgehog has a level of 1 to 4, as far as the game lets it be built. Results never harm
it (16.0h), and it counts as heavy anti-tank (16.0e).
"""

from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State


def level(state: State, side: str, i: int) -> int:
    """OCS 16.0 The level of the hedgehog that a side may use in a hex, 0 for none: its own, or one
    printed on the map that the game lets it use."""
    own = state.hedgehogs.get(i)
    built = own.level if own is not None and own.side == side else 0
    return max(built, rules(state.charts).printed_hedgehog(state.charts, side, i))
