"""OCS 14.1-14.8, 14.11: missions from their declaration to their return."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put
from tests.rules.ocs.skies import (
    ACE,
    BF109,
    BF109B,
    BUSTER,
    FAR,
    FOCKE,
    HENSCHEL,
    HOME,
    IL2,
    IL4,
    LA5,
    LA5B,
    NEAR,
    PE2,
    RED,
    RIFLES,
    RUDEL,
    SPOTTER,
    STUKA,
    TANKS,
    TARGET,
    of,
    opened,
    rigged,
    sky,
)
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch10_barrage import barrage, bombardment
from warledger.engine.games.ocs.ch14_air import air_combat, air_course, aircraft, flak, missions
from warledger.engine.games.ocs.ch14_air.mission_in_progress import BARRAGE, HIP_SHOOT
from warledger.engine.games.ocs.series.events import AircraftPlaced
from warledger.engine.games.ocs.series.state import RESERVE, STRAT, State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.types import Refusal
from warledger.engine.testing.rig import Rig
from warledger.protocol.chance.seal import Secret

FOGS = ("strict", "open")


def bombing(state: State) -> Rig[State]:
    """A rig at the Movement Phase's Barrage Segment."""
    return rigged(replace(state, segment="c3"), bombardment.SEGMENT)


@pytest.mark.parametrize("mode", FOGS)
def test_14_7_example_38(mode: str) -> None:
    """OCS 10.0a, 14.7 Example 38: 9 points without a spotter against 4 RE: 8-11, three to the left
    and one to the right, 3-4; 12 is a half, 5 on its die takes a step, all are in DG, and the
    Reserve marker goes. OCS 10.2, 14.1c No supply is spent; the aircraft go home, inactive, and
    have flown."""
    state = sky(
        {BF109: FAR, BF109B: FAR, "ax.air.bf109.3": FAR},
        {FAR: (AXIS, 2)},
        {RIFLES: TARGET, "su.su.366gd": TARGET},
        fog=mode,
    )
    state = put(state, "su.su.366gd", marker=RESERVE)
    rig = bombing(state)

    rig.dice(4, 4, 6, 6, 5)
    rig.do(AXIS, "bomb", TARGET, BF109, BF109B, "ax.air.bf109.3")

    (fired,) = of(rig, flak.FlakFired)
    assert fired.points == (("aircraft_3_or_more", 1), ("game_1_3e", 1))
    (shells,) = of(rig, barrage.ShellsFallen)
    assert (shells.strength, shells.column, shells.shifted) == ("9", "8-11", "3-4")
    assert shells.shifts == (("density", 1), ("unspotted", -3))
    assert (shells.result, shells.die, shells.steps) == ("1/2", 5, 1)
    assert rig.state.units["su.su.366gd"].marker == "dg"
    rig.do(SOVIET, "lose", RIFLES)
    assert rig.state.units[RIFLES].lost == 1
    base = state.charts.board.hex(FAR)
    rig.do(AXIS, "home")
    assert rig.state.sortie is None
    for name in (BF109, BF109B, "ax.air.bf109.3"):
        plane = rig.state.aircraft[name]
        assert (plane.base, plane.active, plane.flown) == (base, False, True)
    # Nobody is left who could fly: in the open the segment is over by itself; under fog there
    # might be somebody in a box.
    idle = {"open": "prompt.window", "strict": "prompt.ocs.air_barrage"}
    assert rig.asked() == {AXIS: idle[mode]}


def test_10_0e_a_mission_that_comes_to_nothing_counts() -> None:
    """OCS 10.0e A hex is barraged once a phase, also where flak has shot the mission down; hip
    shoots are not counted."""
    state = sky({STUKA: HOME, FOCKE: HOME}, units={RIFLES: TARGET, SPOTTER: "A26.10"})
    weak = replace(state.aircraft[STUKA], lost=1)
    rig = bombing(replace(state, aircraft={**state.aircraft, STUKA: weak}))

    rig.dice(6, 6)
    rig.do(AXIS, "bomb", TARGET, STUKA)

    assert rig.state.aircraft[STUKA].where == "box.dead.axis"
    assert rig.state.sortie is None
    assert not of(rig, barrage.ShellsFallen)
    assert rig.refused(AXIS, "bomb", TARGET, FOCKE).rule == "OCS 14.2d"
    assert rig.options(AXIS) == ("bust", "done")
    later = replace(rig.state, segment="g1")
    assert FOCKE in missions.able(later, AXIS, HIP_SHOOT, state.charts.board.hex(TARGET))


