"""A folder imports only what stands to its left; the pure core imports nothing that could make two
machines differ."""

import ast
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.layers.reading import imports_of
from warledger.engine.games import NAMES

ROOT = Path(__file__).resolve().parents[2]

ORDER = (
    "protocol",
    "engine.kernel",
    "engine.board",
    "engine.games",
    "engine.tournaments",
    "engine.nats",
    "engine.store",
    "engine.runtime",
    "engine.desk",
    "engine.serve",
)
"""Each may import those before it; `warledger.engine.store` only `protocol` and `engine.nats`,
which imports nothing of ours, and which nothing but the store may import."""

PURE = ("protocol", "engine.kernel", "engine.board", "engine.games", "engine.tournaments")
"""The pure core: values in, values out."""

CLIENTS_MAY = ("protocol", "clients")
EXCEPTIONS: dict[str, tuple[str, ...]] = {
    # The auditor decides again by the rules themselves, and says whether the rules are those that
    # wrote the file.
    "clients.audit.parts": ("engine.kernel", "engine.archive"),
    "clients.audit.redecide": ("engine.kernel", "engine.archive"),
    # What a seat was offered at a disputed record is asked of the rules themselves, too.
    "clients.audit.offers": ("engine.kernel",),
    "clients.audit.audit": ("engine.registry", "engine.packfiles", "engine.archive"),
    "clients.audit.commands": ("engine.archive",),
    "clients.audit.tournamentgames": ("engine.tournaments",),
    "clients.audit.tournamentreplay": ("engine.tournaments", "engine.desk", "engine.packfiles"),
    # What a client draws is told by the title's rules where they are installed.
    "clients.describing": ("engine.registry",),
    # Self-play in process: the same bots against the kernel, without a server.
    "clients.bots.selfplay": (
        "engine.kernel",
        "engine.registry",
        "engine.packfiles",
    ),
    # A game played on from one of its records, in process too.
    "clients.bots.branch": ("engine.kernel",),
    "clients.bots.analyst": ("engine.registry",),
    "clients.bots.whatif": ("engine.kernel",),
    "clients.bots.research": ("engine.kernel",),
    # The server's own tools on the command line.
    "clients.cli": ("engine",),
    "clients.commands": ("engine",),
}
"""What stands outside the order, and why."""

SIDE_FILES = {
    # Every title that can be played here, also those that do not come with Warledger.
    "engine.registry": ("protocol", "engine.kernel", "engine.board", "engine.games"),
    # Looks at TOML of people before a parser does.
    "engine.boundedtoml": (),
    # Reads packs for whoever makes a game, and the sources of rules for their digest.
    "engine.packfiles": ("protocol", "engine.boundedtoml", "engine.registry"),
    # Checks a host's pack: reads the files it is given, asks their family, tries them.
    "engine.packcheck": (
        "protocol",
        "engine.kernel",
        "engine.board",
        "engine.games",
        "engine.registry",
        "engine.packfiles",
        "engine.packkeys",
    ),
    # Compares the keys of a host's pack with those of the title's own.
    "engine.packkeys": ("protocol", "engine.board"),
    # Releases that are kept: their processes, and the ledgers of games that these play.
    "engine.archive": (
        "protocol",
        "engine.kernel",
        "engine.games",
        "engine.registry",
        "engine.packfiles",
    ),
    # The small title that authors start from: what a title may import.
    "engine.testing.skirmish": ("protocol", "engine.kernel", "engine.board"),
    # Rigs, laws and fakes for tests: nothing that runs a game for people may import them.
    "engine.testing": (
        "protocol",
        "engine.kernel",
        "engine.store",
    ),
}

READERS = (
    "engine.boundedtoml",
    "engine.registry",
    "engine.packfiles",
    "engine.packcheck",
    "engine.packkeys",
    "engine.archive",
)
"""The side files that whoever runs games may import."""

FORBIDDEN = (
    "trio",
    "random",
    "time",
    "os",
    "socket",
    "io",
    "datetime",
    "secrets",
    "pathlib",
    "threading",
    "asyncio",
    "subprocess",
    "tempfile",
    "select",
    "ssl",
)
"""What no module of the pure core may import itself."""

READS_FILES = ("protocol.lang", "protocol.texts.languagepath", "protocol.titlepath")
"""What of `protocol` reads files: the catalogues' loader, and what finds other people's titles and
languages."""


