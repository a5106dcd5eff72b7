"""OCS 9.3, 9.4: the terrain of a combat, and what it makes of strengths.

OCS 9.3 The kind of the defending hex sets the row of the Combat Table, by the defender's choice
among what lies in it. OCS 9.4b For each attacking stack the defender chooses one terrain of their
hex or the hexside crossed, not both. OCS 9.4c For their own units one terrain of the hex.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from warledger.engine.games.ocs.ch03_counters.counters import ARMOR, HEAVY, MECH, NONE, OTHER
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch09_combat.odds import DOUBLE, multiplier
from warledger.engine.games.ocs.ch16_hedgehogs import hedgehogs
from warledger.engine.games.ocs.series.charts import Terrain
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State
from warledger.engine.games.ocs.series.tables import TERRAIN_ROWS


def of(state: State, name: str) -> Terrain:
    """OCS 6.2, 9.4 A row of the terrain effects chart by its name: a terrain, a place or a class of
    hexside. Raises KeyError for a name that is none of them."""
    printed = state.charts.printed
    return printed.terrain.get(name) or printed.place.get(name) or printed.hexside[name]


def grounds(state: State, i: int) -> tuple[str, ...]:
    """OCS 9.3 What the defender may choose of a hex: its terrain, both of them where two lie in it,
    and its place; the hardest first. What spills over from a neighbouring city is ignored."""
    printed, board = state.charts.printed, state.charts.board
    own = printed.terrain[board.map.terrains[board.map.terrain[i]]]
    found = list(own.either or (own.name,))
    place = board.map.places.get(i)
    if place is not None and printed.place[place.kind].row:
        found.append(printed.place[place.kind].name)
    rows = TERRAIN_ROWS
    return tuple(sorted(found, key=lambda name: (-rows.index(of(state, name).row), name)))


def hexside(state: State, a: int, b: int) -> str:
    """OCS 9.4b The class of the hexside between two hexes, where it has an effect on attacks; else
    "". Bridges change nothing (13.8b)."""
    board = state.charts.board
    kind = board.river_class(board.slot(a, b))
    return kind if kind and state.charts.printed.hexside[kind].by_class else ""


def against(state: State, a: int, target: int) -> tuple[str, ...]:
    """OCS 9.4b What the defender may choose against the attackers in one hex."""
    side = hexside(state, a, target)
    return (*grounds(state, target), *((side,) if side else ()))


def row(state: State, side: str, i: int, ground: str = "") -> str:
    """OCS 9.3 The row of the table for a side that defends in a hex, in the terrain that it chose
    or in the hardest there. A hex that the game has fortified is at least of its row."""
    chosen = of(state, ground or grounds(state, i)[0]).row
    fort = rules(state.charts).fortified(state.charts, side, i)
    if fort is None:
        return chosen
    return max(chosen, fort[0], key=TERRAIN_ROWS.index)


def opposed(state: State, side: str, i: int, names: Iterable[str]) -> int:
    """OCS 9.4e, 16.0e The anti-tank level of a defending hex: that of its best unit; heavy with any
    hedgehog."""
    best = max((state.counter(name).at for name in names), default=NONE)
    return HEAVY if hedgehogs.level(state, side, i) else best


def attacking(state: State, name: str, choice: str, level: int, target: int) -> Fraction:
    """OCS 9.4, 9.4a, 3.2a The multiplier of an attacking unit in the terrain chosen against it,
    against a hex of that anti-tank level."""
    counter = state.counter(name)
    found = of(state, choice)
    printed = found.by_class[_class(counter.cls)]
    fort = rules(state.charts).fortified(state.charts, state.enemy(counter.side), target)
    if fort is not None and _class(counter.cls) != OTHER and printed >= DOUBLE:
        printed = min(printed, fort[1])
    return multiplier(printed, counter.at, level, attacking=True, attack_only=found.attack_only)


def defending(state: State, name: str, ground: str) -> Fraction:
    """OCS 9.4c, 9.4d The multiplier of a defending unit; [x2] is for attack only."""
    found = of(state, ground)
    printed = found.by_class[_class(state.counter(name).cls)]
    return multiplier(printed, NONE, NONE, attacking=False, attack_only=found.attack_only)


def _class(cls: str) -> str:
    return cls if cls in (ARMOR, MECH) else OTHER


def best_choices(
    state: State, target: int, stacks: Mapping[int, tuple[str, ...]], level: int
) -> Mapping[int, str]:
    """OCS 9.4b Of what the defender may choose against each attacking hex, what leaves it the least
    strength: what is offered first."""
    return {
        a: min(
            against(state, a, target),
            key=lambda choice, stack=stack: sum(  # type: ignore[misc]
                modes.strength(state, name, attacking=True)
                * attacking(state, name, choice, level, target)
                for name in stack
            ),
        )
        for a, stack in stacks.items()
    }
