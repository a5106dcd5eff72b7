"""OCS 21: options of the series that have no chapter of their own."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand, start
from tests.rules.hungarian_rhapsody.table import at_table
from tests.rules.ocs.skies import BF109, BF109B, FAR, FOCKE, HOME, JUNKERS, opened, rigged, sky
from tests.rules.ocs.test_14_transport import airlift
from tests.rules.ocs.test_16_hedgehogs import moving as digging
from tests.rules.ocs.test_16_hedgehogs import ready
from warledger.engine.games.ocs.ch04_concepts import overstacked, stacking
from warledger.engine.games.ocs.ch06_movement import movement
from warledger.engine.games.ocs.ch09_combat import terrain
from warledger.engine.games.ocs.ch10_barrage import barrage
from warledger.engine.games.ocs.ch12_supply import sources, supply_search
from warledger.engine.games.ocs.ch13_special_units import arrivals
from warledger.engine.games.ocs.ch14_air import air_drops, aircraft
from warledger.engine.games.ocs.ch16_hedgehogs import earthworks
from warledger.engine.games.ocs.series.events import TurnBegun
from warledger.engine.games.ocs.series.evolve import after
from warledger.engine.games.ocs.series.state import DG, RESERVE, STRAT, State
from warledger.engine.kernel.change import replace

NEW = "A26.16"

ACE = "ax.air.bf109x.1"


@pytest.mark.parametrize("mode", ["strict", "open"])
def test_21_5_one_aircraft_a_level_and_turn_stays_active(mode: str) -> None:
    """OCS 21.5 A base of level 1 takes in one active aircraft a turn, whoever comes next lands
    inactive; on the next turn it takes in another. A box takes any number."""
    state = sky(
        {BF109: HOME, BF109B: HOME, ACE: FAR, FOCKE: FAR},
        {HOME: (AXIS, 2), NEW: (AXIS, 1), FAR: (AXIS, 1)},
        fog=mode,
    )
    free = rigged(state)
    free.do(AXIS, "transfer", NEW, BF109, BF109B)
    assert free.state.aircraft[BF109B].active

    state = opened(state, rebasing=True)
    rig = rigged(state)
    rig.do(AXIS, "transfer", NEW, BF109)
    rig.do(AXIS, "transfer", NEW, BF109B, ACE)
    assert rig.state.aircraft[BF109].active
    assert not rig.state.aircraft[BF109B].active and not rig.state.aircraft[ACE].active
    base = state.charts.board.hex(NEW)
    assert aircraft.welcome(rig.state, base) == 0
    assert aircraft.welcome(rig.state, state.charts.board.hex(HOME)) == 2
    assert aircraft.welcome(rig.state, "box.air.lw4") > 4
    later = after[TurnBegun](rig.state, TurnBegun(rig.state.turn + 1))
    assert aircraft.welcome(later, base) == 1


def test_21_5_reinforcements_are_counted_too() -> None:
    """OCS 21.5 A base that has taken in its aircraft for the turn is closed to reinforcements, and
    one that comes takes its place."""
    state = opened(start("campaign", phasing=AXIS, turn=4), rebasing=True)
    base = next(
        at
        for at, one in sorted(state.bases.items())
        if one.side == AXIS and arrivals.has_room(state, at, 1)
    )
    level = state.bases[base].level
    assert not arrivals.has_room(state, base, level + 1)
    name = state.charts.board.name(base)
    full = aircraft.after[aircraft.Rebased](state, aircraft.Rebased(AXIS, name, level))
    assert not arrivals.has_room(full, base, 1)
    assert arrivals.has_room(opened(full, rebasing=False), base, 1)


# --- OCS 21.9 -------------------------------------------------------------------------------------

GUN, RIFLES, WATCH = "su.gun.27", "su.gd.81", "ax.inf.44"
DIVISIONS = ("ax.inf.357", "ax.inf.46")


@pytest.mark.parametrize(
    ("mode", "released", "fires"),
    [
        ({}, False, True),
        ({"move_side": True}, False, True),
        ({"marker": RESERVE}, False, False),
        ({"marker": DG}, False, False),
        ({"marker": DG}, True, True),
    ],
)
def test_21_9_artillery_reacts(mode: dict[str, Any], released: bool, fires: bool) -> None:
    """OCS 21.9 In the own Reaction Phase artillery in Combat or Move mode fires without having been
    in Reserve; in DG or Reserve it does not, in the Exploitation Phase it must be released."""
    state = stand({GUN: "A26.12", RIFLES: "A26.11", WATCH: "A26.10"}, phasing=AXIS, segment="e2")
    state = put(state, GUN, released=released, **mode)
    assert barrage.gunners(state, SOVIET) == ((GUN,) if released else ())
    reacting = opened(state, **{barrage.REACTIVE: True})
    assert barrage.gunners(reacting, SOVIET) == ((GUN,) if fires else ())
    assert barrage.gunners(reacting, AXIS) == ()
    exploiting = replace(reacting, phasing=SOVIET, segment="g2")
    assert barrage.gunners(exploiting, SOVIET) == ((GUN,) if released else ())


# --- OCS 21.11a -----------------------------------------------------------------------------------


def test_21_11a_troops_build_the_first_level_alone() -> None:
    """OCS 21.11a By the option troops build a hedgehog where none stands; to raise one takes an HQ
    within two hexes."""
    base = ready({WATCH: "A26.10"})
    works = ready({WATCH: "A26.10"}, A26_10=1)
    free = works.charts.board.hex("A26.10")

    def hexes(state: State) -> tuple[int, ...]:
        return earthworks.diggable(replace(state, phasing=AXIS, segment="c2", turn=42), AXIS)

    by_engineers = {earthworks.BY_ENGINEERS: True}
    assert free in hexes(base) and free in hexes(works)
    assert free in hexes(opened(base, **by_engineers))
    assert free not in hexes(opened(works, **by_engineers))
    with_hq = ready({WATCH: "A26.10", "ax.hq.iv": "A26.09"}, A26_10=1)
    assert free in hexes(opened(with_hq, **by_engineers))
    assert earthworks.diggers(opened(with_hq, **by_engineers), AXIS, free) == ("ax.hq.iv",)


def test_21_11a_why_troops_do_not_raise_one() -> None:
    """OCS 21.11a The refusal names the option's clause; lowering takes no engineer."""
    state = ready({WATCH: "A26.10", DIVISIONS[0]: "A26.09"}, A26_10=1)
    rig = digging(state)
    rig.state = opened(rig.state, **{earthworks.BY_ENGINEERS: True})
    assert rig.refused(AXIS, "dig", "A26.10").rule == "OCS 21.11a"
    assert rig.options(AXIS, "fill") == ("A26.10",)


