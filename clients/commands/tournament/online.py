"""`warledger tournament … --server`: a tournament on a server, for its director and for those who
play in it. What an entry needs later is kept in the state folder: its token here, its nonce and
the heads that the server signed among the receipts."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import trio
from attrs import evolve as replace

from warledger.clients.commands.play.online import Where
from warledger.clients.commands.tournament.desk import (
    offered,
    print_json,
    standings_lines,
)
from warledger.clients.commands.tournament.lines import called, tell, tell_row, who_of
from warledger.clients.link.devices import state_folder
from warledger.clients.link.tournament import (
    Entry,
    TournamentLink,
    open_tournament,
    tournaments,
)
from warledger.clients.terminal.accountwords import day
from warledger.clients.terminal.screen import Screen
from warledger.engine.tournaments import csvfiles
from warledger.engine.tournaments.deeds import own_number
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Choices, Pick, Picks, Refusal, Say
from warledger.protocol.board.findings import ERROR
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import tournamentmessages as tm
from warledger.protocol.wire.messages import Accepted

ENTERED, ENTERING = ".json", ".entering"
"""What is kept of an entry, and of one whose answer has not come yet."""


def _file(where: Where, id: str, suffix: str = ENTERED) -> Path:
    host, port = where.address
    name = re.sub(r"[^A-Za-z0-9.-]", "_", f"{host}-{port}-{id}")
    return (where.receipts or state_folder()) / "tournaments" / f"{name}{suffix}"


def keep(where: Where, id: str, entry: Entry, suffix: str = ENTERED) -> Path:
    """Keep what an entry needs later, readable by its owner alone."""
    path = _file(where, id, suffix)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = path.with_suffix(".new")
    fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        json.dump({"number": entry.number, "token": entry.token}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)
    return path


def kept(where: Where, id: str, suffix: str = ENTERED) -> Entry | None:
    """The entry that was made here, if one was."""
    try:
        told = json.loads(_file(where, id, suffix).read_text(encoding="utf-8"))
        return Entry(int(told["number"]), str(told["token"]))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _as_known(where: Where, id: str) -> Where:
    """Whoever has entered here and shows no other token comes as that entrant."""
    entry = None if where.token else kept(where, id)
    return where if entry is None else replace(where, token=entry.token)


async def _take_part(
    at: TournamentLink, told: Mapping[str, Any], screen: Screen, *, machine: bool
) -> None:
    """Hold the ledger to what was kept of it for whoever acts here, and show their nonces, if the
    lots wait for them."""
    missing = told["lots"]["missing"] if told["lots"] else ()
    for number in _own(at):
        if number not in missing:
            await at.compare(number)
        elif await at.show_nonce(number) and not machine:
            screen.say("cli.tournament.shown")


def _own(at: TournamentLink) -> tuple[int, ...]:
    """The numbers of the entrants as whom the link may act."""
    return tuple(number for who in at.mine if (number := own_number(who)) is not None)


def _refused(screen: Screen, refusal: Refusal, *, machine: bool) -> bool:
    text = screen.spoken.text(refusal.key, **dict(refusal.args))
    if machine:
        print_json({"refused": refusal.key, "clause": refusal.rule, "text": text})
    elif refusal.rule:
        screen.say("cli.tournament.refused", what=text, clause=refusal.rule)
    else:
        screen.write(text)
    return False


async def listed(where: Where, screen: Screen, *, machine: bool) -> bool:
    """`tournament list`."""
    async with where.link() as link:
        rows = await tournaments(link)
    if machine:
        print_json(list(rows))
    elif not rows:
        screen.say("cli.tournament.none")
    else:
        for row in rows:
            tell_row(screen, row)
    return True


async def show(where: Where, id: str, screen: Screen, *, machine: bool) -> bool:
    """`tournament show`: entrants, the newest round, and as whom one acts."""
    async with _as_known(where, id).link() as link:
        at = TournamentLink(link, id)
        told = await at.told()
        await _take_part(at, told, screen, machine=machine)
    if machine:
        print_json({**told, "mine": at.mine})
        return True
    tell(screen, told)
    if at.mine:
        roles = ", ".join(called(told, who, screen.spoken) for who in at.mine)
        screen.say("cli.tournament.as", who=roles)
    return True


async def standings(where: Where, id: str, screen: Screen, *, machine: bool) -> bool:
    """`tournament standings`."""
    async with _as_known(where, id).link() as link:
        told = await TournamentLink(link, id).told()
    rows = told["standings"]
    if machine:
        print_json(list(rows))
    else:
        standings_lines(screen, rows, told["tiebreaks"])
    return True


async def charter(where: Where, id: str, screen: Screen) -> bool:
    """`tournament charter`: the charter in words."""
    async with where.link() as link:
        told = await TournamentLink(link, id).told()
    screen.of_title(told["title"])
    for array in told["words"]:
        screen.write(screen.spoken.say(Say.from_array(array)))
    return True


async def explain(where: Where, id: str, name: str, screen: Screen) -> bool:
    """`tournament explain`: an entrant's place, and how each tie-break came about. Raises
    LookupError for somebody who is not there."""
    async with _as_known(where, id).link() as link:
        at = TournamentLink(link, id)
        told = await at.told()
        found = [
            one["number"]
            for one in told["entrant_list"]
            if name in (one["name"], str(one["number"]))
        ]
        if len(found) != 1:
            raise LookupError(f"there is no one entrant {name!r}")
        says = await at.explained(found[0])
    screen.of_title(told["title"])
    for one in says:
        screen.write(screen.spoken.cited(one))
    return True


async def new(where: Where, file: Path, id: str, director: str, screen: Screen) -> bool:
    """`tournament new`: announce a tournament, and show its director's token."""
    text = await trio.Path(file).read_text(encoding="utf-8")
    async with where.link() as link:
        made = await open_tournament(link, id, director, text)
        at, opened = TournamentLink(link, id), isinstance(made, tm.TournamentOpened)
        told = await at.told() if opened else {}
        code = await at.code(forms.DIRECTOR_ROLE) if opened and not made.seat else None
    if isinstance(made, tm.CharterIs):
        for severity, place, problem, remedy in made.findings:
            screen.write(f"{severity}: {place}: {problem}. {remedy}")
        return False
    if code is not None:
        screen.say("cli.tournament.waits", id=id, name=told["name"])
        _tell_code(where, screen, id, forms.DIRECTOR_ROLE, director, code)
        return True
    screen.say("cli.tournament.made", id=id, name=told["name"], director=director)
    who = called(told, made.seat, screen.spoken)
    if made.token:
        screen.say("cli.tournament.token", who=who, token=made.token)
    else:
        screen.say("cli.tournament.signs_in", who=who)
    return True


