"""The tokens of accounts on this machine: one file for each server, for its owner alone."""

import os
import re
from contextlib import suppress
from pathlib import Path

FOLDER = "accounts"


def state_folder() -> Path:
    """Where a person's programs keep what lasts."""
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "warledger"


def file_of(server: str) -> Path:
    """The file for a server, by its address as it was given."""
    return state_folder() / FOLDER / (re.sub(r"[^A-Za-z0-9.-]", "_", server) + ".token")


def kept(server: str) -> str:
    """The token of the account on this server; "" for none."""
    try:
        return file_of(server).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def keep(server: str, token: str) -> Path:
    """Keep a token. Raises OSError."""
    path = file_of(server)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="ascii") as file:
        file.write(token + "\n")
    os.replace(unfinished, path)
    return path


def drop(server: str) -> None:
    """Keep it no longer."""
    with suppress(FileNotFoundError):
        file_of(server).unlink()
