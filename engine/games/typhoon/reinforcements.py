"""12.0 Reinforcements by rail, the return of evacuated units (11.2), the Moscow garrison (14.3) and
the Guards conversion (15.2)."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.chitpull import lines
from warledger.engine.games.chitpull.sides import ENEMY, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP, hex_at
from warledger.engine.games.typhoon.data import DATA_MAX, RIFLE, Data
from warledger.engine.games.typhoon.draw import put_piece
from warledger.engine.games.typhoon.movement import has_room, why_not_stacked
from warledger.engine.games.typhoon.state import (
    AVAILABLE,
    ELIMINATED,
    EVACUATED,
    GD_CONVERT,
    Intake,
    State,
    changed,
    relocated,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.lazy import Lazy
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, phase, take, tell, track

# --- events ---------------------------------------------------------------------------------------


@event("intake")
class IntakeOpened:
    """12.2(1), 14.3(1), 15.2(1) A reinforcement command: units from the box, garrison units,
    conversions to Guards."""

    side: str
    units: int
    garrison: int
    conversions: int


@event("placed")
class Placed:
    """12.1, 14.3(3) A reinforcement is placed."""

    unit: str
    hex: str


@event("converted")
class Converted:
    """15.2(2) A rifle division makes way for a Guards division."""

    unit: str
    guards: str


@event("intake_over")
class IntakeClosed:
    """12.2(2), 14.3(3) The reinforcement command is over; garrison units that found no room are
    carried over."""

    side: str
    carried: int


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


def is_garrison(state: State, name: str) -> bool:
    """14.3(4) Whether a unit waits to be deployed as Moscow garrison for the first time."""
    return state.data.types[name].group == "moscow" and name not in state.deployed


@after(IntakeOpened)
def _intake(state: State, event: IntakeOpened) -> State:
    return changed(
        state,
        intake=Intake(event.side, event.units, event.conversions),
        garrison=state.garrison + event.garrison,
    )


@after(Placed)
def _placed(state: State, event: Placed) -> State:
    intake, garrison, deployed, evacuated = (
        state.intake,
        state.garrison,
        state.deployed,
        state.evacuated,
    )
    if event.unit in evacuated:
        evacuated = {name: turn for name, turn in evacuated.items() if name != event.unit}
        counts = bool(state.option("evacuated_units_count_against_reinf"))
    else:
        counts = not is_garrison(state, event.unit)
    if is_garrison(state, event.unit):
        garrison -= 1
        deployed = deployed | {event.unit}
    if intake is not None and counts:
        intake = replace(intake, left=intake.left - 1)
    placed = relocated(state, event.unit, state.data.hex(event.hex))
    return changed(placed, intake=intake, garrison=garrison, deployed=deployed, evacuated=evacuated)


@after(Converted)
def _converted(state: State, event: Converted) -> State:
    at = state.units[event.unit].at
    state = relocated(
        relocated(state, event.unit, OFF_MAP, ELIMINATED, fresh=True), event.guards, at, fresh=True
    )
    intake = state.intake
    return (
        state
        if intake is None
        else changed(state, intake=replace(intake, conversions=intake.conversions - 1))
    )


@after(IntakeClosed)
def _intake_over(state: State, event: IntakeClosed) -> State:
    return changed(
        state, intake=None, garrison=event.carried if event.side == SOVIET else state.garrison
    )


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(IntakeOpened)
def _draw_intake(before: State, event: IntakeOpened, after: State) -> Iterable[Effect]:
    yield phase("phase.typhoon.reinforcements")
    yield track("garrison", after.garrison)
    yield tell("typhoon.intake", "12.2(1)", side=event.side, n=event.units)
    if event.garrison:
        yield tell("typhoon.garrison", "14.3(1)", n=event.garrison)
    if event.conversions:
        yield tell("typhoon.conversions", "15.2", n=event.conversions)


@draws(Placed)
def _draw_placed(before: State, event: Placed, after: State) -> Iterable[Effect]:
    yield put_piece(after, event.unit)
    yield track("garrison", after.garrison)
    yield tell("typhoon.placed", "12.1", unit=event.unit, hex=event.hex)


@draws(Converted)
def _draw_converted(before: State, event: Converted, after: State) -> Iterable[Effect]:
    yield take(event.unit, after.units[event.unit].where)
    yield put_piece(after, event.unit)
    yield put_piece(after, event.guards)
    yield tell("typhoon.converted", "15.2(2)", unit=event.unit, guards=event.guards)


@draws(IntakeClosed)
def _draw_intake_over(before: State, event: IntakeClosed, after: State) -> Iterable[Effect]:
    yield track("garrison", after.garrison)
    if event.carried:
        yield tell("typhoon.carried", "14.3(3)", n=event.carried)


# --- 12.1 where -----------------------------------------------------------------------------------


RAILWAYS_MAX = 32
"""Networks of usable railways that are remembered: what a side places there changes none of its
enemy's zones."""


