"""Level 2: every record made again through the kernel's ledger, and compared with the file byte by
byte.

This is one of the two places where a client imports the kernel and the games. The rules may also be
those of an archived release, whose process then makes the records. What else the ledger needs
the rules comes from the file: picks (opened where they were sealed), times, names, the opened links
of the dice, the hidden value and the salt key. A file of a game in progress lacks some of these. It
is then decided as far as possible, and the report says why no further. Branches that a takeback
left are decided like the rest.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from attrs import frozen

from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.report import place_in
from warledger.clients.audit.verdict import Finding
from warledger.engine.archive.release import ReleaseLost, Sealed
from warledger.engine.archive.releasedledger import ReleasedLedger, ReleasedRules
from warledger.engine.kernel import runs
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.ledger import Batch, Ledger
from warledger.engine.kernel.position import PLAYING, Position
from warledger.engine.kernel.replay import fold_record, remember
from warledger.engine.kernel.rulings import BadOption, in_force, resolve, unnamed
from warledger.engine.kernel.types import Rules
from warledger.protocol import canon
from warledger.protocol.board.choices import Refusal, Say, say
from warledger.protocol.canon import Seal
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, pack_openings
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.limits import LINKS_MAX, SEEN_RECORDS_MAX
from warledger.protocol.log import bodies, deskbodies, records
from warledger.protocol.log.bodies import By
from warledger.protocol.log.records import Record

SHOWN_CHARS: Final = 120
"""How many characters of a value a sentence shows."""

Titles = Callable[[str], Rules[Any]]
"""Returns the rules of a title by name. Raises KeyError for an unknown title."""


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
        """The seeds, as far as they are opened."""
        return dice.OpenedSeeds(game, self.links, self.hidden if self.known else None, nonces)


@frozen
class Decided:
    """What level 2 found: how many records it made again, whether that was all, what differs, and
    what kept it from deciding at all: rules that are not here, or a release that was lost."""

    decided: int
    whole: bool
    findings: tuple[Finding, ...] = ()
    notes: tuple[Say, ...] = ()
    not_decided: Say | None = None


def redecide(found: Evidence, titles: Titles) -> Decided:
    """Make every record of an examined file again, even if it was written by other rules than those
    given."""
    genesis = found.genesis
    assert genesis is not None
    try:
        rules = titles(genesis.title)
    except KeyError:
        return Decided(0, False, not_decided=say("audit.no_title", title=genesis.title))
    again = Again(found, rules)
    try:
        wrong = again.genesis() or again.run()
    except ReleaseLost as error:
        lost = say("audit.release_lost", seq=again.seq, why=str(error))
        return Decided(again.seq, False, not_decided=lost)
    except (NotOpened, Sealed, dice.BadDraw):
        return stopped(found, again.seq)
    if wrong is not None:
        return Decided(again.seq, False, (wrong,))
    return Decided(len(found.records), True)


def stopped(found: Evidence, seq: int) -> Decided:
    """What it means that record `seq` cannot be made again. While a game runs, and until its last
    `reveal`, it may rest on what is hidden. The end opens every die, so from then on a record that
    rests on no sealed picks or standing answers must be decided: one that cannot be is false."""
    hidden = any(
        at <= seq and path in _SEALED_BY_SEATS.get(found.records[at].kind, ())
        for at, path in found.seals
        if (at, path) not in found.openings
    )
    if found.ended and not hidden:
        return Decided(seq, False, (Finding(seq, "body", say("audit.undecided")),))
    return Decided(seq, False, notes=(say("audit.note.stopped", seq=seq),))


_SEALED_BY_SEATS: Mapping[str, tuple[tuple[int, ...], ...]] = {
    records.COMMAND: ((records.PICKS,),),
    records.ORDERS: ((bodies.ORDERS_PLACE,),),
}
"""Where a record holds what a seat chose in secret."""


def not_default(rules: Rules[Any], options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The options in force in a game that are not what a new game has by default, with their
    values.

    A game whose genesis does not name a switch is played with the value from before; that is
    reported as well.
    """
    defaults = in_force(rules.switches, resolve(rules.switches, {}))
    try:
        values: Mapping[str, Any] = in_force(rules.switches, options)
    except BadOption:
        values = options
    return (
        (name, value)
        for name, value in sorted(values.items())
        if name not in defaults or defaults[name] != value
    )


