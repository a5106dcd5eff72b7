"""Who may sign for which seat as a log of format 2 goes on: every act checked as its record comes, from the records alone.

Whoever follows a game (a client, an auditor) gives each record in order to `Acting.take` and is told what is wrong with it. Whether a
record has the form of its kind, whether a command answers a question that was open, and whether the rules allow it, others check.
"""

from typing import Any, Final

from attrs import define, field

from protocol import acts, dice, records
from protocol.acts import KEYS_OF_A_SEAT_MAX, NO_KEY, Act, By, read_by, verify
from protocol.canon import Seal
from protocol.choices import Say, say
from protocol.limits import HASH_BYTES
from protocol.records import SERVER, Genesis, Record

Wrong = tuple[str, Say]
"""A part of the record in hand, and what is wrong with it."""

GATHERING, PLAYING, ENDED = "gathering", "playing", "ended"

RESIGNED: Final = "outcome.resigned"
DRAW_AGREED: Final = "outcome.draw_agreed"
EXPIRED: Final = "outcome.expired"
LAPSED: Final = "outcome.lapsed"
_NOT_BY_RULES: Final = frozenset((RESIGNED, DRAW_AGREED, EXPIRED, LAPSED))


@define
class Signer:
    """A key of a seat: the number of its newest act, the record that it had seen then, and the record at which it was put in force."""

    n: int
    seen: int
    since: int


@define
class Sitting:
    """What the log says of a seat.

    name         who sits there now
    taken        [name, key, nonce hash] of the record that took it: what roster and table code name
    keys         the keys in force, by key; NO_KEY alone for a seat that signs nothing
    handed_over  records at which somebody else took the seat whom no key of the seat had named
    """

    seat: str
    name: str = ""
    client: str = ""
    taken: tuple[str, bytes, bytes] | None = None
    taken_at: int = -1
    nonce: bytes | None = None
    keys: dict[bytes, Signer] = field(factory=dict)
    revoked: set[bytes] = field(factory=set)
    orders: int = 0
    replaced: list[int] = field(factory=list)
    handed_over: list[int] = field(factory=list)
    signed_up_to: int = -1
    """The newest record that a key of this seat has signed as seen."""

    @property
    def signs(self) -> bool:
        """Whether the seat signs what it does now."""
        return self.taken is not None and NO_KEY not in self.keys


@define
class Request:
    """An ask that stands."""

    seq: int
    seat: str
    what: str
    to: int
    consents: set[str] = field(factory=set)


