"""OCS 9: a regular attack from its declaration to its Exploit markers."""

from fractions import Fraction

import pytest

from tests.rules.hungarian_rhapsody.bench import SOVIET, put, stand
from tests.rules.ocs.fights import (
    alone,
    at,
    attack,
    fight,
    fought,
    in_retreat,
    marked,
    paid,
    weighed,
)
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch09_combat import (
    attacks,
    combat_events,
    exploit,
    losses,
    result_losses,
    terrain,
)
from warledger.engine.games.ocs.ch09_combat.assessment import assess
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch09_combat.results import combat_result
from warledger.engine.games.ocs.series.state import DG, EXPLOIT, RESERVE, STRAT, Hedgehog, State
from warledger.engine.games.ocs.series.tables import REGULAR
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.types import Refusal
from warledger.engine.testing.rig import Rig
from warledger.protocol.chance.seal import Secret

DIVISION, TIGERS, GUARDS = "ax.inf.44", "ax.tgr.503", "su.gd.81"
PANZERS, HUNGARIANS = "ax.1pz.pz1", "ax.hu.7"
RIFLES, MORE_RIFLES = "su.rd.375", "su.rd.409"

HERE, THERE = "A26.10", "A26.11"


def sudwind(fog: str = "strict") -> Rig[State]:
    """Example 70: 44 HD and Tigers against 81 Gd in a level-1 hedgehog."""
    rig = fight({DIVISION: HERE, TIGERS: HERE, GUARDS: THERE}, fog=fog)
    hexes = rig.state.charts.board
    alone(rig, hedgehogs={hexes.hex(THERE): Hedgehog(SOVIET, 1)})
    return rig


def worked(rig: Rig[State]) -> object:
    """Example 70 up to its result."""
    return attack(rig, THERE, (DIVISION, TIGERS), TIGERS, (4, 5, 3, 4, 4), GUARDS, "open")


# --- the sequence ---------------------------------------------------------------------------------


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_9_2_a_worked_attack(fog: str) -> None:
    """Example 70 Strengths, odds, AR difference, surprise, shift and result; 4T and 2T are paid."""
    rig = sudwind(fog)
    worked(rig)
    said, rolled, board = weighed(rig), fought(rig), rig.state.charts.board

    assert (said.attack, said.defence, said.odds, said.drm) == ("43/2", "9", "2:1", 2)
    assert (rolled.surprise_roll, rolled.surprise, rolled.shift) == (10, "attacker", 3)
    assert (rolled.roll, rolled.result) == (9, "Ao1 e4 DL1o2")
    assert rig.state.supply["axis"] == {board.hex(HERE): 36}
    assert rig.state.supply["soviet"] == {board.hex(THERE): 38}


def test_9_2_without_surprise_no_shift_is_rolled() -> None:
    """Example 70 Without surprise no shift die is rolled (OCS R-07): 2:1, row 9."""
    rig = sudwind()
    rolled = attack(rig, THERE, (DIVISION, TIGERS), TIGERS, (3, 4, 4, 4), GUARDS, "open")

    assert (rolled.surprise, rolled.shift, rolled.result) == ("", 0, "Ao1 Do1")


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_9_10d_the_option_as_a_loss_keeps_exploit(fog: str) -> None:
    """Examples 20, 70 o1 taken as a loss: AR 4 and above gain the marker, after advancing into the
    hex that the defender's full retreat empties."""
    rig = sudwind(fog)
    worked(rig)
    rig.do("axis", "lose", TIGERS)
    assert at(rig, TIGERS) == ""
    assert rig.asked() == {"soviet": "prompt.ocs.options"}
    assert rig.state.units[GUARDS].lost == 1
    assert rig.options("soviet") == ("lose", "retreat")
    rig.do("soviet", "retreat")
    rig.do("soviet", "retreat", GUARDS, "A26.12", "A26.13")
    assert at(rig, GUARDS) == "A26.13"
    assert rig.state.units[GUARDS].marker == DG
    assert rig.asked() == {"axis": "prompt.ocs.advance"}
    rig.dice(1)  # 9.14b the dump in the hex
    rig.do("axis", "advance", DIVISION)
    assert at(rig, DIVISION) == THERE
    assert rig.state.units[DIVISION].marker == EXPLOIT
    assert rig.state.battle is None


