"""9.6 Advance after combat, with major rivers (9.6.5) and overrun HQs (9.6.4)."""

import pytest

from tests.rules.victory_lost.battles import (
    BRIDGEHEAD,
    GERMAN,
    ITALIAN,
    TANK,
    TANKS,
    attack,
    combat,
    happened,
    lost,
    won,
)
from tests.rules.victory_lost.bench import CAVALRY, RIFLE, Bench, board_t, city, real_pack
from warledger.engine.games.victory_lost.advance import Advanced
from warledger.engine.games.victory_lost.headquarters import Overrun
from warledger.engine.games.victory_lost.losses import Eliminated

NEIGHBOURS = {"1009", "1110", "1111", "1011", "0911", "0910"}


def test_9_6_an_advance_is_one_event() -> None:
    """9.6: An advance is one event with its path."""
    bench = won({TANKS[0]: "1110"})
    bench.do("soviet", "advance", TANKS[0], "1010", "0910")
    assert [event.path for event in happened(bench, Advanced)] == [("1110", "1010", "0910")]
    assert "victory_lost.advanced" in bench.said()


def test_9_6_1_whatever_the_result_was() -> None:
    """R-31 (E66): the defender is eliminated by losses; the attackers may advance; nobody has to
    (9.6.2)."""
    bench = won({TANKS[0]: "1110", RIFLE: "1110"})
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}
    assert bench.options("soviet") == ("advance", "done")
    assert set(bench.options("soviet", "advance")) == {TANKS[0], RIFLE}
    bench.do("soviet", "done")
    assert bench.hexes(TANKS[0], RIFLE) == ("1110", "1110")
    assert bench.state.battle is None


def test_9_6_1_one_hex_or_two() -> None:
    """9.6.1: Non-mechanized units advance one hex, mechanized ones one or two; they may diverge
    (9.6.3)."""
    bench = won({TANKS[0]: "1110", TANKS[1]: "1110", RIFLE: "1111"})
    assert bench.options("soviet", "advance", RIFLE, "1010") == ()
    assert (
        bench.refused("soviet", "advance", RIFLE, "1010", "0910").key
        == "refusal.victory_lost.advance_too_far"
    )
    bench.do("soviet", "advance", RIFLE, "1010")
    assert set(bench.options("soviet", "advance", TANKS[0], "1010")) == NEIGHBOURS
    bench.do("soviet", "advance", TANKS[0], "1010", "0910")
    bench.do("soviet", "advance", TANKS[1], "1010", "0911")
    assert bench.hexes(RIFLE, TANKS[0], TANKS[1]) == ("1010", "0910", "0911")


def test_9_6_1_two_hexes_behind_a_retreat_of_one() -> None:
    """9.6.1: Mechanized units may go two hexes even if the defender retreated only one."""
    bench = combat({"ax.inf.62": "1010", TANKS[0]: "1110", TANKS[1]: "1111"})
    attack(bench, 4, "1010", *TANKS[:2])
    bench.do("axis", "retreat", "ax.inf.62", "0910")
    assert "0911" in bench.options("soviet", "advance", TANKS[0], "1010")
    assert "0910" not in bench.options("soviet", "advance", TANKS[0], "1010")
    assert (
        bench.refused("soviet", "advance", TANKS[0], "1010", "0910").key
        == "refusal.victory_lost.enemy_there"
    )


def test_9_6_1_R31_only_who_attacked_and_once() -> None:
    """9.6.1: A unit that stood by does not advance; nobody advances twice; no advance into a hex
    that still holds an enemy unit."""
    bench = won({TANKS[0]: "1110", RIFLE: "1111"}, TANKS[0])
    refusal = bench.refused("soviet", "advance", RIFLE)
    assert (refusal.rule, refusal.key) == ("9.6.1", "refusal.victory_lost.did_not_attack")
    bench.do("soviet", "advance", TANKS[0], "1010")
    assert "prompt.victory_lost.advance" not in bench.asked().values()

    bench = combat({ITALIAN: "1010", TANKS[0]: "1110"})
    attack(bench, 1, "1010", TANKS[0])
    assert "prompt.victory_lost.advance" not in bench.asked().values()


