"""OCS 8: overruns.

OCS 8.0 A hex with enemy combat units is overrun from next to it in movement segments. This is the
sequence of 9.2 with its own row of the Surprise Table. If it empties, all overrunning units have to
enter (advance.py). OCS 8.1 Units that overrun are attack-capable, began the phase stacked together,
and are in Combat, Move or Exploit mode (a released Reserve by its shown side). OCS 8.1a It costs 3
MP, and OCS 8.1b entering may not cost more than that, OCS 8.1c off roads and bridges. OCS 8.1d One
hex each, as often as it can be paid. OCS 8.1f A hex retreated ends the movement (retreat.py). OCS
8.1g-h Others in the hex count only for stacking.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog, stacking, staying, zones
from warledger.engine.games.ocs.ch04_concepts.concepts import attack_capable
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch06_movement.movement import (
    UnderWay,
    awaiting,
    interrupted,
    joins,
    set_aside,
)
from warledger.engine.games.ocs.ch09_combat import attacks, combat
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch09_combat.combat_segment import foretold
from warledger.engine.games.ocs.ch12_supply import bills, fuel, payment, payment_means, points
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, State, changed
from warledger.engine.games.ocs.series.tables import OVERRUN
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Many, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.lazy import Lazy
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Say, event
from warledger.protocol.board.choices import refuse, say


@event("ocs.overrun")
class OverrunDeclared:
    """OCS 8.1a Units pay `spent` parts of movement each to overrun a hex."""

    side: str
    units: Any
    start: str
    target: str
    spent: int


after = ByEvent()


@after(OverrunDeclared)
def _declared(state: State, event: OverrunDeclared) -> State:
    units = state.units
    return changed(
        state,
        {
            name: replace(
                units[name],
                spent=units[name].spent + event.spent,
                began=units[name].at if units[name].began == OFF_MAP else units[name].began,
            )
            for name in fog.plain(event.units)
        },
    )


def cost(state: State) -> int:
    """OCS 8.1a Parts of movement that an overrun costs."""
    return int(state.charts.printed.chart["movement"]["overrun"]) * state.charts.parts


def why_not_unit(state: State, name: str, target: int) -> Refusal | None:
    """OCS 4.4a, 8.1 Why a unit may not overrun a hex next to it; None if it may, as far as it alone
    goes."""
    unit, counter, board = state.units[name], state.counter(name), state.charts.board
    if not attack_capable(counter, unit) or not modes.TABLE[unit.mode].overrun:
        return refuse("OCS 8.1", "refusal.ocs.cannot_overrun", unit=name)
    if unit.at < 0 or not hexsets.has(board.near[target], unit.at):
        return refuse("OCS 8.0", "refusal.ocs.not_adjacent", unit=name, hex=board.name(target))
    if unit.finished:
        return refuse("OCS 6.1f", "refusal.ocs.has_moved", pick=name)
    if modes.left(state, name) < cost(state):
        return refuse("OCS 8.1a", "refusal.ocs.no_points_to_overrun", unit=name)
    game = rules(state.charts)
    if hexsets.has(game.barred(state, name), target):
        clause = game.barred_by(state, name, target)
        return refuse(clause, "refusal.ocs.prohibited", unit=name, hex=board.name(target))
    entering = movement_range.overrun_cost(state, name, target)
    outside = board.every & ~state.charts.scenario.play
    if entering is None or entering > cost(state) or hexsets.has(outside, target):
        return refuse("OCS 8.1b", "refusal.ocs.overrun_terrain", unit=name, hex=board.name(target))
    return None


def why_not(state: State, names: Sequence[str], target: int) -> Refusal | None:
    """OCS 8.0, 8.1 Why these units may not overrun a hex together, what it costs apart; None if
    they may."""
    board = state.charts.board
    if not names:
        return refuse("OCS 8.1", "refusal.ocs.nobody")
    side, units = state.side(names[0]), state.units
    if not hexsets.has(state.field.combat[state.enemy(side)], target):
        return refuse("OCS 8.0", "refusal.ocs.no_target", hex=board.name(target))
    for name in names:
        found = why_not_unit(state, name, target)
        if found is not None:
            return found
    starts = {units[n].at if units[n].began == OFF_MAP else units[n].began for n in names}
    if len({units[n].at for n in names}) > 1:
        return refuse("OCS 8.1", "refusal.ocs.not_stacked", unit=names[0])
    if len(starts) > 1:
        return refuse("OCS 8.1", "refusal.ocs.not_begun_together", unit=names[-1])
    if not stacking.fits(state, names, units[names[0]].at):
        return refuse("OCS 8.1g", "refusal.ocs.stacking", unit=names[0])
    return None


def why_not_supplied(state: State, names: Sequence[str], target: int) -> Refusal | None:
    """OCS 9.5, 12.5a Why these units cannot pay for an overrun of a hex; None if they can."""
    bill = attacks.attack_bill(state, names, target)
    if not attacks.can_pay(state, bill):
        return refuse("OCS 9.5", "refusal.ocs.no_combat_supply", tokens=bill.cost)
    if not fuelled_too(state, names, target):
        return refuse("OCS 12.5a", "refusal.ocs.no_fuel_to_overrun", unit=names[0])
    return None


def begin(table: Table[State], units: Sequence[str], target: int) -> None:
    """OCS 8.1a These units, against which `why_not_overrun` says nothing, pay for an overrun and
    make it: the sequence of the combat is put on top of the flow. When it is over `state.battle`
    is None, and the units stand where it has left them: in the target, in their hex, or with their
    movement finished (8.1f)."""
    state = table.state
    names = tuple(sorted(units))
    side, at = state.side(names[0]), state.units[names[0]].at
    board = state.charts.board
    table.emit(
        OverrunDeclared(
            side,
            fog.hidden(state, side, names),
            board.name(at),
            board.name(target),
            cost(state),
        )
    )
    defenders = state.combat_units(target)
    combat.begin(table, Battle(OVERRUN, side, target, {at: names}, defenders))


# --- the command ----------------------------------------------------------------------------------


@frozen
class Overrunning:
    """OCS 8.0 The hex and the units that overrun it."""

    hex: str = ""
    units: tuple[str, ...] = ()


def fuelled_too(state: State, names: Sequence[str], target: int) -> bool:
    """OCS 12.5a, 9.5 Whether fuel for these units and the combat supply of their overrun can both
    be had. Once fuel has been paid, for which internal stocks do not serve (12.5g), these may stand
    in for missing supply."""
    dry = fuel.dry(state, names)
    if not dry:
        return True
    costs = state.charts.tables.costs
    bill = attacks.attack_bill(state, names, target)
    shares = dict(zip(bill.payers, bill.shares, strict=True))
    payers = tuple(name for name in names if name in shares or name in dry)
    owed = tuple(
        shares.get(name, 0) + (costs["fuel_unit_t"] if name in dry else 0) for name in payers
    )
    if payment_means.payable(
        state,
        bill.side,
        payers,
        sum(owed),
        shares=owed,
        purpose=bill.purpose,
        target=target,
    ):
        return True
    if not bill.stocks or not fuel.can_fuel(state, names):
        return False
    first = fuel.singly(state, names)
    assert first is not None, "they are dry"
    return attacks.can_pay(points.spent(state, bill.side, payment.plan(state, first)), bill)


def why_not_overrun(state: State, names: Sequence[str], target: int) -> Refusal | None:
    """OCS 8.1, 6.1g, 12.5a Why these units may not overrun a hex as their next act; None if they
    may."""
    for name in names:
        if state.units[name].finished:
            return refuse("OCS 6.1f", "refusal.ocs.has_moved", pick=name)
        if name in state.phase_use.held:
            return staying.refusal(state, name)
        if not awaiting(state, name):
            return refuse("OCS 8.1a", "refusal.ocs.no_points_to_overrun", unit=name)
        if fuel.spares(state, name):
            return refuse(fuel.sparing_clause(state), "refusal.ocs.sparing_overrun", unit=name)
    for number, name in enumerate(names[1:], 1):
        if not joins(state, names[:number], name):
            here = state.units[name].at == state.units[names[0]].at and name not in names[:number]
            key = "not_begun_together" if here else "not_stacked"
            return refuse("OCS 8.1", f"refusal.ocs.{key}", unit=name)
    found = why_not(state, names, target)
    if found is not None:
        return found
    # OCS 4.5b, 6.1g Who was under way is done now, and may negate a zone for a path of supply; who
    # overruns does not.
    return why_not_supplied(set_aside(state, names), names, target)


@remembered()
def victims(state: State) -> tuple[int, ...]:
    """OCS 8.0 Hexes that some unit of the side that acts may overrun now, alone at least."""
    return tuple(_victims(state))


def _victims(state: State) -> Iterator[int]:
    return (
        target
        for target in _near_enemies(state)
        if any(True for _ in _overrunners(state, target, ()))
    )


@remembered()
def _near_enemies(state: State) -> tuple[int, ...]:
    """Hexes with enemy combat units next to those of the side that acts."""
    side = zones.mover(state)
    near = hexsets.widened(state.field.combat[side], state.charts.board.near)
    return hexsets.listed(state.field.combat[state.enemy(side)] & near)


@remembered()
def anybody(state: State) -> bool:
    """OCS 8.0 Whether any unit of the side that acts may overrun now."""
    return any(True for _ in _victims(state))


def overrunners(state: State, target: int, names: tuple[str, ...] = ()) -> tuple[str, ...]:
    """OCS 8.1 Units that may overrun a hex, together with these."""
    return tuple(_overrunners(state, target, names))


def _overrunners(state: State, target: int, names: tuple[str, ...]) -> Iterator[str]:
    side = zones.mover(state)
    return (
        name
        for i in hexsets.listed(state.charts.board.near[target])
        if state.holder(i) == side
        for name in state.combat_units(i)
        if name not in names and why_not_overrun(state, (*names, name), target) is None
    )


def commands() -> Commands[State]:
    """OCS 8.0 overrun HEX UNITS …: for the step in which a side moves."""
    return (
        Command(
            "overrun",
            Overrunning,
            Slot(
                "hex",
                "ocs.hex",
                _hexes,
                _why_not_hex,
            ),
            Many("units", "ocs.unit", _units, _why_not_unit),
            apply=_overrun,
            preview=_preview,
            when=lambda asked: anybody(asked.state),
            why=lambda asked: refuse("OCS 8.0", "refusal.ocs.no_overrun"),
        ),
    )


def _hexes(asked: Asked[State], order: Overrunning) -> Lazy:
    state = asked.state
    board = state.charts.board

    def has(pick: Pick) -> bool:
        i = board.map.grid.index.get(pick, -1) if isinstance(pick, str) else -1
        return i in _near_enemies(state) and any(True for _ in _overrunners(state, i, ()))

    return Lazy(lambda: map(board.name, victims(state)), has)


def _units(asked: Asked[State], order: Overrunning) -> Lazy:
    state, names = asked.state, order.units
    target = state.charts.board.hex(order.hex)

    def has(pick: Pick) -> bool:
        return (
            isinstance(pick, str)
            and pick in state.units
            and pick not in names
            and state.counter(pick).combat_unit
            and state.side(pick) == zones.mover(state)
            and why_not_overrun(state, (*names, pick), target) is None
        )

    return Lazy(lambda: overrunners(state, target, names), has)


def _why_not_hex(asked: Asked[State], order: Overrunning, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    i = state.charts.board.map.grid.index.get(name, -1)
    if i < 0:
        return refuse("OCS 8.0", "refusal.ocs.no_hex", hex=name)
    if not hexsets.has(state.field.combat[state.enemy(asked.seat)], i):
        return refuse("OCS 8.0", "refusal.ocs.no_target", hex=name)
    return refuse("OCS 8.1", "refusal.ocs.nobody_overruns", hex=name)


def _why_not_unit(asked: Asked[State], order: Overrunning, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    if name not in state.units or state.side(name) != asked.seat or name in order.units:
        return refuse("OCS 8.1", "refusal.ocs.not_a_unit", unit=name)
    found = why_not_overrun(state, (*order.units, name), state.charts.board.hex(order.hex))
    return found or refuse("OCS 8.1", "refusal.ocs.not_a_unit", unit=name)


def _preview(asked: Asked[State], order: Overrunning) -> tuple[Say, ...]:
    """What can be said of the overrun as of an attack, and what fuel its units have yet to pay."""
    if not order.units:
        return ()
    state = asked.state
    told = foretold(state, asked.seat, state.charts.board.hex(order.hex), order.units)
    bill = fuel.singly(state, order.units)
    if bill is None:
        return told
    owed = say(
        "preview.ocs.fuel",
        "OCS 12.5c",
        what=bill.payers[0],
        tokens=bills.charged(state, bill).cost,
        units=bill.payers,
    )
    return (*told, owed, *payment.reckoned(state, bill))


def _overrun(table: Table[State], asked: Asked[State], order: Overrunning) -> None:
    """OCS 6.1g, 8.1 It is part of the units' move; those that do not take part are left behind."""
    names = order.units
    interrupted(table, names)
    state = table.state
    table.emit(UnderWay(asked.seat, fog.hidden(state, asked.seat, names), ()))
    fuel.supply_singly(table, names)
    begin(table, names, state.charts.board.hex(order.hex))
