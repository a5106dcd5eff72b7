"""docs/coverage/fide_c07.md names code and tests that exist, for every article it is about."""

import re
from importlib import import_module
from pathlib import Path

from warledger.engine.tournaments.tiebreaknames import KINDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "coverage" / "fide_c07.md").read_text(encoding="utf-8")
ARTICLES = (
    *(f"6.{n}" for n in ("1", "1.1", "1.2", "2", "3")),
    *(f"7.{n}" for n in range(1, 9)),
    *("8.1", "8.2", "8.3", "9.1", "9.2"),
    *("16.1.1", "16.1.2", *(f"16.2.{n}" for n in range(1, 6))),
    *("16.3.1", "16.3.2", "16.4.1", "16.4.2", "16.5.1", "16.5.2"),
)


def rows() -> list[list[str]]:
    """The cells of the table."""
    lines = [line for line in PAGE.splitlines() if re.match(r"\| \d", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_article_has_code_and_a_test() -> None:
    """Articles 6 to 9 and 16 are all there."""
    there = {row[0]: row for row in rows()}

    assert [one for one in ARTICLES if one not in there] == []
    assert [one for one, row in there.items() if not row[3] or not row[4]] == []


def test_code_and_tests_exist() -> None:
    """Under the names that the page gives."""
    tests = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("test_*.py"))
    )
    for row in rows():
        for module, name in re.findall(r"`(\w+)\.(\w+)`", row[3]):
            assert hasattr(import_module(f"warledger.engine.tournaments.{module}"), name), row
        for name in re.findall(r"`(test_\w+)`", row[4]):
            assert f"def {name}(" in tests, name


def test_names_are_those_of_charters() -> None:
    """A charter may write what the page says."""
    for row in rows():
        for name in re.findall(r"`([a-z_]+)", row[2]):
            assert name in KINDS, name
