"""No module needs itself by way of others, not even for its types: each can be read, and tested,
after those that it imports."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.layers.reading import imports_of

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("protocol", "engine", "clients", "ops", "tests")
PAGE = ROOT / "clients" / "web"

IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.[^"']+)["']""")
COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)


def circles(needs: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The groups of names that need one another, by Tarjan's walk."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    found: list[list[str]] = []

    def walk(name: str) -> None:
        number[name] = lowest[name] = len(number)
        path.append(name)
        for needed in needs.get(name, ()):
            if needed not in number:
                walk(needed)
                lowest[name] = min(lowest[name], lowest[needed])
            elif needed in path:
                lowest[name] = min(lowest[name], number[needed])
        if lowest[name] == number[name]:
            group = path[path.index(name) :]
            del path[path.index(name) :]
            if len(group) > 1 or name in needs.get(name, ()):
                found.append(sorted(group))

    for name in needs:
        if name not in number:
            walk(name)
    return found


def python_needs() -> dict[str, list[str]]:
    """Every Python module of ours with those that it imports: inside functions and for type
    checkers alone too."""
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
    }
    needs: dict[str, list[str]] = {}
    for name, path in files.items():
        named = [target for one in imports_of(path) for target in one.targets]
        found = [_module(target.removeprefix("warledger."), files) for target in named]
        needs[name] = [target for target in dict.fromkeys(found) if target not in ("", name)]
    return needs


def _module(name: str, files: Mapping[str, Path]) -> str:
    """The module that an imported name stands in, "" when it is none of ours."""
    while name and name not in files:
        name = name.rpartition(".")[0]
    return name


def page_needs() -> dict[str, list[str]]:
    """Every module of the page with those that it imports, at once or when asked. What a comment
    names for its types is not imported."""
    return {
        path.relative_to(PAGE).as_posix(): [
            (path.parent / target).resolve().relative_to(PAGE).as_posix()
            for target in IMPORT.findall(COMMENT.sub("", path.read_text(encoding="utf-8")))
        ]
        for path in sorted(PAGE.rglob("*.js"))
    }


def test_circles_are_found() -> None:
    """The walk finds a circle of two and a module that imports itself, and nothing else."""
    assert circles({"a": ["b"], "b": ["c", "a"], "c": ["d"], "d": ["d"], "e": ["a", "c"]}) == [
        ["d"],
        ["a", "b"],
    ]


def test_no_python_module_needs_itself() -> None:
    """The imports of the Python modules have no circle."""
    needs = python_needs()

    assert needs["engine.kernel.door"], "the imports are not found"
    assert circles(needs) == []


def test_no_module_of_the_page_needs_itself() -> None:
    """The imports of the page's modules have no circle."""
    needs = page_needs()

    assert "lobby/lobby.js" in needs["main.js"], "the imports are not found"
    assert circles(needs) == []
