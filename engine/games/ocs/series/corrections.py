"""What an arbiter may set right: who controls a hex (13.3h). Where everything lies open (4.9) also
where a unit stands (4.8), its mode (5.2), steps left (4.6), whether it is OOS (12.8), its internal
stocks (12.10), and supply on the ground (12.1).

A correction is in the open, and under fog of war it would show what it concerns: there only control
is offered, and the rest is taken back. Nothing is offered in the middle of a move, a combat, a
barrage or a mission, or while something is being paid.
"""

from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch03_counters.counters import COMBAT, MOVE
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.stacking import fits
from warledger.engine.games.ocs.ch13_special_units.control import held
from warledger.engine.games.ocs.series.events import ControlTaken
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import (
    DG,
    EXHAUSTED,
    FULL,
    LOW,
    NOT_ARRIVED,
    OFF_MAP,
    State,
    changed,
    with_supply,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Choices, Picks, Seat, Step, event
from warledger.protocol.board.choices import WHOLE, Pick, offer

CONTROL, PLACE, REMOVE, MODE = "control", "place", "remove", "mode"
STEPS_LEFT, TRACE, STOCKS, LYING = "steps", "trace", "stocks", "lying"
SUPPLIED, CUT_OFF = "in_supply", "out_of_supply"
STOCKED = {"full": FULL, "low": LOW, "exhausted": EXHAUSTED}
"""OCS 12.10 The words for internal stocks."""
TOKENS_MAX = 400
"""OCS 12.1 T in one hex: a hundred SP, more than a scenario lays in one."""

# --- events ---------------------------------------------------------------------------------------


@event("ocs.corrected_place")
class PlaceCorrected:
    """OCS 4.8, 9.4 A unit stands elsewhere: in a hex, or off the map in `where`."""

    unit: str
    hex: str
    where: str


@event("ocs.corrected_mode")
class ModeCorrected:
    """OCS 5.2 A unit shows this side, with this marker ("" for none)."""

    unit: str
    move_side: bool
    marker: str


@event("ocs.corrected_steps")
class StepsCorrected:
    """OCS 4.6 A unit has lost this number of steps."""

    unit: str
    lost: int


@event("ocs.corrected_trace")
class TraceCorrected:
    """OCS 12.8 A unit is marked out of supply, or is not."""

    unit: str
    oos: bool


@event("ocs.corrected_stocks")
class StocksCorrected:
    """OCS 12.10 A unit has these internal stocks."""

    unit: str
    stocks: int


@event("ocs.corrected_lying")
class LyingCorrected:
    """OCS 12.1 This many T more (or fewer) of a side lie in a hex. The sum of what has come into
    the game changes with them."""

    side: str
    hex: str
    tokens: int


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(PlaceCorrected)
def _place(state: State, event: PlaceCorrected) -> State:
    """OCS 4.8 It stands there; OCS 4.6 what comes back has one step at least."""
    old = state.units[event.unit]
    at = state.charts.board.hex(event.hex) if event.hex else OFF_MAP
    lost = min(old.lost, max(state.counter(event.unit).steps - 1, 0))
    return changed(state, {event.unit: replace(old, at=at, where=event.where, lost=lost)})


@after(ModeCorrected)
def _mode(state: State, event: ModeCorrected) -> State:
    return _unit(state, event.unit, move_side=event.move_side, marker=event.marker)


@after(StepsCorrected)
def _steps(state: State, event: StepsCorrected) -> State:
    return _unit(state, event.unit, lost=event.lost)


@after(TraceCorrected)
def _trace(state: State, event: TraceCorrected) -> State:
    return _unit(state, event.unit, oos=event.oos, cut_turns=0)


@after(StocksCorrected)
def _stocks(state: State, event: StocksCorrected) -> State:
    return _unit(state, event.unit, stocks=event.stocks)


@after(LyingCorrected)
def _lying(state: State, event: LyingCorrected) -> State:
    """OCS 12.1 It counts as supply that has come, so that the sum stays right."""
    lies = with_supply(state, event.side, state.charts.board.hex(event.hex), event.tokens)
    come = {**state.come_sp, event.side: state.come_sp[event.side] + event.tokens}
    return replace(lies, come_sp=come)


def _unit(state: State, name: str, **changes: Any) -> State:
    return changed(state, {name: replace(state.units[name], **changes)})


# --- the door -------------------------------------------------------------------------------------


def at_rest(state: State) -> bool:
    """OCS 6.1, 9.3, 10.0, 12.4, 14.2 Nothing is in progress that a correction could break off."""
    busy = state.move, state.battle, state.fire, state.sortie, state.bill, state.refit
    return bool(state.segment) and all(one is None for one in busy)


def on_map(state: State) -> tuple[str, ...]:
    """OCS 4.8 The units on the map."""
    return tuple(name for name, unit in state.units.items() if unit.at != OFF_MAP)


def placeable(state: State) -> tuple[str, ...]:
    """OCS 4.8, 9.4 The units on the map, and those in the pile of the lost."""
    pile = rules(state.charts).pile
    return tuple(
        name
        for name, unit in state.units.items()
        if unit.at != OFF_MAP
        or (unit.where != NOT_ARRIVED and unit.where == pile(state.charts, name))
    )


def hexes(state: State, name: str) -> tuple[str, ...]:
    """OCS 4.8a, 4.8c Where a unit may stand: in play, not with enemy units, within the limit. What
    no unit may enter (6.2c) the position itself refuses."""
    board, side = state.charts.board, state.side(name)
    enemy = state.field.occupied[state.enemy(side)]
    return tuple(
        board.name(i)
        for i in hexsets.listed(state.charts.scenario.play & ~enemy)
        if i != state.units[name].at and fits(state, (name,), i)
    )


def modes(state: State, name: str) -> tuple[str, ...]:
    """OCS 5.2 The modes that a unit could be in, except those that a phase gives it: its printed
    sides, and DG."""
    counter, now = state.counter(name), state.units[name].mode
    printed = {COMBAT: counter.face(False), MOVE: counter.face(True)}
    found = [mode for mode, face in printed.items() if face is not None]
    if counter.combat_unit:
        found.append(DG)
    return tuple(mode for mode in found if mode != now)


def disputable(state: State, side: str) -> tuple[str, ...]:
    """OCS 13.3h The hexes whose control a side may be given: where no attack-capable unit of the
    enemy stands, who would take it at once."""
    enemy = state.enemy(side)
    there = state.charts.scenario.play & ~state.control[side]
    name = state.charts.board.name
    return tuple(name(i) for i in hexsets.listed(there) if not held(state, enemy, i))


class Corrections(Step[State]):
    """OCS 4.8, 13.3h `control SIDE HEX`. In the open also `place UNIT HEX`, `remove UNIT`, `mode
    UNIT MODE`, `steps UNIT n`, `trace UNIT WORD`, `stocks UNIT WORD` and `lying SIDE HEX n`, in
    T."""

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """OCS 4.9, 13.3h What may be set right."""
        state = at.state
        if not picks:
            return offer("verb", self._verbs(at))
        verb, *rest = picks
        if len(rest) == {REMOVE: 1, LYING: 3}.get(str(verb), 2):
            return WHOLE
        if not rest:
            return self._what(state, verb)
        name = str(rest[0])
        if verb == CONTROL:
            return offer("correct_hex", disputable(state, name))
        if verb == PLACE:
            return offer("correct_hex", hexes(state, name))
        if verb == MODE:
            return offer("correct_mode", modes(state, name))
        if verb == STEPS_LEFT:
            return Choices("correct_steps", span=(1, state.counter(name).steps))
        if verb == TRACE:
            return offer("correct_supply", (SUPPLIED if state.units[name].oos else CUT_OFF,))
        if verb == STOCKS:
            now = state.units[name].stocks
            return offer("correct_stocks", [word for word, n in STOCKED.items() if n != now])
        if len(rest) == 1:
            board, play = state.charts.board, state.charts.scenario.play
            return offer("correct_hex", [board.name(i) for i in hexsets.listed(play)])
        return Choices("correct_lying", span=(0, TOKENS_MAX))

    def _verbs(self, at: Position[State]) -> tuple[str, ...]:
        # A step of a turn is told which turn it is; one that is told more stands in the middle.
        if at.top.args not in ((), (at.state.turn,)) or not at_rest(at.state):
            return ()
        if fog.strict(at.state):
            return (CONTROL,)
        return (CONTROL, PLACE, REMOVE, MODE, STEPS_LEFT, TRACE, STOCKS, LYING)

    def _what(self, state: State, verb: Pick) -> Choices:
        if verb in (CONTROL, LYING):
            return offer("correct_side", state.charts.sides)
        if verb == PLACE:
            return offer("correct_unit", placeable(state))
        units = on_map(state)
        if verb == REMOVE:
            # 12.1 What it carries would go with it.
            return offer("correct_unit", [name for name in units if not state.units[name].load])
        if verb == STEPS_LEFT:
            found = [name for name in units if state.counter(name).multi_step]
        elif verb == MODE:
            found = [name for name in units if modes(state, name)]
        else:
            found = [name for name in units if state.counter(name).combat_unit]
        return offer("correct_unit", found)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """OCS 4.8, 13.3h Set it right; what the rules do at once follows."""
        state = table.state
        verb, what, *rest = picks
        name = str(what)
        if verb == CONTROL:
            table.emit(ControlTaken(name, (str(rest[0]),)))
        elif verb == PLACE:
            table.emit(PlaceCorrected(name, str(rest[0]), ""))
        elif verb == REMOVE:
            table.emit(PlaceCorrected(name, "", rules(state.charts).pile(state.charts, name)))
        elif verb == MODE:
            old, mode = state.units[name], rest[0]
            move_side = old.move_side if mode == DG else mode == MOVE
            table.emit(ModeCorrected(name, move_side, DG if mode == DG else ""))
        elif verb == STEPS_LEFT:
            table.emit(StepsCorrected(name, state.counter(name).steps - int(rest[0])))
        elif verb == TRACE:
            table.emit(TraceCorrected(name, rest[0] == CUT_OFF))
        elif verb == STOCKS:
            table.emit(StocksCorrected(name, STOCKED[str(rest[0])]))
        else:
            at, tokens = str(rest[0]), int(rest[1])
            lying = state.supply[name].get(state.charts.board.hex(at), 0)
            if tokens != lying:
                table.emit(LyingCorrected(name, at, tokens - lying))


CORRECTIONS = Corrections()
