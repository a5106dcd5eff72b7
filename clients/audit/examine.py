"""Level 1: whether the evidence is sound by itself. Only `protocol` is needed, and no rules of any
game.

Frames and their end mark, the chain of hashes, every record's form and place in the course of a
game (ceremony, decisions, requests, takebacks, the end) are looked at here; who may sign what in
`warledger.protocol.acting`, dice and their receipts in `chance`, seals and openings in `hidden`,
what seats bound themselves to in secret in `promises`, signed heads in `heads`, receipts kept
elsewhere in `kept`, damaged bytes in `damage`. `examine` never raises because of a file's content:
whatever is wrong is a Finding.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from warledger.clients.audit import heads
from warledger.clients.audit.chance import Chance, turns_closed
from warledger.clients.audit.damage import assess
from warledger.clients.audit.evidence import FINDINGS_MAX, Evidence, Sitter
from warledger.clients.audit.hidden import Hidden
from warledger.clients.audit.kept import Kept, check_kept
from warledger.clients.audit.promises import Promises
from warledger.clients.audit.report import Finding, place_in
from warledger.clients.audit.shapes import BadShape, check
from warledger.clients.audit.signatures import Claim, Signatures
from warledger.clients.audit.undo import NOTHING, Undo
from warledger.protocol import bodies, canon, chain, clock, deskbodies, dice, records, wlog
from warledger.protocol.acting import Acting
from warledger.protocol.acts import NO_KEY, Act
from warledger.protocol.canon import Seal
from warledger.protocol.chain import Head
from warledger.protocol.choices import Say, say
from warledger.protocol.clockcontrol import CLOCK, DESK, PROTEST
from warledger.protocol.docket import ENDED_BY
from warledger.protocol.effects import AWAIT, REWIND, packed_news
from warledger.protocol.records import CorruptLog, Genesis, Record
from warledger.protocol.unsealing import Unsealing

_RESIGNED: Final = "outcome.resigned"
_AGREED: Final = "outcome.draw_agreed"
_NOT_BY_RULES: Final = frozenset(
    (
        _RESIGNED,
        _AGREED,
        "outcome.expired",
        "outcome.lapsed",
        clock.FLAGGED,
        clock.FLAGGED_TOGETHER,
        *ENDED_BY,
    )
)


def examine(
    data: bytes,
    *,
    key: bytes | None = None,
    receipts: Sequence[Head] | None = None,
    kept: Sequence[Kept] = (),
) -> Evidence:
    """Examine a file's bytes. `key` is the server's public key from a source other than the file,
    `receipts` are heads kept elsewhere, `kept` what folders of receipts hold beside heads."""
    found = Evidence(given_key=key)
    try:
        parsed: wlog.WlogFile | None = wlog.parse(data)
    except wlog.CorruptFile:
        parsed = None
    if parsed is not None and parsed.torn_at is None:
        if not parsed.sealed:
            found.notes.append(say("audit.note.not_sealed"))
        _Examiner(found, parsed.frames, parsed.format, receipts, kept).run()
        return found
    damage = assess(data)
    found.findings += damage.findings
    found.whole = damage.whole
    if damage.frames:
        if not damage.sealed:
            found.notes.append(say("audit.note.not_sealed"))
        _Examiner(found, damage.frames, damage.format, receipts, kept).run()
        if not damage.whole:
            found.notes.append(say("audit.note.damaged", count=len(found.records)))
    found.findings += damage.last
    return found


class _Signed(Acting):
    """Who may sign what, with the signatures themselves checked beside the reading."""

    def __init__(self, genesis: Genesis, signatures: Signatures) -> None:
        super().__init__(genesis)
        self.signed: dict[str, int] = {}
        """The newest record of each seat that carries a signature of its own by which the record
        before it was seen. Where records stand between the two, nobody has signed those."""
        self._signatures = signatures

    def _signed(self, act: Act) -> None:
        super()._signed(act)
        if act.key != NO_KEY and act.seen == self._record.previous:
            self.signed[act.seat] = self._record.seq

    def _claim(self, where: str, wrong: Say, key: bytes, message: bytes, signature: bytes) -> None:
        self._signatures.add(Claim(key, message, signature, self._record.seq, where, wrong))


class _Examiner:
    """Goes through a file's frames once, keeping what each record must fit."""

    def __init__(
        self,
        found: Evidence,
        frames: Sequence[wlog.Frame],
        header: int | None,
        receipts: Sequence[Head] | None,
        kept: Sequence[Kept],
    ) -> None:
        self.found = found
        self.frames = frames
        self.header = header
        self.receipts = receipts
        self.kept = kept
        self.seq = 0
        self.seats: tuple[str, ...] = ()
        self.seqs: dict[bytes, int] = {}
        self.ids: set[tuple[str, bytes]] = set()
        self.began = False
        self.open: dict[str, int] = {}
        self.depth = 0
        self.undo: Undo = NOTHING
        self.stood = 0
        """The newest record that a takeback may go back to: no `clock`, and no `ruling` but a
        correction."""
        self.past: dict[int, tuple[Undo, tuple[str, ...], int]] = {}
        self.dead: list[tuple[int, int]] = []
        self.ask: tuple[str, str, int, set[str]] | None = None
        self.due: tuple[str, Any] | None = None
        self.outages: list[int] = []
        self.ends = False
        self.heads: list[tuple[bytes, int]] = []
        self.witnesses: list[tuple[bytes, int]] = []
        self.meta = False
        self.signatures = Signatures()
        self.chance: Chance
        self.acting: _Signed | None = None
        self.hidden = Hidden(found)
        self.promises = Promises(found)
        self.unsealing = Unsealing()

    # --- findings ---------------------------------------------------------------------------------

    def wrong(self, field_name: str, what: Say, seq: int | None = None) -> None:
        """Note something wrong in the record in hand."""
        self.found.wrong(self.seq if seq is None else seq, field_name, what)

    def note(self, what: Say) -> None:
        """Note something that is not wrong, once."""
        if what not in self.found.notes:
            self.found.notes.append(what)

    # --- the course -------------------------------------------------------------------------------

    def run(self) -> None:
        """Everything, in order."""
        try:
            self._run()
        finally:
            self.signatures.close()

    def _run(self) -> None:
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
                record = self.found.records[count]
                if count:
                    self._record(record)
                elif self.acting is not None:
                    for where, what in self.acting.take(record):
                        self.wrong(where, what)
                self.seqs[record.hash] = count
                self.past[count] = (self.undo, tuple(self.open), self.depth)
                if not self._timed(count):
                    self.stood = count
                count += 1
            elif frame.kind == wlog.FRAME_OPENINGS:
                self.hidden.private(frame.payload, count - 1)
            elif frame.kind == wlog.FRAME_HEAD:
                self.heads.append((frame.payload, self.seq))
            elif frame.kind == wlog.FRAME_SECRETS:
                self.hidden.secrets(frame.payload)
            elif frame.kind == wlog.FRAME_WITNESS:
                self.witnesses.append((frame.payload, count - 1))
            elif frame.kind == wlog.FRAME_META:
                self.meta = True
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
        self.found.server_keys.append((0, genesis.server_key))
        self.chance = Chance(self.found, genesis.chain)
        if genesis.signed:
            self.acting = _Signed(genesis, self.signatures)
        self._actor(record, records.SERVER)
        if self.header is not None and self.header != genesis.format:
            self.wrong(
                "format", say("audit.header_format", header=self.header, format=genesis.format), 0
            )
        for term, value in genesis.terms.items():
            if term in (CLOCK, DESK, PROTEST, records.TOURNAMENT):
                continue  # looked at where the clocks, the claims and the tournament are
            if term not in (records.UNSIGNED_SEATS, records.SELF_PLAY):
                self.note(say("audit.note.term", term=term))
            elif value is not True:
                self.wrong("terms", say("audit.term", term=term), 0)
        return True

    def _record(self, record: Record) -> None:
        genesis = self.found.opened_genesis
        if self.found.revealed or (self.found.ended and record.kind != records.REVEAL):
            self.wrong("kind", say("audit.after_end"))
        self.chance.before(self.seq, record.kind)
        if not genesis.signed and record.kind not in records.KINDS_OF_FORMAT_1:
            self.wrong("kind", say("audit.kind_of_format", kind=record.kind))
            return
        try:
            check(record, genesis.format)
        except BadShape as error:
            self.wrong(
                place_in(record, error.path, genesis.format), say("audit.shape", what=error.what)
            )
            return
        if record.kind == records.GENESIS:
            self.wrong("kind", say("audit.second_genesis"))
            return
        self._follows(record)
        if self.acting is not None:
            for where, what in self.acting.take(record):
                self.wrong(where, what)
            _SIGNED_KINDS[record.kind](self, record)
            for where, what in self.unsealing.take(record):
                self.wrong(where, what)
        else:
            _KINDS[record.kind](self, record)

    def _follows(self, record: Record) -> None:
        """Check that what must follow does follow: the takeback or the end that all have agreed to,
        the end after what ends a game."""
        due, self.due = self.due, None
        if self.ends and record.kind not in (records.OPEN, records.END):
            self.wrong("kind", say("audit.nobody_asked"))
            self.ends = False
        if due is None:
            if record.kind == records.END and not self.found.opened_genesis.signed:
                self._end_uncaused(record)
            return
        kind, expected = due
        if record.kind != kind:
            self.wrong(
                "kind",
                say("audit.resigned_on") if expected[1] == _RESIGNED else say("audit.agreed_on"),
            )
        elif kind == records.END:
            if bodies.End.read(record.body).outcome != expected:
                self.wrong("reason", say("acts.other_cause"))
        else:
            body = bodies.Takeback.read(record.body)
            if (body.seat, body.to) != expected:
                self.wrong("to", say("audit.agreed_on"))

    def _end_uncaused(self, record: Record) -> None:
        """Format 1: an end that no request led to follows the command that ended the game, or comes
        before play begins."""
        end = bodies.End.read(record.body)
        if not self.began:
            if end.outcome != (None, "outcome.expired", ()):
                self.wrong("reason", say("acts.no_cause"))
        elif not self.ends or end.reason.key in _NOT_BY_RULES:
            self.wrong("reason", say("acts.no_cause"))

    def _actor(self, record: Record, expected: str) -> None:
        if record.actor != expected:
            self.wrong(
                "actor", say("audit.actor", actor=record.actor, expected=expected), record.seq
            )

    def _named(self, text: str) -> None:
        if not text.isprintable():
            self.note(say("audit.note.unprintable", seq=self.seq))

    # --- both formats -----------------------------------------------------------------------------

    def _played(self, record: Record, body: bodies.CommandBody) -> None:
        """What a command did: its draws, seals and openings, the flow, who is asked next."""
        self.found.commands += 1
        self.found.events += len(body.events)
        hides = self.hidden.sealed(record, body.effects)
        self.chance.drawn(self.seq, body.seat, body.draws, turns_closed(body.effects), self.open)
        self.hidden.opened(record)
        kept, above = body.flow
        if kept > self.depth:
            self.wrong("flow[0]", say("audit.flow", kept=kept, depth=self.depth))
        self.depth = kept + len(above)
        self._awaits(body.awaits)
        held = self.acting is not None and self.acting.desk.protest_ms
        self.ends = not body.awaits and not held
        sealed = type(body.picks) is Seal
        news = (
            bool(body.draws or body.opened)
            or (hides and not sealed)
            or packed_news(body.effects, body.seat, sealed_picks=sealed)
        )
        self.undo = NOTHING if news or not body.seat else self.undo.after(body.seat, self.stood)
        self.ask = None

    def _awaits(self, awaits: Sequence[tuple[str, int]]) -> None:
        seats = [seat for seat, _ in awaits]
        if seats != [seat for seat in self.seats if seat in seats]:
            self.wrong("awaits", say("audit.awaits"))
        for seat, opened in awaits:
            if opened != self.seq and self.open.get(seat) != opened:
                self.wrong("awaits", say("audit.awaits_opened", seat=seat, opened=opened))
        self.open = dict(awaits)

    def _asked(self, seat: str, decision: int) -> None:
        if self.open.get(seat) != decision:
            self.wrong("decision", say("audit.not_asked", seat=seat, decision=decision))

    def _back(self, body: bodies.Takeback, free: bool) -> None:
        """The game goes back."""
        seat, to, awaits = body.seat, body.to, body.awaits
        then_undo, then_open, then_depth = self.past[to]
        if [name for name, _ in awaits] != list(then_open) or any(
            opened != self.seq for _, opened in awaits
        ):
            self.wrong("awaits", say("audit.takeback_awaits", to=to))
        if self._is_dead(to):
            self.note(say("audit.note.dead_branch", seq=self.seq, to=to))
        else:
            while self.dead and self.dead[-1][0] > to:
                self.dead.pop()
            self.dead.append((to + 1, self.seq - 1))
        self.open = dict(awaits)
        self.depth = then_depth
        self.undo = then_undo if free and then_undo.seat in ("", seat) else NOTHING
        self.ask = None

    def _is_dead(self, seq: int) -> bool:
        """Whether a record had been taken back."""
        low, high = 0, len(self.dead)
        while low < high:
            middle = (low + high) // 2
            if self.dead[middle][0] <= seq:
                low = middle + 1
            else:
                high = middle
        return low > 0 and seq <= self.dead[low - 1][1]

    def _open_link(self, record: Record) -> None:
        body = bodies.Open.read(record.body)
        self._actor(record, records.SERVER)
        self.chance.opened(self.seq, body.epoch, body.link)

    def _end(self, record: Record) -> None:
        body = bodies.End.read(record.body)
        winner, reason = body.winner, body.reason
        if self.acting is None:
            self._actor(record, records.SERVER)
        elif self.open and reason.key not in _NOT_BY_RULES:
            self.wrong("reason", say("acts.no_cause"))
        self.found.ended, self.found.winner, self.found.reason = True, winner, reason
        self.open = {}
        self.ends = False
        if winner is not None and winner not in self.seats:
            self.wrong("winner", say("audit.no_seat", seat=winner))
        self.hidden.ended(record, body)
        self.found.revealed = not self.found.opened_genesis.signed
        self.chance.ended(self.seq, body.links)

    # --- format 1 ---------------------------------------------------------------------------------

    def _seat_1(self, record: Record) -> None:
        body = bodies.read_seat(record.body)
        seat = body.seat
        if seat not in self.seats:
            self.wrong("seat", say("audit.no_seat", seat=seat))
            return
        sitter = self.found.sitters.get(seat)
        if type(body) is bodies.Taken:
            if sitter is not None:
                self.wrong("seat", say("audit.seat_twice", seat=seat))
            self._actor(record, body.name)
            self._named(body.name)
            self.found.sitters[seat] = Sitter(body.name, nonce_hash=body.nonce_hash)
        elif type(body) is bodies.Replaced:
            self._actor(record, records.SERVER)
            self._named(body.name)
            self.found.replaced.append(self.seq)
            if sitter is None:
                self.wrong("seat", say("audit.seat_empty", seat=seat))
            else:
                sitter.name = body.name
        elif type(body) is bodies.Nonce:
            nonce = body.nonce
            self._actor(record, sitter.name if sitter else "")
            if len(self.found.sitters) < len(self.seats):
                self.wrong("value", say("audit.nonce_early", seat=seat))
            if seat in self.found.nonces:
                self.wrong("value", say("audit.nonce_twice", seat=seat))
            elif (
                sitter is None
                or dice.nonce_hash(self.found.opened_genesis.game, seat, nonce) != sitter.nonce_hash
            ):
                self.wrong("value", say("audit.nonce", seat=seat))
            self.found.nonces[seat] = nonce

    def _command_1(self, record: Record) -> None:
        body = bodies.CommandBody.read(record.body)
        if not self.began:
            self._begin_1(record, body)
        else:
            seat, id = body.seat, body.id
            self._actor(record, seat)
            self._asked(seat, body.decision)
            if id and (seat, id) in self.ids:
                self.note(say("audit.note.id_twice", seq=self.seq, seat=seat))
            self.ids.add((seat, id))
        if body.seen and body.seen not in self.seqs:
            self.wrong("seen", say("audit.seen"))
        self._played(record, body)

    def _begin_1(self, record: Record, body: bodies.CommandBody) -> None:
        self.began = True
        self._actor(record, records.SERVER)
        if len(self.found.nonces) < len(self.seats):
            self.wrong("kind", say("audit.began_early"))
        plain = (body.decision, body.seat, body.picks, body.id, body.seen)
        if plain != (0, "", ("begin",), b"", b""):
            self.wrong("picks", say("audit.begin"))

    def _ask_1(self, record: Record) -> None:
        body = bodies.Ask.read(record.body)
        seat, kind, to = body.seat, body.what, body.to
        self._actor(record, seat)
        if seat not in self.seats:
            self.wrong("seat", say("audit.no_seat", seat=seat))
        if not self.began:
            self.wrong("kind", say("audit.ask_early"))
        if kind == bodies.RESIGN:
            others = [other for other in self.seats if other != seat]
            self.due = (
                records.END,
                (others[0] if len(others) == 1 else None, _RESIGNED, (("seat", seat),)),
            )
            return
        if self.ask is not None:
            self.wrong("kind", say("audit.ask_twice"))
        if kind == bodies.TAKEBACK and not 0 < to < self.seq:
            self.wrong("to", say("audit.takeback_to", to=to))
        self.ask = (seat, kind, to, set())

    def _answer_1(self, record: Record) -> None:
        body = bodies.Answer.read(record.body)
        seat = body.seat
        self._actor(record, seat)
        if seat not in self.seats:
            self.wrong("seat", say("audit.no_seat", seat=seat))
        if self.ask is None:
            self.wrong("kind", say("audit.answer_unasked"))
            return
        asker, kind, to, given = self.ask
        if seat == asker or seat in given:
            self.wrong("seat", say("audit.answer_own", seat=seat))
        if not body.consents:
            self.ask = None
            return
        given.add(seat)
        if len(given) == len(self.seats) - 1:
            self.due = (
                (records.END, (None, _AGREED, ()))
                if kind == bodies.DRAW
                else (records.TAKEBACK, (asker, to))
            )

    def _takeback_1(self, record: Record) -> None:
        body = bodies.Takeback.read(record.body)
        seat, to = body.seat, body.to
        self._actor(record, seat)
        if not 0 < to < self.seq:
            self.wrong("to", say("audit.takeback_to", to=to))
            return
        free = self.undo.reaches(seat, to)
        if not free:
            ask = self.ask
            if (
                ask is None
                or ask[:3] != (seat, bodies.TAKEBACK, to)
                or len(ask[3]) != len(self.seats) - 1
            ):
                self.wrong("to", say("audit.takeback_consent", to=to))
        self._back(body, free)

    # --- format 2: who signed what is looked at in `warledger.protocol.acting` --------------------

    def _seat(self, record: Record) -> None:
        body = bodies.read_seat(record.body)
        if type(body) is bodies.Nonce:
            self.found.nonces.setdefault(body.seat, body.nonce)
        elif isinstance(body, bodies.Taken | bodies.Replaced):
            self._named(body.name)
            self._named(body.client)
        if type(body) is bodies.Replaced and (body.handed is None or body.handed.key == NO_KEY):
            self.found.replaced.append(self.seq)

    def _command(self, record: Record) -> None:
        body = bodies.CommandBody.read(record.body)
        if self.began:
            self._asked(body.seat, body.decision)
        self.began = True
        self._played(record, body)
        self.promises.command(self.seq, body)

    def _ask(self, record: Record) -> None:
        body = bodies.Ask.read(record.body)
        seat, to = body.seat, body.to
        if body.what == bodies.TAKEBACK:
            if not 0 < to < self.seq or seat not in self.past[to][1] or self._timed(to):
                self.wrong("to", say("audit.takeback_to", to=to))
            elif self.undo.reaches(seat, to):
                self.wrong(
                    "kind", say("audit.takeback_free", to=to)
                )  # else another seat could refuse what needs nobody's consent
        elif to and body.what not in (deskbodies.PAUSE, deskbodies.ADJOURN):
            self.wrong("to", say("audit.takeback_to", to=to))

    def _timed(self, seq: int) -> bool:
        """Whether a record tells of time or of arbiters, and so nothing of the board."""
        record = self.found.records[seq]
        corrects = bodies.act_of(record) == deskbodies.Corrected.WHAT
        return record.kind in (records.CLOCK, records.RULING) and not corrects

    def _of_time(self, record: Record) -> None:
        """Who may write it, and when, is checked together with the signatures. That the server was
        down is its own word, which stops clocks: it is told."""
        body = deskbodies.read_clock(record.body)
        if isinstance(body, deskbodies.Outage):
            self.outages.append(body.to_ms - body.from_ms)

    def _of_arbiters(self, record: Record) -> None:
        """Who may write it, and when, is looked at beside the signatures; a correction stands like
        a command that was nobody's."""
        body = deskbodies.read_ruling(record.body)
        self._named(record.actor)
        if isinstance(body, deskbodies.Corrected):
            self.found.events += len(body.events)
            self.undo, self.ask = NOTHING, None
        elif isinstance(body, deskbodies.Ruled):
            told = {"seq": self.seq, "arbiter": record.actor, "claim": body.n}
            self.note(say("audit.note.ruled", finding=f"ruling.{_word(body.finding)}", **told))

    def _answer(self, record: Record) -> None:
        request = self.acting.request if self.acting is not None else None
        if (
            request is not None
            and request.what == bodies.TAKEBACK
            and len(request.consents) == len(self.seats) - 1
        ):
            self.due = records.TAKEBACK, (request.seat, request.to)

    def _takeback(self, record: Record) -> None:
        body = bodies.Takeback.read(record.body)
        to, asked = body.to, tuple(name for name, _ in body.awaits)
        if not 0 < to < self.seq:
            self.wrong("to", say("audit.takeback_to", to=to))
            return
        if not body.ask and not self.undo.reaches(body.seat, to):
            self.wrong("to", say("audit.takeback_consent", to=to))
        if not body.seat and (self._timed(to) or not self.past[to][1]):
            self.wrong("to", say("audit.takeback_to", to=to))
        if body.effects != canon.pack(((REWIND, to), (AWAIT, asked))):
            self.wrong("effects", say("audit.takeback_effects", to=to))
        self._back(body, not body.ask)

    def _orders(self, record: Record) -> None:
        self.hidden.sealed(record)
        self.promises.orders(self.seq, bodies.Orders.read(record.body))

    def _open_link_2(self, record: Record) -> None:
        self._open_link(record)
        self.promises.turn_ended()

    def _rotate(self, record: Record) -> None:
        self.found.server_keys.append((self.seq, bodies.Rotate.read(record.body).key))

    def _reveal(self, record: Record) -> None:
        if not self.found.ended:
            return  # nothing of it is taken for known
        self.hidden.opened(record)
        if bodies.Reveal.read(record.body).last:
            self.found.revealed = True
            self.hidden.whole(record)

    # --- in the end -------------------------------------------------------------------------------

    def _after_all(self) -> None:
        """What can be checked only once every frame has been seen: draws with the secrets,
        signatures, receipts, and what remains unchecked."""
        found = self.found
        self.hidden.after_all()
        self.chance.after_all()
        self.promises.after_all()
        failed = 0
        for claim in self.signatures.failed():
            failed += 1
            self.wrong(claim.field, claim.wrong, claim.seq)
        found.acts = self.signatures.count - failed
        if self.acting is not None:
            self._who_signed(self.acting)
            found.half_done = self.acting.half_done
        if self.outages:
            longest = max(self.outages) // 1000
            total = sum(self.outages) // 1000
            told = {"count": len(self.outages), "seconds": total, "longest": longest}
            self.note(say("audit.note.outages", **told))
        heads.check_key(found)
        for payload, seq in self.heads:
            heads.check_frame(found, payload, seq)
        for payload, seq in self.witnesses:
            heads.check_witness(found, payload, seq)
        if self.receipts is not None:
            heads.check_receipts(found, self.receipts)
        check_kept(found, self.kept)
        heads.check_forks(found)
        if self.meta:
            self.note(say("audit.note.meta"))
        if len(found.findings) >= FINDINGS_MAX:
            found.notes.append(say("audit.note.more", count=FINDINGS_MAX))

    def _who_signed(self, acting: _Signed) -> None:
        found = self.found
        found.table_code = acting.table_code
        found.key_owners = acting.owners
        for seat, sitting in acting.seats.items():
            if sitting.taken is None:
                continue
            keys = [key for key in sitting.keys if key != NO_KEY]
            signed_to = max(sitting.signed_up_to, acting.signed.get(seat, -1))
            found.sitters[seat] = Sitter(
                sitting.name, sitting.client, sitting.taken[1], keys, sitting.taken[2], signed_to
            )
            if NO_KEY in (sitting.taken[1], *sitting.keys):
                found.unsigned.append(seat)


_KINDS: Mapping[str, Any] = {
    records.SEAT: _Examiner._seat_1,
    records.COMMAND: _Examiner._command_1,
    records.ASK: _Examiner._ask_1,
    records.ANSWER: _Examiner._answer_1,
    records.TAKEBACK: _Examiner._takeback_1,
    records.OPEN: _Examiner._open_link,
    records.END: _Examiner._end,
}
_SIGNED_KINDS: Mapping[str, Any] = {
    records.SEAT: _Examiner._seat,
    records.COMMAND: _Examiner._command,
    records.ASK: _Examiner._ask,
    records.ANSWER: _Examiner._answer,
    records.TAKEBACK: _Examiner._takeback,
    records.OPEN: _Examiner._open_link_2,
    records.ORDERS: _Examiner._orders,
    records.ROTATE: _Examiner._rotate,
    records.REVEAL: _Examiner._reveal,
    records.END: _Examiner._end,
    records.CLOCK: _Examiner._of_time,
    records.RULING: _Examiner._of_arbiters,
}


def _word(finding: str) -> str:
    return finding.replace(" ", "_")


__all__ = ["examine"]
