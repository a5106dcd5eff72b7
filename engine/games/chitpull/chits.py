"""Command chits: choosing them in secret, the cup, and what a headquarters activates.

A selection is one sealed command whose picks are the chits, in rising order, so that one set has
one form. The cup's content is what both sides chose less what has been drawn. Its order is that of
the ids, so that a draw depends on nothing else.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from warledger.engine.board.tracing import RangeNet, command_range
from warledger.protocol.chance.seal import Secret


def selection(
    available: Sequence[str], needed: int, chosen: Sequence[str], *, always: Sequence[str] = ()
) -> list[str]:
    """What may be chosen next when `needed` of the available chits are chosen, those in `always`
    among them.

    They are chosen in any order; where no place is left for others, those that must be taken.
    """
    still = needed - len(chosen)
    if still <= 0:
        return []
    missing = [chit for chit in always if chit not in chosen]
    return [
        chit
        for chit in sorted(missing if len(missing) >= still else available)
        if chit not in chosen
    ]


def known(chits: Secret | None) -> tuple[str, ...]:
    """The chits of a sealed set, for the rules themselves: never for what another seat is told."""
    return () if chits is None else tuple(chits.value)


def cup(chosen: Iterable[Secret | None], drawn: Iterable[str]) -> tuple[str, ...]:
    """What is still in the cup, in order of ids."""
    return tuple(sorted(left(chosen, drawn)))


def left(chosen: Iterable[Secret | None], drawn: Iterable[str]) -> Iterator[str]:
    """What is still in the cup, one by one: to see whether there is anything, the first is
    enough."""
    gone = set(drawn)
    return (chit for side in chosen for chit in known(side) if chit not in gone)


def place(chit: str, side: str, in_hand: str, drawn: Container[str]) -> str:
    """VL 7.2.1; TY 7.1(1) Where everybody sees a chit: in execution, used, or with its side's
    others, in the cup or not."""
    if chit == in_hand:
        return "in_hand"
    return f"used.{side}" if chit in drawn else f"chits.{side}"


def in_range(
    net: RangeNet,
    start: int,
    reach: int,
    stacks: Mapping[int, tuple[str, ...]],
    accepts: Callable[[str], bool],
) -> tuple[str, ...]:
    """The counters that a headquarters in hex `start` activates, in order of ids: those within
    range that it accepts."""
    return tuple(
        sorted(
            name
            for i in command_range(net, start, reach)
            for name in stacks.get(i, ())
            if accepts(name)
        )
    )
