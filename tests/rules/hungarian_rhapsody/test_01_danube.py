"""HR 1.4: the Danube on the map and during play."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, charts_of, put, stand, start
from tests.rules.hungarian_rhapsody.crossings import LEG, TRACKED, moved_to, over_the_danube
from tests.rules.hungarian_rhapsody.table import at_table
from warledger.engine.games.hungarian_rhapsody import pontoons
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch13_special_units.bridges import twin
from warledger.engine.games.ocs.series.events import Put
from warledger.engine.games.ocs.series.state import DG, OFF_MAP, RESERVE

DIVISION = "su.gd.81"


def test_1_4a_a_bridge_falls_as_soviets_come_next_to_it() -> None:
    """HR 1.4a, R-12 The moment a Soviet combat unit stands next to a Danube bridge both of its
    hexsides are down for good, whoever is there."""
    state = start("campaign", ground="dry")
    board = state.charts.board
    slot = min(board.printed_bridges[pontoons.DANUBE] - state.bridges_down)
    here = next(
        i
        for i in board.map.grid.adjacent[slot // 6]
        if not state.stack(i) and state.charts.scenario.play >> i & 1 and i != slot // 6
    )
    before = put(state, DIVISION, at=OFF_MAP, where="not_arrived")
    rig = at_table(before, "moving", phasing=SOVIET)
    rig.run(lambda table: table.emit(Put((DIVISION,), board.name(here))))

    down = rig.state.bridges_down
    assert {slot, twin(board, slot)} <= down
    assert not {slot, twin(board, slot)} & state.bridges_down
    rig.run(lambda table: table.emit(Put((DIVISION,), "B20.30")))
    assert rig.state.bridges_down == down


def test_1_4a_the_refusal_names_the_danube() -> None:
    """HR 1.4a A move across the Danube where no bridge stands is refused by the game's clause; the
    refusal names the unit and the hex."""
    board = charts_of("campaign").board
    bridged = {slot // 6 for slot in board.printed_bridges[pontoons.DANUBE]}
    here, there = next(
        (i, n)
        for i in range(board.size)
        for n in board.map.grid.adjacent[i]
        if n >= 0 and i not in bridged and board.river_class(board.slot(i, n)) == "danube"
    )
    state = stand({"ax.inf.44": board.name(here)}, phasing=AXIS, segment="c2")
    found = at_table(state, "moving").refused(AXIS, "move", "ax.inf.44", board.name(there))
    assert (found.rule, found.key) == ("HR 1.4a", "refusal.ocs.prohibited")
    assert dict(found.args) == {"unit": "ax.inf.44", "hex": board.name(there)}


@pytest.mark.parametrize(
    ("turn", "date", "ability", "on_foot", "combat_side", "tracks"),
    [
        (10, "1944-11-05", "none", False, False, False),
        (11, "1944-11-08", "light", True, False, False),
        (18, "1944-12-01", "full", True, True, True),
    ],
)
def test_1_4c_soviet_pontoons_by_date(
    turn: int, date: str, ability: str, on_foot: bool, combat_side: bool, tracks: bool
) -> None:
    """HR 1.4c Example 58: nothing on 5 November; on 8 November Leg units in Move mode; all from 1
    December, supply among it."""
    printed = charts_of("campaign").printed
    assert printed.turn(turn).start == date
    assert pontoons.ability(start("campaign", turn=turn), SOVIET) == ability
    assert over_the_danube(turn, LEG, move_side=True) is on_foot
    assert over_the_danube(turn, LEG, move_side=False) is combat_side
    assert over_the_danube(turn, TRACKED, move_side=True) is tracks
    state = moved_to(
        stand({}, turn=turn), charts_of("campaign").board.hex("A29.04"), LEG, move_side=True
    )
    crossed = {over.counts_as for _slot, over in pontoons.supply_bridging(state, SOVIET, "")}
    assert ("danube_pontoon" in crossed) is (ability == "full")
    assert ("danube_light" in crossed) is False
    own = {over.counts_as for _s, over in pontoons.supply_bridging(state, SOVIET, "su.hq.57a")}
    assert ("danube_light" in own) is (ability == "light")


def test_1_4_the_danube_at_buda() -> None:
    """HR 1.4 Example 68: the Danube lies on the north-east, east and south-east sides of A31.18."""
    board = charts_of("campaign").board
    here = board.hex("A31.18")
    around = board.map.grid.neighbours[here]
    over = {
        board.name(around[slot % 6])
        for slot in range(here * 6, here * 6 + 6)
        if board.river_class(slot) == "danube"
    }
    assert over == {"A30.18", "A31.19", "A32.18"}


@pytest.mark.parametrize(
    ("changes", "bridges"),
    [
        ({}, True),
        ({"marker": DG}, True),
        ({"marker": DG, "move_side": True}, False),
        ({"move_side": True}, False),
        ({"marker": RESERVE}, False),
    ],
)
def test_1_4b_when_a_pontoon_bridges(changes: dict[str, Any], bridges: bool) -> None:
    """HR 1.4b In Combat mode, or in DG with the Combat side up, a pontoon bridges every side of its
    hex on the Danube; in no other mode any."""
    state = put(stand({"ax.pontoon.1": "A31.18"}), "ax.pontoon.1", **changes)
    board = state.charts.board
    here = board.hex("A31.18")
    danube = {s for s in range(here * 6, here * 6 + 6) if board.river_class(s) == "danube"}
    crossed = {slot for slot, _over in GAME.bridging(state, AXIS, False)}

    assert pontoons.laid_pontoons(state, AXIS) == (1 << here if bridges else 0)
    assert danube and (danube <= crossed) is bridges
    assert pontoons.laid_pontoons(state, SOVIET) == 0


@pytest.mark.parametrize(
    ("pontoon", "division", "hq"),
    [("ax.pontoon.1", "ax.inf.44", "ax.hq.lxxii"), ("su.pontoon.1", DIVISION, "su.hq.53a")],
)
def test_1_4b_a_pontoon_beside_the_danube_is_shown(pontoon: str, division: str, hq: str) -> None:
    """HR 1.4b Beside the Danube a pontoon lies on top of its stack on either of its sides, and
    nothing else may be shown; elsewhere who else has a zone may."""
    for hex, shown in (("A31.18", True), ("A31.10", False)):
        state = stand({pontoon: hex, division: hex, hq: hex})
        i = state.charts.board.hex(hex)
        for move_side in (False, True):
            made = put(state, pontoon, move_side=move_side)
            assert (fog.candidates(made, i) == (pontoon,)) is shown
            assert (fog.may_show(made, i) == (pontoon,)) is shown
            assert (division in fog.candidates(made, i)) is not shown
            assert (fog.top(fog.laid(made), i) == pontoon) or not shown
