"""A game's log being written: the state and the checks that all proposals of a ledger share, and
the records of one batch. Each record is made from its body, chained to the one before it, and
folded. The next one is then written for the resulting position."""

from collections import deque
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from warledger.engine.kernel import door
from warledger.engine.kernel.change import replace, unguarded
from warledger.engine.kernel.door import Decided
from warledger.engine.kernel.position import ENDED, GATHERING, PLAYING, Position, SeatState
from warledger.engine.kernel.replay import (
    DOCKET_KINDS,
    back_to,
    corrected,
    link_opened,
    mark_of,
    start,
    with_orders,
)
from warledger.engine.kernel.table import Chance, Codec, Table
from warledger.engine.kernel.types import Fault, Outcome, Rules, Scored, Seat
from warledger.protocol import canon
from warledger.protocol.board.choices import Refusal, Say, refuse
from warledger.protocol.board.effects import AWAIT, REWIND, VEIL, turns_closed, unveiled
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, Secret, conceal, hides, looked_through, salt_of
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.clocks.clockfold import Pace
from warledger.protocol.limits import SEEN_RECORDS_MAX
from warledger.protocol.log import bodies, deskbodies, docket, owed, records
from warledger.protocol.log.bodies import By
from warledger.protocol.log.docket import Desk
from warledger.protocol.log.owed import Cause
from warledger.protocol.log.records import SERVER, Actor, Genesis, Record

S = TypeVar("S")


class SeedChance:
    """The `Chance` of a real game: every draw follows from the seeds that the seats' nonces and the
    server's hidden values make."""

    def __init__(self, seeds: dice.OpenedSeeds) -> None:
        self._seeds = seeds
        self._open: dict[int, bytes] = {}
        self._hidden: bytes | None = None

    def open(self, epoch: int, counter: int, purpose: str, sides: int) -> int:
        """Index of an open draw."""
        seed = self._open.get(epoch)
        if seed is None:
            self._open.clear()
            seed = self._open[epoch] = self._seeds.open_for(epoch)
        return dice.draw_index(seed, counter, purpose, sides)

    def hidden(self, counter: int, purpose: str, sides: int) -> int:
        """Index of a draw from hidden contents."""
        if self._hidden is None:
            self._hidden = self._seeds.hidden_for()
        return dice.draw_index(self._hidden, counter, purpose, sides)