def test_9_6_1_R31_cavalry_counts_as_non_mechanized() -> None:
    """9.6.1: One printed strength: one hex; an option lets cavalry go two."""
    bench = won({CAVALRY: "1110", TANKS[0]: "1111"})
    assert bench.options("soviet", "advance", CAVALRY, "1010") == ()
    bench = won({CAVALRY: "1110", TANKS[0]: "1111"}, bench=Bench(cavalry_advance=True))
    assert set(bench.options("soviet", "advance", CAVALRY, "1010")) == NEIGHBOURS


def test_9_6_1_who_lost_a_face_may_advance() -> None:
    """R-31: a reduced attacker advances like any other."""
    bench = combat(
        {ITALIAN: "1010", TANKS[0]: "1110", TANKS[1]: "1110"}, reduced=[ITALIAN, TANKS[0]]
    )
    attack(bench, 6, "1010", *TANKS[:2])
    assert TANKS[0] in bench.options("soviet", "advance")


def test_9_6_1_no_advance_while_one_defender_stays() -> None:
    """9.6.1: "-" leaves the defenders where they are: nobody is asked to advance; A1 neither."""
    bench = combat({GERMAN: "1010", TANK: "1110"})
    attack(bench, 4, "1010", TANK)
    assert bench.asked() != {"soviet": "prompt.victory_lost.advance"}

    bench = combat({GERMAN: "1010", TANK: "1110"})
    attack(bench, 2, "1010", TANK)
    # 6 to 4 is 1.5-1; a 2 is A1
    assert lost(bench) == ([TANK], [])
    assert bench.asked() != {"soviet": "prompt.victory_lost.advance"}


def test_9_6_2_R32_stacking_where_it_ends() -> None:
    """5.0.4: the limits bind at the end: the third attacker cannot stay in the combat hex, a
    mechanized one may go through."""
    bench = won({TANKS[0]: "1110", RIFLE: "1111", "su.rifle.107": "1111"})
    bench.do("soviet", "advance", RIFLE, "1010")
    bench.do("soviet", "advance", "su.rifle.107", "1010")
    assert bench.refused("soviet", "advance", TANKS[0], "1010").rule == "5.0.1"
    bench.do("soviet", "advance", TANKS[0], "1010", "0910")
    assert bench.hexes(TANKS[0]) == ("0910",)

    bench = won({CAVALRY: "1009", RIFLE: "1111", "su.rifle.107": "1111", TANKS[0]: "1110"})
    bench.do("soviet", "advance", RIFLE, "1010")
    bench.do("soviet", "advance", "su.rifle.107", "1010")
    assert bench.refused("soviet", "advance", CAVALRY).rule == "5.0.1"


def test_9_6_3_the_first_hex_is_the_combat_hex() -> None:
    """9.6.3: Nothing but the combat hex is offered first; the second is any neighbour of it."""
    bench = won({TANKS[0]: "1110"})
    assert bench.options("soviet", "advance", TANKS[0]) == ("1010",)
    assert (
        bench.refused("soviet", "advance", TANKS[0], "1009").key
        == "refusal.victory_lost.advance_first_hex"
    )
    assert bench.refused("soviet", "advance", TANKS[0], "1010", "0809").rule == "9.6.1"


def test_9_6_3_water_barriers_and_the_pocket() -> None:
    """9.6.3: The second hex is not water, not across an impassable hexside, R-32 not in the pocket
    through turn 4."""
    pack = board_t(rows={"0910": "~"}, impassable="0911-1010", pocket="1011")
    bench = won({TANKS[0]: "1110"}, bench=Bench(pack))
    assert set(bench.options("soviet", "advance", TANKS[0], "1010")) == NEIGHBOURS - {
        "0910",
        "0911",
        "1011",
    }
    closed = {"0910": "9.6.3", "0911": "9.6.3", "1011": "13.0"}
    for hex_id, rule in closed.items():
        assert bench.refused("soviet", "advance", TANKS[0], "1010", hex_id).rule == rule
    bench = won({TANKS[0]: "1110"}, bench=Bench(pack), turn=5)
    assert "1011" in bench.options("soviet", "advance", TANKS[0], "1010")


