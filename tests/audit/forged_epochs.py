"""Games about epochs of dice for the vectors: turns that end, are taken back and end again, by
consent and by a ruling; several turns that end in one command; and hidden draws of more or fewer
results than there may be. The forged ones are wrong in one way only.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from tests.audit.attacked import by, cut, start, whole
from tests.audit.forged_orders import back
from tests.audit.tamper import chained, file_of, put
from tests.toys import counting
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step
from warledger.engine.testing.randomgames import Played, arbiter, begin
from warledger.protocol import canon
from warledger.protocol.board.effects import AWAIT, REWIND
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, seal
from warledger.protocol.limits import SIDES_MAX
from warledger.protocol.log import deskbodies, records
from warledger.protocol.seats import acts

Made = Callable[[], bytes]
PROMPT: Final = "prompt.counting.act"


# --- turns that end again -------------------------------------------------------------------------


def _ended() -> tuple[Played, int]:
    """Turn 1 has ended for the first time; the record after which that was decided."""
    played = start()
    played.submit("a", "pass")
    before = played.position.seq
    played.submit("b", "pass")
    assert played.records[-1].kind == records.OPEN
    return played, before


def _over(played: Played) -> bytes:
    """The seat that is asked rolls, and b resigns."""
    played.submit(played.position.open[0][0], "roll")
    played.commit(played.resign("b"))
    return played.file()


def _by_consent() -> bytes:
    """The turn's end is taken back, a die rolled in what is left of the turn, and it ends again."""
    played, before = _ended()
    back(played, "b", before)
    played.submit("b", "roll")
    assert played.records[-1].body[records.DRAWS][0][0] == 2
    assert played.records[-1].kind == records.COMMAND, "no link is opened"
    return _over(played)


def _by_ruling() -> bytes:
    """The same by a ruling."""
    played, before = _ended()
    played.commit(played.claim("b", before))
    played.commit(played.note(arbiter("Ann"), deskbodies.Heard(1)))
    played.commit(played.rule(arbiter("Ann"), 1, ("back", before)))
    played.submit("b", "pass")
    assert played.records[-1].kind == records.COMMAND, "no link is opened"
    return _over(played)


def _freely() -> bytes:
    """The turn ends, is taken back by consent, ends again, and that is taken back freely."""
    played, before = _ended()
    back(played, "b", before)
    before = played.position.seq
    played.submit("b", "pass")
    played.commit(played.take_back("b", before))
    assert played.records[-1].kind == records.TAKEBACK
    played.submit("b", "pass")
    return _over(played)


def _free_over_an_open() -> bytes:
    """The end of a turn that opened a link is taken back freely."""
    played, before = _ended()
    seq = played.records[-1].seq + 1
    told = canon.pack(((REWIND, before), (AWAIT, ("b",))))
    signed = by(played, "b", acts.ASK, played.records[-1], "takeback", before)
    body = ("b", before, told, (("b", seq, PROMPT),), 0, signed)
    return file_of(cut(played, seq, ("b", records.TAKEBACK, body)), key=played.key)


def _opened_again() -> bytes:
    """A turn that ends again is followed by another link."""
    played, before = _ended()
    back(played, "b", before)
    played.submit("b", "pass")
    seq = played.records[-1].seq + 1
    body = (2, played.ledger.keys.link(2))
    return file_of(cut(played, seq, ("server", records.OPEN, body)), key=played.key)


def _asked_instead(played: Played) -> bytes:
    """In place of the newest record, a link, seat a offers a draw."""
    assert played.records[-1].kind == records.OPEN
    seq = played.records[-1].seq
    body = ("a", "draw", 0, by(played, "a", acts.ASK, played.records[seq - 1], "draw", 0))
    return file_of(cut(played, seq, ("a", records.ASK, body)), key=played.key)


# --- several turns in one command -----------------------------------------------------------------


