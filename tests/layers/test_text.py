"""No verifier, and nothing that is decided again in an audit, asks Unicode about a text: tables
differ from one program to the next, and bytes do not."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.layers.reading import imports_of

ROOT = Path(__file__).resolve().parents[2]
MINI = sorted((ROOT / "tests" / "audit").glob("mini_*.py"))
DECIDES = ("protocol", "engine/kernel", "engine/board", "engine/games", "engine/tournaments")
VERIFIES = ("clients/audit", *(f"tests/audit/{one.name}" for one in MINI))
ASKS = frozenset(
    (
        *("casefold", "lower", "upper", "capitalize", "swapcase"),
        *("isprintable", "isalpha", "isalnum", "isdigit", "isdecimal", "isnumeric", "isspace"),
        *("isidentifier", "islower", "isupper", "istitle"),
        *("normalize", "is_normalized", "category", "combining"),
    )
)
"""Methods of texts, and functions of `unicodedata`."""
SPLITS = frozenset(("split", "rsplit", "strip", "lstrip", "rstrip", "splitlines"))
"""Methods that ask Unicode what a space or the end of a line is, where they are called without an
argument."""
TYPED = "protocol/texts/typed.py"
TYPED_MODULE = "warledger.protocol.texts.typed"
MAY_ASK = {
    TYPED: "what a client composes and a server refuses",
    "protocol/board/ranges.py": "digits alone, behind isascii",
    "protocol/clocks/clockcontrol.py": "times as a host types them",
    "protocol/board/findings.py": "lines of a finding, for an editor",
    "protocol/wire/jsonform.py": "docstrings",
    "protocol/lang/__init__.py": "languages as a system names them",
    "protocol/texts/plurals.py": "rules of a language's file",
    "protocol/titlepath.py": "entry points of installed packages",
    "engine/kernel/rulings.py": "options as a host types them",
    "engine/kernel/slots.py": "the names of slots, which stand in the code",
    "engine/games/chitpull/describe.py": "how a map is drawn",
    "engine/games/ocs/series/packs.py": "what is told about a pack",
    "engine/games/war_at_sea/silhouettes.py": "how a piece is drawn",
    "engine/tournaments/csvfiles.py": "files that people write",
    "engine/tournaments/trf.py": "files of another program",
    "clients/audit/case.py": "a server's key in a folder",
    "clients/audit/commands.py": "keys as an auditor types them",
}
"""Modules that may, since nothing that they ask decides what is verified, and what it is."""
MAY_REFUSE = (
    *("engine/desk", "engine/serve", "clients/link", "clients/commands", "clients/bots"),
    "engine/tournaments/csvfiles.py",
)
"""Who may use `typed`: clients before they sign, and servers before they write."""


def files(*places: str) -> list[str]:
    """The Python files in some folders, by their paths in the repository."""
    found: list[Path] = []
    for place in places:
        at = ROOT / place
        found += [at] if at.is_file() else sorted(at.rglob("*.py"))
    return [path.relative_to(ROOT).as_posix() for path in found]


def asked(text: str) -> list[str]:
    """What a file asks Unicode, as "line: what"."""
    if not any(word in text for word in (*ASKS, "unicodedata", *(f"{one}()" for one in SPLITS))):
        return []  # most files: parsing them would take most of the time
    return [
        f"{node.lineno}: {ast.unparse(node).rpartition('.')[2]}"
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Attribute) and node.attr in ASKS)
        or (
            isinstance(node, ast.Call)
            and not node.args
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in SPLITS
        )
        or (isinstance(node, ast.Import) and any(one.name == "unicodedata" for one in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "unicodedata")
    ]


def test_nothing_that_is_verified_asks_unicode() -> None:
    """No module of these folders folds case, normalises, asks a property of a character or leaves
    it to Unicode where words and lines end, except those that are listed with a reason; and each of
    those does."""
    found = {
        name: asked((ROOT / name).read_text(encoding="utf-8"))
        for name in files(*DECIDES, *VERIFIES)
    }
    assert {name: what for name, what in found.items() if what and name not in MAY_ASK} == {}
    assert [name for name in MAY_ASK if not found[name]] == []


def test_the_table_of_what_people_write_is_for_those_who_write() -> None:
    """Nothing that is decided again imports it."""
    wrong = [
        name
        for name in files("protocol", "engine", "clients")
        if not name.startswith(MAY_REFUSE)
        and any(TYPED_MODULE in (one.module, *one.targets) for one in imports_of(ROOT / name))
    ]
    assert wrong == []


PAGE = (
    "records/canon",
    "records/chain",
    "audit/acting",
    "records/acts",
    "audit/docket",
    "audit/drawing",
    "audit/clock",
    "audit/unsealing",
    "audit/seals",
    "audit/checks",
)


@pytest.mark.parametrize("module", PAGE)
def test_the_page_does_not_ask_either(module: str) -> None:
    """The modules with which the page verifies."""
    text = (ROOT / "clients" / "web" / f"{module}.js").read_text(encoding="utf-8")
    assert re.findall(r"\.normalize\(|toLowerCase|toUpperCase|localeCompare|\\p\{", text) == []
