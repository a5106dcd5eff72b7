"""Games with standing answers: sound ones, and such as a server writes that gives others than it
may. Those of `FORGED` anybody finds once the answers are open, those of `FOUND_BY_RULES` only
whoever has the rules, since these alone know what was on offer.
"""

from collections.abc import Callable
from typing import Any, Final

from tests.audit.attacked import start
from tests.audit.tamper import chained, file_of, put
from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.writing import Writing
from warledger.engine.testing.randomgames import Played, some_bytes
from warledger.protocol.limits import ORDERS_BYTES_MAX
from warledger.protocol.log import bodies, records
from warledger.protocol.log.bodies import ByOrders
from warledger.protocol.seats import acts

PROMPT: Final = "prompt.counting.act"
OTHER: Final = "prompt.counting.other"
PASS, SHOW, TWO = ("pass",), ("show",), ("add", 2)

Made = Callable[[], bytes]


def ordered(played: Played, seat: str, *orders: Any) -> None:
    """A seat signs standing answers, which the server writes as they are."""
    blind = some_bytes(played.position.seq, "blind")
    digest = acts.orders_digest(played.ledger.genesis.hash, seat, blind, orders)
    by = played.by(seat, acts.ORDERS, digest)
    assert by is not None
    run = Writing(played.ledger, played.at_ms)
    run.orders(seat, orders, blind, digest, by)
    played.commit(run.batch())


def give(played: Played, seat: str, picks: Any, entry: int = 0, alternative: int = 0) -> None:
    """The server gives a standing answer, whether it is due or not."""
    newest = next(given.seq for given in played.position.standing if given.seat == seat)
    by, ledger = ByOrders(newest, entry, alternative), played.ledger
    command = Submission(seat, played.position.opened(seat) or 0, picks, by=by.as_array())
    ledger.standing_answer = lambda _: (by, picks)  # type: ignore[method-assign]
    try:
        made = ledger.propose_command(command, played.at_ms)
    finally:
        del ledger.standing_answer  # type: ignore[method-assign]
    assert isinstance(made, Batch), made
    played.commit(made)


def over(played: Played) -> bytes:
    """The file of the game, which b resigns."""
    played.commit(played.resign("b"))
    return played.file()


def given(*orders: Any, picks: Any = PASS, entry: int = 0, alternative: int = 0) -> bytes:
    """a has these standing answers and is asked; this is given."""
    played = start()
    ordered(played, "a", *orders)
    give(played, "a", picks, entry, alternative)
    return over(played)


def hidden(*orders: Any, picks: Any, entry: int = 0, alternative: int = 0) -> bytes:
    """The same where a has a word to show."""
    played = start()
    played.submit("a", "hide", "antelope")
    played.submit("b", *PASS)
    ordered(played, "a", *orders)
    give(played, "a", picks, entry, alternative)
    return over(played)


def next_turn(*orders: Any, picks: Any = PASS, entry: int = 0) -> bytes:
    """a has these standing answers before a turn ends; this is given in the next."""
    played = start()
    ordered(played, "a", *orders)
    played.submit("a", *TWO)
    played.submit("b", *PASS)
    give(played, "a", picks, entry)
    return over(played)


def back(played: Played, seat: str, to: int) -> None:
    """A takeback, if need be with the other seat's consent."""
    played.commit(played.take_back(seat, to))
    if played.position.ask is not None:
        played.commit(played.answer("b" if seat == "a" else "a", True))


def taken_back() -> bytes:
    """The turn ends, and that is taken back: answers for it stay void."""
    played = start()
    before = played.position.seq
    ordered(played, "a", (PROMPT, (PASS,), "turn"))
    played.submit("a", *TWO)
    played.submit("b", *PASS)
    back(played, "a", before)
    give(played, "a", PASS)
    return over(played)


def ended_again() -> bytes:
    """A turn that ended before ends again, which opens nothing: answers given for it between are
    void."""
    played = start()
    played.submit("a", *TWO)
    asked = played.position.seq
    played.submit("b", *PASS)
    back(played, "b", asked)
    ordered(played, "a", (PROMPT, (PASS,), "turn"))
    played.submit("b", *TWO)
    assert played.records[-1].kind == records.COMMAND, "no link is opened"
    give(played, "a", PASS)
    return over(played)


