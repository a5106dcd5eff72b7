"""iCalendar: the rounds and deadlines of a tournament, for one's own calendar.

Times are those of the server in UTC, so that every calendar shows them in its owner's zone. An
event keeps its uid, so that a subscribed calendar moves it when a round moves.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from attrs import frozen

from warledger.engine.desk.escapes import plain

PRODUCT: Final = "-//Warledger//Tournaments//EN"


@frozen
class Event:
    """An event.

    Attributes:
        uid: the same for the same event, whenever the calendar is written: of a tournament, its
            round and what happens.
        summary: one line, in the reader's language.
        begin_ms, end_ms: Unix time; an end that is not later makes it a moment, such as a
            deadline.
        url: where to go, "" for nowhere.
        description: more lines, "" for none.
        warn_minutes: an alarm so long before, 0 for none.
    """

    uid: str
    summary: str
    begin_ms: int
    end_ms: int
    url: str = ""
    description: str = ""
    warn_minutes: int = 0


def write(name: str, events: Sequence[Event], at_ms: int) -> bytes:
    """The calendar as a file, in the order given. `at_ms` is when it was made."""
    import icalendar  # only here: it takes a tenth of a second, which each start would pay

    calendar = icalendar.Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", plain(name))
    for one in events:
        event = icalendar.Event()
        event.add("uid", one.uid)
        event.add("dtstamp", _time(at_ms))
        event.add("summary", plain(one.summary))
        event.add("dtstart", _time(one.begin_ms))
        if one.end_ms > one.begin_ms:
            event.add("dtend", _time(one.end_ms))
        if one.url:
            event.add("url", one.url)
        if one.description:
            event.add("description", "\n".join(map(plain, one.description.splitlines())))
        if one.warn_minutes:
            alarm = icalendar.Alarm()
            alarm.add("action", "DISPLAY")
            alarm.add("description", plain(one.summary))
            alarm.add("trigger", timedelta(minutes=-one.warn_minutes))
            event.add_component(alarm)
        calendar.add_component(event)
    made: bytes = calendar.to_ical()
    return made


def _time(ms: int) -> datetime:
    """Whole seconds: a calendar has no others."""
    return datetime.fromtimestamp(ms // 1000, UTC)
