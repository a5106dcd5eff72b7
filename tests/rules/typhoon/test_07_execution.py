"""7.0 Command execution, and the interrupt of Guderian (7.3)."""

import pytest

from tests.rules.typhoon.bench import INF, Bench, board_t
from tests.rules.typhoon.commands import GUDERIAN, HQ2, draw, go, table
from warledger.engine.games.typhoon.activation import Activated
from warledger.engine.games.typhoon.command import (
    ChitDrawn,
    ChitSpent,
    Interrupted,
    LastChanceWaived,
    contents,
    may_hold_guderian,
    unseen,
)
from warledger.engine.games.typhoon.reinforcements import IntakeOpened
from warledger.engine.games.typhoon.supply import SupplyChecked
from warledger.protocol.log.records import DRAWS

# --- 7.1 ------------------------------------------------------------------------------------------


def test_7_1_draw_execute_lay_aside() -> None:
    """7.0, 7.1(1), 7.1(2), 7.1(3), 7.1(4), 7.2-1 A chit is drawn, its owner is active, its HQ is
    activated; then it is laid aside."""
    bench = table(("chit.ax.2pza",))
    draw(bench, "chit.ax.2pza")
    go(bench)
    assert bench.happened(ChitDrawn) == [ChitDrawn("chit.ax.2pza")]
    assert bench.asked() == {"axis": "prompt.typhoon.movement"}
    draw(bench, "chit.supply")
    bench.do("axis", "done")
    assert ChitSpent("chit.ax.2pza") in bench.events
    assert bench.happened(SupplyChecked)  # 7.2-4 the next chit
    assert bench.state.cup.drawn == ("chit.ax.2pza", "chit.supply")


# --- 7.2 ------------------------------------------------------------------------------------------


def test_7_2_2_the_reinforcement_chit_takes_reinforcements() -> None:
    """7.2-2, 2.23-4 The reinforcement chit lets its owner take reinforcements."""
    bench = table(("chit.ax.reinf",))
    bench.draws(0, 0)  # the reinforcement chit, then SUPPLY
    go(bench)
    assert IntakeOpened("axis", 1, 0, 0) in bench.events


# --- 7.3 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chit", ["chit.supply", "chit.su.20a", "chit.ax.2pza"])
def test_7_3_guderian_interrupts_any_chit_R15(chit: str) -> None:
    """7.3, 7.3(1), 7.3(2), 6.3(2), R-15 After any chit has been seen, Guderian sends it back in the
    cup and 2PzA acts at once; it can be drawn again the same turn (example 70). Guderian is then
    spent."""
    bench = table(("chit.ax.2pza", GUDERIAN), ("chit.su.20a",), kept=True)
    draw(bench, chit)
    go(bench)
    assert bench.asked() == {"axis": "prompt.typhoon.interrupt"}
    assert chit not in contents(bench.state)
    bench.do("axis", "use")
    assert bench.happened(Interrupted) == [Interrupted(chit)]
    assert [event.hq for event in bench.happened(Activated)] == [HQ2]
    assert chit in contents(bench.state)
    draw(bench, chit)
    bench.do("axis", "done")
    assert ChitDrawn(chit) in bench.events
    assert "prompt.typhoon.interrupt" not in bench.asked().values()  # once a turn


def test_7_3_R15_5_only_with_the_hq_on_the_map() -> None:
    """R-15 Without HQ 2PzA on the map the window does not open."""
    bench = table(("chit.ax.2a", GUDERIAN), ("chit.su.20a",), kept=True)
    bench.stand({"su.hq.20a": "1505"}, turn=3)
    assert not may_hold_guderian(bench.state)


def test_7_3_R15_closed_once_everybody_knows() -> None:
    """R-15 With every Axis chit seen, or Guderian drawn from the cup (a plain chit of 2PzA then),
    the window stays closed."""
    seen = table(("chit.ax.2a",), ("chit.su.20a",), drawn=("chit.ax.2a",))
    assert not may_hold_guderian(seen.state)
    drawn = table(("chit.ax.2a", GUDERIAN), ("chit.su.20a",), drawn=(GUDERIAN,))
    assert not may_hold_guderian(drawn.state)

    plain = table(("chit.ax.2a", GUDERIAN))
    draw(plain, GUDERIAN)
    go(plain)
    assert [event.hq for event in plain.happened(Activated)] == [HQ2]


def test_7_3_R15_receipts_are_sealed() -> None:
    """R-15 A draw's receipt shows neither how many chits are in the cup nor which place came, and
    the count on the board is the same."""
    boards = []
    for kept in (True, False):
        bench = table(("chit.ax.2pza", GUDERIAN), ("chit.su.20a",), kept=kept)
        go_at = contents(bench.state).index("chit.supply")
        bench.draws(go_at)
        bench.jump("set_up_first", "executions")
        boards.append(unseen(bench.state))
        bench.draws(0)
        bench.do("axis", "pass")
        draws = bench.records[-1].body[DRAWS]
        assert all(type(drawn[3]).__name__ == "Seal" for drawn in draws if drawn[0] == 0)
    assert boards[0] == boards[1] == 3


