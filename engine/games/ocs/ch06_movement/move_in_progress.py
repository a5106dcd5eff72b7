"""OCS 6.1: a move in progress, as the position keeps it between two commands."""

from collections.abc import Iterable

from warledger.engine.kernel.change import replace, unguarded


@unguarded
class Move:
    """OCS 6.1 One unit or stack on its way; 6.1g nothing else moves until it has finished.

    `units`     who still moves together (6.1f those dropped are done)
    `start`     the hex where the move began
    `way`       hexes entered so far, the start left out
    `overrun`   the hex of an overrun being made, -1 for none; `overruns` hexes overrun so far
    `fuelled`   units whose fuel for this move has been paid
    `fed`       13.2 transport that has paused to feed others, and so may go on after them
    """

    units: tuple[str, ...]
    start: int
    way: tuple[int, ...] = ()
    overrun: int = -1
    overruns: tuple[int, ...] = ()
    fuelled: frozenset[str] = frozenset()
    fed: frozenset[str] = frozenset()


def feeding(now: Move | None, whats: Iterable[str]) -> Move | None:
    """OCS 13.2 The move in progress once these have paid for something: those on their way have
    paused to feed others."""
    if now is None:
        return None
    fed = now.fed | (frozenset(whats) & frozenset(now.units))
    return now if fed == now.fed else replace(now, fed=fed)