@lru_cache(maxsize=RAILWAYS_MAX)
def _joined(net: lines.Spread, sources: int, clear: int) -> Mapping[int, None]:
    """The clear hexes that a net joins to the sources, in rising order."""
    return dict.fromkeys(hexsets.listed(lines.reached(net, sources, clear, clear)))


@lru_cache(maxsize=DATA_MAX)
def _railheads(data: Data, side: str) -> int:
    """12.1(1) The sources of a side that lie on a railway."""
    return hexsets.of(i for i in data.sources[side] if data.rail[i])


@remembered(of=lambda state, side: state.field)
def usable_railways(state: State, side: str) -> Mapping[int, None]:
    """12.1, 12.1(1), 12.1(2), R-33 Railway hexes that an unbroken path of railway joins to a
    friendly source, no hex of it with enemies or in an EZOC. A friendly unit there does not help.
    Weather does not matter, nor do 15.4's hexes help."""
    enemy = state.field.zones(ENEMY[side])
    clear = lines.empty_of(enemy.count) & lines.empty_of(enemy.pieces)
    return _joined(state.data.rail_spread, _railheads(state.data, side), clear)


def is_rail_hex(state: State, side: str, i: int) -> bool:
    """12.1(2) Whether a reinforcement may be put there, but for stacking: on a usable railway, in
    no enemy-controlled big city or town."""
    return i in usable_railways(state, side) and state.control.get(i, side) == side


def garrison_hexes(state: State) -> tuple[int, ...]:
    """14.3(3) Moscow hexes that the Soviets control; no LOC is needed, an EZOC is not a
    hindrance."""
    return tuple(i for i in state.data.moscow if state.control[i] == SOVIET)


def hexes_for(state: State, name: str) -> tuple[int, ...]:
    """12.1, 3.1(3), R-08 Where a reinforcement may be placed now, within stacking."""
    side = state.data.types[name].side
    if is_garrison(state, name):
        return tuple(i for i in garrison_hexes(state) if has_room(state, (name,), i))
    control = state.control
    return tuple(
        i
        for i in usable_railways(state, side)
        if control.get(i, side) == side and has_room(state, (name,), i)
    )


def fits_in(state: State, name: str, i: int) -> bool:
    """12.1, 3.1(3) Whether a reinforcement may be placed in a hex now."""
    good = (
        i in garrison_hexes(state)
        if is_garrison(state, name)
        else is_rail_hex(state, state.data.types[name].side, i)
    )
    return good and has_room(state, (name,), i)


# --- 12.2 who -------------------------------------------------------------------------------------


def waiting(state: State, intake: Intake) -> Iterator[str]:
    """12.2(1) One by one, the units that may be taken now: from the available box while the number
    allows (HQs count, 13.0(4)), and garrison units that have been received (R-40). So may units
    lifted on an earlier turn (11.2), which do not count (R-32, an option lets them)."""
    left, counted = intake.left, bool(state.option("evacuated_units_count_against_reinf"))
    received = state.garrison
    # nobody is taken from a box of which nothing is left to take
    available = AVAILABLE[intake.side] if left or received else None
    evacuated = EVACUATED[intake.side]
    for name, unit in state.units.items():
        where = unit.where
        if not where:
            continue  # most stand on the map
        if where == available:
            if received if is_garrison(state, name) else left:
                yield name
        elif where == evacuated and state.evacuated[name] < state.turn and (left or not counted):
            yield name


