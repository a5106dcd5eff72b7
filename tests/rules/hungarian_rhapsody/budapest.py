"""An attack on Budapest by Soviets and Romanians, for the tests of 4.0c."""

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.hungarian_rhapsody.table import at_table
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch09_combat.results import combat_result
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

CITY, BESIDE = "A32.19", "A32.20"
RUSSIANS, ROMANIANS, MORE = "su.gd.81", "su.ro.2", "su.ro.3"


def suffering_at_budapest(fog: str, leader: str, result: str, *romanians: str) -> Rig[State]:
    """An attack of a rifle division and Romanian ones on Budapest that has come to its result."""
    names = (RUSSIANS, *(romanians or (ROMANIANS, MORE)))
    state = stand({**dict.fromkeys(names, BESIDE), "ax.inf.44": CITY})
    found = combat_result(result).attacker
    battle = Battle(
        "regular",
        SOVIET,
        state.charts.board.hex(CITY),
        {state.charts.board.hex(BESIDE): names},
        ("ax.inf.44",),
        leaders={SOVIET: leader, AXIS: "ax.inf.44"},
        result=combat_result(result),
        hard={SOVIET: found.losses},
        options={SOVIET: found.options},
    )
    if romanians:
        state = put(state, romanians[0], lost=2)
    return at_table(
        replace(state, battle=battle),
        *("ocs.attacking", "ocs.suffering_attacker"),
        segment="f2",
        phasing=SOVIET,
        fog=fog,
        romanian_losses=True,
    )


def gone(rig: Rig[State], name: str) -> int:
    """Steps that a division of three has lost."""
    unit = rig.state.units[name]
    return unit.lost if unit.at >= 0 else 3
