"""What a player types, matched with what is on offer. Pure: words in, picks or candidates out.

A word stands for an option by its number in the list, its id, its name, or the beginning of either;
names of several words may be typed with spaces, underscores or hyphens. A number that is itself on
offer (a hex, an amount) means that, not a place in the list; one that is larger than the list is
long may begin a name.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from warledger.protocol.choices import Choices, Pick
from warledger.protocol.phrases import Phrases

_WORDS_MAX = 5
"""The number of words of the longest name that is looked up."""


WORDS = (
    *(
        "help",
        "board",
        "hex",
        "unit",
        "reach",
        "front",
        "why",
        "log",
        "undo",
        "resign",
        "draw",
        "yes",
        "no",
        "lang",
        "show",
        "odds",
    ),
    *("stack", "dump", "base", "supply", "throw"),
    "clock",
    *("say", "talk"),
    *("back", "submit", "always", "more", "quit"),
)
"""Words that are not picks. Each has a short help and other spellings in the catalogues."""


@frozen
class Match:
    """The pick that the first `used` words stand for; or, with `pick` None, the candidates between
    which they are ambiguous."""

    pick: Pick | None
    used: int = 1
    candidates: tuple[Pick, ...] = ()


def split(line: str) -> tuple[str, ...]:
    """The words of a line."""
    return tuple(re.split(r"[\s,;，、；]+", line.strip())) if line.strip(" \t,;，、；") else ()


def folded(text: str) -> str:
    """A name as it is compared: small letters, no accents that a keyboard may lack, one
    separator."""
    return re.sub(
        r"[\s_\-'’.]+",
        " ",
        text.casefold().replace("ö", "o").replace("ü", "u").replace("ä", "a").replace("é", "e"),
    ).strip()


def match(choices: Choices, words: Sequence[str], spoken: Phrases) -> Match | None:
    """What the first words stand for among the choices; None when nothing on offer is meant."""
    number = _number(words[0])
    if number is not None:
        if choices.offers(number):
            return Match(number)
        if choices.offers(words[0]):
            return Match(words[0])
        if choices.span is None and words[0] == str(number) and 1 <= number <= len(choices.options):
            return Match(choices.options[number - 1].id)
        if choices.span is not None:
            return None
    names = {
        option.id: (
            folded(str(option.id)),
            folded(spoken.option(option)),
            folded(spoken.name(option.id)),
        )
        for option in choices.options
    }
    return find(names, words)


def find(names: Mapping[Pick, Iterable[str]], words: Sequence[str]) -> Match | None:
    """Which of several named things the first words stand for: a whole name is preferred to the
    beginning of one, and more words to fewer."""
    for count in range(min(len(words), _WORDS_MAX), 0, -1):
        typed = folded(" ".join(words[:count]))
        exact = [pick for pick, forms in names.items() if typed in forms]
        if len(exact) == 1:
            return Match(exact[0], count)
        begun = exact or [
            pick for pick, forms in names.items() if any(form.startswith(typed) for form in forms)
        ]
        if len(begun) == 1:
            return Match(begun[0], count)
        if begun:
            return Match(None, count, tuple(begun))
    typed = folded(words[0])
    inner = (
        [pick for pick, forms in names.items() if any(f" {typed}" in form for form in forms)]
        if typed
        else []
    )
    if len(inner) == 1:
        return Match(inner[0])
    return Match(None, 1, tuple(inner)) if inner else None


def named_seat(typed: str, seats: Iterable[str], spoken: Phrases) -> str | None:
    """The seat that is meant by its id or by its name; None if none is."""
    ids = tuple(seats)
    if typed in ids:
        return typed
    sought = folded(typed)
    return next((id for id in ids if sought in (folded(id), folded(spoken.name(id)))), None)


def _number(word: str) -> int | None:
    sign = word[:1] in "+-−"
    digits = word[1:] if sign else word
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 15:
        return None
    return -int(digits) if word[0] in "-−" else int(digits)


__all__ = ["Match", "find", "folded", "match", "named_seat", "split"]
