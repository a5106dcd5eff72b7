"""OCS 15, 14.2a: air bases: refit, the limit of active aircraft, building, raising, reducing them.

OCS 15.0 A base refits two aircraft a level for 1T, once in its side's Refit Phase. 15.1 Not in an
enemy zone that is not negated (4.5a-H), whatever the weather. OCS 14.2a No more than 4 and its
level are active at a base. An air box refits freely and has no limit. OCS 15.3 An engineer-capable
unit builds or raises a base by a level a turn for 1 SP. OCS 15.4 Troops or engineers lower it, once
a phase, never below level 1. Capture is `captures`' (9.14f), what bombs do is `barrage`'s (10.0c).

[R] A base is built, while counters last, in a hex in play without a base or enemies. A Leg unit can
enter it, and the side controls it. Who is active at a base that is lowered stays so: the limit is
asked of whoever is to become active or comes to be so. What is refitted, and what rests, is kept
from the enemy but for the top aircraft that it changes (OCS R-15).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import LEG
from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.ch06_movement import movement
from warledger.engine.games.ocs.ch12_supply import bills, payment, payment_means
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.ch13_special_units import construction
from warledger.engine.games.ocs.ch14_air import aircraft
from warledger.engine.games.ocs.ch14_air.mission_in_progress import Refit
from warledger.engine.games.ocs.series.events import BaseSet
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say

REFITTING, WORKS = "ocs.refit", "ocs.base_works"
"""Names of the steps."""

REFIT, BUILD = "refit", "build"
"""What supply is spent on (`Bill.purpose`)."""

MOST_LEVEL = 3
"""OCS 15.0"""

RAISED, LOWERED = "base", "base_lowered"
"""Kinds of work (`building.Worked`)."""

MARKER = "marker.air_base"
"""The counter of a base; [R] a pack that counts none sets no limit."""


@event("ocs.refit")
class RefitBegun:
    """OCS 15.1 A base is to refit aircraft, and pays for it."""

    side: str
    base: Any
    aircraft: Any


@event("ocs.refit_over")
class RefitOver:
    """OCS 15.1 The base has refitted its aircraft, or its cost was not paid."""

    done: bool


after = ByEvent()


@after(RefitBegun)
def _begun(state: State, event: RefitBegun) -> State:
    base = place_of(state.charts.board, fog.plain(event.base))
    return replace(state, refit=Refit(base, tuple(fog.plain(event.aircraft))))


@after(RefitOver)
def _over(state: State, event: RefitOver) -> State:
    """OCS 15.0 A base on the map refits once a phase; of a box it is noted how often in a month."""
    base = in_progress(state).base
    made = replace(state, refit=None)
    if not event.done:
        return made
    if isinstance(base, int):
        use = made.phase_use
        return replace(made, phase_use=replace(use, refitted=use.refitted | 1 << base))
    flags = {**made.flags, _latch(state, base): refits_in_month(state, base) + 1}
    return replace(made, flags=flags)


def _latch(state: State, box: str) -> str:
    month = state.charts.printed.turn(state.turn).start[:7]
    return f"refit.{box}.{month}"


def refits_in_month(state: State, box: str) -> int:
    """OCS 15.1 How often aircraft of a box have been refitted in the month of this turn, for games
    that count it."""
    return int(state.flags.get(_latch(state, box), 0))


def in_progress(state: State) -> Refit:
    """The refit that is being paid for. Raises AssertionError when there is none."""
    assert state.refit is not None, "nothing is being refitted"
    return state.refit


# --- refit ----------------------------------------------------------------------------------------


def grounded(state: State, base: Place) -> tuple[str, ...]:
    """OCS 15.1 Inactive aircraft at a base that the game lets refit now."""
    game = rules(state.charts)
    return tuple(
        name
        for name in aircraft.based(state, base)
        if not state.aircraft[name].active and game.may_refit(state, name)
    )


def most(state: State, base: Place) -> int:
    """OCS 14.2a, 15.0 How many aircraft a base may refit at once: two a level, as far as its limit
    of active aircraft has room; any number in a box."""
    if not isinstance(base, int):
        return len(state.aircraft)
    per_level = state.charts.tables.costs["refit_aircraft_per_level"]
    return min(per_level * state.bases[base].level, aircraft.room(state, base))


def open_for_refit(state: State, side: str, base: Place) -> bool:
    """OCS 15.0, 15.1 Whether a base may refit now, its cost aside."""
    if not grounded(state, base) or most(state, base) < 1:
        return False
    if not isinstance(base, int):
        return True
    if hexsets.has(state.phase_use.refitted, base):
        return False
    return not zones.bars(state, side, zones.REFIT, base)


def payable(state: State, side: str, base: Place) -> bool:
    """OCS 15.0 Whether the refit of a base can be paid for. A box refits freely."""
    if not isinstance(base, int):
        return True
    return payment_means.payable(
        state, side, (state.charts.board.name(base),), _cost(state), purpose=REFIT
    )


def _cost(state: State) -> int:
    return state.charts.tables.costs["refit_base_t"]


@remembered()
def refitting(state: State, side: str) -> tuple[Place, ...]:
    """OCS 15.1 Bases and boxes of a side that can refit aircraft now."""
    return tuple(
        base
        for base in aircraft.bases(state, side)
        if open_for_refit(state, side, base) and payable(state, side, base)
    )


def may_rest(state: State, side: str) -> tuple[str, ...]:
    """OCS 14.1a, 15.1 Aircraft that their owner may declare inactive: where the game allows it, or
    where too many are active."""
    game = rules(state.charts)
    if game.may_rest(state.charts, side):
        return tuple(name for name in aircraft.of_side(state, side) if state.aircraft[name].active)
    excess, names = game.too_many_active(state, side)
    return tuple(names) if excess else ()


@frozen
class Refitting:
    """A base, and the aircraft that it refits."""

    base: str = ""
    aircraft: tuple[str, ...] = ()


@frozen
class Resting:
    """The aircraft that are declared inactive."""

    aircraft: tuple[str, ...] = ()


class RefitSegment(Asking[State]):
    """OCS 2.3 A, 15.1 The phasing side refits: `refit BASE AIRCRAFT …`, `stand_down AIRCRAFT …`
    where the game lets or makes it declare aircraft inactive, `done`."""

    verb_slot = "ocs.refit"

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-15 Inactive aircraft, and who pays from where, are not seen."""
        return fog.strict(asked.state)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The phasing side, where it has a base or box; in the open, where it has something to
        do."""
        state = at.state
        side = state.phasing
        if state.refit is not None or not aircraft.bases(state, side):
            return {}
        if not fog.strict(state) and not refitting(state, side) and not may_rest(state, side):
            return {}
        return {side: Decision(say("prompt.ocs.refit", "OCS 15.1"))}

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The refit has been paid for, or not; or nobody has anything to do."""
        state = table.state
        if state.refit is None:
            table.done()
            return
        paid = payment.outcome(state) == payment.SUPPLY
        payment.close(table)
        self._made(table, paid)

    def _made(self, table: Table[State], paid: bool) -> None:
        now = in_progress(table.state)
        if paid:
            where = dict.fromkeys(now.aircraft, now.base)
            aircraft.put_all(table, table.state.phasing, where, active=True)
        table.emit(RefitOver(paid))

    def commands(self) -> Commands[State]:
        """refit, stand_down, done."""
        return (
            Command(
                "refit",
                Refitting,
                Slot("base", "ocs.base", _bases, _why_not_base),
                Many(
                    "aircraft",
                    "ocs.aircraft",
                    _to_refit,
                    _why_not_refitted,
                    full=lambda asked, order: (
                        len(order.aircraft)
                        >= most(asked.state, place_of(asked.state.charts.board, order.base))
                    ),
                ),
                apply=self._refit,
                when=lambda asked: bool(refitting(asked.state, asked.seat)),
                why=lambda asked: refuse("OCS 15.1", "refusal.ocs.nothing_to_refit"),
            ),
            Command(
                "stand_down",
                Resting,
                Many(
                    "aircraft",
                    "ocs.aircraft",
                    lambda asked, order: [
                        name
                        for name in may_rest(asked.state, asked.seat)
                        if name not in order.aircraft
                    ],
                    lambda asked, order, pick: refuse(
                        "OCS 14.1a", "refusal.ocs.does_not_rest", aircraft=str(pick)
                    ),
                ),
                apply=self._rest,
                when=lambda asked: bool(may_rest(asked.state, asked.seat)),
                why=lambda asked: refuse("OCS 14.1a", "refusal.ocs.nobody_rests"),
            ),
            word("done", self._done, when=lambda asked: not _excess(asked), why=_too_many),
        )

    def _refit(self, table: Table[State], asked: Asked[State], order: Refitting) -> None:
        state, side = table.state, asked.seat
        base, names = place_of(state.charts.board, order.base), order.aircraft
        if rules(state.charts).refits_together(state.charts, base):
            names = grounded(state, base)
        table.emit(
            RefitBegun(side, fog.hidden(state, side, order.base), fog.hidden(state, side, names))
        )
        if order.base in state.charts.board.boxes:
            self._made(table, True)
        else:
            payment.ask(table, Bill(side, REFIT, (order.base,), _cost(state)))

    def _rest(self, table: Table[State], asked: Asked[State], order: Resting) -> None:
        planes = table.state.aircraft
        where = {name: base for name in order.aircraft if (base := planes[name].base) is not None}
        aircraft.put_all(table, asked.seat, where, active=False)

    def _done(self, table: Table[State], asked: Asked[State]) -> None:
        table.done()


