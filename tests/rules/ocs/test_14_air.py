"""OCS 14: the tables of air combat, flak and drops, and what is printed on aircraft."""

from tests.rules.hungarian_rhapsody.bench import charts_of

CHARTS = charts_of("campaign")
TABLES = CHARTS.tables


def test_14_3_who_aborts() -> None:
    """OCS 14.3 6 and less the attacker, 7 both, 8 and more the defender; losses on 5 and 6.
    Example 40: 9 + 2 - 4 = 7."""
    aborts = [TABLES.air_combat.aborts(dice) for dice in range(15)]

    assert aborts == [(True, False)] * 7 + [(True, True)] + [(False, True)] * 7
    assert TABLES.air_combat.loss_die == {5, 6}


def test_14_4_flak_costs_a_step_on_eleven() -> None:
    """OCS 14.4 A step on 11 and more; HR 1.3e one more on every roll; the Mission Loss Table."""
    flak = TABLES.flak
    assert [flak.hit(dice) for dice in (10, 11, 14)] == [False, True, True]
    assert flak.modifiers == {
        "aircraft_3_or_more": 1,
        "hq_in_hex": 1,
        "air_base_per_level": 1,
        "patrol_zone_with_fighter": 1,
        "patrol_zone_without_fighter": 2,
        "patrol_zone_trainbusting": 1,
        "game_1_3e": 1,
    }
    assert [flak.victim(1, die) for die in (1, 6)] == ["1", "1"]
    assert [flak.victim(2, die) for die in range(1, 7)] == ["1", "1", "1", "2", "2", "2"]
    assert [flak.victim(3, die) for die in range(1, 7)] == ["1", "1", "2", "2", "3", "3"]
    assert [flak.victim(4, die) for die in range(1, 7)] == [
        "1",
        "2",
        "3",
        "4",
        "weakest",
        "strongest",
    ]


def test_14_4_which_missions_meet_flak() -> None:
    """OCS 14.4 Barrage, hip shoot and trainbusting always; transport, drop and transfer in a patrol
    zone alone; sweeps and interceptions never."""
    assert TABLES.flak.always == {"barrage", "hip_shoot", "trainbusting"}
    assert TABLES.flak.only_in_patrol_zone == {"air_transport", "air_drop", "base_transfer"}
    assert TABLES.flak.never == {"fighter_sweep", "interception"}


def test_14_10d_drops_succeed_by_the_ground() -> None:
    """OCS 14.10d Success by the ground; Soviets one less, option 21.12e by terrain."""
    assert TABLES.drop.at_least == {
        "friendly_clear": 5,
        "friendly_closed": 6,
        "enemy_clear": 6,
        "enemy_closed": 7,
    }
    assert TABLES.drop.drm == {"soviet": -1, "very_close": -1, "extremely_close": -2}


def test_9_14f_captured_bases_cost_aircraft_steps() -> None:
    """OCS 9.14f 6 and less costs a step; 2 more for active aircraft and after an advance."""
    capture = TABLES.base_capture
    assert (capture.loss_at_most, capture.active_drm, capture.by_advance_drm) == (6, 2, 2)


def test_12_5_15_1_what_each_thing_costs() -> None:
    """OCS 3.3a, 9.5, 12.5c, 12.6c, 12.10e, 13.3a, 15, 16 What things cost in T or SP."""
    assert TABLES.costs == {
        "sp_in_t": 4,
        "fuel_formation_t": 4,
        "fuel_hq_t": 4,
        "fuel_unit_t": 1,
        "refit_base_t": 1,
        "refit_aircraft_per_level": 2,
        "unload_t_per_level": 2,
        "air_base_level_sp": 1,
        "hedgehog_level_sp": 2,
        "eat_re_per_t": 8,
        "recovery_t_low": 2,
        "recovery_t_exhausted": 4,
        "rail_per_sp_or_re": 1,
        "load_unload_ma_part": 10,
    }
    assert TABLES.combat_supply == {
        "attacker_t_per_step": 1,
        "defender_t": 2,
        "defender_small_t": 1,
        "defender_small_re": 4,
    }


def test_14_1_kinds_of_aircraft() -> None:
    """OCS 14.1 Fighters intercept, transports carry, combinations do both of their kinds."""
    planes = CHARTS.printed.planes
    kinds = {plane.kinds: (plane.fighter, plane.transport) for plane in planes.values()}

    assert kinds[("F",)] == (True, False)
    assert kinds[("T", "Tpt")] == (False, True)
    assert {plane.capacity for plane in planes.values() if plane.transport} == {1}
