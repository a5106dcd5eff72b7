"""A rule function says which clause it carries out, first of all.

What a rule function is can be told from the code: in a chapter's module (not in one that holds a
position, reads the pack, draws or tells) every step of the sequence of play, every public function
that refuses, offers or declares commands, and every public function that is given the position and
decides something of it: it compares, filters or goes one way or another. A function that only
looks something up decides nothing. A few that find counters on the table, by what no clause says,
stand in FINDERS.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.laws.sources import ROOT

GAMES = ROOT / "engine" / "games"
FOLDERS = tuple(sorted(path.name for path in GAMES.iterdir() if (path / "__init__.py").is_file()))

LETTERS = {"ocs": "OCS|HR", "hungarian_rhapsody": "OCS|HR", "chitpull": "VL|TY"}
"""How a citation begins in folders where several rule books are cited."""

NO_CHAPTERS = {
    "state", "states", "field", "data", "pack",  # what a position and a pack are
    "assembly", "payment_words", "rules",  # how chapters are put together, a payment in words
    "draw", "picture", "views", "veils", "sentences", "describe",  # what is drawn and told
    "checks", "corrections",  # what is checked afterwards, what an arbiter sets right
}  # fmt: skip

FINDERS = {
    "ocs/air_combat.own", "ocs/aircraft.of_side", "ocs/arrivals.within", "ocs/arrivals.side_of",
    "ocs/losses.alive", "ocs/missions.place_at", "ocs/retreat.alive_or_transport",
    "ocs/result_losses.fighting", "ocs/result_losses.side_of",
    "chitpull/moves.together",
    "victory_lost/command.contents", "victory_lost/command.on_map",
    "victory_lost/headquarters.awaiting_reset",
    "victory_lost/reach.mover_of", "victory_lost/reach.mover_from",
    "typhoon/activation.on_map",
    "war_at_sea/volley.odds",
}  # fmt: skip
"""Functions that find things, or tell chances, where no clause says how."""

POSITION = re.compile(r"\b(State|S|Table|Position|MapState|Fighting)\b")
ANSWER = re.compile(r"\b(Refusal|Choices|Commands?)\b")
DECIDES = (ast.Compare, ast.BoolOp, ast.IfExp, ast.If, ast.For, ast.While)


def is_cited(docstring: str, folder: str) -> bool:
    """Whether a docstring begins with a clause or a ruling."""
    letters = LETTERS.get(folder)
    begin = rf"(?:{letters}) " if letters else ""
    return bool(re.match(rf"{begin}(?:R-?)?\d", docstring))


def decides(function: ast.FunctionDef) -> bool:
    """Whether the body does more than to look something up."""
    body = [one for one in function.body if not isinstance(one, ast.Assert)]
    return any(
        isinstance(node, DECIDES)
        or (isinstance(node, ast.comprehension) and bool(node.ifs))
        or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
        for one in body
        for node in ast.walk(one)
    )


def is_rule(function: ast.FunctionDef) -> bool:
    """Whether a public function is one by which a rule book is carried out."""
    answer = ast.unparse(function.returns) if function.returns else ""
    if ANSWER.search(answer):
        return True
    arguments = [*function.args.args, *function.args.kwonlyargs]
    given = " ".join(ast.unparse(one.annotation) for one in arguments if one.annotation)
    return bool(POSITION.search(given)) and decides(function)


def rules_in(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """The rule functions and the steps of a chapter's module."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            of = [] if isinstance(node, ast.FunctionDef) else map(ast.unparse, node.bases)
            if re.search(r"\b(Step|Asking)\b", " ".join(of)) or (
                isinstance(node, ast.FunctionDef) and is_rule(node)
            ):
                yield node


def chapters(folder: str) -> Iterator[Path]:
    """The modules of a folder that hold rules."""
    for path in sorted((GAMES / folder).rglob("*.py")):
        if path.stem not in NO_CHAPTERS and not path.stem.startswith("story_"):
            yield path


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_docstring_of_a_rule_function_begins_with_its_clause(folder: str) -> None:
    """In every title, and in what titles share."""
    found, bare = 0, []
    for path in chapters(folder):
        for node in rules_in(ast.parse(path.read_text(encoding="utf-8"))):
            name = f"{folder}/{path.stem}.{node.name}"
            cited = is_cited(ast.get_docstring(node) or "", folder)
            found += 1
            if name in FINDERS:
                assert not cited, f"{name} cites a clause: take it off the list"
            elif not cited:
                bare.append(f"{name}:{node.lineno}")
    assert bare == []
    assert found > 10, "the criterion finds no rule functions any more"


def test_the_finders_are_there() -> None:
    """A name on the list is that of a rule function by every other sign."""
    names = {
        f"{folder}/{path.stem}.{node.name}"
        for folder in FOLDERS
        for path in chapters(folder)
        for node in rules_in(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert names >= FINDERS


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("def may(state: State, name: str) -> bool:\n    return state.units[name].at >= 0", True),
        ("def why_not(name: str) -> Refusal | None:\n    return None", True),
        ("def commands() -> Commands[State]:\n    return ()", True),
        ("class Moving(Asking[State]):\n    pass", True),
        ("def hex_of(state: State, name: str) -> int:\n    return state.units[name].at", False),
        ("def half(n: int) -> int:\n    return n // 2 if n else 0", False),
        ("def _may(state: State, name: str) -> bool:\n    return not name", False),
    ],
)
def test_what_a_rule_function_is(source: str, rule: bool) -> None:
    """By what it answers, or by what it is given and decides."""
    assert bool(list(rules_in(ast.parse(source)))) is rule
