"""What a title's catalogues in other languages must have in common with its English one.

A title need not be in every language, and a sentence that a language lacks is said in English. What
is there must fit: a text is filled in with the arguments that its English text names. One that asks
for another shows a gap to the players of that language alone.
"""

from collections.abc import Mapping
from pathlib import Path

from warledger.protocol.lang import catalogue, languages
from warledger.protocol.texts.phrases import LANGUAGES, placeholders


def catalogues_agree(title: str, folder: Path) -> None:
    """Raise AssertionError with what is wrong in the catalogues of a title: a file of `folder` (its
    `lang`) that no language reads, an unknown key, arguments that differ, a brace that is not a
    placeholder. Raises BadCatalogue for a file that cannot be read."""
    wrong = [
        f"{file.name} is read for no language; there are: {_files()}"
        for file in sorted(folder.glob("*.toml"))
        if file.stem not in languages()
    ]
    english = texts(title, LANGUAGES[0])
    for language in languages():
        own = texts(title, language)
        wrong += [f"{language}: {key} is not in English" for key in own if key not in english]
        for key in own:
            if key in english:
                wrong += [f"{language}: {what}" for what in differs(key, own[key], english[key])]
    assert not wrong, "; ".join(wrong)


def lacking(title: str) -> Mapping[str, tuple[str, ...]]:
    """Language -> the keys that its catalogue of a title lacks, for those that have one at all."""
    english = texts(title, LANGUAGES[0])
    found = {one: texts(title, one) for one in languages() if one != LANGUAGES[0]}
    return {
        language: tuple(key for key in english if key not in own)
        for language, own in found.items()
        if own and not english.keys() <= own.keys()
    }


def texts(title: str, language: str) -> dict[str, str]:
    """Key -> text of one title in a language: the keys that name it between their dots."""
    return {key: text for key, text in catalogue(language).items() if title in key.split(".")}


def differs(key: str, text: str, english: str) -> list[str]:
    """What is wrong with the text of a key, beside the English one: a brace that is not a
    placeholder, other arguments."""
    try:
        asked = {name for name, _ in placeholders(text)}
        given = {name for name, _ in placeholders(english)}
    except ValueError as error:
        return [f"{key}: {error}"]
    if asked == given:
        return []
    shown = " and ".join(", ".join(sorted(names)) or "nothing" for names in (asked, given))
    return [f"{key} is filled in with other arguments than in English: {shown}"]


def _files() -> str:
    return ", ".join(f"{language}.toml" for language in languages())