def _excess(asked: Asked[State]) -> int:
    return rules(asked.state.charts).too_many_active(asked.state, asked.seat)[0]


def _too_many(asked: Asked[State]) -> Refusal:
    return refuse("OCS 14.1a", "refusal.ocs.too_many_active", number=_excess(asked))


def _bases(asked: Asked[State], order: Refitting) -> Iterable[str]:
    board = asked.state.charts.board
    return [place_name(board, base) for base in refitting(asked.state, asked.seat)]


def _to_refit(asked: Asked[State], order: Refitting) -> Iterable[str]:
    base = place_of(asked.state.charts.board, order.base)
    return [name for name in grounded(asked.state, base) if name not in order.aircraft]


def _why_not_base(asked: Asked[State], order: Refitting, pick: Pick) -> Refusal:
    state, side, name = asked.state, asked.seat, str(pick)
    board = state.charts.board
    known = name in board.boxes or name in board.map.grid.ids
    base = place_of(board, name) if known else None
    if base is None or base not in aircraft.bases(state, side):
        return refuse("OCS 15.0", "refusal.ocs.not_your_base", hex=name)
    if isinstance(base, int) and hexsets.has(state.phase_use.refitted, base):
        return refuse("OCS 15.0", "refusal.ocs.has_refitted", hex=name)
    if isinstance(base, int) and zones.bars(state, side, zones.REFIT, base):
        return refuse("OCS 15.1", "refusal.ocs.no_refit_in_zone", hex=name)
    if not grounded(state, base):
        return refuse("OCS 15.1", "refusal.ocs.nothing_to_refit_there", hex=name)
    if most(state, base) < 1:
        return refuse("OCS 14.2a", "refusal.ocs.base_full", hex=name)
    return refuse("OCS 12.3", "refusal.ocs.refit_not_payable", hex=name)


