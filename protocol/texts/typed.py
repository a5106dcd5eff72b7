"""What people write into records and messages: which fields hold it, what a client makes of it
before it signs, and what a server refuses in it.

Canonical text is any text (`canon`), and no reader of a log asks more of it. What a person types is
another matter: a keyboard gives "é" as one code point or as two, a paste brings in marks that turn
the rest of a line around. So

- a client composes what was typed (`composed`) before anything is signed or sent;
- the server refuses what nobody could read (`refused`), and says where it stands.

Nothing else goes through here: picks, ids, tokens and the keys of prompts go back as they came.
Neither function may decide anything that is verified later, since both depend on the version of
Unicode that a program has.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from attrs import evolve as replace

from warledger.protocol.board.choices import Picks, Refusal, refuse
from warledger.protocol.limits import GROUPS_MAX
from warledger.protocol.seats import acts

LINE: Final = "line"
"""A name, or whatever else stands in one line."""
LINES: Final = "lines"
"""Text that may have line breaks."""

EACH: Final = -1
"""In a path: every item of an array."""
Path = tuple[int, ...]
Places = tuple[tuple[Path, str], ...]
"""Where in an array somebody's text stands, and whether it is one line. What is not text there, or
is not there, is passed over."""

T = TypeVar("T")


# --- which fields ---------------------------------------------------------------------------------

_RULINGS: Final[Mapping[str, Places]] = {
    "claim": (((4,), LINES), ((5,), LINES)),
    "said": (((2,), LINES),),
    "appeal": (((2,), LINES),),
    "ruled": (((3,), LINES), ((4,), LINES), ((5, EACH, 2), LINES)),
}
"""In the body of a `ruling`, by its word: clauses, texts, and what a penalty is."""

_ACTS: Final[Mapping[str, Places]] = {
    acts.TAKEN: (((1,), LINE),),
    acts.REPLACED: (((1,), LINE),),
    acts.HANDED: (((0,), LINE),),
}
"""In the body of a seat's act, by its kind: the player's name."""

_OF_TOURNAMENTS: Final[Mapping[str, Places]] = {
    "enter": (((1,), LINE), *(((place,), LINE) for place in range(5, 5 + GROUPS_MAX))),
    "announce": (((1,), LINES),),
    "claim": (((1,), LINES),),
    "ruled": (((3,), LINES),),
    "appeal": (((2,), LINES),),
    "decide": (((3,), LINES),),
    "amend": (((3,), LINES),),
    "result": (((-1,), LINES),),
    "correct": (((-1,), LINES),),
    "unpair": (((1,), LINES),),
    "swap": (((3,), LINES),),
    "set": (((1,), LINES),),
}
"""In the picks of a tournament's act, by its verb: names, groups, announcements and reasons."""

_MESSAGES: Final[Mapping[str, Mapping[str, str]]] = {
    "login": {"name": LINE},
    "replace": {"name": LINE},
    "say": {"text": LINE},
    "mark": {"text": LINE},
    "invite": {"note": LINE},
    "enter_tournament": {"name": LINE},
    "open_tournament": {"charter": LINES, "director": LINE},
    "check_charter": {"charter": LINES},
}
"""In a request, by its tag and field. (`rule` and `try_ruling` have the body of a `ruling`.)"""
_WITH_RULING: Final = ("rule", "try_ruling")


def _first(array: Any) -> Any:
    first = array[0] if type(array) is tuple and array else None
    return first if type(first) is str else None


def _of_act(kind: str, body: Any) -> Places:
    return _RULINGS.get(_first(body), ()) if kind == acts.RULING else _ACTS.get(kind, ())


def _mapped(value: Any, path: Path, change: Callable[[str], str]) -> Any:
    """A value with the text at a path changed."""
    if not path:
        return change(value) if type(value) is str else value
    if type(value) is not tuple:
        return value
    step, *rest = path
    if step == EACH and rest:
        return tuple([_mapped(item, tuple(rest), change) for item in value])
    if not -len(value) <= step < len(value):
        return value
    made = list(value)
    made[step] = _mapped(value[step], tuple(rest), change)
    return tuple(made)


