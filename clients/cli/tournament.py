"""Tournaments: a director's desk on this machine, or a tournament on a server."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from warledger.clients.cli.options import JSON, DataFolder, screen_options, token_option, where_of

if TYPE_CHECKING:
    from warledger.clients.terminal.screen import Screen

F = TypeVar("F", bound=Callable[..., Any])
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _run(call: Callable[[], Awaitable[int]]) -> None:
    """Run it, and exit with its code; what cannot be opened is reported in a line."""
    import trio

    from warledger.clients.commands.tournament.desk import CannotOpen

    try:
        code = trio.run(call)
    except CannotOpen as error:
        raise click.ClickException(str(error)) from error
    sys.exit(code)


def _anywhere(module: str) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Where the tournament is: --server with what a server needs, or --data.

    at      what the command gets: the module that asks a server, or the one of this name, which
            works on a data directory of this machine
    place   the server, or the directory
    screen  where it writes

    It returns a coroutine of that module, and the process exits with its code.

    Raises UsageError if no place is named, and as `screen_of` and `where_of`.
    """

    def options(command: Callable[..., Any]) -> Callable[..., None]:
        @wraps(command)
        def called(
            *,
            server: str,
            tls: bool,
            tls_ca: Path | None,
            token: str,
            data: Path | None,
            screen: Screen,
            **own: Any,
        ) -> None:
            if server:
                from warledger.clients.commands.play.online import run
                from warledger.clients.commands.tournament import online
                from warledger.clients.link import devices

                shown = token or devices.kept(server) or ""
                where = where_of(server, tls, tls_ca, shown, keep=True)
                call = command(at=online, place=where, screen=screen, **own)
                sys.exit(run(lambda: call, screen))
            if data is None:
                raise click.UsageError(
                    "say where the tournament is: --server HOST:PORT, or --data DIR for a desk on "
                    "this machine"
                )
            at = import_module(f"warledger.clients.commands.tournament.{module}")
            call = command(at=at, place=data, screen=screen, **own)
            _run(lambda: call)

        found = screen_options(called)
        for option in (
            token_option,
            click.option(
                "--tls-ca",
                type=click.Path(exists=True, dir_okay=False, path_type=Path),
                help="Use TLS and trust this certificate.",
            ),
            click.option("--tls", is_flag=True, help="Use TLS."),
            click.option(
                "--server", default="", metavar="HOST:PORT", help="The server that hosts it."
            ),
            click.option(
                "--data",
                envvar="WARLEDGER_DATA",
                type=DataFolder(),
                help="Without a server: the data directory that the tournaments are kept in; or "
                "set WARLEDGER_DATA.",
            ),
        ):
            found = option(found)
        return found

    return options


def _who(command: F) -> F:
    return click.option(
        "--as",
        "who",
        default="",
        metavar="WHO",
        help="Who acts: d:NAME a director, a:NAME an arbiter, e:NUMBER an entrant. Default: the "
        "director, where there is one.",
    )(command)


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
def check(screen: Screen, file: Path, players: int | None, machine: bool) -> None:
    """Check a charter file. Each finding names the place, what is wrong and what to write."""
    from warledger.clients.commands.tournament import desk as desk

    try:
        sys.exit(desk.check(file, screen, machine=machine, players=players))
    except desk.CannotOpen as error:
        raise click.ClickException(str(error)) from error


@tournament.command()
@click.argument("file", type=_FILE)
@click.option("--id", "id", required=True, help="Its id: letters, digits, - and _.")
@click.option("--director", default="director", show_default=True, help="The director's name.")
@_anywhere("desk")
def new(file: Path, id: str, director: str, at: Any, place: Any, screen: Screen) -> Any:
    """Announce a tournament under the charter in FILE."""
    return at.new(place, file, id, director, screen)


@tournament.command("list")
@_anywhere("desk")
@JSON
def list_all(at: Any, place: Any, screen: Screen, machine: bool) -> Any:
    """List the tournaments of a data directory."""
    return at.listed(place, screen, machine=machine)


@tournament.command()
@click.argument("id")
@_anywhere("desk")
@JSON
def show(id: str, at: Any, place: Any, screen: Screen, machine: bool) -> Any:
    """Show the entrants and the newest round; --json everything that is public."""
    return at.show(place, id, screen, machine=machine)


