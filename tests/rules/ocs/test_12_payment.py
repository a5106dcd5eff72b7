"""OCS 12.1-12.3, 12.10: payments out of dumps, loads and internal stocks."""

import random

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.hungarian_rhapsody.table import at_table
from tests.rules.ocs.play import bench
from warledger.engine.games.hungarian_rhapsody.rules import PICTURE
from warledger.engine.games.ocs.ch12_supply import bills, payment, payment_means
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.ch12_supply.payment import NONE, PART, STOCKS, SUPPLY
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.state import EXHAUSTED, LOW, State, with_supply
from warledger.engine.kernel import door
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.choices import Choices, Refusal, offer
from warledger.protocol.board.effects import tell

TIGERS, DIVISION, HQ = "ax.tgr.503", "ax.inf.44", "ax.hq.iv"
PANZERS, TRUCK = "ax.fhh.pz2", "ax.fhh.truck"
RIFLES = "su.gd.81"


def ground(state: State, **lying: int) -> State:
    """The position with T of the Axis on the ground, by hex (`A26_10=4`)."""
    for name, tokens in lying.items():
        state = with_supply(state, AXIS, state.charts.board.hex(name.replace("_", ".")), tokens)
    return state


def at(state: State) -> State:
    """The same in the Axis Combat Phase."""
    return replace(state, phasing=AXIS, segment="f2", turn=42)


def asked(state: State, bill: Bill) -> Rig[State]:
    """A rig that has been asked to pay."""
    rig = bench(state, bills, payment)
    rig.run(lambda table: payment.begin(table, bill))
    rig.jump("idle", payment.PAYMENT)
    return rig


def said(rig: Rig[State]) -> dict[str, object]:
    """What the Axis is told of the bill in the question."""
    asked = door.deciders(rig.rules, rig.position)
    return dict(asked[AXIS].prompt.args)


def test_12_3_auto_pays_from_the_nearest_dump() -> None:
    """OCS 12.3a Several dumps contribute, the nearest first."""
    state = ground(at(stand({TIGERS: "A26.10"})), A26_10=1, A26_09=3)
    rig = asked(state, Bill(AXIS, "defence", (TIGERS,), 2))

    assert rig.asked() == {AXIS: "prompt.ocs.payment"}
    rig.do(AXIS, "auto")

    board = state.charts.board
    assert rig.state.bill is not None
    assert rig.state.bill.picks == ((TIGERS, "A26.10", 1), (TIGERS, "A26.09", 1))
    assert rig.state.supply[AXIS] == {board.hex("A26.09"): 2}
    assert rig.state.spent_sp[AXIS] == 2
    assert payment.outcome(rig.state) == SUPPLY


def test_12_3_every_other_way_is_picked_one_by_one() -> None:
    """OCS 12.3 Any dump in reach may pay, T by T; what is out of reach is not offered."""
    state = ground(at(stand({TIGERS: "A26.10"})), A26_10=4, A26_09=3, A50_10=4)
    rig = asked(state, Bill(AXIS, "defence", (TIGERS,), 2))

    assert rig.options(AXIS, "pay", TIGERS) == ("A26.10", "A26.09")
    assert rig.refused(AXIS, "pay", TIGERS, "A50.10", 1).rule == "OCS 12.3"
    assert rig.refused(AXIS, "pay", TIGERS, "A26.09", 3).rule == "OCS 12.3"
    assert said(rig) == {"amount": "2T", "purpose": "ocs.purpose.defence"}
    rig.do(AXIS, "pay", TIGERS, "A26.09", 1)
    assert rig.asked() == {AXIS: "prompt.ocs.payment"}
    assert said(rig) == {"amount": "1T", "purpose": "ocs.purpose.defence"}
    rig.do(AXIS, "pay", TIGERS, "A26.10", 1)

    assert payment.outcome(rig.state) == SUPPLY
    rig.run(payment.close)
    assert rig.state.bill is None


