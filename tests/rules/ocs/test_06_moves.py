"""OCS 4.8a, 5.4, 5.7b, 6.1, 12.5: moves as they are ordered, modes, fuel, release, overstacking."""

from types import SimpleNamespace
from typing import Any

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.ocs.play import bench
from warledger.engine.games.ocs.ch04_concepts import overstacked
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch06_movement import movement, movement_step
from warledger.engine.games.ocs.ch12_supply import bills, fuel, payment, sources
from warledger.engine.games.ocs.series import evolve
from warledger.engine.games.ocs.series.events import CleanedUp, StepsLost
from warledger.engine.games.ocs.series.state import DG, RESERVE, STRAT, Hedgehog, State, with_supply
from warledger.engine.kernel import door
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step
from warledger.engine.testing.rig import Rig

TIGERS, DIVISION, HQ = "ax.tgr.503", "ax.inf.44", "ax.hq.iv"
PANZERS, GRENADIERS, RECON, TRUCK = "ax.fhh.pz2", "ax.fhh.pga", "ax.fhh.rec", "ax.fhh.truck"
MOTORISED = "ax.fhh.pgb"
RIFLES = "su.gd.81"


def moving(state: State, segment: str = "c2", phasing: str = AXIS) -> Rig[State]:
    """A rig that asks for moves."""
    made = replace(state, phasing=phasing, segment=segment, turn=42)
    rig = bench(made, bills, payment, fuel, movement, movement_step)
    rig.jump("idle", movement.MOVING)
    return rig


def fed(state: State, tokens: int = 40, where: str = "A26.10") -> State:
    """The position with Axis supply on the ground."""
    return with_supply(state, AXIS, state.charts.board.hex(where), tokens)


def at(rig: Rig[State], unit: str) -> str:
    """Where a unit stands."""
    return rig.state.charts.board.name(rig.state.units[unit].at)


def test_6_1_a_whole_stack_in_one_line() -> None:
    """OCS 6.1 `move A26.10 A26.12`: all that stand there and can move go together, as far as the
    slowest can."""
    rig = moving(fed(stand({TIGERS: "A26.10", PANZERS: "A26.10"})))
    rig.do(AXIS, "move", "A26.10", "A26.12")

    assert (at(rig, TIGERS), at(rig, PANZERS)) == ("A26.12", "A26.12")
    assert rig.state.units[TIGERS].fuelled
    assert rig.state.spent_sp[AXIS] == 2, "1T of fuel each (12.5c)"


def test_6_2c_a_river_that_is_not_bridged() -> None:
    """OCS 6.2c, HR 1.4a Tanks cross the Danube by its bridge; with the bridges down they are
    refused with the clause."""
    state = fed(stand({TIGERS: "A32.18"}), where="A32.18")
    board = state.charts.board
    slots = (slot for found in board.printed_bridges.values() for slot in found)
    broken = moving(replace(state, bridges_down=frozenset(slots)))
    assert broken.refused(AXIS, "move", TIGERS, "A32.17").rule == "HR 1.4a"
    whole = moving(replace(state, bridges_down=frozenset()))
    whole.do(AXIS, "move", TIGERS, "A32.17")
    assert at(whole, TIGERS) == "A32.17"


def test_5_4a_reserve_after_a_quarter_of_the_move() -> None:
    """OCS 5.4a, 5 `move UNIT HEX reserve`: the unit goes a quarter of its MA and lies in Reserve;
    the mode is not on offer for a way that is longer."""
    state = fed(stand({TIGERS: "A26.10"}))
    rig = moving(state)
    board = rig.state.charts.board
    some = [str(pick) for pick in rig.options(AXIS, "move", TIGERS) if "." in str(pick)[1:]]
    far = [one for one in some if one.startswith("A") and one != "A26.10"]
    quarter = put(rig.state, TIGERS, marker=RESERVE)
    near = {board.name(i) for i in movement.together(quarter, (TIGERS,))} & set(far)
    asked = near | set(far[::9])  # each question takes a look at every way
    assert near and asked > near
    assert {one for one in asked if RESERVE in rig.options(AXIS, "move", TIGERS, one)} == near
    rig.do(AXIS, "move", TIGERS, RESERVE)
    assert rig.state.units[TIGERS].marker == RESERVE
    assert at(rig, TIGERS) == "A26.10"


