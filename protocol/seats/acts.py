"""What a seat signs: acts, and the digests that represent picks and orders until they are opened.

An act is the array [genesis hash, key, seat, kind, n, seen, body]. Its seat signs ACT_TAG followed
by its canonical bytes with an Ed25519 key made for this seat of this genesis alone. `n` rises
strictly with each act of a key. `seen` is the hash of the newest record that the key's holder had
verified. It never goes back. An act therefore signs the whole history up to `seen` as well.

    kind       body                              is in the log as
    taken      [account, name, nonce hash,       seat ["taken", …]
               client]
    nonce      [nonce, roster hash]              seat ["nonce", …]
    command    [decision, command id, digest]    command
    ask        [what, record or 0]               ask, or a takeback that needs nobody's consent
    answer     [record of the ask, consents]     answer
    orders     [digest]                          orders
    device     [key]                             seat ["device", …]: a further key of the same seat
    revoked    [key]                             seat ["revoked", …]
    replaced   [account, name, client]           seat ["replaced", …], by the new key
    handed     [name, key]                       the same record, by a key that the seat had
    clock      all of the record's body but `by`   clock ["resume" | "leave" | "night" | "credit" …]
    ruling     all of the record's body but `by`   ruling ["claim" | "said" | "appeal" …]

A record of an act ends with (a command: has in its fifth place) `by`: [key, n, seen, signature]. A
seat that signs nothing, where the genesis allows it, has the empty key and the empty signature. A
command that the server gave by a seat's standing answers has [record of the orders, place of the
entry, place of the alternative] there. What nobody of a seat did has [].
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Final

from attrs import frozen
from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey

from warledger.protocol import canon
from warledger.protocol.limits import KEY_BYTES, SIGNATURE_BYTES
from warledger.protocol.log import bodies, records
from warledger.protocol.log.bodies import By
from warledger.protocol.log.deskbodies import Told
from warledger.protocol.log.records import CorruptLog, Record

ACT_TAG: Final = b"warledger/act/2"
PICKS_TAG: Final = b"warledger/picks/2"
ORDERS_TAG: Final = b"warledger/orders/2"
ROSTER_TAG: Final = b"warledger/roster/2"
TABLE_TAG: Final = b"warledger/table/2"
KEY_CODE_TAG: Final = b"warledger/key-code/2"
DEVICE_TAG: Final = b"warledger/device/2"
WITNESS_TAG: Final = b"warledger/witness/2"
ROTATE_TAG: Final = b"warledger/rotate/2"
REFUSAL_TAG: Final = b"warledger/refusal/2"

TAKEN, NONCE, DEVICE, REVOKED, REPLACED = (
    bodies.TAKEN,
    bodies.NONCE,
    bodies.DEVICE,
    bodies.REVOKED,
    bodies.REPLACED,
)
COMMAND, ASK, ANSWER, ORDERS, HANDED = "command", "ask", "answer", "orders", "handed"
CLOCK, RULING = records.CLOCK, records.RULING
ACT_KINDS: Final = (
    TAKEN,
    NONCE,
    COMMAND,
    ASK,
    ANSWER,
    ORDERS,
    DEVICE,
    REVOKED,
    REPLACED,
    HANDED,
    CLOCK,
    RULING,
)
"""Kinds of acts that a server takes."""

NO_KEY: Final = b""
"""The key of a seat that signs nothing."""

BLIND_BYTES: Final = 32
BLIND_DRAWN_BYTES: Final = 16
"""How much of a command's blind our clients draw. They write it twice: that is as hard to guess,
and compressed it takes half of the bytes."""
COMMAND_ID_DRAWN_BYTES: Final = 8
"""The length of our clients' command ids, which no other id of the same seat may equal."""


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature of the message is the key's, by libsodium's rule: the key and R are
    canonical and of no small order, S is below the group's order, and the equation without cofactor
    holds."""
    if len(key) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    try:
        crypto_sign_open(signature + message, key)
    except (BadSignatureError, ValueError, TypeError):
        return False
    return True


@frozen(slots=False)
class Act:
    """One act with its signature (empty where the key is)."""

    genesis: bytes
    key: bytes
    seat: str
    kind: str
    n: int
    seen: bytes
    body: tuple[Any, ...]
    signature: bytes

    @property
    def signed(self) -> bytes:
        """The bytes that the signature covers."""
        return signed_bytes(
            self.genesis, self.key, self.seat, self.kind, self.n, self.seen, self.body
        )

    @property
    def hash(self) -> bytes:
        """Identifies the act in a refusal: the SHA-256 of the bytes that its signature covers."""
        return hashlib.sha256(self.signed).digest()

    @property
    def by(self) -> By:
        """The part of the act that a record shows."""
        return By(self.key, self.n, self.seen, self.signature)

    @property
    def holds(self) -> bool:
        """Whether the signature is the key's; an act without a key is valid if it carries no
        signature."""
        return (
            not self.signature
            if self.key == NO_KEY
            else verify(self.key, self.signed, self.signature)
        )


def signed_bytes(
    genesis: bytes, key: bytes, seat: str, kind: str, n: int, seen: bytes, body: tuple[Any, ...]
) -> bytes:
    """What the signature of an act covers."""
    return ACT_TAG + canon.pack((genesis, key, seat, kind, n, seen, body))


class Hand:
    """A seat's key in use. `sign` numbers its acts one after the other.

    `key` is None for a seat that signs nothing; `n` the number of the newest act already signed.
    """

    def __init__(self, genesis: bytes, seat: str, key: SigningKey | None, n: int = 0) -> None:
        self.genesis = genesis
        self.seat = seat
        self.public: bytes = NO_KEY if key is None else key.verify_key.encode()
        self.n = n
        self._key = key

    def sign(self, kind: str, seen: bytes, body: tuple[Any, ...]) -> Act:
        """The next act of this key."""
        self.n += 1
        message = signed_bytes(self.genesis, self.public, self.seat, kind, self.n, seen, body)
        signature = b"" if self._key is None else self._key.sign(message).signature
        return Act(self.genesis, self.public, self.seat, kind, self.n, seen, body, signature)

    def prove(self, signer: bytes) -> bytes:
        """The signature by which the holder of this key agrees that `signer` declares it as a
        further key of the seat."""
        assert self._key is not None, "a seat that signs nothing has no further keys"
        return self._key.sign(device_bytes(self.genesis, self.seat, self.public, signer)).signature

    def witness(self, seq: int, hash: bytes) -> bytes:
        """The signature by which this key's holder states that they have verified the game to its
        last record."""
        assert self._key is not None, "a seat that signs nothing witnesses nothing"
        return self._key.sign(witness_bytes(self.genesis, seq, hash)).signature


def picks_digest(
    genesis: bytes, seat: str, decision: int, command_id: bytes, blind: bytes, picks: Sequence[Any]
) -> bytes:
    """What represents the picks in a command, so that its signature can be checked whether they are
    open or sealed."""
    return hashlib.sha256(
        PICKS_TAG + canon.pack((genesis, seat, decision, command_id, blind, tuple(picks)))
    ).digest()


def orders_digest(genesis: bytes, seat: str, blind: bytes, orders: Sequence[Any]) -> bytes:
    """What represents a whole set of standing answers (`warledger.protocol.seats.standing`)."""
    return hashlib.sha256(ORDERS_TAG + canon.pack((genesis, seat, blind, tuple(orders)))).digest()


Entry = tuple[str, str, str, bytes, bytes]
"""A seat, the account and the name of the player who took it, their key, and their nonce's
hash."""


def roster_hash(genesis: bytes, entries: Iterable[Entry]) -> bytes:
    """What each seat signs when it reveals its nonce: everything that the seats committed to, in
    the order of the genesis."""
    return hashlib.sha256(ROSTER_TAG + canon.pack((genesis, tuple(entries)))).digest()


def table_code(
    genesis: bytes, entries: Iterable[tuple[str, str, str, bytes]], nonces: Iterable[bytes]
) -> str:
    """The code of a table, for its players to compare over a channel other than the server: it
    depends on who has which seat, with which key, and on the nonces.

    The first 60 bits of a SHA-256, as twelve characters of Crockford's base 32: "7QK2-M0XD-9TZB".
    """
    return _code(TABLE_TAG + canon.pack((genesis, tuple(entries), tuple(nonces))))


def key_code(genesis: bytes, seat: str, key: bytes) -> str:
    """The code of a key, in the same form, for the holder of two devices to compare before one
    signs for the other."""
    return _code(KEY_CODE_TAG + canon.pack((genesis, seat, key)))


def _code(data: bytes) -> str:
    digest = hashlib.sha256(data).digest()
    number = int.from_bytes(digest[:8], "big") >> 4
    letters = "".join(_CROCKFORD[number >> 5 * place & 31] for place in range(11, -1, -1))
    return "-".join((letters[:4], letters[4:8], letters[8:]))


_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def device_bytes(genesis: bytes, seat: str, key: bytes, signer: bytes) -> bytes:
    """What a further key of a seat signs, so that nobody declares a key that is not theirs."""
    return DEVICE_TAG + canon.pack((genesis, seat, key, signer))


def witness_bytes(genesis: bytes, seq: int, hash: bytes) -> bytes:
    """What a seat signs once it has verified the whole game: its last record."""
    return WITNESS_TAG + canon.pack((genesis, seq, hash))


def rotate_bytes(genesis: bytes, old: bytes, new: bytes) -> bytes:
    """What the server's old key signs when a game switches to a new one."""
    return ROTATE_TAG + canon.pack((genesis, old, new))


