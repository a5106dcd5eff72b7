"""A tournament's ledger: what it offers and refuses, by clause of its charter, and what its fold
says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tournaments.desk import MINUTE, PUBLIC, Desk, charter_of
from tests.verdicts import findings_of
from warledger.clients.audit.audit import installed
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.engine.tournaments import tournamentdoor
from warledger.engine.tournaments.bids import Dealt, settle
from warledger.engine.tournaments.brackets import bracket
from warledger.engine.tournaments.tally import crosstable, places
from warledger.engine.tournaments.tournamentledger import Again, Batch, Ledger
from warledger.engine.tournaments.tournamentposition import Position, link_opened
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Choices, Refusal


def bidding(**more: object) -> Desk:
    """A tournament of two who bid for sides."""
    sides = {"by": "bid", "bid": {"price": "own", "step": 1, "most": 20, "minutes": 10}}
    desk = Desk(charter_of(sides=sides, **more))
    desk.enter(2)
    desk.start_round()
    return desk


def test_a_round_robin_is_played_to_its_end() -> None:
    """Five play all: five rounds with one free each, ten boards, nobody meets twice, and the links
    of all rounds are opened."""
    desk = Desk()
    desk.enter(5)
    for _ in range(5):
        desk.play_round()
    met = [board.entrants for one in desk.at.rounds for board in one.boards]
    assert len(met) == 10 == len({frozenset(pair) for pair in met})
    assert {number for one in desk.at.rounds for number, _ in one.byes} == {1, 2, 3, 4, 5}
    assert desk.refused("d:dora", "pair") == ("stage[1].rounds", "stage_over")
    desk.do("d:dora", "finish")
    assert desk.at.places[0] == 1 and desk.log[-1].kind == forms.END
    assert [record.body[0] for record in desk.log if record.kind == forms.OPEN] == [1, 2, 3, 4, 5]
    assert desk.refused("d:dora", "pair") == ("", "over")


def test_a_ledger_read_again_stands_where_it_stood() -> None:
    """The fold of the stored records is the position, and acts go on from there."""
    desk = bidding()
    desk.do("e:1", "bid", "allied", 3)
    again = Ledger(desk.log[0], desk.keys, desk.at.title_of)
    again.load(desk.log[1:], desk.openings)
    assert again.position == desk.at
    desk.ledger = again
    desk.do("e:2", "bid", "axis", 5)
    desk.do("server", "sides", 1)
    board = desk.at.rounds[0].boards[0]
    assert board.handicap == (0, 0) and board.seated


def test_a_bracket_of_eleven() -> None:
    """Byes to seeds 1 to 5, and the pairs of example E14."""
    lines = bracket(11)
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    assert {max(pair) for pair in pairs if 0 in pair} == {1, 2, 3, 4, 5}
    assert {tuple(sorted(pair)) for pair in pairs if 0 not in pair} == {(6, 11), (7, 10), (8, 9)}
    quarters = [{*a, *b} - {0} for a, b in zip(pairs[::2], pairs[1::2], strict=True)]
    assert quarters == [{1, 8, 9}, {4, 5}, {3, 6, 11}, {2, 7, 10}]


@pytest.mark.parametrize(
    ("one", "other", "price", "expected"),
    [
        ((1, 0, 3), (2, 1, 5), "own", ((1, 2), 0, 0)),  # E06
        ((1, 0, 3), (2, 0, 4), "own", ((2, 1), 1, 4)),  # E07: 2 POC to the Axis
        ((1, 0, 3), (2, 0, 4), "other", ((2, 1), 1, 3)),  # E07: 1.5
        ((1, 1, 4), (2, 1, 4), "own", ((2, 1), 0, 4)),  # the lot gives 1 the side
        ((1, None, 0), (2, 0, 9), "own", ((2, 1), 0, 0)),  # who has not bid wants nothing
    ],
)
def test_sealed_bids(
    one: tuple[int, int | None, int],
    other: tuple[int, int | None, int],
    price: str,
    expected: tuple[tuple[int, int], int, int],
) -> None:
    """Different wishes are granted; of two equal wishes the higher amount has it."""
    assert settle(one, other, price, lambda: 0) == Dealt(*expected)


def test_bids_are_sealed_until_both_have_bid_and_opened_together() -> None:
    """Nothing of a bid stands in the log before its board's sides are settled; then both do."""
    desk = bidding()
    record = desk.do("e:1", "bid", "axis", 17)
    assert b"axis" not in record.data
    assert desk.refused("server", "sides", 1) == ("sides.bid.minutes", "bids_open")
    assert desk.refused("e:1", "bid", "axis", 3) == ("sides.bid", "has_bid")
    desk.do("e:2", "bid", "axis", 4)
    settled = forms.Act.from_record(desk.do("server", "sides", 1))
    assert sorted(opening.value for opening in settled.opened) == [
        ("bid", "axis", 4),
        ("bid", "axis", 17),
    ]
    board = desk.at.rounds[0].boards[0]
    seats = desk.at.seats(1)
    assert board.entrants[seats.index("axis")] == 1
    assert board.handicap == (seats.index("allied"), 17)


