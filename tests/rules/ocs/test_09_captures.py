"""OCS 9.14b-f, HR 1.1f: what is captured by entering a hex."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.hungarian_rhapsody.table import at_table, fed
from tests.rules.ocs.play import bench
from warledger.engine.games.ocs.ch09_combat import captures, escapes, losses
from warledger.engine.games.ocs.series.state import (
    NOT_ARRIVED,
    Aircraft,
    Base,
    Hedgehog,
    State,
    with_supply,
)
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step
from warledger.engine.testing.rig import Rig

TIGERS, RIFLES, HQ = "ax.tgr.503", "su.gd.81", "ax.hq.iv"
TRUCKS = ("su.truck.1", "su.truck.2", "su.truck.3")
HERE, FRIENDS = "A26.10", "A26.14"


class Entering(Step[State]):
    """Units have come into a hex."""

    def __init__(self, units: tuple[str, ...], at: int, by_advance: bool) -> None:
        self._what = (units, at, by_advance)

    def advance(self, table: Table[State], frame: Frame) -> None:
        """They capture what lies there."""
        table.done()
        units, at, by_advance = self._what
        captures.enter(table, units, at, by_advance=by_advance)


def entered(
    state: State, *dice: int, units: tuple[str, ...] = (TIGERS,), by_advance: bool = False
) -> Rig[State]:
    """The game once units have entered their hex, with these dice."""
    rig = bench(state, captures, escapes, losses)
    rig.dice(*dice)
    at = state.units[units[0]].at
    rig.rules.steps["entering"] = Entering(units, at, by_advance)  # type: ignore[index]
    rig.jump("idle", "entering")
    rig.rules.invariants(rig.state)
    return rig


def scene(**where: str) -> State:
    """Tigers in a hex, Soviet rifles four hexes off."""
    return stand({TIGERS: HERE, RIFLES: FRIENDS, **where})


def at(state: State, name: str) -> int:
    """A hex by its printed id."""
    return state.charts.board.hex(name)


def test_9_14_example_29() -> None:
    """OCS 9.14b-c Example 29: three trucks with 3 SP, 9 SP on the ground; dice 3 and 5: one truck
    and 3T are captured, two with 9T escape up to 10 hexes; of the dump 4 SP 2T are captured."""
    state = scene(**dict.fromkeys(TRUCKS, HERE))
    for name in TRUCKS:
        state = put(state, name, load=4)
    here = at(state, HERE)
    state = with_supply(state, SOVIET, here, 36)

    after = entered(state, 3, 5).state

    mine = [n for n, unit in after.units.items() if unit.at == here and n != TIGERS]
    away = [n for n in TRUCKS if after.units[n].at >= 0]
    assert [after.units[n].load for n in mine] == [3]
    assert all(after.side(n) == AXIS for n in mine)
    assert len(away) == 2
    assert [after.units[n].load for n in away] == [4, 4]
    assert after.supply[SOVIET] == {at(state, FRIENDS): 1}
    assert all(after.units[n].at == at(state, FRIENDS) for n in away)
    assert after.supply[AXIS][here] == 18
    assert after.spent_sp[SOVIET] - state.spent_sp[SOVIET] == 18


def test_9_14c_a_quarter_of_one_truck() -> None:
    """OCS 9.14c [E] Of one loaded truck, organic or not, a quarter is 1T: the point escapes with
    3T."""
    state = put(scene(**{"su.truck.1": HERE}), "su.truck.1", load=4)
    after = entered(state, 3).state

    assert after.units["su.truck.1"].load == 3
    assert after.units["su.truck.1"].at == at(state, FRIENDS)
    assert after.supply[AXIS] == {at(state, HERE): 1}


@pytest.mark.parametrize(("die", "taken"), list(enumerate((0, 0, 1, 2, 3, 4), start=1)))
def test_9_14c_wagons_have_their_own_column(die: int, taken: int) -> None:
    """OCS 9.14c Wagons are rolled on their own column; whole points alone are captured."""
    wagons = tuple(f"su.wagon.{n}" for n in range(1, 5))
    after = entered(scene(**dict.fromkeys(wagons, HERE)), die).state

    assert sum(after.units[name].where == NOT_ARRIVED for name in wagons) == taken
    mine = [n for n in after.units if after.units[n].at == at(after, HERE) and n != TIGERS]
    assert len(mine) == taken


def test_9_14c_ordinary_points_before_organic_ones() -> None:
    """OCS 9.14c, 13.2 [R] Of mixed transport ordinary points go first; a captured organic truck is
    an ordinary one."""
    state = scene(**{"su.truck.1": HERE, "su.9gmc.truck": HERE})
    after = entered(state, 4).state
    assert after.units["su.truck.1"].where == NOT_ARRIVED
    assert after.units["su.9gmc.truck"].at == at(state, FRIENDS)


def test_9_14c_the_nearest_friends_else_the_nearest_hex() -> None:
    """OCS 9.14c [R] Trucks flee at most 10 hexes: to friends if there are any within that, else to
    the nearest hex without enemies."""
    state = stand({TIGERS: HERE, "su.truck.1": HERE})
    here = at(state, HERE)
    to = escapes.refuge(state, SOVIET, here, 10)

    assert state.charts.board.map.grid.distance(here, to) == 1
    assert escapes.refuge(state, SOVIET, here, 0) == -1


def test_9_14b_a_dump_alone() -> None:
    """OCS 9.14b What is not captured of a dump is destroyed: die 1 captures nothing."""
    state = with_supply(scene(), SOVIET, at(scene(), HERE), 5)
    after = entered(state, 1).state

    assert after.supply == {AXIS: {}, SOVIET: {}}
    assert after.spent_sp[SOVIET] == 5


@pytest.mark.parametrize(("level", "left"), [(1, None), (2, 1)])
def test_1_1f_a_hedgehog_drops_a_level(level: int, left: int | None) -> None:
    """OCS 9.14e, HR 1.1f A hedgehog that is entered drops one level and is the captor's."""
    state = scene()
    here = at(state, HERE)
    state = type(state)(**{**state.__dict__, "hedgehogs": {here: Hedgehog(SOVIET, level)}})
    after = entered(state).state

    assert after.hedgehogs.get(here) == (None if left is None else Hedgehog(AXIS, left))


