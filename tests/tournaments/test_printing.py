"""What a director prints, and calendars."""

from html.parser import HTMLParser
from typing import Any

import icalendar
import pytest
from attrs import evolve as replace

from warledger.engine.desk import calendars, printing
from warledger.engine.desk.calendars import Event
from warledger.engine.tournaments import csvfiles
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line
from warledger.protocol.lang import phrases
from warledger.protocol.texts.phrases import LANGUAGES

SEATS = ("allied", "axis")
SPOKEN = phrases("en", "war_at_sea")


def table() -> Crosstable:
    """Two boards and a bye; one entrant is named like markup."""
    lines = {
        1: Line("pending", 0, None, (4,), 1, 0, 2),
        2: Line("pending", 0, None, (3,), 0, 0, 1),
        3: Line("pending", 0, None, (2,), 1, 0, 1),
        4: Line("pending", 0, None, (1,), 0, 0, 2),
        5: Line("pairing_bye", 2),
    }
    names = ("Zoe", "<b>Ben</b> & Co", "cyd", "Ada", "Eve")
    return Crosstable(tuple(Entrant(n, one) for n, one in enumerate(names, 1)), (lines,))


class Cells(HTMLParser):
    """The cells of the tables of a page, row by row, and every tag that was opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.open = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.open = False

    def handle_data(self, data: str) -> None:
        if self.open:
            self.rows[-1][-1] += data


def test_pairings_by_board() -> None:
    """In the order of boards and seats, then who is not paired; names are never markup."""
    page = Cells(printing.by_board("Open", table(), 1, SEATS, SPOKEN))

    assert page.rows == [
        ["Board", "Allies", "Axis"],
        ["1", "<b>Ben</b> & Co", "cyd"],
        ["2", "Ada", "Zoe"],
        ["", "Eve", ""],
    ]
    assert "b" not in page.tags and "script" not in page.tags


def test_pairings_by_name() -> None:
    """Everybody once, in the order of names."""
    page = Cells(printing.by_name("Open", table(), 1, SEATS, SPOKEN))

    assert [row[0] for row in page.rows[1:]] == ["<b>Ben</b> & Co", "Ada", "cyd", "Eve", "Zoe"]
    assert ["Ada", "2", "Allies", "Zoe"] in page.rows and ["Eve", "", "", ""] in page.rows


def test_pairings_as_text() -> None:
    """For a terminal or a chat."""
    assert printing.text("Open", table(), 1, SEATS, SPOKEN).splitlines() == [
        "Open: round 1",
        "",
        "1. Allies <b>Ben</b> & Co, Axis cyd",
        "2. Allies Ada, Axis Zoe",
        "Eve is not paired.",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_is_printed_under_a_side_before_it_is_theirs(language: str) -> None:
    """A board whose sides are still bid for says so by board, as text and as CSV, beside boards
    whose sides are settled; where all are settled nothing is said."""
    spoken = phrases(language, "war_at_sea")
    settled = table()
    (lines,) = settled.rounds
    open_ = {n: replace(one, seat=None) if one.board == 2 else one for n, one in lines.items()}
    waits = replace(settled, rounds=(open_,))
    said = spoken.text("tournament.print.open")
    rows = Cells(printing.by_board("Open", waits, 1, SEATS, spoken)).rows
    assert rows[1:3] == [["1", "<b>Ben</b> & Co", "cyd", ""], ["2", "Zoe", "Ada", said]]
    text = printing.text("Open", waits, 1, SEATS, spoken).splitlines()
    assert text[3] == f"2. Zoe – Ada ({said})" and said not in text[2]
    assert csvfiles.pairings(waits, 1, SEATS).splitlines()[:3] == [
        "board,allied,,axis,,sides",
        "1,2,<b>Ben</b> & Co,3,cyd",
        "2,1,Zoe,4,Ada,open",
    ]
    for written in (
        printing.by_board("Open", settled, 1, SEATS, spoken),
        printing.text("Open", settled, 1, SEATS, spoken),
    ):
        assert said not in written
    assert "open" not in csvfiles.pairings(settled, 1, SEATS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_slips_have_a_code_for_each_seat(language: str) -> None:
    """One slip a board; a code only for those whose address is given."""
    urls = {1: "https://example.org/seat?x=1&y=2", 4: "https://example.org/4"}
    page = printing.slips("Open", table(), 1, SEATS, phrases(language, "war_at_sea"), urls)

    assert page.count('class="slip"') == 2
    assert page.count("<svg") == 2 and f'lang="{language}"' in page
    # Without a box of its own a code would be cut where the page makes it smaller.
    assert page.count("<svg viewBox=") == 2
    assert "⟨" not in page and "[tournament" not in page


def test_a_calendar_is_read_back() -> None:
    """Rounds with their end, deadlines as moments, alarms before; text that needs escapes, in one
    line."""
    at = 1_790_000_000_000
    events = (
        Event(
            "open-r1@x", "Open; round 1, two\nlines", at, at + 7_200_000, "https://example.org/t"
        ),
        Event("open-r1-bids@x", "Bids", at + 500, at + 500, description="until", warn_minutes=15),
    )
    data = calendars.write("Atlantic Open", events, at)
    read = icalendar.Calendar.from_ical(data)
    first, second = read.walk("VEVENT")

    assert data == calendars.write("Atlantic Open", events, at)
    assert first["SUMMARY"] == "Open; round 1, two lines" and first["UID"] == "open-r1@x"
    assert first.decoded("dtend").timestamp() - first.decoded("dtstart").timestamp() == 7200
    assert first.decoded("dtstart").timestamp() * 1000 == at
    assert "DTEND" not in second and second["DESCRIPTION"] == "until"
    (alarm,) = second.walk("VALARM")
    assert alarm.decoded("trigger").total_seconds() == -900
