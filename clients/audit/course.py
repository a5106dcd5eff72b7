"""The course of a game as its records tell it, in either format: who is asked, what may be taken
back, what must follow what. Each format adds what its kinds of records mean (`format1`, `format2`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.hidden import Hidden
from warledger.clients.audit.report import place_in
from warledger.clients.audit.shapes import BadShape, check
from warledger.clients.audit.undo import NOTHING, Undo
from warledger.protocol import bodies, records
from warledger.protocol.canon import Seal
from warledger.protocol.choices import Say, say
from warledger.protocol.drawing import Drawing
from warledger.protocol.effects import packed_news, turns_closed
from warledger.protocol.records import Genesis, Record


class Course(ABC):
    """What the records of one game have amounted to so far, and what the next must fit."""

    protest = False
    """Whether the end of the game is held for protests."""

    def __init__(self, found: Evidence, genesis: Genesis, hidden: Hidden) -> None:
        self.found = found
        self.genesis = genesis
        self.drawing = Drawing(genesis)
        self.hidden = hidden
        self.seats = genesis.seats
        self.seq = 0
        self.seqs: dict[bytes, int] = {}
        self.began = False
        self.open: dict[str, int] = {}
        self.depth = 0
        self.turns = self.turns_most = 0
        self.undo: Undo = NOTHING
        self.stood = 0
        """The newest record that a takeback may go back to."""
        self.past: dict[int, tuple[Undo, tuple[str, ...], int, int]] = {}
        self.dead: list[tuple[int, int]] = []
        self.due: tuple[str, Any] | None = None
        self.ends = False

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
            self._first(record)
        self.seqs[record.hash] = record.seq
        self.past[record.seq] = (self.undo, tuple(self.open), self.depth, self.turns)
        if self._can_go_back_to(record):
            self.stood = record.seq

    @abstractmethod
    def _first(self, record: Record) -> None:
        """The genesis, as far as only this format looks at it."""

    @abstractmethod
    def _of_kind(self, record: Record) -> None:
        """A record of the right form, by its kind."""

    def _can_go_back_to(self, record: Record) -> bool:
        """Whether a takeback may go back to this record."""
        return True

    @abstractmethod
    def _asked_for(self) -> None:
        """The requests that are open are so no longer."""

    def _record(self, record: Record) -> None:
        self.seq = record.seq
        if self.found.revealed or (self.found.ended and record.kind != records.REVEAL):
            self.wrong("kind", say("audit.after_end"))
        if not self.genesis.signed and record.kind not in records.KINDS_OF_FORMAT_1:
            self.wrong("kind", say("audit.kind_of_format", kind=record.kind))
            return
        try:
            check(record, self.genesis.format)
        except BadShape as error:
            self.wrong(
                place_in(record, error.path, self.genesis.format),
                say("audit.shape", what=error.what),
            )
            return
        if record.kind == records.GENESIS:
            self.wrong("kind", say("audit.second_genesis"))
            return
        for seq, where, what in self.drawing.take(record):
            self.wrong(where, what, seq)
        self._follows(record)
        self._of_kind(record)

    def _follows(self, record: Record) -> None:
        """Check that what must follow does follow: the takeback or the end that all have agreed to,
        the end after what ends a game."""
        due, self.due = self.due, None
        if self.ends and record.kind not in (records.OPEN, records.END):
            self.wrong("kind", say("audit.nobody_asked"))
            self.ends = False
        if due is None:
            if record.kind == records.END:
                self._end_uncaused(record)
            return
        kind, expected = due
        if record.kind != kind:
            self.wrong(
                "kind",
                say("audit.resigned_on") if expected[1] == RESIGNED else say("audit.agreed_on"),
            )
        elif kind == records.END:
            if bodies.End.read(record.body).outcome != expected:
                self.wrong("reason", say("acts.other_cause"))
        else:
            body = bodies.Takeback.read(record.body)
            if (body.seat, body.to) != expected:
                self.wrong("to", say("audit.agreed_on"))

    @abstractmethod
    def _end_uncaused(self, record: Record) -> None:
        """An end that no request led to."""

    def _actor(self, record: Record, expected: str) -> None:
        if record.actor != expected:
            self.wrong(
                "actor", say("audit.actor", actor=record.actor, expected=expected), record.seq
            )

    def _named(self, text: str) -> None:
        if not text.isprintable():
            self.note(say("audit.note.unprintable", seq=self.seq))

    def _played(self, record: Record, body: bodies.CommandBody) -> None:
        """What a command did: its draws, seals and openings, the flow, who is asked next."""
        self.found.commands += 1
        self.found.events += len(body.events)
        hides = self.hidden.sealed(record, body.effects)
        self.hidden.opened(record)
        closed = turns_closed(body.effects)
        self.turns += closed
        first = self.turns > self.turns_most
        self.turns_most = max(self.turns_most, self.turns)
        kept, above = body.flow
        if kept > self.depth:
            self.wrong("flow[0]", say("audit.flow", kept=kept, depth=self.depth))
        self.depth = kept + len(above)
        self._awaits(body.awaits)
        self.ends = not body.awaits and not self.protest
        sealed = type(body.picks) is Seal
        news = (
            bool(body.draws or body.opened or first)
            or (hides and not sealed)
            or packed_news(body.effects, body.seat, sealed_picks=sealed)
        )
        self.undo = NOTHING if news or not body.seat else self.undo.after(body.seat, self.stood)
        self._asked_for()

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
        then_undo, then_open, then_depth, self.turns = self.past[to]
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
        self._asked_for()

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
        self.ends = False
        if winner is not None and winner not in self.seats:
            self.wrong("winner", say("audit.no_seat", seat=winner))
        self.hidden.ended(record, body)
        self.found.revealed = not self.genesis.signed


Kinds = Mapping[str, Callable[[Any, Record], None]]
"""Kind of record -> the method that looks at one."""

RESIGNED: Final = "outcome.resigned"

__all__ = ["RESIGNED", "Course", "Kinds"]
