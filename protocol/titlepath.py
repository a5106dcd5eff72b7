"""Where to find titles that do not come with Warledger: installed ones, and those on the title
path.

A title is a Python package that holds its rules, `pack/*.toml` and `lang/*.toml`. It is found by an
entry point of the group `warledger.titles` (title -> package). Or its folder is in one that the
environment variable WARLEDGER_TITLE_PATH names (several are separated as in PATH). This module only
finds folders; nothing of a title is imported. A title path on which nothing could ever be found is
an error, since its titles would be missing without a word.
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


class BadTitlePath(ValueError):
    """A title path with a place that holds no titles: names it and says what to do."""


def titles_beside() -> Mapping[str, Beside]:
    """Title -> where it is. The title path takes precedence over installed titles, so that an
    author's working copy is used.

    Raises BadTitlePath for a place on the path that is not a readable folder, or is a title itself
    instead of the folder around it.
    """
    return _found(os.environ.get(VARIABLE, ""))


@cache
def _found(path: str) -> Mapping[str, Beside]:
    found: dict[str, Beside] = {}
    for place in filter(None, path.split(os.pathsep)):
        folder = Path(place).resolve()
        for package in _packages(folder):
            if _is_title(package):
                found.setdefault(package.name, Beside(package.name, package, str(folder)))
    return MappingProxyType({**_installed(), **found})


def _packages(folder: Path) -> list[Path]:
    if not folder.is_dir():
        missing = "is not a folder" if folder.exists() else "does not exist"
        raise BadTitlePath(f"{VARIABLE} names {folder}, which {missing}; correct or unset it")
    if _is_title(folder):
        raise BadTitlePath(
            f"{VARIABLE} names {folder}, which is a title itself; name the folder that it is in, "
            f"{folder.parent}"
        )
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise BadTitlePath(
            f"{VARIABLE} names {folder}, which cannot be read: {error.strerror or error}"
        ) from error


def _is_title(folder: Path) -> bool:
    return folder.joinpath("__init__.py").is_file() and folder.joinpath("pack").is_dir()


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
