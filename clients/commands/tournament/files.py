"""Files of a tournament that is kept in a data directory, its charter in words, and how a standing
came about: `warledger tournament write`, `charter` and `explain`.
"""

import os
from pathlib import Path

from warledger.clients.commands.tournament.desk import CannotOpen, actor, answered, opened
from warledger.clients.terminal.screen import Screen
from warledger.engine.desk import papers
from warledger.engine.desk.papers import KINDS as KINDS
from warledger.engine.desk.papers import NoPaper
from warledger.engine.runtime.game.answers import Done
from warledger.engine.tournaments import (
    charterwords,
    csvfiles,
    tally,
    tiebreakwords,
)
from warledger.engine.tournaments.crosstable import Crosstable
from warledger.protocol.board.choices import Picks, Refusal
from warledger.protocol.board.findings import ERROR
from warledger.protocol.lang import phrases


async def write(
    data: Path, id: str, kind: str, round: int | None, out: Path, screen: Screen
) -> int:
    """`tournament write`: one of KINDS to a file; of a round of the stage in progress (default: the
    newest that is published). Raises CannotOpen, KeyError for another kind."""
    async with opened(data) as desk:
        at = (await desk.load(id)).at
        spoken = phrases(screen.spoken.language, at.charter.title)
        try:
            made = papers.write(id, at, kind, round, spoken)
            await desk.ambient.blocking(lambda: out.write_bytes(made))
        except NoPaper as error:
            raise CannotOpen(str(error)) from error
        except OSError as error:
            raise CannotOpen(f"{out}: {error}") from error
    screen.say("cli.tournament.exported", file=str(out))
    return 0


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotOpen(f"{file}: {error}; save it as CSV in UTF-8") from error


async def enter_all(data: Path, id: str, who: str, file: Path, screen: Screen) -> int:
    """`tournament enter-all`: enter everybody of a CSV file, in its order. Who has entered already
    is passed over. Nobody is entered if the file has errors; the first act that is refused ends it,
    and says which row that was. Raises CannotOpen."""
    rows, found = csvfiles.read_entrants(_read(file))
    for one in found:
        screen.write(f"{file.name}: {one.text}")
    if any(one.severity == ERROR for one in found):
        return 1
    async with opened(data) as desk:
        tournament = await desk.load(id)
        who = actor(tournament, who)
        names = (one.name for one in tournament.at.entrants.values())
        left, passed = csvfiles.still_to_enter(rows, names)
        for n, row in enumerate(left, len(rows) - len(left) + 1):
            typed: Picks = ("enter", row.name, row.account or "-", row.rating, "-", *row.groups)
            picks = await desk.persons.meant(tournament.at, typed)
            if isinstance(picks, Refusal):
                screen.write(f"{file.name}: {n}, {row.name}")
                return answered(screen, tournament, picks, machine=False)
            seen = tournament.ledger.last.hash
            answer = await tournament.submit(who, picks, os.urandom(16), seen)
            if not isinstance(answer, Done):
                screen.write(f"{file.name}: {n}, {row.name}")
                return answered(screen, tournament, answer, machine=False)
    if passed:
        screen.say("cli.tournament.passed_over", names=passed)
    screen.say("cli.tournament.entered", n=len(left))
    return 0


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
