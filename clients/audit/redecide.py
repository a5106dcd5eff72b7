"""Level 2: every record made again through the kernel's ledger, and compared with the file byte by byte.

This is one of the two places where a client imports the kernel and the games. What the ledger needs besides the rules comes from the file:
picks (opened where they were sealed), times, names, the opened links of the dice, the hidden value and the salt key. A file of a live
game lacks some of these; it is then decided as far as it goes, and the report says why no further. Dead branches, which a takeback left,
are decided like the rest.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

from clients.audit.evidence import Evidence
from clients.audit.report import Finding, place
from engine.kernel.door import Command
from engine.kernel.ledger import Batch, Ledger
from engine.kernel.position import Position
from engine.kernel.rulings import BadOption, in_force, unnamed
from engine.kernel.types import Rules
from protocol import canon, dice, records
from protocol.canon import Seal
from protocol.choices import Refusal, Say, say
from protocol.records import Record
from protocol.secrets import Keys

Titles = Callable[[str], Rules[Any]]
"""Gives the rules of a title by name. Raises KeyError for one it does not know."""


class NotOpened(Exception):
    """A record cannot be made again with what the file opens to its reader."""


@frozen
class OpenedKeys(Keys):
    """The server's secrets as far as a file opens them."""

    links: Mapping[int, bytes]
    known: bool

    def link(self, epoch: int) -> bytes:
        """The opened link of an epoch. Raises NotOpened while it is secret."""
        if epoch not in self.links:
            raise NotOpened(f"link {epoch}")
        return self.links[epoch]

    def seeds(self, game: str, nonces: tuple[bytes, ...]) -> dice.OpenedSeeds:
        """The seeds as far as they are opened."""
        return dice.OpenedSeeds(game, self.links, self.hidden if self.known else None, nonces)


@frozen
class Decided:
    """What level 2 found: how many records it made again, whether that was all, and what differs."""

    decided: int
    whole: bool
    findings: tuple[Finding, ...]
    notes: tuple[Say, ...]


def redecide(found: Evidence, titles: Titles, digest: Callable[[str], bytes] | None = None) -> Decided:
    """Make every record of an examined file again.

    `digest` gives the digest of the rules installed here; a file written by other rules is decided all the same, and the report says so.
    """
    genesis = found.genesis
    assert genesis is not None
    try:
        rules = titles(genesis.title)
    except KeyError:
        return Decided(0, False, (), (say("audit.note.no_title", title=genesis.title),))
    notes = []
    if digest is not None and digest(genesis.title) != genesis.digest:
        notes.append(say("audit.note.other_rules", title=genesis.title, version=genesis.version))
    again = _Again(found, rules)
    try:
        wrong = again.genesis() or again.run()
    except (NotOpened, dice.BadDraw):
        notes.append(say("audit.note.stopped", seq=again.seq))
        return Decided(again.seq, False, (), tuple(notes))
    if wrong is not None:
        return Decided(again.seq, False, (wrong,), tuple(notes))
    return Decided(len(found.records), True, (), tuple(notes))


