"""The position of a game of the series: what stands where, in which mode, and what is in progress.

Frozen throughout; a change copies what it touches. `Field` holds what follows from positions (who
stands in a hex, who blocks it, whose zones reach it) and is carried along by `placed`. Hexes are
grid indices, supply is in T, movement in parts of a point (`Charts.parts`); ids stand in events
alone. Nothing here is hidden or shown: what a seat may see is the chapters' (fog.py).
"""

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Protocol, TypeAlias, cast

import attrs
from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import COMBAT, MOVE, Counter, Face
from warledger.engine.games.ocs.ch06_movement.move_in_progress import Move
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch10_barrage.barrage_in_progress import Fire
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.ch14_air.mission_in_progress import Refit, Sortie
from warledger.engine.games.ocs.series.board import Board
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.scenario import Arrival, Place
from warledger.engine.games.ocs.series.usage import PhaseUse, TurnUse
from warledger.engine.kernel.change import replace, unguarded
from warledger.engine.kernel.drafts import Draft, with_items
from warledger.engine.kernel.memo import Remembering

OFF_MAP = -1

NOT_ARRIVED = "not_arrived"
"""Where a unit is that has yet to come, or that the scenario does not use."""

RESERVE, STRAT, EXPLOIT, DG = "reserve", "strat", "exploit", "dg"
MARKERS = (RESERVE, STRAT, EXPLOIT, DG)
"""OCS 5.2 Modes that a marker shows, over either side of the counter (Strat: the Move side)."""

AIR = "air"
"""OCS 4.7d What has carried a unit that came by air (`Unit.carried`)."""

FULL, LOW, EXHAUSTED = 0, 1, 2
"""OCS 12.10 Internal stocks."""


@unguarded
class Unit:
    """One unit.

    `at`, `where`   its hex; or OFF_MAP and the box, pile or NOT_ARRIVED
    `move_side`     which side of the counter is up (5.2)
    `marker`        its mode's marker, "" for Combat and Move
    `lost`          steps lost
    `stocks`        12.10 FULL, LOW or EXHAUSTED
    `oos`           12.8 marked out of supply
    `cut_turns`     12.8e own Supply Phases in a row without trace
    `load`          T carried, of transport and organic trucks (13.2)
    `extender`      12.7 transport that stands as an extender
    `zone_kept`     5.9c in Exploit mode: it had a zone when it gained the marker
    `released`      5.7b released from Reserve in this phase
    `spent`         parts of movement spent in this phase
    `entered`       6.3b it has gone into a hex in this phase
    `began`         the hex where it began this phase, OFF_MAP while it has not moved (8.1)
    `finished`      6.1 its move in this phase is over
    `fuelled`       12.5c(C) its fuel for this phase is paid
    `attacked`, `barraged`   9.1c, 10.0e it has, in this phase
    `worked`        13.8d it has built or torn down in this phase and may not move
    `carried`       4.7d what has carried it in this phase: "rail", "air" or ""
    `tagged`        the game's own marks for the unit
    """

    at: int = OFF_MAP
    where: str = NOT_ARRIVED
    move_side: bool = False
    marker: str = ""
    lost: int = 0
    stocks: int = FULL
    oos: bool = False
    cut_turns: int = 0
    load: int = 0
    extender: bool = False
    zone_kept: bool = False
    released: bool = False
    spent: int = 0
    entered: bool = False
    began: int = OFF_MAP
    finished: bool = False
    fuelled: bool = False
    attacked: bool = False
    barraged: bool = False
    worked: bool = False
    carried: str = ""
    tagged: str = ""

    @property
    def mode(self) -> str:
        """OCS 5.2 Its one mode."""
        return self.marker or (MOVE if self.move_side else COMBAT)


@unguarded
class Aircraft:
    """OCS 14.1 One aircraft.

    `base`, `where`   its base, a hex or an air box; or None and the pile, or NOT_ARRIVED
    `active`          14.1a
    `lost`            steps lost
    `flown`           14.2e it has flown a mission in this phase
    `seen`            4.9d it has been in air combat since it was active, so that the enemy knows it
    """

    base: Place | None = None
    where: str = NOT_ARRIVED
    active: bool = False
    lost: int = 0
    flown: bool = False
    seen: bool = False