@pytest.mark.parametrize("mode", FOGS)
def test_14_2f_a_mission_with_everything(mode: str) -> None:
    """OCS 14.2f, 14.5, 14.3, 14.4, HR 1.3e A mission is intercepted; the window is the enemy's; the
    interceptor attacks, its enemy picks who meets it; who aborts leaves; flak fires at what is
    left, which then bombs; everybody goes home. OCS 14.5 The victorious interceptor stays
    active."""
    state = sky(
        {STUKA: HOME, FOCKE: HOME, LA5: NEAR, LA5B: NEAR},
        {HOME: (AXIS, 2), NEAR: (SOVIET, 1)},
        {RIFLES: TARGET, SPOTTER: "A26.10"},
        fog=mode,
    )
    rig = bombing(state)
    base = state.charts.board.hex(NEAR)

    rig.do(AXIS, "bomb", TARGET, STUKA, FOCKE)
    assert rig.asked() == {SOVIET: "prompt.ocs.interception"}
    assert set(rig.options(SOVIET)) == {"intercept", "pass"}
    assert rig.options(SOVIET, "intercept") == (LA5, LA5B)
    rig.do(SOVIET, "intercept", LA5)
    assert rig.state.aircraft[STUKA].seen and not rig.state.aircraft[LA5B].seen

    assert rig.options(AXIS, "meet") == (STUKA, FOCKE)
    # The Focke-Wulf is alone then: it meets the interceptor, who aborts and loses a step.
    rig.dice(6, 6, 4, 1, 1, 6)
    rig.do(AXIS, "meet", STUKA)
    first, second = of(rig, air_combat.AirRoundFought)
    assert (first.attacker, first.defender, first.aborted) == (LA5, STUKA, (STUKA,))
    assert (second.attacker, second.defender, second.aborted) == (LA5, FOCKE, (LA5,))
    assert rig.state.aircraft[LA5].lost == 1
    assert (rig.state.aircraft[LA5].base, rig.state.aircraft[LA5].active) == (base, False)
    assert set(rig.options(AXIS)) == {"abort", "stay"}
    # The other fighter still patrols: 9 and 3 hit; 6 points are left, at 3 RE, spotted, short.
    rig.dice(4, 5, 1, 1)
    rig.do(AXIS, "stay")
    (fired,) = of(rig, flak.FlakFired)
    assert dict(fired.points) == {"patrol_zone_without_fighter": 2, "game_1_3e": 1}
    assert fired.modified == 12 and fog.plain(fired.aircraft) == FOCKE
    (shells,) = of(rig, barrage.ShellsFallen)
    assert (shells.strength, shells.column, shells.shifts) == ("6", "5-7", (("short_range", 1),))
    rig.do(AXIS, "home")
    for name, lost in ((STUKA, 0), (FOCKE, 1)):
        plane = rig.state.aircraft[name]
        assert (plane.active, plane.lost, plane.seen) == (False, lost, False)
    assert rig.state.aircraft[LA5B].active


def test_14_5_the_winner_stays_active() -> None:
    """OCS 14.5 An interceptor that drives the mission off stays active, seen, and may intercept
    again; the mission's hex has been barraged all the same (10.0e)."""
    state = sky({STUKA: HOME, LA5: NEAR}, {HOME: (AXIS, 2), NEAR: (SOVIET, 1)}, {RIFLES: TARGET})
    rig = bombing(state)

    rig.do(AXIS, "bomb", TARGET, STUKA)
    rig.dice(6, 6, 6)
    rig.do(SOVIET, "intercept", LA5)

    plane = rig.state.aircraft[LA5]
    assert (plane.active, plane.seen, plane.flown) == (True, True, False)
    assert rig.state.aircraft[STUKA].lost == 1
    assert not of(rig, flak.FlakFired)
    assert LA5 in aircraft.interceptors(rig.state, SOVIET, state.charts.board.hex(TARGET))


