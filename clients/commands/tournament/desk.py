"""A director's desk on this machine: what `warledger tournament …` does to the tournaments that are
kept in a data directory."""

import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from attrs import frozen

from warledger.clients.commands.tournament.lines import tell, tell_row, who_of
from warledger.clients.terminal.screen import Screen
from warledger.engine import boundedtoml
from warledger.engine.desk import people, persons
from warledger.engine.desk import tournament as desks
from warledger.engine.desk.hosting import FOLDER
from warledger.engine.desk.papers import official_rows, report, standing_rows, summary, told
from warledger.engine.desk.persons import Persons
from warledger.engine.desk.titled import titled
from warledger.engine.desk.tournament import Tournament
from warledger.engine.kernel import rulings
from warledger.engine.packfiles import sources_digest
from warledger.engine.registry import rules_of
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.runtime.game.answers import Done, Failed
from warledger.engine.serve import serversecrets
from warledger.engine.serve.config import BadConfig
from warledger.engine.store.files.wal import open_store
from warledger.engine.store.port import GameExists, Store, StoreError, UnknownGame
from warledger.engine.tournaments import charterform
from warledger.engine.tournaments.charterform import Playable
from warledger.engine.tournaments.tiebreaknames import LOWEST_FIRST
from warledger.protocol.board.choices import Choices, Pick, Picks, Refusal
from warledger.protocol.log.chain import Signer
from warledger.protocol.log.records import SERVER
from warledger.protocol.texts import typed


class CannotOpen(Exception):
    """The desk cannot be opened, or has no such tournament; the message says what to do."""


@frozen
class Desk:
    """An open desk: its store, and what signs."""

    store: Store
    ambient: SystemAmbient
    signer: Signer
    persons: Persons

    async def load(self, id: str) -> Tournament:
        """The tournament of that id. Raises CannotOpen."""
        try:
            return await desks.load(self.store, self.ambient, self.signer, id, titled)
        except UnknownGame:
            known = ", ".join(self.store.games()) or "none"
            raise CannotOpen(f"there is no tournament {id!r}; there are: {known}") from None
        except (desks.TournamentUnreadable, StoreError) as error:
            raise CannotOpen(str(error)) from error


@asynccontextmanager
async def opened(data: Path) -> AsyncIterator[Desk]:
    """The desk of a data directory, made if it is missing. Raises CannotOpen."""
    try:
        _made(data)
        key = serversecrets.signing_key(data, os.urandom)
        signer = Signer(key, serversecrets.older_keys(data))
        async with open_store(data / FOLDER) as store:
            ambient = SystemAmbient()
            db = people.database(data)
            known = persons.of_desk(db, ambient, serversecrets.giver(data))
            try:
                yield Desk(store, ambient, signer, known)
            finally:
                db.close()
    except (StoreError, BadConfig, OSError) as error:
        raise CannotOpen(str(error)) from error
    except BaseExceptionGroup as group:
        raise _only(group) from group


