"""Every system of the charter in a ledger: played to its end, sound in an audit, and keeping its
laws."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.tournaments import desk as desks
from tests.tournaments.desk import Desk, charter_of
from tests.tournaments.played import Played, audited, named_inputs
from tests.verdicts import findings_of
from warledger.engine.tournaments import presets
from warledger.engine.tournaments.eliminations import in_play, undecided
from warledger.engine.tournaments.tally import crosstable, groups_of, ladder_order
from warledger.engine.tournaments.tournamentposition import ELIMINATOR, Position, Titled

SWISS = {"system": "record", "rounds": 3, "tiebreaks": ["sos_pooled", "lots"]}


def stage(system: str, **more: Any) -> dict[str, Any]:
    """A charter of one stage."""
    return {"stage": [{"system": system, "tiebreaks": ["wins", "lots"], **more}]}


CHARTERS: dict[str, tuple[dict[str, Any], int]] = {
    "mini-cup": ({"preset": "mini-cup", "stage": presets.PRESETS["mini-cup"]["stage"]}, 10),
    "pbem": (
        {
            "stage": presets.PRESETS["pbem-double-elimination"]["stage"],
            "sides": presets.PRESETS["pbem-double-elimination"]["sides"],
        },
        9,
    ),
    "ladder": (
        {
            "stage": presets.PRESETS["ladder"]["stage"],
            "sides": presets.PRESETS["ladder"]["sides"],
        },
        7,
    ),
    "ladder by rating": (stage("ladder", by="rating", within=3, share=3), 8),
    "double elimination, another game": (stage("double_elimination", tie="another"), 7),
    "double elimination, a seat goes on": (
        stage("double_elimination", tie="axis", free_at=[3, 5]),
        6,
    ),
    "double elimination of three games": (stage("double_elimination", best_of=3), 5),
    "knock-out of three games": (stage("knockout", best_of=3), 6),
    "knock-out with all places": (stage("knockout", consolation=True), 11),
    "knock-out of both games": ({**stage("knockout"), "sides": {"by": "both"}}, 5),
    "knock-out by auction": (
        {**stage("knockout", tie="higher"), "sides": {"by": "auction", "bid": {"most": 8}}},
        5,
    ),
    "a Swiss of both games": ({"stage": [SWISS], "sides": {"by": "both"}}, 7),
    "a Swiss with volunteers": ({"stage": [{**SWISS, "eliminator": True}]}, 7),
    "volunteers who bid": (
        {"stage": [{**SWISS, "eliminator": True}], "sides": {"by": "bid", "bid": {"most": 8}}},
        7,
    ),
    "heats and a final": (
        {
            "stage": [
                {
                    "system": "heats",
                    "rounds": 3,
                    "tiebreaks": ["wins", "lots"],
                    "advance": {"by": "best", "steps": [[4, 2], [8, 4]]},
                },
                {"system": "knockout", "seeds": "standings", "tie": "higher"},
            ],
            "sides": {"by": "lots"},
        },
        9,
    ),
}


@pytest.mark.parametrize("name", CHARTERS)
def test_each_system_is_played_to_a_sound_end(name: str) -> None:
    """By chance, with draws, to the finish: everybody has a place, nobody sits twice in a round but
    a volunteer, and the audit decides every act again. Every pairing names the inputs that the
    protocol's page describes."""
    doc, count = CHARTERS[name]
    desk = Played(doc, count).to_the_end()
    assert sorted(set(desk.at.places)) == sorted(desk.at.places)
    for one in desk.at.rounds:
        twice = [number for number, kind in one.byes if kind == ELIMINATOR]
        sat = Counter(number for board in one.boards for number in board.entrants)
        assert {number for number, times in sat.items() if times > 1} == set(twice), name
    report = audited(desk)
    assert findings_of(report) == () and report.verdict.level == 2, name
    assert named_inputs(desk), name


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("name", CHARTERS)
def test_each_system_is_played_to_a_sound_end_many_times(name: str, seed: int) -> None:
    """The same with other numbers and other chance."""
    doc, count = CHARTERS[name]
    desk = Played(doc, count + seed % 4, seed).to_the_end()
    report = audited(desk)
    assert findings_of(report) == () and report.verdict.level == 2, (name, seed)


