"""Writes tiny titles into folders, as somebody would who makes a game of their own."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from warledger.engine import packfiles
from warledger.protocol import lang, titlepath
from warledger.protocol.texts import languagepath

RULES = """
from warledger.engine.kernel.types import Outcome
from warledger.protocol.board.choices import say

class Toy:
    title = "{name}"
    version = "1"
    folders = {folders!r}
    seats = ("red", "blue")
    switches = ()
    sequences = {{"game": ()}}
    steps = {{}}
    events = ()
    def initial(self, genesis): return 0
    def triggers(self, table, event): pass
    def evolve(self, state, event): return state
    def effects(self, before, event, after): return ()
    def picture(self, state): return ()
    def turns_most(self, pack, options): return 0
    def outcome(self, at): return Outcome(None, say("{name}.over"))
    def invariants(self, state): pass

RULES = Toy()
"""


def write(folder: Path, name: str, *, folders: tuple[str, ...] = (), more: str = "") -> Path:
    """A title's package in a folder: `__init__.py` with its rules and what `more` adds, and a
    pack."""
    package = folder / name
    (package / "pack").mkdir(parents=True)
    (package / "pack" / "map.toml").write_text("schema = 1\n", encoding="utf-8")
    source = RULES.format(name=name, folders=folders or (name,)) + more
    (package / "__init__.py").write_text(source, encoding="utf-8")
    return package


@contextmanager
def title_path(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> Iterator[None]:
    """These folders as the title path; afterwards nothing of what was loaded from them is left."""
    monkeypatch.setenv(titlepath.VARIABLE, ":".join(map(str, folders)))
    modules, path = set(sys.modules), list(sys.path)
    forget()
    try:
        yield
    finally:
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if any(file.startswith(str(folder)) for folder in folders):
                del sys.modules[name]
        sys.path[:] = path
        monkeypatch.delenv(titlepath.VARIABLE)
        forget()


def forget() -> None:
    """What was found before is looked for anew."""
    importlib.invalidate_caches()
    titlepath._found.cache_clear()
    languagepath._found.cache_clear()
    packfiles.sources_digest.cache_clear()
    lang.catalogue.cache_clear()
