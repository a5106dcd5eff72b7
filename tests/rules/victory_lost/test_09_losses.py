"""9.4 The combat results table, and who takes the losses."""

import pytest

from tests.rules.victory_lost.battles import (
    GERMAN,
    ITALIAN,
    PANZER,
    STACK,
    STRONG,
    TANK,
    TANKS,
    attack,
    column,
    combat,
    happened,
    lost,
    previewed,
)
from tests.rules.victory_lost.bench import NORTH_EAST, Bench, real_pack
from warledger.engine.games.victory_lost.combat import AttackResolved
from warledger.engine.games.victory_lost.odds import Result, meaning
from warledger.engine.games.victory_lost.retreat import Retreated
from warledger.protocol.lang import phrases


def test_9_4_1_the_attackers_lose() -> None:
    """9.4.1: "A1": only units that took part share it, as their owner likes; mechanized losses
    score (14.0.1)."""
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


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("-", Result()),
        ("A1", Result(1)),
        ("A2", Result(2)),
        ("1", Result(0, 1)),
        ("4", Result(0, 4)),
        ("DR", Result(0, 0, 1)),
        ("DR2", Result(0, 0, 2)),
        ("1DR", Result(0, 1, 1)),
        ("3DR2", Result(0, 3, 2)),
    ],
)
def test_9_4_1_each_cell_says_losses_and_retreat(text: str, result: Result) -> None:
    """9.4.1: A1: the attackers lose 1; DR: the defenders retreat 1; 3DR2: they lose 3 and retreat
    2."""
    assert meaning(text) == result


def test_9_4_1_every_cell_of_the_table_has_a_meaning() -> None:
    """9.4, 9.4.1 (E52, E53): the rows of the pack's table; every cell has a meaning."""
    crt = real_pack()["tables"]["crt"]
    data = Bench().state.data

    def cell(head: str, die: int) -> str:
        return data.crt.result(crt["columns"].index(head), die)

    assert [cell("3-1", die) for die in range(1, 7)] == ["-", "-", "DR", "DR", "1DR", "1DR2"]
    assert (cell("1-1", 1), cell("2-1", 6), cell("10-1", 3)) == ("A2", "1DR", "3DR2")
    for row in crt["rows"].values():
        for text in row:
            meaning(text)


def test_9_4_1_chances_in_the_preview() -> None:
    """9.4.1: The preview counts the six cases of the die, and says what each result does."""
    bench = combat({ITALIAN: "1010", TANK: "1110"})
    shown = previewed(bench, "attack", "1010", TANK)
    assert shown["strengths"] == {"attack": 6, "defence": 2}
    assert shown["chances"] == {"-": 2, "DR": 2, "1DR": 1, "1DR2": 1}
    assert previewed(bench, "attack", "1010")["strengths"] == {"attack": 6, "defence": 2}
    spoken = phrases("en", "victory_lost")
    last = [spoken.say(item) for item in bench.preview("soviet", "attack", "1010", TANK)][-1]
    assert last == "1 in 6: defenders lose 1 and defenders fall back 2 (1DR2)."


def test_9_4_1_a_result_of_A_hits_the_attackers() -> None:
    """9.4.1, 9.4.2 (E51): A2 on two attackers: their owner divides; on a single full unit it is
    eliminated and the Axis scores 1."""
    bench = combat({PANZER: "1010", TANK: NORTH_EAST, "su.rifle.1": NORTH_EAST})
    attack(bench, 1, "1010", TANK, "su.rifle.1")
    assert bench.asked() == {"soviet": "prompt.victory_lost.losses"}
    bench.do("soviet", "lose", "su.rifle.1", "su.rifle.1")
    assert lost(bench) == ([], ["su.rifle.1"])
    assert bench.state.score["axis"] == 25

    bench = combat({"ax.inf.336": "1010", TANK: NORTH_EAST})
    attack(bench, 1, "1010", TANK)
    assert lost(bench)[1] == [TANK]
    assert bench.state.score["axis"] == 26


