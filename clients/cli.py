"""The command line: `warledger COMMAND …`. Exit codes: 0 success, 1 a negative answer, 2 wrong usage.

Only what a command needs is imported, when it runs. `serve`, `titles` without a server, and the commands on data directories and packs
are the server's own tools and import the engine; everything else is a client and imports `protocol` alone.
"""

import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from protocol.phrases import LANGUAGES

if TYPE_CHECKING:
    from clients.commands.online import Where
    from clients.terminal.screen import Screen

F = TypeVar("F", bound=Callable[..., Any])

_LATER = {
    "audit": ("clients.audit.commands", "audit_command"),
    "replay": ("clients.audit.commands", "replay_command"),
    "bench": ("clients.commands.bench", "bench_command"),
}
"""Commands that live elsewhere, imported when they are asked for."""


class _LaterGroup(click.Group):
    def main(self, *args: Any, **options: Any) -> Any:
        """Everything that is printed from here on is guarded, usage errors too: much of it comes from files and servers."""
        from clients.terminal.visible import guarded

        with guarded():
            return super().main(*args, **options)

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted((*super().list_commands(context), *_LATER))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name in _LATER:
            module, attribute = _LATER[name]
            found: click.Command = getattr(import_module(module), attribute)
            return found
        return super().get_command(context, name)


@click.group(cls=_LaterGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="warledger", prog_name="warledger")
def main() -> None:
    """Warledger: a rules server for board wargames. Every rule enforced, every die checkable, every game a log that is evidence."""
    collect_rarely()


def collect_rarely() -> None:
    """Let the interpreter look for garbage that refers to itself less often: an audit, say, makes hardly any and keeps what it reads."""
    if not gc.get_freeze_count():
        gc.freeze()
    gc.set_threshold(20_000, 10, 100)


# --- options that several commands share ------------------------------------------------------------------------------------------


def _screen_options(command: F) -> F:
    command = click.option("--plain", is_flag=True, help="Sentences only: no boxes, no colours. For screen readers.")(command)
    language = click.option(
        "--lang", "--language", "lang", default="", metavar="LANGUAGE", help=f"{', '.join(LANGUAGES)}; default: the system's."
    )
    return language(command)


