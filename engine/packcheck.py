"""`warledger pack check`: finds whose pack a folder is, and asks that family.

A pack says whose it is: `rules` in the [scenario] of a set-up names the title, or the pack has a
title's name. Otherwise the first family that recognises it is asked.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from warledger.engine import packfiles, registry
from warledger.engine.board import boardchecks
from warledger.engine.board.boardchecks import Docs, Family
from warledger.engine.kernel.ledger import genesis_record
from warledger.engine.kernel.types import Rules
from warledger.engine.packkeys import unknown_keys
from warledger.protocol.board.findings import ERROR, Finding
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.limits import HASH_BYTES
from warledger.protocol.log.records import Genesis


@frozen
class Checked:
    """What became of a check: the title whose rules tried the pack ("" for none), the family asked
    (None if none knows such a pack), and the findings, errors first."""

    title: str
    family: Family | None
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """How many findings keep the pack from being used."""
        return sum(finding.severity == ERROR for finding in self.findings)


def line_of(folder: Path, finding: Finding) -> int:
    """The line of a pack's file where what a finding speaks of stands, counted from 1; 0 where it
    cannot be told. Tables and entries are found by their names as the finding's place gives
    them."""
    file, *words = finding.place.replace(",", " ").split()
    path = folder / file
    if not file.endswith(".toml") or not path.is_file():
        return 0
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    found = 0
    for word in words:
        name = word.strip("[]")
        if not name:
            continue
        heads = (f"[{name}]", f"[[{name}]]") if word.startswith("[") else ()
        begins = tuple(f"{key} =" for key in (name, f'"{name}"'))
        for number in range(found, len(lines)):
            line = lines[number].strip()
            if line.startswith((*heads, *begins)) or (
                not heads and re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", line)
            ):
                found = number
                break
    if words[-2:-1] == ["line"] and words[-1].isdecimal():
        rows = [n for n, line in enumerate(lines) if n > found and line.lstrip().startswith('"')]
        found = rows[int(words[-1]) - 1] if int(words[-1]) <= len(rows) else found
    return found + 1 if words and found else 0


def check(docs: Docs, title: str = "") -> Checked:
    """Check documents as a pack of a title, or of whoever they belong to.

    A pack without errors is also tried: the title's rules begin a game with it. Raises KeyError for
    a title that is not known.
    """
    if not docs:
        nothing = Finding(
            ERROR,
            "pack",
            "no file could be read",
            "Give a folder that holds the pack's .toml files",
        )
        return Checked(title, None, (nothing,))
    title = title or title_of(docs)
    family = registry.family_of(title) if title else None
    if family is None:
        family = next((known for known in registry.families() if known.recognises(docs)), None)
    if family is None:
        known = ", ".join(registry.names())
        unknown = Finding(
            ERROR,
            "pack",
            "no title says that it plays with such files",
            f'Write rules = "TITLE" in the [scenario] of its set-up; titles are: {known}',
        )
        return Checked(title, None, (unknown,))
    title = title or _only_title_of(family)
    findings = boardchecks.check(docs, family)
    if title:
        findings += unknown_keys(docs, packfiles.read_pack(title), packfiles.words_read(title))
        findings.sort(key=lambda finding: finding.severity != ERROR)
    if title and not any(finding.severity == ERROR for finding in findings):
        findings = [*_tried(docs, title), *findings]
    return Checked(title, family, tuple(findings))


def _only_title_of(family: Family) -> str:
    """The title whose family it is, "" where several titles share it."""
    titles = [name for name in registry.names() if registry.family_of(name) is family]
    return titles[0] if len(titles) == 1 else ""


def title_of(docs: Docs) -> str:
    """The title that the documents name, if it is one that can be played here, else ""."""
    named = [*_named(docs)]
    return next((name for name in named if name in registry.names()), "")


def _named(docs: Docs) -> Iterator[str]:
    for doc in docs.values():
        scenario = doc.get("scenario") if isinstance(doc, Mapping) else None
        if isinstance(scenario, Mapping) and isinstance(scenario.get("rules"), str):
            yield scenario["rules"]
    for doc in docs.values():
        if isinstance(doc, Mapping) and isinstance(doc.get("pack"), str):
            yield doc["pack"]


def _tried(docs: Docs, title: str) -> Iterator[Finding]:
    try:
        trial(registry.rules_of(title), docs)
    except packfiles.UnusablePack as error:
        yield Finding(
            ERROR, "pack", str(error), f"Compare it with the pack that comes with {title}"
        )


def trial(rules: Rules[Any], pack: Mapping[str, Any]) -> None:
    """Begin a game that nobody plays, so that a mistake in a pack shows before one. Raises BadPack
    where the rules cannot begin with it."""
    nothing = bytes(HASH_BYTES)
    try:
        genesis = genesis_record(
            rules,
            game="trial",
            options={},
            pack=packfiles.pack_bytes(dict(pack)),
            digest=nothing,
            keys=Keys(nothing, nothing, nothing),
            server_key=nothing,
            at_ms=0,
        )
        rules.initial(Genesis.from_record(genesis))
    except Exception as error:
        raise packfiles.UnusablePack(
            f"the rules of {rules.title} cannot begin with it: {type(error).__name__}: {error}"
        ) from error
