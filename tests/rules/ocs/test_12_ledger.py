"""OCS 12.1, 4.8a: the accounts of supply and the limits of stacks, as the checks recompute them."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand, start
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.series import checks, evolve
from warledger.engine.games.ocs.series.events import LoadChanged, SupplyChanged
from warledger.engine.games.ocs.series.state import State, with_supply
from warledger.engine.kernel.change import replace

TRUCK = "su.truck.1"
HERE, THERE = "A26.10", "A26.14"


def after(state: State, *events: object) -> State:
    """The position after these events."""
    for event in events:
        state = evolve.evolve(state, event)
    return state


def scene() -> State:
    """40T of the Axis on the ground, a Soviet truck elsewhere, the accounts open."""
    state = stand({TRUCK: THERE})
    lying = with_supply(state, AXIS, state.charts.board.hex(HERE), 40)
    return points.opened(lying)


def test_12_1_the_first_position_balances() -> None:
    """OCS 12.1 At the start each side has what it holds, loads of organic trucks included."""
    for name in ("sudwind", "campaign"):
        state = start(name)
        checks.supply_is_conserved(state)
        assert state.come_sp == points.held(state)
        assert state.come_sp[SOVIET] > 0


def test_12_1_every_way_that_supply_goes_is_entered() -> None:
    """OCS 12.1, 9.14b What arrives, moves, is loaded, spent, blown up or captured keeps the balance
    of both sides."""
    made = after(
        scene(),
        SupplyChanged(AXIS, HERE, 12, "arrived"),
        SupplyChanged(AXIS, HERE, -8, "moved"),
        SupplyChanged(AXIS, THERE, 8, "moved"),
        SupplyChanged(AXIS, HERE, -3, "spent"),
        SupplyChanged(AXIS, HERE, -1, "blown"),
        SupplyChanged(AXIS, HERE, -5, "captured"),
        LoadChanged(TRUCK, 2, "captured"),
        SupplyChanged(SOVIET, HERE, 3, "captured"),
    )
    checks.supply_is_conserved(made)
    assert (made.come_sp[AXIS], made.taken_sp) == (52, {AXIS: -5, SOVIET: 5})
    assert points.held(made) == {AXIS: 43, SOVIET: 5}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (SupplyChanged(AXIS, HERE, -1, "moved"), "axis has held or spent"),
        (LoadChanged(TRUCK, 1, "loaded"), "soviet has held or spent"),
        (SupplyChanged(SOVIET, HERE, 1, "captured"), "captured supply"),
    ],
)
def test_12_1_a_token_that_comes_from_nowhere_is_found(wrong: object, told: str) -> None:
    """OCS 12.1 One T that vanishes, appears or is captured from nobody breaks the check."""
    with pytest.raises(AssertionError, match=told):
        checks.supply_is_conserved(after(scene(), wrong))


def test_12_1_a_load_that_dies_with_its_truck_is_found() -> None:
    """OCS 12.1 A load that leaves the game without being entered as lost breaks the check."""
    state = points.opened(put(scene(), TRUCK, load=2))
    with pytest.raises(AssertionError, match="soviet has held or spent 0T of 2T"):
        checks.supply_is_conserved(put(state, TRUCK, load=0))


def test_4_8a_an_overstacked_hex_is_found_once_a_segment_has_ended() -> None:
    """OCS 4.8a More than 10 RE may stand in a hex while units move, and not in the segment that
    follows; steps that a multi-step unit has lost do not count."""
    crowd: dict[str, str] = {}
    state, room = start("campaign"), 40
    multi = next(
        name
        for name, counter in state.charts.units.items()
        if counter.side == AXIS and counter.multi_step
    )
    crowd[multi] = HERE
    quarters = state.charts.units[multi].re
    for name, counter in state.charts.units.items():
        if counter.side == AXIS and counter.combat_unit and not counter.multi_step:
            if quarters > room:
                break
            crowd[name] = HERE
            quarters += counter.re
    full = stand(crowd)
    checks.stacks_are_within_limits(replace(full, segment="c2"))
    barraging = replace(full, segment="c3")
    with pytest.raises(AssertionError, match=r"quarters of an RE in A26\.10"):
        checks.stacks_are_within_limits(barraging)
    weaker = put(barraging, multi, lost=state.charts.units[multi].re // 4)
    assert quarters - 4 * weaker.units[multi].lost <= room
    checks.stacks_are_within_limits(weaker)
