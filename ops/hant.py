"""Writes protocol/lang/zh-Hant anew from protocol/lang/zh-Hans: `python -m ops.hant`, after a text
or ops/hant.toml has changed.

OpenCC turns each line into Taiwan's characters and words. The terms of ops/hant.toml then replace
what it says otherwise. Its texts stand for sentences that no term puts right."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from opencc import OpenCC  # type: ignore[import-untyped]

LANG: Final = Path(__file__).parents[1] / "protocol/lang"
CHOSEN: Final = Path(__file__).with_suffix(".toml")
HEADER: Final = "# Generated from zh-Hans by `python -m ops.hant`: change that, or ops/hant.toml.\n"
_ENTRY: Final = re.compile(r'"(?P<key>[\w.]+)" = ')


@cache
def chosen() -> dict[str, Any]:
    """What ops/hant.toml says."""
    return tomllib.loads(CHOSEN.read_text(encoding="utf-8"))


@cache
def spoken(catalogue: str) -> Callable[[str], str]:
    """What turns a line of a catalogue into traditional Chinese; of two terms that both fit, the
    longer counts."""
    terms = chosen()["terms"] | chosen().get("terms_of", {}).get(catalogue, {})
    found = re.compile("|".join(map(re.escape, sorted(terms, key=len, reverse=True))))
    convert = OpenCC("s2twp").convert
    return lambda line: found.sub(lambda term: terms[term[0]], convert(line))


def lines(catalogue: str) -> Iterator[str]:
    """The lines of a catalogue in traditional Chinese. Raises KeyError for a text of ops/hant.toml
    that the catalogue does not have, or that comes out the same without it."""
    own = dict(chosen()["texts"].get(catalogue, {}))
    yield HEADER
    source = (LANG / "zh-Hans" / f"{catalogue}.toml").read_text(encoding="utf-8")
    for line in source.splitlines(keepends=True):
        said = spoken(catalogue)(line)
        entry = _ENTRY.match(line)
        text = own.pop(entry["key"], None) if entry else None
        if entry and text is not None:
            whole = f'{entry[0]}"{text}"\n'
            if whole == said:
                raise KeyError(f"ops/hant.toml: {catalogue} {entry['key']} is not needed")
            said = whole
        yield said
    if own:
        raise KeyError(f"ops/hant.toml: {catalogue} has no {', '.join(own)}")


def written() -> dict[Path, str]:
    """Each file of the language, with its text."""
    names = sorted(path.stem for path in (LANG / "zh-Hans").glob("*.toml"))
    return {LANG / "zh-Hant" / f"{name}.toml": "".join(lines(name)) for name in names}


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
