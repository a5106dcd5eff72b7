"""Everything that can happen in War at Sea. The tags and fields stand in the log and never change once released.

A face-down ship (18.2) is named by a Secret that only the Allied player reads; `named` gives the ship's id either way.
"""

from typing import Any

from engine.kernel.types import event
from protocol.seal import Secret

ShipName = str | Secret
"""A ship's id, or the secret of a face-down one."""


def named(ship: ShipName) -> str:
    """The ship's id."""
    return str(ship.value) if type(ship) is Secret else str(ship)


# --- chapters 4 and 5 -------------------------------------------------------------------------------------------------------------


@event("set_up")
class SetUp:
    """4.1 – 4.3 The counters are on the map and on the turn track."""


@event("deployed")
class Deployed:
    """4.3 The Allied player put British ships into a port."""

    ships: tuple[str, ...]
    port: str


@event("turn_began")
class TurnBegan:
    """5 A turn begins: what ships did last turn is forgotten."""

    turn: int


@event("phase_began")
class PhaseBegan:
    """5 A step of the sequence of play begins."""

    phase: str


@event("reinforced")
class Reinforced:
    """5.1 Ships come from the turn track: pairs (ship, place)."""

    ships: tuple[tuple[str, str], ...]


@event("uboats_arrived")
class UBoatsArrived:
    """8.6 Boats come to Germany; `lost` did not fit, `backlog` wait now for room (18.3)."""

    boats: tuple[str, ...]
    lost: int
    backlog: int


@event("france_closed")
class FranceClosed:
    """15.4 France closes; the Axis ships there are out of the game."""

    ships: tuple[str, ...]


@event("italian_rolled")
class ItalianRolled:
    """16.4, R40 What becomes of an Italian ship on turn 8: "uk", "de" or "scuttled", and where it lies then."""

    ship: str
    die: int
    fate: str
    place: str


# --- chapters 6, 15 and 16: movement ----------------------------------------------------------------------------------------------


@event("american_rolled")
class AmericanRolled:
    """16.2 An American ship rolled whether it joins."""

    ship: str
    die: int
    joins: bool


@event("soviet_rolled")
class SovietRolled:
    """16.1 A Soviet ship rolled whether it may leave port."""

    ship: str
    die: int
    may_sail: bool


@event("turned_down")
class TurnedDown:
    """18.2 The Allied ships on the map are turned face down."""


@event("sailed")
class Sailed:
    """6.1, 13.1, 14.4 Ships of one place went along a path of areas (or into a port, after replenishing)."""

    ships: tuple[ShipName, ...]
    origin: str
    path: tuple[str, ...]


@event("repaired")
class Repaired:
    """15.1, 15.2 A port took damage points off a ship that stays in it."""

    ship: str
    port: str
    points: int


@event("repaired_face_down")
class RepairedFaceDown:
    """18.2 What Allied ports repaired, as one secret: triples (ship, port, points)."""

    repairs: Any


@event("speed_rolled")
class SpeedRolled:
    """6.2 A ship that moved two areas rolled its speed die in the second."""

    ship: ShipName
    area: str
    die: int
    holds: bool


@event("put_back")
class PutBack:
    """6.2, R8 A ship that failed its speed roll went into a port."""

    ship: ShipName
    area: str
    port: str


@event("sailing_over")
class SailingOver:
    """6.3 A side's movement and dice are over."""

    side: str


@event("control_lifted")
class ControlLifted:
    """6.3 Last turn's control markers are taken off."""


# --- chapters 8 and 9: boats and markers ------------------------------------------------------------------------------------------


@event("uboats_placed")
class UBoatsPlaced:
    """8.1 Boats went from Germany to areas: pairs (boat, area)."""

    boats: tuple[tuple[str, str], ...]


@event("air_placed")
class AirPlaced:
    """9.1 A side placed its airstrike marker; "" if it did not."""

    side: str
    place: str


@event("turned_up")
class TurnedUp:
    """18.2 Face-down ships are turned up: pairs (ship, place)."""

    ships: tuple[tuple[str, str], ...]


# --- what combat does to ships (chapters 7 – 11) ----------------------------------------------------------------------------------


