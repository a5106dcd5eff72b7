"""OCS 16, 13.8d; HR 1.1e, 1.1f: hedgehogs are built, lowered and captured."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.ocs.play import Chapters, pack
from warledger.engine.games.ocs.ch06_movement import movement, movement_step
from warledger.engine.games.ocs.ch06_movement.movement_step import Moving
from warledger.engine.games.ocs.ch09_combat import captures, losses
from warledger.engine.games.ocs.ch12_supply import bills, payment
from warledger.engine.games.ocs.ch13_special_units import construction
from warledger.engine.games.ocs.ch16_hedgehogs import earthworks, hedgehogs
from warledger.engine.games.ocs.display.story_turn import tells
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.events import HedgehogSet
from warledger.engine.games.ocs.series.state import (
    DG,
    RESERVE,
    Hedgehog,
    State,
    taken_by,
    with_supply,
)
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

DIVISION, TIGERS, HQ, RIFLES = "ax.inf.44", "ax.tgr.503", "ax.hq.iv", "su.gd.81"
HERE = "A26.10"


def ready(where: dict[str, str], tokens: int = 40, side: str = AXIS, **works: int) -> State:
    """These units in hexes of their side, with supply and hedgehogs (`A26_10=1`)."""
    state = stand(where)
    board = state.charts.board
    own = board.set_of(" ".join((HERE, "A26.09", "A26.11", "A26.12")))
    enemy = SOVIET if side == AXIS else AXIS
    state = taken_by(taken_by(state, enemy, state.charts.scenario.play), side, own)
    state = replace(
        state,
        hedgehogs={
            board.hex(name.replace("_", ".")): Hedgehog(side, level)
            for name, level in works.items()
        },
    )
    return with_supply(state, side, board.hex(HERE), tokens) if tokens else state


def moving(state: State, side: str = AXIS, fog: str = "strict") -> Rig[State]:
    """The game while a side moves, with the commands of this chapter."""
    state = replace(
        state,
        phasing=side,
        segment="c2",
        turn=42,
        charts=with_options(state.charts, {"fog": fog}),
    )
    rules = Chapters(
        state, construction, earthworks, movement, movement_step, bills, payment, captures, losses
    )
    rules.steps["moving"] = Moving(more=earthworks.commands())
    rig: Rig[State] = Rig(rules, pack())
    rig.state = state
    rig.jump("idle", "moving")
    return rig


def level(rig: Rig[State], name: str = HERE) -> int:
    """The level of the hedgehog marker in a hex."""
    works = rig.state.hedgehogs.get(rig.state.charts.board.hex(name))
    return works.level if works is not None else 0


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_16_0b_troops_build_on_the_spot(fog: str) -> None:
    """OCS 16.0b 1 RE in Combat mode builds a level for 2 SP, works at once, and does not move."""
    rig = moving(ready({DIVISION: HERE}), fog=fog)
    rig.do(AXIS, "dig", HERE)
    rig.do(AXIS, "auto")

    assert level(rig) == 1
    assert sum(rig.state.supply[AXIS].values()) == 40 - 8
    assert hedgehogs.level(rig.state, AXIS, rig.state.charts.board.hex(HERE)) == 1
    assert rig.state.units[DIVISION].worked
    assert rig.refused(AXIS, "move", DIVISION, "A26.09")


def test_16_0b_one_level_a_turn() -> None:
    """OCS 16.0b A hedgehog rises by one level a turn; HR 1.1f none above the second is built."""
    rig = moving(ready({DIVISION: HERE, HQ: "A26.09"}))
    rig.do(AXIS, "dig", HERE)
    rig.do(AXIS, "auto")
    assert rig.refused(AXIS, "dig", HERE).rule in ("OCS 16.0b", "OCS 13.8d")

    next_turn = moving(ready({DIVISION: HERE}, A26_10=1))
    next_turn.do(AXIS, "dig", HERE)
    next_turn.do(AXIS, "auto")
    assert level(next_turn) == 2
    full = ready({DIVISION: HERE, HQ: "A26.09"}, A26_10=2)
    assert not earthworks.may_rise(full, AXIS, full.charts.board.hex(HERE))


@pytest.mark.parametrize(
    ("changes", "able"),
    [
        ({}, True),
        ({"move_side": True}, False),
        ({"marker": RESERVE}, False),
        ({"marker": DG}, False),
    ],
)
def test_16_0b_troops_work_in_combat_mode(changes: dict[str, object], able: bool) -> None:
    """OCS 16.0b Troops work in Combat mode alone."""
    state = put(ready({DIVISION: HERE}), DIVISION, **changes)
    state = replace(state, phasing=AXIS, segment="c2")
    assert bool(earthworks.diggable(state, AXIS)) is able


def test_3_6_no_more_hedgehogs_than_markers() -> None:
    """OCS 3.6 The counter mix has 30 markers of the first level, for both sides together: with one
    left a hedgehog is built, with none it is not."""
    state = ready({DIVISION: HERE})
    board = state.charts.board
    enemys = [i for i in range(board.size) if board.name(i) not in (HERE, "A26.09")][:29]
    works = {i: Hedgehog(SOVIET, 1) for i in enemys}
    last = replace(state, hedgehogs=works)
    none = replace(state, hedgehogs={**works, board.hex("A26.09"): Hedgehog(AXIS, 1)})

    assert earthworks.may_rise(last, AXIS, board.hex(HERE))
    assert not earthworks.may_rise(none, AXIS, board.hex(HERE))


def test_16_0b_less_than_an_re_does_not_build() -> None:
    """OCS 16.0b A battalion of half an RE does not build."""
    state = replace(ready({TIGERS: HERE}), phasing=AXIS, segment="c2")
    assert earthworks.diggable(state, AXIS) == ()
    rig = moving(state)
    assert rig.refused(AXIS, "dig", HERE).rule == "OCS 16.0b"


def test_13_8d_an_hq_builds_up_to_two_hexes_away() -> None:
    """OCS 13.8d, 16.0b An engineer-capable HQ builds within two hexes, DG on its Combat side too,
    not in Move mode; once a phase."""
    state = replace(ready({HQ: HERE}), phasing=AXIS, segment="c2")
    names = {state.charts.board.name(i) for i in earthworks.diggable(state, AXIS)}
    assert names == {HERE, "A26.09", "A26.11", "A26.12"}, "in hexes that the side controls"
    assert earthworks.diggable(put(state, HQ, marker=DG), AXIS)
    assert earthworks.diggable(put(state, HQ, move_side=True), AXIS) == ()
    rig = moving(state)
    rig.do(AXIS, "dig", "A26.12")
    rig.do(AXIS, "auto")
    assert level(rig, "A26.12") == 1
    assert rig.refused(AXIS, "dig", "A26.11").rule == "OCS 16.0b"


def test_16_0b_it_is_paid_or_not_built() -> None:
    """OCS 12.3, 16.0b Without 8T in reach nothing is offered; who declines to pay builds
    nothing and may move."""
    poor = replace(ready({DIVISION: HERE}, tokens=7), phasing=AXIS, segment="c2")
    assert earthworks.diggable(poor, AXIS) == ()
    rig = moving(ready({DIVISION: HERE}))
    rig.do(AXIS, "dig", HERE)
    rig.do(AXIS, "unpaid")
    assert level(rig) == 0
    assert not rig.state.units[DIVISION].worked


def test_3_1f_soviets_pay_four_times_west_of_the_line() -> None:
    """HR 3.1f, R-29 A level costs the Soviets 32T west of the yellow line."""
    far = stand({RIFLES: "A26.06"}, phasing=SOVIET, segment="c2")
    board = far.charts.board
    far = taken_by(far, SOVIET, 1 << board.hex("A26.06"))
    assert earthworks.diggable(with_supply(far, SOVIET, board.hex("A26.06"), 31), SOVIET) == ()
    assert earthworks.diggable(with_supply(far, SOVIET, board.hex("A26.06"), 32), SOVIET)


def test_16_0c_it_is_lowered_for_nothing() -> None:
    """OCS 16.0c Lowering costs nothing, a level a turn, and the marker goes with the last."""
    rig = moving(ready({DIVISION: HERE}, tokens=0, A26_10=1))
    rig.do(AXIS, "fill", HERE)
    assert level(rig) == 0
    assert rig.state.units[DIVISION].worked
    assert rig.refused(AXIS, "fill", HERE).rule == "OCS 16.0c"


def test_1_1e_printed_hedgehogs_are_not_raised() -> None:
    """HR 1.1e The Axis does not build where a hedgehog is printed; the Soviets build their own."""
    state = stand({})
    board, charts = state.charts.board, state.charts
    printed = next(i for i in range(board.size) if board.printed_hedgehogs >> i & 1)
    assert charts.game.most_hedgehog(charts, AXIS, printed) == 0
    assert charts.game.most_hedgehog(charts, SOVIET, printed) == 2


@pytest.mark.parametrize(("before", "left"), [(2, 1), (1, 0)])
def test_1_1f_it_drops_as_it_is_entered(before: int, left: int) -> None:
    """HR 1.1f Example 60: an attack-capable enemy unit that enters takes a level from a hedgehog;
    what is left is his. A printed one stays as it is."""
    state = ready({RIFLES: "A26.11", DIVISION: "A26.08"}, tokens=0, A26_10=before)
    rig = moving(state, SOVIET)
    rig.run(lambda table: captures.enter(table, (RIFLES,), state.charts.board.hex(HERE)))
    works = rig.state.hedgehogs.get(state.charts.board.hex(HERE))
    assert (works.level if works else 0) == left
    assert works is None or works.side == SOVIET
    (set_,) = [one for one in rig.events if isinstance(one, HedgehogSet)]
    (told,) = tells[HedgehogSet](state, set_, rig.state)
    assert "HR 1.1f" in str(told)
    board = state.charts.board
    printed = next(i for i in range(board.size) if board.printed_hedgehogs >> i & 1)
    rig.run(lambda table: captures.enter(table, (RIFLES,), printed))
    assert hedgehogs.level(rig.state, AXIS, printed) == 1
    assert hedgehogs.level(rig.state, SOVIET, printed) == 0