# --- matches of several games ---------------------------------------------------------------------


def won(desk: Desk, board: int, winner: int | None) -> None:
    """Give a board of the newest round a result."""
    assert desk.at.last is not None
    what = ("draw", "played", "-") if winner is None else ("win", winner, "played", 8, "-")
    desk.do("d:dora", "result", desk.at.last.number, board, *what)


def pairs(at: Position) -> list[set[int]]:
    """Who sits at the boards of the newest round."""
    assert at.last is not None
    return [set(board.entrants) for board in at.last.boards]


def test_a_series_goes_on_until_it_is_decided() -> None:
    """Best of three: sides are turned in a further game, who has won two plays no third, and
    nobody sets other boards in between."""
    desk = Desk(charter_of(stage("knockout", best_of=3)))
    desk.enter(4)
    desk.start_round()
    first = desk.at.rounds[0].boards
    for board in first:
        won(desk, board.number, min(board.entrants))
    assert desk.refused("d:dora", "set", "friends", 1, 2, 3, 4) == ("stage[1]", "further")
    desk.start_round()
    assert [board.entrants for board in desk.at.rounds[1].boards] == [
        board.entrants[::-1] for board in first
    ]
    won(desk, 1, min(first[0].entrants))
    won(desk, 2, max(first[1].entrants))
    assert crosstable(desk.at).rounds[0][2].manner == "pending"
    desk.start_round()
    assert pairs(desk.at) == [set(first[1].entrants)]
    won(desk, 1, None)
    assert len(undecided(desk.at)) == 1  # level after three: another one
    desk.start_round()
    won(desk, 1, max(first[1].entrants))
    assert not undecided(desk.at)
    desk.start_round()
    assert pairs(desk.at) == [{1, max(first[1].entrants)}]


def test_margins_of_both_games_are_added() -> None:
    """One game each way: the wider win decides; a game won outright counts before margins."""
    desk = Desk(charter_of({**stage("record", rounds=1), "sides": {"by": "both"}}))
    desk.enter(4)
    desk.start_round()
    one, other = desk.at.rounds[0].boards
    desk.do("d:dora", "result", 1, 1, "win", one.entrants[0], "played", 6, "-")
    desk.do("d:dora", "result", 1, 2, "win", other.entrants[0], "played", 0, "resigned")
    desk.start_round()
    desk.do("d:dora", "result", 2, 1, "win", one.entrants[1], "played", 2, "-")
    desk.do("d:dora", "result", 2, 2, "draw", "played", "-")
    table = crosstable(desk.at)
    start = {number: place for place, number in enumerate(desk.at.order, start=1)}
    line = table.rounds[0][start[one.entrants[0]]]
    assert (len(table.rounds), line.result, line.margin) == (1, "win", 4)
    assert table.rounds[0][start[other.entrants[0]]].result == "win"


def test_a_correction_does_not_change_a_bracket_that_is_paired() -> None:
    """Before the next round is paired it does; afterwards who goes on stands."""
    for early in (True, False):
        desk = Desk(charter_of(stage("knockout", tie="higher")))
        desk.enter(4)
        desk.start_round()
        for board in desk.at.rounds[0].boards:
            won(desk, board.number, min(board.entrants))
        change = ("correct", 1, 1, "win", max(desk.at.rounds[0].boards[0].entrants), "played", 2)
        if early:
            desk.do("d:dora", *change, "misread")
        desk.start_round()
        if not early:
            desk.do("d:dora", *change, "misread")
        first = desk.at.rounds[0].boards[0].entrants
        assert pairs(desk.at) == [{max(first) if early else min(first), 2}]
        won(desk, 1, 2)
        desk.do("d:dora", "finish")
        assert desk.at.places[0] == 2 and findings_of(audited(desk)) == ()


# --- eliminations ---------------------------------------------------------------------------------


def test_consolation_plays_for_every_place() -> None:
    """Eight in three rounds: as the lower number always wins, they end in their order."""
    desk = Desk(charter_of(stage("knockout", consolation=True)))
    desk.enter(8)
    for _ in range(3):
        desk.play_round()
        assert desk.at.last is not None and len(desk.at.last.boards) == 4
    desk.do("d:dora", "finish")
    assert desk.at.places == (1, 2, 3, 4, 5, 6, 7, 8)


