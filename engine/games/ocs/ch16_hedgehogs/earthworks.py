"""OCS 16.0b, 16.0c: building and reducing hedgehogs.

OCS 16.0b In its side's own Movement Phase a hedgehog is built, or raised by a level, for 2 SP.
Troops of 1 RE in Combat mode that do not move in the phase do it, or an engineer within two hexes.
OCS 16.0c They lower one for nothing. A hedgehog rises and falls by at most one level a turn. What
is captured, and how much of it is left, is in `captures` (9.14e). OCS 21.11a By an option troops
build only the first level; any more takes an engineer.
"""

from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import LEG
from warledger.engine.games.ocs.ch06_movement import movement
from warledger.engine.games.ocs.ch12_supply import bills, payment, payment_means
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.ch13_special_units import construction
from warledger.engine.games.ocs.series.events import HedgehogSet
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Step

BUILD = "build"
"""The purpose of the bill."""

DUG, FILLED = "hedgehog_raised", "hedgehog_lowered"
"""OCS 16.0b, 16.0c Kinds of work, each once a turn in a hex."""

BY_ENGINEERS = "engineer_construction"
"""OCS 21.11a The option by which troops build hedgehogs of level 1 alone."""

WORKS = "earthworks"
"""The name of the step in which what has been paid for is built."""


def cost(state: State) -> int:
    """OCS 16.0b T for a level, before the game's factor."""
    costs = state.charts.tables.costs
    return costs["hedgehog_level_sp"] * costs["sp_in_t"]


def workers(state: State, side: str, i: int) -> tuple[str, ...]:
    """OCS 13.8d, 16.0c Who would lower a hedgehog in a hex: troops there, else the first engineer
    within reach; () for nobody."""
    return construction.troops(state, side, i) or construction.engineers_for(state, side, i)[:1]


def diggers(state: State, side: str, i: int) -> tuple[str, ...]:
    """OCS 13.8d, 16.0b Who would build or raise one. OCS 21.11a By the option troops build where
    none stands, and engineers raise it."""
    if state.charts.options.get(BY_ENGINEERS) and _level(state, side, i):
        return construction.engineers_for(state, side, i)[:1]
    return workers(state, side, i)


@remembered()
def near(state: State, side: str) -> Hexes:
    """OCS 13.8d, 16.0b Hexes in which somebody of a side could work now."""
    if state.segment != construction.MOVEMENT or side != state.phasing:
        return 0
    found = 0
    for name in construction.engineers(state, side):
        found |= construction.within(state, name)
    for i in hexsets.listed(state.field.combat[side] & ~found):
        if construction.troops(state, side, i):
            found |= 1 << i
    return found & ~state.field.occupied[state.enemy(side)]


def _level(state: State, side: str, i: int) -> int | None:
    """The level of a side's own hedgehog in a hex, 0 for none; None where the enemy's stands."""
    works = state.hedgehogs.get(i)
    if works is None:
        return 0
    return works.level if works.side == side else None


def may_rise(state: State, side: str, i: int) -> bool:
    """OCS 16.0b Whether a hedgehog of a side in a hex may have one more level: the game lets it,
    there is a marker, it has not risen in this turn."""
    now = _level(state, side, i)
    if now is None or construction.this_turn(state, DUG, i):
        return False
    return now < rules(state.charts).most_hedgehog(state.charts, side, i) and _marker(
        state, now + 1
    )


def _marker(state: State, level: int) -> bool:
    """OCS 3.6 Whether the counter mix has another hedgehog of that level."""
    marker = state.charts.printed.markers.get(f"marker.hedgehog.{level}")
    used = sum(works.level == level for works in state.hedgehogs.values())
    return marker is None or used < marker.count


@remembered()
def diggable(state: State, side: str) -> tuple[int, ...]:
    """OCS 16.0b Hexes of a side in which it can pay for a level now."""
    return tuple(_diggable(state, side))


def _diggable(state: State, side: str) -> Iterator[int]:
    closed = _closed(state)
    return (
        i
        for i in hexsets.listed(near(state, side) & state.control[side] & ~closed)
        if may_rise(state, side, i)
        and diggers(state, side, i)
        and payment_means.payable(
            state, side, (state.charts.board.name(i),), cost(state), purpose=BUILD
        )
    )


def _closed(state: State) -> Hexes:
    """Hexes that no unit on foot can enter."""
    printed = state.charts.printed
    found = 0
    for name, row in printed.terrain.items():
        if row.move.get(LEG) is None:
            found |= printed.board.by_terrain.get(name, 0)
    return found


