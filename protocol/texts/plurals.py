"""Which plural form of a word a whole number takes: the rules of Unicode's CLDR, as a catalogue
holds them.

A catalogue says its language's rules in the texts `plural.zero`, `plural.one`, `plural.two`,
`plural.few` and `plural.many`, as far as the language has them. The notation is that of CLDR
(Unicode Technical Standard 35, part 3, "Language Plural Rules"): for Polish

    "plural.one" = "i = 1 and v = 0"
    "plural.few" = "v = 0 and i % 10 = 2..4 and i % 100 != 12..14"

The forms of a word stand in the same order in a text, and behind them the form for every other
number: `{n:plural:statek|statki|statków}`. Only whole numbers are counted, a negative one by its
amount: so n and i are the amount, and v, w, f, t, c and e are 0.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from attrs import frozen

CATEGORIES: Final = ("zero", "one", "two", "few", "many")
"""CLDR's categories, in their order; what is in none of them is `other`."""

PREFIX: Final = "plural."

_RELATION = re.compile(r"([nivwftce]) *(?:% *([1-9][0-9]*))? *(!?=) *([0-9][0-9., ]*)")
_RANGE = re.compile(r"([0-9]+)(?:\.\.([0-9]+))?")


@frozen
class Relation:
    """Whether the amount (0 for an operand of fractions) is in one of the ranges, or in none if
    negated. It is taken modulo `modulo`, if that is not 0."""

    whole: bool
    modulo: int
    negated: bool
    ranges: tuple[tuple[int, int], ...]

    def holds(self, amount: int) -> bool:
        """Whether it holds for an amount."""
        value = amount if self.whole else 0
        if self.modulo:
            value %= self.modulo
        return any(low <= value <= high for low, high in self.ranges) != self.negated


Condition = tuple[tuple[Relation, ...], ...]
"""Any of these, each of which is all of those."""


@lru_cache(256)
def condition(text: str) -> Condition:
    """A rule of CLDR as it is written; examples behind an @ are passed over.

    Raises ValueError for anything else.
    """
    rule = text.partition("@")[0]
    return tuple(
        tuple(_relation(part, text) for part in re.split(r"\band\b", either))
        for either in re.split(r"\bor\b", rule)
    )


def _relation(part: str, text: str) -> Relation:
    found = _RELATION.fullmatch(part.strip())
    if found is None:
        raise ValueError(f"{part.strip()!r} in {text!r} is no relation of a plural rule")
    operand, modulo, sign, listed = found.groups()
    ranges = [_RANGE.fullmatch(one.strip()) for one in listed.split(",")]
    if None in ranges:
        raise ValueError(f"{listed.strip()!r} in {text!r} is not a list of numbers and ranges")
    return Relation(
        operand in "ni",
        int(modulo or 0),
        sign == "!=",
        tuple((int(one[1]), int(one[2] or one[1])) for one in ranges if one is not None),
    )


def rules(catalogue: Mapping[str, str]) -> tuple[Condition, ...]:
    """The rules of a catalogue's language, in the order of the forms; one that cannot be read holds
    for no number."""
    texts = (catalogue.get(PREFIX + category) for category in CATEGORIES)
    return tuple(_lenient(text) for text in texts if text is not None)


def _lenient(text: str) -> Condition:
    try:
        return condition(text)
    except ValueError:
        return ()


def form(n: Any, forms: tuple[str, ...] | list[str], among: tuple[Condition, ...]) -> str:
    """The form for n: that of the first rule that holds. It is the last one if none holds, n is not
    a whole number, or there is no such form."""
    if isinstance(n, int):
        amount = abs(n)
        for rule, found in zip(among, forms, strict=False):
            if any(all(part.holds(amount) for part in either) for either in rule):
                return found
    return forms[-1]
