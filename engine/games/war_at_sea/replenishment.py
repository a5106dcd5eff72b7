"""14 Replenishment at sea: German warships in the North and South Atlantic, on turns 1 to 3, one at
a time (R34: before Axis returns)."""

from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from warledger.engine.games.war_at_sea.data import AXIS
from warledger.engine.games.war_at_sea.ports import NEUTRAL_PORT
from warledger.engine.games.war_at_sea.state import REMOVED, Ship, State, with_ship
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Picks, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import Option, refuse, say
from warledger.protocol.board.effects import Effect, mark, move, roll, tell

# --- events ---------------------------------------------------------------------------------------


@event("replenishment_rolled")
class ReplenishmentRolled:
    """14.2 – 14.4 A ship tried to replenish at sea; a failed one goes to `port`."""

    ship: str
    die: int
    success: bool
    port: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(ReplenishmentRolled)
def _replenishment_rolled(state: State, event: ReplenishmentRolled) -> State:
    if event.success:
        return with_ship(state, event.ship, tried=True, replenished=True)
    return with_ship(state, event.ship, tried=True, place=event.port or REMOVED)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(ReplenishmentRolled)
def _draw_replenishment_rolled(
    before: State, event: ReplenishmentRolled, after: State
) -> Iterator[Effect]:
    yield roll("replenishment", 6, (event.die,))
    if event.success:
        yield mark(event.ship, "replenished", 1)
        yield tell("war_at_sea.replenished", "14.3", ship=event.ship, die=event.die)
        return
    yield move(event.ship, event.port)
    yield tell(
        "war_at_sea.replenishment_failed", "14.4", ship=event.ship, die=event.die, port=event.port
    )


def may_try(state: State, ship: Ship) -> bool:
    """14.1, 14.3, 18.4 A German warship in an area where replenishing is allowed, that has not
    tried yet this turn, nor escaped."""
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


def ships_that_may_try(state: State) -> list[str]:
    """14.1 All such ships."""
    return [ship.id for ship in state.of_side(AXIS) if may_try(state, ship)]


@frozen
class Replenishing:
    """The ship that tries."""

    ship: str = ""


class Replenish(Asking[State]):
    """14.1, 14.2 The Axis tries one ship, sees the die, and goes on with the next or not."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """14.1 The Axis, while a ship may try."""
        return (
            {AXIS: Decision(say("prompt.war_at_sea.replenish", "14.1"))}
            if ships_that_may_try(at.state)
            else {}
        )

    def commands(self) -> Commands[State]:
        """14.2 One ship, or no more."""
        return (
            Command(
                "replenish",
                Replenishing,
                Slot("ship", "war_at_sea.ship", self._ships, self._why_not),
                apply=self._try,
            ),
            word("done", lambda table, asked: table.done()),
        )

    @staticmethod
    def _ships(asked: Asked[State], order: Replenishing) -> Iterable[Option]:
        return asked.state.data.offer(ships_that_may_try(asked.state))

    def _why_not(self, asked: Asked[State], order: Replenishing, pick: Pick) -> Refusal | None:
        """14.1 – 14.3 Why this ship may not try."""
        state = asked.state
        ship = state.ships.get(str(pick))
        if ship is None:
            return None
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

    def preview(
        self, at: Position[State], frame: Frame, seat: Seat, picks: Picks
    ) -> tuple[Say, ...]:
        """14.3 The highest die that succeeds this turn."""
        return (
            say(
                "war_at_sea.replenish_needed",
                "14.3",
                most=at.state.data.turns[at.state.turn].replenish_max,
            ),
        )

    def _try(self, table: Table[State], asked: Asked[State], order: Replenishing) -> None:
        """14.2 – 14.4, R35 Roll; a failed ship goes to the neutral port at once."""
        die = table.roll(6, "replenishment")
        success = die <= table.state.data.turns[table.state.turn].replenish_max
        table.emit(ReplenishmentRolled(order.ship, die, success, "" if success else NEUTRAL_PORT))


STEPS: Mapping[str, Step[State]] = {
    "replenish": Replenish(),
}
