"""A docstring is easy to read, and can be read alone."""

import ast
import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HELD = ("protocol", "engine", "clients", "ops")
"""Folders whose docstrings are held to this."""
MOST_WORDS = 25
"""A sentence may have this many words."""

QUOTED = re.compile(
    r"\"'\"\"\"'\"|'\"\"\"'|(^[ \t]*)?r?\"\"\"(.*?)\"\"\"", re.MULTILINE | re.DOTALL
)
"""A text between triple quotes, which may be a docstring if it begins its line."""
CITED = r"(?:(?:[A-Z]{2,3} )?R?-?\d\S* )*"
"""The clauses with which the docstring of a rule, or a sentence of it, begins."""
LEANS = re.compile(rf"{CITED}(The same|As|Like|Ditto|See above|Also)\b")
CODE = re.compile(r"``.*?``|`[^`]*`", re.DOTALL)
ITEM = re.compile(r"\s{0,3}([-*] |\d+[.)] |\S+(, \S+)*  )\s*")
"""How an item of a list begins: with a mark, a number, or terms and two spaces."""
END = re.compile(r"[.!?:][\"'”’)\]]*\s+")


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """The line and text of each string that is a statement: under a module, a class, a function, or
    the value that it explains."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            text = node.value.value
            if isinstance(text, str):
                yield node.lineno, cleandoc(text)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a docstring. A sentence ends at one of `.!?:` before a space, at an item of
    a list and at a blank line. Code in backquotes is one word; indented code and tables are none.
    """
    blocks = [""]
    for line in CODE.sub("`code`", text).splitlines():
        item = ITEM.match(line)
        if not line.strip() or line.startswith(("    ", "|", ">>>")):
            blocks.append("")
        elif item:
            blocks.append(line[item.end() :])
        else:
            blocks[-1] += f" {line.strip()}"
    for block in blocks:
        yield from END.split(f"{block.strip()} ")


def words(sentence: str) -> int:
    """How many words a sentence has after its clauses. A number or a dash is none."""
    said = re.sub(rf"^{CITED}", "", sentence)
    return sum(any(map(str.isalpha, one)) for one in said.split())


def faults(text: str) -> list[str]:
    """What is wrong with a docstring."""
    found = []
    if len(text.split()) > MOST_WORDS:
        found = [
            f"{count} words: {sentence[:60]} …"
            for sentence in sentences(text)
            if (count := words(sentence)) > MOST_WORDS
        ]
    if LEANS.match(text):
        found.append(f"leans on a neighbour: {text[:60]} …")
    return found


def faults_in(source: str) -> list[str]:
    """What is wrong with the docstrings of a file, as "line: what".

    Few files are parsed: only those where a text at the beginning of a line looks wrong.
    """
    texts = (match[2] for match in QUOTED.finditer(source) if match[1] is not None)
    if not any(faults(cleandoc(text)) for text in texts):
        return []
    return [f"{line}: {fault}" for line, text in docstrings(source) for fault in faults(text)]


@pytest.mark.parametrize("folder", HELD)
def test_a_docstring_has_short_sentences_and_stands_alone(folder: str) -> None:
    """No sentence is longer than 25 words, and none begins with what another docstring says."""
    found = [
        f"{path.relative_to(ROOT)}:{fault}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for fault in faults_in(path.read_text(encoding="utf-8"))
    ]
    assert found == []


LONG = "word " * MOST_WORDS


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"{LONG}end.", True),
        (f"{LONG}.", False),
        (f"Some, then; {LONG}", True),
        (f"It is so: {LONG}", False),
        (f"It is so.\n{LONG}\n\nAnd so on.", False),
        (f"`{LONG}` is one word.", False),
        (f"It is so\n\n    {LONG}\n    {LONG}", False),
        (f"name  {LONG}\nother  {LONG}", False),
        (f"- {LONG}\n- {LONG}\n  more", True),
        (f"3.2(1), R-07 {LONG}", False),
        ("The same for a game.", True),
        ("3.2(1) As `x`, for a game.", True),
        ("Asks somebody.", False),
    ],
)
def test_what_is_wrong_with_a_docstring(text: str, wrong: bool) -> None:
    """A semicolon ends no sentence; code, the terms of a list and clauses are not counted."""
    assert bool(faults(text)) is wrong


def test_the_docstrings_of_values_and_functions_are_found() -> None:
    """A text at the beginning of a line is not a docstring if it is an argument."""
    text = f'"""{LONG}end."""'
    assert (
        len(faults_in(f"A = 1\n{text}\n\ndef f():\n    {text}\n    g(\n        {text}\n    )")) == 2
    )
