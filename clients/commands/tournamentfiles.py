"""Files of a tournament that is kept in a data directory, its charter in words, and how a standing
came about: `warledger tournament write`, `charter` and `explain`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import frozen

from warledger.clients.commands.tournamentdesk import CannotOpen, answered, opened
from warledger.clients.terminal.screen import Screen
from warledger.engine.desk import calendars, printing
from warledger.engine.desk.calendars import CalendarMissing, Event
from warledger.engine.runtime.answers import Done
from warledger.engine.tournaments import (
    charterwords,
    csvfiles,
    shapes,
    tally,
    tiebreakwords,
)
from warledger.engine.tournaments.crosstable import Crosstable
from warledger.engine.tournaments.position import Position
from warledger.protocol.choices import Picks
from warledger.protocol.clockcontrol import MINUTE_MS
from warledger.protocol.findings import ERROR
from warledger.protocol.lang import phrases
from warledger.protocol.phrases import Phrases


@frozen
class _Asked:
    """What a file is written from: the position, the table of the stage in progress, the round of
    that stage, and the language."""

    id: str
    at: Position
    table: Crosstable
    round: int
    spoken: Phrases

    @property
    def seats(self) -> tuple[str, ...]:
        """Of the title of the round."""
        rounds = [one.number for one in self.at.stage_rounds]
        return self.at.seats(rounds[self.round - 1])

    @property
    def name(self) -> str:
        """Of the tournament."""
        return self.at.charter.name


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _pairings(asked: _Asked) -> str:
    return csvfiles.pairings(asked.table, asked.round, asked.seats)


def _standings(asked: _Asked) -> str:
    return csvfiles.standings(tally.ranking(asked.at), asked.at.rules.tiebreaks, asked.table)


def _standings_data(asked: _Asked) -> str:
    return _json(shapes.standings(tally.ranking(asked.at), asked.at.rules.tiebreaks))


def _printed(
    draw: Callable[[str, Crosstable, int, tuple[str, ...], Phrases], str],
) -> Callable[[_Asked], str]:
    return lambda asked: draw(asked.name, asked.table, asked.round, asked.seats, asked.spoken)


def _slips(asked: _Asked) -> str:
    return printing.slips(asked.name, asked.table, asked.round, asked.seats, asked.spoken, {})


OF_A_ROUND: Mapping[str, Callable[[_Asked], str]] = {
    "pairings.csv": _pairings,
    "pairings.json": lambda asked: _json(shapes.pairings(asked.table, asked.round)),
    "pairings.txt": _printed(printing.text),
    "pairings.html": _printed(printing.by_board),
    "names.html": _printed(printing.by_name),
    "slips.html": _slips,
}
"""Files of one round."""

OF_ALL: Mapping[str, Callable[[_Asked], str]] = {
    "entrants.csv": lambda asked: csvfiles.entrants(asked.table.entrants),
    "results.csv": lambda asked: csvfiles.results(asked.table),
    "standings.csv": _standings,
    "standings.json": _standings_data,
    "crosstable.json": lambda asked: _json(shapes.crosstable(asked.table)),
    "rounds.ics": lambda asked: calendar(asked.id, asked.at, asked.spoken).decode(),
}
"""Files of the stage in progress, and the calendar of all rounds."""

KINDS = (*OF_A_ROUND, *OF_ALL)


async def write(
    data: Path, id: str, kind: str, round: int | None, out: Path, screen: Screen
) -> int:
    """`tournament write`: one of KINDS to a file; of a round of the stage in progress (default: the
    newest that is published). Raises CannotOpen, KeyError for another kind."""
    async with opened(data) as desk:
        at = (await desk.load(id)).at
        if not at.order:
            raise CannotOpen("the stage has not begun, so there is nothing to write yet")
        table = tally.crosstable(at)
        asked = _Asked(
            id,
            at,
            table,
            len(table.rounds) if round is None else round,
            phrases(screen.spoken.language, at.charter.title),
        )
        if kind in OF_A_ROUND and not 1 <= asked.round <= len(table.rounds):
            raise CannotOpen(
                f"the stage has {len(table.rounds)} published rounds; publish one, or name one of "
                f"them with --round"
            )
        try:
            text = {**OF_A_ROUND, **OF_ALL}[kind](asked)
            # CSV and calendars have line ends of their own.
            await desk.ambient.blocking(lambda: out.write_bytes(text.encode()))
        except (OSError, CalendarMissing, printing.PrintingMissing) as error:
            raise CannotOpen(f"{out}: {error}") from error
    screen.say("cli.tournament.exported", file=str(out))
    return 0


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotOpen(f"{file}: {error}; save it as CSV in UTF-8") from error


async def enter_all(data: Path, id: str, who: str, file: Path, screen: Screen) -> int:
    """`tournament enter-all`: enter everybody of a CSV file, in its order. Nobody is entered if the
    file has errors; the first act that is refused ends it, and says which row that was. Raises
    CannotOpen."""
    rows, found = csvfiles.read_entrants(_read(file))
    for one in found:
        screen.write(f"{file.name}: {one.text}")
    if any(one.severity == ERROR for one in found):
        return 1
    async with opened(data) as desk:
        tournament = await desk.load(id)
        for n, row in enumerate(rows, 1):
            picks: Picks = ("enter", row.name, row.account or "-", row.rating, "-", *row.groups)
            seen = tournament.ledger.last.hash
            answer = await tournament.submit(who, picks, os.urandom(16), seen)
            if not isinstance(answer, Done):
                screen.write(f"{file.name}: {n}, {row.name}")
                return answered(screen, tournament, answer, machine=False)
    screen.say("cli.tournament.entered", n=len(rows))
    return 0


def calendar(id: str, at: Position, spoken: Phrases) -> bytes:
    """The rounds that are published, until when bids are open, and when who has not come has lost.
    Raises CalendarMissing."""
    events = []
    charter = at.charter
    for one in at.rounds:
        if not one.published:
            continue
        moments = [("round", 0), ("no_show", charter.absence.no_show_minutes)]
        if charter.sides.by in ("bid", "auction"):
            moments.append(("bids", charter.sides.bid.minutes))
        for what, minutes in sorted(moments, key=lambda moment: moment[1]):
            when = one.published_ms + minutes * MINUTE_MS
            events.append(
                Event(
                    f"{id}-r{one.number}-{what}@warledger",
                    spoken.text(f"tournament.calendar.{what}", name=charter.name, n=one.number),
                    when,
                    when,
                )
            )
    return calendars.write(charter.name, events, at.at_ms)


async def charter(data: Path, id: str, screen: Screen) -> int:
    """`tournament charter`: the charter in words."""
    async with opened(data) as desk:
        made = (await desk.load(id)).at.charter
    spoken = phrases(screen.spoken.language, made.title)
    for one in charterwords.words(made):
        screen.write(spoken.say(one))
    return 0


async def explain(data: Path, id: str, name: str, screen: Screen) -> int:
    """`tournament explain`: an entrant's place, and how each tie-break came about. Raises
    CannotOpen."""
    async with opened(data) as desk:
        at = (await desk.load(id)).at
    table = tally.crosstable(at) if at.order else Crosstable(())
    found = [one for one in table.entrants if name in (one.name, str(one.number))]
    if len(found) != 1:
        known = ", ".join(f"{one.number} {one.name}" for one in table.entrants[:12]) or "nobody"
        raise CannotOpen(f"there is no one entrant {name!r}; there are: {known}")
    (standing,) = (one for one in tally.ranking(at) if one.number == found[0].number)
    spoken = phrases(screen.spoken.language, at.charter.title)
    screen.write(
        spoken.text(
            "tournament.why.place",
            name=found[0].name,
            place=standing.place,
            points=standing.points,
        )
    )
    for told in tiebreakwords.explained(standing, at.rules.tiebreaks, table):
        screen.write(spoken.cited(told))
    return 0


__all__ = ["KINDS", "calendar", "charter", "enter_all", "explain", "write"]