def test_9_6_3_a_second_hex_beside_the_enemy_and_a_city_in_it() -> None:
    """9.6.2, 9.6.3, R-41: The second hex lies in a zone and holds a strategic city: entered, 5
    points change hands at once."""
    places = {ITALIAN: "1010", GERMAN: "0810", TANK: "1110", "su.tank.25": "1110"}
    bench = combat(places, reduced=[ITALIAN], bench=Bench(board_t(places=[city("0910")])))
    attack(bench, 6, "1010", TANK, "su.tank.25")
    assert bench.state.field.in_enemy_zone("soviet", bench.state.data.hex("0910"))
    bench.do("soviet", "advance", TANK, "1010", "0910")

    assert bench.state.score == {"axis": 20, "soviet": 5}


def test_9_6_4_an_hq_in_a_zone_is_overrun() -> None:
    """9.6.4 (E65): the second hex is in an enemy zone and holds a lone HQ: allowed, and the HQ
    resets."""
    bench = won({TANKS[0]: "1110", "ax.hq.4pza": "0910", "ax.inf.62": "0809"})
    bench.do("soviet", "advance", TANKS[0], "1010", "0910")
    assert [event.hq for event in happened(bench, Overrun)] == ["ax.hq.4pza"]
    if bench.asked() == {"axis": "prompt.victory_lost.reset"}:
        bench.do("axis", "reset", str(bench.options("axis", "reset")[0]))
    assert bench.hexes(TANKS[0]) == ("0910",)
    assert bench.hexes("ax.hq.4pza") != ("0910",)


@pytest.mark.parametrize("bridges", ["", "1010-1110"])
def test_9_6_5_no_second_hex_after_a_major_river(bridges: str) -> None:
    """9.6.5, R-32 (E64): a tank corps that attacked over a major river, bridged or not, advances
    one hex only; one from the near bank two."""
    bench = Bench(board_t(rivers={"major": "1010-1110"}, bridges=bridges))
    bench = won({TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111"}, bench=bench)
    assert bench.options("soviet", "advance", TANKS[0], "1010") == ()
    assert bench.refused("soviet", "advance", TANKS[0], "1010", "0910").rule == "9.6.5"
    assert set(bench.options("soviet", "advance", TANKS[2], "1010")) == NEIGHBOURS - {"1110"}


@pytest.mark.parametrize("bridges", ["", "0910-1010"])
def test_9_6_5_no_second_hex_across_a_major_river(bridges: str) -> None:
    """9.6.5: The second hex never crosses one; a minor river does not matter."""
    bench = Bench(
        board_t(rivers={"major": "0910-1010", "minor": "0911-1010 1010-1110"}, bridges=bridges)
    )
    bench = won({TANKS[0]: "1110", TANKS[1]: "1110"}, bench=bench)
    assert set(bench.options("soviet", "advance", TANKS[0], "1010")) == NEIGHBOURS - {"0910"}


def test_9_6_5_two_attackers_one_across_the_don() -> None:
    """9.6.5: Of two tank corps the one from beyond the river advances one hex, the one from this
    bank two; neither across it again."""
    places = {ITALIAN: "1010", TANK: "1110", "su.tank.25": "1009"}
    bench = combat(places, reduced=[ITALIAN], bench=Bench(board_t(rivers={"major": "1010-1110"})))
    attack(bench, 6, "1010", TANK, "su.tank.25")

    assert bench.options("soviet", "advance", TANK, "1010") == ()
    assert bench.refused("soviet", "advance", TANK, "1010", "0910").rule == "9.6.5"
    beyond = bench.options("soviet", "advance", "su.tank.25", "1010")
    assert "0910" in beyond
    assert "1110" not in beyond
    assert bench.refused("soviet", "advance", "su.tank.25", "1010", "1110").rule == "9.6.5"


def test_9_6_5_out_of_the_bridgehead() -> None:
    """9.6.1, 9.6.5: The Italians gone, the tanks from 3909 may go two hexes, not over the Don to
    4009; the Guards from across it one."""
    bench = combat({**BRIDGEHEAD, ITALIAN: "3910"}, bench=Bench(real_pack()))
    attack(bench, 6, "3910", *BRIDGEHEAD)
    assert [event.unit for event in happened(bench, Eliminated)] == [ITALIAN]
    assert bench.options("soviet", "advance", "su.rifle.41g", "3910") == ()
    bench.do("soviet", "advance", "su.rifle.41g", "3910")
    beyond = bench.options("soviet", "advance", "su.tank.18", "3910")

    assert "3909" in beyond and "4009" not in beyond  # there is room in 4009 now
    assert bench.refused("soviet", "advance", "su.tank.18", "3910", "4009").rule == "9.6.5"
