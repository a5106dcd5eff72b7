"""What can happen in Typhoon. Tags and fields never change once released.

Units, chits and hexes stand here by their printed ids. A side's secrets are `Secret`s with that side as reader.
"""

from engine.kernel.types import event
from protocol.seal import Secret

# --- 4.0 setting up


@event("laid")
class BoardLaid:
    """4.0 The map is laid out, HQs with a printed hex on it (4.0(5)); every other unit waits."""


@event("deployed")
class Deployed:
    """4.0(2) A unit is set up in a hex of its formation, or moved to another one."""

    unit: str
    hex: str


@event("set_up")
class SetUpDone:
    """4.0(2) A side has finished its set-up."""

    side: str


# --- 5.0 turns


@event("turn")
class TurnBegun:
    """5.0(5) The turn marker stands on the next box."""

    turn: int


@event("turn_over")
class TurnEnded:
    """5.0(5) A turn is over."""

    turn: int


@event("over")
class GameOver:
    """14.4 The game is over: the winning side, and how ("early", "late" or "held")."""

    winner: str
    how: str


@event("dismissal")
class DismissalRolled:
    """15.5(1) The die for Guderian's dismissal, and whether he goes."""

    die: int
    dismissed: bool


# --- 6.0, 7.0 command


@event("chosen")
class ChitsChosen:
    """6.1(1) A side has chosen its chits; how many is public, which is not, nor whether Guderian stays in hand (6.3(1))."""

    side: str
    chits: Secret
    kept: Secret | None
    count: int


@event("drawn")
class ChitDrawn:
    """7.1(1) A chit is drawn from the cup."""

    chit: str


@event("interrupted")
class Interrupted:
    """7.3 The Guderian chit is used from hand: `chit` goes back in the cup ("" when the cup is empty)."""

    chit: str


@event("waived")
class LastChanceWaived:
    """7.3(3) The last chance of the turn to use a Guderian chit in hand has passed unused."""


@event("void")
class ChitVoid:
    """13.0(2) The chit has no effect."""

    chit: str


@event("rolled")
class ReserveRolled:
    """15.1(1) The die for RESERVE or OKH and the number of units."""

    side: str
    die: int
    units: int


@event("activated")
class Activated:
    """8.0, 15.1 Units are activated, by an HQ or ("") directly; `halved` are out of every command range (15.1(2))."""

    side: str
    chit: str
    hq: str
    units: tuple[str, ...]
    halved: tuple[str, ...]


@event("spent")
class ChitSpent:
    """7.1(4) The chit is laid aside; what it activated stands down."""

    chit: str


# --- 9.0 movement


@event("moved")
class Moved:
    """9.0 Units have moved along a path (their own hex first), by normal movement or ("march") by march movement."""

    units: tuple[str, ...]
    path: tuple[str, ...]
    mode: str


# --- 10.0 combat


@event("declared")
class Declared:
    """10.2(1) An attack is declared."""

    target: str
    units: tuple[str, ...]


@event("cancelled")
class AttackCancelled:
    """R-20 A declared attack can no longer be made."""

    target: str


@event("fought")
class Fought:
    """10.2(3) A combat is resolved: strengths, the column before shifts ("" below the table), the net shift, the column used, the die."""

    target: str
    units: tuple[str, ...]
    defenders: tuple[str, ...]
    attack: int
    defence: int
    odds: str
    shift: int
    column: str
    die: int
    result: str


@event("losses")
class LossesTaken:
    """10.5(2) A side has divided its losses: a unit once for each step."""

    side: str
    units: tuple[str, ...]


@event("reduced")
class Reduced:
    """10.5(1) A unit loses a step and shows its reduced face. `why`: "losses", "zone" (10.6(4)) or "supply" (11.1(1))."""

    unit: str
    why: str


@event("eliminated")
class Eliminated:
    """10.5(1) A unit leaves the map, for a box (12.3, 13.0(3)) or for good. `why` as for a step, or "no_retreat" (10.6(3))."""

    unit: str
    why: str
    where: str


@event("fall_back")
class FallBack:
    """10.6 The surviving defenders must retreat so many hexes."""

    units: tuple[str, ...]
    hexes: int


@event("retreated")
class Retreated:
    """10.6 A unit has retreated along a path (the attacked hex first)."""

    unit: str
    path: tuple[str, ...]


@event("advanced")
class Advanced:
    """10.7 A unit has advanced along a path (its own hex first)."""

    unit: str
    path: tuple[str, ...]


@event("battle_over")
class BattleOver:
    """10.2 A combat is over."""

    target: str


# --- 11.0 supply


@event("supplied")
class SupplyChecked:
    """11.1(1), R-31 All units of both sides without a LOC, judged on one position."""

    units: tuple[str, ...]


@event("evacuated")
class Evacuated:
    """11.2 A unit is lifted into its evacuation box."""

    unit: str


# --- 12.0 reinforcements


@event("intake")
class IntakeOpened:
    """12.2(1), 14.3(1), 15.2(1) A reinforcement command: units from the box, garrison units, conversions to Guards."""

    side: str
    units: int
    garrison: int
    conversions: int


@event("placed")
class Placed:
    """12.1, 14.3(3) A reinforcement is placed."""

    unit: str
    hex: str


@event("converted")
class Converted:
    """15.2(2) A rifle division makes way for a Guards division."""

    unit: str
    guards: str


@event("intake_over")
class IntakeClosed:
    """12.2(2), 14.3(3) The reinforcement command is over; garrison units that found no room are carried over."""

    side: str
    carried: int


# --- 3.4, 14.4 control and victory


@event("city")
class CityTaken:
    """3.4(2) Control of a big city or town changes."""

    hex: str
    side: str


@event("latch")
class GateReached:
    """14.4(2), R-41 The Axis holds enough of Moscow and Tula at one time."""


EVENTS = (
    BoardLaid,
    Deployed,
    SetUpDone,
    TurnBegun,
    TurnEnded,
    GameOver,
    DismissalRolled,
    ChitsChosen,
    ChitDrawn,
    Interrupted,
    LastChanceWaived,
    ChitVoid,
    ReserveRolled,
    Activated,
    ChitSpent,
    Moved,
    Declared,
    AttackCancelled,
    Fought,
    LossesTaken,
    Reduced,
    Eliminated,
    FallBack,
    Retreated,
    Advanced,
    BattleOver,
    SupplyChecked,
    Evacuated,
    IntakeOpened,
    Placed,
    Converted,
    IntakeClosed,
    CityTaken,
    GateReached,
)
