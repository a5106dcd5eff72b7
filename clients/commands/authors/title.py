"""`warledger title`: creating a new title and checking one.

`new` writes a copy of the small title in `engine/testing/skirmish` under another name. `check`
tries a title's pack, and the laws that hold for every title.
"""

import ast
import keyword
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from warledger.clients.audit.verdict import ALLOW_NO_HEAD, SO_FAR
from warledger.clients.terminal.screen import Screen
from warledger.protocol.lang import phrases

PATTERN = "skirmish"
PATTERN_PACKAGE = f"warledger.engine.testing.{PATTERN}"


def new(screen: Screen, name: str, folder: Path) -> int:
    """Write a title's project into a folder of its name."""
    _check_name(name)
    project = folder / name
    if project.exists():
        raise click.UsageError(f"{project} is there already; choose another name or --in")
    testing = files("warledger.engine.testing")
    try:
        for place, text in _project(testing, name):
            file = project / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        screen.say("cli.failed", what=str(error))
        return 1
    screen.say("cli.title_made", title=name, folder=str(project.resolve()))
    return 0


def _check_name(name: str) -> None:
    from warledger.engine import registry

    if not re.fullmatch(r"[a-z][a-z0-9_]{1,39}", name) or keyword.iskeyword(name):
        raise click.UsageError(
            f"{name!r} cannot name a title; use small letters, digits and _, as in hill_112"
        )
    if name in registry.names():
        raise click.UsageError(f"there is a title {name} already; choose another name")
    if name == "tests" or find_spec(name) is not None:
        raise click.UsageError(f"Python has a package {name} already; choose another name")


def _project(testing: Traversable, name: str) -> Iterator[tuple[str, str]]:
    """The files of a project, with the pattern's name replaced."""
    skeleton = testing.joinpath("skeleton")
    for item in skeleton.iterdir():
        if item.name.endswith(".txt"):
            place = item.name.removesuffix(".txt")
            place = f"tests/{place}" if place.endswith(".py") else place
            yield place, _written(item, place, name)
    for place, item in _files(testing.joinpath(PATTERN)):
        yield f"{name}/{place}", _written(item, place, name)


def _files(folder: Traversable, place: str = "") -> Iterator[tuple[str, Traversable]]:
    for item in folder.iterdir():
        if item.is_dir():
            if item.name != "__pycache__":
                yield from _files(item, f"{place}{item.name}/")
        else:
            yield f"{place}{item.name}", item


def _written(item: Traversable, place: str, name: str) -> str:
    text = _named(item.read_text(encoding="utf-8"), name)
    return _in_sections(text, name) if place.endswith(".py") else text


def _in_sections(text: str, name: str) -> str:
    """A module with its imports as ruff asks for them in a project of its own: the standard
    library, other packages (Warledger is one of them now), the project itself."""
    found = [one for one in ast.parse(text).body if isinstance(one, ast.Import | ast.ImportFrom)]
    if not found:
        return text
    lines = text.splitlines(keepends=True)
    sections: tuple[list[str], list[str], list[str]] = ([], [], [])
    for one in found:
        module = one.names[0].name if isinstance(one, ast.Import) else one.module or ""
        package = module.partition(".")[0]
        which = 2 if package == name else 0 if package in sys.stdlib_module_names else 1
        sections[which].extend(lines[one.lineno - 1 : one.end_lineno])
    first, end = found[0].lineno - 1, found[-1].end_lineno
    imports = "\n".join("".join(section) for section in sections if section)
    return "".join([*lines[:first], imports, *lines[end:]])


def _named(text: str, name: str) -> str:
    words = name.replace("_", " ")
    return (
        text.replace(PATTERN_PACKAGE, name)
        .replace(PATTERN, name)
        .replace(PATTERN.title(), words[0].upper() + words[1:])
    )


# --- the judgement --------------------------------------------------------------------------------


def check(screen: Screen, title: str, *, games: int) -> int:
    """Check what must hold for every title: its pack is sound, and each law holds under each of its
    options."""
    from warledger.clients.commands.server.servercommands import rules_of
    from warledger.engine import packcheck, packfiles, registry
    from warledger.engine.testing.catalogues import lacking

    rules = rules_of(title)
    try:
        pack = packfiles.read_pack(title)
    except packfiles.UnusablePack as error:
        screen.say("cli.pack_unreadable", what=str(error))
        return 1
    checked = packcheck.check(pack, title)
    for finding in checked.findings:
        screen.write(finding.text)
    if checked.errors:
        screen.say("cli.pack_bad", n=checked.errors)
        return 1
    alternatives = _alternatives(registry.package_of(title))
    if alternatives is None:
        screen.say("cli.title_without_hidden", title=title)
    for language, keys in lacking(title).items():
        screen.say("cli.title_in_english", language=language, n=len(keys), keys=", ".join(keys))
    broken = 0
    for law, judge in _laws(rules, pack, alternatives, games):
        try:
            judge()
        except Exception as error:
            broken += 1
            screen.say("cli.law_broken", law=law, what=_what(error))
        else:
            screen.say("cli.law_kept", law=law)
    if broken:
        screen.say("cli.title_bad", title=title, n=broken)
    else:
        screen.say("cli.title_good", title=title)
    return 1 if broken else 0


def _laws(
    rules: Any, pack: Any, alternatives: Any, games: int
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Each law, over the title as it is and under every other value of each option."""
    from warledger.clients.audit.audit import Rulebook, audit
    from warledger.engine.kernel.rulings import offered
    from warledger.engine.testing.catalogues import catalogues_agree
    from warledger.engine.testing.laws import LAWS, Case

    cases = [Case(rules, pack, alternatives, seeds=games)]
    cases += [
        Case(rules, pack, alternatives, options={switch.name: value}, seeds=games)
        for switch in offered(rules.switches)
        for value in switch.choices
        if value != switch.default
    ]

    def hold(law: Callable[[Case], None]) -> None:
        for case in cases:
            law(case)

    def audits_sound() -> None:
        for case in cases:
            report, _ = audit(case.game(0).file(), rulebook=Rulebook(lambda title: rules))
            wrong = report.verdict.problems(phrases("en"), (ALLOW_NO_HEAD, SO_FAR))
            assert not wrong, "; ".join(wrong)

    for law in LAWS:
        yield law.__name__.replace("_", " "), lambda law=law: hold(law)  # type: ignore[misc]
    yield "a game audits sound", audits_sound
    folder = Path(str(files(rules.folders[0]))) / "lang"
    yield "the catalogues agree", lambda: catalogues_agree(rules.title, folder)


def _alternatives(package: str) -> Any:
    """The function `alternatives` of a title's module `hidden`, or None if it has none."""
    if find_spec(f"{package}.hidden") is None:
        return None
    return getattr(import_module(f"{package}.hidden"), "alternatives", None)


def _what(error: Exception) -> str:
    """An error in one line, with the place in the title where it occurred."""
    place = error.__traceback__
    where = ""
    while place is not None:
        code = place.tb_frame.f_code
        where = f" ({Path(code.co_filename).name}:{place.tb_lineno}, {code.co_name})"
        place = place.tb_next
    return f"{type(error).__name__}: {str(error) or 'no message'}{where}"