class Acting:
    """The seats of one game of format 2 and their keys. `take` every record in order, the genesis first."""

    def __init__(self, genesis: Genesis) -> None:
        self.genesis = genesis
        self.seats: dict[str, Sitting] = {seat: Sitting(seat) for seat in genesis.seats}
        self.owners: dict[bytes, str] = {genesis.server_key: SERVER}
        """Whose every key is that was ever shown: a seat's, or the server's."""
        self.server_key = genesis.server_key
        self.rotations: list[tuple[int, bytes]] = []
        """Records at which the server's key changed, and the key from then on."""
        self.request: Request | None = None
        self.stage = GATHERING
        self._where: dict[bytes, int] = {}
        self._moved = 0
        self._cause: tuple[str | None, str, tuple[Any, ...]] | None = None
        self._must_end = False
        self._by_command = False
        self._ids: set[tuple[str, bytes]] = set()
        self._record: Record
        self._wrong: list[Wrong] = []

    # --- looking ------------------------------------------------------------------------------------------------------------------

    @property
    def roster(self) -> tuple[acts.Entry, ...]:
        """[seat, name, key, nonce hash] of the seats that are taken, in the order of the genesis."""
        return tuple((sitting.seat, *sitting.taken) for sitting in self.seats.values() if sitting.taken is not None)

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
        entries = tuple((seat, name, key) for seat, name, key, _ in self.roster)
        return acts.table_code(self.genesis.hash, entries, tuple(nonce for nonce in nonces if nonce is not None))

    @property
    def unsigned(self) -> tuple[str, ...]:
        """The seats that sign nothing now."""
        return tuple(seat for seat, sitting in self.seats.items() if sitting.taken is not None and not sitting.signs)

    def keys_from(self, seq: int) -> tuple[bytes, ...]:
        """The server's keys that may sign a head over a record: the one in force at it, and those that followed."""
        return (self.key_at(seq), *(key for since, key in self.rotations if since > seq))

    def key_at(self, seq: int) -> bytes:
        """The server's key that signs the head of a record."""
        key = self.genesis.server_key
        for since, rotated in self.rotations:
            if seq >= since:
                key = rotated
        return key

    def place(self, hash: bytes) -> int | None:
        """The record of this hash, if it has been taken."""
        return self._where.get(hash)

    # --- taking in ----------------------------------------------------------------------------------------------------------------

    def take(self, record: Record) -> list[Wrong]:
        """Check a record and go on from it; what is wrong with it, first things first.

        Raises CorruptLog, or TypeError, ValueError, LookupError, for a body that has not the form of its kind.
        """
        self._wrong, self._record = [], record
        if self._must_end and record.kind not in (records.OPEN, records.END):
            self._note("kind", say("acts.went_on"))
            self._must_end = False
        if record.kind != records.OPEN:
            by_command, self._by_command = self._by_command, False
            if record.kind == records.END:
                self._end(record, by_command)
        found = acts.acts_of(self.genesis.hash, record)
        handler = _KINDS.get(record.kind)
        if handler is not None:
            handler(self, record, found)
        self._where[record.hash] = record.seq
        return self._wrong

    def _note(self, where: str, what: Say) -> None:
        self._wrong.append((where, what))

    def _actor(self, expected: str) -> None:
        if self._record.actor != expected:
            self._note("actor", say("acts.actor", actor=self._record.actor, expected=expected))

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
        """The record in hand carries this signature. Here it is checked at once; who reads a whole file overrides this."""
        if not verify(key, message, signature):
            self._note(where, wrong)

    def _acted(self, act: Act, *, since: int = 0) -> int:
        """A key in force acts: its signature, its number, what it had seen. Returns the record seen (-1: none of this log).

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
        """A key is shown for the first time: it may be nobody's yet, neither a seat's nor the server's."""
        if key == NO_KEY:
            return
        owner = self.owners.get(key)
        if owner is not None:
            self._note("key", say("acts.key_of_other", seat=sitting.seat, owner=owner))
        self.owners.setdefault(key, sitting.seat)

    # --- kinds --------------------------------------------------------------------------------------------------------------------

    def _seat(self, record: Record, found: tuple[Act, ...]) -> None:
        _SEATS[record.body[0]](self, record, found)

    def _taken(self, record: Record, found: tuple[Act, ...]) -> None:
        _, seat, name, nonce_hash, client, _ = record.body
        self._actor(name)
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
        sitting.name, sitting.client, sitting.taken, sitting.taken_at = name, client, (name, act.key, nonce_hash), record.seq
        sitting.keys = {act.key: Signer(act.n, seen, record.seq)}
        if act.key != NO_KEY:
            sitting.signed_up_to = max(sitting.signed_up_to, seen)

    def _nonce(self, record: Record, found: tuple[Act, ...]) -> None:
        _, seat, nonce, roster, _ = record.body
        sitting = self._sitting(seat)
        if sitting is None or sitting.taken is None:
            return
        self._actor(sitting.name)
        if not self.all_taken:
            self._note("kind", say("acts.nonce_early", seat=seat))
        if sitting.nonce is not None:
            self._note("nonce", say("acts.nonce_twice", seat=seat))
        elif dice.bound_nonce_hash(self.genesis.hash, seat, nonce) != sitting.taken[2]:
            self._note("nonce", say("acts.nonce", seat=seat))
        if roster != self.roster_hash:
            self._note("roster", say("acts.roster", seat=seat))
        self._by_one(found, seat)
        sitting.nonce = nonce

    def _by_one(self, found: tuple[Act, ...], seat: str, *, since: int = 0) -> int:
        if not found:
            self._note("by", say("acts.nobody", seat=seat))
            return -1
        return self._acted(found[0], since=since)

    def _device(self, record: Record, found: tuple[Act, ...]) -> None:
        _, seat, key, proof, _ = record.body
        sitting = self._sitting(seat)
        if sitting is None:
            return
        self._actor(sitting.name)
        self._by_one(found, seat)
        if not sitting.signs:
            self._note("key", say("acts.key_for_unsigned", seat=seat))
            return
        signer = found[0].key if found else b""
        self._claim("proof", say("acts.proof", seat=seat), key, acts.device_bytes(self.genesis.hash, seat, key, signer), proof)
        self._new_key(sitting, key)
        if len(sitting.keys) >= KEYS_OF_A_SEAT_MAX:
            self._note("key", say("acts.too_many_keys", seat=seat, most=KEYS_OF_A_SEAT_MAX))
        sitting.keys[key] = Signer(0, -1, record.seq)

    def _revoked(self, record: Record, found: tuple[Act, ...]) -> None:
        _, seat, key, _ = record.body
        sitting = self._sitting(seat)
        if sitting is None:
            return
        self._actor(sitting.name)
        self._by_one(found, seat)
        if key not in sitting.keys or len(sitting.keys) < 2:
            self._note("key", say("acts.not_revocable", seat=seat))
            return
        del sitting.keys[key]
        sitting.revoked.add(key)

    def _replaced(self, record: Record, found: tuple[Act, ...]) -> None:
        _, seat, name, client, _, _ = record.body
        self._actor(name)
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
            sitting.handed_over.append(record.seq)
        sitting.revoked.update(key for key in sitting.keys if key != NO_KEY)
        sitting.keys = {new.key: Signer(new.n, seen, record.seq)}
        sitting.name, sitting.client, sitting.orders = name, client, 0
        sitting.replaced.append(record.seq)

    def _command(self, record: Record, found: tuple[Act, ...]) -> None:
        body = record.body
        decision, seat, command_id, digest = (
            body[records.DECISION],
            body[records.COMMAND_SEAT],
            body[records.COMMAND_ID],
            body[records.DIGEST],
        )
        by = read_by(body[records.BY])
        if self.stage == GATHERING:
            self._begin(record, by)
        elif type(by) is By:
            self._actor(seat)
            self._acted(found[0], since=decision)
            if type(digest) is not bytes or len(digest) != HASH_BYTES:
                self._note("digest", say("acts.digest_form"))
            if not command_id or (seat, command_id) in self._ids:
                self._note("command_id", say("acts.id_twice", seat=seat))
            self._ids.add((seat, command_id))
            if type(body[records.PICKS]) is not Seal:
                self._wrong += digest_of_picks(self.genesis.hash, record, body[records.PICKS])
        elif type(by) is int:
            self._actor(seat)
            sitting = self._sitting(seat)
            if sitting is not None and by != sitting.orders:
                self._note("by", say("acts.old_orders", seat=seat, orders=by, newest=sitting.orders))
            if command_id or digest:
                self._note("command_id", say("acts.orders_id"))
        else:
            self._note("by", say("acts.nobody", seat=seat))
        self.request = None
        self._moved = record.seq
        self._by_command = True

    def _begin(self, record: Record, by: By | int | None) -> None:
        self._actor(SERVER)
        self.stage = PLAYING
        if any(sitting.nonce is None for sitting in self.seats.values()):
            self._note("kind", say("acts.began_early"))
        body = record.body
        plain = (body[records.DECISION], body[records.COMMAND_SEAT], body[records.PICKS], body[records.COMMAND_ID], body[records.DIGEST])
        if by is not None or plain != (0, "", (("begin",), b""), b"", b""):
            self._note("picks", say("acts.begin"))

    def _ask(self, record: Record, found: tuple[Act, ...]) -> None:
        seat, what, to, _ = record.body
        self._actor(seat)
        self._asks(seat, found)
        if what == "resign":
            others = [other for other in self.seats if other != seat]
            self._cause = (others[0] if len(others) == 1 else None, RESIGNED, (("seat", seat),))
            self._must_end = True
            return
        if self.request is not None:
            self._note("kind", say("acts.asked_already"))
        self.request = Request(record.seq, seat, what, to)

    def _asks(self, seat: str, found: tuple[Act, ...]) -> None:
        """Whoever asks has seen the newest command: nobody is held to a request about a position that is gone."""
        if self.stage != PLAYING:
            self._note("kind", say("acts.asked_early"))
        self._by_one(found, seat, since=self._moved)

    def _answer(self, record: Record, found: tuple[Act, ...]) -> None:
        seat, consents, ask, _ = record.body
        self._actor(seat)
        request = self.request
        if request is None or request.seq != ask:
            self._note("ask", say("acts.not_the_ask", ask=ask))
            self._by_one(found, seat)
            return
        self._by_one(found, seat, since=ask)
        if seat == request.seat or seat in request.consents:
            self._note("seat", say("acts.own_request", seat=seat))
        if not consents:
            self.request = None
            return
        request.consents.add(seat)
        if request.what == "draw" and len(request.consents) == len(self.seats) - 1:
            self._cause, self._must_end = (None, DRAW_AGREED, ()), True

    def _takeback(self, record: Record, found: tuple[Act, ...]) -> None:
        seat, to, _, _, ask, by = record.body
        if ask == 0:
            self._actor(seat)
            self._asks(seat, found)
        else:
            self._actor(SERVER)
            request = self.request
            agreed = request is not None and (request.seq, request.seat, request.what, request.to) == (ask, seat, "takeback", to)
            if by != () or not agreed or request is None or len(request.consents) != len(self.seats) - 1:
                self._note("ask", say("acts.not_the_ask", ask=ask))
        self.request = None
        self._moved = record.seq

    def _orders(self, record: Record, found: tuple[Act, ...]) -> None:
        seat, sealed, digest, _ = record.body
        self._actor(seat)
        if self.stage != PLAYING:
            self._note("kind", say("acts.asked_early"))
        self._by_one(found, seat)
        if type(sealed) is not Seal or type(digest) is not bytes or len(digest) != HASH_BYTES:
            self._note("digest", say("acts.digest_form"))
        sitting = self.seats.get(seat)
        if sitting is not None:
            sitting.orders = record.seq

    def _rotate(self, record: Record, found: tuple[Act, ...]) -> None:
        key, signature = record.body
        self._actor(SERVER)
        owner = self.owners.get(key)
        if owner is not None:  # one that the server had left as well: a thief may have it
            self._note("key", say("acts.key_of_other", seat=SERVER, owner=owner))
        old = self.server_key
        self._claim("signature", say("acts.rotation"), old, acts.rotate_bytes(self.genesis.hash, old, key), signature)
        self.owners.setdefault(key, SERVER)
        self.server_key = key
        self.rotations.append((record.seq, key))

    def _end(self, record: Record, by_command: bool) -> None:
        winner, key, args = record.body[:3]
        self._actor(SERVER)
        if self.stage == GATHERING:
            missing = tuple(seat for seat, sitting in self.seats.items() if sitting.nonce is None)
            expected = (None, LAPSED, (("seats", missing),)) if self.all_taken else (None, EXPIRED, ())
            # With every nonce known the game begins; whoever lets it lapse then has seen the dice and lies.
            if (winner, key, args) != expected or not missing:
                self._note("reason", say("acts.no_cause"))
        elif self._must_end:
            if (winner, key, args) != self._cause:
                self._note("reason", say("acts.other_cause"))
        elif not by_command or key in _NOT_BY_RULES:
            self._note("reason", say("acts.no_cause"))
        self._must_end = False
        self.stage = ENDED


