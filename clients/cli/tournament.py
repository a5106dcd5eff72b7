"""Tournaments: a director's desk on this machine, or a tournament on a server."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from warledger.clients.cli.options import JSON, screen_of, screen_options, token_option, where_of

if TYPE_CHECKING:
    from warledger.clients.commands.play.online import Where
    from warledger.clients.terminal.screen import Screen

F = TypeVar("F", bound=Callable[..., Any])
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _place(command: Callable[..., None]) -> Callable[..., None]:
    """Where the tournament is: --server with what a server needs, or --data. The command gets it
    as `place`. Raises UsageError if neither is named."""

    @wraps(command)
    def called(
        *,
        server: str,
        tls: bool,
        tls_ca: Path | None,
        token: str,
        data: Path | None,
        **own: Any,
    ) -> None:
        if not server and data is None:
            raise click.UsageError(
                "say where the tournament is: --server HOST:PORT, or --data DIR for a desk on this "
                "machine"
            )
        if server:
            from warledger.clients.link import devices

            shown = token or devices.kept(server) or ""
            command(place=where_of(server, tls, tls_ca, shown, keep=True), **own)
        else:
            command(place=data, **own)

    for option in (
        token_option,
        click.option(
            "--tls-ca",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Use TLS and trust this certificate.",
        ),
        click.option("--tls", is_flag=True, help="Use TLS."),
        click.option("--server", default="", metavar="HOST:PORT", help="The server that hosts it."),
        click.option(
            "--data",
            envvar="WARLEDGER_DATA",
            type=click.Path(file_okay=False, path_type=Path),
            help="Without a server: the data directory that the tournaments are kept in; or set "
            "WARLEDGER_DATA.",
        ),
    ):
        called = option(called)
    return called


def _ask(call: Callable[[], Coroutine[Any, Any, bool]], screen: Screen) -> None:
    """Do it on a server, and exit with its code."""
    from warledger.clients.commands.play.online import run

    sys.exit(run(call, screen))


def _who(command: F) -> F:
    return click.option(
        "--as",
        "who",
        default="",
        metavar="WHO",
        help="Who acts: d:NAME a director, a:NAME an arbiter, e:NUMBER an entrant. Default: the "
        "director, where there is one.",
    )(command)


def _run(call: Callable[[], Awaitable[int]]) -> None:
    """Run it, and exit with its code; what cannot be opened is reported in a line."""
    import trio

    from warledger.clients.commands.tournament.desk import CannotOpen

    try:
        code = trio.run(call)
    except CannotOpen as error:
        raise click.ClickException(str(error)) from error
    sys.exit(code)


def _either(
    place: Any,
    screen: Screen,
    *,
    there: Callable[[Any], Coroutine[Any, Any, bool]],
    here: Callable[[], Awaitable[int]],
) -> None:
    """Do it where the tournament is, and exit with the code: `there` gets the module that asks a
    server, `here` works on a data directory of this machine."""
    if isinstance(place, Path):
        _run(here)
        return
    from warledger.clients.commands.tournament import online as online

    _ask(lambda: there(online), screen)


@click.group()
def tournament() -> None:
    """Direct a tournament: enter people, pair rounds, take results, and leave a file that a
    stranger can check."""


@tournament.command()
@click.argument("file", type=_FILE)
@click.option(
    "--players",
    type=click.IntRange(2, 4096),
    help="How many are expected. Warns of rounds for which they are too few.",
)
@JSON
@screen_options
def check(file: Path, players: int | None, machine: bool, lang: str, plain: bool) -> None:
    """Check a charter file. Each finding names the place, what is wrong and what to write."""
    from warledger.clients.commands.tournament import desk as desk

    try:
        sys.exit(desk.check(file, screen_of(lang, plain), machine=machine, players=players))
    except desk.CannotOpen as error:
        raise click.ClickException(str(error)) from error


@tournament.command()
@click.argument("file", type=_FILE)
@click.option("--id", "id", required=True, help="Its id: letters, digits, - and _.")
@click.option("--director", default="director", show_default=True, help="The director's name.")
@_place
@screen_options
def new(file: Path, id: str, director: str, place: Any, lang: str, plain: bool) -> None:
    """Announce a tournament under the charter in FILE."""
    from warledger.clients.commands.tournament import desk as desk

    screen = screen_of(lang, plain)
    _either(
        place,
        screen,
        there=lambda online: online.new(place, file, id, director, screen),
        here=lambda: desk.new(file, place, id, director, screen),
    )


@tournament.command("list")
@_place
@JSON
@screen_options
def list_all(place: Any, machine: bool, lang: str, plain: bool) -> None:
    """List the tournaments of a data directory."""
    from warledger.clients.commands.tournament import desk as desk

    screen = screen_of(lang, plain)
    _either(
        place,
        screen,
        there=lambda online: online.listed(place, screen, machine=machine),
        here=lambda: desk.listed(place, screen, machine=machine),
    )


@tournament.command()
@click.argument("id")
@_place
@JSON
@screen_options
def show(id: str, place: Any, machine: bool, lang: str, plain: bool) -> None:
    """Show the entrants and the newest round; --json everything that is public."""
    from warledger.clients.commands.tournament import desk as desk

    screen = screen_of(lang, plain)
    _either(
        place,
        screen,
        there=lambda online: online.show(place, id, screen, machine=machine),
        here=lambda: desk.show(place, id, screen, machine=machine),
    )


@tournament.command()
@click.argument("id")
@_place
@JSON
@screen_options
def standings(id: str, place: Any, machine: bool, lang: str, plain: bool) -> None:
    """Show the standings of the stage in progress, with every tie-break."""
    from warledger.clients.commands.tournament import desk as desk

    screen = screen_of(lang, plain)
    _either(
        place,
        screen,
        there=lambda online: online.standings(place, id, screen, machine=machine),
        here=lambda: desk.standings(place, id, screen, machine=machine),
    )


@tournament.command()
@click.argument("id")
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write.",
)
@click.option(
    "--form",
    type=click.Choice(["wlog", "trf16", "trf26"]),
    default="wlog",
    show_default=True,
    help="wlog: the ledger, for `warledger audit`; trf16, trf26: the stage in progress as a FIDE "
    "tournament report.",
)
@click.option("--arbiter", is_flag=True, help="With the sealed bids and the server's secrets.")
@_place
@screen_options
def export(
    id: str, out: Path, form: str, arbiter: bool, place: Any, lang: str, plain: bool
) -> None:
    """Write the tournament's file, for `warledger audit` or for programs that read reports."""
    from warledger.clients.commands.tournament import desk as desk

    screen = screen_of(lang, plain)
    if arbiter and not isinstance(place, Path):
        raise click.UsageError("--arbiter is for a desk on this machine")
    kind = "tournament.wlog" if form == "wlog" else f"report.{form}"
    _either(
        place,
        screen,
        there=lambda online: online.write(place, id, kind, None, out, screen),
        here=lambda: desk.export(place, id, out, screen, form=form, arbiter=arbiter),
    )


