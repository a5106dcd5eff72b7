"""OCS 12.6, 12.10: the Supply Phase: recovery, trace, eating off the map, OOS."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand, start
from tests.rules.ocs.play import bench
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch12_supply import attrition, bills, payment, sources, stocks, trace
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.state import EXHAUSTED, FULL, LOW, STRAT, State, with_supply
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.types import Refusal
from warledger.engine.testing.rig import Rig

TIGERS, DIVISION, OTHER, HQ = "ax.tgr.503", "ax.inf.44", "ax.inf.357", "ax.hq.iv"
PANZERS, GRENADIERS, RECON = "ax.fhh.pz2", "ax.fhh.pga", "ax.fhh.rec"
TRUCK = "ax.fhh.truck"
FAR, SOURCE = "A26.16", "A26.06"


def supply_phase(state: State, fog: str = "strict", **lying: int) -> State:
    """The same in the Axis Supply Phase, with T on the ground by hex (`A26_10=4`)."""
    for name, tokens in lying.items():
        state = with_supply(state, AXIS, state.charts.board.hex(name.replace("_", ".")), tokens)
    return replace(
        state, charts=with_options(state.charts, {"fog": fog}), phasing=AXIS, segment="d", turn=42
    )


def lone(where: dict[str, str], fog: str = "strict", **lying: int) -> State:
    """These units where no source is open to the Axis: all hexes are Soviet."""
    state = stand(where)
    play = state.charts.scenario.play
    return supply_phase(replace(state, control={AXIS: 0, SOVIET: play}), fog, **lying)


def phase(state: State) -> Rig[State]:
    """The game in the step."""
    rig = bench(state, bills, payment, stocks, trace, attrition, losses)
    rig.jump("idle", trace.PROVISIONS)
    return rig


# --- 12.10e recovery ------------------------------------------------------------------------------


def test_12_10e_recovery_is_not_asked_for_but_made() -> None:
    """OCS 12.10e Example 33: an Exhausted unit of 1 RE that reaches 2T is Low; a division of 3 RE
    recovers wholly for 12T; nobody need name them."""
    state = put(lone({TIGERS: "A26.10"}, A26_10=2), TIGERS, stocks=EXHAUSTED)
    rig = phase(state)
    rig.do(AXIS, "done")
    assert rig.state.units[TIGERS].stocks == LOW
    assert rig.state.supply[AXIS] == {}

    division = put(lone({DIVISION: "A26.10"}, A26_10=14), DIVISION, stocks=EXHAUSTED)
    assert stocks.wanted(division, DIVISION) == 12
    rig = phase(division)
    rig.do(AXIS, "done")
    assert rig.state.units[DIVISION].stocks == FULL
    assert sum(rig.state.supply[AXIS].values()) == 2


def test_12_10e_what_does_not_suffice_is_spent_all_the_same() -> None:
    """OCS 12.10e A Low division of 3 RE that reaches 4T of its 6T stays Low, and they are gone; a
    step lost makes it cheaper."""
    state = put(lone({DIVISION: "A26.10"}, A26_10=4), DIVISION, stocks=LOW)
    rig = phase(state)
    rig.do(AXIS, "done")
    assert rig.state.units[DIVISION].stocks == LOW
    assert rig.state.supply[AXIS] == {}

    reduced = put(state, DIVISION, lost=1)
    rig = phase(reduced)
    rig.do(AXIS, "done")
    assert rig.state.units[DIVISION].stocks == FULL


def test_12_10e_the_owner_says_who_first_and_out_of_what() -> None:
    """OCS 12.3, 12.10e Who recovers first is the owner's choice, and out of which dump."""
    state = lone({TIGERS: "A26.10", RECON: "A26.10"}, A26_10=1, A26_09=2)
    for name in (TIGERS, RECON):
        state = put(state, name, stocks=LOW)
    rig = phase(state)

    assert set(rig.options(AXIS, "recover")) == {TIGERS, RECON}
    rig.do(AXIS, "recover", TIGERS)
    assert rig.asked() == {AXIS: "prompt.ocs.payment"}
    rig.do(AXIS, "pay", TIGERS, "A26.09", 2)
    assert rig.state.units[TIGERS].stocks == FULL
    assert rig.refused(AXIS, "recover", TIGERS).rule == "OCS 12.10e"
    rig.do(AXIS, "recover")
    assert rig.state.units[RECON].stocks == LOW
    assert rig.state.supply[AXIS] == {}
    assert rig.refused(AXIS, "recover").rule == "OCS 12.10e"


