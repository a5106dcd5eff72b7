"""OCS 14.10d: what becomes of what is dropped from the air.

OCS 14.10d Each unit and each token of supply comes down by a roll of two dice. It counts whether a
friendly unit was in the hex as the phase began, and the ground. What fails is lost. OCS 21.12e By
an option the dice fare worse in rough terrain. Who flies and what is carried is `air_transport`'s.
"""

from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch09_combat import captures, terrain
from warledger.engine.games.ocs.ch14_air import air_transport
from warledger.engine.games.ocs.ch14_air.air_combat import mission
from warledger.engine.games.ocs.ch14_air.mission_in_progress import DROP
from warledger.engine.games.ocs.series.state import State
from warledger.engine.games.ocs.series.tables import EXTREMELY_CLOSE, OPEN, VERY_CLOSE
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event

VILLAGE = "village"
"""OCS 14.10d The kind of place that is not an obstacle to a drop."""

ROUGH_DROPS = "rough_drops"
"""OCS 21.12e The option by which drops fare worse in close terrain."""

_ROUGH = {VERY_CLOSE: -1, EXTREMELY_CLOSE: -2}


@event("ocs.drop_rolled")
class DropRolled:
    """OCS 14.10d Two dice for a token or a unit that comes down, what they come to, what was
    needed. The unit, "" for a token of supply, is its owner's to know."""

    side: str
    hex: str
    dice: tuple[int, int]
    modified: int
    needed: int
    unit: Any


after = ByEvent()
after.unchanged(DropRolled)


def clear(state: State, i: int) -> bool:
    """OCS 14.10d Whether a hex is clear for a drop: Open, a village or an air base. [R] Open is
    what fights on the open row."""
    if i in state.bases:
        return True
    printed, board = state.charts.printed, state.charts.board
    ground = printed.terrain[board.map.terrains[board.map.terrain[i]]]
    place = board.map.places.get(i)
    if place is not None and place.kind == VILLAGE:
        return True
    if place is not None and printed.place[place.kind].row:
        return False
    return ground.row == OPEN


def needed(state: State, side: str, i: int) -> int:
    """OCS 14.10d What two dice must come to: by whether a friendly unit was there at the start of
    the phase, and by the ground."""
    friendly = hexsets.has(state.phase_use.stood.get(side, 0), i)
    whose = "friendly" if friendly else "enemy"
    ground = "clear" if clear(state, i) else "closed"
    return state.charts.tables.drop.at_least[f"{whose}_{ground}"]


def rough_landing(state: State, i: int) -> int:
    """OCS 21.12e What the option adds to the dice of a drop: -1 in Very Close terrain, -2 in
    Extremely Close. [R] By the hardest row of the hex."""
    if not state.charts.options.get(ROUGH_DROPS):
        return 0
    return _ROUGH.get(terrain.of(state, terrain.grounds(state, i)[0]).row, 0)


def come_down(table: Table[State]) -> None:
    """OCS 14.10d Two dice for each unit and each token that gets there; units that come down among
    enemy things capture them (9.14)."""
    got = air_transport.fate(table.state)
    sortie = mission(table.state)
    state = table.state
    target, to = sortie.target, state.charts.board.name(sortie.target)
    landed: list[str] = []
    tokens = 0
    for name in (*got.units, *("" for _ in range(got.tokens))):
        if not _comes_down(table, sortie.side, target, name):
            continue
        if name:
            landed.append(name)
        else:
            tokens += 1
    air_transport.land(table, to, tokens, tuple(landed))
    strayed = tuple(name for name in got.units if name not in landed)
    missed = got.lost + got.tokens - tokens
    air_transport.lose(table, replace(got, lost_units=(*got.lost_units, *strayed), lost=missed))
    if landed:
        captures.enter(table, tuple(landed), target)


def _comes_down(table: Table[State], side: str, i: int, unit: str) -> bool:
    state = table.state
    need = needed(state, side, i)
    pair = table.rolls(2, 6, "air_drop")
    modified = sum(pair) + state.charts.tables.drop.drm.get(side, 0) + rough_landing(state, i)
    table.emit(
        DropRolled(
            side,
            state.charts.board.name(i),
            (pair[0], pair[1]),
            modified,
            need,
            fog.hidden(state, side, unit),
        )
    )
    return modified >= need


EFFECTS = {DROP: come_down}
"""OCS 14.2f(F) What missions of this kind do."""
