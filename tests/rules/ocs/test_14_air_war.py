"""OCS 14: aircraft, air combat and flak, on positions and dice."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, stand
from tests.rules.ocs.play import bench
from tests.rules.ocs.skies import flying
from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch14_air import air_combat, aircraft, flak
from warledger.engine.games.ocs.ch14_air.mission_in_progress import Sortie
from warledger.engine.games.ocs.series.scenario import Place
from warledger.engine.games.ocs.series.state import Aircraft, State
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

BF109, ACE, STUKA = "ax.air.bf109.1", "ax.air.bf109x.1", "ax.air.ju87d.1"
RUDEL, HENSCHEL, JUNKERS = "ax.air.rudel.1", "ax.air.hs129.1", "ax.air.ju52.1"
IL2, IL2B, PE2, IL4 = "su.air.il2.1", "su.air.il2.2", "su.air.pe2.1", "su.air.il4.1"
TARGET, NEAR, FAR = "A26.11", "A26.15", "A26.30"


def fighter(state: State) -> str:
    """A Soviet fighter."""
    planes = state.charts.printed.planes
    return next(n for n, p in planes.items() if p.side == SOVIET and p.fighter and not p.paren)


def sky(
    where: dict[str, Place], bases: dict[str, tuple[str, int]], units: dict[str, str] | None = None
) -> State:
    """Aircraft, all active, at bases (hex or box); bases by hex with side and level; units."""
    return flying(stand(units or {}), where, bases)


def rigged(state: State) -> Rig[State]:
    """A rig in a position in which nobody is asked, so that functions may roll."""
    rig = bench(state, losses, air_combat, flak)
    rig.position = replace(rig.position, open=())
    return rig


def test_14_3e_example_40() -> None:
    """OCS 14.3e, 14.1c Example 40: rating 2 attacks rating 4 with 9: 7, both abort and leave the
    mission; 4 on the loss die costs nothing."""
    state = sky({BF109: NEAR}, {NEAR: (AXIS, 1)})
    red = fighter(state)
    i = state.charts.board.hex(NEAR)
    away = state.charts.printed.planes[red].rating - state.charts.printed.planes[BF109].rating
    state = replace(
        state,
        aircraft={**state.aircraft, red: Aircraft(state.charts.board.hex(FAR), "", True)},
        sortie=Sortie(SOVIET, "barrage", (red, IL2), i, fought=(red, IL2, BF109)),
    )
    rig = rigged(state)
    pair = 7 - away
    rig.dice(pair - pair // 2, pair // 2, 4)
    rig.run(lambda table: air_combat.fight(table, red, BF109, i))

    (fought,) = [e for e in rig.events if isinstance(e, air_combat.AirRoundFought)]
    assert (fought.modified, fought.aborted, fought.die) == (7, (red, BF109), 4)
    assert rig.state.sortie is not None
    assert rig.state.sortie.aircraft == (IL2,)
    assert rig.state.sortie.fought == (IL2,)
    assert rig.state.aircraft[red].lost == rig.state.aircraft[BF109].lost == 0


@pytest.mark.parametrize(("die", "lost"), [(4, 0), (5, 1), (6, 1)])
def test_14_3e_the_loss_die(die: int, lost: int) -> None:
    """OCS 14.3e Whoever aborts loses a step on 5 and 6, the other does not."""
    state = sky({ACE: NEAR, IL2: FAR}, {NEAR: (AXIS, 1), FAR: (SOVIET, 1)})
    rig = rigged(state)
    rig.dice(6, 6, die)
    rig.run(lambda table: air_combat.fight(table, ACE, IL2, state.charts.board.hex(NEAR)))

    assert rig.state.aircraft[IL2].lost == lost
    assert rig.state.aircraft[ACE].lost == 0


def test_14_1b_the_second_step_kills() -> None:
    """OCS 14.1b An aircraft that loses its second step is removed."""
    state = sky({ACE: NEAR, IL2: FAR}, {NEAR: (AXIS, 1)})
    reduced = replace(state.aircraft[IL2], lost=1)
    rig = rigged(replace(state, aircraft={**state.aircraft, IL2: reduced}))
    rig.dice(6, 6, 6)
    rig.run(lambda table: air_combat.fight(table, ACE, IL2, state.charts.board.hex(NEAR)))

    assert rig.state.aircraft[IL2].base is None
    assert rig.state.aircraft[IL2].where == "box.dead.soviet"


def test_14_3c_who_attacks() -> None:
    """OCS 14.3a, 14.3c Who began attacks, unless he has only ratings in parentheses: then the other
    does; with nothing but parentheses, or one side alone, the combat is over."""
    state = sky({BF109: NEAR, STUKA: NEAR, IL2: FAR}, {})
    red = fighter(state)

    assert air_combat.attacker(state, SOVIET, (red, IL2, BF109)) == SOVIET
    assert air_combat.attacker(state, SOVIET, (IL2, BF109)) == AXIS
    assert air_combat.attacker(state, SOVIET, (IL2, STUKA)) == ""
    assert air_combat.attacker(state, SOVIET, (red, IL2)) == ""
    assert air_combat.initiators(state, (BF109, STUKA)) == (BF109,)


def test_14_3d_who_may_leave_before() -> None:
    """OCS 14.3d(A) Some aircraft may abort before the combat, not all; none in an interception."""
    state = sky({}, {})
    assert air_combat.may_leave_before(state, (BF109, STUKA), intercepting=False) == 1
    assert air_combat.may_leave_before(state, (BF109,), intercepting=False) == 0
    assert air_combat.may_leave_before(state, (BF109, STUKA), intercepting=True) == 0


def test_14_4a_which_missions_meet_flak() -> None:
    """OCS 14.4a Barrages always; transports only in an enemy patrol zone; sweeps never."""
    clear = sky({BF109: FAR}, {FAR: (AXIS, 1)})
    covered = sky({BF109: NEAR}, {NEAR: (AXIS, 1)})
    i = clear.charts.board.hex(TARGET)

    for kind in ("barrage", "hip_shoot", "trainbusting"):
        assert flak.meets(clear, SOVIET, kind, i)
    for kind in ("transport", "drop", "transfer"):
        assert not flak.meets(clear, SOVIET, kind, i)
        assert flak.meets(covered, SOVIET, kind, i)
    assert not flak.meets(covered, SOVIET, "sweep", i)
    assert not flak.meets(covered, SOVIET, "interception", i)


def test_14_4e_flak_points_add_every_modifier() -> None:
    """OCS 14.4e, HR 1.3e, R-10 Every modifier: three aircraft, HQ, base by level, patrol zone
    by escort, trainbusting, and the game's one on every roll."""
    state = sky({IL2: FAR, IL2B: FAR, PE2: FAR}, {FAR: (SOVIET, 1)})
    i = state.charts.board.hex(TARGET)
    assert flak.points(state, SOVIET, "barrage", (IL2, PE2), i) == (("game_1_3e", 1),)

    full = sky(
        {IL2: FAR, IL2B: FAR, PE2: FAR, BF109: NEAR},
        {FAR: (SOVIET, 1), TARGET: (AXIS, 2), NEAR: (AXIS, 1)},
        {"ax.hq.iv": TARGET},
    )
    found = dict(flak.points(full, SOVIET, "trainbusting", (IL2, IL2B, PE2), i))
    assert found == {
        "aircraft_3_or_more": 1,
        "hq_in_hex": 1,
        "air_base_per_level": 2,
        "patrol_zone_without_fighter": 2,
        "patrol_zone_trainbusting": 1,
        "game_1_3e": 1,
    }
    escort = fighter(full)
    assert dict(flak.points(full, SOVIET, "barrage", (IL2, escort), i)) == {
        "hq_in_hex": 1,
        "air_base_per_level": 2,
        "patrol_zone_with_fighter": 1,
        "game_1_3e": 1,
    }


