"""Level 1 of a tournament's audit: form, chain, links, lots, nonces, seals, reports and heads, from
the file alone and by nothing but the protocol."""

from collections.abc import Sequence

from warledger.clients.audit import heads
from warledger.clients.audit.evidence import several
from warledger.clients.audit.examine import check_format
from warledger.clients.audit.kept import GENESIS_DIGITS, Kept
from warledger.clients.audit.ledgercourse import LedgerCourse
from warledger.clients.audit.ledgercourse import TournamentEvidence as TournamentEvidence
from warledger.clients.audit.reading import Reading, read
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import say
from warledger.protocol.chance import dice
from warledger.protocol.log import wlog
from warledger.protocol.log.chain import Head
from warledger.protocol.log.records import CorruptLog, OtherFormat, Record


def is_tournament(data: bytes) -> bool:
    """Whether a file holds a tournament's ledger and not a game: the first record that can be read
    tells."""
    for _, frame in wlog.survey(data).frames:
        if frame.kind == wlog.FRAME_RECORD:
            try:
                array = canon.unpack(frame.payload)
            except canon.NotCanonical:
                continue
            kind = array[3] if type(array) is tuple and len(array) > 3 else None
            return kind in (forms.CHARTER, forms.ACT)
    return False


def examine_tournament(
    data: bytes,
    *,
    key: bytes | Sequence[bytes] | None = None,
    receipts: Sequence[Head] | None = None,
    kept: Sequence[Kept] = (),
) -> TournamentEvidence:
    """Examine a file's bytes. `key` is the server's, or several of its keys, from a source other
    than the file. `receipts` are heads kept elsewhere, `kept` what folders of receipts hold beside
    heads. Raises wlog.OtherFormat for a file of another format."""
    check_format(data)
    found = TournamentEvidence(given_keys=several(key))
    read(found, data, _Examiner(found, receipts, kept))
    return found


class _Examiner(Reading):
    """Goes through a tournament's frames once."""

    ledger = True

    def __init__(
        self,
        found: TournamentEvidence,
        receipts: Sequence[Head] | None,
        kept: Sequence[Kept],
    ) -> None:
        super().__init__(found)
        self.evidence = found
        self.receipts = receipts
        self.kept = kept
        self.course: LedgerCourse

    def first(self, record: Record) -> bool:
        """The charter."""
        found = self.evidence
        try:
            charter = found.charter = forms.Charter.from_record(record)
        except OtherFormat as error:
            wrong = say("audit.header_format", header=wlog.FORMAT, format=error.format)
            found.wrong(0, "format", wrong)
            return False
        except CorruptLog as error:
            found.wrong(0, error.field, say("audit.record", what=error.what))
            return False
        found.server_keys.append((0, charter.server_key))
        self.course = LedgerCourse(found, record, charter)
        return True

    def take(self, record: Record) -> None:
        """Another record."""
        self.course.take(record)

    def private(self, payload: bytes, seq: int) -> None:
        """The private openings beside a record: an arbiter's file has them."""
        self.course.private(payload, seq)

    def secrets(self, payload: bytes) -> None:
        """The server's secrets."""
        self.course.secrets(payload)

    def last(self) -> None:
        """What may be about any record."""
        found = self.evidence
        self.course.after_all()
        heads.check_key(found)
        for payload, seq in self.heads:
            heads.check_frame(found, payload, seq)
        for _, seq in self.witnesses:
            found.wrong(seq, "witness", say("audit.tournament.witness"))
        if self.receipts is not None:
            heads.check_receipts(found, self.receipts)
        _check_kept(found, self.kept)
        heads.check_forks(found)


def _check_kept(found: TournamentEvidence, kept: Sequence[Kept]) -> None:
    """Compare what was kept of this tournament, entrants' nonces, with the file."""
    charter = found.charter
    assert charter is not None
    digits = charter.hash.hex()[:GENESIS_DIGITS]
    ours = [item for item in kept if item.game == charter.tournament]
    if any(item.genesis != digits for item in ours):
        found.note(say("audit.note.other_genesis", game=charter.tournament))
    committed: dict[str, set[bytes]] = {}
    for act in found.acts.values():
        for tag, *values in act.events:
            if tag in ("entered", "committed"):
                committed.setdefault(forms.bid_reader(values[0]), set()).add(values[-1])
    for item in ours:
        who = f"{forms.ENTRANT}:{item.seat[1:]}"  # a colon cannot stand in a file's name
        if item.genesis != digits or item.nonce is None or who not in committed:
            continue
        if dice.bound_nonce_hash(charter.hash, who, item.nonce) not in committed[who]:
            found.contradicted.append(say("audit.reservation.other_nonce", seat=who))