@pytest.mark.parametrize("chosen", [("chit.ax.2pza", GUDERIAN), ("chit.ax.2a", "chit.ax.2pza")])
def test_7_3_1_R15_8_the_window_opens_whoever_holds_him(chosen: tuple[str, ...]) -> None:
    """7.3(1), R-15 The window opens on public conditions: with him in the cup or not chosen it
    opens as well, but offers only to pass."""
    bench = table(chosen, ("chit.su.20a",))
    draw(bench, "chit.supply")
    go(bench)
    assert bench.asked() == {"axis": "prompt.typhoon.interrupt"}
    assert bench.options("axis") == ("pass",)
    assert bench.refused("axis", "use").rule == "7.3"


def test_7_3_1_the_interrupt_stops_a_reinforcement_command() -> None:
    """7.3(1), R-15 1, 2 SOVIET REINF sent back brings nobody yet; drawn again it does."""
    bench = table(
        ("chit.ax.2pza", GUDERIAN), ("chit.su.reinf",), kept=True, drawn=("chit.ax.2pza",)
    )
    draw(bench, "chit.su.reinf")
    go(bench)
    bench.do("axis", "use")
    assert not bench.happened(IntakeOpened) and bench.state.intake is None
    draw(bench, "chit.su.reinf")
    bench.draws(0)
    bench.do("axis", "done")
    assert [event.side for event in bench.happened(IntakeOpened)] == ["soviet"]


def test_7_3_1_the_interrupt_against_the_last_chit() -> None:
    """7.3(1), 7.3(3), R-15 4 SUPPLY, last in the cup, goes back and is drawn again; it is executed
    once, and the turn ends with no last chance, for Guderian is spent."""
    bench = table(("chit.ax.2pza", GUDERIAN), kept=True, drawn=("chit.ax.2pza",))
    draw(bench, "chit.supply")
    bench.jump("play", "turn", "executions")
    bench.do("axis", "use")
    assert bench.happened(Interrupted) == [Interrupted("chit.supply")] and not bench.happened(
        SupplyChecked
    )
    draw(bench, "chit.supply")
    bench.do("axis", "done")
    assert len(bench.happened(SupplyChecked)) == 1
    bench.do("axis", "done")  # nobody is lifted
    assert bench.state.turn == 4


def test_7_3_1_guderian_after_his_hq_came_back_in_the_same_turn() -> None:
    """7.3(1), 13.0(4), R-15 5 With HQ 2PzA in the box a draw cannot be interrupted; AXIS REINF
    brings it back, and the next draw can."""
    pack = board_t(rails=("0110 0210 0310",))
    bench = Bench(pack, seed=3)
    bench.stand({"ax.inf.5": "0510"}, turn=3, boxes={HQ2: "box.available.axis"})
    bench.chits(("chit.ax.reinf", GUDERIAN), ("chit.su.20a",), kept=True)
    draw(bench, "chit.ax.reinf")
    go(bench)
    assert bench.options("axis", "place") == (HQ2,)
    draw(bench, "chit.su.20a")
    bench.do("axis", "place", HQ2, "0210")
    assert bench.asked() == {"axis": "prompt.typhoon.interrupt"}
    assert bench.options("axis") == ("use", "pass")


def test_7_3_3_the_last_chance_R15() -> None:
    """7.3(3), R-15 With the cup empty Guderian in hand may be used before the turn ends, or
    forgone."""
    bench = table(("chit.ax.2pza", GUDERIAN), kept=True, drawn=("chit.ax.2pza", "chit.supply"))
    assert contents(bench.state) == () and unseen(bench.state) == 1
    go(bench)
    assert bench.asked() == {"axis": "prompt.typhoon.last_chance"}
    bench.do("axis", "use")
    assert [event.hq for event in bench.happened(Activated)] == [HQ2]
    bench.do("axis", "done")
    assert ChitSpent(GUDERIAN) in bench.events

    bench = table(("chit.ax.2pza", GUDERIAN), kept=True, drawn=("chit.ax.2pza", "chit.supply"))
    go(bench)
    bench.do("axis", "pass")
    assert bench.happened(LastChanceWaived) and not bench.happened(ChitDrawn)


def test_7_3_3_the_same_with_a_last_chit_in_the_cup() -> None:
    """R-15 Whether the last chit of the Axis lies in the cup or is Guderian in hand shows only when
    the window has closed."""
    bench = table(("chit.ax.2pza", "chit.ax.4a"), drawn=("chit.ax.2pza", "chit.supply"))
    go(bench)
    assert bench.asked() == {"axis": "prompt.typhoon.last_chance"}
    assert bench.options("axis") == ("pass",)
    draw(bench, "chit.ax.4a")
    bench.do("axis", "pass")
    assert ChitDrawn("chit.ax.4a") in bench.events


def test_7_3_3_no_last_chance_without_the_hq() -> None:
    """7.3(3), R-15 5, 6 HQ 2PzA was lost this turn: Guderian in hand cannot be used, nobody is
    asked, the turn ends."""
    bench = table(("chit.ax.2pza", GUDERIAN), kept=True, drawn=("chit.ax.2pza", "chit.supply"))
    bench.stand({INF: "0305"}, turn=3, boxes={HQ2: "box.available.axis"})
    bench.jump("play", "turn", "executions")
    assert bench.state.turn == 4
    assert not any(type(event) is ChitSpent for event in bench.events)
