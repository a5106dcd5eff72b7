"""OCS 21.1 (option): reconnaissance.

OCS 21.1 A reconnaissance, motorcycle, armoured-car, cavalry or commando unit of at most a regiment
scouts an adjacent hex in a phase in which it moves. For a quarter of its printed MA and 1T it
learns how many steps the combat units there have, and their anti-tank level.

[R] It pays fuel as for any move (12.5a). It is attack-capable and not in DG: a unit in Reserve or
Strat mode cannot scout. The level counts a hedgehog as combat does (9.4e). The enemy sees which hex
is scouted, not by whom. Under open fog there is nothing to learn.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.concepts import attack_capable, steps
from warledger.engine.games.ocs.ch05_modes.modes import left
from warledger.engine.games.ocs.ch06_movement import movement
from warledger.engine.games.ocs.ch09_combat import terrain
from warledger.engine.games.ocs.ch12_supply import bills, fuel, payment, payment_means
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.series.state import DG, OFF_MAP, State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Step, event
from warledger.protocol.board.choices import refuse

OPTION = "recon"
"""OCS 21.1 The option."""

CLAUSE = "OCS 21.1"

SCOUTING = "ocs.scouting"
"""The name of the step in which what has been paid for is learnt."""

PURPOSE = "recon"
"""The purpose of the bill."""

COST, PART_OF_MA = 1, 4
"""OCS 21.1 T, and the part of the printed MA, that it costs."""

KINDS = frozenset({"recon", "motorcycle", "armored_car", "cavalry", "commando"})
SIZES = frozenset({"co", "bn", "rgt"})
"""OCS 21.1 Types of units that scout, and their sizes."""


@event("ocs.recon_begun")
class ReconBegun:
    """OCS 21.1 A unit scouts a hex: the unit, and parts of movement that it spends. Both are its
    owner's to know."""

    side: str
    hex: str
    unit: Any
    spent: Any


@event("ocs.scouted")
class Scouted:
    """OCS 21.1 What a side has learnt of a hex: the steps of its combat units, and their anti-tank
    level. Only that side knows; under fog it is there though nothing was paid, with two zeros."""

    side: str
    hex: str
    steps: Any
    level: Any


after = ByEvent()


@after(ReconBegun)
def _begun(state: State, event: ReconBegun) -> State:
    name, spent = fog.plain(event.unit), fog.plain(event.spent)
    unit = state.units[name]
    began = unit.at if unit.began == OFF_MAP else unit.began
    return changed(state, {name: replace(unit, spent=unit.spent + spent, began=began)})


after.unchanged(Scouted)


# --- who, and what --------------------------------------------------------------------------------


def scouts(state: State, name: str) -> bool:
    """OCS 21.1 Whether a unit is of a type and size that scout."""
    counter = state.counter(name)
    return counter.kind in KINDS and counter.size in SIZES and counter.attacks


