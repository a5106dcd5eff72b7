"""6.0 Command selection."""

from tests.rules.typhoon.bench import Bench, board_t, real_pack
from tests.rules.typhoon.commands import GUDERIAN, HQ2, selecting
from warledger.engine.games.typhoon.command import (
    ChitDrawn,
    ChitsChosen,
    available,
    contents,
    needed,
)
from warledger.protocol.chance.seal import Secret
from warledger.protocol.log.records import EFFECTS

NINE = (
    *("chit.ax.2a", "chit.ax.2pza", "chit.ax.3pza.1", "chit.ax.3pza.2"),
    *("chit.ax.4a", "chit.ax.4pza.1", "chit.ax.4pza.2", "chit.ax.9a", GUDERIAN),
)


# --- 6.1 ------------------------------------------------------------------------------------------


def test_6_1_1_secret_selection() -> None:
    """6.1(1), 6.1(2), 6.1(3) Both choose at once; what each chose is sealed from the other and from
    everybody, how many is not."""
    bench = selecting()
    assert set(bench.asked()) == {"axis", "soviet"}
    bench.do(
        "soviet",
        "choose",
        "chit.su.16a",
        "chit.su.19a",
        "chit.su.20a",
        "chit.su.22a",
        "chit.su.reinf",
    )
    (event,) = bench.happened(ChitsChosen)
    assert isinstance(event.chits, Secret) and event.chits.readers == ("soviet",)
    record = bench.records[-1]
    assert b"chit.su.16a" not in record.data
    assert b"chit.su.16a" not in record.body[EFFECTS]


# --- 6.2 choice rules -----------------------------------------------------------------------------


def test_6_2_R47_units_are_open() -> None:
    """R-47 Stacks and strengths are on the public board."""
    bench = Bench(real_pack(), set_up="preset")

    assert bench.board.pieces["ax.panzer.1"].place == "0411"
    assert bench.board.pieces["ax.panzer.1"].face == "full"


def test_6_2_R14_on_turn_1_the_soviets_choose_none() -> None:
    """6.2, R-14 On turn 1 the Soviets choose none, the Axis 9; SUPPLY is added: 10 chits, 9 in the
    cup when Guderian is kept (example 72)."""
    for where, n in (("cup", 10), ("hand", 9)):
        bench = Bench(real_pack(), set_up="preset", seed=1)
        assert set(bench.asked()) == {"axis"}
        bench.do("axis", "choose", *sorted(NINE), where)
        chosen = bench.happened(ChitsChosen)
        assert [(event.side, event.count) for event in chosen] == [("axis", 9), ("soviet", 0)]
        assert bench.board.counts["unseen"] == 9  # ten, less the one that is drawn
        assert len(contents(bench.state)) == n - 1


def test_6_2_exactly_so_many() -> None:
    """6.2 Exactly the number of the turn track, from one's own chits, each once."""
    bench = selecting()
    assert bench.refused("soviet", "choose", "chit.ax.2a").rule == "6.2"
    assert bench.refused("soviet", "choose", "chit.su.16a", "chit.su.16a").rule == "6.2"
    assert bench.refused("soviet", "choose", "chit.su.16a").key == "refusal.chosen_too_few"
    assert bench.refused("axis", "choose", "chit.supply").rule == "6.2"
    assert bench.refused("axis", "choose", "chit.ax.okh").rule == "6.2"  # optional, 15.1


def test_6_2_numbers_of_the_track() -> None:
    """6.2, R-14 The number is that of the turn; turn 1 gives the Soviets none, and every chit of an
    absent HQ may be chosen."""
    bench = Bench(real_pack())
    for turn, axis, soviet in ((1, 9, 0), (2, 8, 5), (8, 5, 9), (12, 5, 7)):
        bench.stand({}, turn=turn)
        assert (needed(bench.state, "axis"), needed(bench.state, "soviet")) == (axis, soviet)
    assert {"chit.su.5a", "chit.su.10a"} <= set(available(bench.state, "soviet"))


def test_6_2_R14_the_soviets_choose_nothing_on_turn_1() -> None:
    """R-14 They are not asked, and an empty choice is recorded for them."""
    bench = Bench(real_pack(), set_up="preset", seed=3)
    assert set(bench.asked()) == {"axis"}
    picks = available(bench.state, "axis")[:9]
    bench.do("axis", "choose", *picks, *(("cup",) if GUDERIAN in picks else ()))
    assert [(event.side, event.count) for event in bench.happened(ChitsChosen)] == [
        ("axis", 9),
        ("soviet", 0),
    ]


def test_6_2_turn_2_with_both_chit_options() -> None:
    """6.2, 15.1, 15.3 With RESERVE in play and six armies barred the Soviets choose five of the
    other fourteen, RESERVE among them."""
    bench = Bench(board_t(), chits_barred=True, reserve_okh=True)
    bench.stand({HQ2: "0305"}, turn=2)
    bench.jump("turn", "command_selection")
    for army in (31, 49, 32, 33, 5, 10):
        assert bench.refused("soviet", "choose", f"chit.su.{army}a").rule == "15.3"
    bench.do(
        "soviet",
        "choose",
        "chit.su.13a",
        "chit.su.16a",
        "chit.su.1s",
        "chit.su.reinf",
        "chit.su.reserve",
    )
    assert bench.happened(ChitsChosen)[0].count == 5


def test_6_2_3_supply_cannot_be_chosen_nor_left_out() -> None:
    """6.2(3) SUPPLY is nobody's to choose and goes in besides: five and five chosen make a cup of
    eleven."""
    bench = Bench(board_t(), seed=2)
    bench.stand({HQ2: "0305"}, turn=3)
    bench.jump("turn", "command_selection")
    assert bench.refused("soviet", "choose", "chit.supply").rule == "6.2"
    bench.do(
        "soviet",
        "choose",
        "chit.su.13a",
        "chit.su.16a",
        "chit.su.19a",
        "chit.su.20a",
        "chit.su.22a",
    )
    bench.do(
        "axis",
        "choose",
        "chit.ax.2a",
        "chit.ax.3pza.1",
        "chit.ax.3pza.2",
        "chit.ax.4a",
        "chit.ax.9a",
    )
    assert len(bench.happened(ChitDrawn)) >= 1
    assert len(contents(bench.state)) + len(bench.state.cup.drawn) == 11


# --- 6.3 ------------------------------------------------------------------------------------------


def test_6_3_1_guderian_in_hand_counts() -> None:
    """6.3(1) Guderian, if chosen, may be kept in hand; he counts among the number. Who has not
    chosen him is not asked."""
    bench = selecting()
    five = ("chit.ax.2a", "chit.ax.2pza", "chit.ax.3pza.1", "chit.ax.9a")
    picks = sorted((*five, GUDERIAN))
    assert bench.options("axis", "choose", *picks) == ("cup", "hand")
    assert bench.options("axis", "choose", *sorted((*five, "chit.ax.4a"))) == ()
    bench.do("axis", "choose", *picks, "hand")
    assert bench.state.cup.kept is not None and bench.state.cup.kept.value is True
