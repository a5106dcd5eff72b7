"""What must follow a record at once: it is written by the server from what it holds and waits for
nobody. The kernel asks here when it writes, `Acting` and `Drawing` when they read. What a ruling
asks for is in `docket`, and when a flag falls in `clock`. A tournament's desk and audit ask
`of_ledger`.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, TypeAlias

from warledger.protocol.log import records

Cause: TypeAlias = tuple[str | None, str, tuple[Any, ...]]
"""How a game ends: the winner, the reason and its arguments."""

RESIGNED: Final = "outcome.resigned"
DRAW_AGREED: Final = "outcome.draw_agreed"
EXPIRED: Final = "outcome.expired"
LAPSED: Final = "outcome.lapsed"

DRAW: Final[Cause] = (None, DRAW_AGREED, ())
"""How a game ends once all have consented to a draw."""


class Turns:
    """The turns of one game that have ended along the branch in force, as its records go by."""

    def __init__(self) -> None:
        self.ended = 0
        self._most = 0
        self._after: dict[int, int] = {}

    def closed(self, count: int) -> bool:
        """A command ends so many turns. Whether one of them ends for the first time."""
        self.ended += count
        first = self.ended > self._most
        self._most = max(self._most, self.ended)
        return first

    def note(self, seq: int) -> None:
        """Record `seq` has been taken: a takeback may go back to it."""
        self._after[seq] = self.ended

    def back(self, to: int) -> None:
        """A takeback goes back to a record; nothing changes where it has not been taken."""
        self.ended = self._after.get(to, self.ended)


def links(turns: int, epoch: int) -> int:
    """How many links are opened after a command by which `turns` turns have ended on the branch in
    force. `epoch` is that of the open dice. A turn that ends again after a takeback opens
    nothing."""
    return max(0, turns + 1 - epoch)


def begins(nonces: Collection[bytes | None]) -> bool:
    """Whether the game begins: every seat has shown its nonce."""
    return None not in nonces


def agreed(seats: Collection[str], asker: str, consents: Collection[str]) -> bool:
    """Whether a request has been consented to by all but the seat that made it."""
    return all(seat == asker or seat in consents for seat in seats)


def is_over(asked: Collection[Any], protest_ms: int) -> bool:
    """Whether the game ends after a command, by the rules: nobody is asked, and no end is held."""
    return not asked and not protest_ms


def other_of_two(seats: Sequence[str], seat: str) -> str | None:
    """Who wins where a seat loses: the other one of two."""
    others = [other for other in seats if other != seat]
    return others[0] if len(others) == 1 else None


def resigned(seats: Sequence[str], seat: str) -> Cause:
    """How a game ends that a seat has resigned."""
    return other_of_two(seats, seat), RESIGNED, (("seat", seat),)


def expired(silent: Sequence[str], *, all_taken: bool) -> Cause:
    """How a game ends that never began: `silent` are the seats that have not shown their nonce."""
    return (None, LAPSED, (("seats", tuple(silent)),)) if all_taken else (None, EXPIRED, ())


def of_ledger(events: Iterable[tuple[Any, ...]]) -> tuple[str, ...]:
    """The kinds of the records that follow an act of a tournament with these events, in their
    order: the link of the epoch in force where a round is published, and the end."""
    tags = {event[0] for event in events}
    return tuple(kind for tag, kind in _AFTER if tag in tags)


_AFTER: Final = (("published", records.OPEN), ("finished", records.END))
