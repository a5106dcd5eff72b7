"""View-only tokens for arbiters and casters."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warledger.clients.cli.options import JSON, data_option, screen_options

if TYPE_CHECKING:
    from warledger.clients.terminal.screen import Screen


@click.group()
def role() -> None:
    """Manage view-only tokens for arbiters and casters. They are created and revoked on the
    server's machine, even while the server is running."""


_NOTE = click.option(
    "--note", default="", metavar="TEXT", help="Who the token is for; shown by `role list`."
)


@role.command("arbiter")
@click.option(
    "--game", default="", help="Only this game; default: all games, including future ones."
)
@click.option(
    "--name",
    required=True,
    help="The arbiter's name, as it appears in the logs of games.",
)
@_NOTE
@data_option
@JSON
@screen_options
def role_arbiter(
    screen: "Screen", game: str, name: str, note: str, data: Path, machine: bool
) -> None:
    """Create a token that can read all records and everything sealed in them. It rules on
    claims, under this name alone, and can neither create games nor play them."""
    from warledger.clients.commands.server.servercommands import role_made

    rows = (("arbiter", game, ""),)
    sys.exit(role_made(screen, data, rows, note, name, machine=machine))


@role.command("caster")
@click.argument("views", nargs=-1, required=True, metavar="GAME/SEAT...")
@_NOTE
@data_option
@JSON
@screen_options
def role_caster(
    screen: "Screen", views: tuple[str, ...], note: str, data: Path, machine: bool
) -> None:
    """Create a token that sees what these seats see, with the spectators' delay."""
    from warledger.clients.commands.server.servercommands import role_made

    rows = []
    for view in dict.fromkeys(views):
        game, slash, seat = view.partition("/")
        if not slash or not game or not seat:
            raise click.UsageError(f"{view} does not name a seat of a game; write GAME/SEAT")
        rows.append(("caster", game, seat))
    sys.exit(role_made(screen, data, tuple(rows), note, machine=machine))


@role.command("list")
@data_option
@JSON
@screen_options
def role_list(screen: "Screen", data: Path, machine: bool) -> None:
    """List the view-only tokens. The tokens themselves are not stored and cannot be shown."""
    from warledger.clients.commands.server.servercommands import roles

    sys.exit(roles(screen, data, machine=machine))


@role.command("revoke")
@click.argument("id")
@data_option
@JSON
@screen_options
def role_revoke(screen: "Screen", id: str, data: Path, machine: bool) -> None:
    """Revoke a token. It becomes invalid within a second, even on open connections."""
    from warledger.clients.commands.server.servercommands import role_revoked

    sys.exit(role_revoked(screen, data, id, machine=machine))
