"""Who sits in which seat of a game, with which keys: what the records from `taken` to `rotate` say,
each checked as it arrives.

`Acting` (acting.py) goes on from here with what the seats do.
"""

from typing import Final

from attrs import define, field

from warledger.protocol.board.choices import Say, say
from warledger.protocol.chance import dice
from warledger.protocol.limits import KEYS_OF_A_SEAT_MAX
from warledger.protocol.log import bodies
from warledger.protocol.log.chain import keys_from
from warledger.protocol.log.records import SERVER, Genesis, Record, called, is_person
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import NO_KEY, Act, verify

Wrong = tuple[str, Say]
"""A part of the record in hand, and what is wrong with it."""

GATHERING: Final = "gathering"
PLAYING: Final = "playing"
ENDED: Final = "ended"


@define
class Signer:
    """A key of a seat: the number of its newest act, the record that it had seen then, and the
    record at which it came into force."""

    n: int
    seen: int
    since: int


@define
class Sitting:
    """What the log says about a seat.

    account      the id of the account of who sits there now, "" for none
    name         what they are called
    taken        [account, name, key, nonce hash] of the record that took it: what roster and table
                 code name
    keys         the keys in force, by key; NO_KEY alone for a seat that signs nothing
    orders       the record of its newest standing answers, or 0
    turn_over    whether a turn has ended since those
    handed_over  records at which somebody else took the seat whom no key of the seat had named
    """

    seat: str
    account: str = ""
    name: str = ""
    client: str = ""
    taken: tuple[str, str, bytes, bytes] | None = None
    taken_at: int = -1
    nonce: bytes | None = None
    keys: dict[bytes, Signer] = field(factory=dict)
    revoked: set[bytes] = field(factory=set)
    orders: int = 0
    turn_over: bool = False
    replaced: list[int] = field(factory=list)
    handed_over: list[int] = field(factory=list)
    signed_up_to: int = -1
    """The newest record that a key of this seat has signed as seen."""

    @property
    def signs(self) -> bool:
        """Whether the seat signs what it does now."""
        return self.taken is not None and NO_KEY not in self.keys


