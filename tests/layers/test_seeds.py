"""Every run of the tests draws the same: a new seed comes from the fixture `any_seed` alone, and so
from `--seed`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path for folder in ("tests", "engine/testing") for path in (ROOT / folder).rglob("*.py")
)

GENERATORS = ("random.Random", "numpy.random.default_rng")
"""What draws from the seed that it is given."""
UNSEEDED = ("random", "secrets", "uuid", "numpy.random")
"""Modules whose other functions draw from a seed that nobody has named."""
NEVER_THE_SAME = ("time", "datetime", "os", "builtins", *UNSEEDED)
"""What no seed is made from: clocks, the system, the environment, addresses, and hashes of text."""


def drawn_anew(source: str) -> list[str]:
    """Where a module draws what nobody can have again: each place with its line."""
    nodes = list(ast.walk(ast.parse(source)))
    named = dict(_imported(nodes))
    found: set[tuple[int, str]] = set()
    for node in nodes:
        name = _dotted(node, named)
        if _of(name, UNSEEDED) and name not in (*GENERATORS, *UNSEEDED):
            found.add((node.lineno, name))  # type: ignore[attr-defined]
        bare = isinstance(node, ast.Call) and not (node.args or node.keywords)
        if bare and _dotted(node.func, named) in GENERATORS:  # type: ignore[attr-defined]
            found.add((node.lineno, "no seed"))  # type: ignore[attr-defined]
        elif isinstance(node, ast.keyword) and node.arg == "derandomize" and _is_false(node.value):
            found.add((node.value.lineno, "derandomize"))
        for part in _seeds(node, named):
            for inner in ast.walk(part):
                if _of(_dotted(inner, named), NEVER_THE_SAME):
                    found.add((inner.lineno, "a seed from " + ast.unparse(inner)))  # type: ignore[attr-defined]
    return [f"{line}: {what}" for line, what in sorted(found)]


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _imported(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """The names that a module imports, with what each stands for."""
    yield from (("id", "builtins.id"), ("hash", "builtins.hash"))
    for node in nodes:
        if isinstance(node, ast.Import):
            for one in node.names:
                first = one.name.partition(".")[0]
                yield one.asname or first, one.name if one.asname else first
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for one in node.names:
                yield one.asname or one.name, f"{node.module}.{one.name}"


def _dotted(node: ast.AST, named: Mapping[str, str]) -> str:
    """The full name of what was imported; "" for anything else."""
    if isinstance(node, ast.Attribute):
        of = _dotted(node.value, named)
        return of and f"{of}.{node.attr}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _builtin(node.func.id, named)
    if isinstance(node, ast.Name):
        found = named.get(node.id, "")
        # A variable may be called `id`; only the call is an address.
        return "" if found.startswith("builtins.") else found
    return ""


def _builtin(name: str, named: Mapping[str, str]) -> str:
    found = named.get(name, "")
    return found if found.startswith("builtins.") else ""


def _of(name: str, modules: tuple[str, ...]) -> bool:
    return bool(name) and any(name == module or name.startswith(f"{module}.") for module in modules)


def _called(function: ast.expr) -> str:
    """The last part of a function's name."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _seeds(node: ast.AST, named: Mapping[str, str]) -> Iterator[ast.expr]:
    """What a generator is made from, or what is called a seed."""
    if isinstance(node, ast.Call):
        if _called(node.func) == "seed" or _dotted(node.func, named) in GENERATORS:
            yield from node.args
    elif isinstance(node, ast.keyword) and node.arg and "seed" in node.arg:
        yield node.value
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(isinstance(one, ast.Name) and "seed" in one.id.lower() for one in targets):
            yield node.value


def test_no_test_draws_a_new_seed() -> None:
    """Nothing in the tests draws from a seed that is not the same every run: a test that holds for
    any seed takes `any_seed`."""
    found = [
        f"{path.relative_to(ROOT)}:{place}"
        for path in FILES
        for place in drawn_anew(path.read_text(encoding="utf-8"))
    ]
    assert not found, found


@pytest.mark.parametrize(
    "source",
    (
        "import random\nn = random.randrange(9)",
        "import random\nrng = random.Random()",
        "from random import SystemRandom\nn = SystemRandom().random()",
        "from random import Random\nrng = Random(id(rng))",
        "import secrets\nkey = secrets.token_bytes(8)",
        "from uuid import uuid4\nname = uuid4().hex",
        "import time\nseed = time.time_ns()",
        "import time\nfrom random import Random\nrng = Random(int(time.time()))",
        "import os\ncalled(seed=int.from_bytes(os.urandom(8)))",
        "import os\nSEED = int(os.environ.get('SEED', '1'))",
        "import numpy as np\nn = np.random.rand()",
        "import numpy as np\nrng = np.random.default_rng()",
        "settings(derandomize=False)",
    ),
)
def test_each_way_to_a_new_seed_is_found(source: str) -> None:
    """Modules' own generators, generators without a seed, and seeds from clocks, the system or the
    environment."""
    assert drawn_anew(source), source


def test_what_a_seed_decides_may_be_drawn() -> None:
    """Generators with seeds of their own, whatever they are called."""
    source = "import random\nfor id in 'ab':\n    rng = random.Random(id)\n    seed = rng.random()"
    assert drawn_anew(source) == []
