"""A game's ledger: makes the records that follow from what people ask, one batch at a time, and folds them once they are committed.

`propose_…` changes nothing: it returns a `Batch` (records, the private openings beside them, the position after them) or a Refusal.
Whoever holds the ledger makes the batch durable and then calls `commit`. If that fails the batch is dropped and nothing has happened.
The same code writes a live game, plays a game in process, and lets an auditor make each record again to compare it byte by byte.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from attrs import frozen

from engine.kernel import door
from engine.kernel.change import evolve
from engine.kernel.codec import Codec
from engine.kernel.door import Command, Decided
from engine.kernel.position import ENDED, GATHERING, PLAYING, Ask, Position, SeatState
from engine.kernel.replay import back_to, remember, start
from engine.kernel.rulings import resolve
from engine.kernel.table import Chance
from engine.kernel.types import Fault, Outcome, Rules, Seat
from protocol import canon, dice, records
from protocol.choices import Refusal, Say, refuse
from protocol.effects import AWAIT, REWIND
from protocol.limits import EPOCHS_MAX, NONCE_BYTES, SEEN_RECORDS_MAX
from protocol.records import SERVER, Genesis, Record
from protocol.seal import Opening, conceal, looked_through, salt_key_commitment, salt_of
from protocol.secrets import Keys

S = TypeVar("S")


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
) -> Record:
    """The first record of a new game. Raises rulings.BadOption when an option is unknown or has a value it cannot have."""
    genesis = Genesis(
        format=records.FORMAT,
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
        self._recent = deque((*recent, last.hash), maxlen=SEEN_RECORDS_MAX)
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

    def propose_seat(self, seat: Seat, principal: str, nonce_hash: bytes, at_ms: int) -> Batch[S] | Refusal:
        """Somebody takes an empty seat, and commits to a nonce for the dice."""
        entry = self.position.seat(seat)
        if entry is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage != GATHERING or entry.principal:
            return refuse("", "refusal.seat_taken", seat=seat)
        if len(nonce_hash) != NONCE_BYTES:
            return refuse("", "refusal.nonce_form", bytes=NONCE_BYTES)
        run = _Run(self, at_ms)
        run.add(records.SEAT, principal, ("taken", seat, principal, nonce_hash))
        run.position = self._with_seat(run.position, SeatState(seat, principal, nonce_hash))
        return run.batch()

    def propose_replacement(self, seat: Seat, principal: str, at_ms: int) -> Batch[S] | Refusal:
        """A host puts somebody else in a seat; the nonces stay."""
        entry = self.position.seat(seat)
        if entry is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage == ENDED:
            return refuse("", "refusal.game_over")
        if not entry.principal:
            return refuse("", "refusal.seat_empty", seat=seat)
        run = _Run(self, at_ms)
        run.add(records.SEAT, SERVER, ("replaced", seat, principal))
        run.position = self._with_seat(run.position, evolve(entry, principal=principal))
        return run.batch()

    def propose_nonce(self, seat: Seat, nonce: bytes, at_ms: int) -> Batch[S] | Refusal:
        """A seat shows its nonce, once every seat has committed to one. The last nonce starts the game."""
        entry = self.position.seat(seat)
        if entry is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage != GATHERING or entry.nonce is not None:
            return refuse("", "refusal.nonce_known")
        if any(other.nonce_hash is None for other in self.position.seats):
            return refuse("", "refusal.nonce_early")
        if len(nonce) != NONCE_BYTES or dice.nonce_hash(self.game, seat, nonce) != entry.nonce_hash:
            return refuse("", "refusal.nonce_differs")
        run = _Run(self, at_ms)
        run.add(records.SEAT, entry.principal, ("nonce", seat, nonce))
        run.position = self._with_seat(run.position, evolve(entry, nonce=nonce))
        if all(other.nonce is not None for other in run.position.seats):
            run.decided(door.begin(self.rules, self.codec, run.position, SERVER, run.seq, self._chance_for(run.position)), SERVER)
        return run.batch()

    def propose_command(self, command: Command, at_ms: int) -> Batch[S] | Refusal:
        """A seat's command, through the door.

        Raises Fault (or whatever a bug raises) with nothing changed.
        """
        if command.seen and command.seen != self.last.hash and command.seen not in self._recent:
            return refuse("", "refusal.seen")
        chance = self._chance_for(self.position)
        seq = self.position.seq + 1
        decided = door.decide(self.rules, self.codec, self.position, command, seq, chance)
        if isinstance(decided, Refusal):
            return decided
        run = _Run(self, at_ms)
        run.decided(decided, command.seat)
        return run.batch()

    def propose_takeback(self, seat: Seat, to: int, then: Position[S] | None, at_ms: int) -> Batch[S] | Refusal:
        """Go back to the position after record `to`: at once where nothing new was learnt since, else as a request to the others.

        `then` is that position, needed only where `past` does not hold it.
        """
        refused = self._cannot_ask(seat)
        if refused is not None:
            return refused
        if self.position.undo_seat == seat and to in self.position.undo:
            run = _Run(self, at_ms)
            run.takeback(seat, to, self.past[to])
            return run.batch()
        if then is None or not 0 < to < self.position.seq or then.stage != PLAYING or then.opened(seat) is None:
            return refuse("", "refusal.takeback_target", to=to)
        return self._ask(seat, "takeback", to, at_ms)

    def propose_draw(self, seat: Seat, at_ms: int) -> Batch[S] | Refusal:
        """Offer a draw."""
        return self._cannot_ask(seat) or self._ask(seat, "draw", 0, at_ms)

    def propose_answer(self, seat: Seat, consents: bool, then: Position[S] | None, at_ms: int) -> Batch[S] | Refusal:
        """Answer the request that waits. `then` is the position a takeback goes back to."""
        ask = self.position.ask
        if ask is None:
            return refuse("", "refusal.nothing_asked")
        if self.position.seat(seat) is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if ask.seat == seat or seat in ask.consents:
            return refuse("", "refusal.own_request")
        run = _Run(self, at_ms)
        run.add(records.ANSWER, seat, (seat, consents))
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
                run.takeback(ask.seat, ask.to, then)
        return run.batch()

    def propose_resignation(self, seat: Seat, at_ms: int) -> Batch[S] | Refusal:
        """A seat resigns; with two seats the other wins."""
        refused = self._cannot_ask(seat)
        if refused is not None:
            return refused
        others = [entry.seat for entry in self.position.seats if entry.seat != seat]
        run = _Run(self, at_ms)
        run.add(records.ASK, seat, (seat, "resign", 0))
        run.end(Outcome(others[0] if len(others) == 1 else None, Say("outcome.resigned", (("seat", seat),))))
        return run.batch()

    def propose_expiry(self, at_ms: int) -> Batch[S] | Refusal:
        """Close a game that never began: somebody did not show his nonce, or a seat stayed empty."""
        if self.position.stage != GATHERING:
            return refuse("", "refusal.started")
        run = _Run(self, at_ms)
        run.end(Outcome(None, Say("outcome.expired")))
        return run.batch()

    # --- parts --------------------------------------------------------------------------------------------------------------

    def _cannot_ask(self, seat: Seat) -> Refusal | None:
        if self.position.seat(seat) is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage == ENDED:
            return refuse("", "refusal.game_over")
        if self.position.stage != PLAYING:
            return refuse("", "refusal.not_started")
        return None

    def _ask(self, seat: Seat, kind: str, to: int, at_ms: int) -> Batch[S] | Refusal:
        if self.position.ask is not None:
            return refuse("", "refusal.already_asked")
        run = _Run(self, at_ms)
        run.add(records.ASK, seat, (seat, kind, to))
        run.position = evolve(run.position, ask=Ask(seat, kind, to, run.position.seq))
        return run.batch()

    def _with_seat(self, at: Position[S], entry: SeatState) -> Position[S]:
        return evolve(at, seats=tuple(entry if old.seat == entry.seat else old for old in at.seats))

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
        _, _, picks, _, _, draws, events, effects, _, flow, _ = body
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
        if outcome is not None:
            self.end(outcome)

    def takeback(self, seat: Seat, to: int, then: Position[S]) -> None:
        """Go back to an earlier position. The seat that went back is asked anew, so that what it sent before is stale."""
        seq = self.seq
        awaits = tuple((name, seq) for name, _ in then.open)
        effects = canon.pack(((REWIND, to), (AWAIT, tuple(name for name, _ in awaits))))
        self._write(records.TAKEBACK, seat, (seat, to, effects, awaits), ())
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
