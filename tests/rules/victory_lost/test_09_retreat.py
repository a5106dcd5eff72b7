"""9.5 Retreat: who goes where, losses in zones, full hexes, major rivers, HQs on both sides."""

import random
from collections.abc import Mapping, Sequence

import pytest

from engine.games.chitpull.sides import ENEMY
from engine.games.victory_lost.combat_events import Retreated, RetreatInterrupted
from engine.games.victory_lost.events import CityTaken, Eliminated, Overrun
from engine.games.victory_lost.retreat_ways import ways
from tests.rules.victory_lost.battles import GERMAN, ITALIAN, PANZER, TANKS, attack, combat, happened, lost, previewed
from tests.rules.victory_lost.bench import Bench, board_t, city, real_pack

EAST = {TANKS[0]: "1110", TANKS[1]: "1111"}
"""Soviet units next to 1010: 1009 and 1011 are in their zones, 0910 and 0911 are not."""

AROUND = ("1009", "1110", "1111", "1011", "0911", "0910")


def fought(places: Mapping[str, str], die: int, *units: str, bench: Bench | None = None, reduced: Sequence[str] = (), **more: int) -> Bench:
    """After an attack on 1010 by the first units of the Soviets."""
    bench = combat(places, bench=bench, reduced=reduced, **more)
    attack(bench, die, "1010", *units)
    return bench


def paths(bench: Bench, *names: str, start: str = "1010", length: int = 1) -> set[str]:
    """The ways that counters may retreat, hexes joined."""
    grid = bench.state.data.board.grid
    return {" ".join(grid.names(way)) for way in ways(bench.state, names, grid.at(start), length)}


def stood(places: Mapping[str, str], bench: Bench | None = None, turn: int = 1) -> Bench:
    """Counters on a board, nothing activated."""
    bench = bench or Bench()
    bench.stand(places, turn=turn)
    return bench


def test_E54_9_5_2_out_of_the_zones_and_towards_the_source() -> None:
    """DR: only 0910 and 0911; 1009 and 1011 are in enemy zones."""
    bench = fought({PANZER: "1010", **EAST}, 6, *TANKS[:2])
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    assert set(bench.options("axis", "retreat", PANZER)) == {"0910", "0911"}
    assert bench.refused("axis", "retreat", PANZER, "1009").key == "refusal.victory_lost.retreat_zone"
    bench.do("axis", "retreat", PANZER, "0911")
    assert bench.hexes(PANZER) == ("0911",)


def test_E55_9_5_2_two_hexes() -> None:
    """DR2: two hexes away, each nearer the source; E54 with a second hex."""
    bench = stood({GERMAN: "1010", **EAST})
    assert paths(bench, GERMAN, length=2) == {"0910 0809", "0910 0810", "0911 0810", "0911 0811"}


def test_9_5_2_towards_the_source() -> None:
    """Among hexes without a zone those nearer the source come first: with the Axis source in the north the way is north."""
    bench = stood({GERMAN: "1010", TANKS[0]: "1012"}, Bench(board_t(sources=[_source("axis", "1001"), _source("soviet", "1020")])))
    assert paths(bench, GERMAN) == {"1009"}


def _source(side: str, hex_id: str) -> dict[str, object]:
    return {"id": f"source.{side}.{hex_id}", "side": side, "hex": hex_id, "name": hex_id, "from_turn": 1, "rail": True}


def test_R_26_ends_as_far_away_as_it_is_long() -> None:
    """A retreat of two hexes may double back beside the combat hex; by the earlier reading it ends two hexes away."""
    ring = {"su.rifle.1": "0908", "su.rifle.107": "0710", "su.rifle.111": "0712", "su.rifle.119": "0913"}
    places = {GERMAN: "1010", **EAST, **ring}
    straight = paths(stood(places, Bench(retreat_distance=True, retreat_distance_first=True)), GERMAN, length=2)
    assert straight and all(way.split()[1] not in AROUND for way in straight)
    assert paths(stood(places), GERMAN, length=2) == {"0910 0911", "0911 0910"}


