"""ARCHITECTURE.md is a short map, docs/decisions are numbered notes, and whatever path, module or
layer they, the glossary and the pages for contributors name exists."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.layers.test_imports import ORDER, READERS, ROOT

MAP = ROOT / "ARCHITECTURE.md"
DECISIONS = ROOT / "docs" / "decisions"
INDEX = DECISIONS / "README.md"
NOTES = sorted(DECISIONS.glob("[0-9]*.md"))
FOR_CONTRIBUTORS = ("CONTRIBUTING.md", "docs/glossary.md", "docs/ocs.md", "docs/style.md")
PAGES = (MAP, INDEX, *NOTES, *(ROOT / page for page in FOR_CONTRIBUTORS))
BYTES_MAX = 12 * 1024
FOLDERS = ("protocol", "engine", "clients", "ops", "tests", "docs", "warledger")
STAND_FOR_OTHERS = ("TITLE", "NAME", "NN")
"""What stands in a path for whatever somebody calls their own."""
ENDINGS = ("py", "js", "md", "toml", "css", "json", "html")


@cache
def files_by_name() -> frozenset[str]:
    """The name of every file that we have."""
    return frozenset(
        path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*.*") if path.is_file()
    )


def missing(page: Path, text: str) -> list[str]:
    """What a page names and is not there: paths from the top of the checkout, files by their name
    alone, modules behind `python -m`, and links."""
    words = [
        word
        for word in re.findall(r"`([\w.-]+(?:/[\w.-]+)*)/?`", text)
        if not any(stands in word for stands in STAND_FOR_OTHERS)
    ]
    paths = [word for word in words if "/" in word]
    names = [
        word
        for word in words
        if "/" not in word and word.rpartition(".")[2] in ENDINGS and "." in word
    ]
    modules = re.findall(r"python\s-m\s((?:ops|tests)[\w.]*\w)", text)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text)]
    known = files_by_name()
    return [
        *(path for path in paths if not (ROOT / path).exists()),
        *(name for name in names if name not in known and not (ROOT / name).exists()),
        *(name for name in modules if not is_module(name)),
        *(link for link in links if ":" not in link and not (page.parent / link).exists()),
    ]


def is_module(name: str) -> bool:
    """Whether this can be run: a module, or a package with a `__main__`."""
    path = ROOT / name.replace(".", "/")
    return path.with_suffix(".py").is_file() or any(
        (path / inside).is_file() for inside in ("__main__.py", "__init__.py")
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_whatever_is_named_exists(page: Path) -> None:
    """Paths, files, modules and links, in the map, in every note and in the other pages."""
    assert missing(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "`engine/kernel/gone.py`",
        "`gone.py`",
        "`engine/gone`",
        "`python -m ops.gone`",
        "[a](gone.md)",
    ],
)
def test_what_does_not_exist_is_found(text: str) -> None:
    """In each of the forms in which a page names something."""
    assert len(missing(MAP, f"See {text}, or `engine/kernel/door.py`.")) == 1


def test_the_map_is_short() -> None:
    """At most 12 KiB: whatever explains at length is a decision."""
    assert MAP.stat().st_size <= BYTES_MAX


def test_the_layers_are_those_that_are_held() -> None:
    """In the same order, in the picture and in the table below it."""
    text = MAP.read_text(encoding="utf-8")
    (line,) = re.findall(r"^    (protocol  <-.*)$", text, re.MULTILINE)
    assert tuple(line.split("  <-  ")) == ORDER
    table = text.split("| layer | what it is |\n|---|---|\n")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `([\w/]+)` \|", table, re.MULTILINE)
    assert tuple(row.replace("/", ".") for row in rows) == ORDER


def test_what_stands_beside_the_layers_is_on_the_map() -> None:
    """What whoever runs games may import besides, and what is for tests."""
    text = MAP.read_text(encoding="utf-8")
    for name in (*READERS, "engine.testing"):
        path = name.replace(".", "/")
        assert f"`{path}`" in text or f"`{path}.py`" in text, name


def test_decisions_are_numbered_without_gaps() -> None:
    """From 0001, each number once, and the same in the heading."""
    assert [int(note.name[:4]) for note in NOTES] == list(range(1, len(NOTES) + 1))
    for note in NOTES:
        assert note.read_text(encoding="utf-8").startswith(f"# {note.name[:4]}. "), note.name


def test_every_decision_is_in_the_index() -> None:
    """Once, in order, by its title."""
    rows = re.findall(
        r"^\| \[(\d{4})\]\((.*?)\) \| (.*) \|$", INDEX.read_text(encoding="utf-8"), re.MULTILINE
    )
    titles = [note.read_text(encoding="utf-8").splitlines()[0][len("# 0000. ") :] for note in NOTES]
    assert rows == [
        (note.name[:4], note.name, title) for note, title in zip(NOTES, titles, strict=True)
    ]


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.name)
def test_a_decision_has_its_parts(note: Path) -> None:
    """A date, then context and decision, then at most what was measured and what would change
    it, each once and in this order."""
    text = note.read_text(encoding="utf-8")
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", text.splitlines()[2])
    parts = re.findall(r"^\*\*(.*?)\.\*\*", text, re.MULTILINE)
    known = ["Context", "Decision", "What was measured", "What would change it"]
    assert parts[:2] == known[:2] and parts == [part for part in known if part in parts]