@pytest.mark.parametrize("mode", FOGS)
def test_14_5_the_window_opens_on_what_is_seen(mode: str) -> None:
    """OCS 14.5, 14.4a, 4.8b E The enemy is asked where the target lies in the zone of a base that
    shows a fighter; not for a sweep, not outside, not where the fighters rest. Weather does not
    matter (14.5)."""
    bases = {HOME: (AXIS, 2), NEAR: (SOVIET, 1)}
    where = {STUKA: HOME, BF109: HOME, LA5: NEAR}
    state = sky(where, bases, {RIFLES: TARGET}, fog=mode)
    resting = replace(state.aircraft[LA5], active=False)
    quiet = replace(state, aircraft={**state.aircraft, LA5: resting})

    rig = bombing(replace(state, flight="limited"))
    rig.do(AXIS, "bomb", TARGET, STUKA)
    assert rig.asked() == {SOVIET: "prompt.ocs.interception"}
    rig.dice(1, 1, 1, 1)
    rig.do(SOVIET, "pass")
    assert rig.asked() == {AXIS: "prompt.ocs.air_return"}
    again = bombing(replace(quiet, air_tops=fog.air_tops(quiet)))
    again.dice(1, 1, 1, 1)
    again.do(AXIS, "bomb", TARGET, STUKA)
    assert again.asked() == {AXIS: "prompt.ocs.air_return"}
    sweep = rigged(state)
    sweep.dice(6, 6, 1)
    sweep.do(AXIS, "sweep", NEAR, BF109)
    assert sweep.asked() == {AXIS: "prompt.ocs.air_abort"}
    sweep.do(AXIS, "stay")
    assert SOVIET not in sweep.asked()


@pytest.mark.parametrize("mode", FOGS)
def test_14_6_a_sweep_fights_active_aircraft(mode: str) -> None:
    """OCS 14.6, 14.3d, 14.1c Fighters go where enemy aircraft are active and fight them. Before the
    combat either side may abort some, not all; who aborts over its base lies there, inactive. No
    flak, no interception; all of it then rests."""
    state = sky({BF109: HOME, ACE: HOME, LA5: NEAR, IL2: NEAR, PE2: RED}, fog=mode)
    state = replace(
        state,
        bases={
            **state.bases,
            state.charts.board.hex(NEAR): state.bases[state.charts.board.hex(RED)],
        },
    )
    rig = rigged(replace(state, air_tops=fog.air_tops(state)))
    base = state.charts.board.hex(NEAR)

    rig.do(AXIS, "sweep", NEAR, BF109, ACE)
    assert rig.asked() == {AXIS: "prompt.ocs.air_abort"}
    assert rig.refused(AXIS, "abort", BF109, ACE).rule == "OCS 14.3d"
    rig.do(AXIS, "stay")
    rig.do(SOVIET, "abort", IL2)
    assert (rig.state.aircraft[IL2].base, rig.state.aircraft[IL2].active) == (base, False)

    assert rig.options(AXIS, "attack") == (BF109, ACE)
    rig.dice(6, 6, 5)
    rig.do(AXIS, "attack", ACE)
    assert rig.state.aircraft[LA5].lost == 1 and not rig.state.aircraft[LA5].active
    rig.do(AXIS, "stay")
    if "prompt.ocs.air_return" in rig.asked().values():
        rig.do(AXIS, "home")
    assert not rig.state.aircraft[ACE].active and not rig.state.aircraft[BF109].active
    assert rig.state.sortie is None


def test_14_6_who_sweeps() -> None:
    """OCS 14.6 Fighters alone, and only where enemy aircraft are seen active."""
    state = sky({BF109: HOME, STUKA: HOME, IL2: NEAR}, {HOME: (AXIS, 2), NEAR: (SOVIET, 1)})
    rig = rigged(state)

    assert rig.options(AXIS, "sweep") == (NEAR,)
    assert rig.options(AXIS, "sweep", NEAR) == (BF109,)
    assert rig.refused(AXIS, "sweep", NEAR, STUKA).rule == "OCS 14.1"
    assert rig.refused(AXIS, "sweep", HOME, BF109).rule == "OCS 14.2f"