def test_who_loses_twice_is_out_and_draws_count_as_the_charter_says() -> None:
    """Two draws are a loss; where a round would leave nobody, those who drew play again."""
    desk = Desk(charter_of(stage("double_elimination", draws_out=2)))
    desk.enter(2)
    for _ in range(3):
        desk.start_round()
        won(desk, 1, None)
        assert len(in_play(desk.at)) == 2 and not undecided(desk.at)
    desk.start_round()
    won(desk, 1, None)
    assert not in_play(desk.at) and len(undecided(desk.at)) == 1
    desk.start_round()
    assert desk.at.last is not None and desk.at.last.further
    won(desk, 1, 2)
    assert in_play(desk.at) == (2,)
    desk.do("d:dora", "finish")
    assert desk.at.places == (2, 1) and findings_of(audited(desk)) == ()


def test_who_withdraws_from_a_double_elimination_is_out() -> None:
    """The others go on, and the last who is there has won."""
    desk = Desk(charter_of(stage("double_elimination", tie="higher")))
    desk.enter(3)
    desk.play_round()
    desk.do("e:1", "withdraw", 1)
    desk.do("e:2", "withdraw", 2)
    assert in_play(desk.at) == (3,)
    desk.do("d:dora", "finish")
    assert desk.at.places[0] == 3


# --- groups, heats, ladders -----------------------------------------------------------------------


def test_groups_are_as_strong_and_their_winners_meet_others() -> None:
    """Ten in three groups, dealt forwards and backwards; of those who go on nobody meets somebody
    of their own group first."""
    doc = {
        "stage": [
            {
                "system": "groups",
                "group_size": 4,
                "points": {"bye": 0},
                "tiebreaks": ["direct", "lots"],
                "advance": {"most": 2},
            },
            {"system": "knockout", "seeds": "standings", "tie": "higher"},
        ]
    }
    desk = Desk(charter_of(doc))
    desk.enter(10)
    desk.do("d:dora", "number", "rating")
    assert groups_of(desk.at) == ((1, 6, 7), (2, 5, 8), (3, 4, 9, 10))
    groups = groups_of(desk.at)
    for _ in range(3):
        desk.play_round()
    met = [frozenset(board.entrants) for one in desk.at.rounds for board in one.boards]
    assert len(set(met)) == len(met) == 3 + 3 + 6
    assert all(any(pair <= set(group) for group in groups) for pair in met)
    assert desk.refused("d:dora", "pair") == ("stage[1].rounds", "stage_over")
    desk.do("d:dora", "advance")
    assert desk.at.order[:3] == (1, 2, 3) and len(desk.at.order) == 6
    desk.start_round()
    assert not any(pair <= set(group) for pair in pairs(desk.at) for group in groups)


def test_of_each_group_of_a_league_the_first_go_up_and_the_last_come_down() -> None:
    """Nine in three groups, one above the other, for two seasons; one who withdraws between them
    leaves their group smaller. The last season stands by its groups."""
    season = {"system": "league", "group_size": 3, "tiebreaks": ["direct", "lots"]}
    going_up = {**season, "advance": {"by": "season", "most": 1}}
    desk = Desk(charter_of({"stage": [going_up, {**season, "seeds": "standings"}]}))
    desk.enter(9)
    desk.do("d:dora", "number", "rating")
    assert groups_of(desk.at) == ((1, 2, 3), (4, 5, 6), (7, 8, 9))
    for _ in range(3):
        desk.play_round()
    assert all(
        any({*board.entrants} <= {*group} for group in groups_of(desk.at))
        for one in desk.at.rounds
        for board in one.boards
    )
    desk.do("e:9", "withdraw", 9)
    desk.do("d:dora", "advance")
    assert groups_of(desk.at) == ((1, 2, 4), (3, 5, 7), (6, 8))
    for _ in range(3):
        desk.play_round()
    assert desk.refused("d:dora", "pair") == ("stage[2].rounds", "stage_over")
    desk.do("d:dora", "finish")
    assert desk.at.places == (1, 2, 4, 3, 5, 7, 6, 8)