_KINDS: dict[str, Any] = {
    records.SEAT: Acting._seat,
    records.COMMAND: Acting._command,
    records.ASK: Acting._ask,
    records.ANSWER: Acting._answer,
    records.TAKEBACK: Acting._takeback,
    records.ORDERS: Acting._orders,
    records.ROTATE: Acting._rotate,
}
_SEATS: dict[str, Any] = {
    acts.TAKEN: Acting._taken,
    acts.NONCE: Acting._nonce,
    acts.DEVICE: Acting._device,
    acts.REVOKED: Acting._revoked,
    acts.REPLACED: Acting._replaced,
}


# --- what can be checked once it is open ------------------------------------------------------------------------------------------


def digest_of_picks(genesis: bytes, record: Record, opened: Any) -> list[Wrong]:
    """Whether a command's digest stands for its picks: `opened` is [picks, blind], open in the record or from the opening of its seal.

    A command by standing orders has no digest, and its blind is empty.
    """
    body = record.body
    if type(opened) is not tuple or len(opened) != 2 or type(opened[0]) is not tuple or type(opened[1]) is not bytes:
        return [("picks", say("acts.picks_form"))]
    picks, blind = opened
    seat, digest = body[records.COMMAND_SEAT], body[records.DIGEST]
    if len(blind) != (acts.BLIND_BYTES if digest else 0):
        return [("picks", say("acts.picks_form"))]
    if not digest:
        return []
    if acts.picks_digest(genesis, seat, body[records.DECISION], body[records.COMMAND_ID], blind, picks) != digest:
        return [("picks", say("acts.other_picks", seat=seat))]
    return []


def digest_of_orders(genesis: bytes, record: Record, opened: Any) -> list[Wrong]:
    """The same for a seat's standing orders: `opened` is [orders, blind]."""
    seat, _, digest, _ = record.body
    if type(opened) is not tuple or len(opened) != 2 or type(opened[0]) is not tuple or type(opened[1]) is not bytes:
        return [("orders", say("acts.picks_form"))]
    if len(opened[1]) != acts.BLIND_BYTES:
        return [("orders", say("acts.picks_form"))]
    if acts.orders_digest(genesis, seat, opened[1], opened[0]) != digest:
        return [("orders", say("acts.other_picks", seat=seat))]
    return []


def order_holds(orders: Any, picks: Any, *, turn_over: bool) -> bool:
    """Whether standing orders [[prompt's key, picks, until] …] hold these picks; `turn_over`: a turn has ended since they were given."""
    return any(tuple(given) == tuple(picks) and not (until == "turn" and turn_over) for _, given, until in orders)


__all__ = [
    "ENDED",
    "GATHERING",
    "PLAYING",
    "Acting",
    "Request",
    "Signer",
    "Sitting",
    "Wrong",
    "digest_of_orders",
    "digest_of_picks",
    "order_holds",
]
