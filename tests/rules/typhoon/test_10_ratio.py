"""10.3 The combat ratio: strengths, columns, shifts."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from tests.rules.typhoon.battles import (
    DATA,
    INFANTRY,
    NAMES,
    NORTH,
    PANZERS,
    PANZERS9,
    RIFLES2,
    RIFLES3,
    RIFLES4,
    activation_with,
    assess_now,
    column_of,
    fight,
    odds_of,
    stood,
)
from tests.rules.typhoon.bench import (
    HQ2A,
    INF,
    PZ,
    RIFLE,
    RIFLE2,
    Bench,
    board_t,
    column,
    place,
    real_pack,
)
from warledger.engine.board.odds import odds
from warledger.engine.games.typhoon.combat import Fought
from warledger.engine.games.typhoon.losses import Reduced
from warledger.engine.games.typhoon.odds import assess, attack_strength
from warledger.engine.games.typhoon.state import changed
from warledger.protocol.lang import phrases


def test_10_3_the_odds_are_shown_before_the_attack() -> None:
    """10.3, 10.4(2) Before an attack is declared its strengths, column and chances can be seen."""
    bench = stood(PANZERS[:2], RIFLES3[:1])
    bench.activate("axis", *PANZERS[:2], segment="declaration")
    said = bench.preview("axis", "attack", "1010", PANZERS[0])
    assert isinstance(said, tuple)
    keys: Mapping[str, Any] = {item.key: dict(item.args) for item in said}
    assert keys["typhoon.preview.strengths"] == {"attack": 8, "defence": 3}
    assert keys["typhoon.preview.column"] == {"column": "2-1"}
    spoken = phrases("en", "typhoon")
    assert [spoken.say(item) for item in said if item.key == "typhoon.preview.chance"] == [
        "1 in 6: attackers lose 1 (A1).",
        "2 in 6: no effect (-).",
        "2 in 6: defenders fall back 1 (R).",
        "1 in 6: defenders fall back 2 (RR).",
    ]


def test_10_1_2_a_hex_is_no_attacker() -> None:
    """10.1(2) Who names a hex where a unit is asked for learns that, and not that the hex is not
    theirs; so do those who move (9.1(1))."""
    bench = stood(PANZERS[:2], RIFLES3[:1])
    bench.activate("axis", *PANZERS[:2], segment="declaration")
    refused = bench.refused("axis", "attack", "1010", "0505")
    assert (refused.key, refused.rule) == ("refusal.typhoon.none_to_attack", "10.1(2)")
    bench.activate("axis", *PANZERS[:2])
    refused = bench.refused("axis", "move", "0505")
    assert (refused.key, refused.rule) == ("refusal.typhoon.none_to_move", "9.1(1)")


@pytest.mark.parametrize(("halving", "attack"), [("per_hex_sum", 5), ("per_unit", 4), ("total", 5)])
def test_10_3_1_R02_halving_by_option(halving: str, attack: int) -> None:
    """R-02 The option `halving` says what is halved together."""
    assert (
        odds_of(INFANTRY[:2], RIFLES2[:1], rivers={"minor": "1010-1011"}, halving=halving).attack
        == attack
    )


def test_10_3_1_R02_nothing_left_is_no_attack() -> None:
    """R-02 An attack whose strength halves to nothing is illegal."""
    bench = Bench(board_t(rivers={"minor": "1010-1011"}))
    bench.stand({"su.cav.50": "1011", "ax.sec.221": "1010"}, reduced=("su.cav.50",))
    assert assess_now(bench, ("su.cav.50",)).column is None


def test_10_3_1_R02_halves_are_dropped_hex_by_hex() -> None:
    """1.0(2), R-02 Three hexes across a river with 5, 5 + 5 and 5: 2 + 5 + 2; a lone 1 halves to
    nothing and cannot attack."""
    bench = Bench(board_t(rivers={"minor": "1010-1011 0911-1010 1010-1111"}))
    names = (*INFANTRY[:4],)
    bench.stand(
        dict(zip(names, ("1011", "0911", "0911", "1111"), strict=True)) | {RIFLES2[0]: "1010"}
    )
    assert assess(bench.state, "axis", names, bench.state.data.hex("1010")).attack == 9


def test_10_3_1_R21_a_hex_with_only_fallen_back_units_is_fought_at_10_1() -> None:
    """10.3(1), R-21, R-12 A division driven into a hex that is attacked next adds nothing there:
    alone it is fought at 10-1, and retreats again."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    bench.stand(
        {PZ: "1011", INF: "0910", "ax.inf.251": "0910", RIFLE: "1010", RIFLE2: "1009"},
        reduced=(RIFLE2,),
    )
    bench.activate("axis", PZ, INF, "ax.inf.251", segment="declaration")
    bench.dice(4, 1)
    bench.do("axis", "attack", "1010", PZ)
    bench.attack("axis", ("1009", INF, "ax.inf.251"))
    bench.do("axis", "resolve", "1010")
    assert bench.hexes(RIFLE) == ("1009",)
    activation = bench.state.activation
    assert activation is not None and activation.fallen_back == {RIFLE}
    bench.do("axis", "done")  # no advance; the second combat follows by itself
    fought = [event for event in bench.events if type(event).__name__ == "Fought"]
    assert (
        fought[0].defenders == (RIFLE, RIFLE2)
        and fought[0].defence == bench.state.data.types[RIFLE2].reduced[1]
    )  # type: ignore[index]