def placeable(state: State, intake: Intake) -> Iterator[str]:
    """12.2(1) One by one, the units that may be taken now and have a hex to go to."""
    by_rail = in_moscow = None
    for name in waiting(state, intake):
        if is_garrison(state, name):
            if in_moscow is None:
                in_moscow = bool(state.garrison) and any(
                    len(state.friends_in(SOVIET, i)) < state.data.stack
                    for i in garrison_hexes(state)
                )
            if in_moscow:
                yield name
        else:
            if by_rail is None:  # there is room for all of them, or for none
                by_rail = _room_by_rail(state, intake.side, name)
            if by_rail:
                yield name


def _room_by_rail(state: State, side: str, name: str) -> bool:
    """12.1, 3.1(3) Whether there is any hex on the railways where a unit may be placed now."""
    control, names = state.control, (name,)
    return any(
        control.get(i, side) == side and has_room(state, names, i)
        for i in usable_railways(state, side)
    )


def can_place(state: State, intake: Intake) -> bool:
    """12.2(1) Whether there is any such unit."""
    return next(placeable(state, intake), None) is not None


# --- 15.2 Guards ----------------------------------------------------------------------------------


def guards_waiting(state: State) -> tuple[str, ...]:
    """15.2, 2.1(2)1 The Guards divisions in the GD Convert box."""
    return tuple(name for name, unit in state.units.items() if unit.where == GD_CONVERT)


def convertible(state: State, intake: Intake) -> tuple[str, ...]:
    """15.2(2), R-43 Rifle divisions with a LOC, in an EZOC too; no garrison, cavalry, mechanised or
    Guards unit."""
    if not intake.conversions or not guards_waiting(state):
        return ()
    types = state.data.types
    return tuple(
        name
        for name, unit in state.units.items()
        if unit.at != OFF_MAP
        and types[name].side == SOVIET
        and types[name].kind == RIFLE
        and not types[name].service
        and not types[name].mech
        and state.field.has_loc(SOVIET, unit.at)
    )


# --- the steps ------------------------------------------------------------------------------------


class OpenIntake(Step[State]):
    """12.2(1) What the turn brings; 14.3(1) four garrison units on turns 5, 6 and 7; 15.2(1) the
    conversion on turn 8."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Announce it."""
        state = table.state
        side = str(frame.args[0])
        turn = state.data.turn(state.turn)
        garrison = 0
        if side == SOVIET:
            held = sum(
                1
                for name, unit in state.units.items()
                if unit.where == AVAILABLE[SOVIET] and is_garrison(state, name)
            )
            garrison = min(turn.garrison, held - state.garrison)
        on_turn, units = state.data.guards
        conversions = (
            units if side == SOVIET and state.option("guards") and state.turn == on_turn else 0
        )
        table.done()
        table.emit(IntakeOpened(side, turn.reinforcements[side], garrison, conversions))


@frozen
class Placing:
    """A unit that is placed, and its hex."""

    unit: str = ""
    hex: str = ""


@frozen
class Converting:
    """15.2 A rifle division that becomes a Guards division."""

    unit: str = ""