class _Short(counting.Turn):
    """Turn 2 has no decision: a die is rolled in it, and it ends."""

    def advance(self, table: Table[counting.State], frame: Frame) -> None:
        if table.state.turn == 1:
            table.turn_over()
            table.emit(counting.Turned(2))
            table.emit(counting.Rolled("a", table.roll(6, "fortune")))
        super().advance(table, frame)


class _Counting(counting.Counting):
    steps: ClassVar[Mapping[str, Step[counting.State]]] = {
        **counting.Counting.steps,
        "turns": _Short(),
    }


def _two() -> Played:
    """One command ends two turns, with a die of the second of them, and another is rolled."""
    played = begin(_Counting(), counting.PACK, options={"turns": 3})
    for seat in "ab":
        played.submit(seat, "pass")
    assert [one.kind for one in played.records[-3:]] == [records.COMMAND, *[records.OPEN] * 2]
    return played


def _too_far() -> bytes:
    """The die between the two ends is of the epoch behind both."""
    played = _two()
    record = played.records[-3]
    (drawn,) = record.body[records.DRAWS]
    assert drawn[0] == 2
    bodies = {record.seq: put(record.body, (records.DRAWS, 0, 0), 4)}
    return file_of(chained(played, bodies), key=played.key)


# --- hidden draws ---------------------------------------------------------------------------------


def _hidden(sides: int, index: int | None = None) -> bytes:
    """The whole game with a hidden draw of so many results: the one that its seed gives, unless
    another is named, sealed and opened as the salts have it."""
    played = whole()
    seq = next(
        one.seq
        for one in played.records
        if one.kind == records.COMMAND and one.body[records.DRAWS] and not one.body[5][0][0]
    )
    epoch, counter, purpose, _ = played.records[seq].body[records.DRAWS][0]
    assert epoch == 0
    nonces = [
        record.body[2]
        for record in played.records
        if record.kind == records.SEAT and record.body[0] == acts.NONCE
    ]
    if index is None:
        seed = dice.hidden_seed(played.ledger.game, played.ledger.keys.hidden, nonces)
        code = hmac.digest(seed, canon.pack((counter, 0, purpose)), "sha256")
        index = int.from_bytes(code, "big") % sides
    path = (records.DRAWS, 0, 3)
    opened_in, place = next(
        (record, (0, n))
        for record in played.records
        if record.kind == records.REVEAL
        for n, item in enumerate(record.body[0])
        if item[:2] == (seq, path)
    )
    opening = Opening(seq, path, opened_in.body[0][place[1]][2], (sides, index))
    bodies = {
        seq: put(played.records[seq].body, path, seal("g1", opening)),
        opened_in.seq: put(opened_in.body, place, opening.as_array()),
    }
    return file_of(chained(played, bodies), key=played.key)


SOUND: Final[dict[str, Made]] = {
    "epochs: a turn that ends again after a takeback by consent": _by_consent,
    "epochs: a turn that ends again after a takeback by a ruling": _by_ruling,
    "epochs: the second end of a turn taken back freely": _freely,
    "epochs: two turns that end in one command, with a die between": lambda: _over(_two()),
}
"""Files in which nothing is wrong."""

FORGED: Final[dict[str, Made]] = {
    "epochs: a free takeback over a link that was opened": _free_over_an_open,
    "epochs: a link opened by a turn that ends again": _opened_again,
    "epochs: a turn that ends, and no link opened": lambda: _asked_instead(_ended()[0]),
    "epochs: two turns that end at once, and one link opened": lambda: _asked_instead(_two()),
    "epochs: a die from further than the turns that a command ends": _too_far,
    "a hidden draw that shows one more than it has results": lambda: _hidden(6, 6),
    "a hidden draw of too many results": lambda: _hidden(SIDES_MAX + 1),
}
"""Files with one thing wrong; that of the hidden draws is found once the end has opened them."""

__all__ = ["FORGED", "SOUND"]