def test_9_4_2_the_owner_divides_the_losses() -> None:
    """9.4.2 (E49): Two full units and 2 losses: both reduced, or one eliminated; the owner is
    asked."""
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
    """9.4.2: Fewer points are no whole command; a unit takes at most its faces; strangers take
    none."""
    bench = combat({**STACK, **STRONG, GERMAN: "0801"})
    attack(bench, 5, "1010", *TANKS)
    assert bench.refused("axis", "lose", "ax.it.rav").key == "refusal.incomplete"
    assert bench.refused("axis", "lose", GERMAN).key == "refusal.victory_lost.not_in_combat"
    assert (
        bench.refused("axis", "lose", "ax.it.rav", "ax.it.rav", "ax.it.sfz").key
        == "refusal.victory_lost.losses_divided"
    )

    bench = combat({**STACK, **STRONG}, reduced=["ax.it.rav"])
    attack(bench, 4, "1010", *TANKS)
    assert (
        bench.refused("axis", "lose", "ax.it.rav", "ax.it.rav").key
        == "refusal.victory_lost.no_face_left"
    )


def test_9_4_2_R24_losses_beyond_the_faces_are_ignored() -> None:
    """9.4.2 (E50): 4 losses on one full unit eliminate it; nobody is asked, and the attackers may
    advance (R-31)."""
    bench = combat({ITALIAN: "1010", **STRONG})
    attack(bench, 6, "1010", *TANKS)
    assert lost(bench) == ([], [ITALIAN])
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_9_4_2_no_choice_is_not_asked() -> None:
    """9.4.2: One unit, or as many points as faces: the losses fall by themselves."""
    bench = combat({**STACK, **STRONG}, reduced=["ax.it.rav", "ax.it.sfz"])
    attack(bench, 5, "1010", *TANKS)
    assert lost(bench) == ([], ["ax.it.rav", "ax.it.sfz"])


def test_9_4_2_R24_all_defenders_lost_leaves_no_retreat() -> None:
    """R-24, 9.4.2: 4DR2 on three faces: all are lost without a question, the fourth point is
    ignored, and the attackers may advance."""
    tanks = (TANK, "su.tank.25", "su.tank.24", "su.tank.17", "su.tank.7")
    places = {ITALIAN: "1010", "ax.ro.1": "0505", "ax.panzer.22": "1010"}
    bench = combat(
        {**places, **dict(zip(tanks, ("1110", "1110", "1111", "1111", "1009"), strict=True))},
        supply={"ax.panzer.22": 2},
    )
    attack(bench, 6, "1010", *tanks)

    assert column(bench) == "10-1"
    assert lost(bench) == ([], [ITALIAN, "ax.panzer.22"])
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_9_4_2_one_face_and_a_retreat_to_come() -> None:
    """9.4.2, 2.2.3, R-31: "1DR2" on a Luftwaffe division: its one face is lost, nothing is left to
    retreat, 1 point; the attackers may advance."""
    bench = combat({"ax.lw.7": "1010", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111"})
    attack(bench, 4, "1010", *TANKS[:3])

    assert (column(bench), happened(bench, AttackResolved)[0].result) == ("6-1", "1DR2")
    assert lost(bench) == ([], ["ax.lw.7"])
    assert not happened(bench, Retreated)
    assert bench.state.score["soviet"] == 1
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_9_4_2_a_one_faced_unit_absorbs_one() -> None:
    """R-24: Luftwaffe divisions have one face."""
    bench = combat({"ax.lw.7": "1010", "ax.inf.62": "1010", **STRONG})
    attack(bench, 6, "1010", *TANKS)
    assert [event.result for event in happened(bench, AttackResolved)] == ["1DR2"]
    bench.do("axis", "lose", "ax.lw.7")
    assert lost(bench)[1] == ["ax.lw.7"]
    assert bench.state.score["soviet"] == 1


def test_9_4_2_a_reduced_and_a_one_faced_unit_lose_one() -> None:
    """9.4.2: "1DR" on a reduced panzer division (3 points) and a Luftwaffe division (1 point): the
    owner gives up either."""
    for given, points in ((PANZER, 3), ("ax.lw.7", 1)):
        places = {
            PANZER: "1010",
            "ax.lw.7": "1010",
            TANKS[0]: "1110",
            TANKS[1]: "1110",
            TANKS[2]: "1111",
            TANKS[3]: "1111",
        }
        bench = combat(places, reduced=[PANZER])
        attack(bench, 5, "1010", *TANKS)
        # 24 to 4 + 3 is 3-1; a 5 is 1DR
        assert column(bench) == "3-1"
        bench.do("axis", "lose", given)
        assert lost(bench)[1] == [given]
        assert bench.state.score["soviet"] == points
