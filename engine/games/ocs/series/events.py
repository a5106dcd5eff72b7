"""What can happen in any game of the series. Tags and fields never change once released.

Units, aircraft and hexes stand here by their printed ids, supply in T, movement in parts of a
point. These are the events that several chapters share; a chapter's own stand in its module, and a
title lists them all. Where a value is hidden from a side its field holds a `Secret` with its
readers; such fields are declared `Any`.
"""

from typing import Any

from warledger.engine.kernel.types import event


@event("ocs.set_up")
class SetUp:
    """The scenario is laid out as its file says."""


@event("ocs.turn")
class TurnBegun:
    """OCS 2.3 A game turn begins."""

    turn: int


@event("ocs.weather")
class WeatherSet:
    """OCS 2.3, 17 Ground and flight conditions of the turn."""

    ground: str
    flight: str


@event("ocs.first")
class FirstPlayerChosen:
    """OCS 2.3 Which side has the first player turn."""

    side: str


@event("ocs.phasing")
class PlayerTurnBegun:
    """OCS 2.1 A side's player turn begins."""

    side: str


@event("ocs.segment")
class SegmentBegun:
    """OCS 2.3 A phase or segment begins, by its letter ("c2"). `phase`: it is the first of its
    phase, so that what holds for a phase is cleared."""

    segment: str
    phase: bool


@event("ocs.mode")
class ModeChanged:
    """OCS 5.4 Units of a side are in another mode: for each its id, its marker ("" for none) and
    whether the Move side of its counter shows."""

    side: str
    units: Any


@event("ocs.released")
class Released:
    """OCS 5.7b Units of a side give up their Reserve markers."""

    side: str
    units: Any


@event("ocs.moved")
class Moved:
    """OCS 6.1 Units have gone a way, hex by hex (the start left out); `spent` in parts, by unit."""

    units: Any
    way: tuple[str, ...]
    spent: Any


@event("ocs.finished")
class MoveFinished:
    """OCS 6.1 The move of these units is over for the phase."""

    units: Any


@event("ocs.step_lost")
class StepsLost:
    """OCS 9.10, 10.0, 12.8b A unit loses steps; with its last one it goes to `pile`, else that is
    "". `side` and `hex` tell whose step it was and where, `why` is "combat", "retreat", "barrage",
    "attrition" and so on. OCS R-17: the number of steps is told, the unit is not."""

    unit: Any
    steps: int
    pile: Any
    side: str = ""
    hex: str = ""
    why: str = ""


@event("ocs.destroyed")
class Destroyed:
    """OCS 9.12, 12.8 Units of a side in one hex are lost whole, with the steps that they have left,
    and go to `piles`, one for each. OCS R-17: neither how many they are nor how many steps they
    had is told, since no table says it. That a hex shows another unit is seen."""

    side: str
    hex: str
    units: Any
    piles: Any
    why: str


@event("ocs.put")
class Put:
    """A unit stands in a hex that it did not move to: arrived, displaced, retreated, advanced."""

    units: tuple[str, ...]
    hex: str


@event("ocs.taken")
class TakenOff:
    """Units leave the map for a box or pile."""

    units: Any
    where: str


@event("ocs.oos")
class SupplyMarked:
    """OCS 12.6d, 12.8a Units are marked out of supply, or no longer. OCS R-13: only a shown unit's
    marker is seen."""

    units: Any
    oos: bool


@event("ocs.stocks")
class StocksChanged:
    """OCS 12.10 Units' internal stocks: 0 full, 1 Low, 2 Exhausted."""

    units: Any
    stocks: Any


@event("ocs.supply")
class SupplyChanged:
    """OCS 12.1 T on the ground at a place, more or fewer; `why` is "arrived", "spent", "loaded",
    "unloaded", "blown", "captured", "lost" or "moved"."""

    side: str
    place: Any
    tokens: Any
    why: str


@event("ocs.load")
class LoadChanged:
    """OCS 13.2 T that transport carries, more or fewer."""

    unit: Any
    tokens: Any
    why: str


@event("ocs.fuelled")
class Fuelled:
    """OCS 12.5c Fuel is paid: for a formation ("formation"; by the game's own terms "sparing"), an
    HQ ("hq") or one unit ("unit"); or it has not been after all ("")."""

    side: str
    what: Any
    id: Any


@event("ocs.hedgehog")
class HedgehogSet:
    """OCS 16.0 A hedgehog has this level now, 0 for none."""

    side: str
    hex: str
    level: int


@event("ocs.base")
class BaseSet:
    """OCS 15.0 An air base has this level now, 0 for none."""

    side: str
    hex: str
    level: int


@event("ocs.control")
class ControlTaken:
    """OCS 13.3h A side controls these hexes."""

    side: str
    hexes: tuple[str, ...]


@event("ocs.aircraft")
class AircraftPlaced:
    """OCS 14.1 Aircraft of a side lie at bases, one each, active or not. OCS R-15: which they are,
    how many and where is their owner's to know, but for those that the enemy sees."""

    side: str
    aircraft: Any
    bases: Any
    active: bool


@event("ocs.cleaned")
class CleanedUp:
    """OCS 2.3 H A side's Clean Up: its DG, Exploit and fuel markers go, and the other side's
    trainbusting markers."""

    side: str
