"""Goes through the frames of a game's or tournament's file once, in the order by which
`protocol/file.md` says which finding is the first: damaged frames, then each record with what
stands beside it, then what can be said only behind the last record."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from warledger.clients.audit.damage import assess
from warledger.clients.audit.found import Found
from warledger.protocol import tournaments
from warledger.protocol.board.choices import say
from warledger.protocol.log import chain, records, wlog
from warledger.protocol.log.records import CorruptLog, Record
from warledger.protocol.log.wlog import Frame


def read(found: Found, data: bytes, reading: "Reading") -> None:
    """Read a file's bytes, around damage if need be."""
    try:
        parsed: wlog.WlogFile | None = wlog.parse(data)
    except wlog.CorruptFile:
        parsed = None
    if parsed is not None and parsed.torn_at is None:
        if not parsed.sealed:
            found.notes.append(say("audit.note.not_sealed"))
        reading.run(parsed.frames)
        return
    damage = assess(data, ledger=reading.ledger)
    for finding in damage.findings:
        found.add(finding)
    found.whole = damage.whole
    if damage.frames:
        if not damage.sealed:
            found.notes.append(say("audit.note.not_sealed"))
        reading.run(damage.frames)
        if not damage.whole:
            found.notes.append(say("audit.note.damaged", count=len(found.records)))
    for finding in damage.last:
        found.add(finding)


class Reading:
    """What a file's frames come to, one after another. The game's reader and the tournament's say
    what each is to them."""

    ledger: ClassVar[bool] = False
    """Whether the log is a tournament's."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.heads: list[tuple[bytes, int]] = []
        self.witnesses: list[tuple[bytes, int]] = []

    def first(self, record: Record) -> bool:
        """Take record 0. Returns whether the log can be read on from it."""
        raise NotImplementedError

    def take(self, record: Record) -> None:
        """Take another record."""
        raise NotImplementedError

    def private(self, payload: bytes, seq: int) -> None:
        """Take the private openings beside a record."""
        raise NotImplementedError

    def secrets(self, payload: bytes) -> None:
        """Take the server's secrets."""
        raise NotImplementedError

    def last(self) -> None:
        """Behind the last record: what may be about any of them."""
        raise NotImplementedError

    def run(self, frames: Sequence[Frame]) -> None:
        """Everything, in order."""
        found, begun = self.found, False
        payloads = (frame.payload for frame in frames if frame.kind == wlog.FRAME_RECORD)
        kinds = tournaments.KINDS if self.ledger else records.KINDS
        following = chain.follow(payloads, kinds=kinds)
        for frame in frames:
            if frame.kind == wlog.FRAME_RECORD:
                found.met = len(found.records)
                record = self._following(lambda: next(following))
                if record is None:
                    break
                found.records.append(record)
                if begun:
                    self.take(record)
                elif not self.first(record):
                    return
                begun = True
            elif begun:
                self._beside(frame, len(found.records) - 1)
        if begun:
            found.met = len(found.records)
            self.last()
        elif not found.findings:
            found.wrong(None, "records", say("audit.no_records"))

    def _following(self, following: Callable[[], Record]) -> Record | None:
        """The next record; None where none follows those before it."""
        try:
            return following()
        except CorruptLog as error:
            what = say("audit.record", what=error.what)
            if error.field == "previous":
                what = say("audit.previous")
            elif error.field == "at_ms":
                what = say("audit.time")
            self.found.wrong(error.seq, error.field, what)
            return None

    def _beside(self, frame: Frame, seq: int) -> None:
        """A frame that stands behind record `seq`. What may name any record waits for all."""
        if frame.kind == wlog.FRAME_OPENINGS:
            self.private(frame.payload, seq)
        elif frame.kind == wlog.FRAME_HEAD:
            self.heads.append((frame.payload, seq))
        elif frame.kind == wlog.FRAME_SECRETS:
            self.secrets(frame.payload)
        elif frame.kind == wlog.FRAME_WITNESS:
            self.witnesses.append((frame.payload, seq))
        elif frame.kind == wlog.FRAME_META:
            self.found.note(say("audit.note.meta"))
