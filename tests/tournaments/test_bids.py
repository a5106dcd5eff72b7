"""Sides: who has which, and what is given for it."""

from functools import partial
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from tests.tournaments.desk import MINUTE, PUBLIC, Desk, charter_of
from tests.verdicts import findings_of
from warledger.clients.audit.audit import installed
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.commands.tournament.lines import tell
from warledger.clients.terminal.screen import Screen
from warledger.engine.desk import papers
from warledger.engine.tournaments.sides import chooser
from warledger.engine.tournaments.tournamentposition import Board
from warledger.protocol import tournaments as forms
from warledger.protocol.lang import phrases
from warledger.protocol.texts.phrases import LANGUAGES


def auction(**more: Any) -> Desk:
    """Two who auction the sides of their board."""
    sides = {"by": "auction", "bid": {"step": 1, "most": 6, "minutes": 10, **more}}
    desk = Desk(charter_of(sides=sides))
    desk.enter(2)
    desk.start_round()
    return desk


def board(desk: Desk) -> Board:
    """The board of the round."""
    assert desk.at.last is not None
    return desk.at.last.boards[0]


def both_want(desk: Desk, side: str = "axis") -> tuple[str, str]:
    """Both wish for the same side: who speaks first, and the other."""
    record = desk.do("e:1", "wish", side)
    assert side.encode() not in record.data
    desk.do("e:2", "wish", side)
    desk.do("server", "sides", 1)
    called = board(desk).auction
    assert called is not None and not board(desk).seated
    return f"e:{called.speaks}", f"e:{3 - called.speaks}"


def test_e10_an_auction() -> None:
    """The first says 4, the second 5, the first accepts the other side: the second gives 5. Words
    come in turn and rise; the whole is sound in an audit."""
    desk = auction()
    first, second = both_want(desk)
    assert desk.refused(second, "offer", 1) == ("sides.bid", "not_your_word")
    assert desk.refused(first, "accept") == ("sides.bid", "nothing_offered")
    desk.do(first, "offer", 4)
    assert desk.refused(second, "offer", 4) == ("", "pick")
    desk.do(second, "offer", 5)
    desk.do(first, "accept")
    index = desk.at.seats(1).index("axis")
    assert board(desk).entrants[index] == int(second[2:])
    assert board(desk).handicap == (1 - index, 5)
    desk.open_games()
    desk.report_all()
    desk.do("d:dora", "finish")
    report = audit_tournament(desk.file(), key=PUBLIC, rulebook=installed())
    assert findings_of(report) == () and report.verdict.level == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_auction_is_told_as_it_goes(language: str) -> None:
    """Everybody can read who has made a wish, whose word it is and what was offered, and until when
    there is time, but no wish; the desk says it in words. When it is over none of it is left."""
    desk = auction()
    desk.do("e:1", "wish", "axis")
    told = papers.told("cup", desk.at, draft=False)["rounds"][0]
    (waits,) = told["boards"]
    assert (waits["bids"], waits["bidders"], waits["auction"]) == (1, (1,), None)
    published = told["published_ms"]
    assert waits["sides_until_ms"] == published + 10 * MINUTE and "axis" not in str(waits)
    assert told["no_show_ms"] == published + 20 * MINUTE
    pairings = partial(papers.write, "cup", kind="pairings.txt", round=1, spoken=phrases(language))
    said = phrases(language).text("tournament.print.open")
    assert said in pairings(at=desk.at).decode()
    desk.do("e:2", "wish", "axis")
    desk.do("server", "sides", 1)
    speaks = board(desk).auction
    assert speaks is not None
    first, second = f"e:{speaks.speaks}", f"e:{3 - speaks.speaks}"
    assert "{" not in lines(desk, language)
    desk.at_ms += MINUTE
    desk.do(first, "offer", 3)
    (row,) = papers.round_told(desk.at, desk.at.rounds[0])["boards"]
    axis = desk.at.seats(1).index("axis")
    holder = {"seat": axis, "speaks": int(second[2:]), "half_units": 3, "holder": int(first[2:])}
    assert row["auction"] == holder and row["sides_until_ms"] == desk.at_ms + 10 * MINUTE
    assert "1.5" in lines(desk, language) and "{" not in lines(desk, language)
    desk.do(second, "accept")
    (row,) = papers.round_told(desk.at, desk.at.rounds[0])["boards"]
    assert row["auction"] is None and row["sides_until_ms"] is None
    assert "+1.5" in lines(desk, language) and said not in pairings(at=desk.at).decode()


