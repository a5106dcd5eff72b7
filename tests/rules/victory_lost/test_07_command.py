"""Chapters 4 and 7: chit selection, the cup, Manstein, STAVKA, command range, and the special combat of turn 1."""

import pytest

from engine.games.victory_lost.command import contents, in_range
from engine.games.victory_lost.state import State, changed
from protocol.seal import Secret
from tests.rules.victory_lost.bench import Bench, board_t, real_pack


def started(**options: object) -> Bench:
    """The real game at its first chit selection."""
    return Bench(real_pack(), set_up="historical", soviet_five="historical", **options)


def with_cup(bench: Bench, axis: tuple[str, ...], soviet: tuple[str, ...]) -> None:
    """Both sides have put these chits in the cup."""
    state: State = bench.state
    cup = type(state.cup)(
        five=state.cup.five,
        stock={**state.cup.stock, "axis": tuple(sorted({*state.cup.stock["axis"], *axis}))},
        chosen={"axis": Secret(axis, ("axis",), (1, (6, 0, 1))), "soviet": Secret(soviet, ("soviet",), (1, (6, 1, 1)))},
    )
    bench.state = changed(state, cup=cup)


def test_E44_7_1_2_how_many_chits() -> None:
    """7.1.2: With Axis Com 3 the Axis puts exactly three chits in the cup, the Soviets STAVKA and three others: seven in all."""
    bench = started()
    bench.state = changed(bench.state, turn=2)
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt", "chit.ax.r3a")
    assert bench.asked() == {"soviet": "prompt.victory_lost.chits"}
    bench.draws(6)
    events = bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")

    assert len(contents(bench.state)) + 1 == 7
    assert [event.tag for event in events][:2] == ["chosen", "drawn"]


def test_R08_fewer_than_required_is_not_a_whole_command() -> None:
    """R-08: Choosing fewer chits than required is refused."""
    bench = started()

    assert bench.refused("axis", "choose", "chit.ax.4pza").key == "refusal.incomplete"
    assert bench.refused("axis", "choose", "chit.ax.hollidt", "chit.ax.4pza").rule == "7.1.2"


def test_R08_a_side_with_too_few_chits_uses_all() -> None:
    """R-08: An Axis with no more chits than it needs is not asked: everybody can see that it has no choice."""
    bench = started()
    cup = bench.state.cup
    bench.state = changed(bench.state, cup=type(cup)(five=cup.five, stock={**cup.stock, "axis": ("chit.ax.4pza",)}))

    bench.jump("command_phase", "chit_selection")
    assert bench.asked() == {"soviet": "prompt.victory_lost.chits"}
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    assert bench.state.cup.chosen["axis"] is not None
    assert bench.state.cup.chosen["axis"].value == ("chit.ax.4pza",)


def test_4_1_1_selection_is_sealed() -> None:
    """R-04: 4.1.1: Neither picks nor chits stand in the public record; the number does."""
    bench = started()
    assert bench.choices("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt").sealed
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")

    assert b"chit.ax.hollidt" not in bench.records[-1].data
    assert bench.board.counts["cup"] == 2


def test_E46_4_1_turn_1_special_combat() -> None:
    """R-05: 4.1: The Soviet player activates any HQ on the map for a Combat Step: no movement, then the first chit is drawn."""
    bench = started()
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    assert bench.asked() == {"soviet": "prompt.victory_lost.special"}
    assert bench.board.phase.key == "phase.victory_lost.special"
    assert "su.hq.6a" in bench.options("soviet", "activate")
    assert "su.hq.28a" not in bench.options("soviet", "activate")

    bench.draws(0)
    events = bench.do("soviet", "activate", "su.hq.6a")
    assert events[0].units == in_range(bench.state, "su.hq.6a")
    assert all(event.tag != "moved" for event in events)


def test_4_1_special_combat_is_voluntary_and_on_turn_1_only() -> None:
    """4.1: The Soviet player may pass; on turn 2 nobody is asked."""
    bench = started()
    with_cup(bench, ("chit.ax.4pza",), ("chit.su.stavka",))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "special_combat")
    bench.do("soviet", "pass")
    assert bench.state.cup.in_hand == "chit.ax.4pza"

    bench.state = changed(bench.state, turn=2, activation=None)
    with_cup(bench, ("chit.ax.4pza",), ("chit.su.stavka",))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "special_combat")
    assert bench.state.cup.in_hand == "chit.ax.4pza"


def test_E36_7_3_3_range() -> None:
    """7.3.3: Range 4 reaches units 4 hexes away and no further."""
    bench = Bench()
    bench.stand({"su.hq.6a": "1010", "su.rifle.1": "1014", "su.rifle.153": "1410", "su.rifle.195": "1406", "su.rifle.127": "1508"})

    assert in_range(bench.state, "su.hq.6a") == ("su.rifle.1", "su.rifle.153")


def test_E37_7_3_4_range_ends_beyond_a_major_river() -> None:
    """7.3.4: R-09: the far bank is in range, the hex behind it is not; a bridge makes no difference."""
    line = " ".join(f"12{row:02}-13{row:02} 12{row:02}-13{row + 1:02}" for row in range(1, 20)) + " 1220-1320"
    for bridges in ("", line):
        bench = Bench(board_t(rivers={"major": line}, bridges=bridges))
        bench.stand({"su.hq.6a": "1010", "su.rifle.1": "1311", "su.rifle.153": "1411"})

        assert in_range(bench.state, "su.hq.6a") == ("su.rifle.1",)


