"""What the coverage pages are made of: the clauses of a rule book, and the lines that cite them.

A clause is cited by its number: in a docstring, a comment or a string (a refusal's rule) of the
title's folder, or in a test of tests/rules/<title>/ or its name (test_6_1_…). In folders where
several rule books are cited, a citation names the book's letters first: "VL 7.2.1, R-06", "TY
7.1(1)", "OCS 9.12e". In the code of a book's own folder it may do without them, as in "(9.12e)".
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from warledger.engine.games import NAMES

ROOT = Path(__file__).resolve().parents[2]
LISTED = tuple(source.stem for source in sorted((ROOT / "ops" / "coverage").glob("*.toml")))
"""Every rule book whose clauses are listed: titles, and series that titles are made of."""

TITLES = tuple(name for name in LISTED if name in NAMES)
"""Those of the titles that are offered: each of their clauses has code and a test."""

NOT_YET = " (not yet)"
"""How the words of a clause end that no scenario on offer needs, or that is still to come."""

LETTERS = {
    "victory_lost": "VL",
    "typhoon": "TY",
    "ocs": "OCS",
    "hungarian_rhapsody": "HR",
}
"""How a citation begins where several rule books are cited."""

SHARED = {
    "victory_lost": ("chitpull",),
    "typhoon": ("chitpull",),
    "ocs": ("hungarian_rhapsody",),
    "hungarian_rhapsody": ("ocs",),
}
"""Folders of code in which a rule book is cited, other than its own."""

LETTERED = ("chitpull", "ocs", "hungarian_rhapsody")
"""Folders where a citation names its rule book by its letters."""
LIST = r"(?: *,? *(?:R-\d+|\d+[\d.()\-a-z]*))+"
"""Numbers of clauses and rulings behind the letters of their rule book."""

BARE = re.compile(rf"\b(?:{'|'.join(LETTERS.values())}){LIST}|\bversion \d+\.\d+")
"""What is not a citation without letters: one with letters, and a rule book's version."""

RANGE = re.compile(r"\b(R-?|[A-Z]\.|\d+\.(?:\d+\.)*)(\d+)\s*(?:-|–|to|…)\s*(?:\1)(\d+)\b")


def clauses(title: str) -> dict[str, str]:
    """Number -> our short words, in rule-book order."""
    return tomllib.loads((ROOT / "ops" / "coverage" / f"{title}.toml").read_text(encoding="utf-8"))


def is_ruling(number: str) -> bool:
    """Whether the number is that of a ruling and not of the rule book's clause."""
    return number.startswith("R")


def numbers_in(text: str, pattern: re.Pattern[str]) -> set[str]:
    """The clause numbers a line cites, ranges spelt out."""
    found = set(pattern.findall(text))
    for head, first, last in RANGE.findall(text):
        width = len(first) if head == "R-" else 0
        for number in range(int(first), min(int(last), int(first) + 60) + 1):
            found.update(pattern.findall(f"{head}{number:0{width}d}"))
    return found


def pattern_for(numbers: list[str]) -> re.Pattern[str]:
    """Matches any of the numbers as a whole."""
    ordered = sorted(numbers, key=len, reverse=True)
    return re.compile(r"(?<![\w.\-])(" + "|".join(map(re.escape, ordered)) + r")(?![\w(]|\.\d|-\d)")


def places(path: Path) -> Iterator[tuple[str, str]]:
    """(enclosing function or class, line) for each line of a Python file."""
    text = path.read_text(encoding="utf-8")
    names: dict[int, str] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                for line in range(child.lineno, (child.end_lineno or child.lineno) + 1):
                    names[line] = name
                visit(child, f"{name}.")
            else:
                visit(child, prefix)

    visit(ast.parse(text), "")
    for number, line in enumerate(text.splitlines(), 1):
        yield names.get(number, ""), line