def back_by_another_key() -> bytes:
    """A takeback asks the seats by another key than they were asked by then."""
    played = start()
    before = played.position.seq
    played.submit("a", *TWO)
    back(played, "a", before)
    made = played.records[-1]
    body = put(made.body, (3, 0, 2), OTHER)
    return file_of(chained(played, {made.seq: body}), key=played.key)


BOTH: Final = ((PROMPT, (TWO,), "game"), (PROMPT, (PASS,), "turn"))
"""What goes before what, whichever stands first."""


def lies_unused() -> bytes:
    """An answer is due, but the seat is asked all the same, and gives another."""
    played = start()
    ordered(played, "a", (PROMPT, (PASS,), "game"))
    played.submit("a", *TWO)
    return over(played)


SOUND: Final[dict[str, Made]] = {
    "a standing answer that lies unused": lies_unused,
    "a standing answer for this turn": lambda: given(*BOTH, entry=1),
    "a standing answer for the game, once that for the turn is void": lambda: next_turn(
        *BOTH, picks=TWO
    ),
    "a standing answer whose first alternative is not on offer": lambda: given(
        (PROMPT, (SHOW, PASS), "game"), alternative=1
    ),
    "a standing answer for the game, since none for the turn is on offer": lambda: given(
        (PROMPT, (PASS,), "game"), (PROMPT, (SHOW,), "turn")
    ),
}
FORGED: Final[dict[str, Made]] = {
    "a standing answer to another question": lambda: given(
        (OTHER, (PASS,), "game"), (PROMPT, (PASS,), "game")
    ),
    "a standing answer for a turn that is over": lambda: next_turn((PROMPT, (PASS,), "turn")),
    "a standing answer for a turn that was taken back": taken_back,
    "a standing answer for a turn that has ended again": ended_again,
    "a standing answer of an entry that is not there": lambda: given(
        (PROMPT, (PASS,), "game"), entry=1
    ),
    "a standing answer of an alternative that is not there": lambda: given(
        (PROMPT, (PASS,), "game"), alternative=1
    ),
    "a standing answer under the place of another": lambda: given(
        (PROMPT, (SHOW, PASS), "game"), alternative=0
    ),
    "more standing answers than may be": lambda: given(
        (PROMPT, (PASS, *(("x" * 500, n) for n in range(ORDERS_BYTES_MAX // 500 + 1))), "game")
    ),
    "two entries for a question and a span": lambda: given(
        (PROMPT, (PASS,), "game"), (PROMPT, (TWO,), "game")
    ),
    "a takeback that asks by another key": back_by_another_key,
}
WHY: Final = {
    "more standing answers than may be": "acts.orders_long",
    "two entries for a question and a span": "acts.orders_form",
    "a takeback that asks by another key": "acts.takeback_awaits",
}
"""What is said of those of which it is not `acts.not_ordered`."""
FOUND_BY_RULES: Final[dict[str, Made]] = {
    "a later alternative while an earlier one is on offer": lambda: hidden(
        (PROMPT, (SHOW, PASS), "game"), picks=PASS, alternative=1
    ),
    "an answer for the game before one for the turn": lambda: given(*BOTH, picks=TWO),
    "a standing answer that was not on offer when it might have been": lambda: hidden(
        (PROMPT, (PASS,), "game"), (PROMPT, (SHOW,), "turn"), picks=PASS
    ),
}


def another_key() -> tuple[bytes, int]:
    """The first question is asked by another key than the rules have, and the record of it."""
    played = start()
    played.commit(played.resign("b"))
    asked = next(record for record in played.records if record.kind == records.COMMAND)
    place = (records.AWAITS, 0, 2)
    assert bodies.CommandBody.read(asked.body).awaits[0][2] == PROMPT
    made = chained(played, {asked.seq: put(asked.body, place, OTHER)})
    return file_of(made, key=played.key), asked.seq
