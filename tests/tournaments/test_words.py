"""The charter and the tie-breaks in words, in every language."""

import re
from fractions import Fraction
from typing import Any

import pytest

from tests.tournaments.bench import read_trf, table_of
from tests.tournaments.desk import Desk, charter_of
from warledger.engine.desk import papers
from warledger.engine.desk.papers import standing_rows
from warledger.engine.tournaments import charterform, charterwords, presets, tiebreakwords
from warledger.engine.tournaments.charter import Charter
from warledger.engine.tournaments.encounters import Encounter
from warledger.engine.tournaments.standings import standings
from warledger.engine.tournaments.tiebreaknames import KINDS
from warledger.engine.tournaments.tiebreaks import Terms
from warledger.engine.tournaments.tournamentdoor import ACTS
from warledger.protocol.lang import phrases
from warledger.protocol.texts.phrases import LANGUAGES

WRONG = re.compile(r"⟨|\[tournament|\[text|tournament\.|  | :")


def charter(**changes: Any) -> Charter:
    """A charter from a preset with changes."""
    doc = {"name": "Cup", "title": "war_at_sea", "preset": "wbc-swiss", **changes}
    made = charterform.read(doc).charter
    assert made is not None
    return made


def told(made: Charter, language: str = "en") -> list[str]:
    """Its sentences."""
    spoken = phrases(language, made.title)
    return [spoken.say(one) for one in charterwords.words(made)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", presets.PRESETS)
def test_every_preset_can_be_read(name: str, language: str) -> None:
    """Whole sentences, with every argument, in every language."""
    sentences = told(charter(preset=name), language)

    assert len(sentences) > 15
    assert [one for one in sentences if WRONG.search(one) or not one.endswith((".", "。"))] == []


def test_what_an_entrant_asks_is_said() -> None:
    """Points, tie-breaks with their seats, bids in units, times in words."""
    stage = {"system": "record", "rounds": 4, "tiebreaks": ["wins:axis", "buchholz:cut1", "lots"]}
    sides = {"by": "bid", "bid": {"price": "other", "step": 1, "most": 20, "minutes": 90}}
    text = "\n".join(told(charter(stage=[stage], sides=sides)))

    for expected in (
        "It has 4 rounds.",
        "A win is worth 10 points, a draw 5, a loss 0.",
        "A game decided by less than 2 is worth 8 and 2 points.",
        "in this order: wins as Axis, Buchholz without the lowest value and lots.",
        "and gives what the other one bid",
        "Bids are in steps of 0.5.",
        "A bid is at most 10.",
        "Bids are open for 90 minutes;",
        "Each side begins with 25 minutes on its clock.",
        "Late entry is possible until round 2.",
    ):
        assert expected in text


@pytest.mark.parametrize(
    "change",
    [
        {"entry": {"invited": True}},
        {"entry": {"apart": True}},
        {"entry": {"most": 30}},
        {"options": {"opt_raid": 1}},
        {"round": [{"number": 2, "title": "typhoon"}]},
        {"late": {"missed": "half", "halves": 2}},
        {"late": {"until_round": 0}},
        {"absence": {"check_in_minutes": 16}},
        {"absence": {"no_show_minutes": 21}},
        {"unfinished": {"by": "panel"}},
        {"unfinished": {"by": "panel", "loss_to": 41}},
        {"unfinished": {"by": "director"}},
        {"unfinished": {"draw": "1.5"}},
        {"unfinished": {"at": "record"}},
        {"claims": {"stop": "claim"}},
        {"claims": {"protest_minutes": 5}},
        {"appeals": {"committee": ["a", "b", "c"]}},
        {"spectators": {"delay_s": 61}},
        {"spectators": {"delay_turns": 2}},
        {"ratings": {"rated": False}},
        {"ratings": {"handicap": True}},
        {"servers": ["ab" * 32]},
        {"sides": {"by": "auction"}},
        {"sides": {"bid": {"price": "other"}}},
        {"sides": {"bid": {"most": 0}}},
        {"clock": {}},
        {"clock": {"free": "7s"}},
        {"clock": {"nights": 8}},
        {"clock": {"leave_days": 3}},
        {"clock": {"fall": "bot", "bot": "captain"}},
        {"clock": {"handicap": {"axis": {"bank": "2h"}}}},
    ],
)
def test_what_binds_an_entrant_shows(change: Any) -> None:
    """Two charters that treat entrants differently do not read the same."""
    base = charter()
    if change == {"clock": {}}:
        plain = {**base.settings(), "clock": {}}
        changed = charterform.of_settings(plain)
    else:
        changed = charter(**change)

    assert changed != base
    assert told(changed) != told(base)


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": 7},
        {"tiebreaks": ["margin:20", "shared"]},
        {"advance": {"most": 4}},
        {"seeds": "lots"},
        {"name": "Heats"},
        {"first_round": "halves"},
        {"again": 3},
        {"eliminator": True},
        {"points": {"win": 11}},
        {"points": {"close": "1.5"}},
        {"points": {"half_bye": 4}},
        {"points": {"forfeit_win": 8}},
    ],
)
def test_what_binds_in_a_stage_shows(change: Any) -> None:
    """The same for each stage."""
    stage = {"system": "record", "rounds": 5}

    assert told(charter(stage=[{**stage, **change}])) != told(charter(stage=[stage]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tie_break_has_a_name(language: str) -> None:
    """With each of its modifiers, and no two the same."""
    names = [
        f"{kind}:{modifier}" if modifier else kind
        for kind, modifiers in KINDS.items()
        for modifier in (
            "",
            *("axis" if one == "SEAT" else "20" if one == "WHOLE" else one for one in modifiers),
        )
    ]
    spoken = phrases(language, "war_at_sea")
    made = [spoken.say(charterwords.tiebreak(name)) for name in names]

    assert len(set(made)) == len(made)
    assert not any(WRONG.search(one) for one in made)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (90_000, "90 seconds"),
        (60_000, "1 minute"),
        (5_400_000, "90 minutes"),
        (9_000_000, "2 hours 30 minutes"),
        (259_200_000, "3 days"),
        (43_200_000, "12 hours"),
    ],
)
def test_times_are_said_in_their_largest_units(ms: int, text: str) -> None:
    """Whole days, hours or minutes, or hours and minutes."""
    key, args, _ = charterwords.time(ms)

    assert phrases("en").text(key, **dict(args)) == text


