"""HR 1.2c, 2.1e, 2.4: the Budapest Fortress and its goulash."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, names, put, stand, start
from tests.rules.hungarian_rhapsody.pocket import (
    BUDA,
    CITY,
    GUNS,
    INFANTRY,
    KELENFOLD,
    PEST,
    RIFLES,
    UJPEST,
    VAR,
    at_reinforcement,
    at_supply,
    fortified,
    pocket,
)
from tests.rules.hungarian_rhapsody.table import at_segment, described, fed
from warledger.engine.games.hungarian_rhapsody import fortress, goulash, victory
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.ch05_modes import modes, reserves
from warledger.engine.games.ocs.ch12_supply import payment_means, points, stocks, trace
from warledger.engine.games.ocs.series.state import LOW, Hedgehog, taken_by
from warledger.engine.kernel.change import replace

HQ = "ax.hq.iv"

BOTH = pytest.mark.parametrize("fog", ["strict", "open"])


@BOTH
def test_2_4_a_fortress_is_declared(fog: str) -> None:
    """HR 2.4, 1.2c Connected hexes of the Budapest area that the Axis holds, a city hex among them,
    whose units are cut off; all see where it is."""
    rig = at_reinforcement(pocket(), fog)
    assert set(rig.options(AXIS, "fortress")) == names(rig.state, CITY)
    assert rig.refused(AXIS, "fortress", "A26.10").key == "refusal.hr.not_budapest"
    assert rig.refused(AXIS, "fortress", "A34.18").key == "refusal.hr.not_cut_off"
    assert rig.refused(AXIS, "fortress", BUDA, "A33.19").key == "refusal.hr.fortress_apart"
    rig.do(AXIS, "fortress", BUDA, VAR, KELENFOLD)
    board = rig.state.charts.board
    assert fortress.fortresses(rig.state) == (board.set_of(f"{BUDA} {VAR} {KELENFOLD}"),)
    assert set(GAME.more_marks(rig.state)) == {(i, fortress.MARKER) for i in (BUDA, VAR, KELENFOLD)}


def test_2_4_what_cannot_be_declared() -> None:
    """HR 2.4 Not without a city hex, not without a unit, not with a unit that traces, not by the
    Soviets, not in another phase."""
    state = replace(pocket(), phasing=AXIS, segment="b")
    board = state.charts.board
    assert fortress.may_declare(state, AXIS)
    assert not fortress.may_declare(state, SOVIET)
    assert not fortress.may_declare(replace(state, segment="c2"), AXIS)
    assert not fortress.may_declare(put(put(state, INFANTRY, at=-1), GUNS, at=-1), AXIS)
    outside = stand({INFANTRY: "A34.18"}, turn=26, phasing=AXIS, segment="b")
    outside = taken_by(taken_by(outside, SOVIET, board.every), AXIS, 1 << board.hex("A34.18"))
    assert not fortress.may_declare(outside, AXIS)
    free = taken_by(state, AXIS, board.every)
    assert trace.traced(free, AXIS)[INFANTRY]
    assert not fortress.may_declare(free, AXIS)


def test_2_4_several_fortresses() -> None:
    """HR 2.4 Groups that do not touch are fortresses of their own; one that the Soviets split is
    two."""
    state = pocket()
    board = state.charts.board
    apart = fortified(state, board.set_of(f"{BUDA} {VAR} {KELENFOLD}"))
    assert len(fortress.fortresses(apart)) == 1
    assert len(fortress.fortresses(taken_by(apart, SOVIET, 1 << board.hex(VAR)))) == 2


@BOTH
def test_2_4_units_eat_without_supply_in_its_first_turn(fog: str) -> None:
    """HR 2.4, R-24 In the Supply Phase of its first turn nobody in a fortress is out of
    supply, in that of its second all are."""
    state = points.opened(replace(fortified(pocket({RIFLES: "A26.10"}), fresh=True), phasing=AXIS))
    rig = at_segment("d", state, fog=fog)
    assert any(isinstance(one, fortress.FortressFed) for one in rig.events)
    assert rig.state.phase_use.fed == {INFANTRY, GUNS}
    assert fortress.hexes_of(rig.state, fortress.HAS_EATEN) == CITY
    assert not trace.unfed(rig.state, AXIS)
    old = at_segment("d", points.opened(fortified(replace(pocket(), phasing=AXIS))), fog=fog)
    assert not old.state.phase_use.fed
    assert set(trace.unfed(old.state, AXIS)) == {INFANTRY, GUNS}


def test_2_4_a_unit_in_strat_mode_does_not_eat() -> None:
    """OCS 5.8b, HR 2.4"""
    state = put(fortified(pocket(), fresh=True), INFANTRY, marker="strat", move_side=True)
    assert fortress.eaters(state, CITY) == (GUNS,)


def test_2_4_it_ends_as_a_unit_traces() -> None:
    """HR 2.4, R-23 A fortress whose unit can trace in an Axis Supply Phase is one no longer;
    at the end of that turn it counts as relieved."""
    state = replace(fortified(taken_by(pocket(), AXIS, pocket().charts.board.every)), phasing=AXIS)
    rig = at_segment("d", state, fog="open")
    (over,) = [one for one in rig.events if isinstance(one, fortress.FortressOver)]
    ended = RULES.evolve(state, over)
    assert not fortress.inside(ended)
    assert victory.relieved(ended)
    assert not victory.relieved(replace(ended, turn=ended.turn + 1))


def test_2_4_defence_needs_no_supply() -> None:
    """HR 2.4, OCS 12.4 Units in a fortress defend without combat supply; they attack with it."""
    state = fortified(pocket())
    units = (GUNS, INFANTRY)
    assert payment_means.payable(state, AXIS, units, 2, purpose="defence")
    assert not payment_means.payable(state, AXIS, units, 2, purpose="attack")
    assert not payment_means.payable(pocket(), AXIS, units, 2, purpose="defence")


def test_2_4_artillery_is_in_reserve_where_it_likes() -> None:
    """HR 2.4, OCS 5.7c, 5.7g Artillery in a fortress enters Reserve in an enemy zone and stays in
    it in a hedgehog; others do neither."""
    state = replace(pocket({RIFLES: "A33.17"}), phasing=AXIS, segment="c2")
    state = replace(state, hedgehogs={state.units[GUNS].at: Hedgehog(AXIS, 1)})
    assert ("reserve", False) not in modes.allowed(state, GUNS)
    inside = fortified(state)
    assert ("reserve", False) in modes.allowed(inside, GUNS)
    assert ("reserve", False) not in modes.allowed(inside, INFANTRY)
    both = put(put(inside, GUNS, marker="reserve"), INFANTRY, marker="reserve")
    assert reserves.bare(both, AXIS) == (INFANTRY,)


def test_2_4_internal_stocks_need_not_be_recovered() -> None:
    """HR 2.4, OCS 12.10e In a fortress recovery is the owner's choice."""
    state = put(fed(replace(pocket(), phasing=AXIS), 12, VAR), INFANTRY, stocks=LOW)
    assert stocks.recoverable(state, AXIS) == (INFANTRY,)
    inside = fortified(state)
    assert stocks.recoverable(inside, AXIS) == ()
    assert stocks.may_recover(inside, AXIS) == (INFANTRY,)


