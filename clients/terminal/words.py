"""What a player types, matched with what is on offer. Pure: words in, picks or candidates out.

A word stands for an option by its number in the list, its id, its name, or the beginning of either.
Names of several words may be typed with spaces, underscores, hyphens or strokes, or as one word,
and without accents. A number that begins a name of several words ("12 SS HJ") means that name if it
is typed so far that the name is known. Else a number that is itself on offer (a hex, an amount)
means that, not a place in the list.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from unicodedata import combining, normalize

from attrs import frozen

from warledger.protocol.board.choices import Choices, Pick
from warledger.protocol.texts.phrases import Phrases

_AMOUNT = re.compile(r"(?<=\d)t$", re.IGNORECASE)
"""The unit, tokens of supply, that an amount may be typed with."""
_WORDS_MAX = 7
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
    bare = "".join(one for one in normalize("NFD", text.casefold()) if not combining(one))
    return re.sub(r"[\s_\-'’./]+", " ", bare).strip()


def match(choices: Choices, words: Sequence[str], spoken: Phrases) -> Match | None:
    """What the first words stand for among the choices; None when nothing on offer is meant."""
    number = _number(words[0])
    if number is None and choices.span is not None:
        number = _number(_AMOUNT.sub("", words[0]))
    if number is not None:
        named = find(_names(choices, spoken), words, least=2) if begins_name(words) else None
        if named is not None and named.pick is not None:
            return named
        if choices.offers(number):
            return Match(number)
        if choices.offers(words[0]):
            return Match(words[0])
        if choices.span is None and words[0] == str(number) and 1 <= number <= len(choices.options):
            return Match(choices.options[number - 1].id)
        if choices.span is not None:
            return None
    return find(_names(choices, spoken), words)


def begins_name(words: Sequence[str]) -> bool:
    """Whether words that begin with a number may be a name: the next one is not a number too."""
    return len(words) > 1 and _number(words[1]) is None


def _names(choices: Choices, spoken: Phrases) -> dict[Pick, tuple[str, ...]]:
    """The forms in which each choice may be named."""
    return {
        option.id: (
            folded(str(option.id)),
            folded(spoken.option(option)),
            folded(spoken.name(option.id)),
        )
        for option in choices.options
    }


def find(
    names: Mapping[Pick, Iterable[str]], words: Sequence[str], *, least: int = 1
) -> Match | None:
    """Which of several named things the first words, at `least` so many, stand for: more words are
    preferred to fewer, a whole name to the beginning of one, and that to words in the middle of
    one. A name may be typed without its spaces."""
    for count in range(min(len(words), _WORDS_MAX), least - 1, -1):
        typed = folded(" ".join(words[:count]))
        if not typed:
            continue
        likeness = {
            pick: max(_likeness(form, typed) for form in forms) for pick, forms in names.items()
        }
        best = max(likeness.values(), default=0)
        found = tuple(pick for pick, like in likeness.items() if best and like == best)
        if found:
            return Match(found[0], count) if len(found) == 1 else Match(None, count, found)
    return None


def _likeness(form: str, typed: str) -> int:
    """How much like a name what was typed is: the whole name 4, its beginning 3, the whole name
    without its spaces 2, a word in its middle 1, else 0."""
    if form.startswith(typed):
        return 4 if form == typed else 3
    if form.replace(" ", "") == typed.replace(" ", ""):
        return 2
    return 1 if f" {typed}" in form else 0


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
