"""For authors of titles and packs: check a pack, begin a title, let bots play."""

import sys
from pathlib import Path

import click

from warledger.clients.cli.options import JSON, options_of, screen_of


@click.group()
def pack() -> None:
    """Data packs: maps, counters and set-ups."""


@pack.command("check")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--title", default="", help="Check it as a pack of this title; default: the title it names."
)
@JSON
def pack_check(folder: Path, title: str, machine: bool) -> None:
    """Check a data pack. Each finding names the place, what is wrong and what to do."""
    from warledger.clients.commands.server.servercommands import pack_check as verify

    sys.exit(verify(screen_of(), folder, title, machine=machine))


@click.group()
def title() -> None:
    """Titles of your own. docs/authors.md walks through one."""


@title.command("new")
@click.argument("name")
@click.option(
    "--in",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The folder to write it into; default: the current one.",
)
def title_new(name: str, folder: Path) -> None:
    """Write a small game to start from, as a separate project."""
    from warledger.clients.commands.authors.title import new as write

    sys.exit(write(screen_of(), name, folder))


@title.command("check")
@click.argument("name")
@click.option(
    "--games",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="How many random games to try the laws on.",
)
def title_check(name: str, games: int) -> None:
    """Check a title's pack, and check the title against the laws of every title."""
    from warledger.clients.commands.authors.title import check as judge

    sys.exit(judge(screen_of(), name, games=games))


@click.group()
def language() -> None:
    """Warledger in another language. docs/translators.md says how."""


@language.command("new")
@click.argument("tag")
@click.option("--name", required=True, help="What the language calls itself, such as Polski.")
@click.option(
    "--in",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The folder to write it into; default: the current one.",
)
def language_new(tag: str, name: str, folder: Path) -> None:
    """Write the English texts for translation, as a separate project."""
    from warledger.clients.commands.authors.language import new as write

    sys.exit(write(screen_of(), tag, name, folder))


@language.command("check")
@click.argument("tag")
def language_check(tag: str) -> None:
    """Check the texts of a language, and count those that it lacks."""
    from warledger.clients.commands.authors.language import check as judge

    sys.exit(judge(screen_of(), tag))


@click.command()
@click.argument("title")
@click.option(
    "--games",
    "count",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of games.",
)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option(
    "--players",
    default="random,random",
    show_default=True,
    metavar="A,B",
    help="random, captain or an installed player: one for all, or one for each seat.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the title; may be repeated.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write each game's file here; a file that holds another game is not overwritten.",
)
@JSON
def selfplay(
    title: str,
    count: int,
    seed: int,
    players: str,
    options: tuple[str, ...],
    out: Path | None,
    machine: bool,
) -> None:
    """Play games between bots in one process at full speed, checking invariants. The same seed
    gives byte-identical files."""
    from warledger.clients.commands.server.servercommands import selfplay as run_games

    names = [name.strip() for name in players.split(",") if name.strip()]
    if not names:
        raise click.UsageError("--players names one player, or one for each seat")
    sys.exit(
        run_games(screen_of(), title, count, seed, names, options_of(options), out, machine=machine)
    )
