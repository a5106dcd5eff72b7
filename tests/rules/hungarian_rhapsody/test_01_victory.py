"""HR 1.7, 2.4: victory in every scenario, by hand-made control."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SCENARIOS, SOVIET, put, start
from tests.rules.hungarian_rhapsody.triumphs import cleared, taken, won
from warledger.engine.games.hungarian_rhapsody import victory
from warledger.engine.games.ocs.series.state import RESERVE, removed, taken_by
from warledger.engine.kernel.change import replace

BUDAPEST = "A31.18 A32.17 A33.18 A31.19 A32.18 A32.19 A33.19"


def test_1_7_sudwind_needs_every_hex_and_nobody_left() -> None:
    """HR 1.7 The Axis wins Südwind with every hex of the bridgehead and no attack-capable Soviet
    unit west of the Garam; else the Soviets do."""
    assert won(start("sudwind")) == SOVIET
    state = cleared()
    assert won(state) == AXIS
    assert won(taken(state, SOVIET, "A26.12")) == SOVIET
    back = put(state, "su.rd.53", at=state.charts.board.hex("A28.14"), where="")
    assert won(back) == SOVIET
    assert victory.in_the_way(back) == ("su.rd.53",)


def test_1_7_who_cannot_attack_does_not_stand_in_the_way() -> None:
    """HR 1.7, OCS 4.4 Artillery, HQs and units in Reserve are not attack-capable."""
    state = cleared()
    board = state.charts.board
    for name in ("su.gun.27", "su.hq.7ga"):
        assert won(put(state, name, at=board.hex("A26.12"), where="")) == AXIS
    there = put(state, "su.rd.53", at=board.hex("A26.12"), where="")
    assert won(put(there, "su.rd.53", marker=RESERVE)) == AXIS


def test_1_7_the_score_counts_hexes() -> None:
    """HR 1.7 The score of Südwind: hexes of the bridgehead that the Axis holds, and lacks."""
    assert victory.score(start("sudwind")) == {AXIS: 0, SOVIET: 12}
    assert victory.score(taken(start("sudwind"), AXIS, "A26.11 A26.12 A30.10")) == {
        AXIS: 2,
        SOVIET: 10,
    }


@pytest.mark.parametrize(
    ("name", "gained", "points", "winner"),
    [
        ("konrad1", "A29.15 A33.15 A38.12", 5, AXIS),
        ("konrad1", "A33.15 A38.12", 4, None),
        ("konrad1", "A33.15", 2, SOVIET),
        ("konrad2", "A31.16 A38.12", 4, AXIS),
        ("konrad2", "A31.16", 2, None),
        ("konrad2", "A33.15", 1, SOVIET),
        ("konrad3", "A38.12 A41.18", 4, AXIS),
        ("konrad3", "A38.12 A37.13", 3, SOVIET),
    ],
)
def test_1_7_points_against_what_wins_and_draws(
    name: str, gained: str, points: int, winner: str | None
) -> None:
    """HR 1.7 The Axis offensives: points of hexes held, against what wins and what draws."""
    state = start(name)
    state = taken(state, SOVIET, " ".join(victory.terms(state)["hexes"]))
    state = taken(state, AXIS, gained)
    assert victory.points(state) == points
    assert won(state) == winner


def test_1_7_konrad3_needs_a_hex_of_budapest() -> None:
    """HR 1.7 Four points do not win Konrad III without a hex of Budapest."""
    state = taken(start("konrad3"), AXIS, "A38.12 A41.18")
    assert won(state) == AXIS
    assert won(taken(state, SOVIET, BUDAPEST)) == SOVIET


@pytest.mark.parametrize(
    ("held", "winner"),
    [("B27.07 B20.07 B9.01", SOVIET), ("B27.07 B20.07 B34.27", None), ("", AXIS)],
)
def test_1_7_debrecen_is_won_by_nine_points(held: str, winner: str | None) -> None:
    """HR 1.7 Debrecen: 9 Soviet points win, 7 or 8 draw."""
    state = start("debrecen")
    state = taken(state, AXIS, " ".join(victory.terms(state)["hexes"]))
    assert won(taken(state, SOVIET, held) if held else state) == winner


def test_1_7_the_campaign_counts_what_the_axis_keeps_in_budapest() -> None:
    """HR 1.7 In the campaign each Budapest hex in Axis hands takes three points from the
    Soviets."""
    state = start("campaign")
    named = " ".join(victory.terms(state)["hexes"])
    every = taken(state, SOVIET, f"{named} {BUDAPEST}")
    most = victory.points(every)
    assert won(every) == SOVIET
    assert victory.points(taken(every, AXIS, "A33.18")) == most - 3
    assert victory.points(taken(every, AXIS, "A32.18")) == most - 3 - 3


def test_2_4_the_siege_ends_when_budapest_falls() -> None:
    """HR 2.4 The siege ends at once with the last hex; decisive before 22 January; the Axis wins
    it if it holds out."""
    state = start("siege")
    assert victory.verdict(state) is None
    fallen = victory.verdict(taken(state, SOVIET, BUDAPEST))
    assert fallen is not None
    assert (fallen.winner, fallen.reason.key) == (
        SOVIET,
        "outcome.hungarian_rhapsody.decisive",
    )
    late = victory.verdict(replace(taken(state, SOVIET, BUDAPEST), turn=33))
    assert late is not None
    assert late.reason.key == "outcome.hungarian_rhapsody.marginal"
    assert won(state) == AXIS


def test_2_4_sudden_deaths_of_the_campaign() -> None:
    """HR 2.4 All of Budapest taken wins before 12 February and not later."""
    state = taken(start("campaign"), SOVIET, BUDAPEST)
    found = victory.verdict(replace(state, turn=38))
    assert found is not None
    assert found.winner == SOVIET
    assert victory.verdict(replace(state, turn=39)) is None


def test_2_4_relief_is_checked_at_the_end_of_the_axis_player_turn() -> None:
    """HR 2.4 A Budapest Fortress in trace again wins at the end of an Axis player turn."""
    state = start("konrad3")
    assert not victory.relieved(state)
    assert victory.verdict(replace(state, phasing=AXIS, segment="h")) is None
    gone = [n for n, u in state.units.items() if u.at >= 0 and state.side(n) == SOVIET]
    free = taken_by(removed(state, gone, "box.dead.soviet"), AXIS, state.charts.scenario.play)
    assert victory.relieved(free)
    assert victory.verdict(replace(free, phasing=AXIS, segment="f2")) is None
    found = victory.verdict(replace(free, phasing=AXIS, segment="h"))
    assert found is not None
    assert found.winner == AXIS
    assert victory.verdict(replace(free, phasing=SOVIET, segment="h")) is None


@pytest.mark.parametrize("name", SCENARIOS)
def test_1_7_every_scenario_can_be_judged(name: str) -> None:
    """HR 1.7 The set-up of every scenario has a verdict at its end, and a score for both sides."""
    state = start(name)
    assert victory.verdict(state) is None
    won(state)
    assert set(victory.score(state)) == {AXIS, SOVIET}