class Seating:
    """The seats of one game, the server and their keys, as the records so far leave
    them."""

    def __init__(self, genesis: Genesis) -> None:
        self.genesis = genesis
        self.seats: dict[str, Sitting] = {seat: Sitting(seat) for seat in genesis.seats}
        self.owners: dict[bytes, str] = {genesis.server_key: SERVER}
        """The owner of every key that was ever introduced: a seat, or the server."""
        self.server_key = genesis.server_key
        self.rotations: list[tuple[int, bytes]] = []
        """Records at which the server's key changed, and the key from then on."""
        self.stage: str = GATHERING
        self._where: dict[bytes, int] = {}
        self._record: Record
        self._wrong: list[Wrong] = []

    # --- looking ----------------------------------------------------------------------------------

    @property
    def roster(self) -> tuple[acts.Entry, ...]:
        """[seat, account, name, key, nonce hash] of the seats that are taken, in the order of the
        genesis."""
        return tuple(
            (sitting.seat, *sitting.taken)
            for sitting in self.seats.values()
            if sitting.taken is not None
        )

    @property
    def all_taken(self) -> bool:
        """Whether every seat is taken."""
        return all(sitting.taken is not None for sitting in self.seats.values())

    @property
    def roster_hash(self) -> bytes:
        """What every nonce must carry."""
        return acts.roster_hash(self.genesis.hash, self.roster)

    @property
    def table_code(self) -> str:
        """The code for the players to compare; "" while a nonce is missing."""
        nonces = [sitting.nonce for sitting in self.seats.values()]
        if None in nonces or not self.all_taken:
            return ""
        entries = tuple((seat, account, name, key) for seat, account, name, key, _ in self.roster)
        return acts.table_code(
            self.genesis.hash, entries, tuple(nonce for nonce in nonces if nonce is not None)
        )

    @property
    def unsigned(self) -> tuple[str, ...]:
        """The seats that sign nothing now."""
        return tuple(
            seat
            for seat, sitting in self.seats.items()
            if sitting.taken is not None and not sitting.signs
        )

    def keys_from(self, seq: int) -> tuple[bytes, ...]:
        """The server's keys that may sign a head over a record: the one in force at it, and those
        that followed."""
        return keys_from(self._server_keys, seq)

    def key_at(self, seq: int) -> bytes:
        """The server's key that signs the head of a record."""
        return keys_from(self._server_keys, seq)[0]

    @property
    def _server_keys(self) -> tuple[tuple[int, bytes], ...]:
        return ((0, self.genesis.server_key), *self.rotations)

    def place(self, hash: bytes) -> int | None:
        """The record of this hash, if it has been taken."""
        return self._where.get(hash)

    # --- one act of a seat ------------------------------------------------------------------------

    def _note(self, where: str, what: Say) -> None:
        self._wrong.append((where, what))

    def _actor(self, expected: str) -> None:
        if self._record.actor != expected:
            actor = called(self._record.actor)
            self._note("actor", say("acts.actor", actor=actor, expected=expected))

    def _who(self, body: bodies.Taken | bodies.Replaced) -> None:
        """Who sits down: the id of an account or none, and a name."""
        if not is_person((body.account, body.name), known=False):
            self._note("name", say("acts.who", seat=body.seat))

    def _sitting(self, seat: str) -> Sitting | None:
        sitting = self.seats.get(seat)
        if sitting is None:
            self._note("seat", say("acts.no_seat", seat=seat))
        elif sitting.taken is None:
            self._note("seat", say("acts.seat_empty", seat=seat))
            return None
        return sitting

    def _signed(self, act: Act) -> None:
        wrong = say("acts.signature", seat=act.seat, act=f"acts.kind.{act.kind}")
        if act.key == NO_KEY:
            if act.signature:
                self._note("by", wrong)
        else:
            self._claim("by", wrong, act.key, act.signed, act.signature)

    def _claim(self, where: str, wrong: Say, key: bytes, message: bytes, signature: bytes) -> None:
        """The current record carries this signature. It is checked at once here; a reader of whole
        files overrides this method."""
        if not verify(key, message, signature):
            self._note(where, wrong)

    def _acted(self, act: Act, *, since: int = 0) -> int:
        """A key in force acts: its signature, its number, what it had seen. Returns the record seen
        (-1: none of this log).

        `since` is the oldest record that may be the newest seen.
        """
        sitting = self._sitting(act.seat)
        if sitting is None:
            return -1
        signer = sitting.keys.get(act.key)
        if signer is None:
            if act.key == NO_KEY:
                self._note("by", say("acts.unsigned", seat=act.seat))
            elif act.key in sitting.revoked:
                self._note("by", say("acts.revoked", seat=act.seat))
            else:
                self._note("by", say("acts.unknown_key", seat=act.seat))
            return -1
        self._signed(act)
        seen = self._seen(act, since)
        if act.n <= signer.n:
            self._note("by", say("acts.number", seat=act.seat, n=act.n, last=signer.n))
        if 0 <= seen < signer.seen:
            self._note("by", say("acts.seen_back", seat=act.seat, seen=seen, last=signer.seen))
        signer.n, signer.seen = max(signer.n, act.n), max(signer.seen, seen)
        if act.key != NO_KEY:
            sitting.signed_up_to = max(sitting.signed_up_to, seen)
        return seen

    def _seen(self, act: Act, since: int) -> int:
        seen = self._where.get(act.seen, -1)
        if seen < 0:
            self._note("by", say("acts.seen", seat=act.seat))
        elif seen < since:
            self._note("by", say("acts.seen_early", seat=act.seat, seen=seen, since=since))
        return seen

    def _new_key(self, sitting: Sitting, key: bytes) -> None:
        """A key is introduced: it must not be in use already, by a seat or by the server."""
        if key == NO_KEY:
            return
        owner = self.owners.get(key)
        if owner is not None:
            self._note("key", say("acts.key_of_other", seat=sitting.seat, owner=owner))
        self.owners.setdefault(key, sitting.seat)

    def _by_one(self, found: tuple[Act, ...], seat: str, *, since: int = 0) -> int:
        if not found:
            self._note("by", say("acts.nobody", seat=seat))
            return -1
        return self._acted(found[0], since=since)

    # --- kinds ------------------------------------------------------------------------------------

    def _taken(self, body: bodies.Taken, found: tuple[Act, ...]) -> None:
        seat = body.seat
        self._actor(seat)
        self._who(body)
        sitting = self.seats.get(seat)
        if sitting is None:
            self._note("seat", say("acts.no_seat", seat=seat))
            return
        if sitting.taken is not None:
            self._note("seat", say("acts.seat_twice", seat=seat))
            return
        if not found:
            self._note("by", say("acts.nobody", seat=seat))
            return
        (act,) = found
        if act.key == NO_KEY and not self.genesis.unsigned_seats:
            self._note("by", say("acts.unsigned", seat=seat))
        self._new_key(sitting, act.key)
        self._signed(act)
        seen = self._seen(act, 0)
        sitting.account, sitting.name, sitting.client = body.account, body.name, body.client
        sitting.taken = (body.account, body.name, act.key, body.nonce_hash)
        sitting.taken_at = self._record.seq
        sitting.keys = {act.key: Signer(act.n, seen, self._record.seq)}
        if act.key != NO_KEY:
            sitting.signed_up_to = max(sitting.signed_up_to, seen)

    def _nonce(self, body: bodies.Nonce, found: tuple[Act, ...]) -> None:
        seat, nonce = body.seat, body.nonce
        sitting = self._sitting(seat)
        if sitting is None or sitting.taken is None:
            return
        self._actor(seat)
        if not self.all_taken:
            self._note("kind", say("acts.nonce_early", seat=seat))
        if sitting.nonce is not None:
            self._note("nonce", say("acts.nonce_twice", seat=seat))
        elif dice.bound_nonce_hash(self.genesis.hash, seat, nonce) != sitting.taken[3]:
            self._note("nonce", say("acts.nonce", seat=seat))
        if body.roster != self.roster_hash:
            self._note("roster", say("acts.roster", seat=seat))
        self._by_one(found, seat)
        sitting.nonce = nonce

    def _device(self, body: bodies.Device, found: tuple[Act, ...]) -> None:
        seat, key = body.seat, body.key
        sitting = self._sitting(seat)
        if sitting is None:
            return
        self._actor(seat)
        self._by_one(found, seat)
        if not sitting.signs:
            self._note("key", say("acts.key_for_unsigned", seat=seat))
            return
        signer = found[0].key if found else b""
        self._claim(
            "proof",
            say("acts.proof", seat=seat),
            key,
            acts.device_bytes(self.genesis.hash, seat, key, signer),
            body.proof,
        )
        self._new_key(sitting, key)
        if len(sitting.keys) >= KEYS_OF_A_SEAT_MAX:
            self._note("key", say("acts.too_many_keys", seat=seat, most=KEYS_OF_A_SEAT_MAX))
        sitting.keys[key] = Signer(0, -1, self._record.seq)

    def _revoked(self, body: bodies.Revoked, found: tuple[Act, ...]) -> None:
        seat, key = body.seat, body.key
        sitting = self._sitting(seat)
        if sitting is None:
            return
        self._actor(seat)
        self._by_one(found, seat)
        if key not in sitting.keys or len(sitting.keys) < 2:
            self._note("key", say("acts.not_revocable", seat=seat))
            return
        del sitting.keys[key]
        sitting.revoked.add(key)

    def _replaced(self, body: bodies.Replaced, found: tuple[Act, ...]) -> None:
        seat, seq = body.seat, self._record.seq
        self._actor(seat)
        self._who(body)
        sitting = self._sitting(seat)
        if sitting is None:
            return
        if self.stage != PLAYING:
            self._note("kind", say("acts.replaced_early", seat=seat))
        if not found or found[0].kind != acts.REPLACED:
            self._note("by", say("acts.nobody", seat=seat))
            return
        new, *handed = found
        if new.key == NO_KEY and sitting.signs:
            self._note("by", say("acts.unsigned", seat=seat))
        self._new_key(sitting, new.key)
        self._signed(new)
        seen = self._seen(new, 0)
        if handed:
            self._acted(handed[0])
        elif sitting.signs:
            sitting.handed_over.append(seq)
        sitting.revoked.update(key for key in sitting.keys if key != NO_KEY)
        sitting.keys = {new.key: Signer(new.n, seen, seq)}
        sitting.account, sitting.name, sitting.client = body.account, body.name, body.client
        sitting.orders = 0
        sitting.replaced.append(seq)

    def _rotate(self, body: bodies.Rotate, found: tuple[Act, ...]) -> None:
        key = body.key
        self._actor(SERVER)
        owner = self.owners.get(key)
        if owner is not None:  # nor a former key of the server: a thief may have it
            self._note("key", say("acts.key_of_other", seat=SERVER, owner=owner))
        old = self.server_key
        self._claim(
            "signature",
            say("acts.rotation"),
            old,
            acts.rotate_bytes(self.genesis.hash, old, key),
            body.signature,
        )
        self.owners.setdefault(key, SERVER)
        self.server_key = key
        self.rotations.append((self._record.seq, key))
