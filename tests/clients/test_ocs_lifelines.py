"""What the captains of the series reckon of supply is what the rules say, as far as it goes."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import packed, start
from warledger.clients.bots.captains.hungarian_rhapsody import Captain
from warledger.clients.bots.captains.ocs.front import Front, Memory
from warledger.clients.bots.captains.ocs.ground import Ground
from warledger.clients.bots.player import View
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody.rules import PICTURE, SCENARIOS
from warledger.engine.games.ocs.ch12_supply import sources
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.protocol import canon
from warledger.protocol.board.effects import Board

SIDES = ("axis", "soviet")

OF_THEIR_OWN = ("su.sp.", "su.ro.grp", "su.cz.2para")
"""Units that trace by rules of their own (HR 3.5c, d)."""


def front_of(state: State, scenario: str, side: str) -> Front:
    """What a captain of a side sees of a position in the open."""
    pack: dict[str, Any] = dict(canon.unpack_trusted(packed()))
    options = {"scenario": scenario, "fog": "open"}
    view = View(side, "hungarian_rhapsody", SIDES, options, pack)
    ground = Ground(view, Captain.extenders, Captain.depots)
    board = Board()
    for effect in PICTURE.of(state):
        board.apply(effect)
    return Front.of(ground, board, side, Memory(ground, side))


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("side", SIDES)
def test_trace_ends_where_the_rules_say(scenario: str, side: str) -> None:
    """Entries, sources, markers, stations and extenders of each set-up."""
    state = start(scenario, phasing=side)
    state = replace(state, charts=with_options(state.charts, {"fog": "open"}))
    front = front_of(state, scenario, side)
    name = state.charts.board.name

    found = {front.ground.ids[i] for i in front.ends()}

    assert found == {name(i) for i in hexsets.listed(sources.sources(state, side))}


def test_nobody_is_believed_to_trace_who_does_not() -> None:
    """At the campaign's start hardly a unit is reckoned to trace that does not, or the reverse."""
    for side in SIDES:
        state = start("campaign", phasing=side)
        state = replace(state, charts=with_options(state.charts, {"fog": "open"}))
        traced = front_of(state, "campaign", side).traced()
        real = sources.trace(state, side)
        wrong = [
            name
            for name, by in real.items()
            if (by is None) == (state.units[name].at in traced)
            and not name.startswith(OF_THEIR_OWN)
        ]

        assert len(wrong) * 20 <= len(real), wrong
