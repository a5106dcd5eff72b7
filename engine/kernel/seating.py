"""Seats: taking one, its nonce for the dice, the keys that it signs with, and replacing its
player."""

from typing import TypeVar

from warledger.engine.kernel import door
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import ENDED, GATHERING, PLAYING
from warledger.engine.kernel.replay import (
    replaced,
    signed_by,
    taken,
    with_key,
    with_seat,
    without_key,
)
from warledger.engine.kernel.types import Seat
from warledger.engine.kernel.writing import BaseLedger, Batch, Writing
from warledger.protocol.board.choices import Refusal, refuse
from warledger.protocol.chance import dice
from warledger.protocol.limits import KEYS_OF_A_SEAT_MAX, NONCE_BYTES
from warledger.protocol.log import bodies, owed
from warledger.protocol.log.bodies import By
from warledger.protocol.log.records import SERVER
from warledger.protocol.seats.acts import NO_KEY, roster_hash

S = TypeVar("S")


class Seating(BaseLedger[S]):
    """The proposals that concern who holds a seat, and with which keys.

    The caller verifies the signature of an act (`Act.holds`) before it proposes anything;
    everything else about the act is checked here.
    """

    def propose_seat(
        self,
        seat: Seat,
        name: str,
        nonce_hash: bytes,
        at_ms: int,
        *,
        by: By,
        account: str = "",
        client: str = "",
    ) -> Batch[S] | Refusal:
        """Somebody takes an empty seat under a name and the id of their account, if any. They
        commit to a nonce for the dice, and to the key with which the seat signs."""
        entry = self.position.seat(seat)
        if entry is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage != GATHERING or entry.name:
            return refuse("", "refusal.seat_taken", seat=seat)
        if len(nonce_hash) != NONCE_BYTES:
            return refuse("", "refusal.nonce_form", bytes=NONCE_BYTES)
        refused = self._new_key_refused(seat, by.key) or self._seen_refused(by)
        if refused is not None:
            return refused
        run = Writing(self, at_ms)
        body = bodies.Taken(seat, account, name, nonce_hash, client, by)
        run.add(seat, body)
        run.position = taken(run.position, run.last.seq, body)
        return run.batch()

    def propose_device(
        self, seat: Seat, key: bytes, proof: bytes, at_ms: int, *, by: By
    ) -> Batch[S] | Refusal:
        """A seat declares a further key of its own. The caller checks that `proof` was
        made with the new key."""
        entry = self.position.seat(seat)
        refused = self._acting_refused(entry, seat, by)
        if refused is not None or entry is None:
            return refused or refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage == ENDED:
            return refuse("", "refusal.game_over")
        refused = self.timely(seat, at_ms)
        if refused is not None:
            return refused
        if by.key == NO_KEY or key == NO_KEY:
            return refuse("", "refusal.unsigned_seat", seat=seat)
        if len(entry.keys) >= KEYS_OF_A_SEAT_MAX:
            return refuse("", "refusal.too_many_keys", most=KEYS_OF_A_SEAT_MAX)
        refused = self._new_key_refused(seat, key)
        if refused is not None:
            return refused
        run = Writing(self, at_ms)
        run.add(seat, bodies.Device(seat, key, proof, by))
        run.position = with_key(run.position, run.last.seq, signed_by(entry, by), key)
        return run.batch()

    def propose_revocation(
        self, seat: Seat, key: bytes, at_ms: int, *, by: By
    ) -> Batch[S] | Refusal:
        """A seat declares that one of its keys is no longer in force. At least one always
        remains."""
        entry = self.position.seat(seat)
        refused = self._acting_refused(entry, seat, by)
        if refused is not None or entry is None:
            return refused or refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage == ENDED:
            return refuse("", "refusal.game_over")
        if entry.key(key) is None:
            return refuse("", "refusal.unknown_key", seat=seat)
        if len(entry.keys) == 1:
            return refuse("", "refusal.last_key")
        refused = self.timely(seat, at_ms)
        if refused is not None:
            return refused
        run = Writing(self, at_ms)
        run.add(seat, bodies.Revoked(seat, key, by))
        left = without_key(signed_by(entry, by), key)
        run.position = with_seat(run.position, run.last.seq, left)
        return run.batch()

    def propose_replacement(
        self,
        seat: Seat,
        name: str,
        at_ms: int,
        *,
        by: By,
        account: str = "",
        client: str = "",
        handed: By | None = None,
    ) -> Batch[S] | Refusal:
        """A host puts somebody else in a seat; the nonces stay. The newcomer signs, and `handed` is
        the consent of a key that the seat had; if there is none, the log records that
        permanently."""
        entry = self.position.seat(seat)
        if entry is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage == ENDED:
            return refuse("", "refusal.game_over")
        if not entry.name:
            return refuse("", "refusal.seat_empty", seat=seat)
        refused = self.timely("", at_ms)
        if refused is not None:
            return refused
        if self.position.stage != PLAYING:
            return refuse("", "refusal.not_started")
        if by.key == NO_KEY and entry.key(NO_KEY) is None:
            return refuse("", "refusal.key_needed", seat=seat)
        refused = (
            self._new_key_refused(seat, by.key)
            or self._number_refused(entry, by)
            or self._seen_refused(by)
        )
        if refused is None and handed is not None:
            refused = self._acting_refused(entry, seat, handed)
        if refused is not None:
            return refused
        run = Writing(self, at_ms)
        body = bodies.Replaced(seat, account, name, client, by, handed)
        run.add(seat, body)
        run.position = replaced(run.position, run.last.seq, body)
        return run.batch()

    def propose_nonce(
        self, seat: Seat, nonce: bytes, at_ms: int, *, by: By, roster: bytes
    ) -> Batch[S] | Refusal:
        """A seat reveals its nonce, once every seat has committed to one. The last nonce starts the
        game."""
        entry = self.position.seat(seat)
        if entry is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage != GATHERING or entry.nonce is not None:
            return refuse("", "refusal.nonce_known")
        if any(other.nonce_hash is None for other in self.position.seats):
            return refuse("", "refusal.nonce_early")
        hashed = dice.bound_nonce_hash(self.genesis.hash, seat, nonce)
        if len(nonce) != NONCE_BYTES or hashed != entry.nonce_hash:
            return refuse("", "refusal.nonce_differs")
        refused = self._acting_refused(entry, seat, by)
        if refused is None and roster != self.roster:
            refused = refuse("", "refusal.roster")
        if refused is not None:
            return refused
        entry = signed_by(entry, by)
        run = Writing(self, at_ms)
        run.add(seat, bodies.Nonce(seat, nonce, roster, by))
        run.position = with_seat(run.position, run.last.seq, replace(entry, nonce=nonce))
        if owed.begins([other.nonce for other in run.position.seats]):
            chance = self._chance_for(run.position)
            run.decided(door.begin(self.rules, self.codec, run.position, run.seq, chance), SERVER)
        return run.batch()

    @property
    def roster(self) -> bytes:
        """The hash of everything that the seats have committed to, once all are taken: the seats
        sign it with their nonces."""
        taken = (
            (entry.seat, entry.account, entry.name, entry.taken_key, entry.nonce_hash or b"")
            for entry in self.position.seats
        )
        return roster_hash(self.genesis.hash, taken)

    def _new_key_refused(self, seat: Seat, key: bytes) -> Refusal | None:
        """Why a key cannot become the seat's: it is in use, or no key is given although one is
        required."""
        if key == NO_KEY:
            return (
                None if self.genesis.unsigned_seats else refuse("", "refusal.key_needed", seat=seat)
            )
        known = (self.position.server_key, *(other for other, _ in self.position.shown_keys))
        return refuse("", "refusal.key_in_use") if key in known else None
