"""Invariants: what must hold after every event (`check`), and the costly ones for once in a while
(`check_thoroughly`).

Everything derived is worked out anew by another way than evolve takes.
"""

from warledger.engine.board.stacking import breach
from warledger.engine.games.chitpull.chits import known
from warledger.engine.games.chitpull.sides import ENEMY, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP, check_places
from warledger.engine.games.victory_lost.field import field_of
from warledger.engine.games.victory_lost.state import State


def check(state: State) -> None:
    """Counters and stacks agree; opposing units never share a hex (5.0.2); pocket and water are
    empty; chits and points add up."""
    data, field = state.data, state.field
    where = check_places(state.counters, data, field.stacks)
    for i, names in where.items():
        assert i not in data.water, f"{names} stand in water"
        assert not field.closed(i), f"{names} stand in the pocket"
        units = {data.types[name].side for name in names if not data.types[name].hq}
        assert len(units) < 2, f"units of both sides in {data.name(i)}: {names}"
    assert set(known(state.cup.chosen[SOVIET])) <= {
        *known(state.cup.five),
        *state.cup.stock.get(SOVIET, ()),
    }, "a Soviet chit from nowhere"
    assert len(set(state.cup.drawn)) == len(state.cup.drawn), "a chit was drawn twice"
    assert all(state.score[side] >= 0 for side in SIDES), (
        f"a score fell below nothing: {state.score}"
    )


def check_at_rest(state: State) -> None:
    """5.0.4 Stacking, wherever nobody is in the middle of a move, retreat or advance; no lone HQ
    shares a hex with an enemy."""
    for i, names in state.field.stacks.items():
        broken = breach(state.data.limits, [state.data.types[name].piece for name in names])
        assert broken is None, f"{state.data.name(i)}: {names} break {broken}"


def check_thoroughly(state: State) -> None:
    """Zones of control counted afresh, and supply traced counter by counter by another method."""
    data = state.data
    fresh = field_of(
        data,
        max(state.turn, 1),
        {name: counter.at for name, counter in state.counters.items() if counter.at != OFF_MAP},
    )
    for side in SIDES:
        assert state.field.zones(side) == fresh.zones(side), f"zones of {side} differ"
        assert state.field.hqs(side) == fresh.hqs(side), f"HQs of {side} differ"
        reach = {i for i in range(len(data.board.grid)) if state.field.supply(side).reached(i)}
        assert reach == _supplied(state, side), f"supply of {side} differs"


def _supplied(state: State, side: str) -> set[int]:
    """10.1.2 by rule: grow the set of supplied hexes until nothing is added."""
    data, field = state.data, state.field
    sides = data.board.sides
    enemy = ENEMY[side]

    def open_(i: int) -> bool:
        if i in data.water or field.closed(i):
            return False
        there = [data.types[name].side for name in field.stacks.get(i, ())]
        return enemy not in there and (side in there or not field.zones(enemy).count[i])

    found = {i for i in data.sources(side, field.turn) if open_(i)}
    front = sorted(found)
    while front:
        a = front.pop()
        for d, b in enumerate(data.board.grid.neighbours[a]):
            at = a * 6 + d
            if b < 0 or b in found or sides.impassable[at] or not open_(b):
                continue
            if sides.river_class(at) == "major" and not sides.bridged[at]:
                continue
            found.add(b)
            front.append(b)
    return found
