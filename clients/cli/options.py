"""Options that several commands share, and what is made of them."""

import os
import sys
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from warledger.clients.languages import HELP

if TYPE_CHECKING:
    from warledger.clients.commands.play.online import Where
    from warledger.clients.terminal.screen import Screen

F = TypeVar("F", bound=Callable[..., Any])

Request: TypeAlias = Coroutine[Any, Any, bool]
"""What a command asks of a server, and whether it was done."""

Command: TypeAlias = Callable[..., Request]
"""A command that asks something of a server."""


def _language_options(command: F) -> F:
    """--lang and --plain."""
    command = click.option(
        "--plain", is_flag=True, help="Sentences only: no boxes, no colours. For screen readers."
    )(command)
    language = click.option(
        "--lang",
        "--language",
        "lang",
        default="",
        metavar="LANGUAGE",
        help=HELP,
    )
    return language(command)


def screen_options(command: Callable[..., None]) -> Callable[..., None]:
    """--lang and --plain. The command gets the screen that they ask for, as `screen`. Raises as
    `screen_of`."""

    @wraps(command)
    def called(*args: Any, lang: str, plain: bool, **own: Any) -> None:
        command(*args, screen=screen_of(lang, plain), **own)

    return _language_options(called)


def server_options(command: F) -> F:
    """--server, --tls and --tls-ca."""
    for option in (
        click.option(
            "--tls-ca",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Use TLS and trust this certificate.",
        ),
        click.option("--tls", is_flag=True, help="Use TLS."),
        click.option(
            "--server",
            default="127.0.0.1:7470",
            envvar="WARLEDGER_SERVER",
            show_default=True,
            metavar="HOST:PORT",
        ),
    ):
        command = option(command)
    return command


def token_option(command: F) -> F:
    """--token."""
    return click.option(
        "--token",
        default="",
        envvar="WARLEDGER_TOKEN",
        metavar="@FILE",
        help="The file that contains the token; or set WARLEDGER_TOKEN. The token itself is "
        "accepted too, but other users can then see it (ps).",
    )(command)


def receipts_option(command: F) -> F:
    """--receipts."""
    return click.option(
        "--receipts",
        type=click.Path(file_okay=False, path_type=Path),
        help="Where keys and signed receipts are kept; default: warledger in "
        "XDG_STATE_HOME or ~/.local/state.",
    )(command)


def new_key_option(command: F) -> F:
    """--accept-new-key."""
    return click.option(
        "--accept-new-key",
        is_flag=True,
        help="Accept that the server's key has changed since the first connection.",
    )(command)


