"""Chapters 1 and 5, and the title as the kernel sees it: the sequence of play as one table, the
steps, the options, the end."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.rulings import in_force
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Margin, Outcome, Seat, Step, Switch, event
from warledger.engine.testing.skirmish import assault, chits, march
from warledger.engine.testing.skirmish.data import SIDES, game_data
from warledger.engine.testing.skirmish.describe import description
from warledger.engine.testing.skirmish.state import State, Unit, other
from warledger.protocol import canon
from warledger.protocol.board.choices import say
from warledger.protocol.board.description import Description
from warledger.protocol.board.effects import Effect, opening, phase, put, tell, track
from warledger.protocol.log.records import Genesis

SWITCHES = (Switch("long_game", False, (False, True), "1.1"),)

SEQUENCES: Mapping[str, tuple[str, ...]] = {
    "game": ("lay_out", "turns"),
    "turn": ("choose", "draw", "turn_end"),
}

after = ByEvent()
draws = ByEvent()


# --- what happens ---------------------------------------------------------------------------------


@event("laid_out")
class LaidOut:
    """1 The units stand where the set-up says."""


@event("turn_began")
class TurnBegan:
    """1.1 A turn begins."""

    turn: int


@event("turn_over")
class TurnOver:
    """1.1 It is over."""


@after(LaidOut)
def _laid_out(state: State, event: LaidOut) -> State:
    return replace(state, units={name: Unit(hex) for name, hex in state.data.starts.items()})


@after(TurnBegan)
def _turn_began(state: State, event: TurnBegan) -> State:
    return replace(state, turn=event.turn)


after.unchanged(TurnOver)


@draws(LaidOut)
def _draw_laid_out(before: State, event: LaidOut, state: State) -> Iterable[Effect]:
    yield from _units(state)
    yield tell("skirmish.laid_out", "1")


@draws(TurnOver)
def _draw_turn_over(before: State, event: TurnOver, state: State) -> Iterable[Effect]:
    return ()  # `Table.turn_over` tells clients


@draws(TurnBegan)
def _draw_turn(before: State, event: TurnBegan, state: State) -> Iterable[Effect]:
    yield opening("turn", "skirmish.turn_span", turn=event.turn)
    yield track("turn", event.turn)
    yield phase("phase.skirmish.chits")
    yield tell("skirmish.turn", "1.1", turn=event.turn, last=state.data.last_turn)


def _units(state: State) -> Iterable[Effect]:
    for name, unit in state.units.items():
        face = "reduced" if unit.reduced else "full"
        yield put(name, state.data.name(unit.hex), face, state.printed(name).side)


# --- steps ----------------------------------------------------------------------------------------


class LayOut(Step[State]):
    """1 The game begins."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Put the units on the map."""
        table.emit(LaidOut())
        table.done()


class Turns(Step[State]):
    """1.1 One turn after the other."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Begin the next."""
        table.emit(TurnBegan(table.state.turn + 1))
        table.call("turn")


class TurnEnd(Step[State]):
    """1.1 A turn ends, and with it the stretch of dice that were drawn in it."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """End it."""
        table.emit(TurnOver())
        table.turn_over()
        table.done()


# --- the title ------------------------------------------------------------------------------------

_EVOLVE: Mapping[type[Any], Callable[[State, Any], State]] = {
    **after,
    **chits.after,
    **march.after,
    **assault.after,
}
_EFFECTS: Mapping[type[Any], Callable[[State, Any, State], Iterable[Effect]]] = {
    **draws,
    **chits.draws,
    **march.draws,
    **assault.draws,
}


class Title:
    """The rules of Skirmish."""

    title = "skirmish"
    version = "1"
    folders = ("warledger.engine.testing.skirmish",)
    seats = SIDES
    switches = SWITCHES
    sequences = SEQUENCES
    steps: Mapping[str, Step[State]] = {
        "lay_out": LayOut(),
        "turns": Turns(),
        "turn_end": TurnEnd(),
        **chits.STEPS,
        **march.STEPS,
        **assault.STEPS,
    }
    events: tuple[type[Any], ...] = tuple(_EVOLVE)

    def initial(self, genesis: Genesis) -> State:
        """The state before anything has happened: the pack indexed, and no unit on the map."""
        options = in_force(SWITCHES, genesis.options)
        data = game_data(canon.unpack_trusted(genesis.pack), long_game=options["long_game"])
        return State(data, units={})

    def triggers(self, table: Table[State], event: Any) -> None:
        """Nothing follows from an event by itself."""

    def evolve(self, state: State, event: Any) -> State:
        """The state after an event."""
        return _EVOLVE[type(event)](state, event)

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        """What clients draw and tell of an event."""
        return _EFFECTS[type(event)](before, event, after)

    def picture(self, state: State) -> Iterable[Effect]:
        """The whole table on an empty board."""
        yield from _units(state)
        yield from chits.picture(state)
        yield from march.picture(state)
        yield track("turn", state.turn)

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """1.1 The turns that the option gives the game."""
        return int(pack["tables"]["turns"]["long" if options["long_game"] else "short"])

    def describe(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
        """What clients draw a game from."""
        return description(pack)

    def outcome(self, at: Position[State]) -> Outcome | None:
        """5.2, 5.3 The result, once there is one."""
        state = at.state
        if not state.turn:
            return None
        for side in SIDES:
            if not state.of(side):
                return Outcome(other(side), say("skirmish.destroyed", "5.2", side=side))
        if at.top.name != "turns" or state.turn < state.data.last_turn:
            return None
        red, blue = self.score(at).values()
        if red == blue:
            return Outcome(None, say("skirmish.drawn_game", "5.3", towns=red))
        winner = SIDES[0] if red > blue else SIDES[1]
        return Outcome(winner, say("skirmish.won", "5.3", side=winner, towns=max(red, blue)))

    def score(self, at: Position[State]) -> Mapping[Seat, int]:
        """5.1 The towns that each side holds. The last record of a game tells them."""
        held = at.state.held.values()
        return {side: sum(holder == side for holder in held) for side in SIDES}

    def margin(self, at: Position[State]) -> Margin:
        """5.3 The side that holds more towns would win."""
        red, blue = self.score(at).values()
        winner = None if red == blue else SIDES[0] if red > blue else SIDES[1]
        return Margin(winner, "town")

    def invariants(self, state: State) -> None:
        """1 Never two units in a hex."""
        assert len(state.occupied()) == len(state.units), "two units in a hex"


RULES = Title()
