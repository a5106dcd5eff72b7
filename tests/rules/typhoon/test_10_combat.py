"""10.0-10.5 Attacks, the combat ratio, the combat results table, losses."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from engine.board.odds import odds
from engine.games.chitpull.attacks import Assessment
from engine.games.typhoon.events import AttackCancelled, Declared, Eliminated, Fought, LossesTaken, Reduced
from engine.games.typhoon.odds import assess
from engine.games.typhoon.state import changed
from tests.rules.typhoon.bench import Bench, board_t, place, real_pack

PZ = ("ax.panzer.1", "ax.panzer.6", "ax.panzer.7", "ax.panzer.10")  # 8-6
PZ9 = ("ax.panzer.2", "ax.panzer.5")  # 9-6
INF = ("ax.inf.5", "ax.inf.35", "ax.inf.8", "ax.inf.28")  # 5-5
R2 = ("su.rifle.103", "su.rifle.139")
R3 = ("su.rifle.133", "su.rifle.174", "su.rifle.179")
R4 = ("su.rifle.178", "su.rifle.243", "su.rifle.91", "su.rifle.166", "su.rifle.108")
TANK = "su.tank.127"  # 3-2, one step
AROUND = ("1011", "0911", "1111", "1009", "1110", "0910")


def stood(attackers: Sequence[str], defenders: Sequence[str], *, turn: int = 1, hexes: Sequence[str] = AROUND, **more: Any) -> Bench:
    """Attackers two a hex round 1010, where the defenders stand."""
    options = {key: more.pop(key) for key in tuple(more) if key in ("halving", "big_city_shift", "allow_sub_1_1_with_positive_shift")}
    bench = Bench(board_t(**more), **options)
    places = {name: hexes[index // 2] for index, name in enumerate(attackers)}
    places.update(dict.fromkeys(defenders, "1010"))
    bench.stand(places, turn=turn)
    return bench


def odds_of(attackers: Sequence[str], defenders: Sequence[str], **more: Any) -> Assessment:
    """An attack on 1010 worked out."""
    bench = stood(attackers, defenders, **more)
    side = bench.state.data.types[attackers[0]].side
    return assess(bench.state, side, attackers, bench.state.data.hex("1010"))


def column(found: Assessment) -> str:
    """The final column's head, or what is wrong."""
    return "illegal" if found.column is None else NAMES[found.column]


DATA = Bench(real_pack()).state.data
NAMES = DATA.ladder.names


# --- 10.3(2), 10.3(3) the ratio


@pytest.mark.parametrize(
    ("attack", "defence", "head"),
    [
        (15, 5, "3-1"),
        (26, 9, "2-1"),
        (12, 7, "1.5-1"),
        (18, 13, "1-1"),
        (25, 2, "10-1"),
        (3, 2, "1.5-1"),
        (2, 2, "1-1"),
        (299, 100, "2-1"),
        (20, 2, "10-1"),
        (19, 2, "9-1"),
    ],
)
def test_10_3_2_ratio_rounds_down(attack: int, defence: int, head: str) -> None:
    """10.3(2) The seed's own examples and the boundaries (examples 1-10)."""
    found = odds(DATA.ladder, attack, defence)
    assert found.column is not None and NAMES[found.column] == head


def test_10_3_3_shifts_R22() -> None:
    """10.3(3), R-22 15 to 5 on a town in a light forest is 1.5-1 (example 12); 12-1 counts as 10-1 first: 8-1 (example 13)."""
    town: dict[str, Any] = {"rows": {"1010": "f"}, "places": (place("1010"),)}
    assert column(odds_of(INF[:3], (R3[0], R2[0]), **town)) == "1.5-1"
    assert column(odds_of(PZ[:3], R2[:1], **town)) == "8-1"


