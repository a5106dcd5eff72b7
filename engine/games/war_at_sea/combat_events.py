"""What happens in chapters 7-11 besides what combat does to ships (that is in `events.py`). Tags and fields never change once released."""

from engine.kernel.types import event
from protocol.seal import Secret


@event("combat_opened")
class CombatOpened:
    """7.1 A fight begins in a place: kind is "asw", "air" or "surface"; the ships (and U-boats) that take part on each side."""

    kind: str
    place: str
    allied: tuple[str, ...]
    axis: tuple[str, ...]


@event("combat_closed")
class CombatClosed:
    """7.1 The fight in a place is over."""

    kind: str
    place: str


@event("fire_held")
class FireHeld:
    """7.2 A side does not attack."""

    seat: str
    kind: str


@event("asw_rolled")
class AswRolled:
    """8.3 The Allied dice against all U-boats of the area."""

    place: str
    dice: tuple[int, ...]


@event("shot")
class Shot:
    """7.3, 7.4 One attack on one target: by a ship ("gun"), a U-boat ("uboat") or a side's airstrike ("air").

    `dice` as rolled, `plus` what 10.5 adds to each, `wounds` the damage dice, one for each hit. Nothing is applied yet.
    """

    kind: str
    by: str
    target: str
    dice: tuple[int, ...]
    plus: int
    wounds: tuple[int, ...]


@event("convoy_spared")
class ConvoySpared:
    """10.7 Some Allied warship came through the round undamaged, so these ships' attacks on a convoy are not carried out."""

    ships: tuple[str, ...]


@event("ships_leaving")
class ShipsLeaving:
    """7.3 Disabled ships with more than one port to go to: their owner chooses before anything else happens."""

    ships: tuple[str, ...]


@event("round_begun")
class RoundBegun:
    """7.2 A round of surface combat: one attack by each side."""

    round: int


@event("round_ended")
class RoundEnded:
    """7.2 Both sides have had their attack and its results stand."""


@event("carriers_declared")
class CarriersDeclared:
    """10.6 Which Axis carriers mean to fire this round; the others may not."""

    ships: tuple[str, ...]
    asked: bool


@event("standoff")
class Standoff:
    """R25 Two rounds running without a die and without an escape: the fight ends, nobody is driven off."""

    place: str


@event("escape_written")
class EscapeWritten:
    """11.8 A side has written whether it wants to escape: "escape" or "stay", sealed until both have written."""

    seat: str
    choice: Secret


@event("escape_shown")
class EscapeShown:
    """11.8 Both papers are turned over."""

    allied: str
    axis: str


@event("groups_formed")
class GroupsFormed:
    """11.3 The escaping side's groups, each with its escape speed."""

    seat: str
    groups: tuple[tuple[str, ...], ...]
    speeds: tuple[int, ...]


@event("pursuit_assigned")
class PursuitAssigned:
    """11.4 Which ships pursue which group; all empty when the opponent lets the other side go (11.2)."""

    seat: str
    pursuers: tuple[tuple[str, ...], ...]


@event("pursuit_opened")
class PursuitOpened:
    """11.4 The fight between one group and its pursuers begins."""

    group: int


@event("pursuit_broken_off")
class PursuitBrokenOff:
    """11.5 Pursuers give up: of their own will, or because they are slower than the escape speed."""

    ships: tuple[str, ...]
    forced: bool


@event("pursuit_closed")
class PursuitClosed:
    """11.6 The fight over one group has ended."""

    group: int


COMBAT_EVENTS = (
    CombatOpened,
    CombatClosed,
    FireHeld,
    AswRolled,
    Shot,
    ConvoySpared,
    ShipsLeaving,
    RoundBegun,
    RoundEnded,
    CarriersDeclared,
    Standoff,
    EscapeWritten,
    EscapeShown,
    GroupsFormed,
    PursuitAssigned,
    PursuitOpened,
    PursuitBrokenOff,
    PursuitClosed,
)
