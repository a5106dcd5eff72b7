"""OCS 9.12: retreats: how far, where to, what they cost, and who goes along."""

import pytest

from tests.rules.hungarian_rhapsody.bench import SOVIET, put
from tests.rules.ocs.fights import alone, at, fight, in_retreat
from warledger.engine.games.ocs.ch09_combat import retreat
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.series.state import DG, STRAT, State
from warledger.engine.games.ocs.series.tables import REGULAR
from warledger.engine.kernel.types import Refusal
from warledger.engine.testing.rig import Rig

DIVISION, TIGERS, GUARDS = "ax.inf.44", "ax.tgr.503", "su.gd.81"
PANZERS, HUNGARIANS = "ax.1pz.pz1", "ax.hu.7"
RIFLES, MORE_RIFLES = "su.rd.375", "su.rd.409"
HERE, THERE = "A26.10", "A26.11"


def test_9_12_dg_at_the_second_hex() -> None:
    """OCS 5.10a Example 24 Every combat unit in the second hex falls into DG, those that stood
    there too; one hex alone does nothing."""
    rig = fight({TIGERS: HERE, GUARDS: THERE, RIFLES: "A26.13"})
    in_retreat(rig, 2)
    rig.do("soviet", "retreat", "A26.12", "A26.13")
    assert [rig.state.units[name].marker for name in (GUARDS, RIFLES)] == [DG, DG]

    rig = fight({TIGERS: HERE, GUARDS: THERE})
    in_retreat(rig, 1)
    rig.do("soviet", "retreat", GUARDS, "A26.12")
    assert rig.state.units[GUARDS].marker == ""


def test_9_12_the_full_distance() -> None:
    """OCS 9.12 A retreat ends the full distance away; hexes nearer to the start are not offered."""
    rig = fight({TIGERS: HERE, GUARDS: THERE})
    in_retreat(rig, 2)
    board = rig.state.charts.board
    grid = board.map.grid

    first = rig.options("soviet", "retreat", GUARDS)
    assert HERE not in first
    assert "A26.12" in first
    for name in rig.options("soviet", "retreat", GUARDS, "A26.12"):
        assert grid.distance(board.hex(THERE), board.hex(str(name))) >= 1
    assert rig.refused("soviet", "retreat", GUARDS, HERE).rule == "OCS 9.12"


@pytest.mark.parametrize(("marker", "lost"), [("", 0), (DG, 1)])
def test_9_12e_enemy_zones_disorganise_a_retreat(marker: str, lost: int) -> None:
    """Example 24, OCS 9.12e A zone entered puts the stack in DG and costs a step if one was in DG
    before; friends there do not negate it."""
    rig = fight({TIGERS: HERE, DIVISION: "A26.13", GUARDS: THERE, RIFLES: "A26.12"})
    rig.state = put(rig.state, GUARDS, marker=marker)
    in_retreat(rig, 1)
    rig.do("soviet", "retreat", GUARDS, "A26.12")
    if lost:
        assert rig.asked() == {"soviet": "prompt.ocs.toll"}
        rig.do("soviet", "lose", GUARDS)

    assert rig.state.units[GUARDS].lost == lost
    assert rig.state.units[GUARDS].marker == DG
    assert rig.state.units[RIFLES].marker == DG


def test_9_12e_what_a_retreat_costs_is_told_before() -> None:
    """OCS 9.12a, 9.12e Beside each hex stands what it brings: DG and a step in a zone for whoever
    is in DG already, DG alone for others, DG in the second hex; nothing where nothing happens."""

    def told(rig: Rig[State], *picks: str) -> list[str]:
        found = rig.preview("soviet", "retreat", *picks)
        assert not isinstance(found, Refusal)
        assert all(dict(one.args)["entered"] == picks[-1] for one in found)
        return [one.key for one in found]

    rig = fight({TIGERS: HERE, DIVISION: "A26.13", GUARDS: THERE, RIFLES: "A26.12"})
    in_retreat(rig, 1)
    assert told(rig, GUARDS, "A26.12") == ["preview.ocs.zone_0"]
    rig.state = put(rig.state, GUARDS, marker=DG)
    assert told(rig, GUARDS, "A26.12") == ["preview.ocs.zone_1"]
    rig.do("soviet", "retreat", GUARDS, "A26.12")
    assert rig.asked() == {"soviet": "prompt.ocs.toll"}

    rig = fight({TIGERS: HERE, GUARDS: THERE})
    in_retreat(rig, 2)
    assert told(rig, GUARDS, "A26.12") == []
    assert told(rig, GUARDS, "A26.12", "A26.13") == ["preview.ocs.second_hex"]


