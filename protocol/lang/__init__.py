"""The catalogues. Those of the package have one folder a language, with `core.toml` and one file a
title. Others are of languages that are installed or lie beside it
(`warledger.protocol.texts.languagepath`), and of titles beside it: `lang/LANGUAGE.toml` in the
title's own folder.

This module reads the files; `phrases` itself is given plain maps.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final

from warledger.protocol.texts import languagepath
from warledger.protocol.texts.languagepath import BadCatalogue
from warledger.protocol.texts.phrases import LANGUAGES, NAME, Phrases, placeholders
from warledger.protocol.texts.plurals import CATEGORIES, PREFIX, condition
from warledger.protocol.titlepath import titles_beside

FILE_BYTES_MAX: Final = 1_048_576
"""The most bytes of a catalogue's file: more than ten times the largest of ours."""

DOTS_MAX: Final = 200
"""The most dots in a line: a key of many parts takes TOML's reader the square of their number."""

_TRADITIONAL = ("繁體中文", "繁體", "繁中")
_SIMPLIFIED = ("简体中文", "简体", "中文")


def languages() -> Mapping[str, str]:
    """Every language that there is here, with what it calls itself; those that come with Warledger
    first. Raises BadCatalogue as `languagepath.folders` and `catalogue` do."""
    return MappingProxyType(
        {language: catalogue(language).get(NAME, language) for language in languagepath.folders()}
    )


def language_of(wanted: str) -> str | None:
    """Our tag of a language that a person or system asks for ("zh_TW.UTF-8", "zh-hans", "pl_PL",
    "polski"), or None. Raises as `languages`."""
    tag = wanted.split(".")[0].split("@")[0].replace("_", "-").lower()
    known = languagepath.folders()
    for language in known:
        if tag == language.lower():
            return language
    if tag.startswith(("zh-hant", "zh-tw", "zh-hk", "zh-mo")) or tag in _TRADITIONAL:
        return "zh-Hant"
    if tag.startswith("zh") or tag in _SIMPLIFIED:
        return "zh-Hans"
    if tag in ("c", "posix", "english"):
        return "en"
    first = tag.partition("-")[0]
    for language in known:
        if first == language.lower().partition("-")[0]:
            return language
    for language in known:
        if language not in LANGUAGES and catalogue(language)[NAME].casefold() == wanted.casefold():
            return language
    return None


@cache
def words_of(title: str) -> frozenset[str]:
    """The words under which the refusals stand that come with the package for a title or a series
    of titles: mostly its name, or short for it. Empty for one that has no file here."""
    item = languagepath.folders()[LANGUAGES[0]].joinpath(f"{title}.toml")
    if not item.is_file():
        return frozenset()
    found: dict[str, str] = {}
    _add(found, item.name, item)
    return frozenset(key.split(".")[1] for key in found if key.startswith("refusal."))


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """All texts of a language by key, of every title.

    A language or title outside the package need not have every text: what it lacks is said in
    English. Raises KeyError for a language that is not in `languages`. Raises BadCatalogue for a
    file that cannot be read, is too large or is not TOML. It is also raised for a key that two
    files give or that is not its title's, and for a text that is not text. A language outside the
    package must say its own name, and have CLDR's plural rules and no brace that is not a
    placeholder.
    """
    folder = languagepath.folders()[language]
    texts: dict[str, str] = {}
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.name.endswith(".toml"):
            shown = f"{language}/{item.name}" if language in LANGUAGES else str(item)
            _add(texts, shown, item)
    if language not in LANGUAGES:
        _judge(texts, str(folder))
    for title, where in titles_beside().items():
        own = where.folder.joinpath("lang", f"{language}.toml")
        if own.is_file():
            _add(texts, str(own), own, title)
    return MappingProxyType(texts)


def _judge(texts: Mapping[str, str], folder: str) -> None:
    """What is wrong in a language's own catalogues, whatever English says."""
    if not texts.get(NAME):
        raise BadCatalogue(f'{folder}: no file says what the language calls itself, "{NAME}" = "…"')
    for key, text in texts.items():
        try:
            if not key.startswith(PREFIX):
                placeholders(text)
            elif key.removeprefix(PREFIX) in CATEGORIES:
                condition(text)
            else:
                raise ValueError(
                    f"there are rules for {', '.join(CATEGORIES)} only; what none of them names is "
                    "other"
                )
        except ValueError as error:
            raise BadCatalogue(f"{folder}: {key}: {error}") from error


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
    if not file.is_file():  # a folder, or a pipe that would be waited for
        raise BadCatalogue(f"{name} is not a file")
    try:
        with file.open("rb") as opened:
            data = opened.read(FILE_BYTES_MAX + 1)
        if len(data) > FILE_BYTES_MAX:
            raise ValueError(f"there are more than {FILE_BYTES_MAX} bytes in it")
        if any(line.count(b".") > DOTS_MAX for line in data.split(b"\n")):
            raise ValueError(f"a line has more than {DOTS_MAX} dots")
        yield from tomllib.loads(data.decode("utf-8")).items()
    except RecursionError as error:
        raise BadCatalogue(f"{name}: brackets are nested too deeply in it") from error
    except (OSError, ValueError) as error:
        raise BadCatalogue(f"{name}: {error}") from error


def phrases(
    language: str = "en", title: str = "", names: Mapping[str, str] | None = None
) -> Phrases:
    """A language for a title, with English where it lacks a key, and English alone for a language
    that is not here (any more). `names` are those a pack gives to its own ids."""
    spoken = language if language in languagepath.folders() else LANGUAGES[0]
    return Phrases(
        catalogue(spoken),
        language=spoken,
        title=title,
        fallback=catalogue(LANGUAGES[0]),
        names=names,
    )


__all__ = ["BadCatalogue", "catalogue", "language_of", "languages", "phrases"]
