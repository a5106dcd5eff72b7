"""What an archive does with a game that is over before it says that it has it for good: its sealed
file, and the audit of that."""

from collections.abc import Sequence
from typing import Final

from warledger.clients.audit.audit import Rulebook, audit, installed
from warledger.clients.audit.examine import examine
from warledger.clients.audit.verdict import (
    ALLOW_REPLACED,
    ALLOW_UNSIGNED,
    CHAIN_ONLY,
    UNSOUND,
)
from warledger.engine.archive.wheels import BadWheel
from warledger.engine.registry import BadTitle
from warledger.engine.runtime.game.gameexport import export_game
from warledger.protocol.lang import phrases
from warledger.protocol.log import wlog
from warledger.protocol.log.bodies import closes_log
from warledger.protocol.log.records import Genesis, read
from warledger.protocol.log.wlog import FRAME_RECORD, Frame

ALLOWED: Final = (ALLOW_REPLACED, ALLOW_UNSIGNED, CHAIN_ONLY)
"""What may be so in a game that an archive has for good: what both sides agreed to, and rules that
are not had here."""


def sealed(frames: Sequence[Frame]) -> bytes:
    """The file of a game that is over, with everything that was hidden in it. Raises ValueError
    where it is not."""
    records = [frame.payload for frame in frames if frame.kind == FRAME_RECORD]
    if not records or not closes_log(read(records[-1])):
        raise ValueError("its last record does not close it")
    return export_game(frames)


def doubts(frames: Sequence[Frame], keys: Sequence[bytes]) -> str:
    """What is wrong with the evidence of a game in a store, in words; "" if nothing is. It may
    still be played."""
    try:
        report, _ = audit(export_game(frames), key=keys)
    except (ValueError, wlog.OtherFormat) as error:
        return str(error)
    if report.code() != UNSOUND:
        return ""
    return "; ".join(report.verdict.problems(phrases("en")))


def judged(data: bytes, *, keys: Sequence[bytes], rulebook: Rulebook | None = None) -> str:
    """What is wrong with a file by its audit, in words; "" if nothing is. `keys` are those of
    servers, of which it must name one. Where its rules are had here, they decide it again."""
    try:
        rules = rulebook or installed()
        genesis = examine(data, key=keys).genesis
        report, _ = audit(
            data,
            key=keys,
            rulebook=rules,
            replay=genesis is not None and _has(rules, genesis),
        )
    except (BadWheel, BadTitle, wlog.OtherFormat) as error:
        return str(error)
    return "; ".join(report.verdict.problems(phrases("en"), ALLOWED))


def _has(rules: Rulebook, genesis: Genesis) -> bool:
    """Whether these are the rules that the game was begun with."""
    if rules.archived(genesis) is not None:
        return True
    try:
        return rules.digest is not None and rules.digest(genesis.title) == genesis.digest
    except KeyError:
        return False
