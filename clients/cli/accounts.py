"""Accounts: the operator's commands on a data directory, and everybody's own on a server."""

import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import evolve as replace

from warledger.clients.cli.options import (
    JSON,
    Request,
    account_options,
    data_option,
    link_options,
    need_token,
    screen_options,
    visitor_options,
)

if TYPE_CHECKING:
    from warledger.clients.commands.play.online import Where
    from warledger.clients.terminal.screen import Screen

ROLE = "owner, host, host:GAME, arbiter, arbiter:GAME or caster:GAME/SEAT"


@click.group()
def account() -> None:
    """Accounts: `create`, `invite`, `list`, `roles`, `devices`, `link`, `unsubscribe` and `forget`
    are for the operator, on the server's machine (--data), even while the server is running. The
    others are for everybody (--server)."""


_ROLES = click.option(
    "--role", "roles", multiple=True, metavar="ROLE", help=f"{ROLE}; may be repeated."
)


# --- the operator's ------------------------------------------------------------------------------


@account.command("create")
@click.argument("handle")
@_ROLES
@data_option
@JSON
@screen_options
def create(
    screen: "Screen", handle: str, roles: tuple[str, ...], data: Path, machine: bool
) -> None:
    """Create an account. Prints a link that signs its owner in once, so that they can choose a
    password."""
    from warledger.clients.commands.server import accountdesk

    sys.exit(accountdesk.create(screen, data, handle, roles, machine=machine))


@account.command("invite")
@click.option("--note", default="", metavar="TEXT", help="Who it is for.")
@click.option("--days", type=click.IntRange(1, 365), default=14, show_default=True)
@click.option(
    "--uses",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="How many people may use it.",
)
@_ROLES
@data_option
@JSON
@screen_options
def invite(
    screen: "Screen",
    note: str,
    days: int,
    uses: int,
    roles: tuple[str, ...],
    data: Path,
    machine: bool,
) -> None:
    """Print an invitation. Anybody who has it can create an account."""
    from warledger.clients.commands.server import accountdesk

    sys.exit(
        accountdesk.invite(screen, data, roles, note=note, days=days, uses=uses, machine=machine)
    )


@account.command("list")
@data_option
@JSON
@screen_options
def list_(screen: "Screen", data: Path, machine: bool) -> None:
    """List the accounts."""
    from warledger.clients.commands.server import accountdesk

    sys.exit(accountdesk.listed(screen, data, machine=machine))


@account.command("roles")
@click.argument("handle")
@click.option("--grant", "granted", multiple=True, metavar="ROLE", help=f"{ROLE}; repeatable.")
@click.option("--revoke", "revoked", multiple=True, metavar="ROLE", help="The same.")
@data_option
@JSON
@screen_options
def roles(
    screen: "Screen",
    handle: str,
    granted: tuple[str, ...],
    revoked: tuple[str, ...],
    data: Path,
    machine: bool,
) -> None:
    """Show, grant and revoke the roles of an account. Changes take effect within a second."""
    from warledger.clients.commands.server import accountdesk

    sys.exit(accountdesk.roles(screen, data, handle, granted, revoked, machine=machine))


@account.command("devices")
@click.argument("handle")
@click.option("--drop", default="", metavar="ID|all", help="Sign this device out, or all.")
@data_option
@JSON
@screen_options
def devices(screen: "Screen", handle: str, drop: str, data: Path, machine: bool) -> None:
    """List where an account is signed in, or sign a device out."""
    from warledger.clients.commands.server import accountdesk

    sys.exit(accountdesk.devices(screen, data, handle, drop, machine=machine))


@account.command("link")
@click.argument("handle")
@data_option
@JSON
@screen_options
def link(screen: "Screen", handle: str, data: Path, machine: bool) -> None:
    """Print a link that signs somebody in once, within a day, if they have forgotten their
    password."""
    from warledger.clients.commands.server import accountdesk

    sys.exit(accountdesk.link(screen, data, handle, machine=machine))


@account.command("forget")
@click.argument("handle")
@click.option("--yes", "sure", is_flag=True, help="Do not ask.")
@data_option
@screen_options
def forget(screen: "Screen", handle: str, sure: bool, data: Path) -> None:
    """Delete an account and everything that it keeps. Names in the logs of games remain."""
    from warledger.clients.commands.server import accountdesk

    if not sure and not click.confirm(screen.spoken.text("cli.account_sure", handle=handle)):
        sys.exit(1)
    sys.exit(accountdesk.forget(screen, data, handle))


# --- everybody's own ------------------------------------------------------------------------------


