"""5.0 sequence of play, 6.0 command selection, 7.0 command execution, 8.0 activation."""

from typing import Any

import pytest

from engine.games.typhoon.command import contents, may_hold_guderian, unseen
from engine.games.typhoon.events import (
    Activated,
    ChitDrawn,
    ChitsChosen,
    ChitSpent,
    ChitVoid,
    IntakeOpened,
    Interrupted,
    LastChanceWaived,
    SupplyChecked,
)
from engine.games.typhoon.rules import SEQUENCES
from protocol.records import DRAWS, EFFECTS
from protocol.seal import Secret
from tests.rules.typhoon.bench import Bench, board_t, real_pack

GUDERIAN = "chit.ax.guderian"
NINE = (
    "chit.ax.2a", "chit.ax.2pza", "chit.ax.3pza.1", "chit.ax.3pza.2", "chit.ax.4a", "chit.ax.4pza.1", "chit.ax.4pza.2", "chit.ax.9a",
    GUDERIAN, )  # fmt: skip
HQ2 = "ax.hq.2pza"


def table(
    axis: tuple[str, ...], soviet: tuple[str, ...] = (), *, kept: bool = False, places: dict[str, str] | None = None, **more: Any
) -> Bench:
    """Chits are chosen; play stands before the next draw. Only HQ 2PzA (and what `places` adds) is on the map."""
    turn = more.pop("turn", 3)
    drawn = more.pop("drawn", ())
    bench = Bench(board_t(), seed=7, **more)
    bench.stand({HQ2: "0305", **(places or {})}, turn=turn, boxes={"su.hq.5a": "box.available.soviet"})
    bench.chits(axis, soviet, kept=kept, drawn=drawn)
    return bench


def selecting(turn: int = 3, **options: Any) -> Bench:
    """Both sides are about to choose."""
    bench = Bench(board_t(), **options)
    bench.stand({HQ2: "0305"}, turn=turn)
    bench.jump("turn", "command_selection")
    return bench


def draw(bench: Bench, chit: str) -> None:
    """The next chit drawn is this one."""
    bench.draws(contents(bench.state).index(chit))


def go(bench: Bench) -> None:
    """Let the executions run."""
    bench.jump("set_up_first", "executions")


def test_5_0_sequence_of_play() -> None:
    """5.0, 5.0(1)-5.0(5) A turn is selection, executions while chits are left, end of turn; an execution is draw, activation, action."""
    assert SEQUENCES["turn"] == ("turn_start", "command_selection", "executions", "end_of_turn")
    assert SEQUENCES["execution"] == ("draw_chit", "interrupt", "carry_out", "lay_aside")
    assert SEQUENCES["hq_command"] == ("activation", "movement_segment", "combat_segment")
    assert SEQUENCES["combat_segment"] == ("declaration", "resolution")


def test_5_0_turns_follow() -> None:
    """5.0(1), 5.0(2), 5.0(3), 5.0(4), 5.0(5) After the last chit the turn marker goes on and chits are chosen again."""
    bench = table(("chit.ax.2pza",), drawn=("chit.ax.2pza", "chit.supply"))
    bench.jump("play", "turn", "executions")
    assert bench.state.turn == 4
    assert bench.asked() == {"axis": "prompt.typhoon.chits", "soviet": "prompt.typhoon.chits"}


# --- 6.0


def test_6_2_turn_1_R14() -> None:
    """6.2, R-14 On turn 1 the Soviets choose none, the Axis 9; SUPPLY is added: 10 chits, 9 in the cup when Guderian is kept (example
    72)."""
    for where, n in (("cup", 10), ("hand", 9)):
        bench = Bench(real_pack(), set_up="preset", seed=1)
        assert set(bench.asked()) == {"axis"}
        bench.do("axis", "choose", *sorted(NINE), where)
        chosen = bench.happened(ChitsChosen)
        assert [(event.side, event.count) for event in chosen] == [("axis", 9), ("soviet", 0)]
        assert bench.board.counts["unseen"] == 9  # ten, less the one that is drawn
        assert len(contents(bench.state)) == n - 1


