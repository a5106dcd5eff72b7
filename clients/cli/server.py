"""The server and its data: running a server, the demonstration, and the maintenance of its data."""

import sys
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from warledger.clients.cli.options import JSON, screen_of, screen_options


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
    title: str,
    dispute: bool,
    cup: bool,
    of_fleet: bool,
    fast: bool,
    seed: int,
    keep: Path | None,
    http: str | None,
    open_page: bool,
    lang: str,
    plain: bool,
) -> None:
    """Run a whole match between two captains on a real server on this machine, tell its story,
    export it and audit it."""
    if dispute:
        from warledger.clients.commands.dispute import dispute as argue

        if http is not None or open_page:
            raise click.UsageError("--dispute serves no page: leave out --http and --open")
        sys.exit(argue(screen_of(lang, plain), title=title, fast=fast, seed=seed, keep=keep))
    if cup:
        from warledger.clients.commands.tournamentdemo import tournament

        if http is not None or open_page or title != "war_at_sea":
            raise click.UsageError(
                "--tournament plays War at Sea and serves no page: leave out --title, --http and "
                "--open"
            )
        sys.exit(tournament(screen_of(lang, plain), fast=fast, seed=seed, keep=keep))
    if of_fleet:
        from warledger.clients.commands.fleetdemo import demonstrate as fleet

        if http is not None or open_page or title != "war_at_sea":
            raise click.UsageError(
                "--fleet plays War at Sea and serves no page: leave out --title, --http and --open"
            )
        sys.exit(fleet(screen_of(lang, plain), fast=fast, seed=seed, keep=keep))
    from warledger.clients.commands.demo import demonstrate

    sys.exit(
        demonstrate(
            screen_of(lang, plain),
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


def _days(_: click.Context, option: click.Parameter, text: Any) -> int | None:
    """A whole number of days, or never."""
    if str(text) == "never":
        return None
    return click.INT.convert(text, option, _)


@click.command()
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="The data directory; created if missing. An edge needs none.",
)
@click.option(
    "--store",
    default="",
    metavar="nats://HOST:PORT,…",
    help="Be a node of the fleet on these NATS servers; default: the games are in --data.",
)
@click.option(
    "--edge",
    default="",
    metavar="nats://HOST:PORT,…",
    help="Only show the games of the fleet on these NATS servers, to any number of spectators.",
)
@click.option(
    "--nodes",
    default="",
    metavar="URL",
    help="Where people can play: what an edge tells those who want to.",
)
@click.option(
    "--keys",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder with the fleet's key ring, or for an edge its server.pub; default: systemd's "
    "credentials.",
)
@click.option(
    "--nkey",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The nkey for NATS; default: node.nk, or edge.nk, in --keys, if it is there.",
)
@click.option(
    "--nats-ca",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The certificate that verifies the NATS servers; default: the one in --keys.",
)
@click.option(
    "--tcp",
    default="127.0.0.1:7470",
    show_default=True,
    metavar="HOST:PORT",
    help="The address to listen on.",
)
@click.option(
    "--http", metavar="HOST:PORT", help="The address for the page and WebSockets; default: none."
)
@click.option(
    "--http-name",
    "names",
    multiple=True,
    metavar="NAME",
    help="A name by which browsers reach the page; may be repeated.",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="A site whose pages may also connect; may be repeated.",
)
@click.option(
    "--frame",
    "frames",
    multiple=True,
    metavar="URL",
    help="A site whose pages may show the page in a frame; may be repeated.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A trusted reverse proxy; may be repeated.",
)
@click.option(
    "--page",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Serve this folder as the page.",
)
@click.option(
    "--pack",
    "packs",
    multiple=True,
    metavar="TITLE=DIR",
    help="Use this pack for new games of a title; may be repeated.",
)
@click.option(
    "--tls-cert", type=click.Path(dir_okay=False, path_type=Path), help="Certificate chain (PEM)."
)
@click.option(
    "--tls-key", type=click.Path(dir_okay=False, path_type=Path), help="Its private key (PEM)."
)
@click.option(
    "--tls-self-signed",
    is_flag=True,
    help="Use TLS and https with a certificate created here and kept with the data.",
)
@click.option(
    "--accounts",
    type=click.Choice(["invite", "open", "off"]),
    default="invite",
    show_default=True,
    help="Who may make an account: whoever is invited, anybody, or nobody.",
)
@click.option(
    "--url", default="", metavar="URL", help="The page's address, for links in notifications."
)
@click.option(
    "--mail",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A TOML file with the settings of a mail server, to send people mail.",
)
@click.option(
    "--practice-games",
    "practice",
    type=click.IntRange(0, 64),
    default=0,
    metavar="N",
    help="Let anybody play the server's bot, in at most N games at a time; default: nobody.",
)
@click.option(
    "--push",
    default="",
    metavar="CONTACT",
    help="Notify browsers; mailto:ADDRESS or https://SITE, by which push services reach you.",
)
@click.option(
    "--whatif",
    type=click.Choice(["off", "ended", "live"]),
    default="ended",
    show_default=True,
    help="The games that may be continued from their records on the page: none, those that have "
    "ended, or those in progress too.",
)
@click.option(
    "--archive",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="WARLEDGER_ARCHIVE",
    help="Earlier releases (`warledger archive add`), which finish the games that were begun with "
    "them; default: the folder archive beside the data directory.",
)
@click.option(
    "--compress-after",
    "compress_after",
    default="7",
    show_default=True,
    metavar="DAYS",
    callback=_days,
    help="Compress the file of a game that has been over for so many days; `never` leaves that to "
    "`warledger compress`.",
)
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    show_default=True,
    help="What goes into the log.",
)
@click.option(
    "--config",
    "settings",
    type=click.Path(dir_okay=False, path_type=Path),
    is_eager=True,
    callback=_settings,
    help="A TOML file with the same names, and limits; a flag given here wins.",
)
@screen_options
def serve(
    data: Path | None,
    store: str,
    edge: str,
    nodes: str,
    keys: Path | None,
    nkey: Path | None,
    nats_ca: Path | None,
    tcp: str,
    http: str | None,
    names: tuple[str, ...],
    origins: tuple[str, ...],
    page: Path | None,
    proxies: tuple[str, ...],
    packs: tuple[str, ...],
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_self_signed: bool,
    accounts: str,
    url: str,
    mail: Path | None,
    push: str,
    whatif: str,
    archive: Path | None,
    practice: int,
    compress_after: int | None,
    log_level: str,
    settings: Any,
    frames: tuple[str, ...],
    lang: str,
    plain: bool,
) -> None:
    """Run a server until Ctrl-C or SIGTERM. Prints where the host's token is kept."""
    from warledger.clients.commands.local import serve as run_server

    if data is None and not edge:
        raise click.UsageError("name the data directory with --data")
    screen = screen_of(lang, plain)
    # What an edge keeps is a cache.
    passing = TemporaryDirectory(prefix="warledger-edge-") if data is None else nullcontext(data)
    with passing as kept:
        sys.exit(
            run_server(
                screen,
                Path(kept),
                tcp,
                tls_cert,
                tls_key,
                http,
                origins,
                page,
                proxies,
                packs,
                names,
                tls_self_signed,
                accounts,
                url,
                mail,
                log_level,
                settings,
                frames,
                push,
                whatif,
                archive,
                store,
                keys,
                nkey,
                nats_ca,
                practice,
                edge,
                nodes,
                compress_after,
            )
        )


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
    """Write a game's file, sealed and signed, for an arbiter, a player or the public; or with
    --html one page of what the public may see, which needs nothing else."""
    from warledger.clients.commands.local import export as write
    from warledger.clients.commands.sharing import export_page

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
    from warledger.clients.commands.local import check as verify

    sys.exit(verify(screen_of(), data, machine=machine))


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("dest", type=click.Path(file_okay=False, path_type=Path))
@JSON
def backup(data: Path, dest: Path, machine: bool) -> None:
    """Copy a data directory consistently, even while the server is using it."""
    from warledger.clients.commands.local import backup as copy

    sys.exit(copy(screen_of(), data, dest, machine=machine))


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--undo", is_flag=True, help="Unpack all of them again.")
def compress(data: Path, undo: bool) -> None:
    """Compress the files of games that are over. The server must be stopped.

    They become gzip files, about two fifths as long; everything reads them as before, and a game to
    which something is added later is unpacked by itself. `backup` copies them unpacked.
    """
    from warledger.clients.commands.local import compress as pack

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
    from warledger.clients.commands.local import reopen as free

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
    from warledger.clients.commands.local import clock as tell

    sys.exit(tell(screen_of(), data, right=right))


@click.group()
def key() -> None:
    """The server's key, which signs every game."""


@key.command("rotate")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The server's data directory.",
)
@screen_options
def key_rotate(data: Path, lang: str, plain: bool) -> None:
    """Replace the server's key. The server must be stopped. Games in progress switch to the new key
    when they are next played."""
    from warledger.clients.commands.local import rotate_key

    sys.exit(rotate_key(screen_of(lang, plain), data))
