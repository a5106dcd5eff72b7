"""7.1, 7.2 Chit selection, the cup, Manstein and STAVKA."""

import pytest

from tests.rules.victory_lost.battles import GERMAN
from tests.rules.victory_lost.bench import Bench
from tests.rules.victory_lost.commands import MANSTEINS, STAVKA, started, with_cup
from warledger.engine.games.victory_lost.command import contents, needed
from warledger.engine.games.victory_lost.reach import movable
from warledger.engine.games.victory_lost.state import changed
from warledger.engine.kernel.types import Refusal
from warledger.protocol.chance.seal import Secret

# --- 7.0 command ----------------------------------------------------------------------------------


def test_7_0_only_what_is_activated_moves() -> None:
    """7.0: R-15: an HQ moves only if it was activated itself; no unit moves that was not."""
    bench = Bench()
    bench.stand({"su.rifle.1": "1010", "su.hq.1gda": "1012", "su.rifle.153": "1212"})
    bench.activate("soviet", "su.rifle.1")
    assert bench.state.activation is not None

    assert tuple(movable(bench.state, bench.state.activation)) == ("su.rifle.1",)
    assert bench.refused("soviet", "move", "su.hq.1gda").rule == "7.3.2"
    assert bench.refused("soviet", "move", "ax.inf.62").rule == "8.0"


# --- 7.1 chit selection ---------------------------------------------------------------------------


def test_7_1_1_used_chits_are_available_again() -> None:
    """7.1.1: Chits drawn on a turn may be chosen on the next: Unused and Used boxes alike."""
    bench = started()
    cup = bench.state.cup
    bench.state = changed(
        bench.state,
        turn=2,
        cup=type(cup)(five=cup.five, stock=cup.stock, drawn=("chit.ax.4pza", "chit.su.1gda")),
    )
    bench.jump("command_phase", "chit_selection")

    assert "chit.ax.4pza" in bench.options("axis", "choose")
    assert "chit.su.1gda" in bench.options("soviet", "choose")


def test_7_1_2_how_many_chits() -> None:
    """7.1.2 (E44): With Axis Com 3 the Axis puts exactly three chits in the cup, the Soviets STAVKA
    and three others: seven in all."""
    bench = started()
    bench.state = changed(bench.state, turn=2)
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt", "chit.ax.r3a")
    assert bench.asked() == {"soviet": "prompt.victory_lost.chits"}
    bench.draws(6)
    events = bench.do(
        "soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka"
    )

    assert len(contents(bench.state)) + 1 == 7
    assert [event.tag for event in events][:2] == ["chosen", "drawn"]


@pytest.mark.parametrize("known", ["chit.su.1gda", "chit.su.popov"])
def test_7_1_2_what_the_other_side_is_offered_does_not_depend_on_the_cup(known: str) -> None:
    """7.1.2: The Axis is offered the same whatever the Soviets have chosen."""
    bench = started()
    seen = []
    state = bench.state
    for first in (known, "chit.su.5tka"):
        chosen = {
            "axis": None,
            "soviet": Secret(
                (first, "chit.su.2gda", "chit.su.3gda", "chit.su.stavka"), ("soviet",)
            ),
        }
        bench.state = changed(
            state, cup=type(state.cup)(five=state.cup.five, stock=state.cup.stock, chosen=chosen)
        )
        seen.append(
            [
                bench.choices("axis"),
                bench.choices("axis", "choose"),
                bench.choices("axis", "choose", "chit.ax.4pza"),
            ]
        )

    assert seen[0] == seen[1]


def test_7_1_2_R08_three_of_the_five_are_gone_with_their_hqs() -> None:
    """R-08, 11.3: STAVKA and two of the five are left: the Soviets choose three chits, all they
    have."""
    bench = started()
    removed = ("chit.su.1gda", "chit.su.2gda", "chit.su.5tka")
    cup = bench.state.cup
    bench.state = changed(
        bench.state, cup=type(cup)(five=cup.five, stock=cup.stock, removed=removed)
    )
    bench.jump("command_phase", "chit_selection")

    assert bench.refused("soviet", "choose", "chit.su.1gda").rule == "7.1.1"
    assert bench.refused("soviet", "choose", "chit.su.3gda", STAVKA).rule == "7.1.2"
    bench.do("soviet", "choose", "chit.su.3gda", "chit.su.popov", STAVKA)
    assert bench.asked() == {"axis": "prompt.victory_lost.chits"}


