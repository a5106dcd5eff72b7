"""HR 1.1e, 4.0c, 4.0h: what the game alters in ground combat."""

from fractions import Fraction

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.battle import Battle
from warledger.engine.games.ocs.charts import Charts
from warledger.engine.games.ocs.state import State

MOUNTAIN = "mountain"
"""A type of unit, and a kind of terrain."""

BUDAPEST_CITY = "area.budapest_city"


def fortified(charts: Charts, side: str, i: int) -> tuple[str, Fraction] | None:
    """HR 1.1e A printed hedgehog with a black border counts as Close at least for the side that
    may use it, and attacking Armor and Mech are not doubled; ruling 2: the defender may still
    choose a worse terrain of the hex."""
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


def loss_factor(state: State, battle: Battle, side: str) -> int:
    """HR 4.0c, ruling 38 Romanians who attack a hex of Budapest lose two steps for each loss,
    including those taken in place of a retreat. [R] The nation of the AR unit, which takes the
    first loss, decides for a mixed attack."""
    if not state.charts.options.get("romanian_losses") or side != battle.side:
        return 1
    leader = battle.leaders.get(side, "")
    romanian = bool(leader) and state.counter(leader).nation == "romanian"
    city = state.charts.board.areas[BUDAPEST_CITY]
    return 2 if romanian and hexsets.has(city, battle.target) else 1