class _Again:
    """The ledger played again beside the file. `seq` is the record in hand."""

    def __init__(self, found: Evidence, rules: Rules[Any]) -> None:
        assert found.genesis is not None
        self.found = found
        self.rules = rules
        self.seq = 0
        self.game = found.genesis
        self.known = found.hidden is not None and found.salts is not None
        if found.keys is not None:
            keys = found.keys
        else:
            keys = OpenedKeys(b"", found.hidden or b"", found.salts or bytes(32), found.links, self.known)
        self.keys = keys
        self.positions: dict[int, Position[Any]] = {}
        self.wanted = frozenset(_targets(found.records))

    def genesis(self) -> Finding | None:
        """The options and seats are those of the rules, and the first state can be built."""
        if tuple(self.rules.seats) != self.game.seats:
            return Finding(0, "seats", say("audit.seats", expected=self.rules.seats, found=self.game.seats))
        try:
            in_force(self.rules.switches, self.game.options)
            if unnamed(self.rules.switches, self.game.options):
                return Finding(0, "options", say("audit.options"))
        except BadOption as error:
            return Finding(0, "options", say("audit.option", what=str(error)))
        try:
            self.ledger: Ledger[Any] = Ledger(self.rules, self.found.records[0], self.keys)
        except Exception as error:
            return Finding(0, "pack", say("audit.pack", what=f"{type(error).__name__}: {error}"))
        return None

    def run(self) -> Finding | None:
        """Every record after the genesis. Returns the first difference."""
        expected: deque[Record] = deque()
        for record in self.found.records[1:]:
            self.seq = record.seq
            if not expected:
                made = self._make(record)
                if isinstance(made, Finding):
                    return made
                expected.extend(made)
            wanted = expected.popleft()
            if wanted.data != record.data:
                return self._difference(wanted, record)
        if expected:
            self.seq = len(self.found.records)
            return Finding(self.seq, "kind", say("audit.missing", kind=expected[0].kind))
        return None

    def _make(self, record: Record) -> tuple[Record, ...] | Finding:
        if not self.known and self.found.keys is None and record.kind == records.COMMAND and any(self._sealed(record)):
            raise NotOpened(f"the seals of record {record.seq}")
        try:
            batch = _PROPOSE[record.kind](self, record)
        except (NotOpened, dice.BadDraw):
            raise
        except Exception as error:
            return Finding(record.seq, "body", say("audit.fault", what=f"{type(error).__name__}: {error}"))
        if isinstance(batch, Refusal):
            return Finding(record.seq, _refused_field(record), _refused(batch))
        self.ledger.commit(batch)
        for made in batch.records:
            if made.seq in self.wanted and made.kind in (records.COMMAND, records.OPEN, records.TAKEBACK, records.ASK, records.ANSWER):
                self.positions[made.seq] = batch.position
        return batch.records

    def _sealed(self, record: Record) -> Iterator[Any]:
        return (sealed for (seq, _), sealed in self.found.seals.items() if seq == record.seq)

    def _difference(self, wanted: Record, record: Record) -> Finding:
        if wanted.kind != record.kind:
            return Finding(record.seq, "kind", say("audit.differs", expected=wanted.kind, found=record.kind))
        for name in ("seq", "at_ms", "actor", "previous"):
            ours, theirs = getattr(wanted, name), getattr(record, name)
            if ours != theirs:
                return Finding(record.seq, name, say("audit.differs", expected=shown(ours), found=shown(theirs)))
        path, ours, theirs = first_difference(record.kind, wanted.body, record.body)
        return Finding(record.seq, place(record.kind, path), say("audit.differs", expected=shown(ours), found=shown(theirs)))

    # --- what each kind asks the ledger ---------------------------------------------------------------------------------------

    def seat(self, record: Record) -> Batch[Any] | Refusal:
        """Somebody sits down, is replaced, or shows a nonce."""
        act, seat, value, *rest = record.body
        if act == "taken":
            return self.ledger.propose_seat(seat, value, rest[0], record.at_ms)
        if act == "replaced":
            return self.ledger.propose_replacement(seat, value, record.at_ms)
        return self.ledger.propose_nonce(seat, value, record.at_ms)

    def command(self, record: Record) -> Batch[Any] | Refusal:
        """A command through the door."""
        decision, seat, picks, id, seen = record.body[: records.DRAWS]
        if type(picks) is Seal:
            opening = self.found.openings.get((record.seq, (records.PICKS,)))
            if opening is None:
                raise NotOpened(f"the picks of record {record.seq}")
            picks = opening.value
        return self.ledger.propose_command(Command(seat, decision, tuple(picks), id, seen), record.at_ms)

    def ask(self, record: Record) -> Batch[Any] | Refusal:
        """A request."""
        seat, kind, to = record.body
        if kind == "takeback":
            return self.ledger.propose_takeback(seat, to, self.positions.get(to), record.at_ms)
        if kind == "draw":
            return self.ledger.propose_draw(seat, record.at_ms)
        return self.ledger.propose_resignation(seat, record.at_ms)

    def answer(self, record: Record) -> Batch[Any] | Refusal:
        """An answer to a request."""
        seat, consents = record.body
        ask = self.ledger.position.ask
        return self.ledger.propose_answer(seat, consents, self.positions.get(ask.to) if ask else None, record.at_ms)

    def takeback(self, record: Record) -> Batch[Any] | Refusal:
        """A takeback that needed nobody's consent."""
        seat, to, _, _ = record.body
        return self.ledger.propose_takeback(seat, to, self.positions.get(to), record.at_ms)

    def end(self, record: Record) -> Batch[Any] | Refusal:
        """An end that follows from no command: only a game that never began has one."""
        return self.ledger.propose_expiry(record.at_ms)

    def none(self, record: Record) -> Batch[Any] | Refusal:
        """A record that nothing before it gives rise to."""
        return Refusal("", "audit.uncalled")


