"""OCS 2, 12.1: the shared events and the positions that they make."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import (
    AXIS,
    SCENARIOS,
    SOVIET,
    charts_of,
    put,
    stand,
    start,
)
from warledger.engine.games.ocs.series import events as e
from warledger.engine.games.ocs.series.evolve import after, evolve
from warledger.engine.games.ocs.series.state import (
    DG,
    EXPLOIT,
    NOT_ARRIVED,
    OFF_MAP,
    RESERVE,
    State,
    field_of,
    with_supply,
)

TIGERS, DIVISION, RIFLES = "ax.tgr.503", "ax.inf.44", "su.gd.81"


def played(state: State, *events: Any) -> State:
    """The position after some events; its field is that of the bare units each time."""
    for event in events:
        state = evolve(state, event)
        bare = field_of(state.charts, state.units)
        assert (state.field.stacks, state.field.combat, state.field.zoned) == (
            bare.stacks,
            bare.combat,
            bare.zoned,
        )
    return state


def test_2_3_every_event_has_its_function() -> None:
    """OCS 2.3 No shared event is without a function, and tags are unlike."""
    events = {one for one in vars(e).values() if hasattr(one, "tag")}
    assert set(after) == events
    assert len({event.tag for event in events}) == len(events)


def test_2_3_a_phase_clears_what_holds_for_a_phase() -> None:
    """OCS 2.3, 9.1c, 12.5c What was moved, fuelled, released and attacked ends with the phase; a
    segment inside it leaves that alone."""
    state = played(
        stand({TIGERS: "A26.10", RIFLES: "A26.12"}, phasing=AXIS, segment="c2"),
        e.Fuelled(AXIS, "unit", TIGERS),
        e.Moved((TIGERS,), ("A26.09", "A26.08"), (3,)),
        e.MoveFinished((TIGERS,)),
    )
    unit = state.units[TIGERS]
    board = state.charts.board

    assert (unit.at, unit.began) == (board.hex("A26.08"), board.hex("A26.10"))
    assert (unit.spent, unit.finished, unit.fuelled) == (3, True, True)
    same = played(state, e.SegmentBegun("c3", False)).units[TIGERS]
    assert (same.spent, same.finished, same.fuelled) == (3, True, True)
    fresh = played(state, e.SegmentBegun("d", True)).units[TIGERS]
    assert (fresh.spent, fresh.finished, fresh.fuelled, fresh.began) == (0, False, False, OFF_MAP)


def test_5_9c_exploit_keeps_the_zone() -> None:
    """OCS 5.9c A unit that gains the Exploit marker keeps the zone it has; one in Move mode has
    none."""
    state = stand({TIGERS: "A26.10", DIVISION: "A24.10"})
    state = played(
        put(state, DIVISION, move_side=True),
        e.ModeChanged(AXIS, ((TIGERS, EXPLOIT, False),)),
        e.ModeChanged(AXIS, ((DIVISION, EXPLOIT, True),)),
    )
    assert state.field.zoned[AXIS] == 1 << state.units[TIGERS].at


def test_5_7b_release_takes_the_reserve_marker_alone() -> None:
    """OCS 5.7b Release takes the Reserve marker and no other."""
    state = put(stand({TIGERS: "A26.10"}), TIGERS, marker=RESERVE)

    released = played(state, e.Released(AXIS, (TIGERS,))).units[TIGERS]
    assert (released.marker, released.released) == ("", True)


def test_2_3_clean_up_removes_what_is_ones_own() -> None:
    """OCS 2.3 H Own DG, Exploit and fuel go, the enemy's trainbusting markers too; the other side's
    stay."""
    state = stand({TIGERS: "A26.10", DIVISION: "A24.10", RIFLES: "A26.12"})
    state = put(put(put(state, TIGERS, marker=DG), DIVISION, marker=EXPLOIT), RIFLES, marker=DG)
    board = state.charts.board
    state = played(
        state,
        e.Fuelled(AXIS, "formation", "1ss"),
        e.Fuelled(AXIS, "hq", "ax.hq.iv"),
        e.Fuelled(SOVIET, "hq", "su.hq.7ga"),
    )
    busted = {board.hex("A25.10"): SOVIET, board.hex("A25.12"): AXIS}
    state = played(type(state)(**{**state.__dict__, "trainbusting": busted}), e.CleanedUp(AXIS))

    assert [state.units[n].marker for n in (TIGERS, DIVISION, RIFLES)] == ["", "", DG]
    assert state.fuelled_formations == frozenset()
    assert state.fuelled_hqs == {"su.hq.7ga"}
    assert state.trainbusting == {board.hex("A25.12"): AXIS}


def test_9_10_losses_and_the_pile() -> None:
    """OCS 9.10 A step lost is counted; with the last one the unit lies in its pile with nothing on
    it."""
    state = put(stand({RIFLES: "A26.11"}), RIFLES, oos=True, spent=2)
    hurt = played(state, e.StepsLost(RIFLES, 1, ""))
    dead = played(hurt, e.StepsLost(RIFLES, 2, "box.dead.soviet"))

    assert hurt.units[RIFLES].lost == 1
    assert dead.units[RIFLES].at == OFF_MAP
    assert dead.units[RIFLES].where == "box.dead.soviet"
    assert (dead.units[RIFLES].lost, dead.units[RIFLES].oos) == (0, False)
    assert dead.field.stacks == {}


def test_12_1_supply_is_conserved_to_the_token() -> None:
    """OCS 12.1 What lies, what is carried and what is spent is what has come; nobody draws more
    than lies there."""
    state = stand({"ax.truck.1": "A26.06"})

    def all_of(one: State) -> int:
        lying = sum(one.supply[AXIS].values())
        return lying + sum(unit.load for unit in one.units.values()) + one.spent_sp[AXIS]

    before = all_of(state)
    state = played(
        state,
        e.SupplyChanged(AXIS, "A26.06", 12, "arrived"),
        e.SupplyChanged(AXIS, "A26.06", -4, "loaded"),
        e.LoadChanged("ax.truck.1", 4, "loaded"),
        e.SupplyChanged(AXIS, "A26.06", -3, "spent"),
        e.LoadChanged("ax.truck.1", -1, "spent"),
    )
    assert all_of(state) == before + 12
    assert state.supply[AXIS] == {state.charts.board.hex("A26.06"): 5}
    assert state.spent_sp[AXIS] == 4
    with pytest.raises(ValueError, match="only 5T"):
        with_supply(state, AXIS, state.charts.board.hex("A26.06"), -6)


def test_13_3h_control_passes_whole() -> None:
    """OCS 13.3h A hex has one controller."""
    state = played(start("sudwind"), e.ControlTaken(AXIS, ("A26.11", "A26.12")))
    board = state.charts.board

    assert state.controls(AXIS, board.hex("A26.11"))
    assert not state.controls(SOVIET, board.hex("A26.11"))
    assert state.control[AXIS] & state.control[SOVIET] == 0


def test_15_16_bases_hedgehogs_weather_and_aircraft() -> None:
    """OCS 14.1, 15.0, 16.0, 17 Levels are set and vanish at 0; an aircraft lies at a base or in a
    box."""
    state = played(
        start("sudwind"),
        e.BaseSet(AXIS, "A26.06", 3),
        e.BaseSet(SOVIET, "A24.19", 0),
        e.HedgehogSet(SOVIET, "A26.11", 2),
        e.HedgehogSet(SOVIET, "A25.12", 0),
        e.WeatherSet("mud", "none"),
        e.AircraftPlaced(AXIS, ("ax.air.bf109.1",), ("box.air.lw4",), False),
        e.TurnBegun(41),
        e.FirstPlayerChosen(SOVIET),
        e.PlayerTurnBegun(SOVIET),
    )
    board = state.charts.board

    assert {board.name(i): base.level for i, base in state.bases.items()} == {"A26.06": 3}
    assert state.hedgehogs[board.hex("A26.11")].level == 2
    assert board.hex("A25.12") not in state.hedgehogs
    assert (state.ground, state.flight, state.turn) == ("mud", "none", 41)
    assert (state.first, state.phasing) == (SOVIET, SOVIET)
    plane = state.aircraft["ax.air.bf109.1"]
    assert (plane.base, plane.active, plane.flown) == ("box.air.lw4", False, False)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_is_laid_out_as_its_file_says(name: str) -> None:
    """OCS 3.6, 5.2, 0 Units, modes, losses, supply, hedgehogs, bases, aircraft, weather,
    markers."""
    state, doc = start(name), charts_of(name).scenario.doc
    board = state.charts.board
    placed = {unit: board.name(one.at) for unit, one in state.units.items() if one.at != OFF_MAP}

    assert placed == {u: h for h, ids in doc["on_map"].items() for u in ids.split()}
    modes = {u: mode for mode, ids in doc["mode"].items() for u in ids.split()}
    for unit in placed:
        if state.counter(unit).combat is not None:
            assert state.units[unit].mode == modes.get(unit, "combat")
        assert state.units[unit].lost == doc["steps_lost"].get(unit, 0)
    tokens = {h: (side, t) for side in (AXIS, SOVIET) for h, t in state.supply[side].items()}
    assert {board.name(i) if isinstance(i, int) else i: v for i, v in tokens.items()} == {
        h: (v["side"], 4 * v["sp"]) for h, v in doc["sp"].items()
    }
    assert {board.name(i): hog.level for i, hog in state.hedgehogs.items()} == doc["hedgehogs"]
    assert all(state.holder(i) == hog.side for i, hog in state.hedgehogs.items())
    active = {n for n, plane in state.aircraft.items() if plane.active}
    assert active == {n for one in doc.get("air", ()) for n in one["active"].split()}
    assert state.turn == doc["scenario"]["first_turn"]
    pools = {u for ids in doc.get("pool", {}).values() for u in ids.split()}
    assert {u for u, one in state.units.items() if one.where not in ("", NOT_ARRIVED)} == pools
    in_play = sum(row.count("a") + row.count("s") for row in doc["control"]["rows"])
    assert state.charts.scenario.play.bit_count() == in_play


def test_1_4a_bridges_next_to_soviets_are_gone() -> None:
    """HR 1.4a, R-12 Danube bridges with a Soviet combat unit beside them have fallen as a
    scenario begins."""
    state = start("konrad1")
    board = state.charts.board
    near = {
        n
        for i in state.field.stacks
        if state.holder(i) == SOVIET and state.combat_units(i)
        for n in (i, *board.map.grid.adjacent[i])
    }
    danube = board.printed_bridges["danube"]

    assert state.bridges_down
    for slot in danube:
        ends = {slot // 6, board.map.grid.neighbours[slot // 6][slot % 6]}
        assert (slot in state.bridges_down) == bool(ends & near)
    assert start("campaign").bridges_down == frozenset()
