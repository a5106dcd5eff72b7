"""What each side may not know, for the laws: given a state and a seat, states that differ only in
that."""

from collections.abc import Iterable

from warledger.engine.kernel.change import replace
from warledger.engine.testing.skirmish.chits import CHITS
from warledger.engine.testing.skirmish.state import State, other
from warledger.protocol.chance.seal import Secret


def alternatives(state: State, seat: str) -> Iterable[State]:
    """2.1 The other side has put its other chit into the cup."""
    enemy = other(seat)
    chosen = state.chosen.get(enemy)
    if chosen is None:
        return
    for chit in CHITS:
        if chit != chosen.value:
            swapped = Secret(chit, chosen.readers, chosen.where)
            yield replace(state, chosen={**state.chosen, enemy: swapped})