def test_14_3a_nobody_fights_with_ratings_in_parentheses() -> None:
    """OCS 14.3a Bombers over a base of bombers do not fight: nobody could begin, and nobody is
    shown."""
    state = sky({STUKA: HOME, IL2: NEAR}, {HOME: (AXIS, 2), NEAR: (SOVIET, 1)}, {RIFLES: NEAR})
    rig = bombing(state)
    rig.dice(1, 1, 1, 1)
    rig.do(AXIS, "bomb", NEAR, STUKA)

    assert not of(rig, air_combat.AirCombatJoined)
    assert of(rig, barrage.ShellsFallen)


def test_14_2f_c_a_mission_fights_where_enemies_are_active() -> None:
    """OCS 14.2f(C), 14.3c A bomber over a base with an active fighter is attacked by it: the roles
    switch, since it cannot begin itself. It may then be intercepted once more (D)."""
    state = sky({STUKA: HOME, LA5: NEAR}, {HOME: (AXIS, 2), NEAR: (SOVIET, 1)}, {RIFLES: NEAR})
    rig = bombing(state)
    rig.dice(1, 1, 1)
    rig.do(AXIS, "bomb", NEAR, STUKA)

    (fought,) = of(rig, air_combat.AirRoundFought)
    assert (fought.attacker, fought.aborted) == (LA5, (LA5,))
    assert not rig.state.aircraft[LA5].active
    assert rig.asked() == {AXIS: "prompt.ocs.air_abort"}


@pytest.mark.parametrize("mode", FOGS)
def test_14_4_flak_and_interception_are_foretold_by_what_is_seen(mode: str) -> None:
    """OCS 14.4e, 14.5, 4.9a An HQ in the hex adds to flak as told only where it is seen; a fighter
    near by makes it a patrol zone, which adds and lets the mission be intercepted."""

    def told(where: dict[str, str], units: dict[str, str]) -> dict[str, dict[str, object]]:
        rig = rigged(sky(where, units={RIFLES: TARGET, SPOTTER: "A26.10", **units}, fog=mode))
        found = rig.preview(AXIS, "hip_shoot", TARGET, STUKA)
        assert not isinstance(found, Refusal)
        return {one.key.removeprefix("preview.ocs."): dict(one.args) for one in found}

    key = "flak" if mode == "open" else "flak_seen"
    alone = told({STUKA: HOME}, {})
    assert "patrolled" not in alone
    base = int(str(alone[key]["points"]))
    covered = told({STUKA: HOME}, {"su.hq.7ga": TARGET})
    assert int(str(covered[key]["points"])) == base + (1 if mode == "open" else 0)
    met = told({STUKA: HOME, "su.air.la5.1": "A27.15"}, {})
    assert met["patrolled"] == {} and int(str(met[key]["points"])) > base


@pytest.mark.parametrize("mode", FOGS)
def test_14_7d_hip_shoots_need_a_spotter(mode: str) -> None:
    """OCS 14.7d, HR 1.3d A single aircraft of those that may, at a target with a spotter, in a
    movement segment, where the ground allows it; not counted as the hex's barrage (10.0e)."""
    state = sky(
        {STUKA: HOME, FOCKE: HOME, "ax.air.hju87.1": HOME},
        units={RIFLES: TARGET, SPOTTER: "A26.10", "su.gd.93": "A26.14"},
        fog=mode,
    )
    rig = rigged(state)

    assert rig.options(AXIS, "hip_shoot") == (TARGET,)
    assert rig.options(AXIS, "hip_shoot", TARGET) == (FOCKE, STUKA)
    assert rig.refused(AXIS, "hip_shoot", "A26.14", STUKA).rule == "OCS 10.0b"
    assert rig.refused(AXIS, "hip_shoot", TARGET, "ax.air.hju87.1").rule == "OCS 14.1"
    rig.dice(1, 1, 6, 5, 3)
    marching = rigged(put(state, RIFLES, marker=STRAT))
    told = marching.preview(AXIS, "hip_shoot", TARGET, STUKA)
    assert not isinstance(told, Refusal)
    assert told[0].key == "preview.ocs.bombs"
    shifts = {dict(one.args)["what"] for one in told if one.key == "ocs.shift"}
    hidden = {"ocs.shift.strat_target"} if mode == "open" else set()
    assert shifts == {"ocs.shift.short_range", *hidden}
    assert rig.preview(AXIS, "hip_shoot", TARGET) == ()

    rig.do(AXIS, "hip_shoot", TARGET, STUKA)
    (shells,) = of(rig, barrage.ShellsFallen)
    assert (shells.column, shells.shifted) == ("17-24", "25-40")
    assert (shells.result, shells.die, shells.steps) == ("1/2", 3, 0)
    assert not rig.state.phase_use.barraged
    mud = rigged(replace(state, ground="mud"))
    assert "hip_shoot" not in mud.options(AXIS)
    assert mud.refused(AXIS, "hip_shoot", TARGET, STUKA).rule == "OCS 14.7d"