def test_9_5_1_units_of_one_hex_may_part() -> None:
    """Each goes its own way, in the order that the owner likes."""
    bench = fought({PANZER: "1010", GERMAN: "1010", **EAST, TANKS[2]: "1110", TANKS[3]: "1111"}, 5, *TANKS)
    assert lost(bench) == ([], [])
    assert bench.options("axis", "retreat") == (GERMAN, PANZER)
    bench.do("axis", "retreat", PANZER, "0910")
    assert set(bench.options("axis", "retreat", GERMAN)) == {"0910", "0911"}
    assert bench.refused("axis", "retreat", PANZER).key == "refusal.victory_lost.not_retreating"
    bench.do("axis", "retreat", GERMAN, "0911")
    assert bench.hexes(PANZER, GERMAN) == ("0910", "0911")


def test_E56_9_5_3_forced_into_a_zone() -> None:
    """9.5.3, R-27, R-47: all free neighbours are in zones: the unit goes there and is reduced; friends do not cancel the zone."""
    places = {PANZER: "1010", **EAST, "su.rifle.1": "0911", "su.rifle.107": "0910"}
    bench = fought(places, 6, *TANKS[:2])
    assert set(bench.options("axis", "retreat", PANZER)) == {"1009", "1011"}
    assert "retreat_losses" in previewed(bench, "retreat", PANZER, "1009", side="axis")
    bench.do("axis", "retreat", PANZER, "1009")
    assert lost(bench) == ([PANZER], [])

    bench = fought({**places, GERMAN: "1009"}, 6, *TANKS[:2])
    assert set(bench.options("axis", "retreat", PANZER)) == {"1009", "1011"}
    bench.do("axis", "retreat", PANZER, "1009")
    assert lost(bench) == ([PANZER], [])


def test_E57_9_5_7_a_unit_that_falls_overruns_nothing() -> None:
    """A one-faced unit is eliminated on entering the zone; the lone HQ there is not overrun."""
    places = {"ax.panzer.22": "1010", **EAST, "su.rifle.1": "0911", "su.rifle.107": "0910", "su.hq.1gda": "1009"}
    bench = fought(places, 2, *TANKS[:2])
    assert set(bench.options("axis", "retreat", "ax.panzer.22")) == {"1009", "1011"}
    assert "retreat_falls" in previewed(bench, "retreat", "ax.panzer.22", "1009", side="axis")
    bench.do("axis", "retreat", "ax.panzer.22", "1009")
    assert lost(bench) == ([], ["ax.panzer.22"])
    assert happened(bench, Overrun) == []
    assert bench.hexes("su.hq.1gda", "ax.panzer.22") == ("1009", "eliminated")
    assert bench.state.score["soviet"] == 3


def test_9_5_3_a_retreat_ends_where_the_unit_falls() -> None:
    """DR2 through a zone: nothing is picked beyond the hex where a one-faced unit is eliminated."""
    ring = {"su.rifle.1": "0911", "su.rifle.107": "0910"}
    places = {"ax.panzer.22": "1010", PANZER: "1010", **ring, **EAST, TANKS[2]: "1110", TANKS[3]: "1111"}
    bench = fought(places, 6, *TANKS, reduced=[PANZER])
    assert bench.asked() == {"axis": "prompt.victory_lost.losses"}
    bench.do("axis", "lose", PANZER)
    for first in bench.options("axis", "retreat", "ax.panzer.22"):
        assert bench.options("axis", "retreat", "ax.panzer.22", str(first)) == ()
    bench.do("axis", "retreat", "ax.panzer.22", str(bench.options("axis", "retreat", "ax.panzer.22")[0]))
    assert lost(bench)[1] == ["ax.panzer.22"]
    assert [len(event.path) for event in happened(bench, Retreated)] == [2]


