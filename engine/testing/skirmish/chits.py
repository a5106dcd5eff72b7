"""Chapter 2: chits are chosen in secret and drawn by chance."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Seat, Step, event
from warledger.engine.testing.skirmish.data import SIDES
from warledger.engine.testing.skirmish.state import State
from warledger.protocol.board.choices import say
from warledger.protocol.board.effects import Effect, count, mark, opening, phase, put, take, tell
from warledger.protocol.chance.seal import Secret

MARCH, ASSAULT = "march", "assault"
CHITS = (MARCH, ASSAULT)

after = ByEvent()
draws = ByEvent()


# --- what happens ---------------------------------------------------------------------------------


@event("chit_chosen")
class ChitChosen:
    """2.1 A side has put a chit into the cup; `chit` is a secret of that side."""

    side: str
    chit: Secret


@event("chit_drawn")
class ChitDrawn:
    """2.2 A side's chit has been drawn and shown."""

    side: str
    chit: str


@after(ChitChosen)
def _chosen(state: State, event: ChitChosen) -> State:
    return replace(state, chosen={**state.chosen, event.side: event.chit})


@after(ChitDrawn)
def _drawn(state: State, event: ChitDrawn) -> State:
    left = {side: chit for side, chit in state.chosen.items() if side != event.side}
    return replace(state, chosen=left, acted=())


@draws(ChitChosen)
def _draw_chosen(before: State, event: ChitChosen, state: State) -> Iterable[Effect]:
    yield put(f"chit.{event.side}", "cup", event.chit, event.side)
    yield count("cup", len(state.chosen))
    yield tell("skirmish.chosen", "2.1", side=event.side)


@draws(ChitDrawn)
def _draw_drawn(before: State, event: ChitDrawn, state: State) -> Iterable[Effect]:
    yield take(f"chit.{event.side}")
    yield count("cup", len(state.chosen))
    yield from (mark(unit, "acted", 0) for unit in before.acted if unit in before.units)
    yield phase(f"phase.skirmish.{event.chit}")
    yield opening("activation", "skirmish.activation_span", side=event.side, chit=event.chit)
    yield tell("skirmish.drawn", "2.2", side=event.side, chit=event.chit)


def picture(state: State) -> Iterable[Effect]:
    """The cup, and the units that have acted, on an empty board."""
    for side, chit in state.chosen.items():
        yield put(f"chit.{side}", "cup", chit, side)
    yield count("cup", len(state.chosen))
    yield from (mark(unit, "acted", 1) for unit in state.acted if unit in state.units)


# --- steps ----------------------------------------------------------------------------------------


@frozen
class Choosing:
    """CHIT."""

    chit: str = ""


class Choose(Asking[State]):
    """2.1 Both sides choose at the same time."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """Each side that has not chosen."""
        return {
            side: Decision(say("prompt.skirmish.choose", "2.1"))
            for side in SIDES
            if side not in at.state.chosen
        }

    def sealed(self, asked: Asked[State]) -> bool:
        """The other side must not see what is picked."""
        return True

    def commands(self) -> Commands[State]:
        """One pick: the chit."""
        return (
            Command("", Choosing, Slot("chit", "skirmish.chit", lambda *_: CHITS), apply=_choose),
        )


def _choose(table: Table[State], asked: Asked[State], order: Choosing) -> None:
    table.emit(ChitChosen(asked.seat, Secret(order.chit, (asked.seat,))))


class Draw(Step[State]):
    """2.2 One chit after the other; the one drawn says what its side does."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Draw one of those left, and begin what it allows; or be done."""
        sides = [side for side in SIDES if side in table.state.chosen]
        if not sides:
            table.done()
            return
        side = table.draw(sides, "cup") if len(sides) > 1 else sides[0]
        chit = table.reveal(table.state.chosen[side])
        table.emit(ChitDrawn(side, chit))
        table.call(chit, side)


STEPS: Mapping[str, Step[State]] = {"choose": Choose(), "draw": Draw()}