def _why_not_refitted(asked: Asked[State], order: Refitting, pick: Pick) -> Refusal:
    return refuse("OCS 15.1", "refusal.ocs.not_to_refit", aircraft=str(pick), hex=order.base)


# --- building and tearing down --------------------------------------------------------------------


@remembered()
def sites(state: State, side: str) -> Hexes:
    """OCS 15.3 Hexes where a side's engineers could build a base, or raise one by a level, supply
    apart."""
    if state.segment != construction.MOVEMENT or side != state.phasing:
        return 0
    found = 0
    for name in construction.engineers(state, side):
        found |= construction.within(state, name)
    if not found:
        return 0
    fit = 0
    if _markers_left(state) > 0:
        fit = state.control[side] & ~hexsets.of(state.bases)
    fit |= hexsets.of(
        i for i, base in state.bases.items() if base.side == side and base.level < MOST_LEVEL
    )
    fit &= found & ~_enterable_not(state)
    fit &= ~state.field.occupied[state.enemy(side)]
    return fit & ~hexsets.of(
        i for i in hexsets.listed(fit) if construction.this_turn(state, RAISED, i)
    )


def _enterable_not(state: State) -> Hexes:
    """Hexes that no Leg unit can enter."""
    printed = state.charts.printed
    found = 0
    for name, row in printed.terrain.items():
        if LEG in row.move and row.move[LEG] is None:
            found |= printed.board.by_terrain.get(name, 0)
    return found


def _markers_left(state: State) -> int:
    marker = state.charts.printed.markers.get(MARKER)
    return (marker.count if marker is not None else len(state.bases) + 1) - len(state.bases)


@remembered()
def buildable(state: State, side: str) -> tuple[int, ...]:
    """OCS 15.3 Those sites whose SP can be paid."""
    return tuple(_buildable(state, side))


def _buildable(state: State, side: str) -> Iterator[int]:
    return (
        i
        for i in hexsets.listed(sites(state, side))
        if payment_means.payable(
            state, side, (state.charts.board.name(i),), _level_cost(state), purpose=BUILD
        )
    )


def _level_cost(state: State) -> int:
    costs = state.charts.tables.costs
    return costs["air_base_level_sp"] * costs["sp_in_t"]


@remembered()
def reducible(state: State, side: str) -> tuple[int, ...]:
    """OCS 15.4 Bases of a side that it can lower by a level now."""
    if state.segment != construction.MOVEMENT or side != state.phasing:
        return ()
    return tuple(
        i
        for i, base in sorted(state.bases.items())
        if base.side == side
        and base.level > 1
        and not construction.done(state, LOWERED, i)
        and (construction.troops(state, side, i) or construction.engineers_for(state, side, i))
    )


