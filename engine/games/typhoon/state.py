"""The state of a game of Typhoon: what stands where, in which condition, and how far the execution
of a command has come.

Frozen throughout. What is derived from positions stands in field.py and is carried along by
evolve, unit by unit. Hexes are grid indices; ids stand only in events. R-47 Units and stacks are
open to both; only chits are secret.
"""

from collections.abc import Mapping
from typing import Any

import attrs
from attrs import frozen

from warledger.engine.games.chitpull.sides import AXIS, ENEMY, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.typhoon.data import GUDERIAN, Data, Weather
from warledger.engine.games.typhoon.field import Field
from warledger.engine.kernel.change import unguarded
from warledger.protocol.chance.seal import Secret

# Where a piece is that is not on the map: one of these, or the id of a box.
SET_UP = "set_up"
ELIMINATED = "eliminated"
AVAILABLE = {side: f"box.available.{side}" for side in SIDES}
EVACUATED = {side: f"box.evacuated.{side}" for side in SIDES}
GD_CONVERT = "box.gd_convert"


@unguarded
class Unit:
    """One unit or HQ: its hex (OFF_MAP when elsewhere), where it is instead, whether it shows its
    reduced face (2.21(3))."""

    at: int = OFF_MAP
    where: str = ""
    reduced: bool = False


@frozen(slots=False)
class Cup:
    """The command chits (6.0, 7.0). A side's chosen chits are a secret with that side as reader,
    and so is whether Guderian is kept.

    `chosen`   what each side chose this turn, None before
    `kept`     whether the Axis keeps the Guderian chit in hand (6.3(1)), None before
    `counts`   how many each side chose, which everybody knows
    `drawn`    chits out of the cup this turn, in order: executed, or in execution
    `in_hand`  the chit being executed, "" if none
    `waived`   the Axis has let the last chance of the turn pass (7.3(3))
    `dismissed` Guderian has been dismissed (15.5)
    """

    chosen: Mapping[str, Secret | None] = attrs.field(factory=lambda: {AXIS: None, SOVIET: None})
    kept: Secret | None = None
    counts: Mapping[str, int] = attrs.field(factory=lambda: {AXIS: 0, SOVIET: 0})
    drawn: tuple[str, ...] = ()
    in_hand: str = ""
    waived: bool = False
    dismissed: bool = False


@frozen
class Attack:
    """10.2(1) A declared attack."""

    target: int
    units: tuple[str, ...]


@frozen(slots=False)
class Activation:
    """The execution of a command that activates units (8.0, 15.1).

    `hq`        the HQ activated, "" for RESERVE and OKH
    `units`     what is activated, the HQ among them, in order of ids; range was measured once
                (8.2(1))
    `halved`    units of RESERVE outside every command range (15.1(2))
    `moved`     units that have moved
    `attacks`   declared and not yet resolved, in the order of declaration
    `fallen_back`  units that have retreated in this combat segment (10.3(1)2)
    """

    side: str
    chit: str
    hq: str
    units: tuple[str, ...]
    halved: frozenset[str] = frozenset()
    moved: frozenset[str] = frozenset()
    attacks: tuple[Attack, ...] = ()
    fallen_back: frozenset[str] = frozenset()


@frozen(slots=False)
class Battle:
    """One combat in progress.

    `loser`, `losses`   the side that takes losses and how many steps are still to be taken (10.5)
    `retreat`           hexes that surviving defenders retreat (10.4(2))
    `retreating`        defenders that still have to
    `ground`            positions at the moment the retreat began, from which its direction is
                        judged (R-25)
    `advanced`          attackers that have advanced
    """

    target: int
    attackers: tuple[str, ...]
    defenders: tuple[str, ...]
    loser: str = ""
    losses: int = 0
    retreat: int = 0
    retreating: tuple[str, ...] = ()
    ground: Field | None = attrs.field(default=None, eq=False, repr=False)
    advanced: frozenset[str] = frozenset()


