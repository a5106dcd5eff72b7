"""Where to find the languages: those that come with Warledger, and those that are installed or lie
beside it.

A language is a folder of catalogues, `*.toml`, with a tag as BCP 47 has them, such as `pl` or
`pt-BR`. It is found by an entry point of the group `warledger.languages` (tag -> package, whose
folder it is). Or it lies, under its tag, in a folder that the environment variable
WARLEDGER_LANGUAGE_PATH names (several are separated as in PATH).
"""

import os
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Final

from warledger.protocol.texts.phrases import LANGUAGES

VARIABLE: Final = "WARLEDGER_LANGUAGE_PATH"
GROUP: Final = "warledger.languages"
TAG: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
"""What a language's tag looks like."""


class BadCatalogue(ValueError):
    """A catalogue that cannot be used: names file and key, and says what to do."""


def folders() -> Mapping[str, Traversable]:
    """Language -> the folder of its catalogues; those that come with Warledger first. The path
    takes precedence over installed languages, so that a translator's working copy is used.

    Raises BadCatalogue for a place on the path without a language, a name that is no language's
    tag, and one of Warledger's own tags.
    """
    return _found(os.environ.get(VARIABLE, ""))


@cache
def _found(path: str) -> Mapping[str, Traversable]:
    found = _installed()
    for place in filter(None, path.split(os.pathsep)):
        found |= _beside(Path(place).resolve())
    for tag in found:
        if tag in LANGUAGES:
            raise BadCatalogue(
                f"{found[tag]} has the tag {tag}, in which Warledger has catalogues already"
            )
        if TAG.fullmatch(tag) is None:
            raise BadCatalogue(
                f"{found[tag]} is called {tag!r}, which is not the tag of a language, such as pl "
                "or pt-BR"
            )
    own = files("warledger.protocol.lang")
    return MappingProxyType(
        {**{tag: own.joinpath(tag) for tag in LANGUAGES}, **dict(sorted(found.items()))}
    )


def _beside(folder: Path) -> dict[str, Traversable]:
    if not folder.is_dir():
        missing = "is not a folder" if folder.exists() else "does not exist"
        raise BadCatalogue(f"{VARIABLE} names {folder}, which {missing}; correct or unset it")
    found: dict[str, Traversable] = {
        one.name: one
        for one in sorted(folder.iterdir())
        if one.is_dir() and any(one.glob("*.toml"))
    }
    if not found:
        raise BadCatalogue(
            f"{VARIABLE} names {folder}, in which no folder holds catalogues (*.toml); name the "
            "folder around that of the language"
        )
    return found


def _installed() -> dict[str, Traversable]:
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    found: dict[str, Traversable] = {}
    for entry in entry_points(group=GROUP):
        try:
            spec = find_spec(entry.value)
        except (ImportError, ValueError):
            continue
        if spec is not None and spec.submodule_search_locations:
            found[entry.name] = Path(next(iter(spec.submodule_search_locations)))
    return found
