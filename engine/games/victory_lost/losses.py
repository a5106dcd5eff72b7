"""9.4.2 Losses: the owner divides the loss points over the units in the combat; 12.2 an HQ left
alone resets.

How losses are divided step by step, R-24, stands in engine/games/chitpull/losses.py.
"""

from collections.abc import Iterable, Mapping

from warledger.engine.games.chitpull.losses import Losses, Owed
from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.chitpull.states import OFF_MAP, in_progress
from warledger.engine.games.victory_lost import headquarters
from warledger.engine.games.victory_lost.draw import REDUCED, scores
from warledger.engine.games.victory_lost.state import (
    ELIMINATED,
    Counter,
    State,
    changed,
    relocated,
    scored,
)
from warledger.engine.kernel.commands import Asked
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Step, event
from warledger.protocol.board.choices import Say, refuse, say
from warledger.protocol.board.effects import Effect, flip, take, tell

# --- events ---------------------------------------------------------------------------------------


@event("reduced")
class Reduced:
    """9.4.2 A unit takes a loss and shows its reduced face."""

    unit: str


@event("eliminated")
class Eliminated:
    """9.4.2, 11.1.3, 14.0.1 A unit leaves the game; `points` go to its enemy. `why` names the
    phrase."""

    unit: str
    why: str
    points: int


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(Reduced)
def _reduced(state: State, event: Reduced) -> State:
    old = state.counters[event.unit]
    return changed(
        state, counters={**state.counters, event.unit: Counter(old.at, old.where, True, old.supply)}
    )


@after(Eliminated)
def _eliminated(state: State, event: Eliminated) -> State:
    gone = relocated(state, event.unit, OFF_MAP, ELIMINATED)
    return scored(gone, ENEMY[state.data.types[event.unit].side], event.points)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Reduced)
def _draw_reduced(before: State, event: Reduced, after: State) -> Iterable[Effect]:
    yield flip(event.unit, REDUCED)
    yield tell("victory_lost.reduced", "9.4.2", unit=event.unit)


@draws(Eliminated)
def _draw_eliminated(before: State, event: Eliminated, after: State) -> Iterable[Effect]:
    yield take(event.unit, ELIMINATED)
    if event.why == "no_entry":
        yield tell("victory_lost.no_entry", "11.1.3", unit=event.unit, points=event.points)
    elif event.why == "no_retreat":
        yield tell("victory_lost.no_retreat", "9.5.8", unit=event.unit, points=event.points)
    elif event.why == "zone":
        yield tell("victory_lost.lost_in_zone", "9.5.3", unit=event.unit, points=event.points)
    else:
        yield tell("victory_lost.eliminated", "9.4.2", unit=event.unit, points=event.points)
    if event.points:
        yield from scores(after)


def faces(state: State, name: str) -> int:
    """2.2.3 Loss points that a unit can take: one for each face it still has."""
    return state.data.types[name].steps(state.counters[name].reduced)


def take_loss(table: Table[State], name: str, points: int) -> None:
    """9.4.2 A unit takes loss points: reduced, or eliminated when its faces are used up."""
    if points >= faces(table.state, name):
        table.emit(Eliminated(name, "loss", table.state.data.types[name].points))
    elif points:
        table.emit(Reduced(name))


def reset_lone(table: Table[State], side: str, hexes: Iterable[int]) -> None:
    """12.2 HQs of a side that stand alone in these hexes reset; several of one side in an order
    that their owner chooses."""
    alone = tuple(
        sorted(hq for i in sorted(set(hexes)) if (hq := table.state.field.lone_hq(side, i)))
    )
    if len(alone) == 1:
        headquarters.must_reset(table, alone[0])
    elif alone:
        table.call("resets_in_order", side, *alone)


class TakeLosses(Losses[State]):
    """9.4.2 One side takes its losses."""

    verb_slot = "victory_lost.verb"
    unit_slot = "victory_lost.loss"

    def prompt(self, points: int) -> Say:
        """9.4.2 Who bears them."""
        return say("prompt.victory_lost.losses", "9.4.2", n=points)

    def owed(self, state: State) -> Owed:
        """9.4.2, R-24 Who takes losses now: the side, its units in the combat with their faces, and
        the points that they can take at most."""
        activation, battle = in_progress(state)
        if battle.attacker_losses:
            side, points = activation.side, battle.attacker_losses
            units = tuple(name for name in battle.attackers if state.at(name) != OFF_MAP)
        else:
            side, points = ENEMY[activation.side], battle.defender_losses
            units = state.enemies_in(activation.side, battle.target)
        can = {name: faces(state, name) for name in units}
        return Owed(side, min(points, sum(can.values())), can)

    def take(self, table: Table[State], owed: Owed, shares: Mapping[str, int]) -> None:
        """9.4.2 Each unit takes the points that fall to it; 12.2 then HQs that are left alone
        reset."""
        hexes = [table.state.at(name) for name in owed.faces]
        for name, points in shares.items():
            take_loss(table, name, points)
        reset_lone(table, owed.side, hexes)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """9.4.2 Nothing else is done now."""
        return refuse("9.4.2", "refusal.victory_lost.verb", pick=str(verb))

    def why_not_unit(self, asked: Asked[State], owed: Owed, pick: Pick) -> Refusal:
        """9.4.2 Only units in the combat, each as often as it has faces."""
        if pick in owed.faces:
            return refuse("9.4.2", "refusal.victory_lost.no_face_left", unit=str(pick))
        return refuse("9.4.2", "refusal.victory_lost.not_in_combat", unit=str(pick))

    def why_no_more(self, owed: Owed) -> Refusal:
        """9.4.2 Exactly the points owed."""
        return refuse("9.4.2", "refusal.victory_lost.losses_divided", n=owed.points)


STEPS: Mapping[str, Step[State]] = {
    "losses": TakeLosses(),
}
