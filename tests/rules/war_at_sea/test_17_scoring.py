"""17 Scoring and victory."""

import pytest

from engine.games.war_at_sea import RULES
from engine.games.war_at_sea.events import GameOver, Scored
from engine.games.war_at_sea.scoring import outcome
from engine.kernel.rig import Rig
from protocol.choices import Refusal
from tests.rules.war_at_sea.charts import PACK, chart, happened

NS, NA, SA = "north_sea", "north_atlantic", "south_atlantic"
BA, BL, ME = "barents_sea", "baltic_sea", "mediterranean"


def markers(allied: tuple[str, ...], axis: tuple[str, ...]) -> dict[str, str]:
    """Control by area."""
    return {**dict.fromkeys(allied, "allied"), **dict.fromkeys(axis, "axis")}


@pytest.mark.parametrize(
    ("allied", "axis", "convoys", "score"),
    [
        ((NS, NA, SA), (BA, BL, ME), 0, 2),
        ((NS, NA, SA, BA), (BL, ME), 3, -4),
        ((NS, NA, SA, BA, ME), (), 0, -5),
        ((), (NS, NA, SA, BA, BL, ME), 0, 10),
        ((), (), 1, -1),
        ((), (), 0, 0),
    ],
)
def test_17_1_17_2_e66_e68_the_marker_moves(allied: tuple[str, ...], axis: tuple[str, ...], convoys: int, score: int) -> None:
    """2.1, 17.1, 17.2, R62 (E66, E68) Control, plus convoys; Axis less Allied."""
    rig = chart("score", {}, control=markers(allied, axis), convoy_points=convoys)

    assert rig.state.score == score


@pytest.mark.parametrize(
    ("before", "allied", "axis", "after"),
    [
        (9, (), (NA,), 10),
        (10, (NS, BA), (), 8),
        (-9, (NS, NA, SA, BA), (), -10),
        (8, (NS, BA), (NA, BL), 10),
    ],
)
def test_17_2_e69_cap(before: int, allied: tuple[str, ...], axis: tuple[str, ...], after: int) -> None:
    """17.2, R41, R62 (E69) The track ends at ten either way; lost points are not remembered; the cap applies to the net move."""
    rig = chart("score", {}, control=markers(allied, axis), score=before)

    assert rig.state.score == after


def test_17_3_markers_stay_until_next_movement_is_over() -> None:
    """17.3 Scoring leaves them on the map."""
    rig = chart("score", {"hood": "england"}, control=markers((NS,), ()))

    assert rig.state.turn == 2
    assert rig.state.control[NS] == "allied"


@pytest.mark.parametrize(("score", "winner"), [(1, "axis"), (-1, "allied"), (0, None)])
def test_17_4_e70_end_of_game(score: int, winner: str | None) -> None:
    """17.4, R63 (E70) Plus: Axis; minus: Allies; zero: a draw."""
    rig = chart("score", {}, turn=8, score=score)

    assert happened(rig, GameOver) == [GameOver(score)]
    result = outcome(rig.position)
    assert result is not None
    assert result.winner == winner


def test_17_1_each_side_is_told_its_parts() -> None:
    """17.1 The event tells control, convoys and penalty of each side."""
    rig = chart("score", {"zara": "south_america"}, control=markers((NS,), (ME,)), convoy_points=3)

    assert happened(rig, Scored) == [Scored(1, (1, 3, 0), (2, 0, 1), -3)]


def test_17_4_r64_conceding_ends_the_game() -> None:
    """R64 A player may concede at any time; the opponent wins."""
    rig = Rig(RULES, PACK)

    made = rig.ledger.propose_resignation("allied", 0)
    assert not isinstance(made, Refusal)
    assert made.position.outcome is not None
    assert made.position.outcome.winner == "axis"