def test_E38_7_3_2_enemies_do_not_block_range() -> None:
    """7.3.2: Enemy units and zones on the way do not matter; units stacked with the HQ are in range."""
    bench = Bench()
    enemies = {"ax.inf.62": "1110", "ax.inf.294": "1111", "ax.inf.298": "1109"}
    bench.stand({"su.hq.6a": "1010", "su.rifle.1": "1310", "su.rifle.153": "1010", **enemies})

    assert in_range(bench.state, "su.hq.6a") == ("su.rifle.1", "su.rifle.153")


def test_7_3_5_minor_hqs_command_their_own_and_germans() -> None:
    """7.3.5: A Romanian HQ activates Romanians and Germans; a German HQ all; HQs activate no HQs."""
    bench = Bench()
    bench.stand({"ax.hq.r3a": "1010", "ax.hq.4pza": "1011", "ax.ro.5": "1009", "ax.it.cos": "1110", "ax.inf.62": "0910"})

    assert in_range(bench.state, "ax.hq.r3a") == ("ax.inf.62", "ax.ro.5")
    assert in_range(bench.state, "ax.hq.4pza") == ("ax.inf.62", "ax.it.cos", "ax.ro.5")


def test_E40_7_3_2_a_unit_may_be_activated_twice() -> None:
    """7.2.1, 7.3.1: 7.3.2: A unit in range of 1GdA is activated by its chit, and again by STAVKA, and may move both times."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1011"})
    with_cup(bench, (), ("chit.su.1gda", "chit.su.stavka"))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("soviet", "move", "su.rifle.1", "1012")
    bench.draws(0)
    bench.do("soviet", "done")
    assert bench.state.cup.in_hand == "chit.su.stavka"
    bench.do("soviet", "move", "su.rifle.1", "1013")

    assert bench.hexes("su.rifle.1") == ("1013",)


def test_7_2_2_stavka_activates_every_hq_together() -> None:
    """7.2.2: R-46: one joint activation; a unit in several ranges is activated once."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1010", "su.hq.6a": "1210", "su.rifle.1": "1111", "su.rifle.153": "1415", "su.rifle.195": "0205"})
    with_cup(bench, (), ("chit.su.stavka",))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")

    assert bench.state.activation is not None
    assert bench.state.activation.hqs == ("su.hq.1gda", "su.hq.6a")
    assert bench.state.activation.units == ("su.rifle.1",)


def test_E41_7_2_2_stavka_brings_28th_army() -> None:
    """11.2.3: 7.2.2: The HQ in the box and its units are activated and must enter."""
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


def test_R08_a_chit_without_its_hq_is_used_up() -> None:
    """R-08: A chit whose HQ is off the map does nothing; the next one is drawn."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1011"})
    with_cup(bench, (), ("chit.su.1gda", "chit.su.popov"))
    bench.draws(1, 0)
    events = bench.jump("set_up_first", "command_phase", "executions")

    assert [event.tag for event in events] == ["drawn", "used", "drawn", "activated"]


MANSTEINS = ("chit.ax.manstein.1", "chit.ax.manstein.2")


def test_E42_7_2_2_manstein_is_declined_once() -> None:
    """7.2.2: R-06: after declining, a redrawn Manstein (the other one too) must be executed; the first is still in the cup."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "ax.inf.62": "1010", "su.hq.5tka": "1310", "su.rifle.1": "1310"})
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


def test_R06_after_another_chit_manstein_may_be_declined_again() -> None:
    """R-06: The redraw brings another chit, which is executed; a later Manstein may be declined again."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "ax.inf.62": "1010", "su.hq.5tka": "1310", "su.rifle.1": "1310"})
    with_cup(bench, MANSTEINS[:1], ("chit.su.5tka",))
    bench.draws(0, 1)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("axis", "decline")
    assert bench.state.cup.in_hand == "chit.su.5tka"
    bench.draws(0)
    bench.do("soviet", "done")

    assert set(bench.options("axis")) == {"activate", "decline"}


def test_R07_manstein_activates_only_an_hq_on_the_map() -> None:
    """R-07: Any Axis HQ on the map, not 1st Panzer Army in its box; with none on the map and nothing to decline the chit is used up."""
    bench = Bench()
    bench.stand({"ax.hq.r3a": "1010", "ax.ro.5": "1010"}, boxes={"ax.hq.1pza": "box.1pza"})
    with_cup(bench, MANSTEINS[:1], ())
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    assert bench.options("axis", "activate") == ("ax.hq.r3a",)
    assert bench.refused("axis", "activate", "ax.hq.1pza").rule == "7.2.2"

    bench.stand({}, turn=2)
    with_cup(bench, MANSTEINS[:1], ())
    bench.draws(0, 0)
    bench.jump("set_up_first", "command_phase", "executions")
    assert set(bench.options("axis")) == {"pass", "decline"}
    events = bench.do("axis", "decline")
    assert [event.tag for event in events][:3] == ["returned", "drawn", "used"]


@pytest.mark.parametrize("known", ["chit.su.1gda", "chit.su.popov"])
def test_7_1_2_what_the_other_side_is_offered_does_not_depend_on_the_cup(known: str) -> None:
    """7.1.2: The Axis is offered the same whatever the Soviets have chosen."""
    bench = started()
    seen = []
    state = bench.state
    for first in (known, "chit.su.5tka"):
        chosen = {"axis": None, "soviet": Secret((first, "chit.su.2gda", "chit.su.3gda", "chit.su.stavka"), ("soviet",))}
        bench.state = changed(state, cup=type(state.cup)(five=state.cup.five, stock=state.cup.stock, chosen=chosen))
        seen.append([bench.choices("axis"), bench.choices("axis", "choose"), bench.choices("axis", "choose", "chit.ax.4pza")])

    assert seen[0] == seen[1]
