"""`warledger ratings`: a public log of ratings that anybody can compute again.

Exit codes: 0 done, 1 a log or a game file that is not sound, 2 wrong usage.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import click

from warledger.clients.audit.audit import audit, installed
from warledger.clients.audit.commands import (
    CHAIN,
    FILE,
    JSON,
    KEYS,
    LANGUAGE,
    NO_HEAD,
    REPLACED,
    UNSIGNED,
    allowed_by,
    keys_of,
    read_file,
    say_line,
)
from warledger.clients.audit.evidence import Evidence
from warledger.engine.tournaments import glicko, ratings, ratingslog
from warledger.engine.tournaments.charter import Named, apart
from warledger.engine.tournaments.ratings import Book, Game, Same
from warledger.engine.tournaments.ratingslog import BadLog, Log
from warledger.protocol.board.choices import Say, say
from warledger.protocol.lang import phrases
from warledger.protocol.log import records
from warledger.protocol.log.owed import EXPIRED, LAPSED
from warledger.protocol.texts.phrases import Phrases

NEVER_PLAYED = (EXPIRED, LAPSED)
"""Ends of games that were not played: they are not rated."""


@click.group("ratings")
def ratings_command() -> None:
    """Keep a log of ratings, and check anybody's: each period holds its games and the numbers that
    follow from them by Glicko-2 with a side advantage."""


@ratings_command.command("new")
@click.argument("log", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("title")
@click.option("--pace", default="", help="The pace that is rated, such as live; default: any.")
def new(log: Path, title: str, pace: str) -> None:
    """Begin a log for a title."""
    try:
        with log.open("xb") as file:
            file.write(ratingslog.begin(title, pace))
    except FileExistsError as error:
        raise click.UsageError(f"{log} exists already; name a new file") from error


@ratings_command.command("add")
@click.argument("log", type=FILE)
@click.argument("games", type=FILE, nargs=-1, required=True, metavar="GAME…")
@click.option("--name", required=True, help="The period: a tournament's id, or a month.")
@click.option("--month", required=True, metavar="YYYY-MM", help="When it was played.")
@click.option(
    "--advantage",
    type=click.IntRange(-ratings.AHEAD_MAX, ratings.AHEAD_MAX),
    default=None,
    help="The first seat's advantage in hundredths of points; default: that of the period before.",
)
@KEYS
@CHAIN
@NO_HEAD
@REPLACED
@UNSIGNED
@LANGUAGE
def add(
    log: Path,
    games: tuple[Path, ...],
    name: str,
    month: str,
    advantage: int | None,
    keys: tuple[str, ...],
    language: str,
    **flags: bool,
) -> None:
    """Rate the ended games of some files as one period: those that are Sound and whole by the
    server's key, of which each flag allows less. Players are known by their accounts in the files,
    and those without one by name; whoever keeps the log vouches for who is who."""
    spoken = phrases(language)
    allowed = allowed_by(flags)
    trusted = keys_of(keys, spoken) or None
    data = read_file(log, spoken)
    kept = _log(data, log)
    book, found = ratingslog.book(kept)
    if found:
        _tell_findings(log, [one.text for one in found])
    at = _month(month)
    if kept.periods and at < kept.periods[-1].month:
        raise click.UsageError(f"{month} is before the last period; name a later month")
    rated = {one.game for period in kept.periods for one in period.games}
    played = []
    for path in games:
        rulebook = None if flags["chain_only"] else installed()
        report, found_in = audit(read_file(path, spoken), key=trusted, rulebook=rulebook)
        unfit = report.verdict.problems(spoken, allowed)
        if unfit:
            _tell_findings(path, [spoken.text("cli.ratings.unsound"), *unfit])
        game, why = _game(found_in, kept.title)
        if game is not None and book.whose(game.first) == book.whose(game.second):
            game, why = None, say("cli.ratings.same")
        if game is not None and game.game in rated:
            game, why = None, say("cli.ratings.again")
        if game is None:
            assert why is not None
            _tell_findings(path, [spoken.say(why)])
        else:
            played.append(game)
            rated.add(game.game)
    if advantage is None:
        advantage = kept.periods[-1].advantage if kept.periods else 0
    period, after = ratings.close(book, name, at, played, advantage=advantage)
    log.write_bytes(ratingslog.append(data, period))
    _tell(after, sorted(period.ratings), spoken)


@ratings_command.command("same")
@click.argument("log", type=FILE)
@click.argument("player")
@click.argument("other")
@LANGUAGE
def same(log: Path, player: str, other: str, language: str) -> None:
    """State in the log that two players are one person: from here on PLAYER stands for both. Each
    is an id, or the name of somebody without one, or a name that one player alone has."""
    spoken = phrases(language)
    data = read_file(log, spoken)
    book, found = ratingslog.book(_log(data, log))
    if found:
        _tell_findings(log, [one.text for one in found])
    stated = Same(_player(book, player), _player(book, other))
    try:
        ratings.joined(book, stated)
    except ValueError:
        _tell_findings(log, [spoken.text("cli.ratings.one_already")])
    log.write_bytes(ratingslog.append(data, stated))
    say_line(spoken.text("cli.ratings.joined", player=stated.first[1], other=stated.second[1]))


def _player(book: Book, text: str) -> Named:
    """The player whom a text means. Raises UsageError where that is none, or several."""
    known = [(id, name) for (id, _), name in book.names.items()]
    for found in (
        [one for one in known if one[0] and one[0] == text],
        [one for one in known if one == ("", text)],
        [one for one in known if one[1] == text],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(id for id, _ in found)
            raise click.UsageError(f"more than one is called {text}; write one of: {ids}")
    raise click.UsageError(f"nobody in the log has the id or the name {text!r}")


@ratings_command.command("show")
@click.argument("log", type=FILE)
@JSON
@LANGUAGE
def show(log: Path, as_json: bool, language: str) -> None:
    """The ratings after the last period, the highest first."""
    spoken = phrases(language)
    book, found = ratingslog.book(_log(read_file(log, spoken), log))
    if found:
        _tell_findings(log, [one.text for one in found])
    if as_json:
        rows = [_row(book, one) for one in book.players]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    _tell(book, book.players, spoken)


@ratings_command.command("check")
@click.argument("log", type=FILE)
@click.argument("kept", type=FILE, required=False)
@LANGUAGE
def check(log: Path, kept: Path | None, language: str) -> None:
    """Recompute a log. With KEPT, an earlier copy, also find what has been rewritten since."""
    spoken = phrases(language)
    read = _log(read_file(log, spoken), log)
    _, found = ratingslog.book(read)
    findings = [one.text for one in found]
    if kept is not None:
        findings += [
            one.text for one in ratingslog.continues(_log(read_file(kept, spoken), kept), read)
        ]
    if findings:
        _tell_findings(log, findings)
    games = sum(len(period.games) for period in read.periods)
    say_line(spoken.text("cli.ratings.sound", periods=len(read.periods), games=games))


@ratings_command.command("fit")
@click.argument("log", type=FILE)
@JSON
@LANGUAGE
def fit(log: Path, as_json: bool, language: str) -> None:
    """Fit the first seat's advantage, and the worth of half a unit, from all games of a log."""
    spoken = phrases(language)
    read = _log(read_file(log, spoken), log)
    _, found = ratingslog.book(read)
    if found:
        _tell_findings(log, [one.text for one in found])
    made = glicko.fit(ratings.seen(read.entries))
    if as_json:
        click.echo(
            json.dumps(
                {
                    "advantage": made.advantage,
                    "deviation": made.deviation,
                    "half_unit": made.half_unit,
                    "games": made.games,
                }
            )
        )
        return
    say_line(
        spoken.text(
            "cli.ratings.advantage",
            points=_points(made.advantage),
            deviation=_points(made.deviation),
            n=made.games,
        )
    )
    if made.half_unit is not None:
        say_line(spoken.text("cli.ratings.half_unit", points=_points(made.half_unit)))


