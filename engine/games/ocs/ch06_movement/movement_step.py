"""OCS 6.1, 5.7b, 12.5: the step in which a side's units move: moves, fuel, release. How they move
is in `movement`."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog, overstacked, staying, zones
from warledger.engine.games.ocs.ch06_movement import movement_refusals
from warledger.engine.games.ocs.ch06_movement.movement import (
    MOVING,
    MoveOrder,
    UnderWay,
    anybody_moves,
    changed_modes,
    interrupted,
    on_offer,
    read,
    set_aside,
)
from warledger.engine.games.ocs.ch12_supply import fuel
from warledger.engine.games.ocs.ch17_weather import weather
from warledger.engine.games.ocs.series.events import ModeChanged, Moved, Released
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, RESERVE, State
from warledger.engine.kernel.commands import (
    Asked,
    Asking,
    Command,
    Commands,
    Free,
    Many,
    Slot,
    word,
)
from warledger.engine.kernel.lazy import Lazy
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Refusal, Say, Seat, Step

DONE, FUEL = "done", "fuel"

_IDLE = (DONE, FUEL, staying.STAY, "gather", "leave")
"""Commands that alone are not a reason to ask."""


@frozen
class FuelOrder:
    """OCS 12.5c The formation, HQ or unit that is fuelled; `how`: a formation by the game's
    sparing fuel."""

    what: str = ""
    how: str = ""


@frozen
class ReleaseOrder:
    """OCS 5.7b The units that give up their Reserve markers."""

    units: tuple[str, ...] = ()


Entered = Callable[[Table[State], tuple[str, ...], int], None]
"""What happens as units enter a hex, such as captures (9.14)."""


def nothing(table: Table[State], units: tuple[str, ...], at: int) -> None:
    """No rule is carried out on entry."""


class Moving(Asking[State]):
    """OCS 6.1, 2.3 C2, E1, G1 The acting side moves its units, one move after another, until it is
    `done`. `entered` is called for each hex that attack-capable units enter; `more` are commands of
    other chapters."""

    verb_slot = "ocs.movement"

    def __init__(self, entered: Entered = nothing, more: Commands[State] = ()) -> None:
        self._entered = entered
        self._more = more

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The acting side. In the open it is passed over in the Reaction and Exploitation Phases
        when it can do nothing. Under fog that would tell what lies below."""
        state = at.state
        if state.bill is not None:
            return {}
        side = zones.mover(state)
        if self._idle(Asked(at, frame, side)):
            return {}
        grounded = bool(self._more) and weather.grounds(state)
        key = "moving_grounded" if grounded else "moving"
        return {side: Decision(Say(f"prompt.ocs.{key}", (), "OCS 6.1"))}

    def _idle(self, asked: Asked[State]) -> bool:
        """OCS 2.3 Whether there is nothing to do, as everybody sees, but to pay fuel for nobody and
        to arrange formation markers."""
        if fog.strict(asked.state) or asked.state.segment in zones.MOVEMENT:
            return False
        return not any(
            command.verb not in _IDLE and (command.when is None or command.when(asked))
            for command in self._commands.values()
        )

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 12.5c Fuel has been paid for, or not; or nobody has anything to do."""
        if table.state.bill is not None:
            fuel.settled(table)
        else:
            interrupted(table, ())
            table.done()

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-16 Who moves along is hidden."""
        return fog.strict(asked.state)

    def commands(self) -> Commands[State]:
        """move, fuel, release, stay, done, and those of other chapters."""
        return (
            Command(
                "move",
                MoveOrder,
                Free(
                    "going",
                    lambda asked, picks: read(asked.state, picks),
                    on_offer,
                    movement_refusals.why_not,
                    form="HEX | FORMATION | UNITS … [MODE] HEXES … [MODE]",
                ),
                apply=self._move,
                preview=_move_preview,
                when=lambda asked: anybody_moves(asked.state),
                why=lambda asked: Refusal("OCS 6.1", "refusal.ocs.nobody_moves"),
            ),
            Command(
                FUEL,
                FuelOrder,
                Slot(
                    "what",
                    "ocs.fuel",
                    _fuelled,
                    movement_refusals.why_no_fuel,
                ),
                Slot(
                    "how",
                    "ocs.fuel_how",
                    _sparing,
                    movement_refusals.why_not_sparing,
                    optional=_at_its_price,
                ),
                apply=lambda table, asked, order: fuel.ask(table, order.what, order.how),
                preview=_fuel_preview,
                when=lambda asked: fuel.anything_to_fuel(asked.state, asked.seat),
                why=lambda asked: Refusal("OCS 12.5", "refusal.ocs.nothing_to_fuel"),
            ),
            Command(
                "release",
                ReleaseOrder,
                Many("units", "ocs.reserve", _releasable, movement_refusals.why_not_released),
                apply=self._release,
                when=lambda asked: bool(releasable(asked.state)),
            ),
            staying.command(),
            *self._more,
            word(
                DONE,
                self._done,
                when=lambda asked: not _owing(asked),
                why=_why_not_done,
                preview=lambda asked: overstacked.warned(asked.state, asked.seat),
            ),
        )

    def _move(self, table: Table[State], asked: Asked[State], order: MoveOrder) -> None:
        going = order.going
        state = table.state
        side = state.side(going.units[0])
        interrupted(table, going.units, going.mode)
        changes = changed_modes(state, going.units, going.mode) if going.mode else ()
        if not changes and fog.strict(state):
            # Whether modes change is not told but by the shown unit (OCS R-13).
            changes = (ModeChanged(side, fog.hidden(state, side, ())),)
        for change in changes:
            table.emit(change)
        if not going.legs:
            table.emit(UnderWay(side, fog.hidden(state, side, going.units), ()))
            return
        fuel.supply_singly(table, going.units)
        staying.hold(table, going.held, staying.MARCH)
        after = going.after
        assert after is not None, "what is carried out has been planned"
        # One event however many waypoints were named: those are the mover's to know.
        way = tuple(i for leg in going.legs for i in leg)
        names = tuple(state.charts.board.name(i) for i in way)
        spent = tuple(after.units[n].spent - state.units[n].spent for n in going.units)
        table.emit(
            Moved(fog.hidden(state, side, going.units), names, fog.hidden(state, side, spent))
        )
        table.emit(UnderWay(side, fog.hidden(state, side, going.units), names))
        for i in way:
            self._entered(table, going.units, i)

    def _release(self, table: Table[State], asked: Asked[State], order: ReleaseOrder) -> None:
        state = table.state
        table.emit(Released(asked.seat, fog.hidden(state, asked.seat, order.units)))

    def _done(self, table: Table[State], asked: Asked[State]) -> None:
        interrupted(table, ())
        table.done()