@frozen
class Base:
    """OCS 15.0 An air base on the map."""

    side: str
    level: int


@frozen
class Hedgehog:
    """OCS 16.0 A hedgehog that stands as a marker; those printed on the map are the board's."""

    side: str
    level: int


@frozen
class Coming:
    """OCS 12.8e, 13.6 Pieces that return on a turn in addition to the printed order: from a
    breakout, rebuilt. `how` is the game's word for where they may enter."""

    turn: int
    side: str
    pieces: tuple[str, ...]
    how: str


@frozen
class Gathered:
    """OCS 13.7 A formation marker on the map: its hex, and the units, in order of ids, for which it
    stands: at least one."""

    at: int
    units: tuple[str, ...]


@frozen(slots=False)
class Field(Remembering):
    """What follows from where units stand and which modes they are in.

    `stacks`     hex -> the units there, in order of ids
    `combat`     side -> hexes with a combat unit of that side: they block (12.3d) and negate (4.5b)
    `zoned`      side -> hexes with a unit of that side that exerts a zone (4.5)
    `occupied`   side -> hexes with any unit of that side
    `showable`   hex -> its units of which one may be shown (4.8b C, 4.9a), ("",) where only others
                 stand
    """

    charts: Charts
    stacks: Mapping[int, tuple[str, ...]]
    combat: Mapping[str, Hexes]
    zoned: Mapping[str, Hexes]
    occupied: Mapping[str, Hexes]
    showable: Mapping[int, tuple[str, ...]]

    @cached_property
    def zones(self) -> Mapping[str, Hexes]:
        """OCS 4.5 Side -> hexes in its zones, those of its units and all around, whatever the
        terrain."""
        board = self.charts.board
        return {side: _around(board, hexes) for side, hexes in self.zoned.items()}


@lru_cache(maxsize=64)
def _around(board: Board, hexes: Hexes) -> Hexes:
    """These hexes and all next to them. Most moves leave both sides' zones where they are."""
    return hexsets.widened(hexes, board.near)


