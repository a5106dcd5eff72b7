"""Reads a title's data pack and rules from the installed package: the one place where the rules' side touches files.

The kernel and the titles are pure and get the pack as a value; whoever makes a game (the server, self-play) reads it here.
"""

import hashlib
import tomllib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from protocol import canon


class BadPack(ValueError):
    """A pack that cannot be read: says which file and what to do."""


def read_pack(title: str) -> dict[str, Any]:
    """The title's own pack: file name without ending -> its parsed table."""
    return _parse(files("engine.games").joinpath(title, "pack"))


def read_pack_folder(folder: Path) -> dict[str, Any]:
    """A host's own pack in the same form. Raises BadPack when the folder holds no TOML or a file is not readable."""
    return _parse(folder)


def _parse(folder: Traversable | Path) -> dict[str, Any]:
    pack: dict[str, Any] = {}
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.name.endswith(".toml"):
            try:
                pack[item.name[:-5]] = tomllib.loads(item.read_text(encoding="utf-8"), parse_float=str)
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise BadPack(f"{item.name}: {error}") from error
    if not pack:
        raise BadPack(f"{folder}: holds no .toml file")
    try:
        canon.check(canon.ordered(pack))
    except canon.NotCanonical as error:
        raise BadPack(f"{folder}: {error}; use whole numbers (halves as twos)") from error
    return pack


def pack_bytes(pack: dict[str, Any]) -> bytes:
    """The canonical bytes that go into the genesis."""
    return canon.pack(canon.ordered(pack))


@cache
def rules_digest(title: str) -> bytes:
    """SHA-256 over the source of all that decides a game of this title, so that a file tells which rules wrote it."""
    total = hashlib.sha256()
    for package in ("protocol", "engine.kernel", "engine.board", "engine.games.chitpull", f"engine.games.{title}"):
        try:
            folder = files(package)
        except ModuleNotFoundError:
            continue
        for item in sorted(folder.iterdir(), key=lambda item: item.name):
            if item.name.endswith(".py"):
                total.update(f"{package}/{item.name}\0".encode())
                total.update(hashlib.sha256(item.read_bytes()).digest())
    return total.digest()
