"""A fleet: several machines that serve one host's games, on NATS JetStream."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warledger.clients.cli.options import JSON, DataFolder, screen_options

if TYPE_CHECKING:
    from warledger.clients.terminal.screen import Screen

STORE = click.option(
    "--store",
    required=True,
    envvar="WARLEDGER_STORE",
    metavar="nats://HOST:PORT,…",
    help="The NATS servers of the fleet.",
)
KEYS = click.option(
    "--keys",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder with the fleet's keys, as `fleet init` writes it.",
)


@click.group()
def fleet() -> None:
    """Create and manage a fleet: several machines that serve one host's games."""


@fleet.command("init")
@STORE
@KEYS
@click.option(
    "--replicas",
    type=click.IntRange(1, 5),
    default=None,
    help="How many servers keep each message; default: 3, or as many as there are servers.",
)
@click.option(
    "--room",
    default="20GB",
    show_default=True,
    metavar="SIZE",
    help="How much a NATS server may store, such as 500MB or 20GB.",
)
@click.option(
    "--nats-data",
    default="/var/lib/nats",
    show_default=True,
    metavar="DIR",
    help="Where the NATS servers keep their streams.",
)
@click.option("--wait", is_flag=True, help="Wait until the NATS servers can be reached.")
@JSON
@screen_options
def fleet_init(
    screen: "Screen",
    store: str,
    keys: Path,
    replicas: int | None,
    room: str,
    nats_data: str,
    wait: bool,
    machine: bool,
) -> None:
    """Create a fleet. The first time, this writes keys and a configuration for each NATS server;
    once they run, it creates the streams. What exists is never replaced; differences are
    reported."""
    from warledger.clients.commands.server import fleet as work

    sys.exit(
        work.init(
            screen,
            store,
            keys,
            replicas,
            size_of(room),
            nats_data,
            wait=wait,
            machine=machine,
        )
    )


@fleet.command("status")
@STORE
@KEYS
@click.option("--wait", is_flag=True, help="Wait until every replica has everything.")
@JSON
@screen_options
def fleet_status(screen: "Screen", store: str, keys: Path, wait: bool, machine: bool) -> None:
    """Show the fleet's streams with their leaders and replicas, its nodes and archives, and where
    the folder has system.nk its NATS servers and edges. Exits with 0 if any one NATS server could
    be lost now, otherwise with 1."""
    from warledger.clients.commands.server import fleet as work

    sys.exit(work.status(screen, store, keys, wait=wait, machine=machine))


@fleet.command("heal")
@STORE
@KEYS
@click.option(
    "--data",
    "folders",
    required=True,
    multiple=True,
    type=DataFolder(exists=True),
    help="The data directory of a node, with its receipts; may be repeated.",
)
@JSON
@screen_options
def fleet_heal(
    screen: "Screen", store: str, keys: Path, folders: tuple[Path, ...], machine: bool
) -> None:
    """Put back the newest records of games where NATS has lost them, from the receipts of nodes.
    What exists is never changed, and nothing is put back that was not stored. Exits with 1 if a
    game could not be repaired."""
    from warledger.clients.commands.server import fleet as work

    sys.exit(work.heal(screen, store, keys, folders, machine=machine))


@fleet.command("rotate-key")
@KEYS
@click.option("--use", is_flag=True, help="Make the new keys active, once every node has them.")
@click.option(
    "--store",
    default=None,
    envvar="WARLEDGER_STORE",
    metavar="nats://HOST:PORT,…",
    help="The NATS servers of the fleet; needed with --use.",
)
@screen_options
def fleet_rotate_key(screen: "Screen", keys: Path, use: bool, store: str | None) -> None:
    """Change the fleet's keys, in two steps: add new ones to the ring, give it to every node and
    restart them. Then run this again with --use, and give out the ring once more."""
    from warledger.clients.commands.server import fleet as work

    if use and store is None:
        raise click.UsageError("say with --store which fleet is to use the new keys")
    sys.exit(work.rotate(screen, keys, store if use else None))


@fleet.command("release")
@click.argument("number", type=click.IntRange(1))
@STORE
@KEYS
@screen_options
def fleet_release(screen: "Screen", number: int, store: str, keys: Path) -> None:
    """Let nodes write what release NUMBER reads, once all of them have it. It cannot be undone."""
    from warledger.clients.commands.server import fleet as work

    sys.exit(work.release(screen, store, keys, number))


@fleet.command("host-token")
@STORE
@KEYS
@screen_options
def fleet_host_token(screen: "Screen", store: str, keys: Path) -> None:
    """Replace the host's token. Every node accepts the new one at once and rejects the old one;
    connections opened with the old one remain until they end."""
    from warledger.clients.commands.server import fleet as work

    sys.exit(work.host_token(screen, store, keys))


@fleet.command("edge-key")
@click.argument("name")
@KEYS
@click.option("--revoke", is_flag=True, help="Take this edge's key away.")
@screen_options
def fleet_edge_key(screen: "Screen", name: str, keys: Path, revoke: bool) -> None:
    """Give the edge NAME an nkey of its own, which can be taken away without touching other edges.
    This changes the NATS servers' configurations in the folder of `fleet init`; each server reads
    its own again when told to."""
    from warledger.clients.commands.server import fleet as work

    sys.exit(work.edge_key(screen, name, keys, revoke=revoke))


@click.command("import")
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@STORE
@KEYS
@click.option("--game", "games", multiple=True, help="Only this game; may be repeated.")
@JSON
@screen_options
def import_(
    screen: "Screen", data: Path, store: str, keys: Path, games: tuple[str, ...], machine: bool
) -> None:
    """Bring the games of a data directory into a fleet: from a single server, or back from
    the archive. A game that the fleet has in part is completed; one that continues differently
    is left alone, and named."""
    from warledger.clients.commands.server import fleet as work

    sys.exit(work.bring(screen, data, store, keys, games, machine=machine))


_UNITS = {"KB": 1000, "MB": 1000**2, "GB": 1000**3, "TB": 1000**4}


def size_of(text: str) -> int:
    """A number of bytes with a unit. Raises UsageError."""
    digits, unit = text[:-2].strip(), text[-2:].upper()
    if unit not in _UNITS or not (digits.isascii() and digits.isdigit()):
        raise click.UsageError(f"{text!r} is not a size: write it as 500MB or 20GB")
    if int(digits) * _UNITS[unit] < 100_000_000:
        raise click.UsageError("a fleet's NATS server needs 100MB or more")
    return int(digits) * _UNITS[unit]
