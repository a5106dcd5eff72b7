"""The server and its data: running a server, the demonstration, and the maintenance of its data."""

import sys
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
from attrs import NOTHING

from warledger.clients.cli.options import JSON, DataFolder, private_files, screen_of, screen_options

if TYPE_CHECKING:
    from warledger.clients.terminal.screen import Screen


@click.command()
@click.option("--title", default="war_at_sea", show_default=True, help="The title to play.")
@click.option("--fast", is_flag=True, help="No pauses: takes less than half a minute.")
@click.option("--seed", type=int, default=1943, show_default=True, help="Seed of the two captains.")
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the server's data and the game's file here.",
)
@click.option(
    "--http",
    metavar="HOST:PORT",
    help="Serve the page at this address until Ctrl-C; default: a free port during the game.",
)
@click.option(
    "--open",
    "open_page",
    is_flag=True,
    help="Open the page in a browser, and serve it until Ctrl-C.",
)
@click.option(
    "--dispute",
    is_flag=True,
    help="Play with clocks to a claim, a freeze, a ruling with a takeback, and a case that is "
    "checked, instead of to the end.",
)
@click.option(
    "--tournament",
    "cup",
    is_flag=True,
    help="Play a Swiss of sixteen captains with sealed bids and a claim that is ruled upon, and "
    "audit the tournament with all its games.",
)
@click.option(
    "--fleet",
    "of_fleet",
    is_flag=True,
    help="Play on a fleet of three NATS servers, three nodes, an edge and an archive; one of "
    "each is killed during play.",
)
@screen_options
def demo(
    screen: "Screen",
    title: str,
    dispute: bool,
    cup: bool,
    of_fleet: bool,
    fast: bool,
    seed: int,
    keep: Path | None,
    http: str | None,
    open_page: bool,
) -> None:
    """Run a whole match between two captains on a real server on this machine, tell its story,
    export it and audit it."""
    if dispute:
        from warledger.clients.commands.demos.disputedemo import dispute as argue

        if http is not None or open_page:
            raise click.UsageError("--dispute serves no page: leave out --http and --open")
        sys.exit(argue(screen, title=title, fast=fast, seed=seed, keep=keep))
    if cup:
        from warledger.clients.commands.demos.tournamentdemo import tournament

        if http is not None or open_page or title != "war_at_sea":
            raise click.UsageError(
                "--tournament plays War at Sea and serves no page: leave out --title, --http and "
                "--open"
            )
        sys.exit(tournament(screen, fast=fast, seed=seed, keep=keep))
    if of_fleet:
        from warledger.clients.commands.demos.fleetdemo import demonstrate as fleet

        if http is not None or open_page or title != "war_at_sea":
            raise click.UsageError(
                "--fleet plays War at Sea and serves no page: leave out --title, --http and --open"
            )
        sys.exit(fleet(screen, fast=fast, seed=seed, keep=keep))
    from warledger.clients.commands.demos.demo import demonstrate

    sys.exit(
        demonstrate(
            screen,
            title=title,
            fast=fast,
            seed=seed,
            keep=keep,
            http=http,
            open_page=open_page,
        )
    )


def _settings(context: click.Context, _: click.Parameter, path: Path | None) -> Any:
    """Read the file of settings: what it says of flags becomes their defaults."""
    from warledger.engine.serve.config import BadConfig
    from warledger.engine.serve.settings import Settings, read_settings

    if path is None:
        return Settings()
    flags = {
        option.opts[0].removeprefix("--"): option.name
        for option in context.command.params
        if isinstance(option, click.Option) and option.name != "settings"
    }
    try:
        settings = read_settings(path, [flag for flag in flags if not flag.startswith("-")])
    except BadConfig as error:
        raise click.UsageError(str(error)) from error
    multiple = {option.name for option in context.command.params if option.multiple}
    context.default_map = {
        str(flags[flag]): [value] if flags[flag] in multiple and type(value) is not list else value
        for flag, value in settings.flags.items()
    }
    return settings


class _Serve(click.Command):
    """A command whose flags are those of `engine.serve.config.Config`. They are read when the
    command is used: who asks for the list of commands does not wait for the server to be loaded."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The flags of the settings, then those that every command has."""
        if not any(option.name == "data" for option in self.params):
            from warledger.engine.serve.settings import declared

            self.params[:0] = [_option(field, setting) for field, setting in declared()]
        return super().get_params(ctx)


def _option(field: Any, setting: Any) -> click.Option:
    """The flag of a setting."""
    more: dict[str, Any] = {}
    default = field.default if setting.written is None else setting.written
    default = None if default is NOTHING else default
    if field.type is bool:
        more["is_flag"] = True
    elif field.type in (Path, Path | None):
        more["type"] = click.Path(
            exists=setting.exists,
            file_okay=not setting.folder,
            dir_okay=setting.folder,
            path_type=Path,
        )
    elif setting.choices:
        more["type"] = click.Choice(setting.choices)
    elif setting.most is not None:
        more["type"] = click.IntRange(0, setting.most)
    else:
        more["type"] = str
    return click.Option(
        [f"--{setting.flag}", field.name],
        default=default,
        show_default=bool(default),
        multiple=setting.many,
        metavar=setting.metavar,
        envvar=setting.variable,
        help=setting.help,
        **more,
    )