def test_10_3_1_reduced_faces_and_halves() -> None:
    """2.21(3), R-02 A reduced 3 and a full 4 across a river from one hex: 7 halved is 3; a reduced
    panzer's 4 dry: 7 in all, against a reduced rifle division's 2 of 4: 3-1."""
    bench = Bench(board_t(rivers={"minor": "1010-1011"}))
    bench.stand(
        {INFANTRY[0]: "1011", "ax.inf.251": "1011", PANZERS[0]: "0911", RIFLES4[0]: "1010"},
        reduced=(INFANTRY[0], PANZERS[0], RIFLES4[0]),
    )
    found = assess(
        bench.state, "axis", (INFANTRY[0], "ax.inf.251", PANZERS[0]), bench.state.data.hex("1010")
    )
    assert (found.attack, found.defence, column_of(found)) == (7, 2, "3-1")


def test_10_3_1_1_rivers_halve_R02() -> None:
    """10.3(1), R-02 Two 5s from one hex across a river are 5; from two hexes 2 + 2 = 4, at 2-1
    against 2 (example 36)."""
    river: dict[str, Any] = {"rivers": {"minor": "1010-1011 0911-1010"}}
    assert odds_of(INFANTRY[:2], RIFLES2[:1], **river).attack == 5
    apart = Bench(board_t(**river))
    apart.stand({INFANTRY[0]: "1011", INFANTRY[1]: "0911", RIFLES2[0]: "1010"})
    found = assess_now(apart, INFANTRY[:2])
    assert (found.attack, column_of(found)) == (4, "2-1")


def test_10_3_1_1_bridges_do_not_help() -> None:
    """10.3(1) A panzer's 8 across a bridged river and 5 not across: 4 + 5 = 9 to 3, 3-1 (example
    37); a major river halves, too."""
    bench = Bench(board_t(rivers={"major": "1010-1011"}, bridges="1010-1011", roads=("1010 1011",)))
    bench.stand({PANZERS[0]: "1011", INFANTRY[0]: "0911", RIFLES3[0]: "1010"})
    found = assess_now(bench, (PANZERS[0], INFANTRY[0]))
    assert (found.attack, column_of(found)) == (9, "3-1")


def test_10_3_1_1_within_moscow_the_river_still_halves() -> None:
    """10.3(1)1, R-04 Two panzer divisions in Moscow West attack the centre across the Moskva: 16
    halved; the same from Moscow East, with no river between, 16."""
    bench = Bench(real_pack())
    bench.stand(
        {
            PANZERS[0]: "2911",
            PANZERS[1]: "2911",
            PANZERS[2]: "3111",
            PANZERS[3]: "3111",
            RIFLES4[0]: "3011",
        },
        turn=2,
    )
    centre = bench.state.data.hex("3011")
    assert attack_strength(bench.state, PANZERS[:2], centre) == 8
    assert attack_strength(bench.state, PANZERS[2:], centre) == 16
    assert attack_strength(bench.state, PANZERS, centre) == 24