class BaseLedger(Generic[S]):
    """One game's log being written. `position` is that after its records so far, `last` the newest
    of them.

    `keys` are the game's secrets; `chance` may be given instead of seeds made from them (a test's
    queued dice). `foreign_salts` are those of seals that were made with another key, by place: a
    branch goes on from records of a game whose keys it has not. With `is_elsewhere` another process
    is asked for what the rules say, so that whoever asks may have to wait.
    """

    is_elsewhere = False

    def __init__(
        self, rules: Rules[S], genesis: Record, keys: Keys, *, chance: Chance | None = None
    ) -> None:
        self.rules = rules
        self.codec = Codec(rules.events)
        self.genesis = Genesis.from_record(genesis)
        self.game = self.genesis.game
        self.position: Position[S] = start(rules, self.genesis)
        self.last = genesis
        self.past: dict[int, Position[S]] = {}
        self.foreign_salts: Mapping[tuple[int, tuple[int, ...]], bytes] = {}
        self.pace = Pace.of(self.genesis)
        self.desk = Desk.of(self.genesis)
        self._recent: deque[bytes] = deque((genesis.hash,), maxlen=SEEN_RECORDS_MAX)
        self._keys = keys
        self._fixed_chance = chance
        self._chance: Chance | None = chance

    @property
    def keys(self) -> Keys:
        """The game's secrets, for its store."""
        return self._keys

    def salt(self, seq: int, path: tuple[int, ...]) -> bytes:
        """The salt of the seal at this place, which its opening needs."""
        known = self.foreign_salts.get((seq, path))
        return salt_of(self._keys.salts, seq, path) if known is None else known

    def seq_of(self, hash: bytes) -> int | None:
        """The number of one of the newest records by its hash. None for one that is too old or not
        of this game."""
        if hash == self.last.hash:
            return self.last.seq
        try:
            return self.last.seq - len(self._recent) + 1 + self._recent.index(hash)
        except ValueError:
            return None

    def timely(self, seat: Seat, at_ms: int) -> Refusal | None:
        """Why a request that arrives now comes too late, as far as clocks go: a seat's flag has
        fallen, or is due and must be written first, or the game is frozen. "" if no seat makes the
        request."""
        clocks, frozen = self.position.clocks, self.position.frozen
        if clocks is not None and clocks.calm and not frozen:
            first = clocks.next_deadline
            if first is None or (at_ms < first and self.last.at_ms < first):
                return None  # as nearly always
        if clocks is not None and seat and clocks.has_fallen(seat):
            return refuse("", "refusal.fallen")
        if seat and frozen:
            return refuse("", "refusal.frozen", claim=frozen[0])
        if clocks is None:
            return None
        due = clocks.due(max(at_ms, self.last.at_ms))
        if not due or self.position.stage != PLAYING:
            return None
        if any(one.seat == seat for one in due):
            return refuse("", "refusal.fallen")
        return refuse("", "refusal.flag_due", seat=due[0].seat)

    # --- checks: each returns a Refusal, or None where nothing stands against the request --------

    def _seen_refused(self, by: By, after: int = 0, before: bytes = b"") -> Refusal | None:
        """Why the record that an act names as seen is not accepted: it is unknown or too old, older
        than record `after`, or older than the one with the hash `before`."""
        if by.seen == self.last.hash:
            return None  # the usual case: nothing is newer
        seq = self.seq_of(by.seen)
        if seq is None:
            return refuse("", "refusal.seen")
        if seq < after:
            return refuse("", "refusal.seen_early", seen=seq, after=after)
        earlier = self.seq_of(before) if before else None
        return refuse("", "refusal.seen_back") if earlier is not None and seq < earlier else None

    def _acting_refused(
        self, entry: SeatState | None, seat: Seat, by: By, after: int = 0
    ) -> Refusal | None:
        """Why a key may not sign another act of the seat, if it may not: `after` is the record that
        it must have seen."""
        known = entry.key(by.key) if entry is not None else None
        if entry is None or known is None:
            return refuse("", "refusal.unknown_key", seat=seat)
        if by.n > known.n and by.seen == self.last.hash:
            return None  # as nearly always
        return self._number_refused(entry, by) or self._seen_refused(by, after, known.seen)

    @staticmethod
    def _number_refused(entry: SeatState, by: By) -> Refusal | None:
        """The numbers of acts go on rising, even those of a seat that signs nothing and gets a new
        player: what was refused once stays refused."""
        known = entry.key(by.key)
        return (
            refuse("", "refusal.act_number", n=by.n, last=known.n)
            if known is not None and by.n <= known.n
            else None
        )

    def _not_playing(self, seat: Seat) -> Refusal | None:
        if self.position.seat(seat) is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage == ENDED:
            return refuse("", "refusal.game_over")
        if self.position.stage != PLAYING:
            return refuse("", "refusal.not_started")
        return None

    def _not_over(self, seat: Seat) -> Refusal | None:
        if self.position.seat(seat) is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        return refuse("", "refusal.game_over") if self.position.stage == ENDED else None

    def _paused(self, at_ms: int) -> Refusal | None:
        clocks = self.position.clocks
        if clocks is None or clocks.pause is None:
            return None
        if clocks.paused(max(at_ms, self.last.at_ms)):
            return refuse("", "refusal.paused")
        return None

    def _cannot_ask(self, seat: Seat, by: By, at_ms: int) -> Refusal | None:
        """Why a seat may not make a request now: a request concerns the game in its present state,
        so the seat must have seen the last record that changed it."""
        refused = self._not_playing(seat) or self.timely(seat, at_ms)
        if refused is None and self.position.docket.over_ms:
            refused = refuse("", "refusal.over")
        return refused or self._acting_refused(
            self.position.seat(seat), seat, by, after=self.position.moved_on
        )

    def _chance_for(self, at: Position[S]) -> Chance:
        if self._chance is None or (self._fixed_chance is None and at.stage != PLAYING):
            self._chance = SeedChance(self._keys.seeds(self.game, at.nonces))
        return self._chance


@unguarded
class Batch(Generic[S]):
    """Records that are committed together or not at all. `openings[i]` are the private openings
    that belong to `records[i]`."""

    records: tuple[Record, ...]
    openings: tuple[tuple[Opening, ...], ...]
    position: Position[S]

    @property
    def last(self) -> Record:
        """The record whose hash is the new head."""
        return self.records[-1]


