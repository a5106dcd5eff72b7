"""What the small auditor says of a whole file, of a game or a ledger: whether it is sound, the
record of the first finding, and what is reserved, by the tables of "The verdict"."""

from typing import Any

from tests.audit.mini_auditor import Auditor
from tests.audit.mini_files import kind_of_log
from tests.audit.mini_ledger import Ledger
from tests.audit.mini_values import NotRead, Unsound

Reserved = tuple[str, int | None]
"""The name of a reservation, and the record that it is about."""


class Verdict:
    """`sound`: None for a file of another format. `seq` and `byte` are where the first finding is,
    and `why` what is wrong."""

    def __init__(self, sound: bool | None, reserved: list[Reserved], wrong: Unsound | None) -> None:
        self.sound, self.reserved = sound, reserved
        self.seq = wrong.seq if wrong is not None else None
        self.byte = wrong.byte if wrong is not None else None
        self.why = str(wrong) if wrong is not None else ""


def verdict(data: bytes, key: bytes | None) -> Verdict:
    """The verdict on a file."""
    ledger = Ledger() if kind_of_log(data) in ("charter", "act") else None
    game = Auditor() if ledger is None else None
    try:
        if ledger is not None:
            ledger.run(data, key)
        elif game is not None:
            game.run(data, key)
    except NotRead:
        return Verdict(None, [], None)
    except Unsound as wrong:
        if wrong.seq is None and wrong.byte is None and ledger is not None:
            wrong.seq = ledger.at
        return Verdict(False, [], wrong)
    told = reserved_of_ledger(ledger, key) if ledger is not None else reserved(game, key)
    return Verdict(True, list(told), None)


def reserved_of_ledger(found: Ledger, key: bytes | None) -> Any:
    """The same of a ledger."""
    if key is None:
        yield "no_key", None
    if found.vouched < 0:
        yield "no_head", None
    elif found.vouched < len(found.records) - 1:
        yield "head_early", found.vouched
    if not found.ended:
        yield "so_far", None
    if found.of_the_desk:
        yield "lots_of_desk", None
    if found.owed:
        yield "half_done", None


def reserved(found: Any, key: bytes | None) -> Any:
    """What keeps a file without findings from being plain Sound."""
    last = len(found.records) - 1
    if "self_play" not in found.terms:
        if key is None:
            yield "no_key", None
        if found.vouched < 0:
            yield "no_head", None
        elif found.vouched < last:
            yield "head_early", found.vouched
    if not found.ended:
        yield "running", None
    elif not found.whole:
        yield "unopened", None
    if found.waiting:
        yield "waiting", None
    if found.unsigned:
        yield "unsigned", None
    if half_done(found):
        yield "half_done", None
    for seq in found.handed_over:
        yield "replaced", seq


def half_done(found: Auditor) -> bool:
    """Whether something is owed behind the last record."""
    if found.ended:
        return False
    if not found.began:
        return len(found.nonces) == len(found.seats)
    over = found.over and not found.docket.protest
    due = found.docket.due and found.docket.must() is not None
    return bool(
        found.owed
        or over
        or found.must
        or due
        or found.pausing is not None
        or found.waived_now
        or found.flagged
    )


__all__ = ["Reserved", "Verdict", "half_done", "verdict"]