class TakeIn(Asking[State]):
    """12.0 The side places what it likes; R-34 what it does not use is lost."""

    verb_slot = "typhoon.verb"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, while it can place or convert anything."""
        state = at.state
        intake = state.intake
        if intake is None or not (can_place(state, intake) or convertible(state, intake)):
            return {}
        return {intake.side: Decision(say("prompt.typhoon.reinforcements", "12.0", n=intake.left))}

    def commands(self) -> Commands[State]:
        """12.0, 15.2 Place a unit on a hex, convert a division, or no more."""
        return (
            Command(
                "place",
                Placing,
                Slot("unit", "typhoon.unit", self._units, self._why_not_unit),
                Slot("hex", "typhoon.rail_hex", self._hexes, self._why_not_hex),
                apply=lambda table, asked, order: table.emit(Placed(order.unit, order.hex)),
                when=lambda asked: can_place(asked.state, self._intake(asked)),
                beyond=self._why_not_hex,
            ),
            Command(
                "convert",
                Converting,
                Slot("unit", "typhoon.unit", self._rifles, self._why_not_rifles),
                apply=self._convert,
                when=lambda asked: bool(convertible(asked.state, self._intake(asked))),
                beyond=self._why_not_rifles,
            ),
            word(
                "done",
                lambda table, asked: self._close(table, asked.seat),
                beyond=self.no_verb,
            ),
        )

    def _intake(self, asked: Asked[State]) -> Intake:
        intake = asked.state.intake
        assert intake is not None
        return intake

    def _units(self, asked: Asked[State], order: Placing) -> tuple[str, ...]:
        return tuple(placeable(asked.state, self._intake(asked)))

    def _hexes(self, asked: Asked[State], order: Placing) -> Lazy:
        state, grid = asked.state, asked.state.data.board.grid

        def has(pick: Pick) -> bool:
            i = hex_at(state, pick)
            return i != OFF_MAP and fits_in(state, order.unit, i)

        return Lazy(lambda: grid.names(hexes_for(state, order.unit)), has)

    def _rifles(self, asked: Asked[State], order: Converting) -> tuple[str, ...]:
        return convertible(asked.state, self._intake(asked))

    def _convert(self, table: Table[State], asked: Asked[State], order: Converting) -> None:
        """15.2 The division becomes the first of the Guards divisions."""
        table.emit(Converted(order.unit, guards_waiting(asked.state)[0]))

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """12.0 Nothing else is done now."""
        return refuse("12.0", "refusal.typhoon.verb", pick=str(verb))

    def _why_not_unit(self, asked: Asked[State], order: Placing, pick: Pick) -> Refusal:
        """12.2(1) Only what is available, no more; 11.2 not what was lifted this turn; 14.3(1)
        no garrison unit that has not been received."""
        state, intake, name = asked.state, self._intake(asked), str(pick)
        unit = state.units.get(name)
        where = "" if unit is None else unit.where
        if where == AVAILABLE[intake.side]:
            if is_garrison(state, name):
                return refuse("14.3(1)", "refusal.typhoon.not_available", unit=name)
            if not intake.left:
                return refuse("12.2(1)", "refusal.typhoon.no_more_units", unit=name)
        rule = "11.2" if where == EVACUATED[intake.side] else "12.2(1)"
        return refuse(rule, "refusal.typhoon.not_available", unit=name)

    def _why_not_hex(self, asked: Asked[State], order: Placing, pick: Pick) -> Refusal:
        """12.1(1) Only usable railways, 12.1(2) in no enemy town or EZOC; 14.3(3) the garrison only
        in Moscow; all within stacking."""
        state, side, name = asked.state, self._intake(asked).side, str(pick)
        i = hex_at(state, pick)
        if i == OFF_MAP:
            return refuse("2.1(1)5", "refusal.typhoon.no_such_hex", hex=name)
        if is_garrison(state, order.unit):
            full = why_not_stacked(state, (order.unit,), i) if i in garrison_hexes(state) else None
            return full or refuse("14.3(3)", "refusal.typhoon.not_moscow", hex=name)
        if i in usable_railways(state, side):
            if not is_rail_hex(state, side, i):
                return refuse("12.1(2)", "refusal.typhoon.enemy_town", hex=name)
            full = why_not_stacked(state, (order.unit,), i)
            if full is not None:
                return full
        if state.field.in_enemy_zone(side, i):
            return refuse("12.1(2)", "refusal.typhoon.placed_in_zone", hex=name)
        return refuse("12.1(1)", "refusal.typhoon.no_railway", hex=name)

    def _why_not_rifles(self, asked: Asked[State], order: Converting, pick: Pick) -> Refusal:
        """15.2(2) Only rifle divisions with a LOC."""
        return refuse("15.2(2)", "refusal.typhoon.not_convertible", unit=str(pick))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nothing can be placed or converted."""
        self._close(table, str(frame.args[0]))

    def _close(self, table: Table[State], side: str) -> None:
        """14.3(3), R-40 Garrison units that found no room are carried over; those that had room and
        were not taken are lost."""
        state = table.state
        room = sum(
            state.data.stack - len(state.friends_in(SOVIET, i)) for i in garrison_hexes(state)
        )
        carried = max(0, state.garrison - room) if side == SOVIET else 0
        table.done()
        table.emit(IntakeClosed(side, carried))


STEPS: Mapping[str, Step[State]] = {
    "open_intake": OpenIntake(),
    "take_in": TakeIn(),
}