def test_10_3_1_2_fallen_back_units_add_nothing_R21() -> None:
    """10.3(1), R-21 A rifle division that retreated into the hex adds nothing: 12 to 3, 4-1
    (example 48); alone it is attacked at 10-1."""
    bench = stood((PANZERS[0], "ax.inf.251"), RIFLES3[:2])
    bench.activate("axis", PANZERS[0], "ax.inf.251", segment="declaration")
    activation = bench.state.activation
    assert activation is not None
    bench.state = changed(
        bench.state,
        activation=type(activation)(
            *activation_with(activation, fallen_back=frozenset({RIFLES3[0]}))
        ),
    )
    found = assess_now(bench, (PANZERS[0], "ax.inf.251"))
    assert (found.defence, column_of(found)) == (3, "4-1")

    bench.state = changed(
        bench.state,
        activation=type(activation)(
            *activation_with(activation, fallen_back=frozenset(RIFLES3[:2]))
        ),
    )
    assert column_of(assess_now(bench, (PANZERS[0], "ax.inf.251"))) == "10-1"


def test_10_3_1_2_R21_fort_without_standing_defenders() -> None:
    """R-21 With only units that retreated there the fortification adds nothing."""
    bench = stood(PANZERS[:1], RIFLES3[:1], fort="1010")
    bench.activate("axis", *PANZERS[:1], segment="declaration")
    from warledger.engine.kernel.change import replace

    assert bench.state.activation is not None
    bench.change(activation=replace(bench.state.activation, fallen_back=frozenset(RIFLES3[:1])))
    assert assess(bench.state, "axis", PANZERS[:1], bench.state.data.hex("1010")).defence == 0


def test_10_3_1_2_who_fell_back_into_the_hex_adds_nothing() -> None:
    """10.3(1)2, R-21 At the table: a division of 3 falls back into the hex of one of 4, which is
    attacked next: 16 to 4, not to 7."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    bench.stand(
        {
            PANZERS[0]: "1011",
            PANZERS[1]: "0910",
            PANZERS[2]: "0910",
            RIFLES3[0]: "1010",
            RIFLES4[0]: "1009",
        }
    )
    bench.activate("axis", *PANZERS[:3], segment="declaration")
    bench.dice(4, 2)
    bench.do("axis", "attack", "1010", PANZERS[0])
    bench.do("axis", "attack", "1009", PANZERS[1], PANZERS[2])
    if bench.position.top.name == "declaration":
        bench.do("axis", "done")
    bench.do("axis", "resolve", "1010")
    bench.do("axis", "done")
    fought = [event for event in bench.events if type(event) is Fought]
    assert [(event.attack, event.defence, event.column) for event in fought] == [(16, 4, "4-1")]


def test_10_3_1_2_losses_may_be_put_on_the_fugitive() -> None:
    """R-21, R-24 2RR on a hex with a unit that stands and one that fled there: the owner may take
    both steps from the fugitive."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    bench.stand(
        {
            PANZERS[0]: "1011",
            PANZERS9[0]: "0910",
            PANZERS9[1]: "0910",
            RIFLES4[0]: "1010",
            RIFLES3[0]: "1009",
        }
    )
    bench.activate("axis", PANZERS[0], *PANZERS9, segment="declaration")
    bench.do("axis", "attack", "1010", PANZERS[0])
    bench.do("axis", "attack", "1009", *PANZERS9)
    bench.dice(4, 6)  # 2-1: R into the EZOC, a step; then 18 to 3: 6-1, 2RR
    bench.do("axis", "resolve", "1010")
    assert bench.hexes(RIFLES4[0]) == ("1009",) and bench.state.units[RIFLES4[0]].reduced
    bench.do("axis", "done")
    assert bench.asked() == {"soviet": "prompt.typhoon.losses"}
    bench.do("soviet", "lose", RIFLES4[0], RIFLES3[0])
    assert bench.hexes(RIFLES4[0]) == ("box.available.soviet",)
    assert bench.happened(Reduced)[0] == Reduced(RIFLES3[0], "losses")


def test_10_3_1_3_supply_does_not_matter() -> None:
    """10.3(1), 11.1(2) A unit without a LOC attacks, defends and moves at full strength."""
    bench = Bench()
    bench.stand(
        {
            INFANTRY[0]: "1010",
            RIFLES3[0]: "1011",
            PANZERS[0]: "1012",
            **dict(zip(RIFLES4, ("0911", "1111", "0910"), strict=False)),
        }
    )
    assert not bench.state.field.has_loc("axis", bench.state.data.hex("1010"))
    assert bench.state.strength(INFANTRY[0]) == (5, 5)
    assert bench.state.allowance(INFANTRY[0]) == 10


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


