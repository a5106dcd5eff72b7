"""The bounds of the page are those of the protocol."""

import re
from pathlib import Path

from warledger.protocol import limits

PAGE = Path(__file__).resolve().parents[2] / "clients" / "web" / "limits.js"


def test_the_page_has_the_bounds_of_the_protocol() -> None:
    """Each bound that the page names has the number that protocol/limits.py gives it."""
    named = re.findall(
        r"^export const ([A-Z_]+) = ([0-9_]+);", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(named) >= 7
    assert {name: int(number) for name, number in named} == {
        name: getattr(limits, name) for name, _ in named
    }
