"""The coverage pages are true: no clause of a rule book is without code and a test that cite it."""

import pytest

from ops.coverage.__main__ import ROOT, page

TITLES = [
    source.stem
    for source in sorted((ROOT / "ops" / "coverage").glob("*.toml"))
    if (ROOT / "engine" / "games" / source.stem / "rules.py").exists()
]


@pytest.mark.parametrize("title", TITLES)
def test_every_clause_is_cited_by_code_and_test(title: str) -> None:
    """Each clause and ruling of the rule book is cited by the code that carries it out and by a test."""
    assert page(title)[1] == []


@pytest.mark.parametrize("title", TITLES)
def test_the_page_is_up_to_date(title: str) -> None:
    """docs/coverage holds what `python -m ops.coverage` would write now."""
    assert (ROOT / "docs" / "coverage" / f"{title}.md").read_text(encoding="utf-8") == page(title)[0]
