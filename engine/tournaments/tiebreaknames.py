"""The names of tie-breaks as a charter writes them, with their modifiers.

A name is a kind and, after a colon, its modifier: `buchholz:cut1`, `wins:axis`, `margin:20`.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import frozen

from warledger.protocol.board.findings import nearest
from warledger.protocol.board.ranges import is_digits

CUTS: Final = ("cut1", "cut2", "median1", "median2")
"""FIDE C.07 art. 14: without the least significant one or two values, or without the least and the
most significant one or two."""

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "direct": (),
    "buchholz": CUTS,
    "fore_buchholz": CUTS,
    "average_buchholz": (),
    "sonneborn_berger": CUTS,
    "koya": (),
    "progressive": ("cut1", "cut2"),
    "wins": ("SEAT",),
    "games_won": ("SEAT",),
    "games": ("SEAT",),
    "rounds_played": (),
    "standard_points": (),
    "sos_pooled": (),
    "sos_mean": (),
    "margin": ("WHOLE",),
    "rating": (),
    "rating_opponents": CUTS,
    "number": (),
    "lots": (),
    "shared": (),
}
"""Kind -> the modifiers it may have; "SEAT" stands for any seat of the title, "WHOLE" for a whole
number of units. `tiebreaks` has a function for each that is not AMONG_TIED."""

AMONG_TIED: Final = ("direct", "shared")
"""What says nothing of one entrant, only of those who are tied."""
LOWEST_FIRST: Final = ("lots", "number")
"""Of these the lowest comes first: their value is what people read, below 0."""
LAST: Final = ("lots", "shared")
"""What ends a list: lots put the rest in an order, "shared" lets them share their place."""


@frozen
class TieBreak:
    """A tie-break: its kind, one of KINDS, and its modifier, "" for none."""

    kind: str
    modifier: str = ""

    @property
    def name(self) -> str:
        """The name by which a charter calls it."""
        return f"{self.kind}:{self.modifier}" if self.modifier else self.kind

    @property
    def cuts(self) -> tuple[int, int]:
        """How many of the least and of the most significant values are left out."""
        if self.modifier.startswith("cut"):
            return int(self.modifier[3:]), 0
        if self.modifier.startswith("median"):
            return int(self.modifier[6:]), int(self.modifier[6:])
        return 0, 0


class BadTieBreak(ValueError):
    """A name that is not a tie-break: `problem` says why, `remedy` what may be written instead."""

    def __init__(self, problem: str, remedy: str) -> None:
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{problem}. {remedy}")


def parse(name: str, seats: Sequence[str] | None = None) -> TieBreak:
    """The tie-break of a name. `seats` are those of the title, None where they are not known: any
    name is then taken for a seat's. Raises BadTieBreak."""
    kind, colon, modifier = name.partition(":")
    known = KINDS.get(kind)
    if known is None:
        raise BadTieBreak(f"there is no tie-break {kind!r}", nearest(kind, KINDS))
    if not colon:
        return TieBreak(kind)
    if modifier in known and modifier not in ("SEAT", "WHOLE"):
        return TieBreak(kind, modifier)
    if "SEAT" in known and modifier and (seats is None or modifier in seats):
        return TieBreak(kind, modifier)
    if "WHOLE" in known and is_digits(modifier) and 0 < len(modifier) <= 6:
        return TieBreak(kind, str(int(modifier)))
    if not known:
        raise BadTieBreak(f"{kind!r} takes nothing after a colon", f'Write "{kind}"')
    words: list[str] = []
    for one in known:
        if one == "SEAT":
            words.extend(seats if seats is not None else ("a seat",))
        else:
            words.append("20" if one == "WHOLE" else one)
    allowed = ", ".join(f'"{kind}:{word}"' for word in words)
    raise BadTieBreak(f"{modifier!r} cannot follow {kind!r}", f'Write "{kind}" or {allowed}')
