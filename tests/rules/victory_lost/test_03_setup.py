"""Chapters 1 to 3: the pack as data, and the set-up."""

from engine.games.chitpull.setup import free_hexes, to_set_up
from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost.setup import DEPLOYMENT
from tests.rules.victory_lost.bench import Bench, real_pack


def test_1_2_components() -> None:
    """1.2: The pack holds 156 units, 17 HQs and 20 chits on a map of 65 by 39 hexes."""
    data = Bench(real_pack()).state.data

    assert sum(not type_.hq for type_ in data.types.values()) == 156
    assert sum(type_.hq for type_ in data.types.values()) == 17
    assert len(data.chits) == 20
    assert len(data.board.grid) == 65 * 39


def test_3_0_the_axis_sets_up_first_freely_within_its_colours() -> None:
    """3.0: R-03: the Axis first, each counter in the hexes of its colour, HQs also in theirs; stacking binds (5.0.4)."""
    bench = Bench(real_pack())
    assert bench.asked() == {"axis": "prompt.victory_lost.set_up"}
    assert set(bench.options("axis")) == {"place", "historical"}

    bench.do("axis", "place", "ax.ro.5", "5018")
    bench.do("axis", "place", "ax.ro.7", "5018")
    assert bench.refused("axis", "place", "ax.ro.9", "5018").rule == "5.0.1"
    assert bench.refused("axis", "place", "ax.ro.9", "3102").rule == "3.0"
    assert bench.refused("axis", "place", "ax.inf.304").rule == "3.0"
    assert bench.refused("axis", "ready").rule == "3.0"
    assert "4919" in bench.options("axis", "place", "ax.hq.r3a")
    assert "4919" not in bench.options("axis", "place", "ax.ro.9")
    bench.do("axis", "place", "ax.ro.5", "5019")
    assert bench.hexes("ax.ro.5", "ax.ro.7") == ("5019", "5018")


def test_3_0_the_historical_set_up_by_command() -> None:
    """3.0: "historical" puts the whole side where the pack has it, then the side may be ready; the Soviets follow, then their five."""
    bench = Bench(real_pack())
    bench.do("axis", "place", "ax.ro.5", "5122")
    bench.do("axis", "historical")
    assert all(bench.state.at(name) == i for name, i in bench.state.data.historical.items() if name.startswith("ax."))
    bench.do("axis", "ready")
    bench.do("soviet", "historical")
    bench.do("soviet", "ready")

    assert bench.asked() == {"soviet": "prompt.victory_lost.five"}


def test_3_0_the_historical_set_up_by_option() -> None:
    """3.0: With both options nothing is asked before the first chit selection; the score is 25 to 0 and all are in supply."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical")

    assert bench.asked() == {"axis": "prompt.victory_lost.chits", "soviet": "prompt.victory_lost.chits"}
    assert bench.state.turn == 1
    assert dict(bench.state.score) == {"axis": 25, "soviet": 0}
    assert all(not counter.supply for counter in bench.state.counters.values())
    assert len(bench.state.control) == 5
    assert bench.state.cup.five is not None
    assert bench.state.cup.five.value == ("chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.5tka", "chit.su.popov")


def test_3_0_every_colour_has_room() -> None:
    """3.0: Every counter that is set up has a free hex of its colour on the empty map."""
    bench = Bench(real_pack())

    for side in ("axis", "soviet"):
        for name in to_set_up(bench.state.data, side):
            assert bench.state.at(name) == OFF_MAP
            assert free_hexes(DEPLOYMENT, bench.state, name), name


def test_R03_the_order_of_set_up_is_an_option() -> None:
    """R-03: The Soviets may be made to set up first."""
    bench = Bench(real_pack(), set_up_first="soviet")

    assert bench.asked() == {"soviet": "prompt.victory_lost.set_up"}


def test_E45_3_0_only_the_five_can_be_chosen() -> None:
    """3.0: A chit outside the five can never be selected; STAVKA is always among them (7.1.2)."""
    bench = Bench(real_pack(), set_up="historical")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.5tka", "chit.su.popov")

    assert bench.refused("soviet", "choose", "chit.su.5sha").rule == "7.1.1"
    assert bench.refused("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.5tka").rule == "7.1.2"
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