def test_9_14_who_captures() -> None:
    """OCS 4.4c, 9.14 Units that cannot attack capture nothing; nor does anybody while an enemy
    combat unit stands there."""
    lone = with_supply(stand({HQ: HERE}), SOVIET, at(scene(), HERE), 8)
    assert entered(lone, units=(HQ,)).state.supply == lone.supply

    held = with_supply(scene(), SOVIET, at(scene(), FRIENDS), 8)
    rig = bench(held, captures, escapes, losses)
    rig.run(lambda table: captures.enter(table, (TIGERS,), at(held, FRIENDS)))
    assert rig.state.supply == held.supply


@pytest.mark.parametrize(
    ("active", "advance", "dice", "lost"),
    [
        (False, False, (3, 3), 1),
        (False, False, (3, 4), 0),
        (True, False, (2, 2), 1),
        (True, False, (2, 3), 0),
        (True, True, (1, 1), 1),
        (True, True, (1, 2), 0),
    ],
)
def test_9_14f_an_air_base(active: bool, advance: bool, dice: tuple[int, int], lost: int) -> None:
    """OCS 9.14f A base is captured as it is; each aircraft rolls, 6 or less loses a step, and flees
    inactive to a base within twice its range."""
    plane = "su.air.la5.1"
    state = scene()
    here, home = at(state, HERE), at(state, "A26.16")
    state = type(state)(
        **{
            **state.__dict__,
            "bases": {here: Base(SOVIET, 2), home: Base(SOVIET, 1)},
            "aircraft": {n: Aircraft() for n in state.aircraft}
            | {plane: Aircraft(here, "", active)},
        }
    )
    after = entered(state, *dice, by_advance=advance).state

    assert after.bases[here] == Base(AXIS, 2)
    fled = after.aircraft[plane]
    assert (fled.base, fled.active, fled.lost) == (home, False, lost)


def test_9_14f_nowhere_to_flee() -> None:
    """OCS 9.14f Without a base in reach the aircraft is destroyed."""
    plane = "su.air.la5.1"
    state = scene()
    here = at(state, HERE)
    state = type(state)(
        **{
            **state.__dict__,
            "bases": {here: Base(SOVIET, 1)},
            "aircraft": {n: Aircraft() for n in state.aircraft} | {plane: Aircraft(here, "", True)},
        }
    )
    after = entered(state, 6, 6).state.aircraft[plane]
    assert (after.base, after.where) == (None, "box.dead.soviet")