def test_who_sat_out_of_a_heat_is_seated_first() -> None:
    """Five at tables of two: in four rounds nobody sits out twice; the best go on by the number of
    entrants."""
    doc = {
        "stage": [
            {
                "system": "heats",
                "rounds": 4,
                "tiebreaks": ["wins", "lots"],
                "advance": {"by": "wins", "steps": [[4, 2], [8, 4]]},
            },
            {"system": "knockout", "seeds": "standings"},
        ]
    }
    desk = Desk(charter_of(doc))
    desk.enter(5)
    for _ in range(4):
        desk.play_round()
    free = [number for one in desk.at.rounds for number, _ in one.byes]
    assert len(free) == len(set(free)) == 4
    desk.do("d:dora", "advance")
    assert len(desk.at.order) == 2


def test_e15_a_ladder_moves_after_its_round() -> None:
    """Neighbours meet; B beats A, C beats D, F beats E, H beats G: B C F H A D E G. The next round
    pairs nobody with whom they met last."""
    desk = Desk(charter_of(stage("ladder")))
    desk.enter(8)
    desk.start_round()
    assert pairs(desk.at) == [{1, 2}, {3, 4}, {5, 6}, {7, 8}]
    for board, winner in enumerate((2, 3, 6, 8), start=1):
        won(desk, board, winner)
    assert ladder_order(desk.at) == (2, 3, 6, 8, 1, 4, 5, 7)
    before = pairs(desk.at)
    desk.do("d:dora", "pair")
    assert not any(pair in before for pair in pairs(desk.at))
    assert pairs(desk.at)[0] == {2, 3}


def test_a_challenge_is_paired_first() -> None:
    """Upwards, within a number of places, one a round, nobody who is challenged already."""
    desk = Desk(charter_of(stage("ladder", within=2)))
    desk.enter(5)
    assert desk.refused("e:5", "challenge", 3) == ("stage[1].seeds", "no_order")
    desk.do("d:dora", "number", "rating")
    assert desk.refused("e:5", "challenge", 2) == ("", "pick")
    desk.do("e:4", "challenge", 2)
    assert desk.refused("e:4", "challenge", 3) == ("stage[1].within", "challenged")
    assert desk.refused("e:3", "challenge", 2) == ("", "pick")
    desk.do("d:dora", "pair")
    assert pairs(desk.at) == [{1, 3}, {2, 4}]
    assert desk.at.rounds[0].byes == ((5, "zero_bye"),)


def test_a_late_entrant_begins_at_the_foot_of_a_ladder() -> None:
    """As the charter allows."""
    desk = Desk(charter_of({**stage("ladder"), "late": {"until_round": 9, "missed": "zero"}}))
    desk.enter(4)
    desk.play_round()
    desk.enter(2)
    assert ladder_order(desk.at)[-2:] == (5, 6)
    desk.start_round()
    assert {5, 6} in pairs(desk.at)


# --- volunteers, rounds with other titles ---------------------------------------------------------


def test_a_volunteers_second_board_counts_for_the_other_alone() -> None:
    """Of five one is left over and one volunteers: the volunteer has the points of the first board
    only; without a volunteer there is a bye."""
    desk = Desk(charter_of({"stage": [{**SWISS, "eliminator": True}]}))
    desk.enter(5)
    desk.do("d:dora", "pair")
    assert [kind for _, kind in desk.at.rounds[0].byes] == ["pairing_bye"]
    desk.do("d:dora", "unpair", "somebody volunteers")
    for number in range(1, 6):
        desk.do(f"e:{number}", "volunteer")
    assert desk.refused("e:1", "volunteer") == ("stage[1].eliminator", "volunteered")
    desk.start_round()
    ((second, kind),) = desk.at.rounds[0].byes
    assert kind == ELIMINATOR and len(desk.at.rounds[0].boards) == 3
    first, extra = desk.at.rounds[0].boards_of(second)
    desk.open_games()
    for board in desk.at.rounds[0].boards:
        seats = desk.at.seats(1)
        index = board.entrants.index(second) if second in board.entrants else 0
        wins = seats[index] if board.number == extra.number else seats[1 - index]
        desk.report(board, wins)
    table = crosstable(desk.at)
    line = table.rounds[0][desk.at.order.index(second) + 1]
    other = next(number for number in extra.entrants if number != second)
    assert (line.result, line.board) == ("loss", first.number)
    theirs = table.rounds[0][desk.at.order.index(other) + 1]
    assert (theirs.result, theirs.board) == ("loss", extra.number)


