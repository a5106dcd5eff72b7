"""HR 1.7: the scenarios: what each is, units that begin beyond the play area, two played as one."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, PLAYED, SOVIET, charts_of, pack, start
from tests.rules.hungarian_rhapsody.table import at, described, marching_in
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import air, victory
from warledger.engine.games.hungarian_rhapsody.describe import description
from warledger.engine.games.hungarian_rhapsody.rules import RULES, SCENARIO
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch12_supply import sources
from warledger.engine.games.ocs.ch13_special_units.reinforcements import Reinforced
from warledger.engine.games.ocs.series import entry
from warledger.engine.games.ocs.series.state import placed
from warledger.engine.kernel.change import replace
from warledger.protocol.board import scenarios
from warledger.protocol.board.description import names
from warledger.protocol.lang import phrases

CORPS = (
    "su.18tc.b1",
    "su.18tc.b2",
    "su.18tc.b3",
    "su.18tc.b4",
    "su.18tc.su",
    "su.18tc.su85",
    "su.18tc.mtr",
    "su.18tc.truck",
)


def test_1_7_every_scenario_of_the_pack_is_an_option() -> None:
    """HR 1.7 What the pack holds can be chosen, each scenario described and laid out."""
    (switch,) = (one for one in RULES.switches if one.name == SCENARIO)
    assert sorted(switch.choices) == sorted(PLAYED) == list(scenarios.names(pack()))
    for name in PLAYED:
        told = description(pack(), {SCENARIO: name})
        scenario = charts_of(name).scenario
        turns = next(track for track in told.tracks if track.id == "turn")
        assert (turns.first, turns.last) == (scenario.first_turn, scenario.last_turn)
        RULES.invariants(fog.laid(start(name)))


# --- Debrecen: beyond the play area ---------------------------------------------------------------


def test_1_7_debrecen_the_corps_drives_in_over_country_out_of_play() -> None:
    """HR 1.7 The 18th Tank Corps begins south of the Maros, is fuelled there, and moves into the
    play area by its own movement."""
    rig = marching_in()
    rig.do(SOVIET, "fuel", "18tc")
    while "auto" in rig.options(SOVIET):
        rig.do(SOVIET, "auto")
    assert "B49.11" in rig.options(SOVIET, "move", CORPS[0])
    rig.do(SOVIET, "move", CORPS[0], "B49.11")
    assert at(rig, CORPS[0]) == "B49.11"


def test_1_7_debrecen_nobody_leaves_the_play_area() -> None:
    """HR 1.7 Once in play a unit goes nowhere out of it."""
    state = start("debrecen")
    board, play = state.charts.board, state.charts.scenario.play
    outside = board.every & ~play
    before = movement_range.closed(state, CORPS[0])
    assert not hexsets.has(before, board.hex("B51.09"))
    inside = placed(state, CORPS[:1], board.hex("B49.11"))
    assert movement_range.closed(inside, CORPS[0]) & outside == outside


def test_1_7_debrecen_who_is_late_comes_in_by_itself() -> None:
    """HR 1.7 Those of the corps who are outside when the Movement Segment of the first turn ends
    come in where it is nearest; the NKVD may stay at its air base."""
    rig = marching_in()
    rig.do(SOVIET, "done")
    state = rig.state
    came = [event for event in rig.events if isinstance(event, Reinforced)]
    play = state.charts.scenario.play
    assert {name for event in came for name in event.units} == set(CORPS)
    assert all(hexsets.has(play, state.units[name].at) for name in CORPS)
    assert at(rig, "su.nkvd") == "B52.09"
    assert not entry.late(state, SOVIET)
    RULES.invariants(state)


def test_1_7_debrecen_the_way_in_has_room() -> None:
    """HR 1.7, OCS 4.8 They come in together where all of them may stand."""
    state = start("debrecen")
    board = state.charts.board
    start_hex = board.hex("B53.09")
    first = entry.way_in(state, CORPS, start_hex)
    rifles = ("su.rd.6", "su.gd.81", "su.gd.72")
    full = placed(state, rifles, first)
    other = entry.way_in(full, CORPS, start_hex)
    assert other != first
    assert hexsets.has(state.charts.scenario.play, other)


def test_1_7_debrecen_who_stands_beyond_is_in_supply() -> None:
    """HR 1.7, OCS 12.6 Nothing cuts off the NKVD at its base out of play."""
    assert sources.trace(start("debrecen"), SOVIET)["su.nkvd"] is not None


def test_1_7_debrecen_a_trainbusting_marker_lies_in_the_way() -> None:
    """HR 1.7, OCS 14.8 The marker of the set-up costs the Soviets, and goes with their Clean Up."""
    rig = marching_in()
    here = rig.state.charts.board.hex("B48.08")
    assert rig.state.trainbusting == {here: AXIS}
    assert hexsets.has(movement_range.surcharges(rig.state, SOVIET, "track"), here)
    assert not movement_range.surcharges(rig.state, AXIS, "track")


# --- Konrad III -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("turn", "limit"), [(32, 4), (33, 10), (35, 10)])
def test_1_7_konrad_iii_has_a_limit_of_aircraft_of_its_own(turn: int, limit: int) -> None:
    """HR 1.7, 3.2a Four Soviet aircraft are active in the first turn of Konrad III, ten from the
    second on."""
    state = start("konrad3", turn=turn)
    flying = {
        name: replace(plane, active=plane.base is not None)
        for name, plane in state.aircraft.items()
    }
    too_many, counted = air.too_many_active(replace(state, aircraft=flying), SOVIET)
    assert len(counted) > 10
    assert too_many == len(counted) - limit


# --- Konrad I, then Konrad II ---------------------------------------------------------------------


def test_1_7_konrad_i_is_played_on_into_konrad_ii() -> None:
    """HR 1.7 As one game it is Konrad I's set-up, both orders of arrival, Konrad II's last turn and
    conditions; what supplies Konrad II alone does so from its first turn on."""
    one, two, both = (charts_of(name).scenario for name in ("konrad1", "konrad2", "konrad12"))
    assert (both.first_turn, both.last_turn) == (one.first_turn, two.last_turn) == (27, 31)
    assert (both.at, both.supply_at, both.control) == (one.at, one.supply_at, one.control)
    assert [each.turn for each in both.arrivals] == [28, 29, 30, 30]
    assert victory.terms(start("konrad12")) == two.doc["victory"]
    since = {each.hex: each.from_turn for each in both.sources}
    added = charts_of("konrad2").board.hex("A27.13")
    assert since[added] == two.first_turn
    assert all(since[each.hex] == 1 for each in one.sources)


def test_1_7_what_arrives_in_konrad_ii_comes_once() -> None:
    """HR 1.7 What both files bring in the turns that they share comes by the first alone."""
    docs = dict(pack())
    doubled = {"turn": 29, "side": AXIS, "kind": "entry", "at": "entry.axis_west", "pieces": ""}
    docs["scenario_konrad2"] = {**docs["scenario_konrad2"], "arrival": [doubled]}
    assert scenarios.scenario(docs, "konrad12")["arrival"] == docs["scenario_konrad1"]["arrival"]


@pytest.mark.parametrize(("turn", "ends"), [(29, False), (31, True)])
def test_1_7_konrad_i_played_on_ends_with_konrad_ii(turn: int, ends: bool) -> None:
    """HR 1.7 Nothing is judged after Konrad I's last turn where it is played on."""
    state = replace(start("konrad12"), turn=turn)
    assert (turn == state.charts.scenario.last_turn) is ends
    assert victory.verdict(state) is None
    assert victory.verdict(replace(state, over=True)) is not None


@pytest.mark.parametrize("name", PLAYED)
def test_1_7_what_is_counted_has_a_track_with_a_name(name: str) -> None:
    """HR 1.7, 2.1e Goulash is counted; front markers and extenders, which the map shows, are not.
    Every track is described and has words."""
    told = described(name)
    state = fog.laid(start(name))
    said = phrases("en", RULES.title, names(told))
    shown = {effect[1] for effect in RULES.picture(state) if effect[0] == "track"}
    assert shown <= {track.id for track in told.tracks}
    assert all(said.name(id) != id for id in shown if "." in id)