def test_who_does_not_bid_in_time_wants_no_side() -> None:
    """Once the minutes are over the sides are settled without the bid; a late one is refused."""
    desk = bidding()
    desk.do("e:2", "bid", "axis", 20)
    desk.at_ms += 10 * MINUTE
    assert desk.refused("e:1", "bid", "axis", 1) == ("sides.bid.minutes", "bid_late")
    desk.do("server", "sides", 1)
    board = desk.at.rounds[0].boards[0]
    assert board.entrants[desk.at.seats(1).index("axis")] == 2 and board.handicap[1] == 0


def test_of_two_directors_at_once_the_second_is_told_to_look_again() -> None:
    """An act that changes pairings names the newest record that was seen; a stale one is refused,
    one sent twice is one act."""
    desk = Desk()
    desk.do("server", "grant", "director", "otto", "Otto")
    desk.enter(4)
    seen = desk.ledger.last.hash
    desk.do("d:dora", "pair", act_id=b"once")
    assert isinstance(desk.propose("d:dora", "pair", act_id=b"once"), Again)
    assert desk.refused("d:otto", "publish", seen=seen) == ("", "stale")
    assert desk.refused("d:otto", "unpair", "mine", seen=b"") == ("", "stale")


def test_pairing_again_gives_the_same_pairs() -> None:
    """Who withdraws a pairing and makes it anew has the same one: lots depend on nothing that a
    director may repeat."""
    stage = [{"system": "round_robin", "seeds": "lots", "tiebreaks": ["direct", "lots"]}]
    desk = Desk(charter_of(stage=stage, sides={"by": "lots"}))
    desk.enter(8)
    desk.check_in(range(1, 5))
    desk.do("d:dora", "pair")
    first = desk.at.rounds[-1].boards
    desk.do("d:dora", "unpair", "I should like another one")
    desk.check_in(range(5, 9))  # nonces shown now are for the next epoch
    desk.do("d:dora", "pair")
    assert desk.at.rounds[-1].boards == first


@pytest.mark.parametrize(
    ("picks", "expected"),
    [
        (("d:mallory", "pair"), ("", "role")),
        (("e:1", "pair"), ("", "role")),
        (("e:1", "withdraw", 2), ("", "pick")),
        (("e:7", "enter", "P7", "acc7", 0), ("entry", "entered")),
        (("e:5", "enter", "Eve", "acc1", 0), ("entry", "account_entered")),
        (("e:5", "enter", "Eve", "eve", 0, "zz"), ("", "hex")),
        (("e:1", "check_in", 1, "00" * 32), ("", "pick")),
        (("e:1", "show", 1, "00" * 32), ("", "role")),
        (("server", "show", 1, "00" * 32), ("lots", "no_wait")),
        (("e:1", "commit", "zz"), ("", "hex")),
        (("d:dora", "rostered", "d:dora", "pair"), ("lots", "role")),
        (("d:dora", "end_wait"), ("lots", "no_wait")),
        (("e:1", "absent", 1, 1, "half_bye"), ("", "pick")),
        (("d:dora", "publish"), ("stage[1]", "not_paired")),
        (("d:dora", "result", 1, 1), ("stage[1]", "no_open_board")),
        (("d:dora", "advance"), ("stage", "last_stage")),
        (("d:dora", "finish"), ("stage[1].rounds", "rounds_left")),
        (("d:dora", "cheat"), ("", "no_such_act")),
        (("d:dora", "announce"), ("", "incomplete")),
        (("server", "opened", 1, "g", "00" * 32), ("stage[1]", "no_round")),
    ],
)
def test_what_is_not_offered_is_refused(
    picks: tuple[str | int, ...], expected: tuple[str, str]
) -> None:
    """Before the first round, each with the clause that it rests on."""
    desk = Desk()
    desk.enter(4)
    assert desk.refused(str(picks[0]), *picks[1:]) == expected


