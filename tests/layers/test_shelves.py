"""The rule tests mirror the rule books: shelved by chapter, named by clause, helpers apart."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from warledger.engine.games import NAMES

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "tests" / "rules"
LINES_MAX = 600
WHOLE_GAMES = "test_whole_games.py"
"""The one file of a title that belongs to no chapter."""

FILES = sorted(path for title in NAMES for path in (RULES / title).glob("test_*.py"))
CHAPTERS = [path for path in FILES if path.name != WHOLE_GAMES]


def named(path: Path) -> str:
    """The id of a file in the test's name."""
    return path.relative_to(RULES).as_posix()


def chapters_in(text: str) -> set[int]:
    """Every chapter that a sentence names: 9.3 is of chapter 9, "2 – 4" are three."""
    found = {int(number) for number in re.findall(r"(?<![\d.(])(\d+)(?:\.\d+)*", text)}
    for first, last in re.findall(r"\b(\d+) ?(?:–|-|to) ?(\d+)\b", text):
        found |= set(range(int(first), int(last) + 1))
    return found


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """What a module defines at its top level."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node


@pytest.mark.parametrize("path", CHAPTERS, ids=named)
def test_a_file_of_rule_tests_is_named_by_its_chapter(path: Path) -> None:
    """test_NN_topic.py, and its first line names the chapter."""
    match = re.fullmatch(r"test_(\d\d)_[a-z_]+\.py", path.name)
    assert match, f"name {path.name} by its chapter: test_NN_topic.py"
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert int(match[1]) in chapters_in(said), f"the docstring does not name chapter {match[1]}"


@pytest.mark.parametrize("path", CHAPTERS, ids=named)
def test_a_rule_test_is_named_by_its_clause(path: Path) -> None:
    """A test's name begins with the number of a clause of the chapters that its file names."""
    here = chapters_in(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "")
    for node in functions(path):
        match = re.match(r"test_(\d+)(?:_|$)", node.name)
        assert match, f"{node.name}: begin the name with the clause, such as test_9_3_…"
        assert int(match[1]) in here, f"{node.name} does not belong to this file's chapters"


@pytest.mark.parametrize("path", FILES, ids=named)
def test_helpers_stand_outside_of_test_modules(path: Path) -> None:
    """A module of rule tests defines tests and nothing else, and no other imports from it."""
    others = [node.name for node in functions(path) if not node.name.startswith("test_")]
    assert not others, f"move to a bench: {', '.join(others)}"
    assert not re.search(r"^from tests\.rules\S*\.test_", path.read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_file_of_rule_tests_is_short(path: Path) -> None:
    """At most 600 lines; a longer chapter is split by topic."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES_MAX


@pytest.mark.parametrize("title", NAMES)
def test_no_two_tests_of_a_title_have_one_name(title: str) -> None:
    """The name alone says which test failed."""
    names = [
        node.name
        for path in FILES
        if path.parent.name == title
        for node in functions(path)
        if node.name.startswith("test_")
    ]
    assert len(names) == len(set(names)), {name for name in names if names.count(name) > 1}
