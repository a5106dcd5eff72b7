"""HR 1.1e, 4.0c, 4.0h: what the game alters in ground combat."""

from fractions import Fraction

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.state import State

MOUNTAIN = "mountain"
"""A type of unit, and a kind of terrain."""

ROMANIAN_LOSSES = "romanian_losses"
"""HR 4.0c The option."""

BUDAPEST_CITY = "area.budapest_city"


def fortified(charts: Charts, side: str, i: int) -> tuple[str, Fraction] | None:
    """HR 1.1e A printed hedgehog with a black border counts as Close at least for the side that may
    use it. Attacking Armor and Mech are not doubled. HR R-02: the defender may still choose a
    worse terrain of the hex."""
    if side != charts.sides[0] or not hexsets.has(charts.board.black_hedgehogs, i):
        return None
    printed = charts.printed.chart["printed_hedgehog"]
    return printed["black_row_at_least"], Fraction(printed["black_armor_cap"])


def mountain_troops(state: State, name: str, target: int) -> int:
    """HR 4.0h Mountain units have an AR one higher when attacking or defending mountain hexes."""
    if not state.charts.options.get("mountain_units"):
        return 0
    board = state.charts.board
    return int(
        state.counter(name).kind == MOUNTAIN
        and board.map.terrains[board.map.terrain[target]] == MOUNTAIN
    )


def loses_double(state: State, battle: Battle, name: str) -> bool:
    """HR 4.0c, R-38 Romanian units that attack a hex of Budapest: whatever they lose by the
    result, in place of a retreat too, is doubled. Others who attack with them lose what they
    take."""
    return (
        bool(state.charts.options.get(ROMANIAN_LOSSES))
        and state.side(name) == battle.side
        and state.counter(name).nation == "romanian"
        and hexsets.has(state.charts.board.areas[BUDAPEST_CITY], battle.target)
    )