def test_14_8_trainbusting_places_its_marker() -> None:
    """OCS 14.8, 10.0c The facility table, no shifts; a star places the marker, whose zone costs the
    enemy a point more a hex, Leg units in the hex alone; one a hex and phase. H: Clean Up of the
    enemy takes it away."""
    state = sky({STUKA: HOME, FOCKE: HOME}, units={"ax.inf.96": HOME})
    rig = bombing(state)
    i = state.charts.board.hex(RED)
    assert RED in rig.options(AXIS, "bust")

    rig.dice(1, 1, 5)
    rig.do(AXIS, "bust", RED, STUKA)
    (shells,) = of(rig, barrage.ShellsFallen)
    assert (shells.column, shells.dice) == ("11-20", (5,))
    assert rig.state.trainbusting == {i: AXIS}
    assert movement_range.surcharges(rig.state, SOVIET, "leg") == 1 << i
    assert movement_range.surcharges(rig.state, SOVIET, "truck").bit_count() == 7
    assert not movement_range.surcharges(rig.state, AXIS, "truck")
    rig.do(AXIS, "home")
    assert rig.refused(AXIS, "bust", RED, FOCKE).rule == "OCS 10.0e"


@pytest.mark.parametrize("mode", FOGS)
def test_14_11_a_transfer_goes_twice_the_range(mode: str) -> None:
    """OCS 14.11 Twice the range, one way; fighters within their range stay active, as far as the
    base has room (14.2a); all others rest."""
    state = sky(
        {BF109: HOME, STUKA: HOME, BF109B: FAR},
        {HOME: (AXIS, 2), "A26.16": (AXIS, 1), FAR: (AXIS, 1)},
        fog=mode,
    )
    rig = rigged(state)
    board = state.charts.board

    rig.do(AXIS, "transfer", "A26.16", BF109, STUKA, BF109B)
    for name, active in ((BF109, True), (STUKA, False), (BF109B, True)):
        plane = rig.state.aircraft[name]
        assert (plane.base, plane.active, plane.flown) == (board.hex("A26.16"), active, True)
    assert rig.refused(AXIS, "transfer", HOME, BF109).rule == "OCS 14.2e"


def test_14_11_a_transfer_to_a_full_base() -> None:
    """OCS 14.11, 14.2a [R] Fighters that find no room land inactive, in the order of the
    mission."""
    crowd = {f"ax.air.{name}": "A26.16" for name in ("fw190a.1", "fw190f.1", "fw190f.2", "ju87d.2")}
    state = sky({**crowd, BF109: HOME, BF109B: HOME}, {HOME: (AXIS, 2), "A26.16": (AXIS, 1)})
    rig = rigged(state)
    rig.do(AXIS, "transfer", "A26.16", BF109B, BF109)
    assert rig.state.aircraft[BF109B].active and not rig.state.aircraft[BF109].active


def test_14_11_boxes_are_transferred_to_without_limit() -> None:
    """OCS 14.11, 0.F Aircraft are transferred to and from boxes, which have no limit and no enemy;
    HR 1.3c not to the box of the 8th Air Army, nor to that of the Long Range Air Force (3.2b)."""
    state = sky({BF109: HOME, LA5: RED}, fog="open")
    rig = rigged(state)
    rig.do(AXIS, "transfer", "box.air.lw4", BF109)
    assert rig.state.aircraft[BF109].base == "box.air.lw4"
    assert rig.state.aircraft[BF109].active
    reds = rigged(replace(state, phasing=SOVIET))
    offered = reds.options(SOVIET, "transfer") if "transfer" in reds.options(SOVIET) else ()
    assert not {"box.air.8aa", "box.air.lraf"} & set(offered)


