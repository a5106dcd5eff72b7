"""14 Replenishment at sea: German warships in the North and South Atlantic, on turns 1 to 3, one at a time (R34: before Axis returns)."""

from collections.abc import Mapping

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import AXIS
from engine.games.war_at_sea.ports import NEUTRAL_PORT
from engine.games.war_at_sea.state import Ship, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Say, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say

REPLENISH, DONE = "replenish", "done"


def may_try(state: State, ship: Ship) -> bool:
    """14.1, 14.3, 18.4 A German warship in an area where replenishing is allowed, that has not tried yet this turn, nor escaped."""
    area = state.data.areas.get(ship.place)
    return (
        area is not None
        and area.replenish
        and ship.nation == "de"
        and ship.is_warship
        and not ship.tried
        and (not ship.escaped or state.options.escaped_may_replenish)
        and state.data.turns[state.turn].replenish_max > 0
    )


class Replenish(Step[State]):
    """14.1, 14.2 The Axis tries one ship, sees the die, and goes on with the next or not: replenish SHIP, or done."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """14.1 The Axis, while a ship may try."""
        return {AXIS: Decision(say("prompt.war_at_sea.replenish", "14.1"))} if self._ships(at.state) else {}

    @staticmethod
    def _ships(state: State) -> list[str]:
        return [ship.id for ship in state.of_side(AXIS) if may_try(state, ship)]

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """14.2 One ship."""
        if not picks:
            return offer("verb", (REPLENISH, DONE))
        if picks[0] == DONE or len(picks) == 2:
            return WHOLE
        return at.state.data.offer("war_at_sea.ship", self._ships(at.state))

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """14.1 – 14.3 Why this ship may not try."""
        state = at.state
        ship = state.ships.get(str(picks[-1]))
        if len(picks) != 2 or ship is None:
            return super().refusal(at, frame, seat, picks)
        if ship.nation != "de" or not ship.is_warship:
            return refuse("14.1", "refusal.war_at_sea.germans_only", ship=ship.id)
        area = state.data.areas.get(ship.place)
        if area is None or not area.replenish:
            return refuse("14.1", "refusal.war_at_sea.atlantic_only", ship=ship.id)
        if ship.tried:
            return refuse("14.2", "refusal.war_at_sea.tried_already", ship=ship.id)
        if ship.escaped:
            return refuse("14.1", "refusal.war_at_sea.escaped_may_not", ship=ship.id)
        return refuse("14.3", "refusal.war_at_sea.replenish_too_late")

    def preview(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """14.3 The highest die that succeeds this turn."""
        return (say("war_at_sea.replenish_needed", "14.3", most=at.state.data.turns[at.state.turn].replenish_max),)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """14.2 – 14.4, R35 Roll; a failed ship goes to the neutral port at once."""
        if picks[0] == DONE:
            table.done()
            return
        die = table.roll(6, "replenishment")
        success = die <= table.state.data.turns[table.state.turn].replenish_max
        table.emit(ev.ReplenishmentRolled(str(picks[1]), die, success, "" if success else NEUTRAL_PORT))
