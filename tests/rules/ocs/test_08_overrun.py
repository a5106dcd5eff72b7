"""OCS 8: overruns."""

import pytest

from tests.rules.hungarian_rhapsody.bench import SOVIET, put
from tests.rules.ocs.fights import at, fight, fought, paid
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch08_overrun import overrun
from warledger.engine.games.ocs.ch09_combat import attacks
from warledger.engine.games.ocs.series.state import DG, EXPLOIT, RESERVE, STRAT, State
from warledger.engine.kernel.types import Refusal
from warledger.engine.testing.rig import Rig

PANZERS, TIGERS, GUARDS, GUN = "ax.1pz.pz1", "ax.tgr.503", "su.gd.81", "su.at.41gd"
HERE, THERE, BEYOND = "A26.10", "A26.11", "A26.12"


def moving(where: dict[str, str], **changes: object) -> Rig[State]:
    """A position in the Axis Movement segment."""
    return fight(where, segment="c2", **changes)


def why(rig: Rig[State], target: str, *units: str) -> str:
    """The clause against an overrun, "" for none."""
    found = overrun.why_not(rig.state, units, rig.state.charts.board.hex(target))
    return found.rule if isinstance(found, Refusal) else ""


def overran(
    rig: Rig[State], target: str, units: tuple[str, ...], lead: str, dice: tuple[int, ...]
) -> None:
    """An overrun up to its result, all paid; the defender's first unit leads in the open."""
    board = rig.state.charts.board
    defender = rig.state.combat_units(board.hex(target))[0]
    rig.run(lambda table: overrun.begin(table, units, board.hex(target)))
    rig.jump(*(frame for frame in rig.position.flow))
    paid(rig, "axis")
    rig.do("axis", "lead", lead)
    rig.dice(*dice)
    rig.do("soviet", "defend", "pay", defender, "open")
    paid(rig, "soviet")


def test_8_1a_two_overruns_cost_six_points() -> None:
    """OCS 8.1a, 8.1d Example 44 Two overruns in the open cost 3 MP each, the second hex is entered
    without further cost: 6 MP spent."""
    rig = moving({PANZERS: HERE, GUN: THERE, "su.su.366gd": BEYOND})
    parts = rig.state.charts.parts
    overran(rig, THERE, (PANZERS,), PANZERS, (6, 6, 6, 6, 6, 1))
    assert fought(rig).surprise == "attacker"
    settle(rig)
    assert at(rig, PANZERS) == THERE, "it has to enter"
    assert rig.state.units[PANZERS].spent == 3 * parts
    overran(rig, BEYOND, (PANZERS,), PANZERS, (6, 6, 6, 6, 6, 1))
    settle(rig)

    assert at(rig, PANZERS) == BEYOND
    assert rig.state.units[PANZERS].spent == 6 * parts
    assert modes.left(rig.state, PANZERS) == 2 * parts
    assert rig.state.units[PANZERS].marker == "", "8.1e no Exploit marker"
    assert not rig.state.units[PANZERS].attacked
    assert rig.state.phase_use.attacked == 0


def settle(rig: Rig[State]) -> None:
    """Losses as they come, until the combat is over."""
    while rig.state.battle is not None:
        side = next(iter(rig.asked()))
        verb = rig.options(side)[0]
        rig.do(side, verb, rig.options(side, verb)[0])


def test_8_1_who_may_overrun() -> None:
    """OCS 4.4a, 8.1 Attack-capable units in Combat, Move or Exploit mode that began the phase
    stacked together; artillery, Reserve, Strat and DG are refused."""
    rig = moving({PANZERS: HERE, TIGERS: HERE, "ax.art.403": HERE, GUARDS: THERE})
    assert why(rig, THERE, PANZERS, TIGERS) == ""
    assert why(rig, THERE, PANZERS, "ax.art.403") == "OCS 8.1"
    for marker in (RESERVE, STRAT, DG):
        rig.state = put(rig.state, TIGERS, marker=marker)
        assert why(rig, THERE, TIGERS) == "OCS 8.1", marker
    rig.state = put(rig.state, TIGERS, marker="", move_side=True)
    assert why(rig, THERE, TIGERS) == ""
    rig.state = put(rig.state, TIGERS, began=rig.state.charts.board.hex("A26.09"))
    assert why(rig, THERE, PANZERS, TIGERS) == "OCS 8.1"
    assert why(rig, BEYOND, TIGERS) == "OCS 8.0"


def test_8_1a_an_overrun_needs_three_points() -> None:
    """OCS 8.1a Without 3 MP left there is no overrun, not even as a first move (6.1c)."""
    rig = moving({PANZERS: HERE, GUARDS: THERE})
    parts = rig.state.charts.parts
    for spent, rule in ((0, ""), (5, ""), (6, "OCS 8.1a")):
        rig.state = put(rig.state, PANZERS, spent=spent * parts)
        assert why(rig, THERE, PANZERS) == rule, spent


