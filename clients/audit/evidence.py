"""Level 1: whether the evidence holds by itself, from `protocol` alone. No rule of any game is asked.

Frames and their end mark, the chain of hashes, every record's form and place in the course of a game (ceremony, decisions, requests,
takebacks, the end), commitments, seals and openings, dice and their receipts, signed heads against the file's key, a given key, and
receipts that somebody kept. `examine` never raises for what a file holds: whatever is wrong is a Finding.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field

from clients.audit.damage import assess
from clients.audit.report import Finding, Report, place
from clients.audit.shapes import BadShape, check
from protocol import canon, chain, dice, effects, records, seal, wlog
from protocol.canon import Seal
from protocol.chain import Head
from protocol.choices import Say, say
from protocol.limits import EPOCHS_MAX, HASH_BYTES
from protocol.records import CorruptLog, Genesis, Record
from protocol.seal import BadOpening, Opening, Path
from protocol.secrets import BadSecrets, Keys

_SEAL_MARK = bytes((0xC7, HASH_BYTES, canon.SEAL_EXTENSION))
"""How a seal begins in canonical bytes: a record without these three bytes in it hides nothing."""

FINDINGS_MAX = 100
"""An audit stops listing after so many."""

Place = tuple[int, Path]


@define
class Evidence:
    """What level 1 made of a file: the report's parts, and what level 2 goes on with.

    `records` are those that chain; `openings` all that fit their seals, by place; `links` the opened links of the dice by epoch; `keys`
    the server's secrets where the file carries them; `whole` is False if damage kept records from being read.
    """

    genesis: Genesis | None = None
    records: list[Record] = field(factory=list)
    openings: dict[Place, Opening] = field(factory=dict)
    links: dict[int, bytes] = field(factory=dict)
    hidden: bytes | None = None
    salts: bytes | None = None
    keys: Keys | None = None
    nonces: dict[str, bytes] = field(factory=dict)
    findings: list[Finding] = field(factory=list)
    notes: list[Say] = field(factory=list)
    seals: dict[Place, Seal] = field(factory=dict)
    commands: int = 0
    events: int = 0
    draws: int = 0
    waiting: int = 0
    heads: int = 0
    ended: bool = False
    winner: str | None = None
    reason: Say | None = None
    whole: bool = True

    def report(self, level: int = 1, decided: int = 0, findings: Iterable[Finding] = (), notes: Iterable[Say] = ()) -> Report:
        """The report, with what a second level adds."""
        genesis = self.genesis
        return Report(
            findings=(*self.findings, *findings),
            notes=(*self.notes, *notes),
            level=level if genesis is not None and self.whole else 0,
            game=genesis.game if genesis else "",
            title=genesis.title if genesis else "",
            version=genesis.version if genesis else "",
            records=len(self.records),
            decided=decided,
            commands=self.commands,
            events=self.events,
            draws=self.draws,
            waiting=self.waiting,
            openings=len(self.openings),
            sealed=len(self.seals) - len(self.openings),
            heads=self.heads,
            ended=self.ended,
            winner=self.winner,
            reason=self.reason,
            head=self.records[-1].hash if self.records else b"",
        )


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
        self.undo: tuple[tuple[int, ...], str] = ((), "")
        self.past: dict[int, tuple[tuple[tuple[int, ...], str], tuple[str, ...]]] = {}
        self.ask: tuple[str, str, int, set[str]] | None = None
        self.resigned = False
        self.counter = 0
        self.epoch = 1
        self.draw_epoch = 1
        self.link = b""
        self.open_draws: dict[int, list[tuple[int, int, dice.Receipt]]] = {}
        self.hidden_draws: list[tuple[int, int, int, str]] = []
        self.opened: set[Place] = set()

    # --- findings ---------------------------------------------------------------------------------------------------------------

    def wrong(self, field_name: str, what: Say, seq: int | None = None) -> None:
        """Note something wrong in the record in hand."""
        if len(self.found.findings) < FINDINGS_MAX:
            self.found.findings.append(Finding(self.seq if seq is None else seq, field_name, what))

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
                self._private(frame.payload, count - 1)
            elif frame.kind == wlog.FRAME_HEAD:
                self._head_frame(frame.payload)
            elif frame.kind == wlog.FRAME_SECRETS:
                self._secrets(frame.payload)
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
        self.link = genesis.chain
        if self.key is None:
            self.found.notes.append(say("audit.note.no_key"))
        elif self.key != genesis.server_key:
            self.wrong("server_key", say("audit.other_key", named=genesis.server_key, given=self.key), 0)
        return True

    @property
    def genesis(self) -> Genesis:
        """The genesis, once read."""
        assert self.found.genesis is not None
        return self.found.genesis

    def _record(self, record: Record) -> None:
        if self.found.ended:
            self.wrong("kind", say("audit.after_end"))
        if self.draw_epoch > self.epoch and record.kind != records.OPEN:
            self.wrong("kind", say("audit.epoch_not_opened", epoch=self.epoch))
            self.draw_epoch = self.epoch
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
            elif dice.nonce_hash(self.genesis.game, seat, value) != self.nonce_hashes.get(seat):
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
        hides = self._seals(record, blob)
        self._draws(draws)
        for index, item in enumerate(opened):
            self._open(Opening.from_array(item), (records.OPENED, index))
            self.opened.add((item[0], item[1]))
        self._awaits(awaits, frozenset(self.open.items()))
        news = bool(draws or opened) or (type(picks) is not Seal and hides)
        undo, undo_seat = self.undo
        if news or not seat:
            self.undo = ((), "")
        else:
            self.undo = ((*undo, self.seq - 1) if undo_seat == seat else (self.seq - 1,), seat)
        self.ask = None

    def _begin(self, record: Record) -> None:
        self.began = True
        self._actor(record, records.SERVER)
        if len(self.found.nonces) < len(self.seats):
            self.wrong("kind", say("audit.began_early"))
        if record.body[: records.DRAWS] != (0, "", ("begin",), b"", b""):
            self.wrong("picks", say("audit.begin"))

    def _seals(self, record: Record, blob: bytes) -> bool:
        """Note every seal of a command. Returns whether its events hold any."""
        if _SEAL_MARK not in record.data:
            return False
        hides = False
        for path, sealed in seal.seals_in(record.body):
            self.found.seals[record.seq, path] = sealed
            hides = hides or path[0] == records.EVENTS
        for path, sealed in seal.seals_in(effects.unpack(blob), (records.EFFECTS,)):
            self.found.seals[record.seq, path] = sealed
        return hides

    def _draws(self, draws: Sequence[tuple[Any, ...]]) -> None:
        for index, (epoch, counter, purpose, what) in enumerate(draws):
            where = place(records.COMMAND, (records.DRAWS, index))
            if counter != self.counter:
                self.wrong(where, say("audit.counter", counter=counter, expected=self.counter))
            self.counter = counter + 1
            if epoch == dice.HIDDEN_EPOCH:
                self.hidden_draws.append((self.seq, index, counter, purpose))
                continue
            if epoch < self.draw_epoch:
                self.wrong(where, say("audit.epoch_back", epoch=epoch, expected=self.draw_epoch))
            self.draw_epoch = max(self.draw_epoch, epoch)
            self.open_draws.setdefault(epoch, []).append((self.seq, index, dice.Receipt(epoch, counter, purpose, *what)))

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
        undo, undo_seat = self.undo
        free = undo_seat == seat and to in undo
        if not free:
            ask = self.ask
            if ask is None or ask[:3] != (seat, "takeback", to) or len(ask[3]) != len(self.seats) - 1:
                self.wrong("to", say("audit.takeback_consent", to=to))
        then_undo, then_open = self.past[to]
        if [name for name, _ in awaits] != list(then_open) or any(opened != self.seq for _, opened in awaits):
            self.wrong("awaits", say("audit.takeback_awaits", to=to))
        self.open = dict(awaits)
        self.undo = then_undo if free else ((), "")
        self.ask = None

    def _open_link(self, record: Record) -> None:
        epoch, link = record.body
        self._actor(record, records.SERVER)
        self._link(epoch, link)
        self.epoch = max(self.epoch, epoch + 1)
        self.draw_epoch = max(self.draw_epoch, self.epoch)

    def _link(self, epoch: int, link: bytes) -> None:
        if epoch != self.epoch:
            self.wrong("epoch", say("audit.epoch", epoch=epoch, expected=self.epoch))
            return
        if dice.next_link(link) != self.link:
            self.wrong("link", say("audit.link", epoch=epoch))
        self.link = self.found.links[epoch] = link
        self._check_open(epoch, link)

    def _check_open(self, epoch: int, link: bytes) -> None:
        nonces = tuple(self.found.nonces.get(seat, b"") for seat in self.seats)
        seed = dice.open_seed(self.genesis.game, link, nonces)
        for seq, index, receipt in self.open_draws.pop(epoch, ()):
            self._check_draw(seq, index, receipt, seed)

    def _check_draw(self, seq: int, index: int, receipt: dice.Receipt, seed: bytes) -> None:
        self.found.draws += 1
        try:
            dice.verify(receipt, seed)
        except dice.BadDraw as error:
            where = place(records.COMMAND, (records.DRAWS, index))
            self.wrong(where, say("audit.draw", purpose=receipt.purpose, what=str(error)), seq)

    def _end(self, record: Record) -> None:
        winner, key, args, openings, links, hidden, salts, rule = record.body
        self._actor(record, records.SERVER)
        self.found.ended, self.found.winner, self.found.reason = True, winner, Say(key, args, rule)
        self.open = {}
        if winner is not None and winner not in self.seats:
            self.wrong("winner", say("audit.no_seat", seat=winner))
        if dice.hidden_commitment(self.genesis.game, hidden) != self.genesis.hidden:
            self.wrong("hidden", say("audit.hidden_value"))
        if seal.salt_key_commitment(self.genesis.game, salts) != self.genesis.salts:
            self.wrong("salts", say("audit.salt_key"))
        self.found.hidden, self.found.salts = hidden, salts
        for index, item in enumerate(openings):
            self._open(Opening.from_array(item), (3, index))
            self.opened.add((item[0], item[1]))
        for seq, path in self.found.seals:
            if (seq, path) not in self.opened:
                self.wrong("openings", say("audit.unopened", seq=seq, field=place(records.COMMAND, path)))
        for (seq, path), opening in self.found.openings.items():
            if seal.salt_of(salts, seq, path) != opening.salt:
                self.wrong("openings", say("audit.salt", seq=seq, field=place(records.COMMAND, path)))
        if tuple(epoch for epoch, _ in links) != (self.epoch,):
            self.wrong("links", say("audit.end_links", epoch=self.epoch))
        for epoch, link in links:
            self._link(epoch, link)

    # --- openings ---------------------------------------------------------------------------------------------------------------

    def _open(self, opening: Opening, path: tuple[int, ...]) -> None:
        kind = self.found.records[self.seq].kind
        sealed = self.found.seals.get((opening.seq, opening.path))
        try:
            seal.verify(self.genesis.game, opening, sealed)
        except BadOpening:
            field_name = place(records.COMMAND, opening.path)
            self.wrong(place(kind, path), say("audit.opening", seq=opening.seq, field=field_name))
            return
        self.found.openings.setdefault((opening.seq, opening.path), opening)

    def _private(self, payload: bytes, seq: int) -> None:
        self.seq = max(seq, 0)
        try:
            openings = seal.unpack_openings(payload)
        except (BadOpening, canon.NotCanonical) as error:
            self.wrong("private openings", say("audit.record", what=str(error)))
            return
        for opening in openings:
            where = place(records.COMMAND, opening.path)
            if opening.seq != seq:
                self.wrong("private openings", say("audit.opening_stray", seq=opening.seq))
                continue
            try:
                seal.verify(self.genesis.game, opening, self.found.seals.get((seq, opening.path)))
            except BadOpening:
                self.wrong("private openings", say("audit.opening", seq=seq, field=where))
                continue
            if any(reader not in self.seats for reader in opening.readers):
                self.wrong("private openings", say("audit.no_seat", seat=", ".join(opening.readers)))
            self.found.openings[seq, opening.path] = opening

    def _secrets(self, payload: bytes) -> None:
        try:
            keys = Keys.from_payload(payload)
            keys.check(self.genesis)
        except BadSecrets as error:
            self.wrong("secrets", say("audit.record", what=str(error)), 0)
            return
        self.found.keys = keys

    # --- heads ------------------------------------------------------------------------------------------------------------------

    def _head_frame(self, payload: bytes) -> None:
        try:
            array = canon.unpack(payload)
        except canon.NotCanonical as error:
            self.wrong("head", say("audit.record", what=str(error)))
            return
        types = (str, int, bytes, bytes)
        if type(array) is not tuple or len(array) != 4 or any(type(item) is not kind for item, kind in zip(array, types, strict=True)):
            self.wrong("head", say("audit.shape", what="[game, seq, hash, signature]"))
            return
        self._head(Head(*array), receipt=False)

    def _head(self, head: Head, *, receipt: bool) -> None:
        count = len(self.found.records)
        where = "receipt" if receipt else "head"
        self.found.heads += 1
        if not chain.head_is_signed_by(self.genesis.server_key, head):
            self.wrong(where, say("audit.receipt_key") if receipt else say("audit.signature"), head.seq)
        if head.game != self.genesis.game:
            self.wrong(where, say("audit.head_game", game=head.game), head.seq)
        elif not 0 <= head.seq < count:
            self.wrong(where, say("audit.head_beyond", seq=head.seq), head.seq)
        elif self.found.records[head.seq].hash != head.hash:
            self.wrong(where, say("audit.receipt") if receipt else say("audit.head"), head.seq)

    def _after_all(self) -> None:
        """What can be told only once every frame has been seen: draws with secrets at hand, receipts, what stays unchecked."""
        keys, genesis = self.found.keys, self.genesis
        if keys is not None:
            self.found.hidden = self.found.hidden or keys.hidden
            self.found.salts = self.found.salts or keys.salts
            for epoch in sorted(self.open_draws):
                if epoch <= EPOCHS_MAX:
                    self._check_open(epoch, keys.link(epoch))
        if self.found.hidden is not None and len(self.found.nonces) == len(self.seats):
            seed = dice.hidden_seed(genesis.game, self.found.hidden, tuple(self.found.nonces[seat] for seat in self.seats))
            self._check_hidden(seed)
        else:
            self.found.waiting += len(self.hidden_draws)
        self.found.waiting += sum(len(waiting) for waiting in self.open_draws.values())
        for head in self.receipts or ():
            if head.game == genesis.game:
                self._head(head, receipt=True)
        if self.receipts is not None and not any(head.game == genesis.game for head in self.receipts):
            self.found.notes.append(say("audit.note.no_receipts", game=genesis.game))
        if len(self.found.findings) >= FINDINGS_MAX:
            self.found.notes.append(say("audit.note.more", count=FINDINGS_MAX))

    def _check_hidden(self, seed: bytes) -> None:
        for seq, index, counter, purpose in self.hidden_draws:
            opening = self.found.openings.get((seq, (records.DRAWS, index, 3)))
            if opening is None:
                self.found.waiting += 1
                continue
            value = opening.value
            if type(value) is not tuple or len(value) != 2 or not all(type(part) is int for part in value):
                where = place(records.COMMAND, (records.DRAWS, index, 3))
                self.wrong(where, say("audit.shape", what="[how many, which]"), seq)
                continue
            self._check_draw(seq, index, dice.Receipt(0, counter, purpose, *value), seed)


_ACTS = {
    records.SEAT: _Examiner._seat,
    records.COMMAND: _Examiner._command,
    records.ASK: _Examiner._ask,
    records.ANSWER: _Examiner._answer,
    records.TAKEBACK: _Examiner._takeback,
    records.OPEN: _Examiner._open_link,
    records.END: _Examiner._end,
}


__all__ = ["FINDINGS_MAX", "Evidence", "examine"]