def test_12_3a_a_divided_payment_is_one_command() -> None:
    """OCS 12.3a, R-15 What several dumps pay is named in one command and booked in one event,
    so that nobody hears how many they were; each part leaves less for the next."""
    state = ground(at(stand({TIGERS: "A26.10"})), A26_10=4, A26_09=3)
    rig = asked(state, Bill(AXIS, "defence", (TIGERS,), 3))
    first = ("pay", TIGERS, "A26.09", 1)
    assert rig.choices(AXIS, *first) == offer("ocs.payer", [TIGERS], complete=True, sealed=True)
    rest = rig.choices(AXIS, *first, TIGERS, "A26.10")
    assert isinstance(rest, Choices) and rest.span == (1, 2) and rest.sealed
    assert rig.refused(AXIS, *first, TIGERS, "A26.10", 3).rule == "OCS 12.3"
    assert rig.refused(AXIS, *first, TIGERS, "A50.10").rule == "OCS 12.3"
    told = rig.preview(AXIS, *first, TIGERS, "A26.10", 2)
    assert not isinstance(told, Refusal) and len(told) == 2
    rig.do(AXIS, *first, TIGERS, "A26.10", 2)
    (paid,) = [one for one in rig.events if isinstance(one, bills.Paid)]
    assert paid.picks.value == ((TIGERS, "A26.09", 1), (TIGERS, "A26.10", 2))
    assert payment.outcome(rig.state) == SUPPLY


def test_12_3_a_source_is_no_payer() -> None:
    """OCS 12.3 Who names a dump in reach where a payer is asked for is told for whom it can pay,
    and not that it is out of reach; once all is paid nothing more is due."""
    state = ground(at(stand({TIGERS: "A26.10"})), A26_10=4, A50_10=4)
    rig = asked(state, Bill(AXIS, "defence", (TIGERS,), 2))
    near = rig.refused(AXIS, "pay", "A26.10")
    assert (near.key, dict(near.args)) == (
        "refusal.ocs.for_whom_first",
        {"what": "A26.10", "units": (TIGERS,)},
    )
    assert rig.refused(AXIS, "pay", "A50.10").key == "refusal.ocs.out_of_reach"
    paid = rig.refused(AXIS, "pay", TIGERS, "A26.10", 2, TIGERS)
    assert paid.key == "refusal.ocs.nothing_left_to_pay"


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_12_5c_who_stays_without_fuel_is_told(fog: str) -> None:
    """OCS 12.5c What would remain unpaid is shown before, and in the open told afterwards."""
    state = ground(stand({TIGERS: "A26.10"}, turn=42), A26_10=4)
    rig = at_table(state, "moving", fog=fog)
    rig.do(AXIS, "fuel", TIGERS)
    (before,) = rig.preview(AXIS, "unpaid")
    assert before.key == "preview.ocs.left_unpaid"
    assert dict(before.args) == {
        "amount": "1T",
        "purpose": "ocs.purpose.fuel_unit",
        "payers": (TIGERS,),
    }
    bill = rig.state
    rig.do(AXIS, "unpaid")
    (over,) = [one for one in rig.events if isinstance(one, bills.BillOver)]
    found = tuple(PICTURE.stories[bills.BillOver](bill, over, rig.state))
    if fog == "strict":
        assert found == (), "a sentence more would tell the enemy"
        return
    (told,) = found
    assert told.side == AXIS
    assert told.effect == tell("ocs.not_fuelled", "OCS 12.5c", what=TIGERS, amount="1T", of="1T")


def test_12_3b_an_hq_throws_what_it_draws() -> None:
    """OCS 12.3b A unit out of reach of the dump is thrown to by an HQ that draws there, and not by
    one in Strat mode."""
    state = ground(at(stand({TIGERS: "A26.16", HQ: "A26.11"})), A26_10=4)
    far = replace(state, units={**state.units})
    ways = payment_means.ways(far, bills.charged(far, Bill(AXIS, "defence", (TIGERS,), 1)))
    direct = [way for way in ways if "direct" in way.by]

    assert [way.what for way in ways] == ["A26.10"]
    assert direct or ways[0].by == (HQ,)
    strat = put(state, HQ, marker="strat", move_side=True)
    by = {
        who for w in payment_means.ways(strat, Bill(AXIS, "defence", (TIGERS,), 1)) for who in w.by
    }
    assert HQ not in by


