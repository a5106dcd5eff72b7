"""HR 4.0b (option): the Regent's bad speech.

HR 4.0b On the turn of 15 October a die is rolled for each Hungarian unit but aircraft, one for each
of the 1st and 2nd Armoured Divisions: on 1-3 it does not move, change its mode, barrage or attack
in that turn. In the variant it is rolled from 12 October on whether the speech is given: on 12
October on 1-2, on 15 October on 1-4, on 19 October always.

[R] The dice are rolled as the turn begins, for every Hungarian counter, in play or not. So nobody
learns how many are left. Retreats, advances and building are not hindered.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.events import TurnBegun
from warledger.engine.games.ocs.series.state import State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event

OPTION, OFF, FIXED, ROLLED = "bad_speech", "off", "fixed", "rolled"
"""HR 4.0b The option and its values."""

HELD = "speech"
"""The flag that the speech has been held, and the mark of a unit that does nothing because of
it."""

CLAUSE = "HR 4.0b"

CERTAIN = 6
"""A number that every die is at most: none is rolled."""

HUNGARIAN = "hungarian"


@event("hr.speech")
class Speech:
    """HR 4.0b The die for the speech (0 where none is rolled), whether it is given, and the dice
    for the units: pairs of a unit or formation and its die."""

    die: int
    held: bool
    dice: Any


@event("hr.speech_over")
class SpeechOver:
    """HR 4.0b The turn of the speech is over: all units act again."""


after = ByEvent()


@after(Speech)
def _speech(state: State, event: Speech) -> State:
    if not event.held:
        return state
    most = state.charts.printed.chart["speech"]["does_nothing_up_to"]
    silent = {who for who, die in event.dice if die <= most}
    units = {
        name: replace(unit, tagged=HELD)
        for name, unit in state.units.items()
        if name in silent or state.counter(name).muf in silent
    }
    return replace(changed(state, units), flags={**state.flags, HELD: state.turn})


@after(SpeechOver)
def _over(state: State, event: SpeechOver) -> State:
    return changed(
        state,
        {
            name: replace(unit, tagged="")
            for name, unit in state.units.items()
            if unit.tagged == HELD
        },
    )


@lru_cache(maxsize=16)
def rollers(charts: Charts) -> tuple[str, ...]:
    """HR 4.0b For whom a die is rolled: Hungarian units by id, formations as one."""
    found = (
        counter.muf or name for name, counter in charts.units.items() if counter.nation == HUNGARIAN
    )
    return tuple(dict.fromkeys(found))


def holds_back(state: State, name: str) -> str:
    """HR 4.0b The clause by which a unit may neither move, change its mode, barrage nor attack in
    this turn; "" where it may."""
    return CLAUSE if state.units[name].tagged == HELD else ""


def chance(state: State) -> int:
    """HR 4.0b Up to which die roll the speech is given on this turn; 0 for none."""
    how = state.charts.options.get(OPTION, OFF)
    if how == OFF or HELD in state.flags:
        return 0
    start = state.charts.printed.turn(state.turn).start
    dates: Mapping[str, int] = dict(state.charts.printed.chart["speech"][how])
    return dates.get(start, 0)


def on_event(table: Table[State], event: Any) -> None:
    """HR 4.0b A turn begins: what the speech has brought about is over; it may be given now."""
    if not isinstance(event, TurnBegun):
        return
    if any(unit.tagged == HELD for unit in table.state.units.values()):
        table.emit(SpeechOver())
    most = chance(table.state)
    if not most:
        return
    die = 0 if most >= CERTAIN else table.roll(6, "speech")
    if die > most:
        table.emit(Speech(die, False, ()))
        return
    who = rollers(table.state.charts)
    table.emit(Speech(die, True, tuple(zip(who, table.rolls(len(who), 6, "speech"), strict=True))))
