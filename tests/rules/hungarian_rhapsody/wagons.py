"""Positions with the special wagon extenders of HR 3.1e."""

from tests.rules.hungarian_rhapsody.bench import SOVIET, stand
from tests.rules.hungarian_rhapsody.table import at_table
from warledger.engine.games.ocs.series.state import State
from warledger.engine.testing.rig import Rig

RIFLES = "su.gd.81"


def soviets(
    where: dict[str, str] | None = None, fog: str = "open", **changes: object
) -> Rig[State]:
    """The Soviet Movement Phase, both extenders on the map."""
    state = stand({RIFLES: "B42.12"} | (where or {}), turn=3, **changes)
    return at_table(state, "moving", phasing=SOVIET, fog=fog)