def test_every_act_that_is_offered_can_be_walked() -> None:
    """Whatever the door offers, and whatever it offers after that, leads to an act that is carried
    out or to a refusal with a reason: never to an error."""
    desk = Desk()
    desk.enter(4)
    walked = 0
    for stage in ("before", "paired", "published"):
        if stage == "paired":
            desk.do("d:dora", "pair")
        elif stage == "published":
            desk.do("d:dora", "publish")
            desk.open_games()
        for who in ("d:dora", "a:arno", "e:1", "e:5", "server"):
            walked += _walk(desk, who)
    assert walked > 60


def _walk(desk: Desk, who: str) -> int:
    """Follow the first and the last option of everything that is offered."""
    count, left = 0, [()]
    while left and count < 400:
        picks = left.pop()
        offered = tournamentdoor.choices(desk.at, who, picks)
        if not isinstance(offered, Choices):
            continue
        count += 1
        if offered.complete and picks:
            desk.propose(who, *picks)
        more = [option.id for option in offered.options]
        if offered.span is not None:
            more = [offered.span[0]]
        elif offered.text:
            more = ["00" * 32 if offered.slot in ("genesis", "hash", "nonce_hash") else "word"]
        ends = more if not picks else more[:1] + more[1:][-1:]
        if len(picks) < 12:
            left += [(*picks, pick) for pick in ends]
    return count


def test_a_report_needs_the_games_signed_end() -> None:
    """A head that no server of the charter has signed is refused, a game is reported once, and the
    points follow from the scores and the charter."""
    desk = Desk()
    desk.enter(4)
    desk.start_round()
    desk.open_games()
    board = desk.at.rounds[0].boards[0]
    good = desk.proof(1, board, "allied", 5, 2)
    bad = (*good[:4], "00" * 64, *good[5:])
    assert desk.refused("server", "report", *bad) == ("servers", "not_signed")
    other = desk.proof(1, desk.at.rounds[0].boards[1], "allied", 5, 2)
    assert desk.refused("server", "report", 1, 1, *other[2:]) == ("servers", "not_signed")
    desk.do("server", "report", *good)
    assert desk.refused("server", "report", *good) == ("", "pick")
    index = desk.at.seats(1).index("allied")
    verdict = desk.at.rounds[0].boards[0].verdict
    assert verdict is not None and verdict.results[index] == "win"


def test_a_correction_binds_what_is_not_paired_yet() -> None:
    """The standings change, a round that was paired stays as it was, and the director may not
    correct a board of their own."""
    desk = Desk()
    desk.enter(4)
    desk.do("d:dora", "enter", "Dora", "dora", 900)
    desk.play_round()
    desk.start_round()
    paired = desk.at.rounds[1].boards
    board = next(b for b in desk.at.rounds[0].boards if 5 not in b.entrants)
    loser = max(board.entrants)
    before = places(desk.at).index(loser)
    desk.do("d:dora", "correct", 1, board.number, "win", loser, "played", 8, "typed wrongly")
    assert desk.at.rounds[1].boards == paired
    assert places(desk.at).index(loser) <= before
    line = crosstable(desk.at).rounds[0][desk.at.order.index(loser) + 1]
    assert (line.result, line.margin) == ("win", 8)
    desk.open_games()
    desk.report_all()
    hers = desk.at.rounds[1].board_of(5) or desk.at.rounds[0].board_of(5)
    round = 2 if desk.at.rounds[1].board_of(5) else 1
    assert hers is not None
    refused = desk.refused("d:dora", "correct", round, hers.number, "both", "x")
    assert refused == ("appeals", "own_board")


def test_who_is_away_has_the_bye_the_charter_gives_and_who_leaves_forfeits() -> None:
    """In a tournament in which all play all, whoever is not there has lost their board."""
    desk = Desk()
    desk.enter(4)
    desk.play_round()
    desk.do("e:4", "withdraw", 4)
    desk.start_round()
    board = desk.at.rounds[1].board_of(4)
    assert board is not None and board.verdict is not None
    assert board.verdict.manner == "forfeit"
    assert board.verdict.results[board.entrants.index(4)] == "loss"