class DataFolder(click.Path):
    """A data directory of a server. Whatever a command that names one writes is for its owner
    alone, whatever the umask was."""

    def __init__(self, *, exists: bool = False) -> None:
        super().__init__(exists=exists, file_okay=False, path_type=Path)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The folder as a path."""
        private_files()
        return super().convert(value, param, ctx)


def private_files() -> None:
    """Until the command ends it makes files and folders that only their owner may read."""
    before = os.umask(0o077)
    click.get_current_context().call_on_close(lambda: os.umask(before) and None)


def data_option(command: F) -> F:
    """--data, the data directory of a server on this machine."""
    return click.option(
        "--data",
        required=True,
        type=DataFolder(exists=True),
        help="The server's data directory.",
    )(command)


JSON = click.option("--json", "machine", is_flag=True, help="Print machine-readable data.")
"""--json."""


def screen_of(lang: str = "", plain: bool = False) -> "Screen":
    """The screen in the language asked for. Raises UsageError for an unknown language."""
    from warledger.clients.languages import chosen
    from warledger.clients.terminal.screen import Screen
    from warledger.protocol.lang import BadCatalogue

    language = chosen(lang)
    try:
        return Screen(language=language, plain=plain)
    except BadCatalogue as error:
        raise click.UsageError(str(error)) from error


def where_of(
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
    """The server to ask, and as whom. `keep` keeps keys and receipts in the usual folder if no
    other is named. Raises UsageError for an address, token or folder that cannot be used."""
    from warledger.clients.commands.play.online import Where
    from warledger.clients.link.devices import state_folder

    token = token.strip()  # a variable that was set from a file often ends with a line break
    if token.startswith("@"):
        try:
            token = Path(token[1:]).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(f"the token cannot be read from {token[1:]}: {error}") from error
    if keep and receipts is None:
        receipts = state_folder()
    if receipts is not None:
        try:
            receipts.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise click.UsageError(
                f"receipts cannot be kept in {receipts} ({error.strerror}); name another "
                "folder: --receipts"
            ) from error
    where = Where(server, tls, tls_ca, token, name, receipts, accept_new_key)
    try:
        where.address  # noqa: B018
    except ValueError as error:
        raise click.UsageError(f"--server: {error}") from error
    return where


def need_token(token: str, whose: str, server: str) -> str:
    """The token that was given, or that of the account which is signed in to this server here.
    Raises UsageError if there is neither."""
    from warledger.clients.link import devices

    found = token or devices.kept(server)
    if not found:
        raise click.UsageError(
            f"{whose} token is needed: name the file that holds it with --token @FILE, set "
            "WARLEDGER_TOKEN, or sign in with `warledger account login`"
        )
    return found


def options_of(given: tuple[str, ...]) -> dict[str, str]:
    """--option NAME=VALUE, each as a name and its value."""
    found = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise click.UsageError(
                f"--option {item}: write NAME=VALUE; `warledger titles` lists them"
            )
        found[name] = value
    return found


def seat_options(command: Command) -> Callable[..., None]:
    """The options of a command that signs for a seat: the server, the seat's token, where keys and
    receipts are kept, language and picture. Raises UsageError if there is no token."""
    return _reaching(
        command,
        lambda server, token: need_token(token, "the seat's", server),
        *(new_key_option, receipts_option, token_option),
        keep=True,
    )


def link_options(command: Command) -> Callable[..., None]:
    """The options of a command that reaches a server without a token."""
    return _reaching(command, lambda server, token: "")


def visitor_options(command: Command) -> Callable[..., None]:
    """The options of a command that comes with a token if one is given."""
    return _reaching(command, lambda server, token: token, token_option)


def account_options(command: Command) -> Callable[..., None]:
    """The options of a command of whoever has signed in on this device. Raises UsageError if nobody
    has."""
    return _reaching(command, lambda server, token: need_token("", "your account's", server))


def token_options(whose: str) -> Callable[[Command], Callable[..., None]]:
    """The options of a command that needs a token. `whose` is as in "the host's". Raises UsageError
    if there is none."""
    return lambda command: _reaching(
        command, lambda server, token: need_token(token, whose, server), token_option
    )


def _reaching(
    command: Command,
    token_of: Callable[[str, str], str],
    *more: Callable[[Any], Any],
    keep: bool = False,
) -> Callable[..., None]:
    """A command that reaches a server. It gets the screen and the server, before its own arguments.
    It returns what is asked of the server, and the process exits with the answer's code.

    Raises as `screen_of` and `where_of`.
    """

    @wraps(command)
    def called(
        *,
        server: str,
        tls: bool,
        tls_ca: Path | None,
        lang: str,
        plain: bool,
        token: str = "",
        receipts: Path | None = None,
        accept_new_key: bool = False,
        **own: Any,
    ) -> None:
        from warledger.clients.commands.play.online import run

        screen = screen_of(lang, plain)
        where = where_of(
            *(server, tls, tls_ca, token_of(server, token)),
            receipts=receipts,
            keep=keep,
            accept_new_key=accept_new_key,
        )
        request = command(screen, where, **own)
        sys.exit(run(lambda: request, screen, where.receipts))

    options: tuple[Callable[[Any], Any], ...] = (_language_options, *more, server_options)
    for each in options:
        called = each(called)
    return called
