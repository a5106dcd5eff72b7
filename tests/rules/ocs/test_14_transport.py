"""OCS 14.9, 14.10: air transport and air drops."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put
from tests.rules.ocs.flights import (
    DIVISION,
    FARTHER,
    FARTHEST,
    LUFTWAFFE,
    PANZER,
    REAR,
    SECURITY,
    flown,
    lying,
    where,
)
from tests.rules.ocs.skies import (
    AIR_BOX,
    BF109,
    FIELD,
    HEINKEL,
    HOME,
    JUNKERS,
    JUNKERS2,
    JUNKERS3,
    LA5,
    NEAR,
    RIFLES,
    STUKA,
    TARGET,
    airlift,
    of,
    rigged,
)
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch14_air import air_drops, air_transport, flak
from warledger.engine.games.ocs.ch14_air.air_drops import DropRolled
from warledger.engine.games.ocs.series.events import SegmentBegun
from warledger.engine.games.ocs.series.evolve import after
from warledger.engine.games.ocs.series.state import RESERVE, State
from warledger.engine.kernel.change import replace

FOGS = ("strict", "open")


@pytest.mark.parametrize("mode", FOGS)
def test_14_9_supply_comes_by_air(mode: str) -> None:
    """OCS 14.9, 12.2a A Ju 52 brings 1T over more than half its range and is home and inactive;
    what it brought goes no further in this phase."""
    rig = rigged(airlift(bases={FARTHER: (AXIS, 1)}, fog=mode))
    i = rig.state.charts.board.hex(FARTHER)
    rig.do(AXIS, "airlift", FARTHER, JUNKERS, 1)
    assert (lying(rig, HOME), lying(rig, FARTHER)) == (11, 1)
    flown(rig)
    plane = rig.state.aircraft[JUNKERS]
    assert (where(rig, JUNKERS), plane.active, plane.flown) == (HOME, False, True)
    assert air_transport.fresh(rig.state, AXIS, i) == 0
    assert rig.state.sortie is None


def test_14_9e_the_load_by_distance() -> None:
    """OCS 14.9e Twice the load within half the range; the load within the range; beyond it the
    aircraft stays where it has come to; beyond twice it does not go."""
    state = airlift(bases={REAR: (AXIS, 2), FARTHER: (AXIS, 2), FARTHEST: (AXIS, 2)})
    at = state.charts.board.hex
    assert air_transport.lift(state, (JUNKERS,), at(REAR)) == 2
    assert air_transport.lift(state, (JUNKERS,), at(FARTHER)) == 1
    rig = rigged(state)
    assert rig.refused(AXIS, "airlift", FARTHER, JUNKERS, 2).rule == "OCS 14.9b"
    rig.do(AXIS, "airlift", REAR, JUNKERS, 2)
    assert lying(rig, REAR) == 2
    flown(rig)

    far = airlift(start=AIR_BOX, transports=(HEINKEL,), bases={FARTHEST: (AXIS, 1)})
    away = air_transport.aircraft.between(far, AIR_BOX, at(FARTHEST))
    assert 65 < away <= 130, "the box lies where the test wants it"
    rig = rigged(far)
    rig.do(AXIS, "airlift", FARTHEST, HEINKEL, 1)
    if rig.state.sortie is not None:
        board = rig.state.charts.board
        assert rig.options(AXIS, "land", HEINKEL) == (FARTHEST,), board.name(at(FARTHEST))
        rig.do(AXIS, "home")
    assert where(rig, HEINKEL) == FARTHEST
    assert not rig.state.aircraft[HEINKEL].active
    assert lying(rig, AIR_BOX) == 11, "supply in a box is there to be flown (HR 1.3a)"


def test_14_9e_twice_the_load_and_home_within_half() -> None:
    """OCS 14.9e Who flew twice the load returns within half the range; who did not need it may go
    anywhere in range."""
    state = airlift(12, (JUNKERS,), bases={FARTHER: (AXIS, 2), REAR: (AXIS, 2)})
    i = state.charts.board.hex
    for tokens, farther in ((2, False), (1, True)):
        rig = rigged(state)
        rig.do(AXIS, "airlift", FIELD, JUNKERS, tokens)
        found = air_transport.air_course.homes(rig.state, JUNKERS)
        assert i(HOME) in found and i(REAR) in found
        # FARTHER is 24 hexes from FIELD: within half of 62 all the same; a base at 40 is not.
        sortie = rig.state.sortie
        assert sortie is not None and sortie.doubled is (tokens == 2)
        plane = rig.state.charts.printed.planes[JUNKERS]
        from_ = replace(rig.state, charts=_ranged(rig.state, JUNKERS, 40))
        assert plane.range == 62
        assert (i(FARTHER) in air_transport.air_course.homes(from_, JUNKERS)) is farther


def _ranged(state: State, name: str, range_: int) -> Any:
    """Charts in which an aircraft has another range."""
    printed = state.charts.printed
    plane = replace(printed.planes[name], range=range_)
    return replace(state.charts, printed=replace(printed, planes={**printed.planes, name: plane}))


def test_14_9b_halves_combine() -> None:
    """OCS 14.9b Two reduced transports carry 1T together beyond half their range, one carries 1T
    within it, none half a token."""
    state = airlift(transports=(JUNKERS, JUNKERS2), bases={FARTHER: (AXIS, 1)})
    weak = {name: replace(state.aircraft[name], lost=1) for name in (JUNKERS, JUNKERS2)}
    state = replace(state, aircraft={**state.aircraft, **weak})
    rig = rigged(state)
    assert rig.refused(AXIS, "airlift", FARTHER, JUNKERS, 1).rule == "OCS 14.9b"
    assert rig.options(AXIS, "airlift", FIELD, JUNKERS)[-1] is not None
    near = rigged(state)
    near.do(AXIS, "airlift", FIELD, JUNKERS, 1)
    assert lying(near, FIELD) == 1
    rig.do(AXIS, "airlift", FARTHER, JUNKERS, JUNKERS2, 1)
    assert lying(rig, FARTHER) == 1


def test_14_9b_who_can_carry_nothing_is_not_offered() -> None:
    """OCS 14.9b A reduced transport that bears half a token where it would go, with nobody to join
    it, is not offered, and fighters do not take the place of those that it needs."""
    state = airlift(transports=(JUNKERS,), others={BF109: HOME}, bases={FARTHER: (AXIS, 1)})
    weak = replace(state.aircraft[JUNKERS], lost=1)
    state = replace(state, aircraft={**state.aircraft, JUNKERS: weak})
    i = state.charts.board.hex
    assert air_transport.able(state, AXIS, "transport", i(FARTHER)) == ()
    assert air_transport.able(state, AXIS, "transport", i(FIELD)) == (JUNKERS,)
    for kind in ("transport", "drop"):
        for place in air_transport.places(state, AXIS, kind)[::400]:
            name = state.charts.board.name(place)
            rig = rigged(state)
            verb = "airlift" if kind == "transport" else "drop"
            first = rig.options(AXIS, verb, name)
            assert first and rig.options(AXIS, verb, name, first[0]), name


def test_14_9f_a_small_base_keeps_the_transports() -> None:
    """OCS 14.9f, 15.0 A base of level 1 unloads 2T in a phase for transports that leave it; whoever
    brings more stays there. A second mission finds nothing left; on the next phase it does."""
    state = airlift(transports=(JUNKERS, JUNKERS2, JUNKERS3))
    rig = rigged(state)
    rig.do(AXIS, "airlift", FIELD, JUNKERS, JUNKERS2, 3)
    assert lying(rig, FIELD) == 3
    flown(rig)
    assert (where(rig, JUNKERS), where(rig, JUNKERS2)) == (HOME, FIELD)
    i = state.charts.board.hex(FIELD)
    assert air_transport.handles(rig.state, i) == 0
    rig.do(AXIS, "airlift", FIELD, JUNKERS3, 1)
    flown(rig)
    assert where(rig, JUNKERS3) == FIELD
    later = after[SegmentBegun](rig.state, SegmentBegun("e1", True))
    assert air_transport.handles(later, i) == 2
    assert air_transport.handles(rigged(airlift(level=3)).state, i) == 6


@pytest.mark.parametrize("mode", FOGS)
def test_14_9a_units_go_by_air(mode: str) -> None:
    """OCS 14.9a, 4.7b, 4.7d, 14.9d A security regiment in Move mode takes 2T of capacity; it has
    half of its allowance, before and after the flight together, and nothing carries it again."""
    state = put(airlift(0, units={SECURITY: HOME}, fog=mode), SECURITY, move_side=True)
    whole = modes.allowance(state, SECURITY)
    rig = rigged(state)
    assert air_transport.load(state, SECURITY) == 2
    rig.do(AXIS, "airlift", FIELD, JUNKERS, SECURITY)
    unit = rig.state.units[SECURITY]
    assert (where(rig, SECURITY), unit.carried, unit.finished) == (FIELD, "air", False)
    flown(rig)
    assert modes.left(rig.state, SECURITY) == whole // 2
    assert not air_transport.portable(rig.state, SECURITY)
    spent = put(state, SECURITY, spent=whole // 2)
    assert air_transport.portable(spent, SECURITY)
    assert not air_transport.portable(put(state, SECURITY, spent=whole // 2 + 1), SECURITY)


def test_14_9a_who_does_not_fly() -> None:
    """OCS 14.9a, 4.7c Units in other modes, with wheels or tracks, that have finished, or that
    weigh too much stay; so do transport points."""
    where_ = {SECURITY: HOME, DIVISION: HOME, PANZER: HOME, "ax.truck.1": HOME, LUFTWAFFE: FIELD}
    state = airlift(0, units=where_)
    for name in (SECURITY, DIVISION, PANZER):
        state = put(state, name, move_side=True)
    rig = rigged(state)
    assert rig.options(AXIS, "airlift", FIELD, JUNKERS) == (SECURITY,)
    for name, rule in (
        (DIVISION, "OCS 14.9b"),
        (PANZER, "OCS 14.9a"),
        ("ax.truck.1", "OCS 14.9a"),
        (LUFTWAFFE, "OCS 14.9"),
        (RIFLES, "OCS 14.9"),
    ):
        assert rig.refused(AXIS, "airlift", FIELD, JUNKERS, name).rule == rule, name
    for changes in ({"move_side": False}, {"marker": "dg"}, {"finished": True}, {"worked": True}):
        assert not air_transport.portable(put(state, SECURITY, **changes), SECURITY)


def test_14_9d_in_the_reaction_phase_released_reserves_alone_move() -> None:
    """OCS 14.9d A unit flies in the enemy's turn, but only what has been released from Reserve
    moves besides, by a quarter of its allowance."""
    state = airlift(0, units={SECURITY: HOME}, segment="e1", phasing=SOVIET)
    state = put(state, SECURITY, move_side=True)
    rig = rigged(state)
    rig.do(AXIS, "airlift", FIELD, JUNKERS, SECURITY)
    flown(rig)
    assert where(rig, SECURITY) == FIELD
    assert modes.left(rig.state, SECURITY) == 0
    loose = put(rig.state, SECURITY, released=True)
    face = loose.face(SECURITY)
    assert modes.left(loose, SECURITY) == face.ma * loose.charts.parts // 4
    assert not air_transport.portable(put(state, SECURITY, marker=RESERVE), SECURITY)


def test_14_9_one_base_and_escorts() -> None:
    """OCS 14.9 [R] Transports of a mission start from one base; a fighter of any base may go along,
    but not first; a bomber that carries nothing may not."""
    state = airlift(
        transports=(JUNKERS,),
        others={JUNKERS2: FIELD, BF109: FIELD, STUKA: HOME},
        bases={NEAR: (AXIS, 1)},
    )
    rig = rigged(state)
    assert rig.refused(AXIS, "airlift", NEAR, BF109).key == "refusal.ocs.no_transport"
    assert rig.refused(AXIS, "airlift", NEAR, JUNKERS, JUNKERS2).key == "refusal.ocs.other_airfield"
    assert rig.refused(AXIS, "airlift", NEAR, JUNKERS, STUKA).rule == "OCS 14.1"
    rig.do(AXIS, "airlift", NEAR, JUNKERS, BF109, 1)
    flown(rig)
    assert (where(rig, JUNKERS), where(rig, BF109), lying(rig, NEAR)) == (HOME, FIELD, 1)


def test_14_4_flak_and_interception_of_transports() -> None:
    """OCS 14.4a, 14.4g, 14.5 Transports meet flak in an enemy patrol zone alone. A transport that
    loses a step bears half its load, rounded in the cargo's favour; the rest is lost."""
    quiet = rigged(airlift())
    quiet.do(AXIS, "airlift", FIELD, JUNKERS, 2)
    assert not of(quiet, flak.FlakFired)

    state = airlift(others={LA5: "A26.24"}, bases={"A26.24": (SOVIET, 1)})
    rig = rigged(state)
    rig.do(AXIS, "airlift", FIELD, JUNKERS, 2)
    assert rig.asked() == {SOVIET: "prompt.ocs.interception"}
    rig.dice(6, 6)
    rig.do(SOVIET, "pass")
    (shot,) = of(rig, flak.FlakFired)
    assert ("patrol_zone_without_fighter", 2) in shot.points
    assert rig.state.aircraft[JUNKERS].lost == 1
    assert (lying(rig, HOME), lying(rig, FIELD)) == (10, 1)
    assert rig.state.spent_sp[AXIS] == 1


