"""OCS 21.12a: air transport by an intermediate base."""

import random

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put
from tests.rules.ocs.flights import (
    FARTHER,
    FARTHEST,
    LUFTWAFFE,
    REAR,
    SECURITY,
    flown,
    lying,
    where,
)
from tests.rules.ocs.skies import (
    BF109,
    BF109B,
    FIELD,
    HOME,
    JUNKERS,
    JUNKERS2,
    LA5,
    airlift,
    of,
    opened,
    rigged,
)
from warledger.engine.games.ocs.ch14_air import air_transport, flak
from warledger.engine.games.ocs.ch21_options import air_relay
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.protocol.board.choices import Choices


def relays(*args: object, level: int = 2, **named: object) -> State:
    """Transports with a base on the way, REAR behind it, the option in force."""
    bases = {REAR: (AXIS, 2), **named.pop("bases", {})}  # type: ignore[dict-item]
    state = airlift(*args, level=level, bases=bases, **named)  # type: ignore[arg-type]
    return opened(state, **{air_relay.OPTION: True})


@pytest.mark.parametrize("mode", ["strict", "open"])
def test_21_12a_it_unloads_and_loads_at_both_bases(mode: str) -> None:
    """OCS 21.12a 1T is unloaded on the way, 1T goes past to the last base, 1T is taken up on the
    way; the transports are home and inactive, what was moved goes no further."""
    state = relays(12, (JUNKERS, JUNKERS2), units={SECURITY: FIELD}, fog=mode)
    state = put(state, SECURITY, move_side=True)
    rig = rigged(state)
    rig.do(
        AXIS,
        *("relay", FIELD, REAR, JUNKERS, JUNKERS2),
        *("to_stop", 1, "through", 1, SECURITY, REAR),
    )
    assert (lying(rig, HOME), lying(rig, FIELD), lying(rig, REAR)) == (10, 1, 1)
    assert where(rig, SECURITY) == REAR
    assert rig.state.units[SECURITY].carried == "air"
    flown(rig)
    assert {where(rig, JUNKERS), where(rig, JUNKERS2)} == {HOME}
    assert not rig.state.aircraft[JUNKERS].active
    at = rig.state.charts.board.hex
    assert air_transport.fresh(rig.state, AXIS, at(FIELD)) == 0
    assert rig.state.sortie is None


def test_21_12a_transports_fetch_what_lies_elsewhere() -> None:
    """OCS 21.12a The last base may be the first: supply and a regiment are brought back."""
    state = put(relays(0, units={LUFTWAFFE: FIELD}), LUFTWAFFE, move_side=True)
    board = state.charts.board
    supply = {**state.supply, AXIS: {board.hex(FIELD): 4}}
    rig = rigged(replace(state, supply=supply))
    rig.do(AXIS, "relay", FIELD, HOME, JUNKERS, "from_stop", 1, LUFTWAFFE, HOME)
    flown(rig)
    assert (lying(rig, FIELD), lying(rig, HOME)) == (3, 1)
    assert where(rig, LUFTWAFFE) == HOME


def test_21_12a_the_longer_leg_counts() -> None:
    """OCS 21.12a, 14.9e Within half the range on both legs a Ju 52 takes twice its load; with a leg
    beyond the range it stays where it ends."""
    state = relays(bases={FARTHEST: (AXIS, 2)})
    at = state.charts.board.hex
    lift = air_transport.lift
    assert lift(state, (JUNKERS,), at(REAR), via=at(FIELD)) == 2
    assert lift(state, (JUNKERS,), at(FARTHEST), via=at(FIELD)) == 1
    assert lift(state, (JUNKERS,), at(FIELD), via=at(FARTHEST)) == 1
    short = replace(state.charts.printed.planes[JUNKERS], range=17)
    printed = replace(state.charts.printed, planes={**state.charts.printed.planes, JUNKERS: short})
    charts = replace(state.charts, printed=printed)
    rig = rigged(replace(state, charts=charts, field=replace(state.field, charts=charts)))
    assert rig.refused(AXIS, "relay", FIELD, FARTHEST).rule == "OCS 21.12a"
    rig.do(AXIS, "relay", FIELD, REAR, JUNKERS, "to_stop", 1)
    flown(rig)
    assert where(rig, JUNKERS) == REAR