def test_5_4a_the_marker_may_lie_at_the_end_of_the_move() -> None:
    """OCS 5.4a With every marker in use a unit no longer goes into Reserve where it stands, but at
    the end of a move to a hex where a marker lies; not in any other."""
    others = {"ax.inf.44": "A26.11", "ax.inf.46": "A24.07", "ax.inf.96": "A22.07"}
    where = {**others, "ax.inf.357": "A20.07"}
    state = fed(stand({TIGERS: "A26.10", **where}, "sudwind"))
    for name in where:
        state = put(state, name, marker=RESERVE)
    rig = moving(state)

    assert RESERVE not in rig.options(AXIS, "move", TIGERS)
    assert RESERVE not in rig.options(AXIS, "move", TIGERS, "A26.09")
    rig.do(AXIS, "move", TIGERS, "A26.11", RESERVE)
    assert (at(rig, TIGERS), rig.state.units[TIGERS].marker) == ("A26.11", RESERVE)


def test_5_4_the_mode_first_then_the_way() -> None:
    """OCS 5.4, 5.7a A unit changes its mode as it starts to move, and not afterwards."""
    rig = moving(fed(stand({MOTORISED: "A26.10"})))
    rig.do(AXIS, "move", MOTORISED, "move", "A26.12")

    assert rig.state.units[MOTORISED].move_side
    assert at(rig, MOTORISED) == "A26.12"
    assert "combat" not in rig.options(AXIS, "move", MOTORISED)
    assert rig.refused(AXIS, "move", MOTORISED, "combat").rule == "OCS 5.4"


def test_5_4_a_dg_unit_flips_and_stays_dg() -> None:
    """OCS 5.4 A DG unit changes its side and keeps its marker."""
    rig = moving(put(fed(stand({MOTORISED: "A26.10"})), MOTORISED, marker=DG))
    rig.do(AXIS, "move", MOTORISED, "move")

    unit = rig.state.units[MOTORISED]
    assert (unit.marker, unit.move_side) == (DG, True)


def test_6_1f_who_is_left_behind_is_done() -> None:
    """OCS 6.1f, 6.1g A stack drops units, which are done; so is the rest once another moves."""
    rig = moving(fed(stand({TIGERS: "A26.10", PANZERS: "A26.10", DIVISION: "A24.10"})))
    rig.do(AXIS, "move", "A26.10", "A26.11")
    rig.do(AXIS, "move", PANZERS, "A26.12")

    assert rig.state.units[TIGERS].finished
    assert rig.refused(AXIS, "move", TIGERS).rule == "OCS 6.1f"
    rig.do(AXIS, "move", DIVISION, "A24.11")
    assert rig.state.units[PANZERS].finished
    rig.do(AXIS, "done")
    assert rig.state.units[DIVISION].finished
    assert rig.asked() == {AXIS: "prompt.window"}


def test_6_1_waypoints_cost_what_the_way_costs() -> None:
    """OCS 6.1, 6.1e Several waypoints are one move; all of it counts against the MA."""
    rig = moving(fed(stand({TIGERS: "A26.10"})))
    rig.do(AXIS, "move", TIGERS, "A26.11", "A26.10", "A26.09")

    state = rig.state
    assert at(rig, TIGERS) == "A26.09"
    assert state.move is not None and len(state.move.way) == 3
    spent, whole = state.units[TIGERS].spent, state.face(TIGERS).ma * state.charts.parts
    assert 0 < spent <= whole
    assert modes.left(state, TIGERS) == whole - spent
    assert state.spent_sp[AXIS] == 1, "one payment serves the phase (12.5c)"


