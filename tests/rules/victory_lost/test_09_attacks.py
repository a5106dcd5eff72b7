"""9.0-9.2 Who may attack what; 9.4.2 losses; 12.2 HQs left alone."""

from engine.games.victory_lost.combat_events import AttackResolved
from engine.games.victory_lost.events import HqReset
from tests.rules.victory_lost.battles import GERMAN, ITALIAN, PANZER, TANK, TANKS, attack, column, combat, declared, happened, lost
from tests.rules.victory_lost.bench import Bench, board_t, real_pack


def test_9_1_1_only_activated_units_attack_and_once() -> None:
    """A unit that is not activated never attacks; one that has attacked does not attack again in this step."""
    places = {ITALIAN: "1010", "ax.it.sfz": "1209", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111"}
    bench = combat(places, active=TANKS[:2])
    assert set(bench.options("soviet", "attack")) == {"1010", "1209"}
    assert bench.options("soviet", "attack", "1010") == TANKS[:2]
    assert bench.refused("soviet", "attack", "1010", TANKS[2]).key == "refusal.victory_lost.not_activated"

    attack(bench, 1, "1010", TANKS[0])
    assert bench.options("soviet", "attack") == ("1209",)
    assert bench.options("soviet", "attack", "1209") == (TANKS[1],)
    refusal = bench.refused("soviet", "attack", "1209", TANKS[0])
    assert (refusal.rule, refusal.key) == ("9.1.1", "refusal.victory_lost.has_attacked")


def test_R_13_once_a_combat_step() -> None:
    """R-13 on 9.1.1: a unit activated again in the same turn may attack again, also the same hex."""
    bench = combat({ITALIAN: "1010", TANK: "1110"})
    attack(bench, 1, "1010", TANK)
    bench.activate("soviet", TANK)
    bench.jump("chit_selection", "activation", "combat_step")
    assert bench.options("soviet", "attack") == ("1010",)


def test_9_1_2_voluntary() -> None:
    """The active side may end the step without an attack."""
    bench = combat({ITALIAN: "1010", TANK: "1110"})
    bench.do("soviet", "done")
    assert bench.asked() == {"axis": "prompt.victory_lost.chits", "soviet": "prompt.victory_lost.chits"}


def test_9_1_3_stacked_units_may_attack_different_hexes() -> None:
    """Each attacks one hex; a pick cannot be repeated."""
    bench = combat({ITALIAN: "1010", "ax.it.sfz": "1209", TANKS[0]: "1110", TANKS[1]: "1110"})
    assert bench.refused("soviet", "attack", "1010", TANK, TANK).key == "refusal.victory_lost.picked_already"
    attack(bench, 1, "1010", TANKS[0])
    attack(bench, 1, "1209", TANKS[1])
    assert "prompt.victory_lost.combat" not in bench.asked().values()


def test_E48_9_1_4_a_hex_once_a_step() -> None:
    """After an attack without effect two fresh units next to the hex may not attack it."""
    bench = combat({ITALIAN: "1009", "ax.it.sfz": "1210", TANKS[0]: "1010", TANKS[1]: "1110", TANKS[2]: "1110"})
    attack(bench, 1, "1009", TANKS[0])
    assert [event.result for event in happened(bench, AttackResolved)] == ["-"]
    refusal = bench.refused("soviet", "attack", "1009")
    assert (refusal.rule, refusal.key) == ("9.1.4", "refusal.victory_lost.attacked_already")
    assert bench.options("soviet", "attack") == ("1210",)


def test_9_1_4_units_from_several_hexes_make_one_attack() -> None:
    """Their strengths are added, in whatever order they are named; 9.1.5 all defenders defend."""
    bench = combat({ITALIAN: "1010", GERMAN: "1010", TANKS[0]: "1110", TANKS[1]: "1009"})
    attack(bench, 1, "1010", TANKS[1], TANKS[0])
    found = declared(bench)
    assert (found.attackers, found.attack, found.defence) == ((TANKS[0], TANKS[1]), 12, 6)
    assert set(found.defenders) == {ITALIAN, GERMAN}
    assert column(bench) == "2-1"


def test_9_1_6_not_across_an_impassable_hexside() -> None:
    """Neither as a target nor in the attack of others."""
    pack = board_t(impassable="1010-1110")
    bench = combat({ITALIAN: "1010", "ax.it.sfz": "1209", TANKS[0]: "1110", TANKS[1]: "1009"}, bench=Bench(pack))
    assert bench.options("soviet", "attack", "1010") == (TANKS[1],)
    assert bench.options("soviet", "attack", "1209") == (TANKS[0],)
    refusal = bench.refused("soviet", "attack", "1010", TANKS[0])
    assert refusal.rule == "9.1.6"


def test_9_0_only_units_are_attacked() -> None:
    """Empty hexes are no target; the target must be adjacent."""
    bench = combat({ITALIAN: "1010", "ax.it.sfz": "0510", TANK: "1110"})
    assert bench.refused("soviet", "attack", "1109").key == "refusal.victory_lost.attack_nobody"
    assert bench.refused("soviet", "attack", "0510").key == "refusal.victory_lost.nobody_attacks"
    assert bench.refused("soviet", "attack", "9999").key == "refusal.victory_lost.no_such_hex"


def test_E72_9_0_a_lone_hq_cannot_be_attacked() -> None:
    """12.1: it is overrun by entering its hex, never attacked."""
    bench = combat({"ax.hq.it8a": "1010", ITALIAN: "1209", TANK: "1110"})
    assert bench.options("soviet", "attack") == ("1209",)
    refusal = bench.refused("soviet", "attack", "1010")
    assert (refusal.rule, refusal.key) == ("12.1", "refusal.victory_lost.attack_hq")


def test_2_3_1_hqs_do_not_attack() -> None:
    """R-15: an HQ is not a unit."""
    bench = combat({ITALIAN: "1010", TANK: "1110", "su.hq.1gda": "1110"})
    assert bench.options("soviet", "attack", "1010") == (TANK,)
    assert bench.refused("soviet", "attack", "1010", "su.hq.1gda").key == "refusal.victory_lost.hq_attacks"


def test_E06_9_3_4_too_weak() -> None:
    """9 to 10 is no attack: the target is refused with both strengths."""
    bench = combat({"ax.mot.gd": "1010", ITALIAN: "1209", "su.tank.18": "1110", "su.rifle.1": "1110"})
    refusal = bench.refused("soviet", "attack", "1010")
    assert (refusal.rule, dict(refusal.args)["attack"], dict(refusal.args)["defence"]) == ("9.3.4", 9, 10)
    assert bench.options("soviet", "attack") == ("1209",)


def test_9_2_R_14_attacks_open_new_attacks() -> None:
    """R-14: attacks are declared one by one: where a retreat ends a unit that has not attacked may attack, those that have may not."""
    places = {ITALIAN: "1010", TANKS[0]: "1110", "su.rifle.1": "0810", TANKS[1]: "1009", TANKS[2]: "1011"}
    bench = combat(places, active=[TANKS[0], "su.rifle.1"])
    assert bench.options("soviet", "attack") == ("1010",)
    attack(bench, 3, "1010", TANKS[0])
    bench.do("axis", "retreat", ITALIAN, "0910")
    bench.do("soviet", "advance", TANKS[0], "1010")
    assert bench.options("soviet", "attack") == ("0910",)
    assert bench.options("soviet", "attack", "0910") == ("su.rifle.1",)


def test_E46_4_1_turn_1_special_combat() -> None:
    """The Soviets name HQ 6A: the units in its range may attack and advance, nothing moves; then the first chit is drawn."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical", seed=46)
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    if "axis" in bench.asked():
        bench.do("axis", "choose", *_first(bench, "axis", "choose"))
    assert bench.asked() == {"soviet": "prompt.victory_lost.special"}
    bench.do("soviet", "activate", "su.hq.6a")
    assert bench.asked() == {"soviet": "prompt.victory_lost.combat"}
    target = bench.options("soviet", "attack")[0]
    units = bench.options("soviet", "attack", str(target))
    activation = bench.state.activation
    assert activation is not None
    assert set(units) <= set(activation.units)
    bench.do("soviet", "done")
    assert bench.state.cup.drawn, "the first chit is drawn"


def _first(bench: Bench, *picks: str) -> tuple[str, ...]:
    """The first of the choices, again and again until the command is whole."""
    found: list[str] = []
    while options := bench.options(picks[0], *picks[1:], *found):
        found.append(str(options[0]))
    return tuple(found)


def test_E93_E94_the_bridgehead_of_boguchar() -> None:
    """On the real map: 12 + 8/2 = 16 against 2 is 8-1; against 298 as well 16 to 6 is 2-1."""
    places = {"su.tank.18": "3909", "su.tank.25": "3909", "su.rifle.41g": "4009", "su.rifle.44g": "4009", ITALIAN: "3910"}
    for more, ratio in (({}, "8-1"), ({"ax.inf.298": "3910"}, "2-1")):
        bench = combat({**places, **more}, bench=Bench(real_pack()))
        attack(bench, 1, "3910", "su.tank.18", "su.tank.25", "su.rifle.41g", "su.rifle.44g")
        assert (declared(bench).attack, declared(bench).defence) == (16, 6 if more else 2)
        assert column(bench) == ratio


# --- 9.4.2 losses -----------------------------------------------------------------------------------------------------------

STACK = {"ax.it.rav": "1010", "ax.it.sfz": "1010"}
STRONG = dict(zip(TANKS, ("1110", "1110", "1111", "1111"), strict=True))


def test_E49_9_4_2_the_owner_divides_the_losses() -> None:
    """Two full units and 2 losses: both reduced, or one eliminated; the owner is asked."""
    for shares, reduced, gone in (
        (("ax.it.rav", "ax.it.sfz"), ["ax.it.rav", "ax.it.sfz"], []),
        (("ax.it.sfz", "ax.it.sfz"), [], ["ax.it.sfz"]),
    ):
        bench = combat({**STACK, **STRONG})
        attack(bench, 5, "1010", *TANKS)
        assert [event.result for event in happened(bench, AttackResolved)] == ["2DR2"]
        assert bench.asked() == {"axis": "prompt.victory_lost.losses"}
        bench.do("axis", "lose", *shares)
        assert lost(bench) == (reduced, gone)


def test_9_4_2_exactly_so_many() -> None:
    """Fewer points are no whole command; a unit takes at most its faces; strangers take none."""
    bench = combat({**STACK, **STRONG, GERMAN: "0801"})
    attack(bench, 5, "1010", *TANKS)
    assert bench.refused("axis", "lose", "ax.it.rav").key == "refusal.incomplete"
    assert bench.refused("axis", "lose", GERMAN).key == "refusal.victory_lost.not_in_combat"
    assert bench.refused("axis", "lose", "ax.it.rav", "ax.it.rav", "ax.it.sfz").key == "refusal.victory_lost.losses_divided"

    bench = combat({**STACK, **STRONG}, reduced=["ax.it.rav"])
    attack(bench, 4, "1010", *TANKS)
    assert bench.refused("axis", "lose", "ax.it.rav", "ax.it.rav").key == "refusal.victory_lost.no_face_left"


def test_E50_R_24_losses_beyond_the_faces_are_ignored() -> None:
    """4 losses on one full unit eliminate it; nobody is asked, and the attackers may advance (R-31)."""
    bench = combat({ITALIAN: "1010", **STRONG})
    attack(bench, 6, "1010", *TANKS)
    assert lost(bench) == ([], [ITALIAN])
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_9_4_2_a_one_faced_unit_absorbs_one() -> None:
    """R-24: Luftwaffe divisions have one face."""
    bench = combat({"ax.lw.7": "1010", "ax.inf.62": "1010", **STRONG})
    attack(bench, 6, "1010", *TANKS)
    assert [event.result for event in happened(bench, AttackResolved)] == ["1DR2"]
    bench.do("axis", "lose", "ax.lw.7")
    assert lost(bench)[1] == ["ax.lw.7"]
    assert bench.state.score["soviet"] == 1


def test_9_4_1_the_attackers_lose() -> None:
    """"A1": only units that took part share it, as their owner likes; mechanized losses score (14.0.1)."""
    places = {PANZER: "1010", TANKS[0]: "1110", TANKS[1]: "1111", TANKS[2]: "1110"}
    bench = combat(places, reduced=[*TANKS[:2], PANZER])
    attack(bench, 3, "1010", *TANKS[:2])
    assert column(bench) == "1.5-1"
    assert bench.asked() == {"soviet": "prompt.victory_lost.losses"}
    assert bench.options("soviet", "lose") == TANKS[:2]
    before = bench.state.score["axis"]
    bench.do("soviet", "lose", TANKS[1])
    assert lost(bench) == ([], [TANKS[1]])
    assert bench.state.score["axis"] == before + 1


def test_9_4_2_no_choice_is_not_asked() -> None:
    """One unit, or as many points as faces: the losses fall by themselves."""
    bench = combat({**STACK, **STRONG}, reduced=["ax.it.rav", "ax.it.sfz"])
    attack(bench, 5, "1010", *TANKS)
    assert lost(bench) == ([], ["ax.it.rav", "ax.it.sfz"])


def test_E70_12_2_an_hq_left_alone_resets_before_the_advance() -> None:
    """Both units die by losses: the HQ resets, then the hex is vacated and the attackers may advance."""
    bench = combat({**STACK, "ax.hq.4pza": "1010", **STRONG}, reduced=["ax.it.rav", "ax.it.sfz"])
    attack(bench, 5, "1010", *TANKS)
    assert bench.asked() == {"axis": "prompt.victory_lost.reset"}
    to = str(bench.options("axis", "reset")[0])
    bench.do("axis", "reset", to)
    assert [event.hq for event in happened(bench, HqReset)] == ["ax.hq.4pza"]
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_12_2_the_attackers_hq_too() -> None:
    """An HQ whose attackers all die resets as well; one that keeps a unit stays."""
    places = {PANZER: "1010", "su.rifle.1": "1110", "su.hq.1gda": "1110", "su.rifle.107": "1111"}
    bench = combat(places, reduced=[PANZER, "su.rifle.1"])
    attack(bench, 1, "1010", "su.rifle.1", "su.rifle.107")
    assert bench.asked() == {"soviet": "prompt.victory_lost.losses"}
    bench.do("soviet", "lose", "su.rifle.1", "su.rifle.107")
    assert lost(bench) == (["su.rifle.107"], ["su.rifle.1"])
    assert bench.asked() == {"soviet": "prompt.victory_lost.reset"}

    bench = combat({**places, "su.rifle.153": "1110"}, reduced=[PANZER, "su.rifle.1"])
    attack(bench, 1, "1010", "su.rifle.1", "su.rifle.107")
    bench.do("soviet", "lose", "su.rifle.1", "su.rifle.107")
    assert bench.hexes("su.hq.1gda") == ("1110",)


def test_12_2_hqs_take_no_losses() -> None:
    """An HQ is never among those who can take a loss."""
    bench = combat({**STACK, "ax.hq.4pza": "1010", **STRONG})
    attack(bench, 5, "1010", *TANKS)
    assert bench.options("axis", "lose") == ("ax.it.rav", "ax.it.sfz")
