"""OCS 12.3, 4.9: what is shown beside an order that costs supply, before it is given."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.hungarian_rhapsody.table import at_table
from tests.rules.ocs.fights import paid
from tests.rules.ocs.test_09_fighting import DIVISION, GUARDS, HERE, THERE, TIGERS, sudwind
from tests.rules.ocs.test_10_artillery import CORPS, RIFLES, WERFER, at_guns
from tests.rules.ocs.test_10_artillery import sudwind as guns
from tests.rules.ocs.test_12_payment import HQ, asked, at, ground
from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch12_supply import fuel
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.series.state import Hedgehog, State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.types import Refusal
from warledger.engine.testing.rig import Rig

Shown = list[tuple[str, dict[str, Any]]]


def shown(rig: Rig[State], *picks: str | int) -> Shown:
    """The preview that the Axis is shown of these picks."""
    found = rig.preview(AXIS, *picks)
    assert not isinstance(found, Refusal)
    return [(said.key.removeprefix("preview.ocs."), dict(said.args)) for said in found]


def touches(state: State, end: str, goal: str) -> bool:
    """OCS 12.3 Whether a path that ends here reaches its goal: adjacent is near enough."""
    board = state.charts.board
    return end == goal or hexsets.has(board.near[board.hex(goal)], board.hex(end))


def test_12_3a_auto_shows_who_pays_along_which_path() -> None:
    """OCS 12.3a The nearest dump at hand first, then one that is drawn along its path; showing
    changes nothing."""
    state = ground(at(stand({TIGERS: "A26.10"})), A26_10=1, A26_07=3)
    rig = asked(state, Bill(AXIS, "defence", (TIGERS,), 2))

    at_hand, drawn = shown(rig, "auto")
    assert at_hand == ("at_hand", {"payer": TIGERS, "tokens": 1, "what": "A26.10"})
    assert drawn[0] == "drawn"
    assert (drawn[1]["tokens"], drawn[1]["what"]) == (1, "A26.07")
    assert drawn[1]["path"][0] == "A26.10"
    assert touches(state, drawn[1]["path"][-1], "A26.07")
    assert rig.state.bill is not None and rig.state.bill.picks == ()


def test_12_3_each_way_is_shown_for_a_payer() -> None:
    """OCS 12.3 `pay UNIT` shows every way to pay for it; a source and an amount, that alone."""
    state = ground(at(stand({TIGERS: "A26.10"})), A26_10=4, A26_07=3)
    rig = asked(state, Bill(AXIS, "defence", (TIGERS,), 2))

    assert shown(rig, "pay") == []
    assert [said["what"] for _, said in shown(rig, "pay", TIGERS)] == ["A26.10", "A26.07"]
    ((_, one),) = shown(rig, "pay", TIGERS, "A26.07", 1)
    assert (one["what"], one["tokens"]) == ("A26.07", 1)


def test_12_3b_a_throw_is_shown_with_both_its_paths() -> None:
    """OCS 12.3b What an HQ draws and throws is told with the path of its draw and of its throw."""
    state = ground(at(stand({TIGERS: "A26.18", HQ: "A26.12"})), A26_10=4)
    rig = asked(state, Bill(AXIS, "defence", (TIGERS,), 1))

    ((kind, said),) = shown(rig, "auto")
    assert (kind, said["hq"], said["what"]) == ("thrown", HQ, "A26.10")
    assert said["drawn"][0] == said["path"][0] == "A26.12"
    assert touches(state, said["path"][-1], "A26.18")


def test_12_5c_fuel_is_shown_with_its_cost_and_payer() -> None:
    """OCS 12.5c What fuel costs, whom it serves, and what pays for it."""
    state = ground(stand({TIGERS: "A26.10"}, phasing=AXIS, segment="c1", turn=42), A26_10=9)

    cost, paid = fuel.reckoned(state, TIGERS)
    assert dict(cost.args) == {"what": TIGERS, "tokens": 1, "units": (TIGERS,)}
    assert dict(paid.args) == {"payer": TIGERS, "tokens": 1, "what": "A26.10"}


@pytest.mark.parametrize(("at", "whom"), [("A26.11", (TIGERS,)), ("A10.10", ())])
def test_12_5c_an_hq_s_fuel_is_shown_with_whom_it_serves(at: str, whom: tuple[str, ...]) -> None:
    """OCS 12.5c(B) Besides the cost it is said which independent units the HQ fuels until its
    side's Clean Up Phase, or that none is in its throw range."""
    state = stand({HQ: "A26.10", TIGERS: at}, phasing=AXIS, segment="c1", turn=42)
    _cost, told, *_ = fuel.reckoned(ground(state, A26_10=9), HQ)
    if whom:
        assert (told.key, dict(told.args)) == ("preview.ocs.fuel_thrown", {"units": whom})
    else:
        assert told.key == "preview.ocs.fuel_thrown_to_nobody"


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_9_5_an_attack_shows_all_who_may_then_those_picked(fog: str) -> None:
    """OCS 9.2, 9.5, 9.7 A hex alone shows what all that may attack it amount to; with units,
    theirs, with the odds as they will be weighed (example 70): under fog against the shown
    unit."""
    rig = sudwind(fog)

    (who, both, odds, works, *paid) = shown(rig, "attack", THERE)
    assert works == ("hedgehog", {"level": 1, "surprise": 1, "combat": 1})
    weighed = {"attack": "21½", "defence": "9", "drm": 2, "odds": "2:1", "row": "ocs.row.open"}
    seen = ("odds_shown", {"unit": GUARDS, **weighed})
    assert odds == (("odds", weighed) if fog == "open" else seen)
    assert who == ("all_attack", {"units": (DIVISION, TIGERS), "hex": THERE})
    assert both[0] == "attack"
    assert both[1]["tokens"] == 4 == sum(said["tokens"] for _, said in paid)
    assert {said["payer"] for _, said in paid} == {DIVISION, TIGERS}
    (one, *paid) = shown(rig, "attack", THERE, TIGERS)
    paid = [pair for pair in paid if "payer" in pair[1]]
    assert one[0] == "attack"
    assert one[1]["tokens"] == sum(said["tokens"] for _, said in paid) < 4
    assert {said["what"] for _, said in paid} == {HERE}


