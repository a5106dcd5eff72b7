"""Which record a damaged frame belongs to, and which field of it is damaged.

A file whose frames are not all sound is read around the damage: the records before and behind it
tell which are missing between them. A single error (a byte changed or lost, or some bytes inserted)
is computed from the checksum (`warledger.clients.audit.mending`). Otherwise what can still be
decoded shows the first field that cannot be right. A record that was repaired in this way is
accepted only if the next record, or a head, names its hash. All damage is a finding in any case.
"""

from collections.abc import Sequence
from typing import Final

from attrs import define, field

from warledger.clients.audit.fields import named, path_in
from warledger.clients.audit.mending import MENDED_BYTES_MAX, Mended, mended
from warledger.clients.audit.report import place_in
from warledger.clients.audit.shapes import BadShape, check
from warledger.clients.audit.verdict import Finding
from warledger.protocol import canon, tournaments
from warledger.protocol.board.choices import Say, say
from warledger.protocol.chance import seal
from warledger.protocol.chance.seal import BadOpening
from warledger.protocol.limits import HASH_BYTES, PAYLOAD_BYTES_MAX
from warledger.protocol.log import records, wlog
from warledger.protocol.log.chain import Head, read_head
from warledger.protocol.log.records import NO_HASH, CorruptLog, Record
from warledger.protocol.log.wlog import BadStretch, Frame, Survey

_FRAME_SAID = {
    wlog.FRAME_RECORD: say("audit.frame.record"),
    wlog.FRAME_OPENINGS: say("audit.frame.openings"),
    wlog.FRAME_HEAD: say("audit.frame.head"),
    wlog.FRAME_SECRETS: say("audit.frame.secrets"),
    wlog.FRAME_META: say("audit.frame.meta"),
    wlog.FRAME_WITNESS: say("audit.frame.witness"),
    wlog.FRAME_END: say("audit.frame.end"),
}

_RECORD_BYTES_MIN = HASH_BYTES
"""A record cannot be shorter, since it contains the hash of the one before."""

FINDINGS_MAX = 100
"""At most this many places of damage are listed; a file in more pieces is hardly a file."""

LOOKED_BYTES_MAX = 1 << 20
"""At most this many damaged bytes of a file are examined closely, to mend them or name the field:
each costs microseconds, and a file may be all damage. Only the place is reported for what comes
after."""

_FRAMES_BEHIND_MAX = 1_000
"""This many frames are searched for the next record. There are two or three between records."""


@define
class Damage:
    """What is wrong with a file's bytes, and what can be read nevertheless.

    `frames` are those that an audit can go on with: the sound ones, and mended records that the
    chain vouches for, up to the first record that is lost (`whole` is then False). `last` is what
    only the end mark finds: where the chain breaks too, it tells more, and first.
    """

    findings: list[Finding] = field(factory=list)
    last: list[Finding] = field(factory=list)
    frames: list[Frame] = field(factory=list)
    whole: bool = True
    sealed: bool = False


