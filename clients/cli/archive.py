"""The archive of releases, by which games outlive them."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from warledger.clients.audit.audit import VARIABLE
from warledger.clients.cli.options import JSON, DataFolder, screen_options

if TYPE_CHECKING:
    from warledger.clients.terminal.screen import Screen

F = TypeVar("F", bound=Callable[..., None])


@click.group(invoke_without_command=True)
@click.option(
    "--store",
    envvar="WARLEDGER_STORE",
    metavar="nats://HOST:PORT,…",
    help="Follow the fleet on these NATS servers until Ctrl-C.",
)
@click.option(
    "--data",
    type=DataFolder(),
    help="The data directory into which the fleet's games are copied.",
)
@click.option(
    "--keys",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with the fleet's keys.",
)
@click.option(
    "--after",
    type=click.IntRange(0),
    metavar="DAYS",
    help="Games that ended so many days ago or earlier leave the fleet once their sealed files "
    "here were audited sound; without it none leaves.",
)
@screen_options
@click.pass_context
def archive(
    context: click.Context,
    screen: "Screen",
    store: str | None,
    data: Path | None,
    keys: Path | None,
    after: int | None,
) -> None:
    """Archives: releases that are kept, and the games of a fleet.

    With --store and --data: all games of a fleet, in an ordinary data directory that is
    milliseconds behind it. With --after it is the only place of those that ended long ago: whoever
    asks the fleet for one of them is given it from here, and `warledger import` brings it back.
    With a command: releases of Warledger. A game whose rules are those of a kept release is
    continued and audited by that release, in a separate process. Its code is run as this user: keep
    only wheels that you would install.
    """
    if context.invoked_subcommand is not None:
        return
    if store is None or data is None:
        raise click.UsageError(
            "name a fleet with --store and a data directory with --data, or a command: add, list "
            "or remove"
        )
    from warledger.clients.commands.server.fleet import archive as follow

    sys.exit(follow(screen, store, data, keys, after))


def _where(command: F) -> F:
    command = click.option(
        "--data",
        type=DataFolder(),
        help="The archive of this data directory: the folder `archive` beside it.",
    )(command)
    return click.option(
        "--archive",
        "folder",
        type=click.Path(file_okay=False, path_type=Path),
        envvar=VARIABLE,
        help=f"The archive's folder; or set {VARIABLE}.",
    )(command)


def _folder(folder: Path | None, data: Path | None) -> Path:
    from warledger.engine.archive.wheels import beside

    if folder is None and data is None:
        raise click.UsageError("name the archive: --archive DIR, or --data DIR of the server")
    return folder if folder is not None else beside(data or Path())


@archive.command("add")
@click.argument("wheel", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_where
@JSON
@screen_options
def archive_add(
    screen: "Screen", wheel: Path, folder: Path | None, data: Path | None, machine: bool
) -> None:
    """Keep a release's wheel. A server finds it when it starts."""
    from warledger.clients.commands.server.releases import added

    sys.exit(added(screen, _folder(folder, data), wheel, machine=machine))


@archive.command("list")
@_where
@JSON
@screen_options
def archive_list(screen: "Screen", folder: Path | None, data: Path | None, machine: bool) -> None:
    """List the releases that are kept, with their titles and rules digests."""
    from warledger.clients.commands.server.releases import listed

    sys.exit(listed(screen, _folder(folder, data), machine=machine))


@archive.command("remove")
@click.argument("digest")
@_where
@JSON
@screen_options
def archive_remove(
    screen: "Screen", digest: str, folder: Path | None, data: Path | None, machine: bool
) -> None:
    """Remove a release, named by the beginning of its wheel's digest."""
    from warledger.clients.commands.server.releases import removed

    sys.exit(removed(screen, _folder(folder, data), digest, machine=machine))