@frozen(slots=False)
class State(Remembering):
    """The whole position.

    `turn`, `first`, `phasing`, `segment`   how far play is: the flow names the step, these what
                     rules ask. `segment` is the letter of 2.3 ("c2"), "" between turns
    `ground`, `flight`   17 weather
    `control`        13.3h side -> hexes
    `supply`         side -> place -> T on the ground (12.1); loads are the units'
    `hedgehogs`, `bases`   by hex
    `bridges_down`   hexside slots, both of each, whose printed bridge is destroyed
    `trainbusting`   14.8 hex -> the side that placed the marker
    `markers`        the game's markers by id: places, one for each counter in play
    `marker_count`   how many of a marker are left (goulash, ammunition)
    `opened`, `closed`   entries and sources opened or closed by events, by id
    `arrived`        numbers of the scenario's arrivals that have come
    `coming`         what returns in addition to the printed order
    `fuelled_formations`, `fuelled_hqs`   12.5c(A), (B) until their own next Clean Up
    `spent_sp`       side -> T spent, blown or lost, of all time: supply is conserved (12.1)
    `come_sp`        side -> T that it had at the start and that have arrived since
    `taken_sp`       side -> T captured from the enemy less those that the enemy has captured
    `flags`          the game's own latches by name
    `gathered`       13.7 formation markers on the map: by formation, or by the id of a marker of
                     the game's that takes up any units (`formations`)
    `tops`           4.9a hex -> the unit that the enemy sees there
    `over`           2.3 IV the last turn of the scenario has been played
    `air_tops`       4.9a base -> the active aircraft that the enemy sees there
    `refit`          15.1 a base that is paying for the refit of aircraft
    """

    charts: Charts
    units: Mapping[str, Unit]
    aircraft: Mapping[str, Aircraft]
    field: Field
    turn: int
    first: str
    phasing: str
    segment: str
    ground: str
    flight: str
    control: Mapping[str, Hexes]
    supply: Mapping[str, Mapping[Place, int]]
    hedgehogs: Mapping[int, Hedgehog]
    bases: Mapping[int, Base]
    bridges_down: frozenset[int] = frozenset()
    trainbusting: Mapping[int, str] = attrs.field(factory=dict)
    markers: Mapping[str, tuple[Place, ...]] = attrs.field(factory=dict)
    marker_count: Mapping[str, int] = attrs.field(factory=dict)
    opened: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    arrived: frozenset[int] = frozenset()
    coming: tuple[Coming, ...] = ()
    fuelled_formations: frozenset[str] = frozenset()
    fuelled_hqs: frozenset[str] = frozenset()
    spent_sp: Mapping[str, int] = attrs.field(factory=dict)
    come_sp: Mapping[str, int] = attrs.field(factory=dict)
    taken_sp: Mapping[str, int] = attrs.field(factory=dict)
    phase_use: PhaseUse = attrs.field(factory=PhaseUse)
    turn_use: TurnUse = attrs.field(factory=TurnUse)
    move: Move | None = None
    battle: Battle | None = None
    fire: Fire | None = None
    sortie: Sortie | None = None
    bill: Bill | None = None
    flags: Mapping[str, int | str] = attrs.field(factory=dict)
    tops: Mapping[int, str] = attrs.field(factory=dict)
    over: bool = False
    air_tops: Mapping[Place, str] = attrs.field(factory=dict)
    refit: Refit | None = None
    gathered: Mapping[str, Gathered] = attrs.field(factory=dict)

    # --- what is asked all the time ---------------------------------------------------------------

    def option(self, name: str) -> Any:
        """The value of one of the title's options. Raises KeyError for a name that it does not
        have."""
        return self.charts.options[name]

    def counter(self, name: str) -> Counter:
        """What is printed on a unit, by its id. Raises KeyError for one that the pack lacks."""
        return self.charts.units[name]

    def side(self, name: str) -> str:
        """The side of a unit."""
        return self.charts.units[name].side

    @cached_property
    def formations(self) -> Mapping[str, tuple[str, ...]]:
        """OCS 3.1c, 13.7 Formations -> their units: those printed on counters, less units that a
        marker of the game's has taken up, and that marker with them as its own formation."""
        printed = self.charts.printed.mufs
        taken = {
            marker: one.units for marker, one in self.gathered.items() if marker not in printed
        }
        if not taken:
            return printed
        away = {name for names in taken.values() for name in names}
        left = {muf: tuple(n for n in names if n not in away) for muf, names in printed.items()}
        return {muf: names for muf, names in (*left.items(), *taken.items()) if names}

    def formation(self, name: str) -> str:
        """OCS 3.1c, 13.7 The formation of a unit, "" for none."""
        for marker, one in self.gathered.items():
            if name in one.units:
                return marker
        return self.charts.units[name].muf

    def independent(self, name: str) -> bool:
        """OCS 3.2f Whether a unit is neither multi-step nor in a formation."""
        return self.charts.units[name].independent and not self.formation(name)

    def formation_side(self, formation: str) -> str:
        """OCS 13.7 The side of a formation, or of a marker of the game's."""
        printed = self.charts.printed
        if formation in printed.mufs:
            return self.charts.units[printed.mufs[formation][0]].side
        return printed.markers[formation].side

    def face(self, name: str) -> Face:
        """OCS 5.2 The side of a unit's counter that shows. Raises KeyError when it has none
        printed, which no legal change of mode leads to."""
        face = self.charts.units[name].face(self.units[name].move_side)
        if face is None:
            raise KeyError(f"{name} has no such side")
        return face

    def enemy(self, side: str) -> str:
        """The other side."""
        return self.charts.enemy(side)

    def stack(self, i: int) -> tuple[str, ...]:
        """The ids of the units in the hex of that index, in order of ids; () for none."""
        return self.field.stacks.get(i, ())

    def combat_units(self, i: int) -> tuple[str, ...]:
        """The combat units in a hex (3.0)."""
        units = self.charts.units
        return tuple([name for name in self.stack(i) if units[name].combat_unit])

    def holder(self, i: int) -> str:
        """The side whose units stand in a hex, "" for none."""
        names = self.stack(i)
        return self.charts.units[names[0]].side if names else ""

    def controls(self, side: str, i: int) -> bool:
        """OCS 13.3h Whether a side controls a hex."""
        return hexsets.has(self.control[side], i)

    def due(self, side: str) -> tuple[Arrival, ...]:
        """OCS 13.6 The scenario's arrivals of a side that come by this turn and have not come."""
        return tuple(
            one
            for one in self.charts.scenario.arrivals
            if one.side == side and one.turn <= self.turn and one.number not in self.arrived
        )


