"""10.0 Supply: both sides' counters are checked on one position (R-33), then every HQ out of supply resets (R-34)."""

from engine.games.chitpull.sides import ENEMY, SIDES
from engine.games.victory_lost.events import SupplyChecked
from engine.games.victory_lost.state import IN_SUPPLY, OUT_OF_SUPPLY, SURROUNDED, State
from engine.kernel.position import Frame
from engine.kernel.table import Table
from engine.kernel.types import Step


def in_supply(state: State, name: str) -> bool:
    """10.1.1 Whether a counter on the map has a supply line now. R-33: its own hex never blocks it."""
    return state.field.supply(state.data.types[name].side).reached(state.at(name))


def checked(state: State) -> tuple[tuple[str, int], ...]:
    """10.1.3 Every counter whose supply state changes, with the new one, in order of ids."""
    lines = {side: state.field.supply(side) for side in SIDES}
    types = state.data.types
    found = []
    for name, counter in state.counters.items():
        if counter.at < 0:
            continue
        if lines[types[name].side].reached(counter.at):
            new = IN_SUPPLY
        elif types[name].hq or counter.supply == IN_SUPPLY:
            new = OUT_OF_SUPPLY
        else:
            new = SURROUNDED
        if new != counter.supply:
            found.append((name, new))
    return tuple(found)


class SupplyCheck(Step[State]):
    """4.2, 10.1 Both sides check supply of all counters.

    10.1.4 A state lasts until the next check; R-49 arrivals have no marker until then.
    """

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Mark every counter."""
        table.emit(SupplyChecked(checked(table.state)))
        table.done()


class SupplyResets(Step[State]):
    """4.2, 10.3, 12.5 Every out-of-supply HQ resets; an owner of several chooses their order. R-34: one side after the other."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Call the resets of both sides; the side that is first goes on top."""
        table.done()
        first = str(table.state.option("reset_first"))
        for side in (ENEMY[first], first):
            cut_off = tuple(
                name
                for name, counter in table.state.counters.items()
                if counter.at >= 0 and counter.supply and table.state.data.types[name].hq and table.state.data.types[name].side == side
            )
            if cut_off:
                table.call("resets_in_order", side, *cut_off)
