"""3.0 Set-up: the map laid out, both sides' forces in the hexes of their colours, and the secret
five.

R-03: one side sets up after the other. A counter may be placed anew until its side is ready;
"historical" puts the whole side where the pack's example has it. How that goes step by step stands
in engine/games/chitpull/setup.py: its `LayOut` puts out the map, the markers, and every counter
where it waits.
"""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.board.stacking import fits
from warledger.engine.games.chitpull import chits as cups
from warledger.engine.games.chitpull import setup
from warledger.engine.games.chitpull.setup import Deploying, LayOut, area_of
from warledger.engine.games.chitpull.sides import SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP, hex_at
from warledger.engine.games.victory_lost.command import soviet_hq_chits
from warledger.engine.games.victory_lost.draw import put_piece
from warledger.engine.games.victory_lost.picture import picture
from warledger.engine.games.victory_lost.stacking import why_not_stacked
from warledger.engine.games.victory_lost.state import State, changed, relocated
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Set
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, opening, phase, tell
from warledger.protocol.chance.seal import Secret

# --- events ---------------------------------------------------------------------------------------


@event("laid")
class BoardLaid:
    """3.0 The map is laid out: every counter waits to be set up or to arrive."""


@event("deployed")
class Deployed:
    """3.0 A counter is set up in a hex of its colour, or moved to another one."""

    counter: str
    hex: str


@event("set_up")
class SetUpDone:
    """3.0 A side has finished its set-up."""

    side: str


@event("five")
class FiveChosen:
    """3.0 The Soviet player has chosen the HQ chits of the whole game."""

    chits: Secret


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()
after.unchanged(BoardLaid)


@after(Deployed)
def _deployed(state: State, event: Deployed) -> State:
    return relocated(state, event.counter, state.data.hex(event.hex))


@after(SetUpDone)
def _set_up(state: State, event: SetUpDone) -> State:
    return changed(state, ready=state.ready | {event.side})


@after(FiveChosen)
def _five(state: State, event: FiveChosen) -> State:
    return changed(state, cup=replace(state.cup, five=event.chits))


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(BoardLaid)
def _draw_laid(before: State, event: BoardLaid, after: State) -> Iterable[Effect]:
    yield opening("game", "victory_lost.game")
    yield from picture(after)
    yield phase("phase.victory_lost.set_up")
    yield tell("victory_lost.laid", "3.0")


@draws(Deployed)
def _draw_deployed(before: State, event: Deployed, after: State) -> Iterable[Effect]:
    yield put_piece(after, event.counter)
    yield tell("victory_lost.deployed", "3.0", counter=event.counter, hex=event.hex)


@draws(SetUpDone)
def _draw_set_up(before: State, event: SetUpDone, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.set_up_done", "3.0", side=event.side)


@draws(FiveChosen)
def _draw_five(before: State, event: FiveChosen, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.five", "3.0", n=after.data.five)


class SetUp(setup.SetUp[State]):
    """3.0, R-03 A side sets up its forces."""

    verb_slot = "victory_lost.verb"
    unit_slot = "victory_lost.counter"
    hex_slot = "victory_lost.set_up_hex"
    preset = "historical"
    prompt = say("prompt.victory_lost.set_up", "3.0")
    placed = Deployed
    done = SetUpDone

    def places(self, state: State) -> Mapping[str, int]:
        """The pack's example."""
        return state.data.historical

    def room(self, state: State, name: str, i: int) -> bool:
        """3.0, 5.0.4 Whether a counter may be set up in a hex of its colour: within stacking, and
        not in the pocket while it is closed."""
        if state.field.closed(i):
            return False
        types = state.data.types
        friends = [types[other].piece for other in state.field.stacks.get(i, ())]
        return not friends or fits(state.data.limits, friends, types[name].piece)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """3.0 Nothing else is done now."""
        return refuse("3.0", "refusal.victory_lost.verb", pick=str(verb))

    def why_not_ready(self, asked: Asked[State]) -> Refusal:
        """3.0 A counter is left."""
        return refuse("3.0", "refusal.victory_lost.set_up_first")

    def why_not_unit(self, asked: Asked[State], order: Deploying, pick: Pick) -> Refusal:
        """3.0 Only counters of the side that set up, while a hex has room."""
        return refuse("3.0", "refusal.victory_lost.not_in_set_up", pick=str(pick))

    def why_not_hex(self, asked: Asked[State], order: Deploying, pick: Pick) -> Refusal:
        """3.0 Only hexes of the counter's colour, within stacking."""
        state, counter, name = asked.state, order.unit, str(pick)
        i = hex_at(state, pick)
        if i == OFF_MAP:
            return refuse("3.0", "refusal.victory_lost.no_such_hex", hex=name)
        if i not in area_of(state.data, counter):
            return refuse("3.0", "refusal.victory_lost.wrong_colour", hex=name, counter=counter)
        full = why_not_stacked(state, (counter,), i)
        return full or refuse("3.0", "refusal.victory_lost.there_already", hex=name)


@frozen
class Five:
    """The HQ chits of the whole game."""

    chits: tuple[str, ...] = ()


class SecretFive(Asking[State]):
    """3.0 The Soviet player secretly picks the HQ chits of the whole game, or the option takes the
    historical ones."""

    verb_slot = "victory_lost.verb"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Soviet player."""
        if at.state.cup.five is not None or at.state.option("soviet_five") == "historical":
            return {}
        return {SOVIET: Decision(say("prompt.victory_lost.five", "3.0", n=at.state.data.five))}

    def commands(self) -> Commands[State]:
        """3.0 So many of all Soviet HQ chits, in any order; also of HQs that arrive later."""
        return (
            Command(
                "choose",
                Five,
                Set(
                    "chits",
                    "victory_lost.chit",
                    self._chits,
                    self._why_not,
                    needs=lambda asked, order: self._needed(asked.state),
                ),
                apply=lambda table, asked, order: table.emit(
                    FiveChosen(Secret(order.chits, (SOVIET,)))
                ),
                beyond=self._why_not,
                sealed=True,
            ),
        )

    def _needed(self, state: State) -> int:
        return min(state.data.five, len(soviet_hq_chits(state.data)))

    def _chits(self, asked: Asked[State], order: Five) -> list[str]:
        data = asked.state.data
        return cups.selection(soviet_hq_chits(data), self._needed(asked.state), order.chits)

    def _why_not(self, asked: Asked[State], order: Five, pick: Pick) -> Refusal | None:
        """3.0 Only Soviet HQ chits, each once, no more than are asked for."""
        if pick in order.chits:
            return refuse("3.0", "refusal.victory_lost.chit_twice", pick=str(pick))
        if len(order.chits) == self._needed(asked.state):
            return refuse("3.0", "refusal.victory_lost.chits_enough", n=len(order.chits))
        return self.no_verb(asked, pick)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal | None:
        """3.0 Nothing else is done now."""
        n = asked.state.data.five
        return refuse("3.0", "refusal.victory_lost.five", pick=str(verb), n=n)

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Chosen, or taken as history had them."""
        if table.state.cup.five is None:
            table.emit(
                FiveChosen(Secret(tuple(sorted(table.state.data.historical_five)), (SOVIET,)))
            )
        table.done()


STEPS: Mapping[str, Step[State]] = {
    "lay_out": LayOut(BoardLaid),
    "set_up_first": SetUp(0),
    "set_up_second": SetUp(1),
    "secret_five": SecretFive(),
}