# --- changing -------------------------------------------------------------------------------------


def exerts(charts: Charts, name: str, unit: Unit) -> bool:
    """OCS 4.5, R-10 Whether a unit exerts a zone: attack-capable, in Combat mode, not marked OOS;
    5.9c in Exploit mode as before. 12.8d an OOS unit never does."""
    if unit.oos or not charts.units[name].attacks:
        return False
    if unit.marker == EXPLOIT:
        return unit.zone_kept
    return not unit.marker and not unit.move_side


class Topped(Protocol):
    """What is asked here of a game's own rules."""

    def on_top(
        self, charts: Charts, units: Mapping[str, Unit], names: tuple[str, ...]
    ) -> Iterable[str]:
        """OCS 4.9 Units of a hex that lie on top, before all others."""
        ...


def showable(charts: Charts, units: Mapping[str, Unit], names: Iterable[str]) -> tuple[str, ...]:
    """OCS 4.8b C, 4.9a Of the units of a hex those that may be the shown one: those with a zone;
    else attack-capable ones in Combat mode; else all combat units. What the game puts on top comes
    before them."""
    names = tuple(names)
    on_top = tuple(cast(Topped, charts.game).on_top(charts, units, names))
    if on_top:
        return on_top
    counters = charts.units
    found = tuple([name for name in names if counters[name].combat_unit])
    if len(found) < 2:
        return found
    zoned = tuple([name for name in found if exerts(charts, name, units[name])])
    if zoned:
        return zoned
    ready = tuple(
        [
            name
            for name in found
            if counters[name].attacks and not units[name].marker and not units[name].move_side
        ]
    )
    return ready or found


NOBODY = ("",)
"""What `Field.showable` holds of a hex without a combat unit."""


def field_of(charts: Charts, units: Mapping[str, Unit]) -> Field:
    """The field of these units, built from scratch."""
    stacks: dict[int, tuple[str, ...]] = {}
    for name, unit in units.items():
        if unit.at != OFF_MAP:
            stacks[unit.at] = (*stacks.get(unit.at, ()), name)
    combat = dict.fromkeys(charts.sides, 0)
    zoned = dict.fromkeys(charts.sides, 0)
    occupied = dict.fromkeys(charts.sides, 0)
    for i, names in stacks.items():
        stacks[i] = names = tuple(sorted(names))
        # Both sides stand in one hex for the moment of a capture (9.14).
        for name in names:
            side = charts.units[name].side
            occupied[side] |= 1 << i
            if charts.units[name].combat_unit:
                combat[side] |= 1 << i
            if exerts(charts, name, units[name]):
                zoned[side] |= 1 << i
    seen = {i: showable(charts, units, names) or NOBODY for i, names in stacks.items()}
    return Field(charts, stacks, combat, zoned, occupied, seen)


def changed(state: State, changes: Mapping[str, Unit], /, **others: Any) -> State:
    """The position with these units as given, wherever they now stand; the field follows. One copy,
    however many units change; `others` are fields of the position that change with them."""
    if not changes:
        return replace(state, **others) if others else state
    old = state.units
    went: list[Went] = []
    touched: set[int] = set()
    for name, unit in changes.items():
        before = old[name]
        if before.at != unit.at:
            went.append((name, before.at, unit.at))
            touched.add(before.at)
            touched.add(unit.at)
        elif (
            before.marker != unit.marker
            or before.move_side != unit.move_side
            or before.oos != unit.oos
            or before.zone_kept != unit.zone_kept
        ):
            touched.add(unit.at)
    touched.discard(OFF_MAP)
    units = with_items(old, changes)
    if not touched:
        return replace(state, units=units, **others)
    if went and state.gathered:
        others["gathered"] = _followed(state, units)
    field: Any = state.field
    if type(field) is FieldDraft:
        field.change(went, touched)
    else:
        stacks = field.stacks
        if went:
            stacks = dict(stacks)
            _restack(stacks, went)
        field = _refreshed(field, stacks, units, touched)
    return replace(state, units=units, field=field, **others)