@frozen(slots=False)
class Intake:
    """A reinforcement command in progress (12.0): what may still be taken from the available box,
    and Guards still to convert (15.2)."""

    side: str
    left: int
    conversions: int = 0


@frozen
class Draft:
    """A RESERVE or OKH command whose units are still to be named (15.1(1))."""

    side: str
    units: int


@frozen(slots=False)
class State:
    """Everything that happens in one game. Made anew by `changed` only (a plain dictionary copy,
    the quickest way)."""

    data: Data = attrs.field(eq=False, repr=False)
    field: Field = attrs.field(eq=False, repr=False)
    units: Mapping[str, Unit]
    turn: int = 0
    control: Mapping[int, str] = attrs.field(factory=dict)
    cup: Cup = attrs.field(factory=Cup)
    activation: Activation | None = None
    battle: Battle | None = None
    intake: Intake | None = None
    draft: Draft | None = None
    ready: frozenset[str] = frozenset()
    """Sides that have finished their set-up (4.0)."""
    evacuated: Mapping[str, int] = attrs.field(factory=dict)
    """Units in an evacuation box -> the turn on which they were lifted (11.2)."""
    deployed: frozenset[str] = frozenset()
    """Garrison units that have once been placed (14.3(4))."""
    garrison: int = 0
    """Garrison units received and still to be placed (14.3(1), R-40)."""
    latch: bool = False
    """Whether the Axis has ever held enough of Moscow and Tula at one time (14.4(2))."""
    result: tuple[str, str] | None = None
    """(winning side, how) once the game is over."""

    @property
    def weather(self) -> Weather:
        """14.1 The weather of this turn."""
        return self.data.weather[self.data.turn(self.turn).weather]

    def at(self, name: str) -> int:
        """The hex of a unit, OFF_MAP when it is not on the map."""
        return self.units[name].at

    def strength(self, name: str) -> tuple[int, int]:
        """2.21(2)5 (attack, defence) on the face that a unit shows; 10.3(1)3, 11.1(2) supply does
        not alter it."""
        return self.data.types[name].strength(self.units[name].reduced)

    def steps(self, name: str) -> int:
        """2.21(3), R-05 Steps that a unit can still lose."""
        return self.data.types[name].steps(self.units[name].reduced)

    def allowance(self, name: str) -> int:
        """9.2(1)1 Half points for one move; 15.1(2), R-02, R-42 a unit of RESERVE out of every
        range has half, rounded down."""
        points = self.data.types[name].move
        if self.activation is not None and name in self.activation.halved:
            return points // 2 // 2 * 2
        return points

    def enemies_in(self, side: str, i: int) -> tuple[str, ...]:
        """The units of the side's enemy in a hex."""
        return self.field.stacks[i] if self.field.zones(ENEMY[side]).pieces[i] else ()

    def friends_in(self, side: str, i: int) -> tuple[str, ...]:
        """The side's units in a hex."""
        return self.field.stacks[i] if self.field.zones(side).pieces[i] else ()

    def option(self, name: str) -> Any:
        """The value of a switch in force."""
        return self.data.options[name]

    @property
    def guderian(self) -> str:
        """The id of the Guderian chit."""
        return self.data.chit_of(AXIS, GUDERIAN)


def changed(state: State, **changes: Any) -> State:
    """The state with some fields replaced."""
    made = _new(State)
    _fill(made, state.__dict__ | changes)
    return made


_new = object.__new__
_fill = vars(State)["__dict__"].__set__


def relocated(state: State, name: str, at: int, where: str = "", *, fresh: bool = False) -> State:
    """The state with one unit in another hex, or off the map (OFF_MAP and where); `fresh`: on its
    full face."""
    old = state.units[name]
    units = dict(state.units)
    units[name] = Unit(at, where, old.reduced and not fresh)
    return changed(state, units=units, field=state.field.moved(name, old.at, at))