def price(state: State, name: str) -> int:
    """OCS 21.1, 6.1h Parts of movement that it costs a unit: a quarter of the MA of the side that
    shows, never rounded down."""
    return -(-state.face(name).ma * state.charts.parts // PART_OF_MA)


def may_scout(state: State, name: str) -> bool:
    """OCS 21.1, 12.5a Whether a unit has the movement and the fuel to scout now."""
    unit = state.units[name]
    return (
        scouts(state, name)
        and attack_capable(state.counter(name), unit)
        and unit.marker != DG
        and movement.movable(state, name)
        and left(state, name) >= price(state, name)
        and movement.fuelled(state, (name,))
    )


def seen_from(state: State, name: str) -> tuple[int, ...]:
    """OCS 21.1 Hexes next to a unit with combat units of the enemy's."""
    enemy = state.field.combat[state.enemy(state.side(name))]
    return hexsets.listed(enemy & state.charts.board.near[state.units[name].at])


@remembered()
def able(state: State, side: str) -> tuple[str, ...]:
    """OCS 21.1 Units of a side that can scout a hex now and pay for it."""
    if not state.charts.options.get(OPTION) or not fog.strict(state):
        return ()
    return tuple(
        name
        for name, unit in state.units.items()
        if unit.at != OFF_MAP
        and state.side(name) == side
        and scouts(state, name)
        and seen_from(state, name)
        and may_scout(state, name)
        and payment_means.payable(state, side, (name,), COST + _fuel(state, name), purpose=PURPOSE)
    )


def _fuel(state: State, name: str) -> int:
    """OCS 12.5a T that a unit still pays before it spends movement."""
    bill = fuel.singly(state, (name,))
    return bill.cost if bill is not None else 0


def learnt(state: State, i: int) -> tuple[int, int]:
    """OCS 21.1, 9.4e The steps of the combat units in a hex, and their anti-tank level."""
    names = state.combat_units(i)
    number = sum(steps(state.counter(name), state.units[name]) for name in names)
    return number, terrain.opposed(state, state.holder(i), i, names)


# --- commands -------------------------------------------------------------------------------------


@frozen
class Scout:
    """OCS 21.1 Who scouts, and the hex."""

    unit: str = ""
    hex: str = ""


def commands() -> Commands[State]:
    """OCS 21.1 scout UNIT HEX: for the step in which units move."""
    return (
        Command(
            "scout",
            Scout,
            Slot("unit", "ocs.unit", _units, _why_not),
            Slot("hex", "ocs.hex", _hexes, _why_not_hex),
            apply=_scout,
            when=lambda asked: bool(able(asked.state, asked.seat)),
            why=_why_none,
        ),
    )


def _units(asked: Asked[State], order: Scout) -> Iterable[str]:
    return able(asked.state, asked.seat)


def _hexes(asked: Asked[State], order: Scout) -> Iterable[str]:
    name = asked.state.charts.board.name
    return [name(i) for i in seen_from(asked.state, order.unit)]


def _why_none(asked: Asked[State]) -> Refusal:
    key = "nobody_scouts" if asked.state.charts.options.get(OPTION) else "no_recon"
    return refuse(CLAUSE, f"refusal.ocs.{key}")


def _why_not(asked: Asked[State], order: Scout, pick: Pick) -> Refusal:
    """OCS 21.1"""
    state, name = asked.state, str(pick)
    if name not in state.units or state.side(name) != asked.seat:
        return refuse(CLAUSE, "refusal.ocs.not_your_unit", unit=name)
    if not scouts(state, name):
        return refuse(CLAUSE, "refusal.ocs.no_scout", unit=name)
    if state.units[name].at == OFF_MAP or not seen_from(state, name):
        return refuse(CLAUSE, "refusal.ocs.nothing_to_scout", unit=name)
    if may_scout(state, name):
        return refuse("OCS 12.3", "refusal.ocs.too_little_supply", tokens=0)
    return refuse(CLAUSE, "refusal.ocs.cannot_scout", unit=name)


def _why_not_hex(asked: Asked[State], order: Scout, pick: Pick) -> Refusal:
    return refuse(CLAUSE, "refusal.ocs.no_target", hex=str(pick))


def _scout(table: Table[State], asked: Asked[State], order: Scout) -> None:
    """OCS 21.1, 6.1 The unit is under way, spends its movement and pays; then it learns."""
    state = table.state
    side, name = asked.seat, order.unit
    if state.move is None or name not in state.move.units:
        movement.interrupted(table, (name,))
        table.emit(movement.UnderWay(side, fog.hidden(state, side, (name,)), ()))
    fuel.supply_singly(table, (name,))
    state = table.state
    spent = fog.hidden(state, side, price(state, name))
    table.emit(ReconBegun(side, order.hex, fog.hidden(state, side, name), spent))
    table.call(SCOUTING, order.hex)
    payment.ask(table, Bill(side, PURPOSE, (name,), COST))


class Scouting(Step[State]):
    """OCS 21.1 A unit learns what a hex holds once it is paid for. Frame arguments: the hex."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS R-15 Whether it was paid is not told."""
        table.done()
        state, name = table.state, frame.args[0]
        side = bills.bill_of(state).side
        paid = payment.outcome(state) == payment.SUPPLY
        payment.close(table)
        found = learnt(state, state.charts.board.hex(name)) if paid else (0, 0)
        number, level = (fog.hidden(state, side, value) for value in found)
        table.emit(Scouted(side, name, number, level))
        table.learn()


STEPS: Mapping[str, Step[State]] = {SCOUTING: Scouting()}
