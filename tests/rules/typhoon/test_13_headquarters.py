"""13.0 Headquarters."""

from tests.rules.chit_bench import source
from tests.rules.typhoon.battles import INFANTRY, PANZERS, RIFLES3, battle, column_of, odds_of
from tests.rules.typhoon.bench import HQ22, Bench, board_t, column
from tests.rules.typhoon.campaign import LANE, intake
from tests.rules.typhoon.commands import GUDERIAN, HQ2, draw, go, table
from warledger.engine.games.typhoon.activation import Activated
from warledger.engine.games.typhoon.command import ChitSpent, ChitVoid, Interrupted
from warledger.engine.games.typhoon.losses import Reduced
from warledger.engine.games.typhoon.retreat import Retreated


def test_13_0_an_hq_is_a_combat_unit_R36() -> None:
    """13.0, 13.0(3), 13.0(4), R-36 An HQ has steps and a ZOC, attacks and is attacked; removed by
    combat it waits in the box and comes back as a reinforcement."""
    bench = intake({}, {"su.hq.5a": "box.available.soviet"})
    bench.do("soviet", "place", "su.hq.5a", "1002")
    assert bench.hexes("su.hq.5a") == ("1002",)
    assert bench.state.steps("su.hq.5a") == 2
    assert bench.state.field.in_enemy_zone("axis", bench.state.data.hex("1003"))


def test_13_0_an_hq_attacks_and_defends() -> None:
    """13.0, 2.22-4 A panzer army HQ (3) and a panzer division (8) attack an army HQ (2) with a
    rifle division (3): 11 to 5, 2-1."""
    found = odds_of(("ax.hq.2pza", PANZERS[0]), (HQ22, RIFLES3[0]))
    assert (found.attack, found.defence, column_of(found)) == (11, 5, "2-1")


def test_13_0_an_hq_driven_through_a_zone() -> None:
    """13.0, 10.6(4) An HQ loses a step in the EZOC hex and none in the clear one behind it."""
    lane = {k: v for k, v in LANE.items() if k != "1110"}
    bench = battle(
        {PANZERS[0]: "1011", INFANTRY[0]: "1110", HQ22: "1010"}, PANZERS[:1], 5, rows=lane
    )  # 8 to 2: 4-1, RR
    assert bench.happened(Retreated) == [Retreated(HQ22, ("1010", "1009", "1008"))]
    assert bench.happened(Reduced) == [Reduced(HQ22, "zone")]


def test_13_0_2_R14_an_absent_hq_spends_its_chit() -> None:
    """13.0(2), R-14 The chit of an HQ that is not on the map is spent without effect (example
    69)."""
    bench = table(("chit.ax.2a",), ("chit.su.5a",), drawn=("chit.supply",))
    draw(bench, "chit.su.5a")
    go(bench)
    bench.do("axis", "pass")
    assert ChitVoid("chit.su.5a") in bench.events
    assert ChitSpent("chit.su.5a") in bench.events


def test_13_0_2_R36_an_evacuated_hq_leaves_its_chit_void() -> None:
    """13.0(2), R-36, R-15 With HQ 2PzA lifted off the map its chit is void and Guderian cannot
    interrupt."""
    bench = table(("chit.ax.2pza", GUDERIAN), ("chit.su.20a",), kept=True)
    bench.stand({"su.hq.20a": "1505"}, turn=3, boxes={HQ2: "box.evacuated.axis"})
    bench.change(evacuated={HQ2: 3})
    draw(bench, "chit.ax.2pza")
    bench.draws(0, 0)
    go(bench)
    assert "prompt.typhoon.interrupt" not in bench.asked().values()
    assert not bench.happened(Activated) or bench.happened(Activated)[0].side == "soviet"
    assert not bench.happened(Interrupted)


def test_13_0_2_an_hq_placed_this_turn_answers_its_chit() -> None:
    """R-14, 13.0(2), 13.0(4), 12.2 5A comes in by SOVIET REINF; its chit, drawn afterwards in the
    same turn, activates it."""
    rails = (column(10, 1, 8), "0120 0220")
    bench = Bench(
        board_t(sources=(source("axis", "0120"), source("soviet", "1001")), rails=rails), seed=3
    )
    bench.stand({}, turn=3, boxes={"su.hq.5a": "box.available.soviet"})
    bench.chits((), ("chit.su.5a", "chit.su.reinf"))
    draw(bench, "chit.su.reinf")
    go(bench)
    draw(bench, "chit.su.5a")
    bench.do("soviet", "place", "su.hq.5a", "1004")
    assert [event.hq for event in bench.happened(Activated)] == ["su.hq.5a"]