@pytest.mark.parametrize("when", ["before the pairing", "after the publication"])
def test_who_leaves_and_returns_gets_no_byes_by_it(when: str) -> None:
    """An entrant of an odd field withdraws and returns in every round. Back before the pairing they
    are paired like anybody, and nobody has a second bye; back after it, the round is worth what the
    charter gives those who are away, and they have no more than the points of their games."""
    stage = [{"system": "record", "rounds": 4, "tiebreaks": ["lots"], "points": {"bye": 2}}]
    desk = Desk(charter_of(stage=stage, absence={"check_in_minutes": 15}))
    desk.enter(7)
    desk.check_in(range(1, 8))
    desk.play_round()
    for _ in range(3):
        desk.do("e:7", "withdraw", 7)
        if when == "before the pairing":
            desk.do("e:7", "return", 7)
        here = [number for number, person in desk.at.entrants.items() if person.present]
        desk.check_in(here)
        desk.play_round()
        if when == "after the publication":
            desk.do("e:7", "return", 7)
    byes = [(number, kind) for one in desk.at.rounds for number, kind in one.byes]
    given = [number for number, kind in byes if kind == "bye"]
    assert len(given) == len(set(given)), byes
    mine = desk.at.order.index(7) + 1
    lines = [one[mine] for one in crosstable(desk.at).rounds]
    away = [line for line in lines[1:] if not line.opponents and line.manner != "pairing_bye"]
    if when == "after the publication":
        assert len(away) == 3 and all(line.points == 0 for line in away), lines
    else:
        assert not away, lines


def test_a_round_set_by_hand_has_its_reason_in_the_log() -> None:
    """Everybody who plays is named, nobody twice; the reason is told to all."""
    desk = Desk()
    desk.enter(4)
    desk.do("d:dora", "number", "rating")
    assert desk.refused("d:dora", "set", "friends", 1, 2, 1) == ("", "pick")
    assert desk.refused("d:dora", "set", "friends", 1, 2)[1] == "incomplete"
    record = desk.do("d:dora", "set", "friends", 1, 2, 3, 4)
    assert [board.entrants for board in desk.at.rounds[0].boards] == [(1, 2), (3, 4)]
    assert ("announced", "friends") in forms.Act.from_record(record).events
    desk.do("d:dora", "swap", 1, 3, "they came together")
    assert [board.entrants for board in desk.at.rounds[0].boards] == [(3, 2), (1, 4)]


def test_stages_follow_one_another() -> None:
    """All play all, then the first four of the standings go on into a knock-out."""
    desk = Desk(
        charter_of(
            stage=[
                {"system": "round_robin", "tiebreaks": ["lots"], "advance": {"most": 4}},
                {"system": "knockout", "seeds": "standings", "tie": "axis"},
            ]
        )
    )
    desk.enter(6)
    for _ in range(5):
        desk.play_round()
    assert desk.refused("d:dora", "finish") == ("stage", "stages_left")
    desk.do("d:dora", "advance")
    assert desk.at.order == (1, 2, 3, 4)
    desk.play_round()
    assert [set(board.entrants) for board in desk.at.rounds[-1].boards] == [{1, 4}, {2, 3}]
    desk.play_round()
    assert [set(board.entrants) for board in desk.at.rounds[-1].boards] == [{1, 2}]
    desk.do("d:dora", "finish")
    assert desk.at.places[:2] == (1, 2)


def test_a_swiss_is_paired_by_the_dutch_system_and_audits_as_it_was() -> None:
    """Seven players and three rounds with a late entry and an absence: nobody meets twice, who is
    away has the bye that they asked for, and nothing differs when it is decided again."""
    stage = [{"system": "dutch", "rounds": 3, "tiebreaks": ["buchholz", "lots"]}]
    desk = Desk(charter_of(stage=stage, late={"until_round": 2, "missed": "zero"}))
    desk.enter(7)
    desk.play_round()
    desk.enter(1)
    desk.do("e:3", "absent", 3, 2, "zero_bye")
    desk.play_round()
    assert (3, "zero_bye") in desk.at.rounds[1].byes and desk.at.rounds[1].board_of(8)
    desk.play_round()
    assert desk.refused("e:9", "enter", "Late", "late", 0) == ("late.until_round", "late")
    met = [frozenset(board.entrants) for one in desk.at.rounds for board in one.boards]
    assert len(set(met)) == len(met)
    desk.do("d:dora", "finish")
    report = audit_tournament(desk.file(), key=PUBLIC, rulebook=installed())
    assert findings_of(report) == () and report.verdict.level == 2


