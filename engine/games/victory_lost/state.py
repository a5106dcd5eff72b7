"""The state of a game of A Victory Lost: what stands where, in which condition, and how far an execution of command has come.

Frozen throughout. `Field` holds what is derived from positions (who stands in a hex, zones of control) and is carried along by evolve,
piece by piece; its costly views are worked out at most once for each value. Hexes are grid indices; ids stand only in events.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import attrs
from attrs import field, frozen

from engine.board.paths import Conditions
from engine.board.tracing import Net
from engine.board.zones import Zones, zones
from engine.games.chitpull import lines, ways
from engine.games.chitpull.sides import AXIS, ENEMY, SIDES, SOVIET
from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost.data import Data
from protocol.seal import Secret

IN_SUPPLY, OUT_OF_SUPPLY, SURROUNDED = 0, 1, 2
"""10.2 The states of supply; 10.2.1 in supply nothing is changed. Everything starts so (10.1.5)."""

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


@frozen
class Counter:
    """One unit or HQ: its hex (OFF_MAP when elsewhere), where it is instead, whether it shows its reduced face, its supply state."""

    at: int = OFF_MAP
    where: str = ""
    reduced: bool = False
    supply: int = IN_SUPPLY


class Field:
    """What stands in each hex, on one turn. `stacks[hex]` are the counters there, units before HQs, each in order of ids.

    `axis` and `soviet` count units a hex and the occupied hexes whose zone covers a hex (6.0.3); `axis_hqs` and `soviet_hqs` HQs a hex.

    A field is made by `field_of`, `moved` and `on_turn` and never changes. One that comes from another only notes what moved: its tables
    are made when somebody first asks for one, from those of the last field that has any. Folding a log thus makes none but the last.
    """

    data: Data
    pocket_closed: bool
    turn: int
    stacks: Mapping[int, tuple[str, ...]]
    axis: Zones
    soviet: Zones
    axis_hqs: bytes
    soviet_hqs: bytes
    _step: "tuple[Field, str, int, int]"
    """Where it comes from, and the counter that moved from one hex to another; gone once the tables are made."""
    _counters: "Mapping[str, Counter]"
    """What the tables are made from where the field has forgotten where it comes from."""
    _behind: int
    """Fields back to the last one with tables."""

    def __getattr__(self, name: str) -> Any:
        """The tables, made when first asked for."""
        if name not in _TABLES:
            raise AttributeError(name)
        self._make()
        return self.__dict__[name]

    def _make(self) -> None:
        mine = self.__dict__
        if "stacks" in mine:
            return
        if "_counters" in mine:
            on_map = {name: counter.at for name, counter in self._counters.items() if counter.at != OFF_MAP}
            mine.update(field_of(self.data, self.turn, on_map).__dict__)
            return
        # A table is put in place before the step is dropped, so that another thread finds the one or the other.
        steps = []
        at = self
        while (step := at.__dict__.get("_step")) is not None:
            steps.append(step[1:])
            at = step[0]
        at._make()
        making = _Tables(self.data, at.__dict__)
        for name, a, b in reversed(steps):
            making.move(name, a, b)
        mine.update(making.made(), _behind=0)
        mine.pop("_step", None)

    def zones(self, side: str) -> Zones:
        """A side's units by hex and its zones of control, which bear on supply, movement, retreat and reinforcement (6.0.2)."""
        return self.axis if side == AXIS else self.soviet

    def hqs(self, side: str) -> bytes:
        """A side's HQs by hex."""
        return self.axis_hqs if side == AXIS else self.soviet_hqs

    def in_enemy_zone(self, side: str, i: int) -> bool:
        """6.0 Whether a hex lies in a zone of control of the side's enemy. R-39: pocket hexes know no zones while they are closed."""
        return self.zones(ENEMY[side]).count[i] != 0 and not (self.pocket_closed and i in self.data.pocket)

    def closed(self, i: int) -> bool:
        """13.0 Whether a hex is in the pocket and the pocket is out of play."""
        return self.pocket_closed and i in self.data.pocket

    def lone_hq(self, side: str, i: int) -> str:
        """12.1 The HQ of a side that stands in a hex without a unit of its side, or ""."""
        if self.hqs(side)[i] and not self.zones(side).pieces[i]:
            return next(name for name in self.stacks[i] if self.data.types[name].hq and self.data.types[name].side == side)
        return ""

    def moved(self, name: str, a: int, b: int) -> "Field":
        """With a counter gone from hex a (OFF_MAP: from off the map) to hex b (OFF_MAP: taken off the map)."""
        if a == b:
            return self
        inside = self.__dict__
        # Past positions are kept for takebacks; what was worked out for them would cost far more room than they do.
        memo = inside.get("memo")
        if memo:
            memo.clear()
        made = object.__new__(Field)
        new = made.__dict__
        new["data"], new["pocket_closed"], new["turn"] = inside["data"], inside["pocket_closed"], inside["turn"]
        new["_step"] = (self, name, a, b)
        new["_behind"] = inside["_behind"] + 1
        return made

    def anchored(self, counters: "Mapping[str, Counter]") -> "Field":
        """The same field; one that is far behind its last tables forgets them, to be made from the counters when it is asked."""
        if self.__dict__["_behind"] < BEHIND_MAX:
            return self
        made = object.__new__(Field)
        made.__dict__.update(data=self.data, pocket_closed=self.pocket_closed, turn=self.turn, _counters=counters, _behind=0)
        return made

    def on_turn(self, turn: int) -> "Field":
        """The same positions on another turn: sources and the pocket may open."""
        made = object.__new__(Field)
        self._make()
        made = object.__new__(Field)
        made.__dict__.update(self.__dict__, pocket_closed=turn <= self.data.pocket_until, turn=turn)
        made.__dict__.pop("memo", None)
        return made

    # --- views, worked out once ---------------------------------------------------------------------------------------------

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Answers already worked out for these positions (one counter's reach, say): nothing but functions of this value."""
        return {}

    def conditions(self, side: str, *, hq: bool, zones_closed: bool = False) -> Conditions:
        """8.0 What stands in the way of a side's mover. Units stop in the hex of a lone enemy HQ (12.1: an overrun interrupts the move),
        HQs may not enter it (R-16). `zones_closed`: enemy zones may not be entered (8.3.1)."""
        key = ("conditions", side, hq, zones_closed)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self._conditions(side, hq, zones_closed)
        return found

    def _conditions(self, side: str, hq: bool, zones_closed: bool) -> Conditions:
        enemy = self.zones(ENEMY[side])
        flags = ways.flags(
            (enemy.count, ways.BARRED_ZONE if zones_closed else ways.IN_ZONE),
            (enemy.pieces, ways.BARRED),
            (self.hqs(ENEMY[side]), ways.BARRED if hq else ways.HALT),
            also=self.data.pocket_mask & self.data.closed_mask if self.pocket_closed else 0,
        )
        return Conditions(flags, self.data.zone_enter, self.data.zone_leave)

    def supply(self, side: str) -> "SupplyLines":
        """10.1 Every hex's supply line to the nearest friendly source, on this turn (R-18).

        10.1.2: it may not pass enemy counters (R-33: a lone HQ too), nor enemy zones without a friendly unit or HQ.
        """
        key = ("supply", side)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self._supply(side)
        return found

    def _supply(self, side: str) -> "SupplyLines":
        data = self.data
        enemy, mine = self.zones(ENEMY[side]), self.zones(side)
        through = lines.empty_of(enemy.count) | lines.hexes_of(mine.pieces) | lines.hexes_of(self.hqs(side))
        through &= ~(lines.hexes_of(enemy.pieces) | lines.hexes_of(self.hqs(ENEMY[side])))
        if self.pocket_closed:
            through &= ~data.pocket_set
        net = data.supply_net_closed if self.pocket_closed else data.supply_net
        spread = data.supply_spread_closed if self.pocket_closed else data.supply_spread
        levels = lines.levels(spread, lines.set_of(data.sources(side, self.turn)), through, through)
        return SupplyLines(net, levels, sum(levels.at))


@frozen(eq=False)
class SupplyLines:
    """The supply lines of one side at one moment: where they reach, how far they are, and each hex's canonical line."""

    net: Net
    levels: lines.Levels
    within: int

    def reached(self, i: int) -> bool:
        """Whether a supply line leads to a hex."""
        return bool(self.within >> i & 1)

    def distance(self, i: int) -> int:
        """Fewest hexes to a source, -1 where no line leads."""
        return self.levels.distance(i)

    def line(self, i: int) -> tuple[int, ...]:
        """The canonical shortest line from hex i to its source, both included; of equal ways the one by the lowest hexes."""
        found = [i]
        for k in range(self.distance(i) - 1, -1, -1):
            level = self.levels.at[k]
            i = min(n for n in self.net[i] if level >> n & 1)
            found.append(i)
        return tuple(found)


def _stack(data: Data, names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) == 1:
        return names
    return tuple(sorted(names, key=lambda name: (data.types[name].hq, name)))


BEHIND_MAX = 64
"""How many moves a field may be behind, so that a game just folded keeps no long chain of them."""

_TABLES = frozenset(("stacks", "axis", "soviet", "axis_hqs", "soviet_hqs"))


class _Tables:
    """A field's tables in the making: copies of those it starts from, changed move by move. Used inside one call and thrown away."""

    def __init__(self, data: Data, start: Mapping[str, Any]) -> None:
        self._data = data
        self._stacks: dict[int, tuple[str, ...]] = dict(start["stacks"])
        self._zones = {side: start[side] for side in SIDES}
        self._hqs = {AXIS: start["axis_hqs"], SOVIET: start["soviet_hqs"]}
        self._pieces: dict[str, bytearray] = {}
        self._count: dict[str, bytearray] = {}

    def move(self, name: str, a: int, b: int) -> None:
        """One counter from hex to hex; OFF_MAP is anywhere else."""
        data, stacks = self._data, self._stacks
        type_ = data.types[name]
        side = type_.side
        if a != OFF_MAP:
            left = tuple(other for other in stacks[a] if other != name)
            if left:
                stacks[a] = left
            else:
                del stacks[a]
        if b != OFF_MAP:
            present = stacks.get(b)
            stacks[b] = (name,) if present is None else _stack(data, (*present, name))
        if type_.hq:
            hqs = bytearray(self._hqs[side])
            if a != OFF_MAP:
                hqs[a] -= 1
            if b != OFF_MAP:
                hqs[b] += 1
            self._hqs[side] = bytes(hqs)
            return
        if side not in self._pieces:
            self._pieces[side] = bytearray(self._zones[side].pieces)
            self._count[side] = bytearray(self._zones[side].count)
        pieces, count, over = self._pieces[side], self._count[side], data.zones
        if a != OFF_MAP:
            pieces[a] -= 1
            if not pieces[a]:
                for i in over[a]:
                    count[i] -= 1
        if b != OFF_MAP:
            pieces[b] += 1
            if pieces[b] == 1:
                for i in over[b]:
                    count[i] += 1

    def made(self) -> dict[str, Any]:
        """The tables as they are now."""
        for side, pieces in self._pieces.items():
            self._zones[side] = Zones(bytes(pieces), bytes(self._count[side]))
        return {"stacks": self._stacks, **self._zones, "axis_hqs": self._hqs[AXIS], "soviet_hqs": self._hqs[SOVIET]}


def field_of(data: Data, turn: int, places: Mapping[str, int]) -> Field:
    """The field of counters in the hexes given, built from scratch."""
    stacks: dict[int, tuple[str, ...]] = {}
    hqs = {side: bytearray(len(data.board.grid)) for side in SIDES}
    standing: dict[str, list[int]] = {side: [] for side in SIDES}
    for name, i in sorted(places.items()):
        type_ = data.types[name]
        stacks[i] = _stack(data, (*stacks.get(i, ()), name))
        if type_.hq:
            hqs[type_.side][i] += 1
        else:
            standing[type_.side].append(i)
    made = object.__new__(Field)
    made.__dict__.update(
        data=data,
        pocket_closed=turn <= data.pocket_until,
        turn=turn,
        stacks=stacks,
        axis=zones(data.zones, standing[AXIS]),
        soviet=zones(data.zones, standing[SOVIET]),
        axis_hqs=bytes(hqs[AXIS]),
        soviet_hqs=bytes(hqs[SOVIET]),
        _behind=0,
    )
    return made


@frozen(slots=False)
class Cup:
    """The command chits (7.0). A side's chosen chits and the Soviet five are secrets with that side as reader.

    `five`      the Soviet HQ chits of the whole game, once chosen (3.0)
    `stock`     chits of a side that are known to all: the Axis chits in play, and STAVKA; without the Soviet five
    `chosen`    what each side put in the cup this turn, None before
    `ahead`     variant 15.0.2(b): what the Soviets wrote down for the next turn
    `drawn`     chits drawn this turn, in order; they lie in the Used boxes until the next selection
    `removed`   chits removed with their HQ (11.3)
    `shown`     Soviet HQ chits that have been drawn once, in order, and are known to all since
    `in_hand`   the chit being executed, "" if none
    `declined`  whether Manstein was just declined, so that a Manstein drawn next must be executed (7.2.2)
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
class Going:
    """A move that an overrun interrupted (R-16): the counter, its way of moving, half points left."""

    counter: str
    mode: str
    left: int


@frozen(slots=False)
class Activation:
    """An execution of command in progress (4.1.2), or the special combat of turn 1 (chit "").

    `hqs`, `units`  what was activated, in order of ids; range was measured once (7.3.3)
    `box`           off-map box whose counters must enter now (11.2.2), "" if none
    `moved`         counters that have moved in this Movement Step
    `going`         the interrupted move
    `attacked`      units that have taken part in an attack in this Combat Step (9.1.1)
    `targets`       hexes attacked in this Combat Step (9.1.4)
    """

    side: str
    chit: str
    hqs: tuple[str, ...]
    units: tuple[str, ...]
    box: str = ""
    moved: frozenset[str] = frozenset()
    going: Going | None = None
    attacked: frozenset[str] = frozenset()
    targets: frozenset[int] = frozenset()


@frozen
class Flight:
    """9.5 A retreat that the reset of an overrun HQ interrupts (9.5.7): the unit, the HQ that goes with it ("" if none), hexes entered."""

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
    """Everything that happens in one game. Made anew by `changed` only (a plain dictionary copy, the quickest way)."""

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
        """8.1.2 The counter's movement allowance in half points; 10.2.3, R-45: a surrounded unit has half, whole points, rounded down."""
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
    made = object.__new__(State)
    made.__dict__.update(state.__dict__, **changes)
    return made


def relocated(state: State, name: str, at: int, where: str = "") -> State:
    """The state with one counter in another hex, or off the map (OFF_MAP and where)."""
    old = state.counters[name]
    counters = dict(state.counters)
    if at == OFF_MAP:
        counters[name] = Counter(OFF_MAP, where, old.reduced, IN_SUPPLY)
    else:
        counters[name] = Counter(at, "", old.reduced, old.supply)
    return changed(state, counters=counters, field=state.field.moved(name, old.at, at).anchored(counters))


def scored(state: State, side: str, points: int) -> State:
    """14.0.1 The state with points for a side."""
    return state if not points else changed(state, score={**state.score, side: state.score[side] + points})
