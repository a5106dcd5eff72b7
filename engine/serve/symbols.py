"""Symbol sheets: one SVG `<symbol>` for each kind of counter in a pack, and which counter shows which.

Land units are NATO symbols made by milsymbol, in a friend's frame whatever the side; ships are silhouettes of our own (`silhouettes`).

Whoever uses a symbol gives its colours: the frame's field takes `fill` and everything else `color`, both inherited from the `<use>`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def sheet(pack: Mapping[str, Any]) -> str:
    """The sheet of a pack."""
    return '<svg xmlns="http://www.w3.org/2000/svg"></svg>\n'


def of_pieces(pack: Mapping[str, Any]) -> dict[str, str]:
    """Counter id -> the id of its symbol in the sheet."""
    return {}
