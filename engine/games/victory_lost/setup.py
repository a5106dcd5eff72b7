"""3.0 Set-up: the map laid out, both sides' forces in the hexes of their colours, and the secret five.

R-03: one side sets up after the other. A counter may be placed anew until its side is ready; "historical" puts the whole side where the
pack's example has it. How that goes step by step stands in engine/games/chitpull/setup.py.
"""

from collections.abc import Mapping

from engine.board.stacking import fits
from engine.games.chitpull import chits as cups
from engine.games.chitpull.pack import HQ_CHIT
from engine.games.chitpull.setup import Deployment, Misplaced
from engine.games.chitpull.sides import SOVIET
from engine.games.chitpull.standing import hex_at
from engine.games.victory_lost.data import Data
from engine.games.victory_lost.events import BoardLaid, Deployed, FiveChosen, SetUpDone
from engine.games.victory_lost.stacking import stacking_refusal
from engine.games.victory_lost.state import State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import offer, refuse, say
from protocol.seal import Secret


def room(state: State, name: str, i: int) -> bool:
    """3.0, 5.0.4 Whether a counter may be set up in a hex of its colour: within stacking, and not in the pocket while it is closed."""
    if state.field.closed(i):
        return False
    types = state.data.types
    friends = [types[other].piece for other in state.field.stacks.get(i, ())]
    return not friends or fits(state.data.limits, friends, types[name].piece)


def against(state: State, seat: str, why: Misplaced, picks: Picks) -> Refusal:
    """3.0 What keeps the counter from the hex of its colour, or the side from being ready."""
    pick = str(picks[-1])
    if why is Misplaced.VERB:
        return refuse("3.0", "refusal.victory_lost.verb", pick=pick)
    if why is Misplaced.NOT_READY:
        return refuse("3.0", "refusal.victory_lost.set_up_first")
    if why is Misplaced.UNIT:
        return refuse("3.0", "refusal.victory_lost.not_in_set_up", pick=pick)
    if why is Misplaced.NO_HEX:
        return refuse("3.0", "refusal.victory_lost.no_such_hex", hex=pick)
    counter = str(picks[1])
    if why is Misplaced.AREA:
        return refuse("3.0", "refusal.victory_lost.wrong_colour", hex=pick, counter=counter)
    full = stacking_refusal(state, (counter,), hex_at(state, pick))
    return full or refuse("3.0", "refusal.victory_lost.there_already", hex=pick)


DEPLOYMENT = Deployment[State](
    # 3.0 The map, the markers, and every counter where it waits
    laid=BoardLaid,
    preset="historical",
    places=lambda state: state.data.historical,
    room=room,
    whole=lambda state, side: True,
    prompt=say("prompt.victory_lost.set_up", "3.0"),
    verb_slot="victory_lost.verb",
    unit_slot="victory_lost.counter",
    hex_slot="victory_lost.set_up_hex",
    against=against,
    placed=Deployed,
    done=SetUpDone,
)
"""3.0, R-03 How a side sets up."""


class SecretFive(Step[State]):
    """3.0 The Soviet player secretly picks the HQ chits of the whole game, or the option takes the historical ones."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Soviet player."""
        if at.state.cup.five is not None or at.state.option("soviet_five") == "historical":
            return {}
        return {SOVIET: Decision(say("prompt.victory_lost.five", "3.0", n=at.state.data.five))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """So many of all Soviet HQ chits, in rising order; also of HQs that arrive later."""
        if not picks:
            return offer("victory_lost.verb", ("choose",))
        data = at.state.data
        return cups.selection(soviet_hq_chits(data), min(data.five, len(soviet_hq_chits(data))), picks[1:], "victory_lost.chit")

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """Only Soviet HQ chits, each once."""
        return refuse("3.0", "refusal.victory_lost.five", pick=str(picks[-1]), n=at.state.data.five)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Keep them, sealed."""
        table.emit(FiveChosen(Secret(tuple(picks[1:]), (SOVIET,))))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Chosen, or taken as history had them."""
        if table.state.cup.five is None:
            table.emit(FiveChosen(Secret(tuple(sorted(table.state.data.historical_five)), (SOVIET,))))
        table.done()


def soviet_hq_chits(data: Data) -> tuple[str, ...]:
    """Every Soviet HQ chit, in order of ids."""
    return tuple(sorted(chit.id for chit in data.chits.values() if chit.side == SOVIET and chit.kind == HQ_CHIT))