def _owing(asked: Asked[State]) -> Sequence[str]:
    """OCS 6.1 Units that have yet to move by the game's rules."""
    return rules(asked.state.charts).must_move(asked.state, asked.seat)


def _why_not_done(asked: Asked[State]) -> Refusal:
    return Refusal("OCS 6.1", "refusal.ocs.must_move", (("units", tuple(_owing(asked))),))


def _move_preview(asked: Asked[State], order: MoveOrder) -> tuple[Say, ...]:
    """OCS 4.5b Whom the move holds, by its fuel and by its way."""
    going = order.going
    if not going.legs:
        return ()
    begun = set_aside(asked.state, going.units)
    return staying.told(tuple(dict.fromkeys((*fuel.relied_on(begun, going.units), *going.held))))


def _fuelled(asked: Asked[State], order: FuelOrder) -> Lazy:
    """OCS 12.5c What can be fuelled."""
    state, seat = asked.state, asked.seat
    return Lazy(
        lambda: fuel.may_fuel(state, seat),
        lambda pick: type(pick) is str and fuel.can_be_fuelled(state, seat, pick),
    )


def _sparing(asked: Asked[State], order: FuelOrder) -> Iterable[str]:
    """OCS 12.5c Whether the formation can have the game's sparing fuel."""
    return (fuel.SPARING,) if order.what in fuel.may_spare(asked.state, asked.seat) else ()


def _at_its_price(asked: Asked[State], order: FuelOrder) -> bool:
    """OCS 12.5c Whether the fuel can be paid for as the series has it."""
    state = asked.state
    return order.what not in state.formations or order.what in fuel.formations(state, asked.seat)


def _fuel_preview(asked: Asked[State], order: FuelOrder) -> tuple[Say, ...]:
    if not order.what or not (order.how or _at_its_price(asked, order)):
        return ()
    return fuel.reckoned(asked.state, order.what, order.how)


def releasable(state: State) -> tuple[str, ...]:
    """OCS 5.7b Units in Reserve that may be released now: in the movement segment of their own
    Reaction and Exploitation Phases."""
    if state.segment not in (*zones.REACTION, *zones.EXPLOITATION):
        return ()
    side = zones.mover(state)
    return tuple(
        name
        for name, unit in state.units.items()
        if unit.marker == RESERVE and unit.at != OFF_MAP and state.side(name) == side
    )


def _releasable(asked: Asked[State], order: ReleaseOrder) -> Iterable[str]:
    return [name for name in releasable(asked.state) if name not in order.units]


STEPS: Mapping[str, Step[State]] = {MOVING: Moving()}
