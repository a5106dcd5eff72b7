"""What docs/fleet.md tells an operator to type exists, and what it names is what is written."""

import shlex

import click

from tests.layers.test_imports import ROOT
from warledger.clients.cli import main
from warledger.engine.store.fleet import natsconf

PAGE = ROOT / "docs" / "fleet.md"


def test_every_command_of_the_page_can_be_typed() -> None:
    """Each line in a block of the page is a command with options that it has; no command of
    `warledger fleet` is left out."""
    lines = [line.strip() for line in PAGE.read_text().splitlines() if line.startswith("    ")]
    seen = set()
    for line in lines:
        words = shlex.split(line)
        if words[0] == "nats-server":
            continue
        assert words.pop(0) == "warledger", line
        context = click.Context(main)
        command: click.Command | None = main
        name = ""
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            name = words.pop(0)
            command = command.get_command(context, name)
        assert command is not None, line
        seen.add(name)
        params = command.get_params(click.Context(command))
        options = {one for param in params for one in param.opts}
        assert {word for word in words if word.startswith("--")} <= options, line
        missing = [
            param.opts[0]
            for param in params
            if param.required and isinstance(param, click.Option) and param.opts[0] not in words
        ]
        assert missing == [], line
    fleet = main.get_command(click.Context(main), "fleet")
    assert isinstance(fleet, click.Group)
    assert seen >= {*fleet.commands, "archive", "import"}


def test_the_page_names_the_files_that_are_written() -> None:
    """The key ring, public keys, token, nkeys and authority, by their names."""
    page = PAGE.read_text()
    names = ["fleet.keys", "server.pub", "host.token", natsconf.AUTHORITY, "ca.key"]
    for name in (*names, *map(natsconf.key_file, natsconf.ROLES)):
        assert f"`{name}`" in page, name
    assert f"{natsconf.ROUTES_ABOVE} above" in page
