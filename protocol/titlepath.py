"""Where to find titles that do not come with Warledger: installed ones, and those on the title
path.

A title is a Python package that holds its rules, `pack/*.toml` and `lang/*.toml`. It is found by an
entry point of the group `warledger.titles` (title -> package), or because its folder is in a
folder that the environment variable WARLEDGER_TITLE_PATH names (several are separated as in PATH).
This module only finds folders; nothing of a title is imported.
"""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from attrs import frozen

VARIABLE: Final = "WARLEDGER_TITLE_PATH"
GROUP: Final = "warledger.titles"


@frozen
class Beside:
    """A title that does not come with Warledger: its package's name, its folder, and the folder
    that has to be on Python's path, "" if it is installed."""

    package: str
    folder: Path
    path: str = ""


def titles_beside() -> Mapping[str, Beside]:
    """Title -> where it is. The title path takes precedence over installed titles, so that an
    author's working copy is used."""
    return _found(os.environ.get(VARIABLE, ""))


@cache
def _found(path: str) -> Mapping[str, Beside]:
    found: dict[str, Beside] = {}
    for place in filter(None, path.split(os.pathsep)):
        folder = Path(place).resolve()
        packages = sorted(folder.iterdir()) if folder.is_dir() else []
        for package in packages:
            if package.joinpath("__init__.py").is_file() and package.joinpath("pack").is_dir():
                found.setdefault(package.name, Beside(package.name, package, str(folder)))
    return MappingProxyType({**_installed(), **found})


def _installed() -> dict[str, Beside]:
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    found: dict[str, Beside] = {}
    for entry in entry_points(group=GROUP):
        package = entry.value.partition(":")[0].strip()
        try:
            spec = find_spec(package)
        except (ImportError, ValueError):
            continue
        if spec is not None and spec.origin:
            found[entry.name] = Beside(package, Path(spec.origin).parent)
    return found


__all__ = ["GROUP", "VARIABLE", "Beside", "titles_beside"]
