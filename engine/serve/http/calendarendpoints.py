"""The calendar of one person, which HTTP serves at a secret address: when their flags fall, and the
rounds of the tournaments that they have entered.

Rules of this file:
- Whoever knows the address reads the calendar, and a program that does tells others. So nothing is
  in it that spectators of these games may not see yet: a game with a delay is left out, and of a
  tournament only what it shows.
- The address is nowhere in a log, and no cache keeps what is served.
"""

from __future__ import annotations

from typing import Final

from warledger.engine.desk import accounts, calendars, papers
from warledger.engine.desk.accounts import Planned
from warledger.engine.desk.calendars import Event
from warledger.engine.desk.hosted import Hosted
from warledger.engine.serve.games import gamelists
from warledger.engine.serve.http.http1 import Response
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.wire.ratelimits import Bill
from warledger.engine.serve.wire.viewer import Viewer
from warledger.protocol import lang

FOLDER: Final = "/api/calendars/"
ENDING: Final = ".ics"
CODE_CHARS_MAX: Final = 200


def address(hub: Hub, code: str) -> str:
    """Where the calendar with this code is; without the server where the page's address is not
    known."""
    return f"{hub.url.rstrip('/')}{FOLDER}{code}{ENDING}"


async def find(hub: Hub, code: str, bill: Bill) -> Response | None:
    """The calendar with this code, None if there is none. Raises BadRequest."""
    people = hub.people
    if len(code) > CODE_CHARS_MAX or not people.are_there:
        return None
    planned = await people.look(lambda at: accounts.of_calendar(at, code))
    if planned is None:
        return None
    events = [*await _flags(hub, planned, bill), *await _rounds(hub, planned)]
    now = hub.supervisor.ambient.now_ms()
    name = lang.phrases(planned.language).text("calendar.name", handle=planned.handle)
    body = await hub.supervisor.ambient.blocking(lambda: calendars.write(name, events, now))
    headers = (
        ("Content-Type", "text/calendar; charset=utf-8"),
        ("Cache-Control", "private, no-store"),
    )
    return Response(200, headers, body)


async def _flags(hub: Hub, planned: Planned, bill: Bill) -> list[Event]:
    """When the flags of the person's own open questions fall."""
    viewer = Viewer(digests={(game, seat): token for game, seat, token in planned.seats})
    found = []
    for row in await gamelists.mine(hub, viewer):
        await bill.turn()
        if row["deadline_ms"] is None or row["delay_s"] or row["delay_turns"]:
            continue
        spoken = lang.phrases(planned.language, row["title"])
        for seat in row["mine"]:
            if seat in row["awaits"]:
                game, at_ms = row["game"], row["deadline_ms"]
                said = spoken.text("calendar.flag", seat=seat, game=game)
                uid = f"{game}-{seat}-flag@warledger"
                url = f"{hub.url.rstrip('/')}/game/{game}" if hub.url else ""
                found.append(Event(uid, said, at_ms, at_ms, url))
    return found


async def _rounds(hub: Hub, planned: Planned) -> list[Event]:
    """The rounds of tournaments in which the person is entered, as everybody sees them."""
    if hub.hosting is None:
        return []
    spoken = lang.phrases(planned.language)
    found: dict[str, list[Event]] = {}
    for id, who, token in planned.seats:
        hosted = None if id in found else await hub.hosting.find(id)
        if isinstance(hosted, Hosted) and hosted.holds(who, token):
            found[id] = papers.round_events(id, hosted.shown, spoken)
    return [event for events in found.values() for event in events]
