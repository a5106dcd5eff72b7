"""OCS 4: rounding, RE, transport equivalents, zones and negation, stacking."""

from fractions import Fraction

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, names, put, stand
from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import concepts, rounding, stacking, zones
from warledger.engine.games.ocs.ch13_special_units.rail import rail_cost
from warledger.engine.games.ocs.series.state import DG, EXPLOIT, RESERVE, STRAT, State, Unit, exerts

DIVISION, TIGERS, HQ, GUNS, TRUCK = (
    "ax.inf.44",
    "ax.tgr.503",
    "ax.hq.iv",
    "ax.art.403",
    "ax.1ss.truck",
)
RIFLES = "su.gd.81"


def test_4_1_halves_go_up() -> None:
    """OCS 4.1 To the nearest, .5 up, in whole numbers as in fractions."""
    assert [rounding.rounded(Fraction(x)) for x in ("5/2", "12/5", "7/2", "-1/2")] == [3, 2, 4, 0]
    assert [rounding.half_up(5, 2), rounding.half_up(12, 5), rounding.half_up(-1, 2)] == [3, 2, 0]


def test_4_4_who_can_attack() -> None:
    """OCS 3.2b, 4.4, 4.4a Attack-capable: a strength without parentheses, neither Strat nor
    Reserve; no HQ, artillery or transport; a zero counts."""
    state = stand({})
    able = {
        name: concepts.attack_capable(state.counter(name), state.units[name])
        for name in (DIVISION, TIGERS, HQ, GUNS, TRUCK, "ax.hu.kom", "ax.pontoon.1")
    }

    assert able == {
        DIVISION: True,
        TIGERS: True,
        HQ: False,
        GUNS: False,
        TRUCK: False,
        "ax.hu.kom": False,
        "ax.pontoon.1": True,
    }
    for marker, may in ((STRAT, False), (RESERVE, False), (DG, True), (EXPLOIT, True)):
        unit = Unit(marker=marker)
        assert concepts.attack_capable(state.counter(DIVISION), unit) is may


def test_4_5_zones_cover_seven_hexes_whatever_lies_there() -> None:
    """OCS 4.5 A unit in Combat mode has a zone in its hex and all six around it, over the Danube
    too."""
    state = stand({DIVISION: "A31.18"})

    assert names(state, state.field.zones[AXIS]) == {
        "A31.18",
        "A31.19",
        "A31.17",
        "A30.18",
        "A30.17",
        "A32.18",
        "A32.17",
    }
    assert state.field.zones[SOVIET] == 0


@pytest.mark.parametrize(
    ("changes", "has"),
    [
        ({}, True),
        ({"move_side": True}, False),
        ({"marker": RESERVE}, False),
        ({"marker": STRAT, "move_side": True}, False),
        ({"marker": DG}, False),
        ({"oos": True}, False),
        ({"marker": EXPLOIT, "zone_kept": True}, True),
        ({"marker": EXPLOIT, "zone_kept": False}, False),
    ],
)
def test_4_5_only_combat_mode_has_a_zone(changes: dict[str, object], has: bool) -> None:
    """OCS 4.5, 5.9c Combat mode and not OOS; in Exploit mode as before. The field follows."""
    state = put(stand({DIVISION: "A31.18"}), DIVISION, **changes)

    assert exerts(state.charts, DIVISION, state.units[DIVISION]) is has
    assert bool(state.field.zones[AXIS]) is has


def test_4_5a_what_negation_lifts() -> None:
    """OCS 4.5a The table's last column."""
    lifted = dict(zones.BARS.values())

    assert lifted == {
        "A": True,
        "B": True,
        "C": False,
        "D": True,
        "E": False,
        "F": True,
        "G": False,
        "H": True,
        "I": False,
        "J": False,
        "K": False,
    }


def test_4_5b_who_negates_and_when() -> None:
    """OCS 4.5b A combat unit negates where it stands: it is taken to stay, unless it is about to
    go; outside its own movement always. Example 46."""
    state = stand({RIFLES: "A26.11", TIGERS: "A26.10"}, phasing=AXIS, segment="c2")
    i = state.charts.board.hex("A26.10")

    assert not zones.bars(state, AXIS, zones.TRUCK_MOVE, i)
    assert zones.bars(zones.leaving(state, (TIGERS,)), AXIS, zones.TRUCK_MOVE, i)
    assert zones.leaving(put(state, TIGERS, finished=True), (TIGERS,)).phase_use.leaving == set()
    assert not zones.bars(put(state, TIGERS, finished=True), AXIS, zones.TRUCK_MOVE, i)
    assert zones.bars(put(state, TIGERS, finished=True), AXIS, zones.STRAT, i)
    for segment in ("c3", "d", "f2", "h"):
        there = stand({RIFLES: "A26.11", TIGERS: "A26.10"}, phasing=AXIS, segment=segment)
        assert not zones.bars(there, AXIS, zones.TRUCK_MOVE, i)
    theirs = stand({RIFLES: "A26.11", TIGERS: "A26.10"}, phasing=SOVIET, segment="c2")
    assert not zones.bars(theirs, AXIS, zones.TRUCK_SUPPLY, i)


