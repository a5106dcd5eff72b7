"""The command line: `warledger COMMAND …`. Exit codes: 0 success, 1 a negative answer, 2 wrong
usage, 130 interrupted.

Each command imports only what it needs, when it runs. What a command does is in
`clients.commands`; here its words are parsed. `serve`, `titles` without a server, and the commands
on data directories and packs are the server's own tools and import the engine. So do those that
need rules: audit, analysis and self-play. Everything else imports `protocol` alone.
"""

import gc
import os
from importlib import import_module
from typing import Any

import click

from warledger.protocol import titlepath

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""

_COMMANDS = {
    "audit": ("warledger.clients.audit.commands", "audit_command"),
    "replay": ("warledger.clients.audit.commands", "replay_command"),
    "analyse": ("warledger.clients.commands.figures.analyse", "analyse_command"),
    "bench": ("warledger.clients.commands.server.bench", "bench_command"),
    "luck": ("warledger.clients.commands.figures.luck", "luck_command"),
    "ratings": ("warledger.clients.commands.figures.ratings", "ratings_command"),
    "import": ("warledger.clients.cli.fleet", "import_"),
    **{
        name: (f"warledger.clients.cli.{module}", name)
        for module, names in (
            ("server", ("demo", "serve", "export", "check", "backup", "compress", "reopen")),
            ("server", ("clock", "key")),
            ("authors", ("pack", "title", "language", "selfplay")),
            ("fleet", ("fleet",)),
            ("roles", ("role",)),
            ("archive", ("archive",)),
            ("accounts", ("account",)),
            ("tournament", ("tournament",)),
            ("arbiters", ("claim", "rule", "look", "desk")),
            ("cases", ("case",)),
            ("talk", ("talk",)),
            ("hosting", ("titles", "new", "token", "replace", "close", "games")),
            ("seats", ("play", "watch", "bot", "device", "handover")),
        )
        for name in names
    },
}
"""Command -> the module and the name that it has there. A module is imported when one of its
commands is used."""


_POSIX = (
    *("demo", "serve", "export", "check", "backup", "compress", "reopen"),
    *("bench", "archive", "fleet", "import"),
)
"""Commands that host games or read a server's data, which needs locks and syncs of Linux or
macOS."""

_YOUNG_OBJECTS = 20_000
"""How many more objects than at the last collection start the next one."""


class _Commands(click.Group):
    def main(self, *args: Any, **options: Any) -> Any:
        """Guard everything that is printed from here on, including usage errors, because much of it
        comes from files and servers."""
        from warledger.clients.terminal.visible import guarded

        with guarded():
            return super().main(*args, **options)

    def invoke(self, context: click.Context) -> Any:
        """Ctrl-C ends any command with one sentence and the exit code of a program that was
        interrupted. A catalogue that cannot be used ends it with what is wrong there."""
        from warledger.protocol.lang import BadCatalogue

        try:
            return super().invoke(context)
        except BadCatalogue as error:
            raise click.UsageError(str(error)) from error
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            context.exit(INTERRUPTED)

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        if os.name == "nt" and name in _POSIX:
            raise click.UsageError(
                f"`warledger {name}` needs Linux or macOS; on Windows use it within WSL. To play, "
                "watch and audit works on Windows too."
            )
        module, attribute = _COMMANDS[name]
        found: click.Command = getattr(import_module(module), attribute)
        return found


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="warledger", prog_name="warledger")
@click.option(
    "--title-path",
    metavar="DIR",
    help="Play the titles in this folder too; or set WARLEDGER_TITLE_PATH.",
)
def main(title_path: str | None) -> None:
    """Warledger: a rules server for board wargames. Every rule is enforced, every die can be
    checked, and every game is a log that serves as evidence."""
    if title_path is not None:
        # Processes that are started here inherit it.
        os.environ[titlepath.VARIABLE] = title_path
    try:
        titlepath.titles_beside()
    except titlepath.BadTitlePath as error:
        raise click.UsageError(str(error)) from error
    collect_rarely()


def collect_rarely() -> None:
    """Make the interpreter collect cyclic garbage less often: an audit, for example, produces
    hardly any and keeps what it reads. A process that does so already is left as it is."""
    if gc.get_threshold()[0] < _YOUNG_OBJECTS:
        gc.freeze()
        gc.set_threshold(_YOUNG_OBJECTS, 10, 100)


__all__ = ["collect_rarely", "main"]
