"""Chapter 4: the order of a turn, and the special combat of turn 1."""

from itertools import pairwise

from tests.rules.victory_lost.battles import ITALIAN, TANK, first_offered
from tests.rules.victory_lost.bench import Bench, real_pack
from tests.rules.victory_lost.commands import started, with_cup
from warledger.engine.games.victory_lost.command import in_range
from warledger.engine.games.victory_lost.rules import SEQUENCES
from warledger.engine.games.victory_lost.state import changed

# --- 4.0 sequence of play -------------------------------------------------------------------------


def test_4_0_the_sequence_of_play() -> None:
    """4.0, 4.1, 4.1.2, 4.2, 4.3: the phases and their steps follow each other as the rule book has
    them."""

    def follows(name: str, *steps: str) -> bool:
        order = SEQUENCES[name]
        return all(order.index(a) < order.index(b) for a, b in pairwise(steps))

    assert follows("turn", "command_phase", "supply_phase", "end_phase")
    assert follows("command_phase", "chit_selection", "special_combat", "executions")
    assert follows("execution", "command_step", "activation")
    assert follows("activation", "movement_step", "combat_step")
    assert follows("supply_phase", "supply_check", "supply_resets")
    assert follows("end_phase", "reinforcement_segment", "victory_check", "turn_advance")
    assert follows(
        "reinforcement_segment", "place_axis", "gain_chits", "place_soviet", "hq_removal"
    )


# --- 4.1 command Phase ----------------------------------------------------------------------------


def test_4_1_turn_1_special_combat() -> None:
    """R-05 (E46): 4.1: The Soviet player activates any HQ on the map for a Combat Step: no
    movement, then the first chit is drawn."""
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


def test_4_1_special_combat_only_against_what_is_next_to_the_hqs_units() -> None:
    """4.1 (E46): The Soviets name HQ 6A: the units in its range may attack and advance, nothing
    moves; then the first chit is drawn."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical", seed=46)
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    if "axis" in bench.asked():
        bench.do("axis", "choose", *first_offered(bench, "axis", "choose"))
    assert bench.asked() == {"soviet": "prompt.victory_lost.special"}
    bench.do("soviet", "activate", "su.hq.6a")
    assert bench.asked() == {"soviet": "prompt.victory_lost.combat"}
    target = bench.options("soviet", "attack")[0]
    units = bench.options("soviet", "attack", str(target))
    activation = bench.state.activation
    assert activation is not None
    assert set(units) <= set(activation.units)
    bench.do("soviet", "done")
    assert bench.state.cup.drawn, "the first chit is drawn"


def test_4_1_R05_special_combat_by_an_hq_with_nobody_to_attack() -> None:
    """4.1: An HQ whose units touch no enemy may be named; nothing follows and the first chit is
    drawn."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1110", TANK: "1110", "su.hq.5sha": "1510", ITALIAN: "0510"})
    with_cup(bench, (), ("chit.su.1gda",))
    bench.jump("command_phase", "special_combat")
    bench.draws(0)
    events = bench.do("soviet", "activate", "su.hq.5sha")

    assert [event.tag for event in events] == ["activated", "stood_down", "drawn", "activated"]


def test_4_1_the_bridgehead_on_the_first_turn() -> None:
    """4.1, 9.3 (E95): From the historical set-up 1GdA's special combat reaches the bridgehead, and
    the attack of E93 is on offer there."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical", seed=2)
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    events = bench.do("soviet", "activate", "su.hq.1gda")
    assert {"su.tank.18", "su.tank.25", "su.rifle.41g", "su.rifle.44g"} <= set(events[0].units)
    assert bench.asked() == {"soviet": "prompt.victory_lost.combat"}
    assert "move" not in bench.options("soviet")


def test_4_1_1_selection_is_sealed() -> None:
    """R-04: 4.1.1: Neither picks nor chits stand in the public record; the number does."""
    bench = started()
    assert bench.choices("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt").sealed
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")

    assert b"chit.ax.hollidt" not in bench.records[-1].data
    assert bench.board.counts["cup"] == 2
