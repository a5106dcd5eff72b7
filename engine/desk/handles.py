"""Handles: what people sign in as, one account each.

A handle is three things, stored apart:

- *the name*, as its owner wrote it, composed. It is shown, and nothing is looked up by it.
- *the key to sign in* (`sign_in_key`). An account is found by it alone.
- *skeletons* (`skeletons`): how the name looks. They only serve to refuse a new handle that looks
  like another account's. Several accounts may share one.

Rules of this file:
- Which characters there are is said by `characters.json`, not by the Python that runs here. Unicode
  promises that composition and case of a character never change once it is there. So the key of a
  name that was admitted never changes.
- Nothing that a log holds or a verifier decides depends on this file.
"""

import json
import re
import unicodedata
from bisect import bisect_right
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from attrs import frozen

CHARS_MIN: Final = 2
CHARS_MAX: Final = 24
_RESERVED: Final = (
    *("server", "public", "arbiter", "caster", "host", "owner", "director", "admin", "operator"),
    *("spectator", "guest", "nobody", "everybody", "warledger", "system", "moderator"),
)
_BETWEEN: Final = frozenset("_-.")
_JOINERS: Final = "\u200c\u200d"
_UNSEEN: Final = re.compile(
    # What takes no room or no ink, though Unicode calls some of it letters and all of it printable.
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_ONE: Final = str.maketrans("i1O0", "lloo")
"""What nobody tells apart in a handle: i, l and 1, o and 0. A skeleton has l for I, and O for 0."""
_TOGETHER: Final = tuple(
    frozenset(scripts.split())
    for scripts in ("Latn Hani Hira Kana", "Latn Hani Bopo", "Latn Hani Hang")
)
"""Scripts that are written together: the "highly restrictive" level of UTS #39."""


@frozen
class _Ranges:
    """Code points in order, and what each range has in common."""

    first: tuple[int, ...]
    last: tuple[int, ...]
    what: tuple[frozenset[str], ...]

    def of(self, char: str) -> frozenset[str] | None:
        """What a character has; None if it is in no range."""
        at = bisect_right(self.first, ord(char)) - 1
        return self.what[at] if at >= 0 and ord(char) <= self.last[at] else None


@frozen
class _Characters:
    """What `characters.json` says. A character that all scripts share has no script. `alike` gives
    the prototype of each code point that has another (UTS #39)."""

    version: str
    scripts: _Ranges
    joining: _Ranges
    alike: dict[int, str]


@cache
def _characters() -> _Characters:
    told = json.loads(Path(__file__).with_name("characters.json").read_text(encoding="ascii"))
    return _Characters(
        told["version"],
        _ranges(told["scripts"]),
        _ranges(told["joining"]),
        str.maketrans(told["alike"]),
    )


def _ranges(told: dict[str, list[list[int]]]) -> _Ranges:
    rows = sorted(
        (first, last, frozenset(name.split()))
        for name, found in told.items()
        for first, last in found
    )
    first, last, what = zip(*rows, strict=True)
    return _Ranges(first, last, what)


def version() -> str:
    """The version of Unicode by which handles are compared."""
    return _characters().version


def composed(text: str) -> str:
    """A handle as it is stored, however it was typed."""
    return unicodedata.normalize("NFC", text)


# --- admission ------------------------------------------------------------------------------------


def is_handle(text: str) -> bool:
    """Whether an account may have this handle, if no other looks like it.

    It has letters, marks and digits of one script, with `_`, `-` and `.` inside. Scripts that are
    written together count as one, as Han and kana do, each with Latin."""
    return (
        CHARS_MIN <= len(text) <= CHARS_MAX
        and unicodedata.is_normalized("NFKC", text)
        and unicodedata.category(text[0])[0] in "LN"
        and text[-1] not in "-."
        and all(map(is_in_place, [text] * len(text), range(len(text))))
        and _is_of_one_script(text)
        and not skeletons(text) & _reserved()
    )


def is_in_place(text: str, at: int) -> bool:
    """Whether a character may stand where it stands in a handle. A joiner has to change how its
    neighbours are written (RFC 5892, A.1 and A.2)."""
    char = text[at]
    if char in _BETWEEN:
        return True
    if char not in _JOINERS:
        return _UNSEEN.match(char) is None and _characters().scripts.of(char) is not None
    if at and unicodedata.combining(text[at - 1]) == _VIRAMA:
        return True
    before, behind = (_joins(side) for side in (text[:at][::-1], text[at + 1 :]))
    return char == "\u200c" and bool(before & {"L", "D"}) and bool(behind & {"R", "D"})


_VIRAMA: Final = 9


def _joins(text: str) -> frozenset[str]:
    """How the first character that is no mark joins its neighbours."""
    bare = next((char for char in text if not unicodedata.category(char).startswith("M")), " ")
    return _characters().joining.of(bare) or frozenset()


def _is_of_one_script(text: str) -> bool:
    found = [scripts for char in text if (scripts := _characters().scripts.of(char))]
    return not found or any(
        all(scripts & group for scripts in found)
        for group in (*_TOGETHER, *(frozenset((one,)) for one in frozenset.union(*found)))
    )


@cache
def _reserved() -> frozenset[str]:
    return frozenset().union(*map(skeletons, _RESERVED))


# --- comparing ------------------------------------------------------------------------------------


def sign_in_key(text: str) -> str:
    """That by which an account is found, whatever is typed: without regard to case, to how a letter
    is composed, and to dots on an i."""
    plain = unicodedata.normalize("NFKC", _UNSEEN.sub("", text)).casefold()
    return unicodedata.normalize("NFKC", plain).replace("i\u0307", "i").replace("ı", "i")


@lru_cache(4096)
def skeletons(text: str) -> frozenset[str]:
    """How a name looks, as it is written and without regard to case. Two names that share one are
    easily taken for each other."""
    return frozenset(
        _skeleton(form) for form in (text, unicodedata.normalize("NFC", text.casefold()))
    )


def _skeleton(text: str) -> str:
    seen = _UNSEEN.sub("", "".join(text.split()))
    plain = unicodedata.normalize("NFD", seen).translate(_characters().alike)
    return unicodedata.normalize("NFD", plain).translate(_ONE)