def test_21_12a_an_escort_flies_both_legs() -> None:
    """OCS 21.12a, 14.2d An escort goes along where neither leg is longer than its range, however
    far the last base lies from its own, and not where one is."""
    state = relays(12, bases={FARTHER: (AXIS, 2)}, others={BF109: HOME, BF109B: FIELD})
    for end, flies in ((REAR, True), (FARTHER, False)):
        rig = rigged(state)
        assert (BF109 in rig.options(AXIS, "relay", FIELD, end, JUNKERS)) is flies
    rig = rigged(state)
    rig.do(AXIS, "relay", FIELD, REAR, JUNKERS, BF109, "to_stop", 1)
    flown(rig)
    assert where(rig, BF109) == REAR, "its own base is beyond its range"
    assert not rig.state.aircraft[BF109].active


def test_21_12a_flak_and_interception_at_both_bases() -> None:
    """OCS 21.12a, 14.5 In an enemy patrol zone the mission may be met at the base on the way and at
    the last one, and not at the last one where nothing is bound for it."""
    state = relays(others={LA5: "A26.24"}, bases={"A26.24": (SOVIET, 1)})
    assert (
        state.charts.board.map.grid.distance(
            state.charts.board.hex("A26.24"), state.charts.board.hex(REAR)
        )
        <= 10
    )
    for cargo, fired in ((("to_stop", 1, "through", 1), 2), (("to_stop", 1), 1)):
        rig = rigged(state)
        rig.do(AXIS, "relay", FIELD, REAR, JUNKERS, *cargo)
        shots = 0
        while rig.asked() == {SOVIET: "prompt.ocs.interception"}:
            rig.dice(1, 1)
            rig.do(SOVIET, "pass")
            shots += len(of(rig, flak.FlakFired))
        assert shots == fired, cargo


def test_21_12a_what_is_lost_on_the_way() -> None:
    """OCS 21.12a, 14.4g A Ju 52 that loses a step over the base on the way has half its capacity
    from then on: what comes from its base is kept longest, the regiment there stays."""
    state = relays(
        12,
        (JUNKERS,),
        units={LUFTWAFFE: FIELD},
        others={LA5: "A26.24"},
        bases={"A26.24": (SOVIET, 1)},
    )
    rig = rigged(put(state, LUFTWAFFE, move_side=True))
    rig.do(AXIS, "relay", FIELD, REAR, JUNKERS, "to_stop", 1, "through", 1, LUFTWAFFE, REAR)
    rig.dice(6, 6)
    rig.do(SOVIET, "pass")
    assert rig.state.aircraft[JUNKERS].lost == 1
    assert (lying(rig, HOME), lying(rig, FIELD)) == (11, 0)
    assert where(rig, LUFTWAFFE) == FIELD
    rig.dice(1, 1)
    rig.do(SOVIET, "pass")
    assert (lying(rig, HOME), lying(rig, REAR)) == (10, 1)
    assert rig.state.spent_sp[AXIS] == 1


def test_21_12a_who_aborts_on_the_way_is_out_of_it() -> None:
    """OCS 21.12a, 14.1c [R] A transport that aborts over the base on the way lands there; its cargo
    is back, what it should have taken up stays, and nobody goes on."""
    state = relays(12, (JUNKERS,), others={LA5: "A26.24"}, bases={"A26.24": (SOVIET, 1)})
    rig = rigged(state)
    rig.do(AXIS, "relay", FIELD, REAR, JUNKERS, "to_stop", 1, "through", 1)
    rig.dice(6, 6, 1)
    rig.do(SOVIET, "intercept", LA5)
    flown(rig)
    assert where(rig, JUNKERS) == FIELD
    assert (lying(rig, HOME), lying(rig, FIELD), lying(rig, REAR)) == (12, 0, 0)
    assert rig.state.spent_sp[AXIS] == 0
    assert rig.state.sortie is None