def test_E58_9_5_8_no_way_out() -> None:
    """All six neighbours hold enemy units: the panzer division is eliminated for 3 points, without a question."""
    ring = dict(zip((*TANKS, "su.rifle.1", "su.rifle.107"), AROUND, strict=True))
    bench = fought({PANZER: "1010", **ring}, 4, *TANKS)
    assert [event.why for event in happened(bench, Eliminated)] == ["no_retreat"]
    assert bench.state.score["soviet"] == 3
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_E59_9_5_4_full_hexes_force_one_further() -> None:
    """9.5.4, R-28: 0910 and 0911 are full: the unit goes on to a hex two away; those who stand there stay."""
    full = {GERMAN: "0910", "ax.inf.294": "0910", "ax.inf.336": "0911", "ax.inf.298": "0911"}
    bench = fought({PANZER: "1010", **EAST, **full}, 6, *TANKS[:2])
    assert set(bench.options("axis", "retreat", PANZER)) == {"0910", "0911"}
    assert bench.refused("axis", "retreat", PANZER, "0910").rule == "9.5.4"
    assert set(bench.options("axis", "retreat", PANZER, "0910")) == {"0809", "0810"}
    bench.do("axis", "retreat", PANZER, "0910", "0810")
    assert bench.hexes(PANZER, GERMAN) == ("0810", "0910")


def test_9_5_2_full_hexes_are_avoided() -> None:
    """Of two ways that are equal otherwise the one that crosses no full hex is taken; nearer the source comes before that."""
    full = {GERMAN: "0910", "ax.inf.294": "0910"}
    assert paths(stood({PANZER: "1010", **EAST, **full}), PANZER) == {"0911"}

    # To the north-east there is room and no zone, but it is away from the source.
    both = {**full, "ax.inf.336": "0911", "ax.inf.298": "0911"}
    found = paths(stood({PANZER: "1010", TANKS[0]: "1012", TANKS[1]: "1211", **both}), PANZER)
    assert found and all(way.split()[0] in ("0910", "0911") for way in found)


