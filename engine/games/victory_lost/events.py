"""What can happen in A Victory Lost outside combat. Tags and fields never change once released.

Counters, chits and hexes stand here by their printed ids. A side's secrets are `Secret`s with that side as reader. The events of
chapter 9 stand in combat.py.
"""

from engine.kernel.types import event
from protocol.seal import Secret

# --- 3.0 set-up


@event("laid")
class BoardLaid:
    """3.0 The map is laid out: every counter waits to be set up or to arrive."""


@event("deployed")
class Deployed:
    """3.0 A counter is set up in a hex of its colour, or moved to another one."""

    counter: str
    hex: str


@event("set_up")
class SetUpDone:
    """3.0 A side has finished its set-up."""

    side: str


@event("five")
class FiveChosen:
    """3.0 The Soviet player has chosen the HQ chits of the whole game."""

    chits: Secret


# --- 4.0 turns


@event("turn")
class TurnBegun:
    """4.0 A game turn begins."""

    turn: int


@event("turn_over")
class TurnEnded:
    """4.3 A game turn is over."""

    turn: int


@event("over")
class GameOver:
    """14.0.2 The game is over: the winning side ("" for a draw) and how ("lead" or "turns")."""

    winner: str
    how: str


# --- 7.0 command


@event("chosen")
class ChitsChosen:
    """7.1.2 A side has put chits in the cup; how many is public."""

    side: str
    chits: Secret
    count: int


@event("ahead")
class ChosenAhead:
    """15.0.2(b) The Soviet player has written down his chits for the next turn."""

    chits: Secret
    count: int


@event("ahead_shown")
class AheadShown:
    """15.0.2(b) The chits written down a turn ago are shown and go in the cup."""

    chits: tuple[str, ...]


@event("named")
class FirstNamed:
    """15.0.2(c) The Axis has named the chit to be drawn first."""

    chit: str


@event("drawn")
class ChitDrawn:
    """7.2.1 A chit is drawn from the cup."""

    chit: str


@event("returned")
class ChitReturned:
    """7.2.2 The Axis declines Manstein: the chit goes back in the cup."""

    chit: str


@event("used")
class ChitUsed:
    """7.2.1 A chit has been executed, or had no HQ to activate, and goes to the Used box."""

    chit: str
    idle: bool


@event("activated")
class Activated:
    """7.2, 7.3 HQs and the units in their range are activated; `box` is the off-map box whose counters enter (11.2)."""

    side: str
    chit: str
    hqs: tuple[str, ...]
    units: tuple[str, ...]
    box: str


@event("stood_down")
class StoodDown:
    """4.1.2 The activation is over."""

    side: str


# --- 8.0 movement


@event("moved")
class Moved:
    """8.0 Counters have moved along a path (their own hex or box first), `left` half points remaining to the one with fewest.

    `mode` is "" (normal), "road" (8.3) or "swift" (15.0.1(b)).
    """

    counters: tuple[str, ...]
    path: tuple[str, ...]
    mode: str
    left: int


@event("interrupted")
class MoveInterrupted:
    """12.1 The move halts at a lone HQ, to go on when it has been reset."""

    counter: str
    mode: str
    left: int


@event("halted")
class Halted:
    """8.1.2 A counter that overran an HQ ends its move."""

    counter: str


@event("overrun")
class Overrun:
    """12.1 A unit has entered the hex of a lone enemy HQ, which must reset."""

    hq: str
    by: str
    hex: str


# --- 9.4.2 losses


@event("reduced")
class Reduced:
    """9.4.2 A unit takes a loss and shows its reduced face."""

    unit: str


@event("eliminated")
class Eliminated:
    """9.4.2, 11.1.3, 14.0.1 A unit leaves the game; `points` go to its enemy. `why` names the phrase."""

    unit: str
    why: str
    points: int


# --- 10.0 supply


@event("supplied")
class SupplyChecked:
    """10.1 Both sides' supply is checked: every counter whose state changes, with the new one (0, 1 out of supply, 2 surrounded)."""

    changes: tuple[tuple[str, int], ...]


# --- 11.0 reinforcements


@event("arrived")
class Arrived:
    """11.1, 11.2.1 Counters are received: to be placed by rail now ("arriving") or waiting in a box."""

    side: str
    counters: tuple[str, ...]
    where: str


@event("placed")
class Placed:
    """11.1.1 A reinforcement is placed on a railway hex."""

    counter: str
    hex: str


@event("chits_gained")
class ChitsGained:
    """11.1.2 Axis chits go to the Unused box."""

    side: str
    chits: tuple[str, ...]


@event("hq_removed")
class HqRemoved:
    """11.3 An HQ without a unit in range leaves the game with its chit."""

    hq: str


# --- 12.7 reset


@event("reset")
class HqReset:
    """12.7 An HQ is set up anew in another hex."""

    hq: str
    hex: str


@event("set_aside")
class HqSetAside:
    """12.7, R-19 No hex qualifies: the HQ comes back as a reinforcement."""

    hq: str


# --- 14.0 victory


@event("city")
class CityTaken:
    """14.0.1 Control of a strategic city changes."""

    hex: str
    side: str


@event("counted")
class CutOffCounted:
    """14.0.1, R-42 At the end of the game units out of supply or surrounded count as eliminated: (unit, points) each."""

    units: tuple[tuple[str, int], ...]


EVENTS = (
    BoardLaid,
    Deployed,
    SetUpDone,
    FiveChosen,
    TurnBegun,
    TurnEnded,
    GameOver,
    ChitsChosen,
    ChosenAhead,
    AheadShown,
    FirstNamed,
    ChitDrawn,
    ChitReturned,
    ChitUsed,
    Activated,
    StoodDown,
    Moved,
    MoveInterrupted,
    Halted,
    Overrun,
    Reduced,
    Eliminated,
    SupplyChecked,
    Arrived,
    Placed,
    ChitsGained,
    HqRemoved,
    HqReset,
    HqSetAside,
    CityTaken,
    CutOffCounted,
)
