"""HR 2.1d: supply comes down the Danube to Budapest."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, charts_of, put, stand
from tests.rules.hungarian_rhapsody.table import at_table
from tests.rules.hungarian_rhapsody.waterways import (
    BUDA,
    CITY,
    KOMAROM,
    PEST,
    dry_step,
    river,
    sailing,
)
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import river_transport
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.series.state import taken_by
from warledger.engine.kernel.change import replace

RIFLES = "su.gd.81"


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_2_1d_two_sp_once_a_turn(fog: str) -> None:
    """HR 2.1d, R-17 Two SP come from a Danube hex to a city hex of Budapest, once in the turn;
    OCS 12.2a what has come goes no further in this phase."""
    rig = sailing(river(), fog)
    board = rig.state.charts.board

    assert rig.options(AXIS, "ship") == (KOMAROM,)
    assert rig.refused(AXIS, "ship", KOMAROM, 9).key == "refusal.ocs.too_many_tokens"
    rig.do(AXIS, "ship", KOMAROM, 7, PEST)
    assert rig.state.supply[AXIS] == {board.hex(KOMAROM): 13, board.hex(PEST): 7}
    assert rail.fresh(rig.state, AXIS, board.hex(PEST)) == 0
    assert rig.refused(AXIS, "ship", KOMAROM).key == "refusal.hr.shipped_once"


def test_2_1d_the_scenario_may_set_its_own_capacity() -> None:
    """HR 2.1d, R-17 Konrad I has two points by its file, the campaign two by the chart."""
    assert river_transport.capacity(river()) == 2
    konrad = stand({}, "konrad1")
    assert konrad.charts.scenario.doc["supply"]["danube_transport"] == 2
    assert river_transport.capacity(konrad) == 2


@pytest.mark.parametrize("hex", ["A29.04", "A27.16", "A31.18"])
def test_2_1d_a_zone_on_the_bank_stops_it(hex: str) -> None:
    """HR 2.1d, R-18, R-42 Example 64: one Soviet unit with a zone next to any bank hex of the
    list stops it, though an Axis unit stands there; a unit without a zone does not."""
    board = charts_of("campaign").board
    bank = board.areas[river_transport.BANK]
    assert hexsets.has(bank, board.hex(hex))
    beside = next(
        n for n in board.map.grid.adjacent[board.hex(hex)] if not hexsets.has(bank | CITY, n)
    )
    state = river({RIFLES: board.name(beside), "ax.inf.44": hex})
    assert river_transport.watched(state)
    assert sailing(state).refused(AXIS, "ship", KOMAROM).key == "refusal.hr.danube_watched"
    for changes in ({"move_side": True}, {"oos": True}, {"marker": "dg"}):
        assert not river_transport.watched(put(state, RIFLES, **changes))


def test_2_1d_a_zone_elsewhere_does_not() -> None:
    """HR 2.1d A Soviet unit below Budapest, on the east bank, stops nothing."""
    state = river({RIFLES: "A40.25"})
    assert river_transport.starts(state, AXIS)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"ground": "deep_freeze"}, "danube_frozen"),
        ({"segment": "g1"}, "no_shipping_now"),
        ({"tokens": 0}, "nothing_to_ship"),
    ],
)
def test_2_1d_when_it_cannot_be_done(changes: dict[str, object], why: str) -> None:
    """HR 2.1d Not over ice, not outside the Axis Movement Phase, not from an empty bank."""
    state = river(**changes)  # type: ignore[arg-type]
    segment = str(changes.get("segment", "c2"))
    rig = at_table(state, "moving", segment=segment, fog="strict")
    said = rig.refused(AXIS, "ship", KOMAROM)
    assert (said.rule, said.key) == ("HR 2.1d", f"refusal.hr.{why}")


def test_2_1d_only_by_the_axis_and_only_to_budapest() -> None:
    """HR 2.1d The Soviets have none of it; without a hex of Budapest there is nowhere to unload."""
    state = river()
    assert not river_transport.starts(replace(state, phasing=SOVIET), SOVIET)
    lost = taken_by(river(turn=42), SOVIET, CITY)
    assert sailing(lost, "strict").refused(AXIS, "ship", KOMAROM).key == "refusal.hr.no_wharf"
    rig = sailing(state)
    assert rig.refused(AXIS, "ship", KOMAROM, 4, "A29.10").key == "refusal.hr.no_wharf_there"
    assert rig.refused(AXIS, "ship", "B20.20").key == "refusal.hr.not_riverside"
    assert rig.refused(AXIS, "ship", KOMAROM, 9).key == "refusal.ocs.too_many_tokens"


def test_2_1d_units_do_not_go_and_who_moved_is_done() -> None:
    """HR 2.1d SP alone; OCS 6.1g whoever was on the move has finished it."""
    state = put(river({"ax.inf.44": "A28.05"}), "ax.inf.44", move_side=True)
    rig = sailing(state)
    rig.do(AXIS, "move", "ax.inf.44", rig.state.charts.board.name(dry_step(rig.state, "A28.05")))
    rig.do(AXIS, "ship", KOMAROM, 4, BUDA)
    assert rig.state.move is None
    assert rig.state.units["ax.inf.44"].finished
