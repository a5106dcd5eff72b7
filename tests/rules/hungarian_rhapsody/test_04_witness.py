"""OCS 4.4-4.8, 6.2, 12.3, 12.6, HR 1.4: what the engine makes of the pack against a reading by
other code: zones, stacking, costs of every step, sources and trace of all seven set-ups."""

from fractions import Fraction

import pytest

from tests.rules.hungarian_rhapsody.bench import (
    AXIS,
    SCENARIOS,
    SOVIET,
    charts_of,
    names,
    start,
)
from tests.rules.hungarian_rhapsody.second_reading import at_witness, pack, scene
from tests.rules.hungarian_rhapsody.witness import INF, Pack
from warledger.engine.games.hungarian_rhapsody import pontoons
from warledger.engine.games.ocs.ch03_counters.counters import MOBILITIES
from warledger.engine.games.ocs.ch04_concepts import stacking
from warledger.engine.games.ocs.ch12_supply import sources
from warledger.engine.games.ocs.series.charts import bridged, steps

pytestmark = pytest.mark.usefixtures("no_engineers")


@pytest.mark.parametrize("mobility", MOBILITIES)
def test_6_2_every_step_costs_what_the_witness_says(mobility: str) -> None:
    """OCS 6.1d, 6.2, 6.2a, 6.2b, 6.2c, 6.2d, HR 1.1a All 25,000 steps of the map in clear weather;
    a step for the whole allowance is none to the witness."""
    charts = charts_of("campaign")
    board, grid = charts.board, charts.board.map.grid
    compiled = steps(charts.printed, "dry", mobility)
    for a, name in enumerate(grid.ids):
        plain, special = dict(compiled.plain[a]), {v for v, _, _ in compiled.special[a]}
        for b in grid.adjacent[a]:
            said = pack().step(name, board.name(b), mobility, moving=True)
            if b in plain:
                assert Fraction(plain[b], charts.parts) == said, (name, board.name(b))
            else:
                assert said >= INF, (name, board.name(b), b in special)


@pytest.mark.parametrize("name", SCENARIOS)
def test_1_4_every_bridged_step_costs_what_the_witness_says(name: str) -> None:
    """HR 1.4a, 1.4b Steps over rivers with the set-up's pontoons and printed bridges, HQs left
    out."""
    charts, state, other = charts_of(name), at_witness(name), scene(name)
    board = charts.board
    for side in (AXIS, SOVIET):
        bridges = other.axis_bridges if side == AXIS else ()
        bridging = pontoons.bridging(state, side, False)
        for mobility in MOBILITIES:
            compiled = bridged(charts.printed, "dry", mobility, bridging)
            for slot, _over in sorted(bridging, key=lambda pair: pair[0]):
                a, b = slot // 6, board.map.grid.neighbours[slot // 6][slot % 6]
                said = pack().step(
                    board.name(a),
                    board.name(b),
                    mobility,
                    other.pontoon[side],
                    bridges,
                    moving=True,
                )
                made = dict(compiled.plain[a]).get(b)
                ours = INF if made is None else Fraction(made, charts.parts)
                assert min(ours, INF) == min(said, INF), (side, mobility, board.name(a))


@pytest.mark.parametrize("name", SCENARIOS)
def test_4_5_zones_are_those_of_the_witness(name: str) -> None:
    """OCS 4.4, 4.5 Hexes in each side's zones, and hexes with its combat units."""
    state, other = start(name), scene(name)
    for side in (AXIS, SOVIET):
        assert names(state, state.field.zones[side]) == other.zoc[side]
        assert names(state, state.field.combat[side]) == other.own[side]


@pytest.mark.parametrize("name", SCENARIOS)
def test_4_6_re_and_stacking_are_those_of_the_witness(name: str) -> None:
    """OCS 4.6, 4.8 RE of every stack; no set-up overstacks."""
    state, other = start(name), scene(name)
    for hex_id in other.stack:
        i = state.charts.board.hex(hex_id)
        assert stacking.re_in(state, i) == other.re(hex_id)
    assert [stacking.overstacked(state, side) for side in (AXIS, SOVIET)] == [(), ()]


@pytest.mark.parametrize("name", SCENARIOS)
def test_12_6_sources_are_those_of_the_witness(name: str) -> None:
    """OCS 12.6a-b, 13.3c; HR 2.1a, 3.1a, 3.1e Where each side's trace may end."""
    state, other = at_witness(name), scene(name)
    for side in (AXIS, SOVIET):
        assert names(state, sources.sources(state, side)) == set(other.sources(side))


@pytest.mark.parametrize("name", SCENARIOS)
def test_12_6_who_traces_is_what_the_witness_says(name: str) -> None:
    """OCS 12.3, 12.6 Which units trace, and which HQs do, in every set-up."""
    state, other = at_witness(name), scene(name)
    for side in (AXIS, SOVIET):
        ours, said = sources.trace(state, side), other.trace(side)
        exempt = {unit for unit, how in ours.items() if how == sources.ALWAYS} | {
            unit for unit in ours if state.counter(unit).traits.get("partisan_supply")
        }
        assert set(ours) == set(said)
        differ = {
            unit: (how, said[unit])
            for unit, how in ours.items()
            if (how is None) != (said[unit] is None) and unit not in exempt
        }
        assert differ == {}


def test_6_2_the_witness_can_fail() -> None:
    """OCS 6.2 A river taken away from the witness is found."""
    board = charts_of("campaign").board
    side = next(iter(pack().river))
    a, b = sorted(side)
    cut = Pack()
    del cut.river[side]
    assert board.river_class(board.slot(board.hex(a), board.hex(b)))
    assert any(
        cut.step(x, y, m) != pack().step(x, y, m) for m in MOBILITIES for x, y in ((a, b), (b, a))
    ) or pack().river[side][0] in ("very_minor", "danube")
