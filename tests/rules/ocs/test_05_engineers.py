"""OCS 5.10e, 13.8; HR 1.5a: HQs work as engineers, in DG too, and nobody else does."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, charts_of, put, stand
from tests.rules.hungarian_rhapsody.table import at_table, fed
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import trucks
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch12_supply import sources
from warledger.engine.games.ocs.ch13_special_units import construction
from warledger.engine.games.ocs.ch13_special_units.bridges import (
    engineers,
    lately_engineer,
    rivers_of,
)
from warledger.engine.games.ocs.ch15_air_bases import air_bases
from warledger.engine.games.ocs.ch16_hedgehogs import earthworks
from warledger.engine.games.ocs.series import evolve
from warledger.engine.games.ocs.series.board import RAIL
from warledger.engine.games.ocs.series.events import ModeChanged
from warledger.engine.games.ocs.series.state import State, taken_by
from warledger.engine.kernel.change import replace

HQ, INFANTRY, TRUCK = "ax.hq.iv", "ax.inf.44", "ax.truck.1"
BOARD = charts_of("campaign").board
HERE = "A26.10"
AT = BOARD.hex(HERE)

ABLE = ({}, {"marker": "dg"})
UNABLE = (
    {"move_side": True},
    {"marker": "dg", "move_side": True},
    {"marker": "reserve"},
    {"marker": "strat", "move_side": True},
)


def headquarters(unit: str = HQ, hex: str = HERE, **changes: object) -> State:
    """An HQ with supply in a Movement Phase, all hexes its side's."""
    state = stand({unit: hex}, turn=3, phasing=AXIS, segment="c2")
    state = fed(taken_by(state, AXIS, BOARD.every), 40, hex)
    return put(state, unit, **changes)


@pytest.mark.parametrize("changes", ABLE)
def test_5_10e_an_hq_in_dg_on_its_combat_side_works(changes: dict[str, object]) -> None:
    """OCS 5.10e, 13.8d It builds hedgehogs and air bases up to two hexes away, in DG on its Combat
    side as in Combat mode."""
    state = headquarters(**changes)
    near = {BOARD.hex("A26.12"), BOARD.hex("A27.11"), AT}
    assert near <= set(earthworks.diggable(state, AXIS))
    assert near & set(air_bases.buildable(state, AXIS))
    rig = at_table(taken_by(state, SOVIET, 1 << BOARD.hex("B62.01")), "moving")
    rig.do(AXIS, "dig", "A26.12")
    rig.do(AXIS, "auto")
    assert rig.state.hedgehogs[BOARD.hex("A26.12")].level == 1
    assert rig.state.units[HQ].worked


@pytest.mark.parametrize("changes", UNABLE)
def test_5_10e_on_another_side_or_in_another_mode_it_does_not(changes: dict[str, object]) -> None:
    """OCS 5.10e, 13.8 Not on its Move side, DG or not, nor in Reserve or Strat mode."""
    state = headquarters(**changes)
    assert not construction.engineers(state, AXIS)
    assert not engineers(state, AXIS)
    assert BOARD.hex("A26.12") not in earthworks.diggable(state, AXIS)


@pytest.mark.parametrize("changes", ABLE)
def test_5_10e_it_bridges_and_makes_a_station(changes: dict[str, object]) -> None:
    """OCS 5.10e, 13.8b, 13.3c In DG too it bridges the rivers of its hex and makes a railway hex
    detrainable; on its Move side it does neither."""
    places = 0
    for hexes in BOARD.by_place.values():
        places |= hexes
    i, slot = next(
        (i, slot)
        for i in hexsets.listed(BOARD.linked[RAIL] & ~places)
        for slot, kind in rivers_of(BOARD, i)
        if kind == "minor"
    )
    state = headquarters(hex=BOARD.name(i), **changes)
    flipped = put(state, HQ, move_side=True)
    assert slot in dict(GAME.bridging(state, AXIS, False))
    assert slot not in dict(GAME.bridging(flipped, AXIS, False))
    assert hexsets.has(sources.detrainable(state, AXIS), i)
    assert not hexsets.has(sources.detrainable(flipped, AXIS), i)


def test_13_8b_an_hq_leaves_over_its_own_bridge() -> None:
    """OCS 13.8b An HQ that flips to leave still has its bridge for itself: it crosses a minor river
    for the hex alone, and others do not; once it has left nobody does."""
    near = BOARD.map.grid.neighbours
    for i, to in (
        (slot // 6, near[slot // 6][slot % 6])
        for wild in hexsets.listed(BOARD.every & ~BOARD.linked["road"])
        for slot, kind in rivers_of(BOARD, wild)
        if kind == "minor"
    ):
        state = headquarters(hex=BOARD.name(i))
        state = put(state, TRUCK, at=i, where="", move_side=True)
        flipped = evolve.evolve(state, ModeChanged(AXIS, ((HQ, "", True),)))
        dear, cheap = movement_range.walked(put(state, HQ, move_side=True), HQ, (to,)), None
        if not dear.over:
            cheap = movement_range.walked(flipped, HQ, (to,))
            break
    assert cheap is not None and cheap.cost < dear.cost
    assert movement_range.walked(flipped, TRUCK, (to,)).cost == dear.cost
    assert not lately_engineer(put(flipped, HQ, at=to), HQ)
    assert not lately_engineer(put(flipped, HQ, spent=1), HQ), "it has come back"


def test_5_10e_soviet_trucks_unload_at_one_in_dg() -> None:
    """HR 3.1d, OCS 5.10e The hex of an engineer-capable HQ is unloadable, in DG too."""
    state = stand({"su.hq.57a": "B48.30"}, turn=9, phasing=SOVIET, segment="c2")
    state = taken_by(state, SOVIET, BOARD.every)
    i = next(
        i
        for i in hexsets.listed(trucks.edge_hexes(BOARD) ^ BOARD.every)
        if hexsets.has(BOARD.linked["road"], i)
        and not any(hexsets.has(hexes, i) for hexes in BOARD.by_place.values())
        and BOARD.map.grid.distance(i, BOARD.hex("B49.34")) <= 3
    )
    state = put(state, "su.hq.57a", at=i, marker="dg")
    assert hexsets.has(trucks.unloadable(state, SOVIET), i)
    flipped = put(state, "su.hq.57a", move_side=True)
    assert not hexsets.has(trucks.unloadable(flipped, SOVIET), i)


def test_1_5a_hqs_alone_are_engineers() -> None:
    """HR 1.5a Every HQ of either side is one; no other unit is, whatever its symbol, but that a
    pontoon bridges its own hex."""
    state = stand({})
    for name, counter in state.charts.units.items():
        if counter.combat is None:
            continue
        at = put(state, name, at=AT, where="")
        assert bool(engineers(at, counter.side)) is counter.hq, name
    assert not construction.engineers(headquarters(INFANTRY), AXIS)


def test_1_5a_it_must_be_there_and_idle() -> None:
    """HR 1.5a, OCS 13.8d One that has moved or worked in the phase does not work in it."""
    state = headquarters()
    assert construction.engineers(state, AXIS) == (HQ,)
    assert not construction.engineers(put(state, HQ, began=AT, spent=1), AXIS)
    assert not construction.engineers(put(state, HQ, worked=True), AXIS)
    assert not construction.engineers(
        replace(state, units={**state.units, HQ: stand({}).units[HQ]}), AXIS
    )
