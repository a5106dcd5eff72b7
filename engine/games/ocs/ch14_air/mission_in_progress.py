"""OCS 14.2: an air mission in progress, as the position keeps it between two commands."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

import attrs
from attrs import frozen

from warledger.engine.kernel.change import replace

SWEEP, BARRAGE, BASE_BARRAGE, HIP_SHOOT, TRAINBUSTING, TRANSPORT, DROP, TRANSFER = (
    "sweep",
    "barrage",
    "base_barrage",
    "hip_shoot",
    "trainbusting",
    "transport",
    "drop",
    "transfer",
)
"""OCS 14.2e Kinds of missions."""

BEFORE, ROUNDS, AFTER = "before", "rounds", "after"
"""OCS 14.3 How far an air combat has come: voluntary aborts before it, its rounds, voluntary aborts
after it."""


@frozen
class Relay:
    """OCS 21.12a A transport that calls at an intermediate base on its way.

    `via`, `final`   the intermediate base, and the hex of the base where the mission ends
    `tokens`         T of its three cargoes: from the base of departure to the intermediate one,
                     from the base of departure to the last, and from the intermediate one to it
    `units`          units of these three cargoes
    `ends`           whether anything was meant for the last base
    `gone_on`        whether it has left the intermediate base
    """

    via: int
    final: int
    tokens: tuple[int, int, int]
    units: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
    ends: bool
    gone_on: bool = False


@frozen(slots=False)
class Sortie:
    """OCS 14.2f One mission: declared, placed, air combat, interception, flak, effect, return.

    `side`       whose mission it is
    `kind`       what it is flown for, one of those above
    `aircraft`   those still with the mission, in the order of its declaration (14.4e)
    `target`     a hex, -1 for an air box
    `place`      the same as a place: a hex or a box
    `shown`      4.9a the aircraft of the mission that the enemy sees, "" for none
    `fought`     aircraft of either side in the air combat over the hex
    `initiator`  the side that began the air combat (14.3), "" while there is none
    `stage`      how far the air combat has come
    `answered`   sides that have said whether they abort anything in this stage
    `attacker`   who attacks in the round, "" before it has been picked
    `aborted`    who has left the mission and is on the way home (14.3d, 14.3e)
    `intercepted`  14.5 the enemy has intercepted, or let the mission pass
    `interceptor`  14.5 the fighter that intercepts, "" for none
    `hunting`    it set out to hunt certain units by the game's rules
    `start`      14.9 where its cargo lay
    `tokens`, `units`   14.9 the cargo: T, and units
    `cargo`      14.9b T of it that each aircraft was given, units counted by their weight
    `doubled`    14.9e it flies with up to twice the load
    `staying`    14.9f transports that stay at the base to which they have come
    `relay`      21.12a its intermediate base and cargoes; None for a mission without one
    """

    side: str
    kind: str
    aircraft: tuple[str, ...]
    target: int
    place: int | str = -1
    shown: str = ""
    fought: tuple[str, ...] = ()
    initiator: str = ""
    stage: str = ""
    answered: tuple[str, ...] = ()
    attacker: str = ""
    aborted: tuple[str, ...] = ()
    intercepted: bool = False
    interceptor: str = ""
    hunting: bool = False
    start: int | str = -1
    tokens: int = 0
    units: tuple[str, ...] = ()
    cargo: Mapping[str, Fraction] = attrs.field(factory=dict)
    doubled: bool = False
    staying: tuple[str, ...] = ()
    relay: Relay | None = None

    @property
    def stops_over(self) -> bool:
        """OCS 21.12a Whether it is on its way to an intermediate base, or there."""
        return self.relay is not None and not self.relay.gone_on

    def first_of(self, tokens: int) -> tuple[tuple[int | str, int], ...]:
        """OCS 14.9 Where the first `tokens` T of the cargo lie until they are unloaded: what comes
        from the base of departure is unloaded first (21.12a)."""
        if self.relay is None or not self.relay.gone_on:
            return ((self.start, tokens),)
        through = min(tokens, self.relay.tokens[1])
        return (self.start, through), (self.relay.via, tokens - through)

    def last_of(self, tokens: int) -> tuple[tuple[int | str, int], ...]:
        """OCS 14.4g Where the last `tokens` T of the cargo are: what was taken up on the way is
        lost first (21.12a)."""
        if self.relay is None or not self.relay.gone_on:
            return ((self.start, tokens),)
        taken_up = min(tokens, self.relay.tokens[2])
        return (self.start, tokens - taken_up), (self.relay.via, taken_up)

    @property
    def flying(self) -> tuple[str, ...]:
        """Aircraft of the mission that are away from their bases."""
        return (*self.aircraft, *self.aborted)

    def without(self, *names: str) -> "Sortie":
        """The mission once these aircraft have landed or are lost."""
        return replace(
            self,
            aircraft=_without(self.aircraft, names),
            fought=_without(self.fought, names),
            aborted=_without(self.aborted, names),
            shown="" if self.shown in names else self.shown,
            interceptor="" if self.interceptor in names else self.interceptor,
        )

    def leaving(self, names: Iterable[str]) -> "Sortie":
        """The mission once these aircraft have aborted: those of its own are on the way home."""
        gone = tuple(names)
        return replace(
            self,
            aircraft=_without(self.aircraft, gone),
            fought=_without(self.fought, gone),
            aborted=(*self.aborted, *(name for name in gone if name in self.aircraft)),
            shown="" if self.shown in gone else self.shown,
        )


def _without(names: tuple[str, ...], gone: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in gone)


@frozen
class Refit:
    """OCS 15.1 A base that is paying for the refit of aircraft."""

    base: int | str
    aircraft: tuple[str, ...]