def test_R_28_again_and_again() -> None:
    """Full hexes behind full hexes: three hexes for a DR; without any continuation the hexes are no way at all."""
    full = ("0910", "0911", "0809", "0810", "0811")
    germans = [name for name in Bench().state.data.types if name.startswith("ax.inf.")]
    places = {name: full[index // 2] for index, name in enumerate(germans[:10])}
    bench = stood({PANZER: "1010", **EAST, **places})
    assert all(len(way.split()) == 3 for way in paths(bench, PANZER))

    crammed = board_t(rows={f"{c:02}{r:02}": "~" for c in range(1, 8) for r in range(1, 21)} | {f"08{r:02}": "~" for r in range(1, 21)})
    crammed_bench = Bench(crammed)
    shut = {name: ("0910", "0911", "0909", "0912", "1009", "1011")[index // 2] for index, name in enumerate(germans[:12])}
    walls = {"su.rifle.1": "1008", "su.rifle.107": "1012", "su.rifle.111": "0908", "su.rifle.119": "0913", "su.rifle.126": "1109"}
    walls["su.rifle.127"] = "1112"
    assert paths(stood({PANZER: "1010", **EAST, **shut, **walls}, crammed_bench), PANZER) == set()


def test_E60_9_5_5_nations() -> None:
    """9.5.5: an Italian cannot stay with Romanians: one hex further. A German could."""
    romanians = {"ax.ro.5": "0910", "ax.ro.7": "0911"}
    bench = fought({ITALIAN: "1010", **EAST, **romanians}, 2, TANKS[0])
    assert bench.asked() != {"axis": "prompt.victory_lost.retreat"}

    bench = fought({ITALIAN: "1010", **EAST, **romanians}, 3, TANKS[0])
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    assert bench.refused("axis", "retreat", ITALIAN, "0910").rule == "9.5.5"
    assert set(bench.options("axis", "retreat", ITALIAN, "0911")) == {"0810", "0811"}
    assert paths(stood({GERMAN: "1010", **EAST, **romanians}), GERMAN) == {"0910", "0911"}


RIVER_BEHIND = "0809-0910 0810-0910"


def walled(more: Mapping[str, str], **kwargs: str) -> Bench:
    """A panzer division in 1010 that can only go to 0910, and from there west."""
    places = {PANZER: "1010", TANKS[0]: "1110", TANKS[1]: "1111", "su.rifle.1": "1009", "su.rifle.107": "1011"}
    bench = Bench(board_t(rivers={"major": kwargs.get("river", RIVER_BEHIND)}, bridges=kwargs.get("bridges", "")))
    bench.stand({**places, "su.rifle.111": "0909", "su.rifle.119": "0911", **more})
    return bench


def test_E61_9_5_6_a_major_river_one_hex_behind() -> None:
    """DR2: the start is not next to the river, so it may not be crossed: no way, eliminated. A bridge opens it, if zones allow."""
    assert paths(walled({}), PANZER, length=2) == set()
    assert paths(walled({}), PANZER, length=1) == {"0910"}
    # 0910 and both hexes beyond are in Soviet zones, so the bridge does not help (E62); without the zones it does.
    assert paths(walled({}, bridges=RIVER_BEHIND), PANZER, length=2) == set()

    bench = Bench(board_t(rivers={"major": RIVER_BEHIND}, bridges="0810-0910"))
    bench.stand({PANZER: "1010", TANKS[0]: "1110", TANKS[1]: "1111"})
    assert "0910 0810" in paths(bench, PANZER, length=2)
    assert "0910 0809" not in paths(bench, PANZER, length=2)


def test_E61_9_5_6_eliminated_in_play() -> None:
    """The whole of E61: an attack, DR2, and the unit is gone."""
    bench = walled({})
    bench.stand(
        {PANZER: "1010", **dict.fromkeys(TANKS[:2], "1110"), **dict.fromkeys(TANKS[2:], "1111"), "su.rifle.1": "1009",
         "su.rifle.107": "1011", "su.rifle.111": "0909", "su.rifle.119": "0911"}
    )  # fmt: skip
    bench.activate("soviet", *TANKS, "su.rifle.1", "su.rifle.107")
    bench.jump("chit_selection", "activation", "combat_step")
    attack(bench, 6, "1010", *TANKS)
    assert [event.why for event in happened(bench, Eliminated)] == ["no_retreat"]


def test_E62_9_5_6_zones_on_both_banks() -> None:
    """A major river behind the unit with enemy zones on both banks is not crossed, bridge or not."""
    for bridges in ("", "0910-1010"):
        bench = Bench(board_t(rivers={"major": "0910-1010"}, bridges=bridges))
        bench.stand({PANZER: "1010", **EAST, "su.rifle.1": "0809"})
        assert not any(way.startswith("0910") for way in paths(bench, PANZER))
        bench.stand({PANZER: "1010", **EAST})
        assert any(way.startswith("0910") for way in paths(bench, PANZER))


def test_E63_R_29_a_river_crossed_first_does_not_stop() -> None:
    """9.5.6, R-29: an unbridged major river is crossed with the first hex, and the retreat goes on to its full length."""
    bench = Bench(board_t(rivers={"major": "0910-1010 0911-1010"}))
    bench.stand({PANZER: "1010", **EAST})
    assert paths(bench, PANZER, length=2) == {"0910 0809", "0910 0810", "0911 0810", "0911 0811"}


def test_9_5_6_says_why() -> None:
    """The refusal names the river."""
    bench = Bench(board_t(rivers={"major": "0810-0911"}))
    bench = fought({PANZER: "1010", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111", TANKS[3]: "1111"}, 6, *TANKS, bench=bench)
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    refusal = bench.refused("axis", "retreat", PANZER, "0911", "0810")
    assert refusal.rule == "9.5.6"


@pytest.mark.parametrize(("turn", "open_"), [(4, False), (5, True)])
def test_E85_E86_R_30_the_pocket(turn: int, open_: bool) -> None:
    """13.0: no retreat into pocket hexes through turn 4."""
    bench = stood({PANZER: "1010", **EAST}, Bench(board_t(pocket="0910 0911")), turn=turn)
    assert (paths(bench, PANZER) == {"0910", "0911"}) == open_


def test_9_5_8_water_and_the_edge_are_no_way() -> None:
    """R-30, 9.5.8: neither is on any way."""
    bench = stood({PANZER: "0110", TANKS[0]: "0209", TANKS[1]: "0210"}, Bench(board_t(rows={"0109": "~"})))
    assert paths(bench, PANZER, start="0110") == {"0111"}


# --- HQs --------------------------------------------------------------------------------------------------------------------

HQ = "ax.hq.4pza"


def test_12_3_the_hq_goes_with_the_last_unit() -> None:
    """One unit and an HQ: both retreat together."""
    bench = fought({PANZER: "1010", HQ: "1010", **EAST}, 6, *TANKS[:2])
    bench.do("axis", "retreat", PANZER, "0910")
    assert bench.hexes(PANZER, HQ) == ("0910", "0910")


def test_R_25_the_owner_chooses_with_whom() -> None:
    """R-25: two units that part: the HQ goes with the one that takes it."""
    for take in (True, False):
        bench = fought({PANZER: "1010", GERMAN: "1010", HQ: "1010", **EAST, TANKS[2]: "1110", TANKS[3]: "1111"}, 5, *TANKS)
        assert bench.options("axis", "retreat", PANZER)[0] == HQ
        bench.do("axis", "retreat", PANZER, *((HQ,) if take else ()), "0910")
        bench.do("axis", "retreat", GERMAN, "0911")
        assert bench.hexes(HQ) == (("0910",) if take else ("0911",))


def test_R_25_another_hq_makes_a_hex_full() -> None:
    """A group with an HQ cannot stay where an HQ stands."""
    bench = stood({PANZER: "1010", HQ: "1010", **EAST, "ax.hq.hollidt": "0910"})
    assert paths(bench, PANZER) == {"0910", "0911"}
    assert paths(bench, PANZER, HQ) == {"0911"}


def test_R_25_dying_on_the_way_resets_the_hq() -> None:
    """The last unit falls in a zone: its HQ resets, unhurt."""
    places = {"ax.panzer.22": "1010", HQ: "1010", **EAST, "su.rifle.1": "0911", "su.rifle.107": "0910"}
    bench = fought(places, 2, *TANKS[:2])
    bench.do("axis", "retreat", "ax.panzer.22", "1009")
    assert lost(bench) == ([], ["ax.panzer.22"])
    if bench.asked() == {"axis": "prompt.victory_lost.reset"}:
        bench.do("axis", "reset", str(bench.options("axis", "reset")[0]))
    assert bench.hexes(HQ)[0] not in ("1010", "1009")
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_R_25_the_hq_goes_with_the_one_that_lives() -> None:
    """Of two units one would fall on the way: the HQ goes with the other, unasked."""
    places = {PANZER: "1010", "ax.panzer.22": "1010", HQ: "1010", **EAST, "su.rifle.1": "0911", "su.rifle.107": "0910"}
    bench = fought({**places, TANKS[2]: "1110", TANKS[3]: "1111"}, 5, *TANKS)
    assert HQ not in bench.options("axis", "retreat", "ax.panzer.22")
    assert HQ not in bench.options("axis", "retreat", PANZER)
    bench.do("axis", "retreat", PANZER, "1011")
    assert bench.hexes(HQ) == ("1011",)
    bench.do("axis", "retreat", "ax.panzer.22", "1009")
    assert bench.hexes(HQ, "ax.panzer.22") == ("1011", "eliminated")


def test_9_5_8_12_2_no_way_for_the_last_unit() -> None:
    """The unit is eliminated, the HQ left alone resets, then the attackers may advance."""
    ring = dict(zip((*TANKS, "su.rifle.1", "su.rifle.107"), AROUND, strict=True))
    bench = fought({PANZER: "1010", HQ: "1010", **ring}, 4, *TANKS)
    assert [event.why for event in happened(bench, Eliminated)] == ["no_retreat"]
    if bench.asked() == {"axis": "prompt.victory_lost.reset"}:
        bench.do("axis", "reset", str(bench.options("axis", "reset")[0]))
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_9_5_7_an_overrun_interrupts_the_retreat() -> None:
    """DR2 over a lone Soviet HQ: its owner resets it, then the unit goes on from there with the hexes it has left."""
    places = {PANZER: "1010", **EAST, TANKS[2]: "1110", TANKS[3]: "1111", "su.hq.1gda": "0910", "su.rifle.1": "1709"}
    bench = fought(places, 6, *TANKS)
    assert [event.result for event in bench.events if hasattr(event, "result")] == ["1DR2"]
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    assert "0910" in bench.options("axis", "retreat", PANZER)
    bench.do("axis", "retreat", PANZER, "0910")
    assert [event.hq for event in happened(bench, Overrun)] == ["su.hq.1gda"]
    assert len(happened(bench, RetreatInterrupted)) == 1
    if bench.asked() == {"soviet": "prompt.victory_lost.reset"}:
        bench.do("soviet", "reset", str(bench.options("soviet", "reset")[0]))
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat_on"}
    assert set(bench.options("axis", "retreat")) == {"0809", "0810"}
    bench.do("axis", "retreat", "0810")
    assert bench.hexes(PANZER) == ("0810",)
    assert bench.state.battle is None or bench.state.battle.flight is None


def test_9_5_7_a_last_hex_may_hold_an_hq() -> None:
    """DR into the hex of a lone HQ: overrun, and the retreat is over."""
    bench = fought({PANZER: "1010", **EAST, "su.hq.1gda": "0910"}, 6, *TANKS[:2])
    bench.do("axis", "retreat", PANZER, "0910")
    assert happened(bench, Overrun)
    assert not happened(bench, RetreatInterrupted)
    if bench.asked() == {"soviet": "prompt.victory_lost.reset"}:
        bench.do("soviet", "reset", str(bench.options("soviet", "reset")[0]))
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_R_41_a_retreat_takes_a_city() -> None:
    """14.0.1: a unit that retreats through an enemy-held strategic city takes control of it."""
    pack = board_t(places=[city("0910", owner="soviet"), city("0911", owner="soviet")])
    bench = Bench(pack)
    bench.change(score={"axis": 15, "soviet": 10})
    bench = fought({PANZER: "1010", **EAST}, 6, *TANKS[:2], bench=bench)
    bench.do("axis", "retreat", PANZER, "0910")
    assert [(event.hex, event.side) for event in happened(bench, CityTaken)] == [("0910", "axis")]
    assert bench.state.score == {"axis": 20, "soviet": 5}


def test_9_5_what_leaves_no_choice_is_not_asked() -> None:
    """One way: the unit goes by itself; two units with one common way that holds both: likewise; one that holds one of them: asked."""
    north = [_source("axis", "1001"), _source("soviet", "1020")]
    south = {TANKS[0]: "1011", TANKS[1]: "1011", TANKS[2]: "1111", TANKS[3]: "1111"}
    bench = fought({PANZER: "1010", **south}, 3, *TANKS, bench=Bench(board_t(sources=north)))
    assert bench.hexes(PANZER) == ("1009",)
    assert [event.path for event in happened(bench, Retreated)] == [("1010", "1009")]

    bench = fought({PANZER: "1010", GERMAN: "1010", **south}, 5, *TANKS, bench=Bench(board_t(sources=north)))
    assert bench.hexes(PANZER, GERMAN) == ("1009", "1009")

    places = {PANZER: "1010", GERMAN: "1010", "ax.inf.294": "1009", **south}
    bench = fought(places, 5, *TANKS, bench=Bench(board_t(sources=north)))
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}


# --- all ways, counted another way ------------------------------------------------------------------------------------------


def literal(bench: Bench, unit: str, start: str, length: int) -> set[tuple[str, ...]] | None:
    """9.5.2, R-26 read word for word, on printed ids, for a unit alone; None where a full hex comes into it."""
    state = bench.state
    data = state.data
    grid, sides = data.board.grid, data.board.sides
    side = data.types[unit].side
    enemy = ENEMY[side]
    stands = {name: counter.at for name, counter in state.counters.items() if counter.at >= 0}
    enemies = {at for name, at in stands.items() if data.types[name].side == enemy and not data.types[name].hq}
    friends = {at for name, at in stands.items() if data.types[name].side == side}
    enemy_all = {at for name, at in stands.items() if data.types[name].side == enemy}
    shut = data.pocket if state.field.pocket_closed else frozenset()
    water = data.water

    def zoned(i: int) -> bool:
        return i not in water and i not in shut and any(
            n in enemies and not sides.impassable[i * 6 + grid.direction(i, n)] for n in grid.adjacent[i]
        )

    def river(a: int, b: int) -> str:
        return sides.river_class(a * 6 + grid.direction(a, b)) or ""

    def bridged(a: int, b: int) -> bool:
        return bool(sides.bridged[a * 6 + grid.direction(a, b)])

    lines = {i: 0 for i in data.sources(side, state.turn) if i not in enemy_all and i not in shut and (i in friends or not zoned(i))}
    front = list(lines)
    while front:
        following = []
        for a in front:
            for b in grid.adjacent[a]:
                if b in lines or b in water or b in shut or b in enemy_all or (zoned(b) and b not in friends):
                    continue
                if sides.impassable[a * 6 + grid.direction(a, b)] or (river(a, b) == "major" and not bridged(a, b)):
                    continue
                lines[b] = lines[a] + 1
                following.append(b)
        front = following

    def supply(i: int) -> int | None:
        if i in lines:
            return lines[i]
        if i in water or i in shut:
            return None
        near = [
            lines[b] for b in grid.adjacent[i]
            if b in lines and not sides.impassable[i * 6 + grid.direction(i, b)] and (river(i, b) != "major" or bridged(i, b))
        ]
        return 1 + min(near) if near else None

    def legal(a: int, b: int, first: bool) -> bool:
        if b in water or b in shut or b in enemies or sides.impassable[a * 6 + grid.direction(a, b)]:
            return False
        if river(a, b) == "major":
            return not (zoned(a) and zoned(b)) and (first or bridged(a, b))
        return True

    home = grid.at(start)
    found: list[tuple[int, ...]] = [()]
    for step in range(length):
        found = [
            (*path, b) for path in found for b in grid.adjacent[path[-1] if path else home]
            if b != home and b not in path and legal(path[-1] if path else home, b, step == 0)
        ]
    mates = [i for path in found for i in path if sum(at == i for name, at in stands.items() if not data.types[name].hq) >= 2]
    if mates:
        return None
    for worth in (
        lambda path: sum(zoned(i) for i in path),
        lambda path: next((n for n, i in enumerate(path) if not zoned(i)), 99),
    ):
        least = min((worth(path) for path in found), default=0)
        found = [path for path in found if worth(path) == least]
    if any(supply(i) is None for path in found for i in (home, *path)):
        return None
    nearer = {path: sum((supply(b) or 0) < (supply(a) or 0) for a, b in zip((home, *path), path, strict=False)) for path in found}
    best = max(nearer.values(), default=0)
    return {tuple(grid.names(path)) for path in found if nearer[path] == best}


@pytest.mark.long
def test_9_5_2_agrees_with_the_rule_read_word_for_word() -> None:
    """Scattered Soviet units and single Germans on the real map: the same ways by another method."""
    seed = 952
    dice = random.Random(seed)
    bench = Bench(real_pack())
    data = bench.state.data
    grid = data.board.grid
    soviets = [name for name, type_ in data.types.items() if type_.side == "soviet" and not type_.hq]
    germans = [name for name, type_ in data.types.items() if type_.nation == "german" and not type_.hq]
    compared = 0
    for _ in range(60):
        left, top = dice.randrange(2, 56), dice.randrange(2, 31)
        area = [i for i in range(len(grid)) if left <= i % 65 < left + 8 and top <= i // 65 < top + 7]
        area = [i for i in area if i not in data.water and i not in data.pocket]
        if len(area) < 30:
            continue
        spots = dice.sample(area, 22)
        places = {name: grid.ids[i] for name, i in zip(dice.sample(soviets, 14), spots[:14], strict=True)}
        axis = {name: grid.ids[i] for name, i in zip(dice.sample(germans, 8), spots[14:], strict=True)}
        bench.stand({**places, **axis})
        for name, hex_id in axis.items():
            for length in (1, 2):
                expected = literal(bench, name, hex_id, length)
                if expected is not None:
                    found = {tuple(way.split()) for way in paths(bench, name, start=hex_id, length=length)}
                    assert found == expected, f"seed {seed}: {name} in {hex_id} by {length} among {places} and {axis}"
                    compared += len(expected) > 0
    assert compared > 200