def test_12_10e_organic_trucks_are_exempt() -> None:
    """OCS 12.10e What an organic truck carries is not spent unless the owner wants it."""
    state = put(lone({PANZERS: "A26.10", TRUCK: "A26.10"}), TRUCK, load=4)
    state = put(state, PANZERS, stocks=LOW)
    rig = phase(state)
    rig.do(AXIS, "done")
    assert rig.state.units[PANZERS].stocks == LOW
    assert rig.state.units[TRUCK].load == 4

    rig = phase(state)
    rig.do(AXIS, "recover", PANZERS)
    rig.do(AXIS, "auto")
    assert rig.state.units[PANZERS].stocks == FULL
    assert rig.state.units[TRUCK].load == 2


def test_3_1f_recovery_costs_four_times_west_of_the_line() -> None:
    """HR 3.1f, R-29 Soviet units west of the yellow line recover at four times the cost."""
    rifles = "su.gd.81"
    here = put(stand({rifles: "A26.06"}), rifles, stocks=LOW)
    there = put(stand({rifles: "A26.11"}), rifles, stocks=LOW)
    assert stocks.wanted(here, rifles) == 4 * stocks.wanted(there, rifles)
    board = here.charts.board
    fed = with_supply(here, SOVIET, board.hex("A26.06"), stocks.wanted(here, rifles))
    rig = phase(replace(fed, phasing=SOVIET, segment="d", turn=42))
    rig.do(SOVIET, "done")
    assert rig.state.units[rifles].stocks == FULL
    assert rig.state.supply[SOVIET] == {}


# --- 12.6 trace -----------------------------------------------------------------------------------


def test_12_6d_who_has_no_trace_is_marked_and_no_longer_once_it_has() -> None:
    """OCS 12.6d, 12.8a A unit without trace is marked OOS and its turns are counted; the marker
    goes in the next Supply Phase in which it traces."""
    rig = phase(lone({TIGERS: FAR}))
    rig.do(AXIS, "done")
    assert rig.state.units[TIGERS].oos
    assert rig.state.units[TIGERS].cut_turns == 1
    again = phase(rig.state)
    again.do(AXIS, "done")
    assert again.state.units[TIGERS].cut_turns == 2

    back = replace(again.state, control=stand({}).control)
    home = put(back, TIGERS, at=back.charts.board.hex("A30.04"))
    free = stand({TIGERS: "A30.04"}, "sudwind")
    free = put(supply_phase(free), TIGERS, oos=True, cut_turns=2)
    assert home.units[TIGERS].oos
    rig = phase(free)
    rig.do(AXIS, "done")
    assert not rig.state.units[TIGERS].oos
    assert rig.state.units[TIGERS].cut_turns == 0


def test_12_6_everybody_traces_in_sudwind() -> None:
    """OCS 12.6, 12.9 Südwind's set-up leaves nobody out of supply, formations as a whole among
    them; of transport no trace is asked."""
    state = start("sudwind")
    assert not any(name.endswith("truck") for name in sources.trace(state, AXIS))
    for side in (AXIS, SOVIET):
        assert trace.cut(state, side) == ()
        assert trace.split(state, side) == {}


def split_formation(fog: str = "strict") -> State:
    """Two of a formation by one source, one far off by another, and none by both."""
    where = {PANZERS: "A20.04", GRENADIERS: "A20.04", RECON: "A32.11"}
    return supply_phase(stand(where, "sudwind"), fog)


def test_12_6f_a_formation_traces_by_one_source() -> None:
    """OCS 12.6f, 13.7a Units of a formation that no one source serves: the source that serves most
    steps does, the others are cut, unless the owner names another."""
    state = split_formation()
    assert trace.cut(state, AXIS) == (RECON,)
    rig = phase(state)
    (muf,) = rig.options(AXIS, "source")
    other = next(
        source
        for source in rig.options(AXIS, "source", muf)
        if source in trace.served(state, AXIS, (RECON,))
    )
    assert rig.refused(AXIS, "source", muf, "A40.10").rule == "OCS 12.6f"
    rig.do(AXIS, "source", muf, str(other))
    rig.do(AXIS, "done")
    marked = {name for name in (PANZERS, GRENADIERS, RECON) if rig.state.units[name].oos}
    assert marked == {PANZERS, GRENADIERS}


def test_12_6f_units_that_are_no_formation_trace_apart() -> None:
    """OCS 12.6 The same positions for units of no formation: all of them trace."""
    state = supply_phase(stand({TIGERS: "A20.04", DIVISION: "A20.04", OTHER: "A32.11"}, "sudwind"))
    assert trace.cut(state, AXIS) == ()