@frozen
class BaseWork:
    """The hex of a base."""

    hex: str = ""


def commands() -> Commands[State]:
    """OCS 15.3, 15.4 `air_base HEX` builds or raises a base, `raze HEX` lowers one: for the step in
    which units move."""
    return (
        Command(
            "air_base",
            BaseWork,
            Slot("hex", "ocs.base_site", _sites, _why_not_site),
            apply=_build,
            when=lambda asked: any(True for _ in _buildable(asked.state, asked.seat)),
            why=lambda asked: refuse("OCS 15.3", "refusal.ocs.no_base_site"),
        ),
        Command(
            "raze",
            BaseWork,
            Slot("hex", "ocs.base", _lowered, _why_not_lowered),
            apply=_raze,
            when=lambda asked: bool(reducible(asked.state, asked.seat)),
            why=lambda asked: refuse("OCS 15.4", "refusal.ocs.no_base_to_lower"),
        ),
    )


def _names(state: State, hexes: Sequence[int]) -> list[str]:
    return [state.charts.board.name(i) for i in hexes]


def _sites(asked: Asked[State], order: BaseWork) -> Iterable[str]:
    return _names(asked.state, buildable(asked.state, asked.seat))


def _lowered(asked: Asked[State], order: BaseWork) -> Iterable[str]:
    return _names(asked.state, reducible(asked.state, asked.seat))


def _why_not_site(asked: Asked[State], order: BaseWork, pick: Pick) -> Refusal:
    state, side, name = asked.state, asked.seat, str(pick)
    grid = state.charts.board.map.grid
    if name not in grid.ids:
        return refuse("OCS 15.3", "refusal.ocs.no_such_hex", hex=name)
    i = grid.at(name)
    base = state.bases.get(i)
    if base is not None and (base.side != side or base.level >= MOST_LEVEL):
        return refuse("OCS 15.0", "refusal.ocs.base_stands", hex=name)
    if construction.this_turn(state, RAISED, i):
        return refuse("OCS 15.3", "refusal.ocs.one_level_a_turn", hex=name)
    if not construction.engineers_for(state, side, i):
        return refuse("OCS 13.8d", "refusal.ocs.no_engineer_near", hex=name)
    if not hexsets.has(sites(state, side), i):
        return refuse("OCS 15.3", "refusal.ocs.no_base_there", hex=name)
    return refuse("OCS 12.3", "refusal.ocs.build_not_payable", hex=name)


def _why_not_lowered(asked: Asked[State], order: BaseWork, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    grid = state.charts.board.map.grid
    base = state.bases.get(grid.at(name)) if name in grid.ids else None
    if base is None or base.side != asked.seat:
        return refuse("OCS 15.4", "refusal.ocs.not_your_base", hex=name)
    if base.level < 2:
        return refuse("OCS 15.4", "refusal.ocs.never_below_one", hex=name)
    return refuse("OCS 15.4", "refusal.ocs.nobody_to_work", hex=name)


def _build(table: Table[State], asked: Asked[State], order: BaseWork) -> None:
    state = table.state
    bill = Bill(asked.seat, BUILD, (order.hex,), _level_cost(state))
    if state.move is not None:
        movement.interrupted(table, (), bill=bill)
    table.call(WORKS, order.hex)
    payment.ask(table, bill)


def _raze(table: Table[State], asked: Asked[State], order: BaseWork) -> None:
    state, side = table.state, asked.seat
    if state.move is not None:
        movement.interrupted(table, ())
    i = state.charts.board.hex(order.hex)
    workers = (
        construction.troops(table.state, side, i) or construction.engineers_for(state, side, i)[:1]
    )
    construction.work(table, side, workers, i, LOWERED)
    table.emit(BaseSet(side, order.hex, state.bases[i].level - 1))


class BaseWorks(Step[State]):
    """OCS 15.3 A base rises by a level once it has been paid for. Frame arguments: its hex."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """[R] The engineer with the lowest id that can works there."""
        table.done()
        state = table.state
        bill = bills.bill_of(state)
        side, name = bill.side, frame.args[0]
        paid = payment.outcome(state) == payment.SUPPLY
        payment.close(table)
        if not paid:
            return
        i = state.charts.board.hex(name)
        base = state.bases.get(i)
        construction.work(table, side, construction.engineers_for(state, side, i)[:1], i, RAISED)
        table.emit(BaseSet(side, name, base.level + 1 if base is not None else 1))


STEPS: Mapping[str, Step[State]] = {REFITTING: RefitSegment(), WORKS: BaseWorks()}