def test_a_tie_break_is_explained_so_that_it_can_be_added_up() -> None:
    """Player 9 of the exercise: a loss, a loss, a half-point bye, a forfeit and a bye."""
    table = read_trf("tie_breaks.trf")
    names = ["buchholz:cut1", "sos_pooled", "direct", "lots"]
    (mine,) = (one for one in standings(table, names, Terms()) if one.number == 9)
    spoken = phrases("en")
    sentences = [spoken.cited(one) for one in tiebreakwords.explained(mine, names, table)]

    assert sentences[:6] == [
        "Buchholz without the lowest value: 15",
        "Round 1, Alyx with 7: 7",
        "Round 2, Lais with 2: 2",
        "Round 4, forfeit against Maria, counted as 3: 3 [FIDE C.07 16.4.1]",
        "Round 5, not played, counted as an opponent with 3: 3 [FIDE C.07 16.4.2]",
        "Left out: Round 3, not played, counted as an opponent with 3: 3",
    ]
    assert "The sum is divided by" in " ".join(sentences)


def test_a_direct_encounter_is_explained() -> None:
    """With the games among the tied, and what missing ones could bring."""
    table = table_of({1: "2w1 0-Z", 2: "1b0 3w1", 3: "0-Z 2b0"})
    made = standings(table, ["direct", "shared"], Terms())
    spoken = phrases("en")
    sentences = [
        spoken.say(one) for one in tiebreakwords.explained(made[0], ["direct", "shared"], table)
    ]

    assert sentences == [
        "direct encounter among 2 who are equal: 2",
        "Against Player 2: 2",
    ]
    assert tiebreakwords.number(Fraction(-21, 2)) == "−21/2"


def test_a_direct_encounter_that_misses_games_stands_in_parentheses() -> None:
    """After a round of four those who are equal have not met, and what their encounter brought says
    nothing. Two who won once each against the other have met: it stands as it is."""
    desk = Desk(charter_of(stage=[{"system": "round_robin", "tiebreaks": ["direct", "lots"]}]))
    desk.enter(4)
    desk.check_in(range(1, 5))
    desk.start_round()
    desk.open_games()
    desk.report_all()
    assert [row["tiebreaks"]["direct"] for row in standing_rows(desk.at)] == ["(0)"] * 4
    met = Encounter(1, Fraction(10), Fraction(10), 1, 2, ((2, Fraction(10)),))
    assert (papers.shown(met), papers.shown(None)) == ("10", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_act_that_people_choose_is_called_by_words(language: str) -> None:
    """What is on offer to a director, an arbiter or an entrant has a name in every language; what
    the server alone does needs none."""
    spoken = phrases(language)
    chosen = [verb for verb, act in ACTS.items() if act.roles & {"d", "a", "e"}]
    assert "wish" in chosen and "opened" not in chosen
    assert [verb for verb in chosen if not spoken.has(f"web.act.{verb}")] == []
