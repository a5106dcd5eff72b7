"""10.0 Supply: both sides' counters are checked on one position (R-33), then every HQ out of supply
resets (R-34)."""

from collections.abc import Iterable, Mapping

from warledger.engine.games.chitpull.sides import ENEMY, SIDES
from warledger.engine.games.victory_lost.draw import supply_marks
from warledger.engine.games.victory_lost.state import (
    IN_SUPPLY,
    OUT_OF_SUPPLY,
    SURROUNDED,
    Counter,
    State,
    changed,
)
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step, event
from warledger.protocol.board.effects import Effect, phase, tell

# --- events ---------------------------------------------------------------------------------------


@event("supplied")
class SupplyChecked:
    """10.1 Both sides' supply is checked: every counter whose state changes, with the new one (0, 1
    out of supply, 2 surrounded)."""

    changes: tuple[tuple[str, int], ...]


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(SupplyChecked)
def _supplied(state: State, event: SupplyChecked) -> State:
    counters = dict(state.counters)
    for name, supply in event.changes:
        old = counters[name]
        counters[name] = Counter(old.at, old.where, old.reduced, supply)
    return changed(state, counters=counters)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(SupplyChecked)
def _draw_supplied(before: State, event: SupplyChecked, after: State) -> Iterable[Effect]:
    yield phase("phase.victory_lost.supply")
    for name, supply in event.changes:
        yield from supply_marks(name, supply)
    for supply, key in (
        (1, "victory_lost.out_of_supply"),
        (2, "victory_lost.surrounded"),
        (0, "victory_lost.back_in_supply"),
    ):
        names = tuple(name for name, new in event.changes if new == supply)
        if names:
            yield tell(key, "10.1.3", counters=names)
    if not event.changes:
        yield tell("victory_lost.supply_unchanged", "10.1")


def in_supply(state: State, name: str) -> bool:
    """10.1.1 Whether a counter on the map has a supply line now. R-33: its own hex never blocks
    it."""
    return state.field.supply(state.data.types[name].side).reached(state.at(name))


def checked(state: State) -> tuple[tuple[str, int], ...]:
    """10.0, 10.1.1, 10.1.3 Every counter whose supply state changes, with the new one, in order of
    ids."""
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

    10.1.4 A state lasts until the next check.
    """

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Mark every counter."""
        table.emit(SupplyChecked(checked(table.state)))
        table.done()


class SupplyResets(Step[State]):
    """4.2, 10.3, 12.5 Every out-of-supply HQ resets; an owner of several chooses their order. R-34:
    one side after the other."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Call the resets of both sides; the side that is first goes on top."""
        table.done()
        first = str(table.state.option("reset_first"))
        for side in (ENEMY[first], first):
            cut_off = tuple(
                name
                for name, counter in table.state.counters.items()
                if counter.at >= 0
                and counter.supply
                and table.state.data.types[name].hq
                and table.state.data.types[name].side == side
            )
            if cut_off:
                table.call("resets_in_order", side, *cut_off)


STEPS: Mapping[str, Step[State]] = {
    "supply_check": SupplyCheck(),
    "supply_resets": SupplyResets(),
}
