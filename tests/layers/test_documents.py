"""The documents lead somewhere: every link, heading and picture is there, the index of docs/ has
every page, and README and CONTRIBUTING say the same of the tests."""

import re
from pathlib import Path

import pytest

from tests.layers.test_imports import ROOT

DOCS = ROOT / "docs"
INDEX = DOCS / "README.md"
PAGES = sorted((*ROOT.glob("*.md"), *DOCS.glob("*.md"), *(DOCS / "decisions").glob("*.md")))
READERS = ("players", "hosts", "arbiters", "directors", "programmers")


def links(page: Path) -> list[str]:
    """What a page links to within the checkout, code left aside."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text))
    return [link for link in found if ":" not in link]


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file that is there, and to a heading of it where the link names one."""
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_index_has_every_page_of_docs() -> None:
    """Decisions by their own index; each page at least once."""
    listed = {(DOCS / link.partition("#")[0]).resolve() for link in links(INDEX)}
    pages = {
        page for page in DOCS.rglob("*.md") if page != INDEX and not re.match(r"\d{4}-", page.name)
    }
    assert len(pages) > 30
    assert sorted(page.name for page in pages - listed) == []


def test_the_index_is_sorted_by_reader() -> None:
    """One heading for each kind of reader, in the order of the front page."""
    heads = re.findall(r"^## For (\w+)$", INDEX.read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(heads) == READERS


def test_the_front_page_begins_with_what_it_is() -> None:
    """A sentence, a picture and two commands come before the first heading."""
    first = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ")[0]
    sentence, picture, commands = first.split("\n\n")[1:4]
    assert sentence.count(". ") == 0 and sentence.endswith(".")
    assert picture.startswith("![") and picture.endswith(".webp)")
    assert len(re.findall(r"^    ops/", commands, re.MULTILINE)) == 2


def test_the_tests_take_as_long_on_either_page() -> None:
    """README and CONTRIBUTING give one figure, and what it was measured on."""
    figures = [
        re.findall(
            r"(\w+) minutes on two idle cores",
            " ".join((ROOT / name).read_text(encoding="utf-8").split()),
        )
        for name in ("README.md", "CONTRIBUTING.md")
    ]
    assert figures[0] == figures[1] and len(figures[0]) == 1
