"""Level 1, signed heads: those in the file and the receipts that somebody kept, against the key and the records."""

from collections.abc import Sequence

from clients.audit.evidence import Evidence
from protocol import canon, chain
from protocol.chain import Head
from protocol.choices import say


def check_frame(found: Evidence, payload: bytes, seq: int) -> None:
    """A head frame that stands behind record `seq`."""
    try:
        array = canon.unpack(payload)
    except canon.NotCanonical as error:
        found.wrong(seq, "head", say("audit.record", what=str(error)))
        return
    types = (str, int, bytes, bytes)
    if type(array) is not tuple or len(array) != 4 or any(type(item) is not kind for item, kind in zip(array, types, strict=True)):
        found.wrong(seq, "head", say("audit.shape", what="[game, seq, hash, signature]"))
        return
    _check(found, Head(*array), receipt=False)


def check_receipts(found: Evidence, receipts: Sequence[Head]) -> None:
    """The receipts for this game among those given."""
    game = found.opened_genesis.game
    ours = [head for head in receipts if head.game == game]
    for head in ours:
        _check(found, head, receipt=True)
    if not ours:
        found.notes.append(say("audit.note.no_receipts", game=game))


def _check(found: Evidence, head: Head, *, receipt: bool) -> None:
    genesis, count = found.opened_genesis, len(found.records)
    where = "receipt" if receipt else "head"
    found.heads += 1
    if not chain.head_is_signed_by(genesis.server_key, head):
        found.wrong(head.seq, where, say("audit.receipt_key") if receipt else say("audit.signature"))
    if head.game != genesis.game:
        found.wrong(head.seq, where, say("audit.head_game", game=head.game))
    elif not 0 <= head.seq < count:
        found.wrong(head.seq, where, say("audit.head_beyond", seq=head.seq))
    elif found.records[head.seq].hash != head.hash:
        found.wrong(head.seq, where, say("audit.receipt") if receipt else say("audit.head"))


__all__ = ["check_frame", "check_receipts"]