def test_2_4_scenarios_begin_with_theirs() -> None:
    """HR 2.4 Konrad III begins with three hexes of Buda, whose first turn is past."""
    state = start("konrad3")
    assert fortress.inside(state) == state.charts.board.set_of(f"{BUDA} {VAR} {KELENFOLD}")
    assert fortress.hexes_of(state, fortress.HAS_EATEN) == fortress.inside(state)
    assert not fortress.inside(start("campaign"))


# --- goulash --------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(("pips", "kept"), [(1, False), (3, False), (4, True), (6, True)])
def test_2_1e_example_52_a_marker_is_paid_for(fog: str, pips: int, kept: bool) -> None:
    """HR 2.1e Example 52: 1T paid, 3: removed; 4: kept, for the next turn."""
    rig = at_supply(fed(fortified(pocket()), 5, UJPEST), fog)
    before = rig.state.marker_count[goulash.MARKER]
    rig.dice(pips)
    rig.do(AXIS, "goulash", BUDA, UJPEST)
    assert rig.state.marker_count[goulash.MARKER] == before - (not kept)
    assert sum(rig.state.supply[AXIS].values()) == 4
    if fog == "strict":
        assert goulash.left(rig.state) == before - 1
        assert rig.refused(AXIS, "goulash", BUDA).key == "refusal.hr.all_have_eaten"