@remembered()
def fillable(state: State, side: str) -> tuple[int, ...]:
    """OCS 16.0c Hexes in which a side can lower a hedgehog of its own now."""
    reached = near(state, side)
    return tuple(
        i
        for i, works in sorted(state.hedgehogs.items())
        if works.side == side
        and hexsets.has(reached, i)
        and not construction.this_turn(state, FILLED, i)
    )


# --- commands -------------------------------------------------------------------------------------


@frozen
class Digging:
    """OCS 16.0b, 16.0c The hex of a hedgehog."""

    hex: str = ""


def commands() -> Commands[State]:
    """OCS 16.0b, 16.0c dig HEX, fill HEX: for the step in which units move."""
    return (
        Command(
            "dig",
            Digging,
            Slot("hex", "ocs.earthwork", _to_dig, _why_not_dig),
            apply=_dig,
            when=lambda asked: any(True for _ in _diggable(asked.state, asked.seat)),
            why=lambda asked: Refusal("OCS 16.0b", "refusal.ocs.nothing_to_dig"),
        ),
        Command(
            "fill",
            Digging,
            Slot("hex", "ocs.earthwork", _to_fill, _why_not_fill),
            apply=_fill,
            when=lambda asked: bool(fillable(asked.state, asked.seat)),
            why=lambda asked: Refusal("OCS 16.0c", "refusal.ocs.nothing_to_fill"),
        ),
    )


def _to_dig(asked: Asked[State], order: Digging) -> Iterable[str]:
    name = asked.state.charts.board.name
    return [name(i) for i in diggable(asked.state, asked.seat)]


def _to_fill(asked: Asked[State], order: Digging) -> Iterable[str]:
    name = asked.state.charts.board.name
    return [name(i) for i in fillable(asked.state, asked.seat)]


def _why_not_dig(asked: Asked[State], order: Digging, pick: Pick) -> Refusal:
    """OCS 12.3, 13.8d, 16.0b"""
    state, side, name = asked.state, asked.seat, str(pick)

    def why(rule: str, key: str) -> Refusal:
        return Refusal(rule, f"refusal.ocs.{key}", (("hex", pick),))

    if name not in state.charts.board.map.grid.ids:
        return why("OCS 16.0b", "no_such_hex")
    i = state.charts.board.hex(name)
    if not workers(state, side, i):
        return why("OCS 13.8d", "nobody_digs_there")
    if construction.this_turn(state, DUG, i):
        return why("OCS 16.0b", "worked_there")
    if not may_rise(state, side, i) or not state.controls(side, i):
        return why("OCS 16.0b", "no_hedgehog_there")
    if not diggers(state, side, i):
        return why("OCS 21.11a", "engineers_raise")
    return why("OCS 12.3", "dig_not_payable")


def _why_not_fill(asked: Asked[State], order: Digging, pick: Pick) -> Refusal:
    """OCS 13.8d, 16.0c"""
    state = asked.state
    own = {state.charts.board.name(i) for i, w in state.hedgehogs.items() if w.side == asked.seat}
    key = "nobody_digs_there" if pick in own else "not_your_hedgehog"
    return Refusal("OCS 16.0c", f"refusal.ocs.{key}", (("hex", pick),))


def _dig(table: Table[State], asked: Asked[State], order: Digging) -> None:
    """OCS 16.0b It is paid for, and then built."""
    bill = Bill(asked.seat, BUILD, (order.hex,), cost(table.state))
    if table.state.move is not None:
        movement.interrupted(table, (), bill=bill)
    table.call(WORKS, order.hex)
    payment.ask(table, bill)


def _fill(table: Table[State], asked: Asked[State], order: Digging) -> None:
    """OCS 16.0c"""
    if table.state.move is not None:
        movement.interrupted(table, ())
    i = table.state.charts.board.hex(order.hex)
    construction.work(table, asked.seat, workers(table.state, asked.seat, i), i, FILLED)
    level = table.state.hedgehogs[i].level
    table.emit(HedgehogSet(asked.seat, order.hex, level - 1))


class Earthworks(Step[State]):
    """OCS 16.0b A hedgehog rises by a level once it is paid for. Frame arguments: its hex."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 13.8d Units that work do not move in the phase."""
        table.done()
        state = table.state
        side, name = bills.bill_of(state).side, frame.args[0]
        paid = payment.outcome(state) == payment.SUPPLY
        payment.close(table)
        if not paid:
            return
        i = state.charts.board.hex(name)
        construction.work(table, side, diggers(state, side, i), i, DUG)
        table.emit(HedgehogSet(side, name, (_level(state, side, i) or 0) + 1))


STEPS: Mapping[str, Step[State]] = {WORKS: Earthworks()}
