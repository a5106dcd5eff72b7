"""`warledger account` and a server of two processes: made on the server's machine, used over TCP,
backed up and checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import trio

from tests.e2e.test_command_line import warledger
from warledger.engine.serve import serversecrets
from warledger.engine.store.files.wal import open_store


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A data directory with the key of its server, as the first start leaves it."""
    folder = tmp_path / "data"

    async def made() -> None:
        async with open_store(folder):
            pass

    trio.run(made)
    serversecrets.signing_key(folder, bytes)
    return str(folder)


def test_accounts_are_made_granted_and_forgotten(data: str) -> None:
    """Each command says what it did; a code is shown once and never listed."""
    made = json.loads(warledger("account", "create", "Anna", "--data", data, "--json").output)
    assert made["link"].startswith("link:")
    assert warledger("account", "create", "anna", "--data", data).exit_code == 1
    told = warledger("account", "roles", "ANNA", "--grant", "host", "--grant", "caster:g/axis")
    assert told.exit_code == 2, "no data directory was named"
    told = warledger("account", "roles", "ANNA", "--grant", "host", "--data", data)
    assert "opens games" in told.output
    assert warledger("account", "roles", "Anna", "--grant", "king", "--data", data).exit_code == 2
    listed = warledger("account", "list", "--data", data)
    assert "Anna" in listed.output and "link:" not in listed.output
    assert warledger("account", "devices", "Nobody", "--data", data).exit_code == 1
    assert warledger("account", "forget", "Anna", "--yes", "--data", data).exit_code == 0
    assert json.loads(warledger("account", "list", "--data", data, "--json").output) == []


def test_a_backup_holds_the_accounts_as_of_one_moment(data: str, tmp_path: Path) -> None:
    """Also what is still in SQLite's log; the copy is checked."""
    warledger("account", "create", "Anna", "--data", data)
    copy = str(tmp_path / "copy")
    assert warledger("backup", data, copy).exit_code == 0
    assert "Anna" in warledger("account", "list", "--data", copy).output
    assert not list((tmp_path / "copy").glob("accounts.db-journal"))
    assert warledger("check", copy).exit_code == 0
    file = tmp_path / "copy" / "accounts.db"
    for beside in (tmp_path / "copy").glob("accounts.db-*"):
        beside.unlink()
    file.write_bytes(b"x" * 4096)
    assert warledger("check", copy).exit_code == 1
