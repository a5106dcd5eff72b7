"""OCS 6.1: a move in progress, as the position keeps it between two commands."""

from attrs import frozen


@frozen
class Move:
    """OCS 6.1 One unit or stack on its way; 6.1g nothing else moves until it has finished.

    `units`     who still moves together (6.1f those dropped are done)
    `start`     the hex where the move began
    `way`       hexes entered so far, the start left out
    `overrun`   the hex of an overrun being made, -1 for none; `overruns` hexes overrun so far
    `fuelled`   units whose fuel for this move has been paid
    """

    units: tuple[str, ...]
    start: int
    way: tuple[int, ...] = ()
    overrun: int = -1
    overruns: tuple[int, ...] = ()
    fuelled: frozenset[str] = frozenset()