def test_14_2a_no_more_than_four() -> None:
    """OCS 14.2a, 17 Four aircraft in a mission, or as many as the weather lets; missions only in
    the phases that it lets."""
    four = ["ax.air.fw190f.1", "ax.air.fw190f.2", STUKA, BF109]
    state = sky(dict.fromkeys((*four, BF109B), HOME), units={RIFLES: TARGET})
    rig = bombing(state)
    assert rig.refused(AXIS, "bomb", TARGET, *four, BF109B).rule == "OCS 14.2a"
    limited = bombing(replace(state, flight="limited"))
    assert limited.refused(AXIS, "bomb", TARGET, *four[:3]).rule == "OCS 17"
    none = replace(state, flight="none", segment="c3")
    assert not missions.airborne(none, AXIS)
    later = replace(state, flight="limited", segment="g2")
    assert not missions.airborne(later, AXIS)


def test_10_0c_hr_1_3e_aircraft_do_not_barrage_bases() -> None:
    """HR 1.3e Aircraft barrage no air bases."""
    state = sky({STUKA: HOME, IL2: RED})
    rig = bombing(state)
    assert rig.refused(AXIS, "bomb_base", RED, STUKA).rule == "HR 1.3e"


def test_14_1c_aircraft_return_to_any_base_in_range() -> None:
    """OCS 14.1c, 14.2d Aircraft return to any base of theirs in range of the target, to no
    other."""
    state = sky(
        {STUKA: HOME}, {HOME: (AXIS, 2), "A26.16": (AXIS, 1), "B26.10": (AXIS, 1)}, {RIFLES: TARGET}
    )
    rig = bombing(state)
    rig.dice(1, 1, 1, 1)
    rig.do(AXIS, "bomb", TARGET, STUKA)

    assert rig.options(AXIS, "land", STUKA)[:2] == (HOME, "A26.16")
    assert rig.refused(AXIS, "land", STUKA, "B26.10").rule == "OCS 14.2d"
    rig.do(AXIS, "land", STUKA, "A26.16")
    assert rig.state.aircraft[STUKA].base == state.charts.board.hex("A26.16")


# --- fog ------------------------------------------------------------------------------------------


def test_4_9_what_the_enemy_hears_of_a_mission() -> None:
    """OCS 4.9a, R-15 The target, the kind and the top aircraft are told, a fighter first; who
    else flies, and where they land, is sealed. The next active aircraft of the base is shown."""
    state = sky({STUKA: HOME, BF109: HOME, FOCKE: HOME}, units={RIFLES: TARGET})
    rig = bombing(state)
    rig.dice(1, 1, 1, 1)
    rig.do(AXIS, "bomb", TARGET, STUKA, BF109)

    (declared,) = of(rig, missions.MissionDeclared)
    assert (declared.side, declared.kind, declared.place) == (AXIS, BARRAGE, TARGET)
    assert declared.shown == BF109
    assert isinstance(declared.aircraft, Secret) and declared.aircraft.readers == (AXIS,)
    assert fog.top_aircraft(rig.state, state.charts.board.hex(HOME)) == FOCKE
    rig.do(AXIS, "home")
    seen, hidden = of(rig, AircraftPlaced)
    assert seen.aircraft == (BF109,) and isinstance(seen.bases, Secret)
    assert hidden.aircraft.value == (STUKA,) and isinstance(hidden.bases, Secret)


def test_4_9_how_many_fly_is_not_told() -> None:
    """OCS 4.9a, R-15 The events of a mission of one and of two are as many, and all that is
    plain in them is the same."""
    heard = []
    for names in ((BF109,), (BF109, STUKA)):
        state = sky({STUKA: HOME, BF109: HOME, FOCKE: HOME}, units={RIFLES: TARGET})
        rig = rigged(state)
        rig.do(AXIS, "transfer", "box.air.lw4", *names)
        heard.append([(type(one).tag, getattr(one, "active", None)) for one in rig.events])
    assert heard[0] == heard[1]


