"""OCS 21: options of the series that have no chapter of their own."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, start
from tests.rules.ocs.skies import BF109, BF109B, FAR, FOCKE, HOME, opened, rigged, sky
from warledger.engine.games.ocs import aircraft, reinforcements
from warledger.engine.games.ocs.events import TurnBegun
from warledger.engine.games.ocs.evolve import TABLE

NEW = "A26.16"

ACE = "ax.air.bf109x.1"


@pytest.mark.parametrize("mode", ["strict", "open"])
def test_21_5_one_aircraft_a_level_and_turn_stays_active(mode: str) -> None:
    """OCS 21.5 A base of level 1 takes in one active aircraft a turn, whoever comes next lands
    inactive; on the next turn it takes in another. A box takes any number."""
    state = sky(
        {BF109: HOME, BF109B: HOME, ACE: FAR, FOCKE: FAR},
        {HOME: (AXIS, 2), NEW: (AXIS, 1), FAR: (AXIS, 1)},
        fog=mode,
    )
    free = rigged(state)
    free.do(AXIS, "transfer", NEW, BF109, BF109B)
    assert free.state.aircraft[BF109B].active

    state = opened(state, rebasing=True)
    rig = rigged(state)
    rig.do(AXIS, "transfer", NEW, BF109)
    rig.do(AXIS, "transfer", NEW, BF109B, ACE)
    assert rig.state.aircraft[BF109].active
    assert not rig.state.aircraft[BF109B].active and not rig.state.aircraft[ACE].active
    base = state.charts.board.hex(NEW)
    assert aircraft.welcome(rig.state, base) == 0
    assert aircraft.welcome(rig.state, state.charts.board.hex(HOME)) == 2
    assert aircraft.welcome(rig.state, "box.air.lw4") > 4
    later = TABLE[TurnBegun](rig.state, TurnBegun(rig.state.turn + 1))
    assert aircraft.welcome(later, base) == 1


def test_21_5_reinforcements_are_counted_too() -> None:
    """OCS 21.5 A base that has taken in its aircraft for the turn is closed to reinforcements, and
    one that comes takes its place."""
    state = opened(start("campaign", phasing=AXIS, turn=4), rebasing=True)
    base = next(
        at
        for at, one in sorted(state.bases.items())
        if one.side == AXIS and reinforcements.has_room(state, at, 1)
    )
    level = state.bases[base].level
    assert not reinforcements.has_room(state, base, level + 1)
    name = state.charts.board.name(base)
    full = aircraft.TABLE[aircraft.Rebased](state, aircraft.Rebased(AXIS, name, level))
    assert not reinforcements.has_room(full, base, 1)
    assert reinforcements.has_room(opened(full, rebasing=False), base, 1)
