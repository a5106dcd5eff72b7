"""No file of ours is longer than somebody reads in one go: a module has one subject."""

from pathlib import Path

import pytest

from tests.layers.test_imports import ROOT

LINES_MAX = 700
PAGE_LINES_MAX = 500

FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("engine", "protocol", "clients", "ops", "tests")
    for ending in ("*.py", "*.js")
    for path in (ROOT / folder).rglob(ending)
    if "node_modules" not in path.parts
)


def too_long(names: list[str], root: Path, most: int = LINES_MAX) -> list[str]:
    """Those of these files that have more lines than they may."""
    return [
        name for name in names if len((root / name).read_text(encoding="utf-8").splitlines()) > most
    ]


def test_no_file_is_too_long() -> None:
    """Of Python or JavaScript, tests included."""
    assert len(FILES) > 1000
    assert too_long(FILES, ROOT) == []


def test_no_module_of_the_page_is_too_long() -> None:
    """As prettier lays it out, a module of the page has at most 500 lines."""
    modules = [name for name in FILES if name.startswith("clients/web/")]
    assert len(modules) > 100
    assert too_long(modules, ROOT, PAGE_LINES_MAX) == []


@pytest.mark.parametrize(("lines", "found"), [(LINES_MAX, []), (LINES_MAX + 1, ["a.py"])])
def test_a_file_that_is_too_long_is_named(tmp_path: Path, lines: int, found: list[str]) -> None:
    """A line more than there may be is enough."""
    (tmp_path / "a.py").write_text("x = 1\n" * lines, encoding="utf-8")
    assert too_long(["a.py"], tmp_path) == found
