"""OCS 10.1: the steps of artillery barrages.

A Barrage Segment asks the side that acts for one barrage after the other. OCS 10.1b Each is paid
for as it is made, out of one HQ or one dump, never out of internal stocks. Where its cost is not
paid it does not take place. OCS 10.0a The targeted player then says who takes the steps.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.ch04_concepts.rounding import mixed
from warledger.engine.games.ocs.ch09_combat.losses import lose
from warledger.engine.games.ocs.ch10_barrage import barrage
from warledger.engine.games.ocs.ch10_barrage.barrage import (
    BarrageDeclared,
    BarrageOver,
    BarrageVoid,
    ShellLossTaken,
    in_progress,
)
from warledger.engine.games.ocs.ch10_barrage.barrage_in_progress import ARTILLERY, UNITS
from warledger.engine.games.ocs.ch12_supply import bills, payment, payment_means
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.ch17_weather import weather
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.commands import (
    Asked,
    Asking,
    Command,
    Commands,
    Many,
    Slot,
    word,
)
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step
from warledger.protocol.board.choices import Say, refuse, say

PURPOSE = "barrage"
"""What the supply is spent on (`Bill.purpose`)."""

SEGMENT, BOMBARDMENT = "ocs.artillery", "ocs.bombardment"
"""Names of the steps."""


@frozen
class Shooting:
    """A hex, who fires at it, and the least strength of the lower column on which they do; 0: on
    that of their strength."""

    hex: str = ""
    units: tuple[str, ...] = ()
    column: int = 0


@frozen
class Shot:
    """The unit that takes a step."""

    unit: str = ""


def veiled(state: State) -> bool:
    """OCS 4.9 Whether picks are kept from the enemy."""
    return bool(state.charts.options.get("fog", fog.STRICT) != fog.OPEN)


# --- what can be fired ----------------------------------------------------------------------------


def payable(state: State, aim: str, names: Sequence[str], i: int, column: int) -> bool:
    """OCS 10.1b(A) Whether these units can pay for a barrage on a column, all from one HQ or one
    dump."""
    return payment_means.payable(
        state,
        state.side(names[0]),
        names,
        barrage.cost(state, aim, column),
        one_source=True,
        purpose=PURPOSE,
        target=i,
    )


def columns(state: State, aim: str, names: Sequence[str], i: int) -> tuple[int, ...]:
    """OCS 10.1b Columns on which these units can fire at a hex and pay for it, their own first."""
    own = barrage.column_of(state, aim, names)
    return tuple(
        column
        for column in (own, *barrage.lower_columns(state, aim, own))
        if payable(state, aim, names, i, column)
    )


def may_fire(state: State, aim: str, names: Sequence[str], i: int) -> bool:
    """OCS 10.0, 10.1 Whether these units may fire one barrage at a hex: the game lets them fire
    together, and it can be paid."""
    return rules(state.charts).fire_together(state, names) and bool(columns(state, aim, names, i))


@remembered()
def able(state: State, side: str, aim: str, i: int) -> tuple[str, ...]:
    """OCS 10.1 Artillery that may fire at a hex alone."""
    return tuple(
        name
        for name in barrage.gunners(state, side)
        if barrage.in_range(state, name, i) and may_fire(state, aim, (name,), i)
    )


@remembered()
def hexes(state: State, side: str, aim: str) -> tuple[str, ...]:
    """OCS 10.1 Hexes at which any artillery may fire now."""
    board = state.charts.board
    ready = barrage.gunners(state, side)
    if not ready:
        return ()
    return tuple(
        board.name(i)
        for i in hexsets.listed(barrage.targets(state, side, aim))
        if able(state, side, aim, i)
    )


# --- the segment ----------------------------------------------------------------------------------


Airborne = Callable[[State, str], bool]
"""Whether a side is asked for air barrages now."""


def grounded(state: State, side: str) -> bool:
    """OCS 10.1 There are no air barrages."""
    return False


class Artillery(Asking[State]):
    """OCS 10.1 `barrage HEX UNITS … [COLUMN]` at combat units, `base HEX UNITS … [COLUMN]` at an
    air base, `done`. Who fires is kept from the enemy (OCS R-18). OCS 2.3 In the segments where
    aircraft bomb too, `more` are their commands, and `airborne` says whether they are asked for."""

    verb_slot = "ocs.artillery"

    def __init__(self, more: Commands[State] = (), airborne: Airborne = grounded) -> None:
        self._more = more
        self._airborne = airborne

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-18 The units are not told."""
        return veiled(asked.state)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side that acts. In the open it is passed over when nothing can be fired. Under fog
        that would tell what cannot be seen, where artillery fires at all."""
        state = at.state
        side = zones.mover(state)
        if not self._airborne(state, side):
            if veiled(state):
                idle = state.segment not in (barrage.COMBAT_PHASE, *barrage.RELEASED_ONLY)
            else:
                idle = not any(hexes(state, side, aim) for aim in barrage.AIMS.values())
            if idle:
                return {}
        if state.segment == AIR_ALONE:
            key = "air_grounded" if weather.grounds(state) else "air_barrage"
            return {side: Decision(say(f"prompt.ocs.{key}", "OCS 14.7b"))}
        if self._more and weather.grounds(state):
            return {side: Decision(say("prompt.ocs.artillery_alone", "OCS 10.1"))}
        return {side: Decision(say("prompt.ocs.artillery", "OCS 10.1"))}

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nothing can be fired."""
        table.done()

    def commands(self) -> Commands[State]:
        """`barrage`, `base`, those of aircraft, `done`."""
        return (
            *(_command(verb, aim) for verb, aim in barrage.AIMS.items()),
            *self._more,
            word("done", self._done),
        )

    def _done(self, table: Table[State], asked: Asked[State]) -> None:
        table.done()