# --- OCS 21.12 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("units", "eliminated"),
    [
        (DIVISIONS[:1], ()),
        (DIVISIONS, DIVISIONS),
        (("ax.1pz.pz1", "ax.1pz.pz2", "ax.1pz.pga", "ax.1pz.pgb", "ax.1pz.rec", "ax.1pz.pj"), ()),
        (("ax.tgr.503", "ax.brk.ge1", "ax.brk.ge2"), ()),
    ],
)
def test_21_12c_three_re_in_strat_mode(units: tuple[str, ...], eliminated: tuple[str, ...]) -> None:
    """OCS 21.12c By the option 3 RE in Strat mode stay in a hex, or one multi-step unit or one
    formation; the owner eliminates from them, and from nobody else."""
    state = stand(dict.fromkeys((*units, "ax.hq.iv"), "A26.10"), phasing=AXIS, segment="c2")
    for name in units:
        state = put(state, name, marker=STRAT, move_side=True)
    at = state.charts.board.hex("A26.10")
    assert stacking.to_eliminate(state, at) == ()
    limited = opened(state, **{stacking.STRAT_LIMIT: True})
    assert stacking.to_eliminate(limited, at) == tuple(sorted(eliminated))
    assert stacking.overstacked(limited, AXIS) == ((at,) if eliminated else ())
    if eliminated:
        rig = at_table(state, "overstacked", on=(stacking.STRAT_LIMIT,))
        assert rig.options(AXIS, "eliminate") == tuple(sorted(eliminated))


ARRIVED = (*DIVISIONS, "ax.inf.44", "ax.inf.76")


@pytest.mark.parametrize("on", [(), (overstacked.BREAKOUT_STACKING,)])
@pytest.mark.parametrize("segment", ["c1", "c2"])
def test_4_8a_what_arrives_too_many_may_move_on(segment: str, on: tuple[str, ...]) -> None:
    """OCS 4.8a, 13.6a What is too many to a hex after the Breakout Segment is asked for later,
    unless the option asks for it at once."""
    state = stand(dict.fromkeys(ARRIVED, "A26.10"))
    rig = at_table(state, "overstacked", segment=segment, on=on)
    assert rig.asked() == {AXIS: "prompt.ocs.overstacked"}
    is_asked_there = rig.state.segment == segment
    assert is_asked_there is (segment == "c2" or bool(on))


def test_21_12d_strat_ends_by_a_direct_draw() -> None:
    """OCS 21.12d By the option a move in Strat mode ends where the unit draws from a source by
    itself; an HQ's throw does not do."""
    name = "ax.inf.44"
    state = stand({name: "A26.05", "ax.hq.iv": "A26.07"}, phasing=AXIS, segment="c2")
    strat = put(state, name, marker=STRAT, move_side=True)
    direct = opened(strat, **{movement.STRAT_DRAWS: True})
    some, fewer = (set(movement.together(one, (name,))) for one in (strat, direct))
    ends = sources.sources(state, AXIS)
    paths = supply_search.paths(state, AXIS, "truck")
    assert fewer < some
    assert all(paths.extent(i, supply_search.DRAW).touching & ends for i in fewer)


@pytest.mark.parametrize(
    ("row", "drm"), [("open", 0), ("close", 0), ("very_close", -1), ("extremely_close", -2)]
)
def test_21_12e_drops_in_rough_terrain(row: str, drm: int) -> None:
    """OCS 21.12e By the option a drop has one less on its dice in Very Close terrain, two less in
    Extremely Close."""
    state = start()
    hexes = range(state.charts.board.size)
    at = next(i for i in hexes if terrain.of(state, terrain.grounds(state, i)[0]).row == row)
    assert air_drops.rough_landing(state, at) == 0
    rough = opened(state, **{air_drops.ROUGH_DROPS: True})
    assert air_drops.rough_landing(rough, at) == drm


def test_21_12e_the_dice_of_a_drop() -> None:
    """OCS 21.12e What the terrain takes off stands in the roll that both sides see."""
    state = opened(airlift(4, (JUNKERS,)), **{air_drops.ROUGH_DROPS: True})
    at = next(
        name
        for name in rigged(state).options(AXIS, "drop")
        if air_drops.rough_landing(state, state.charts.board.hex(str(name)))
    )
    rig = rigged(state)
    rig.dice(3, 4)
    rig.do(AXIS, "drop", at, JUNKERS, 1)
    rolled = next(one for one in rig.events if isinstance(one, air_drops.DropRolled))
    assert rolled.modified == 7 + air_drops.rough_landing(state, state.charts.board.hex(str(at)))