@pytest.mark.parametrize(
    ("attack", "defence", "shift", "name"),
    [
        (12, 7, 0, "1.5-1"),
        (2, 3, 0, ""),
        (149, 100, 0, "1-1"),
        (199, 100, 0, "1.5-1"),
        (100, 10, 0, "10-1"),
        (120, 10, -2, "8-1"),
        (300, 10, -1, "9-1"),
        (90, 10, 2, "10-1"),
        (10, 10, 1, "1.5-1"),
        (10, 10, -1, ""),
        (15, 10, -1, "1-1"),
        (99, 100, 2, ""),
        (5, 0, -3, "7-1"),
        (0, 3, 2, ""),
    ],
)
def test_10_3_2_columns_R22_R23(attack: int, defence: int, shift: int, name: str) -> None:
    """10.3(2)-10.3(4), R-21, R-22, R-23 Rounded down, capped at 10-1, all shifts at once, capped
    again; below 1-1 illegal, before shifts and after."""
    data = Bench().state.data
    found = odds(data.ladder, attack, defence, shift)
    assert (data.ladder.names[found.column] if found.column is not None else "") == name


@pytest.mark.parametrize("defence", range(1, 14))
def test_10_3_2_every_ratio_and_shift_against_fractions(defence: int) -> None:
    """10.3(2)-10.3(4), R-22, R-23 The ladder read with fractions: 1-1, 1.5-1, 2-1 … 10-1, cut back
    to 10-1, shifted, cut back again; below 1-1, before the shifts or after, there is no attack."""
    ladder = Bench().state.data.ladder
    columns = ["1-1", "1.5-1", *(f"{n}-1" for n in range(2, 11))]
    for attack in range(1, 12 * defence):
        ratio = Fraction(attack, defence)
        start = (
            "1.5-1"
            if Fraction(3, 2) <= ratio < 2
            else f"{min(ratio.numerator // ratio.denominator, 10)}-1"
        )
        for shift in range(-5, 3):
            at = columns.index(start) + shift if ratio >= 1 else -1
            expected = columns[min(at, 10)] if at >= 0 else None
            found = odds(ladder, attack, defence, shift).column
            assert (None if found is None else ladder.names[found]) == expected, (
                attack,
                defence,
                shift,
            )


@pytest.mark.parametrize(
    ("turn", "attackers", "defenders", "board", "final"),
    [
        (
            8,
            RIFLES4[:2],
            INFANTRY[:1],
            {"places": (place("1010", kind="big_city", owner="axis"),)},
            "1.5-1",
        ),  # 8 to 5, -2 +2
        (
            12,
            (*RIFLES4[:5], *RIFLES3[:1]),
            ("ax.sec.221",),
            {},
            "10-1",
        ),  # 23 to 2, +1 beyond the last column
        (8, RIFLES4[:1], ("ax.sec.221",), {"rows": {"1010": "F"}}, "2-1"),  # 4 to 2, -2 +2
        (5, PANZERS[:2], RIFLES3[:1], {"rows": {"1010": "F"}}, "2-1"),  # 16 to 3 is 5-1, -2 -1
        (
            6,
            PANZERS[:2],
            RIFLES3[:1],
            {"rows": {"1010": "s"}, "places": (place("1010"),)},
            "2-1",
        ),  # 5-1, -1 -1 -1
        (3, RIFLES4[:2], INFANTRY[:1], {}, "illegal"),  # mud hinders the Soviets as well: 1.5-1, -2
        (
            8,
            PANZERS[:1],
            RIFLES2[:1],
            {"rows": {"1010": "F"}},
            "1-1",
        ),  # 4-1, -2 -2: four columns, 1.5-1 being one of them
        (
            8,
            PANZERS[:1],
            RIFLES2[:1],
            {"rows": {"1010": "F"}, "places": (place("1010"),)},
            "illegal",
        ),  # 4-1, five left
        (
            2,
            (*PANZERS, *PANZERS9),
            RIFLES2[:1],
            {"rows": {"1010": "F"}, "places": (place("1010"),)},
            "7-1",
        ),  # 50 to 2: 10-1, three left
        (12, RIFLES3[:1], (HQ2A,), {}, "2-1"),  # 3 to 2 against an HQ: 1.5-1 and one right
    ],
)
def test_10_3_2_columns_in_all_weathers(
    turn: int, attackers: Any, defenders: Any, board: dict[str, Any], final: str
) -> None:
    """10.3(2)-10.3(4), 14.1.1-14.1.3, R-22, R-37, R-38 Terrain, town and weather make one net shift
    after the cap."""
    assert column_of(odds_of(attackers, defenders, turn=turn, **board)) == final