class Untold:
    """Stands for the readers of a secret that was folded from a file: nothing in the chain of
    records binds whom an opening names, and whoever has the file may have none that names anybody.
    Rules that look at them raise TypeError."""

    def __eq__(self, other: object) -> bool:
        raise TypeError("who may read a secret is not known from the file")

    def __bool__(self) -> bool:
        raise TypeError("who may read a secret is not known from the file")

    def __hash__(self) -> int:
        raise TypeError("who may read a secret is not known from the file")


class Again:
    """The ledger played again beside the file. `seq` is the record in hand; `wanted` are the
    records that takebacks and requests for them name."""

    def __init__(self, found: Evidence, rules: Rules[Any]) -> None:
        assert found.genesis is not None
        self.found = found
        self.rules = rules
        self.seq = 0
        self.begun = False
        self.game = found.genesis
        self.known = found.hidden is not None and found.salts is not None
        if found.keys is not None:
            keys = found.keys
        else:
            keys = OpenedKeys(
                b"",
                found.hidden or b"",
                found.salts or bytes(32),
                found.links,
                self.known,
                # The end opens the last link; until then nobody knows how many there are.
                length=max(found.links) if found.ended and found.links else LINKS_MAX,
            )
        self.keys = keys
        self.positions: dict[int, Position[Any]] = {}
        self.seals: dict[int, list[Seal]] = {}
        for (seq, _), sealed in found.seals.items():
            self.seals.setdefault(seq, []).append(sealed)
        self.wanted = frozenset(_targets(found.records))

    def genesis(self) -> Finding | None:
        """The options and seats are those of the rules, and the first state can be built."""
        if tuple(self.rules.seats) != self.game.seats:
            return Finding(
                0, "seats", say("audit.seats", expected=self.rules.seats, found=self.game.seats)
            )
        try:
            in_force(self.rules.switches, self.game.options)
            if unnamed(self.rules.switches, self.game.options):
                return Finding(0, "options", say("audit.options"))
        except BadOption as error:
            return Finding(0, "options", say("audit.option", what=str(error)))
        try:
            self.ledger = self._ledger()
        except ReleaseLost:
            raise
        except Exception as error:
            return Finding(0, "pack", say("audit.pack", what=f"{type(error).__name__}: {error}"))
        return None

    def _ledger(self) -> Ledger[Any]:
        """A ledger after the genesis: one of ours, or that of the archived release that has the
        rules."""
        genesis, rules = self.found.records[0], self.rules
        if not isinstance(rules, ReleasedRules):
            return Ledger(rules, genesis, self.keys)
        keys = self.keys
        links = tuple(sorted(self.found.links.items()))
        told = (
            ("opened", keys.hidden, keys.salts, links, keys.known)
            if isinstance(keys, OpenedKeys)
            else ("whole", keys.as_payload())
        )
        ledger = ReleasedLedger(rules, genesis, keys, told, self._log)
        ledger.begin()
        return ledger

    def _log(self) -> Iterator[tuple[bytes, bytes]]:
        """The records that were made again so far, for a process that takes the game up."""
        beside: dict[int, list[Opening]] = {}
        for opening in self.found.openings.values():
            beside.setdefault(opening.seq, []).append(opening)
        for record in self.found.records[: self.ledger.last.seq + 1 if self.begun else 1]:
            openings = beside.get(record.seq, ())
            yield record.data, pack_openings(openings) if openings else b""

    def take_up(self, first: int) -> None:
        """Go to record `first` by folding those before it, instead of making them again. They count
        as made: whoever decides only from here on relies on somebody else for them. Raises
        CorruptLog if they do not fold."""
        log = self.found.records[:first]
        beside: dict[int, list[Opening]] = {}
        for opening in self.found.openings.values():
            untold: Any = Untold()
            beside.setdefault(opening.seq, []).append(replace(opening, readers=untold))
        settled = runs.settled_at(len(log), log.__getitem__)
        replayer = runs.fold(self.rules, log, beside, self.wanted, settled)
        self.positions = {seq: replayer.kept[seq] for seq in self.wanted if seq in replayer.kept}
        recent = [record.hash for record in log[-SEEN_RECORDS_MAX:]]
        self.ledger.resume(replayer.position, log[-1], replayer.kept, recent)
        remember(self.ledger.past, self.ledger.position, self.ledger.position)

    def run(self, first: int = 1, until: int | None = None) -> Finding | None:
        """Every record after the genesis, or those from `first` to before `until`. Returns the
        first difference. A file that ends before what is owed has none: level 1 names it."""
        self.begun = True
        expected: deque[Record] = deque()
        for record in self.found.records[first:until]:
            self.seq = record.seq
            if not self.known and self.found.keys is None and any(self._sealed(record)):
                # Also of one that follows from another, such as the first command.
                raise NotOpened(f"the seals of record {record.seq}")
            if not expected:
                made = self._make(record)
                if isinstance(made, Finding):
                    return made
                expected.extend(made)
            wanted = expected.popleft()
            if wanted.data != record.data:
                return self._difference(wanted, record)
        if expected and until is not None and until < len(self.found.records):
            self.seq = until
            return Finding(self.seq, "kind", say("audit.missing", kind=expected[0].kind))
        return None

    def _make(self, record: Record) -> tuple[Record, ...] | Finding:
        try:
            batch = _PROPOSE[record.kind](self, record)
        except (NotOpened, ReleaseLost, Sealed, dice.BadDraw):
            raise
        except Exception as error:
            return Finding(
                record.seq, "body", say("audit.fault", what=f"{type(error).__name__}: {error}")
            )
        if isinstance(batch, Refusal):
            return Finding(record.seq, _refused_field(record), _refused(batch))
        if any(made.seq in self.wanted for made in batch.records[:-1]):
            self._keep_within(batch)
        self.ledger.commit(batch)
        if batch.last.seq in self.wanted:
            self.positions[batch.last.seq] = batch.position
        return batch.records

    def _keep_within(self, batch: Batch[Any]) -> None:
        """Keep the wanted positions behind records that others of their batch follow: behind a
        consent, say, and before the takeback that it leads to."""
        ledger, at = self.ledger, self.ledger.position

        def past(to: int) -> Position[Any]:
            return ledger.past[to] if to in ledger.past else self.positions[to]

        for made, openings in zip(batch.records[:-1], batch.openings, strict=False):
            at = fold_record(self.rules, ledger.codec, at, made, openings, past, ledger.pace)
            if made.seq in self.wanted:
                self.positions[made.seq] = at

    def _sealed(self, record: Record) -> Iterator[Any]:
        return iter(self.seals.get(record.seq, ()))

    def _difference(self, wanted: Record, record: Record) -> Finding:
        if wanted.kind != record.kind:
            return Finding(
                record.seq, "kind", say("audit.differs", expected=wanted.kind, found=record.kind)
            )
        for name in ("seq", "at_ms", "actor", "previous"):
            ours, theirs = getattr(wanted, name), getattr(record, name)
            if ours != theirs:
                return Finding(
                    record.seq,
                    name,
                    _differs(ours, theirs),
                )
        path, ours, theirs = first_difference(record.kind, wanted.body, record.body)
        field = place_in(record, path)
        return Finding(record.seq, field, _differs(ours, theirs))

    # --- what each kind asks the ledger -----------------------------------------------------------

    def seat(self, record: Record) -> Batch[Any] | Refusal:
        """Somebody sits down, is replaced, shows a nonce, or changes the keys of a seat."""
        ledger, at_ms = self.ledger, record.at_ms
        body = bodies.read_seat(record.body)
        seat = body.seat
        match body:
            case bodies.Taken():
                return ledger.propose_seat(
                    *(seat, body.name, body.nonce_hash, at_ms),
                    by=body.by,
                    account=body.account,
                    client=body.client,
                )
            case bodies.Nonce():
                return ledger.propose_nonce(seat, body.nonce, at_ms, by=body.by, roster=body.roster)
            case bodies.Replaced():
                return ledger.propose_replacement(
                    *(seat, body.name, at_ms),
                    by=body.by,
                    account=body.account,
                    client=body.client,
                    handed=body.handed,
                )
            case bodies.Device():
                return ledger.propose_device(seat, body.key, body.proof, at_ms, by=body.by)
            case bodies.Revoked():
                return ledger.propose_revocation(seat, body.key, at_ms, by=body.by)

    def command(self, record: Record) -> Batch[Any] | Refusal:
        """A command through the door."""
        body = bodies.CommandBody.read(record.body)
        picks = body.picks
        if type(picks) is Seal:
            picks = self._opened(record.seq, records.PICKS)
        chosen, blind = picks
        command = Submission(
            body.seat,
            body.decision,
            tuple(chosen),
            body.id,
            by=body.by if type(body.by) is By else body.by_array,
            blind=blind,
            digest=body.digest,
        )
        return self.ledger.propose_command(command, record.at_ms)

    def _opened(self, seq: int, place: int) -> Any:
        opening = self.found.openings.get((seq, (place,)))
        if opening is None:
            raise NotOpened(f"what record {seq} hides")
        return opening.value

    def ask(self, record: Record) -> Batch[Any] | Refusal:
        """A request."""
        body = bodies.Ask.read(record.body)
        seat, at_ms, by = body.seat, record.at_ms, body.by
        if body.what == bodies.TAKEBACK:
            then = self.positions.get(body.to)
            return self.ledger.propose_takeback(seat, body.to, then, at_ms, by=by)
        if body.what == bodies.DRAW:
            return self.ledger.propose_draw(seat, at_ms, by=by)
        if body.what in (deskbodies.PAUSE, deskbodies.ADJOURN):
            adjourns = body.what == deskbodies.ADJOURN
            return self.ledger.propose_pause(seat, body.to, at_ms, by=by, adjourns=adjourns)
        if body.what == deskbodies.TIME:
            return self.ledger.propose_time(seat, at_ms, by=by)
        return self.ledger.propose_resignation(seat, at_ms, by=by)

    def answer(self, record: Record) -> Batch[Any] | Refusal:
        """An answer to a request."""
        body = bodies.Answer.read(record.body)
        ask = self.ledger.position.ask
        then = self.positions.get(ask.to) if ask else None
        return self.ledger.propose_answer(
            body.seat, body.consents, then, record.at_ms, ask_seq=body.ask, by=body.by
        )

    def takeback(self, record: Record) -> Batch[Any] | Refusal:
        """A takeback that needed nobody's consent."""
        body = bodies.Takeback.read(record.body)
        then, by = self.positions.get(body.to), _signer(body.by)
        return self.ledger.propose_takeback(body.seat, body.to, then, record.at_ms, by=by)

    def orders(self, record: Record) -> Batch[Any] | Refusal:
        """A seat's standing answers."""
        body = bodies.Orders.read(record.body)
        orders, blind = self._opened(record.seq, bodies.ORDERS_PLACE)
        return self.ledger.propose_orders(
            body.seat, orders, blind, body.digest, record.at_ms, by=body.by
        )

    def rotate(self, record: Record) -> Batch[Any] | Refusal:
        """The server changes to another key."""
        body = bodies.Rotate.read(record.body)
        return self.ledger.propose_rotation(body.key, body.signature, record.at_ms)

    def end(self, record: Record) -> Batch[Any] | Refusal:
        """An end that follows from nothing before it: one that was held, or that of a game that
        never began."""
        if self.ledger.position.stage == PLAYING:
            return self.ledger.propose_end(record.at_ms)
        return self.ledger.propose_expiry(record.at_ms)

    def clock(self, record: Record) -> Batch[Any] | Refusal:
        """What the server says of time, or a seat wishes. A pause follows from the last consent to
        it."""
        body, at_ms = deskbodies.read_clock(record.body), record.at_ms
        match body:
            case deskbodies.Flag():
                return self.ledger.propose_flag(at_ms)
            case deskbodies.Outage():
                return self.ledger.propose_outage(body.from_ms, body.to_ms, at_ms)
            case deskbodies.Pause():
                return self.none(record)
        actor = records.id_of(record.actor)
        return self.ledger.propose_clock(actor, body, at_ms, by=_signer(body.acted))

    def ruling(self, record: Record) -> Batch[Any] | Refusal:
        """What is said to arbiters and by them. What a ruling asks for follows from it, with the
        picks of each correction as they stand behind it."""
        body, at_ms = deskbodies.read_ruling(record.body), record.at_ms
        if not isinstance(body, deskbodies.Ruled):
            return self.ledger.propose_note(record.actor, body, at_ms, by=body.acted)
        behind = self.found.records[record.seq + 1 : record.seq + 1 + len(body.remedies)]
        corrections = [
            deskbodies.Corrected.read(later.body).picks
            for later in behind
            if bodies.act_of(later) == deskbodies.Corrected.WHAT
        ]
        back = [rest[0] for word, *rest in body.remedies if word == deskbodies.BACK]
        then = self.positions.get(back[0]) if back else None
        return self.ledger.propose_ruling(record.actor, body, then, corrections, at_ms)

    def reveal(self, record: Record) -> Batch[Any] | Refusal:
        """What was still hidden when the game ended. Level 1 has checked that it is complete."""
        body = bodies.Reveal.read(record.body)
        openings = bodies.openings_of(record)
        return self.ledger.propose_reveal(openings, record.at_ms, last=body.last)

    def none(self, record: Record) -> Batch[Any] | Refusal:
        """A record that does not follow from anything before it."""
        return Refusal("", "audit.uncalled")


