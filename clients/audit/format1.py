"""The records of format 1: a seat is who holds its token, and the server writes what seats do."""

from typing import Final

from warledger.clients.audit.course import RESIGNED, Course, Kinds
from warledger.clients.audit.evidence import Evidence, Sitter
from warledger.clients.audit.hidden import Hidden
from warledger.protocol import bodies, dice, records
from warledger.protocol.acting import DRAW_AGREED, EXPIRED, NOT_BY_RULES
from warledger.protocol.choices import say
from warledger.protocol.records import Genesis, Record


class FormatOne(Course):
    """A game of format 1."""

    def __init__(self, found: Evidence, genesis: Genesis, hidden: Hidden) -> None:
        super().__init__(found, genesis, hidden)
        self.ids: set[tuple[str, bytes]] = set()
        self.ask: tuple[str, str, int, set[str]] | None = None

    def _first(self, record: Record) -> None:
        """Nothing but what both formats look at."""

    def _of_kind(self, record: Record) -> None:
        _KINDS[record.kind](self, record)

    def _asked_for(self) -> None:
        self.ask = None

    def _end_uncaused(self, record: Record) -> None:
        """An end that no request led to follows the command that ended the game, or comes
        before play begins."""
        end = bodies.End.read(record.body)
        if not self.began:
            if end.outcome != (None, EXPIRED, ()):
                self.wrong("reason", say("acts.no_cause"))
        elif not self.ends or end.reason.key in NOT_BY_RULES:
            self.wrong("reason", say("acts.no_cause"))

    def _seat(self, record: Record) -> None:
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
                or dice.nonce_hash(self.genesis.game, seat, nonce) != sitter.nonce_hash
            ):
                self.wrong("value", say("audit.nonce", seat=seat))
            self.found.nonces[seat] = nonce

    def _command(self, record: Record) -> None:
        body = bodies.CommandBody.read(record.body)
        if not self.began:
            self._begin(record, body)
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

    def _begin(self, record: Record, body: bodies.CommandBody) -> None:
        self.began = True
        self._actor(record, records.SERVER)
        if len(self.found.nonces) < len(self.seats):
            self.wrong("kind", say("audit.began_early"))
        plain = (body.decision, body.seat, body.picks, body.id, body.seen)
        if plain != (0, "", ("begin",), b"", b""):
            self.wrong("picks", say("audit.begin"))

    def _ask(self, record: Record) -> None:
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
                (others[0] if len(others) == 1 else None, RESIGNED, (("seat", seat),)),
            )
            return
        if self.ask is not None:
            self.wrong("kind", say("audit.ask_twice"))
        if kind == bodies.TAKEBACK and not 0 < to < self.seq:
            self.wrong("to", say("audit.takeback_to", to=to))
        self.ask = (seat, kind, to, set())

    def _answer(self, record: Record) -> None:
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
                (records.END, (None, DRAW_AGREED, ()))
                if kind == bodies.DRAW
                else (records.TAKEBACK, (asker, to))
            )

    def _takeback(self, record: Record) -> None:
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

    def _closes(self, record: Record) -> None:
        self._actor(record, records.SERVER)
        self._end(record)


_KINDS: Final[Kinds] = {
    records.SEAT: FormatOne._seat,
    records.COMMAND: FormatOne._command,
    records.ASK: FormatOne._ask,
    records.ANSWER: FormatOne._answer,
    records.TAKEBACK: FormatOne._takeback,
    records.OPEN: FormatOne._open_link,
    records.END: FormatOne._closes,
}

__all__ = ["FormatOne"]
