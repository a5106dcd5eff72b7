"""OCS 13.5, 13.1d, 3.1d: rebuilding near an HQ, and whom an HQ serves."""

from attrs import evolve as replace

from tests.rules.hungarian_rhapsody.arriving import NEAR_BY, near, with_counter
from tests.rules.hungarian_rhapsody.bench import AXIS, put, stand
from warledger.engine.games.ocs.ch13_special_units import rebuilding
from warledger.engine.games.ocs.series import game
from warledger.engine.games.ocs.series.state import DG

HQ, DIVISION, FOE = "ax.hq.iv", NEAR_BY, "su.gd.81"


def test_13_5_within_two_hexes_of_an_hq() -> None:
    """OCS 13.5, 5.10e Within two hexes of an HQ with its Combat side up, DG or not."""
    state = stand({HQ: "A26.10"})
    grid = state.charts.board.map.grid
    home = state.charts.board.hex("A26.10")
    assert {grid.distance(home, state.charts.board.hex(one)) for one in near(state)} == {0, 1, 2}
    assert near(put(state, HQ, marker=DG)) == near(state)
    assert near(put(state, HQ, move_side=True)) == set()


def test_13_5_not_by_an_hq_in_an_enemy_zone() -> None:
    """OCS 13.5 An HQ next to an enemy unit with a zone rebuilds nothing."""
    assert near(stand({HQ: "A26.10", FOE: "A26.11"})) == set()
    assert near(stand({HQ: "A26.10", FOE: "A26.12"}))


def test_13_5_not_by_the_enemys_hq() -> None:
    """OCS 13.5 Only an HQ that serves the unit counts."""
    assert near(stand({"su.hq.53a": "A26.10"})) == set()


def test_13_1d_a_divisional_hq_serves_its_division_and_independents() -> None:
    """OCS 13.1d An HQ of a formation serves the units of that formation and the independent ones of
    its nation; any other HQ serves all."""
    charts = stand({}).charts
    hq = replace(charts.units[HQ], muf="1pz")
    served = {
        unit: game.serves_as_divisional(hq, charts.units[unit])
        for unit in ("ax.1pz.pga", "ax.3pz.pga", DIVISION, "ax.ag.228", "ax.hu.mtn1")
    }
    assert served == {
        "ax.1pz.pga": True,
        "ax.3pz.pga": False,
        DIVISION: False,
        "ax.ag.228": True,
        "ax.hu.mtn1": False,
    }
    assert game.serves_as_divisional(charts.units[HQ], charts.units["ax.3pz.pga"])


def test_13_1d_the_series_asks_it_of_every_game() -> None:
    """OCS 13.1d A game without rules of its own for HQs has this one."""
    charts = with_counter(stand({}).charts, HQ, muf="1pz")
    assert game.Game().serves(charts, HQ, "ax.1pz.pga")
    assert not game.Game().serves(charts, HQ, DIVISION)
    assert not game.Game().serves(charts, "su.hq.53a", DIVISION)


def test_3_1d_yellow_dots_and_breakdowns_are_never_rebuilt() -> None:
    """OCS 3.1d, 13.5 By the mark of the counter."""
    charts = stand({}).charts
    unit = charts.units[DIVISION]
    assert rebuilding.rebuildable(unit)
    assert not rebuilding.rebuildable(replace(unit, traits={**unit.traits, "yellow_dot": True}))
    assert not rebuilding.rebuildable(charts.units["ax.brk.ge1"])
    assert charts.units[DIVISION].side == AXIS
