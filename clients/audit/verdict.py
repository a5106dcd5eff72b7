"""What an audit's word comes to: sound, sound with reservations, consistent with nobody vouching for it, or not sound. And the exit code.

A reservation is something that is not wrong and yet keeps a game from being plain *Sound*. Each names the flag by which whoever audits
says that they know and do not mind; one that no flag names stands until what gave rise to it is gone.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from attrs import frozen

from protocol.choices import Say, say

if TYPE_CHECKING:
    from clients.audit.evidence import Evidence

SOUND, UNSOUND, USAGE, RESERVED, UNVOUCHED = range(5)
"""Exit codes."""

SO_FAR: Final = "so-far"
ALLOW_REPLACED: Final = "allow-replaced"
ALLOW_UNSIGNED: Final = "allow-unsigned-seats"
ALLOW_NO_HEAD: Final = "allow-no-head"
FLAGS: Final = (SO_FAR, ALLOW_REPLACED, ALLOW_UNSIGNED, ALLOW_NO_HEAD)


@frozen
class Reservation:
    """What keeps a game that nothing is wrong with from being plain Sound, the code it means, and the flag that allows it ("" if none)."""

    said: Say
    code: int
    flag: str

    @property
    def name(self) -> str:
        """What it is, for a program."""
        return self.said.key.rpartition(".")[2]


def code_of(sound: bool, found: Iterable[Reservation], allowed: Iterable[str] = ()) -> int:
    """The exit code: 1 when anything is wrong, else the worst reservation that is not allowed, else 0."""
    if not sound:
        return UNSOUND
    return max((item.code for item in found if item.flag not in frozenset(allowed)), default=SOUND)


def reservations(found: "Evidence") -> tuple[Reservation, ...]:
    """Every reservation that an examined file gives rise to, the worst first."""
    genesis = found.genesis
    if genesis is None or not found.records:
        return ()
    out = []
    last = len(found.records) - 1
    if not genesis.self_play:
        if found.given_key is None:
            out.append(Reservation(say("audit.reservation.no_key"), UNVOUCHED, ALLOW_NO_HEAD))
        if found.vouched < 0:
            out.append(Reservation(say("audit.reservation.no_head"), UNVOUCHED, ALLOW_NO_HEAD))
        elif found.vouched < last:
            out.append(Reservation(say("audit.reservation.head_early", seq=found.vouched, last=last), RESERVED, ALLOW_NO_HEAD))
    if not found.ended:
        out.append(Reservation(say("audit.reservation.running", last=last), RESERVED, SO_FAR))
    if found.acts_waiting:
        out.append(Reservation(say("audit.reservation.waiting", count=found.acts_waiting), RESERVED, SO_FAR))
    if not genesis.signed:
        out.append(Reservation(say("audit.reservation.format_1"), RESERVED, ALLOW_UNSIGNED))
    elif found.unsigned:
        out.append(Reservation(say("audit.reservation.unsigned", seats=tuple(found.unsigned)), RESERVED, ALLOW_UNSIGNED))
    out += [Reservation(say("audit.reservation.replaced", seq=seq), RESERVED, ALLOW_REPLACED) for seq in found.replaced]
    out += [Reservation(what, RESERVED, "") for what in found.contradicted]
    return tuple(out)


__all__ = [
    "ALLOW_NO_HEAD",
    "ALLOW_REPLACED",
    "ALLOW_UNSIGNED",
    "FLAGS",
    "RESERVED",
    "SOUND",
    "SO_FAR",
    "UNSOUND",
    "UNVOUCHED",
    "USAGE",
    "Reservation",
    "code_of",
    "reservations",
]
