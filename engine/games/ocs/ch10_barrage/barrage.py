"""OCS 10: barrages, as questions about a position, and the shells as they fall.

OCS 10.0 Strengths are added up and give a column, which the barrage pays for if it is artillery's.
Then the column is shifted and the dice are rolled. OCS 10.0e One barrage a hex and phase, whatever
it is aimed at, hip shoots excepted; a unit fires once a phase. The steps that ask are
`bombardment`'s, missions are the aircraft's own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.ch04_concepts.concepts import re
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch09_combat import losses, terrain
from warledger.engine.games.ocs.ch09_combat.results import Shelling
from warledger.engine.games.ocs.ch10_barrage.barrage_in_progress import AIR, BASE, UNITS, Fire
from warledger.engine.games.ocs.ch14_air import aircraft
from warledger.engine.games.ocs.ch16_hedgehogs import hedgehogs
from warledger.engine.games.ocs.series import events as e
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import STRAT, State, changed
from warledger.engine.games.ocs.series.tables import CLOSE, EXTREMELY_CLOSE, VERY_CLOSE, Columns
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Say, event
from warledger.protocol.board.choices import say

COMBAT_PHASE, RELEASED_ONLY = "f1", ("e2", "g2")
"""OCS 2.3, 10.0e Segments in which artillery fires: all of it in the Combat Phase, what is released
from Reserve in Reaction and Exploitation."""

LOWER_COLUMN = "lower_column"
"""The option by which a barrage may be fired on a lower column than its strength gives."""

REACTIVE = "reactive_artillery"
"""OCS 21.9 The option by which artillery fires in its own Reaction Phase without having been in
Reserve."""

REACTION = "e2"
"""OCS 2.3 The Barrage Segment of the Reaction Phase."""

STURDY = 3
"""OCS 10.0a The level of hedgehog against which a bracketed result takes no step."""

WHY = "barrage"
"""Why steps are lost (`StepsLost.why`)."""


# --- events ---------------------------------------------------------------------------------------


@event("ocs.barrage")
class BarrageDeclared:
    """OCS 10.0d A barrage is announced: by whom is hidden, at what it is aimed is not."""

    side: str
    kind: str
    units: Any
    aim: str
    hex: str
    column: int


@event("ocs.barrage_void")
class BarrageVoid:
    """OCS 10.1b Its cost is not paid: it does not take place, and its units have not fired."""


@event("ocs.shells")
class ShellsFallen:
    """OCS 10.0a, R-18 What a barrage has done: its strength, the columns before and after
    shifts, the shifts by name, dice, result, the die for a half (0: none), and the target's steps
    lost."""

    strength: str
    column: str
    shifts: tuple[tuple[str, int], ...]
    shifted: str
    dice: tuple[int, ...]
    result: str
    die: int
    steps: int


@event("ocs.shell_loss")
class ShellLossTaken:
    """OCS 10.0a The target's owner has chosen who takes one of the steps."""


@event("ocs.barrage_over")
class BarrageOver:
    """OCS 10.0 Nothing more follows from the barrage."""


after = ByEvent()


@after(BarrageDeclared)
def _declared(state: State, event: BarrageDeclared) -> State:
    return replace(
        state,
        fire=Fire(
            event.side,
            event.kind,
            tuple(fog.plain(event.units)),
            event.aim,
            state.charts.board.hex(event.hex),
            event.column,
        ),
    )


@after(BarrageVoid, BarrageOver)
def _over(state: State, event: BarrageVoid | BarrageOver) -> State:
    return replace(state, fire=None)


@after(ShellsFallen)
def _fallen(state: State, event: ShellsFallen) -> State:
    """OCS 10.0e The units have fired and the hex has been barraged in this phase. A hip shoot does
    not count against the hex (14.7d), and aircraft have flown (14.2e)."""
    fire = in_progress(state)
    made = replace(state, fire=replace(fire, owed=event.steps))
    if fire.kind == AIR:
        return made
    made = changed(made, {name: replace(made.units[name], barraged=True) for name in fire.units})
    use = made.phase_use
    return replace(made, phase_use=replace(use, barraged=use.barraged | 1 << fire.target))


@after(ShellLossTaken)
def _loss_taken(state: State, event: ShellLossTaken) -> State:
    fire = in_progress(state)
    return replace(state, fire=replace(fire, owed=fire.owed - 1))


def in_progress(state: State) -> Fire:
    """The barrage in progress. Raises AssertionError when there is none."""
    assert state.fire is not None, "no barrage is in progress"
    return state.fire


# --- who may fire, and at what --------------------------------------------------------------------