def test_9_12e_strat_units_die_in_zones() -> None:
    """OCS 5.8b A unit in Strat mode that retreats into an enemy zone is eliminated."""
    rig = fight({TIGERS: HERE, DIVISION: "A26.13", GUARDS: THERE})
    rig.state = put(rig.state, GUARDS, marker=STRAT, move_side=True)
    in_retreat(rig, 1)
    rig.do("soviet", "retreat", GUARDS, "A26.12")

    assert at(rig, GUARDS) == ""


def test_9_12f_hexes_of_the_enemy_stay_shut() -> None:
    """OCS 9.12f A hex that held enemy combat units at the start is shut though they have gone."""
    rig = fight({TIGERS: HERE, DIVISION: "A26.12", GUARDS: THERE})
    in_retreat(rig, 1)
    battle = rig.state.battle
    rig.state = put(rig.state, DIVISION, at=-1)
    alone(rig, battle=battle)
    rig.jump("rest", "ocs.retreating_defender")

    assert "A26.12" not in rig.options("soviet", "retreat", GUARDS)


def test_9_12_ruling_5_no_way_out() -> None:
    """OCS R-05 Who cannot retreat at all loses a step for each hex instead, by the owner's
    choice."""
    around = ("A26.10", "A25.11", "A25.12", "A26.12", "A27.12", "A27.11")
    ring = dict(
        zip((TIGERS, DIVISION, PANZERS, HUNGARIANS, "ax.mtn.3", "ax.mtn.4"), around, strict=True)
    )
    rig = fight({**ring, GUARDS: THERE, RIFLES: THERE})
    in_retreat(rig, 2)
    rig.do("soviet", "retreat")
    assert rig.options("soviet", "lose") == (GUARDS, RIFLES)
    rig.do("soviet", "lose", GUARDS)
    rig.do("soviet", "lose", RIFLES)

    assert (rig.state.units[GUARDS].lost, rig.state.units[RIFLES].lost) == (1, 1)
    assert at(rig, GUARDS) == THERE


def test_9_12_who_must_retreat_into_a_forbidden_area_is_eliminated() -> None:
    """HR 1.2b Whoever could retreat only into South Balaton is eliminated, and is told before; with
    another way out that one is offered."""
    around = {TIGERS: "A46.03", DIVISION: "A47.02", PANZERS: "A46.02"}
    rig = fight({**around, GUARDS: "A47.03", RIFLES: "A47.03"})
    in_retreat(rig, 1, "A47.03")
    told = rig.preview("soviet", "retreat")
    assert not isinstance(told, Refusal)
    assert [(one.key, one.rule) for one in told] == [("preview.ocs.must_enter", "HR 1.2b")]
    rig.do("soviet", "retreat")
    assert rig.asked() == {"axis": "prompt.rest"}
    assert (at(rig, GUARDS), at(rig, RIFLES)) == ("", "")

    del around[PANZERS]
    rig = fight({**around, GUARDS: "A47.03"})
    in_retreat(rig, 1, "A47.03")
    assert rig.options("soviet", "retreat", GUARDS) == ("A46.02",)
    told = rig.preview("soviet", "retreat", GUARDS, "A46.02")
    assert not isinstance(told, Refusal) and "preview.ocs.must_enter" not in [
        one.key for one in told
    ]


def test_9_12b_units_that_cannot_move() -> None:
    """OCS 9.12b A unit of MA 0 flips to its Move side before it retreats."""
    hq = "su.hq.7ga"
    rig = fight({TIGERS: HERE, GUARDS: THERE, hq: THERE})
    in_retreat(rig, 1)
    rig.do("soviet", "retreat", "A26.12")

    assert at(rig, hq) == "A26.12"
    assert rig.state.units[hq].move_side


def test_9_12d_who_may_come_along() -> None:
    """OCS 9.12d Combat units that did not fight and organic trucks may retreat with the stack;
    ordinary transport may not."""
    hexes = {TIGERS: HERE, DIVISION: HERE, "ax.truck.1": HERE, "ax.1ss.truck": HERE, GUARDS: THERE}
    rig = fight(hexes)
    state = rig.state
    board = state.charts.board
    battle = Battle(
        REGULAR,
        "axis",
        board.hex(THERE),
        {board.hex(HERE): (TIGERS,)},
        (GUARDS,),
        shut={"axis": state.field.combat[SOVIET]},
        hexes={"axis": 1},
    )

    assert retreat.obliged(state, battle, "axis") == (TIGERS,)
    assert set(retreat.may_come(state, battle, "axis")) == {DIVISION, "ax.1ss.truck"}