def test_10_3_4_below_1_1_is_illegal() -> None:
    """10.3(4) 12 to 7 with two shifts is refused (example 14)."""
    bench = stood((PZ[0], "ax.inf.251"), (R4[0], R3[0]), rows={"1010": "f"}, places=(place("1010"),))
    bench.activate("axis", PZ[0], "ax.inf.251", segment="declaration")
    assert bench.asked() == {"soviet": "prompt.typhoon.set_up"}  # no attack is possible at all
    assert column(assess_now(bench, (PZ[0], "ax.inf.251"))) == "illegal"


def assess_now(bench: Bench, attackers: Sequence[str]) -> Assessment:
    """An attack on 1010 as things stand."""
    return assess(bench.state, bench.state.data.types[attackers[0]].side, attackers, bench.state.data.hex("1010"))


def test_10_3_4_refusal_cites_it() -> None:
    """10.3(4) An attack that is too weak is refused with its figures while another is possible."""
    bench = Bench()
    bench.stand({INF[0]: "1011", R4[0]: "1010", R4[1]: "1010", R2[0]: "1012"})
    bench.activate("axis", INF[0], segment="declaration")

    assert bench.refused("axis", "attack", "1010").rule == "10.3(4)"
    assert bench.options("axis", "attack") == ("1012",)


@pytest.mark.parametrize("below", [False, True])
def test_R23_below_1_1_before_shifts(below: bool) -> None:
    """R-23 A ratio below 1-1 is illegal whatever the shifts; by option snow may lift one of at least 1-2 (to 1-1 here: -1 forest +2)."""
    found = odds_of(R4[:2], INF[:2], turn=9, allow_sub_1_1_with_positive_shift=below)  # 8 to 10
    assert column(found) == ("1-1" if below else "illegal")


# --- TEC, R-03


@pytest.mark.parametrize(
    ("sign", "town", "shifts"),
    [(".", 0, 0), ("f", 0, 1), ("F", 0, 2), ("s", 0, 1), (".", 1, 1), ("f", 1, 2), ("F", 1, 3), ("s", 1, 2)],
)
def test_tec_shifts(sign: str, town: int, shifts: int) -> None:
    """TEC Shifts of terrain, and of a town on top of it (example 16)."""
    found = odds_of(PZ, R2[:1], rows={"1010": sign}, places=(place("1010"),) if town else ())
    assert found.shift == -shifts


@pytest.mark.parametrize("shift", [1, 2])
def test_R03_big_city(shift: int) -> None:
    """R-03 A big city shifts two columns, whatever wood is under it; an option says otherwise."""
    assert odds_of(PZ, R2[:1], rows={"1010": "F"}, places=(place("1010", kind="big_city"),), big_city_shift=shift).shift == -shift


# --- 10.3(1) strengths


def test_10_3_1_1_rivers_halve_R02() -> None:
    """10.3(1), R-02 Two 5s from one hex across a river are 5; from two hexes 2 + 2 = 4, at 2-1 against 2 (example 36)."""
    river: dict[str, Any] = {"rivers": {"minor": "1010-1011 0911-1010"}}
    assert odds_of(INF[:2], R2[:1], **river).attack == 5
    apart = Bench(board_t(**river))
    apart.stand({INF[0]: "1011", INF[1]: "0911", R2[0]: "1010"})
    found = assess_now(apart, INF[:2])
    assert (found.attack, column(found)) == (4, "2-1")


def test_10_3_1_1_bridges_do_not_help() -> None:
    """10.3(1) A panzer's 8 across a bridged river and 5 not across: 4 + 5 = 9 to 3, 3-1 (example 37); a major river halves, too."""
    bench = Bench(board_t(rivers={"major": "1010-1011"}, bridges="1010-1011", roads=("1010 1011",)))
    bench.stand({PZ[0]: "1011", INF[0]: "0911", R3[0]: "1010"})
    found = assess_now(bench, (PZ[0], INF[0]))
    assert (found.attack, column(found)) == (9, "3-1")