def test_12_5a_no_fuel_no_move() -> None:
    """OCS 12.5a Tracks without fuel stay, Leg units and transport go."""
    rig = moving(stand({TIGERS: "A26.10", DIVISION: "A26.10", TRUCK: "A24.10"}))

    assert rig.refused(AXIS, "move", TIGERS, "A26.11").rule == "OCS 12.5a"
    rig.do(AXIS, "move", DIVISION, "A26.11")
    rig.do(AXIS, "move", TRUCK, "A24.12")


def test_12_5c_a_formation_is_fuelled_until_clean_up() -> None:
    """OCS 12.5c(A) 1 SP fuels all of a formation that its one source reaches."""
    rig = moving(fed(stand({PANZERS: "A26.10", RECON: "A26.11", GRENADIERS: "A40.20"}), 4))

    assert "fhh" in rig.options(AXIS, "fuel")
    rig.do(AXIS, "fuel", "fhh")
    rig.do(AXIS, "auto")

    assert rig.state.fuelled_formations == {"fhh"}
    assert rig.state.supply[AXIS] == {}
    rig.do(AXIS, "move", PANZERS, "A26.12")
    assert rig.refused(AXIS, "move", GRENADIERS, "A40.21").rule == "OCS 12.5a", "out of range"


def test_12_5c_a_formation_s_fuel_goes_with_it() -> None:
    """OCS 12.5c(A) Who was reached as the formation's fuel was paid has it until the own Clean Up,
    however far away the source is when it moves again; who was not pays singly, wherever it is."""
    rig = moving(fed(stand({PANZERS: "A26.10", RECON: "A26.11", GRENADIERS: "A40.20"}), 4))
    rig.do(AXIS, "fuel", "fhh")
    rig.do(AXIS, "auto")
    board = rig.state.charts.board
    away = put(rig.state, PANZERS, at=board.hex("A50.20"), began=board.hex("A50.20"))
    assert fuel.fuelled_by(away, PANZERS) == "fhh"
    assert fuel.fuelled_by(away, GRENADIERS) is None
    assert fuel.fuelled_by(evolve.evolve(away, CleanedUp(AXIS)), PANZERS) is None


def test_12_5c_an_hq_fuels_independents_from_one_place() -> None:
    """OCS 12.5e, 3.2f, 12.5c(B) Example 34: an HQ fuelled for 1 SP moves independents in its throw,
    and throws from where it is for the rest of the phase."""
    rig = moving(fed(stand({HQ: "A26.10", TIGERS: "A26.11", PANZERS: "A26.11"}), 4))
    rig.do(AXIS, "fuel", HQ)
    rig.do(AXIS, "auto")
    rig.do(AXIS, "move", TIGERS, "A26.12")

    state = rig.state
    assert state.spent_sp[AXIS] == 4
    assert state.phase_use.hq_thrown == {HQ: state.charts.board.hex("A26.10")}
    assert rig.refused(AXIS, "move", PANZERS, "A26.12").rule == "OCS 12.5a", "not independent"


def test_4_5a_a_truck_goes_no_further_in_a_zone() -> None:
    """OCS 4.5a-A Example 46: a Truck unit that has entered a zone cannot go on with a second
    command; a Track unit can."""
    state = fed(stand({TRUCK: "A26.10", TIGERS: "A26.10", RIFLES: "A26.13"}))
    rig = moving(state)
    rig.do(AXIS, "move", TRUCK, "A26.12")

    assert TRUCK not in rig.options(AXIS, "move")
    rig.do(AXIS, "move", TIGERS, "A26.12")
    assert TIGERS in rig.options(AXIS, "move")


def test_4_5b_who_has_just_moved_negates_for_the_next() -> None:
    """OCS 4.5b, 6.1g Example 46: as soon as a truck begins to move, the tanks that went before it
    are done, so that they lift the zone from their hex for it: it may pass through at once."""
    rig = moving(fed(stand({TRUCK: "A24.10", TIGERS: "A26.10", RIFLES: "A26.13"})))
    through = "A26.12"
    board = rig.state.charts.board
    truck = movement.planned(rig.state, (TRUCK,), "", (board.hex(through),))
    assert truck is not None and truck.after is not None
    assert not movement.movable(truck.after, TRUCK), "stopped by the zone"

    rig.do(AXIS, "move", TIGERS, through)
    assert through in rig.options(AXIS, "move", TRUCK)
    rig.do(AXIS, "move", TRUCK, through, "A26.11")
    assert at(rig, TRUCK) == "A26.11"
    assert rig.state.units[TIGERS].finished


