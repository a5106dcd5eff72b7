"""The tables of a loosely typed document, read with findings in place of errors."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from warledger.protocol.board.findings import Inspection, nearest
from warledger.protocol.limits import BID_UNITS_MAX, CHARTER_LIST_MAX, NAME_CHARS_MAX
from warledger.protocol.log.records import is_person

_HALVES = re.compile(r"([0-9]{1,5})(?:\.([05]))?", re.ASCII)


class Table:
    """One table of the document: hands out its values and remembers which keys were asked for, so
    that a misspelt one is found."""

    def __init__(self, out: Inspection, doc: Any, place: str) -> None:
        self.out = out
        self.place = place
        self.doc: Mapping[str, Any] = doc if isinstance(doc, Mapping) else {}
        self.asked: list[str] = []
        if not isinstance(doc, Mapping):
            out.error(place, "is not a table", f"Write it as a table of keys, as in [{place}]")

    def has(self, key: str) -> bool:
        return key in self.doc

    def wrong(self, key: str, problem: str, remedy: str) -> None:
        self.out.error(f"{self.place}, {key}" if self.place else key, problem, remedy)

    def warn(self, key: str, problem: str, remedy: str) -> None:
        self.out.warn(f"{self.place}, {key}" if self.place else key, problem, remedy)

    def _given(self, key: str) -> Any:
        self.asked.append(key)
        return self.doc.get(key)

    def whole(self, key: str, default: int, most: int, least: int = 0) -> int:
        value = self._given(key)
        if value is None:
            return default
        if type(value) is int and least <= value <= most:
            return value
        self.wrong(
            key, f"is {shown(value)}", f"Write {key} as a whole number from {least} to {most}"
        )
        return default

    def half(self, key: str, default: int) -> int:
        """A number of units, whole or with a half, in half units."""
        value = self._given(key)
        if value is None:
            return default
        match = _HALVES.fullmatch(value) if type(value) is str else None
        if match and int(match[1]) <= BID_UNITS_MAX:
            return 2 * int(match[1]) + (match[2] == "5")
        if type(value) is int and 0 <= value <= BID_UNITS_MAX:
            return 2 * value
        self.wrong(
            key,
            f"is {shown(value)}",
            f"Write {key} in the title's units, whole or with a half, such as 2 or 1.5",
        )
        return default

    def one_of(self, key: str, known: Sequence[str], default: str | None) -> str:
        value = self._given(key)
        if value is None and default is not None:
            return default
        if type(value) is str and value in known:
            return value
        problem = "is missing" if value is None else f"is {shown(value)}"
        self.wrong(key, problem, f"Write {key} as one of: {', '.join(known)}")
        return default if default is not None else known[0]

    def text(self, key: str, default: str | None, most: int = NAME_CHARS_MAX) -> str:
        value = self._given(key)
        if value is None and default is not None:
            return default
        fits = type(value) is str and len(value) <= most and "\n" not in value
        if fits and (value.strip(" ") or default == ""):
            return str(value)
        problem = "is missing" if value is None else f"is {shown(value)}"
        self.wrong(key, problem, f'Write {key} = "…", one line of at most {most} characters')
        return default if default is not None else "?"

    def flag(self, key: str, default: bool) -> bool:
        value = self._given(key)
        if value is None or type(value) is bool:
            return default if value is None else value
        self.wrong(key, f"is {shown(value)}", f"Write {key} = true or {key} = false")
        return default

    def names(self, key: str, default: tuple[str, ...], most: int) -> tuple[str, ...]:
        value = self._given(key)
        if value is None:
            return default
        if (
            isinstance(value, list | tuple)
            and len(value) <= most
            and all(type(one) is str and 0 < len(one) <= NAME_CHARS_MAX for one in value)
        ):
            return tuple(value)
        self.wrong(
            key,
            f"is {shown(value)}",
            f'Write a list of at most {most} names: {key} = ["…", "…"]',
        )
        return default

    def people(self, key: str, most: int) -> tuple[tuple[str, str], ...]:
        """A list of people as (id, name). A file may have a name or an id alone: it stands as the
        name, with the id "", until the tournament is announced."""
        value = self._given(key)
        if value is None:
            return ()
        if isinstance(value, list | tuple) and len(value) <= most:
            made = [tuple(one) if isinstance(one, list | tuple) else ("", one) for one in value]
            if all(is_person(one, known=False) for one in made):
                return tuple(made)
        self.wrong(
            key,
            f"is {shown(value)}",
            f'Write a list of at most {most} names: {key} = ["…", "…"]',
        )
        return ()

    def wholes(self, key: str, most: int) -> tuple[int, ...]:
        """A list of whole numbers from 1."""
        value = self._given(key)
        if value is None:
            return ()
        if (
            isinstance(value, list | tuple)
            and len(value) <= CHARTER_LIST_MAX
            and all(type(one) is int and 0 < one <= most for one in value)
        ):
            return tuple(value)
        self.wrong(key, f"is {shown(value)}", f"Write a list of numbers: {key} = [3, 5]")
        return ()

    def steps(self, key: str, most: int) -> tuple[tuple[int, int], ...]:
        """A list of pairs of whole numbers from 1, both rising."""
        value = self._given(key)
        if value is None:
            return ()
        pairs = tuple(map(tuple, value)) if _are_pairs(value, most) else ()
        if pairs and all(a < c and b <= d for (a, b), (c, d) in itertools.pairwise(pairs)):
            return pairs
        if value not in ([], ()):
            remedy = f"Write pairs of entrants and how many go on: {key} = [[8, 4], [16, 8]]"
            self.wrong(key, f"is {shown(value)}", remedy)
        return ()

    def table(self, key: str) -> Table:
        value = self._given(key)
        place = f"{self.place}, {key}" if self.place else key
        return Table(self.out, {} if value is None else value, place)

    def rows(self, key: str, most: int) -> list[Table]:
        value = self._given(key)
        if value is None:
            return []
        if not isinstance(value, list | tuple) or len(value) > most:
            self.wrong(key, f"is not a list of up to {most}", f"Write [[{key}]] once for each")
            return []
        return [Table(self.out, one, f"{key} {n}") for n, one in enumerate(value, 1)]

    def done(self) -> None:
        """Report the keys that nobody asked for."""
        for key in self.doc:
            if key not in self.asked:
                self.out.error(
                    self.place or "charter",
                    f"has an unknown key {str(key)!r}",
                    nearest(str(key), self.asked),
                )


def _are_pairs(value: Any, most: int) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) <= CHARTER_LIST_MAX
        and all(
            isinstance(pair, list | tuple)
            and len(pair) == 2
            and all(type(one) is int and 0 < one <= most for one in pair)
            for pair in value
        )
    )


def shown(value: Any) -> str:
    """A value as a finding quotes it: in one line, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
