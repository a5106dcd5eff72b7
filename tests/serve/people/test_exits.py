"""A hostile name through every form in which text leaves the server or is shown: one table."""

import csv
import io
import json
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from warledger.clients.terminal.visible import line, visible
from warledger.engine.desk import calendars, mail, webhook
from warledger.engine.desk.noticetexts import notice_letter, sentence
from warledger.engine.desk.outbox import Message, Notice
from warledger.engine.desk.printing import _page, _table
from warledger.engine.tournaments import csvfiles
from warledger.engine.tournaments.crosstable import Entrant
from warledger.protocol.lang import phrases

HOSTILE = (
    "=HYPERLINK(1)\r\nBcc: x@evil.example\x1b[2J\u202e\u2028<script>alert(1)</script> & \"q\" 'q' "
    "<!channel> <@U1> @everyone [bank](https://evil.example) <https://evil.example|bank> `x` "
    "BEGIN:VEVENT"
)


def notice(form: str) -> str:
    """The sentence of a notice about an opponent of this name."""
    about = Notice("decision", "g1", "a", 7, "war_at_sea", {"against": HOSTILE})
    return sentence("en", about, "https://games.example.org", form)


def posted(form: str) -> str:
    """What a webhook of this form is sent as text."""
    kind, body = webhook.body_of(form, "id", "decision", [notice(form)], ["g1"])
    if "json" not in kind:
        return body.decode()
    told = json.loads(body)
    return str(told.get("text", told.get("content")))


def letter() -> str:
    """A letter about it, as it goes to the mail server."""
    message = Message("k", "a", "mail", "en", "a@b.example", "", "s", 0, ())
    server = mail.MailServer("mail.example.org", "games@example.org")
    written = notice_letter(message, [notice("")], server.sender, "https://games.example.org")
    return mail.letter(server, "anna@example.org", "k", 1, written).as_bytes().decode()


class Seen(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def one_line(text: str) -> bool:
    """Nothing that breaks a line, controls a terminal, or turns text around."""
    return len(text.splitlines()) == 1 and "\x1b" not in text and "\u202e" not in text


def is_slack(text: str) -> bool:
    """No mention and no link of Slack's."""
    return one_line(text) and "<" not in text and "&lt;!channel&gt;" in text


def is_discord(text: str) -> bool:
    """No link behind other words, and no mention."""
    return one_line(text) and "[bank](" not in text and r"\[bank\]\(" in text and "<@" not in text


def is_mail(text: str) -> bool:
    """No header but ours."""
    head, _, body = text.partition("\r\n\r\n")
    return "Bcc" not in head and "Bcc:" in body


def is_csv(text: str) -> bool:
    """One row under the heading, and no formula."""
    rows = list(csv.reader(io.StringIO(text)))
    return len(rows) == 2 and rows[1][1] == "'" + HOSTILE


def is_html(text: str) -> bool:
    """No tag of the name's, and the name as it is."""
    seen = Seen()
    seen.feed(text)
    return "script" not in seen.tags and "a" not in seen.tags and "<!channel>" in seen.text


def is_calendar(text: str) -> bool:
    """One event."""
    return text.count("\nBEGIN:VEVENT") == 1 and "\nBcc:" not in text


EXITS: dict[str, tuple[Callable[[], str], Callable[[str], bool]]] = {
    "webhook as JSON": (lambda: posted("json"), one_line),
    "ntfy": (lambda: posted("ntfy"), one_line),
    "webhook as text": (lambda: posted("text"), one_line),
    "Slack": (lambda: posted("slack"), is_slack),
    "Discord": (lambda: posted("discord"), is_discord),
    "mail": (letter, is_mail),
    "CSV": (lambda: csvfiles.entrants([Entrant(1, HOSTILE, 0, ())]), is_csv),
    "HTML": (
        lambda: _page(HOSTILE, _table([HOSTILE], [(HOSTILE,)]), phrases("en", "war_at_sea")),
        is_html,
    ),
    "calendar": (
        lambda: calendars.write(
            HOSTILE, [calendars.Event("u", HOSTILE, 1_000_000, 2_000_000, "", HOSTILE)], 1_000_000
        ).decode(),
        is_calendar,
    ),
    "a line of a terminal": (lambda: line(HOSTILE), one_line),
    "text of a terminal": (lambda: visible(HOSTILE), lambda text: "\x1b" not in text),
}


@pytest.mark.parametrize("name", EXITS)
def test_a_hostile_name_is_a_name_in_every_form(name: str) -> None:
    """Its readers see those characters, and no link, mention, header, tag or second line."""
    write, holds = EXITS[name]
    text = write()
    assert holds(text), text


def test_every_form_of_a_webhook_is_in_the_table() -> None:
    """A new form is put through it."""
    assert {"json", "ntfy", "text", "slack", "discord"} == set(webhook.FORMS)