def assess(data: bytes, *, ledger: bool = False) -> Damage:
    """Read a file that `wlog.parse` does not find sound, a tournament's ledger or a game's. Never
    raises."""
    found = Damage()
    read = wlog.survey(data)
    found.sealed = read.sealed
    if not read.header:
        found.findings.append(_header(data, read.frames))
    frames = [frame for _, frame in read.frames]
    early = read.header and _stands_early(read)
    if early:
        found.findings.append(_file(data))
    last: Record | None = None
    taken, left = 0, LOOKED_BYTES_MAX
    for bad in read.bad[:FINDINGS_MAX]:
        before = sum(1 for at, _ in read.frames if at < bad.offset)
        last = next(
            (record for frame in reversed(frames[taken:before]) if (record := _record_in(frame))),
            last,
        )
        if found.whole:
            found.frames += frames[taken:before]
        taken = before
        stretch = data[bad.offset : bad.end]
        close = len(stretch) <= min(left, MENDED_BYTES_MAX)
        left -= len(stretch) if close else 0
        piece = _Piece(
            stretch,
            bad,
            bad.end == len(data),
            last,
            _Behind.of(frames[before : before + _FRAMES_BEHIND_MAX]),
            close,
            ledger,
        )
        mends, finding = piece.told()
        found.findings.append(finding)
        if mends is not None:
            last = _record_in(mends)
            if found.whole:
                found.frames.append(mends)
        elif piece.loses_a_record:
            found.whole = False
        found.sealed = found.sealed or finding.field == "end"
    if found.whole:
        found.frames += frames[taken:]
    if read.behind_end is not None:
        found.findings.append(
            Finding(
                None, "end", say("audit.damage.behind_end", offset=read.behind_end), read.behind_end
            )
        )
    elif read.header and not read.bad and not early:
        found.last.append(_file(data))
    return found


def _stands_early(read: Survey) -> bool:
    """Whether another frame than a record is the first."""
    at, frame = read.frames[0] if read.frames else (0, None)
    return frame is not None and at == len(wlog.MAGIC) and frame.kind != wlog.FRAME_RECORD


def _header(data: bytes, frames: Sequence[tuple[int, Frame]]) -> Finding:
    """What is wrong with the header: from its first byte on that is another."""
    offset = next(
        at for at in range(len(wlog.MAGIC)) if data[at : at + 1] != wlog.MAGIC[at : at + 1]
    )
    try:
        wlog.check_magic(data)
    except wlog.CorruptFile as error:
        if not frames or error.offset:
            said = say("audit.file", offset=offset, what=error.what)
            return Finding(None, "header", said, offset)
    return Finding(None, "header", say("audit.damage.header", n=frames[0][0]), offset)


def _file(data: bytes) -> Finding:
    """What is wrong with the file as a whole, each of its frames being sound."""
    try:
        wlog.parse(data)
    except wlog.CorruptFile as error:
        where = "frames" if error.offset == len(wlog.MAGIC) else "end"
        return Finding(
            None, where, say("audit.file", offset=error.offset, what=error.what), error.offset
        )
    raise AssertionError("the file is sound")


_KINDS: Final = frozenset((*records.KINDS, *tournaments.KINDS))


def _record_in(frame: Frame) -> Record | None:
    if frame.kind != wlog.FRAME_RECORD:
        return None
    try:
        return records.read(frame.payload, kinds=_KINDS)
    except CorruptLog:
        return None


def _head_in(frame: Frame) -> Head | None:
    if frame.kind != wlog.FRAME_HEAD:
        return None
    try:
        return read_head(frame.payload)
    except canon.NotCanonical:
        return None


@define
class _Behind:
    """What follows a damaged part: the next record, or the last record that a head there names,
    with its hash."""

    next: Record | None = None
    head: Head | None = None

    @classmethod
    def of(cls, frames: Sequence[Frame]) -> "_Behind":
        """Look through the frames up to the next record."""
        found = cls()
        for frame in frames:
            found.head = found.head or _head_in(frame)
            found.next = _record_in(frame)
            if found.next is not None:
                break
        return found

    def names(self, record: Record) -> bool:
        """Whether the next record, or a head, names this record's hash."""
        if self.next is not None and self.next.seq == record.seq + 1:
            return self.next.previous == record.hash
        return self.head is not None and (self.head.seq, self.head.hash) == (
            record.seq,
            record.hash,
        )


