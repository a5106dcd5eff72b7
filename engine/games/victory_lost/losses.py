"""9.4.2 Losses: the owner divides the loss points over the units in the combat; 12.2 an HQ left alone resets."""

from collections.abc import Iterable, Mapping

from engine.games.chitpull import fronts
from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost import headquarters
from engine.games.victory_lost.events import Eliminated, Reduced
from engine.games.victory_lost.state import Activation, Battle, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say


def in_progress(state: State) -> tuple[Activation, Battle]:
    """The activation and the attack in progress."""
    assert state.activation is not None and state.battle is not None, "no attack is in progress"
    return state.activation, state.battle


def faces(state: State, name: str) -> int:
    """2.2.3 Loss points that a unit can take: one for each face it still has."""
    return 2 if state.data.types[name].reduced is not None and not state.counters[name].reduced else 1


def bearers(state: State) -> tuple[str, tuple[str, ...], int]:
    """9.4.2, R-24 Who takes losses now: the side, its units in the combat, and the points that they can take at most."""
    activation, battle = in_progress(state)
    if battle.attacker_losses:
        side, points = activation.side, battle.attacker_losses
        units = tuple(name for name in battle.attackers if state.at(name) != OFF_MAP)
    else:
        side, points = ENEMY[activation.side], battle.defender_losses
        units = state.enemies_in(activation.side, battle.target)
    return side, units, min(points, sum(faces(state, name) for name in units))


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


class Losses(Step[State]):
    """9.4.2 One side takes its losses. A command names a unit for each point: ("lose", unit, unit …)."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner, where there is a choice: several units, and not all of them lost."""
        side, units, points = bearers(at.state)
        if fronts.forced_shares({name: faces(at.state, name) for name in units}, points) is not None:
            return {}
        return {side: Decision(say("prompt.victory_lost.losses", "9.4.2", n=points))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Units that can still take a point, until all points are divided."""
        if not picks:
            return offer("victory_lost.verb", ("lose",))
        _, units, points = bearers(at.state)
        if len(picks) > points:
            return WHOLE
        return offer("victory_lost.loss", fronts.bearers({name: faces(at.state, name) for name in units}, picks[1:]))

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """9.4.2 Only units in the combat, each as often as it has faces, and exactly so many points."""
        pick = str(picks[-1])
        if len(picks) == 1:
            return refuse("9.4.2", "refusal.victory_lost.verb", pick=pick)
        _, units, points = bearers(at.state)
        if len(picks) > points + 1:
            return refuse("9.4.2", "refusal.victory_lost.losses_divided", n=points)
        if pick in units:
            return refuse("9.4.2", "refusal.victory_lost.no_face_left", unit=pick)
        return refuse("9.4.2", "refusal.victory_lost.not_in_combat", unit=pick)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Take the losses as divided."""
        self._take(table, {str(name): picks[1:].count(name) for name in picks[1:]})

    def advance(self, table: Table[State], frame: Frame) -> None:
        """No losses, or only one way to take them."""
        _, units, points = bearers(table.state)
        self._take(table, fronts.forced_shares({name: faces(table.state, name) for name in units}, points) or {})

    def _take(self, table: Table[State], shares: Mapping[str, int]) -> None:
        table.done()
        side, units, _ = bearers(table.state)
        hexes = [table.state.at(name) for name in units]
        for name in sorted(shares):
            take_loss(table, name, shares[name])
        if shares:
            reset_lone(table, side, hexes)