Went: TypeAlias = tuple[str, int, int]
"""A unit, the hex that it left and the one where it stands now, OFF_MAP for neither."""


def _restack(stacks: dict[int, tuple[str, ...]], went: Iterable[Went]) -> None:
    """Put units where they stand now."""
    for name, start, to in went:
        if start != OFF_MAP:
            left = tuple([other for other in stacks[start] if other != name])
            if left:
                stacks[start] = left
            else:
                del stacks[start]
        if to != OFF_MAP:
            there = stacks.get(to)
            stacks[to] = tuple(sorted((*there, name))) if there else (name,)


Sets: TypeAlias = tuple[dict[str, Hexes], dict[str, Hexes], dict[str, Hexes]]
"""`Field.combat`, `zoned` and `occupied`."""


def _refreshed(
    field: Field,
    stacks: Mapping[int, tuple[str, ...]],
    units: Mapping[str, Unit],
    touched: Iterable[int],
) -> Field:
    """The field of these stacks, of which all but the touched hexes are as they were."""
    sets = dict(field.combat), dict(field.zoned), dict(field.occupied)
    _count(field.charts, stacks, units, touched, sets)
    seen = _seen(field.charts, stacks, units, touched, field.showable)
    return Field(field.charts, stacks, *sets, seen)


def _count(
    charts: Charts,
    stacks: Mapping[int, tuple[str, ...]],
    units: Mapping[str, Unit],
    touched: Iterable[int],
    sets: Sets,
) -> None:
    """Correct the sets of hexes in the touched hexes."""
    combat, zoned, occupied = sets
    elsewhere = ~hexsets.of(touched)
    for held in sets:
        for side in charts.sides:
            held[side] &= elsewhere
    for i in sorted(touched):
        names = stacks.get(i)
        if names:
            standing, fighting, zoning = _kinds(charts, units, names)
            bit = 1 << i
            for side in charts.sides:
                if side in standing:
                    occupied[side] |= bit
                if side in fighting:
                    combat[side] |= bit
                if side in zoning:
                    zoned[side] |= bit


def _seen(
    charts: Charts,
    stacks: Mapping[int, tuple[str, ...]],
    units: Mapping[str, Unit],
    touched: Iterable[int],
    showables: Mapping[int, tuple[str, ...]],
) -> Mapping[int, tuple[str, ...]]:
    """`Field.showable` corrected in the touched hexes."""
    seen = dict(showables)
    for i in sorted(touched):
        names = stacks.get(i)
        if names:
            seen[i] = showable(charts, units, names) or NOBODY
        else:
            seen.pop(i, None)
    return seen


class FieldDraft:
    """The field of a position that a run of events changes in place (`drafted`). What follows from
    where units stand is worked out when it is asked for, which few events do: a unit that goes from
    hex to hex touches many of which nobody asks."""

    __slots__ = ("_charts", "_sets", "_showable", "_touched", "_uncounted", "_units", "stacks")

    def __init__(self, field: Field, units: Mapping[str, Unit]) -> None:
        self._charts = field.charts
        self._units = units
        self._sets: Sets = (dict(field.combat), dict(field.zoned), dict(field.occupied))
        self._showable = field.showable
        self._uncounted: set[int] = set()
        self._touched: set[int] = set()
        self.stacks = dict(field.stacks)

    def change(self, went: Iterable[Went], touched: Iterable[int]) -> None:
        """Units have changed in the touched hexes, and some have gone."""
        _restack(self.stacks, went)
        self._uncounted.update(touched)
        self._touched.update(touched)

    def _counted(self) -> Sets:
        if self._uncounted:
            combat, zoned, occupied = self._sets
            self._sets = (dict(combat), dict(zoned), dict(occupied))  # others hold those before
            _count(self._charts, self.stacks, self._units, self._uncounted, self._sets)
            self._uncounted = set()
        return self._sets

    @property
    def combat(self) -> Mapping[str, Hexes]:
        """The value of `Field.combat`."""
        return self._counted()[0]

    @property
    def occupied(self) -> Mapping[str, Hexes]:
        """The value of `Field.occupied`."""
        return self._counted()[2]

    def now(self) -> Field:
        """The field as it is now."""
        if self._touched:
            seen = _seen(self._charts, self.stacks, self._units, self._touched, self._showable)
            self._showable = seen
            self._touched = set()
        return Field(self._charts, dict(self.stacks), *self._counted(), self._showable)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.now(), name)