# --- 12.6c eating ---------------------------------------------------------------------------------


def test_12_6c_eating_off_the_map() -> None:
    """OCS 12.6c 1T feeds 2 RE, rounded up; who has eaten is not marked, but has no trace."""
    state = lone({DIVISION: "A26.10", TIGERS: "A26.10"}, A26_10=3)
    assert trace.appetite(state, (DIVISION,)) == 2
    assert trace.appetite(state, (DIVISION, TIGERS)) == 2
    rig = phase(state)
    rig.do(AXIS, "eat", "A26.10")
    rig.do(AXIS, "auto")
    rig.do(AXIS, "done")
    assert sum(rig.state.supply[AXIS].values()) == 1
    assert not rig.state.units[DIVISION].oos
    assert rig.state.units[DIVISION].cut_turns == 1


def test_12_6c_a_token_feeds_two_hexes() -> None:
    """OCS 12.6c 1T feeds up to 2 RE within reach of its dump, though they stand in two hexes; not
    whom that dump does not reach, nor more than 2 RE."""
    near, far = "ax.tgr.509", "ax.ag.228"
    where = {TIGERS: "A26.10", near: "A26.11", far: "A26.18"}
    state = lone(where, A26_10=1, A26_18=1)
    assert trace.appetite(state, (TIGERS, near)) == 1
    rig = phase(state)
    assert rig.options(AXIS, "eat", TIGERS) == (near,)
    rig.do(AXIS, "eat", TIGERS, near)
    rig.do(AXIS, "auto")
    rig.do(AXIS, "done")
    assert rig.state.supply[AXIS] == {rig.state.charts.board.hex("A26.18"): 1}
    assert not rig.state.units[TIGERS].oos and not rig.state.units[near].oos
    assert rig.state.units[far].oos


def test_12_6c_part_of_a_stack_eats() -> None:
    """OCS 12.6c Whom there is enough for is the owner's choice; the rest is marked OOS."""
    state = lone({DIVISION: "A26.10", TIGERS: "A26.10"}, A26_10=1)
    rig = phase(state)
    assert rig.options(AXIS, "eat") == (TIGERS,)
    assert rig.refused(AXIS, "eat", DIVISION).rule == "OCS 12.6c"
    shown = rig.preview(AXIS, "eat", TIGERS)
    assert not isinstance(shown, Refusal)
    assert [(said.key, dict(said.args)["tokens"]) for said in shown] == [
        ("preview.ocs.meal", 1),
        ("preview.ocs.at_hand", 1),
    ]
    rig.do(AXIS, "eat", TIGERS)
    rig.do(AXIS, "auto")
    rig.do(AXIS, "done")
    assert rig.state.units[DIVISION].oos
    assert not rig.state.units[TIGERS].oos


def test_12_10e_recovery_comes_before_eating() -> None:
    """OCS 2.3 D, 12.10e Nobody eats while somebody must recover."""
    state = put(lone({TIGERS: "A26.10"}, A26_10=3), TIGERS, stocks=LOW)
    rig = phase(state)
    assert rig.refused(AXIS, "eat", TIGERS).rule == "OCS 12.10e"
    rig.do(AXIS, "recover")
    rig.do(AXIS, "eat", TIGERS)
    rig.do(AXIS, "auto")
    rig.do(AXIS, "done")
    assert not rig.state.units[TIGERS].oos
    assert rig.state.supply[AXIS] == {}


def test_5_8b_strat_does_not_eat() -> None:
    """OCS 5.8b Units in Strat mode do not eat off the map."""
    state = put(lone({TIGERS: "A26.10"}, A26_10=3), TIGERS, marker=STRAT, move_side=True)
    assert trace.hungry(state, AXIS) == ()


def test_12_6c_only_without_trace() -> None:
    """OCS 12.6c Units in trace do not eat."""
    state = supply_phase(stand({TIGERS: "A30.04"}, "sudwind"), A30_04=3)
    assert trace.hungry(state, AXIS) == ()


@pytest.mark.parametrize(("fog", "asked"), [("strict", True), ("open", False)])
def test_12_6_nobody_is_asked_where_nothing_can_be_done(fog: str, asked: bool) -> None:
    """OCS 2.3 D With everything open the phase passes by itself; under fog it is always asked,
    since stocks and trace are the owner's to know."""
    rig = phase(supply_phase(stand({TIGERS: "A30.04"}, "sudwind"), fog))
    assert ("prompt.ocs.provisions" in rig.asked().values()) is asked