def test_6_1_secret_selection() -> None:
    """6.1(1), 6.1(2), 6.1(3) Both choose at once; what each chose is sealed from the other and from everybody, how many is not."""
    bench = selecting()
    assert set(bench.asked()) == {"axis", "soviet"}
    bench.do("soviet", "choose", "chit.su.16a", "chit.su.19a", "chit.su.20a", "chit.su.22a", "chit.su.reinf")
    (event,) = bench.happened(ChitsChosen)
    assert isinstance(event.chits, Secret) and event.chits.readers == ("soviet",)
    record = bench.records[-1]
    assert b"chit.su.16a" not in record.data
    assert b"chit.su.16a" not in record.body[EFFECTS]


def test_6_2_exactly_so_many() -> None:
    """6.2 Exactly the number of the turn track, from one's own chits, each once."""
    bench = selecting()
    assert bench.refused("soviet", "choose", "chit.ax.2a").rule == "6.2"
    assert bench.refused("soviet", "choose", "chit.su.16a", "chit.su.16a").rule == "6.2"
    assert bench.refused("soviet", "choose", "chit.su.16a").key == "refusal.incomplete"
    assert bench.refused("axis", "choose", "chit.supply").rule == "6.2"
    assert bench.refused("axis", "choose", "chit.ax.okh").rule == "6.2"  # optional, 15.1


def test_6_3_guderian_in_hand_counts() -> None:
    """6.3(1) Guderian, if chosen, may be kept in hand; he counts among the number. Who has not chosen him is not asked."""
    bench = selecting()
    five = ("chit.ax.2a", "chit.ax.2pza", "chit.ax.3pza.1", "chit.ax.9a")
    picks = sorted((*five, GUDERIAN))
    assert bench.options("axis", "choose", *picks) == ("cup", "hand")
    assert bench.options("axis", "choose", *sorted((*five, "chit.ax.4a"))) == ()
    bench.do("axis", "choose", *picks, "hand")
    assert bench.state.cup.kept is not None and bench.state.cup.kept.value is True


# --- 7.0


def test_7_1_draw_execute_lay_aside() -> None:
    """7.0, 7.1(1), 7.1(2), 7.1(3), 7.1(4), 7.2-1 A chit is drawn, its owner is active, its HQ is activated; then it is laid aside."""
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


def test_7_2_2_reinforcement_chit() -> None:
    """7.2-2, 2.23-4 The reinforcement chit lets its owner take reinforcements."""
    bench = table(("chit.ax.reinf",))
    bench.draws(0, 0)  # the reinforcement chit, then SUPPLY
    go(bench)
    assert IntakeOpened("axis", 1, 0, 0) in bench.events


def test_13_0_2_absent_hq_R14() -> None:
    """13.0(2), R-14 The chit of an HQ that is not on the map is spent without effect (example 69)."""
    bench = table(("chit.ax.2a",), ("chit.su.5a",), drawn=("chit.supply",))
    draw(bench, "chit.su.5a")
    go(bench)
    bench.do("axis", "pass")
    assert ChitVoid("chit.su.5a") in bench.events
    assert ChitSpent("chit.su.5a") in bench.events


# --- 7.3 the interrupt


@pytest.mark.parametrize("chit", ["chit.supply", "chit.su.20a", "chit.ax.2pza"])
def test_7_3_guderian_interrupts_any_chit_R15(chit: str) -> None:
    """7.3, 7.3(1), 7.3(2), 6.3(2), R-15 After any chit has been seen, Guderian sends it back in the cup and 2PzA acts at once; it can be
    drawn again the same turn (example 70). Guderian is then spent."""
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


