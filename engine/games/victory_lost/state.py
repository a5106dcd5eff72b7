"""The state of a game of A Victory Lost: what stands where, in which condition, and how far an
execution of command has come.

Frozen throughout. What is derived from positions stands in field.py and is carried along by
evolve, counter by counter. Hexes are grid indices; ids stand only in events.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
from attrs import field, frozen

from warledger.engine.games.chitpull.sides import AXIS, ENEMY, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost.data import Data
from warledger.engine.games.victory_lost.field import Field
from warledger.engine.kernel.change import replace, unguarded
from warledger.protocol.chance.seal import Secret

IN_SUPPLY, OUT_OF_SUPPLY, SURROUNDED = 0, 1, 2
"""The states of supply (10.2)."""

# Where a counter is that is not on the map: one of these, or the id of an off-map box (11.2).
SET_UP = "set_up"
TO_COME = "to_come"
ARRIVING = "arriving"
"""Due now by rail, not placed yet (11.1)."""
ASIDE = "aside"
"""An HQ that found no hex to reset to; comes back as a reinforcement (12.7)."""
ELIMINATED = "eliminated"
REMOVED = "removed"
"""An HQ removed with its chit (11.3)."""


@unguarded
class Counter:
    """One unit or HQ: its hex (OFF_MAP when elsewhere), where it is instead, whether it shows its
    reduced face, its supply state."""

    at: int = OFF_MAP
    where: str = ""
    reduced: bool = False
    supply: int = IN_SUPPLY
    """10.1.5 Everything starts in supply."""


@frozen(slots=False)
class Cup:
    """The command chits (7.0). A side's chosen chits and the Soviet five are secrets with that side
    as reader.

    `five`      the Soviet HQ chits of the whole game, once chosen (3.0)
    `stock`     chits of a side that are known to all: the Axis chits in play, and STAVKA; without
                the Soviet five
    `chosen`    what each side put in the cup this turn, None before
    `ahead`     variant 15.0.2(b): what the Soviets wrote down for the next turn
    `drawn`     chits drawn this turn, in order; they lie in the Used boxes until the next selection
    `removed`   chits removed with their HQ (11.3)
    `shown`     Soviet HQ chits that have been drawn once, in order, and are known to all since
    `in_hand`   the chit being executed, "" if none
    `declined` whether Manstein was just declined, so that a Manstein drawn next must be executed
    (7.2.2)
    `named`     variant 15.0.2(c): the chit that the Axis named as the first to be drawn
    """

    five: Secret | None = None
    stock: Mapping[str, tuple[str, ...]] = field(factory=dict)
    chosen: Mapping[str, Secret | None] = field(factory=lambda: {AXIS: None, SOVIET: None})
    ahead: Secret | None = None
    drawn: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    in_hand: str = ""
    declined: bool = False
    named: str = ""


@frozen
class Interrupted:
    """A move that an overrun interrupted (R-16): the counter, its way of moving, half points
    left."""

    counter: str
    mode: str
    left: int


@frozen(slots=False)
class Activation:
    """An execution of command in progress (4.1.2), or the special combat of turn 1 (chit "").

    `hqs`, `units`  what was activated, in order of ids; range was measured once (7.3.3)
    `box`           off-map box whose counters must enter now (11.2.2), "" if none
    `moved`         counters that have moved in this Movement Step
    `interrupted`   the move that an overrun interrupted
    `attacked`      units that have taken part in an attack in this Combat Step (9.1.1)
    `targets`       hexes attacked in this Combat Step (9.1.4)
    """

    side: str
    chit: str
    hqs: tuple[str, ...]
    units: tuple[str, ...]
    box: str = ""
    moved: frozenset[str] = frozenset()
    interrupted: Interrupted | None = None
    attacked: frozenset[str] = frozenset()
    targets: frozenset[int] = frozenset()


@frozen
class Flight:
    """9.5 A retreat that the reset of an overrun HQ interrupts (9.5.7): the unit, the HQ that goes
    with it ("" if none), hexes entered."""

    unit: str
    hq: str
    path: tuple[int, ...]


@frozen(slots=False)
class Battle:
    """One attack in progress (9.2).

    `column`, `die`       index of the results column, and the pips once rolled (0 before)
    `attacker_losses`, `defender_losses`   loss points of the result
    `retreat`             hexes that surviving defenders retreat
    `flight`              the interrupted retreat
    `advanced`            attackers that have advanced, and HQs that went along
    """

    target: int
    attackers: tuple[str, ...]
    column: int
    die: int = 0
    attacker_losses: int = 0
    defender_losses: int = 0
    retreat: int = 0
    flight: Flight | None = None
    advanced: frozenset[str] = frozenset()


@frozen(slots=False)
class State:
    """Everything that happens in one game. Made anew by `changed` only (a plain dictionary copy,
    the quickest way)."""

    data: Data = field(eq=False, repr=False)
    field: Field = field(eq=False, repr=False)
    counters: Mapping[str, Counter]
    turn: int = 0
    score: Mapping[str, int] = attrs.field(factory=dict)
    control: Mapping[int, str] = attrs.field(factory=dict)
    cup: Cup = attrs.field(factory=Cup)
    activation: Activation | None = None
    battle: Battle | None = None
    ready: frozenset[str] = frozenset()
    """Sides that have finished their set-up (3.0)."""
    activated_boxes: frozenset[str] = frozenset()
    """Boxes whose HQ has been activated once (11.2.2)."""
    aside: Mapping[str, int] = attrs.field(factory=dict)
    """HQs that found no hex to reset to -> the turn of it (12.7)."""
    result: tuple[str, str] | None = None
    """(winning side or "", how) once the game is over."""

    def at(self, name: str) -> int:
        """The hex of a counter, OFF_MAP when it is not on the map."""
        return self.counters[name].at

    def strength(self, name: str) -> tuple[int, int]:
        """2.2.2 (attack, defence) printed on the face that a unit shows."""
        return self.data.types[name].strength(self.counters[name].reduced)

    def allowance(self, name: str) -> int:
        """8.1.2 The counter's movement allowance in half points; 10.2.3, R-45: a surrounded unit
        has half, whole points, rounded down."""
        points = self.data.types[name].move
        if self.counters[name].supply == SURROUNDED:
            return points // 2 // self.data.divisors["surrounded_move"] * 2
        return points

    def enemies_in(self, side: str, i: int) -> tuple[str, ...]:
        """The units of the side's enemy in a hex."""
        if not self.field.zones(ENEMY[side]).pieces[i]:
            return ()
        types = self.data.types
        return tuple(name for name in self.field.stacks[i] if not types[name].hq)

    def option(self, name: str) -> Any:
        """The value of a switch in force."""
        return self.data.options[name]