@tournament.command()
@click.argument("id")
@click.argument("kind")
@click.option("--round", type=int, help="A round of the stage; default: the newest.")
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; default: the name of its kind.",
)
@_place
@screen_options
def write(
    id: str, kind: str, round: int | None, out: Path | None, place: Any, lang: str, plain: bool
) -> None:
    """Write a file for a spreadsheet, a printer, a calendar or a program.

    KIND is one of entrants.csv, pairings.csv, results.csv, standings.csv; pairings.txt; to print
    pairings.html (by board), names.html (by name), slips.html; rounds.ics; pairings.json,
    standings.json, crosstable.json.
    """
    from warledger.clients.commands.tournament import files as files

    if kind not in files.KINDS:
        raise click.UsageError(f"{kind!r} is not a kind; write one of: {', '.join(files.KINDS)}")
    screen = screen_of(lang, plain)
    _either(
        place,
        screen,
        there=lambda online: online.write(place, id, kind, round, out or Path(kind), screen),
        here=lambda: files.write(place, id, kind, round, out or Path(kind), screen),
    )


@tournament.command("enter-all")
@click.argument("id")
@click.argument("file", type=_FILE)
@_who
@_place
@screen_options
def enter_all(id: str, file: Path, who: str, place: Any, lang: str, plain: bool) -> None:
    """Enter everybody listed in a CSV file. The column `name` is required; `rating`, `groups` and
    `account` are optional."""
    from warledger.clients.commands.tournament import files as files

    screen = screen_of(lang, plain)
    _either(
        place,
        screen,
        there=lambda online: online.enter_all(place, id, who, file, screen),
        here=lambda: files.enter_all(place, id, who, file, screen),
    )


@tournament.command()
@click.argument("id")
@_place
@screen_options
def charter(id: str, place: Any, lang: str, plain: bool) -> None:
    """Print the charter as sentences."""
    from warledger.clients.commands.tournament import files as files

    screen = screen_of(lang, plain)
    _either(
        place,
        screen,
        there=lambda online: online.charter(place, id, screen),
        here=lambda: files.charter(place, id, screen),
    )


@tournament.command()
@click.argument("id")
@click.argument("entrant")
@_place
@screen_options
def explain(id: str, entrant: str, place: Any, lang: str, plain: bool) -> None:
    """Explain the place of an entrant, given by name or starting number."""
    from warledger.clients.commands.tournament import files as files

    screen = screen_of(lang, plain)
    _either(
        place,
        screen,
        there=lambda online: online.explain(place, id, entrant, screen),
        here=lambda: files.explain(place, id, entrant, screen),
    )