def test_4_5b_in_reaction_and_exploitation_only_some_can_still_move() -> None:
    """OCS 4.5b, 2.3 In the Reaction and Exploitation Phases units that cannot move in them
    stay for certain, the others unless they go."""
    where = {RIFLES: "A26.11", TIGERS: "A26.10"}
    i = 1 << stand({}).charts.board.hex("A26.10")
    for segment, phasing in (("e1", SOVIET), ("g1", AXIS)):
        state = stand(where, phasing=phasing, segment=segment)
        assert stays(state) & i
        assert not stays(put(state, TIGERS, marker=RESERVE)) & i
        assert not stays(put(state, TIGERS, released=True)) & i
        assert zones.negated(put(state, TIGERS, released=True), AXIS) & i
    exploiting = stand(where, phasing=AXIS, segment="g1")
    assert not stays(put(exploiting, TIGERS, marker=EXPLOIT)) & i
    reacting = stand(where, phasing=SOVIET, segment="e1")
    assert stays(put(reacting, TIGERS, marker=EXPLOIT)) & i


def stays(state: State) -> int:
    """Hexes that Tigers negate for the Axis though whoever can go is about to."""
    return zones.negated(zones.leaving(state, (TIGERS,)), AXIS)


def test_4_6_re_by_size_and_losses() -> None:
    """OCS 3.2d, 4.6, 13.1 Multi-step units lose an RE a step; battalions are half, an HQ one, a
    company a quarter."""
    state = stand({})
    re = {name: concepts.re(state.counter(name), Unit()) for name in (DIVISION, TIGERS, HQ)}

    assert re == {DIVISION: 12, TIGERS: 2, HQ: 4}
    assert concepts.re(state.counter(DIVISION), Unit(lost=1)) == 8
    assert concepts.steps(state.counter(DIVISION), Unit(lost=1)) == 2
    assert concepts.re(state.counter("ax.109pz"), Unit()) == 8
    assert concepts.re(state.counter("ax.flm.351"), Unit()) == 1


def test_4_7_what_carrying_costs() -> None:
    """OCS 4.7, 4.7b, 4.7c RE; half for Leg units of a Move-mode MA up to 6; transport its points.
    Example 36."""
    state = stand({})
    cost = {
        name: concepts.transport_cost(state.counter(name), Unit())
        for name in (DIVISION, TIGERS, HQ, "ax.truck.1")
    }

    assert cost == {
        DIVISION: Fraction(3, 2),
        TIGERS: Fraction(1, 2),
        HQ: 1,
        "ax.truck.1": 1,
    }
    for zone, multi, rail in ((False, False, "3/2"), (True, False, "3"), (False, True, "3/4")):
        assert rail_cost(cost[DIVISION], zone=zone, multi=multi) == Fraction(rail)


def test_4_2_fractions_are_told_as_players_write_them() -> None:
    """OCS 4.2 Strengths are not rounded: they are told as 21½, not as 43/2."""
    told = [rounding.mixed(x) for x in ("43/2", Fraction(1, 2), "8", "0", "35/8", "3/8", "5/3")]

    assert told == ["21½", "½", "8", "0", "4 3/8", "3/8", "1⅔"]


def test_4_8_ten_re_a_hex() -> None:
    """OCS 3.0, 4.8, 4.8a Ten RE of combat units; transport does not count."""
    divisions = [f"su.gd.{n}" for n in (4, 36, 72)]
    state = stand({**dict.fromkeys(divisions, "A26.11"), "su.truck.1": "A26.11"})
    i = state.charts.board.hex("A26.11")

    assert stacking.re_in(state, i) == 36
    assert stacking.fits(state, ("su.hq.7ga",), i)
    assert not stacking.fits(state, ("su.hq.7ga", "su.gun.27"), i)
    assert stacking.excess(stand(dict.fromkeys((*divisions, RIFLES), "A26.11")), i) == 8
    assert stacking.overstacked(state, SOVIET) == ()


def test_3_5c_partisans_stack_with_nobody() -> None:
    """HR 3.5c, 3.5d Example 65: two partisan units in a hex are overstacked."""
    state = stand({"su.sp.1": "A13.17", "su.sp.2": "A13.17"})

    assert stacking.overstacked(state, SOVIET) == (state.charts.board.hex("A13.17"),)
    assert stacking.overstacked(stand({"su.sp.1": "A13.17"}), SOVIET) == ()
    assert hexsets.listed(state.field.combat[SOVIET]) == stacking.overstacked(state, SOVIET)