def test_9_14c_their_owner_says_where_trucks_go() -> None:
    """OCS 9.14c What escapes its owner displaces within 10 hexes, each point by itself and once,
    never among enemies; until then it is with the nearest friends."""
    state = scene(**{"su.truck.1": HERE, "su.truck.2": HERE})
    for name in TRUCKS[:2]:
        state = put(state, name, load=4)
    rig = entered(state, 1)
    grid = rig.state.charts.board.map.grid
    assert {rig.state.units[name].at for name in TRUCKS[:2]} == {at(state, FRIENDS)}

    open_ = rig.options(SOVIET, "displace", "su.truck.1")
    far = {grid.distance(at(state, HERE), at(state, name)) for name in open_ if name in grid.index}
    assert {HERE, FRIENDS}.isdisjoint(open_) and max(far) == 10
    assert rig.refused(SOVIET, "displace", "su.truck.1", HERE).rule == "OCS 9.14c"
    rig.do(SOVIET, "displace", "su.truck.1", "A26.16")
    assert rig.options(SOVIET, "displace") == ("su.truck.2",)
    rig.do(SOVIET, "done")

    found = rig.state.units
    assert (found["su.truck.1"].at, found["su.truck.2"].at) == (
        at(state, "A26.16"),
        at(state, FRIENDS),
    )
    assert [found[name].load for name in TRUCKS[:2]] == [4, 4]


def test_9_14c_their_owner_says_which_are_captured() -> None:
    """OCS 9.14c Of mixed transport its owner says what is captured: an organic truck instead of an
    ordinary one, which takes its place with its load; ordinary ones are alike."""
    state = scene(**{"su.truck.1": HERE, "su.truck.2": HERE, "su.9gmc.truck": HERE})
    state = put(state, "su.9gmc.truck", load=4)
    rig = entered(state, 3)
    assert [n for n in TRUCKS[:2] if rig.state.units[n].at < 0] == ["su.truck.1"]
    assert rig.options(SOVIET, "exchange", "su.truck.1") == ("su.9gmc.truck",)
    rig.do(SOVIET, "exchange", "su.truck.1", "su.9gmc.truck")
    found = rig.state.units
    assert found["su.9gmc.truck"].where == "box.dead.soviet"
    assert (found["su.truck.1"].at, found["su.truck.1"].load) == (at(state, FRIENDS), 3)
    assert rig.refused(SOVIET, "exchange", "su.9gmc.truck", "su.truck.1").rule == "OCS 9.14c"
    rig.rules.invariants(rig.state)


def test_9_14c_a_load_stays_where_it_is() -> None:
    """OCS 9.14c, 13.2 Nothing is captured of two trucks: the organic one keeps its load, which the
    ordinary one must not carry off."""
    state = scene(**{"su.truck.1": HERE, "su.9gmc.truck": HERE})
    after = entered(put(state, "su.9gmc.truck", load=4), 1).state
    assert [after.units[n].load for n in ("su.truck.1", "su.9gmc.truck")] == [0, 4]


def test_9_14f_their_owner_says_where_aircraft_go() -> None:
    """OCS 9.14f Surviving aircraft displace to any base of theirs within twice their range. Where
    it lies inactive is its owner's to know (OCS R-15)."""
    plane = "su.air.la5.1"
    state = scene()
    here, near, far = at(state, HERE), at(state, "A26.16"), at(state, "A20.20")
    state = type(state)(
        **{
            **state.__dict__,
            "bases": {i: Base(SOVIET, 1) for i in (here, near, far)},
            "aircraft": {n: Aircraft() for n in state.aircraft} | {plane: Aircraft(here, "", True)},
        }
    )
    rig = entered(state, 6, 6)
    assert rig.state.aircraft[plane].base == near
    assert "A20.20" in rig.options(SOVIET, "displace", plane)
    assert rig.choices(SOVIET, "displace").sealed
    rig.do(SOVIET, "displace", plane, "A20.20")
    fled = rig.state.aircraft[plane]
    assert (fled.base, fled.active) == (far, False)


@pytest.mark.parametrize("mode", ["strict", "open"])
def test_9_14_a_move_waits_for_those_who_escape(mode: str) -> None:
    """OCS 9.14c, 6.1 In the whole title: tanks run through trucks, their owner displaces them while
    the mover waits, and then the move goes on with the trucks that were captured."""
    state = stand({TIGERS: HERE, "ax.truck.1": HERE, "su.truck.1": "A26.12"}, turn=42)
    state = put(fed(state), "su.truck.1", load=2)
    rig = at_table(state, "moving", fog=mode)
    rig.dice(1)
    rig.do(AXIS, "move", TIGERS, "A26.12")
    assert rig.asked() == {SOVIET: "prompt.ocs.escape"}
    rig.do(SOVIET, "displace", "su.truck.1", "A26.20")
    assert list(rig.asked()) == [AXIS]
    assert TIGERS in rig.options(AXIS, "move")
    truck = rig.state.units["su.truck.1"]
    assert (truck.at, truck.load) == (at(state, "A26.20"), 2)
    rig.rules.invariants(rig.state)