def test_21_12a_what_a_relay_refuses() -> None:
    """OCS 21.12a, 14.9b, 14.9f Without the option there is none; something happens at the base on
    the way; it unloads no more than it can let go on, and no leg is overloaded."""
    off = rigged(airlift(bases={REAR: (AXIS, 2)}))
    assert off.refused(AXIS, "relay", FIELD).key == "refusal.ocs.no_relays"
    rig = rigged(relays(12, (JUNKERS, JUNKERS2), level=1, others={BF109: HOME}))
    order = ("relay", FIELD, REAR, JUNKERS, JUNKERS2)
    assert rig.refused(AXIS, *order, "through", 1).key == "refusal.ocs.nothing_at_the_stop"
    assert rig.refused(AXIS, *order, "to_stop", 3).rule == "OCS 14.9b"
    assert rig.refused(AXIS, *order, "to_stop", 2, "through", 3).rule == "OCS 14.9b"
    assert rig.refused(AXIS, *order, "from_stop").rule == "OCS 14.9b"
    assert rig.refused(AXIS, *order, SECURITY).rule == "OCS 14.9a"
    assert rig.refused(AXIS, "relay", FIELD, FIELD).rule == "OCS 21.12a"
    assert rig.refused(AXIS, "relay", HOME, REAR, JUNKERS).rule == "OCS 21.12a"
    far = rigged(relays(12, bases={FARTHER: (AXIS, 2)}, others={BF109: HOME}))
    assert far.refused(AXIS, "relay", FIELD, FARTHER, JUNKERS, BF109).rule == "OCS 14.2d"
    rig.do(AXIS, "relay", FIELD, HOME, JUNKERS, BF109, "to_stop", 2)
    flown(rig)
    assert where(rig, BF109) == HOME


def test_21_12a_what_it_carries_is_not_seen() -> None:
    """OCS 21.12a, 4.9a Under fog the events of such a flight are the same whatever it carries past
    the base on the way or takes up there."""
    heard = []
    for cargo in (("to_stop", 1, "through", 1), ("to_stop", 2, "through", 2)):
        rig = rigged(relays(12, (JUNKERS, JUNKERS2)))
        rig.do(AXIS, "relay", FIELD, REAR, JUNKERS, JUNKERS2, *cargo)
        heard.append([type(one).tag for one in rig.events])
        went_on = next(one for one in rig.events if isinstance(one, air_relay.WentOn))
        assert went_on.tokens.readers == went_on.units.readers == (AXIS,)
    assert heard[0] == heard[1]


def test_21_12a_no_order_comes_to_a_dead_end() -> None:
    """OCS 21.12a Whatever is picked of what is offered, a whole order is reached, with transports
    and bases of any strength and any cargo about."""
    rng = random.Random(21)
    for _ in range(6):
        units = {name: rng.choice((HOME, FIELD)) for name in (SECURITY, LUFTWAFFE)}
        state = relays(
            rng.randint(0, 2),
            (JUNKERS, JUNKERS2),
            units,
            level=rng.randint(1, 2),
            others={BF109: HOME},
        )
        for name in units:
            state = put(state, name, move_side=True)
        weak = {name: replace(state.aircraft[name], lost=1) for name in (JUNKERS, JUNKERS2)}
        if rng.random() < 0.6:
            state = replace(state, aircraft={**state.aircraft, **weak})
        supply = {**state.supply[AXIS], state.charts.board.hex(FIELD): rng.randint(0, 2)}
        rig = rigged(replace(state, supply={**state.supply, AXIS: supply}))
        if "relay" not in rig.options(AXIS):
            continue
        picks: tuple[str | int, ...] = ("relay",)
        while True:
            found = rig.choices(AXIS, *picks)
            assert isinstance(found, Choices), picks
            options: list[str | int] = [one.id for one in found.options]
            if found.span is not None:
                options.append(rng.randint(*found.span))
            if found.complete and (not options or rng.random() < 0.5):
                break
            assert options, picks
            picks = (*picks, rng.choice(options))
