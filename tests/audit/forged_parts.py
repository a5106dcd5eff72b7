"""Files for level 2 in parts: what one process finds wrong because of what a fold of the records
before a part does not tell."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from tests.toys import PACKS, counting
from warledger.clients.audit.audit import Rulebook
from warledger.engine.kernel import replay
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.types import Rules
from warledger.engine.testing.randomgames import Played, begin
from warledger.protocol.board.effects import Effect, put, tell
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log import records, wlog

# --- what is not opened, and readers --------------------------------------------------------------


class Handing(counting.Counting):
    """Whoever adds also lays their hidden word down again, as it stands in the state."""

    folders = ("tests.toys",)

    def effects(
        self, before: counting.State, event: Any, after: counting.State
    ) -> Iterable[Effect]:
        yield from super().effects(before, event, after)
        if type(event) is counting.Added:
            word = after.hidden[counting.SEATS.index(event.seat)]
            yield put(f"card_{event.seat}", f"table_{event.seat}", word or "", event.seat)


class Telling(counting.Counting):
    """Whoever adds is told whether b may read a's hidden word."""

    folders = ("tests.toys",)

    def effects(
        self, before: counting.State, event: Any, after: counting.State
    ) -> Iterable[Effect]:
        yield from super().effects(before, event, after)
        word = after.hidden[0]
        if type(event) is counting.Added and word is not None and "b" in word.readers:
            yield tell("counting.hid", "5", seat="b", word="")


def _hidden(rules: Rules[Any]) -> Played:
    """A game in which a has hidden a word."""
    played = begin(rules, PACKS["counting"], options={"turns": 3})
    played.submit("a", "hide", "antelope")
    played.submit("b", "pass")
    return played


def _folded(played: Played) -> None:
    """The game continues from what the fold of its records and openings comes to."""
    beside = dict(enumerate(played.openings))
    at = replay.fold(played.ledger.rules, played.records, beside)
    recent = [record.hash for record in played.records]
    played.ledger.resume(at.position, played.records[-1], at.kept, recent)


def not_opened() -> bytes:
    """A server's file in which nothing opens what was hidden but the picks. Where the word is laid
    down again, the seal of its event stands instead of one of its own."""
    played = _hidden(Handing())
    played.openings = [
        tuple([one for one in found if one.path == (records.PICKS,)]) for found in played.openings
    ]
    _folded(played)
    played.submit("a", "add", 1)
    return wlog.encode(played.frames(), sealed=True)


def other_readers() -> bytes:
    """A whole game whose private openings also name b as a reader of a's word, and in which the
    next command tells so."""

    def also_b(opening: Opening) -> Opening:
        return opening if opening.path == (records.PICKS,) else replace(opening, readers=("a", "b"))

    played = _hidden(Telling())
    played.openings = [tuple(map(also_b, found)) for found in played.openings]
    _folded(played)
    played.submit("a", "add", 1)
    played.commit(played.resign("b"))
    return played.file()


FOLDED: Final[dict[str, tuple[Callable[[], bytes], Rulebook]]] = {
    "a seal in place of what it hides": (not_opened, Rulebook(lambda _: Handing())),
    "openings that name another reader": (other_readers, Rulebook(lambda _: Telling())),
}
"""Forged files, with the rules they were played by: records that follow from what their own private
openings tell, and not from what was decided."""