def test_4_9d_air_combat_shows_all() -> None:
    """OCS 4.9d, R-18 All aircraft in the combat are shown, until they are inactive again."""
    state = sky(
        {STUKA: HOME, FOCKE: HOME, LA5: NEAR},
        {HOME: (AXIS, 2), NEAR: (SOVIET, 1)},
        {RIFLES: TARGET},
    )
    rig = bombing(state)
    rig.do(AXIS, "bomb", TARGET, STUKA, FOCKE)
    rig.do(SOVIET, "intercept", LA5)
    (joined,) = of(rig, air_combat.AirCombatJoined)
    assert set(joined.aircraft) == {STUKA, FOCKE, LA5}
    assert all(fog.aircraft_seen(rig.state, name) for name in joined.aircraft)


def test_15_inactive_aircraft_that_are_lost_are_not_named() -> None:
    """OCS R-15 A step that an aircraft loses is told; which one only where it was seen."""
    state = sky({STUKA: HOME, FOCKE: HOME})
    resting = replace(state.aircraft[STUKA], active=False)
    rig = rigged(replace(state, aircraft={**state.aircraft, STUKA: resting}))
    rig.position = replace(rig.position, open=())
    rig.run(lambda table: losses.lose_plane(table, STUKA, why="barrage"))
    (lost,) = of(rig, losses.PlaneLost)
    assert isinstance(lost.aircraft, Secret) and lost.steps == 1
    rig.run(lambda table: losses.lose_plane(table, FOCKE, why="barrage"))
    (lost,) = of(rig, losses.PlaneLost)
    assert lost.aircraft == FOCKE


# --- tank busters, Rudel, the game's own ----------------------------------------------------------


@pytest.mark.parametrize("mode", FOGS)
def test_hr_2_2a_example_53_no_tanks(mode: str) -> None:
    """HR 2.2a(2) Example 53: tank busters over infantry alone abort before flak; the hex has been
    barraged."""
    state = sky({BUSTER: HOME}, units={RIFLES: TARGET, SPOTTER: "A26.10"}, fog=mode)
    rig = bombing(state)
    rig.do(AXIS, "bomb", TARGET, BUSTER)

    (aborted,) = of(rig, air_combat.AircraftAborted)
    assert aborted.why == air_course.NO_TARGET
    assert not of(rig, flak.FlakFired)
    rig.do(AXIS, "home")
    assert not rig.state.aircraft[BUSTER].active
    assert rig.state.phase_use.barraged


@pytest.mark.parametrize(("dice", "result"), [((6, 6), 1), ((4, 4), 1)])
def test_hr_2_2a_example_53_tanks(dice: tuple[int, int], result: int) -> None:
    """HR 2.2a(3) Example 53: steps, halves and bracketed halves are one step, without a die for the
    half; the strongest yellow or red unit takes it."""
    state = sky(
        {BUSTER: HOME, RUDEL: HOME},
        units={RIFLES: TARGET, TANKS: TARGET, "su.su.366gd": TARGET, SPOTTER: "A26.10"},
    )
    rig = bombing(state)
    rig.dice(1, 1, *dice)
    rig.do(AXIS, "bomb", TARGET, BUSTER, RUDEL)

    (shells,) = of(rig, barrage.ShellsFallen)
    assert (shells.steps, shells.die) == (result, 0)
    assert rig.options(SOVIET, "lose") == (TANKS,)
    assert rig.refused(SOVIET, "lose", RIFLES)


def test_hr_2_2a_who_flies_with_tank_busters() -> None:
    """HR 2.2a(1), (3), R-21 No other bombers, fighters as escorts whose points do not count;
    never without a spotter; nothing but barrages and hip shoots."""
    state = sky(
        {BUSTER: HOME, HENSCHEL: HOME, STUKA: HOME, BF109: HOME},
        units={TANKS: TARGET, SPOTTER: "A26.10", RIFLES: "A26.14"},
    )
    rig = bombing(state)
    assert rig.options(AXIS, "bomb", TARGET, BUSTER) == (BF109, HENSCHEL)
    assert rig.refused(AXIS, "bomb", TARGET, BUSTER, STUKA).rule == "HR 2.2a"
    assert rig.refused(AXIS, "bomb", "A26.14", BUSTER).rule == "OCS 10.0b"
    assert BUSTER not in rig.options(AXIS, "bust", TARGET)
    rig.dice(1, 1, 1, 1)
    rig.do(AXIS, "bomb", TARGET, BUSTER, BF109)
    (shells,) = of(rig, barrage.ShellsFallen)
    assert shells.strength == "10"