@tournament.command()
@click.argument("id")
@_anywhere("desk")
@JSON
def standings(id: str, at: Any, place: Any, screen: Screen, machine: bool) -> Any:
    """Show the standings of the stage in progress, with every tie-break."""
    return at.standings(place, id, screen, machine=machine)


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
@_anywhere("desk")
def export(
    id: str, out: Path, form: str, arbiter: bool, at: Any, place: Any, screen: Screen
) -> Any:
    """Write the tournament's file, for `warledger audit` or for programs that read reports."""
    if arbiter and not isinstance(place, Path):
        raise click.UsageError("--arbiter is for a desk on this machine")
    if isinstance(place, Path):
        return at.export(place, id, out, screen, form=form, arbiter=arbiter)
    kind = "tournament.wlog" if form == "wlog" else f"report.{form}"
    return at.write(place, id, kind, None, out, screen)


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
@_anywhere("files")
def write(
    id: str, kind: str, round: int | None, out: Path | None, at: Any, place: Any, screen: Screen
) -> Any:
    """Write a file for a spreadsheet, a printer, a calendar or a program.

    KIND is one of entrants.csv, pairings.csv, results.csv, standings.csv; pairings.txt; to print
    pairings.html (by board), names.html (by name), slips.html; rounds.ics; pairings.json,
    standings.json, crosstable.json.
    """
    from warledger.clients.commands.tournament import files as files

    if kind not in files.KINDS:
        raise click.UsageError(f"{kind!r} is not a kind; write one of: {', '.join(files.KINDS)}")
    return at.write(place, id, kind, round, out or Path(kind), screen)


@tournament.command("enter-all")
@click.argument("id")
@click.argument("file", type=_FILE)
@_who
@_anywhere("files")
def enter_all(id: str, file: Path, who: str, at: Any, place: Any, screen: Screen) -> Any:
    """Enter everybody listed in a CSV file. The column `name` is required; `rating`, `groups` and
    `account` are optional."""
    return at.enter_all(place, id, who, file, screen)


@tournament.command()
@click.argument("id")
@_anywhere("files")
def charter(id: str, at: Any, place: Any, screen: Screen) -> Any:
    """Print the charter as sentences."""
    return at.charter(place, id, screen)


@tournament.command()
@click.argument("id")
@click.argument("entrant")
@_anywhere("files")
def explain(id: str, entrant: str, at: Any, place: Any, screen: Screen) -> Any:
    """Explain the place of an entrant, given by name or starting number."""
    return at.explain(place, id, entrant, screen)


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
    screen: Screen, file: Path, players: int, seed: int, bot: str, keep: Path | None
) -> None:
    """Play a whole tournament between bots as a rehearsal, and audit it with its games."""
    from warledger.clients.commands.tournament.simulation import simulate as run

    _run(lambda: run(file, players, seed, bot, keep, screen))


@tournament.command()
@click.argument("id")
@click.argument("picks", nargs=-1)
@_who
@_anywhere("desk")
@JSON
def act(
    id: str, picks: tuple[str, ...], who: str, at: Any, place: Any, screen: Screen, machine: bool
) -> Any:
    """Submit an act that the charter allows, pick by pick. Without PICKS, list what is allowed. If
    an act is not complete, what may follow is printed: `act CUP result 1 4` asks for the
    outcome."""
    return at.act(place, id, who, picks, screen, machine=machine)


def _server(place: Any) -> Any:
    """The server. Raises UsageError where there is none."""
    if isinstance(place, Path):
        raise click.UsageError("this needs a server: name it with --server HOST:PORT")
    return place


@tournament.command()
@click.argument("id")
@click.argument("name")
@click.option("--rating", type=click.IntRange(0, 4000), default=0, help="Your rating, if any.")
@_anywhere("desk")
def join(id: str, name: str, rating: int, at: Any, place: Any, screen: Screen) -> Any:
    """Enter a tournament on a server as NAME. What you need later is stored on this machine, so
    that you can use `check-in ID`, `act ID bid …` and `seat ID`."""
    return at.join(_server(place), id, name, rating, screen)


@tournament.command()
@click.argument("id")
@click.argument("who")
@_anywhere("desk")
def token(id: str, who: str, at: Any, place: Any, screen: Screen) -> Any:
    """Create a new token for an entrant (e:NUMBER) or an arbiter (a:NAME) without an account, as a
    director. The old token becomes invalid."""
    return at.token(_server(place), id, who, screen)


@tournament.command()
@click.argument("id")
@click.argument("role", type=click.Choice(["director", "arbiter", "caster", "entrant"]))
@_anywhere("desk")
@JSON
def code(id: str, role: str, at: Any, place: Any, screen: Screen, machine: bool) -> Any:
    """Print a code of one use that gives a role to whoever uses it, for people who have no account
    yet. It is good for two weeks."""
    return at.code(_server(place), id, role, screen, machine=machine)


@tournament.command()
@click.argument("id")
@_anywhere("desk")
@JSON
def seat(id: str, at: Any, place: Any, screen: Screen, machine: bool) -> Any:
    """Fetch your seat in the game of your board, for `warledger play`, as an entrant. If you
    fetched it elsewhere before, it moves to this machine."""
    return at.seat(_server(place), id, screen, machine=machine)


def _verb(name: str, verb: str, help: str) -> None:
    """A command for an act that directors need every day: the same as `act ID VERB PICKS`."""

    @tournament.command(name, help=help)
    @click.argument("id")
    @click.argument("picks", nargs=-1)
    @_who
    @_anywhere("desk")
    @JSON
    def run(
        id: str,
        picks: tuple[str, ...],
        who: str,
        at: Any,
        place: Any,
        screen: Screen,
        machine: bool,
    ) -> Any:
        return at.act(place, id, who, (verb, *picks), screen, machine=machine)


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