def test_10_3_3_shifts_R22() -> None:
    """10.3(3), R-22 15 to 5 on a town in a light forest is 1.5-1 (example 12); 12-1 counts as 10-1
    first: 8-1 (example 13)."""
    town: dict[str, Any] = {"rows": {"1010": "f"}, "places": (place("1010"),)}
    assert column_of(odds_of(INFANTRY[:3], (RIFLES3[0], RIFLES2[0]), **town)) == "1.5-1"
    assert column_of(odds_of(PANZERS[:3], RIFLES2[:1], **town)) == "8-1"


@pytest.mark.parametrize(
    ("sign", "town", "shifts"),
    [
        (".", 0, 0),
        ("f", 0, 1),
        ("F", 0, 2),
        ("s", 0, 1),
        (".", 1, 1),
        ("f", 1, 2),
        ("F", 1, 3),
        ("s", 1, 2),
    ],
)
def test_10_3_3_tec_shifts(sign: str, town: int, shifts: int) -> None:
    """TEC Shifts of terrain, and of a town on top of it (example 16)."""
    found = odds_of(
        PANZERS, RIFLES2[:1], rows={"1010": sign}, places=(place("1010"),) if town else ()
    )
    assert found.shift == -shifts


@pytest.mark.parametrize("shift", [1, 2])
def test_10_3_3_R03_big_city(shift: int) -> None:
    """R-03 A big city shifts two columns, whatever wood is under it; an option says otherwise."""
    assert (
        odds_of(
            PANZERS,
            RIFLES2[:1],
            rows={"1010": "F"},
            places=(place("1010", kind="big_city"),),
            big_city_shift=shift,
        ).shift
        == -shift
    )


@pytest.mark.parametrize(
    ("turn", "attackers", "defenders", "board", "final"),
    [
        # 12 to 7 is 1.5-1: one shift leaves 1-1, two leave nothing
        (1, (PANZERS[0], "ax.inf.251"), (RIFLES4[0], RIFLES3[0]), {"rows": {"1010": "s"}}, "1-1"),
        (1, (PANZERS[0], "ax.inf.251"), (RIFLES4[0], RIFLES3[0]), {"rows": {"1010": "f"}}, "1-1"),
        (
            1,
            (PANZERS[0], "ax.inf.251"),
            (RIFLES4[0], RIFLES3[0]),
            {"places": (place("1010"),)},
            "1-1",
        ),
        (
            1,
            (PANZERS[0], "ax.inf.251"),
            (RIFLES4[0], RIFLES3[0]),
            {"rows": {"1010": "F"}},
            "illegal",
        ),
        (
            1,
            (PANZERS[0], "ax.inf.251"),
            (RIFLES4[0], RIFLES3[0]),
            {"places": (place("1010", kind="big_city"),)},
            "illegal",
        ),
        # 24 to 6 is 4-1, in mud and frost
        (4, PANZERS[:3], RIFLES3[:2], {"places": (place("1010"),)}, "1.5-1"),
        (4, PANZERS[:3], RIFLES3[:2], {"rows": {"1010": "s"}}, "2-1"),
        (5, PANZERS[:3], RIFLES3[:2], {"rows": {"1010": "f"}}, "2-1"),
        (5, PANZERS[:3], RIFLES3[:2], {"places": (place("1010", kind="big_city"),)}, "1.5-1"),
        (7, PANZERS[:3], RIFLES3[:2], {"rows": {"1010": "F"}}, "1.5-1"),
        (7, PANZERS[:3], RIFLES3[:2], {"rows": {"1010": "F"}, "places": (place("1010"),)}, "1-1"),
        (
            6,
            RIFLES4[:3],
            INFANTRY[:1],
            {},
            "1-1",
        ),  # 12 to 5: 2-1, the Soviets' attack hindered as well
        # snow: 20 to 10 for the Soviets, 30 to 6 and 24 to 6 against them
        (9, RIFLES4[:5], INFANTRY[:2], {}, "3-1"),
        (
            9,
            RIFLES4[:5],
            INFANTRY[:2],
            {"rows": {"1010": "s"}, "places": (place("1010", owner="axis"),)},
            "2-1",
        ),
        (
            9,
            RIFLES4[:5],
            INFANTRY[:2],
            {"places": (place("1010", kind="big_city", owner="axis"),)},
            "2-1",
        ),
        (
            12,
            (*PANZERS[:2], PANZERS9[0], INFANTRY[0]),
            RIFLES3[:2],
            {"rows": {"1010": "f"}, "places": (place("1010"),)},
            "1.5-1",
        ),
        (8, PANZERS[:3], RIFLES3[:2], {"rows": {"1010": "F"}}, "1-1"),
        (
            8,
            PANZERS[:3],
            RIFLES3[:2],
            {"rows": {"1010": "F"}, "places": (place("1010"),)},
            "illegal",
        ),
        (8, PANZERS[:3], RIFLES3[:2], {"places": (place("1010", kind="big_city"),)}, "1-1"),
    ],
)
def test_10_3_3_terrain_and_weather(
    turn: int, attackers: Any, defenders: Any, board: dict[str, Any], final: str
) -> None:
    """10.3(3), 10.3(4), TEC, R-03, 14.1.1, 14.1.2, 14.1.3, R-37, R-38 Final columns of one attack
    in many places and weathers."""
    assert column_of(odds_of(attackers, defenders, turn=turn, **board)) == final


