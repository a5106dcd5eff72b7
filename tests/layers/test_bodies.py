"""Nothing reads a record's body by position but the modules that say what stands where."""

import ast
from collections.abc import Iterator

import pytest

from tests.layers.test_imports import ROOT, modules

READERS = ("protocol.log.records", "protocol.log.bodies", "protocol.tournaments")


def taken_apart(tree: ast.AST) -> Iterator[ast.Attribute]:
    """Each `….body` that is indexed, sliced, unpacked, gone through or put into a variable to be.

    Passing one on whole is fine, as to `Command.read` or to whatever seeks seals in it; and so is
    the body of an act, or of a syntax tree, which are named so.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=value) | ast.Starred(value=value):
                found = [value]
            case ast.Assign(value=value) | ast.NamedExpr(value=value) | ast.AnnAssign(value=value):
                found = value.elts if isinstance(value, ast.Tuple) else [value]
            case ast.For(iter=value) | ast.comprehension(iter=value) | ast.Match(subject=value):
                found = [value]
            case _:
                continue
        for item in found:
            if isinstance(item, ast.Attribute) and item.attr == "body":
                owner = item.value
                name = owner.attr if isinstance(owner, ast.Attribute) else ast.unparse(owner)
                if name != "act" and not name.startswith(("ast.", "tree", "node")):
                    yield item


def test_no_module_takes_a_body_apart() -> None:
    """Server, clients, auditor and benchmarks read bodies by the names of their fields."""
    wrong = [
        f"{path.relative_to(ROOT)}:{found.lineno} {ast.unparse(found)}"
        for name, path in modules("protocol", "engine", "clients", "ops.bench")
        if name not in READERS
        for found in taken_apart(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert wrong == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("seen.record.body[0]", True),
        ("record.body[1:3]", True),
        ("seat, name = record.body", True),
        ("seat, *rest = record.body", True),
        ("kind, body = record.kind, record.body", True),
        ("if body := record.body: pass", True),
        ("for item in record.body: pass", True),
        ("tuple(item for item in record.body)", True),
        ("f(*record.body)", True),
        ("Command.read(record.body).seat", False),
        ("reveal(record.body, openings)", False),
        ("decision, id, digest = entry.act.body", False),
    ],
)
def test_what_counts_as_taking_a_body_apart(code: str, found: bool) -> None:
    """The search finds each way of reading by position, and nothing else."""
    assert bool(list(taken_apart(ast.parse(code)))) is found