def _texts(value: Any, places: Places) -> list[tuple[str, str]]:
    """The texts at some places, each with its form."""
    found: list[tuple[str, str]] = []
    for path, form in places:

        def met(text: str, form: str = form) -> str:
            found.append((text, form))
            return text

        _mapped(value, path, met)
    return found


# --- before it is signed --------------------------------------------------------------------------

_LONE: Final = re.compile("[\ud800-\udfff]")


def composed(text: str) -> str:
    """What a person has typed, as it is signed and sent: in normal form C, with LF for every line
    break and a space for every tab. Half a character becomes U+FFFD."""
    if text.isascii() and "\r" not in text and "\t" not in text:
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    return unicodedata.normalize("NFC", _LONE.sub("\N{REPLACEMENT CHARACTER}", text))


def composed_body(kind: str, body: tuple[Any, ...]) -> tuple[Any, ...]:
    """The body of a seat's act with what people wrote in it composed."""
    made: tuple[Any, ...] = _composed(body, _of_act(kind, body))
    return made


def composed_picks(picks: Picks) -> Picks:
    """The picks of an act of a tournament with what people wrote in them composed."""
    made: Picks = _composed(picks, _OF_TOURNAMENTS.get(_first(picks), ()))
    return made


def _composed_ruling(body: Any) -> Any:
    return _composed(body, _RULINGS.get(_first(body), ()))


def composed_message(message: T) -> T:
    """A request with what people wrote in it composed, except an act, which is signed already."""
    tag: str = message.tag  # type: ignore[attr-defined]
    found = {name: composed(getattr(message, name)) for name in _MESSAGES.get(tag, ())}
    if tag in _WITH_RULING:
        found["body"] = _composed_ruling(message.body)  # type: ignore[attr-defined]
    return replace(message, **found) if found else message  # type: ignore[misc]


def _composed(value: Any, places: Places) -> Any:
    for path, _ in places:
        value = _mapped(value, path, composed)
    return value


# --- what a server refuses ------------------------------------------------------------------------

_UNREADABLE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ufdd0-\ufdef\ufffe\uffff"
    + "".join(f"{chr(at + 0xFFFE)}{chr(at + 0xFFFF)}" for at in range(0x10000, 0x110000, 0x10000))
    + "]"
)
"""Controls, other line breaks, what changes the direction of text, and noncharacters."""
_BEFORE: Final = 30
"""How many characters before it are cited, so that it can be found where it was typed."""


def refused(text: str, form: str) -> Refusal | None:
    """Why the server does not take what somebody wrote; None if it does."""
    if text.isascii() and text.isprintable():
        return None
    for at, char in enumerate(text):
        if char == "\n" and form == LINES:
            continue
        unreadable = _UNREADABLE.match(char) is not None
        if unreadable or unicodedata.category(char) in ("Cn", "Cs"):
            key = "refusal.text_unreadable" if unreadable else "refusal.text_unknown"
            before = text[max(0, at - _BEFORE) : at].replace("\n", " ")
            return refuse("", key, char=f"U+{ord(char):04X}", place=at + 1, before=before)
    return None


def _first_refused(texts: list[tuple[str, str]]) -> Refusal | None:
    return next((why for text, form in texts if (why := refused(text, form)) is not None), None)


def refused_in_body(kind: str, body: Any) -> Refusal | None:
    """Why the server does not take what somebody wrote in the body of a seat's act."""
    return _first_refused(_texts(body, _of_act(kind, body)))


def refused_in_picks(picks: Picks) -> Refusal | None:
    """Why the server does not take what somebody wrote in the picks of an act of a tournament."""
    return _first_refused(_texts(picks, _OF_TOURNAMENTS.get(_first(picks), ())))


def refused_in_message(message: Any) -> Refusal | None:
    """Why the server does not take what somebody wrote in a request, except an act."""
    texts = [
        (getattr(message, name), form) for name, form in _MESSAGES.get(message.tag, {}).items()
    ]
    if message.tag in _WITH_RULING:
        texts += _texts(message.body, _RULINGS.get(_first(message.body), ()))
    return _first_refused(texts)
