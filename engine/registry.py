"""Every title that can be played here: those that come with Warledger, those that are installed
beside it, and those on the title path (`warledger.protocol.titlepath`)."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from warledger.engine import games
from warledger.engine.board.boardchecks import AREAS, Family
from warledger.engine.kernel.types import Rules
from warledger.protocol.titlepath import Beside, titles_beside


class BadTitle(ValueError):
    """A title that is there but cannot be used: names it and says why."""


def names() -> tuple[str, ...]:
    """All titles, ours first."""
    return (*games.NAMES, *(name for name in titles_beside() if name not in games.NAMES))


def rules_of(title: str) -> Rules[Any]:
    """The rules of a title. Raises KeyError for one that is not known, BadTitle for one that cannot
    be loaded."""
    if title in games.NAMES:
        return games.rules_of(title)
    module = _loaded(title, titles_beside()[title])
    rules: Rules[Any] | None = getattr(module, "RULES", None)
    if rules is None or rules.title != title:
        raise BadTitle(
            f"{module.__name__} has no RULES whose title is {title!r}; its __init__.py imports them"
        )
    if not callable(getattr(rules, "turns_most", None)):
        raise BadTitle(
            f"{module.__name__}: its RULES have no turns_most(pack, options), which says how many "
            "turns a game may have; docs/authors.md explains it"
        )
    return rules


def family_of(title: str) -> Family | None:
    """What packs of a title must hold; None where its package does not say."""
    family: Family | None = getattr(_package(title), "FAMILY", None)
    return family


def families() -> tuple[Family, ...]:
    """Every family of packs, each once; the most general last."""
    found: dict[int, Family] = {}
    for title in names():
        family = family_of(title)
        if family is not None:
            found.setdefault(id(family), family)
    return (*found.values(), AREAS)


def package_of(title: str) -> str:
    """The package of a title, in whose folder its pack and catalogues lie. Raises as `rules_of`."""
    return rules_of(title).folders[0]


def _package(title: str) -> ModuleType:
    rules_of(title)
    return import_module(package_of(title))


def _loaded(title: str, where: Beside) -> ModuleType:
    if where.path and where.path not in sys.path:
        sys.path.append(where.path)
    try:
        module = import_module(where.package)
    except Exception as error:
        raise BadTitle(
            f"{title} in {where.folder} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    file = getattr(module, "__file__", None)
    if file is None or not where.folder.samefile(Path(file).parent):
        raise BadTitle(
            f"{title} in {where.folder} has the name of another package, {file}; rename it"
        )
    return module
