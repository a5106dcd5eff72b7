"""The messages of table talk: what players of a game say to each other, and spectators among
themselves. It is kept beside the log, and is never part of it or of what proves anything."""

from typing import Final

from warledger.protocol.limits import LINE_CHARS_MAX
from warledger.protocol.wire import fields
from warledger.protocol.wire.fields import CLIENT, LINE, PAGE, SERVER, Message
from warledger.protocol.wire.fields import message as _message

PLAYERS: Final = "players"
SPECTATORS: Final = "spectators"
ROOMS: Final = (PLAYERS, SPECTATORS)
REPORT, REMOVE, MUTE, UNMUTE, SHUT, OPEN = "report", "remove", "mute", "unmute", "shut", "open"
TALK_ACTS: Final = (REPORT, REMOVE, MUTE, UNMUTE, SHUT, OPEN)


@_message("talk", CLIENT, "talk_is", cost=PAGE)
class Talk(Message):
    """Ask for the next hundred lines that were said at a table after line `after`; ask again behind
    the last one until there is none. At most 500 are kept. Table talk is kept
    beside the log and is never part of it. Players read and say something in the first room; the
    others in the second, which no player reads while the game is played. Host and arbiters read
    both."""

    request: int = fields.number(1)
    game: str = fields.name()
    room: str = fields.one_of(*ROOMS)
    after: int = fields.number()


@_message("talk_is", SERVER)
class TalkIs(Message):
    """`lines` are [number, time, who, name, text, reported], where `who` is a seat or an account's
    id. Whoever may rule also gets up to a hundred reported ones from before `after`.
    `removed` are numbers of lines that are there no more. `may` says what whoever asks may do:
    "say", "rule"."""

    request: int = fields.number(1)
    game: str = fields.name()
    room: str = fields.one_of(*ROOMS)
    shut: bool = fields.flag()
    may: tuple[tuple[str], ...] = fields.rows(str)
    lines: tuple[tuple[int, int, str, str, str, bool], ...] = fields.rows(
        int, int, str, str, str, bool
    )
    removed: tuple[tuple[int], ...] = fields.rows(int)


@_message("say", CLIENT, "said", cost=LINE)
class SayLine(Message):
    """Say a line of at most 500 characters, without line breaks and control characters: among
    players as `seat`, among spectators (`seat` "") as the account that
    the connection is signed in to."""

    request: int = fields.number(1)
    game: str = fields.name()
    room: str = fields.one_of(*ROOMS)
    seat: str = fields.name()
    text: str = fields.text(LINE_CHARS_MAX)


@_message("said", SERVER)
class Said(Message):
    """It is done; `n` is the line that it was about (0: none)."""

    request: int = fields.number(1)
    n: int = fields.number()


@_message("talk_act", CLIENT, "said", cost=LINE)
class TalkAct(Message):
    """Whoever reads line `n` may report it to host and arbiters. These may remove it, mute who said
    it, and shut and open the room (`n` is then 0)."""

    request: int = fields.number(1)
    game: str = fields.name()
    room: str = fields.one_of(*ROOMS)
    what: str = fields.one_of(*TALK_ACTS)
    n: int = fields.number()