_PROPOSE: Mapping[str, Callable[[Again, Record], Batch[Any] | Refusal]] = {
    records.GENESIS: Again.none,
    records.SEAT: Again.seat,
    records.COMMAND: Again.command,
    records.ASK: Again.ask,
    records.ANSWER: Again.answer,
    records.TAKEBACK: Again.takeback,
    records.OPEN: Again.none,
    records.ORDERS: Again.orders,
    records.ROTATE: Again.rotate,
    records.END: Again.end,
    records.REVEAL: Again.reveal,
    records.CLOCK: Again.clock,
    records.RULING: Again.ruling,
}


def _signer(by: By | None) -> By:
    """Who signed a record that no seat makes without signing it."""
    if by is None:
        raise ValueError("nobody has signed it")
    return by


def _refused(refusal: Refusal) -> Say:
    why = (refusal.key, refusal.args, refusal.rule)
    return (
        say("audit.refused_by", refusal.rule, rule=refusal.rule, why=why)
        if refusal.rule
        else say("audit.refused", why=why)
    )


def _refused_field(record: Record) -> str:
    return "picks" if record.kind == records.COMMAND else "body"


def _targets(log: list[Record]) -> Iterator[int]:
    """The records that takebacks and requests for them name."""
    for record in log:
        if record.kind == records.TAKEBACK:
            yield bodies.Takeback.read(record.body).to
        elif record.kind == records.ASK:
            ask = bodies.Ask.read(record.body)
            if ask.what == bodies.TAKEBACK:
                yield ask.to