def test_titles_and_scenarios_change_by_round() -> None:
    """As the charter numbers its rounds: a further game is played as the one before it."""
    doc = {
        **stage("knockout", best_of=3),
        "round": [{"number": 2, "title": "war_at_sea", "options": {"opt_combat_order": "by_type"}}],
    }
    desk = Desk(charter_of(doc))
    desk.enter(4)
    for expected in (1, 1, 2, 2):
        desk.play_round()
        assert desk.at.charter_round(len(desk.at.rounds)) == expected
        assert bool(desk.at.played_in(len(desk.at.rounds))[1]) == (expected == 2)
    assert not undecided(desk.at)


def test_a_title_for_three_is_played_in_heats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven at boards of three: lots deal the seats, one sits out each round; who is named has won
    and the others have lost, by a report, by the director, and after a correction."""
    three = Titled(("red", "green", "blue"))
    monkeypatch.setattr(desks, "titled", lambda title: three)
    desk = Desk(
        charter_of({**stage("heats", rounds=2, table=3), "sides": {"by": "lots"}}),
    )
    desk.enter(7)
    desk.start_round()
    one, other = desk.at.rounds[0].boards
    assert {len(board.entrants) for board in (one, other)} == {3} and one.seated
    assert len(desk.at.rounds[0].byes) == 1
    desk.open_games()
    desk.report(desk.at.rounds[0].boards[0], "green", 1, 5, 2)
    assert "forfeit" not in {
        str(option.id)
        for option in getattr(desk.ledger.choices("d:dora", ("result", 1, 2)), "options", ())
    }
    won(desk, 2, other.entrants[2])
    first, second = desk.at.rounds[0].boards
    assert first.verdict is not None and first.verdict.results == ("loss", "win", "loss")
    assert second.verdict is not None and second.verdict.results == ("loss", "loss", "win")
    assert second.verdict.margins == (-8, -8, 8)
    desk.do("d:dora", "correct", 1, 2, "draw", "played", "misread")
    lines = crosstable(desk.at).rounds[0]
    start = {number: place for place, number in enumerate(desk.at.order, start=1)}
    assert [lines[start[n]].result for n in other.entrants] == ["draw"] * 3
    assert lines[start[one.entrants[1]]].opponents == tuple(
        start[n] for n in (one.entrants[0], one.entrants[2])
    )
    desk.start_round()
    assert desk.at.rounds[1].byes[0][0] != desk.at.rounds[0].byes[0][0]


def test_who_leaves_and_returns_gains_nothing() -> None:
    """No points for the rounds missed, also where late entrants have half of them, no bye but by
    pairing, and no bid once the bids of the board are opened."""
    doc = {
        "stage": [SWISS],
        "late": {"until_round": 3, "missed": "half", "halves": 2},
        "sides": {"by": "bid", "bid": {"most": 20, "minutes": 10}},
    }
    desk = Desk(charter_of(doc))
    desk.enter(4)
    desk.do("e:4", "withdraw", 4)
    desk.start_round()
    assert desk.at.rounds[0].board_of(4) is None and 4 not in dict(desk.at.rounds[0].byes)
    desk.do("e:4", "return", 4)
    board = desk.at.rounds[0].boards[0]
    for number in board.entrants:
        desk.do(f"e:{number}", "bid", "axis", number)
    desk.do("server", "sides", 1)
    for number in (*board.entrants, 4):
        assert desk.refused(f"e:{number}", "bid", "axis", 20)[0] in ("sides.bid", "sides.by")
    desk.open_games()
    desk.report_all()
    assert crosstable(desk.at).points(desk.at.order.index(4) + 1) == 0
    desk.enter(1)
    desk.start_round()
    assert crosstable(desk.at).rounds[0][desk.at.order.index(5) + 1].points == 1
