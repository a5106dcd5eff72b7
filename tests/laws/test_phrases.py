"""The catalogues: all languages say the same things, and just what the sources ask for."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.laws.sources import ROOT, Found, files, scan
from warledger.engine.games import NAMES
from warledger.protocol.lang import catalogue, phrases
from warledger.protocol.texts.phrases import LANGUAGES, placeholders, plural_forms
from warledger.protocol.texts.plurals import CATEGORIES, condition, rules

FAMILIES = (
    "refusal",
    "outcome",
    "prompt",
    "phase",
    "text",
    "error",
    "cli",
    "ui",
    "demo",
    "help",
    "link",
    "audit",
    "preview",
)
KEY = re.compile(rf"(?:{'|'.join((*FAMILIES, *NAMES))})(?:\.[a-z0-9_]+)+")


GAMES = ROOT / "engine" / "games"
PATTERN = ROOT / "engine" / "testing" / "skirmish"
"""The title that authors start from has a catalogue of its own; tests/authors hold it."""


@cache
def unplayable() -> frozenset[str]:
    """Titles in the tree that are not offered: neither their sources nor their sentences count."""
    return frozenset(
        path.name
        for path in GAMES.iterdir()
        if path.is_dir() and path.name not in (*NAMES, "chitpull", "ocs")
    )


@cache
def found() -> Found:
    """The sources of the product."""
    return scan(
        path
        for path in files()
        if not path.is_relative_to(PATTERN)
        and not (path.is_relative_to(GAMES) and path.relative_to(GAMES).parts[0] in unplayable())
    )


@cache
def pack_texts() -> frozenset[str]:
    """Every text in the packs: ids stand among them."""
    return frozenset(
        text
        for name in NAMES
        for path in packs(name)
        for text in _texts(tomllib.loads(path.read_text(encoding="utf-8")))
    )


def packs(title: str) -> Iterator[Any]:
    """The files of a title's pack."""
    return iter(sorted((ROOT / "engine" / "games" / title / "pack").glob("*.toml")))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def arguments(text: str) -> frozenset[str]:
    """The names of a text's arguments."""
    return frozenset(name for name, _ in placeholders(text))


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_has_the_same_keys_and_arguments(language: str) -> None:
    """A sentence that exists in one language exists in all, with the same arguments."""
    english, other = (
        {key: text for key, text in catalogue(one).items() if not key.startswith("plural.")}
        for one in ("en", language)
    )

    assert sorted(english) == sorted(other)
    assert {key: arguments(english[key]) for key in english} == {
        key: arguments(other[key]) for key in english
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_well_formed(language: str) -> None:
    """No text is empty, and every brace in it is a placeholder of a known kind."""
    for key, text in catalogue(language).items():
        assert text.strip(" ") or key.startswith("text.list"), key
        placeholders(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_has_the_plural_forms_of_its_language(language: str) -> None:
    """A word has a form for each rule and one for other numbers; the rules can be read."""
    texts = catalogue(language)
    for category in CATEGORIES:
        condition(texts.get(f"plural.{category}", "n = 1"))
    count = len(rules(texts)) + 1
    wrong = [
        key for key, text in texts.items() for forms in plural_forms(text) if len(forms) != count
    ]

    assert wrong == []


def test_no_key_is_missing() -> None:
    """Every key that the sources name has a text."""
    english = catalogue("en")
    slots = {key.removeprefix("slot.") for key in english if key.startswith("slot.")}
    missing = {
        text: where
        for text, where in found().literals.items()
        if KEY.fullmatch(text)
        and text not in english
        and text not in slots
        and not text.endswith((".toml", ".py", ".wlog", "_"))
    }
    missing |= {
        use.key: use.where for use in found().uses if "." in use.key and use.key not in english
    }
    missing |= {f"slot.{slot}": where for slot, where in found().slots.items() if slot not in slots}

    assert missing == {}


def test_every_named_thing_has_a_name() -> None:
    """Whatever a pack gives an id and a name has a name in the catalogues."""
    english = catalogue("en")
    missing = [
        f"name.{title}.{entry['id']}"
        for title in NAMES
        for path in packs(title)
        for table in tomllib.loads(path.read_text(encoding="utf-8")).values()
        if isinstance(table, list)
        for entry in table
        if isinstance(entry, dict)
        and "id" in entry
        and "name" in entry
        and f"name.{title}.{entry['id']}" not in english
    ]

    assert missing == []


@cache
def page_keys() -> frozenset[re.Pattern[str]]:
    """What the page's scripts may ask for, without "web.": its quoted texts, and its templates with
    anything where they have a hole."""
    found = set()
    for path in sorted((ROOT / "clients" / "web").rglob("*.js")):
        source = path.read_text(encoding="utf-8")
        for text in re.findall(r'"([a-z_]+(?:\.[a-z_]+)*)"', source) + re.findall(
            r"`([a-z_]+\.[^`\s]*|\$\{part\}[^`\s]*)`", source
        ):
            # A hole holds a word, or the name of a file.
            hole = r"[a-z_]+(?:\\.[a-z]+[0-9]*)?"
            found.add(re.sub(r"\\\$\\\{.*?\\\}", hole, re.escape(text.removeprefix("web."))))
    return frozenset(re.compile(pattern) for pattern in found)


def test_the_page_asks_for_what_there_is() -> None:
    """Every sentence that the page's scripts name is in the catalogues."""
    asked = {
        key
        for path in sorted((ROOT / "clients" / "web").rglob("*.js"))
        for key in re.findall(r'\bt\("([a-z_.]+)"', path.read_text(encoding="utf-8"))
    }

    assert len(asked) > 50
    assert sorted(key for key in asked if f"web.{key}" not in catalogue("en")) == []


def test_no_key_is_unused() -> None:
    """Every text of the catalogues is asked for by some source."""
    sources = found()
    known = sources.literals.keys() | pack_texts()

    def used(key: str) -> bool:
        if key in known or not unplayable().isdisjoint(key.split(".")):
            return True
        family, _, rest = key.partition(".")
        if family == "plural":
            return rest in CATEGORIES
        # What a slot asks for, and what a pick for it, or of a correction, is called.
        if family in ("slot", "chip", "correction"):
            return rest in sources.literals
        if family == "seen":  # the page looks for `seen.<title or family>.<verb>`
            return rest.split(".", 1)[-1] in known
        if family == "lone":  # page and terminal look for `lone.<prompt's key>.<the only pick>`
            prompt, _, pick = rest.rpartition(".")
            return f"prompt.{prompt}" in known and pick in known
        if family == "web":
            return any(pattern.fullmatch(rest) for pattern in page_keys())
        if any(pattern.fullmatch(key) for pattern in sources.patterns):
            return True
        if family in ("name", "pick", "option", "phase"):
            parts = [part for part in rest.split(".") if part not in NAMES]
            whole = ".".join(parts)
            if whole in known or any(pattern.fullmatch(whole) for pattern in sources.patterns):
                return True
            return all(
                part in known or any(pattern.fullmatch(part) for pattern in sources.patterns)
                for part in parts
            )
        return False

    assert [key for key in catalogue("en") if not used(key)] == []


def test_every_sentence_is_given_its_arguments() -> None:
    """Whoever says a sentence gives it all the arguments its text has, and no other."""
    english = catalogue("en")
    wrong = [
        f"{use.where}: {use.key} is given {sorted(use.arguments)}, its text has "
        f"{sorted(arguments(english[use.key]))}"
        for use in found().uses
        if use.arguments is not None
        and use.key in english
        and use.arguments != arguments(english[use.key])
    ]

    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_missing_shows(language: str) -> None:
    """A key or argument that is missing is shown, never an error."""
    spoken = phrases(language)

    assert spoken.text("no.such.key", x=3) == "[no.such.key: x=3]"
    assert "⟨seat?⟩" in spoken.text("refusal.no_such_seat")