def _command(verb: str, aim: str) -> Command[State, Shooting]:
    return Command(
        verb,
        Shooting,
        Slot(
            "hex",
            "ocs.target",
            lambda asked, order: hexes(asked.state, asked.seat, aim),
            lambda asked, order, pick: _why_not_hex(asked, aim, pick),
        ),
        Many(
            "units",
            "ocs.artillery_unit",
            lambda asked, order: _units(asked, aim, order),
            lambda asked, order, pick: _why_not_unit(asked, aim, order, pick),
            takes=lambda asked, pick: not isinstance(pick, int),
            enough=lambda asked, order: bool(order.units),
            joint="ocs.artillery_unit_or_column",
        ),
        Slot(
            "column",
            "ocs.column",
            lambda asked, order: _columns(asked, aim, order),
            lambda asked, order, pick: refuse("OCS 10.0", "refusal.ocs.no_such_column"),
            optional=lambda asked, order: _on_its_own(asked, aim, order),
        ),
        apply=lambda table, asked, order: declare(
            table, aim, asked.state.charts.board.hex(order.hex), order.units, order.column
        ),
        when=lambda asked: bool(hexes(asked.state, asked.seat, aim)),
        why=lambda asked: _why_none(asked, aim),
        unfinished=lambda asked, order: refuse("OCS 10.1b", "refusal.ocs.too_dear_on_its_column"),
        preview=lambda asked, order: _preview(asked, aim, order),
    )


def _preview(asked: Asked[State], aim: str, order: Shooting) -> tuple[Say, ...]:
    """Who may fire, or what those picked amount to, what they cost and who would pay. With it come
    the shifts that are known before. OCS 4.9c Under fog the density of the target and its modes are
    not."""
    if not order.hex:
        return ()
    state = asked.state
    i = state.charts.board.hex(order.hex)
    said: list[Say] = []
    units = order.units
    if not units:
        said.extend(
            say(
                "preview.ocs.gun",
                "OCS 10.1",
                unit=name,
                strength=mixed(barrage.strength(state, (name,))),
            )
            for name in able(state, asked.seat, aim, i)
        )
    else:
        column = column_for(state, aim, units, order.column)
        bill = bill_for(state, aim, i, units, column)
        said.append(
            say(
                "preview.ocs.barrage",
                "OCS 10.1b",
                strength=mixed(barrage.strength(state, units)),
                column=barrage.table_of(state, aim).heads[column],
                tokens=bills.charged(state, bill).cost,
            )
        )
        said.extend(payment.reckoned(state, bill))
    if aim == UNITS:
        spotter = not units or barrage.spotted(state, units, i)
        known = barrage.shifts(state, i, spotter=spotter)
        said.extend(barrage.foretold(state, known))
    return tuple(said)


