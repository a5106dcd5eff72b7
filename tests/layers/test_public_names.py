"""`import warledger` offers the public names, the same to a program and to a type checker, and
loads none of them before it is used."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import warledger

ROOT = Path(__file__).resolve().parents[2]


def test_every_public_name_is_there_and_has_a_docstring() -> None:
    """Each name of `__all__` can be had, and every class and function among them says what it
    is."""
    for name in warledger.__all__:
        value = getattr(warledger, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, name


def test_a_type_checker_is_told_the_same() -> None:
    """The imports for type checkers, the table by which names are loaded and `__all__` agree."""
    tree = ast.parse((ROOT / "warledger" / "__init__.py").read_text(encoding="utf-8"))
    told = {
        item.name: (node.module or "").removeprefix("warledger.")
        for checked in tree.body
        if isinstance(checked, ast.If)
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for item in node.names
    }

    assert told == warledger._WHERE
    assert ["__version__", *warledger._WHERE] == warledger.__all__


def test_importing_the_package_loads_nothing_else() -> None:
    """`import warledger` imports no other module of ours and no library."""
    script = (
        "import sys, warledger\n"
        "print(sorted(name for name in sys.modules if name.startswith('warledger.')), 'trio' in "
        "sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["[]", "False"]


def test_a_name_that_is_not_public_is_refused() -> None:
    """An unknown name is an AttributeError that says which module lacks it."""
    try:
        warledger.no_such_name  # noqa: B018
    except AttributeError as error:
        assert "warledger" in str(error) and "no_such_name" in str(error)
    else:
        raise AssertionError("a name that is not there was found")


def test_evolve_has_one_meaning() -> None:
    """It is the fold of an event: a changed copy of a record is made under another name."""
    wrong = []
    for folder in ("protocol", "engine", "clients", "ops", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if path.name != "test_public_names.py" and re.search(
                r"from attrs import (?!.*evolve as ).*\bevolve\b|(?<!`)\battrs?\.evolve\(", text
            ):
                wrong.append(path.relative_to(ROOT).as_posix())
    assert wrong == []