def test_14_4g_what_goes_down_with_its_transport() -> None:
    """OCS 14.4g, 14.4f A transport on its last step goes down with all that it bears: supply, or
    the regiment."""
    for units, tokens in (({SECURITY: HOME}, 0), ({}, 2)):
        state = airlift(
            12, (JUNKERS, JUNKERS2), units, others={LA5: "A26.24"}, bases={"A26.24": (SOVIET, 1)}
        )
        weak = replace(state.aircraft[JUNKERS], lost=1)
        state = replace(state, aircraft={**state.aircraft, JUNKERS: weak})
        for name in units:
            state = put(state, name, move_side=True)
        rig = rigged(state)
        if units:
            rig.do(AXIS, "airlift", FIELD, JUNKERS, JUNKERS2, SECURITY)
        else:
            rig.do(AXIS, "airlift", FIELD, JUNKERS, JUNKERS2, tokens)
        rig.dice(6, 6, 1)
        rig.do(SOVIET, "pass")
        assert rig.state.aircraft[JUNKERS].where == "box.dead.axis"
        if units:
            assert rig.state.units[SECURITY].where == "box.dead.axis"
        else:
            # The reduced one bore ½T of the single load, the other 1T; ½T is rounded up.
            assert lying(rig, FIELD) + rig.state.spent_sp[AXIS] == 2
            assert rig.state.spent_sp[AXIS] == 0 or lying(rig, FIELD) == 1