def changed(state: State, **changes: Any) -> State:
    """The state with some fields replaced."""
    made = _new(State)
    _fill(made, state.__dict__ | changes)
    return made


_new = object.__new__
_fill = vars(State)["__dict__"].__set__


def relocated(state: State, name: str, at: int, where: str = "") -> State:
    """The state with one counter in another hex, or off the map (OFF_MAP and where)."""
    old = state.counters[name]
    counters = dict(state.counters)
    if at == OFF_MAP:
        counters[name] = Counter(OFF_MAP, where, old.reduced, IN_SUPPLY)
    else:
        counters[name] = Counter(at, "", old.reduced, old.supply)
    return changed(state, counters=counters, field=state.field.moved(name, old.at, at))


def scored(state: State, side: str, points: int) -> State:
    """14.0.1 The state with points for a side."""
    return (
        state
        if not points
        else changed(state, score={**state.score, side: state.score[side] + points})
    )


def gone_to(state: State, names: Iterable[str], to: str) -> State:
    at = state.data.hex(to)
    counters = dict(state.counters)
    field = state.field
    for name in names:
        old = counters[name]
        counters[name] = type(old)(at, "", old.reduced, old.supply)
        field = field.moved(name, old.at, at)
    return changed(state, counters=counters, field=field)


def with_battle(state: State, **changes: Any) -> State:
    return (
        state if state.battle is None else changed(state, battle=replace(state.battle, **changes))
    )
