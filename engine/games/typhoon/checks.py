"""Invariants: what must hold after every command (`check`), and the costly ones for once in a while
(`check_thoroughly`).

Everything derived is worked out anew by another way than evolve takes.
"""

from warledger.engine.board.tracing import access, flood, flood_off
from warledger.engine.games.chitpull.chits import known
from warledger.engine.games.chitpull.sides import AXIS, ENEMY, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP, check_places
from warledger.engine.games.typhoon.command import contents, guderian_in_hand, supply_chits, unseen
from warledger.engine.games.typhoon.field import field_of
from warledger.engine.games.typhoon.state import (
    AVAILABLE,
    ELIMINATED,
    EVACUATED,
    GD_CONVERT,
    SET_UP,
    State,
)

_PLACES = frozenset({SET_UP, ELIMINATED, GD_CONVERT, *AVAILABLE.values(), *EVACUATED.values()})


def check(state: State) -> None:
    """Units and stacks agree; sides never share a hex (3.1(2)); at most two a hex where no retreat
    is under way (3.1(1)). Lakes are empty; chits are conserved (7.1(4)); control follows who stands
    in a place (3.4(2)); garrison and boxes add up."""
    data = state.data
    where = check_places(state.units, data, state.field.stacks)
    for name, unit in state.units.items():
        assert unit.at != OFF_MAP or unit.where in _PLACES, f"{name} is in {unit.where}"
    retreating = state.battle is not None and state.battle.retreating
    for i, names in where.items():
        assert i not in data.water, f"{names} stand in a lake"
        assert len({data.types[name].side for name in names}) == 1, (
            f"both sides in {data.name(i)}: {names}"
        )
        assert retreating or len(names) <= data.stack, f"{data.name(i)}: {names}"
        assert i not in state.control or state.control[i] == data.types[names[0]].side, (
            f"{data.name(i)} is held by {names}"
        )
    if state.intake is None:
        held = sum(
            1
            for name in state.units
            if state.units[name].where == AVAILABLE[SOVIET] and data.types[name].group == "moscow"
        )
        assert 0 <= state.garrison <= held, f"{state.garrison} garrison units to come, {held} left"
    assert set(state.evacuated) == {
        name for name, unit in state.units.items() if unit.where in EVACUATED.values()
    }, "evacuations differ"
    _check_chits(state)


def _check_chits(state: State) -> None:
    cup = state.cup
    assert len(set(cup.drawn)) == len(cup.drawn), "a chit was drawn twice"
    if None in cup.chosen.values():
        return
    every: list[str] = [*supply_chits(state)]
    for side in SIDES:
        mine = known(cup.chosen[side])
        assert len(mine) == cup.counts[side] == len(set(mine)), f"{side} chose {mine}"
        every.extend(mine)
    left = sorted(
        [*contents(state), *((state.guderian,) if guderian_in_hand(state) else ()), *cup.drawn]
    )
    assert left == sorted(every), "chits are lost"
    assert unseen(state) == len(every) - len(cup.drawn), "the public count of chits is wrong"


def check_thoroughly(state: State) -> None:
    """Zones counted afresh, and LOCs and the directions of retreat by another method (3.3, R-10,
    R-25)."""
    data = state.data
    fresh = field_of(
        data, {name: unit.at for name, unit in state.units.items() if unit.at != OFF_MAP}
    )
    for side in SIDES:
        assert state.field.zones(side) == fresh.zones(side), f"zones of {side} differ"
        enemy = state.field.zones(ENEMY[side])
        friends = [i for i in state.field.stacks if state.field.zones(side).pieces[i]]
        closed = [i for i in state.field.stacks if enemy.pieces[i]]
        table = access(
            len(data.board.grid), closed=closed, zone=enemy.count, friends=friends, zone_ends=True
        )
        hexes = [i for i in range(len(data.board.grid)) if state.field.sources(side) >> i & 1]
        if side == AXIS:
            trace = flood_off(
                data.rail, data.land, [i for i in hexes if data.rail[i]], table, data.off_rail
            )
        else:
            trace = flood(data.land, hexes, table)
        home = state.field.ways_home(side)
        for i in range(len(data.board.grid)):
            assert state.field.has_loc(side, i) == trace.reached(i), (
                f"LOC of {side} to {data.name(i)} differs"
            )
            assert home.distance(i) == trace.distance[i] or i in hexes, (
                f"way home of {side} from {data.name(i)} differs"
            )
