"""Level 1: whether the evidence holds by itself, from `protocol` alone. No rule of any game is asked.

Frames and their end mark, the chain of hashes, every record's form and place in the course of a game (ceremony, decisions, requests,
takebacks, the end) are looked at here; dice and their receipts in `chance`, seals and openings in `hidden`, signed heads in `heads`,
damaged bytes in `damage`. `examine` never raises for what a file holds: whatever is wrong is a Finding.
"""

from collections.abc import Sequence

from attrs import field, frozen

from clients.audit import heads
from clients.audit.chance import Chance
from clients.audit.damage import assess
from clients.audit.evidence import FINDINGS_MAX, Evidence
from clients.audit.hidden import Hidden
from clients.audit.report import Finding, place
from clients.audit.shapes import BadShape, check
from protocol import chain, dice, records, wlog
from protocol.canon import Seal
from protocol.chain import Head
from protocol.choices import Say, say
from protocol.records import CorruptLog, Genesis, Record


def examine(data: bytes, *, key: bytes | None = None, receipts: Sequence[Head] | None = None) -> Evidence:
    """Examine a file's bytes. `key` is the server's public key from a source other than the file, `receipts` are heads kept elsewhere."""
    found = Evidence()
    try:
        parsed: wlog.WlogFile | None = wlog.parse(data)
    except wlog.CorruptFile:
        parsed = None
    if parsed is not None and parsed.torn_at is None:
        if not parsed.sealed:
            found.notes.append(say("audit.note.not_sealed"))
        _Examiner(found, parsed.frames, key, receipts).run()
        return found
    damage = assess(data)
    found.findings += damage.findings
    found.whole = damage.whole
    if damage.frames:
        if not damage.sealed:
            found.notes.append(say("audit.note.not_sealed"))
        _Examiner(found, damage.frames, key, receipts).run()
        if not damage.whole:
            found.notes.append(say("audit.note.damaged", count=len(found.records)))
    found.findings += damage.last
    return found


@frozen
class _Undo:
    """How far a seat may take back freely: to record `to`, and where its commands follow each other also to those `before`. A chain and no
    array, since one is kept for every record of the game."""

    seat: str = ""
    to: int = -1
    before: "_Undo | None" = field(default=None, repr=False, eq=False)

    def goes_back_to(self, seq: int) -> bool:
        """Whether a free takeback may go there."""
        at: _Undo | None = self
        while at is not None and at.to > seq:
            at = at.before
        return at is not None and at.to == seq


_NO_UNDO = _Undo()