def test_14_3_the_cargo_of_who_aborts_is_back() -> None:
    """OCS 14.3, 14.1c [R] A transport that aborts in an interception lands at the base over which
    it was met, what it carried is where it was loaded."""
    state = airlift(12, (JUNKERS,), others={LA5: "A26.24"}, bases={"A26.24": (SOVIET, 1)})
    rig = rigged(state)
    rig.do(AXIS, "airlift", FIELD, JUNKERS, 2)
    rig.dice(6, 6, 1)
    rig.do(SOVIET, "intercept", LA5)
    flown(rig)
    assert rig.state.aircraft[JUNKERS].lost == 0
    assert (lying(rig, HOME), lying(rig, FIELD)) == (12, 0)
    assert where(rig, JUNKERS) == FIELD


@pytest.mark.parametrize(
    ("friendly", "hex", "expected"),
    [(True, "A26.03", 5), (True, "A31.18", 6), (False, "A26.03", 6), (False, "A31.18", 7)],
)
def test_14_10d_what_a_drop_needs(friendly: bool, hex: str, expected: int) -> None:
    """OCS 14.10d 5 in a friendly clear hex, 6 in a friendly closed or an enemy clear one, 7 in an
    enemy closed one; friendly is where a unit of the side stood as the phase began, clear is Open,
    a village or an air base."""
    state = airlift()
    i = state.charts.board.hex(hex)
    state = replace(
        state,
        phase_use=replace(state.phase_use, stood={AXIS: 1 << i if friendly else 0}),
    )
    assert air_drops.clear(state, i) is (hex != "A31.18")
    assert air_drops.needed(state, AXIS, i) == expected
    assert state.charts.tables.drop.drm[SOVIET] == -1


