"""Modules can be told apart by their names alone."""

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_no_two_modules_of_the_engine_share_a_name() -> None:
    """But for those of the titles, each of which has its own `state.py`. In a traceback, in a list
    of open files and in a sentence a module is called by its name alone."""
    names = Counter(
        path.stem
        for path in (ROOT / "engine").rglob("*.py")
        if "games" not in path.relative_to(ROOT / "engine").parts[:1] and path.stem != "__init__"
    )
    assert [name for name, count in names.items() if count > 1] == []