_PASSWORD = click.option(
    "--password",
    "password_file",
    metavar="@FILE",
    help="The file that contains the password; default: it is asked for.",
)
_VISIT = click.option("--visit", is_flag=True, help="Do not remember this device: until tomorrow.")


@account.command("login")
@click.argument("handle", default="")
@click.option(
    "--key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Sign in with this key.",
)
@click.option("--link", "code", is_flag=True, help="Sign in with a link; its code is asked for.")
@_PASSWORD
@_VISIT
@link_options
def login(
    screen: "Screen",
    where: "Where",
    handle: str,
    key: Path | None,
    code: bool,
    password_file: str | None,
    visit: bool,
) -> Request:
    """Sign in on this device. Other commands then use the account where no token is given."""
    from warledger.clients.commands.play import account as own

    if not handle and key is None and not code:
        raise click.UsageError("give your name, --key FILE or --link")
    proof = "" if key is not None else _secret(screen, password_file, code=code)
    way = own.Way("key" if key else "link" if code else "password", handle, proof, key)
    return own.login(where, screen, way, keep=not visit)


@account.command("join")
@click.argument("handle")
@click.option("--open", "is_open", is_flag=True, help="The server needs no invitation.")
@_PASSWORD
@_VISIT
@link_options
def join(
    screen: "Screen",
    where: "Where",
    handle: str,
    is_open: bool,
    password_file: str | None,
    visit: bool,
) -> Request:
    """Create an account with an invitation, and sign in. The invitation is asked for."""
    from warledger.clients.commands.play import account as own

    invitation = "" if is_open else click.prompt(screen.spoken.text("cli.account_code")).strip()
    password = _new_secret(screen, password_file)
    return own.join(where, screen, invitation, handle, password, keep=not visit)


@account.command("accept")
@account_options
def accept(screen: "Screen", where: "Where") -> Request:
    """Use an invitation with the account that you are signed in to: you have the roles that come
    with it. The invitation is asked for."""
    from warledger.clients.commands.play import account as own

    invitation = click.prompt(screen.spoken.text("cli.account_code")).strip()
    return own.accept(where, screen, invitation)


@account.command("show")
@JSON
@account_options
def show(screen: "Screen", where: "Where", machine: bool) -> Request:
    """Show your account: devices, keys, roles and seats."""
    from warledger.clients.commands.play import account as own

    return own.show(where, screen, machine=machine)


@account.command("set")
@click.option("--zone", metavar="ZONE", help="Your time zone, such as Europe/Vienna.")
@click.option("--speaks", "speaks", metavar="LANGUAGE", help="The language of your messages.")
@click.option("--password", "password", is_flag=True, help="Change the password; it is asked for.")
@click.option(
    "--key",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Let this key sign in; created if missing.",
)
@click.option("--drop-device", metavar="ID|others", help="Sign out a device, or all others.")
@account_options
def set_(
    screen: "Screen",
    where: "Where",
    zone: str | None,
    speaks: str | None,
    password: bool,
    key: Path | None,
    drop_device: str | None,
) -> Request:
    """Change your account."""
    from warledger.clients.commands.play import account as own

    now = _secret(screen, None) if password or key is not None else ""
    new = _new_secret(screen, None) if password else None
    wanted = own.Wanted(zone, speaks, new, key, drop_device)
    return own.change(where, screen, wanted, now)


@account.command("calendar")
@click.option("--drop", is_flag=True, help="Make the address that there is worthless.")
@account_options
def calendar(screen: "Screen", where: "Where", drop: bool) -> Request:
    """Give your calendar a secret address: when your time runs out, and the rounds of your
    tournaments, for your own calendar program."""
    from warledger.clients.commands.play import account as own

    return own.calendar(where, screen, drop=drop)


