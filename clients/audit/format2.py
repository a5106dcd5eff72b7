"""The records of format 2. Who signed what is looked at in `warledger.protocol.acting`, and here
what it means for the course of the game."""

from typing import Final

from warledger.clients.audit.course import Course, Kinds
from warledger.clients.audit.evidence import Evidence, Sitter
from warledger.clients.audit.hidden import Hidden
from warledger.clients.audit.promises import Promises
from warledger.clients.audit.signatures import Claim, Signatures
from warledger.clients.audit.undo import NOTHING
from warledger.protocol import bodies, canon, deskbodies, records
from warledger.protocol.acting import NOT_BY_RULES, Acting
from warledger.protocol.acts import NO_KEY, Act
from warledger.protocol.choices import Say, say
from warledger.protocol.effects import AWAIT, REWIND
from warledger.protocol.records import Genesis, Record
from warledger.protocol.unsealing import Unsealing


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


class FormatTwo(Course):
    """A game of format 2. The signatures that its records carry go to `signatures`."""

    def __init__(
        self,
        found: Evidence,
        genesis: Genesis,
        hidden: Hidden,
        signatures: Signatures,
    ) -> None:
        super().__init__(found, genesis, hidden)
        self.acting = _Signed(genesis, signatures)
        self.protest = bool(self.acting.desk.protest_ms)
        self.promises = Promises(found)
        self.unsealing = Unsealing()
        self.outages: list[int] = []

    def _first(self, record: Record) -> None:
        self._signs(record)

    def _of_kind(self, record: Record) -> None:
        self._signs(record)
        _KINDS[record.kind](self, record)
        for where, what in self.unsealing.take(record):
            self.wrong(where, what)

    def _signs(self, record: Record) -> None:
        for where, what in self.acting.take(record):
            self.wrong(where, what)

    def _can_go_back_to(self, record: Record) -> bool:
        """Not to one that tells of time or of arbiters, and so nothing of the board; a correction
        does."""
        corrects = bodies.act_of(record) == deskbodies.Corrected.WHAT
        return corrects or record.kind not in (records.CLOCK, records.RULING)

    def _asked_for(self) -> None:
        """Requests are kept by `Acting`."""

    def _end_uncaused(self, record: Record) -> None:
        """What has led to an end is looked at by `Acting`."""

    def _timed(self, seq: int) -> bool:
        return not self._can_go_back_to(self.found.records[seq])

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
        turns = self.turns
        self._played(record, body)
        self.promises.command(self.seq, body)
        if self.turns > turns:
            self.promises.turn_ended()

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

    def _of_time(self, record: Record) -> None:
        """Who may write it, and when, is checked together with the signatures. That the server was
        down is its own word, which stops clocks: it is reported."""
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
            self.undo = NOTHING
        elif isinstance(body, deskbodies.Ruled):
            told = {"seq": self.seq, "arbiter": record.actor, "claim": body.n}
            self.note(say("audit.note.ruled", finding=f"ruling.{_word(body.finding)}", **told))

    def _answer(self, record: Record) -> None:
        request = self.acting.request
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

    def _rotate(self, record: Record) -> None:
        self.found.server_keys.append((self.seq, bodies.Rotate.read(record.body).key))

    def _reveal(self, record: Record) -> None:
        if not self.found.ended:
            return  # nothing of it is taken for known
        self.hidden.opened(record)
        if bodies.Reveal.read(record.body).last:
            self.found.revealed = True
            self.hidden.whole(record)

    def _closes(self, record: Record) -> None:
        if self.open and bodies.End.read(record.body).reason.key not in NOT_BY_RULES:
            self.wrong("reason", say("acts.no_cause"))
        self._end(record)

    # --- in the end -------------------------------------------------------------------------------

    def after_all(self) -> None:
        """What the whole log says: who sits where, how long the server was away."""
        self._who_signed()
        self.found.half_done = self.acting.half_done
        if self.outages:
            longest = max(self.outages) // 1000
            total = sum(self.outages) // 1000
            told = {"count": len(self.outages), "seconds": total, "longest": longest}
            self.note(say("audit.note.outages", **told))

    def _who_signed(self) -> None:
        found, acting = self.found, self.acting
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


_KINDS: Final[Kinds] = {
    records.SEAT: FormatTwo._seat,
    records.COMMAND: FormatTwo._command,
    records.ASK: FormatTwo._ask,
    records.ANSWER: FormatTwo._answer,
    records.TAKEBACK: FormatTwo._takeback,
    records.OPEN: FormatTwo._open_link,
    records.ORDERS: FormatTwo._orders,
    records.ROTATE: FormatTwo._rotate,
    records.REVEAL: FormatTwo._reveal,
    records.END: FormatTwo._closes,
    records.CLOCK: FormatTwo._of_time,
    records.RULING: FormatTwo._of_arbiters,
}


def _word(finding: str) -> str:
    return finding.replace(" ", "_")


__all__ = ["FormatTwo"]