def test_8_1b_terrain_over_three_points_forbids_an_overrun() -> None:
    """Example 45 More than 3 MP off the road forbid an overrun: 1 for the city and 4 for the river;
    regular attacks are not concerned (9.1f)."""
    every = moving({GUARDS: "B10.15"}).state.charts.units
    name = next(
        n
        for n, c in every.items()
        if c.side == "axis" and c.attacks and c.move and c.move.mobility == "truck"
    )
    rig = moving({name: "B9.16", GUARDS: "B10.15"})
    rig.state = put(rig.state, name, move_side=True)
    board = rig.state.charts.board

    assert modes.left(rig.state, name) >= overrun.cost(rig.state)
    assert (
        movement_range.overrun_cost(rig.state, name, board.hex("B10.15"))
        == 5 * rig.state.charts.parts
    )
    assert why(rig, "B10.15", name) == "OCS 8.1b"
    assert attacks.can_enter(rig.state, name, board.hex("B10.15"))


def test_8_1g_stacking_binds_those_who_overrun() -> None:
    """OCS 8.1g Those who overrun and others in their hex hold the limit together, or there is no
    overrun."""
    divisions = dict.fromkeys(("ax.inf.44", "ax.mtn.3", "ax.mtn.4", PANZERS), HERE)
    rig = moving({**divisions, GUARDS: THERE})
    assert why(rig, THERE, PANZERS) == ""
    rig = moving({**divisions, TIGERS: HERE, "ax.tgr.501ss": HERE, GUARDS: THERE})
    assert why(rig, THERE, PANZERS) == "OCS 8.1g"


def test_8_1_who_has_finished_its_move_is_told_so() -> None:
    """OCS 6.1f, 8.1 A unit that is done with its move overruns nothing, and it is not its points
    that are lacking."""
    rig = moving({TIGERS: HERE, GUARDS: THERE})
    assert why(rig, THERE, TIGERS) == ""
    rig.state = put(rig.state, TIGERS, finished=True)
    assert why(rig, THERE, TIGERS) == "OCS 6.1f"


def test_8_1_who_did_not_begin_together_is_told_so() -> None:
    """OCS 8.1 Units in one hex that did not begin the phase stacked overrun nothing together, and
    it is not said that they stand in different hexes; those that do are told that."""
    rig = moving({TIGERS: "A26.10", PANZERS: "A26.09", GUARDS: "A26.12"})
    here, there = (rig.state.charts.board.hex(one) for one in ("A26.12", "A26.11"))
    apart = overrun.why_not_overrun(rig.state, (TIGERS, PANZERS), here)
    assert apart is not None and apart.key == "refusal.ocs.not_stacked"
    for name in (TIGERS, PANZERS):
        began = rig.state.units[name].at
        rig.state = put(rig.state, name, at=there, began=began)
    said = overrun.why_not_overrun(rig.state, (TIGERS, PANZERS), here)
    assert said is not None and (said.rule, said.key) == (
        "OCS 8.1",
        "refusal.ocs.not_begun_together",
    )


def test_8_1f_a_retreat_ends_the_move() -> None:
    """OCS 8.1f An option taken as a retreat ends the movement; one taken as a loss does not."""
    rig = moving({PANZERS: HERE, TIGERS: HERE, GUARDS: THERE})
    overran(rig, THERE, (PANZERS, TIGERS), PANZERS, (3, 3, 4, 4))
    assert fought(rig).result.startswith("A")
    while rig.asked().get("axis") == "prompt.ocs.losses":
        rig.do("axis", "lose", rig.options("axis", "lose")[0])
    assert rig.asked() == {"axis": "prompt.ocs.options"}, fought(rig)
    rig.do("axis", "retreat")
    rig.do("axis", "retreat", "A26.09")
    left = [name for name in (PANZERS, TIGERS) if at(rig, name)]
    assert left
    assert all(rig.state.units[name].finished for name in left)


def test_9_8_overruns_have_their_own_row() -> None:
    """Examples 5, 12, 13 The same dice that surprise nobody in a regular attack favour the defender
    of an overrun."""
    rig = moving({PANZERS: HERE, GUARDS: THERE})
    overran(rig, THERE, (PANZERS,), PANZERS, (2, 2, 1, 1, 1))
    assert fought(rig).surprise == "defender"
    assert fought(rig).surprise_roll == 4 + modes.ar(rig.state, GUARDS) * -1 + 5


@pytest.mark.parametrize("marker", ["", EXPLOIT])
def test_8_1_exploitation_units_overrun_at_half_their_allowance(marker: str) -> None:
    """OCS 2.3, 8.1, 11.0 In the Exploitation Phase Exploit-mode units overrun with half their
    MA."""
    rig = fight({PANZERS: HERE, GUARDS: THERE}, segment="g1")
    rig.state = put(rig.state, PANZERS, marker=marker)
    assert why(rig, THERE, PANZERS) == ("" if marker else "OCS 8.1a")
    assert rig.state.side(GUARDS) == SOVIET
