"""HR 2.5a: the 109th Armoured Brigade."""

from tests.rules.hungarian_rhapsody.arriving import first
from tests.rules.hungarian_rhapsody.bench import AXIS, put, stand
from tests.rules.hungarian_rhapsody.table import at_table, fed
from warledger.engine.games.ocs.ch04_concepts import concepts
from warledger.engine.games.ocs.ch09_combat import losses

BRIGADE, TIGERS, HQ, RIFLES = "ax.109pz", "ax.tgr.503", "ax.hq.iv", "su.gd.81"


def test_2_5a_it_is_a_multi_step_unit_of_two_re() -> None:
    """HR 2.5a, OCS 4.6 Two steps and 2 RE whole, one step and 1 RE reduced; never independent."""
    state = stand({BRIGADE: "A26.10"})
    counter = state.counter(BRIGADE)
    assert (counter.multi_step, counter.independent) == (True, False)
    assert (losses.steps_of(state, BRIGADE), concepts.re(counter, state.units[BRIGADE])) == (2, 8)
    hurt = put(state, BRIGADE, lost=1)
    assert (losses.steps_of(hurt, BRIGADE), concepts.re(counter, hurt.units[BRIGADE])) == (1, 4)


def test_2_5a_it_pays_its_own_fuel_beside_a_fuelled_hq() -> None:
    """HR 2.5a Example 61: in the throw of a fuelled HQ an independent battalion moves, the brigade
    pays 1T first."""
    state = stand({HQ: "A26.10", TIGERS: "A26.11", BRIGADE: "A26.11"})
    for tokens, moves in ((4, False), (5, True)):
        rig = at_table(fed(state, tokens), "moving")
        rig.do(AXIS, "fuel", HQ)
        rig.do(AXIS, "auto")
        rig.do(AXIS, "move", TIGERS, "A26.12")
        assert rig.state.spent_sp[AXIS] == 4
        if moves:
            rig.do(AXIS, "move", BRIGADE, "A26.12")
            assert rig.state.spent_sp[AXIS] == 5
        else:
            assert rig.refused(AXIS, "move", BRIGADE, "A26.12").rule == "OCS 12.5a"


def test_2_5a_it_attacks_for_two_t() -> None:
    """HR 2.5a Example 61: an attack costs 1T a step: 2T, and 1T once it has lost one."""
    for lost, cost in ((0, 2), (1, 1)):
        state = fed(put(stand({BRIGADE: "A26.10", RIFLES: "A26.11"}), BRIGADE, lost=lost))
        rig = at_table(state, "ocs.attacking", segment="f2")
        rig.do(AXIS, "attack", "A26.11", BRIGADE)
        while rig.state.bill is None or rig.state.bill.side != AXIS:
            side = next(iter(rig.asked()))
            rig.do(side, *first(rig, side))
        assert rig.state.bill.cost == cost