def test_9_10c_an_attacker_who_retreats() -> None:
    """OCS 9.10c, 9.12g Examples 18, 20 o1 taken as a retreat: no exploit, no advance; the defender
    loses a step and may ignore his option."""
    rig = sudwind()
    worked(rig)
    rig.do("axis", "retreat")
    rig.do("axis", "retreat", DIVISION, TIGERS, "A26.09")
    assert rig.options("soviet") == ("retreat", "stand")
    rig.do("soviet", "stand")

    assert rig.state.battle is None
    assert (at(rig, GUARDS), rig.state.units[GUARDS].lost) == (THERE, 1)
    assert [rig.state.units[name].marker for name in (DIVISION, TIGERS)] == ["", ""]
    assert at(rig, TIGERS) == "A26.09"
    assert rig.asked() == {"axis": "prompt.rest"}, "nobody stands next to the enemy any more"


def test_9_11c_the_ar_unit_first_and_one_each() -> None:
    """Example 22 A three-step division leads a one-step unit: two losses take one of each, in that
    order and without a question; a third would be the division's again."""
    rig = sudwind()
    state = replace(rig.state)
    battle = Battle(
        REGULAR,
        "axis",
        state.charts.board.hex(THERE),
        {state.charts.board.hex(HERE): (DIVISION, TIGERS)},
        (GUARDS,),
        leaders={"axis": DIVISION},
    )
    assert losses.takers(state, battle, "axis") == (DIVISION,)
    once = replace(battle, taken={DIVISION: 1})
    assert losses.takers(state, once, "axis") == (TIGERS,)
    gone = put(state, TIGERS, at=-1)
    assert losses.takers(gone, replace(once, taken={DIVISION: 1, TIGERS: 1}), "axis") == (DIVISION,)


def test_9_10b_the_attacker_resolves_first() -> None:
    """OCS 9.10b, 9.11c AL2 falls on the AR unit and then, by the owner's choice, on the rest; the
    combat ends with nothing for the defender."""
    rig = fight({HUNGARIANS: HERE, TIGERS: HERE, GUARDS: THERE})
    rolled = attack(rig, THERE, (HUNGARIANS, TIGERS), HUNGARIANS, (3, 4, 1, 1), GUARDS, "open")
    assert rolled.result == "AL2"
    assert rig.state.units[HUNGARIANS].lost == 1
    assert rig.options("axis", "lose") == (TIGERS,)
    rig.do("axis", "lose", TIGERS)
    assert rig.state.battle is None
    assert rig.state.units[TIGERS].where == "box.dead.axis"


def test_9_1c_a_unit_attacks_and_a_hex_is_attacked_once() -> None:
    """OCS 9.1c A unit attacks once and a hex is attacked once in a segment."""
    rig = fight({HUNGARIANS: HERE, TIGERS: HERE, GUARDS: THERE, RIFLES: "A27.11"})
    attack(rig, THERE, (HUNGARIANS,), HUNGARIANS, (3, 4, 6, 6), GUARDS, "open")
    while rig.state.battle is not None:
        side = next(iter(rig.asked()))
        verb = rig.options(side)[0]
        units = rig.options(side, verb)
        rig.do(side, verb, *units[:1])

    assert rig.refused("axis", "attack", THERE).rule == "OCS 9.1c"
    assert rig.options("axis", "attack", "A27.11") == (TIGERS,)
    assert rig.refused("axis", "attack", "A27.11", HUNGARIANS).rule == "OCS 9.1c"
    rig.do("axis", "done")
    assert rig.asked() == {"axis": "prompt.rest"}


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"marker": STRAT, "move_side": True}, "OCS 4.4a"),
        ({"marker": RESERVE}, "OCS 4.4a"),
        ({"attacked": True}, "OCS 9.1c"),
    ],
)
def test_9_1e_who_may_not_attack(changes: dict[str, object], rule: str) -> None:
    """OCS 4.4a, 9.1c, 9.1e Strat, unreleased Reserve and units that have attacked are refused."""
    rig = fight({DIVISION: HERE, TIGERS: HERE, GUARDS: THERE})
    marked(rig, TIGERS, **changes)

    assert rig.options("axis", "attack", THERE) == (DIVISION,)
    assert rig.refused("axis", "attack", THERE, TIGERS).rule == rule