def test_a_swiss_by_record_with_sealed_bids_is_the_same_however_often_it_is_paired() -> None:
    """Eleven players, lots of 40 bits a pair: pairing anew changes nothing, nobody meets twice or
    is free twice, and the audit computes each pairing again."""
    stage = [{"system": "record", "rounds": 4, "tiebreaks": ["sos_pooled", "lots"]}]
    sides = {"by": "bid", "bid": {"price": "own", "step": 1, "most": 20, "minutes": 10}}
    desk = Desk(charter_of(stage=stage, sides=sides))
    desk.enter(11)
    desk.check_in(range(1, 9))
    for _ in range(4):
        desk.do("d:dora", "pair")
        first = desk.at.rounds[-1]
        desk.do("d:dora", "unpair", "once more")
        desk.do("d:dora", "pair")
        assert desk.at.rounds[-1] == first
        desk.do("d:dora", "publish")
        for board in first.boards:
            desk.do(f"e:{board.entrants[0]}", "bid", "axis", board.number)
            desk.do(f"e:{board.entrants[1]}", "waive")
            desk.do("server", "sides", board.number)
        desk.open_games()
        desk.report_all()
    met = [frozenset(board.entrants) for one in desk.at.rounds for board in one.boards]
    free = [number for one in desk.at.rounds for number, _ in one.byes]
    assert len(set(met)) == len(met) == 20 and len(set(free)) == len(free) == 4
    desk.do("d:dora", "finish")
    report = audit_tournament(desk.file(), key=PUBLIC, rulebook=installed())
    assert findings_of(report) == () and report.verdict.level == 2
    round = next(r.seq for r in desk.log if r.kind == forms.ACT and r.body[1] == ("pair",))

    def other(body: tuple[Any, ...]) -> tuple[Any, ...]:
        *events, paired = body[5]
        boards = paired[5]
        (a, b), (c, d) = boards[0][0], boards[1][0]
        swapped = (((a, c), boards[0][1]), ((b, d), boards[1][1]), *boards[2:])
        return (*body[:5], (*events, (*paired[:5], swapped, *paired[6:])), *body[6:])

    report = audit_tournament(desk.forged(round, other), key=PUBLIC, rulebook=installed())
    assert findings_of(report)[0].seq == round and findings_of(report)[0].field.startswith("events")


def test_a_round_that_cannot_be_paired_is_refused_with_names() -> None:
    """Two who share a club and are kept apart: a refusal that names them, and the director sets the
    board by hand."""
    stage = [{"system": "dutch", "rounds": 1, "tiebreaks": ["lots"]}]
    desk = Desk(charter_of(stage=stage, entry={"apart": True}))
    for number, name in ((1, "Ann"), (2, "Bob")):
        desk.do(f"e:{number}", "enter", name, name.lower(), 1500, "-", "Club")
    desk.do("d:dora", "number", "rating")
    answer = desk.propose("d:dora", "pair")
    assert isinstance(answer, Refusal) and dict(answer.args)["names"]
    assert answer.key == "refusal.tournament.cannot_pair_absolute"
    desk.do("d:dora", "set", "they agree to play", 1, 2)


def test_the_position_is_a_fold_of_what_the_file_holds() -> None:
    """The events alone give the position: nothing of a pick is read again."""
    desk = Desk()
    desk.enter(3)
    desk.play_round()
    position: Position = Ledger(desk.log[0], desk.keys, desk.at.title_of).position
    for record in desk.log[1:]:
        if record.kind == forms.OPEN:
            position = link_opened(position, record.seq)
        else:
            act = forms.Act.from_record(record)
            position = tournamentdoor.folded(
                position, act.who, act.events, record.seq, record.at_ms
            )
    assert position == desk.at
    assert isinstance(desk.propose("d:dora", "announce", "Lunch"), Batch)
