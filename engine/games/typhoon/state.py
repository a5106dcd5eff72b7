"""The state of a game of Typhoon: what stands where, in which condition, and how far the execution of a command has come.

Frozen throughout. `Field` holds what is derived from positions (who stands in a hex, zones of control, lines of communication) and is
carried along by evolve, piece by piece; its costly views are worked out at most once for each value. Hexes are grid indices; ids stand
only in events. R-47 Units and stacks are open to both; only chits are secret.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import attrs
from attrs import frozen

from engine.board.paths import Conditions
from engine.board.zones import Zones, zones
from engine.games.chitpull import lines, ways
from engine.games.chitpull.lines import Levels
from engine.games.chitpull.sides import AXIS, ENEMY, SIDES, SOVIET
from engine.games.chitpull.standing import OFF_MAP
from engine.games.typhoon.data import GUDERIAN, Data, Weather
from protocol.seal import Secret

# Where a piece is that is not on the map: one of these, or the id of a box.
SET_UP = "set_up"
ELIMINATED = "eliminated"
AVAILABLE = {side: f"box.available.{side}" for side in SIDES}
EVACUATED = {side: f"box.evacuated.{side}" for side in SIDES}
GD_CONVERT = "box.gd_convert"


@frozen
class Unit:
    """One unit or HQ: its hex (OFF_MAP when elsewhere), where it is instead, whether it shows its reduced face (2.21(3))."""

    at: int = OFF_MAP
    where: str = ""
    reduced: bool = False


PENDING_MOST = 6
"""How many moves of units a `Field` may be behind with its zones before counting them afresh is as quick."""


@frozen(eq=False, slots=False)
class Field:
    """What stands in each hex: `stacks[hex]` the units there in order of ids; and both sides' zones, counted when first asked for.

    3.2 Every unit has a zone, HQs too; 3.2(2) the zones of several units in a hex are one. 3.2(3) They matter to LOCs, movement, retreat
    and reinforcements. `known` are the zones of a field not long ago, and `since` what has moved since: (unit, from, to).
    """

    data: Data
    stacks: Mapping[int, tuple[str, ...]]
    known: tuple[Zones, Zones] | None = None
    since: tuple[tuple[str, int, int], ...] = ()

    @cached_property
    def both(self) -> tuple[Zones, Zones]:
        """The zones of the Axis and of the Soviets."""
        data = self.data
        if self.known is None:
            standing: dict[str, list[int]] = {side: [] for side in SIDES}
            for i, names in self.stacks.items():
                standing[data.types[names[0]].side].extend([i] * len(names))
            return zones(data.zones, standing[AXIS]), zones(data.zones, standing[SOVIET])
        made = list(self.known)
        for name, a, b in self.since:
            side = 0 if data.types[name].side == AXIS else 1
            if a == OFF_MAP:
                made[side] = made[side].placed(data.zones, b)
            elif b == OFF_MAP:
                made[side] = made[side].taken(data.zones, a)
            else:
                made[side] = made[side].moved(data.zones, a, b)
        return made[0], made[1]

    def zones(self, side: str) -> Zones:
        """A side's units by hex and its zones of control."""
        return self.both[0 if side == AXIS else 1]

    def in_enemy_zone(self, side: str, i: int) -> bool:
        """3.2 Whether a hex is an EZOC for a side."""
        return self.zones(ENEMY[side]).count[i] != 0

    def moved(self, name: str, a: int, b: int) -> "Field":
        """With a unit gone from hex a (OFF_MAP: from off the map) to hex b (OFF_MAP: taken off the map)."""
        if a == b:
            return self
        stacks = dict(self.stacks)
        if a != OFF_MAP:
            there = stacks[a]
            if len(there) == 1:
                del stacks[a]
            else:
                stacks[a] = tuple(other for other in there if other != name)
        if b != OFF_MAP:
            there = stacks.get(b, ())
            stacks[b] = tuple(sorted((*there, name))) if there else (name,)
        counted = self.__dict__.get("both")
        if counted is not None:
            return Field(self.data, stacks, counted, ((name, a, b),))
        if self.known is None or len(self.since) >= PENDING_MOST:
            return Field(self.data, stacks)
        return Field(self.data, stacks, self.known, (*self.since, (name, a, b)))

    # --- views, worked out once ---------------------------------------------------------------------------------------------

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Answers already worked out for these positions (one unit's reach, say): nothing but functions of this value."""
        return {}

    def conditions(self, side: str, weather: Weather, *, zones_closed: bool = False) -> Conditions:
        """9.2(2) What stands in the way of a side's mover: enemy units, and what an EZOC costs in this weather (14.1.3).
        `zones_closed`: no EZOC may be entered (9.3(1)2)."""
        key = ("conditions", side, weather.name, zones_closed)
        found = self.memo.get(key)
        if found is None:
            enemy = self.zones(ENEMY[side])
            flags = ways.flags((enemy.count, ways.BARRED_ZONE if zones_closed else ways.IN_ZONE), (enemy.pieces, ways.BARRED))
            found = self.memo[key] = Conditions(flags, weather.enter[side], weather.leave[side])
        return found

    def sources(self, side: str) -> int:
        """3.3, R-09 A side's LOC sources that no enemy holds; 15.4, R-44 with the east edge joined off the map for the Soviets."""
        data = self.data
        enemy = self.zones(ENEMY[side]).pieces
        hexes = [i for i in data.sources[side] if not enemy[i]]
        if side == SOVIET and data.options["off_map_line"] and any(i in data.edge for i in hexes):
            hexes.extend(i for i in data.edge if not enemy[i] and i not in data.water)
        return lines.set_of(hexes)

    def through(self, side: str) -> int:
        """3.3(1) Hexes through which a side's LOC may pass: no enemy unit, and no EZOC without a friendly unit (R-09)."""
        enemy, mine = self.zones(ENEMY[side]), self.zones(side)
        return lines.empty_of(enemy.pieces) & (lines.empty_of(enemy.count) | lines.hexes_of(mine.pieces))

    def loc(self, side: str) -> int:
        """3.3, R-10 Every hex that a side's LOC reaches, as a set of `lines`; it may end in an EZOC (3.3(1))."""
        key = ("loc", side)
        found = self.memo.get(key)
        if found is None:
            data = self.data
            through, into = self.through(side), lines.empty_of(self.zones(ENEMY[side]).pieces)
            if side == AXIS:
                starts = self.sources(side) & data_rail(data)
                found = lines.reached_off(data.rail_spread, data.land_spread, starts, through, into, data.off_rail)
            else:
                found = lines.reached(data.land_spread, self.sources(side), through, into)
            self.memo[key] = found
        return int(found)

    def has_loc(self, side: str, i: int) -> bool:
        """3.3 Whether a LOC of the side reaches a hex."""
        return bool(self.loc(side) >> i & 1)

    def ways_home(self, side: str) -> Levels:
        """R-25 D1: the length of the shortest LOC from each hex, the hex itself taken as passable."""
        key = ("D1", side)
        found = self.memo.get(key)
        if found is None:
            data = self.data
            through, into = self.through(side), lines.empty_of(self.zones(ENEMY[side]).pieces)
            starts = self.sources(side)
            if side == AXIS:
                starts &= data_rail(data)
                made = lines.levels_off(data.rail_spread, data.land_spread, starts, through, into, data.off_rail)
            else:
                made = lines.levels(data.land_spread, starts, through, into)
            # a source that is itself no way through is still no step from itself
            found = self.memo[key] = Levels((made.at[0] | starts & into, *made.at[1:]))
        return found

    def ways_back(self, side: str) -> Levels:
        """R-25 D2: the same ignoring EZOCs and the limit off the railway."""
        key = ("D2", side)
        found = self.memo.get(key)
        if found is None:
            into = lines.empty_of(self.zones(ENEMY[side]).pieces)
            found = self.memo[key] = lines.levels(self.data.land_spread, self.sources(side), into, into)
        return found


def data_rail(data: Data) -> int:
    """R-10 The hexes of sources that lie on a railway."""
    return lines.set_of(i for side in SIDES for i in data.sources[side] if data.rail[i])


def field_of(data: Data, places: Mapping[str, int]) -> Field:
    """The field of units in the hexes given, built from scratch."""
    stacks: dict[int, tuple[str, ...]] = {}
    for name, i in sorted(places.items()):
        stacks[i] = (*stacks.get(i, ()), name)
    return Field(data, stacks)


@frozen(slots=False)
class Cup:
    """The command chits (6.0, 7.0). A side's chosen chits are a secret with that side as reader, and so is whether Guderian is kept.

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
    `units`     what is activated, the HQ among them, in order of ids; range was measured once (8.2(1))
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
    `ground`            positions at the moment the retreat began, from which its direction is judged (R-25)
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
    """A reinforcement command in progress (12.0): what may still be taken from the available box, and Guards still to convert (15.2)."""

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
    """Everything that happens in one game. Made anew by `changed` only (a plain dictionary copy, the quickest way)."""

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
        """2.21(2)5 (attack, defence) on the face that a unit shows; 10.3(1)3, 11.1(2) supply does not alter it."""
        return self.data.types[name].strength(self.units[name].reduced)

    def steps(self, name: str) -> int:
        """2.21(3), R-05 Steps that a unit can still lose."""
        return self.data.types[name].steps(self.units[name].reduced)

    def allowance(self, name: str) -> int:
        """9.2(1)1 Half points for one move; 15.1(2), R-02, R-42 a unit of RESERVE out of every range has half, rounded down."""
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
    made = object.__new__(State)
    inside = made.__dict__
    inside.update(state.__dict__)
    inside.update(changes)
    return made


def relocated(state: State, name: str, at: int, where: str = "", *, fresh: bool = False) -> State:
    """The state with one unit in another hex, or off the map (OFF_MAP and where); `fresh`: on its full face."""
    old = state.units[name]
    units = dict(state.units)
    units[name] = Unit(at, where, old.reduced and not fresh)
    return changed(state, units=units, field=state.field.moved(name, old.at, at))
