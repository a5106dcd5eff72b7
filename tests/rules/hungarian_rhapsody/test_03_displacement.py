"""HR 3.1c(3): front markers that are displaced, and what comes out of the RVGK box for them."""

from tests.rules.hungarian_rhapsody.arriving import AFTER, BRIGADES, CORPS
from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put
from tests.rules.hungarian_rhapsody.fronts import (
    BOARD,
    HERE,
    INFANTRY,
    START,
    boxed,
    front,
    hexes,
    threatened,
    within_five,
)
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import displacement, fronts, rvgk
from warledger.engine.games.ocs.series.charts import ROAD_PATH
from warledger.engine.kernel.change import replace

SECOND, THIRD, FOURTH = fronts.SECOND, fronts.THIRD, fronts.FOURTH


def test_3_1c_units_of_the_box_come_to_a_displaced_marker() -> None:
    """HR 3.1c(3) Any or all of them stand within 5 hexes of the marker at once, in a mode of
    arrival; elsewhere they may not, and those that stay are still being rebuilt."""
    rig = threatened(boxed(front(), *BRIGADES[:2]))
    assert rig.asked() == {SOVIET: "prompt.hr.displaced"}
    live, left = BRIGADES[2], BRIGADES[3]
    near = hexes(rig, live)
    assert len(near) > 20
    assert within_five(rig, near)
    far = HERE if not within_five(rig, (HERE,)) else "A1.10"
    assert rig.refused(SOVIET, "place", live, far).rule == "HR 3.1c(3)"
    assert rig.refused(SOVIET, "place", BRIGADES[0]).rule == "HR 3.1c(3)"
    rig.do(SOVIET, "place", live, near[0], "combat")
    assert BOARD.name(rig.state.units[live].at) == near[0]
    assert rvgk.inside(rig.state, CORPS)
    assert not rvgk.rebuilds(rig.state, CORPS)
    assert left in rig.options(SOVIET, "place")
    rig.do(SOVIET, "done")
    assert not displacement.pending(rig.state)
    assert rig.state.units[left].where == rvgk.BOX


def test_3_1c_a_formation_that_has_left_the_box_is_not_rebuilt() -> None:
    """HR 3.1c(3), 3.3b With its last unit out of the box it is a formation like others, which may
    go to the box again."""
    rig = threatened(boxed(front(), *BRIGADES[:2]))
    for name in displacement.held(rig.state):
        rig.do(SOVIET, "place", name, hexes(rig, name)[-1])
    assert not rvgk.inside(rig.state, CORPS)
    assert rig.asked() == {AXIS: "prompt.ocs.first_player"}


def test_3_1c_each_front_has_units_of_its_own() -> None:
    """HR 3.1c(3), 3.3b At the 4th Ukrainian Front's marker nobody comes, at the 3rd's those of
    formations that may return there."""
    state = boxed(front(turn=20))
    for marker, comes in ((SECOND, True), (THIRD, True), (FOURTH, False)):
        displaced = replace(
            state,
            markers={marker: (START,)},
            flags={**state.flags, f"{displacement.SINCE}{marker}": HERE},
        )
        assert bool(displacement.held(displaced)) is comes, marker
    used_up = replace(
        state,
        markers={THIRD: (START,)},
        flags={
            **state.flags,
            f"{displacement.SINCE}{THIRD}": HERE,
            f"{rvgk.SENT}{THIRD}": 2,
        },
    )
    assert not displacement.held(used_up)


def test_3_1c_among_equals_the_owner_chooses() -> None:
    """HR 3.1c(3) The marker has gone to the first of the nearest hexes; the Soviets may take
    another, and its supply goes along; a hex that is farther, or not legal any more, they may
    not."""
    rig = threatened(front())
    at = fronts.on_map(rig.state)[SECOND]
    other = next(i for i in hexsets.listed(fronts.legal(rig.state, SECOND)) if i != at)
    third = next(i for i in hexsets.listed(fronts.legal(rig.state, SECOND)) if i not in (at, other))
    named = f"{BOARD.name(at)} {BOARD.name(other)} {HERE}"
    rig.state = replace(
        rig.state,
        flags={
            f"{displacement.SINCE}{SECOND}": named,
            f"{displacement.CARRIED}{SECOND}": 12,
        },
    )
    rig.jump("game", "turns", AFTER, displacement.STEP)
    assert rig.options(SOVIET, "relocate", SECOND) == (BOARD.name(other),)
    assert rig.refused(SOVIET, "relocate", SECOND, BOARD.name(third)).rule == "HR 3.1c(3)"
    assert rig.refused(SOVIET, "relocate", SECOND, HERE).rule == "HR 3.1c(3)"
    assert rig.refused(SOVIET, "relocate", FOURTH).rule == "HR 3.1c(3)"
    rig.do(SOVIET, "relocate", SECOND, BOARD.name(other))
    assert fronts.on_map(rig.state)[SECOND] == other
    assert rig.state.supply[SOVIET] == {other: 12}


def test_3_1c_the_nearest_hexes_are_found_all() -> None:
    """HR 3.1c(3) All legal hexes at the shortest distance by road are equals."""
    board = BOARD.map.grid
    for start in hexsets.listed(BOARD.linked[ROAD_PATH]):
        state = put(front(), INFANTRY, at=start, where="")
        found = displacement.refuges(state, SECOND, start)
        if len(found) > 1:
            break
    legal = fronts.legal(state, SECOND)
    assert len(found) > 1
    assert all(hexsets.has(legal, i) for i in found)
    nearer = min(board.distance(start, i) for i in hexsets.listed(legal))
    assert all(board.distance(start, i) >= nearer for i in found)


def test_3_1c_nobody_is_asked_where_nothing_can_be_chosen() -> None:
    """HR 3.1c(3), OCS 4.9 With one hex and an empty box play goes on; under strict fog the Soviets
    are asked whatever the box holds."""
    assert "prompt.hr.displaced" not in threatened(front()).asked().values()
    asked = [threatened(one, "strict").asked() for one in (front(), boxed(front()))]
    assert asked == [{SOVIET: "prompt.hr.displaced"}] * 2


def test_3_1c_what_comes_is_hidden() -> None:
    """HR 3.1c(3), OCS R-14, R-15, R-16 The log tells the enemy neither where the marker may be nor
    which units come."""
    rig = threatened(boxed(front()), "strict")
    unit = rig.options(SOVIET, "place")[0]
    events = rig.do(SOVIET, "place", unit, hexes(rig, unit)[-1])
    committed = next(one for one in events if isinstance(one, displacement.Committed))
    assert committed.units.readers == (SOVIET,)