@click.command(cls=_Serve)
@click.option(
    "--config",
    "settings",
    type=click.Path(dir_okay=False, path_type=Path),
    is_eager=True,
    callback=_settings,
    help="A TOML file with the same names, and limits; a flag given here wins.",
)
@screen_options
def serve(screen: "Screen", settings: Any, **given: Any) -> None:
    """Run a server until Ctrl-C or SIGTERM. Prints where the host's token is kept."""
    from warledger.clients.commands.server.servercommands import serve as run_server

    data: Path | None = given["data"]
    if data is None and not given["edge"]:
        raise click.UsageError("name the data directory with --data")
    # What an edge keeps is a cache.
    passing = TemporaryDirectory(prefix="warledger-edge-") if data is None else nullcontext(data)
    with passing as kept:
        sys.exit(run_server(screen, settings, {**given, "data": Path(kept)}))


@click.command()
@click.argument("game")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The server's data directory; without it GAME is a game's file.",
)
@click.option(
    "-o",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The game's file to write.",
)
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page that plays and checks the game without a server.",
)
@click.option(
    "--as",
    "audience",
    default="",
    metavar="public|SEAT|arbiter",
    help="Default: public while the game is in progress, then everything.",
)
@JSON
def export(
    game: str,
    data: Path | None,
    output: Path | None,
    force: bool,
    html: Path | None,
    audience: str,
    machine: bool,
) -> None:
    """Write a game's file, sealed and signed, for an arbiter, a player or the public. With --html
    write one page of what the public may see, which needs nothing else."""
    if audience not in ("", "public"):
        private_files()
    from warledger.clients.commands.figures.webpage import export_page
    from warledger.clients.commands.server.servercommands import export as write

    if (html is None) == (output is None):
        raise click.UsageError("say what to write: -o FILE or --html FILE")
    written = output or html
    if written is not None and written.exists() and not force:
        raise click.UsageError(f"{written} is there already: add --force to replace it")
    if html is not None:
        if audience:
            raise click.UsageError("a page is for everybody: leave out --as")
        sys.exit(export_page(screen_of(), game, data, html, machine=machine))
    if data is None or output is None:
        raise click.UsageError("name the server's data directory with --data")
    sys.exit(write(screen_of(), game, data, output, audience, machine=machine))


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@JSON
def check(data: Path, machine: bool) -> None:
    """Verify every byte of a data directory against its checksums. Changes nothing; can be run
    while the server is running."""
    from warledger.clients.commands.server.servercommands import check as verify

    sys.exit(verify(screen_of(), data, machine=machine))


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("dest", type=click.Path(file_okay=False, path_type=Path))
@JSON
def backup(data: Path, dest: Path, machine: bool) -> None:
    """Copy a data directory consistently, even while the server is using it."""
    from warledger.clients.commands.server.servercommands import backup as copy

    sys.exit(copy(screen_of(), data, dest, machine=machine))


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--undo", is_flag=True, help="Unpack all of them again.")
def compress(data: Path, undo: bool) -> None:
    """Compress the files of games that are over. The server must be stopped.

    They become gzip files, about two fifths as long. Everything reads them as before, and a game to
    which something is added later is unpacked by itself. `backup` copies them unpacked.
    """
    from warledger.clients.commands.server.servercommands import compress as pack

    sys.exit(pack(screen_of(), data, undo=undo))


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("games", nargs=-1, metavar="GAME…")
@click.option("--all", "everything", is_flag=True, help="Reopen all games that are held.")
def reopen(data: Path, games: tuple[str, ...], everything: bool) -> None:
    """Reopen games that are held because damage to the log may have cost them their newest records.
    The server must be stopped.

    Ask the players first: if a player has receipts newer than the game's last record, records have
    been lost.
    """
    from warledger.clients.commands.server.servercommands import reopen as free

    if bool(games) == everything:
        raise click.UsageError(
            "name the games to reopen, or give --all; `warledger check` lists those that are held"
        )
    sys.exit(free(screen_of(), data, games))


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--right",
    is_flag=True,
    help="Confirm that this machine's clock is right now; a running server notices.",
)
def clock(data: Path, right: bool) -> None:
    """Show whether a server's time is reliable. If its clock has jumped, no game expires until it
    is reliable again."""
    from warledger.clients.commands.server.servercommands import clock as tell

    sys.exit(tell(screen_of(), data, right=right))


@click.group()
def key() -> None:
    """The server's key, which signs every game."""


@key.command("rotate")
@click.option(
    "--data",
    required=True,
    type=DataFolder(exists=True),
    help="The server's data directory.",
)
@screen_options
def key_rotate(screen: "Screen", data: Path) -> None:
    """Replace the server's key. The server must be stopped. Games in progress switch to the new key
    when they are next played."""
    from warledger.clients.commands.server.servercommands import rotate_key

    sys.exit(rotate_key(screen, data))