@define
class _Piece:
    """One bad stretch of a file: whether the file ends with it, the record before it, what stands
    behind it, and whether it is looked into."""

    data: bytes
    bad: BadStretch
    ends: bool
    last: Record | None
    behind: _Behind
    close: bool = True
    ledger: bool = False

    @property
    def expected(self) -> int:
        """The record that should have come next."""
        return self.last.seq + 1 if self.last else 0

    @property
    def lost(self) -> int | None:
        """How many records are missing here; None if nothing behind tells."""
        if self.behind.next is not None:
            return max(0, self.behind.next.seq - self.expected)
        if self.behind.head is not None and self.behind.head.seq >= self.expected:
            return self.behind.head.seq - self.expected + 1
        return None

    @property
    def kind(self) -> int | None:
        """The kind of frame that the stretch says it is, if that is one."""
        return self.data[4] if len(self.data) > 4 and self.data[4] in wlog.KIND_NAMES else None

    @property
    def loses_a_record(self) -> bool:
        """Whether a record is missing here."""
        if self.lost is not None:
            return self.lost > 0
        return (
            self.kind == wlog.FRAME_RECORD
            or self.last is None
            or (self.kind is None and len(self.data) >= _RECORD_BYTES_MIN)
        )

    def told(self) -> tuple[Frame | None, Finding]:
        """The frame as it was, if that can be verified; and what is wrong."""
        if self.close and (not self.lost or self.lost == 1):
            for slip in mended(self.data):
                if self._fits(slip.frame):
                    return slip.frame if self._vouched(slip.frame) else None, self._slipped(slip)
        if self.lost is not None and self.lost > 1:
            last = self.expected + self.lost - 1
            return None, self._at(
                self.expected,
                say("audit.damage.several", offset=self.bad.offset, end=self.bad.end, last=last),
            )
        if not self.loses_a_record:
            return None, self._beside()
        return None, self._unread()

    # --- one slip ---------------------------------------------------------------------------------

    def _fits(self, frame: Frame) -> bool:
        """Whether a frame can be here."""
        if frame.kind == wlog.FRAME_RECORD:
            record = _record_in(frame)
            return (
                self.lost != 0
                and record is not None
                and record.seq == self.expected
                and record.previous == self._previous
            )
        if self.lost:
            return False
        if frame.kind == wlog.FRAME_END:
            return self.ends
        if frame.kind == wlog.FRAME_OPENINGS:
            try:
                return all(
                    opening.seq == self.expected - 1
                    for opening in seal.unpack_openings(frame.payload)
                )
            except (BadOpening, canon.NotCanonical):
                return False
        return frame.kind != wlog.FRAME_HEAD or _head_in(frame) is not None

    @property
    def _previous(self) -> bytes:
        return self.last.hash if self.last else NO_HASH

    def _vouched(self, frame: Frame) -> bool:
        record = _record_in(frame)
        return record is not None and self.behind.names(record)

    def _slipped(self, slip: Mended) -> Finding:
        at = self.bad.offset + slip.at
        extra = len(slip.found) - len(slip.right)
        if extra > 0:
            what = say("audit.damage.extra", at=at, n=extra)
        elif extra < 0:
            what = say("audit.damage.missing", at=at, right=slip.right.hex())
        else:
            what = say(
                "audit.damage.changed", at=at, right=slip.right.hex(), found=slip.found.hex()
            )
        head = wlog.FRAME_HEAD_BYTES
        kind, payload = slip.frame.kind, slip.frame.payload
        if slip.at < head:
            name = ("frame length", "frame kind", "check sum")[(slip.at >= 4) + (slip.at >= 5)]
        else:
            path = path_in(payload, min(slip.at - head, len(payload) - 1))
            name = named(kind, payload, path, ledger=self.ledger)
        return self._damaged(kind, name, what, self._seq_of(kind, payload))

    # --- more than a slip -------------------------------------------------------------------------

    def _unread(self) -> Finding:
        """A record that cannot be mended, or what may be one."""
        payload = self.data[wlog.FRAME_HEAD_BYTES :]
        cut = self._cut()
        if self.kind is None and cut is not None and self.last is not None:
            return self._at(
                self.last.seq,
                say("audit.damage.cut_behind", offset=self.bad.offset, n=len(self.data)),
            )
        return self._damaged(
            wlog.FRAME_RECORD, self._first_wrong(payload), cut or self._amount(), self.expected
        )

    def _beside(self) -> Finding:
        """No record is missing: something beside one is damaged, or bytes were inserted."""
        cut = self._cut()
        if self.kind is None or (cut is None and not self._is_about_a_frame()):
            key = "audit.damage.stray" if cut is None else "audit.damage.cut_behind"
            return self._at(
                self.last.seq if self.last else None,
                say(key, offset=self.bad.offset, n=len(self.data)),
            )
        payload = self.data[wlog.FRAME_HEAD_BYTES :]
        if not self.close:
            payload = b""
        name = named(self.kind, payload, path_in(payload), ledger=self.ledger)
        return self._damaged(
            self.kind, name, cut or self._amount(), self._seq_of(self.kind, payload)
        )

    def _is_about_a_frame(self) -> bool:
        """Whether the stretch is about as long as the frame that it says it is."""
        length = int.from_bytes(self.data[:4], "big") + wlog.FRAME_HEAD_BYTES
        return length // 2 <= len(self.data) <= length * 2

    def _cut(self) -> Say | None:
        """What to say if the file ends inside the frame."""
        if not self.ends:
            return None
        if len(self.data) < wlog.FRAME_HEAD_BYTES:
            return say("audit.damage.cut_head")
        missing = int.from_bytes(self.data[:4], "big") + wlog.FRAME_HEAD_BYTES - len(self.data)
        return say("audit.damage.cut", n=missing) if 0 < missing <= PAYLOAD_BYTES_MAX else None

    def _amount(self) -> Say:
        length = int.from_bytes(self.data[:4], "big") + wlog.FRAME_HEAD_BYTES
        if length == len(self.data):
            return say("audit.damage.unfit")
        if length - wlog.FRAME_HEAD_BYTES > PAYLOAD_BYTES_MAX or not self._is_about_a_frame():
            return say("audit.damage.unlike")
        more = len(self.data) - length
        return say("audit.damage.long", n=more) if more > 0 else say("audit.damage.short", n=-more)

    def _first_wrong(self, payload: bytes) -> str:
        """The first field of a damaged record that cannot be right; "body" where each could be, or
        where that is not looked for."""
        if not self.close:
            return "body"
        try:
            record = records.read(payload, kinds=_KINDS)
        except CorruptLog as error:
            return (
                error.field
                if error.field != "bytes"
                else named(wlog.FRAME_RECORD, payload, path_in(payload), ledger=self.ledger)
            )
        if self.behind.names(record):
            return "check sum"
        if record.seq != self.expected:
            return "seq"
        if record.previous != self._previous:
            return "previous"
        if self.last is not None and record.at_ms < self.last.at_ms:
            return "at_ms"
        try:
            (tournaments.read if self.ledger else check)(record)
        except BadShape as error:
            return place_in(record, error.path)
        except CorruptLog as error:
            return error.field
        return "body"

    def _seq_of(self, kind: int, payload: bytes) -> int | None:
        """The record that a frame of this kind belongs to here."""
        if kind == wlog.FRAME_RECORD:
            return self.expected
        if kind == wlog.FRAME_HEAD:
            head = _head_in(Frame(kind, payload))
            if head is not None:
                return head.seq
        return self.expected - 1 if self.last and kind != wlog.FRAME_END else None

    # --- findings ---------------------------------------------------------------------------------

    def _damaged(self, kind: int, name: str, what: Say, seq: int | None) -> Finding:
        frame = _FRAME_SAID[kind]
        said = say(
            "audit.damage", frame=frame.as_array(), offset=self.bad.offset, what=what.as_array()
        )
        return Finding(seq, name, said, self.bad.offset)

    def _at(self, seq: int | None, said: Say) -> Finding:
        return Finding(seq, "frames", said, self.bad.offset)