@BOTH
def test_2_1e_example_52_unpaid_it_is_gone(fog: str) -> None:
    """HR 2.1e Example 52: no T paid, removed; nobody in the fortress is out of supply."""
    rig = at_supply(fortified(pocket({RIFLES: "A26.10"})), fog)
    before = rig.state.marker_count[goulash.MARKER]
    rig.do(AXIS, "goulash", VAR)
    assert rig.state.marker_count[goulash.MARKER] == before - 1
    if AXIS in rig.asked():
        rig.do(AXIS, "done")
    assert not rig.state.units[INFANTRY].oos
    assert not rig.state.units[GUNS].oos


def test_2_1e_where_and_when() -> None:
    """HR 2.1e In a city hex of a fortress with somebody to feed, by the Axis, while there is a
    marker; what pays lies in the same fortress and is no organic truck's."""
    state = fortified(fed(fed(pocket({"ax.13pz.truck": VAR}), 8, PEST), 8, "A34.18"))
    state = replace(put(state, "ax.13pz.truck", load=4), phasing=AXIS, segment="d")
    board = state.charts.board
    assert goulash.kitchens(state, AXIS) == CITY
    assert not goulash.kitchens(state, SOVIET)
    assert not goulash.kitchens(replace(state, marker_count={goulash.MARKER: 0}), AXIS)
    assert not goulash.kitchens(replace(state, flags={}), AXIS)
    assert goulash.larder(state, AXIS, board.hex(BUDA)) == (PEST,)
    small = fortified(state, board.set_of(f"{BUDA} {VAR}"))
    assert goulash.kitchens(small, AXIS) == board.set_of(f"{BUDA} {VAR}")
    assert goulash.larder(small, AXIS, board.hex(BUDA)) == ()


def test_2_1e_only_those_with_a_path_to_the_marker_eat() -> None:
    """HR 2.1e, R-19 Enemy zones between a unit and the marker keep it from the meal, and a marker
    is offered only where it would feed somebody; an HQ throws to whoever cannot draw."""
    where = {RIFLES: "A34.19", "su.rd.375": "A33.20"}
    state = pocket({INFANTRY: "A34.18", **where})
    hexes = CITY | state.charts.board.set_of("A34.18")
    state = fortified(taken_by(state, AXIS, hexes), hexes)
    beside, away = state.charts.board.hex("A33.19"), state.charts.board.hex(PEST)
    assert goulash.served(state, beside) == (GUNS, INFANTRY)
    assert goulash.served(state, away) == (GUNS,)

    with_hq = put(state, HQ, at=state.charts.board.hex(VAR), where="")
    assert set(goulash.served(with_hq, away)) == {GUNS, INFANTRY, HQ}

    rig = at_supply(state, "strict")
    events = rig.do(AXIS, "goulash", PEST)
    assert [one.units.value for one in events if isinstance(one, goulash.Served)] == [(GUNS,)]
    assert set(rig.options(AXIS, "goulash")) == {"A33.18", "A33.19"}
    assert rig.refused(AXIS, "goulash", PEST).key == "refusal.hr.no_kitchen"


def test_2_1e_it_is_told_who_eats_to_its_owner_alone() -> None:
    """HR 2.1e, OCS R-15 Everybody hears of the marker and the die, nobody else of who eats and
    what pays."""
    rig = at_supply(fed(fortified(pocket()), 5, UJPEST), "strict")
    rig.dice(5)
    events = rig.do(AXIS, "goulash", BUDA, UJPEST)
    (served,) = [one for one in events if isinstance(one, goulash.Served)]
    assert served.units.readers == served.picks.readers == (AXIS,)
    assert (served.hex, served.die, served.kept) == (BUDA, 5, True)


def test_2_1e_the_table_knows_the_marker() -> None:
    """HR 2.1e A client can draw how many markers are left."""
    assert any(one.id == "left.marker.goulash" for one in described("konrad3").tracks)
