"""The packs in the repository as parsed documents, for tests that read real maps."""

from __future__ import annotations

import copy
import functools
import tomllib
from pathlib import Path
from typing import Any

GAMES = Path(__file__).parents[2] / "engine" / "games"
TITLES = ("victory_lost", "typhoon")
FILES = ("map", "counters", "setup", "turns", "tables")


@functools.cache
def _read(title: str) -> dict[str, dict[str, Any]]:
    return {
        f: tomllib.loads((GAMES / title / "pack" / f"{f}.toml").read_text("utf-8"), parse_float=str)
        for f in FILES
    }


def docs(title: str) -> dict[str, dict[str, Any]]:
    """A fresh copy that a test may change."""
    return copy.deepcopy(_read(title))