def test_12_10a_an_organic_truck_may_be_withheld() -> None:
    """OCS 12.10a, 13.2, 12.10h Where only an organic truck could pay, a unit may use its internal
    stocks instead, attacking or defending, and the load is not wasted; not once it has been paid in
    part, nor where supply lies in reach besides."""
    where = {PANZERS: "A26.10", TRUCK: "A26.10"}
    state = put(at(stand(where)), TRUCK, load=4)
    for bill in (
        Bill(AXIS, "defence", (PANZERS,), 2, stocks=True),
        Bill(AXIS, "attack", (PANZERS,), 2, shares=(2,), stocks=True),
    ):
        rig = asked(state, bill)
        assert rig.options(AXIS, "pay", PANZERS) == (TRUCK,)
        rig.do(AXIS, "stocks", PANZERS)
        assert (rig.state.units[PANZERS].stocks, rig.state.units[TRUCK].load) == (LOW, 4)
        assert payment.outcome(rig.state) == STOCKS

        begun = asked(state, bill)
        begun.do(AXIS, "pay", PANZERS, TRUCK, 1)
        assert begun.refused(AXIS, "stocks", PANZERS).rule == "OCS 12.10a"
        fed = asked(ground(state, A26_10=2), bill)
        assert fed.refused(AXIS, "stocks", PANZERS).rule == "OCS 12.10a"


def test_13_2_organic_trucks_feed_their_formation_alone() -> None:
    """OCS 13.2, 12.1 A load counts as a dump; an organic truck's only for its own formation."""
    state = put(at(stand({TIGERS: "A26.10", PANZERS: "A26.10", TRUCK: "A26.10"})), TRUCK, load=4)

    assert payment_means.payable(state, AXIS, (PANZERS,), 4)
    assert not payment_means.payable(state, AXIS, (PANZERS,), 5)
    assert not payment_means.payable(state, AXIS, (TIGERS,), 1)


def test_9_5_an_attack_is_paid_unit_by_unit() -> None:
    """OCS 9.5 Example 26: 1T a step of each attacker, each out of its own reach; who draws where is
    chosen so that all are paid."""
    state = ground(at(stand({TIGERS: "A26.10", DIVISION: "A26.10"})), A26_10=4)
    rig = asked(state, Bill(AXIS, "attack", (TIGERS, DIVISION), 4))

    assert rig.state.bill is not None
    assert rig.state.bill.shares == (1, 3)
    rig.do(AXIS, "auto")
    assert payment.outcome(rig.state) == SUPPLY
    assert rig.state.supply[AXIS] == {}


def test_12_10h_a_multi_step_unit_wastes_what_does_not_suffice() -> None:
    """OCS 12.10h Example 32: a unit that needs 3T and reaches 1T is marked Low, and the 1T is
    wasted."""
    state = ground(at(stand({DIVISION: "A26.10"})), A26_10=1)
    rig = asked(state, Bill(AXIS, "attack", (DIVISION,), 3, stocks=True))

    assert rig.options(AXIS) == ("stocks", "unpaid")
    rig.do(AXIS, "stocks")

    assert payment.outcome(rig.state) == STOCKS
    assert rig.state.units[DIVISION].stocks == LOW
    assert rig.state.supply[AXIS] == {}


def test_12_10h_separate_units_are_paid_one_by_one() -> None:
    """OCS 12.10h Example 32: of three separate units with 1T in reach one is paid and two are
    Low."""
    others = (TIGERS, PANZERS, "ax.fhh.rec")
    state = ground(at(stand(dict.fromkeys(others, "A26.10"))), A26_10=1)
    rig = asked(state, Bill(AXIS, "attack", others, 3, stocks=True))

    rig.do(AXIS, "auto")
    rig.do(AXIS, "stocks")

    assert payment.outcome(rig.state) == STOCKS
    assert [rig.state.units[name].stocks for name in others] == [0, LOW, LOW]


def test_12_10a_no_stocks_where_supply_can_be_had() -> None:
    """OCS 9.5, 12.10a Stocks are refused while supply suffices; an Exhausted unit has none."""
    state = ground(at(stand({DIVISION: "A26.10", TIGERS: "A26.10"})), A26_10=2)
    rig = asked(state, Bill(AXIS, "defence", (DIVISION, TIGERS), 2, stocks=True))

    assert rig.refused(AXIS, "stocks").rule == "OCS 12.10a"
    rig.do(AXIS, "unpaid")
    assert payment.outcome(rig.state) == NONE

    poor = put(at(stand({DIVISION: "A26.10", TIGERS: "A26.10"})), TIGERS, stocks=EXHAUSTED)
    rig = asked(poor, Bill(AXIS, "defence", (DIVISION, TIGERS), 2, stocks=True))
    rig.do(AXIS, "stocks")
    assert payment.outcome(rig.state) == STOCKS
    assert payment.unpaid(rig.state) == (TIGERS,), "OCS R-03: it fights at half"


