"""Panels, appeals, amendments, casters: what is offered and refused, and what follows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tournaments.desk import MINUTE, Desk, charter_of
from tests.tournaments.played import audited
from tests.verdicts import findings_of
from warledger.engine.tournaments.tournamentledger import Batch
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Choices

PANEL = {"unfinished": {"by": "panel", "panel": 3, "loss_to": 40, "win_from": 60}}
JUDGES = ("ida", "ike", "ina")
NAMED = ("ida", "Ida", "ike", "Ike", "ina", "Ina")


def panelled(doc: dict[str, Any] | None = None) -> Desk:
    """Two whose game is not over, and a panel of three."""
    desk = Desk(charter_of({**PANEL, **(doc or {})}))
    desk.enter(2)
    desk.start_round()
    desk.open_games()
    desk.do("d:dora", "panel", 1, *NAMED)
    return desk


@pytest.mark.parametrize(
    ("given", "result", "mean"),
    [((70, 55, 50), "draw", "175/3"), ((80, 60, 40), "win", "60"), ((50, 40, 30), "loss", "40")],
)
def test_e16_a_panel_judges_an_unfinished_game(
    given: tuple[int, ...], result: str, mean: str
) -> None:
    """Each seals a percentage, all are opened together, the mean decides; the whole is sound in an
    audit, and so is every part of it before."""
    desk = panelled()
    for account, per_cent in zip(JUDGES, given, strict=True):
        assert desk.refused("server", "adjudicate", 1) == ("unfinished.panel", "panel_waits")
        desk.do(f"a:{account}", "judge", 1, per_cent)
        assert desk.refused(f"a:{account}", "judge", 1, 1)[1] == "role"
        assert findings_of(audited(desk)) == ()
    record = desk.do("server", "adjudicate", 1)
    verdict = desk.at.rounds[0].boards[0].verdict
    assert verdict is not None
    assert (verdict.manner, verdict.results[0]) == ("adjudicated", result)
    assert len(forms.Act.from_record(record).opened) == 3
    assert mean.encode() in forms.Act.from_record(record).effects
    desk.do("d:dora", "finish")
    report = audited(desk)
    assert findings_of(report) == () and report.verdict.level == 2 and report.openings == 3


def test_nothing_of_a_panels_number_shows_before_it_is_opened() -> None:
    """A percentage is in nobody's bytes but an arbiter's until all have judged."""
    desk = panelled()
    planted = canon.pack(("judge", 1, 97))
    desk.do("a:ida", "judge", 1, 97)
    desk.do("a:ike", "judge", 1, 12)
    assert planted not in desk.file() and planted in desk.file(arbiter=True)
    desk.do("a:ina", "judge", 1, 50)
    desk.do("server", "adjudicate", 1)
    assert planted in desk.file()


def test_who_may_be_of_a_panel() -> None:
    """Nobody who plays at the board, nobody twice, nobody who is not named; a panel named anew
    begins again, and what its members had sealed is opened at the end."""
    desk = panelled()
    assert desk.refused("d:dora", "panel", 1, "acc1", "P1", "x", "X", "y", "Y")[1] == "own_board"
    assert desk.refused("d:dora", "panel", 1, "x", "X", "x", "Xenia", "y", "Y")[1] == "named_twice"
    assert desk.refused("a:arno", "judge", 1, 50) == ("unfinished.panel", "not_of_panel")
    assert desk.refused("a:mallory", "judge", 1, 50) == ("", "role")
    desk.do("a:ida", "judge", 1, 90)
    desk.do("d:dora", "panel", 1, "jon", "Jon", "jan", "Jan", "jim", "Jim")
    assert desk.refused("a:ida", "judge", 1, 90) == ("", "role")
    for account in ("jon", "jan", "jim"):
        desk.do(f"a:{account}", "judge", 1, 0)
    desk.do("server", "adjudicate", 1)
    desk.do("d:dora", "finish")
    assert findings_of(audited(desk)) == ()
    plain = Desk()
    plain.enter(2)
    plain.start_round()
    assert plain.refused("d:dora", "panel", 1) == ("unfinished.by", "no_panel")


# --- appeals --------------------------------------------------------------------------------------

COMMITTEE = {
    "appeals": {"committee": [["cal", "Cal"], ["cem", "Cem"], ["acc2", "P2"]], "minutes": 30}
}


def ruled() -> Desk:
    """A claim of each of two entrants, and the rulings on them."""
    desk = Desk(charter_of(COMMITTEE))
    desk.enter(3)
    desk.start_round()
    for number in (1, 2):
        desk.do(f"e:{number}", "claim", "they moved twice")
        desk.do("a:arno", "ruled", number, "rejected", "they did not")
    return desk


def test_a_committee_decides_an_appeal_by_majority() -> None:
    """Of three, two; a ruling is appealed once, in time, by whose claim it was."""
    desk = ruled()
    assert desk.refused("a:cal", "decide", 1)[1] == "no_appeal"
    assert desk.refused("e:3", "appeal", 1) == ("appeals", "nothing_to_appeal")
    desk.do("e:1", "appeal", 1, "they did")
    assert desk.refused("e:1", "appeal", 1) == ("appeals", "nothing_to_appeal")
    assert desk.refused("a:arno", "decide", 1) == ("appeals.committee", "role")
    desk.do("a:cal", "decide", 1, "upheld", "the log shows it")
    assert not desk.at.claims[0].decided
    assert desk.refused("a:cal", "decide", 1)[1] == "no_appeal"
    desk.do("a:acc2", "decide", 1, "upheld", "so it does")
    assert desk.at.claims[0].decided and desk.at.claims[0].finding == "upheld"
    assert desk.refused("a:cem", "decide", 1)[1] == "no_appeal"
    assert findings_of(audited(desk)) == ()


def test_without_a_majority_the_ruling_stands() -> None:
    """A member does not vote on their own claim; if the others differ, nothing changes."""
    desk = ruled()
    desk.at_ms += 29 * MINUTE
    desk.do("e:2", "appeal", 2, "look again")
    desk.do("a:cal", "decide", 2, "upheld", "yes")
    assert desk.refused("a:acc2", "decide", 2)[1] == "no_appeal"
    desk.do("a:cem", "decide", 2, "in_part", "a little")
    assert desk.at.claims[1].decided and desk.at.claims[1].finding == "rejected"
    desk.at_ms += MINUTE
    assert desk.refused("e:1", "appeal", 1, "late") == ("appeals.minutes", "appeal_late")
    assert Desk().refused("e:1", "appeal") == ("appeals.committee", "no_committee")


# --- amendments -----------------------------------------------------------------------------------


def test_an_amendment_binds_what_is_to_come() -> None:
    """More rounds than announced, with a reason that all see; never fewer than are played, and
    nothing while a round is paired or played."""
    stage = [{"system": "record", "rounds": 2, "tiebreaks": ["lots"]}]
    desk = Desk(charter_of(stage=stage))
    desk.enter(6)
    desk.play_round()
    assert desk.refused("d:dora", "amend", "stage[1].rounds", 0) == ("", "pick")
    record = desk.do("d:dora", "amend", "stage[1].rounds", 1, "the hall closes")
    assert ("amended", "stage[1].rounds", 1, "the hall closes") in forms.Act.from_record(
        record
    ).events
    assert desk.refused("d:dora", "pair") == ("stage[1].rounds", "stage_over")
    desk.do("d:dora", "amend", "stage[1].rounds", 3, "it does not")
    desk.start_round()
    assert desk.refused("d:dora", "amend") == ("", "round_on")
    desk.open_games()
    desk.report_all()
    desk.play_round()
    desk.do("d:dora", "finish")
    assert desk.at.founding.settings["stage"][0]["rounds"] == 2
    assert findings_of(audited(desk)) == ()


def test_what_was_played_is_not_offered_to_an_amendment() -> None:
    """No points, no tie-breaks, no system; of a stage that has begun no length of its matches, and
    every key that is offered makes a charter with some value."""
    stage = [
        {"system": "knockout", "best_of": 3, "advance": {"most": 2}, "tie": "higher"},
        {"system": "knockout", "seeds": "standings"},
    ]
    desk = Desk(charter_of({**PANEL, **COMMITTEE, "stage": stage}))
    desk.enter(4)
    before = {str(option.id) for option in _offered(desk, "amend").options}
    desk.play_round()
    keys = {str(option.id) for option in _offered(desk, "amend").options}
    assert before - keys == {"stage[1].best_of"} and "stage[2].best_of" in keys
    assert not any("points" in key or "tiebreak" in key or "system" in key for key in keys)
    for key in sorted(keys):
        found = _offered(desk, "amend", key)
        value = found.options[0].id if found.options else (found.span or (0, 0))[0]
        assert isinstance(desk.propose("d:dora", "amend", key, value, "tried"), Batch), key
    refused = desk.refused("d:dora", "amend", "stage[1].advance.least", 9, "all")
    assert refused == ("stage[1].advance.least", "bad_amendment")


def _offered(desk: Desk, *picks: str) -> Choices:
    found = desk.ledger.choices("d:dora", picks)
    assert isinstance(found, Choices)
    return found


def test_nobody_plays_and_casts() -> None:
    """A caster sees what players may not: whoever has entered is none, and a caster does not
    enter."""
    desk = Desk()
    desk.enter(2)
    assert desk.refused("server", "grant", "caster", "acc1", "P1") == ("spectators", "caster")
    desk.do("server", "grant", "caster", "cora", "Cora")
    assert desk.refused("e:3", "enter", "Cora", "cora", 0) == ("spectators", "caster")
    desk.do("server", "end_grant", "caster", "cora")
    desk.do("e:3", "enter", "Cora", "cora", 0)
