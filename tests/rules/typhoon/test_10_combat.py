"""10.0-10.2 Attacks: who may attack what, declaring and resolving."""

from tests.rules.typhoon.battles import (
    INFANTRY,
    PANZERS,
    RIFLES2,
    RIFLES3,
    RIFLES4,
    assess_now,
    battle,
    stood,
)
from tests.rules.typhoon.bench import Bench, board_t
from warledger.engine.games.typhoon.combat import AttackCancelled, Declared, Fought
from warledger.engine.games.typhoon.losses import Reduced
from warledger.engine.games.typhoon.odds import assess

# --- 10.0 -----------------------------------------------------------------------------------------


def test_10_0_only_enemies_next_door() -> None:
    """10.0, 10.1 Empty hexes cannot be attacked; attacking is optional."""
    bench = stood(PANZERS[:2], RIFLES3[:1])
    bench.activate("axis", *PANZERS[:2], segment="declaration")
    assert bench.refused("axis", "attack", "1012").rule == "10.0"
    bench.do("axis", "done")
    assert bench.asked() == {"soviet": "prompt.typhoon.set_up"}


# --- 10.1 attacking is optional -------------------------------------------------------------------


def test_10_1_1_one_attack_a_unit_and_a_hex() -> None:
    """10.1(1) A unit attacks one hex, stacked units may attack different ones; 10.1(2) only
    activated units; 10.1(3) each hex once."""
    bench = Bench()
    bench.stand(
        {
            PANZERS[0]: "1011",
            PANZERS[1]: "1011",
            PANZERS[2]: "0911",
            RIFLES2[0]: "1010",
            RIFLES2[1]: "1012",
            INFANTRY[0]: "1111",
        }
    )
    bench.activate("axis", *PANZERS[:3], segment="declaration")

    assert bench.refused("axis", "attack", "1010", INFANTRY[0]).rule == "10.1(2)"
    assert bench.refused("axis", "attack", "1010", RIFLES2[1]).rule == "10.1(2)"
    bench.do("axis", "attack", "1010", PANZERS[0])
    assert bench.refused("axis", "attack", "1010").rule == "10.1(3)"
    assert bench.refused("axis", "attack", "1012", PANZERS[0]).rule == "10.1(1)"
    assert bench.refused("axis", "attack", "1012", PANZERS[2]).rule == "10.0"
    assert bench.do("axis", "attack", "1012", PANZERS[1])[0] == Declared("1012", (PANZERS[1],))


def test_10_1_3_several_hexes_join_10_1_4_all_defend() -> None:
    """10.1(3) Units of several hexes join in one combat; 10.1(4) all units in the hex defend
    together."""
    bench = Bench()
    bench.stand({PANZERS[0]: "1011", INFANTRY[0]: "0911", RIFLES3[0]: "1010", RIFLES3[1]: "1010"})
    found = assess_now(bench, (PANZERS[0], INFANTRY[0]))
    assert (found.attack, found.defence) == (13, 6)


def test_10_1_3_the_same_hex_in_the_next_command() -> None:
    """10.1(3), 10.3(1)2 A hex is attacked once a segment, but again by the next chit; and who
    retreated then defends at strength now."""
    bench = battle({PANZERS[0]: "1011", RIFLES3[0]: "1010", RIFLES3[1]: "1009"}, PANZERS[:1], 4)
    assert bench.hexes(RIFLES3[0]) == ("1009",)
    bench.do("axis", "advance", PANZERS[0], "1010")
    bench.activate("axis", PANZERS[0], chit="chit.ax.3pza.2", segment="declaration")
    assert assess(bench.state, "axis", PANZERS[:1], bench.state.data.hex("1009")).defence == 6


def test_10_1_5_not_across_impassable() -> None:
    """10.1(5) An impassable hexside cannot be attacked across."""
    bench = Bench(board_t(impassable="1010-1011"))
    bench.stand({PANZERS[0]: "1011", PANZERS[1]: "0911", RIFLES2[0]: "1010"})
    bench.activate("axis", *PANZERS[:2], segment="declaration")
    assert bench.refused("axis", "attack", "1010", PANZERS[0]).rule == "10.1(5)"


# --- 10.2 -----------------------------------------------------------------------------------------


def test_10_2_1_declared_first_resolved_in_any_order_R20() -> None:
    """10.2(1), 10.2(2), 10.2(3), R-20 All attacks are declared before the first die; the attacker
    says which is resolved next."""
    bench = Bench()
    bench.stand({PANZERS[0]: "1011", PANZERS[1]: "1011", RIFLES2[0]: "1010", RIFLES2[1]: "1012"})
    bench.activate("axis", *PANZERS[:2], segment="declaration")
    bench.do("axis", "attack", "1010", PANZERS[0])
    bench.do("axis", "attack", "1012", PANZERS[1])
    assert bench.asked() == {"axis": "prompt.typhoon.resolve"}
    assert bench.refused("axis", "resolve", "0911").rule == "10.2(1)"
    bench.dice(2, 2)  # 4-1: R each
    bench.do("axis", "resolve", "1012")
    (fought,) = bench.happened(Fought)
    assert (fought.target, fought.attack, fought.defence, fought.column, fought.result) == (
        "1012",
        8,
        2,
        "4-1",
        "R",
    )


def test_10_2_1_R20_what_became_illegal_is_cancelled() -> None:
    """R-20 A declared attack that is below 1-1 when its turn comes is cancelled without a die."""
    bench = stood(INFANTRY[:1], RIFLES4[:1])
    bench.activate("axis", INFANTRY[0], segment="declaration")
    bench.run(lambda table: table.emit(Declared("1010", (INFANTRY[0],))))
    bench.run(lambda table: table.emit(Reduced(INFANTRY[0], "losses")))
    bench.jump("set_up_first", "hq_command", "combat_segment", "resolution")
    assert bench.happened(AttackCancelled) and not bench.happened(Fought)
