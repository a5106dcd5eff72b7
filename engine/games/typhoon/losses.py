"""10.5 Losses: whose units take them, in steps, and what they leave.

How losses are divided step by step, R-24, stands in engine/games/chitpull/losses.py.
"""

from collections.abc import Iterable, Mapping

from warledger.engine.games.chitpull.losses import Losses, Owed
from warledger.engine.games.chitpull.states import OFF_MAP, in_progress
from warledger.engine.games.typhoon.draw import REDUCED, put_piece
from warledger.engine.games.typhoon.headquarters import home_of
from warledger.engine.games.typhoon.state import State, Unit, changed, relocated
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Say, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, flip, take, tell

# --- events ---------------------------------------------------------------------------------------


@event("losses")
class LossesTaken:
    """10.5(2) A side has divided its losses: a unit once for each step."""

    side: str
    units: tuple[str, ...]


@event("reduced")
class Reduced:
    """10.5(1) A unit loses a step and shows its reduced face. `why`: "losses", "zone" (10.6(4)) or
    "supply" (11.1(1))."""

    unit: str
    why: str


@event("eliminated")
class Eliminated:
    """10.5(1) A unit leaves the map, for a box (12.3, 13.0(3)) or for good. `why` as for a step, or
    "no_retreat" (10.6(3))."""

    unit: str
    why: str
    where: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(LossesTaken)
def _losses(state: State, event: LossesTaken) -> State:
    return state if state.battle is None else changed(state, battle=replace(state.battle, losses=0))


@after(Reduced)
def _reduced(state: State, event: Reduced) -> State:
    return changed(
        state, units={**state.units, event.unit: Unit(state.units[event.unit].at, "", True)}
    )


@after(Eliminated)
def _eliminated(state: State, event: Eliminated) -> State:
    """12.3(1) What may return lies in its box on its full face."""
    battle = state.battle
    if battle is not None and event.unit in battle.retreating:
        battle = replace(
            battle, retreating=tuple(name for name in battle.retreating if name != event.unit)
        )
    return changed(relocated(state, event.unit, OFF_MAP, event.where, fresh=True), battle=battle)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(LossesTaken)
def _draw_losses(before: State, event: LossesTaken, after: State) -> Iterable[Effect]:
    yield tell("typhoon.losses", "10.5(2)", side=event.side, n=len(event.units))


@draws(Reduced)
def _draw_reduced(before: State, event: Reduced, after: State) -> Iterable[Effect]:
    yield flip(event.unit, REDUCED)
    if event.why == "supply":
        yield tell("typhoon.reduced_by_supply", "11.1(1)", unit=event.unit)
    elif event.why == "zone":
        yield tell("typhoon.reduced_in_zone", "10.6(4)", unit=event.unit)
    else:
        yield tell("typhoon.reduced", "10.5(1)", unit=event.unit)


@draws(Eliminated)
def _draw_eliminated(before: State, event: Eliminated, after: State) -> Iterable[Effect]:
    yield take(event.unit, event.where)
    yield put_piece(after, event.unit)
    if event.why == "supply":
        yield tell("typhoon.starved", "11.1(1)", unit=event.unit)
    elif event.why == "zone":
        yield tell("typhoon.lost_in_zone", "10.6(4)", unit=event.unit)
    elif event.why == "no_retreat":
        yield tell("typhoon.no_retreat", "10.6(3)", unit=event.unit)
    else:
        yield tell("typhoon.eliminated", "10.5(1)", unit=event.unit)


# --- 10.5 losses ----------------------------------------------------------------------------------


def lose_step(table: Table[State], name: str, why: str) -> bool:
    """10.5(1) One step: a full unit is flipped; one that is reduced or has no reduced face is
    removed (R-05). Whether it is still there."""
    if table.state.steps(name) > 1:
        table.emit(Reduced(name, why))
        return True
    table.emit(Eliminated(name, why, home_of(table.state, name, why)))
    return False


class TakeLosses(Losses[State]):
    """10.5 One side takes its losses, before any retreat (R-24)."""

    verb_slot = "typhoon.verb"
    unit_slot = "typhoon.loss"

    def prompt(self, points: int) -> Say:
        """10.5(2) Who bears them."""
        return say("prompt.typhoon.losses", "10.5(2)", n=points)

    def owed(self, state: State) -> Owed:
        """10.5(2), R-24 Who bears the losses now, with the steps each has: attackers of this combat
        (10.4(2)1) or its defenders (10.4(2)5)."""
        activation, battle = in_progress(state)
        names = battle.attackers if battle.loser == activation.side else battle.defenders
        return Owed(
            battle.loser,
            battle.losses,
            {name: state.steps(name) for name in names if state.at(name) != OFF_MAP},
        )

    def take(self, table: Table[State], owed: Owed, shares: Mapping[str, int]) -> None:
        """10.5(1) Each unit loses the steps that fall to it."""
        table.emit(
            LossesTaken(
                owed.side, tuple(name for name, points in shares.items() for _ in range(points))
            )
        )
        for name, points in shares.items():
            if points >= table.state.steps(name):
                table.emit(Eliminated(name, "losses", home_of(table.state, name, "losses")))
            else:
                lose_step(table, name, "losses")

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """10.5(2) Nothing else is done now."""
        return refuse("10.5(2)", "refusal.typhoon.verb", pick=str(verb))

    def why_not_unit(self, asked: Asked[State], owed: Owed, pick: Pick) -> Refusal:
        """10.5(2) Only units in this combat, 10.5(1) each as often as it has steps."""
        if pick in owed.faces:
            return refuse("10.5(1)", "refusal.typhoon.no_step_left", unit=str(pick))
        return refuse("10.5(2)", "refusal.typhoon.not_in_combat", unit=str(pick))

    def why_no_more(self, owed: Owed) -> Refusal:
        """10.5(2) Exactly the steps owed."""
        return refuse("10.5(2)", "refusal.typhoon.losses_divided", n=owed.points)


STEPS: Mapping[str, Step[State]] = {"losses": TakeLosses()}
