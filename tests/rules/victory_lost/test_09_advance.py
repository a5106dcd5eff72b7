"""9.6 Advance after combat, with HQs (12.4), major rivers (9.6.5) and overrun HQs (9.6.4)."""

from collections.abc import Mapping

import pytest

from engine.games.victory_lost.combat_events import Advanced
from engine.games.victory_lost.events import CityTaken, Overrun
from tests.rules.victory_lost.battles import ITALIAN, TANKS, attack, combat, happened
from tests.rules.victory_lost.bench import Bench, board_t, city

RIFLE, CAVALRY = "su.rifle.1", "su.cav.3g"
AROUND = {"1009", "1110", "1111", "1011", "0911", "0910"}


def won(places: Mapping[str, str], *units: str, bench: Bench | None = None, die: int = 6, **more: int) -> Bench:
    """After an attack on 1010, held by one reduced Italian division that is eliminated by the result's losses (6: 3-1 or better)."""
    bench = combat({ITALIAN: "1010", **places}, bench=bench, reduced=[ITALIAN], **more)
    attack(bench, die, "1010", *(units or tuple(name for name in places if name in bench.options("soviet", "attack", "1010"))))
    assert bench.hexes(ITALIAN) == ("eliminated",)
    return bench


def test_E66_9_6_1_whatever_the_result_was() -> None:
    """R-31: the defender is eliminated by losses; the attackers may advance; nobody has to (9.6.2)."""
    bench = won({TANKS[0]: "1110", RIFLE: "1110"})
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}
    assert bench.options("soviet") == ("advance", "done")
    assert set(bench.options("soviet", "advance")) == {TANKS[0], RIFLE}
    bench.do("soviet", "done")
    assert bench.hexes(TANKS[0], RIFLE) == ("1110", "1110")
    assert bench.state.battle is None


def test_9_6_1_one_hex_or_two() -> None:
    """Non-mechanized units advance one hex, mechanized ones one or two; they may diverge (9.6.3)."""
    bench = won({TANKS[0]: "1110", TANKS[1]: "1110", RIFLE: "1111"})
    assert bench.options("soviet", "advance", RIFLE, "1010") == ()
    assert bench.refused("soviet", "advance", RIFLE, "1010", "0910").key == "refusal.victory_lost.advance_too_far"
    bench.do("soviet", "advance", RIFLE, "1010")
    assert set(bench.options("soviet", "advance", TANKS[0], "1010")) == AROUND
    bench.do("soviet", "advance", TANKS[0], "1010", "0910")
    bench.do("soviet", "advance", TANKS[1], "1010", "0911")
    assert bench.hexes(RIFLE, TANKS[0], TANKS[1]) == ("1010", "0910", "0911")


def test_9_6_1_two_hexes_behind_a_retreat_of_one() -> None:
    """Mechanized units may go two hexes even if the defender retreated only one."""
    bench = combat({"ax.inf.62": "1010", TANKS[0]: "1110", TANKS[1]: "1111"})
    attack(bench, 4, "1010", *TANKS[:2])
    bench.do("axis", "retreat", "ax.inf.62", "0910")
    assert "0911" in bench.options("soviet", "advance", TANKS[0], "1010")
    assert "0910" not in bench.options("soviet", "advance", TANKS[0], "1010")
    assert bench.refused("soviet", "advance", TANKS[0], "1010", "0910").key == "refusal.victory_lost.enemy_there"


def test_R_31_only_who_attacked_and_once() -> None:
    """A unit that stood by does not advance; nobody advances twice; no advance into a hex that still holds an enemy unit."""
    bench = won({TANKS[0]: "1110", RIFLE: "1111"}, TANKS[0])
    refusal = bench.refused("soviet", "advance", RIFLE)
    assert (refusal.rule, refusal.key) == ("9.6.1", "refusal.victory_lost.did_not_attack")
    bench.do("soviet", "advance", TANKS[0], "1010")
    assert "prompt.victory_lost.advance" not in bench.asked().values()

    bench = combat({ITALIAN: "1010", TANKS[0]: "1110"})
    attack(bench, 1, "1010", TANKS[0])
    assert "prompt.victory_lost.advance" not in bench.asked().values()


