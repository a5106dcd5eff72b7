"""OCS 21.3, 21.8 (options): independent units, and attacks on empty hexes."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.hungarian_rhapsody.table import at, at_table, fed
from tests.rules.ocs.fights import alone, fight
from tests.rules.ocs.skies import opened
from warledger.engine.games.ocs.ch09_combat import attacks
from warledger.engine.games.ocs.ch12_supply.bill import INDEPENDENTS
from warledger.engine.games.ocs.series.state import STRAT
from warledger.engine.testing.rig import Rig

TIGERS, DIVISION, RIFLES = "ax.tgr.503", "ax.inf.44", "su.gd.81"
HERE, THERE = "A26.10", "A26.11"


def combat(
    *units: str,
    on: tuple[str, ...],
    tokens: int = 40,
    fog: str = "strict",
    **where: Any,
) -> Rig[Any]:
    """The Axis Combat segment: units in a hex next to a rifle division."""
    state = stand({**dict.fromkeys(units, HERE), RIFLES: THERE, **where})
    state = fed(fed(state, tokens), 8, "A25.10", SOVIET)
    return at_table(state, "ocs.attacking", segment="f2", phasing=AXIS, fog=fog, on=on)


@pytest.mark.parametrize(
    ("units", "on", "cost", "stocks"),
    [
        ((TIGERS,), False, 1, True),
        ((TIGERS,), True, 2, False),
        ((TIGERS, DIVISION), True, 4, True),
        ((DIVISION,), True, 3, True),
    ],
)
def test_21_3_what_an_attack_costs(
    units: tuple[str, ...], on: bool, cost: int, stocks: bool
) -> None:
    """OCS 21.3 Without a divisional unit an attack costs 2T a step and takes no internal stocks;
    with one it costs what it always does."""
    rig = combat(TIGERS, DIVISION, on=(INDEPENDENTS,) if on else ())
    bill = attacks.attack_bill(rig.state, units, rig.state.charts.board.hex(THERE))
    assert (bill.cost, bill.stocks) == (cost, stocks)


def test_21_3_a_divisional_unit_leads_a_mixed_attack() -> None:
    """OCS 21.3 In a mixed attack the AR unit is a divisional one; independents by themselves name
    one of theirs."""
    on = (INDEPENDENTS,)
    mixed = combat(TIGERS, DIVISION, on=on)
    mixed.do(AXIS, "attack", THERE, TIGERS, DIVISION)
    mixed.do(AXIS, "auto")
    assert mixed.options(AXIS, "lead") == (DIVISION,)
    assert mixed.refused(AXIS, "lead", TIGERS).rule == "OCS 21.3"
    alone = combat(TIGERS, on=on)
    alone.do(AXIS, "attack", THERE, TIGERS)
    alone.do(AXIS, "auto")
    assert alone.options(AXIS, "lead") == (TIGERS,)


def test_21_3_independents_that_paid_as_part_of_a_mixed_attack() -> None:
    """OCS 21.3 Where nothing is paid for the divisional unit, independents that paid the lower cost
    do not attack without it."""
    rig = combat(TIGERS, DIVISION, on=(INDEPENDENTS,))
    rig.do(AXIS, "attack", THERE, TIGERS, DIVISION)
    rig.do(AXIS, "pay", TIGERS, HERE, 1)
    rig.do(AXIS, "unpaid")
    assert rig.state.battle is None and "ocs.battle_void" in rig.said()
    plain = combat(TIGERS, DIVISION, on=())
    plain.do(AXIS, "attack", THERE, TIGERS, DIVISION)
    plain.do(AXIS, "pay", TIGERS, HERE, 1)
    plain.do(AXIS, "unpaid")
    assert plain.state.battle is not None and plain.state.battle.units == (TIGERS,)


@pytest.mark.parametrize("on", [True, False])
def test_21_3_independents_use_no_stocks_for_a_mixed_attack(on: bool) -> None:
    """OCS 21.3 Where there is no supply a divisional unit attacks out of its stocks, an independent
    one beside it does not. Without the option both do."""
    attacks_on, options = not on, (INDEPENDENTS,) if on else ()
    rig = combat(TIGERS, DIVISION, on=options, tokens=0)
    assert (TIGERS in rig.options(AXIS, "attack", THERE, DIVISION)) is attacks_on
    mixed = combat(TIGERS, DIVISION, on=options, tokens=0)
    if attacks_on:
        mixed.do(AXIS, "attack", THERE, DIVISION, TIGERS)
        mixed.do(AXIS, "stocks")
    else:
        assert mixed.refused(AXIS, "attack", THERE, DIVISION, TIGERS).rule == "OCS 9.5"
        mixed.do(AXIS, "attack", THERE, DIVISION)
        mixed.do(AXIS, "stocks")
    assert mixed.state.units[DIVISION].stocks == 1
    assert mixed.state.units[TIGERS].stocks == int(attacks_on)


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_21_8_an_empty_hex_is_entered(fog: str) -> None:
    """OCS 21.8 Units pay as for an attack and enter an empty hex, without dice and without an
    Exploit marker; neither they nor anybody else attacks that hex again in the segment."""
    rig = combat(TIGERS, DIVISION, on=(attacks.EMPTIES,), fog=fog)
    assert "A25.10" in rig.options(AXIS, "occupy") and THERE not in rig.options(AXIS, "occupy")
    rig.do(AXIS, "occupy", "A25.10", TIGERS, DIVISION)
    rig.do(AXIS, "auto")
    assert rig.state.spent_sp[AXIS] == 4
    rig.dice(4)
    rig.do(AXIS, "advance", TIGERS)
    assert (at(rig, TIGERS), at(rig, DIVISION)) == ("A25.10", HERE)
    assert rig.state.battle is None and rig.state.units[TIGERS].marker == ""
    assert rig.state.supply[AXIS][rig.state.charts.board.hex("A25.10")] == 4
    assert rig.state.units[DIVISION].attacked
    assert rig.refused(AXIS, "occupy", "A25.10").rule in ("OCS 9.1", "OCS 21.8")


def test_21_8_nobody_has_to_enter() -> None:
    """OCS 21.8 Who has paid may stay; an attack that is not paid for is void."""
    rig = combat(TIGERS, on=(attacks.EMPTIES,))
    rig.do(AXIS, "occupy", "A25.10", TIGERS)
    rig.do(AXIS, "auto")
    rig.do(AXIS, "stay")
    assert at(rig, TIGERS) == HERE and rig.state.battle is None
    void = combat(TIGERS, on=(attacks.EMPTIES,))
    void.do(AXIS, "occupy", "A25.10", TIGERS)
    void.do(AXIS, "unpaid")
    assert "ocs.battle_void" in void.said() and void.state.battle is None


def test_21_8_who_does_not() -> None:
    """OCS 21.8 Hexes with combat units, units that cannot attack or pay, and games without the
    option are refused."""
    rig = combat(TIGERS, DIVISION, on=(attacks.EMPTIES,))
    assert rig.refused(AXIS, "occupy", THERE).rule == "OCS 21.8"
    assert rig.refused(AXIS, "occupy", HERE).rule == "OCS 21.8"
    assert "occupy" not in combat(TIGERS, on=()).options(AXIS)
    assert combat(TIGERS, on=()).refused(AXIS, "occupy", "A25.10").rule == "OCS 21.8"
    driving = put(rig.state, DIVISION, marker=STRAT, move_side=True)
    rig.state = driving
    assert rig.refused(AXIS, "occupy", "A25.10", DIVISION).rule == "OCS 4.4a"


def test_21_8_the_segment_is_played_without_an_enemy_near() -> None:
    """OCS 21.8 Without enemies next to them the segment passes by, but for the option."""
    rig = fight({TIGERS: HERE, RIFLES: "A20.20"}, fog="open")
    assert rig.asked() == {AXIS: "prompt.rest"}
    state = opened(rig.state, **{attacks.EMPTIES: True})
    alone(rig, charts=state.charts, field=state.field)
    assert rig.asked() == {AXIS: "prompt.ocs.combat"}
