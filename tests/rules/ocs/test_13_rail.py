"""OCS 13.3, 4.7b, 14.8: where trains run, and what they cost."""

from fractions import Fraction

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, start
from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch12_supply import sources
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.series import evolve
from warledger.engine.games.ocs.series.events import ModeChanged
from warledger.engine.games.ocs.series.state import State, taken_by
from warledger.engine.kernel.change import replace

DIVISION, HQ = "ax.inf.44", "ax.hq.iv"


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
            assert rail.price(moved, DIVISION, there) == Fraction(3, 2) * line * rail.PARTS
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


def test_13_3a_nothing_is_rounded() -> None:
    """OCS 13.3a, 4.7b 1T over two tracks costs an eighth of a point, so that eight T go for one."""
    state = campaign()
    here, there = next(
        (here, there)
        for here in hexsets.listed(rail.stations(state, AXIS))
        for there, line in rail.lines(state, AXIS, here).items()
        if line == Fraction(1, 2)
    )
    price = [rail.supply_price(state, AXIS, here, there, tokens) for tokens in (1, 8)]
    assert [Fraction(one, rail.PARTS) for one in price] == [Fraction(1, 8), 1]


def test_13_3h_no_train_runs_through_what_the_enemy_controls() -> None:
    """OCS 13.3e, 13.3h A train does not pass a hex that the enemy controls, though nobody is
    there."""
    state = campaign()
    neighbours = state.charts.board.map.grid.adjacent
    for here in hexsets.listed(rail.stations(state, AXIS)):
        beside = sum(1 << i for i in neighbours[here]) & rail.open_to(state, AXIS)
        for there in rail.lines(state, AXIS, here):
            for between in hexsets.listed(beside & ~(1 << there)):
                cut = taken_by(state, SOVIET, 1 << between)
                if there not in rail.lines(cut, AXIS, here):
                    return
    raise AssertionError("there is a way round every hex")


def test_13_8c_an_hq_entrains_itself() -> None:
    """OCS 13.8c, 13.3e An HQ that made its railway hex a station takes a train from there once it
    has flipped to do so; one that came there in Move mode does not, nor does another unit."""
    state = campaign()
    board = state.charts.board
    places = 0
    for hexes in board.by_place.values():
        places |= hexes
    known = rail.stations(state, AXIS)
    here = next(
        i
        for i in hexsets.listed(rail.open_to(state, AXIS) & ~places & ~known)
        if not state.stack(i)
        and rail.lines(put(state, HQ, at=i, where="", move_side=False, marker=""), AXIS, i)
    )
    state = put(state, HQ, at=here, where="", move_side=False, marker="")
    state = put(state, DIVISION, at=here, where="", move_side=True, marker="")
    flipped = evolve.evolve(state, ModeChanged(AXIS, ((HQ, "", True),)))
    assert not rail.entrains(put(state, HQ, move_side=True), HQ)
    assert rail.entrains(flipped, HQ) and HQ in rail.riders(flipped)
    assert rail.ends(flipped, (HQ,)) and not rail.entrains(flipped, DIVISION)
    assert rail.price(flipped, HQ, rail.ends(flipped, (HQ,))[0])


def test_13_3a_two_tracks_halve_where_the_whole_path_has_them() -> None:
    """OCS 13.3a Some line of the map runs on two tracks throughout, some does not."""
    state = campaign()
    stations = list(hexsets.listed(rail.stations(state, AXIS)))
    costs = {cost for here in stations[:20] for cost in rail.lines(state, AXIS, here).values()}
    assert Fraction(1) in costs
    assert costs <= {Fraction(1), Fraction(1, 2)}