def test_4_9a_under_fog_odds_are_those_against_what_is_shown() -> None:
    """OCS 4.9a, 9.4-9.9, 16.0d-e The shown unit as it is printed, its markers and the hedgehog are
    weighed; neither steps that it has lost nor what lies below it change anything."""
    where = {TIGERS: HERE, "ax.1pz.pz1": HERE, GUARDS: THERE}
    plain = stand(where, turn=42)
    assert plain.charts.units[GUARDS].steps > 1
    hurt = put(plain, GUARDS, lost=1)
    covered = stand({**where, "su.su.366gd": THERE}, turn=42)
    covered = replace(covered, tops={**covered.tops, covered.charts.board.hex(THERE): GUARDS})

    def odds(state: State) -> Shown:
        state = ground(state, **{HERE.replace(".", "_"): 40})
        told = shown(at_table(state, "moving", fog="strict"), "overrun", THERE, TIGERS)
        return [pair for pair in told if pair[0] in ("odds_shown", "hedgehog")]

    assert odds(plain) == odds(hurt) == odds(covered)
    ((kind, bare),) = odds(plain)
    assert (kind, bare["unit"], bare["defence"]) == ("odds_shown", GUARDS, "9")
    assert odds(put(plain, GUARDS, marker="dg"))[0][1]["drm"] == bare["drm"] + 1
    i = plain.charts.board.hex(THERE)
    dug = odds(replace(plain, hedgehogs={i: Hedgehog(SOVIET, 1)}))
    assert dug[1] == ("hedgehog", {"level": 1, "surprise": 1, "combat": 1})
    assert dug[0][1]["attack"] != bare["attack"], "heavy against tanks"


def test_10_1b_a_barrage_is_shown_with_column_cost_and_known_shifts() -> None:
    """OCS 10.0a, 10.1b Example 69: 78 points on 69-116 cost 8T; a hedgehog shifts."""
    rig = at_guns(guns())

    alone = shown(rig, "barrage", "A26.11")
    assert [said["unit"] for kind, said in alone if kind == "gun"] == [CORPS, WERFER]
    both = shown(rig, "barrage", "A26.11", CORPS, WERFER)
    assert both[0] == ("barrage", {"strength": "78", "column": "69-116", "tokens": 8})
    assert both[1][1]["what"] == "A26.09"
    assert both[-1] == ("ocs.shift", {"what": "ocs.shift.hedgehog", "shift": -1})
    fewer = shown(rig, "barrage", "A26.11", CORPS)
    assert fewer[0][1]["tokens"] < 8


@pytest.mark.parametrize(("fog", "told"), [("strict", False), ("open", True)])
def test_4_9c_density_and_modes_below_are_not_shown(fog: str, told: bool) -> None:
    """OCS 4.9c How dense a hex is, and who in it is in Strat mode, is shown in the open alone."""
    state = put(guns(), RIFLES, marker="strat")
    state = replace(state, hedgehogs={})
    rig = at_guns(state, fog)

    said = shown(rig, "barrage", "A26.11", CORPS, WERFER)
    whats = [one["what"] for kind, one in said if kind == "ocs.shift"]
    assert ("ocs.shift.strat_target" in whats) is told


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_9_5_a_defence_shows_its_strength_and_cost(fog: str) -> None:
    """OCS 9.4, 9.5 Example 70: 81 Gd in the open defends with 9 and AR 3 for 2T; unpaid with half
    of it for nothing. The attacker's strength is not told."""
    rig = sudwind(fog)
    rig.do(AXIS, "attack", THERE, DIVISION, TIGERS)
    paid(rig, AXIS)
    rig.do(AXIS, "lead", TIGERS)

    def told(*picks: str) -> Shown:
        found = rig.preview(SOVIET, "defend", *picks)
        assert not isinstance(found, Refusal)
        return [(said.key.removeprefix("preview.ocs."), dict(said.args)) for said in found]

    (own, payer) = told("pay", GUARDS)
    assert own == ("defence", {"strength": "9", "ground": "open", "ar": 3, "tokens": 2})
    assert payer[1] == {"payer": GUARDS, "tokens": 2, "what": THERE}
    assert told() == told("pay") == [own, payer]
    assert [(key, args["strength"], args["tokens"]) for key, args in told("decline")] == [
        ("defence", "4½", 0)
    ]


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_8_0_an_overrun_is_foretold_as_an_attack_is(fog: str) -> None:
    """OCS 8.0, 9.5, 9.7, 12.5a The strength, cost and payer of an overrun, the odds, and the fuel
    that its units have yet to pay."""
    state = stand({TIGERS: HERE, "ax.1pz.pz1": HERE, GUARDS: THERE}, turn=42)
    rig = at_table(ground(state, **{HERE.replace(".", "_"): 40}), "moving", fog=fog)
    told = shown(rig, "overrun", THERE, TIGERS)
    kinds = [kind for kind, _ in told]
    assert kinds[:2] == ["attack", "odds" if fog == "open" else "odds_shown"]
    (fuel_,) = [said for kind, said in told if kind == "fuel"]
    assert fuel_ == {"what": TIGERS, "tokens": 1, "units": (TIGERS,)}