def first_difference(
    kind: str, ours: tuple[Any, ...], theirs: tuple[Any, ...]
) -> tuple[tuple[int, ...], Any, Any]:
    """Where two bodies of a kind differ: the path, and the values there in ours and in theirs.
    Effects are compared one by one."""
    packed = bodies.EFFECTS_PLACES.get(kind)
    for index in range(max(len(ours), len(theirs))):
        one = ours[index] if index < len(ours) else None
        other = theirs[index] if index < len(theirs) else None
        if not same(one, other):
            if index == packed and type(one) is bytes and type(other) is bytes:
                one, other = canon.unpack_trusted(one), canon.unpack_trusted(other)
            path, a, b = parted(one, other)
            return (index, *path), a, b
    return (), ours, theirs


def parted(one: Any, other: Any) -> tuple[tuple[int, ...], Any, Any]:
    """Where two values that are written differently part: the path, and the values there; None for
    one that ends before it. Python takes true for 1: bytes are compared, as a log has them."""
    if type(one) is tuple and type(other) is tuple:
        for index in range(min(len(one), len(other))):
            if not same(one[index], other[index]):
                path, a, b = parted(one[index], other[index])
                return (index, *path), a, b
        longer = max(one, other, key=len)
        index = min(len(one), len(other))
        return (
            (index,),
            (one[index] if one is longer else None),
            (other[index] if other is longer else None),
        )
    return (), one, other