def test_2_3_exploitation_is_for_exploit_units_and_released_reserves() -> None:
    """OCS 2.3, 11.0 In the Exploitation Phase attack units in Exploit mode and released Reserves
    alone; they gain no marker (9.13b)."""
    rig = fight({DIVISION: HERE, TIGERS: HERE, HUNGARIANS: "A25.11", GUARDS: THERE}, segment="g3")
    rig.state = put(put(rig.state, TIGERS, marker=EXPLOIT), HUNGARIANS, released=True)
    alone(rig)

    assert rig.options("axis", "attack", THERE) == (HUNGARIANS, TIGERS)
    assert rig.refused("axis", "attack", THERE, DIVISION).rule == "OCS 2.3"


def test_9_1f_nobody_attacks_where_it_may_not_move() -> None:
    """OCS 9.1f, HR 1.4a Nobody attacks where it may not move: not across the Danube without a
    bridge, not where the game bars it."""
    state = stand({TIGERS: "A32.18", GUARDS: "A32.17"}, phasing="axis", segment="f2")
    board = state.charts.board
    danube = board.hex("A32.17")
    bridged = attacks.why_not(state, TIGERS, danube)
    broken = replace(
        state,
        bridges_down=frozenset(s for slots in board.printed_bridges.values() for s in slots),
    )
    refused = attacks.why_not(broken, TIGERS, danube)

    assert bridged is None
    assert isinstance(refused, Refusal)
    assert refused.rule == "OCS 9.1f"


# --- supply ---------------------------------------------------------------------------------------


def test_9_5_an_attack_costs_by_step_and_a_defence_by_re() -> None:
    """OCS 9.1d, 9.5, 12.4 Examples 26, 61 1T a step of the attackers; 2T of the defender, 1T if he
    has 1 RE at most."""
    state = stand({DIVISION: HERE, TIGERS: HERE, GUARDS: THERE, "su.su.366gd": "A27.11"})
    target = state.charts.board.hex(THERE)

    assert attacks.attack_bill(state, (DIVISION, TIGERS), target).cost == 4
    assert attacks.defence_bill(state, SOVIET, (GUARDS,)).cost == 2
    assert attacks.defence_bill(state, SOVIET, ("su.su.366gd",)).cost == 1
    hurt = put(state, DIVISION, lost=1)
    assert attacks.attack_bill(hurt, (DIVISION,), target).cost == 2


def test_9_1d_all_in_the_hex_defend_together() -> None:
    """OCS 9.1d Whoever attacks the hex fights all combat units there."""
    rig = fight({TIGERS: HERE, GUARDS: THERE, RIFLES: THERE, MORE_RIFLES: "A27.11"})
    rig.do("axis", "attack", THERE, TIGERS)
    battle = rig.state.battle
    assert battle is not None
    assert set(battle.defenders) == {GUARDS, RIFLES}
    assert battle.attackers == {rig.state.charts.board.hex(HERE): (TIGERS,)}


def test_9_1e_who_is_not_paid_for_does_not_attack() -> None:
    """OCS 9.1e, 9.4c, 9.5 Of two attackers the one without supply adds nothing; a defender without
    any fights at half, and Tigers in rough terrain at half of that."""
    state = stand({DIVISION: HERE, TIGERS: HERE, GUARDS: THERE})
    board = state.charts.board
    here, there = board.hex(HERE), board.hex(THERE)
    leaders = {"axis": DIVISION, "soviet": GUARDS}
    whole = Battle(REGULAR, "axis", there, {here: (DIVISION, TIGERS)}, (GUARDS,))
    whole = replace(whole, leaders=leaders, terrain={here: "open"}, ground="open")
    strength = state.face(DIVISION).strength
    unpaid = assess(state, replace(whole, unpaid=frozenset((TIGERS,))))
    assert unpaid.attack == strength < assess(state, whole).attack
    poor = assess(state, replace(whole, unpaid=frozenset((GUARDS,))))
    assert 2 * poor.defence == assess(state, whole).defence
    assert terrain.defending(state, TIGERS, "rough") == Fraction(1, 2)
    assert terrain.defending(state, TIGERS, "open") == 1


def test_9_5_no_supply_no_attack() -> None:
    """OCS 9.1e, 9.5 Without supply and without stocks nobody attacks."""
    rig = fight({TIGERS: HERE, GUARDS: THERE}, supply=False)
    marked(rig, TIGERS, stocks=2)

    assert rig.refused("axis", "attack", THERE, TIGERS).rule == "OCS 9.5"


