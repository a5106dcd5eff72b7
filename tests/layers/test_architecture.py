"""ARCHITECTURE.md lists what there is: the modules of the kernel and of chitpull, the layers, what
stands beside them, and only files that exist."""

import re
from pathlib import Path

from tests.layers.test_imports import ORDER, READERS, ROOT

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text under a heading."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def sources(folder: str) -> set[str]:
    """The modules of a folder."""
    return {path.stem for path in (ROOT / folder).glob("*.py")} - {"__init__"}


def test_every_module_of_the_kernel_is_listed() -> None:
    """Each once, and nothing that is not a module."""
    rows = re.findall(r"^\| (`.*?`) \|", section("The kernel"), re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`(\w+)\.py`", row)]
    assert len(listed) == len(set(listed)) and set(listed) == sources("engine/kernel")


def test_every_module_that_chit_pull_titles_share_is_listed() -> None:
    """In the table of what a third title takes."""
    rows = re.findall(r"^  \| (`.*?`) \|", section("Titles"), re.MULTILINE)  # its first column
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == sources(
        "engine/games/chitpull"
    )


def test_every_module_of_the_series_and_of_its_game_is_listed() -> None:
    """Each once: those of the series by chapter, those of its first game in a sentence."""
    series, game = re.split(r"\n  and those of the game: ", section("Titles"), maxsplit=1)
    rows = re.findall(r"^  \| [^`|]+ \| (`.*) \|$", series, re.MULTILINE)
    listed = re.findall(r"`(\w+)`", " ".join(rows))
    assert len(listed) == len(set(listed))
    assert set(listed) == sources("engine/games/ocs")
    own = re.findall(r"`(\w+)`", game.split("\n- ")[0])
    assert len(own) == len(set(own))
    assert set(own) == sources("engine/games/hungarian_rhapsody")


def test_every_module_of_the_tournaments_is_listed() -> None:
    """Somewhere in their section, those of the FIDE pairings with them."""
    named = set(re.findall(r"`(?:\w+/)*(\w+)\.py`", section("Tournaments")))
    assert sources("engine/tournaments") | sources("engine/tournaments/swiss") <= named


def test_the_layers_are_those_that_are_held() -> None:
    """In the same order, without those that are only reserved."""
    (line,) = re.findall(r"^    (protocol  <-.*)$", PAGE, re.MULTILINE)
    there = [layer for layer in ORDER if (ROOT / layer.replace(".", "/")).is_dir()]
    assert line.split("  <-  ") == there


def test_what_stands_beside_the_layers_is_listed() -> None:
    """Every module of `engine` itself, and what is for tests."""
    beside = set(re.findall(r"^\| `(engine/[\w/]+)(?:\.py)?/?` \|", PAGE, re.MULTILINE))
    expected = {name.replace(".", "/") for name in READERS} | {"engine/testing/"}
    assert {name.rstrip("/") for name in beside} == {name.rstrip("/") for name in expected}
    assert {f"engine/{name}" for name in sources("engine")} <= beside


def test_every_file_that_is_named_exists() -> None:
    """With its path, or its name somewhere in the tree."""
    names = set(re.findall(r"`([\w./-]+\.(?:py|js|md|toml|css))`", PAGE))
    names |= set(re.findall(r"\]\(([\w./-]+)\)", PAGE))
    known = {
        path.name
        for folder in ("protocol", "engine", "clients", "ops", "tests")
        for path in (ROOT / folder).rglob("*.*")
    }
    missing = [
        name
        for name in sorted(names)
        if not (ROOT / name).exists() and Path(name).name not in known
    ]

    assert missing == []
