"""What our Python files import: each is read once for all tests that ask."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Imported(NamedTuple):
    """An `import` or `from … import`, wherever it stands in a file."""

    line: int
    module: str
    """The module that is named, in full; of `from a import b` it is `a`."""
    names: tuple[str, ...]
    """What of it; empty after a mere `import`."""
    for_types: bool
    """Whether it is for type checkers alone."""

    @property
    def targets(self) -> tuple[str, ...]:
        """What may be a module: the module itself, or each name in it."""
        return tuple(f"{self.module}.{name}" for name in self.names) or (self.module,)


@cache
def imports_of(path: Path) -> tuple[Imported, ...]:
    """The imports of a file, but for relative ones."""
    found: list[Imported] = []
    pending: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), False)]
    while pending:
        node, for_types = pending.pop()
        if isinstance(node, ast.Import):
            found += [Imported(node.lineno, item.name, (), for_types) for item in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.module and node.level == 0:
                names = tuple(item.name for item in node.names)
                found.append(Imported(node.lineno, node.module, names, for_types))
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case | ast.Module):
            if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
                for_types = True
            # Only statements hold statements.
            pending += [
                (inner, for_types)
                for inner in ast.iter_child_nodes(node)
                if not isinstance(inner, ast.expr)
            ]
    return tuple(sorted(found))