def test_5_4_a_mode_is_changed_once_as_the_move_begins() -> None:
    """OCS 5.4, 6.1g A unit that has taken a mode has begun its move: it may go on, in that mode;
    once another has moved it is done, and cannot turn back to the mode that it had."""
    rig = moving(fed(stand({MOTORISED: "A26.10", DIVISION: "A24.10"})))
    rig.do(AXIS, "move", MOTORISED, "move")
    assert rig.refused(AXIS, "move", MOTORISED, "combat").rule == "OCS 5.4"
    rig.do(AXIS, "move", MOTORISED, "A26.11")
    assert at(rig, MOTORISED) == "A26.11"

    rig = moving(fed(stand({MOTORISED: "A26.10", DIVISION: "A24.10"})))
    rig.do(AXIS, "move", MOTORISED, "move")
    rig.do(AXIS, "move", DIVISION, "A24.11")
    assert rig.refused(AXIS, "move", MOTORISED, "combat").rule == "OCS 6.1f"
    assert rig.refused(AXIS, "move", MOTORISED, "A26.11").rule == "OCS 6.1f"


def test_4_4c_a_lone_hedgehog_is_no_place_for_trucks() -> None:
    """OCS 3.0, 4.4c An enemy hedgehog without units is a non-combat unit: units that can attack
    enter its hex, a truck does not."""
    state = fed(stand({TRUCK: "A26.10", TIGERS: "A26.10"}))
    i = state.charts.board.hex("A26.11")
    rig = moving(replace(state, hedgehogs={i: Hedgehog(SOVIET, 1)}))
    assert rig.refused(AXIS, "move", TRUCK, "A26.11").rule == "OCS 4.4c"
    assert "A26.11" in rig.options(AXIS, "move", TIGERS)


def test_5_8b_strat_ends_where_it_traces() -> None:
    """OCS 5.8a, 5.8b Every hex on offer to a unit in Strat mode lets it trace."""
    rig = moving(fed(stand({DIVISION: "A26.05"})))
    rig.do(AXIS, "move", DIVISION, STRAT)
    hexes = movement.together(rig.state, (DIVISION,))

    assert rig.state.units[DIVISION].marker == STRAT
    assert hexes
    for i in hexes:
        assert sources.trace(put(rig.state, DIVISION, at=i), AXIS)[DIVISION] is not None


def test_5_7b_reserves_are_released_one_by_one() -> None:
    """OCS 5.7b, 7.0 In the Reaction Phase the other side releases Reserves, which then move at
    half."""
    state = put(
        put(fed(stand({TIGERS: "A26.10", DIVISION: "A24.10"})), TIGERS, marker=RESERVE),
        DIVISION,
        marker=RESERVE,
    )
    rig = moving(state, "e1", SOVIET)

    assert rig.refused(AXIS, "move", TIGERS).rule == "OCS 6.1"
    rig.do(AXIS, "release", TIGERS)
    whole = rig.state.face(TIGERS).ma * rig.state.charts.parts
    assert modes.allowance(rig.state, TIGERS) == whole // 2
    assert modes.allowance(rig.state, DIVISION) == 0, "not released yet"
    rig.do(AXIS, "move", TIGERS, "A26.11")
    assert rig.options(AXIS, "release") == (DIVISION,)


def test_2_3_only_the_acting_side_moves() -> None:
    """OCS 2.3 An enemy unit and a unit off the map are refused with the clause."""
    rig = moving(fed(stand({TIGERS: "A26.10", RIFLES: "A20.20"})))

    assert rig.refused(AXIS, "move", RIFLES).rule == "OCS 2.3"
    assert rig.refused(AXIS, "move", PANZERS).rule == "OCS 6.1"
    assert rig.refused(AXIS, "move", TIGERS, "A20.20").rule == "OCS 4.8c"