def test_10_3_4_below_1_1_is_illegal() -> None:
    """10.3(4) 12 to 7 with two shifts is refused (example 14)."""
    bench = stood(
        (PANZERS[0], "ax.inf.251"),
        (RIFLES4[0], RIFLES3[0]),
        rows={"1010": "f"},
        places=(place("1010"),),
    )
    bench.activate("axis", PANZERS[0], "ax.inf.251", segment="declaration")
    assert bench.asked() == {"soviet": "prompt.typhoon.set_up"}  # no attack is possible at all
    assert column_of(assess_now(bench, (PANZERS[0], "ax.inf.251"))) == "illegal"


def test_10_3_4_refusal_cites_it() -> None:
    """10.3(4) An attack that is too weak is refused with its figures while another is possible."""
    bench = Bench()
    bench.stand({INFANTRY[0]: "1011", RIFLES4[0]: "1010", RIFLES4[1]: "1010", RIFLES2[0]: "1012"})
    bench.activate("axis", INFANTRY[0], segment="declaration")

    assert bench.refused("axis", "attack", "1010").rule == "10.3(4)"
    assert bench.options("axis", "attack") == ("1012",)


@pytest.mark.parametrize("below", [False, True])
def test_10_3_4_R23_below_1_1_before_shifts(below: bool) -> None:
    """R-23 A ratio below 1-1 is illegal whatever the shifts; by option snow may lift one of at
    least 1-2 (to 1-1 here: -1 forest +2)."""
    found = odds_of(
        RIFLES4[:2], INFANTRY[:2], turn=9, allow_sub_1_1_with_positive_shift=below
    )  # 8 to 10
    assert column_of(found) == ("1-1" if below else "illegal")


def test_10_3_4_one_column_too_few() -> None:
    """10.3(2), 10.3(4) At the table: 12 to 7 on a swamp is fought on 1-1; the same on a deep forest
    cannot be declared."""
    attackers, defenders = (PANZERS[0], "ax.inf.251"), (RIFLES4[0], RIFLES3[0])
    bench = fight(attackers, defenders, 4, rows={"1010": "s"})
    assert [(event.column, event.result) for event in bench.happened(Fought)] == [("1-1", "-")]
    places = {
        PANZERS[0]: "1011",
        "ax.inf.251": "1011",
        **dict.fromkeys(defenders, "1010"),
        RIFLES2[0]: "1012",
    }
    bench = Bench(board_t(rows={"1010": "F"}))
    bench.stand(places)
    bench.activate("axis", *attackers, segment="declaration")
    assert bench.refused("axis", "attack", "1010", *attackers).rule == "10.3(4)"