@pytest.mark.parametrize(
    ("turn", "axis"), [(1, 2), (2, 3), (3, 3), (4, 4), (5, 4), (6, 5), (7, 5), (8, 4), (9, 4)]
)
def test_7_1_2_axis_com_by_turn(turn: int, axis: int) -> None:
    """7.1.2: The number printed on the turn track, turn by turn; the Soviets always four."""
    bench = started()

    assert (needed(bench.state, "axis", turn), needed(bench.state, "soviet", turn)) == (axis, 4)


# --- 7.2 executing command ------------------------------------------------------------------------


def test_7_2_2_R08_fewer_than_required_is_not_a_whole_command() -> None:
    """R-08: Choosing fewer chits than required is refused."""
    bench = started()

    assert bench.refused("axis", "choose", "chit.ax.4pza").key == "refusal.chosen_too_few"
    twice = bench.refused("axis", "choose", "chit.ax.4pza", "chit.ax.4pza")
    assert (twice.rule, twice.key) == ("7.1.2", "refusal.victory_lost.chit_twice")


def test_7_1_2_chits_are_a_set() -> None:
    """7.1.2 They are taken in any order and kept in one; without STAVKA the last place is for it,
    and the refusal says so by that clause."""
    bench = started()
    others = [one for one in bench.options("soviet", "choose") if one != "chit.su.stavka"]
    told = bench.preview("soviet", "choose", others[1])
    assert not isinstance(told, Refusal)
    assert [one.key for one in told] == ["preview.chosen", "preview.victory_lost.chit_must"]
    n = dict(told[0].args)["n"]
    assert dict(told[0].args)["k"] == 1
    assert bench.options("soviet", "choose", *others[: n - 1]) == ("chit.su.stavka",)
    refused = bench.refused("soviet", "choose", *others[:n])
    assert (refused.rule, refused.key) == ("7.1.2", "refusal.victory_lost.chit_must")
    bench.do("soviet", "choose", "chit.su.stavka", *reversed(others[: n - 1]))
    chosen = bench.state.cup.chosen["soviet"].value
    assert chosen == tuple(sorted(("chit.su.stavka", *others[: n - 1])))


def test_7_2_2_R08_a_side_with_too_few_chits_uses_all() -> None:
    """R-08: An Axis with no more chits than it needs is not asked: everybody can see that it has no
    choice."""
    bench = started()
    cup = bench.state.cup
    bench.state = changed(
        bench.state, cup=type(cup)(five=cup.five, stock={**cup.stock, "axis": ("chit.ax.4pza",)})
    )

    bench.jump("command_phase", "chit_selection")
    assert bench.asked() == {"soviet": "prompt.victory_lost.chits"}
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    assert bench.state.cup.chosen["axis"] is not None
    assert bench.state.cup.chosen["axis"].value == ("chit.ax.4pza",)


def test_7_2_2_stavka_activates_every_hq_together() -> None:
    """7.2.2: R-46: one joint activation; a unit in several ranges is activated once."""
    bench = Bench()
    bench.stand(
        {
            "su.hq.1gda": "1010",
            "su.hq.6a": "1210",
            "su.rifle.1": "1111",
            "su.rifle.153": "1415",
            "su.rifle.195": "0205",
        }
    )
    with_cup(bench, (), ("chit.su.stavka",))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")

    assert bench.state.activation is not None
    assert bench.state.activation.hqs == ("su.hq.1gda", "su.hq.6a")
    assert bench.state.activation.units == ("su.rifle.1",)


def test_7_2_2_stavka_brings_28th_army() -> None:
    """11.2.3 (E41): 7.2.2: The HQ in the box and its units are activated and must enter."""
    bench = Bench()
    box = dict.fromkeys(("su.hq.28a", "su.rifle.34g", "su.cav.5g"), "box.28a")
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1010"}, turn=2, boxes=box)
    with_cup(bench, (), ("chit.su.stavka",))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")

    assert bench.state.activation is not None
    assert bench.state.activation.box == "box.28a"
    assert set(bench.state.activation.units) == {"su.rifle.1", "su.rifle.34g", "su.cav.5g"}
    assert bench.options("soviet") == ("move",)
    assert bench.refused("soviet", "done").rule == "11.2.2"


