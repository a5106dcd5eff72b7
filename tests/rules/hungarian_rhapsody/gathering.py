"""Positions with formation markers (OCS 13.7): what a marker stands for, and who sees it."""

from tests.rules.hungarian_rhapsody.bench import stand
from tests.rules.hungarian_rhapsody.table import at_table, fed
from warledger.engine.games.hungarian_rhapsody.battle_group import OPTION
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.display import views
from warledger.engine.games.ocs.series.state import State
from warledger.engine.testing.rig import Rig

RIFLES = "su.gd.81"
HERE, THERE = "A26.10", "A26.12"
JANUARY = 27
"""The turn of 1 January 1945."""


def moving(*units: str, fog: str = "strict", turn: int = JANUARY, on: bool = True) -> Rig[State]:
    """The Axis Movement Phase: these units in one hex with 10 SP beside them, Soviet rifles far
    off; `on`: with the option for KG Pape."""
    where = dict.fromkeys(units, HERE) | {RIFLES: "A26.16"}
    state = fed(stand(where, turn=turn), 40, "A26.11")
    return at_table(state, "moving", fog=fog, on=(OPTION,) if on else ())


def under(state: State, muf: str = "fhh") -> tuple[str, ...]:
    """The units for which a formation's marker stands."""
    return state.gathered[muf].units if muf in state.gathered else ()


def seen(state: State, viewer: str, where: str = HERE) -> set[str]:
    """Units of a hex on which a viewer sees a formation marker."""
    _pieces, marks = views.shown(state, viewer, state.charts.board.hex(where))
    return {name for name, on_it in marks.items() if fog.FORMATION in on_it}
