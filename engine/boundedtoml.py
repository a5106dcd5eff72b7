"""TOML from people: looked at before any parser sees it, so that a text costs no more than its
length.

A parser makes a table of each part of a dotted key and each bracket, and a number of each run of
digits. Sixteen thousand parts in a text of 32 KB cost a gigabyte. So they are counted first."""

import re
import stat
import tomllib
from pathlib import Path
from typing import Any, Final

BYTES_MAX: Final = 4 * 1024 * 1024
DEPTH_MAX: Final = 32
"""How deep brackets may stand in each other. A key may have 16 parts, and a number 64 digits."""
_QUOTED: Final = re.compile(
    # An end is not asked for, so that no beginning is read twice: a parser finds what lacks one.
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+(?:"{3,5})?'
    r"|'''(?:[^']|'{1,2}(?!'))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]|\\[^\n])*+"?'
    r"|'[^'\n]*+'?|#[^\n]*+",
    re.DOTALL,
)
_PARTS: Final = re.compile(r"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){16}")
_DIGITS: Final = re.compile(r"(?<![0-9A-Fa-f_])[0-9A-Fa-f_]{65}")


def loads(text: str) -> dict[str, Any]:
    """What a text says, with numbers that are not whole as they stand there. Raises ValueError for
    what is not TOML, and for what nobody writes who means well."""
    bare = _QUOTED.sub("q", text)
    depth = most = 0
    for char in re.findall(r"[\[\]{}]", bare):
        depth += 1 if char in "[{" else -1
        most = max(most, depth)
    if most > DEPTH_MAX:
        raise ValueError(f"brackets stand more than {DEPTH_MAX} deep in each other")
    if _PARTS.search(bare):
        raise ValueError("a key has more than 16 parts")
    if _DIGITS.search(bare):
        raise ValueError("a number has more than 64 digits")
    return tomllib.loads(text, parse_float=str)


def load(path: Path) -> dict[str, Any]:
    """What a file says. Raises OSError, and ValueError as `loads` and for what is no ordinary file,
    too long, or not UTF-8."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("it is not an ordinary file")
    if found.st_size > BYTES_MAX:
        raise ValueError(f"it is longer than {BYTES_MAX} bytes")
    with path.open("rb") as file:
        data = file.read(BYTES_MAX + 1)
    if len(data) > BYTES_MAX:
        raise ValueError(f"it is longer than {BYTES_MAX} bytes")
    return loads(data.decode("utf-8"))
