"""Handles: what people call themselves, one person each."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

CHARS_MIN: Final = 3
CHARS_MAX: Final = 24
_FORM: Final = re.compile(r"\w[\w.-]*\w")
_RESERVED: Final = (
    *("server", "public", "arbiter", "caster", "host", "owner", "director", "admin", "operator"),
    *("spectator", "guest", "nobody", "everybody", "warledger", "system", "moderator"),
)
_UNSEEN: Final = re.compile(
    # What takes no room or no ink, though Unicode calls some of it letters and all of it printable.
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_ALIKE: Final = str.maketrans(
    # Cyrillic and Greek letters, and digits, that are read as Latin letters.
    "авеіјкмнорѕстухԁɡαβγεηικνορτυχω01|ıєɑյ",
    "abeijkmhopsctyxdgabyeniknoptuxwollieaj",
)


def is_handle(text: str) -> bool:
    """Whether somebody may be called so: letters and digits of any script, with `_`, `-` and `.`
    inside; not of two alphabets that are easily mistaken for each other."""
    return (
        CHARS_MIN <= len(text) <= CHARS_MAX
        and unicodedata.is_normalized("NFKC", text)
        and _UNSEEN.search(text) is None
        and _FORM.fullmatch(text) is not None
        and len(_alphabets(text)) <= 1
        and folded(text) not in _TAKEN
    )


def folded(text: str) -> str:
    """A text that all handles that look alike share, whatever their case, accents and invisible
    characters."""
    text = _UNSEEN.sub("", text)
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return re.sub(r"[._-]", "", bare.translate(_ALIKE).replace("i", "l"))


def _alphabets(text: str) -> set[str]:
    names = (unicodedata.name(char, "") for char in text)
    return {
        name.partition(" ")[0]
        for name in names
        if name.startswith(("LATIN", "CYRILLIC", "GREEK", "ARMENIAN"))
    }


_TAKEN: Final = frozenset(map(folded, _RESERVED))
