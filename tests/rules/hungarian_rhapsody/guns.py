"""Soviet artillery in range of a German division."""

from tests.rules.hungarian_rhapsody.bench import SOVIET, charts_of, stand
from tests.rules.hungarian_rhapsody.table import at_table, fed
from warledger.engine.games.hungarian_rhapsody import ammunition
from warledger.engine.games.ocs.ch10_barrage import bombardment
from warledger.engine.games.ocs.series.state import State, with_supply
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

TARGET = "A26.11"

CHARTS = charts_of("campaign")
GUNS = [n for n, c in CHARTS.units.items() if c.artillery and c.nation == "soviet" and c.range > 1]
GUARDS_GUNS = [n for n, c in CHARTS.units.items() if c.artillery and c.nation == "guards"]
DIVISION = next(n for n in GUNS if CHARTS.units[n].traits.get("barrage_by_steps"))
REGIMENT = next(n for n in GUNS if n != DIVISION)


def nation(which: str) -> str:
    """A unit of a nation that is not artillery."""
    return next(
        n
        for n, c in CHARTS.units.items()
        if c.nation == which and c.attacks and not c.traits.get("partisan_supply")
    )


def fired(**where: str) -> State:
    """Soviet guns in their own Combat Phase, a German division in A26.11, 40T with each gun."""
    state = stand({"ax.inf.44": "A26.11", **where}, phasing=SOVIET, segment="f1", turn=42)
    for i in state.field.stacks:
        if state.holder(i) == SOVIET:
            state = with_supply(state, SOVIET, i, 40)
    return state


def firing(markers: int, fog: str = "open", tokens: int = 40, **where: str) -> Rig[State]:
    """Soviet guns at the beginning of their Combat Phase, with `markers` markers in Sibiu."""
    state = stand({"ax.inf.44": TARGET, **where}, turn=42)
    state = replace(state, marker_count={ammunition.MARKER: markers})
    for at in dict.fromkeys(where.values()):
        state = fed(state, tokens, at, SOVIET)
    return at_table(state, bombardment.SEGMENT, segment="f1", phasing=SOVIET, fog=fog, seed=1)