def lines(desk: Desk, language: str) -> str:
    """What a director's desk says of the tournament."""
    out = StringIO()
    screen = Screen(plain=True, language=language, console=Console(file=out, width=200))
    tell(screen, papers.told("cup", desk.at, draft=True))
    return out.getvalue()


def test_an_auction_of_different_wishes_is_none() -> None:
    """Each has the side they named; who names none takes the one that is left."""
    desk = auction()
    desk.do("e:1", "wish", "axis")
    desk.do("e:2", "wish", "allied")
    desk.do("server", "sides", 1)
    assert board(desk).entrants[desk.at.seats(1).index("axis")] == 1
    assert board(desk).handicap == (0, 0) and board(desk).auction is None
    alone = auction()
    alone.do("e:2", "wish", "allied")
    assert alone.refused("server", "sides", 1) == ("sides.bid.minutes", "bids_open")
    alone.at_ms += 10 * MINUTE
    assert alone.refused("e:1", "wish", "allied") == ("sides.bid.minutes", "bid_late")
    alone.do("server", "sides", 1)
    assert board(alone).entrants[alone.at.seats(1).index("allied")] == 2


def test_silence_in_an_auction() -> None:
    """Who does not answer an offer in time has accepted; who makes none has accepted the other's
    for nothing. The time runs from the last word."""
    desk = auction()
    first, second = both_want(desk, "allied")
    desk.at_ms += 9 * MINUTE
    desk.do(first, "offer", 2)
    desk.at_ms += 9 * MINUTE
    assert desk.refused("server", "sides", 1) == ("sides.bid.minutes", "bids_open")
    desk.at_ms += MINUTE
    assert desk.refused(second, "offer", 3) == ("sides.bid.minutes", "bid_late")
    desk.do("server", "sides", 1)
    index = desk.at.seats(1).index("allied")
    assert board(desk).entrants[index] == int(first[2:])
    assert board(desk).handicap == (1 - index, 2)
    quiet = auction()
    first, second = both_want(quiet, "allied")
    quiet.at_ms += 10 * MINUTE
    quiet.do("server", "sides", 1)
    assert board(quiet).entrants[index] == int(second[2:]) and board(quiet).handicap == (0, 0)


def test_an_auction_ends_at_the_charters_bound() -> None:
    """Steps of two up to six; then the other can only accept."""
    desk = auction(step=2)
    first, second = both_want(desk)
    assert desk.refused(first, "offer", 1) == ("", "pick")
    desk.do(first, "offer", 6)
    assert desk.refused(second, "offer", 8) == ("sides.bid.most", "highest")
    desk.do(second, "accept")
    assert board(desk).handicap[1] == 6


@pytest.mark.parametrize("by", ["choice:higher", "choice:lower"])
def test_who_chooses_has_the_side_they_name(by: str) -> None:
    """The higher or the lower in the starting order; after the time a lot."""
    desk = Desk(charter_of(sides={"by": by}))
    desk.enter(2)
    desk.start_round()
    mine = chooser(desk.at, board(desk))
    assert desk.refused(f"e:{3 - mine}", "choose", "axis") == ("sides.by", "other_chooses")
    desk.do(f"e:{mine}", "choose", "axis")
    assert board(desk).entrants[desk.at.seats(1).index("axis")] == mine
    late = Desk(charter_of(sides={"by": by}))
    late.enter(2)
    late.start_round()
    late.at_ms += 10 * MINUTE
    act = forms.Act.from_record(late.do("server", "sides", 1))
    assert board(late).seated and len(act.draws) == 1
