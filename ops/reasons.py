"""The legend of reasons for protocol/reasons.md: every key that a finding, a refusal, an end or an
error can name, with its sentence. `ops.contract` writes it.

What an audit finds is whatever its sources name, without what is listed here as being no finding:
a new key stands in the legend by itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Final

from warledger.engine.games import NAMES
from warledger.protocol.lang import catalogue, words_of

ROOT: Final = Path(__file__).parents[1]
_SERIES: Final = ("ocs",)
"""Families of titles whose sentences are titles' as well."""

_TELLING: Final = frozenset(
    ("report.py", "verdict.py", "explain.py", "commands.py", "replay.py", "plain.py")
)
"""Sources that say what was found, and find nothing."""
_NO_FINDINGS: Final = (
    *("acts.kind.", "acts.owed.", "audit.note.", "audit.reservation.", "audit.remark."),
    *("audit.remarks.", "audit.checked.", "audit.unchecked.", "audit.means.", "audit.do."),
    *("audit.use.", "audit.compare.", "audit.frame.", "audit.replay.", "audit.is.", "audit.of."),
    "audit.why",
)
"""Families of sentences that are parts of others, notes, reservations and remarks."""
_PARTS: Final = frozenset(
    (
        *("audit.no_title", "audit.release_lost", "audit.tournament.no_matcher"),
        *("audit.tournament.lots_few", "audit.tournament.lots_missing", "audit.tournament.ended"),
        "audit.tournament.lots_of_few",
        *("audit.tournament.signed_after", "audit.not_wanted"),
        "audit.tournament.signed_before",
    )
)
"""Single ones."""
_ADDED: Final = ("audit.tournament.seen_elsewhere",)
"""A finding that a source which only tells has the name of."""
_MEANT: Final = {
    "audit.file": "no file has this at byte *offset*: *what*",
    "audit.option": "an option has a value that the rules do not allow: *what*",
    "audit.record": "the bytes are no record in canonical form, or one of no kind: *what*",
    "audit.shape": "the field does not have its form: it is not *what*",
    "error.bad_option": "an option or a term cannot have this value: *what*",
    "error.tournament_matching": "the round cannot be paired on this server: *what*",
}
"""What is meant where the sentence alone is little more than its argument."""
_WHAT: Final = re.compile(r"\{([a-z_]+)(?::([a-z]+)(?::([^{}]*))?)?\}")


def findings() -> list[str]:
    """The keys of everything that an audit can find, of games and of tournaments."""
    english, found = catalogue("en"), set(_ADDED)
    sources = chain(*(ROOT.joinpath(name).rglob("*.py") for name in ("clients/audit", "protocol")))
    for path in sources:
        if path.name in _TELLING:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    for path in ROOT.joinpath("clients/web").rglob("*.js"):
        found |= set(re.findall(r'"(acts\.[a-z_.]+)"', path.read_text(encoding="utf-8")))
    return sorted(
        key
        for key in found
        if key in english
        and key.startswith(("acts.", "audit."))
        and not key.startswith(_NO_FINDINGS)
        and key not in _PARTS
    )


def _keys(family: str) -> list[str]:
    """The keys of a family that are no title's own."""
    titles = {*NAMES, *_SERIES, *(word for name in (*NAMES, *_SERIES) for word in words_of(name))}
    return sorted(
        key
        for key in catalogue("en")
        if key.startswith(f"{family}.") and key.split(".")[1] not in titles
    )


def refusals() -> list[str]:
    """The keys of refusals of games and tournaments, without those of titles."""
    return _keys("refusal")


def ends() -> list[str]:
    """The keys of reasons why a game ended, without those of titles."""
    return _keys("outcome")


def errors() -> list[str]:
    """The keys of what errors say."""
    return _keys("error")


def sentence(key: str) -> str:
    """The sentence of a key, with its arguments by name."""

    def told(found: re.Match[str]) -> str:
        return found[3].split("|")[-1] if found[2] == "plural" else f"*{found[1]}*"

    if key in _MEANT:
        return _MEANT[key]
    text = _WHAT.sub(told, catalogue("en")[key]).replace("{{", "{").replace("}}", "}")
    return " ".join(text.replace("|", "\\|").split())


def table(keys: Iterable[str]) -> str:
    """A table of keys and their sentences."""
    rows = (f"| `{key}` | {sentence(key)} |" for key in keys)
    return "\n".join(("| reason | what it says |", "|---|---|", *rows))


def tables() -> tuple[tuple[str, str], ...]:
    """Each table of the page by its name."""
    found = findings()
    ledgers = [key for key in found if key.startswith("audit.tournament.")]
    refused = refusals()
    desks = [key for key in refused if key.startswith("refusal.tournament.")]
    return (
        ("findings", table(key for key in found if key not in ledgers)),
        ("ledger findings", table(ledgers)),
        ("refusals", table(key for key in refused if key not in desks)),
        ("ledger refusals", table(desks)),
        ("ends", table(ends())),
        ("error sentences", table(errors())),
    )
