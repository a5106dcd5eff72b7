"""OCS 12.2, 13.2: transport loads, carries and unloads."""

from types import SimpleNamespace

from tests.rules.hungarian_rhapsody.bench import AXIS, put, stand
from tests.rules.ocs.play import bench
from warledger.engine.games.ocs.ch06_movement import movement, movement_step
from warledger.engine.games.ocs.ch12_supply import bills, fuel, payment, points
from warledger.engine.games.ocs.ch13_special_units import transport
from warledger.engine.games.ocs.series.state import State, with_supply
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

ORGANIC = "ax.fhh.truck"
DIVISION = "ax.inf.44"
TRUCK = next(
    name
    for name, one in stand({}).charts.units.items()
    if one.side == AXIS and one.points == 1 and not one.organic and one.move and one.move.ma == 45
)


def moving(state: State) -> Rig[State]:
    """A rig that asks for moves, loading among them."""
    made = replace(state, phasing=AXIS, segment="c2", turn=42)
    steps = {movement.MOVING: movement_step.Moving(more=transport.commands())}
    rig = bench(made, bills, payment, fuel, movement, transport, SimpleNamespace(STEPS=steps))
    rig.jump("idle", movement.MOVING)
    return rig


def lying(state: State, where: str, tokens: int) -> State:
    """The position with Axis supply on the ground."""
    return with_supply(state, AXIS, state.charts.board.hex(where), tokens)


def test_13_2_a_truck_loads_drives_and_unloads() -> None:
    """OCS 3.3b, 13.2 A truck of 45 points pays 5 to load and 5 to unload, and carries no more than
    its size."""
    rig = moving(lying(stand({TRUCK: "A26.10", DIVISION: "A26.13"}), "A26.10", 6))

    assert rig.refused(AXIS, "load", TRUCK, 5).rule == "OCS 13.2"
    rig.do(AXIS, "load", TRUCK, 4)
    assert rig.state.units[TRUCK].spent == 5 * rig.state.charts.parts
    rig.do(AXIS, "move", TRUCK, "A26.13")
    before = rig.state.units[TRUCK].spent
    rig.do(AXIS, "unload", TRUCK, 4)

    board = rig.state.charts.board
    assert rig.state.units[TRUCK].spent == before + 5 * rig.state.charts.parts
    assert rig.state.supply[AXIS] == {board.hex("A26.10"): 2, board.hex("A26.13"): 4}


def test_12_2a_nothing_is_loaded_again_in_the_phase() -> None:
    """OCS 12.2a What a truck has put down no truck takes up in the same phase."""
    state = put(stand({TRUCK: "A26.10", DIVISION: "A26.10"}), TRUCK, load=4)
    rig = moving(state)
    rig.do(AXIS, "unload", TRUCK, 4)

    assert "load" not in rig.options(AXIS)


def test_12_2b_what_was_moved_is_used_first() -> None:
    """OCS 12.2a, 12.2b, 3.3a Of 4T that lay there and 4T put down in this phase 4T are used up:
    supply is generic, so the other 4T may still go on."""
    state = lying(put(stand({TRUCK: "A26.10", DIVISION: "A26.10"}), TRUCK, load=4), "A26.10", 4)
    rig = moving(state)
    rig.do(AXIS, "unload", TRUCK, 4)
    assert transport.loadable(rig.state, TRUCK) == 4

    used = points.spent(rig.state, AXIS, (("", "A26.10", 4),))
    assert transport.loadable(used, TRUCK) == 4
    more = points.spent(used, AXIS, (("", "A26.10", 1),))
    assert transport.loadable(more, TRUCK) == 3


def test_13_2_unloading_needs_somebody_there() -> None:
    """OCS 13.2 No unloading in an empty hex; organic trucks never unload."""
    state = stand({TRUCK: "A26.10", ORGANIC: "A26.13", DIVISION: "A26.13"})
    rig = moving(put(put(state, TRUCK, load=4), ORGANIC, load=4))

    assert "unload" not in rig.options(AXIS)
    rig.do(AXIS, "move", TRUCK, "A26.13")
    assert rig.options(AXIS, "unload") == (TRUCK,)
    assert rig.refused(AXIS, "unload", ORGANIC).rule == "OCS 13.2"


def test_13_2_wagons_pay_one() -> None:
    """OCS 13.2 A tenth of the printed MA, rounded: 45 make 5, 10 make 1."""
    state = stand({})
    costs = {
        one.move.ma: transport.handling(state, name) // state.charts.parts
        for name, one in state.charts.units.items()
        if one.points and one.move
    }
    assert costs[45] == 5
    assert costs.get(10, 1) == 1