class Writing(Generic[S]):
    """The records of one batch as they are written."""

    def __init__(self, ledger: BaseLedger[S], at_ms: int) -> None:
        self.ledger = ledger
        self.position = ledger.position
        self.last = ledger.last
        self.at_ms = max(at_ms, self.last.at_ms)
        self.clocks = self.position.clocks
        self.docket = self.position.docket
        self.records: list[Record] = []
        self.openings: list[tuple[Opening, ...]] = []

    @property
    def seq(self) -> int:
        """Number of the next record."""
        return self.position.seq + 1

    def batch(self) -> Batch[S]:
        """The batch that has been written."""
        position = self.position
        if self.clocks is not position.clocks:
            position = replace(position, clocks=self.clocks)
        if self.docket is not position.docket:
            position = replace(position, docket=self.docket)
        return Batch(tuple(self.records), tuple(self.openings), position)

    def add(self, actor: Actor, body: bodies.Body) -> None:
        """Write a record without secrets."""
        array = body.write()
        canon.check(array)
        self._write(bodies.kind_of(body), actor, array, (), body)
        self.position = replace(self.position, seq=self.last.seq)

    def decided(self, decided: Decided[S], actor: str) -> None:
        """Write a command's record, then open the links of turns that it ended for the first time,
        then end a game with an outcome. An end that may be protested against is held."""
        body, ledger, effects = decided.command, self.ledger, decided.effects
        closed = range(self.position.epoch, decided.position.epoch)
        if closed and closed[-1] >= ledger.keys.length:
            raise Fault("the game has more turns than its title states in turns_most")
        # Of a draw only what the title named and drew is checked: its counter is the kernel's own.
        # What a bug in a title's rules might emit (a float, say) is kept out of a log that could
        # not be read again.
        drawn = [draw[2:] for draw in body.draws] if body.draws else ()
        told = looked_through(effects)
        told_in_secret = canon.SEAL_MARK in told
        # An open command has its blind beside its picks, which is 32 bytes of chance: such bytes
        # need no look, and alone would have everything else looked through item by item.
        picks = body.picks
        if type(picks) is tuple and type(picks[1]) is bytes:
            picks = picks[0]
        kept = looked_through((picks, drawn, body.events, body.flow))
        if told_in_secret:
            for effect in effects:
                if effect[0] == VEIL:
                    unveiled(effect[1].value if type(effect[1]) is Secret else effect[1])
        opened: tuple[Any, ...] = ()
        if decided.revealed:
            opened = tuple(
                [
                    (item.seq, item.path, ledger.salt(item.seq, item.path), item.value)
                    for item in decided.revealed
                ]
            )
        # The door made this body for us alone, without these two.
        body.effects, body.opened = told, opened
        array = body.write()
        openings: list[Opening] = []
        if told_in_secret or canon.SEAL_MARK in kept:
            if told_in_secret:
                array = (*array[: records.EFFECTS], effects, *array[records.EFFECTS + 1 :])
            array, openings = conceal(
                ledger.game, ledger.keys.salts, self.seq, records.COMMAND, array
            )
            if told_in_secret:
                told = body.effects = canon.pack(array[records.EFFECTS])
                array = (*array[: records.EFFECTS], told, *array[records.EFFECTS + 1 :])
        if turns_closed(told) != decided.position.turns - self.position.turns:
            raise Fault("a title ends a turn by Table.turn_over alone, which tells clients too")
        self._write(records.COMMAND, actor, array, tuple(openings), body)
        # Nobody else has seen this position yet.
        decided.position.__dict__["clocks"] = self.clocks
        outcome = decided.position.outcome
        self.position = (
            decided.position
            if outcome is None
            else replace(decided.position, stage=PLAYING, outcome=None)
        )
        for epoch in closed:
            self.add(SERVER, bodies.Open(epoch, self.ledger.keys.link(epoch)))
            self.position = link_opened(self.position, self.last.seq, epoch)
        if outcome is not None and owed.is_over(body.awaits, ledger.desk.protest_ms):
            self.end(outcome, bodies.BY_RULES)

    def end_if_due(self) -> None:
        """End a game whose end was held, if it must be now."""
        ledger = self.ledger
        if docket.must_end(ledger.desk, self.docket, ledger.genesis.seats):
            self.end_held()

    def end_held(self) -> None:
        """End a game whose end was held, as the rules say."""
        outcome = self.ledger.rules.outcome(self.position)
        if outcome is None:
            raise Fault("a game whose end is held has an outcome")
        self.end(outcome, bodies.BY_RULES)

    def acted(self, seat: Seat, by: By | None) -> None:
        """A seat has signed the record just written."""
        if by is not None:
            self.position = replace(self.position, seats=door.acted(self.position.seats, seat, by))

    def orders(
        self, seat: Seat, orders: tuple[Any, ...], blind: bytes, digest: bytes, by: By
    ) -> None:
        """Write a seat's standing answers, sealed."""
        seq, secret = self.seq, Secret((orders, blind), (seat,))
        looked_through(orders)
        body = bodies.Orders(seat, secret, digest, by)
        array, found = conceal(
            self.ledger.game, self.ledger.keys.salts, seq, records.ORDERS, body.write()
        )
        self._write(records.ORDERS, seat, array, tuple(found), body)
        kept = replace(secret, where=(seq, found[0].path))
        self.position = with_orders(self.position, seq, seat, kept, by)

    def takeback(
        self,
        seat: Seat,
        to: int,
        then: Position[S],
        *,
        by: By | None = None,
        ask: int = 0,
        arbiter: Actor = "",
    ) -> None:
        """Go back to an earlier position. The seat that went back is asked again, so that whatever
        it sent before is stale.

        The seat has signed it (`by`), or every other one has consented to the request in record
        `ask`. Or an arbiter goes back for nobody, by the ruling in record `ask`.
        """
        seq = self.seq
        awaits = tuple((name, seq, key) for name, _, key in then.open)
        effects = canon.pack(((REWIND, to), (AWAIT, tuple(name for name, *_ in awaits))))
        self.acted(seat, by)
        body = bodies.Takeback(seat, to, effects, awaits, ask, by)
        actor = arbiter or (SERVER if ask else seat)
        self._write(records.TAKEBACK, actor, body.write(), (), body, then)
        self.position = back_to(self.position, then, seat, to, seq, awaits)

    def corrected(self, arbiter: Actor, n: int, picks: tuple[Any, ...], table: Table[S]) -> None:
        """Write a correction that a ruling asks for, as its step carried it out at the table. It
        concerns what everybody knows alone."""
        draws = table.draws or table.revealed or table.turns != self.position.turns
        effects = tuple(table.effects)
        if draws or table.outcome is not None or table.flow is not self.position.flow:
            raise Fault("a correction draws, opens and ends nothing, and calls no step")
        if hides((effects, picks, tuple(table.arrays))):
            raise Fault("a correction hides nothing")
        self.add(
            arbiter,
            deskbodies.Corrected(n, picks, tuple(table.arrays), canon.pack(effects), ()),
        )
        self.position = corrected(self.position, table.state, self.last.seq)

    def end_by(self, cause: Cause, by: str, clause: str = "") -> None:
        """End the game by something else than its rules."""
        winner, reason, args = cause
        self.end(Outcome(winner, Say(reason, args, clause)), by)

    def end(self, outcome: Outcome, by: str) -> None:
        """Write the result and the game's secrets: the last link of the chain, from which every
        other follows, the hidden value and the salt key."""
        keys = self.ledger.keys
        links = ((keys.length, keys.link(keys.length)),)
        self.add(
            SERVER,
            bodies.End(
                outcome.winner,
                outcome.reason,
                links,
                keys.hidden,
                keys.salts,
                self._scores(),
                by,
            ),
        )
        self.position = replace(
            self.position,
            stage=ENDED,
            open=(),
            undo=(),
            undo_seat="",
            ask=None,
            outcome=outcome,
            whole=False,
        )

    def _scores(self) -> tuple[tuple[Seat, int], ...]:
        """The points of each seat, where the title keeps a score and the game has begun."""
        rules = self.ledger.rules
        if self.position.stage == GATHERING or not isinstance(rules, Scored):
            return ()
        points = rules.score(self.position)
        return tuple((seat, points[seat]) for seat in rules.seats if seat in points)

    def _write(
        self,
        kind: str,
        actor: Actor,
        array: tuple[Any, ...],
        openings: tuple[Opening, ...],
        body: bodies.Body,
        then: Position[S] | None = None,
    ) -> None:
        """Write a record; `then` is the position that a takeback goes back to."""
        self.last = records.make(self.seq, self.at_ms, actor, kind, array, self.last.hash)
        self.records.append(self.last)
        self.openings.append(openings)
        pace = self.ledger.pace
        command = body if isinstance(body, bodies.CommandBody) else None
        over = command is not None and not command.awaits
        if over or kind in DOCKET_KINDS or self.docket.due or self.docket.over_ms:
            control = None if pace is None else pace.control
            self.docket = docket.after(self.docket, self.last.seq, self.at_ms, actor, body, control)
        if self.clocks is not None and pace is not None:
            if command is not None:
                seat, awaits, told = command.seat, command.awaits, command.effects
                self.clocks = pace.moved_on(self.clocks, self.at_ms, seat, awaits, told)
                return
            target = self.position if then is None else then
            self.clocks = pace.after(self.clocks, self.at_ms, body, lambda _: mark_of(target))
