"""The messages of table talk: what players of a game say to each other, and spectators among
themselves. It is kept beside the log, and is never part of it or of what proves anything."""

from typing import Final

from warledger.protocol import fields
from warledger.protocol.messageform import CLIENT, SERVER, Message
from warledger.protocol.messageform import message as _message

LINE_CHARS_MAX: Final = 500
"""Characters of a line."""
PLAYERS: Final = "players"
SPECTATORS: Final = "spectators"
ROOMS: Final = (PLAYERS, SPECTATORS)
REPORT, REMOVE, MUTE, UNMUTE, SHUT, OPEN = "report", "remove", "mute", "unmute", "shut", "open"
TALK_ACTS: Final = (REPORT, REMOVE, MUTE, UNMUTE, SHUT, OPEN)


@_message("talk", CLIENT, "talk_is")
class Talk(Message):
    """Ask for the lines of a room after line `after` (0: all that are kept)."""

    request: int = fields.number(1)
    game: str = fields.name()
    room: str = fields.one_of(*ROOMS)
    after: int = fields.number()


@_message("talk_is", SERVER)
class TalkIs(Message):
    """`lines` are [number, time, seat or account, name, text, reported]; numbers rise. Whoever may
    rule also gets the reported lines from before. `removed` are numbers of lines that are there no
    more. `may` says what whoever asks may do: "say", "rule"."""

    request: int = fields.number(1)
    game: str = fields.name()
    room: str = fields.one_of(*ROOMS)
    shut: bool = fields.flag()
    may: tuple[tuple[str], ...] = fields.rows(str)
    lines: tuple[tuple[int, int, str, str, str, bool], ...] = fields.rows(
        int, int, str, str, str, bool
    )
    removed: tuple[tuple[int], ...] = fields.rows(int)


@_message("say", CLIENT, "said")
class SayLine(Message):
    """Say something: among players as a seat that the connection holds, among spectators as the
    account that it is signed in to (`seat` is then "")."""

    request: int = fields.number(1)
    game: str = fields.name()
    room: str = fields.one_of(*ROOMS)
    seat: str = fields.name()
    text: str = fields.text(LINE_CHARS_MAX)


@_message("said", SERVER)
class Said(Message):
    """It is done; `n` is the number of the line that it was about (0: none)."""

    request: int = fields.number(1)
    n: int = fields.number()


@_message("talk_act", CLIENT, "said")
class TalkAct(Message):
    """What may be done about line `n`: whoever reads it may `report` it to host and arbiters. These
    may `remove` it, `mute` who said it in this room (and `unmute`), and `shut` and `open` the room
    (`n` is then 0)."""

    request: int = fields.number(1)
    game: str = fields.name()
    room: str = fields.one_of(*ROOMS)
    what: str = fields.one_of(*TALK_ACTS)
    n: int = fields.number()


__all__ = [
    "LINE_CHARS_MAX",
    "PLAYERS",
    "ROOMS",
    "SPECTATORS",
    "TALK_ACTS",
    "Said",
    "SayLine",
    "Talk",
    "TalkAct",
    "TalkIs",
]