def test_R_31_cavalry_counts_as_non_mechanized() -> None:
    """One printed strength: one hex; an option lets cavalry go two."""
    bench = won({CAVALRY: "1110", TANKS[0]: "1111"})
    assert bench.options("soviet", "advance", CAVALRY, "1010") == ()
    bench = won({CAVALRY: "1110", TANKS[0]: "1111"}, bench=Bench(cavalry_advance=True))
    assert set(bench.options("soviet", "advance", CAVALRY, "1010")) == AROUND


def test_9_6_1_who_lost_a_face_may_advance() -> None:
    """R-31: a reduced attacker advances like any other."""
    bench = combat({ITALIAN: "1010", TANKS[0]: "1110", TANKS[1]: "1110"}, reduced=[ITALIAN, TANKS[0]])
    attack(bench, 6, "1010", *TANKS[:2])
    assert TANKS[0] in bench.options("soviet", "advance")


def test_9_6_3_the_first_hex_is_the_combat_hex() -> None:
    """Nothing but the combat hex is offered first; the second is any neighbour of it."""
    bench = won({TANKS[0]: "1110"})
    assert bench.options("soviet", "advance", TANKS[0]) == ("1010",)
    assert bench.refused("soviet", "advance", TANKS[0], "1009").key == "refusal.victory_lost.advance_first_hex"
    assert bench.refused("soviet", "advance", TANKS[0], "1010", "0809").rule == "9.6.1"


def test_9_6_3_water_barriers_and_the_pocket() -> None:
    """The second hex is not water, not across an impassable hexside, R-32 not in the pocket through turn 4."""
    pack = board_t(rows={"0910": "~"}, impassable="0911-1010", pocket="1011")
    bench = won({TANKS[0]: "1110"}, bench=Bench(pack))
    assert set(bench.options("soviet", "advance", TANKS[0], "1010")) == AROUND - {"0910", "0911", "1011"}
    assert [bench.refused("soviet", "advance", TANKS[0], "1010", hex_id).rule for hex_id in ("0910", "0911", "1011")] == [
        "9.6.3", "9.6.3", "13.0"
    ]  # fmt: skip
    bench = won({TANKS[0]: "1110"}, bench=Bench(pack), turn=5)
    assert "1011" in bench.options("soviet", "advance", TANKS[0], "1010")


def test_9_6_2_R_32_stacking_where_it_ends() -> None:
    """5.0.4: the limits bind at the end: the third attacker cannot stay in the combat hex, a mechanized one may go through."""
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