def test_12_1_nothing_can_be_paid_and_nobody_is_asked() -> None:
    """OCS 12.1, R-15 Without supply in reach the payment passes by itself in the open; under
    fog it is asked all the same, and can be left unpaid."""
    state = at(stand({TIGERS: "A26.10"}))
    charts = with_options(state.charts, {"fog": "open"})
    rig = asked(replace(state, charts=charts), Bill(AXIS, "fuel_unit", (TIGERS,), 1))

    assert rig.asked() == {AXIS: "prompt.window"}
    assert payment.outcome(rig.state) == NONE
    rig = asked(state, Bill(AXIS, "fuel_unit", (TIGERS,), 1))
    assert rig.options(AXIS) == ("unpaid",)
    rig.do(AXIS, "unpaid")
    assert payment.outcome(rig.state) == NONE


def test_9_5_part_of_the_attackers_is_paid() -> None:
    """OCS 9.5, 9.1e Attackers for whom nothing is paid are named."""
    state = ground(at(stand({TIGERS: "A26.10", DIVISION: "A40.10"})), A26_10=4)
    rig = asked(state, Bill(AXIS, "attack", (TIGERS, DIVISION), 4))
    rig.do(AXIS, "auto")

    assert payment.outcome(rig.state) == PART
    assert payment.unpaid(rig.state) == (DIVISION,)


def test_10_1_one_source_is_one_dump_or_one_hq() -> None:
    """OCS 10.1 A barrage is supplied by one dump, or by one HQ out of several dumps."""
    state = ground(at(stand({TIGERS: "A26.10"})), A26_10=2, A26_09=2)
    barrage = Bill(AXIS, "barrage", (TIGERS,), 3, one_source=True)

    assert not payment_means.payable(state, AXIS, (TIGERS,), 3, one_source=True)
    assert payment_means.payable(state, AXIS, (TIGERS,), 2, one_source=True)
    with_hq = ground(at(stand({TIGERS: "A26.10", HQ: "A26.10"})), A26_10=2, A26_09=2)
    rig = asked(with_hq, barrage)
    rig.do(AXIS, "pay", TIGERS, "A26.10", 2)
    rig.do(AXIS, "auto")
    assert payment.outcome(rig.state) == SUPPLY


def test_3_1f_soviets_pay_four_times_west_of_the_yellow_line() -> None:
    """HR 3.1f, R-30 Soviet units west of the line, or attacking over it, pay four times; the
    Axis does not."""
    state = at(stand({RIFLES: "A26.06", TIGERS: "A26.05", "su.gd.93": "A26.08"}))
    board = state.charts.board

    def cost(side: str, unit: str, target: str) -> int:
        bill = Bill(side, "attack", (unit,), 0, target=board.hex(target))
        return bills.charged(state, bill).cost

    steps = state.counter("su.gd.93").steps
    assert cost(SOVIET, "su.gd.93", "A26.09") == steps
    assert cost(SOVIET, "su.gd.93", "A26.07") == 4 * steps
    assert cost(AXIS, TIGERS, "A26.06") == 1


def test_12_1_random_payments_keep_every_token() -> None:
    """OCS 12.1 Whatever is picked, what was payable stays payable to the end, and no T is lost (the
    bench counts after every command)."""
    seed = 12
    print("seed", seed)
    chance = random.Random(seed)
    for _ in range(40):
        units = chance.sample(
            [TIGERS, PANZERS, "ax.fhh.rec", "ax.fhh.pga", "ax.fhh.pj", DIVISION], 3
        )
        row = [f"A26.{n:02}" for n in range(8, 13)]
        state = at(stand({name: chance.choice(row) for name in units}))
        board = state.charts.board
        for name in chance.sample(row, 3):
            state = with_supply(state, AXIS, board.hex(name), chance.randint(1, 3))
        bill = Bill(AXIS, "attack", tuple(units), 0)
        whole = payment_means.coverable(state, bills.charged(state, bill))
        rig = asked(state, bill)
        while rig.asked() == {AXIS: "prompt.ocs.payment"} and "pay" in rig.options(AXIS):
            payer = chance.choice(rig.options(AXIS, "pay"))
            what = chance.choice(rig.options(AXIS, "pay", payer))
            found = rig.choices(AXIS, "pay", payer, what)
            assert found.span is not None  # type: ignore[union-attr]
            rig.do(AXIS, "pay", payer, what, chance.randint(*found.span))  # type: ignore[union-attr]
        if whole:
            assert payment.outcome(rig.state) == SUPPLY
