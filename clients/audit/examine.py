"""Level 1: whether the evidence is sound by itself. Only `protocol` is needed, and no rules of any
game.

Frames and their end mark, the chain of hashes and the genesis are looked at here. `course` looks at
every record's form and its place in the course of a game (ceremony, decisions, requests, takebacks,
the end). Who may sign what is in `warledger.protocol.seats.acting`, dice and their draws in
`warledger.protocol.chance.drawing`, seals and openings in `hidden`. What seats bound themselves to
in secret is in `promises`, signed heads in `heads`, receipts kept elsewhere in `kept`, damaged
bytes in `damage`. `examine` raises nothing else for a file's content: whatever is wrong is a
Finding.
"""

from collections.abc import Sequence

from warledger.clients.audit import heads
from warledger.clients.audit.course import Course
from warledger.clients.audit.evidence import Evidence, several
from warledger.clients.audit.hidden import Hidden
from warledger.clients.audit.kept import Kept, check_kept
from warledger.clients.audit.reading import Reading, read
from warledger.clients.audit.signatures import Signatures
from warledger.protocol import canon
from warledger.protocol.board.choices import say
from warledger.protocol.chance.drawing import Drawing, Wrong
from warledger.protocol.clocks.clockcontrol import CLOCK, DESK, PROTEST
from warledger.protocol.log import records, wlog
from warledger.protocol.log.chain import Head
from warledger.protocol.log.records import CorruptLog, Genesis, Record


def examine(
    data: bytes,
    *,
    key: bytes | Sequence[bytes] | None = None,
    receipts: Sequence[Head] | None = None,
    kept: Sequence[Kept] = (),
) -> Evidence:
    """Examine a file's bytes. `key` is the server's public key from elsewhere than the file, or all
    that it has published, of which one has to be the file's. `receipts` are heads kept elsewhere,
    `kept` what folders of receipts hold beside heads.

    Raises wlog.OtherFormat for a file of another format: nothing is said about that."""
    check_format(data)
    found = Evidence(given_keys=several(key))
    read(found, data, _Examiner(found, receipts, kept))
    return found


def check_format(data: bytes) -> None:
    """Raise wlog.OtherFormat for a file that is of another format: its header and its first record
    name another one, or one of them does and the other none. A file of which only one names
    another is damaged or forged, and examined."""
    try:
        wlog.check_magic(data)
        return
    except wlog.OtherFormat as error:
        header: int | None = error.format
    except wlog.CorruptFile:
        header = None
    first = next((frame for _, frame in wlog.survey(data).frames), None)
    named = None if first is None else _format_in(first)
    other = named if header is None else header
    if other is not None and named != wlog.FORMAT:
        raise wlog.OtherFormat(other)


def _format_in(first: wlog.Frame) -> int | None:
    """The format that a log's first record names, if it can be read at all."""
    try:
        array = canon.unpack(first.payload)
        named = array[4][0]
    except (canon.NotCanonical, TypeError, IndexError, KeyError):
        return None
    return named if first.kind == wlog.FRAME_RECORD and type(named) is int else None


class _Examiner(Reading):
    """Goes through a game's frames once, keeping what each record must fit."""

    def __init__(
        self, found: Evidence, receipts: Sequence[Head] | None, kept: Sequence[Kept]
    ) -> None:
        super().__init__(found)
        self.evidence = found
        self.receipts = receipts
        self.kept = kept
        self.signatures = Signatures()
        self.hidden = Hidden(found)
        self.course: Course

    def run(self, frames: Sequence[wlog.Frame]) -> None:
        """Everything, in order; signatures are checked meanwhile."""
        try:
            super().run(frames)
        finally:
            self.signatures.close()

    def first(self, record: Record) -> bool:
        """The genesis."""
        genesis = self._genesis(record)
        if genesis is None:
            return False
        self.course = Course(self.evidence, genesis, self.hidden, self.signatures)
        self.course.take(record)
        return True

    def take(self, record: Record) -> None:
        """Another record."""
        self.course.take(record)

    def private(self, payload: bytes, seq: int) -> None:
        """The private openings beside a record."""
        self.hidden.private(payload, seq)

    def secrets(self, payload: bytes) -> None:
        """The server's secrets."""
        self.hidden.secrets(payload)

    def _genesis(self, record: Record) -> Genesis | None:
        try:
            genesis = Genesis.from_record(record)
            if not genesis.seats or len(frozenset(genesis.seats)) != len(genesis.seats):
                raise CorruptLog(0, "seats", "seats must differ")
            try:
                canon.unpack(genesis.pack)
            except canon.NotCanonical as error:
                raise CorruptLog(0, "pack", str(error)) from error
        except records.OtherFormat as error:
            wrong = say("audit.header_format", header=wlog.FORMAT, format=error.format)
            self.found.wrong(0, "format", wrong)
            return None
        except CorruptLog as error:
            key = "acts.terms" if error.field == "terms" else "audit.record"
            self.found.wrong(0, error.field, say(key, what=error.what))
            return None
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            self.found.wrong(0, "body", say("audit.record", what=what))
            return None
        self.evidence.genesis = genesis
        self.found.server_keys.append((0, genesis.server_key))
        for term, value in genesis.terms.items():
            if term in (CLOCK, DESK, PROTEST, records.DELAY, records.RATED, records.TOURNAMENT):
                continue  # looked at with the genesis, the clocks, the claims and the tournament
            if term not in (records.UNSIGNED_SEATS, records.SELF_PLAY):
                self.found.note(say("audit.note.term", term=term))
            elif value is not True:
                self.found.wrong(0, "terms", say("audit.term", term=term))
        return genesis

    # --- in the end -------------------------------------------------------------------------------

    def last(self) -> None:
        """What can be checked only once every frame has been seen: draws with the secrets,
        signatures, receipts, and what remains unchecked."""
        found, course = self.evidence, self.course
        self.hidden.after_all()
        self._draws(course.drawing)
        course.promises.after_all()
        failed = 0
        for claim in self.signatures.failed():
            failed += 1
            found.wrong(claim.seq, claim.field, claim.wrong, claim.seq)
        found.acts = self.signatures.count - failed
        course.after_all()
        heads.check_key(found)
        for payload, seq in self.heads:
            heads.check_frame(found, payload, seq)
        for payload, seq in self.witnesses:
            heads.check_witness(found, payload, seq)
        if self.receipts is not None:
            heads.check_receipts(found, self.receipts)
        check_kept(found, self.kept)
        heads.check_forks(found)

    def _draws(self, drawing: Drawing) -> None:
        """Check the draws that only the end, or the server's secrets in the file, can show."""
        found = self.evidence
        wrong: list[Wrong] = []
        if found.keys is not None:
            wrong += drawing.know(found.keys.links)
        if found.hidden is not None:
            values = {place: opening.value for place, opening in found.openings.items()}
            wrong += drawing.hidden(found.hidden, values)
        for seq, where, what in wrong:
            found.wrong(seq, where, what)
        found.links = drawing.links
        found.dice = drawing.draws
        found.draws, found.waiting = drawing.checked, drawing.waiting