def test_hr_2_2a_the_escort_does_not_bomb_alone() -> None:
    """HR 2.2a(1) Where the busters have aborted, their escort does not bomb."""
    state = sky(
        {BUSTER: HOME, BF109: HOME, LA5: NEAR},
        {HOME: (AXIS, 2), NEAR: (SOVIET, 1)},
        {TANKS: TARGET, SPOTTER: "A26.10"},
    )
    rig = bombing(state)
    rig.do(AXIS, "bomb", TARGET, BUSTER, BF109)
    rig.do(SOVIET, "intercept", LA5)
    rig.dice(6, 6, 1, 1, 1, 1)
    rig.do(AXIS, "meet", BUSTER)
    rig.dice(1, 1)
    rig.do(AXIS, "stay")
    assert of(rig, flak.FlakFired)
    assert not of(rig, barrage.ShellsFallen)


def test_hr_2_2b_example_54() -> None:
    """HR 2.2b Example 54: Rudel, intercepted, aborts without combat; the interceptor stays
    active."""
    state = sky(
        {RUDEL: HOME, LA5: NEAR},
        {HOME: (AXIS, 2), NEAR: (SOVIET, 1)},
        {TANKS: TARGET, SPOTTER: "A26.10"},
    )
    rig = bombing(state)
    rig.do(AXIS, "bomb", TARGET, RUDEL)
    rig.do(SOVIET, "intercept", LA5)

    assert not of(rig, air_combat.AirCombatJoined)
    (aborted,) = of(rig, air_combat.AircraftAborted)
    assert aborted.why == air_combat.SHUNS
    assert rig.state.aircraft[LA5].active
    assert not of(rig, flak.FlakFired)


def test_hr_3_2b_the_long_range_air_force() -> None:
    """HR 3.2b It flies in the Soviet Movement Phase and stays in its box."""
    state = sky({IL4: "box.air.lraf"}, units={SPOTTER: "B10.10"}, phasing=SOVIET)
    assert IL4 in missions.flyers(replace(state, segment="c3"), SOVIET, BARRAGE)
    assert IL4 not in missions.flyers(replace(state, segment="g2"), SOVIET, BARRAGE)
    assert IL4 not in missions.flyers(state, SOVIET, "transfer")
    assert aircraft.homes(state, IL4, state.charts.board.hex("B10.10")) == ("box.air.lraf",)


def test_hr_1_2a_white_aircraft() -> None:
    """HR 1.2a, 1.3c White aircraft fly north of the white line alone; before 29 October they return
    to their box, from then on to bases north of it too."""
    white = "su.air.wpe2.1"
    state = sky(
        {white: "box.air.8aa"},
        {"B10.12": (SOVIET, 1), "B21.12": (SOVIET, 1)},
        {SPOTTER: "B15.10", "ax.inf.96": "B21.10"},
        phasing=SOVIET,
        segment="c3",
    )
    board = state.charts.board
    assert missions.gets_to(state, white, BARRAGE, board.hex("B15.10")) == aircraft.reaches(
        state, white, board.hex("B15.10")
    )
    assert not missions.gets_to(state, white, BARRAGE, board.hex("B21.10"))
    here = board.hex("B5.10")
    assert board.hex("B10.12") in aircraft.homes(state, white, here)
    assert board.hex("B21.12") not in aircraft.homes(state, white, here)
    assert board.hex("B10.12") not in aircraft.homes(replace(state, turn=7), white, here)


def test_21_4_long_range_shifts_left() -> None:
    """OCS 21.4 Beyond half of its range a barrage is shifted one to the left, and a fighter that is
    transferred so far rests."""
    state = sky(
        {BF109: HOME, STUKA: HOME}, {HOME: (AXIS, 2), "A26.20": (AXIS, 1)}, {RIFLES: "A26.21"}
    )
    state = opened(state, long_range_air=True)
    rig = bombing(state)
    rig.dice(1, 1, 1, 1)
    rig.do(AXIS, "bomb", "A26.21", STUKA)
    (shells,) = of(rig, barrage.ShellsFallen)
    assert ("long_range", -1) in shells.shifts
    moving = rigged(state)
    moving.do(AXIS, "transfer", "A26.20", BF109)
    assert not moving.state.aircraft[BF109].active