@pytest.mark.parametrize(("halving", "attack"), [("per_hex_sum", 5), ("per_unit", 4), ("total", 5)])
def test_R02_halving_by_option(halving: str, attack: int) -> None:
    """R-02 The option `halving` says what is halved together."""
    assert odds_of(INF[:2], R2[:1], rivers={"minor": "1010-1011"}, halving=halving).attack == attack


def test_R02_nothing_left_is_no_attack() -> None:
    """R-02 An attack whose strength halves to nothing is illegal."""
    bench = Bench(board_t(rivers={"minor": "1010-1011"}))
    bench.stand({"su.cav.50": "1011", "ax.sec.221": "1010"}, reduced=("su.cav.50",))
    assert assess_now(bench, ("su.cav.50",)).column is None


def test_10_3_1_2_fallen_back_units_add_nothing_R21() -> None:
    """10.3(1), R-21 A rifle division that retreated into the hex adds nothing: 12 to 3, 4-1 (example 48); alone it is attacked at 10-1."""
    bench = stood((PZ[0], "ax.inf.251"), R3[:2])
    bench.activate("axis", PZ[0], "ax.inf.251", segment="declaration")
    activation = bench.state.activation
    assert activation is not None
    bench.state = changed(bench.state, activation=type(activation)(*_with(activation, fallen_back=frozenset({R3[0]}))))
    found = assess_now(bench, (PZ[0], "ax.inf.251"))
    assert (found.defence, column(found)) == (3, "4-1")

    bench.state = changed(bench.state, activation=type(activation)(*_with(activation, fallen_back=frozenset(R3[:2]))))
    assert column(assess_now(bench, (PZ[0], "ax.inf.251"))) == "10-1"


def _with(activation: Any, **changes: Any) -> tuple[Any, ...]:
    names = ("side", "chit", "hq", "units", "halved", "moved", "attacks", "fallen_back")
    return tuple(changes.get(name, getattr(activation, name)) for name in names)


def test_10_3_1_3_supply_does_not_matter() -> None:
    """10.3(1), 11.1(2) A unit without a LOC attacks, defends and moves at full strength."""
    bench = Bench()
    bench.stand({INF[0]: "1010", R3[0]: "1011", PZ[0]: "1012", **dict(zip(R4, ("0911", "1111", "0910"), strict=False))})
    assert not bench.state.field.has_loc("axis", bench.state.data.hex("1010"))
    assert bench.state.strength(INF[0]) == (5, 5)
    assert bench.state.allowance(INF[0]) == 10


# --- 10.4 the table


CRT = """
die 1: A2 A1 A1 - - R R RR RR 1RR 1RR
die 2: A1 A1 - - R R RR RR 1RR 1RR 2RR
die 3: A1 - - R R RR RR 1RR 1RR 2RR 2RR
die 4: - - R R RR RR 1RR 1RR 2RR 2RR 3RR
die 5: - R R RR RR 1RR 1RR 2RR 2RR 3RR 3RR
die 6: R R RR RR 1RR 1RR 2RR 2RR 3RR 3RR 4RR
"""


def test_10_4_the_whole_crt() -> None:
    """10.4(1), 10.4(2), CRT Every cell, and the regularity: a result depends on column plus die alone (example 17)."""
    by_sum: dict[int, set[str]] = {}
    for line in CRT.strip().splitlines():
        head, _, cells = line.partition(":")
        die = int(head.split()[1])
        for index, cell in enumerate(cells.split()):
            assert DATA.crt.result(index, die) == cell, (NAMES[index], die)
            by_sum.setdefault(index + die - 1, set()).add(cell)
    assert all(len(cells) == 1 for cells in by_sum.values())
    assert NAMES == ("1-1", "1.5-1", "2-1", "3-1", "4-1", "5-1", "6-1", "7-1", "8-1", "9-1", "10-1")


# --- 10.1, 10.2 declaring and resolving


