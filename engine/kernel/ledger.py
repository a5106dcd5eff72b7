"""A game's ledger: makes the records that follow from what people ask, one batch at a time, and folds them once they are committed.

`propose_…` changes nothing: it returns a `Batch` (records, the private openings beside them, the position after them) or a Refusal.
Whoever holds the ledger makes the batch durable and then calls `commit`. If that fails the batch is dropped and nothing has happened.
The same code writes a live game, plays a game in process, and lets an auditor make each record again to compare it byte by byte.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

from attrs import frozen

from engine.kernel import door
from engine.kernel.change import evolve
from engine.kernel.codec import Codec
from engine.kernel.door import Command, Decided
from engine.kernel.position import ENDED, GATHERING, PLAYING, Ask, Position, SeatState
from engine.kernel.replay import (
    back_to,
    gone_over,
    link_opened,
    remember,
    replaced,
    signed_by,
    start,
    taken,
    with_key,
    with_orders,
    with_seat,
)
from engine.kernel.rulings import resolve
from engine.kernel.table import Chance
from engine.kernel.types import Fault, Outcome, Rules, Seat
from protocol import canon, dice, records
from protocol.acts import BLIND_BYTES, KEYS_OF_A_SEAT_MAX, NO_KEY, By, orders_digest, picks_digest, roster_hash
from protocol.choices import Refusal, Say, refuse
from protocol.effects import AWAIT, REWIND
from protocol.limits import COMMAND_ID_BYTES_MAX, EPOCHS_MAX, NONCE_BYTES, SEEN_RECORDS_MAX
from protocol.records import SERVER, Genesis, Record
from protocol.seal import Opening, Secret, conceal, looked_through, salt_key_commitment, salt_of
from protocol.secrets import Keys

S = TypeVar("S")

SIGNED_GAME: Final = refuse("", "refusal.signed_game")
"""Of a request that carries no signature, in a game of format 2."""


@frozen
class Batch(Generic[S]):
    """Records that stand or fall together. `openings[i]` are the private openings that belong to `records[i]`."""

    records: tuple[Record, ...]
    openings: tuple[tuple[Opening, ...], ...]
    position: Position[S]

    @property
    def last(self) -> Record:
        """The record whose hash is the new head."""
        return self.records[-1]


class SeedChance:
    """Chance from the seeds of the ceremony."""

    def __init__(self, seeds: dice.Seeds | dice.OpenedSeeds) -> None:
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


def genesis_record(
    rules: Rules[S],
    *,
    game: str,
    options: Mapping[str, Any],
    pack: bytes,
    digest: bytes,
    keys: Keys,
    server_key: bytes,
    at_ms: int,
    terms: Mapping[str, Any] | None = None,
    format: int = records.FORMAT,
) -> Record:
    """The first record of a new game. Raises rulings.BadOption when an option is unknown or has a value it cannot have."""
    genesis = Genesis(
        format=format,
        game=game,
        title=rules.title,
        version=rules.version,
        digest=digest,
        options=resolve(rules.switches, options),
        seats=rules.seats,
        pack=pack,
        pack_digest=records.hash_of(pack),
        chain=keys.link(0),
        hidden=dice.hidden_commitment(game, keys.hidden),
        salts=salt_key_commitment(game, keys.salts),
        server_key=server_key,
        terms=terms or {},
    )
    return records.make(0, at_ms, SERVER, records.GENESIS, genesis.as_body(), records.NO_HASH)


class Ledger(Generic[S]):
    """One game's log being written. `position` is what its records so far amount to, `last` the newest of them.

    `keys` are the game's secrets; `chance` may be given instead of seeds made from them (a test's queued dice).
    """

    def __init__(self, rules: Rules[S], genesis: Record, keys: Keys, *, chance: Chance | None = None) -> None:
        self.rules = rules
        self.codec = Codec(rules.events)
        self.genesis = Genesis.from_record(genesis)
        self.game = self.genesis.game
        self.position: Position[S] = start(rules, self.genesis)
        self.last = genesis
        self.past: dict[int, Position[S]] = {}
        self.unopened: dict[tuple[int, tuple[int, ...]], Opening] = {}
        self.signed = self.genesis.signed
        self._recent: deque[bytes] = deque((genesis.hash,), maxlen=SEEN_RECORDS_MAX)
        self._keys = keys
        self._fixed_chance = chance
        self._chance: Chance | None = chance

    def resume(
        self,
        position: Position[S],
        last: Record,
        past: Mapping[int, Position[S]],
        openings: Sequence[Opening],
        opened: Sequence[tuple[int, tuple[int, ...]]],
        recent: Sequence[bytes] = (),
    ) -> None:
        """Go on from a folded log: its last record, the positions for free takebacks, and all private openings of which `opened` (seq,
        path) have become public. `recent` are the hashes of its last records, which a command may name as seen."""
        self.position, self.last, self.past = position, last, dict(past)
        newest = tuple(recent)
        if newest[-1:] != (last.hash,):  # each once: a record's number is told by its place among them
            newest = (*newest, last.hash)
        self._recent = deque(newest, maxlen=SEEN_RECORDS_MAX)
        self.unopened = {(opening.seq, opening.path): opening for opening in openings}
        for place in opened:
            self.unopened.pop(place, None)

    def commit(self, batch: Batch[S]) -> None:
        """The batch is durable: it is what has happened."""
        before = self.position
        self.position, self.last = batch.position, batch.last
        remember(self.past, before, self.position)
        for record, openings in zip(batch.records, batch.openings, strict=True):
            self._recent.append(record.hash)
            for opening in openings:
                self.unopened[opening.seq, opening.path] = opening
            if record.kind == records.COMMAND:
                for seq, path, _, _ in record.body[records.OPENED]:
                    self.unopened.pop((seq, path), None)
            elif record.kind == records.END:
                self.unopened.clear()

    # --- proposals ----------------------------------------------------------------------------------------------------------
    # Whose signature an act carries is for the caller to check (`Act.holds`), before anything is proposed; everything else about it is
    # looked at here. `by` is None in games of format 1 alone.

    def propose_seat(
        self, seat: Seat, principal: str, nonce_hash: bytes, at_ms: int, *, by: By | None = None, client: str = ""
    ) -> Batch[S] | Refusal:
        """Somebody takes an empty seat, and commits to a nonce for the dice; in format 2 also to the key that the seat signs with."""
        entry = self.position.seat(seat)
        if entry is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage != GATHERING or entry.principal:
            return refuse("", "refusal.seat_taken", seat=seat)
        if len(nonce_hash) != NONCE_BYTES:
            return refuse("", "refusal.nonce_form", bytes=NONCE_BYTES)
        run = _Run(self, at_ms)
        if by is None:
            run.add(records.SEAT, principal, ("taken", seat, principal, nonce_hash))
            run.position = with_seat(run.position, run.last.seq, SeatState(seat, principal, nonce_hash))
            return run.batch()
        refused = self._format_refused(by) or self._new_key_refused(seat, by.key) or self._seen_refused(by)
        if refused is not None:
            return refused
        array = by.as_array()
        run.add(records.SEAT, principal, ("taken", seat, principal, nonce_hash, client, array))
        run.position = taken(run.position, run.last.seq, seat, principal, nonce_hash, array)
        return run.batch()

    def propose_device(self, seat: Seat, key: bytes, proof: bytes, at_ms: int, *, by: By) -> Batch[S] | Refusal:
        """A seat declares a further key of its own (format 2). That `proof` is the new key's is for the caller to check."""
        entry = self.position.seat(seat)
        refused = self._format_refused(by) or self._acting_refused(entry, seat, by)
        if refused is not None or entry is None:
            return refused or refuse("", "refusal.no_such_seat", seat=seat)
        if by.key == NO_KEY or key == NO_KEY:
            return refuse("", "refusal.unsigned_seat", seat=seat)
        if len(entry.keys) >= KEYS_OF_A_SEAT_MAX:
            return refuse("", "refusal.too_many_keys", most=KEYS_OF_A_SEAT_MAX)
        refused = self._new_key_refused(seat, key)
        if refused is not None:
            return refused
        run = _Run(self, at_ms)
        array = by.as_array()
        run.add(records.SEAT, entry.principal, ("device", seat, key, proof, array))
        run.position = with_key(run.position, run.last.seq, signed_by(entry, array), key)
        return run.batch()

    def propose_revocation(self, seat: Seat, key: bytes, at_ms: int, *, by: By) -> Batch[S] | Refusal:
        """A seat declares that one of its keys is in force no longer (format 2). One always stays."""
        entry = self.position.seat(seat)
        refused = self._format_refused(by) or self._acting_refused(entry, seat, by)
        if refused is not None or entry is None:
            return refused or refuse("", "refusal.no_such_seat", seat=seat)
        if entry.key(key) is None:
            return refuse("", "refusal.unknown_key", seat=seat)
        if len(entry.keys) == 1:
            return refuse("", "refusal.last_key")
        run = _Run(self, at_ms)
        array = by.as_array()
        run.add(records.SEAT, entry.principal, ("revoked", seat, key, array))
        signed = signed_by(entry, array)
        left = evolve(signed, keys=tuple(other for other in signed.keys if other.key != key))
        run.position = with_seat(run.position, run.last.seq, left)
        return run.batch()

    def propose_replacement(
        self, seat: Seat, principal: str, at_ms: int, *, by: By | None = None, client: str = "", handed: By | None = None
    ) -> Batch[S] | Refusal:
        """A host puts somebody else in a seat; the nonces stay. In format 2 the newcomer signs, and `handed` is the consent of a key that
        the seat had, without which the log says for ever that there was none."""
        entry = self.position.seat(seat)
        if entry is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage == ENDED:
            return refuse("", "refusal.game_over")
        if not entry.principal:
            return refuse("", "refusal.seat_empty", seat=seat)
        run = _Run(self, at_ms)
        if by is None:
            run.add(records.SEAT, SERVER, ("replaced", seat, principal))
            run.position = with_seat(run.position, run.last.seq, evolve(entry, principal=principal))
            return run.batch()
        refused = self._format_refused(by)
        if refused is not None:
            return refused
        if self.position.stage != PLAYING:
            return refuse("", "refusal.not_started")
        if by.key == NO_KEY and entry.key(NO_KEY) is None:
            return refuse("", "refusal.key_needed", seat=seat)
        refused = self._new_key_refused(seat, by.key) or self._number_refused(entry, by) or self._seen_refused(by)
        if refused is None and handed is not None:
            refused = self._acting_refused(entry, seat, handed)
        if refused is not None:
            return refused
        array = by.as_array()
        consent = handed.as_array() if handed is not None else ()
        run.add(records.SEAT, principal, ("replaced", seat, principal, client, array, consent))
        run.position = replaced(run.position, run.last.seq, seat, principal, array)
        return run.batch()

    def propose_nonce(
        self, seat: Seat, nonce: bytes, at_ms: int, *, by: By | None = None, roster: bytes = b""
    ) -> Batch[S] | Refusal:
        """A seat shows its nonce, once every seat has committed to one. The last nonce starts the game."""
        entry = self.position.seat(seat)
        if entry is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage != GATHERING or entry.nonce is not None:
            return refuse("", "refusal.nonce_known")
        if any(other.nonce_hash is None for other in self.position.seats):
            return refuse("", "refusal.nonce_early")
        if len(nonce) != NONCE_BYTES or self._hash_of(seat, nonce) != entry.nonce_hash:
            return refuse("", "refusal.nonce_differs")
        body: tuple[Any, ...] = ("nonce", seat, nonce)
        if by is not None:
            refused = self._format_refused(by) or self._acting_refused(entry, seat, by)
            if refused is None and roster != self.roster:
                refused = refuse("", "refusal.roster")
            if refused is not None:
                return refused
            body = (*body, roster, by.as_array())
            entry = signed_by(entry, by.as_array())
        run = _Run(self, at_ms)
        run.add(records.SEAT, entry.principal, body)
        run.position = with_seat(run.position, run.last.seq, evolve(entry, nonce=nonce))
        if all(other.nonce is not None for other in run.position.seats):
            chance = self._chance_for(run.position)
            run.decided(door.begin(self.rules, self.codec, run.position, run.seq, chance, signed=self.signed), SERVER)
        return run.batch()

    def propose_command(self, command: Command, at_ms: int) -> Batch[S] | Refusal:
        """A seat's command, through the door.

        Raises Fault (or whatever a bug raises) with nothing changed.
        """
        if command.by is not None:
            refused = self._command_refused(command, command.by)
            if refused is not None:
                return refused
        elif self.signed:
            return SIGNED_GAME
        elif command.seen and command.seen != self.last.hash and command.seen not in self._recent:
            return refuse("", "refusal.seen")
        chance = self._chance_for(self.position)
        seq = self.position.seq + 1
        decided = door.decide(self.rules, self.codec, self.position, command, seq, chance)
        if isinstance(decided, Refusal):
            return decided
        run = _Run(self, at_ms)
        run.decided(decided, command.seat)
        return run.batch()

    def propose_takeback(
        self, seat: Seat, to: int, then: Position[S] | None, at_ms: int, *, by: By | None = None
    ) -> Batch[S] | Refusal:
        """Go back to the position after record `to`: at once where nothing new was learnt since, else as a request to the others.

        `then` is that position, needed only where `past` does not hold it.
        """
        refused = self._cannot_ask(seat, by)
        if refused is not None:
            return refused
        if self.position.undo_seat == seat and to in self.position.undo:
            run = _Run(self, at_ms)
            run.takeback(seat, to, self.past[to], by=by)
            return run.batch()
        if then is None or not 0 < to < self.position.seq or then.stage != PLAYING or then.opened(seat) is None:
            return refuse("", "refusal.takeback_target", to=to)
        return self._ask(seat, "takeback", to, at_ms, by)

    def propose_draw(self, seat: Seat, at_ms: int, *, by: By | None = None) -> Batch[S] | Refusal:
        """Offer a draw."""
        return self._cannot_ask(seat, by) or self._ask(seat, "draw", 0, at_ms, by)

    def propose_answer(
        self, seat: Seat, consents: bool, then: Position[S] | None, at_ms: int, *, ask_seq: int = 0, by: By | None = None
    ) -> Batch[S] | Refusal:
        """Answer the request that waits; in format 2 `ask_seq` is its record. `then` is the position a takeback goes back to."""
        refused = self._format_refused(by)
        if refused is not None:
            return refused
        ask = self.position.ask
        if ask is None:
            return refuse("", "refusal.nothing_asked")
        entry = self.position.seat(seat)
        if entry is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if ask.seat == seat or seat in ask.consents:
            return refuse("", "refusal.own_request")
        if by is not None:
            refused = self._acting_refused(entry, seat, by, after=ask.seq)
            if refused is None and ask_seq != ask.seq:
                refused = refuse("", "refusal.other_request")
            if refused is not None:
                return refused
        run = _Run(self, at_ms)
        run.add(records.ANSWER, seat, (seat, consents) if by is None else (seat, consents, ask_seq, by.as_array()))
        run.acted(seat, by)
        if not consents:
            run.position = evolve(run.position, ask=None)
            return run.batch()
        given = (*ask.consents, seat)
        run.position = evolve(run.position, ask=evolve(ask, consents=given))
        if all(entry.seat == ask.seat or entry.seat in given for entry in self.position.seats):
            if ask.kind == "draw":
                run.end(Outcome(None, Say("outcome.draw_agreed")))
            else:
                then = self.past.get(ask.to, then)
                if then is None:
                    raise Fault(f"the position after record {ask.to} is needed to go back to it")
                run.takeback(ask.seat, ask.to, then, ask=ask.seq if self.signed else 0)
        return run.batch()

    def propose_resignation(self, seat: Seat, at_ms: int, *, by: By | None = None) -> Batch[S] | Refusal:
        """A seat resigns; with two seats the other wins."""
        refused = self._cannot_ask(seat, by)
        if refused is not None:
            return refused
        others = [entry.seat for entry in self.position.seats if entry.seat != seat]
        run = _Run(self, at_ms)
        run.add(records.ASK, seat, (seat, "resign", 0) if by is None else (seat, "resign", 0, by.as_array()))
        run.acted(seat, by)
        run.end(Outcome(others[0] if len(others) == 1 else None, Say("outcome.resigned", (("seat", seat),))))
        return run.batch()

    def propose_expiry(self, at_ms: int) -> Batch[S] | Refusal:
        """Close a game that never began: somebody did not show his nonce, or a seat stayed empty."""
        if self.position.stage != GATHERING:
            return refuse("", "refusal.started")
        run = _Run(self, at_ms)
        silent = tuple(entry.seat for entry in self.position.seats if entry.nonce is None)
        if self.signed and all(entry.nonce_hash is not None for entry in self.position.seats):
            run.end(Outcome(None, Say("outcome.lapsed", (("seats", silent),))))
        else:
            run.end(Outcome(None, Say("outcome.expired")))
        return run.batch()

    def propose_orders(
        self, seat: Seat, orders: tuple[Any, ...], blind: bytes, digest: bytes, at_ms: int, *, by: By
    ) -> Batch[S] | Refusal:
        """A seat changes its standing answers [[prompt's key, picks, "turn" or "game"] …] (format 2): these and no others stand."""
        refused = self._not_playing(seat) or self._format_refused(by) or self._acting_refused(self.position.seat(seat), seat, by)
        if refused is not None:
            return refused
        if len(blind) != BLIND_BYTES or orders_digest(self.genesis.hash, seat, blind, orders) != digest:
            return refuse("", "refusal.digest")
        run = _Run(self, at_ms)
        run.orders(seat, orders, blind, digest, by)
        return run.batch()

    def propose_rotation(self, key: bytes, signature: bytes, at_ms: int) -> Batch[S] | Refusal:
        """The server signs with another key from here on (format 2); `signature` is the old one's, for the caller to make or check."""
        if not self.signed or self.position.stage == ENDED:
            return refuse("", "refusal.game_over")
        if key == self.position.server_key or any(key == known for known, _ in self.position.shown_keys):
            return refuse("", "refusal.key_in_use")
        run = _Run(self, at_ms)
        run.add(records.ROTATE, SERVER, (key, signature))
        run.position = gone_over(run.position, run.last.seq, key)
        return run.batch()

    @property
    def roster(self) -> bytes:
        """The hash of all that the seats have committed to, once each is taken: what they sign with their nonces."""
        taken = ((entry.seat, entry.principal, entry.taken_key, entry.nonce_hash or b"") for entry in self.position.seats)
        return roster_hash(self.genesis.hash, taken)

    # --- acts ---------------------------------------------------------------------------------------------------------------

    def seq_of(self, hash: bytes) -> int | None:
        """The number of one of the newest records by its hash; None for one that is too old, or no record of this game."""
        if hash == self.last.hash:
            return self.last.seq
        try:
            return self.last.seq - len(self._recent) + 1 + self._recent.index(hash)
        except ValueError:
            return None

    def _format_refused(self, by: By | None) -> Refusal | None:
        """Whether it is signed just where the game's format says so."""
        if by is None:
            return SIGNED_GAME if self.signed else None
        return None if self.signed else refuse("", "refusal.unsigned_game")

    def _seen_refused(self, by: By, after: int = 0, before: bytes = b"") -> Refusal | None:
        if by.seen == self.last.hash:
            return None  # as mostly: nothing is newer
        seq = self.seq_of(by.seen)
        if seq is None:
            return refuse("", "refusal.seen")
        if seq < after:
            return refuse("", "refusal.seen_early", seen=seq, after=after)
        earlier = self.seq_of(before) if before else None
        return refuse("", "refusal.seen_back") if earlier is not None and seq < earlier else None

    def _acting_refused(self, entry: SeatState | None, seat: Seat, by: By, after: int = 0) -> Refusal | None:
        """Why a key may not sign another act of the seat, if it may not: `after` is the record that it must have seen."""
        known = entry.key(by.key) if entry is not None else None
        if entry is None or known is None:
            return refuse("", "refusal.unknown_key", seat=seat)
        return self._number_refused(entry, by) or self._seen_refused(by, after, known.seen)

    @staticmethod
    def _number_refused(entry: SeatState, by: By) -> Refusal | None:
        """Numbers go on, also those of a seat that signs nothing when somebody else sits there: what was refused once stays refused."""
        known = entry.key(by.key)
        return refuse("", "refusal.act_number", n=by.n, last=known.n) if known is not None and by.n <= known.n else None

    def _new_key_refused(self, seat: Seat, key: bytes) -> Refusal | None:
        if key == NO_KEY:
            return None if self.genesis.unsigned_seats else refuse("", "refusal.key_needed", seat=seat)
        known = (self.position.server_key, *(other for other, _ in self.position.shown_keys))
        return refuse("", "refusal.key_in_use") if key in known else None

    def _command_refused(self, command: Command, by: tuple[Any, ...]) -> Refusal | None:
        """Why a command of format 2 does not stand for what its seat signed. That the seat is asked is the door's business."""
        at, seat = self.position, command.seat
        if not self.signed:
            return refuse("", "refusal.unsigned_game")
        if len(by) == 1:
            return self._order_refused(command, by[0])
        if at.opened(seat) != command.decision:
            return None
        refused = self._acting_refused(at.seat(seat), seat, By(*by), after=command.decision)
        if refused is not None:
            return refused
        if not 0 < len(command.id) <= COMMAND_ID_BYTES_MAX or len(command.blind) != BLIND_BYTES:
            return refuse("", "refusal.digest")
        digest = picks_digest(self.genesis.hash, seat, command.decision, command.id, command.blind, command.picks)
        return None if digest == command.digest else refuse("", "refusal.digest")

    def _order_refused(self, command: Command, seq: int) -> Refusal | None:
        """Why a seat's standing answers do not give this command."""
        asked = door.pending(self.rules, self.position, command.seat)
        for standing in self.position.standing:
            if (standing.seat, standing.seq) == (command.seat, seq) and asked is not None and type(standing.orders) is Secret:
                for prompt, picks, until in standing.orders.value[0]:
                    if prompt == asked.prompt.key and picks == command.picks and not (until == "turn" and standing.turn_over):
                        return None
        return refuse("", "refusal.no_order", seat=command.seat)

    def _hash_of(self, seat: Seat, nonce: bytes) -> bytes:
        if self.signed:
            return dice.bound_nonce_hash(self.genesis.hash, seat, nonce)
        return dice.nonce_hash(self.game, seat, nonce)

    # --- parts --------------------------------------------------------------------------------------------------------------

    def _not_playing(self, seat: Seat) -> Refusal | None:
        if self.position.seat(seat) is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage == ENDED:
            return refuse("", "refusal.game_over")
        if self.position.stage != PLAYING:
            return refuse("", "refusal.not_started")
        return None

    def _cannot_ask(self, seat: Seat, by: By | None) -> Refusal | None:
        refused = self._not_playing(seat) or self._format_refused(by)
        if refused is not None or by is None:
            return refused
        return self._acting_refused(self.position.seat(seat), seat, by, after=self.position.moved_on)

    def _ask(self, seat: Seat, kind: str, to: int, at_ms: int, by: By | None) -> Batch[S] | Refusal:
        if self.position.ask is not None:
            return refuse("", "refusal.already_asked")
        run = _Run(self, at_ms)
        run.add(records.ASK, seat, (seat, kind, to) if by is None else (seat, kind, to, by.as_array()))
        run.acted(seat, by)
        run.position = evolve(run.position, ask=Ask(seat, kind, to, run.position.seq))
        return run.batch()

    def _chance_for(self, at: Position[S]) -> Chance:
        if self._chance is None or (self._fixed_chance is None and at.stage != PLAYING):
            self._chance = SeedChance(self._keys.seeds(self.game, at.nonces))
        return self._chance

    @property
    def keys(self) -> Keys:
        """The game's secrets, for its store."""
        return self._keys


