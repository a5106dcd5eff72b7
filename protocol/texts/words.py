"""Words of a text whose spaces are those of ASCII. `str.split` and `str.strip` without an argument
ask Unicode what a space is, and its tables differ from one program to the next: nothing that is
decided again in an audit uses them."""

import re

SPACES = " \t\n\r\x0b\x0c"
_SPACES = re.compile(f"[{SPACES}]+")


def words_of(text: str) -> list[str]:
    """The words of a text, in their order."""
    return [word for word in _SPACES.split(text) if word]
