"""The catalogues: those that come with the package, one folder a language with `core.toml` and one
file a title, and those of titles beside it, `lang/LANGUAGE.toml` in the title's own folder.

This module reads the files; `phrases` itself is given plain maps.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType

from warledger.protocol.phrases import LANGUAGES, Phrases
from warledger.protocol.titlepath import titles_beside


class BadCatalogue(ValueError):
    """A catalogue that cannot be used: names file and key, and says what to do."""


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """All texts of a language by key, of every title.

    A title outside the package need not have every language: what it lacks is said in English.
    Raises KeyError for a language that is not in LANGUAGES, BadCatalogue for a file that is not
    TOML, a key that two files give or that is not its title's, or a text that is not text.
    """
    if language not in LANGUAGES:
        raise KeyError(language)
    texts: dict[str, str] = {}
    folder = files(__package__).joinpath(language)
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.name.endswith(".toml"):
            _add(texts, f"{language}/{item.name}", item)
    for title, where in titles_beside().items():
        own = where.folder.joinpath("lang", f"{language}.toml")
        if own.is_file():
            _add(texts, str(own), own, title)
    return MappingProxyType(texts)


def _add(texts: dict[str, str], name: str, file: Traversable, title: str = "") -> None:
    """Add a file's texts; for a title outside the package, only keys that name it."""
    for key, text in _read(name, file):
        if not isinstance(text, str):
            raise BadCatalogue(f"{name}: {key} is not a text; write keys in quotation marks")
        if title and title not in key.split("."):
            raise BadCatalogue(
                f"{name}: {key} is not a key of {title}; write {title} between its dots, as in "
                f"refusal.{title}.too_far"
            )
        if key in texts:
            raise BadCatalogue(f"{name}: {key} is in another file too")
        texts[key] = text


def _read(name: str, file: Traversable) -> Iterator[tuple[str, object]]:
    try:
        yield from tomllib.loads(file.read_text(encoding="utf-8")).items()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadCatalogue(f"{name}: {error}") from error


def phrases(
    language: str = "en", title: str = "", names: Mapping[str, str] | None = None
) -> Phrases:
    """A language for a title, with English where it lacks a key. `names` are those a pack gives to
    its own ids."""
    return Phrases(
        catalogue(language),
        language=language,
        title=title,
        fallback=catalogue(LANGUAGES[0]),
        names=names,
    )


__all__ = ["BadCatalogue", "catalogue", "phrases"]