class _Run(Generic[S]):
    """The records of one batch as they are written."""

    def __init__(self, ledger: Ledger[S], at_ms: int) -> None:
        self.ledger = ledger
        self.position = ledger.position
        self.last = ledger.last
        self.at_ms = max(at_ms, self.last.at_ms)
        self.records: list[Record] = []
        self.openings: list[tuple[Opening, ...]] = []
        self.opened: set[tuple[int, tuple[int, ...]]] = set()

    @property
    def seq(self) -> int:
        """Number of the next record."""
        return self.position.seq + 1

    def batch(self) -> Batch[S]:
        """What was written."""
        return Batch(tuple(self.records), tuple(self.openings), self.position)

    def add(self, kind: str, actor: str, body: tuple[Any, ...]) -> None:
        """Write a record without secrets."""
        canon.check(body)
        self._write(kind, actor, body, ())
        self.position = evolve(self.position, seq=self.last.seq)

    def decided(self, decided: Decided[S], actor: str) -> None:
        """Write a command's record, then open the links of turns that ended in it, then end the game if it has an outcome."""
        body, ledger = decided.body, self.ledger
        _, _, picks, _, _, draws, events, effects, _, flow, *_ = body
        # Of a draw only what the title named and drew is looked at: its counter is the kernel's own. What a bug in a title's rules might
        # emit (a float, say) is kept out of a log that could not be read again.
        drawn = [draw[2:] for draw in draws] if draws else ()
        told_in_secret, told = looked_through(effects)
        kept_in_secret, _ = looked_through((picks, drawn, events, flow))
        openings: tuple[Opening, ...] = ()
        opened = decided.revealed
        if opened:
            salts = ledger.keys.salts
            revealed = tuple([(item.seq, item.path, salt_of(salts, item.seq, item.path), item.value) for item in opened])
            body = (*body[: records.OPENED], revealed, *body[records.FLOW :])
            self.opened.update([(item.seq, item.path) for item in opened])
        if not told_in_secret:
            body = (*body[: records.EFFECTS], told, *body[records.OPENED :])
        if told_in_secret or kept_in_secret:
            body, found = conceal(ledger.game, ledger.keys.salts, self.seq, (), body, told_in_secret + kept_in_secret)
            openings = tuple(found)
        if told_in_secret:
            body = (*body[: records.EFFECTS], canon.pack(body[records.EFFECTS]), *body[records.OPENED :])
        self._write(records.COMMAND, actor, body, openings)
        outcome = decided.position.outcome
        self.position = decided.position if outcome is None else evolve(decided.position, stage=PLAYING, outcome=None)
        for epoch in decided.closed_epochs:
            self.add(records.OPEN, SERVER, (epoch, self.ledger.keys.link(epoch)))
            self.position = link_opened(self.position, self.last.seq, epoch)
        if outcome is not None:
            self.end(outcome)

    def acted(self, seat: Seat, by: By | None) -> None:
        """A seat has signed the record just written."""
        if by is not None:
            self.position = evolve(self.position, seats=door.acted(self.position.seats, seat, by.as_array()))

    def orders(self, seat: Seat, orders: tuple[Any, ...], blind: bytes, digest: bytes, by: By) -> None:
        """Write a seat's standing answers, sealed."""
        seq, array = self.seq, by.as_array()
        looked_through(orders)
        body, found = conceal(self.ledger.game, self.ledger.keys.salts, seq, (), (seat, Secret((orders, blind), (seat,)), digest, array))
        self._write(records.ORDERS, seat, body, tuple(found))
        kept = Secret((orders, blind), (seat,), (seq, found[0].path))
        self.position = with_orders(self.position, seq, seat, kept, array)

    def takeback(self, seat: Seat, to: int, then: Position[S], *, by: By | None = None, ask: int = 0) -> None:
        """Go back to an earlier position. The seat that went back is asked anew, so that what it sent before is stale.

        In format 2 the seat has signed it (`by`), or every other one has consented to the request in record `ask`.
        """
        seq = self.seq
        awaits = tuple((name, seq) for name, _ in then.open)
        effects = canon.pack(((REWIND, to), (AWAIT, tuple(name for name, _ in awaits))))
        self.acted(seat, by)
        body: tuple[Any, ...] = (seat, to, effects, awaits)
        if self.ledger.signed:
            body = (*body, ask, () if by is None else by.as_array())
        self._write(records.TAKEBACK, SERVER if ask else seat, body, ())
        self.position = back_to(self.position, then, seat, to, seq, awaits)

    def end(self, outcome: Outcome) -> None:
        """The last record: the result, every opening that is not public yet, and the game's secrets."""
        keys = self.ledger.keys
        left = {**self.ledger.unopened}
        for openings in self.openings:
            left.update({(item.seq, item.path): item for item in openings})
        openings_left = tuple(left[place].as_array() for place in sorted(left) if place not in self.opened)
        links = tuple((epoch, self.ledger.keys.link(epoch)) for epoch in (self.position.epoch,) if epoch <= EPOCHS_MAX)
        reason = outcome.reason
        self.add(records.END, SERVER, (outcome.winner, reason.key, reason.args, openings_left, links, keys.hidden, keys.salts, reason.rule))
        self.position = evolve(self.position, stage=ENDED, open=(), undo=(), undo_seat="", ask=None, outcome=outcome)

    def _write(self, kind: str, actor: str, body: tuple[Any, ...], openings: tuple[Opening, ...]) -> None:
        self.last = records.make(self.seq, self.at_ms, actor, kind, body, self.last.hash)
        self.records.append(self.last)
        self.openings.append(openings)


__all__ = ["Batch", "Keys", "Ledger", "SeedChance", "genesis_record"]