def test_14_10d_friendly_is_asked_of_the_start_of_the_phase() -> None:
    """OCS 14.10d The phase notes who stood where as it began; a segment of the same phase does not
    note it anew."""
    state = airlift(units={SECURITY: TARGET})
    begun = after[SegmentBegun](state, SegmentBegun("c1", True))
    i = state.charts.board.hex(TARGET)
    assert begun.phase_use.stood[AXIS] >> i & 1
    moved = put(begun, SECURITY, at=state.charts.board.hex("A26.12"))
    later = after[SegmentBegun](moved, SegmentBegun("c2", False))
    assert air_drops.needed(later, AXIS, i) < air_drops.needed(
        later, AXIS, state.charts.board.hex("A26.12")
    ) or air_drops.clear(later, i) is not air_drops.clear(later, state.charts.board.hex("A26.12"))
    assert later.phase_use.stood == begun.phase_use.stood


@pytest.mark.parametrize("mode", FOGS)
def test_14_10_each_token_of_a_drop_rolls(mode: str) -> None:
    """OCS 14.10, 14.10d Each token by a roll of its own; what fails is lost; the transports are
    home and inactive."""
    rig = rigged(airlift(12, (JUNKERS, JUNKERS2), fog=mode))
    i = rig.state.charts.board.hex("A26.03")
    need = air_drops.needed(rig.state, AXIS, i)
    assert need == 6
    rig.dice(3, 3, 2, 3, 6, 1)
    rig.do(AXIS, "drop", "A26.03", JUNKERS, JUNKERS2, 3)
    assert [roll.modified >= roll.needed for roll in of(rig, DropRolled)] == [True, False, True]
    assert (lying(rig, HOME), lying(rig, "A26.03"), rig.state.spent_sp[AXIS]) == (9, 2, 1)
    flown(rig)
    assert where(rig, JUNKERS) == HOME and not rig.state.aircraft[JUNKERS].active


