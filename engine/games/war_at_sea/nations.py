"""16.1 and 16.2: the dice that let Soviet ships leave port and American ships join, as the first
act of Allied movement (R3).

The Italians' dice on turn 8 (16.4) stand in `turns.py`; where nations may go (6.4, 16.1 – 16.3,
16.5) in `state.py` and the pack.
"""

from collections.abc import Iterator, Mapping

from warledger.engine.games.war_at_sea.state import POOL, State, with_ship
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step, event
from warledger.protocol.board.effects import Effect, move, roll, tell

# --- events ---------------------------------------------------------------------------------------


@event("american_rolled")
class AmericanRolled:
    """16.2 An American ship rolled whether it joins."""

    ship: str
    die: int
    joins: bool


@event("soviet_rolled")
class SovietRolled:
    """16.1 A Soviet ship rolled whether it may leave port."""

    ship: str
    die: int
    may_sail: bool


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(AmericanRolled)
def _american_rolled(state: State, event: AmericanRolled) -> State:
    if not event.joins:
        return state
    start = state.data.counters[event.ship].start[0]
    return with_ship(state, event.ship, place=start, origin=start)


@after(SovietRolled)
def _soviet_rolled(state: State, event: SovietRolled) -> State:
    return with_ship(state, event.ship, may_sail=event.may_sail)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(AmericanRolled)
def _draw_american_rolled(before: State, event: AmericanRolled, after: State) -> Iterator[Effect]:
    yield roll("american", 6, (event.die,))
    if event.joins:
        yield move(event.ship, after.ships[event.ship].place)
        yield tell("war_at_sea.american_joins", "16.2", ship=event.ship, die=event.die)
    else:
        yield tell("war_at_sea.american_waits", "16.2", ship=event.ship, die=event.die)


@draws(SovietRolled)
def _draw_soviet_rolled(before: State, event: SovietRolled, after: State) -> Iterator[Effect]:
    yield roll("soviet", 6, (event.die,))
    if event.may_sail:
        yield tell("war_at_sea.soviet_may_sail", "16.1", ship=event.ship, die=event.die)
    else:
        yield tell("war_at_sea.soviet_stays", "16.1", ship=event.ship, die=event.die)


SORTIE_MIN = 5


class AmericanRolls(Step[State]):
    """16.2, R42 From turn 4 each American warship that has not joined rolls. One is added to the
    die for each turn after the fourth, and 6 or more joins. The pack holds the natural number
    needed."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """16.2 One die a ship."""
        table.done()
        state = table.state
        needed = state.data.turns[state.turn].join_min
        if needed == 0:
            return
        for ship in state.by_place.get(POOL, ()):
            die = table.roll(6, "american")
            table.emit(AmericanRolled(ship.id, die, die >= needed))


class SovietRolls(Step[State]):
    """16.1 From turn 3 each Soviet warship rolls every turn: on 5 or 6 it may leave port, and need
    not."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """16.1 One die a ship."""
        table.done()
        state = table.state
        for ship in state.ships.values():
            if ship.nation == "su" and ship.place in state.data.ports:
                die = table.roll(6, "soviet")
                table.emit(SovietRolled(ship.id, die, die >= SORTIE_MIN))


STEPS: Mapping[str, Step[State]] = {
    "american_rolls": AmericanRolls(),
    "soviet_rolls": SovietRolls(),
}
