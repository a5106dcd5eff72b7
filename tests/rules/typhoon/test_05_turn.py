"""5.0 The sequence of play."""

from tests.rules.typhoon.commands import table
from warledger.engine.games.typhoon.rules import SEQUENCES


def test_5_0_sequence_of_play() -> None:
    """5.0, 5.0(1)-5.0(5) A turn is selection, executions while chits are left, end of turn; an
    execution is draw, activation, action."""
    assert SEQUENCES["turn"] == ("turn_start", "command_selection", "executions", "end_of_turn")
    assert SEQUENCES["execution"] == ("draw_chit", "interrupt", "carry_out", "lay_aside")
    assert SEQUENCES["hq_command"] == ("activation", "movement_segment", "combat_segment")
    assert SEQUENCES["combat_segment"] == ("declaration", "resolution")


def test_5_0_1_turns_follow() -> None:
    """5.0(1), 5.0(2), 5.0(3), 5.0(4), 5.0(5) After the last chit the turn marker goes on and chits
    are chosen again."""
    bench = table(("chit.ax.2pza",), drawn=("chit.ax.2pza", "chit.supply"))
    bench.jump("play", "turn", "executions")
    assert bench.state.turn == 4
    assert bench.asked() == {"axis": "prompt.typhoon.chits", "soviet": "prompt.typhoon.chits"}