def test_9_2_an_attack_that_is_not_paid_is_void() -> None:
    """OCS 9.2(2) The attacker who leaves the bill unpaid has attacked all the same (9.1c)."""
    rig = fight({TIGERS: HERE, GUARDS: THERE, RIFLES: "A27.11"})
    rig.do("axis", "attack", THERE, TIGERS)
    rig.do("axis", "unpaid")

    assert rig.state.battle is None
    assert rig.state.units[TIGERS].attacked
    assert rig.state.supply["axis"] == {rig.state.charts.board.hex(HERE): 40}


@pytest.mark.parametrize(
    ("oos", "marker", "supply", "strength"),
    [(True, "", False, 3), (True, "", True, 6), (True, DG, False, Fraction(3, 2))],
)
def test_9_5a_out_of_supply(oos: bool, marker: str, supply: bool, strength: int | Fraction) -> None:
    """Example 25 12 points marked OOS: a quarter without combat supply, half with it; DG halves
    again."""
    state = put(stand({"ax.mtn.3": HERE}), "ax.mtn.3", oos=oos, marker=marker)

    assert modes.strength(state, "ax.mtn.3", attacking=False, supplied=supply) == strength


def test_9_5_a_defender_who_declines_fights_at_half() -> None:
    """OCS 9.5 The defender may decline: half strength, and everybody is told."""
    rig = sudwind()
    rig.do("axis", "attack", THERE, DIVISION, TIGERS)
    paid(rig, "axis")
    rig.do("axis", "lead", TIGERS)
    rig.dice(3, 4, 4, 4)
    events = rig.do("soviet", "defend", "decline", GUARDS, "open")

    assert weighed(rig).defence == "9/2"
    told = [e for e in events if isinstance(e, combat_events.CombatPaid)]
    assert [(e.side, e.paid) for e in told] == [("soviet", False)]


def test_9_5_ruling_3_a_defence_without_supply_marks_stocks() -> None:
    """OCS 9.5, R-03 A defender without supply marks stocks; who was Exhausted fights at half
    while the others fight in full."""
    rig = fight({DIVISION: HERE, TIGERS: HERE, GUARDS: THERE, RIFLES: THERE}, supply=False)
    rig.state = put(put(rig.state, RIFLES, stocks=2), GUARDS, stocks=0)
    alone(rig)
    rig.do("axis", "attack", THERE, DIVISION, TIGERS)
    rig.do("axis", "stocks")
    rig.do("axis", "lead", TIGERS)
    rig.dice(3, 4, 1, 1)
    rig.do("soviet", "defend", "pay", GUARDS, "open")
    rig.do("soviet", "stocks")
    state = rig.state
    whole = Fraction(state.counter(GUARDS).combat.strength)  # type: ignore[union-attr]
    half = Fraction(state.counter(RIFLES).combat.strength, 2)  # type: ignore[union-attr]

    assert Fraction(weighed(rig).defence) == whole + half
    assert state.units[GUARDS].stocks == 1


def test_3_5c_partisans_attack_without_supply() -> None:
    """Example 65 Partisans fight at full strength and owe nothing."""
    state = stand({"su.sp.1": THERE, TIGERS: HERE}, phasing=SOVIET)

    assert attacks.attack_bill(state, ("su.sp.1",), state.charts.board.hex(HERE)).cost == 0
    assert attacks.defence_bill(state, SOVIET, ("su.sp.1",)).cost == 0


# --- terrain --------------------------------------------------------------------------------------


def test_9_4b_terrain_by_stack() -> None:
    """OCS 9.4a, 9.4b, 9.4c Example 16 A city across minor rivers: against each hex the defender
    chooses city or river; the row is the city's."""
    state = stand({TIGERS: "B9.16", PANZERS: "B10.14", GUARDS: "B10.15"})
    board = state.charts.board
    city = board.hex("B10.15")

    assert terrain.grounds(state, city) == ("minor_city", "rough")
    for name in ("B9.16", "B10.14", "B9.15"):
        assert set(terrain.against(state, board.hex(name), city)) == {
            "minor_city",
            "rough",
            "minor",
        }
    assert terrain.row(state, SOVIET, city) == "very_close"
    assert terrain.row(state, SOVIET, city, "rough") == "close"
    factors = [terrain.attacking(state, name, "rough", 0, city) for name in (TIGERS, DIVISION)]
    assert factors == [Fraction(1, 2), 1], "unit by unit"


