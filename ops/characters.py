"""Writes engine/desk/characters.json anew: `python -m ops.characters CONFUSABLES UCD`.

CONFUSABLES is `confusables.txt` of UTS #39, and UCD a folder with the files of the Unicode
Character Database of the same version. What is written concerns letters, marks and digits that
every Python knows on which Warledger runs. All are their own form NFKC: a handle has no others.

A new version changes what looks alike. Servers notice it and compare their handles anew."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

WRITTEN: Final = Path(__file__).parents[1] / "engine/desk/characters.json"
AGE_MOST: Final = (14, 0)
"""The version of Unicode that the oldest supported Python knows."""
_CATEGORIES: Final = ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd")
_SHARED: Final = ("Zyyy", "Zinh")
"""The scripts of what all scripts have in common."""

Ranges = list[list[int]]


def lines(file: Path) -> Iterator[tuple[str, ...]]:
    """The fields of each line of a file of Unicode's, without remarks."""
    for line in file.read_text(encoding="utf-8-sig").splitlines():
        told = line.partition("#")[0].strip()
        if told:
            yield tuple(part.strip() for part in told.split(";"))


def points(told: str) -> range:
    """The code points of a first field: one, or a range."""
    first, _, last = told.partition("..")
    return range(int(first, 16), int(last or first, 16) + 1)


def property_of(file: Path) -> dict[int, str]:
    """A property by code point."""
    return {point: fields[1] for fields in lines(file) for point in points(fields[0])}


def ranges(found: Iterable[int]) -> Ranges:
    """Code points as first and last of each range, in order."""
    made: Ranges = []
    for point in sorted(found):
        if made and made[-1][1] == point - 1:
            made[-1][1] = point
        else:
            made.append([point, point])
    return made


def written(confusables: Path, ucd: Path) -> dict[str, Any]:
    """What the file says. Raises LookupError where a file of Unicode's says nothing of its
    version."""
    version = re.search(r"^# Version: (\S+)$", confusables.read_text("utf-8-sig"), re.MULTILINE)
    if version is None:
        raise LookupError(f"{confusables} names no version")
    age, category = property_of(ucd / "DerivedAge.txt"), property_of_category(ucd)
    codes = {long: short for short, long in aliases(ucd)}
    script = {point: codes[name] for point, name in property_of(ucd / "Scripts.txt").items()}
    extended = property_of(ucd / "ScriptExtensions.txt")
    joining = property_of(ucd / "extracted/DerivedJoiningType.txt")

    def is_known(point: int) -> bool:
        return (
            tuple(map(int, age.get(point, "99.0").split("."))) <= AGE_MOST
            and category.get(point) in _CATEGORIES
            and unicodedata.is_normalized("NFKC", chr(point))
        )

    known = [point for point in range(0x110000) if is_known(point)]
    by_script: dict[str, list[int]] = {}
    for point in known:
        told = extended.get(point) or script.get(point, "Zyyy")
        by_script.setdefault("" if told in _SHARED else told, []).append(point)
    kept = set(known)
    alike = {
        chr(int(one, 16)): "".join(chr(int(part, 16)) for part in to.split())
        for one, to, _ in lines(confusables)
        if int(one, 16) in kept
    }
    return {
        "version": version[1],
        "scripts": {name: ranges(found) for name, found in sorted(by_script.items())},
        "joining": {
            kind: ranges(point for point in known if joining.get(point) == kind)
            for kind in ("D", "L", "R")
        },
        "alike": dict(sorted(alike.items())),
    }


def aliases(ucd: Path) -> Iterator[tuple[str, str]]:
    """The short and long names of scripts."""
    for kind, short, long, *_ in lines(ucd / "PropertyValueAliases.txt"):
        if kind == "sc":
            yield short, long


def property_of_category(ucd: Path) -> dict[int, str]:
    """The general category of each code point."""
    return property_of(ucd / "extracted/DerivedGeneralCategory.txt")


def main() -> None:
    """Write the file."""
    made = written(*map(Path, sys.argv[1:3]))
    text = json.dumps(made, indent=0, ensure_ascii=True)
    # A line for each script, not one for each number.
    text = re.sub(r"(?<=[\[\],\d])\n(?=[\[\]\d])", "", text)
    WRITTEN.write_text(text + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
