"""HR 3.5d: the Romanian mountain groups, and the 2nd Mountain Division that takes their place."""

import pytest

from tests.rules.hungarian_rhapsody.arriving import SOVIET, alone, dead, over
from tests.rules.hungarian_rhapsody.bench import AXIS, start
from tests.rules.hungarian_rhapsody.borders import BOARD, moving, shut
from tests.rules.hungarian_rhapsody.highlands import (
    DIVISION,
    GROUPS,
    HQ,
    ROMANIAN_HQ,
    ROUGH,
    edge,
    exchanging,
)
from tests.rules.hungarian_rhapsody.table import at, at_table
from tests.rules.ocs.skies import opened
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import mountain_groups
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.ch09_combat import attacks
from warledger.engine.games.ocs.series.state import NOT_ARRIVED, removed, taken_by


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_3_5d_they_do_not_leave_rough_ground(fog: str) -> None:
    """HR 3.5d A group goes from rough ground to rough ground or heavy woods, nowhere else; it
    attacks nobody out of them either, and no retreat leads there."""
    here, there, rough = edge()
    state = moving({GROUPS[0]: here, "ax.inf.44": there}, phasing=SOVIET)
    assert shut(opened(state), GROUPS[0], there)
    state = opened(state)
    assert hexsets.has(GAME.retreat_barred(state, GROUPS[0]), BOARD.hex(there))
    assert not attacks.can_enter(state, GROUPS[0], BOARD.hex(there))
    assert not shut(state, GROUPS[0], rough)
    assert not shut(state, "su.ro.2", there)

    state = removed(state, ("ax.inf.44",), NOT_ARRIVED)
    state = taken_by(state, AXIS, BOARD.areas["area.budapest_city"])
    rig = at_table(state, "moving", phasing=SOVIET, fog=fog)
    assert rig.refused(SOVIET, "move", GROUPS[0], there).rule == "HR 3.5d"
    rig.do(SOVIET, "move", GROUPS[0], rough)
    assert at(rig, GROUPS[0]) == rough


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_3_5d_the_division_takes_their_place(fog: str) -> None:
    """HR 3.5d All four leave, two of them out of the dead pile, and the 2nd Mountain Division
    stands at a Soviet HQ with all its steps; once."""
    where = {name: ROUGH[name] for name in GROUPS[:2]} | {HQ: "B49.14", ROMANIAN_HQ: "B48.10"}
    rig = exchanging(dead(alone(where), *GROUPS[2:]), fog)
    assert rig.options(SOVIET, "muster") == ("B49.14",)
    assert rig.refused(SOVIET, "muster", "B48.10").rule == "HR 3.5d"
    rig.do(SOVIET, "muster", "B49.14", "move")
    units = rig.state.units
    assert at(rig, DIVISION) == "B49.14"
    assert units[DIVISION].move_side and not units[DIVISION].lost
    assert {(units[name].at, units[name].where) for name in GROUPS} == {(-1, mountain_groups.BOX)}
    assert rig.refused(SOVIET, "muster").rule == "HR 3.5d"


def test_3_5d_all_may_be_dead() -> None:
    """HR 3.5d Where all four have been destroyed the division may come."""
    rig = exchanging(dead(alone({HQ: "B49.14"}), *GROUPS))
    rig.do(SOVIET, "muster", "B49.14")
    assert at(rig, DIVISION) == "B49.14"


@pytest.mark.parametrize(
    ("where", "gone"),
    [({HQ: "B49.14"}, ()), ({ROMANIAN_HQ: "B49.14"}, GROUPS), ({}, GROUPS)],
)
def test_3_5d_when_it_does_not(where: dict[str, str], gone: tuple[str, ...]) -> None:
    """HR 3.5d Not where the groups were never in the game, nor without a Soviet HQ; nobody is asked
    for it then."""
    state = dead(alone(where), *gone)
    rig = exchanging(state)
    assert not mountain_groups.places(rig.state)
    assert over(rig) or rig.refused(SOVIET, "muster").rule == "HR 3.5d"


def test_3_5d_debrecen_has_them_too() -> None:
    """HR 3.5d In Debrecen's own set-up the exchange is on offer from the first turn on."""
    state = start("debrecen")
    assert mountain_groups.places(state)
    assert mountain_groups.asks(state, SOVIET)
    assert not mountain_groups.places(start("sudwind"))
