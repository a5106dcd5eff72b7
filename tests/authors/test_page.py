"""docs/authors.md is true: its excerpts stand in the title that it speaks of, and whoever follows
it from the first command to the last gets what it shows."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "authors.md").read_text(encoding="utf-8")
PATTERN = ROOT / "engine" / "testing" / "skirmish"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"# (in|added to) (\S+)\n")


def blocks() -> Iterator[tuple[str, str, str, str]]:
    """(language, how, file, text) of each block; a console's has no file."""
    for language, text in BLOCK.findall(PAGE):
        place = PLACE.match(text)
        how, file = (place[1], place[2]) if place else ("", "")
        yield language, how, file, text[place.end() :] if place else text


def test_every_excerpt_stands_in_its_file() -> None:
    """Word for word."""
    missing = [
        (file, text)
        for language, how, file, text in blocks()
        if language in ("python", "toml")
        and how == "in"
        and text not in (PATTERN / file).read_text(encoding="utf-8")
    ]

    assert missing == []


def test_the_page_has_blocks_of_every_kind() -> None:
    """So that a change of form does not pass unnoticed."""
    kinds = [language for language, *_ in blocks()]
    assert {kind: kinds.count(kind) > 3 for kind in ("console", "python", "diff")} == {
        "console": True,
        "python": True,
        "diff": True,
    }


class Author:
    """Somebody who follows the page in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "WARLEDGER_LANGUAGE": "en",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def type(self, text: str) -> None:
        """Type the commands of a console block; what it shows must come, in that order."""
        shown: list[str] = []
        said = ""
        for line in text.splitlines():
            if not line.startswith("$ "):
                shown.append(line)
                continue
            self._compare(shown, said)
            shown, said = [], self._run(line.removeprefix("$ "))
        self._compare(shown, said)

    def _run(self, command: str) -> str:
        if command.startswith("cd "):
            self.folder /= command.removeprefix("cd ")
            return ""
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            self.environment[name] = value.replace("$PWD", str(self.folder))
            return ""
        words = command.split()
        program = ["-m", "warledger"] if words[0] == "warledger" else []
        assert words[0] in ("warledger", "python"), command
        done = subprocess.run(
            [sys.executable, *program, *words[1:]],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.code = done.returncode
        return f"{command}\n{done.stdout}{done.stderr}"

    def _compare(self, shown: list[str], said: str) -> None:
        rest = said
        for line in shown:
            assert line in rest, f"{line!r} is not in:\n{said}"
            rest = rest[rest.index(line) + len(line) :]
        if said:
            assert (self.code == 0) is ("BROKEN" not in "".join(shown)), said

    def edit(self, how: str, file: str, language: str, text: str) -> None:
        """Make a change that the page tells."""
        text = text.replace("warledger.engine.testing.skirmish", "hill_112")
        text = text.replace("skirmish", "hill_112")
        place = self.folder / (file if how == "added to" else f"hill_112/{file}")
        now = place.read_text(encoding="utf-8")
        if language == "diff":
            before = "".join(line[1:] for line in text.splitlines(True) if line[0] in " -")
            after = "".join(line[1:] for line in text.splitlines(True) if line[0] in " +")
            assert now.count(before) == 1, f"{file} has {now.count(before)} times:\n{before}"
            place.write_text(now.replace(before, after), encoding="utf-8")
        else:
            place.write_text(f"{now}\n\n{text}", encoding="utf-8")


def test_whoever_follows_the_page_gets_what_it_shows(tmp_path: Path) -> None:
    """Every command and every change, in the order of the page."""
    author = Author(tmp_path)
    for language, how, file, text in blocks():
        if language == "console":
            author.type(text)
        elif language == "diff" or how == "added to":
            author.edit(how, file, language, text)


@pytest.mark.parametrize("name", ["Hill", "1st", "hill-112", "class", "json", "typhoon"])
def test_a_name_that_cannot_be_a_titles_is_refused(name: str, tmp_path: Path) -> None:
    """With what to do, and nothing is written."""
    author = Author(tmp_path)
    said = author._run(f"warledger title new {name}")

    assert author.code == 2 and ("choose another" in said or "use small letters" in said), said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["aa", "hill_112", "zulu_dawn"])
def test_a_new_title_is_as_ruff_wants_it(name: str, tmp_path: Path) -> None:
    """With its own configuration, whatever comes before or after the title in the alphabet."""
    if find_spec("ruff") is None:
        pytest.skip("ruff is not installed")
    author = Author(tmp_path)
    author._run(f"warledger title new {name}")
    author.folder /= name

    said = author._run("python -m ruff check --no-cache .")

    assert author.code == 0, said
