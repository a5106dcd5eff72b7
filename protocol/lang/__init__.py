"""The catalogues that come with the package, one folder a language: `core.toml` and one file a title. The only module of `protocol` that
reads files; `phrases` itself is given plain maps."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from protocol.phrases import LANGUAGES, Phrases


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """All texts of a language by key, of every title.

    Raises KeyError for a language that is not in LANGUAGES, ValueError when two files give the same key or a text is not text.
    """
    if language not in LANGUAGES:
        raise KeyError(language)
    texts: dict[str, str] = {}
    for item in sorted(files(__package__).joinpath(language).iterdir(), key=lambda item: item.name):
        if not item.name.endswith(".toml"):
            continue
        for key, text in tomllib.loads(item.read_text(encoding="utf-8")).items():
            if not isinstance(text, str):
                raise ValueError(f"{language}/{item.name}: {key} is not a text; write keys in quotation marks")
            if key in texts:
                raise ValueError(f"{language}/{item.name}: {key} stands in another file too")
            texts[key] = text
    return MappingProxyType(texts)


def phrases(language: str = "en", title: str = "", names: Mapping[str, str] | None = None) -> Phrases:
    """A language for a title, with English where it lacks a key. `names` are those a pack gives to its own ids."""
    return Phrases(catalogue(language), language=language, title=title, fallback=catalogue(LANGUAGES[0]), names=names)


__all__ = ["catalogue", "phrases"]
