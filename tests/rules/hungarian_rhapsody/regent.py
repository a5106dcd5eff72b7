"""Turns that begin under the Regent's bad speech (HR 4.0b), with the dice for it."""

from tests.rules.hungarian_rhapsody.table import at_table
from warledger.engine.games.hungarian_rhapsody import speech
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.events import TurnBegun
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

DIVISION, GUN = "ax.hu.10", "ax.hu.art1"


def opened(state: State, turn: int, *dice: int, how: str = speech.FIXED) -> Rig[State]:
    """A turn begins with these dice for the speech."""
    rig = at_table(state, "moving")
    charts = with_options(rig.state.charts, {**rig.state.charts.options, speech.OPTION: how})
    rig.state = replace(
        rig.state, charts=charts, field=replace(rig.state.field, charts=charts), turn=turn
    )
    rig.dice(*dice)
    return begun(rig, turn)


def begun(rig: Rig[State], turn: int) -> Rig[State]:
    """The turn begins, and play comes to movement."""
    rig.position = replace(rig.position, open=())
    rig.run(lambda table: table.emit(TurnBegun(turn)))
    rig.state = replace(rig.state, segment="c2")
    rig.jump("game", "turns", "moving")
    return rig


def dice(state: State, **of: int) -> tuple[int, ...]:
    """A 6 for everybody but these."""
    named = {"division": DIVISION, "gun": GUN, "tanks": "hu1a"}
    found = {named[key]: die for key, die in of.items()}
    return tuple(found.get(who, 6) for who in speech.rollers(state.charts))
