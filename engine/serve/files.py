"""The page's files: all of them in memory, compressed once, found by their exact path and nothing
else.

No path is ever looked up on a disk while serving, so no path can lead anywhere else.
"""

from __future__ import annotations

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
        self._found = {} if fresh else dict(_read(self._folder))

    def find(self, path: str) -> Resource | None:
        """The file of a path, or the page if the path is the address of one of its sections."""
        found = dict(_read(self._folder)) if self._fresh else self._found
        if path in ROUTES or path.startswith(LONG_ROUTES):
            path = INDEX
        return found.get(path)

    def __len__(self) -> int:
        return len(self._found)


def _read(folder: Traversable, prefix: str = "/") -> Iterator[tuple[str, Resource]]:
    if not folder.is_dir():
        return
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.name.startswith((".", "_")):
            continue
        if item.is_dir():
            yield from _read(item, f"{prefix}{item.name}/")
        else:
            ending = item.name.rpartition(".")[2]
            if ending in TYPES:
                yield (
                    f"{prefix}{item.name}",
                    resource(item.read_bytes(), TYPES[ending], compress=ending not in _PACKED),
                )
