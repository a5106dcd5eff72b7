"""17 Scoring and victory."""

import pytest

from tests.rules.war_at_sea.charts import BAL, BAR, MED, NA, NS, PACK, SA, chart, happened, markers
from warledger.engine.games.war_at_sea import RULES
from warledger.engine.games.war_at_sea.turns import GameOver
from warledger.engine.games.war_at_sea.victory import Scored, outcome
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.choices import Refusal

# --- 17.1 -----------------------------------------------------------------------------------------


def test_17_1_each_side_is_told_its_parts() -> None:
    """17.1 The event tells control, convoys and penalty of each side."""
    rig = chart("score", {"zara": "south_america"}, control=markers((NS,), (MED,)), convoy_points=3)

    assert happened(rig, Scored) == [Scored(1, (1, 3, 0), (2, 0, 1), -3)]


@pytest.mark.parametrize(
    ("before", "allied", "axis", "convoys", "idle", "after"),
    [
        (0, ("north_sea",), ("mediterranean",), 3, ("lutzow",), -3),
        (0, (), ("north_sea",), 0, ("hood", "lutzow", "zara"), 3),
        (10, (), (), 0, ("lutzow",), 9),
        (-10, (), (), 0, ("hood",), -9),
        (10, ("north_sea",), ("north_atlantic",), 0, (), 10),
    ],
)
def test_17_1_net_of_control_convoys_and_penalties(
    before: int,
    allied: tuple[str, ...],
    axis: tuple[str, ...],
    convoys: int,
    idle: tuple[str, ...],
    after: int,
) -> None:
    """15.6, 17.1, 17.2, R41, R62 (E67) One net move, Axis less Allied; a penalty moves the marker
    towards the other side."""
    rig = chart(
        "score",
        dict.fromkeys(idle, "south_america"),
        control={**dict.fromkeys(allied, "allied"), **dict.fromkeys(axis, "axis")},
        convoy_points=convoys,
        score=before,
    )

    assert rig.state.score == after


@pytest.mark.parametrize(
    ("allied", "axis", "convoys", "score"),
    [
        ((NS, NA, SA), (BAR, BAL, MED), 0, 2),
        ((NS, NA, SA, BAR), (BAL, MED), 3, -4),
        ((NS, NA, SA, BAR, MED), (), 0, -5),
        ((), (NS, NA, SA, BAR, BAL, MED), 0, 10),
        ((), (), 1, -1),
        ((), (), 0, 0),
    ],
)
def test_17_1_17_2_the_marker_moves(
    allied: tuple[str, ...], axis: tuple[str, ...], convoys: int, score: int
) -> None:
    """2.1, 17.1, 17.2, R62 (E66, E68) Control, plus convoys; Axis less Allied."""
    rig = chart("score", {}, control=markers(allied, axis), convoy_points=convoys)

    assert rig.state.score == score


# --- 17.2 axis total minus Allied total -----------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "allied", "axis", "after"),
    [
        (9, (), (NA,), 10),
        (10, (NS, BAR), (), 8),
        (-9, (NS, NA, SA, BAR), (), -10),
        (8, (NS, BAR), (NA, BAL), 10),
    ],
)
def test_17_2_the_track_ends_at_ten(
    before: int, allied: tuple[str, ...], axis: tuple[str, ...], after: int
) -> None:
    """17.2, R41, R62 (E69) The track ends at ten either way; lost points are not remembered; the
    cap applies to the net move."""
    rig = chart("score", {}, control=markers(allied, axis), score=before)

    assert rig.state.score == after


# --- 17.3 after scoring the turn ends -------------------------------------------------------------


def test_17_3_markers_stay_until_next_movement_is_over() -> None:
    """17.3 Scoring leaves them on the map."""
    rig = chart("score", {"hood": "england"}, control=markers((NS,), ()))

    assert rig.state.turn == 2
    assert rig.state.control[NS] == "allied"


# --- 17.4 after turn 8 ----------------------------------------------------------------------------


@pytest.mark.parametrize(("score", "winner"), [(1, "axis"), (-1, "allied"), (0, None)])
def test_17_4_end_of_game(score: int, winner: str | None) -> None:
    """17.4, R63 (E70) Plus: Axis; minus: Allies; zero: a draw."""
    rig = chart("score", {}, turn=8, score=score)

    assert happened(rig, GameOver) == [GameOver(score)]
    result = outcome(rig.position)
    assert result is not None
    assert result.winner == winner


def test_17_4_R64_conceding_ends_the_game() -> None:
    """R64 A player may concede at any time; the opponent wins."""
    rig = Rig(RULES, PACK)

    made = rig.ledger.propose_resignation("allied", 0, by=rig.by("allied"))
    assert not isinstance(made, Refusal)
    assert made.position.outcome is not None
    assert made.position.outcome.winner == "axis"


@pytest.mark.parametrize(
    ("before", "after", "winner"),
    [(2, -3, "allied"), (5, 0, None), (6, 1, "axis"), (10, 5, "axis"), (-8, -10, "allied")],
)
def test_17_4_five_points_on_the_last_turn(before: int, after: int, winner: str | None) -> None:
    """13.3, 17.1, 17.2, 17.4, R63 Hood holds the North Sea, convoy 3C the Barents Sea and goes to
    Russia: five points decide turn 8."""
    rig = chart("control", {"hood": NS, "convoy_3c": BAR}, turn=8, score=before)

    assert happened(rig, Scored) == [Scored(8, (2, 3, 0), (0, 0, 0), after)]
    assert rig.position.outcome is not None and rig.position.outcome.winner == winner


@pytest.mark.parametrize(
    ("marker", "allied", "axis"),
    [(3, 0, 6), (-10, 20, 0), (0, 0, 0)],
    ids=["axis", "allied", "even"],
)
def test_17_2_the_lead_goes_into_the_last_record(marker: int, allied: int, axis: int) -> None:
    """17.2 What the game reports is the lead of one side, in halves of a point of control."""
    rig = chart("score", {}, score=marker)

    assert RULES.score(rig.position) == {"allied": allied, "axis": axis}