def test_10_0_only_enemies_next_door() -> None:
    """10.0, 10.1 Empty hexes cannot be attacked; attacking is optional."""
    bench = stood(PZ[:2], R3[:1])
    bench.activate("axis", *PZ[:2], segment="declaration")
    assert bench.refused("axis", "attack", "1012").rule == "10.0"
    bench.do("axis", "done")
    assert bench.asked() == {"soviet": "prompt.typhoon.set_up"}


def test_10_1_one_attack_a_unit_and_a_hex() -> None:
    """10.1(1) A unit attacks one hex, stacked units may attack different ones; 10.1(2) only activated units; 10.1(3) each hex once."""
    bench = Bench()
    bench.stand({PZ[0]: "1011", PZ[1]: "1011", PZ[2]: "0911", R2[0]: "1010", R2[1]: "1012", INF[0]: "1111"})
    bench.activate("axis", *PZ[:3], segment="declaration")

    assert bench.refused("axis", "attack", "1010", INF[0]).rule == "10.1(2)"
    assert bench.refused("axis", "attack", "1010", R2[1]).rule == "10.1(2)"
    bench.do("axis", "attack", "1010", PZ[0])
    assert bench.refused("axis", "attack", "1010").rule == "10.1(3)"
    assert bench.refused("axis", "attack", "1012", PZ[0]).rule == "10.1(1)"
    assert bench.refused("axis", "attack", "1012", PZ[2]).rule == "10.0"
    assert bench.do("axis", "attack", "1012", PZ[1])[0] == Declared("1012", (PZ[1],))


def test_10_1_3_several_hexes_join_10_1_4_all_defend() -> None:
    """10.1(3) Units of several hexes join in one combat; 10.1(4) all units in the hex defend together."""
    bench = Bench()
    bench.stand({PZ[0]: "1011", INF[0]: "0911", R3[0]: "1010", R3[1]: "1010"})
    found = assess_now(bench, (PZ[0], INF[0]))
    assert (found.attack, found.defence) == (13, 6)


def test_10_1_5_not_across_impassable() -> None:
    """10.1(5) An impassable hexside cannot be attacked across."""
    bench = Bench(board_t(impassable="1010-1011"))
    bench.stand({PZ[0]: "1011", PZ[1]: "0911", R2[0]: "1010"})
    bench.activate("axis", *PZ[:2], segment="declaration")
    assert bench.refused("axis", "attack", "1010", PZ[0]).rule == "10.1(5)"


def test_10_2_1_declared_first_resolved_in_any_order_R20() -> None:
    """10.2(1), 10.2(2), 10.2(3), R-20 All attacks are declared before the first die; the attacker says which is resolved next."""
    bench = Bench()
    bench.stand({PZ[0]: "1011", PZ[1]: "1011", R2[0]: "1010", R2[1]: "1012"})
    bench.activate("axis", *PZ[:2], segment="declaration")
    bench.do("axis", "attack", "1010", PZ[0])
    bench.do("axis", "attack", "1012", PZ[1])
    assert bench.asked() == {"axis": "prompt.typhoon.resolve"}
    assert bench.refused("axis", "resolve", "0911").rule == "10.2(1)"
    bench.dice(2, 2)  # 4-1: R each
    bench.do("axis", "resolve", "1012")
    (fought,) = bench.happened(Fought)
    assert (fought.target, fought.attack, fought.defence, fought.column, fought.result) == ("1012", 8, 2, "4-1", "R")


def test_R20_what_became_illegal_is_cancelled() -> None:
    """R-20 A declared attack that is below 1-1 when its turn comes is cancelled without a die."""
    bench = stood(INF[:1], R4[:1])
    bench.activate("axis", INF[0], segment="declaration")
    bench.run(lambda table: table.emit(Declared("1010", (INF[0],))))
    bench.run(lambda table: table.emit(Reduced(INF[0], "losses")))
    bench.jump("set_up_first", "hq_command", "combat_segment", "resolution")
    assert bench.happened(AttackCancelled) and not bench.happened(Fought)


