"""9.4.2 Losses: the owner divides the loss points over the units in the combat; 12.2 an HQ left alone resets.

How losses are divided step by step stands in engine/games/chitpull/losses.py.
"""

from collections.abc import Iterable, Mapping

from engine.games.chitpull.losses import Losing, Misdealt, Owed
from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import OFF_MAP, in_progress
from engine.games.victory_lost import headquarters
from engine.games.victory_lost.events import Eliminated, Reduced
from engine.games.victory_lost.state import State
from engine.kernel.table import Table
from engine.kernel.types import Refusal
from protocol.choices import offer, refuse, say


def faces(state: State, name: str) -> int:
    """2.2.3 Loss points that a unit can take: one for each face it still has."""
    return state.data.types[name].steps(state.counters[name].reduced)


def owed(state: State) -> Owed:
    """9.4.2, R-24 Who takes losses now: the side, its units in the combat with their faces, and the points that they can take at most."""
    activation, battle = in_progress(state)
    if battle.attacker_losses:
        side, points = activation.side, battle.attacker_losses
        units = tuple(name for name in battle.attackers if state.at(name) != OFF_MAP)
    else:
        side, points = ENEMY[activation.side], battle.defender_losses
        units = state.enemies_in(activation.side, battle.target)
    can = {name: faces(state, name) for name in units}
    return Owed(side, min(points, sum(can.values())), can)


def take_loss(table: Table[State], name: str, points: int) -> None:
    """9.4.2 A unit takes loss points: reduced, or eliminated when its faces are used up."""
    if points >= faces(table.state, name):
        table.emit(Eliminated(name, "loss", table.state.data.types[name].points))
    elif points:
        table.emit(Reduced(name))


def reset_lone(table: Table[State], side: str, hexes: Iterable[int]) -> None:
    """12.2 HQs of a side that stand alone in these hexes reset; several of one side in an order that their owner chooses."""
    alone = tuple(sorted(hq for i in sorted(set(hexes)) if (hq := table.state.field.lone_hq(side, i))))
    if len(alone) == 1:
        headquarters.must_reset(table, alone[0])
    elif alone:
        table.call("resets_in_order", side, *alone)


def take(table: Table[State], owed: Owed, shares: Mapping[str, int]) -> None:
    """9.4.2 Each unit takes the points that fall to it; 12.2 then HQs that are left alone reset."""
    hexes = [table.state.at(name) for name in owed.faces]
    for name, points in shares.items():
        take_loss(table, name, points)
    reset_lone(table, owed.side, hexes)


def _why_not(state: State, why: Misdealt, points: int, pick: str) -> Refusal:
    """9.4.2 Only units in the combat, each as often as it has faces, and exactly so many points."""
    if why is Misdealt.VERB:
        return refuse("9.4.2", "refusal.victory_lost.verb", pick=pick)
    if why is Misdealt.DIVIDED:
        return refuse("9.4.2", "refusal.victory_lost.losses_divided", n=points)
    if why is Misdealt.USED_UP:
        return refuse("9.4.2", "refusal.victory_lost.no_face_left", unit=pick)
    return refuse("9.4.2", "refusal.victory_lost.not_in_combat", unit=pick)


LOSING = Losing[State](
    owed=owed,
    prompt=lambda points: say("prompt.victory_lost.losses", "9.4.2", n=points),
    verbs=offer("victory_lost.verb", ("lose",)),
    slot="victory_lost.loss",
    against=_why_not,
    take=take,
)
"""9.4.2 One side takes its losses."""
