"""The messages by which an arbiter prepares a ruling: what could be corrected, how the game stands
by its score, and what would be written. None of them writes anything."""

from typing import Any, Final

from warledger.protocol.board.choices import Picks
from warledger.protocol.wire import fields
from warledger.protocol.wire.fields import CLIENT, PLAY, SERVER, Message
from warledger.protocol.wire.fields import message as _message

NO_RECORD: Final = 0
"""In place of the record that a ruling goes back to: it goes back to none."""


@_message("correctable", CLIENT, "choices_are", "refused", cost=PLAY, repeatable=True)
class Correctable(Message):
    """For an arbiter: what a ruling on this claim may correct, after these picks. It is asked at
    the position after record `back` (0: at the present one) and after the corrections `before`,
    each an array of picks. The `decision` of the answer is the newest record."""

    request: int = fields.number(1)
    game: str = fields.name()
    claim: int = fields.number()
    back: int = fields.number()
    before: Any = fields.value()
    picks: Picks = fields.picks()


@_message("try_ruling", CLIENT, "ruling_is", "refused", cost=PLAY, repeatable=True)
class TryRuling(Message):
    """For an arbiter: what a `rule` with this body, a `"ruled"`, and these corrections would write
    now, or why it would be refused. Nothing is written."""

    request: int = fields.number(1)
    game: str = fields.name()
    body: Any = fields.value()
    corrections: Any = fields.value()


@_message("ruling_is", SERVER)
class RulingIs(Message):
    """`records` are what would follow the newest record `seq`, each [actor, kind, body]; the
    secrets in the body of an `end` are left out. `stands` is how the game would then stand by its
    score, before an end: [who would win or nil, the unit of a margin, points in one unit, [[seat,
    points] …]]; nil where the title keeps no score."""

    request: int = fields.number(1)
    game: str = fields.name()
    seq: int = fields.number()
    records: Any = fields.value()
    stands: Any = fields.value()