def test_10_3_preview() -> None:
    """10.3, 10.4(2) Before an attack is declared its strengths, column and chances can be seen."""
    bench = stood(PZ[:2], R3[:1])
    bench.activate("axis", *PZ[:2], segment="declaration")
    said = bench.preview("axis", "attack", "1010", PZ[0])
    assert isinstance(said, tuple)
    keys: Mapping[str, Any] = {item.key: dict(item.args) for item in said}
    assert keys["typhoon.preview.strengths"] == {"attack": 8, "defence": 3}
    assert keys["typhoon.preview.column"] == {"column": "2-1"}


# --- 10.5 losses


def fight(attackers: Sequence[str], defenders: Sequence[str], die: int, *, reduced: Sequence[str] = (), **more: Any) -> Bench:
    """One attack of all on 1010, with this die."""
    bench = stood(attackers, defenders, **more)
    if reduced:
        places = {name: bench.hexes(name)[0] for name in (*attackers, *defenders)}
        bench.stand(places, reduced=reduced)
    side = bench.state.data.types[attackers[0]].side
    bench.activate(side, *attackers, segment="declaration")
    bench.dice(die)
    bench.attack(side, ("1010", *attackers))
    return bench


def test_10_5_attacker_divides_A1() -> None:
    """10.5(1), 10.5(2), 10.4(2) A1: the owner flips one of two attackers, the other is unharmed (example 40)."""
    bench = fight((PZ[0], INF[0]), R4[:2], 1)  # 13 to 8: 1.5-1, A1
    assert bench.asked() == {"axis": "prompt.typhoon.losses"}
    bench.do("axis", "lose", INF[0])
    assert bench.state.units[INF[0]].reduced and not bench.state.units[PZ[0]].reduced


def test_10_5_defender_removes_one_or_flips_both() -> None:
    """10.5(1), 10.5(2), R-24 2RR against two full units: one is removed, or both are flipped (example 41); before the retreat."""
    bench = fight(PZ, R2, 4)  # 32 to 4: 8-1, 2RR
    assert bench.asked() == {"soviet": "prompt.typhoon.losses"}
    assert bench.options("soviet", "lose", R2[0]) == R2
    assert bench.refused("soviet", "lose", R2[0], "su.rifle.2").rule == "10.5(2)"
    bench.do("soviet", "lose", R2[0], R2[0])
    assert bench.hexes(R2[0]) == ("box.available.soviet",)

    bench = fight(PZ, R2, 4)
    bench.do("soviet", "lose", *R2)
    assert all(bench.state.units[name].reduced for name in R2 if bench.state.at(name) >= 0)


def test_10_5_one_step_unit_dies_R05() -> None:
    """10.5(1), R-05 1RR against a lone one-step unit: eliminated, no retreat; the attackers may advance (example 42)."""
    bench = fight((*PZ9,), (TANK,), 1)  # 18 to 2: 9-1, 1RR
    assert bench.happened(Eliminated) == [Eliminated(TANK, "losses", "eliminated")]
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}


def test_R24_more_losses_than_steps() -> None:
    """R-24 If losses exceed steps everything is removed, without a question."""
    bench = fight(PZ, (TANK,), 6)
    assert bench.happened(LossesTaken) == [LossesTaken("soviet", (TANK,))]


def test_10_5_refusals() -> None:
    """10.5(1), 10.5(2) A reduced unit bears one step only; exactly so many are divided."""
    bench = fight(PZ, R2, 2, reduced=(R2[0],))  # 32 to 3: 10-1, 2RR
    assert bench.refused("soviet", "lose", R2[0], R2[0]).rule == "10.5(1)"
    assert bench.refused("soviet", "lose", R2[0], R2[1], R2[1]).rule == "10.5(2)"