def test_14_10_hr_1_5b_supply_alone_is_dropped() -> None:
    """OCS 14.10, HR 1.5b No unit is dropped in this game, on no enemy combat unit anything."""
    state = put(airlift(units={SECURITY: HOME, RIFLES: TARGET}), SECURITY, move_side=True)
    rig = rigged(state)
    assert rig.refused(AXIS, "drop", "A26.03", JUNKERS, SECURITY).rule == "OCS 14.10"
    assert rig.refused(AXIS, "drop", TARGET).key == "refusal.ocs.no_drop_there"
    assert rig.refused(AXIS, "airlift", "A26.03").key == "refusal.ocs.not_your_base"


def test_14_10d_airborne_units_where_a_game_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """OCS 14.10, 14.10d Where a game drops units each rolls, is done for the phase, and captures
    what it comes down on (9.14); who fails is lost."""
    state = airlift(0, units={SECURITY: HOME})
    monkeypatch.setattr(type(state.charts.game), "drops", lambda self, state, name: True)
    state = put(state, SECURITY, move_side=True)
    board = state.charts.board
    dump = board.hex("A26.03")
    from warledger.engine.games.ocs.series.state import with_supply

    state = with_supply(state, SOVIET, dump, 4)
    rig = rigged(state)
    rig.dice(4, 4, 6)
    rig.do(AXIS, "drop", "A26.03", JUNKERS, SECURITY)
    assert where(rig, SECURITY) == "A26.03" and rig.state.units[SECURITY].finished
    assert (lying(rig, "A26.03"), lying(rig, "A26.03", SOVIET)) == (3, 0)
    lost = rigged(state)
    lost.dice(1, 2)
    lost.do(AXIS, "drop", "A26.03", JUNKERS, SECURITY)
    assert lost.state.units[SECURITY].where == "box.dead.axis"


def test_14_9_each_refusal_has_its_clause() -> None:
    """OCS 14.9, 14.2 Every refusal has its clause."""
    rig = rigged(airlift(0))
    assert rig.refused(AXIS, "airlift", FIELD).key == "refusal.ocs.nothing_to_fly"
    rig = rigged(airlift(transports=(), others={BF109: HOME}))
    assert rig.refused(AXIS, "airlift", FIELD).key == "refusal.ocs.no_transport_aircraft"
    rig = rigged(airlift(flight="none"))
    assert rig.refused(AXIS, "airlift", FIELD).rule == "OCS 17"
    rig = rigged(airlift())
    assert rig.refused(AXIS, "airlift", HOME).rule == "OCS 14.9e"
    assert rig.refused(AXIS, "airlift", FIELD, JUNKERS).key == "refusal.ocs.no_cargo_named"
    assert rig.refused(AXIS, "airlift", FIELD, JUNKERS, 3).rule == "OCS 14.9b"
    inactive = airlift()
    resting = replace(inactive.aircraft[JUNKERS], active=False)
    inactive = replace(inactive, aircraft={**inactive.aircraft, JUNKERS: resting})
    assert rigged(inactive).refused(AXIS, "airlift", FIELD).rule == "OCS 14.9"


def test_4_9a_what_a_transport_carries_is_not_seen() -> None:
    """OCS 4.9a, R-15, R-16 Under fog the events of a flight are the same whatever it carries,
    1T or 2T or a regiment, and nothing of the cargo stands in them in the clear."""
    heard = []
    for cargo in ((1,), (2,), (SECURITY,)):
        state = airlift(units={SECURITY: HOME, "ax.sec.2": HOME})
        state = put(put(state, SECURITY, move_side=True), "ax.sec.2", move_side=True)
        state = replace(state, tops={state.charts.board.hex(HOME): "ax.sec.2"})
        rig = rigged(state)
        rig.do(AXIS, "airlift", FIELD, JUNKERS, *cargo)
        heard.append([type(one).tag for one in rig.events if not isinstance(one, fog.TopShown)])
        for one in rig.events:
            if isinstance(one, fog.TopShown):
                continue
            assert SECURITY not in str(getattr(one, "units", "")) or fog.strict(state)
            assert getattr(one, "tokens", None) in (None,) or hasattr(one.tokens, "readers")
    assert heard[0] == heard[1] == heard[2]