def refusal_bytes(act: bytes, seq: int, head: bytes) -> bytes:
    """What the server signs when it refuses an act (by its hash): that the act is not in the log up
    to record `seq`, whose hash is `head`, and never will be."""
    return REFUSAL_TAG + canon.pack((act, seq, head))


# --- acts in records ------------------------------------------------------------------------------


def acts_of(genesis: bytes, record: Record) -> tuple[Act, ...]:
    """The acts that a record shows, in order: none for what no seat did, two for a seat
    that was handed over.

    Raises CorruptLog when its body is not of its kind. The signatures are not checked.
    """
    if record.kind not in _SHOW_ACTS:
        return ()
    try:
        return acts_in(genesis, bodies.read(record), record.actor)
    except (ValueError, TypeError, IndexError) as error:
        raise CorruptLog(record.seq, "by", str(error)) from error


def acts_in(genesis: bytes, body: bodies.Body, actor: records.Actor) -> tuple[Act, ...]:
    """The acts in the body of a record, given its actor too. Raises ValueError if its `by` is
    malformed."""
    kind: str
    signed: tuple[Any, ...]
    if isinstance(body, Told):
        if body.acted is None:
            return ()
        body.acted.check()
        if not isinstance(actor, str):
            raise ValueError("an arbiter signs nothing")
        return (_act(genesis, actor, body.KIND, body.acted, body.signed),)
    if not isinstance(body, bodies.SeatBody) or not isinstance(body.by, By):
        return ()
    body.by.check()
    match body:
        case bodies.CommandBody():
            kind, signed = COMMAND, (body.decision, body.id, body.digest)
        case bodies.Ask():
            kind, signed = ASK, (body.what, body.to)
        case bodies.Answer():
            kind, signed = ANSWER, (body.ask, body.consents)
        case bodies.Takeback():
            kind, signed = ASK, (bodies.TAKEBACK, body.to)
        case bodies.Orders():
            kind, signed = ORDERS, (body.digest,)
        case bodies.Taken():
            kind, signed = TAKEN, (body.account, body.name, body.nonce_hash, body.client)
        case bodies.Nonce():
            kind, signed = NONCE, (body.nonce, body.roster)
        case bodies.Device():
            kind, signed = DEVICE, (body.key,)
        case bodies.Revoked():
            kind, signed = REVOKED, (body.key,)
        case bodies.Replaced():
            kind, signed = REPLACED, (body.account, body.name, body.client)
    act = _act(genesis, body.seat, kind, body.by, signed)
    if isinstance(body, bodies.Replaced) and body.handed is not None:
        body.handed.check()
        handed = (body.name, body.by.key)
        return (act, _act(genesis, body.seat, HANDED, body.handed, handed))
    return (act,)


def _act(genesis: bytes, seat: str, kind: str, by: By, body: tuple[Any, ...]) -> Act:
    return Act(genesis, by.key, seat, kind, by.n, by.seen, body, by.signature)


_SHOW_ACTS: Final = frozenset(
    (
        records.SEAT,
        records.COMMAND,
        records.ASK,
        records.ANSWER,
        records.TAKEBACK,
        records.ORDERS,
        records.CLOCK,
        records.RULING,
    )
)