def test_9_4b_the_defender_names_his_terrain() -> None:
    """Example 16 What the defender names for a hex counts against the stack there alone."""
    rig = fight({DIVISION: "B9.16", TIGERS: "B9.15", GUARDS: "B10.15"}, segment="f2")
    rig.do("axis", "attack", "B10.15", DIVISION, TIGERS)
    paid(rig, "axis")
    rig.do("axis", "lead", TIGERS)
    rig.dice(3, 4, 4, 4)
    rig.do("soviet", "defend", "pay", GUARDS, "minor_city", "B9.15", "minor", "B9.16", "minor_city")
    paid(rig, "soviet")

    assert weighed(rig).attack == str(11 + Fraction(7, 2))
    assert weighed(rig).row == "very_close"


def test_9_4e_anti_tank_levels() -> None:
    """OCS 3.2a, 9.4d, 9.4e, 16.0e x2 in the open is x1.5 against anti-tank units of the level of
    the attacker or above, and any hedgehog is heavy; [x2] does not count in defence."""
    state = stand({TIGERS: HERE, GUARDS: THERE})
    board = state.charts.board
    target = board.hex(THERE)
    level = terrain.opposed(state, SOVIET, target, (GUARDS,))
    dug_in = replace(state, hedgehogs={target: Hedgehog(SOVIET, 1)})

    assert terrain.attacking(state, TIGERS, "open", level, target) == 2
    heavy = terrain.opposed(dug_in, SOVIET, target, (GUARDS,))
    assert terrain.attacking(dug_in, TIGERS, "open", heavy, target) == Fraction(3, 2)
    assert terrain.opposed(state, SOVIET, target, (GUARDS, "su.at.41gd")) == heavy
    assert terrain.defending(state, TIGERS, "open") == 1


def test_1_1e_black_hedgehogs() -> None:
    """HR 1.1e, R-02 A printed hedgehog with a black border is Close in the open and armour is
    not doubled there; the other side has nothing of it."""
    state = stand({"ax.hu.7": "A31.20", "su.27gtk": "A31.21"}, name="campaign")
    black = state.charts.board.hex("A31.20")

    assert terrain.grounds(state, black) == ("open",)
    assert terrain.row(state, "axis", black) == "close"
    assert terrain.row(state, SOVIET, black) == "open"
    armour = next(
        name
        for name, counter in state.charts.units.items()
        if counter.side == SOVIET and counter.cls == "armor"
    )
    assert terrain.attacking(state, armour, "open", 0, black) == 1


def test_9_14a_strength_0_is_the_rightmost_column() -> None:
    """Example 17 Against units in Strat mode alone the rightmost column is used."""
    rig = fight({TIGERS: HERE, GUARDS: THERE})
    marked(rig, GUARDS, marker=STRAT, move_side=True)
    rolled = attack(rig, THERE, (TIGERS,), TIGERS, (1, 1, 1, 1), GUARDS, "open")

    assert weighed(rig).odds == "13:1"
    assert weighed(rig).drm == 5
    assert rolled.surprise == ""


# --- results --------------------------------------------------------------------------------------


def test_5_7d_reserve_markers_go() -> None:
    """OCS 5.7d Any entry for the defender takes the Reserve markers of his hex; "DG" disorganises
    all his combat units."""
    for text, marker in (("Ao1 Do1", ""), ("Ae3 DL2o2DG", DG), ("AL2", RESERVE)):
        rig = fight({TIGERS: HERE, GUARDS: THERE})
        rig.state = put(rig.state, GUARDS, marker=RESERVE)
        battle = in_retreat(rig, 0)
        alone(rig, battle=replace(battle, result=combat_result(text)))
        rig.jump("rest", "ocs.shaken")
        assert rig.state.units[GUARDS].marker == marker, text


def test_5_10c_transport_is_never_shaken() -> None:
    """OCS 5.10a, 5.10c DG is for the combat units of the hex; an organic truck there stays out of
    it and loses its Reserve marker."""
    rig = fight({TIGERS: HERE, GUARDS: THERE, "su.9gmc.truck": THERE})
    for name in (GUARDS, "su.9gmc.truck"):
        rig.state = put(rig.state, name, marker=RESERVE)
    battle = in_retreat(rig, 0)
    alone(rig, battle=replace(battle, result=combat_result("Ae3 DL2o2DG")))
    rig.jump("rest", "ocs.shaken")
    assert rig.state.units[GUARDS].marker == DG
    assert rig.state.units["su.9gmc.truck"].marker == ""