AIR_ALONE = "c3"
"""OCS 2.3 The segment in which aircraft barrage, and no artillery."""


def _units(asked: Asked[State], aim: str, order: Shooting) -> Iterable[str]:
    state = asked.state
    i = state.charts.board.hex(order.hex)
    return [
        name
        for name in able(state, asked.seat, aim, i)
        if name not in order.units and may_fire(state, aim, (*order.units, name), i)
    ]


def _columns(asked: Asked[State], aim: str, order: Shooting) -> Iterable[int]:
    if not order.units:
        return ()
    state = asked.state
    own = barrage.column_of(state, aim, order.units)
    low = barrage.table_of(state, aim).low
    i = state.charts.board.hex(order.hex)
    return [max(low[c], 1) for c in columns(state, aim, order.units, i) if c != own]


def _on_its_own(asked: Asked[State], aim: str, order: Shooting) -> bool:
    """Whether the barrage can be fired on the column of its strength."""
    if not order.units:
        return False
    state = asked.state
    own = barrage.column_of(state, aim, order.units)
    return payable(state, aim, order.units, state.charts.board.hex(order.hex), own)


def _why_not_hex(asked: Asked[State], aim: str, pick: Pick) -> Refusal:
    state = asked.state
    grid = state.charts.board.map.grid
    name = str(pick)
    if name not in grid.ids:
        return refuse("OCS 10.0", "refusal.ocs.no_such_hex", hex=name)
    i = grid.at(name)
    if hexsets.has(state.phase_use.barraged, i):
        return refuse("OCS 10.0e", "refusal.ocs.already_barraged", hex=name)
    if not hexsets.has(barrage.targets(state, asked.seat, aim), i):
        return refuse("OCS 10.0d", f"refusal.ocs.nothing_to_barrage_{aim}", hex=name)
    if not any(barrage.in_range(state, gun, i) for gun in barrage.gunners(state, asked.seat)):
        return refuse("OCS 10.1a", "refusal.ocs.out_of_range", hex=name)
    return refuse("OCS 10.1b", "refusal.ocs.barrage_not_payable", hex=name)


def _why_not_unit(asked: Asked[State], aim: str, order: Shooting, pick: Pick) -> Refusal:
    state = asked.state
    name = str(pick)
    if name not in state.units or state.side(name) != asked.seat:
        return refuse("OCS 10.1", "refusal.ocs.not_your_unit", unit=name)
    if name in order.units:
        return refuse("OCS 10.0e", "refusal.ocs.fires_once", unit=name)
    if not state.counter(name).artillery:
        return refuse("OCS 10.1", "refusal.ocs.no_artillery", unit=name)
    if state.units[name].barraged:
        return refuse("OCS 10.0e", "refusal.ocs.has_fired", unit=name)
    held = rules(state.charts).holds_back(state, name)
    if held:
        return refuse(held, "refusal.ocs.held_back", pick=name)
    if name not in barrage.gunners(state, asked.seat):
        return refuse("OCS 10.0e", "refusal.ocs.may_not_fire_now", unit=name)
    if not barrage.in_range(state, name, state.charts.board.hex(order.hex)):
        return refuse("OCS 10.1a", "refusal.ocs.out_of_range_of", unit=name, hex=order.hex)
    if not rules(state.charts).fire_together(state, (*order.units, name)):
        return refuse("HR 3.5a", "refusal.ocs.fires_from_one_hex", unit=name)
    return refuse("OCS 10.1b", "refusal.ocs.barrage_not_payable", hex=order.hex)


def _why_none(asked: Asked[State], aim: str) -> Refusal:
    state = asked.state
    guns = barrage.gunners(state, asked.seat)
    if not guns:
        return refuse("OCS 10.0e", "refusal.ocs.no_artillery_left")
    done = hexsets.listed(state.phase_use.barraged)
    if any(barrage.in_range(state, gun, i) for gun in guns for i in done):
        return refuse("OCS 10.0e", "refusal.ocs.all_barraged")
    return refuse("OCS 10.1", f"refusal.ocs.no_target_{aim}")