@pytest.mark.parametrize("chosen", [("chit.ax.2pza", GUDERIAN), ("chit.ax.2a", "chit.ax.2pza")])
def test_R15_8_the_window_opens_whoever_holds_him(chosen: tuple[str, ...]) -> None:
    """7.3(1), R-15 The window opens on public conditions: with him in the cup or not chosen it opens as well, but offers only to pass."""
    bench = table(chosen, ("chit.su.20a",))
    draw(bench, "chit.supply")
    go(bench)
    assert bench.asked() == {"axis": "prompt.typhoon.interrupt"}
    assert bench.options("axis") == ("pass",)
    assert bench.refused("axis", "use").rule == "7.3"


def test_R15_5_only_with_the_hq_on_the_map() -> None:
    """R-15 Without HQ 2PzA on the map the window does not open."""
    bench = table(("chit.ax.2a", GUDERIAN), ("chit.su.20a",), kept=True)
    bench.stand({"su.hq.20a": "1505"}, turn=3)
    assert not may_hold_guderian(bench.state)


def test_R15_closed_once_everybody_knows() -> None:
    """R-15 With every Axis chit seen, or Guderian drawn from the cup (a plain chit of 2PzA then), the window stays closed."""
    seen = table(("chit.ax.2a",), ("chit.su.20a",), drawn=("chit.ax.2a",))
    assert not may_hold_guderian(seen.state)
    drawn = table(("chit.ax.2a", GUDERIAN), ("chit.su.20a",), drawn=(GUDERIAN,))
    assert not may_hold_guderian(drawn.state)

    plain = table(("chit.ax.2a", GUDERIAN))
    draw(plain, GUDERIAN)
    go(plain)
    assert [event.hq for event in plain.happened(Activated)] == [HQ2]


def test_7_3_3_the_last_chance_R15() -> None:
    """7.3(3), R-15 With the cup empty Guderian in hand may be used before the turn ends, or forgone."""
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
    """R-15 Whether the last chit of the Axis lies in the cup or is Guderian in hand shows only when the window has closed."""
    bench = table(("chit.ax.2pza", "chit.ax.4a"), drawn=("chit.ax.2pza", "chit.supply"))
    go(bench)
    assert bench.asked() == {"axis": "prompt.typhoon.last_chance"}
    assert bench.options("axis") == ("pass",)
    draw(bench, "chit.ax.4a")
    bench.do("axis", "pass")
    assert ChitDrawn("chit.ax.4a") in bench.events


def test_R15_receipts_are_sealed() -> None:
    """R-15 A draw's receipt shows neither how many chits are in the cup nor which place came, and the count on the board is the same."""
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


# --- 8.0


def test_8_1_everybody_in_range_R16() -> None:
    """8.0, 8.1(1), 8.1(2), 8.1(4), 8.2, 8.2(1), 8.2(2), R-16, 13.0(1), 2.22-3 The HQ and every friendly unit within four hexes, but no
    other HQ (example 68): over lakes, through enemies and EZOC."""
    bench = Bench(board_t(rows={"0810": "L", "0710": "L", "0711": "L"}))
    bench.stand({HQ2: "0610", "ax.hq.2a": "0611", "ax.inf.5": "1010", "ax.inf.35": "1110", "su.rifle.133": "0910", "ax.panzer.1": "0606"})
    bench.chits(("chit.ax.2pza",), ())
    draw(bench, "chit.ax.2pza")
    go(bench)
    (event,) = bench.happened(Activated)
    assert event.units == ("ax.hq.2pza", "ax.inf.5", "ax.panzer.1")
    assert bench.refused("axis", "move", "ax.hq.2a").rule == "8.1(4)"
    assert bench.refused("axis", "move", "ax.inf.35").rule == "8.2(2)"


def test_8_2_3_range_is_measured_once() -> None:
    """8.2(1), 8.2(3), 8.1(3) Who is activated stays so when the HQ has moved away; each moves once and fights once."""
    bench = table(("chit.ax.2pza",), places={"ax.inf.5": "0705"})
    draw(bench, "chit.ax.2pza")
    go(bench)
    bench.do("axis", "move", HQ2, "0103")
    bench.do("axis", "move", "ax.inf.5", "0706")
    assert bench.hexes("ax.inf.5") == ("0706",)
