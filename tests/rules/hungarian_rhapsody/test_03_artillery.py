"""HR 1.1e, 3.4a, 3.5a, 3.5b: Soviet and Romanian artillery."""

from tests.rules.hungarian_rhapsody.bench import put, stand
from tests.rules.hungarian_rhapsody.guns import (
    CHARTS,
    DIVISION,
    GUARDS_GUNS,
    REGIMENT,
    fired,
    nation,
)
from tests.rules.ocs.skies import opened
from warledger.engine.games.ocs.ch10_barrage import barrage, bombardment
from warledger.engine.games.ocs.series.game import rules


def test_3_5a_soviet_artillery_fires_together_from_one_hex() -> None:
    """HR 3.5a Two Soviet artillery units in two hexes cannot fire one barrage, in one hex they
    can."""
    apart = fired(**{DIVISION: "A26.12", REGIMENT: "A25.12"})
    game = rules(apart.charts)

    assert not game.fire_together(apart, (DIVISION, REGIMENT))
    together = fired(**{DIVISION: "A26.12", REGIMENT: "A26.12"})
    target = together.charts.board.hex("A26.11")
    assert bombardment.may_fire(together, "units", (DIVISION, REGIMENT), target)
    assert not bombardment.may_fire(apart, "units", (DIVISION, REGIMENT), target)


def test_3_5b_an_artillery_division_fires_with_the_steps_it_has() -> None:
    """HR 3.5b Example 48: 90 with three steps, 60 with one lost."""
    state = fired(**{DIVISION: "A26.12"})
    counter = state.counter(DIVISION)
    assert counter.combat is not None
    printed = counter.combat.strength

    assert barrage.strength(state, (DIVISION,)) == printed
    lost = put(state, DIVISION, lost=1)
    assert barrage.strength(lost, (DIVISION,)) * counter.steps == printed * (counter.steps - 1)


def test_3_4a_each_nation_spots_for_its_own() -> None:
    """HR 3.4a, R-35 Only Soviet units spot for Soviet artillery and aircraft, only Romanian
    ones for Romanian aircraft; Axis nations for one another."""
    game, planes = rules(CHARTS), CHARTS.printed.planes
    soviet, romanian = nation("soviet"), nation("romanian")
    plane = {p.nation: name for name, p in planes.items()}

    assert game.spots(CHARTS, soviet, DIVISION)
    assert not game.spots(CHARTS, romanian, DIVISION)
    assert game.spots(CHARTS, romanian, plane["romanian"])
    assert not game.spots(CHARTS, soviet, plane["romanian"])
    assert game.spots(CHARTS, nation("hungarian"), plane["german"])


def test_3_4a_guards_are_soviet() -> None:
    """HR 3.4a, 3.5a Guards spot for Soviet artillery and aircraft; Soviet units alone spot for
    Guards artillery, which fires together only from one hex."""
    guards, (gun, other) = nation("guards"), GUARDS_GUNS[:2]
    state = opened(fired(**{DIVISION: "A26.12", guards: "A27.11", gun: "A25.12", other: "A26.12"}))
    game, target = rules(state.charts), state.charts.board.hex("A26.11")
    (plane, *_) = (n for n, p in state.charts.printed.planes.items() if p.nation == "soviet")

    alone = put(put(put(state, DIVISION, at=-1), gun, at=-1), other, at=-1)
    assert barrage.spotted(alone, (DIVISION,), target)
    assert barrage.spotted(alone, (plane,), target, air=True)
    assert game.spots(state.charts, nation("soviet"), gun)
    for ally in ("romanian", "czech", "yugoslav"):
        unit = next(n for n, c in state.charts.units.items() if c.nation == ally)
        assert not game.spots(state.charts, unit, gun)
    assert not game.fire_together(state, (gun, other))
    assert game.fire_together(state, (DIVISION, other))
    assert not game.fire_together(state, (DIVISION, gun))


def test_1_1e_a_black_hedgehog_is_close_terrain() -> None:
    """HR 1.1e Printed hedgehogs with a black border count as Close for barrage, for the Axis."""
    board = CHARTS.board
    i = next(
        i
        for i in range(board.size)
        if board.black_hedgehogs >> i & 1
        and board.map.terrains[board.map.terrain[i]] == "open"
        and i not in board.map.places
    )
    axis = stand({"ax.inf.44": board.name(i)})
    soviet = stand({nation("soviet"): board.name(i)})

    assert dict(barrage.shifts(axis, i, spotter=True)).keys() >= {"close", "hedgehog"}
    assert "close" not in dict(barrage.shifts(soviet, i, spotter=True))
