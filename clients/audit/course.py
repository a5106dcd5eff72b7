"""The course of a game as its records tell it: who is asked, what may be taken back, what must
follow what. Who signed what is looked at in `warledger.protocol.seats.acting`, and here what it
means for the course of the game.
"""

from collections.abc import Callable, Mapping
from typing import Final

from warledger.clients.audit.evidence import Evidence, Sitter
from warledger.clients.audit.hidden import Hidden
from warledger.clients.audit.promises import Promises
from warledger.clients.audit.report import place_in
from warledger.clients.audit.shapes import BadShape, check
from warledger.clients.audit.signatures import Claim, Signatures
from warledger.protocol import canon
from warledger.protocol.board.choices import Say, say
from warledger.protocol.board.effects import AWAIT, REWIND
from warledger.protocol.chance.drawing import Drawing
from warledger.protocol.chance.unsealing import Unsealing
from warledger.protocol.clocks.clock import FLAGGED, FLAGGED_TOGETHER
from warledger.protocol.log import bodies, deskbodies, records
from warledger.protocol.log.records import Genesis, Record
from warledger.protocol.seats.acting import NOT_BY_RULES, Acting
from warledger.protocol.seats.acts import NO_KEY, Act


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


class Course:
    """What the records of one game have amounted to so far, and what the next must fit. The
    signatures that they carry go to `signatures`."""

    def __init__(
        self, found: Evidence, genesis: Genesis, hidden: Hidden, signatures: Signatures
    ) -> None:
        self.found = found
        self.genesis = genesis
        self.drawing = Drawing(genesis)
        self.hidden = hidden
        self.acting = _Signed(genesis, signatures)
        self.promises = Promises(found)
        self.unsealing = Unsealing()
        self.outages: list[int] = []
        self.seats = genesis.seats
        self.seq = 0
        self.began = False
        self.open: dict[str, int] = {}
        self.depth = 0
        self.past: dict[int, tuple[tuple[str, ...], int]] = {}
        """Who was asked after each record, and how deep the sequence of play was."""
        self.dead: list[tuple[int, int]] = []

    # --- findings ---------------------------------------------------------------------------------

    def wrong(self, field_name: str, what: Say, seq: int | None = None) -> None:
        """Note something wrong in the record in hand."""
        self.found.wrong(self.seq if seq is None else seq, field_name, what)

    def note(self, what: Say) -> None:
        """Note something that is not wrong, once."""
        self.found.note(what)

    # --- records ----------------------------------------------------------------------------------

    def take(self, record: Record) -> None:
        """Look at the next record, the genesis first."""
        if record.seq:
            self._record(record)
        else:
            self.drawing.take(record)
            self._signs(record)
            for where, what in self.unsealing.take(record):
                self.wrong(where, what)
        self.past[record.seq] = (tuple(self.open), self.depth)

    def _record(self, record: Record) -> None:
        self.seq = record.seq
        if self.found.revealed or (self.found.ended and record.kind != records.REVEAL):
            self.wrong("kind", say("audit.after_end"))
        try:
            check(record)
        except BadShape as error:
            self.wrong(place_in(record, error.path), say("audit.shape", what=error.what))
            return
        if record.kind == records.GENESIS:
            self.wrong("kind", say("audit.second_genesis"))
            return
        for seq, where, what in self.drawing.take(record):
            self.wrong(where, what, seq)
        self._signs(record)
        handler = _KINDS.get(record.kind)
        if handler is not None:
            handler(self, record)
        for where, what in self.unsealing.take(record):
            self.wrong(where, what)

    def _signs(self, record: Record) -> None:
        for where, what in self.acting.take(record):
            self.wrong(where, what)

    def _actor(self, record: Record, expected: str) -> None:
        if record.actor != expected:
            self.wrong(
                "actor",
                say("audit.actor", actor=records.called(record.actor), expected=expected),
                record.seq,
            )

    def _played(self, record: Record, body: bodies.CommandBody) -> None:
        """What a command did: its draws, seals and openings, the flow, who is asked next."""
        self.found.commands += 1
        self.found.events += len(body.events)
        self.hidden.sealed(record, body.effects)
        self.hidden.opened(record)
        kept, above = body.flow
        if kept > self.depth:
            self.wrong("flow[0]", say("audit.flow", kept=kept, depth=self.depth))
        self.depth = kept + len(above)
        self.open = {seat: opened for seat, opened, _ in body.awaits}
        asked = [seat for seat, *_ in body.awaits]
        if asked != [seat for seat in self.seats if seat in self.open]:
            self.wrong("awaits", say("audit.awaits"))

    def _asked(self, seat: str, decision: int) -> None:
        if self.open.get(seat) != decision:
            self.wrong("decision", say("audit.not_asked", seat=seat, decision=decision))

    def _back(self, body: bodies.Takeback) -> None:
        """The game goes back."""
        to = body.to
        _, then_depth = self.past[to]
        if self._is_dead(to):
            self.note(say("audit.note.dead_branch", seq=self.seq, to=to))
        else:
            while self.dead and self.dead[-1][0] > to:
                self.dead.pop()
            self.dead.append((to + 1, self.seq - 1))
        self.open = {name: opened for name, opened, _ in body.awaits}
        self.depth = then_depth

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
        self._actor(record, records.SERVER)

    def _end(self, record: Record) -> None:
        body = bodies.End.read(record.body)
        winner, reason = body.winner, body.reason
        self.found.ended, self.found.winner, self.found.reason = True, winner, reason
        self.open = {}
        if winner is not None and winner not in self.seats:
            self.wrong("winner", say("audit.no_seat", seat=winner))
        self.hidden.ended(record, body)

    # --- by kind ----------------------------------------------------------------------------------

    def _seat(self, record: Record) -> None:
        body = bodies.read_seat(record.body)
        if type(body) is bodies.Nonce:
            self.found.nonces.setdefault(body.seat, body.nonce)
        if type(body) is bodies.Replaced and (body.handed is None or body.handed.key == NO_KEY):
            self.found.replaced.append(self.seq)

    def _command(self, record: Record) -> None:
        body = bodies.CommandBody.read(record.body)
        if self.began:
            self._asked(body.seat, body.decision)
        self.began = True
        self._played(record, body)
        self.promises.command(self.seq, body, self.acting.answered.get(self.seq))

    def _ask(self, record: Record) -> None:
        body = bodies.Ask.read(record.body)
        timed = (bodies.TAKEBACK, deskbodies.PAUSE, deskbodies.ADJOURN)
        if body.to and body.what not in timed:
            self.wrong("to", say("audit.takeback_to", to=body.to))

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
        if isinstance(body, deskbodies.Corrected):
            self.found.events += len(body.events)
        elif isinstance(body, deskbodies.Ruled):
            told = {"seq": self.seq, "arbiter": records.identified(record.actor), "claim": body.n}
            self.found.remark(
                say("audit.remark.ruled", finding=f"ruling.{_word(body.finding)}", **told)
            )

    def _takeback(self, record: Record) -> None:
        body = bodies.Takeback.read(record.body)
        to, asked = body.to, tuple(name for name, *_ in body.awaits)
        if not 0 < to < self.seq:
            return  # `Acting` objects
        if not body.seat and not self.past[to][0]:
            self.wrong("to", say("audit.takeback_to", to=to))
        if body.effects != canon.pack(((REWIND, to), (AWAIT, asked))):
            self.wrong("effects", say("audit.takeback_effects", to=to))
        self._back(body)

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
        self.found.owed = self.drawing.owed or self.acting.owed
        if self.outages:
            longest = max(self.outages) // 1000
            total = sum(self.outages) // 1000
            told = {"count": len(self.outages), "seconds": total, "longest": longest}
            self.found.remark(say("audit.remark.outages", **told))
        if self.found.reason is not None and self.found.reason.key in (FLAGGED, FLAGGED_TOGETHER):
            self.found.remark(say("audit.remark.on_time"))

    def _who_signed(self) -> None:
        found, acting = self.found, self.acting
        found.table_code = acting.table_code
        found.key_owners = acting.owners
        for seat, sitting in acting.seats.items():
            if sitting.taken is None:
                continue
            keys = [key for key in sitting.keys if key != NO_KEY]
            signed_to = max(sitting.signed_up_to, acting.signed.get(seat, -1))
            _, _, key, nonce_hash = sitting.taken
            who = sitting.account, sitting.name, sitting.client
            found.sitters[seat] = Sitter(*who, key, keys, nonce_hash, signed_to)
            if NO_KEY in (key, *sitting.keys):
                found.unsigned.append(seat)


_KINDS: Final[Mapping[str, Callable[[Course, Record], None]]] = {
    records.SEAT: Course._seat,
    records.COMMAND: Course._command,
    records.ASK: Course._ask,
    records.TAKEBACK: Course._takeback,
    records.OPEN: Course._open_link,
    records.ORDERS: Course._orders,
    records.ROTATE: Course._rotate,
    records.REVEAL: Course._reveal,
    records.END: Course._closes,
    records.CLOCK: Course._of_time,
    records.RULING: Course._of_arbiters,
}


def _word(finding: str) -> str:
    return finding.replace(" ", "_")