@pytest.mark.parametrize(("dice", "lost"), [((4, 5), 0), ((5, 5), 1)])
def test_14_4e_eleven_hits_a_single_aircraft(dice: tuple[int, int], lost: int) -> None:
    """OCS 14.4e, HR 1.3e With the game's one a roll of 10 costs a single aircraft a step, 9 does
    not; no die of the Mission Loss Table is rolled for it."""
    state = sky({IL2: FAR}, {FAR: (SOVIET, 1)})
    rig = rigged(state)
    rig.dice(*dice)
    rig.run(
        lambda table: flak.fire(table, SOVIET, "barrage", (IL2,), state.charts.board.hex(TARGET))
    )

    assert rig.state.aircraft[IL2].lost == lost


def test_14_4f_the_mission_loss_table() -> None:
    """OCS 14.4f The die names the aircraft by its place in the mission; of four also the weakest
    and the strongest."""
    state = sky({STUKA: FAR, BF109: FAR, JUNKERS: FAR, HENSCHEL: FAR}, {})
    four = (STUKA, BF109, JUNKERS, HENSCHEL)

    assert [flak.victim(state, four, die) for die in range(1, 7)] == [*four, JUNKERS, STUKA]
    assert flak.victim(state, four[:2], 4) == BF109
    assert flak.victim(state, four[:1], 1) == STUKA


