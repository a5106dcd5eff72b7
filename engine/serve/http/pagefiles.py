"""The page's files: all of them in memory, compressed once, and what is asked for often once more
and better; found by their exact path and nothing else. What `ops/pagebuild` has made of just these
sources is served in their place.

No path is ever looked up on a disk while serving, so no path can lead anywhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from warledger.engine.serve.http.http1 import JSON, SVG, TEXT, Resource, denser, resource

PACKAGE: Final = "warledger.clients"
FOLDER: Final = "web"
"""Where the page is. On this side it is only data: nothing of it is imported."""
BUILT: Final = "built"
"""Where `ops/pagebuild` puts what it makes of the page. It is there in a wheel that was built after
it, and seldom in a checkout."""
SOURCES: Final = "_sources"
"""The file among what was built that holds the digest of what it was built from."""

TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": JSON,
    "webmanifest": "application/manifest+json; charset=utf-8",
    "svg": SVG,
    "map": JSON,
    "txt": TEXT,
    "png": "image/png",
    "webp": "image/webp",
    "ico": "image/x-icon",
    "woff2": "font/woff2",
}
"""The endings of files that are served; a file of another kind in the folder is not."""
_LEFT: Final = frozenset(("png", "webp", "ico", "woff2", "map"))
"""Those that are not compressed: they are already, or only developers ask for them."""

WORKERS: Final = ("/verifier.js",)
"""What the page runs in a worker."""
DOCUMENTS: Final = ("/shell.js", *WORKERS)
"""Scripts that a browser runs by themselves, beside the page."""
INDEX: Final = "/index.html"
ROUTES: Final = ("/", "/lobby", "/archive", "/help", "/account", "/tournaments", "/wall")
LONG_ROUTES: Final = ("/game/", "/overlay/", "/tournament/", "/wall/")
"""The addresses of the page's sections. The page itself is served there, and shows the section that
its address names."""


OFTEN: Final = 16
"""So many requests for a script or style sheet, and the next are worth half a second of a
processor: a server that few look at does not spend it."""


class Files:
    """What `find` returns for a path. `fresh` reads the folder again each time, for whoever is
    working on the page. `built` is what may have been built of the folder."""

    def __init__(
        self,
        folder: Traversable | None = None,
        *,
        fresh: bool = False,
        built: Traversable | None = None,
    ) -> None:
        if folder is None:
            folder, built = files(PACKAGE).joinpath(FOLDER), files(PACKAGE).joinpath(BUILT)
        self._folder = folder
        self._fresh = fresh
        self._found = {} if fresh else _all(folder, built)
        self._asked: Counter[str] = Counter()

    def find(self, path: str) -> Resource | None:
        """The file of a path, or the page if the path is the address of one of its sections."""
        if path in ROUTES or path.startswith(LONG_ROUTES):
            path = INDEX
        return _one(self._folder, path) if self._fresh else self._found.get(path)

    def is_often(self, path: str) -> bool:
        """Count a request for a path that has been found. True once: when `squeeze` is due."""
        if path not in self._found or not self._found[path].part:
            return False
        self._asked[path] += 1
        return self._asked[path] == OFTEN

    def squeeze(self, path: str) -> None:
        """Compress a file as well as can be. It takes long: call it off the loop."""
        self._found[path] = denser(self._found[path])

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


def _file(item: Traversable, path: str) -> Resource | None:
    """A file of the page; None if it is of a kind that is not served."""
    return _served(path, item.read_bytes()) if _ending(path) in TYPES else None


def _served(path: str, body: bytes) -> Resource:
    ending = _ending(path)
    return resource(
        body,
        TYPES[ending],
        compress=ending not in _LEFT,
        part=ending in ("js", "css") and path not in DOCUMENTS,
    )


def _ending(path: str) -> str:
    return path.rpartition(".")[2]


def _all(folder: Traversable, built: Traversable | None) -> dict[str, Resource]:
    """Every file by its path: what was built of these sources, and the sources that it leaves."""
    found = dict(read(folder))
    if built is not None:
        told = built.joinpath(SOURCES)
        if told.is_file() and told.read_text("ascii").strip() == digest(found):
            found.update(read(built))
    return {path: _served(path, body) for path, body in found.items()}


def digest(sources: Mapping[str, bytes]) -> str:
    """What tells the files of a page from any others: their paths and all that is in them."""
    parts = (f"{path} {sha256(body).hexdigest()}\n" for path, body in sorted(sources.items()))
    return sha256("".join(parts).encode()).hexdigest()


def read(folder: Traversable, prefix: str = "/") -> Iterator[tuple[str, bytes]]:
    """Every file that is served, by its path."""
    if not folder.is_dir():
        return
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.name.startswith((".", "_")):
            continue
        if item.is_dir():
            yield from read(item, f"{prefix}{item.name}/")
        elif _ending(item.name) in TYPES:
            yield f"{prefix}{item.name}", item.read_bytes()