async def code(where: Where, id: str, role: str, screen: Screen, *, machine: bool) -> bool:
    """`tournament code`: a role for somebody whom nobody here knows."""
    async with where.link() as link:
        made = await TournamentLink(link, id).code(role)
    if machine:
        print_json({"code": made.code, "until_ms": made.until_ms})
    else:
        _tell_code(where, screen, id, role, "", made)
    return True


def _tell_code(
    where: Where, screen: Screen, id: str, role: str, name: str, made: am.Invitation
) -> None:
    """A code, and what whoever uses it types."""
    if name:
        screen.say("cli.tournament.nobody", name=name)
    until, kind = day(made.until_ms), (f"web.act.{role}", (), "")
    screen.say("cli.tournament.code", role=kind, id=id, until=until, code=made.code)
    server = where.server + (" --tls" if where.tls or where.ca else "")
    handle = name if is_one_word(name) else "NAME"
    screen.say("cli.tournament.code_join", server=server, name=handle)
    screen.say("cli.tournament.code_accept", server=server)
    screen.say("cli.account_invited_page", code=made.code)


def _unknown(answer: Accepted | Refusal, picks: Picks) -> tuple[str, str]:
    """The role that an act would have given, and the name that nobody has; ("", "") where it was
    refused for another reason, or was done."""
    match answer, picks:
        case Refusal(key="refusal.tournament.nobody_called"), ("grant", str(role), str(name), *_):
            return role, name
        case Refusal(key="refusal.tournament.unknown_account"), ("enter", _, str(name), *_):
            return forms.ENTRANT_ROLE, name
    return "", ""


def is_one_word(name: str) -> bool:
    """Whether a name stands in a command as it is."""
    return bool(name) and all(one.isalnum() or one in "._-" for one in name)


