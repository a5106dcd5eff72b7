"""docs/coverage/fide_c04_3.md names code and tests that exist, for every article."""

import re
from importlib import import_module
from pathlib import Path

from tests.tournaments.test_dutch_articles import DECIDED

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "coverage" / "fide_c04_3.md").read_text(encoding="utf-8")
ARTICLES = (
    *(f"1.{n}" for n in range(2, 10)),
    *("2.1.1", "2.1.2", "2.1.3", "2.2", "2.3"),
    *(f"2.4.{n}" for n in range(1, 17)),
    *("3.1", "3.2", "3.3", "3.6", "3.7", "3.8", "4.2", "4.3", "4.4", "5.1"),
    *(f"5.2.{n}" for n in range(1, 6)),
)


def rows() -> list[list[str]]:
    """The cells of the table."""
    lines = [line for line in PAGE.splitlines() if re.match(r"\| \d", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_article_has_code_and_a_test() -> None:
    """Each once, with names on both sides, and each quality criterion has a round it decides."""
    assert [row[0] for row in rows()] == list(ARTICLES)
    assert [row[0] for row in rows() if not row[2] or not row[3]] == []
    assert list(DECIDED) == [f"C{n}" for n in range(6, 22)]


def test_code_and_tests_exist() -> None:
    """Under the names that the page gives, also those in its text."""
    tests = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py"))
    )
    for row in rows():
        for module, name in re.findall(r"`(\w+)\.(\w+)`", row[2]):
            assert hasattr(import_module(f"warledger.engine.tournaments.swiss.{module}"), name), row
    for name in re.findall(r"`(test_\w+)`", PAGE):
        assert f"def {name}(" in tests, name
