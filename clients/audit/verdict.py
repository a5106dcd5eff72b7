"""The verdict of an audit (sound, sound with reservations, consistent but nobody vouches for it, or
not sound) and the exit code.

A reservation is something that is not wrong and yet keeps a game from being plain *Sound*. Each
names the flag with which an auditor can allow it; one without a flag remains until its cause is
removed.
"""

from collections.abc import Iterable
from typing import Final

from attrs import frozen

from warledger.protocol.choices import Say

SOUND, UNSOUND, USAGE, RESERVED, UNVOUCHED = range(5)
"""Exit codes."""

SO_FAR: Final = "so-far"
ALLOW_REPLACED: Final = "allow-replaced"
ALLOW_UNSIGNED: Final = "allow-unsigned-seats"
ALLOW_NO_HEAD: Final = "allow-no-head"
ALLOW_UNOPENED: Final = "allow-unopened"
ALLOW_DESK_LOTS: Final = "allow-desk-lots"
FLAGS: Final = (
    *(SO_FAR, ALLOW_UNOPENED, ALLOW_REPLACED, ALLOW_UNSIGNED, ALLOW_NO_HEAD),
    ALLOW_DESK_LOTS,
)
CHAIN_ONLY: Final = "chain-only"
"""With this flag records are not decided again, so nothing is said of those that cannot be."""


@frozen
class Reservation:
    """What prevents a game with no findings from being plain Sound, its exit code, and the flag
    that allows it ("" if none)."""

    said: Say
    code: int
    flag: str

    @property
    def name(self) -> str:
        """Its name, for programs."""
        return self.said.key.rpartition(".")[2]


def code_of(sound: bool, found: Iterable[Reservation], allowed: Iterable[str] = ()) -> int:
    """The exit code: 1 if anything is wrong, otherwise the worst reservation that is not allowed,
    otherwise 0."""
    if not sound:
        return UNSOUND
    return max((item.code for item in found if item.flag not in frozenset(allowed)), default=SOUND)


__all__ = [
    "ALLOW_DESK_LOTS",
    "ALLOW_NO_HEAD",
    "ALLOW_REPLACED",
    "ALLOW_UNOPENED",
    "ALLOW_UNSIGNED",
    "CHAIN_ONLY",
    "FLAGS",
    "RESERVED",
    "SOUND",
    "SO_FAR",
    "UNSOUND",
    "UNVOUCHED",
    "USAGE",
    "Reservation",
    "code_of",
]
