"""Standing answers: which entries of a seat's set stand, and which alternative is due. Kernel,
server, clients and audit ask here, and nowhere else is it decided.

A set is [[prompt's key, [picks …], "turn" | "game"] …]: one entry for a key and a span, and in it
the alternatives in the order in which the seat wants them. Entries for the turn are void from the
first command after their record that closes a turn; a takeback revives none.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from warledger.protocol.board.choices import Picks
from warledger.protocol.log.records import ByOrders

TURN: Final = "turn"
GAME: Final = "game"
SPANS: Final = (TURN, GAME)
"""How long an entry stands, in the order in which entries of one key are looked at."""

Entry: TypeAlias = tuple[str, tuple[Picks, ...], str]
Entries: TypeAlias = tuple[Entry, ...]

Found: TypeAlias = tuple[int, int, Picks]
"""The place of an entry in its set, the place of an alternative in it, and the picks."""


def _spans(turn_over: bool) -> tuple[str, ...]:
    """The spans whose entries stand."""
    return (GAME,) if turn_over else SPANS


def not_void(entries: Entries, *, turn_over: bool) -> Entries:
    """The entries that stand; `turn_over`: a turn has ended since they were given."""
    return tuple(entry for entry in entries if entry[2] in _spans(turn_over))


def for_question(entries: Entries, key: str, *, turn_over: bool) -> Iterator[Found]:
    """What a set has for a question of this key, in the order in which it is looked at."""
    for span in _spans(turn_over):
        for place, (asked, alternatives, until) in enumerate(entries):
            if asked == key and until == span:
                for n, picks in enumerate(alternatives):
                    yield place, n, picks


def due(
    entries: Entries, key: str, on_offer: Callable[[Picks], bool], *, turn_over: bool
) -> Found | None:
    """The answer that is to be given to a question of this key: the first that is on offer."""
    found = for_question(entries, key, turn_over=turn_over)
    return next((answer for answer in found if on_offer(answer[2])), None)


def holds(entries: Entries, by: ByOrders, key: str, picks: Picks, *, turn_over: bool) -> bool:
    """Whether at the place that a command names these picks stand for this key, in an entry that is
    not void: what can be seen without the rules, which alone know what was on offer."""
    answer = (by.entry, by.alternative, tuple(picks))
    return answer in for_question(entries, key, turn_over=turn_over)


def with_answer(entries: Entries, key: str, picks: Picks, until: str) -> Entries:
    """The set once a seat wants this answer, too: as the last alternative of the entry for this key
    and span. A seat is asked only where no earlier one was on offer."""
    for place, (asked, alternatives, span) in enumerate(entries):
        if (asked, span) == (key, until):
            if picks in alternatives:
                return entries
            longer = (key, (*alternatives, picks), until)
            return (*entries[:place], longer, *entries[place + 1 :])
    return (*entries, (key, (picks,), until))