def _server_options(command: F) -> F:
    for option in (
        click.option("--tls-ca", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Use TLS and trust this certificate."),
        click.option("--tls", is_flag=True, help="Use TLS."),
        click.option("--server", default="127.0.0.1:7470", envvar="WARLEDGER_SERVER", show_default=True, metavar="HOST:PORT"),
    ):
        command = option(command)
    return command


def _token_option(command: F) -> F:
    return click.option(
        "--token",
        default="",
        envvar="WARLEDGER_TOKEN",
        metavar="@FILE",
        help="The file that holds the token; or set WARLEDGER_TOKEN. The token itself is taken too, but then others see it (ps).",
    )(command)


def _receipts_option(command: F) -> F:
    return click.option(
        "--receipts",
        type=click.Path(file_okay=False, path_type=Path),
        help="Where keys and signed receipts are kept; default: warledger in XDG_STATE_HOME or ~/.local/state.",
    )(command)


def _new_key_option(command: F) -> F:
    return click.option("--accept-new-key", is_flag=True, help="The server's key has changed since it was first met, and that is right.")(
        command
    )


_JSON = click.option("--json", "machine", is_flag=True, help="Print data for a program to read.")


def _screen(lang: str = "", plain: bool = False) -> "Screen":
    from clients.terminal.screen import Screen, language_from_environment
    from protocol.phrases import language_of

    if lang and language_of(lang) is None:
        raise click.UsageError(f"no language {lang!r}; choose from {', '.join(LANGUAGES)}")
    return Screen(language=language_from_environment(lang), plain=plain)


def _where(
    server: str,
    tls: bool,
    tls_ca: Path | None,
    token: str = "",
    *,
    name: str = "",
    receipts: Path | None = None,
    keep: bool = False,
    accept_new_key: bool = False,
) -> "Where":
    from clients.commands.online import Where

    if token.startswith("@"):
        try:
            token = Path(token[1:]).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(f"the token cannot be read from {token[1:]}: {error}") from error
    if keep and receipts is None:
        state = os.environ.get("XDG_STATE_HOME")
        receipts = (Path(state) if state else Path.home() / ".local" / "state") / "warledger"
    if receipts is not None:
        try:
            receipts.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise click.UsageError(f"receipts cannot be kept in {receipts} ({error.strerror}); name another folder: --receipts") from error
    where = Where(server, tls, tls_ca, token, name, receipts, accept_new_key)
    try:
        where.address  # noqa: B018
    except ValueError as error:
        raise click.UsageError(f"--server: {error}") from error
    return where


def _need(token: str, whose: str) -> None:
    if not token:
        raise click.UsageError(f"{whose} token is needed: name the file that holds it with --token @FILE, or set WARLEDGER_TOKEN")


# --- the server and its data --------------------------------------------------------------------------------------------------------


@main.command()
@click.option("--title", default="war_at_sea", show_default=True, help="The title to play.")
@click.option("--fast", is_flag=True, help="No pauses: done within half a minute.")
@click.option("--seed", type=int, default=1943, show_default=True, help="Seed of the two captains.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep the server's data and the game's file here.")
@click.option("--http", metavar="HOST:PORT", help="Serve the page here, and until Ctrl-C; default: a free port while the game lasts.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser, and serve it until Ctrl-C.")
@_screen_options
def demo(
    title: str, fast: bool, seed: int, keep: Path | None, http: str | None, open_page: bool, lang: str, plain: bool
) -> None:
    """A whole match between two captains over a real server on this machine, told, exported and audited."""
    from clients.commands.demo import demonstrate

    sys.exit(demonstrate(_screen(lang, plain), title=title, fast=fast, seed=seed, keep=keep, http=http, open_page=open_page))


@main.command()
@click.option("--data", required=True, type=click.Path(file_okay=False, path_type=Path), help="The data directory; made when missing.")
@click.option("--tcp", default="127.0.0.1:7470", show_default=True, metavar="HOST:PORT", help="Where to listen.")
@click.option("--http", metavar="HOST:PORT", help="Where to serve the page and WebSockets; default: nowhere.")
@click.option("--http-name", "names", multiple=True, metavar="NAME", help="A name browsers reach the page by; may be given again.")
@click.option("--origin", "origins", multiple=True, metavar="URL", help="A site whose pages may connect too; may be given again.")
@click.option("--proxy", "proxies", multiple=True, metavar="ADDRESS", help="A reverse proxy to be believed; may be given again.")
@click.option("--page", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Serve this folder as the page.")
@click.option("--pack", "packs", multiple=True, metavar="TITLE=DIR", help="Use this pack for new games of a title; may be given again.")
@click.option("--workers", default=1, show_default=True, metavar="N", help="Processes that share the games; at most one a core.")
@click.option("--tls-cert", type=click.Path(dir_okay=False, path_type=Path), help="Certificate chain (PEM).")
@click.option("--tls-key", type=click.Path(dir_okay=False, path_type=Path), help="Its private key (PEM).")
@_screen_options
def serve(
    data: Path,
    tcp: str,
    http: str | None,
    names: tuple[str, ...],
    origins: tuple[str, ...],
    page: Path | None,
    proxies: tuple[str, ...],
    packs: tuple[str, ...],
    workers: int,
    tls_cert: Path | None,
    tls_key: Path | None,
    lang: str,
    plain: bool,
) -> None:
    """Run a server until Ctrl-C or SIGTERM. Says where the host's token is kept."""
    from clients.commands.local import serve as run_server

    sys.exit(run_server(_screen(lang, plain), data, tcp, tls_cert, tls_key, http, origins, page, proxies, packs, workers, names))


@main.command()
@click.argument("game")
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path), help="The server's data directory.")
@click.option("-o", "output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@click.option("--as", "audience", default="", metavar="public|SEAT|arbiter", help="Default: public while the game lives, then all.")
@_JSON
def export(game: str, data: Path, output: Path, audience: str, machine: bool) -> None:
    """Write a game's file, sealed and signed, for an arbiter, a player or the public."""
    from clients.commands.local import export as write

    sys.exit(write(_screen(), game, data, output, audience, machine=machine))


@main.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@_JSON
def check(data: Path, machine: bool) -> None:
    """Verify a data directory: every byte against its check sums. Changes nothing; may run beside the server."""
    from clients.commands.local import check as verify

    sys.exit(verify(_screen(), data, machine=machine))


@main.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("dest", type=click.Path(file_okay=False, path_type=Path))
@_JSON
def backup(data: Path, dest: Path, machine: bool) -> None:
    """Copy a data directory consistently, also while the server runs on it."""
    from clients.commands.local import backup as copy

    sys.exit(copy(_screen(), data, dest, machine=machine))


@main.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("games", nargs=-1, metavar="GAME…")
@click.option("--all", "everything", is_flag=True, help="All games that are held.")
def reopen(data: Path, games: tuple[str, ...], everything: bool) -> None:
    """Let games go on that are held because damage to the log may have cost their newest records; the server must be stopped.

    Ask the players first: whose receipts are newer than the game's last record knows that records are lost.
    """
    from clients.commands.local import reopen as free

    if bool(games) == everything:
        raise click.UsageError("name the games that are to go on, or --all; `warledger check` lists those that are held")
    sys.exit(free(_screen(), data, games))


@main.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--right", is_flag=True, help="Say that this machine's clock is right now, also to a server that runs.")
def clock(data: Path, right: bool) -> None:
    """Whether a server's time is sure: its clock may have jumped, and then no game expires until it is."""
    from clients.commands.local import clock as tell

    sys.exit(tell(_screen(), data, right=right))


@main.group()
def key() -> None:
    """The server's key, which signs every game."""


@key.command("rotate")
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path), help="The server's data directory.")
@_screen_options
def key_rotate(data: Path, lang: str, plain: bool) -> None:
    """Put a new key in place of the server's, which must be stopped. Games under way go over to it when they are next played."""
    from clients.commands.local import rotate_key

    sys.exit(rotate_key(_screen(lang, plain), data))