_PROPOSE: Mapping[str, Callable[[_Again, Record], Batch[Any] | Refusal]] = {
    records.GENESIS: _Again.none,
    records.SEAT: _Again.seat,
    records.COMMAND: _Again.command,
    records.ASK: _Again.ask,
    records.ANSWER: _Again.answer,
    records.TAKEBACK: _Again.takeback,
    records.OPEN: _Again.none,
    records.END: _Again.end,
}


def _refused(refusal: Refusal) -> Say:
    why = (refusal.key, refusal.args, refusal.rule)
    return say("audit.refused_by", refusal.rule, rule=refusal.rule, why=why) if refusal.rule else say("audit.refused", why=why)


def _refused_field(record: Record) -> str:
    return "picks" if record.kind == records.COMMAND else "body"


def _targets(log: list[Record]) -> Iterator[int]:
    """The records that takebacks and requests for them name."""
    for record in log:
        if record.kind == records.TAKEBACK:
            yield record.body[1]
        elif record.kind == records.ASK and record.body[1] == "takeback":
            yield record.body[2]


def first_difference(kind: str, ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> tuple[tuple[int, ...], Any, Any]:
    """Where two bodies of a kind part: the path, what stands there in ours and in theirs. Effects are looked into."""
    packed = {records.COMMAND: records.EFFECTS, records.TAKEBACK: 2}.get(kind)
    for index in range(max(len(ours), len(theirs))):
        one = ours[index] if index < len(ours) else None
        other = theirs[index] if index < len(theirs) else None
        if one != other or type(one) is not type(other):
            if index == packed and type(one) is bytes and type(other) is bytes:
                one, other = canon.unpack_trusted(one), canon.unpack_trusted(other)
            path, a, b = _parted(one, other)
            return (index, *path), a, b
    return (), ours, theirs


def _parted(one: Any, other: Any) -> tuple[tuple[int, ...], Any, Any]:
    if type(one) is tuple and type(other) is tuple:
        for index in range(min(len(one), len(other))):
            if one[index] != other[index] or type(one[index]) is not type(other[index]):
                path, a, b = _parted(one[index], other[index])
                return (index, *path), a, b
        longer = max(one, other, key=len)
        index = min(len(one), len(other))
        return (index,), (one[index] if one is longer else None), (other[index] if other is longer else None)
    return (), one, other


def shown(value: Any) -> str:
    """A value in short, for a sentence."""
    if type(value) is bytes:
        text = value.hex()
    elif type(value) is Seal:
        text = f"seal {value.digest.hex()}"
    else:
        text = str(value)
    return text if len(text) <= 120 else text[:117] + "…"


__all__ = ["Decided", "NotOpened", "OpenedKeys", "Titles", "first_difference", "redecide", "shown"]
