"""What the sources say about phrases: which keys they name and with which arguments. Read from the
syntax, nothing is run."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from attrs import define, field

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine", "clients", "protocol")

CALLS = frozenset(
    {"say", "tell", "refuse", "phase", "opening", "text", "failed", "Say", "Refusal", "own"}
)
"""Functions that take a key and its arguments."""

SLOT_CALLS = frozenset({"offer", "Choices", "EachBy"})
"""Functions that take a slot's name."""


@define
class Use:
    """One place where a key is given its arguments; None where they cannot be read from the
    source."""

    where: str
    key: str
    arguments: frozenset[str] | None


@define
class Found:
    """What a set of sources names."""

    literals: dict[str, str] = field(factory=dict)
    patterns: list[re.Pattern[str]] = field(factory=list)
    uses: list[Use] = field(factory=list)
    slots: dict[str, str] = field(factory=dict)


def files(packages: tuple[str, ...] = PACKAGES) -> Iterator[Path]:
    """Every Python source of the product."""
    for package in packages:
        yield from sorted((ROOT / package).rglob("*.py"))


def scan(paths: Iterator[Path]) -> Found:
    """Read all sources."""
    found = Found()
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        _scan(tree, str(path.relative_to(ROOT)), found)
    return found


def _scan(tree: ast.AST, file: str, found: Found) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            _calls(node, file, found)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.literals.setdefault(node.value, f"{file}:{node.lineno}")
        elif isinstance(node, ast.JoinedStr):
            parts = [
                re.escape(part.value) if isinstance(part, ast.Constant) else "[a-z0-9_]+"
                for part in node.values
            ]
            first = node.values[0]
            if isinstance(first, ast.Constant) and len(first.value) > 3:
                found.patterns.append(re.compile("".join(parts)))


def _calls(scope: ast.AST, file: str, found: Found) -> None:
    """The calls of one function (or of the module outside functions), with the names that hold keys
    in it."""
    inside = list(_own_nodes(scope))
    held: dict[str, list[str]] = {}
    for node in inside:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    held.setdefault(target.id, []).extend(_texts(node.value, {}))
    for node in inside:
        if not isinstance(node, ast.Call):
            continue
        name = (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else node.func.id
            if isinstance(node.func, ast.Name)
            else ""
        )
        where = f"{file}:{node.lineno}"
        if name in SLOT_CALLS and len(node.args) > (1 if name == "EachBy" else 0):
            for slot in _texts(node.args[1 if name == "EachBy" else 0], held):
                found.slots.setdefault(slot, where)
        if name not in CALLS:
            continue
        place = 1 if name in ("opening", "Refusal", "own") else 0
        if name == "refuse":
            place = 1
        if len(node.args) <= place:
            continue
        for key in _texts(node.args[place], held):
            found.uses.append(Use(where, key, _arguments(node, name, place)))


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        yield child
        yield from _own_nodes(child)


def _texts(node: ast.AST, held: dict[str, list[str]]) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body, held), *_texts(node.orelse, held)]
    if isinstance(node, ast.Name):
        return held.get(node.id, [])
    return []


def _arguments(node: ast.Call, name: str, place: int) -> frozenset[str] | None:
    if name in ("Say", "Refusal"):
        given = node.args[place + 1] if len(node.args) > place + 1 else None
        if given is None:
            return (
                None
                if any(keyword.arg in (None, "args") for keyword in node.keywords)
                else frozenset()
            )
        if not isinstance(given, ast.Tuple):
            return None
        names = []
        for pair in given.elts:
            if not (
                isinstance(pair, ast.Tuple) and pair.elts and isinstance(pair.elts[0], ast.Constant)
            ):
                return None
            names.append(str(pair.elts[0].value))
        return frozenset(names)
    if any(keyword.arg is None for keyword in node.keywords):
        return None
    return frozenset(keyword.arg for keyword in node.keywords if keyword.arg is not None)
