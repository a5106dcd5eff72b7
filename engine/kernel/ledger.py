"""A game's ledger: makes the records that follow from what people ask, a batch at a time, and folds
them once committed. `propose_…` changes nothing: it returns a `Batch` (records, the private
openings beside them, the position after them) or a Refusal. Whoever holds the ledger makes the
batch durable and then calls `commit`. If that fails the batch is dropped and nothing has happened.
The same code writes a live game, plays one in process, and makes each record again for an auditor,
who compares the bytes.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from warledger.engine.kernel import door
from warledger.engine.kernel.arbitration import Arbitration
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.clockrecords import Timekeeping
from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.memo import forget
from warledger.engine.kernel.position import ENDED, GATHERING, KeyState, Position
from warledger.engine.kernel.replay import gone_over, remember
from warledger.engine.kernel.rulings import BadOption, resolve
from warledger.engine.kernel.seating import Seating
from warledger.engine.kernel.seatrequests import Requests
from warledger.engine.kernel.types import Rules, Seat
from warledger.engine.kernel.writing import Batch as Batch
from warledger.engine.kernel.writing import Writing
from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Decision, Picks, Refusal, Say, refuse
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, Secret, salt_key_commitment, salt_of
from warledger.protocol.chance.secrets import Keys as Keys
from warledger.protocol.clocks.clockcontrol import control_of
from warledger.protocol.limits import (
    COMMAND_ID_BYTES_MAX,
    LINKS_MAX,
    ORDERS_BYTES_MAX,
    SEEN_RECORDS_MAX,
    SIGNATURE_BYTES,
)
from warledger.protocol.log import bodies, owed, records
from warledger.protocol.log.bodies import By, ByOrders, read_by
from warledger.protocol.log.docket import Desk
from warledger.protocol.log.records import SERVER, Genesis, Record
from warledger.protocol.seats import standing
from warledger.protocol.seats.acts import BLIND_BYTES, NO_KEY, orders_digest, picks_digest
from warledger.protocol.wire.fields import is_orders

S = TypeVar("S")


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
) -> Record:
    """The first record of a new game. Raises rulings.BadOption if an option is unknown or has an
    invalid value, and BadTerms, BadControl or BadDesk if the terms are invalid. Unless they say
    otherwise, spectators see the game at once, and it is not rated."""
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
        terms={records.DELAY: (0, 0), records.RATED: False, **(terms or {})},
    )
    genesis.check_terms()
    control_of(genesis)
    Desk.of(genesis)
    return records.make(0, at_ms, SERVER, records.GENESIS, genesis.as_body(), records.NO_HASH)


def links_for(rules: Rules[S], pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
    """How many links the chain behind the dice of a new game gets: one for each turn that may end,
    and one for what follows the last. A turn that ends again after a takeback needs no other.

    Raises BadOption if that is more than a chain can have, and for an unknown option or value.
    """
    needed = 1 + rules.turns_most(pack, resolve(rules.switches, options))
    if not 0 < needed <= LINKS_MAX:
        raise BadOption(
            f"a game with these options may have {needed - 1} turns; dice have links for "
            f"{LINKS_MAX - 1}"
        )
    return needed


def unsigned(ledger: "Ledger[S]", seat: Seat, decision: int, picks: Picks) -> Submission:
    """A command as a ledger takes it, with a signature that is none: whether it holds is looked at
    before the ledger is asked. For games that are written nowhere."""
    entry = ledger.position.seat(seat)
    known = entry.keys[0] if entry is not None and entry.keys else KeyState(NO_KEY, 0, b"")
    id, blind = (ledger.position.seq + 1).to_bytes(16, "big"), bytes(BLIND_BYTES)
    digest = picks_digest(ledger.genesis.hash, seat, decision, id, blind, picks)
    by = By(known.key, known.n + 1, ledger.last.hash, bytes(SIGNATURE_BYTES if known.key else 0))
    return Submission(seat, decision, picks, id, by=by, blind=blind, digest=digest)


class Ledger(Seating[S], Requests[S], Timekeeping[S], Arbitration[S]):
    """One game's log being written: commits what was proposed, and proposes commands, standing
    answers and what the server itself writes. `Seating`, `Requests`, `Timekeeping` and
    `Arbitration` hold the other proposals, `BaseLedger` the state and the checks.
    """

    def resume(
        self,
        position: Position[S],
        last: Record,
        past: Mapping[int, Position[S]],
        recent: Sequence[bytes] = (),
    ) -> None:
        """Continue a folded log: its last record, and the positions for free takebacks. `recent`
        are the hashes of its last records, which a command may name as seen."""
        self.position, self.last, self.past = position, last, dict(past)
        newest = tuple(recent)
        if newest[-1:] != (
            last.hash,
        ):  # each once: a record's number follows from its place among them
            newest = (*newest, last.hash)
        self._recent = deque(newest, maxlen=SEEN_RECORDS_MAX)

    def commit(self, batch: Batch[S]) -> None:
        """The batch is durable: it now counts as having happened."""
        before = self.position
        self.position, self.last = batch.position, batch.last
        forget(before, self.position)
        remember(self.past, before, self.position)
        self._recent.extend([record.hash for record in batch.records])

    def propose_command(self, command: Submission, at_ms: int) -> Batch[S] | Refusal:
        """A seat's command, through the door.

        Raises Fault (or whatever a bug raises) with nothing changed.
        """
        refused = (
            self._command_refused(command)
            or self.timely(command.seat, at_ms)
            or self._paused(at_ms)
        )
        if refused is not None:
            return refused
        chance = self._chance_for(self.position)
        seq = self.position.seq + 1
        decided = door.decide(self.rules, self.codec, self.position, command, seq, chance)
        if isinstance(decided, Refusal):
            return decided
        run = Writing(self, at_ms)
        run.decided(decided, command.seat)
        return run.batch()

    def propose_orders(
        self,
        seat: Seat,
        orders: tuple[Any, ...],
        blind: bytes,
        digest: bytes,
        at_ms: int,
        *,
        by: By,
    ) -> Batch[S] | Refusal:
        """A seat changes its standing answers (`warledger.protocol.seats.standing`); they replace
        all earlier ones."""
        refused = (
            self._not_playing(seat)
            or self._acting_refused(self.position.seat(seat), seat, by)
            or self.timely(seat, at_ms)
        )
        if refused is not None:
            return refused
        if len(canon.pack(orders)) > ORDERS_BYTES_MAX:
            return refuse("", "refusal.orders_long", most=ORDERS_BYTES_MAX)
        if not is_orders(orders):
            return refuse("", "refusal.act_form", what="orders")
        if (
            len(blind) != BLIND_BYTES
            or orders_digest(self.genesis.hash, seat, blind, orders) != digest
        ):
            return refuse("", "refusal.digest")
        run = Writing(self, at_ms)
        run.orders(seat, orders, blind, digest, by)
        return run.batch()

    def standing_answer(self, seat: Seat) -> tuple[ByOrders, Picks] | None:
        """The answer that is due to a seat's question by its standing answers, and which of them it
        is. None if there is none, or they are not opened here."""
        at = self.position
        key = at.asked_for(seat)
        given = next((entry for entry in at.standing if entry.seat == seat), None)
        if key is None or given is None or type(given.orders) is not Secret:
            return None
        found = standing.due(
            given.orders.value[0], key, partial(self._on_offer, seat), turn_over=given.turn_over
        )
        if found is None:
            return None
        entry, alternative, picks = found
        return ByOrders(given.seq, entry, alternative), picks

    def offered(
        self, at: Position[S], seat: Seat, picks: Picks
    ) -> tuple[Choices | Refusal, Decision | None]:
        """What may follow the picks at a position of the game, and the seat's open question."""
        offered = door.choices(self.rules, at, seat, picks)
        refused = isinstance(offered, Refusal)
        return offered, None if refused else door.pending(self.rules, at, seat)

    def previewed(self, at: Position[S], seat: Seat, picks: Picks) -> tuple[Say, ...] | Refusal:
        """What a client may show beside the picks."""
        return door.preview(self.rules, at, seat, picks)

    def _on_offer(self, seat: Seat, picks: Picks) -> bool:
        return door.on_offer(self.rules, self.position, seat, picks)

    def propose_expiry(self, at_ms: int) -> Batch[S] | Refusal:
        """Close a game that never began: somebody did not reveal their nonce, or a seat stayed
        empty."""
        if self.position.stage != GATHERING:
            over = self.position.stage == ENDED
            return refuse("", "refusal.game_over" if over else "refusal.started")
        run = Writing(self, at_ms)
        silent = tuple(entry.seat for entry in self.position.seats if entry.nonce is None)
        taken = all(entry.nonce_hash is not None for entry in self.position.seats)
        run.end_by(owed.expired(silent, all_taken=taken), bodies.BY_EXPIRY)
        return run.batch()

    def propose_rotation(self, key: bytes, signature: bytes, at_ms: int) -> Batch[S] | Refusal:
        """From here on, the server signs with another key; `signature` is the old one's,
        for the caller to make or check."""
        if self.position.stage == ENDED:
            return refuse("", "refusal.game_over")
        if key == self.position.server_key or any(
            key == known for known, _ in self.position.shown_keys
        ):
            return refuse("", "refusal.key_in_use")
        refused = self.timely("", at_ms)
        if refused is not None:
            return refused
        run = Writing(self, at_ms)
        run.add(SERVER, bodies.Rotate(key, signature))
        run.position = gone_over(run.position, run.last.seq, key)
        return run.batch()

    def propose_reveal(
        self, openings: Iterable[Opening], at_ms: int, *, last: bool
    ) -> Batch[S] | Refusal:
        """Open to everybody the next part of what was still hidden when the game ended. The caller
        reads it from the store (see `unsealing`): all of it, in order, with `last` set for the last
        part."""
        if self.position.stage != ENDED or self.position.whole:
            return refuse("", "refusal.nothing_to_reveal")
        salts = self._keys.salts
        run = Writing(self, at_ms)
        opened = [
            (item.seq, item.path, salt_of(salts, item.seq, item.path), item.value)
            for item in openings
        ]
        run.add(SERVER, bodies.Reveal(tuple(opened), last))
        run.position = replace(run.position, whole=last)
        return run.batch()

    def _command_refused(self, command: Submission) -> Refusal | None:
        """Why a command is not what its seat signed. Whether the seat is asked at all is checked by
        the door."""
        at, seat = self.position, command.seat
        who = read_by(command.by)
        if type(who) is ByOrders:
            is_due = self.standing_answer(seat) == (who, command.picks)
            return None if is_due else refuse("", "refusal.no_order", seat=seat)
        if at.opened(seat) != command.decision:
            return None
        if who is None:
            return refuse("", "refusal.unknown_key", seat=seat)
        assert type(who) is By
        after = max(command.decision, at.docket.corrected)
        refused = self._acting_refused(at.seat(seat), seat, who, after=after)
        if refused is not None:
            return refused
        if not 0 < len(command.id) <= COMMAND_ID_BYTES_MAX or len(command.blind) != BLIND_BYTES:
            return refuse("", "refusal.digest")
        digest = picks_digest(
            self.genesis.hash, seat, command.decision, command.id, command.blind, command.picks
        )
        return None if digest == command.digest else refuse("", "refusal.digest")
