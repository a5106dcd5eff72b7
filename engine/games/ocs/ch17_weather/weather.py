"""OCS 17: weather, rolled once a game turn (2.3 I.1).

A die for the ground and one for flying are read on the calendar's table for the date. What the
scenario's file sets for its first turn is not rolled (the scenario's head names it). OCS 17 Weather
never prevents refit or active status; supply paths ignore what it adds (12.3d, charts.py).
"""

from collections.abc import Mapping, Sequence

from warledger.engine.games.ocs.series.charts import Weather
from warledger.engine.games.ocs.series.events import WeatherSet
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step

GROUND, FLIGHT = "ground", "flight"

PHASES: Mapping[str, str] = {"c": "movement", "e": "reaction", "g": "exploitation"}
"""OCS 14.2e Phases in which missions are flown, by the letter of 2.3."""


def faces(state: State, kind: str) -> Sequence[str]:
    """OCS 17, HR 1.1b Conditions by a die of 1 to 6 on the table of this turn's date."""
    printed = state.charts.printed
    table = printed.turn(state.turn).traits["weather_table"]
    found: Sequence[str] = printed.chart["weather"][table][kind]
    return found


def flying(state: State) -> Weather:
    """OCS 17 What the flight conditions of this turn allow."""
    return state.charts.printed.weather[state.flight]


def may_fly(state: State) -> bool:
    """OCS 14.2, 17 Whether missions may be flown in this segment, so far as weather says. OCS 14.5
    Interceptions are never barred."""
    return PHASES.get(state.segment[:1], "") in flying(state).missions


def grounds(state: State) -> bool:
    """OCS 14.2e, 17 Whether it is the weather alone that lets no missions be flown in this
    segment."""
    return state.segment[:1] in PHASES and not may_fly(state)


def most_aircraft(state: State, limit: int) -> int:
    """OCS 14.2a, 17 How many aircraft a mission may have: the series' limit, or the weather's."""
    most = flying(state).max_aircraft
    return min(most, limit) if most else limit


def may_hip_shoot(state: State) -> bool:
    """OCS 14.7d, 17 Whether the ground conditions allow hip shoots."""
    return state.charts.printed.weather[state.ground].hip_shoots


class WeatherRoll(Step[State]):
    """OCS 2.3 I.1, 17 The weather of the turn."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """One die for the ground, one for flying; none on the scenario's first turn."""
        table.done()
        state = table.state
        scenario = state.charts.scenario
        if state.turn == scenario.first_turn:
            table.emit(WeatherSet(scenario.ground, scenario.flight))
            return
        ground = faces(state, GROUND)[table.roll(6, "weather_ground") - 1]
        flight = faces(state, FLIGHT)[table.roll(6, "weather_flight") - 1]
        table.emit(WeatherSet(ground, flight))


STEPS: Mapping[str, Step[State]] = {"weather": WeatherRoll()}