def test_7_2_2_R08_a_chit_without_its_hq_is_used_up() -> None:
    """7.0, 4.1.2, R-08: A chit whose HQ is off the map does nothing; the next one is drawn."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1011"})
    with_cup(bench, (), ("chit.su.1gda", "chit.su.popov"))
    bench.draws(1, 0)
    events = bench.jump("set_up_first", "command_phase", "executions")

    assert [event.tag for event in events] == ["drawn", "used", "drawn", "activated"]


def test_7_2_2_manstein_is_declined_once() -> None:
    """7.2.2 (E42): R-06: after declining, a redrawn Manstein (the other one too) must be executed;
    the first is still in the cup."""
    bench = Bench()
    bench.stand(
        {"ax.hq.4pza": "1010", "ax.inf.62": "1010", "su.hq.5tka": "1310", "su.rifle.1": "1310"}
    )
    with_cup(bench, MANSTEINS, ("chit.su.5tka",))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    assert set(bench.options("axis")) == {"activate", "decline"}
    bench.draws(1)
    bench.do("axis", "decline")

    assert bench.state.cup.in_hand == "chit.ax.manstein.2"
    assert bench.options("axis") == ("activate",)
    assert bench.refused("axis", "decline").rule == "7.2.2"
    assert contents(bench.state) == ("chit.ax.manstein.1", "chit.su.5tka")
    bench.do("axis", "activate", "ax.hq.4pza")
    assert bench.state.activation is not None
    assert bench.state.activation.hqs == ("ax.hq.4pza",)


def test_7_2_2_R06_after_another_chit_manstein_may_be_declined_again() -> None:
    """R-06: The redraw brings another chit, which is executed; a later Manstein may be declined
    again."""
    bench = Bench()
    bench.stand(
        {"ax.hq.4pza": "1010", "ax.inf.62": "1010", "su.hq.5tka": "1310", "su.rifle.1": "1310"}
    )
    with_cup(bench, MANSTEINS[:1], ("chit.su.5tka",))
    bench.draws(0, 1)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("axis", "decline")
    assert bench.state.cup.in_hand == "chit.su.5tka"
    bench.draws(0)
    bench.do("soviet", "done")

    assert set(bench.options("axis")) == {"activate", "decline"}


def test_7_2_2_stavka_on_turn_1_leaves_the_28th_army_out() -> None:
    """7.2.2, 11.2.1: The 28th Army comes into its box at the end of turn 1: STAVKA drawn on turn 1
    does not activate it."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1010"}, turn=1)
    with_cup(bench, (), (STAVKA,))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")

    assert bench.state.activation is not None
    assert (bench.state.activation.hqs, bench.state.activation.box) == (("su.hq.1gda",), "")
    assert bench.options("soviet") == ("move", "done")


def test_7_2_2_R08_the_chit_of_28a_does_nothing_before_it_is_in_its_box() -> None:
    """R-08: The chit of an HQ that has not come yet is drawn, does nothing, and lies with the used
    ones."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1010"}, turn=1)
    with_cup(bench, (), ("chit.su.1gda", "chit.su.28a"))
    bench.draws(1, 0)
    events = bench.jump("set_up_first", "command_phase", "executions")

    assert [event.tag for event in events] == ["drawn", "used", "drawn", "activated"]
    assert contents(bench.state) == ()


def test_7_2_2_R06_the_same_manstein_drawn_again_and_then_the_other() -> None:
    """R-06: Declined, the same chit comes back and must be executed; after that the other one may
    be declined again."""
    bench = Bench()
    bench.stand(
        {"ax.hq.4pza": "1010", "ax.panzer.6": "1011", "su.hq.5tka": "1510", "su.rifle.1": "1510"},
        turn=5,
    )
    with_cup(bench, MANSTEINS, ("chit.su.5tka",))
    bench.draws(0, 0)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("axis", "decline")
    assert bench.state.cup.in_hand == MANSTEINS[0]
    assert bench.options("axis") == ("activate",)
    bench.do("axis", "activate", "ax.hq.4pza")
    bench.draws(0)
    bench.do("axis", "done")

    assert bench.state.cup.in_hand == MANSTEINS[1]
    assert set(bench.options("axis")) == {"activate", "decline"}


def test_7_2_2_R08_R06_manstein_alone_in_the_cup_is_drawn_again_with_certainty() -> None:
    """R-06: The only chit left is Manstein: declined, it comes back at once and must be
    executed."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", GERMAN: "1011"}, turn=3)
    bench.change(
        cup=type(bench.state.cup)(
            five=bench.state.cup.five,
            stock={"axis": ("chit.ax.manstein.1",), "soviet": ("chit.su.stavka",)},
            chosen={
                "axis": Secret(("chit.ax.manstein.1",), ("axis",), (1, (6, 0, 2))),
                "soviet": Secret((), ("soviet",), (1, (6, 1, 2))),
            },
        )
    )
    bench.draws(0)
    bench.jump("set_up_first", "execution", "command_step")
    assert set(bench.options("axis")) == {"activate", "decline"}
    bench.draws(0)
    bench.do("axis", "decline")
    assert bench.options("axis") == ("activate",)
    assert bench.refused("axis", "decline").rule == "7.2.2"
