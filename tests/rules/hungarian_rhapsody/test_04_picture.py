"""OCS 4.8b, 4.9: what each audience is shown and told, in whole games and hex by hex."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand, start
from tests.rules.hungarian_rhapsody.watching import boards, playing, told_of
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.display import views
from warledger.engine.games.ocs.series.events import CleanedUp, ModeChanged, Moved, SegmentBegun
from warledger.engine.kernel.change import replace
from warledger.engine.testing.laws import told
from warledger.protocol.audience import PUBLIC
from warledger.protocol.chance.seal import Secret


@pytest.mark.parametrize("mode", [fog.STRICT, fog.OPEN])
@pytest.mark.parametrize("seed", [5])
def test_4_9_effects_fold_to_the_picture(seed: int, mode: str) -> None:
    """OCS 4.9 Whoever folds the effects of a game has before them what the rules show of the
    position to them: a spectator and both sides."""
    played = playing(seed, mode)
    for audience in (PUBLIC, AXIS, SOVIET):
        looked = 0
        for seq, folded, drawn in boards(played, audience):
            looked += 1
            for part in ("pieces", "marks", "tracks", "counts"):
                assert told(getattr(folded, part)) == told(getattr(drawn, part)), (
                    f"seed {seed}, record {seq}, {audience}"
                )
        assert looked > 20


def test_4_9_the_enemy_sees_the_shown_unit_alone() -> None:
    """OCS 4.9a, R-15 Of a stack the enemy sees the shown unit, its mode and OOS: no other
    unit, no lost steps, no stocks, no supply."""
    state = start()
    here = state.charts.board.hex("A26.12")
    state = fog.laid(state)
    top = state.tops[here]
    state = put(state, top, lost=1, stocks=1)

    pieces, marks = views.shown(state, AXIS, here)
    assert list(pieces) == [top]
    assert marks == {}

    pieces, marks = views.shown(state, SOVIET, here)
    assert len(pieces) == 4
    assert marks[top] == {"lost": 1, "low": 1}

    state = fog.laid(put(stand({"su.gd.4": "A31.16"}), "su.gd.4", oos=True, marker="dg"))
    here = state.charts.board.hex("A31.16")
    assert views.shown(state, AXIS, here)[1] == {"su.gd.4": {"oos": 1, "dg": 1}}


def test_4_9_open_fog_hides_nothing() -> None:
    """OCS 4.9 (option) Under open fog a spectator sees what the owners see."""
    state = fog.laid(start())
    charts = replace(state.charts, options={fog.OPTION: fog.OPEN})
    state = replace(state, charts=charts, field=replace(state.field, charts=charts))

    assert views.whole(state, "") == views.whole(state, AXIS) == views.whole(state, SOVIET)
    assert ("A26.09", "supply.axis") in views.whole(state, "").marks


def test_4_9_a_dump_without_units_is_seen_but_not_its_size() -> None:
    """OCS 4.9, R-14 Where no combat unit stands the enemy sees that there is a dump, never how
    much."""
    state = stand({}, supply={AXIS: {}, SOVIET: {}})
    i = state.charts.board.hex("A26.10")
    state = replace(state, supply={AXIS: {i: 7}, SOVIET: {}})

    assert views.shown(state, SOVIET, i)[1] == {"A26.10": {"dump": 1}}
    assert views.shown(state, AXIS, i)[1] == {"A26.10": {"dump": 1, "supply.axis": 7}}


def test_4_9_who_goes_along_is_not_seen() -> None:
    """OCS 4.9, R-16 Of a stack that moves everybody sees the path and the shown unit; the
    same is told of the move whether others went along or stayed."""
    where = {"ax.1ss.pz1": "A26.10", "ax.1ss.pz2": "A26.10"}
    state = fog.laid(stand(where))
    top = state.tops[state.charts.board.hex("A26.10")]
    other = next(name for name in where if name != top)
    way = ("A26.11", "A26.12")

    alone, _ = told_of(state, Moved(Secret((top,), (AXIS,)), way, Secret((4,), (AXIS,))))
    both, veils = told_of(state, Moved(Secret((top, other), (AXIS,)), way, Secret((4, 4), (AXIS,))))

    assert alone == both
    assert ("move", top, way) in both
    assert ("move", other, way) in veils[AXIS,]


@pytest.mark.parametrize(
    "event",
    [CleanedUp(AXIS), SegmentBegun("a", True), ModeChanged(AXIS, Secret((), (AXIS,)))],
    ids=lambda event: type(event).__name__,
)
def test_4_9_a_veil_stands_whether_it_hides_anything_or_not(event: Any) -> None:
    """OCS 4.9 An event that could change what is hidden has its owner's veil even where nothing is:
    that there is one tells nothing."""
    assert (AXIS,) in told_of(fog.laid(stand({"ax.inf.44": "A26.10"})), event)[1]
