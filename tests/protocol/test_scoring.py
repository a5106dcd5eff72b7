"""What a scoreboard is told: the score that is read from a board is the one that the title's rules
tell, and the results table of a description is the one that combats are resolved with."""

from functools import cache
from types import SimpleNamespace

import pytest

from tests.clients.games import pack_of
from warledger.engine.board.odds import results_table
from warledger.engine.games.typhoon.victory import CityTaken, draws
from warledger.engine.games.victory_lost.draw import scores
from warledger.engine.games.war_at_sea import victory
from warledger.engine.games.war_at_sea.victory import Scored
from warledger.engine.runtime.titles import description as described
from warledger.engine.runtime.titles import installed
from warledger.protocol import lang
from warledger.protocol.board import description
from warledger.protocol.board.choices import Say
from warledger.protocol.board.description import Description, tallied
from warledger.protocol.board.effects import Board
from warledger.protocol.texts.phrases import LANGUAGES

SCENARIOS = ("sudwind", "debrecen", "konrad1", "konrad2", "konrad3", "siege", "campaign")
SCORED = victory.draws[Scored]
TITLES = ("war_at_sea", "victory_lost", "typhoon")


@cache
def told_of(title: str, **options: str) -> Description:
    """The description of a game as a reader gets it."""
    one = installed()[title]
    return description.read(described(one.rules, one.pack, {**one.options, **options}))


def test_the_marker_of_war_at_sea_is_the_lead_of_the_axis() -> None:
    """17.2 When a turn is scored the lead is what the marker shows, for whoever has it."""
    told, board = told_of("war_at_sea"), Board()
    for score in (4, 0, -3, 10):
        for effect in SCORED(None, Scored(1, (0, 0, 0), (0, 0, 0), score), None):  # type: ignore[arg-type]
            board.apply(effect)
        found = tallied(told, board)
        assert found["axis"] - found["allied"] == score
        assert 0 in found.values()


def test_points_of_a_victory_lost_are_those_that_are_drawn() -> None:
    """14.0 Each side has the points that the rules put on its track."""
    board = Board()
    for effect in scores(SimpleNamespace(score={"axis": 31, "soviet": 7})):  # type: ignore[arg-type]
        board.apply(effect)
    assert tallied(told_of("victory_lost"), board) == {"axis": 31, "soviet": 7}


def test_cities_of_typhoon_count_as_they_change_hands() -> None:
    """3.4 The Axis has each big city that is drawn as taken by it, until it is taken back."""
    told = told_of("typhoon")
    great = [place.id for place in told.places if place.great]
    assert told.scoring is not None and ("of", len(great)) in told.scoring.conditions[0].args
    board, start = Board(), tallied(told, Board())["axis"]
    for count, hex in enumerate(great, start + 1):
        for effect in draws[CityTaken](None, CityTaken(hex, "axis"), None):  # type: ignore[arg-type]
            board.apply(effect)
        assert tallied(told, board) == {"axis": count}
    for effect in draws[CityTaken](None, CityTaken(great[0], "soviet"), None):  # type: ignore[arg-type]
        board.apply(effect)
    assert tallied(told, board) == {"axis": len(great) - 1}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_each_scenario_of_hungarian_rhapsody_says_what_wins(scenario: str) -> None:
    """HR 1.7 A hex that changes hands is worth what the scenario's file says."""
    told = told_of("hungarian_rhapsody", scenario=scenario)
    assert told.scoring is not None and told.scoring.conditions
    terms = pack_of("hungarian_rhapsody")[f"scenario_{scenario}"]["victory"]
    side, worth = terms["side"], terms.get("hexes", {})
    start = tallied(told, Board()).get(side, 0)
    for hex, points in worth.items():
        held = Board(marks={(hex, f"control.{side}"): 1})
        lost = Board(marks={(hex, "control.axis" if side == "soviet" else "control.soviet"): 1})
        lacking = terms.get("enemy_hexes", {}).get(hex, 0)
        assert tallied(told, held)[side] - tallied(told, lost)[side] == points - lacking
        assert start in (tallied(told, held)[side], tallied(told, lost)[side])
    if "all_hexes" in terms:
        assert told.scoring.tallies[0].wins == len(told.scoring.tallies[0].places) > 0


def test_what_wins_is_said_in_each_language() -> None:
    """Units and conditions are sentences with every argument they ask for."""
    scorings = [told_of(title).scoring for title in TITLES]
    scorings += [told_of("hungarian_rhapsody", scenario=one).scoring for one in SCENARIOS]
    for language in LANGUAGES:
        for scoring in scorings:
            assert scoring is not None
            spoken = lang.phrases(language)
            said = [spoken.say(Say(one.key, one.args)) for one in scoring.conditions]
            said += [spoken.say(Say(scoring.unit, (("n", 2),)))] if scoring.unit else []
            assert said and not any("[" in text or "⟨" in text for text in said), said


def test_results_are_those_of_the_rules() -> None:
    """TY 10.4, VL 9.4, OCS 9.9 What a combat's sentences name is in the table: the column, and the
    result in the row of the die."""
    for title in ("typhoon", "victory_lost"):
        table = told_of(title).results
        crt = results_table(pack_of(title)["tables"]["crt"])
        assert table is not None and table.dice == 1
        for index, column in enumerate(table.heads[0][1]):
            assert crt.columns[index] == column
            for die in range(1, 7):
                assert table.rows[die - table.first][index] == crt.result(index, die)
        assert {code for code, *_ in table.codes} == {code for row in table.rows for code in row}
    costs = {code: rest for code, *rest in told_of("typhoon").results.codes}  # type: ignore[union-attr]
    assert costs["A2"] == [2, 0, 0, 0] and costs["4RR"] == [0, 0, 4, 2]
    assert costs["-"] == [0, 0, 0, 0] and costs["R"] == [0, 0, 0, 1]
    series = told_of("hungarian_rhapsody", scenario="konrad3").results
    assert series is not None and (series.dice, len(series.rows)) == (2, 15)
    assert [id for id, _ in series.heads] == [
        f"ocs.row.{ground}" for ground in ("extremely_close", "very_close", "close", "open")
    ]
    harm = {code: rest for code, *rest in series.codes}
    assert harm["Ao1 DL1o1"] == [0, 1, 1, 1] and harm["AL2"] == [2, 0, 0, 0]