@tournament.command()
@click.argument("file", type=_FILE)
@click.option("--players", type=click.IntRange(2, 1024), default=16, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--bot", default="captain", show_default=True, help="The bot that plays every seat.")
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the tournament's file and its games in this folder.",
)
@screen_options
def simulate(
    file: Path, players: int, seed: int, bot: str, keep: Path | None, lang: str, plain: bool
) -> None:
    """Play a whole tournament between bots as a rehearsal, and audit it with its games."""
    from warledger.clients.commands.tournament.simulation import simulate as run

    screen = screen_of(lang, plain)
    _run(lambda: run(file, players, seed, bot, keep, screen))


@tournament.command()
@click.argument("id")
@click.argument("picks", nargs=-1)
@_who
@_place
@JSON
@screen_options
def act(
    id: str, picks: tuple[str, ...], who: str, place: Any, machine: bool, lang: str, plain: bool
) -> None:
    """Submit an act that the charter allows, pick by pick. Without PICKS, list what is allowed. If
    an act is not complete, what may follow is printed: `act CUP result 1 4` asks for the
    outcome."""
    from warledger.clients.commands.tournament import desk as desk

    screen = screen_of(lang, plain)
    _either(
        place,
        screen,
        there=lambda online: online.act(place, id, who, picks, screen, machine=machine),
        here=lambda: desk.act(place, id, who, picks, screen, machine=machine),
    )


def _where(place: Any) -> Where:
    """The server. Raises UsageError where there is none."""
    if isinstance(place, Path):
        raise click.UsageError("this needs a server: name it with --server HOST:PORT")
    where: Where = place
    return where


@tournament.command()
@click.argument("id")
@click.argument("name")
@click.option("--rating", type=click.IntRange(0, 4000), default=0, help="Your rating, if any.")
@_place
@screen_options
def join(id: str, name: str, rating: int, place: Any, lang: str, plain: bool) -> None:
    """Enter a tournament on a server as NAME. What you need later is stored on this machine, so
    that you can use `check-in ID`, `act ID bid …` and `seat ID`."""
    from warledger.clients.commands.tournament import online as online

    screen, where = screen_of(lang, plain), _where(place)
    _ask(lambda: online.join(where, id, name, rating, screen), screen)


@tournament.command()
@click.argument("id")
@click.argument("who")
@_place
@screen_options
def token(id: str, who: str, place: Any, lang: str, plain: bool) -> None:
    """Create a new token for an entrant (e:NUMBER) or an arbiter (a:NAME), as a director. The old
    token becomes invalid."""
    from warledger.clients.commands.tournament import online as online

    screen, where = screen_of(lang, plain), _where(place)
    _ask(lambda: online.token(where, id, who, screen), screen)


@tournament.command()
@click.argument("id")
@_place
@JSON
@screen_options
def seat(id: str, place: Any, machine: bool, lang: str, plain: bool) -> None:
    """Fetch your seat in the game of your board, for `warledger play`, as an entrant. If you
    fetched it elsewhere before, it moves to this machine."""
    from warledger.clients.commands.tournament import online as online

    screen, where = screen_of(lang, plain), _where(place)
    _ask(lambda: online.seat(where, id, screen, machine=machine), screen)


def _verb(name: str, verb: str, help: str) -> None:
    """A command for an act that directors need every day: the same as `act ID VERB PICKS`."""

    @tournament.command(name, help=help)
    @click.argument("id")
    @click.argument("picks", nargs=-1)
    @_who
    @_place
    @JSON
    @screen_options
    def run(
        id: str, picks: tuple[str, ...], who: str, place: Any, machine: bool, lang: str, plain: bool
    ) -> None:
        from warledger.clients.commands.tournament import desk as desk

        screen = screen_of(lang, plain)
        acted = (verb, *picks)
        _either(
            place,
            screen,
            there=lambda online: online.act(place, id, who, acted, screen, machine=machine),
            here=lambda: desk.act(place, id, who, acted, screen, machine=machine),
        )


for _name, _act, _help in (
    ("enter", "enter", "Enter somebody: NAME ACCOUNT RATING [NONCE HASH] [GROUP …]; - for none."),
    ("withdraw", "withdraw", "Withdraw an entrant: NUMBER."),
    ("check-in", "check_in", "Check an entrant in for the next round: NUMBER."),
    ("pair", "pair", "Pair the next round; nobody sees it before it is published."),
    ("publish", "publish", "Publish the round that was paired."),
    ("result", "result", "Give a result: ROUND BOARD win NUMBER played MARGIN REASON, and so on."),
    ("correct", "correct", "Correct a result; later pairings stand: as `result`."),
    ("advance", "advance", "Go on to the next stage."),
    ("finish", "finish", "Finish the tournament, and open everything that was sealed."),
):
    _verb(_name, _act, _help)
