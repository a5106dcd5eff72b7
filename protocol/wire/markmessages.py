"""The messages by which a caster draws over a game: arrows, rings and notes that everybody sees who
watches it. They are kept beside the log, and are never part of it or of what proves anything."""

from typing import Final

from warledger.protocol.limits import MARK_CHARS_MAX
from warledger.protocol.wire import fields
from warledger.protocol.wire.fields import CLIENT, LINE, SERVER, Message
from warledger.protocol.wire.fields import message as _message

ARROW, RING, NOTE = "arrow", "ring", "note"
PLACES_OF: Final = {ARROW: 2, RING: 1, NOTE: 1}
"""How many places each kind of mark is about."""


@_message("mark", CLIENT, "marked", cost=LINE)
class Mark(Message):
    """Draw over record `at`: an `arrow` from the first place to the second, a `ring` around a
    place, or a `note` of at most 200 characters at one. Arrows and rings may have a text too. For
    whoever may give out the game's seats and for its casters. Spectators see it once they see the
    record: `/api/games/GAME/marks`."""

    request: int = fields.number(1)
    game: str = fields.name()
    at: int = fields.number()
    kind: str = fields.one_of(ARROW, RING, NOTE)
    places: tuple[tuple[str], ...] = fields.rows(str)
    text: str = fields.text(MARK_CHARS_MAX)


@_message("unmark", CLIENT, "marked", cost=LINE)
class Unmark(Message):
    """Remove the mark with number `n`, or all of one's own (0). Others' are removed by whoever may
    give out the game's seats."""

    request: int = fields.number(1)
    game: str = fields.name()
    n: int = fields.number()


@_message("marked", SERVER)
class Marked(Message):
    """It is done; `n` is the mark that it was about (0: all of one's own)."""

    request: int = fields.number(1)
    n: int = fields.number()