def test_9_1a_only_the_phasing_side_attacks() -> None:
    """OCS 9.1a In the Axis player turn no Soviet unit attacks."""
    rig = fight({TIGERS: HERE, GUARDS: THERE})
    here = rig.state.charts.board.hex(HERE)
    refused = attacks.why_not(rig.state, GUARDS, here)

    assert refused is not None
    assert refused.rule == "OCS 9.1a"
    assert attacks.why_not(rig.state, TIGERS, rig.state.charts.board.hex(THERE)) is None


@pytest.mark.parametrize(("row", "gained"), [(REGULAR, (TIGERS,)), ("overrun", ())])
def test_8_1e_no_marker_for_an_overrun(row: str, gained: tuple[str, ...]) -> None:
    """OCS 8.1e The same result that lets a regular attacker exploit gives nothing to an overrun."""
    rig = fight({TIGERS: HERE, GUARDS: THERE})
    board = rig.state.charts.board
    battle = Battle(
        row,
        "axis",
        board.hex(THERE),
        {board.hex(HERE): (TIGERS,)},
        (GUARDS,),
        result=combat_result("Ae3 DL2o2DG"),
    )
    state = replace(rig.state, segment="f2")

    assert exploit.exploiters(state, battle) == gained


@pytest.mark.parametrize(
    ("hexes", "gained"),
    [
        ((HERE,), True),
        ((HERE, "A25.11"), True),
        ((HERE, "A25.12"), False),
        ((HERE, "A25.11", "A25.12"), False),
    ],
)
def test_9_13b_from_how_many_hexes(hexes: tuple[str, ...], gained: bool) -> None:
    """Example 21 Exploit is void if attackers come from three hexes or from two that do not
    touch."""
    names = (TIGERS, PANZERS, DIVISION)[: len(hexes)]
    state = stand(
        dict(zip(names, hexes, strict=True)) | {GUARDS: THERE}, phasing="axis", segment="f2"
    )
    board = state.charts.board
    battle = Battle(
        REGULAR,
        "axis",
        board.hex(THERE),
        {board.hex(h): (n,) for n, h in zip(names, hexes, strict=True)},
        (GUARDS,),
    )
    battle = replace(battle, result=combat_result("Ae4 DL1o2"))
    assert bool(exploit.exploiters(state, battle)) is gained
    assert exploit.forfeited(state, battle) is not gained, "which is told"
    later = replace(state, segment="g3")
    assert exploit.exploiters(later, battle) == ()


# --- fog ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fog", "told"), [("strict", False), ("open", True)])
def test_4_9b_units_are_not_told(fog: str, told: bool) -> None:
    """OCS 4.9b, R-17 No record of a combat names a unit to the enemy, who learns AR, levels,
    strengths and numbers of steps; with open fog all is told."""
    rig = sudwind(fog)
    seen: list[object] = []

    def walk(value: object) -> None:
        if isinstance(value, tuple):
            for item in value:
                walk(item)
        elif not isinstance(value, Secret):
            seen.append(value)

    worked(rig)
    rig.do("axis", "lose", TIGERS)
    rig.do("soviet", "retreat")
    rig.do("soviet", "retreat", "A26.12", "A26.13")
    rig.do("axis", "stay")
    for record in rig.records[5:]:
        walk(record.body)
    names = set(rig.state.units)
    assert bool(names & {value for value in seen if isinstance(value, str)}) is told


def test_9_6_the_question_is_always_asked() -> None:
    """OCS R-19 A defender with one unit, one terrain and no supply is asked all the same."""
    rig = fight({TIGERS: HERE, GUARDS: THERE}, supply=False)
    rig.state = put(rig.state, GUARDS, stocks=2)
    alone(rig)
    rig.do("axis", "attack", THERE, TIGERS)
    rig.do("axis", "stocks")
    assert rig.asked() == {"axis": "prompt.ocs.leader"}
    rig.do("axis", "lead", TIGERS)
    assert rig.asked() == {"soviet": "prompt.ocs.defend"}
    assert rig.options("soviet", "defend") == ("decline",)
    assert rig.refused("soviet", "defend", "pay").rule == "OCS 9.5"
    assert result_losses.veiled(rig.state)
