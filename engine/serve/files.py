"""The page's files: all of them in memory, compressed once, found by their exact path and nothing
else.

No path is ever looked up on a disk while serving, so no path can lead anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from warledger.engine.serve.http import JSON, SVG, TEXT, Resource, resource

PACKAGE: Final = "warledger.clients"
FOLDER: Final = "web"
"""Where the page is. On this side it is only data: nothing of it is imported."""

TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": JSON,
    "webmanifest": "application/manifest+json; charset=utf-8",
    "svg": SVG,
    "txt": TEXT,
    "png": "image/png",
    "webp": "image/webp",
    "ico": "image/x-icon",
    "woff2": "font/woff2",
}
"""The endings of files that are served; a file of another kind in the folder is not."""
_PACKED: Final = frozenset(("png", "webp", "ico", "woff2"))

WORKER: Final = "/shell.js"
INDEX: Final = "/index.html"
ROUTES: Final = ("/", "/lobby", "/archive", "/help", "/account", "/tournaments", "/wall")
LONG_ROUTES: Final = ("/game/", "/tournament/")
"""The addresses of the page's sections. The page itself is served there, and shows the section that
its address names."""


class Files:
    """What `find` returns for a path. `fresh` reads the folder again each time, for whoever is
    working on the page."""

    def __init__(self, folder: Traversable | None = None, *, fresh: bool = False) -> None:
        self._folder = folder if folder is not None else files(PACKAGE).joinpath(FOLDER)
        self._fresh = fresh
        self._found = {} if fresh else dict(_read(self._folder, brief=True))

    def find(self, path: str) -> Resource | None:
        """The file of a path, or the page if the path is the address of one of its sections."""
        if path in ROUTES or path.startswith(LONG_ROUTES):
            path = INDEX
        return _one(self._folder, path) if self._fresh else self._found.get(path)

    def __len__(self) -> int:
        return len(self._found)


def _one(folder: Traversable, path: str) -> Resource | None:
    """The file of a path as it is now. Each of its names must be one that is listed."""
    found = folder
    for name in path[1:].split("/"):
        if not found.is_dir():
            return None
        there = (item for item in found.iterdir() if item.name == name)
        named = next(there, None)
        if named is None or name.startswith((".", "_")):
            return None
        found = named
    return _file(found, path) if found.is_file() else None


def _file(item: Traversable, path: str, *, brief: bool = False) -> Resource | None:
    """A file of the page; None if it is of a kind that is not served."""
    ending = item.name.rpartition(".")[2]
    if ending not in TYPES:
        return None
    body = item.read_bytes()
    if brief and ending == "js":
        body = briefly(body.decode()).encode()
    return resource(
        body,
        TYPES[ending],
        compress=ending not in _PACKED,
        part=ending in ("js", "css") and path != WORKER,
    )


def _read(folder: Traversable, prefix: str = "/", *, brief: bool) -> Iterator[tuple[str, Resource]]:
    """Every file by its path; with `brief`, scripts are shortened by `briefly`."""
    if not folder.is_dir():
        return
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.name.startswith((".", "_")):
            continue
        if item.is_dir():
            yield from _read(item, f"{prefix}{item.name}/", brief=brief)
        else:
            path = f"{prefix}{item.name}"
            found = _file(item, path, brief=brief)
            if found is not None:
                yield path, found


_BLOCK: Final = re.compile(r"^[ \t]*/\*(?:[^*]|\*(?!/))*\*/[ \t]*\n", re.MULTILINE)
_LINE: Final = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
_INDENT: Final = re.compile(r"^[ \t]+", re.MULTILINE)


def briefly(script: str) -> str:
    """A script without the lines that are comments alone, and without indentation: a quarter less
    to send. Nothing within a line is touched (minifiers do that, and those written in Python change
    texts with nested templates), and a script in which a text goes over several lines is left as it
    is."""
    if any(line.count("`") % 2 for line in script.splitlines()):
        return script
    return _INDENT.sub("", _LINE.sub("", _BLOCK.sub("", script)))