@event("ship_damaged")
class ShipDamaged:
    """7.4, 7.6 Hits cost a ship so many points; it floats."""

    ship: str
    points: int


@event("ship_sunk")
class ShipSunk:
    """7.6 Damage beyond its armor sank a ship; `points` is what it took now."""

    ship: str
    points: int


@event("ship_disabled")
class ShipDisabled:
    """7.3 A ship struck by a 5 left for a port; "" when none would have it, and it is out of the game (12.3)."""

    ship: str
    port: str


@event("uboat_sunk")
class UBoatSunk:
    """8.3 A boat was sunk."""

    boat: str
    area: str


@event("uboat_disabled")
class UBoatDisabled:
    """8.3, R48 A boat was sent home to Germany."""

    boat: str
    area: str


@event("ships_escaped")
class ShipsEscaped:
    """11.6 Ships have escaped; they stay in their area until they return to port."""

    ships: tuple[str, ...]
    area: str


@event("air_returned")
class AirReturned:
    """9.4 A side's airstrike marker goes back to its owner."""

    side: str


# --- chapters 12 – 14: control, return, convoys, replenishment --------------------------------------------------------------------


@event("control_placed")
class ControlPlaced:
    """12.1, 12.2 Who controls each area now: pairs (area, side or "")."""

    areas: tuple[tuple[str, str], ...]


@event("convoy_arrived")
class ConvoyArrived:
    """13.2 – 13.4 A convoy reached a port, scored, and left the game."""

    convoy: str
    area: str
    port: str
    points: int


@event("convoy_stayed")
class ConvoyStayed:
    """13.2 A convoy stays in the North Atlantic and must go on to the Barents Sea next turn."""

    convoy: str
    area: str


@event("replenishment_rolled")
class ReplenishmentRolled:
    """14.2 – 14.4 A ship tried to replenish at sea; a failed one goes to `port`."""

    ship: str
    die: int
    success: bool
    port: str


@event("returned")
class Returned:
    """12.3 Ships of one side returned from an area to a port."""

    ships: tuple[str, ...]
    area: str
    port: str


@event("ship_lost_without_port")
class ShipLostWithoutPort:
    """12.3 A ship that no port would take is out of the game."""

    ship: str
    area: str


@event("stayed_at_sea")
class StayedAtSea:
    """14.4 Replenished ships stay where they are."""

    ships: tuple[str, ...]


@event("uboats_returned")
class UBoatsReturned:
    """8.5, 12.3 Every boat is back in Germany."""


# --- chapters 15, 17 and 18: the end of a turn ------------------------------------------------------------------------------------


@event("interned")
class Interned:
    """18.6 Ships that stayed in the neutral port are out of the game."""

    ships: tuple[str, ...]


@event("scored")
class Scored:
    """17.1, 17.2 A turn was scored. For each side (control points, convoy points, penalty); then where the marker stands now."""

    turn: int
    allied: tuple[int, int, int]
    axis: tuple[int, int, int]
    score: int


@event("game_over")
class GameOver:
    """17.4 The last turn has been scored."""

    score: int


EVENTS: tuple[type[Any], ...] = (
    SetUp,
    Deployed,
    TurnBegan,
    PhaseBegan,
    Reinforced,
    UBoatsArrived,
    FranceClosed,
    ItalianRolled,
    AmericanRolled,
    SovietRolled,
    TurnedDown,
    Sailed,
    Repaired,
    RepairedFaceDown,
    SpeedRolled,
    PutBack,
    SailingOver,
    ControlLifted,
    UBoatsPlaced,
    AirPlaced,
    TurnedUp,
    ShipDamaged,
    ShipSunk,
    ShipDisabled,
    UBoatSunk,
    UBoatDisabled,
    ShipsEscaped,
    AirReturned,
    ControlPlaced,
    ConvoyArrived,
    ConvoyStayed,
    ReplenishmentRolled,
    Returned,
    ShipLostWithoutPort,
    StayedAtSea,
    UBoatsReturned,
    Interned,
    Scored,
    GameOver,
)
"""The events of this file; the combat chapters add theirs in `combat.py`."""
