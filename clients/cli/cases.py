"""A claim with everything that is needed to judge it, as one file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warledger.clients.cli.options import DataFolder, screen_options

if TYPE_CHECKING:
    from warledger.clients.terminal.screen import Screen


@click.command()
@click.argument("source", metavar="GAME|FILE")
@click.argument("claim", type=click.IntRange(0), required=False)
@click.option(
    "--data",
    type=DataFolder(exists=True),
    help="The server's data directory, if GAME is the id of a game in it.",
)
@click.option(
    "-o",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The case to write, such as case.zip.",
)
@click.option(
    "--as",
    "audience",
    default="arbiter",
    show_default=True,
    metavar="public|SEAT|arbiter",
    help="With --data: whose openings the case holds.",
)
@click.option(
    "--ask",
    "asked",
    multiple=True,
    metavar='"SEAT PICK …"',
    help="Picks whose answer at that time the case includes; may be repeated.",
)
@click.option(
    "--key",
    "keys",
    multiple=True,
    help="The server's public key: 64 hexadecimal digits, or a file that contains them; may be "
    "repeated. Default: that of the data directory.",
)
@click.option("--check", is_flag=True, help="Check the case FILE instead of writing one.")
@screen_options
def case(
    screen: "Screen",
    source: str,
    claim: int | None,
    data: Path | None,
    output: Path | None,
    audience: str,
    asked: tuple[str, ...],
    keys: tuple[str, ...],
    check: bool,
) -> None:
    """Write a claim with its log, what each seat was offered then, the story, the boards and the
    audit into one file. Or check such a file: everything in it is derived again from its log.

    GAME is a game file (.wlog), or with --data a game's id. Exits with --check as `audit` does.
    """
    from warledger.clients.commands.play import cases

    if check:
        if claim is not None or data is not None or output is not None or asked:
            raise click.UsageError("--check takes a case and --key, and nothing else")
        sys.exit(cases.check(screen, Path(source), keys))
    if claim is None or output is None:
        raise click.UsageError("give the number of the claim, and the file to write: -o case.zip")
    sys.exit(cases.write(screen, source, claim, data, output, audience, asked, keys))