def test_4_8a_the_owner_eliminates_the_excess() -> None:
    """OCS 4.8a Over 10 RE the owner takes away steps until the hex holds the rest."""
    divisions = [
        name
        for name, one in stand({}).charts.units.items()
        if one.side == AXIS and one.steps == 3 and one.re == 12 and one.combat is not None
    ][:4]
    state = stand(dict.fromkeys(divisions, "A26.10"))

    def lose(table: Table[State], unit: str) -> None:
        last = table.state.units[unit].lost + 1 == table.state.counter(unit).steps
        table.emit(StepsLost(unit, 1, "box.dead.axis" if last else ""))

    steps: dict[str, Step[Any]] = {"overstacked": overstacked.Overstacked(lose)}
    rig = bench(state, SimpleNamespace(STEPS=steps))
    rig.jump("idle", "overstacked")
    assert rig.asked() == {AXIS: "prompt.ocs.overstacked"}
    question = door.deciders(rig.rules, rig.position)[AXIS].prompt
    assert dict(question.args) == {"hex": "A26.10", "re": "12", "limit": "10"}
    assert rig.refused(AXIS, "eliminate", TIGERS).rule == "OCS 4.8a"
    rig.do(AXIS, "eliminate", divisions[0])
    rig.do(AXIS, "eliminate", divisions[0])
    assert rig.asked() == {AXIS: "prompt.window"}


def test_4_8a_who_would_end_a_segment_overstacked_is_warned() -> None:
    """OCS 4.8a Before `done` each hex that holds too much is named, with what it holds and may; a
    hex that holds what it may is not."""
    divisions = [
        name
        for name, one in stand({}).charts.units.items()
        if one.side == AXIS and one.steps == 3 and one.re == 12 and one.combat is not None
    ][:4]
    (warning,) = moving(stand(dict.fromkeys(divisions, "A26.10"))).preview(AXIS, "done")
    assert (warning.key, dict(warning.args)) == (
        "preview.ocs.warning.overstacked",
        {"hex": "A26.10", "re": "12", "limit": "10"},
    )
    assert moving(stand(dict.fromkeys(divisions[:3], "A26.10"))).preview(AXIS, "done") == ()


def test_6_1_every_way_on_offer_can_be_gone() -> None:
    """OCS 6.1 Whatever hex a stack is offered it can be sent to, and arrives there."""
    state = fed(stand({TIGERS: "A26.10", MOTORISED: "A26.10", RIFLES: "A26.13"}))
    rig = moving(state)
    ways = movement.together(rig.state, (TIGERS, MOTORISED))
    assert ways
    for i, way in ways.items():
        made = evolve.evolve(rig.state, movement.gone(rig.state, (TIGERS, MOTORISED), way))
        assert made.units[TIGERS].at == made.units[MOTORISED].at == i
        assert made.units[MOTORISED].spent <= 3 * state.charts.parts


def test_6_1_one_hex_is_answered_as_all_are() -> None:
    """OCS 6.1f Asked about one hex, units go the way that the list of all hexes has: unlike ones
    and alike ones, in Strat mode, and in Reserve where a marker must be free for their end."""
    together = {TIGERS: "A26.10", MOTORISED: "A26.10", DIVISION: "A26.10", RIFLES: "A26.13"}
    state = moving(fed(stand(together))).state
    hexes = range(state.charts.board.size)
    for marker in ("", STRAT, RESERVE):
        for names in ((TIGERS,), (MOTORISED, TIGERS), (PANZERS, TIGERS, DIVISION)):
            now = put(state, TIGERS, marker=marker, move_side=marker == STRAT)
            now = put(now, PANZERS, at=now.units[TIGERS].at)
            ways = movement.together(now, names)
            assert {i: movement.way_to(now, names, i) for i in hexes if i in ways} == ways
            assert [i for i in hexes if movement.way_to(now, names, i) is None] == [
                i for i in hexes if i not in ways
            ]
            assert movement.ends(now, names) == tuple(sorted(ways))
