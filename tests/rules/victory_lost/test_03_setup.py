"""Chapter 3: the set-up."""

from tests.rules.victory_lost.bench import Bench, real_pack
from tests.rules.victory_lost.commands import STAVKA
from warledger.engine.games.chitpull.setup import to_set_up
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost.command import available
from warledger.engine.games.victory_lost.setup import SetUp


def test_3_0_the_axis_sets_up_first_freely_within_its_colours() -> None:
    """3.0: R-03: the Axis first, each counter in the hexes of its colour, HQs also in theirs;
    stacking binds (5.0.4)."""
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
    """3.0: "historical" puts the whole side where the pack has it, then the side may be ready; the
    Soviets follow, then their five."""
    bench = Bench(real_pack())
    bench.do("axis", "place", "ax.ro.5", "5122")
    bench.do("axis", "historical")
    assert all(
        bench.state.at(name) == i
        for name, i in bench.state.data.historical.items()
        if name.startswith("ax.")
    )
    bench.do("axis", "ready")
    bench.do("soviet", "historical")
    bench.do("soviet", "ready")

    assert bench.asked() == {"soviet": "prompt.victory_lost.five"}


def test_3_0_the_historical_set_up_by_option() -> None:
    """3.0: With both options nothing is asked before the first chit selection; the score is 25 to 0
    and all are in supply."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical")

    assert bench.asked() == {
        "axis": "prompt.victory_lost.chits",
        "soviet": "prompt.victory_lost.chits",
    }
    assert bench.state.turn == 1
    assert dict(bench.state.score) == {"axis": 25, "soviet": 0}
    assert all(not counter.supply for counter in bench.state.counters.values())
    assert len(bench.state.control) == 5
    assert bench.state.cup.five is not None
    assert bench.state.cup.five.value == (
        "chit.su.1gda",
        "chit.su.2gda",
        "chit.su.3gda",
        "chit.su.5tka",
        "chit.su.popov",
    )


def test_3_0_every_colour_has_room() -> None:
    """3.0: Every counter that is set up has a free hex of its colour on the empty map."""
    bench = Bench(real_pack())

    for side in ("axis", "soviet"):
        for name in to_set_up(bench.state.data, side):
            assert bench.state.at(name) == OFF_MAP
            assert SetUp(0).free_hexes(bench.state, name), name


def test_3_0_R03_the_order_of_set_up_is_an_option() -> None:
    """R-03: The Soviets may be made to set up first."""
    bench = Bench(real_pack(), set_up_first="soviet")

    assert bench.asked() == {"soviet": "prompt.victory_lost.set_up"}


def test_3_0_only_the_five_can_be_chosen() -> None:
    """3.0 (E45): A chit outside the five can never be selected; STAVKA is always among them
    (7.1.2)."""
    bench = Bench(real_pack(), set_up="historical")
    bench.do(
        "soviet",
        "choose",
        "chit.su.1gda",
        "chit.su.2gda",
        "chit.su.3gda",
        "chit.su.5tka",
        "chit.su.popov",
    )

    assert bench.refused("soviet", "choose", "chit.su.5sha").rule == "7.1.1"
    assert (
        bench.refused(
            "soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.5tka"
        ).rule
        == "7.1.2"
    )
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")


def test_3_0_the_five_may_hold_chits_of_hqs_to_come_but_never_stavka() -> None:
    """3.0: 28A, 3TkA and Popov may be among the five, in any order; STAVKA is added by rule and is
    not one of them; four are too few, six too many, none goes in twice."""
    bench = Bench(real_pack(), set_up="historical")
    five = ("chit.su.1gda", "chit.su.28a", "chit.su.3tka", "chit.su.5tka", "chit.su.popov")
    assert bench.refused("soviet", "choose", *five[:4]).key == "refusal.chosen_too_few"
    assert bench.refused("soviet", "choose", *five[:4], STAVKA).rule == "3.0"
    twice = bench.refused("soviet", "choose", *five[:2], five[0])
    assert twice.key == "refusal.victory_lost.chit_twice"
    assert bench.options("soviet", "choose", five[4]) == tuple(
        chit for chit in bench.options("soviet", "choose") if chit != five[4]
    )
    bench.do("soviet", "choose", *reversed(five))

    assert available(bench.state, "soviet") == (*five, STAVKA)


def test_3_0_5_0_stacking_binds_in_the_set_up() -> None:
    """3.0, 5.0.4: Two Italians fill a hex of their colour: a German of that colour is refused there
    by 5.0.1, a Romanian by his colour."""
    bench = Bench(real_pack())
    group = next(group for group in bench.state.data.groups if group.id == "it8a")
    hex_id = bench.state.data.name(group.hexes[0])
    bench.do("axis", "place", "ax.it.cos", hex_id)
    bench.do("axis", "place", "ax.it.rav", hex_id)

    assert bench.refused("axis", "place", "ax.inf.298", hex_id).rule == "5.0.1"
    assert (
        bench.refused("axis", "place", "ax.ro.5", hex_id).key == "refusal.victory_lost.wrong_colour"
    )
    bench.do("axis", "place", "ax.hq.it8a", hex_id)
    assert bench.refused("axis", "ready").rule == "3.0"