def modules(*folders: str) -> Iterator[tuple[str, Path]]:
    """Every module under these packages, with its file."""
    for folder in folders:
        for path in sorted((ROOT / folder.replace(".", "/")).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            yield name.removesuffix(".__init__"), path


def imported(path: Path) -> Iterator[tuple[str, int]]:
    """The modules that a file imports, with line numbers; also those inside functions, but not
    those for type checkers alone."""
    for one in imports_of(path):
        if not one.for_types:
            for target in one.targets:
                yield target.removeprefix("warledger."), one.line


def inside(name: str, folders: tuple[str, ...]) -> bool:
    """Whether a module stands in one of these packages."""
    return any(name == folder or name.startswith(folder + ".") for folder in folders)


def layer_of(name: str) -> str | None:
    """The layer a module belongs to."""
    return next((layer for layer in ORDER if inside(name, (layer,))), None)


def allowed_for(name: str) -> tuple[str, ...] | None:
    """The packages of ours that a module may import; None for a module that no rule speaks of."""
    for special, folders in SIDE_FILES.items():
        if inside(name, (special,)):
            return (*folders, special)
    if inside(name, ("clients",)):
        extra = tuple(
            folder
            for prefix, folders in EXCEPTIONS.items()
            if inside(name, (prefix,))
            for folder in folders
        )
        return (*CLIENTS_MAY, *extra)
    layer = layer_of(name)
    if layer is None:
        return None
    if layer == "engine.nats":
        return ("engine.nats",)
    if layer == "engine.store":
        return ("protocol", "engine.nats", "engine.store")
    allowed = tuple(one for one in ORDER[: ORDER.index(layer) + 1] if one != "engine.nats")
    above_rules = ORDER.index(layer) >= ORDER.index("engine.runtime")
    return (*allowed, *READERS) if above_rules else allowed


def test_every_folder_imports_only_what_stands_to_its_left() -> None:
    """The order of the layers holds, with the exceptions that are stated."""
    wrong = []
    for name, path in modules("protocol", "engine", "clients"):
        allowed = allowed_for(name)
        if allowed is None:
            assert name == "engine", f"{name} belongs to no layer: name it in the order"
            continue
        for target, line in imported(path):
            if target.split(".")[0] in (
                "protocol",
                "engine",
                "clients",
                "tests",
                "ops",
            ) and not inside(target, allowed):
                # `from engine import games` names engine.games; `from engine.x import Name` names
                # engine.x.Name.
                wrong.append(f"{name}:{line} imports {target}")

    assert wrong == []


def test_everything_is_imported_by_its_installed_name() -> None:
    """Nothing imports `engine`, `protocol` or `clients` by those names, which may be anybody's."""
    wrong = []
    folders = ("protocol", "engine", "clients", "tests", "ops", "warledger")
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        wrong += [
            f"{path.relative_to(ROOT)}:{one.line}"
            for one in imports_of(path)
            if one.module.split(".")[0] in ("engine", "protocol", "clients")
        ]

    assert wrong == []


def test_a_folder_of_the_same_name_in_the_current_directory_is_not_taken(tmp_path: Path) -> None:
    """`python -m warledger...` from a directory that holds folders `engine`, `protocol` and
    `clients` runs Warledger, not what lies there."""
    for name in ("engine", "protocol", "clients"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text("raise SystemExit('the wrong one')")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for module in ("warledger.engine.serve.http.symbols", "warledger"):
        done = subprocess.run(
            [sys.executable, "-m", module, "--help"],
            cwd=tmp_path,
            env=environment,
            input="",
            capture_output=True,
            text=True,
            check=False,
        )
        assert "the wrong one" not in done.stdout + done.stderr
        assert done.returncode == 0 or module != "warledger", done.stderr


def test_the_page_is_found_from_any_directory(tmp_path: Path) -> None:
    """A server finds the page's files wherever it is started, also beside a folder `clients` that
    is somebody else's."""
    (tmp_path / "clients" / "web").mkdir(parents=True)
    (tmp_path / "clients" / "__init__.py").write_text("raise SystemExit('the wrong one')")
    (tmp_path / "clients" / "web" / "index.html").write_text("the wrong one")
    script = "from warledger.engine.serve.http.pagefiles import Files; print(len(Files()))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0 and int(done.stdout) > 20, done.stdout + done.stderr


def test_one_title_does_not_import_another() -> None:
    """Titles share through engine.board, or a folder of their own that is no title."""
    shared = ("engine.games.chitpull", "engine.games.ocs")
    wrong = []
    for name, path in modules("engine.games"):
        own = ".".join(name.split(".")[:3])
        for target, line in imported(path):
            if (
                inside(target, ("engine.games",))
                and own != "engine.games"
                and not inside(target, (own, *shared))
            ):
                wrong.append(f"{name}:{line} imports {target}")

    assert wrong == []


def test_the_pure_core_names_nothing_impure() -> None:
    """No module of the pure core imports a clock, randomness, files, sockets, threads or trio."""
    wrong = [
        f"{name}:{line} imports {target}"
        for name, path in modules(*PURE)
        for target, line in imported(path)
        if target.split(".")[0] in FORBIDDEN and name not in READS_FILES
    ]

    assert wrong == []


BLOCK = """
import sys
# What the libraries of the core load for themselves is loaded first; then nothing of this may be
# loaded by the core.
import attrs, msgpack, hashlib, hmac, unicodedata, re, struct, zlib, tomllib, functools, operator
import collections.abc, typing, bisect, heapq, array, itertools, math, enum, fractions
import importlib.resources
from nacl.signing import SigningKey
import click, rich.console, rich.text
class Gate:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in BLOCKED:
            raise ImportError(f"the pure core imports {name}")
        return None
BLOCKED = {"trio", "random", "socket", "ssl", "asyncio", "structlog", "secrets", "tempfile"}
BLOCKED.add("subprocess")
for name in list(sys.modules):
    if name.split(".")[0] in BLOCKED:
        del sys.modules[name]
sys.meta_path.insert(0, Gate())
import importlib
for name in NAMES:
    importlib.import_module(f"warledger.{name}")
"""


def test_the_pure_core_imports_with_the_impure_blocked() -> None:
    """Every module of the pure core imports in a fresh interpreter in which trio, random, socket
    and the like cannot be."""
    games = (
        *(f"engine.games.{title}" for title in NAMES),
        "engine.games.chitpull",
        "engine.games.ocs",
        "engine.games.hungarian_rhapsody",
    )
    names = [name for name, _ in modules("protocol", "engine.kernel", "engine.board", *games)]
    done = subprocess.run(
        [sys.executable, "-c", f"NAMES = {names!r}\n{BLOCK}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]


SET_CALLS = ("set", "frozenset")


def sources() -> list[tuple[str, Path]]:
    """The pure core's files."""
    return list(modules(*PURE))


@pytest.mark.parametrize(
    ("name", "path"), [pytest.param(name, path, id=name) for name, path in sources()]
)
def test_no_floats_no_hash_no_set_order(name: str, path: Path) -> None:
    """The pure core has no float literal, no true division (but of fractions and decimals), no
    float(), no hash(), no id(), and walks over no set."""
    wrong = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    sets = set_names(tree)
    exact = any(target in ("fractions.Fraction", "decimal.Decimal") for target, _ in imported(path))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            wrong.append((node.lineno, "a float"))
        elif (
            isinstance(node, ast.BinOp | ast.AugAssign)
            and isinstance(node.op, ast.Div)
            and not exact
        ):
            wrong.append((node.lineno, "true division"))
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("float", "hash", "id")
        ):
            wrong.append((node.lineno, f"{node.func.id}()"))
        elif isinstance(node, ast.For | ast.comprehension) and is_set(node.iter, sets):
            line = node.lineno if isinstance(node, ast.For) else node.iter.lineno
            if not (isinstance(node, ast.comprehension) and order_does_not_matter(tree, node)):
                wrong.append((line, f"walks over a set: {ast.unparse(node.iter)}"))
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("tuple", "list", "iter", "next")
        ):
            wrong.extend(
                (node.lineno, f"an order made of a set: {ast.unparse(node)}")
                for arg in node.args
                if is_set(arg, sets)
            )

    assert [f"{name}:{line} {what}" for line, what in wrong] == []


def set_names(tree: ast.AST) -> frozenset[str]:
    """Names that are given a set somewhere in the file, or are annotated as one."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and is_set(node.value, frozenset()):
            found.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            text = ast.unparse(node.annotation)
            if text.split("[")[0] in ("set", "frozenset", "Set", "AbstractSet"):
                target = node.target if isinstance(node, ast.AnnAssign) else node
                if isinstance(target, ast.Name):
                    found.add(target.id)
                elif isinstance(target, ast.arg):
                    found.add(target.arg)
    return frozenset(found)


def is_set(node: ast.AST, names: frozenset[str]) -> bool:
    """Whether an expression is plainly a set: a display, a comprehension, a call, set algebra of
    these, or a name that holds one."""
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in SET_CALLS
    if isinstance(node, ast.BinOp) and isinstance(
        node.op, ast.BitAnd | ast.BitOr | ast.Sub | ast.BitXor
    ):
        return is_set(node.left, names) or is_set(node.right, names)
    return isinstance(node, ast.Name) and node.id in names


def order_does_not_matter(tree: ast.AST, generator: ast.comprehension) -> bool:
    """Whether a comprehension over a set ends in something that has no order itself: a set, sorted,
    sum, any, all, min, max, len."""
    for node in ast.walk(tree):
        if isinstance(node, ast.SetComp) and generator in node.generators:
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for arg in node.args:
                if (
                    isinstance(arg, ast.GeneratorExp | ast.ListComp | ast.SetComp)
                    and generator in arg.generators
                ):
                    return node.func.id in (
                        "sorted",
                        "sum",
                        "any",
                        "all",
                        "min",
                        "max",
                        "len",
                        *SET_CALLS,
                    )
    return False


def test_what_the_benches_import_is_there() -> None:
    """No check of types reads `ops`, and no test runs a bench whole: a name that has moved would
    show when somebody measures."""
    lost = []
    for path in sorted((ROOT / "ops").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                ("warledger.", "tests.")
            ):
                source = importlib.import_module(str(node.module))
                for one in node.names:
                    if not hasattr(source, one.name):
                        try:
                            importlib.import_module(f"{node.module}.{one.name}")
                        except ModuleNotFoundError:
                            lost.append(f"{path.relative_to(ROOT)}: {node.module}.{one.name}")
    assert lost == []
