"""What commands write that name a data directory is for its owner alone."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from warledger.clients.cli import main
from warledger.engine.store.files import datadir

CHARTER = """
name = "Test Cup"
title = "war_at_sea"
[[stage]]
system = "round_robin"
"""


@pytest.fixture
def lax() -> Iterator[None]:
    """A umask that lets everybody read and write."""
    before = os.umask(0)
    try:
        yield
        assert os.umask(0) == 0, "a command leaves the umask as it was"
    finally:
        os.umask(before)


def run(*args: object) -> Any:
    """Run a command of the program."""
    return CliRunner().invoke(main, [str(arg) for arg in args])


def modes(folder: Path) -> set[tuple[str, int]]:
    """What others may do with anything in a folder."""
    return {
        (str(path.relative_to(folder)), path.stat().st_mode & 0o077)
        for path in folder.rglob("*")
        if path.stat().st_mode & 0o077
    }


@pytest.mark.usefixtures("lax")
def test_a_desk_writes_for_its_owner_alone(tmp_path: Path) -> None:
    """A tournament without a server, a role and an account. What is published stays readable: the
    public half of the key, and what its ids begin with."""
    data, charter = tmp_path / "data", tmp_path / "charter.toml"
    charter.write_text(CHARTER)
    made = run("tournament", "new", charter, "--id", "cup", "--director", "d", "--data", data)
    assert made.exit_code == 0, made.output
    datadir.mark(datadir.disk_of(data))
    for command in (("role", "arbiter", "--name", "Ann"), ("account", "create", "anna")):
        done = run(*command, "--data", data)
        assert done.exit_code == 0, done.output
    assert list(data.rglob("roles.json")) and list(data.rglob("accounts.db"))
    public = {("giver", 0o044), ("server.pub", 0o044)}
    assert data.stat().st_mode & 0o077 == 0 and modes(data) == public