def test_2_2b_rudel_takes_no_loss_of_flak() -> None:
    """HR 2.2b Example 54: flak that hits Rudel costs nothing."""
    state = sky({RUDEL: FAR}, {FAR: (AXIS, 1)})
    rig = rigged(state)
    rig.dice(6, 6)
    rig.run(
        lambda table: flak.fire(table, AXIS, "barrage", (RUDEL,), state.charts.board.hex(TARGET))
    )

    (fired,) = [e for e in rig.events if isinstance(e, flak.FlakFired)]
    assert fog.plain(fired.aircraft) == RUDEL
    assert rig.state.aircraft[RUDEL].lost == 0


def test_14_4c_patrol_zones_and_interceptors() -> None:
    """OCS 14.4c, 14.5 Ten hexes around a base with an active fighter: an inactive one, a bomber and
    a fighter in an air box make none. Who intercepts is an active fighter in whose own zone the
    hex lies."""
    state = sky({BF109: NEAR, STUKA: FAR, ACE: "box.air.lw4"}, {NEAR: (AXIS, 1), FAR: (AXIS, 1)})
    board = state.charts.board
    zone = aircraft.patrol_zone(state, AXIS)
    base = board.hex(NEAR)

    assert all(
        hexsets.has(zone, i)
        == (board.map.grid.distance(base, i) <= 10)
        == aircraft.patrolled(state, AXIS, i)
        for i in range(board.size)
    )
    assert aircraft.interceptors(state, AXIS, board.hex(TARGET)) == (BF109,)
    assert aircraft.interceptors(state, AXIS, board.hex("B26.05")) == ()
    resting = replace(state.aircraft[BF109], active=False)
    idle = replace(state, aircraft={**state.aircraft, BF109: resting})
    assert aircraft.patrol_zone(idle, AXIS) == 0


def test_14_2d_ranges_count_from_base_or_box() -> None:
    """OCS 14.2d, HR 1.3b Range counts hexes from the base; from a box with those that it prints,
    by the nearest entry."""
    state = sky({STUKA: "A26.15", ACE: "box.air.lw4"}, {NEAR: (AXIS, 1)})
    board = state.charts.board
    entry = board.entries["entry.axis_west"].hexes[0]

    assert aircraft.distance(state, STUKA, board.hex(TARGET)) == 4
    assert aircraft.distance(state, ACE, entry) == 8
    assert aircraft.reaches(state, STUKA, board.hex("B26.07"))
    assert not aircraft.reaches(state, STUKA, board.hex("B26.08"))
    assert set(aircraft.homes(state, STUKA, board.hex(TARGET))) >= {board.hex(NEAR), "box.air.lw4"}
    assert board.hex(NEAR) not in aircraft.homes(state, STUKA, board.hex("B26.08"))


def test_14_1_values_fall_when_reduced_or_far() -> None:
    """OCS 3.5, 14.1b, 10.2b, 21.4 A reduced aircraft bombs at half and fights one lower; short
    range is 10 hexes; beyond half of its range one lower under the option."""
    state = sky({STUKA: NEAR, BF109: "A26.16"}, {NEAR: (AXIS, 1)})
    board = state.charts.board
    here = board.hex(NEAR)
    whole = aircraft.points(state, STUKA), aircraft.rating(state, BF109, here)
    planes = {name: replace(state.aircraft[name], lost=1) for name in (STUKA, BF109)}
    weak = replace(state, aircraft={**state.aircraft, **planes})

    assert aircraft.points(weak, STUKA) * 2 == whole[0]
    assert aircraft.rating(weak, BF109, here) == whole[1] - 1
    assert aircraft.short(state, (STUKA, BF109), board.hex("A26.25"))
    assert not aircraft.short(state, (STUKA, BF109), board.hex("A26.05"))
    made = replace(state.charts, options={"long_range_air": True})
    option = replace(state, charts=made)
    assert aircraft.rating(option, BF109, board.hex("A26.27")) == whole[1] - 1
    assert aircraft.rating(option, BF109, board.hex("A26.26")) == whole[1]


def test_14_2a_the_active_limit_is_by_level() -> None:
    """OCS 14.2a, 15.0 Example 41: six aircraft may be active at a base of level 2; a box has no
    limit."""
    state = sky({}, {NEAR: (AXIS, 2)})
    assert aircraft.active_limit(state, state.charts.board.hex(NEAR)) == 6
    assert aircraft.active_limit(state, "box.air.lw4") is None
