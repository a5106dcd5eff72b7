"""Hashing, verifying a run of records, and signed heads.

A head is the hash of a game's last record, signed with the server's Ed25519 key: anybody who keeps
one can show that a later file was rewritten. The signed bytes are HEAD_TAG followed by the
canonical array [game, seq, hash].
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NoReturn

from attrs import frozen
from nacl.bindings import crypto_sign, crypto_sign_BYTES, crypto_sign_seed_keypair
from nacl.signing import SigningKey

from warledger.protocol import canon
from warledger.protocol.limits import HASH_BYTES
from warledger.protocol.log.records import KINDS, NO_HASH, CorruptLog, Record, read
from warledger.protocol.seats.acts import verify

HEAD_TAG = b"warledger/head/1"
SIGNATURE_BYTES = crypto_sign_BYTES


@frozen(slots=False)
class Head:
    """A signed statement of what a game's log contained at a certain point."""

    game: str
    seq: int
    hash: bytes
    signature: bytes

    def as_array(self) -> tuple[str, int, bytes, bytes]:
        """[game, seq, hash, signature]."""
        return (self.game, self.seq, self.hash, self.signature)


def signed_bytes(game: str, seq: int, hash: bytes) -> bytes:
    """What a head's signature covers."""
    return HEAD_TAG + canon.pack((game, seq, hash))


def sign_head(key: SigningKey, game: str, seq: int, hash: bytes) -> Head:
    """Sign the hash of a game's record."""
    return Head(game, seq, hash, key.sign(signed_bytes(game, seq, hash)).signature)


class HeadSigner:
    """`sign_head` for repeated use with one key: it avoids the copies of message and signature that
    SigningKey makes."""

    def __init__(self, key: SigningKey) -> None:
        self.public: bytes = key.verify_key.encode()
        _, self._secret = crypto_sign_seed_keypair(key.encode())

    def sign(self, game: str, seq: int, hash: bytes) -> Head:
        """Sign the hash of a game's record."""
        return Head(game, seq, hash, self.signature(signed_bytes(game, seq, hash)))

    def signature(self, message: bytes) -> bytes:
        """The key's signature of anything else that a server signs: a refusal, its next key."""
        signature: bytes = crypto_sign(message, self._secret)[:SIGNATURE_BYTES]
        return signature


def _signs_nothing(*_: object) -> NoReturn:
    raise RuntimeError("there is no key here")


class Signer:
    """The keys of a server, of which one signs heads: `head(game, seq, hash)` is the signed head of
    a game's record.

    `older` are keys that the server had before: they sign for games that began with them and have
    not gone over to the new one. `to_come` are keys that other nodes of a fleet may use already:
    they sign for games that went over to them there.
    """

    def __init__(
        self,
        key: SigningKey,
        older: Sequence[SigningKey] = (),
        to_come: Sequence[SigningKey] = (),
    ) -> None:
        signer = HeadSigner(key)
        self.public: bytes = signer.public
        self.head: Callable[[str, int, bytes], Head] = signer.sign
        self.signature: Callable[[bytes], bytes] = signer.signature
        known = (*map(HeadSigner, (*older, *to_come)), signer)
        self._all = {one.public: one for one in known}
        self._to_come = {one.verify_key.encode() for one in to_come}

    @classmethod
    def of_nobody(cls, public: bytes) -> "Signer":
        """Has somebody else's public key, and signs nothing."""
        made = cls.__new__(cls)
        made.public, made._all, made._to_come = public, {}, set()
        made.head = made.signature = _signs_nothing
        return made

    def replaces(self, public: bytes) -> bool:
        """Whether a game that this key signs goes over to the server's: a newer one is not taken
        back."""
        return public != self.public and public not in self._to_come

    def of(self, public: bytes) -> HeadSigner | None:
        """What signs with this key, or None if the server does not have it."""
        return self._all.get(public)


def read_head(payload: bytes) -> Head:
    """A head from the canonical array that files hold. Raises NotCanonical for anything else."""
    match canon.unpack(payload):
        case (str(game), int(seq), bytes(hash), bytes(signature)) if (
            type(seq) is int
            and seq >= 0
            and len(hash) == HASH_BYTES
            and len(signature) == SIGNATURE_BYTES
        ):
            return Head(game, seq, hash, signature)
    raise canon.NotCanonical("a head is [game, seq, hash, signature]")


def head_is_signed_by(key: bytes, head: Head) -> bool:
    """Whether the head carries a valid signature by this public key (32 raw bytes)."""
    return verify(key, signed_bytes(head.game, head.seq, head.hash), head.signature)


def keys_from(keys: Sequence[tuple[int, bytes]], seq: int) -> tuple[bytes, ...]:
    """The keys that may sign a head over a record: the one in force at it, and those that followed,
    since a server that is asked again signs with the key it has. `keys` are the server's in their
    order, each with the record from which it is in force."""
    ends = [since for since, _ in keys[1:]]
    return tuple(
        key for index, (_, key) in enumerate(keys) if index == len(ends) or ends[index] > seq
    )


def follow(
    datas: Iterable[bytes],
    *,
    after: Record | None = None,
    trusted: bool = False,
    kinds: Collection[str] = KINDS,
) -> Iterator[Record]:
    """Read records and check that each follows the one before: sequence, hash, time.

    `after` is the last record already verified, `kinds` are those that the log may have. Raises
    CorruptLog at the first record that does not follow.
    """
    seq = after.seq + 1 if after else 0
    previous = after.hash if after else NO_HASH
    at_ms = after.at_ms if after else 0
    for data in datas:
        try:
            record = read(data, trusted=trusted, kinds=kinds)
        except CorruptLog as error:
            raise type(error)(seq, error.field, error.what) from error
        if record.seq != seq:
            raise CorruptLog(seq, "seq", f"expected record {seq}, found {record.seq}")
        if record.previous != previous:
            raise CorruptLog(
                seq,
                "previous",
                "the hash of the record before does not match: a record was changed, "
                "removed or put in",
            )
        if record.at_ms < at_ms:
            raise CorruptLog(seq, "at_ms", "time runs backwards")
        yield record
        seq, previous, at_ms = seq + 1, record.hash, record.at_ms
