"""A whole audit: level 1, then level 2 if it can be reached, as one Report. Also where two files
diverge."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.examine import examine
from warledger.clients.audit.found import Found
from warledger.clients.audit.kept import Kept
from warledger.clients.audit.parts import redecide_on
from warledger.clients.audit.redecide import (
    Titles,
    first_difference,
    not_default,
    shown,
    shown_apart,
)
from warledger.clients.audit.report import Report, place
from warledger.engine.archive.releasedledger import ReleasedRules
from warledger.engine.archive.wheels import Archive
from warledger.protocol.board.choices import Say, say
from warledger.protocol.log.chain import Head
from warledger.protocol.log.records import Genesis, Record, hash_of

VARIABLE: Final = "WARLEDGER_ARCHIVE"
"""The environment variable that names the archive of releases."""


@frozen
class Rulebook:
    """The rules installed here: by title, the digests of its sources and of its own pack; and the
    archive of earlier releases, if there is one."""

    rules: Titles
    digest: Callable[[str], bytes] | None = None
    pack: Callable[[str], bytes] | None = None
    archive: Archive | None = None

    def has(self, genesis: Genesis) -> bool:
        """Whether the rules installed here are those that a game was begun with, as far as that is
        known."""
        try:
            return self.digest is None or self.digest(genesis.title) == genesis.digest
        except KeyError:
            return False

    def archived(self, genesis: Genesis) -> ReleasedRules | None:
        """The archived rules that a game was begun with, if they are not those installed. Raises
        BadWheel for an archive that cannot be used."""
        if self.archive is None or self.digest is None:
            return None
        if self.has(genesis):
            return None
        return self.archive.rules(genesis.title, genesis.digest)


@cache
def installed(archive: Path | None = None) -> Rulebook:
    """The titles that can be played here, and the releases in an archive; without one, in that
    which the environment names (WARLEDGER_ARCHIVE)."""
    from warledger.engine.packfiles import pack_bytes, read_pack, rules_digest
    from warledger.engine.registry import rules_of

    folder = os.environ.get(VARIABLE, "") if archive is None else str(archive)
    return Rulebook(
        rules_of,
        rules_digest,
        lambda title: hash_of(pack_bytes(read_pack(title))),
        Archive(Path(folder)) if folder else None,
    )


def audit(
    data: bytes,
    *,
    key: bytes | Sequence[bytes] | None = None,
    receipts: Sequence[Head] | None = None,
    kept: Sequence[Kept] = (),
    rulebook: Rulebook | None = None,
    replay: bool = True,
    workers: int | None = 1,
) -> tuple[Report, Evidence]:
    """Audit a file's bytes. Without a rulebook, or with `replay` false, the audit stays at level 1.
    `key` is the server's, or several of which one must be that of the file (a server that changed
    its key publishes both). Commands are decided by up to so many processes at once, which changes
    nothing that is reported; None means as many as there are cores. A program with threads of its
    own always does it by itself.

    A game whose rules are in the rulebook's archive is decided by the release that began it.
    Returns the report and what level 1 made of the file. Raises BadWheel for an archive that cannot
    be used.
    """
    found = examine(data, key=key, receipts=receipts, kept=kept)
    if found.genesis is None:
        return found.report(0), found
    archived = rulebook.archived(found.genesis) if rulebook is not None and replay else None
    remarks = () if rulebook is None else tuple(_house(found.genesis, rulebook, archived))
    if rulebook is None or not replay:
        found.not_decided = say("audit.not_wanted")
        return found.report(1, remarks=remarks), found
    if found.findings:
        found.left_out.append(say("audit.unchecked.rules"))
        return found.report(1, remarks=remarks), found
    titles = rulebook.rules if archived is None else lambda _: archived
    again = redecide_on(found, titles, workers)
    found.not_decided = again.not_decided
    return found.report(
        2 if again.whole else 1, again.decided, again.findings, again.notes, remarks
    ), found


def _house(genesis: Genesis, rulebook: Rulebook, archived: ReleasedRules | None) -> Iterator[Say]:
    """What a game was played with that differs from what the title ships with: readers of the
    verdict must see it."""
    if archived is not None:
        yield say(
            "audit.remark.archived",
            title=genesis.title,
            version=genesis.version,
            digest=genesis.digest.hex()[:16],
        )
    try:
        rules = rulebook.rules(genesis.title)
    except KeyError:
        return
    if rulebook.pack is not None and rulebook.pack(genesis.title) != genesis.pack_digest:
        yield say("audit.remark.pack", digest=genesis.pack_digest.hex()[:16])
    other = tuple(f"{name} = {shown(value)}" for name, value in not_default(rules, genesis.options))
    if other:
        yield say("audit.remark.options", options=other)
    if archived is None and rulebook.has(genesis) and genesis.version != rules.version:
        yield say("audit.remark.version", version=genesis.version, installed=rules.version)
    if archived is None and not rulebook.has(genesis):
        yield say("audit.remark.rules", title=genesis.title, version=genesis.version)


@frozen
class Comparison:
    """Where two files diverge: `seq` and `field` of the first record that differs, or None if one
    file is the beginning of the other."""

    agree: bool
    said: Say
    seq: int | None = None
    field: str = ""

    def as_data(self, text: str) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"agree": self.agree, "record": self.seq, "field": self.field, "text": text}


def compare(one: Evidence, other: Evidence, names: tuple[str, str]) -> Comparison:
    """Compare two examined files of games."""

    def where(ours: Record, theirs: Record) -> tuple[str, Any, Any]:
        path, a, b = first_difference(ours.kind, ours.body, theirs.body)
        return place(ours.kind, path), a, b

    return compare_records(one, other, names, where)


def compare_records(
    one: Found,
    other: Found,
    names: tuple[str, str],
    where: Callable[[Record, Record], tuple[str, Any, Any]],
) -> Comparison:
    """The first record at which two examined logs part. `names` are the files; `where` says in
    which field two bodies of a kind differ, and the values there."""
    if not one.records or not other.records:
        return Comparison(False, say("audit.compare.nothing"))
    if one.id and other.id and one.id != other.id:
        return Comparison(False, say("audit.compare.games", one=one.id, other=other.id), 0, "game")
    for ours, theirs in zip(one.records, other.records, strict=False):
        if ours.data == theirs.data:
            continue
        heads = one.server_keys[:1], other.server_keys[:1]
        signed = heads[0] == heads[1] and min(one.vouched, other.vouched) >= ours.seq
        for name in ("at_ms", "actor", "kind", "previous"):
            a, b = getattr(ours, name), getattr(theirs, name)
            if a != b:
                return _part(ours.seq, name, a, b, signed)
        field, a, b = where(ours, theirs)
        return _part(ours.seq, field, a, b, signed)
    more = len(one.records) - len(other.records)
    if more == 0:
        return Comparison(True, say("audit.compare.same", records=len(one.records)))
    longer, shorter = names if more > 0 else (names[1], names[0])
    return Comparison(True, say("audit.compare.longer", one=longer, other=shorter, more=abs(more)))


def _part(seq: int, field: str, ours: Any, theirs: Any, signed: bool) -> Comparison:
    """Where two files part. `signed`: the server's key vouches for both of the records."""
    one, other = shown_apart(ours, theirs)
    key = "audit.compare.part_signed" if signed else "audit.compare.part"
    said = say(key, seq=seq, field=field, ours=one, theirs=other)
    return Comparison(False, said, seq, field)