def same(one: Any, other: Any) -> bool:
    """Whether two values of records are written alike."""
    return one == other and canon.pack(one) == canon.pack(other)


def _differs(ours: Any, theirs: Any) -> Say:
    expected, found = shown_apart(ours, theirs)
    return say("audit.differs", expected=expected, found=found)


def shown_apart(written: Any, computed: Any) -> tuple[str, str]:
    """Two values that differ, in short, for a sentence: of long ones the part where they do."""
    texts = [_text(written), _text(computed)]
    if max(map(len, texts)) <= SHOWN_CHARS:
        return texts[0], texts[1]
    pairs = enumerate(zip(*texts, strict=False))
    differ = next((i for i, (a, b) in pairs if a != b), min(map(len, texts)))
    first = max(0, differ - SHOWN_CHARS // 3)
    cut = [
        ("…" if first else "")
        + text[first : first + SHOWN_CHARS]
        + ("…" if len(text) > first + SHOWN_CHARS else "")
        for text in texts
    ]
    return cut[0], cut[1]


def shown(value: Any) -> str:
    """A value in short, for a sentence."""
    text = _text(value)
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 3] + "…"


def _text(value: Any) -> str:
    if type(value) is bytes:
        return value.hex()
    if type(value) is Seal:
        return f"seal {value.digest.hex()}"
    return str(value)
