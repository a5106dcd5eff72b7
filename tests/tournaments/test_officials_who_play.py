"""What a director, an arbiter or a member of the committee who plays in the tournament may decide:
everything but their own business."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tournaments.desk import Desk, charter_of
from tests.tournaments.played import audited
from tests.verdicts import findings_of
from warledger.protocol.board.choices import Choices

PLAYS = "d:acc1"
"""A director who is entrant 1."""
SWISS = {"stage": [{"system": "record", "rounds": 3, "tiebreaks": ["direct", "lots"]}]}
PANEL = {"unfinished": {"by": "panel", "panel": 3, "loss_to": 40, "win_from": 60}}


def desk_of(count: int, doc: dict[str, Any] | None = None) -> Desk:
    """So many entrants, of whom the first directs and rules, beside officials who do not play."""
    desk = Desk(charter_of(doc))
    desk.enter(count)
    for role in ("director", "arbiter"):
        desk.do("server", "grant", role, "acc1", "P1")
    return desk


def offered(desk: Desk, who: str, *picks: Any) -> set[Any]:
    """What somebody may pick next."""
    found = desk.ledger.choices(who, picks)
    assert isinstance(found, Choices), found
    return {option.id for option in found.options}


def rival(desk: Desk) -> int:
    """Whom entrant 1 is paired with."""
    assert desk.at.last is not None
    board = next(one for one in desk.at.last.boards if 1 in one.entrants)
    return next(number for number in board.entrants if number != 1)


def test_nobody_pairs_a_round_by_hand_in_which_they_play() -> None:
    """Not the whole, not a swap at their own board, not a second draw; a director who does not play
    does all three, and one who has withdrawn plays no more."""
    desk = desk_of(6, SWISS)
    desk.do("d:dora", "pair")
    own = {1, rival(desk)}
    assert offered(desk, PLAYS, "swap") == {1, 2, 3, 4, 5, 6} - own
    assert offered(desk, "d:dora", "swap") == {1, 2, 3, 4, 5, 6}
    assert desk.refused(PLAYS, "unpair", "anew")[1] == "own_pairing"
    assert desk.refused(PLAYS, "set", "by hand", 1, 2, 3, 4, 5, 6)[1] == "own_pairing"
    desk.do("d:dora", "unpair", "anew")
    desk.do("e:1", "withdraw", 1)
    desk.do("e:2", "withdraw", 2)
    desk.do(PLAYS, "set", "by hand", 3, 5, 4, 6)
    desk.do(PLAYS, "unpair", "anew")
    assert findings_of(audited(desk)) == ()


def test_nobody_chooses_the_lots_or_the_order_of_their_own_tournament() -> None:
    """The starting order by hand and the end of the wait for nonces are another director's."""
    desk = desk_of(4, SWISS)
    assert offered(desk, PLAYS, "number") == {"rating", "lots"}
    assert offered(desk, "d:dora", "number") == {"rating", "lots", "given"}
    desk.showing = False
    desk.do("d:dora", "number", "lots")
    assert desk.at.waits
    assert desk.refused(PLAYS, "end_wait")[1] == "own_pairing"
    desk.do("d:dora", "end_wait")


def test_nobody_gives_themself_a_bye_or_takes_their_opponent_away() -> None:
    """A director's own absence brings nothing, as any entrant's; whom they play now they do not
    withdraw."""
    desk = desk_of(4, SWISS)
    assert offered(desk, PLAYS, "absent", 1, 2) == {"zero_bye"}
    assert len(offered(desk, PLAYS, "absent", 2, 2)) == 3
    desk.start_round()
    assert offered(desk, PLAYS, "withdraw") == {1, 2, 3, 4} - {rival(desk)}
    assert offered(desk, "d:dora", "withdraw") == {1, 2, 3, 4}


def test_nobody_rules_on_a_claim_of_their_opponent() -> None:
    """Neither as director nor as arbiter; claims of others are theirs to rule on."""
    desk = desk_of(4, SWISS)
    desk.start_round()
    other = next(number for number in (2, 3, 4) if number != rival(desk))
    desk.do(f"e:{rival(desk)}", "claim", "they moved twice")
    for who in (PLAYS, "a:acc1"):
        assert desk.refused(who, "ruled", 1, "rejected", "no")[1] == "own_claim"
    desk.do(f"e:{other}", "claim", "the clock")
    assert offered(desk, PLAYS, "ruled") == {2}
    desk.do(PLAYS, "ruled", 2, "rejected", "no")
    desk.do("a:arno", "ruled", 1, "upheld", "so it was")
    assert findings_of(audited(desk)) == ()


def test_nobody_names_the_panel_of_their_own_board() -> None:
    """A director who plays at the only open board names none."""
    desk = desk_of(2, PANEL)
    desk.start_round()
    desk.open_games()
    named = (1, "ida", "Ida", "ike", "Ike", "ina", "Ina")
    assert desk.refused(PLAYS, "panel", *named)[1] == "own_board"
    desk.do("d:dora", "panel", *named)


@pytest.mark.parametrize("ruler", ["d:cal", "a:cal"])
def test_nobody_votes_on_the_appeal_against_their_own_ruling(ruler: str) -> None:
    """Who ruled, as director or as arbiter, and who has played the appellant, do not vote; the
    others decide, and an audit finds it sound. Where nobody may vote there is no appeal."""
    committee = [["cal", "Cal"], ["cem", "Cem"], ["cid", "Cid"], ["acc2", "P2"], ["cox", "Cox"]]
    desk = Desk(charter_of({"appeals": {"committee": committee, "minutes": 30}}))
    desk.enter(2)
    for role in ("director", "arbiter"):
        desk.do("server", "grant", role, "cal", "Cal")
    desk.start_round()
    desk.do("e:1", "claim", "they moved twice")
    desk.do(ruler, "ruled", 1, "rejected", "no")
    desk.do("e:1", "appeal", 1, "they did")
    for partial in ("a:cal", "a:acc2"):
        assert desk.refused(partial, "decide", 1, "rejected", "no")[1] == "no_appeal"
    desk.do("a:cem", "decide", 1, "upheld", "yes")
    desk.do("a:cid", "decide", 1, "rejected", "no")
    desk.do("a:cox", "decide", 1, "upheld", "yes")
    assert desk.at.claims[0].decided and desk.at.claims[0].finding == "rejected"
    assert findings_of(audited(desk)) == ()
    alone = Desk(charter_of({"appeals": {"committee": committee[:1], "minutes": 30}}))
    alone.enter(2)
    alone.do("server", "grant", "arbiter", "cal", "Cal")
    alone.start_round()
    alone.do("e:1", "claim", "they moved twice")
    alone.do("a:cal", "ruled", 1, "rejected", "no")
    assert alone.refused("e:1", "appeal", 1, "they did")[1] == "nothing_to_appeal"