def _row(book: Book, player: Named) -> dict[str, str | int]:
    (id, name), (rating, month) = player, book.of(player)
    return {
        "player": name,
        "id": id,
        "rating": rating.points,
        "deviation": rating.deviation,
        "volatility": rating.volatility,
        "month": _month_name(month),
    }


def _game(found: Evidence, title: str) -> tuple[Game | None, Say | None]:
    """A file's game as it is rated, or None and why it is not."""
    genesis = found.genesis
    if genesis is None:
        return None, say("cli.ratings.unsound")
    if genesis.self_play:
        return None, say("cli.ratings.self_play")
    if not genesis.rated:
        return None, say("cli.ratings.unrated")
    if genesis.title != title:
        return None, say("cli.ratings.title", title=genesis.title, rated=title)
    if len(genesis.seats) != 2 or any(seat not in found.sitters for seat in genesis.seats):
        return None, say("cli.ratings.two")
    if not found.ended or (found.reason is not None and found.reason.key in NEVER_PLAYED):
        return None, say("cli.ratings.not_over")
    sitters = [found.sitters[seat] for seat in genesis.seats]
    first, second = ((sitter.account, sitter.name) for sitter in sitters)
    half = 1 if found.winner is None else 2 if found.winner == genesis.seats[0] else 0
    end = next(one for one in reversed(found.records) if one.kind == records.END)
    return Game(genesis.game, end.hash, first, second, half), None


def _log(data: bytes, path: Path) -> Log:
    try:
        return ratingslog.read(data)
    except BadLog as error:
        _tell_findings(path, [str(error)])


def _tell_findings(path: Path, findings: list[str]) -> NoReturn:
    """Print what is wrong and leave with 1."""
    for one in findings:
        say_line(f"{path}: {one}", err=True)
    sys.exit(1)


def _month(text: str) -> int:
    year, dash, month = text.partition("-")
    digits = text.isascii() and year.isdecimal() and month.isdecimal()
    if dash and digits and (len(year), len(month)) == (4, 2) and 1 <= int(month) <= 12:
        return 12 * int(year) + int(month) - 1
    raise click.UsageError(f"{text!r} is not a month; write it as 2026-11")


def _month_name(month: int) -> str:
    return f"{month // 12:04}-{month % 12 + 1:02}"


def _points(hundredths: int) -> str:
    sign = "\N{MINUS SIGN}" if hundredths < 0 else ""
    return f"{sign}{abs(hundredths) // 100}.{abs(hundredths) % 100:02}"


def _tell(book: Book, players: Iterable[Named], spoken: Phrases) -> None:
    for player in players:
        one, _ = book.of(player)
        say_line(
            spoken.text(
                "cli.ratings.player",
                player=apart(player, book.players),
                points=_points(one.points),
                deviation=_points(one.deviation),
            )
        )