def numbers_of_name(name: str) -> list[str]:
    """The clauses that a test's name carries: E48_9_1_4_… is an example of 9.1.4, R26_… a ruling,
    A1_… an appendix."""
    rulings = re.findall(r"(?:^|_)R(\d+)(?=_|$)", name)
    plain = re.sub(r"(?:^|_)[A-Z]\d+(?=_|$)", "_", name)
    found = re.findall(r"(?<![\da-zA-Z])(\d+)_(\d+)(?:_(\d+))?(?:_(\d+))?", plain)
    numbers = []
    for parts in found:
        digits = [part for part in parts if part]
        numbers += [".".join(digits[:size]) for size in range(2, len(digits) + 1)]
    numbers += [f"R{ruling}" for ruling in rulings] + [f"R-{int(ruling):02d}" for ruling in rulings]
    return numbers + [f"A.{note}" for note in re.findall(r"(?:^|_)A(\d)(?=_|$)", name)]


@cache
def gates(path: Path) -> frozenset[str]:
    """The functions of a Python file that say yes or no: those that refuse, or return a bool."""
    found = set()

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                if isinstance(child, ast.FunctionDef) and _says_no(child):
                    found.add(name)
                visit(child, f"{name}.")
            else:
                visit(child, prefix)

    visit(ast.parse(path.read_text(encoding="utf-8")), "")
    return frozenset(found)


def _says_no(function: ast.FunctionDef) -> bool:
    answer = ast.unparse(function.returns) if function.returns else ""
    return answer == "bool" or any(
        isinstance(node, ast.Call) and ast.unparse(node.func).endswith("refuse")
        for node in ast.walk(function)
    )


class Citation(NamedTuple):
    """A line that cites a clause."""

    clause: str
    path: Path
    line: int
    name: str
    """The enclosing function or class; empty for a line of the module itself."""
    opens: bool
    """Whether a docstring begins on the line."""
    gate: bool = False
    """Whether the function says yes or no."""

    @property
    def place(self) -> str:
        """Path and name, as the pages show them."""
        return self.path.relative_to(ROOT).as_posix() + (f":{self.name}" if self.name else "")


def citations(
    title: str, files: list[Path], pattern: re.Pattern[str], *, tests: bool
) -> Iterator[Citation]:
    """Every line that cites a clause, file by file."""
    for path in files:
        book = next((part for part in reversed(path.parts) if part in LETTERED), "")
        shared = bool(book)
        goes_on = False
        saying = gates(path)
        for row, (name, line) in enumerate(places(path), 1):
            text = line
            if shared:
                # a list of citations that ends its line with a comma goes on without its letters
                carried = f"{LETTERS.get(title, '-')} {line.lstrip(' #')}" if goes_on else line
                found = list(re.finditer(rf"\b{LETTERS.get(title, '-')}({LIST})", carried))
                text = " ".join(one[1] for one in found)
                if book == title and not tests:
                    text += " " + BARE.sub("", carried)
                goes_on = bool(found) and carried[found[-1].end() :].strip() == ","
            own = not shared or book == title
            if tests and own and (made := re.search(r"def test_(\w+)", line)):
                text += " " + " ".join(numbers_of_name(made[1]))
            for number in sorted(numbers_in(text, pattern)):
                opens = line.lstrip().startswith('"""')
                yield Citation(number, path, row, name, opens, name in saying)


def by_clause(found: Iterable[Citation]) -> dict[str, list[Citation]]:
    """Clause number -> the lines that cite it, in order."""
    out: dict[str, list[Citation]] = {}
    for one in found:
        out.setdefault(one.clause, []).append(one)
    return out


@cache
def code_citations(title: str) -> dict[str, list[Citation]]:
    """Clause number -> the lines of the title's code, and of what it shares, that cite it."""
    files = sorted((ROOT / "engine" / "games" / title).rglob("*.py"))
    for folder in SHARED.get(title, ()):
        files += sorted((ROOT / "engine" / "games" / folder).rglob("*.py"))
    return by_clause(citations(title, files, pattern_for(list(clauses(title))), tests=False))


@cache
def test_citations(title: str) -> dict[str, list[Citation]]:
    """Clause number -> the lines of the title's rule tests that cite it."""
    files = [
        path
        for folder in (title, *SHARED.get(title, ()))
        for path in sorted((ROOT / "tests" / "rules" / folder).glob("test_*.py"))
        if folder != "chitpull"
    ]
    return by_clause(citations(title, files, pattern_for(list(clauses(title))), tests=True))
