"""OCS 13.3, 4.7b, 14.8: where trains run, and what they cost."""

from fractions import Fraction

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, start
from warledger.engine.board import hexsets
from warledger.engine.games.ocs import rail, sources
from warledger.engine.games.ocs.state import State
from warledger.engine.kernel.change import replace

DIVISION = "ax.inf.44"


def campaign() -> State:
    """The campaign's set-up in the Axis Movement Phase."""
    return start("campaign", ground="dry", phasing=AXIS, segment="c2")


def test_13_3c_stations_are_sources_too() -> None:
    """OCS 13.3c, 4.5a-C Whatever a train may use is a source of trace; zones bar it even where they
    are negated."""
    state = campaign()
    stations = rail.stations(state, AXIS)

    assert stations
    assert stations & ~sources.sources(state, AXIS) == 0
    assert stations & state.field.zones[SOVIET] == 0
    assert stations & ~state.control[AXIS] == 0


def test_13_3a_what_a_division_costs() -> None:
    """OCS 4.7d, 13.3a, 4.7b Example 36: a division of 3 RE on 5 Leg points takes 1.5 of capacity,
    half of that over two tracks alone, twice as much through a trainbusting zone; what a train has
    carried in this phase no train takes on."""
    state = campaign()
    stations = list(hexsets.listed(rail.stations(state, AXIS)))
    for here in stations:
        lines = rail.lines(state, AXIS, here)
        for there, line in lines.items():
            moved = put(state, DIVISION, at=here, where="", move_side=True, marker="")
            assert rail.price(moved, DIVISION, there) == Fraction(3, 2) * line * 4
            busted = replace(moved, trainbusting={there: SOVIET})
            assert rail.lines(busted, AXIS, here)[there] == 2 * line
            assert line in (Fraction(1), Fraction(1, 2))
            assert rail.entrains(moved, DIVISION)
            assert not rail.entrains(put(moved, DIVISION, move_side=False), DIVISION)
            assert not rail.entrains(put(moved, DIVISION, carried="rail"), DIVISION)
            break
        else:
            continue
        break
    else:
        raise AssertionError("no line between two stations")


def test_13_3a_two_tracks_halve_where_the_whole_path_has_them() -> None:
    """OCS 13.3a Some line of the map runs on two tracks throughout, some does not."""
    state = campaign()
    stations = list(hexsets.listed(rail.stations(state, AXIS)))
    costs = {cost for here in stations[:20] for cost in rail.lines(state, AXIS, here).values()}
    assert Fraction(1) in costs
    assert costs <= {Fraction(1), Fraction(1, 2)}
