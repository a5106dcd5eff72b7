"""Reads packs, and the sources of a title's rules for their digest.

The kernel and the titles are pure and are given the pack as a value; whoever makes a game (the
server, self-play) reads it here.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from warledger.engine import boundedtoml, registry
from warledger.protocol import canon

CORE = ("warledger.protocol", "warledger.engine.kernel", "warledger.engine.board")
"""What decides a game of any title, beside the folders that its `Rules` name."""

_QUOTED = re.compile(r"""["'](\w+)["']""")


class UnusablePack(ValueError):
    """A pack that cannot be read: says which file and what to do."""


def read_pack(title: str) -> dict[str, Any]:
    """The title's own pack: file name without ending -> its parsed table. Raises UnusablePack for
    a pack that cannot be read, and as `registry.rules_of`."""
    return _parse(files(registry.package_of(title)).joinpath("pack"))


def read_pack_folder(folder: Path) -> dict[str, Any]:
    """A host's own pack in the same form. Raises UnusablePack when the folder holds no TOML or a
    file is not readable."""
    return _parse(folder)


def documents(folder: Traversable | Path) -> dict[str, Any]:
    """The TOML files of a folder by their names without ending. Raises UnusablePack for one that
    cannot be read."""
    found: dict[str, Any] = {}
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.name.endswith(".toml"):
            try:
                found[item.name[:-5]] = (
                    boundedtoml.load(item)
                    if isinstance(item, Path)
                    else boundedtoml.loads(item.read_text(encoding="utf-8"))
                )
            except (OSError, ValueError, RecursionError) as error:
                raise UnusablePack(f"{item.name}: {error}") from error
    return found


def _parse(folder: Traversable | Path) -> dict[str, Any]:
    pack = documents(folder)
    if not pack:
        raise UnusablePack(f"{folder}: contains no .toml file")
    try:
        canon.check(canon.ordered(pack))
    except canon.NotCanonical as error:
        raise UnusablePack(f"{folder}: {error}; use whole numbers (halves as twos)") from error
    return pack


def pack_bytes(pack: dict[str, Any]) -> bytes:
    """The canonical bytes that go into the genesis."""
    return canon.pack(canon.ordered(pack))


def rules_digest(title: str) -> bytes:
    """SHA-256 over the sources of all that decides a game of this title, so that a file tells which
    rules wrote it: protocol, kernel, board and every folder that the title's `Rules` name, with
    the folders inside them. Raises as `registry.rules_of`."""
    return sources_digest((*CORE, *registry.rules_of(title).folders))


def words_read(title: str) -> frozenset[str]:
    """Each word that stands in quotes in the sources of all that decides a game of this title:
    among them the keys of its pack. Raises as `registry.rules_of`."""
    packages = (*CORE, *registry.rules_of(title).folders)
    sources = (item for package in packages for _, item in _sources(files(package), package))
    return frozenset(
        word for item in sources for word in _QUOTED.findall(item.read_text(encoding="utf-8"))
    )


@cache
def sources_digest(packages: tuple[str, ...]) -> bytes:
    """SHA-256 over the Python sources of packages, each with its name. Raises ModuleNotFoundError
    for one that is not there."""
    total = hashlib.sha256()
    for package in packages:
        for name, item in _sources(files(package), package):
            total.update(f"{name}\0".encode())
            total.update(hashlib.sha256(item.read_bytes()).digest())
    return total.digest()


def _sources(folder: Traversable, name: str) -> Iterator[tuple[str, Traversable]]:
    """The sources of a folder and of those inside it, in the order of their names."""
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.name.endswith(".py"):
            yield f"{name}/{item.name}", item
        elif item.is_dir() and item.name != "__pycache__":
            yield from _sources(item, f"{name}/{item.name}")