def _made(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def _only(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one error of a group of one."""
    while isinstance(group, BaseExceptionGroup) and len(group.exceptions) == 1:
        (inner,) = group.exceptions
        if not isinstance(inner, BaseExceptionGroup):
            return CannotOpen(str(inner)) if isinstance(inner, StoreError | OSError) else inner
        group = inner
    return group


def read_charter(file: Path, players: int | None = None) -> charterform.Checked:
    """A charter's file, checked against the titles installed here, and for a number of players if
    that is known. Raises CannotOpen for a file that is not TOML."""
    try:
        text = typed.composed(file.read_text(encoding="utf-8"))
        doc = boundedtoml.loads(text)
    except (OSError, ValueError) as error:
        raise CannotOpen(f"{file}: {error}") from error
    unreadable = typed.refused(text, typed.LINES)
    if unreadable is not None:
        told = dict(unreadable.args)
        raise CannotOpen(f"{file}: character {told['place']} is {told['char']}; delete it")
    return charterform.read(doc, _titles(doc), players)


def _titles(doc: Mapping[str, Any]) -> Mapping[str, Playable] | None:
    named = {doc.get("title")} | {
        one.get("title") for one in doc.get("round", ()) if isinstance(one, dict)
    }
    found = {}
    for name in sorted(name for name in named if isinstance(name, str)):
        try:
            rules = rules_of(name)
        except KeyError:
            continue
        options = {switch.name: tuple(switch.choices) for switch in rulings.offered(rules.switches)}
        found[name] = Playable(rules.seats, options)
    return found


def check(file: Path, screen: Screen, *, machine: bool, players: int | None = None) -> int:
    """`tournament check`: every finding in an organiser's terms."""
    checked = read_charter(file, players)
    if machine:
        rows = [
            {"severity": f.severity, "place": f.place, "problem": f.problem, "remedy": f.remedy}
            for f in checked.findings
        ]
        print_json({"ok": checked.charter is not None, "findings": rows})
    else:
        for finding in checked.findings:
            screen.write(finding.text)
        if checked.charter is not None:
            screen.say("cli.tournament.charter_good", name=checked.charter.name)
    return 0 if checked.charter is not None else 1


async def new(data: Path, file: Path, id: str, director: str, screen: Screen) -> int:
    """`tournament new`: a tournament from a charter, with its director."""
    checked = read_charter(file)
    if checked.charter is None:
        return check(file, screen, machine=False)
    digest = sources_digest(("warledger.engine.tournaments",))
    async with opened(data) as desk:
        try:
            charter = await desk.persons.announced(checked.charter)
            made = await desks.begin(
                desk.store, desk.ambient, desk.signer, charter, id, titled, digest
            )
        except (GameExists, ValueError) as error:
            raise CannotOpen(str(error)) from error
        await made.submit(SERVER, ("grant", "director", *await desk.persons.person(director, ())))
    screen.say("cli.tournament.made", id=id, name=checked.charter.name, director=director)
    return 0


async def act(
    data: Path, id: str, who: str, picks: tuple[str, ...], screen: Screen, *, machine: bool
) -> int:
    """Carry out an act; an incomplete one says what may follow. Exit code 1 if it is refused."""
    async with opened(data) as desk:
        tournament = await desk.load(id)
        who = actor(tournament, who)
        typed_in = understood(tournament, who, picks)
        meant = await desk.persons.meant(tournament.at, typed_in)
        if isinstance(meant, Refusal):
            return answered(screen, tournament, meant, machine=machine)
        seen = tournament.ledger.last.hash
        found = tournament.choices(who, meant)
        if isinstance(found, Choices) and not (found.complete and meant):
            return offered(screen, found, machine=machine)
        answer = await tournament.submit(who, meant, os.urandom(16), seen)
        code = answered(screen, tournament, answer, machine=machine)
        if isinstance(found, Refusal) and not machine:
            for most in reversed(range(len(meant))):
                before = tournament.choices(who, meant[:most])
                if isinstance(before, Choices):
                    offered(screen, before, machine=False)
                    break
        return code


def actor(tournament: Tournament, typed_as: str) -> str:
    """Who acts: the one who is typed, or the director. Raises CannotOpen where several are called
    so, or nobody is named and there is not one director."""
    officials = official_rows(tournament.at)
    if typed_as:
        try:
            return who_of({"officials": officials}, typed_as)
        except LookupError as error:
            raise CannotOpen(str(error)) from None
    directors = {one["id"]: one["shown"] for one in officials if one["role"] == "director"}
    if len(directors) != 1:
        named = ", ".join(f"d:{shown}" for shown in directors.values()) or "nobody"
        raise CannotOpen(f"say who acts with --as; {named} may direct")
    return f"d:{next(iter(directors))}"


def understood(tournament: Tournament, who: str, picks: tuple[str, ...]) -> Picks:
    """Picks as typed: digits are a number where a number is on offer."""
    meant: tuple[Pick, ...] = ()
    for pick in picks:
        found = tournament.choices(who, meant)
        number = pick.lstrip("-").isdecimal() and pick.isascii()
        if number and isinstance(found, Choices) and found.offers(int(pick)):
            meant = (*meant, int(pick))
        else:
            meant = (*meant, pick)
    return typed.composed_picks(meant)


def offered(screen: Screen, found: Choices, *, machine: bool) -> int:
    """What may follow, and the exit code of an act that is not complete."""
    options = [str(option.id) for option in found.options]
    if machine:
        print_json({"slot": found.slot, "options": options, "span": found.span, "text": found.text})
        return 1
    what = screen.spoken.text(f"slot.{found.slot}")
    options = [
        id if option.label is None else screen.spoken.say(option.label)
        for id, option in zip(options, found.options, strict=True)
    ]
    if found.span is not None:
        options = [f"{found.span[0]} … {found.span[1]}"]
    screen.say("cli.tournament.next", what=what, options=", ".join(options) or "…")
    return 1


def answered(
    screen: Screen, tournament: Tournament, answer: Done | Refusal | Failed, *, machine: bool
) -> int:
    """Tell what became of an act."""
    if isinstance(answer, Done):
        if machine:
            print_json({"record": answer.seq, "head": answer.head.hash.hex()})
        else:
            screen.say("cli.tournament.done", record=answer.seq)
        return 0
    args = dict(answer.args if isinstance(answer, Refusal) else answer.say.args)
    key = answer.key if isinstance(answer, Refusal) else answer.say.key
    clause = answer.rule if isinstance(answer, Refusal) else ""
    text = screen.spoken.text(key, **args)
    if machine:
        print_json({"refused": key, "clause": clause, "text": text})
    elif clause:
        screen.say("cli.tournament.refused", what=text, clause=clause)
    else:
        screen.write(text)
    return 1


async def listed(data: Path, screen: Screen, *, machine: bool) -> int:
    """`tournament list`."""
    async with opened(data) as desk:
        rows = []
        for id in desk.store.games():
            at = (await desk.load(id)).at
            rows.append(summary(id, at))
    if machine:
        print_json(rows)
        return 0
    if not rows:
        screen.say("cli.tournament.none")
    for row in rows:
        tell_row(screen, row)
    return 0


async def show(data: Path, id: str, screen: Screen, *, machine: bool) -> int:
    """`tournament show`: entrants and the newest round."""
    async with opened(data) as desk:
        at = (await desk.load(id)).at
    seen = told(id, at, draft=True)
    if machine:
        print_json(seen)
        return 0
    tell(screen, seen)
    return 0


async def standings(data: Path, id: str, screen: Screen, *, machine: bool) -> int:
    """`tournament standings`."""
    async with opened(data) as desk:
        at = (await desk.load(id)).at
    rows = standing_rows(at)
    if machine:
        print_json(rows)
        return 0
    standings_lines(screen, rows, at.rules.tiebreaks)
    return 0


def standings_lines(
    screen: Screen, rows: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> None:
    """The standings, a line each, with the tie-breaks of these names in the charter's order."""
    for row in rows:
        found = row["tiebreaks"]
        ties = "  ".join(
            f"{name} {found[name].removeprefix('-') if name in LOWEST_FIRST else found[name]}"
            for name in names
            if found.get(name)
        )
        screen.write(f"{row['place']:>4} {row['name']}  {row['points']}  {ties}".rstrip())
    if not rows:
        screen.say("cli.tournament.no_standings")


async def export(
    data: Path, id: str, out: Path, screen: Screen, *, form: str, arbiter: bool
) -> int:
    """`tournament export`."""
    async with opened(data) as desk:
        tournament = await desk.load(id)
        if form == "wlog":
            written = await tournament.export(arbiter=arbiter)
        else:
            written = report(tournament.at, 16 if form == "trf16" else 26)
    try:
        await desk.ambient.blocking(lambda: out.write_bytes(written))
    except OSError as error:
        raise CannotOpen(f"{out}: {error}") from error
    screen.say("cli.tournament.exported", file=str(out))
    return 0


def print_json(value: Any) -> None:
    """Data for a program."""
    import click

    from warledger.clients.terminal.visible import visible

    click.echo(visible(json.dumps(value, ensure_ascii=False, indent=2)))