class _Examiner:
    """Goes through a file's frames once, keeping what each record must fit."""

    def __init__(self, found: Evidence, frames: Sequence[wlog.Frame], key: bytes | None, receipts: Sequence[Head] | None) -> None:
        self.found = found
        self.frames = frames
        self.key = key
        self.receipts = receipts
        self.seq = 0
        self.seats: tuple[str, ...] = ()
        self.holders: dict[str, str] = {}
        self.nonce_hashes: dict[str, bytes] = {}
        self.hashes: set[bytes] = set()
        self.began = False
        self.open: dict[str, int] = {}
        self.undo = _NO_UNDO
        self.past: dict[int, tuple[_Undo, tuple[str, ...]]] = {}
        self.ask: tuple[str, str, int, set[str]] | None = None
        self.resigned = False
        self.chance: Chance
        self.hidden = Hidden(found)

    # --- findings ---------------------------------------------------------------------------------------------------------------

    def wrong(self, field_name: str, what: Say, seq: int | None = None) -> None:
        """Note something wrong in the record in hand."""
        self.found.wrong(self.seq if seq is None else seq, field_name, what)

    # --- the course -------------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Everything, in order."""
        self._chain()
        if not self.found.records:
            if not self.found.findings:
                self.found.findings.append(Finding(None, "records", say("audit.no_records")))
            return
        if not self._genesis(self.found.records[0]):
            return
        count = 0
        for frame in self.frames:
            if frame.kind == wlog.FRAME_RECORD:
                if count == len(self.found.records):
                    break
                self.seq = count
                if count:
                    self._record(self.found.records[count])
                self.hashes.add(self.found.records[count].hash)
                self.past[count] = (self.undo, tuple(self.open))
                count += 1
            elif frame.kind == wlog.FRAME_OPENINGS:
                self.hidden.private(frame.payload, count - 1)
            elif frame.kind == wlog.FRAME_HEAD:
                heads.check_frame(self.found, frame.payload, self.seq)
            elif frame.kind == wlog.FRAME_SECRETS:
                self.hidden.secrets(frame.payload)
        self._after_all()

    def _chain(self) -> None:
        payloads = (frame.payload for frame in self.frames if frame.kind == wlog.FRAME_RECORD)
        try:
            for record in chain.follow(payloads):
                self.found.records.append(record)
        except CorruptLog as error:
            if error.field == "previous":
                what = say("audit.previous")
            elif error.field == "at_ms":
                what = say("audit.time")
            else:
                what = say("audit.record", what=error.what)
            self.wrong(error.field, what, error.seq)

    def _genesis(self, record: Record) -> bool:
        try:
            genesis = Genesis.from_record(record)
            if not genesis.seats or len(frozenset(genesis.seats)) != len(genesis.seats):
                raise CorruptLog(0, "seats", "seats must differ")
        except CorruptLog as error:
            self.wrong(error.field, say("audit.record", what=error.what), 0)
            return False
        except Exception as error:
            self.wrong("body", say("audit.record", what=f"{type(error).__name__}: {error}"), 0)
            return False
        self.found.genesis = genesis
        self.seats = genesis.seats
        self.chance = Chance(self.found, genesis.chain)
        if self.key is None:
            self.found.notes.append(say("audit.note.no_key"))
        elif self.key != genesis.server_key:
            self.wrong("server_key", say("audit.other_key", named=genesis.server_key, given=self.key), 0)
        return True

    def _record(self, record: Record) -> None:
        if self.found.ended:
            self.wrong("kind", say("audit.after_end"))
        self.chance.before(self.seq, record.kind)
        if self.resigned and record.kind != records.END:
            self.wrong("kind", say("audit.resigned_on"))
        try:
            check(record)
        except BadShape as error:
            self.wrong(place(record.kind, error.path), say("audit.shape", what=error.what))
            return
        if record.kind != records.GENESIS:
            _ACTS[record.kind](self, record)
        else:
            self.wrong("kind", say("audit.second_genesis"))

    def _actor(self, record: Record, expected: str) -> None:
        if record.actor != expected:
            self.wrong("actor", say("audit.actor", actor=record.actor, expected=expected))

    # --- kinds ------------------------------------------------------------------------------------------------------------------

    def _seat(self, record: Record) -> None:
        act, seat, value, *rest = record.body
        if seat not in self.seats:
            self.wrong("seat", say("audit.no_seat", seat=seat))
            return
        if act == "taken":
            if seat in self.holders:
                self.wrong("seat", say("audit.seat_twice", seat=seat))
            self._actor(record, value)
            self.holders[seat] = value
            self.nonce_hashes[seat] = rest[0]
        elif act == "replaced":
            self._actor(record, records.SERVER)
            if seat not in self.holders:
                self.wrong("seat", say("audit.seat_empty", seat=seat))
            self.holders[seat] = value
        else:
            self._actor(record, self.holders.get(seat, ""))
            if len(self.nonce_hashes) < len(self.seats):
                self.wrong("value", say("audit.nonce_early", seat=seat))
            if seat in self.found.nonces:
                self.wrong("value", say("audit.nonce_twice", seat=seat))
            elif dice.nonce_hash(self.found.opened_genesis.game, seat, value) != self.nonce_hashes.get(seat):
                self.wrong("value", say("audit.nonce", seat=seat))
            self.found.nonces[seat] = value

    def _command(self, record: Record) -> None:
        decision, seat, picks, _, seen, draws, events, blob, opened, _, awaits = record.body
        self.found.commands += 1
        self.found.events += len(events)
        if not self.began:
            self._begin(record)
        else:
            self._actor(record, seat)
            if self.open.get(seat) != decision:
                self.wrong("decision", say("audit.not_asked", seat=seat, decision=decision))
        if seen and seen not in self.hashes:
            self.wrong("seen", say("audit.seen"))
        hides = self.hidden.sealed(record, blob)
        self.chance.drawn(self.seq, draws)
        self.hidden.opened(record, opened, records.OPENED)
        self._awaits(awaits, frozenset(self.open.items()))
        news = bool(draws or opened) or (type(picks) is not Seal and hides)
        if news or not seat:
            self.undo = _NO_UNDO
        else:
            self.undo = _Undo(seat, self.seq - 1, self.undo if self.undo.seat == seat else None)
        self.ask = None

    def _begin(self, record: Record) -> None:
        self.began = True
        self._actor(record, records.SERVER)
        if len(self.found.nonces) < len(self.seats):
            self.wrong("kind", say("audit.began_early"))
        if record.body[: records.DRAWS] != (0, "", ("begin",), b"", b""):
            self.wrong("picks", say("audit.begin"))

    def _awaits(self, awaits: Sequence[tuple[str, int]], before: frozenset[tuple[str, int]]) -> None:
        seats = [seat for seat, _ in awaits]
        if seats != [seat for seat in self.seats if seat in seats]:
            self.wrong("awaits", say("audit.awaits"))
        for seat, opened in awaits:
            if opened != self.seq and (seat, opened) not in before:
                self.wrong("awaits", say("audit.awaits_opened", seat=seat, opened=opened))
        self.open = dict(awaits)

    def _ask(self, record: Record) -> None:
        seat, kind, to = record.body
        self._actor(record, seat)
        if seat not in self.seats:
            self.wrong("seat", say("audit.no_seat", seat=seat))
        if not self.began:
            self.wrong("kind", say("audit.ask_early"))
        if kind == "resign":
            self.resigned = True
            return
        if self.ask is not None:
            self.wrong("kind", say("audit.ask_twice"))
        if kind == "takeback" and not 0 < to < self.seq:
            self.wrong("to", say("audit.takeback_to", to=to))
        self.ask = (seat, kind, to, set())

    def _answer(self, record: Record) -> None:
        seat, consents = record.body
        self._actor(record, seat)
        if seat not in self.seats:
            self.wrong("seat", say("audit.no_seat", seat=seat))
        if self.ask is None:
            self.wrong("kind", say("audit.answer_unasked"))
            return
        if seat == self.ask[0] or seat in self.ask[3]:
            self.wrong("seat", say("audit.answer_own", seat=seat))
        if consents:
            self.ask[3].add(seat)
        else:
            self.ask = None

    def _takeback(self, record: Record) -> None:
        seat, to, _, awaits = record.body
        self._actor(record, seat)
        if not 0 < to < self.seq:
            self.wrong("to", say("audit.takeback_to", to=to))
            return
        free = self.undo.seat == seat and self.undo.goes_back_to(to)
        if not free:
            ask = self.ask
            if ask is None or ask[:3] != (seat, "takeback", to) or len(ask[3]) != len(self.seats) - 1:
                self.wrong("to", say("audit.takeback_consent", to=to))
        then_undo, then_open = self.past[to]
        if [name for name, _ in awaits] != list(then_open) or any(opened != self.seq for _, opened in awaits):
            self.wrong("awaits", say("audit.takeback_awaits", to=to))
        self.open = dict(awaits)
        self.undo = then_undo if free else _NO_UNDO
        self.ask = None

    def _open_link(self, record: Record) -> None:
        epoch, link = record.body
        self._actor(record, records.SERVER)
        self.chance.opened(self.seq, epoch, link)

    def _end(self, record: Record) -> None:
        winner, key, args, openings, links, hidden, salts, rule = record.body
        self._actor(record, records.SERVER)
        self.found.ended, self.found.winner, self.found.reason = True, winner, Say(key, args, rule)
        self.open = {}
        if winner is not None and winner not in self.seats:
            self.wrong("winner", say("audit.no_seat", seat=winner))
        self.hidden.ended(record, openings, hidden, salts)
        self.chance.ended(self.seq, links)

    def _after_all(self) -> None:
        """What can be told only once every frame has been seen: draws with secrets at hand, receipts, what stays unchecked."""
        self.hidden.after_all()
        self.chance.after_all()
        if self.receipts is not None:
            heads.check_receipts(self.found, self.receipts)
        if len(self.found.findings) >= FINDINGS_MAX:
            self.found.notes.append(say("audit.note.more", count=FINDINGS_MAX))


_ACTS = {
    records.SEAT: _Examiner._seat,
    records.COMMAND: _Examiner._command,
    records.ASK: _Examiner._ask,
    records.ANSWER: _Examiner._answer,
    records.TAKEBACK: _Examiner._takeback,
    records.OPEN: _Examiner._open_link,
    records.END: _Examiner._end,
}


__all__ = ["examine"]
