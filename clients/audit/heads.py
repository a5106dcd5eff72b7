"""Level 1, what the server signed: heads in the file and receipts that somebody kept, its key from
one record to the next, and what seats witnessed at the end. All but witnesses is the same for a
game's file and for a tournament's."""

from collections.abc import Sequence

from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.found import Found
from warledger.protocol import canon
from warledger.protocol.board.choices import say
from warledger.protocol.log import chain
from warledger.protocol.log.chain import Head
from warledger.protocol.seats import acts


def check_key(found: Found) -> None:
    """The key that was given is the file's own, or one that it switched to."""
    given = found.given_key
    if given is None:
        return
    if given not in [key for _, key in found.server_keys]:
        found.wrong(
            0,
            "server_key",
            say("audit.other_key", named=found.server_keys[0][1], given=given),
        )
    else:
        # Whoever has a stolen key could have signed over to one of their own.
        found.notes += [
            say("audit.note.key_changed", seq=seq, key=key)
            for seq, key in found.server_keys[1:]
            if key not in found.given_keys
        ]


def check_frame(found: Found, payload: bytes, seq: int) -> None:
    """A head frame that stands behind record `seq`."""
    try:
        head = chain.read_head(payload)
    except canon.NotCanonical as error:
        found.wrong(seq, "head", say("audit.record", what=str(error)))
    else:
        _check(found, head, receipt=False)


def check_receipts(found: Found, receipts: Sequence[Head]) -> None:
    """The receipts for this game or tournament among those given."""
    ours = [head for head in receipts if head.game == found.id]
    for head in ours:
        _check(found, head, receipt=True)
    if not ours:
        found.notes.append(say("audit.note.no_receipts", game=found.id))


def check_forks(found: Found) -> None:
    """Two hashes that the server signed for one record: it showed two histories."""
    for seq in sorted(found.signed_hashes):
        hashes = sorted(found.signed_hashes[seq])
        if len(hashes) > 1:
            found.wrong(seq, "head", say("audit.fork", seq=seq, one=hashes[0], other=hashes[1]))


def check_witness(found: Evidence, payload: bytes, seq: int) -> None:
    """A witness frame that stands behind record `seq`."""
    try:
        array = canon.unpack(payload)
    except canon.NotCanonical as error:
        found.wrong(max(seq, 0), "witness", say("audit.record", what=str(error)))
        return
    match array:
        case (str(seat), bytes(key), int(named), bytes(hash), bytes(signature)):
            pass
        case _:
            said = say("audit.shape", what="[seat, key, seq, hash, signature]")
            found.wrong(max(seq, 0), "witness", said)
            return
    last = found.records[-1]
    sitter = found.sitters.get(seat)
    if not found.revealed or seq != last.seq:
        found.wrong(seq, "witness", say("audit.witness_early"))
    elif sitter is None or key not in sitter.keys:
        found.wrong(seq, "witness.key", say("acts.unknown_key", seat=seat))
    elif (named, hash) != (last.seq, last.hash):
        found.wrong(seq, "witness.hash", say("audit.head"))
    elif not acts.verify(
        key, acts.witness_bytes(found.opened_genesis.hash, named, hash), signature
    ):
        found.wrong(seq, "witness.signature", say("audit.witness_signature", seat=seat))
    else:
        sitter.signed_to = last.seq
        if seat not in found.witnesses:
            found.witnesses.append(seat)


def signer_of(found: Found, seq: int, message: bytes, signature: bytes) -> bytes | None:
    """The server's key that signed something about record `seq`: the one in force there or a later
    one, or the key given. None: no key did."""
    keys = found.server_keys
    good = list(chain.keys_from(keys, seq))
    if found.given_key is not None and found.given_key not in [key for _, key in keys]:
        good.append(found.given_key)
    return next((key for key in good if acts.verify(key, message, signature)), None)


def server_said(found: Found, seq: int, hash: bytes) -> None:
    """The server signed that record `seq` has this hash."""
    found.signed_hashes.setdefault(seq, set()).add(hash)


def _check(found: Found, head: Head, *, receipt: bool) -> None:
    count = len(found.records)
    where = "receipt" if receipt else "head"
    found.heads += 1
    signer = signer_of(
        found, head.seq, chain.signed_bytes(head.game, head.seq, head.hash), head.signature
    )
    if signer is None:
        if receipt:
            found.notes.append(say("audit.note.receipt_unsigned", seq=head.seq))
            return
        found.wrong(head.seq, where, say("audit.signature"))
    if head.game != found.id:
        found.wrong(head.seq, where, say("audit.head_game", game=head.game))
        return
    if signer is not None:
        server_said(found, head.seq, head.hash)
    if not 0 <= head.seq < count:
        found.wrong(head.seq, where, say("audit.head_beyond", seq=head.seq))
    elif found.records[head.seq].hash != head.hash:
        found.wrong(head.seq, where, say("audit.receipt") if receipt else say("audit.head"))
    elif signer is not None and _counts(found, signer):
        found.vouched = max(found.vouched, head.seq)


def _counts(found: Found, signer: bytes) -> bool:
    """Whether a key's word is that of the key given: the same, or one that it switched to."""
    keys = [key for _, key in found.server_keys]
    if found.given_key is None:
        return signer in keys
    return found.given_key in keys and signer in keys[keys.index(found.given_key) :]