@pytest.mark.parametrize("bridges", ["", "1010-1110"])
def test_E64_9_6_5_no_second_hex_after_a_major_river(bridges: str) -> None:
    """9.6.5, R-32: a tank corps that attacked over a major river, bridged or not, advances one hex only; one from the near bank two."""
    bench = Bench(board_t(rivers={"major": "1010-1110"}, bridges=bridges))
    bench = won({TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111"}, bench=bench)
    assert bench.options("soviet", "advance", TANKS[0], "1010") == ()
    assert bench.refused("soviet", "advance", TANKS[0], "1010", "0910").rule == "9.6.5"
    assert set(bench.options("soviet", "advance", TANKS[2], "1010")) == AROUND - {"1110"}


@pytest.mark.parametrize("bridges", ["", "0910-1010"])
def test_9_6_5_no_second_hex_across_a_major_river(bridges: str) -> None:
    """The second hex never crosses one; a minor river does not matter."""
    bench = Bench(board_t(rivers={"major": "0910-1010", "minor": "0911-1010 1010-1110"}, bridges=bridges))
    bench = won({TANKS[0]: "1110", TANKS[1]: "1110"}, bench=bench)
    assert set(bench.options("soviet", "advance", TANKS[0], "1010")) == AROUND - {"0910"}


def test_E65_9_6_4_an_hq_in_a_zone_is_overrun() -> None:
    """9.6.4: the second hex is in an enemy zone and holds a lone HQ: allowed, and the HQ resets."""
    bench = won({TANKS[0]: "1110", "ax.hq.4pza": "0910", "ax.inf.62": "0809"})
    bench.do("soviet", "advance", TANKS[0], "1010", "0910")
    assert [event.hq for event in happened(bench, Overrun)] == ["ax.hq.4pza"]
    if bench.asked() == {"axis": "prompt.victory_lost.reset"}:
        bench.do("axis", "reset", str(bench.options("axis", "reset")[0]))
    assert bench.hexes(TANKS[0]) == ("0910",)
    assert bench.hexes("ax.hq.4pza") != ("0910",)


def test_12_4_an_hq_goes_along() -> None:
    """An HQ stacked with an attacker may go as far as the unit that it goes with, once, activated or not."""
    places = {TANKS[0]: "1110", TANKS[1]: "1110", "su.hq.1gda": "1110"}
    bench = won(places, *TANKS[:2])
    assert bench.options("soviet", "advance", TANKS[0]) == ("su.hq.1gda", "1010")
    bench.do("soviet", "advance", TANKS[0], "su.hq.1gda", "1010", "0910")
    assert bench.hexes(TANKS[0], "su.hq.1gda") == ("0910", "0910")
    assert bench.refused("soviet", "advance", TANKS[1], "su.hq.1gda").key == "refusal.victory_lost.advance_hq"
    bench.do("soviet", "advance", TANKS[1], "1010")

    bench = won(places, *TANKS[:2])
    bench.do("soviet", "advance", TANKS[0], "1010")
    assert bench.hexes("su.hq.1gda") == ("1110",), "an HQ may stay, even alone"
    bench.do("soviet", "advance", TANKS[1], "su.hq.1gda", "1010")
    assert bench.hexes("su.hq.1gda") == ("1010",)


def test_12_4_an_hq_goes_along_once() -> None:
    """An HQ that came with one attacker to the hex of another does not go on with that one."""
    bench = won({TANKS[0]: "1110", "su.hq.1gda": "1110", TANKS[1]: "1111"}, *TANKS[:2])
    bench.do("soviet", "advance", TANKS[0], "su.hq.1gda", "1010", "1111")
    assert bench.hexes(TANKS[0], "su.hq.1gda", TANKS[1]) == ("1111", "1111", "1111")
    assert bench.options("soviet", "advance", TANKS[1]) == ("1010",)


def test_12_4_two_hqs_never_stack() -> None:
    """5.0.1: a second HQ cannot end where one stands."""
    places = {RIFLE: "1110", "su.hq.1gda": "1110", "su.rifle.107": "1111", "su.hq.3gda": "1111"}
    bench = won(places, RIFLE, "su.rifle.107")
    bench.do("soviet", "advance", RIFLE, "su.hq.1gda", "1010")
    assert bench.options("soviet", "advance", "su.rifle.107") == ("1010",)


def test_14_0_1_R_41_an_advance_takes_cities_on_the_way() -> None:
    """Control passes in every strategic city that a unit enters, also in passing."""
    pack = board_t(places=[city("1010"), city("0910")])
    bench = Bench(pack)
    bench.change(score={"axis": 25, "soviet": 0})
    bench = won({TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111", TANKS[3]: "1111"}, bench=bench)
    bench.do("soviet", "advance", TANKS[0], "1010", "0910")
    assert [(event.hex, event.side) for event in happened(bench, CityTaken)] == [("1010", "soviet"), ("0910", "soviet")]
    assert bench.state.score == {"axis": 15, "soviet": 10}


def test_9_6_the_story() -> None:
    """An advance is one event with its path."""
    bench = won({TANKS[0]: "1110"})
    bench.do("soviet", "advance", TANKS[0], "1010", "0910")
    assert [event.path for event in happened(bench, Advanced)] == [("1110", "1010", "0910")]
    assert "victory_lost.advanced" in bench.said()