@account.command("notify")
@click.argument("url", default="")
@click.option(
    "--form",
    type=click.Choice(["json", "discord", "slack", "ntfy", "text"]),
    default="json",
    show_default=True,
)
@click.option(
    "--set",
    "kinds",
    multiple=True,
    metavar="KIND=off|now|daily",
    help="When notifications of this kind are sent; may be repeated.",
)
@click.option("--quiet", metavar="HH:MM-HH:MM", help='Send nothing in these hours; "" for none.')
@click.option("--mail/--no-mail", default=None, help="Also by mail, to your address.")
@click.option(
    "--test", is_flag=False, flag_value="webhook", default="", help="Send a message now (or: mail)."
)
@click.option("--off", is_flag=True, help="Stop all notifications.")
@account_options
def notify(
    screen: "Screen",
    where: "Where",
    url: str,
    form: str,
    kinds: tuple[str, ...],
    quiet: str | None,
    mail: bool | None,
    test: str,
    off: bool,
) -> Request:
    """Choose which notifications you get, and where they are sent. URL is a webhook's address, or
    "-" to be asked for it. Without options, shows the settings."""
    from warledger.clients.commands.play import account as own

    if url == "-":
        url = click.prompt("URL", hide_input=True).strip()
    hours = None if quiet is None else own.hours_of(quiet)
    if quiet is not None and hours is None:
        raise click.UsageError("--quiet: write 22:00-07:00")
    chosen = []
    for one in kinds:
        kind, equals, when = one.partition("=")
        if not equals or when not in ("off", "now", "daily"):
            raise click.UsageError("--set: write KIND=off, KIND=now or KIND=daily")
        chosen.append((kind, when))
    if test not in ("", "webhook", "mail"):
        raise click.UsageError("--test: write --test, or --test=mail")
    wanted = own.Notify(url, form, tuple(chosen), hours, mail, test, off)
    return own.notify(where, screen, wanted)


@account.command("mail")
@click.argument("address", default="")
@click.option("--confirm", is_flag=True, help="Enter the code that came by mail; it is asked for.")
@click.option("--remove", is_flag=True, help="Delete the address.")
@link_options
def mail_(screen: "Screen", where: "Where", address: str, confirm: bool, remove: bool) -> Request:
    """Set the address for your mail. A code is sent to it; the address is used once you have
    entered the code with --confirm."""
    from warledger.clients.commands.play import account as own

    if sum((bool(address), confirm, remove)) != 1:
        raise click.UsageError("give your address, --confirm or --remove")
    if confirm:
        code = _secret(screen, None, code=True).strip()
        return own.by_mail(where, screen, "confirm", code)
    where = replace(where, token=need_token("", "your account's", where.server))
    return own.mail(where, screen, address)


@account.command("forgot")
@click.argument("whom")
@link_options
def forgot(screen: "Screen", where: "Where", whom: str) -> Request:
    """Request a link that signs you in. WHOM is your name or your address. Sign in by `account
    login --link`, then choose another password."""
    from warledger.clients.commands.play import account as own

    return own.by_mail(where, screen, "link", whom)


@account.command("unsubscribe")
@click.argument("id")
@data_option
@screen_options
def unsubscribe(screen: "Screen", id: str, data: Path) -> None:
    """Stop sending notices by mail to an account (for the operator). ID is the word after
    `unsubscribe` in the subject of a mail from its owner."""
    from warledger.clients.commands.server import accountdesk

    sys.exit(accountdesk.unsubscribe(screen, data, id))


@account.command("keep")
@visitor_options
def keep(screen: "Screen", where: "Where") -> Request:
    """Keep the seat of this token in your account, so that you can play it from all your
    devices."""
    from warledger.clients.commands.play import account as own

    if not where.token:
        raise click.UsageError("name the file that holds the seat's token with --token @FILE")
    own_account = replace(where, token=need_token("", "your account's", where.server))
    return own.keep(own_account, screen, where.token)


@account.command("logout")
@account_options
def logout(screen: "Screen", where: "Where") -> Request:
    """Sign out on this device."""
    from warledger.clients.commands.play import account as own

    return own.logout(where, screen)


def _secret(screen: "Screen", file: str | None, *, code: bool = False) -> str:
    """A password or code, from a file or from whoever sits there. It is never an argument, which
    every user of the machine could read."""
    if file is not None:
        if not file.startswith("@"):
            raise click.UsageError("--password names a file: @FILE")
        try:
            text = Path(file[1:]).read_text(encoding="utf-8").strip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(f"the password cannot be read: {error}") from error
    else:
        key = "cli.account_link_code" if code else "cli.account_password"
        text = click.prompt(
            screen.spoken.text(key), hide_input=True, default="", show_default=False
        )
    return unicodedata.normalize("NFC", text)


def _new_secret(screen: "Screen", file: str | None) -> str:
    """A new password: from a file, or typed twice."""
    if file is not None:
        return _secret(screen, file)

    def ask(key: str) -> str:
        found: str = click.prompt(
            screen.spoken.text(key), hide_input=True, default="", show_default=False
        )
        return unicodedata.normalize("NFC", found)

    while True:
        first = ask("cli.account_password_new")
        if not first or first == ask("cli.account_password_again"):
            return first
        screen.say("cli.account_password_differ")
