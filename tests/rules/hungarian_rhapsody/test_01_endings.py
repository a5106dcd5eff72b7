"""HR 1.7, 2.4: every scenario played to its end by each of its conditions: the game is over, with
its winner and its reason."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, charts_of, put, start
from tests.rules.hungarian_rhapsody.table import at_table
from tests.rules.hungarian_rhapsody.triumphs import cleared, of, over, relieved, taken
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.position import ENDED, PLAYING

BUDAPEST = "A31.18 A32.17 A33.18 A31.19 A32.18 A32.19 A33.19"
TAKEN, RELIEF = "budapest_taken", "relief"

LAST: dict[str, tuple[State, str | None, str]] = {
    "sudwind, cleared": (cleared(), AXIS, "cleared"),
    "sudwind, not cleared": (start("sudwind"), SOVIET, "not_cleared"),
    "sudwind, one in the way": (
        taken(
            put(cleared(), "su.gd.49", at=charts_of("sudwind").board.hex("A26.05"), where=""),
            SOVIET,
            "A26.05",
        ),
        SOVIET,
        "not_cleared",
    ),
    "sudwind, one hex short": (taken(cleared(), SOVIET, "A28.14"), SOVIET, "not_cleared"),
    "konrad1, 5 points": (of("konrad1", "A29.15 A33.15 A38.12"), AXIS, "points"),
    "konrad1, 4 points": (of("konrad1", "A33.15 A38.12"), None, "points"),
    "konrad1, 3 points": (of("konrad1", "A29.15 A33.15"), None, "points"),
    "konrad1, 2 points": (of("konrad1", "A33.15"), SOVIET, "points"),
    "konrad2, 4 points": (of("konrad2", "A31.16 A38.12"), AXIS, "points"),
    "konrad2, 2 points": (of("konrad2", "A31.16"), None, "points"),
    "konrad2, 1 point": (of("konrad2", "A33.15"), SOVIET, "points"),
    "konrad12, 4 points": (of("konrad12", "A31.16 A38.12"), AXIS, "points"),
    "konrad12, 3 points": (of("konrad12", "A33.15 A31.16"), None, "points"),
    "konrad12, 1 point": (of("konrad12", "A36.12"), SOVIET, "points"),
    "konrad3, 4 points": (of("konrad3", "A38.12 A41.18"), AXIS, "points"),
    "konrad3, 3 points": (of("konrad3", "A38.12 A37.13"), SOVIET, "points"),
    "siege, held": (start("siege"), AXIS, "held_out"),
    "debrecen, 9 points": (of("debrecen", "B27.07 B20.07 B9.01", SOVIET), SOVIET, "points"),
    "debrecen, 7 points": (of("debrecen", "B34.10 B20.07 B34.27", SOVIET), None, "points"),
    "debrecen, 6 points": (of("debrecen", "B27.07 B20.07", SOVIET), AXIS, "points"),
}
"""Position -> the winner at the end of the last turn, and why."""


@pytest.mark.parametrize("case", LAST)
def test_1_7_after_the_last_turn_the_game_is_judged(case: str) -> None:
    """HR 1.7 With the last Clean Up Phase of its last turn a scenario is over."""
    state, winner, reason = LAST[case]
    rig = over(state, state.charts.scenario.last_turn, SOVIET)
    assert rig.position.outcome is not None
    assert rig.position.outcome.winner == winner
    assert rig.position.outcome.reason.key == f"outcome.hungarian_rhapsody.{reason}"
    assert rig.state.over


@pytest.mark.parametrize(
    ("lost", "winner"), [("", SOVIET), ("A31.18", None), ("A31.18 A33.18", AXIS)]
)
def test_1_7_the_campaign_is_judged_by_points(lost: str, winner: str | None) -> None:
    """HR 1.7 After 43 turns: 30 Soviet points win, 25 draw, and each hex of Budapest that the Axis
    keeps costs three."""
    state = of("campaign", "", SOVIET)
    named = [*state.charts.scenario.doc["victory"]["hexes"]]
    state = taken(state, SOVIET, " ".join([*named, *BUDAPEST.split()]))
    # Of 41 points in all the Soviets have 30, 27 and 24.
    state = taken(state, AXIS, "A52.01 A32.04 A41.09")
    rig = over(taken(state, AXIS, lost) if lost else state, 43, SOVIET)
    assert rig.position.outcome is not None
    assert rig.position.outcome.winner == winner


@pytest.mark.parametrize(
    ("scenario", "turn", "reason"),
    [
        ("konrad1", 27, TAKEN),
        ("konrad2", 29, TAKEN),
        ("konrad12", 30, TAKEN),
        ("konrad3", 32, TAKEN),
        ("siege", 32, "decisive"),
        ("siege", 33, "marginal"),
        ("campaign", 38, TAKEN),
    ],
)
def test_2_4_the_last_hex_of_budapest_ends_the_game_at_once(
    scenario: str, turn: int, reason: str
) -> None:
    """HR 2.4 A Soviet unit goes into the last hex of Budapest that the Axis holds, and the game is
    over in the middle of the phase."""
    state = start(scenario)
    board = state.charts.board
    gone = [n for n, u in state.units.items() if u.at >= 0 and state.side(n) == AXIS]
    for name in gone:
        state = put(state, name, at=-1, where="box.dead.axis")
    state = taken(state, SOVIET, BUDAPEST.removeprefix("A31.18 "))
    state = put(state, "su.gd.49", at=board.hex("A32.17"), where="", move_side=False, marker="")
    rig = at_table(state, "moving", phasing=SOVIET, seed=1)
    rig.change(turn=turn)
    assert rig.position.stage == PLAYING
    rig.do(SOVIET, "move", "su.gd.49", "A31.18")
    assert rig.position.outcome is not None
    assert rig.position.outcome.winner == SOVIET
    assert rig.position.outcome.reason.key == f"outcome.hungarian_rhapsody.{reason}"
    assert rig.position.stage == ENDED


def test_2_4_from_12_february_on_the_fall_of_budapest_does_not_end_the_campaign() -> None:
    """HR 2.4 It counts points only: play goes on."""
    state = taken(start("campaign"), SOVIET, BUDAPEST)
    rig = over(state, 39, SOVIET)
    assert rig.position.outcome is None
    assert rig.state.turn == 40


@pytest.mark.parametrize("scenario", ["konrad1", "konrad2", "konrad12", "konrad3", "campaign"])
def test_2_4_a_fortress_in_trace_ends_the_game_with_the_axis_player_turn(scenario: str) -> None:
    """HR 2.4 Relieved: the Axis wins as its player turn ends, and not with the Soviet one."""
    state = relieved(scenario)
    turn = charts_of(scenario).scenario.first_turn
    rig = over(state, turn, AXIS, second=False)
    assert rig.position.outcome is not None
    assert rig.position.outcome.winner == AXIS
    assert rig.position.outcome.reason.key == f"outcome.hungarian_rhapsody.{RELIEF}"
    assert over(state, turn, SOVIET).position.outcome is None
