"""The fight in progress, kept in the state while sequence "combat" runs. Frozen values without
rules; the steps of combat read them, the events of combat make new ones.

`allied` and `axis` are the ships that are still in the fight in hand: all of the place at first, in
a pursuit one group and its pursuers.
"""

from types import MappingProxyType

from attrs import frozen

from warledger.engine.games.war_at_sea.damage import Toll
from warledger.protocol.chance.seal import Secret

ASW, AIR, SURFACE = "asw", "air", "surface"

ROLLS = MappingProxyType({"gun": "gunnery", "uboat": "torpedo", "air": "air"})
"""What the dice of a shot are rolled for, by the kind of shot."""


@frozen(slots=False)
class Group:
    """11.3 A group of fleeing ships with its escape speed, and 11.4 the ships told off to pursue
    it."""

    ships: tuple[str, ...]
    speed: int
    pursuers: tuple[str, ...] = ()
    settled: bool = False


@frozen(slots=False)
class Combat:
    """One fight.

    kind, place   ASW, AIR or SURFACE, and the area (or port, for an airstrike)
    allied, axis  ships still in it; in an anti-submarine fight `axis` are the U-boats
    round         rounds begun in the fight in hand, the main one or a pursuit
    tolls         what this round's fire has done, not yet applied: target -> toll, in order of
                  first being fired at (10.4)
    rolled        whether a die has been rolled this round, and `idle`: rounds in a row without one
                  (R25)
    exposed       carriers that have fired or intend to fire this round (10.6)
    leaving       disabled ships whose owner is to choose the port (7.3)
    written       what each side has written about escaping (11.8)
    fleeing       the side that escapes, "" while nobody does
    groups        its groups, and `group`: the one being pursued, -1 outside a pursuit
    over          whether the fight in hand has ended without a side being wiped out
    """

    kind: str
    place: str
    allied: tuple[str, ...] = ()
    axis: tuple[str, ...] = ()
    round: int = 0
    tolls: tuple[tuple[str, Toll], ...] = ()
    rolled: bool = False
    idle: int = 0
    exposed: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()
    written: tuple[tuple[str, Secret], ...] = ()
    fleeing: str = ""
    groups: tuple[Group, ...] = ()
    group: int = -1
    over: bool = False

    def ships(self, side: str) -> tuple[str, ...]:
        """One side's ships still in the fight in hand."""
        return self.allied if side == "allied" else self.axis