@remembered()
def gunners(state: State, side: str) -> tuple[str, ...]:
    """OCS 10.0e, 10.1, 11.0 Artillery of a side that may fire in this segment, in order of ids:
    that has not fired in this phase, with at least something to fire. DG halves it (5.10b), OOS
    does not matter (10.1b), in Reserve and Strat it does not fire. OCS 21.9 By the option what is
    in Combat or Move mode fires in the Reaction Phase too."""
    if side != zones.mover(state):
        return ()
    if state.segment != COMBAT_PHASE and state.segment not in RELEASED_ONLY:
        return ()
    all_of_it = state.segment == COMBAT_PHASE
    reacts = state.segment == REACTION and bool(state.charts.options.get(REACTIVE))
    return tuple(
        name
        for name, unit in state.units.items()
        if unit.at >= 0
        and state.charts.units[name].artillery
        and state.side(name) == side
        and not unit.barraged
        and not rules(state.charts).holds_back(state, name)
        and (all_of_it or unit.released or (reacts and not unit.marker))
        and modes.barrage(state, name) > 0
    )


def in_range(state: State, name: str, i: int) -> bool:
    """OCS 10.1a Whether a hex lies in the range of an artillery unit: 1 hex to what is printed,
    whatever the terrain and weather."""
    away = state.charts.board.map.grid.distance(state.units[name].at, i)
    return 1 <= away <= state.counter(name).range


def targets(state: State, side: str, aim: str) -> Hexes:
    """OCS 10.0d, 10.0e Hexes that may be barraged: with enemy combat units, or an enemy air base,
    and not barraged in this phase."""
    enemy = state.enemy(side)
    if aim == UNITS:
        found = state.field.combat[enemy]
    else:
        found = hexsets.of(i for i, base in state.bases.items() if base.side == enemy)
    return found & ~state.phase_use.barraged


def strength(state: State, names: Iterable[str]) -> Fraction:
    """OCS 4.2, 10.0 Barrage points together, fractions added before they are rounded."""
    return sum((modes.barrage(state, name) for name in names), Fraction(0))


def table_of(state: State, aim: str) -> Columns:
    """OCS 10.0a, 10.0c The table that a barrage uses."""
    tables = state.charts.tables
    return tables.barrage if aim == UNITS else tables.facility


def lower_columns(state: State, aim: str, column: int) -> tuple[int, ...]:
    """HR 4.0g Columns below its own on which a barrage may be fired, the highest first; none
    without the option."""
    if not state.charts.options.get(LOWER_COLUMN):
        return ()
    return tuple(range(column - 1, -1, -1))


# --- shifts ---------------------------------------------------------------------------------------


def spotted(state: State, firers: Iterable[str], i: int, *, air: bool = False) -> bool:
    """OCS 10.0b Whether a barrage has a correct spotter: a friendly combat unit adjacent to the
    target, one that the game lets spot for each of those who fire (units, or aircraft). OCS 14.1e
    Nobody spots for strategic bombers."""
    charts, game = state.charts, rules(state.charts)
    near = [name for j in hexsets.listed(charts.board.near[i]) for name in state.combat_units(j)]
    printed = charts.printed.planes
    for firer in firers:
        if air and printed[firer].strategic:
            return False
        side = printed[firer].side if air else charts.units[firer].side
        if not any(
            charts.units[name].side == side and game.spots(charts, name, firer) for name in near
        ):
            return False
    return True


def density(state: State, i: int) -> int:
    """OCS 4.6, 10.0a Quarters of an RE of combat units that count for the shift: of one multi-step
    unit or one formation at most 3 RE."""
    most = state.charts.tables.barrage.density_unit_cap
    together: dict[str, int] = {}
    for name in state.combat_units(i):
        group = state.formation(name) or name
        together[group] = together.get(group, 0) + re(state.counter(name), state.units[name])
    return sum(min(amount, most) for amount in together.values())


def terrain_shift(state: State, side: str, i: int) -> tuple[str, int]:
    """OCS 10.0a The shift for a target's terrain, by name. The targeted player chooses it, and only
    the hardest serves them."""
    shifts = state.charts.tables.barrage.shifts
    row = terrain.row(state, side, i)
    return (row, shifts[row]) if row in (CLOSE, VERY_CLOSE, EXTREMELY_CLOSE) else ("", 0)


def shifts(
    state: State, i: int, *, spotter: bool, short: bool = False, long: bool = False
) -> tuple[tuple[str, int], ...]:
    """OCS 10.0a Every shift of a barrage against the combat units of a hex, by name; each once.
    `short`: all aircraft within 10 hexes of their bases (10.2b); `long`: option 21.4."""
    barrage = state.charts.tables.barrage
    side = state.holder(i)
    found = [("density", barrage.density_shift(density(state, i)))]
    if hedgehogs.level(state, side, i):
        found.append(("hedgehog", barrage.shifts["hedgehog"]))
    found.append(terrain_shift(state, side, i))
    if not spotter:
        found.append(("unspotted", barrage.shifts["unspotted"]))
    if any(state.units[name].marker == STRAT for name in state.combat_units(i)):
        found.append(("strat_target", barrage.shifts["strat_target"]))
    if short:
        found.append(("short_range", barrage.shifts["short_range"]))
    if long:
        found.append(("long_range", barrage.shifts["long_range"]))
    return tuple((name, shift) for name, shift in found if shift)


_UNKNOWN = ("density", "strat_target")
"""OCS 4.9c Shifts that the firing side learns only when the shells fall, under fog."""