async def act(
    where: Where, id: str, who: str, picks: tuple[str, ...], screen: Screen, *, machine: bool
) -> bool:
    """Carry an act out; an incomplete one says what may follow."""
    async with _as_known(where, id).link() as link:
        at = TournamentLink(link, id)
        told = await at.told()
        await _take_part(at, told, screen, machine=machine)
        if who:
            who = who_of(told, who)
        else:
            directs = (one for one in at.mine if forms.role_of(one)[0] == forms.DIRECTOR)
            who = next(directs, at.mine[0] if at.mine else "")
        if not who:
            raise LookupError("say who acts with --as, and show the token for it with --token")
        own = own_number(who) if forms.is_who(who) else None
        if picks[:1] == ("check_in",) and own is not None:
            # Whoever checks in is here, and so is the nonce that they commit to.
            picks = ("check_in", *(picks[1:] or (str(own),)))
            await at.commit(own)
        seen = (await link.head(id)).hash
        meant: tuple[Pick, ...] = ()
        for pick in picks:
            before = await at.choices(who, meant)
            number = pick.lstrip("-").isdecimal() and pick.isascii()
            fits = number and isinstance(before, Choices) and before.offers(int(pick))
            meant = (*meant, int(pick) if fits else pick)
        found = await at.choices(who, meant)
        if isinstance(found, Choices) and not (found.complete and meant):
            offered(screen, found, machine=machine)
            return False
        answer = await at.submit(who, meant, seen=seen)
        role, name = _unknown(answer, meant)
        coded = await at.code(role) if role else None
    if coded is not None and machine:
        print_json({"code": coded.code, "until_ms": coded.until_ms})
        return True
    if coded is not None:
        _tell_code(where, screen, id, role, name, coded)
        return True
    if isinstance(answer, Refusal):
        return _refused(screen, answer, machine=machine)
    if machine:
        print_json({"record": answer.seq, "head": answer.head.hash.hex()})
    else:
        screen.say("cli.tournament.done", record=answer.seq)
    return True


async def join(where: Where, id: str, name: str, rating: int, screen: Screen) -> bool:
    """`tournament join`: enter by oneself. The token is kept before it is sent, so that whoever
    got no answer can ask again for the same entry."""
    async with where.link() as link:
        at = TournamentLink(link, id)
        asked = kept(where, id, ENTERING) or Entry(0, at.new_token())
        unanswered = keep(where, id, asked, ENTERING)
        entry = await at.enter(name, rating, token=asked.token)
    path = keep(where, id, entry)
    unanswered.unlink()
    screen.say("cli.tournament.joined", number=entry.number, file=str(path))
    return True


async def token(where: Where, id: str, who: str, screen: Screen) -> bool:
    """`tournament token`: a new token for somebody."""
    async with where.link() as link:
        at = TournamentLink(link, id)
        told = await at.told()
        who = who_of(told, who)
        made = await at.token(who)
    screen.say("cli.tournament.token", who=called(told, who, screen.spoken), token=made)
    return True


async def seat(where: Where, id: str, screen: Screen, *, machine: bool) -> bool:
    """`tournament seat`: one's seat at the newest board. Raises LookupError without one."""
    async with _as_known(where, id).link() as link:
        at = TournamentLink(link, id)
        told = await at.told()
        for who in at.mine:
            for one in reversed(told["rounds"]):
                for board in one["boards"]:
                    own = own_number(who) in board["entrants"]
                    if own and board["game"] and board["results"] is None:
                        game, seat, given = await at.seat(who, one["round"], board["board"])
                        if machine:
                            print_json({"game": game, "seat": seat, "token": given})
                        else:
                            screen.say(
                                "cli.tournament.seat", game=game, seat=seat, token=given or "–"
                            )
                        return True
    raise LookupError("there is no game that waits for you")


async def write(
    where: Where, id: str, kind: str, round: int | None, out: Path, screen: Screen
) -> bool:
    """`tournament write` and `export`: a file as the server makes it."""
    language = screen.spoken.language
    async with _as_known(where, id).link() as link:
        body = await TournamentLink(link, id).paper(kind, round or 0, language)
    await trio.Path(out).write_bytes(body)
    screen.say("cli.tournament.exported", file=str(out))
    return True


async def enter_all(where: Where, id: str, who: str, file: Path, screen: Screen) -> bool:
    """`tournament enter-all`: enter everybody of a CSV file, as their director. Who has entered
    already is passed over. Nobody is entered if the file has errors."""
    rows, found = csvfiles.read_entrants(await trio.Path(file).read_text(encoding="utf-8-sig"))
    for finding in found:
        screen.write(f"{file.name}: {finding.text}")
    if any(finding.severity == ERROR for finding in found):
        return False
    async with where.link() as link:
        at = TournamentLink(link, id)
        told = await at.told()
        director = next((one for one in at.mine if forms.role_of(one)[0] == forms.DIRECTOR), "")
        who = who_of(told, who) if who else director
        names = (one["name"] for one in told["entrant_list"])
        left, passed = csvfiles.still_to_enter(rows, names)
        for row in left:
            picks: Picks = ("enter", row.name, row.account or "-", row.rating, "-", *row.groups)
            answer = await at.submit(who, picks)
            if isinstance(answer, Refusal):
                screen.write(f"{file.name}: {row.name}")
                return _refused(screen, answer, machine=False)
    if passed:
        screen.say("cli.tournament.passed_over", names=passed)
    screen.say("cli.tournament.entered", n=len(left))
    return True
