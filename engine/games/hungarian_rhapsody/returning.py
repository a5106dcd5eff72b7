"""HR 3.3a: Soviet infantry divisions return.

HR 3.3a The Soviets have no infantry replacements. The first ten infantry divisions that have been
destroyed come back by themselves in the next Soviet Reinforcement Phase, with one step. So do those
after them, but a die and two turns later. Infantry are rifle, airborne, motorised and mountain
divisions and fortified regions (UR), Guards among them. They come in a hex with a front marker or
within two of it, or by the East entries, Sibiu or the South entries. White ones (HR R-33 counts
them among the ten) come at the 4th Ukrainian Front's marker, or by Soviet-controlled North, A, B
and C.

[R] It is counted as a Soviet Reinforcement Phase begins. The marker that counts is open, and so are
the dice: both sides know how many divisions return, but not which. Entries are those that are open.
Where none of these is in play, divisions wait.
"""

from collections.abc import Iterable
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch13_special_units import arrivals, rebuilding
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import NOT_ARRIVED, Coming, State, Unit, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event
from warledger.protocol.texts.words import words_of

RETURNED = "infantry_rebuilt"
"""The flag that says how many divisions have been counted."""

HOW = "infantry"
"""How they come (`Coming.how`)."""

DIVISION = "div"

KINDS = frozenset(("infantry", "airborne", "mot_inf", "mountain", "ur"))

NATIONS = ("soviet", "guards")


@event("hr.infantry_returns")
class InfantryReturns:
    """HR 3.3a Divisions that have been destroyed return: the first of them in this
    phase, the others on these turns. Which they are is hidden."""

    side: str
    units: Any
    turns: tuple[int, ...]


after = ByEvent()


@after(InfantryReturns)
def _returns(state: State, event: InfantryReturns) -> State:
    units = fog.plain(event.units)
    made = changed(
        state,
        {
            name: Unit(
                where=NOT_ARRIVED,
                move_side=state.counter(name).combat is None,
                lost=state.counter(name).steps - 1,
            )
            for name in units
        },
    )
    coming = tuple(
        Coming(turn, event.side, (name,), HOW)
        for name, turn in zip(units, event.turns, strict=True)
    )
    return replace(
        made,
        coming=(*made.coming, *coming),
        flags={**made.flags, RETURNED: counted(made) + len(units)},
    )


def counted(state: State) -> int:
    """HR 3.3a How many divisions have been counted so far."""
    return int(state.flags.get(RETURNED, 0))


def destroyed(state: State) -> tuple[str, ...]:
    """HR 3.3a Soviet infantry divisions that lie in a dead pile, by id."""
    charts = state.charts
    return tuple(
        name
        for name, counter in charts.units.items()
        if counter.nation in NATIONS
        and counter.kind in KINDS
        and counter.size == DIVISION
        and not counter.muf
        and state.units[name].where == rules(charts).pile(charts, name)
        and rebuilding.rebuildable(counter)
    )


def begin(table: Table[State]) -> None:
    """HR 3.3a A Soviet Reinforcement Phase begins: the first ten come now, for each of the others a
    die is rolled."""
    state = table.state
    side = state.phasing
    if side != state.charts.sides[1]:
        return
    units = destroyed(state)
    if not units:
        return
    chart = state.charts.printed.chart["rebuild"]["soviet_infantry"]
    at_once = max(int(chart["first"]) - counted(state), 0)
    later = max(len(units) - at_once, 0)
    plus = _plus(state)
    rolled = table.rolls(later, 6, "infantry_returns") if later else ()
    turns = (state.turn,) * min(at_once, len(units)) + tuple(
        state.turn + die + plus for die in rolled
    )
    table.emit(InfantryReturns(side, fog.hidden(state, side, units), turns))


def _plus(state: State) -> int:
    chart = state.charts.printed.chart["rebuild"]["soviet_infantry"]
    return int(chart["later_delay"].rpartition("+")[2])


def dice(state: State, turns: Iterable[int]) -> tuple[int, ...]:
    """HR 3.3a The dice that make divisions return on these turns."""
    return tuple(turn - state.turn - _plus(state) for turn in turns)


def infantry_at(state: State, name: str) -> Hexes:
    """HR 3.3a, 1.2a Where a Soviet unit that returns may be put."""
    charts = state.charts
    board = charts.board
    chart = charts.printed.chart["rebuild"]["soviet_infantry"]
    white = bool(charts.units[name].traits.get("white"))
    prefix = "white_" if white else ""
    fronts = (
        place
        for marker in words_of(chart[f"{prefix}at"])
        for place in state.markers.get(marker, ())
        if isinstance(place, int)
    )
    found = arrivals.within(state, fronts, chart[f"{prefix}within"])
    side = charts.sides[1]
    entries = hexsets.of(
        i
        for area in words_of(chart[f"{prefix}or_entries"])
        if white or is_open(state, area)
        for i in board.entries[area].hexes
    )
    if not white:
        entries |= hexsets.of(board.hex(one) for one in words_of(chart["or_hexes"]))
    return (found | entries & state.control[side]) & charts.scenario.play


def is_open(state: State, area: str) -> bool:
    """HR 3.1a Whether an entry area has been opened."""
    return state.charts.board.entries[area].from_turn <= state.turn or area in state.opened
