"""Message keys to sentences, in any language, from catalogues given as plain maps.

A catalogue maps a key to a text with placeholders:

    {x}                         a number or a text as it is
    {x:name}                    the name of a piece, place, seat …: `name.<title>.<id>`, then
                                `name.<id>`; of a list, each, joined
    {x:way}                     the names of a list in order, as a way: A26.10 → Érsekújvár
    {x:say}                     the value is itself a key, or [key, arguments, rule]
    {x:dice}                    pips
    {x:signed}                  +2 or −1
    {x:plural:ship|ships}       by count (a number, or the length of a list): a form for each rule
                                of the language, in order, then one for every other number
                                (`plurals`); a language without plurals has one form

`{{` is a brace. Nothing here raises for a message: a key or argument that is missing shows as [key]
or ⟨x?⟩. So a client with older catalogues still shows what it can, and everybody sees what is
wrong.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from warledger.protocol.board.choices import Option, Pick, Refusal, Say
from warledger.protocol.canon import Seal
from warledger.protocol.chance.seal import Secret
from warledger.protocol.texts import plurals
from warledger.protocol.texts.plurals import Condition

LANGUAGES: Final = ("en", "zh-Hans", "zh-Hant")
"""The languages that come with Warledger; the first is the fallback. Others may be installed beside
them: `warledger.protocol.lang.languages` has them all."""

NAME: Final = "language.name"
"""The text in which a catalogue says what its language calls itself."""

KINDS: Final = ("", "name", "way", "say", "dice", "signed", "plural")

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([a-z_][a-z_0-9]*)(?::([a-z]+)(?::([^{}]*))?)?\}")
_PIPS = ("⚀", "⚁", "⚂", "⚃", "⚄", "⚅")
_DEPTH_MAX = 4


def placeholders(text: str) -> frozenset[tuple[str, str]]:
    """The (argument, kind) pairs of a text.

    Raises ValueError for a brace that is not a placeholder, or a kind that does not exist.
    """
    found = set()
    for match in _PLACEHOLDER.finditer(text):
        if match[1] is None:
            continue
        kind = match[2] or ""
        if kind not in KINDS or (kind == "plural") != (match[3] is not None):
            raise ValueError(f"{match[0]} is not a placeholder")
        found.add((match[1], kind))
    rest = _PLACEHOLDER.sub("", text)
    if "{" in rest or "}" in rest:
        raise ValueError(f"a brace in {text!r} is not a placeholder")
    return frozenset(found)


def plural_forms(text: str) -> tuple[tuple[str, ...], ...]:
    """The forms of each word of a text that has a plural."""
    return tuple(
        tuple(match[3].split("|")) for match in _PLACEHOLDER.finditer(text) if match[2] == "plural"
    )


class Phrases:
    """One language for one title.

    `catalogue` is the language's, `fallback` that of English for keys it lacks, `names` the names a
    pack gives to its own ids.
    """

    def __init__(
        self,
        catalogue: Mapping[str, str],
        *,
        language: str = "en",
        title: str = "",
        fallback: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.language = language
        self.title = title
        self._catalogue = catalogue
        self._fallback = fallback or {}
        self._names = names or {}
        self._rules = plurals.rules(catalogue)
        self._fallback_rules = plurals.rules(self._fallback)

    def has(self, key: str) -> bool:
        """Whether the key has a text."""
        return key in self._catalogue or key in self._fallback

    def text(self, key: str, /, **args: Any) -> str:
        """The sentence of a key with named arguments."""
        return self._render(key, args, 0)

    def say(self, said: Say | Refusal) -> str:
        """The sentence of a Say or a Refusal, without its clause."""
        return self._render(said.key, dict(said.args), 0)

    def cited(self, said: Say | Refusal) -> str:
        """The sentence with its clause in brackets, if it has one."""
        return self.with_clause(self.say(said), said.rule)

    def with_clause(self, sentence: str, rule: str) -> str:
        """A sentence with its clause in brackets; unchanged if it has none."""
        if not rule:
            return sentence
        return self._render("text.cited", {"sentence": sentence, "rule": rule}, 0)

    def name(self, id: Any) -> str:
        """The name of a piece, place, seat, verb or thing of the title."""
        if type(id) is Seal or (type(id) is Secret and id.value is None):
            return self._render("text.hidden", {}, 0)
        if type(id) is Secret:
            return self.name(id.value)
        if type(id) is not str:
            return _plain(id)
        for key in (f"name.{self.title}.{id}", f"name.{id}"):
            text = self._look_up(key)
            if text is not None:
                return text
        if id in self._names:
            return self._names[id]
        for key in (f"pick.{self.title}.{id}", f"pick.{id}"):
            text = self._look_up(key)
            if text is not None:
                return text
        return id

    def mark(self, marker: str, value: Any) -> str:
        """The text for a marker on a piece or place, with its amount.

        A marker that counts something has a text `mark.<title>.<marker>`, `mark.<marker>` or
        `mark.<its first part>`, with {n} and, for the last, {side}: it shows its amount whatever
        that is. Any other is its name, and an amount other than 1.
        """
        counts = type(value) is int
        kind, _, side = marker.partition(".")
        for key in (f"mark.{self.title}.{marker}", f"mark.{marker}", f"mark.{kind}"):
            if counts and self.has(key):
                return self._render(key, {"n": value, "side": side}, 0)
        name = self.name(marker)
        return f"{name} {_plain(value)}" if counts and value != 1 else name

    def option(self, option: Option) -> str:
        """The text of an option on offer. A label is shown only where the pick has no name of its
        own: otherwise a server could show one pick and have another signed."""
        if option.label is None or self._is_named(option.id):
            return self.pick(option.id)
        return self.say(option.label)

    def _is_named(self, pick: Pick) -> bool:
        """Whether a pick is a number, or there is a text for it."""
        keys = (
            f"{family}.{pick}"
            for one in ("name", "pick")
            for family in (f"{one}.{self.title}", one)
        )
        return type(pick) is not str or pick in self._names or any(map(self._look_up, keys))

    def pick(self, pick: Pick) -> str:
        """The text of a pick: the verb's phrase, or else the thing's name."""
        if type(pick) is str:
            for key in (f"pick.{self.title}.{pick}", f"pick.{pick}"):
                text = self._look_up(key)
                if text is not None:
                    return text
        return self.name(pick)

    def joined(self, items: Iterable[str]) -> str:
        """A list in words: "a, b and c", 「甲、乙和丙」."""
        parts = list(items)
        if not parts:
            return self._render("text.none", {}, 0)
        if len(parts) == 1:
            return parts[0]
        comma = self._look_up("text.list.comma") or ", "
        last = self._look_up("text.list.and") or comma
        return comma.join(parts[:-1]) + last + parts[-1]

    # --- parts ------------------------------------------------------------------------------------

    def _look_up(self, key: str) -> str | None:
        text = self._catalogue.get(key)
        return self._fallback.get(key) if text is None else text

    def _render(self, key: str, args: Mapping[str, Any], depth: int) -> str:
        text = self._look_up(key)
        if text is None:
            shown = ", ".join(f"{name}={_plain(value)}" for name, value in args.items())
            return f"[{key}{': ' if shown else ''}{shown}]"
        if "{" not in text and "}" not in text:
            return text
        rules = self._rules if key in self._catalogue else self._fallback_rules

        def fill(match: re.Match[str]) -> str:
            if match[1] is None:
                return match[0][0]
            if match[1] not in args:
                return f"⟨{match[1]}?⟩"
            return self._value(args[match[1]], match[2] or "", match[3] or "", depth, rules)

        return _PLACEHOLDER.sub(fill, text)

    def _value(
        self, value: Any, kind: str, forms: str, depth: int, rules: tuple[Condition, ...]
    ) -> str:
        if type(value) is Secret:
            value = value.value
        if type(value) is Seal:
            return self._render("text.hidden", {}, 0)
        if kind == "say":
            return self._nested(value, depth)
        if kind == "plural":
            n = len(value) if isinstance(value, tuple | list) else value
            return plurals.form(n, forms.split("|"), rules)
        if isinstance(value, tuple | list):
            if kind == "dice":
                return " ".join(_pip(pip) for pip in value) or self._render("text.none", {}, 0)
            parts = [self._value(item, kind, forms, depth, rules) for item in value]
            if kind == "way" and parts:
                return (self._look_up("text.list.way") or " → ").join(parts)
            return self.joined(parts)
        if kind in ("name", "way"):
            return self.name(value)
        if kind == "dice":
            return _pip(value)
        if kind == "signed" and type(value) is int:
            return f"+{value}" if value > 0 else f"−{-value}" if value < 0 else "0"
        return _plain(value)

    def _nested(self, value: Any, depth: int) -> str:
        if depth >= _DEPTH_MAX:
            return "…"
        if type(value) is str:
            return self._render(value, {}, depth + 1) if value else ""
        if (
            isinstance(value, tuple | list)
            and len(value) in (2, 3)
            and type(value[0]) is str
            and isinstance(value[1], tuple | list)
        ):
            try:
                return self._render(value[0], dict(value[1]), depth + 1)
            except (TypeError, ValueError):
                return _plain(value)
        if isinstance(value, tuple | list):
            return self.joined(self._nested(item, depth + 1) for item in value)
        return _plain(value)


def _plain(value: Any) -> str:
    if value is None:
        return "–"
    if type(value) is int:
        return str(value) if value >= 0 else f"−{-value}"
    if type(value) is bool:
        return "✓" if value else "✗"
    if type(value) is bytes:
        return value.hex()
    if isinstance(value, tuple | list):
        return ", ".join(_plain(item) for item in value)
    return str(value)


def _pip(pip: Any) -> str:
    return _PIPS[pip - 1] if type(pip) is int and 1 <= pip <= 6 else _plain(pip)


def render(
    said: Say | Refusal,
    catalogue: Mapping[str, str],
    *,
    language: str = "en",
    title: str = "",
    fallback: Mapping[str, str] | None = None,
) -> str:
    """One sentence with its clause, for callers without a Phrases."""
    return Phrases(catalogue, language=language, title=title, fallback=fallback).cited(said)
