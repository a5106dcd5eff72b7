"""Who judges a file, and how their verdicts are compared.

A judge takes files, each with the server's key, and returns what it makes of each. All must agree:
whether a file is sound (or not read at all); where the first finding is; and, of a sound file, what
is reserved. Where the bytes of a frame are damaged, the first finding is compared by the byte at
which the frame begins, otherwise by the number of the record (None: the file as a whole). What is
said to be wrong is not compared: of one record, auditors may look at one thing or another first.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs

from tests.audit import mini_verdict
from tests.audit.odd.quick import quick
from warledger.clients.audit.evidence import reservations
from warledger.clients.audit.examine import examine
from warledger.clients.audit.tournament import examine_tournament, is_tournament
from warledger.clients.audit.verdict import Finding, Reservation
from warledger.protocol.log import wlog


@attrs.frozen
class Verdict:
    """What a judge makes of a file. `sound`: None for one of another format, which is not read.
    `why` is for people, and not compared."""

    sound: bool | None
    place: tuple[str, int | None] | None = None
    reserved: tuple[tuple[str, int | None], ...] = ()
    why: str = attrs.field(default="", eq=False)

    def __str__(self) -> str:
        if self.sound is None:
            return "not read"
        if self.sound:
            told = [name if at is None else f"{name} {at}" for name, at in self.reserved]
            return f"sound ({', '.join(told)})"
        where = "" if self.place is None else f"{self.place[0]} {self.place[1]}"
        return f"{where}: {self.why}"


Judged = Verdict | BaseException
File = tuple[bytes, bytes | None]
"""The bytes of a file, and the key that is given for it."""
Judge = Callable[[Sequence[File]], Sequence[Judged]]
"""What goes wrong in a judge is its verdict, and agrees with none."""


def _each(judge: Callable[[bytes, bytes | None], Verdict]) -> Judge:
    def judged(files: Sequence[File]) -> list[Judged]:
        verdicts: list[Judged] = []
        for data, key in files:
            try:
                verdicts.append(judge(data, key))
            except Exception as error:
                verdicts.append(error)
        return verdicts

    return judged


# --- the audit ------------------------------------------------------------------------------------


def _audit(data: bytes, key: bytes | None) -> Verdict:
    try:
        if is_tournament(data):
            cup = examine_tournament(data, key=key)
            return _of_audit(cup.findings, tuple(cup.reserved()))
        found = examine(data, key=key)
    except wlog.OtherFormat:
        return Verdict(None)
    return _of_audit(found.findings, reservations(found))


def _of_audit(findings: Sequence[Finding], reserved: Sequence[Reservation]) -> Verdict:
    if not findings:
        return Verdict(True, None, tuple(sorted(map(_name, reserved), key=str)))
    first = findings[0]
    place = ("record", first.seq) if first.offset is None else ("byte", first.offset)
    return Verdict(False, place, (), f"{first.field}: {first.said.key} {dict(first.said.args)}")


def _name(reserved: Reservation) -> tuple[str, int | None]:
    args = dict(reserved.said.args)
    return reserved.name, args.get("seq")


# --- the small auditor ----------------------------------------------------------------------------


def _small(data: bytes, key: bytes | None) -> Verdict:
    with quick():
        found = mini_verdict.verdict(data, key)
    if found.sound is None:
        return Verdict(None)
    if found.sound:
        return Verdict(True, None, tuple(sorted(found.reserved, key=str)))
    place = ("record", found.seq) if found.byte is None else ("byte", found.byte)
    return Verdict(False, place, (), found.why)


JUDGES: Final[Mapping[str, Judge]] = {"audit": _each(_audit), "small": _each(_small)}
"""Those that need nothing but Python."""


def disagree(verdicts: Sequence[Judged]) -> bool:
    """Whether these verdicts on one file differ, or a judge has none."""
    return any(not isinstance(one, Verdict) or one != verdicts[0] for one in verdicts)


__all__ = ["JUDGES", "File", "Judge", "Judged", "Verdict", "disagree"]
