"""16.1 and 16.2: the dice that let Soviet ships leave port and American ships join, as the first act of Allied movement (R3).

The Italians' dice on turn 8 (16.4) stand in `turns.py`; where nations may go (6.4, 16.1 – 16.3, 16.5) in `state.py` and the pack.
"""

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.state import POOL, State
from engine.kernel.position import Frame
from engine.kernel.table import Table
from engine.kernel.types import Step

SORTIE_MIN = 5


class AmericanRolls(Step[State]):
    """16.2, R42 From turn 4 each American warship that has not joined rolls; one is added to the die for each turn after the fourth, and
    6 or more joins. The pack holds the natural number needed."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """16.2 One die a ship."""
        table.done()
        state = table.state
        needed = state.data.turns[state.turn].join_min
        if needed == 0:
            return
        for ship in state.by_place.get(POOL, ()):
            die = table.roll(6, "american")
            table.emit(ev.AmericanRolled(ship.id, die, die >= needed))


class SovietRolls(Step[State]):
    """16.1 From turn 3 each Soviet warship rolls every turn: on 5 or 6 it may leave port, and need not."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """16.1 One die a ship."""
        table.done()
        state = table.state
        for ship in state.ships.values():
            if ship.nation == "su" and ship.place in state.data.ports:
                die = table.roll(6, "soviet")
                table.emit(ev.SovietRolled(ship.id, die, die >= SORTIE_MIN))