def foretold(state: State, moved: Iterable[tuple[str, int]]) -> Iterator[Say]:
    """OCS 10.0a, 4.9c Of these shifts those that the firing side knows before it fires, in words:
    under fog not the target's density and its modes."""
    for name, shift in moved:
        if not (fog.strict(state) and name in _UNKNOWN):
            yield say("ocs.shift", "OCS 10.0a", what=f"ocs.shift.{name}", shift=shift)


# --- results --------------------------------------------------------------------------------------


def half_is_rolled(result: Shelling, *, level: int, air: bool, spotter: bool) -> bool:
    """OCS 10.0a Whether a die is rolled for half a step. A bracketed result is DG alone against a
    hedgehog of level 3 or 4, by aircraft, or without a correct spotter."""
    if not result.half:
        return False
    return not (result.bracket and (level >= STURDY or air or not spotter))


def fall(
    table: Table[State],
    points: Fraction,
    *,
    spotter: bool,
    short: bool = False,
    long: bool = False,
) -> None:
    """OCS 10.0a, 5.10a The shells of the barrage in progress fall on combat units: dice, result,
    DG. The steps are then owed (`Fire.owed`). OCS R-07: the pair first, the die for a half when
    needed."""
    state = table.state
    fire = in_progress(state)
    barrage = state.charts.tables.barrage
    moved = shifts(state, fire.target, spotter=spotter, short=short, long=long)
    column = barrage.shifted(fire.column, sum(shift for _name, shift in moved))
    pair = table.rolls(2, 6, "barrage")
    result = barrage.result(sum(pair), column)
    level = hedgehogs.level(state, state.holder(fire.target), fire.target)
    die = 0
    if hunting(state, fire):
        steps = int(bool(result.half or result.steps))
    elif half_is_rolled(result, level=level, air=fire.kind == AIR, spotter=spotter):
        die = table.roll(6, "barrage_half")
        steps = 1 if die in barrage.half_loses_on else 0
    else:
        steps = result.steps
    table.emit(
        ShellsFallen(
            str(points),
            barrage.heads[fire.column],
            moved,
            barrage.heads[column],
            pair,
            result.text,
            die,
            steps,
        )
    )
    if result.dg:
        modes.disorganise(table, table.state.stack(fire.target))


def fall_on_base(table: Table[State], points: Fraction) -> None:
    """OCS 10.0c The shells of the barrage in progress fall on an air base: it loses levels, down to
    level 1, and a die is rolled for each aircraft there, active or not. No shifts."""
    state = table.state
    fire = in_progress(state)
    facility = state.charts.tables.facility
    die = table.roll(6, "facility")
    damage = facility.result(die, fire.column)
    head = facility.heads[fire.column]
    table.emit(ShellsFallen(str(points), head, (), head, (die,), damage.text, 0, 0))
    base = state.bases[fire.target]
    lowered = max(base.level - damage.levels, 1)
    if lowered < base.level:
        table.emit(e.BaseSet(base.side, state.charts.board.name(fire.target), lowered))
    if not damage.aircraft_on:
        return
    for name in aircraft.based(state, fire.target):
        if table.roll(6, "aircraft_hit") >= damage.aircraft_on:
            losses.lose_plane(table, name, why=WHY)


def fall_on_railway(table: Table[State], points: Fraction) -> bool:
    """OCS 14.8, 10.0c The bombs of the barrage in progress fall on railways and roads. Returns
    whether a trainbusting marker is placed."""
    state = table.state
    fire = in_progress(state)
    facility = state.charts.tables.facility
    die = table.roll(6, "facility")
    damage = facility.result(die, fire.column)
    head = facility.heads[fire.column]
    table.emit(ShellsFallen(str(points), head, (), head, (die,), damage.text, 0, 0))
    return damage.trainbusting


def hunting(state: State, fire: Fire) -> bool:
    """OCS 10.0a Whether the barrage is one of aircraft that hunt for certain units, by the game's
    rules."""
    return fire.kind == AIR and rules(state.charts).hunts(state.charts, fire.units)


def takers(state: State, fire: Fire) -> tuple[str, ...]:
    """OCS 10.0a, 9.11a Combat units of the target that may take a step. The owner chooses freely
    among them, unless the game names who is hunted."""
    found = losses.alive(state, state.combat_units(fire.target))
    if not hunting(state, fire):
        return found
    hunted = rules(state.charts).hunted(state, fire.target)
    return tuple(name for name in found if name in hunted)


def cost(state: State, aim: str, column: int) -> int:
    """OCS 10.1b T that artillery pays for a barrage on a column, before the game's factor."""
    return table_of(state, aim).cost[column]


def column_of(state: State, aim: str, names: Sequence[str]) -> int:
    """OCS 10.0a The column before shifts that these units have together."""
    return table_of(state, aim).column(strength(state, names))


AIMS: Mapping[str, str] = {"barrage": UNITS, "base": BASE}
"""The verbs of artillery barrages and what they are aimed at."""