def declare(table: Table[State], aim: str, i: int, names: Sequence[str], least: int = 0) -> None:
    """OCS 10.0, 10.1b Announce a barrage of artillery and ask for its cost. `least`: the least
    strength of a lower column on which it is fired, 0 for its own."""
    state = table.state
    side = state.side(names[0])
    column = column_for(state, aim, names, least)
    table.emit(
        BarrageDeclared(
            side,
            ARTILLERY,
            fog.hidden(state, side, tuple(sorted(names))),
            aim,
            state.charts.board.name(i),
            column,
        )
    )
    table.call(BOMBARDMENT)
    payment.ask(
        table,
        bill_for(state, aim, i, names, column),
    )


def column_for(state: State, aim: str, names: Sequence[str], least: int) -> int:
    """OCS 10.0 The column that is named by its least strength, or with 0 that of these units."""
    charted = barrage.table_of(state, aim)
    return charted.column(least) if least else barrage.column_of(state, aim, names)


def bill_for(state: State, aim: str, i: int, names: Sequence[str], column: int) -> Bill:
    """OCS 10.1b What a barrage on a column costs, all of it out of one HQ or one dump."""
    return Bill(
        state.side(names[0]),
        PURPOSE,
        tuple(sorted(names)),
        barrage.cost(state, aim, column),
        one_source=True,
        target=i,
    )


class Bombardment(Asking[State]):
    """OCS 10.0a, 10.1b A barrage of artillery once its payment is over: it falls, then the owner of
    the target says who takes the steps, `lose UNIT`. Which unit is kept from the enemy
    (OCS R-18)."""

    verb_slot = "ocs.shelled"

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-18 Only the steps are told."""
        return veiled(asked.state)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The targeted player, while steps are owed and somebody is left to take them. In the open
        nobody is asked about a single taker; under fog that would reveal that there is only one."""
        state = at.state
        if state.bill is not None:
            return {}
        fire = in_progress(state)
        left = barrage.takers(state, fire) if fire.owed else ()
        if not left or (len(left) == 1 and not veiled(state)):
            return {}
        return {
            state.enemy(fire.side): Decision(
                say("prompt.ocs.shelled", "OCS 10.0a", number=fire.owed)
            )
        }

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Read the payment and fire; take a step that only one unit can take; be done."""
        state = table.state
        fire = in_progress(state)
        if state.bill is not None:
            paid = payment.outcome(state) == payment.SUPPLY
            payment.close(table)
            if not paid:
                table.emit(BarrageVoid())
                table.done()
                return
            points = barrage.strength(state, fire.units)
            if fire.aim == UNITS:
                spotter = barrage.spotted(state, fire.units, fire.target)
                barrage.fall(table, points, spotter=spotter)
            else:
                barrage.fall_on_base(table, points)
            return
        left = barrage.takers(state, fire) if fire.owed else ()
        if left:
            self._take(table, left[0])
            return
        table.emit(BarrageOver())
        table.done()

    def commands(self) -> Commands[State]:
        """`lose UNIT`."""
        return (
            Command(
                "lose",
                Shot,
                Slot("unit", "ocs.unit", _takers, _why_not_taker),
                apply=lambda table, asked, order: self._take(table, order.unit),
            ),
        )

    def _take(self, table: Table[State], unit: str) -> None:
        table.emit(ShellLossTaken())
        lose(table, unit, why=barrage.WHY)


def _takers(asked: Asked[State], order: Shot) -> Iterable[str]:
    return barrage.takers(asked.state, in_progress(asked.state))


def _why_not_taker(asked: Asked[State], order: Shot, pick: Pick) -> Refusal:
    return refuse("OCS 10.0a", "refusal.ocs.not_in_target", unit=str(pick))


STEPS: Mapping[str, Step[State]] = {SEGMENT: Artillery(), BOMBARDMENT: Bombardment()}