@main.group()
def pack() -> None:
    """Data packs: maps, counters and set-ups."""


@pack.command("check")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@_JSON
def pack_check(folder: Path, machine: bool) -> None:
    """Validate anybody's pack, with findings a map author understands."""
    from clients.commands.local import pack_check as verify

    sys.exit(verify(_screen(), folder, machine=machine))


@main.command()
@click.argument("title")
@click.option("--games", "count", type=click.IntRange(1), default=10, show_default=True, help="How many games.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--players", default="random,random", show_default=True, metavar="A,B", help="random or captain, by seat.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the title; may be given again.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Write each game's file here.")
@_JSON
def selfplay(title: str, count: int, seed: int, players: str, options: tuple[str, ...], out: Path | None, machine: bool) -> None:
    """Games between bots in process at full speed, invariants checked. The same seed gives byte-identical files."""
    from clients.commands.local import selfplay as run_games

    names = [name.strip() for name in players.split(",") if name.strip()]
    if not names:
        raise click.UsageError("--players names one player, or one a seat")
    sys.exit(run_games(_screen(), title, count, seed, names, _options(options), out, machine=machine))


def _options(given: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--option {item}: write NAME=VALUE; `warledger titles` lists them")
        found[name] = value
    return found


@main.group()
def role() -> None:
    """Tokens that only look: an arbiter's, a caster's. Made and revoked on the server's machine, also while the server runs."""


def _data_option(command: F) -> F:
    return click.option(
        "--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path), help="The server's data directory."
    )(command)


_NOTE = click.option("--note", default="", metavar="TEXT", help="For whom it is; shown by `role list`.")


@role.command("arbiter")
@click.option("--game", default="", help="Only this game; default: all games, those to come too.")
@_NOTE
@_data_option
@_JSON
@_screen_options
def role_arbiter(game: str, note: str, data: Path, machine: bool, lang: str, plain: bool) -> None:
    """Make a token that reads all records with everything sealed in them. It opens no game and acts in none."""
    from clients.commands.local import role_made

    sys.exit(role_made(_screen(lang, plain), data, (("arbiter", game, ""),), note, machine=machine))


@role.command("caster")
@click.argument("views", nargs=-1, required=True, metavar="GAME/SEAT...")
@_NOTE
@_data_option
@_JSON
@_screen_options
def role_caster(views: tuple[str, ...], note: str, data: Path, machine: bool, lang: str, plain: bool) -> None:
    """Make a token that sees what these seats see, delayed as spectators are."""
    from clients.commands.local import role_made

    rows = []
    for view in dict.fromkeys(views):
        game, slash, seat = view.partition("/")
        if not slash or not game or not seat:
            raise click.UsageError(f"{view} names no seat of a game; write GAME/SEAT")
        rows.append(("caster", game, seat))
    sys.exit(role_made(_screen(lang, plain), data, tuple(rows), note, machine=machine))


@role.command("list")
@_data_option
@_JSON
@_screen_options
def role_list(data: Path, machine: bool, lang: str, plain: bool) -> None:
    """The tokens that only look. Of a token itself nothing is kept that could be shown."""
    from clients.commands.local import roles

    sys.exit(roles(_screen(lang, plain), data, machine=machine))


@role.command("revoke")
@click.argument("id")
@_data_option
@_JSON
@_screen_options
def role_revoke(id: str, data: Path, machine: bool, lang: str, plain: bool) -> None:
    """Take a token back: within a second it is worth nothing, for those who are connected too."""
    from clients.commands.local import role_revoked

    sys.exit(role_revoked(_screen(lang, plain), data, id, machine=machine))


# --- clients ------------------------------------------------------------------------------------------------------------------------


@main.command()
@click.option("--server", default=None, envvar="WARLEDGER_SERVER", metavar="HOST:PORT", help="Ask this server; default: what is installed.")
@click.option("--tls", is_flag=True, help="Use TLS.")
@click.option("--tls-ca", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Use TLS and trust this certificate.")
@_JSON
@_screen_options
def titles(server: str | None, tls: bool, tls_ca: Path | None, machine: bool, lang: str, plain: bool) -> None:
    """What can be played, with options; --json adds where the data come from."""
    screen = _screen(lang, plain)
    if server is None:
        from clients.commands.local import installed_titles
        from clients.commands.online import show_titles

        show_titles(installed_titles(), screen, machine=machine)
        return
    from clients.commands import online

    where = _where(server, tls, tls_ca)
    sys.exit(online.run(lambda: online.titles(where, screen, machine=machine), screen))


@main.command()
@click.argument("title")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the title; may be given again.")
@click.option("--delay", type=click.IntRange(0, 86400), default=0, show_default=True, metavar="SECONDS", help="Keep spectators behind.")
@click.option("--unsigned-seats", is_flag=True, help="Let seats be taken without a key, by pages on plain http; they sign nothing.")
@_server_options
@_token_option
@_JSON
def new(
    title: str,
    options: tuple[str, ...],
    delay: int,
    unsigned_seats: bool,
    server: str,
    tls: bool,
    tls_ca: Path | None,
    token: str,
    machine: bool,
) -> None:
    """Open a game (with the host's token). Prints its id and a token a seat."""
    from clients.commands import online

    _need(token, "the host's")
    screen, where, chosen = _screen(), _where(server, tls, tls_ca, token), _options(options)
    sys.exit(
        online.run(
            lambda: online.new(where, screen, title, chosen, delay_s=delay, machine=machine, unsigned_seats=unsigned_seats), screen
        )
    )


@main.command()
@click.argument("game")
@click.argument("seat")
@_server_options
@_token_option
@_JSON
def token(game: str, seat: str, server: str, tls: bool, tls_ca: Path | None, token: str, machine: bool) -> None:
    """Replace a seat's lost token (with the host's token). The old one is worth nothing from then on."""
    from clients.commands import online

    _need(token, "the host's")
    screen, where = _screen(), _where(server, tls, tls_ca, token)
    sys.exit(online.run(lambda: online.token(where, screen, game, seat, machine=machine), screen))


@main.command()
@click.argument("game")
@click.argument("seat")
@click.option("--name", required=True, help="Who takes over, as the game's log will call them.")
@_server_options
@_token_option
@_JSON
def replace(game: str, seat: str, name: str, server: str, tls: bool, tls_ca: Path | None, token: str, machine: bool) -> None:
    """Let somebody else take over a seat of a game under way (with the host's token). Prints the seat's new token."""
    from clients.commands import online

    _need(token, "the host's")
    screen, where = _screen(), _where(server, tls, tls_ca, token)
    sys.exit(online.run(lambda: online.replace(where, screen, game, seat, name, machine=machine), screen))


@main.command()
@click.option("--stage", type=click.Choice(["gathering", "playing", "ended"]), default=None, help="Only these.")
@_server_options
@_JSON
@_screen_options
def games(stage: str | None, server: str, tls: bool, tls_ca: Path | None, machine: bool, lang: str, plain: bool) -> None:
    """The server's games."""
    from clients.commands import online

    screen, where = _screen(lang, plain), _where(server, tls, tls_ca)
    sys.exit(online.run(lambda: online.games(where, screen, stage or "", machine=machine), screen))


@main.command()
@click.argument("game")
@click.option("--seat", required=True, help="The seat to play.")
@click.option("--name", default="", help="How you are called in the game's log.")
@click.option("--take-over", is_flag=True, help="Take over a seat that somebody else played. The log tells it for good.")
@_server_options
@_token_option
@_receipts_option
@_new_key_option
@_screen_options
def play(
    game: str,
    seat: str,
    name: str,
    take_over: bool,
    server: str,
    tls: bool,
    tls_ca: Path | None,
    token: str,
    receipts: Path | None,
    accept_new_key: bool,
    lang: str,
    plain: bool,
) -> None:
    """Play a seat in this terminal. Type `help` there."""
    from clients.commands import online

    _need(token, "the seat's")
    screen = _screen(lang, plain)
    where = _where(server, tls, tls_ca, token, name=name, receipts=receipts, keep=True, accept_new_key=accept_new_key)
    sys.exit(online.run(lambda: online.play(where, screen, game, seat, take_over=take_over), screen, where.receipts))


@main.command()
@click.argument("game")
@click.option("--from", "start", type=click.IntRange(0), default=0, metavar="SEQ", help="Tell the story from this record on.")
@click.option("--as", "audience", default="", metavar="SEAT|arbiter", help="With a token: see as a seat or arbiter does.")
@click.option("--board/--no-board", default=True, help="Draw the board at each turn.")
@_server_options
@_token_option
@_JSON
@_screen_options
def watch(
    game: str,
    start: int,
    audience: str,
    board: bool,
    server: str,
    tls: bool,
    tls_ca: Path | None,
    token: str,
    machine: bool,
    lang: str,
    plain: bool,
) -> None:
    """Follow a game, live or from its beginning, until it ends. Every record is verified as it comes."""
    from clients.commands import online

    if audience not in ("", "public"):
        _need(token, "the arbiter's or host's" if audience == "arbiter" else "the seat's")
    screen, where = _screen(lang, plain), _where(server, tls, tls_ca, token)
    sys.exit(online.run(lambda: online.watch(where, screen, game, start, audience=audience, machine=machine, board=board), screen))


@main.command()
@click.argument("game")
@click.option("--seat", required=True, help="The seat to play.")
@click.option("--player", type=click.Choice(["random", "captain"]), default="captain", show_default=True)
@click.option("--seed", default="", help="Seed of its choices; default: the game's id.")
@click.option("--name", default="", help="How it is called in the game's log; default: the player.")
@_server_options
@_token_option
@_receipts_option
@_new_key_option
@_screen_options
def bot(
    game: str,
    seat: str,
    player: str,
    seed: str,
    name: str,
    server: str,
    tls: bool,
    tls_ca: Path | None,
    token: str,
    receipts: Path | None,
    accept_new_key: bool,
    lang: str,
    plain: bool,
) -> None:
    """Let a bot play a seat to the game's end."""
    from clients.bots.player import NoSuchPlayer
    from clients.commands import online

    _need(token, "the seat's")
    screen = _screen(lang, plain)
    where = _where(server, tls, tls_ca, token, name=name or player, receipts=receipts, keep=True, accept_new_key=accept_new_key)
    try:
        sys.exit(online.run(lambda: online.bot(where, screen, game, seat, player, seed or game), screen, where.receipts))
    except NoSuchPlayer as error:
        raise click.UsageError(str(error)) from error


@main.command()
@click.argument("game")
@click.option("--seat", required=True, help="The seat.")
@click.option("--sign", default="", metavar="CODE", help="Sign another device of yours: what `warledger device` printed there.")
@click.option("--revoke", default="", metavar="KEY", help="Put a key of the seat out of force: its first digits.")
@click.option("--yes", "sure", is_flag=True, help="The codes have been compared.")
@_server_options
@_token_option
@_receipts_option
@_new_key_option
@_screen_options
def device(
    game: str,
    seat: str,
    sign: str,
    revoke: str,
    sure: bool,
    server: str,
    tls: bool,
    tls_ca: Path | None,
    token: str,
    receipts: Path | None,
    accept_new_key: bool,
    lang: str,
    plain: bool,
) -> None:
    """Play a seat from a further device: prints this device's key, and what to sign on the one that plays the seat."""
    from clients.commands import online

    _need(token, "the seat's")
    if sign and revoke:
        raise click.UsageError("give --sign or --revoke, not both")
    screen = _screen(lang, plain)
    where = _where(server, tls, tls_ca, token, receipts=receipts, keep=True, accept_new_key=accept_new_key)
    sys.exit(
        online.run(lambda: online.device(where, screen, game, seat, sign=sign, revoke=revoke, sure=sure), screen, where.receipts)
    )


@main.command()
@click.argument("game")
@click.option("--seat", required=True, help="Your seat.")
@click.option("--to", "key", required=True, metavar="KEY", help="The newcomer's key: `warledger device` prints it for them.")
@click.option("--name", required=True, help="How the newcomer is called in the game's log.")
@_server_options
@_token_option
@_receipts_option
@_new_key_option
@_screen_options
def handover(
    game: str,
    seat: str,
    key: str,
    name: str,
    server: str,
    tls: bool,
    tls_ca: Path | None,
    token: str,
    receipts: Path | None,
    accept_new_key: bool,
    lang: str,
    plain: bool,
) -> None:
    """Sign that somebody else takes over your seat, so that the game stays evidence throughout."""
    from clients.commands import online

    _need(token, "the seat's")
    screen = _screen(lang, plain)
    try:
        newcomer = bytes.fromhex(key)
    except ValueError:
        newcomer = b""
    if len(newcomer) != 32:
        raise click.UsageError(screen.spoken.text("cli.key_digits"))
    where = _where(server, tls, tls_ca, token, receipts=receipts, keep=True, accept_new_key=accept_new_key)
    sys.exit(online.run(lambda: online.handover(where, screen, game, seat, newcomer, name), screen, where.receipts))


if __name__ == "__main__":
    main()