def drafted(state: State) -> State:
    """The position for a run of events, in which nobody asks for those between: what is large and
    changes with nearly every event is then changed in place. A position that has been changed so
    may not be asked any more, only the one that `evolve` has returned. Ask that only through
    `fair`."""
    units = Draft(state.units)
    field: Any = FieldDraft(state.field, units)
    return replace(state, units=units, field=field, tops=Draft(state.tops))


def fair(state: State) -> State:
    """A drafted position as it stands now, to be kept."""
    field: Any = state.field
    return replace(state, units=dict(state.units), field=field.now(), tops=dict(state.tops))


def _kinds(
    charts: Charts, units: Mapping[str, Unit], names: Iterable[str]
) -> tuple[set[str], set[str], set[str]]:
    """The sides of which some of these units of one hex stand there, are combat units, and exert a
    zone."""
    standing: set[str] = set()
    fighting: set[str] = set()
    zoning: set[str] = set()
    counters = charts.units
    for name in names:
        counter = counters[name]
        side = counter.side
        standing.add(side)
        if counter.combat_unit:
            fighting.add(side)
        if side not in zoning and exerts(charts, name, units[name]):
            zoning.add(side)
    return standing, fighting, zoning


def _followed(state: State, units: Mapping[str, Unit]) -> Mapping[str, Gathered]:
    """OCS 13.7 Formation markers once units have gone: [R] a marker goes with its unit that the
    enemy sees, else it stays with those who stay, else where most of its units are. Units elsewhere
    have left it, which costs nothing."""
    found = {}
    for marker, one in state.gathered.items():
        where: dict[int, tuple[str, ...]] = {}
        for name in one.units:
            at = units[name].at
            if at != OFF_MAP:
                where[at] = (*where.get(at, ()), name)
        top = state.tops.get(one.at, "")
        seen = units[top].at if top in one.units else OFF_MAP
        most = max(where, key=lambda at: len(where[at]), default=OFF_MAP)
        at = next((at for at in (seen, one.at, most) if at in where), OFF_MAP)
        if at != OFF_MAP:
            found[marker] = Gathered(at, where[at])
    return found


def placed(state: State, names: Iterable[str], at: int) -> State:
    """The position with these units in a hex of the map."""
    return changed(state, {name: replace(state.units[name], at=at, where="") for name in names})


def removed(state: State, names: Iterable[str], where: str) -> State:
    """The position with these units in a box or pile, as they come off the map."""
    return changed(
        state, {name: replace(state.units[name], at=OFF_MAP, where=where) for name in names}
    )


def with_supply(state: State, side: str, place: Place, tokens: int) -> State:
    """The position with `tokens` T more (or fewer) of a side on the ground at a place. Raises
    ValueError when fewer than none would lie there."""
    lying = state.supply[side]
    left = lying.get(place, 0) + tokens
    if left < 0:
        raise ValueError(f"there are only {lying.get(place, 0)}T at {place}")
    there = {key: value for key, value in lying.items() if key != place}
    if left:
        there[place] = left
    return replace(state, supply={**state.supply, side: there})


def taken_by(state: State, side: str, hexes: Hexes) -> State:
    """OCS 13.3h The position with these hexes controlled by a side."""
    enemy = state.enemy(side)
    return replace(
        state,
        control={side: state.control[side] | hexes, enemy: state.control[enemy] & ~hexes},
    )
