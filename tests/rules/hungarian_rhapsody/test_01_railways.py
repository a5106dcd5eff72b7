"""HR 1.1d: trains leave the map and come in again."""

from fractions import Fraction

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put
from tests.rules.hungarian_rhapsody.edges import BOARD, WEST, at, campaign
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import railways
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.ch12_supply import sources
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.series.state import taken_by


def test_1_1d_rail_entries_go_round_the_map() -> None:
    """HR 1.1d All rail entries are hexes at the edge, in order round the map."""
    names = [BOARD.name(i) for i in railways.entries(BOARD)]
    assert names[:2] == ["A1.11", "A1.35"]
    assert names[-4:] == list(WEST)
    assert "B49.34" not in names, "Sibiu lies off the edge"
    assert all(BOARD.map.grid.edge(i) for i in railways.entries(BOARD))


def test_1_1d_a_train_goes_out_and_comes_in_by_the_next_entry() -> None:
    """HR 1.1d Between two entries that a side controls its trains go, in both directions; where the
    enemy holds one of them they do not, nor past it."""
    state = taken_by(campaign(), AXIS, at(*WEST))
    one, two, three = (BOARD.hex(name) for name in WEST[:3])
    joined = railways.off_map(state, AXIS)
    assert two in joined[one] and one in joined[two]
    assert three in joined[two] and three not in joined[one]

    lost = railways.off_map(taken_by(state, SOVIET, at(WEST[1])), AXIS)
    assert two not in lost.get(one, ()) and two not in lost
    assert three not in lost.get(one, ())
    assert railways.off_map(taken_by(state, SOVIET, at(WEST[1])), SOVIET).get(two, ()) == ()


def test_1_1d_a_railway_at_the_edge_is_a_station() -> None:
    """HR 1.1d Every rail entry that the Axis controls is detrainable; none is for the Soviets."""
    state = taken_by(campaign(), AXIS, at(*WEST))
    assert rail.stations(state, AXIS) & at(*WEST) == at(*WEST)
    assert GAME.more_stations(state, SOVIET) == 0
    lost = taken_by(state, SOVIET, at(WEST[0]))
    assert not rail.stations(lost, AXIS) & at(WEST[0])


def test_1_1d_where_the_railway_is_cut_on_the_map_the_train_goes_round() -> None:
    """HR 1.1d, OCS 13.3a An enemy across the railway on the map stops no train that can go round by
    the edge; what runs off the map does not count as having two tracks."""
    state = taken_by(campaign(), AXIS, at(*WEST))
    here, there = BOARD.hex("A29.01"), BOARD.hex("A25.01")
    line = rail.lines(state, AXIS, here)[there]
    assert line <= 1
    on_map = sources.rails(BOARD, frozenset())
    around = {n for i in (here, BOARD.hex("A30.01")) for n in on_map[i]}
    across = sorted(n for n in around if not hexsets.has(at(*WEST), n))
    cut = state
    for n, unit in zip(across, ("su.gd.81", "su.gd.72", "su.gd.93", "su.gd.4"), strict=False):
        cut = put(cut, unit, at=n, where="", marker="dg")
    assert len(across) <= 4
    assert rail.lines(cut, AXIS, here)[there] == Fraction(1)
    alone = taken_by(cut, SOVIET, at("A30.01", "A20.01", "A25.01"))
    assert there not in rail.lines(alone, AXIS, here)


def test_1_1d_trace_does_not_go_round() -> None:
    """HR 1.1d, R-01 Only trains leave the map; trace follows railways on it."""
    state = taken_by(campaign(), AXIS, at(*WEST))
    here, there = BOARD.hex("A29.01"), BOARD.hex("A25.01")
    assert there in railways.off_map(state, AXIS)[here]
    through = 1 << here | 1 << there
    assert sources.along_rails(BOARD, frozenset(), 1 << here, through) == 1 << here
